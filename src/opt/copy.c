// SPDX-License-Identifier: Apache-2.0
/*
 * copy.c - copies of instructions and regions.
 *
 * in     instructions, and what stands for values that they use
 * out    the same once more; constructs inside with all they hold
 */
#include "opt/opt_priv.h"

Copy copy_new(Ir *ir)
{
    Copy p = {.ir = ir, .count = ir->next_id};
    p.map = ARENA_ARRAY(ir->arena, Inst *, p.count);
    return p;
}

Inst *copy_of(const Copy *p, Inst *inst)
{
    return inst->id < p->count && p->map[inst->id] ? p->map[inst->id] : inst;
}

static void copy_flow(Copy *p, Inst *copy, const Inst *inst)
{
    copy->flow.results = NULL;
    copy->flow.nresults = 0;
    for (uint32_t i = 0; i < inst->flow.nresults; i++)
        p->map[inst->flow.results[i]->id] =
            ir_result(p->ir, copy, inst->flow.results[i]->type);
    copy->flow.regions = ARENA_ARRAY(p->ir->arena, Region *, inst->flow.nregions);
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        const Region *from = inst->flow.regions[i];
        copy->flow.regions[i] = ir_region_new(p->ir, copy);
        for (uint32_t k = 0; k < from->nparams; k++)
            p->map[from->params[k]->id] =
                ir_param(p->ir, copy->flow.regions[i], from->params[k]->type);
    }
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        copy_region(p, copy->flow.regions[i], inst->flow.regions[i]->first);
}

Inst *copy_inst(Copy *p, IrCursor *c, const Inst *inst)
{
    Inst **args = ARENA_ARRAY(p->ir->arena, Inst *, inst->nargs + 1);
    for (uint32_t i = 0; i < inst->nargs; i++)
        args[i] = copy_of(p, inst->args[i]);
    Inst *copy = ir_op_as(c, (IrOp)inst->op, inst->type, inst->nargs, args);
    Inst whole = *inst;
    whole.id = copy->id;
    whole.args = copy->args;
    whole.region = copy->region;
    whole.prev = copy->prev;
    whole.next = copy->next;
    *copy = whole;
    p->map[inst->id] = copy;
    if (inst->op == IR_BREAK || inst->op == IR_CONTINUE)
        copy->target = copy_of(p, inst->target);
    if (ir_op_is_construct((IrOp)inst->op))
        copy_flow(p, copy, inst);
    return copy;
}

void copy_region(Copy *p, Region *to, const Inst *first)
{
    for (const Inst *inst = first; inst; inst = inst->next) {
        IrCursor c = {p->ir, to, NULL, inst->span};
        copy_inst(p, &c, inst);
    }
}
