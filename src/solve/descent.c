// SPDX-License-Identifier: Apache-2.0
/*
 * descent.c - steps along the gradient: SGD with momentum, Adam, AdamW.
 *
 * in     cost and gradient
 * out    steps of the given rate; the parameters of least cost that were met
 * knows  objective.c, solver_priv.h
 * not    rows, linear systems
 */
#include "solve/solver_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Descent {
    Solver   *s;
    Objective f;
    double   *mean, *square;        /* [dims] running averages; SGD: `mean` is the velocity */
    double   *best;                 /* [parameters]                                         */
    double    best_cost, cost;
} Descent;

static bool descent_make(Descent *d, Solver *s)
{
    size_t n = s->space.dims + 1ull;
    *d = (Descent){.s = s};
    if (!objective_make(&d->f, s))
        return false;
    d->mean = calloc(n, sizeof *d->mean);
    d->square = calloc(n, sizeof *d->square);
    d->best = malloc(s->p->parameter_count * sizeof *d->best);
    return (d->mean && d->square && d->best) ||
           context_fail(s->p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", s->p->label);
}

static void descent_fini(Descent *d)
{
    objective_fini(&d->f);
    free(d->mean);
    free(d->square);
    free(d->best);
}

/* The value of a plain parameter, which weight decay pulls to 0; manifolds have none. */
static double weight_of(const Solver *s, uint32_t c)
{
    uint32_t p = s->space.parameter[c];
    return s->space.column[p] == (int32_t)c ? s->x[p] : 0;
}

static void make_step(Descent *d, uint32_t iteration)
{
    Solver *s = d->s;
    const weft_solve_options *o = &s->o;
    uint32_t n = s->space.dims;
    bool decoupled = o->method == WEFT_SOLVE_ADAMW, sgd = o->method == WEFT_SOLVE_SGD;
    double norm = vector_norm(s->gradient, n);
    double clip = o->gradient_clip > 0 && norm > o->gradient_clip ? o->gradient_clip / norm : 1;
    double first = 1 - pow(o->beta1, iteration), second = 1 - pow(o->beta2, iteration);
    for (uint32_t c = 0; c < n; c++) {
        double weight = weight_of(s, c);
        double g = clip * s->gradient[c] + (decoupled ? 0 : o->weight_decay * weight);
        if (sgd) {
            d->mean[c] = o->momentum * d->mean[c] + g;
            s->step[c] = -o->learning_rate * d->mean[c];
            continue;
        }
        d->mean[c] = o->beta1 * d->mean[c] + (1 - o->beta1) * g;
        d->square[c] = o->beta2 * d->square[c] + (1 - o->beta2) * g * g;
        s->step[c] = -o->learning_rate * (d->mean[c] / first /
                                          (sqrt(d->square[c] / second) + o->epsilon) +
                                          (decoupled ? o->weight_decay * weight : 0));
    }
}

/* Whether the solve goes on after the evaluation of iteration i. */
static bool judge(Descent *d, uint32_t i, double before, double norm)
{
    Solver *s = d->s;
    bool flat = solver_flat(s);
    if (d->cost < d->best_cost || i == 0) {
        d->best_cost = d->cost;
        memcpy(d->best, s->x, s->p->parameter_count * sizeof *d->best);
    }
    if (!solver_report(s, &(weft_solve_iteration){
            .iteration = i, .accepted = true, .cost = d->cost,
            .change = i > 0 ? before - d->cost : 0, .gradient = s->result.gradient, .step = norm,
            .radius = s->o.learning_rate}))
        return false;
    if (flat)
        return solver_end(s, WEFT_SOLVE_GRADIENT_TOLERANCE);
    if (i == 0)
        return true;
    if (s->o.cost_tolerance >= 0 && fabs(before - d->cost) <= s->o.cost_tolerance * fabs(before))
        return solver_end(s, WEFT_SOLVE_COST_TOLERANCE);
    if (solver_short(s, norm))
        return solver_end(s, WEFT_SOLVE_PARAMETER_TOLERANCE);
    return true;
}

static bool iterate(Descent *d)
{
    Solver *s = d->s;
    double before = 0, norm = 0;
    for (uint32_t i = 0;; i++) {
        if (!objective_evaluate(&d->f, &d->cost, s->gradient, s->x))
            return false;
        if (i == 0)
            s->result.initial_cost = d->cost;
        if (!isfinite(d->cost) || !vector_finite(s->gradient, s->space.dims)) {
            d->best_cost = i == 0 ? d->cost : d->best_cost;
            solver_end(s, i == 0 ? WEFT_SOLVE_NOT_FINITE : WEFT_SOLVE_DIVERGED);
            return true;
        }
        if (!judge(d, i, before, norm))
            return true;
        before = d->cost;
        make_step(d, i + 1);
        norm = vector_norm(s->step, s->space.dims);
        space_plus(&s->space, s->next, s->x, s->step);
        double *x = s->x;
        s->x = s->next;
        s->next = x;
    }
}

bool descent_solve(Solver *s)
{
    Descent d;
    bool ok = descent_make(&d, s) && iterate(&d);
    if (ok && s->result.termination != WEFT_SOLVE_NOT_FINITE)
        memcpy(s->x, d.best, s->p->parameter_count * sizeof *s->x);
    s->cost = d.best_cost;
    descent_fini(&d);
    return ok;
}
