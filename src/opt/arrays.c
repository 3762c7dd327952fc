// SPDX-License-Identifier: Apache-2.0
/*
 * arrays.c - fully unrolls loops that index arrays of one invocation.
 *
 * in     an Ir after promotion: FUNCTION and PRIVATE variables that are left are indexed
 *        by what is not constant
 * out    the same with those as values whose every index is constant once a few loops of
 *        known trip count are unrolled; loops of one iteration are none
 * why    `for (i = 0; i < 4; i++) { sum[i] = ... }` keeps its sums in memory otherwise, and
 *        lane groups that have memory of their own cannot run side by side
 * not    arrays with an index from elsewhere: they stay memory whatever is unrolled
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

#define MAX_TRIPS  16u
#define MAX_ADDED  2048u            /* instructions, of all loops                 */
#define MAX_NESTED 4u
#define MAX_DEPTH  8u               /* of an index                                */

typedef struct Arrays {
    Ir   *ir;
    bool *stays;                    /* [vars] some index is not known from loops  */
    bool *wanted;                   /* [next_id] loops to unroll                  */
    uint32_t room;                  /* instructions                               */
} Arrays;

static bool is_own(const IrVar *var)
{
    return var->space == IRSPACE_FUNCTION || var->space == IRSPACE_PRIVATE;
}

/* Its trip count, if it can be unrolled; else 0. */
static uint32_t trips_of(const Inst *loop, LoopSurvey *survey)
{
    const Inst *guard = loop_guard(loop);
    uint32_t trips = guard ? analysis_rounds(loop) : 0;
    return trips <= MAX_TRIPS && loop_is_plain(loop, guard, survey) ? trips : 0;
}

/* Is an index constant once loops are unrolled? With `mark`, these are wanted. */
static bool follows_loops(Arrays *s, const Inst *v, bool mark, uint32_t depth)
{
    if (v->op == IR_CONST)
        return true;
    if (v->op == IR_PARAM) {
        LoopSurvey survey;
        const Inst *loop = v->region->owner;
        if (!loop || v->region != loop->flow.regions[0] || !trips_of(loop, &survey))
            return false;
        s->wanted[loop->id] |= mark;
        return true;
    }
    if (depth == 0 || v->nargs == 0 || v->op == IR_RESULT ||
        ir_op_effect((IrOp)v->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (!follows_loops(s, v->args[i], mark, depth - 1))
            return false;
    return true;
}

static void survey(Arrays *s, const Region *region, bool mark)
{
    LoopSurvey plain;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (mark && inst->op == IR_LOOP)
            s->wanted[inst->id] |= trips_of(inst, &plain) == 1;
        if (inst->op == IR_ELEM && inst->args[1]->op != IR_CONST) {
            const IrVar *var = ir_place_root(inst);
            if (is_own(var) && !s->stays[var->id])
                s->stays[var->id] = !follows_loops(s, inst->args[1], mark, MAX_DEPTH);
        }
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey(s, inst->flow.regions[i], mark);
    }
}

/* Outermost first: what they count is known to inner ones afterwards. */
static bool unroll(Arrays *s, Region *region)
{
    bool any = false;
    for (Inst *inst = region->first, *after; inst; inst = after) {
        LoopSurvey survey;
        after = inst->next;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        uint32_t trips = inst->op == IR_LOOP && s->wanted[inst->id] ? trips_of(inst, &survey) : 0;
        if (trips && (uint64_t)survey.insts * trips <= s->room) {
            s->room -= survey.insts * trips;
            loop_unroll(s->ir, inst, trips);
            any = true;
            continue;
        }
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            any |= unroll(s, inst->flow.regions[i]);
    }
    return any;
}

void opt_unroll_arrays(Ir *ir)
{
    Arrays s = {.ir = ir, .room = MAX_ADDED};
    bool any = false, more = true;
    for (uint32_t i = 0; i < MAX_NESTED && more; i++) {
        s.stays = ARENA_ARRAY(ir->arena, bool, ir->vars.len + 1);
        s.wanted = ARENA_ARRAY(ir->arena, bool, ir->next_id);
        survey(&s, ir->body, false);
        survey(&s, ir->body, true);
        more = unroll(&s, ir->body);
        any |= more;
        if (more)
            opt_simplify(ir);
    }
    if (!any)
        return;
    opt_promote(ir);
    opt_simplify(ir);
    opt_prune(ir);
}
