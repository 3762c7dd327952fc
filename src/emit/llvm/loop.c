// SPDX-License-Identifier: Apache-2.0
/*
 * loop.c - loops: round after round, until no lane is left.
 *
 * in     a LOOP that is open (construct.c)
 * out    blocks for the body and the continuing region; the wish to unroll it
 * knows  which loops end soon, how many rounds they have (Facts)
 * not    what a round does (flow.c); how several are taken at once (strip.c)
 */
#include "emit/llvm/flow_priv.h"

#include <llvm-c/DebugInfo.h>

void loop_stop_check(Emit *e)
{
    LlvmValue stop = LLVMBuildLoad2(e->builder, e->i32, e->stop, "stop");
    LLVMSetOrdering(stop, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(stop, 4);
    LlvmValue seen = LLVMBuildICmp(e->builder, LLVMIntNE, stop, const_i32(e, 0), "");
    LlvmBlock on = block_new(e, "on");
    jump_if(e, seen, e->leave, on);
    block_start(e, on);
}

/* ---- unrolling ---- */

#define MAX_UNROLLED 1024u          /* instructions that a loop may become        */
#define MAX_ALL      (8 * MAX_UNROLLED) /* and all loops of a kernel              */
#define FUNCTION     16u            /* instructions of one like exp               */

static bool unrolls(const Emit *e, uint64_t round, uint32_t rounds)
{
    return rounds && round * rounds * e->jam <= MAX_UNROLLED;
}

static uint64_t weight_of(Emit *e, const Inst *inst);

/* Instructions for one lane group, roughly. */
static uint64_t weight(Emit *e, const Region *region)
{
    uint64_t n = 0;
    for (const Inst *inst = region->first; inst && n <= MAX_UNROLLED; inst = inst->next)
        n += weight_of(e, inst);
    return n;
}

static uint64_t weight_of(Emit *e, const Inst *inst)
{
    IrOp op = (IrOp)inst->op;
    uint64_t n = 1;
    if (op == IR_ATOMIC || op == IR_LOAD || op == IR_STORE) {
        bool easy = op == IR_ATOMIC ? memory_place_is_uniform(e, inst->args[0])
                                    : memory_is_in_order(e, inst->args[0]);
        return easy ? n : e->lanes;
    }
    if (op >= IR_EXP && op <= IR_FREXP_EXP)
        return FUNCTION;
    if (!ir_op_is_construct(op))
        return n;
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        n += weight(e, inst->flow.regions[i]);
    uint32_t rounds = op == IR_LOOP ? analysis_rounds(inst) : 0;
    return unrolls(e, n, rounds) ? n * rounds : n;
}

/* Asks LLVM to make one round after the other of a loop that has few. */
static void ask_to_unroll(Emit *e, LlvmValue back)
{
    static const char full[] = "llvm.loop.unroll.full";
    LLVMMetadataRef name = LLVMMDStringInContext2(e->context, full, sizeof full - 1);
    LLVMMetadataRef ask = LLVMMDNodeInContext2(e->context, &name, 1);
    LLVMMetadataRef self = LLVMTemporaryMDNode(e->context, NULL, 0);
    LLVMMetadataRef parts[2] = {self, ask};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(e->context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(back, LLVMGetMDKindIDInContext(e->context, "llvm.loop", 9),
                    LLVMMetadataAsValue(e->context, loop));
}

static bool is_worth_unrolling(Emit *e, const Inst *loop)
{
    uint32_t rounds = analysis_rounds(loop);
    uint64_t n = rounds ? weight(e, loop->flow.regions[0]) + weight(e, loop->flow.regions[1]) : 0;
    if (!unrolls(e, n, rounds) || e->unrolled + n * rounds * e->jam > MAX_ALL)
        return false;
    e->unrolled += n * rounds * e->jam;
    return true;
}

/* ---- the continuing region ---- */

/* The end of the continuing region: the next iteration, for the lanes that remain. There is
 * one: wherever lanes leave, the code tests whether any remain. */
static void emit_next(Emit *e, Target *t, LlvmBlock header, Inst *const *args)
{
    const Region *body = t->construct->flow.regions[0];
    slots_give(e, body->params, body->nparams, args, t->params, NULL);
    if (t->looping)
        slot_store(e, t->looping, mask_vector(e));
    /* Last: LLVM moves what only the next iteration uses into a block after the test, if there
     * is anything in that block, and keeps its operands in registers until then. */
    if (!fact_of(e, t->construct)->ends_soon)
        loop_stop_check(e);
    LlvmValue back = LLVMBuildBr(e->builder, header);
    if (is_worth_unrolling(e, t->construct))
        ask_to_unroll(e, back);
}

static void emit_break_if(Emit *e, Target *t, const Inst *end, LlvmBlock header)
{
    Inst *const *results = end->args + 1;
    Inst *const *next = results + t->construct->flow.nresults;
    LlvmValue before = e->mask;
    if (t->arrived) {
        LlvmValue condition = as_lanes(e, end->args[0], 0);
        e->mask = mask_and(e, before, condition);
        construct_arrive(e, t, results);
        e->mask = mask_and_not(e, before, condition);
        mask_go_on_if_any(e, t->exit);
    } else {
        LlvmBlock out = block_new(e, "out"), on = block_new(e, "again");
        jump_if(e, as_scalar(e, end->args[0], 0), out, on);
        block_start(e, out);
        construct_arrive(e, t, results);
        jump(e, t->exit);
        block_start(e, on);
    }
    emit_next(e, t, header, next);
}

static void emit_continuing(Emit *e, Target *t, LlvmBlock header, LlvmValue before)
{
    const Region *region = t->construct->flow.regions[1];
    block_start(e, t->again);
    e->mask = before;
    if (t->continuing) {
        e->mask = mask_slot_load(e, t->continuing);
        mask_go_on_if_any(e, t->exit);
    }
    slots_load(e, region->params, region->nparams, t->continued);
    const Inst *inst = region->first;
    for (; inst != region->last; inst = inst->next)
        flow_inst(e, inst);
    if (inst->op == IR_NEXT)
        emit_next(e, t, header, inst->args);
    else if (inst->op == IR_BREAK_IF)
        emit_break_if(e, t, inst, header);
    else
        flow_inst(e, inst);
    jump(e, t->exit);
}

/* ---- rounds ---- */

/* True if the end of the body is the only way to the continuing region: its mask is then
 * the mask there, and no mask of continuing lanes is needed. */
static bool continues_straight(const Emit *e, const Inst *loop)
{
    const Inst *end = loop->flow.regions[0]->last;
    return end->op == IR_CONTINUE && end->target == loop && fact_of(e, loop)->continues_once;
}

void loop_params(Emit *e, const Target *t)
{
    const Region *body = t->construct->flow.regions[0];
    slots_load(e, body->params, body->nparams, t->params);
}

/* One round of a loop that all lanes go through (strip.c), from parameters to
 * parameters. The test has come out true. */
static void emit_round(Emit *e, Target *t, const Inst *test)
{
    const Region *body = t->construct->flow.regions[0], *next = t->construct->flow.regions[1];
    loop_params(e, t);
    for (const Inst *inst = body->first; inst != body->last; inst = inst->next)
        if (inst != test)
            flow_inst(e, inst);
    slots_give(e, next->params, next->nparams, body->last->args, t->continued, NULL);
    slots_load(e, next->params, next->nparams, t->continued);
    for (const Inst *inst = next->first; inst != next->last; inst = inst->next)
        flow_inst(e, inst);
    slots_give(e, body->params, body->nparams, next->last->args, t->params, NULL);
}

void loop_emit(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask;
    LlvmBlock outer = e->region_end, header = block_new(e, "loop");
    const Region *body = inst->flow.regions[0], *next = inst->flow.regions[1];
    t->again = block_new(e, "continuing");
    t->params = slots_new(e, body->params, body->nparams);
    t->continued = slots_new(e, next->params, next->nparams);
    slots_give(e, body->params, body->nparams, inst->args, t->params, NULL);
    if (t->arrived) {
        t->looping = mask_slot_take(e);
        slot_store(e, t->looping, mask_vector(e));
    }
    bool straight = continues_straight(e, inst);
    if (!straight && (t->arrived || fact_of(e, inst)->continues_apart))
        t->continuing = mask_slot_take(e);
    if (!before && strip_suits(e, inst))
        strip_loop(e, t, emit_round);
    jump(e, header);
    block_start(e, header);
    if (t->continuing) {
        mask_slot_clear(e, t->continuing);
        slots_clear(e, next->params, next->nparams, t->continued);
    }
    slots_load(e, body->params, body->nparams, t->params);
    LlvmValue mask = t->looping ? mask_slot_load(e, t->looping) : before;
    flow_region(e, body, mask, straight ? t->exit : t->again);
    e->region_end = t->exit;
    emit_continuing(e, t, header, straight ? e->mask : before);
    e->region_end = outer;
    slots_free(e, body->params, body->nparams, t->params);
    slots_free(e, next->params, next->nparams, t->continued);
    slot_free(e, t->looping);
    slot_free(e, t->continuing);
}
