/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f64.c - the work of the kernels in f64.
 */
#include "native/native.h"

#include <math.h>
#include <omp.h>
#include <string.h>

void native_saxpy_f64(double *restrict z, const double *restrict x, const double *restrict y,
                      double a, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        z[i] = a * x[i] + y[i];
}

void native_matmul_f64(double *restrict c, const double *restrict a, const double *restrict b,
                       size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        double *row = c + i * n;
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < n; k++) {
            double f = a[i * n + k];
            for (size_t j = 0; j < n; j++)
                row[j] += f * b[k * n + j];
        }
    }
}

void native_nbody_f64(double *restrict accel, const double *restrict body,
                      double *restrict scratch, size_t n)
{
    double *restrict x = scratch, *restrict y = x + n, *restrict z = y + n;
    for (size_t i = 0; i < n; i++) {
        x[i] = body[4 * i];
        y[i] = body[4 * i + 1];
        z[i] = body[4 * i + 2];
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (size_t k = 0; k < n; k++) {
            double dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
            double f = 1 / (dx * dx + dy * dy + dz * dz + 0.01);
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

/* A block of columns at a time, which stays in the first-level cache. */
#define BLOCK 64

void native_softmax_f64(double *restrict y, const double *restrict x, size_t cols, size_t rows)
{
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < rows; first += BLOCK) {
        double most[BLOCK], sum[BLOCK] = {0};
        for (size_t i = 0; i < BLOCK; i++)
            most[i] = x[first + i];
        for (size_t k = 1; k < cols; k++)
            for (size_t i = 0; i < BLOCK; i++)
                most[i] = fmax(most[i], x[k * rows + first + i]);
        for (size_t k = 0; k < cols; k++)
            for (size_t i = 0; i < BLOCK; i++) {
                double e = exp(x[k * rows + first + i] - most[i]);
                y[k * rows + first + i] = e;
                sum[i] += e;
            }
        for (size_t k = 0; k < cols; k++)
            for (size_t i = 0; i < BLOCK; i++)
                y[k * rows + first + i] /= sum[i];
    }
}
