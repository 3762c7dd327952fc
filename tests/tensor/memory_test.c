/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_test.c - where elements are: budget, eviction, spilling, pins, moves, asynchronous
 * reads, reuse of buffers.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context/fixture.h"
#include "tensor/tensor_priv.h"
#include "tensors.h"

#define MIB  (UINT64_C(1) << 20)
#define EACH (MIB / 4)              /* f32 elements of one tensor                           */

static weft_tensor *block(weft_context *ctx, double value)
{
    float *v = malloc(MIB);
    assert_non_null(v);
    for (uint64_t i = 0; i < EACH; i++)
        v[i] = (float)value + (float)(i % 7);
    weft_tensor *t = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = {EACH}, .data = v });
    fixture_no_error(ctx);
    free(v);
    return t;
}

static void expect_block(weft_tensor *t, double value)
{
    float *v = malloc(MIB);
    assert_non_null(v);
    if (!weft_tensor_read(v, MIB, t))
        fail_msg("%s", weft_context_error(weft_tensor_context(t))->message);
    for (uint64_t i = 0; i < EACH; i++)
        if (v[i] != (float)value + (float)(i % 7))
            fail_msg("element %llu is %g", (unsigned long long)i, (double)v[i]);
    free(v);
}

/* 24 MiB of tensors, and work on all of them, on a device with 8 MiB. */
static void run_three_times_the_budget(const weft_context_desc *desc)
{
    weft_context_desc d = *desc;
    weft_memory       m;
    d.memory_budget = 8 * MIB;
    weft_context *ctx = fixture_context(&d);
    weft_tensor  *list[24];
    for (int i = 0; i < 24; i++)
        list[i] = block(ctx, i);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 24; i++) {
            weft_tensor *next = weft_tensor_add_scalar(list[i], 1);
            assert_true(weft_tensor_eval(&next, 1));
            weft_tensor_release(list[i]);
            list[i] = next;
        }
    weft_context_memory(&m, ctx);
    if (m.peak > m.budget)
        fail_msg("peak %llu of %llu", (unsigned long long)m.peak, (unsigned long long)m.budget);
    assert_true(m.evicted >= 16 * MIB);
    assert_true(m.host + m.disk >= 16 * MIB);
    if (d.spill_dir)
        assert_true(m.disk > 0);
    for (int i = 0; i < 24; i++) {
        expect_block(list[i], i + 2);
        weft_tensor_release(list[i]);
    }
    weft_context_memory(&m, ctx);
    assert_int_equal(m.host + m.disk, 0);
    fixture_release(ctx);
}

static void test_work_larger_than_the_budget(void **state)
{
    (void)state;
    run_three_times_the_budget(&(weft_context_desc){0});
    run_three_times_the_budget(&(weft_context_desc){.memory_mode = WEFT_MEMORY_LOW});
    run_three_times_the_budget(&(weft_context_desc){.memory_mode = WEFT_MEMORY_SPEED});
}

static void test_beyond_the_host_budget_files_are_used(void **state)
{
    (void)state;
    char dir[] = "/tmp/weft-spill-XXXXXX";
    assert_non_null(mkdtemp(dir));
    run_three_times_the_budget(&(weft_context_desc){.host_budget = 4 * MIB, .spill_dir = dir});
    assert_int_equal(rmdir(dir), 0);        /* nothing is left in it */
}

static void test_a_full_host_is_an_error(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){
        .memory_budget = 4 * MIB, .host_budget = MIB });
    weft_tensor *list[8] = {NULL};
    int          n = 0;
    float       *zeros = calloc(EACH, sizeof *zeros);
    while (n < 8 && (list[n] = weft_tensor_create(ctx, &(weft_tensor_desc){
                         .rank = 1, .shape = {EACH}, .data = zeros })) != NULL)
        n++;
    assert_true(n < 8);
    fixture_expect_error(ctx, WEFT_ERROR_MEMORY, "");
    while (n-- > 0)
        weft_tensor_release(list[n]);
    free(zeros);
    fixture_release(ctx);
}

static void test_pinned_tensors_stay(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){.memory_budget = 4 * MIB});
    weft_tensor  *pinned = block(ctx, 1), *free_[6];
    assert_true(weft_tensor_pin(pinned));
    for (int i = 0; i < 6; i++)
        free_[i] = block(ctx, 10 + i);
    assert_int_equal(weft_tensor_location(pinned), WEFT_LOCATION_DEVICE);
    assert_int_equal(weft_tensor_location(free_[0]), WEFT_LOCATION_HOST);
    assert_false(weft_tensor_move(pinned, WEFT_LOCATION_HOST));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "pinned");
    weft_tensor_unpin(pinned);
    assert_true(weft_tensor_move(pinned, WEFT_LOCATION_HOST));
    expect_block(pinned, 1);
    for (int i = 0; i < 6; i++) {
        expect_block(free_[i], 10 + i);
        weft_tensor_release(free_[i]);
    }
    weft_tensor_release(pinned);
    fixture_release(ctx);
}

