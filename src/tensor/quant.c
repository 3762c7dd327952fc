// SPDX-License-Identifier: Apache-2.0
/*
 * quant.c - numbers in 8 and 4 bits: blocks with their scale inside, and integers with scales
 * apart.
 *
 * in     floats, or quantized tensors and their scales
 * out    pending tensors; kernels/quant_*.wgsl write what has less than a byte, or blocks.
 *        Reading is part of the kernels that use them (fuse_text.c).
 * not    products (quant_matmul.c)
 */
#include <math.h>
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/elementwise_priv.h"
#include "tensor/quant_priv.h"

#define GROUP_CAP 65535u

/* ---- kernels ---- */

static bool blocks_plan(LibraryPlan *p)
{
    const LibraryInput *x = &p->in[0];
    bool     q8 = p->node->dtype == WEFT_Q8_0;
    uint64_t blocks = p->node->count / 32, groups = (blocks + 127) / 128;
    return library_kernel(p, &(LibraryKernel){
        .name = q8 ? "quant_q8_0" : "quant_q4_0",
        .numbers = {{"BLOCKS", blocks}, {"WORDS", (blocks * (q8 ? 34 : 18) + 3) / 4},
                    {"START", x->offset}},
        .params = {"ELEMENT", library_axes_start(p, x, 0, x->rank, "i")},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(groups, (uint64_t)GROUP_CAP),
                   (uint32_t)((groups + GROUP_CAP - 1) / GROUP_CAP), 1} });
}

static bool int4_plan(LibraryPlan *p)
{
    const LibraryInput *x = &p->in[0];
    uint64_t      words = (p->node->count + 7) / 8;
    LibraryKernel k = {
        .name = "quant_int4",
        .numbers = {{"WORDS", words}, {"COUNT", p->node->count}, {"START", x->offset}},
        .params = {"ELEMENT", library_axes_start(p, x, 0, x->rank, "i")},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}}};
    library_flat(k.groups, words);
    return library_kernel(p, &k);
}

static const TensorOp op_quantize = {.name = "quantize", .kind = OP_LIBRARY, .plan = blocks_plan};
static const TensorOp op_int4 = {.name = "quantize", .kind = OP_LIBRARY, .plan = int4_plan};

/* ---- blocks ---- */

static bool is_number(const weft_tensor *x)
{
    return dtype_is_float((weft_dtype)x->dtype) && x->dtype != WEFT_F64;
}

weft_tensor *weft_tensor_quantize(weft_tensor *x, weft_dtype dtype)
{
    weft_context *ctx = TENSOR_ARGS("quantize", x);
    if (!ctx)
        return NULL;
    if ((dtype != WEFT_Q4_0 && dtype != WEFT_Q8_0) || !is_number(x)) {
        context_fail(ctx, WEFT_ERROR_TYPE, "quantize makes q4_0 or q8_0 of floats, not %s of %s; "
                     "weft_tensor_quantize_linear() makes integers",
                     weft_dtype_name(dtype) ? weft_dtype_name(dtype) : "an unknown type",
                     tensor_text(x));
        return NULL;
    }
    if (x->rank == 0 || x->shape[x->rank - 1] % 32 || x->count > UINT32_MAX) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "quantize: the last axis of %s is not a multiple of 32",
                     tensor_text(x));
        return NULL;
    }
    return tensor_node(ctx, &(NodeDesc){
        .op = &op_quantize, .dtype = dtype, .rank = x->rank, .shape = x->shape, .inputs = &x,
        .input_count = 1 });
}

/* The stored numbers as f32, whatever the type. */
static weft_tensor *as_numbers(weft_tensor *q)
{
    return tensor_node(q->ctx, &(NodeDesc){
        .op = &op_cast, .dtype = WEFT_F32, .rank = q->rank, .shape = q->shape, .inputs = &q,
        .input_count = 1 });
}

weft_tensor *weft_tensor_dequantize(weft_tensor *q)
{
    weft_context *ctx = TENSOR_ARGS("dequantize", q);
    if (!ctx)
        return NULL;
    if (q->dtype != WEFT_Q4_0 && q->dtype != WEFT_Q8_0) {
        context_fail(ctx, WEFT_ERROR_TYPE, "dequantize: %s has no scales inside; "
                     "weft_tensor_dequantize_linear() takes them apart", tensor_text(q));
        return NULL;
    }
    return as_numbers(q);
}

/* ---- integers with scales ---- */

