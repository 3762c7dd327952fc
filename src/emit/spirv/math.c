// SPDX-License-Identifier: Apache-2.0
/*
 * math.c - functions of floats that WGSL defines where SPIR-V does not.
 *
 * in     an instruction on f32 or f16
 * out    a few instructions each
 * knows  what GLSL.std.450 and conversions leave open: large exponents of ldexp,
 *        powers of zero, numbers that an integer type does not have, NaN
 *
 * An f16 is computed in f32 where it says "wide".
 */
#include "emit/spirv/spirv_priv.h"

#include <math.h>

/* ---- f16 ---- */

SpvId spv_math_widen(Spirv *s, IrType type, SpvId x)
{
    if (type.kind != SCALAR_F16 || !s->target->has_f16)
        return x;
    return spv_op1(s, SpvOpFConvert, spv_type_value(s, as_kind(type, SCALAR_F32)), x);
}

/* To the 11 bits of an f16, ties to even. What a driver does with longer numbers is up
 * to it, and most cut them off. */
static SpvId to_11_bits(Spirv *s, IrType type, SpvId x)
{
    IrType ints = as_kind(type, SCALAR_I32);
    SpvId i = spv_type_value(s, ints), bits = spv_op1(s, SpvOpBitcast, i, x);
    SpvId odd = spv_op2(s, SpvOpShiftRightLogical, i, bits, spv_const_splat(s, ints, 13));
    odd = spv_op2(s, SpvOpBitwiseAnd, i, odd, spv_const_splat(s, ints, 1));
    bits = spv_op2(s, SpvOpIAdd, i, bits, spv_const_splat(s, ints, 0xfff));
    bits = spv_op2(s, SpvOpIAdd, i, bits, odd);
    bits = spv_op2(s, SpvOpBitwiseAnd, i, bits, spv_const_splat(s, ints, ~0x1fffu));
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, as_kind(type, SCALAR_F32)), bits);
}

SpvId spv_math_round16(Spirv *s, IrType type, SpvId x)
{
    return spv_op1(s, SpvOpQuantizeToF16, spv_type_value(s, type), to_11_bits(s, type, x));
}

SpvId spv_math_narrow(Spirv *s, IrType type, SpvId x)
{
    if (type.kind != SCALAR_F16)
        return x;
    if (!s->target->has_f16)
        return spv_math_round16(s, type, x);
    return spv_op1(s, SpvOpFConvert, spv_type_value(s, type), x);
}

SpvId spv_math_float_to_float(Spirv *s, const Inst *inst)
{
    const Inst *x = inst->args[0];
    if (inst->type.kind == x->type.kind)
        return spv_value(s, x);
    if (inst->type.kind == SCALAR_F64 || x->type.kind == SCALAR_F64) {
        BUG_IF(inst->type.kind == SCALAR_F16, "an f64 becomes an f16 by way of f32");
        return spv_op1(s, SpvOpFConvert, spv_type_value(s, inst->type), spv_value(s, x));
    }
    return inst->type.kind == SCALAR_F16 ? spv_math_narrow(s, inst->type, spv_value(s, x))
                                         : spv_math_widen(s, x->type, spv_value(s, x));
}

/*
 * The bits of two f16 that are kept as f32. GLSL.std.450 has PackHalf2x16, but some
 * drivers let infinity reach into the other half.
 */
