// SPDX-License-Identifier: Apache-2.0
/*
 * shape.c - shapes of all values, and where lanes part.
 *
 * in     an Ir
 * out    Fact.shape, stride, align; divergent, apart, continues_apart
 * knows  how control flow joins values (ir.h)
 * not    single instructions (transfer.c)
 *
 * Everything starts as regular as it can be and only gets less so; the walk is
 * repeated until nothing changes. Shapes depend on where lanes part (what meets
 * from different ways differs between lanes), and the other way round.
 */
#include "analysis/analysis_priv.h"

/* One construct on the path from the body to the instruction being looked at. */
typedef struct Open {
    const struct Open *outer;
    const Inst *construct;
} Open;

typedef struct Walk {
    Facts *f;
    bool   changed;
} Walk;

static void raise(Walk *w, bool *flag)
{
    if (!*flag)
        *flag = w->changed = true;
}

/* ---- joining ---- */

static bool same_fact(const Fact *x, const Fact *y)
{
    return x->shape == y->shape && x->stride == y->stride && x->align == y->align &&
           x->block == y->block;
}

/* The least regular of both; two affine ones must step alike. */
static Fact join(Fact x, Fact y)
{
    if (x.shape == SHAPE_UNKNOWN)
        return y;
    if (y.shape == SHAPE_UNKNOWN)
        return x;
    Fact z = {.shape = (uint8_t)MAX_OF(x.shape, y.shape), .align = MIN_OF(x.align, y.align)};
    z.block = x.block && y.block ? MAX_OF(x.block, y.block) : 0;
    if (z.shape == SHAPE_AFFINE) {
        bool alike = x.shape == y.shape && x.stride == y.stride;
        z.stride = alike ? x.stride : 0;
        if (!alike)
            z = (Fact){.shape = SHAPE_VARYING, .align = 1, .block = z.block};
    }
    return z;
}

static void set(Walk *w, const Inst *inst, Fact to)
{
    Fact *now = fact_of(w->f, inst);
    Fact joined = join(*now, to);
    if (same_fact(now, &joined))
        return;
    now->shape = joined.shape;
    now->stride = joined.stride;
    now->align = joined.align;
    now->block = joined.block;
    w->changed = true;
}

static void set_varying(Walk *w, const Inst *inst)
{
    Shape worst = w->f->lanes == 1 ? SHAPE_GROUP : SHAPE_VARYING;
    set(w, inst, (Fact){.shape = (uint8_t)worst, .align = 1});
}

/*
 * Value `arg` comes to `to` (a parameter or a result). Where several ways meet
 * and lanes come from different ones the result differs between lanes, unless
 * it is the same value on all of them. `floor` is the shape of the decision.
 */
static void give(Walk *w, const Inst *to, const Inst *arg, bool mixes, Shape floor)
{
    Fact x = *fact_of(w->f, arg);
    if (mixes && x.shape != SHAPE_UNKNOWN) {
        set_varying(w, to);
        return;
    }
    if (x.shape != SHAPE_UNKNOWN && x.shape < floor)
        x.shape = (uint8_t)floor;
    if (floor > SHAPE_WORKGROUP)
        x.block = 0;                /* lane groups may bring different ones */
    set(w, to, x);
}

/* ---- leaving ---- */

/* Between here and `target`, may lanes have parted? Constructs on the path whose
 * ways differ between lanes, or from which lanes have gone. */
static bool parted(const Facts *f, const Open *from, const Inst *target)
{
    for (const Open *o = from; o && o->construct != target; o = o->outer)
        if (fact_of(f, o->construct)->divergent || fact_of(f, o->construct)->apart ||
            fact_of(f, o->construct)->continues_apart)
            return true;
    return false;
}

/* The shape of the decisions between here and `target`. */
static Shape decided(const Facts *f, const Open *from, const Inst *target)
{
    Shape worst = SHAPE_WORKGROUP;
    for (const Open *o = from; o && o->construct != target; o = o->outer) {
        const Inst *c = o->construct;
        if (c->op == IR_IF || c->op == IR_SWITCH)
            worst = MAX_OF(worst, (Shape)fact_of(f, c->args[0])->shape);
    }
    return worst;
}

/* Lanes go from here without a jump: every construct on the way loses them. */
static void lose(Walk *w, const Open *from, const Inst *target)
{
    for (const Open *o = from; o && o->construct != target; o = o->outer)
        raise(w, &fact_of(w->f, o->construct)->apart);
}

static Shape condition_shape(const Facts *f, const Inst *construct)
{
    return (Shape)fact_of(f, construct->args[0])->shape;
}

/* Do lanes reach the exit of this construct on several ways, so that results
 * must be merged lane by lane? */
static bool exit_mixes(const Facts *f, const Inst *construct)
{
    const Fact *x = fact_of(f, construct);
    if (construct->op == IR_IF)
        return x->divergent;
    return x->divergent || x->apart;
}

