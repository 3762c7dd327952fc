/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_test.c - self-organising maps beside plain C: epochs, online steps, matches, quality,
 * pictures, grids, states, and what is refused.
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

/* ---- the reference ---- */

typedef struct Grid {
    uint32_t width, height;
    bool     hexagonal, toroidal, bubble;
} Grid;

static double grid_distance(const Grid *g, uint32_t a, uint32_t b)
{
    double row = g->hexagonal ? sqrt(3) / 2 : 1;
    double ax = a % g->width + (g->hexagonal && a / g->width % 2 ? 0.5 : 0);
    double bx = b % g->width + (g->hexagonal && b / g->width % 2 ? 0.5 : 0);
    double dx = fabs(ax - bx), dy = fabs((double)(a / g->width) - (double)(b / g->width)) * row;
    if (g->toroidal) {
        dx = fmin(dx, fabs(g->width - dx));
        dy = fmin(dy, fabs(g->height * row - dy));
    }
    return sqrt(dx * dx + dy * dy);
}

static double influence(const Grid *g, double d, double radius)
{
    if (g->bubble)
        return d <= radius + 1e-4 ? 1 : 0;
    return exp(-d * d / (2 * radius * radius));
}

static void find_nearest(uint32_t out[2], double apart[2], const float *x, const double *w,
                         uint32_t units, uint32_t dim)
{
    apart[0] = apart[1] = 1e300;
    out[0] = out[1] = 0;
    for (uint32_t u = 0; u < units; u++) {
        double d2 = 0;
        for (uint32_t d = 0; d < dim; d++)
            d2 += (x[d] - w[u * dim + d]) * (x[d] - w[u * dim + d]);
        if (d2 < apart[0]) {
            apart[1] = apart[0];
            out[1] = out[0];
            apart[0] = d2;
            out[0] = u;
        } else if (d2 < apart[1]) {
            apart[1] = d2;
            out[1] = u;
        }
    }
}

static void batch(double *w, const Grid *g, const float *rows, uint32_t count, uint32_t dim,
                  double radius)
{
    uint32_t units = g->width * g->height;
    double  *sum = calloc((size_t)units * dim, sizeof *sum), *all = calloc(units, sizeof *all);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at[2];
        double   apart[2];
        find_nearest(at, apart, rows + (size_t)i * dim, w, units, dim);
        for (uint32_t u = 0; u < units; u++) {
            double h = influence(g, grid_distance(g, u, at[0]), radius);
            all[u] += h;
            for (uint32_t d = 0; d < dim; d++)
                sum[u * dim + d] += h * rows[(size_t)i * dim + d];
        }
    }
    for (uint32_t u = 0; u < units; u++)
        for (uint32_t d = 0; d < dim; d++)
            if (all[u] > 1e-20)
                w[u * dim + d] = sum[u * dim + d] / all[u];
    free(sum);
    free(all);
}

static double *weights_of(weft_vectors_map *map, uint32_t units, uint32_t dim)
{
    float  *w = malloc((size_t)units * dim * sizeof *w);
    double *out = malloc((size_t)units * dim * sizeof *out);
    assert_true(weft_vectors_map_weights(w, map));
    for (size_t i = 0; i < (size_t)units * dim; i++)
        out[i] = w[i];
    free(w);
    return out;
}

static void expect_weights(weft_vectors_map *map, const double *want, uint32_t units,
                           uint32_t dim, double close)
{
    double *is = weights_of(map, units, dim);
    for (size_t i = 0; i < (size_t)units * dim; i++)
        if (!(fabs(is[i] - want[i]) < close))
            fail_msg("weight %zu of unit %zu: %g instead of %g", i % dim, i / dim, is[i], want[i]);
    free(is);
}

/* ---- training ---- */

