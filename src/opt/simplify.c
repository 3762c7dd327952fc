// SPDX-License-Identifier: Apache-2.0
/*
 * simplify.c - what is known now is not computed later.
 *
 * in     an Ir
 * out    the same with constants folded, identities used, conditions that are
 *        known decided, and parameters and results that are always one value
 *        replaced by it. Constants stand at the start of the body, each once.
 * not    what is unused (prune.c), what is computed twice (merge.c)
 */
#include "opt/opt_priv.h"

#include <string.h>

#define MAX_ROUNDS 4

typedef struct Simplify {
    Ir      *ir;
    Forward  forward;
    Leavers  leavers;
    Inst   **constants;             /* hash table, open                            */
    uint32_t mask, count;
    Components components;
    bool     changed;
} Simplify;

/* ---- one constant of each kind ---- */

static uint32_t constant_hash(const Inst *k)
{
    uint32_t h = (uint32_t)k->type.kind * 31u + k->type.width;
    for (uint32_t i = 0; i < k->type.width; i++)
        h = (h ^ k->constant.bits[i] ^ k->constant.bits[4 + i]) * 0x9e3779b1u;
    return h ^ h >> 15;
}

static bool constant_same(const Inst *x, const Inst *y)
{
    return ir_type_eq(x->type, y->type) &&
           memcmp(x->constant.bits, y->constant.bits, x->type.width * sizeof(uint32_t)) == 0 &&
           memcmp(x->constant.bits + 4, y->constant.bits + 4,
                  x->type.width * sizeof(uint32_t)) == 0;
}

static Inst **constant_slot(Simplify *s, const Inst *k)
{
    uint32_t at = constant_hash(k) & s->mask;
    while (s->constants[at] && !constant_same(s->constants[at], k))
        at = (at + 1) & s->mask;
    return &s->constants[at];
}

static void constants_grow(Simplify *s)
{
    Inst **old = s->constants;
    uint32_t n = s->mask + 1;
    s->mask = n * 2 - 1;
    s->constants = ARENA_ARRAY(s->ir->arena, Inst *, n * 2u);
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            *constant_slot(s, old[i]) = old[i];
}

static Inst *constant_get(Simplify *s, IrType type, IrConstant k)
{
    Inst probe = {.op = IR_CONST, .type = type, .constant = k};
    Inst **slot = constant_slot(s, &probe);
    if (*slot)
        return *slot;
    IrCursor c = {s->ir, s->ir->body, s->ir->body->first, {0, 0}};
    Inst *made = *slot = ir_const(&c, type, k);
    if (++s->count * 2 > s->mask)
        constants_grow(s);
    return made;
}

/* ---- values ---- */

static void replace(Simplify *s, Inst *inst, Inst *by)
{
    forward_set(&s->forward, inst, by);
    s->changed = true;
}

static void simplify_value(Simplify *s, Inst *inst)
{
    IrConstant k;
    if (inst->op == IR_CONST) {
        Inst *one = constant_get(s, inst->type, inst->constant);
        if (one != inst) {
            forward_set(&s->forward, inst, one);
            ir_remove(inst);
        }
        return;
    }
    if (fold_constant(inst, &k)) {
        replace(s, inst, constant_get(s, inst->type, k));
        return;
    }
    IrCursor c = {s->ir, inst->region, inst, inst->span};
    Inst *equal = fold_identity(&s->components, &c, inst);
    if (equal)
        replace(s, inst, equal);
}

/* ---- parameters and results that are always one value ---- */

bool value_is_visible(const Inst *v, const Region *from)
{
    for (const Region *r = from; r; r = r->owner ? r->owner->region : NULL) {
        if (v->region == r)
            return true;
        bool continuing = r->owner && r->owner->op == IR_LOOP &&
                          r == r->owner->flow.regions[1];
        if (continuing && v->op == IR_PARAM && v->region == r->owner->flow.regions[0])
            return true;
    }
    return false;
}

/* Adds one more giver: *only is the value so far. False: they differ. */
static bool agrees(Inst **only, Inst *value, const Inst *self)
{
    if (value == self || value == *only)
        return true;
    if (*only)
        return false;
    *only = value;
    return true;
}

