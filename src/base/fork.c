// SPDX-License-Identifier: Apache-2.0
/*
 * fork.c - counts forks.
 */
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint     generation;
static pthread_once_t  once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ForkReset      *first;

static void before(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    atomic_fetch_add(&generation, 1);
    for (ForkReset *r = first; r; r = r->next)
        r->reset(r);
    pthread_mutex_unlock(&lock);
}

static void watch(void)
{
    (void)pthread_atfork(before, in_parent, in_child);
}

uint32_t fork_generation(void)
{
    pthread_once(&once, watch);
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

void fork_remember(ForkReset *self, void (*reset)(ForkReset *self))
{
    (void)fork_generation();
    pthread_mutex_lock(&lock);
    *self = (ForkReset){first, &first, reset};
    if (first)
        first->at = &self->next;
    first = self;
    pthread_mutex_unlock(&lock);
}

void fork_forget(ForkReset *self)
{
    pthread_mutex_lock(&lock);
    if (self->at) {
        *self->at = self->next;
        if (self->next)
            self->next->at = self->at;
        *self = (ForkReset){0};
    }
    pthread_mutex_unlock(&lock);
}
