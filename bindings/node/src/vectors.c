// SPDX-License-Identifier: Apache-2.0
/*
 * vectors.c - weft/vectors.h for JavaScript: index, self-organising map, projection.
 *
 * in     calls of lib/vectors.js; rows as bytes of f32, ids as bytes of u64
 * out    objects; what they answer as bytes, from jobs
 * knows  the calls of weft/vectors.h, one row of a table each
 * not    what the bytes mean to JavaScript
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* ---- making ---- */

static napi_value index_create(Call *c)
{
    static const char *const names[] = { "dimension", "metric", "capacity", "listThreshold",
                                         "lists", "recall", "seed", NULL };
    static const char *const metrics[] = { "cosine", "dot", "euclidean", NULL };
    weft_context *ctx = arg_context(c, 0);
    napi_value    o = c->argc > 1 ? c->argv[1] : js_undefined(c->napi);
    options_check(c, o, "VectorIndex", names);
    weft_vectors_index_desc d = {
        .dimension = (uint32_t)option_u64(c, o, "dimension", 0),
        .metric = (weft_vectors_metric)option_word(c, o, "metric", metrics),
        .capacity = option_u64(c, o, "capacity", 0),
        .list_threshold = option_u64(c, o, "listThreshold", 0),
        .lists = (uint32_t)option_u64(c, o, "lists", 0),
        .recall = option_number(c, o, "recall", 0), .seed = option_u64(c, o, "seed", 0),
    };
    return call_enter(c) ? call_give(c, KIND_VECTORS_INDEX, weft_vectors_index_create(ctx, &d))
                         : NULL;
}

static napi_value index_load(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const char   *path = arg_text(c, 1);
    return call_enter(c) ? call_give(c, KIND_VECTORS_INDEX,
                                     weft_vectors_index_load(ctx, path ? path : "", NULL))
                         : NULL;
}

static napi_value index_info(Call *c)
{
    const weft_vectors_index *index = arg_owned(c, 0, KIND_VECTORS_INDEX);
    weft_vectors_index_info   info;
    if (!call_enter(c))
        return NULL;
    if (!weft_vectors_index_get_info(&info, index))
        return call_throw(c);
    napi_value v = js_object(c->napi);
    js_set(c->napi, v, "dimension", js_number(c->napi, info.dimension));
    js_set(c->napi, v, "count", js_number(c->napi, (double)info.count));
    js_set(c->napi, v, "bytes", js_number(c->napi, (double)info.bytes));
    js_set(c->napi, v, "lists", js_number(c->napi, info.lists));
    js_set(c->napi, v, "probes", js_number(c->napi, info.probes));
    js_set(c->napi, v, "recall", js_number(c->napi, info.recall));
    return v;
}

static napi_value map_create(Call *c)
{
    static const char *const names[] = { "dimension", "width", "height", "grid", "toroidal",
                                         "neighbourhood", "cooling", "radiusStart", "radiusEnd",
                                         "rateStart", "rateEnd", "steps", "init", "normalise",
                                         "seed", NULL };
    static const char *const grids[] = { "hexagonal", "square", NULL };
    static const char *const around[] = { "gaussian", "bubble", NULL };
    static const char *const coolings[] = { "exponential", "linear", "inverse", NULL };
    static const char *const inits[] = { "plane", "sample", NULL };
    weft_context *ctx = arg_context(c, 0);
    napi_value    o = c->argc > 1 ? c->argv[1] : js_undefined(c->napi);
    options_check(c, o, "SelfOrganisingMap", names);
    weft_vectors_map_desc d = {
        .dimension = (uint32_t)option_u64(c, o, "dimension", 0),
        .width = (uint32_t)option_u64(c, o, "width", 0),
        .height = (uint32_t)option_u64(c, o, "height", 0),
        .grid = (weft_vectors_grid)option_word(c, o, "grid", grids),
        .toroidal = option_bool(c, o, "toroidal"),
        .neighbourhood = (weft_vectors_neighbourhood)option_word(c, o, "neighbourhood", around),
        .cooling = (weft_vectors_cooling)option_word(c, o, "cooling", coolings),
        .radius_start = option_number(c, o, "radiusStart", 0),
        .radius_end = option_number(c, o, "radiusEnd", 0),
        .rate_start = option_number(c, o, "rateStart", 0),
        .rate_end = option_number(c, o, "rateEnd", 0),
        .steps = option_u64(c, o, "steps", 0),
        .init = (weft_vectors_init)option_word(c, o, "init", inits),
        .normalise = option_bool(c, o, "normalise"), .seed = option_u64(c, o, "seed", 0),
    };
    return call_enter(c) ? call_give(c, KIND_VECTORS_MAP, weft_vectors_map_create(ctx, &d))
                         : NULL;
}

