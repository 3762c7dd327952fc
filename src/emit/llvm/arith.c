// SPDX-License-Identifier: Apache-2.0
/*
 * arith.c - operations on numbers: one LLVM instruction or a few for each.
 *
 * in     a PURE instruction; its operands as scalars or as vectors of lanes
 * out    its value in the form its shape asks for
 * knows  WGSL's rules for integer division, shifts and conversions
 * not    masks, memory; functions that need a polynomial are in math*.c
 */
#include "emit/llvm/math_priv.h"

#include <llvm/Config/llvm-config.h>

static bool is_double(LlvmValue v)
{
    LlvmType type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* ---- integer division ---- */

static LlvmValue is_equal(Emit *e, LlvmValue x, uint32_t n)
{
    return LLVMBuildICmp(e->builder, LLVMIntEQ, x, int_like(e, x, n), "");
}

/* Is this divisor zero, or minus one below the most negative number? */
static LlvmValue bad_divisor(Emit *e, LlvmValue x, LlvmValue y, bool is_signed)
{
    LlvmValue bad = is_equal(e, y, 0);
    if (!is_signed)
        return bad;
    LlvmValue overflow = LLVMBuildAnd(e->builder, is_equal(e, x, 0x80000000u),
                                      is_equal(e, y, UINT32_MAX), "");
    return LLVMBuildOr(e->builder, bad, overflow, "");
}

/*
 * Machines divide vectors of doubles, not of integers. The quotient of two
 * 32-bit numbers differs from the next integer by at least 2^-32 of its size, so
 * 53 bits round to the right side and truncation is exact.
 */
static LlvmValue divide_lanes(Emit *e, LlvmValue x, LlvmValue y, bool is_signed)
{
    LlvmType wide = lane_type(e, e->f64), narrow = LLVMTypeOf(x);
    LLVMBuilderRef b = e->builder;
    LlvmValue p = is_signed ? LLVMBuildSIToFP(b, x, wide, "") : LLVMBuildUIToFP(b, x, wide, "");
    LlvmValue q = is_signed ? LLVMBuildSIToFP(b, y, wide, "") : LLVMBuildUIToFP(b, y, wide, "");
    LlvmValue r = LLVMBuildFDiv(b, p, q, "");
    return is_signed ? LLVMBuildFPToSI(b, r, narrow, "") : LLVMBuildFPToUI(b, r, narrow, "");
}

static LlvmValue quotient(Emit *e, LlvmValue x, LlvmValue y, bool is_signed)
{
    if (is_vector(x) && !LLVMIsConstant(y))
        return divide_lanes(e, x, y, is_signed);
    return is_signed ? LLVMBuildSDiv(e->builder, x, y, "")
                     : LLVMBuildUDiv(e->builder, x, y, "");
}

static LlvmValue rest_of(Emit *e, LlvmValue x, LlvmValue q, LlvmValue by)
{
    return LLVMBuildSub(e->builder, x, LLVMBuildMul(e->builder, q, by, ""), "");
}

static LlvmValue divide(Emit *e, LlvmValue x, LlvmValue y, bool is_signed, bool rest)
{
    LlvmValue bad = bad_divisor(e, x, y, is_signed);
    LlvmValue one = int_like(e, y, 1);
    LlvmValue by = LLVMBuildSelect(e->builder, bad, one, y, "");
    LlvmValue q = quotient(e, x, by, is_signed);
    return rest ? rest_of(e, x, q, by) : q;
}

/*
 * Unsigned numbers below 2^31 by one number for all lanes: the inverse is computed
 * once. (x + 1/2) / y is at least 1/(2 y) away from an integer, and the error of the
 * product with the inverse is below 2^-20 / y: truncation is exact.
 */
static LlvmValue divide_by_one(Emit *e, LlvmValue x, LlvmValue y, bool rest)
{
    LLVMBuilderRef b = e->builder;
    LlvmValue one = const_i32(e, 1);
    LlvmValue by = intrinsic2(e, "llvm.umax", y, one);      /* x / 0 is x */
    LlvmValue inverse = LLVMBuildFDiv(b, LLVMConstReal(e->f64, 1),
                                      LLVMBuildUIToFP(b, by, e->f64, ""), "");
    LlvmValue p = LLVMBuildSIToFP(b, x, lane_type(e, e->f64), "");
    p = LLVMBuildFAdd(b, p, splat(e, LLVMConstReal(e->f64, 0.5)), "");
    p = LLVMBuildFMul(b, p, splat(e, inverse), "");
    LlvmValue q = LLVMBuildFPToSI(b, p, LLVMTypeOf(x), "");
    return rest ? rest_of(e, x, q, splat(e, by)) : q;
}

/* Such a division, of one component; NULL: it is another. */
static LlvmValue easy_division(Emit *e, const Inst *inst, uint32_t c)
{
    const Inst *x = inst->args[0], *y = inst->nargs > 1 ? inst->args[1] : NULL;
    bool is_division = inst->op == IR_UDIV || inst->op == IR_UREM;
    if (!is_division || e->lanes == 1 || y->op == IR_CONST || shape_of(e, y) > SHAPE_GROUP ||
        inst->type.width != 1 || e->facts->of[x->id].high >= 0x80000000u || e->mask)
        return NULL;
    return divide_by_one(e, as_lanes(e, x, c), as_scalar(e, y, c), inst->op == IR_UREM);
}

/*
 * x / c or x % c in the first lane of a group, for a constant c that divides the stride of
 * x. If that lane is off, x may lie a few steps below zero while the lanes that are on do
 * not: a multiple of c is added before, and taken away again.
 */
static LlvmValue divide_first(Emit *e, const Inst *inst, uint32_t by, bool rest)
{
    LLVMBuilderRef b = e->builder;
    const Fact *x = fact_of(e, inst->args[0]);
    uint64_t span = (uint64_t)(x->stride < 0 ? -(int64_t)x->stride : x->stride) * e->lanes;
    uint32_t steps = e->mask ? (uint32_t)((span + by - 1) / by) : 0;
    LlvmValue v = LLVMBuildAdd(b, as_scalar(e, inst->args[0], 0), const_i32(e, steps * by), "");
    if (rest)
        return LLVMBuildURem(b, v, const_i32(e, by), "");
    return LLVMBuildSub(b, LLVMBuildUDiv(b, v, const_i32(e, by), ""), const_i32(e, steps), "");
}

/* Such an operation; NULL: it is another. */
static LlvmValue first_division(Emit *e, const Inst *inst)
{
    bool divides = inst->op == IR_UDIV || inst->op == IR_UREM || inst->op == IR_SHR;
    if (!divides || inst->type.width != 1 || inst->args[1]->op != IR_CONST ||
        shape_of(e, inst->args[0]) != SHAPE_AFFINE)
        return NULL;
    uint32_t n = inst->args[1]->constant.bits[0], by = inst->op == IR_SHR ? 1u << (n & 31) : n;
    if (by == 0 || by > INT32_MAX || fact_of(e, inst->args[0])->stride % (int32_t)by)
        return NULL;
    return divide_first(e, inst, by, inst->op == IR_UREM);
}

/* ---- shifts, bits ---- */

static LlvmValue shift(Emit *e, IrOp op, LlvmValue x, LlvmValue by)
{
    by = LLVMBuildAnd(e->builder, by, int_like(e, by, 31), "");
    if (op == IR_SHL)
        return LLVMBuildShl(e->builder, x, by, "");
    return op == IR_SHR ? LLVMBuildLShr(e->builder, x, by, "")
                        : LLVMBuildAShr(e->builder, x, by, "");
}

static LlvmValue count_zeros(Emit *e, const char *name, LlvmValue x)
{
    LlvmType type = LLVMTypeOf(x);
    LlvmValue defined_at_zero = LLVMConstInt(e->i1, 0, false);
    return intrinsic(e, name, &type, 1, 2, (LlvmValue[]){x, defined_at_zero});
}

#define MAX_HALVES 16u

/* Byte `i` of each number, extended. */
static LlvmValue byte_of(Emit *e, LlvmValue x, uint32_t i, bool is_signed)
{
    LlvmValue up = LLVMBuildShl(e->builder, x, int_like(e, x, 24 - 8 * i), "");
    LlvmValue by = int_like(e, x, 24);
    return is_signed ? LLVMBuildAShr(e->builder, up, by, "")
                     : LLVMBuildLShr(e->builder, up, by, "");
}

/* Bytes 0 and 2, or 1 and 3, of each number, extended to 16 bits. */
static LlvmValue bytes_as_halves(Emit *e, LlvmValue x, bool upper, bool is_signed)
{
    LlvmType type = LLVMVectorType(e->i16, 2 * LLVMGetVectorSize(LLVMTypeOf(x)));
    LlvmValue halves = LLVMBuildBitCast(e->builder, x, type, "");
    LlvmValue eights[MAX_HALVES];
    for (uint32_t i = 0; i < LLVMGetVectorSize(type); i++)
        eights[i] = LLVMConstInt(e->i16, 8, false);
    LlvmValue by = LLVMConstVector(eights, LLVMGetVectorSize(type));
    if (!upper)
        halves = LLVMBuildShl(e->builder, halves, by, "");
    return is_signed ? LLVMBuildAShr(e->builder, halves, by, "")
                     : LLVMBuildLShr(e->builder, halves, by, "");
}

LlvmValue some_lanes(Emit *e, LlvmValue x, LlvmValue y, uint32_t first, uint32_t n)
{
    LlvmValue *at = ARENA_ARRAY(e->arena, LlvmValue, n);
    for (uint32_t i = 0; i < n; i++)
        at[i] = const_i32(e, first + i);
    return LLVMBuildShuffleVector(e->builder, x, y, LLVMConstVector(at, n), "");
}

/* The machine multiplies halves and adds two neighbours at once. */
static LlvmValue dot4_eight(Emit *e, LlvmValue x, LlvmValue y, bool is_signed)
{
    LlvmValue sums[2];
    for (uint32_t i = 0; i < 2; i++)
        sums[i] = intrinsic(e, "llvm.x86.avx2.pmadd.wd", NULL, 0, 2,
                            (LlvmValue[]){bytes_as_halves(e, x, i, is_signed),
                                          bytes_as_halves(e, y, i, is_signed)});
    return LLVMBuildAdd(e->builder, sums[0], sums[1], "");
}

static LlvmValue dot4_lanes(Emit *e, LlvmValue x, LlvmValue y, uint32_t n, bool is_signed)
{
    if (n == 8)
        return dot4_eight(e, x, y, is_signed);
    LlvmValue half[2];
    for (uint32_t i = 0; i < 2; i++)
        half[i] = dot4_lanes(e, some_lanes(e, x, x, i * n / 2, n / 2),
                             some_lanes(e, y, y, i * n / 2, n / 2), n / 2, is_signed);
    return some_lanes(e, half[0], half[1], 0, n);
}

static LlvmValue dot4(Emit *e, LlvmValue x, LlvmValue y, bool is_signed)
{
    if (e->has_avx2 && is_vector(x) && e->lanes % 8 == 0)
        return dot4_lanes(e, x, y, e->lanes, is_signed);
    LlvmValue sum = int_like(e, x, 0);
    for (uint32_t i = 0; i < 4; i++) {
        LlvmValue p = LLVMBuildMul(e->builder, byte_of(e, x, i, is_signed),
                                   byte_of(e, y, i, is_signed), "");
        sum = LLVMBuildAdd(e->builder, sum, p, "");
    }
    return sum;
}

/* ---- floating point ---- */

static LlvmValue pick(Emit *e, LLVMRealPredicate p, LlvmValue x, LlvmValue y)
{
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, p, x, y, ""), x, y, "");
}

