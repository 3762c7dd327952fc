// SPDX-License-Identifier: Apache-2.0
/*
 * keep.c - values and invocations that leave a loop, on a driver that loses them.
 *
 * in     a LOOP
 * out    an exit from its header that is never taken, where that is needed
 * knows  what SwiftShader and lavapipe do with lanes that are off
 *
 * Invocations that have left a loop go round it with the others, switched off: they compute
 * its values again, and where these come from loads they are zero then. Phis are spared,
 * as each way into a block counts for the invocations alone that take it. So what leaves a
 * loop needs a phi behind it, and one that no optimiser takes for another name of the
 * value: the exit that is never taken brings zeros.
 *
 * It also keeps lavapipe from taking a loop for one of a single round, whose returns it
 * forgets if the body has another end than the next round.
 */
#include "emit/spirv/spirv_priv.h"

#define LANES  64u                  /* more than the drivers have                 */
#define BUDGET 100u                 /* instructions looked at for a value         */

/* ---- values ---- */

static bool is_inside(const Inst *loop, const Inst *inst)
{
    for (const Inst *x = inst; x; x = x->region ? x->region->owner : NULL)
        if (x == loop)
            return true;
    return false;
}

/* Does an invocation that has left the loop lose it? Parameters of loops are phis. What is
 * computed from what stays comes out the same again; `budget` bounds how far that is
 * looked into. */
static bool is_lost(const Inst *loop, const Inst *v, uint32_t *budget)
{
    if (v->op == IR_CONST || !is_inside(loop, v)
        || (v->op == IR_PARAM && v->region->owner->op == IR_LOOP
            && v->region == v->region->owner->flow.regions[0]))
        return false;
    if (v->op == IR_PARAM || v->op == IR_RESULT || ir_op_effect((IrOp)v->op) != EFFECT_PURE
        || *budget == 0)
        return true;
    --*budget;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (is_lost(loop, v->args[i], budget))
            return true;
    return false;
}

typedef struct Search {
    const Inst *loop;
    const Inst **only;              /* [nresults] the one that all ways out bring; NULL:
                                       none yet                                   */
    bool       *several;            /* [nresults] or they bring several           */
    bool        passes;             /* something leaves for further out and is lost */
} Search;

static void note_results(Search *k, Inst *const *values)
{
    for (uint32_t i = 0; i < k->loop->flow.nresults; i++) {
        k->several[i] |= k->only[i] && k->only[i] != values[i];
        k->only[i] = values[i];
    }
}

static void note(Search *k, const Inst *inst)
{
    if (inst->op == IR_BREAK_IF && inst->region->owner == k->loop)
        note_results(k, inst->args + 1);
    if (inst->op != IR_BREAK && inst->op != IR_CONTINUE)
        return;
    if (inst->target == k->loop && inst->op == IR_BREAK)
        note_results(k, inst->args);
    else if (!is_inside(k->loop, inst->target))
        for (uint32_t i = 0; i < inst->nargs; i++)
            k->passes |= is_lost(k->loop, inst->args[i], &(uint32_t){BUDGET});
}

static void search(Search *k, const Region *r)
{
    for (const Inst *inst = r->first; inst; inst = inst->next) {
        note(k, inst);
        for (uint32_t i = 0; ir_op_is_construct((IrOp)inst->op) && i < inst->flow.nregions; i++)
            search(k, inst->flow.regions[i]);
    }
}

/* Does something leave that is lost? */
static bool loses_values(Spirv *s, const Inst *loop)
{
    uint32_t n = loop->flow.nresults;
    Search   k = {.loop = loop, .only = ARENA_ARRAY(s->arena, const Inst *, n + 1),
                  .several = ARENA_ARRAY(s->arena, bool, n + 1)};
    if (!s->target->reruns_loops)
        return false;
    if (!s->lanes)
        s->lanes = analysis_run(s->arena, s->ir, LANES, LANES);
    if (!s->lanes->of[loop->id].apart)
        return false;
    for (uint32_t i = 0; i < loop->flow.nregions; i++)
        search(&k, loop->flow.regions[i]);
    for (uint32_t i = 0; i < n; i++)
        if (k.only[i] && !k.several[i] && is_lost(loop, k.only[i], &(uint32_t){BUDGET}))
            return true;
    return k.passes;
}

/* ---- invocations ---- */

static bool returns(const Region *r)
{
    for (const Inst *inst = r->first; inst; inst = inst->next) {
        if (inst->op == IR_RETURN)
            return true;
        for (uint32_t i = 0; ir_op_is_construct((IrOp)inst->op) && i < inst->flow.nregions; i++)
            if (returns(inst->flow.regions[i]))
                return true;
    }
    return false;
}

/* Its body has another end than the next round, which some go to all the same, and some
 * return from it. */
static bool loses_returns(const Spirv *s, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    bool goes_round = body->last->op == IR_CONTINUE && body->last->target == loop;
    return s->target->forgets_returns && s->continues[loop->id] && !goes_round && returns(body);
}

/* ---- the way out ---- */

/* No workgroup is that large, but an optimiser does not know. */
static SpvId never(Spirv *s)
{
    if (!s->never) {
        SpvId index = spv_input_value(s, INPUT_LOCAL_INDEX);
        s->never = spv_new_id(s);
        spv_put(s, SECTION_HOISTED, SpvOpULessThan,
                OPERANDS(spv_type_value(s, IR_BOOL), s->never, spv_const_u32(s, INT32_MAX),
                         index));
    }
    return s->never;
}

void spv_keep_header(Spirv *s, Frame *f, SpvId body)
{
    const Inst *loop = f->construct;
    uint32_t    n = loop->flow.nresults;
    if (!loses_returns(s, loop) && !loses_values(s, loop)) {
        spv_branch(s, body);
        return;
    }
    SpvId *zeros = ARENA_ARRAY(s->arena, SpvId, n + 1);
    for (uint32_t i = 0; i < n; i++)
        zeros[i] = spv_const_null(s, spv_type_value(s, loop->flow.results[i]->type));
    VEC_PUSH(s->arena, &f->arrivals, ((Arrival){.from = s->block, .values = zeros}));
    spv_branch_if(s, never(s), f->merge, body);
}
