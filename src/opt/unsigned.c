// SPDX-License-Identifier: Apache-2.0
/*
 * unsigned.c - signed operations on values that are never negative become unsigned.
 *
 * in     an Ir
 * out    the same with UDIV for SDIV, ULT for SLT and so on, where ranges allow, and
 *        without quotients that undo products (digits.c)
 * why    index arithmetic in i32 starts from ids, which are not negative; the unsigned
 *        operations have facts of their own: rows and columns of lanes, bounds, proofs
 * knows  ranges (analysis)
 */
#include "opt/opt_priv.h"

#include "analysis/analysis.h"

/* The operation that gives the same for operands below 2^31; IR_OP_COUNT: none. */
static IrOp unsigned_form(IrOp op)
{
    switch (op) {
    case IR_SDIV: return IR_UDIV;
    case IR_SREM: return IR_UREM;
    case IR_SMIN: return IR_UMIN;
    case IR_SMAX: return IR_UMAX;
    case IR_SAR: return IR_SHR;
    case IR_SLT: return IR_ULT;
    case IR_SLE: return IR_ULE;
    default: return IR_OP_COUNT;
    }
}

static bool is_never_negative(const Facts *f, const Inst *v)
{
    bool scalar = v->type.kind == SCALAR_I32 && v->type.width == 1;
    return scalar && f->of[v->id].high <= INT32_MAX;
}

static void rewrite(const Facts *f, Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        IrOp other = unsigned_form((IrOp)inst->op);
        if (other != IR_OP_COUNT && is_never_negative(f, inst->args[0]) &&
            (inst->op == IR_SAR || is_never_negative(f, inst->args[1])))
            inst->op = (uint8_t)other;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                rewrite(f, inst->flow.regions[i]);
    }
}

void opt_unsigned(Ir *ir)
{
    const Facts *f = analysis_ranges(ir->arena, ir);
    rewrite(f, ir->body);
    opt_digits(ir, f);
}
