// SPDX-License-Identifier: Apache-2.0
/*
 * reduce.c - reductions over axes, running sums.
 *
 * in     a tensor and axes
 * out    pending tensors; mean and variance of several steps are composed of these
 * not    how a reduction is distributed over invocations (fuse_reduce.c)
 */
#include "tensor/reduce_priv.h"

#include <math.h>

#include "tensor/elementwise_priv.h"

static const TensorOp reduce_ops[REDUCE_KIND_COUNT] = {
    [REDUCE_SUM] = {.name = "sum", .kind = OP_REDUCE},
    [REDUCE_PROD] = {.name = "prod", .kind = OP_REDUCE},
    [REDUCE_MEAN] = {.name = "mean", .kind = OP_REDUCE},
    [REDUCE_MAX] = {.name = "max", .kind = OP_REDUCE},
    [REDUCE_MIN] = {.name = "min", .kind = OP_REDUCE},
    [REDUCE_ANY] = {.name = "any", .kind = OP_REDUCE},
    [REDUCE_ALL] = {.name = "all", .kind = OP_REDUCE},
    [REDUCE_ARGMAX] = {.name = "argmax", .kind = OP_REDUCE},
    [REDUCE_ARGMIN] = {.name = "argmin", .kind = OP_REDUCE},
};

/* ---- axes ---- */

typedef struct Reduced {
    uint32_t mask;
    uint32_t rank;                  /* of the result                                        */
    uint64_t shape[MAX_RANK];
    uint64_t count;                 /* elements of each reduction                           */
} Reduced;

static bool resolve_axes(Reduced *r, const weft_tensor *x, const weft_axes *axes,
                         const char *what)
{
    uint32_t k;
    *r = (Reduced){.count = 1};
    if (axes && axes->count > MAX_RANK)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s: %u axes are more than %d", what,
                            axes->count, MAX_RANK);
    for (uint32_t i = 0; axes && i < axes->count; i++) {
        if (!tensor_axis(&k, x, axes->axes[i], what))
            return false;
        if (r->mask >> k & 1)
            return context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s: axis %u appears twice", what, k);
        r->mask |= 1u << k;
    }
    if (!axes || (axes->count == 0 && !axes->none))
        r->mask = (1u << x->rank) - 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        bool reduced = r->mask >> i & 1;
        if (reduced)
            r->count *= x->shape[i];
        if (!reduced || (axes && axes->keep))
            r->shape[r->rank++] = reduced ? 1 : x->shape[i];
    }
    return true;
}

static weft_dtype sum_type(weft_dtype d)
{
    switch (d) {
    case WEFT_BOOL: case WEFT_I8: return WEFT_I32;
    case WEFT_U8: return WEFT_U32;
    default: return d;
    }
}

static weft_tensor *reduce_node(weft_tensor *x, const Reduced *r, ReduceKind kind,
                                weft_dtype dtype)
{
    return tensor_node(x->ctx, &(NodeDesc){
        .op = &reduce_ops[kind], .dtype = dtype, .rank = r->rank, .shape = r->shape,
        .inputs = &x, .input_count = 1, .attr.i = {kind, r->mask} });
}

static weft_tensor *reduce(weft_tensor *x, const weft_axes *axes, ReduceKind kind,
                           TypeRule rule);

/* Two partial results of a reduction as one. */
static weft_tensor *combine(weft_tensor *a, weft_tensor *b, ReduceKind kind)
{
    switch (kind) {
    case REDUCE_PROD: return weft_tensor_mul(a, b);
    case REDUCE_MAX:  return weft_tensor_maximum(a, b);
    case REDUCE_MIN:  return weft_tensor_minimum(a, b);
    case REDUCE_ANY:  return weft_tensor_logical_or(a, b);
    case REDUCE_ALL:  return weft_tensor_logical_and(a, b);
    default:          return weft_tensor_add(a, b);
    }
}

static weft_tensor *large_mean(weft_tensor *x, const weft_axes *axes, const Reduced *r)
{
    weft_tensor *s = reduce(x, axes, REDUCE_SUM, RULE_NUMBER);
    weft_tensor *n = s ? weft_tensor_scalar(x->ctx, (double)r->count) : NULL;
    weft_tensor *m = n ? weft_tensor_div(s, n) : NULL;
    weft_tensor_release(s);
    weft_tensor_release(n);
    return m;
}

