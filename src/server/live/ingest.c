// SPDX-License-Identifier: Apache-2.0
/*
 * ingest.c - new vectors: checked, cut into pieces, each of them an event.
 *
 * in     rows of a task
 * out    events (spread.c); an answer once all of them are indexed
 * knows  limits of a tenant
 * not    where the rows came from
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

/* ---- receipts ---- */

Receipt *receipt_new(Asker *asker, const char *type)
{
    Receipt *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (Receipt){.left = 1, .asker = *asker, .type = type};
    *asker = (Asker){.call = NULL};
    return r;
}

static void receipt_answer(Live *l, Receipt *r)
{
    Arena arena;
    arena_init(&arena, 0);
    Text     text = {.arena = &arena};
    uint64_t count = r->ids.size / sizeof(uint64_t);
    if (r->dimension) {
        text_printf(&text, "\"count\":%llu,\"dimension\":%u,\"total\":%llu,\"seq\":%llu,\"ids\":",
                    (unsigned long long)count, r->dimension, (unsigned long long)r->total,
                    (unsigned long long)r->seq);
        put_ids(&text, (const uint64_t *)(const void *)r->ids.data, count);
    }
    asker_answer(l, &r->asker, r->type, &text);
    arena_fini(&arena);
}

void receipt_end(Live *l, Receipt *r, weft_error_kind kind, const char *why)
{
    if (!r)
        return;
    if (kind != WEFT_ERROR_NONE && r->kind == WEFT_ERROR_NONE) {
        r->kind = kind;
        snprintf(r->why, sizeof r->why, "%s", why);
    }
    if (--r->left)
        return;
    if (r->kind != WEFT_ERROR_NONE)
        asker_fail(l, &r->asker, r->kind, "%s", r->why);
    else
        receipt_answer(l, r);
    pack_fini(&r->ids);
    free(r);
}

/* ---- rows of a task ---- */

