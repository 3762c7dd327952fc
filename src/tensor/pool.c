// SPDX-License-Identifier: Apache-2.0
/*
 * pool.c - maxima and means of windows.
 *
 * in     x[N, C, L] or x[N, C, H, W]
 * out    the last node of a small graph: padding, windows, a reduction
 * knows  weft/tensor.h alone
 */
#include "tensor/compose_priv.h"

#include <math.h>

/* With `ceil` the last window may end beyond the padding. */
static uint64_t extra(uint64_t length, const Cut *c)
{
    uint64_t span = (c->size - 1) * c->dilation + 1, all = length + c->before + c->after;
    uint64_t rest = all >= span ? (all - span) % c->step : 0;
    return rest && length + c->before > (all - span) / c->step * c->step + c->step - 1
               ? c->step - rest : 0;
}

static weft_tensor *pool_windows(Temps *t, weft_tensor *x, const Cut *cuts, uint32_t axes,
                                 double outside)
{
    x = compose_padded(t, x, cuts, 2, axes, outside);
    for (uint32_t i = 0; i < axes; i++)
        x = compose_windows(t, x, (int)i + 2, &cuts[i]);
    return x;
}

static bool pool_cuts(Cut *cuts, Cut *given, weft_tensor *x, const weft_pool2d *p)
{
    uint32_t axes = weft_tensor_rank(x) - 2;
    for (uint32_t i = 0; i < axes; i++) {
        given[i] = (Cut){p->size[i], p->stride[i] ? p->stride[i] : p->size[i],
                         p->dilation[i] ? p->dilation[i] : 1, p->pad_before[i], p->pad_after[i]};
        if (given[i].size == 0)
            return false;
        cuts[i] = given[i];
        if (p->ceil)
            cuts[i].after += extra(weft_tensor_size(x, (int)i + 2), &given[i]);
    }
    return true;
}

static weft_tensor *pooled(weft_tensor *x, const weft_pool2d *p, bool most)
{
    Temps    t = {0};
    Cut      cuts[2], given[2];
    uint32_t rank = weft_tensor_rank(x);
    if (!x)
        return NULL;
    if ((rank != 3 && rank != 4) || !p || !pool_cuts(cuts, given, x, p))
        return compose_fail(x, WEFT_ERROR_SHAPE,
                    "pooling needs x[N, C, L] or x[N, C, H, W] and windows that are not empty");
    uint32_t  axes = rank - 2;
    weft_axes last = {.count = axes, .axes = {-1, -2}};
    weft_tensor *w = pool_windows(&t, x, cuts, axes, most ? -INFINITY : 0);
    if (most)
        return compose_end(&t, compose_temp(&t, weft_tensor_max(w, &last)));
    weft_tensor *sum = compose_temp(&t, weft_tensor_sum(w, &last));
    /* How many elements of each window count. */
    uint64_t shape[MAX_RANK] = {1, 1};
    for (uint32_t i = 2; i < rank; i++)
        shape[i] = weft_tensor_size(x, (int)i);
    weft_tensor *ones =
        compose_temp(&t, weft_tensor_ones(weft_tensor_context(x), WEFT_F32, rank, shape));
    Cut rest[2] = {cuts[0], cuts[axes - 1]};
    if (p->include_padding) {
        ones = compose_padded(&t, ones, given, 2, axes, 1);
        for (uint32_t i = 0; i < axes; i++) {
            rest[i].before = 0;
            rest[i].after = cuts[i].after - given[i].after;
        }
    }
    weft_tensor *count =
        compose_temp(&t, weft_tensor_sum(pool_windows(&t, ones, rest, axes, 0), &last));
    return compose_end(&t, compose_temp(&t, weft_tensor_div(sum, count)));
}

weft_tensor *weft_tensor_max_pool(weft_tensor *x, const weft_pool2d *pool)
{
    return pooled(x, pool, true);
}

weft_tensor *weft_tensor_avg_pool(weft_tensor *x, const weft_pool2d *pool)
{
    return pooled(x, pool, false);
}

weft_tensor *weft_tensor_unfold(weft_tensor *x, const weft_pool2d *window)
{
    Temps    t = {0};
    Cut      cuts[2], given[2];
    uint32_t rank = weft_tensor_rank(x);
    if (!x)
        return NULL;
    if ((rank != 3 && rank != 4) || !window || !pool_cuts(cuts, given, x, window))
        return compose_fail(x, WEFT_ERROR_SHAPE, "unfold needs x[N, C, L] or x[N, C, H, W] and "
                                                 "windows that are not empty");
    uint32_t     axes = rank - 2;
    weft_tensor *w = pool_windows(&t, x, cuts, axes, 0);    /* [N, C, places..., window...] */
    if (!w)
        return compose_end(&t, NULL);
    uint64_t places = 1, elements = weft_tensor_size(x, 1);
    int      order[6] = {0, 1};
    for (uint32_t i = 0; i < axes; i++) {
        places *= weft_tensor_size(w, (int)(2 + i));
        elements *= cuts[i].size;
        order[2 + i] = (int)(2 + axes + i);
        order[2 + axes + i] = (int)(2 + i);
    }
    w = compose_temp(&t, weft_tensor_permute(w, order));
    uint64_t shape[] = {weft_tensor_size(x, 0), elements, places};
    return compose_end(&t, w ? compose_temp(&t, weft_tensor_reshape(w, 3, shape)) : NULL);
}