/* Halves along the first axis with several elements, for tensors above a binding's limit. */
static weft_tensor *reduce_halves(weft_tensor *x, const Reduced *r, ReduceKind kind,
                                  TypeRule rule)
{
    weft_axes axes = {.keep = true, .none = true};
    uint32_t  k = 0;
    while (x->shape[k] == 1)
        k++;
    for (uint32_t i = 0; i < x->rank; i++)
        if (r->mask >> i & 1)
            axes.axes[axes.count++] = (int)i;
    uint64_t     half = x->shape[k] / 2;
    weft_tensor *low = weft_tensor_narrow(x, (int)k, 0, half);
    weft_tensor *high = weft_tensor_narrow(x, (int)k, half, x->shape[k] - half);
    weft_tensor *a = reduce(low, &axes, kind, rule), *b = reduce(high, &axes, kind, rule);
    weft_tensor *both = !a || !b ? NULL : r->mask >> k & 1 ? combine(a, b, kind)
                        : weft_tensor_concat((weft_tensor *const[]){a, b}, 2, (int)k);
    weft_tensor *out = both ? weft_tensor_reshape(both, r->rank, r->shape) : NULL;
    weft_tensor *const done[] = {low, high, a, b, both};
    for (size_t i = 0; i < COUNTOF(done); i++)
        weft_tensor_release(done[i]);
    return out;
}

static weft_tensor *reduce(weft_tensor *x, const weft_axes *axes, ReduceKind kind,
                           TypeRule rule)
{
    const char *what = reduce_ops[kind].name;
    Reduced     r;
    if (!TENSOR_ARGS(what, x))
        return NULL;
    weft_dtype d = (weft_dtype)x->dtype;
    if (dtype_is_block(d)) {
        context_fail(x->ctx, WEFT_ERROR_TYPE, "%s: %s must be dequantized first", what,
                     tensor_text(x));
        return NULL;
    }
    if (!resolve_axes(&r, x, axes, what))
        return NULL;
    if ((kind == REDUCE_MAX || kind == REDUCE_MIN) && r.count == 0) {
        context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s of nothing: the reduced axes of %s are empty",
                     what, tensor_text(x));
        return NULL;
    }
    if (weft_tensor_bytes(x) > x->state->binding_limit) {
        if (kind == REDUCE_MEAN)
            return large_mean(x, axes, &r);
        if (tensor_is_pending(x) && !tensor_evaluate(x->state, &x, 1))
            return NULL;
        return reduce_halves(x, &r, kind, rule);
    }
    if (rule == RULE_FLOAT && !dtype_is_float(d))
        d = WEFT_F32;
    if (kind == REDUCE_SUM || kind == REDUCE_PROD)
        d = sum_type(d);
    if (rule == RULE_LOGIC)
        d = WEFT_BOOL;
    return reduce_node(x, &r, kind, d);
}

weft_tensor *weft_tensor_sum(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_SUM, RULE_NUMBER);
}

weft_tensor *weft_tensor_prod(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_PROD, RULE_NUMBER);
}

weft_tensor *weft_tensor_mean(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_MEAN, RULE_FLOAT);
}

weft_tensor *weft_tensor_max(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_MAX, RULE_NUMBER);
}

weft_tensor *weft_tensor_min(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_MIN, RULE_NUMBER);
}

weft_tensor *weft_tensor_any(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_ANY, RULE_LOGIC);
}

weft_tensor *weft_tensor_all(weft_tensor *x, const weft_axes *axes)
{
    return reduce(x, axes, REDUCE_ALL, RULE_LOGIC);
}

/* ---- composed ---- */

static void release_all(weft_tensor *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        weft_tensor_release(list[i]);
}

/* t, which has size 1 at the reduced axes, as the caller asked for it. */
static weft_tensor *as_asked(weft_tensor *t, const Reduced *r)
{
    return weft_tensor_reshape(t, r->rank, r->shape);
}

