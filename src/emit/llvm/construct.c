// SPDX-License-Identifier: Apache-2.0
/*
 * construct.c - constructs that are open: who arrives at their end, who leaves them.
 *
 * in     a construct that is being emitted (Target), the active lanes and their values
 * out    the masks of who has arrived; jumps to where all go
 * knows  that lanes which leave further out, or return, arrive nowhere in between
 * not    what is done inside of a construct (flow.c, loop.c)
 *
 * Where lanes leave a construct separately, each lane that reaches the exit sets its bit in
 * the construct's `arrived` mask; that is the mask of the code after it.
 */
#include "emit/llvm/flow_priv.h"

/* ---- opening and closing ---- */

void construct_open(Emit *e, Target *t, const Inst *construct, const char *exit)
{
    *t = (Target){.outer = e->target, .construct = construct};
    t->exit = t->way_end = block_new(e, exit);
    t->results = slots_new(e, construct->flow.results, construct->flow.nresults);
    if (fact_of(e, construct)->apart) {
        t->arrived = mask_slot_take(e);
        mask_slot_clear(e, t->arrived);
        slots_clear(e, construct->flow.results, construct->flow.nresults, t->results);
        t->meets = construct->op != IR_IF;
    }
    e->target = t;
}

void construct_close(Emit *e, Target *t, LlvmValue mask_before)
{
    const Inst *construct = t->construct;
    e->target = t->outer;
    block_start(e, t->exit);
    e->mask = t->arrived ? mask_slot_load(e, t->arrived) : mask_before;
    slots_load(e, construct->flow.results, construct->flow.nresults, t->results);
    slots_free(e, construct->flow.results, construct->flow.nresults, t->results);
    slot_free(e, t->arrived);
    if (t->arrived)
        mask_go_on_if_any(e, e->region_end);
}

void construct_arrive(Emit *e, Target *t, Inst *const *args)
{
    const Inst *construct = t->construct;
    slots_give(e, construct->flow.results, construct->flow.nresults, args, t->results,
               t->meets || t->wide ? e->mask : NULL);
    if (t->arrived)
        mask_slot_add(e, t->arrived, e->mask);
}

/* ---- leaving: a jump, or the active lanes are taken away ---- */

static Target *target_of(const Emit *e, const Inst *construct)
{
    Target *t = e->target;
    while (t && t->construct != construct)
        t = t->outer;
    BUG_IF(!t, "leaves a construct that is not open");
    return t;
}

/* Lanes that leave a wide construct from inside a segment have nothing more to do in it:
 * no barrier comes until the others leave it, too. segment.c keeps them off until then. */
static void leave_segment(Emit *e, bool apart)
{
    if (!apart)
        jump(e, e->group_end);
}

void construct_break(Emit *e, const Inst *inst)
{
    Target *t = target_of(e, inst->target);
    construct_arrive(e, t, inst->args);
    if (t->wide) {
        segment_leave(e, t);
        leave_segment(e, fact_of(e, inst->target)->apart);
    } else if (!t->arrived) {
        jump(e, t->way_end);
    }
}

void construct_continue(Emit *e, const Inst *inst)
{
    Target *t = target_of(e, inst->target);
    const Region *next = inst->target->flow.regions[1];
    slots_give(e, next->params, next->nparams, inst->args, t->continued,
               t->continuing || t->wide ? e->mask : NULL);
    if (t->wide)
        leave_segment(e, fact_of(e, inst->target)->continues_apart);
    else if (t->continuing)
        mask_slot_add(e, t->continuing, e->mask);
    else
        jump(e, t->again);
}

void construct_return(Emit *e)
{
    segment_leave(e, NULL);
    if (!e->facts->returns_apart)
        jump(e, e->group_end);
}
