// SPDX-License-Identifier: Apache-2.0
/*
 * stack.c - how much is left of the calling thread's stack.
 *
 * Asking the system is slow (for the first thread it reads a file), so each thread
 * does it once. A thread's stack does not move.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>

#include "base/stack.h"

#ifdef __linux__
static uintptr_t find_end(void)
{
    pthread_attr_t attr;
    void          *end = NULL;
    size_t         size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return UINTPTR_MAX;
    if (pthread_attr_getstack(&attr, &end, &size) != 0)
        end = NULL;
    pthread_attr_destroy(&attr);
    return end ? (uintptr_t)end : UINTPTR_MAX;
}
#else
static uintptr_t find_end(void)
{
    return UINTPTR_MAX;
}
#endif

size_t stack_room(void)
{
    static _Thread_local uintptr_t end;         /* its lowest byte; 0: not asked yet */
    if (end == 0)
        end = find_end();
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);   /* locals may be elsewhere */
    return at > end ? at - end : 0;
}
