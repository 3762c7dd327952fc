/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor_test.c - baselines, alerts with an injected cause and none without, histograms,
 * samples of long executions.
 */
#include "support/test.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "pool/pool_priv.h"

typedef struct Alerted {
    atomic_uint counts[8];
    atomic_uint samples;
    double      value;
    char        message[240];
} Alerted;

static void on_alert(void *user, const weft_alert *a)
{
    Alerted *all = user;
    atomic_fetch_add(&all->counts[a->kind], 1);
    all->value = a->value;
    snprintf(all->message, sizeof all->message, "%s", a->message);
}

static void on_sample(void *user, const weft_sample *s)
{
    Alerted *all = user;
    assert_true(s->elapsed_ns > 0);
    assert_string_equal(s->kernel, "main");
    atomic_fetch_add(&all->samples, 1);
}

static weft_pool *watched_pool(Alerted *all, const weft_pool_desc *more)
{
    weft_pool_desc d = more ? *more : (weft_pool_desc){0};
    memset(all, 0, sizeof *all);
    d.alert = on_alert;
    d.sample = on_sample;
    d.user = all;
    return fixture_pool(&d);
}

/* ---- speed ---- */

static double run(weft_pool *pool, double ns)
{
    pool_lock(pool);
    double before = monitor_baseline(pool, 77, "kernel", 0, 1000, ns);
    pool_leave(pool);
    return before;
}

static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

static void test_a_slow_kernel_alerts(void **state)
{
    (void)state;
    Alerted    all;
    weft_pool *pool = watched_pool(&all, NULL);
    uint32_t   seed = 1;
    for (int i = 0; i < 1000; i++)
        run(pool, 1e6 * (1 + 0.05 * noise(&seed)));
    assert_int_equal(all.counts[WEFT_ALERT_SPEED], 0);
    for (int i = 0; i < 20; i++)
        run(pool, 1.3e6 * (1 + 0.05 * noise(&seed)));
    assert_int_equal(all.counts[WEFT_ALERT_SPEED], 1);
    assert_true(all.value < 0.9 && all.value > 0.6);
    assert_non_null(strstr(all.message, "'kernel' takes"));
    for (int i = 0; i < 50; i++)        /* told once */
        run(pool, 1.3e6);
    assert_int_equal(all.counts[WEFT_ALERT_SPEED], 1);
    for (int i = 0; i < 100; i++)       /* fast again, then slow again */
        run(pool, 1e6);
    for (int i = 0; i < 20; i++)
        run(pool, 2e6);
    assert_int_equal(all.counts[WEFT_ALERT_SPEED], 2);
    weft_pool_release(pool);
}

static void test_noise_does_not_alert(void **state)
{
    (void)state;
    Alerted    all;
    weft_pool *pool = watched_pool(&all, NULL);
    uint32_t   seed = 2;
    for (int i = 0; i < 5000; i++) {
        double ns = 1e6 * (1 + 0.5 * noise(&seed));
        run(pool, i % 50 == 7 ? 30e6 : ns);     /* single slow ones, too */
    }
    assert_int_equal(all.counts[WEFT_ALERT_SPEED], 0);
    weft_baseline b;
    assert_int_equal(weft_pool_baseline_count(pool), 1);
    assert_true(weft_pool_baseline_get(&b, pool, 0));
    assert_false(weft_pool_baseline_get(&b, pool, 1));
    assert_true(b.run_ns > 0.9e6 && b.run_ns < 1.15e6);
    assert_string_equal(b.signature, "000000000000004d");
    assert_int_equal(b.count, 5000);
    weft_pool_release(pool);
}

