// SPDX-License-Identifier: Apache-2.0
/*
 * slice.c - views of parts: ranges, single positions, diagonals, windows.
 *
 * in     tensors, pending or not
 * out    views; nothing is computed or copied
 * not    kernels
 */
#include <string.h>

#include "tensor/tensor_priv.h"

typedef struct Geometry {
    uint32_t rank;
    uint64_t shape[MAX_RANK];
    int64_t  strides[MAX_RANK];
    int64_t  offset;
} Geometry;

/* False with the error set if there are no views of t. */
static bool geometry_of(Geometry *g, const weft_tensor *t, const char *what)
{
    if (dtype_is_block((weft_dtype)t->dtype))
        return context_fail(t->ctx, WEFT_ERROR_TYPE, "%s: %s has no views; dequantize it first",
                            what, tensor_text(t));
    *g = (Geometry){.rank = t->rank, .offset = t->offset};
    memcpy(g->shape, t->shape, sizeof g->shape);
    memcpy(g->strides, t->strides, sizeof g->strides);
    return true;
}

static weft_tensor *geometry_view(weft_tensor *t, const Geometry *g)
{
    return tensor_view(t, (weft_dtype)t->dtype, g->rank, g->shape, g->strides, g->offset);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

void range_resolve(int64_t *first, int64_t *by, uint64_t *count, const weft_range *r, uint64_t size)
{
    int64_t n = (int64_t)size, step = r->step ? r->step : 1;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t start = step > 0 ? low : high, stop = step > 0 ? high : low;
    if (r->has_start)
        start = clamp(r->start < 0 ? (r->start < -n ? low : r->start + n) : r->start, low, high);
    if (r->has_stop)
        stop = clamp(r->stop < 0 ? (r->stop < -n ? low : r->stop + n) : r->stop, low, high);
    int64_t span = step > 0 ? stop - start : start - stop;
    /* A step beyond the axis takes one element; its size must not overflow below. */
    uint64_t jump = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    *count = span > 0 ? ((uint64_t)span - 1) / jump + 1 : 0;
    *first = start;
    *by = *count > 1 ? step : 0;
}

/* Python's slice: positions start, start + step, ... before stop. */
static void slice_axis(Geometry *g, uint32_t k, const weft_range *r)
{
    int64_t start, step;
    range_resolve(&start, &step, &g->shape[k], r, g->shape[k]);
    if (g->shape[k] > 0)
        g->offset += start * g->strides[k];
    g->strides[k] *= step;
}

weft_tensor *weft_tensor_slice(weft_tensor *t, uint32_t count, const weft_range *ranges)
{
    Geometry g;
    if (!TENSOR_ARGS("slice", t) || !geometry_of(&g, t, "slice"))
        return NULL;
    if (count > t->rank || (count && !ranges)) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "slice: %u ranges for %s", count, tensor_text(t));
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        slice_axis(&g, i, &ranges[i]);
    return geometry_view(t, &g);
}

weft_tensor *weft_tensor_narrow(weft_tensor *t, int axis, uint64_t start, uint64_t length)
{
    Geometry g;
    uint32_t k;
    if (!TENSOR_ARGS("narrow", t) || !tensor_axis(&k, t, axis, "narrow")
        || !geometry_of(&g, t, "narrow"))
        return NULL;
    if (start > g.shape[k] || length > g.shape[k] - start) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "narrow: %llu elements from %llu on do not fit "
                     "axis %u of %s", (unsigned long long)length, (unsigned long long)start, k,
                     tensor_text(t));
        return NULL;
    }
    g.shape[k] = length;
    if (length)
        g.offset += (int64_t)start * g.strides[k];
    return geometry_view(t, &g);
}

static void geometry_drop(Geometry *g, uint32_t k)
{
    for (uint32_t i = k; i + 1 < g->rank; i++) {
        g->shape[i] = g->shape[i + 1];
        g->strides[i] = g->strides[i + 1];
    }
    g->rank--;
}

weft_tensor *weft_tensor_select(weft_tensor *t, int axis, int64_t index)
{
    Geometry g;
    uint32_t k;
    if (!TENSOR_ARGS("select", t) || !tensor_axis(&k, t, axis, "select")
        || !geometry_of(&g, t, "select"))
        return NULL;
    int64_t n = (int64_t)g.shape[k];
    if (index < -n || index >= n) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "select: index %lld is out of range for axis %u "
                     "of %s", (long long)index, k, tensor_text(t));
        return NULL;
    }
    g.offset += (index < 0 ? index + n : index) * g.strides[k];
    geometry_drop(&g, k);
    return geometry_view(t, &g);
}

weft_tensor *weft_tensor_flip(weft_tensor *t, int axis)
{
    Geometry g;
    uint32_t k;
    if (!TENSOR_ARGS("flip", t) || !tensor_axis(&k, t, axis, "flip")
        || !geometry_of(&g, t, "flip"))
        return NULL;
    if (g.shape[k] > 1) {
        g.offset += (int64_t)(g.shape[k] - 1) * g.strides[k];
        g.strides[k] = -g.strides[k];
    }
    return geometry_view(t, &g);
}

