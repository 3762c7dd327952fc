// SPDX-License-Identifier: Apache-2.0
/*
 * wgsl_priv.h - the tables behind the reflection of weft/wgsl.h.
 *
 * made by   reflect.c, in the arena of the module
 * read by   wgsl.c
 */
#ifndef WEFT_CHECK_WGSL_PRIV_H
#define WEFT_CHECK_WGSL_PRIV_H

#include <weft/wgsl.h>

#include "check/module.h"

typedef struct Reflection {
    VEC(weft_entry_point) entry_points;     /* in text order                     */
    VEC(weft_override)    overrides;        /* by Decl.var.override_index         */
    VEC(weft_struct)      structs;          /* in text order                     */
} Reflection;

/* Describes a module that was checked without an error. */
void reflect_module(Reflection *out, Arena *arena, const Module *m);

#endif
