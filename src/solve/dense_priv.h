// SPDX-License-Identifier: Apache-2.0
/*
 * dense_priv.h - factorisations of dense matrices, in f64 and f32.
 *
 * made by   cholesky.c, qr.c
 * read by   the linear solvers, covariance.c
 */
#ifndef WEFT_SOLVE_DENSE_PRIV_H
#define WEFT_SOLVE_DENSE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solve/platform_priv.h"

/* Rows of a dense matrix have this many numbers, so that vectors never leave it. */
static inline size_t dense_row(uint32_t n)
{
    return ((size_t)n + 7) / 8 * 8 + 16;
}

/* Numbers that dense_cholesky() needs beside the matrix. */
size_t dense_scratch(uint32_t n);

/* Replaces the lower triangle of a[n][row] by its Cholesky factor in the first `columns`
 * columns, and the rest by what is left after their elimination: all of it if columns is n.
 * The upper triangle is destroyed. False if a pivot is not above 0. */
bool dense_cholesky(double *a, uint32_t n, uint32_t columns, size_t row, double *scratch,
                    Team *team);
bool dense_cholesky_f32(float *a, uint32_t n, uint32_t columns, size_t row, float *scratch,
                        Team *team);

/* x = inverse(L) x and x = inverse(transpose(L)) x, L the first n rows and columns. */
void dense_forward(const double *l, uint32_t n, size_t row, double *x);
void dense_backward(const double *l, uint32_t n, size_t row, double *x);
void dense_forward_f32(const float *l, uint32_t n, size_t row, float *x);
void dense_backward_f32(const float *l, uint32_t n, size_t row, float *x);

/* c[m][row] = lower triangle of a transpose(a); a [m][k] with rows of a_row. */
void dense_outer(double *c, const double *a, uint32_t m, uint32_t k, size_t row, size_t a_row,
                 Team *team);

/* ---- QR ---- */

/* R of a matrix with many rows, to which rows are added: [n][n + 1], the last column is the
 * right-hand side with the orthogonal transformations applied. */
typedef struct Qr {
    uint32_t n;
    size_t   row;
    double  *r;                     /* [n][row]                                             */
    double  *rows;                  /* [QR_CHUNK][row] not yet added                        */
    uint32_t waiting;
    double   rest;                  /* squared norm of what no x can change                 */
} Qr;

#define QR_CHUNK 64u

bool qr_init(Qr *q, uint32_t n);        /* false without memory                             */
void qr_fini(Qr *q);
void qr_clear(Qr *q);
/* Space for another row [n + 1], zeroed: coefficients, then the right-hand side. */
double *qr_row(Qr *q);
/* Takes the rows that wait. Call before qr_solve(). */
void qr_finish(Qr *q);
/* The x of least |A x - b|. False if R is singular. */
bool qr_solve(const Qr *q, double *x);

#endif
