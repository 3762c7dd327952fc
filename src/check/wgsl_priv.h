// SPDX-License-Identifier: Apache-2.0
/*
 * wgsl_priv.h - the tables behind the reflection of weft/wgsl.h.
 *
 * made by   reflect.c and reflect_type.c, in the arena of the module
 * read by   wgsl.c
 */
#ifndef WEFT_CHECK_WGSL_PRIV_H
#define WEFT_CHECK_WGSL_PRIV_H

#include <weft/wgsl.h>

#include "check/module.h"

typedef struct Reflection {
    VEC(weft_entry_point) entry_points;     /* in text order                     */
    VEC(weft_override)    overrides;        /* by Decl.var.override_index         */
    const weft_struct    *structs;          /* [struct_count] in text order      */
    uint32_t              struct_count;
} Reflection;

/* The layouts of host-shareable types, each made once. */
typedef struct Layouts {
    Arena            *arena;
    const weft_type **of;                   /* [count] by Type.id; NULL: not yet  */
    uint32_t          count;
} Layouts;

void layouts_init(Layouts *l, Arena *arena, const Module *m);
/* Says beforehand what describes a structure; its members may come later. */
void layouts_add_struct(Layouts *l, const Type *t, const weft_struct *structure);
const weft_type *layout_of(Layouts *l, const Type *t);
weft_scalar      layout_scalar(const Type *t);

/* Describes a module that was checked without an error. */
void reflect_module(Reflection *out, Arena *arena, const Module *m);

#endif
