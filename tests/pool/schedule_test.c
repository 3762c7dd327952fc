/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule_test.c - priorities, fair shares, deadlines, cancellation, batches, stealing,
 * executions over several devices. Stand-ins hold their submits, so that queues form.
 */
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define MOST 256

typedef struct Order {
    atomic_uint next, count;        /* places taken; places written                         */
    uint64_t    ids[MOST];
} Order;

static void on_end(void *user, weft_execution *e, const weft_execute_report *r)
{
    Order *o = user;
    (void)e;
    o->ids[atomic_fetch_add(&o->next, 1)] = r->id;
    atomic_fetch_add(&o->count, 1);
}

typedef struct Setup {
    Standin            a, b;
    weft_pool         *pool;
    weft_pool_context *ctx;
    ScaleJob           job;
    Order              order;
    weft_execution    *list[MOST];
    uint32_t           count;
} Setup;

static void setup(Setup *s, uint32_t devices, const StandinSettings *a, const StandinSettings *b)
{
    static const StandinSettings plain_a = {.name = "a"}, plain_b = {.name = "b"};
    memset(s, 0, sizeof *s);
    s->a = standin_open(0, a ? a : &plain_a);
    s->b = standin_open(1, b ? b : &plain_b);
    const char *const list[] = {s->a.path, devices > 1 ? s->b.path : NULL, NULL};
    s->pool = fixture_pool(&(weft_pool_desc){.libraries = list, .no_own = true,
                                             .probe_in_process = true});
    s->ctx = fixture_context(s->pool);
    scale_init(&s->job, 100, 2);
    s->job.output.data = NULL;
    s->job.desc.callback = on_end;
    s->job.desc.user = &s->order;
}

static weft_execution *start(Setup *s, weft_pool_context *ctx)
{
    weft_execution *e = weft_execute_async(ctx ? ctx : s->ctx, &s->job.desc);
    assert_non_null(e);
    s->list[s->count++] = e;
    return e;
}

/* One execution is inside a submit that does not return. */
static void hold(Setup *s, Standin *in)
{
    uint32_t before = s->count;
    atomic_store(&in->state->hold_submits, true);
    start(s, NULL);
    assert_int_equal(s->count, before + 1);
    while (!atomic_load(&in->state->held))
        sched_yield();
}

static uint64_t id_of(weft_execution *e)
{
    weft_execute_report r;
    assert_true(weft_execution_report(&r, e));
    return r.id;
}

static uint32_t position(const Setup *s, weft_execution *e)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->order.ids[i] == id_of(e))
            return i;
    fail_msg("an execution did not end");
    return 0;
}

static void finish(Setup *s)
{
    atomic_store(&s->a.state->hold_submits, false);
    atomic_store(&s->b.state->hold_submits, false);
    for (uint32_t i = 0; i < s->count; i++)
        assert_true(weft_execution_wait(s->list[i], WEFT_OFF));
    while (atomic_load(&s->order.count) < s->count)
        sched_yield();
}

static void teardown(Setup *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        weft_execution_release(s->list[i]);
    scale_fini(&s->job);
    fixture_release(s->pool, s->ctx);
}

/* ---- order ---- */

static void test_priorities(void **state)
{
    (void)state;
    static const int32_t priorities[] = {0, 5, -3, 5, 100, 0};
    static const uint32_t expected[] = {4, 2, 6, 3, 1, 5};
    Setup s;
    setup(&s, 1, NULL, NULL);
    hold(&s, &s.a);
    for (int i = 0; i < 6; i++) {
        s.job.desc.priority = priorities[i];
        start(&s, NULL);
    }
    finish(&s);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(position(&s, s.list[1 + i]), expected[i]);
    teardown(&s);
}

static void test_a_flood_does_not_starve_others(void **state)
{
    (void)state;
    Setup s;
    setup(&s, 1, NULL, NULL);
    weft_pool_context *other = fixture_context(s.pool);
    hold(&s, &s.a);
    for (int i = 0; i < 100; i++)
        start(&s, NULL);
    weft_execution *late = start(&s, other);
    finish(&s);
    assert_int_equal(position(&s, late), 1);    /* right after the one that was running */
    teardown(&s);
    weft_pool_context_release(other);
}

