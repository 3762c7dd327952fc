// SPDX-License-Identifier: Apache-2.0
/*
 * wide.c - a whole workgroup: lane groups one after the other, barriers between.
 *
 * in     the kernel's body
 * out    segments: code between two barriers, in a loop over the lane groups;
 *        around them, once for the workgroup, the constructs that hold barriers
 * knows  that all invocations take the same way through a wide construct
 * not    what a segment does (flow.c)
 *
 * A value that one segment makes and another uses is kept in its context: one
 * place for each lane group, or one in all if the workgroup shares it. What is
 * cheap to make again from the inputs is made again instead. What one round of a loop
 * hands to the next stays where it is, if nobody needs the old value any more.
 */
#include "emit/llvm/emit_priv.h"

#define REMAKE_COST 12u             /* most instructions to make a value again   */
#define STACK_LIMIT (128u << 10)    /* bytes of contexts that stay on the stack  */

/* A parameter or result that the workgroup shares: its lane groups take turns, so
 * the new value waits aside until all of them have read the old one. */
typedef struct Given {
    LlvmValue slot, aside;
    LlvmType  type;
} Given;

typedef struct Wide {
    uint32_t  *segment;             /* [next_id] where each instruction belongs  */
    uint8_t   *cost;                /* [next_id] of making it again; 255: never  */
    bool      *crosses;             /* [next_id] another segment uses it         */
    uint32_t  *last;                /* [next_id] last segment that uses it       */
    uint32_t  *home;                /* [next_id] whose context it is kept in     */
    LlvmValue *context;             /* [next_id * 4]                             */
    uint32_t   nsegments;
    bool       straight;            /* each segment runs once, in their order    */
    VEC(const Inst *) kept;         /* owners of contexts, if straight           */
    uint64_t   stack;               /* bytes of contexts so far                  */
    LlvmBlock  workgroup_end;
    LlvmValue  returned;            /* as Target.away, for the kernel; or NULL   */
    LLVMBuilderRef preamble;        /* start of the segment being emitted        */
    LLVMBuilderRef before;          /* before its first lane group               */
    VEC(Given) given;               /* in the segment being emitted              */
} Wide;

static bool is_wide(const Emit *e, const Inst *inst)
{
    return e->facts->of[inst->id].wide;
}

/* ---- which segment, and what crosses ---- */

static bool cuts(const Emit *e, const Inst *inst)
{
    return inst->op == IR_BARRIER || is_wide(e, inst);
}

static void number_region(Emit *e, const Region *region, bool wide);

static void number_list(Emit *e, Inst *const *list, uint32_t n, uint32_t segment)
{
    for (uint32_t i = 0; i < n; i++)
        e->wide->segment[list[i]->id] = segment;
}

static void number_construct(Emit *e, const Inst *inst)
{
    Wide *w = e->wide;
    bool wide = is_wide(e, inst);
    /* What a wide construct takes and gives belongs to no segment: 0. */
    uint32_t own = wide ? 0 : w->nsegments;
    number_list(e, inst->flow.results, inst->flow.nresults, own);
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        const Region *r = inst->flow.regions[i];
        number_list(e, r->params, r->nparams, own);
        number_region(e, r, wide);
    }
}

static void number_region(Emit *e, const Region *region, bool wide)
{
    Wide *w = e->wide;
    if (wide)
        w->nsegments++;
    if (region->owner && wide)
        w->straight = false;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        w->segment[inst->id] = w->nsegments;
        if (ir_op_is_construct((IrOp)inst->op))
            number_construct(e, inst);
        if (wide && cuts(e, inst))
            w->nsegments++;
    }
}

/* ---- making again ---- */

static bool may_remake(const Inst *inst)
{
    return ir_op_effect((IrOp)inst->op) == EFFECT_PURE && inst->op != IR_PARAM &&
           inst->op != IR_RESULT && inst->type.kind != SCALAR_PLACE;
}

static bool is_shared(const Emit *e, const Inst *inst)
{
    return shape_of(e, inst) == SHAPE_WORKGROUP || e->all_groups == 1;
}

