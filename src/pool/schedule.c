// SPDX-License-Identifier: Apache-2.0
/*
 * schedule.c - the queue of a device: priorities, fair shares of contexts, batches, stealing.
 *
 * in     executions that were given a device
 * out    the next ones to run
 * knows  start-time fair queueing: each context has a virtual time on each device, which
 *        grows by what it used divided by its weight; the smallest one is next
 * not    threads (worker.c), how work runs (engine.c)
 *
 * Everything here is under the lock of the pool.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/pool_priv.h"

#define SMALL_NS      50000.0           /* expected run of what may share a submit     */
#define BATCH_NS      200000.0          /* of a batch together                         */
#define BATCH_BYTES   ((uint64_t)1 << 20)   /* of one execution's buffers              */
#define STEAL_GAIN    1.25              /* stealing must be faster by so much          */
#define MAX_QUEUED    1000000u          /* of one device                               */

/* ---- the heap of flows ---- */

static bool before(const Flow *a, const Flow *b)
{
    if (a->first->priority != b->first->priority)
        return a->first->priority > b->first->priority;
    return a->vtime < b->vtime;
}

static void place(PoolDevice *d, uint32_t at, Flow *f)
{
    d->heap[at] = f;
    f->at = at;
}

static void sift_up(PoolDevice *d, uint32_t at)
{
    Flow *f = d->heap[at];
    while (at > 0 && before(f, d->heap[(at - 1) / 2])) {
        place(d, at, d->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    place(d, at, f);
}

static void sift_down(PoolDevice *d, uint32_t at)
{
    Flow *f = d->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < d->heap_len && before(d->heap[child + 1], d->heap[child]))
            child++;
        if (child >= d->heap_len || !before(d->heap[child], f))
            break;
        place(d, at, d->heap[child]);
        at = child;
    }
    place(d, at, f);
}

static bool heap_add(PoolDevice *d, Flow *f)
{
    if (d->heap_len == d->heap_cap) {
        uint32_t cap = d->heap_cap ? d->heap_cap * 2 : 16;
        Flow   **heap = realloc(d->heap, cap * sizeof *heap);
        if (!heap)
            return false;
        d->heap = heap;
        d->heap_cap = cap;
    }
    place(d, d->heap_len++, f);
    sift_up(d, f->at);
    return true;
}

static void heap_remove(PoolDevice *d, Flow *f)
{
    uint32_t at = f->at;
    Flow    *last = d->heap[--d->heap_len];
    f->at = UINT32_MAX;
    if (last == f)
        return;
    place(d, at, last);
    sift_up(d, at);
    sift_down(d, last->at);
}

/* Its first execution or its virtual time changed. */
static void heap_update(PoolDevice *d, Flow *f)
{
    if (!f->first) {
        heap_remove(d, f);
        return;
    }
    sift_up(d, f->at);
    sift_down(d, f->at);
}

/* ---- flows ---- */

static Flow *flow_get(weft_pool_context *ctx, PoolDevice *d)
{
    for (Flow *f = ctx->flows; f; f = f->next)
        if (f->device == d)
            return f;
    Flow *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (Flow){.ctx = ctx, .device = d, .next = ctx->flows, .at = UINT32_MAX};
    ctx->flows = f;
    return f;
}

void flows_fini(weft_pool_context *ctx)
{
    while (ctx->flows) {
        Flow *f = ctx->flows;
        BUG_IF(f->first, "a context ends with executions in a queue");
        ctx->flows = f->next;
        free(f);
    }
}

/* Behind those of its priority. */
static void insert(Flow *f, weft_execution *e)
{
    weft_execution *after = f->last;
    while (after && after->priority < e->priority)
        after = after->prev;
    e->prev = after;
    e->next = after ? after->next : f->first;
    if (e->next)
        e->next->prev = e;
    else
        f->last = e;
    if (after)
        after->next = e;
    else
        f->first = e;
}

static double cost_of(const weft_execution *e)
{
    return (e->estimate.total_ns - e->estimate.queue_ns) / e->ctx->weight;
}

/* When a context that had nothing to do has a turn: unused time is not saved up, and who sends
 * one execution at a time does not wait for two of others because the last one was long. */
static double start_time(const Flow *f, const weft_execution *e)
{
    const PoolDevice *d = f->device;
    double slack = cost_of(e);
    if (d->heap_len && cost_of(d->heap[0]->first) < slack)
        slack = cost_of(d->heap[0]->first);
    return f->vtime - slack > d->vclock ? f->vtime - slack : d->vclock;
}

bool schedule_push(weft_execution *e)
{
    PoolDevice *d = e->device;
    Flow       *f = d->queued < MAX_QUEUED ? flow_get(e->ctx, d) : NULL;
    if (!f)
        return false;
    bool idle = !f->first;
    if (idle)
        f->vtime = start_time(f, e);
    insert(f, e);
    e->flow = f;
    if (idle && !heap_add(d, f)) {
        f->first = f->last = NULL;
        e->flow = NULL;
        return false;
    }
    if (!idle)
        heap_update(d, f);
    if (e->state == EXEC_RUNNING) {     /* it runs again */
        e->ctx->usage.running--;
        e->ctx->usage.waiting++;
    }
    e->state = EXEC_QUEUED;
    d->queued++;
    d->backlog_ns += e->estimate.total_ns - e->estimate.queue_ns;
    return true;
}

