// SPDX-License-Identifier: Apache-2.0
/*
 * solve_test.c - whole solves: every method and linear solver on problems with known solutions;
 * losses, bounds, fixed parameters, manifolds, functions, objectives; callbacks and limits;
 * covariance; ends that are defined for bad starts and singular systems; errors.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "base/macro.h"

typedef weft_grad_graph *G;
typedef weft_grad_node   N;

static weft_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = weft_context_create(NULL);
    return weft_context_device(ctx) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weft_context_release(ctx);
    return 0;
}

static void assert_no_error(void)
{
    if (weft_context_error(ctx)->kind != WEFT_ERROR_NONE)
        fail_msg("%s", weft_context_error(ctx)->message);
}

static void expect_error(weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("'%s' instead of '%s'", e->message, part);
    weft_context_error_clear(ctx);
}

static void expect_near(double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound))
        fail_msg("%.12g instead of %.12g", got, want);
}

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

static weft_solve_problem *problem_of(uint32_t parameters)
{
    weft_solve_problem *p = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = parameters});
    assert_non_null(p);
    return p;
}

/* Adds a batch of a graph, which it releases. */
static void add(weft_solve_problem *p, G g, uint32_t parameters, uint32_t count,
                const uint32_t *index, const double *data, const weft_solve_loss *loss)
{
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = count, .parameter_count = parameters, .index = index, .data = data});
    assert_no_error();
    assert_true(weft_solve_add(p, b, loss));
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
}

/* ---- problems ---- */

/* 10 (y - x^2), 1 - x */
static G rosenbrock(void)
{
    G g = weft_grad_graph_create(ctx, NULL);
    N x[2];
    weft_grad_input(x, g, "x", 2);
    N bend = weft_grad_sub(g, x[1], weft_grad_square(g, x[0]));
    weft_grad_output(g, weft_grad_mul(g, weft_grad_constant(g, 10), bend), "bend");
    weft_grad_output(g, weft_grad_sub(g, weft_grad_constant(g, 1), x[0]), "rest");
    return g;
}

/* y - a exp(-b t) - c */
static G decay(void)
{
    G g = weft_grad_graph_create(ctx, NULL);
    N p[3], d[2];
    weft_grad_input(p, g, "p", 3);
    weft_grad_data(d, g, "sample", 2);
    N e = weft_grad_exp(g, weft_grad_neg(g, weft_grad_mul(g, p[1], d[0])));
    N model = weft_grad_add(g, weft_grad_mul(g, p[0], e), p[2]);
    weft_grad_output(g, weft_grad_sub(g, d[1], model), "residual");
    return g;
}

#define SAMPLES 60u

static void decay_data(double *data, double noise)
{
    uint64_t seed = 4;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        data[2 * i] = i * 0.1;
        data[2 * i + 1] = 3 * exp(-0.7 * data[2 * i]) + 0.5 + noise * random_unit(&seed);
    }
}

static weft_solve_problem *decay_problem(double noise, const weft_solve_loss *loss)
{
    double data[2 * SAMPLES];
    weft_solve_problem *p = problem_of(3);
    decay_data(data, noise);
    add(p, decay(), 3, SAMPLES, NULL, data, loss);
    return p;
}

/* ---- methods and linear solvers ---- */

static void test_every_method_finds_the_valley(void **state)
{
    static const struct { weft_solve_method method; uint32_t iterations; double rate, bound; }
    ways[] = {
        {WEFT_SOLVE_LEVENBERG_MARQUARDT, 0, 0, 1e-8}, {WEFT_SOLVE_DOGLEG, 0, 0, 1e-8},
        {WEFT_SOLVE_GAUSS_NEWTON, 0, 0, 1e-8},        {WEFT_SOLVE_LBFGS, 0, 0, 1e-4},
        {WEFT_SOLVE_ADAM, 5000, 0.05, 1e-2},          {WEFT_SOLVE_ADAMW, 5000, 0.05, 0.1},
        {WEFT_SOLVE_SGD, 20000, 1e-3, 0.05},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(ways); i++) {
        weft_solve_problem *p = problem_of(2);
        double x[2] = {-1.2, 1};
        weft_solve_result r;
        add(p, rosenbrock(), 2, 1, NULL, NULL, NULL);
        assert_true(weft_solve(&r, x, p, &(weft_solve_options){
            .method = ways[i].method, .max_iterations = ways[i].iterations,
            .learning_rate = ways[i].rate, .cost_tolerance = 1e-14}));
        assert_no_error();
        expect_near(r.initial_cost, 12.1, 1e-9);
        expect_near(x[0], 1, ways[i].bound);
        expect_near(x[1], 1, 2 * ways[i].bound);
        assert_true(r.final_cost < 1e-2 && r.method == ways[i].method);
        weft_solve_problem_release(p);
    }
}

/* A chain of points that want to be at distance 1 of their neighbours, ends fixed; each point
 * also wants to be near a given one. Sparse, with many columns. */
static weft_solve_problem *chain_problem(uint32_t points, double *x)
{
    weft_solve_problem *p = problem_of(3 * points);
    uint32_t *index = malloc(2 * points * sizeof *index);
    double *rest = malloc(3 * points * sizeof *rest);
    uint64_t seed = 11;
    G g = weft_grad_graph_create(ctx, NULL), near = weft_grad_graph_create(ctx, NULL);
    weft_grad_vec3 a, b;
    N n[3], d[3];
    weft_grad_input(n, g, "a", 3);
    a = (weft_grad_vec3){n[0], n[1], n[2]};
    weft_grad_input(n, g, "b", 3);
    b = (weft_grad_vec3){n[0], n[1], n[2]};
    weft_grad_output(g, weft_grad_sub(g, weft_grad_vec3_distance(g, a, b),
                                      weft_grad_constant(g, 1)), "stretch");
    weft_grad_input(n, near, "a", 3);
    weft_grad_data(d, near, "rest", 3);
    for (int i = 0; i < 3; i++)
        weft_grad_output(near, weft_grad_mul(near, weft_grad_constant(near, 0.5),
                                             weft_grad_sub(near, n[i], d[i])), NULL);
    for (uint32_t i = 0; i < points; i++) {
        for (int k = 0; k < 3; k++) {
            rest[3 * i + k] = (k == 0) * 1.1 * i;
            x[3 * i + k] = rest[3 * i + k] + 0.3 * random_unit(&seed);
        }
        index[2 * i] = 3 * i;
        index[2 * i + 1] = 3 * i + 3;
    }
    add(p, g, 3 * points, points - 1, index, NULL, NULL);
    for (uint32_t i = 0; i < points; i++)
        index[i] = 3 * i;
    add(p, near, 3 * points, points, index, rest, NULL);
    assert_true(weft_solve_set_fixed(p, 0, 3, true));
    free(index);
    free(rest);
    return p;
}

