// SPDX-License-Identifier: Apache-2.0
/*
 * elementwise_priv.h - the elementwise operators, as the writer of kernels sees them.
 */
#ifndef WEFT_TENSOR_ELEMENTWISE_PRIV_H
#define WEFT_TENSOR_ELEMENTWISE_PRIV_H

#include "tensor/tensor_priv.h"

enum {
#define UNARY(name, types, meaning) UNARY_##name,
#include <weft/tensor_ops.def>
    UNARY_COUNT
};
enum {
#define BINARY(name, types, meaning) BINARY_##name,
#include <weft/tensor_ops.def>
    BINARY_COUNT
};

/* The column `types` of tensor_ops.def. */
typedef enum TypeRule { RULE_FLOAT, RULE_NUMBER, RULE_INTEGER, RULE_TEST, RULE_LOGIC } TypeRule;

const TensorOp *elementwise_unary_op(uint32_t i);   /* NULL past the last                   */
const TensorOp *elementwise_binary_op(uint32_t i);

extern const TensorOp op_where, op_cast, op_copy, op_scalar;

/* ---- elementwise_helpers.c ---- */

/* Writes the functions that `text` calls (names that end in _f32 and so on) and those that
 * they call, each once. */
void helpers_write(Writer *w, Arena *arena, const char *text);

#endif
