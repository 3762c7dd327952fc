// SPDX-License-Identifier: Apache-2.0
/*
 * worker.c - who runs what waits: a thread for each device with a queue, and one that watches
 * deadlines and time limits.
 *
 * in     executions that were given a device
 * out    calls of engine_run()
 * knows  that a device has one owner at a time: its worker, or a caller that found it idle
 * not    what is next (schedule.c), how it runs (engine.c)
 */
#include <stdio.h>
#include <string.h>

#include "pool/pool_priv.h"

#define STUCK_GRACE 2000000000u         /* ns after a time limit in which a library may still
                                           come back from a call                       */

/* ---- owning a device ---- */

bool worker_try_own(PoolDevice *d)
{
    if (d->busy || d->heap_len || d->found.foreign || d->state != WEFT_DEVICE_READY)
        return false;
    d->busy = true;
    return true;
}

void worker_disown(PoolDevice *d)
{
    d->busy = false;
    d->running_count = 0;
    if (d->owners_waiting)
        pthread_cond_broadcast(&d->wake);
    else if (d->heap_len)
        worker_notify(d);
}

bool worker_wait_own(PoolDevice *d)
{
    d->owners_waiting++;
    while (d->busy && !d->stuck)
        pthread_cond_wait(&d->wake, &d->pool->lock);
    d->owners_waiting--;
    if (d->stuck)
        return false;
    d->busy = true;
    return true;
}

/* ---- the thread of a device ---- */

/* This thread was given up while it hung in a library: what it held is gone. */
static void come_back(PoolDevice *d)
{
    weft_pool    *pool = d->pool;
    weft_context *engine = d->engine;
    d->engine = NULL;
    pool_unlock(pool);
    graveyard_empty(d);
    weft_context_release(engine);
    pool_lock(pool);
    bool last = --pool->stuck_count == 0 && pool->abandoned;
    pool_unlock(pool);
    if (last)
        pool_finish(pool);
}

/* False: this thread has to end. */
static bool run_batch(PoolDevice *d)
{
    weft_pool      *pool = d->pool;
    weft_execution *batch[BATCH_MOST];
    uint32_t        count = schedule_pop(d, batch);
    d->busy = true;
    d->running_count = count;
    for (uint32_t i = 0; i < count; i++) {
        d->running[i] = batch[i];
        exe_ref(batch[i]);
    }
    pool_leave(pool);
    engine_run(d, batch, count);
    for (uint32_t i = 0; i < count; i++)
        exe_unref(batch[i]);
    pool_lock(pool);
    if (d->stuck)
        return false;
    worker_disown(d);
    return true;
}

static void *worker_main(void *argument)
{
    PoolDevice *d = argument;
    weft_pool  *pool = d->pool;
    pool_lock(pool);
    while (!pool->closing && d->state != WEFT_DEVICE_GIVEN_UP) {
        bool     pause = d->state == WEFT_DEVICE_LOST && d->retry_at > clock_ns();
        uint64_t until = CLOCK_NEVER;
        if (!d->busy && !d->owners_waiting && !pause
            && (d->heap_len || schedule_steal(d, &until))) {
            if (run_batch(d))
                continue;
            come_back(d);
            return NULL;
        }
        d->worker_idle = true;
        if (pause && d->heap_len)
            until = d->retry_at;
        if (until == CLOCK_NEVER)
            pthread_cond_wait(&d->wake, &pool->lock);
        else
            clock_wait(&d->wake, &pool->lock, until);
        d->worker_idle = false;
    }
    pool_leave(pool);
    return NULL;
}

static void start(PoolDevice *d)
{
    if (!d->has_worker && d->state != WEFT_DEVICE_GIVEN_UP)
        d->has_worker = platform_thread_start(&d->worker, worker_main, d);
}

void worker_notify(PoolDevice *d)
{
    start(d);
    pthread_cond_broadcast(&d->wake);
}

/* Other devices may take work off a long queue. */
static void call_thieves(PoolDevice *d)
{
    weft_pool *pool = d->pool;
    for (uint32_t i = 0; i < pool->device_count; i++) {
        PoolDevice *other = &pool->devices[i];
        if (other == d || other->busy || other->heap_len || other->state != WEFT_DEVICE_READY)
            continue;
        start(other);
        if (other->worker_idle)
            pthread_cond_broadcast(&other->wake);
    }
}

void worker_submit(weft_execution *e)
{
    PoolDevice *d = e->device;
    e->queued_at = clock_ns();
    if (e->pool->closing)
        exe_fail(e, WEFT_ERROR_CANCELLED, NULL, "%s: the pool was released", e->label);
    else if (!schedule_push(e))
        exe_fail(e, WEFT_ERROR_MEMORY, NULL, "%s: the queue of '%s' is full", e->label,
                  d->found.name);
    if (e->report.error.kind) {
        exe_end(e);
        return;
    }
    if (!d->busy)
        worker_notify(d);
    else
        start(d);
    if (!d->has_worker) {
        schedule_remove(e);
        exe_fail(e, WEFT_ERROR_MEMORY, NULL, "%s: no thread can be started", e->label);
        exe_end(e);
    } else if (d->busy && d->queued > 1 && !e->pinned && e->pool->device_count > 1) {
        call_thieves(d);
    }
}

