// SPDX-License-Identifier: Apache-2.0
/*
 * wide.c - which constructs the whole workgroup goes through together.
 *
 * in     an Ir with shapes
 * out    Fact.wide, Facts.has_barrier
 * knows  that WGSL lets a barrier stand only where all invocations come
 */
#include "analysis/analysis_priv.h"

/* Marks constructs with a barrier inside, innermost first; true if there is one. */
static bool mark_barriers(Facts *f, const Region *region)
{
    bool any = false;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_BARRIER)
            any = true;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        Fact *fact = fact_of(f, inst);
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            fact->wide |= mark_barriers(f, inst->flow.regions[i]);
        any |= fact->wide;
    }
    return any;
}

static bool leads_out_wide(const Facts *f, const Inst *inst)
{
    if (inst->op == IR_RETURN)
        return true;
    return (inst->op == IR_BREAK || inst->op == IR_CONTINUE) &&
           fact_of(f, inst->target)->wide;
}

/* A decision of the whole workgroup to leave a wide construct is made between
 * segments too. True if a way out is in this region. */
static bool mark_ways_out(Facts *f, const Region *region)
{
    bool any = false;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        any |= leads_out_wide(f, inst);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        bool inside = false;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            inside |= mark_ways_out(f, inst->flow.regions[i]);
        bool decides = inst->op == IR_IF || inst->op == IR_SWITCH;
        bool together = !fact_of(f, inst)->apart &&
                        (!decides || fact_of(f, inst->args[0])->shape == SHAPE_WORKGROUP);
        if (inside && together)
            fact_of(f, inst)->wide = true;
        any |= inside;
    }
    return any;
}

void wide_run(Facts *f)
{
    f->has_barrier = mark_barriers(f, f->ir->body);
    if (f->has_barrier)
        mark_ways_out(f, f->ir->body);
}
