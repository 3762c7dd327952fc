// SPDX-License-Identifier: Apache-2.0
/*
 * index.c - an index and its handles: creation, sharing between threads, insertion, removal.
 *
 * in     rows and ids
 * out    vectors in blocks under their ids
 * knows  index_blocks.c, index_ids.c
 * not    searches, the inverted file
 *
 * The core has a context of its own on the device of the creator, and a lock: handles of
 * several threads use one core in turns. An error of the core goes to the handle's context.
 */
#include <stdlib.h>
#include <string.h>

#include "vectors/index_priv.h"

#define LIST_THRESHOLD 200000u

/* ---- life ---- */

static weft_vectors_index_desc index_resolve(weft_vectors_index_desc d)
{
    if (d.list_threshold == 0) d.list_threshold = LIST_THRESHOLD;
    if (d.recall == 0)         d.recall = 0.95;
    if (d.capacity == 0)       d.capacity = UINT32_MAX;
    if (d.label == NULL)       d.label = "index";
    return d;
}

static const char *index_fault(const weft_vectors_index_desc *d)
{
    if (d->dimension == 0)                           return "the dimension is zero";
    if (d->dimension > WEFT_VECTORS_MAX_DIMENSION)   return "the dimension is above 65,536";
    if ((uint32_t)d->metric > WEFT_VECTORS_EUCLIDEAN) return "there is no such metric";
    if (d->lists > MAX_LISTS)                        return "there are more than 65,536 lists";
    if (!(d->recall > 0 && d->recall <= 1))          return "the recall is not between 0 and 1";
    return NULL;
}

static void core_release(IndexCore *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) > 1)
        return;
    core_drop_centres(c);
    blocks_fini(&c->blocks);
    id_map_fini(&c->ids);
    weft_buffer_release(c->zeros);
    weft_context_release(c->ctx);
    free((char *)(uintptr_t)c->desc.label);
    index_lock_fini(&c->lock);
    free(c);
}

static IndexCore *core_create(weft_context *ctx, const weft_vectors_index_desc *d)
{
    IndexCore *c = host_array(ctx, 1, sizeof *c);
    if (!c)
        return NULL;
    atomic_init(&c->refs, 1);
    index_lock_init(&c->lock);
    c->desc = *d;
    c->desc.label = NULL;
    char *label = host_array(ctx, strlen(d->label) + 1, 1);
    if (label)
        c->desc.label = strcpy(label, d->label);
    c->recall = 1;
    c->ctx = weft_context_create(&(weft_context_desc){
        .share = ctx, .memory_budget = context_desc(ctx)->memory_budget, .label = d->label});
    c->zeros = weft_buffer_create(c->ctx, &(weft_buffer_desc){
        .size = (uint64_t)d->dimension * 4, .label = "zeros"});
    if (label && c->zeros && blocks_init(&c->blocks, ctx, d->dimension, 1))
        return c;
    if (c->ctx && weft_context_error(c->ctx)->kind)
        context_fail(ctx, weft_context_error(c->ctx)->kind, "%s",
                     weft_context_error(c->ctx)->message);
    core_release(c);
    return NULL;
}

static weft_vectors_index *handle_new(weft_context *ctx, IndexCore *core)
{
    weft_vectors_index *index = core ? host_array(ctx, 1, sizeof *index) : NULL;
    if (!index) {
        core_release(core);
        return NULL;
    }
    atomic_init(&index->refs, 1);
    index->ctx = weft_context_retain(ctx);
    index->core = core;
    return index;
}

weft_vectors_index *index_new(weft_context *ctx, const weft_vectors_index_desc *desc)
{
    if (!ctx || !context_ok(ctx) || !context_need_device(ctx))
        return NULL;
    weft_vectors_index_desc d = index_resolve(desc ? *desc : (weft_vectors_index_desc){0});
    const char *fault = index_fault(&d);
    if (fault) {
        context_fail(ctx, WEFT_ERROR_INVALID, "%s: %s", d.label, fault);
        return NULL;
    }
    return handle_new(ctx, core_create(ctx, &d));
}