static void test_moves(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = block(ctx, 3), *view = weft_tensor_narrow(x, 0, 1, 2);
    assert_int_equal(weft_tensor_location(x), WEFT_LOCATION_DEVICE);
    assert_true(weft_tensor_move(x, WEFT_LOCATION_BOTH));
    assert_int_equal(weft_tensor_location(x), WEFT_LOCATION_BOTH);
    assert_true(weft_tensor_move(view, WEFT_LOCATION_HOST));    /* the parent moves */
    assert_int_equal(weft_tensor_location(x), WEFT_LOCATION_HOST);
    EXPECT(view, 4, 5);
    EXPECT(weft_tensor_add_scalar(view, 1), 5, 6);              /* use moves it back */
    assert_int_equal(weft_tensor_location(x), WEFT_LOCATION_DEVICE);
    assert_false(weft_tensor_move(x, WEFT_LOCATION_DISK));
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "spill_dir");
}

static void test_borrowed_data_is_read_on_first_use(void **state)
{
    weft_context *ctx = *state;
    static float  data[4] = {1, 2, 3, 4};
    weft_tensor  *x = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = {4}, .data = data, .borrow = true });
    assert_int_equal(weft_tensor_location(x), WEFT_LOCATION_HOST);
    EXPECT(weft_tensor_square(x), 1, 4, 9, 16);
    assert_int_equal(weft_tensor_location(x), WEFT_LOCATION_BOTH);
    float other[4] = {5, 6, 7, 8};
    assert_true(weft_tensor_write(x, other, sizeof other));
    EXPECT(x, 5, 6, 7, 8);
    assert_true(data[0] == 1);
}

static void test_memory_of_the_caller(void **state)
{
    weft_context *ctx = *state;
    float         data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = data,
                                                                 .data_size = sizeof data});
    weft_tensor  *x = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = {4}, .buffer = b, .buffer_offset = 16 });
    EXPECT(weft_tensor_add_scalar(x, 1), 5, 6, 7, 8);
    assert_true(weft_tensor_assign(x, weft_tensor_scalar(ctx, 9)));
    assert_true(weft_buffer_read(data, b, 0, sizeof data));
    assert_true(data[3] == 3 && data[4] == 9 && data[7] == 9);
    assert_false(weft_tensor_move(x, WEFT_LOCATION_HOST));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "memory of the caller");
    weft_tensor_memory m;
    assert_true(weft_tensor_memory_get(&m, x));
    assert_ptr_equal(m.buffer, b);
    assert_int_equal(m.offset, 4);
    weft_tensor_unpin(x);
    weft_buffer_release(b);
}

typedef struct Seen {
    int   calls;
    float first;
    bool  ok;
} Seen;

static void seen(void *user, bool ok, const void *data, uint64_t size)
{
    Seen *s = user;
    s->calls++;
    s->ok = ok && size == 12;
    s->first = ok ? *(const float *)data : 0;
}

static void test_asynchronous_reads(void **state)
{
    weft_context *ctx = *state;
    Seen          s = {0};
    weft_tensor  *x = weft_tensor_add_scalar(tensor_count(ctx, SHAPE(2, 3), 0), 1);
    WGPUFuture    f = weft_tensor_read_async(weft_tensor_select(x, 0, 1), seen, &s);
    assert_true(weft_context_wait_future(ctx, f, WEFT_OFF));
    assert_int_equal(s.calls, 1);
    assert_true(s.ok && s.first == 4);
    weft_tensor_read_async(NULL, seen, &s);
    assert_int_equal(s.calls, 2);
    assert_false(s.ok);
}

/* Of a tensor and of a copy of it, since a view with steps is packed first. */
static void test_reads_under_way_end_with_the_context(void **state)
{
    (void)state;
    for (int packs = 0; packs < 2; packs++) {
        weft_context *ctx = fixture_context(NULL);
        Seen          s = {.ok = true};
        weft_tensor  *x = tensor_count(ctx, SHAPE(3, 3), 1);
        weft_tensor  *v = weft_tensor_select(x, packs, 1);
        assert_true(weft_tensor_read_async(v, seen, &s).id != 0);
        weft_tensor_release(v);
        weft_tensor_release(x);
        assert_int_equal(s.calls, 0);
        weft_context_release(ctx);
        assert_int_equal(s.calls, 1);
        assert_false(s.ok);
    }
}

