// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_ops.c - the operators of weft/tensor.h for JavaScript.
 *
 * in     calls of lib/tensor/ops.js, with tensors as handles and numbers for weak scalars
 * out    new tensors
 * knows  weft/tensor_ops.def: elementwise operators and reductions are called by their place
 * not    defaults of optional arguments: lib/ has them
 */
#include <string.h>

#include "layer.h"

static weft_tensor *arg_tensor(Call *c, size_t i)
{
    return arg_owned(c, i, KIND_TENSOR);
}

static napi_value give(Call *c, weft_tensor *t)
{
    return call_give(c, KIND_TENSOR, t);
}

/* ---- rows of tensor_ops.def ---- */

typedef weft_tensor *(*UnaryFn)(weft_tensor *x);
typedef weft_tensor *(*BinaryFn)(weft_tensor *a, weft_tensor *b);
typedef weft_tensor *(*ReductionFn)(weft_tensor *x, const weft_axes *axes);

static const struct { const char *name, *meaning; UnaryFn run; } unary_rows[] = {
#define UNARY(name, types, meaning) { #name, meaning, weft_tensor_##name },
#include <weft/tensor_ops.def>
};
static const struct { const char *name, *meaning; BinaryFn run; } binary_rows[] = {
#define BINARY(name, types, meaning) { #name, meaning, weft_tensor_##name },
#include <weft/tensor_ops.def>
};
static const struct { const char *name, *meaning; ReductionFn run; } reduction_rows[] = {
#define REDUCTION(name, types, meaning) { #name, meaning, weft_tensor_##name },
#include <weft/tensor_ops.def>
};

static void name_row(Call *c, napi_value list, uint32_t i, const char *name, const char *meaning)
{
    napi_value row = js_array(c->napi, 2);
    js_push(c->napi, row, 0, js_text(c->napi, name));
    js_push(c->napi, row, 1, js_text(c->napi, meaning));
    js_push(c->napi, list, i, row);
}

/* operators(): [unary, binary, reductions], each of [name, meaning] */
static napi_value operators(Call *c)
{
    napi_value all = js_array(c->napi, 3), list = js_array(c->napi, COUNTOF(unary_rows));
    for (uint32_t i = 0; i < COUNTOF(unary_rows); i++)
        name_row(c, list, i, unary_rows[i].name, unary_rows[i].meaning);
    js_push(c->napi, all, 0, list);
    list = js_array(c->napi, COUNTOF(binary_rows));
    for (uint32_t i = 0; i < COUNTOF(binary_rows); i++)
        name_row(c, list, i, binary_rows[i].name, binary_rows[i].meaning);
    js_push(c->napi, all, 1, list);
    list = js_array(c->napi, COUNTOF(reduction_rows));
    for (uint32_t i = 0; i < COUNTOF(reduction_rows); i++)
        name_row(c, list, i, reduction_rows[i].name, reduction_rows[i].meaning);
    js_push(c->napi, all, 2, list);
    return all;
}

static uint32_t arg_row(Call *c, size_t count)
{
    const uint32_t row = arg_u32(c, 0);
    c->bad |= row >= count;
    return c->bad ? 0 : row;
}

/* unary(row, x) */
static napi_value unary(Call *c)
{
    const uint32_t row = arg_row(c, COUNTOF(unary_rows));
    weft_tensor   *x = arg_tensor(c, 1);
    return call_enter(c) ? give(c, unary_rows[row].run(x)) : NULL;
}

/* An operand: a tensor, or a number in `*value`, which gives NULL. */
static weft_tensor *operand(Call *c, size_t i, double *value)
{
    napi_valuetype type = napi_undefined;
    if (i < c->argc)
        napi_typeof(c->napi, c->argv[i], &type);
    if (type != napi_number)
        return arg_tensor(c, i);
    napi_get_value_double(c->napi, c->argv[i], value);
    return NULL;
}

/* binary(row, a, b): one of both may be a number, which takes the type of the other */
static napi_value binary(Call *c)
{
    const uint32_t row = arg_row(c, COUNTOF(binary_rows));
    double         value = 0;
    weft_tensor   *a = operand(c, 1, &value), *b = operand(c, 2, &value), *number = NULL;
    c->bad |= !a && !b;
    if (!call_enter(c))
        return NULL;
    if (!a || !b)
        number = weft_tensor_scalar(home_context(c->home), value);
    weft_tensor *made = binary_rows[row].run(a ? a : number, b ? b : number);
    weft_tensor_release(number);
    return give(c, made);
}

