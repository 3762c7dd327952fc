// SPDX-License-Identifier: Apache-2.0
/*
 * fold_convert.c - conversions between scalars, and automatic conversion of
 * abstract values, also inside composites.
 *
 * knows  WGSL 6.1.2 (conversion rank), 15.7.6 (floating point conversion), 17.1.2
 *        (scalar value constructors)
 *
 * A value outside the finite range of a float type is an error even where
 * rounding would bring it back: 65505 is no f16.
 */
#include <float.h>
#include <math.h>

#include "check/fold_priv.h"

static bool out_of_range(Eval *e, const Value *x, const Type *to)
{
    return fold_fail(e, DIAG_conversion_range, "%s does not fit in '%s'",
                     fold_text(e, x), fold_type_text(e, to));
}

static double float_max(const Type *t)
{
    return t->kind == TYPE_F32 ? (double)FLT_MAX
         : t->kind == TYPE_F16 ? 65504.0 : DBL_MAX;
}

/* An abstract integer becomes an abstract float first, whatever it becomes then;
 * the other integers are exact as doubles. */
static bool to_float(Eval *e, const Value *x, Value *out)
{
    double n = x->type->kind == TYPE_BOOL      ? (x->boolean ? 1.0 : 0.0)
             : type_is_integer_scalar(x->type) ? (double)x->integer : x->real;
    if (fabs(n) > float_max(out->type))
        return out_of_range(e, x, out->type);
    out->real = fold_round(out->type, n);
    return true;
}

/*
 * Least and largest value of an integer type that the float type has too: a float
 * is brought into this range, then loses its fraction. (Every f16 is between the
 * ends, except that negative ones become 0u.)
 */
static double clamp_to(const Type *to, const Type *from, double x)
{
    bool exact = from->kind == TYPE_ABSTRACT_FLOAT || from->kind == TYPE_F64;
    double low, high;
    if (to->kind == TYPE_I32) {
        low = -2147483648.0;
        high = exact ? 2147483647.0 : 2147483520.0;
    } else if (to->kind == TYPE_U32) {
        low = 0;
        high = exact ? 4294967295.0 : 4294967040.0;
    } else {
        low = -0x1p63;
        high = 0x1.fffffffffffffp62;
    }
    return x < low ? low : x > high ? high : x;
}

static bool to_integer(Eval *e, const Value *x, Value *out)
{
    switch (x->type->kind) {
    case TYPE_BOOL:
        out->integer = x->boolean;
        return true;
    case TYPE_I32:
    case TYPE_U32:                      /* the same bits */
        fold_wrap((uint64_t)x->integer, out);
        return true;
    case TYPE_ABSTRACT_INT:
        fold_wrap((uint64_t)x->integer, out);
        return out->integer == x->integer || out_of_range(e, x, out->type);
    default:
        out->integer = (int64_t)trunc(clamp_to(out->type, x->type, x->real));
        return true;
    }
}

static bool to_bool(const Value *x, Value *out)
{
    if (x->type->kind == TYPE_BOOL)
        out->boolean = x->boolean;
    else if (type_is_float_scalar(x->type))
        out->boolean = x->real != 0;    /* -0.0 is false, too */
    else
        out->boolean = x->integer != 0;
    return true;
}

bool fold_convert_scalar(Eval *e, const Value *x, Value *out)
{
    if (out->type->kind == TYPE_BOOL)
        return to_bool(x, out);
    if (type_is_float_scalar(out->type))
        return to_float(e, x, out);
    return to_integer(e, x, out);
}

/* ---- automatic conversion ---- */

/*
 * What has been converted: a few lines of text can make an array whose elements
 * share their parts, level upon level, and so has more elements than any memory;
 * each part is converted once and shared again.
 */
typedef struct Memo {
    const Value **from, **to;           /* [mask + 1], by address                */
    uint32_t count, mask;
} Memo;

static uint32_t memo_place(const Memo *m, const Value *x)
{
    uint32_t i = (uint32_t)((uintptr_t)x * UINT64_C(0x9e3779b97f4a7c15) >> 32) & m->mask;
    while (m->from[i] && m->from[i] != x)
        i = (i + 1) & m->mask;
    return i;
}

static void memo_add(Memo *m, Arena *a, const Value *x, const Value *made)
{
    if (!m->from || m->count * 2 > m->mask) {
        Memo old = *m;
        m->mask = old.from ? old.mask * 2 + 1 : 15;
        m->from = ARENA_ARRAY(a, const Value *, (size_t)m->mask + 1);
        m->to = ARENA_ARRAY(a, const Value *, (size_t)m->mask + 1);
        for (uint32_t i = 0; old.from && i <= old.mask; i++)
            if (old.from[i]) {
                uint32_t place = memo_place(m, old.from[i]);
                m->from[place] = old.from[i];
                m->to[place] = old.to[i];
            }
    }
    uint32_t place = memo_place(m, x);
    m->from[place] = x;
    m->to[place] = made;
    m->count++;
}

static const Value *memo_find(const Memo *m, const Value *x)
{
    return m->from ? m->to[memo_place(m, x)] : NULL;
}

static const Type *part_type(Eval *e, const Type *type, uint64_t i)
{
    if (type->kind == TYPE_STRUCT)
        return type->structure.decl->structure.members[i].type;
    return type_element(e->f->types, type);
}

static const Value *convert(Eval *e, Memo *memo, const Type *to, const Value *x);

static const Value *convert_parts(Eval *e, Memo *memo, const Type *to, const Value *x)
{
    uint64_t count = value_part_count(to);
    const Value **parts = ARENA_ARRAY(e->f->arena, const Value *, (size_t)count);
    for (uint64_t i = 0; i < count; i++) {
        parts[i] = convert(e, memo, part_type(e, to, i), x->parts[i]);
        if (!parts[i])
            return NULL;
    }
    return value_composite(e->f->arena, to, parts);
}

static const Value *convert(Eval *e, Memo *memo, const Type *to, const Value *x)
{
    if (x->type == to)
        return x;
    if (type_is_scalar(to)) {
        Value out = {.type = to};
        return fold_convert_scalar(e, x, &out) ? fold_keep(e, out) : NULL;
    }
    if (!x->parts)
        return value_zero(e->f->arena, to);
    bool large = to->kind == TYPE_ARRAY;
    const Value *made = large ? memo_find(memo, x) : NULL;
    if (!made) {
        made = convert_parts(e, memo, to, x);
        if (made && large)
            memo_add(memo, e->f->arena, x, made);
    }
    return made;
}

const Value *fold_convert(FoldContext *f, Span span, const Type *to, const Value *x)
{
    Eval e = {.f = f, .span = span};
    Memo memo = {0};
    return convert(&e, &memo, to, x);
}
