// SPDX-License-Identifier: Apache-2.0
/*
 * fit.c - curve fits: a formula, columns of data, parameters with their errors.
 *
 * in     a formula, data, what is known of the parameters
 * out    a solved problem, standard errors, values of the model
 * knows  formula.c, fit_start.c, the public functions of this layer
 * not    how problems are solved
 */
#include "solve/fit_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static uint32_t column_of(const weft_solve_fit_desc *d, const char *name)
{
    for (uint32_t i = 0; i < d->column_count; i++)
        if (strcmp(d->columns[i], name) == 0)
            return i;
    return NO_COLUMN;
}

static const weft_solve_guess *guess_of(const weft_solve_fit_desc *d, const char *name)
{
    for (uint32_t i = 0; i < d->guess_count; i++)
        if (d->guesses[i].name && strcmp(d->guesses[i].name, name) == 0)
            return &d->guesses[i];
    return NULL;
}

static bool uses_column(const weft_solve_formula *f, const char *column)
{
    for (uint32_t i = 0; i < weft_solve_formula_name_count(f); i++)
        if (strcmp(weft_solve_formula_name(f, i), column) == 0)
            return true;
    return false;
}

/* The column that the model should equal, if nothing says which. */
static const char *default_observed(const weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    if (column_of(d, "y") != NO_COLUMN && !uses_column(fit->model, "y"))
        return "y";
    for (uint32_t i = d->column_count; i-- > 0;)
        if (!uses_column(fit->model, d->columns[i]) &&
            !(d->sigma && strcmp(d->sigma, d->columns[i]) == 0))
            return d->columns[i];
    return NULL;
}

static bool find_observed(weft_solve_fit *fit, const weft_solve_fit_desc *d, const char *left)
{
    const char *text = d->observed ? d->observed : left ? left : default_observed(fit, d);
    if (!text)
        return context_fail(fit->ctx, WEFT_ERROR_INVALID,
                            "the formula uses every column: say which one it should equal, as in "
                            "\"y = ...\"");
    fit->observed_text = arena_printf(&fit->arena, "%s", text);
    if (!(fit->observed = weft_solve_formula_create(fit->ctx, text)))
        return false;
    for (uint32_t i = 0; i < weft_solve_formula_name_count(fit->observed); i++)
        if (column_of(d, weft_solve_formula_name(fit->observed, i)) == NO_COLUMN)
            return context_fail(fit->ctx, WEFT_ERROR_NOT_FOUND,
                                "there is no column '%s' in the data",
                                weft_solve_formula_name(fit->observed, i));
    if (d->sigma && column_of(d, d->sigma) == NO_COLUMN)
        return context_fail(fit->ctx, WEFT_ERROR_NOT_FOUND, "there is no column '%s' in the data",
                            d->sigma);
    return true;
}

/* Names of the model that are not columns. */
static bool find_parameters(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    for (uint32_t i = 0; i < weft_solve_formula_name_count(fit->model); i++) {
        const char *name = weft_solve_formula_name(fit->model, i);
        if (column_of(d, name) != NO_COLUMN)
            continue;
        const weft_solve_guess *g = guess_of(d, name);
        FitParameter p = {.name = arena_printf(&fit->arena, "%s", name), .start = NAN,
                          .lower = -INFINITY, .upper = INFINITY};
        if (g) {
            p.start = g->start;
            p.fixed = g->fixed;
            if (g->lower != 0 || g->upper != 0) {
                p.lower = g->lower;
                p.upper = g->upper;
            }
        }
        if (p.fixed && !isfinite(p.start))
            return context_fail(fit->ctx, WEFT_ERROR_INVALID, "the fixed parameter '%s' has no "
                                "value", name);
        if (!(p.lower <= p.upper))
            return context_fail(fit->ctx, WEFT_ERROR_INVALID,
                                "parameter '%s' cannot be between %g and %g", name, p.lower,
                                p.upper);
        VEC_PUSH(&fit->arena, &fit->parameters, p);
        fit->free_count += !p.fixed;
    }
    for (uint32_t i = 0; i < d->guess_count; i++)
        if (!d->guesses[i].name || !uses_column(fit->model, d->guesses[i].name) ||
            column_of(d, d->guesses[i].name) != NO_COLUMN)
            return context_fail(fit->ctx, WEFT_ERROR_NOT_FOUND,
                                "the formula has no parameter '%s'",
                                d->guesses[i].name ? d->guesses[i].name : "");
    return fit->parameters.len > 0 ||
           context_fail(fit->ctx, WEFT_ERROR_INVALID,
                        "the formula has no parameters: every name in it is a column");
}