/* A parameter that the workgroup shares is one number, and stays that for as long as
 * anything can be made from it: until the next round. */
static uint32_t cost_of_use(const Emit *e, const Inst *inst)
{
    bool shared = inst->op == IR_PARAM && is_wide(e, inst->region->owner) && is_shared(e, inst);
    return shared ? 1 : e->wide->cost[inst->id];
}

static uint8_t cost_of(const Emit *e, const Inst *inst)
{
    if (!may_remake(inst))
        return UINT8_MAX;
    uint32_t cost = inst->op != IR_CONST;
    for (uint32_t i = 0; i < inst->nargs && cost <= REMAKE_COST; i++)
        cost += cost_of_use(e, inst->args[i]);
    bool slow = inst->op >= IR_FDIV && inst->op <= IR_FREXP_EXP && inst->op != IR_FNEG;
    return cost > REMAKE_COST || slow ? UINT8_MAX : (uint8_t)cost;
}

static void note_use(Emit *e, const Inst *user, const Inst *used);

/* Of a condition, and of an index x ^ d, the emitters read the two sides, too (flow.c,
 * partner.c), if lanes count up there or share a number. */
static void note_sides(Emit *e, const Inst *user, const Inst *used)
{
    const uint32_t *segment = e->wide->segment;
    bool two_sided = condition_is_order(used) || used->op == IR_XOR;
    if (segment[used->id] == segment[user->id] || !two_sided)
        return;
    for (uint32_t i = 0; i < used->nargs; i++)
        if (shape_of(e, used->args[i]) <= SHAPE_AFFINE)
            note_use(e, user, used->args[i]);
}

static void note_use(Emit *e, const Inst *user, const Inst *used)
{
    Wide *w = e->wide;
    if (used->type.kind == SCALAR_PLACE) {
        for (uint32_t i = 0; i < used->nargs; i++) {
            note_use(e, user, used->args[i]);
            note_sides(e, user, used->args[i]);
        }
        return;
    }
    w->last[used->id] = MAX_OF(w->last[used->id], w->segment[user->id]);
    if (w->segment[used->id] == w->segment[user->id] && w->segment[used->id])
        return;
    w->crosses[used->id] = true;
}

static void survey_region(Emit *e, const Region *region);

static void survey_list(Wide *w, Inst *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        w->cost[list[i]->id] = UINT8_MAX;
}

/* The condition of a wide construct is read between segments. */
static bool is_read_between(const Emit *e, const Inst *inst)
{
    if (inst->op == IR_BREAK_IF)
        return is_wide(e, inst->region->owner);
    return (inst->op == IR_IF || inst->op == IR_SWITCH) && is_wide(e, inst);
}

static void survey_inst(Emit *e, const Inst *inst)
{
    Wide *w = e->wide;
    if (ir_op_is_construct((IrOp)inst->op)) {
        for (uint32_t i = 0; i < inst->flow.nregions; i++) {
            survey_list(w, inst->flow.regions[i]->params, inst->flow.regions[i]->nparams);
            survey_region(e, inst->flow.regions[i]);
        }
        survey_list(w, inst->flow.results, inst->flow.nresults);
    }
    w->cost[inst->id] = cost_of(e, inst);
    if (inst->type.kind != SCALAR_PLACE)
        for (uint32_t i = 0; i < inst->nargs; i++)
            note_use(e, inst, inst->args[i]);
    if (inst->op == IR_IF)
        note_sides(e, inst, inst->args[0]);
    if (is_read_between(e, inst)) {
        w->crosses[inst->args[0]->id] = true;
        w->last[inst->args[0]->id] = UINT32_MAX;
        /* By then parameters are the next round's. */
        if (inst->op == IR_BREAK_IF && inst->args[0]->op != IR_CONST)
            w->cost[inst->args[0]->id] = UINT8_MAX;
    }
}

static void survey_region(Emit *e, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next)
        survey_inst(e, inst);
}

/* ---- contexts ---- */

static bool same_form(const Emit *e, const Inst *x, const Inst *y)
{
    return ir_type_eq(x->type, y->type) && shape_of(e, x) == shape_of(e, y) &&
           whole_is(e, x) == whole_is(e, y);
}

