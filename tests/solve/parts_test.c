// SPDX-License-Identifier: Apache-2.0
/*
 * parts_test.c - losses and manifolds: derivatives against differences, inverses, malformed
 * ones; names of every enumeration.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "base/macro.h"

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* ---- losses ---- */

static const weft_solve_loss huber = {WEFT_SOLVE_HUBER, 1.3, 0, NULL, NULL};
static const weft_solve_loss cauchy = {WEFT_SOLVE_CAUCHY, 0.7, 0, NULL, NULL};
static const weft_solve_loss scaled = {WEFT_SOLVE_SCALED, 2.5, 0, &cauchy, NULL};
static const weft_solve_loss losses[] = {
    {WEFT_SOLVE_SQUARES, 0, 0, NULL, NULL},    {WEFT_SOLVE_HUBER, 1.3, 0, NULL, NULL},
    {WEFT_SOLVE_SOFT_L1, 0.5, 0, NULL, NULL},  {WEFT_SOLVE_CAUCHY, 0.7, 0, NULL, NULL},
    {WEFT_SOLVE_ARCTAN, 1.1, 0, NULL, NULL},   {WEFT_SOLVE_TUKEY, 2.0, 0, NULL, NULL},
    {WEFT_SOLVE_TOLERANT, 1.5, 0.3, NULL, NULL}, {WEFT_SOLVE_SCALED, 2.5, 0, &cauchy, NULL},
    {WEFT_SOLVE_COMPOSED, 0, 0, &huber, &scaled},
};

static void test_losses_have_the_derivatives_they_say(void **state)
{
    static const double at[] = {0.01, 0.3, 1.0, 1.68, 1.7, 3.9, 4.1, 20, 400};
    (void)state;
    for (size_t l = 0; l < COUNTOF(losses); l++)
        for (size_t i = 0; i < COUNTOF(at); i++) {
            double s = at[i], h = 1e-5 * s, here[3], low[3], high[3];
            assert_true(weft_solve_loss_evaluate(here, &losses[l], s));
            assert_true(weft_solve_loss_evaluate(low, &losses[l], s - h));
            assert_true(weft_solve_loss_evaluate(high, &losses[l], s + h));
            for (int d = 0; d < 2; d++) {
                double slope = (high[d] - low[d]) / (2 * h);
                if (fabs(slope - here[d + 1]) > 1e-5 * fmax(1, fabs(slope)))
                    fail_msg("loss %zu at %g: derivative %d is %g, not %g", l, s, d + 1,
                             here[d + 1], slope);
            }
        }
}

static void test_losses_begin_as_squares(void **state)
{
    double out[3];
    (void)state;
    for (size_t l = 0; l < COUNTOF(losses); l++) {
        double factor = losses[l].kind == WEFT_SOLVE_SCALED ||
                        losses[l].kind == WEFT_SOLVE_COMPOSED ? 2.5 : 1;
        assert_true(weft_solve_loss_evaluate(out, &losses[l], 0));
        assert_true(fabs(out[0]) < 1e-15);
        bool late = losses[l].kind == WEFT_SOLVE_TOLERANT;
        assert_true(late ? out[1] < 0.01 : fabs(out[1] - factor) < 1e-12);
    }
    assert_true(weft_solve_loss_evaluate(out, NULL, 7));
    assert_true(out[0] == 7 && out[1] == 1 && out[2] == 0);
}

static void test_losses_stay_finite_far_away(void **state)
{
    double out[3];
    (void)state;
    for (size_t l = 0; l < COUNTOF(losses); l++) {
        assert_true(weft_solve_loss_evaluate(out, &losses[l], 1e150));
        assert_true(isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]) && out[1] >= 0);
    }
}

static void test_malformed_losses_are_refused(void **state)
{
    double out[3];
    weft_solve_loss deep[12] = {0};
    for (int i = 0; i < 12; i++)
        deep[i] = (weft_solve_loss){WEFT_SOLVE_SCALED, 1, 0, i < 11 ? &deep[i + 1] : NULL, NULL};
    const weft_solve_loss bad[] = {
        {WEFT_SOLVE_HUBER, 0, 0, NULL, NULL},      {WEFT_SOLVE_CAUCHY, -1, 0, NULL, NULL},
        {WEFT_SOLVE_TUKEY, NAN, 0, NULL, NULL},    {WEFT_SOLVE_TOLERANT, 1, 0, NULL, NULL},
        {WEFT_SOLVE_SCALED, INFINITY, 0, NULL, NULL}, {(weft_solve_loss_kind)99, 1, 1, NULL, NULL},
        {WEFT_SOLVE_COMPOSED, 0, 0, &huber, &deep[0]}, deep[0],
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(bad); i++)
        assert_false(weft_solve_loss_evaluate(out, &bad[i], 1));
    assert_false(weft_solve_loss_evaluate(out, NULL, -1));
    assert_false(weft_solve_loss_evaluate(out, NULL, NAN));
}

