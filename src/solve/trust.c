// SPDX-License-Identifier: Apache-2.0
/*
 * trust.c - Levenberg-Marquardt, dogleg and Gauss-Newton.
 *
 * in     rows at the current point
 * out    steps that decrease the cost, until one of the tolerances is met
 * knows  linear_priv.h, solver_priv.h
 * not    how linear systems are solved
 *
 * Near a bound, columns that the gradient pushes beyond it are held by a huge damping, and what
 * else would leave the bounds is projected.
 */
#include "solve/solver_priv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

#define LEAST_DECREASE   1e-3       /* of the predicted one, for a step to be accepted      */
#define LEAST_RADIUS     1e-32
#define LEAST_DIAGONAL   1e-6       /* of scaled columns, in damping                        */
#define LARGEST_DIAGONAL 1e32
#define FAILURES_MOST    10u        /* consecutive systems without a solution               */
#define HALVINGS_MOST    30

typedef struct Trust {
    Solver  *s;
    Rows     rows;
    Normal   normal;
    Linear   linear;
    Team    *team;
    double  *diagonal, *scale;      /* [dims] of transpose(J) J; of columns, at the start   */
    double  *damping, *right, *product;
    double  *newton, *cauchy;       /* dogleg                                               */
    double   radius, shrink;
    double   newton_norm, cauchy_norm, gradient_norm;   /* in the norm of the trust region  */
    bool     fresh;                 /* dogleg: the steps of this point are computed         */
    double   regular;               /* dogleg, Gauss-Newton: damping of singular systems    */
    double  *window;                /* last costs, for nonmonotonic steps                   */
    uint32_t window_count;
    double  *best;                  /* parameters of least cost; NULL: always x             */
    double   best_cost;
} Trust;

/* ---- setup ---- */

