// SPDX-License-Identifier: Apache-2.0
/*
 * projection.c - incremental principal components: mean and covariance of all rows so far, axes
 * that follow them.
 *
 * in     rows
 * out    coordinates of rows along the axes, shares of variance
 * knows  kernels/covariance.wgsl, project.wgsl; axes.c finds the axes
 * not    pictures
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/projection_priv.h"

#define MAGIC   0x6a727077u             /* "wprj"                                         */
#define VERSION 1u

/* ---- life ---- */

static weft_vectors_projection_desc projection_resolve(weft_vectors_projection_desc d)
{
    if (d.components == 0) d.components = 3;
    if (d.label == NULL)   d.label = "projection";
    return d;
}

static const char *projection_fault(const weft_vectors_projection_desc *d)
{
    if (d->dimension == 0)                          return "the dimension is zero";
    if (d->dimension > WEFT_VECTORS_MAX_PROJECTED)  return "the dimension is above 4,096";
    if (d->components > WEFT_VECTORS_MAX_COMPONENTS) return "there are more than 16 components";
    if (d->components > d->dimension)               return "there are more axes than dimensions";
    if ((uint32_t)d->align > WEFT_VECTORS_SIGN)     return "there is no such alignment";
    if (!(d->half_life >= 0 && d->half_life < 1e300)) return "the half-life is negative";
    return NULL;
}

static bool allocate(weft_vectors_projection *p)
{
    weft_context *ctx = p->ctx;
    uint64_t      dim = p->desc.dimension;
    p->basis_rows = (uint32_t)MIN_OF(dim, p->desc.components + 8ull);
    p->covariance = weft_buffer_create(ctx, &(weft_buffer_desc){
        .size = dim * dim * 4, .label = "covariance"});
    p->axes_buffer = device_bytes(ctx, p->desc.components * dim * 4, "axes");
    p->zeros = weft_buffer_create(ctx, &(weft_buffer_desc){.size = dim * 4, .label = "zeros"});
    p->mean = host_array(ctx, dim, sizeof *p->mean);
    p->basis = host_array(ctx, p->basis_rows * dim, sizeof *p->basis);
    p->axes = host_array(ctx, p->desc.components * dim, sizeof *p->axes);
    return p->covariance && p->axes_buffer && p->zeros && p->mean && p->basis && p->axes;
}

weft_vectors_projection *weft_vectors_projection_create(weft_context *ctx,
                                                        const weft_vectors_projection_desc *desc)
{
    if (!ctx || !context_ok(ctx) || !context_need_device(ctx))
        return NULL;
    weft_vectors_projection_desc d
        = projection_resolve(desc ? *desc : (weft_vectors_projection_desc){0});
    const char *fault = projection_fault(&d);
    if (fault) {
        context_fail(ctx, WEFT_ERROR_INVALID, "%s: %s", d.label, fault);
        return NULL;
    }
    weft_vectors_projection *p = host_array(ctx, 1, sizeof *p);
    if (!p)
        return NULL;
    p->refs = 1;
    p->ctx = weft_context_retain(ctx);
    p->desc = d;
    p->random = 1;
    p->label = host_array(ctx, strlen(d.label) + 1, 1);
    if (p->label)
        p->desc.label = strcpy(p->label, d.label);
    if (p->label && allocate(p))
        return p;
    weft_vectors_projection_release(p);
    return NULL;
}

weft_vectors_projection *weft_vectors_projection_retain(weft_vectors_projection *p)
{
    if (p)
        p->refs++;
    return p;
}

void weft_vectors_projection_release(weft_vectors_projection *p)
{
    if (!p || --p->refs)
        return;
    weft_buffer_release(p->covariance);
    weft_buffer_release(p->axes_buffer);
    weft_buffer_release(p->zeros);
    free(p->mean);
    free(p->basis);
    free(p->axes);
    free(p->label);
    weft_context_release(p->ctx);
    free(p);
}

/* ---- merging ---- */

/* Rows less their own mean, for the covariance. */
static bool centre_rows(weft_vectors_projection *p, weft_buffer *out, weft_buffer *rows,
                        uint32_t count, const float *mean)
{
    weft_buffer *centre = device_copy(p->ctx, mean, p->desc.dimension * 4ull, "mean of rows");
    bool ok = centre && rows_shift(p->ctx, out, rows, centre, count, p->desc.dimension);
    weft_buffer_release(centre);
    return ok;
}

