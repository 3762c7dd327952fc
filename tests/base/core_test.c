/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_test.c - threads say where they are, and go where they may.
 */
#include "support/test.h"

#include "base/core.h"

/* The first of them that is left when `n` are taken away; 64: none. */
static uint32_t nth(uint64_t cores, uint32_t n)
{
    uint32_t i = 0;
    for (; i < 64; i++)
        if (cores >> i & 1 && n-- == 0)
            break;
    return i;
}

static void test_a_thread_is_on_a_core_it_may_use(void **state)
{
    (void)state;
    uint64_t allowed = core_allowed();
    int      now = core_now();
    if (!allowed || now < 0)
        skip();
    assert_in_range(now, 0, 63);
    assert_true(allowed >> now & 1);
}

typedef struct Visit {
    uint32_t core;
    uint64_t allowed;
    uint32_t count;
    int      now;
} Visit;

static void *visit(void *argument)
{
    Visit *v = argument;
    core_restrict(pthread_self(), 1ull << v->core);
    v->allowed = core_allowed();
    v->count = core_allowed_count();
    v->now = core_now();
    return NULL;
}

static void test_a_thread_goes_where_it_is_sent(void **state)
{
    (void)state;
    uint64_t allowed = core_allowed();
    for (uint32_t n = 0; n < 4 && nth(allowed, n) < 64; n++) {
        Visit     v = {.core = nth(allowed, n)};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, visit, &v), 0);
        pthread_join(thread, NULL);
        assert_int_equal(v.allowed, 1ull << v.core);
        assert_int_equal(v.count, 1);
        assert_int_equal(v.now, v.core);
    }
    assert_int_equal(core_allowed(), allowed);
    if (allowed)
        assert_int_equal(nth(allowed, core_allowed_count()), 64);
    assert_in_range(core_allowed_count(), 1, UINT32_MAX);
    assert_in_range(core_useful_count(), 1, core_allowed_count());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thread_is_on_a_core_it_may_use),
        cmocka_unit_test(test_a_thread_goes_where_it_is_sent),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