static void test_every_linear_solver_takes_the_same_steps(void **state)
{
    enum { POINTS = 150 };
    double x[3 * POINTS], want[3 * POINTS];
    (void)state;
    for (int linear = WEFT_SOLVE_DENSE_CHOLESKY; linear < WEFT_SOLVE_LINEAR_COUNT; linear++)
        for (int mixed = 0; mixed < 2; mixed++) {
            weft_solve_result r;
            if (linear == WEFT_SOLVE_CHOLMOD && !weft_solve_cholmod_version())
                continue;
            weft_solve_problem *p = chain_problem(POINTS, x);
            assert_true(weft_solve(&r, x, p, &(weft_solve_options){
                .linear = (weft_solve_linear)linear, .mixed = mixed, .cost_tolerance = 1e-14,
                .linear_tolerance = 1e-10, .threads = 1 + (uint32_t)mixed}));
            assert_no_error();
            assert_true(r.converged);
            assert_int_equal(r.linear, linear);
            assert_int_equal(r.free_parameters, 3 * POINTS - 3);
            if (linear == WEFT_SOLVE_SCHUR)
                assert_true(r.eliminated > 100 && r.eliminated < 3 * POINTS - 3);
            if (linear == WEFT_SOLVE_CONJUGATE_GRADIENT)
                assert_true(r.linear_iterations > 0);
            if (linear == WEFT_SOLVE_DENSE_CHOLESKY && !mixed)
                memcpy(want, x, sizeof want);
            for (int i = 0; i < 3 * POINTS; i++)
                expect_near(x[i], want[i], 1e-6);
            weft_solve_problem_release(p);
        }
}

/* More parameters than residuals: the smaller system is solved. */
static void test_few_residuals_for_many_parameters(void **state)
{
    enum { COUNT = 400 };
    double x[COUNT], data[40];
    uint64_t seed = 2;
    weft_solve_result r;
    weft_solve_problem *p = problem_of(COUNT);
    G g = weft_grad_graph_create(ctx, NULL);
    N n[COUNT], d[1];
    (void)state;
    weft_grad_input(n, g, "x", COUNT);
    weft_grad_data(d, g, "target", 1);
    N sum = weft_grad_sum(g, n, COUNT);
    weft_grad_output(g, weft_grad_sub(g, weft_grad_sin(g, weft_grad_add(g, sum, d[0])),
                                      weft_grad_constant(g, 0.25)), "r");
    for (int i = 0; i < COUNT; i++)
        x[i] = 1e-3 * random_unit(&seed);
    for (int i = 0; i < 40; i++)
        data[i] = 6.283185307179586 * i;
    add(p, g, COUNT, 40, NULL, data, NULL);
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){.cost_tolerance = 1e-12,
                                                           .damping = WEFT_SOLVE_IDENTITY}));
    assert_true(r.converged && r.final_cost < 1e-12);
    assert_int_equal(r.factor_entries, 40 * 41 / 2);
    weft_solve_problem_release(p);
}

/* Blocks of `size` parameters that see 40 blocks of 3, some of them several times. */
static weft_solve_problem *viewers_problem(uint32_t size, double *x)
{
    enum { VIEWERS = 5, POINTS = 40, VIEWS = 260, OUTPUTS = 2 };
    uint32_t count = VIEWERS * size + 3 * POINTS, width = OUTPUTS * (size + 4), index[VIEWS * 2];
    double *data = malloc((size_t)VIEWS * width * sizeof *data);
    uint64_t seed = size;
    N viewer[32], point[3], d[OUTPUTS * 36];
    weft_solve_problem *p = problem_of(count);
    G g = weft_grad_graph_create(ctx, NULL);
    weft_grad_input(viewer, g, "viewer", size);
    weft_grad_input(point, g, "point", 3);
    weft_grad_data(d, g, "d", width);
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        const N *at = d + o * (size + 4);
        N sum = weft_grad_sin(g, weft_grad_mul(g, viewer[0], point[o]));
        for (uint32_t i = 0; i < size; i++)
            sum = weft_grad_add(g, sum, weft_grad_mul(g, at[i], viewer[i]));
        for (uint32_t i = 0; i < 3; i++)
            sum = weft_grad_add(g, sum, weft_grad_mul(g, at[size + i], point[i]));
        weft_grad_output(g, weft_grad_sub(g, sum, at[size + 3]), NULL);
    }
    for (uint32_t i = 0; i < VIEWS * width; i++)
        data[i] = random_unit(&seed);
    for (uint32_t i = 0; i < count; i++)
        x[i] = 0.1 * random_unit(&seed);
    for (uint32_t i = 0; i < VIEWS; i++) {
        index[2 * i] = i % VIEWERS * size;
        index[2 * i + 1] = VIEWERS * size + (i * i % 7 * 5 + i / 3) % POINTS * 3;
    }
    add(p, g, count, VIEWS, index, data, NULL);
    free(data);
    return p;
}

