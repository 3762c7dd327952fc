// SPDX-License-Identifier: Apache-2.0
/*
 * execute.c - weft_execute() and executions as objects: how they are made, wait and end.
 *
 * in     a weft_execute_desc
 * out    an execution that ends exactly once, with its result or an error
 * knows  that a caller that finds its device idle runs its work itself, without a thread
 * not    how work runs (engine.c), in which order (schedule.c)
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_priv.h"

/* ---- errors ---- */

PRINTF_LIKE(4, 0)
static void set_error(weft_pool_error *error, weft_error_kind kind, const char *name,
                      const char *fmt, va_list args)
{
    if (error->kind)
        return;
    error->kind = kind;
    vsnprintf(error->message, sizeof error->message, fmt, args);
    snprintf(error->name, sizeof error->name, "%s", name ? name : "");
}

bool pool_fail(weft_pool_error *error, weft_error_kind kind, const char *name, const char *fmt,
               ...)
{
    va_list args;
    va_start(args, fmt);
    set_error(error, kind, name, fmt, args);
    va_end(args);
    return false;
}

bool exe_fail(weft_execution *e, weft_error_kind kind, const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_error(&e->report.error, kind, name, fmt, args);
    va_end(args);
    return false;
}

/* ---- lifetime ---- */

void exe_init(weft_execution *e, weft_pool_context *ctx)
{
    memset(e, 0, sizeof *e);
    atomic_init(&e->refs, 1);
    e->pool = ctx->pool;
    e->ctx = ctx;
    e->args = e->inline_args;
    e->deadline = CLOCK_NEVER;
    e->made_at = clock_ns();
    e->report.device = "";
    e->report.device_index = UINT32_MAX;
    e->report.parts = 1;
}

weft_execution *exe_new(weft_pool_context *ctx)
{
    weft_execution *e = malloc(sizeof *e);
    if (!e)
        return NULL;
    exe_init(e, ctx);
    e->heap = true;
    clock_cond_init(&e->ended);
    e->has_cond = true;
    atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
    return e;
}

void exe_fini(weft_execution *e)
{
    arguments_fini(e);
    program_release(e->pool, e->program);
    free(e->blocked);
    for (uint32_t i = 0; i < e->part_count; i++)
        exe_unref(e->parts[i]);
    free(e->parts);
    if (e->has_cond)
        pthread_cond_destroy(&e->ended);
}

void exe_ref(weft_execution *e)
{
    atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
}

void exe_unref(weft_execution *e)
{
    if (!e || atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) != 1)
        return;
    weft_pool_context *ctx = e->ctx;
    exe_fini(e);
    free(e);
    client_unref(ctx);
}

/* ---- the beginning ---- */

static void copy_text(char *out, size_t size, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    length = length < size ? length : size - 1;
    memcpy(out, text ? text : "", length);
    out[length] = '\0';
}

static bool set_policy(weft_execution *e, const weft_execute_desc *desc)
{
    const weft_pool_context *ctx = e->ctx;
    const weft_pool_desc    *pool = &e->pool->desc;
    const char *word = desc->device;
    e->policy = desc->policy;
    if (!e->policy && word)
        e->policy = WEFT_POLICY_DEVICE;
    if (!e->policy) {
        e->policy = ctx->policy;
        word = ctx->device;
    }
    if (!e->policy) {
        e->policy = pool->policy;
        word = pool->device;
    }
    if ((uint32_t)e->policy >= WEFT_POLICY_COUNT)
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "unknown policy %u", (unsigned)e->policy);
    if (e->policy == WEFT_POLICY_DEVICE && (!word || !*word))
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "the policy 'device' needs a name in "
                         "`device`");
    copy_text(e->word, sizeof e->word, word);
    return true;
}

static bool check_desc(weft_execution *e, const weft_execute_desc *desc)
{
    if (!desc || !desc->wgsl)
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "the WGSL is NULL");
    if (desc->constant_count && !desc->constants)
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "constant_count without constants");
    for (uint32_t i = 0; i < desc->constant_count; i++)
        if (!desc->constants[i].name)
            return exe_fail(e, WEFT_ERROR_INVALID, NULL, "constant %u has no name", i);
    return true;
}

static void set_program_error(weft_execution *e)
{
    const weft_pool_error *p = &e->program->error;
    exe_fail(e, p->kind, *p->name ? p->name : NULL, "%s: %s",
              e->label[0] ? e->label : "kernel", p->message);
}