weft_vectors_index *weft_vectors_index_create(weft_context *ctx,
                                              const weft_vectors_index_desc *desc)
{
    return index_new(ctx, desc);
}

weft_vectors_index *weft_vectors_index_share(weft_context *ctx, weft_vectors_index *index)
{
    if (!ctx || !index)
        return NULL;
    if (!context_shares_device(ctx, index->core->ctx)) {
        context_fail(ctx, WEFT_ERROR_INVALID, "%s: the context has another device",
                     index->core->desc.label);
        return NULL;
    }
    atomic_fetch_add(&index->core->refs, 1);
    return handle_new(ctx, index->core);
}

weft_vectors_index *weft_vectors_index_retain(weft_vectors_index *index)
{
    if (index)
        atomic_fetch_add(&index->refs, 1);
    return index;
}

void weft_vectors_index_release(weft_vectors_index *index)
{
    if (!index || atomic_fetch_sub(&index->refs, 1) > 1)
        return;
    core_release(index->core);
    weft_context_release(index->ctx);
    free(index);
}

/* ---- the lock ---- */

IndexCore *index_enter(weft_vectors_index *index)
{
    if (!index || !context_ok(index->ctx))
        return NULL;
    index_lock_take(&index->core->lock);
    return index->core;
}

bool index_leave(weft_vectors_index *index, bool ok)
{
    IndexCore        *c = index->core;
    const weft_error *e = weft_context_error(c->ctx);
    if (e->kind) {
        context_fail(index->ctx, e->kind, "%s", e->message);
        weft_context_error_clear(c->ctx);
    }
    index_lock_give(&c->lock);
    return ok;
}

/* ---- insertion ---- */

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool check_twice(IndexCore *c, const uint64_t *ids, uint64_t count)
{
    uint64_t *sorted = host_array(c->ctx, count, sizeof *sorted);
    bool      ok = sorted != NULL;
    if (ok)
        memcpy(sorted, ids, count * sizeof *sorted);
    for (uint64_t i = 1; ok && i < count; i++)
        if (ids[i - 1] >= ids[i]) {     /* only then it is worth sorting */
            qsort(sorted, count, sizeof *sorted, compare_ids);
            break;
        }
    for (uint64_t i = 1; ok && i < count; i++)
        if (sorted[i - 1] == sorted[i])
            ok = context_fail(c->ctx, WEFT_ERROR_EXISTS, "%s: the id %llu comes twice",
                              c->desc.label, (unsigned long long)sorted[i]);
    free(sorted);
    return ok;
}

static bool check_ids(IndexCore *c, const InsertDesc *d, uint64_t count)
{
    if (!d->ids)
        return c->next_id + count < UINT64_MAX / 2
            || context_fail(c->ctx, WEFT_ERROR_INVALID, "%s: there are no more ids",
                            c->desc.label);
    for (uint64_t i = 0; i < count; i++) {
        if (d->ids[i] >= UINT64_MAX / 2)
            return context_fail(c->ctx, WEFT_ERROR_INVALID, "%s: the id %llu is above 2^63",
                                c->desc.label, (unsigned long long)d->ids[i]);
        if (!d->replace && id_map_find(&c->ids, d->ids[i]) != NO_SLOT)
            return context_fail(c->ctx, WEFT_ERROR_EXISTS, "%s: the id %llu is there already",
                                c->desc.label, (unsigned long long)d->ids[i]);
    }
    return check_twice(c, d->ids, count);
}

/* Stores a chunk in new slots, which are not live yet. */
static bool store_chunk(IndexCore *c, const RowReader *r, uint32_t *slots, uint32_t *nearest)
{
    if (c->centres.count && !core_assign(c, r, nearest))
        return false;
    for (uint32_t i = 0; i < r->rows; i++) {
        uint32_t list = c->centres.count ? nearest[2 * i] : 0;
        slots[i] = blocks_take(&c->blocks, c->ctx, list);
        if (slots[i] == NO_SLOT)
            return false;
    }
    return blocks_store(&c->blocks, c->ctx, r->raw, r->scale, slots, r->rows);
}

