// SPDX-License-Identifier: Apache-2.0
/*
 * solve_fit.c - `weft solve fit`: curve fits.
 *
 * in     a table, a formula, what is known of its parameters
 * out    parameters with their errors; a table with the model, a picture
 * knows  weft/solve.h
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/solve.h"

#define CURVE_POINTS 800u

typedef VEC(weft_solve_guess) Guesses;

/* ---- what is known of the parameters ---- */

static weft_solve_guess *guess_for(SolveRun *r, Guesses *g, const char *name, size_t length)
{
    for (uint32_t i = 0; i < g->len; i++)
        if (strlen(g->data[i].name) == length && memcmp(g->data[i].name, name, length) == 0)
            return &g->data[i];
    weft_solve_guess one = {.name = arena_printf(&r->cli->arena, "%.*s", (int)length, name),
                            .start = NAN};
    VEC_PUSH(&r->cli->arena, g, one);
    return &g->data[g->len - 1];
}

/* "1.5", "1.5:" or ":2", "1:2" for bounds. */
static bool parse_bounds(const char *text, weft_solve_guess *g)
{
    const char *colon = strchr(text, ':');
    char *end;
    if (!colon)
        return false;
    g->lower = -INFINITY;
    g->upper = INFINITY;
    if (colon > text) {
        g->lower = strtod(text, &end);
        if (end != colon)
            return false;
    }
    if (colon[1]) {
        g->upper = strtod(colon + 1, &end);
        if (*end)
            return false;
    }
    return g->lower <= g->upper;
}

static bool parse_guess(SolveRun *r, Guesses *guesses, const Given *given)
{
    const char *option = given->option->name, *equals = strchr(given->value, '=');
    bool bounds = strcmp(option, "bounds") == 0;
    char *end = NULL;
    if (equals && equals > given->value) {
        weft_solve_guess *g = guess_for(r, guesses, given->value,
                                        (size_t)(equals - given->value));
        if (bounds ? parse_bounds(equals + 1, g)
                   : (g->start = strtod(equals + 1, &end), equals[1] && !*end &&
                                                           isfinite(g->start))) {
            g->fixed |= strcmp(option, "fix") == 0;
            return true;
        }
    }
    cli_complain(r->cli, "--%s: '%s' is not %s", option, given->value, given->option->value);
    return false;
}

static bool parse_guesses(SolveRun *r, Guesses *guesses)
{
    for (uint32_t i = 0; i < r->cli->given.len; i++) {
        const Given *given = &r->cli->given.data[i];
        const char  *name = given->option->name;
        if ((strcmp(name, "start") == 0 || strcmp(name, "fix") == 0 ||
             strcmp(name, "bounds") == 0) && !parse_guess(r, guesses, given))
            return false;
    }
    return true;
}

/* ---- output ---- */

static bool is_fixed(const Guesses *guesses, const char *name)
{
    for (uint32_t i = 0; i < guesses->len; i++)
        if (guesses->data[i].fixed && strcmp(guesses->data[i].name, name) == 0)
            return true;
    return false;
}

static void print_fit(SolveRun *r, const weft_solve_fit *fit, const Guesses *guesses)
{
    Text *out = &r->cli->out;
    weft_solve_fit_info info;
    Table t = {.arena = &r->cli->arena, .indent = "  ", .columns = 4};
    weft_solve_fit_get_info(&info, fit);
    text_printf(out, "%s ~ %s, %u points\n\n", info.observed, info.model, info.points);
    for (uint32_t i = 0; i < info.parameters; i++) {
        weft_solve_fit_parameter p;
        weft_solve_fit_parameter_get(&p, fit, i);
        double share = p.value != 0 ? 100 * p.error / fabs(p.value) : 0;
        bool known = isfinite(p.error), fixed = is_fixed(guesses, p.name);
        const char *row[] = {
            p.name, arena_printf(&r->cli->arena, "= %.9g", p.value),
            fixed ? "fixed" : known ? arena_printf(&r->cli->arena, "+- %.3g", p.error)
                                    : "not determined by the data",
            fixed || !known ? "" : arena_printf(&r->cli->arena, "(%.2g %%)", share)};
        table_row(&t, row);
    }
    table_print(out, &t);
    text_printf(out, "\n  chi2 %.6g with %u degrees of freedom\n", info.chi2, info.freedom);
    text_printf(out, "  root mean square residual %.6g, R2 %.6f\n", info.rms, info.r2);
    text_printf(out, "  %u iterations, %s: %s\n", info.result.iterations,
                info.result.converged ? "converged" : "not converged",
                weft_solve_termination_sentence(info.result.termination));
}

