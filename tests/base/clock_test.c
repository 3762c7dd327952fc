/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_test.c - a clock that only goes forward, and waits by it.
 */
#include "support/test.h"

#include <pthread.h>

#include "base/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  changed;
static bool            done;

static void *finish(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    done = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void test_it_goes_forward(void **state)
{
    (void)state;
    uint64_t before = clock_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = clock_ns();
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 0);
}

static void test_a_wait_ends_with_its_time(void **state)
{
    (void)state;
    uint64_t until = clock_ns() + NS_PER_S / 100;
    pthread_mutex_lock(&lock);
    while (clock_wait(&changed, &lock, until))
        ;
    assert_true(clock_ns() >= until);
    assert_false(clock_wait(&changed, &lock, clock_ns() - 1));
    assert_false(clock_wait(&changed, &lock, 0));
    pthread_mutex_unlock(&lock);
}

/* `until` is too far away for the test to reach it. */
static void wait_for_other(uint64_t until)
{
    pthread_t other;
    pthread_mutex_lock(&lock);
    done = false;
    assert_int_equal(pthread_create(&other, NULL, finish, NULL), 0);
    while (!done)
        assert_true(clock_wait(&changed, &lock, until));
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
}

static void test_a_wait_ends_when_told(void **state)
{
    (void)state;
    wait_for_other(clock_ns() + UINT64_C(3600) * NS_PER_S);
    wait_for_other(clock_ns() + INT64_MAX);
    wait_for_other(CLOCK_NEVER);
}

int main(void)
{
    clock_cond_init(&changed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_goes_forward),
        cmocka_unit_test(test_a_wait_ends_with_its_time),
        cmocka_unit_test(test_a_wait_ends_when_told),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