/*
 * Parameter `to` of a loop's body, what becomes of it at the end of the body, and the
 * parameter of the continuing region in between: one context, if the segment that makes
 * the new value is the last that looks at the old one. It has fetched that before.
 */
static void share_home(Emit *e, const Inst *leave, const Inst *next, const Inst *to)
{
    Wide *w = e->wide;
    const Inst *between = next->args[to->index];
    if (between->op != IR_PARAM || between->region != next->region ||
        w->last[to->id] > w->segment[leave->id] || is_shared(e, to) ||
        !same_form(e, between, to) || w->home[between->id] != between->id)
        return;
    w->home[between->id] = to->id;
    const Inst *made = leave->args[between->index];
    if (made->op != IR_PARAM && made->region == leave->region && w->crosses[made->id] &&
        w->cost[made->id] == UINT8_MAX && w->segment[made->id] &&
        w->last[to->id] <= w->segment[made->id] && same_form(e, made, to) &&
        w->home[made->id] == made->id)
        w->home[made->id] = to->id;
}

static void share_homes(Emit *e, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op) || !is_wide(e, inst))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            share_homes(e, inst->flow.regions[i]);
        if (inst->op != IR_LOOP || !e->facts->of[inst->id].continues_once)
            continue;
        const Region *body = inst->flow.regions[0], *next = inst->flow.regions[1];
        bool plain = body->last->op == IR_CONTINUE && body->last->target == inst &&
                     next->last->op == IR_NEXT;
        for (uint32_t i = 0; plain && i < body->nparams; i++)
            share_home(e, body->last, next->last, body->params[i]);
    }
}

bool wide_has(const Emit *e, const Inst *to, const Inst *from)
{
    const Wide *w = e->wide;
    bool kept = from->op == IR_PARAM || w->crosses[from->id];
    return kept && w->home[from->id] == w->home[to->id];
}

/* Takes over a context that no later segment looks at. */
static bool context_reuse(Emit *e, const Inst *inst)
{
    Wide *w = e->wide;
    for (uint32_t i = 0; w->straight && i < w->kept.len; i++) {
        const Inst *old = w->kept.data[i];
        if (w->last[old->id] >= w->segment[inst->id] || !same_form(e, old, inst))
            continue;
        for (uint32_t c = 0; c < inst->type.width; c++)
            w->context[inst->id * 4u + c] = w->context[old->id * 4u + c];
        w->kept.data[i] = inst;
        return true;
    }
    if (w->straight)
        VEC_PUSH(e->arena, &w->kept, inst);
    return false;
}

static void context_new(Emit *e, const Inst *inst)
{
    Wide *w = e->wide;
    if (context_reuse(e, inst))
        return;
    LlvmType type = slot_type(e, value_type(e, inst));
    if (!is_shared(e, inst))
        type = LLVMArrayType2(type, e->all_groups);
    uint64_t bytes = 4ull * (is_shared(e, inst) ? 1 : e->all_groups) * e->lanes;
    for (uint32_t c = 0; c < inst->type.width; c++) {
        LlvmValue *slot = &w->context[w->home[inst->id] * 4u + c];
        w->stack += bytes;
        if (w->stack <= STACK_LIMIT) {
            *slot = LLVMBuildAlloca(e->entry, type, "context");
            continue;
        }
        LlvmValue offset = const_i64(e, e->memory_size);
        *slot = LLVMBuildGEP2(e->entry, e->i8, e->memory, &offset, 1, "context");
        e->memory_size += (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
    }
}

LlvmValue wide_given_slot(Emit *e, const Inst *inst, uint32_t c)
{
    LlvmValue slot = wide_slot(e, inst, c);
    Wide *w = e->wide;
    if (!is_shared(e, inst) || e->all_groups == 1)
        return slot;
    for (uint32_t i = 0; i < w->given.len; i++)
        if (w->given.data[i].slot == slot)
            return w->given.data[i].aside;
    /* Nobody may come to give it: then it stays as it is. */
    LlvmType type = slot_type(e, value_type(e, inst));
    Given given = {slot, LLVMBuildAlloca(e->entry, type, "aside"), type};
    LLVMBuildStore(w->before, LLVMBuildLoad2(w->before, type, slot, ""), given.aside);
    VEC_PUSH(e->arena, &w->given, given);
    return given.aside;
}

/* After a segment: what was given counts from now on. */
static void take_given(Emit *e)
{
    Wide *w = e->wide;
    for (uint32_t i = 0; w && i < w->given.len; i++) {
        const Given *g = &w->given.data[i];
        LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, g->type, g->aside, ""), g->slot);
    }
    if (w)
        w->given.len = 0;
}

