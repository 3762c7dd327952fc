// SPDX-License-Identifier: Apache-2.0
/*
 * segment.c - code between two barriers, for all lane groups.
 *
 * in     instructions without a barrier among them (Segment)
 * out    loops over the lane groups of a workgroup, band or team, as many of them side
 *        by side as is worth it
 * knows  who has left a construct that goes on for others, and has nothing to do here
 * not    what a segment does (flow.c), what crosses from one to another (context.c)
 */
#include "emit/llvm/wide_priv.h"

/* ---- who has left ---- */

LlvmValue segment_away_new(Emit *e)
{
    LlvmType type = LLVMArrayType2(slot_type(e, lane_type(e, e->i1)), e->all_groups);
    LlvmValue masks = LLVMBuildAlloca(e->entry, type, "away");
    LLVMBuildMemSet(e->builder, masks, LLVMConstNull(e->i8),
                    const_i64(e, 4ull * e->lanes * e->all_groups), 4);
    return masks;
}

static LlvmValue away_slot(Emit *e, LlvmValue masks)
{
    return LLVMBuildGEP2(e->builder, slot_type(e, lane_type(e, e->i1)), masks, &e->group, 1, "");
}

void segment_leave(Emit *e, const Target *t)
{
    LlvmValue masks = t ? t->away : e->returned;
    if (!masks)
        return;
    LlvmValue slot = away_slot(e, masks);
    LlvmValue before = slot_load(e, lane_type(e, e->i1), slot);
    slot_store(e, slot, LLVMBuildOr(e->builder, before, mask_vector(e), ""));
}

static bool may_be_away(const Emit *e)
{
    bool any = e->returned != NULL;
    for (const Target *t = e->target; t && !any; t = t->outer)
        any = t->away != NULL;
    return any;
}

/* `mask` without those who have left a construct that the segment is in. */
static LlvmValue who_is_here(Emit *e, LlvmValue mask)
{
    LlvmType type = lane_type(e, e->i1);
    if (e->returned)
        mask = mask_and_not(e, mask, slot_load(e, type, away_slot(e, e->returned)));
    for (const Target *t = e->target; t; t = t->outer)
        if (t->away)
            mask = mask_and_not(e, mask, slot_load(e, type, away_slot(e, t->away)));
    return mask;
}

/* ---- loops over lane groups ---- */

static LlvmValue first_mask(Emit *e)
{
    if (e->invocations % e->lanes == 0)
        return NULL;
    LlvmValue base = LLVMBuildMul(e->builder, local_group(e), const_i32(e, e->lanes), "");
    LlvmValue index = LLVMBuildAdd(e->builder, splat(e, base), const_lanes(e, 0, 1), "");
    LlvmValue count = splat(e, const_i32(e, e->invocations));
    return LLVMBuildICmp(e->builder, LLVMIntULT, index, count, "lanes");
}

/* Lane groups that a segment runs for. */
static LlvmValue group_count(Emit *e)
{
    return e->team_groups ? e->team_groups : const_i32(e, e->groups);
}

/* The lane group of step `step`: the same, or in hostile builds from the end on; or in a
 * column, of those below each other. */
static LlvmValue group_of_step(Emit *e, LlvmValue step)
{
    LLVMBuilderRef b = e->builder;
    LlvmValue columns = const_i32(e, e->column ? analysis_columns(e->ir, e->lanes) : 1);
    if (e->options->shuffle) {
        LlvmValue count = LLVMBuildUDiv(b, group_count(e), columns, "");
        step = LLVMBuildSub(b, LLVMBuildSub(b, count, const_i32(e, 1), ""), step, "");
    }
    return e->column ? LLVMBuildAdd(b, LLVMBuildMul(b, step, columns, ""), e->column, "") : step;
}

/* The lane groups [first, last) of a workgroup or team, `jam` side by side. */
typedef struct LaneSpan {
    LlvmValue first, last;          /* i32                                        */
    uint32_t  jam;
} LaneSpan;

typedef struct LaneLoop {
    LaneSpan  span;
    LlvmValue step;                 /* slot                                       */
    LlvmBlock header, end;
    LLVMBuilderRef before, preamble;
    uint32_t  row;                  /* lane groups of a row, or of some; 0: none  */
    LlvmValue x, base;              /* slots: workgroup, first lane group of a row */
    LlvmBlock next_row, next_x;
} LaneLoop;

/* Puts instructions before the last one of a block. */
static LLVMBuilderRef builder_at_end(Emit *e, LlvmBlock block)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(block));
    return b;
}

/* for (base = first; base < last; base += row) for (x = first; x < last; x++) */
static void rows_open(Emit *e, LaneLoop *l)
{
    l->row = MAX_OF(e->row, e->jam);
    l->next_row = block_new(e, "row");
    l->next_x = block_new(e, "workgroup");
    l->x = slot_take(e, e->i32);
    l->base = slot_take(e, e->i32);
    slot_store(e, l->base, l->span.first);
    jump(e, l->next_row);
    block_start(e, l->next_row);
    loop_stop_check(e);
    slot_store(e, l->x, LLVMGetParam(e->function, 2));
    jump(e, l->next_x);
    block_start(e, l->next_x);
    e->workgroup_id[0] = slot_load(e, e->i32, l->x);
}