static void take(weft_execution *e)
{
    Flow       *f = e->flow;
    PoolDevice *d = f->device;
    if (e->prev)
        e->prev->next = e->next;
    else
        f->first = e->next;
    if (e->next)
        e->next->prev = e->prev;
    else
        f->last = e->prev;
    e->next = e->prev = NULL;
    e->flow = NULL;
    d->queued--;
    heap_update(d, f);
}

static void forget_backlog(PoolDevice *d, const weft_execution *e)
{
    d->backlog_ns -= e->estimate.total_ns - e->estimate.queue_ns;
    if (d->backlog_ns < 0 || (!d->queued && !d->running_count))
        d->backlog_ns = 0;
}

void schedule_remove(weft_execution *e)
{
    PoolDevice *d = e->device;
    take(e);
    forget_backlog(d, e);
}

/* The time that was expected is charged at once, so that a context with many executions
 * cannot put them all in front; schedule_charge() corrects it. */
static void begin(PoolDevice *d, weft_execution *e)
{
    Flow *f = e->flow;
    d->vclock = f->vtime > d->vclock ? f->vtime : d->vclock;
    f->vtime += cost_of(e);
    take(e);
    e->state = EXEC_RUNNING;
    e->began_at = clock_ns();
    if (e->timed)
        pthread_cond_signal(&e->pool->watch_wake);
    e->ctx->usage.waiting--;
    e->ctx->usage.running++;
}

void schedule_enter(weft_execution *e)
{
    PoolDevice *d = e->device;
    double      expected = e->estimate.total_ns - e->estimate.queue_ns;
    d->backlog_ns += expected;
    for (Flow *f = e->ctx->flows; f; f = f->next)
        if (f->device == d)
            f->vtime = (f->vtime < d->vclock ? d->vclock : f->vtime)
                     + expected / e->ctx->weight;
}

void schedule_charge(weft_execution *e, double ns)
{
    double expected = e->estimate.total_ns - e->estimate.queue_ns;
    for (Flow *f = e->ctx->flows; f; f = f->next) {
        if (f->device != e->device)
            continue;
        f->vtime += (ns - expected) / e->ctx->weight;
        if (f->first)
            heap_update(f->device, f);
    }
    forget_backlog(e->device, e);
}

/* ---- batches ---- */

static bool is_small(const weft_execution *e)
{
    if (e->kind != EXEC_KERNEL || e->solo || e->memory > BATCH_BYTES || e->time_limit
        || e->estimate.run_ns > SMALL_NS)
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i].data)
            return false;
    return true;
}

uint32_t schedule_pop(PoolDevice *d, weft_execution **out)
{
    if (!d->heap_len)
        return 0;
    weft_execution *first = d->heap[0]->first;
    uint32_t        count = 0;
    double          together = first->estimate.run_ns;
    begin(d, first);
    out[count++] = first;
    if (!is_small(first))
        return count;
    while (count < BATCH_MOST && d->heap_len) {
        weft_execution *e = d->heap[0]->first;
        together += e->estimate.run_ns - e->estimate.launch_ns;
        if (e->program != first->program || !is_small(e) || together > BATCH_NS)
            break;
        begin(d, e);
        out[count++] = e;
    }
    return count;
}

/* ---- stealing ---- */

typedef struct Prey {
    weft_execution *e;
    Estimate        estimate;           /* on the thief                                */
    double          gain;               /* time in its queue over time on the thief    */
} Prey;

/* The last one of the flow that is next: it would wait longest. An execution that waited
 * longer than the queue promised is evidence against the promise. False: it cannot run on d. */
static bool consider(Prey *p, PoolDevice *from, PoolDevice *d, uint64_t now)
{
    weft_execution *e = from->heap[0]->last;
    char            why[200];
    if (e->kind != EXEC_KERNEL || e->pinned || choose_fault(e, d, why, sizeof why))
        return false;
    Cost   cost = estimate_cost(e);
    double waited = now > e->queued_at ? (double)(now - e->queued_at) : 0;
    p->e = e;
    p->estimate = estimate_on(e, &cost, d);
    double here = p->estimate.total_ns > 1 ? p->estimate.total_ns : 1;
    p->gain = (from->backlog_ns > waited ? from->backlog_ns : waited) / here;
    return true;
}

static bool move_to(PoolDevice *d, const Prey *p)
{
    weft_execution *e = p->e;
    schedule_remove(e);
    e->device = d;
    e->estimate = p->estimate;
    e->report.stolen = true;
    if (schedule_push(e))
        return true;
    exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for the queue");
    exe_end(e);
    return false;
}

bool schedule_steal(PoolDevice *d, uint64_t *again)
{
    weft_pool *pool = d->pool;
    uint64_t   now = clock_ns();
    Prey       best = {.gain = STEAL_GAIN};
    *again = CLOCK_NEVER;
    for (uint32_t i = 0; i < pool->device_count && d->state == WEFT_DEVICE_READY; i++) {
        PoolDevice *from = &pool->devices[i];
        Prey        p;
        if (from == d || !from->heap_len || (!from->busy && from->state == WEFT_DEVICE_READY)
            || !consider(&p, from, d, now))
            continue;
        uint64_t at = p.e->queued_at + (uint64_t)(STEAL_GAIN * p.estimate.total_ns) + 1;
        *again = at < *again ? at : *again;
        if (p.gain > best.gain)
            best = p;
    }
    return best.e && move_to(d, &best);
}
