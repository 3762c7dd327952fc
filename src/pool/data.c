// SPDX-License-Identifier: Apache-2.0
/*
 * data.c - the calls of weft/pool.h for data that stays on devices.
 *
 * in     names, shapes, bytes
 * out    data of a context; its contents
 * knows  that a call on the host takes its turn among the executions that use the data
 * not    copies on devices (resident.c)
 */
#include <stdlib.h>
#include <string.h>

#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

static void *fail(weft_pool_context *ctx, const weft_pool_error *error)
{
    pool_lock(ctx->pool);
    client_note_error(ctx, error);
    pool_unlock(ctx->pool);
    return NULL;
}

/* ---- creation ---- */

static bool resolve_size(weft_pool_data_desc *d, weft_pool_error *error)
{
    const char *name = d->name ? d->name : "data";
    uint64_t    bytes;
    uint32_t    rank = d->rank ? d->rank : d->shape[0] ? 1 : 0;
    if (rank > 8 || (uint32_t)d->type > WEFT_SCALAR_F64)
        return pool_fail(error, WEFT_ERROR_INVALID, name, "%s: rank %u or type %u is not legal",
                         name, d->rank, (unsigned)d->type);
    if (!layout_shape_bytes(&bytes, d->type, d->shape, rank))
        return pool_fail(error, WEFT_ERROR_SHAPE, name, "%s: the shape is too large", name);
    if (rank && d->size && d->size != bytes)
        return pool_fail(error, WEFT_ERROR_SHAPE, name, "%s: the shape has %llu bytes, `size` "
                         "says %llu", name, (unsigned long long)bytes,
                         (unsigned long long)d->size);
    if (rank)
        d->size = bytes;
    if (!d->size || d->size > LAYOUT_MOST_BYTES)
        return pool_fail(error, WEFT_ERROR_SHAPE, name, "%s: %llu bytes are not legal", name,
                         (unsigned long long)d->size);
    d->rank = rank;
    return true;
}

static bool copy_host(weft_pool_data *data, const void *bytes, weft_pool_error *error)
{
    weft_pool *pool = data->ctx->pool;
    if (!bytes) {
        data->zero = true;
        return true;
    }
    pool_lock(pool);
    bool room = memory_take_host(pool, data->capacity);
    pool_unlock(pool);
    data->host = room ? calloc(1, (size_t)data->capacity) : NULL;
    if (data->host) {
        memcpy(data->host, bytes, (size_t)data->size);
        data->host_valid = true;
        return true;
    }
    if (room) {
        pool_lock(pool);
        memory_give_host(pool, data->capacity);
        pool_unlock(pool);
    }
    return pool_fail(error, WEFT_ERROR_MEMORY, data->name, "%llu bytes on the host are above "
                     "the pool's limit", (unsigned long long)data->capacity);
}

static weft_pool_data *find_name(const weft_pool_context *ctx, const char *name)
{
    for (weft_pool_data *d = ctx->data; d; d = d->next)
        if (d->name && strcmp(d->name, name) == 0 && atomic_load(&d->refs))
            return d;
    return NULL;
}

/* Under the lock. */
static bool enlist(weft_pool_data *data, weft_pool_error *error)
{
    weft_pool_context *ctx = data->ctx;
    if (data->name && find_name(ctx, data->name))
        return pool_fail(error, WEFT_ERROR_EXISTS, data->name, "%s: there is data with this name "
                         "already", data->name);
    data->next = ctx->data;
    if (ctx->data)
        ctx->data->prev = data;
    ctx->data = data;
    return true;
}

