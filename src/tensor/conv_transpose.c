// SPDX-License-Identifier: Apache-2.0
/*
 * conv_transpose.c - the convolution that undoes the shape of another one.
 *
 * in     x[N, C, H, W], weight[C, O / groups, KH, KW]
 * out    a convolution of x with zeros between its elements and the weights turned around
 * knows  weft/tensor.h alone
 */
#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

static uint64_t or_one(uint32_t n)
{
    return n ? n : 1;
}

/* x with step - 1 zeros between the elements of the last two axes: ends with step - 1 zeros. */
static weft_tensor *spread(Temps *t, weft_tensor *x, const uint64_t step[2])
{
    const uint64_t *s = x->shape;
    uint64_t split[] = {s[0], s[1], s[2], 1, s[3], 1}, joined[] = {s[0], s[1], s[2] * step[0],
                                                                   s[3] * step[1]};
    int64_t  before[6] = {0}, after[6] = {0, 0, 0, (int64_t)step[0] - 1, 0, (int64_t)step[1] - 1};
    if (step[0] == 1 && step[1] == 1)
        return x;
    x = compose_temp(t, weft_tensor_reshape(x, 6, split));
    x = compose_temp(t, weft_tensor_pad(x, before, after, WEFT_PAD_CONSTANT, 0));
    return compose_temp(t, weft_tensor_reshape(x, 4, joined));
}

/* weight[C, O / g, K...] as [O, C / g, K...], each window turned around. */
static weft_tensor *turned(Temps *t, weft_tensor *w, uint64_t groups)
{
    const uint64_t *s = w->shape;
    uint64_t split[] = {groups, s[0] / groups, s[1], s[2], s[3]};
    uint64_t joined[] = {groups * s[1], s[0] / groups, s[2], s[3]};
    w = compose_temp(t, weft_tensor_reshape(w, 5, split));
    w = compose_temp(t, weft_tensor_transpose(w, 1, 2));
    w = compose_temp(t, weft_tensor_flip(w, 3));
    w = compose_temp(t, weft_tensor_flip(w, 4));
    return compose_temp(t, weft_tensor_reshape(w, 4, joined));
}

static bool fits(const weft_tensor *x, const weft_tensor *w, const weft_conv *c, uint64_t groups)
{
    const uint64_t most = UINT64_C(1) << 30;
    bool ok = x->shape[1] == w->shape[0] && w->shape[0] % groups == 0;
    for (uint32_t i = 0; i < 2 && ok; i++) {
        uint64_t reach = (w->shape[2 + i] - 1) * or_one(c->dilation[i]);
        ok = w->shape[2 + i] > 0 && w->shape[2 + i] < most && c->dilation[i] < most
             && c->stride[i] < most && x->shape[2 + i] < most && reach < most
             && c->output_pad[i] < most && c->pad_before[i] < most && c->pad_after[i] < most
             && x->shape[2 + i] > 0
             && (x->shape[2 + i] - 1) * or_one(c->stride[i]) + reach + 1 + c->output_pad[i]
                    > (uint64_t)c->pad_before[i] + c->pad_after[i];
    }
    return ok || context_fail(x->ctx, WEFT_ERROR_SHAPE, "conv_transpose: x[N, C, ...] %s and "
                              "weight[C, O / groups, ...] %s with %llu groups do not fit, or "
                              "nothing is left", tensor_text(x), tensor_text(w),
                              (unsigned long long)groups);
}

static weft_tensor *transposed(Temps *t, weft_tensor *x, weft_tensor *w, const weft_conv *c)
{
    uint64_t groups = or_one(c->groups), step[2] = {or_one(c->stride[0]), or_one(c->stride[1])};
    int64_t  before[4] = {0}, after[4] = {0};
    if (!fits(x, w, c, groups))
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        int64_t reach = (int64_t)((w->shape[2 + i] - 1) * or_one(c->dilation[i]));
        before[2 + i] = reach - c->pad_before[i];
        after[2 + i] = reach - c->pad_after[i] + c->output_pad[i] - (int64_t)(step[i] - 1);
    }
    x = spread(t, x, step);
    x = x ? compose_temp(t, weft_tensor_pad(x, before, after, WEFT_PAD_CONSTANT, 0)) : NULL;
    w = turned(t, w, groups);
    if (!x || !w)
        return NULL;
    return compose_temp(t, weft_tensor_conv2d(x, w, NULL, &(weft_conv){
        .dilation = {c->dilation[0], c->dilation[1]}, .groups = (uint32_t)groups }));
}

weft_tensor *weft_tensor_conv_transpose(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                        const weft_conv *conv)
{
    Temps         t = {0};
    weft_conv     c = conv ? *conv : (weft_conv){.groups = 1};
    weft_context *ctx = TENSOR_ARGS("conv_transpose", x, weight);
    if (!ctx)
        return NULL;
    uint32_t rank = x->rank;
    if ((rank != 3 && rank != 4) || weight->rank != rank || dtype_is_block((weft_dtype)x->dtype)
        || dtype_is_block((weft_dtype)weight->dtype)) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "conv_transpose needs x[N, C, L] or x[N, C, H, W] and "
                     "weights of that rank, not %s and %s", tensor_text(x), tensor_text(weight));
        return NULL;
    }
    if (rank == 3) {
        c = (weft_conv){.stride = {1, c.stride[0]}, .dilation = {1, c.dilation[0]},
                        .groups = c.groups, .pad_before = {0, c.pad_before[0]},
                        .pad_after = {0, c.pad_after[0]}, .output_pad = {0, c.output_pad[0]},
                        .activation = c.activation};
        x = compose_temp(&t, weft_tensor_unsqueeze(x, 2));
        weight = compose_temp(&t, weft_tensor_unsqueeze(weight, 2));
    }
    weft_tensor *y = x && weight ? transposed(&t, x, weight, &c) : NULL;
    if (y && rank == 3)
        y = compose_temp(&t, weft_tensor_squeeze(y, 2));
    if (y && bias)
        y = compose_temp(&t, weft_tensor_add(y, compose_per_channel(&t, bias, y)));
    return compose_end(&t, y ? compose_activated(&t, y, c.activation) : NULL);
}
