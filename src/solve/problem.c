// SPDX-License-Identifier: Apache-2.0
/*
 * problem.c - problems: their terms, and which of their parameters are fixed, bounded or on
 * manifolds.
 *
 * in     calls of weft/solve.h
 * out    a checked weft_solve_problem
 * knows  weft/grad.h for the sizes of batches
 * not    how problems are solved
 */
#include "solve/problem_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static void release_terms(weft_solve_problem *p)
{
    for (uint32_t i = 0; i < p->terms.len; i++)
        weft_grad_batch_release(p->terms.data[i].batch);
}

weft_solve_problem *weft_solve_problem_create(weft_context *ctx,
                                              const weft_solve_problem_desc *desc)
{
    if (!ctx || !desc || desc->parameter_count == 0) {
        context_fail(ctx, WEFT_ERROR_INVALID, "a problem needs a parameter_count above 0");
        return NULL;
    }
    weft_solve_problem *p = calloc(1, sizeof *p);
    bool *fixed = p ? calloc(desc->parameter_count, sizeof *fixed) : NULL;
    if (!fixed) {
        free(p);
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a problem of %u parameters",
                     desc->parameter_count);
        return NULL;
    }
    p->references = 1;
    p->ctx = weft_context_retain(ctx);
    arena_init(&p->arena, 0);
    p->label = arena_printf(&p->arena, "%s", desc->label ? desc->label : "problem");
    p->parameter_count = desc->parameter_count;
    p->fixed = fixed;
    return p;
}

weft_solve_problem *weft_solve_problem_retain(weft_solve_problem *p)
{
    if (p)
        p->references++;
    return p;
}

void weft_solve_problem_release(weft_solve_problem *p)
{
    if (!p || --p->references > 0)
        return;
    release_terms(p);
    free(p->fixed);
    free(p->lower);
    free(p->upper);
    free(p->curved);
    free(p->summary);
    arena_fini(&p->arena);
    weft_context_release(p->ctx);
    free(p);
}

bool problem_usable(weft_solve_problem *p)
{
    if (!p)
        return false;
    return !p->solving || context_fail(p->ctx, WEFT_ERROR_INVALID,
                                       "%s: it is being solved", p->label);
}

bool problem_range(weft_solve_problem *p, uint32_t first, uint32_t count)
{
    if (!problem_usable(p))
        return false;
    if (count == 0 || first >= p->parameter_count || count > p->parameter_count - first)
        return context_fail(p->ctx, WEFT_ERROR_INVALID,
                            "%s: there are no parameters %u to %llu; it has %u", p->label, first,
                            (unsigned long long)first + count - 1, p->parameter_count);
    return true;
}

/* ---- terms ---- */

static bool check_batch(weft_solve_problem *p, weft_grad_batch *batch)
{
    weft_grad_batch_info info;
    if (!batch)
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: the batch is NULL", p->label);
    weft_grad_batch_get_info(&info, batch);
    if (info.parameter_count != p->parameter_count)
        return context_fail(p->ctx, WEFT_ERROR_SHAPE,
                            "%s: the batch has %u parameters, the problem %u", p->label,
                            info.parameter_count, p->parameter_count);
    return true;
}

static Term batch_term(TermKind kind, weft_grad_batch *batch)
{
    weft_grad_batch_info info;
    weft_grad_batch_get_info(&info, batch);
    return (Term){.kind = kind, .batch = weft_grad_batch_retain(batch), .weight = 1,
                  .count = info.count, .outputs = info.outputs, .inputs = info.inputs,
                  .blocks = info.blocks};
}

static bool check_loss(weft_solve_problem *p, const weft_solve_loss *loss)
{
    const char *fault = loss_fault(loss);
    return !fault || context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: %s", p->label, fault);
}

bool weft_solve_add(weft_solve_problem *p, weft_grad_batch *batch, const weft_solve_loss *loss)
{
    if (!problem_usable(p) || !check_batch(p, batch) || !check_loss(p, loss))
        return false;
    Term t = batch_term(TERM_RESIDUALS, batch);
    t.loss = loss_copy(&p->arena, loss);
    VEC_PUSH(&p->arena, &p->terms, t);
    return true;
}

