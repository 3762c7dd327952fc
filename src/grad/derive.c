// SPDX-License-Identifier: Apache-2.0
/*
 * derive.c - partial derivatives of primitive operators as nodes, and products of them.
 *
 * in     a node and the number of an argument
 * out    the partial derivative, built in the same pool; choices (select, min, max) stay
 *        choices, so that a branch not taken contributes 0 even where its derivative is NaN
 * knows  nodes.h
 * not    which derivatives are wanted (eliminate.c), numbers (value.c has those)
 */
#include "grad/derive_priv.h"

static uint32_t num(Nodes *n, double value)
{
    return nodes_const(n, value);
}

static uint32_t mul(Nodes *n, uint32_t a, uint32_t b)
{
    return nodes_2(n, OP_MUL, a, b);
}

static uint32_t divide(Nodes *n, uint32_t a, uint32_t b)
{
    return nodes_2(n, OP_DIV, a, b);
}

static uint32_t neg(Nodes *n, uint32_t a)
{
    return nodes_1(n, OP_NEG, a);
}

/* (1 - a)(1 + a): 1 - a a without cancellation. */
static uint32_t one_minus_square(Nodes *n, uint32_t a)
{
    uint32_t one = num(n, 1);
    return mul(n, nodes_2(n, OP_SUB, one, a), nodes_2(n, OP_ADD, one, a));
}

static uint32_t inverse_root(Nodes *n, uint32_t a)
{
    return divide(n, num(n, 1), nodes_1(n, OP_SQRT, a));
}

/* d op(a) / da with the value v. */
static uint32_t partial_1(Nodes *n, Op op, uint32_t v, uint32_t a)
{
    uint32_t one = num(n, 1);
    switch (op) {
    case OP_NEG:   return num(n, -1);
    case OP_ABS:   return nodes_3(n, OP_SELECT, nodes_2(n, OP_GE, a, num(n, 0)), one, num(n, -1));
    case OP_EXP:   return v;
    case OP_LOG:   return divide(n, one, a);
    case OP_SQRT:  return divide(n, num(n, 0.5), v);
    case OP_RSQRT: return mul(n, mul(n, num(n, -0.5), v), mul(n, v, v));
    case OP_SIN:   return nodes_1(n, OP_COS, a);
    case OP_COS:   return neg(n, nodes_1(n, OP_SIN, a));
    case OP_TAN:   return nodes_2(n, OP_ADD, one, mul(n, v, v));
    case OP_ASIN:  return inverse_root(n, one_minus_square(n, a));
    case OP_ACOS:  return neg(n, inverse_root(n, one_minus_square(n, a)));
    case OP_ATAN:  return divide(n, one, nodes_2(n, OP_ADD, one, mul(n, a, a)));
    case OP_SINH:  return nodes_1(n, OP_COSH, a);
    case OP_COSH:  return nodes_1(n, OP_SINH, a);
    case OP_TANH:  return one_minus_square(n, v);
    case OP_ASINH: return inverse_root(n, nodes_2(n, OP_ADD, mul(n, a, a), one));
    case OP_ACOSH:
        return inverse_root(n, mul(n, nodes_2(n, OP_SUB, a, one), nodes_2(n, OP_ADD, a, one)));
    case OP_ATANH: return divide(n, one, one_minus_square(n, a));
    default:       return NODE_NONE;
    }
}

#define POW_BASE_MIN 1e-12

static uint32_t partial_pow(Nodes *n, uint32_t v, uint32_t a, uint32_t b, uint32_t arg)
{
    if (arg == 0)
        return mul(n, b, nodes_2(n, OP_POW, a, nodes_2(n, OP_SUB, b, num(n, 1))));
    return mul(n, v, nodes_1(n, OP_LOG, nodes_2(n, OP_MAX, a, num(n, POW_BASE_MIN))));
}

static uint32_t partial_atan2(Nodes *n, uint32_t a, uint32_t b, uint32_t arg)
{
    uint32_t d = nodes_2(n, OP_ADD, mul(n, a, a), mul(n, b, b));
    return arg == 0 ? divide(n, b, d) : neg(n, divide(n, a, d));
}

static uint32_t partial_custom(Nodes *n, uint32_t id, uint32_t arg)
{
    uint32_t args[CUSTOM_ARITY], count = nodes_get(n, id)->count;
    for (uint32_t i = 0; i < count; i++)
        args[i] = nodes_args(n, id)[i];
    return nodes_make(n, OP_PARTIAL, args, count, PARTIAL_SLOT(nodes_get(n, id)->slot, arg));
}

