// SPDX-License-Identifier: Apache-2.0
/*
 * failover.c - devices that are lost, and what becomes of the work they had.
 *
 * in     a device that was lost, with its batch and its queue
 * out    the device closed, to be opened again after a pause that grows; work on its way to
 *        another device, or ended with the reason
 * knows  which inputs are still held
 * not    how work runs (engine.c)
 */
#include <stdio.h>
#include <string.h>

#include "pool/pool_priv.h"

#define MOST_DOUBLINGS 8u

/* ---- the device ---- */

static uint64_t pause_of(const PoolDevice *d)
{
    uint32_t times = d->losses_in_row - 1;
    return d->pool->desc.backoff_ns << (times < MOST_DOUBLINGS ? times : MOST_DOUBLINGS);
}

void failover_lose(PoolDevice *d, const char *why)
{
    weft_pool *pool = d->pool;
    pool_lock(pool);
    weft_context *engine = d->engine;
    d->engine = NULL;
    d->generation++;
    d->losses++;
    d->losses_in_row++;
    pool->monitor.all.losses++;
    pool->monitor.device[d->index].losses++;
    snprintf(d->why, sizeof d->why, "%s", why);
    bool over = d->losses_in_row >= pool->desc.give_up;
    d->state = over ? WEFT_DEVICE_GIVEN_UP : WEFT_DEVICE_LOST;
    d->retry_at = clock_ns() + pause_of(d);
    resident_drop_all(d, true);
    monitor_device(pool, d, over ? "was lost too often and is given up" : "was lost");
    if (over)
        failover_reroute(d);
    pool_leave(pool);
    graveyard_empty(d);
    weft_context_release(engine);
}

void failover_reopened(PoolDevice *d)
{
    if (d->state == WEFT_DEVICE_LOST)
        monitor_device(d->pool, d, "is in use again");
    d->state = WEFT_DEVICE_READY;
}

/* ---- its work ---- */

/* Gives e a device, or ends it. */
static void send_elsewhere(weft_execution *e)
{
    if (!resident_usable(e)) {
        exe_end(e);
        return;
    }
    PoolDevice *to = choose_device(e, clock_ns());
    if (!to) {
        exe_end(e);
        return;
    }
    e->device = to;
    choose_next_turn(e);
    worker_submit(e);
}

void failover_reroute(PoolDevice *d)
{
    while (d->heap_len) {
        weft_execution *e = d->heap[0]->first;
        schedule_remove(e);
        send_elsewhere(e);
    }
}

static bool may_retry(const weft_execution *e)
{
    return !e->no_retry && !e->cancel && e->report.attempts <= e->pool->desc.retries;
}

void failover_retry(weft_execution *e, PoolDevice *from, const weft_pool_error *error)
{
    weft_pool *pool = e->pool;
    pool_lock(pool);
    schedule_charge(e, 0);
    if (e->charged)
        memory_give_device(from, e->ctx, e->memory);
    e->charged = false;
    if (e->report.error.kind || !may_retry(e)) {
        if (!e->report.error.kind)
            e->report.error = *error;
        /* A kernel that loses every device it gets is to blame, not the devices. */
        from->losses_in_row -= e->losses < from->losses_in_row ? e->losses : from->losses_in_row;
        exe_end(e);
        pool_leave(pool);
        return;
    }
    pool->monitor.all.retried++;
    pool->monitor.device[from->index].retried++;
    snprintf(e->report.note, sizeof e->report.note, "'%.60s' was lost (%.80s); ran again",
             from->found.name, error->message);
    e->solo = true;                     /* so that the cause of a second loss is known */
    send_elsewhere(e);
    pool_leave(pool);
}
