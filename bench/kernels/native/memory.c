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
