// SPDX-License-Identifier: Apache-2.0
/*
 * worker_space.c - the vectors of one tenant in the process: added, searched, shown.
 *
 * in     calls
 * out    answers
 * knows  weft/vectors.h
 * not    sockets
 *
 * The map learns every row as it comes. After the first rows it is trained on all of them in
 * one go, so that it begins with a good order.
 */
#include <stdlib.h>
#include <string.h>

#include "server/live/worker_priv.h"

WorkSpace *work_space(VectorsWorker *w, const char *tenant)
{
    WorkSpace *s = w->spaces;
    while (s && strcmp(s->tenant, tenant) != 0)
        s = s->next;
    if (!s && (s = calloc(1, sizeof *s))) {
        strncpy(s->tenant, tenant, sizeof s->tenant - 1);
        s->next = w->spaces;
        w->spaces = s;
    }
    return s;
}

bool work_drop(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    (void)w;
    (void)u;
    (void)out;
    weft_vectors_index_release(s->index);
    weft_vectors_map_release(s->map);
    weft_vectors_projection_release(s->projection);
    labels_free(s);
    free(s->recent);
    WorkSpace empty = {.next = s->next};
    memcpy(empty.tenant, s->tenant, sizeof empty.tenant);
    *s = empty;
    return true;
}

static bool begin(VectorsWorker *w, WorkSpace *s, uint32_t dimension)
{
    const EngineSetup *e = &w->setup;
    bool               directions = e->metric == WEFT_VECTORS_COSINE;
    if (s->dimension)
        return s->dimension == dimension
            || worker_fail(w, WEFT_ERROR_SHAPE, "vectors of another dimension");
    if (!s->index)
        s->index = weft_vectors_index_create(w->ctx, &(weft_vectors_index_desc){
            .dimension = dimension, .metric = (weft_vectors_metric)e->metric,
            .capacity = e->capacity, .label = "vectors"});
    if (!s->map)
        s->map = weft_vectors_map_create(w->ctx, &(weft_vectors_map_desc){
            .dimension = dimension, .width = e->width, .height = e->height,
            .grid = (weft_vectors_grid)e->grid, .toroidal = e->toroidal, .steps = e->steps,
            .normalise = directions});
    if (!s->projection)
        s->projection = weft_vectors_projection_create(w->ctx, &(weft_vectors_projection_desc){
            .dimension = dimension, .components = MIN_OF(3u, dimension),
            .normalise = directions});
    if (!s->recent)
        s->recent = malloc((size_t)RECENT_ROWS * dimension * sizeof *s->recent);
    if (!s->index || !s->map || !s->projection || !s->recent)
        return false;
    s->dimension = dimension;
    return true;
}

/* ---- adding ---- */

static void remember(WorkSpace *s, const float *data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, s->rows++)
        memcpy(s->recent + s->rows % RECENT_ROWS * s->dimension,
               data + (size_t)i * s->dimension, s->dimension * sizeof *data);
}

static weft_vectors_rows recent_rows(const WorkSpace *s)
{
    return (weft_vectors_rows){.data = s->recent, .count = MIN_OF(s->rows, RECENT_ROWS)};
}

static bool learn(WorkSpace *s, const weft_vectors_rows *rows)
{
    static const uint64_t trains[] = {64, 512, RECENT_ROWS};
    uint64_t before = s->learned;
    if (!weft_vectors_projection_update(s->projection, rows)
        || !weft_vectors_map_update(s->map, rows))
        return false;
    s->learned += rows->count;
    for (size_t i = 0; i < COUNTOF(trains); i++)
        if (before < trains[i] && s->learned >= trains[i]) {
            weft_vectors_rows all = recent_rows(s);
            return weft_vectors_map_train(s->map, &all, NULL);
        }
    return true;
}

static void set_labels(WorkSpace *s, const char *labels, const uint64_t *ids, uint32_t count)
{
    json_t *list = *labels ? json_loads(labels, 0, NULL) : NULL;
    for (uint32_t i = 0; list && i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text)
            label_set(s, ids[i], text);
    }
    json_decref(list);
}

bool work_add(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    uint32_t    dimension = unpack_u32(u), count = unpack_u32(u), learns = unpack_u32(u);
    const char *labels = unpack_text(u, UINT32_MAX);
    uint64_t    ids_size, data_size;
    const uint64_t   *ids = (const uint64_t *)(const void *)unpack_bytes(u, &ids_size);
    weft_vectors_rows rows = {.data = (const float *)(const void *)unpack_bytes(u, &data_size),
                              .count = count};
    if (u->failed || !dimension || ids_size != 8ull * count
        || data_size != 4ull * count * dimension)
        return worker_fail(w, WEFT_ERROR_FORMAT, "damaged call");
    if (!begin(w, s, dimension) || !weft_vectors_index_replace(s->index, &rows, ids))
        return false;
    remember(s, rows.data, count);
    set_labels(s, labels, ids, count);
    if ((learns || !s->restored) && !learn(s, &rows))
        return false;
    pack_u64(out, weft_vectors_index_ids(NULL, s->index, 0));
    return true;
}

