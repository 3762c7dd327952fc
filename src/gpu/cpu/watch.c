// SPDX-License-Identifier: Apache-2.0
/*
 * watch.c - a thread that waits for the deadline of the dispatch that is running.
 *
 * Dispatches come far more often than deadlines: the thread sleeps until the deadline of
 * one, and only then looks which is running. It is woken when it sleeps without an end.
 */
#include "gpu/cpu/cpu_priv.h"

#include <stdlib.h>

#include "base/fork.h"

struct Watch {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    pthread_t       thread;
    uint64_t        deadline;       /* ns a dispatch                              */
    atomic_uint    *flag;           /* of the running dispatch; NULL: none        */
    uint64_t        until;          /* its deadline, by clock_ns()                */
    bool            sleeps;         /* nothing was running: the thread must be told */
    bool            ends;
    uint32_t        generation;     /* fork.h                                     */
};

static void *watch_main(void *argument)
{
    Watch *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        w->sleeps = !w->flag;
        if (!w->flag) {
            pthread_cond_wait(&w->changed, &w->lock);
        } else if (clock_ns() < w->until) {
            clock_wait(&w->changed, &w->lock, w->until);
        } else {
            atomic_store(w->flag, 1);
            w->flag = NULL;
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

Watch *watch_new(uint64_t deadline)
{
    Watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->deadline = deadline;
    w->generation = fork_generation();
    pthread_mutex_init(&w->lock, NULL);
    clock_cond_init(&w->changed);
    if (pthread_create(&w->thread, NULL, watch_main, w) != 0) {
        free(w);
        return NULL;
    }
    return w;
}

void watch_free(Watch *w)
{
    if (!w || fork_is_stale(w->generation)) {
        free(w);
        return;
    }
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void watch_begin(Watch *w, atomic_uint *flag)
{
    uint64_t now = clock_ns(), until = now + w->deadline;
    if (until < now)
        until = UINT64_MAX / 2;
    pthread_mutex_lock(&w->lock);
    w->flag = flag;
    w->until = until;
    if (w->sleeps)
        pthread_cond_signal(&w->changed);
    w->sleeps = false;
    pthread_mutex_unlock(&w->lock);
}

void watch_end(Watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->flag = NULL;
    pthread_mutex_unlock(&w->lock);
}
