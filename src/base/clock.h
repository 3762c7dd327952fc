// SPDX-License-Identifier: Apache-2.0
/*
 * clock.h - time that only goes forward, in nanoseconds, and waits that end by it.
 */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_PER_S    1000000000u
#define CLOCK_NEVER UINT64_MAX

/* Since a moment that stays the same as long as the program runs. */
uint64_t clock_ns(void);
/* A condition for clock_wait(). */
void     clock_cond_init(pthread_cond_t *cond);
/* As pthread_cond_wait(), but only until the clock shows `until`; false: it does. */
bool     clock_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until);

#endif
