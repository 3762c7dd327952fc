// SPDX-License-Identifier: Apache-2.0
/*
 * platform.c - threads and libraries, for solvers.
 *
 * in     loops
 * out    their iterations, on several cores
 * knows  POSIX threads, dlopen
 * not    what the loops do
 */
#include "solve/platform_priv.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/core.h"

#define TEAM_MOST 64u

struct Team {
    pthread_mutex_t lock;
    pthread_cond_t  begin, end;
    pthread_t       threads[TEAM_MOST];
    uint32_t        count;          /* threads, the caller not included                     */
    uint32_t        started;        /* of this loop                                         */
    void          (*work)(void *context, uint32_t i, uint32_t member);
    void           *context;
    uint32_t        next, total;    /* iterations given out; all                            */
    uint32_t        busy;           /* threads that have not finished this loop             */
    uint64_t        loop;           /* number of the loop                                   */
    bool            quit;
};

/* Iterations are given out one at a time: those of solvers are large. */
static void take_part(Team *t, uint32_t member)
{
    for (;;) {
        pthread_mutex_lock(&t->lock);
        uint32_t i = t->next < t->total ? t->next++ : UINT32_MAX;
        pthread_mutex_unlock(&t->lock);
        if (i == UINT32_MAX)
            return;
        t->work(t->context, i, member);
    }
}

static void *member_main(void *argument)
{
    Team *t = argument;
    uint64_t done = 0;
    pthread_mutex_lock(&t->lock);
    uint32_t member = ++t->started;
    for (;;) {
        while (t->loop == done && !t->quit)
            pthread_cond_wait(&t->begin, &t->lock);
        if (t->quit)
            break;
        done = t->loop;
        pthread_mutex_unlock(&t->lock);
        take_part(t, member);
        pthread_mutex_lock(&t->lock);
        if (--t->busy == 0)
            pthread_cond_signal(&t->end);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

Team *team_create(uint32_t threads)
{
    uint32_t useful = core_useful_count();
    threads = threads == 0 || threads > TEAM_MOST ? useful : threads;
    threads = threads > TEAM_MOST ? TEAM_MOST : threads;
    Team *t = threads > 1 ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begin, NULL);
    pthread_cond_init(&t->end, NULL);
    while (t->count + 1 < threads &&
           pthread_create(&t->threads[t->count], NULL, member_main, t) == 0)
        t->count++;
    return t;
}

void team_release(Team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (uint32_t i = 0; i < t->count; i++)
        pthread_join(t->threads[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->end);
    free(t);
}

uint32_t team_size(const Team *t)
{
    return t ? t->count + 1 : 1;
}

void team_run(Team *t, void (*work)(void *context, uint32_t i, uint32_t member), void *context,
              uint32_t count)
{
    if (!t || count <= 1) {
        for (uint32_t i = 0; i < count; i++)
            work(context, i, 0);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->work = work;
    t->context = context;
    t->next = 0;
    t->total = count;
    t->busy = t->count;
    t->loop++;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    take_part(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->busy > 0)
        pthread_cond_wait(&t->end, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void *platform_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void (*platform_symbol(void *library, const char *name))(void)
{
    void (*function)(void) = NULL;
    void *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}