static void test_reads_outlive_the_scope_of_their_tensor(void **state)
{
    weft_context *ctx = *state;
    Seen          s = {0};
    weft_tensor_scope_begin(ctx);
    weft_tensor *x = tensor_count(ctx, SHAPE(3, 3), 1);
    WGPUFuture   f = weft_tensor_read_async(weft_tensor_select(x, 1, 1), seen, &s);
    weft_tensor_scope_end(ctx, NULL, 0);
    weft_tensor *other = tensor_count(ctx, SHAPE(3, 3), 100);
    assert_true(weft_tensor_eval(&other, 1));
    assert_true(weft_context_wait_future(ctx, f, WEFT_OFF));
    assert_int_equal(s.calls, 1);
    assert_true(s.ok && s.first == 2);
}

static void test_dead_buffers_are_reused(void **state)
{
    weft_context *ctx = *state;
    weft_memory   m;
    weft_tensor  *x = block(ctx, 0);
    weft_tensor  *max = NULL;
    assert_true(weft_context_wait(ctx));
    weft_context_memory_reset_peak(ctx);
    for (int i = 0; i < 12; i++) {  /* a chain that cannot be one kernel */
        max = weft_tensor_max(x, WEFT_AXIS_KEEP(0));
        x = weft_tensor_sub(x, max);
        x = weft_tensor_cumsum(x, 0, NULL);
        x = weft_tensor_mul_scalar(x, 0.001);
    }
    assert_true(weft_tensor_eval(&x, 1));
    weft_context_memory(&m, ctx);
    if (m.peak > 5 * MIB)
        fail_msg("24 temporaries of 1 MiB took %llu bytes", (unsigned long long)m.peak);
}

/* Products copy their matrix to panels: the panels of one are those of the next. */
static void test_temporaries_are_reused(void **state)
{
    weft_context *ctx = *state;
    weft_memory   m;
    weft_tensor  *w = weft_tensor_reshape(block(ctx, -3), SHAPE(512, 512));
    weft_tensor  *x = weft_tensor_full(ctx, WEFT_F32, SHAPE(64, 512), 1);
    assert_true(weft_tensor_eval(&x, 1) && weft_context_wait(ctx));
    weft_context_trim(ctx, 0);
    weft_context_memory(&m, ctx);
    uint64_t before = m.live;
    weft_context_memory_reset_peak(ctx);
    for (int i = 0; i < 12; i++)
        x = weft_tensor_linear(x, w, NULL, WEFT_ACTIVATION_TANH);
    assert_true(weft_tensor_eval(&x, 1));
    weft_context_memory(&m, ctx);
    if (m.peak - before > 4 * MIB)
        fail_msg("12 products took %llu bytes", (unsigned long long)(m.peak - before));
}

/* Bindings of at most 4 KiB: everything larger runs in parts. */
static void test_tensors_above_the_limit_of_a_binding(void **state)
{
    weft_context *ctx = *state;
    double        sums[70], means[70];
    weft_tensor  *x = tensor_count(ctx, SHAPE(70, 50), 0), *b = tensor_count(ctx, SHAPE(50), 0);
    for (int i = 0; i < 70; i++) {
        sums[i] = 50.0 * 100 * i + 25 * 49;
        means[i] = sums[i] / 50;
    }
    tensor_state(ctx)->binding_limit = 4096;
    weft_tensor *y = weft_tensor_sub(weft_tensor_mul_scalar(x, 2), b);
    expect_near(weft_tensor_sum(y, WEFT_AXIS(1)), sums, 70, 1e-6);
    expect_near(weft_tensor_mean(y, WEFT_AXIS(1)), means, 70, 1e-6);
    EXPECT(weft_tensor_max(y, NULL), 2 * 3499 - 49);
    EXPECT(weft_tensor_narrow(weft_tensor_reshape(y, SHAPE(3500)), 0, 3000, 3),
           6000, 6001, 6002);
    weft_tensor *z = weft_tensor_add(weft_tensor_flip(y, 0), y);
    EXPECT(weft_tensor_narrow(weft_tensor_select(z, 0, 3), 0, 0, 2), 6900, 6902);
    weft_tensor *flat = weft_tensor_cast(weft_tensor_reshape(x, SHAPE(3500)), WEFT_BF16);
    EXPECT(weft_tensor_narrow(flat, 0, 255, 3), 255, 256, 256);
    tensor_state(ctx)->binding_limit = UINT32_MAX;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_larger_than_the_budget),
        cmocka_unit_test(test_beyond_the_host_budget_files_are_used),
        cmocka_unit_test(test_a_full_host_is_an_error),
        cmocka_unit_test(test_pinned_tensors_stay),
        TEST(test_moves),
        TEST(test_borrowed_data_is_read_on_first_use),
        TEST(test_memory_of_the_caller),
        TEST(test_asynchronous_reads),
        cmocka_unit_test(test_reads_under_way_end_with_the_context),
        TEST(test_reads_outlive_the_scope_of_their_tensor),
        TEST(test_dead_buffers_are_reused),
        TEST(test_temporaries_are_reused),
        TEST(test_tensors_above_the_limit_of_a_binding),
    };
    return cmocka_run_group_tests_name("tensor_memory", tests, NULL, NULL);
}