static SpvId halves(Spirv *s, SpvId pair)
{
    IrType type = {SCALAR_F32, 2}, ints = {SCALAR_I32, 2}, bools = {SCALAR_BOOL, 2};
    SpvId f = spv_type_value(s, type), i = spv_type_value(s, ints);
    SpvId b = spv_type_value(s, bools), bits = spv_op1(s, SpvOpBitcast, i, pair);
    SpvId size = spv_op2(s, SpvOpBitwiseAnd, i, bits, spv_const_splat(s, ints, 0x7fffffffu));
    SpvId normal = spv_op2(s, SpvOpShiftRightLogical, i, size, spv_const_splat(s, ints, 13));
    normal = spv_op2(s, SpvOpISub, i, normal, spv_const_splat(s, ints, 112u << 10));
    SpvId nan = spv_op2(s, SpvOpULessThan, b, spv_const_splat(s, ints, 0x7f800000u), size);
    SpvId end = spv_op3(s, SpvOpSelect, i, nan, spv_const_splat(s, ints, 0x7e00u),
                        spv_const_splat(s, ints, 0x7c00u));
    SpvId large = spv_op2(s, SpvOpULessThan, b, spv_const_splat(s, ints, 0x477fe000u), size);
    SpvId units = spv_op2(s, SpvOpFMul, f, spv_op1(s, SpvOpBitcast, f, size),
                          spv_const_f32(s, type, 0x1p24f));
    SpvId tiny = spv_op2(s, SpvOpULessThan, b, size, spv_const_splat(s, ints, 0x38800000u));
    units = spv_op3(s, SpvOpSelect, f, tiny, units, spv_const_f32(s, type, 0));
    SpvId h = spv_op3(s, SpvOpSelect, i, large, end, normal);
    h = spv_op3(s, SpvOpSelect, i, tiny, spv_op1(s, SpvOpConvertFToU, i, units), h);
    SpvId sign = spv_op2(s, SpvOpShiftRightLogical, i, bits, spv_const_splat(s, ints, 16));
    sign = spv_op2(s, SpvOpBitwiseAnd, i, sign, spv_const_splat(s, ints, 0x8000u));
    return spv_op2(s, SpvOpBitwiseOr, i, h, sign);
}

SpvId spv_half_pack(Spirv *s, SpvId pair)
{
    SpvId u32 = spv_type_u32(s);
    if (s->target->has_f16)
        return spv_op1(s, SpvOpBitcast, u32, pair);
    SpvId both = halves(s, pair);
    SpvId low = spv_op_new(s, SpvOpCompositeExtract, u32, OPERANDS(both, 0));
    SpvId high = spv_op_new(s, SpvOpCompositeExtract, u32, OPERANDS(both, 1));
    high = spv_op2(s, SpvOpShiftLeftLogical, u32, high, spv_const_u32(s, 16));
    return spv_op2(s, SpvOpBitwiseOr, u32, low, high);
}

SpvId spv_half_unpack(Spirv *s, SpvId word)
{
    SpvId type = spv_type_value(s, (IrType){SCALAR_F16, 2});
    return s->target->has_f16 ? spv_op1(s, SpvOpBitcast, type, word)
                              : spv_glsl1(s, GLSLstd450UnpackHalf2x16, type, word);
}

SpvId spv_math_pack_half(Spirv *s, const Inst *inst)
{
    return spv_half_pack(s, spv_value(s, inst->args[0]));
}

SpvId spv_math_unpack_half(Spirv *s, const Inst *inst)
{
    return spv_half_unpack(s, spv_value(s, inst->args[0]));
}

/* ---- f64 ---- */

SpvId spv_double_words(Spirv *s, SpvId x)
{
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, (IrType){SCALAR_I32, 2}), x);
}

SpvId spv_double_of_words(Spirv *s, SpvId low, SpvId high)
{
    SpvId words = spv_type_value(s, (IrType){SCALAR_I32, 2});
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, IR_F64),
                   spv_op2(s, SpvOpCompositeConstruct, words, low, high));
}

/* Component i of a value, which may be a scalar. */
static SpvId part_of(Spirv *s, const Inst *x, uint32_t i)
{
    if (x->type.width == 1)
        return spv_value(s, x);
    return spv_op_new(s, SpvOpCompositeExtract, spv_type_value(s, (IrType){x->type.kind, 1}),
                      OPERANDS(spv_value(s, x), i));
}

static SpvId joined(Spirv *s, IrType type, const SpvId *parts)
{
    if (type.width == 1)
        return parts[0];
    return spv_op_new(s, SpvOpCompositeConstruct, spv_type_value(s, type), type.width, parts);
}

SpvId spv_math_word(Spirv *s, const Inst *inst)
{
    SpvId parts[4];
    for (uint32_t i = 0; i < inst->type.width; i++)
        parts[i] = spv_op_new(s, SpvOpCompositeExtract, spv_type_u32(s),
                              OPERANDS(spv_double_words(s, part_of(s, inst->args[0], i)),
                                       inst->op == IR_HIGH_WORD));
    return joined(s, inst->type, parts);
}