static napi_value map_restore(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    size_t        size = 0;
    const void   *state = arg_bytes(c, 1, &size);
    return call_enter(c) ? call_give(c, KIND_VECTORS_MAP,
                                     weft_vectors_map_restore(ctx, state, size)) : NULL;
}

static napi_value map_shape(Call *c)
{
    const weft_vectors_map *map = arg_owned(c, 0, KIND_VECTORS_MAP);
    if (!call_enter(c))
        return NULL;
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(map);
    napi_value v = js_object(c->napi);
    js_set(c->napi, v, "dimension", js_number(c->napi, d->dimension));
    js_set(c->napi, v, "width", js_number(c->napi, d->width));
    js_set(c->napi, v, "height", js_number(c->napi, d->height));
    js_set(c->napi, v, "grid", js_text(c->napi, d->grid ? "square" : "hexagonal"));
    js_set(c->napi, v, "toroidal", js_bool(c->napi, d->toroidal));
    return v;
}

static napi_value map_distance(Call *c)
{
    const weft_vectors_map *map = arg_owned(c, 0, KIND_VECTORS_MAP);
    const uint32_t          a = arg_u32(c, 1), b = arg_u32(c, 2);
    return call_enter(c) ? js_number(c->napi, weft_vectors_map_distance(map, a, b)) : NULL;
}

static napi_value projection_create(Call *c)
{
    static const char *const names[] = { "dimension", "components", "align", "halfLife",
                                         "normalise", NULL };
    static const char *const aligns[] = { "rotate", "sign", NULL };
    weft_context *ctx = arg_context(c, 0);
    napi_value    o = c->argc > 1 ? c->argv[1] : js_undefined(c->napi);
    options_check(c, o, "Projection", names);
    weft_vectors_projection_desc d = {
        .dimension = (uint32_t)option_u64(c, o, "dimension", 0),
        .components = (uint32_t)option_u64(c, o, "components", 0),
        .align = (weft_vectors_align)option_word(c, o, "align", aligns),
        .half_life = option_number(c, o, "halfLife", 0),
        .normalise = option_bool(c, o, "normalise"),
    };
    return call_enter(c) ? call_give(c, KIND_VECTORS_PROJECTION,
                                     weft_vectors_projection_create(ctx, &d)) : NULL;
}

static napi_value projection_restore(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    size_t        size = 0;
    const void   *state = arg_bytes(c, 1, &size);
    return call_enter(c) ? call_give(c, KIND_VECTORS_PROJECTION,
                                     weft_vectors_projection_restore(ctx, state, size)) : NULL;
}

/* ---- jobs ---- */

typedef struct Action Action;

typedef struct VectorsJob {
    Job               job;
    const Action     *action;
    void             *object;
    weft_vectors_rows rows;             /* our copy */
    uint64_t         *ids, id_count;
    int64_t           numbers[4];
    char             *path;
    void             *out;              /* malloc'ed */
    size_t            size;
} VectorsJob;

struct Action {
    const char *name;
    Kind        kind;
    bool      (*run)(VectorsJob *v);
};

