// SPDX-License-Identifier: Apache-2.0
/*
 * gen_int.c - integers and truth values.
 *
 * What WGSL evaluates when it makes a module may be an error (a division by zero, a
 * shift by 40, an overflow), so one operand is never a literal, and literals on the
 * right are small.
 */
#include "gen_priv.h"

static Ex joined(Gen *g, Ex x, const char *op, Ex y)
{
    return ex_of(put(g, "(%s %s %s)", x.text, op, y.text));
}

/* ---- operators ---- */

static Ex int_arithmetic(Gen *g, const Ty *t, int depth)
{
    static const char *const ops[] = {"+", "-", "*"};
    const char *op = ops[pick(g, COUNTOF(ops))];
    const Ty *scalar = ty_vector(g, t->kind, 1);
    Ex x = expr_unknown(g, t, depth - 1);
    Ex y = expr(g, t->width > 1 && chance(g, 25) ? scalar : t, depth - 1);
    return chance(g, 50) && y.literal ? joined(g, y, op, x) : joined(g, x, op, y);
}

static Ex int_bits(Gen *g, const Ty *t, int depth)
{
    static const char *const ops[] = {"&", "|", "^"};
    Ex x = expr_unknown(g, t, depth - 1), y = expr(g, t, depth - 1);
    return joined(g, x, ops[pick(g, COUNTOF(ops))], y);
}

static Ex int_shift(Gen *g, const Ty *t, int depth)
{
    const Ty *amount = ty_vector(g, KIND_U32, t->width);
    Ex x = expr_unknown(g, t, depth - 1), y;
    if (chance(g, 50))
        y = ex_of(put(g, "%s(%uu)", amount->name, pick(g, 32)));
    else
        y = expr_unknown(g, amount, depth - 1);
    return joined(g, x, chance(g, 50) ? "<<" : ">>", y);
}

static Ex int_divide(Gen *g, const Ty *t, int depth)
{
    Ex x = expr_unknown(g, t, depth - 1), y;
    if (chance(g, 50))
        y = ex_of(put(g, "%s(%u)", t->name, 1 + pick(g, 40)));
    else
        y = expr_unknown(g, t, depth - 1);
    return joined(g, x, chance(g, 50) ? "/" : "%", y);
}

static Ex int_unary(Gen *g, const Ty *t, int depth)
{
    Ex x = expr_unknown(g, t, depth - 1);
    bool minus = t->kind == KIND_I32 && chance(g, 50);
    return ex_of(put(g, minus ? "(-(%s))" : "(~(%s))", x.text));
}

/* ---- functions ---- */

static Ex int_function(Gen *g, const Ty *t, int depth)
{
    static const char *const names[] = {
        "abs", "countLeadingZeros", "countTrailingZeros", "countOneBits", "reverseBits",
        "firstLeadingBit", "firstTrailingBit", "sign",
    };
    uint32_t n = t->kind == KIND_I32 ? COUNTOF(names) : COUNTOF(names) - 1;
    return ex_of(put(g, "%s(%s)", names[pick(g, n)], expr_unknown(g, t, depth - 1).text));
}

static Ex int_pick(Gen *g, const Ty *t, int depth)
{
    Ex x = expr_unknown(g, t, depth - 1), y = expr_unknown(g, t, depth - 1);
    if (chance(g, 30)) {
        Ex z = expr_unknown(g, t, depth - 1);
        return ex_of(put(g, "clamp(%s, %s, %s)", x.text, y.text, z.text));
    }
    return ex_of(put(g, "%s(%s, %s)", chance(g, 50) ? "min" : "max", x.text, y.text));
}

static Ex int_bit_field(Gen *g, const Ty *t, int depth)
{
    const Ty *u = ty_vector(g, KIND_U32, 1);
    Ex x = expr_unknown(g, t, depth - 1), y = expr_unknown(g, t, depth - 1);
    uint32_t offset = pick(g, 33);
    const char *at = put(g, "%uu, %uu", offset, pick(g, 33 - offset));
    if (chance(g, 50))
        at = put(g, "%s, %s", expr_unknown(g, u, depth - 2).text,
                 expr_unknown(g, u, depth - 2).text);
    if (chance(g, 50))
        return ex_of(put(g, "insertBits(%s, %s, %s)", x.text, y.text, at));
    return ex_of(put(g, "extractBits(%s, %s)", x.text, at));
}

