/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_test.c - errors, log, counters, slots, the loss of a device.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "fixture.h"

/* ---- errors ---- */

static void test_every_kind_has_a_name_a_status_and_a_meaning(void **state)
{
    (void)state;
    for (int kind = 1; kind < WEFT_ERROR_KIND_COUNT; kind++) {
        assert_non_null(weft_error_kind_name((weft_error_kind)kind));
        assert_non_null(weft_error_kind_meaning((weft_error_kind)kind));
        assert_in_range(weft_error_kind_http((weft_error_kind)kind), 400, 599);
    }
    assert_string_equal(weft_error_kind_name(WEFT_ERROR_NONE), "none");
    assert_null(weft_error_kind_meaning(WEFT_ERROR_KIND_COUNT));
    assert_int_equal(weft_error_kind_http((weft_error_kind)-1), 0);
    assert_string_equal(weft_error_kind_name(WEFT_ERROR_DEVICE_LOST), "device-lost");
}

static void test_the_first_error_is_kept(void **state)
{
    (void)state;
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    const char *names[] = {"x", "y", "a name that is longer than what fits: "
        "0123456789012345678901234567890123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789", "z", "one too many", NULL};
    assert_true(context_ok(ctx));
    assert_false(context_fail_names(ctx, WEFT_ERROR_SHAPE, names, "%d and %d do not fit", 2, 3));
    assert_false(context_fail(ctx, WEFT_ERROR_TYPE, "second"));
    const weft_error *e = weft_context_error(ctx);
    assert_int_equal(e->kind, WEFT_ERROR_SHAPE);
    assert_string_equal(e->message, "2 and 3 do not fit");
    assert_int_equal(e->name_count, 4);
    assert_string_equal(e->names[1], "y");
    assert_string_equal(e->names[3], "z");
    assert_false(context_ok(ctx));
    weft_context_error_clear(ctx);
    assert_int_equal(weft_context_error(ctx)->kind, WEFT_ERROR_NONE);
    assert_string_equal(weft_context_error(ctx)->message, "");
    assert_null(weft_context_error(ctx)->names[0]);
    assert_true(context_ok(ctx));
    assert_int_equal(weft_context_counter(ctx, "context.errors"), 2);
    assert_false(context_fail(NULL, WEFT_ERROR_TYPE, "no context"));
    weft_context_release(ctx);
}

/* ---- log ---- */

typedef struct Log {
    uint32_t counts[8];
    char     last[8][200];
} Log;

static void on_log(void *user, weft_log_topic topic, const char *message)
{
    Log *log = user;
    log->counts[topic]++;
    strncpy(log->last[topic], message, sizeof log->last[topic] - 1);
}

static void test_the_log_hears_of_everything(void **state)
{
    (void)state;
    Log           log = {0};
    weft_context *ctx = fixture_context(&(weft_context_desc){.log = on_log, .log_user = &log});
    assert_int_equal(log.counts[WEFT_LOG_DEVICE], 1);
    assert_string_equal(log.last[WEFT_LOG_DEVICE], weft_context_device(ctx)->reason);
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = "@group(0) @binding(0) var<storage, read_write> x : array<u32>;\n"
                "@compute @workgroup_size(4) fn main() { x[0] += 1u; }", .label = "increment"});
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 16});
    assert_true(weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = p, .bindings = &(weft_binding){.buffer = b}, .binding_count = 1,
        .groups = {2, 3, 1}}));
    assert_int_equal(log.counts[WEFT_LOG_COMPILE], 1);
    assert_non_null(strstr(log.last[WEFT_LOG_COMPILE], "increment"));
    assert_true(log.counts[WEFT_LOG_MEMORY] >= 1);
    assert_int_equal(log.counts[WEFT_LOG_OPERATION], 1);
    assert_string_equal(log.last[WEFT_LOG_OPERATION],
                        "increment: 2 x 3 x 1 workgroups of 4 x 1 x 1");
    assert_false(weft_context_dispatch(ctx, NULL));
    assert_int_equal(log.counts[WEFT_LOG_ERROR], 1);
    weft_context_error_clear(ctx);
    weft_buffer_release(b);
    weft_pipeline_release(p);
    fixture_release(ctx);
}

/* ---- counters, slots ---- */

