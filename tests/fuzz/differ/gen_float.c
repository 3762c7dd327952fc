// SPDX-License-Identifier: Apache-2.0
/*
 * gen_float.c - floats and matrices whose arithmetic is exact.
 *
 * A value is a multiple of 2^-frac of size at most `max`. As long as max * 2^frac
 * fits the fraction of its type, it is a number of that type; an operation whose
 * result might not fit takes operands that are made smaller first.
 */
#include "gen_priv.h"

#include <math.h>

typedef struct Bounds {
    double max;
    int    frac;
} Bounds;

/* What variables hold. */
static Bounds stored_bounds(const Ty *t)
{
    return t->kind == KIND_F16 ? (Bounds){16, 1} : (Bounds){128, 3};
}

static bool fits(const Ty *t, double max, int frac)
{
    int digits = t->kind == KIND_F16 ? 11 : t->kind == KIND_F64 ? 53 : 24;
    return ldexp(max, frac) <= ldexp(1, digits);
}

const char *kind_suffix(Kind kind)
{
    return kind == KIND_F16 ? "h" : kind == KIND_F64 ? "lf" : "f";
}

static const char *constant(Gen *g, const Ty *t, double x)
{
    const char *s = put(g, x < 0 ? "(%.3f%s)" : "%.3f%s", x, kind_suffix(t->kind));
    return t->width == 1 ? s : put(g, "%s(%s)", t->name, s);
}

static Ex made(const char *text, double max, int frac)
{
    return (Ex){.text = text, .max = max, .frac = frac};
}

Ex ex_within(Gen *g, const Ty *t, Ex x, double max, int frac)
{
    if (x.frac > frac)
        x = made(put(g, "floor(%s)", x.text), x.max + 1, 0);
    if (x.max > max)
        x = made(put(g, "clamp(%s, %s, %s)", x.text, constant(g, t, -max),
                     constant(g, t, max)), max, x.frac);
    return x;
}

Ex ex_loaded(const Ty *t, const char *text)
{
    bool is_float = ty_is_float(t) || t->form == FORM_MATRIX;
    Bounds b = is_float ? stored_bounds(t) : (Bounds){0, 0};
    return made(text, b.max, b.frac);
}

Ex ex_stored(Gen *g, const Ty *t, Ex x)
{
    Bounds b = stored_bounds(t);
    if (ty_is_float(t))
        return ex_within(g, t, x, b.max, b.frac);
    bool fine = t->form != FORM_MATRIX || (x.max <= b.max && x.frac <= b.frac);
    return fine ? x : expr_matrix(g, t, 0);
}

/* A value that is not known, and small enough to be multiplied `terms` times. */
static Ex operand(Gen *g, const Ty *t, int depth, uint32_t terms)
{
    Ex x = expr_unknown(g, t, depth - 1);
    if (t->kind == KIND_F16)
        return terms > 1 ? ex_within(g, t, x, 8, 0) : ex_within(g, t, x, 16, 1);
    return ex_within(g, t, x, 128, 3);
}

/* ---- operators ---- */

static Ex float_sum(Gen *g, const Ty *t, int depth)
{
    Ex x = expr_unknown(g, t, depth - 1), y = expr(g, t, depth - 1);
    if (!fits(t, x.max + y.max, MAX_OF(x.frac, y.frac))) {
        x = ex_stored(g, t, x);
        y = ex_stored(g, t, y);
    }
    return made(put(g, "(%s %s %s)", x.text, chance(g, 50) ? "+" : "-", y.text),
                x.max + y.max, MAX_OF(x.frac, y.frac));
}

static Ex float_product(Gen *g, const Ty *t, int depth)
{
    const Ty *scalar = ty_vector(g, t->kind, 1);
    const Ty *other = t->width > 1 && chance(g, 30) ? scalar : t;
    Ex x = expr_unknown(g, t, depth - 1), y = expr(g, other, depth - 1);
    if (!fits(t, x.max * y.max, x.frac + y.frac)) {
        x = ex_stored(g, t, x);
        y = ex_stored(g, other, y);
    }
    return made(put(g, "(%s * %s)", x.text, y.text), x.max * y.max, x.frac + y.frac);
}

/* By a power of two, or what is left of it. */
static Ex float_quotient(Gen *g, const Ty *t, int depth)
{
    Ex x = ex_stored(g, t, expr_unknown(g, t, depth - 1));
    uint32_t power = pick(g, 3);
    if (chance(g, 30))
        return made(put(g, "(%s %% %s)", x.text, constant(g, t, 1 + pick(g, 7))), x.max, x.frac);
    return made(put(g, "(%s / %s)", x.text, constant(g, t, 1u << power)), x.max,
                x.frac + (int)power);
}

/* x * y + z */
static Ex float_fused(Gen *g, const Ty *t, int depth)
{
    Ex x = operand(g, t, depth, 2), y = operand(g, t, depth, 2), z = operand(g, t, depth, 2);
    const char *text = chance(g, 50) ? put(g, "fma(%s, %s, %s)", x.text, y.text, z.text)
                                     : put(g, "(%s * %s + %s)", x.text, y.text, z.text);
    return made(text, x.max * y.max + z.max, MAX_OF(x.frac + y.frac, z.frac));
}

