// SPDX-License-Identifier: Apache-2.0
/*
 * resident.c - data that stays on devices: copies, versions, eviction, order of its users.
 *
 * in     data of contexts, executions that use it
 * out    buffers on the device where an execution runs; contents on the host
 * knows  that buffers belong to the owner of their device, and that the newest version may
 *        be on one device alone
 * not    the calls of weft/pool.h (data.c)
 */
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "pool/pool_priv.h"

/* ---- order: readers wait for writers, writers for all others ---- */

static bool writes(const weft_execution *e, const weft_pool_data *data)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i].data == data && e->args[i].output)
            return true;
    return false;
}

static bool push(weft_execution ***list, uint32_t *count, uint32_t *capacity, weft_execution *e)
{
    if (*count == *capacity) {
        uint32_t         wish = *capacity ? *capacity * 2 : 4;
        weft_execution **more = realloc(*list, wish * sizeof *more);
        if (!more)
            return false;
        *list = more;
        *capacity = wish;
    }
    (*list)[(*count)++] = e;
    return true;
}

static bool wait_for(weft_execution *e, weft_execution *other)
{
    if (!push(&other->blocked, &other->blocked_count, &other->blocked_capacity, e))
        return false;
    e->blockers++;
    return true;
}

static void forget_user(weft_pool_data *data, const weft_execution *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < data->user_count; i++)
        if (data->users[i] != e)
            data->users[kept++] = data->users[i];
    data->user_count = kept;
}

/* Data that is bound twice counts once. */
static bool seen_before(const weft_execution *e, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (e->args[i].data == e->args[at].data)
            return true;
    return false;
}

bool resident_depend(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        weft_pool_data *data = e->args[i].data;
        if (!data || seen_before(e, i))
            continue;
        bool mine = writes(e, data);
        for (uint32_t k = 0; k < data->user_count; k++)
            if ((mine || writes(data->users[k], data)) && !wait_for(e, data->users[k]))
                return false;
        if (!push(&data->users, &data->user_count, &data->user_capacity, e))
            return false;
    }
    return true;
}

void resident_finish(weft_execution *e, bool ok, bool began)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        weft_pool_data *data = e->args[i].data;
        if (!data)
            continue;
        forget_user(data, e);
        if (e->args[i].output && (ok || began))
            data->broken = !ok;
    }
    for (uint32_t i = 0; i < e->blocked_count; i++)
        if (--e->blocked[i]->blockers == 0 && e->blocked[i]->state == EXEC_BLOCKED)
            exe_start(e->blocked[i]);
    free(e->blocked);
    e->blocked = NULL;
    e->blocked_count = e->blocked_capacity = 0;
}

bool resident_usable(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const weft_pool_data *data = e->args[i].data;
        const char *name = data && data->name ? data->name : "data";
        if (data && e->kind == EXEC_BARRIER && e->args[i].output)
            continue;                   /* it is written anew */
        if (data && data->lost)
            return exe_fail(e, WEFT_ERROR_DEVICE_LOST, name, "%s: '%s' was on a device that was "
                             "lost, and there is no other copy", e->label, name);
        if (data && data->broken)
            return exe_fail(e, WEFT_ERROR_INVALID, name, "%s: the execution that was to write "
                             "'%s' failed: write it anew", e->label, name);
    }
    return true;
}

/* ---- where copies are ---- */

bool resident_is_on(const weft_pool_data *data, const PoolDevice *d)
{
    const Copy *c = &data->copies[d->index];
    return c->buffer && c->generation == d->generation
        && data->versions[d->index] == data->version;
}

PoolDevice *resident_only_on(const weft_pool_data *data)
{
    weft_pool *pool = data->ctx->pool;
    if (data->host_valid || data->zero)
        return NULL;
    for (uint32_t i = 0; i < pool->device_count; i++)
        if (resident_is_on(data, &pool->devices[i]))
            return &pool->devices[i];
    return NULL;
}

static void unlink_copy(Copy *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        c->device->copies = c->next;
    if (c->next)
        c->next->prev = c->prev;
    c->next = c->prev = NULL;
}

static void link_first(Copy *c)
{
    PoolDevice *d = c->device;
    c->prev = NULL;
    c->next = d->copies;
    if (d->copies)
        d->copies->prev = c;
    d->copies = c;
}

/* Takes the buffer out; the accounts get its bytes back. */
static weft_buffer *detach(Copy *c)
{
    weft_buffer *b = c->buffer;
    unlink_copy(c);
    c->buffer = NULL;
    memory_give_device(c->device, c->data->ctx, c->data->capacity);
    return b;
}