weft_pool_data *weft_pool_data_create(weft_pool_context *ctx, const weft_pool_data_desc *desc)
{
    weft_pool_data_desc d = desc ? *desc : (weft_pool_data_desc){0};
    weft_pool_error     error = {0};
    if (!ctx)
        return NULL;
    if (!resolve_size(&d, &error))
        return fail(ctx, &error);
    weft_pool_data *data = calloc(1, sizeof *data);
    char           *name = d.name ? strdup(d.name) : NULL;
    if (!data || (d.name && !name)) {
        free(data);
        free(name);
        pool_fail(&error, WEFT_ERROR_MEMORY, d.name, "no memory for data");
        return fail(ctx, &error);
    }
    atomic_init(&data->refs, 1);
    *data = (weft_pool_data){.refs = data->refs, .ctx = ctx, .name = name, .type = d.type,
                             .rank = d.rank, .size = d.size, .device_only = d.device_only,
                             .capacity = (d.size + 3) & ~(uint64_t)3, .version = 1};
    memcpy(data->shape, d.shape, sizeof data->shape);
    bool ok = copy_host(data, d.data, &error);
    pool_lock(ctx->pool);
    ok = ok && enlist(data, &error);
    if (!ok && data->host)
        memory_give_host(ctx->pool, data->capacity);
    pool_unlock(ctx->pool);
    if (ok) {
        atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
        return data;
    }
    free(data->host);
    free(data->name);
    free(data);
    return fail(ctx, &error);
}

weft_pool_data *weft_pool_data_retain(weft_pool_data *data)
{
    if (data)
        atomic_fetch_add_explicit(&data->refs, 1, memory_order_relaxed);
    return data;
}

void weft_pool_data_release(weft_pool_data *data)
{
    data_unref(data);
}

/* Another thread may be about to release the last reference. */
static bool try_ref(weft_pool_data *data)
{
    uint32_t refs = atomic_load(&data->refs);
    while (refs && !atomic_compare_exchange_weak(&data->refs, &refs, refs + 1))
        continue;
    return refs != 0;
}

weft_pool_data *weft_pool_data_find(weft_pool_context *ctx, const char *name)
{
    if (!ctx || !name)
        return NULL;
    pool_lock(ctx->pool);
    weft_pool_data *data = find_name(ctx, name);
    if (data && !try_ref(data))
        data = NULL;
    pool_unlock(ctx->pool);
    return data;
}

uint64_t weft_pool_data_size(const weft_pool_data *data)
{
    return data ? data->size : 0;
}

/* ---- reading and writing ---- */

/* Waits for its turn; NULL with the context's error. */
static weft_execution *turn_begin(weft_pool_data *data, const char *what, bool write,
                                  weft_pool_error *error)
{
    weft_execution *e = exe_new(data->ctx);
    if (!e) {
        pool_fail(error, WEFT_ERROR_MEMORY, data->name, "no memory for an execution");
        return NULL;
    }
    e->kind = EXEC_BARRIER;
    e->arg_count = 1;
    e->args[0] = (Arg){.data = weft_pool_data_retain(data), .input = true, .output = write,
                       .size = data->size};
    strcpy(e->label, what);
    pool_lock(e->pool);
    exe_submit(e);
    e->waiters++;
    while (e->state == EXEC_BLOCKED)
        pthread_cond_wait(&e->ended, &e->pool->lock);
    e->waiters--;
    bool ok = e->state == EXEC_RUNNING;
    if (!ok)
        *error = e->report.error;
    pool_leave(e->pool);
    if (ok)
        return e;
    exe_unref(e);
    return NULL;
}

static void turn_end(weft_execution *e, const weft_pool_error *error)
{
    pool_lock(e->pool);
    e->report.error = *error;
    exe_end(e);
    pool_leave(e->pool);
    exe_unref(e);
}

/* The newest contents are on the host after it. */
static bool need_host(weft_pool_data *data, weft_pool_error *error)
{
    weft_pool *pool = data->ctx->pool;
    pool_lock(pool);
    PoolDevice *d = resident_only_on(data);
    bool        owned = d && worker_wait_own(d);
    bool        still = owned && resident_only_on(data) == d;
    pool_leave(pool);
    bool ok = !d || (owned && (!still || resident_fetch(data, d, error)));
    if (owned) {
        pool_lock(pool);
        worker_disown(d);
        pool_leave(pool);
    }
    if (ok && (data->host_valid || data->zero))
        return true;
    return pool_fail(error, WEFT_ERROR_DEVICE_LOST, data->name, "the only copy was on a device "
                     "that was lost");
}

