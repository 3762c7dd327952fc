// SPDX-License-Identifier: Apache-2.0
/*
 * small.c - factorisations of small matrices in double.
 *
 * in     matrices of at most SMALL_MAX rows
 * out    eigenvectors, the nearest rotation, orthonormal rows
 * knows  Jacobi's method, Gram-Schmidt
 * not    devices
 */
#include <math.h>
#include <string.h>

#include "vectors/vectors_priv.h"

/* ---- eigenvectors ---- */

/* Turns rows and columns p and q of a, and rows p and q of v, so that a[p][q] becomes 0. */
static void jacobi_turn(double *a, double *v, uint32_t n, uint32_t p, uint32_t q)
{
    double apq = a[p * n + q];
    if (fabs(apq) < 1e-300)
        return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (uint32_t i = 0; i < n; i++) {
        double x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
    for (uint32_t i = 0; i < n; i++) {
        double x = a[p * n + i], y = a[q * n + i];
        a[p * n + i] = c * x - s * y;
        a[q * n + i] = s * x + c * y;
        x = v[p * n + i];
        y = v[q * n + i];
        v[p * n + i] = c * x - s * y;
        v[q * n + i] = s * x + c * y;
    }
}

static void sort_rows(double *values, double *v, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < n; k++)
            best = values[k] > values[best] ? k : best;
        double value = values[i];
        values[i] = values[best];
        values[best] = value;
        for (uint32_t k = 0; best != i && k < n; k++) {
            double x = v[i * n + k];
            v[i * n + k] = v[best * n + k];
            v[best * n + k] = x;
        }
    }
}

void small_eigen(double *values, double *v, double *a, uint32_t n)
{
    memset(v, 0, (size_t)n * n * sizeof *v);
    for (uint32_t i = 0; i < n; i++)
        v[i * n + i] = 1;
    for (int sweep = 0; sweep < 50; sweep++) {
        double off = 0, all = 0;
        for (uint32_t i = 0; i < n * n; i++) {
            all += a[i] * a[i];
            off += i / n == i % n ? 0 : a[i] * a[i];
        }
        if (off <= 1e-30 * all)
            break;
        for (uint32_t p = 0; p + 1 < n; p++)
            for (uint32_t q = p + 1; q < n; q++)
                jacobi_turn(a, v, n, p, q);
    }
    for (uint32_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    sort_rows(values, v, n);
}

/* ---- orthonormal rows ---- */

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes the rows before `row` out of it; returns the length that is left. */
static double take_out(double *a, uint32_t row, uint32_t columns)
{
    double *x = a + (size_t)row * columns;
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t k = 0; k < row; k++) {
            const double *y = a + (size_t)k * columns;
            double        d = dot(x, y, columns);
            for (uint32_t i = 0; i < columns; i++)
                x[i] -= d * y[i];
        }
    return sqrt(dot(x, x, columns));
}

void small_orthonormalise(double *a, uint32_t rows, uint32_t columns, uint64_t *random)
{
    for (uint32_t row = 0; row < rows; row++) {
        double *x = a + (size_t)row * columns;
        double  before = sqrt(dot(x, x, columns)), length = take_out(a, row, columns);
        while (!(length > 1e-7 * before) || before == 0) {
            for (uint32_t i = 0; i < columns; i++)
                x[i] = random_unit(random) - 0.5;
            before = sqrt(dot(x, x, columns));
            length = take_out(a, row, columns);
        }
        for (uint32_t i = 0; i < columns; i++)
            x[i] /= length;
    }
}

/* ---- rotations ---- */

void small_nearest_rotation(double *r, const double *m, uint32_t n)
{
    double   square[SMALL_MAX * SMALL_MAX], w[SMALL_MAX * SMALL_MAX], values[SMALL_MAX];
    double   u[SMALL_MAX * SMALL_MAX];
    uint64_t random = 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            square[i * n + k] = 0;
            for (uint32_t j = 0; j < n; j++)
                square[i * n + k] += m[j * n + i] * m[j * n + k];
        }
    small_eigen(values, w, square, n);                  /* rows of w: right vectors */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            u[i * n + k] = dot(m + k * n, w + i * n, n);        /* m w: left ones */
    small_orthonormalise(u, n, n, &random);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            r[i * n + k] = 0;
            for (uint32_t j = 0; j < n; j++)
                r[i * n + k] += u[j * n + i] * w[j * n + k];
        }
}