/* ---- asking ---- */

static bool no_vectors(VectorsWorker *w)
{
    return worker_fail(w, WEFT_ERROR_NOT_FOUND, "there are no vectors yet");
}

/* The query of a search: a row, the vector of an id, or of a label. */
static bool find_query(VectorsWorker *w, WorkSpace *s, Unpack *u, float *query)
{
    uint32_t       mode = unpack_u32(u);
    uint64_t       id = unpack_u64(u), size;
    const char    *label = unpack_text(u, 4096);
    const uint8_t *row = unpack_bytes(u, &size);
    if (mode == 0 && size != 4ull * s->dimension)
        return worker_fail(w, WEFT_ERROR_SHAPE, "the vector has another dimension");
    if (mode == 0) {
        memcpy(query, row, size);
        return true;
    }
    if (mode == 2 && !label_search(s, label, &id))
        return worker_fail(w, WEFT_ERROR_NOT_FOUND, "there is no vector with this label");
    if (!weft_vectors_index_has(s->index, id))
        return worker_fail(w, WEFT_ERROR_NOT_FOUND, "there is no vector with this id");
    return weft_vectors_index_get(query, s->index, &id, 1);
}

bool work_search(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    uint32_t count = unpack_u32(u), exact = unpack_u32(u), found = 0;
    if (!s->dimension)
        return no_vectors(w);
    count = MIN_OF(MAX_OF(count, 1), WEFT_VECTORS_MAX_COUNT);
    weft_vectors_match *matches = malloc(count * sizeof *matches);
    float              *query = malloc(s->dimension * sizeof *query);
    weft_vectors_rows   row = {.data = query, .count = 1};
    bool ok = matches && query && find_query(w, s, u, query)
           && weft_vectors_index_search(matches, s->index, &row, &(weft_vectors_search){
                  .count = count, .exact = exact != 0});
    while (ok && found < count && matches[found].id != WEFT_VECTORS_NONE)
        found++;
    if (ok)
        pack_u32(out, found);
    for (uint32_t i = 0; ok && i < found; i++) {
        pack_u64(out, matches[i].id);
        pack_raw(out, &matches[i].score, sizeof matches[i].score);
        pack_text(out, label_find(s, matches[i].id));
    }
    free(matches);
    free(query);
    return ok;
}

bool work_places(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    uint64_t        size;
    const uint64_t *ids = (const uint64_t *)(const void *)unpack_bytes(u, &size);
    uint64_t        count = size / 8;
    if (!s->dimension)
        return no_vectors(w);
    uint32_t            axes = MIN_OF(3u, s->dimension);
    float              *rows = malloc(count * s->dimension * sizeof *rows + 1);
    weft_vectors_place *places = malloc(count * sizeof *places + 1);
    float              *at = malloc(count * axes * sizeof *at + 1);
    weft_vectors_rows   all = {.data = rows, .count = count};
    bool ok = rows && places && at && weft_vectors_index_get(rows, s->index, ids, count)
           && weft_vectors_map_match(places, s->map, &all)
           && weft_vectors_projection_apply(at, s->projection, &all);
    if (ok)
        pack_u32(out, axes);
    for (uint64_t i = 0; ok && i < count; i++) {
        double position[2];
        weft_vectors_map_position(position, s->map, places[i].unit);
        float xy[2] = {(float)position[0], (float)position[1]};
        pack_u64(out, ids[i]);
        pack_u32(out, places[i].unit);
        pack_raw(out, xy, sizeof xy);
        pack_raw(out, at + i * axes, axes * sizeof *at);
        pack_text(out, label_find(s, ids[i]));
    }
    free(rows);
    free(places);
    free(at);
    return ok;
}

/* ---- pictures ---- */

