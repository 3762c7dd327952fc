// SPDX-License-Identifier: Apache-2.0
/*
 * storage.c - the memory of a tensor: on the device, on the host, in a file, and the moves
 * between them.
 *
 * in     bytes; the context's budget through its evictor
 * out    device buffers for kernels; storages that were not used for longest leave first.
 *        Pinned, external and busy ones never leave.
 * not    shapes, types, the graph
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/spill_priv.h"
#include "tensor/tensor_priv.h"

/* ---- order of use ---- */

static void lru_remove(Storage *st)
{
    if (!st->newer)
        return;
    st->newer->older = st->older;
    st->older->newer = st->newer;
    st->newer = st->older = NULL;
}

void storage_touch(Storage *st)
{
    Storage *head = &st->state->lru;
    lru_remove(st);
    if (!st->buffer)
        return;
    st->older = head->older;        /* head.older is the newest */
    st->newer = head;
    st->older->newer = st;
    head->older = st;
}

/* ---- life ---- */

Storage *storage_create(TensorState *s, uint64_t bytes)
{
    Storage *st = calloc(1, sizeof *st);
    if (!st) {
        context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory for a tensor");
        return NULL;
    }
    st->state = s;
    st->bytes = bytes;
    return st;
}

static void host_drop(Storage *st)
{
    if (st->host)
        context_account_moved(st->state->ctx, -(int64_t)st->bytes, 0, 0);
    free(st->host);
    st->host = NULL;
    if (st->path) {
        context_account_moved(st->state->ctx, 0, -(int64_t)st->bytes, 0);
        spill_remove(st->path);
    }
    free(st->path);
    st->path = NULL;
    if (st->borrowed && st->borrow_end)
        st->borrow_end(st->borrow_user);
    st->borrowed = NULL;
}

static void device_drop(Storage *st)
{
    lru_remove(st);
    weft_buffer_release(st->buffer);
    st->buffer = NULL;
}

void storage_release(Storage *st)
{
    if (!st)
        return;
    device_drop(st);
    host_drop(st);
    free(st);
}

/* ---- contents ---- */

const void *storage_host(const Storage *st)
{
    return st->host ? st->host : st->borrowed;
}

void storage_written(Storage *st)
{
    if (st->host || st->path || st->borrowed)
        host_drop(st);
    st->i64_known = false;
}

bool storage_scan_i64(Storage *st, const void *data, uint64_t bytes, uint64_t *at)
{
    st->i64_known = true;
    for (*at = 0; *at < bytes / 8; ++*at) {
        int64_t value;
        memcpy(&value, (const char *)data + 8 * *at, sizeof value);
        if (value < INT32_MIN || value > INT32_MAX) {
            st->i64_bad = true;
            return false;
        }
    }
    return true;
}

uint64_t storage_padded(uint64_t bytes)
{
    return bytes ? (bytes + 3) & ~UINT64_C(3) : 8;
}

bool storage_allocate(Storage *st, bool zeroed)
{
    st->buffer = weft_buffer_create(st->state->ctx, &(weft_buffer_desc){
        .size = storage_padded(st->bytes), .uninitialized = !zeroed, .label = "tensor" });
    if (!st->buffer)
        return false;
    context_own_buffer(st->buffer);     /* tensors that the user holds keep the context */
    storage_touch(st);
    return true;
}

weft_buffer *storage_device(Storage *st)
{
    if (st->buffer) {
        storage_touch(st);
        return st->buffer;
    }
    bool        busy = st->busy;
    void       *read = NULL;
    const void *data = storage_host(st);
    st->busy = true;                /* allocation below must not choose this one */
    if (!data && st->path) {
        data = read = spill_read(st->state->ctx, st->path, st->bytes);
        if (!data)
            goto done;
    }
    uint64_t at;
    if (data && st->is_i64 && !st->i64_known)       /* afterwards it is out of reach */
        storage_scan_i64(st, data, st->bytes, &at);
    if (!storage_allocate(st, !data))
        goto done;
    if (data && st->bytes && !weft_buffer_write(st->buffer, 0, data, st->bytes)) {
        device_drop(st);
        goto done;
    }
    if (st->host || st->path)       /* the user's memory stays; a moved copy does not */
        host_drop(st);
done:
    free(read);
    st->busy = busy;
    return st->buffer;
}

/* ---- moves ---- */

static bool host_fits(const Storage *st)
{
    uint64_t    limit = context_desc(st->state->ctx)->host_budget;
    weft_memory now;
    weft_context_memory(&now, st->state->ctx);
    return limit == WEFT_OFF || (now.host <= limit && st->bytes <= limit - now.host);
}

