// SPDX-License-Identifier: Apache-2.0
/*
 * queue.c - carries out submits, one after the other, on a thread for that or on one
 * that waits for it.
 *
 * in     command lists (gpu.h)
 * out    their effects, in order; `done` of each
 * knows  commands
 * not    how workgroups are shared between threads (pool.c)
 */
#include "gpu/cpu/cpu_priv.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "base/stack.h"

#define STACK_SIZE (8u << 20)
#define HELP_STACK (4u << 20)       /* what a thread must have that helps          */

struct Queue {
    GpuDevice      *device;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  more;
    GpuSubmit      *first, **last;
    bool            busy;           /* a thread is carrying out a submit          */
    bool            ends;
    uint32_t        generation;     /* fork.h                                     */
    Parts           parts;          /* of the dispatch being run                  */
    PoolJob         job;            /* made of them                               */
    Pace            copies, clears;
};

/* ---- commands ---- */

static uint8_t *bytes_of(const GpuBuffer *b, uint64_t offset)
{
    return (uint8_t *)b->data + offset;
}

static void lose(GpuDevice *d, const void *tag, const char *why)
{
    if (!atomic_exchange(&d->lost, true) && d->desc.lost)
        d->desc.lost(d->desc.lost_user, tag, why);
}

/* WebGPU: an indirect dispatch of more than there may be does nothing. */
static bool groups_of(const GpuCommand *c, uint32_t groups[3])
{
    const uint32_t *given = c->dispatch.groups;
    if (c->kind == GPU_DISPATCH) {
        memcpy(groups, given, 3 * sizeof *groups);
        return true;
    }
    uint64_t most = c->dispatch.launch->most_groups, total = 1;
    memcpy(groups, bytes_of(c->dispatch.indirect, c->dispatch.indirect_offset),
           3 * sizeof *groups);
    for (uint32_t i = 0; i < 3; i++) {
        if (groups[i] > given[i])
            return false;
        total *= groups[i];
    }
    return !most || total <= most;
}

static void report_stop(GpuDevice *d, const void *tag)
{
    char why[128];
    if (atomic_load(&d->stop))
        snprintf(why, sizeof why, "a dispatch ran longer than its deadline of %llu ms",
                 (unsigned long long)(d->desc.deadline / 1000000u));
    else
        snprintf(why, sizeof why, "no memory to run a dispatch");
    lose(d, tag, why);
}

static bool plan_dispatch(Queue *q, const GpuLaunch *l, const uint32_t groups[3])
{
    if (!parts_plan(&q->parts, q->device, l, groups))
        return false;
    q->job.parts = q->parts.parts;
    q->job.nparts = q->parts.count;
    return pool_plan(q->device->pool, &q->job);
}

/* A quick kernel is hot once it ran for as long as it took to compile. */
#define LEAST_HOT 2000000u              /* ns */

/* Nanoseconds at which its dispatch shall ask for the fast version; 0: it has that. */
static uint64_t hot_at(const GpuKernel *kernel, uint64_t now)
{
    const Kernel *k = kernel->forms[KERNEL_ASSUMES];
    uint64_t after = MAX_OF(k->made_ns, LEAST_HOT);
    if (!k->quick || kernel->spent == UINT64_MAX)
        return 0;
    return kernel->spent < after ? now + after - kernel->spent : now;
}

static bool run_timed(Queue *q, GpuKernel *kernel)
{
    uint64_t begin = clock_ns(), at = hot_at(kernel, begin);
    q->job.cache = q->device->cache;
    atomic_store_explicit(&q->job.hot_at, at, memory_order_relaxed);
    bool ok = pool_run(q->device->pool, &q->job, &kernel->pace);
    uint64_t end = clock_ns();
    atomic_store_explicit(&q->job.hot_at, 0, memory_order_relaxed);
    kernel->spent += end - begin;
    if (at && end >= at) {
        for (uint32_t i = 0; i < q->job.nparts; i++)
            kernel_improve(q->device->cache, q->job.parts[i].kernel);
        kernel->spent = UINT64_MAX;
    }
    return ok;
}

static bool run_once(Queue *q, GpuKernel *kernel)
{
    GpuDevice *d = q->device;
    if (d->watch)
        watch_begin(d->watch, &d->stop);
    bool quick = kernel->forms[KERNEL_ASSUMES]->quick && kernel->spent != UINT64_MAX;
    bool ok = quick ? run_timed(q, kernel) : pool_run(d->pool, &q->job, &kernel->pace);
    if (d->watch)
        watch_end(d->watch);
    return ok;
}

static double count_groups(const uint32_t groups[3], uint32_t again)
{
    return (double)groups[0] * groups[1] * groups[2] * (1.0 + again);
}

static void run_dispatch(Queue *q, const GpuCommand *c)
{
    GpuDevice *d = q->device;
    GpuLaunch *l = c->dispatch.launch;
    uint32_t groups[3];
    if (!groups_of(c, groups) || !groups[0] || !groups[1] || !groups[2])
        return;
    const uint64_t begin = d->desc.timed_help ? clock_ns() : 0;
    if (!plan_dispatch(q, l, groups)) {
        lose(d, l->tag, q->parts.why);
        return;
    }
    bool ok = run_once(q, l->kernel);
    for (uint32_t i = 0; ok && i < c->dispatch.again && !atomic_load(&d->lost); i++)
        ok = run_once(q, l->kernel);
    if (d->desc.timed_help)
        l->kernel->workgroup_time = (double)(clock_ns() - begin + 1)
                                    / count_groups(groups, c->dispatch.again);
    if (!ok)
        report_stop(d, l->tag);
}

