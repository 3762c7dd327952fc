// SPDX-License-Identifier: Apache-2.0
/*
 * target_priv.h - between emit.c and target.c.
 */
#ifndef WEFT_EMIT_LLVM_TARGET_PRIV_H
#define WEFT_EMIT_LLVM_TARGET_PRIV_H

#include <llvm-c/TargetMachine.h>

#include "emit/llvm/emit_priv.h"

#define EMIT_ENTRY_NAME "weft_kernel"

/* Fills e->module; e->context, builders, arena, facts and options are set. */
void emit_module(Emit *e);

/* How much time LLVM may take for a module: effort.c. */
typedef struct Effort {
    const char         *passes;
    LLVMCodeGenOptLevel level;
} Effort;

Effort effort_for(const Emit *e);

/* After LLVM's passes, on machines without mask registers. */
void widen_masks(Emit *e);
/* The same, on machines with them. */
void ternary_untie(Emit *e);
/* The same, where they have arithmetic of f16. */
void halves_widen(Emit *e);

/* The same: what a block prefetches again it does not. */
void prefetch_unite(Emit *e);

/* After that: cuts the long blocks of e->function. */
void cut_blocks(Emit *e);
/* After that: functions with very many constants load them from tables. */
void constants_load(Emit *e);

/* Fills e->has_...: what the machine can do. */
void target_survey(Emit *e);
/* Marks a function with the machine's features; with an attribute (value 0: it has none). */
void target_attributes(Emit *e, LlvmValue fn);
void target_enum_attribute(Emit *e, LlvmValue fn, LLVMAttributeIndex at, const char *name,
                           uint64_t value);

#endif