/* ---- graphs ---- */

/* Nodes of a formula's names: parameters as given, columns as data. */
static weft_grad_node node_of(const weft_solve_fit *fit, weft_grad_graph *g,
                              const weft_solve_formula *f, const weft_grad_node *parameters,
                              const weft_grad_node *data)
{
    weft_grad_node *nodes = malloc((weft_solve_formula_name_count(f) + 1ull) * sizeof *nodes);
    weft_grad_node result = 0;
    for (uint32_t i = 0; nodes && i < weft_solve_formula_name_count(f); i++) {
        const char *name = weft_solve_formula_name(f, i);
        for (uint32_t c = 0; c < fit->column_count; c++)
            if (strcmp(fit->columns[c], name) == 0)
                nodes[i] = data[c];
        for (uint32_t p = 0; p < fit->parameters.len; p++)
            if (strcmp(fit->parameters.data[p].name, name) == 0)
                nodes[i] = parameters[p];
    }
    if (nodes)
        result = weft_solve_formula_node(g, f, nodes);
    free(nodes);
    return result;
}

weft_grad_graph *fit_graph(const weft_solve_fit *fit, const weft_solve_formula *formula,
                           bool residual)
{
    weft_grad_graph *g = weft_grad_graph_create(fit->ctx, &(weft_grad_graph_desc){
        .label = "fit"});
    weft_grad_node *parameters = calloc(fit->parameters.len + 1ull, sizeof *parameters);
    weft_grad_node *data = calloc(fit->column_count + 1ull, sizeof *data);
    bool ok = g && parameters && data;
    for (uint32_t i = 0; ok && i < fit->parameters.len; i++)
        ok = fit->parameters.data[i].fixed
                 ? weft_grad_fixed(&parameters[i], g, fit->parameters.data[i].name, 1)
                 : weft_grad_input(&parameters[i], g, fit->parameters.data[i].name, 1);
    for (uint32_t i = 0; ok && i < fit->column_count; i++)
        ok = weft_grad_data(&data[i], g, fit->columns[i], 1);
    if (ok) {
        weft_grad_node model = node_of(fit, g, formula, parameters, data), out = model;
        if (residual) {
            out = weft_grad_sub(g, node_of(fit, g, fit->observed, parameters, data), model);
            if (fit->sigma != NO_COLUMN)
                out = weft_grad_div(g, out, data[fit->sigma]);
        }
        ok = weft_grad_output(g, out, residual ? "residual" : "model");
    }
    free(parameters);
    free(data);
    if (ok)
        return g;
    weft_grad_graph_release(g);
    return NULL;
}

/* ---- the fit ---- */

static bool add_problem(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    uint32_t n = fit->parameters.len;
    fit->problem = weft_solve_problem_create(fit->ctx, &(weft_solve_problem_desc){
        .parameter_count = n, .label = "fit"});
    weft_grad_graph *g = fit_graph(fit, fit->model, true);
    weft_grad_batch *b = g ? weft_grad_batch_create(fit->ctx, &(weft_grad_batch_desc){
        .graph = g, .count = fit->count, .parameter_count = n, .data = fit->data}) : NULL;
    bool ok = b && weft_solve_add(fit->problem, b, d->loss);
    for (uint32_t i = 0; ok && i < n; i++) {
        const FitParameter *p = &fit->parameters.data[i];
        ok = weft_solve_set_fixed(fit->problem, i, 1, p->fixed);
        if (ok && (p->lower > -INFINITY || p->upper < INFINITY))
            ok = weft_solve_set_bounds(fit->problem, i, 1, &p->lower, &p->upper);
    }
    weft_grad_graph_release(g);
    weft_grad_batch_release(b);
    return ok;
}

static bool solve_from_start(weft_solve_fit *fit, double *x, weft_solve_result *result,
                             const weft_solve_options *o)
{
    for (uint32_t i = 0; i < fit->parameters.len; i++)
        x[i] = fit->parameters.data[i].start;
    return weft_solve(result, x, fit->problem, o);
}

/* Both kinds of damping: which of them finds the better minimum depends on the formula. The
 * better one is solved for last, so that the summary is its. */
