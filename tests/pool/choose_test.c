/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose_test.c - which device each policy takes, the ranking of weft_pool_choose() and the
 * text of weft_pool_explain(). Three stand-ins have written profiles, so that every expected
 * time is computed by hand.
 */
#include "support/test.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "fixture.h"

enum { DISCRETE, INTEGRATED, PROCESSOR, DEVICES };

#define N  1000000u                     /* elements: 1e6 operations, 4e6 bytes each way    */
#define MB ((uint64_t)1 << 20)

/* Three quarters of the memory are the budget. The free memory is ordered differently from
 * the speed, the power and the index. */
static const StandinSettings kinds[DEVICES] = {
    [DISCRETE] = {.name = "card", .type = "discrete", .memory = 56 * MB},
    [INTEGRATED] = {.name = "chip", .type = "integrated", .memory = 32 * MB, .no_f16 = true},
    [PROCESSOR] = {.name = "processor", .memory = 64 * MB},
};

/* Integer operations and the caches never decide. In milliseconds for N elements:
 *              arithmetic  memory  launch  upload  read  total
 *   card            0.001    0.01    0.03       1     1   2.04
 *   chip             0.25     0.4    0.01     0.1   0.1   0.61
 *   processor           1     0.5   0.001     0.1   0.1  1.201                             */
static const weft_profile profiles[DEVICES] = {
    [DISCRETE] = {.f32_rate = 1e12, .f16_rate = 1e12, .i32_rate = 1e18, .function_rate = 1e12,
                  .bandwidth = 8e11, .launch_ns = 3e4, .upload_rate = 4e9, .read_rate = 4e9},
    [INTEGRATED] = {.f32_rate = 4e9, .i32_rate = 1e18, .function_rate = 4e9, .bandwidth = 2e10,
                    .launch_ns = 1e4, .upload_rate = 4e10, .read_rate = 4e10},
    [PROCESSOR] = {.f32_rate = 1e9, .f16_rate = 1e9, .i32_rate = 1e18, .function_rate = 1e9,
                   .bandwidth = 1.6e10, .launch_ns = 1e3, .upload_rate = 4e10,
                   .read_rate = 4e10},
};

#define CARD_LINE                                                                           \
    "card: 2.04 ms: queue 0, upload 1, launch 0.03, arithmetic 0.001 or memory 0.01 times "  \
    "1, read 1; uploading the inputs decides\n"
#define CHIP_LINE                                                                           \
    "chip: 0.61 ms: queue 0, upload 0.1, launch 0.01, arithmetic 0.25 or memory 0.4 times "  \
    "1, read 0.1; memory bandwidth decides\n"
#define PROCESSOR_LINE                                                                      \
    "processor: 1.201 ms: queue 0, upload 0.1, launch 0.001, arithmetic 1 or memory 0.5 "    \
    "times 1, read 0.1; arithmetic decides\n"

typedef struct Setup {
    Standin            devices[DEVICES];
    weft_pool         *pool;
    weft_pool_context *ctx;
    ScaleJob           job;
    weft_execution    *held;
} Setup;

static void setup(Setup *s)
{
    const char *paths[DEVICES + 1] = {0};
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < DEVICES; i++) {
        s->devices[i] = standin_open(i, &kinds[i]);
        paths[i] = s->devices[i].path;
    }
    s->pool = fixture_profiled_pool(paths, profiles);
    s->ctx = fixture_context(s->pool);
    scale_init(&s->job, N, 2);
}

static void teardown(Setup *s)
{
    scale_fini(&s->job);
    fixture_release(s->pool, s->ctx);
}

/* An execution of N elements stays inside a submit of the device. */
static void hold(Setup *s, uint32_t device)
{
    weft_execute_desc d = s->job.desc;
    d.policy = WEFT_POLICY_DEVICE;
    d.device = kinds[device].name;
    atomic_store(&s->devices[device].state->hold_submits, true);
    s->held = weft_execute_async(s->ctx, &d);
    assert_non_null(s->held);
    while (!atomic_load(&s->devices[device].state->held))
        sched_yield();
}

static void let_go(Setup *s, uint32_t device)
{
    atomic_store(&s->devices[device].state->hold_submits, false);
    assert_true(weft_execution_wait(s->held, WEFT_OFF));
    weft_execution_release(s->held);
}

static void expect_order(Setup *s, weft_policy policy, uint32_t first, uint32_t second,
                         uint32_t third)
{
    weft_pool_choice c[DEVICES];
    s->job.desc.policy = policy;
    assert_int_equal(weft_pool_choose(c, DEVICES, s->ctx, &s->job.desc), DEVICES);
    if (c[0].device != first || c[1].device != second || c[2].device != third)
        fail_msg("%s takes %u, %u, %u, not %u, %u, %u", weft_policy_name(policy), c[0].device,
                 c[1].device, c[2].device, first, second, third);
    assert_true(c[0].fits && c[1].fits && c[2].fits);
}

