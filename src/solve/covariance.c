// SPDX-License-Identifier: Apache-2.0
/*
 * covariance.c - how well residuals determine parameters: inverse(transpose(J) J) by blocks.
 *
 * in     a problem, parameters at which its cost has a minimum
 * out    blocks of the covariance, by parameters
 * knows  rows, QR for few columns, sparse LDL^T for many
 * not    how the minimum was found
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/linear_priv.h"

/* Up to so many columns R of J itself is used: transpose(J) J has half the digits. */
#define QR_MOST 300u

struct weft_solve_covariance {
    weft_solve_problem *p;
    Space    space;
    Rows     rows;
    Normal   normal;
    Ldl      ldl;
    Qr       qr;
    bool     dense;
    double   scale;                 /* variance of a residual                               */
    double  *norm;                  /* [dims] of columns: they are scaled to 1              */
    double  *column, *scratch;      /* [dims]                                               */
};

static bool undetermined(weft_solve_covariance *c, uint32_t column)
{
    return context_fail(c->p->ctx, WEFT_ERROR_INVALID,
                        "%s: the residuals do not determine parameter %u: fix it, or add "
                        "residuals", c->p->label, c->space.parameter[column]);
}

/* Columns of norm 1, so that ranks do not depend on units. */
static bool column_norms(weft_solve_covariance *c)
{
    const Rows *r = &c->rows;
    for (uint32_t i = 0; i < r->count; i++) {
        const Instance *in = &r->instances[i];
        for (uint32_t k = 0; k < in->outputs * in->width; k++) {
            double v = r->values[in->value + k];
            c->norm[r->columns[in->column + k % in->width]] += v * v;
        }
    }
    for (uint32_t i = 0; i < c->space.dims; i++) {
        c->norm[i] = sqrt(c->norm[i]);
        if (!(c->norm[i] > 0) || !isfinite(c->norm[i]))
            return undetermined(c, i);
    }
    return true;
}