/* Beyond int is beyond any rank. */
static int axis_of(int64_t number)
{
    return number == (int)number ? (int)number : INT32_MAX;
}

/* Axes: undefined for all, a list of numbers; then whether they stay with size 1. */
static weft_axes arg_axes(Call *c, size_t i)
{
    weft_axes a = { 0 };
    int64_t   list[WEFT_MAX_RANK];
    if (i < c->argc && !value_is_undefined(c, c->argv[i])) {
        a.count = arg_i64_list(c, i, list, WEFT_MAX_RANK);
        a.none = a.count == 0;
    }
    for (uint32_t k = 0; k < a.count; k++)
        a.axes[k] = axis_of(list[k]);
    a.keep = arg_bool(c, i + 1);
    return a;
}

/* reduction(row, x, axes, keep) */
static napi_value reduction(Call *c)
{
    const uint32_t  row = arg_row(c, COUNTOF(reduction_rows));
    weft_tensor    *x = arg_tensor(c, 1);
    const weft_axes axes = arg_axes(c, 2);
    return call_enter(c) ? give(c, reduction_rows[row].run(x, &axes)) : NULL;
}

/* ---- further reductions ---- */

typedef weft_tensor *(*AxesFn)(weft_tensor *x, const weft_axes *axes, double parameter);

/* x, axes, keep, parameter */
static napi_value by_axes(Call *c, AxesFn run)
{
    weft_tensor    *x = arg_tensor(c, 0);
    const weft_axes axes = arg_axes(c, 1);
    const double    parameter = arg_double(c, 3);
    return call_enter(c) ? give(c, run(x, &axes, parameter)) : NULL;
}

static napi_value variance(Call *c) { return by_axes(c, weft_tensor_var); }     /* correction */
static napi_value norm(Call *c)     { return by_axes(c, weft_tensor_norm); }    /* order      */

typedef weft_tensor *(*PlaceFn)(weft_tensor *x, int axis, bool keep);

/* x, axis, keep */
static napi_value place(Call *c, PlaceFn run)
{
    weft_tensor *x = arg_tensor(c, 0);
    const int    axis = arg_i32(c, 1);
    const bool   keep = arg_bool(c, 2);
    return call_enter(c) ? give(c, run(x, axis, keep)) : NULL;
}

static napi_value argmax(Call *c) { return place(c, weft_tensor_argmax); }
static napi_value argmin(Call *c) { return place(c, weft_tensor_argmin); }

typedef weft_tensor *(*ScanFn)(weft_tensor *x, int axis, const weft_scan *scan);

/* x, axis, exclusive, reverse */
static napi_value scan(Call *c, ScanFn run)
{
    weft_tensor    *x = arg_tensor(c, 0);
    const int       axis = arg_i32(c, 1);
    const weft_scan how = { .exclusive = arg_bool(c, 2), .reverse = arg_bool(c, 3) };
    return call_enter(c) ? give(c, run(x, axis, &how)) : NULL;
}

static napi_value cumsum(Call *c)  { return scan(c, weft_tensor_cumsum); }
static napi_value cumprod(Call *c) { return scan(c, weft_tensor_cumprod); }

/* ---- views ---- */

typedef weft_tensor *(*ShapeFn)(weft_tensor *x, uint32_t rank, const uint64_t *shape);

/* x, shape */
static napi_value by_shape(Call *c, ShapeFn run)
{
    weft_tensor   *x = arg_tensor(c, 0);
    uint64_t       shape[WEFT_MAX_RANK] = { 0 };
    const uint32_t rank = arg_shape(c, 1, shape);
    return call_enter(c) ? give(c, run(x, rank, shape)) : NULL;
}

static napi_value reshape(Call *c) { return by_shape(c, weft_tensor_reshape); }
static napi_value expand(Call *c)  { return by_shape(c, weft_tensor_expand); }

