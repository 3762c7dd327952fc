// SPDX-License-Identifier: Apache-2.0
/*
 * quotients.c - versions of code for lane groups whose indices turn out regular.
 *
 * in     an Ir and its facts for a number of lanes
 * out    the same, with a copy of code that divides an index, in which lanes count up, by a
 *        number they share, or multiplies it with one (regular.c)
 * why    kernels find row and column of a flat index that way, with the length of a row from
 *        a uniform. If no row ends inside a lane group, the row is one number and columns
 *        count up, so that accesses are vectors; otherwise each lane is on its own
 *
 * The test needs the first lane alone: x / n is the same for all if the remainder of the
 * first lane plus the distance of the last is still below n. Quotients of remainders, such
 * as in four-dimensional indices, take part in the same test.
 */
#include "opt/regular_priv.h"

#define MAX_COPY   400u             /* instructions of one copy                   */
#define MAX_ALL    1200u            /* of all copies                              */
#define MAX_WISHES 16u

typedef struct Quotients {
    Ir    *ir;
    const Facts *facts;
    WhatIf none;                    /* without wishes, for all instructions there are */
    uint32_t count;                 /* instructions at the start                  */
    uint32_t room;
    bool   any;
} Quotients;

/* Code from `first` to before `end` of a region, with what it wishes. */
typedef struct Stretch {
    Inst  *first, *end;             /* end: a terminator, barrier or such         */
    WhatIf what_if;
    bool  *inside;                  /* [count] defined in it                      */
    bool  *early;                   /* [count] may be computed before it          */
} Stretch;

/* ---- what it wishes ---- */

static bool is_always_there(const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op == IR_VIEW || (place->op == IR_ELEM && place->args[1]->op != IR_CONST))
            return false;
    return ir_var_is_read_only(place->var);
}

/* May it be computed before the stretch, if its operands are? */
static bool may_be_early(const Stretch *t, const Inst *inst)
{
    bool pure = ir_op_effect((IrOp)inst->op) == EFFECT_PURE;
    if (!pure && !(inst->op == IR_LOAD && is_always_there(inst->args[0])))
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (t->inside[inst->args[i]->id] && !t->early[inst->args[i]->id])
            return false;
    return true;
}

static void survey(Stretch *t)
{
    Wish wish;
    for (Inst *inst = t->first; inst != t->end; inst = inst->next) {
        t->inside[inst->id] = true;
        t->early[inst->id] = may_be_early(t, inst);
        what_if_update(&t->what_if, inst);
        if (t->early[inst->id] && t->what_if.wishes.len < MAX_WISHES &&
            what_if_wish(&t->what_if, inst, &wish))
            what_if_grant(&t->what_if, &wish);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            t->inside[inst->flow.results[i]->id] = true;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            what_if_update_region(&t->what_if, inst->flow.regions[i]);
    }
}

/* ---- the copy ---- */

static bool has_rest(const Inst *inst)
{
    return inst->op == IR_UREM || inst->op == IR_SREM;
}

static Inst *all_of(IrCursor *c, Inst *x, Inst *y)
{
    return x ? ir_op2(c, IR_AND, x, y) : y;
}

/* The quotient or remainder if that of the first lane is that of all; *test: it is. */
static Inst *shared_quotient(IrCursor *c, const Wish *wish, Inst *x, Inst *y, Inst **test)
{
    const Inst *inst = wish->inst;
    bool sign = inst->op == IR_SDIV || inst->op == IR_SREM;
    Inst *q = ir_op2(c, sign ? IR_SDIV : IR_UDIV, x, y);
    q->natural = inst->natural;
    q = ir_op1(c, IR_FIRST, q);
    Inst *first = ir_op1(c, IR_FIRST, x);
    Inst *last = ir_op2(c, IR_IADD, first, ir_i32(c, wish->span));
    Inst *whole = ir_op2(c, IR_IMUL, q, y);
    *test = all_of(c, *test, ir_op2(c, sign ? IR_SLE : IR_ULE, first, last));
    *test = all_of(c, *test, ir_op2(c, sign ? IR_SLT : IR_ULT, ir_op2(c, IR_ISUB, last, whole), y));
    if (sign)
        *test = all_of(c, *test, ir_op2(c, IR_SLE, ir_i32(c, 0), first));
    return has_rest(inst) ? ir_op2(c, IR_ISUB, x, whole) : q;
}

static Inst *granted(const Stretch *t, IrCursor *c, const Wish *wish, const Copy *p, Inst **test)
{
    const Inst *inst = wish->inst;
    if (wish->kind == WISH_QUOTIENT)
        return shared_quotient(c, wish, copy_of(p, inst->args[0]), copy_of(p, inst->args[1]), test);
    Inst *factor = copy_of(p, wish_factor(&t->what_if, inst));
    *test = all_of(c, *test, ir_op2(c, IR_IEQ, factor, ir_i32(c, 1)));
    return copy_of(p, wish_counter(&t->what_if, inst));
}

