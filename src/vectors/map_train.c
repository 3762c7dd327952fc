// SPDX-License-Identifier: Apache-2.0
/*
 * map_train.c - training of a map: batch epochs, passes row by row.
 *
 * in     rows on the device
 * out    moved weights
 * knows  kernels/influences.wgsl, smooth.wgsl; units.c, map_online.c
 * not    how the first units are chosen
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/map_priv.h"

#define INFLUENCE_BYTES (8u << 20)      /* of influences at a time                        */

/* ---- batch ---- */

bool map_nearest(weft_vectors_map *m, weft_buffer *nearest, uint32_t *near, weft_buffer *rows,
                 uint32_t count)
{
    return units_best(&m->units, m->ctx, nearest, rows, count)
        && weft_buffer_read(near, nearest, 0, count * 8ull);
}

static bool smooth_chunk(weft_vectors_map *m, weft_buffer *h, uint32_t first, uint32_t chunk,
                         float radius)
{
    uint32_t units = m->units.count, dim = m->desc.dimension, groups[2];
    struct { GridParams grid; uint32_t units, first, chunk, width; float radius; } a = {
        map_grid(m), units, first, chunk, GROUPS, radius};
    struct { uint32_t dim, units, first, chunk; } b = {dim, units, first, chunk};
    vectors_groups(groups, units);
    return vectors_run(m->ctx, &(KernelRun){
            .pipeline = vectors_kernel(m->ctx, KERNEL_INFLUENCES, false), .buffers = {h},
            .params = &a, .params_size = sizeof a,
            .groups = {(chunk + 63) / 64, groups[0], groups[1]}})
        && vectors_run(m->ctx, &(KernelRun){
            .pipeline = vectors_kernel(m->ctx, KERNEL_SMOOTH, false),
            .buffers = {h, m->units.sums, m->units.hits, m->units.weights}, .params = &b,
            .params_size = sizeof b, .groups = {(dim + 63) / 64, chunk / TILE}});
}

/* Sums and hits of all units become new weights. */
static bool smooth(weft_vectors_map *m, double radius)
{
    uint32_t units = m->units.count, room = (units + TILE - 1) / TILE * TILE;
    uint32_t chunk = MAX_OF(INFLUENCE_BYTES / 4 / units / TILE * TILE, TILE);
    chunk = MIN_OF(chunk, room);
    weft_buffer *h = device_bytes(m->ctx, (uint64_t)units * chunk * 4, "influences");
    bool         ok = h != NULL;
    for (uint32_t first = 0; ok && first < units; first += chunk)
        ok = smooth_chunk(m, h, first, chunk, (float)radius);
    weft_buffer_release(h);
    return ok && units_update_bias(&m->units, m->ctx);
}

static bool batch_epoch(weft_vectors_map *m, const Resident *s, double radius)
{
    weft_buffer *nearest = device_bytes(m->ctx, ((uint64_t)s->most + TILE) * 8, "nearest units");
    uint32_t    *near = host_array(m->ctx, 2ull * s->most, sizeof *near);
    bool ok = nearest && near && units_begin_pass(&m->units, m->ctx);
    for (uint32_t i = 0; ok && i < s->chunk_count; i++)
        ok = map_nearest(m, nearest, near, s->chunks[i], s->rows[i])
          && units_add(&m->units, m->ctx, s->chunks[i], near, s->rows[i]);
    weft_buffer_release(nearest);
    free(near);
    return ok && units_end_pass(&m->units, m->ctx) && smooth(m, radius);
}

/* ---- row by row ---- */

/* One pass; t goes on by `step` with each row. */
static bool online_epoch(weft_vectors_map *m, const Resident *s, const MapPace *p, double t,
                         double step)
{
    for (uint32_t i = 0; i < s->chunk_count; i++) {
        if (!map_online(m, s->chunks[i], s->rows[i], p, t, step))
            return false;
        t += s->rows[i] * step;
    }
    return units_update_bias(&m->units, m->ctx);
}

/* ---- trainings ---- */

static bool resolve_pace(MapPace *out, weft_vectors_map *m, const weft_vectors_training *o)
{
    const weft_vectors_map_desc *d = &m->desc;
    *out = (MapPace){
        o->radius_start == 0 ? d->radius_start : o->radius_start,
        o->radius_end == 0 ? d->radius_end : o->radius_end,
        o->rate_start == 0 ? d->rate_start : o->rate_start,
        o->rate_end == 0 ? d->rate_end : o->rate_end};
    bool ok = out->radius_start > 0 && out->radius_start < 1e6 && out->radius_end > 0
           && out->radius_end < 1e6 && out->rate_start > 0 && out->rate_start <= 1
           && out->rate_end > 0 && out->rate_end <= 1;
    return ok || context_fail(m->ctx, WEFT_ERROR_INVALID, "%s: a radius is not above 0, or a rate "
                              "is not above 0 and at most 1", d->label);
}

static bool train(weft_vectors_map *m, const Resident *s, const weft_vectors_training *o,
                  uint32_t epochs, const MapPace *p)
{
    double all = (double)epochs * (double)s->count;
    for (uint32_t i = 0; i < epochs; i++) {
        double t = epochs > 1 ? i / (epochs - 1.0) : 1;
        bool   ok = o->online
            ? online_epoch(m, s, p, (double)i * (double)s->count / all, 1 / fmax(all - 1, 1))
            : batch_epoch(m, s, map_cool(m->desc.cooling, p->radius_start, p->radius_end, t));
        if (!ok)
            return false;
        if (o->progress && !o->progress(o->user, i + 1, epochs))
            return context_fail(m->ctx, WEFT_ERROR_CANCELLED, "%s: the training was cancelled",
                                m->desc.label);
    }
    return true;
}

bool weft_vectors_map_train(weft_vectors_map *map, const weft_vectors_rows *rows,
                            const weft_vectors_training *options)
{
    weft_vectors_training o = options ? *options : (weft_vectors_training){0};
    Resident s;
    MapPace     p;
    if (!map || !context_ok(map->ctx) || !resolve_pace(&p, map, &o)
        || !resident_load(&s, map, rows))
        return false;
    bool ok = s.count == 0 || train(map, &s, &o, o.epochs ? o.epochs : 10, &p);
    resident_fini(&s);
    return ok;
}

bool weft_vectors_map_update(weft_vectors_map *map, const weft_vectors_rows *rows)
{
    Resident s;
    if (!map || !context_ok(map->ctx) || !resident_load(&s, map, rows))
        return false;
    const weft_vectors_map_desc *d = &map->desc;
    MapPace   p = {d->radius_start, d->radius_end, d->rate_start, d->rate_end};
    double t = (double)map->seen / (double)d->steps;
    bool   ok = online_epoch(map, &s, &p, t, 1 / (double)d->steps);
    if (ok)
        map->seen += s.count;
    resident_fini(&s);
    return ok;
}
