// SPDX-License-Identifier: Apache-2.0
/*
 * matmul_priv.h - sizes and strides of a product of matrices, as its kernels need them.
 */
#ifndef WEFT_TENSOR_MATMUL_PRIV_H
#define WEFT_TENSOR_MATMUL_PRIV_H

#include "tensor/tensor_priv.h"

/* y[batch, m, n] = a[batch, m, k] x b[batch, k, n]; strides in elements. */
typedef struct Product {
    uint64_t batch, m, n, k;
    int64_t  a_row, a_column, b_row, b_column;
} Product;

/* Of a node [..., M, N] with inputs [..., M, K] and [..., K, N]. Batches that only continue the
 * rows of `a` are rows. */
Product     product_of(const weft_tensor *t);
/* The element where the matrix of a batch starts, as an expression of `batch`. */
const char *product_start(LibraryPlan *p, const Product *s, uint32_t input);

/* b copied to panels of `wide` columns: [batches][n / wide][k][wide], a temporary. */
typedef struct Panels {
    uint32_t temp, wide, tall;
    uint64_t batches;
} Panels;

void product_panels(Panels *out, LibraryPlan *p, const Product *s, uint64_t batches);
/* The kernel with lanes along n, on packed panels or (NULL) on columns that are side by side. */
bool product_lanes(LibraryPlan *p, const Product *s, const Panels *packed);

#endif
