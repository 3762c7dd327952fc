// SPDX-License-Identifier: Apache-2.0
/*
 * outline_priv.h - functions of the module beside the kernel: outline.c, gather.c.
 */
#ifndef WEFT_EMIT_LLVM_OUTLINE_PRIV_H
#define WEFT_EMIT_LLVM_OUTLINE_PRIV_H

#include "emit/llvm/place_priv.h"

/* The bits of LLVM's attribute `memory`, for what pointers among the arguments lead to. */
typedef enum OutlineMemory {
    OUTLINE_NONE = 0, OUTLINE_READS = 1, OUTLINE_WRITES = 2,
} OutlineMemory;

typedef struct Outline {
    LlvmValue fn;
    LlvmType  type;
    LlvmBlock back;                 /* where the builder was                      */
} Outline;

/* True: the function is new, and the builder in its body; outline_close() ends it. */
bool      outline_open(Emit *e, Outline *o, const char *name, LlvmType type,
                       OutlineMemory memory);
void      outline_close(Emit *e, const Outline *o, LlvmValue result);  /* or NULL */
LlvmValue outline_call(Emit *e, const Outline *o, LlvmValue *args, uint32_t nargs);

#endif
