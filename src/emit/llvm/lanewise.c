// SPDX-License-Identifier: Apache-2.0
/*
 * lanewise.c - numbers that are only wanted lane by lane.
 *
 * in     an Ir; indices that were made as vectors of lanes
 * out    which loads need not make a vector; single lanes of a vector, from where they
 *        were before they became one
 * why    to take lanes out of a vector costs more than to load them one by one
 *
 * That is so for places of atomics: bins[value[i] & 255].
 */
#include "emit/llvm/place_priv.h"

/* ---- which loads ---- */

/* x op constant, as quickly done lane by lane as for all. */
static bool is_simple(const Inst *inst)
{
    bool known = inst->op == IR_AND || inst->op == IR_SHR || inst->op == IR_SHL ||
                 inst->op == IR_IADD;
    return known && inst->type.width == 1 && inst->args[1]->op == IR_CONST;
}

/* An element of a variable whose index needs no clamp. */
static bool is_simple_place(const Emit *e, const Inst *elem)
{
    if (elem->op != IR_ELEM || elem->args[0]->op != IR_VAR ||
        elem->args[0]->mem->kind != MEM_ARRAY)
        return false;
    uint64_t count = elem->args[0]->mem->array.count;
    return e->facts->of[elem->id].in_bounds ||
           (count && e->facts->of[elem->args[1]->id].high < count);
}

static bool all_lanewise(const Emit *e, const Inst *inst)
{
    return e->uses[inst->id] && e->lane_uses[inst->id] == e->uses[inst->id];
}

/* Users come after what they use, so the walk is from the end. */
static void survey_region(Emit *e, const Region *region)
{
    for (const Inst *inst = region->last; inst; inst = inst->prev) {
        if (inst->op == IR_ATOMIC)
            e->lane_uses[inst->args[0]->id]++;
        else if (all_lanewise(e, inst) && is_simple_place(e, inst))
            e->lane_uses[inst->args[1]->id]++;
        else if (all_lanewise(e, inst) && is_simple(inst))
            e->lane_uses[inst->args[0]->id]++;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = inst->flow.nregions; i-- > 0;)
                survey_region(e, inst->flow.regions[i]);
    }
}

void lanewise_survey(Emit *e)
{
    e->lane_uses = ARENA_ARRAY(e->arena, uint32_t, e->ir->next_id);
    survey_region(e, e->ir->body);
}

bool lanewise_is(const Emit *e, const Inst *load)
{
    return e->lanes > 1 && all_lanewise(e, load);
}

/* ---- single lanes ---- */

static LlvmValue inserted(LlvmValue v, uint32_t lane)
{
    while (LLVMIsAInsertElementInst(v)) {
        LlvmValue at = LLVMGetOperand(v, 2);
        if (LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == lane)
            return LLVMGetOperand(v, 1);
        v = LLVMGetOperand(v, 0);
    }
    return NULL;
}

static LlvmValue constant_lane(LlvmValue v, uint32_t lane)
{
    return LLVMIsConstant(v) ? LLVMGetAggregateElement(v, lane) : NULL;
}

/* One lane of an integer vector, if that is a scalar already or quickly made from one;
 * else NULL. */
static LlvmValue scalar_of(Emit *e, LlvmValue v, uint32_t lane)
{
    if (LLVMIsAInsertElementInst(v))
        return inserted(v, lane);
    if (!LLVMIsABinaryOperator(v))
        return NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool turns = op == LLVMAdd || op == LLVMMul || op == LLVMAnd;
    LlvmValue x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    bool turned = turns && LLVMIsConstant(x);
    LlvmValue k = constant_lane(turned ? x : y, lane);
    LlvmValue scalar = k ? scalar_of(e, turned ? y : x, lane) : NULL;
    return scalar ? LLVMBuildBinOp(e->builder, op, scalar, k, "") : NULL;
}

LlvmValue lanewise_get(Emit *e, LlvmValue v, uint32_t lane)
{
    LlvmValue scalar = is_vector(v) ? scalar_of(e, v, lane) : NULL;
    return scalar ? scalar : lane_get(e, v, lane);
}
