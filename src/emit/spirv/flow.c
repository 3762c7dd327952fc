// SPDX-License-Identifier: Apache-2.0
/*
 * flow.c - regions and constructs.
 *
 * in     the tree of regions
 * out    blocks with merge instructions, in structured order
 * knows  the forms below
 * not    how a way out of several constructs is taken (leave.c)
 *
 *   IF       selection, OpBranchConditional; nothing but the branch, if one way is just
 *            a BREAK or CONTINUE of the loop around it
 *   SWITCH   selection, OpSwitch
 *   LOOP     header with the parameters of the body as phis; the continuing region
 *            is the continue construct and ends in the only branch back. Or, for a
 *            driver that tests in each round whether to begin with the continue
 *            construct: the parameters are variables, the continuing region stands at
 *            the end of the body, and the continue construct is empty
 *   BLOCK    nothing, if its only BREAK is its end; else a selection with an
 *            OpSwitch of one case, whose merge block can be reached from inside IFs
 *
 * Values of constructs are phis at the merge block. A loop that a driver would unroll into
 * more than MAX_UNROLLED instructions is marked as not to be unrolled; those in it may be.
 */
#include "emit/spirv/spirv_priv.h"

#define MAX_UNROLLED        2048u
#define MAX_UNROLLED_ROUNDS 32u     /* of a loop that the driver unrolls          */

/* ---- blocks ---- */

void spv_block_start(Spirv *s, SpvId label)
{
    spv_put(s, SECTION_CODE, SpvOpLabel, OPERANDS(label));
    s->block = label;
}

void spv_branch(Spirv *s, SpvId to)
{
    spv_put(s, SECTION_CODE, SpvOpBranch, OPERANDS(to));
}

void spv_branch_if(Spirv *s, SpvId condition, SpvId yes, SpvId no)
{
    spv_put(s, SECTION_CODE, SpvOpBranchConditional, OPERANDS(condition, yes, no));
}

void spv_selection_merge(Spirv *s, SpvId merge)
{
    spv_put(s, SECTION_CODE, SpvOpSelectionMerge, OPERANDS(merge, SpvSelectionControlMaskNone));
}

static void frame_push(Spirv *s, Frame *f, const Inst *construct)
{
    *f = (Frame){.outer = s->frame, .construct = construct, .merge = spv_new_id(s)};
    s->frame = f;
}

/* Everything inside is emitted: goes on behind the construct. */
static void frame_pop(Spirv *s, Frame *f)
{
    s->frame = f->outer;
    spv_block_start(s, f->merge);
    spv_leave_merge(s, f, f->construct->flow.results, f->construct->flow.nresults);
}

/* ---- constructs ---- */

static void flow_inst(Spirv *s, const Inst *inst);

static bool only_yields(const Region *r)
{
    return r->first->op == IR_YIELD;
}

static bool ends_in_yield(const Region *r)
{
    return r->last->op == IR_YIELD;
}

/* if (c) break; and the like. The other way just goes on. */
static bool emit_exit(Spirv *s, const Inst *inst)
{
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    bool exits_yes = spv_leave_is_direct(s, yes->first) && ends_in_yield(no);
    bool exits_no = spv_leave_is_direct(s, no->first) && ends_in_yield(yes);
    if (!exits_yes && !exits_no)
        return false;
    Frame f = {.outer = s->frame, .construct = inst, .fused = true};
    SpvId condition = spv_value(s, inst->args[0]), next = spv_new_id(s);
    SpvId out = spv_leave_target(s, exits_yes ? yes->first : no->first);
    spv_branch_if(s, condition, exits_yes ? out : next, exits_yes ? next : out);
    spv_block_start(s, next);
    s->frame = &f;
    spv_flow_region(s, exits_yes ? no : yes);
    s->frame = f.outer;
    return true;
}

/* An empty way goes straight to the merge block. */
static void emit_if(Spirv *s, const Inst *inst)
{
    Frame f;
    if (emit_exit(s, inst))
        return;
    SpvId condition = spv_value(s, inst->args[0]);
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    bool skips_no = only_yields(no), skips_yes = only_yields(yes) && !skips_no;
    frame_push(s, &f, inst);
    SpvId first = skips_yes ? f.merge : spv_new_id(s), second = skips_no ? f.merge : spv_new_id(s);
    spv_selection_merge(s, f.merge);
    spv_branch_if(s, condition, first, second);
    if (skips_yes || skips_no)
        spv_leave_arrive(s, &f, skips_yes ? yes->first : no->first);
    if (!skips_yes) {
        spv_block_start(s, first);
        spv_flow_region(s, yes);
    }
    if (!skips_no) {
        spv_block_start(s, second);
        spv_flow_region(s, no);
    }
    frame_pop(s, &f);
}