static bool factor_dense(weft_solve_covariance *c, double tolerance)
{
    const Rows *r = &c->rows;
    uint32_t n = c->space.dims;
    if (!qr_init(&c->qr, n))
        return context_fail(c->p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", c->p->label);
    qr_clear(&c->qr);
    for (uint32_t i = 0; i < r->count; i++) {
        const Instance *in = &r->instances[i];
        for (uint32_t o = 0; o < in->outputs; o++) {
            double *row = qr_row(&c->qr);
            for (uint32_t k = 0; k < in->width; k++) {
                uint32_t column = r->columns[in->column + k];
                row[column] = r->values[in->value + (size_t)o * in->width + k] / c->norm[column];
            }
        }
    }
    qr_finish(&c->qr);
    for (uint32_t i = 0; i < n; i++)
        if (!(fabs(c->qr.r[i * c->qr.row + i]) > tolerance))
            return undetermined(c, i);
    return true;
}

static bool factor_sparse(weft_solve_covariance *c, double tolerance)
{
    BlockMatrix *m = &c->normal.m;
    Order order;
    if (!normal_make(&c->normal, &c->rows))
        return false;
    normal_assemble(&c->normal, NULL);
    for (uint32_t p = 0; p < m->pair_count; p++) {
        uint32_t columns = block_size(m, m->column[p]);
        for (uint64_t k = m->at[p]; k < m->at[p + 1]; k++)
            m->values[k] /= c->norm[m->first[m->row[p]] + (k - m->at[p]) / columns] *
                            c->norm[m->first[m->column[p]] + (k - m->at[p]) % columns];
    }
    bool ok = order_make(&order, m) && ldl_make(&c->ldl, m, &order);
    order_fini(&order);
    if (!ok)
        return context_fail(c->p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", c->p->label);
    /* a pivot of transpose(J) J is the square of one of J, and has no more digits */
    double least = fmax(tolerance * tolerance, 1e-14);
    if (ldl_factor(&c->ldl, m, NULL, least))
        return true;
    for (uint32_t k = 0; k < m->dims; k++)
        if (!(c->ldl.d[k] > least))
            return undetermined(c, c->ldl.old_of[k]);
    return undetermined(c, 0);
}

/* out = inverse(transpose(J) J) applied to a vector, in place. */
static void apply(weft_solve_covariance *c, double *v)
{
    uint32_t n = c->space.dims;
    for (uint32_t i = 0; i < n; i++)
        v[i] /= c->norm[i];
    if (!c->dense)
        ldl_solve(&c->ldl, v, c->scratch);
    else {
        for (uint32_t i = 0; i < n; i++) {
            const double *r = c->qr.r + i * c->qr.row;
            v[i] /= r[i];
            for (uint32_t k = i + 1; k < n; k++)
                v[k] -= r[k] * v[i];
        }
        for (uint32_t i = n; i-- > 0;) {
            const double *r = c->qr.r + i * c->qr.row;
            for (uint32_t k = i + 1; k < n; k++)
                v[i] -= r[k] * v[k];
            v[i] /= r[i];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        v[i] *= c->scale / c->norm[i];
}

static bool evaluate(weft_solve_covariance *c, const double *x)
{
    bool defined;
    for (uint32_t i = 0; i < c->p->terms.len; i++)
        if (c->p->terms.data[i].kind == TERM_OBJECTIVE)
            return context_fail(c->p->ctx, WEFT_ERROR_UNSUPPORTED,
                                "%s: a covariance needs residuals, and term %u is an objective",
                                c->p->label, i);
    if (!rows_make(&c->rows, c->p, &c->space) || !rows_evaluate(&c->rows, &defined, x, true))
        return false;
    if (!defined)
        return context_fail(c->p->ctx, WEFT_ERROR_INVALID,
                            "%s: the cost is not finite at these parameters", c->p->label);
    rows_accept(&c->rows);
    return true;
}

static bool set_scale(weft_solve_covariance *c, bool unscaled)
{
    uint64_t m = c->rows.residual_count, n = c->space.dims;
    c->scale = 1;
    if (unscaled)
        return true;
    if (m <= n)
        return context_fail(c->p->ctx, WEFT_ERROR_INVALID,
                            "%s: %llu residuals do not tell the variance of %llu parameters; "
                            "unscaled gives the covariance for residuals of variance 1",
                            c->p->label, (unsigned long long)m, (unsigned long long)n);
    c->scale = 2 * c->rows.cost / (double)(m - n);
    return true;
}

weft_solve_covariance *weft_solve_covariance_create(weft_solve_problem *p, const double *x,
                                                    const weft_solve_covariance_desc *desc)
{
    weft_solve_covariance_desc d = desc ? *desc : (weft_solve_covariance_desc){0};
    if (!problem_usable(p) || (!x && !context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: x is NULL",
                                                   p->label)))
        return NULL;
    weft_solve_covariance *c = calloc(1, sizeof *c);
    if (!c) {
        context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", p->label);
        return NULL;
    }
    c->p = weft_solve_problem_retain(p);
    bool ok = space_make(&c->space, p) && evaluate(c, x) && set_scale(c, d.unscaled);
    c->norm = ok ? calloc(3ull * c->space.dims + 1, sizeof *c->norm) : NULL;
    if (c->norm) {
        c->column = c->norm + c->space.dims;
        c->scratch = c->column + c->space.dims;
        c->dense = c->space.dims <= QR_MOST;
        double tolerance = d.rank_tolerance > 0 ? d.rank_tolerance : 1e-12;
        if (column_norms(c) && (c->dense ? factor_dense(c, tolerance)
                                         : factor_sparse(c, tolerance)))
            return c;
    }
    weft_solve_covariance_release(c);
    return NULL;
}

void weft_solve_covariance_release(weft_solve_covariance *c)
{
    if (!c)
        return;
    ldl_fini(&c->ldl);
    qr_fini(&c->qr);
    normal_fini(&c->normal);
    rows_fini(&c->rows);
    space_fini(&c->space);
    free(c->norm);
    weft_solve_problem_release(c->p);
    free(c);
}

/* d parameter / d step: one entry, or the row of a manifold's derivative. */
static double spread(const Space *s, uint32_t parameter, const double *steps)
{
    int32_t column = s->column[parameter];
    if (column == COLUMN_FIXED)
        return 0;
    if (!COLUMN_IS_CURVE(column))
        return steps[column];
    const Curve *v = &s->curves[COLUMN_CURVE_OF(column)];
    const double *j = s->jacobians + v->jacobian + (size_t)(parameter - v->c.first) *
                                                   v->c.tangent;
    return vector_dot(j, steps + v->at, v->c.tangent);
}

/* The transpose: how a parameter's unit vector looks in steps. */
static void unit(const Space *s, uint32_t parameter, double *steps)
{
    int32_t column = s->column[parameter];
    memset(steps, 0, s->dims * sizeof *steps);
    if (column == COLUMN_FIXED)
        return;
    if (!COLUMN_IS_CURVE(column)) {
        steps[column] = 1;
        return;
    }
    const Curve *v = &s->curves[COLUMN_CURVE_OF(column)];
    memcpy(steps + v->at, s->jacobians + v->jacobian + (size_t)(parameter - v->c.first) *
                                                       v->c.tangent,
           v->c.tangent * sizeof *steps);
}

bool weft_solve_covariance_block(double *out, weft_solve_covariance *c, uint32_t first_row,
                                 uint32_t rows, uint32_t first_column, uint32_t columns)
{
    if (!c || !problem_range(c->p, first_row, rows) || !problem_range(c->p, first_column, columns))
        return false;
    for (uint32_t k = 0; k < columns; k++) {
        unit(&c->space, first_column + k, c->column);
        apply(c, c->column);
        for (uint32_t i = 0; i < rows; i++)
            out[(size_t)i * columns + k] = spread(&c->space, first_row + i, c->column);
    }
    return true;
}
