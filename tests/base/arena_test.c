// SPDX-License-Identifier: Apache-2.0
/*
 * arena_test.c - memory that is given back all at once.
 */
#include "support/test.h"

#include <string.h>

#include "base/arena.h"

static void test_memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    for (size_t size = 1; size < 3000; size = size * 3 / 2 + 1) {
        unsigned char *p = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size);
    }
    arena_fini(&a);
}

static void test_nothing_is_a_place_too(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    assert_non_null(arena_alloc(&a, 0));
    assert_non_null(ARENA_ARRAY(&a, uint32_t, 0));
    arena_fini(&a);
}

static void test_blocks_do_not_overlap(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    Arena a;
    uint32_t *items[COUNT];
    arena_init(&a, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        items[i] = ARENA_ARRAY(&a, uint32_t, i + 1);
        for (uint32_t k = 0; k <= i; k++)
            items[i][k] = i;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k <= i; k++)
            assert_int_equal(items[i][k], i);
    arena_fini(&a);
}

static void test_copy_and_printf(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    assert_memory_equal(arena_copy(&a, "abc", 3), "abc", 3);
    assert_string_equal(arena_printf(&a, "%s %d", "answer", 42), "answer 42");
    assert_string_equal(arena_printf(&a, "%s", ""), "");
    arena_fini(&a);
}

static void test_a_vector_keeps_its_items_while_it_moves(void **state)
{
    (void)state;
    Arena a;
    VEC(uint32_t) v = {0};
    arena_init(&a, 0);
    for (uint32_t i = 0; i < 2000; i++)
        VEC_PUSH(&a, &v, i * 7);
    assert_int_equal(v.len, 2000);
    for (uint32_t i = 0; i < v.len; i++)
        assert_int_equal(v.data[i], i * 7);
    arena_fini(&a);
}

/* ---- running out ---- */

typedef struct Work {
    Arena *arena;
    size_t size;
    int    steps;                   /* that were reached */
    bool   inner;                   /* what a nested arena_try() said */
} Work;

static void allocate_for_ever(void *context)
{
    Work *w = context;
    for (;;) {
        arena_alloc(w->arena, w->size);
        w->steps++;
    }
}

static void allocate_once(void *context)
{
    Work *w = context;
    arena_alloc(w->arena, w->size);
    w->steps++;
}

static void test_the_limit_ends_the_work(void **state)
{
    (void)state;
    Arena a;
    Work w = {.arena = &a, .size = 100};
    arena_init(&a, 100 * 1000);
    assert_false(arena_try(&a, allocate_for_ever, &w));
    assert_in_range(w.steps, 1, 1000);
    assert_true(a.used <= a.limit);
    arena_fini(&a);
}

static void test_work_within_the_limit_succeeds(void **state)
{
    (void)state;
    Arena a;
    Work w = {.arena = &a, .size = 100};
    arena_init(&a, 100 * 1000);
    assert_true(arena_try(&a, allocate_once, &w));
    assert_int_equal(w.steps, 1);
    arena_fini(&a);
}

static void allocate_hugely(void *context)
{
    Work *w = context;
    arena_alloc_array(w->arena, SIZE_MAX / 3, 5);
    w->steps++;
}

static void test_a_product_that_overflows_runs_out(void **state)
{
    (void)state;
    Arena a;
    Work w = {.arena = &a};
    arena_init(&a, 0);
    assert_false(arena_try(&a, allocate_hugely, &w));
    assert_int_equal(w.steps, 0);
    w.size = SIZE_MAX;
    assert_false(arena_try(&a, allocate_once, &w));
    assert_int_equal(w.steps, 0);
    arena_fini(&a);
}

static void try_inside(void *context)
{
    Work *w = context;
    w->inner = arena_try(w->arena, allocate_hugely, w);
    w->steps = 10;
    allocate_hugely(w);
}

static void test_tries_nest(void **state)
{
    (void)state;
    Arena a;
    Work w = {.arena = &a, .inner = true};
    arena_init(&a, 0);
    assert_false(arena_try(&a, try_inside, &w));
    assert_false(w.inner);
    assert_int_equal(w.steps, 10);
    arena_fini(&a);
}

static void test_what_is_reserved_needs_no_more_memory(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 100000);
    assert_true(arena_reserve(&a, 5000));
    size_t used = a.used;
    for (uint32_t i = 0; i < 10; i++)
        arena_alloc(&a, 496);
    assert_int_equal(a.used, used);
    assert_false(arena_reserve(&a, 200000));
    assert_null(a.escape);
    arena_fini(&a);
}

static void test_fini_of_nothing(void **state)
{
    (void)state;
    Arena a = {0};
    arena_fini(&a);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_zeroed_and_aligned),
        cmocka_unit_test(test_nothing_is_a_place_too),
        cmocka_unit_test(test_blocks_do_not_overlap),
        cmocka_unit_test(test_copy_and_printf),
        cmocka_unit_test(test_a_vector_keeps_its_items_while_it_moves),
        cmocka_unit_test(test_the_limit_ends_the_work),
        cmocka_unit_test(test_work_within_the_limit_succeeds),
        cmocka_unit_test(test_a_product_that_overflows_runs_out),
        cmocka_unit_test(test_tries_nest),
        cmocka_unit_test(test_what_is_reserved_needs_no_more_memory),
        cmocka_unit_test(test_fini_of_nothing),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
