// SPDX-License-Identifier: Apache-2.0
/*
 * lower.h - from a typed module to the IR of one kernel.
 *
 * in     a checked Module, one compute entry point, its Specialization
 * out    an Ir in which every call is inlined, every override is a constant,
 *        every builtin is expanded into operations of the IR, and every variable
 *        is still memory (opt/ promotes)
 * knows  the typed tree, the IR
 * not    text, devices, lanes
 */
#ifndef WEFT_LOWER_LOWER_H
#define WEFT_LOWER_LOWER_H

#include "check/check.h"
#include "ir/ir.h"

/* NULL after a diagnostic: the kernel grows beyond what Weft compiles (too many
 * instructions once calls are inlined, too much private memory). Runs under the
 * caller's arena_try(). */
Ir *lower_entry_point(Arena *arena, const Module *m, const Decl *entry,
                      const Specialization *s, Diag *diag);

#endif
