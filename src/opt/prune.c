// SPDX-License-Identifier: Apache-2.0
/*
 * prune.c - removes dead code.
 *
 * in     an Ir
 * out    the same without values, parameters, results, constructs and variables
 *        that no effect depends on
 *
 * Needed is what changes memory, synchronises or steers, and everything these
 * use. An operand that goes to a parameter or a result is needed only if that
 * is. Loops stay even if empty: they may be meant to wait.
 */
#include "opt/opt_priv.h"

typedef struct Prune {
    Ir     *ir;
    Leavers leavers;
    bool   *needed;                 /* [next_id]                                   */
    Inst  **owner;                  /* [next_id] of RESULT: its construct          */
    VEC(Inst *) work;
} Prune;

static void need(Prune *p, Inst *inst)
{
    if (p->needed[inst->id])
        return;
    p->needed[inst->id] = true;
    VEC_PUSH(p->ir->arena, &p->work, inst);
}

/* ---- roots ---- */

/* Does it matter to the world outside, whether its value is used or not? */
static bool has_effect(const Inst *inst)
{
    IrEffect effect = ir_op_effect((IrOp)inst->op);
    return effect == EFFECT_WRITE || inst->op == IR_BARRIER || inst->op == IR_ATOMIC;
}

/* Leaves further out than the construct it stands in. */
static bool leaves_further(const Inst *inst, const Inst *construct)
{
    switch (inst->op) {
    case IR_RETURN: return true;
    case IR_BREAK: case IR_CONTINUE: return inst->target != construct;
    default: return false;
    }
}

static void note_owners(Prune *p, Inst *construct)
{
    for (uint32_t i = 0; i < construct->flow.nresults; i++)
        p->owner[construct->flow.results[i]->id] = construct;
}

static void need_steering(Prune *p, Inst *construct)
{
    need(p, construct);
    if (construct->op == IR_IF || construct->op == IR_SWITCH)
        need(p, construct->args[0]);
}

/* True if the region holds an effect, or leaves further out than `construct`. */
static bool find_roots(Prune *p, const Region *region, const Inst *construct)
{
    bool any = false;
    for (Inst *inst = region->first; inst; inst = inst->next) {
        if (ir_op_is_construct((IrOp)inst->op)) {
            bool inside = inst->op == IR_LOOP;
            note_owners(p, inst);
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                inside |= find_roots(p, inst->flow.regions[i], inst);
            if (inside)
                need_steering(p, inst);
            any |= inside;
        } else if (has_effect(inst)) {
            need(p, inst);
            any = true;
        } else if (inst->op == IR_BREAK_IF) {
            need(p, inst->args[0]);
        }
        any |= leaves_further(inst, construct);
    }
    return any;
}

/* ---- what is needed needs ---- */

static void need_given(Prune *p, const Inst *construct, const Inst *to,
                       uint32_t (*operand)(const Inst *, const Inst *, uint32_t))
{
    const LeaverList *list = &p->leavers.of[construct->id];
    for (uint32_t k = 0; k < list->len; k++) {
        uint32_t at = operand(list->data[k], construct, to->index);
        if (at != UINT32_MAX)
            need(p, list->data[k]->args[at]);
    }
}

static uint32_t result_operand(const Inst *leaver, const Inst *construct, uint32_t i)
{
    (void)construct;
    return leaver_result(leaver, i);
}

static uint32_t continued_operand(const Inst *leaver, const Inst *construct, uint32_t i)
{
    (void)construct;
    return leaver_continued(leaver, i);
}

static void spread_param(Prune *p, const Inst *param)
{
    const Inst *loop = param->region->owner;
    if (param->region == loop->flow.regions[0]) {
        need(p, loop->args[param->index]);
        need_given(p, loop, param, leaver_param);
    } else {
        need_given(p, loop, param, continued_operand);
    }
}

/* A construct whose result is needed steers, and so do those around its leavers. */
static void need_ways(Prune *p, const Inst *construct)
{
    const LeaverList *list = &p->leavers.of[construct->id];
    for (uint32_t k = 0; k < list->len; k++)
        for (Inst *c = list->data[k]->region->owner; c && c != construct;
             c = c->region->owner)
            need_steering(p, c);
}

