// SPDX-License-Identifier: Apache-2.0
/*
 * wide.c - a whole workgroup, with barriers between.
 *
 * in     the kernel's body
 * out    segments: code between two barriers; around them, once for the workgroup, the
 *        constructs that hold barriers
 * knows  that all invocations take the same way through a wide construct
 * not    how lane groups go through a segment (segment.c), how their values get from one
 *        to another (context.c)
 */
#include "emit/llvm/wide_priv.h"

static void emit_wide_region(Emit *e, const Region *region);

/* ---- what is given to a construct ---- */

static void give_inits(Emit *e, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    slots_give_wide(e, body->params, body->nparams, loop->args, NULL);
}

static void give_results(Emit *e, const Inst *leave)
{
    const Inst *to = leave->op == IR_YIELD ? e->target->construct : leave->target;
    slots_give_wide(e, to->flow.results, to->flow.nresults, leave->args, e->mask);
}

static void give_continue(Emit *e, const Inst *leave)
{
    const Region *next = leave->target->flow.regions[1];
    slots_give_wide(e, next->params, next->nparams, leave->args, NULL);
}

static void give_next(Emit *e, const Inst *leave)
{
    const Region *body = e->target->construct->flow.regions[0];
    slots_give_wide(e, body->params, body->nparams, leave->args, NULL);
}

/* Both what a leaving loop gives and what its next round takes: only one of them
 * is looked at. */
static void give_break_if(Emit *e, const Inst *leave)
{
    const Inst *loop = e->target->construct;
    const Region *body = loop->flow.regions[0];
    uint32_t nresults = loop->flow.nresults, n = nresults + body->nparams;
    Inst **all = ARENA_ARRAY(e->arena, Inst *, n + 1);
    for (uint32_t i = 0; i < nresults; i++)
        all[i] = loop->flow.results[i];
    for (uint32_t i = 0; i < body->nparams; i++)
        all[nresults + i] = body->params[i];
    slots_give_wide(e, all, n, leave->args + 1, NULL);
}

/* ---- constructs ---- */

static void open_wide(Emit *e, Target *t, const Inst *inst)
{
    *t = (Target){.outer = e->target, .construct = inst, .wide = true};
    t->exit = t->way_end = block_new(e, ir_op_name((IrOp)inst->op));
    t->away = e->facts->of[inst->id].far ? segment_away_new(e) : NULL;
    e->target = t;
}

static void close_wide(Emit *e, Target *t)
{
    e->target = t->outer;
    block_start(e, t->exit);
}

static void emit_wide_if(Emit *e, const Inst *inst)
{
    Target t;
    LlvmValue condition = context_between(e, inst->args[0]);
    open_wide(e, &t, inst);
    LlvmBlock yes = block_new(e, "then"), no = block_new(e, "else");
    jump_if(e, condition, yes, no);
    block_start(e, yes);
    emit_wide_region(e, inst->flow.regions[0]);
    block_start(e, no);
    emit_wide_region(e, inst->flow.regions[1]);
    close_wide(e, &t);
}

static void emit_wide_switch(Emit *e, const Inst *inst)
{
    Target t;
    const IrCases *cases = &inst->flow.cases;
    uint32_t n = inst->flow.nregions;
    LlvmValue selector = context_between(e, inst->args[0]);
    open_wide(e, &t, inst);
    LlvmBlock *ways = ARENA_ARRAY(e->arena, LlvmBlock, n);
    for (uint32_t i = 0; i < n; i++)
        ways[i] = block_new(e, "case");
    LlvmValue choice = LLVMBuildSwitch(e->builder, selector, ways[n - 1], cases->count);
    for (uint32_t i = 0; i < cases->count; i++)
        LLVMAddCase(choice, const_i32(e, cases->values[i]), ways[cases->regions[i]]);
    for (uint32_t i = 0; i < n; i++) {
        block_start(e, ways[i]);
        emit_wide_region(e, inst->flow.regions[i]);
    }
    close_wide(e, &t);
}

static void emit_wide_loop(Emit *e, const Inst *inst)
{
    Target t;
    LlvmBlock header = block_new(e, "loop");
    open_wide(e, &t, inst);
    t.again = block_new(e, "continuing");
    jump(e, header);
    block_start(e, header);
    loop_stop_check(e);
    emit_wide_region(e, inst->flow.regions[0]);
    block_start(e, t.again);
    t.way_end = header;                     /* where NEXT goes */
    emit_wide_region(e, inst->flow.regions[1]);
    close_wide(e, &t);
}

static void emit_wide_block(Emit *e, const Inst *inst)
{
    Target t;
    open_wide(e, &t, inst);
    emit_wide_region(e, inst->flow.regions[0]);
    close_wide(e, &t);
}