/* ---- manifolds ---- */

static const bool some[4] = {true, false, false, true};
static const weft_solve_manifold parts[] = {
    {.kind = WEFT_SOLVE_SE3}, {.kind = WEFT_SOLVE_EUCLIDEAN, .size = 2},
    {.kind = WEFT_SOLVE_SUBSET, .size = 4, .constant = some}, {.kind = WEFT_SOLVE_SO3},
};
static const weft_solve_manifold manifolds[] = {
    {.kind = WEFT_SOLVE_EUCLIDEAN, .size = 3}, {.kind = WEFT_SOLVE_SO3},
    {.kind = WEFT_SOLVE_QUATERNION},           {.kind = WEFT_SOLVE_SE3},
    {.kind = WEFT_SOLVE_SPHERE, .size = 2},    {.kind = WEFT_SOLVE_SPHERE, .size = 3},
    {.kind = WEFT_SOLVE_SPHERE, .size = 17},
    {.kind = WEFT_SOLVE_SUBSET, .size = 4, .constant = some},
    {.kind = WEFT_SOLVE_PRODUCT, .parts = parts, .part_count = 4},
};

#define MOST 32

/* A point of the manifold: a random start, moved there by a step of nothing after scaling. */
static void random_point(double *x, const weft_solve_manifold *m, uint64_t *seed)
{
    uint32_t size, tangent;
    assert_true(weft_solve_manifold_size(&size, &tangent, m));
    for (uint32_t i = 0; i < size; i++)
        x[i] = 1.5 * random_unit(seed);
    double *quaternion = m->kind == WEFT_SOLVE_QUATERNION ? x
                       : m->kind == WEFT_SOLVE_SE3 || m->kind == WEFT_SOLVE_PRODUCT ? x + 3 : NULL;
    double norm = 0;
    for (int i = 0; quaternion && i < 4; i++)
        norm += quaternion[i] * quaternion[i];
    for (int i = 0; quaternion && i < 4; i++)
        quaternion[i] /= sqrt(norm);
}

static void test_minus_undoes_plus(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t m = 0; m < COUNTOF(manifolds); m++)
        for (int round = 0; round < 50; round++) {
            double x[MOST], y[MOST], step[MOST], back[MOST];
            uint32_t size, tangent;
            assert_true(weft_solve_manifold_size(&size, &tangent, &manifolds[m]));
            random_point(x, &manifolds[m], &seed);
            double length = round < 10 ? 1e-9 : round < 20 ? 1e-3 : 0.8;
            if (size == 17)
                length /= 4;        /* stays below half a turn */
            for (uint32_t i = 0; i < tangent; i++)
                step[i] = length * random_unit(&seed);
            assert_true(weft_solve_manifold_plus(y, &manifolds[m], x, step));
            assert_true(weft_solve_manifold_minus(back, &manifolds[m], y, x));
            for (uint32_t i = 0; i < tangent; i++)
                if (fabs(back[i] - step[i]) > 1e-13)
                    fail_msg("manifold %zu: step %g came back as %g", m, step[i], back[i]);
        }
}

static void test_jacobians_of_plus(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (size_t m = 0; m < COUNTOF(manifolds); m++)
        for (int round = 0; round < 20; round++) {
            double x[MOST], low[MOST], high[MOST], step[MOST] = {0}, j[MOST * MOST];
            uint32_t size, tangent;
            assert_true(weft_solve_manifold_size(&size, &tangent, &manifolds[m]));
            random_point(x, &manifolds[m], &seed);
            if (round == 0 && manifolds[m].kind == WEFT_SOLVE_SO3)
                memset(x, 0, sizeof x);
            assert_true(weft_solve_manifold_jacobian(j, &manifolds[m], x));
            for (uint32_t c = 0; c < tangent; c++) {
                double h = 1e-6;
                step[c] = h;
                weft_solve_manifold_plus(high, &manifolds[m], x, step);
                step[c] = -h;
                weft_solve_manifold_plus(low, &manifolds[m], x, step);
                step[c] = 0;
                for (uint32_t r = 0; r < size; r++)
                    if (fabs((high[r] - low[r]) / (2 * h) - j[r * tangent + c]) > 1e-8)
                        fail_msg("manifold %zu: d %u / d %u is %g, not %g", m, r, c,
                                 j[r * tangent + c], (high[r] - low[r]) / (2 * h));
            }
        }
}

