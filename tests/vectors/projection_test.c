/* SPDX-License-Identifier: Apache-2.0 */
/*
 * projection_test.c - principal components beside plain C, in one piece and in many; axes that
 * stay; states; and what is refused.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static weft_vectors_rows rows_of(const float *data, uint64_t count)
{
    return (weft_vectors_rows){.data = data, .count = count};
}

/* Rows whose variance along turned axes falls by a factor of 4 from one to the next. */
static float *skewed(uint32_t count, uint32_t dim, uint64_t seed, double offset)
{
    float *rows = malloc((size_t)count * dim * sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        double v[64];
        for (uint32_t d = 0; d < dim; d++)
            v[d] = 4 * reference_random(&seed) * pow(0.5, d);
        for (uint32_t d = 0; d + 1 < dim; d++) {        /* turn all planes by 0.4 */
            double a = v[d], b = v[d + 1];
            v[d] = cos(0.4) * a - sin(0.4) * b;
            v[d + 1] = sin(0.4) * a + cos(0.4) * b;
        }
        for (uint32_t d = 0; d < dim; d++)
            rows[(size_t)i * dim + d] = (float)(v[d] + offset);
    }
    return rows;
}

/* Leading eigenvectors of the covariance by deflated power iteration, in double. */
static void reference_axes(double *axes, double *values, double *total, const float *rows,
                           uint32_t count, uint32_t dim, uint32_t n)
{
    double *c = calloc((size_t)dim * dim, sizeof *c), *mean = calloc(dim, sizeof *mean), y[64];
    for (size_t i = 0; i < (size_t)count * dim; i++)
        mean[i % dim] += rows[i] / (double)count;
    *total = 0;
    for (uint32_t a = 0; a < dim; a++)
        for (uint32_t b = 0; b < dim; b++) {
            for (uint32_t i = 0; i < count; i++)
                c[a * dim + b] += (rows[(size_t)i * dim + a] - mean[a])
                                * (rows[(size_t)i * dim + b] - mean[b]) / count;
            *total += a == b ? c[a * dim + b] : 0;
        }
    for (uint32_t k = 0; k < n; k++) {
        double *x = axes + (size_t)k * dim;
        for (uint32_t d = 0; d < dim; d++)
            x[d] = 1 + d % 3;
        for (int it = 0; it < 500; it++) {
            double length = 0;
            for (uint32_t a = 0; a < dim; a++) {
                y[a] = 0;
                for (uint32_t b = 0; b < dim; b++)
                    y[a] += c[a * dim + b] * x[b];
                length += y[a] * y[a];
            }
            values[k] = sqrt(length);
            for (uint32_t a = 0; a < dim; a++)
                x[a] = y[a] / values[k];
        }
        for (uint32_t a = 0; a < dim; a++)
            for (uint32_t b = 0; b < dim; b++)
                c[a * dim + b] -= values[k] * x[a] * x[b];
    }
    free(c);
    free(mean);
}

static weft_vectors_projection *make(weft_context *ctx, uint32_t dim, weft_vectors_align align)
{
    weft_vectors_projection *p = weft_vectors_projection_create(ctx,
        &(weft_vectors_projection_desc){.dimension = dim, .align = align});
    fixture_no_error(ctx);
    return p;
}

static void expect_axes(weft_vectors_projection *p, const float *rows, uint32_t count,
                        uint32_t dim, double close)
{
    double want[3 * 64], values[3], total;
    float  axes[3 * 64];
    weft_vectors_projection_info info;
    reference_axes(want, values, &total, rows, count, dim, 3);
    assert_true(weft_vectors_projection_axes(axes, NULL, p));
    assert_true(weft_vectors_projection_get_info(&info, p));
    assert_int_equal(info.count, count);
    assert_true(fabs(info.total - total) < 1e-4 * total);
    double shares = 0;
    for (uint32_t k = 0; k < 3; k++)
        shares += values[k] / total;
    assert_true(fabs(info.share[0] + info.share[1] + info.share[2] - shares) < 1e-4);
    for (uint32_t k = 0; k < 3; k++) {              /* the same space of three dimensions */
        double inside = 0;
        for (uint32_t j = 0; j < 3; j++) {
            double d = 0;
            for (uint32_t i = 0; i < dim; i++)
                d += axes[k * dim + i] * want[j * dim + i];
            inside += d * d;
        }
        assert_true(fabs(inside - 1) < close);
    }
}