static void test_elimination_with_blocks_of_any_size(void **state)
{
    static const uint32_t sizes[] = {1, 2, 6, 7, 8, 9, 10, 17};
    double x[5 * 17 + 120], want[5 * 17 + 120];
    (void)state;
    for (size_t s = 0; s < COUNTOF(sizes); s++)
        for (int linear = 0; linear < 3; linear++) {
            weft_solve_result r;
            weft_solve_problem *p = viewers_problem(sizes[s], linear ? x : want);
            assert_true(weft_solve(&r, linear ? x : want, p, &(weft_solve_options){
                .linear = linear ? WEFT_SOLVE_SCHUR : WEFT_SOLVE_DENSE_CHOLESKY,
                .max_iterations = 4, .threads = (uint32_t)linear}));
            assert_no_error();
            for (uint32_t i = 0; linear && i < 5 * sizes[s] + 120; i++)
                expect_near(x[i], want[i], 1e-7);
            weft_solve_problem_release(p);
        }
}

static void test_listed_parameters_are_eliminated(void **state)
{
    double x[30 * 3];
    uint32_t odd[45], count = 0, all[90];
    weft_solve_result r;
    weft_solve_problem *p = chain_problem(30, x);
    (void)state;
    for (uint32_t i = 0; i < 90; i++) {
        all[i] = i;
        if (i / 3 % 2 == 1)
            odd[count++] = i;
    }
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){
        .linear = WEFT_SOLVE_SCHUR, .eliminate = odd, .eliminate_count = count}));
    assert_true(r.converged);
    assert_int_equal(r.eliminated, 45);
    assert_false(weft_solve(&r, x, p, &(weft_solve_options){
        .linear = WEFT_SOLVE_SCHUR, .eliminate = all, .eliminate_count = 90}));
    expect_error(WEFT_ERROR_INVALID, "cannot both be eliminated");
    weft_solve_problem_release(p);
}

static void test_solves_repeat_bitwise(void **state)
{
    double a[3 * 150], b[3 * 150];
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        double *x = threads == 1 ? a : b;
        weft_solve_problem *p = chain_problem(150, x);
        assert_true(weft_solve(NULL, x, p, &(weft_solve_options){.threads = (uint32_t)threads}));
        weft_solve_problem_release(p);
    }
    assert_memory_equal(a, b, sizeof a);
}

/* ---- losses ---- */

static void test_losses_ignore_outliers(void **state)
{
    static const weft_solve_loss losses[] = {
        {WEFT_SOLVE_HUBER, 0.05, 0, NULL, NULL},  {WEFT_SOLVE_SOFT_L1, 0.05, 0, NULL, NULL},
        {WEFT_SOLVE_CAUCHY, 0.05, 0, NULL, NULL}, {WEFT_SOLVE_ARCTAN, 0.01, 0, NULL, NULL},
        {WEFT_SOLVE_TUKEY, 0.8, 0, NULL, NULL},
    };
    double data[2 * SAMPLES];
    (void)state;
    decay_data(data, 0.01);
    for (uint32_t i = 0; i < SAMPLES; i += 10)
        data[2 * i + 1] += 5;
    for (size_t l = 0; l < COUNTOF(losses); l++)
        for (int method = 0; method < 2; method++) {
            weft_solve_problem *p = problem_of(3);
            double x[3] = {2.5, 0.5, 0.3};
            weft_solve_result r;
            add(p, decay(), 3, SAMPLES, NULL, data, &losses[l]);
            assert_true(weft_solve(&r, x, p, &(weft_solve_options){
                .method = method ? WEFT_SOLVE_LBFGS : WEFT_SOLVE_LEVENBERG_MARQUARDT,
                .max_iterations = 500, .cost_tolerance = 1e-13}));
            expect_near(x[0], 3, 0.2);
            expect_near(x[1], 0.7, 0.1);
            expect_near(x[2], 0.5, 0.1);
            weft_solve_problem_release(p);
        }
}

/* A tolerant loss is convex near its width: the corrected rows must have its gradient. */
static void test_gradients_of_losses(void **state)
{
    static const weft_solve_loss tolerant = {WEFT_SOLVE_TOLERANT, 0.2, 0.5, NULL, NULL};
    weft_solve_problem *p = decay_problem(0.1, &tolerant);
    double x[3] = {2, 1, 0}, g[3], cost, low, high;
    (void)state;
    assert_true(weft_solve_evaluate(&cost, g, p, x));
    for (int i = 0; i < 3; i++) {
        double at = x[i], h = 1e-6;
        x[i] = at + h;
        assert_true(weft_solve_evaluate(&high, NULL, p, x));
        x[i] = at - h;
        assert_true(weft_solve_evaluate(&low, NULL, p, x));
        x[i] = at;
        expect_near(g[i], (high - low) / (2 * h), 1e-6);
    }
    weft_solve_result r;
    double y[3] = {2, 1, 0};
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){.cost_tolerance = 1e-15}));
    assert_true(weft_solve(NULL, y, p, &(weft_solve_options){.method = WEFT_SOLVE_LBFGS,
                                                             .cost_tolerance = 1e-15}));
    expect_near(r.initial_cost, cost, 1e-12);
    for (int i = 0; i < 3; i++)
        expect_near(x[i], y[i], 1e-3);
    weft_solve_problem_release(p);
}

/* ---- bounds, fixed parameters ---- */

static void test_bounds_hold(void **state)
{
    static const weft_solve_method methods[] = {WEFT_SOLVE_LEVENBERG_MARQUARDT, WEFT_SOLVE_DOGLEG,
                                                WEFT_SOLVE_GAUSS_NEWTON, WEFT_SOLVE_LBFGS};
    const double lower[2] = {-2, -INFINITY}, upper[2] = {0.5, INFINITY};
    (void)state;
    for (size_t i = 0; i < COUNTOF(methods); i++) {
        weft_solve_problem *p = problem_of(2);
        double x[2] = {9, 1};       /* outside: moved to the bound */
        weft_solve_result r;
        add(p, rosenbrock(), 2, 1, NULL, NULL, NULL);
        assert_true(weft_solve_set_bounds(p, 0, 2, lower, upper));
        assert_true(weft_solve(&r, x, p, &(weft_solve_options){
            .method = methods[i], .cost_tolerance = 1e-14, .max_iterations = 200}));
        expect_near(x[0], 0.5, 1e-12);
        expect_near(x[1], 0.25, 1e-4);
        expect_near(r.final_cost, 0.125, 1e-6);
        weft_solve_problem_release(p);
    }
}

