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

/* The sum of x: [n] */
float native_reduce(const float *x, size_t n);
/* y[i] = x[0] + ... + x[i]; both [n] */
void native_scan(uint32_t *y, const uint32_t *x, size_t n);
/* b = a transposed; both [n][n], n: of 16 */
void native_transpose(float *b, const float *a, size_t n);

/* ---- linear.c ---- */

/* c = a b; all [n][n]; tiled: n of 16, strip: of 4 */
void native_matmul(float *c, const float *a, const float *b, size_t n);
void native_matmul_tiled(float *c, const float *a, const float *b, size_t n);
void native_matmul_strip(float *c, const float *a, const float *b, size_t n);
bool native_has_blas(void);
void native_sgemm(float *c, const float *a, const float *b, size_t n);

/* y = a x; a: [rows][...], compressed by rows: row i is [start[i], start[i + 1]) */
void native_spmv(float *y, const uint32_t *start, const uint32_t *column,
                 const float *value, const float *x, size_t rows);
/* y = scale a x; y, scale: [rows], a: [rows][cols], x: [cols] */
void native_q8(float *y, const int8_t *a, const int8_t *x, const float *scale, size_t rows,
               size_t cols);

/* 32 numbers in 4 bits, (nibble - 8) * scale: number i is the low nibble of pair[i], number
 * 16 + i the high one. `scale` is in f16. As in GGUF files. */
#define Q4_BLOCK 32u
typedef struct Q4Block {
    uint16_t scale;
    uint8_t  pair[Q4_BLOCK / 2];
} Q4Block;

/* quant.c: y = a x; y: [tokens][rows], a: [rows][cols / 32], x: [tokens][cols] times
 * scale: [tokens][cols / 32] */
void native_q4(float *y, const Q4Block *a, const int8_t *x, const float *scale, size_t rows,
               size_t cols, size_t tokens);
/* The same by ggml, which quantises x to 8 bits itself. */
bool native_has_ggml(void);
void native_ggml_q4(float *y, const Q4Block *a, const float *x, size_t rows, size_t cols,
                    size_t tokens);

/* y = a x; a: [rows][cols] */
void native_matvec(float *y, const float *a, const float *x, size_t rows, size_t cols);
/* The shortest of the way there is and the ways through the first `steps` nodes;
 * distance: [nodes][nodes] */
void native_paths(float *distance, size_t nodes, size_t steps);

/* ---- numeric.c ---- */

/* y = rows of x with mean 0 and variance 1, times scale, plus shift; x, y: [rows][cols],
 * scale, shift: [cols] */
void native_norm(float *y, const float *x, const float *scale, const float *shift, size_t rows,
                 size_t cols);

/* y = softmax of each row of x; both [rows][cols] */
void native_softmax(float *y, const float *x, size_t rows, size_t cols);
/* accel, body: [n][4]; `scratch`: [3][n] */
void native_nbody(float *accel, const float *body, float *scratch, size_t n);
/* count: [height][width] */
void native_mandelbrot(uint32_t *count, size_t width, size_t height, uint32_t limit);

/* value: [n][2], call and put; option: [n][4], price, strike, years, volatility */
void native_options(float *value, const float *option, size_t n);

/* ---- f64.c ---- */

void native_saxpy_f64(double *z, const double *x, const double *y, double a, size_t n);
void native_matmul_f64(double *c, const double *a, const double *b, size_t n);
/* The force is 1 / (d d + 0.01) along d; `scratch`: [3][n] */
void native_nbody_f64(double *accel, const double *body, double *scratch, size_t n);
/* Of each column; x, y: [cols][rows], rows: of 64 */
void native_softmax_f64(double *y, const double *x, size_t cols, size_t rows);

/* ---- image.c ---- */

/* result, image: [height][width]; weight: [3][3]; zero around the image */
void native_conv3x3(float *result, const float *image, const float *weight, size_t width,
                    size_t height);
/* result: [height][width], rowed: [height + 8][width], image: [height + 8][width + 8] */
void native_convsep(float *result, float *rowed, const float *image, size_t width,
                    size_t height);
/* RGBA8, all [height][width]; the edges are continued */
void native_blur(uint32_t *result, uint32_t *between, const uint32_t *image, size_t width,
                 size_t height);
/* next, now: [height][width], 0 or 1, on a torus */
void native_life(uint32_t *next, const uint32_t *now, size_t width, size_t height);

/* ---- integer.c ---- */

/* bins: [256] = how often each value occurs */
void native_histogram(uint32_t *bins, const uint32_t *value, size_t n);
/* hash: [n], key: [n][4] */
void native_hash(uint32_t *hash, const uint32_t *key, size_t n);
/* Sorts key: [n] by a bitonic network; n is a power of two */
void native_sort(uint32_t *key, size_t n);

#endif