/* m + log(sum(e^(x - m))) with the largest finite m. */
weft_tensor *weft_tensor_logsumexp(weft_tensor *x, const weft_axes *axes)
{
    Reduced   r;
    weft_axes keep = axes ? *axes : (weft_axes){.count = 0};
    if (!TENSOR_ARGS("logsumexp", x) || !resolve_axes(&r, x, axes, "logsumexp"))
        return NULL;
    if (r.count == 0) {
        weft_tensor *zero = weft_tensor_sum(x, axes), *none = weft_tensor_log(zero);
        weft_tensor_release(zero);
        return none;
    }
    keep.keep = true;
    weft_tensor *m = weft_tensor_max(x, &keep), *finite = weft_tensor_is_finite(m);
    weft_tensor *zero = weft_tensor_scalar(x->ctx, 0), *safe = weft_tensor_where(finite, m, zero);
    weft_tensor *d = weft_tensor_sub(x, safe), *e = weft_tensor_exp(d);
    weft_tensor *s = weft_tensor_sum(e, &keep), *l = weft_tensor_log(s);
    weft_tensor *both = weft_tensor_add(l, safe), *out = as_asked(both, &r);
    release_all((weft_tensor *const[]){m, finite, zero, safe, d, e, s, l, both}, 9);
    return out;
}

weft_tensor *weft_tensor_var(weft_tensor *x, const weft_axes *axes, double correction)
{
    Reduced   r;
    weft_axes keep = axes ? *axes : (weft_axes){.count = 0};
    if (!TENSOR_ARGS("var", x) || !resolve_axes(&r, x, axes, "var"))
        return NULL;
    keep.keep = true;
    double n = (double)r.count - correction;
    weft_tensor *m = weft_tensor_mean(x, &keep), *d = weft_tensor_sub(x, m);
    weft_tensor *q = weft_tensor_square(d), *s = weft_tensor_sum(q, &keep);
    weft_tensor *f = weft_tensor_scalar(x->ctx, n > 0 ? n : 0), *v = weft_tensor_div(s, f);
    weft_tensor *out = as_asked(v, &r);
    release_all((weft_tensor *const[]){m, d, q, s, f, v}, 6);
    return out;
}

weft_tensor *weft_tensor_norm(weft_tensor *x, const weft_axes *axes, double order)
{
    if (!TENSOR_ARGS("norm", x))
        return NULL;
    weft_tensor *f = dtype_is_float((weft_dtype)x->dtype) ? weft_tensor_retain(x)
                                                          : weft_tensor_cast(x, WEFT_F32);
    weft_tensor *a = NULL, *s = NULL, *out = NULL;
    if (order == 1 || order == (double)INFINITY) {
        a = weft_tensor_abs(f);
        out = order == 1 ? weft_tensor_sum(a, axes) : weft_tensor_max(a, axes);
    } else if (order == 2) {
        a = weft_tensor_square(f);
        s = weft_tensor_sum(a, axes);
        out = weft_tensor_sqrt(s);
    } else {
        context_fail(x->ctx, WEFT_ERROR_INVALID,
                     "norm: order %g is not supported: expected 1, 2 or INFINITY", order);
    }
    release_all((weft_tensor *const[]){f, a, s}, 3);
    return out;
}

/* ---- positions ---- */

static weft_tensor *arg_reduce(weft_tensor *x, int axis, bool keep, ReduceKind kind)
{
    const char *what = reduce_ops[kind].name;
    Reduced     r;
    uint32_t    k;
    if (!TENSOR_ARGS(what, x) || !tensor_axis(&k, x, axis, what)
        || !resolve_axes(&r, x, &(weft_axes){.count = 1, .axes = {axis}, .keep = keep}, what))
        return NULL;
    if (dtype_is_block((weft_dtype)x->dtype) || x->shape[k] == 0 || x->shape[k] > INT32_MAX) {
        context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s: axis %u of %s has no positions for i32", what,
                     k, tensor_text(x));
        return NULL;
    }
    return reduce_node(x, &r, kind, WEFT_I32);
}

weft_tensor *weft_tensor_argmax(weft_tensor *x, int axis, bool keep)
{
    return arg_reduce(x, axis, keep, REDUCE_ARGMAX);
}

weft_tensor *weft_tensor_argmin(weft_tensor *x, int axis, bool keep)
{
    return arg_reduce(x, axis, keep, REDUCE_ARGMIN);
}
