// SPDX-License-Identifier: Apache-2.0
/*
 * map.c - a self-organising map: its life, its grid, its state.
 *
 * in     a descriptor, or the bytes of a state
 * out    a map; distances on its grid
 * not    training (map_train.c), pictures (map_show.c)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/map_priv.h"

#define MAGIC   0x6d6f7377u             /* "wsom"                                         */
#define VERSION 1u
#define ROW_HEIGHT 0.86602540378443865  /* of hexagonal grids                             */

/* ---- life ---- */

static weft_vectors_map_desc map_resolve(weft_vectors_map_desc d)
{
    if (d.width == 0)        d.width = 32;
    if (d.height == 0)       d.height = 32;
    if (d.radius_start == 0) d.radius_start = fmax(MAX_OF(d.width, d.height) / 2.0, 1);
    if (d.radius_end == 0)   d.radius_end = fmin(1, d.radius_start);
    if (d.rate_start == 0)   d.rate_start = 0.5;
    if (d.rate_end == 0)     d.rate_end = fmin(0.01, d.rate_start);
    if (d.steps == 0)        d.steps = 20000;
    if (d.label == NULL)     d.label = "map";
    return d;
}

static bool positive(double v)
{
    return v > 0 && v < 1e6;
}

static const char *map_fault(const weft_vectors_map_desc *d)
{
    if (d->dimension == 0)                         return "the dimension is zero";
    if (d->dimension > WEFT_VECTORS_MAX_DIMENSION) return "the dimension is above 65,536";
    if ((uint64_t)d->width * d->height > MAX_UNITS) return "there are more than 65,536 units";
    if ((uint32_t)d->grid > WEFT_VECTORS_SQUARE)   return "there is no such grid";
    if ((uint32_t)d->neighbourhood > WEFT_VECTORS_BUBBLE) return "there is no such neighbourhood";
    if ((uint32_t)d->cooling > WEFT_VECTORS_INVERSE) return "there is no such cooling";
    if ((uint32_t)d->init > WEFT_VECTORS_SAMPLE)   return "there is no such way to begin";
    if (!positive(d->radius_start) || !positive(d->radius_end))
        return "a radius is not above 0 and below 1e6";
    if (!positive(d->rate_start) || !positive(d->rate_end) || d->rate_start > 1 || d->rate_end > 1)
        return "a rate is not above 0 and at most 1";
    if (d->toroidal && d->grid == WEFT_VECTORS_HEXAGONAL && d->height % 2)
        return "a hexagonal torus needs an even height";
    return NULL;
}

static bool allocate(weft_vectors_map *m)
{
    const weft_vectors_map_desc *d = &m->desc;
    m->centre = weft_buffer_create(m->ctx, &(weft_buffer_desc){
        .size = d->dimension * 4ull, .label = "centre"});
    m->centre_host = host_array(m->ctx, d->dimension, sizeof *m->centre_host);
    return m->centre && m->centre_host
        && units_init(&m->units, m->ctx, d->width * d->height, d->dimension);
}

weft_vectors_map *weft_vectors_map_create(weft_context *ctx, const weft_vectors_map_desc *desc)
{
    if (!ctx || !context_ok(ctx) || !context_need_device(ctx))
        return NULL;
    weft_vectors_map_desc d = map_resolve(desc ? *desc : (weft_vectors_map_desc){0});
    const char *fault = map_fault(&d);
    if (fault) {
        context_fail(ctx, WEFT_ERROR_INVALID, "%s: %s", d.label, fault);
        return NULL;
    }
    weft_vectors_map *m = host_array(ctx, 1, sizeof *m);
    if (!m)
        return NULL;
    m->refs = 1;
    m->ctx = weft_context_retain(ctx);
    m->desc = d;
    m->random = d.seed + 1;
    m->label = host_array(ctx, strlen(d.label) + 1, 1);
    if (m->label)
        m->desc.label = strcpy(m->label, d.label);
    if (m->label && allocate(m))
        return m;
    weft_vectors_map_release(m);
    return NULL;
}

