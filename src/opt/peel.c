// SPDX-License-Identifier: Apache-2.0
/*
 * peel.c - loops that invocations leave one by one, first for all together.
 *
 * in     an Ir with loops such as for (i = id; i < n; i += step)
 * out    before each such loop a copy of it that runs while even the last
 *        invocation of the workgroup stays in; the loop itself does what is left
 * why    together, lane groups need no masks and can go side by side
 * knows  which numbers a workgroup shares
 *
 * With i = shared + own, where `shared` is the workgroup's and `own` is from 0 to span,
 * i < n holds for all of them if shared < n - span: no sum there can wrap. The copy
 * counts `shared` alone. Other conditions that the workgroup shares may stand beside
 * i < n: the copy tests them, too.
 */
#include "opt/opt_priv.h"

#define MAX_SPAN  (1u << 20)
#define MAX_INSTS 160u              /* of a loop that is worth a copy             */
#define MAX_DEPTH 12u               /* of expressions that are looked into        */
#define MAX_OTHERS 4u               /* conditions beside that of the counter      */

/* A loop of the form above. */
typedef struct Counted {
    Inst    *loop, *guard;          /* the IF that ends it                        */
    uint32_t counter;               /* which parameter is i                       */
    Inst    *limit, *step;
    bool     is_signed;
    Inst    *others[MAX_OTHERS];    /* must hold as well                          */
    uint32_t nothers;
} Counted;

/* ---- what a workgroup shares ---- */

static bool is_shared(const Inst *inst, uint32_t depth)
{
    if (depth == 0 || inst->op == IR_PARAM || inst->op == IR_RESULT)
        return false;
    if (inst->op == IR_INPUT)
        return inst->input >= INPUT_WORKGROUP_ID_X && inst->input <= INPUT_NUM_WORKGROUPS_Z;
    if (inst->op == IR_LOAD && !ir_var_is_read_only(ir_place_root(inst->args[0])))
        return false;
    if (inst->op != IR_LOAD && inst->op != IR_LENGTH &&
        ir_op_effect((IrOp)inst->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!is_shared(inst->args[i], depth - 1))
            return false;
    return true;
}

static bool is_inside(const Inst *inst, const Inst *loop)
{
    for (const Region *r = inst->region; r; r = r->owner ? r->owner->region : NULL)
        if (r->owner == loop)
            return true;
    return false;
}

/* A shared value, made before the loop if it is made inside. */
static Inst *hoisted(Copy *p, IrCursor *c, Inst *inst, const Inst *loop)
{
    if (!is_inside(inst, loop))
        return inst;
    for (uint32_t i = 0; i < inst->nargs; i++)
        p->map[inst->args[i]->id] = hoisted(p, c, inst->args[i], loop);
    return copy_inst(p, c, inst);
}

/* ---- the counter in two parts ---- */

static bool small_constant(const Inst *inst, uint32_t *out)
{
    *out = inst->op == IR_CONST ? inst->constant.bits[0] : 0;
    return inst->op == IR_CONST && *out > 0 && *out <= MAX_SPAN;
}

/* x = shared + own: what the workgroup shares, and what is from 0 to `span`. */
typedef struct Split {
    Inst    *shared, *own;
    uint32_t span;
} Split;

/* Made at `c`. False: not known to be such a sum. */
static bool split(IrCursor *c, Inst *x, Split *out, uint32_t depth)
{
    const uint32_t *size = c->ir->workgroup_size;
    uint32_t k = 0;
    if (is_shared(x, MAX_DEPTH)) {
        *out = (Split){x, ir_i32(c, 0), 0};
        return true;
    }
    if (depth == 0)
        return false;
    if (x->op == IR_INPUT && x->input <= INPUT_LOCAL_INDEX) {
        *out = (Split){ir_i32(c, 0), x, 0};
        out->span = (x->input == INPUT_LOCAL_INDEX ? size[0] * size[1] * size[2]
                                                   : size[x->input - INPUT_LOCAL_ID_X]) - 1;
        return true;
    }
    bool  scales = x->op == IR_IMUL && small_constant(x->args[1], &k);
    Split a, b;
    if ((x->op != IR_IADD && !scales) || !split(c, x->args[0], &a, depth - 1))
        return false;
    if (scales) {
        if ((uint64_t)a.span * k > MAX_SPAN)
            return false;
        *out = (Split){ir_op2(c, IR_IMUL, a.shared, x->args[1]),
                       ir_op2(c, IR_IMUL, a.own, x->args[1]), a.span * k};
        return true;
    }
    if (!split(c, x->args[1], &b, depth - 1) || a.span + b.span > MAX_SPAN)
        return false;
    *out = (Split){ir_op2(c, IR_IADD, a.shared, b.shared), ir_op2(c, IR_IADD, a.own, b.own),
                   a.span + b.span};
    return true;
}

/* ---- which loops ---- */

static bool only(const Region *r, IrOp op)
{
    return r->first == r->last && r->first->op == op;
}

static uint32_t param_index(const Region *body, const Inst *inst)
{
    uint32_t i = 0;
    while (i < body->nparams && body->params[i] != inst)
        i++;
    return i;
}

/* Nothing but counting, leaving in other ways or waiting in it? */
static bool is_plain(const Region *region, const Inst *loop, const Inst *guard, uint32_t *n)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (++*n > MAX_INSTS || inst->op == IR_BARRIER || inst->op == IR_LOOP ||
            inst->op == IR_SUBGROUP || inst->op == IR_BREAK_IF || inst->op == IR_UNIFORM ||
            (inst->op == IR_BREAK && inst->target == loop))
            return false;
        if (ir_op_is_construct((IrOp)inst->op) && inst != guard)
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!is_plain(inst->flow.regions[i], loop, guard, n))
                    return false;
    }
    return true;
}