bool weft_solve_add_objective(weft_solve_problem *p, weft_grad_batch *batch, double weight)
{
    if (!problem_usable(p) || !check_batch(p, batch))
        return false;
    if (!isfinite(weight))
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: the weight %g is not finite",
                            p->label, weight);
    Term t = batch_term(TERM_OBJECTIVE, batch);
    t.weight = weight;
    VEC_PUSH(&p->arena, &p->terms, t);
    return true;
}

static bool check_function(weft_solve_problem *p, const weft_solve_function *f)
{
    if (!f || !f->evaluate || f->residual_count == 0 || f->parameter_count == 0 ||
        f->parameter_count > p->parameter_count)
        return context_fail(p->ctx, WEFT_ERROR_INVALID,
                            "%s: a function needs evaluate, at least one residual, and 1 to %u "
                            "parameters", p->label, p->parameter_count);
    if ((uint64_t)f->residual_count * f->parameter_count > UINT32_MAX / 16)
        return context_fail(p->ctx, WEFT_ERROR_INVALID,
                            "%s: a Jacobian of %u by %u is too large", p->label,
                            f->residual_count, f->parameter_count);
    bool *seen = f->index ? calloc(p->parameter_count, sizeof *seen) : NULL;
    if (f->index && !seen)
        return context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", p->label);
    bool ok = true;
    for (uint32_t i = 0; f->index && ok && i < f->parameter_count; i++) {
        uint32_t at = f->index[i];
        if (at >= p->parameter_count || seen[at])
            ok = context_fail(p->ctx, WEFT_ERROR_INVALID,
                              "%s: parameter %u of a function %s", p->label, at,
                              at >= p->parameter_count ? "does not exist" : "is there twice");
        else
            seen[at] = true;
    }
    free(seen);
    return ok;
}

bool weft_solve_add_function(weft_solve_problem *p, const weft_solve_function *function,
                             const weft_solve_loss *loss)
{
    if (!problem_usable(p) || !check_function(p, function) || !check_loss(p, loss))
        return false;
    uint32_t n = function->parameter_count;
    Term t = {.kind = TERM_FUNCTION, .weight = 1, .function = *function, .count = 1,
              .outputs = function->residual_count, .inputs = n, .blocks = n};
    uint32_t *index = ARENA_ARRAY(&p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        index[i] = function->index ? function->index[i] : i;
    t.function.index = index;
    t.function.label = arena_printf(&p->arena, "%s", function->label ? function->label
                                                                     : "function");
    t.loss = loss_copy(&p->arena, loss);
    VEC_PUSH(&p->arena, &p->terms, t);
    return true;
}

/* ---- fixed and bounded parameters ---- */

bool weft_solve_set_fixed(weft_solve_problem *p, uint32_t first, uint32_t count, bool fixed)
{
    if (!problem_range(p, first, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        p->fixed[first + i] = fixed;
    return true;
}

static const Curved *curved_in(const weft_solve_problem *p, uint32_t first, uint64_t end)
{
    for (uint32_t i = 0; i < p->curved_count; i++) {
        const Curved *c = &p->curved[i];
        if (c->first < end && (uint64_t)c->first + c->size > first)
            return c;
    }
    return NULL;
}

static bool check_bounds(weft_solve_problem *p, uint32_t first, uint32_t count,
                         const double *lower, const double *upper)
{
    const Curved *c = curved_in(p, first, (uint64_t)first + count);
    if (c)
        return context_fail(p->ctx, WEFT_ERROR_INVALID,
                            "%s: parameters %u to %u are on a manifold and cannot be bounded",
                            p->label, c->first, c->first + c->size - 1);
    for (uint32_t i = 0; i < count; i++) {
        double low = lower ? lower[i] : -INFINITY, high = upper ? upper[i] : INFINITY;
        if (!(low <= high) || low == INFINITY || high == -INFINITY)
            return context_fail(p->ctx, WEFT_ERROR_INVALID,
                                "%s: parameter %u cannot be between %g and %g", p->label,
                                first + i, low, high);
    }
    return true;
}

static bool make_bounds(weft_solve_problem *p)
{
    if (p->lower)
        return true;
    p->lower = malloc(p->parameter_count * sizeof *p->lower);
    p->upper = malloc(p->parameter_count * sizeof *p->upper);
    for (uint32_t i = 0; p->lower && p->upper && i < p->parameter_count; i++) {
        p->lower[i] = -INFINITY;
        p->upper[i] = INFINITY;
    }
    if (p->lower && p->upper)
        return true;
    free(p->lower);
    free(p->upper);
    p->lower = p->upper = NULL;
    return context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory for bounds", p->label);
}

bool weft_solve_set_bounds(weft_solve_problem *p, uint32_t first, uint32_t count,
                           const double *lower, const double *upper)
{
    if (!problem_range(p, first, count) || !check_bounds(p, first, count, lower, upper) ||
        !make_bounds(p))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        p->lower[first + i] = lower ? lower[i] : -INFINITY;
        p->upper[first + i] = upper ? upper[i] : INFINITY;
    }
    return true;
}

/* ---- manifolds ---- */

typedef struct Placing {
    weft_solve_problem *p;
    uint32_t first;
    Curved  *to;                    /* NULL: count them                                     */
    uint32_t count;
} Placing;

static bool place_part(void *user, const ManifoldPart *part)
{
    Placing *at = user;
    bool plain = part->part->kind == WEFT_SOLVE_EUCLIDEAN;
    if (part->part->kind == WEFT_SOLVE_SUBSET) {
        for (uint32_t i = 0; at->to && i < part->size; i++)
            at->p->fixed[at->first + part->first + i] = part->part->constant[i];
        plain = true;
    }
    if (plain)
        return true;
    if (at->to)
        at->to[at->count] = (Curved){part->part->kind, at->first + part->first, part->size,
                                     part->tangent};
    at->count++;
    return true;
}

static int compare_curved(const void *a, const void *b)
{
    uint32_t x = ((const Curved *)a)->first, y = ((const Curved *)b)->first;
    return x < y ? -1 : x > y;
}

/* Those in the range must be inside it: they are replaced. */
static bool drop_curved(weft_solve_problem *p, uint32_t first, uint32_t end)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->curved_count; i++) {
        const Curved *c = &p->curved[i];
        bool apart = c->first >= end || c->first + c->size <= first;
        if (!apart && (c->first < first || c->first + c->size > end))
            return context_fail(p->ctx, WEFT_ERROR_INVALID,
                                "%s: parameters %u to %u are on another manifold in part",
                                p->label, c->first, c->first + c->size - 1);
    }
    for (uint32_t i = 0; i < p->curved_count; i++) {
        const Curved *c = &p->curved[i];
        if (c->first >= end || c->first + c->size <= first)
            p->curved[kept++] = *c;
    }
    p->curved_count = kept;
    return true;
}

