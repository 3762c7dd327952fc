// SPDX-License-Identifier: Apache-2.0
/*
 * fit_start.c - starts for parameters of which nothing is known: many are tried at once.
 *
 * in     a fit with its data
 * out    the start from which a short solve came nearest to the data
 * knows  weft_solve_many()
 * not    the final solve
 */
#include "solve/fit_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS 2000u
#define POINTS 256u                 /* of the data that trials look at, at most             */

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Sizes that parameters may have: those of the columns, their inverses, 1. */
typedef struct Scales {
    double  *size;
    uint32_t count;
} Scales;

static bool scales_make(Scales *s, const weft_solve_fit *fit)
{
    s->size = malloc((6ull * fit->column_count + 1) * sizeof *s->size);
    s->count = 0;
    if (!s->size)
        return false;
    s->size[s->count++] = 1;
    for (uint32_t c = 0; c < fit->column_count; c++) {
        double low = fit->data[c], high = low, mean = 0;
        for (uint32_t i = 0; i < fit->count; i++) {
            double v = fit->data[(size_t)i * fit->column_count + c];
            low = fmin(low, v);
            high = fmax(high, v);
            mean += v / fit->count;
        }
        const double sizes[6] = {high - low, 1 / (high - low), fabs(mean), fabs(high), fabs(low),
                                 1 / fmax(fabs(low), fabs(high))};
        for (int k = 0; k < 6; k++)
            if (isfinite(sizes[k]) && sizes[k] > 0)
                s->size[s->count++] = sizes[k];
    }
    return true;
}

/* A value of one of the sizes, some powers of ten away, of either sign; within the bounds. */
static double draw(const FitParameter *p, const Scales *s, uint64_t *seed, uint32_t trial)
{
    if (isfinite(p->start))
        return p->start;
    bool both = p->lower > -INFINITY && p->upper < INFINITY;
    if (both)
        return p->lower + (p->upper - p->lower) * random_unit(seed);
    double size = s->size[(uint32_t)(random_unit(seed) * s->count) % s->count];
    double power = 2 * random_unit(seed) - 1;
    double value = trial == 0 ? 1 : size * pow(10, 1.5 * power * fabs(power));
    if (trial > 0 && random_unit(seed) < 0.35)
        value = -value;
    if (p->lower > -INFINITY)
        return p->lower + fabs(value);
    return p->upper < INFINITY ? p->upper - fabs(value) : value;
}

static void draw_all(const weft_solve_fit *fit, double *x, const Scales *s, uint32_t trials)
{
    uint64_t seed = 20240229;
    uint32_t n = fit->parameters.len;
    for (uint32_t t = 0; t < trials; t++)
        for (uint32_t i = 0; i < n; i++)
            x[(size_t)t * n + i] = draw(&fit->parameters.data[i], s, &seed, t);
}

/* Rows that trials look at: all, or some at equal distances. */
static double *sample(const weft_solve_fit *fit, uint32_t *count)
{
    *count = fit->count < POINTS ? fit->count : POINTS;
    double *rows = malloc(((size_t)*count * fit->column_count + 1) * sizeof *rows);
    for (uint32_t i = 0; rows && i < *count; i++)
        memcpy(rows + (size_t)i * fit->column_count,
               fit->data + (size_t)((uint64_t)i * fit->count / *count) * fit->column_count,
               fit->column_count * sizeof *rows);
    return rows;
}

static void take_best(weft_solve_fit *fit, const double *x, const weft_solve_status *each)
{
    uint32_t n = fit->parameters.len, best = 0;
    double least = INFINITY;
    for (uint32_t t = 0; t < fit->trials; t++)
        if (each[t].termination != WEFT_SOLVE_NOT_FINITE && each[t].final_cost < least) {
            least = each[t].final_cost;
            best = t;
        }
    for (uint32_t i = 0; i < n; i++)
        if (!fit->parameters.data[i].fixed)
            fit->parameters.data[i].start = x[(size_t)best * n + i];
}

static bool try_many(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    uint32_t n = fit->parameters.len, points;
    double *lower = malloc((2ull * n + 1) * sizeof *lower), *rows = sample(fit, &points);
    double *x = malloc(((size_t)fit->trials * n + 1) * sizeof *x);
    weft_solve_status *each = malloc((fit->trials + 1ull) * sizeof *each);
    weft_grad_graph *g = fit_graph(fit, fit->model, true);
    Scales scales = {0};
    bool ok = lower && rows && x && each && g && scales_make(&scales, fit), bounded = false;
    if (ok) {
        draw_all(fit, x, &scales, fit->trials);
        for (uint32_t i = 0; i < n; i++) {
            lower[i] = fit->parameters.data[i].lower;
            lower[n + i] = fit->parameters.data[i].upper;
            bounded |= lower[i] > -INFINITY || lower[n + i] < INFINITY;
        }
        ok = weft_solve_many(x, each, fit->ctx, &(weft_solve_many_desc){
            .graph = g, .problems = fit->trials, .instances = points, .common = rows,
            .common_count = fit->column_count, .loss = d->loss, .max_iterations = 60,
            .cost_tolerance = 1e-9, .lower = bounded ? lower : NULL,
            .upper = bounded ? lower + n : NULL});
    }
    if (ok)
        take_best(fit, x, each);
    else if (!lower || !rows || !x || !each || !scales.size)
        context_fail(fit->ctx, WEFT_ERROR_MEMORY, "no memory for %u trials", fit->trials);
    free(lower);
    free(rows);
    free(x);
    free(each);
    free(scales.size);
    weft_grad_graph_release(g);
    return ok;
}

bool fit_choose_start(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    const weft_device_info *device = weft_context_device(fit->ctx);
    bool unknown = false;
    for (uint32_t i = 0; i < fit->parameters.len; i++)
        unknown |= !isfinite(fit->parameters.data[i].start);
    fit->trials = 0;
    if (!unknown)
        return true;
    uint32_t trials = d->trials ? d->trials : TRIALS;
    if (trials > 1 && fit->free_count <= WEFT_SOLVE_MANY_PARAMETERS && device && device->f64) {
        fit->trials = trials;
        return try_many(fit, d);
    }
    for (uint32_t i = 0; i < fit->parameters.len; i++)
        if (!isfinite(fit->parameters.data[i].start))
            fit->parameters.data[i].start = 1;
    return true;
}
