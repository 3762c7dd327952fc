// SPDX-License-Identifier: Apache-2.0
/*
 * math_priv.h - what the functions of math*.c are written in, and who has which.
 *
 *   math.c         which function computes which operation; f16
 *   math_ops.c     the vocabulary below
 *   math_exp.c     exp, exp2            math_log.c    log, log2
 *   math_pow.c     pow                  math_root.c   inverse square root
 *   math_trig.c    sin, cos, tan        math_arc.c    asin, acos, atan, atan2
 *   math_hyper.c   sinh and the like    math_bits.c   ldexp, frexp
 *   sums.c         sums of squares      math_div.c    division by shared numbers
 *
 * Every function is straight code without branches, for one f32 or a vector of
 * lanes. Polynomials are minimax approximations on the interval their comment
 * names, with coefficients rounded to the type they are evaluated in; "error" is
 * that of the polynomial alone.
 */
#ifndef WEFT_EMIT_LLVM_MATH_PRIV_H
#define WEFT_EMIT_LLVM_MATH_PRIV_H

#include "emit/llvm/emit_priv.h"

typedef LlvmValue MathFn(Emit *e, LlvmValue x, LlvmValue y);

MathFn math_rsqrt, math_exp, math_exp2, math_log, math_log2, math_pow;
MathFn math_sin, math_cos, math_tan, math_asin, math_acos, math_atan, math_atan2;
MathFn math_sinh, math_cosh, math_tanh, math_asinh, math_acosh, math_atanh;
MathFn math_ldexp, math_frexp_fract, math_frexp_exp;
MathFn math_rsqrt_positive;                     /* neither zero, tiny nor infinite */

/* ---- sums.c ---- */

/* A number that is neither negative nor tiny, as long as nothing overflows? */
bool      sum_is_positive(const Emit *e, const Inst *inst);
/* FADD, if there is a better order of its terms; else NULL. */
LlvmValue sum_in_order(Emit *e, const Inst *inst, bool lanes);

/* ---- arith.c, dot.c ---- */

/* Lanes [first, first + n) of two vectors, one after the other. */
LlvmValue some_lanes(Emit *e, LlvmValue x, LlvmValue y, uint32_t first, uint32_t n);
/* DOT4I8 or DOT4U8, or an IADD that adds one up, by the machine's instruction for it; NULL if
 * there is none. */
LlvmValue dot_value(Emit *e, const Inst *inst, bool lanes);

/* ---- arithmetic: no flags, so each step rounds as it is written ---- */

LlvmValue math_const(Emit *e, LlvmValue like, double v);
LlvmValue math_add(Emit *e, LlvmValue x, LlvmValue y);
LlvmValue math_sub(Emit *e, LlvmValue x, LlvmValue y);
LlvmValue math_mul(Emit *e, LlvmValue x, LlvmValue y);
LlvmValue math_addk(Emit *e, LlvmValue x, double k);
LlvmValue math_mulk(Emit *e, LlvmValue x, double k);
/* x * y + z, rounded once where the machine can. */
LlvmValue math_fma(Emit *e, LlvmValue x, LlvmValue y, LlvmValue z);
/* The same on every machine. */
LlvmValue math_fma_once(Emit *e, LlvmValue x, LlvmValue y, LlvmValue z);
LlvmValue math_fmak(Emit *e, LlvmValue x, double y, LlvmValue z);
/* c[0] + c[1] x + ... + c[n-1] x^(n-1) */
LlvmValue math_poly(Emit *e, LlvmValue x, const double *c, uint32_t n);
LlvmValue math_wide(Emit *e, LlvmValue x);              /* f32 to f64             */
LlvmValue math_narrow(Emit *e, LlvmValue x);            /* f64 to f32             */

/* math_div.c: is component c of a quotient of lanes by what all of them share, and worth more
 * than a division? */
bool math_shares_divisor(const Emit *e, const Inst *inst, uint32_t c);
LlvmValue math_divide_all(Emit *e, LlvmValue x, LlvmValue divisor);

/* ---- choice ---- */

LlvmValue math_test(Emit *e, LlvmValue x, LLVMRealPredicate p, double k);
LlvmValue math_select(Emit *e, LlvmValue test, LlvmValue yes, LlvmValue no);
LlvmValue math_clamp(Emit *e, LlvmValue x, double low, double high); /* NaN stays */

/* ---- numbers as bits ---- */

LlvmValue math_bits(Emit *e, LlvmValue x);              /* f32 to i32             */
LlvmValue math_unbits(Emit *e, LlvmValue bits);         /* i32 to f32             */
LlvmValue math_abs(Emit *e, LlvmValue x);
LlvmValue math_with_sign(Emit *e, LlvmValue x, LlvmValue sign);
LlvmValue math_is_negative(Emit *e, LlvmValue x);       /* true for -0            */

/*
 * The integer n nearest to x, ties to even, is found with a sum: x and a constant
 * that leaves no bits for a fraction. |x| must be below 2^22. The low bits of the
 * sum are then those of n.
 */
#define MATH_ROUNDER 0x1.8p23
LlvmValue math_rounded(Emit *e, LlvmValue sum);         /* n as f32               */
LlvmValue math_exponent(Emit *e, LlvmValue sum);        /* n << 23                */

/* ---- exponentials and logarithms ---- */

/* e^x = 2^n (1 + above_one), n the integer in `sum`; |x| below 2^20. */
typedef struct MathExp {
    LlvmValue sum, above_one;
} MathExp;
MathExp math_exp_parts(Emit *e, LlvmValue x);
/* 2^r for |r| <= 1/2. */
LlvmValue math_exp2_fraction(Emit *e, LlvmValue r);

/* x = 2^k (1 + f), for a positive finite x; 1 + f from sqrt(1/2) to sqrt(2). */
typedef struct MathSplit {
    LlvmValue k, f;
} MathSplit;
MathSplit math_split(Emit *e, LlvmValue x);
/* log(x) + more, for a small `more`; NULL: none. */
LlvmValue math_log_sum(Emit *e, MathSplit x, LlvmValue more);
/* r, but -end for zero, end for infinity, NaN for NaN and what is negative. */
LlvmValue math_log_ends(Emit *e, LlvmValue x, LlvmValue r, double end);

#endif
