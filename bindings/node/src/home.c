// SPDX-License-Identifier: Apache-2.0
/*
 * home.c - a context of libweft, which one thread at a time may use.
 *
 * in     calls from JavaScript, jobs, finalizers
 * out    the context to one of them at a time
 * knows  that finalizers come at any moment, also in the middle of a call, and must not wait
 * not    what is done with the context
 */
#include <pthread.h>
#include <stdlib.h>

#include "layer.h"

struct Home {
    atomic_uint      refs;
    weft_context    *ctx;
    pthread_mutex_t  lock;              /* held by the thread that uses the context */
    _Atomic(Handle *) dropped;          /* collected while another thread had the context */
    JobQueue        *jobs;
    Event           *log;
    atomic_int       awaited;           /* futures that JavaScript waits for */
};

Home *home_create(weft_context *ctx)
{
    Home *home = calloc(1, sizeof *home);
    if (home && !(home->jobs = job_queue_create())) {
        free(home);
        home = NULL;
    }
    if (!home || pthread_mutex_init(&home->lock, NULL)) {
        if (home)
            job_queue_free(home->jobs);
        free(home);
        weft_context_release(ctx);
        return NULL;
    }
    atomic_init(&home->refs, 1);
    atomic_init(&home->dropped, NULL);
    home->ctx = ctx;
    return home;
}

Home *home_retain(Home *home)
{
    atomic_fetch_add(&home->refs, 1);
    return home;
}

static void release_dropped(Home *home)
{
    Handle *h = atomic_exchange(&home->dropped, NULL);
    while (h)
        h = handle_release(h);
}

void home_release(Home *home)
{
    if (!home || atomic_fetch_sub(&home->refs, 1) > 1)
        return;
    release_dropped(home);
    if (atomic_load(&home->awaited)) {  /* their tensors would keep the context for ever */
        weft_context_wait(home->ctx);
        weft_context_poll(home->ctx);
    }
    weft_context_release(home->ctx);
    event_drop(home->log);              /* the log of the context has ended */
    pthread_mutex_destroy(&home->lock);
    job_queue_free(home->jobs);
    free(home);
}

void home_await(Home *home, int more)
{
    atomic_fetch_add(&home->awaited, more);
}

weft_context *home_context(const Home *home)
{
    return home->ctx;
}

JobQueue *home_jobs(Home *home)
{
    return home->jobs;
}

void home_set_log(Home *home, Event *log)
{
    home->log = log;
}

void home_enter(Home *home)
{
    pthread_mutex_lock(&home->lock);
    if (atomic_load_explicit(&home->dropped, memory_order_relaxed))
        release_dropped(home);
}

void home_leave(Home *home)
{
    if (atomic_load_explicit(&home->dropped, memory_order_relaxed))
        release_dropped(home);
    pthread_mutex_unlock(&home->lock);
}

void home_drop(Home *home, Handle *handle)
{
    if (pthread_mutex_trylock(&home->lock) == 0) {
        handle_release(handle);
        home_leave(home);
        return;
    }
    Handle *first = atomic_load(&home->dropped);
    do
        handle_link(handle, first);
    while (!atomic_compare_exchange_weak(&home->dropped, &first, handle));
}
