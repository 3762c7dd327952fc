/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.h - the list of benchmarks.
 */
#ifndef WEFT_BENCH_KERNELS_H
#define WEFT_BENCH_KERNELS_H

#include "harness/bench.h"

#define BENCH(name) extern const Bench bench_##name;
#include "kernels/kernels.def"
#undef BENCH

#endif
