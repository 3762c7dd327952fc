// SPDX-License-Identifier: Apache-2.0
/*
 * many_test.c - weft_solve_many() against weft_solve() problem by problem: equal and different
 * sizes, common data, losses, bounds, fixed parameters, precisions; bad starts, errors.
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

static void expect_error(weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("'%s' instead of '%s'", e->message, part);
    weft_context_error_clear(ctx);
}

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* height exp(-((t - centre) / width)^2 / 2) + offset - y. Blocks are declared so that their
 * canonical order differs; names are those of the kernel's own variables. */
static G gauss(bool fixed_width)
{
    G g = weft_grad_graph_create(ctx, NULL);
    N offset[1], width[1], peak[2], d[2];
    weft_grad_input(offset, g, "lm_x0", 1);
    if (fixed_width)
        weft_grad_fixed(width, g, "lm_step", 1);
    else
        weft_grad_input(width, g, "lm_step", 1);
    weft_grad_input(peak, g, "global_id", 2);
    weft_grad_data(d, g, "sample", 2);
    N z = weft_grad_div(g, weft_grad_sub(g, d[0], peak[1]), width[0]);
    N e = weft_grad_exp(g, weft_grad_mul(g, weft_grad_constant(g, -0.5), weft_grad_square(g, z)));
    N model = weft_grad_add(g, weft_grad_mul(g, peak[0], e), offset[0]);
    weft_grad_output(g, weft_grad_sub(g, model, d[1]), "r");
    return g;
}

#define PROBLEMS 40u
#define POINTS   30u

typedef struct Fits {
    double   x[PROBLEMS][4], start[PROBLEMS][4];    /* offset, width, height, centre        */
    double   data[PROBLEMS * POINTS][2];
    uint32_t starts[PROBLEMS + 1];
    double   t[POINTS], y[PROBLEMS * POINTS];
} Fits;

static void make_fits(Fits *f, bool uneven, double outliers)
{
    uint64_t seed = 7;
    uint32_t at = 0;
    for (uint32_t p = 0; p < PROBLEMS; p++) {
        double height = 3 + random_unit(&seed), centre = 15 + 3 * random_unit(&seed);
        double width = 4 + random_unit(&seed), offset = random_unit(&seed);
        f->starts[p] = at;
        for (uint32_t i = 0; i < (uneven ? 22 + (p * 7) % (POINTS - 22) : POINTS); i++, at++) {
            double z = (i - centre) / width;
            f->t[i] = i;
            f->data[at][0] = i;
            f->data[at][1] = height * exp(-z * z / 2) + offset + 0.02 * random_unit(&seed) +
                             (i % 9 == 4 ? outliers : 0);
            f->y[at] = f->data[at][1];
        }
        const double start[4] = {offset + 0.2, width + 0.5, height - 0.4, centre + 1};
        memcpy(f->start[p], start, sizeof start);
        memcpy(f->x[p], start, sizeof start);
    }
    f->starts[PROBLEMS] = at;
}

/* Solves problem p with weft_solve(). */
static void solve_one(double x[4], const Fits *f, uint32_t p, const weft_solve_many_desc *d)
{
    uint32_t count = d->starts ? f->starts[p + 1] - f->starts[p] : POINTS;
    uint32_t first = d->starts ? f->starts[p] : p * POINTS;
    weft_solve_problem *q = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = 4});
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = d->graph, .count = count, .parameter_count = 4, .data = f->data[first],
        .fallback_threshold = 1000000});
    memcpy(x, f->start[p], 4 * sizeof *x);
    assert_true(weft_solve_add(q, b, d->loss));
    if (d->lower)
        assert_true(weft_solve_set_bounds(q, 0, 4, d->lower, d->upper));
    assert_true(weft_solve(NULL, x, q, &(weft_solve_options){
        .cost_tolerance = d->cost_tolerance, .damping = d->damping, .max_iterations = 200}));
    weft_grad_batch_release(b);
    weft_solve_problem_release(q);
}

