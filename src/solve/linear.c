// SPDX-License-Identifier: Apache-2.0
/*
 * linear.c - the linear system of a step: which solver, and the dense ones.
 *
 * in     normal equations and rows, damping, right-hand sides
 * out    solutions
 * knows  every solver of this folder
 * not    why steps are taken
 */
#include "solve/linear_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

/* AUTO: up to so many columns a dense factor is used. */
#define DENSE_MOST 400u
/* Multiplications per entry of the factor from which dense fronts pay. */
#define FRONTS_FROM 24.0

/* ---- choice ---- */

static uint32_t residuals_of(const Linear *l)
{
    uint64_t count = l->rows->residual_count;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Fewer residuals than columns: the smaller matrix is J inverse(damping) transpose(J). */
static bool prefers_dual(const Linear *l)
{
    uint64_t m = residuals_of(l), n = l->normal->m.dims;
    return m * 5 < n * 4 && m <= 4000;
}

/* A sparse factor of a few hundred columns may still be much cheaper than a dense one. */
static bool nearly_dense(const BlockMatrix *m)
{
    return m->at[m->pair_count] * 8 > (uint64_t)m->dims * m->dims;
}

static weft_solve_linear choose(Linear *l, const weft_solve_options *o)
{
    const BlockMatrix *m = &l->normal->m;
    uint32_t dims = 0;
    if (o->linear != WEFT_SOLVE_AUTO)
        return o->linear;
    if (m->dims <= 100 || (m->dims <= DENSE_MOST && nearly_dense(m)) ||
        (prefers_dual(l) && m->dims <= 4 * DENSE_MOST))
        return WEFT_SOLVE_DENSE_CHOLESKY;
    bool *eliminated = schur_choose(l->normal, o, &dims);
    free(eliminated);
    if (eliminated && (o->eliminate || (uint64_t)dims * 4 > (uint64_t)m->dims * 3))
        return WEFT_SOLVE_SCHUR;
    return nearly_dense(m) && m->dims <= 4000 ? WEFT_SOLVE_DENSE_CHOLESKY
                                              : WEFT_SOLVE_SPARSE_CHOLESKY;
}

/* ---- preparation ---- */

static bool make_dense(Linear *l)
{
    uint32_t n = l->normal->m.dims, size;
    l->dual = prefers_dual(l);
    size = l->dual ? residuals_of(l) : n;
    l->row = dense_row(size);
    l->a = calloc((size + 1ull) * l->row, sizeof *l->a);
    l->pack = malloc(dense_scratch(size) * sizeof *l->pack);
    if (l->mixed && !l->dual)
        l->a32 = calloc((size + 1ull) * l->row, sizeof *l->a32);
    if (l->dual) {
        l->wide_row = dense_row(n);
        l->wide = malloc((size + 1ull) * l->wide_row * sizeof *l->wide);
    }
    l->factor_entries = (uint64_t)size * (size + 1) / 2;
    return l->a && l->pack && (!l->dual || l->wide) && (!l->mixed || l->dual || l->a32);
}

static bool make_sparse(Linear *l)
{
    const BlockMatrix *m = &l->normal->m;
    Order order;
    if (!order_make(&order, m))
        return false;
    bool ok = ldl_make(&l->ldl, m, &order);
    order_fini(&order);
    if (!ok)
        return false;
    uint64_t entries = l->ldl.l_start[m->dims] + m->dims;
    l->factor_entries = entries;
    l->frontal = l->ldl.work > FRONTS_FROM * (double)entries;
    if (!l->frontal)
        return true;
    ldl_fini(&l->ldl);
    ok = frontal_make(&l->fronts, m);
    l->factor_entries = l->fronts.factor_size;
    return ok;
}

static bool make_schur(Linear *l, const weft_solve_options *o)
{
    bool *eliminated = schur_choose(l->normal, o, &l->eliminated);
    if (!eliminated)
        return false;
    l->schur = schur_make(l->normal, eliminated, o->mixed);
    free(eliminated);
    if (!l->schur)
        return false;
    l->factor_entries = schur_entries(l->schur);
    if (!l->exact)
        return true;
    l->normal->left_out = calloc(l->normal->m.pair_count + 1ull, sizeof *l->normal->left_out);
    if (l->normal->left_out)
        schur_leave_out(l->schur, l->normal->left_out);
    return l->normal->left_out != NULL;
}

static bool make_kind(Linear *l, const weft_solve_options *o)
{
    const BlockMatrix *m = &l->normal->m;
    switch (l->kind) {
    case WEFT_SOLVE_DENSE_CHOLESKY:
        return make_dense(l);
    case WEFT_SOLVE_DENSE_QR:
        l->factor_entries = (uint64_t)m->dims * (m->dims + 1) / 2;
        return qr_init(&l->qr, m->dims);
    case WEFT_SOLVE_SPARSE_CHOLESKY:
        return make_sparse(l);
    case WEFT_SOLVE_SCHUR:
        return make_schur(l, o);
    case WEFT_SOLVE_CONJUGATE_GRADIENT:
        l->gradients = gradients_make(l->normal);
        return l->gradients != NULL;
    case WEFT_SOLVE_CHOLMOD:
        if (!suite_version())
            return context_fail(l->rows->p->ctx, WEFT_ERROR_UNSUPPORTED,
                                "%s: no usable CHOLMOD is installed (Debian: libcholmod3); "
                                "sparse-cholesky needs none", l->rows->p->label);
        l->suite = suite_make(m);
        l->factor_entries = l->suite ? suite_entries(l->suite) : 0;
        return l->suite != NULL;
    default:
        return context_fail(l->rows->p->ctx, WEFT_ERROR_INVALID, "%s: unknown linear solver %d",
                            l->rows->p->label, (int)l->kind);
    }
}

bool linear_make(Linear *l, Normal *normal, const weft_solve_options *o, Team *team)
{
    *l = (Linear){.normal = normal, .rows = normal->rows, .team = team, .mixed = o->mixed,
                  .tolerance = o->linear_tolerance, .most_iterations = o->linear_iterations};
    l->kind = choose(l, o);
    l->exact = o->method == WEFT_SOLVE_LEVENBERG_MARQUARDT && !o->mixed &&
               !normal->rows->space->bounded && l->kind != WEFT_SOLVE_CONJUGATE_GRADIENT;
    l->scratch = malloc((4ull * normal->m.dims + 1) * sizeof *l->scratch);
    if (l->scratch && make_kind(l, o))
        return true;
    linear_fini(l);
    return context_fail(normal->rows->p->ctx, WEFT_ERROR_MEMORY,
                        "%s: no memory to factorise a matrix of %u columns",
                        normal->rows->p->label, normal->m.dims);
}

void linear_fini(Linear *l)
{
    free(l->scratch);
    free(l->a);
    free(l->a32);
    free(l->pack);
    free(l->wide);
    qr_fini(&l->qr);
    ldl_fini(&l->ldl);
    frontal_fini(&l->fronts);
    suite_release(l->suite);
    schur_release(l->schur);
    gradients_release(l->gradients);
    *l = (Linear){0};
}

/* ---- dense factorisations ---- */

static bool factor_dense(Linear *l)
{
    uint32_t n = l->normal->m.dims;
    matrix_dense(&l->normal->m, l->a, l->row, l->damping);
    if (!l->mixed)
        return dense_cholesky(l->a, n, n, l->row, l->pack, l->team);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++)
            l->a32[i * l->row + k] = (float)l->a[i * l->row + k];
    return dense_cholesky_f32(l->a32, n, n, l->row, (float *)(void *)l->pack, l->team);
}

