// SPDX-License-Identifier: Apache-2.0
/*
 * engine.c - runs a batch of executions on a device: upload, dispatch, read.
 *
 * in     executions, by the owner of the device
 * out    executions that ended, or that failover.c sent on
 * knows  weft/context.h
 * not    queues, choice, who the owner is
 */
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

#define COLLECT_MOST ((uint64_t)1 << 20)    /* bytes of outputs read with one map      */
#define MAX_READS    256u
#define LATE_GRACE   ((uint64_t)100000000)  /* ns after its deadline that one may still run */

/* One output on its way to the host. */
typedef struct Read {
    weft_execution *e;
    Arg            *arg;
    uint64_t        offset;             /* in the collecting buffer                    */
    WGPUFuture      future;
    bool            ok, done;
    uint64_t        copy_ns;
} Read;

typedef struct Run {
    PoolDevice      *d;
    weft_execution **batch;
    uint32_t         count;
    Read            *reads;             /* [read_count]                                */
    uint32_t         read_count;
    Read             few[8];
    weft_buffer     *collector;
    weft_pool_error  error;             /* of the whole batch                          */
    bool             started[BATCH_MOST];   /* dispatched                              */
    uint64_t         began, submitted, last_sample;
} Run;

/* ---- opening ---- */

weft_context_desc engine_desc(const weft_pool *pool, const DeviceFound *f)
{
    return (weft_context_desc){
        .adapter = f->word, .library = f->library ? f->library : "weft",
        .threads = f->library ? 0 : pool->desc.threads,
        .dispatch_deadline = f->foreign ? 0 : pool->desc.dispatch_deadline,
        .no_cache = pool->desc.no_cache, .label = f->name,
    };
}

static bool take_error(weft_context *ctx, weft_pool_error *out)
{
    const weft_error *e = weft_context_error(ctx);
    pool_fail(out, e->kind ? e->kind : WEFT_ERROR_INTERNAL,
              e->name_count ? e->names[0] : NULL, "%s",
              e->kind ? e->message : "the device gives no reason");
    weft_context_error_clear(ctx);
    return false;
}

/* The accounts of the pool have the bytes of users; staging, uniform values and the sizes of
 * pooled buffers come on top. */
static uint64_t engine_budget(uint64_t budget)
{
    uint64_t more = budget / 4 + ((uint64_t)1 << 20);
    return budget > UINT64_MAX - more ? WEFT_OFF : budget + more;
}

bool engine_open(PoolDevice *d, weft_pool_error *error)
{
    weft_context_desc wish = engine_desc(d->pool, &d->found);
    if (d->engine)
        return true;
    wish.memory_budget = engine_budget(d->memory_budget);
    weft_context *engine = weft_context_create(&wish);
    if (!engine)
        return pool_fail(error, WEFT_ERROR_MEMORY, NULL, "no memory for a device");
    if (weft_context_error(engine)->kind) {
        take_error(engine, error);
        weft_context_release(engine);
        return false;
    }
    context_add_evictor(engine, resident_evict, d);
    pool_lock(d->pool);
    d->engine = engine;
    failover_reopened(d);
    pool_leave(d->pool);
    return true;
}

/* ---- before the dispatch ---- */

static bool take_memory(PoolDevice *d, weft_execution *e)
{
    weft_pool_error why = {0};
    bool            ok = false;
    for (int round = 0; round < 2; round++) {
        why = (weft_pool_error){0};
        pool_lock(e->pool);
        e->charged = ok = memory_take_device(d, e->ctx, e->memory, &why);
        pool_leave(e->pool);
        if (ok || round == 1 || !resident_evict(d, e->memory))
            break;
    }
    if (!ok)
        e->work.error = why;
    return ok;
}

static void give_memory(PoolDevice *d, weft_execution *e)
{
    pool_lock(e->pool);
    if (e->charged)
        memory_give_device(d, e->ctx, e->memory);
    e->charged = false;
    pool_leave(e->pool);
}

