// SPDX-License-Identifier: Apache-2.0
/*
 * client.c - pool contexts: the users of a pool, with quotas, errors and usage.
 *
 * in     a pool, quotas
 * out    contexts; contexts of weft/context.h on the pool's devices
 * not    executions (execute.c), data (data.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "pool/pool_priv.h"

#define MOST_WEIGHT 1000u

/* ---- lifetime ---- */

static char *copy_or_null(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void client_free(weft_pool_context *ctx)
{
    free(ctx->label);
    free(ctx->device);
    free(ctx->error);
    free(ctx);
}

static void enlist(weft_pool_context *ctx)
{
    weft_pool *pool = ctx->pool;
    pool_lock(pool);
    ctx->next = pool->contexts;
    if (ctx->next)
        ctx->next->prev = ctx;
    pool->contexts = ctx;
    pool->context_count++;
    pool_unlock(pool);
}

weft_pool_context *weft_pool_context_create(weft_pool *pool, const weft_pool_context_desc *desc)
{
    weft_pool_context_desc d = desc ? *desc : (weft_pool_context_desc){0};
    weft_pool_context     *ctx = NULL;
    if (!pool || (uint32_t)d.policy >= WEFT_POLICY_COUNT || d.weight > MOST_WEIGHT
        || (d.policy == WEFT_POLICY_DEVICE && !d.device))
        return NULL;
    ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->label = strdup(d.label ? d.label : "context");
    ctx->device = copy_or_null(d.device);
    if (!ctx->label || (d.device && !ctx->device)) {
        client_free(ctx);
        return NULL;
    }
    atomic_init(&ctx->refs, 1);
    ctx->user_refs = 1;
    ctx->pool = weft_pool_retain(pool);
    ctx->memory_quota = d.memory_quota;
    ctx->time_quota = d.time_quota;
    ctx->execution_quota = d.execution_quota;
    ctx->weight = d.weight ? d.weight : 1;
    ctx->policy = d.policy ? d.policy : d.device ? WEFT_POLICY_DEVICE : WEFT_POLICY_DEFAULT;
    enlist(ctx);
    return ctx;
}

void client_unref(weft_pool_context *ctx)
{
    if (!ctx || atomic_fetch_sub_explicit(&ctx->refs, 1, memory_order_acq_rel) != 1)
        return;
    weft_pool *pool = ctx->pool;
    pool_lock(pool);
    if (ctx->prev)
        ctx->prev->next = ctx->next;
    else
        pool->contexts = ctx->next;
    if (ctx->next)
        ctx->next->prev = ctx->prev;
    pool->context_count--;
    flows_fini(ctx);
    BUG_IF(ctx->usage.memory, "a context ends with memory on devices");
    pool_leave(pool);
    client_free(ctx);
    pool_unref(pool);
}

weft_pool_context *weft_pool_context_retain(weft_pool_context *ctx)
{
    if (!ctx)
        return NULL;
    atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
    pool_lock(ctx->pool);
    ctx->user_refs++;
    pool_unlock(ctx->pool);
    return ctx;
}

/* Executions hold their context too: the user's last reference is not the last one. */
void weft_pool_context_release(weft_pool_context *ctx)
{
    if (!ctx)
        return;
    pool_lock(ctx->pool);
    BUG_IF(ctx->user_refs == 0, "a pool context is released too often");
    if (--ctx->user_refs == 0) {
        ctx->closing = true;
        for (Flow *f = ctx->flows; f; f = f->next)
            while (f->first)
                exe_cancel(f->first);
    }
    pool_leave(ctx->pool);
    client_unref(ctx);
}

/* ---- errors, usage ---- */

void client_note_error(weft_pool_context *ctx, const weft_pool_error *error)
{
    if (!ctx->error)
        ctx->error = calloc(1, sizeof *ctx->error);
    if (ctx->error && !ctx->error->kind)
        *ctx->error = *error;
}

static weft_pool_context *writable(const weft_pool_context *ctx)
{
    weft_pool_context *w;
    memcpy(&w, &ctx, sizeof w);         /* the lock is not part of what is constant */
    return w;
}

bool weft_pool_context_error(weft_pool_error *out, const weft_pool_context *context)
{
    weft_pool_context *ctx = writable(context);
    weft_pool_error    error = {0};
    if (!ctx) {
        pool_fail(&error, WEFT_ERROR_INVALID, NULL, "the context is NULL");
    } else {
        pool_lock(ctx->pool);
        if (ctx->error)
            error = *ctx->error;
        pool_unlock(ctx->pool);
    }
    if (out)
        *out = error;
    return error.kind != WEFT_ERROR_NONE;
}

void weft_pool_context_error_clear(weft_pool_context *ctx)
{
    if (!ctx)
        return;
    pool_lock(ctx->pool);
    free(ctx->error);
    ctx->error = NULL;
    pool_unlock(ctx->pool);
}

void weft_pool_context_usage(weft_pool_usage *out, const weft_pool_context *context)
{
    weft_pool_context *ctx = writable(context);
    if (!out)
        return;
    *out = (weft_pool_usage){0};
    if (!ctx)
        return;
    pool_lock(ctx->pool);
    *out = ctx->usage;
    pool_unlock(ctx->pool);
}

/* ---- contexts of weft/context.h ---- */

/* The account of such a context: its memory counts for the pool context that opened it. */
typedef struct Opened {
    weft_pool_context *ctx;
    PoolDevice        *device;
} Opened;

static bool opened_take(void *user, uint64_t bytes, char *why, size_t why_size)
{
    Opened         *o = user;
    weft_pool_error error = {0};
    pool_lock(o->ctx->pool);
    bool ok = memory_take_device(o->device, o->ctx, bytes, &error);
    pool_leave(o->ctx->pool);
    if (!ok)
        snprintf(why, why_size, "%s", error.message);
    return ok;
}

static void opened_give(void *user, uint64_t bytes)
{
    Opened *o = user;
    pool_lock(o->ctx->pool);
    memory_give_device(o->device, o->ctx, bytes);
    pool_leave(o->ctx->pool);
}

static void opened_end(void *user)
{
    Opened *o = user;
    client_unref(o->ctx);
    free(o);
}

/* A context without a device, which carries the error. */
static weft_context *failed_context(const weft_pool_error *error)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    if (ctx)
        context_fail(ctx, error->kind, "%s", error->message);
    return ctx;
}