/* What the desc says, without a device. */
static bool prepare(weft_execution *e, const weft_execute_desc *desc, bool copy)
{
    bool swapped = false;
    if (!check_desc(e, desc) || !set_policy(e, desc))
        return false;
    copy_text(e->label, sizeof e->label, desc->label);
    e->program = program_get(e->pool, desc);
    if (!e->program)
        return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for a kernel");
    if (desc->optimize)
        e->program = program_optimized(e->pool, e->program, &swapped);
    if (e->program->error.kind) {
        set_program_error(e);
        return false;
    }
    if (!e->label[0])
        copy_text(e->label, sizeof e->label, e->program->entry);
    e->priority = desc->priority;
    e->no_retry = desc->no_retry;
    e->time_limit = desc->time_limit ? desc->time_limit : e->pool->desc.time_limit;
    if (desc->deadline && desc->deadline < CLOCK_NEVER - e->made_at)
        e->deadline = e->made_at + desc->deadline;
    if (!arguments_set(e, desc, copy))
        return false;
    if (!desc->split_unit)
        lend_choose(e);
    pool_lock(e->pool);
    bool ok = groups_set(e, desc);
    pool_unlock(e->pool);
    if (ok && swapped && (desc->groups[0] || desc->groups[1] || desc->groups[2])) {
        uint32_t x = e->groups[0];      /* counts were meant for the kernel as it was */
        e->groups[0] = e->groups[1];
        e->groups[1] = x;
    }
    if (ok && desc->memory_limit && e->memory > desc->memory_limit)
        return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "%s: %llu bytes are needed, the limit is "
                         "%llu", e->label, (unsigned long long)e->memory,
                         (unsigned long long)desc->memory_limit);
    return ok;
}

/* Under the lock: the context's quotas. */
static bool check_quotas(weft_execution *e)
{
    const weft_pool_context *ctx = e->ctx;
    if (ctx->execution_quota
        && ctx->usage.waiting + ctx->usage.running >= ctx->execution_quota)
        return exe_fail(e, WEFT_ERROR_QUOTA, ctx->label, "%s: %u executions wait or run "
                         "already, that is the quota of '%s'", e->label, ctx->execution_quota,
                         ctx->label);
    if (ctx->time_quota && ctx->usage.device_ns >= ctx->time_quota)
        return exe_fail(e, WEFT_ERROR_QUOTA, ctx->label, "%s: '%s' has used its quota of %llu "
                         "ns of devices", e->label, ctx->label,
                         (unsigned long long)ctx->time_quota);
    if (ctx->closing || e->pool->closing)
        return exe_fail(e, WEFT_ERROR_CANCELLED, ctx->label, "%s: the context was released",
                         e->label);
    return true;
}

static void number(weft_execution *e)
{
    e->report.id = ++e->pool->next_id;
    if (e->program) {
        memcpy(e->report.groups, e->groups, sizeof e->groups);
        memcpy(e->report.workgroup_size, e->program->special.workgroup_size,
               sizeof e->report.workgroup_size);
    }
}

/* ---- the end ---- */

void exe_end(weft_execution *e)
{
    weft_pool *pool = e->pool;
    bool       ok = !e->report.error.kind, began = e->began_at != 0;
    BUG_IF(e->state == EXEC_ENDED, "an execution ends twice");
    if (e->state == EXEC_BLOCKED || e->state == EXEC_QUEUED)
        e->ctx->usage.waiting--;
    else if (e->state != EXEC_NEW)
        e->ctx->usage.running--;
    e->state = EXEC_ENDED;
    worker_unwatch(e);
    if (e->charged)
        memory_give_device(e->device, e->ctx, e->memory);
    e->charged = false;
    e->report.total_ns = clock_ns() - e->made_at;
    if (e->kind == EXEC_KERNEL) {
        e->ctx->usage.executions += !e->whole;
        e->ctx->usage.errors += !ok && !e->whole;
        monitor_ended(pool, e);
        if (!ok)
            client_note_error(e->ctx, &e->report.error);
    }
    if (e->arg_count)
        resident_finish(e, ok, began);
    if (e->whole)
        divide_part_ended(e);
    if (!e->heap)
        return;
    if (e->waiters)
        pthread_cond_broadcast(&e->ended);
    e->told_next = NULL;                /* the reference of its run goes along */
    if (pool->ended_last)
        pool->ended_last->told_next = e;
    else
        pool->ended_first = e;
    pool->ended_last = e;
}

