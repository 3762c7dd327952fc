// SPDX-License-Identifier: Apache-2.0
/*
 * compose_priv.h - what operators that are written with others share: tensors on the way, and
 * parts that several of them have.
 */
#ifndef WEFT_TENSOR_COMPOSE_PRIV_H
#define WEFT_TENSOR_COMPOSE_PRIV_H

#include "tensor/tensor.h"

#define MOST_TEMPS 48u

/* Tensors on the way, released together. */
typedef struct Temps {
    weft_tensor *list[MOST_TEMPS];
    uint32_t     count;
} Temps;

/* x, to be released by compose_end(). */
weft_tensor *compose_temp(Temps *t, weft_tensor *x);
/* The result with a reference for the caller; everything else is released. */
weft_tensor *compose_end(Temps *t, weft_tensor *result);
/* NULL, with an error in the context of x unless x is NULL. */
weft_tensor *compose_fail(weft_tensor *x, weft_error_kind kind, const char *sentence);

weft_tensor *compose_activated(Temps *t, weft_tensor *x, weft_activation a);
/* [C] as [C, 1, ...] for x[N, C, ...]; NULL stays NULL. */
weft_tensor *compose_per_channel(Temps *t, weft_tensor *v, weft_tensor *x);
/* x * gain + bias, either of which may be NULL. */
weft_tensor *compose_scaled(Temps *t, weft_tensor *x, weft_tensor *gain, weft_tensor *bias);

/* How one axis of windows is cut. */
typedef struct Cut {
    uint64_t size, step, dilation, before, after;
} Cut;

/* Pads `count` axes from `first` on by `before` and `after`. */
weft_tensor *compose_padded(Temps *t, weft_tensor *x, const Cut *c, uint32_t first, uint32_t count,
                            double value);
/* Adds a last axis with the elements of each window of `axis`. */
weft_tensor *compose_windows(Temps *t, weft_tensor *x, int axis, const Cut *c);

#endif
