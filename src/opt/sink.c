// SPDX-License-Identifier: Apache-2.0
/*
 * sink.c - what both ways of an IF store at their end is stored once, after it.
 *
 * in     an Ir
 * out    the same in which such an IF has what is to be stored as a result
 * why    where lanes part, two stores of some lanes become one of all
 *
 *     if t >= d { x[t] = a } else { x[t] = b }      x[t] = result(a, b)
 */
#include "opt/opt_priv.h"

#define DEPTH 8u                    /* of what a place is made from               */

static bool is_plain(const Inst *inst)
{
    return ir_op_effect((IrOp)inst->op) == EFFECT_PURE && inst->op != IR_PARAM &&
           inst->op != IR_RESULT;
}

/* The store that is the last thing a region does; NULL: there is none. */
static Inst *last_store(const Region *region)
{
    Inst *inst = region->last->op == IR_YIELD ? region->last->prev : NULL;
    while (inst && is_plain(inst))
        inst = inst->prev;
    return inst && inst->op == IR_STORE ? inst : NULL;
}

/* Can `inst`, used in a region, be made before the IF that the region is of? */
static bool may_hoist(const Region *region, const Inst *inst, uint32_t depth)
{
    if (inst->region != region)
        return true;
    if (!is_plain(inst) || depth == 0)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!may_hoist(region, inst->args[i], depth - 1))
            return false;
    return true;
}

static void hoist(const Region *region, Inst *inst, Inst *before)
{
    if (inst->region != region)
        return;
    for (uint32_t i = 0; i < inst->nargs; i++)
        hoist(region, inst->args[i], before);
    ir_move_before(inst, before);
}

/* What is proved of a place holds after the IF where it is proved on both ways. */
static void join_proofs(Inst *x, const Inst *y)
{
    for (; x->op != IR_VAR; x = x->args[0], y = y->args[0]) {
        x->in_bounds = x->in_bounds && y->in_bounds;
        x->unguarded = 0;
    }
}

static bool sink_one(Ir *ir, Inst *inst)
{
    Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    Inst *a = last_store(yes), *b = last_store(no);
    if (!a || !b || !ir_type_eq(a->args[1]->type, b->args[1]->type) ||
        !same_value(a->args[0], b->args[0]) || !may_hoist(yes, a->args[0], DEPTH))
        return false;
    hoist(yes, a->args[0], inst);
    join_proofs(a->args[0], b->args[0]);
    Inst *result = ir_result(ir, inst, a->args[1]->type);
    ir_add_arg(ir, yes->last, a->args[1]);
    ir_add_arg(ir, no->last, b->args[1]);
    IrCursor c = {ir, inst->region, inst->next, a->span};
    ir_store(&c, a->args[0], result);
    ir_remove(a);
    ir_remove(b);
    return true;
}

static void walk(Ir *ir, Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            walk(ir, inst->flow.regions[i]);
        while (inst->op == IR_IF && sink_one(ir, inst))
            ;
    }
}

void opt_sink(Ir *ir)
{
    walk(ir, ir->body);
}