static void run_resolve(const GpuCommand *c)
{
    const GpuQueries *from = c->resolve.queries;
    memcpy(bytes_of(c->resolve.to, c->resolve.offset), from->times + c->resolve.first,
           c->resolve.count * sizeof *from->times);
}

static void run_command(Queue *q, const GpuCommand *c)
{
    switch (c->kind) {
    case GPU_DISPATCH: case GPU_DISPATCH_INDIRECT:
        run_dispatch(q, c);
        break;
    case GPU_COPY:
        copy_run(q->device->pool, &q->copies, bytes_of(c->copy.to, c->copy.to_offset),
                 bytes_of(c->copy.from, c->copy.from_offset), c->copy.size);
        break;
    case GPU_CLEAR:
        copy_run(q->device->pool, &q->clears, bytes_of(c->clear.to, c->clear.offset), NULL,
                 c->clear.size);
        break;
    case GPU_WRITE:
        memcpy(bytes_of(c->write.to, c->write.offset), c->write.data, c->write.size);
        break;
    case GPU_TIMESTAMP:
        c->timestamp.queries->times[c->timestamp.index] = clock_ns();
        break;
    case GPU_RESOLVE:
        run_resolve(c);
        break;
    }
}

static void run_submit(Queue *q, const GpuSubmit *s)
{
    for (uint32_t i = 0; i < s->count && !atomic_load(&q->device->lost); i++)
        run_command(q, &s->commands[i]);
    s->done(s->user);
}

/* ---- threads ---- */

/* Carries out the first submit. With the lock, which it gives back meanwhile. */
static void carry_out(Queue *q)
{
    GpuSubmit *s = q->first;
    q->first = s->next;
    if (!q->first)
        q->last = &q->first;
    q->busy = true;
    pthread_mutex_unlock(&q->lock);
    run_submit(q, s);
    pthread_mutex_lock(&q->lock);
    q->busy = false;
}

static void *queue_main(void *argument)
{
    Queue *q = argument;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (q->busy || (!q->first && !q->ends))
            pthread_cond_wait(&q->more, &q->lock);
        if (!q->first)
            break;
        carry_out(q);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

bool queue_submit(Queue *q, GpuSubmit *s)
{
    s->next = NULL;
    if (fork_is_stale(q->generation)) {
        lose(q->device, NULL, FORK_MESSAGE);
        s->done(s->user);
        return false;
    }
    pthread_mutex_lock(&q->lock);
    *q->last = s;
    q->last = &s->next;
    bool idle = !q->busy;
    pthread_mutex_unlock(&q->lock);
    if (idle)
        pthread_cond_signal(&q->more);      /* the caller keeps the device alive */
    return !atomic_load(&q->device->lost);
}

/* Nanoseconds that a command takes, going by the last time; GPU_FOREVER: it has not run yet, or
 * its workgroups are counted later. */
static uint64_t expected_time(const GpuCommand *c)
{
    switch (c->kind) {
    case GPU_DISPATCH: {
        const double time = c->dispatch.launch->kernel->workgroup_time
                            * count_groups(c->dispatch.groups, c->dispatch.again);
        return time > 0 && time < 1e15 ? (uint64_t)time : GPU_FOREVER;
    }
    case GPU_DISPATCH_INDIRECT:
        return GPU_FOREVER;
    case GPU_COPY:
        return c->copy.size / 4;            /* bytes a nanosecond, at the least */
    case GPU_CLEAR:
        return c->clear.size / 4;
    case GPU_WRITE:
        return c->write.size / 4;
    case GPU_TIMESTAMP: case GPU_RESOLVE:
        break;
    }
    return 0;
}

static bool fits(const GpuSubmit *s, uint64_t limit)
{
    for (uint32_t i = 0; i < s->count && limit != GPU_FOREVER; i++) {
        const uint64_t time = expected_time(&s->commands[i]);
        if (time > limit)
            return false;
        limit -= time;
    }
    return true;
}

/* The caller's thread may round in its own way and have a small stack: kernels get
 * what they have on ours, or it does not help. */
bool queue_help(Queue *q, uint64_t limit)
{
    fenv_t theirs;
    if (stack_room() < HELP_STACK || fork_is_stale(q->generation))
        return false;
    pthread_mutex_lock(&q->lock);
    bool mine = q->first && !q->busy && fits(q->first, limit);
    if (mine) {
        fegetenv(&theirs);
        fesetenv(FE_DFL_ENV);
        carry_out(q);
        fesetenv(&theirs);
        if (q->first)
            pthread_cond_signal(&q->more);
    }
    pthread_mutex_unlock(&q->lock);
    return mine;
}

Queue *queue_new(GpuDevice *d)
{
    pthread_attr_t attr;
    Queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->device = d;
    q->generation = fork_generation();
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->more, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    int failed = pthread_create(&q->thread, &attr, queue_main, q);
    pthread_attr_destroy(&attr);
    if (failed) {
        free(q);
        return NULL;
    }
    return q;
}

static void end_thread(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->ends = true;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->more);
    pthread_mutex_destroy(&q->lock);
}

void queue_free(Queue *q)
{
    if (!q)
        return;
    if (!fork_is_stale(q->generation))
        end_thread(q);
    parts_fini(&q->parts);
    free(q);
}