static void settle(Simplify *s, Inst *inst, Inst *only, const Region *where)
{
    if (only && value_is_visible(only, where))
        replace(s, inst, only);
}

static void settle_results(Simplify *s, const Inst *construct)
{
    const LeaverList *list = &s->leavers.of[construct->id];
    for (uint32_t i = 0; i < construct->flow.nresults; i++) {
        Inst *result = construct->flow.results[i], *only = NULL;
        bool one = true;
        for (uint32_t k = 0; k < list->len && one; k++) {
            uint32_t at = leaver_result(list->data[k], i);
            if (at != UINT32_MAX)
                one = agrees(&only, forward_get(&s->forward, list->data[k]->args[at]), result);
        }
        if (one)
            settle(s, result, only, construct->region);
    }
}

static void settle_continued(Simplify *s, const Inst *loop)
{
    const LeaverList *list = &s->leavers.of[loop->id];
    const Region *next = loop->flow.regions[1];
    for (uint32_t i = 0; i < next->nparams; i++) {
        Inst *only = NULL;
        bool one = true;
        for (uint32_t k = 0; k < list->len && one; k++) {
            uint32_t at = leaver_continued(list->data[k], i);
            if (at != UINT32_MAX)
                one = agrees(&only, forward_get(&s->forward, list->data[k]->args[at]),
                             next->params[i]);
        }
        if (one)
            settle(s, next->params[i], only, next);
    }
}

static void settle_params(Simplify *s, const Inst *loop)
{
    const LeaverList *list = &s->leavers.of[loop->id];
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++) {
        Inst *param = body->params[i];
        Inst *only = forward_get(&s->forward, loop->args[i]);
        bool one = true;
        for (uint32_t k = 0; k < list->len && one; k++) {
            uint32_t at = leaver_param(list->data[k], loop, i);
            if (at != UINT32_MAX)
                one = agrees(&only, forward_get(&s->forward, list->data[k]->args[at]), param);
        }
        if (one)
            settle(s, param, only, loop->region);
    }
}

/* ---- conditions that are known ---- */

static void drop_from(Inst *first)
{
    while (first) {
        Inst *next = first->next;
        ir_remove(first);
        first = next;
    }
}

/* Returns where the walk goes on. */
static Inst *decide(Simplify *s, Inst *inst, Region *way)
{
    Inst *end = way->last, *first = way->first;
    bool yields = end->op == IR_YIELD;
    if (yields) {
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            replace(s, inst->flow.results[i], end->args[i]);
        ir_remove(end);
        if (first == end)
            first = NULL;
    }
    Inst *after = inst->next;
    while (way->first)
        ir_move_before(way->first, inst);
    if (!yields)
        drop_from(after);
    ir_remove(inst);
    s->changed = true;
    if (first)
        return first;
    return yields ? after : NULL;
}

/* ---- walking ---- */

static void walk(Simplify *s, Region *region);

static Inst *walk_construct(Simplify *s, Inst *inst)
{
    if (inst->op == IR_IF && inst->args[0]->op == IR_CONST)
        return decide(s, inst, inst->flow.regions[inst->args[0]->constant.bits[0] ? 0 : 1]);
    if (inst->op == IR_LOOP) {
        settle_continued(s, inst);
        settle_params(s, inst);
    }
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        walk(s, inst->flow.regions[i]);
    settle_results(s, inst);
    return inst->next;
}

static void walk(Simplify *s, Region *region)
{
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        forward_args(&s->forward, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            next = walk_construct(s, inst);
        else if (ir_op_effect((IrOp)inst->op) == EFFECT_PURE && inst->id < s->forward.count)
            simplify_value(s, inst);
    }
}

static bool simplify_once(Ir *ir)
{
    Simplify s = {.ir = ir, .mask = 63};
    s.constants = ARENA_ARRAY(ir->arena, Inst *, s.mask + 1);
    forward_init(&s.forward, ir);
    leavers_init(&s.leavers, ir);
    components_init(&s.components, ir);
    walk(&s, ir->body);
    forward_region(&s.forward, ir->body);
    return s.changed;
}

void opt_simplify(Ir *ir)
{
    for (int i = 0; i < MAX_ROUNDS && simplify_once(ir); i++) {
    }
    opt_cut(ir);
}
