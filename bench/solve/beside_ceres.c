/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside_ceres.c - sections of bench/solve that Ceres does as well: a bundle adjustment, a million
 * Gaussian fits. Both sides solve from the same start, taking turns.
 *
 * in     a file of Bundle Adjustment in the Large; sizes
 * out    lines of a table; a cost that is worse than the rival's makes the program fail
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "bench_solve.h"

#define MOST_TURNS 64

static void fail(weft_context *ctx, const char *what)
{
    fprintf(stderr, "bench/solve: %s: %s\n", what, weft_context_error(ctx)->message);
    exit(1);
}

/* ---- bundle adjustment ---- */

static weft_grad_graph *reprojection(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node c[9], point[3], seen[2];
    weft_grad_input(c, g, "camera", 9);
    weft_grad_input(point, g, "point", 3);
    weft_grad_data(seen, g, "seen", 2);
    weft_grad_vec3 p = weft_grad_rotate_axis(g, (weft_grad_vec3){c[0], c[1], c[2]},
                                             (weft_grad_vec3){point[0], point[1], point[2]});
    p = weft_grad_vec3_add(g, p, (weft_grad_vec3){c[3], c[4], c[5]});
    weft_grad_node inverse = weft_grad_neg(g, weft_grad_reciprocal(g, p.z));
    weft_grad_node x = weft_grad_mul(g, p.x, inverse), y = weft_grad_mul(g, p.y, inverse);
    weft_grad_node r2 = weft_grad_add(g, weft_grad_square(g, x), weft_grad_square(g, y));
    weft_grad_node bend = weft_grad_add(g, c[7], weft_grad_mul(g, c[8], r2));
    weft_grad_node d = weft_grad_add(g, weft_grad_constant(g, 1), weft_grad_mul(g, r2, bend));
    weft_grad_node f = weft_grad_mul(g, c[6], d);
    weft_grad_output(g, weft_grad_sub(g, weft_grad_mul(g, f, x), seen[0]), "x");
    weft_grad_output(g, weft_grad_sub(g, weft_grad_mul(g, f, y), seen[1]), "y");
    return g;
}

/* From arrays to a solution whose cost is not above `limit`; 0: until it converges. */
static RivalResult weft_bundle(weft_context *ctx, double *x, const Problem *p, double limit,
                               bool mixed, const Options *o)
{
    double start = now();
    weft_solve_result result;
    weft_grad_graph *g = reprojection(ctx);
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = p->count, .parameter_count = p->parameter_count, .index = p->index,
        .data = p->data});
    weft_solve_problem *problem = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = p->parameter_count});
    weft_solve_add(problem, b, NULL);
    weft_solve_options options = {.max_iterations = o->iterations + 10, .mixed = mixed};
    if (limit > 0) {
        options.cost_limit = limit;
        options.cost_tolerance = 1e-12;
    }
    if (!weft_solve(&result, x, problem, &options))
        fail(ctx, "bundle");
    weft_solve_problem_release(problem);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
    return (RivalResult){now() - start, result.seconds, result.initial_cost, result.final_cost,
                         result.iterations};
}

static void show(const char *who, const RivalResult *r, double seconds)
{
    printf("  %-14s %8.3f s, %7.3f in the solver   %3u iterations   cost %.6g to %.10g\n", who,
           seconds, r->solve_seconds, r->iterations, r->initial_cost, r->final_cost);
    fflush(stdout);
}

static void bundle_turns(weft_context *ctx, const Problem *p, const Options *o)
{
    double seconds[3][MOST_TURNS], ratio[2][MOST_TURNS];
    RivalResult last[3] = {{0}};
    double *x = malloc(p->parameter_count * sizeof *x);
    for (uint32_t turn = 0; x && turn < o->turns; turn++)
        for (int who = 0; who < 3; who++) {
            memcpy(x, p->x, p->parameter_count * sizeof *x);
            last[who] = who == 0 && rival_available()
                          ? rival_bundle(x, p, o)
                          : weft_bundle(ctx, x, p, last[0].final_cost, who == 2, o);
            seconds[who][turn] = last[who].seconds;
            if (who > 0)
                ratio[who - 1][turn] = seconds[0][turn] / seconds[who][turn];
        }
    free(x);
    show(rival_available() ? "Ceres" : "Weft, alone", &last[0], median(seconds[0], o->turns));
    show("Weft", &last[1], median(seconds[1], o->turns));
    show("Weft, mixed", &last[2], median(seconds[2], o->turns));
    if (rival_available())
        printf("  to the same cost %.1f times as fast, mixed %.1f\n", median(ratio[0], o->turns),
               median(ratio[1], o->turns));
    for (int who = 1; who < 3; who++)
        if (!(last[who].final_cost <= last[0].final_cost * (1 + 1e-9))) {
            fprintf(stderr, "bench/solve: bundle: the cost is worse\n");
            exit(1);
        }
}

void section_bundle(const Options *o)
{
    Problem p;
    if (!problem_bundle(&p, o->bundle))
        return;
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .adapter = "cpu", .threads = o->threads});
    bundle_turns(ctx, &p, o);
    weft_context_release(ctx);
    problem_fini(&p);
}

