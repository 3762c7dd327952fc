// SPDX-License-Identifier: Apache-2.0
/*
 * whole.c - vectors of four that stay as they lie in memory.
 *
 * in     the kernel; a value that is kept whole, or one that such a value is made from
 * out    Emit.whole: which values are kept whole; pieces
 * why    arrays of vec4f hold one vector a lane. To take components apart when they are
 *        loaded, and to put them together when they are stored, costs more than most
 *        kernels do with them in between
 * knows  rows.c turns both ways
 * not    memory
 *
 * A value that is kept whole has four pieces of `lanes` numbers: the vectors of the first
 * quarter of the lanes, one after the other, then those of the next. What is done to each
 * component alone is done to pieces just the same. Values that hang together by that are
 * kept alike: whole, if this saves more turns than it takes.
 */
#include "emit/llvm/place_priv.h"

#define TURN   8                    /* shuffles: all components at once            */
#define SPREAD 4                    /* the same: one component or lane for all     */
#define LOOP   8                    /* rounds of a loop, at a guess                */
#define MOST_ROUNDS 512

typedef struct Survey {
    Emit     *e;
    bool     *may;                  /* [next_id] can be kept whole                 */
    bool     *turned;               /* [next_id] some use takes it apart           */
    uint32_t *spread;               /* [next_id] uses as all components of a vector */
    uint32_t *kin;                  /* [next_id] another one that is kept alike    */
    int64_t  *gain;                 /* [next_id] of all kin                        */
} Survey;

bool whole_is(const Emit *e, const Inst *inst)
{
    return e->whole[inst->id];
}

/* ---- which may be ---- */

static bool is_four(const Emit *e, const Inst *inst)
{
    return inst->type.width == WHOLE && shape_of(e, inst) == SHAPE_VARYING &&
           (inst->type.kind == SCALAR_F32 || inst->type.kind == SCALAR_I32 ||
            inst->type.kind == SCALAR_BOOL);
}

static bool is_each_alone(IrOp op)
{
    return (op >= IR_FADD && op <= IR_LDEXP) || (op >= IR_IADD && op <= IR_IMUL) ||
           (op >= IR_SMIN && op <= IR_SAR) || (op >= IR_AND && op <= IR_NOT) ||
           (op >= IR_FEQ && op <= IR_ULE) || (op >= IR_S2F && op <= IR_F2U) ||
           op == IR_SELECT || op == IR_BITCAST;
}

static bool is_spread(const Inst *inst)
{
    if (inst->op != IR_VEC || inst->type.width != WHOLE)
        return false;
    for (uint32_t i = 1; i < inst->nargs; i++)
        if (inst->args[i] != inst->args[0])
            return false;
    return true;
}

/* Words of memory that all lanes share. */
static bool is_row_place(Emit *e, const Inst *place)
{
    if (place->mem->kind != MEM_VALUE || place->mem->value.stride != 4 ||
        place->mem->value.type.kind == SCALAR_BOOL)
        return false;
    Address a = address_of(e, place, false);
    return !address_is_private(&a) && a.shape != ADDRESS_UNIFORM;
}

static bool may_be_whole(Emit *e, const Inst *inst)
{
    if (!is_four(e, inst))
        return false;
    if (inst->op == IR_LOAD)
        return is_row_place(e, inst->args[0]);
    return inst->op == IR_PARAM || inst->op == IR_RESULT || is_spread(inst) ||
           (inst->op == IR_SWIZZLE && is_four(e, inst->args[0])) ||
           is_each_alone((IrOp)inst->op);
}

/* ---- who hangs together ---- */

static uint32_t kin_of(Survey *s, uint32_t id)
{
    while (s->kin[id] != id)
        id = s->kin[id] = s->kin[s->kin[id]];
    return id;
}

static void join_kin(Survey *s, const Inst *x, const Inst *y)
{
    if (s->may[x->id] && s->may[y->id])
        s->kin[kin_of(s, x->id)] = kin_of(s, y->id);
}

