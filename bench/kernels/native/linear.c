/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear.c - products of matrices and vectors.
 */
#include "native/native.h"

#include <omp.h>
#include <string.h>
#ifdef WEFT_BENCH_BLAS
#include <cblas.h>
#endif

void native_threads(int n)
{
    omp_set_num_threads(n);
#ifdef WEFT_BENCH_BLAS
    openblas_set_num_threads(n);
#endif
}

/* ---- matrix products ---- */

/* Row by row: the row of c stays in the first-level cache, b is read in order. */
void native_matmul(float *restrict c, const float *restrict a, const float *restrict b,
                   size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        float *row = c + i * n;
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < n; k++) {
            float f = a[i * n + k];
            for (size_t j = 0; j < n; j++)
                row[j] += f * b[k * n + j];
        }
    }
}

#define TILE 16

/* Tile by tile, in local arrays: what the kernel in WGSL does. n: of 16 */
void native_matmul_tiled(float *restrict c, const float *restrict a,
                         const float *restrict b, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i += TILE)
        for (size_t j = 0; j < n; j += TILE) {
            float ta[TILE][TILE], tb[TILE][TILE], sum[TILE][TILE] = {{0}};
            for (size_t t = 0; t < n; t += TILE) {
                for (size_t y = 0; y < TILE; y++)
                    for (size_t x = 0; x < TILE; x++) {
                        ta[y][x] = a[(i + y) * n + t + x];
                        tb[y][x] = b[(t + y) * n + j + x];
                    }
                for (size_t y = 0; y < TILE; y++)
                    for (size_t x = 0; x < TILE; x++)
                        for (size_t k = 0; k < TILE; k++)
                            sum[y][x] += ta[y][k] * tb[k][x];
            }
            for (size_t y = 0; y < TILE; y++)
                for (size_t x = 0; x < TILE; x++)
                    c[(i + y) * n + j + x] = sum[y][x];
        }
}

/* Two rows of c and four of b at a time: six loads and two stores for eight products.
 * n: of 4 */
void native_matmul_strip(float *restrict c, const float *restrict a,
                         const float *restrict b, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i += 2) {
        float *c0 = c + i * n, *c1 = c0 + n;
        memset(c0, 0, 2 * n * sizeof *c0);
        for (size_t k = 0; k < n; k += 4) {
            const float *p = a + i * n + k, *q = p + n;
            const float *b0 = b + k * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
            float p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
            float q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
#pragma omp simd
            for (size_t j = 0; j < n; j++) {
                c0[j] += p0 * b0[j] + p1 * b1[j] + p2 * b2[j] + p3 * b3[j];
                c1[j] += q0 * b0[j] + q1 * b1[j] + q2 * b2[j] + q3 * b3[j];
            }
        }
    }
}

#ifdef WEFT_BENCH_BLAS

bool native_has_blas(void)
{
    return true;
}

void native_sgemm(float *c, const float *a, const float *b, size_t n)
{
    int m = (int)n;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 1, a, m, b, m, 0, c, m);
}

#else

bool native_has_blas(void)
{
    return false;
}

void native_sgemm(float *c, const float *a, const float *b, size_t n)
{
    native_matmul_strip(c, a, b, n);
}

#endif

/* ---- matrices times vectors ---- */

void native_spmv(float *restrict y, const uint32_t *restrict start,
                 const uint32_t *restrict column, const float *restrict value,
                 const float *restrict x, size_t rows)
{
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rows; r++) {
        float sum = 0;
        for (uint32_t i = start[r]; i < start[r + 1]; i++)
            sum += value[i] * x[column[i]];
        y[r] = sum;
    }
}

void native_q8(float *restrict y, const int8_t *restrict a, const int8_t *restrict x,
               const float *restrict scale, size_t rows, size_t cols)
{
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rows; r++) {
        int32_t sum = 0;
        for (size_t i = 0; i < cols; i++)
            sum += (int16_t)((int16_t)a[r * cols + i] * x[i]);
        y[r] = scale[r] * (float)sum;
    }
}

void native_matvec(float *restrict y, const float *restrict a, const float *restrict x,
                   size_t rows, size_t cols)
{
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rows; r++) {
        float sum = 0;
        for (size_t i = 0; i < cols; i++)
            sum += a[r * cols + i] * x[i];
        y[r] = sum;
    }
}

/* ---- paths ---- */

void native_paths(float *distance, size_t nodes, size_t steps)
{
    for (size_t k = 0; k < steps; k++) {
        const float *from = distance + k * nodes;
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < nodes; i++) {
            float *row = distance + i * nodes, via = row[k];
#pragma omp simd
            for (size_t j = 0; j < nodes; j++)
                row[j] = via + from[j] < row[j] ? via + from[j] : row[j];
        }
    }
}
