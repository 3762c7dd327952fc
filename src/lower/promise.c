// SPDX-License-Identifier: Apache-2.0
/*
 * promise.c - what decides about a barrier is the same for all invocations.
 *
 * in     a lowered kernel
 * out    the same, with UNIFORM before each condition and selector that WGSL has
 *        shown to be uniform because a barrier depends on it
 * knows  WGSL 15.2: a barrier stands in uniform control flow, so all invocations go
 *        the same way where one way leads to it and the other does not
 * why    a back end that cannot see this in memory (a variable, an array) would let
 *        lanes part where they must not
 *
 * A condition decides about a barrier if the barrier is in one of its ways; or if
 * one of its ways leaves (break, continue, return) what the barrier is in, before
 * the barrier comes, or in a loop around both.
 */
#include "lower/lower_priv.h"

/* What is inside a construct. */
typedef struct Inside {
    bool     barrier;
    uint32_t level;                 /* of the outermost region that something inside
                                       it leaves; UINT32_MAX: nothing does         */
} Inside;

/* A region that is being walked. The kernel's body has level 0. */
typedef struct Level {
    bool rest;                      /* a barrier comes later in it                */
    bool loop;                      /* it is of a loop with a barrier             */
} Level;

typedef struct Promise {
    Ir       *ir;
    Inside   *inside;               /* [next_id], by construct                    */
    uint32_t *level;                /* [next_id] of the region a construct stands in */
    Level     levels[LOWER_MAX_REGIONS + 2];
} Promise;

/* ---- what is inside ---- */

static void join(Inside *into, Inside x)
{
    into->barrier |= x.barrier;
    into->level = MIN_OF(into->level, x.level);
}

static Inside look(Promise *p, const Region *region, uint32_t level);

static Inside look_construct(Promise *p, const Inst *inst, uint32_t level)
{
    Inside all = {.level = UINT32_MAX};
    p->level[inst->id] = level;
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        join(&all, look(p, inst->flow.regions[i], level + 1));
    p->inside[inst->id] = all;
    return all;
}

static Inside look(Promise *p, const Region *region, uint32_t level)
{
    Inside all = {.level = UINT32_MAX};
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (ir_op_is_construct((IrOp)inst->op))
            join(&all, look_construct(p, inst, level));
        else if (inst->op == IR_BARRIER)
            all.barrier = true;
        else if (inst->op == IR_RETURN)
            all.level = 0;
        else if (inst->op == IR_BREAK || inst->op == IR_CONTINUE)
            all.level = MIN_OF(all.level, p->level[inst->target->id] + 1);
    }
    return all;
}

/* ---- promises ---- */

/* Before `inst`, of its first operand. */
static void promise(Promise *p, Inst *inst)
{
    IrCursor c = {.ir = p->ir, .region = inst->region, .before = inst, .span = inst->span};
    if (inst->args[0]->op != IR_CONST && inst->args[0]->op != IR_UNIFORM)
        inst->args[0] = ir_op1(&c, IR_UNIFORM, inst->args[0]);
}

/* Does a way through the construct, which stands at `level`, decide about a barrier? */
static bool decides(const Promise *p, const Inst *construct, uint32_t level)
{
    Inside inside = p->inside[construct->id];
    if (inside.barrier)
        return true;
    for (uint32_t m = inside.level; m <= level; m++)
        if (p->levels[m].rest || p->levels[m].loop)
            return true;
    return false;
}

static void walk(Promise *p, Region *region, uint32_t level, bool loop);

static void walk_construct(Promise *p, Inst *inst, uint32_t level)
{
    bool barrier = p->inside[inst->id].barrier;
    bool chooses = inst->op == IR_IF || inst->op == IR_SWITCH;
    if (chooses && decides(p, inst, level))
        promise(p, inst);
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        walk(p, inst->flow.regions[i], level + 1, barrier && inst->op == IR_LOOP);
    p->levels[level].rest |= barrier;
}

/* Backwards, so that what comes later is known. */
static void walk(Promise *p, Region *region, uint32_t level, bool loop)
{
    p->levels[level] = (Level){.loop = loop};
    for (Inst *inst = region->last, *before; inst; inst = before) {
        before = inst->prev;
        if (inst->op == IR_BARRIER)
            p->levels[level].rest = true;
        else if (inst->op == IR_BREAK_IF && loop)
            promise(p, inst);
        else if (ir_op_is_construct((IrOp)inst->op))
            walk_construct(p, inst, level);
    }
}

void lower_promises(Lower *l)
{
    Promise *p = ARENA_NEW(l->arena, Promise);
    p->ir = l->ir;
    p->inside = ARENA_ARRAY(l->arena, Inside, l->ir->next_id);
    p->level = ARENA_ARRAY(l->arena, uint32_t, l->ir->next_id);
    if (look(p, l->ir->body, 0).barrier)
        walk(p, l->ir->body, 0, false);
}
