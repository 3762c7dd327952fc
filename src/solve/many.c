// SPDX-License-Identifier: Apache-2.0
/*
 * many.c - weft_solve_many(): a million small problems in a few dispatches.
 *
 * in     a graph, starts, data of every problem
 * out    solutions, and how each problem ended
 * knows  many_emit.c, weft/context.h
 * not    how one problem is solved
 *
 * Problems are cut into chunks whose memory is used again; while the device solves one,
 * the next is copied.
 */
#include "solve/many_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((uint64_t)16 << 20)   /* of data in one chunk: small enough for caches  */
#define TILE_LEAST  16u                    /* problems: fewer are not worth the empty places */
#define TILE_BYTES  ((uint64_t)4 << 20)    /* of MANY_GROUP problems: larger ones stay apart */

typedef struct ManySolve {
    weft_context              *ctx;
    const weft_solve_many_desc *d;
    ManySpec       spec;
    ManyKernel     kernel;
    weft_pipeline *pipeline;
    uint32_t       columns;
    uint32_t       width;           /* numbers of an instance that are not common           */
    weft_buffer   *settings, *common;
    void          *scratch;         /* numbers on their way                                 */
    uint64_t       scratch_size;
} ManySolve;

/* One chunk on the device. */
typedef struct Chunk {
    uint32_t     first, count;      /* problems                                             */
    weft_buffer *buffers[MANY_BINDING_COUNT];
} Chunk;

/* ---- checks ---- */

static bool check_starts(weft_context *ctx, const weft_solve_many_desc *d)
{
    for (uint32_t i = 0; d->starts && i < d->problems; i++)
        if (d->starts[i] > d->starts[i + 1])
            return context_fail(ctx, WEFT_ERROR_INVALID,
                                "weft_solve_many: problem %u begins at instance %u and ends at %u",
                                i, d->starts[i], d->starts[i + 1]);
    return true;
}

static bool check_bounds(weft_context *ctx, const weft_solve_many_desc *d, uint32_t inputs)
{
    for (uint32_t i = 0; i < inputs; i++) {
        double low = d->lower ? d->lower[i] : -INFINITY, high = d->upper ? d->upper[i] : INFINITY;
        if (!(low <= high))
            return context_fail(ctx, WEFT_ERROR_INVALID,
                                "weft_solve_many: parameter %u cannot be between %g and %g", i,
                                low, high);
    }
    return true;
}

static const char *fault_of(const weft_solve_many_desc *d, const weft_grad_graph_info *info)
{
    const double finite[] = {d->cost_tolerance, d->gradient_tolerance, d->parameter_tolerance};
    for (int i = 0; i < 3; i++)
        if (!isfinite(finite[i]))
            return "a tolerance is not finite";
    if (!(d->initial_radius >= 0) || !isfinite(d->initial_radius))
        return "initial_radius is below 0 or not finite";
    if (d->common_count > info->data)
        return "common_count is above the number of data of an instance";
    if (d->common_count > 0 && (!d->common || d->starts))
        return "common data needs `common`, and problems of equal size";
    if (info->data > d->common_count && !d->data && d->problems > 0 &&
        (d->starts || d->instances > 0))
        return "data is NULL";
    if ((unsigned)d->precision > WEFT_GRAD_MIXED || (unsigned)d->damping > WEFT_SOLVE_IDENTITY)
        return "unknown precision or damping";
    return loss_fault(d->loss);
}

static bool check(double *x, weft_context *ctx, const weft_solve_many_desc *d)
{
    weft_grad_graph_info info;
    if (!d || !d->graph)
        return context_fail(ctx, WEFT_ERROR_INVALID, "weft_solve_many: there is no graph");
    if (!weft_grad_graph_get_info(&info, d->graph))
        return false;
    const char *fault = fault_of(d, &info);
    if (!fault && !x && d->problems > 0)
        fault = "x is NULL";
    if (!fault && info.inputs == 0)
        fault = "the graph has no differentiated parameters";
    if (fault)
        return context_fail(ctx, WEFT_ERROR_INVALID, "weft_solve_many: %s", fault);
    if (info.inputs > WEFT_SOLVE_MANY_PARAMETERS)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                            "weft_solve_many: %u parameters of a problem, at most %u are possible",
                            info.inputs, WEFT_SOLVE_MANY_PARAMETERS);
    return check_starts(ctx, d) && check_bounds(ctx, d, grad_loop_inputs(d->graph)) &&
           context_need_device(ctx);
}

