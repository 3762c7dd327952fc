/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensors.c - contexts, tensors from numbers, comparisons.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/fixture.h"
#include "tensor/tensor_priv.h"
#include "tensors.h"

int tensors_setup(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    weft_tensor_scope_begin(ctx);
    *state = ctx;
    return 0;
}

int tensors_teardown(void **state)
{
    weft_context *ctx = *state;
    weft_tensor_scope_end(ctx, NULL, 0);
    TensorState *s = tensor_state(ctx);
    if (s->lru.newer != &s->lru || s->pending_count || s->pending_bytes)
        fail_msg("tensors are left: %llu pending", (unsigned long long)s->pending_count);
    fixture_release(ctx);
    return 0;
}

static void store(void *data, weft_dtype d, uint64_t i, double v)
{
    switch (d) {
    case WEFT_F32: ((float *)data)[i] = (float)v; break;
    case WEFT_F64: ((double *)data)[i] = v; break;
    case WEFT_I32: ((int32_t *)data)[i] = (int32_t)v; break;
    case WEFT_U32: ((uint32_t *)data)[i] = (uint32_t)v; break;
    case WEFT_I64: ((int64_t *)data)[i] = (int64_t)v; break;
    case WEFT_I8:  ((int8_t *)data)[i] = (int8_t)v; break;
    case WEFT_U8:  ((uint8_t *)data)[i] = (uint8_t)v; break;
    case WEFT_BOOL: ((uint8_t *)data)[i] = v != 0; break;
    default: fail_msg("tensor_of() does not make %s", weft_dtype_name(d));
    }
}

weft_tensor *tensor_of(weft_context *ctx, weft_dtype dtype, uint32_t rank, const uint64_t *shape,
                       const double *values)
{
    uint64_t         count = 1;
    weft_tensor_desc d = {.dtype = dtype, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        count *= d.shape[i] = shape[i];
    bool  half = dtype == WEFT_F16 || dtype == WEFT_BF16;
    void *data = calloc(count + 1, 8);
    assert_non_null(data);
    d.dtype = half ? WEFT_F32 : dtype;
    for (uint64_t i = 0; i < count; i++)
        store(data, d.dtype, i, values[i]);
    d.data = data;
    weft_tensor *t = weft_tensor_create(ctx, &d);
    fixture_no_error(ctx);
    free(data);
    return half ? weft_tensor_cast(t, dtype) : t;
}

weft_tensor *tensor_count(weft_context *ctx, uint32_t rank, const uint64_t *shape, double start)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    double *v = calloc(count + 1, sizeof *v);
    assert_non_null(v);
    for (uint64_t i = 0; i < count; i++)
        v[i] = start + (double)i;
    weft_tensor *t = tensor_of(ctx, WEFT_F32, rank, shape, v);
    free(v);
    return t;
}

static double fetch(const void *data, weft_dtype d, uint64_t i)
{
    switch (d) {
    case WEFT_F64:  return ((const double *)data)[i];
    case WEFT_I32:  return ((const int32_t *)data)[i];
    case WEFT_U32:  return ((const uint32_t *)data)[i];
    case WEFT_I64:  return (double)((const int64_t *)data)[i];
    case WEFT_I8:   return ((const int8_t *)data)[i];
    case WEFT_U8:
    case WEFT_BOOL: return ((const uint8_t *)data)[i];
    default:        return (double)((const float *)data)[i];
    }
}

double *tensor_doubles(weft_tensor *t)
{
    assert_non_null(t);
    weft_dtype d = weft_tensor_dtype(t);
    bool       half = d == WEFT_F16 || d == WEFT_BF16;
    weft_tensor *x = half ? weft_tensor_cast(t, WEFT_F32) : weft_tensor_retain(t);
    uint64_t     bytes = weft_tensor_bytes(x), count = weft_tensor_count(x);
    void        *data = malloc(bytes + 8);
    double      *out = malloc((count + 1) * sizeof *out);
    assert_true(data && out);
    if (!weft_tensor_read(data, bytes, x)) {
        char *why = weft_tensor_explain(x);
        fail_msg("%s\n%s", weft_context_error(weft_tensor_context(t))->message, why ? why : "");
    }
    for (uint64_t i = 0; i < count; i++)
        out[i] = fetch(data, weft_tensor_dtype(x), i);
    free(data);
    weft_tensor_release(x);
    return out;
}

static bool near(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

void expect_near(weft_tensor *t, const double *want, uint64_t count, double tolerance)
{
    double *got = tensor_doubles(t);
    assert_int_equal(weft_tensor_count(t), count);
    for (uint64_t i = 0; i < count; i++)
        if (!near(got[i], want[i], tolerance)) {
            char *why = weft_tensor_explain(t);
            fail_msg("element %llu is %.9g, expected %.9g\n%s", (unsigned long long)i, got[i],
                     want[i], why ? why : "");
        }
    free(got);
}

void expect_shape(const weft_tensor *t, uint32_t rank, const uint64_t *shape)
{
    assert_non_null(t);
    assert_int_equal(weft_tensor_rank(t), rank);
    for (uint32_t i = 0; i < rank; i++)
        assert_int_equal(weft_tensor_shape(t)[i], shape[i]);
}

void expect_same(weft_tensor *a, weft_tensor *b, double tolerance)
{
    double *want = tensor_doubles(b);
    expect_shape(a, weft_tensor_rank(b), weft_tensor_shape(b));
    expect_near(a, want, weft_tensor_count(b), tolerance);
    free(want);
}

double random_next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 40) / 16777216.0;
}