static bool add_covariance(weft_vectors_projection *p, weft_buffer *rows, uint32_t count,
                           const float *delta, double older)
{
    uint32_t dim = p->desc.dimension;
    double   all = older + count;
    struct { uint32_t rows, dim; float keep, weight, shift; } k = {
        count, dim, (float)(older / all), (float)(1 / all),
        (float)(older / all * (count / all))};
    weft_buffer *d = device_copy(p->ctx, delta, dim * 4ull, "shift of the mean");
    bool ok = d && vectors_run(p->ctx, &(KernelRun){
        .pipeline = vectors_kernel(p->ctx, KERNEL_COVARIANCE, false),
        .buffers = {rows, d, p->covariance}, .params = &k, .params_size = sizeof k,
        .groups = {(dim + 15) / 16, (dim + TILE - 1) / TILE}});
    weft_buffer_release(d);
    return ok;
}

/* How much the rows so far count beside new ones. */
static double older_weight(const weft_vectors_projection *p, uint32_t count)
{
    return p->desc.half_life > 0 ? p->weight * exp2(-(double)count / p->desc.half_life)
                                 : p->weight;
}

bool projection_merge(weft_vectors_projection *p, weft_buffer *rows, uint32_t count)
{
    uint32_t     dim = p->desc.dimension;
    double      *sums = host_array(p->ctx, dim, sizeof *sums);
    float       *mean = host_array(p->ctx, dim, sizeof *mean);
    float       *delta = host_array(p->ctx, dim, sizeof *delta);
    weft_buffer *centred = device_bytes(p->ctx, ((uint64_t)count + TILE) * dim * 4, "rows");
    double       older = older_weight(p, count), all = older + count;
    bool ok = sums && mean && delta && centred && columns_add(sums, p->ctx, rows, count, dim);
    for (uint32_t i = 0; ok && i < dim; i++) {
        mean[i] = (float)(sums[i] / count);
        delta[i] = (float)(sums[i] / count - p->mean[i]);
    }
    ok = ok && centre_rows(p, centred, rows, count, mean)
      && add_covariance(p, centred, count, delta, older);
    for (uint32_t i = 0; ok && i < dim; i++)
        p->mean[i] += (sums[i] / count - p->mean[i]) * (count / all);
    if (ok) {
        p->weight = all;
        p->count += count;
    }
    weft_buffer_release(centred);
    free(sums);
    free(mean);
    free(delta);
    return ok;
}

/* What an update that fails goes back to. */
typedef struct Saved {
    weft_buffer *covariance;
    double      *mean;
    double       weight;
    uint64_t     count;
} Saved;

static bool save(Saved *s, const weft_vectors_projection *p)
{
    uint64_t dim = p->desc.dimension;
    *s = (Saved){.weight = p->weight, .count = p->count};
    s->covariance = device_bytes(p->ctx, dim * dim * 4, "covariance");
    s->mean = host_array(p->ctx, dim, sizeof *s->mean);
    if (s->mean)
        memcpy(s->mean, p->mean, dim * sizeof *s->mean);
    return s->covariance && s->mean
        && weft_buffer_copy(s->covariance, 0, p->covariance, 0, dim * dim * 4);
}

static void restore(Saved *s, weft_vectors_projection *p)
{
    weft_buffer *b = p->covariance;
    double      *mean = p->mean;
    p->covariance = s->covariance;
    p->mean = s->mean;
    p->weight = s->weight;
    p->count = s->count;
    s->covariance = b;
    s->mean = mean;
}

static bool merge_all(weft_vectors_projection *p, RowReader *r)
{
    weft_buffer *rows = rows_buffer(r, "scaled rows");
    bool         ok = rows != NULL;
    uint64_t     done = 0;
    while (ok && rows_next(r)) {
        ok = rows_prepare(r, rows, p->zeros) && projection_merge(p, rows, r->rows);
        done = r->at;
    }
    weft_buffer_release(rows);
    return ok && done == r->count;
}

