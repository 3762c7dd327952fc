// SPDX-License-Identifier: Apache-2.0
/*
 * flow.c - regions and constructs, instruction by instruction.
 *
 * in     instructions of a region, the lanes that are active (Emit.mask)
 * out    LLVM blocks; Emit.mask is what is active afterwards
 * knows  which constructs diverge (Facts), how lanes part
 * not    numbers, memory; where lanes meet (construct.c)
 *
 * Where all active lanes go the same way, control flow is real. Where they may
 * part, each way runs under its own mask and is jumped over when no lane takes
 * it. Values under a mask are garbage in the lanes that are off: only memory and
 * the meeting points care.
 */
#include "emit/llvm/flow_priv.h"

/* ---- regions ---- */

void flow_region(Emit *e, const Region *region, LlvmValue mask, LlvmBlock after)
{
    LlvmBlock outer = e->region_end;
    e->region_end = after;
    e->mask = mask;
    flow_insts(e, region->first, NULL);
    jump(e, after);
    e->region_end = outer;
}

/* One way of a divergent construct: runs if any lane takes it (`any` says so, or NULL). */
static void emit_way(Emit *e, const Region *region, LlvmValue mask, LlvmValue any,
                     LlvmBlock after)
{
    LlvmBlock way = block_new(e, "way");
    jump_if(e, any ? any : mask_any(e, mask), way, after);
    block_start(e, way);
    flow_region(e, region, mask, after);
}

/* ---- if ---- */

static void emit_if_uniform(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask;
    LlvmBlock yes = block_new(e, "then"), no = block_new(e, "else");
    jump_if(e, as_scalar(e, inst->args[0], 0), yes, no);
    block_start(e, yes);
    flow_region(e, inst->flow.regions[0], before, t->exit);
    block_start(e, no);
    flow_region(e, inst->flow.regions[1], before, t->exit);
}

void flow_if_divergent(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask, condition = as_lanes(e, inst->args[0], 0);
    LlvmBlock second = block_new(e, "otherwise");
    ConditionTest test = {0};
    bool simple = condition_test_order(e, inst->args[0], &test);
    emit_way(e, inst->flow.regions[0], mask_and(e, before, condition), test.any, second);
    block_start(e, second);
    t->meets = true;
    LlvmValue any_not = simple ? LLVMBuildNot(e->builder, test.all, "") : NULL;
    emit_way(e, inst->flow.regions[1], mask_and_not(e, before, condition), any_not, t->exit);
}

/* ---- switch ---- */

static void emit_switch_uniform(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask;
    const IrCases *cases = &inst->flow.cases;
    uint32_t n = inst->flow.nregions;
    LlvmBlock *ways = ARENA_ARRAY(e->arena, LlvmBlock, n);
    for (uint32_t i = 0; i < n; i++)
        ways[i] = block_new(e, "case");
    LlvmValue choice = LLVMBuildSwitch(e->builder, as_scalar(e, inst->args[0], 0),
                                       ways[n - 1], cases->count);
    for (uint32_t i = 0; i < cases->count; i++)
        LLVMAddCase(choice, const_i32(e, cases->values[i]), ways[cases->regions[i]]);
    for (uint32_t i = 0; i < n; i++) {
        block_start(e, ways[i]);
        flow_region(e, inst->flow.regions[i], before, t->exit);
    }
}

/* For each region the lanes whose selector is one of its values. */
static LlvmValue *switch_masks(Emit *e, const Inst *inst)
{
    const IrCases *cases = &inst->flow.cases;
    LlvmValue selector = as_lanes(e, inst->args[0], 0);
    LlvmValue *masks = ARENA_ARRAY(e->arena, LlvmValue, inst->flow.nregions);
    LlvmValue any = LLVMConstNull(mask_type(e));
    for (uint32_t i = 0; i < cases->count; i++) {
        LlvmValue value = splat(e, const_i32(e, cases->values[i]));
        LlvmValue hit = LLVMBuildICmp(e->builder, LLVMIntEQ, selector, value, "");
        LlvmValue *mask = &masks[cases->regions[i]];
        *mask = *mask ? LLVMBuildOr(e->builder, *mask, hit, "") : hit;
        any = LLVMBuildOr(e->builder, any, hit, "");
    }
    LlvmValue *rest = &masks[inst->flow.nregions - 1];
    LlvmValue none = LLVMBuildNot(e->builder, any, "");
    *rest = *rest ? LLVMBuildOr(e->builder, *rest, none, "") : none;
    return masks;
}

