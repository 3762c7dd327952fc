// SPDX-License-Identifier: Apache-2.0
/*
 * map_online.c - online training of a map: row after row.
 *
 * in     rows on the device, their pace
 * out    moved weights
 * knows  kernels/online_*.wgsl
 * not    epochs
 *
 * Rows are taken in groups. Distances within a group follow from products of its rows with the
 * weights before the group and with each other, so that only small numbers depend on the row
 * before; both large products run on all cores.
 */
#include <stdlib.h>

#include "vectors/map_priv.h"

#define STEP_UNITS  64u                 /* that online_steps.wgsl takes at a time         */
#define SUBMIT_WORK (1ull << 28)        /* products between two submits                   */

/* What the groups of a call need, on the device. */
typedef struct Online {
    weft_vectors_map *map;
    weft_buffer *chunk;                 /* [rows][dim], as they came                      */
    weft_buffer *order, *pace;          /* [rows], [rows][2]                              */
    weft_buffer *rows;                  /* [room][dim], in their order                    */
    weft_buffer *gram;                  /* [room][ONLINE_GROUP]                           */
    weft_buffer *places;                /* [2][stride]                                    */
    weft_buffer *scores;                /* [ONLINE_GROUP][stride]                         */
    weft_buffer *norms, *keeps;         /* [stride]                                       */
    uint32_t     count, stride;
} Online;

/* The rows of a chunk in a drawn order, and the pace of each. */
static bool plan(Online *o, const MapPace *p, double t, double step)
{
    weft_vectors_map *m = o->map;
    uint32_t *order = host_array(m->ctx, o->count, sizeof *order);
    float    *pace = host_array(m->ctx, 2ull * o->count, sizeof *pace);
    if (order && pace) {
        for (uint32_t i = 0; i < o->count; i++)
            order[i] = i;
        for (uint32_t i = 0; i < o->count; i++) {
            uint32_t k = i + (uint32_t)(random_next(&m->random) % (o->count - i)), row = order[i];
            double   at = t + i * step;
            order[i] = order[k];
            order[k] = row;
            pace[2 * i] = (float)map_cool(m->desc.cooling, p->rate_start, p->rate_end, at);
            pace[2 * i + 1] = (float)map_cool(m->desc.cooling, p->radius_start, p->radius_end, at);
        }
        o->order = device_copy(m->ctx, order, o->count * 4ull, "order of rows");
        o->pace = device_copy(m->ctx, pace, o->count * 8ull, "pace of rows");
    }
    free(order);
    free(pace);
    return o->order && o->pace;
}

static weft_buffer *places_of(const weft_vectors_map *m, uint32_t stride)
{
    float *places = host_array(m->ctx, 2ull * stride, sizeof *places);
    for (uint32_t i = 0; places && i < m->units.count; i++) {
        double at[2];
        weft_vectors_map_position(at, m, i);
        places[i] = (float)at[0];
        places[stride + i] = (float)at[1];
    }
    weft_buffer *b = places ? device_copy(m->ctx, places, 8ull * stride, "places of units") : NULL;
    free(places);
    return b;
}

static bool prepare(Online *o)
{
    weft_context *ctx = o->map->ctx;
    uint64_t      room = ((uint64_t)o->count + ONLINE_GROUP - 1) / ONLINE_GROUP * ONLINE_GROUP;
    uint64_t      dim = o->map->desc.dimension;
    o->stride = (o->map->units.count + STEP_UNITS - 1) / STEP_UNITS * STEP_UNITS;
    o->places = places_of(o->map, o->stride);
    /* a tile to spare: online_move.wgsl reads past the last components */
    o->rows = device_bytes(ctx, (room * dim + TILE) * 4, "rows in their order");
    o->gram = device_bytes(ctx, room * ONLINE_GROUP * 4, "products of rows");
    o->scores = device_bytes(ctx, (uint64_t)o->stride * ONLINE_GROUP * 4, "products with units");
    o->norms = device_bytes(ctx, o->stride * 4ull, "norms of units");
    o->keeps = device_bytes(ctx, o->stride * 4ull, "shares of weights");
    return o->places && o->rows && o->gram && o->scores && o->norms && o->keeps;
}

