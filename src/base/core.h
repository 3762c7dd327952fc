// SPDX-License-Identifier: Apache-2.0
/*
 * core.h - which cores threads run on.
 */
#ifndef WEFT_BASE_CORE_H
#define WEFT_BASE_CORE_H

#include <pthread.h>
#include <stdint.h>

/* Bit i: the calling thread may run on core i. 0: the system does not tell, or there are
 * more than 64. */
uint64_t core_allowed(void);
/* How many of them there are, one at least. */
uint32_t core_allowed_count(void);
/* How many threads may work at a time: no more than those, nor than the time of processors
 * that the container has. */
uint32_t core_useful_count(void);
/* The one that the calling thread is on; -1: the system does not tell. */
int      core_now(void);
/* Lets a thread run on these alone. A request: it may be refused. */
void     core_restrict(pthread_t thread, uint64_t cores);

/* One turn of a loop that waits for another thread. */
static inline void core_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