static void test_shares_follow_weights(void **state)
{
    (void)state;
    Setup s;
    setup(&s, 1, NULL, NULL);
    weft_pool_context *heavy = weft_pool_context_create(s.pool, &(weft_pool_context_desc){
        .weight = 3});
    weft_pool_context *light = fixture_context(s.pool);
    hold(&s, &s.a);
    weft_execution *of_heavy[60], *of_light[60];
    for (int i = 0; i < 60; i++) {
        of_heavy[i] = start(&s, heavy);
        of_light[i] = start(&s, light);
    }
    finish(&s);
    uint32_t heavy_first = 0;
    for (int i = 0; i < 60; i++) {
        heavy_first += position(&s, of_heavy[i]) <= 40;
        (void)of_light;
    }
    assert_in_range(heavy_first, 25, 35);       /* three of four */
    teardown(&s);
    weft_pool_context_release(heavy);
    weft_pool_context_release(light);
}

/* ---- deadlines and cancellation ---- */

static void test_deadlines(void **state)
{
    (void)state;
    weft_execute_report r;
    Setup s;
    setup(&s, 1, NULL, NULL);
    hold(&s, &s.a);
    s.job.desc.deadline = 1000000;
    weft_execution *e = start(&s, NULL);
    assert_true(weft_execution_wait(e, WEFT_OFF));      /* while the device is still busy */
    assert_true(weft_execution_report(&r, e));
    expect_error(&r, WEFT_ERROR_TIMEOUT, "the deadline passed before it could run");
    s.job.desc.callback = NULL;
    assert_false(weft_execute(s.ctx, &s.job.desc, &r));
    expect_error(&r, WEFT_ERROR_TIMEOUT, "the deadline passed");
    weft_pool_snapshot snapshot;
    weft_pool_snapshot_get(&snapshot, s.pool, UINT32_MAX);
    assert_int_equal(snapshot.timed_out, 2);
    finish(&s);
    teardown(&s);
}

static void test_cancellation(void **state)
{
    (void)state;
    weft_execute_report r;
    Setup s;
    setup(&s, 1, NULL, NULL);
    hold(&s, &s.a);
    weft_execution *waits = start(&s, NULL);
    assert_false(weft_execution_done(waits));
    assert_false(weft_execution_wait(waits, 1000));
    assert_true(weft_execution_cancel(waits));
    assert_true(weft_execution_done(waits));
    assert_true(weft_execution_report(&r, waits));
    expect_error(&r, WEFT_ERROR_CANCELLED, "cancelled before it ran");
    assert_false(weft_execution_cancel(waits));
    assert_true(weft_execution_cancel(s.list[0]));      /* it runs */
    assert_false(weft_execution_done(s.list[0]));
    finish(&s);
    assert_true(weft_execution_report(&r, s.list[0]));
    expect_error(&r, WEFT_ERROR_CANCELLED, "cancelled while it ran");
    assert_null(weft_execution_output(s.list[0], "y", NULL));
    teardown(&s);
}

static void test_an_execution_quota(void **state)
{
    (void)state;
    weft_execute_report r;
    Setup s;
    setup(&s, 1, NULL, NULL);
    weft_pool_context *two = weft_pool_context_create(s.pool, &(weft_pool_context_desc){
        .execution_quota = 2, .label = "two"});
    hold(&s, &s.a);
    start(&s, two);
    start(&s, two);
    weft_execution *third = start(&s, two);
    assert_true(weft_execution_report(&r, third));
    expect_error(&r, WEFT_ERROR_QUOTA, "that is the quota of 'two'");
    finish(&s);
    start(&s, two);
    finish(&s);
    assert_true(weft_execution_report(&r, s.list[s.count - 1]));
    expect_ok(&r);
    teardown(&s);
    weft_pool_context_release(two);
}

/* ---- batches, stealing ---- */

