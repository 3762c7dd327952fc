// SPDX-License-Identifier: Apache-2.0
/*
 * stack_test.c - what is left of a thread's stack.
 */
#include "support/test.h"

#include <pthread.h>

#include "base/stack.h"

enum { SIZE = 1 << 20, STEP = 64 << 10 };

/* Not inlined: its frame counts. */
static size_t room_below(int depth)
{
    volatile char frame[STEP];
    frame[0] = (char)depth;
    size_t room = depth ? room_below(depth - 1) : stack_room();
    frame[STEP - 1] = frame[0];
    return room;
}

static void *look(void *context)
{
    size_t *rooms = context;
    rooms[0] = stack_room();
    rooms[1] = room_below(4);
    rooms[2] = stack_room();
    return NULL;
}

static void test_calls_use_it_up(void **state)
{
    size_t         rooms[3];
    pthread_attr_t attr;
    pthread_t      thread;
    (void)state;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, SIZE);
    assert_int_equal(pthread_create(&thread, &attr, look, rooms), 0);
    pthread_attr_destroy(&attr);
    pthread_join(thread, NULL);
    assert_true(rooms[0] > SIZE / 2 && rooms[0] <= SIZE);
    assert_true(rooms[1] + 4 * STEP < rooms[0]);
    assert_int_equal(rooms[2], rooms[0]);
}

static void test_the_first_thread_has_one(void **state)
{
    (void)state;
    assert_true(stack_room() > 64 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_use_it_up),
        cmocka_unit_test(test_the_first_thread_has_one),
    };
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
