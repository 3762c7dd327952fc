// SPDX-License-Identifier: Apache-2.0
/*
 * analysis.c - all facts of a kernel, in order.
 */
#include "analysis/analysis_priv.h"

/* Counts who continues each loop. */
static void count_continues(Facts *f, uint8_t *count, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_CONTINUE && count[inst->target->id] < 2)
            fact_of(f, inst->target)->continues_once = ++count[inst->target->id] == 1;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                count_continues(f, count, inst->flow.regions[i]);
    }
}

static Facts *facts_new(Arena *a, const Ir *ir, uint32_t lanes, uint32_t native)
{
    Facts *f = ARENA_NEW(a, Facts);
    *f = (Facts){.ir = ir, .lanes = lanes, .native = native, .jam = 1};
    f->of = ARENA_ARRAY(a, Fact, ir->next_id);
    for (uint32_t i = 0; i < ir->next_id; i++)
        f->of[i] = (Fact){.align = 0x80000000u, .high = UINT32_MAX};
    return f;
}

Facts *analysis_ranges(Arena *a, const Ir *ir)
{
    Facts *f = facts_new(a, ir, 0, 0);
    range_run(a, f);
    return f;
}

Facts *analysis_run(Arena *a, const Ir *ir, uint32_t lanes, uint32_t native)
{
    Facts *f = facts_new(a, ir, lanes, native);
    count_continues(f, ARENA_ARRAY(a, uint8_t, ir->next_id), ir->body);
    range_run(a, f);
    shape_run(f);
    wide_run(f);
    count_run(f);
    f->jam = analysis_jam(a, f, ir->body->first, NULL);
    return f;
}