/* The first IF of the body, if it does nothing but end the loop. */
static Inst *guard_of(const Inst *loop, bool *stays_if_true)
{
    Inst *inst = loop->flow.regions[0]->first;
    while (inst && inst->op != IR_IF &&
           (ir_op_effect((IrOp)inst->op) == EFFECT_PURE || inst->op == IR_LENGTH ||
            (inst->op == IR_LOAD && ir_var_is_read_only(ir_place_root(inst->args[0])))))
        inst = inst->next;
    if (!inst || inst->op != IR_IF || inst->flow.nresults)
        return NULL;
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    *stays_if_true = only(yes, IR_YIELD);
    const Region *out = *stays_if_true ? no : yes, *on = *stays_if_true ? yes : no;
    bool ends = only(on, IR_YIELD) && only(out, IR_BREAK) && out->first->target == loop;
    return ends ? inst : NULL;
}

/* Splits "test and others" where the workgroup shares the others. Returns the test; NULL:
 * there is more than one. */
static const Inst *without_others(Counted *out, Inst *condition)
{
    while (condition->op == IR_AND) {
        uint32_t k = is_shared(condition->args[0], MAX_DEPTH) ? 0 : 1;
        if (out->nothers == MAX_OTHERS || !is_shared(condition->args[k], MAX_DEPTH))
            return NULL;
        out->others[out->nothers++] = condition->args[k];
        condition = condition->args[1 - k];
    }
    return condition;
}