static void test_a_bound_is_left_again(void **state)
{
    weft_solve_problem *p = decay_problem(0, NULL);
    double x[3] = {0, 0, 2}, lower[3] = {0, 0, 0};
    weft_solve_result r;
    (void)state;
    assert_true(weft_solve_set_bounds(p, 0, 3, lower, NULL));
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){.cost_tolerance = 1e-15}));
    expect_near(x[0], 3, 1e-5);
    expect_near(x[1], 0.7, 1e-5);
    expect_near(x[2], 0.5, 1e-5);
    weft_solve_problem_release(p);
}

static void test_fixed_parameters_stay(void **state)
{
    weft_solve_problem *p = decay_problem(0, NULL);
    double x[3] = {1, 0.7, 0};
    weft_solve_result r;
    (void)state;
    assert_true(weft_solve_set_fixed(p, 1, 1, true));
    assert_true(weft_solve(&r, x, p, NULL));
    assert_int_equal(r.free_parameters, 2);
    assert_true(x[1] == 0.7);
    expect_near(x[0], 3, 1e-6);
    assert_true(weft_solve_set_fixed(p, 0, 3, true));
    x[0] = 2;
    assert_true(weft_solve(&r, x, p, NULL));
    assert_int_equal(r.termination, WEFT_SOLVE_NO_FREE_PARAMETERS);
    assert_true(r.final_cost > 0.1 && x[0] == 2);
    weft_solve_problem_release(p);
}

/* ---- manifolds ---- */

/* The rotation that turns points into others. kind: SO3, QUATERNION or SE3. */
static void rotate_points(weft_solve_manifold_kind kind, weft_solve_linear linear,
                          weft_solve_method method)
{
    enum { COUNT = 20 };
    double data[6 * COUNT], x[7] = {0}, want[7];
    uint32_t size, tangent;
    uint64_t seed = 8;
    const weft_solve_manifold m = {.kind = kind};
    assert_true(weft_solve_manifold_size(&size, &tangent, &m));
    weft_solve_problem *p = problem_of(size);
    G g = weft_grad_graph_create(ctx, NULL);
    N n[7], d[6];
    weft_grad_input(n, g, "pose", size);
    weft_grad_data(d, g, "points", 6);
    weft_grad_vec3 from = {d[0], d[1], d[2]}, to, move = {d[3], d[4], d[5]};
    N zero = weft_grad_constant(g, 0);
    weft_grad_vec3 shift = {zero, zero, zero};
    if (kind == WEFT_SOLVE_SO3)
        to = weft_grad_rotate_axis(g, (weft_grad_vec3){n[0], n[1], n[2]}, from);
    else {
        uint32_t q = kind == WEFT_SOLVE_SE3 ? 3 : 0;
        to = weft_grad_quat_rotate(g, (weft_grad_vec4){n[q], n[q + 1], n[q + 2], n[q + 3]}, from);
    }
    if (kind == WEFT_SOLVE_SE3)
        shift = (weft_grad_vec3){n[0], n[1], n[2]};
    to = weft_grad_vec3_sub(g, weft_grad_vec3_add(g, to, shift), move);
    weft_grad_output(g, to.x, "x");
    weft_grad_output(g, to.y, "y");
    weft_grad_output(g, to.z, "z");
    /* a turn of 2.5 about (1, 2, 2) / 3 */
    double half = 1.25, axis[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, q[4], shifted[3] = {0};
    for (int i = 0; i < 3; i++) {
        q[i] = sin(half) * axis[i];
        shifted[i] = kind == WEFT_SOLVE_SE3 ? i - 2.0 : 0;
    }
    q[3] = cos(half);
    for (int i = 0; i < COUNT; i++) {
        double *v = data + 6 * i, u[3], t[3];
        for (int k = 0; k < 3; k++)
            v[k] = random_unit(&seed);
        for (int k = 0; k < 3; k++)
            u[k] = q[(k + 1) % 3] * v[(k + 2) % 3] - q[(k + 2) % 3] * v[(k + 1) % 3];
        for (int k = 0; k < 3; k++)
            t[k] = q[(k + 1) % 3] * u[(k + 2) % 3] - q[(k + 2) % 3] * u[(k + 1) % 3];
        for (int k = 0; k < 3; k++)
            v[3 + k] = v[k] + 2 * (q[3] * u[k] + t[k]) + shifted[k];
    }
    if (kind == WEFT_SOLVE_SO3)
        for (int i = 0; i < 3; i++)
            want[i] = 2 * half * axis[i];
    else {
        uint32_t at = kind == WEFT_SOLVE_SE3 ? 3 : 0;
        memcpy(want, shifted, sizeof shifted);
        memcpy(want + at, q, sizeof q);
        x[at + 3] = 2;              /* is normalised */
    }
    weft_solve_result r;
    add(p, g, size, COUNT, NULL, data, NULL);
    assert_true(weft_solve_set_manifold(p, 0, &m));
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){
        .method = method, .linear = linear, .cost_tolerance = 1e-14, .max_iterations = 300}));
    assert_no_error();
    assert_int_equal(r.free_parameters, tangent);
    assert_true(r.final_cost < 1e-8);
    for (uint32_t i = 0; i < size; i++)
        expect_near(x[i], want[i], 1e-4);
    weft_solve_problem_release(p);
}

static void test_rotations_and_poses(void **state)
{
    static const weft_solve_manifold_kind kinds[] = {WEFT_SOLVE_SO3, WEFT_SOLVE_QUATERNION,
                                                     WEFT_SOLVE_SE3};
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        rotate_points(kinds[i], WEFT_SOLVE_AUTO, WEFT_SOLVE_LEVENBERG_MARQUARDT);
        rotate_points(kinds[i], WEFT_SOLVE_DENSE_QR, WEFT_SOLVE_DOGLEG);
        rotate_points(kinds[i], WEFT_SOLVE_AUTO, WEFT_SOLVE_LBFGS);
    }
}

