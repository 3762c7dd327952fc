// SPDX-License-Identifier: Apache-2.0
/*
 * quant_matmul.c - products with quantized weights: y[M, N] = x[M, K] x transpose(w[N, K]).
 *
 * in     floats x, quantized w (q4_0, q8_0; i8, u8, i4, u4 with scales)
 * out    pending tensors; kernels/quant_dot.wgsl for few rows of x, else the weights as panels of
 *        f32 (quant_pack.wgsl) and matmul.wgsl
 */
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/matmul_priv.h"
#include "tensor/quant_priv.h"

#define FEW_ROWS  8u
#define GROUP_CAP 65535u

/* inputs: x, w, scale[n', k'], zero[n', k'] (as f32); attr.i: has scale, has zero */

/* An entry of scales or zeros for weight (n, k). */
static const char *scale_text(LibraryPlan *p, uint32_t input, const char *name)
{
    const LibraryInput *s = &p->in[input], *w = &p->in[1];
    uint64_t of_n = w->shape[0] / s->shape[0], of_k = w->shape[1] / s->shape[1];
    return arena_printf(p->arena, "%s_at(%s + n / %s * %s + k / %s * %s)", name,
                        library_u32(p, s->offset), library_u32(p, of_n),
                        library_u32(p, s->shape[0] > 1 ? s->strides[0] : 0), library_u32(p, of_k),
                        library_u32(p, s->shape[1] > 1 ? s->strides[1] : 0));
}

/* Weight (n, k) as f32. */
static const char *weight_text(LibraryPlan *p)
{
    const LibraryInput *w = &p->in[1];
    const char *v = dtype_is_block(w->dtype)
        ? arena_printf(p->arena, "w_at(n * %s + k)", library_u32(p, w->shape[1]))
        : arena_printf(p->arena, "f32(w_at(%s + n * %s + k * %s))", library_u32(p, w->offset),
                       library_u32(p, w->strides[0]), library_u32(p, w->strides[1]));
    if (p->node->attr.i[1])
        v = arena_printf(p->arena, "(%s - %s)", v, scale_text(p, 3, "zero"));
    if (p->node->attr.i[0])
        v = arena_printf(p->arena, "%s * %s", v, scale_text(p, 2, "scale"));
    return v;
}

static void weight_bindings(LibraryPlan *p, LibraryBinding *to)
{
    *to++ = (LibraryBinding){"w", USE_INPUT, 1, NULL};
    if (p->node->attr.i[0])
        *to++ = (LibraryBinding){"scale", USE_INPUT, 2, NULL};
    if (p->node->attr.i[1])
        *to++ = (LibraryBinding){"zero", USE_INPUT, 3, NULL};
}

static Product sizes_of(const weft_tensor *t)
{
    const weft_tensor *x = t->inputs[0];
    return (Product){.batch = 1, .m = t->shape[0], .n = t->shape[1], .k = x->shape[1],
                     .a_row = x->strides[0], .a_column = x->strides[1], .b_row = 1,
                     .b_column = (int64_t)x->shape[1]};
}

static uint32_t quantized_hook(const weft_tensor *t, uint64_t size[3])
{
    size[0] = 1;
    size[1] = t->shape[0];
    size[2] = t->shape[1];
    return 3;
}