static void spread(Prune *p, Inst *inst)
{
    if (inst->op == IR_PARAM) {
        spread_param(p, inst);
    } else if (inst->op == IR_RESULT) {
        Inst *construct = p->owner[inst->id];
        need_steering(p, construct);
        need_given(p, construct, inst, result_operand);
    } else if (ir_op_is_construct((IrOp)inst->op)) {
        need_ways(p, inst);
    } else {
        for (uint32_t i = 0; i < inst->nargs; i++)
            need(p, inst->args[i]);
    }
}

/* ---- dropping ---- */

/* Keeps the operands of a leaver that go to something needed. */
static void filter_leaver(const Prune *p, const Inst *construct, Inst *leaver)
{
    const Region *body = construct->op == IR_LOOP ? construct->flow.regions[0] : NULL;
    const Region *next = construct->op == IR_LOOP ? construct->flow.regions[1] : NULL;
    uint32_t n = leaver->op == IR_BREAK_IF ? 1 : 0;
    Inst **kept = ARENA_ARRAY(p->ir->arena, Inst *, leaver->nargs + 1);
    if (n)
        kept[0] = leaver->args[0];
    for (uint32_t i = 0; i < construct->flow.nresults; i++) {
        uint32_t at = leaver_result(leaver, i);
        if (at != UINT32_MAX && p->needed[construct->flow.results[i]->id])
            kept[n++] = leaver->args[at];
    }
    for (uint32_t i = 0; body && i < body->nparams; i++) {
        uint32_t at = leaver_param(leaver, construct, i);
        if (at != UINT32_MAX && p->needed[body->params[i]->id])
            kept[n++] = leaver->args[at];
    }
    for (uint32_t i = 0; next && i < next->nparams; i++) {
        uint32_t at = leaver_continued(leaver, i);
        if (at != UINT32_MAX && p->needed[next->params[i]->id])
            kept[n++] = leaver->args[at];
    }
    leaver->args = kept;
    leaver->nargs = n;
}

static uint32_t filter_list(const Prune *p, Inst **list, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (p->needed[list[i]->id]) {
            list[i]->index = n;
            list[n++] = list[i];
        }
    return n;
}

static void filter_construct(const Prune *p, Inst *construct)
{
    const LeaverList *list = &p->leavers.of[construct->id];
    for (uint32_t k = 0; k < list->len; k++)
        filter_leaver(p, construct, list->data[k]);
    if (construct->op == IR_LOOP) {
        const Region *body = construct->flow.regions[0];
        uint32_t n = 0;
        for (uint32_t i = 0; i < body->nparams; i++)
            if (p->needed[body->params[i]->id])
                construct->args[n++] = construct->args[i];
        construct->nargs = n;
    }
    construct->flow.nresults = filter_list(p, construct->flow.results,
                                           construct->flow.nresults);
    for (uint32_t i = 0; i < construct->flow.nregions; i++) {
        Region *r = construct->flow.regions[i];
        r->nparams = filter_list(p, r->params, r->nparams);
    }
}

static void sweep(const Prune *p, Region *region)
{
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        if (ir_op_ends_region((IrOp)inst->op))
            continue;
        if (!p->needed[inst->id]) {
            ir_remove(inst);
            continue;
        }
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        filter_construct(p, inst);
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            sweep(p, inst->flow.regions[i]);
    }
}

static void mark_vars(bool *used, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_VAR)
            used[inst->var->id] = true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                mark_vars(used, inst->flow.regions[i]);
    }
}

void opt_drop_vars(Ir *ir)
{
    bool *used = ARENA_ARRAY(ir->arena, bool, ir->vars.len + 1);
    uint32_t n = 0;
    mark_vars(used, ir->body);
    for (uint32_t i = 0; i < ir->vars.len; i++)
        if (used[i]) {
            ir->vars.data[i]->id = n;
            ir->vars.data[n++] = ir->vars.data[i];
        }
    ir->vars.len = n;
}

void opt_prune(Ir *ir)
{
    Prune p = {.ir = ir};
    p.needed = ARENA_ARRAY(ir->arena, bool, ir->next_id);
    p.owner = ARENA_ARRAY(ir->arena, Inst *, ir->next_id);
    leavers_init(&p.leavers, ir);
    find_roots(&p, ir->body, NULL);
    while (p.work.len)
        spread(&p, p.work.data[--p.work.len]);
    sweep(&p, ir->body);
}
