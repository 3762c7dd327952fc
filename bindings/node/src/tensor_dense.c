// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_dense.c - products, convolutions, pooling, attention and normalisation for JavaScript.
 *
 * in     calls of lib/tensor/dense.js: tensors, and options as objects
 * out    new tensors
 * knows  the options by name
 * not    elementwise operators (tensor_ops.c)
 */
#include "layer.h"

static weft_tensor *arg_tensor(Call *c, size_t i)
{
    return arg_owned(c, i, KIND_TENSOR);
}

static weft_tensor *arg_tensor_or_null(Call *c, size_t i)
{
    return arg_owned_or_null(c, i, KIND_TENSOR);
}

static napi_value give(Call *c, weft_tensor *t)
{
    return call_give(c, KIND_TENSOR, t);
}

/* ---- options ---- */

static napi_value arg_options(Call *c, size_t i)
{
    return i < c->argc && !value_is_undefined(c, c->argv[i]) ? c->argv[i] : NULL;
}

static const char *const activations[] = {
    "none", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", NULL,
};

static uint32_t small_number(Call *c, napi_value v, const char *name)
{
    uint32_t n = 0;
    double   d = 0;
    if (napi_get_value_double(c->napi, v, &d) != napi_ok || !(d >= 0 && d <= UINT32_MAX)
        || d != (double)(n = (uint32_t)d))
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected whole numbers of 0 or more", name);
    return n;
}

/* A number for both axes, or one for each of them. */
static void option_pair(Call *c, napi_value options, const char *name, uint32_t out[2])
{
    napi_value v = option(c, options, name);
    bool       is_list = false;
    uint32_t   count = 0;
    if (!v)
        return;
    napi_is_array(c->napi, v, &is_list);
    if (!is_list) {
        out[0] = out[1] = small_number(c, v, name);
        return;
    }
    napi_get_array_length(c->napi, v, &count);
    if (count < 1 || count > 2)
        call_fail(c, WEFT_ERROR_SHAPE, "%s: expected one or two numbers", name);
    for (uint32_t i = 0; i < count && !c->bad; i++) {
        napi_value element = NULL;
        napi_get_element(c->napi, v, i, &element);
        out[i] = small_number(c, element, name);
    }
}

/* padding: on all sides; padBefore, padAfter: on one */
static void option_padding(Call *c, napi_value options, uint32_t before[2], uint32_t after[2])
{
    option_pair(c, options, "padding", before);
    option_pair(c, options, "padding", after);
    option_pair(c, options, "padBefore", before);
    option_pair(c, options, "padAfter", after);
}

/* ---- products ---- */

static napi_value matmul(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0), *b = arg_tensor(c, 1);
    return call_enter(c) ? give(c, weft_tensor_matmul(a, b)) : NULL;
}

static napi_value outer(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0), *b = arg_tensor(c, 1);
    return call_enter(c) ? give(c, weft_tensor_outer(a, b)) : NULL;
}

/* linear(x, weight, bias, { activation }) */
static napi_value linear(Call *c)
{
    static const char *const names[] = { "activation", NULL };
    weft_tensor *x = arg_tensor(c, 0), *weight = arg_tensor(c, 1);
    weft_tensor *bias = arg_tensor_or_null(c, 2);
    napi_value   options = arg_options(c, 3);
    if (options)
        options_check(c, options, "linear", names);
    const uint32_t activation = option_word(c, options, "activation", activations);
    return call_enter(c)
               ? give(c, weft_tensor_linear(x, weight, bias, (weft_activation)activation))
               : NULL;
}

typedef weft_tensor *(*ConvFn)(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                               const weft_conv *conv);

/* x, weight, bias, options */
static napi_value convolve(Call *c, const char *what, ConvFn run)
{
    static const char *const names[] = { "stride", "dilation", "groups", "padding", "padBefore",
                                         "padAfter", "activation", "outputPad", NULL };
    weft_tensor *x = arg_tensor(c, 0), *weight = arg_tensor(c, 1);
    weft_tensor *bias = arg_tensor_or_null(c, 2);
    napi_value   options = arg_options(c, 3), groups = option(c, options, "groups");
    weft_conv    conv = { 0 };
    if (options)
        options_check(c, options, what, names);
    option_pair(c, options, "stride", conv.stride);
    option_pair(c, options, "dilation", conv.dilation);
    option_padding(c, options, conv.pad_before, conv.pad_after);
    option_pair(c, options, "outputPad", conv.output_pad);
    if (groups)
        conv.groups = small_number(c, groups, "groups");
    conv.activation = (weft_activation)option_word(c, options, "activation", activations);
    return call_enter(c) ? give(c, run(x, weight, bias, &conv)) : NULL;
}