/* ---- the watch ---- */

static uint64_t add_time(uint64_t at, uint64_t ns)
{
    return ns > CLOCK_NEVER - at ? CLOCK_NEVER : at + ns;
}

/* A library that does not come back keeps its thread and its device. */
static void give_up_stuck(weft_execution *e)
{
    PoolDevice *d = e->device;
    d->stuck = true;
    d->state = WEFT_DEVICE_GIVEN_UP;
    d->running_count = 0;
    e->pool->stuck_count++;
    if (d->has_worker)
        pthread_detach(d->worker);
    d->has_worker = false;
    snprintf(d->why, sizeof d->why, "a call of its library did not return");
    exe_fail(e, WEFT_ERROR_TIMEOUT, NULL, "%s: a call of the library of '%s' did not return "
              "within the time limit", e->label, d->found.name);
    exe_end(e);
    resident_drop_all(d, true);
    failover_reroute(d);
    pthread_cond_broadcast(&d->wake);
    monitor_device(e->pool, d, "is given up: a call of its library did not return");
}

/* When to look at it again; CLOCK_NEVER: it needs no watching any more. */
static uint64_t check(weft_execution *e, uint64_t now)
{
    bool waits = e->state == EXEC_QUEUED || e->state == EXEC_BLOCKED;
    if (waits && e->deadline <= now) {
        if (e->state == EXEC_QUEUED)
            schedule_remove(e);
        exe_fail(e, WEFT_ERROR_TIMEOUT, NULL, "%s: the deadline passed before it could run",
                  e->label);
        exe_end(e);
        return CLOCK_NEVER;
    }
    if (waits)
        return e->deadline;
    uint64_t end = e->deadline;
    if (e->time_limit)
        end = MIN_OF(end, add_time(e->began_at, e->time_limit));
    if (e->state != EXEC_RUNNING || end == CLOCK_NEVER || !e->device->found.foreign)
        return CLOCK_NEVER;
    end = add_time(end, STUCK_GRACE);
    if (end > now)
        return end;
    give_up_stuck(e);
    return CLOCK_NEVER;
}

/* Ending one may end others: start again then. */
static uint64_t check_all(weft_pool *pool, uint64_t now)
{
    uint64_t next = CLOCK_NEVER;
    for (weft_execution *e = pool->timed; e;) {
        ExecState       before = e->state;
        weft_execution *following = e->timed_next;
        uint64_t        at = check(e, now);
        bool            ended = before != EXEC_ENDED && e->state == EXEC_ENDED;
        next = at < next ? at : next;
        if (ended)
            next = CLOCK_NEVER;
        e = ended ? pool->timed : following;
    }
    return next;
}

static void *watch_main(void *argument)
{
    weft_pool *pool = argument;
    pool_lock(pool);
    while (!pool->closing) {
        uint64_t next = check_all(pool, clock_ns());
        if (pool->ended_first || pool->alerts_first) {
            pool_leave(pool);
            pool_lock(pool);
            continue;
        }
        if (next == CLOCK_NEVER)
            pthread_cond_wait(&pool->watch_wake, &pool->lock);
        else
            clock_wait(&pool->watch_wake, &pool->lock, next);
    }
    pool_leave(pool);
    return NULL;
}

void worker_watch(weft_execution *e)
{
    weft_pool *pool = e->pool;
    if (e->timed || (e->deadline == CLOCK_NEVER && !e->time_limit))
        return;
    e->timed = true;
    e->timed_prev = NULL;
    e->timed_next = pool->timed;
    if (pool->timed)
        pool->timed->timed_prev = e;
    pool->timed = e;
    if (!pool->has_watch)
        pool->has_watch = platform_thread_start(&pool->watch, watch_main, pool);
    pthread_cond_signal(&pool->watch_wake);
}

void worker_unwatch(weft_execution *e)
{
    if (!e->timed)
        return;
    e->timed = false;
    if (e->timed_prev)
        e->timed_prev->timed_next = e->timed_next;
    else
        e->pool->timed = e->timed_next;
    if (e->timed_next)
        e->timed_next->timed_prev = e->timed_prev;
}

/* ---- the end ---- */

bool workers_are_here(weft_pool *pool)
{
    pthread_t me = pthread_self();
    pool_lock(pool);
    bool here = pool->has_watch && pthread_equal(me, pool->watch);
    for (uint32_t i = 0; i < pool->device_count; i++)
        here = here || (pool->devices[i].has_worker
                        && pthread_equal(me, pool->devices[i].worker));
    pool_unlock(pool);
    return here;
}

void workers_stop(weft_pool *pool)
{
    pool_lock(pool);
    pool->closing = true;
    for (uint32_t i = 0; i < pool->device_count; i++)
        pthread_cond_broadcast(&pool->devices[i].wake);
    pthread_cond_broadcast(&pool->watch_wake);
    pool_unlock(pool);
    for (uint32_t i = 0; i < pool->device_count; i++)
        if (pool->devices[i].has_worker)
            pthread_join(pool->devices[i].worker, NULL);
    if (pool->has_watch)
        pthread_join(pool->watch, NULL);
}
