// SPDX-License-Identifier: Apache-2.0
/*
 * loops.c - the form that loops with one test at the top have.
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

bool region_only(const Region *r, IrOp op)
{
    return r->first == r->last && r->first->op == op;
}

Inst *loop_guard(const Inst *loop)
{
    Inst *inst = loop->flow.regions[0]->first;
    while (inst && !ir_op_is_construct((IrOp)inst->op))
        inst = inst->next;
    if (!inst || inst->op != IR_IF || inst->flow.nresults)
        return NULL;
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    const Region *out = region_only(yes, IR_YIELD) ? no : yes, *on = out == no ? yes : no;
    bool ends = region_only(on, IR_YIELD) && region_only(out, IR_BREAK) &&
                out->first->target == loop;
    return ends ? inst : NULL;
}

#define INNER_ROUNDS 8u             /* of loops without barriers, if not fewer    */
#define MAX_WORK     (1u << 20)     /* of a construct: from here on it is just much */

static bool leaves_only_there(const Region *region, const Inst *loop, const Inst *guard,
                              LoopSurvey *out);

/* The same of a construct. Loops in it may become as many rounds, one after the other. */
static bool construct_leaves(const Inst *inst, const Inst *loop, const Inst *guard,
                             LoopSurvey *out)
{
    LoopSurvey inner = {0};
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        if (!leaves_only_there(inst->flow.regions[i], loop, guard, &inner))
            return false;
    uint32_t rounds = 1;
    if (inst->op == IR_LOOP && !inner.barrier) {
        rounds = analysis_rounds(inst);
        rounds = rounds && rounds < INNER_ROUNDS ? rounds : INNER_ROUNDS;
    }
    out->insts += inner.insts;
    out->work += MIN_OF(inner.work * rounds, MAX_WORK);
    out->barrier |= inner.barrier;
    return true;
}

static bool leaves_only_there(const Region *region, const Inst *loop, const Inst *guard,
                              LoopSurvey *out)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        bool end = inst == loop->flow.regions[0]->last;
        out->insts++;
        out->work++;
        out->barrier |= inst->op == IR_BARRIER;
        if (inst->op == IR_RETURN ||
            ((inst->op == IR_BREAK || inst->op == IR_CONTINUE) && inst->target == loop && !end))
            return false;
        if (ir_op_is_construct((IrOp)inst->op) && inst != guard &&
            !construct_leaves(inst, loop, guard, out))
            return false;
    }
    return true;
}

bool loop_is_plain(const Inst *loop, const Inst *guard, LoopSurvey *out)
{
    const Inst *end = loop->flow.regions[0]->last;
    *out = (LoopSurvey){0};
    return guard && end->op == IR_CONTINUE && end->target == loop &&
           loop->flow.regions[1]->last->op == IR_NEXT &&
           leaves_only_there(loop->flow.regions[0], loop, guard, out) &&
           leaves_only_there(loop->flow.regions[1], loop, guard, out);
}

void copy_params(Copy *p, const Region *to, Inst *const *values)
{
    Inst **now = ARENA_ARRAY(p->ir->arena, Inst *, to->nparams + 1);
    for (uint32_t i = 0; i < to->nparams; i++)
        now[i] = copy_of(p, values[i]);
    for (uint32_t i = 0; i < to->nparams; i++)
        p->map[to->params[i]->id] = now[i];
}

void copy_range(Copy *p, IrCursor *c, const Inst *first, const Inst *end)
{
    for (const Inst *inst = first; inst != end; inst = inst->next)
        copy_inst(p, c, inst);
}
