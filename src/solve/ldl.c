// SPDX-License-Identifier: Apache-2.0
/*
 * ldl.c - L D transpose(L) of a sparse matrix, one row of L at a time.
 *
 * in     a BlockMatrix, an order of its blocks
 * out    the factor; solutions
 * knows  order.c
 * not    dense blocks: with much fill, frontal.c is faster
 */
#include "solve/sparse_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

/* ---- structure ---- */

/* Elimination tree of the rows, and how many entries each column of L has. */
static void analyse(Ldl *f)
{
    memset(f->l_start, 0, (f->n + 1ull) * sizeof *f->l_start);
    for (uint32_t k = 0; k < f->n; k++) {
        f->parent[k] = NO_PARENT;
        f->mark[k] = k;
        for (uint64_t p = f->a.start[k]; p < f->a.start[k + 1]; p++)
            for (uint32_t i = f->a.row[p]; f->mark[i] != k; i = f->parent[i]) {
                if (f->parent[i] == NO_PARENT)
                    f->parent[i] = k;
                f->l_start[i + 1]++;
                f->mark[i] = k;
            }
    }
    for (uint32_t k = 0; k < f->n; k++) {
        double count = (double)f->l_start[k + 1];
        f->work += count * (count + 1) / 2;
        f->l_start[k + 1] += f->l_start[k];
    }
}

static bool allocate(Ldl *f)
{
    uint64_t n = f->n;
    f->old_of = malloc((n + 1) * sizeof *f->old_of);
    f->parent = malloc((n + 1) * sizeof *f->parent);
    f->l_start = malloc((n + 2) * sizeof *f->l_start);
    f->d = malloc((n + 1) * sizeof *f->d);
    f->y = calloc(n + 1, sizeof *f->y);
    f->filled = malloc((n + 1) * sizeof *f->filled);
    f->mark = malloc((n + 1) * sizeof *f->mark);
    f->path = malloc((n + 1) * sizeof *f->path);
    return f->old_of && f->parent && f->l_start && f->d && f->y && f->filled && f->mark &&
           f->path;
}

bool ldl_make(Ldl *f, const BlockMatrix *m, const Order *order)
{
    *f = (Ldl){.n = m->dims};
    uint32_t *new_row = malloc((m->dims + 1ull) * sizeof *new_row);
    bool ok = new_row && allocate(f);
    for (uint32_t b = 0, at = 0; ok && b < order->count; b++) {
        uint32_t old = order->old_of[b];
        for (uint32_t i = m->first[old]; i < m->first[old + 1]; i++) {
            f->old_of[at] = i;
            new_row[i] = at++;
        }
    }
    ok = ok && upper_make(&f->a, m, new_row);
    if (ok) {
        analyse(f);
        f->l_row = malloc((f->l_start[f->n] + 1) * sizeof *f->l_row);
        f->l = malloc((f->l_start[f->n] + 1) * sizeof *f->l);
        ok = f->l_row && f->l;
    }
    free(new_row);
    if (!ok)
        ldl_fini(f);
    return ok;
}

void ldl_fini(Ldl *f)
{
    void *all[] = {f->old_of, f->parent, f->l_start, f->l_row, f->l, f->d, f->filled, f->mark,
                   f->path, f->y};
    upper_fini(&f->a);
    for (size_t i = 0; i < COUNTOF(all); i++)
        free(all[i]);
    *f = (Ldl){0};
}

/* ---- factorisation ---- */

/* Columns of L that row k has entries in, in the order of the tree: path[top ...]. The row of
 * the matrix is scattered into y. */
static uint32_t row_pattern(Ldl *f, const BlockMatrix *m, uint32_t k)
{
    uint32_t top = f->n;
    f->mark[k] = k;
    for (uint64_t p = f->a.start[k]; p < f->a.start[k + 1]; p++) {
        uint32_t length = 0;
        f->y[f->a.row[p]] += m->values[f->a.from[p]];
        for (uint32_t i = f->a.row[p]; f->mark[i] != k; i = f->parent[i]) {
            f->path[length++] = i;
            f->mark[i] = k;
        }
        while (length > 0)
            f->path[--top] = f->path[--length];
    }
    return top;
}

bool ldl_factor(Ldl *f, const BlockMatrix *m, const double *damping, double least)
{
    memset(f->y, 0, f->n * sizeof *f->y);
    for (uint32_t k = 0; k < f->n; k++)
        f->mark[k] = NO_PARENT;
    for (uint32_t k = 0; k < f->n; k++) {
        f->filled[k] = f->l_start[k];
        uint32_t top = row_pattern(f, m, k);
        double pivot = f->y[k] + (damping ? damping[f->old_of[k]] : 0), diagonal = pivot;
        f->y[k] = 0;
        for (; top < f->n; top++) {
            uint32_t i = f->path[top];
            double y = f->y[i], l = y / f->d[i];
            f->y[i] = 0;
            for (uint64_t p = f->l_start[i]; p < f->filled[i]; p++)
                f->y[f->l_row[p]] -= f->l[p] * y;
            pivot -= l * y;
            f->l_row[f->filled[i]] = k;
            f->l[f->filled[i]++] = l;
        }
        f->d[k] = pivot;
        if (!(pivot > least * diagonal) || !isfinite(pivot))
            return false;
    }
    return true;
}

void ldl_solve(const Ldl *f, double *x, double *scratch)
{
    for (uint32_t i = 0; i < f->n; i++)
        scratch[i] = x[f->old_of[i]];
    for (uint32_t k = 0; k < f->n; k++)
        for (uint64_t p = f->l_start[k]; p < f->l_start[k + 1]; p++)
            scratch[f->l_row[p]] -= f->l[p] * scratch[k];
    for (uint32_t k = f->n; k-- > 0;) {
        double sum = scratch[k] / f->d[k];
        for (uint64_t p = f->l_start[k]; p < f->l_start[k + 1]; p++)
            sum -= f->l[p] * scratch[f->l_row[p]];
        scratch[k] = sum;
    }
    for (uint32_t i = 0; i < f->n; i++)
        x[f->old_of[i]] = scratch[i];
}
