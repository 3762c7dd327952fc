// SPDX-License-Identifier: Apache-2.0
/*
 * middle.h - from a typed module to optimised IR, the same for every back end.
 */
#ifndef WEFT_COMPILE_MIDDLE_H
#define WEFT_COMPILE_MIDDLE_H

#include "ir/ir.h"
#include "lower/lower.h"

/* An entry point with its overrides. */
typedef struct KernelSource {
    const Module *module;
    const Decl   *entry;
    const OverrideSetting *settings;
    uint32_t      nsettings;
} KernelSource;

typedef struct MiddleJob {
    KernelSource source;
    Diag        *diag;
    bool         fuses_f64;             /* Ir                                     */
    /* Sees what each stage leaves; false: no more of them. May be NULL. */
    bool       (*look)(void *context, const Ir *ir, const char *stage);
    void        *context;
} MiddleJob;

/* Lowers and optimises. NULL after a diagnostic. Runs under arena_try() of the arena. */
Ir *middle_run(Arena *arena, const MiddleJob *job);

/* In debug builds every stage must leave the IR as ir.h says. */
void middle_verify(const Ir *ir, const char *stage);

#endif
