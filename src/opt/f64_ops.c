// SPDX-License-Identifier: Apache-2.0
/*
 * f64_ops.c - the vocabulary of f64_*.c.
 *
 * in     f64 values of one width
 * out    an instruction or a few each
 * not    any function in particular
 */
#include "opt/f64_priv.h"

/* ---- numbers ---- */

Inst *f64_k(F64 *f, double x)
{
    return ir_f64(&f->c, x, f->width);
}

Inst *f64_add(F64 *f, Inst *x, Inst *y)  { return ir_op2(&f->c, IR_FADD, x, y); }
Inst *f64_sub(F64 *f, Inst *x, Inst *y)  { return ir_op2(&f->c, IR_FSUB, x, y); }
Inst *f64_mul(F64 *f, Inst *x, Inst *y)  { return ir_op2(&f->c, IR_FMUL, x, y); }
Inst *f64_div(F64 *f, Inst *x, Inst *y)  { return ir_op2(&f->c, IR_FDIV, x, y); }
Inst *f64_neg(F64 *f, Inst *x)           { return ir_op1(&f->c, IR_FNEG, x); }
Inst *f64_abs(F64 *f, Inst *x)           { return ir_op1(&f->c, IR_FABS, x); }
Inst *f64_sqrt(F64 *f, Inst *x)          { return ir_op1(&f->c, IR_SQRT, x); }
Inst *f64_addk(F64 *f, Inst *x, double k) { return f64_add(f, x, f64_k(f, k)); }
Inst *f64_mulk(F64 *f, Inst *x, double k) { return f64_mul(f, x, f64_k(f, k)); }

Inst *f64_fma(F64 *f, Inst *x, Inst *y, Inst *z)
{
    return f->fused ? ir_op3(&f->c, IR_FMA, x, y, z) : f64_add(f, f64_mul(f, x, y), z);
}

Inst *f64_fmak(F64 *f, Inst *x, double y, Inst *z)
{
    return f64_fma(f, x, f64_k(f, y), z);
}

/* A long chain of sums keeps other work waiting: even and odd terms apart. */
#define LONG_POLY 7u

Inst *f64_poly(F64 *f, Inst *x, const double *c, uint32_t n)
{
    bool apart = n >= LONG_POLY;
    Inst *by = apart ? f64_mul(f, x, x) : x;
    Inst *sums[2] = {0};
    for (uint32_t i = n; i-- > 0;) {
        Inst *k = f64_k(f, c[i]), **sum = &sums[apart ? i & 1 : 0];
        *sum = *sum ? f64_fma(f, *sum, by, k) : k;
    }
    return apart ? f64_fma(f, sums[1], x, sums[0]) : sums[0];
}

/* ---- choice ---- */

static Inst *compare(F64 *f, IrOp op, Inst *x, Inst *y)
{
    return ir_op_as(&f->c, op, (IrType){SCALAR_BOOL, f->width}, 2, (Inst *[]){x, y});
}

Inst *f64_less(F64 *f, Inst *x, Inst *y)   { return compare(f, IR_FLT, x, y); }
Inst *f64_below(F64 *f, Inst *x, double k) { return compare(f, IR_FLT, x, f64_k(f, k)); }
Inst *f64_above(F64 *f, Inst *x, double k) { return compare(f, IR_FLT, f64_k(f, k), x); }
Inst *f64_is(F64 *f, Inst *x, double k)    { return compare(f, IR_FEQ, x, f64_k(f, k)); }
Inst *f64_is_nan(F64 *f, Inst *x)          { return compare(f, IR_FNE, x, x); }

Inst *f64_choose(F64 *f, Inst *test, Inst *yes, Inst *no)
{
    return ir_op3(&f->c, IR_SELECT, test, yes, no);
}

Inst *f64_and(F64 *f, Inst *x, Inst *y) { return ir_op2(&f->c, IR_AND, x, y); }
Inst *f64_or(F64 *f, Inst *x, Inst *y)  { return ir_op2(&f->c, IR_OR, x, y); }

Inst *f64_clamp(F64 *f, Inst *x, double low, double high)
{
    x = f64_choose(f, f64_above(f, x, high), f64_k(f, high), x);
    return f64_choose(f, f64_below(f, x, low), f64_k(f, low), x);
}

Inst *f64_any(F64 *f, Inst *test)
{
    return f->width == 1 ? test : ir_op_as(&f->c, IR_ANY, IR_BOOL, 1, &test);
}

/* ---- bits ---- */

static IrType int_type(const F64 *f)
{
    return (IrType){SCALAR_I32, f->width};
}

Inst *f64_int(F64 *f, uint32_t n)
{
    return ir_const(&f->c, int_type(f), (IrConstant){{n, n, n, n}});
}

Inst *f64_high(F64 *f, Inst *x)
{
    return ir_op_as(&f->c, IR_HIGH_WORD, int_type(f), 1, &x);
}

Inst *f64_low(F64 *f, Inst *x)
{
    return ir_op_as(&f->c, IR_LOW_WORD, int_type(f), 1, &x);
}

Inst *f64_words(F64 *f, Inst *low, Inst *high)
{
    return ir_op_as(&f->c, IR_FROM_WORDS, (IrType){SCALAR_F64, f->width}, 2,
                    (Inst *[]){low, high});
}

Inst *f64_from_int(F64 *f, Inst *n)
{
    return ir_op_as(&f->c, IR_S2F, (IrType){SCALAR_F64, f->width}, 1, &n);
}

