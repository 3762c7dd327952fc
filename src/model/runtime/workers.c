// SPDX-License-Identifier: Apache-2.0
/*
 * workers.c - work on several cores at once.
 *
 * in     a function, its contexts
 * out    all of them done
 * knows  threads; where one cannot be made, the caller does its work
 */
#include "model/runtime/runtime_priv.h"

#include <pthread.h>

#include "base/core.h"

typedef struct Worker {
    void    (*work)(void *context);
    void     *context;
    pthread_t thread;
    bool      started;
} Worker;

uint32_t workers_count(void)
{
    uint32_t n = core_useful_count();
    return n < 1 ? 1 : n > WORKERS_MOST ? WORKERS_MOST : n;
}

static void *worker_main(void *argument)
{
    Worker *w = argument;
    w->work(w->context);
    return NULL;
}

void workers_run(void (*work)(void *context), void **contexts, uint32_t count)
{
    Worker workers[WORKERS_MOST];
    for (uint32_t i = 1; i < count; i++) {
        workers[i] = (Worker){.work = work, .context = contexts[i]};
        workers[i].started = pthread_create(&workers[i].thread, NULL, worker_main,
                                            &workers[i]) == 0;
        if (!workers[i].started)
            work(contexts[i]);
    }
    work(contexts[0]);
    for (uint32_t i = 1; i < count; i++)
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
}
