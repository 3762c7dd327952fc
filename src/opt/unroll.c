// SPDX-License-Identifier: Apache-2.0
/*
 * unroll.c - short loops around barriers, one round after the other.
 *
 * in     an Ir
 * out    the same without loops that hold barriers and go round a known, small number
 *        of times
 * why    reductions, scans and sorts halve a distance from barrier to barrier; where it
 *        is a number, it is known which lanes take part, and which are neighbours
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

#define MAX_ROUNDS 16u
#define MAX_ADDED  640u             /* instructions, of all rounds of all loops   */
#define MAX_NESTED 3u

static bool only(const Region *r, IrOp op)
{
    return r->first == r->last && r->first->op == op;
}

/* The IF that every round starts with, if it does nothing but leave the loop. */
static Inst *guard_of(const Inst *loop)
{
    Inst *inst = loop->flow.regions[0]->first;
    while (inst && !ir_op_is_construct((IrOp)inst->op))
        inst = inst->next;
    if (!inst || inst->op != IR_IF || inst->flow.nresults)
        return NULL;
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    const Region *out = only(yes, IR_YIELD) ? no : yes, *on = out == no ? yes : no;
    bool ends = only(on, IR_YIELD) && only(out, IR_BREAK) && out->first->target == loop;
    return ends ? inst : NULL;
}

/* Is there no other way out of a loop, and none to its next round but its end? */
static bool is_plain(const Region *region, const Inst *loop, const Inst *guard, uint32_t *n,
                     bool *barrier)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        bool end = inst == loop->flow.regions[0]->last;
        ++*n;
        *barrier |= inst->op == IR_BARRIER;
        if (inst->op == IR_RETURN ||
            ((inst->op == IR_BREAK || inst->op == IR_CONTINUE) && inst->target == loop && !end))
            return false;
        if (ir_op_is_construct((IrOp)inst->op) && inst != guard)
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!is_plain(inst->flow.regions[i], loop, guard, n, barrier))
                    return false;
    }
    return true;
}

/* Rounds of a loop that is worth it; 0: it is not. */
static uint32_t rounds_of(const Inst *loop, const Inst *guard, uint32_t *room)
{
    const Inst *end = loop->flow.regions[0]->last;
    uint32_t rounds = guard ? analysis_rounds(loop) : 0, n = 0;
    bool barrier = false;
    if (!rounds || rounds > MAX_ROUNDS || end->op != IR_CONTINUE || end->target != loop ||
        loop->flow.regions[1]->last->op != IR_NEXT ||
        !is_plain(loop->flow.regions[0], loop, guard, &n, &barrier) ||
        !is_plain(loop->flow.regions[1], loop, guard, &n, &barrier) || !barrier ||
        n * rounds > *room)
        return 0;
    *room -= n * rounds;
    return rounds;
}

/* Copies [first, end) to before the loop. */
static void copy_range(Copy *p, Inst *loop, const Inst *first, const Inst *end)
{
    IrCursor c = {p->ir, loop->region, loop, loop->span};
    for (const Inst *inst = first; inst != end; inst = inst->next)
        copy_inst(p, &c, inst);
}

/* Gives values to the parameters of a region; all are read before any is set. */
static void set_params(Copy *p, const Region *to, Inst *const *values)
{
    Inst **now = ARENA_ARRAY(p->ir->arena, Inst *, to->nparams + 1);
    for (uint32_t i = 0; i < to->nparams; i++)
        now[i] = copy_of(p, values[i]);
    for (uint32_t i = 0; i < to->nparams; i++)
        p->map[to->params[i]->id] = now[i];
}

static void unroll(Ir *ir, Inst *loop, const Inst *guard, uint32_t rounds)
{
    const Region *body = loop->flow.regions[0], *next = loop->flow.regions[1];
    Copy    p = copy_new(ir);
    Forward forward;
    forward_init(&forward, ir);
    set_params(&p, body, loop->args);
    for (uint32_t i = 0; i < rounds; i++) {
        copy_range(&p, loop, body->first, guard);
        copy_range(&p, loop, guard->next, body->last);
        set_params(&p, next, body->last->args);
        copy_range(&p, loop, next->first, next->last);
        set_params(&p, body, next->last->args);
    }
    copy_range(&p, loop, body->first, guard);
    uint32_t way = only(guard->flow.regions[0], IR_YIELD) ? 1 : 0;
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
        const Inst *guard = inst->op == IR_LOOP ? guard_of(inst) : NULL;
        uint32_t rounds = guard ? rounds_of(inst, guard, room) : 0;
        any |= rounds > 0;
        if (rounds)
            unroll(ir, inst, guard, rounds);
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