static void test_points_stay_on_their_manifolds(void **state)
{
    uint64_t seed = 3;
    double x[4] = {0.5, 0.5, 0.5, 0.5}, v[3] = {1, 2, 2}, step[3];
    const weft_solve_manifold sphere = {.kind = WEFT_SOLVE_SPHERE, .size = 3};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < 3; k++)
            step[k] = random_unit(&seed);
        weft_solve_manifold_plus(x, &manifolds[2], x, step);
        weft_solve_manifold_plus(v, &sphere, v, step);
    }
    assert_true(fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 1) < 1e-14);
    assert_true(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 9) < 1e-11);
}

static void test_malformed_manifolds_are_refused(void **state)
{
    weft_solve_manifold nested[10] = {{0}};
    for (int i = 0; i < 10; i++)
        nested[i] = (weft_solve_manifold){.kind = WEFT_SOLVE_PRODUCT, .part_count = 1,
                                          .parts = i < 9 ? &nested[i + 1] : &manifolds[1]};
    const weft_solve_manifold bad[] = {
        {.kind = WEFT_SOLVE_EUCLIDEAN}, {.kind = WEFT_SOLVE_SPHERE, .size = 1},
        {.kind = WEFT_SOLVE_SPHERE, .size = 1025}, {.kind = WEFT_SOLVE_SUBSET, .size = 3},
        {.kind = WEFT_SOLVE_PRODUCT}, {.kind = (weft_solve_manifold_kind)77}, nested[0],
    };
    uint32_t size = 5, tangent = 5;
    (void)state;
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_false(weft_solve_manifold_size(&size, &tangent, &bad[i]));
        assert_true(size == 0 && tangent == 0);
    }
    assert_false(weft_solve_manifold_size(&size, &tangent, NULL));
}

/* ---- names ---- */

static void test_every_value_has_a_name(void **state)
{
    weft_solve_method method;
    weft_solve_linear linear;
    (void)state;
    for (int i = 0; i < WEFT_SOLVE_METHOD_COUNT; i++) {
        assert_true(weft_solve_method_find(&method, weft_solve_method_name((weft_solve_method)i)));
        assert_int_equal(method, i);
    }
    for (int i = 0; i < WEFT_SOLVE_LINEAR_COUNT; i++) {
        assert_true(weft_solve_linear_find(&linear, weft_solve_linear_name((weft_solve_linear)i)));
        assert_int_equal(linear, i);
    }
    for (int i = 0; i < WEFT_SOLVE_TERMINATION_COUNT; i++) {
        assert_non_null(weft_solve_termination_name((weft_solve_termination)i));
        assert_non_null(weft_solve_termination_sentence((weft_solve_termination)i));
    }
    for (int i = 0; i < WEFT_SOLVE_LOSS_COUNT; i++)
        assert_non_null(weft_solve_loss_name((weft_solve_loss_kind)i));
    assert_null(weft_solve_method_name((weft_solve_method)-1));
    assert_null(weft_solve_termination_name(WEFT_SOLVE_TERMINATION_COUNT));
    assert_false(weft_solve_method_find(&method, "newton"));
    assert_false(weft_solve_linear_find(&linear, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses_have_the_derivatives_they_say),
        cmocka_unit_test(test_losses_begin_as_squares),
        cmocka_unit_test(test_losses_stay_finite_far_away),
        cmocka_unit_test(test_malformed_losses_are_refused),
        cmocka_unit_test(test_minus_undoes_plus),
        cmocka_unit_test(test_jacobians_of_plus),
        cmocka_unit_test(test_points_stay_on_their_manifolds),
        cmocka_unit_test(test_malformed_manifolds_are_refused),
        cmocka_unit_test(test_every_value_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
