// SPDX-License-Identifier: Apache-2.0
/*
 * operators.c - the operators of weft/grad.h, built from the primitive ones.
 *
 * in     an operator and nodes
 * out    primitive nodes (ops.def)
 * knows  graph_priv.h
 * not    derivatives: those of the primitives follow by themselves, with_gradient() replaces
 *        the few that would not be what weft/grad.h promises
 */
#include "grad/graph_priv.h"

#include <string.h>

static const struct { const char *name; uint32_t arity; } operators[WEFT_GRAD_OP_COUNT] = {
#define OP(function, op, value) [WEFT_GRAD_##op] = {#function, 1},
    WEFT_GRAD_UNARY(OP)
#undef OP
#define OP(function, op, value) [WEFT_GRAD_##op] = {#function, 2},
    WEFT_GRAD_BINARY(OP)
#undef OP
#define OP(function, op, value) [WEFT_GRAD_##op] = {#function, 3},
    WEFT_GRAD_TERNARY(OP)
#undef OP
#define OP(function, op, value) [WEFT_GRAD_##op] = {#function, 0},
    WEFT_GRAD_NARY(OP)
#undef OP
};

/* Operators that are primitive already. */
static const uint8_t primitives[WEFT_GRAD_OP_COUNT] = {
    [WEFT_GRAD_NEG] = OP_NEG, [WEFT_GRAD_ABS] = OP_ABS, [WEFT_GRAD_SIGN] = OP_SIGN,
    [WEFT_GRAD_FLOOR] = OP_FLOOR, [WEFT_GRAD_CEIL] = OP_CEIL, [WEFT_GRAD_EXP] = OP_EXP,
    [WEFT_GRAD_LOG] = OP_LOG, [WEFT_GRAD_SQRT] = OP_SQRT, [WEFT_GRAD_RSQRT] = OP_RSQRT,
    [WEFT_GRAD_SIN] = OP_SIN, [WEFT_GRAD_COS] = OP_COS, [WEFT_GRAD_TAN] = OP_TAN,
    [WEFT_GRAD_ASIN] = OP_ASIN, [WEFT_GRAD_ACOS] = OP_ACOS, [WEFT_GRAD_ATAN] = OP_ATAN,
    [WEFT_GRAD_SINH] = OP_SINH, [WEFT_GRAD_COSH] = OP_COSH, [WEFT_GRAD_TANH] = OP_TANH,
    [WEFT_GRAD_ASINH] = OP_ASINH, [WEFT_GRAD_ACOSH] = OP_ACOSH, [WEFT_GRAD_ATANH] = OP_ATANH,
    [WEFT_GRAD_ADD] = OP_ADD, [WEFT_GRAD_SUB] = OP_SUB, [WEFT_GRAD_MUL] = OP_MUL,
    [WEFT_GRAD_DIV] = OP_DIV, [WEFT_GRAD_POW] = OP_POW, [WEFT_GRAD_MIN] = OP_MIN,
    [WEFT_GRAD_MAX] = OP_MAX, [WEFT_GRAD_ATAN2] = OP_ATAN2, [WEFT_GRAD_EQ] = OP_EQ,
    [WEFT_GRAD_NE] = OP_NE, [WEFT_GRAD_LT] = OP_LT, [WEFT_GRAD_LE] = OP_LE,
    [WEFT_GRAD_GT] = OP_GT, [WEFT_GRAD_GE] = OP_GE, [WEFT_GRAD_SELECT] = OP_SELECT,
};

const char *weft_grad_op_name(weft_grad_op op, uint32_t *arity)
{
    if ((uint32_t)op >= WEFT_GRAD_OP_COUNT || op == WEFT_GRAD_NONE)
        return NULL;
    if (arity)
        *arity = operators[op].arity;
    return operators[op].name;
}

weft_grad_op weft_grad_op_find(const char *name)
{
    for (uint32_t op = 1; name && op < WEFT_GRAD_OP_COUNT; op++)
        if (strcmp(operators[op].name, name) == 0)
            return (weft_grad_op)op;
    return WEFT_GRAD_NONE;
}

