// SPDX-License-Identifier: Apache-2.0
/*
 * platform_priv.h - what the pool asks of the operating system: threads, and a process of its
 * own for code that may crash or hang. Everything else here is plain C.
 */
#ifndef WEFT_POOL_PLATFORM_PRIV_H
#define WEFT_POOL_PLATFORM_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- threads ---- */

/* Starts a thread with all signals blocked. False if there can be none. */
bool platform_thread_start(pthread_t *out, void *(*main)(void *), void *argument);

void platform_pause(uint64_t ns);

/* ---- processes ---- */

typedef struct Child {
    long     pid;
    int      pipe;                  /* -1: nothing can be read any more                     */
    uint8_t *data;                  /* [size], malloc'ed: what it sent                      */
    size_t   size, capacity;
    bool     ended;
    int      signal;                /* that ended it; 0: none                               */
    int      status;                /* its exit status                                      */
} Child;

/* Sends bytes to the parent, from the child. */
typedef struct ChildPipe {
    int fd;
} ChildPipe;

void child_send(ChildPipe *to, const void *data, size_t size);

/* Runs work(pipe, argument) in a copy of this process, which ends after `seconds` at the
 * latest. False: there can be no process. */
bool child_start(Child *out, void (*work)(ChildPipe *to, void *argument), void *argument,
                 uint32_t seconds);
/* Collects what it sends until it ends or the clock shows `until`: then it is killed and
 * false is returned. */
bool child_finish(Child *c, uint64_t until);
void child_fini(Child *c);

#endif