/* Computes what is wished for, and what that needs, before the stretch. Returns the test. */
static Inst *compute_early(const Stretch *t, IrCursor *c, Copy *p)
{
    Inst *test = NULL;
    const WhatIf *w = &t->what_if;
    uint32_t next = 0;
    for (Inst *inst = t->first; next < w->wishes.len; inst = inst->next) {
        if (inst == w->wishes.data[next].inst) {
            p->map[inst->id] = granted(t, c, &w->wishes.data[next], p, &test);
            next++;
        } else if (t->early[inst->id]) {
            copy_inst(p, c, inst);
        }
    }
    return test;
}

static bool is_used(const Inst *first, const Inst *v)
{
    for (const Inst *inst = first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (inst->args[i] == v)
                return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (is_used(inst->flow.regions[i]->first, v))
                    return true;
    }
    return false;
}

static void replace_uses(Inst *first, const Inst *v, Inst *by)
{
    for (Inst *inst = first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (inst->args[i] == v)
                inst->args[i] = by;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                replace_uses(inst->flow.regions[i]->first, v, by);
    }
}

/* Gives a value of the stretch to the code after it. */
static void export_value(Ir *ir, const Copy *p, Inst *both, Inst *after, Inst *v)
{
    if (v->type.kind == SCALAR_NONE || v->type.kind == SCALAR_PLACE || !is_used(after, v))
        return;
    Inst *result = ir_result(ir, both, v->type);
    ir_add_arg(ir, both->flow.regions[0]->last, copy_of(p, v));
    ir_add_arg(ir, both->flow.regions[1]->last, v);
    replace_uses(after, v, result);
}

/* Places are not results: those that code after the stretch uses stay before it. */
static bool has_places_for(const Stretch *t)
{
    for (const Inst *inst = t->first; inst != t->end; inst = inst->next)
        if (inst->type.kind == SCALAR_PLACE && is_used(t->end, inst))
            return true;
    return false;
}

static void export_values(Ir *ir, const Copy *p, Inst *both, Inst *after)
{
    Region *slow = both->flow.regions[1];
    for (Inst *inst = slow->first; inst != slow->last; inst = inst->next) {
        export_value(ir, p, both, after, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nresults; i++)
                export_value(ir, p, both, after, inst->flow.results[i]);
    }
}

static void split(Ir *ir, const Stretch *t)
{
    Copy p = copy_new(ir);
    IrCursor c = {ir, t->first->region, t->first, t->first->span};
    Inst *test = compute_early(t, &c, &p);
    Inst *both = ir_if(&c, test);
    IrCursor fast = {ir, both->flow.regions[0], NULL, t->first->span};
    for (Inst *inst = t->first; inst != t->end; inst = inst->next)
        if (!p.map[inst->id])
            copy_inst(&p, &fast, inst);
    ir_leave(&fast, IR_YIELD, NULL, 0, NULL);
    IrCursor slow = {ir, both->flow.regions[1], NULL, t->first->span};
    Inst *end = ir_leave(&slow, IR_YIELD, NULL, 0, NULL);
    for (Inst *inst = t->first, *next; inst != t->end; inst = next) {
        next = inst->next;
        ir_move_before(inst, end);
    }
    export_values(ir, &p, both, t->end);
}

/* ---- regions ---- */

/* From the first wish on: to the end of the region, or to where all lane groups meet. */
static bool find_stretch(const Quotients *s, Inst *from, Stretch *t)
{
    Wish wish;
    *t = (Stretch){0};
    for (Inst *inst = from; inst; inst = inst->next) {
        bool ends = inst->op == IR_BARRIER || ir_op_ends_region((IrOp)inst->op) ||
                    (inst->id < s->count && s->facts->of[inst->id].wide);
        if (t->first && ends) {
            t->end = inst;
            return true;
        }
        if (!t->first && what_if_wish(&s->none, inst, &wish))
            t->first = inst;
    }
    return false;
}

/* False: it is not worth it. */
static bool try_stretch(Quotients *s, Stretch *t)
{
    Gain gain;
    what_if_init(&t->what_if, s->ir, s->facts, s->count);
    t->inside = ARENA_ARRAY(s->ir->arena, bool, s->ir->next_id);
    t->early = ARENA_ARRAY(s->ir->arena, bool, s->ir->next_id);
    survey(t);
    what_if_gain(&t->what_if, t->first, t->end, &gain);
    what_if_keep_needed(&t->what_if, t->first, t->end);
    if (!t->what_if.wishes.len || !gain.gained || gain.barrier || gain.insts > MAX_COPY ||
        gain.insts > s->room || has_places_for(t))
        return false;
    s->room -= gain.insts;
    split(s->ir, t);
    what_if_init(&s->none, s->ir, s->facts, s->count);
    s->any = true;
    return true;
}

static void walk(Quotients *s, Region *region)
{
    Stretch t;
    bool any = false;
    for (Inst *from = region->first; from && find_stretch(s, from, &t); from = t.end->next)
        any |= try_stretch(s, &t);
    for (Inst *inst = region->first; inst && !any; inst = inst->next)
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(s, inst->flow.regions[i]);
}

bool opt_quotients(Ir *ir, const Facts *facts)
{
    Quotients s = {.ir = ir, .facts = facts, .count = ir->next_id, .room = MAX_ALL};
    what_if_init(&s.none, ir, facts, s.count);
    walk(&s, ir->body);
    if (!s.any)
        return false;
    opt_merge(ir);
    opt_simplify(ir);
    opt_prune(ir);
    return true;
}