static bool trust_allocate(Trust *t)
{
    Solver *s = t->s;
    size_t n = s->space.dims + 1ull;
    double **arrays[] = {&t->diagonal, &t->scale, &t->damping, &t->right, &t->product,
                         &t->newton, &t->cauchy};
    bool ok = true;
    for (size_t i = 0; i < COUNTOF(arrays); i++)
        ok = (*arrays[i] = calloc(n, sizeof(double))) && ok;
    if (s->o.nonmonotonic > 0) {
        t->window = malloc((s->o.nonmonotonic + 1ull) * sizeof *t->window);
        t->best = malloc(s->p->parameter_count * sizeof *t->best);
        ok = ok && t->window && t->best;
    }
    return ok || context_fail(s->p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", s->p->label);
}

static void trust_fini(Trust *t)
{
    linear_fini(&t->linear);
    normal_fini(&t->normal);
    rows_fini(&t->rows);
    team_release(t->team);
    double *arrays[] = {t->diagonal, t->scale, t->damping, t->right, t->product, t->newton,
                        t->cauchy, t->window, t->best};
    for (size_t i = 0; i < COUNTOF(arrays); i++)
        free(arrays[i]);
}

static uint32_t wanted_threads(const Solver *s)
{
    return s->o.threads ? s->o.threads : context_desc(s->p->ctx)->threads;
}

static bool trust_make(Trust *t, Solver *s)
{
    uint64_t begin = clock_ns();
    *t = (Trust){.s = s, .radius = s->o.initial_radius, .shrink = 2};
    t->team = team_create(wanted_threads(s));
    bool ok = trust_allocate(t) && rows_make(&t->rows, s->p, &s->space) &&
              normal_make(&t->normal, &t->rows) &&
              linear_make(&t->linear, &t->normal, &s->o, t->team);
    s->result.linear = t->linear.kind;
    s->result.threads = team_size(t->team);
    s->result.jacobian_entries = t->rows.value_count;
    s->result.factor_entries = t->linear.factor_entries;
    s->result.eliminated = t->linear.eliminated;
    solver_time(&s->result.setup_seconds, begin);
    return ok;
}

/* ---- the current point ---- */

static bool evaluate(Trust *t, bool *defined, const double *x, bool jacobian)
{
    Solver *s = t->s;
    uint64_t begin = clock_ns();
    bool ok = rows_evaluate(&t->rows, defined, x, jacobian);
    s->result.cost_evaluations++;
    s->result.jacobian_evaluations += jacobian;
    solver_time(jacobian ? &s->result.jacobian_seconds : &s->result.cost_seconds, begin);
    return ok;
}

/* Makes the point whose rows were evaluated last the current one. False if its derivatives are
 * not finite: the former point is then the current one again. */
static bool adopt(Trust *t)
{
    uint64_t begin = clock_ns();
    double cost = t->rows.cost;
    rows_accept(&t->rows);
    normal_assemble(&t->normal, t->team);
    matrix_diagonal(&t->normal.m, t->product);
    bool ok = vector_finite(t->normal.gradient, t->normal.m.dims) &&
              vector_finite(t->product, t->normal.m.dims);
    if (!ok) {
        t->rows.next_cost = cost;
        rows_accept(&t->rows);
        normal_assemble(&t->normal, t->team);
        matrix_diagonal(&t->normal.m, t->product);
    }
    memcpy(t->diagonal, t->product, t->normal.m.dims * sizeof *t->diagonal);
    memcpy(t->s->gradient, t->normal.gradient, t->normal.m.dims * sizeof *t->s->gradient);
    t->fresh = false;
    solver_time(&t->s->result.linear_seconds, begin);
    return ok;
}

static bool start(Trust *t, bool *go)
{
    Solver *s = t->s;
    bool defined;
    *go = false;
    if (!evaluate(t, &defined, s->x, true))
        return false;
    s->result.initial_cost = s->cost = t->best_cost = t->rows.next_cost;
    if (!defined || !adopt(t)) {
        if (defined)
            s->cost = s->result.initial_cost;
        solver_end(s, WEFT_SOLVE_NOT_FINITE);
        return true;
    }
    if (t->best)
        memcpy(t->best, s->x, s->p->parameter_count * sizeof *t->best);
    for (uint32_t i = 0; i < s->space.dims; i++)
        t->scale[i] = s->o.no_scaling ? 1 : 1 / (1 + sqrt(t->diagonal[i]));
    bool flat = solver_flat(s);
    *go = solver_report(s, &(weft_solve_iteration){
        .accepted = true, .cost = s->cost, .gradient = s->result.gradient, .radius = t->radius});
    if (*go && flat)
        *go = solver_end(s, WEFT_SOLVE_GRADIENT_TOLERANCE);
    return true;
}

/* ---- steps ---- */

/* The square of a column's natural unit, for damping and trust regions. */
static double unit(const Trust *t, uint32_t c)
{
    double scaled = t->diagonal[c] * t->scale[c] * t->scale[c];
    scaled = scaled < LEAST_DIAGONAL ? LEAST_DIAGONAL
           : scaled > LARGEST_DIAGONAL ? LARGEST_DIAGONAL : scaled;
    return scaled / (t->scale[c] * t->scale[c]);
}

/* Columns at a bound that they must not leave. */
static void hold(Trust *t)
{
    const Solver *s = t->s;
    for (uint32_t c = 0; c < s->space.dims; c++) {
        t->right[c] = -s->gradient[c];
        if (s->space.bounded && space_held(&s->space, s->x, s->gradient, c)) {
            t->right[c] = 0;
            t->damping[c] += 1e20 * (1 + t->diagonal[c]);
        }
    }
}

static bool solve_system(Trust *t, double *step)
{
    Solver *s = t->s;
    uint64_t begin = clock_ns();
    hold(t);
    /* conjugate gradients: looser at first */
    t->linear.tolerance = s->o.linear_tolerance > 0 ? s->o.linear_tolerance : 1e-2;
    bool ok = linear_factor(&t->linear, t->damping) && linear_solve(&t->linear, step, t->right);
    s->result.linear_solves++;
    s->result.linear_iterations += t->linear.iterations;
    solver_time(&s->result.linear_seconds, begin);
    return ok;
}

static bool marquardt_step(Trust *t)
{
    Solver *s = t->s;
    for (uint32_t c = 0; c < s->space.dims; c++)
        t->damping[c] = (s->o.damping == WEFT_SOLVE_IDENTITY ? 1 : unit(t, c)) / t->radius;
    return solve_system(t, s->step);
}

/* The Gauss-Newton step; where the system is singular, with as little damping as it needs. */
static bool newton_step(Trust *t, double *step)
{
    for (uint32_t tries = 0; tries < FAILURES_MOST; tries++) {
        for (uint32_t c = 0; c < t->s->space.dims; c++)
            t->damping[c] = unit(t, c) * t->regular;
        if (solve_system(t, step)) {
            t->regular = t->regular > 1e-14 ? t->regular / 4 : 0;
            return true;
        }
        t->regular = t->regular == 0 ? 1e-14 : t->regular * 100;
    }
    return false;
}

static double region_norm(const Trust *t, const double *v)
{
    double sum = 0;
    for (uint32_t c = 0; c < t->s->space.dims; c++)
        sum += unit(t, c) * v[c] * v[c];
    return sqrt(sum);
}

/* The minimum of the model along the steepest descent, in the norm of the trust region. */
static void cauchy_step(Trust *t)
{
    uint32_t n = t->s->space.dims;
    for (uint32_t c = 0; c < n; c++)
        t->cauchy[c] = t->right[c] / unit(t, c);
    matrix_multiply(&t->normal.m, t->product, t->cauchy);
    double curvature = vector_dot(t->cauchy, t->product, n);
    double slope = vector_dot(t->cauchy, t->right, n);
    double length = curvature > 0 ? slope / curvature : 0;
    for (uint32_t c = 0; c < n; c++)
        t->cauchy[c] *= length;
}

/* From the Cauchy point towards the Newton point, as far as the radius goes. */
static void between(Trust *t)
{
    uint32_t n = t->s->space.dims;
    double a = 0, b = 0, c = -t->radius * t->radius;
    for (uint32_t i = 0; i < n; i++) {
        double u = unit(t, i), d = t->newton[i] - t->cauchy[i];
        a += u * d * d;
        b += u * d * t->cauchy[i];
        c += u * t->cauchy[i] * t->cauchy[i];
    }
    double root = sqrt(fmax(b * b - a * c, 0));
    double length = b > 0 ? -c / (b + root) : (root - b) / a;
    for (uint32_t i = 0; i < n; i++)
        t->s->step[i] = t->cauchy[i] + length * (t->newton[i] - t->cauchy[i]);
}

static bool dogleg_step(Trust *t)
{
    uint32_t n = t->s->space.dims;
    if (!t->fresh) {
        if (!newton_step(t, t->newton))
            return false;
        cauchy_step(t);
        t->newton_norm = region_norm(t, t->newton);
        t->cauchy_norm = region_norm(t, t->cauchy);
        t->fresh = true;
    }
    if (t->newton_norm <= t->radius)
        memcpy(t->s->step, t->newton, n * sizeof *t->newton);
    else if (t->cauchy_norm >= t->radius)
        for (uint32_t c = 0; c < n; c++)
            t->s->step[c] = t->cauchy[c] * (t->radius / t->cauchy_norm);
    else
        between(t);
    return true;
}

static bool next_step(Trust *t)
{
    switch (t->s->o.method) {
    case WEFT_SOLVE_DOGLEG:       return dogleg_step(t);
    case WEFT_SOLVE_GAUSS_NEWTON: return newton_step(t, t->s->step);
    default:                      return marquardt_step(t);
    }
}

/* ---- judging a step ---- */

/* next = x plus step. Bounds may shorten the step, which is then what remains of it. */
static void take(Trust *t)
{
    Solver *s = t->s;
    space_plus(&s->space, s->next, s->x, s->step);
    for (uint32_t c = 0; s->space.bounded && c < s->space.dims; c++) {
        uint32_t p = s->space.parameter[c];
        if (s->space.column[p] == (int32_t)c)
            s->step[c] = s->next[p] - s->x[p];
    }
}

/* What the model says of the step: -g.s - s.H.s / 2. Where the step solves (H + D) s = -g, that
 * is half of s.D.s - g.s. */
static double predicted(Trust *t)
{
    const Solver *s = t->s;
    if (t->linear.exact) {
        double sum = 0;
        for (uint32_t c = 0; c < s->space.dims; c++)
            sum += s->step[c] * (t->right[c] + t->damping[c] * s->step[c]);
        return sum / 2;
    }
    matrix_multiply(&t->normal.m, t->product, s->step);
    return -vector_dot(s->gradient, s->step, s->space.dims) -
           vector_dot(s->step, t->product, s->space.dims) / 2;
}

static double reference_cost(const Trust *t)
{
    double worst = t->s->cost;
    for (uint32_t i = 0; i < t->window_count; i++)
        worst = fmax(worst, t->window[i]);
    return worst;
}

static void grow(Trust *t, double ratio)
{
    if (t->s->o.method == WEFT_SOLVE_DOGLEG) {
        if (ratio < 0.25)
            t->radius /= 2;
        else if (ratio > 0.75)
            t->radius = fmax(t->radius, 3 * region_norm(t, t->s->step));
    } else
        t->radius /= fmax(1.0 / 3, 1 - pow(2 * ratio - 1, 3));
    t->radius = fmin(t->radius, t->s->o.max_radius);
    t->shrink = 2;
}

static void contract(Trust *t)
{
    t->radius /= t->s->o.method == WEFT_SOLVE_DOGLEG ? 2 : t->shrink;
    t->shrink *= 2;
    /* a Newton step far outside: do not halve for ever */
    if (t->s->o.method == WEFT_SOLVE_DOGLEG && t->fresh && t->radius > t->newton_norm)
        t->radius = t->newton_norm / 2;
}

/* The accepted point becomes the current one. False if its derivatives are not finite. */
static bool move(Trust *t, bool *ok)
{
    Solver *s = t->s;
    bool defined = true;
    *ok = t->rows.next_jacobian || evaluate(t, &defined, s->next, true);
    if (!*ok || !defined || !adopt(t))
        return false;
    if (t->window) {
        uint32_t keep = MIN_OF(t->window_count, s->o.nonmonotonic - 1);
        memmove(t->window + 1, t->window, keep * sizeof *t->window);
        t->window[0] = s->cost;
        t->window_count = keep + 1;
    }
    double *x = s->x;
    s->x = s->next;
    s->next = x;
    s->cost = t->rows.cost;
    if (t->best && s->cost < t->best_cost) {
        t->best_cost = s->cost;
        memcpy(t->best, s->x, s->p->parameter_count * sizeof *t->best);
    }
    return true;
}

typedef struct Trial {
    double   model, change, norm;
    bool     accepted, tiny;        /* tiny: the cost hardly changes                        */
} Trial;

/* Evaluates the step that was solved for. */
static bool try_step(Trust *t, Trial *trial, bool jacobian)
{
    Solver *s = t->s;
    bool defined, ok;
    take(t);
    trial->norm = vector_norm(s->step, s->space.dims);
    trial->model = predicted(t);
    if (!evaluate(t, &defined, s->next, jacobian))
        return false;
    trial->change = defined ? s->cost - t->rows.next_cost : -INFINITY;
    /* a step across the minimum may leave the cost as it was by chance */
    trial->tiny = defined && fmax(fabs(trial->change), fabs(trial->model) / 10) <=
                                 s->o.cost_tolerance * s->cost;
    double worst = reference_cost(t) - s->cost;
    double ratio = trial->model > 0 ? (trial->change + worst) / (trial->model + worst) : -1;
    trial->accepted = defined && ratio > LEAST_DECREASE && trial->change + worst > 0;
    if (trial->accepted && !move(t, &ok)) {
        trial->accepted = trial->tiny = false;
        if (!ok)
            return false;
    }
    if (trial->accepted)
        grow(t, trial->change / trial->model);
    else
        contract(t);
    return true;
}

/* Gauss-Newton: the step is halved until the cost decreases. */
static bool search(Trust *t, Trial *trial)
{
    Solver *s = t->s;
    for (int i = 0; i < HALVINGS_MOST; i++) {
        if (!try_step(t, trial, i == 0))
            return false;
        if (trial->accepted || trial->tiny)
            return true;
        for (uint32_t c = 0; c < s->space.dims; c++)
            s->step[c] /= 2;
    }
    return true;
}

/* ---- the loop ---- */

/* Whether the solve goes on after a trial. */
static bool judge(Trust *t, const Trial *trial, uint32_t iteration)
{
    Solver *s = t->s;
    bool flat = trial->accepted && solver_flat(s);
    if (!solver_report(s, &(weft_solve_iteration){
            .iteration = iteration, .accepted = trial->accepted, .cost = s->cost,
            .change = trial->change, .gradient = s->result.gradient, .step = trial->norm,
            .radius = t->radius, .linear_iterations = t->linear.iterations}))
        return false;
    if (flat)
        return solver_end(s, WEFT_SOLVE_GRADIENT_TOLERANCE);
    if (solver_short(s, trial->norm))
        return solver_end(s, WEFT_SOLVE_PARAMETER_TOLERANCE);
    if (trial->tiny)
        return solver_end(s, WEFT_SOLVE_COST_TOLERANCE);
    if (!trial->accepted && (t->radius < LEAST_RADIUS || trial->norm == 0 ||
                             s->o.method == WEFT_SOLVE_GAUSS_NEWTON))
        return solver_end(s, WEFT_SOLVE_NO_DECREASE);
    return true;
}

static bool iterate(Trust *t)
{
    Solver *s = t->s;
    bool go, last = true, failed = weft_context_error(s->p->ctx)->kind != WEFT_ERROR_NONE;
    uint32_t failures = 0;
    if (!start(t, &go))
        return false;
    for (uint32_t i = 1; go; i++) {
        Trial trial = {.change = 0};
        if (!next_step(t)) {
            if (!failed && weft_context_error(s->p->ctx)->kind)
                return false;
            if (++failures >= FAILURES_MOST || s->o.method != WEFT_SOLVE_LEVENBERG_MARQUARDT) {
                solver_end(s, WEFT_SOLVE_LINEAR_SOLVER);
                break;
            }
            contract(t);
            i--;
            continue;
        }
        failures = 0;
        bool ok = s->o.method == WEFT_SOLVE_GAUSS_NEWTON ? search(t, &trial)
                                                         : try_step(t, &trial, last);
        if (!ok)
            return false;
        last = trial.accepted;
        go = judge(t, &trial, i);
    }
    return true;
}

bool trust_solve(Solver *s)
{
    Trust t;
    bool ok = trust_make(&t, s) && iterate(&t);
    if (ok && t.best && t.best_cost < s->cost) {
        memcpy(s->x, t.best, s->p->parameter_count * sizeof *s->x);
        s->cost = t.best_cost;
    }
    trust_fini(&t);
    return ok;
}