static void expect_same(Fits *f, weft_solve_many_desc d, double bound)
{
    weft_solve_status each[PROBLEMS];
    d.problems = PROBLEMS;
    d.max_iterations = 200;
    if (!weft_solve_many(f->x[0], each, ctx, &d))
        fail_msg("%s", weft_context_error(ctx)->message);
    for (uint32_t p = 0; p < PROBLEMS; p++) {
        double want[4];
        solve_one(want, f, p, &d);
        assert_true(weft_solve_termination_converged(each[p].termination));
        assert_true(each[p].final_cost <= each[p].initial_cost && each[p].iterations > 0);
        for (int k = 0; k < 4; k++)
            if (!(fabs(f->x[p][k] - want[k]) <= bound * fmax(1, fabs(want[k]))))
                fail_msg("problem %u, parameter %d: %.9g instead of %.9g (%s)", p, k, f->x[p][k],
                         want[k], weft_solve_termination_name(each[p].termination));
    }
}

static void test_equal_problems(void **state)
{
    static Fits f;
    G g = gauss(false);
    (void)state;
    for (int damping = 0; damping < 2; damping++) {
        make_fits(&f, false, 0);
        expect_same(&f, (weft_solve_many_desc){
            .graph = g, .instances = POINTS, .data = f.data[0], .cost_tolerance = 1e-14,
            .damping = (weft_solve_damping)damping}, 1e-6);
    }
    weft_grad_graph_release(g);
}

static void test_problems_of_different_sizes(void **state)
{
    static Fits f;
    G g = gauss(false);
    (void)state;
    make_fits(&f, true, 0);
    expect_same(&f, (weft_solve_many_desc){.graph = g, .starts = f.starts, .data = f.data[0],
                                           .cost_tolerance = 1e-14}, 1e-6);
    weft_grad_graph_release(g);
}

/* More problems than are side by side in memory, and not a multiple of that: the same data with
 * starts, one problem after the other, gives the same. */
static void test_problems_side_by_side(void **state)
{
    enum { MANY = 150, EACH = 20 };
    static double data[MANY * EACH][2], x[2][MANY][4];
    static uint32_t starts[MANY + 1];
    static weft_solve_status each[2][MANY];
    G g = gauss(false);
    (void)state;
    for (uint32_t p = 0; p < MANY; p++) {
        const double start[4] = {-0.3, 5, 2.7, 17.5};
        starts[p + 1] = starts[p] + EACH;
        memcpy(x[0][p], start, sizeof start);
        memcpy(x[1][p], start, sizeof start);
        for (uint32_t i = 0; i < EACH; i++) {
            double t = 3 + 1.5 * i, z = (t - 17 - 0.01 * p) / 5.2;
            data[p * EACH + i][0] = t;
            data[p * EACH + i][1] = 2.5 * exp(-z * z) - 0.4 + 0.02 * sin(31.0 * p + 7 * i);
        }
    }
    for (int way = 0; way < 2; way++)
        assert_true(weft_solve_many(x[way][0], each[way], ctx, &(weft_solve_many_desc){
            .graph = g, .problems = MANY, .data = data[0], .instances = way ? 0 : EACH,
            .starts = way ? starts : NULL, .cost_tolerance = 1e-14}));
    for (uint32_t p = 0; p < MANY; p++) {
        assert_true(weft_solve_termination_converged(each[0][p].termination));
        assert_true(each[0][p].final_cost < 0.1 * each[0][p].initial_cost);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(x[0][p][k] - x[1][p][k]) <= 1e-6 * fmax(1, fabs(x[1][p][k])));
    }
    weft_grad_graph_release(g);
}

static void test_common_data(void **state)
{
    static Fits f;
    G g = gauss(false);
    (void)state;
    make_fits(&f, false, 0);
    expect_same(&f, (weft_solve_many_desc){
        .graph = g, .instances = POINTS, .data = f.y, .common = f.t, .common_count = 1,
        .cost_tolerance = 1e-14}, 1e-6);
    weft_grad_graph_release(g);
}