static bool room(VectorsJob *v, uint64_t count, size_t item)
{
    v->size = (size_t)count * item;
    v->out = malloc(v->size ? v->size : 1);
    if (!v->out)
        failure_set(&v->job.failure, WEFT_ERROR_MEMORY, "out of memory");
    return v->out != NULL;
}

static bool do_insert(VectorsJob *v)
{
    return weft_vectors_index_insert(v->object, &v->rows, v->ids);
}

static bool do_replace(VectorsJob *v)
{
    return weft_vectors_index_replace(v->object, &v->rows, v->ids);
}

static bool do_remove(VectorsJob *v)
{
    return weft_vectors_index_remove(v->object, v->ids, v->id_count);
}

static bool do_get(VectorsJob *v)
{
    weft_vectors_index_info info;
    return weft_vectors_index_get_info(&info, v->object)
        && room(v, v->id_count * info.dimension, sizeof(float))
        && weft_vectors_index_get(v->out, v->object, v->ids, v->id_count);
}

static bool do_ids(VectorsJob *v)
{
    uint64_t n = weft_vectors_index_ids(NULL, v->object, 0);
    if (!room(v, n, sizeof(uint64_t)))
        return false;
    weft_vectors_index_ids(v->out, v->object, n);
    return true;
}

/* numbers: count, exact, probes */
static bool do_search(VectorsJob *v)
{
    weft_vectors_search o = { .count = (uint32_t)v->numbers[0], .exact = v->numbers[1] != 0,
                              .probes = (uint32_t)v->numbers[2] };
    return room(v, v->rows.count * o.count, sizeof(weft_vectors_match))
        && weft_vectors_index_search(v->out, v->object, &v->rows, &o);
}

static bool do_index_train(VectorsJob *v)
{
    return weft_vectors_index_train(v->object, job_progress, &v->job);
}

/* numbers: count, probes, samples */
static bool do_recall(VectorsJob *v)
{
    return room(v, 1, sizeof(double))
        && weft_vectors_index_recall(v->out, v->object, (uint32_t)v->numbers[0],
                                     (uint32_t)v->numbers[1], (uint32_t)v->numbers[2]);
}

static bool do_save(VectorsJob *v)
{
    return weft_vectors_index_save(v->object, v->path ? v->path : "");
}

/* numbers: epochs, online */
static bool do_map_train(VectorsJob *v)
{
    return weft_vectors_map_train(v->object, &v->rows, &(weft_vectors_training){
        .epochs = (uint32_t)v->numbers[0], .online = v->numbers[1] != 0,
        .progress = job_progress, .user = &v->job });
}

static bool do_map_update(VectorsJob *v)
{
    return weft_vectors_map_update(v->object, &v->rows);
}

static bool do_match(VectorsJob *v)
{
    return room(v, v->rows.count, sizeof(weft_vectors_place))
        && weft_vectors_map_match(v->out, v->object, &v->rows);
}

static bool do_quality(VectorsJob *v)
{
    return room(v, 1, sizeof(weft_vectors_quality))
        && weft_vectors_map_get_quality(v->out, v->object, &v->rows);
}

static uint64_t units(const VectorsJob *v)
{
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(v->object);
    return (uint64_t)d->width * d->height;
}

static bool do_weights(VectorsJob *v)
{
    return room(v, units(v) * weft_vectors_map_get_desc(v->object)->dimension, sizeof(float))
        && weft_vectors_map_weights(v->out, v->object);
}

static bool do_plane(VectorsJob *v)
{
    return room(v, units(v), sizeof(float))
        && weft_vectors_map_plane(v->out, v->object, (uint32_t)v->numbers[0]);
}

static bool do_umatrix(VectorsJob *v)
{
    return room(v, units(v), sizeof(float)) && weft_vectors_map_umatrix(v->out, v->object);
}

static bool do_hits(VectorsJob *v)
{
    return room(v, units(v), sizeof(uint64_t))
        && weft_vectors_map_hits(v->out, v->object, &v->rows);
}

