// SPDX-License-Identifier: Apache-2.0
/*
 * lbfgs.c - minimisation with a limited memory of gradients.
 *
 * in     cost and gradient
 * out    steps along directions of which the last gradients tell the curvature, each of a length
 *        that satisfies the strong Wolfe conditions; with bounds, projected and decreasing
 * knows  objective.c, solver_priv.h
 * not    rows, linear systems
 */
#include "solve/solver_priv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

#define DECREASE     1e-4           /* of the slope, that a step must reach                 */
#define CURVATURE    0.9            /* of the slope, that may be left                       */
#define TRIALS_MOST  25

typedef struct Memory {
    Solver   *s;
    Objective f;
    double   *next_gradient, *direction;
    double   *steps, *changes;      /* [history][dims]                                      */
    double   *inner, *alpha;        /* [history]                                            */
    uint32_t  count, newest;
} Memory;

static bool memory_make(Memory *m, Solver *s)
{
    size_t n = s->space.dims, h = s->o.history;
    *m = (Memory){.s = s};
    if (!objective_make(&m->f, s))
        return false;
    m->next_gradient = malloc((n + 1) * sizeof(double));
    m->direction = malloc((n + 1) * sizeof(double));
    m->steps = malloc((n * h + 1) * sizeof(double));
    m->changes = malloc((n * h + 1) * sizeof(double));
    m->inner = malloc((h + 1) * sizeof(double));
    m->alpha = malloc((h + 1) * sizeof(double));
    return (m->next_gradient && m->direction && m->steps && m->changes && m->inner && m->alpha) ||
           context_fail(s->p->ctx, WEFT_ERROR_MEMORY, "%s: no memory for %zu gradients",
                        s->p->label, 2 * h);
}

static void memory_fini(Memory *m)
{
    objective_fini(&m->f);
    double *arrays[] = {m->next_gradient, m->direction, m->steps, m->changes, m->inner, m->alpha};
    for (size_t i = 0; i < COUNTOF(arrays); i++)
        free(arrays[i]);
}

/* ---- directions ---- */

static void keep(Memory *m)
{
    uint32_t n = m->s->space.dims, h = m->s->o.history, at = (m->newest + 1) % h;
    double *step = m->steps + (size_t)at * n, *change = m->changes + (size_t)at * n;
    memcpy(step, m->s->step, n * sizeof *step);
    for (uint32_t i = 0; i < n; i++)
        change[i] = m->next_gradient[i] - m->s->gradient[i];
    double inner = vector_dot(step, change, n);
    /* a pair without positive curvature would make the next direction point uphill */
    if (!(inner > 1e-14 * vector_norm(step, n) * vector_norm(change, n)))
        return;
    m->inner[at] = inner;
    m->newest = at;
    m->count = MIN_OF(m->count + 1, h);
}

static void add(double *to, double factor, const double *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] += factor * v[i];
}

/* The two-loop recursion. */
static void make_direction(Memory *m)
{
    const Solver *s = m->s;
    uint32_t n = s->space.dims, h = s->o.history;
    for (uint32_t i = 0; i < n; i++)
        m->direction[i] = space_held(&s->space, s->x, s->gradient, i) ? 0 : -s->gradient[i];
    for (uint32_t k = 0; k < m->count; k++) {
        uint32_t at = (m->newest + h - k) % h;
        m->alpha[at] = vector_dot(m->steps + (size_t)at * n, m->direction, n) / m->inner[at];
        add(m->direction, -m->alpha[at], m->changes + (size_t)at * n, n);
    }
    if (m->count > 0) {
        const double *change = m->changes + (size_t)m->newest * n;
        double scale = m->inner[m->newest] / vector_dot(change, change, n);
        for (uint32_t i = 0; i < n; i++)
            m->direction[i] *= scale;
    }
    for (uint32_t k = m->count; k-- > 0;) {
        uint32_t at = (m->newest + h - k) % h;
        double beta = vector_dot(m->changes + (size_t)at * n, m->direction, n) / m->inner[at];
        add(m->direction, m->alpha[at] - beta, m->steps + (size_t)at * n, n);
    }
    for (uint32_t i = 0; s->space.bounded && i < n; i++)
        if (space_held(&s->space, s->x, s->gradient, i))
            m->direction[i] = 0;
}

/* ---- line search ---- */

/* A point of the search: length, cost, slope. */
typedef struct Probe {
    double length, cost, slope;
} Probe;

/* s->next and s->step at this length, next_gradient there. */
static bool probe(Memory *m, Probe *p, double length)
{
    Solver *s = m->s;
    uint32_t n = s->space.dims;
    for (uint32_t i = 0; i < n; i++)
        s->step[i] = length * m->direction[i];
    space_plus(&s->space, s->next, s->x, s->step);
    for (uint32_t i = 0; s->space.bounded && i < n; i++) {
        uint32_t at = s->space.parameter[i];
        if (s->space.column[at] == (int32_t)i)
            s->step[i] = s->next[at] - s->x[at];
    }
    p->length = length;
    if (!objective_evaluate(&m->f, &p->cost, m->next_gradient, s->next))
        return false;
    if (!isfinite(p->cost) || !vector_finite(m->next_gradient, n))
        p->cost = INFINITY;
    p->slope = vector_dot(m->next_gradient, m->direction, n);
    return true;
}