static bool make_buffers(PoolDevice *d, weft_execution *e)
{
    weft_execute_report *r = &e->work;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        Arg *a = &e->args[i];
        bool uniform = e->program->point->bindings[i].kind == WEFT_BINDING_UNIFORM;
        if (a->data) {
            a->buffer = resident_buffer(a->data, d, &r->error, &r->bytes_uploaded);
            if (!a->buffer)
                return false;
            continue;
        }
        r->bytes_uploaded += a->in_size;
        if (lend_is_used(a, d)) {
            if (!lend_buffer(a, d))
                return take_error(d->engine, &r->error);
            continue;
        }
        if (uniform && a->size <= 1024)
            continue;                   /* goes with the dispatch */
        a->buffer = weft_buffer_create(d->engine, &(weft_buffer_desc){
            .size = a->size, .data = a->in, .data_size = a->in ? a->in_size : 0,
            .usage = uniform ? WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst : 0,
            .label = e->program->point->bindings[i].name});
        if (!a->buffer)
            return take_error(d->engine, &r->error);
    }
    return true;
}

static bool dispatch(PoolDevice *d, weft_execution *e, weft_pipeline *pipeline)
{
    weft_binding bindings[MAX_BINDINGS];
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const Arg *a = &e->args[i];
        bindings[i] = a->buffer ? (weft_binding){.buffer = a->buffer,
                                                 .size = (a->size + 3) & ~(uint64_t)3}
                                : (weft_binding){.data = a->in, .data_size = (uint32_t)a->size};
    }
    weft_dispatch wish = {.pipeline = pipeline, .bindings = bindings,
                          .binding_count = e->arg_count,
                          .groups = {e->groups[0], e->groups[1], e->groups[2]}};
    return weft_context_dispatch(d->engine, &wish) || take_error(d->engine, &e->work.error);
}

static bool stage(PoolDevice *d, weft_execution *e)
{
    weft_execute_report *r = &e->work;
    r->device = d->found.name;
    r->device_index = d->index;
    if (!take_memory(d, e))
        return false;
    weft_pipeline *pipeline = program_pipeline(e->program, d, &r->compile_ns);
    if (!pipeline)
        return take_error(d->engine, &r->error);
    uint64_t start = clock_ns();
    bool     ok = make_buffers(d, e) && dispatch(d, e, pipeline);
    r->upload_ns = clock_ns() - start;
    r->memory = e->memory;
    return ok;
}

/* Back to the pools. `written`: outputs in resident data are the newest version. */
static void unstage(PoolDevice *d, weft_execution *e, bool written)
{
    bool locked = false;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        Arg *a = &e->args[i];
        if (a->buffer && !a->data)
            weft_buffer_release(a->buffer);
        weft_buffer_release(a->source);
        a->source = NULL;
        if (a->buffer && a->data) {
            if (!locked)
                pool_lock(e->pool);
            locked = true;
            resident_done(a->data, d, written && a->output);
        }
        a->buffer = NULL;
    }
    if (locked)
        pool_leave(e->pool);
}

/* ---- reading ---- */

static void copy_out(Read *r, const void *data)
{
    weft_execution *e = r->e;
    uint64_t        start = clock_ns();
    bool            mine = true;
    if (e->device->found.foreign) {
        /* The watch may have ended it: then its memory is not ours any more. */
        pool_lock(e->pool);
        mine = e->state == EXEC_RUNNING || e->state == EXEC_COPYING;
        if (mine)
            e->state = EXEC_COPYING;
        pool_unlock(e->pool);
    }
    if (mine && r->arg && r->arg->widen)
        layout_widen(r->arg->out, data, r->arg->out_size / 4);
    else if (mine && r->arg)
        memcpy(r->arg->out, data, (size_t)r->arg->out_size);
    r->copy_ns = clock_ns() - start;
    r->ok = true;
}

static void on_read(void *user, bool ok, const void *data, uint64_t size)
{
    Read *r = user;
    (void)size;
    if (ok)
        copy_out(r, data);
    r->done = true;
}

static void on_collected(void *user, bool ok, const void *data, uint64_t size)
{
    Run *run = user;
    (void)size;
    for (uint32_t i = 0; i < run->read_count; i++) {
        if (ok)
            copy_out(&run->reads[i], (const uint8_t *)data + run->reads[i].offset);
        run->reads[i].done = true;
    }
}

static void on_done(void *user, bool ok)
{
    Read *r = user;
    r->ok = ok;
    r->done = true;
}

static bool must_read(const Arg *a, const PoolDevice *d)
{
    return a->output && !a->data && !lend_is_used(a, d);
}