/* J D^-1/2 as a dense matrix; its product with its transpose, plus the identity. */
static bool factor_dual(Linear *l)
{
    const Rows *r = l->rows;
    uint32_t n = l->normal->m.dims, m = residuals_of(l);
    double *scale = l->scratch + 3 * (size_t)n;
    for (uint32_t c = 0; c < n; c++) {
        if (!(l->damping[c] > 0))
            return false;
        scale[c] = 1 / sqrt(l->damping[c]);
    }
    memset(l->wide, 0, m * l->wide_row * sizeof *l->wide);
    for (uint32_t i = 0; i < r->count; i++) {
        const Instance *in = &r->instances[i];
        const uint32_t *columns = r->columns + in->column;
        for (uint32_t o = 0; o < in->outputs; o++)
            for (uint32_t c = 0; c < in->width; c++)
                l->wide[(in->residual + o) * l->wide_row + columns[c]] =
                    r->values[in->value + (size_t)o * in->width + c] * scale[columns[c]];
    }
    dense_outer(l->a, l->wide, m, n, l->row, l->wide_row, l->team);
    for (uint32_t i = 0; i < m; i++)
        l->a[i * l->row + i] += 1;
    return dense_cholesky(l->a, m, m, l->row, l->pack, l->team);
}

bool linear_factor(Linear *l, const double *damping)
{
    l->damping = damping;
    switch (l->kind) {
    case WEFT_SOLVE_DENSE_CHOLESKY:
        return l->dual ? factor_dual(l) : factor_dense(l);
    case WEFT_SOLVE_SPARSE_CHOLESKY:
        return l->frontal ? frontal_factor(&l->fronts, &l->normal->m, damping, l->team)
                          : ldl_factor(&l->ldl, &l->normal->m, damping, 0);
    case WEFT_SOLVE_SCHUR:
        return schur_factor(l->schur, damping, l->team);
    case WEFT_SOLVE_CONJUGATE_GRADIENT:
        return gradients_factor(l->gradients, damping);
    case WEFT_SOLVE_CHOLMOD:
        return suite_factor(l->suite, &l->normal->m, damping);
    default:
        return true;
    }
}