/* The end of a loop: on from `header` with n more, or past it. */
static void slot_count(Emit *e, LlvmValue slot, uint32_t n, LlvmValue limit, LlvmBlock header)
{
    LlvmBlock after = block_new(e, "end");
    LlvmValue next = LLVMBuildAdd(e->builder, slot_load(e, e->i32, slot), const_i32(e, n), "");
    slot_store(e, slot, next);
    LlvmValue more = LLVMBuildICmp(e->builder, LLVMIntULT, next, limit, "");
    jump_if(e, more, header, after);
    block_start(e, after);
}

static void lane_loop_open(Emit *e, LaneLoop *l, const LaneSpan *span)
{
    *l = (LaneLoop){.span = *span, .header = block_new(e, "groups"),
                    .end = block_new(e, "group.end")};
    e->jam = span->jam;
    l->step = slot_take(e, e->i32);
    if (e->row)
        rows_open(e, l);
    slot_store(e, l->step, e->row ? const_i32(e, 0) : span->first);
    jump(e, l->header);
    l->before = builder_at_end(e, LLVMGetInsertBlock(e->builder));
    block_start(e, l->header);
    LlvmValue step = slot_load(e, e->i32, l->step);
    if (e->row)
        step = LLVMBuildAdd(e->builder, step, slot_load(e, e->i32, l->base), "");
    bool one = e->all_groups == 1 || span->last == const_i32(e, 1);
    for (uint32_t i = 0; i < e->jam; i++) {
        LlvmValue at = LLVMBuildAdd(e->builder, step, const_i32(e, i), "");
        e->sides[i] = one ? const_i32(e, 0) : group_of_step(e, at);
    }
    side_set(e, 0);
    e->mask = who_is_here(e, first_mask(e));
    LlvmBlock body = block_new(e, "group");
    if (may_be_away(e))
        jump_if(e, mask_any(e, e->mask), body, l->end);
    else
        jump(e, body);
    l->preamble = builder_at_end(e, l->header);
    block_start(e, body);
    e->group_end = e->region_end = l->end;
    e->segment++;
}

static void lane_loop_close(Emit *e, LaneLoop *l)
{
    jump(e, l->end);
    block_start(e, l->end);
    slot_count(e, l->step, e->jam, l->row ? const_i32(e, l->row) : l->span.last, l->header);
    if (l->row) {
        slot_count(e, l->x, 1, LLVMGetParam(e->function, 3), l->next_x);
        slot_count(e, l->base, l->row, l->span.last, l->next_row);
    }
    slot_free(e, l->step);
    slot_free(e, l->x);
    slot_free(e, l->base);
    LLVMDisposeBuilder(l->preamble);
    LLVMDisposeBuilder(l->before);
    e->jam = 1;
}

static void emit_span(Emit *e, const Segment *s, const LaneSpan *span)
{
    LaneLoop loop;
    lane_loop_open(e, &loop, span);
    if (e->contexts)
        context_start(e, loop.before, loop.preamble);
    else
        emit_zero_private(e);
    flow_insts(e, s->first, s->end);
    if (s->give)
        s->give(e, s->leave);
    lane_loop_close(e, &loop);
}

/* ---- segments of sums: as many side by side as registers hold ---- */

/* How lane groups are cut into loops that take at most `most` side by side: as few loops
 * as there must be, as even as may be, the larger ones first, such as 6 + 5 + 5. */
typedef struct Cut {
    uint32_t least;                 /* side by side in the smaller ones           */
    uint32_t end;                   /* of the larger ones                         */
} Cut;

static Cut cut_of(uint32_t groups, uint32_t most)
{
    uint32_t times = (groups + most - 1) / most, least = groups / times;
    return (Cut){least, groups % times * (least + 1)};
}

/* The number for as many workgroups as are a band now, of numbers for 1, 2, ... */
static LlvmValue by_band(Emit *e, const uint32_t *numbers)
{
    uint32_t n = MAX_OF(e->ir->band, 1u);
    LlvmValue v = const_i32(e, numbers[n - 1]);
    for (uint32_t i = n - 1; i-- > 0;) {
        LlvmValue is = LLVMBuildICmp(e->builder, LLVMIntEQ, e->band, const_i32(e, i + 1), "");
        v = LLVMBuildSelect(e->builder, is, const_i32(e, numbers[i]), v, "");
    }
    return v;
}

/* Lane groups of one workgroup that are below each other. */
static uint32_t rows_of(const Emit *e)
{
    return e->groups / analysis_columns(e->ir, e->lanes);
}

