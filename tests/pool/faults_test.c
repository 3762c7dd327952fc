/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults_test.c - devices that are lost, kernels that hang, memory that runs out, contexts
 * that go with work in flight: every execution ends once, with its result or an error.
 */
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define MS 1000000ull

static const char endless[] =
    "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
    "@compute @workgroup_size(1) fn main() {\n"
    "  var a = 1u;\n"
    "  while a != 0u { a = (a * 5u) | 1u; }\n"
    "  y[0] = a;\n"
    "}\n";

static weft_pool *standin_pool(const char *const *list, const weft_pool_desc *more)
{
    weft_pool_desc d = more ? *more : (weft_pool_desc){0};
    d.libraries = list;
    d.no_own = true;
    d.backoff_ns = 1;
    d.probe_in_process = true;
    return fixture_pool(&d);
}

/* ---- losses ---- */

static void test_lost_work_runs_again(void **state)
{
    (void)state;
    Standin a = standin_open(0, &(StandinSettings){.name = "a"});
    const char *const list[] = {a.path, NULL};
    weft_pool          *pool = standin_pool(list, NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 4);
    for (int i = 0; i < 3; i++) {
        memset(j.y, 0, 400);
        atomic_store(&a.state->lose_next, true);
        weft_execute(ctx, &j.desc, &r);
        expect_ok(&r);
        scale_check(&j);
        assert_int_equal(r.attempts, 2);
        assert_non_null(strstr(r.note, "'a' was lost"));
    }
    j.desc.no_retry = true;
    atomic_store(&a.state->lose_next, true);
    weft_execute(ctx, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_DEVICE_LOST, "lost");
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    weft_pool_device d;
    weft_pool_device_get(&d, pool, 0);
    assert_int_equal(d.losses, 4);
    assert_int_equal(d.state, WEFT_DEVICE_READY);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_work_moves_to_another_device(void **state)
{
    (void)state;
    Standin a = standin_open(0, &(StandinSettings){.name = "a"});
    Standin b = standin_open(1, &(StandinSettings){.name = "b"});
    const char *const list[] = {a.path, b.path, NULL};
    weft_pool          *pool = standin_pool(list, &(weft_pool_desc){.give_up = 2});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 4);
    j.desc.device = "a";
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    assert_string_equal(r.device, "a");
    /* It cannot be opened any more: after two losses it is given up. */
    atomic_store(&a.state->refuse_devices, true);
    atomic_store(&a.state->lose_next, true);
    weft_execute(ctx, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_UNSUPPORTED, "a: it is not used any more");
    j.desc.device = NULL;
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    assert_string_equal(r.device, "b");
    weft_pool_device d;
    weft_pool_device_get(&d, pool, 0);
    assert_int_equal(d.state, WEFT_DEVICE_GIVEN_UP);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_data_on_a_lost_device(void **state)
{
    (void)state;
    Standin a = standin_open(0, &(StandinSettings){.name = "a"});
    const char *const list[] = {a.path, NULL};
    weft_pool          *pool = standin_pool(list, NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 4);
    weft_pool_data *held = weft_pool_data_create(ctx, &(weft_pool_data_desc){
        .name = "held", .type = WEFT_SCALAR_F32, .shape = {100}, .data = j.x});
    weft_pool_data *gone = weft_pool_data_create(ctx, &(weft_pool_data_desc){
        .name = "gone", .type = WEFT_SCALAR_F32, .shape = {100}, .data = j.x,
        .device_only = true});
    for (int i = 0; i < 2; i++) {       /* both on the device; then with a loss */
        j.inputs[0] = (weft_execute_input){.name = "x", .resident = held};
        if (i)
            atomic_store(&a.state->lose_next, true);
        weft_execute(ctx, &j.desc, &r);
        expect_ok(&r);
        scale_check(&j);
        j.inputs[0] = (weft_execute_input){.name = "x", .resident = gone};
        weft_execute(ctx, &j.desc, &r);
        if (i)
            expect_error(&r, WEFT_ERROR_DEVICE_LOST, "'gone' was on a device that was lost");
        else
            expect_ok(&r);
    }
    assert_false(weft_pool_data_read(j.y, gone, 0, 400));
    assert_true(weft_pool_data_write(gone, 0, j.x, 400));
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    weft_pool_data_release(held);
    weft_pool_data_release(gone);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

/* ---- kernels that do not end ---- */

static void test_a_kernel_that_hangs(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(&(weft_pool_desc){
        .dispatch_deadline = 2000 * MS, .backoff_ns = 1});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 4);
    weft_execute_output y = {.name = "y", .size = 4};
    weft_execute(ctx, &(weft_execute_desc){.wgsl = endless, .outputs = &y, .output_count = 1},
                 &r);
    expect_error(&r, WEFT_ERROR_TIMEOUT, "deadline");
    assert_int_equal(r.attempts, 1);
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    scale_check(&j);
    weft_pool_data *data = weft_pool_data_create(ctx, &(weft_pool_data_desc){.size = 4});
    y = (weft_execute_output){.name = "y", .resident = data};
    weft_execute(ctx, &(weft_execute_desc){.wgsl = endless, .outputs = &y, .output_count = 1},
                 &r);
    expect_error(&r, WEFT_ERROR_TIMEOUT, "deadline");
    weft_pool_data_release(data);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_a_time_limit(void **state)
{
    (void)state;
    Standin slow = standin_open(0, &(StandinSettings){.name = "slow", .launch_ns = 3e9});
    const char *const list[] = {slow.path, NULL};
    weft_pool          *pool = standin_pool(list, &(weft_pool_desc){.sample_ns = 5 * MS});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 4);
    j.desc.time_limit = 1000 * MS;
    weft_execute(ctx, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_TIMEOUT, "time limit");
    assert_true(r.samples > 0);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

/* A deadline ends the wait for a kernel that still runs; the next one gets another device. The
 * pool's own deadline, later, ends the thread that it runs on. */
static void test_a_deadline_while_it_runs(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(&(weft_pool_desc){
        .dispatch_deadline = 3000 * MS, .backoff_ns = 1});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 4);
    weft_execute_output y = {.name = "y", .size = 4};
    for (int i = 0; i < 2; i++) {
        weft_execute(ctx, &(weft_execute_desc){.wgsl = endless, .outputs = &y, .output_count = 1,
                                               .deadline = 1000 * MS}, &r);
        expect_error(&r, WEFT_ERROR_TIMEOUT, "deadline");
        assert_true(r.attempts <= 1);
    }
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    scale_check(&j);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_a_library_that_does_not_return(void **state)
{
    (void)state;
    /* Its thread may still be inside when the test ends: no other test uses it. */
    Standin a = standin_open(2, &(StandinSettings){.name = "a"});
    Standin b = standin_open(1, &(StandinSettings){.name = "b"});
    const char *const list[] = {a.path, b.path, NULL};
    weft_pool          *pool = standin_pool(list, NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j, k;
    scale_init(&j, 100, 4);
    scale_init(&k, 50, 5);
    atomic_store(&a.state->hold_submits, true);
    j.desc.device = "a";
    j.desc.time_limit = 500 * MS;
    weft_execute(ctx, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_TIMEOUT, "did not return");
    weft_execute(ctx, &k.desc, &r);
    expect_ok(&r);
    scale_check(&k);
    assert_string_equal(r.device, "b");
    weft_pool_device d;
    weft_pool_device_get(&d, pool, 0);
    assert_int_equal(d.state, WEFT_DEVICE_GIVEN_UP);
    /* The caller's memory is its own again: the library must not write to it later. */
    memset(j.y, 0, 400);
    scale_fini(&k);
    weft_pool_context_release(ctx);
    weft_pool_release(pool);
    atomic_store(&a.state->hold_submits, false);
    while (atomic_load(&a.state->held))
        sched_yield();
    for (uint32_t i = 0; i < 100; i++)
        assert_true(j.y[i] == 0);
    scale_fini(&j);
}

/* ---- memory ---- */

static void test_memory_runs_out(void **state)
{
    (void)state;
    Standin a = standin_open(0, &(StandinSettings){.name = "a", .memory = 4 << 20});
    const char *const list[] = {a.path, NULL};
    weft_pool          *pool = standin_pool(list, NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j, large;
    scale_init(&j, 1000, 4);
    scale_init(&large, 1 << 20, 4);
    weft_execute(ctx, &large.desc, &r);
    expect_error(&r, WEFT_ERROR_MEMORY, "the budget of the device is 3145728");
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    /* Eight times half a megabyte of data do not fit: some leave, none is lost. */
    weft_pool_data *data[8];
    float          *numbers = malloc(1 << 19);
    for (int i = 0; i < 8; i++) {
        for (uint32_t k = 0; k < 1 << 17; k++)
            numbers[k] = (float)(k % 1000 + (uint32_t)i);
        data[i] = weft_pool_data_create(ctx, &(weft_pool_data_desc){
            .type = WEFT_SCALAR_F32, .shape = {1 << 17}, .data = numbers,
            .device_only = i % 2});
    }
    static const char add[] =
        "@group(0) @binding(0) var<storage, read_write> v : array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < arrayLength(&v) { v[id.x] += 1.0; }\n}\n";
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++) {
            weft_execute_input  in = {.name = "v", .resident = data[i]};
            weft_execute_output out = {.name = "v", .resident = data[i]};
            weft_execute(ctx, &(weft_execute_desc){
                .wgsl = add, .inputs = &in, .input_count = 1, .outputs = &out,
                .output_count = 1}, &r);
            expect_ok(&r);
        }
    }
    weft_pool_snapshot s;
    weft_pool_snapshot_get(&s, pool, 0);
    assert_true(s.evicted > 0);
    assert_true(s.memory_peak <= 3 << 20);
    for (int i = 0; i < 8; i++) {
        assert_true(weft_pool_data_read(numbers, data[i], 0, 1 << 19));
        for (uint32_t k = 0; k < 1 << 17; k++)
            if (numbers[k] != (float)(k % 1000 + (uint32_t)i + 3))
                fail_msg("data %d, element %u is %g", i, k, (double)numbers[k]);
        weft_pool_data_release(data[i]);
    }
    free(numbers);
    scale_fini(&j);
    scale_fini(&large);
    fixture_release(pool, ctx);
}

/* ---- contexts that go ---- */

static void count_end(void *user, weft_execution *e, const weft_execute_report *r)
{
    (void)e;
    (void)r;
    atomic_fetch_add((atomic_uint *)user, 1);
}

static void test_contexts_go_with_work_in_flight(void **state)
{
    (void)state;
    atomic_uint ended = 0;
    Standin a = standin_open(0, &(StandinSettings){.name = "a"});
    const char *const list[] = {a.path, NULL};
    weft_pool *pool = standin_pool(list, NULL);
    ScaleJob   j;
    scale_init(&j, 100, 4);
    j.desc.callback = count_end;
    j.desc.user = &ended;
    j.output.data = NULL;
    weft_execution *kept[20];
    atomic_store(&a.state->hold_submits, true);
    for (int i = 0; i < 20; i++) {
        weft_pool_context *ctx = fixture_context(pool);
        kept[i] = weft_execute_async(ctx, &j.desc);
        for (int k = 0; k < 4; k++)
            weft_execution_release(weft_execute_async(ctx, &j.desc));
        weft_pool_context_release(ctx);
    }
    atomic_store(&a.state->hold_submits, false);
    uint32_t cancelled = 0;
    for (int i = 0; i < 20; i++) {
        weft_execute_report r;
        assert_true(weft_execution_wait(kept[i], WEFT_OFF));
        assert_true(weft_execution_report(&r, kept[i]));
        cancelled += r.error.kind == WEFT_ERROR_CANCELLED;
        assert_true(!r.error.kind || r.error.kind == WEFT_ERROR_CANCELLED);
        weft_execution_release(kept[i]);
    }
    assert_true(cancelled >= 18);       /* all but what ran already */
    while (atomic_load(&ended) < 100)
        sched_yield();
    weft_pool_snapshot s;
    do
        weft_pool_snapshot_get(&s, pool, UINT32_MAX);
    while (s.contexts);
    assert_int_equal(s.executions, 100);
    assert_int_equal(s.memory, 0);
    scale_fini(&j);
    weft_pool_release(pool);
}

/* ---- everything at once ---- */

#define THREADS 4
#define EACH    2500

typedef struct Soak {
    weft_pool  *pool;
    uint32_t    number;
    uint32_t    good, lost, other;
} Soak;

static void soak_count(Soak *s, const weft_execute_report *r, const ScaleJob *j)
{
    if (!r->error.kind) {
        scale_check(j);
        s->good++;
    } else if (r->error.kind == WEFT_ERROR_DEVICE_LOST) {
        s->lost++;
    } else {
        s->other++;
    }
}

/* Blocking ones, and pairs of asynchronous ones of which one may be cancelled. */
static void *soak_main(void *argument)
{
    Soak              *s = argument;
    weft_pool_context *ctx = fixture_context(s->pool);
    ScaleJob           j, k;
    scale_init(&j, 100 + s->number, 3);
    scale_init(&k, 70 + s->number, 5);
    for (uint32_t i = 0; i < EACH; i++) {
        weft_execute_report r;
        if (i % 3) {
            weft_execute(ctx, &j.desc, &r);
            soak_count(s, &r, &j);
            continue;
        }
        weft_execution *e = weft_execute_async(ctx, &k.desc);
        if (i % 9 == 0)
            weft_execution_cancel(e);
        weft_execution_wait(e, WEFT_OFF);
        weft_execution_report(&r, e);
        if (r.error.kind == WEFT_ERROR_CANCELLED)
            s->good++;
        else
            soak_count(s, &r, &k);
        weft_execution_release(e);
    }
    scale_fini(&j);
    scale_fini(&k);
    weft_pool_context_release(ctx);
    return NULL;
}

static void test_ten_thousand_executions_with_losses(void **state)
{
    (void)state;
    Standin a = standin_open(0, &(StandinSettings){.name = "a", .lose_each = 300, .seed = 1});
    Standin b = standin_open(1, &(StandinSettings){.name = "b", .lose_each = 300, .seed = 2});
    const char *const list[] = {a.path, b.path, NULL};
    weft_pool *pool = standin_pool(list, &(weft_pool_desc){.give_up = 1000});
    Soak       soak[THREADS];
    pthread_t  threads[THREADS];
    uint32_t   good = 0, lost = 0, other = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        soak[i] = (Soak){.pool = pool, .number = i};
        pthread_create(&threads[i], NULL, soak_main, &soak[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        good += soak[i].good;
        lost += soak[i].lost;
        other += soak[i].other;
    }
    assert_int_equal(good + lost, THREADS * EACH);
    assert_int_equal(other, 0);
    assert_true(lost < 20);             /* four losses in a row are rare */
    weft_pool_snapshot s;
    do
        weft_pool_snapshot_get(&s, pool, UINT32_MAX);
    while (s.contexts);
    assert_int_equal(s.executions, THREADS * EACH);
    assert_true(s.losses > 0 && s.retried > 0);
    assert_int_equal(s.losses, atomic_load(&a.state->devices_lost)
                               + atomic_load(&b.state->devices_lost));
    assert_int_equal(s.memory, 0);
    weft_pool_release(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_work_runs_again),
        cmocka_unit_test(test_work_moves_to_another_device),
        cmocka_unit_test(test_data_on_a_lost_device),
        cmocka_unit_test(test_a_kernel_that_hangs),
        cmocka_unit_test(test_a_time_limit),
        cmocka_unit_test(test_a_deadline_while_it_runs),
        cmocka_unit_test(test_a_library_that_does_not_return),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_contexts_go_with_work_in_flight),
        cmocka_unit_test(test_ten_thousand_executions_with_losses),
    };
    return cmocka_run_group_tests_name("pool_faults", tests, NULL, NULL);
}