bool weft_vectors_projection_update(weft_vectors_projection *p, const weft_vectors_rows *rows)
{
    RowReader r;
    Saved     saved = {0};
    if (!p || !context_ok(p->ctx) || !rows_open(&r, p->ctx, p->ctx, &(RowsDesc){
            .rows = rows, .dim = p->desc.dimension, .normalise = p->desc.normalise,
            .label = p->desc.label}))
        return false;
    bool ok = r.count == 0;
    if (r.count && save(&saved, p)) {
        ok = merge_all(p, &r) && projection_settle(p);
        if (!ok)
            restore(&saved, p);
    }
    rows_close(&r);
    weft_buffer_release(saved.covariance);
    free(saved.mean);
    return ok;
}

/* ---- coordinates ---- */

static bool apply_chunk(weft_vectors_projection *p, float *out, const RowReader *r,
                        weft_buffer *rows, weft_buffer *centre, weft_buffer *at)
{
    struct { uint32_t rows, dim, components; } k = {r->rows, r->dim, p->desc.components};
    uint64_t width = p->desc.components * 4ull;
    return rows_prepare(r, rows, centre)
        && vectors_run(p->ctx, &(KernelRun){
            .pipeline = vectors_kernel(p->ctx, KERNEL_PROJECT, false),
            .buffers = {rows, p->axes_buffer, at}, .params = &k, .params_size = sizeof k,
            .groups = {(r->rows + 63) / 64, p->desc.components}})
        && weft_buffer_read((char *)out + r->first * width, at, 0, r->rows * width);
}

static weft_buffer *mean_buffer(weft_vectors_projection *p)
{
    float       *mean = host_array(p->ctx, p->desc.dimension, sizeof *mean);
    weft_buffer *b = NULL;
    for (uint32_t i = 0; mean && i < p->desc.dimension; i++)
        mean[i] = (float)p->mean[i];
    if (mean)
        b = device_copy(p->ctx, mean, p->desc.dimension * 4ull, "mean");
    free(mean);
    return b;
}

static bool has_rows(weft_vectors_projection *p)
{
    return p->count || context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: there were no rows yet",
                                    p->desc.label);
}

bool weft_vectors_projection_apply(float *out, weft_vectors_projection *p,
                                   const weft_vectors_rows *rows)
{
    RowReader r;
    if (!p || !context_ok(p->ctx) || !has_rows(p) || !rows_open(&r, p->ctx, p->ctx, &(RowsDesc){
            .rows = rows, .dim = p->desc.dimension, .normalise = p->desc.normalise,
            .label = p->desc.label}))
        return false;
    weft_buffer *centre = mean_buffer(p), *prepared = rows_buffer(&r, "rows less the mean");
    weft_buffer *at = device_bytes(p->ctx, (uint64_t)r.chunk * p->desc.components * 4,
                                   "coordinates");
    bool     ok = centre && prepared && at;
    uint64_t done = 0;
    while (ok && rows_next(&r)) {
        ok = apply_chunk(p, out, &r, prepared, centre, at);
        done = r.at;
    }
    ok = ok && done == r.count;
    weft_buffer_release(centre);
    weft_buffer_release(prepared);
    weft_buffer_release(at);
    rows_close(&r);
    return ok;
}

/* ---- looking ---- */

bool weft_vectors_projection_get_info(weft_vectors_projection_info *out,
                                      weft_vectors_projection *p)
{
    if (!p || !out)
        return false;
    *out = (weft_vectors_projection_info){
        .dimension = p->desc.dimension, .components = p->desc.components, .count = p->count,
        .total = p->total};
    for (uint32_t i = 0; i < p->desc.components; i++) {
        out->variance[i] = p->variance[i];
        out->share[i] = p->total > 0 ? p->variance[i] / p->total : 0;
    }
    return true;
}

bool weft_vectors_projection_axes(float *axes, float *mean, weft_vectors_projection *p)
{
    if (!p || !has_rows(p))
        return false;
    if (axes)
        memcpy(axes, p->axes, (size_t)p->desc.components * p->desc.dimension * sizeof *axes);
    for (uint32_t i = 0; mean && i < p->desc.dimension; i++)
        mean[i] = (float)p->mean[i];
    return true;
}

/* ---- states ---- */