weft_tensor *weft_tensor_diagonal(weft_tensor *t, int axis_a, int axis_b, int64_t offset)
{
    Geometry g;
    uint32_t a, b;
    if (!TENSOR_ARGS("diagonal", t) || !tensor_axis(&a, t, axis_a, "diagonal")
        || !tensor_axis(&b, t, axis_b, "diagonal") || !geometry_of(&g, t, "diagonal"))
        return NULL;
    if (a == b) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "diagonal: both axes are %u", a);
        return NULL;
    }
    int64_t rows = (int64_t)g.shape[a], columns = (int64_t)g.shape[b];
    int64_t below = offset < 0 ? clamp(offset, -rows, 0) * -1 : 0;
    int64_t right = offset > 0 ? clamp(offset, 0, columns) : 0;
    int64_t count = MIN_OF(rows - below, columns - right);
    int64_t step = g.strides[a] + g.strides[b];
    if (count > 0)
        g.offset += below * g.strides[a] + right * g.strides[b];
    geometry_drop(&g, MAX_OF(a, b));
    geometry_drop(&g, MIN_OF(a, b));
    g.shape[g.rank] = (uint64_t)count;
    g.strides[g.rank++] = step;
    return geometry_view(t, &g);
}

weft_tensor *weft_tensor_windows(weft_tensor *t, int axis, uint64_t size, uint64_t step)
{
    Geometry g;
    uint32_t k;
    if (!TENSOR_ARGS("windows", t) || !tensor_axis(&k, t, axis, "windows")
        || !geometry_of(&g, t, "windows"))
        return NULL;
    if (size == 0 || step == 0 || size > g.shape[k] || g.rank == MAX_RANK) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "windows: size %llu with step %llu does not fit "
                     "axis %u of %s", (unsigned long long)size, (unsigned long long)step, k,
                     tensor_text(t));
        return NULL;
    }
    uint64_t count = (g.shape[k] - size) / step + 1;
    g.shape[g.rank] = size;
    g.strides[g.rank++] = g.strides[k];
    g.shape[k] = count;
    g.strides[k] = count > 1 ? g.strides[k] * (int64_t)step : 0;
    return geometry_view(t, &g);
}

/* Whether offset and strides stay within the elements of t's root. */
static bool strided_fits(const weft_tensor *t, uint32_t rank, const uint64_t *shape,
                         const int64_t *strides, uint64_t offset)
{
    uint64_t per = weft_dtype_bytes((weft_dtype)t->dtype, 1);
    uint64_t have = weft_tensor_bytes(tensor_root(t)) / (per ? per : 1);
    int64_t  low, high;
    if (t->offset < 0 || offset > INT64_MAX / 4 || have > INT64_MAX / 4)
        return false;
    low = high = t->offset + (int64_t)offset;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t n = shape[i] ? (int64_t)shape[i] - 1 : 0, s = strides[i];
        if (n && (s > (INT64_MAX / 4) / n || s < -(INT64_MAX / 4) / n))
            return false;
        if (s > 0)
            high += n * s;
        else
            low += n * s;
        if (high >= (int64_t)have || low < 0)
            return false;
    }
    return high < (int64_t)have && low >= 0;
}

weft_tensor *weft_tensor_as_strided(weft_tensor *t, uint32_t rank, const uint64_t *shape,
                                    const int64_t *strides, uint64_t offset)
{
    Geometry g;
    uint64_t count;
    if (!TENSOR_ARGS("as_strided", t) || !geometry_of(&g, t, "as_strided"))
        return NULL;
    if (rank > MAX_RANK || (rank && (!shape || !strides)) || !shape_count(&count, rank, shape)
        || (count && !strided_fits(t, rank, shape, strides, offset))) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "as_strided: shape, strides and offset leave the "
                     "%llu bytes of %s", (unsigned long long)weft_tensor_bytes(tensor_root(t)),
                     tensor_text(t));
        return NULL;
    }
    return tensor_view(t, (weft_dtype)t->dtype, rank, shape, strides,
                       t->offset + (int64_t)(count ? offset : 0));
}

bool weft_tensor_split(weft_tensor **out, weft_tensor *t, int axis, uint32_t count,
                       const uint64_t *sizes)
{
    uint32_t k, done = 0;
    uint64_t at = 0;
    if (!TENSOR_ARGS("split", t) || !out || !tensor_axis(&k, t, axis, "split"))
        return false;
    if (!sizes && (count == 0 || t->shape[k] % count))
        return context_fail(t->ctx, WEFT_ERROR_SHAPE, "split: axis %u of %s does not divide into "
                            "%u parts", k, tensor_text(t), count);
    for (uint32_t i = 0; i < count; i++)
        if (sizes && sizes[i] > t->shape[k])
            return context_fail(t->ctx, WEFT_ERROR_SHAPE, "split: part %u is larger than axis "
                                "%u of %s", i, k, tensor_text(t));
    for (; done < count; done++) {
        uint64_t size = sizes ? sizes[done] : t->shape[k] / count;
        out[done] = weft_tensor_narrow(t, (int)k, at, size);
        if (!out[done])
            break;
        at += size;
    }
    bool ok = done == count && at == t->shape[k];
    if (done == count && !ok)
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "split: the sizes do not add up to axis %u of %s",
                     k, tensor_text(t));
    while (!ok && done > 0) {
        weft_tensor_release(out[--done]);
        out[done] = NULL;
    }
    return ok;
}