/* ---- Gaussian fits: a exp(-(t - m)^2 / (2 s^2)) + b ---- */

static weft_grad_graph *peak(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node p[4], t[1], y[1];
    weft_grad_input(p, g, "peak", 4);
    weft_grad_data(t, g, "t", 1);
    weft_grad_data(y, g, "y", 1);
    weft_grad_node z = weft_grad_div(g, weft_grad_sub(g, t[0], p[1]), p[2]);
    weft_grad_node e = weft_grad_exp(g, weft_grad_mul(g, weft_grad_constant(g, -0.5),
                                                      weft_grad_square(g, z)));
    weft_grad_node model = weft_grad_add(g, weft_grad_mul(g, p[0], e), p[3]);
    weft_grad_output(g, weft_grad_sub(g, model, y[0]), "residual");
    return g;
}

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

static void make_fits(double *start, double *y, uint32_t fits)
{
    uint64_t seed = 7;
    for (uint32_t f = 0; f < fits; f++) {
        double p[4] = {1 + 0.3 * random_unit(&seed), 0.4 * random_unit(&seed),
                       0.5 + 0.15 * random_unit(&seed), 0.1 * random_unit(&seed)};
        const double first[4] = {1, 0, 0.5, 0};
        memcpy(start + 4 * (size_t)f, first, sizeof first);
        for (uint32_t i = 0; i < MANY_POINTS; i++) {
            double z = (many_abscissa(i) - p[1]) / p[2];
            y[(size_t)f * MANY_POINTS + i] = p[0] * exp(-0.5 * z * z) + p[3] +
                                             0.02 * random_unit(&seed);
        }
    }
}

static RivalResult weft_many(weft_context *ctx, double *x, const double *y, uint32_t fits,
                             weft_grad_precision precision)
{
    double t[MANY_POINTS], start = now();
    weft_solve_status *each = malloc(fits * sizeof *each);
    RivalResult r = {0};
    uint64_t iterations = 0;
    for (uint32_t i = 0; i < MANY_POINTS; i++)
        t[i] = many_abscissa(i);
    weft_grad_graph *g = peak(ctx);
    if (!each || !weft_solve_many(x, each, ctx, &(weft_solve_many_desc){
            .graph = g, .problems = fits, .instances = MANY_POINTS, .data = y, .common = t,
            .common_count = 1, .precision = precision}))
        fail(ctx, "many");
    r.seconds = r.solve_seconds = now() - start;
    for (uint32_t f = 0; f < fits; f++) {
        r.initial_cost += each[f].initial_cost;
        r.final_cost += each[f].final_cost;
        iterations += each[f].iterations;
    }
    r.iterations = (uint32_t)(iterations / fits);
    weft_grad_graph_release(g);
    free(each);
    return r;
}

static void many_turns(weft_context *ctx, const double *start, const double *y, const Options *o)
{
    static const struct {
        const char         *name;
        weft_grad_precision precision;
        double              worse;      /* relative, of the cost                */
    } ways[] = {
        {"Weft f64", WEFT_GRAD_F64, 1e-6}, {"Weft mixed", WEFT_GRAD_MIXED, 1e-4},
        {"Weft f32", WEFT_GRAD_F32, 1e-4},
    };
    double *x = malloc(4ull * o->fits * sizeof *x);
    RivalResult rival = {0}, r = {0};
    for (int w = 0; x && w < 3; w++) {
        double ratio[MOST_TURNS], seconds[2][MOST_TURNS];
        for (uint32_t turn = 0; turn < o->turns; turn++) {
            memcpy(x, start, 4ull * o->fits * sizeof *x);
            rival = rival_available() ? rival_many(x, y, o->fits, o->threads)
                                      : weft_many(ctx, x, y, o->fits, WEFT_GRAD_F64);
            memcpy(x, start, 4ull * o->fits * sizeof *x);
            r = weft_many(ctx, x, y, o->fits, ways[w].precision);
            seconds[0][turn] = rival.seconds;
            seconds[1][turn] = r.seconds;
            ratio[turn] = rival.seconds / r.seconds;
        }
        if (w == 0)
            show(rival_available() ? "TinySolver" : "Weft f64", &rival,
                 median(seconds[0], o->turns));
        show(ways[w].name, &r, median(seconds[1], o->turns));
        if (rival_available())
            printf("  %-14s %.1f times as fast\n", "", median(ratio, o->turns));
        if (!(r.final_cost <= rival.final_cost * (1 + ways[w].worse))) {
            fprintf(stderr, "bench/solve: many: the cost is worse\n");
            exit(1);
        }
    }
    free(x);
}

void section_many(const Options *o)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .adapter = "cpu", .threads = o->threads});
    double *start = malloc(4ull * o->fits * sizeof *start);
    double *y = malloc((uint64_t)MANY_POINTS * o->fits * sizeof *y);
    if (start && y) {
        make_fits(start, y, o->fits);
        many_turns(ctx, start, y, o);
    }
    free(start);
    free(y);
    weft_context_release(ctx);
}