static LlvmValue remainder_of(Emit *e, LlvmValue x, LlvmValue y)
{
    LlvmValue q = intrinsic1(e, "llvm.trunc", LLVMBuildFDiv(e->builder, x, y, ""));
    if (!is_double(x))
        return math_fma(e, LLVMBuildFNeg(e->builder, y, ""), q, x);
    return LLVMBuildFSub(e->builder, x, LLVMBuildFMul(e->builder, y, q, ""), "");
}

/* ---- conversion ---- */

static LlvmValue float_to_float(Emit *e, LlvmValue x, LlvmType element)
{
    LlvmType to = with_element(e, x, element);
    if (to == LLVMTypeOf(x))
        return x;
    bool narrower = element == e->f16 || is_double(x);
    return narrower ? LLVMBuildFPTrunc(e->builder, x, to, "")
                    : LLVMBuildFPExt(e->builder, x, to, "");
}

/* What is too large becomes the largest number that both types have, as WGSL asks;
 * NaN becomes zero. */
static LlvmValue to_integer(Emit *e, const Inst *from, LlvmValue x, bool is_signed)
{
    bool twice = is_double(x);
    const double most = twice ? 2147483647.0 : 2147483520.0;    /* that is a float */
    if (analysis_is_between(from, is_signed ? -2147483648.0 : 0, most))
        return LLVMBuildFPToSI(e->builder, x, with_element(e, x, e->i32), "");
    bool half = LLVMTypeOf(x) == with_element(e, x, e->f16);
    double high = half ? 65504.0 : is_signed ? most : twice ? 4294967295.0 : 4294967040.0;
    double low = half ? -65504.0 : -2147483648.0;
    LlvmType to = with_element(e, x, e->i32);
    if (half)
        x = float_to_float(e, x, e->f32);
    LlvmValue number = LLVMBuildFCmp(e->builder, LLVMRealORD, x, x, "");
    x = math_clamp(e, x, is_signed ? low : 0, high);
    x = LLVMBuildSelect(e->builder, number, x, math_const(e, x, 0), "");
    return is_signed ? LLVMBuildFPToSI(e->builder, x, to, "")
                     : LLVMBuildFPToUI(e->builder, x, to, "");
}