static napi_value conv1d(Call *c) { return convolve(c, "conv1d", weft_tensor_conv1d); }
static napi_value conv2d(Call *c) { return convolve(c, "conv2d", weft_tensor_conv2d); }

static napi_value conv_transpose(Call *c)
{
    return convolve(c, "convTranspose", weft_tensor_conv_transpose);
}

typedef weft_tensor *(*PoolFn)(weft_tensor *x, const weft_pool2d *pool);

/* x, options */
static napi_value pool(Call *c, const char *what, PoolFn run)
{
    static const char *const names[] = { "size", "stride", "dilation", "padding", "padBefore",
                                         "padAfter", "ceil", "includePadding", NULL };
    weft_tensor *x = arg_tensor(c, 0);
    napi_value   options = arg_options(c, 1);
    weft_pool2d  p = { 0 };
    if (options)
        options_check(c, options, what, names);
    option_pair(c, options, "size", p.size);
    option_pair(c, options, "stride", p.stride);
    option_pair(c, options, "dilation", p.dilation);
    option_padding(c, options, p.pad_before, p.pad_after);
    p.ceil = option_bool(c, options, "ceil");
    p.include_padding = option_bool(c, options, "includePadding");
    return call_enter(c) ? give(c, run(x, &p)) : NULL;
}

static napi_value max_pool(Call *c) { return pool(c, "maxPool", weft_tensor_max_pool); }
static napi_value avg_pool(Call *c) { return pool(c, "avgPool", weft_tensor_avg_pool); }
static napi_value unfold(Call *c)   { return pool(c, "unfold", weft_tensor_unfold); }

/* Like option_pair(), of any positive numbers. */
static void option_scale(Call *c, napi_value options, double out[2])
{
    napi_value v = option(c, options, "scale");
    bool       is_list = false;
    if (!v)
        return;
    napi_is_array(c->napi, v, &is_list);
    for (uint32_t i = 0; i < 2; i++) {
        napi_value element = v;
        if (is_list)
            napi_get_element(c->napi, v, i, &element);
        if (napi_get_value_double(c->napi, element, &out[i]) != napi_ok && (i == 0 || !is_list))
            call_fail(c, WEFT_ERROR_INVALID, "scale: expected one or two numbers");
    }
}

/* resize(x, options) */
static napi_value resize(Call *c)
{
    static const char *const names[] = { "size", "scale", "mode", "grid", "rounding", "cubic",
                                         "excludeOutside", "antialias", NULL };
    static const char *const modes[] = { "nearest", "linear", "cubic", NULL };
    static const char *const grids[] = { "half-pixel", "align-corners", "asymmetric", "pytorch",
                                         NULL };
    static const char *const roundings[] = { "round-floor", "round-ceil", "floor", "ceil", NULL };
    weft_tensor *x = arg_tensor(c, 0);
    napi_value   options = arg_options(c, 1);
    uint32_t     size[2] = { 0, 0 };
    weft_resize  r = { 0 };
    if (options)
        options_check(c, options, "resize", names);
    option_pair(c, options, "size", size);
    r.size[0] = size[0];
    r.size[1] = size[1];
    option_scale(c, options, r.scale);
    r.mode = (weft_resize_mode)option_word(c, options, "mode", modes);
    r.grid = (weft_resize_grid)option_word(c, options, "grid", grids);
    r.rounding = (weft_resize_rounding)option_word(c, options, "rounding", roundings);
    r.cubic = option_number(c, options, "cubic", 0);
    r.exclude_outside = option_bool(c, options, "excludeOutside");
    r.antialias = option_bool(c, options, "antialias");
    return call_enter(c) ? give(c, weft_tensor_resize(x, &r)) : NULL;
}

/* einsum(equation, tensors) */
static napi_value einsum(Call *c)
{
    const char   *equation = arg_text(c, 0);
    uint32_t      count = 0;
    void *const  *list = arg_owned_list(c, 1, KIND_TENSOR, &count);
    weft_tensor **all = c->bad ? NULL : call_alloc(c, count + 1, sizeof *all);
    for (uint32_t i = 0; all && i < count; i++)
        all[i] = list[i];
    c->bad |= !equation || count == 0;
    return call_enter(c) ? give(c, weft_tensor_einsum(equation, all, count)) : NULL;
}