/* It runs where the ranking says. */
static void expect_run(Setup *s, weft_policy policy, uint32_t device)
{
    weft_execute_report r;
    s->job.desc.policy = policy;
    weft_execute(s->ctx, &s->job.desc, &r);
    expect_ok(&r);
    scale_check(&s->job);
    assert_int_equal(r.device_index, device);
    assert_string_equal(r.device, kinds[device].name);
}

static void expect_text(Setup *s, const char *expected)
{
    char   text[2000];
    size_t size = weft_pool_explain(text, sizeof text, s->ctx, &s->job.desc);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected) + 1);
}

/* ---- policies ---- */

static void test_performance_ignores_queues(void **state)
{
    (void)state;
    Setup s;
    setup(&s);
    expect_order(&s, WEFT_POLICY_FINISH, INTEGRATED, PROCESSOR, DISCRETE);
    expect_order(&s, WEFT_POLICY_DEFAULT, INTEGRATED, PROCESSOR, DISCRETE);
    expect_order(&s, WEFT_POLICY_PERFORMANCE, INTEGRATED, PROCESSOR, DISCRETE);
    hold(&s, INTEGRATED);               /* 0.61 ms of work wait there */
    expect_order(&s, WEFT_POLICY_FINISH, PROCESSOR, INTEGRATED, DISCRETE);
    expect_order(&s, WEFT_POLICY_PERFORMANCE, INTEGRATED, PROCESSOR, DISCRETE);
    let_go(&s, INTEGRATED);
    teardown(&s);
}

static void test_performance_runs_on_the_fastest(void **state)
{
    (void)state;
    Setup s;
    setup(&s);
    expect_run(&s, WEFT_POLICY_PERFORMANCE, INTEGRATED);
    teardown(&s);
}

static void test_power_takes_a_discrete_gpu_last(void **state)
{
    (void)state;
    Setup s;
    setup(&s);
    expect_order(&s, WEFT_POLICY_POWER, PROCESSOR, INTEGRATED, DISCRETE);
    hold(&s, PROCESSOR);                /* a queue does not change the kind of device */
    expect_order(&s, WEFT_POLICY_POWER, PROCESSOR, INTEGRATED, DISCRETE);
    let_go(&s, PROCESSOR);
    teardown(&s);
    setup(&s);
    expect_run(&s, WEFT_POLICY_POWER, PROCESSOR);
    teardown(&s);
}

static void test_memory_takes_the_most_free_memory(void **state)
{
    (void)state;
    Setup s;
    setup(&s);
    expect_order(&s, WEFT_POLICY_MEMORY, PROCESSOR, DISCRETE, INTEGRATED);  /* 48, 42, 24 MB */
    hold(&s, PROCESSOR);                /* 8 MB of its 48 are used */
    expect_order(&s, WEFT_POLICY_MEMORY, DISCRETE, PROCESSOR, INTEGRATED);
    expect_run(&s, WEFT_POLICY_MEMORY, DISCRETE);
    let_go(&s, PROCESSOR);
    teardown(&s);
}

static void test_round_robin_takes_one_after_the_other(void **state)
{
    (void)state;
    Setup s;
    setup(&s);
    for (uint32_t i = 0; i < DEVICES; i++) {
        /* A ranking is no turn. */
        expect_order(&s, WEFT_POLICY_ROUND_ROBIN, i, (i + 1) % DEVICES, (i + 2) % DEVICES);
        expect_order(&s, WEFT_POLICY_ROUND_ROBIN, i, (i + 1) % DEVICES, (i + 2) % DEVICES);
        expect_run(&s, WEFT_POLICY_ROUND_ROBIN, i);
    }
    expect_order(&s, WEFT_POLICY_ROUND_ROBIN, 0, 1, 2);
    teardown(&s);
}

static void test_a_context_has_a_policy(void **state)
{
    (void)state;
    weft_pool_choice c[DEVICES];
    Setup s;
    setup(&s);
    weft_pool_context *ctx = weft_pool_context_create(s.pool, &(weft_pool_context_desc){
        .policy = WEFT_POLICY_POWER});
    assert_int_equal(weft_pool_choose(c, DEVICES, ctx, &s.job.desc), DEVICES);
    assert_int_equal(c[0].device, PROCESSOR);
    s.job.desc.policy = WEFT_POLICY_FINISH;     /* that of the execution comes first */
    assert_int_equal(weft_pool_choose(c, DEVICES, ctx, &s.job.desc), DEVICES);
    assert_int_equal(c[0].device, INTEGRATED);
    weft_pool_context_release(ctx);
    teardown(&s);
}