static bool place(weft_solve_problem *p, uint32_t first, uint32_t size,
                  const weft_solve_manifold *manifold)
{
    Placing at = {p, first, NULL, 0};
    manifold_walk(manifold, place_part, &at);
    if (p->curved_count + at.count >= p->curved_room) {
        size_t room = 2 * ((size_t)p->curved_count + at.count) + 8;
        Curved *more = realloc(p->curved, room * sizeof *more);
        if (!more)
            return context_fail(p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", p->label);
        p->curved = more;
        p->curved_room = room;
    }
    const Curved *last = p->curved_count ? &p->curved[p->curved_count - 1] : NULL;
    bool behind = !last || last->first + last->size <= first;
    if (!behind && !drop_curved(p, first, first + size))
        return false;
    at = (Placing){p, first, p->curved + p->curved_count, 0};
    manifold_walk(manifold, place_part, &at);
    p->curved_count += at.count;
    if (!behind)
        qsort(p->curved, p->curved_count, sizeof *p->curved, compare_curved);
    return true;
}

bool weft_solve_set_manifold(weft_solve_problem *p, uint32_t first,
                             const weft_solve_manifold *manifold)
{
    uint32_t size, tangent;
    if (!problem_usable(p))
        return false;
    if (!weft_solve_manifold_size(&size, &tangent, manifold))
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: the manifold is malformed",
                            p->label);
    if (!problem_range(p, first, size))
        return false;
    for (uint32_t i = 0; p->lower && i < size; i++)
        if (p->lower[first + i] > -INFINITY || p->upper[first + i] < INFINITY)
            return context_fail(p->ctx, WEFT_ERROR_INVALID,
                                "%s: parameter %u is bounded and cannot be on a manifold",
                                p->label, first + i);
    return place(p, first, size, manifold);
}
