// SPDX-License-Identifier: Apache-2.0
/*
 * cholesky.c - dense Cholesky factorisation in f64 and f32, by panels, on several threads.
 *
 * in     the lower triangle of a symmetric matrix, rows padded to vectors
 * out    its factor, or a pivot that is not above 0
 * knows  base/wide.h
 * not    where the matrix comes from
 */
#include "solve/dense_priv.h"

#include <math.h>

#include "base/macro.h"
#include "base/wide.h"

size_t dense_scratch(uint32_t n)
{
    return ((size_t)n + 16) * 48;
}

#define REAL  double
#define WIDE  Wide8
#define LANES 8u
#define NAME(function) function
#include "solve/cholesky_template.h"
#undef REAL
#undef WIDE
#undef LANES
#undef NAME

#define REAL  float
#define WIDE  Wide16
#define LANES 16u
#define NAME(function) function##_f32
#include "solve/cholesky_template.h"

/* Rows first ... of c = a transpose(a), in tiles of four by four. */
typedef struct Outer {
    double       *c;
    const double *a;
    uint32_t      m, k;
    size_t        row, a_row;
} Outer;

#define OUTER 4u

WIDE_CODE static void outer_tile(const Outer *o, uint32_t i, uint32_t j)
{
    Wide8 sum[OUTER][OUTER] = {0};
    uint32_t k = 0;
    for (; k + 8 <= o->k; k += 8)
        for (uint32_t r = 0; r < OUTER; r++)
            for (uint32_t s = 0; s < OUTER; s++)
                sum[r][s] += *(const Wide8 *)(o->a + (i + r) * o->a_row + k) *
                             *(const Wide8 *)(o->a + (j + s) * o->a_row + k);
    for (uint32_t r = 0; r < OUTER; r++)
        for (uint32_t s = 0; s < OUTER; s++) {
            double total = 0;
            for (uint32_t l = 0; l < 8; l++)
                total += sum[r][s][l];
            for (uint32_t l = k; l < o->k; l++)
                total += o->a[(i + r) * o->a_row + l] * o->a[(j + s) * o->a_row + l];
            o->c[(i + r) * o->row + j + s] = total;
        }
}

static void outer_one(const Outer *o, uint32_t i, uint32_t j)
{
    double total = 0;
    for (uint32_t k = 0; k < o->k; k++)
        total += o->a[i * o->a_row + k] * o->a[j * o->a_row + k];
    o->c[i * o->row + j] = total;
}

static void outer_rows(void *context, uint32_t group, uint32_t member)
{
    const Outer *o = context;
    uint32_t first = group * OUTER;
    (void)member;
    if (first + OUTER <= o->m) {
        for (uint32_t j = 0; j <= first; j += OUTER)
            outer_tile(o, first, j);
        return;
    }
    for (uint32_t i = first; i < o->m; i++)
        for (uint32_t j = 0; j <= i; j++)
            outer_one(o, i, j);
}

void dense_outer(double *c, const double *a, uint32_t m, uint32_t k, size_t row, size_t a_row,
                 Team *team)
{
    Outer o = {c, a, m, k, row, a_row};
    bool large = (uint64_t)m * m * k > 1000000;
    team_run(large ? team : NULL, outer_rows, &o, (m + OUTER - 1) / OUTER);
}