/* The loops of a cut that take `jam` side by side, if there are any. */
static void emit_cut(Emit *e, const Segment *s, uint32_t jam, uint32_t most)
{
    uint32_t first[MOST_BAND], last[MOST_BAND], n = MAX_OF(e->ir->band, 1u), have = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rows = (i + 1) * rows_of(e);
        Cut cut = cut_of(rows, most);
        first[i] = jam == cut.least ? cut.end : 0;
        last[i] = jam == cut.least ? rows : jam == cut.least + 1 ? cut.end : 0;
        have += first[i] < last[i];
    }
    if (!have)
        return;
    LaneSpan span = {by_band(e, first), by_band(e, last), jam};
    LlvmBlock some = block_new(e, "some"), none = block_new(e, "none");
    if (have < n)
        jump_if(e, LLVMBuildICmp(e->builder, LLVMIntULT, span.first, span.last, ""), some, none);
    else
        jump(e, some);
    block_start(e, some);
    emit_span(e, s, &span);
    jump(e, none);
    block_start(e, none);
}

/* for (column = 0; column < columns; column++) all cuts */
static void emit_columns(Emit *e, const Segment *s, uint32_t least, uint32_t most)
{
    uint32_t columns = analysis_columns(e->ir, e->lanes);
    LlvmBlock header = block_new(e, "column");
    LlvmValue slot = columns > 1 ? slot_new(e, e->i32, "column") : NULL;
    if (slot)
        slot_store(e, slot, const_i32(e, 0));
    jump(e, header);
    block_start(e, header);
    e->column = slot ? slot_load(e, e->i32, slot) : NULL;
    for (uint32_t n = most; n >= least; n--)
        emit_cut(e, s, n, most);
    e->column = NULL;
    if (slot)
        slot_count(e, slot, 1, const_i32(e, columns), header);
}

/* Sums of products fill the registers, whether or not their number divides the workgroup.
 * False: one number suits. */
static bool emit_uneven(Emit *e, const Segment *s, uint32_t jam)
{
    uint32_t most = MIN_OF(analysis_jam_products(e->arena, e->facts, s->first, s->end), MAX_JAM);
    if (jam <= 1 || most <= jam || e->row || e->ir->team || e->private_bytes)
        return false;
    uint32_t good[MOST_BAND], n = MAX_OF(e->ir->band, 1u), have = 0;
    for (uint32_t i = 0; i < n; i++) {
        good[i] = cut_of((i + 1) * rows_of(e), most).least >= jam;
        have += good[i];
    }
    if (!good[n - 1])
        return false;
    LlvmBlock cuts = block_new(e, "cuts"), whole = block_new(e, "whole");
    LlvmBlock after = block_new(e, "cut");
    if (have < n)
        jump_if(e, LLVMBuildTrunc(e->builder, by_band(e, good), e->i1, ""), cuts, whole);
    else
        jump(e, cuts);
    block_start(e, cuts);
    emit_columns(e, s, jam, most);
    jump(e, after);
    block_start(e, whole);
    if (have < n)
        emit_span(e, s, &(LaneSpan){const_i32(e, 0), group_count(e), jam});
    jump(e, after);
    block_start(e, after);
    return true;
}

/* ---- segments of few ---- */

/* Invocations from this one on have no effect here; 0: none has; UINT32_MAX: any may. */
static uint32_t busy_below(const Emit *e, const Inst *inst)
{
    IrEffect effect = ir_op_effect((IrOp)inst->op);
    if (effect == EFFECT_PURE || effect == EFFECT_READ)
        return context_is_kept(e, inst) ? UINT32_MAX : 0;
    const Fact *f = &e->facts->of[inst->id];
    if (inst->op != IR_IF || inst->flow.nresults || f->apart ||
        inst->flow.regions[0]->last->op != IR_YIELD ||
        inst->flow.regions[1]->first->op != IR_YIELD)
        return UINT32_MAX;
    return condition_below(e, inst->args[0]);
}

/* "if l < n { ... }", as sums in workgroup memory have it at each step: lane groups of which
 * no lane is below n are not gone through. Returns how many lane groups are left. */
static uint32_t busy_groups(const Emit *e, const Segment *s)
{
    uint32_t below = 1;
    if (!e->contexts || s->give || e->team_groups || e->row || e->options->shuffle)
        return e->groups;
    for (const Inst *inst = s->first; inst != s->end; inst = inst->next)
        below = MAX_OF(below, busy_below(e, inst));
    return below < e->invocations ? (below + e->lanes - 1) / e->lanes : e->groups;
}

/* ---- any segment ---- */

void segment_emit(Emit *e, const Segment *s)
{
    if (s->first == s->end && !s->give)
        return;
    bool together = (!e->facts->returns_apart || e->contexts) && !may_be_away(e) &&
                    analysis_is_together(e->facts, s->first, s->end);
    uint32_t jam = together ? analysis_jam(e->arena, e->facts, s->first, s->end) : 1;
    jam = MIN_OF(jam, e->most_jam);
    uint32_t busy = busy_groups(e, s);
    if (busy < e->groups)
        emit_span(e, s, &(LaneSpan){const_i32(e, 0), const_i32(e, busy), busy % jam ? 1 : jam});
    else if (!emit_uneven(e, s, jam))
        emit_span(e, s, &(LaneSpan){const_i32(e, 0), group_count(e), jam});
    context_take_given(e);
}