/* ---- preparation ---- */

static double default_to(double value, double otherwise)
{
    return value == 0 ? otherwise : value;
}

static uint64_t real_size(const ManySolve *m)
{
    return m->spec.f64 ? 8 : 4;
}

static uint64_t sum_size(const ManySolve *m)
{
    return m->spec.wide ? 8 : 4;
}

static void *scratch(ManySolve *m, uint64_t size)
{
    if (size > m->scratch_size) {
        free(m->scratch);
        m->scratch = malloc(size);
        m->scratch_size = m->scratch ? size : 0;
        if (!m->scratch)
            context_fail(m->ctx, WEFT_ERROR_MEMORY, "weft_solve_many: no memory");
    }
    return m->scratch;
}

static weft_buffer *make_buffer(ManySolve *m, const void *data, uint64_t size)
{
    return weft_buffer_create(m->ctx, &(weft_buffer_desc){
        .size = size < 16 ? 16 : size, .data = size ? data : NULL, .data_size = size,
        .label = "weft_solve_many"});
}

/* Numbers in a buffer of one of the kernel's types. */
static weft_buffer *put(ManySolve *m, const double *from, uint64_t count, bool wide)
{
    if (wide || count == 0)
        return make_buffer(m, from, count * 8);
    float *narrow = scratch(m, count * 4);
    for (uint64_t i = 0; narrow && i < count; i++)
        narrow[i] = (float)from[i];
    return narrow ? make_buffer(m, narrow, count * 4) : NULL;
}

/* One tile: from [problems][each] to [each][MANY_GROUP]. Problems that are missing are 0. Eight
 * numbers of a problem at a time: a line of memory. */
#define TILE(NAME, TYPE)                                                                     \
    static void NAME(TYPE *to, const double *from, uint32_t problems, uint64_t each)         \
    {                                                                                        \
        for (uint64_t first = 0; first < each; first += 8) {                                 \
            uint64_t end = MIN_OF(first + 8, each);                                          \
            for (uint32_t p = 0; p < problems; p++)                                          \
                for (uint64_t i = first; i < end; i++)                                       \
                    to[i * MANY_GROUP + p] = (TYPE)from[p * each + i];                       \
        }                                                                                    \
        for (uint32_t p = problems; p < MANY_GROUP; p++)                                     \
            for (uint64_t i = 0; i < each; i++)                                              \
                to[i * MANY_GROUP + p] = 0;                                                  \
    }
TILE(tile_f64, double)
TILE(tile_f32, float)

static weft_buffer *put_tiled(ManySolve *m, const double *from, uint32_t problems)
{
    uint64_t each = (uint64_t)m->d->instances * m->width, real = real_size(m);
    uint64_t tiles = (problems + MANY_GROUP - 1) / MANY_GROUP, size = each * MANY_GROUP * real;
    char *all = scratch(m, tiles * size + 1);
    for (uint64_t t = 0; all && t < tiles; t++) {
        uint32_t left = MIN_OF(problems - (uint32_t)t * MANY_GROUP, MANY_GROUP);
        const double *tile = from + t * MANY_GROUP * each;
        if (m->spec.f64)
            tile_f64((double *)(void *)(all + t * size), tile, left, each);
        else
            tile_f32((float *)(void *)(all + t * size), tile, left, each);
    }
    return all ? make_buffer(m, all, tiles * size) : NULL;
}

