// SPDX-License-Identifier: Apache-2.0
/*
 * space.c - from parameters to the coordinates of steps and back.
 *
 * in     what a problem says of its parameters
 * out    a column for each dimension in which they may move
 * knows  manifold.c
 * not    terms, linear systems
 */
#include "solve/space_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double vector_dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double vector_norm(const double *v, uint32_t n)
{
    return sqrt(vector_dot(v, v, n));
}

bool vector_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* ---- making it ---- */

/* 1: all parameters of the manifold are fixed, 0: none, -1: some. */
static int curve_fixed(const weft_solve_problem *p, const Curved *c)
{
    uint32_t fixed = 0;
    for (uint32_t i = 0; i < c->size; i++)
        fixed += p->fixed[c->first + i];
    return fixed == 0 ? 0 : fixed == c->size ? 1 : -1;
}

static bool add_curve(Space *s, weft_solve_problem *p, const Curved *c, size_t *entries)
{
    int fixed = curve_fixed(p, c);
    if (fixed < 0)
        return context_fail(p->ctx, WEFT_ERROR_INVALID,
                            "%s: of parameters %u to %u, which are on a manifold, some are fixed: "
                            "fix all or none", p->label, c->first, c->first + c->size - 1);
    for (uint32_t i = 0; i < c->size; i++)
        s->column[c->first + i] = fixed ? COLUMN_FIXED : COLUMN_CURVE(s->curve_count);
    if (fixed)
        return true;
    s->curves[s->curve_count++] = (Curve){*c, s->dims, *entries};
    for (uint32_t i = 0; i < c->tangent; i++)
        s->parameter[s->dims++] = c->first;
    *entries += (size_t)c->size * c->tangent;
    return true;
}

static bool add_columns(Space *s, weft_solve_problem *p, size_t *entries)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->parameter_count;) {
        if (next < p->curved_count && p->curved[next].first == i) {
            if (!add_curve(s, p, &p->curved[next], entries))
                return false;
            i += p->curved[next++].size;
            continue;
        }
        if (!p->fixed[i]) {
            s->bounded |= p->lower && (p->lower[i] > -INFINITY || p->upper[i] < INFINITY);
            s->parameter[s->dims] = i;
        }
        s->column[i] = p->fixed[i] ? COLUMN_FIXED : (int32_t)s->dims++;
        i++;
    }
    return true;
}

bool space_make(Space *s, weft_solve_problem *p)
{
    size_t entries = 0;
    *s = (Space){.parameters = p->parameter_count, .lower = p->lower, .upper = p->upper};
    if (p->parameter_count > INT32_MAX)
        return context_fail(p->ctx, WEFT_ERROR_UNSUPPORTED, "%s: more than 2^31 parameters",
                            p->label);
    s->column = malloc(p->parameter_count * sizeof *s->column);
    s->parameter = malloc(p->parameter_count * sizeof *s->parameter);
    s->curves = malloc((p->curved_count + 1u) * sizeof *s->curves);
    if (s->column && s->parameter && s->curves) {
        if (!add_columns(s, p, &entries)) {
            space_fini(s);
            return false;
        }
        s->jacobians = malloc((entries + 1) * sizeof *s->jacobians);
    }
    if (s->jacobians)
        return true;
    space_fini(s);
    return context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory for %u parameters", p->label,
                        p->parameter_count);
}

void space_fini(Space *s)
{
    free(s->column);
    free(s->parameter);
    free(s->curves);
    free(s->jacobians);
    *s = (Space){0};
}

/* ---- points and steps ---- */

static double within(const Space *s, uint32_t parameter, double value)
{
    if (value < s->lower[parameter])
        return s->lower[parameter];
    return value > s->upper[parameter] ? s->upper[parameter] : value;
}

bool space_start(const Space *s, double *x)
{
    for (uint32_t i = 0; s->bounded && i < s->parameters; i++)
        if (s->column[i] >= 0)
            x[i] = within(s, i, x[i]);
    for (uint32_t v = 0; v < s->curve_count; v++)
        if (!curved_normalise(x + s->curves[v].c.first, s->curves[v].c.kind,
                              s->curves[v].c.size))
            return false;
    return true;
}

void space_plus(const Space *s, double *out, const double *x, const double *step)
{
    for (uint32_t i = 0; i < s->parameters; i++)
        out[i] = s->column[i] >= 0 ? x[i] + step[s->column[i]] : x[i];
    for (uint32_t i = 0; s->bounded && i < s->parameters; i++)
        if (s->column[i] >= 0)
            out[i] = within(s, i, out[i]);
    for (uint32_t v = 0; v < s->curve_count; v++) {
        const Curve *c = &s->curves[v];
        curved_plus(out + c->c.first, c->c.kind, c->c.size, x + c->c.first, step + c->at);
    }
}

void space_linearise(Space *s, const double *x)
{
    for (uint32_t v = 0; v < s->curve_count; v++) {
        const Curve *c = &s->curves[v];
        curved_jacobian(s->jacobians + c->jacobian, c->c.kind, c->c.size, x + c->c.first);
    }
}

void space_tangent(const Space *s, double *out, const double *gradient)
{
    for (uint32_t i = 0; i < s->parameters; i++)
        if (s->column[i] >= 0)
            out[s->column[i]] = gradient[i];
    for (uint32_t v = 0; v < s->curve_count; v++) {
        const Curve *c = &s->curves[v];
        const double *j = s->jacobians + c->jacobian;
        for (uint32_t t = 0; t < c->c.tangent; t++) {
            out[c->at + t] = 0;
            for (uint32_t i = 0; i < c->c.size; i++)
                out[c->at + t] += j[(size_t)i * c->c.tangent + t] * gradient[c->c.first + i];
        }
    }
}

double space_gradient_norm(const Space *s, const double *x, const double *gradient)
{
    double largest = 0;
    for (uint32_t c = 0; c < s->dims; c++) {
        double g = gradient[c];
        uint32_t p = s->parameter[c];
        if (s->bounded && s->column[p] == (int32_t)c)
            g = x[p] - within(s, p, x[p] - g);
        largest = fabs(g) > largest || isnan(g) ? fabs(g) : largest;
        if (isnan(g))
            return g;
    }
    return largest;
}

bool space_held(const Space *s, const double *x, const double *gradient, uint32_t c)
{
    uint32_t p = s->parameter[c];
    if (!s->bounded || s->column[p] != (int32_t)c)
        return false;
    return (x[p] <= s->lower[p] && gradient[c] > 0) || (x[p] >= s->upper[p] && gradient[c] < 0);
}
