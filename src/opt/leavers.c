// SPDX-License-Identifier: Apache-2.0
/*
 * leavers.c - who gives values to the results and parameters of a construct.
 */
#include "opt/opt_priv.h"

static void add(Leavers *l, const Inst *construct, Inst *leaver)
{
    VEC_PUSH(l->arena, &l->of[construct->id], leaver);
}

static void find(Leavers *l, const Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        switch (inst->op) {
        case IR_YIELD: case IR_NEXT: case IR_BREAK_IF: add(l, region->owner, inst); break;
        case IR_BREAK: case IR_CONTINUE: add(l, inst->target, inst); break;
        default: break;
        }
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                find(l, inst->flow.regions[i]);
    }
}

void leavers_init(Leavers *l, Ir *ir)
{
    l->arena = ir->arena;
    l->of = arena_alloc_array(ir->arena, ir->next_id, sizeof *l->of);
    find(l, ir->body);
}

uint32_t leaver_result(const Inst *leaver, uint32_t i)
{
    switch (leaver->op) {
    case IR_YIELD: case IR_BREAK: return i;
    case IR_BREAK_IF: return 1 + i;
    default: return UINT32_MAX;
    }
}

uint32_t leaver_param(const Inst *leaver, const Inst *loop, uint32_t i)
{
    switch (leaver->op) {
    case IR_NEXT: return i;
    case IR_BREAK_IF: return 1 + loop->flow.nresults + i;
    default: return UINT32_MAX;
    }
}

uint32_t leaver_continued(const Inst *leaver, uint32_t i)
{
    return leaver->op == IR_CONTINUE ? i : UINT32_MAX;
}