static uint32_t count_reads(const weft_execution *e, const PoolDevice *d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->arg_count; i++)
        count += must_read(&e->args[i], d);
    return count;
}

/* A read for each output that goes to the host. */
static bool list_reads(Run *run, uint64_t *bytes)
{
    uint32_t count = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < run->count; i++)
        count += run->started[i] ? count_reads(run->batch[i], run->d) : 0;
    run->reads = count <= COUNTOF(run->few) ? run->few : calloc(count, sizeof *run->reads);
    if (!run->reads)
        return pool_fail(&run->error, WEFT_ERROR_MEMORY, NULL, "no memory for a batch");
    for (uint32_t i = 0; i < run->count; i++) {
        weft_execution *e = run->batch[i];
        for (uint32_t k = 0; run->started[i] && k < e->arg_count; k++) {
            Arg *a = &e->args[k];
            e->work.bytes_read += a->output && !a->data ? a->out_size : 0;
            if (!must_read(a, run->d))
                continue;
            run->reads[run->read_count++] = (Read){.e = e, .arg = a, .offset = *bytes};
            *bytes += (a->out_size + 15) & ~(uint64_t)15;
        }
    }
    return true;
}

/* Several small outputs go through one buffer, which is mapped once. */
static bool start_collected(Run *run, uint64_t bytes)
{
    weft_context *engine = run->d->engine;
    run->collector = weft_buffer_create(engine, &(weft_buffer_desc){
        .size = bytes, .uninitialized = true, .label = "outputs"});
    bool ok = run->collector != NULL;
    for (uint32_t i = 0; ok && i < run->read_count; i++) {
        Read *r = &run->reads[i];
        ok = weft_buffer_copy(run->collector, r->offset, r->arg->buffer, 0, r->arg->out_size);
    }
    if (!ok)
        return take_error(engine, &run->error);
    run->submitted = clock_ns();
    run->reads[0].future = weft_buffer_read_async(run->collector, 0, bytes, on_collected, run);
    return run->reads[0].future.id || take_error(engine, &run->error);
}

static bool start_each(Run *run)
{
    run->submitted = clock_ns();
    for (uint32_t i = 0; i < run->read_count; i++) {
        Read *r = &run->reads[i];
        r->future = weft_buffer_read_async(r->arg->buffer, 0, r->arg->out_size, on_read, r);
        if (!r->future.id)
            return take_error(run->d->engine, &run->error);
    }
    return true;
}

/* Nothing to read: a device with deadlines tells of its loss only to those who map. */
static bool start_end(Run *run)
{
    weft_context *engine = run->d->engine;
    weft_buffer  *any = NULL;
    for (uint32_t i = 0; i < run->count && !any; i++)
        for (uint32_t k = 0; run->started[i] && k < run->batch[i]->arg_count && !any; k++)
            any = run->batch[i]->program->point->bindings[k].kind != WEFT_BINDING_UNIFORM
                ? run->batch[i]->args[k].buffer : NULL;
    Read *r = &run->reads[0];
    *r = (Read){.e = run->batch[0]};
    run->read_count = 1;
    run->submitted = clock_ns();
    r->future = run->d->pool->desc.dispatch_deadline && any
              ? weft_buffer_read_async(any, 0, 4, on_read, r)
              : weft_context_done_async(engine, on_done, r);
    return r->future.id || take_error(engine, &run->error);
}

static bool start_reads(Run *run)
{
    uint64_t bytes;
    if (!list_reads(run, &bytes))
        return false;
    if (run->read_count == 0)
        return start_end(run);
    if (run->read_count > 1 && (bytes <= COLLECT_MOST || run->read_count > MAX_READS))
        return start_collected(run, bytes);
    return start_each(run);
}

/* ---- waiting ---- */

static void take_sample(Run *run, uint64_t now)
{
    weft_pool  *pool = run->d->pool;
    PoolDevice *d = run->d;
    pool_lock(pool);
    uint64_t used = d->memory_used;
    uint32_t queued = d->queued;
    pool_unlock(pool);
    for (uint32_t i = 0; i < run->count; i++) {
        weft_execution *e = run->batch[i];
        if (!run->started[i])
            continue;
        e->work.samples++;
        weft_sample s = {.execution = e->work.id, .device = d->index, .kernel = e->label,
                         .elapsed_ns = now - run->began,
                         .expected_ns = (uint64_t)e->estimate.run_ns, .device_memory = used,
                         .queued = queued};
        if (pool->desc.sample)
            pool->desc.sample(pool->desc.user, &s);
    }
}

