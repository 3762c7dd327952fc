// SPDX-License-Identifier: Apache-2.0
/*
 * simplify.c - constant folding and algebraic identities that do not lose accuracy.
 *
 * in     an operator and its arguments
 * out    an equal node that exists or is cheaper; every identity holds exactly or with less
 *        rounding in IEEE arithmetic for all arguments, NaN and infinities included (signs of
 *        zeros excepted), so x * 0 and x - x stay
 * knows  nodes.h
 * not    derivatives, WGSL
 */
#include "grad/nodes.h"

#include <math.h>

static bool is_const(const Nodes *n, uint32_t id)
{
    return nodes_get(n, id)->op == OP_CONST;
}

static double const_of(const Nodes *n, uint32_t id)
{
    return nodes_get(n, id)->value;
}

static bool is_neg(const Nodes *n, uint32_t id)
{
    return nodes_get(n, id)->op == OP_NEG;
}

static uint32_t arg0(const Nodes *n, uint32_t id)
{
    return nodes_args(n, id)[0];
}

static uint32_t fold(Nodes *n, Op op, const uint32_t *args, uint32_t count)
{
    double values[SUM_TERMS];
    if (count == 0 || count > SUM_TERMS || op >= OP_GIVEN)
        return NODE_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_const(n, args[i]))
            return NODE_NONE;
        values[i] = const_of(n, args[i]);
    }
    return nodes_const(n, grad_value_of(op, values, count));
}

static uint32_t simplify_add(Nodes *n, uint32_t a, uint32_t b)
{
    if (nodes_is(n, a, 0))
        return b;
    if (nodes_is(n, b, 0))
        return a;
    if (is_neg(n, b))
        return nodes_2(n, OP_SUB, a, arg0(n, b));
    if (is_neg(n, a))
        return nodes_2(n, OP_SUB, b, arg0(n, a));
    return NODE_NONE;
}

static uint32_t simplify_sub(Nodes *n, uint32_t a, uint32_t b)
{
    if (nodes_is(n, b, 0))
        return a;
    if (nodes_is(n, a, 0))
        return nodes_1(n, OP_NEG, b);
    if (is_neg(n, b))
        return nodes_2(n, OP_ADD, a, arg0(n, b));
    return NODE_NONE;
}

static uint32_t simplify_mul(Nodes *n, uint32_t a, uint32_t b)
{
    if (nodes_is(n, a, 1))
        return b;
    if (nodes_is(n, b, 1))
        return a;
    if (nodes_is(n, a, -1))
        return nodes_1(n, OP_NEG, b);
    if (nodes_is(n, b, -1))
        return nodes_1(n, OP_NEG, a);
    if (is_neg(n, a) && is_neg(n, b))
        return nodes_2(n, OP_MUL, arg0(n, a), arg0(n, b));
    if (is_neg(n, a) && is_const(n, b))
        return nodes_2(n, OP_MUL, arg0(n, a), nodes_const(n, -const_of(n, b)));
    if (is_neg(n, b) && is_const(n, a))
        return nodes_2(n, OP_MUL, nodes_const(n, -const_of(n, a)), arg0(n, b));
    return NODE_NONE;
}

static uint32_t simplify_div(Nodes *n, uint32_t a, uint32_t b)
{
    if (is_neg(n, a) && is_neg(n, b))
        return nodes_2(n, OP_DIV, arg0(n, a), arg0(n, b));
    if (!is_const(n, b))
        return NODE_NONE;
    int exponent;
    double value = const_of(n, b), m = frexp(value, &exponent);
    if (value == 1)
        return a;
    /* The reciprocal of a power of two is exact in f32 and f64. */
    if (fabs(m) == 0.5 && exponent > -100 && exponent < 100)
        return nodes_2(n, OP_MUL, a, nodes_const(n, 1 / value));
    return NODE_NONE;
}

/* a to a small integer power by repeated squaring. */
static uint32_t power(Nodes *n, uint32_t a, uint32_t exponent)
{
    uint32_t result = NODE_NONE;
    for (;;) {
        if (exponent & 1)
            result = result == NODE_NONE ? a : nodes_2(n, OP_MUL, result, a);
        exponent >>= 1;
        if (exponent == 0)
            return result;
        a = nodes_2(n, OP_MUL, a, a);
    }
}

static uint32_t simplify_pow(Nodes *n, uint32_t a, uint32_t b)
{
    if (!is_const(n, b))
        return NODE_NONE;
    double e = const_of(n, b);
    if (e == 0)
        return nodes_const(n, 1);
    if (e == 0.5)
        return nodes_1(n, OP_SQRT, a);
    if (e == -0.5)
        return nodes_1(n, OP_RSQRT, a);
    if (e == floor(e) && fabs(e) <= 32) {
        uint32_t p = power(n, a, (uint32_t)fabs(e));
        return e > 0 ? p : nodes_2(n, OP_DIV, nodes_const(n, 1), p);
    }
    if (e == floor(e * 2) / 2 && fabs(e) <= 8) {
        uint32_t p = nodes_2(n, OP_MUL, power(n, a, (uint32_t)floor(fabs(e))),
                             nodes_1(n, OP_SQRT, a));
        return e > 0 ? p : nodes_2(n, OP_DIV, nodes_const(n, 1), p);
    }
    return NODE_NONE;
}

static uint32_t simplify_select(Nodes *n, uint32_t c, uint32_t a, uint32_t b)
{
    if (a == b)
        return a;
    if (is_const(n, c))
        return const_of(n, c) != 0 ? a : b;
    const Node *x = nodes_get(n, a), *y = nodes_get(n, b);
    if (x->op == OP_SELECT && arg0(n, a) == c)
        return nodes_3(n, OP_SELECT, c, nodes_args(n, a)[1], b);
    if (y->op == OP_SELECT && arg0(n, b) == c)
        return nodes_3(n, OP_SELECT, c, a, nodes_args(n, b)[2]);
    return NODE_NONE;
}

/* Zeros leave a sum. */
static uint32_t simplify_sum(Nodes *n, const uint32_t *args, uint32_t count)
{
    uint32_t kept[SUM_TERMS], terms = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!nodes_is(n, args[i], 0))
            kept[terms++] = args[i];
    return terms == count ? NODE_NONE : nodes_sum(n, kept, terms);
}

uint32_t grad_simplify(Nodes *n, Op op, const uint32_t *args, uint32_t count)
{
    uint32_t folded = fold(n, op, args, count);
    if (folded != NODE_NONE)
        return folded;
    switch (op) {
    case OP_ADD: return simplify_add(n, args[0], args[1]);
    case OP_SUB: return simplify_sub(n, args[0], args[1]);
    case OP_MUL: return simplify_mul(n, args[0], args[1]);
    case OP_DIV: return simplify_div(n, args[0], args[1]);
    case OP_POW: return simplify_pow(n, args[0], args[1]);
    case OP_NEG: return is_neg(n, args[0]) ? arg0(n, args[0]) : NODE_NONE;
    case OP_SELECT: return simplify_select(n, args[0], args[1], args[2]);
    case OP_SUM: return simplify_sum(n, args, count);
    default: return NODE_NONE;
    }
}
