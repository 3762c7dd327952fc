// SPDX-License-Identifier: Apache-2.0
/*
 * exit_test.c - programs that end while a library with static objects is in use.
 *
 * Each case is a process of its own. What it registers for its end stands for the
 * destructor of the library. Thread-local objects come before all that, and so does what
 * a program that ends waits for.
 */
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"

enum { IN_ORDER = 0, TOO_EARLY = 1, BEGAN_TOO_LATE = 2 };

static sem_t       begun;
static atomic_bool finished;

static void destroy_object(void)
{
    _exit(atomic_load(&finished) ? IN_ORDER : TOO_EARLY);
}

static void destroy_library(void)
{
    if (exit_hold())
        _exit(BEGAN_TOO_LATE);
    destroy_object();
}

static void finish(void)
{
    for (int i = 0; i < 20; i++)
        sched_yield();              /* give exit() the time to be wrong */
    atomic_store(&finished, true);
}

static void *use(void *unused)
{
    (void)unused;
    exit_hold();
    exit_hold();                    /* a part of it */
    exit_release();
    sem_post(&begun);
    finish();
    exit_release();
    return NULL;
}

/* As a thread of the library. */
static void *work(void *unused)
{
    (void)unused;
    sem_post(&begun);
    finish();
    bool held = exit_hold();        /* who waited for it goes on */
    exit_work_ends();
    if (held)
        exit_release();
    return NULL;
}

static int end_of_program(void *(*run)(void *), bool works, bool late)
{
    int   status = -1;
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        sem_init(&begun, 0, 0);
        if (!late)
            atexit(destroy_library);
        exit_prepare();
        if (works)
            exit_work_begins();
        if (pthread_create(&thread, NULL, run, NULL) == 0)
            sem_wait(&begun);
        if (late)
            atexit(destroy_object);         /* made by a first use that is under way */
        exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_uses_are_waited_for(void **state)
{
    (void)state;
    assert_int_equal(end_of_program(use, false, false), IN_ORDER);
    assert_int_equal(end_of_program(use, false, true), IN_ORDER);
}

static void test_work_is_waited_for(void **state)
{
    (void)state;
    assert_int_equal(end_of_program(work, true, false), IN_ORDER);
    assert_int_equal(end_of_program(work, true, true), IN_ORDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uses_are_waited_for),
        cmocka_unit_test(test_work_is_waited_for),
    };
    return cmocka_run_group_tests_name("exit", tests, NULL, NULL);
}
