/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_bench.h - the rows of bench/pool, one function each.
 */
#ifndef WEFT_BENCH_POOL_H
#define WEFT_BENCH_POOL_H

#include <weft/pool.h>

#include "harness/bench.h"

typedef struct Options {
    bool   small;                   /* tiny data, few turns: only that it works             */
    double seconds;                 /* a row                                                */
} Options;

/* One line: what, the figure with its unit, the bar, the aim, whether the bar is met. */
void row(const char *what, double figure, const char *unit, double bar, double aim,
         bool smaller_is_better);

void bench_overhead(const Options *o);
void bench_kernels(const Options *o);
void bench_stream(const Options *o);
void bench_contexts(const Options *o);
void bench_fairness(const Options *o);
void bench_choice(const Options *o);

/* The CPU device alone, not measured. */
weft_pool *cpu_pool(void);
/* Stops the program unless it ran. */
void need(bool ok, const weft_execute_report *r);
double percentile(double *values, uint32_t count, double share);    /* sorts them          */

#endif