void pool_leave(weft_pool *pool)
{
    weft_execution *ended = pool->ended_first;
    AlertNode      *alerts = pool->alerts_first;
    pool->ended_first = pool->ended_last = NULL;
    pool->alerts_first = pool->alerts_last = NULL;
    pool_unlock(pool);
    monitor_tell(pool, alerts);
    while (ended) {
        weft_execution *next = ended->told_next;
        if (ended->callback)
            ended->callback(ended->user, ended, &ended->report);
        exe_unref(ended);
        ended = next;
    }
}

/* ---- on its way ---- */

/* A barrier is run by the thread that waits for it. */
static void start_barrier(weft_execution *e)
{
    e->state = EXEC_RUNNING;
    e->ctx->usage.waiting--;
    e->ctx->usage.running++;
    pthread_cond_broadcast(&e->ended);
}

void exe_start(weft_execution *e)
{
    if (!resident_usable(e)) {
        exe_end(e);
        return;
    }
    if (e->kind == EXEC_BARRIER) {
        start_barrier(e);
        return;
    }
    if (!e->pinned)
        e->device = choose_device(e, clock_ns());
    if (!e->device) {
        exe_end(e);
        return;
    }
    if (!e->pinned)
        choose_next_turn(e);
    worker_submit(e);
}

/* Under the lock: from NEW on; the reference of the run is held until the end is told. */
void exe_submit(weft_execution *e)
{
    exe_ref(e);
    number(e);
    if (e->report.error.kind || (e->kind == EXEC_KERNEL && !e->whole && !check_quotas(e))) {
        exe_end(e);
        return;
    }
    e->ctx->usage.waiting++;
    e->state = EXEC_BLOCKED;
    if (!e->parts_left)
        worker_watch(e);
    if (!e->parts_left && !resident_depend(e))
        exe_fail(e, WEFT_ERROR_MEMORY, NULL, "%s: no memory for its dependencies", e->label);
    if (e->report.error.kind)
        exe_end(e);
    else if (e->blockers == 0 && !e->parts_left)
        exe_start(e);
}

/* ---- blocking ---- */

/* Under the lock: the caller itself may run it, if nothing else waits for anything. */
static bool may_run_here(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i].data)
            for (uint32_t k = 0; k < e->args[i].data->user_count; k++)
                return false;
    e->device = choose_device(e, e->made_at);
    if (!e->device || !worker_try_own(e->device))
        return false;
    choose_next_turn(e);
    return true;
}

static void run_here(weft_execution *e)
{
    PoolDevice *d = e->device;
    weft_pool  *pool = e->pool;
    weft_execution *batch[1] = {e};
    e->state = EXEC_RUNNING;
    e->began_at = clock_ns();
    e->ctx->usage.running++;
    schedule_enter(e);
    bool ok = resident_depend(e);
    if (ok) {
        pool_leave(pool);
        engine_run(d, batch, 1);
        pool_lock(pool);
    } else {
        exe_fail(e, WEFT_ERROR_MEMORY, NULL, "%s: no memory for its dependencies", e->label);
        exe_end(e);
    }
    worker_disown(d);
}

void exe_wait(weft_execution *e)
{
    e->waiters++;
    while (e->state != EXEC_ENDED)
        pthread_cond_wait(&e->ended, &e->pool->lock);
    e->waiters--;
}

/* A failed device sends e to a queue: it must then be one that others can hold. */
static bool is_simple(const weft_execution *e, const weft_execute_desc *desc)
{
    return !e->report.error.kind && !desc->split_unit && e->pool->device_count > 0;
}

static bool execute_on_heap(weft_pool_context *ctx, const weft_execute_desc *desc,
                            weft_execute_report *report)
{
    weft_pool      *pool = ctx->pool;
    weft_execution *e = exe_new(ctx);
    if (!e) {
        if (report)
            pool_fail(&report->error, WEFT_ERROR_MEMORY, NULL, "no memory for an execution");
        return false;
    }
    bool foreign = false;
    for (uint32_t i = 0; i < pool->device_count; i++)
        foreign = foreign || pool->devices[i].found.foreign;
    prepare(e, desc, foreign);
    if (e->report.error.kind || !desc->split_unit || !divide(e, desc)) {
        pool_lock(pool);
        if (is_simple(e, desc) && check_quotas(e) && resident_usable(e) && may_run_here(e)) {
            exe_ref(e);
            number(e);
            run_here(e);
        } else {
            exe_submit(e);
        }
        pool_leave(pool);
    }
    pool_lock(pool);
    exe_wait(e);
    pool_leave(pool);
    bool ok = !e->report.error.kind;
    if (report)
        *report = e->report;
    exe_unref(e);
    return ok;
}

