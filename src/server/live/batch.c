// SPDX-License-Identifier: Apache-2.0
/*
 * batch.c - the vectors of one event.
 *
 * in     sizes; bytes as they are kept and as other servers send them
 * out    counted batches, each in one block of memory
 * not    where they come from and go to
 */
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

Batch *batch_create(uint32_t dimension, uint32_t count, const char *labels)
{
    size_t ids = (size_t)count * sizeof(uint64_t);
    size_t data = (size_t)count * dimension * sizeof(float);
    size_t text = labels ? strlen(labels) + 1 : 0;
    Batch *b = malloc(sizeof *b + ids + data + text);
    if (!b)
        return NULL;
    *b = (Batch){.dimension = dimension, .count = count, .bytes = sizeof *b + ids + data + text};
    atomic_init(&b->refs, 1);
    b->ids = (uint64_t *)(b + 1);
    b->data = (float *)(b->ids + count);
    memset(b->ids, 0, ids);
    if (labels) {
        b->labels = (char *)(b->data + (size_t)count * dimension);
        memcpy(b->labels, labels, text);
    }
    return b;
}

Batch *batch_retain(Batch *b)
{
    atomic_fetch_add(&b->refs, 1);
    return b;
}

void batch_release(Batch *b)
{
    if (b && atomic_fetch_sub(&b->refs, 1) == 1)
        free(b);
}

/* The last items of a JSON array, malloc'ed. */
static char *labels_tail(const char *labels, uint32_t count)
{
    json_t *all = labels ? json_loads(labels, 0, NULL) : NULL, *some = all ? json_array() : NULL;
    size_t  n = json_array_size(all);
    for (size_t i = n > count ? n - count : 0; i < n; i++)
        json_array_append(some, json_array_get(all, i));
    char *text = some ? json_dumps(some, JSON_COMPACT) : NULL;
    json_decref(some);
    json_decref(all);
    return text;
}

Batch *batch_tail(const Batch *b, uint32_t count)
{
    count = MIN_OF(count, b->count);
    char  *labels = labels_tail(b->labels, count);
    Batch *t = batch_create(b->dimension, count, labels);
    free(labels);
    if (!t)
        return NULL;
    uint32_t skip = b->count - count;
    t->seq = b->seq;
    t->when = b->when;
    memcpy(t->ids, b->ids + skip, count * sizeof *t->ids);
    memcpy(t->data, b->data + (size_t)skip * b->dimension,
           (size_t)count * b->dimension * sizeof *t->data);
    return t;
}

void batch_pack(Pack *p, const Batch *b)
{
    pack_u64(p, b->seq);
    pack_u64(p, (uint64_t)b->when);
    pack_u32(p, b->dimension);
    pack_u32(p, b->count);
    pack_text(p, b->labels ? b->labels : "");
    pack_bytes(p, b->ids, (uint64_t)b->count * sizeof *b->ids);
    pack_bytes(p, b->data, (uint64_t)b->count * b->dimension * sizeof *b->data);
}

Batch *batch_unpack(Unpack *u)
{
    uint64_t       seq = unpack_u64(u), when = unpack_u64(u), ids_size, data_size;
    uint32_t       dimension = unpack_u32(u), count = unpack_u32(u);
    const char    *labels = unpack_text(u, UINT32_MAX);
    const uint8_t *ids = unpack_bytes(u, &ids_size), *data = unpack_bytes(u, &data_size);
    uint64_t       row = dimension * 4ull;
    if (u->failed || !dimension || !count || ids_size != (uint64_t)count * 8
        || data_size % row || data_size / row != count) {
        u->failed = true;
        return NULL;
    }
    Batch *b = batch_create(dimension, count, *labels ? labels : NULL);
    if (!b)
        return NULL;
    b->seq = seq;
    b->when = (int64_t)when;
    memcpy(b->ids, ids, ids_size);
    memcpy(b->data, data, data_size);
    return b;
}
