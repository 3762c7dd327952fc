// SPDX-License-Identifier: Apache-2.0
/*
 * f64_priv.h - what the functions of f64_*.c are written in, and who has which.
 *
 *   f64.c        the pass: which function replaces which operation; remainders, roots,
 *                ldexp, frexp, conversion to f16
 *   f64_ops.c    the vocabulary below
 *   f64_exp.c    exp, exp2, sinh, cosh, tanh     f64_log.c   log, log2 and the
 *   f64_pow.c    pow                                         inverse hyperbolic ones
 *   f64_trig.c   sin, cos, tan                   f64_arc.c   asin, acos, atan, atan2
 *   f64_pi.c     arguments of sin, cos and tan that are very large
 *
 * Every function is code of the IR, for a scalar or component by component, that uses
 * operations alone which are rounded correctly: the results are the same on every
 * device whose f64 is that of IEEE 754. Only the functions that fuse differ, between
 * machines that do (Ir.fuses_f64) and others. Polynomials are minimax approximations on
 * the interval that their comment names; "error" is that of the polynomial alone.
 */
#ifndef WEFT_OPT_F64_PRIV_H
#define WEFT_OPT_F64_PRIV_H

#include "opt/opt_priv.h"

typedef struct F64 {
    IrCursor c;                         /* before the operation that is replaced  */
    uint8_t  width;
    bool     fused;                     /* FMA rounds once                        */
} F64;

/* An operand or two of the operation; the second is NULL if there is none. */
typedef Inst *F64Fn(F64 *f, Inst *x, Inst *y);
F64Fn f64_exp, f64_exp2, f64_sinh, f64_cosh, f64_tanh;
F64Fn f64_log, f64_log2, f64_asinh, f64_acosh, f64_atanh;
F64Fn f64_pow, f64_sin, f64_cos, f64_tan, f64_asin, f64_acos, f64_atan, f64_atan2;

/* ---- numbers ---- */

Inst *f64_k(F64 *f, double x);
Inst *f64_add(F64 *f, Inst *x, Inst *y);
Inst *f64_sub(F64 *f, Inst *x, Inst *y);
Inst *f64_mul(F64 *f, Inst *x, Inst *y);
Inst *f64_div(F64 *f, Inst *x, Inst *y);
Inst *f64_neg(F64 *f, Inst *x);
Inst *f64_abs(F64 *f, Inst *x);
Inst *f64_sqrt(F64 *f, Inst *x);
Inst *f64_addk(F64 *f, Inst *x, double k);
Inst *f64_mulk(F64 *f, Inst *x, double k);
/* x y + z, rounded once or twice. */
Inst *f64_fma(F64 *f, Inst *x, Inst *y, Inst *z);
Inst *f64_fmak(F64 *f, Inst *x, double y, Inst *z);
/* c[0] + c[1] x + ... + c[n-1] x^(n-1) */
Inst *f64_poly(F64 *f, Inst *x, const double *c, uint32_t n);

/* ---- choice ---- */

Inst *f64_less(F64 *f, Inst *x, Inst *y);
Inst *f64_below(F64 *f, Inst *x, double k);             /* x < k                  */
Inst *f64_above(F64 *f, Inst *x, double k);             /* x > k                  */
Inst *f64_is(F64 *f, Inst *x, double k);                /* x == k                 */
Inst *f64_is_nan(F64 *f, Inst *x);
Inst *f64_choose(F64 *f, Inst *test, Inst *yes, Inst *no);
Inst *f64_and(F64 *f, Inst *x, Inst *y);
Inst *f64_or(F64 *f, Inst *x, Inst *y);
Inst *f64_clamp(F64 *f, Inst *x, double low, double high); /* NaN stays           */
Inst *f64_any(F64 *f, Inst *test);                      /* of the components      */

/* ---- bits ---- */

Inst *f64_int(F64 *f, uint32_t n);
Inst *f64_high(F64 *f, Inst *x);
Inst *f64_low(F64 *f, Inst *x);
Inst *f64_words(F64 *f, Inst *low, Inst *high);
Inst *f64_from_int(F64 *f, Inst *n);                    /* signed                 */
Inst *f64_op2(F64 *f, IrOp op, Inst *x, Inst *y);       /* of integers            */
/* |x| with the sign of `sign`. */
Inst *f64_with_sign(F64 *f, Inst *x, Inst *sign);
/* Is this bit of a number set? */
Inst *f64_has_bit(F64 *f, Inst *n, uint32_t bit);

/* The integer nearest to x, |x| below 2^51, is found with a sum that leaves no bits for a
 * fraction: its low word is then that of the integer. */
#define F64_ROUNDER 0x1.8p52
Inst *f64_rounder(F64 *f, Inst *x, double k);           /* of x k                 */
Inst *f64_rounded(F64 *f, Inst *sum);
/* 2^n for a whole n from -1022 to 1023. */
Inst *f64_power(F64 *f, Inst *n);
/* x 2^n, n a whole number between -2044 and 2046. */
Inst *f64_scale(F64 *f, Inst *x, Inst *n);

/* ---- pairs: a number and what it lacks ---- */

typedef struct F64Pair {
    Inst *high, *low;
} F64Pair;

F64Pair f64_sum2(F64 *f, Inst *x, Inst *y);             /* exactly                */
F64Pair f64_sum2_ordered(F64 *f, Inst *x, Inst *y);     /* the same, |x| >= |y|   */
F64Pair f64_product2(F64 *f, Inst *x, Inst *y);         /* exactly                */
F64Pair f64_square2(F64 *f, Inst *x);
/* x - y z, where nothing is lost that the result could hold. */
Inst   *f64_minus_product(F64 *f, Inst *x, Inst *y, double z);
/* x / y of pairs, about 100 bits of it. */
F64Pair f64_quotient2(F64 *f, F64Pair x, F64Pair y);
/* The same as one number; -0 by a positive one is -0. */
Inst   *f64_quotient(F64 *f, F64Pair x, F64Pair y);
F64Pair f64_mul2(F64 *f, F64Pair x, F64Pair y);
F64Pair f64_add2(F64 *f, F64Pair x, F64Pair y);         /* |x| >= |y|             */
Inst   *f64_total(F64 *f, F64Pair x);

/* ---- shared by functions ---- */

/* e^x = 2^n times the pair; x.high between -746 and 710, x.low NULL: none. */
F64Pair f64_exp_pair(F64 *f, F64Pair x, Inst **n);

/* x = 2^k (1 + f) of a positive number; 1 + f from sqrt(1/2) to sqrt(2). */
typedef struct F64Split {
    Inst *k, *f;
} F64Split;
F64Split f64_split(F64 *f, Inst *x);

/* x 2 / pi modulo 8, of a large number: a whole number, and the rest. */
F64Pair f64_reduce_large(F64 *f, Inst *x, Inst **whole);

#endif
