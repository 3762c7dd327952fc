// SPDX-License-Identifier: Apache-2.0
/*
 * f64_pi.c - very large numbers modulo pi / 2.
 *
 * in     a number of at least 2^24; of others anything comes out
 * out    x 2 / pi modulo 8, as a whole number and a rest of at least 110 bits
 *
 * Payne and Hanek's way: digits of 2 / pi whose product with x is a multiple of 8 do not
 * count, and those far behind the point do not matter. Ten groups of 24 bits are left.
 */
#include "opt/f64_priv.h"

#define GROUP 24u                       /* bits                                   */
#define PAIRS 5u                        /* of groups                              */
#define LAST  40u                       /* group that the largest numbers start at */

/* 2 / pi */
static const uint32_t digits[] = {
    0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041,
    0xfe5163, 0xabdebb, 0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c,
    0xfe1deb, 0x1cb129, 0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41,
    0x3991d6, 0x398353, 0x39f49c, 0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f,
    0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf, 0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d,
    0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292, 0xea6bfb, 0x5fb11f, 0x8d5d08,
    0x560330, 0x46fc7b,
};
_Static_assert(COUNTOF(digits) == LAST + 2 * PAIRS, "too few digits");

static IrVar *table_of(F64 *f)
{
    Ir *ir = f->c.ir;
    for (uint32_t i = 0; i < ir->vars.len; i++)
        if (ir->vars.data[i]->data == digits)
            return ir->vars.data[i];
    const MemType *word = ir_mem_value(ir, IR_I32, false, 4);
    IrVar *var = ir_var_new(ir, IRSPACE_CONSTANT, STR("two_over_pi"),
                            ir_mem_array(ir, word, COUNTOF(digits), 4, false));
    var->data = digits;
    return var;
}

/* Group `first` + i of each component. */
static Inst *group(F64 *f, Inst *table, Inst *first, uint32_t i)
{
    Inst *parts[4];
    for (uint32_t c = 0; c < f->width; c++) {
        Inst *at = f->width == 1 ? first : ir_extract(&f->c, first, c);
        Inst *place = ir_place_elem(&f->c, table, ir_op2(&f->c, IR_IADD, at, ir_i32(&f->c, i)));
        parts[c] = ir_load(&f->c, place);
    }
    Inst *n = f->width == 1 ? parts[0]
                            : ir_op_as(&f->c, IR_VEC, first->type, f->width, parts);
    return f64_from_int(f, n);
}

/* Two groups, the first one 2^(-24 (i + 1)). */
static Inst *pair_of_groups(F64 *f, Inst *table, Inst *first, uint32_t i)
{
    double unit = 1;
    for (uint32_t k = 0; k <= i; k++)
        unit /= (double)(1 << GROUP);
    Inst *low = f64_mulk(f, group(f, table, first, i + 1), unit / (double)(1 << GROUP));
    return f64_fmak(f, group(f, table, first, i), unit, low);
}

static Inst *modulo_8(F64 *f, Inst *x)
{
    Inst *eighths = ir_op1(&f->c, IR_ROUND, f64_mulk(f, x, 0.125));
    return f64_fmak(f, eighths, -8, x);
}

/* Adds up numbers, the largest first, without losing what two words of digits can hold. */
static F64Pair sum_of(F64 *f, Inst **terms, uint32_t n)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = n; i-- > 1;) {
            F64Pair s = f64_sum2(f, terms[i - 1], terms[i]);
            terms[i - 1] = s.high;
            terms[i] = s.low;
        }
    Inst *low = terms[n - 1];
    for (uint32_t i = n - 1; i-- > 1;)
        low = f64_add(f, terms[i], low);
    return f64_sum2_ordered(f, terms[0], low);
}

F64Pair f64_reduce_large(F64 *f, Inst *x, Inst **whole)
{
    Inst *high = f64_op2(f, IR_AND, f64_high(f, x), f64_int(f, 0x7fffffffu));
    Inst *exponent = f64_op2(f, IR_SHR, high, f64_int(f, 20));
    Inst *bits = f64_op2(f, IR_ISUB, exponent, f64_int(f, 1023 + 52 + 3));
    bits = f64_op2(f, IR_SMAX, bits, f64_int(f, 0));
    Inst *first = f64_op2(f, IR_UDIV, bits, f64_int(f, GROUP));
    first = f64_op2(f, IR_UMIN, first, f64_int(f, LAST));
    Inst *less = f64_op2(f, IR_IMUL, first, f64_int(f, GROUP << 20));
    Inst *y = f64_words(f, f64_low(f, x), f64_op2(f, IR_ISUB, high, less));
    Inst *table = ir_place_var(&f->c, table_of(f));
    F64Pair p[PAIRS];
    for (uint32_t i = 0; i < PAIRS; i++)
        p[i] = f64_product2(f, y, pair_of_groups(f, table, first, 2 * i));
    F64Pair a = f64_sum2(f, modulo_8(f, p[0].high), modulo_8(f, p[0].low));
    F64Pair b = f64_sum2(f, a.high, modulo_8(f, p[1].high));
    Inst *n = ir_op1(&f->c, IR_ROUND, b.high);
    Inst *terms[] = {f64_sub(f, b.high, n), p[2].high, p[1].low, a.low, b.low,
                     p[3].high, p[2].low, p[4].high, p[3].low};
    F64Pair rest = sum_of(f, terms, COUNTOF(terms));
    Inst *sign = f64_with_sign(f, f64_k(f, 1), x);
    *whole = f64_mul(f, n, sign);
    return (F64Pair){f64_mul(f, rest.high, sign), f64_mul(f, rest.low, sign)};
}
