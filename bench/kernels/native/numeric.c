/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numeric.c - kernels that arithmetic limits.
 */
#include "native/native.h"

#include <math.h>
#include <omp.h>

/* ---- softmax ---- */

void native_softmax(float *restrict y, const float *restrict x, size_t rows, size_t cols)
{
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rows; r++) {
        const float *from = x + r * cols;
        float *to = y + r * cols;
        float most = from[0], sum = 0;
        for (size_t i = 0; i < cols; i++)
            most = from[i] > most ? from[i] : most;
        for (size_t i = 0; i < cols; i++) {
            to[i] = expf(from[i] - most);
            sum += to[i];
        }
        float scale = 1 / sum;
        for (size_t i = 0; i < cols; i++)
            to[i] *= scale;
    }
}

/* ---- bodies that attract each other ---- */

/* Coordinates apart from each other: the inner loop reads three plain arrays. */
void native_nbody(float *restrict accel, const float *restrict body,
                  float *restrict scratch, size_t n)
{
    float *restrict x = scratch, *restrict y = x + n, *restrict z = y + n;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            x[i] = body[4 * i];
            y[i] = body[4 * i + 1];
            z[i] = body[4 * i + 2];
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            float ax = 0, ay = 0, az = 0;
            for (size_t k = 0; k < n; k++) {
                float dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
                float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
                float f = r * r * r;
                ax += dx * f;
                ay += dy * f;
                az += dz * f;
            }
            accel[4 * i] = ax;
            accel[4 * i + 1] = ay;
            accel[4 * i + 2] = az;
            accel[4 * i + 3] = 0;
        }
    }
}

/* ---- the fractal ---- */

static uint32_t escape(float cx, float cy, uint32_t limit)
{
    float x = 0, y = 0;
    uint32_t i = 0;
    while (i < limit && x * x + y * y <= 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        i++;
    }
    return i;
}

void native_mandelbrot(uint32_t *count, size_t width, size_t height, uint32_t limit)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            count[y * width + x] = escape((float)x / (float)width * 3.5f - 2.5f,
                                          (float)y / (float)height * 2 - 1, limit);
}

/* ---- prices of options ---- */

static inline float normal(float x)
{
    float t = 1 / (1 + 0.2316419f * fabsf(x));
    float p = t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f
            + t * (-1.821255978f + t * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * x * x) * p;
    return x >= 0 ? 1 - tail : tail;
}

void native_options(float *restrict value, const float *restrict option, size_t n)
{
    const float rate = 0.02f;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++) {
        float price = option[4 * i], strike = option[4 * i + 1];
        float years = option[4 * i + 2], volatility = option[4 * i + 3];
        float spread = volatility * sqrtf(years);
        float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years)
                 / spread;
        float later = strike * expf(-rate * years);
        float call = price * normal(d1) - later * normal(d1 - spread);
        value[2 * i] = call;
        value[2 * i + 1] = call + later - price;
    }
}

/* ---- norms ---- */

void native_norm(float *restrict y, const float *restrict x, const float *restrict scale,
                 const float *restrict shift, size_t rows, size_t cols)
{
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rows; r++) {
        const float *row = x + r * cols;
        float sum = 0, square = 0;
        for (size_t i = 0; i < cols; i++) {
            sum += row[i];
            square += row[i] * row[i];
        }
        float mean = sum / (float)cols;
        float inverse = 1 / sqrtf(square / (float)cols - mean * mean + 1e-5f);
        for (size_t i = 0; i < cols; i++)
            y[r * cols + i] = (row[i] - mean) * inverse * scale[i] + shift[i];
    }
}