/* The device that a word means, or the first usable one in the order of a context. */
static PoolDevice *open_choice(weft_pool *pool, const char *word)
{
    PoolDevice *best = NULL;
    for (uint32_t i = 0; i < pool->device_count; i++) {
        PoolDevice *d = &pool->devices[i];
        bool fits = d->state != WEFT_DEVICE_GIVEN_UP && (!word || device_matches(d, word));
        if (fits && (!best || (!word && d->profile.f32_rate > best->profile.f32_rate)))
            best = d;
    }
    return best;
}

static weft_context *share_engine(weft_pool_context *ctx, PoolDevice *d)
{
    weft_pool_error error = {0};
    weft_context   *made = NULL;
    Opened         *o = calloc(1, sizeof *o);
    if (o && engine_open(d, &error))
        made = weft_context_create(&(weft_context_desc){
            .share = d->engine, .label = ctx->label,
            .memory_budget = ctx->memory_quota ? ctx->memory_quota
                           : d->memory_budget == UINT64_MAX ? WEFT_OFF : d->memory_budget});
    if (!made || weft_context_error(made)->kind) {
        free(o);
        if (!error.kind)
            pool_fail(&error, WEFT_ERROR_MEMORY, NULL, "no memory for a context");
        return made ? made : failed_context(&error);
    }
    *o = (Opened){.ctx = ctx, .device = d};
    atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
    context_set_account(made, &(ContextAccount){.take = opened_take, .give = opened_give,
                                                .end = opened_end, .user = o});
    return made;
}

weft_context *weft_pool_open(weft_pool_context *ctx, const char *device)
{
    weft_pool_error error = {0};
    if (!ctx) {
        pool_fail(&error, WEFT_ERROR_INVALID, NULL, "the context is NULL");
        return failed_context(&error);
    }
    const char *word = device ? device : ctx->device ? ctx->device : ctx->pool->desc.device;
    pool_lock(ctx->pool);
    PoolDevice *d = open_choice(ctx->pool, word);
    bool        owned = d && worker_wait_own(d);
    pool_leave(ctx->pool);
    if (!owned) {
        pool_fail(&error, WEFT_ERROR_NOT_FOUND, word, "%s: the pool has no device '%s'",
                  ctx->label, word ? word : "at all");
        return failed_context(&error);
    }
    weft_context *made = share_engine(ctx, d);
    pool_lock(ctx->pool);
    worker_disown(d);
    pool_leave(ctx->pool);
    return made;
}