/* A list with one entry for each axis. Its length is checked inside: the shape is needed. */
static bool one_per_axis(Call *c, const weft_tensor *x, uint32_t count, const char *what)
{
    if (count == weft_tensor_rank(x))
        return true;
    call_fail(c, WEFT_ERROR_SHAPE, "%s: %u values for a tensor of %u axes", what, count,
              weft_tensor_rank(x));
    return false;
}

/* permute(x, axes): undefined reverses */
static napi_value permute(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    int64_t      list[WEFT_MAX_RANK];
    int          axes[WEFT_MAX_RANK];
    const bool   all = c->argc < 2 || value_is_undefined(c, c->argv[1]);
    const uint32_t count = all ? 0 : arg_i64_list(c, 1, list, WEFT_MAX_RANK);
    for (uint32_t i = 0; i < count; i++)
        axes[i] = axis_of(list[i]);
    if (!call_enter(c) || (!all && !one_per_axis(c, x, count, "permute")))
        return NULL;
    return give(c, weft_tensor_permute(x, all ? NULL : axes));
}

static napi_value transpose(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    const int    a = arg_i32(c, 1), b = arg_i32(c, 2);
    return call_enter(c) ? give(c, weft_tensor_transpose(x, a, b)) : NULL;
}

/* slice(x, [start, stop, step, ...]): undefined where the whole axis is meant */
static napi_value slice(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    weft_range     ranges[WEFT_MAX_RANK] = { { 0 } };
    const uint32_t count = arg_ranges(c, 1, ranges);
    return call_enter(c) ? give(c, weft_tensor_slice(x, count, ranges)) : NULL;
}

typedef weft_tensor *(*PartFn)(weft_tensor *x, int axis, uint64_t first, uint64_t second);

/* x, axis, two sizes */
static napi_value by_part(Call *c, PartFn run)
{
    weft_tensor   *x = arg_tensor(c, 0);
    const int      axis = arg_i32(c, 1);
    const uint64_t first = arg_u64(c, 2), second = arg_u64(c, 3);
    return call_enter(c) ? give(c, run(x, axis, first, second)) : NULL;
}

static napi_value narrow(Call *c)  { return by_part(c, weft_tensor_narrow); }   /* start, length */
static napi_value windows(Call *c) { return by_part(c, weft_tensor_windows); }  /* size, step    */

typedef weft_tensor *(*StepFn)(weft_tensor *x, int axis, int64_t step);

/* x, axis, a position or a distance */
static napi_value by_step(Call *c, StepFn run)
{
    weft_tensor  *x = arg_tensor(c, 0);
    const int     axis = arg_i32(c, 1);
    const int64_t step = arg_i64(c, 2);
    return call_enter(c) ? give(c, run(x, axis, step)) : NULL;
}

static napi_value select_index(Call *c) { return by_step(c, weft_tensor_select); }
static napi_value roll(Call *c)         { return by_step(c, weft_tensor_roll); }

typedef weft_tensor *(*AxisFn)(weft_tensor *x, int axis);

static napi_value by_axis(Call *c, AxisFn run)
{
    weft_tensor *x = arg_tensor(c, 0);
    const int    axis = arg_i32(c, 1);
    return call_enter(c) ? give(c, run(x, axis)) : NULL;
}

static napi_value squeeze(Call *c)     { return by_axis(c, weft_tensor_squeeze); }
static napi_value unsqueeze(Call *c)   { return by_axis(c, weft_tensor_unsqueeze); }
static napi_value flip(Call *c)        { return by_axis(c, weft_tensor_flip); }
static napi_value softmax(Call *c)     { return by_axis(c, weft_tensor_softmax); }
static napi_value log_softmax(Call *c) { return by_axis(c, weft_tensor_log_softmax); }

/* diagonal(x, axisA, axisB, offset) */
static napi_value diagonal(Call *c)
{
    weft_tensor  *x = arg_tensor(c, 0);
    const int     a = arg_i32(c, 1), b = arg_i32(c, 2);
    const int64_t offset = arg_i64(c, 3);
    return call_enter(c) ? give(c, weft_tensor_diagonal(x, a, b, offset)) : NULL;
}