static void test_directions_on_a_sphere(void **state)
{
    const weft_solve_manifold parts[] = {{.kind = WEFT_SOLVE_EUCLIDEAN, .size = 1},
                                         {.kind = WEFT_SOLVE_SPHERE, .size = 3}};
    const weft_solve_manifold m = {.kind = WEFT_SOLVE_PRODUCT, .parts = parts, .part_count = 2};
    double x[4] = {0, 2, 0, 0}, data[3] = {-3, -4, 0};
    weft_solve_problem *p = problem_of(4);
    weft_solve_result r;
    G g = weft_grad_graph_create(ctx, NULL);
    N n[4], d[3];
    (void)state;
    weft_grad_input(n, g, "x", 4);
    weft_grad_data(d, g, "to", 3);
    for (int i = 0; i < 3; i++)
        weft_grad_output(g, weft_grad_sub(g, n[i + 1], d[i]), NULL);
    weft_grad_output(g, weft_grad_sub(g, n[0], weft_grad_constant(g, 5)), NULL);
    add(p, g, 4, 1, NULL, data, NULL);
    assert_true(weft_solve_set_manifold(p, 0, &m));
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){.cost_tolerance = 1e-15}));
    /* the point of the sphere with radius 2 that is nearest */
    expect_near(x[0], 5, 1e-7);
    expect_near(x[1], -1.2, 1e-6);
    expect_near(x[2], -1.6, 1e-6);
    assert_int_equal(r.free_parameters, 3);
    weft_solve_problem_release(p);
}

static void test_parameters_of_manifolds_are_checked(void **state)
{
    const weft_solve_manifold q = {.kind = WEFT_SOLVE_QUATERNION};
    const double low[2] = {0, 0};
    double x[8] = {0};
    weft_solve_problem *p = problem_of(8);
    weft_solve_result r;
    (void)state;
    assert_true(weft_solve_set_manifold(p, 2, &q));
    assert_false(weft_solve_set_bounds(p, 1, 2, low, NULL));
    expect_error(WEFT_ERROR_INVALID, "cannot be bounded");
    assert_true(weft_solve_set_bounds(p, 0, 2, low, NULL));
    assert_false(weft_solve_set_manifold(p, 0, &q));
    expect_error(WEFT_ERROR_INVALID, "bounded");
    assert_false(weft_solve_set_manifold(p, 4, &q));
    expect_error(WEFT_ERROR_INVALID, "another manifold in part");
    assert_false(weft_solve_set_manifold(p, 5, &q));
    expect_error(WEFT_ERROR_INVALID, "no parameters 5 to 8");
    assert_true(weft_solve_set_manifold(p, 2, &q));
    assert_true(weft_solve_set_fixed(p, 3, 1, true));
    G g = weft_grad_graph_create(ctx, NULL);
    N n[8];
    weft_grad_input(n, g, "x", 8);
    weft_grad_output(g, n[7], "x");
    add(p, g, 8, 1, NULL, NULL, NULL);
    assert_false(weft_solve(&r, x, p, NULL));
    expect_error(WEFT_ERROR_INVALID, "fix all or none");
    assert_int_equal(r.termination, WEFT_SOLVE_FAILED);
    assert_true(weft_solve_set_fixed(p, 3, 1, false));
    assert_true(weft_solve(&r, x, p, NULL));
    assert_int_equal(r.termination, WEFT_SOLVE_NOT_FINITE);     /* a quaternion of zeros */
    weft_solve_problem_release(p);
}

/* ---- functions and objectives ---- */

static bool parabola(void *user, double *r, double *j, const double *p)
{
    *(int *)user += 1;
    r[0] = p[0] - 3;
    r[1] = 2 * (p[1] + 1);
    if (j)
        j[0] = 1, j[1] = 0, j[2] = 0, j[3] = 2;
    return p[0] > -100;
}

static void test_functions_of_the_program(void **state)
{
    const uint32_t index[2] = {2, 0};
    int calls = 0;
    (void)state;
    for (int method = 0; method < WEFT_SOLVE_METHOD_COUNT; method++) {
        double x[3] = {5, 7, 9};
        weft_solve_problem *p = problem_of(3);
        weft_solve_result r;
        assert_true(weft_solve_add_function(p, &(weft_solve_function){
            .evaluate = parabola, .user = &calls, .residual_count = 2, .index = index,
            .parameter_count = 2}, NULL));
        assert_true(weft_solve(&r, x, p, &(weft_solve_options){
            .method = (weft_solve_method)method, .learning_rate = 0.1, .max_iterations = 2000}));
        expect_near(x[2], 3, method == WEFT_SOLVE_ADAMW ? 0.1 : 1e-3);
        expect_near(x[0], -1, method == WEFT_SOLVE_ADAMW ? 0.1 : 1e-3);
        if (method != WEFT_SOLVE_ADAMW)
            assert_true(x[1] == 7);
        weft_solve_problem_release(p);
    }
    assert_true(calls > 10);
}

static void test_a_function_that_is_not_defined_at_the_start(void **state)
{
    double x[2] = {-200, 0};
    int calls = 0;
    weft_solve_problem *p = problem_of(2);
    weft_solve_result r;
    (void)state;
    assert_true(weft_solve_add_function(p, &(weft_solve_function){
        .evaluate = parabola, .user = &calls, .residual_count = 2, .parameter_count = 2}, NULL));
    assert_true(weft_solve(&r, x, p, NULL));
    assert_int_equal(r.termination, WEFT_SOLVE_NOT_FINITE);
    assert_true(x[0] == -200 && !r.converged);
    weft_solve_problem_release(p);
}

