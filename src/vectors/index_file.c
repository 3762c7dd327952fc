// SPDX-License-Identifier: Apache-2.0
/*
 * index_file.c - an index as a safetensors file.
 *
 * in     an index, a path
 * out    vectors, ids and centres, and the index again
 * knows  weft/store.h
 * not    blocks, lists: vectors are assigned to their lists again when they are loaded
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/store.h>

#include "vectors/index_priv.h"

#define VERSION "1"

static const char *const metrics[] = {"cosine", "dot", "euclidean"};

/* ---- saving ---- */

static bool put(weft_store *s, const char *name, weft_dtype dtype, uint64_t rows,
                uint64_t columns, const void *data)
{
    weft_store_data d = {.dtype = dtype, .rank = columns ? 2 : 1, .shape = {rows, columns},
                         .data = data,
                         .bytes = weft_dtype_bytes(dtype, rows * MAX_OF(columns, 1))};
    return weft_store_put_data(s, name, &d);
}

static bool put_vectors(IndexCore *c, weft_store *s)
{
    uint64_t  n = c->ids.count;
    uint32_t *slots = core_slots(c);
    float    *rows = host_array(c->ctx, n * c->desc.dimension, sizeof *rows);
    int64_t  *ids = host_array(c->ctx, n, sizeof *ids);
    bool      ok = slots && rows && ids && (n == 0 || core_rows(c, rows, slots, n));
    for (uint64_t i = 0; ok && i < n; i++)
        ids[i] = (int64_t)c->blocks.ids[slots[i]];
    ok = ok && put(s, "vectors", WEFT_F32, n, c->desc.dimension, rows)
      && put(s, "ids", WEFT_I64, n, 0, ids);
    free(slots);
    free(rows);
    free(ids);
    return ok;
}

static bool put_centres(IndexCore *c, weft_store *s)
{
    uint32_t dim = c->desc.dimension;
    char     text[64];
    if (c->centres.count == 0)
        return true;
    float *rows = host_array(c->ctx, (uint64_t)c->centres.count * dim, sizeof *rows);
    float *centre = host_array(c->ctx, dim, sizeof *centre);
    bool ok = rows && centre && units_get(rows, &c->centres, c->ctx)
           && weft_buffer_read(centre, c->centre, 0, dim * 4ull)
           && put(s, "centres", WEFT_F32, c->centres.count, dim, rows)
           && put(s, "centre", WEFT_F32, dim, 0, centre);
    snprintf(text, sizeof text, "%u %.6f", c->probes, c->recall);
    ok = ok && weft_store_set_metadata(s, "probes", text);
    free(rows);
    free(centre);
    return ok;
}

bool weft_vectors_index_save(weft_vectors_index *index, const char *path)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    weft_store *s = weft_store_open(c->ctx, &(weft_store_desc){
        .path = path, .format = WEFT_STORE_SAFETENSORS, .write = true, .replace = true});
    bool ok = s && put_vectors(c, s) && put_centres(c, s)
           && weft_store_set_metadata(s, "weft.vectors", VERSION)
           && weft_store_set_metadata(s, "metric", metrics[c->desc.metric])
           && weft_store_commit(s);
    weft_store_release(s);
    return index_leave(index, ok);
}

/* ---- loading ---- */

typedef struct Loading {
    weft_context *ctx;
    const char   *path;
    weft_store   *store;
    float        *rows, *centres, *centre;
    int64_t      *ids;
    uint64_t      count;
    uint32_t      dim, lists, probes;
    double        recall;
    weft_vectors_metric metric;
} Loading;

static bool bad(const Loading *l, const char *what)
{
    return context_fail(l->ctx, WEFT_ERROR_FORMAT, "%s: %s", l->path, what);
}

static void *read_tensor(Loading *l, const char *name, weft_dtype dtype, size_t size,
                         uint64_t count)
{
    weft_store_entry e;
    if (!weft_store_find(&e, l->store, name) || e.dtype != dtype) {
        context_fail(l->ctx, WEFT_ERROR_FORMAT, "%s: there is no tensor '%s' of type %s", l->path,
                     name, weft_dtype_name(dtype));
        return NULL;
    }
    uint64_t have = 1;
    for (uint32_t i = 0; i < e.rank; i++)
        have *= e.shape[i];
    if (have != count) {
        context_fail(l->ctx, WEFT_ERROR_FORMAT, "%s: '%s' has %llu elements, not %llu", l->path,
                     name, (unsigned long long)have, (unsigned long long)count);
        return NULL;
    }
    void *data = host_array(l->ctx, count, size);
    if (data && count && !weft_store_read(data, count * size, l->store, name)) {
        free(data);
        data = NULL;
    }
    return data;
}