uint64_t weft_vectors_projection_state_size(const weft_vectors_projection *p)
{
    if (!p)
        return 0;
    uint64_t dim = p->desc.dimension, c = p->desc.components;
    return 6 * 4 + 4 * 8 + c * 8 + dim * 8 + (dim * dim + c * dim + p->basis_rows * dim) * 4;
}

bool weft_vectors_projection_state(void *out, uint64_t size, weft_vectors_projection *p)
{
    if (!p || !context_ok(p->ctx))
        return false;
    uint64_t dim = p->desc.dimension, need = weft_vectors_projection_state_size(p);
    if (size < need)
        return context_fail(p->ctx, WEFT_ERROR_INVALID, "%s: the state needs %llu bytes, there "
                            "are %llu", p->desc.label, (unsigned long long)need,
                            (unsigned long long)size);
    float *c = host_array(p->ctx, dim * dim, sizeof *c);
    bool   ok = c && weft_buffer_read(c, p->covariance, 0, dim * dim * 4);
    StateWriter w = {out, (uint8_t *)out + need};
    if (ok) {
        const uint32_t head[] = {MAGIC, VERSION, p->desc.dimension, p->desc.components,
                                 p->desc.align, p->desc.normalise};
        for (uint32_t i = 0; i < COUNTOF(head); i++)
            state_put_u32(&w, head[i]);
        state_put_f64(&w, p->desc.half_life);
        state_put_f64(&w, p->weight);
        state_put_u64(&w, p->count);
        state_put_f64(&w, p->total);
        for (uint32_t i = 0; i < p->desc.components; i++)
            state_put_f64(&w, p->variance[i]);
        for (uint32_t i = 0; i < dim; i++)
            state_put_f64(&w, p->mean[i]);
        state_put_floats(&w, c, dim * dim);
        state_put_floats(&w, p->axes, p->desc.components * dim);
        for (uint64_t i = 0; i < p->basis_rows * dim; i++)
            state_put_floats(&w, &(float){(float)p->basis[i]}, 1);
    }
    free(c);
    return ok;
}

static bool read_state(weft_vectors_projection *p, StateReader *r)
{
    uint64_t dim = p->desc.dimension;
    float   *c = host_array(p->ctx, MAX_OF(dim, p->basis_rows) * dim, sizeof *c);
    p->weight = state_get_f64(r);
    p->count = state_get_u64(r);
    p->total = state_get_f64(r);
    for (uint32_t i = 0; i < p->desc.components; i++)
        p->variance[i] = state_get_f64(r);
    for (uint32_t i = 0; i < dim; i++)
        p->mean[i] = state_get_f64(r);
    bool ok = c && state_get_floats(r, c, dim * dim)
           && weft_buffer_write(p->covariance, 0, c, dim * dim * 4)
           && state_get_floats(r, p->axes, p->desc.components * dim)
           && weft_buffer_write(p->axes_buffer, 0, p->axes, p->desc.components * dim * 4)
           && state_get_floats(r, c, p->basis_rows * dim);
    for (uint64_t i = 0; ok && i < p->basis_rows * dim; i++)
        p->basis[i] = c[i];
    p->has_basis = p->has_axes = p->count > 0;
    ok = ok && p->weight >= 0 && r->at == r->end;
    free(c);
    return ok;
}

weft_vectors_projection *weft_vectors_projection_restore(weft_context *ctx, const void *state,
                                                         uint64_t size)
{
    StateReader r = {state, (const uint8_t *)state + size, false};
    weft_vectors_projection_desc d = {0};
    bool known = state && state_get_u32(&r) == MAGIC && state_get_u32(&r) == VERSION;
    d.dimension = state_get_u32(&r);
    d.components = state_get_u32(&r);
    d.align = (weft_vectors_align)state_get_u32(&r);
    d.normalise = state_get_u32(&r) != 0;
    d.half_life = state_get_f64(&r);
    if (!known || r.failed || d.components == 0 || projection_fault(&d)) {
        context_fail(ctx, WEFT_ERROR_FORMAT, "the bytes are not the state of a projection");
        return NULL;
    }
    weft_vectors_projection *p = weft_vectors_projection_create(ctx, &d);
    if (p && !read_state(p, &r)) {
        context_fail(ctx, WEFT_ERROR_FORMAT, "the state of a projection is damaged");
        weft_vectors_projection_release(p);
        p = NULL;
    }
    return p;
}