LlvmValue wide_slot(Emit *e, const Inst *inst, uint32_t c)
{
    Wide *w = e->wide;
    if (!w->context[w->home[inst->id] * 4u])
        context_new(e, inst);
    LlvmValue slot = w->context[w->home[inst->id] * 4u + c];
    if (is_shared(e, inst))
        return slot;
    LlvmType type = slot_type(e, value_type(e, inst));
    return LLVMBuildGEP2(e->builder, type, slot, &e->group, 1, "");
}

void wide_defined(Emit *e, const Inst *inst)
{
    Wide *w = e->wide;
    if (!w || !w->crosses[inst->id] || w->cost[inst->id] != UINT8_MAX)
        return;
    for (uint32_t i = 0; i < side_count(e, inst); i++) {
        side_set(e, i);
        for (uint32_t c = 0; c < inst->type.width; c++)
            slot_store(e, wide_slot(e, inst, c), e->values[inst->id].c[c][i]);
    }
    side_set(e, 0);
}

static void fetch_side(Emit *e, const Inst *inst)
{
    if (e->wide->cost[inst->id] != UINT8_MAX) {
        arith_inst(e, inst);
        return;
    }
    for (uint32_t c = 0; c < inst->type.width; c++)
        set_value(e, inst, c, slot_load(e, value_type(e, inst), wide_slot(e, inst, c)));
}

Val wide_fetch(Emit *e, const Inst *inst)
{
    Wide *w = e->wide;
    BUG_IF(!w, "%%%u (%s) is used before it is made", inst->id,
           ir_op_name((IrOp)inst->op));
    LLVMBuilderRef builder = e->builder;
    uint32_t side = e->side;
    e->builder = w->preamble;
    for (uint32_t i = 0; i < side_count(e, inst); i++) {
        side_set(e, i);
        fetch_side(e, inst);
    }
    side_set(e, side);
    e->builder = builder;
    return e->values[inst->id];
}

/* A value that the whole workgroup shares, between segments. */
static LlvmValue between(Emit *e, const Inst *inst)
{
    if (inst->op == IR_CONST) {
        e->segment++;
        arith_inst(e, inst);
        return e->values[inst->id].c[0][0];
    }
    Wide *w = e->wide;
    e->segment++;
    if (w->cost[inst->id] != UINT8_MAX && shape_of(e, inst) == SHAPE_WORKGROUP) {
        w->preamble = e->builder;           /* that of the last segment is gone */
        return as_scalar(e, inst, 0);
    }
    e->sides[0] = const_i32(e, 0);
    side_set(e, 0);
    LlvmValue v = slot_load(e, value_type(e, inst), wide_slot(e, inst, 0));
    return is_vector(v) ? lane_get(e, v, 0) : v;
}

/* ---- who has left ---- */

/* Masks, one a lane group, all off at this point. */
static LlvmValue away_new(Emit *e)
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

void wide_leave(Emit *e, const Target *t)
{
    LlvmValue masks = t ? t->away : e->wide ? e->wide->returned : NULL;
    if (!masks)
        return;
    LlvmValue slot = away_slot(e, masks);
    LlvmValue before = slot_load(e, lane_type(e, e->i1), slot);
    slot_store(e, slot, LLVMBuildOr(e->builder, before, mask_vector(e), ""));
}

static bool may_be_away(const Emit *e)
{
    bool any = e->wide && e->wide->returned;
    for (const Target *t = e->target; t && !any; t = t->outer)
        any = t->away != NULL;
    return any;
}

