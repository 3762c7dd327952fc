// SPDX-License-Identifier: Apache-2.0
/*
 * math_root.c - the inverse square root.
 *
 * A square root and a division take 20 cycles or more for a vector. x86 machines estimate the
 * inverse root to 12 bits in one instruction. With d = 1 - x y^2 for an estimate y, it is
 * y (1 - d)^(-1/2) = y (1 + d/2 + 3/8 d^2 + ...): three terms leave an error below 2^-32, so
 * that only rounding counts. Of zero, infinity and negative numbers the estimate is the exact
 * result (infinity, zero, NaN), and d is NaN. AVX2 takes subnormal numbers for zero, as WGSL
 * 15.7.2 allows. On AVX-512 machines vectors of all lengths are estimated in the same way, so
 * that a result does not depend on the number of lanes.
 */
#include <stdio.h>

#include "emit/llvm/math_priv.h"

static LlvmValue by_division(Emit *e, LlvmValue x)
{
    LlvmValue root = intrinsic1(e, "llvm.sqrt", x);
    return LLVMBuildFDiv(e->builder, math_const(e, x, 1), root, "");
}

/* `n` elements of x from `first` on; beyond its last, the last one. */
static LlvmValue piece(Emit *e, LlvmValue x, uint32_t first, uint32_t n)
{
    LlvmValue at[16];
    uint32_t last = LLVMGetVectorSize(LLVMTypeOf(x)) - 1;
    for (uint32_t i = 0; i < n; i++)
        at[i] = const_i32(e, MIN_OF(first + i, last));
    return LLVMBuildShuffleVector(e->builder, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(at, n), "");
}

static LlvmValue estimate_piece(Emit *e, LlvmValue x, uint32_t n)
{
    if (e->estimate_lanes >= 16) {
        char     name[40];
        LlvmType mask = n == 16 ? e->i16 : LLVMInt8TypeInContext(e->context);
        snprintf(name, sizeof name, "llvm.x86.avx512.rsqrt14.ps.%u", n * 32);
        return intrinsic(e, name, NULL, 0, 3,
                         (LlvmValue[]){x, LLVMConstNull(LLVMTypeOf(x)), LLVMConstAllOnes(mask)});
    }
    return intrinsic(e, n == 8 ? "llvm.x86.avx.rsqrt.ps.256" : "llvm.x86.sse.rsqrt.ps",
                     NULL, 0, 1, &x);
}

/* A vector in pieces that the machine has an instruction for. */
static LlvmValue estimate_lanes(Emit *e, LlvmValue x)
{
    LlvmType type = LLVMTypeOf(x);
    uint32_t lanes = LLVMGetVectorSize(type), n = MIN_OF(e->estimate_lanes, 16u);
    while (n > 4 && n > lanes)
        n /= 2;
    if (n == lanes)
        return estimate_piece(e, x, n);
    LlvmValue y = LLVMGetPoison(type);
    for (uint32_t at = 0; at < lanes; at += n) {
        LlvmValue part = estimate_piece(e, piece(e, x, at, n), n);
        for (uint32_t i = 0; i < n && at + i < lanes; i++)
            y = lane_set(e, y, lane_get(e, part, i), at + i);
    }
    return y;
}

static LlvmValue estimate(Emit *e, LlvmValue x)
{
    if (is_vector(x))
        return estimate_lanes(e, x);
    LlvmValue first = const_i32(e, 0), four = LLVMGetPoison(LLVMVectorType(e->f32, 4));
    four = LLVMBuildInsertElement(e->builder, four, x, first, "");
    return LLVMBuildExtractElement(e->builder, estimate_piece(e, four, 4), first, "");
}

/* A better estimate than y, from its error d. */
static LlvmValue refine(Emit *e, LlvmValue x, LlvmValue y, LlvmValue *d)
{
    LlvmValue minus = LLVMBuildFNeg(e->builder, math_mul(e, x, y), "");
    *d = math_fma(e, minus, y, math_const(e, x, 1));
    LlvmValue terms = math_fmak(e, *d, 0.375, math_const(e, x, 0.5));
    return math_fma(e, math_mul(e, y, *d), terms, y);
}

LlvmValue math_rsqrt_positive(Emit *e, LlvmValue x, LlvmValue y)
{
    LlvmValue d;
    (void)y;
    return e->estimate_lanes ? refine(e, x, estimate(e, x), &d) : by_division(e, x);
}

LlvmValue math_rsqrt(Emit *e, LlvmValue x, LlvmValue y)
{
    LlvmValue d;
    if (!e->estimate_lanes)
        return by_division(e, x);
    y = estimate(e, x);
    LlvmValue root = refine(e, x, y, &d);
    LlvmValue special = LLVMBuildFCmp(e->builder, LLVMRealUNO, d, d, "");
    return LLVMBuildSelect(e->builder, special, y, root, "");
}
