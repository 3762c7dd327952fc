// SPDX-License-Identifier: Apache-2.0
/*
 * qr.c - QR factorisation of a tall matrix, some rows at a time: only R is kept.
 *
 * in     rows of coefficients with a right-hand side
 * out    the solution of least squares, without forming transpose(A) A
 * knows  base/wide.h
 * not    where rows come from
 */
#include "solve/dense_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

bool qr_init(Qr *q, uint32_t n)
{
    *q = (Qr){.n = n, .row = dense_row(n + 1)};
    q->r = calloc((size_t)n + 1, q->row * sizeof *q->r);
    q->rows = malloc(QR_CHUNK * q->row * sizeof *q->rows);
    if (q->r && q->rows)
        return true;
    qr_fini(q);
    return false;
}

void qr_fini(Qr *q)
{
    free(q->r);
    free(q->rows);
    *q = (Qr){0};
}

void qr_clear(Qr *q)
{
    memset(q->r, 0, (size_t)q->n * q->row * sizeof *q->r);
    q->waiting = 0;
    q->rest = 0;
}

double *qr_row(Qr *q)
{
    if (q->waiting == QR_CHUNK)
        qr_finish(q);
    double *row = q->rows + q->waiting++ * q->row;
    memset(row, 0, q->row * sizeof *row);
    return row;
}

/* A reflection of (r, v) to (-sign(r) norm, 0), scaled so that no square overflows. */
static double reflection(double *r, double *v, uint32_t m, size_t row)
{
    double largest = fabs(*r), sum = 0;
    for (uint32_t i = 0; i < m; i++)
        largest = fmax(largest, fabs(v[i * row]));
    if (largest == 0)
        return 0;
    for (uint32_t i = 0; i < m; i++) {
        v[i * row] /= largest;
        sum += v[i * row] * v[i * row];
    }
    double head = *r / largest;
    if (sum == 0)
        return 0;
    double norm = sqrt(head * head + sum), u = head + (head >= 0 ? norm : -norm);
    /* the vector is (1, v / u) */
    for (uint32_t i = 0; i < m; i++)
        v[i * row] /= u;
    *r = (head >= 0 ? -norm : norm) * largest;
    return 2 / (1 + sum / (u * u));
}

/* Column k of R and of m rows: later columns are reflected, vectors of a row at a time. */
WIDE_CODE static void eliminate(double *r, double *rows, double *sums, uint32_t k,
                                uint32_t columns, uint32_t m, size_t row, double beta)
{
    for (uint32_t j = k + 1; j < columns; j++)
        sums[j] = r[j];
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = k + 1; j < columns; j++)
            sums[j] += rows[i * row + k] * rows[i * row + j];
    for (uint32_t j = k + 1; j < columns; j++) {
        sums[j] *= beta;
        r[j] -= sums[j];
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = k + 1; j < columns; j++)
            rows[i * row + j] -= sums[j] * rows[i * row + k];
}

void qr_finish(Qr *q)
{
    double *sums = q->r + (size_t)q->n * q->row;
    for (uint32_t k = 0; k < q->n; k++) {
        double *r = q->r + (size_t)k * q->row;
        double beta = reflection(&r[k], q->rows + k, q->waiting, q->row);
        if (beta != 0)
            eliminate(r, q->rows, sums, k, q->n + 1, q->waiting, q->row, beta);
    }
    for (uint32_t i = 0; i < q->waiting; i++)
        q->rest += q->rows[i * q->row + q->n] * q->rows[i * q->row + q->n];
    q->waiting = 0;
}

bool qr_solve(const Qr *q, double *x)
{
    for (uint32_t i = q->n; i-- > 0;) {
        const double *r = q->r + (size_t)i * q->row;
        double sum = r[q->n];
        for (uint32_t j = i + 1; j < q->n; j++)
            sum -= r[j] * x[j];
        x[i] = sum / r[i];
        if (r[i] == 0 || !isfinite(x[i]))
            return false;
    }
    return true;
}