SpvId spv_math_from_words(Spirv *s, const Inst *inst)
{
    SpvId parts[4];
    for (uint32_t i = 0; i < inst->type.width; i++)
        parts[i] = spv_double_of_words(s, part_of(s, inst->args[0], i),
                                       part_of(s, inst->args[1], i));
    return joined(s, inst->type, parts);
}

static SpvId word_op(Spirv *s, SpvOp op, SpvId x, uint32_t k)
{
    return spv_op2(s, op, spv_type_u32(s), x, spv_const_u32(s, k));
}

static SpvId half_of(Spirv *s, SpvId x, uint32_t which)
{
    return spv_op_new(s, SpvOpCompositeExtract, spv_type_u32(s),
                      OPERANDS(spv_double_words(s, x), which));
}

/* 2^x: the last digits of a sum that leaves no bits for a fraction are those of x. */
static SpvId power_of_double(Spirv *s, SpvId x)
{
    SpvId sum = spv_op2(s, SpvOpFAdd, spv_type_value(s, IR_F64), x,
                        spv_const_real(s, IR_F64, 0x1.8p52 + 1023));
    spv_decorate(s, sum, SpvDecorationNoContraction, 0, NULL);
    SpvId high = word_op(s, SpvOpShiftLeftLogical, half_of(s, sum, 0), 20);
    return spv_double_of_words(s, spv_const_u32(s, 0), high);
}

static SpvId part_of_double(Spirv *s, IrOp op, SpvId x, SpvId y)
{
    SpvId u32 = spv_type_u32(s), high;
    if (op == IR_POWER)
        return power_of_double(s, x);
    high = half_of(s, x, 1);
    if (op == IR_LOGB) {
        SpvId n = word_op(s, SpvOpISub, word_op(s, SpvOpShiftRightLogical, high, 20), 1023);
        n = spv_op1(s, SpvOpBitcast, spv_type_signed(s, 1), n);
        return spv_op1(s, SpvOpConvertSToF, spv_type_value(s, IR_F64), n);
    }
    bool  sign = op == IR_COPYSIGN;
    SpvId from = sign ? word_op(s, SpvOpBitwiseAnd, half_of(s, y, 1), 0x80000000u)
                      : spv_const_u32(s, 1023u << 20);
    high = word_op(s, SpvOpBitwiseAnd, high, sign ? 0x7fffffffu : 0xfffffu);
    return spv_double_of_words(s, half_of(s, x, 0),
                               spv_op2(s, SpvOpBitwiseOr, u32, high, from));
}

SpvId spv_math_part(Spirv *s, const Inst *inst)
{
    SpvId parts[4];
    for (uint32_t i = 0; i < inst->type.width; i++)
        parts[i] = part_of_double(s, (IrOp)inst->op, part_of(s, inst->args[0], i),
                                  inst->nargs > 1 ? part_of(s, inst->args[1], i) : 0);
    return joined(s, inst->type, parts);
}

/* ---- arithmetic ---- */

/* x - y trunc(x / y) */
SpvId spv_math_frem(Spirv *s, const Inst *inst)
{
    IrType type = as_kind(inst->type, SCALAR_F32);
    SpvId t = spv_type_value(s, type);
    SpvId x = spv_math_widen(s, inst->type, spv_value(s, inst->args[0]));
    SpvId y = spv_math_widen(s, inst->type, spv_value(s, inst->args[1]));
    SpvId q = spv_glsl1(s, GLSLstd450Trunc, t, spv_op2(s, SpvOpFDiv, t, x, y));
    return spv_math_narrow(s, inst->type,
                           spv_op2(s, SpvOpFSub, t, x, spv_op2(s, SpvOpFMul, t, y, q)));
}