static bool show_map(WorkSpace *s, Pack *out)
{
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(s->map);
    weft_vectors_rows    rows = recent_rows(s);
    weft_vectors_quality q = {0};
    uint32_t  units = d->width * d->height;
    float    *umatrix = malloc(units * sizeof *umatrix);
    uint64_t *hits = malloc(units * sizeof *hits);
    uint32_t *small = malloc(units * sizeof *small);
    bool ok = umatrix && hits && small && weft_vectors_map_umatrix(umatrix, s->map)
           && weft_vectors_map_hits(hits, s->map, &rows)
           && weft_vectors_map_get_quality(&q, s->map, &rows);
    for (uint32_t i = 0; ok && i < units; i++)
        small[i] = (uint32_t)hits[i];
    if (ok) {
        double quality[3] = {q.quantisation_error, q.topographic_error, q.explained_variance};
        pack_u32(out, d->width);
        pack_u32(out, d->height);
        pack_u32(out, d->grid);
        pack_u32(out, d->toroidal);
        pack_raw(out, quality, sizeof quality);
        pack_bytes(out, umatrix, units * sizeof *umatrix);
        pack_bytes(out, small, units * sizeof *small);
    }
    free(umatrix);
    free(hits);
    free(small);
    return ok;
}

static bool show_projection(WorkSpace *s, Pack *out)
{
    weft_vectors_projection_info info;
    uint32_t axes_count = MIN_OF(3u, s->dimension);
    float   *axes = malloc((size_t)axes_count * s->dimension * sizeof *axes);
    float   *mean = malloc(s->dimension * sizeof *mean);
    float    share[3] = {0};
    bool ok = axes && mean && weft_vectors_projection_get_info(&info, s->projection)
           && weft_vectors_projection_axes(axes, mean, s->projection);
    for (uint32_t i = 0; ok && i < axes_count; i++)
        share[i] = (float)info.share[i];
    if (ok) {
        pack_u64(out, info.count);
        pack_bytes(out, share, axes_count * sizeof *share);
        pack_bytes(out, axes, (uint64_t)axes_count * s->dimension * sizeof *axes);
        pack_bytes(out, mean, s->dimension * sizeof *mean);
    }
    free(axes);
    free(mean);
    return ok;
}

bool work_show(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    weft_vectors_index_info info;
    (void)u;
    if (!s->dimension)
        return no_vectors(w);
    if (!weft_vectors_index_get_info(&info, s->index))
        return false;
    pack_u64(out, info.count);
    pack_u32(out, s->dimension);
    pack_u32(out, info.lists);
    pack_raw(out, &info.recall, sizeof info.recall);
    return show_map(s, out) && show_projection(s, out);
}

bool work_plane(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    uint32_t component = unpack_u32(u);
    bool     all = component == ALL_COMPONENTS;
    if (!s->dimension)
        return no_vectors(w);
    if (!all && component >= s->dimension)
        return worker_fail(w, WEFT_ERROR_INVALID, "vectors have no such component");
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(s->map);
    size_t units = (size_t)d->width * d->height, count = all ? units * s->dimension : units;
    float *values = malloc(count * sizeof *values);
    bool   ok = values && (all ? weft_vectors_map_weights(values, s->map)
                               : weft_vectors_map_plane(values, s->map, component));
    if (ok) {
        pack_u32(out, component);
        pack_u32(out, d->width);
        pack_u32(out, d->height);
        pack_bytes(out, values, count * sizeof *values);
    }
    free(values);
    return ok;
}

/* ---- states ---- */

bool work_state(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    (void)u;
    if (!s->dimension)
        return no_vectors(w);
    uint64_t map_size = weft_vectors_map_state_size(s->map);
    uint64_t projection_size = weft_vectors_projection_state_size(s->projection);
    uint8_t *map = malloc(map_size), *projection = malloc(projection_size);
    bool ok = map && projection && weft_vectors_map_state(map, map_size, s->map)
           && weft_vectors_projection_state(projection, projection_size, s->projection);
    if (ok) {
        pack_bytes(out, map, map_size);
        pack_bytes(out, projection, projection_size);
    }
    free(map);
    free(projection);
    return ok;
}

/* A picture of other settings is not used: then all rows are learned again. */
bool work_restore(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out)
{
    uint64_t       map_size, projection_size;
    const uint8_t *map = unpack_bytes(u, &map_size);
    const uint8_t *projection = unpack_bytes(u, &projection_size);
    (void)out;
    if (u->failed || s->dimension)
        return worker_fail(w, WEFT_ERROR_FORMAT, "damaged call");
    s->map = weft_vectors_map_restore(w->ctx, map, map_size);
    s->projection = weft_vectors_projection_restore(w->ctx, projection, projection_size);
    if (s->map && s->projection) {
        const weft_vectors_map_desc *d = weft_vectors_map_get_desc(s->map);
        s->learned = RECENT_ROWS;
        s->restored = true;
        if (d->width == w->setup.width && d->height == w->setup.height)
            return true;
    }
    weft_vectors_map_release(s->map);
    weft_vectors_projection_release(s->projection);
    s->map = NULL;
    s->projection = NULL;
    s->learned = 0;
    s->restored = false;
    return worker_fail(w, WEFT_ERROR_FORMAT, "the picture does not fit");
}
