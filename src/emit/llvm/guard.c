// SPDX-License-Identifier: Apache-2.0
/*
 * guard.c - ifs that are seldom or mostly true, and then for all lanes.
 *
 * in     divergent IFs that take lanes away, or that all lanes mostly take
 * out    a way without a mask for all lanes, where that is worth a second copy of the
 *        code, and one for the rest
 * knows  that conditions differ between lanes at borders only
 * not    what is done in them (flow.c)
 */
#include "emit/llvm/flow_priv.h"

/* ---- ifs that only take lanes away ---- */

#define MAX_DOUBLED 400u            /* instructions that are worth a second copy  */
#define MAX_DOUBLED_WIDE 40u        /* the same between barriers                  */

static bool only_yields(const Region *r)
{
    return r->first == r->last && r->last->op == IR_YIELD && r->last->nargs == 0;
}

static bool never_yields(const Region *r)
{
    return r->last->op != IR_YIELD;
}

/* The region of a divergent IF that takes lanes away while the others just go on;
 * UINT32_MAX: it is no such IF. */
static uint32_t leaving_region(const Emit *e, const Inst *inst)
{
    if (inst->op != IR_IF || !fact_of(e, inst)->divergent || inst->flow.nresults)
        return UINT32_MAX;
    for (uint32_t i = 0; i < 2; i++)
        if (never_yields(inst->flow.regions[i]) && only_yields(inst->flow.regions[1 - i]))
            return i;
    return UINT32_MAX;
}

static LlvmValue condition_of(Emit *e, const Inst *inst, uint32_t region)
{
    LlvmValue c = as_lanes(e, inst->args[0], 0);
    return region == 0 ? c : LLVMBuildNot(e->builder, c, "");
}

/* If some lanes leave, they do; the mask afterwards is that of the others. */
static void emit_leaving(Emit *e, const Inst *inst, uint32_t region)
{
    LlvmValue before = e->mask, leave = condition_of(e, inst, region);
    LlvmValue staying = mask_slot_take(e);
    LlvmBlock way = block_new(e, "leaving"), left = block_new(e, "left");
    LlvmBlock after = block_new(e, "staying");
    LlvmValue gone = mask_and(e, before, leave);
    slot_store(e, staying, mask_vector(e));
    jump_if(e, mask_any(e, gone), way, after);
    block_start(e, way);
    flow_region(e, inst->flow.regions[region], gone, left);
    block_start(e, left);
    e->mask = mask_and_not(e, before, leave);
    slot_store(e, staying, e->mask);
    mask_go_on_if_any(e, e->region_end);
    jump(e, after);
    block_start(e, after);
    e->mask = mask_slot_load(e, staying);
    slot_free(e, staying);
}

static uint32_t count_insts(const Inst *first, uint32_t limit)
{
    uint32_t n = 0;
    for (const Inst *inst = first; inst && n <= limit; inst = inst->next) {
        n++;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                n += count_insts(inst->flow.regions[i]->first, limit);
    }
    return n;
}

/* A guard like "if (i >= n) { return; }" is seldom true for any lane. What follows
 * is there twice: for all lanes, without a mask, and for the rest. */
static bool may_double(const Emit *e, const Inst *first)
{
    uint32_t most = e->contexts ? MAX_DOUBLED_WIDE : MAX_DOUBLED;
    return !e->mask && !e->doubled && count_insts(first, most) <= most;
}

static void emit_guard(Emit *e, const Inst *inst, uint32_t region)
{
    LlvmValue leave = condition_of(e, inst, region);
    LlvmBlock some = block_new(e, "some.leave"), none = block_new(e, "none.leaves");
    e->doubled = true;
    jump_if(e, mask_any(e, leave), some, none);
    block_start(e, none);
    flow_insts(e, inst->next, NULL);
    jump(e, e->region_end);
    block_start(e, some);
    e->mask = NULL;
    emit_leaving(e, inst, region);
    flow_insts(e, inst->next, NULL);
    jump(e, e->region_end);
    e->doubled = false;
}

/* ---- ifs that all lanes take, mostly ---- */

#define MAX_INSIDE 40u              /* instructions that are worth a second copy  */

/* "if (i < n) { ... }": the same for the region. */
static bool is_likely_all(const Emit *e, const Inst *inst)
{
    return inst->flow.nresults == 0 && only_yields(inst->flow.regions[1]) &&
           may_double(e, inst->flow.regions[0]->first);
}

/* Does it ask whether a place is inside a grid? */
static bool is_likely_inside(const Emit *e, const Inst *inst)
{
    return !e->mask && !e->inside && e->lanes > 1 &&
           inst->flow.regions[1]->first == inst->flow.regions[1]->last &&
           condition_is_border(e, inst->args[0]) &&
           count_insts(inst->flow.regions[0]->first, MAX_INSIDE) <= MAX_INSIDE;
}

/* What says, in a second copy of the region of an IF, that it is one: copies have no
 * copies. NULL: it is not worth one. */
static bool *copy_flag(Emit *e, const Inst *inst)
{
    if (inst->op != IR_IF || !fact_of(e, inst)->divergent || fact_of(e, inst)->apart)
        return NULL;
    return is_likely_all(e, inst) ? &e->doubled : is_likely_inside(e, inst) ? &e->inside : NULL;
}

/* Without a mask if all lanes take it; else as any IF. */
static void emit_likely(Emit *e, const Inst *inst, bool *flag)
{
    Target t;
    ConditionTest test = condition_test(e, inst->args[0]);
    LlvmBlock all = block_new(e, "all"), not_all = block_new(e, "not.all");
    construct_open(e, &t, inst, "endif");
    *flag = true;
    jump_if(e, test.all, all, not_all);
    block_start(e, all);
    flow_region(e, inst->flow.regions[0], NULL, t.exit);
    block_start(e, not_all);
    e->mask = NULL;
    flow_if_divergent(e, inst, &t);
    *flag = false;
    construct_close(e, &t, NULL);
}

/* ---- which of them ---- */

bool guard_if(Emit *e, const Inst *inst)
{
    uint32_t leaving = leaving_region(e, inst);
    if (leaving != UINT32_MAX) {
        emit_leaving(e, inst, leaving);
        return true;
    }
    bool *flag = copy_flag(e, inst);
    if (flag)
        emit_likely(e, inst, flag);
    return flag != NULL;
}

bool guard_rest(Emit *e, const Inst *inst)
{
    uint32_t leaving = leaving_region(e, inst);
    if (leaving == UINT32_MAX || e->contexts || !may_double(e, inst->next))
        return false;
    emit_guard(e, inst, leaving);
    return true;
}
