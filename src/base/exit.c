// SPDX-License-Identifier: Apache-2.0
/*
 * exit.c - a program that ends while a thread of ours uses a library with static objects.
 *
 * exit() first destroys the thread-local objects of its thread, then runs what was
 * registered for it, the last first. Static objects inside functions register when they
 * are made, which is during the first uses: what we registered before comes too late for
 * them. So the first use is waited for by a thread-local object, and after it, and after
 * ever longer times, we register once more. The state is the process's, as exit() is.
 */
#include "base/exit.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  released = PTHREAD_COND_INITIALIZER;
static uint32_t        holders;
static uint64_t        uses;            /* that are over                              */
static bool            ending;
static pthread_t       last;            /* ending: the thread that ends the program   */

/* How often this thread holds: who has begun may begin a part of it. */
static _Thread_local uint32_t depth;

/* For those on other threads: who holds may end the program too. */
static void wait_for_holders(void)
{
    while (holders > (depth ? 1u : 0u))
        pthread_cond_wait(&released, &lock);
}

static void end_program(void)
{
    pthread_mutex_lock(&lock);
    ending = true;
    last = pthread_self();
    wait_for_holders();
    pthread_mutex_unlock(&lock);
}

/* ---- thread-local objects ---- */

/* How C++ has them destroyed; not every C library has it. */
extern int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *dso)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void end_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    wait_for_holders();
    pthread_mutex_unlock(&lock);
}

void exit_prepare(void)
{
    static bool               registered;
    static _Thread_local bool prepared;
    pthread_mutex_lock(&lock);
    if (!registered)
        registered = atexit(end_program) == 0;
    pthread_mutex_unlock(&lock);
    if (!prepared && __cxa_thread_atexit_impl)
        prepared = __cxa_thread_atexit_impl(end_thread, NULL, &__dso_handle) == 0;
}

/* ---- uses ---- */

bool exit_hold(void)
{
    if (depth) {
        depth++;
        return true;
    }
    pthread_mutex_lock(&lock);
    while (ending && !pthread_equal(last, pthread_self()))
        pthread_cond_wait(&released, &lock);        /* nobody wants its result */
    bool ok = !ending;
    holders += ok;
    depth = ok;
    pthread_mutex_unlock(&lock);
    return ok;
}

static bool is_power_of_two(uint64_t x)
{
    return x && (x & (x - 1)) == 0;
}

void exit_release(void)
{
    if (--depth)
        return;
    pthread_mutex_lock(&lock);
    bool again = is_power_of_two(++uses) && !ending;
    pthread_mutex_unlock(&lock);
    if (again)
        (void)atexit(end_program);                  /* still held: exit() waits for us */
    pthread_mutex_lock(&lock);
    if (--holders <= 1)                             /* one may be who ends the program */
        pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}