/* The range of an integer type; false: no such type here. */
static bool range_of(weft_dtype d, double *low, double *high)
{
    switch (d) {
    case WEFT_I8: *low = -128; *high = 127; return true;
    case WEFT_U8: *low = 0; *high = 255; return true;
    case WEFT_I4: *low = -8; *high = 7; return true;
    case WEFT_U4: *low = 0; *high = 15; return true;
    default:      return false;
    }
}

bool scales_grid(ScaleGrid *out, const weft_tensor *of, const weft_tensor *v, int axis,
                 const char *what)
{
    uint32_t k = 0;
    *out = (ScaleGrid){.rank = of->rank};
    if (of->rank && v->count != 1 && !tensor_axis(&k, of, axis, what))
        return false;
    bool fits = v->count == 1 || (v->rank == 1 && of->rank && v->shape[0] == of->shape[k])
                || v->rank == of->rank;
    for (uint32_t d = 0; d < of->rank; d++) {
        out->count[d] = v->count == 1 ? 1 : v->rank == of->rank && !(v->rank == 1) ? v->shape[d]
                        : v->rank == 1 && d == k ? v->shape[0] : 1;
        fits = fits && out->count[d] && of->shape[d] % out->count[d] == 0
               && (d == k || out->count[d] == 1 || out->count[d] == of->shape[d]);
    }
    return fits || context_fail(of->ctx, WEFT_ERROR_SHAPE, "%s: scales or zeros %s do not fit %s "
                                "along axis %d", what, tensor_text(v), tensor_text(of), axis);
}

/* v as [count, 1, ...] for a tensor that was split into [count, block, ...] on each axis. */
static weft_tensor *split_scales(Temps *t, weft_tensor *v, const ScaleGrid *g,
                                 const weft_tensor *of)
{
    uint64_t shape[2 * MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t d = 0; d < g->rank; d++) {
        shape[rank++] = g->count[d];
        if (g->count[d] > 1 && g->count[d] < of->shape[d])
            shape[rank++] = 1;
    }
    if (rank > MAX_RANK)
        return compose_fail(v, WEFT_ERROR_SHAPE, "tensors with blocks have rank 7 at most");
    return compose_temp(t, weft_tensor_reshape(v, rank, shape));
}

static weft_tensor *split_blocks(Temps *t, weft_tensor *x, const ScaleGrid *g)
{
    uint64_t shape[2 * MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t d = 0; d < g->rank; d++) {
        uint64_t n = weft_tensor_size(x, (int)d);
        bool     blocks = g->count[d] > 1 && g->count[d] < n;
        shape[rank++] = blocks ? g->count[d] : n;
        if (blocks)
            shape[rank++] = n / g->count[d];
    }
    if (rank > MAX_RANK)
        return compose_fail(x, WEFT_ERROR_SHAPE, "tensors with blocks have rank 7 at most");
    return compose_temp(t, weft_tensor_reshape(x, rank, shape));
}

typedef struct Split {
    ScaleGrid    grid;
    weft_tensor *scale, *zero;      /* as f32, in the shape of split blocks; zero may be NULL */
} Split;

static bool split_of(Split *out, Temps *t, weft_tensor *x, const weft_scales *s, const char *what)
{
    ScaleGrid zeros;
    *out = (Split){.scale = NULL};
    if (!s || !s->scale)
        return context_fail(x->ctx, WEFT_ERROR_INVALID, "%s: no scales", what);
    if (!TENSOR_ARGS(what, x, s->scale) || (s->zero && !TENSOR_ARGS(what, x, s->zero)))
        return false;
    if (!dtype_is_float((weft_dtype)s->scale->dtype) || s->scale->dtype == WEFT_F64
        || (s->zero && dtype_is_block((weft_dtype)s->zero->dtype)))
        return context_fail(x->ctx, WEFT_ERROR_TYPE, "%s: scales must be floats, zeros numbers",
                            what);
    if (!scales_grid(&out->grid, x, s->scale, s->axis, what))
        return false;
    out->scale = split_scales(t, s->scale, &out->grid, x);
    out->scale = out->scale ? compose_temp(t, weft_tensor_cast(out->scale, WEFT_F32)) : NULL;
    if (s->zero && out->scale) {
        if (!scales_grid(&zeros, x, s->zero, s->axis, what)
            || memcmp(zeros.count, out->grid.count, sizeof zeros.count) != 0)
            return context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s: zeros %s differ in shape from "
                                "scales %s", what, tensor_text(s->zero), tensor_text(s->scale));
        out->zero = split_scales(t, s->zero, &zeros, x);
        out->zero = out->zero ? compose_temp(t, weft_tensor_cast(out->zero, WEFT_F32)) : NULL;
        return out->zero != NULL;
    }
    return out->scale != NULL;
}