static void test_components_are_those_of_c(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    static const struct { uint32_t count, dim, step; double offset; } cases[] = {
        {400, 5, 400, 0}, {1000, 17, 1000, 100}, {1000, 17, 100, 100}, {300, 20, 1, -3},
        {50, 3, 7, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t count = cases[i].count, dim = cases[i].dim;
        float   *rows = skewed(count, dim, 5 + i, cases[i].offset);
        weft_vectors_projection *p = make(ctx, dim, WEFT_VECTORS_SIGN);
        for (uint32_t at = 0; at < count; at += cases[i].step) {
            uint32_t n = count - at < cases[i].step ? count - at : cases[i].step;
            weft_vectors_rows part = rows_of(rows + (size_t)at * dim, n);
            assert_true(weft_vectors_projection_update(p, &part));
        }
        expect_axes(p, rows, count, dim, 2e-3);
        free(rows);
        weft_vectors_projection_release(p);
    }
    fixture_release(ctx);
}

static void test_coordinates_follow_from_axes_and_mean(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = skewed(200, 6, 9, 50), axes[18], mean[6], at[600];
    weft_vectors_rows all = rows_of(rows, 200);
    (void)state;
    weft_vectors_projection *p = make(ctx, 6, WEFT_VECTORS_ROTATE);
    assert_false(weft_vectors_projection_apply(at, p, &all));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no rows yet");
    assert_true(weft_vectors_projection_update(p, &all));
    assert_true(weft_vectors_projection_apply(at, p, &all));
    assert_true(weft_vectors_projection_axes(axes, mean, p));
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double sum = 0;
            for (uint32_t d = 0; d < 6; d++)
                sum += (rows[i * 6 + d] - mean[d]) * axes[k * 6 + d];
            assert_true(fabs(at[i * 3 + k] - sum) < 1e-3);
        }
    free(rows);
    weft_vectors_projection_release(p);
    fixture_release(ctx);
}

/* The largest and the second largest variance exchange places half-way: rotated axes stay where
 * they were. Signs never flip. */
static void test_axes_stay(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    for (int align = 0; align < 2; align++) {
        weft_vectors_projection *p = make(ctx, 8, (weft_vectors_align)align);
        float    first[24], now[24], last[24] = {0};
        uint64_t seed = 77;
        for (int step = 0; step < 40; step++) {
            float rows[20 * 8];
            for (int i = 0; i < 160; i++) {
                static const double size[] = {3, 2.5, 2, 0.1, 0.1, 0.1, 0.1, 0.1};
                double s = i % 8 == 1 && step > 15 ? 6 : size[i % 8];
                rows[i] = (float)(s * reference_random(&seed));
            }
            weft_vectors_rows part = rows_of(rows, 20);
            assert_true(weft_vectors_projection_update(p, &part));
            assert_true(weft_vectors_projection_axes(now, NULL, p));
            if (step == 10)
                memcpy(first, now, sizeof first);
            for (int k = 0; k < 3 && step > 10; k++) {
                double before = 0, start = 0;
                for (int d = 0; d < 8; d++) {
                    before += now[k * 8 + d] * last[k * 8 + d];
                    start += now[k * 8 + d] * first[k * 8 + d];
                }
                if (align == WEFT_VECTORS_ROTATE)
                    assert_true(before > 0.95 && start > 0.9);
                else
                    assert_true(before > -0.01);
            }
            memcpy(last, now, sizeof last);
        }
        weft_vectors_projection_release(p);
    }
    fixture_release(ctx);
}

/* Rows in a plane, in a line, in a point, and one row alone have axes, too. */
static void test_flat_data_have_axes(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float         rows[50 * 10], axes[30];
    weft_vectors_projection_info info;
    (void)state;
    for (uint32_t flat = 0; flat < 3; flat++) {
        uint64_t seed = 4;
        for (int i = 0; i < 500; i++)
            rows[i] = (uint32_t)i % 10 < flat ? (float)reference_random(&seed) : 7;
        for (uint32_t count = 1; count <= 50; count += 49) {
            weft_vectors_projection *p = make(ctx, 10, WEFT_VECTORS_ROTATE);
            weft_vectors_rows        some = rows_of(rows, count);
            assert_true(weft_vectors_projection_update(p, &some));
            assert_true(weft_vectors_projection_update(p, &some));
            assert_true(weft_vectors_projection_axes(axes, NULL, p));
            assert_true(weft_vectors_projection_get_info(&info, p));
            for (int a = 0; a < 3; a++)
                for (int b = 0; b <= a; b++) {
                    double d = 0;
                    for (int i = 0; i < 10; i++)
                        d += axes[a * 10 + i] * axes[b * 10 + i];
                    assert_true(fabs(d - (a == b)) < 1e-4);
                }
            assert_true(count == 1 || flat == 0 ? info.total < 1e-6 : info.total > 0.1);
            weft_vectors_projection_release(p);
        }
    }
    fixture_release(ctx);
}

