// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_math.c - linear algebra and random numbers for JavaScript.
 *
 * in     calls of lib/tensor/math.js
 * out    new tensors
 * knows  weft/tensor.h
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

/* ---- matrices ---- */

/* cholesky(a, upper) */
static napi_value cholesky(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0);
    const bool   upper = arg_bool(c, 1);
    return call_enter(c) ? give(c, weft_tensor_cholesky(a, upper)) : NULL;
}

/* triangularSolve(a, b, upper, unit) */
static napi_value triangular_solve(Call *c)
{
    weft_tensor          *a = arg_tensor(c, 0), *b = arg_tensor(c, 1);
    const weft_triangular how = { .upper = arg_bool(c, 2), .unit = arg_bool(c, 3) };
    return call_enter(c) ? give(c, weft_tensor_triangular_solve(a, b, &how)) : NULL;
}

static napi_value solve(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0), *b = arg_tensor(c, 1);
    return call_enter(c) ? give(c, weft_tensor_solve(a, b)) : NULL;
}

static napi_value inv(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0);
    return call_enter(c) ? give(c, weft_tensor_inv(a)) : NULL;
}

static napi_value det(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0);
    return call_enter(c) ? give(c, weft_tensor_det(a)) : NULL;
}

/* qr(a): [q, r] */
static napi_value qr(Call *c)
{
    weft_tensor *a = arg_tensor(c, 0), *q = NULL, *r = NULL;
    if (!call_enter(c))
        return NULL;
    if (!weft_tensor_qr(&q, &r, a))
        return call_throw(c);
    napi_value pair = js_array(c->napi, 2);
    js_push(c->napi, pair, 0, give(c, q));
    js_push(c->napi, pair, 1, give(c, r));
    return pair;
}

/* ---- random numbers: context, dtype, shape, key, first, then what a function needs ---- */

static weft_random arg_random(Call *c)
{
    weft_random r = { .dtype = arg_dtype(c, 1) };
    r.rank = arg_shape(c, 2, r.shape);
    r.key = arg_u64(c, 3);
    r.first = arg_u64(c, 4);
    return r;
}

static napi_value random_bits(Call *c)
{
    weft_context     *ctx = arg_context(c, 0);
    const weft_random r = arg_random(c);
    return call_enter(c) ? give(c, weft_tensor_random_bits(ctx, &r)) : NULL;
}

static napi_value uniform(Call *c)
{
    weft_context     *ctx = arg_context(c, 0);
    const weft_random r = arg_random(c);
    const double      low = arg_double(c, 5), high = arg_double(c, 6);
    return call_enter(c) ? give(c, weft_tensor_uniform(ctx, &r, low, high)) : NULL;
}

static napi_value normal(Call *c)
{
    weft_context     *ctx = arg_context(c, 0);
    const weft_random r = arg_random(c);
    const double      mean = arg_double(c, 5), deviation = arg_double(c, 6);
    return call_enter(c) ? give(c, weft_tensor_normal(ctx, &r, mean, deviation)) : NULL;
}

static napi_value randint(Call *c)
{
    weft_context     *ctx = arg_context(c, 0);
    const weft_random r = arg_random(c);
    const int64_t     low = arg_i64(c, 5), high = arg_i64(c, 6);
    return call_enter(c) ? give(c, weft_tensor_randint(ctx, &r, low, high)) : NULL;
}

/* permutation(context, n, key) */
static napi_value permutation(Call *c)
{
    weft_context  *ctx = arg_context(c, 0);
    const uint64_t n = arg_u64(c, 1), key = arg_u64(c, 2);
    return call_enter(c) ? give(c, weft_tensor_permutation(ctx, n, key)) : NULL;
}

/* bernoulli(p, key) */
static napi_value bernoulli(Call *c)
{
    weft_tensor   *p = arg_tensor(c, 0);
    const uint64_t key = arg_u64(c, 1);
    return call_enter(c) ? give(c, weft_tensor_bernoulli(p, key)) : NULL;
}

/* dropout(x, rate, key) */
static napi_value dropout(Call *c)
{
    weft_tensor   *x = arg_tensor(c, 0);
    const double   rate = arg_double(c, 1);
    const uint64_t key = arg_u64(c, 2);
    return call_enter(c) ? give(c, weft_tensor_dropout(x, rate, key)) : NULL;
}

const Function tensor_math_functions[] = {
    { "cholesky",        cholesky },
    { "triangularSolve", triangular_solve },
    { "solve",           solve },
    { "inv",             inv },
    { "det",             det },
    { "qr",              qr },
    { "randomBits",      random_bits },
    { "uniform",         uniform },
    { "normal",          normal },
    { "randint",         randint },
    { "permutation",     permutation },
    { "bernoulli",       bernoulli },
    { "dropout",         dropout },
    { 0 },
};