static bool find_counter(Counted *out)
{
    const Region *body = out->loop->flow.regions[0], *next = out->loop->flow.regions[1];
    bool stays;
    out->guard = guard_of(out->loop, &stays);
    if (!out->guard || next->last->op != IR_NEXT)
        return false;
    const Inst *test = stays ? without_others(out, out->guard->args[0]) : out->guard->args[0];
    if (!test)
        return false;
    bool less = stays && (test->op == IR_ULT || test->op == IR_SLT);
    bool not_less = !stays && (test->op == IR_ULE || test->op == IR_SLE);
    if (!less && !not_less)
        return false;
    out->is_signed = test->op == IR_SLT || test->op == IR_SLE;
    out->limit = test->args[less ? 1 : 0];
    out->counter = param_index(body, test->args[less ? 0 : 1]);
    if (out->counter == body->nparams)
        return false;
    const Inst *step = next->last->args[out->counter];
    if (step->op != IR_IADD || step->args[0] != body->params[out->counter])
        return false;
    out->step = step->args[1];
    return is_shared(out->limit, MAX_DEPTH) && is_shared(out->step, MAX_DEPTH);
}

/* A power of two that divides a constant. */
static uint32_t grid_of(const Inst *inst)
{
    uint32_t n = inst->op == IR_CONST ? inst->constant.bits[0] : 1;
    return n ? n & (0 - n) : 0x80000000u;
}

/* All invocations are known to leave together. */
static bool is_even(const Counted *l, uint32_t span)
{
    return span == 0 || (grid_of(l->limit) > span && grid_of(l->step) > span);
}

/* ---- the copy ---- */

/* n - span, or the least number there is. */
static Inst *lowered(IrCursor *c, Inst *n, uint32_t span, bool is_signed)
{
    Inst *least = ir_i32(c, is_signed ? 0x80000000u + span : span);
    Inst *enough = ir_op2(c, is_signed ? IR_SMAX : IR_UMAX, n, least);
    return ir_op2(c, IR_ISUB, enough, ir_i32(c, span));
}

/* All of the other conditions, made at `c`; NULL: there are none. */
static Inst *others_of(Copy *p, IrCursor *c, const Counted *l)
{
    Inst *all = NULL;
    for (uint32_t i = 0; i < l->nothers; i++) {
        Inst *one = hoisted(p, c, l->others[i], l->loop);
        all = all ? ir_op2(c, IR_AND, all, one) : one;
    }
    return all;
}

/* Of a copy: what invocations have of the counter alone, and when they go on. */
typedef struct Together {
    Inst *own, *limit, *others;
} Together;

/* Its parameters are the loop's, but for the counter: that is the part of it that the
 * workgroup shares, and the whole is made from it. */
static void open_copy(Copy *p, const Counted *l, Inst *copy, const Together *t)
{
    const Region *from = l->loop->flow.regions[0];
    Region *body = copy->flow.regions[0];
    IrCursor c = {p->ir, body, NULL, copy->span};
    Inst **now = ARENA_ARRAY(p->ir->arena, Inst *, body->nparams);
    Inst *shared = body->params[l->counter];
    for (uint32_t i = 0; i < body->nparams; i++)
        now[i] = i == l->counter ? ir_op2(&c, IR_IADD, shared, t->own) : body->params[i];
    Inst *test = ir_op2(&c, l->is_signed ? IR_SLT : IR_ULT, shared, t->limit);
    if (t->others)
        test = ir_op2(&c, IR_AND, test, t->others);
    Inst *guard = ir_if(&c, test);
    IrCursor yes = {p->ir, guard->flow.regions[0], NULL, copy->span};
    ir_leave(&yes, IR_YIELD, NULL, 0, NULL);
    IrCursor no = {p->ir, guard->flow.regions[1], NULL, copy->span};
    ir_leave(&no, IR_BREAK, copy, body->nparams, now);
    for (uint32_t i = 0; i < body->nparams; i++)
        p->map[from->params[i]->id] = now[i];
}

static void copy_body(Copy *p, const Counted *l, Region *to)
{
    for (const Inst *inst = l->loop->flow.regions[0]->first; inst; inst = inst->next) {
        IrCursor c = {p->ir, to, NULL, inst->span};
        if (inst != l->guard)
            copy_inst(p, &c, inst);
    }
}

/* ---- a cut between both ---- */

static bool contains(const Region *region, IrOp op);