/* When an execution that was started is ended by force; CLOCK_NEVER: never. Ending it costs the
 * device, so one that is late has a moment to end by itself. */
static uint64_t last_moment(const Run *run, const weft_execution *e)
{
    uint64_t limit = e->time_limit, late = e->deadline;
    uint64_t end = limit && limit < CLOCK_NEVER - run->submitted ? run->submitted + limit
                                                                 : CLOCK_NEVER;
    late = late < CLOCK_NEVER - LATE_GRACE ? late + LATE_GRACE : CLOCK_NEVER;
    return late < end ? late : end;
}

/* ns until the first of the batch must be ended by force, and why; UINT64_MAX: none must. */
static uint64_t time_left(const Run *run, uint64_t now, const char **why)
{
    uint64_t first = CLOCK_NEVER;
    for (uint32_t i = 0; i < run->count; i++) {
        const weft_execution *e = run->batch[i];
        uint64_t              end = run->started[i] ? last_moment(run, e) : CLOCK_NEVER;
        if (end >= first)
            continue;
        first = end;
        *why = e->time_limit && now - run->submitted >= e->time_limit
                   ? "it ran longer than its time limit" : "it still ran after its deadline";
    }
    return first == CLOCK_NEVER ? UINT64_MAX : first > now ? first - now : 0;
}

/* Kernels that are known to end before the first sample are waited for without a look in
 * between: the thread that waits can then do the work, and none must be woken for it. */
static bool is_short(const Run *run)
{
    double most = (double)run->d->pool->desc.sample_ns / 2;
    for (uint32_t i = 0; i < run->count; i++) {
        const weft_execution *e = run->batch[i];
        const ProgramDevice  *on = &e->program->on[run->d->index];
        bool watched = e->time_limit || e->deadline != CLOCK_NEVER;
        if (run->started[i] && (!on->ran || watched || e->estimate.run_ns > most))
            return false;
    }
    return !run->d->found.foreign;
}

/* False: an error, or the time is over. */
static bool wait_one(Run *run, Read *r)
{
    weft_context *engine = run->d->engine;
    uint64_t      every = is_short(run) ? WEFT_OFF : run->d->pool->desc.sample_ns;
    while (!r->done) {
        const char *why = NULL;
        uint64_t    left = time_left(run, clock_ns(), &why);
        if (left == 0)
            return pool_fail(&run->error, WEFT_ERROR_TIMEOUT, NULL, "%s", why);
        if (weft_context_wait_future(engine, r->future, left < every ? left : every))
            break;
        if (weft_context_error(engine)->kind != WEFT_ERROR_TIMEOUT)
            return take_error(engine, &run->error);
        weft_context_error_clear(engine);
        if (!r->done)
            take_sample(run, clock_ns());
    }
    return r->ok || take_error(engine, &run->error);
}

static bool wait_reads(Run *run)
{
    uint32_t futures = run->collector ? 1 : run->read_count;
    for (uint32_t i = 0; i < futures; i++)
        if (!wait_one(run, &run->reads[i]))
            return false;
    return true;
}

/* After an error: callbacks of reads under way must not come later. */
static void drain_reads(Run *run)
{
    for (uint32_t i = 0; i < run->read_count; i++) {
        Read *r = &run->reads[i];
        if (r->future.id && !r->done
            && !weft_context_wait_future(run->d->engine, r->future, WEFT_OFF))
            weft_context_error_clear(run->d->engine);
    }
}

/* ---- the end of a batch ---- */

static void fill_report(const Run *run, weft_execution *e, uint64_t now, uint32_t started)
{
    weft_execute_report *r = &e->work;
    uint64_t copies = 0;
    for (uint32_t i = 0; i < run->read_count; i++) {
        copies += run->reads[i].copy_ns;
        if (run->reads[i].e == e)
            r->read_ns += run->reads[i].copy_ns;
    }
    uint64_t all = now - run->submitted;
    r->run_ns = all > copies ? all - copies : 0;
    r->batch = started;
}