static LlvmValue bits_of_half(Emit *e, LlvmValue h)
{
    LlvmValue bits = LLVMBuildBitCast(e->builder, h, with_element(e, h, e->i16), "");
    return LLVMBuildZExt(e->builder, bits, with_element(e, h, e->i32), "");
}

static LlvmValue half_of_bits(Emit *e, LlvmValue bits)
{
    LlvmValue low = LLVMBuildTrunc(e->builder, bits, with_element(e, bits, e->i16), "");
    return LLVMBuildBitCast(e->builder, low, with_element(e, bits, e->f16), "");
}

/* The upper or lower half of each f64. */
static LlvmValue word_of(Emit *e, LlvmValue x, bool high)
{
    LlvmType longs = with_element(e, x, e->i64);
    LlvmValue bits = LLVMBuildBitCast(e->builder, x, longs, "");
    if (high)
        bits = LLVMBuildLShr(e->builder, bits, long_like(e, x, 32), "");
    return LLVMBuildTrunc(e->builder, bits, with_element(e, x, e->i32), "");
}

static LlvmValue from_words(Emit *e, LlvmValue low, LlvmValue high)
{
    LlvmType longs = with_element(e, low, e->i64);
    low = LLVMBuildZExt(e->builder, low, longs, "");
    high = LLVMBuildZExt(e->builder, high, longs, "");
    high = LLVMBuildShl(e->builder, high, long_like(e, high, 32), "");
    LlvmValue bits = LLVMBuildOr(e->builder, high, low, "");
    return LLVMBuildBitCast(e->builder, bits, with_element(e, low, e->f64), "");
}