static void test_losses(void **state)
{
    static const weft_solve_loss cauchy = {WEFT_SOLVE_CAUCHY, 0.1, 0, NULL, NULL};
    static const weft_solve_loss huber = {WEFT_SOLVE_HUBER, 0.1, 0, NULL, NULL};
    static const weft_solve_loss losses[] = {
        {WEFT_SOLVE_SQUARES, 0, 0, NULL, NULL},   {WEFT_SOLVE_HUBER, 0.1, 0, NULL, NULL},
        {WEFT_SOLVE_SOFT_L1, 0.1, 0, NULL, NULL}, {WEFT_SOLVE_CAUCHY, 0.1, 0, NULL, NULL},
        {WEFT_SOLVE_ARCTAN, 0.1, 0, NULL, NULL},  {WEFT_SOLVE_TUKEY, 1.5, 0, NULL, NULL},
        {WEFT_SOLVE_TOLERANT, 0.1, 0.2, NULL, NULL}, {WEFT_SOLVE_SCALED, 3, 0, &cauchy, NULL},
        {WEFT_SOLVE_COMPOSED, 0, 0, &huber, &cauchy},
    };
    static Fits f;
    G g = gauss(false);
    (void)state;
    for (size_t i = 0; i < COUNTOF(losses); i++) {
        make_fits(&f, false, 0.3);
        expect_same(&f, (weft_solve_many_desc){
            .graph = g, .instances = POINTS, .data = f.data[0], .cost_tolerance = 1e-14,
            .loss = &losses[i]}, 1e-4);
    }
    weft_grad_graph_release(g);
}

static void test_bounds(void **state)
{
    const double lower[4] = {-INFINITY, 4.2, 0, 14}, upper[4] = {0.1, INFINITY, 3.2, 16};
    static Fits f;
    G g = gauss(false);
    (void)state;
    make_fits(&f, false, 0);
    expect_same(&f, (weft_solve_many_desc){
        .graph = g, .instances = POINTS, .data = f.data[0], .cost_tolerance = 1e-15,
        .lower = lower, .upper = upper}, 2e-3);
    for (uint32_t p = 0; p < PROBLEMS; p++)
        for (int k = 0; k < 4; k++)
            assert_true(f.x[p][k] >= lower[k] && f.x[p][k] <= upper[k]);
    weft_grad_graph_release(g);
}

static void test_fixed_parameters(void **state)
{
    static Fits f;
    G g = gauss(true);
    (void)state;
    make_fits(&f, false, 0);
    expect_same(&f, (weft_solve_many_desc){.graph = g, .instances = POINTS, .data = f.data[0],
                                           .cost_tolerance = 1e-14}, 1e-6);
    for (uint32_t p = 0; p < PROBLEMS; p++)
        assert_true(f.x[p][1] == f.start[p][1]);
    weft_grad_graph_release(g);
}

static void test_precisions(void **state)
{
    static Fits f;
    G g = gauss(false);
    (void)state;
    make_fits(&f, false, 0);
    expect_same(&f, (weft_solve_many_desc){
        .graph = g, .instances = POINTS, .data = f.data[0], .precision = WEFT_GRAD_F32}, 2e-2);
    make_fits(&f, false, 0);
    expect_same(&f, (weft_solve_many_desc){
        .graph = g, .instances = POINTS, .data = f.data[0], .precision = WEFT_GRAD_MIXED}, 2e-3);
    weft_grad_graph_release(g);
}

static void test_bad_problems_do_not_spoil_others(void **state)
{
    static Fits f, clean;
    weft_solve_status each[PROBLEMS];
    G g = gauss(false);
    (void)state;
    make_fits(&f, false, 0);
    make_fits(&clean, false, 0);
    f.x[3][0] = NAN;
    f.x[5][1] = 0;                  /* a width of nothing */
    f.data[8 * POINTS][1] = INFINITY;
    weft_solve_many_desc d = {.graph = g, .problems = PROBLEMS, .instances = POINTS,
                              .data = f.data[0]};
    assert_true(weft_solve_many(f.x[0], each, ctx, &d));
    d.data = clean.data[0];
    assert_true(weft_solve_many(clean.x[0], NULL, ctx, &d));
    for (uint32_t p = 0; p < PROBLEMS; p++) {
        bool bad = p == 3 || p == 5 || p == 8;
        assert_int_equal(each[p].termination == WEFT_SOLVE_NOT_FINITE, bad);
        if (!bad)
            assert_memory_equal(f.x[p], clean.x[p], sizeof f.x[p]);
    }
    assert_true(f.x[5][1] == 0 && f.x[5][2] == f.start[5][2]);
    weft_grad_graph_release(g);
}

