/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_test.c - the memory budget: pools, evictors, peaks, and what happens when nothing
 * is left.
 */
#include "support/test.h"

#include <string.h>

#include "context/buffer_priv.h"
#include "fixture.h"

#define MIB ((uint64_t)1 << 20)

static void test_classes_hold_their_sizes(void **state)
{
    (void)state;
    uint32_t last = 0;
    uint64_t before = 0;
    for (uint64_t size = 1; size < MIB * 64; size += size / 37 + 1) {
        uint64_t capacity, again;
        uint32_t class = pool_class(size, &capacity);
        assert_true(capacity >= size);
        assert_true(capacity % 4 == 0);
        assert_true(size < 2048 || capacity - size <= size / 8 + 1);
        assert_true(class >= last && class < POOL_CLASSES);
        assert_true((class == last) == (capacity == before) || before == 0);
        assert_int_equal(pool_class(capacity, &again), class);
        assert_int_equal(again, capacity);
        last = class;
        before = capacity;
    }
    uint64_t capacity;
    assert_true(pool_class((uint64_t)1 << 46, &capacity) < POOL_CLASSES);
}

static void test_freed_buffers_are_counted_and_used_again(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    weft_memory   m;
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB});
    weft_context_memory(&m, ctx);
    assert_int_equal(m.live, MIB);
    assert_int_equal(m.pooled, 0);
    weft_buffer_release(b);
    weft_context_memory(&m, ctx);
    assert_int_equal(m.live, 0);
    assert_int_equal(m.pooled, MIB);
    b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB - 8});
    weft_context_memory(&m, ctx);
    assert_int_equal(m.live, MIB);
    assert_int_equal(m.peak, MIB);
    weft_buffer_release(b);
    weft_context_trim(ctx, 0);
    weft_context_memory(&m, ctx);
    assert_int_equal(m.pooled, 0);
    weft_context_memory_reset_peak(ctx);
    weft_context_memory(&m, ctx);
    assert_int_equal(m.peak, 0);
    fixture_release(ctx);
}

static void test_low_memory_keeps_no_free_buffers(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){.memory_mode = WEFT_MEMORY_LOW});
    weft_memory   m;
    weft_buffer_release(weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB}));
    weft_context_memory(&m, ctx);
    assert_int_equal(m.live + m.pooled, 0);
    fixture_release(ctx);
}

static void test_the_budget_holds(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){.memory_budget = 8 * MIB});
    weft_buffer  *kept[8];
    weft_memory   m;
    for (int i = 0; i < 8; i++)
        kept[i] = weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB});
    fixture_no_error(ctx);
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.size = 4}));
    fixture_expect_error(ctx, WEFT_ERROR_MEMORY, "budget of 8388608 bytes");
    for (int i = 0; i < 8; i++)
        weft_buffer_release(kept[i]);
    /* Free buffers of another size give way. */
    weft_buffer *large = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 7 * MIB});
    assert_non_null(large);
    weft_context_memory(&m, ctx);
    assert_true(m.peak <= 8 * MIB);
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.size = 9 * MIB}));
    fixture_expect_error(ctx, WEFT_ERROR_MEMORY, "does not fit");
    weft_buffer_release(large);
    fixture_release(ctx);
}

typedef struct Hoard {
    weft_context *ctx;
    weft_buffer  *kept[8];
    uint32_t      count, calls;
} Hoard;

static uint64_t give_one(void *user, uint64_t bytes)
{
    Hoard *h = user;
    h->calls++;
    if (!h->count)
        return 0;
    weft_buffer *b = h->kept[--h->count];
    uint64_t     size = weft_buffer_size(b);
    /* Memory is needed to give memory back: must not end in another eviction. */
    uint32_t word;
    assert_true(bytes > 0);
    (void)weft_buffer_read(&word, b, 0, 4);
    weft_context_error_clear(h->ctx);
    weft_buffer_release(b);
    context_account_moved(h->ctx, (int64_t)size, 0, size);
    return size;
}

static void test_layers_give_memory_back(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){.memory_budget = 8 * MIB});
    Hoard         h = {.ctx = ctx};
    weft_memory   m;
    context_add_evictor(ctx, give_one, &h);
    for (; h.count < 7; h.count++)
        h.kept[h.count] = weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB});
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB + MIB / 2});
    assert_non_null(b);
    assert_int_equal(h.calls, 1);
    weft_context_memory(&m, ctx);
    assert_int_equal(m.evicted, MIB);
    assert_int_equal(m.host, MIB);
    assert_true(m.peak <= 8 * MIB);
    assert_true(weft_context_counter(ctx, "context.evictions") == 1);
    context_remove_evictor(ctx, give_one, &h);
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.size = 2 * MIB}));
    fixture_expect_error(ctx, WEFT_ERROR_MEMORY, "budget");
    while (h.count)
        weft_buffer_release(h.kept[--h.count]);
    weft_buffer_release(b);
    fixture_release(ctx);
}

static void test_budgets_of_contexts_on_one_device_are_their_own(void **state)
{
    (void)state;
    weft_context *a = fixture_context(&(weft_context_desc){.memory_budget = MIB});
    weft_context *b = fixture_context(&(weft_context_desc){.share = a, .memory_budget = 4 * MIB});
    assert_null(weft_buffer_create(a, &(weft_buffer_desc){.size = 2 * MIB}));
    weft_buffer *large = weft_buffer_create(b, &(weft_buffer_desc){.size = 2 * MIB});
    assert_non_null(large);
    fixture_expect_error(a, WEFT_ERROR_MEMORY, "budget");
    fixture_release(a);
    weft_buffer_release(large);
    fixture_release(b);
}

static void test_a_budget_may_be_off(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){.memory_budget = WEFT_OFF});
    weft_memory   m;
    weft_context_memory(&m, ctx);
    assert_true(m.budget == UINT64_MAX);
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = MIB});
    assert_non_null(b);
    weft_buffer_release(b);
    fixture_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_hold_their_sizes),
        cmocka_unit_test(test_freed_buffers_are_counted_and_used_again),
        cmocka_unit_test(test_low_memory_keeps_no_free_buffers),
        cmocka_unit_test(test_the_budget_holds),
        cmocka_unit_test(test_layers_give_memory_back),
        cmocka_unit_test(test_budgets_of_contexts_on_one_device_are_their_own),
        cmocka_unit_test(test_a_budget_may_be_off),
    };
    return cmocka_run_group_tests_name("context_memory", tests, NULL, NULL);
}