static void test_objectives_are_minimised(void **state)
{
    double x[2] = {3, -2};
    weft_solve_problem *p = problem_of(2);
    weft_solve_result r;
    G g = weft_grad_graph_create(ctx, NULL);
    N n[2];
    (void)state;
    weft_grad_input(n, g, "x", 2);
    /* cosh(x - 1) + cosh(y): not a sum of squares, minimum 2 */
    weft_grad_output(g, weft_grad_cosh(g, weft_grad_sub(g, n[0], weft_grad_constant(g, 1))), "a");
    weft_grad_output(g, weft_grad_cosh(g, n[1]), "b");
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = 2});
    assert_true(weft_solve_add_objective(p, b, 0.5));
    assert_false(weft_solve(&r, x, p, NULL));
    expect_error(WEFT_ERROR_UNSUPPORTED, "use lbfgs");
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){.method = WEFT_SOLVE_LBFGS}));
    assert_true(r.converged);
    expect_near(x[0], 1, 1e-3);
    expect_near(x[1], 0, 1e-3);
    expect_near(r.final_cost, 1, 1e-6);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
    weft_solve_problem_release(p);
}

/* ---- ends ---- */

static bool stop_at_three(void *user, const weft_solve_iteration *i)
{
    uint32_t *seen = user;
    assert_true(i->iteration == *seen && i->x && isfinite(i->cost) && i->seconds >= 0);
    return ++*seen < 4;
}

static void test_callbacks_and_limits_end_a_solve(void **state)
{
    weft_solve_result r;
    (void)state;
    for (int method = 0; method < WEFT_SOLVE_METHOD_COUNT; method++) {
        weft_solve_problem *p = decay_problem(0.1, NULL);
        double x[3] = {2, 0.5, 0.2}, start[3] = {2, 0.5, 0.2};
        uint32_t seen = 0;
        weft_solve_options o = {.method = (weft_solve_method)method, .learning_rate = 1e-3,
                                .cost_tolerance = WEFT_SOLVE_NEVER,
                                .parameter_tolerance = WEFT_SOLVE_NEVER};
        o.callback = stop_at_three;
        o.user = &seen;
        assert_true(weft_solve(&r, x, p, &o));
        assert_int_equal(r.termination, WEFT_SOLVE_STOPPED);
        assert_int_equal(r.iterations, 3);
        if (!(r.final_cost < r.initial_cost))
            fail_msg("%s: %g", weft_solve_method_name(r.method), r.final_cost);
        o.callback = NULL;
        o.max_iterations = 2;
        memcpy(x, start, sizeof x);
        assert_true(weft_solve(&r, x, p, &o));
        assert_int_equal(r.termination, WEFT_SOLVE_MAX_ITERATIONS);
        o.cost_limit = r.final_cost * 1.0001;
        o.max_iterations = 100;
        memcpy(x, start, sizeof x);
        assert_true(weft_solve(&r, x, p, &o));
        assert_int_equal(r.termination, WEFT_SOLVE_COST_LIMIT);
        assert_true(r.converged && r.iterations <= 2);
        o.cost_limit = 0;
        o.time_limit = 1e-9;
        assert_true(weft_solve(&r, x, p, &o));
        assert_int_equal(r.termination, WEFT_SOLVE_TIME_LIMIT);
        weft_solve_problem_release(p);
    }
}

static void test_tolerances_end_a_solve(void **state)
{
    weft_solve_problem *p = decay_problem(0.1, NULL);
    weft_solve_result r;
    double x[3] = {1, 1, 1}, y[3] = {1, 1, 1};
    (void)state;
    assert_true(weft_solve(&r, x, p, NULL));
    assert_int_equal(r.termination, WEFT_SOLVE_COST_TOLERANCE);
    assert_non_null(strstr(weft_solve_summary(p), "converged: the relative decrease"));
    assert_true(weft_solve(&r, y, p, &(weft_solve_options){.gradient_tolerance = 1e-3,
                                                           .cost_tolerance = 1e-15}));
    assert_int_equal(r.termination, WEFT_SOLVE_GRADIENT_TOLERANCE);
    assert_true(r.gradient <= 1e-3);
    double z[3] = {1, 1, 1};
    assert_true(weft_solve(&r, z, p, &(weft_solve_options){
        .parameter_tolerance = 1e-2, .cost_tolerance = 1e-15}));
    assert_int_equal(r.termination, WEFT_SOLVE_PARAMETER_TOLERANCE);
    /* from a solution: at once */
    assert_true(weft_solve(&r, x, p, &(weft_solve_options){.gradient_tolerance = 1}));
    assert_int_equal(r.iterations, 0);
    weft_solve_problem_release(p);
}

static void test_bad_starts_have_a_defined_end(void **state)
{
    static const double bad[] = {NAN, INFINITY, 1e300};
    (void)state;
    for (int method = 0; method < WEFT_SOLVE_METHOD_COUNT; method++)
        for (size_t i = 0; i < COUNTOF(bad); i++) {
            weft_solve_problem *p = decay_problem(0, NULL);
            weft_solve_result r;
            double x[3] = {bad[i], 1, 1};
            assert_true(weft_solve(&r, x, p, &(weft_solve_options){
                .method = (weft_solve_method)method, .max_iterations = 20}));
            assert_no_error();
            assert_int_equal(r.termination, WEFT_SOLVE_NOT_FINITE);
            assert_true(!r.converged && memcmp(&x[0], &bad[i], sizeof *x) == 0);
            weft_solve_problem_release(p);
        }
}

/* Parameters that no residual uses, and two that only occur as a sum. */
static void test_singular_systems(void **state)
{
    (void)state;
    for (int linear = 0; linear < WEFT_SOLVE_LINEAR_COUNT; linear++)
        for (int method = 0; method <= WEFT_SOLVE_GAUSS_NEWTON; method++) {
            double x[4] = {1, 2, 3, 4}, data[3] = {10, 20, 30};
            weft_solve_problem *p = problem_of(4);
            weft_solve_result r;
            if (linear == WEFT_SOLVE_CHOLMOD && !weft_solve_cholmod_version())
                continue;
            G g = weft_grad_graph_create(ctx, NULL);
            N n[2], d[1];
            weft_grad_input(n, g, "x", 2);
            weft_grad_data(d, g, "y", 1);
            weft_grad_output(g, weft_grad_sub(g, weft_grad_add(g, n[0], n[1]), d[0]), "r");
            add(p, g, 4, 3, NULL, data, NULL);
            assert_true(weft_solve(&r, x, p, &(weft_solve_options){
                .linear = (weft_solve_linear)linear, .method = (weft_solve_method)method}));
            assert_no_error();
            expect_near(r.final_cost, 100, 1e-4);
            expect_near(x[0] + x[1], 20, 1e-2);
            assert_true(x[2] == 3 && x[3] == 4);
            weft_solve_problem_release(p);
        }
}