/* clip(round(x / scale) + zero) in the integer type. */
static weft_tensor *rounded(Temps *t, weft_tensor *x, const Split *s, weft_dtype dtype)
{
    double low = 0, high = 0;
    range_of(dtype, &low, &high);
    weft_tensor *v = split_blocks(t, x, &s->grid);
    v = v ? compose_temp(t, weft_tensor_div(v, s->scale)) : NULL;
    v = v ? compose_temp(t, weft_tensor_round(v)) : NULL;
    if (v && s->zero)
        v = compose_temp(t, weft_tensor_add(v, s->zero));
    v = v ? compose_temp(t, weft_tensor_clip(v, low, high)) : NULL;
    v = v ? compose_temp(t, weft_tensor_reshape(v, x->rank, x->shape)) : NULL;
    if (!v || dtype == WEFT_I8 || dtype == WEFT_U8)
        return v ? compose_temp(t, weft_tensor_cast(v, dtype)) : NULL;
    return compose_temp(t, tensor_node(x->ctx, &(NodeDesc){
        .op = &op_int4, .dtype = dtype, .rank = x->rank, .shape = x->shape, .inputs = &v,
        .input_count = 1 }));
}

static bool quantizable(const weft_tensor *x, weft_dtype dtype, const char *what)
{
    double low, high;
    if (!range_of(dtype, &low, &high) || !is_number(x))
        return context_fail(x->ctx, WEFT_ERROR_TYPE, "%s makes i8, u8, i4 or u4 of floats, not %s "
                            "of %s", what,
                            weft_dtype_name(dtype) ? weft_dtype_name(dtype) : "nothing",
                            tensor_text(x));
    bool odd = (dtype == WEFT_I4 || dtype == WEFT_U4) && x->rank && x->shape[x->rank - 1] % 2;
    if (x->rank == 0 || odd || x->count > UINT32_MAX)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s: the last axis of %s is missing or odd",
                            what, tensor_text(x));
    return true;
}

weft_tensor *weft_tensor_quantize_linear(weft_tensor *x, const weft_scales *scales,
                                         weft_dtype dtype)
{
    Temps t = {0};
    Split s;
    if (!TENSOR_ARGS("quantize_linear", x) || !quantizable(x, dtype, "quantize_linear"))
        return NULL;
    bool ok = split_of(&s, &t, x, scales, "quantize_linear");
    return compose_end(&t, ok ? rounded(&t, x, &s, dtype) : NULL);
}

weft_tensor *weft_tensor_dequantize_linear(weft_tensor *q, const weft_scales *scales)
{
    Temps  t = {0};
    Split  s;
    double low, high;
    if (!TENSOR_ARGS("dequantize_linear", q))
        return NULL;
    if (!range_of((weft_dtype)q->dtype, &low, &high) && q->dtype != WEFT_I32) {
        context_fail(q->ctx, WEFT_ERROR_TYPE, "dequantize_linear takes i8, u8, i4, u4 or i32, not "
                     "%s", tensor_text(q));
        return NULL;
    }
    if (!split_of(&s, &t, q, scales, "dequantize_linear"))
        return compose_end(&t, NULL);
    weft_tensor *v = compose_temp(&t, as_numbers(q));
    v = v ? split_blocks(&t, v, &s.grid) : NULL;
    if (v && s.zero)
        v = compose_temp(&t, weft_tensor_sub(v, s.zero));
    v = v ? compose_temp(&t, weft_tensor_mul(v, s.scale)) : NULL;
    return compose_end(&t, v ? compose_temp(&t, weft_tensor_reshape(v, q->rank, q->shape)) : NULL);
}

/* ---- scales from the data ---- */

/* Which axes of the split tensor are inside one scale, and the shape of the scales. */
static bool dynamic_grid(ScaleGrid *g, weft_axes *inside, const weft_tensor *x,
                         const weft_quantize *q)
{
    uint32_t k = 0;
    *g = (ScaleGrid){.rank = x->rank};
    *inside = (weft_axes){.keep = true, .none = true};
    if (q->per != WEFT_PER_TENSOR && !tensor_axis(&k, x, q->axis, "quantize_dynamic"))
        return false;
    if (q->per == WEFT_PER_BLOCK && (q->block == 0 || x->shape[k] % q->block))
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "quantize_dynamic: axis %u of %s is no "
                            "multiple of %llu", k, tensor_text(x), (unsigned long long)q->block);
    uint32_t at = 0;
    for (uint32_t d = 0; d < x->rank; d++) {
        bool mine = q->per != WEFT_PER_TENSOR && d == k;
        g->count[d] = q->per == WEFT_PER_BLOCK ? (mine ? x->shape[d] / q->block : x->shape[d])
                      : mine ? x->shape[d] : 1;
        bool blocks = g->count[d] > 1 && g->count[d] < x->shape[d];
        if (g->count[d] == 1 || blocks)
            inside->axes[inside->count++] = (int)(at + (blocks ? 1 : 0));
        at += blocks ? 2 : 1;
    }
    return true;
}