static void bury(PoolDevice *d, weft_buffer *b)
{
    if (d->graveyard_count == d->graveyard_capacity) {
        uint32_t      wish = d->graveyard_capacity ? d->graveyard_capacity * 2 : 8;
        weft_buffer **more = realloc(d->graveyard, wish * sizeof *more);
        if (!more)
            return;                     /* it goes with the context */
        d->graveyard = more;
        d->graveyard_capacity = wish;
    }
    d->graveyard[d->graveyard_count++] = b;
}

void graveyard_empty(PoolDevice *d)
{
    pool_lock(d->pool);
    weft_buffer **dead = d->graveyard;
    uint32_t      count = d->graveyard_count;
    d->graveyard = NULL;
    d->graveyard_count = 0;
    d->graveyard_capacity = 0;
    pool_unlock(d->pool);
    for (uint32_t i = 0; i < count; i++)
        weft_buffer_release(dead[i]);
    free(dead);
}

void resident_drop_all(PoolDevice *d, bool lost)
{
    while (d->copies) {
        Copy           *c = d->copies;
        weft_pool_data *data = c->data;
        bool only = !data->host_valid && !data->zero
                 && data->versions[d->index] == data->version;
        bury(d, detach(c));
        c->in_use = 0;
        for (uint32_t i = 0; i < d->pool->device_count; i++)
            only = only && (i == d->index || !resident_is_on(data, &d->pool->devices[i]));
        if (only && lost)
            data->lost = true;
    }
}

/* ---- buffers ---- */

/* The device's owner gets memory for a copy; others leave if they must. */
static bool take_memory(weft_pool_data *data, PoolDevice *d, weft_pool_error *error)
{
    for (int round = 0; round < 2; round++) {
        weft_pool_error now = {0};
        pool_lock(d->pool);
        bool ok = memory_take_device(d, data->ctx, data->capacity, &now);
        pool_leave(d->pool);
        if (ok)
            return true;
        if (round == 1 || !resident_evict(d, data->capacity)) {
            *error = now;
            return false;
        }
    }
    return false;
}

static bool engine_error(PoolDevice *d, weft_pool_error *error)
{
    const weft_error *e = weft_context_error(d->engine);
    pool_fail(error, e->kind ? e->kind : WEFT_ERROR_INTERNAL, NULL, "%s",
              e->kind ? e->message : "the device gives no reason");
    weft_context_error_clear(d->engine);
    return false;
}

static weft_buffer *upload(weft_pool_data *data, PoolDevice *d, weft_pool_error *error)
{
    Copy *c = &data->copies[d->index];
    const uint8_t *host = data->zero ? NULL : data->host;
    if (c->buffer && (!host || weft_buffer_write(c->buffer, 0, host, data->capacity))) {
        if (host)
            return c->buffer;
    } else if (c->buffer) {
        engine_error(d, error);
        return NULL;
    }
    if (!c->buffer && !take_memory(data, d, error))
        return NULL;
    weft_buffer *b = weft_buffer_create(d->engine, &(weft_buffer_desc){
        .size = data->capacity, .data = host, .data_size = host ? data->capacity : 0,
        .usage = WGPUBufferUsage_Storage | WGPUBufferUsage_Uniform | WGPUBufferUsage_CopySrc
               | WGPUBufferUsage_CopyDst,
        .label = data->name ? data->name : "data"});
    if (b)
        return b;
    engine_error(d, error);
    pool_lock(d->pool);
    if (!c->buffer)
        memory_give_device(d, data->ctx, data->capacity);
    pool_leave(d->pool);
    return NULL;
}

/* The host's copy goes where only the device is to have one. */
static void drop_host(weft_pool_data *data)
{
    if (data->host) {
        memory_give_host(data->ctx->pool, data->capacity);
        free(data->host);
    }
    data->host = NULL;
    data->host_valid = false;
}

weft_buffer *resident_buffer(weft_pool_data *data, PoolDevice *d, weft_pool_error *error,
                             uint64_t *uploaded)
{
    Copy *c = &data->copies[d->index];
    pool_lock(d->pool);
    bool here = resident_is_on(data, d);
    if (here) {
        unlink_copy(c);
        link_first(c);
        c->in_use++;
    }
    pool_unlock(d->pool);
    if (here)
        return c->buffer;
    weft_buffer *old = c->buffer, *b = upload(data, d, error);
    if (!b)
        return NULL;
    *uploaded += data->zero ? 0 : data->size;
    if (old && old != b)
        weft_buffer_release(old);
    pool_lock(d->pool);
    if (old)
        unlink_copy(c);
    *c = (Copy){.data = data, .device = d, .buffer = b, .generation = d->generation,
                .in_use = 1};
    link_first(c);
    data->versions[d->index] = data->version;
    if (data->device_only && data->host_valid)
        drop_host(data);
    data->zero = data->zero && !data->device_only;
    pool_leave(d->pool);
    return b;
}