/* From here a step of Newton's method for atan(x) = 0 leads to -x: the cost stays as it was. */
static void test_a_step_across_the_minimum_is_no_convergence(void **state)
{
    static const weft_grad_precision precisions[] = {WEFT_GRAD_F64, WEFT_GRAD_F32,
                                                     WEFT_GRAD_MIXED};
    (void)state;
    for (size_t i = 0; i < COUNTOF(precisions); i++) {
        G g = weft_grad_graph_create(ctx, NULL);
        N n[1];
        double x = 1.3917452002707;
        weft_grad_input(n, g, "x", 1);
        weft_grad_output(g, weft_grad_atan(g, n[0]), "r");
        assert_true(weft_solve_many(&x, NULL, ctx, &(weft_solve_many_desc){
            .graph = g, .problems = 1, .instances = 1, .cost_tolerance = 1e-3,
            .precision = precisions[i]}));
        assert_true(fabs(x) < 0.1);
        weft_grad_graph_release(g);
    }
}

static void test_limits(void **state)
{
    static Fits f;
    weft_solve_status each[PROBLEMS];
    G g = gauss(false);
    (void)state;
    make_fits(&f, false, 0);
    weft_solve_many_desc d = {.graph = g, .problems = PROBLEMS, .instances = POINTS,
                              .data = f.data[0], .max_iterations = 1, .cost_tolerance = 1e-15};
    assert_true(weft_solve_many(f.x[0], each, ctx, &d));
    for (uint32_t p = 0; p < PROBLEMS; p++)
        assert_true(each[p].iterations == 1 && each[p].termination == WEFT_SOLVE_MAX_ITERATIONS);
    d.problems = 0;
    assert_true(weft_solve_many(NULL, NULL, ctx, &d));
    d.problems = 2;
    d.instances = 0;
    assert_true(weft_solve_many(f.x[0], each, ctx, &d));
    assert_int_equal(each[1].termination, WEFT_SOLVE_GRADIENT_TOLERANCE);
    weft_grad_graph_release(g);
}

static bool cancel(void *user, uint64_t done, uint64_t total)
{
    *(uint64_t *)user = done;
    assert_true(done <= total);
    return false;
}

static void test_errors(void **state)
{
    static Fits f;
    const uint32_t backwards[3] = {0, 20, 10};
    const double low[4] = {0, 9, 0, 0}, high[4] = {9, 0, 9, 9};
    uint64_t done = 0;
    G g = gauss(false);
    (void)state;
    make_fits(&f, false, 0);
    weft_solve_many_desc d = {.graph = g, .problems = 2, .instances = POINTS, .data = f.data[0]};
    weft_solve_many_desc wrong = d;
    wrong.graph = NULL;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "no graph");
    wrong = d;
    wrong.data = NULL;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "data is NULL");
    wrong = d;
    wrong.starts = backwards;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "problem 1 begins at instance 20");
    wrong = d;
    wrong.common_count = 1;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "common");
    wrong = d;
    wrong.lower = low;
    wrong.upper = high;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "between 9 and 0");
    wrong = d;
    wrong.cost_tolerance = NAN;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "not finite");
    assert_false(weft_solve_many(NULL, NULL, ctx, &d));
    expect_error(WEFT_ERROR_INVALID, "x is NULL");
    wrong = d;
    wrong.progress = cancel;
    wrong.user = &done;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_CANCELLED, "after 2 of 2");
    assert_int_equal(done, 2);
    G large = weft_grad_graph_create(ctx, NULL), flat = weft_grad_graph_create(ctx, NULL);
    N n[30];
    weft_grad_input(n, large, "x", 30);
    weft_grad_output(large, weft_grad_sum(large, n, 30), "s");
    wrong = (weft_solve_many_desc){.graph = large, .problems = 1, .instances = 1};
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_UNSUPPORTED, "30 parameters");
    weft_grad_input(n, flat, "x", 2);
    weft_grad_output(flat, weft_grad_constant(flat, 3), "s");
    wrong.graph = flat;
    assert_false(weft_solve_many(f.x[0], NULL, ctx, &wrong));
    expect_error(WEFT_ERROR_INVALID, "depends on a parameter");
    weft_grad_graph_release(large);
    weft_grad_graph_release(flat);
    weft_grad_graph_release(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_problems),
        cmocka_unit_test(test_problems_of_different_sizes),
        cmocka_unit_test(test_problems_side_by_side),
        cmocka_unit_test(test_common_data),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_fixed_parameters),
        cmocka_unit_test(test_precisions),
        cmocka_unit_test(test_bad_problems_do_not_spoil_others),
        cmocka_unit_test(test_a_step_across_the_minimum_is_no_convergence),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