/* `mask` without those who have left a construct that the segment is in. */
static LlvmValue who_is_here(Emit *e, LlvmValue mask)
{
    LlvmType type = lane_type(e, e->i1);
    if (e->wide && e->wide->returned)
        mask = mask_and_not(e, mask, slot_load(e, type, away_slot(e, e->wide->returned)));
    for (const Target *t = e->target; t; t = t->outer)
        if (t->away)
            mask = mask_and_not(e, mask, slot_load(e, type, away_slot(e, t->away)));
    return mask;
}

/* ---- segments ---- */

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
    l->x = slot_new(e, e->i32, "x");
    l->base = slot_new(e, e->i32, "base");
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
    l->step = slot_new(e, e->i32, "step");
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
    LLVMDisposeBuilder(l->preamble);
    LLVMDisposeBuilder(l->before);
    e->jam = 1;
}

/* What a segment is: code, and what gives its values to the construct that it leaves, or
 * NULL. */
typedef struct Segment {
    const Inst *first, *end;
    void      (*give)(Emit *e, const Inst *leave);
    const Inst *leave;
} Segment;

static void emit_span(Emit *e, const Segment *s, const LaneSpan *span)
{
    LaneLoop loop;
    lane_loop_open(e, &loop, span);
    if (e->wide) {
        e->wide->preamble = loop.preamble;
        e->wide->before = loop.before;
    } else {
        emit_zero_private(e);
    }
    flow_insts(e, s->first, s->end);
    if (s->give)
        s->give(e, s->leave);
    lane_loop_close(e, &loop);
}

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
    if (jam <= 1 || most <= jam || e->row || e->ir->team)
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

/* Invocations from this one on do nothing here that counts; 0: nobody notices this one;
 * UINT32_MAX: some may. */
static uint32_t busy_below(const Emit *e, const Inst *inst)
{
    const Wide *w = e->wide;
    IrEffect effect = ir_op_effect((IrOp)inst->op);
    if (effect == EFFECT_PURE || effect == EFFECT_READ)
        return w->crosses[inst->id] && w->cost[inst->id] == UINT8_MAX ? UINT32_MAX : 0;
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
    if (!e->wide || s->give || e->team_groups || e->row || e->options->shuffle)
        return e->groups;
    for (const Inst *inst = s->first; inst != s->end; inst = inst->next)
        below = MAX_OF(below, busy_below(e, inst));
    return below < e->invocations ? (below + e->lanes - 1) / e->lanes : e->groups;
}

/* Code of [first, end) for all lane groups; then `leave`, if there is one, gives
 * its values to the construct it leaves. */
static void emit_segment(Emit *e, const Inst *first, const Inst *end,
                         void (*give)(Emit *e, const Inst *inst), const Inst *inst)
{
    Segment s = {first, end, give, inst};
    if (first == end && !give)
        return;
    bool together = (!e->facts->returns_apart || e->wide) && !may_be_away(e) &&
                    analysis_is_together(e->facts, first, end);
    uint32_t jam = together ? analysis_jam(e->arena, e->facts, first, end) : 1;
    jam = MIN_OF(jam, e->most_jam);
    uint32_t busy = busy_groups(e, &s);
    if (busy < e->groups)
        emit_span(e, &s, &(LaneSpan){const_i32(e, 0), const_i32(e, busy), busy % jam ? 1 : jam});
    else if (!emit_uneven(e, &s, jam))
        emit_span(e, &s, &(LaneSpan){const_i32(e, 0), group_count(e), jam});
    take_given(e);
}

/* ---- wide constructs ---- */

static void emit_wide_region(Emit *e, const Region *region);

static Target *wide_target(Emit *e, const Inst *construct)
{
    Target *t = e->target;
    while (t && t->construct != construct)
        t = t->outer;
    BUG_IF(!t || !t->wide, "a wide way out leads to no wide construct");
    return t;
}

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

