// SPDX-License-Identifier: Apache-2.0
/*
 * f64.c - functions of f64 become operations that every device rounds alike.
 *
 * in     an Ir
 * out    the same without operations on f64 other than + - * /, FMA, NEG, ABS, MIN, MAX,
 *        SQRT, those that round to whole numbers, comparisons and conversions
 * why    SPIR-V has no functions of f64, and a C library's differ from one to the next
 * knows  which function replaces which operation
 * not    how (f64_*.c)
 */
#include "opt/f64_priv.h"

#include <math.h>

/* ---- arithmetic ---- */

/* x - y trunc(x / y) */
static Inst *remainder_of(F64 *f, Inst *x, Inst *y)
{
    Inst *whole = ir_op1(&f->c, IR_TRUNC, f64_div(f, x, y));
    return f64_sub(f, x, f64_mul(f, y, whole));
}

static Inst *inverse_root(F64 *f, Inst *x, Inst *y)
{
    (void)y;
    return f64_div(f, f64_k(f, 1), f64_sqrt(f, x));
}

/* ---- exponents ---- */

#define EXPONENT 0x7ff00000u

/* Beyond these exponents every result is infinite or zero. */
static Inst *scale_by(F64 *f, Inst *x, Inst *n)
{
    n = f64_op2(f, IR_SMAX, n, f64_int(f, (uint32_t)-2044));
    n = f64_op2(f, IR_SMIN, n, f64_int(f, 2046));
    return f64_scale(f, x, f64_from_int(f, n));
}

typedef struct Normal {
    Inst *x;                            /* with an exponent in the usual place    */
    Inst *has_exponent;                 /* neither zero, infinite nor NaN         */
    Inst *is_tiny;                      /* subnormal: it was multiplied by 2^54   */
} Normal;

static Normal normalized(F64 *f, Inst *x)
{
    Inst *size = f64_abs(f, x);
    Normal n = {.is_tiny = f64_below(f, size, 0x1p-1022)};
    n.x = f64_choose(f, n.is_tiny, f64_mulk(f, x, 0x1p54), x);
    n.has_exponent = f64_and(f, f64_above(f, size, 0), f64_below(f, size, (double)INFINITY));
    return n;
}

/* From 1/2 to 1. */
static Inst *fraction_of(F64 *f, Inst *x, Inst *y)
{
    (void)y;
    Normal n = normalized(f, x);
    Inst *high = f64_op2(f, IR_AND, f64_high(f, n.x), f64_int(f, ~EXPONENT));
    high = f64_op2(f, IR_OR, high, f64_int(f, 1022u << 20));
    return f64_choose(f, n.has_exponent, f64_words(f, f64_low(f, n.x), high), x);
}

static Inst *exponent_of(F64 *f, Inst *x, Inst *y)
{
    (void)y;
    Normal n = normalized(f, x);
    Inst *e = f64_op2(f, IR_AND, f64_high(f, n.x), f64_int(f, EXPONENT));
    e = f64_op2(f, IR_SHR, e, f64_int(f, 20));
    Inst *bias = f64_choose(f, n.is_tiny, f64_int(f, 1022 + 54), f64_int(f, 1022));
    return f64_choose(f, n.has_exponent, f64_op2(f, IR_ISUB, e, bias), f64_int(f, 0));
}

/* ---- conversion ---- */

/* By way of an f32 that is rounded to an odd last digit if it is not exact, so that the
 * second rounding sees which side it was on. */
static Inst *to_half(F64 *f, Inst *x)
{
    IrType single = {SCALAR_F32, f->width}, ints = {SCALAR_I32, f->width};
    Inst *s = ir_op_as(&f->c, IR_F2F, single, 1, &x);
    Inst *back = ir_op_as(&f->c, IR_F2F, x->type, 1, &s);
    Inst *bits = ir_op_as(&f->c, IR_BITCAST, ints, 1, &s);
    Inst *above = f64_less(f, f64_abs(f, x), f64_abs(f, back));
    Inst *down = f64_op2(f, IR_ISUB, bits, f64_int(f, 1));
    Inst *odd = f64_op2(f, IR_OR, f64_choose(f, above, down, bits), f64_int(f, 1));
    Inst *exact = f64_or(f, f64_is_nan(f, x), ir_op_as(&f->c, IR_FEQ, above->type, 2,
                                                      (Inst *[]){x, back}));
    bits = f64_choose(f, exact, bits, odd);
    s = ir_op_as(&f->c, IR_BITCAST, single, 1, &bits);
    return ir_op_as(&f->c, IR_F2F, (IrType){SCALAR_F16, f->width}, 1, &s);
}

/* ---- the pass ---- */

static F64Fn *const functions[IR_OP_COUNT] = {
    [IR_FREM] = remainder_of,
    [IR_RSQRT] = inverse_root,
    [IR_EXP] = f64_exp,
    [IR_EXP2] = f64_exp2,
    [IR_LOG] = f64_log,
    [IR_LOG2] = f64_log2,
    [IR_POW] = f64_pow,
    [IR_SIN] = f64_sin,
    [IR_COS] = f64_cos,
    [IR_TAN] = f64_tan,
    [IR_ASIN] = f64_asin,
    [IR_ACOS] = f64_acos,
    [IR_ATAN] = f64_atan,
    [IR_ATAN2] = f64_atan2,
    [IR_SINH] = f64_sinh,
    [IR_COSH] = f64_cosh,
    [IR_TANH] = f64_tanh,
    [IR_ASINH] = f64_asinh,
    [IR_ACOSH] = f64_acosh,
    [IR_ATANH] = f64_atanh,
    [IR_LDEXP] = scale_by,
    [IR_FREXP_FRACT] = fraction_of,
    [IR_FREXP_EXP] = exponent_of,
};

static Inst *replacement(Ir *ir, Inst *inst)
{
    if (inst->nargs == 0 || inst->args[0]->type.kind != SCALAR_F64)
        return NULL;
    F64 f = {.c = {ir, inst->region, inst, inst->span}, .width = inst->args[0]->type.width,
             .fused = ir->fuses_f64};
    if (inst->op == IR_F2F && inst->type.kind == SCALAR_F16)
        return to_half(&f, inst->args[0]);
    F64Fn *fn = functions[inst->op];
    return fn ? fn(&f, inst->args[0], inst->nargs > 1 ? inst->args[1] : NULL) : NULL;
}

static void walk(Ir *ir, Forward *forward, Region *region)
{
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        forward_args(forward, inst);
        if (ir_op_is_construct((IrOp)inst->op)) {
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(ir, forward, inst->flow.regions[i]);
            continue;
        }
        Inst *by = replacement(ir, inst);
        if (by) {
            forward_set(forward, inst, by);
            ir_remove(inst);
        }
    }
}

void opt_f64(Ir *ir)
{
    Forward forward;
    forward_init(&forward, ir);
    walk(ir, &forward, ir->body);
    forward_region(&forward, ir->body);
}
