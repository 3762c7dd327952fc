// SPDX-License-Identifier: Apache-2.0
/*
 * reduce_priv.h - the reductions, as the writer of kernels sees them. A reduction's node has
 * attr.i[0] = ReduceKind, attr.i[1] = mask of the reduced axes of its input.
 */
#ifndef WEFT_TENSOR_REDUCE_PRIV_H
#define WEFT_TENSOR_REDUCE_PRIV_H

typedef enum ReduceKind {
    REDUCE_SUM, REDUCE_PROD, REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL,
    REDUCE_ARGMAX, REDUCE_ARGMIN,
    REDUCE_KIND_COUNT
} ReduceKind;

#endif