static Ex int_convert(Gen *g, const Ty *t, int depth)
{
    Kind other = t->kind == KIND_I32 ? KIND_U32 : KIND_I32;
    switch (pick(g, 4)) {
    case 0: {
        Ex b = expr_unknown(g, ty_vector(g, KIND_BOOL, t->width), depth - 1);
        return ex_of(put(g, "%s(%s)", t->name, b.text));
    }
    case 1: case 2: {
        Ex f = expr_unknown(g, ty_vector(g, kind_float(g), t->width), depth - 1);
        return ex_of(put(g, "%s(%s)", t->name, f.text));
    }
    default: {
        Ex i = expr_unknown(g, ty_vector(g, other, t->width), depth - 1);
        return ex_of(put(g, chance(g, 50) ? "%s(%s)" : "bitcast<%s>(%s)", t->name, i.text));
    }
    }
}

/* ---- what only some types have ---- */

/*
 * Zeros must not show their sign in an integer. Floats cannot be relieved of it: an
 * implementation may take x + 0 for x.
 */
void plain_declare(Gen *g)
{
    line(g, "fn plain_halves(x : u32) -> u32 {");
    line(g, "  return select(x & 0xffffu, 0u, (x & 0x7fffu) == 0u)");
    line(g, "       | select(x & 0xffff0000u, 0u, (x & 0x7fff0000u) == 0u);");
    line(g, "}");
    for (uint32_t width = 1; width <= 4; width++) {
        const char *u = ty_vector(g, KIND_U32, width)->name;
        line(g, "fn plain_bits%u(x : %s) -> %s {", width, u, u);
        line(g, "  return select(x, %s(0u), (x & %s(0x7fffffffu)) == %s(0u));", u, u, u);
        line(g, "}");
    }
}

/* Floats of at most 1 for norms. */
static Ex int_pack(Gen *g, int depth)
{
    static const struct { const char *name; uint32_t width; } norms[] = {
        {"pack4x8snorm", 4}, {"pack4x8unorm", 4}, {"pack2x16snorm", 2}, {"pack2x16unorm", 2},
    };
    static const struct { const char *name; Kind kind; } bytes[] = {
        {"pack4xI8", KIND_I32}, {"pack4xU8", KIND_U32}, {"pack4xI8Clamp", KIND_I32},
        {"pack4xU8Clamp", KIND_U32},
    };
    uint32_t i = pick(g, 4);
    if (chance(g, 40)) {
        Ex x = expr_unknown(g, ty_vector(g, bytes[i].kind, 4), depth - 1);
        return ex_of(put(g, "%s(%s)", bytes[i].name, x.text));
    }
    if (chance(g, 30)) {
        const Ty *two = ty_vector(g, KIND_F32, 2);
        Ex x = ex_within(g, two, expr_unknown(g, two, depth - 1), 128, 3);
        return ex_of(put(g, "plain_halves(pack2x16float(%s))", x.text));
    }
    const Ty *t = ty_vector(g, KIND_F32, norms[i].width);
    Ex x = ex_within(g, t, expr_unknown(g, t, depth - 1), 2, 3);
    return ex_of(put(g, "%s(%s)", norms[i].name, x.text));
}

static Ex int_from_bits(Gen *g, const Ty *t, int depth)
{
    const Ty *u = ty_vector(g, KIND_U32, t->width), *f = ty_vector(g, KIND_F32, t->width);
    switch (pick(g, 4)) {
    case 0: {
        Ex x = expr_unknown(g, f, depth - 1);
        return ex_of(put(g, "%s(plain_bits%u(bitcast<%s>(%s)))", t->name, t->width, u->name,
                         x.text));
    }
    case 1: {
        Kind kind = chance(g, 50) ? KIND_U32 : KIND_I32;
        Ex x = expr_unknown(g, ty_vector(g, kind, t->width), depth - 1);
        /* 24 bits: larger numbers may be rounded either way. */
        return ex_of(put(g, "bitcast<%s>(%s((%s) >> %s(8u)))", t->name, f->name, x.text, u->name));
    }
    default: {
        Ex x = expr_unknown(g, u, depth - 1);
        return ex_of(put(g, "%s(bitcast<%s>(%s))", t->name, f->name, x.text));
    }
    }
}