static void test_empty_problems(void **state)
{
    weft_solve_result r;
    double x[2] = {1, 2}, cost;
    weft_solve_problem *p = problem_of(2);
    (void)state;
    assert_false(weft_solve(&r, x, p, NULL));
    expect_error(WEFT_ERROR_INVALID, "no terms");
    add(p, rosenbrock(), 2, 0, NULL, NULL, NULL);       /* no instances */
    for (int method = 0; method < WEFT_SOLVE_METHOD_COUNT; method++) {
        assert_true(weft_solve(&r, x, p, &(weft_solve_options){
            .method = (weft_solve_method)method}));
        assert_int_equal(r.termination, WEFT_SOLVE_GRADIENT_TOLERANCE);
        assert_true(r.final_cost == 0 && x[0] == 1);
    }
    assert_true(weft_solve_evaluate(&cost, NULL, p, x));
    assert_true(cost == 0);
    weft_solve_problem_release(p);
}

/* From here a step of Newton's method for atan(x) = 0 leads to -x: the cost stays as it was. */
static void test_a_step_across_the_minimum_is_no_convergence(void **state)
{
    (void)state;
    for (int method = 0; method <= WEFT_SOLVE_GAUSS_NEWTON; method++) {
        double x[1] = {1.3917452002707};
        weft_solve_problem *p = problem_of(1);
        G g = weft_grad_graph_create(ctx, NULL);
        N n[1];
        weft_grad_input(n, g, "x", 1);
        weft_grad_output(g, weft_grad_atan(g, n[0]), "r");
        add(p, g, 1, 1, NULL, NULL, NULL);
        assert_true(weft_solve(NULL, x, p, &(weft_solve_options){
            .method = (weft_solve_method)method, .cost_tolerance = 1e-3}));
        expect_near(x[0], 0, 0.1);
        weft_solve_problem_release(p);
    }
}

/* A step into a region where the logarithm is not defined is rejected. */
static void test_steps_out_of_the_domain_are_rejected(void **state)
{
    (void)state;
    for (int method = 0; method <= WEFT_SOLVE_LBFGS; method++) {
        double x[1] = {30};
        weft_solve_problem *p = problem_of(1);
        weft_solve_result r;
        G g = weft_grad_graph_create(ctx, NULL);
        N n[1];
        weft_grad_input(n, g, "x", 1);
        weft_grad_output(g, weft_grad_log(g, n[0]), "r");
        add(p, g, 1, 1, NULL, NULL, NULL);
        assert_true(weft_solve(&r, x, p, &(weft_solve_options){
            .method = (weft_solve_method)method, .cost_tolerance = 1e-15}));
        expect_near(x[0], 1, 1e-3);
        assert_true(r.converged);
        weft_solve_problem_release(p);
    }
}

/* ---- covariance ---- */

static void test_covariance_of_a_line(void **state)
{
    enum { COUNT = 40 };
    double data[2 * COUNT], x[3] = {0, 0, 9}, c[9], t = 0, tt = 0;
    uint64_t seed = 6;
    weft_solve_problem *p = problem_of(3);
    weft_solve_result r;
    G g = weft_grad_graph_create(ctx, NULL);
    N n[2], d[2];
    (void)state;
    weft_grad_input(n, g, "line", 2);
    weft_grad_data(d, g, "point", 2);
    weft_grad_output(g, weft_grad_sub(g, weft_grad_add(g, n[0], weft_grad_mul(g, n[1], d[0])),
                                      d[1]), "r");
    for (int i = 0; i < COUNT; i++) {
        data[2 * i] = i * 0.5;
        data[2 * i + 1] = 2 - 0.3 * data[2 * i] + random_unit(&seed);
        t += data[2 * i];
        tt += data[2 * i] * data[2 * i];
    }
    add(p, g, 3, COUNT, NULL, data, NULL);
    assert_null(weft_solve_covariance_create(p, x, NULL));
    expect_error(WEFT_ERROR_INVALID, "do not determine parameter 2");
    assert_true(weft_solve_set_fixed(p, 2, 1, true));
    assert_true(weft_solve(&r, x, p, NULL));
    weft_solve_covariance *v = weft_solve_covariance_create(p, x, NULL);
    assert_no_error();
    assert_true(weft_solve_covariance_block(c, v, 0, 3, 0, 3));
    double variance = 2 * r.final_cost / (COUNT - 2), det = COUNT * tt - t * t;
    expect_near(c[0], variance * tt / det, 1e-12);
    expect_near(c[1], -variance * t / det, 1e-12);
    expect_near(c[3], c[1], 1e-15);
    expect_near(c[4], variance * COUNT / det, 1e-12);
    assert_true(c[2] == 0 && c[6] == 0 && c[8] == 0);
    weft_solve_covariance_release(v);
    v = weft_solve_covariance_create(p, x, &(weft_solve_covariance_desc){.unscaled = true});
    assert_true(weft_solve_covariance_block(c, v, 1, 1, 1, 1));
    expect_near(c[0], COUNT / det, 1e-12);
    assert_false(weft_solve_covariance_block(c, v, 2, 2, 0, 1));
    expect_error(WEFT_ERROR_INVALID, "no parameters 2 to 3");
    weft_solve_covariance_release(v);
    weft_solve_problem_release(p);
}

/* The sparse way, with more columns than QR is used for: residuals are linear, so that the
 * difference of two gradients is transpose(J) J times the difference of their parameters. */