/* ---- functions ---- */

static Ex float_function(Gen *g, const Ty *t, int depth)
{
    Ex x = expr_unknown(g, t, depth - 1);
    if (!fits(t, x.max + 1, x.frac))
        x = ex_stored(g, t, x);
    switch (pick(g, 11)) {
    case 0:  return made(put(g, "(-%s)", x.text), x.max, x.frac);
    case 1:  return made(put(g, "abs(%s)", x.text), x.max, x.frac);
    case 2:  return made(put(g, "floor(%s)", x.text), x.max + 1, 0);
    case 3:  return made(put(g, "ceil(%s)", x.text), x.max + 1, 0);
    case 4:  return made(put(g, "round(%s)", x.text), x.max + 1, 0);
    case 5:  return made(put(g, "trunc(%s)", x.text), x.max, 0);
    case 6:  return made(put(g, "sign(%s)", x.text), 1, 0);
    case 7:  return made(put(g, "fract(%s)", x.text), 1, x.frac);
    case 8:  return made(put(g, "saturate(%s)", x.text), 1, x.frac);
    case 9:  return made(put(g, "modf(%s).whole", x.text), x.max, 0);
    default: return made(put(g, "modf(%s).fract", x.text), 1, x.frac);
    }
}

static Ex float_pick(Gen *g, const Ty *t, int depth)
{
    Ex x = expr_unknown(g, t, depth - 1), y = expr(g, t, depth - 1);
    double max = MAX_OF(x.max, y.max);
    int frac = MAX_OF(x.frac, y.frac);
    switch (pick(g, 4)) {
    case 0:  return made(put(g, "min(%s, %s)", x.text, y.text), max, frac);
    case 1:  return made(put(g, "max(%s, %s)", x.text, y.text), max, frac);
    case 2:  return made(put(g, "step(%s, %s)", y.text, x.text), 1, 0);
    default: return made(put(g, "clamp(%s, %s, %s)", x.text, constant(g, t, -(int)pick(g, 9)),
                             constant(g, t, pick(g, 9))), 8, x.frac);
    }
}

static Ex float_scaled(Gen *g, const Ty *t, int depth)
{
    const Ty *i = ty_vector(g, KIND_I32, t->width);
    Ex x = operand(g, t, depth, 2);
    int by = (int)pick(g, 4) - 1;
    if (chance(g, 50))
        return made(put(g, "ldexp(%s, %s(%d))", x.text, i->name, by), x.max * 4, x.frac + 1);
    if (chance(g, 50)) {
        Ex y = operand(g, t, depth, 2);
        const char *mixed = put(g, "mix(%s, %s, %s)", x.text, y.text,
                                constant(g, t, pick(g, 5) / 4.0));
        return made(mixed, x.max + y.max, MAX_OF(x.frac, y.frac) + 2);
    }
    return made(put(g, "frexp(%s).fract", x.text), 1, t->kind == KIND_F16 ? 5 : 11);
}

/* ---- geometry ---- */

static Ex float_dot(Gen *g, const Ty *t, int depth)
{
    const Ty *v = ty_vector(g, t->kind, 2 + pick(g, 3));
    Ex x = operand(g, v, depth, 4), y = operand(g, v, depth, 4);
    return made(put(g, "dot(%s, %s)", x.text, y.text), v->width * x.max * y.max,
                x.frac + y.frac);
}

static Ex float_times_matrix(Gen *g, const Ty *t, int depth)
{
    uint32_t n = 2 + pick(g, 3);
    bool left = chance(g, 50);
    const Ty *m = left ? ty_matrix(g, t->kind, n, t->width) : ty_matrix(g, t->kind, t->width, n);
    const Ty *v = ty_vector(g, t->kind, n);
    Ex x = operand(g, v, depth, 4), y = expr_matrix(g, m, 0);
    if (!fits(t, n * x.max * y.max, x.frac + y.frac))
        return expr_leaf(g, t);
    return made(left ? put(g, "(%s * %s)", y.text, x.text) : put(g, "(%s * %s)", x.text, y.text),
                n * x.max * y.max, x.frac + y.frac);
}

static Ex float_geometry(Gen *g, const Ty *t, int depth)
{
    if (t->width == 1)
        return float_dot(g, t, depth);
    if (t->width == 3 && chance(g, 40)) {
        Ex x = operand(g, t, depth, 2), y = operand(g, t, depth, 2);
        return made(put(g, "cross(%s, %s)", x.text, y.text), 2 * x.max * y.max, x.frac + y.frac);
    }
    if (chance(g, 30)) {
        Ex x = operand(g, t, depth, 4), y = operand(g, t, depth, 4), z = operand(g, t, depth, 4);
        return made(put(g, "faceForward(%s, %s, %s)", x.text, y.text, z.text), x.max, x.frac);
    }
    return float_times_matrix(g, t, depth);
}

/* ---- from other types ---- */