/* The minimum of the cubic through two probes, kept away from both. */
static double interpolate(Probe a, Probe b)
{
    double width = b.length - a.length, low = fmin(a.length, b.length);
    double high = fmax(a.length, b.length), span = high - low;
    if (!isfinite(b.cost) || !isfinite(b.slope))
        return a.length + width / 10;
    double d = a.slope + b.slope - 3 * (a.cost - b.cost) / (a.length - b.length);
    double square = d * d - a.slope * b.slope, root = sqrt(fmax(square, 0));
    double e = width > 0 ? root : -root;
    double at = b.length - width * (b.slope + e - d) / (b.slope - a.slope + 2 * e);
    if (square < 0 || !isfinite(at))
        at = a.length + width / 2;
    return fmin(fmax(at, low + 0.1 * span), high - 0.1 * span);
}

typedef struct Search {
    Probe  start, low, high;
    bool   bracketed;
} Search;

static bool decreases(const Search *w, Probe p)
{
    return p.cost <= w->start.cost + DECREASE * p.length * w->start.slope;
}

/* Narrows the interval by a probe. True if the probe is good. */
static bool narrow(Search *w, Probe p)
{
    if (!decreases(w, p) || (w->bracketed && p.cost >= w->low.cost)) {
        w->high = p;
        w->bracketed = true;
        return false;
    }
    if (fabs(p.slope) <= -CURVATURE * w->start.slope)
        return true;
    if (p.slope * ((w->bracketed ? w->high.length : INFINITY) - w->low.length) >= 0) {
        w->high = w->low;
        w->bracketed = true;
    }
    w->low = p;
    return false;
}

/* Along the direction, or along its projection into the bounds. *found: a step decreases the
 * cost enough; s->next, s->step and next_gradient belong to it. */
static bool search(Memory *m, Probe *p, bool *found, double length)
{
    Solver *s = m->s;
    double slope = vector_dot(s->gradient, m->direction, s->space.dims);
    Search w = {.start = {0, s->cost, slope}, .low = {0, s->cost, slope}};
    *found = false;
    for (int i = 0; i < TRIALS_MOST; i++) {
        if (!probe(m, p, length))
            return false;
        if (s->space.bounded) {
            double along = vector_dot(s->gradient, s->step, s->space.dims);
            if ((*found = p->cost <= s->cost + DECREASE * fmin(along, 0) && p->cost < s->cost))
                return true;
            length /= isfinite(p->cost) ? 2 : 10;
            continue;
        }
        if ((*found = narrow(&w, *p)))
            return true;
        length = w.bracketed ? interpolate(w.low, w.high) : 4 * length;
        if (w.bracketed && fabs(w.high.length - w.low.length) < 1e-12 * fabs(w.low.length))
            break;
    }
    /* the best that was seen, if it is any better */
    if (w.low.length > 0 && w.low.cost < s->cost) {
        *found = true;
        return probe(m, p, w.low.length);
    }
    return true;
}

/* ---- the loop ---- */

static double first_length(const Memory *m)
{
    double norm = 0;
    if (m->count > 0)
        return 1;
    for (uint32_t i = 0; i < m->s->space.dims; i++)
        norm += fabs(m->direction[i]);
    return norm > 0 ? fmin(1, 1 / norm) : 1;
}

static bool advance(Memory *m, Probe *p, bool *found)
{
    Solver *s = m->s;
    for (int attempt = 0; attempt < 2; attempt++) {
        make_direction(m);
        /* not a descent: forget what was learned */
        if (!(vector_dot(s->gradient, m->direction, s->space.dims) < 0) ||
            !vector_finite(m->direction, s->space.dims)) {
            m->count = 0;
            make_direction(m);
        }
        if (!search(m, p, found, first_length(m)))
            return false;
        if (*found || m->count == 0)
            return true;
        m->count = 0;
    }
    return true;
}

static void move(Memory *m, const Probe *p)
{
    Solver *s = m->s;
    double *x = s->x, *g = s->gradient;
    keep(m);
    s->x = s->next;
    s->next = x;
    s->gradient = m->next_gradient;
    m->next_gradient = g;
    s->cost = p->cost;
}

static bool iterate(Memory *m)
{
    Solver *s = m->s;
    if (!objective_evaluate(&m->f, &s->cost, s->gradient, s->x))
        return false;
    s->result.initial_cost = s->cost;
    if (!isfinite(s->cost) || !vector_finite(s->gradient, s->space.dims)) {
        solver_end(s, WEFT_SOLVE_NOT_FINITE);
        return true;
    }
    bool flat = solver_flat(s), found = true;
    bool go = solver_report(s, &(weft_solve_iteration){
        .accepted = true, .cost = s->cost, .gradient = s->result.gradient});
    for (uint32_t i = 1; go; i++) {
        Probe p = {0};
        double before = s->cost;
        if (flat || !found) {
            solver_end(s, flat ? WEFT_SOLVE_GRADIENT_TOLERANCE : WEFT_SOLVE_NO_DECREASE);
            break;
        }
        if (!advance(m, &p, &found))
            return false;
        double norm = found ? vector_norm(s->step, s->space.dims) : 0;
        if (found)
            move(m, &p);
        flat = solver_flat(s);
        go = solver_report(s, &(weft_solve_iteration){
            .iteration = i, .accepted = found, .cost = s->cost, .change = before - s->cost,
            .gradient = s->result.gradient, .step = norm, .radius = p.length});
        if (go && found && !flat && before - s->cost <= s->o.cost_tolerance * fabs(before))
            go = solver_end(s, WEFT_SOLVE_COST_TOLERANCE);
        else if (go && found && !flat && solver_short(s, norm))
            go = solver_end(s, WEFT_SOLVE_PARAMETER_TOLERANCE);
    }
    return true;
}

bool lbfgs_solve(Solver *s)
{
    Memory m;
    bool ok = memory_make(&m, s) && iterate(&m);
    memory_fini(&m);
    return ok;
}
