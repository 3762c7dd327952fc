// SPDX-License-Identifier: Apache-2.0
/*
 * wide.c - which constructs the whole workgroup goes through together.
 *
 * in     an Ir
 * out    Fact.wide, Fact.far, Facts.has_barrier, Facts.returns_far
 * knows  that WGSL lets a barrier stand only where all invocations come: whatever
 *        leads around a barrier that may still come is decided by the workgroup
 */
#include "analysis/analysis_priv.h"

/* A region of a wide construct that is being looked at. */
typedef struct Level {
    const struct Level *outer;
    const Inst *construct;              /* NULL: the body                           */
    bool        followed;               /* a barrier may come later in this region  */
} Level;

static bool is_leaver(const Inst *inst)
{
    return inst->op == IR_BREAK || inst->op == IR_CONTINUE || inst->op == IR_RETURN;
}

static const Inst *target_of(const Inst *leaver)
{
    return leaver->op == IR_RETURN ? NULL : leaver->target;
}

/* Marks constructs with a barrier inside, innermost first; true if there is one. */
static bool mark_barriers(Facts *f, const Region *region)
{
    bool any = false;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_BARRIER)
            any = true;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        Fact *fact = fact_of(f, inst);
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            fact->wide |= mark_barriers(f, inst->flow.regions[i]);
        any |= fact->wide;
    }
    return any;
}

/* ---- ways around a barrier ---- */

/* The level of the construct that a leaver leaves; NULL: it is further in. */
static const Level *level_left(const Level *from, const Inst *target)
{
    while (from && from->construct != target)
        from = from->outer;
    return from;
}

/* Does something in `region` leave so that it misses a barrier? */
static bool misses_barrier(const Region *region, const Level *from)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (is_leaver(inst)) {
            const Level *to = level_left(from, target_of(inst));
            for (const Level *l = from; to && l != to->outer; l = l->outer)
                if (l->followed)
                    return true;
        }
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (misses_barrier(inst->flow.regions[i], from))
                    return true;
    }
    return false;
}

static bool any_misses_barrier(const Inst *construct, const Level *from)
{
    for (uint32_t i = 0; i < construct->flow.nregions; i++)
        if (misses_barrier(construct->flow.regions[i], from))
            return true;
    return false;
}

static const Inst *last_barrier(const Facts *f, const Region *region)
{
    const Inst *inst = region->last;
    while (inst && inst->op != IR_BARRIER &&
           !(ir_op_is_construct((IrOp)inst->op) && fact_of(f, inst)->wide))
        inst = inst->prev;
    return inst;
}

/* Marks what leads around a barrier in a region that all invocations go through. A
 * wide loop comes round again: there is always a next barrier. */
static void mark_ways_out(Facts *f, const Region *region, const Level *outer)
{
    Level here = {.outer = outer, .construct = region->owner};
    bool loops = region->owner && region->owner->op == IR_LOOP;
    const Inst *last = last_barrier(f, region);
    bool before = last != NULL;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        before = before && inst != last;
        here.followed = loops || before;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        Fact *fact = fact_of(f, inst);
        fact->wide = fact->wide || any_misses_barrier(inst, &here);
        for (uint32_t i = 0; fact->wide && i < inst->flow.nregions; i++)
            mark_ways_out(f, inst->flow.regions[i], &here);
    }
}

/* ---- ways out that others do not take ---- */

/* Does something from `first` to `last` leave `construct`? */
static bool leaves_for(const Inst *first, const Inst *last, const Inst *construct)
{
    for (const Inst *inst = first; inst; inst = inst == last ? NULL : inst->next) {
        if (is_leaver(inst) && target_of(inst) == construct)
            return true;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++) {
            const Region *r = inst->flow.regions[i];
            if (leaves_for(r->first, r->last, construct))
                return true;
        }
    }
    return false;
}

const Inst *analysis_innermost_left(const Inst *first, const Inst *leave)
{
    const Inst *c = leave->region->owner;
    if (leave->op == IR_YIELD || leave->op == IR_NEXT || leave->op == IR_BREAK_IF)
        return c;
    while (c && !leaves_for(first, leave, c))
        c = c->region->owner;
    return c;
}

/* Those who leave a wide region at its end may leave for further out than others who were
 * in it: they are missing where these go on. */
static void mark_far_end(Facts *f, const Region *region)
{
    const Inst *leave = region->last;
    if (!is_leaver(leave) || analysis_innermost_left(region->first, leave) == target_of(leave))
        return;
    if (leave->op == IR_RETURN)
        f->returns_far = true;
    else
        fact_of(f, target_of(leave))->far = true;
}

/* Marks wide constructs that some invocations leave from inside another one: where the
 * others go on from there, these are missing. */
static void mark_far(Facts *f, const Region *region, const Inst *wide)
{
    if (region->owner == wide)
        mark_far_end(f, region);
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        const Inst *to = is_leaver(inst) ? target_of(inst) : NULL;
        bool alone = region->owner != wide;     /* not all leave here */
        if (inst->op == IR_RETURN && alone && wide)
            f->returns_far = true;
        if (to && alone && to != wide && fact_of(f, to)->wide)
            fact_of(f, to)->far = true;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            mark_far(f, inst->flow.regions[i], fact_of(f, inst)->wide ? inst : wide);
    }
}

/* ---- loops that are better gone through together ---- */

/* Is there a way in a construct that leads further out? */
static bool leads_out(const Region *region, const Inst *construct)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        const Inst *to = is_leaver(inst) ? target_of(inst) : construct;
        while (to && to != construct)
            to = to->region->owner;
        if (!to)
            return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (leads_out(inst->flow.regions[i], construct))
                    return true;
    }
    return false;
}

/* Do all that come to a construct go on after it, or none? */
static bool all_go_on(const Facts *f, const Inst *construct)
{
    bool out = false;
    for (uint32_t i = 0; i < construct->flow.nregions; i++)
        out |= leads_out(construct->flow.regions[i], construct);
    return !out || analysis_is_together(f, construct, construct->next);
}

/* Loops that all go through together anyway, and better round by round. False: some
 * invocations may be gone. */
static bool mark_streams(Facts *f, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        if (inst->op == IR_LOOP && jam_is_atomic_stream(f, inst))
            fact_of(f, inst)->wide = true;
        for (uint32_t i = 0; fact_of(f, inst)->wide && i < inst->flow.nregions; i++)
            if (!mark_streams(f, inst->flow.regions[i]))
                return false;
        if (!all_go_on(f, inst))
            return false;
    }
    return true;
}

void wide_run(Facts *f)
{
    f->has_barrier = mark_barriers(f, f->ir->body);
    if (!f->has_barrier)
        return;
    mark_streams(f, f->ir->body);
    mark_ways_out(f, f->ir->body, NULL);
    mark_far(f, f->ir->body, NULL);
}
