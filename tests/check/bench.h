/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - a type table and an evaluator for the tests of types and values, and
 * values from text.
 *
 *     types   bool i32 u32 f32 f16 int float (the abstract ones), vec3<f32>,
 *             mat2x3<f16>, array<i32, 4>; frexp<f32>, modf<f32>: the structures
 *             these functions return
 *     values  1i 1u 0x1p-3f 1h 1 1.5 true, vec2<f32>(1, 2), mat2x2<f32>(1, 2, 3, 4),
 *             array<int, 2>(1, 2), vec3<f32>() for zeros, modf<f32>(0.5, 1)
 */
#ifndef WEFT_TESTS_CHECK_BENCH_H
#define WEFT_TESTS_CHECK_BENCH_H

#include "support/test.h"

#include "check/fold.h"

typedef struct Bench {
    Arena       arena;
    TypeTable   types;
    Diag        diag;
    FoldContext fold;
} Bench;

void bench_init(Bench *b);
void bench_fini(Bench *b);
/* Gives back all values and types. */
void bench_reset(Bench *b);

const Type  *bench_type(Bench *b, const char *text);
const Value *bench_value(Bench *b, const char *text);

/*
 * Is `got` what `want` says: a value, or "!" and the id of the diagnostic that
 * must have been reported instead? Fails the test with `what` if not.
 */
void bench_expect(Bench *b, const char *what, const Value *got, const char *want);

#endif
