// SPDX-License-Identifier: Apache-2.0
/*
 * norm.c - softmax, layer norm and their relatives.
 *
 * in     a tensor and an axis
 * out    one kernel for each (kernels/softmax*.wgsl, norm.wgsl); gain and bias are its epilogue
 */
#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

#define GROUP_CAP  32768u
#define SHORT_LINE 64u              /* elements that 16 invocations handle                  */

/* Floats stay; other numbers are computed as f32. */
static weft_tensor *as_float(weft_tensor *x)
{
    return dtype_is_float((weft_dtype)x->dtype) ? weft_tensor_retain(x)
                                                : weft_tensor_cast(x, WEFT_F32);
}

/* A node of x's shape over one axis; the parameters are in attr. */
static weft_tensor *line_node(weft_tensor *x, const TensorOp *op, const OpAttr *attr)
{
    weft_dtype   d = (weft_dtype)x->dtype;
    weft_dtype   direct = tensor_stores_direct(x->ctx, d) ? d : WEFT_F32;
    weft_tensor *t = tensor_node(x->ctx, &(NodeDesc){
        .op = op, .dtype = direct, .rank = x->rank, .shape = x->shape, .inputs = &x,
        .input_count = 1, .attr = *attr });
    weft_tensor *out = t ? tensor_as(t, d) : NULL;
    weft_tensor_release(t);
    return out;
}

static uint64_t count_axes(const weft_tensor *t, uint32_t from, uint32_t to)
{
    uint64_t n = 1;
    for (uint32_t d = from; d < to; d++)
        n *= t->shape[d];
    return n;
}

/* Outer axes, the axis, inner axes: the result is contiguous. */
static uint32_t line_hook(const weft_tensor *t, uint64_t size[3])
{
    uint32_t axis = (uint32_t)t->attr.i[0];
    size[0] = count_axes(t, 0, axis);
    size[1] = t->shape[axis];
    size[2] = count_axes(t, axis + 1, t->rank);
    return 3;
}

static void grid(uint32_t groups[3], uint64_t count)
{
    groups[0] = (uint32_t)MIN_OF(count, (uint64_t)GROUP_CAP);
    groups[1] = (uint32_t)((count + GROUP_CAP - 1) / GROUP_CAP);
    groups[2] = 1;
}

/* ---- softmax ---- */

/* attr.i: axis, logarithm */
static bool softmax_plan(LibraryPlan *p)
{
    const weft_tensor  *t = p->node;
    const LibraryInput *x = &p->in[0];
    uint32_t axis = (uint32_t)t->attr.i[0], wide;
    uint64_t size[3];
    bool     log = t->attr.i[1] != 0;
    line_hook(t, size);
    bool row = size[2] == 1 && size[1] >= 16;
    wide = row && size[1] < SHORT_LINE ? 16 : 64;
    LibraryKernel k = {
        .name = row ? "softmax" : "softmax_column",
        .numbers = {{"N", size[1]}, {"OUTER", size[0]}, {"INNER", size[2]}, {"WIDE", wide},
                    {"HALF", wide / 2}, {"STEP", x->strides[axis]},
                    {"START", x->offset}},
        .params = {"OUTER_START", library_axes_start(p, x, 0, axis, "outer"),
                   "INNER_START", library_axes_start(p, x, axis + 1, t->rank, "inner"),
                   "LAST", log ? "v - log(total)" : "exp(v) * scale"},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}},
        .finish = true };
    grid(k.groups, row ? size[0] : (size[2] + 63) / 64);
    if (!row) {
        k.groups[1] = (uint32_t)MIN_OF(size[0], (uint64_t)GROUP_CAP);
        k.groups[2] = (uint32_t)((size[0] + GROUP_CAP - 1) / GROUP_CAP);
    }
    return library_kernel(p, &k);
}