static void test_layers_add_counters(void **state)
{
    (void)state;
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    uint32_t      count = weft_context_counter_count(ctx);
    weft_counter  c;
    assert_int_equal(weft_context_counter(ctx, "test.things"), 0);
    context_count(ctx, "test.things", "count", 2);
    context_count(ctx, "test.things", "count", 3);
    context_gauge(ctx, "test.level", "bytes", 7);
    context_gauge(ctx, "test.level", "bytes", 5);
    assert_int_equal(weft_context_counter_count(ctx), count + 2);
    assert_int_equal(weft_context_counter(ctx, "test.things"), 5);
    assert_int_equal(weft_context_counter(ctx, "test.level"), 5);
    assert_true(weft_context_counter_get(&c, ctx, count));
    assert_string_equal(c.name, "test.things");
    assert_false(weft_context_counter_get(&c, ctx, count + 2));
    weft_context_release(ctx);
}

static void fini_slot(void *slot)
{
    ++*(int *)slot;
}

static void test_slots_end_with_the_context(void **state)
{
    (void)state;
    int           ended = 0;
    weft_context *ctx = fixture_context(NULL);
    assert_null(context_slot(ctx, CONTEXT_TENSOR));
    context_set_slot(ctx, CONTEXT_TENSOR, &ended, fini_slot);
    assert_ptr_equal(context_slot(ctx, CONTEXT_TENSOR), &ended);
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 16});
    weft_context_release(weft_context_retain(ctx));
    fixture_release(ctx);
    assert_int_equal(ended, 0);             /* the buffer keeps the context */
    weft_buffer_release(b);
    assert_int_equal(ended, 1);
}

/* ---- loss ---- */

static void test_a_deadline_loses_the_device(void **state)
{
    (void)state;
    if (getenv("WEFT_WEBGPU") || getenv("WEFT_TEST_BACKEND"))
        skip();                             /* deadlines of drivers: tests/gpu */
    weft_context *ctx = fixture_context(&(weft_context_desc){.dispatch_deadline = 20000000});
    weft_context *other = fixture_context(&(weft_context_desc){.share = ctx});
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = "@group(0) @binding(0) var<storage, read_write> x : array<u32>;\n"
                "@compute @workgroup_size(1) fn main() {\n"
                "    loop { x[0] += 1u; if x[1] == 1u { break; } }\n}", .label = "endless"});
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 16});
    uint32_t     word;
    assert_true(weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = p, .bindings = &(weft_binding){.buffer = b}, .binding_count = 1}));
    assert_false(weft_context_wait(ctx));
    fixture_expect_error(ctx, WEFT_ERROR_DEVICE_LOST, "endless");
    assert_false(weft_buffer_read(&word, b, 0, 4));
    fixture_expect_error(ctx, WEFT_ERROR_DEVICE_LOST, "lost");
    assert_null(weft_buffer_create(other, &(weft_buffer_desc){.size = 16}));
    fixture_expect_error(other, WEFT_ERROR_DEVICE_LOST, "lost");
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = fixture_axpy}));
    assert_false(weft_context_dispatch(ctx, &(weft_dispatch){.pipeline = p}));
    weft_buffer_release(b);
    weft_pipeline_release(p);
    weft_context_release(other);
    weft_context_release(ctx);
}

static void test_a_destroyed_device_is_lost(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 16});
    uint32_t      word;
    WGPUProcDeviceDestroy destroy =
        (WGPUProcDeviceDestroy)weft_context_wgpu_proc(ctx, "wgpuDeviceDestroy");
    destroy(weft_context_wgpu_device(ctx));
    assert_false(weft_buffer_read(&word, b, 0, 4));
    fixture_expect_error(ctx, WEFT_ERROR_DEVICE_LOST, "lost");
    assert_false(context_ok(ctx));
    weft_buffer_release(b);
    weft_context_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_has_a_name_a_status_and_a_meaning),
        cmocka_unit_test(test_the_first_error_is_kept),
        cmocka_unit_test(test_the_log_hears_of_everything),
        cmocka_unit_test(test_layers_add_counters),
        cmocka_unit_test(test_slots_end_with_the_context),
        cmocka_unit_test(test_a_deadline_loses_the_device),
        cmocka_unit_test(test_a_destroyed_device_is_lost),
    };
    return cmocka_run_group_tests_name("context_state", tests, NULL, NULL);
}
