// SPDX-License-Identifier: Apache-2.0
/*
 * emit.h - from IR to machine code, all lanes of a lane group at once.
 *
 * in     a verified Ir with its Facts
 * out    an object file in memory with one function, KernelFn
 * knows  LLVM (through its C API), the machine's vector features
 * not    WGSL, devices, caches
 */
#ifndef WEFT_EMIT_LLVM_EMIT_H
#define WEFT_EMIT_LLVM_EMIT_H

#include "analysis/analysis.h"
#include "emit/llvm/kernel_abi.h"
#include "vector/machine.h"

typedef struct EmitOptions {
    const Machine *machine;         /* to make code for; NULL: the host           */
    bool        shuffle;            /* hostile: lane groups in a scrambled order  */
    bool        quick;              /* soon made rather than fast                 */
} EmitOptions;

typedef struct EmitResult {
    void    *object;                /* malloc'ed; emit_result_fini() frees        */
    size_t   object_size;
    uint64_t memory_size;           /* bytes a thread needs                       */
    uint32_t lanes;
} EmitResult;

/* The machine that this process runs on. */
const Machine *emit_host(void);
/* Whether LLVM was built with a code generator for a machine. */
bool emit_has_target(const Machine *machine);
/* "llvm 19.1.7 x86_64 znver3 +avx2,...": part of cache keys. In `arena`. */
const char *emit_target_name(Arena *arena, const EmitOptions *options);

/* False after a diagnostic. Never exits or aborts the process for what LLVM
 * thinks of the input. */
bool emit_llvm(EmitResult *out, const Facts *facts, const EmitOptions *options,
               Diag *diag);
void emit_result_fini(EmitResult *r);

/* For --dump=llvm, llvm-opt and asm. Empty after a diagnostic. */
typedef enum EmitDump { EMIT_DUMP_LLVM, EMIT_DUMP_LLVM_OPT, EMIT_DUMP_ASM } EmitDump;
void emit_llvm_dump(Text *out, EmitDump what, const Facts *facts,
                    const EmitOptions *options, Diag *diag);

#endif