static void test_small_kernels_share_a_submit(void **state)
{
    (void)state;
    Setup s;
    setup(&s, 1, NULL, NULL);
    weft_pool_context *others[4];
    for (int i = 0; i < 4; i++)
        others[i] = fixture_context(s.pool);
    hold(&s, &s.a);
    uint32_t before = atomic_load(&s.a.state->submits);
    for (int i = 0; i < 40; i++)
        start(&s, others[i % 4]);
    finish(&s);
    uint32_t together = 0;
    for (uint32_t i = 1; i < s.count; i++) {
        weft_execute_report r;
        uint64_t            size;
        assert_true(weft_execution_report(&r, s.list[i]));
        expect_ok(&r);
        together += r.batch > 1;
        memcpy(s.job.y, weft_execution_output(s.list[i], "y", &size), 400);
        scale_check(&s.job);
        memset(s.job.y, 0, 400);
    }
    assert_true(together >= 30);
    assert_true(atomic_load(&s.a.state->submits) - before < 20);
    weft_pool_snapshot snapshot;
    weft_pool_snapshot_get(&snapshot, s.pool, 0);
    assert_int_equal(snapshot.batched, together);
    teardown(&s);
    for (int i = 0; i < 4; i++)
        weft_pool_context_release(others[i]);
}

static void test_a_wrong_one_in_a_batch_harms_no_other(void **state)
{
    (void)state;
    Setup s;
    setup(&s, 1, NULL, NULL);
    weft_pool_context *poor = weft_pool_context_create(s.pool, &(weft_pool_context_desc){
        .memory_quota = 100});
    hold(&s, &s.a);
    weft_execution *bad[3];
    for (int i = 0; i < 12; i++) {
        weft_execution *e = start(&s, i % 4 == 1 ? poor : NULL);
        if (i % 4 == 1)
            bad[i / 4] = e;
    }
    finish(&s);
    for (uint32_t i = 0; i < s.count; i++) {
        weft_execute_report r;
        bool wrong = s.list[i] == bad[0] || s.list[i] == bad[1] || s.list[i] == bad[2];
        assert_true(weft_execution_report(&r, s.list[i]));
        assert_int_equal(r.error.kind, wrong ? WEFT_ERROR_QUOTA : WEFT_ERROR_NONE);
    }
    teardown(&s);
    weft_pool_context_release(poor);
}

static void test_an_idle_device_steals(void **state)
{
    (void)state;
    Setup s;
    setup(&s, 2, NULL, NULL);
    s.job.desc.policy = WEFT_POLICY_ROUND_ROBIN;
    hold(&s, &s.a);
    hold(&s, &s.b);
    for (int i = 0; i < 40; i++)
        start(&s, NULL);
    atomic_store(&s.b.state->hold_submits, false);
    for (uint32_t i = 1; i < s.count; i++)      /* all but the one inside a's submit */
        assert_true(weft_execution_wait(s.list[i], WEFT_OFF));
    assert_false(weft_execution_done(s.list[0]));
    finish(&s);
    uint32_t stolen = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        weft_execute_report r;
        assert_true(weft_execution_report(&r, s.list[i]));
        expect_ok(&r);
        stolen += r.stolen;
    }
    assert_true(stolen >= 15);
    teardown(&s);
}

/* ---- over several devices ---- */

/* Each row of y is the number of rows of its part. */
static const char count_rows[] =
    "struct P { n : u32 }\n"
    "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
    "@group(0) @binding(1) var<uniform> p : P;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < p.n { y[id.x] = p.n; }\n}\n";

/* Shares of `rows` on two devices whose profiles say that a is four times as fast as b. */
static void check_shares(uint32_t rows, double launch_b, uint32_t share_a)
{
    const weft_profile fast = {.f32_rate = 4e9, .i32_rate = 4e9, .function_rate = 4e9,
                               .bandwidth = 4e9, .upload_rate = 4e9, .read_rate = 4e9};
    const weft_profile slow = {.f32_rate = 1e9, .i32_rate = 1e9, .function_rate = 1e9,
                               .bandwidth = 1e9, .upload_rate = 1e9, .read_rate = 1e9,
                               .launch_ns = launch_b};
    Standin a = standin_open(0, &(StandinSettings){.name = "a"});
    Standin b = standin_open(1, &(StandinSettings){.name = "b"});
    weft_pool *pool = fixture_profiled_pool((const char *const[]){a.path, b.path, NULL},
                                            (const weft_profile[]){fast, slow});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    uint32_t           *y = calloc(rows, sizeof *y);
    weft_execute_input  in = {.name = "p.n", .type = WEFT_SCALAR_U32, .data = &rows};
    weft_execute_output out = {.name = "y", .type = WEFT_SCALAR_U32, .shape = {rows},
                               .data = y, .split = true};
    weft_execute(ctx, &(weft_execute_desc){
        .wgsl = count_rows, .inputs = &in, .input_count = 1, .outputs = &out,
        .output_count = 1, .split_unit = 64, .split_count = "p.n"}, &r);
    expect_ok(&r);
    assert_int_equal(r.parts, share_a < rows ? 2 : 1);
    assert_in_range(y[0], share_a - (share_a < rows ? 64 : 0), share_a + 64);
    for (uint32_t i = 0; i < rows; i++)
        if (y[i] != (i < y[0] ? y[0] : rows - y[0]))
            fail_msg("row %u is in a part of %u", i, y[i]);
    assert_int_equal(atomic_load(&a.state->dispatches), 1);
    assert_int_equal(atomic_load(&b.state->dispatches), share_a < rows ? 1 : 0);
    free(y);
    fixture_release(pool, ctx);
}