/* Calls f for each parameter or result that an instruction gives a value to. */
static void each_given(Survey *s, const Inst *inst, int64_t rounds,
                       void (*f)(Survey *s, const Inst *to, const Inst *from, int64_t rounds))
{
    Inst *const *to = NULL, *const *from = inst->args;
    uint32_t n = inst->nargs;
    const Inst *owner = inst->region->owner;
    switch (inst->op) {
    case IR_LOOP:     to = inst->flow.regions[0]->params; break;
    case IR_YIELD:    to = owner->flow.results; break;
    case IR_BREAK:    to = inst->target->flow.results; break;
    case IR_CONTINUE: to = inst->target->flow.regions[1]->params; break;
    case IR_NEXT:     to = owner->flow.regions[0]->params; break;
    case IR_BREAK_IF:
        for (uint32_t i = 0; i < owner->flow.nresults; i++)
            f(s, owner->flow.results[i], inst->args[1 + i], rounds);
        to = owner->flow.regions[0]->params;
        from = inst->args + 1 + owner->flow.nresults;
        n = owner->flow.regions[0]->nparams;
        break;
    default:
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        f(s, to[i], from[i], rounds);
}

static void link_given(Survey *s, const Inst *to, const Inst *from, int64_t rounds)
{
    (void)rounds;
    join_kin(s, to, from);
}

static void link_inst(Survey *s, const Inst *inst)
{
    each_given(s, inst, 1, link_given);
    if (inst->op == IR_PARAM || inst->op == IR_RESULT || !s->may[inst->id])
        return;
    const Inst *x = inst->nargs ? inst->args[0] : NULL;
    if (is_spread(inst) && x->op == IR_EXTRACT) {
        join_kin(s, inst, x->args[0]);
        s->spread[x->id] += inst->nargs;
    } else if (inst->op != IR_LOAD) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            join_kin(s, inst, inst->args[i]);
    }
}

/* ---- what it saves ---- */

static void add_gain(Survey *s, const Inst *inst, int64_t shuffles)
{
    if (s->may[inst->id])
        s->gain[kin_of(s, inst->id)] += shuffles;
}

/* The components of a value are used: it is transposed once, for all its uses. */
static void take_apart(Survey *s, const Inst *inst, int64_t rounds)
{
    if (s->may[inst->id] && !s->turned[inst->id])
        add_gain(s, inst, -TURN * rounds);
    s->turned[inst->id] |= s->may[inst->id];
}

static void weigh_given(Survey *s, const Inst *to, const Inst *from, int64_t rounds)
{
    bool fetched = s->may[to->id] && !s->may[from->id] &&
                   shape_of(s->e, from) == SHAPE_VARYING;
    if (fetched)
        add_gain(s, to, -TURN * rounds);
    else if (!s->may[to->id])
        take_apart(s, from, rounds);
}

static void weigh_made(Survey *s, const Inst *inst, int64_t rounds)
{
    if (inst->op == IR_LOAD) {
        add_gain(s, inst, TURN * rounds);
    } else if (inst->op == IR_VEC || inst->op == IR_SWIZZLE) {
        add_gain(s, inst, -SPREAD * rounds);
    } else {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (!s->may[inst->args[i]->id] && shape_of(s->e, inst->args[i]) == SHAPE_VARYING)
                add_gain(s, inst, -TURN * rounds);
    }
}

static void weigh_inst(Survey *s, const Inst *inst, int64_t rounds)
{
    if (ir_op_effect((IrOp)inst->op) == EFFECT_FLOW) {
        each_given(s, inst, rounds, weigh_given);
    } else if (s->may[inst->id]) {
        weigh_made(s, inst, rounds);
    } else if (inst->op == IR_STORE && is_row_place(s->e, inst->args[0])) {
        add_gain(s, inst->args[1], TURN * rounds);
    } else if (inst->op == IR_EXTRACT && s->spread[inst->id] == s->e->uses[inst->id]) {
        return;
    } else {
        for (uint32_t i = 0; i < inst->nargs; i++)
            take_apart(s, inst->args[i], rounds);
    }
}

/* ---- all instructions ---- */

static void mark_list(Survey *s, Inst *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s->may[list[i]->id] = may_be_whole(s->e, list[i]);
}

static void mark_region(Survey *s, const Region *region)
{
    mark_list(s, region->params, region->nparams);
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        s->may[inst->id] = may_be_whole(s->e, inst);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        mark_list(s, inst->flow.results, inst->flow.nresults);
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            mark_region(s, inst->flow.regions[i]);
    }
}

static void link_region(Survey *s, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        link_inst(s, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                link_region(s, inst->flow.regions[i]);
    }
}

static void weigh_region(Survey *s, const Region *region, int64_t rounds)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        weigh_inst(s, inst, rounds);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        int64_t inside = inst->op == IR_LOOP ? MIN_OF(rounds * LOOP, MOST_ROUNDS) : rounds;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            weigh_region(s, inst->flow.regions[i], inside);
    }
}