/* ---- parts of f64 ---- */

#define ROUNDER  0x1.8p52               /* leaves no bits for a fraction          */
#define FRACTION ((1ull << 52) - 1)
#define EXPONENT_OF_ONE (1023ull << 52)

static LlvmValue long_bits(Emit *e, LlvmValue x)
{
    return LLVMBuildBitCast(e->builder, x, with_element(e, x, e->i64), "");
}

static LlvmValue of_long_bits(Emit *e, LlvmValue bits)
{
    return LLVMBuildBitCast(e->builder, bits, with_element(e, bits, e->f64), "");
}

static LlvmValue power_of_two(Emit *e, LlvmValue n)
{
    LlvmValue bits = long_bits(e, math_addk(e, n, ROUNDER + 1023));
    return of_long_bits(e, LLVMBuildShl(e->builder, bits, long_like(e, bits, 52), ""));
}

/* The biased exponent in the last digits of 2^52, less both. */
static LlvmValue exponent_of(Emit *e, LlvmValue x)
{
    LlvmValue bits = long_bits(e, x);
    bits = LLVMBuildLShr(e->builder, bits, long_like(e, x, 52), "");
    bits = LLVMBuildOr(e->builder, bits, long_like(e, x, (1023ull + 52) << 52), "");
    return math_addk(e, of_long_bits(e, bits), -(0x1p52 + 1023));
}