static void test_a_slow_device_alerts(void **state)
{
    (void)state;
    Alerted all;
    Standin a = standin_open(0, &(StandinSettings){.name = "a", .launch_ns = 300e3});
    const char *const list[] = {a.path, NULL};
    weft_pool *pool = watched_pool(&all, &(weft_pool_desc){.libraries = list, .no_own = true,
                                                          .probe_in_process = true});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob            j;
    scale_init(&j, 100, 2);
    for (int i = 0; i < 40; i++)
        assert_true(weft_execute(ctx, &j.desc, &r));
    assert_true(r.baseline_ns > 0);
    /* Far slower than the baseline, however slow and noisy a busy machine has made that. */
    atomic_store(&a.state->slowdown, fmax(60.0, 16 * r.baseline_ns / 300e3));
    for (int i = 0; i < 400 && !atomic_load(&all.counts[WEFT_ALERT_SPEED]); i++)
        assert_true(weft_execute(ctx, &j.desc, &r));
    assert_true(atomic_load(&all.counts[WEFT_ALERT_SPEED]) >= 1);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

/* ---- memory ---- */

static void test_memory_near_the_budget_alerts(void **state)
{
    (void)state;
    Alerted    all;
    weft_pool *pool = watched_pool(&all, &(weft_pool_desc){.device_memory = 10000});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob            j, large;
    scale_init(&j, 1000, 2);            /* 8,008 bytes */
    scale_init(&large, 1200, 2);        /* 9,608 */
    for (int i = 0; i < 3; i++)
        assert_true(weft_execute(ctx, &j.desc, &r));
    assert_int_equal(all.counts[WEFT_ALERT_MEMORY], 0);
    assert_true(weft_execute(ctx, &large.desc, &r));
    assert_int_equal(all.counts[WEFT_ALERT_MEMORY], 1);
    assert_true(all.value > 0.9);
    assert_true(weft_execute(ctx, &large.desc, &r));
    assert_int_equal(all.counts[WEFT_ALERT_MEMORY], 2);     /* it was free in between */
    scale_fini(&j);
    scale_fini(&large);
    fixture_release(pool, ctx);
}

/* ---- errors ---- */

static void test_failures_alert(void **state)
{
    (void)state;
    Alerted all;
    Standin a = standin_open(0, &(StandinSettings){.name = "a"});
    const char *const list[] = {a.path, NULL};
    weft_pool *pool = watched_pool(&all, &(weft_pool_desc){
        .libraries = list, .no_own = true, .probe_in_process = true, .backoff_ns = 1});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob            j;
    scale_init(&j, 100, 2);
    for (int i = 0; i < 300; i++)
        assert_true(weft_execute(ctx, &j.desc, &r));
    assert_int_equal(all.counts[WEFT_ALERT_ERRORS], 0);
    j.desc.no_retry = true;
    for (int i = 0; i < 3; i++) {
        atomic_store(&a.state->lose_next, true);
        assert_false(weft_execute(ctx, &j.desc, &r));
        assert_true(weft_execute(ctx, &j.desc, &r));
    }
    assert_int_equal(all.counts[WEFT_ALERT_ERRORS], 1);
    assert_true(atomic_load(&all.counts[WEFT_ALERT_DEVICE]) >= 3);
    weft_pool_snapshot s;
    assert_true(weft_pool_snapshot_get(&s, pool, 0));
    assert_int_equal(s.failed, 3);
    assert_int_equal(s.executions, 306);
    assert_int_equal(s.losses, 3);
    assert_int_equal(s.run_ns.count, 303);
    uint32_t alerts = 0;
    for (uint32_t i = 0; i < 8; i++)
        alerts += atomic_load(&all.counts[i]);
    assert_int_equal(s.alerts, alerts);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

/* ---- histograms, samples ---- */

static void test_histograms(void **state)
{
    (void)state;
    weft_histogram h = {.counts = {[0] = 10, [10] = 80, [20] = 9, [39] = 1}, .count = 100,
                        .max = (uint64_t)1 << 50};
    assert_true(weft_histogram_quantile(&h, 0) == 2);
    assert_true(weft_histogram_quantile(&h, 0.5) == 2048);
    assert_true(weft_histogram_quantile(&h, 0.99) == 2097152);
    assert_true(weft_histogram_quantile(&h, 1) == (double)((uint64_t)1 << 50));
    assert_true(weft_histogram_quantile(&(weft_histogram){0}, 0.5) == 0);
    assert_true(weft_histogram_quantile(NULL, 0.5) == 0);
}

static void test_long_executions_are_sampled(void **state)
{
    (void)state;
    Alerted    all;
    weft_pool *pool = watched_pool(&all, &(weft_pool_desc){.sample_ns = 1000000});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    uint32_t x = 5, y = 0, rounds = 1u << 20;
    for (r.samples = 0; !r.samples; rounds *= 2) {     /* until it takes long enough */
        weft_execute_input in[] = {{.name = "x", .size = 4, .data = &x},
                                   {.name = "params.n", .data = &rounds}};
        weft_execute_output out = {.name = "y", .size = 4, .data = &y};
        weft_execute(ctx, &(weft_execute_desc){
            .wgsl = fixture_loop, .inputs = in, .input_count = 2, .outputs = &out,
            .output_count = 1}, &r);
        expect_ok(&r);
    }
    assert_true(atomic_load(&all.samples) >= r.samples);
    fixture_release(pool, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_kernel_alerts),
        cmocka_unit_test(test_noise_does_not_alert),
        cmocka_unit_test(test_a_slow_device_alerts),
        cmocka_unit_test(test_memory_near_the_budget_alerts),
        cmocka_unit_test(test_failures_alert),
        cmocka_unit_test(test_histograms),
        cmocka_unit_test(test_long_executions_are_sampled),
    };
    return cmocka_run_group_tests_name("pool_monitor", tests, NULL, NULL);
}
