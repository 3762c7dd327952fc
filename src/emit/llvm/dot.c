// SPDX-License-Identifier: Apache-2.0
/*
 * dot.c - dot products of packed bytes, and sums of them.
 *
 * in     DOT4I8, DOT4U8, or an IADD of one
 * out    the machine's instruction that multiplies unsigned by signed bytes and adds
 *        four neighbours to a sum (vpdpbusd), or the older pair vpmaddubsw, vpmaddwd; on
 *        Arm the one for two signed or two unsigned operands (sdot, udot)
 * knows  which bits of an operand are zero: a byte below 128 is both signed and unsigned
 *
 * Where no operand is known to be below 128, one is moved by 128 and the sum corrected by
 * 128 times the sum of the other one's bytes. Which one is moved is chosen so that lane
 * groups and rounds of a loop share the correction.
 */
#include "emit/llvm/math_priv.h"

#define SIGNS 0x80808080u               /* the sign bit of each byte */

static bool below_128(const Emit *e, const Inst *v)
{
    return (analysis_zero_bits(e->facts, v) & SIGNS) == SIGNS;
}

/* ---- the machine's instructions, on vectors of any multiple of their lanes ---- */

static const char *dpbusd_name(uint32_t lanes)
{
    return lanes == 16  ? "llvm.x86.avx512.vpdpbusd.512"
           : lanes == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                        : "llvm.x86.avx512.vpdpbusd.128";
}

static LlvmValue one_dpbusd(Emit *e, LlvmValue sum, LlvmValue u, LlvmValue s, uint32_t lanes)
{
    return intrinsic(e, dpbusd_name(lanes), NULL, 0, 3, (LlvmValue[]){sum, u, s});
}

static LlvmValue as_bytes(Emit *e, LlvmValue x, uint32_t lanes)
{
    return LLVMBuildBitCast(e->builder, x, LLVMVectorType(e->i8, 4 * lanes), "");
}

/* u is below 128, so that sums of two products fit 16 bits. */
static LlvmValue one_maddubs(Emit *e, LlvmValue sum, LlvmValue u, LlvmValue s, uint32_t lanes)
{
    LlvmValue ones[16];
    for (uint32_t i = 0; i < 2 * lanes; i++)
        ones[i] = LLVMConstInt(e->i16, 1, false);
    LlvmValue pairs = intrinsic(e, "llvm.x86.avx2.pmadd.ub.sw", NULL, 0, 2,
                                (LlvmValue[]){as_bytes(e, u, lanes), as_bytes(e, s, lanes)});
    LlvmValue fours = intrinsic(e, "llvm.x86.avx2.pmadd.wd", NULL, 0, 2,
                                (LlvmValue[]){pairs, LLVMConstVector(ones, 2 * lanes)});
    return LLVMBuildAdd(e->builder, sum, fours, "");
}

/* Both operands are signed, or both unsigned. */
static LlvmValue one_neon(Emit *e, LlvmValue sum, LlvmValue x, LlvmValue y, bool is_signed)
{
    LlvmType types[2] = {LLVMTypeOf(sum), LLVMVectorType(e->i8, 16)};
    return intrinsic(e, is_signed ? "llvm.aarch64.neon.sdot" : "llvm.aarch64.neon.udot", types, 2,
                     3, (LlvmValue[]){sum, as_bytes(e, x, 4), as_bytes(e, y, 4)});
}

typedef LlvmValue DotFn(Emit *e, LlvmValue sum, LlvmValue x, LlvmValue y, uint32_t lanes);

static LlvmValue one_sdot(Emit *e, LlvmValue sum, LlvmValue x, LlvmValue y, uint32_t lanes)
{
    (void)lanes;
    return one_neon(e, sum, x, y, true);
}

static LlvmValue one_udot(Emit *e, LlvmValue sum, LlvmValue x, LlvmValue y, uint32_t lanes)
{
    (void)lanes;
    return one_neon(e, sum, x, y, false);
}

/* `one`, for lanes of which it takes `at_once` at a time. */
static LlvmValue in_parts(Emit *e, DotFn *one, uint32_t at_once, LlvmValue sum, LlvmValue x,
                          LlvmValue y, uint32_t n)
{
    if (n <= at_once)
        return one(e, sum, x, y, n);
    LlvmValue half[2];
    for (uint32_t i = 0; i < 2; i++)
        half[i] = in_parts(e, one, at_once, some_lanes(e, sum, sum, i * n / 2, n / 2),
                           some_lanes(e, x, x, i * n / 2, n / 2),
                           some_lanes(e, y, y, i * n / 2, n / 2), n / 2);
    return some_lanes(e, half[0], half[1], 0, n);
}

