// SPDX-License-Identifier: Apache-2.0
/*
 * math_hyper.c - hyperbolic functions and their inverses.
 *
 * All are computed for |x|, from e^|x| - 1 or log(1 + u), which keep their
 * accuracy near zero; odd functions get their sign back at the end.
 */
#include "emit/llvm/math_priv.h"

#include <math.h>

/* Beyond, x^2 + 1 and x^2 - 1 are x^2 for an f32. */
#define LARGE 0x1p13

/* ---- sinh, cosh, tanh ---- */

/* e^x = 4 scale (1 + p.above_one); a quarter, so that it stays finite where sinh
 * and cosh do. */
typedef struct Quarter {
    LlvmValue scale;
    LlvmValue above_one;
} Quarter;

static Quarter quarter_exp(Emit *e, LlvmValue x)
{
    x = math_clamp(e, math_abs(e, x), 0, 89.6);
    MathExp p = math_exp_parts(e, x);
    LlvmValue bits = math_exponent(e, p.sum);
    bits = LLVMBuildAdd(e->builder, bits, int_like(e, bits, 0x3e800000u), "");
    return (Quarter){math_unbits(e, bits), p.above_one};
}

/* With u = (e^a - 1) / 4: sinh(a) = 2 (u + u / (4 u + 1)). */
LlvmValue math_sinh(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    Quarter h = quarter_exp(e, x);
    LlvmValue u = math_fma(e, h.scale, h.above_one, math_addk(e, h.scale, -0.25));
    LlvmValue exp = math_fmak(e, u, 4, math_const(e, u, 1));
    LlvmValue sum = math_add(e, u, LLVMBuildFDiv(e->builder, u, exp, ""));
    return math_with_sign(e, math_add(e, sum, sum), x);
}

/* With v = e^a / 4: cosh(a) = 2 (v + 1 / (16 v)). */
LlvmValue math_cosh(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    Quarter h = quarter_exp(e, x);
    LlvmValue v = math_fma(e, h.scale, h.above_one, h.scale);
    LlvmValue inverse = LLVMBuildFDiv(e->builder, math_const(e, v, 0.0625), v, "");
    LlvmValue sum = math_add(e, v, inverse);
    return math_add(e, sum, sum);
}

/* With u = e^2a - 1: tanh(a) = u / (u + 2), which is 1 from a = 10 on. */
LlvmValue math_tanh(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue a = math_abs(e, x);
    MathExp p = math_exp_parts(e, math_clamp(e, math_add(e, a, a), 0, 20));
    LlvmValue bits = math_exponent(e, p.sum);
    bits = LLVMBuildAdd(e->builder, bits, int_like(e, bits, 0x3f800000u), "");
    LlvmValue scale = math_unbits(e, bits);
    LlvmValue u = math_fma(e, scale, p.above_one, math_addk(e, scale, -1));
    return math_with_sign(e, LLVMBuildFDiv(e->builder, u, math_addk(e, u, 2), ""), x);
}

/* ---- asinh, acosh, atanh ---- */

/* log(1 + u), u from 0 to infinity; NaN below -1 */
static LlvmValue log_above_one(Emit *e, LlvmValue u)
{
    LlvmValue w = math_addk(e, u, 1);
    LlvmValue lost = math_sub(e, u, math_addk(e, w, -1));
    LlvmValue rest = LLVMBuildFDiv(e->builder, lost, w, "");
    return math_log_ends(e, w, math_log_sum(e, math_split(e, w), rest), INFINITY);
}

/* log(1 + u), or where `large` log(2 a) */
static LlvmValue log_either(Emit *e, LlvmValue large, LlvmValue a, LlvmValue u)
{
    LlvmValue zero = math_const(e, a, 0), ln2 = math_const(e, a, 0x1.62e43p-1);
    LlvmValue r = log_above_one(e, math_select(e, large, math_addk(e, a, -1), u));
    return math_add(e, r, math_select(e, large, ln2, zero));
}

/* asinh(a) = log(1 + a + a^2 / (1 + sqrt(1 + a^2))) */
LlvmValue math_asinh(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue a = math_abs(e, x), one = math_const(e, x, 1);
    LlvmValue large = math_test(e, a, LLVMRealOGE, LARGE);
    LlvmValue root = intrinsic1(e, "llvm.sqrt", math_fma(e, a, a, one));
    LlvmValue square = math_mul(e, a, a);
    LlvmValue more = LLVMBuildFDiv(e->builder, square, math_add(e, root, one), "");
    LlvmValue r = log_either(e, large, a, math_add(e, a, more));
    return math_with_sign(e, r, x);
}

/* With t = x - 1: acosh(x) = log(1 + t + sqrt(t^2 + 2 t)) */
LlvmValue math_acosh(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue large = math_test(e, x, LLVMRealOGE, LARGE);
    LlvmValue t = math_addk(e, x, -1);
    LlvmValue square = math_fma(e, t, t, math_add(e, t, t));
    LlvmValue r = log_either(e, large, x, math_add(e, t, intrinsic1(e, "llvm.sqrt", square)));
    return math_select(e, math_test(e, x, LLVMRealOLT, 1), math_const(e, x, NAN), r);
}

/* atanh(a) = log(1 + 2 a / (1 - a)) / 2 */
LlvmValue math_atanh(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue a = math_abs(e, x);
    LlvmValue rest = math_sub(e, math_const(e, x, 1), a);
    LlvmValue u = LLVMBuildFDiv(e->builder, math_add(e, a, a), rest, "");
    return math_with_sign(e, math_mulk(e, log_above_one(e, u), 0.5), x);
}
