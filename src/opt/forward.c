// SPDX-License-Identifier: Apache-2.0
/*
 * forward.c - replacing values without lists of their uses.
 */
#include "opt/opt_priv.h"

void forward_init(Forward *f, Ir *ir)
{
    f->count = ir->next_id;
    f->to = ARENA_ARRAY(ir->arena, Inst *, ir->next_id);
}

Inst *forward_get(const Forward *f, Inst *inst)
{
    Inst *at = inst;
    while (at->id < f->count && f->to[at->id])
        at = f->to[at->id];
    /* Shorten the way for the next who asks. */
    while (inst != at) {
        Inst *next = f->to[inst->id];
        f->to[inst->id] = at;
        inst = next;
    }
    return at;
}

void forward_set(Forward *f, const Inst *from, Inst *to)
{
    BUG_IF(from->id >= f->count, "replaces an instruction that is too new");
    to = forward_get(f, to);
    if (to != from)
        f->to[from->id] = to;
}

void forward_args(const Forward *f, Inst *inst)
{
    for (uint32_t i = 0; i < inst->nargs; i++)
        inst->args[i] = forward_get(f, inst->args[i]);
}

void forward_region(const Forward *f, Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        forward_args(f, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                forward_region(f, inst->flow.regions[i]);
    }
}