static Ex int_special_scalar(Gen *g, const Ty *t, int depth)
{
    const Ty *u = ty_vector(g, KIND_U32, 1), *v = ty_vector(g, t->kind, 2 + pick(g, 3));
    bool is_signed = t->kind == KIND_I32;
    switch (pick(g, 5)) {
    case 0:
        return ex_of(put(g, "dot(%s, %s)", expr_unknown(g, v, depth - 1).text,
                         expr(g, v, depth - 1).text));
    case 1:
        return ex_of(put(g, "%s(%s, %s)", is_signed ? "dot4I8Packed" : "dot4U8Packed",
                         expr_unknown(g, u, depth - 1).text, expr(g, u, depth - 1).text));
    case 2:
        if (is_signed) {
            const Ty *f = ty_vector(g, kind_float(g), 1);
            return ex_of(put(g, "frexp(%s).exp", expr_unknown(g, f, depth - 1).text));
        }
        return int_pack(g, depth);
    case 3:
        return is_signed ? int_from_bits(g, t, depth) : int_pack(g, depth);
    default:
        return is_signed ? int_from_bits(g, t, depth) : ex_of("arrayLength(&in_u)");
    }
}

static Ex int_special(Gen *g, const Ty *t, int depth)
{
    const Ty *u = ty_vector(g, KIND_U32, 1);
    if (t->width == 1)
        return int_special_scalar(g, t, depth);
    if (t->width == 4 && chance(g, 40))
        return ex_of(put(g, "%s(%s)", t->kind == KIND_I32 ? "unpack4xI8" : "unpack4xU8",
                         expr_unknown(g, u, depth - 1).text));
    return int_from_bits(g, t, depth);
}

Ex expr_int(Gen *g, const Ty *t, int depth)
{
    switch (pick(g, 17)) {
    case 0: case 1:          return expr_leaf(g, t);
    case 2: case 3: case 4:  return int_arithmetic(g, t, depth);
    case 5:                  return int_bits(g, t, depth);
    case 6:                  return int_shift(g, t, depth);
    case 7:                  return int_divide(g, t, depth);
    case 8:                  return int_unary(g, t, depth);
    case 9:                  return int_function(g, t, depth);
    case 10:                 return int_pick(g, t, depth);
    case 11:                 return int_bit_field(g, t, depth);
    case 12:                 return expr_select(g, t, depth);
    case 13:                 return int_convert(g, t, depth);
    case 14: case 15:        return expr_parts(g, t, depth);
    default:                 return int_special(g, t, depth);
    }
}

/* ---- truth ---- */

static Ex bool_compare(Gen *g, const Ty *t, int depth)
{
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    Kind kind = kind_any(g, false);
    const Ty *of = ty_vector(g, kind, t->width);
    const char *op = ops[pick(g, kind == KIND_BOOL ? 2 : COUNTOF(ops))];
    Ex x = expr_unknown(g, of, depth - 1), y = expr(g, of, depth - 1);
    return joined(g, x, op, y);
}

static Ex bool_logic(Gen *g, const Ty *t, int depth)
{
    static const char *const ops[] = {"&", "|", "&&", "||"};
    Ex x = expr_unknown(g, t, depth - 1);
    bool prelude = g->no_prelude, together = g->uniform_flow;
    const char *op = ops[pick(g, t->width == 1 ? 4 : 2)];
    g->no_prelude = true;                   /* the right side may not be evaluated */
    g->uniform_flow = false;
    Ex y = expr(g, t, depth - 1);
    g->no_prelude = prelude;
    g->uniform_flow = together;
    return joined(g, x, op, y);
}

Ex expr_bool(Gen *g, const Ty *t, int depth)
{
    switch (pick(g, 9)) {
    case 0:  return expr_leaf(g, t);
    case 1:  return bool_logic(g, t, depth);
    case 2:  return ex_of(put(g, "(!%s)", expr_unknown(g, t, depth - 1).text));
    case 3:  return expr_select(g, t, depth);
    case 4:  return expr_parts(g, t, depth);
    case 5: {
        Kind kind = kind_any(g, false);
        Ex x = expr_unknown(g, ty_vector(g, kind, t->width), depth - 1);
        return ex_of(put(g, "%s(%s)", t->name, x.text));
    }
    case 6:
        if (t->width == 1) {
            const Ty *v = ty_vector(g, KIND_BOOL, 2 + pick(g, 3));
            return ex_of(put(g, "%s(%s)", chance(g, 50) ? "all" : "any",
                             expr_unknown(g, v, depth - 1).text));
        }
        return bool_compare(g, t, depth);
    default: return bool_compare(g, t, depth);
    }
}