static LlvmValue significand_of(Emit *e, LlvmValue x)
{
    LlvmValue bits = LLVMBuildAnd(e->builder, long_bits(e, x), long_like(e, x, FRACTION), "");
    return of_long_bits(e, LLVMBuildOr(e->builder, bits, long_like(e, x, EXPONENT_OF_ONE), ""));
}

static LlvmValue part_of_double(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    switch (op) {
    case IR_HIGH_WORD: case IR_LOW_WORD: return word_of(e, x, op == IR_HIGH_WORD);
    case IR_FROM_WORDS: return from_words(e, x, y);
    case IR_COPYSIGN: return intrinsic2(e, "llvm.copysign", x, y);
    case IR_POWER: return power_of_two(e, x);
    case IR_LOGB: return exponent_of(e, x);
    default: return significand_of(e, x);
    }
}

/* ---- one component ---- */

static LlvmValue compare(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    switch (op) {
    case IR_FEQ: return LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, y, "");
    case IR_FNE: return LLVMBuildFCmp(e->builder, LLVMRealUNE, x, y, "");
    case IR_FLT: return LLVMBuildFCmp(e->builder, LLVMRealOLT, x, y, "");
    case IR_FLE: return LLVMBuildFCmp(e->builder, LLVMRealOLE, x, y, "");
    case IR_IEQ: return LLVMBuildICmp(e->builder, LLVMIntEQ, x, y, "");
    case IR_INE: return LLVMBuildICmp(e->builder, LLVMIntNE, x, y, "");
    case IR_SLT: return LLVMBuildICmp(e->builder, LLVMIntSLT, x, y, "");
    case IR_SLE: return LLVMBuildICmp(e->builder, LLVMIntSLE, x, y, "");
    case IR_ULT: return LLVMBuildICmp(e->builder, LLVMIntULT, x, y, "");
    default: return LLVMBuildICmp(e->builder, LLVMIntULE, x, y, "");
    }
}

static LlvmValue integer(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    switch (op) {
    case IR_IADD: return LLVMBuildAdd(e->builder, x, y, "");
    case IR_ISUB: return LLVMBuildSub(e->builder, x, y, "");
    case IR_IMUL: return LLVMBuildMul(e->builder, x, y, "");
    case IR_SDIV: return divide(e, x, y, true, false);
    case IR_UDIV: return divide(e, x, y, false, false);
    case IR_SREM: return divide(e, x, y, true, true);
    case IR_UREM: return divide(e, x, y, false, true);
    case IR_SMIN: return intrinsic2(e, "llvm.smin", x, y);
    case IR_SMAX: return intrinsic2(e, "llvm.smax", x, y);
    case IR_UMIN: return intrinsic2(e, "llvm.umin", x, y);
    case IR_UMAX: return intrinsic2(e, "llvm.umax", x, y);
    case IR_SHL: case IR_SHR: case IR_SAR: return shift(e, op, x, y);
    case IR_CLZ: return count_zeros(e, "llvm.ctlz", x);
    case IR_CTZ: return count_zeros(e, "llvm.cttz", x);
    case IR_POPCOUNT: return intrinsic1(e, "llvm.ctpop", x);
    case IR_BITREV: return intrinsic1(e, "llvm.bitreverse", x);
    case IR_DOT4I8: return dot4(e, x, y, true);
    default: return dot4(e, x, y, false);
    }
}

