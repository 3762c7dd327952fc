/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.c - kernels on images and grids.
 */
#include "native/native.h"

#include <omp.h>
#include <string.h>

/* ---- convolutions ---- */

/* One row of the result from the rows above, at and below; `zero` stands for rows that
 * are not there. */
static void conv3x3_row(float *restrict to, const float *restrict a, const float *restrict b,
                        const float *restrict c, const float *restrict w, size_t width)
{
    for (size_t x = 1; x + 1 < width; x++)
        to[x] = w[0] * a[x - 1] + w[1] * a[x] + w[2] * a[x + 1]
              + w[3] * b[x - 1] + w[4] * b[x] + w[5] * b[x + 1]
              + w[6] * c[x - 1] + w[7] * c[x] + w[8] * c[x + 1];
    size_t e = width - 1;
    to[0] = w[1] * a[0] + w[2] * a[1] + w[4] * b[0] + w[5] * b[1] + w[7] * c[0] + w[8] * c[1];
    to[e] = w[0] * a[e - 1] + w[1] * a[e] + w[3] * b[e - 1] + w[4] * b[e] + w[6] * c[e - 1]
          + w[7] * c[e];
}

#define MAX_WIDTH 8192

void native_conv3x3(float *result, const float *image, const float *weight, size_t width,
                    size_t height)
{
    static const float zero[MAX_WIDTH];
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < height; y++) {
        const float *at = image + y * width;
        conv3x3_row(result + y * width, y ? at - width : zero, at,
                    y + 1 < height ? at + width : zero, weight, width);
    }
}

#define TAPS 9

static const float taps[TAPS] = {0.02f, 0.06f, 0.12f, 0.18f, 0.24f, 0.18f, 0.12f, 0.06f, 0.02f};

void native_convsep(float *restrict result, float *restrict rowed,
                    const float *restrict image, size_t width, size_t height)
{
    size_t pitch = width + TAPS - 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t y = 0; y < height + TAPS - 1; y++)
            for (size_t x = 0; x < width; x++) {
                const float *from = image + y * pitch + x;
                float sum = 0;
                for (int k = 0; k < TAPS; k++)
                    sum += taps[k] * from[k];
                rowed[y * width + x] = sum;
            }
#pragma omp for schedule(static)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                const float *from = rowed + y * width + x;
                float sum = 0;
                for (size_t k = 0; k < TAPS; k++)
                    sum += taps[k] * from[k * width];
                result[y * width + x] = sum;
            }
    }
}

/* ---- blur ---- */

/* Sixteenths, rounded; one channel. */
static inline uint8_t blend(int a, int b, int c, int d, int e)
{
    return (uint8_t)((a + e + 4 * (b + d) + 6 * c + 8) >> 4);
}

/* Channels stand side by side in bytes, so a row is one array of 4 * width. */
static void blur_row(uint8_t *restrict to, const uint8_t *restrict from, size_t width)
{
    size_t n = 4 * width;
    for (size_t i = 8; i < n - 8; i++)
        to[i] = blend(from[i - 8], from[i - 4], from[i], from[i + 4], from[i + 8]);
    for (size_t i = 0; i < 16; i++) {
        size_t at = i < 8 ? i : n - 16 + i, c = at % 4, last = n - 4 + c;
        size_t l1 = at >= 4 ? at - 4 : c, l2 = at >= 8 ? at - 8 : c;
        size_t r1 = at + 4 < n ? at + 4 : last, r2 = at + 8 < n ? at + 8 : last;
        to[at] = blend(from[l2], from[l1], from[at], from[r1], from[r2]);
    }
}

void native_blur(uint32_t *result, uint32_t *between, const uint32_t *image, size_t width,
                 size_t height)
{
    size_t n = 4 * width;
    uint8_t *out = (uint8_t *)result, *half = (uint8_t *)between;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t y = 0; y < height; y++)
            blur_row(half + y * n, (const uint8_t *)image + y * n, width);
#pragma omp for schedule(static)
        for (size_t y = 0; y < height; y++) {
            const uint8_t *c = half + y * n, *last = half + (height - 1) * n;
            const uint8_t *b = y >= 1 ? c - n : half, *a = y >= 2 ? c - 2 * n : half;
            const uint8_t *d = y + 1 < height ? c + n : last;
            const uint8_t *e = y + 2 < height ? c + 2 * n : last;
            uint8_t *to = out + y * n;
            for (size_t i = 0; i < n; i++)
                to[i] = blend(a[i], b[i], c[i], d[i], e[i]);
        }
    }
}

/* ---- life ---- */

static inline uint32_t lives(uint32_t around, uint32_t alive)
{
    return around == 3 || (around == 2 && alive);
}

void native_life(uint32_t *restrict next, const uint32_t *restrict now, size_t width,
                 size_t height)
{
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < height; y++) {
        const uint32_t *a = now + (y ? y - 1 : height - 1) * width, *b = now + y * width;
        const uint32_t *c = now + (y + 1 < height ? y + 1 : 0) * width;
        uint32_t *to = next + y * width;
        for (size_t x = 1; x + 1 < width; x++)
            to[x] = lives(a[x - 1] + a[x] + a[x + 1] + b[x - 1] + b[x + 1] + c[x - 1] + c[x]
                          + c[x + 1], b[x]);
        size_t e = width - 1;
        to[0] = lives(a[e] + a[0] + a[1] + b[e] + b[1] + c[e] + c[0] + c[1], b[0]);
        to[e] = lives(a[e - 1] + a[e] + a[0] + b[e - 1] + b[0] + c[e - 1] + c[e] + c[0], b[e]);
    }
}