bool weft_execute(weft_pool_context *ctx, const weft_execute_desc *desc,
                  weft_execute_report *report)
{
    if (ctx)
        return execute_on_heap(ctx, desc, report);
    if (report) {
        *report = (weft_execute_report){.device = "", .device_index = UINT32_MAX};
        pool_fail(&report->error, WEFT_ERROR_INVALID, NULL, "the context is NULL");
    }
    return false;
}

/* ---- asynchronous ---- */

weft_execution *weft_execute_async(weft_pool_context *ctx, const weft_execute_desc *desc)
{
    weft_execution *e = ctx ? exe_new(ctx) : NULL;
    if (!e)
        return NULL;
    if (desc) {
        e->callback = desc->callback;
        e->user = desc->user;
    }
    prepare(e, desc, true);
    if (e->report.error.kind || !desc->split_unit || !divide(e, desc)) {
        pool_lock(ctx->pool);
        exe_submit(e);
        pool_leave(ctx->pool);
    }
    return e;
}

weft_execution *weft_execution_retain(weft_execution *e)
{
    if (e)
        exe_ref(e);
    return e;
}

void weft_execution_release(weft_execution *e)
{
    exe_unref(e);
}

static weft_execution *writable(const weft_execution *e)
{
    weft_execution *w;
    memcpy(&w, &e, sizeof w);           /* the lock is not part of what is constant */
    return w;
}

bool weft_execution_done(const weft_execution *execution)
{
    weft_execution *e = writable(execution);
    if (!e)
        return true;
    pool_lock(e->pool);
    bool done = e->state == EXEC_ENDED;
    pool_unlock(e->pool);
    return done;
}

bool weft_execution_wait(weft_execution *e, uint64_t timeout_ns)
{
    if (!e)
        return true;
    uint64_t now = clock_ns();
    uint64_t until = timeout_ns >= CLOCK_NEVER - now ? CLOCK_NEVER : now + timeout_ns;
    bool     in_time = true;
    pool_lock(e->pool);
    e->waiters++;
    while (e->state != EXEC_ENDED && in_time) {
        if (until == CLOCK_NEVER)
            pthread_cond_wait(&e->ended, &e->pool->lock);
        else
            in_time = clock_wait(&e->ended, &e->pool->lock, until);
    }
    e->waiters--;
    bool done = e->state == EXEC_ENDED;
    pool_unlock(e->pool);
    return done;
}

/* Under the lock. */
void exe_cancel(weft_execution *e)
{
    e->cancel = true;
    if (e->state != EXEC_QUEUED && e->state != EXEC_BLOCKED)
        return;
    if (e->parts_left)
        return;                         /* its parts are cancelled instead */
    if (e->state == EXEC_QUEUED)
        schedule_remove(e);
    exe_fail(e, WEFT_ERROR_CANCELLED, NULL, "%s: cancelled before it ran", e->label);
    exe_end(e);
}

bool weft_execution_cancel(weft_execution *e)
{
    if (!e)
        return false;
    pool_lock(e->pool);
    bool had_ended = e->state == EXEC_ENDED;
    if (!had_ended) {
        exe_cancel(e);
        divide_cancel(e);
    }
    pool_leave(e->pool);
    return !had_ended;
}

bool weft_execution_report(weft_execute_report *out, const weft_execution *execution)
{
    weft_execution *e = writable(execution);
    if (!e || !out)
        return false;
    pool_lock(e->pool);
    bool done = e->state == EXEC_ENDED;
    if (done)
        *out = e->report;
    pool_unlock(e->pool);
    return done;
}

const void *weft_execution_output(const weft_execution *e, const char *name, uint64_t *size)
{
    if (!e || !name || !weft_execution_done(e) || e->report.error.kind)
        return NULL;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (!e->args[i].own_out || strcmp(e->program->point->bindings[i].name, name) != 0)
            continue;
        if (size)
            *size = arg_out_bytes(&e->args[i]);
        return e->args[i].own_out;
    }
    return NULL;
}

/* ---- why ---- */

uint32_t weft_pool_choose(weft_pool_choice *out, uint32_t max, weft_pool_context *ctx,
                          const weft_execute_desc *desc)
{
    weft_execution e;
    uint32_t       count = 0;
    if (!ctx || !out)
        return 0;
    exe_init(&e, ctx);
    bool ok = prepare(&e, desc, false);
    pool_lock(ctx->pool);
    if (ok)
        count = choose_rank(&e, out, max);
    else
        client_note_error(ctx, &e.report.error);
    pool_unlock(ctx->pool);
    exe_fini(&e);
    return count;
}
