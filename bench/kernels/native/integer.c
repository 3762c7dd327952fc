/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integer.c - kernels on integers.
 */
#include "native/native.h"

#include <omp.h>
#include <string.h>

#define WAYS 4                      /* equal neighbours do not wait for each other */

void native_histogram(uint32_t *bins, const uint32_t *value, size_t n)
{
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel
    {
        uint32_t own[WAYS][256] = {{0}};
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n / WAYS; i++)
            for (int w = 0; w < WAYS; w++)
                own[w][value[WAYS * i + w] & 255]++;
#pragma omp critical
        for (int b = 0; b < 256; b++)
            for (int w = 0; w < WAYS; w++)
                bins[b] += own[w][b];
    }
    for (size_t i = n / WAYS * WAYS; i < n; i++)
        bins[value[i] & 255]++;
}