static void learn(const Run *run, weft_execution *e)
{
    const weft_execute_report *r = &e->work;
    double run_ns = (double)r->run_ns;
    e->program->on[run->d->index].ran = true;
    if (r->batch > 1 || e->whole || r->compile_ns)
        return;                         /* some of the compilation may be in the run */
    estimate_learn(e, run->d, run_ns + (double)(r->upload_ns + r->read_ns));
    double all = 1;
    for (int i = 0; i < 3; i++)
        all *= (double)e->groups[i] * e->program->special.workgroup_size[i];
    e->work.baseline_ns = monitor_baseline(e->pool, e->program->hash, e->label, run->d->index,
                                             (uint64_t)all, run_ns);
}

/* Under the lock. */
static void end_one(Run *run, uint32_t i, uint64_t now, uint32_t started)
{
    weft_execution      *e = run->batch[i];
    weft_execute_report *r = &e->work;
    if (e->state == EXEC_ENDED)
        return;                         /* the watch was faster */
    double used = (double)(r->upload_ns + r->read_ns) + (double)r->run_ns / started;
    e->ctx->usage.device_ns += (uint64_t)used;
    schedule_charge(e, used);
    if (!r->error.kind && run->started[i])
        learn(run, e);
    if (!r->error.kind && e->cancel)
        pool_fail(&r->error, WEFT_ERROR_CANCELLED, NULL, "%s: cancelled while it ran", e->label);
    if (!r->error.kind && e->deadline < now)
        pool_fail(&r->error, WEFT_ERROR_TIMEOUT, NULL, "%s: it ended after its deadline",
                  e->label);
    if (!r->error.kind)
        run->d->losses_in_row = 0;
    e->report = *r;
    exe_end(e);
}

static uint32_t count_started(const Run *run)
{
    uint32_t started = 0;
    for (uint32_t i = 0; i < run->count; i++)
        started += run->started[i];
    return started ? started : 1;
}

static void end_batch(Run *run)
{
    weft_pool *pool = run->d->pool;
    uint64_t   now = clock_ns();
    uint32_t   started = count_started(run);
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->started[i])
            fill_report(run, run->batch[i], now, started);
        unstage(run->d, run->batch[i], run->started[i] && !run->batch[i]->work.error.kind);
    }
    lend_wait(run->d);
    pool_lock(pool);
    for (uint32_t i = 0; i < run->count; i++)
        end_one(run, i, now, started);
    pool_leave(pool);
}

/* ---- the end of a device ---- */

/* The device was given up while this thread hung in it. Reads under way refer to this run:
 * they end with the engine. */
static void close_stuck(PoolDevice *d)
{
    pool_lock(d->pool);
    weft_context *engine = d->engine;
    d->engine = NULL;
    pool_unlock(d->pool);
    graveyard_empty(d);
    weft_context_release(engine);
}

/* Nothing is lost but the device: all run again, each alone. One that ran alone was the
 * cause of a time that is over. */
static void lose_batch(Run *run)
{
    weft_pool_error why = run->error;
    bool late = why.kind == WEFT_ERROR_TIMEOUT
             || (why.kind == WEFT_ERROR_DEVICE_LOST && strstr(why.message, "deadline"));
    for (uint32_t i = 0; i < run->count; i++)
        unstage(run->d, run->batch[i], false);
    lend_wait(run->d);
    weft_buffer_release(run->collector);
    run->collector = NULL;
    pool_lock(run->d->pool);
    bool stuck = run->d->stuck;
    for (uint32_t i = 0; i < run->count && !stuck; i++)
        run->batch[i]->report = run->batch[i]->work;
    pool_unlock(run->d->pool);
    if (stuck) {
        close_stuck(run->d);
        return;
    }
    failover_lose(run->d, why.message);
    for (uint32_t i = 0; i < run->count; i++) {
        weft_execution *e = run->batch[i];
        e->losses += run->count == 1;
        if (late && run->count == 1) {
            e->no_retry = true;
            why.kind = WEFT_ERROR_TIMEOUT;
        }
        failover_retry(e, run->d, &why);
    }
}