static bool put_settings(ManySolve *m, const GradLoop *l)
{
    const weft_solve_many_desc *d = m->d;
    double values[SETTING_COUNT + 2 * WEFT_SOLVE_MANY_PARAMETERS];
    double far = m->spec.wide ? 1e300 : 1e37;
    bool f32 = !m->spec.wide;
    values[SETTING_COST] = default_to(d->cost_tolerance, f32 ? 1e-5 : 1e-6);
    values[SETTING_GRADIENT] = default_to(d->gradient_tolerance, f32 ? 1e-5 : 1e-10);
    values[SETTING_PARAMETER] = default_to(d->parameter_tolerance, f32 ? 1e-5 : 1e-8);
    values[SETTING_RADIUS] = default_to(d->initial_radius, 1e4);
    for (uint32_t c = 0; c < l->columns; c++) {
        uint32_t input = l->slot_input[l->column_slot[c]];
        double low = d->lower ? d->lower[input] : -far, high = d->upper ? d->upper[input] : far;
        values[SETTING_COUNT + c] = low < -far ? -far : low;
        values[SETTING_COUNT + l->columns + c] = high > far ? far : high;
    }
    m->settings = put(m, values, SETTING_COUNT + 2 * l->columns, m->spec.wide);
    return m->settings != NULL;
}

static bool set_precision(ManySolve *m)
{
    const weft_device_info *device = weft_context_device(m->ctx);
    bool possible = device->f64 && device->library && strcmp(device->library, "weft") == 0;
    m->spec.f64 = m->d->precision == WEFT_GRAD_F64;
    m->spec.wide = m->d->precision != WEFT_GRAD_F32;
    return !m->spec.wide || possible ||
           context_fail(m->ctx, WEFT_ERROR_UNSUPPORTED,
                        "weft_solve_many: %s has no f64: use the precision WEFT_GRAD_F32, or the "
                        "CPU device", device->name);
}

static bool compile(ManySolve *m)
{
    Arena arena;
    arena_init(&arena, 0);
    GradLoop *l = grad_loop_make(&arena, m->d->graph, m->spec.f64, "lm_");
    bool ok = l != NULL && (l->columns > 0 ||
              context_fail(m->ctx, WEFT_ERROR_INVALID,
                           "weft_solve_many: no output depends on a parameter"));
    if (ok) {
        many_emit(&m->kernel, &arena, l, &m->spec);
        m->columns = l->columns;
        m->pipeline = weft_pipeline_create(m->ctx, &(weft_pipeline_desc){
            .wgsl = m->kernel.text, .label = "weft_solve_many"});
        ok = m->pipeline && put_settings(m, l);
    }
    grad_loop_release(l);
    arena_fini(&arena);
    return ok;
}

static bool prepare(ManySolve *m)
{
    const weft_solve_many_desc *d = m->d;
    weft_grad_graph_info info;
    weft_grad_graph_get_info(&info, d->graph);
    m->spec = (ManySpec){.inputs = grad_loop_inputs(d->graph), .data = info.data,
                         .common = d->common_count, .uneven = d->starts != NULL,
                         .bounded = d->lower || d->upper,
                         .identity = d->damping == WEFT_SOLVE_IDENTITY, .loss = d->loss};
    m->width = info.data - d->common_count;
    m->spec.tiled = !d->starts && d->data && d->problems >= TILE_LEAST &&
                    8ull * d->instances * m->width * MANY_GROUP <= TILE_BYTES;
    if (!set_precision(m) || !compile(m))
        return false;
    if (m->kernel.bound[MANY_COMMON])
        m->common = put(m, d->common, (uint64_t)d->instances * d->common_count, m->spec.f64);
    return !m->kernel.bound[MANY_COMMON] || m->common;
}

/* ---- chunks ---- */

static uint64_t instances_of(const weft_solve_many_desc *d, uint32_t first, uint32_t end)
{
    return d->starts ? d->starts[end] - d->starts[first] : (uint64_t)(end - first) * d->instances;
}