static weft_vectors_map *make(weft_context *ctx, const Grid *g, uint32_t dim,
                              weft_vectors_init init)
{
    weft_vectors_map *map = weft_vectors_map_create(ctx, &(weft_vectors_map_desc){
        .dimension = dim, .width = g->width, .height = g->height, .toroidal = g->toroidal,
        .grid = g->hexagonal ? WEFT_VECTORS_HEXAGONAL : WEFT_VECTORS_SQUARE,
        .neighbourhood = g->bubble ? WEFT_VECTORS_BUBBLE : WEFT_VECTORS_GAUSSIAN,
        .init = init, .seed = 3});
    fixture_no_error(ctx);
    return map;
}

static const Grid grids[] = {
    {6, 5, true, false, false}, {7, 4, true, true, false}, {5, 5, false, false, false},
    {9, 3, false, true, true},  {1, 1, false, false, false}, {20, 20, true, true, true},
};

static void test_a_batch_epoch_is_that_of_c(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const Grid *g = &grids[i];
        uint32_t    dim = 3 + 5 * (uint32_t)i, units = g->width * g->height;
        float      *rows = reference_rows(300, dim, 4, 50 + i);
        weft_vectors_rows all = rows_of(rows, 300);
        weft_vectors_map *map = make(ctx, g, dim, i % 2 ? WEFT_VECTORS_SAMPLE : WEFT_VECTORS_PLANE);
        weft_vectors_training one = {.epochs = 1, .radius_start = 2, .radius_end = 2};
        assert_true(weft_vectors_map_train(map, &all, &one));
        double *w = weights_of(map, units, dim);
        for (int epoch = 0; epoch < 2; epoch++) {
            one.radius_start = one.radius_end = 1.7 - epoch;
            batch(w, g, rows, 300, dim, one.radius_end);
            assert_true(weft_vectors_map_train(map, &all, &one));
            expect_weights(map, w, units, dim, 3e-4);
        }
        free(w);
        free(rows);
        weft_vectors_map_release(map);
    }
    fixture_release(ctx);
}

static void test_an_online_step_is_that_of_c(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const Grid *g = &grids[i];
        uint32_t    dim = 4, units = g->width * g->height;
        float      *rows = reference_rows(60, dim, 4, 70 + i);
        weft_vectors_map *map = make(ctx, g, dim, WEFT_VECTORS_SAMPLE);
        weft_vectors_rows all = rows_of(rows, 40);
        assert_true(weft_vectors_map_update(map, &all));
        const weft_vectors_map_desc *d = weft_vectors_map_get_desc(map);
        double *w = weights_of(map, units, dim);
        for (uint32_t r = 40; r < 60; r++) {
            double   t = r / (double)d->steps, apart[2];
            double   rate = d->rate_start * pow(d->rate_end / d->rate_start, t);
            double   radius = d->radius_start * pow(d->radius_end / d->radius_start, t);
            uint32_t at[2];
            find_nearest(at, apart, rows + r * dim, w, units, dim);
            for (uint32_t k = 0; k < units * dim; k++) {
                double h = rate * influence(g, grid_distance(g, k / dim, at[0]), radius);
                w[k] += h * (rows[r * dim + k % dim] - w[k]);
            }
            weft_vectors_rows one = rows_of(rows + r * dim, 1);
            assert_true(weft_vectors_map_update(map, &one));
        }
        expect_weights(map, w, units, dim, 1e-4);
        free(w);
        free(rows);
        weft_vectors_map_release(map);
    }
    fixture_release(ctx);
}

/* The order in which an epoch takes its rows: drawn by SplitMix64, which begins with the seed. */
static void draw_order(uint32_t *order, uint32_t count, uint64_t state)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        uint32_t k = i + (uint32_t)((z ^ z >> 31) % (count - i)), row = order[i];
        order[i] = order[k];
        order[k] = row;
    }
}

/* Rows that come together do what they would do one after the other. No row has two units that
 * are nearest but for rounding; with a bubble units become equal. */