weft_vectors_map *weft_vectors_map_retain(weft_vectors_map *map)
{
    if (map)
        map->refs++;
    return map;
}

void weft_vectors_map_release(weft_vectors_map *map)
{
    if (!map || --map->refs)
        return;
    units_fini(&map->units);
    weft_buffer_release(map->centre);
    free(map->centre_host);
    free(map->label);
    weft_context_release(map->ctx);
    free(map);
}

const weft_vectors_map_desc *weft_vectors_map_get_desc(const weft_vectors_map *map)
{
    return map ? &map->desc : NULL;
}

bool map_trained(weft_vectors_map *m)
{
    if (!m || !context_ok(m->ctx))
        return false;
    return m->started || context_fail(m->ctx, WEFT_ERROR_INVALID, "%s: it was not trained yet",
                                      m->desc.label);
}

/* ---- the grid ---- */

GridParams map_grid(const weft_vectors_map *m)
{
    const weft_vectors_map_desc *d = &m->desc;
    return (GridParams){d->width, d->height, d->grid == WEFT_VECTORS_HEXAGONAL, d->toroidal,
                        d->neighbourhood == WEFT_VECTORS_BUBBLE};
}

void weft_vectors_map_position(double out[2], const weft_vectors_map *map, uint32_t unit)
{
    out[0] = out[1] = 0;
    if (!map)
        return;
    uint32_t x = unit % map->desc.width, y = unit / map->desc.width;
    bool     hexagonal = map->desc.grid == WEFT_VECTORS_HEXAGONAL;
    out[0] = x + (hexagonal && y % 2 ? 0.5 : 0);
    out[1] = hexagonal ? y * ROW_HEIGHT : y;
}

double weft_vectors_map_distance(const weft_vectors_map *map, uint32_t a, uint32_t b)
{
    double p[2], q[2];
    if (!map)
        return 0;
    weft_vectors_map_position(p, map, a);
    weft_vectors_map_position(q, map, b);
    double dx = fabs(p[0] - q[0]), dy = fabs(p[1] - q[1]);
    if (map->desc.toroidal) {
        bool   hexagonal = map->desc.grid == WEFT_VECTORS_HEXAGONAL;
        double height = map->desc.height * (hexagonal ? ROW_HEIGHT : 1);
        dx = fmin(dx, fabs(map->desc.width - dx));
        dy = fmin(dy, fabs(height - dy));
    }
    return hypot(dx, dy);
}

bool map_adjacent(const weft_vectors_map *m, uint32_t a, uint32_t b)
{
    double reach = m->desc.grid == WEFT_VECTORS_HEXAGONAL ? 1.01 : 1.42;
    return weft_vectors_map_distance(m, a, b) < reach;
}

double map_cool(weft_vectors_cooling cooling, double start, double end, double t)
{
    t = fmin(fmax(t, 0), 1);
    switch (cooling) {
    case WEFT_VECTORS_LINEAR: return start + (end - start) * t;
    case WEFT_VECTORS_INVERSE: return start / (1 + (start / end - 1) * t);
    default: return start * pow(end / start, t);
    }
}

/* ---- states ---- */

uint64_t weft_vectors_map_state_size(const weft_vectors_map *map)
{
    if (!map)
        return 0;
    return 11 * 4 + 4 * 8 + 4 * 8
         + (map->desc.dimension + (uint64_t)map->units.count * map->desc.dimension) * 4;
}

static void put_desc(StateWriter *w, const weft_vectors_map *m)
{
    const weft_vectors_map_desc *d = &m->desc;
    const uint32_t head[] = {MAGIC, VERSION, d->dimension, d->width, d->height, d->grid,
                             d->toroidal, d->neighbourhood, d->cooling, d->init, d->normalise};
    const double   paces[] = {d->radius_start, d->radius_end, d->rate_start, d->rate_end};
    for (uint32_t i = 0; i < COUNTOF(head); i++)
        state_put_u32(w, head[i]);
    for (uint32_t i = 0; i < COUNTOF(paces); i++)
        state_put_f64(w, paces[i]);
    state_put_u64(w, d->steps);
    state_put_u64(w, d->seed);
    state_put_u64(w, m->seen);
    state_put_u64(w, m->started);
}