static const TensorOp op_softmax = {.name = "softmax", .kind = OP_LIBRARY, .plan = softmax_plan,
                                    .hook = line_hook};
static const TensorOp op_log_softmax = {.name = "log_softmax", .kind = OP_LIBRARY,
                                        .plan = softmax_plan, .hook = line_hook};

static weft_tensor *softmax(weft_tensor *x, int axis, const TensorOp *op)
{
    uint32_t k;
    if (!TENSOR_ARGS(op->name, x) || !tensor_axis(&k, x, axis, op->name))
        return NULL;
    weft_tensor *f = as_float(x);
    weft_tensor *y = f ? line_node(f, op, &(OpAttr){{0}, {k, op == &op_log_softmax}}) : NULL;
    weft_tensor_release(f);
    return y;
}

weft_tensor *weft_tensor_softmax(weft_tensor *x, int axis)
{
    return softmax(x, axis, &op_softmax);
}

weft_tensor *weft_tensor_log_softmax(weft_tensor *x, int axis)
{
    return softmax(x, axis, &op_log_softmax);
}

/* ---- layer norm, root mean square norm ---- */

/* attr.i: axis (the last), center; attr.f: epsilon */
static bool norm_plan(LibraryPlan *p)
{
    const weft_tensor  *t = p->node;
    const LibraryInput *x = &p->in[0];
    uint32_t axis = (uint32_t)t->attr.i[0];
    uint64_t n = t->shape[axis], lines = t->count / n;
    uint32_t wide = n < SHORT_LINE ? 16 : 64;
    bool     center = t->attr.i[1] != 0;
    WriterType    literal = t->dtype == WEFT_F64 ? WRITER_F64 : WRITER_F32;
    LibraryKernel k = {
        .name = "norm",
        .numbers = {{"N", n}, {"OUTER", lines}, {"WIDE", wide}, {"HALF", wide / 2},
                    {"STEP", x->strides[axis]}, {"START", x->offset}},
        .params = {"OUTER_START", library_axes_start(p, x, 0, axis, "outer"),
                   "COUNT", arena_printf(p->arena, "%llu.0", (unsigned long long)n),
                   "EPSILON", writer_literal(p->arena, literal, t->attr.f[0]),
                   "CENTER", center ? "true" : "false"},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}},
        .finish = true };
    grid(k.groups, lines);
    return library_kernel(p, &k);
}

static const TensorOp op_layer_norm = {.name = "layer_norm", .kind = OP_LIBRARY,
                                       .plan = norm_plan, .hook = line_hook};
static const TensorOp op_rms_norm = {.name = "rms_norm", .kind = OP_LIBRARY, .plan = norm_plan,
                                     .hook = line_hook};

/* x normalized over its last axis. */
static weft_tensor *normalized(weft_tensor *x, const TensorOp *op, double epsilon)
{
    if (!TENSOR_ARGS(op->name, x))
        return NULL;
    if (x->rank == 0 || dtype_is_block((weft_dtype)x->dtype)) {
        context_fail(x->ctx, x->rank ? WEFT_ERROR_TYPE : WEFT_ERROR_SHAPE,
                     "%s: %s has no axis of numbers", op->name, tensor_text(x));
        return NULL;
    }
    weft_tensor *f = as_float(x);
    OpAttr       attr = {{epsilon != 0 ? epsilon : 1e-5},
                         {x->rank - 1, op == &op_layer_norm}};
    weft_tensor *y = f ? line_node(f, op, &attr) : NULL;
    weft_tensor_release(f);
    return y;
}

/* gain and bias must not enlarge the result. */
static bool fits_last(weft_tensor *x, weft_tensor *v, const char *what)
{
    bool fits = !x || !v || (weft_tensor_rank(v) <= weft_tensor_rank(x));
    for (uint32_t i = 1; x && v && fits && i <= weft_tensor_rank(v); i++) {
        uint64_t n = weft_tensor_size(v, -(int)i);
        fits = n == 1 || n == weft_tensor_size(x, -(int)i);
    }
    return fits || context_fail(weft_tensor_context(x), WEFT_ERROR_SHAPE,
                                "%s: %s does not fit %s", what, tensor_text(v), tensor_text(x));
}

