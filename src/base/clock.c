// SPDX-License-Identifier: Apache-2.0
/*
 * clock.c - time that only goes forward, and waits that end by it.
 *
 * out    nanoseconds; conditions that know this clock
 * why    the time of day may be set during a wait
 */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

bool clock_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until)
{
    struct timespec t = {.tv_sec = (time_t)(until / NS_PER_S),
                         .tv_nsec = (long)(until % NS_PER_S)};
    if (until == CLOCK_NEVER)
        return pthread_cond_wait(cond, lock) == 0;
    return pthread_cond_timedwait(cond, lock, &t) != ETIMEDOUT;
}