bool weft_vectors_map_state(void *out, uint64_t size, weft_vectors_map *map)
{
    if (!map || !context_ok(map->ctx))
        return false;
    uint64_t need = weft_vectors_map_state_size(map);
    if (size < need)
        return context_fail(map->ctx, WEFT_ERROR_INVALID, "%s: the state needs %llu bytes, there "
                            "are %llu", map->desc.label, (unsigned long long)need,
                            (unsigned long long)size);
    uint64_t count = (uint64_t)map->units.count * map->desc.dimension;
    float   *weights = host_array(map->ctx, count, sizeof *weights);
    bool     ok = weights && units_get(weights, &map->units, map->ctx);
    StateWriter w = {out, (uint8_t *)out + need};
    if (ok) {
        put_desc(&w, map);
        state_put_floats(&w, map->centre_host, map->desc.dimension);
        state_put_floats(&w, weights, count);
    }
    free(weights);
    return ok;
}

static bool get_desc(StateReader *r, weft_vectors_map_desc *d)
{
    bool known = state_get_u32(r) == MAGIC && state_get_u32(r) == VERSION;
    d->dimension = state_get_u32(r);
    d->width = state_get_u32(r);
    d->height = state_get_u32(r);
    d->grid = (weft_vectors_grid)state_get_u32(r);
    d->toroidal = state_get_u32(r) != 0;
    d->neighbourhood = (weft_vectors_neighbourhood)state_get_u32(r);
    d->cooling = (weft_vectors_cooling)state_get_u32(r);
    d->init = (weft_vectors_init)state_get_u32(r);
    d->normalise = state_get_u32(r) != 0;
    d->radius_start = state_get_f64(r);
    d->radius_end = state_get_f64(r);
    d->rate_start = state_get_f64(r);
    d->rate_end = state_get_f64(r);
    d->steps = state_get_u64(r);
    d->seed = state_get_u64(r);
    return known && !r->failed && d->width && d->height && d->steps && !map_fault(d);
}

static bool read_weights(weft_vectors_map *m, StateReader *r)
{
    uint64_t count = (uint64_t)m->units.count * m->desc.dimension;
    uint64_t left = (uint64_t)(r->end - r->at);
    if (left != (count + m->desc.dimension) * 4)
        return false;
    float *weights = host_array(m->ctx, count, sizeof *weights);
    bool ok = weights && state_get_floats(r, m->centre_host, m->desc.dimension)
           && state_get_floats(r, weights, count)
           && weft_buffer_write(m->centre, 0, m->centre_host, m->desc.dimension * 4ull)
           && units_set(&m->units, m->ctx, weights);
    free(weights);
    return ok;
}

weft_vectors_map *weft_vectors_map_restore(weft_context *ctx, const void *state, uint64_t size)
{
    StateReader r = {state, (const uint8_t *)state + size, false};
    weft_vectors_map_desc d = {0};
    if (!state || !get_desc(&r, &d)) {
        context_fail(ctx, WEFT_ERROR_FORMAT, "the bytes are not the state of a map");
        return NULL;
    }
    uint64_t seen = state_get_u64(&r);
    bool     started = state_get_u64(&r) != 0;
    /* before memory is taken for what the bytes cannot hold */
    uint64_t numbers = ((uint64_t)d.width * d.height + 1) * d.dimension;
    bool     fits = !r.failed && (uint64_t)(r.end - r.at) == numbers * 4;
    weft_vectors_map *m = fits ? weft_vectors_map_create(ctx, &d) : NULL;
    if (!fits || (m && !read_weights(m, &r))) {
        context_fail(ctx, WEFT_ERROR_FORMAT, "the state of a map is damaged");
        weft_vectors_map_release(m);
        return NULL;
    }
    if (m) {
        m->seen = seen;
        m->started = started;
    }
    return m;
}
