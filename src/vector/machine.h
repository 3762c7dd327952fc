// SPDX-License-Identifier: Apache-2.0
/*
 * machine.h - what a processor has that matters to a kernel in lanes.
 *
 * in     the name of a processor, or the features that it reports
 * out    a Machine: plain numbers and flags, for the analysis and the emitter
 * knows  the feature names of LLVM
 * not    LLVM itself, the processor that this process runs on (emit/llvm/target.c)
 */
#ifndef WEFT_VECTOR_MACHINE_H
#define WEFT_VECTOR_MACHINE_H

#include "base/arena.h"

typedef enum MachineArch { MACHINE_X86_64, MACHINE_AARCH64, MACHINE_OTHER } MachineArch;

typedef struct Machine {
    const char *name;               /* as LLVM knows it                           */
    const char *triple;             /* NULL: that of the host                     */
    const char *features;           /* "+avx2,+fma": in addition to those of `name` */
    MachineArch arch;
    uint32_t lanes;                 /* of 32 bits in a vector register            */
    uint32_t registers;             /* vector registers                           */
    bool     has_avx2;
    bool     has_mask_registers;    /* of AVX-512                                 */
    bool     has_fma;               /* fused multiply-add                         */
    bool     converts_f16;          /* between f16 and f32                        */
    bool     has_f16;               /* arithmetic of f16                          */
    bool     has_stream;            /* stores that bypass the caches              */
    uint32_t dot_lanes;             /* most lanes of one instruction that adds four
                                       products of bytes to a number each; 0: none */
    uint32_t estimate_lanes;        /* most lanes of one estimate of 1 / sqrt(x), and
                                       1 / x; 0: none                             */
} Machine;

/* The machine with these features; the strings are kept, not copied. */
Machine machine_of(MachineArch arch, const char *name, const char *features);

/* A processor of machines.def. False: it is none of them. */
bool machine_find(Machine *out, const char *name);
/* Their names; NULL at the end. */
const char *const *machine_names(void);

/* A feature of `wanted` that `host` does not have, so that code for the one does not run on
 * the other; NULL: it runs. In `arena`. */
const char *machine_missing(Arena *arena, const Machine *host, const Machine *wanted);

#endif