/* rope(x, positions, frequencies, options) */
static napi_value rope(Call *c)
{
    static const char *const names[] = { "positions", "frequencies", "base", "dims",
                                         "interleaved", NULL };
    weft_tensor *x = arg_tensor(c, 0);
    weft_rope    r = { .positions = arg_tensor_or_null(c, 1),
                       .frequencies = arg_tensor_or_null(c, 2) };
    napi_value   options = arg_options(c, 3), dims = option(c, options, "dims");
    if (options)
        options_check(c, options, "rope", names);
    r.base = option_number(c, options, "base", 0);
    if (dims)
        r.dims = small_number(c, dims, "dims");
    r.interleaved = option_bool(c, options, "interleaved");
    return call_enter(c) ? give(c, weft_tensor_rope(x, &r)) : NULL;
}

/* attention(q, k, v, mask, options) */
static napi_value attention(Call *c)
{
    static const char *const names[] = { "mask", "causal", "window", "scale", "softCap", NULL };
    weft_tensor   *q = arg_tensor(c, 0), *k = arg_tensor(c, 1), *v = arg_tensor(c, 2);
    weft_attention a = { .mask = arg_tensor_or_null(c, 3) };
    napi_value     options = arg_options(c, 4), window = option(c, options, "window");
    if (options)
        options_check(c, options, "attention", names);
    a.causal = option_bool(c, options, "causal");
    if (window)
        a.window = small_number(c, window, "window");
    a.scale = option_number(c, options, "scale", 0);
    a.soft_cap = option_number(c, options, "softCap", 0);
    return call_enter(c) ? give(c, weft_tensor_attention(q, k, v, &a)) : NULL;
}

/* ---- normalisation ---- */

/* layerNorm(x, gain, bias, epsilon) */
static napi_value layer_norm(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    weft_tensor *gain = arg_tensor_or_null(c, 1), *bias = arg_tensor_or_null(c, 2);
    const double epsilon = arg_double(c, 3);
    return call_enter(c) ? give(c, weft_tensor_layer_norm(x, gain, bias, epsilon)) : NULL;
}

/* rmsNorm(x, gain, epsilon) */
static napi_value rms_norm(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0), *gain = arg_tensor_or_null(c, 1);
    const double epsilon = arg_double(c, 2);
    return call_enter(c) ? give(c, weft_tensor_rms_norm(x, gain, epsilon)) : NULL;
}

/* batchNorm(x, mean, variance, gain, bias, epsilon) */
static napi_value batch_norm(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0), *mean = arg_tensor(c, 1), *var = arg_tensor(c, 2);
    weft_tensor *gain = arg_tensor_or_null(c, 3), *bias = arg_tensor_or_null(c, 4);
    const double epsilon = arg_double(c, 5);
    return call_enter(c) ? give(c, weft_tensor_batch_norm(x, mean, var, gain, bias, epsilon))
                         : NULL;
}

/* groupNorm(x, groups, gain, bias, epsilon) */
static napi_value group_norm(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    const uint32_t groups = arg_u32(c, 1);
    weft_tensor   *gain = arg_tensor_or_null(c, 2), *bias = arg_tensor_or_null(c, 3);
    const double   epsilon = arg_double(c, 4);
    return call_enter(c) ? give(c, weft_tensor_group_norm(x, groups, gain, bias, epsilon))
                         : NULL;
}

/* instanceNorm(x, gain, bias, epsilon) */
static napi_value instance_norm(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    weft_tensor *gain = arg_tensor_or_null(c, 1), *bias = arg_tensor_or_null(c, 2);
    const double epsilon = arg_double(c, 3);
    return call_enter(c) ? give(c, weft_tensor_instance_norm(x, gain, bias, epsilon)) : NULL;
}

const Function tensor_dense_functions[] = {
    { "matmul",       matmul },
    { "outer",        outer },
    { "linear",       linear },
    { "conv1d",       conv1d },
    { "conv2d",       conv2d },
    { "convTranspose", conv_transpose },
    { "unfold",       unfold },
    { "resize",       resize },
    { "einsum",       einsum },
    { "rope",         rope },
    { "maxPool",      max_pool },
    { "avgPool",      avg_pool },
    { "attention",    attention },
    { "layerNorm",    layer_norm },
    { "rmsNorm",      rms_norm },
    { "batchNorm",    batch_norm },
    { "groupNorm",    group_norm },
    { "instanceNorm", instance_norm },
    { 0 },
};
