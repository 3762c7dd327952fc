// SPDX-License-Identifier: Apache-2.0
/*
 * math_arc.c - asin, acos, atan, atan2.
 */
#include "emit/llvm/math_priv.h"

#define PI      0x1.921fb6p1
#define HALF_PI 0x1.921fb6p0

/* (asin(s) - s) / s^3 in s^2, for s from 0 to 1/2; error of asin(s) 2^-27.6 */
static const double asin_c[] = {
    0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bbap-5, 0x1.8c3e24p-6, 0x1.595c9ep-5,
};

/* (atan(q) - q) / q^3 in q^2, for q from 0 to 1; error of atan(q) 2^-25.5. The last
 * bits are such that atan(1) is pi/4, rounded. */
static const double atan_c[] = {
    -0x1.5554e2p-2, 0x1.9978e4p-3, -0x1.230aa8p-3, 0x1.b4e13cp-4, -0x1.3556d6p-4,
    0x1.61fd84p-5, -0x1.0c2be4p-6, 0x1.7ed146p-9,
};

/* k - x */
static LlvmValue minus_from(Emit *e, double k, LlvmValue x)
{
    return math_sub(e, math_const(e, x, k), x);
}

/* ---- asin and acos ---- */

/* asin(|x|) is `arc`, or if |x| is above 1/2 pi/2 - 2 `arc`; NaN above 1. */
typedef struct HalfArc {
    LlvmValue above, arc;
} HalfArc;

static HalfArc half_arc(Emit *e, LlvmValue x)
{
    LlvmValue a = math_abs(e, x);
    LlvmValue above = math_test(e, a, LLVMRealOGT, 0.5);
    LlvmValue half = math_fmak(e, a, -0.5, math_const(e, x, 0.5));
    LlvmValue s2 = math_select(e, above, half, math_mul(e, a, a));
    LlvmValue s = math_select(e, above, intrinsic1(e, "llvm.sqrt", half), a);
    LlvmValue q = math_poly(e, s2, asin_c, COUNTOF(asin_c));
    return (HalfArc){above, math_fma(e, math_mul(e, s2, s), q, s)};
}

LlvmValue math_asin(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    HalfArc h = half_arc(e, x);
    LlvmValue far = math_fmak(e, h.arc, -2, math_const(e, x, HALF_PI));
    return math_with_sign(e, math_select(e, h.above, far, h.arc), x);
}

LlvmValue math_acos(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    HalfArc h = half_arc(e, x);
    LlvmValue twice = math_add(e, h.arc, h.arc);
    LlvmValue near = minus_from(e, HALF_PI, math_with_sign(e, h.arc, x));
    LlvmValue far = math_select(e, math_is_negative(e, x), minus_from(e, PI, twice), twice);
    return math_select(e, h.above, far, near);
}

/* ---- atan ---- */

/* atan(smaller / larger), or its complement to pi/2 if `swapped`; none is
 * negative, and larger is not zero. */
static LlvmValue first_octants(Emit *e, LlvmValue q, LlvmValue swapped)
{
    LlvmValue q2 = math_mul(e, q, q);
    LlvmValue p = math_poly(e, q2, atan_c, COUNTOF(atan_c));
    LlvmValue arc = math_fma(e, math_mul(e, q2, q), p, q);
    return math_select(e, swapped, minus_from(e, HALF_PI, arc), arc);
}

LlvmValue math_atan(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue a = math_abs(e, x), one = math_const(e, x, 1);
    LlvmValue swapped = math_test(e, a, LLVMRealOGT, 1);
    LlvmValue q = LLVMBuildFDiv(e->builder, math_select(e, swapped, one, a),
                                math_select(e, swapped, a, one), "");
    return math_with_sign(e, first_octants(e, q, swapped), x);
}

LlvmValue math_atan2(Emit *e, LlvmValue y, LlvmValue x)
{
    LlvmValue a = math_abs(e, x), b = math_abs(e, y);
    LlvmValue swapped = LLVMBuildFCmp(e->builder, LLVMRealOLT, a, b, "");
    LlvmValue smaller = math_select(e, swapped, a, b), larger = math_select(e, swapped, b, a);
    LlvmValue zero = math_test(e, larger, LLVMRealOEQ, 0);
    larger = math_select(e, zero, math_const(e, x, 1), larger);
    LlvmValue q = LLVMBuildFDiv(e->builder, smaller, larger, "");
    LlvmValue same = LLVMBuildFCmp(e->builder, LLVMRealOEQ, smaller, larger, "");
    q = math_select(e, same, math_const(e, x, 1), q);      /* infinite ones, too     */
    LlvmValue arc = first_octants(e, q, swapped);
    arc = math_select(e, math_is_negative(e, x), minus_from(e, PI, arc), arc);
    return math_with_sign(e, arc, y);
}
