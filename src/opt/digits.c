// SPDX-License-Identifier: Apache-2.0
/*
 * digits.c - quotients and remainders of sums that were put together the same way.
 *
 * in     an Ir and its ranges
 * out    x for (x * c + y) / c, and y for (x * c + y) % c, where y is below c
 * why    the global id of an invocation is workgroup id * size + local id: divided by the
 *        size it is the workgroup's, and one number for all
 * knows  that a sum which may wrap has other digits
 */
#include "opt/opt_priv.h"

#include "analysis/analysis.h"

static bool is_constant(const Inst *v, uint32_t *out)
{
    *out = v->op == IR_CONST && v->type.width == 1 ? v->constant.bits[0] : 0;
    return *out != 0;
}

/* Divides it by c, or gives the rest? */
static bool divides(const Inst *inst, uint32_t *c, bool *rest)
{
    if (inst->nargs != 2 || inst->type.kind != SCALAR_I32 || inst->type.width != 1 ||
        !is_constant(inst->args[1], c))
        return false;
    *rest = inst->op == IR_UREM || inst->op == IR_AND;
    if (inst->op == IR_SHR)
        *c = 1u << (*c & 31);
    else if (inst->op == IR_AND)
        *c += 1;
    return inst->op == IR_UDIV || inst->op == IR_UREM || inst->op == IR_SHR ||
           (inst->op == IR_AND && *c && (*c & (*c - 1)) == 0);
}

/* x of x * c, or x << log2 c. */
static Inst *multiple_of(const Inst *v, uint32_t c)
{
    uint32_t n;
    if (v->op == IR_IMUL && is_constant(v->args[1], &n))
        return n == c ? v->args[0] : NULL;
    if (v->op == IR_IMUL && is_constant(v->args[0], &n))
        return n == c ? v->args[1] : NULL;
    if (v->op == IR_SHL && is_constant(v->args[1], &n))
        return n < 32 && 1u << n == c ? v->args[0] : NULL;
    return NULL;
}

/* The digit that `inst` takes out of a sum; NULL: it is no such sum. */
static Inst *digit(const Facts *f, const Inst *inst)
{
    uint32_t c;
    bool     rest;
    if (!divides(inst, &c, &rest) || inst->args[0]->op != IR_IADD)
        return NULL;
    for (uint32_t k = 0; k < 2; k++) {
        Inst *x = multiple_of(inst->args[0]->args[k], c), *y = inst->args[0]->args[1 - k];
        if (x && f->of[y->id].high < c &&
            (uint64_t)f->of[x->id].high * c + f->of[y->id].high <= UINT32_MAX)
            return rest ? y : x;
    }
    return NULL;
}

static void find(const Facts *f, Region *region, Forward *out)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        Inst *by = digit(f, inst);
        if (by)
            forward_set(out, inst, by);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                find(f, inst->flow.regions[i], out);
    }
}

void opt_digits(Ir *ir, const Facts *f)
{
    Forward to;
    forward_init(&to, ir);
    find(f, ir->body, &to);
    forward_region(&to, ir->body);
}