/* sum + u . s for all lanes; u unsigned bytes, s signed ones. */
static LlvmValue multiply_add(Emit *e, LlvmValue sum, LlvmValue u, LlvmValue s, uint32_t n)
{
    if (e->dot_lanes)
        return in_parts(e, one_dpbusd, e->dot_lanes, sum, u, s, n);
    return in_parts(e, one_maddubs, 8, sum, u, s, n);
}

/* ---- signed and unsigned operands ---- */

static LlvmValue flip_signs(Emit *e, LlvmValue x)
{
    return LLVMBuildXor(e->builder, x, int_like(e, x, SIGNS), "");
}

/* x . y = (x + 128) . y - 128 . y, for signed bytes. */
static LlvmValue both_signed(Emit *e, LlvmValue sum, LlvmValue x, LlvmValue y)
{
    LlvmValue zero = int_like(e, x, 0);
    LlvmValue more = multiply_add(e, zero, int_like(e, x, SIGNS), y, e->lanes);
    return LLVMBuildSub(e->builder, multiply_add(e, sum, flip_signs(e, x), y, e->lanes), more, "");
}

/* x . y = x . (y - 128) + 128 . x, for unsigned bytes. */
static LlvmValue both_unsigned(Emit *e, LlvmValue sum, LlvmValue x, LlvmValue y)
{
    LlvmValue zero = int_like(e, x, 0);
    LlvmValue less = multiply_add(e, zero, x, int_like(e, x, SIGNS), e->lanes);
    return LLVMBuildSub(e->builder, multiply_add(e, sum, x, flip_signs(e, y), e->lanes), less, "");
}

/* Of the operand that stays as it is: the more lanes share it, the better. */
static bool is_shared_more(const Emit *e, const Inst *x, const Inst *y)
{
    return shape_of(e, x) < shape_of(e, y);
}

static LlvmValue dot_added_neon(Emit *e, LlvmValue sum, const Inst *dot)
{
    return in_parts(e, dot->op == IR_DOT4I8 ? one_sdot : one_udot, e->dot_lanes, sum,
                    as_lanes(e, dot->args[0], 0), as_lanes(e, dot->args[1], 0), e->lanes);
}

/* NULL: without an instruction for this, arith.c does it. */
static LlvmValue dot_added(Emit *e, LlvmValue sum, const Inst *dot)
{
    const Inst *x = dot->args[0], *y = dot->args[1];
    bool is_signed = dot->op == IR_DOT4I8;
    if (!e->x86)
        return dot_added_neon(e, sum, dot);
    if (below_128(e, y) || (!below_128(e, x) && is_shared_more(e, x, y))) {
        const Inst *other = x;
        x = y;
        y = other;
    }
    /* x is below 128 if either is; else y is shared at least as much. */
    bool easy = below_128(e, x);
    if (!e->dot_lanes && (!easy || (!is_signed && !below_128(e, y))))
        return NULL;
    LlvmValue a = as_lanes(e, x, 0), b = as_lanes(e, y, 0);
    if (easy)
        return is_signed ? multiply_add(e, sum, a, b, e->lanes)
                         : multiply_add(e, sum, b, a, e->lanes);
    return is_signed ? both_signed(e, sum, a, b) : both_unsigned(e, sum, b, a);
}

/* ---- instructions ---- */

static bool is_dot(const Inst *v)
{
    return v->op == IR_DOT4I8 || v->op == IR_DOT4U8;
}

/* Whether `dot` was computed for this sum alone, just before it: then the sum takes its
 * place, and LLVM drops the dot product without one. */
static bool is_only_for(const Emit *e, const Inst *dot, const Inst *sum)
{
    return is_dot(dot) && e->uses[dot->id] == 1 && dot->region == sum->region &&
           shape_of(e, dot) == SHAPE_VARYING && e->values[dot->id].segment == e->segment;
}

LlvmValue dot_value(Emit *e, const Inst *inst, bool lanes)
{
    bool possible = lanes && (e->dot_lanes || e->has_avx2) && e->lanes % (e->x86 ? 8 : 4) == 0;
    if (!possible || inst->type.width != 1)
        return NULL;
    if (is_dot(inst))
        return dot_added(e, splat(e, const_i32(e, 0)), inst);
    for (uint32_t i = 0; inst->op == IR_IADD && i < 2; i++)
        if (is_only_for(e, inst->args[i], inst))
            return dot_added(e, as_lanes(e, inst->args[1 - i], 0), inst->args[i]);
    return NULL;
}
