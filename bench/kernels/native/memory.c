/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - kernels that the memory limits.
 */
#include "native/native.h"

#include <omp.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

void native_saxpy(float *restrict z, const float *restrict x, const float *restrict y,
                  float a, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        z[i] = a * x[i] + y[i];
}

#ifdef __AVX2__

void native_saxpy_stream(float *z, const float *x, const float *y, float a, size_t n)
{
    __m256 factor = _mm256_set1_ps(a);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i += 16) {
        __m256 p = _mm256_fmadd_ps(factor, _mm256_load_ps(x + i), _mm256_load_ps(y + i));
        __m256 q = _mm256_fmadd_ps(factor, _mm256_load_ps(x + i + 8),
                                   _mm256_load_ps(y + i + 8));
        _mm256_stream_ps(z + i, p);
        _mm256_stream_ps(z + i + 8, q);
    }
    _mm_sfence();
}

#else

void native_saxpy_stream(float *z, const float *x, const float *y, float a, size_t n)
{
    native_saxpy(z, x, y, a, n);
}

#endif

float native_reduce(const float *x, size_t n)
{
    float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

#define MAX_THREADS 1024

/* Each thread sums its share, then knows what came before it, then writes. */
void native_scan(uint32_t *restrict y, const uint32_t *restrict x, size_t n)
{
    uint32_t share[MAX_THREADS + 1] = {0};
#pragma omp parallel
    {
        size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
        size_t first = n * me / all, last = n * (me + 1) / all;
        uint32_t sum = 0;
        for (size_t i = first; i < last; i++)
            sum += x[i];
        share[me + 1] = sum;
#pragma omp barrier
        sum = 0;
        for (size_t t = 0; t <= me; t++)
            sum += share[t];
        for (size_t i = first; i < last; i++)
            y[i] = sum += x[i];
    }
}

#define TILE 8

void native_transpose(float *restrict b, const float *restrict a, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < n; y += TILE)
        for (size_t x = 0; x < n; x += TILE)
            for (size_t i = 0; i < TILE; i++)
                for (size_t j = 0; j < TILE; j++)
                    b[(y + i) * n + x + j] = a[(x + j) * n + y + i];
}
