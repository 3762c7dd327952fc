// SPDX-License-Identifier: Apache-2.0
/*
 * exit.c - a program that ends while a library with static objects is in use.
 *
 * exit() first destroys the thread-local objects of its thread, then runs what was
 * registered for it, the last first. Static objects inside functions register when they
 * are made, which is during the first uses: what we registered before comes too late for
 * them. So the first use is waited for by a thread-local object, and after it, and after
 * ever longer times, we register once more. The state is the process's, as exit() is.
 * A thread that ends cannot be told from exit(), but for the first: its end is the
 * program's.
 */
#define _GNU_SOURCE
#include "base/exit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define WORK_MOST 5         /* seconds that work of a library is waited for */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  released = PTHREAD_COND_INITIALIZER;
static uint32_t        holders;
static atomic_ullong   work;            /* of libraries, under way                    */
static atomic_bool     waiting;         /* for work                                   */
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

/* Until nothing is under way. Uses may begin meanwhile: without them the work might not
 * end, and they may begin some. With the lock. */
static void wait_for_work(void)
{
    struct timespec until;
    int             result = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WORK_MOST;
    atomic_store(&waiting, true);
    while ((atomic_load(&work) || holders > (depth ? 1u : 0u)) && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&released, &lock, &until);
}

static void end_program(void)
{
    pthread_mutex_lock(&lock);
    if (!ending)
        wait_for_work();
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

static bool is_first_thread(void)
{
#ifdef __linux__
    return syscall(SYS_gettid) == getpid();
#else
    return false;
#endif
}

static void end_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (is_first_thread())
        wait_for_work();
    wait_for_holders();
    pthread_mutex_unlock(&lock);
}

void exit_prepare(void)
{
    static bool               registered;
    static _Thread_local bool prepared;
    if (prepared)
        return;
    prepared = true;
    pthread_mutex_lock(&lock);
    if (!registered)
        registered = atexit(end_program) == 0;
    pthread_mutex_unlock(&lock);
    if (__cxa_thread_atexit_impl)
        (void)__cxa_thread_atexit_impl(end_thread, NULL, &__dso_handle);
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
    if (is_power_of_two(++uses) && !ending) {
        pthread_mutex_unlock(&lock);
        (void)atexit(end_program);                  /* still held: exit() waits for us */
        pthread_mutex_lock(&lock);
    }
    if (--holders <= 1)                             /* one may be who ends the program */
        pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}

/* ---- work ---- */

void exit_work_begins(void)
{
    atomic_fetch_add(&work, 1);
}

void exit_work_ends(void)
{
    if (atomic_fetch_sub(&work, 1) != 1 || !atomic_load(&waiting))
        return;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}