static void emit_switch_divergent(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask, *masks = switch_masks(e, inst);
    uint32_t n = inst->flow.nregions;
    for (uint32_t i = 0; i < n; i++) {
        LlvmValue mask = masks[i] ? masks[i] : LLVMConstNull(mask_type(e));
        t->way_end = i + 1 == n ? t->exit : block_new(e, "case");
        emit_way(e, inst->flow.regions[i], mask_and(e, before, mask), NULL, t->way_end);
        t->meets = true;
        if (i + 1 < n)
            block_start(e, t->way_end);
    }
}

/* ---- any construct, any instruction ---- */

static void emit_construct(Emit *e, const Inst *inst)
{
    Target t;
    LlvmValue before = e->mask;
    bool divergent = fact_of(e, inst)->divergent;
    if (guard_if(e, inst))
        return;
    construct_open(e, &t, inst, ir_op_name((IrOp)inst->op));
    if (inst->op == IR_IF && divergent)
        flow_if_divergent(e, inst, &t);
    else if (inst->op == IR_IF)
        emit_if_uniform(e, inst, &t);
    else if (inst->op == IR_SWITCH && divergent)
        emit_switch_divergent(e, inst, &t);
    else if (inst->op == IR_SWITCH)
        emit_switch_uniform(e, inst, &t);
    else if (inst->op == IR_LOOP)
        loop_emit(e, inst, &t);
    else
        flow_region(e, inst->flow.regions[0], before, t.exit);
    construct_close(e, &t, before);
}

static void emit_plain(Emit *e, const Inst *inst)
{
    switch (inst->op) {
    case IR_LENGTH:   memory_length(e, inst); break;
    case IR_LOAD:     load_inst(e, inst); break;
    case IR_STORE:    store_inst(e, inst); break;
    case IR_ATOMIC:   atomic_inst(e, inst); break;
    case IR_SUBGROUP: subgroup_inst(e, inst); break;
    default:          arith_inst(e, inst); break;
    }
}

/* Places are emitted where they are used; at barriers wide.c has cut. */
static bool is_emitted(const Inst *inst)
{
    return inst->type.kind != SCALAR_PLACE && inst->op != IR_BARRIER;
}

static uint32_t sides_of(const Emit *e, const Inst *inst)
{
    return inst->type.width ? side_count(e, inst) : e->jam;
}

/* For all sides. */
static void emit_sides(Emit *e, const Inst *inst)
{
    if (!is_emitted(inst))
        return;
    for (uint32_t i = 0, n = sides_of(e, inst); i < n; i++) {
        side_set(e, i);
        emit_plain(e, inst);
    }
    side_set(e, 0);
    if (inst->type.width)
        context_keep(e, inst);
}

void flow_inst(Emit *e, const Inst *inst)
{
    if (ir_op_is_construct((IrOp)inst->op)) {
        emit_construct(e, inst);
        return;
    }
    switch (inst->op) {
    case IR_YIELD:
        construct_arrive(e, e->target, inst->args);
        break;
    case IR_BREAK:
        construct_break(e, inst);
        break;
    case IR_CONTINUE:
        construct_continue(e, inst);
        break;
    case IR_RETURN:
        construct_return(e);
        break;
    case IR_UNREACHABLE:
        break;
    default:
        emit_sides(e, inst);
        break;
    }
    effort_charge(e);
}

/* ---- after a loop ---- */

static bool is_plain(const Inst *inst)
{
    return ir_op_effect((IrOp)inst->op) != EFFECT_FLOW && !ir_op_is_construct((IrOp)inst->op);
}

/* Instructions before `end`, all of them for one side, then for the next. A loop that goes
 * round often is worth registers for many sides at once; what comes after it once has values
 * of its own, for which there is no room beside those of the other sides. */
static const Inst *emit_in_turn(Emit *e, const Inst *first, const Inst *end)
{
    const Inst *past = first;
    while (past != end && is_plain(past))
        past = past->next;
    for (uint32_t i = 0; i < e->jam; i++)
        for (const Inst *inst = first; inst != past; inst = inst->next)
            if (is_emitted(inst) && i < sides_of(e, inst)) {
                side_set(e, i);
                emit_plain(e, inst);
                effort_charge(e);
            }
    side_set(e, 0);
    for (const Inst *inst = first; inst != past; inst = inst->next)
        if (is_emitted(inst) && inst->type.width)
            context_keep(e, inst);
    return past;
}

void flow_insts(Emit *e, const Inst *first, const Inst *end)
{
    bool after_loop = false;
    for (const Inst *inst = first; inst != end;) {
        if (!end && guard_rest(e, inst))
            return;
        if (after_loop && e->jam > 1 && is_plain(inst)) {
            inst = emit_in_turn(e, inst, end);
            continue;
        }
        flow_inst(e, inst);
        after_loop |= inst->op == IR_LOOP && !fact_of(e, inst)->ends_soon;
        inst = inst->next;
    }
}
