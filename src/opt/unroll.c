// SPDX-License-Identifier: Apache-2.0
/*
 * unroll.c - short loops, one round after the other.
 *
 * in     an Ir
 * out    the same without loops that go round a known, small number of times and hold
 *        barriers, or loads of one word after the other in each lane
 * why    reductions, scans and sorts halve a distance from barrier to barrier; where it
 *        is a number, it is known which lanes take part, and which are neighbours.
 *        Loads side by side can be made at once
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

#define MAX_ROUNDS 16u
#define MAX_ADDED  2048u            /* instructions, of all rounds of all loops   */
#define MAX_RUNS   512u             /* the same of loops without barriers         */
#define MAX_NESTED 3u

/* Rounds of a loop, with or without barriers, for which there is room; 0: there are
 * others. */
static uint32_t rounds_of(const Inst *loop, const Inst *guard, bool barrier, uint32_t *room)
{
    LoopSurvey survey;
    uint32_t rounds = guard ? analysis_rounds(loop) : 0;
    if (!rounds || rounds > MAX_ROUNDS || !loop_is_plain(loop, guard, &survey) ||
        survey.barrier != barrier)
        return 0;
    uint64_t added = (barrier ? survey.work : survey.insts) * (uint64_t)rounds;
    if (added > *room)
        return 0;
    *room -= (uint32_t)added;
    return rounds;
}

void loop_unroll(Ir *ir, Inst *loop, uint32_t rounds)
{
    const Inst *guard = loop_guard(loop);
    const Region *body = loop->flow.regions[0], *next = loop->flow.regions[1];
    Copy    p = copy_new(ir);
    Forward forward;
    IrCursor c = {ir, loop->region, loop, loop->span};
    forward_init(&forward, ir);
    copy_params(&p, body, loop->args);
    for (uint32_t i = 0; i < rounds; i++) {
        copy_range(&p, &c, body->first, guard);
        copy_range(&p, &c, guard->next, body->last);
        copy_params(&p, next, body->last->args);
        copy_range(&p, &c, next->first, next->last);
        copy_params(&p, body, next->last->args);
    }
    copy_range(&p, &c, body->first, guard);
    uint32_t way = region_only(guard->flow.regions[0], IR_YIELD) ? 1 : 0;
    const Inst *leave = guard->flow.regions[way]->first;
    for (uint32_t i = 0; i < loop->flow.nresults; i++)
        forward_set(&forward, loop->flow.results[i], copy_of(&p, leave->args[i]));
    ir_remove(loop);
    forward_region(&forward, ir->body);
}

/* Outer loops first: what they count is known to inner ones afterwards. */
static bool walk(Ir *ir, Region *region, uint32_t *room)
{
    bool any = false;
    for (Inst *inst = region->first, *after; inst; inst = after) {
        after = inst->next;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        const Inst *guard = inst->op == IR_LOOP ? loop_guard(inst) : NULL;
        uint32_t rounds = guard ? rounds_of(inst, guard, true, room) : 0;
        any |= rounds > 0;
        if (rounds)
            loop_unroll(ir, inst, rounds);
        else
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                any |= walk(ir, inst->flow.regions[i], room);
    }
    return any;
}

void opt_unroll(Ir *ir)
{
    uint32_t room = MAX_ADDED;
    for (uint32_t i = 0; i < MAX_NESTED && walk(ir, ir->body, &room); i++)
        opt_simplify(ir);
}

/* ---- loops without barriers ---- */

typedef VEC(Inst *) LoopList;

/* With `f`, those that have runs; without, one that may have. */
static void collect(Ir *ir, const Facts *f, const Region *region, uint32_t *room, LoopList *out)
{
    for (Inst *inst = region->first; inst && (f || !out->len); inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        uint32_t left = *room;
        const Inst *guard = inst->op == IR_LOOP ? loop_guard(inst) : NULL;
        if (rounds_of(inst, guard, false, &left) && (!f || analysis_has_runs(f, inst))) {
            *room = left;
            VEC_PUSH(ir->arena, out, inst);
            continue;
        }
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            collect(ir, f, inst->flow.regions[i], room, out);
    }
}

bool opt_unroll_runs(Ir *ir, uint32_t lanes, uint32_t native)
{
    LoopList some = {0}, list = {0};
    uint32_t room = MAX_RUNS;
    collect(ir, NULL, ir->body, &room, &some);
    if (!some.len)
        return false;
    room = MAX_RUNS;
    collect(ir, analysis_run(ir->arena, ir, lanes, native), ir->body, &room, &list);
    for (uint32_t i = 0; i < list.len; i++)
        loop_unroll(ir, list.data[i], analysis_rounds(list.data[i]));
    return list.len > 0;
}
