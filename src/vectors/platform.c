// SPDX-License-Identifier: Apache-2.0
/*
 * platform.c - the lock of an index, over POSIX threads.
 */
#include "vectors/platform_priv.h"

void index_lock_init(IndexLock *l)
{
    pthread_mutex_init(&l->mutex, NULL);
}

void index_lock_fini(IndexLock *l)
{
    pthread_mutex_destroy(&l->mutex);
}

void index_lock_take(IndexLock *l)
{
    pthread_mutex_lock(&l->mutex);
}

void index_lock_give(IndexLock *l)
{
    pthread_mutex_unlock(&l->mutex);
}
