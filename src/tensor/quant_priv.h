// SPDX-License-Identifier: Apache-2.0
/*
 * quant_priv.h - how scales cover a quantized tensor.
 */
#ifndef WEFT_TENSOR_QUANT_PRIV_H
#define WEFT_TENSOR_QUANT_PRIV_H

#include "tensor/tensor_priv.h"

/* Scales on each axis: 1 for all of it, one for each position, or one for each of equal blocks. */
typedef struct ScaleGrid {
    uint32_t rank;
    uint64_t count[MAX_RANK];
} ScaleGrid;

/* How `v` covers `of`: one number; [n] along `axis`; or the shape of `of` with blocks on `axis`. */
bool scales_grid(ScaleGrid *out, const weft_tensor *of, const weft_tensor *v, int axis,
                 const char *what);

#endif
