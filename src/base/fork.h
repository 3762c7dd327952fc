// SPDX-License-Identifier: Apache-2.0
/*
 * fork.h - objects with threads, in a process that was forked.
 *
 * A child of fork() has the objects of its parent, but only the thread that forked: locks
 * that others held stay held, and conditions count waiters that no longer exist. An object
 * notes the generation it was made in. In a later one it must not lock, wait or join; its
 * memory may be freed, and what it was asked to do fails.
 */
#ifndef WEFT_BASE_FORK_H
#define WEFT_BASE_FORK_H

#include <stdbool.h>
#include <stdint.h>

/* Of this process: how often its ancestors were forked, since the first call. */
uint32_t fork_generation(void);

static inline bool fork_is_stale(uint32_t generation)
{
    return generation != fork_generation();
}

/*
 * What an object does in a child right after the fork, on the only thread there is: it makes
 * its locks anew. `reset` may not allocate, lock or wait. Part of the object, which takes it
 * out again with fork_forget() before it ends.
 */
typedef struct ForkReset {
    struct ForkReset *next, **at;
    void            (*reset)(struct ForkReset *self);
} ForkReset;

void fork_remember(ForkReset *self, void (*reset)(ForkReset *self));
void fork_forget(ForkReset *self);      /* also one that was never remembered */

#define FORK_MESSAGE "the process was forked: objects of its parent cannot be used in the child"

#endif
