// SPDX-License-Identifier: Apache-2.0
/*
 * solver.c - weft_solve(): options, start, the method, the result.
 *
 * in     a problem, a start, options
 * out    the best parameters, why the solve ended, times
 * knows  the methods by one function each
 * not    how they work
 */
#include "solve/solver_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

static const bool needs_residuals[] = {
#define X(kind, name, residuals) residuals,
    WEFT_SOLVE_METHODS(X)
#undef X
};

/* ---- options ---- */

static double default_to(double value, double otherwise)
{
    return value == 0 ? otherwise : value;
}

static weft_solve_options options_resolve(const weft_solve_options *options)
{
    weft_solve_options o = options ? *options : (weft_solve_options){0};
    bool first_order = o.method == WEFT_SOLVE_ADAM || o.method == WEFT_SOLVE_ADAMW ||
                       o.method == WEFT_SOLVE_SGD;
    if (o.max_iterations == 0)
        o.max_iterations = first_order ? 1000 : o.method == WEFT_SOLVE_LBFGS ? 200 : 50;
    /* steps of first-order methods are short on purpose */
    o.cost_tolerance = default_to(o.cost_tolerance, first_order ? WEFT_SOLVE_NEVER : 1e-6);
    o.parameter_tolerance = default_to(o.parameter_tolerance,
                                       first_order ? WEFT_SOLVE_NEVER : 1e-8);
    o.gradient_tolerance = default_to(o.gradient_tolerance, 1e-10);
    o.initial_radius = default_to(o.initial_radius, 1e4);
    o.max_radius = default_to(o.max_radius, 1e16);
    o.linear_iterations = o.linear_iterations ? o.linear_iterations : 500;
    o.history = o.history ? o.history : 10;
    o.learning_rate = default_to(o.learning_rate, o.method == WEFT_SOLVE_SGD ? 1e-2 : 1e-3);
    o.beta1 = default_to(o.beta1, 0.9);
    o.beta2 = default_to(o.beta2, 0.999);
    o.epsilon = default_to(o.epsilon, 1e-8);
    o.weight_decay = default_to(o.weight_decay, o.method == WEFT_SOLVE_ADAMW ? 0.01 : 0);
    return o;
}

/* What is wrong with resolved options, or NULL. */
static const char *options_fault(const weft_solve_options *o)
{
    const double finite[] = {o->cost_tolerance, o->gradient_tolerance, o->parameter_tolerance,
                             o->cost_limit, o->time_limit, o->linear_tolerance, o->weight_decay,
                             o->gradient_clip, o->momentum};
    for (size_t i = 0; i < COUNTOF(finite); i++)
        if (!isfinite(finite[i]))
            return "a tolerance, limit or rate is not finite";
    if ((unsigned)o->method >= WEFT_SOLVE_METHOD_COUNT)
        return "unknown method";
    if ((unsigned)o->linear >= WEFT_SOLVE_LINEAR_COUNT)
        return "unknown linear solver";
    if ((unsigned)o->damping > WEFT_SOLVE_IDENTITY)
        return "unknown damping";
    if (!(o->initial_radius > 0) || !(o->max_radius >= o->initial_radius))
        return "initial_radius must be above 0 and not above max_radius";
    if (o->time_limit < 0)
        return "time_limit is below 0";
    if (!(o->learning_rate > 0) || !isfinite(o->learning_rate) || !(o->epsilon > 0))
        return "learning_rate and epsilon must be above 0";
    if (!(o->beta1 >= 0 && o->beta1 < 1) || !(o->beta2 >= 0 && o->beta2 < 1) ||
        !(o->momentum >= 0 && o->momentum < 1))
        return "beta1, beta2 and momentum must be in [0, 1)";
    if (o->weight_decay < 0 || o->gradient_clip < 0)
        return "weight_decay and gradient_clip must not be below 0";
    if (o->history > 1000)
        return "history is above 1,000";
    if (o->eliminate_count > 0 && !o->eliminate)
        return "eliminate_count without eliminate";
    return NULL;
}

static bool options_fit(const Solver *s)
{
    const weft_solve_problem *p = s->p;
    const char *fault = options_fault(&s->o);
    if (fault)
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: %s", p->label, fault);
    if (p->terms.len == 0)
        return context_fail(p->ctx, WEFT_ERROR_INVALID,
                            "%s: it has no terms: add a batch before solving", p->label);
    for (uint32_t i = 0; i < p->terms.len; i++)
        if (needs_residuals[s->o.method] && p->terms.data[i].kind == TERM_OBJECTIVE)
            return context_fail(p->ctx, WEFT_ERROR_UNSUPPORTED,
                                "%s: %s needs residuals, and term %u is an objective: use lbfgs, "
                                "adam, adamw or sgd", p->label,
                                weft_solve_method_name(s->o.method), i);
    for (uint32_t i = 0; i < s->o.eliminate_count; i++)
        if (s->o.eliminate[i] >= p->parameter_count)
            return context_fail(p->ctx, WEFT_ERROR_INVALID,
                                "%s: parameter %u, to be eliminated, does not exist", p->label,
                                s->o.eliminate[i]);
    return true;
}

/* ---- for the methods ---- */

double solver_seconds(const Solver *s)
{
    return (double)(clock_ns() - s->begin) * 1e-9;
}

void solver_time(double *field, uint64_t begin)
{
    *field += (double)(clock_ns() - begin) * 1e-9;
}