/* asStrided(x, shape, strides, offset) */
static napi_value as_strided(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    uint64_t       shape[WEFT_MAX_RANK] = { 0 };
    int64_t        strides[WEFT_MAX_RANK] = { 0 };
    const uint32_t rank = arg_shape(c, 1, shape);
    const uint32_t count = arg_i64_list(c, 2, strides, WEFT_MAX_RANK);
    const uint64_t offset = arg_u64(c, 3);
    if (!c->bad && count != rank)
        call_fail(c, WEFT_ERROR_SHAPE, "as_strided: %u strides for %u axes", count, rank);
    return call_enter(c) ? give(c, weft_tensor_as_strided(x, rank, shape, strides, offset))
                         : NULL;
}

/* ---- elementwise with parameters ---- */

typedef weft_tensor *(*TypeFn)(weft_tensor *x, weft_dtype dtype);

static napi_value by_type(Call *c, TypeFn run)
{
    weft_tensor     *x = arg_tensor(c, 0);
    const weft_dtype dtype = arg_dtype(c, 1);
    return call_enter(c) ? give(c, run(x, dtype)) : NULL;
}

static napi_value bitcast(Call *c) { return by_type(c, weft_tensor_bitcast); }
static napi_value cast(Call *c)    { return by_type(c, weft_tensor_cast); }

static napi_value gelu(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    const bool   tanh_form = arg_bool(c, 1);
    return call_enter(c)
               ? give(c, weft_tensor_gelu(x, tanh_form ? WEFT_GELU_TANH : WEFT_GELU_ERF))
               : NULL;
}

typedef weft_tensor *(*NumberFn)(weft_tensor *x, double number);

static napi_value by_number(Call *c, NumberFn run)
{
    weft_tensor *x = arg_tensor(c, 0);
    const double number = arg_double(c, 1);
    return call_enter(c) ? give(c, run(x, number)) : NULL;
}

static napi_value leaky_relu(Call *c) { return by_number(c, weft_tensor_leaky_relu); }
static napi_value elu(Call *c)        { return by_number(c, weft_tensor_elu); }

static napi_value clip(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    const double low = arg_double(c, 1), high = arg_double(c, 2);
    return call_enter(c) ? give(c, weft_tensor_clip(x, low, high)) : NULL;
}

/* where(condition, a, b) */
static napi_value where(Call *c)
{
    weft_tensor *condition = arg_tensor(c, 0), *a = arg_tensor(c, 1), *b = arg_tensor(c, 2);
    return call_enter(c) ? give(c, weft_tensor_where(condition, a, b)) : NULL;
}

/* tri(x, upper, diagonal) */
static napi_value tri(Call *c)
{
    weft_tensor  *x = arg_tensor(c, 0);
    const bool    upper = arg_bool(c, 1);
    const int64_t diagonal_at = arg_i64(c, 2);
    return call_enter(c) ? give(c, weft_tensor_tri(x, upper, diagonal_at)) : NULL;
}

/* oneHot(indices, depth, dtype) */
static napi_value one_hot(Call *c)
{
    weft_tensor     *x = arg_tensor(c, 0);
    const uint64_t   depth = arg_u64(c, 1);
    const weft_dtype dtype = arg_dtype(c, 2);
    return call_enter(c) ? give(c, weft_tensor_one_hot(x, depth, dtype)) : NULL;
}

/* ---- copies ---- */

/* run(x) */
static napi_value alone(Call *c, UnaryFn run)
{
    weft_tensor *x = arg_tensor(c, 0);
    return call_enter(c) ? give(c, run(x)) : NULL;
}

static napi_value contiguous(Call *c) { return alone(c, weft_tensor_contiguous); }
static napi_value copy(Call *c)       { return alone(c, weft_tensor_copy); }

typedef weft_tensor *(*JoinFn)(weft_tensor *const *tensors, uint32_t count, int axis);

/* tensors, axis */
static napi_value join(Call *c, JoinFn run)
{
    uint32_t      count = 0;
    void *const  *list = arg_owned_list(c, 0, KIND_TENSOR, &count);
    weft_tensor **all = c->bad ? NULL : call_alloc(c, count ? count : 1, sizeof *all);
    const int     axis = arg_i32(c, 1);
    for (uint32_t i = 0; all && i < count; i++)
        all[i] = list[i];
    if (!c->bad && count == 0)
        call_fail(c, WEFT_ERROR_SHAPE, "no tensors to join");
    return call_enter(c) ? give(c, run(all, count, axis)) : NULL;
}