static void emit_switch(Spirv *s, const Inst *inst)
{
    Frame f;
    Words w = {0};
    const IrCases *cases = &inst->flow.cases;
    uint32_t n = inst->flow.nregions;
    SpvId *labels = ARENA_ARRAY(s->arena, SpvId, n);
    for (uint32_t i = 0; i < n; i++)
        labels[i] = spv_new_id(s);
    VEC_PUSH(s->arena, &w, spv_value(s, inst->args[0]));
    VEC_PUSH(s->arena, &w, labels[n - 1]);
    for (uint32_t i = 0; i < cases->count; i++) {
        VEC_PUSH(s->arena, &w, cases->values[i]);
        VEC_PUSH(s->arena, &w, labels[cases->regions[i]]);
    }
    frame_push(s, &f, inst);
    spv_selection_merge(s, f.merge);
    spv_put(s, SECTION_CODE, SpvOpSwitch, w.len, w.data);
    for (uint32_t i = 0; i < n; i++) {
        spv_block_start(s, labels[i]);
        spv_flow_region(s, inst->flow.regions[i]);
    }
    frame_pop(s, &f);
}

static void emit_block(Spirv *s, const Inst *inst)
{
    Frame f;
    const Region *r = inst->flow.regions[0];
    bool ends_in_it = r->last->op == IR_BREAK && r->last->target == inst;
    frame_push(s, &f, inst);
    if (s->breaks[inst->id] == 1 && ends_in_it) {
        f.fused = true;
        spv_flow_region(s, r);
        s->frame = f.outer;
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            s->values[inst->flow.results[i]->id] = spv_value(s, r->last->args[i]);
        return;
    }
    SpvId body = spv_new_id(s);
    spv_selection_merge(s, f.merge);
    spv_put(s, SECTION_CODE, SpvOpSwitch, OPERANDS(spv_const_u32(s, 0), body));
    spv_block_start(s, body);
    spv_flow_region(s, r);
    frame_pop(s, &f);
}

/* ---- loops ---- */

/* What a loop carries from round to round. */
typedef struct Header {
    SpvId     label;
    bool      in_memory;
    uint32_t *back;                 /* [nparams] phis: place of the value that comes back,
                                       then its block, in CODE                    */
    SpvId    *vars;                 /* [nparams] in_memory                        */
} Header;

/* Is the end of the body the only way to its next round? Then what comes in between can
 * be computed there. */
static bool continues_once(const Spirv *s, const Inst *loop)
{
    const Inst *end = loop->flow.regions[0]->last;
    return s->continues[loop->id] == 1 && end->op == IR_CONTINUE && end->target == loop;
}

static SpvId local_variable(Spirv *s, SpvId type)
{
    SpvId id = spv_new_id(s), pointer = spv_type_pointer(s, SpvStorageClassFunction, type);
    spv_put(s, SECTION_LOCALS, SpvOpVariable, OPERANDS(pointer, id, SpvStorageClassFunction));
    return id;
}

/* Values that go into the first round, or the next. */
static void store_carried(Spirv *s, const Header *h, Inst *const *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        spv_put(s, SECTION_CODE, SpvOpStore, OPERANDS(h->vars[i], spv_value(s, values[i])));
}

static SpvId phi_of(Spirv *s, Header *h, uint32_t i, SpvId type, SpvId first, SpvId before)
{
    SpvId id = spv_op_new(s, SpvOpPhi, type, OPERANDS(first, before, 0, 0));
    h->back[i] = s->sections[SECTION_CODE].len - 2;
    return id;
}

static void header_open(Spirv *s, Header *h, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    uint32_t n = body->nparams;
    SpvId before = s->block;
    *h = (Header){.label = spv_new_id(s), .back = ARENA_ARRAY(s->arena, uint32_t, n),
                  .vars = ARENA_ARRAY(s->arena, SpvId, n),
                  .in_memory = s->target->tests_continue && continues_once(s, loop)};
    for (uint32_t i = 0; h->in_memory && i < n; i++)
        h->vars[i] = local_variable(s, spv_type_value(s, body->params[i]->type));
    if (h->in_memory)
        store_carried(s, h, loop->args, n);
    spv_branch(s, h->label);
    spv_block_start(s, h->label);
    for (uint32_t i = 0; i < n; i++) {
        const Inst *p = body->params[i];
        SpvId type = spv_type_value(s, p->type);
        s->values[p->id] = h->in_memory
                               ? spv_op1(s, SpvOpLoad, type, h->vars[i])
                               : phi_of(s, h, i, type, spv_value(s, loop->args[i]), before);
    }
}

static void header_close(Spirv *s, const Header *h, uint32_t i, SpvId back)
{
    uint32_t *at = s->sections[SECTION_CODE].data + h->back[i];
    at[0] = back;
    at[1] = s->block;
}

/* NEXT or BREAK_IF. To the next round it goes by way of `on`. */
static void loop_back(Spirv *s, Frame *f, const Header *h, const Inst *end, SpvId on)
{
    const Inst *loop = f->construct;
    uint32_t nparams = loop->flow.regions[0]->nparams;
    uint32_t first = end->op == IR_BREAK_IF ? 1 + loop->flow.nresults : 0;
    if (h->in_memory)
        store_carried(s, h, end->args + first, nparams);
    for (uint32_t i = 0; !h->in_memory && i < nparams; i++)
        header_close(s, h, i, spv_value(s, end->args[first + i]));
    if (end->op == IR_NEXT) {
        spv_branch(s, on);
        return;
    }
    SpvId condition = spv_value(s, end->args[0]);
    spv_leave_arrive(s, f, end);
    spv_branch_if(s, condition, f->merge, on);
}

