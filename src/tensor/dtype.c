// SPDX-License-Identifier: Apache-2.0
/*
 * dtype.c - element types: names, sizes, promotion.
 *
 * in     WEFT_DTYPES
 * out    names, bytes, compute types, the promotion lattice of weft/tensor.h
 * not    tensors' memory, WGSL of loads and stores (access.c)
 */
#include <string.h>

#include "tensor/tensor_priv.h"

typedef struct DtypeRow {
    const char *name;
    uint8_t     bits;               /* 0: blocks                                            */
    uint8_t     compute;            /* a weft_dtype                                         */
} DtypeRow;

static const DtypeRow rows[] = {
    [WEFT_DTYPE_NONE] = {0},
#define X(name, text, bits, compute, what) [WEFT_##name] = {text, bits, WEFT_##compute},
    WEFT_DTYPES(X)
#undef X
};

_Static_assert(COUNTOF(rows) == WEFT_DTYPE_COUNT, "a type has no row");

#define BLOCK      32u              /* elements of a q4_0 or q8_0 block                     */
#define Q4_0_BYTES 18u
#define Q8_0_BYTES 34u

static bool known(weft_dtype d)
{
    return d > WEFT_DTYPE_NONE && d < WEFT_DTYPE_COUNT;
}

const char *weft_dtype_name(weft_dtype dtype)
{
    return known(dtype) ? rows[dtype].name : NULL;
}

weft_dtype weft_dtype_find(const char *name)
{
    for (int d = 1; name && d < WEFT_DTYPE_COUNT; d++)
        if (strcmp(rows[d].name, name) == 0)
            return (weft_dtype)d;
    return WEFT_DTYPE_NONE;
}

uint64_t weft_dtype_bytes(weft_dtype dtype, uint64_t count)
{
    if (!known(dtype) || count > UINT64_MAX / 64)
        return 0;
    if (rows[dtype].bits)
        return (count * rows[dtype].bits) % 8 ? 0 : count * rows[dtype].bits / 8;
    if (count % BLOCK)
        return 0;
    return count / BLOCK * (dtype == WEFT_Q4_0 ? Q4_0_BYTES : Q8_0_BYTES);
}

Compute dtype_compute(weft_dtype dtype)
{
    if (dtype == WEFT_BOOL)
        return COMPUTE_BOOL;
    switch (rows[dtype].compute) {
    case WEFT_F64: return COMPUTE_F64;
    case WEFT_I32: return COMPUTE_I32;
    case WEFT_U32: return COMPUTE_U32;
    default:       return COMPUTE_F32;
    }
}

const char *compute_text(Compute c)
{
    static const char *const names[] = {
        [COMPUTE_F32] = "f32", [COMPUTE_F64] = "f64", [COMPUTE_I32] = "i32",
        [COMPUTE_U32] = "u32", [COMPUTE_BOOL] = "bool",
    };
    return names[c];
}

bool dtype_is_float(weft_dtype d)
{
    return d == WEFT_F32 || d == WEFT_F16 || d == WEFT_BF16 || d == WEFT_F64;
}

bool dtype_is_integer(weft_dtype d)
{
    return d == WEFT_I32 || d == WEFT_U32 || d == WEFT_I8 || d == WEFT_U8 || d == WEFT_I64;
}

bool dtype_is_block(weft_dtype d)
{
    return d == WEFT_Q4_0 || d == WEFT_Q8_0 || d == WEFT_I4 || d == WEFT_U4;
}

/* Place in the order bool < integers < f16, bf16 < f32 < f64. */
static int level(weft_dtype d)
{
    switch (d) {
    case WEFT_BOOL:                 return 0;
    case WEFT_U8: case WEFT_I8:     return 1;
    case WEFT_U32: case WEFT_I32:   return 2;
    case WEFT_I64:                  return 3;
    case WEFT_F16: case WEFT_BF16:  return 4;
    case WEFT_F64:                  return 6;
    default:                        return 5;
    }
}

weft_dtype dtype_promote(weft_dtype a, weft_dtype b)
{
    if (a == b)
        return a;
    if (level(a) != level(b))
        return level(a) > level(b) ? a : b;
    if (dtype_is_float(a))
        return WEFT_F32;            /* f16 with bf16 */
    return WEFT_I32;                /* i32 with u32, i8 with u8 */
}

static bool is_integral(double v)
{
    return v >= -9.2e18 && v <= 9.2e18 && (double)(int64_t)v == v;
}

/* A weak scalar takes the type of `other`, unless that would cut off its fraction. */
static weft_dtype promote_weak(const weft_tensor *scalar, const weft_tensor *other)
{
    weft_dtype d = (weft_dtype)other->dtype;
    if (dtype_is_float(d) || (is_integral(scalar->attr.f[0]) && d != WEFT_BOOL))
        return d;
    return is_integral(scalar->attr.f[0]) ? WEFT_I32 : WEFT_F32;
}

weft_dtype tensor_promote(const weft_tensor *a, const weft_tensor *b)
{
    if (a->weak && !b->weak)
        return promote_weak(a, b);
    if (b->weak && !a->weak)
        return promote_weak(b, a);
    return dtype_promote((weft_dtype)a->dtype, (weft_dtype)b->dtype);
}

bool tensor_stores_direct(weft_context *ctx, weft_dtype dtype)
{
    const weft_device_info *info = weft_context_device(ctx);
    if (dtype == WEFT_F16)
        return info && info->f16;
    return dtype == WEFT_F32 || dtype == WEFT_I32 || dtype == WEFT_U32 || dtype == WEFT_F64
           || dtype == WEFT_I64;
}

weft_tensor *tensor_as(weft_tensor *x, weft_dtype dtype)
{
    if (x && (weft_dtype)x->dtype == dtype && !x->weak)
        return weft_tensor_retain(x);
    return weft_tensor_cast(x, dtype);
}