static void test_online_groups_are_single_steps(void **state)
{
    enum { COUNT = 77, DIM = 11 };
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const Grid *g = &grids[i];
        uint32_t    order[COUNT];
        if (g->bubble)
            continue;
        float      *rows = reference_rows(COUNT, DIM, 4, 171 + 2 * i);
        weft_vectors_map *first = make(ctx, g, DIM, WEFT_VECTORS_PLANE);
        weft_vectors_rows all = rows_of(rows, COUNT);
        weft_vectors_training begin = {.epochs = 1, .radius_start = 2, .radius_end = 2};
        assert_true(weft_vectors_map_train(first, &all, &begin));
        uint64_t size = weft_vectors_map_state_size(first);
        void    *kept = malloc(size);   /* a map of it has drawn nothing yet */
        assert_true(weft_vectors_map_state(kept, size, first));
        weft_vectors_map *map = weft_vectors_map_restore(ctx, kept, size);
        weft_vectors_map *one = weft_vectors_map_restore(ctx, kept, size);
        assert_true(map && one && weft_vectors_map_update(map, &all));
        draw_order(order, COUNT, 3 + 1);
        for (uint32_t r = 0; r < COUNT; r++) {
            weft_vectors_rows row = rows_of(rows + order[r] * DIM, 1);
            assert_true(weft_vectors_map_update(one, &row));
        }
        uint32_t units = g->width * g->height;
        double  *want = weights_of(one, units, DIM);
        expect_weights(map, want, units, DIM, 1e-4);
        free(want);
        free(kept);
        free(rows);
        weft_vectors_map_release(first);
        weft_vectors_map_release(map);
        weft_vectors_map_release(one);
    }
    fixture_release(ctx);
}

static void test_training_untangles_clusters(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = reference_rows(2000, 8, 5, 31);
    weft_vectors_rows all = rows_of(rows, 2000);
    (void)state;
    for (int online = 0; online < 2; online++) {
        weft_vectors_quality before, after;
        Grid                 g = {12, 10, true, false, false};
        weft_vectors_map    *map = make(ctx, &g, 8, WEFT_VECTORS_SAMPLE);
        weft_vectors_training first = {.epochs = 1, .radius_start = 8, .radius_end = 8};
        assert_true(weft_vectors_map_train(map, &all, &first));
        assert_true(weft_vectors_map_get_quality(&before, map, &all));
        assert_true(weft_vectors_map_train(map, &all, &(weft_vectors_training){
            .online = online, .epochs = 8}));
        assert_true(weft_vectors_map_get_quality(&after, map, &all));
        assert_true(after.quantisation_error < 0.7 * before.quantisation_error);
        assert_true(after.explained_variance > 0.8 && after.explained_variance < 1);
        assert_true(after.topographic_error < 0.2);
        weft_vectors_map_release(map);
    }
    free(rows);
    fixture_release(ctx);
}

static bool stop_after_two(void *user, uint64_t done, uint64_t total)
{
    assert_int_equal(total, 9);
    *(uint64_t *)user = done;
    return done < 2;
}

static void test_trainings_repeat_and_stop(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = reference_rows(500, 6, 3, 8);
    weft_vectors_rows all = rows_of(rows, 500);
    Grid          g = {8, 8, true, true, false};
    uint64_t      done = 0;
    (void)state;
    for (int online = 0; online < 2; online++) {
        weft_vectors_map *a = make(ctx, &g, 6, WEFT_VECTORS_SAMPLE);
        weft_vectors_map *b = make(ctx, &g, 6, WEFT_VECTORS_SAMPLE);
        weft_vectors_training t = {.epochs = 3, .online = online};
        assert_true(weft_vectors_map_train(a, &all, &t) && weft_vectors_map_train(b, &all, &t));
        double *w = weights_of(a, 64, 6);
        expect_weights(b, w, 64, 6, 1e-30);
        free(w);
        t = (weft_vectors_training){.epochs = 9, .progress = stop_after_two, .user = &done};
        assert_false(weft_vectors_map_train(a, &all, &t));
        fixture_expect_error(ctx, WEFT_ERROR_CANCELLED, "cancelled");
        assert_int_equal(done, 2);
        weft_vectors_map_release(a);
        weft_vectors_map_release(b);
    }
    free(rows);
    fixture_release(ctx);
}