static void test_policies_have_names(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < WEFT_POLICY_COUNT; i++) {
        assert_non_null(weft_policy_name((weft_policy)i));
        assert_int_equal(weft_policy_find(weft_policy_name((weft_policy)i)), i);
    }
    assert_null(weft_policy_name(WEFT_POLICY_COUNT));
    assert_int_equal(weft_policy_find("fastest"), WEFT_POLICY_DEFAULT);
    assert_int_equal(weft_policy_find(NULL), WEFT_POLICY_DEFAULT);
}

/* ---- numbers and words ---- */

static void test_choices_have_their_times(void **state)
{
    (void)state;
    weft_pool_choice c[DEVICES];
    Setup s;
    setup(&s);
    assert_int_equal(weft_pool_choose(c, 1, s.ctx, &s.job.desc), 1);
    assert_int_equal(c[0].device, INTEGRATED);
    assert_true(c[0].queue_ns == 0 && c[0].launch_ns == 1e4 && c[0].learned == 1);
    assert_float_equal(c[0].compute_ns, 2.5e5, 1);
    assert_float_equal(c[0].memory_ns, 4e5, 1);
    assert_float_equal(c[0].upload_ns, 1e5, 1);     /* and the two numbers of params */
    assert_float_equal(c[0].read_ns, 1e5, 1);
    assert_float_equal(c[0].total_ns, 6.1e5, 4);
    assert_int_equal(weft_pool_choose(NULL, DEVICES, s.ctx, &s.job.desc), 0);
    assert_int_equal(weft_pool_choose(c, DEVICES, NULL, &s.job.desc), 0);
    assert_int_equal(atomic_load(&s.devices[INTEGRATED].state->submits), 0);   /* nothing ran */
    teardown(&s);
}

static void test_explain_says_what_decides(void **state)
{
    (void)state;
    Setup s;
    setup(&s);
    expect_text(&s, "1. " CHIP_LINE "2. " PROCESSOR_LINE "3. " CARD_LINE);
    s.job.desc.policy = WEFT_POLICY_PERFORMANCE;
    expect_text(&s, "1. " CHIP_LINE "2. " PROCESSOR_LINE "3. " CARD_LINE);
    s.job.desc.policy = WEFT_POLICY_POWER;
    expect_text(&s, "1. " PROCESSOR_LINE "2. " CHIP_LINE "3. " CARD_LINE);
    s.job.desc.policy = WEFT_POLICY_MEMORY;
    expect_text(&s, "1. " PROCESSOR_LINE "2. " CARD_LINE "3. " CHIP_LINE);
    s.job.desc.policy = WEFT_POLICY_ROUND_ROBIN;
    expect_text(&s, "1. " CARD_LINE "2. " CHIP_LINE "3. " PROCESSOR_LINE);
    teardown(&s);
}

static void test_explain_says_why_a_device_cannot(void **state)
{
    (void)state;
    static const char half[] =
        "enable f16;\n"
        "@group(0) @binding(0) var<storage, read_write> y : array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < arrayLength(&y) { y[id.x] = f32(f16(id.x) * 2.0h); }\n}\n";
    char  text[2000], small[8];
    Setup s;
    setup(&s);
    s.job.desc.policy = WEFT_POLICY_DEVICE;
    s.job.desc.device = "card";
    expect_text(&s, "1. " CARD_LINE "   chip: cannot: the policy asks for 'card'\n"
                    "   processor: cannot: the policy asks for 'card'\n");
    /* The start of a text, and its whole size. */
    size_t size = weft_pool_explain(text, sizeof text, s.ctx, &s.job.desc);
    assert_int_equal(weft_pool_explain(NULL, 0, s.ctx, &s.job.desc), size);
    assert_int_equal(weft_pool_explain(small, sizeof small, s.ctx, &s.job.desc), size);
    assert_string_equal(small, "1. card");
    weft_execute_desc d = {.wgsl = half, .outputs = &s.job.output, .output_count = 1};
    weft_pool_explain(text, sizeof text, s.ctx, &d);
    assert_non_null(strstr(text, "\n   chip: cannot: it has no f16\n"));
    d.wgsl = "nothing";
    weft_pool_explain(text, sizeof text, s.ctx, &d);
    assert_null(strstr(text, "card"));
    assert_non_null(strstr(text, "1:1"));
    teardown(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_performance_ignores_queues),
        cmocka_unit_test(test_performance_runs_on_the_fastest),
        cmocka_unit_test(test_power_takes_a_discrete_gpu_last),
        cmocka_unit_test(test_memory_takes_the_most_free_memory),
        cmocka_unit_test(test_round_robin_takes_one_after_the_other),
        cmocka_unit_test(test_a_context_has_a_policy),
        cmocka_unit_test(test_policies_have_names),
        cmocka_unit_test(test_choices_have_their_times),
        cmocka_unit_test(test_explain_says_what_decides),
        cmocka_unit_test(test_explain_says_why_a_device_cannot),
    };
    return cmocka_run_group_tests_name("pool_choose", tests, NULL, NULL);
}