void whole_survey(Emit *e)
{
    uint32_t n = e->ir->next_id;
    e->whole = ARENA_ARRAY(e->arena, bool, n);
    if (e->lanes % WHOLE)
        return;
    Survey s = {
        .e = e,
        .may = ARENA_ARRAY(e->arena, bool, n),
        .turned = ARENA_ARRAY(e->arena, bool, n),
        .spread = ARENA_ARRAY(e->arena, uint32_t, n),
        .kin = ARENA_ARRAY(e->arena, uint32_t, n),
        .gain = ARENA_ARRAY(e->arena, int64_t, n),
    };
    for (uint32_t i = 0; i < n; i++)
        s.kin[i] = i;
    mark_region(&s, e->ir->body);
    link_region(&s, e->ir->body);
    weigh_region(&s, e->ir->body, 1);
    for (uint32_t i = 0; i < n; i++)
        e->whole[i] = s.may[i] && s.gain[kin_of(&s, i)] > 0;
}

/* ---- pieces ---- */

static LlvmValue shuffle(Emit *e, LlvmValue x, const uint32_t *at)
{
    LlvmValue *mask = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        mask[i] = const_i32(e, at[i]);
    return LLVMBuildShuffleVector(e->builder, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(mask, e->lanes), "");
}

/* In each vector of a piece: components at[0], at[1], ... of it. */
static LlvmValue reorder(Emit *e, LlvmValue piece, const uint8_t *order)
{
    uint32_t *at = ARENA_ARRAY(e->arena, uint32_t, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = i / WHOLE * WHOLE + order[i % WHOLE];
    return shuffle(e, piece, at);
}

LlvmValue whole_lanes(Emit *e, LlvmValue lanes, uint32_t k)
{
    uint32_t *at = ARENA_ARRAY(e->arena, uint32_t, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = k * (e->lanes / WHOLE) + i / WHOLE;
    return shuffle(e, lanes, at);
}

/* The same vector for all lanes: any piece. */
static LlvmValue shared_piece(Emit *e, const Inst *inst)
{
    LlvmValue c[WHOLE], v = NULL;
    bool same = true;
    for (uint32_t i = 0; i < WHOLE; i++) {
        c[i] = as_scalar(e, inst, i);
        same &= c[i] == c[0];
    }
    if (same)
        return splat(e, c[0]);
    v = LLVMGetPoison(lane_type(e, LLVMTypeOf(c[0])));
    for (uint32_t i = 0; i < WHOLE; i++)
        v = lane_set(e, v, c[i], i);
    uint32_t *at = ARENA_ARRAY(e->arena, uint32_t, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = i % WHOLE;
    return shuffle(e, v, at);
}

LlvmValue whole_piece(Emit *e, const Inst *inst, uint32_t k)
{
    if (shape_of(e, inst) != SHAPE_VARYING)
        return shared_piece(e, inst);
    if (whole_is(e, inst))
        return as_kept(e, inst, k);
    LlvmValue apart[WHOLE], pieces[WHOLE];
    for (uint32_t c = 0; c < WHOLE; c++)
        apart[c] = as_kept(e, inst, c);
    rows_together(e, apart, pieces);
    return pieces[k];
}

LlvmValue whole_component(Emit *e, const Inst *inst, uint32_t c)
{
    LlvmValue pieces[WHOLE], apart[WHOLE];
    for (uint32_t k = 0; k < WHOLE; k++)
        pieces[k] = as_kept(e, inst, k);
    rows_apart(e, pieces, apart);
    return apart[c];
}

LlvmValue whole_spread(Emit *e, const Inst *vec, uint32_t k)
{
    const Inst *x = vec->args[0];
    /* What a component is taken from may be forgotten since the last barrier. */
    if (x->op != IR_EXTRACT || !whole_is(e, x->args[0]) ||
        e->values[x->args[0]->id].segment != e->segment)
        return whole_lanes(e, as_lanes(e, x, 0), k);
    uint8_t one = (uint8_t)x->index;
    return reorder(e, as_kept(e, x->args[0], k), (uint8_t[]){one, one, one, one});
}

LlvmValue whole_swizzle(Emit *e, const Inst *swizzle, uint32_t k)
{
    return reorder(e, whole_piece(e, swizzle->args[0], k), swizzle->swizzle);
}