static void test_shares_follow_speed(void **state)
{
    (void)state;
    check_shares(64000, 0, 51200);              /* four of five */
    check_shares(6400, 0, 5120);
    check_shares(64000, 1e9, 64000);            /* a launch that takes longer than all on a */
}

static void test_divisible_executions(void **state)
{
    (void)state;
    Setup s;
    setup(&s, 2, NULL, NULL);
    ScaleJob j;
    weft_execute_report r;
    scale_init(&j, 100000, 3);
    j.inputs[0].split = true;
    j.output.split = true;
    j.desc.split_unit = 64;
    j.desc.split_count = "params.n";
    weft_execute(s.ctx, &j.desc, &r);
    expect_ok(&r);
    scale_check(&j);
    assert_int_equal(r.parts, 2);
    assert_int_equal(r.bytes_read, 400000);
    /* The offset of the part, and a loss on the way. */
    static const char count[] =
        "struct P { first : u32 }\n"
        "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        "@group(0) @binding(1) var<uniform> p : P;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < arrayLength(&y) { y[id.x] = p.first + id.x; }\n}\n";
    uint32_t  zero = 0, *y = calloc(64000, sizeof *y);
    weft_execute_input  in = {.name = "p.first", .data = &zero};
    weft_execute_output out = {.name = "y", .type = WEFT_SCALAR_U32, .shape = {64000},
                               .data = y, .split = true};
    weft_execute_desc d = {.wgsl = count, .inputs = &in, .input_count = 1, .outputs = &out,
                           .output_count = 1, .split_unit = 64, .split_offset = "p.first"};
    for (int round = 0; round < 3; round++) {
        memset(y, 0xFF, 64000 * sizeof *y);
        d.groups[0] = round == 1 ? 1000 : 0;
        atomic_store(&s.b.state->lose_next, round == 2);
        weft_execute(s.ctx, &d, &r);
        expect_ok(&r);
        assert_int_equal(r.parts, 2);
        for (uint32_t i = 0; i < 64000; i++)
            if (y[i] != i)
                fail_msg("y[%u] is %u", i, y[i]);
    }
    assert_int_equal(r.attempts, 2);
    /* What cannot be divided. */
    out.split = false;
    weft_execute(s.ctx, &d, &r);
    expect_error(&r, WEFT_ERROR_INVALID, "must be divided, too");
    out.split = true;
    d.split_offset = "p.nothing";
    weft_execute(s.ctx, &d, &r);
    expect_error(&r, WEFT_ERROR_NOT_FOUND, "p.nothing");
    d.split_offset = "p.first";
    d.split_unit = 64000;
    weft_execute(s.ctx, &d, &r);
    expect_ok(&r);
    assert_int_equal(r.parts, 1);
    free(y);
    scale_fini(&j);
    teardown(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_a_flood_does_not_starve_others),
        cmocka_unit_test(test_shares_follow_weights),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_an_execution_quota),
        cmocka_unit_test(test_small_kernels_share_a_submit),
        cmocka_unit_test(test_a_wrong_one_in_a_batch_harms_no_other),
        cmocka_unit_test(test_an_idle_device_steals),
        cmocka_unit_test(test_shares_follow_speed),
        cmocka_unit_test(test_divisible_executions),
    };
    return cmocka_run_group_tests_name("pool_schedule", tests, NULL, NULL);
}