/* ---- looking ---- */

/* Far from the origin and with a row that is nearly a unit, distances keep their digits. */
static void test_matches_are_those_of_c(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    Grid          g = {6, 5, true, false, false};
    float        *rows = reference_rows(200, 5, 3, 41);
    weft_vectors_place places[200];
    uint64_t      hits[30], counted[30] = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        rows[i] += 1000;
    weft_vectors_rows    all = rows_of(rows, 200);
    weft_vectors_quality q;
    weft_vectors_map    *map = make(ctx, &g, 5, WEFT_VECTORS_PLANE);
    assert_true(weft_vectors_map_train(map, &all, NULL));
    double *w = weights_of(map, 30, 5), error = 0, torn = 0;
    assert_true(weft_vectors_map_match(places, map, &all));
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t at[2];
        double   apart[2];
        find_nearest(at, apart, rows + i * 5, w, 30, 5);
        assert_true(fabs(places[i].distance - sqrt(apart[0])) < 2e-3);
        error += places[i].distance / 200;
        torn += (grid_distance(&g, places[i].unit, places[i].second) > 1.01) / 200.0;
        counted[places[i].unit]++;
    }
    assert_true(weft_vectors_map_get_quality(&q, map, &all));
    assert_true(fabs(q.quantisation_error - error) < 1e-5);
    assert_true(fabs(q.topographic_error - torn) < 1e-9);
    assert_true(weft_vectors_map_hits(hits, map, &all));
    assert_memory_equal(hits, counted, sizeof hits);
    free(w);
    free(rows);
    weft_vectors_map_release(map);
    fixture_release(ctx);
}

static void test_pictures_are_those_of_c(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const Grid *g = &grids[i];
        uint32_t    units = g->width * g->height, dim = 4;
        float      *rows = reference_rows(100, dim, 3, 90 + i);
        float      *u = malloc(units * sizeof *u), *plane = malloc(units * sizeof *plane);
        weft_vectors_rows all = rows_of(rows, 100);
        weft_vectors_map *map = make(ctx, g, dim, WEFT_VECTORS_SAMPLE);
        assert_true(weft_vectors_map_train(map, &all, &(weft_vectors_training){.epochs = 2}));
        assert_true(weft_vectors_map_umatrix(u, map));
        assert_true(weft_vectors_map_plane(plane, map, 2));
        double *w = weights_of(map, units, dim);
        for (uint32_t a = 0; a < units; a++) {
            double sum = 0, count = 0;
            for (uint32_t b = 0; b < units; b++) {
                double d2 = 0;
                if (a == b || grid_distance(g, a, b) > (g->hexagonal ? 1.01 : 1.42))
                    continue;
                for (uint32_t d = 0; d < dim; d++)
                    d2 += pow(w[a * dim + d] - w[b * dim + d], 2);
                sum += sqrt(d2);
                count++;
            }
            if (g->height > 3 || !g->toroidal)      /* else a neighbour counts twice */
                assert_true(fabs(u[a] - (count ? sum / count : 0)) < 1e-5);
            assert_true(plane[a] == (float)w[a * dim + 2]);
        }
        assert_false(weft_vectors_map_plane(plane, map, 4));
        fixture_expect_error(ctx, WEFT_ERROR_INVALID, "4 components");
        free(w);
        free(u);
        free(plane);
        free(rows);
        weft_vectors_map_release(map);
    }
    fixture_release(ctx);
}

/* ---- states ---- */