void resident_done(weft_pool_data *data, PoolDevice *d, bool written)
{
    Copy *c = &data->copies[d->index];
    if (!c->buffer || !c->in_use)
        return;                         /* the device was lost meanwhile */
    c->in_use--;
    if (!written)
        return;
    data->version++;
    data->versions[d->index] = data->version;
    data->zero = false;
    drop_host(data);
}

/* In parts that fit into what a budget keeps free for eviction. */
static bool read_parts(uint8_t *host, weft_pool_data *data, PoolDevice *d)
{
    uint64_t part = context_evict_chunk(d->memory_budget);
    part = part < 4096 ? 4096 : part;
    for (uint64_t at = 0; at < data->capacity; at += part) {
        uint64_t size = data->capacity - at < part ? data->capacity - at : part;
        if (!weft_buffer_read(host + at, data->copies[d->index].buffer, at, size))
            return false;
    }
    return true;
}

static bool fetch(weft_pool_data *data, PoolDevice *d, bool in_parts, weft_pool_error *error)
{
    weft_pool *pool = d->pool;
    Copy      *c = &data->copies[d->index];
    pool_lock(pool);
    bool room = memory_take_host(pool, data->capacity);
    c->in_use += room;                  /* reading needs memory, which must not be this */
    pool_unlock(pool);
    if (!room)
        return pool_fail(error, WEFT_ERROR_MEMORY, data->name, "%llu bytes on the host are above "
                         "the pool's limit", (unsigned long long)data->capacity);
    uint8_t *host = malloc((size_t)data->capacity);
    bool     ok = host && (in_parts ? read_parts(host, data, d)
                                    : weft_buffer_read(host, data->copies[d->index].buffer, 0,
                                                       data->capacity));
    if (host && !ok)
        engine_error(d, error);
    else if (!host)
        pool_fail(error, WEFT_ERROR_MEMORY, data->name, "no memory for data on the host");
    pool_lock(pool);
    c->in_use -= c->in_use > 0;
    if (ok && !data->host) {
        data->host = host;
        data->host_valid = true;
        host = NULL;
    } else {
        memory_give_host(pool, data->capacity);
    }
    pool_unlock(pool);
    free(host);
    return ok;
}

bool resident_fetch(weft_pool_data *data, PoolDevice *d, weft_pool_error *error)
{
    return fetch(data, d, false, error);
}

/* ---- eviction ---- */

/* The least recently used copy that may go; `tried` ones cannot. */
static Copy *find_victim(PoolDevice *d, const Copy *after)
{
    Copy *last = NULL;
    for (Copy *c = d->copies; c && c != after; c = c->next)
        if (!c->in_use)
            last = c;
    return last;
}

uint64_t resident_evict(void *device, uint64_t bytes)
{
    PoolDevice *d = device;
    weft_pool  *pool = d->pool;
    uint64_t    freed = 0;
    Copy       *after = NULL;
    while (freed < bytes) {
        pool_lock(pool);
        Copy *c = find_victim(d, after);
        weft_pool_data *data = c ? c->data : NULL;
        bool only = c && resident_only_on(data) == d;
        if (c)
            atomic_fetch_add_explicit(&data->refs, 1, memory_order_relaxed);
        pool_unlock(pool);
        if (!c)
            break;
        weft_pool_error ignored = {0};
        bool kept = !only || fetch(data, d, true, &ignored);
        weft_buffer *b = NULL;
        pool_lock(pool);
        if (kept && c->buffer) {
            b = detach(c);
            freed += data->capacity;
            pool->monitor.all.evicted += data->capacity;
            pool->monitor.device[d->index].evicted += data->capacity;
        } else {
            after = c;
        }
        pool_leave(pool);
        weft_buffer_release(b);
        data_unref(data);
    }
    return freed;
}

/* ---- the end ---- */

static void data_free(weft_pool_data *data)
{
    free(data->users);
    free(data->name);
    free(data);
}

void data_unref(weft_pool_data *data)
{
    if (!data || atomic_fetch_sub_explicit(&data->refs, 1, memory_order_acq_rel) != 1)
        return;
    weft_pool_context *ctx = data->ctx;
    weft_pool         *pool = ctx->pool;
    pool_lock(pool);
    for (uint32_t i = 0; i < pool->device_count; i++)
        if (data->copies[i].buffer)
            bury(&pool->devices[i], detach(&data->copies[i]));
    drop_host(data);
    if (data->prev)
        data->prev->next = data->next;
    else
        ctx->data = data->next;
    if (data->next)
        data->next->prev = data->prev;
    for (uint32_t i = 0; i < pool->device_count; i++) {
        PoolDevice *d = &pool->devices[i];
        if (!d->graveyard_count || !worker_try_own(d))
            continue;
        pool_unlock(pool);
        graveyard_empty(d);
        pool_lock(pool);
        worker_disown(d);
    }
    pool_leave(pool);
    data_free(data);
    client_unref(ctx);
}
