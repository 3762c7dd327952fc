// SPDX-License-Identifier: Apache-2.0
/*
 * map_show.c - what a trained map shows: places of rows, quality, component planes, U-matrix,
 * hits.
 *
 * in     a trained map, rows
 * out    numbers for pictures
 * knows  kernels/distances.wgsl, umatrix.wgsl
 * not    training, colours
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/map_priv.h"

/* ---- rows on the map ---- */

/* Called with each chunk: near[rows][2], squares[rows][2] as of kernels/distances.wgsl. */
typedef struct Visit {
    void (*chunk)(struct Visit *v, const RowReader *r, const uint32_t *near,
                  const float *squares);
    double             *sums;           /* [dim]: of prepared columns; NULL: not wanted   */
    weft_vectors_map   *map;
    weft_vectors_place *places;
    uint64_t           *hits;
    double              apart, squares, length;
    uint64_t            torn, count;
} Visit;

typedef struct Buffers {
    weft_buffer *rows, *nearest, *squares;
    uint32_t    *near;
    float       *squared;
} Buffers;

static bool visit_chunk(Visit *v, const RowReader *r, Buffers *b)
{
    weft_vectors_map *m = v->map;
    struct { uint32_t rows, dim; } p = {r->rows, r->dim};
    if (!rows_prepare(r, b->rows, m->centre)
        || !map_nearest(m, b->nearest, b->near, b->rows, r->rows)
        || !vectors_run(m->ctx, &(KernelRun){
            .pipeline = vectors_kernel(m->ctx, KERNEL_DISTANCES, false),
            .buffers = {b->rows, m->units.weights, b->nearest, b->squares}, .params = &p,
            .params_size = sizeof p, .groups = {(r->rows + 63) / 64}})
        || !weft_buffer_read(b->squared, b->squares, 0, r->rows * 8ull)
        || (v->sums && !columns_add(v->sums, m->ctx, b->rows, r->rows, r->dim)))
        return false;
    v->chunk(v, r, b->near, b->squared);
    v->count += r->rows;
    return true;
}

static bool visit(Visit *v, weft_vectors_map *m, const weft_vectors_rows *rows)
{
    RowReader r;
    v->map = m;
    if (!map_trained(m) || !rows_open(&r, m->ctx, m->ctx, &(RowsDesc){
            .rows = rows, .dim = m->desc.dimension, .normalise = m->desc.normalise,
            .label = m->desc.label}))
        return false;
    uint64_t pairs = ((uint64_t)r.chunk + TILE) * 2;
    Buffers  b = {.rows = rows_buffer(&r, "rows less the centre"),
                  .nearest = device_bytes(m->ctx, pairs * 4, "nearest units"),
                  .squares = device_bytes(m->ctx, pairs * 4, "squared distances"),
                  .near = host_array(m->ctx, pairs, sizeof *b.near),
                  .squared = host_array(m->ctx, pairs, sizeof *b.squared)};
    bool     ok = b.rows && b.nearest && b.squares && b.near && b.squared;
    while (ok && rows_next(&r))
        ok = visit_chunk(v, &r, &b);
    ok = ok && v->count == r.count;
    weft_buffer_release(b.rows);
    weft_buffer_release(b.nearest);
    weft_buffer_release(b.squares);
    free(b.near);
    free(b.squared);
    rows_close(&r);
    return ok;
}

static void keep_places(Visit *v, const RowReader *r, const uint32_t *near, const float *squares)
{
    for (uint32_t i = 0; i < r->rows; i++)
        v->places[r->first + i] = (weft_vectors_place){
            .unit = near[2 * i], .second = near[2 * i + 1], .distance = sqrtf(squares[2 * i])};
}

bool weft_vectors_map_match(weft_vectors_place *out, weft_vectors_map *map,
                            const weft_vectors_rows *rows)
{
    Visit v = {.chunk = keep_places, .places = out};
    return visit(&v, map, rows);
}

static void count_hits(Visit *v, const RowReader *r, const uint32_t *near, const float *squares)
{
    (void)squares;
    for (uint32_t i = 0; i < r->rows; i++)
        v->hits[near[2 * i]]++;
}

bool weft_vectors_map_hits(uint64_t *out, weft_vectors_map *map, const weft_vectors_rows *rows)
{
    Visit v = {.chunk = count_hits, .hits = out};
    if (!map_trained(map))
        return false;
    memset(out, 0, map->units.count * sizeof *out);
    return visit(&v, map, rows);
}

/* ---- quality ---- */

static void add_quality(Visit *v, const RowReader *r, const uint32_t *near, const float *squares)
{
    for (uint32_t i = 0; i < r->rows; i++) {
        v->apart += sqrt(squares[2 * i]);
        v->squares += squares[2 * i];
        v->length += squares[2 * i + 1];
        v->torn += !map_adjacent(v->map, near[2 * i], near[2 * i + 1]);
    }
}

bool weft_vectors_map_get_quality(weft_vectors_quality *out, weft_vectors_map *map,
                                  const weft_vectors_rows *rows)
{
    Visit v = {.chunk = add_quality};
    if (!map_trained(map))
        return false;
    v.sums = host_array(map->ctx, map->desc.dimension, sizeof *v.sums);
    bool   ok = v.sums && visit(&v, map, rows);
    double n = (double)MAX_OF(v.count, 1), mean = 0;
    for (uint32_t i = 0; ok && i < map->desc.dimension; i++)
        mean += v.sums[i] / n * (v.sums[i] / n);
    double total = v.length - n * mean;
    if (ok)
        *out = (weft_vectors_quality){
            .quantisation_error = v.apart / n, .topographic_error = (double)v.torn / n,
            .explained_variance = total > 0 ? 1 - v.squares / total : 1};
    free(v.sums);
    return ok;
}

/* ---- pictures ---- */

bool weft_vectors_map_weights(float *out, weft_vectors_map *map)
{
    if (!map_trained(map) || !units_get(out, &map->units, map->ctx))
        return false;
    uint32_t dim = map->desc.dimension;
    for (uint64_t i = 0; i < (uint64_t)map->units.count * dim; i++)
        out[i] += map->centre_host[i % dim];
    return true;
}

bool weft_vectors_map_plane(float *out, weft_vectors_map *map, uint32_t component)
{
    if (!map_trained(map))
        return false;
    uint32_t dim = map->desc.dimension;
    if (component >= dim)
        return context_fail(map->ctx, WEFT_ERROR_INVALID, "%s: there are %u components, not %u",
                            map->desc.label, dim, component + 1);
    float *weights = host_array(map->ctx, (uint64_t)map->units.count * dim, sizeof *weights);
    bool   ok = weights && weft_vectors_map_weights(weights, map);
    for (uint32_t i = 0; ok && i < map->units.count; i++)
        out[i] = weights[(size_t)i * dim + component];
    free(weights);
    return ok;
}

bool weft_vectors_map_umatrix(float *out, weft_vectors_map *map)
{
    if (!map_trained(map))
        return false;
    struct { GridParams grid; uint32_t dim, units; } p = {
        map_grid(map), map->desc.dimension, map->units.count};
    weft_buffer *u = device_bytes(map->ctx, map->units.count * 4ull, "U-matrix");
    bool ok = u && vectors_run(map->ctx, &(KernelRun){
        .pipeline = vectors_kernel(map->ctx, KERNEL_UMATRIX, false),
        .buffers = {map->units.weights, u}, .params = &p, .params_size = sizeof p,
        .groups = {(map->units.count + 63) / 64}})
        && weft_buffer_read(out, u, 0, map->units.count * 4ull);
    weft_buffer_release(u);
    return ok;
}