static bool check_range(const weft_pool_data *data, uint64_t offset, uint64_t size,
                        const void *bytes, weft_pool_error *error)
{
    if (!bytes && size)
        return pool_fail(error, WEFT_ERROR_INVALID, data->name, "the place for the bytes is NULL");
    if (offset > data->size || size > data->size - offset)
        return pool_fail(error, WEFT_ERROR_INVALID, data->name, "offset %llu and size %llu are "
                         "beyond the %llu bytes of the data", (unsigned long long)offset,
                         (unsigned long long)size, (unsigned long long)data->size);
    return true;
}

/* Data that is to be on devices alone leaves the host again, if a device has it. */
static void leave_host(weft_pool_data *data)
{
    weft_pool *pool = data->ctx->pool;
    bool       elsewhere = false;
    pool_lock(pool);
    for (uint32_t i = 0; i < pool->device_count; i++)
        elsewhere = elsewhere || resident_is_on(data, &pool->devices[i]);
    if (data->device_only && elsewhere && data->host) {
        memory_give_host(pool, data->capacity);
        free(data->host);
        data->host = NULL;
        data->host_valid = false;
    }
    pool_unlock(pool);
}

bool weft_pool_data_read(void *out, weft_pool_data *data, uint64_t offset, uint64_t size)
{
    weft_pool_error error = {0};
    if (!data)
        return false;
    bool ok = check_range(data, offset, size, out, &error);
    weft_execution *turn = ok ? turn_begin(data, "read", false, &error) : NULL;
    if (turn && need_host(data, &error)) {
        if (data->zero)
            memset(out, 0, (size_t)size);
        else if (size)
            memcpy(out, data->host + offset, (size_t)size);
        leave_host(data);
    }
    if (turn)
        turn_end(turn, &error);
    if (error.kind)
        fail(data->ctx, &error);
    return !error.kind;
}

/* An own block on the host, with the old contents or zeros. */
static bool need_block(weft_pool_data *data, bool old, weft_pool_error *error)
{
    weft_pool *pool = data->ctx->pool;
    if (old && !need_host(data, error))
        return false;
    if (data->host)
        return true;
    pool_lock(pool);
    bool room = memory_take_host(pool, data->capacity);
    pool_unlock(pool);
    uint8_t *host = room ? calloc(1, (size_t)data->capacity) : NULL;
    pool_lock(pool);
    data->host = host;
    if (room && !host)
        memory_give_host(pool, data->capacity);
    pool_unlock(pool);
    return host || pool_fail(error, WEFT_ERROR_MEMORY, data->name, "%llu bytes on the host are "
                             "above the pool's limit", (unsigned long long)data->capacity);
}

bool weft_pool_data_write(weft_pool_data *data, uint64_t offset, const void *bytes,
                          uint64_t size)
{
    weft_pool_error error = {0};
    if (!data)
        return false;
    bool ok = check_range(data, offset, size, bytes, &error);
    weft_execution *turn = ok ? turn_begin(data, "write", true, &error) : NULL;
    bool whole = offset == 0 && size == data->size;
    if (turn && size && need_block(data, !whole, &error)) {
        memcpy(data->host + offset, bytes, (size_t)size);
        pool_lock(data->ctx->pool);
        data->version++;
        data->host_valid = true;
        data->zero = data->lost = false;
        pool_unlock(data->ctx->pool);
    }
    if (turn)
        turn_end(turn, &error);
    if (error.kind)
        fail(data->ctx, &error);
    return !error.kind;
}
