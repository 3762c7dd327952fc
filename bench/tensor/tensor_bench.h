// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_bench.h - what the files of bench/tensor share.
 */
#ifndef TENSOR_BENCH_H
#define TENSOR_BENCH_H

#include <stdbool.h>
#include <weft/context.h>

/* Milliseconds of the clock that is asked for. */
double bench_now(void);

/* Prints its rows; false after a message. */
bool bench_encoder(weft_context *ctx, bool is_small);

#endif
