// SPDX-License-Identifier: Apache-2.0
/*
 * induction.c - rewrites secondary induction variables in terms of the primary one.
 *
 * in     a loop `for (i = a; i < n; i += s)` in which another variable q steps by a constant,
 *        too: at the end of the body, or in the continuing part
 * out    q as q0 + (i - a) * (its step / s), of which q0 is what it starts with
 * why    the test bounds the primary variable alone: ranges, bounds of indices and strides
 *        of q follow from it then
 * not    loops without such a test, and steps that are no multiple of the primary one's
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

typedef struct Induction {
    Ir     *ir;
    Leavers leavers;
    bool    any;
} Induction;

/* The constant that v adds to parameter p of a loop's body. False: it is something else. */
static bool adds_to(const Inst *v, const Inst *p, uint32_t *step)
{
    bool sum = v->op == IR_IADD || v->op == IR_ISUB;
    if (!sum || v->args[0] != p || v->args[1]->op != IR_CONST)
        return false;
    uint32_t n = v->args[1]->constant.bits[0];
    *step = v->op == IR_IADD ? n : 0u - n;
    return true;
}

/* The same where all ways to the continuing part bring the sum to a parameter of it. */
static bool all_add(const Induction *s, const Inst *loop, const Inst *q, const Inst *p,
                    uint32_t *step)
{
    const LeaverList *list = &s->leavers.of[loop->id];
    bool any = false;
    for (uint32_t i = 0; i < list->len; i++) {
        uint32_t at = leaver_continued(list->data[i], q->index), by;
        if (at == UINT32_MAX)
            continue;
        if (!adds_to(list->data[i]->args[at], p, &by) || (any && by != *step))
            return false;
        *step = by;
        any = true;
    }
    return any;
}

/* How much parameter p of the body is larger in each iteration. */
static bool step_of(const Induction *s, const Inst *loop, const Inst *p, uint32_t *step)
{
    const Inst *end = loop->flow.regions[1]->last;
    uint32_t at = leaver_param(end, loop, p->index);
    if (at == UINT32_MAX || p->type.kind != SCALAR_I32 || p->type.width != 1)
        return false;
    const Inst *next = end->args[at];
    if (next->op == IR_PARAM && next->region == loop->flow.regions[1])
        return all_add(s, loop, next, p, step);
    return adds_to(next, p, step);
}

/* The parameter that the loop tests, with its step; NULL: none that steps by a constant. */
static Inst *primary_of(const Induction *s, const Inst *loop, uint32_t *step)
{
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++)
        if (analysis_loop_test(loop, body->params[i]) &&
            step_of(s, loop, body->params[i], step) && *step)
            return body->params[i];
    return NULL;
}

/* q0 + (i - a) * times */
static Inst *in_terms_of(IrCursor *c, const Inst *loop, Inst *i, const Inst *q, uint32_t times)
{
    Inst *a = loop->args[i->index], *q0 = loop->args[q->index];
    bool from_zero = a->op == IR_CONST && a->constant.bits[0] == 0;
    Inst *count = from_zero ? i : ir_op2(c, IR_ISUB, i, a);
    if (times != 1)
        count = ir_op2(c, IR_IMUL, count, ir_i32(c, times));
    return q0->op == IR_CONST && q0->constant.bits[0] == 0 ? count : ir_op2(c, IR_IADD, count, q0);
}

/* Puts `equal` in the place of parameter q of a loop's body, in a region and inside. */
static void replace_in(Region *region, const Inst *q, Inst *equal)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (inst->args[i] == q)
                inst->args[i] = equal;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                replace_in(inst->flow.regions[i], q, equal);
    }
}

/* Values of the body are not visible in the continuing part: each has its own. */
static void rewrite(Induction *s, Inst *loop, Inst *i, Inst *q, uint32_t times)
{
    for (uint32_t k = 0; k < 2; k++) {
        Region *region = loop->flow.regions[k];
        Inst *first = region->first;
        IrCursor c = {s->ir, region, first, loop->span};
        replace_in(region, q, in_terms_of(&c, loop, i, q, times));
    }
    s->any = true;
}

static void rewrite_loop(Induction *s, Inst *loop)
{
    uint32_t step, other;
    const Region *body = loop->flow.regions[0];
    Inst *i = primary_of(s, loop, &step);
    for (uint32_t k = 0; i && k < body->nparams; k++) {
        Inst *q = body->params[k];
        if (q != i && step_of(s, loop, q, &other) && (int64_t)(int32_t)other % (int32_t)step == 0)
            rewrite(s, loop, i, q, (uint32_t)((int64_t)(int32_t)other / (int32_t)step));
    }
}

static void walk(Induction *s, Region *region)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        if (inst->op == IR_LOOP)
            rewrite_loop(s, inst);
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            walk(s, inst->flow.regions[i]);
    }
}

void opt_induction(Ir *ir)
{
    Induction s = {.ir = ir};
    leavers_init(&s.leavers, ir);
    walk(&s, ir->body);
    if (!s.any)
        return;
    opt_simplify(ir);
    opt_prune(ir);
}