/* Wide. x^0 is 1 for every x. */
SpvId spv_math_pow(Spirv *s, const Inst *inst)
{
    IrType type = as_kind(inst->type, SCALAR_F32);
    SpvId t = spv_type_value(s, type),
          bools = spv_type_value(s, as_kind(type, SCALAR_BOOL));
    SpvId x = spv_math_widen(s, inst->type, spv_value(s, inst->args[0]));
    SpvId y = spv_math_widen(s, inst->type, spv_value(s, inst->args[1]));
    SpvId r = spv_glsl2(s, GLSLstd450Pow, t, x, y);
    SpvId none = spv_op2(s, SpvOpFOrdEqual, bools, y, spv_const_f32(s, type, 0));
    return spv_math_narrow(
        s, inst->type, spv_op3(s, SpvOpSelect, t, none, spv_const_f32(s, type, 1), r));
}

/* ---- to integers ---- */

/* Between the least and the largest number that both types have; NaN is `low`. */
static SpvId to_range(Spirv *s, const Inst *x, double low, double high)
{
    IrType type = x->type.kind == SCALAR_F64 ? x->type : as_kind(x->type, SCALAR_F32);
    return spv_glsl3(s, GLSLstd450NClamp, spv_type_value(s, type),
                     spv_math_widen(s, x->type, spv_value(s, x)),
                     spv_const_real(s, type, low), spv_const_real(s, type, high));
}

SpvId spv_math_to_unsigned(Spirv *s, const Inst *inst)
{
    const Inst *x = inst->args[0];
    SpvId in = to_range(s, x, 0, x->type.kind == SCALAR_F16   ? 65504.0
                                 : x->type.kind == SCALAR_F64 ? 4294967295.0
                                                              : 4294967040.0);
    return spv_op1(s, SpvOpConvertFToU, spv_type_value(s, inst->type), in);
}

SpvId spv_math_to_signed(Spirv *s, const Inst *inst)
{
    const Inst *x = inst->args[0];
    bool half = x->type.kind == SCALAR_F16, twice = x->type.kind == SCALAR_F64;
    SpvId in = to_range(s, x, half ? -65504.0 : -2147483648.0,
                        half ? 65504.0 : twice ? 2147483647.0 : 2147483520.0);
    SpvId t = spv_type_value(s, inst->type);
    SpvId r = spv_op1(s, SpvOpBitcast, t,
                      spv_op1(s, SpvOpConvertFToS, spv_type_signed(s, inst->type.width), in));
    SpvId v = spv_value(s, x);
    SpvId number = spv_op2(s, SpvOpFOrdEqual,
                           spv_type_value(s, as_kind(x->type, SCALAR_BOOL)), v, v);
    return spv_op3(s, SpvOpSelect, t, number, r, spv_const_splat(s, inst->type, 0));
}

/* ---- the form of a number ---- */

#define EXPONENT_BIAS 126u /* frexp's fractions are from 1/2 to 1    */

static SpvId bits_of(Spirv *s, IrType type, SpvId x)
{
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, as_kind(type, SCALAR_I32)), x);
}

static SpvId of_bits(Spirv *s, IrType type, SpvId bits)
{
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, as_kind(type, SCALAR_F32)), bits);
}

/* 2^n for n from -126 to 127; zero for -127. */
static SpvId power_of_two(Spirv *s, IrType type, SpvId n)
{
    IrType ints = as_kind(type, SCALAR_I32);
    SpvId i = spv_type_value(s, ints);
    SpvId biased = spv_op2(s, SpvOpIAdd, i, n, spv_const_splat(s, ints, 127));
    return of_bits(
        s, type,
        spv_op2(s, SpvOpShiftLeftLogical, i, biased, spv_const_splat(s, ints, 23)));
}

static SpvId signed_clamp(Spirv *s, IrType ints, SpvId x, int low, int high)
{
    SpvId t = spv_type_signed(s, ints.width);
    SpvId r = spv_glsl3(
        s, GLSLstd450SClamp, t, spv_op1(s, SpvOpBitcast, t, x),
        spv_op1(s, SpvOpBitcast, t, spv_const_splat(s, ints, (uint32_t)low)),
        spv_op1(s, SpvOpBitcast, t, spv_const_splat(s, ints, (uint32_t)high)));
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, ints), r);
}

/*
 * Wide: x 2^n in two steps, each by a normal number. Both go the same way, so nothing
 * overflows on the way to a finite result, and only what ends up subnormal is rounded
 * twice. Beyond 254 every normal number is infinite. Below -252 WGSL takes zero for a
 * result: the bits of 2^-127, made as if it were normal, are those of zero.
 */