static napi_value concat(Call *c) { return join(c, weft_tensor_concat); }
static napi_value stack(Call *c)  { return join(c, weft_tensor_stack); }

/* split(x, axis, count, sizes): sizes undefined: equal parts */
static napi_value split(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    const int    axis = arg_i32(c, 1);
    const bool   equal = c->argc < 4 || value_is_undefined(c, c->argv[3]);
    uint32_t     count = equal ? arg_u32(c, 2) : arg_length(c, 3);
    uint64_t    *sizes = NULL;
    if (!c->bad && (count == 0 || count > 65536))
        call_fail(c, WEFT_ERROR_SHAPE, "split: 1 to 65,536 parts, not %u", count);
    if (!c->bad && !equal)
        sizes = call_alloc(c, count, sizeof *sizes);
    for (uint32_t i = 0; sizes && i < count && !c->bad; i++)
        sizes[i] = value_u64_or(c, arg_element(c, 3, i), 0);
    weft_tensor **parts = c->bad ? NULL : call_alloc(c, count, sizeof *parts);
    if (!call_enter(c))
        return NULL;
    if (!weft_tensor_split(parts, x, axis, count, sizes))
        return call_throw(c);
    napi_value list = js_array(c->napi, count);
    for (uint32_t i = 0; i < count; i++)
        js_push(c->napi, list, i, give(c, parts[i]));
    return list;
}

/* tile(x, repeats): one for each axis */
static napi_value tile(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    uint64_t       repeats[WEFT_MAX_RANK] = { 0 };
    const uint32_t count = arg_shape(c, 1, repeats);
    if (!call_enter(c) || !one_per_axis(c, x, count, "tile"))
        return NULL;
    return give(c, weft_tensor_tile(x, repeats));
}

/* repeat(x, axis, repeats) */
static napi_value repeat(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    const int      axis = arg_i32(c, 1);
    const uint64_t repeats = arg_u64(c, 2);
    return call_enter(c) ? give(c, weft_tensor_repeat(x, axis, repeats)) : NULL;
}

/* pad(x, before, after, mode, value) */
static napi_value pad(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    int64_t        before[WEFT_MAX_RANK] = { 0 }, after[WEFT_MAX_RANK] = { 0 };
    const uint32_t nb = arg_i64_list(c, 1, before, WEFT_MAX_RANK);
    const uint32_t na = arg_i64_list(c, 2, after, WEFT_MAX_RANK);
    const uint32_t mode = arg_u32(c, 3);
    const double   value = arg_double(c, 4);
    if (!call_enter(c) || !one_per_axis(c, x, nb, "pad") || !one_per_axis(c, x, na, "pad"))
        return NULL;
    return give(c, weft_tensor_pad(x, before, after, (weft_pad_mode)mode, value));
}

const Function tensor_op_functions[] = {
    { "operators",   operators },
    { "unary",       unary },
    { "binary",      binary },
    { "reduction",   reduction },
    { "variance",    variance },
    { "norm",        norm },
    { "argmax",      argmax },
    { "argmin",      argmin },
    { "cumsum",      cumsum },
    { "cumprod",     cumprod },
    { "reshape",     reshape },
    { "expand",      expand },
    { "permute",     permute },
    { "transpose",   transpose },
    { "slice",       slice },
    { "narrow",      narrow },
    { "select",      select_index },
    { "squeeze",     squeeze },
    { "unsqueeze",   unsqueeze },
    { "flip",        flip },
    { "softmax",     softmax },
    { "logSoftmax",  log_softmax },
    { "diagonal",    diagonal },
    { "windows",     windows },
    { "asStrided",   as_strided },
    { "bitcast",     bitcast },
    { "cast",        cast },
    { "gelu",        gelu },
    { "leakyRelu",   leaky_relu },
    { "elu",         elu },
    { "clip",        clip },
    { "where",       where },
    { "tri",         tri },
    { "oneHot",      one_hot },
    { "contiguous",  contiguous },
    { "copy",        copy },
    { "concat",      concat },
    { "stack",       stack },
    { "split",       split },
    { "tile",        tile },
    { "repeat",      repeat },
    { "pad",         pad },
    { "roll",        roll },
    { 0 },
};
