// SPDX-License-Identifier: Apache-2.0
/*
 * curves.c - curve fits three ways: by a formula, with outliers, and a hundred thousand at once.
 *
 *     curves [PICTURE.png]
 *
 * in     data of its own making
 * out    parameters with their errors; a picture of 36 of the many fits
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "../mesh/picture.h"

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* ---- a formula ---- */

static bool print_fit(weft_solve_fit *fit)
{
    weft_solve_fit_info info;
    if (!weft_solve_fit_get_info(&info, fit))
        return false;
    for (uint32_t i = 0; i < info.parameters; i++) {
        weft_solve_fit_parameter p;
        weft_solve_fit_parameter_get(&p, fit, i);
        printf("  %-3s %9.5f +- %.5f\n", p.name, p.value, p.error);
    }
    return info.result.converged;
}

/* A damped oscillation; every tenth value is wrong. */
static bool formulas(weft_context *ctx)
{
    enum { COUNT = 200 };
    static const char *const columns[] = {"t", "v"};
    const weft_solve_loss loss = {.kind = WEFT_SOLVE_CAUCHY, .a = 0.05};
    const weft_solve_guess guesses[] = {{.name = "f", .start = 1, .lower = 0.5, .upper = 2}};
    double data[COUNT][2];
    uint64_t seed = 5;
    for (int i = 0; i < COUNT; i++) {
        double t = data[i][0] = 0.05 * i;
        data[i][1] = 2 * exp(-0.3 * t) * cos(2 * 3.14159265358979 * 1.25 * t) +
                     0.02 * random_unit(&seed) + (i % 10 == 0 ? 1.5 * random_unit(&seed) : 0);
    }
    bool ok = true;
    for (int robust = 0; robust < 2; robust++) {
        weft_solve_fit *fit = weft_solve_fit_create(ctx, &(weft_solve_fit_desc){
            .formula = "v = a*exp(-d*t) * cos(2*pi*f*t)", .columns = columns, .column_count = 2,
            .data = data[0], .count = COUNT, .guesses = guesses, .guess_count = 1,
            .loss = robust ? &loss : NULL});
        printf("a damped oscillation, %s\n", robust ? "with a robust loss" : "least squares");
        ok = ok && fit && print_fit(fit);
        weft_solve_fit_release(fit);
    }
    return ok;
}

/* ---- many fits ---- */

enum { FITS = 100000, POINTS = 50 };

/* height exp(-((t - centre) / width)^2 / 2) + offset */
static weft_grad_graph *peak(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node p[4], t[1], y[1];
    weft_grad_input(p, g, "peak", 4);
    weft_grad_data(t, g, "t", 1);   /* the same for all problems: `common` below */
    weft_grad_data(y, g, "y", 1);
    weft_grad_node z = weft_grad_div(g, weft_grad_sub(g, t[0], p[1]), p[2]);
    weft_grad_node e = weft_grad_exp(g, weft_grad_mul(g, weft_grad_constant(g, -0.5),
                                                      weft_grad_square(g, z)));
    weft_grad_node model = weft_grad_add(g, weft_grad_mul(g, p[0], e), p[3]);
    weft_grad_output(g, weft_grad_sub(g, model, y[0]), "residual");
    return g;
}

static double peak_at(const double p[4], double t)
{
    double z = (t - p[1]) / p[2];
    return p[0] * exp(-z * z / 2) + p[3];
}

static void draw(const double (*x)[4], const double (*y)[POINTS], const char *path)
{
    static const uint8_t blue[3] = {31, 97, 180}, orange[3] = {224, 116, 16};
    Picture p = picture_make(900, 600);
    for (int f = 0; f < 36; f++) {
        double left = 150 * (f % 6) + 10, bottom = 100 * (f / 6) + 95;
        for (int i = 0; i < POINTS; i++)
            picture_dot(&p, left + 2.6 * i, bottom - 11 * y[f][i], 1.6, blue);
        for (int i = 0; i < 10 * POINTS; i++)
            picture_dot(&p, left + 0.26 * i, bottom - 11 * peak_at(x[f], 0.1 * i), 0.8, orange);
    }
    if (!picture_write(&p, path))
        fprintf(stderr, "cannot write %s\n", path);
    picture_free(&p);
}

static bool many(weft_context *ctx, const char *path)
{
    double (*x)[4] = malloc(FITS * sizeof *x), (*y)[POINTS] = malloc(FITS * sizeof *y);
    double (*truth)[4] = malloc(FITS * sizeof *truth), t[POINTS], worst = 0;
    weft_solve_status *each = malloc(FITS * sizeof *each);
    uint64_t seed = 9, iterations = 0, converged = 0;
    if (!x || !y || !truth || !each)
        abort();
    for (int f = 0; f < FITS; f++) {
        const double one[4] = {5 + 2 * random_unit(&seed), 25 + 8 * random_unit(&seed),
                               5 + 2 * random_unit(&seed), 1 + 0.5 * random_unit(&seed)};
        int top = 0, low = 0;
        memcpy(truth[f], one, sizeof one);
        for (int i = 0; i < POINTS; i++) {
            t[i] = i;
            y[f][i] = peak_at(one, i) + 0.1 * random_unit(&seed);
            top = y[f][i] > y[f][top] ? i : top;
            low = y[f][i] < y[f][low] ? i : low;
        }
        const double start[4] = {y[f][top] - y[f][low], top, 4, y[f][low]};
        memcpy(x[f], start, sizeof start);
    }
    weft_grad_graph *g = peak(ctx);
    bool ok = weft_solve_many(x[0], each, ctx, &(weft_solve_many_desc){
        .graph = g, .problems = FITS, .instances = POINTS, .data = y[0], .common = t,
        .common_count = 1});
    for (int f = 0; ok && f < FITS; f++) {
        iterations += each[f].iterations;
        converged += weft_solve_termination_converged(each[f].termination);
        worst = fmax(worst, fabs(x[f][1] - truth[f][1]));
    }
    if (ok) {
        printf("%d peaks at once: %llu converged, %.1f iterations on average, centres within "
               "%.2f\n", FITS, (unsigned long long)converged, (double)iterations / FITS, worst);
        if (path)
            draw((const double (*)[4])x, (const double (*)[POINTS])y, path);
    }
    weft_grad_graph_release(g);
    free(x);
    free(y);
    free(truth);
    free(each);
    return ok && converged > 0.99 * FITS;
}

int main(int argc, char **argv)
{
    weft_context *ctx = weft_context_create(NULL);
    bool ok = formulas(ctx) && many(ctx, argc > 1 ? argv[1] : NULL);
    if (weft_context_error(ctx)->kind)
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    weft_context_release(ctx);
    return ok ? 0 : 1;
}