weft_tensor *weft_tensor_layer_norm(weft_tensor *x, weft_tensor *gain, weft_tensor *bias,
                                    double epsilon)
{
    Temps t = {0};
    if (!fits_last(x, gain, "layer_norm") || !fits_last(x, bias, "layer_norm"))
        return NULL;
    weft_tensor *y = compose_temp(&t, normalized(x, &op_layer_norm, epsilon));
    return compose_end(&t, compose_scaled(&t, y, gain, bias));
}

weft_tensor *weft_tensor_rms_norm(weft_tensor *x, weft_tensor *gain, double epsilon)
{
    Temps t = {0};
    if (!fits_last(x, gain, "rms_norm"))
        return NULL;
    weft_tensor *y = compose_temp(&t, normalized(x, &op_rms_norm, epsilon));
    return compose_end(&t, compose_scaled(&t, y, gain, NULL));
}

/* ---- norms of channels ---- */

weft_tensor *weft_tensor_batch_norm(weft_tensor *x, weft_tensor *mean, weft_tensor *variance,
                                    weft_tensor *gain, weft_tensor *bias, double epsilon)
{
    Temps t = {0};
    if (weft_tensor_rank(x) < 2)
        return compose_fail(x, WEFT_ERROR_SHAPE,
                            "batch_norm needs a tensor with channels: [N, C, ...]");
    weft_tensor *moved = compose_temp(&t, weft_tensor_sub(x, compose_per_channel(&t, mean, x)));
    weft_tensor *r = compose_temp(&t, weft_tensor_rsqrt(compose_temp(&t, weft_tensor_add_scalar(
        compose_per_channel(&t, variance, x), epsilon != 0 ? epsilon : 1e-5))));
    weft_tensor *y = compose_temp(&t, weft_tensor_mul(moved, r));
    return compose_end(&t, compose_scaled(&t, y, compose_per_channel(&t, gain, x),
                                          compose_per_channel(&t, bias, x)));
}

weft_tensor *weft_tensor_group_norm(weft_tensor *x, uint32_t groups, weft_tensor *gain,
                                    weft_tensor *bias, double epsilon)
{
    Temps    t = {0};
    uint32_t rank = weft_tensor_rank(x);
    if (rank < 2 || groups == 0 || weft_tensor_size(x, 1) % groups)
        return compose_fail(x, WEFT_ERROR_SHAPE,
                            "group_norm needs channels [N, C, ...] that the groups divide");
    uint64_t grouped[] = {weft_tensor_size(x, 0), groups, WEFT_INFER};
    if (weft_tensor_count(x) == 0)
        return weft_tensor_copy(x);
    weft_tensor *y = compose_temp(&t, weft_tensor_reshape(x, 3, grouped));
    y = compose_temp(&t, normalized(y, &op_layer_norm, epsilon));
    y = compose_temp(&t, weft_tensor_reshape(y, rank, weft_tensor_shape(x)));
    return compose_end(&t, compose_scaled(&t, y, compose_per_channel(&t, gain, x),
                                          compose_per_channel(&t, bias, x)));
}

weft_tensor *weft_tensor_instance_norm(weft_tensor *x, weft_tensor *gain, weft_tensor *bias,
                                       double epsilon)
{
    uint64_t channels = weft_tensor_size(x, 1);
    if (weft_tensor_rank(x) < 3 || channels == 0)
        return compose_fail(x, WEFT_ERROR_SHAPE,
                            "instance_norm needs a tensor [N, C, ...] of rank 3 or more");
    return weft_tensor_group_norm(x, (uint32_t)channels, gain, bias, epsilon);
}