/* As many problems as their data allows, at least one. */
static uint32_t chunk_end(const ManySolve *m, uint32_t first)
{
    const weft_device_info *device = weft_context_device(m->ctx);
    uint64_t most = device->limits.maxStorageBufferBindingSize, each = m->width * real_size(m);
    most = most < CHUNK_BYTES ? most : CHUNK_BYTES;
    uint64_t end = (uint64_t)first + most / (8ull * m->spec.inputs + 16);
    end = end < m->d->problems ? end : m->d->problems;
    if (each == 0)
        return (uint32_t)end;
    uint64_t low = first + 1ull, high = end;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (instances_of(m->d, first, (uint32_t)middle) * each <= most)
            low = middle;
        else
            high = middle - 1;
    }
    bool whole = m->spec.tiled && low < m->d->problems && low - first > MANY_GROUP;
    return (uint32_t)(whole ? low - (low - first) % MANY_GROUP : low);
}

static void chunk_fini(Chunk *c)
{
    for (int i = 0; i < MANY_BINDING_COUNT; i++)
        if (i != MANY_SETTINGS && i != MANY_COMMON)
            weft_buffer_release(c->buffers[i]);
    *c = (Chunk){0};
}

static weft_buffer *put_starts(ManySolve *m, const Chunk *c)
{
    const uint32_t *starts = m->d->starts + c->first;
    uint32_t *own = malloc((c->count + 1ull) * sizeof *own);
    for (uint32_t i = 0; own && i <= c->count; i++)
        own[i] = starts[i] - starts[0];
    weft_buffer *b = own ? weft_buffer_create(m->ctx, &(weft_buffer_desc){
        .size = (c->count + 1ull) * 4 + 16, .data = own, .data_size = (c->count + 1ull) * 4,
        .label = "weft_solve_many"}) : NULL;
    free(own);
    return b;
}

static weft_buffer *put_numbers(ManySolve *m, const Chunk *c)
{
    const weft_solve_many_desc *d = m->d;
    const double *from = d->data ? d->data + instances_of(d, 0, c->first) * m->width : NULL;
    uint64_t instances = instances_of(d, c->first, c->first + c->count);
    return m->spec.tiled ? put_tiled(m, from, c->count)
                         : put(m, from, from ? instances * m->width : 0, m->spec.f64);
}

static bool chunk_put(ManySolve *m, Chunk *c, const double *x)
{
    const weft_solve_many_desc *d = m->d;
    const uint32_t sizes[4] = {c->count, d->max_iterations ? d->max_iterations : 50,
                               d->instances, 0};
    c->buffers[MANY_SETTINGS] = m->settings;
    c->buffers[MANY_COMMON] = m->common;
    c->buffers[MANY_SIZES] = weft_buffer_create(m->ctx, &(weft_buffer_desc){
        .data = sizes, .data_size = sizeof sizes, .label = "weft_solve_many"});
    if (m->spec.uneven && !(c->buffers[MANY_STARTS] = put_starts(m, c)))
        return false;
    if (m->kernel.bound[MANY_NUMBERS] && !(c->buffers[MANY_NUMBERS] = put_numbers(m, c)))
        return false;
    c->buffers[MANY_PARAMETERS] = put(m, x + (size_t)c->first * m->spec.inputs,
                                      (uint64_t)c->count * m->spec.inputs, m->spec.wide);
    c->buffers[MANY_COSTS] = weft_buffer_create(m->ctx, &(weft_buffer_desc){
        .size = 2ull * c->count * sum_size(m), .uninitialized = true, .label = "costs"});
    c->buffers[MANY_ENDS] = weft_buffer_create(m->ctx, &(weft_buffer_desc){
        .size = 8ull * c->count, .uninitialized = true, .label = "ends"});
    return c->buffers[MANY_SIZES] && c->buffers[MANY_PARAMETERS] && c->buffers[MANY_COSTS] &&
           c->buffers[MANY_ENDS];
}