/* ---- composed operators ---- */

typedef weft_grad_graph *G;
typedef weft_grad_node N;

static N constant(G g, double value)
{
    return weft_grad_constant(g, value);
}

static N gelu(G g, N a)
{
    N inner = weft_grad_mul(g, a, weft_grad_add(g, constant(g, 1), weft_grad_mul(g,
        constant(g, 0.044715), weft_grad_square(g, a))));
    N t = weft_grad_tanh(g, weft_grad_mul(g, constant(g, 0.79788456080286535588), inner));
    return weft_grad_mul(g, weft_grad_mul(g, constant(g, 0.5), a),
                         weft_grad_add(g, constant(g, 1), t));
}

/* max(a, 0) + log(1 + exp(-|a|)); its derivative is the sigmoid. */
static N softplus(G g, N a)
{
    N small = weft_grad_log(g, weft_grad_add(g, constant(g, 1),
        weft_grad_exp(g, weft_grad_neg(g, weft_grad_abs(g, a)))));
    N value = weft_grad_add(g, weft_grad_relu(g, a), small);
    N slope = weft_grad_sigmoid(g, a);
    return weft_grad_with_gradient(g, value, &a, &slope, 1);
}

static N sigmoid(G g, N a)
{
    N value = weft_grad_reciprocal(g, weft_grad_add(g, constant(g, 1),
        weft_grad_exp(g, weft_grad_neg(g, a))));
    N slope = weft_grad_mul(g, value, weft_grad_sub(g, constant(g, 1), value));
    return weft_grad_with_gradient(g, value, &a, &slope, 1);
}

static N mod(G g, N a, N b)
{
    N quotient = weft_grad_div(g, a, b);
    N whole = grad_make(g, OP_TRUNC, &quotient, 1, 0);
    N value = weft_grad_sub(g, a, weft_grad_mul(g, b, whole)), one = constant(g, 1);
    return weft_grad_with_gradient(g, value, &a, &one, 1);
}

static N compose_1(G g, weft_grad_op op, N a)
{
    switch (op) {
    case WEFT_GRAD_ROUND:      return weft_grad_floor(g, weft_grad_add(g, a, constant(g, 0.5)));
    case WEFT_GRAD_SQUARE:     return weft_grad_mul(g, a, a);
    case WEFT_GRAD_CUBE:       return weft_grad_mul(g, weft_grad_mul(g, a, a), a);
    case WEFT_GRAD_RECIPROCAL: return weft_grad_div(g, constant(g, 1), a);
    case WEFT_GRAD_RELU:       return weft_grad_max(g, a, constant(g, 0));
    case WEFT_GRAD_SOFTPLUS:   return softplus(g, a);
    case WEFT_GRAD_SIGMOID:    return sigmoid(g, a);
    case WEFT_GRAD_GELU:       return gelu(g, a);
    default: BUG("operator %d has no rule", (int)op);
    }
}

static N compose_2(G g, weft_grad_op op, N a, N b)
{
    switch (op) {
    case WEFT_GRAD_MOD:   return mod(g, a, b);
    case WEFT_GRAD_HYPOT: return weft_grad_vec2_length(g, (weft_grad_vec2){a, b});
    case WEFT_GRAD_LEAKY_RELU:
        return weft_grad_select(g, weft_grad_gt(g, a, constant(g, 0)), a, weft_grad_mul(g, b, a));
    default: BUG("operator %d has no rule", (int)op);
    }
}

static N compose_3(G g, weft_grad_op op, N a, N b, N c)
{
    switch (op) {
    case WEFT_GRAD_CLAMP: return weft_grad_min(g, weft_grad_max(g, a, b), c);
    case WEFT_GRAD_MIX:   return weft_grad_add(g, a, weft_grad_mul(g, weft_grad_sub(g, b, a), c));
    default: BUG("operator %d has no rule", (int)op);
    }
}