static bool plan_dot(LibraryPlan *p, const Product *s)
{
    LibraryKernel k = {
        .name = "quant_dot",
        .numbers = {{"M", s->m}, {"N", s->n}, {"K", s->k}, {"PARTS", s->m * 64},
                    {"START", p->in[0].offset}, {"A_ROW", s->a_row}, {"A_COLUMN", s->a_column}},
        .params = {"VALUE", weight_text(p)},
        .bindings = {{"a", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(s->n, (uint64_t)GROUP_CAP),
                   (uint32_t)((s->n + GROUP_CAP - 1) / GROUP_CAP), 1},
        .finish = true};
    weight_bindings(p, k.bindings + 2);
    return library_kernel(p, &k);
}

static bool plan_panels(LibraryPlan *p, const Product *s)
{
    Panels panels;
    product_panels(&panels, p, s, 1);
    LibraryKernel k = {
        .name = "quant_pack",
        .numbers = {{"N", s->n}, {"K", s->k}, {"WIDE", panels.wide}},
        .params = {"VALUE", weight_text(p)},
        .bindings = {{"panels", USE_TEMP_WRITE, panels.temp, "f32"}},
        .groups = {(uint32_t)((s->k + 15) / 16), (uint32_t)((s->n + 15) / 16), 1}};
    weight_bindings(p, k.bindings + 1);
    return library_kernel(p, &k) && product_lanes(p, s, &panels);
}

static bool quantized_plan(LibraryPlan *p)
{
    Product s = sizes_of(p->node);
    return s.m <= FEW_ROWS ? plan_dot(p, &s) : plan_panels(p, &s);
}

static const TensorOp op_quantized = {.name = "matmul_quantized", .kind = OP_LIBRARY,
                                      .plan = quantized_plan, .hook = quantized_hook};

/* ---- the operator ---- */

/* Scales or zeros as f32 [n', k']; NULL with the error set. */
static weft_tensor *grid_of(Temps *t, const weft_tensor *w, weft_tensor *v, int axis)
{
    ScaleGrid g;
    if (!scales_grid(&g, w, v, axis, "matmul_quantized"))
        return NULL;
    v = compose_temp(t, weft_tensor_reshape(v, 2, g.count));
    return v ? compose_temp(t, tensor_as(v, WEFT_F32)) : NULL;
}

static bool weights_fit(const weft_tensor *x, const weft_tensor *w, const weft_scales *s)
{
    bool inside = w->dtype == WEFT_Q4_0 || w->dtype == WEFT_Q8_0;
    bool apart = w->dtype == WEFT_I8 || w->dtype == WEFT_U8 || w->dtype == WEFT_I4
                 || w->dtype == WEFT_U4;
    if ((!inside && !apart) || !dtype_is_float((weft_dtype)x->dtype) || x->dtype == WEFT_F64)
        return context_fail(x->ctx, WEFT_ERROR_TYPE, "matmul_quantized: %s times %s is not a "
                            "product of floats and quantized weights", tensor_text(x),
                            tensor_text(w));
    if (apart != (s && s->scale))
        return context_fail(x->ctx, WEFT_ERROR_INVALID, apart ? "matmul_quantized: %s needs scales"
                            : "matmul_quantized: %s has its scales inside", tensor_text(w));
    if (w->rank != 2 || x->rank == 0 || x->shape[x->rank - 1] != w->shape[1]
        || w->count > UINT32_MAX || w->shape[1] == 0)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "matmul_quantized: dimension mismatch "
                            "between %s and weights [N, K] %s", tensor_text(x), tensor_text(w));
    return true;
}

static weft_tensor *product(Temps *t, weft_tensor *x, weft_tensor *w, const weft_scales *s)
{
    weft_tensor *scale = NULL, *zero = NULL;
    if (s && s->scale && !(scale = grid_of(t, w, s->scale, s->axis)))
        return NULL;
    if (s && s->zero && !(zero = grid_of(t, w, s->zero, s->axis)))
        return NULL;
    uint64_t   flat[] = {WEFT_INFER, x->shape[x->rank - 1]}, shape[MAX_RANK];
    weft_dtype d = (weft_dtype)x->dtype;
    weft_dtype direct = tensor_stores_direct(x->ctx, d) ? d : WEFT_F32;
    memcpy(shape, x->shape, sizeof shape);
    shape[x->rank - 1] = w->shape[0];
    flat[0] = x->count / flat[1];
    weft_tensor *rows = compose_temp(t, weft_tensor_reshape(x, 2, flat));
    weft_tensor *y = !rows ? NULL : compose_temp(t, tensor_node(x->ctx, &(NodeDesc){
        .op = &op_quantized, .dtype = direct, .rank = 2,
        .shape = (uint64_t[]){flat[0], w->shape[0]},
        .inputs = (weft_tensor *const[]){rows, w, scale, zero},
        .input_count = zero ? 4 : scale ? 3 : 2, .attr.i = {scale != NULL, zero != NULL} }));
    y = y ? compose_temp(t, tensor_as(y, d)) : NULL;
    return y ? compose_temp(t, weft_tensor_reshape(y, x->rank, shape)) : NULL;
}

weft_tensor *weft_tensor_matmul_quantized(weft_tensor *x, weft_tensor *w, const weft_scales *scales)
{
    Temps         t = {0};
    weft_context *ctx = TENSOR_ARGS("matmul_quantized", x, w);
    if (!ctx || !weights_fit(x, w, scales)
        || (scales && scales->scale && !TENSOR_ARGS("matmul_quantized", x, scales->scale))
        || (scales && scales->zero && !TENSOR_ARGS("matmul_quantized", x, scales->zero)))
        return NULL;
    return compose_end(&t, product(&t, x, w, scales));
}