/* Unreachable, but SPIR-V requires a back edge of every loop. */
static void loop_never_back(Spirv *s, const Header *h, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++)
        header_close(s, h, i, spv_undef(s, spv_type_value(s, body->params[i]->type)));
    spv_branch(s, h->label);
}

/* The body and what comes before the next round in one, as far as its end. */
static void emit_whole_round(Spirv *s, Frame *f, const Header *h)
{
    const Region *body = f->construct->flow.regions[0], *again = f->construct->flow.regions[1];
    for (const Inst *inst = body->first; inst != body->last; inst = inst->next)
        flow_inst(s, inst);
    for (uint32_t i = 0; i < again->nparams; i++)
        s->values[again->params[i]->id] = spv_value(s, body->last->args[i]);
    spv_flow_region(s, again);
    loop_back(s, f, h, again->last, f->again);
    spv_block_start(s, f->again);
    spv_branch(s, h->label);
}

static void emit_round(Spirv *s, Frame *f, const Header *h)
{
    const Region *again = f->construct->flow.regions[1];
    spv_flow_region(s, f->construct->flow.regions[0]);
    spv_block_start(s, f->again);
    if (f->continued.len) {
        spv_leave_join(s, &f->continued, again->params, again->nparams);
        s->continuing++;
        spv_flow_region(s, again);
        s->continuing--;
        loop_back(s, f, h, again->last, h->label);
    } else {
        loop_never_back(s, h, f->construct);
    }
}

static uint64_t unrolled_size(const Region *r);

/* Of one round, with the loops in it unrolled. */
static uint64_t round_size(const Inst *construct)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < construct->flow.nregions; i++)
        size += unrolled_size(construct->flow.regions[i]);
    return size;
}

static bool would_unroll(const Inst *loop)
{
    uint32_t rounds = analysis_rounds(loop);
    return rounds && rounds <= MAX_UNROLLED_ROUNDS;
}

static uint64_t unrolled_size(const Region *r)
{
    uint64_t size = 0;
    for (const Inst *inst = r->first; inst; inst = inst->next) {
        uint64_t one = ir_op_is_construct((IrOp)inst->op) ? round_size(inst) : 1, all = one;
        if (inst->op == IR_LOOP && would_unroll(inst))
            all *= analysis_rounds(inst);
        size += all > MAX_UNROLLED ? one : all;
    }
    return size;
}

static bool is_too_large(const Inst *loop)
{
    return would_unroll(loop) && analysis_rounds(loop) * round_size(loop) > MAX_UNROLLED;
}

static void emit_loop(Spirv *s, const Inst *inst)
{
    Frame f;
    Header h;
    header_open(s, &h, inst);
    frame_push(s, &f, inst);
    f.again = spv_new_id(s);
    SpvId body = spv_new_id(s);
    uint32_t control = s->target->unrolls_nests && is_too_large(inst)
                           ? SpvLoopControlDontUnrollMask : SpvLoopControlMaskNone;
    spv_put(s, SECTION_CODE, SpvOpLoopMerge, OPERANDS(f.merge, f.again, control));
    spv_keep_header(s, &f, body);
    spv_block_start(s, body);
    if (h.in_memory)
        emit_whole_round(s, &f, &h);
    else
        emit_round(s, &f, &h);
    frame_pop(s, &f);
}

/* ---- instructions ---- */

static void flow_inst(Spirv *s, const Inst *inst)
{
    switch (inst->op) {
    case IR_IF:     emit_if(s, inst); return;
    case IR_SWITCH: emit_switch(s, inst); return;
    case IR_LOOP:   emit_loop(s, inst); return;
    case IR_BLOCK:  emit_block(s, inst); return;
    case IR_VAR: case IR_FIELD: case IR_ELEM: case IR_VIEW: spv_place_inst(s, inst); return;
    case IR_LOAD:   spv_memory_load(s, inst); return;
    case IR_STORE:  spv_memory_store(s, inst); return;
    case IR_LENGTH: spv_memory_length(s, inst); return;
    case IR_ATOMIC: spv_atomic_inst(s, inst); return;
    case IR_BARRIER: spv_barrier(s, inst->barrier); return;
    case IR_SUBGROUP: spv_subgroup_inst(s, inst); return;
    case IR_NEXT: case IR_BREAK_IF: return;             /* loop_back() */
    default: break;
    }
    if (ir_op_ends_region((IrOp)inst->op))
        spv_leave_inst(s, inst);
    else
        spv_arith_inst(s, inst);
}

void spv_flow_region(Spirv *s, const Region *r)
{
    for (const Inst *inst = r->first; inst; inst = inst->next)
        flow_inst(s, inst);
}