/* The sum in groups, as nodes_sum() does it. */
static N sum(G g, const N *terms, uint32_t count)
{
    if (count == 1)
        return terms[0];
    if (count == 2)
        return weft_grad_add(g, terms[0], terms[1]);
    if (count <= SUM_TERMS)
        return grad_make(g, OP_SUM, terms, count, 0);
    uint32_t groups = (count + SUM_TERMS - 1) / SUM_TERMS;
    N *parts = ARENA_ARRAY(&g->arena, N, groups);
    for (uint32_t i = 0; i < groups; i++)
        parts[i] = sum(g, terms + i * SUM_TERMS, MIN_OF(count - i * SUM_TERMS, SUM_TERMS));
    return sum(g, parts, groups);
}

static N many(G g, weft_grad_op op, const N *terms, uint32_t count)
{
    if (count == 0)
        return grad_fail(g, WEFT_ERROR_INVALID, "%s of no terms", operators[op].name);
    if (op == WEFT_GRAD_SUM)
        return grad_node(g, terms[0]) == NODE_NONE ? 0 : sum(g, terms, count);
    if (op == WEFT_GRAD_MEAN)
        return weft_grad_div(g, weft_grad_sum(g, terms, count), constant(g, count));
    N result = terms[0];
    for (uint32_t i = 1; i < count; i++)
        result = op == WEFT_GRAD_MIN_OF ? weft_grad_min(g, result, terms[i])
                                        : weft_grad_max(g, result, terms[i]);
    return result;
}

weft_grad_node weft_grad_apply(weft_grad_graph *g, weft_grad_op op, const weft_grad_node *args,
                               uint32_t count)
{
    uint32_t arity = 0;
    if (!g)
        return 0;
    if (!weft_grad_op_name(op, &arity))
        return grad_fail(g, WEFT_ERROR_INVALID, "unknown operator %d", (int)op);
    if (arity != 0 && arity != count)
        return grad_fail(g, WEFT_ERROR_INVALID, "%s takes %u arguments, not %u",
                          operators[op].name, arity, count);
    for (uint32_t i = 0; i < count; i++)
        if (grad_node(g, args[i]) == NODE_NONE)
            return 0;
    if (arity == 0)
        return many(g, op, args, count);
    if (primitives[op] != 0)
        return grad_make(g, (Op)primitives[op], args, count, 0);
    return arity == 1 ? compose_1(g, op, args[0])
         : arity == 2 ? compose_2(g, op, args[0], args[1])
                      : compose_3(g, op, args[0], args[1], args[2]);
}

#define OP(function, op, value)                                                              \
    weft_grad_node weft_grad_##function(weft_grad_graph *g, weft_grad_node a)                \
    {                                                                                        \
        return weft_grad_apply(g, WEFT_GRAD_##op, &a, 1);                                    \
    }
WEFT_GRAD_UNARY(OP)
#undef OP
#define OP(function, op, value)                                                              \
    weft_grad_node weft_grad_##function(weft_grad_graph *g, weft_grad_node a,                \
                                        weft_grad_node b)                                    \
    {                                                                                        \
        return weft_grad_apply(g, WEFT_GRAD_##op, (weft_grad_node[]){a, b}, 2);              \
    }
WEFT_GRAD_BINARY(OP)
#undef OP
#define OP(function, op, value)                                                              \
    weft_grad_node weft_grad_##function(weft_grad_graph *g, weft_grad_node a,                \
                                        weft_grad_node b, weft_grad_node c)                  \
    {                                                                                        \
        return weft_grad_apply(g, WEFT_GRAD_##op, (weft_grad_node[]){a, b, c}, 3);           \
    }
WEFT_GRAD_TERNARY(OP)
#undef OP
#define OP(function, op, value)                                                              \
    weft_grad_node weft_grad_##function(weft_grad_graph *g, const weft_grad_node *terms,     \
                                        uint32_t count)                                      \
    {                                                                                        \
        return weft_grad_apply(g, WEFT_GRAD_##op, terms, count);                             \
    }
WEFT_GRAD_NARY(OP)
#undef OP