static bool all_same(const Inst *construct, uint32_t result, const Inst *value);

static void arrive(Walk *w, const Open *from, const Inst *target, Inst *const *args)
{
    bool mixes = exit_mixes(w->f, target);
    Shape floor = decided(w->f, from, target);
    if (target->op == IR_IF || target->op == IR_SWITCH)
        floor = MAX_OF(floor, condition_shape(w->f, target));
    for (uint32_t i = 0; i < target->flow.nresults; i++) {
        bool one = mixes && all_same(target, i, args[i]);
        give(w, target->flow.results[i], args[i], mixes && !one,
             MIN_OF(floor, SHAPE_GROUP));
    }
}

static void walk_break(Walk *w, const Open *from, const Inst *inst)
{
    const Inst *target = inst->target;
    if (parted(w->f, from, target))
        raise(w, &fact_of(w->f, target)->apart);
    arrive(w, from, target, inst->args);
    if (fact_of(w->f, target)->apart)
        lose(w, from, target);
}

static void walk_continue(Walk *w, const Open *from, const Inst *inst)
{
    const Inst *loop = inst->target;
    const Region *next = loop->flow.regions[1];
    Fact *f = fact_of(w->f, loop);
    if (parted(w->f, from, loop))
        raise(w, &f->continues_apart);
    Shape floor = MIN_OF(decided(w->f, from, loop), SHAPE_GROUP);
    bool mixes = f->continues_apart;
    for (uint32_t i = 0; i < next->nparams; i++)
        give(w, next->params[i], inst->args[i], mixes, floor);
    if (f->continues_apart || f->apart)
        lose(w, from, loop);
}

static void walk_next(Walk *w, const Inst *loop, Inst *const *args)
{
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++)
        give(w, body->params[i], args[i], false, SHAPE_WORKGROUP);
}

static void walk_break_if(Walk *w, const Open *from, const Inst *inst)
{
    const Inst *loop = from->construct;
    Shape shape = (Shape)fact_of(w->f, inst->args[0])->shape;
    if (shape > SHAPE_GROUP || fact_of(w->f, loop)->continues_apart)
        raise(w, &fact_of(w->f, loop)->apart);
    arrive(w, from, loop, inst->args + 1);
    walk_next(w, loop, inst->args + 1 + loop->flow.nresults);
}

static void walk_return(Walk *w, const Open *from)
{
    if (parted(w->f, from, NULL))
        raise(w, &w->f->returns_apart);
    if (w->f->returns_apart)
        lose(w, from, NULL);
}

/* ---- walking ---- */

static void walk_region(Walk *w, const Open *from, const Region *region);

static void walk_construct(Walk *w, const Open *from, const Inst *inst)
{
    Open here = {from, inst};
    Fact *f = fact_of(w->f, inst);
    if ((inst->op == IR_IF || inst->op == IR_SWITCH) &&
        condition_shape(w->f, inst) > SHAPE_GROUP)
        raise(w, &f->divergent);
    if (inst->op == IR_LOOP)
        walk_next(w, inst, inst->args);
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        walk_region(w, &here, inst->flow.regions[i]);
}

static void walk_inst(Walk *w, const Open *from, const Inst *inst)
{
    if (ir_op_is_construct((IrOp)inst->op)) {
        walk_construct(w, from, inst);
        return;
    }
    switch (inst->op) {
    case IR_YIELD: arrive(w, from, from->construct, inst->args); return;
    case IR_BREAK: walk_break(w, from, inst); return;
    case IR_CONTINUE: walk_continue(w, from, inst); return;
    case IR_NEXT: walk_next(w, from->construct, inst->args); return;
    case IR_BREAK_IF: walk_break_if(w, from, inst); return;
    case IR_RETURN: walk_return(w, from); return;
    default: break;
    }
    if (inst->type.kind != SCALAR_NONE && inst->type.kind != SCALAR_PLACE)
        set(w, inst, analysis_transfer(w->f, inst));
}

static void walk_region(Walk *w, const Open *from, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next)
        walk_inst(w, from, inst);
}

/* Is result `i` of a construct the same value on every way? Looked for where it
 * is cheap: the ways' own ends. */
static bool all_same(const Inst *construct, uint32_t result, const Inst *value)
{
    if (construct->op != IR_IF)
        return false;
    for (uint32_t i = 0; i < construct->flow.nregions; i++) {
        const Inst *end = construct->flow.regions[i]->last;
        if (end->op == IR_YIELD && end->args[result] != value)
            return false;
    }
    return true;
}

void shape_run(Facts *f)
{
    Walk w = {.f = f, .changed = true};
    while (w.changed) {
        w.changed = false;
        walk_region(&w, NULL, f->ir->body);
    }
}