/* Rows of an unknown dimension are rows of one number, until the space is known. */
const char *task_set_vectors(Task *t, const LiveVectors *v)
{
    uint32_t dimension = v->dimension ? v->dimension : 1;
    uint64_t count = v->numbers / dimension;
    if (v->numbers % dimension || count > UINT32_MAX || !count)
        return "the numbers are not a whole number of vectors";
    Batch *b = batch_create(dimension, (uint32_t)count, v->labels);
    if (!b)
        return "out of memory";
    memcpy(b->data, v->data, v->numbers * sizeof *b->data);
    if (v->ids)
        memcpy(b->ids, v->ids, count * sizeof *b->ids);
    else
        b->ids[0] = UINT64_MAX;
    t->mask = v->dimension;
    t->batch = b;
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool repeats(const Batch *b)
{
    uint64_t *sorted = malloc(b->count * sizeof *sorted);
    bool      found = !sorted;
    if (sorted) {
        memcpy(sorted, b->ids, b->count * sizeof *sorted);
        qsort(sorted, b->count, sizeof *sorted, compare_ids);
    }
    for (uint32_t i = 1; !found && i < b->count; i++)
        found = sorted[i] == sorted[i - 1];
    free(sorted);
    return found;
}

static bool tenants_full(Live *l, const Space *s)
{
    uint64_t count = 0;
    for (Space *other = space_first(l); !s->dimension && other; other = other->next)
        count += other->dimension != 0;
    return count >= l->desc.config->vectors_tenants;
}

/* What the process would refuse has to be refused before anyone is told of it. */
static bool may_ingest(Live *l, Space *s, Task *t)
{
    Batch         *b = t->batch;
    const Config  *c = l->desc.config;
    uint64_t       row, bytes = (uint64_t)b->count * b->dimension * sizeof(float);
    const char    *fault;
    weft_error_kind kind = WEFT_ERROR_INVALID;
    char           why[256] = "";
    if (s->dimension && s->dimension != b->dimension) {
        kind = WEFT_ERROR_SHAPE;
        snprintf(why, sizeof why, "vectors of %u numbers; those that are there have %u",
                 b->dimension, s->dimension);
    } else if (b->dimension > 4096) {
        kind = WEFT_ERROR_SHAPE;
        snprintf(why, sizeof why, "vectors have at most 4,096 numbers, not %u", b->dimension);
    } else if ((fault = vectors_fault(b->data, (uint64_t)b->count * b->dimension, b->dimension,
                                      l->no_zeros, &row))) {
        snprintf(why, sizeof why, "row %llu %s", (unsigned long long)row, fault);
    } else if (b->ids[0] != UINT64_MAX && repeats(b)) {
        kind = WEFT_ERROR_EXISTS;
        snprintf(why, sizeof why, "ids: one comes twice");
    } else if (s->count + s->coming + b->count > c->vectors_max || tenants_full(l, s)) {
        kind = WEFT_ERROR_QUOTA;
        snprintf(why, sizeof why, "vectors.max_vectors is %llu, vectors.max_tenants %llu",
                 (unsigned long long)c->vectors_max, (unsigned long long)c->vectors_tenants);
    } else if (!jobs_may_store(l->parts.jobs, s->tenant, bytes)) {
        kind = WEFT_ERROR_QUOTA;
        snprintf(why, sizeof why, "quota: stored bytes");
    } else if (l->engine && engine_backlog(l->engine) > LIVE_BACKLOG) {
        kind = WEFT_ERROR_QUOTA;
        snprintf(why, sizeof why, "too much waits to be indexed: try again later");
    } else {
        return true;
    }
    asker_fail(l, &t->asker, kind, "%s", why);
    return false;
}

/* ---- pieces ---- */

/* Rows from..from+count of a batch; labels are cut by `list`. */
static Batch *piece_of(const Batch *b, uint32_t from, uint32_t count, const json_t *list)
{
    char *labels = NULL;
    if (list) {
        json_t *part = json_array();
        for (uint32_t i = 0; i < count; i++)
            json_array_append(part, json_array_get(list, from + i));
        labels = json_dumps(part, JSON_COMPACT);
        json_decref(part);
    }
    Batch *p = batch_create(b->dimension, count, labels);
    free(labels);
    if (!p)
        return NULL;
    p->when = live_now();
    memcpy(p->data, b->data + (size_t)from * b->dimension,
           (size_t)count * b->dimension * sizeof *p->data);
    if (b->ids[0] == UINT64_MAX)
        p->ids[0] = UINT64_MAX;
    else
        memcpy(p->ids, b->ids + from, count * sizeof *p->ids);
    return p;
}

static void spread_pieces(Live *l, Space *s, const Batch *b, Receipt *r)
{
    uint32_t rows = LIVE_PIECE / b->dimension ? LIVE_PIECE / b->dimension : 1;
    json_t  *list = b->labels ? json_loads(b->labels, 0, NULL) : NULL;
    for (uint32_t from = 0; from < b->count; from += rows) {
        Batch *p = piece_of(b, from, MIN_OF(rows, b->count - from), list);
        r->left++;
        if (p)
            spread(l, s, &(Spread){.kind = SPREAD_BATCH, .batch = p, .receipt = r});
        else
            receipt_end(l, r, WEFT_ERROR_MEMORY, "out of memory");
    }
    json_decref(list);
}

void task_ingest(Live *l, Task *t)
{
    Space *s = space_for(l, t);
    Batch *b = t->batch;
    if (!s)
        return;
    if (!b) {
        asker_fail(l, &t->asker, WEFT_ERROR_MEMORY, "out of memory");
        return;
    }
    if (!t->mask) {                     /* the dimension was not said */
        if (!s->dimension || b->count % s->dimension) {
            asker_fail(l, &t->asker, WEFT_ERROR_SHAPE, s->dimension
                       ? "the numbers are not a whole number of vectors"
                       : "give the dimension of the first vectors");
            return;
        }
        b->count /= s->dimension;
        b->dimension = s->dimension;
    }
    if (!may_ingest(l, s, t))
        return;
    Receipt *r = receipt_new(&t->asker, "ingested");
    if (!r) {
        asker_fail(l, &t->asker, WEFT_ERROR_MEMORY, "out of memory");
        return;
    }
    spread_pieces(l, s, b, r);
    receipt_end(l, r, WEFT_ERROR_NONE, "");
}