static bool commit(IndexCore *c, const InsertDesc *d, const uint32_t *slots, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t id = d->ids ? d->ids[i] : c->next_id;
        uint32_t old = id_map_find(&c->ids, id);
        if (old != NO_SLOT) {
            blocks_set_live(&c->blocks, old, false, WEFT_VECTORS_NONE);
            blocks_give(&c->blocks, c->ctx, old);
        }
        id_map_put(&c->ids, id, slots[i]);
        blocks_set_live(&c->blocks, slots[i], true, id);
        c->next_id = MAX_OF(c->next_id, id + 1);
    }
    return blocks_flush(&c->blocks);
}

static bool store_rows(IndexCore *c, const InsertDesc *d, RowReader *r)
{
    uint32_t *slots = host_array(c->ctx, r->count, sizeof *slots);
    uint32_t *nearest = host_array(c->ctx, 2ull * r->chunk, sizeof *nearest);
    bool      ok = slots && nearest && id_map_reserve(&c->ids, c->ctx, r->count);
    uint64_t  done = 0;
    if (slots)
        memset(slots, 0xff, r->count * sizeof *slots);
    while (ok && rows_next(r)) {
        ok = store_chunk(c, r, slots + r->first, nearest);
        done = r->at;
    }
    ok = ok && done == r->count;
    if (ok)
        ok = commit(c, d, slots, r->count);
    else
        for (uint64_t i = 0; slots && i < r->count; i++)
            if (slots[i] != NO_SLOT)
                blocks_give(&c->blocks, c->ctx, slots[i]);
    free(slots);
    free(nearest);
    return ok;
}

/* An inverted file that cannot be made is no reason to refuse vectors: searches stay exact. */
static void train_if_due(IndexCore *c)
{
    uint64_t n = c->ids.count;
    if (n < c->desc.list_threshold || n < 256 || n < 2 * c->trained)
        return;
    c->trained = n;
    if (!core_train(c, NULL, NULL))
        weft_context_error_clear(c->ctx);
}

bool core_insert(IndexCore *c, const InsertDesc *d)
{
    RowReader r;
    if (!rows_open(&r, c->ctx, d->owner, &(RowsDesc){
            .rows = d->rows, .dim = c->desc.dimension, .label = c->desc.label,
            .normalise = c->desc.metric == WEFT_VECTORS_COSINE && !d->as_stored}))
        return false;
    bool ok = check_ids(c, d, r.count);
    if (ok && r.count > c->desc.capacity - MIN_OF(c->ids.count, c->desc.capacity) && !d->replace)
        ok = context_fail(c->ctx, WEFT_ERROR_MEMORY, "%s: %llu vectors are its capacity",
                          c->desc.label, (unsigned long long)c->desc.capacity);
    ok = ok && (r.count == 0 || store_rows(c, d, &r));
    rows_close(&r);
    if (ok)
        train_if_due(c);
    return ok;
}

static bool insert(weft_vectors_index *index, const weft_vectors_rows *rows, const uint64_t *ids,
                   bool replace)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    return index_leave(index, core_insert(c, &(InsertDesc){
        .rows = rows, .ids = ids, .owner = index->ctx, .replace = replace}));
}

bool weft_vectors_index_insert(weft_vectors_index *index, const weft_vectors_rows *rows,
                               const uint64_t *ids)
{
    return insert(index, rows, ids, false);
}

bool weft_vectors_index_replace(weft_vectors_index *index, const weft_vectors_rows *rows,
                                const uint64_t *ids)
{
    return insert(index, rows, ids, true);
}

/* ---- removal ---- */

static bool find_all(IndexCore *c, uint32_t *slots, const uint64_t *ids, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t slot = id_map_find(&c->ids, ids[i]);
        if (slot == NO_SLOT)
            return context_fail(c->ctx, WEFT_ERROR_NOT_FOUND, "%s: there is no id %llu",
                                c->desc.label, (unsigned long long)ids[i]);
        if (slots)
            slots[i] = slot;
    }
    return true;
}

