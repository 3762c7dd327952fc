// SPDX-License-Identifier: Apache-2.0
/*
 * strided_priv.h - stores into views.
 */
#ifndef WEFT_TENSOR_STRIDED_PRIV_H
#define WEFT_TENSOR_STRIDED_PRIV_H

#include "tensor/tensor_priv.h"

/* Copies the elements of `from`, evaluated, contiguous and of t's shape and type, to those of t,
 * which is evaluated and may be a view. */
bool strided_store(weft_tensor *t, weft_tensor *from);

#endif