static LlvmValue floating(Emit *e, IrOp op, LlvmValue x, LlvmValue y, LlvmValue z)
{
    switch (op) {
    case IR_FMUL: return LLVMBuildFMul(e->builder, x, y, "");
    case IR_FDIV: return LLVMBuildFDiv(e->builder, x, y, "");
    case IR_FREM: return remainder_of(e, x, y);
    case IR_FNEG: return LLVMBuildFNeg(e->builder, x, "");
    case IR_FABS: return intrinsic1(e, "llvm.fabs", x);
    case IR_FMA: return is_double(x) ? math_fma_once(e, x, y, z) : math_fma(e, x, y, z);
    case IR_FMIN: return pick(e, LLVMRealOLT, x, y);
    case IR_FMAX: return pick(e, LLVMRealOGT, x, y);
    case IR_FLOOR: return intrinsic1(e, "llvm.floor", x);
    case IR_CEIL: return intrinsic1(e, "llvm.ceil", x);
    case IR_TRUNC: return intrinsic1(e, "llvm.trunc", x);
    case IR_ROUND: return intrinsic1(e, "llvm.roundeven", x);
    case IR_SQRT: return intrinsic1(e, "llvm.sqrt", x);
    default: return math_call(e, op, x, y);
    }
}

static LlvmValue convert(Emit *e, const Inst *inst, LlvmValue x)
{
    LlvmType element = scalar_type(e, (ScalarKind)inst->type.kind);
    LlvmType to = with_element(e, x, element);
    switch (inst->op) {
    case IR_S2F: return LLVMBuildSIToFP(e->builder, x, to, "");
    case IR_U2F: return LLVMBuildUIToFP(e->builder, x, to, "");
    case IR_F2S: return to_integer(e, inst->args[0], x, true);
    case IR_F2U: return to_integer(e, inst->args[0], x, false);
    case IR_F2F: return float_to_float(e, x, element);
    default: return LLVMBuildBitCast(e->builder, x, to, "");
    }
}

static LlvmValue bits(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    switch (op) {
    case IR_AND: return LLVMBuildAnd(e->builder, x, y, "");
    case IR_OR: return LLVMBuildOr(e->builder, x, y, "");
    case IR_XOR: return LLVMBuildXor(e->builder, x, y, "");
    default: return LLVMBuildNot(e->builder, x, "");
    }
}

/* `c`: which component; COMPONENTS: several of them, in one vector. */
static LlvmValue component(Emit *e, const Inst *inst, uint32_t c, LlvmValue x, LlvmValue y,
                           LlvmValue z)
{
    IrOp op = (IrOp)inst->op;
    if (op == IR_RSQRT && sum_is_positive(e, inst->args[0]))
        return math_rsqrt_positive(e, x, NULL);
    if (op == IR_FADD || op == IR_FSUB)
        return contract_inst(e, inst, c, x, y);
    if (op >= IR_FADD && op <= IR_FREXP_EXP)
        return floating(e, op, x, y, z);
    if (op >= IR_IADD && op <= IR_DOT4U8)
        return integer(e, op, x, y);
    if (op >= IR_AND && op <= IR_NOT)
        return bits(e, op, x, y);
    if (op >= IR_FEQ && op <= IR_ULE)
        return compare(e, op, x, y);
    if (op >= IR_S2F && op <= IR_BITCAST)
        return convert(e, inst, x);
    if (op >= IR_HIGH_WORD && op <= IR_SIGNIFICAND)
        return part_of_double(e, op, x, y);
    if (op == IR_SELECT)
        return LLVMBuildSelect(e->builder, x, y, z, "");
    BUG("no code for %s", ir_op_name(op));
}

/* ---- vectors of WGSL: components are apart, so most of this is renaming ---- */