static Ex float_unpacked(Gen *g, const Ty *t, int depth)
{
    static const struct { const char *name; uint32_t width; int scale; } rows[] = {
        {"unpack4x8snorm", 4, 127}, {"unpack4x8unorm", 4, 255}, {"unpack2x16snorm", 2, 32767},
        {"unpack2x16unorm", 2, 65535},
    };
    const Ty *u = ty_vector(g, KIND_U32, 1);
    uint32_t i = pick(g, 2) + (t->width == 2 ? 2 : 0);
    if (rows[i].width != t->width || t->kind != KIND_F32)
        return expr_leaf(g, t);
    return made(put(g, "round(%s(%s) * %d.0f)", rows[i].name, expr_unknown(g, u, depth - 1).text,
                    rows[i].scale), rows[i].scale + 1, 0);
}

static Ex float_convert(Gen *g, const Ty *t, int depth)
{
    Kind kind = chance(g, 50) ? KIND_I32 : KIND_U32;
    const Ty *i = ty_vector(g, kind, t->width), *b = ty_vector(g, KIND_BOOL, t->width);
    Kind other = t->kind == KIND_F32 && g->doubles && chance(g, 50) ? KIND_F64
                 : t->kind == KIND_F32 && g->halves                ? KIND_F16
                                                                   : KIND_F32;
    switch (pick(g, 4)) {
    case 0:  return made(put(g, "%s(%s)", t->name, expr_unknown(g, b, depth - 1).text), 1, 0);
    case 1:  {
        const Ty *of = ty_vector(g, other, t->width);
        Ex x = expr_unknown(g, of, depth - 1);
        x = t->kind == KIND_F16 ? ex_within(g, of, x, 16, 1) : ex_stored(g, of, x);
        return made(put(g, "%s(%s)", t->name, x.text), x.max, x.frac);
    }
    case 2:  return float_unpacked(g, t, depth);
    default: return made(put(g, "%s(%s & %s(15))", t->name, expr_unknown(g, i, depth - 1).text,
                             i->name), 15, 0);
    }
}

Ex expr_float(Gen *g, const Ty *t, int depth)
{
    switch (pick(g, 15)) {
    case 0: case 1:  return expr_leaf(g, t);
    case 2: case 3:  return float_sum(g, t, depth);
    case 4: case 5:  return float_product(g, t, depth);
    case 6:          return float_quotient(g, t, depth);
    case 7:          return float_fused(g, t, depth);
    case 8:          return float_function(g, t, depth);
    case 9:          return float_pick(g, t, depth);
    case 10:         return float_scaled(g, t, depth);
    case 11:         return float_geometry(g, t, depth);
    case 12:         return float_convert(g, t, depth);
    case 13:         return expr_select(g, t, depth);
    default:         return expr_parts(g, t, depth);
    }
}

/* ---- matrices ---- */

static Ex matrix_of_columns(Gen *g, const Ty *t, int depth)
{
    const Ty *column = ty_vector(g, t->kind, t->width);
    char *list = put(g, "%s(", t->name);
    for (uint32_t i = 0; i < t->cols; i++) {
        Ex x = ex_stored(g, column, expr(g, column, depth - 1));
        list = put(g, "%s%s%s", list, i ? ", " : "", x.text);
    }
    return ex_loaded(t, put(g, "%s)", list));
}

static Ex matrix_leaf(Gen *g, const Ty *t)
{
    const char *path = path_to(g, t, false);
    return path ? ex_loaded(t, path) : matrix_of_columns(g, t, 0);
}

static Ex matrix_product(Gen *g, const Ty *t)
{
    uint32_t n = 2 + pick(g, 3);
    Ex x = matrix_leaf(g, ty_matrix(g, t->kind, n, t->width));
    Ex y = matrix_leaf(g, ty_matrix(g, t->kind, t->cols, n));
    if (!fits(t, n * x.max * y.max, x.frac + y.frac))
        return matrix_leaf(g, t);
    return made(put(g, "(%s * %s)", x.text, y.text), n * x.max * y.max, x.frac + y.frac);
}

Ex expr_matrix(Gen *g, const Ty *t, int depth)
{
    const Ty *turned = ty_matrix(g, t->kind, t->width, t->cols);
    if (depth <= 0)
        return matrix_leaf(g, t);
    switch (pick(g, 5)) {
    case 0: {
        Ex x = matrix_leaf(g, t), y = matrix_leaf(g, t);
        return made(put(g, "(%s %s %s)", x.text, chance(g, 50) ? "+" : "-", y.text),
                    x.max + y.max, MAX_OF(x.frac, y.frac));
    }
    case 1: {
        Ex x = matrix_leaf(g, turned);
        return made(put(g, "transpose(%s)", x.text), x.max, x.frac);
    }
    case 2: {
        Ex x = matrix_leaf(g, t);
        Ex s = operand(g, ty_vector(g, t->kind, 1), depth, 1);
        if (!fits(t, x.max * s.max, x.frac + s.frac))
            return x;
        return made(put(g, "(%s * %s)", s.text, x.text), x.max * s.max, x.frac + s.frac);
    }
    case 3:  return matrix_product(g, t);
    default: return matrix_of_columns(g, t, depth);
    }
}