static bool construct_contains(const Inst *inst, IrOp op)
{
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        if (contains(inst->flow.regions[i], op))
            return true;
    return false;
}

static bool contains(const Region *region, IrOp op)
{
    for (const Inst *inst = region->first; inst; inst = inst->next)
        if (inst->op == op ||
            (ir_op_is_construct((IrOp)inst->op) && construct_contains(inst, op)))
            return true;
    return false;
}

static bool has_private_memory(const Ir *ir)
{
    for (uint32_t i = 0; i < ir->vars.len; i++)
        if (ir->vars.data[i]->space <= IRSPACE_PRIVATE)
            return true;
    return false;
}

/* Do all invocations of a workgroup come here, so that a barrier may stand here? */
static bool all_come(const Ir *ir, const Region *region)
{
    for (const Inst *inst = ir->body->first; inst != ir->body->last; inst = inst->next)
        if (ir_op_is_construct((IrOp)inst->op) && construct_contains(inst, IR_RETURN))
            return false;
    for (; region != ir->body; region = region->owner->region)
        if (!construct_contains(region->owner, IR_BARRIER))
            return false;
    return true;
}

/* A barrier that the program does not need: what is before it becomes a stretch of its
 * own, through which all go together. */
static void cut_before(Copy *p, Inst *loop)
{
    bool barriers = contains(p->ir->body, IR_BARRIER);
    if (!all_come(p->ir, loop->region) || (!barriers && has_private_memory(p->ir)))
        return;
    IrCursor c = {p->ir, loop->region, loop, loop->span};
    ir_barrier(&c, BARRIER_WORKGROUP);
}

static void peel_loop(Copy *p, const Counted *l)
{
    Inst *loop = l->loop;
    const Region *body = loop->flow.regions[0], *next = loop->flow.regions[1];
    IrCursor c = {p->ir, loop->region, loop, loop->span};
    uint32_t n = body->nparams;
    Split    at;
    if (!split(&c, loop->args[l->counter], &at, MAX_DEPTH) || is_even(l, at.span))
        return;
    Together together = {at.own, NULL, others_of(p, &c, l)};
    together.limit = lowered(&c, hoisted(p, &c, l->limit, loop), at.span, l->is_signed);
    Inst *step = hoisted(p, &c, l->step, loop);
    Inst **args = ARENA_ARRAY(p->ir->arena, Inst *, n);
    for (uint32_t i = 0; i < n; i++)
        args[i] = i == l->counter ? at.shared : loop->args[i];
    Inst *copy = ir_loop(&c, n, args);
    p->map[loop->id] = copy;
    Region *to = copy->flow.regions[0];
    open_copy(p, l, copy, &together);
    copy_body(p, l, to);
    for (uint32_t i = 0; i < next->nparams; i++)
        p->map[next->params[i]->id] =
            ir_param(p->ir, copy->flow.regions[1], next->params[i]->type);
    copy_region(p, copy->flow.regions[1], next->first);
    IrCursor end = {p->ir, copy->flow.regions[1], copy->flow.regions[1]->last, loop->span};
    end.before->args[l->counter] = ir_op2(&end, IR_IADD, to->params[l->counter], step);
    for (uint32_t i = 0; i < n; i++)
        loop->args[i] = ir_result(p->ir, copy, body->params[i]->type);
    cut_before(p, loop);
}

static void walk(Copy *p, Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        Counted l = {.loop = inst};
        uint32_t insts = 0;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            walk(p, inst->flow.regions[i]);
        if (inst->op == IR_LOOP && find_counter(&l) &&
            is_plain(inst->flow.regions[0], inst, l.guard, &insts) &&
            is_plain(inst->flow.regions[1], inst, l.guard, &insts))
            peel_loop(p, &l);
    }
}

void opt_peel(Ir *ir)
{
    Copy p = copy_new(ir);
    walk(&p, ir->body);
}