bool solver_end(Solver *s, weft_solve_termination reason)
{
    s->result.termination = reason;
    return false;
}

bool solver_flat(Solver *s)
{
    s->result.gradient = space_gradient_norm(&s->space, s->x, s->gradient);
    return s->result.gradient <= s->o.gradient_tolerance;
}

bool solver_short(const Solver *s, double norm)
{
    double tolerance = s->o.parameter_tolerance;
    return tolerance >= 0 &&
           norm <= tolerance * (vector_norm(s->x, s->p->parameter_count) + tolerance);
}

bool solver_report(Solver *s, const weft_solve_iteration *iteration)
{
    weft_solve_iteration i = *iteration;
    i.seconds = solver_seconds(s);
    i.x = s->x;
    s->result.iterations = i.iteration;
    s->result.accepted += i.iteration > 0 && i.accepted;
    if (s->o.callback && !s->o.callback(s->o.user, &i))
        return solver_end(s, WEFT_SOLVE_STOPPED);
    if (s->o.cost_limit != 0 && i.cost <= s->o.cost_limit)
        return solver_end(s, WEFT_SOLVE_COST_LIMIT);
    if (i.iteration >= s->o.max_iterations)
        return solver_end(s, WEFT_SOLVE_MAX_ITERATIONS);
    if (s->o.time_limit > 0 && i.seconds >= s->o.time_limit)
        return solver_end(s, WEFT_SOLVE_TIME_LIMIT);
    return true;
}

/* ---- the solve ---- */

static bool prepare(Solver *s, const double *start)
{
    weft_solve_problem *p = s->p;
    if (!space_make(&s->space, p))
        return false;
    s->x = malloc(p->parameter_count * sizeof *s->x);
    s->next = malloc(p->parameter_count * sizeof *s->next);
    s->step = calloc(s->space.dims + 1ull, sizeof *s->step);
    s->gradient = calloc(s->space.dims + 1ull, sizeof *s->gradient);
    if (!s->x || !s->next || !s->step || !s->gradient)
        return context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory for %u parameters",
                            p->label, p->parameter_count);
    memcpy(s->x, start, p->parameter_count * sizeof *s->x);
    return true;
}

/* Without free parameters there is only a cost. */
static bool evaluate_only(Solver *s)
{
    Objective f;
    bool ok = objective_make(&f, s) && objective_evaluate(&f, &s->cost, NULL, s->x);
    objective_fini(&f);
    s->result.initial_cost = s->cost;
    solver_end(s, isfinite(s->cost) ? WEFT_SOLVE_NO_FREE_PARAMETERS : WEFT_SOLVE_NOT_FINITE);
    return ok;
}

static bool run_method(Solver *s)
{
    if (!vector_finite(s->x, s->p->parameter_count) || !space_start(&s->space, s->x)) {
        s->cost = NAN;
        solver_end(s, WEFT_SOLVE_NOT_FINITE);
        return true;
    }
    if (s->space.dims == 0)
        return evaluate_only(s);
    switch (s->o.method) {
    case WEFT_SOLVE_LBFGS:
        return lbfgs_solve(s);
    case WEFT_SOLVE_ADAM:
    case WEFT_SOLVE_ADAMW:
    case WEFT_SOLVE_SGD:
        return descent_solve(s);
    default:
        return trust_solve(s);
    }
}

static void finish(Solver *s, bool ok, double *x)
{
    weft_solve_result *r = &s->result;
    if (!ok)
        r->termination = WEFT_SOLVE_FAILED;
    r->converged = weft_solve_termination_converged(r->termination);
    r->final_cost = s->cost;
    r->parameters = s->p->parameter_count;
    r->free_parameters = s->space.dims;
    r->method = s->o.method;
    r->seconds = solver_seconds(s);
    if (r->termination != WEFT_SOLVE_NOT_FINITE && s->x)
        memcpy(x, s->x, s->p->parameter_count * sizeof *x);
    context_count(s->p->ctx, "solve.solves", "count", 1);
    context_count(s->p->ctx, "solve.iterations", "count", r->iterations);
    context_count(s->p->ctx, "solve.jacobians", "count", r->jacobian_evaluations);
    context_count(s->p->ctx, "solve.linear_solves", "count", r->linear_solves);
    context_count(s->p->ctx, "solve.linear_ns", "ns", (uint64_t)(r->linear_seconds * 1e9));
    summary_write(s);
}

bool weft_solve(weft_solve_result *result, double *x, weft_solve_problem *p,
                const weft_solve_options *options)
{
    if (result)
        *result = (weft_solve_result){.termination = WEFT_SOLVE_FAILED};
    if (!problem_usable(p))
        return false;
    if (!x)
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: x is NULL", p->label);
    Solver s = {.p = p, .o = options_resolve(options), .begin = clock_ns()};
    if (!options_fit(&s))
        return false;
    p->solving = true;
    for (uint32_t i = 0; i < p->terms.len; i++)
        s.result.residuals += (uint64_t)p->terms.data[i].count * p->terms.data[i].outputs;
    bool ok = prepare(&s, x) && run_method(&s);
    finish(&s, ok, x);
    p->solving = false;
    if (result)
        *result = s.result;
    space_fini(&s.space);
    free(s.x);
    free(s.next);
    free(s.step);
    free(s.gradient);
    return ok;
}