static void print_json(SolveRun *r, const weft_solve_fit *fit)
{
    Text *out = &r->cli->out;
    weft_solve_fit_info info;
    weft_solve_fit_get_info(&info, fit);
    text_add(out, STR("{\"observed\":"));
    text_json(out, str_of(info.observed));
    text_printf(out, ",\"points\":%u,\"parameters\":{", info.points);
    for (uint32_t i = 0; i < info.parameters; i++) {
        weft_solve_fit_parameter p;
        weft_solve_fit_parameter_get(&p, fit, i);
        text_printf(out, "%s\"%s\":{\"value\":", i ? "," : "", p.name);
        solve_json_number(out, p.value);
        text_add(out, STR(",\"error\":"));
        solve_json_number(out, p.error);
        text_add(out, STR(",\"start\":"));
        solve_json_number(out, p.start);
        text_add(out, STR("}"));
    }
    text_add(out, STR("},\"covariance\":["));
    for (uint32_t i = 0; i < info.parameters * info.parameters; i++) {
        text_printf(out, "%s", i % info.parameters ? "," : i ? "],[" : "[");
        solve_json_number(out, weft_solve_fit_covariance(fit, i / info.parameters,
                                                         i % info.parameters));
    }
    text_add(out, STR("]],\"chi2\":"));
    solve_json_number(out, info.chi2);
    text_printf(out, ",\"freedom\":%u,\"rms\":", info.freedom);
    solve_json_number(out, info.rms);
    text_add(out, STR(",\"r2\":"));
    solve_json_number(out, info.r2);
    text_printf(out, ",\"trials\":%u,", info.trials);
    solve_result_json(out, &info.result);
    text_add(out, STR("}\n"));
}

/* ---- files ---- */

/* The table with a column for the model. */
static bool write_table(SolveRun *r, const weft_solve_table *t, weft_solve_fit *fit,
                        const char *path)
{
    uint32_t rows = weft_solve_table_rows(t), columns = weft_solve_table_columns(t);
    double *model = malloc((rows + 1ull) * sizeof *model);
    bool ok = model && weft_solve_fit_evaluate(model, fit, NULL, 0);
    FILE *file = ok ? fopen(path, "w") : NULL;
    for (uint32_t c = 0; file && c < columns; c++)
        fprintf(file, "%s,", weft_solve_table_names(t)[c]);
    if (file)
        fprintf(file, "model\n");
    for (uint32_t i = 0; file && i < rows; i++) {
        for (uint32_t c = 0; c < columns; c++)
            fprintf(file, "%.17g,", weft_solve_table_data(t)[(size_t)i * columns + c]);
        fprintf(file, "%.17g\n", model[i]);
    }
    free(model);
    bool bad = file && ferror(file) != 0;
    if (!file || fclose(file) != 0 || bad) {
        cli_complain(r->cli, "cannot write %s", path);
        return false;
    }
    return true;
}

/* The column along which the fit is drawn: the first that is not observed. */
static uint32_t axis_of(const weft_solve_table *t, const char *observed)
{
    for (uint32_t c = 0; c < weft_solve_table_columns(t); c++)
        if (strcmp(weft_solve_table_names(t)[c], observed) != 0)
            return c;
    return 0;
}

typedef struct Drawing {
    double *x, *y, *curve_x, *curve_y, *rows;
} Drawing;

static void drawing_release(Drawing *d)
{
    free(d->x);
    free(d->y);
    free(d->curve_x);
    free(d->curve_y);
    free(d->rows);
}

/* Rows between the least and greatest x; other columns as in the nearest row before. */
static void fill_curve(Drawing *d, const weft_solve_table *t, uint32_t axis)
{
    uint32_t rows = weft_solve_table_rows(t), columns = weft_solve_table_columns(t);
    const double *data = weft_solve_table_data(t);
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < rows; i++) {
        low = fmin(low, d->x[i]);
        high = fmax(high, d->x[i]);
    }
    for (uint32_t k = 0; k < CURVE_POINTS; k++) {
        double at = low + (high - low) * k / (CURVE_POINTS - 1);
        uint32_t near = 0;
        for (uint32_t i = 1; i < rows; i++)
            if (fabs(d->x[i] - at) < fabs(d->x[near] - at))
                near = i;
        memcpy(d->rows + (size_t)k * columns, data + (size_t)near * columns,
               columns * sizeof *data);
        d->rows[(size_t)k * columns + axis] = d->curve_x[k] = at;
    }
}