static void test_states_restore_a_map(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    Grid          g = {5, 4, true, true, false};
    float        *rows = reference_rows(64, 3, 2, 17);
    weft_vectors_rows all = rows_of(rows, 64);
    (void)state;
    weft_vectors_map *map = make(ctx, &g, 3, WEFT_VECTORS_PLANE);
    assert_true(weft_vectors_map_update(map, &all));
    uint64_t size = weft_vectors_map_state_size(map);
    uint8_t *bytes = malloc(size), *again = malloc(size);
    assert_false(weft_vectors_map_state(bytes, size - 1, map));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "the state needs");
    assert_true(weft_vectors_map_state(bytes, size, map));
    weft_vectors_map *copy = weft_vectors_map_restore(ctx, bytes, size);
    assert_non_null(copy);
    assert_true(weft_vectors_map_state(again, size, copy));
    assert_memory_equal(bytes, again, size);
    double *w = weights_of(map, 20, 3);
    expect_weights(copy, w, 20, 3, 1e-6);
    for (uint64_t cut = 0; cut < size; cut += cut < 120 ? 1 : 37) {
        assert_null(weft_vectors_map_restore(ctx, bytes, cut));
        fixture_expect_error(ctx, WEFT_ERROR_FORMAT, "");
    }
    for (uint64_t at = 0; at < 76; at++) {          /* no damage to the head is fatal */
        memcpy(again, bytes, size);
        again[at] ^= 0xff;
        weft_vectors_map_release(weft_vectors_map_restore(ctx, again, size));
        weft_context_error_clear(ctx);
    }
    free(w);
    free(bytes);
    free(again);
    free(rows);
    weft_vectors_map_release(copy);
    weft_vectors_map_release(map);
    fixture_release(ctx);
}

static void test_maps_refuse_nonsense(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float         rows[] = {1, 2, NAN, 4}, out[100];
    weft_vectors_rows bad = rows_of(rows, 2), none = rows_of(rows, 0), one = rows_of(rows, 1);
    (void)state;
    static const struct { weft_vectors_map_desc desc; const char *why; } faults[] = {
        {{0}, "dimension is zero"},
        {{.dimension = 2, .width = 1000, .height = 1000}, "more than 65,536 units"},
        {{.dimension = 2, .width = 3, .height = 3, .toroidal = true}, "even height"},
        {{.dimension = 2, .rate_start = 2}, "a rate"},
        {{.dimension = 2, .radius_end = -1}, "a radius"},
        {{.dimension = 2, .cooling = (weft_vectors_cooling)7}, "no such cooling"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_null(weft_vectors_map_create(ctx, &faults[i].desc));
        fixture_expect_error(ctx, WEFT_ERROR_INVALID, faults[i].why);
    }
    weft_vectors_map *map = weft_vectors_map_create(ctx, &(weft_vectors_map_desc){
        .dimension = 2, .width = 3, .height = 3});
    assert_false(weft_vectors_map_umatrix(out, map));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "not trained");
    assert_false(weft_vectors_map_train(map, &none, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no rows");
    assert_false(weft_vectors_map_train(map, &bad, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "row 1 has a number that is not finite");
    assert_false(weft_vectors_map_umatrix(out, map));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "not trained");
    assert_true(weft_vectors_map_train(map, &one, NULL));
    assert_true(weft_vectors_map_umatrix(out, map));
    assert_true(weft_vectors_map_train(map, &none, NULL));
    weft_vectors_map_release(map);
    fixture_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_batch_epoch_is_that_of_c),
        cmocka_unit_test(test_an_online_step_is_that_of_c),
        cmocka_unit_test(test_online_groups_are_single_steps),
        cmocka_unit_test(test_training_untangles_clusters),
        cmocka_unit_test(test_trainings_repeat_and_stop),
        cmocka_unit_test(test_matches_are_those_of_c),
        cmocka_unit_test(test_pictures_are_those_of_c),
        cmocka_unit_test(test_states_restore_a_map),
        cmocka_unit_test(test_maps_refuse_nonsense),
    };
    return cmocka_run_group_tests_name("vectors_map", tests, NULL, NULL);
}