/* Component `index` of a vector, chosen at run time. */
static LlvmValue extract_at(Emit *e, const Inst *vector, LlvmValue index, bool lanes)
{
    LlvmValue v = as_either(e, vector, vector->type.width - 1u, lanes);
    for (uint32_t c = vector->type.width - 1u; c-- > 0;) {
        LlvmValue hit = is_equal(e, index, c);
        v = LLVMBuildSelect(e->builder, hit, as_either(e, vector, c, lanes), v, "");
    }
    return v;
}

static void insert_at(Emit *e, const Inst *inst, bool lanes)
{
    uint32_t width = inst->type.width;
    LlvmValue x = as_either(e, inst->args[1], 0, lanes);
    LlvmValue at = as_either(e, inst->args[2], 0, lanes);
    at = intrinsic2(e, "llvm.umin", at, int_like(e, at, width - 1));
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue old = as_either(e, inst->args[0], c, lanes);
        set_value(e, inst, c, LLVMBuildSelect(e->builder, is_equal(e, at, c), x, old, ""));
    }
}

static LlvmValue reduce_bool(Emit *e, const Inst *inst, bool lanes)
{
    const Inst *x = inst->args[0];
    LlvmValue v = as_either(e, x, 0, lanes);
    for (uint32_t c = 1; c < x->type.width; c++) {
        LlvmValue next = as_either(e, x, c, lanes);
        v = inst->op == IR_ALL ? LLVMBuildAnd(e->builder, v, next, "")
                               : LLVMBuildOr(e->builder, v, next, "");
    }
    return v;
}

static LlvmValue pack_half(Emit *e, const Inst *inst, bool lanes)
{
    LlvmValue low = bits_of_half(e, as_either(e, inst->args[0], 0, lanes));
    LlvmValue high = bits_of_half(e, as_either(e, inst->args[0], 1, lanes));
    high = LLVMBuildShl(e->builder, high, int_like(e, high, 16), "");
    return LLVMBuildOr(e->builder, low, high, "");
}

static void unpack_half(Emit *e, const Inst *inst, bool lanes)
{
    LlvmValue x = as_either(e, inst->args[0], 0, lanes);
    LlvmValue high = LLVMBuildLShr(e->builder, x, int_like(e, x, 16), "");
    set_value(e, inst, 0, half_of_bits(e, x));
    set_value(e, inst, 1, half_of_bits(e, high));
}

static LlvmValue constant(Emit *e, const Inst *inst, uint32_t c)
{
    LlvmValue word = const_i32(e, inst->constant.bits[c]);
    switch (inst->type.kind) {
    case SCALAR_BOOL: return LLVMConstInt(e->i1, inst->constant.bits[c] != 0, false);
    case SCALAR_F32: return LLVMConstBitCast(word, e->f32);
    case SCALAR_F64:
        return LLVMConstBitCast(const_i64(e, ir_constant_bits64(&inst->constant, c)), e->f64);
    case SCALAR_F16:
        return LLVMConstBitCast(LLVMConstInt(e->i16, inst->constant.bits[c], false), e->f16);
    default: return word;
    }
}

static void emit_constant(Emit *e, const Inst *inst)
{
    for (uint32_t c = 0; c < inst->type.width; c++)
        set_value(e, inst, c, constant(e, inst, c));
}

static void emit_components(Emit *e, const Inst *inst, bool lanes)
{
    for (uint32_t c = 0; c < inst->type.width; c++) {
        LlvmValue a[3] = {0};
        LlvmValue easy = lanes ? easy_division(e, inst, c) : first_division(e, inst);
        if (!easy)
            easy = sum_in_order(e, inst, lanes);
        if (!easy)
            easy = dot_value(e, inst, lanes);
        if (easy) {
            set_value(e, inst, c, easy);
            continue;
        }
        for (uint32_t i = 0; i < inst->nargs; i++)
            a[i] = as_either(e, inst->args[i], c, lanes);
        if (lanes && math_shares_divisor(e, inst, c)) {
            set_value(e, inst, c, math_divide_all(e, a[0], as_scalar(e, inst->args[1], c)));
            continue;
        }
        set_value(e, inst, c, component(e, inst, c, a[0], a[1], a[2]));
    }
}

