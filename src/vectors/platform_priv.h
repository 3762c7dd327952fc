// SPDX-License-Identifier: Apache-2.0
/*
 * platform_priv.h - what the vectors layer asks of the operating system: a lock. Everything
 * else in this folder is plain C over weft/context.h.
 */
#ifndef WEFT_VECTORS_PLATFORM_PRIV_H
#define WEFT_VECTORS_PLATFORM_PRIV_H

#include <pthread.h>

typedef struct IndexLock {
    pthread_mutex_t mutex;
} IndexLock;

void index_lock_init(IndexLock *l);
void index_lock_fini(IndexLock *l);
void index_lock_take(IndexLock *l);
void index_lock_give(IndexLock *l);

#endif