static void emit_wide_construct(Emit *e, const Inst *inst)
{
    switch (inst->op) {
    case IR_IF: emit_wide_if(e, inst); break;
    case IR_SWITCH: emit_wide_switch(e, inst); break;
    case IR_LOOP: emit_wide_loop(e, inst); break;
    default: emit_wide_block(e, inst); break;
    }
}

/* ---- regions ---- */

static Target *wide_target(Emit *e, const Inst *construct)
{
    Target *t = e->target;
    while (t && t->construct != construct)
        t = t->outer;
    BUG_IF(!t || !t->wide, "a wide way out leads to no wide construct");
    return t;
}

/* Are all values where they are given to? */
static bool gives_nothing(const Emit *e, const Region *to, const Inst *leave)
{
    for (uint32_t i = 0; i < to->nparams; i++)
        if (!context_has(e, to->params[i], leave->args[i]))
            return false;
    return true;
}

static void emit_wide_continue(Emit *e, const Inst *first, const Inst *leave)
{
    bool nothing = gives_nothing(e, leave->target->flow.regions[1], leave);
    segment_emit(e, &(Segment){first, leave, nothing ? NULL : give_continue, leave});
    jump(e, wide_target(e, leave->target)->again);
}

static void emit_wide_next(Emit *e, const Inst *first, const Inst *leave)
{
    bool nothing = gives_nothing(e, e->target->construct->flow.regions[0], leave);
    segment_emit(e, &(Segment){first, leave, nothing ? NULL : give_next, leave});
    jump(e, e->target->way_end);
}

/* Where invocations that a segment leaves nothing more to do in its region go on, if any. */
static LlvmBlock next_block(Emit *e, const Inst *to)
{
    return to ? wide_target(e, to)->exit : e->workgroup_end;
}

static void give_and_leave(Emit *e, const Inst *leave)
{
    Target *t = leave->op == IR_RETURN ? NULL : wide_target(e, leave->target);
    if (t)
        give_results(e, leave);
    segment_leave(e, t);
}

/* BREAK, RETURN or UNREACHABLE at the end of a region. Where some have left inside the
 * segment for a construct further in, the workgroup goes on there, and those who left for
 * further out are kept off. */
static void emit_wide_out(Emit *e, const Inst *first, const Inst *leave)
{
    const Inst *to = leave->op == IR_BREAK ? leave->target : NULL;
    const Inst *innermost = analysis_innermost_left(first, leave);
    bool parts = leave->op != IR_UNREACHABLE && innermost != to;
    segment_emit(e, &(Segment){first, leave, parts ? give_and_leave : to ? give_results : NULL,
                               leave});
    jump(e, next_block(e, innermost));
}

/* The last segment of a region, with the instruction that leaves it. */
static void emit_wide_leave(Emit *e, const Inst *first, const Inst *leave)
{
    switch (leave->op) {
    case IR_YIELD:
        segment_emit(e, &(Segment){first, leave, give_results, leave});
        jump(e, e->target->exit);
        break;
    case IR_CONTINUE:
        emit_wide_continue(e, first, leave);
        break;
    case IR_NEXT:
        emit_wide_next(e, first, leave);
        break;
    case IR_BREAK_IF: {
        segment_emit(e, &(Segment){first, leave, give_break_if, leave});
        LlvmValue condition = context_between(e, leave->args[0]);
        jump_if(e, condition, e->target->exit, e->target->way_end);
        break;
    }
    default:
        emit_wide_out(e, first, leave);
        break;
    }
}

static void emit_wide_region(Emit *e, const Region *region)
{
    const Inst *first = region->first;
    for (const Inst *inst = first; inst; inst = inst->next) {
        if (ir_op_ends_region((IrOp)inst->op)) {
            emit_wide_leave(e, first, inst);
            return;
        }
        if (!context_cuts(e, inst))
            continue;
        bool loop = inst->op == IR_LOOP;
        segment_emit(e, &(Segment){first, inst, loop ? give_inits : NULL, inst});
        if (inst->op != IR_BARRIER)
            emit_wide_construct(e, inst);
        first = inst->next;
    }
}

/* ---- the body ---- */

void wide_body(Emit *e)
{
    if (!e->facts->has_barrier) {
        segment_emit(e, &(Segment){.first = e->ir->body->first});
        return;
    }
    e->workgroup_end = block_new(e, "workgroup.end");
    context_init(e);
    emit_zero_private(e);
    e->returned = e->facts->returns_far ? segment_away_new(e) : NULL;
    emit_wide_region(e, e->ir->body);
    block_start(e, e->workgroup_end);
    e->contexts = NULL;
    e->returned = NULL;
}
