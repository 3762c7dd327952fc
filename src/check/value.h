// SPDX-License-Identifier: Apache-2.0
/*
 * value.h - values known before the program runs.
 *
 * made by   fold.c and the checker, in an arena; never changed afterwards, so
 *           parts may be shared
 * read by   check/, lower/
 */
#ifndef WEFT_CHECK_VALUE_H
#define WEFT_CHECK_VALUE_H

#include "base/text.h"
#include "check/type.h"

struct Value {
    const Type *type;               /* constructible or abstract                 */
    union {
        bool     boolean;
        int64_t  integer;           /* abstract int; i32 and u32 by value        */
        double   real;              /* abstract float, f64; f32 and f16 exactly  */
        /* vector components, matrix columns, array elements, members.
         * NULL: every part is the zero value, and only then (so a zero array
         * costs nothing). */
        const Value *const *parts;
    };
};

const Value *value_bool(Arena *a, TypeTable *t, bool b);
const Value *value_int(Arena *a, const Type *type, int64_t n);      /* fits type */
const Value *value_real(Arena *a, const Type *type, double x);      /* fits type */
const Value *value_zero(Arena *a, const Type *type);
/* `parts` is copied; their number is value_part_count(type). */
const Value *value_composite(Arena *a, const Type *type, const Value *const *parts);

uint64_t     value_part_count(const Type *type);
/* Part `i` of a composite; makes zero values as needed. */
const Value *value_part(Arena *a, TypeTable *t, const Value *v, uint64_t i);
/* Is it the zero value, is it the same value: -0.0 is neither zero nor 0.0 here
 * (the operators of WGSL are fold.h's). Equality walks all parts, shared ones each
 * time they are met: not for arrays that a hostile text may have made. */
bool         value_is_zero(const Value *v);
bool         value_equal(const Value *x, const Value *y);

/* As WGSL would write it, shortened with "..." after 64 parts; a composite of
 * zeros is "vec3<f32>()". */
void value_print(Text *out, const Value *v);
/* The same, but scalars without their suffix: "1" for 1i, "1.5" for 1.5f. */
void value_print_plain(Text *out, const Value *v);

#endif