/* What is kept whole (whole.c). */
static void emit_whole(Emit *e, const Inst *inst)
{
    for (uint32_t k = 0; k < WHOLE; k++) {
        LlvmValue a[3] = {0};
        if (inst->op == IR_VEC) {
            set_value(e, inst, k, whole_spread(e, inst, k));
        } else if (inst->op == IR_SWIZZLE) {
            set_value(e, inst, k, whole_swizzle(e, inst, k));
        } else {
            for (uint32_t i = 0; i < inst->nargs; i++)
                a[i] = whole_piece(e, inst->args[i], k);
            set_value(e, inst, k, component(e, inst, COMPONENTS, a[0], a[1], a[2]));
        }
    }
}

/* The same in all invocations, so the first lane speaks for all. */
static LlvmValue promised(Emit *e, const Inst *x, uint32_t c)
{
    if (shape_of(e, x) == SHAPE_VARYING)
        return lane_get(e, as_lanes(e, x, c), 0);
    return as_scalar(e, x, c);
}

/* What a value is in the first lane. Operations on what counts up from lane to lane are done
 * once more, on numbers: the vector may be unused. */
static LlvmValue first_lane(Emit *e, const Inst *x, uint32_t c)
{
    bool again = x->type.width == 1 && x->op >= IR_IADD && x->op <= IR_XOR;
    if (shape_of(e, x) != SHAPE_VARYING)
        return as_scalar(e, x, c);
    for (uint32_t i = 0; again && i < x->nargs; i++)
        again = shape_of(e, x->args[i]) != SHAPE_VARYING;
    if (!again)
        return lane_get(e, as_lanes(e, x, c), 0);
    LlvmValue a[3] = {0};
    for (uint32_t i = 0; i < x->nargs; i++)
        a[i] = as_scalar(e, x->args[i], 0);
    return component(e, x, 0, a[0], a[1], a[2]);
}

void arith_inst(Emit *e, const Inst *inst)
{
    bool lanes = shape_of(e, inst) == SHAPE_VARYING;
    uint32_t width = inst->type.width;
    if (whole_is(e, inst)) {
        emit_whole(e, inst);
        return;
    }
    switch (inst->op) {
    case IR_CONST:
        emit_constant(e, inst);
        return;
    case IR_INPUT:
        set_value(e, inst, 0, input_value(e, inst));
        return;
    case IR_VEC:
        for (uint32_t c = 0; c < width; c++)
            set_value(e, inst, c, as_either(e, inst->args[c], 0, lanes));
        return;
    case IR_EXTRACT:
        set_value(e, inst, 0, as_either(e, inst->args[0], inst->index, lanes));
        return;
    case IR_SWIZZLE:
        for (uint32_t c = 0; c < width; c++)
            set_value(e, inst, c, as_either(e, inst->args[0], inst->swizzle[c], lanes));
        return;
    case IR_EXTRACT_AT:
        set_value(e, inst, 0, extract_at(e, inst->args[0],
                                         as_either(e, inst->args[1], 0, lanes), lanes));
        return;
    case IR_INSERT_AT:
        insert_at(e, inst, lanes);
        return;
    case IR_ALL: case IR_ANY:
        set_value(e, inst, 0, reduce_bool(e, inst, lanes));
        return;
    case IR_PACK_HALF:
        set_value(e, inst, 0, pack_half(e, inst, lanes));
        return;
    case IR_UNPACK_HALF:
        unpack_half(e, inst, lanes);
        return;
    case IR_UNIFORM:
        for (uint32_t c = 0; c < width; c++)
            set_value(e, inst, c, promised(e, inst->args[0], c));
        return;
    case IR_FIRST:
        for (uint32_t c = 0; c < width; c++)
            set_value(e, inst, c, first_lane(e, inst->args[0], c));
        return;
    default:
        emit_components(e, inst, lanes);
        return;
    }
}
