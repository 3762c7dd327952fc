// SPDX-License-Identifier: Apache-2.0
/*
 * math_fn.c - functions whose results drivers may spoil within what SPIR-V allows.
 *
 * in     ASIN, ACOS, TANH, ASINH, ACOSH
 * out    code that has their full range, and that is as accurate as WGSL's stricter
 *        wordings ask
 * knows  that accuracies inherited from expressions let asin() be wrong in the fourth
 *        digit, tanh(90) be NaN and asinh(1e20) be infinite
 *
 * All are wide: an f16 is computed in f32.
 */
#include "emit/spirv/spirv_priv.h"

#define PI      0x1.921fb6p1f
#define HALF_PI 0x1.921fb6p0f
#define LN2     0x1.62e43p-1f

/* (asin(s) - s) / s^3 in s^2, for s from 0 to 1/2; error of asin(s) 2^-27.6 */
static const float asin_c[] = {
    0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bbap-5f, 0x1.8c3e24p-6f, 0x1.595c9ep-5f,
};

/* ---- vocabulary: f32 of the width of one instruction ---- */

typedef struct Math {
    Spirv *s;
    IrType type;
    SpvId  f, b;                        /* the types of numbers and tests         */
} Math;

static Math math_open(Spirv *s, const Inst *inst)
{
    IrType type = as_kind(inst->type, SCALAR_F32);
    return (Math){s, type, spv_type_value(s, type),
                  spv_type_value(s, as_kind(type, SCALAR_BOOL))};
}

static SpvId operand(const Math *m, const Inst *inst)
{
    return spv_math_widen(m->s, inst->args[0]->type, spv_value(m->s, inst->args[0]));
}

static SpvId k(const Math *m, float x)
{
    return spv_const_f32(m->s, m->type, x);
}

static SpvId fma3(const Math *m, SpvId x, SpvId y, SpvId z)
{
    return spv_glsl3(m->s, GLSLstd450Fma, m->f, x, y, z);
}

static SpvId add(const Math *m, SpvId x, SpvId y)
{
    return spv_op2(m->s, SpvOpFAdd, m->f, x, y);
}

static SpvId sub(const Math *m, SpvId x, SpvId y)
{
    return spv_op2(m->s, SpvOpFSub, m->f, x, y);
}

static SpvId mul(const Math *m, SpvId x, SpvId y)
{
    return spv_op2(m->s, SpvOpFMul, m->f, x, y);
}

static SpvId call(const Math *m, enum GLSLstd450 fn, SpvId x)
{
    return spv_glsl1(m->s, fn, m->f, x);
}

static SpvId test(const Math *m, SpvOp op, SpvId x, float y)
{
    return spv_op2(m->s, op, m->b, x, k(m, y));
}

static SpvId choose(const Math *m, SpvId which, SpvId yes, SpvId no)
{
    return spv_op3(m->s, SpvOpSelect, m->f, which, yes, no);
}

/* The sign of `sign` on a number that has none. */
static SpvId with_sign(const Math *m, SpvId x, SpvId sign)
{
    IrType ints = as_kind(m->type, SCALAR_I32);
    SpvId i = spv_type_value(m->s, ints);
    SpvId top = spv_op2(m->s, SpvOpBitwiseAnd, i, spv_op1(m->s, SpvOpBitcast, i, sign),
                        spv_const_splat(m->s, ints, 0x80000000u));
    SpvId bits = spv_op2(m->s, SpvOpBitwiseOr, i, spv_op1(m->s, SpvOpBitcast, i, x), top);
    return spv_op1(m->s, SpvOpBitcast, m->f, bits);
}

/* ---- asin and acos ---- */

/* asin(|x|) is `arc`, or if |x| is above 1/2 pi/2 - 2 `arc`; NaN above 1. */
typedef struct HalfArc {
    SpvId above, arc;
} HalfArc;

static HalfArc half_arc(const Math *m, SpvId x)
{
    SpvId a = call(m, GLSLstd450FAbs, x);
    SpvId above = test(m, SpvOpFOrdGreaterThan, a, 0.5f);
    SpvId half = fma3(m, a, k(m, -0.5f), k(m, 0.5f));
    SpvId s2 = choose(m, above, half, mul(m, a, a));
    SpvId s = choose(m, above, call(m, GLSLstd450Sqrt, half), a);
    SpvId q = k(m, asin_c[COUNTOF(asin_c) - 1]);
    for (size_t i = COUNTOF(asin_c) - 1; i-- > 0;)
        q = fma3(m, q, s2, k(m, asin_c[i]));
    return (HalfArc){above, fma3(m, mul(m, s2, s), q, s)};
}

SpvId spv_math_asin(Spirv *s, const Inst *inst)
{
    Math m = math_open(s, inst);
    SpvId x = operand(&m, inst);
    HalfArc h = half_arc(&m, x);
    SpvId far = fma3(&m, h.arc, k(&m, -2), k(&m, HALF_PI));
    return spv_math_narrow(s, inst->type,
                           with_sign(&m, choose(&m, h.above, far, h.arc), x));
}

SpvId spv_math_acos(Spirv *s, const Inst *inst)
{
    Math m = math_open(s, inst);
    SpvId x = operand(&m, inst);
    HalfArc h = half_arc(&m, x);
    SpvId twice = add(&m, h.arc, h.arc);
    SpvId near = sub(&m, k(&m, HALF_PI), with_sign(&m, h.arc, x));
    SpvId negative = test(&m, SpvOpFOrdLessThan, x, 0);
    SpvId far = choose(&m, negative, sub(&m, k(&m, PI), twice), twice);
    return spv_math_narrow(s, inst->type, choose(&m, h.above, far, near));
}

/* ---- hyperbolic ---- */

/* From 10 on it is 1, as it is at 15, where drivers still know it. */
SpvId spv_math_tanh(Spirv *s, const Inst *inst)
{
    Math m = math_open(s, inst);
    SpvId x = spv_glsl3(s, GLSLstd450FClamp, m.f, operand(&m, inst), k(&m, -15), k(&m, 15));
    return spv_math_narrow(s, inst->type, call(&m, GLSLstd450Tanh, x));
}

/* From here on a^2 + 1 and a^2 - 1 are a^2, and the logarithm is that of 2 a. */
#define LARGE 0x1p13f

static SpvId log_either(const Math *m, SpvId a, SpvId sum)
{
    SpvId large = test(m, SpvOpFOrdGreaterThanEqual, a, LARGE);
    SpvId r = call(m, GLSLstd450Log, choose(m, large, a, sum));
    return add(m, r, choose(m, large, k(m, LN2), k(m, 0)));
}

/* log(a + sqrt(a^2 + 1)) */
SpvId spv_math_asinh(Spirv *s, const Inst *inst)
{
    Math m = math_open(s, inst);
    SpvId x = operand(&m, inst), a = call(&m, GLSLstd450FAbs, x);
    SpvId root = call(&m, GLSLstd450Sqrt, fma3(&m, a, a, k(&m, 1)));
    return spv_math_narrow(s, inst->type,
                           with_sign(&m, log_either(&m, a, add(&m, a, root)), x));
}

/* With t = x - 1: log(1 + t + sqrt(t (x + 1))); below 1 the root is NaN */
SpvId spv_math_acosh(Spirv *s, const Inst *inst)
{
    Math m = math_open(s, inst);
    SpvId x = operand(&m, inst), t = sub(&m, x, k(&m, 1));
    SpvId root = call(&m, GLSLstd450Sqrt, mul(&m, t, add(&m, x, k(&m, 1))));
    return spv_math_narrow(s, inst->type, log_either(&m, x, add(&m, x, root)));
}
