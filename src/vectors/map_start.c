// SPDX-License-Identifier: Apache-2.0
/*
 * map_start.c - rows of a training on the device, and the first units of a map.
 *
 * in     rows
 * out    chunks of checked rows less the centre; weights along principal components, or drawn
 *        from the rows
 * knows  rows.c, projection.c
 * not    how units move afterwards
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/map_priv.h"

#define PLANE_WORK (1ull << 36)         /* products for the principal components          */
#define PLANE_ROWS 32u                  /* fewer rows have no plane                       */

/* ---- rows ---- */

void resident_fini(Resident *s)
{
    for (uint32_t i = 0; i < s->chunk_count; i++)
        weft_buffer_release(s->chunks[i]);
    free(s->chunks);
    free(s->rows);
    *s = (Resident){0};
}

static bool add_chunk(Resident *s, weft_context *ctx, weft_buffer *chunk, uint32_t rows)
{
    if (s->chunk_count == s->room) {
        uint32_t      room = s->room ? s->room * 2 : 8;
        weft_buffer **chunks = realloc(s->chunks, room * sizeof *chunks);
        if (chunks)
            s->chunks = chunks;
        uint32_t *counts = realloc(s->rows, room * sizeof *counts);
        if (counts)
            s->rows = counts;
        if (!chunks || !counts) {
            weft_buffer_release(chunk);
            return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for %u chunks of rows", room);
        }
        s->room = room;
    }
    s->chunks[s->chunk_count] = chunk;
    s->rows[s->chunk_count++] = rows;
    s->count += rows;
    s->most = MAX_OF(s->most, rows);
    return true;
}

static bool load_chunks(Resident *s, weft_vectors_map *m, RowReader *r, double *sums)
{
    uint64_t done = 0;
    while (rows_next(r)) {
        weft_buffer *chunk = device_bytes(m->ctx, ((uint64_t)r->rows + TILE) * r->dim * 4,
                                          "rows of a training");
        if (!chunk || !add_chunk(s, m->ctx, chunk, r->rows) || !rows_prepare(r, chunk, m->centre)
            || (sums && !columns_add(sums, m->ctx, chunk, r->rows, r->dim)))
            return false;
        done = r->at;
    }
    return done == r->count;
}

/* The mean of the first rows becomes the centre, and leaves the rows. */
static bool choose_centre(Resident *s, weft_vectors_map *m, const double *sums)
{
    uint32_t dim = m->desc.dimension;
    for (uint32_t i = 0; i < dim; i++)
        m->centre_host[i] = (float)(sums[i] / (double)s->count);
    bool ok = weft_buffer_write(m->centre, 0, m->centre_host, dim * 4ull);
    for (uint32_t i = 0; ok && i < s->chunk_count; i++) {
        weft_buffer *moved = device_bytes(m->ctx, ((uint64_t)s->rows[i] + TILE) * dim * 4,
                                          "rows of a training");
        ok = moved && rows_shift(m->ctx, moved, s->chunks[i], m->centre, s->rows[i], dim);
        weft_buffer_release(s->chunks[i]);
        s->chunks[i] = moved;
    }
    return ok;
}

static bool load(Resident *s, weft_vectors_map *m, RowReader *r)
{
    if (r->count == 0)
        return m->started || context_fail(m->ctx, WEFT_ERROR_INVALID, "%s: no rows to begin with",
                                          m->desc.label);
    if (m->started)
        return load_chunks(s, m, r, NULL);
    double *sums = host_array(m->ctx, r->dim, sizeof *sums);
    bool    ok = sums && load_chunks(s, m, r, sums) && choose_centre(s, m, sums)
              && map_start(m, s);
    free(sums);
    if (!ok) {                          /* nothing of a failed call stays */
        memset(m->centre_host, 0, r->dim * sizeof *m->centre_host);
        weft_buffer_write(m->centre, 0, m->centre_host, r->dim * 4ull);
    }
    m->started = ok;
    return ok;
}

bool resident_load(Resident *s, weft_vectors_map *m, const weft_vectors_rows *rows)
{
    RowReader r;
    *s = (Resident){0};
    if (!rows_open(&r, m->ctx, m->ctx, &(RowsDesc){
            .rows = rows, .dim = m->desc.dimension, .normalise = m->desc.normalise,
            .label = m->desc.label}))
        return false;
    bool ok = load(s, m, &r);
    rows_close(&r);
    if (!ok)
        resident_fini(s);
    return ok;
}

/* ---- along principal components ---- */