static bool draw(SolveRun *r, const weft_solve_table *t, weft_solve_fit *fit, const char *path)
{
    weft_solve_fit_info info;
    uint32_t rows = weft_solve_table_rows(t), columns = weft_solve_table_columns(t);
    weft_solve_fit_get_info(&info, fit);
    uint32_t axis = axis_of(t, info.observed), observed = UINT32_MAX;
    for (uint32_t c = 0; c < columns; c++)
        if (strcmp(weft_solve_table_names(t)[c], info.observed) == 0)
            observed = c;
    if (observed == UINT32_MAX || columns < 2) {
        cli_complain(r->cli, "--plot: '%s' is not a column of the table", info.observed);
        return false;
    }
    Drawing d = {malloc(rows * sizeof(double)), malloc(rows * sizeof(double)),
                 malloc(CURVE_POINTS * sizeof(double)), malloc(CURVE_POINTS * sizeof(double)),
                 malloc((size_t)CURVE_POINTS * columns * sizeof(double))};
    bool ok = d.x && d.y && d.curve_x && d.curve_y && d.rows;
    for (uint32_t i = 0; ok && i < rows; i++) {
        d.x[i] = weft_solve_table_data(t)[(size_t)i * columns + axis];
        d.y[i] = weft_solve_table_data(t)[(size_t)i * columns + observed];
    }
    if (ok) {
        fill_curve(&d, t, axis);
        ok = weft_solve_fit_evaluate(d.curve_y, fit, d.rows, CURVE_POINTS);
        if (!ok)
            solve_complain(r);
    }
    ok = ok && plot_fit(r->cli, path, info.model, d.x, d.y, rows, d.curve_x,
                        d.curve_y, CURVE_POINTS);
    drawing_release(&d);
    return ok;
}

/* ---- the fit ---- */

/* Options that were given replace those of a thorough fit. */
static bool special_options(const SolveRun *r)
{
    static const char *const names[] = {"method", "linear", "iterations", "tolerance", "rate",
                                        "time", "mixed"};
    for (size_t i = 0; i < COUNTOF(names); i++)
        if (options_given(r->cli, names[i]))
            return true;
    return false;
}

int solve_fit(SolveRun *r)
{
    const char *path = NULL, *observed = NULL, *sigma = NULL;
    Guesses     guesses = {0};
    uint32_t    trials = 0;
    if (!parse_guesses(r, &guesses) || !options_uint(r->cli, "trials", &trials))
        return CLI_TROUBLE;
    options_find(r->cli, "observed", &observed);
    options_find(r->cli, "sigma", &sigma);
    Source s = input_read(&r->cli->arena, r->cli->operands.data[1]);
    if (s.why) {
        cli_complain(r->cli, "cannot read %s: %s", s.name, s.why);
        return CLI_TROUBLE;
    }
    weft_solve_table *t = weft_solve_table_read(r->ctx, s.text, s.size, s.name);
    weft_solve_fit *fit = !t ? NULL : weft_solve_fit_create(r->ctx, &(weft_solve_fit_desc){
        .formula = r->cli->operands.data[2], .columns = weft_solve_table_names(t),
        .column_count = weft_solve_table_columns(t), .data = weft_solve_table_data(t),
        .count = weft_solve_table_rows(t), .observed = observed, .sigma = sigma,
        .guesses = guesses.data, .guess_count = guesses.len, .trials = trials,
        .loss = r->has_loss ? &r->loss : NULL,
        .options = special_options(r) ? &r->options : NULL});
    solve_progress_end(r);
    int status = fit ? CLI_OK : solve_complain(r);
    if (fit)
        r->json ? print_json(r, fit) : print_fit(r, fit, &guesses);
    if (fit && options_find(r->cli, "out", &path) && !write_table(r, t, fit, path))
        status = CLI_TROUBLE;
    if (fit && options_find(r->cli, "plot", &path) && !draw(r, t, fit, path))
        status = CLI_TROUBLE;
    weft_solve_fit_release(fit);
    weft_solve_table_release(t);
    input_release(&s);
    return status;
}
