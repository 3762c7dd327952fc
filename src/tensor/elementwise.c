// SPDX-License-Identifier: Apache-2.0
/*
 * elementwise.c - operators whose result depends on one position of each operand.
 *
 * in     tensors that broadcast
 * out    pending tensors; the WGSL expression of each operator for each type
 * knows  types and promotion
 * not    memory, kernels: the expressions are put together by fusion (group.c, fuse.c)
 */
#include "tensor/elementwise_priv.h"

#include <math.h>

/*
 * $a $b $c operands, $p $q attributes, $T the type. Names that end in _$T are functions of
 * elementwise_helpers.c. A missing column means that the type is not allowed: what types a row
 * of tensor_ops.def has decides which operands get here.
 *
 *   name           cost  floats                          i32                u32          bool
 */
static const TensorOp unary_ops[] = {
#define OP(name_, cost_, f_, i_, u_, b_)                                                     \
    [UNARY_##name_] = {.name = #name_, .cost = cost_, .f = f_, .i = i_, .u = u_, .b = b_}
    OP(neg,          1, "-$a",                      "-$a",            "0u - $a",   NULL),
    OP(abs,          1, "abs($a)",                  "abs($a)",        "$a",        NULL),
    OP(sign,         1, "sign_$T($a)",              "sign($a)",       "min($a, 1u)", NULL),
    OP(exp,          8, "exp($a)",                  NULL,             NULL,        NULL),
    OP(expm1,       16, "expm1_$T($a)",             NULL,             NULL,        NULL),
    OP(log,          8, "log($a)",                  NULL,             NULL,        NULL),
    OP(log1p,       16, "log1p_$T($a)",             NULL,             NULL,        NULL),
    OP(log2,         8, "log2($a)",                 NULL,             NULL,        NULL),
    OP(sqrt,         4, "sqrt($a)",                 NULL,             NULL,        NULL),
    OP(rsqrt,        4, "inverseSqrt($a)",          NULL,             NULL,        NULL),
    OP(reciprocal,   2, "1.0 / $a",                 NULL,             NULL,        NULL),
    OP(square,       1, "$a * $a",                  "$a * $a",        "$a * $a",   NULL),
    OP(sin,          8, "sin($a)",                  NULL,             NULL,        NULL),
    OP(cos,          8, "cos($a)",                  NULL,             NULL,        NULL),
    OP(tan,          8, "tan($a)",                  NULL,             NULL,        NULL),
    OP(asin,         8, "asin($a)",                 NULL,             NULL,        NULL),
    OP(acos,         8, "acos($a)",                 NULL,             NULL,        NULL),
    OP(atan,         8, "atan($a)",                 NULL,             NULL,        NULL),
    OP(sinh,         8, "sinh_$T($a)",              NULL,             NULL,        NULL),
    OP(cosh,         8, "cosh($a)",                 NULL,             NULL,        NULL),
    OP(tanh,         8, "tanh_$T($a)",              NULL,             NULL,        NULL),
    OP(asinh,       16, "asinh_$T($a)",             NULL,             NULL,        NULL),
    OP(acosh,       16, "acosh_$T($a)",             NULL,             NULL,        NULL),
    OP(atanh,       16, "atanh_$T($a)",             NULL,             NULL,        NULL),
    OP(erf,          8, "erf_$T($a)",               NULL,             NULL,        NULL),
    OP(floor,        1, "floor($a)",                NULL,             NULL,        NULL),
    OP(ceil,         1, "ceil($a)",                 NULL,             NULL,        NULL),
    OP(round,        1, "round($a)",                NULL,             NULL,        NULL),
    OP(trunc,        1, "trunc($a)",                NULL,             NULL,        NULL),
    OP(relu,         1, "select($a, 0.0, $a < 0.0)", "max($a, 0)",    "$a",        NULL),
    OP(silu,         8, "$a / (1.0 + exp(-$a))",    NULL,             NULL,        NULL),
    OP(sigmoid,      8, "1.0 / (1.0 + exp(-$a))",   NULL,             NULL,        NULL),
    OP(softplus,    16, "softplus_$T($a)",          NULL,             NULL,        NULL),
    OP(hard_swish,   2, "$a * clip_$T($a / 6.0 + 0.5, 0.0, 1.0)", NULL, NULL,      NULL),
    OP(hard_sigmoid, 2, "clip_$T($a / 6.0 + 0.5, 0.0, 1.0)", NULL,    NULL,        NULL),
    OP(mish,        24, "$a * tanh_$T(softplus_$T($a))", NULL,        NULL,        NULL),
    OP(softsign,     2, "$a / (1.0 + abs($a))",     NULL,             NULL,        NULL),
    OP(bit_not,      1, NULL,                       "~$a",            "~$a",       NULL),
    OP(logical_not,  1, NULL,                       NULL,             NULL,        "!$a"),
    OP(is_nan,       1, "is_nan_$T($a)",            "false",          "false",     "false"),
    OP(is_inf,       1, "is_inf_$T($a)",            "false",          "false",     "false"),
    OP(is_finite,    1, "is_finite_$T($a)",         "true",           "true",      "true"),
#undef OP
};

static const TensorOp binary_ops[] = {
#define OP(name_, cost_, f_, i_, u_, b_)                                                     \
    [BINARY_##name_] = {.name = #name_, .cost = cost_, .f = f_, .i = i_, .u = u_, .b = b_}
    OP(add,           1, "$a + $b",             "$a + $b",            "$a + $b",           NULL),
    OP(sub,           1, "$a - $b",             "$a - $b",            "$a - $b",           NULL),
    OP(mul,           1, "$a * $b",             "$a * $b",            "$a * $b",           NULL),
    OP(div,           2, "$a / $b",             NULL,                 NULL,                NULL),
    OP(floor_div,     4, "floor($a / $b)",      "floor_div_i32($a, $b)", "$a / $b",        NULL),
    OP(remainder,     4, "remainder_$T($a, $b)", "remainder_i32($a, $b)", "$a % $b",       NULL),
    OP(fmod,          4, "fmod_$T($a, $b)",     "$a % $b",            "$a % $b",           NULL),
    OP(pow,          16, "pow_$T($a, $b)",      "pow_i32($a, $b)",    "pow_u32($a, $b)",   NULL),
    OP(maximum,       1, "max_$T($a, $b)",      "max($a, $b)",        "max($a, $b)",       NULL),
    OP(minimum,       1, "min_$T($a, $b)",      "min($a, $b)",        "min($a, $b)",       NULL),
    OP(atan2,         8, "atan2($a, $b)",       NULL,                 NULL,                NULL),
    OP(hypot,         4, "hypot_$T($a, $b)",    NULL,                 NULL,                NULL),
    OP(copysign,      1, "copysign_$T($a, $b)", NULL,                 NULL,                NULL),
    OP(bit_and,       1, NULL,                  "$a & $b",            "$a & $b",           NULL),
    OP(bit_or,        1, NULL,                  "$a | $b",            "$a | $b",           NULL),
    OP(bit_xor,       1, NULL,                  "$a ^ $b",            "$a ^ $b",           NULL),
    OP(shl,           1, NULL, "select(0, $a << (u32($b) & 31u), u32($b) < 32u)",
                               "select(0u, $a << ($b & 31u), $b < 32u)",                   NULL),
    OP(shr,           1, NULL, "$a >> min(u32($b), 31u)", "$a >> min($b, 31u)",            NULL),
    OP(equal,         1, "$a == $b",            "$a == $b",           "$a == $b",    "$a == $b"),
    OP(not_equal,     1, "$a != $b",            "$a != $b",           "$a != $b",    "$a != $b"),
    OP(less,          1, "$a < $b",             "$a < $b",            "$a < $b",     "!$a && $b"),
    OP(less_equal,    1, "$a <= $b",            "$a <= $b",           "$a <= $b",    "!$a || $b"),
    OP(greater,       1, "$a > $b",             "$a > $b",            "$a > $b",     "$a && !$b"),
    OP(greater_equal, 1, "$a >= $b",            "$a >= $b",           "$a >= $b",    "$a || !$b"),
    OP(logical_and,   1, NULL,                  NULL,                 NULL,          "$a && $b"),
    OP(logical_or,    1, NULL,                  NULL,                 NULL,          "$a || $b"),
    OP(logical_xor,   1, NULL,                  NULL,                 NULL,          "$a != $b"),
#undef OP
};

_Static_assert(COUNTOF(unary_ops) == UNARY_COUNT, "a unary operator has no expression");
_Static_assert(COUNTOF(binary_ops) == BINARY_COUNT, "a binary operator has no expression");

static const TensorOp op_gelu_erf = {.name = "gelu", .cost = 8,
    .f = "0.5 * $a * (1.0 + erf_$T($a * 0.70710678118654752))"};
static const TensorOp op_gelu_tanh = {.name = "gelu_tanh", .cost = 8,
    .f = "0.5 * $a * (1.0 + tanh_$T(0.79788456080286536 * ($a + 0.044715 * $a * $a * $a)))"};
static const TensorOp op_leaky_relu = {.name = "leaky_relu", .cost = 1,
    .f = "select($a, $p * $a, $a < 0.0)"};
static const TensorOp op_elu = {.name = "elu", .cost = 16,
    .f = "select($a, $p * expm1_$T($a), $a < 0.0)"};
static const TensorOp op_clip = {.name = "clip", .cost = 1, .f = "clip_$T($a, $p, $q)",
    .i = "clamp($a, $p, $q)", .u = "clamp($a, $p, $q)"};
const TensorOp op_where = {.name = "where", .cost = 1, .f = "select($b, $a, $c)",
    .i = "select($b, $a, $c)", .u = "select($b, $a, $c)", .b = "select($b, $a, $c)"};
const TensorOp op_cast = {.name = "cast", .cost = 1, .f = "$a", .i = "$a", .u = "$a", .b = "$a"};
const TensorOp op_copy = {.name = "copy", .cost = 1, .f = "$a", .i = "$a", .u = "$a", .b = "$a"};
const TensorOp op_scalar = {.name = "scalar"};

const TensorOp *elementwise_unary_op(uint32_t i)
{
    return i < UNARY_COUNT ? &unary_ops[i] : NULL;
}

const TensorOp *elementwise_binary_op(uint32_t i)
{
    return i < BINARY_COUNT ? &binary_ops[i] : NULL;
}

/* ---- types ---- */

/* The operand type and the result type for operands of the (promoted) type d. False with the
 * error set. */
static bool resolve_types(weft_dtype *arg, weft_dtype *out, weft_context *ctx,
                          const TensorOp *op, TypeRule rule, weft_dtype d)
{
    if (dtype_is_block(d))
        return context_fail(ctx, WEFT_ERROR_TYPE, "%s: operands of type %s must be dequantized "
                            "first", op->name, weft_dtype_name(d));
    if (rule == RULE_FLOAT && !dtype_is_float(d))
        d = WEFT_F32;
    if ((rule == RULE_NUMBER || rule == RULE_INTEGER) && d == WEFT_BOOL)
        d = WEFT_I32;
    if (rule == RULE_INTEGER && !dtype_is_integer(d))
        return context_fail(ctx, WEFT_ERROR_TYPE, "%s takes integers, not %s", op->name,
                            weft_dtype_name(d));
    *arg = rule == RULE_LOGIC ? WEFT_BOOL : d;
    *out = rule == RULE_LOGIC || rule == RULE_TEST ? WEFT_BOOL : d;
    return true;
}

static weft_tensor *unary_node(weft_tensor *x, const TensorOp *op, TypeRule rule, OpAttr attr)
{
    weft_dtype arg, out;
    if (!TENSOR_ARGS(op->name, x)
        || !resolve_types(&arg, &out, x->ctx, op, rule, (weft_dtype)x->dtype))
        return NULL;
    weft_tensor *t = tensor_node(x->ctx, &(NodeDesc){
        .op = op, .dtype = out, .arg_dtype = arg, .rank = x->rank, .shape = x->shape,
        .inputs = &x, .input_count = 1, .attr = attr });
    if (t && x->weak && rule != RULE_TEST && rule != RULE_LOGIC)
        t->weak = false;
    return t;
}

static bool broadcast_pair(uint32_t *rank, uint64_t *shape, const char *what,
                           const weft_tensor *a, const weft_tensor *b)
{
    if (shape_broadcast(rank, shape, a->rank, a->shape, b->rank, b->shape))
        return true;
    return context_fail(a->ctx, WEFT_ERROR_SHAPE, "%s: the shapes %s and %s do not broadcast",
                        what, shape_text(a->rank, a->shape), shape_text(b->rank, b->shape));
}

static weft_tensor *binary_node(weft_tensor *a, weft_tensor *b, const TensorOp *op,
                                TypeRule rule)
{
    weft_dtype arg, out;
    uint32_t   rank;
    uint64_t   shape[MAX_RANK];
    if (!TENSOR_ARGS(op->name, a, b)
        || !resolve_types(&arg, &out, a->ctx, op, rule, tensor_promote(a, b))
        || !broadcast_pair(&rank, shape, op->name, a, b))
        return NULL;
    return tensor_node(a->ctx, &(NodeDesc){
        .op = op, .dtype = out, .arg_dtype = arg, .rank = rank, .shape = shape,
        .inputs = (weft_tensor *const[]){a, b}, .input_count = 2 });
}

/* ---- public ---- */

#define UNARY(name, types, meaning)                                                          \
    weft_tensor *weft_tensor_##name(weft_tensor *x)                                          \
    {                                                                                        \
        return unary_node(x, &unary_ops[UNARY_##name], RULE_##types, (OpAttr){{0}, {0}});    \
    }
#define BINARY(name, types, meaning)                                                         \
    weft_tensor *weft_tensor_##name(weft_tensor *a, weft_tensor *b)                          \
    {                                                                                        \
        return binary_node(a, b, &binary_ops[BINARY_##name], RULE_##types);                  \
    }
#include <weft/tensor_ops.def>

weft_tensor *weft_tensor_gelu(weft_tensor *x, weft_gelu form)
{
    const TensorOp *op = form == WEFT_GELU_TANH ? &op_gelu_tanh : &op_gelu_erf;
    return unary_node(x, op, RULE_FLOAT, (OpAttr){{0}, {0}});
}

weft_tensor *weft_tensor_leaky_relu(weft_tensor *x, double slope)
{
    return unary_node(x, &op_leaky_relu, RULE_FLOAT, (OpAttr){{slope}, {0}});
}

weft_tensor *weft_tensor_elu(weft_tensor *x, double alpha)
{
    return unary_node(x, &op_elu, RULE_FLOAT, (OpAttr){{alpha}, {0}});
}

weft_tensor *weft_tensor_clip(weft_tensor *x, double low, double high)
{
    if (x && (isnan(low) || isnan(high))) {
        context_fail(weft_tensor_context(x), WEFT_ERROR_INVALID, "clip: a limit is NaN");
        return NULL;
    }
    return unary_node(x, &op_clip, RULE_NUMBER, (OpAttr){{low, high}, {0}});
}

weft_tensor *weft_tensor_where(weft_tensor *condition, weft_tensor *a, weft_tensor *b)
{
    uint32_t rank;
    uint64_t shape[MAX_RANK];
    if (!TENSOR_ARGS("where", condition, a, b)
        || !broadcast_pair(&rank, shape, "where", a, b))
        return NULL;
    weft_dtype d = tensor_promote(a, b);
    if (dtype_is_block(d) || dtype_is_block((weft_dtype)condition->dtype)) {
        context_fail(a->ctx, WEFT_ERROR_TYPE, "where: quantised operands must be dequantized "
                     "first");
        return NULL;
    }
    if (!shape_broadcast(&rank, shape, condition->rank, condition->shape, rank, shape)) {
        context_fail(a->ctx, WEFT_ERROR_SHAPE, "where: the shapes %s and %s do not broadcast",
                     shape_text(condition->rank, condition->shape), shape_text(rank, shape));
        return NULL;
    }
    return tensor_node(a->ctx, &(NodeDesc){
        .op = &op_where, .dtype = d, .rank = rank, .shape = shape,
        .inputs = (weft_tensor *const[]){a, b, condition}, .input_count = 3 });
}

weft_tensor *weft_tensor_cast(weft_tensor *x, weft_dtype dtype)
{
    if (!TENSOR_ARGS("cast", x))
        return NULL;
    if (!weft_dtype_name(dtype) || dtype_is_block(dtype) || dtype_is_block((weft_dtype)x->dtype)) {
        context_fail(x->ctx, WEFT_ERROR_TYPE, "cast: from %s to %s; quantised types need "
                     "weft_tensor_quantize or _dequantize", weft_dtype_name((weft_dtype)x->dtype),
                     weft_dtype_name(dtype) ? weft_dtype_name(dtype) : "an unknown type");
        return NULL;
    }
    return tensor_node(x->ctx, &(NodeDesc){
        .op = &op_cast, .dtype = dtype, .rank = x->rank, .shape = x->shape, .inputs = &x,
        .input_count = 1 });
}

weft_tensor *weft_tensor_copy(weft_tensor *t)
{
    if (!TENSOR_ARGS("copy", t))
        return NULL;
    if (dtype_is_block((weft_dtype)t->dtype)) {
        context_fail(t->ctx, WEFT_ERROR_TYPE, "copy: %s is quantised", tensor_text(t));
        return NULL;
    }
    return tensor_node(t->ctx, &(NodeDesc){
        .op = &op_copy, .dtype = (weft_dtype)t->dtype, .rank = t->rank, .shape = t->shape,
        .inputs = &t, .input_count = 1 });
}

weft_tensor *weft_tensor_contiguous(weft_tensor *t)
{
    if (!TENSOR_ARGS("contiguous", t))
        return NULL;
    return tensor_is_contiguous(t) ? weft_tensor_retain(t) : weft_tensor_copy(t);
}

static weft_tensor *with_scalar(weft_tensor *x, double value,
                                weft_tensor *(*op)(weft_tensor *, weft_tensor *))
{
    weft_tensor *s = x ? weft_tensor_scalar(weft_tensor_context(x), value) : NULL;
    weft_tensor *t = s ? op(x, s) : NULL;
    weft_tensor_release(s);
    return t;
}

weft_tensor *weft_tensor_add_scalar(weft_tensor *x, double value)
{
    return with_scalar(x, value, weft_tensor_add);
}

weft_tensor *weft_tensor_mul_scalar(weft_tensor *x, double value)
{
    return with_scalar(x, value, weft_tensor_mul);
}