static bool chunk_run(ManySolve *m, const Chunk *c)
{
    weft_binding bindings[MANY_BINDING_COUNT] = {0};
    uint32_t count = 0, groups = (c->count + MANY_GROUP - 1) / MANY_GROUP;
    uint32_t across = MANY_STRIDE / MANY_GROUP, lines = (groups + across - 1) / across;
    for (int i = 0; i < MANY_BINDING_COUNT; i++)
        if (m->kernel.bound[i])
            bindings[count++].buffer = c->buffers[i];
    context_count(m->ctx, "solve.many_problems", "count", c->count);
    context_count(m->ctx, "solve.many_dispatches", "count", 1);
    return weft_context_dispatch(m->ctx, &(weft_dispatch){
        .pipeline = m->pipeline, .bindings = bindings, .binding_count = count,
        .groups = {lines > 1 ? across : groups, lines, 1}}) && weft_context_submit(m->ctx);
}

static bool get(ManySolve *m, double *to, weft_buffer *from, uint64_t count)
{
    if (m->spec.wide)
        return weft_buffer_read(to, from, 0, count * 8);
    float *narrow = malloc((count + 1) * sizeof *narrow);
    bool ok = narrow && weft_buffer_read(narrow, from, 0, count * 4);
    for (uint64_t i = 0; ok && i < count; i++)
        to[i] = narrow[i];
    free(narrow);
    return ok;
}

static bool chunk_get(ManySolve *m, const Chunk *c, double *x, weft_solve_status *each)
{
    if (!get(m, x + (size_t)c->first * m->spec.inputs, c->buffers[MANY_PARAMETERS],
             (uint64_t)c->count * m->spec.inputs))
        return false;
    if (!each)
        return true;
    double *costs = malloc((2ull * c->count + 1) * sizeof *costs);
    uint32_t *ends = malloc((2ull * c->count + 1) * sizeof *ends);
    bool ok = costs && ends && get(m, costs, c->buffers[MANY_COSTS], 2ull * c->count) &&
              weft_buffer_read(ends, c->buffers[MANY_ENDS], 0, 8ull * c->count);
    for (uint32_t i = 0; ok && i < c->count; i++)
        each[c->first + i] = (weft_solve_status){
            .initial_cost = costs[2 * i], .final_cost = costs[2 * i + 1],
            .iterations = ends[2 * i], .termination = (weft_solve_termination)ends[2 * i + 1]};
    free(costs);
    free(ends);
    return ok;
}

/* The next chunk is on its way while the one before is solved. */
static bool run_chunks(ManySolve *m, double *x, weft_solve_status *each)
{
    const weft_solve_many_desc *d = m->d;
    Chunk chunks[2] = {{0}};
    bool ok = true;
    uint32_t next = 0, at = 0;
    while (ok && (next < d->problems || chunks[at ^ 1].count > 0)) {
        Chunk *c = &chunks[at], *before = &chunks[at ^ 1];
        if (next < d->problems) {
            uint32_t end = chunk_end(m, next);
            *c = (Chunk){.first = next, .count = end - next};
            next = end;
            ok = chunk_put(m, c, x) && chunk_run(m, c);
        }
        if (ok && before->count > 0) {
            uint32_t done = before->first + before->count;
            ok = chunk_get(m, before, x, each);
            chunk_fini(before);
            if (ok && d->progress && !d->progress(d->user, done, d->problems))
                ok = context_fail(m->ctx, WEFT_ERROR_CANCELLED,
                                  "weft_solve_many: cancelled after %u of %u problems", done,
                                  d->problems);
        }
        at ^= 1;
    }
    chunk_fini(&chunks[0]);
    chunk_fini(&chunks[1]);
    return ok;
}

bool weft_solve_many(double *x, weft_solve_status *each, weft_context *ctx,
                     const weft_solve_many_desc *desc)
{
    if (!ctx || !check(x, ctx, desc))
        return false;
    ManySolve m = {.ctx = ctx, .d = desc};
    bool ok = prepare(&m) && run_chunks(&m, x, each);
    weft_pipeline_release(m.pipeline);
    weft_buffer_release(m.settings);
    weft_buffer_release(m.common);
    free(m.scratch);
    return ok;
}