static bool solve(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    weft_solve_options o = {
        .linear = WEFT_SOLVE_DENSE_QR, .max_iterations = 1000, .cost_tolerance = 1e-15,
        .parameter_tolerance = 1e-12, .gradient_tolerance = 1e-15,
        .damping = WEFT_SOLVE_IDENTITY};
    weft_solve_result other;
    if (d->options)
        return solve_from_start(fit, fit->x, &fit->result, d->options);
    if (!solve_from_start(fit, fit->x, &other, &o))
        return false;
    o.damping = WEFT_SOLVE_DIAGONAL;
    if (!solve_from_start(fit, fit->x, &fit->result, &o))
        return false;
    if (!(other.final_cost < fit->result.final_cost * (1 - 1e-9)))
        return true;
    o.damping = WEFT_SOLVE_IDENTITY;
    return solve_from_start(fit, fit->x, &fit->result, &o);
}

/* Standard errors; where the data does not determine the parameters they are not numbers. */
static void find_errors(weft_solve_fit *fit)
{
    uint32_t n = fit->parameters.len;
    for (uint32_t i = 0; i < n * n; i++)
        fit->covariance[i] = NAN;
    bool clean = weft_context_error(fit->ctx)->kind == WEFT_ERROR_NONE;
    weft_solve_covariance *c = weft_solve_covariance_create(
        fit->problem, fit->x,
        &(weft_solve_covariance_desc){.unscaled = fit->sigma != NO_COLUMN});
    if (c)
        weft_solve_covariance_block(fit->covariance, c, 0, n, 0, n);
    else if (clean)
        weft_context_error_clear(fit->ctx);
    weft_solve_covariance_release(c);
}

/* Observed values and those of the model, for the quality of the fit. */
static bool find_quality(weft_solve_fit *fit)
{
    double *model = malloc((fit->count + 1ull) * sizeof *model);
    double *observed = malloc((fit->count + 1ull) * sizeof *observed);
    double mean = 0, about = 0, squares = 0;
    bool ok = model && observed && fit_values(fit, model, fit->model, fit->data, fit->count) &&
              fit_values(fit, observed, fit->observed, fit->data, fit->count);
    for (uint32_t i = 0; ok && i < fit->count; i++)
        mean += observed[i] / fit->count;
    for (uint32_t i = 0; ok && i < fit->count; i++) {
        double sigma = fit->sigma == NO_COLUMN
                           ? 1 : fit->data[(size_t)i * fit->column_count + fit->sigma];
        double r = observed[i] - model[i];
        squares += r * r;
        about += (observed[i] - mean) * (observed[i] - mean);
        fit->chi2 += r / sigma * (r / sigma);
    }
    fit->rms = sqrt(squares / fit->count);
    fit->r2 = about > 0 ? 1 - squares / about : squares == 0 ? 1 : NAN;
    free(model);
    free(observed);
    return ok;
}

static bool check_desc(weft_context *ctx, const weft_solve_fit_desc *d)
{
    if (!d || !d->formula || !d->columns || !d->data)
        return context_fail(ctx, WEFT_ERROR_INVALID, "a fit needs a formula, columns and data");
    if (d->count == 0 || d->column_count == 0)
        return context_fail(ctx, WEFT_ERROR_INVALID, "the data is empty: %u rows, %u columns",
                            d->count, d->column_count);
    for (uint32_t i = 0; i < d->column_count; i++)
        if (!d->columns[i] || !*d->columns[i])
            return context_fail(ctx, WEFT_ERROR_INVALID, "column %u has no name", i + 1);
    for (uint32_t i = 0; i < d->column_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(d->columns[i], d->columns[k]) == 0)
                return context_fail(ctx, WEFT_ERROR_INVALID,
                                    "columns %u and %u are both called '%s'", k + 1, i + 1,
                                    d->columns[i]);
    for (size_t i = 0; i < (size_t)d->count * d->column_count; i++)
        if (!isfinite(d->data[i]))
            return context_fail(ctx, WEFT_ERROR_INVALID,
                                "row %zu of column '%s' is not a finite number",
                                i / d->column_count + 1, d->columns[i % d->column_count]);
    return true;
}

static bool copy_data(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    size_t cells = (size_t)d->count * d->column_count;
    fit->count = d->count;
    fit->column_count = d->column_count;
    fit->columns = ARENA_ARRAY(&fit->arena, const char *, d->column_count);
    for (uint32_t i = 0; i < d->column_count; i++)
        fit->columns[i] = arena_printf(&fit->arena, "%s", d->columns[i]);
    fit->sigma = d->sigma ? column_of(d, d->sigma) : NO_COLUMN;
    uint32_t n = fit->parameters.len;
    fit->data = malloc(cells * sizeof *fit->data);
    fit->x = calloc(n + 1ull, sizeof *fit->x);
    fit->covariance = calloc((size_t)n * n + 1, sizeof *fit->covariance);
    if (!fit->data || !fit->x || !fit->covariance)
        return context_fail(fit->ctx, WEFT_ERROR_MEMORY, "no memory for a fit of %u rows",
                            d->count);
    memcpy(fit->data, d->data, cells * sizeof *fit->data);
    for (uint32_t i = 0; fit->sigma != NO_COLUMN && i < d->count; i++)
        if (!(d->data[(size_t)i * d->column_count + fit->sigma] > 0))
            return context_fail(fit->ctx, WEFT_ERROR_INVALID,
                                "row %u of column '%s', a standard deviation, is not above 0",
                                i + 1, d->sigma);
    return true;
}

