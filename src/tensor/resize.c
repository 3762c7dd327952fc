// SPDX-License-Identifier: Apache-2.0
/*
 * resize.c - pictures in another size: nearest, linear and cubic, one axis after the other.
 *
 * in     x[N, C, L] or x[N, C, H, W], sizes or scales
 * out    a pending tensor
 *
 * For each axis the host makes two small tables, indices[M, taps] and weights[M, taps], so that
 * every grid and window is one kernel: a weighted sum of elements at computed places.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

#define MOST_TAPS 256u

/* attr.i: axis, taps */
static void write_taps(IndexedWrite *x)
{
    uint32_t    axis = (uint32_t)x->node->attr.i[0];
    const char *at[MAX_RANK], *o = x->out, *entry[2] = {x->coord[axis], NULL};
    for (uint32_t j = 0; j < x->node->rank; j++)
        at[j] = x->coord[j];
    entry[1] = arena_printf(x->arena, "%s_t", o);
    at[axis] = arena_printf(x->arena, "%s_i", o);
    writer_open(x->w, "for (var %s_t = 0u; %s_t < %lluu; %s_t++)", o, o,
                (unsigned long long)x->node->attr.i[1], o);
    writer_line(x->w, "let %s_i = u32(%s);", o, indexed_load(x, 1, entry));
    const char *weight = indexed_load(x, 2, entry);
    const char *value = indexed_load(x, 0, at);
    writer_line(x->w, "%s += %s(%s) * %s;", o,
                compute_text(dtype_compute((weft_dtype)x->node->dtype)), weight, value);
    writer_close(x->w);
}

static const TensorOp op_taps = {.name = "resize", .kind = OP_INDEXED, .cost = 8,
                                 .write = write_taps};

/* ---- tables ---- */

typedef struct Axis {
    uint64_t in, out;
    double   scale;                 /* out per in                                           */
    uint32_t taps;
    int32_t *index;
    float   *weight;
} Axis;

static double source(const weft_resize *r, const Axis *a, uint64_t o)
{
    double x = (double)o, n = (double)a->in, m = n * a->scale;
    switch (r->grid) {
    case WEFT_RESIZE_ALIGN_CORNERS: return m > 1 ? x * (n - 1) / (m - 1) : 0;
    case WEFT_RESIZE_ASYMMETRIC:    return x / a->scale;
    case WEFT_RESIZE_PYTORCH:       return a->out > 1 ? (x + 0.5) / a->scale - 0.5 : 0;
    default:                        return (x + 0.5) / a->scale - 0.5;
    }
}

static double nearest(const weft_resize *r, double x)
{
    switch (r->rounding) {
    case WEFT_RESIZE_ROUND_CEIL: return floor(x + 0.5);
    case WEFT_RESIZE_FLOOR:      return floor(x);
    case WEFT_RESIZE_CEIL:       return ceil(x);
    default:                     return ceil(x - 0.5);
    }
}

/* The window at distance x from its middle. */
static double window(const weft_resize *r, double x)
{
    double a = r->cubic != 0 ? r->cubic : -0.75;
    x = fabs(x);
    if (r->mode == WEFT_RESIZE_LINEAR)
        return x < 1 ? 1 - x : 0;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static void fill_entry(const weft_resize *r, const Axis *a, uint64_t o)
{
    double   x = source(r, a, o), wide = r->antialias && a->scale < 1 ? 1 / a->scale : 1, sum = 0;
    double   half = a->taps / 2.0;
    int64_t  first = (int64_t)floor(x - half) + 1, last = (int64_t)a->in - 1;
    int32_t *index = a->index + o * a->taps;
    float   *weight = a->weight + o * a->taps;
    if (r->mode == WEFT_RESIZE_NEAREST) {
        double n = nearest(r, x);
        index[0] = (int32_t)(n < 0 ? 0 : n > (double)last ? (double)last : n);
        weight[0] = 1;
        return;
    }
    for (uint32_t t = 0; t < a->taps; t++) {
        int64_t i = first + t;
        double  w = window(r, ((double)i - x) / wide);
        if (r->exclude_outside && (i < 0 || i > last))
            w = 0;
        sum += w;
        weight[t] = (float)w;
        index[t] = (int32_t)(i < 0 ? 0 : i > last ? last : i);
    }
    for (uint32_t t = 0; t < a->taps && sum != 0; t++)
        weight[t] = (float)(weight[t] / sum);
}

static bool axis_tables(weft_context *ctx, const weft_resize *r, Axis *a)
{
    double wide = r->antialias && a->scale < 1 ? 1 / a->scale : 1;
    double reach = (r->mode == WEFT_RESIZE_CUBIC ? 2 : 1) * wide;
    a->taps = r->mode == WEFT_RESIZE_NEAREST ? 1 : (uint32_t)fmin(2 * ceil(reach), 1e6);
    if (a->taps > MOST_TAPS)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED, "resize: a scale of %g takes more than %u "
                            "elements for one", a->scale, MOST_TAPS);
    a->index = malloc(a->out * a->taps * sizeof *a->index);
    a->weight = malloc(a->out * a->taps * sizeof *a->weight);
    if (!a->index || !a->weight)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for resize");
    for (uint64_t o = 0; o < a->out; o++)
        fill_entry(r, a, o);
    return true;
}