static void test_covariance_of_many_parameters(void **state)
{
    enum { COUNT = 400 };
    double x[COUNT] = {0}, cost, column[COUNT], g0[COUNT], g1[COUNT];
    uint32_t index[2 * COUNT];
    weft_solve_problem *p = problem_of(COUNT);
    G g = weft_grad_graph_create(ctx, NULL);
    N a[1], b[1];
    (void)state;
    weft_grad_input(a, g, "a", 1);
    weft_grad_input(b, g, "b", 1);
    weft_grad_output(g, weft_grad_sub(g, a[0], weft_grad_mul(g, weft_grad_constant(g, 0.7), b[0])),
                     "step");
    weft_grad_output(g, weft_grad_mul(g, weft_grad_constant(g, 0.1), a[0]), "weight");
    for (uint32_t i = 0; i < COUNT; i++) {
        index[2 * i] = i;
        index[2 * i + 1] = (i + 1) % COUNT;
    }
    add(p, g, COUNT, COUNT, index, NULL, NULL);
    weft_solve_covariance *v = weft_solve_covariance_create(p, x, &(weft_solve_covariance_desc){
        .unscaled = true});
    assert_no_error();
    assert_true(weft_solve_covariance_block(column, v, 0, COUNT, 31, 1));
    assert_true(weft_solve_evaluate(&cost, g0, p, x));
    assert_true(weft_solve_evaluate(&cost, g1, p, column));
    for (int i = 0; i < COUNT; i++)
        expect_near(g1[i] - g0[i], i == 31, 1e-12);
    weft_solve_covariance_release(v);
    weft_solve_problem_release(p);
}

/* ---- errors ---- */

static void test_wrong_arguments(void **state)
{
    const double low[1] = {2}, high[1] = {1}, nan[1] = {NAN};
    double x[2] = {0};
    const weft_solve_loss bad = {WEFT_SOLVE_HUBER, 0, 0, NULL, NULL};
    (void)state;
    assert_null(weft_solve_problem_create(ctx, NULL));
    expect_error(WEFT_ERROR_INVALID, "parameter_count");
    weft_solve_problem *p = problem_of(2), *other = problem_of(3);
    assert_false(weft_solve_set_bounds(p, 0, 1, low, high));
    expect_error(WEFT_ERROR_INVALID, "cannot be between 2 and 1");
    assert_false(weft_solve_set_bounds(p, 0, 1, nan, NULL));
    expect_error(WEFT_ERROR_INVALID, "between nan");
    assert_false(weft_solve_set_fixed(p, 1, 2, true));
    expect_error(WEFT_ERROR_INVALID, "no parameters 1 to 2");
    assert_false(weft_solve_add(p, NULL, NULL));
    expect_error(WEFT_ERROR_INVALID, "NULL");
    G g = rosenbrock();
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = 2});
    assert_false(weft_solve_add(other, b, NULL));
    expect_error(WEFT_ERROR_SHAPE, "2 parameters, the problem 3");
    assert_false(weft_solve_add(p, b, &bad));
    expect_error(WEFT_ERROR_INVALID, "scale a");
    assert_false(weft_solve_add_objective(p, b, NAN));
    expect_error(WEFT_ERROR_INVALID, "not finite");
    assert_true(weft_solve_add(p, b, NULL));
    static const struct { weft_solve_options o; const char *part; } wrong[] = {
        {{.method = (weft_solve_method)20}, "unknown method"},
        {{.linear = (weft_solve_linear)20}, "unknown linear"},
        {{.cost_tolerance = NAN}, "not finite"},
        {{.initial_radius = -1}, "initial_radius"},
        {{.time_limit = -1}, "time_limit"},
        {{.beta1 = 1}, "beta1"},
        {{.learning_rate = -1}, "learning_rate"},
        {{.eliminate_count = 1}, "eliminate"},
        {{.history = 5000}, "history"},
    };
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        assert_false(weft_solve(NULL, x, p, &wrong[i].o));
        expect_error(WEFT_ERROR_INVALID, wrong[i].part);
    }
    assert_false(weft_solve(NULL, NULL, p, NULL));
    expect_error(WEFT_ERROR_INVALID, "x is NULL");
    assert_false(weft_solve(NULL, x, NULL, NULL));
    assert_string_equal(weft_solve_summary(NULL), "");
    const uint32_t twice[2] = {1, 1};
    int calls = 0;
    assert_false(weft_solve_add_function(p, &(weft_solve_function){
        .evaluate = parabola, .user = &calls, .residual_count = 2, .index = twice,
        .parameter_count = 2}, NULL));
    expect_error(WEFT_ERROR_INVALID, "twice");
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
    weft_solve_problem_release(p);
    weft_solve_problem_release(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_finds_the_valley),
        cmocka_unit_test(test_every_linear_solver_takes_the_same_steps),
        cmocka_unit_test(test_few_residuals_for_many_parameters),
        cmocka_unit_test(test_elimination_with_blocks_of_any_size),
        cmocka_unit_test(test_listed_parameters_are_eliminated),
        cmocka_unit_test(test_solves_repeat_bitwise),
        cmocka_unit_test(test_losses_ignore_outliers),
        cmocka_unit_test(test_gradients_of_losses),
        cmocka_unit_test(test_bounds_hold),
        cmocka_unit_test(test_a_bound_is_left_again),
        cmocka_unit_test(test_fixed_parameters_stay),
        cmocka_unit_test(test_rotations_and_poses),
        cmocka_unit_test(test_directions_on_a_sphere),
        cmocka_unit_test(test_parameters_of_manifolds_are_checked),
        cmocka_unit_test(test_functions_of_the_program),
        cmocka_unit_test(test_a_function_that_is_not_defined_at_the_start),
        cmocka_unit_test(test_objectives_are_minimised),
        cmocka_unit_test(test_callbacks_and_limits_end_a_solve),
        cmocka_unit_test(test_tolerances_end_a_solve),
        cmocka_unit_test(test_bad_starts_have_a_defined_end),
        cmocka_unit_test(test_singular_systems),
        cmocka_unit_test(test_empty_problems),
        cmocka_unit_test(test_a_step_across_the_minimum_is_no_convergence),
        cmocka_unit_test(test_steps_out_of_the_domain_are_rejected),
        cmocka_unit_test(test_covariance_of_a_line),
        cmocka_unit_test(test_covariance_of_many_parameters),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
