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
static atomic_uint     holders;
static atomic_ullong   work;            /* of libraries, under way                    */
static atomic_uint     waiters;         /* for holders or work                        */
static atomic_ullong   uses;            /* that are over                              */
static atomic_bool     ending;
static pthread_t       last;            /* ending: the thread that ends the program   */
static atomic_bool     broken;          /* forked while other threads held            */

/* How often this thread holds: who has begun may begin a part of it. */
static _Thread_local uint32_t depth;

/* On other threads: who holds may end the program too. */
static bool others_hold(void)
{
    return atomic_load(&holders) > (depth ? 1u : 0u);
}

/* Who lets go, or is done, looks for waiters after that, and they look after they have said
 * that they wait: one sees the other. With the lock. */
static void wait_for_holders(void)
{
    atomic_fetch_add(&waiters, 1);
    while (others_hold())
        pthread_cond_wait(&released, &lock);
    atomic_fetch_sub(&waiters, 1);
}

/* Until nothing is under way. Uses may begin meanwhile: without them the work might not
 * end, and they may begin some. Where the library cannot be used, work never ends. With the
 * lock. */
static void wait_for_work(void)
{
    struct timespec until;
    int             result = atomic_load(&broken) ? ETIMEDOUT : 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WORK_MOST;
    atomic_fetch_add(&waiters, 1);
    while ((atomic_load(&work) || others_hold()) && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&released, &lock, &until);
    atomic_fetch_sub(&waiters, 1);
}

static void wake_waiters(void)
{
    if (!atomic_load(&waiters))
        return;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}

/* A child of fork() has one thread: no other thread holds locks, works or
 * waits. Work that other threads had begun stays unfinished. */
static void in_child(void)
{
    if (others_hold() || atomic_load(&work))
        atomic_store(&broken, true);
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    released = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    atomic_store(&holders, depth ? 1u : 0u);
    atomic_store(&work, 0);
    atomic_store(&waiters, 0);
}

bool exit_is_ending(void)
{
    return atomic_load(&ending);
}

bool exit_is_broken(void)
{
    return atomic_load(&broken);
}

static void end_program(void)
{
    pthread_mutex_lock(&lock);
    if (!atomic_load(&ending))
        wait_for_work();
    last = pthread_self();
    atomic_store(&ending, true);
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
        registered = pthread_atfork(NULL, NULL, in_child) == 0 && atexit(end_program) == 0;
    pthread_mutex_unlock(&lock);
    if (__cxa_thread_atexit_impl)
        (void)__cxa_thread_atexit_impl(end_thread, NULL, &__dso_handle);
}

/* ---- uses ---- */

/* The program is ending: results of other threads are not needed. */
static void stop_others(void)
{
    pthread_mutex_lock(&lock);
    while (!pthread_equal(last, pthread_self()))
        pthread_cond_wait(&released, &lock);
    pthread_mutex_unlock(&lock);
}

bool exit_hold(void)
{
    if (depth) {
        depth++;
        return true;
    }
    atomic_fetch_add(&holders, 1);
    if (!atomic_load(&ending)) {                    /* who ends it later sees us */
        depth = 1;
        return true;
    }
    atomic_fetch_sub(&holders, 1);
    wake_waiters();
    stop_others();
    return false;
}

static bool is_power_of_two(uint64_t x)
{
    return x && (x & (x - 1)) == 0;
}

void exit_release(void)
{
    if (--depth)
        return;
    uint64_t use = atomic_fetch_add_explicit(&uses, 1, memory_order_relaxed) + 1;
    if (is_power_of_two(use) && !atomic_load(&ending))
        (void)atexit(end_program);                  /* still held: exit() waits for us */
    if (atomic_fetch_sub(&holders, 1) <= 2)         /* one may be who ends the program */
        wake_waiters();
}

/* ---- work ---- */

void exit_work_begins(void)
{
    atomic_fetch_add(&work, 1);
}

void exit_work_ends(void)
{
    if (atomic_fetch_sub(&work, 1) == 1)
        wake_waiters();
}
