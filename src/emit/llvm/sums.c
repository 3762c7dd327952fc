// SPDX-License-Identifier: Apache-2.0
/*
 * sums.c - sums of squares and a constant.
 *
 * in     FADD
 * out    what is known of its sign; a better order of its terms
 * knows  that WGSL 15.7.5 lets sums be taken in another order if that is at least
 *        as accurate
 *
 * In a sum of numbers that are not negative nothing cancels: every order is as good.
 * With the constant first, each square is fused with the sum so far, which saves a
 * sum and its rounding: x x + y y + z z + k.
 */
#include "emit/llvm/math_priv.h"

#define MAX_TERMS 8u

/* x * x, or a component of it. */
static bool is_square(const Inst *inst)
{
    if (inst->op == IR_EXTRACT)
        inst = inst->args[0];
    return inst->op == IR_FMUL && inst->args[0] == inst->args[1];
}

/* Is it a number that is neither tiny nor infinite? */
static bool is_positive_constant(const Inst *inst)
{
    if (inst->op != IR_CONST || inst->type.kind != SCALAR_F32 || inst->type.width != 1)
        return false;
    return inst->constant.bits[0] >= 0x00800000u && inst->constant.bits[0] < 0x7f800000u;
}

/* The squares that `sum` is made of, in order; false: there is something else in it, or
 * a part of it is used elsewhere. A sum deeper than MAX_TERMS has more terms: without the
 * limit a chain of sums would be walked again for each of them. */
static bool find_squares(const Emit *e, const Inst *sum, uint32_t depth, const Inst **terms,
                         uint32_t *n)
{
    if (*n == MAX_TERMS || depth == MAX_TERMS)
        return false;
    if (is_square(sum)) {
        terms[(*n)++] = sum;
        return true;
    }
    return sum->op == IR_FADD && e->uses[sum->id] == 1 &&
           find_squares(e, sum->args[0], depth + 1, terms, n) &&
           find_squares(e, sum->args[1], depth + 1, terms, n);
}

typedef struct Squares {
    const Inst *constant, *terms[MAX_TERMS];
    uint32_t    count;
} Squares;

static bool squares_and_constant(const Emit *e, const Inst *inst, Squares *out)
{
    if (inst->op != IR_FADD || inst->type.width != 1 || inst->type.kind != SCALAR_F32)
        return false;
    bool second = is_positive_constant(inst->args[1]);
    out->constant = inst->args[second];
    out->count = 0;
    return is_positive_constant(out->constant) &&
           find_squares(e, inst->args[!second], 0, out->terms, &out->count);
}

bool sum_is_positive(const Emit *e, const Inst *inst)
{
    Squares s;
    return is_positive_constant(inst) || squares_and_constant(e, inst, &s);
}

LlvmValue sum_in_order(Emit *e, const Inst *inst, bool lanes)
{
    Squares s;
    if (!squares_and_constant(e, inst, &s))
        return NULL;
    LlvmValue sum = as_either(e, s.constant, 0, lanes);
    for (uint32_t i = 0; i < s.count; i++)
        sum = contract_sum(e, inst, s.terms[i], as_either(e, s.terms[i], 0, lanes), sum);
    return sum;
}
