// SPDX-License-Identifier: Apache-2.0
/*
 * again.c - what was seen in memory, or written to it, is not loaded again.
 *
 * in     an Ir in which equal places are one (merge.c)
 * out    the same without loads of a place that the region has loaded or stored before,
 *        where nothing between may have written to it
 * why    particles[i].x += ... loads what the line before has stored; each load has its
 *        bounds to check, and lanes that may be apart
 *
 * Other invocations may write there meanwhile, but no kernel may rely on their order without
 * a barrier, at which all is forgotten. A store beyond the end of a buffer stores nothing:
 * only an access that is known to be in bounds is known to be stored.
 */
#include "opt/opt_priv.h"

#define MOST 64u                    /* places that are remembered                 */

typedef struct Known {
    const Inst *place;
    Inst       *value;
} Known;

typedef struct Again {
    Ir      *ir;
    Forward  forward;
    Known    known[MOST];
    uint32_t n;
} Again;

/* ---- places ---- */

static bool is_constant_below(const Inst *elem)
{
    const MemType *of = elem->args[0]->mem;
    return of->kind == MEM_ARRAY && elem->args[1]->op == IR_CONST &&
           elem->args[1]->constant.bits[0] < of->array.count;
}

static bool is_in_bounds(const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD &&
            (place->op != IR_ELEM || (!place->in_bounds && !is_constant_below(place))))
            return false;
    return true;
}

/* i, and c of i + c. */
static const Inst *without_constant(const Inst *index, uint32_t *c)
{
    *c = 0;
    if (index->op != IR_IADD || index->args[1]->op != IR_CONST)
        return index;
    *c = index->args[1]->constant.bits[0];
    return index->args[0];
}

static bool are_different(const Inst *x, const Inst *y)
{
    uint32_t c, d;
    if (x->op == IR_CONST && y->op == IR_CONST)
        return x->constant.bits[0] != y->constant.bits[0];
    return without_constant(x, &c) == without_constant(y, &d) && c != d;
}

/* Parts of one thing that have nothing in common, or parts of such. */
static bool are_apart(const Inst *x, const Inst *y)
{
    for (const Inst *p = x; p->op != IR_VAR; p = p->args[0])
        for (const Inst *q = y; q->op != IR_VAR; q = q->args[0]) {
            if (p->args[0] != q->args[0] || p->op != q->op)
                continue;
            if (p->op == IR_FIELD && p->index != q->index)
                return true;
            if (p->op == IR_ELEM && are_different(p->args[1], q->args[1]))
                return true;
        }
    return false;
}

/* ---- what is known ---- */

static void learn(Again *a, const Inst *place, Inst *value)
{
    if (a->n == MOST)
        a->n = 0;
    a->known[a->n++] = (Known){place, value};
}

static Inst *look_up(const Again *a, const Inst *place)
{
    for (uint32_t i = a->n; i-- > 0;)
        if (a->known[i].place == place)
            return a->known[i].value;
    return NULL;
}

/* Something is written to `place`, or anywhere in its variable. */
static void forget(Again *a, const Inst *place, bool anywhere)
{
    const IrVar *var = ir_place_root(place);
    uint32_t     n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const Inst *other = a->known[i].place;
        if (ir_place_root(other) != var || (!anywhere && are_apart(other, place)))
            a->known[n++] = a->known[i];
    }
    a->n = n;
}

static void load(Again *a, Inst *inst)
{
    Inst *value = look_up(a, inst->args[0]);
    if (!value) {
        learn(a, inst->args[0], inst);
        return;
    }
    forward_set(&a->forward, inst, value);
    ir_remove(inst);
}

static void store(Again *a, const Inst *inst)
{
    forget(a, inst->args[0], false);
    if (is_in_bounds(inst->args[0]))
        learn(a, inst->args[0], inst->args[1]);
}

static void walk(Again *a, Region *region)
{
    a->n = 0;
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        forward_args(&a->forward, inst);
        if (inst->op == IR_LOAD)
            load(a, inst);
        else if (inst->op == IR_STORE)
            store(a, inst);
        else if (inst->op == IR_ATOMIC)
            forget(a, inst->args[0], true);
        else if (ir_op_effect((IrOp)inst->op) > EFFECT_READ)
            a->n = 0;
        for (uint32_t i = 0; ir_op_is_construct((IrOp)inst->op) && i < inst->flow.nregions; i++)
            walk(a, inst->flow.regions[i]);
        if (ir_op_is_construct((IrOp)inst->op))
            a->n = 0;
    }
}

void opt_again(Ir *ir)
{
    Again a = {.ir = ir};
    forward_init(&a.forward, ir);
    walk(&a, ir->body);
    forward_region(&a.forward, ir->body);
}