static bool is_loss(const Run *run, weft_pool_error *out)
{
    const weft_pool_error *found = run->error.kind ? &run->error : NULL;
    for (uint32_t i = 0; i < run->count && !found; i++)
        if (run->batch[i]->work.error.kind == WEFT_ERROR_DEVICE_LOST)
            found = &run->batch[i]->work.error;
    if (!found || (found->kind != WEFT_ERROR_DEVICE_LOST && found->kind != WEFT_ERROR_TIMEOUT))
        return false;
    *out = *found;
    return true;
}

/* An error that concerns the submit as a whole: those that were in it run alone, so that
 * each meets its own error. */
static void part_batch(Run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        weft_execution *e = run->batch[i];
        if (!run->started[i] || e->work.error.kind)
            continue;
        if (run->count == 1)
            e->work.error = run->error;
    }
}

static void begin(Run *run, weft_execution *e)
{
    weft_execute_report *r = &e->work;
    *r = e->report;
    r->attempts++;
    r->bytes_uploaded = r->bytes_read = r->read_ns = 0;
    r->queue_ns += e->queued_at && run->began > e->queued_at ? run->began - e->queued_at : 0;
}

/* Before anything is done for it: false if it need not run. */
static bool may_begin(Run *run, weft_execution *e)
{
    if (e->cancel)
        return pool_fail(&e->work.error, WEFT_ERROR_CANCELLED, NULL, "%s: cancelled", e->label);
    if (e->deadline <= run->began)
        return pool_fail(&e->work.error, WEFT_ERROR_TIMEOUT, NULL, "%s: the deadline passed "
                         "before it could run", e->label);
    return true;
}

static void run_alone(PoolDevice *d, weft_execution **batch, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        engine_run(d, &batch[i], 1);
}

static bool stage_all(Run *run)
{
    bool any = false;
    for (uint32_t i = 0; i < run->count; i++) {
        weft_execution *e = run->batch[i];
        begin(run, e);
        run->started[i] = may_begin(run, e) && stage(run->d, e);
        any = any || run->started[i];
        if (e->work.error.kind == WEFT_ERROR_DEVICE_LOST)
            return false;
    }
    return any;
}

/* Executions that a failed submit leaves: alone they find out whose fault it was. */
static bool retry_alone(Run *run)
{
    uint32_t left = 0;
    weft_execution *again[BATCH_MOST];
    drain_reads(run);
    if (!run->error.kind || run->count == 1)
        return false;
    for (uint32_t i = 0; i < run->count; i++) {
        if (!run->started[i] || run->batch[i]->work.error.kind)
            continue;
        unstage(run->d, run->batch[i], false);
        give_memory(run->d, run->batch[i]);
        again[left++] = run->batch[i];
        run->batch[i]->solo = true;
    }
    weft_buffer_release(run->collector);
    run->collector = NULL;
    uint32_t ended = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        bool goes_on = run->started[i] && !run->batch[i]->work.error.kind;
        run->started[ended] = run->started[i] && !goes_on;
        run->batch[ended] = run->batch[i];
        ended += !goes_on;
    }
    run->count = ended;
    run->error = (weft_pool_error){0};
    end_batch(run);
    run_alone(run->d, again, left);
    return true;
}

void engine_run(PoolDevice *d, weft_execution **batch, uint32_t count)
{
    Run run = {.d = d, .count = count, .began = clock_ns()};
    weft_execution *own[BATCH_MOST];
    memcpy(own, batch, count * sizeof *own);
    run.batch = own;                    /* the caller's array stays as it is */
    if (d->graveyard_count)
        graveyard_empty(d);
    if (!d->engine && !engine_open(d, &run.error)) {
        run.error.kind = WEFT_ERROR_DEVICE_LOST;
        for (uint32_t i = 0; i < count; i++)
            begin(&run, batch[i]);
        lose_batch(&run);
        return;
    }
    bool ok = !stage_all(&run) || (start_reads(&run) && wait_reads(&run));
    if (is_loss(&run, &run.error)) {
        for (uint32_t i = 0; i < run.count; i++)
            if (run.batch[i]->work.error.kind == WEFT_ERROR_DEVICE_LOST)
                run.batch[i]->work.error = (weft_pool_error){0};
        lose_batch(&run);
    } else if (ok || !retry_alone(&run)) {
        part_batch(&run);
        weft_buffer_release(run.collector);
        end_batch(&run);
    }
    if (run.reads != run.few)
        free(run.reads);
    if (d->graveyard_count)
        graveyard_empty(d);
}
