// SPDX-License-Identifier: Apache-2.0
/*
 * reassociate.c - sums of integers with what cancels out, or is constant, brought together.
 *
 * in     an IADD, ISUB or IMUL of i32
 * out    an equal value that is simpler; NULL: there is none
 * why    indices are built step by step, by functions and by unrolled loops: constants that
 *        are one show which accesses are beside each other, and (x - p) + p is x. Constants
 *        are the second operand, where other passes look for them
 */
#include "opt/opt_priv.h"

static bool is_number(const Inst *v)
{
    return v->op == IR_CONST;
}

/* x + by, with the sign that needs no wrapping. */
static Inst *plus(IrCursor *c, Inst *x, uint32_t by)
{
    if (by == 0)
        return x;
    return by <= INT32_MAX ? ir_op2(c, IR_IADD, x, ir_i32(c, by))
                           : ir_op2(c, IR_ISUB, x, ir_i32(c, 0u - by));
}

/* v as *x + constant. False: it is no such sum. */
static bool has_constant(const Inst *v, Inst **x, uint32_t *constant)
{
    if ((v->op != IR_IADD && v->op != IR_ISUB) || !is_number(v->args[1]))
        return false;
    uint32_t n = v->args[1]->constant.bits[0];
    *x = v->args[0];
    *constant = v->op == IR_IADD ? n : 0u - n;
    return true;
}

/* (x + 1) + 2 is x + 3. */
static Inst *constants_together(IrCursor *c, const Inst *inst)
{
    Inst *x;
    uint32_t outer, inner;
    if (!has_constant(inst, &x, &outer) || !has_constant(x, &x, &inner))
        return NULL;
    return plus(c, x, inner + outer);
}

/* Of an IADD: (x - p) + p, p + (x - p). Of an ISUB: (x + p) - p, (p + x) - p. */
static Inst *cancelled(const Inst *inst)
{
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *v = inst->args[i], *p = inst->args[1 - i];
        if (inst->op == IR_IADD && v->op == IR_ISUB && v->args[1] == p)
            return v->args[0];
    }
    const Inst *sum = inst->args[0], *p = inst->args[1];
    for (uint32_t i = 0; i < 2; i++)
        if (inst->op == IR_ISUB && sum->op == IR_IADD && sum->args[i] == p)
            return sum->args[1 - i];
    return NULL;
}

Inst *reassociate(IrCursor *c, const Inst *inst)
{
    if (inst->type.kind != SCALAR_I32 || inst->type.width != 1)
        return NULL;
    bool commutes = inst->op == IR_IADD || inst->op == IR_IMUL;
    if (commutes && is_number(inst->args[0]) && !is_number(inst->args[1]))
        return ir_op2(c, (IrOp)inst->op, inst->args[1], inst->args[0]);
    if (inst->op == IR_IMUL) {
        const Inst *x = inst->args[0], *k = inst->args[1];
        bool twice = is_number(k) && x->op == IR_IMUL && is_number(x->args[1]);
        return twice ? ir_op2(c, IR_IMUL, x->args[0],
                              ir_i32(c, k->constant.bits[0] * x->args[1]->constant.bits[0]))
                     : NULL;
    }
    if (inst->op != IR_IADD && inst->op != IR_ISUB)
        return NULL;
    if (inst->op == IR_ISUB && inst->args[0] == inst->args[1])
        return ir_i32(c, 0);
    Inst *simple = cancelled(inst);
    return simple ? simple : constants_together(c, inst);
}