static void open_wide(Emit *e, Target *t, const Inst *inst)
{
    *t = (Target){.outer = e->target, .construct = inst, .wide = true};
    t->exit = t->way_end = block_new(e, ir_op_name((IrOp)inst->op));
    t->away = e->facts->of[inst->id].far ? away_new(e) : NULL;
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
    LlvmValue condition = between(e, inst->args[0]);
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
    LlvmValue selector = between(e, inst->args[0]);
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

/* Are all values where they are given to? */
static bool gives_nothing(const Emit *e, const Region *to, const Inst *leave)
{
    for (uint32_t i = 0; i < to->nparams; i++)
        if (!wide_has(e, to->params[i], leave->args[i]))
            return false;
    return true;
}

static void emit_wide_continue(Emit *e, const Inst *first, const Inst *leave)
{
    bool nothing = gives_nothing(e, leave->target->flow.regions[1], leave);
    emit_segment(e, first, leave, nothing ? NULL : give_continue, leave);
    jump(e, wide_target(e, leave->target)->again);
}

static void emit_wide_next(Emit *e, const Inst *first, const Inst *leave)
{
    bool nothing = gives_nothing(e, e->target->construct->flow.regions[0], leave);
    emit_segment(e, first, leave, nothing ? NULL : give_next, leave);
    jump(e, e->target->way_end);
}

/* The last segment of a region, with the instruction that leaves it. */
static void emit_wide_leave(Emit *e, const Inst *first, const Inst *leave)
{
    switch (leave->op) {
    case IR_YIELD:
        emit_segment(e, first, leave, give_results, leave);
        jump(e, e->target->exit);
        break;
    case IR_BREAK:
        emit_segment(e, first, leave, give_results, leave);
        jump(e, wide_target(e, leave->target)->exit);
        break;
    case IR_CONTINUE:
        emit_wide_continue(e, first, leave);
        break;
    case IR_NEXT:
        emit_wide_next(e, first, leave);
        break;
    case IR_BREAK_IF: {
        emit_segment(e, first, leave, give_break_if, leave);
        LlvmValue condition = between(e, leave->args[0]);
        jump_if(e, condition, e->target->exit, e->target->way_end);
        break;
    }
    case IR_UNREACHABLE:
        /* All have left inside the segment: those who left for further out are kept
         * off there. */
        emit_segment(e, first, leave, NULL, NULL);
        jump(e, e->target ? e->target->exit : e->wide->workgroup_end);
        break;
    default:
        emit_segment(e, first, leave, NULL, NULL);
        jump(e, e->wide->workgroup_end);
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
        if (!cuts(e, inst))
            continue;
        bool loop = inst->op == IR_LOOP;
        emit_segment(e, first, inst, loop ? give_inits : NULL, inst);
        if (inst->op != IR_BARRIER)
            emit_wide_construct(e, inst);
        first = inst->next;
    }
}

/* ---- the body ---- */

static void wide_init(Emit *e, Wide *w)
{
    uint32_t n = e->ir->next_id;
    *w = (Wide){
        .segment = ARENA_ARRAY(e->arena, uint32_t, n),
        .cost = ARENA_ARRAY(e->arena, uint8_t, n),
        .crosses = ARENA_ARRAY(e->arena, bool, n),
        .last = ARENA_ARRAY(e->arena, uint32_t, n),
        .home = ARENA_ARRAY(e->arena, uint32_t, n),
        .context = ARENA_ARRAY(e->arena, LlvmValue, (size_t)n * 4),
        .workgroup_end = block_new(e, "workgroup.end"),
        .straight = true,
    };
    e->wide = w;
    for (uint32_t i = 0; i < n; i++)
        w->home[i] = i;
    number_region(e, e->ir->body, true);
    survey_region(e, e->ir->body);
    share_homes(e, e->ir->body);
}

void wide_body(Emit *e)
{
    if (!e->facts->has_barrier) {
        emit_segment(e, e->ir->body->first, NULL, NULL, NULL);
        return;
    }
    Wide w;
    wide_init(e, &w);
    emit_zero_private(e);
    w.returned = e->facts->returns_far ? away_new(e) : NULL;
    emit_wide_region(e, e->ir->body);
    block_start(e, w.workgroup_end);
    e->wide = NULL;
}