static bool do_map_state(VectorsJob *v)
{
    return room(v, weft_vectors_map_state_size(v->object), 1)
        && weft_vectors_map_state(v->out, v->size, v->object);
}

static bool do_projection_update(VectorsJob *v)
{
    return weft_vectors_projection_update(v->object, &v->rows);
}

static bool do_apply(VectorsJob *v)
{
    weft_vectors_projection_info info;
    return weft_vectors_projection_get_info(&info, v->object)
        && room(v, v->rows.count * info.components, sizeof(float))
        && weft_vectors_projection_apply(v->out, v->object, &v->rows);
}

/* components, count, total, then variance and share of each axis: f64 */
static bool do_projection_info(VectorsJob *v)
{
    weft_vectors_projection_info info;
    if (!weft_vectors_projection_get_info(&info, v->object)
        || !room(v, 3 + 2 * info.components, sizeof(double)))
        return false;
    double *out = v->out;
    out[0] = info.components;
    out[1] = (double)info.count;
    out[2] = info.total;
    for (uint32_t i = 0; i < info.components; i++) {
        out[3 + 2 * i] = info.variance[i];
        out[4 + 2 * i] = info.share[i];
    }
    return true;
}

/* The axes, then the mean. */
static bool do_axes(VectorsJob *v)
{
    weft_vectors_projection_info info;
    if (!weft_vectors_projection_get_info(&info, v->object)
        || !room(v, (uint64_t)(info.components + 1) * info.dimension, sizeof(float)))
        return false;
    float *axes = v->out;
    return weft_vectors_projection_axes(axes, axes + (size_t)info.components * info.dimension,
                                        v->object);
}

static bool do_projection_state(VectorsJob *v)
{
    return room(v, weft_vectors_projection_state_size(v->object), 1)
        && weft_vectors_projection_state(v->out, v->size, v->object);
}

static const Action actions[] = {
    { "insert",  KIND_VECTORS_INDEX,      do_insert },
    { "replace", KIND_VECTORS_INDEX,      do_replace },
    { "remove",  KIND_VECTORS_INDEX,      do_remove },
    { "get",     KIND_VECTORS_INDEX,      do_get },
    { "ids",     KIND_VECTORS_INDEX,      do_ids },
    { "search",  KIND_VECTORS_INDEX,      do_search },
    { "train",   KIND_VECTORS_INDEX,      do_index_train },
    { "recall",  KIND_VECTORS_INDEX,      do_recall },
    { "save",    KIND_VECTORS_INDEX,      do_save },
    { "train",   KIND_VECTORS_MAP,        do_map_train },
    { "update",  KIND_VECTORS_MAP,        do_map_update },
    { "match",   KIND_VECTORS_MAP,        do_match },
    { "quality", KIND_VECTORS_MAP,        do_quality },
    { "weights", KIND_VECTORS_MAP,        do_weights },
    { "plane",   KIND_VECTORS_MAP,        do_plane },
    { "umatrix", KIND_VECTORS_MAP,        do_umatrix },
    { "hits",    KIND_VECTORS_MAP,        do_hits },
    { "state",   KIND_VECTORS_MAP,        do_map_state },
    { "update",  KIND_VECTORS_PROJECTION, do_projection_update },
    { "apply",   KIND_VECTORS_PROJECTION, do_apply },
    { "info",    KIND_VECTORS_PROJECTION, do_projection_info },
    { "axes",    KIND_VECTORS_PROJECTION, do_axes },
    { "state",   KIND_VECTORS_PROJECTION, do_projection_state },
};

static bool vectors_run(Job *job)
{
    VectorsJob *v = (VectorsJob *)job;
    return v->action->run(v);
}

static napi_value vectors_result(napi_env napi, Job *job)
{
    VectorsJob *v = (VectorsJob *)job;
    void       *out = v->out;
    v->out = NULL;
    return out ? js_bytes(napi, out, v->size) : js_undefined(napi);
}