SpvId spv_math_ldexp(Spirv *s, const Inst *inst)
{
    IrType type = as_kind(inst->type, SCALAR_F32), ints = as_kind(type, SCALAR_I32);
    SpvId f = spv_type_value(s, type), i = spv_type_value(s, ints);
    SpvId x = spv_math_widen(s, inst->type, spv_value(s, inst->args[0]));
    SpvId n = signed_clamp(s, ints, spv_value(s, inst->args[1]), -254, 254);
    SpvId half = spv_op2(s, SpvOpShiftRightArithmetic, i, n, spv_const_splat(s, ints, 1));
    SpvId rest = spv_op2(s, SpvOpISub, i, n, half);
    SpvId r = spv_op2(s, SpvOpFMul, f, x, power_of_two(s, type, half));
    return spv_math_narrow(s, inst->type,
                           spv_op2(s, SpvOpFMul, f, r, power_of_two(s, type, rest)));
}

/* A number with its exponent in the usual place, and what that is too large by. */
typedef struct Normal {
    IrType floats, ints, bools;
    SpvId x, bits, excess;
    SpvId has_exponent; /* not zero, infinity or NaN              */
} Normal;

static SpvId compare(Spirv *s, const Normal *n, SpvOp op, SpvId x, float k)
{
    return spv_op2(s, op, spv_type_value(s, n->bools), x, spv_const_f32(s, n->floats, k));
}

static Normal normalized(Spirv *s, const Inst *of)
{
    Normal n = {.floats = as_kind(of->type, SCALAR_F32),
                .ints = as_kind(of->type, SCALAR_I32),
                .bools = as_kind(of->type, SCALAR_BOOL)};
    SpvId f = spv_type_value(s, n.floats), i = spv_type_value(s, n.ints);
    n.x = spv_math_widen(s, of->type, spv_value(s, of));
    SpvId size = spv_glsl1(s, GLSLstd450FAbs, f, n.x);
    SpvId tiny = compare(s, &n, SpvOpFOrdLessThan, size, 0x1p-126f);
    SpvId larger = spv_op2(s, SpvOpFMul, f, n.x, spv_const_f32(s, n.floats, 0x1p24f));
    n.bits = bits_of(s, n.floats, spv_op3(s, SpvOpSelect, f, tiny, larger, n.x));
    n.excess =
        spv_op3(s, SpvOpSelect, i, tiny, spv_const_splat(s, n.ints, EXPONENT_BIAS + 24),
                spv_const_splat(s, n.ints, EXPONENT_BIAS));
    n.has_exponent = spv_op2(s, SpvOpLogicalAnd, spv_type_value(s, n.bools),
                             compare(s, &n, SpvOpFOrdLessThan, size, INFINITY),
                             compare(s, &n, SpvOpFOrdNotEqual, n.x, 0));
    return n;
}

SpvId spv_math_frexp_fract(Spirv *s, const Inst *inst)
{
    Normal n = normalized(s, inst->args[0]);
    SpvId i = spv_type_value(s, n.ints);
    SpvId bits =
        spv_op2(s, SpvOpBitwiseAnd, i, n.bits, spv_const_splat(s, n.ints, 0x807fffffu));
    bits = spv_op2(s, SpvOpBitwiseOr, i, bits,
                   spv_const_splat(s, n.ints, EXPONENT_BIAS << 23));
    SpvId r = spv_op3(s, SpvOpSelect, spv_type_value(s, n.floats), n.has_exponent,
                      of_bits(s, n.floats, bits), n.x);
    return spv_math_narrow(s, inst->type, r);
}

SpvId spv_math_frexp_exp(Spirv *s, const Inst *inst)
{
    Normal n = normalized(s, inst->args[0]);
    SpvId i = spv_type_value(s, n.ints);
    SpvId e = spv_op3(s, SpvOpBitFieldUExtract, i, n.bits, spv_const_u32(s, 23),
                      spv_const_u32(s, 8));
    return spv_op3(s, SpvOpSelect, i, n.has_exponent,
                   spv_op2(s, SpvOpISub, i, e, n.excess), spv_const_splat(s, n.ints, 0));
}