static uint32_t partial_factor(Nodes *n, uint32_t id, uint32_t arg)
{
    const Node *node = nodes_get(n, id);
    const uint32_t *args = nodes_args(n, id);
    uint32_t a = args[0], b = node->count > 1 ? args[1] : NODE_NONE;
    switch (node->op) {
    case OP_ADD:
    case OP_SUM:   return num(n, 1);
    case OP_SUB:   return num(n, arg == 0 ? 1 : -1);
    case OP_MUL:   return arg == 0 ? b : a;
    case OP_DIV:   return arg == 0 ? divide(n, num(n, 1), b)
                                   : neg(n, mul(n, id, divide(n, num(n, 1), b)));
    case OP_POW:   return partial_pow(n, id, a, b, arg);
    case OP_ATAN2: return partial_atan2(n, a, b, arg);
    case OP_GIVEN: return arg % 2 == 1 ? args[arg + 1] : NODE_NONE;
    case OP_CUSTOM: return partial_custom(n, id, arg);
    default:       return node->count == 1 ? partial_1(n, (Op)node->op, id, a) : NODE_NONE;
    }
}

bool derive_partial(Weight *out, Nodes *n, uint32_t id, uint32_t arg)
{
    const Node *node = nodes_get(n, id);
    const uint32_t *args = nodes_args(n, id);
    uint32_t a = args[0], b = node->count > 1 ? args[1] : NODE_NONE;
    *out = (Weight){.kind = PARTIAL_TAKEN, .masked = true};
    switch (node->op) {
    case OP_MIN: out->node = nodes_2(n, OP_LT, arg == 0 ? a : b, arg == 0 ? b : a); return true;
    case OP_MAX: out->node = nodes_2(n, OP_GT, arg == 0 ? a : b, arg == 0 ? b : a); return true;
    case OP_SELECT:
        out->node = a;
        out->kind = arg == 1 ? PARTIAL_TAKEN : PARTIAL_NOT_TAKEN;
        return arg != 0;
    default:
        *out = weight_factor(partial_factor(n, id, arg));
        return out->node != NODE_NONE && !nodes_is(n, out->node, 0);
    }
}

Weight weight_factor(uint32_t node)
{
    return (Weight){.node = node, .kind = PARTIAL_FACTOR};
}

/* x where the choice w is 1, else 0. */
static uint32_t masked_by(Nodes *n, Weight w, uint32_t x)
{
    uint32_t zero = num(n, 0);
    return w.kind == PARTIAL_TAKEN ? nodes_3(n, OP_SELECT, w.node, x, zero)
                                   : nodes_3(n, OP_SELECT, w.node, zero, x);
}

uint32_t weight_node(Nodes *n, Weight w)
{
    return w.kind == PARTIAL_FACTOR ? w.node : masked_by(n, w, num(n, 1));
}

static bool risky(const Nodes *n, Weight w)
{
    return w.kind == PARTIAL_FACTOR && (nodes_get(n, w.node)->flags & NODE_RISKY);
}

/* A masked factor that is 0 decides the product, even if the other one is NaN. */
static uint32_t guard(Nodes *n, Weight masked, Weight other, uint32_t product)
{
    if (!masked.masked || !risky(n, other))
        return product;
    uint32_t zero = num(n, 0);
    return nodes_3(n, OP_SELECT, nodes_2(n, OP_EQ, masked.node, zero), zero, product);
}

Weight weight_mul(Nodes *n, Weight outer, Weight inner)
{
    Weight product = {.kind = PARTIAL_FACTOR, .masked = outer.masked || inner.masked};
    if (outer.kind != PARTIAL_FACTOR)
        product.node = masked_by(n, outer, weight_node(n, inner));
    else if (inner.kind != PARTIAL_FACTOR)
        product.node = masked_by(n, inner, outer.node);
    else {
        product.node = mul(n, outer.node, inner.node);
        product.node = guard(n, outer, inner, product.node);
        product.node = guard(n, inner, outer, product.node);
    }
    return product;
}

Weight weight_add(Nodes *n, Weight a, Weight b)
{
    return (Weight){nodes_2(n, OP_ADD, weight_node(n, a), weight_node(n, b)), PARTIAL_FACTOR,
                    a.masked || b.masked};
}