/* Symmetric types: max|x| / high. Others: the range of x with 0, and where 0 is in it. */
static bool dynamic_scales(Split *s, Temps *t, weft_tensor *x, const weft_axes *inside,
                           weft_dtype dtype)
{
    double low = 0, high = 1;
    range_of(dtype, &low, &high);
    weft_context *ctx = weft_tensor_context(x);
    weft_tensor  *zero = compose_temp(t, weft_tensor_scalar(ctx, 0));
    weft_tensor  *one = compose_temp(t, weft_tensor_scalar(ctx, 1)), *span, *least = NULL;
    if (low < 0) {
        span = compose_temp(t, weft_tensor_max(compose_temp(t, weft_tensor_abs(x)), inside));
    } else {
        least = compose_temp(t, weft_tensor_minimum(compose_temp(t, weft_tensor_min(x, inside)),
                                                    zero));
        span = compose_temp(t, weft_tensor_maximum(compose_temp(t, weft_tensor_max(x, inside)),
                                                   zero));
        span = compose_temp(t, weft_tensor_sub(span, least));
    }
    weft_tensor *scale = compose_temp(t, weft_tensor_mul_scalar(span, 1 / high));
    weft_tensor *nothing = compose_temp(t, weft_tensor_equal(scale, zero));
    s->scale = compose_temp(t, weft_tensor_where(nothing, one, scale));
    if (least) {
        weft_tensor *z = compose_temp(t, weft_tensor_div(compose_temp(t, weft_tensor_neg(least)),
                                                         s->scale));
        s->zero = compose_temp(t, weft_tensor_round(z));
    }
    return s->scale && (!least || s->zero);
}

static weft_tensor *joined(Temps *t, weft_tensor *v, const ScaleGrid *g, const weft_quantize *q,
                           uint32_t axis)
{
    if (q->per == WEFT_PER_TENSOR)
        return compose_temp(t, weft_tensor_reshape(v, 0, NULL));
    if (q->per == WEFT_PER_AXIS)
        return compose_temp(t, weft_tensor_reshape(v, 1, &g->count[axis]));
    return compose_temp(t, weft_tensor_reshape(v, g->rank, g->count));
}

bool weft_tensor_quantize_dynamic(weft_tensor **values, weft_tensor **scale, weft_tensor **zero,
                                  weft_tensor *x, const weft_quantize *q)
{
    Temps     t = {0};
    Split     s = {.scale = NULL};
    weft_axes inside;
    if (!TENSOR_ARGS("quantize_dynamic", x))
        return false;
    if (!values || !scale || !q || (unsigned)q->per > WEFT_PER_BLOCK)
        return context_fail(x->ctx, WEFT_ERROR_INVALID, "quantize_dynamic: no place for values and "
                            "scales, or no description");
    if (!quantizable(x, q->dtype, "quantize_dynamic") || !dynamic_grid(&s.grid, &inside, x, q))
        return false;
    weft_tensor *v = split_blocks(&t, x, &s.grid);
    bool         ok = v && dynamic_scales(&s, &t, v, &inside, q->dtype);
    weft_tensor *quantized = ok ? rounded(&t, x, &s, q->dtype) : NULL, *a = NULL, *b = NULL;
    uint32_t     axis = (uint32_t)(q->axis < 0 ? q->axis + (int)x->rank : q->axis);
    if (quantized) {
        a = joined(&t, s.scale, &s.grid, q, axis);
        b = s.zero ? joined(&t, s.zero, &s.grid, q, axis) : NULL;
        b = b ? compose_temp(&t, weft_tensor_cast(b, WEFT_U8)) : NULL;
    }
    ok = quantized && a && (!s.zero || b);
    if (ok) {
        *values = weft_tensor_retain(quantized);
        *scale = weft_tensor_retain(a);
        if (zero)
            *zero = weft_tensor_retain(b);
    }
    compose_end(&t, NULL);
    return ok;
}
