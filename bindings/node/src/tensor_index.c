// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_index.c - elements by index and by order, for JavaScript.
 *
 * in     calls of lib/tensor/index.js
 * out    new tensors
 * knows  that nonzero() and unique() have to compute their operand
 * not    defaults of optional arguments: lib/ has them
 */
#include "layer.h"

static weft_tensor *arg_tensor(Call *c, size_t i)
{
    return arg_owned(c, i, KIND_TENSOR);
}

static napi_value give(Call *c, weft_tensor *t)
{
    return call_give(c, KIND_TENSOR, t);
}

/* [start, stop, step, ...] of the first axes; how many axes */
uint32_t arg_ranges(Call *c, size_t i, weft_range ranges[WEFT_MAX_RANK])
{
    const uint32_t count = arg_length(c, i);
    c->bad |= count % 3 != 0 || count / 3 > WEFT_MAX_RANK;
    for (uint32_t at = 0; at < count && !c->bad; at++) {
        napi_value  v = arg_element(c, i, at);
        weft_range *r = &ranges[at / 3];
        if (c->bad || value_is_undefined(c, v))
            continue;
        const int64_t n = (int64_t)value_double(c, v);
        switch (at % 3) {
        case 0: r->start = n; r->has_start = true; break;
        case 1: r->stop = n; r->has_stop = true; break;
        case 2: r->step = n; break;
        }
    }
    return c->bad ? 0 : count / 3;
}

/* take(x, indices, axis) */
static napi_value take(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0), *indices = arg_tensor(c, 1);
    const int    axis = arg_i32(c, 2);
    return call_enter(c) ? give(c, weft_tensor_take(x, indices, axis)) : NULL;
}

static napi_value gather(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0), *indices = arg_tensor(c, 1);
    const int    axis = arg_i32(c, 2);
    return call_enter(c) ? give(c, weft_tensor_gather(x, indices, axis)) : NULL;
}

/* maskedFill(x, mask, value) */
static napi_value masked_fill(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0), *mask = arg_tensor(c, 1);
    const double value = arg_double(c, 2);
    return call_enter(c) ? give(c, weft_tensor_masked_fill(x, mask, value)) : NULL;
}

/* gatherNd(x, indices, batch) */
static napi_value gather_nd(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0), *indices = arg_tensor(c, 1);
    const uint32_t batch = arg_u32(c, 2);
    return call_enter(c) ? give(c, weft_tensor_gather_nd(x, indices, batch)) : NULL;
}

/* scatter(x, indices, updates, axis, how) */
static napi_value scatter(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0), *indices = arg_tensor(c, 1), *updates = arg_tensor(c, 2);
    const int      axis = arg_i32(c, 3);
    const uint32_t how = arg_u32(c, 4);
    return call_enter(c)
               ? give(c, weft_tensor_scatter(x, indices, updates, axis, (weft_scatter)how))
               : NULL;
}

/* scatterNd(x, indices, updates, how) */
static napi_value scatter_nd(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0), *indices = arg_tensor(c, 1), *updates = arg_tensor(c, 2);
    const uint32_t how = arg_u32(c, 3);
    return call_enter(c) ? give(c, weft_tensor_scatter_nd(x, indices, updates, (weft_scatter)how))
                         : NULL;
}

/* sliceUpdate(x, updates, ranges) */
static napi_value slice_update(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0), *updates = arg_tensor(c, 1);
    weft_range     ranges[WEFT_MAX_RANK] = { { 0 } };
    const uint32_t count = arg_ranges(c, 2, ranges);
    return call_enter(c) ? give(c, weft_tensor_slice_update(x, updates, count, ranges)) : NULL;
}

static napi_value nonzero(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    return call_enter(c) ? give(c, weft_tensor_nonzero(x)) : NULL;
}

/* ---- order ---- */

typedef weft_tensor *(*SortFn)(weft_tensor *x, int axis, bool descending);

static napi_value sorting(Call *c, SortFn run)
{
    weft_tensor *x = arg_tensor(c, 0);
    const int    axis = arg_i32(c, 1);
    const bool   descending = arg_bool(c, 2);
    return call_enter(c) ? give(c, run(x, axis, descending)) : NULL;
}

static napi_value sort(Call *c)    { return sorting(c, weft_tensor_sort); }
static napi_value argsort(Call *c) { return sorting(c, weft_tensor_argsort); }

/* topk(x, k, axis, smallest): [values, indices] */
static napi_value topk(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0), *values = NULL, *indices = NULL;
    const uint64_t k = arg_u64(c, 1);
    const int      axis = arg_i32(c, 2);
    const bool     smallest = arg_bool(c, 3);
    if (!call_enter(c))
        return NULL;
    if (!weft_tensor_topk(&values, &indices, x, k, axis, smallest))
        return call_throw(c);
    napi_value pair = js_array(c->napi, 2);
    js_push(c->napi, pair, 0, give(c, values));
    js_push(c->napi, pair, 1, give(c, indices));
    return pair;
}

/* searchsorted(sorted, values, right) */
static napi_value searchsorted(Call *c)
{
    weft_tensor *sorted = arg_tensor(c, 0), *values = arg_tensor(c, 1);
    const bool   right = arg_bool(c, 2);
    return call_enter(c) ? give(c, weft_tensor_searchsorted(sorted, values, right)) : NULL;
}

/* unique(x): [values, indices, inverse, counts] */
static napi_value unique(Call *c)
{
    weft_tensor *x = arg_tensor(c, 0);
    weft_unique  u = { 0 };
    if (!call_enter(c))
        return NULL;
    if (!weft_tensor_unique(&u, x))
        return call_throw(c);
    napi_value list = js_array(c->napi, 4);
    js_push(c->napi, list, 0, give(c, u.values));
    js_push(c->napi, list, 1, give(c, u.indices));
    js_push(c->napi, list, 2, give(c, u.inverse));
    js_push(c->napi, list, 3, give(c, u.counts));
    return list;
}

const Function tensor_index_functions[] = {
    { "take",         take },
    { "gather",       gather },
    { "maskedFill",   masked_fill },
    { "gatherNd",     gather_nd },
    { "scatter",      scatter },
    { "scatterNd",    scatter_nd },
    { "sliceUpdate",  slice_update },
    { "nonzero",      nonzero },
    { "sort",         sort },
    { "argsort",      argsort },
    { "topk",         topk },
    { "searchsorted", searchsorted },
    { "unique",       unique },
    { 0 },
};