static bool run(weft_solve_fit *fit, const weft_solve_fit_desc *d)
{
    const char *left, *right;
    formula_split(&fit->arena, d->formula, &left, &right);
    fit->model = weft_solve_formula_create(fit->ctx, right);
    if (!fit->model || !find_observed(fit, d, left) || !find_parameters(fit, d) ||
        !copy_data(fit, d) || !fit_choose_start(fit, d) || !add_problem(fit, d) ||
        !solve(fit, d) || !find_quality(fit))
        return false;
    find_errors(fit);
    return true;
}

weft_solve_fit *weft_solve_fit_create(weft_context *ctx, const weft_solve_fit_desc *desc)
{
    if (!ctx || !check_desc(ctx, desc))
        return NULL;
    weft_solve_fit *fit = calloc(1, sizeof *fit);
    if (!fit) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a fit");
        return NULL;
    }
    fit->ctx = weft_context_retain(ctx);
    arena_init(&fit->arena, 0);
    if (run(fit, desc))
        return fit;
    weft_solve_fit_release(fit);
    return NULL;
}

void weft_solve_fit_release(weft_solve_fit *fit)
{
    if (!fit)
        return;
    weft_solve_problem_release(fit->problem);
    weft_solve_formula_release(fit->model);
    weft_solve_formula_release(fit->observed);
    free(fit->data);
    free(fit->x);
    free(fit->covariance);
    arena_fini(&fit->arena);
    weft_context_release(fit->ctx);
    free(fit);
}

/* ---- results ---- */

bool weft_solve_fit_get_info(weft_solve_fit_info *out, const weft_solve_fit *fit)
{
    *out = (weft_solve_fit_info){0};
    if (!fit)
        return false;
    *out = (weft_solve_fit_info){
        .parameters = fit->parameters.len, .points = fit->count,
        .freedom = fit->count > fit->free_count ? fit->count - fit->free_count : 0,
        .chi2 = fit->chi2, .rms = fit->rms, .r2 = fit->r2, .observed = fit->observed_text,
        .model = fit->model->text,
        .trials = fit->trials, .result = fit->result,
        .summary = weft_solve_summary(fit->problem)};
    return true;
}

bool weft_solve_fit_parameter_get(weft_solve_fit_parameter *out, const weft_solve_fit *fit,
                                  uint32_t index)
{
    *out = (weft_solve_fit_parameter){0};
    if (!fit || index >= fit->parameters.len)
        return false;
    const FitParameter *p = &fit->parameters.data[index];
    double variance = fit->covariance[(size_t)index * fit->parameters.len + index];
    *out = (weft_solve_fit_parameter){p->name, fit->x[index], p->fixed ? 0 : sqrt(variance),
                                      p->start};
    return true;
}

double weft_solve_fit_covariance(const weft_solve_fit *fit, uint32_t a, uint32_t b)
{
    uint32_t n = fit ? fit->parameters.len : 0;
    return a < n && b < n ? fit->covariance[(size_t)a * n + b] : NAN;
}

bool fit_values(weft_solve_fit *fit, double *out, const weft_solve_formula *f, const double *data,
                uint32_t count)
{
    uint32_t n = fit->parameters.len;
    weft_grad_graph *g = fit_graph(fit, f, false);
    weft_grad_batch *b = g ? weft_grad_batch_create(fit->ctx, &(weft_grad_batch_desc){
        .graph = g, .count = count, .parameter_count = n, .data = data}) : NULL;
    bool ok = b && weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = fit->x,
                                                                       .values = out});
    weft_grad_graph_release(g);
    weft_grad_batch_release(b);
    return ok;
}

bool weft_solve_fit_evaluate(double *out, weft_solve_fit *fit, const double *data, uint32_t count)
{
    if (!fit)
        return false;
    if (!out)
        return context_fail(fit->ctx, WEFT_ERROR_INVALID, "out is NULL");
    return fit_values(fit, out, fit->model, data ? data : fit->data, data ? count : fit->count);
}
