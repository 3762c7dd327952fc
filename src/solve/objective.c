// SPDX-License-Identifier: Apache-2.0
/*
 * objective.c - cost and gradient of a problem, for methods that need no Jacobian.
 *
 * in     terms of every kind, parameters
 * out    the cost; its gradient in columns of steps, summed on the device
 * knows  weft/grad.h, loss.c, space.c
 * not    methods
 */
#include "solve/solver_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

bool objective_make(Objective *f, Solver *s)
{
    weft_solve_problem *p = s->p;
    size_t values = 0, jacobian = 0, own = 0;
    for (uint32_t i = 0; i < p->terms.len; i++) {
        const Term *t = &p->terms.data[i];
        if (t->loss || t->kind == TERM_FUNCTION)
            values = MAX_OF(values, (size_t)t->count * t->outputs);
        if (t->kind == TERM_FUNCTION) {
            jacobian = MAX_OF(jacobian, (size_t)t->outputs * t->inputs);
            own = MAX_OF(own, (size_t)t->inputs);
        }
    }
    *f = (Objective){.s = s};
    f->raw = malloc(p->parameter_count * sizeof *f->raw);
    f->sum = malloc(p->parameter_count * sizeof *f->sum);
    f->values = malloc((values + 1) * sizeof *f->values);
    f->weights = malloc((values + 1) * sizeof *f->weights);
    f->jacobian = malloc((jacobian + 1) * sizeof *f->jacobian);
    f->own = malloc((own + 1) * sizeof *f->own);
    if (f->raw && f->sum && f->values && f->weights && f->jacobian && f->own)
        return true;
    objective_fini(f);
    return context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory for gradients", p->label);
}

void objective_fini(Objective *f)
{
    free(f->raw);
    free(f->sum);
    free(f->values);
    free(f->weights);
    free(f->jacobian);
    free(f->own);
    *f = (Objective){0};
}

/* Residuals become weights of the gradient: rho' r. Returns the cost of the term. */
static double weigh(double *weights, const double *values, const Term *t)
{
    double cost = 0, rho[3];
    for (uint32_t i = 0; i < t->count; i++) {
        double s = 0;
        for (uint32_t o = 0; o < t->outputs; o++)
            s += values[(size_t)i * t->outputs + o] * values[(size_t)i * t->outputs + o];
        loss_at(rho, t->loss, s);
        cost += rho[0] / 2;
        for (uint32_t o = 0; o < t->outputs; o++)
            weights[(size_t)i * t->outputs + o] = rho[1] * values[(size_t)i * t->outputs + o];
    }
    return cost;
}

static bool function_term(Objective *f, const Term *t, double *cost, bool gradient,
                          const double *x)
{
    for (uint32_t i = 0; i < t->inputs; i++)
        f->own[i] = x[t->function.index[i]];
    if (!t->function.evaluate(t->function.user, f->values, gradient ? f->jacobian : NULL,
                              f->own)) {
        *cost = NAN;
        return true;
    }
    *cost = weigh(f->weights, f->values, t);
    memset(f->raw, 0, f->s->p->parameter_count * sizeof *f->raw);
    for (uint32_t o = 0; gradient && o < t->outputs; o++)
        for (uint32_t i = 0; i < t->inputs; i++)
            f->raw[t->function.index[i]] += f->weights[o] *
                                            f->jacobian[(size_t)o * t->inputs + i];
    return true;
}

static bool batch_term(Objective *f, const Term *t, double *cost, bool gradient, const double *x)
{
    double *raw = gradient ? f->raw : NULL;
    if (!t->loss)
        return weft_grad_batch_evaluate(t->batch, &(weft_grad_evaluation){
            .x = x, .gradient = raw, .cost = cost,
            .weighting = t->kind == TERM_OBJECTIVE ? WEFT_GRAD_ONES : WEFT_GRAD_RESIDUALS});
    if (!weft_grad_batch_evaluate(t->batch, &(weft_grad_evaluation){.x = x,
                                                                    .values = f->values}))
        return false;
    *cost = weigh(f->weights, f->values, t);
    return !gradient || weft_grad_batch_evaluate(t->batch, &(weft_grad_evaluation){
        .x = x, .gradient = raw, .weighting = WEFT_GRAD_GIVEN, .weights = f->weights});
}

bool objective_evaluate(Objective *f, double *cost, double *gradient, const double *x)
{
    weft_solve_problem *p = f->s->p;
    uint64_t begin = clock_ns();
    *cost = 0;
    memset(f->sum, 0, p->parameter_count * sizeof *f->sum);
    for (uint32_t i = 0; i < p->terms.len; i++) {
        const Term *t = &p->terms.data[i];
        double one = 0;
        bool ok = t->kind == TERM_FUNCTION ? function_term(f, t, &one, gradient != NULL, x)
                                           : batch_term(f, t, &one, gradient != NULL, x);
        if (!ok)
            return false;
        *cost += t->weight * one;
        for (uint32_t k = 0; gradient && k < p->parameter_count; k++)
            f->sum[k] += t->weight * f->raw[k];
    }
    if (gradient) {
        space_linearise(&f->s->space, x);
        space_tangent(&f->s->space, gradient, f->sum);
        f->s->result.jacobian_evaluations++;
        solver_time(&f->s->result.jacobian_seconds, begin);
    } else
        solver_time(&f->s->result.cost_seconds, begin);
    f->s->result.cost_evaluations++;
    return true;
}

bool weft_solve_evaluate(double *cost, double *gradient, weft_solve_problem *p, const double *x)
{
    Solver s = {.p = p};
    Objective f = {0};
    if (!problem_usable(p))
        return false;
    if (!cost || !x)
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: cost or x is NULL", p->label);
    double *steps = gradient ? malloc((p->parameter_count + 1ull) * sizeof *steps) : NULL;
    bool ok = gradient && !steps ? context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory",
                                                p->label)
                                 : space_make(&s.space, p);
    ok = ok && objective_make(&f, &s) && objective_evaluate(&f, cost, steps, x);
    for (uint32_t i = 0; ok && gradient && i < p->parameter_count; i++)
        gradient[i] = p->fixed[i] ? 0 : f.sum[i];
    objective_fini(&f);
    space_fini(&s.space);
    free(steps);
    return ok;
}
