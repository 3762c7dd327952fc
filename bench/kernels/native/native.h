/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h - the work of the kernels in plain C with OpenMP.
 *
 * Written as one would who has C, OpenMP and an optimising compiler, and an eye on
 * speed: same sizes, same types, but the algorithm that suits a CPU. Compiled with
 * -O3 -march=native -ffast-math -fopenmp.
 *
 * Outputs first, then inputs, then parameters, then sizes.
 */
#ifndef WEFT_BENCH_NATIVE_H
#define WEFT_BENCH_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void native_threads(int n);         /* that OpenMP and BLAS use                   */

/* ---- memory.c ---- */

/* z = a x + y; all [n] */
void native_saxpy(float *z, const float *x, const float *y, float a, size_t n);
/* The same, with AVX2 by hand and stores that pass the caches by. n: of 8 */
void native_saxpy_stream(float *z, const float *x, const float *y, float a, size_t n);

/* ---- linear.c ---- */

/* c = a b; all [n][n] */
void native_matmul(float *c, const float *a, const float *b, size_t n);
void native_matmul_tiled(float *c, const float *a, const float *b, size_t n);
bool native_has_blas(void);
void native_sgemm(float *c, const float *a, const float *b, size_t n);

/* ---- numeric.c ---- */

/* y = softmax of each row of x; both [rows][cols] */
void native_softmax(float *y, const float *x, size_t rows, size_t cols);
/* accel, body: [n][4]; `scratch`: [3][n] */
void native_nbody(float *accel, const float *body, float *scratch, size_t n);
/* count: [height][width] */
void native_mandelbrot(uint32_t *count, size_t width, size_t height, uint32_t limit);

/* ---- integer.c ---- */

/* bins: [256] = how often each value occurs */
void native_histogram(uint32_t *bins, const uint32_t *value, size_t n);

#endif