/* Through a staging buffer that fits into a full budget. */
static bool read_in_chunks(char *out, const Storage *st)
{
    uint64_t chunk = context_evict_chunk(context_desc(st->state->ctx)->memory_budget);
    if (chunk == 0)
        chunk = st->bytes;
    for (uint64_t at = 0; at < st->bytes; at += chunk)
        if (!weft_buffer_read(out + at, st->buffer, at, MIN_OF(chunk, st->bytes - at)))
            return false;
    return true;
}

/* Copies from the device to the host or, beyond the host budget, to a file. */
static bool save(Storage *st, bool to_disk)
{
    weft_context *ctx = st->state->ctx;
    const char   *dir = context_desc(ctx)->spill_dir;
    if (!to_disk && !host_fits(st)) {
        if (!dir)
            return false;
        to_disk = true;
    }
    char *host = malloc(st->bytes ? st->bytes : 1);
    if (!host || !read_in_chunks(host, st)) {
        free(host);
        return false;
    }
    if (!to_disk) {
        st->host = host;
        context_account_moved(ctx, (int64_t)st->bytes, 0, 0);
        return true;
    }
    st->path = spill_write(ctx, dir, host, st->bytes);
    free(host);
    if (st->path)
        context_account_moved(ctx, 0, (int64_t)st->bytes, 0);
    return st->path != NULL;
}

static bool may_leave(const Storage *st)
{
    return st->buffer && !st->pins && !st->external && !st->busy;
}

static bool leave(Storage *st, bool to_disk)
{
    bool kept = to_disk ? st->path != NULL : st->host || st->borrowed || st->path;
    if (!kept && !save(st, to_disk))
        return false;
    context_account_moved(st->state->ctx, 0, 0, st->bytes);
    context_log(st->state->ctx, WEFT_LOG_MEMORY, "moved %llu bytes from the device to %s",
                (unsigned long long)st->bytes, st->path ? "disk" : "the host");
    device_drop(st);
    return true;
}

uint64_t storage_evict(void *user, uint64_t bytes)
{
    TensorState *s = user;
    uint64_t     freed = 0;
    for (Storage *st = s->lru.newer; st != &s->lru && freed < bytes;) {
        Storage *next = st->newer;
        uint64_t size = storage_padded(st->bytes);
        if (may_leave(st) && st->bytes > 0) {
            if (!leave(st, false))
                break;
            freed += size;
        }
        st = next;
    }
    return freed;
}

weft_location storage_location(const Storage *st)
{
    bool host = st->host || st->borrowed;
    if (st->buffer)
        return host ? WEFT_LOCATION_BOTH : WEFT_LOCATION_DEVICE;
    if (st->path)
        return WEFT_LOCATION_DISK;
    return WEFT_LOCATION_HOST;
}

static bool move_to_host(Storage *st, bool keep_device)
{
    weft_context *ctx = st->state->ctx;
    if (st->path && !st->buffer && !storage_device(st))
        return false;
    if (!storage_host(st) && st->buffer && !save(st, false))
        return context_fail(ctx, WEFT_ERROR_MEMORY,
                            "%llu bytes do not fit the host budget; raise host_budget or set "
                            "spill_dir", (unsigned long long)st->bytes);
    return keep_device ? storage_device(st) != NULL : !st->buffer || leave(st, false);
}

static bool move_to_disk(Storage *st)
{
    weft_context *ctx = st->state->ctx;
    if (!context_desc(ctx)->spill_dir)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                            "this context has no spill_dir to move tensors to");
    if (st->path && !st->buffer)
        return true;
    if (!storage_device(st))
        return false;
    host_drop(st);
    return leave(st, true);
}

bool storage_move(Storage *st, weft_location to)
{
    weft_context *ctx = st->state->ctx;
    if (to == WEFT_LOCATION_DEVICE)
        return storage_device(st) != NULL;
    if (st->buffer && !may_leave(st) && to != WEFT_LOCATION_BOTH)
        return context_fail(ctx, WEFT_ERROR_INVALID,
                            "a pinned tensor, or one in memory of the caller, does not move");
    switch (to) {
    case WEFT_LOCATION_HOST: return move_to_host(st, false);
    case WEFT_LOCATION_BOTH: return move_to_host(st, true);
    case WEFT_LOCATION_DISK: return move_to_disk(st);
    default: return context_fail(ctx, WEFT_ERROR_INVALID, "a tensor cannot move to location %d",
                                 (int)to);
    }
}