/* ---- solutions ---- */

/* (J^T J + D)^-1 b = D^-1/2 (I + K^T K)^-1 D^-1/2 b with K = J D^-1/2
 *                  = D^-1/2 (c - K^T (I + K K^T)^-1 K c), c = D^-1/2 b. */
static void solve_dual(Linear *l, double *x)
{
    uint32_t n = l->normal->m.dims, m = residuals_of(l);
    const double *scale = l->scratch + 3 * (size_t)n;
    double *y = l->pack;
    for (uint32_t c = 0; c < n; c++)
        x[c] *= scale[c];
    for (uint32_t i = 0; i < m; i++)
        y[i] = vector_dot(l->wide + i * l->wide_row, x, n);
    dense_forward(l->a, m, l->row, y);
    dense_backward(l->a, m, l->row, y);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t c = 0; c < n; c++)
            x[c] -= l->wide[i * l->wide_row + c] * y[i];
    for (uint32_t c = 0; c < n; c++)
        x[c] *= scale[c];
}

static void solve_f32(Linear *l, double *x)
{
    uint32_t n = l->normal->m.dims;
    float *y = (float *)(void *)(l->scratch + 2 * (size_t)n);
    for (uint32_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    dense_forward_f32(l->a32, n, l->row, y);
    dense_backward_f32(l->a32, n, l->row, y);
    for (uint32_t i = 0; i < n; i++)
        x[i] = y[i];
}

/* x from the right side in place, by the factor as it is. */
static bool solve_once(Linear *l, double *x)
{
    uint32_t n = l->normal->m.dims;
    switch (l->kind) {
    case WEFT_SOLVE_DENSE_CHOLESKY:
        if (l->dual)
            solve_dual(l, x);
        else if (l->mixed)
            solve_f32(l, x);
        else {
            dense_forward(l->a, n, l->row, x);
            dense_backward(l->a, n, l->row, x);
        }
        break;
    case WEFT_SOLVE_SPARSE_CHOLESKY:
        if (l->frontal)
            frontal_solve(&l->fronts, &l->normal->m, x, l->scratch);
        else
            ldl_solve(&l->ldl, x, l->scratch);
        break;
    case WEFT_SOLVE_SCHUR:
        return schur_solve(l->schur, x, l->team);
    case WEFT_SOLVE_CHOLMOD:
        return suite_solve(l->suite, x) && vector_finite(x, n);
    case WEFT_SOLVE_CONJUGATE_GRADIENT:
        return gradients_solve(l->gradients, x, l->tolerance, &l->iterations,
                               l->most_iterations) && vector_finite(x, n);
    default:
        return false;
    }
    return vector_finite(x, n);
}

/* Least squares of the rows and of damped steps, directly: J is not squared. The right-hand side
 * must be minus the gradient, which is transpose(J) times minus the residuals. */
static bool solve_qr(Linear *l, double *step)
{
    const Rows *r = l->rows;
    uint32_t n = l->normal->m.dims;
    qr_clear(&l->qr);
    for (uint32_t i = 0; i < r->count; i++) {
        const Instance *in = &r->instances[i];
        for (uint32_t o = 0; o < in->outputs; o++) {
            double *row = qr_row(&l->qr);
            for (uint32_t c = 0; c < in->width; c++)
                row[r->columns[in->column + c]] =
                    r->values[in->value + (size_t)o * in->width + c];
            row[n] = -r->residuals[in->residual + o];
        }
    }
    for (uint32_t c = 0; c < n; c++)
        if (l->damping && l->damping[c] > 0)
            qr_row(&l->qr)[c] = sqrt(l->damping[c]);
    qr_finish(&l->qr);
    return qr_solve(&l->qr, step);
}

#define REFINEMENTS 3

bool linear_solve(Linear *l, double *step, const double *right)
{
    uint32_t n = l->normal->m.dims;
    double *residual = l->scratch + n;
    l->iterations = 0;
    if (l->kind == WEFT_SOLVE_DENSE_QR)
        return solve_qr(l, step);
    memcpy(step, right, n * sizeof *step);
    if (!solve_once(l, step))
        return false;
    bool refine = l->mixed && !l->dual &&
                  (l->kind == WEFT_SOLVE_DENSE_CHOLESKY || l->kind == WEFT_SOLVE_SCHUR);
    for (int i = 0; refine && i < REFINEMENTS; i++) {
        matrix_multiply(&l->normal->m, residual, step);
        for (uint32_t c = 0; c < n; c++)
            residual[c] = right[c] - residual[c] - (l->damping ? l->damping[c] * step[c] : 0);
        if (!solve_once(l, residual))
            return false;
        for (uint32_t c = 0; c < n; c++)
            step[c] += residual[c];
    }
    return true;
}