static bool read_metadata(Loading *l)
{
    const char *version = weft_store_metadata(l->store, "weft.vectors");
    const char *metric = weft_store_metadata(l->store, "metric");
    const char *probes = weft_store_metadata(l->store, "probes");
    if (!version || strcmp(version, VERSION) != 0 || !metric)
        return bad(l, "this is not an index of vectors");
    for (l->metric = 0; (uint32_t)l->metric < COUNTOF(metrics); l->metric++)
        if (strcmp(metric, metrics[l->metric]) == 0)
            break;
    if ((uint32_t)l->metric == COUNTOF(metrics))
        return bad(l, "its metric is unknown");
    l->recall = 1;
    if (probes && (sscanf(probes, "%u %lf", &l->probes, &l->recall) != 2 || l->probes == 0
                   || !(l->recall >= 0 && l->recall <= 1)))
        return bad(l, "its number of probes is malformed");
    return true;
}

static bool read_shapes(Loading *l)
{
    weft_store_entry e;
    if (!weft_store_find(&e, l->store, "vectors") || e.rank != 2 || e.shape[1] == 0
        || e.shape[1] > WEFT_VECTORS_MAX_DIMENSION || e.shape[0] > UINT32_MAX)
        return bad(l, "it has no matrix 'vectors'");
    l->count = e.shape[0];
    l->dim = (uint32_t)e.shape[1];
    if (weft_store_find(&e, l->store, "centres")) {
        if (e.rank != 2 || e.shape[1] != l->dim || e.shape[0] == 0 || e.shape[0] > MAX_LISTS
            || l->probes == 0 || l->probes > e.shape[0])
            return bad(l, "its centres do not fit its vectors");
        l->lists = (uint32_t)e.shape[0];
    }
    return true;
}

static bool read_tensors(Loading *l)
{
    l->rows = read_tensor(l, "vectors", WEFT_F32, sizeof *l->rows, l->count * l->dim);
    l->ids = l->rows ? read_tensor(l, "ids", WEFT_I64, sizeof *l->ids, l->count) : NULL;
    if (!l->ids)
        return false;
    if (l->lists == 0)
        return true;
    l->centres = read_tensor(l, "centres", WEFT_F32, sizeof *l->centres,
                             (uint64_t)l->lists * l->dim);
    l->centre = l->centres ? read_tensor(l, "centre", WEFT_F32, sizeof *l->centre, l->dim) : NULL;
    return l->centre != NULL;
}

/* The number of the first value of centres that is not finite counts as malformed: kernels
 * expect checked numbers. */
static bool check_centres(const Loading *l)
{
    for (uint64_t i = 0; i < (uint64_t)l->lists * l->dim; i++)
        if (!(l->centres[i] >= -1e15f && l->centres[i] <= 1e15f))
            return bad(l, "a centre is not finite");
    for (uint32_t i = 0; l->lists && i < l->dim; i++)
        if (!(l->centre[i] >= -1e15f && l->centre[i] <= 1e15f))
            return bad(l, "the centre is not finite");
    return true;
}

static bool fill(weft_vectors_index *index, Loading *l)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    bool ok = (l->lists == 0 || core_set_centres(c, l->centres, l->lists, l->centre));
    if (l->lists) {
        c->probes = l->probes;
        c->recall = l->recall;
        c->trained = l->count;
    }
    weft_vectors_rows rows = {.data = l->rows, .count = l->count};
    ok = ok && (l->count == 0 || core_insert(c, &(InsertDesc){
        .rows = &rows, .ids = (const uint64_t *)l->ids, .owner = index->ctx, .as_stored = true}));
    return index_leave(index, ok);
}

weft_vectors_index *weft_vectors_index_load(weft_context *ctx, const char *path,
                                            const weft_vectors_index_desc *desc)
{
    Loading l = {.ctx = ctx, .path = path};
    weft_vectors_index *index = NULL;
    l.store = weft_store_open(ctx, &(weft_store_desc){
        .path = path, .format = WEFT_STORE_SAFETENSORS});
    if (l.store && read_metadata(&l) && read_shapes(&l) && read_tensors(&l) && check_centres(&l)) {
        weft_vectors_index_desc d = desc ? *desc : (weft_vectors_index_desc){0};
        d.dimension = l.dim;
        d.metric = l.metric;
        index = index_new(ctx, &d);
    }
    if (index && !fill(index, &l)) {
        weft_vectors_index_release(index);
        index = NULL;
    }
    weft_store_release(l.store);
    free(l.rows);
    free(l.ids);
    free(l.centres);
    free(l.centre);
    return index;
}
