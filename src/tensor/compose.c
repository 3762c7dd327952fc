// SPDX-License-Identifier: Apache-2.0
/*
 * compose.c - small operators that are written with others, and what such operators share.
 *
 * in     tensors
 * out    the last node of a small graph; the evaluator fuses its parts
 * knows  weft/tensor.h alone
 * not    kernels
 *
 * Errors come from the operators that are used: a NULL on the way gives NULL at the end.
 */
#include "tensor/compose_priv.h"

weft_tensor *compose_temp(Temps *t, weft_tensor *x)
{
    BUG_IF(t->count == MOST_TEMPS, "an operator has more than %u parts", MOST_TEMPS);
    t->list[t->count++] = x;
    return x;
}

weft_tensor *compose_end(Temps *t, weft_tensor *result)
{
    weft_tensor_retain(result);
    for (uint32_t i = 0; i < t->count; i++)
        weft_tensor_release(t->list[i]);
    return result;
}

weft_tensor *compose_fail(weft_tensor *x, weft_error_kind kind, const char *sentence)
{
    if (x)
        context_fail(weft_tensor_context(x), kind, "%s", sentence);
    return NULL;
}

/* ---- parts ---- */

weft_tensor *compose_scaled(Temps *t, weft_tensor *x, weft_tensor *gain, weft_tensor *bias)
{
    if (gain)
        x = compose_temp(t, weft_tensor_mul(x, gain));
    return bias ? compose_temp(t, weft_tensor_add(x, bias)) : x;
}

weft_tensor *compose_per_channel(Temps *t, weft_tensor *v, weft_tensor *x)
{
    uint64_t shape[MAX_RANK] = {weft_tensor_size(x, 1), 1, 1, 1, 1, 1, 1, 1};
    uint32_t rank = weft_tensor_rank(x);
    return v && rank >= 2 ? compose_temp(t, weft_tensor_reshape(v, rank - 1, shape)) : v;
}

weft_tensor *compose_activated(Temps *t, weft_tensor *x, weft_activation a)
{
    switch (a) {
    case WEFT_ACTIVATION_NONE: return x;
    case WEFT_ACTIVATION_RELU: return compose_temp(t, weft_tensor_relu(x));
    case WEFT_ACTIVATION_GELU: return compose_temp(t, weft_tensor_gelu(x, WEFT_GELU_ERF));
    case WEFT_ACTIVATION_GELU_TANH: return compose_temp(t, weft_tensor_gelu(x, WEFT_GELU_TANH));
    case WEFT_ACTIVATION_SILU: return compose_temp(t, weft_tensor_silu(x));
    case WEFT_ACTIVATION_SIGMOID: return compose_temp(t, weft_tensor_sigmoid(x));
    case WEFT_ACTIVATION_TANH: return compose_temp(t, weft_tensor_tanh(x));
    }
    return compose_fail(x, WEFT_ERROR_INVALID, "unknown activation");
}

weft_tensor *compose_padded(Temps *t, weft_tensor *x, const Cut *c, uint32_t first,
                            uint32_t count, double value)
{
    int64_t before[MAX_RANK] = {0}, after[MAX_RANK] = {0};
    bool    any = false;
    for (uint32_t i = 0; i < count; i++) {
        before[first + i] = (int64_t)c[i].before;
        after[first + i] = (int64_t)c[i].after;
        any |= c[i].before || c[i].after;
    }
    return any ? compose_temp(t, weft_tensor_pad(x, before, after, WEFT_PAD_CONSTANT, value)) : x;
}

weft_tensor *compose_windows(Temps *t, weft_tensor *x, int axis, const Cut *c)
{
    uint64_t span = (c->size - 1) * c->dilation + 1;
    x = compose_temp(t, weft_tensor_windows(x, axis, span, c->step));
    if (c->dilation == 1)
        return x;
    weft_range ranges[MAX_RANK] = {0};
    uint32_t   rank = weft_tensor_rank(x);
    if (!x)
        return NULL;
    ranges[rank - 1].step = (int64_t)c->dilation;
    return compose_temp(t, weft_tensor_slice(x, rank, ranges));
}

/* ---- operators ---- */

weft_tensor *weft_tensor_linear(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                weft_activation activation)
{
    Temps t = {0};
    if (!TENSOR_ARGS("linear", x, weight))
        return NULL;
    if (weft_tensor_rank(weight) != 2)
        return compose_fail(weight, WEFT_ERROR_SHAPE, "linear needs a weight of rank 2: [N, K]");
    weft_tensor *y = compose_temp(
        &t, weft_tensor_matmul(x, compose_temp(&t, weft_tensor_transpose(weight, 0, 1))));
    if (bias)
        y = compose_temp(&t, weft_tensor_add(y, bias));
    return compose_end(&t, compose_activated(&t, y, activation));
}

weft_tensor *weft_tensor_outer(weft_tensor *a, weft_tensor *b)
{
    Temps t = {0};
    if (!TENSOR_ARGS("outer", a, b))
        return NULL;
    if (weft_tensor_rank(a) != 1 || weft_tensor_rank(b) != 1)
        return compose_fail(a, WEFT_ERROR_SHAPE, "outer needs two tensors of rank 1");
    return compose_end(
        &t,
        compose_temp(&t, weft_tensor_mul(compose_temp(&t, weft_tensor_unsqueeze(a, 1)),
                                         compose_temp(&t, weft_tensor_unsqueeze(b, 0)))));
}

weft_tensor *weft_tensor_masked_fill(weft_tensor *x, weft_tensor *mask, double value)
{
    Temps t = {0};
    weft_context *ctx = TENSOR_ARGS("masked_fill", x, mask);
    weft_tensor  *v = ctx ? compose_temp(&t, weft_tensor_scalar(ctx, value)) : NULL;
    return compose_end(&t, compose_temp(&t, weft_tensor_where(mask, v, x)));
}