/* ---- the operator ---- */

static weft_tensor *resize_node(Temps *t, weft_tensor *x, uint32_t axis, const Axis *a)
{
    uint64_t shape[MAX_RANK];
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = a->out;
    weft_tensor *index = compose_temp(t, weft_tensor_create(x->ctx, &(weft_tensor_desc){
        .dtype = WEFT_I32, .rank = 2, .shape = {a->out, a->taps}, .data = a->index }));
    if (a->taps == 1) {
        weft_tensor *flat = compose_temp(t, weft_tensor_reshape(index, 1, &a->out));
        return flat ? compose_temp(t, weft_tensor_take(x, flat, (int)axis)) : NULL;
    }
    weft_tensor *weight = compose_temp(t, weft_tensor_create(x->ctx, &(weft_tensor_desc){
        .rank = 2, .shape = {a->out, a->taps}, .data = a->weight }));
    return !index || !weight ? NULL : compose_temp(t, tensor_node(x->ctx, &(NodeDesc){
        .op = &op_taps, .dtype = (weft_dtype)x->dtype, .rank = x->rank, .shape = shape,
        .inputs = (weft_tensor *const[]){x, index, weight}, .input_count = 3,
        .attr.i = {axis, a->taps} }));
}

static bool axis_of(Axis *a, const weft_tensor *x, const weft_resize *r, uint32_t i)
{
    uint64_t n = x->shape[2 + i];
    double scale = r->scale[i] != 0 ? r->scale[i]
                   : r->size[i]     ? (double)r->size[i] / (double)n
                                    : 1;
    uint64_t out = r->size[i];
    if (!isfinite(scale) || scale <= 0 || n == 0 || n > INT32_MAX || scale * (double)n >= INT32_MAX
        || out > INT32_MAX)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE,
                            "resize: no size, or the scale %g, for axis %u "
                            "of %s",
                            scale, 2 + i, tensor_text(x));
    if (!out)
        out = (uint64_t)floor((double)n * scale);
    *a = (Axis){.in = n, .out = out, .scale = scale};
    return out > 0
           || context_fail(x->ctx, WEFT_ERROR_SHAPE,
                           "resize: nothing is left of axis %u of "
                           "%s",
                           2 + i, tensor_text(x));
}

static bool resize_fits(const weft_tensor *x, const weft_resize *r)
{
    if (!r || (unsigned)r->mode > WEFT_RESIZE_CUBIC || (unsigned)r->grid > WEFT_RESIZE_PYTORCH
        || (unsigned)r->rounding > WEFT_RESIZE_CEIL)
        return context_fail(x->ctx, WEFT_ERROR_INVALID,
                            "resize: no description, or an unknown mode");
    if ((x->rank != 3 && x->rank != 4) || dtype_is_block((weft_dtype)x->dtype))
        return context_fail(x->ctx, WEFT_ERROR_SHAPE,
                            "resize needs x[N, C, L] or x[N, C, H, W], not "
                            "%s",
                            tensor_text(x));
    return true;
}

weft_tensor *weft_tensor_resize(weft_tensor *x, const weft_resize *resize)
{
    Temps t = {0};
    if (!TENSOR_ARGS("resize", x) || !resize_fits(x, resize))
        return NULL;
    weft_tensor *y = x;
    if (resize->mode != WEFT_RESIZE_NEAREST && !dtype_is_float((weft_dtype)x->dtype))
        y = compose_temp(&t, weft_tensor_cast(x, WEFT_F32));
    for (uint32_t i = 0; y && i + 2 < x->rank; i++) {
        Axis a;
        if (!axis_of(&a, x, resize, i))
            return compose_end(&t, NULL);
        bool same = a.in == a.out && (resize->grid != WEFT_RESIZE_ASYMMETRIC || a.scale == 1);
        if (!same)
            y = axis_tables(x->ctx, resize, &a) ? resize_node(&t, y, 2 + i, &a) : NULL;
        free(a.index);
        free(a.weight);
    }
    return compose_end(&t, y == x ? compose_temp(&t, weft_tensor_copy(x)) : y);
}