static void vectors_fini(Job *job)
{
    VectorsJob *v = (VectorsJob *)job;
    if (v->action->kind == KIND_VECTORS_INDEX)
        weft_vectors_index_release(v->object);
    else if (v->action->kind == KIND_VECTORS_MAP)
        weft_vectors_map_release(v->object);
    else
        weft_vectors_projection_release(v->object);
    free((void *)(uintptr_t)v->rows.data);
    free(v->ids);
    free(v->path);
    free(v->out);
}

static void *retain(Kind kind, void *object)
{
    return kind == KIND_VECTORS_INDEX ? (void *)weft_vectors_index_retain(object)
         : kind == KIND_VECTORS_MAP   ? (void *)weft_vectors_map_retain(object)
                                      : (void *)weft_vectors_projection_retain(object);
}

static void *copy_bytes(const void *data, size_t size)
{
    void *copy = size ? malloc(size) : NULL;
    if (copy)
        memcpy(copy, data, size);
    return copy;
}

static const Action *find_action(Call *c, Kind kind, const char *name)
{
    for (size_t i = 0; name && i < COUNTOF(actions); i++)
        if (actions[i].kind == kind && strcmp(actions[i].name, name) == 0)
            return &actions[i];
    call_fail(c, WEFT_ERROR_INVALID, "vectors: unknown call");
    return NULL;
}

/* (object, action, rows, count, ids, numbers, path, token): rows and ids are bytes */
static napi_value start(Call *c, Kind kind)
{
    void          *object = arg_owned(c, 0, kind);
    const Action  *action = find_action(c, kind, arg_text(c, 1));
    size_t         rows_size = 0, ids_size = 0;
    const void    *rows = arg_bytes(c, 2, &rows_size);
    const int64_t  count = arg_i64(c, 3);
    const void    *ids = arg_bytes(c, 4, &ids_size);
    int64_t        numbers[4] = { 0 };
    arg_i64_list(c, 5, numbers, 4);
    const char    *path = arg_text(c, 6);
    const uint32_t token = arg_u32(c, 7);
    VectorsJob    *v = call_ok(c) && action ? calloc(1, sizeof *v) : NULL;
    if (!v)
        return NULL;
    v->job = (Job){ .run = vectors_run, .result = vectors_result, .fini = vectors_fini,
                    .home = c->home };
    v->action = action;
    v->rows = (weft_vectors_rows){ .data = copy_bytes(rows, rows_size),
                                   .count = (uint64_t)count };
    v->ids = copy_bytes(ids, ids_size);
    v->id_count = ids_size / sizeof(uint64_t);
    memcpy(v->numbers, numbers, sizeof numbers);
    v->path = path ? copy_bytes(path, strlen(path) + 1) : NULL;
    home_enter(c->home);
    v->object = retain(kind, object);
    home_leave(c->home);
    return job_start(c, &v->job, token);
}

static napi_value index_run(Call *c)
{
    return start(c, KIND_VECTORS_INDEX);
}

static napi_value map_run(Call *c)
{
    return start(c, KIND_VECTORS_MAP);
}

static napi_value projection_run(Call *c)
{
    return start(c, KIND_VECTORS_PROJECTION);
}

const Function vectors_functions[] = {
    { "vectorsIndexCreate",       index_create },
    { "vectorsIndexLoad",         index_load },
    { "vectorsIndexInfo",         index_info },
    { "vectorsIndexRun",          index_run },
    { "vectorsMapCreate",         map_create },
    { "vectorsMapRestore",        map_restore },
    { "vectorsMapShape",          map_shape },
    { "vectorsMapDistance",       map_distance },
    { "vectorsMapRun",            map_run },
    { "vectorsProjectionCreate",  projection_create },
    { "vectorsProjectionRestore", projection_restore },
    { "vectorsProjectionRun",     projection_run },
    { 0 },
};
