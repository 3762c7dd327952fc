// SPDX-License-Identifier: Apache-2.0
/*
 * cut.c - what cannot be reached is dropped.
 *
 * in     an Ir
 * out    the same; nothing follows a construct that never completes, and the
 *        continuing region of a loop that is never continued is empty
 * why    known conditions leave such code behind, whose values come from nowhere
 */
#include "opt/opt_priv.h"

typedef struct Cut {
    Ir       *ir;
    uint32_t *breaks, *continues;   /* [next_id] of constructs, where they are reached */
} Cut;

static void cut_region(Cut *c, Region *region);

static bool yields(const Inst *construct)
{
    for (uint32_t i = 0; i < construct->flow.nregions; i++)
        if (construct->flow.regions[i]->last->op == IR_YIELD)
            return true;
    return false;
}

/* Straight back to the body, with its parameters as they are. */
static void empty_continuing(Cut *c, Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    Region *continuing = loop->flow.regions[1];
    continuing->first = continuing->last = NULL;
    continuing->nparams = 0;
    IrCursor at = {.ir = c->ir, .region = continuing, .span = loop->span};
    ir_leave(&at, IR_NEXT, NULL, body->nparams, body->params);
}

/* Can it be left to what follows? Its regions are cut first. */
static bool cut_construct(Cut *c, Inst *construct)
{
    cut_region(c, construct->flow.regions[0]);
    if (construct->op == IR_LOOP && !c->continues[construct->id])
        empty_continuing(c, construct);
    for (uint32_t i = 1; i < construct->flow.nregions; i++)
        cut_region(c, construct->flow.regions[i]);
    return construct->op == IR_IF ? yields(construct) : c->breaks[construct->id] > 0;
}

static void count_exit(Cut *c, const Inst *inst)
{
    if (inst->op == IR_BREAK)
        c->breaks[inst->target->id]++;
    else if (inst->op == IR_BREAK_IF)
        c->breaks[inst->region->owner->id]++;
    else if (inst->op == IR_CONTINUE)
        c->continues[inst->target->id]++;
}

static void cut_after(Cut *c, Region *region, Inst *last)
{
    IrCursor at = {.ir = c->ir, .region = region, .span = last->span};
    last->next = NULL;
    region->last = last;
    ir_leave(&at, IR_UNREACHABLE, NULL, 0, NULL);
}

static void cut_region(Cut *c, Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        count_exit(c, inst);
        if (ir_op_is_construct((IrOp)inst->op) && !cut_construct(c, inst)
                && inst->next->op != IR_UNREACHABLE) {
            cut_after(c, region, inst);
            return;
        }
    }
}

void opt_cut(Ir *ir)
{
    Cut c = {
        .ir = ir,
        .breaks = ARENA_ARRAY(ir->arena, uint32_t, ir->next_id),
        .continues = ARENA_ARRAY(ir->arena, uint32_t, ir->next_id),
    };
    cut_region(&c, ir->body);
}