Inst *f64_op2(F64 *f, IrOp op, Inst *x, Inst *y)
{
    return ir_op2(&f->c, op, x, y);
}

Inst *f64_with_sign(F64 *f, Inst *x, Inst *sign)
{
    return ir_op2(&f->c, IR_COPYSIGN, x, sign);
}

Inst *f64_has_bit(F64 *f, Inst *n, uint32_t bit)
{
    Inst *set = f64_op2(f, IR_AND, n, f64_int(f, bit));
    return ir_op_as(&f->c, IR_INE, (IrType){SCALAR_BOOL, f->width}, 2,
                    (Inst *[]){set, f64_int(f, 0)});
}

Inst *f64_rounder(F64 *f, Inst *x, double k)
{
    return f64_fmak(f, x, k, f64_k(f, F64_ROUNDER));
}

Inst *f64_rounded(F64 *f, Inst *sum)
{
    return f64_addk(f, sum, -F64_ROUNDER);
}

Inst *f64_power(F64 *f, Inst *n)
{
    return ir_op1(&f->c, IR_POWER, n);
}

/* In two steps that go the same way, so that only the last one rounds. */
Inst *f64_scale(F64 *f, Inst *x, Inst *n)
{
    Inst *half = ir_op1(&f->c, IR_ROUND, f64_mulk(f, n, 0.5));
    Inst *rest = f64_sub(f, n, half);
    return f64_mul(f, f64_mul(f, x, f64_power(f, half)), f64_power(f, rest));
}

/* ---- pairs ---- */

F64Pair f64_sum2(F64 *f, Inst *x, Inst *y)
{
    Inst *s = f64_add(f, x, y);
    Inst *b = f64_sub(f, s, x);
    Inst *lost = f64_sub(f, x, f64_sub(f, s, b));
    return (F64Pair){s, f64_add(f, lost, f64_sub(f, y, b))};
}

F64Pair f64_sum2_ordered(F64 *f, Inst *x, Inst *y)
{
    Inst *s = f64_add(f, x, y);
    return (F64Pair){s, f64_sub(f, y, f64_sub(f, s, x))};
}

/* The upper half of the digits, and the rest. */
static F64Pair split(F64 *f, Inst *x)
{
    Inst *c = f64_mulk(f, x, 0x1p27 + 1);
    Inst *high = f64_sub(f, c, f64_sub(f, c, x));
    return (F64Pair){high, f64_sub(f, x, high)};
}

F64Pair f64_product2(F64 *f, Inst *x, Inst *y)
{
    Inst *p = f64_mul(f, x, y);
    if (f->fused)
        return (F64Pair){p, ir_op3(&f->c, IR_FMA, x, y, f64_neg(f, p))};
    F64Pair a = split(f, x), b = split(f, y);
    Inst *e = f64_sub(f, f64_mul(f, a.high, b.high), p);
    e = f64_add(f, e, f64_mul(f, a.high, b.low));
    e = f64_add(f, e, f64_mul(f, a.low, b.high));
    return (F64Pair){p, f64_add(f, e, f64_mul(f, a.low, b.low))};
}

F64Pair f64_square2(F64 *f, Inst *x)
{
    return f64_product2(f, x, x);
}

Inst *f64_minus_product(F64 *f, Inst *x, Inst *y, double z)
{
    if (f->fused)
        return f64_fmak(f, y, -z, x);
    F64Pair p = f64_product2(f, y, f64_k(f, z));
    return f64_sub(f, f64_sub(f, x, p.high), p.low);
}

typedef struct Quotient {
    Inst *q, *inverse;                  /* q = x.high / y.high, 1 / y.high        */
    Inst *over;                         /* q y - x; +0 if all is zero             */
} Quotient;

static Quotient divide(F64 *f, F64Pair x, F64Pair y)
{
    Inst *inverse = f64_div(f, f64_k(f, 1), y.high);
    Inst *q = f64_mul(f, x.high, inverse), *over;
    if (f->fused) {
        over = f64_fma(f, q, y.high, f64_neg(f, x.high));
    } else {
        F64Pair p = f64_product2(f, q, y.high);
        over = f64_add(f, f64_sub(f, p.high, x.high), p.low);
    }
    if (y.low)
        over = f64_fma(f, q, y.low, over);
    if (x.low)
        over = f64_sub(f, over, x.low);
    return (Quotient){q, inverse, over};
}

F64Pair f64_quotient2(F64 *f, F64Pair x, F64Pair y)
{
    Quotient d = divide(f, x, y);
    return (F64Pair){d.q, f64_neg(f, f64_mul(f, d.over, d.inverse))};
}

Inst *f64_quotient(F64 *f, F64Pair x, F64Pair y)
{
    Quotient d = divide(f, x, y);
    return f64_fma(f, f64_neg(f, d.over), d.inverse, d.q);
}

F64Pair f64_mul2(F64 *f, F64Pair x, F64Pair y)
{
    F64Pair p = f64_product2(f, x.high, y.high);
    Inst *low = f64_fma(f, x.high, y.low, p.low);
    return f64_sum2_ordered(f, p.high, f64_fma(f, x.low, y.high, low));
}

F64Pair f64_add2(F64 *f, F64Pair x, F64Pair y)
{
    F64Pair s = f64_sum2_ordered(f, x.high, y.high);
    Inst *low = f64_add(f, s.low, f64_add(f, x.low, y.low));
    return f64_sum2_ordered(f, s.high, low);
}

Inst *f64_total(F64 *f, F64Pair x)
{
    return f64_add(f, x.high, x.low);
}