/* The first two principal components of the rows: axes[2][dim] and their variances. */
static bool find_plane(weft_vectors_map *m, const Resident *s, float *axes, double variance[2])
{
    uint32_t dim = m->desc.dimension, n = MIN_OF(dim, 2);
    uint64_t most = MAX_OF(PLANE_WORK / ((uint64_t)dim * dim), 1024);
    double   share = fmin(1, (double)most / (double)s->count);
    weft_vectors_projection_info info = {0};
    weft_vectors_projection *p = weft_vectors_projection_create(m->ctx,
        &(weft_vectors_projection_desc){.dimension = dim, .components = n});
    bool ok = p != NULL;
    for (uint32_t i = 0; ok && i < s->chunk_count; i++)
        ok = projection_merge(p, s->chunks[i], (uint32_t)ceil(s->rows[i] * share));
    ok = ok && projection_settle(p) && weft_vectors_projection_axes(axes, NULL, p)
      && weft_vectors_projection_get_info(&info, p);
    variance[0] = info.variance[0];
    variance[1] = info.variance[1];
    weft_vectors_projection_release(p);
    return ok;
}

/* From -2 to 2 standard deviations along the larger side, and along the other. */
static void spread(const weft_vectors_map *m, float *weights, const float *axes,
                   const double variance[2])
{
    const weft_vectors_map_desc *d = &m->desc;
    bool     upright = d->height > d->width;
    uint32_t dim = d->dimension;
    for (uint32_t i = 0; i < m->units.count; i++) {
        double x = d->width > 1 ? i % d->width / (d->width - 1.0) * 4 - 2 : 0;
        double y = d->height > 1 ? i / d->width / (d->height - 1.0) * 4 - 2 : 0;
        double a = (upright ? y : x) * sqrt(variance[0]);
        double b = (upright ? x : y) * sqrt(variance[1]);
        for (uint32_t k = 0; k < dim; k++)
            weights[(size_t)i * dim + k] = (float)(a * axes[k] + b * axes[dim + k]);
    }
}

static bool start_plane(weft_vectors_map *m, float *weights, const Resident *s)
{
    float *axes = host_array(m->ctx, 2ull * m->desc.dimension, sizeof *axes);
    double variance[2] = {0};
    bool   ok = axes && find_plane(m, s, axes, variance);
    if (ok)
        spread(m, weights, axes, variance);
    free(axes);
    return ok;
}

/* ---- from rows ---- */

/* Where there are fewer rows than units, units that share a row differ by some noise. */
static void add_noise(weft_vectors_map *m, float *weights)
{
    uint64_t count = (uint64_t)m->units.count * m->desc.dimension;
    double   squares = 0;
    for (uint64_t i = 0; i < count; i++)
        squares += (double)weights[i] * weights[i];
    double size = 0.05 * sqrt(squares / (double)count) + 1e-6;
    for (uint64_t i = 0; i < count; i++)
        weights[i] += (float)(size * (random_unit(&m->random) - 0.5));
}

static bool start_sample(weft_vectors_map *m, float *weights, const Resident *s)
{
    uint32_t  units = m->units.count, dim = m->desc.dimension;
    uint64_t *drawn = host_array(m->ctx, units, sizeof *drawn);
    float    *rows = host_array(m->ctx, (uint64_t)s->most * dim, sizeof *rows);
    bool      ok = drawn && rows;
    uint64_t  first = 0;
    for (uint32_t i = 0; ok && i < units; i++)
        drawn[i] = random_next(&m->random) % s->count;
    for (uint32_t c = 0; ok && c < s->chunk_count; first += s->rows[c++]) {
        ok = weft_buffer_read(rows, s->chunks[c], 0, (uint64_t)s->rows[c] * dim * 4);
        for (uint32_t i = 0; ok && i < units; i++)
            if (drawn[i] >= first && drawn[i] - first < s->rows[c])
                memcpy(weights + (size_t)i * dim, rows + (drawn[i] - first) * dim,
                       dim * sizeof *rows);
    }
    if (ok)
        add_noise(m, weights);
    free(drawn);
    free(rows);
    return ok;
}

bool map_start(weft_vectors_map *m, const Resident *s)
{
    bool plane = m->desc.init == WEFT_VECTORS_PLANE && s->count >= PLANE_ROWS
              && m->desc.dimension <= WEFT_VECTORS_MAX_PROJECTED;
    float *weights = host_array(m->ctx, (uint64_t)m->units.count * m->desc.dimension,
                                sizeof *weights);
    bool ok = weights && (plane ? start_plane(m, weights, s) : start_sample(m, weights, s))
           && units_set(&m->units, m->ctx, weights);
    free(weights);
    return ok;
}
