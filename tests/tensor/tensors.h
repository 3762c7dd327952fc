/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensors.h - what the tests of this folder share: a context for each test, tensors from
 * numbers, and comparisons that print both sides.
 */
#ifndef WEFT_TESTS_TENSOR_TENSORS_H
#define WEFT_TESTS_TENSOR_TENSORS_H

#include <stdbool.h>
#include <stdint.h>
#include <weft/tensor.h>

#define SHAPE(...)  \
    (uint32_t)(sizeof((uint64_t[]){__VA_ARGS__}) / 8), (const uint64_t[]){__VA_ARGS__}
#define VALUES(...) (const double[]){__VA_ARGS__}
#define COUNT(...)  (sizeof((double[]){__VA_ARGS__}) / sizeof(double))

/* cmocka's setup and teardown: *state is a context inside a scope, so tests release nothing. */
int tensors_setup(void **state);
int tensors_teardown(void **state);

/* A tensor of any number type from doubles. */
weft_tensor *tensor_of(weft_context *ctx, weft_dtype dtype, uint32_t rank, const uint64_t *shape,
                       const double *values);
/* f32 start, start + 1, ... */
weft_tensor *tensor_count(weft_context *ctx, uint32_t rank, const uint64_t *shape, double start);

/* Reads any number type as doubles; fails the test on an error. To be freed. */
double *tensor_doubles(weft_tensor *t);

/* Fails unless t has these elements within `tolerance` * max(1, |value|); NaN equals NaN. */
void expect_near(weft_tensor *t, const double *want, uint64_t count, double tolerance);
#define EXPECT(t, ...) expect_near(t, VALUES(__VA_ARGS__), COUNT(__VA_ARGS__), 1e-5)
void expect_shape(const weft_tensor *t, uint32_t rank, const uint64_t *shape);
/* Both tensors have the same shape and, within the tolerance, the same elements. */
void expect_same(weft_tensor *a, weft_tensor *b, double tolerance);

/* Numbers in [0, 1) that are the same everywhere. */
double random_next(uint64_t *seed);

#endif