static bool remove_all(IndexCore *c, const uint64_t *ids, uint64_t count)
{
    if (!find_all(c, NULL, ids, count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t slot = id_map_find(&c->ids, ids[i]);
        if (slot == NO_SLOT)
            continue;                   /* the id comes twice */
        id_map_remove(&c->ids, ids[i]);
        blocks_set_live(&c->blocks, slot, false, WEFT_VECTORS_NONE);
        blocks_give(&c->blocks, c->ctx, slot);
    }
    return blocks_flush(&c->blocks);
}

bool weft_vectors_index_remove(weft_vectors_index *index, const uint64_t *ids, uint64_t count)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    bool ok = ids || count == 0 || context_fail(c->ctx, WEFT_ERROR_INVALID, "ids is NULL");
    return index_leave(index, ok && remove_all(c, ids, count));
}

/* ---- looking ---- */

bool weft_vectors_index_has(const weft_vectors_index *index, uint64_t id)
{
    if (!index)
        return false;
    index_lock_take(&index->core->lock);
    bool has = id_map_find(&index->core->ids, id) != NO_SLOT;
    index_lock_give(&index->core->lock);
    return has;
}

bool core_rows(IndexCore *c, float *out, const uint32_t *slots, uint64_t count)
{
    uint64_t     row = (uint64_t)c->desc.dimension * 4;
    uint64_t     chunk = MIN_OF(MIN_OF(MAX_OF(CHUNK_BYTES / row, 1), CHUNK_ROWS), count);
    weft_buffer *rows = device_bytes(c->ctx, chunk * row, "rows");
    bool         ok = rows != NULL;
    for (uint64_t at = 0; ok && at < count; at += chunk) {
        uint32_t n = (uint32_t)MIN_OF(count - at, chunk);
        ok = blocks_load(&c->blocks, c->ctx, rows, slots + at, n)
          && weft_buffer_read((char *)out + at * row, rows, 0, n * row);
    }
    weft_buffer_release(rows);
    return ok;
}

bool weft_vectors_index_get(float *out, weft_vectors_index *index, const uint64_t *ids,
                            uint64_t count)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    uint32_t *slots = host_array(c->ctx, count, sizeof *slots);
    bool      ok = slots && find_all(c, slots, ids, count)
              && (count == 0 || core_rows(c, out, slots, count));
    free(slots);
    return index_leave(index, ok);
}

uint32_t *core_slots(IndexCore *c)
{
    uint32_t *slots = host_array(c->ctx, c->ids.count, sizeof *slots);
    uint64_t  n = 0;
    for (uint32_t slot = 0; slots && slot < c->blocks.used * BLOCK; slot++)
        if (blocks_is_live(&c->blocks, slot))
            slots[n++] = slot;
    return slots;
}

uint64_t weft_vectors_index_ids(uint64_t *out, const weft_vectors_index *index, uint64_t count)
{
    if (!index)
        return 0;
    IndexCore *c = index->core;
    uint64_t   n = 0;
    index_lock_take(&c->lock);
    for (uint32_t slot = 0; n < count && slot < c->blocks.used * BLOCK; slot++)
        if (blocks_is_live(&c->blocks, slot))
            out[n++] = c->blocks.ids[slot];
    n = c->ids.count;
    index_lock_give(&c->lock);
    return n;
}

bool weft_vectors_index_get_info(weft_vectors_index_info *out, const weft_vectors_index *index)
{
    if (!out || !index)
        return false;
    IndexCore *c = index->core;
    index_lock_take(&c->lock);
    *out = (weft_vectors_index_info){
        .dimension = c->desc.dimension, .metric = c->desc.metric, .count = c->ids.count,
        .bytes = blocks_bytes(&c->blocks), .lists = c->centres.count, .probes = c->probes,
        .recall = c->recall};
    index_lock_give(&c->lock);
    return true;
}