static void online_fini(Online *o)
{
    weft_buffer_release(o->order);
    weft_buffer_release(o->pace);
    weft_buffer_release(o->rows);
    weft_buffer_release(o->gram);
    weft_buffer_release(o->places);
    weft_buffer_release(o->scores);
    weft_buffer_release(o->norms);
    weft_buffer_release(o->keeps);
}

/* Rows in their order, and their products. */
static bool arrange_rows(const Online *o)
{
    weft_context *ctx = o->map->ctx;
    uint32_t      rows[2], tiles[2], dim = o->map->desc.dimension;
    struct { uint32_t rows, dim, width; } p = {o->count, dim, GROUPS};
    vectors_groups(rows, o->count);
    vectors_groups(tiles, (o->count + TILE - 1) / TILE);
    return vectors_run(ctx, &(KernelRun){
            .pipeline = vectors_kernel(ctx, KERNEL_ONLINE_ORDER, false),
            .buffers = {o->chunk, o->order, o->rows}, .params = &p, .params_size = sizeof p,
            .groups = {(dim + 63) / 64, rows[0], rows[1]}})
        && vectors_run(ctx, &(KernelRun){
            .pipeline = vectors_kernel(ctx, KERNEL_ONLINE_GRAM, false),
            .buffers = {o->rows, o->gram}, .params = &p, .params_size = sizeof p,
            .groups = {tiles[0], tiles[1]}});
}

static bool run_group(const Online *o, uint32_t first, uint32_t rows)
{
    weft_vectors_map *m = o->map;
    uint32_t          dim = m->desc.dimension;
    struct { uint32_t first, rows, dim, stride; } p = {first, rows, dim, o->stride};
    struct { GridParams grid; uint32_t first, rows, units, stride; } s = {
        map_grid(m), first, rows, m->units.count, o->stride};
    return vectors_run(m->ctx, &(KernelRun){
            .pipeline = vectors_kernel(m->ctx, KERNEL_ONLINE_SCORES, false),
            .buffers = {o->rows, m->units.weights, o->scores, o->norms},
            .params = &p, .params_size = sizeof p,
            .groups = {m->units.blocks, (rows + TILE - 1) / TILE}})
        && vectors_run(m->ctx, &(KernelRun){
            .pipeline = vectors_kernel(m->ctx, KERNEL_ONLINE_STEPS, false),
            .buffers = {o->gram, o->pace, o->places, o->norms, o->scores, o->keeps},
            .params = &s, .params_size = sizeof s, .groups = {1}})
        && vectors_run(m->ctx, &(KernelRun){
            .pipeline = vectors_kernel(m->ctx, KERNEL_ONLINE_MOVE, false),
            .buffers = {o->rows, o->scores, o->keeps, m->units.weights},
            .params = &p, .params_size = sizeof p,
            .groups = {m->units.blocks, (dim + 63) / 64}});
}

static bool run_groups(const Online *o)
{
    uint64_t work = 0, each = (uint64_t)o->stride * o->map->desc.dimension * ONLINE_GROUP;
    bool     ok = arrange_rows(o);
    for (uint32_t first = 0; ok && first < o->count; first += ONLINE_GROUP) {
        ok = run_group(o, first, MIN_OF(ONLINE_GROUP, o->count - first));
        work += each;
        if (ok && work >= SUBMIT_WORK) {
            ok = weft_context_submit(o->map->ctx);
            work = 0;
        }
    }
    return ok && weft_context_submit(o->map->ctx);
}

bool map_online(weft_vectors_map *m, weft_buffer *chunk, uint32_t rows, const MapPace *p,
                double t, double step)
{
    Online o = {.map = m, .chunk = chunk, .count = rows};
    bool   ok = plan(&o, p, t, step) && prepare(&o) && run_groups(&o);
    online_fini(&o);
    return ok;
}