static void test_old_rows_are_forgotten(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float         before[] = {0, 0, 0, 0}, after[400], mean[2];
    (void)state;
    weft_vectors_projection *p = weft_vectors_projection_create(ctx,
        &(weft_vectors_projection_desc){.dimension = 2, .components = 2, .half_life = 10});
    for (int i = 0; i < 400; i++)
        after[i] = i % 4 < 2 ? 9 : 11;
    weft_vectors_rows two = rows_of(before, 2), many = rows_of(after, 200);
    assert_true(weft_vectors_projection_update(p, &two));
    assert_true(weft_vectors_projection_update(p, &many));
    assert_true(weft_vectors_projection_axes(NULL, mean, p));
    assert_true(fabs(mean[0] - 10) < 1e-3 && fabs(mean[1] - 10) < 1e-3);
    weft_vectors_projection_release(p);
    fixture_release(ctx);
}

static void test_states_restore_a_projection(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = skewed(120, 7, 3, 0), a[360], b[360];
    weft_vectors_rows all = rows_of(rows, 120);
    (void)state;
    weft_vectors_projection *p = make(ctx, 7, WEFT_VECTORS_ROTATE);
    assert_true(weft_vectors_projection_update(p, &all));
    uint64_t size = weft_vectors_projection_state_size(p);
    uint8_t *bytes = malloc(size), *again = malloc(size);
    assert_true(weft_vectors_projection_state(bytes, size, p));
    weft_vectors_projection *q = weft_vectors_projection_restore(ctx, bytes, size);
    assert_non_null(q);
    assert_true(weft_vectors_projection_state(again, size, q));
    assert_memory_equal(bytes, again, size);
    assert_true(weft_vectors_projection_apply(a, p, &all));
    assert_true(weft_vectors_projection_apply(b, q, &all));
    assert_memory_equal(a, b, sizeof a);
    for (uint64_t cut = 0; cut < size; cut += cut < 90 ? 1 : 53) {
        assert_null(weft_vectors_projection_restore(ctx, bytes, cut));
        fixture_expect_error(ctx, WEFT_ERROR_FORMAT, "");
    }
    for (uint64_t at = 0; at < 56; at++) {
        memcpy(again, bytes, size);
        again[at] ^= 0xff;
        weft_vectors_projection_release(weft_vectors_projection_restore(ctx, again, size));
        weft_context_error_clear(ctx);
    }
    free(bytes);
    free(again);
    free(rows);
    weft_vectors_projection_release(p);
    weft_vectors_projection_release(q);
    fixture_release(ctx);
}

static void test_projections_refuse_nonsense(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float         rows[] = {1, 2, 3, 4, INFINITY, 6}, axes[6], after[6];
    weft_vectors_rows good = rows_of(rows, 2), bad = rows_of(rows, 3);
    (void)state;
    static const struct { weft_vectors_projection_desc desc; const char *why; } faults[] = {
        {{0}, "dimension is zero"},
        {{.dimension = 5000}, "above 4,096"},
        {{.dimension = 2}, "more axes than dimensions"},
        {{.dimension = 100, .components = 17}, "more than 16"},
        {{.dimension = 3, .half_life = -1}, "half-life"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_null(weft_vectors_projection_create(ctx, &faults[i].desc));
        fixture_expect_error(ctx, WEFT_ERROR_INVALID, faults[i].why);
    }
    weft_vectors_projection *p = weft_vectors_projection_create(ctx,
        &(weft_vectors_projection_desc){.dimension = 2, .components = 2});
    weft_vectors_projection_info info;
    assert_true(weft_vectors_projection_update(p, &good));
    assert_true(weft_vectors_projection_axes(axes, NULL, p));
    assert_false(weft_vectors_projection_update(p, &bad));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "row 2 has a number that is not finite");
    assert_true(weft_vectors_projection_axes(after, NULL, p));
    assert_true(memcmp(axes, after, 4 * sizeof *axes) == 0);
    assert_true(weft_vectors_projection_get_info(&info, p) && info.count == 2);
    weft_vectors_projection_release(p);
    fixture_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components_are_those_of_c),
        cmocka_unit_test(test_coordinates_follow_from_axes_and_mean),
        cmocka_unit_test(test_axes_stay),
        cmocka_unit_test(test_flat_data_have_axes),
        cmocka_unit_test(test_old_rows_are_forgotten),
        cmocka_unit_test(test_states_restore_a_projection),
        cmocka_unit_test(test_projections_refuse_nonsense),
    };
    return cmocka_run_group_tests_name("vectors_projection", tests, NULL, NULL);
}
