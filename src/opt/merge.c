// SPDX-License-Identifier: Apache-2.0
/*
 * merge.c - what is computed twice is computed once.
 *
 * in     an Ir
 * out    the same in which equal pure operations on equal operands, where one
 *        sees the other, are one; places too, and loads of memory that is never
 *        written
 *
 * A table from operations to the instruction that has done them, with a log so
 * that what a region adds is forgotten at its end.
 */
#include "opt/opt_priv.h"

typedef struct Entry {
    Inst        *inst;
    struct Entry *next;
} Entry;

typedef struct Merge {
    Ir      *ir;
    Forward  forward;
    Entry  **buckets;
    uint32_t mask;
    VEC(uint32_t) log;              /* buckets, newest last                        */
} Merge;

static bool may_merge(const Inst *inst)
{
    if (inst->op == IR_LOAD)
        return ir_var_is_read_only(ir_place_root(inst->args[0]));
    return ir_op_effect((IrOp)inst->op) == EFFECT_PURE && inst->op != IR_CONST;
}

/* What the payload of an operation is, as one number; enough to compare. */
static uint64_t payload(const Inst *inst)
{
    switch (inst->op) {
    case IR_INPUT: return (uint64_t)inst->input;
    case IR_EXTRACT: case IR_FIELD: return inst->index;
    case IR_VAR: return inst->var->id;
    case IR_VIEW: return inst->mem_view->id;
    case IR_SWIZZLE:
        return inst->swizzle[0] | (uint32_t)inst->swizzle[1] << 8 |
               (uint32_t)inst->swizzle[2] << 16 | (uint64_t)inst->swizzle[3] << 24;
    default: return 0;
    }
}

static uint32_t hash(const Inst *inst)
{
    uint64_t h = inst->op * 0x9e3779b97f4a7c15u ^ payload(inst);
    h ^= (uint64_t)inst->type.kind << 8 | inst->type.width;
    for (uint32_t i = 0; i < inst->nargs; i++)
        h = (h ^ inst->args[i]->id) * 0xff51afd7ed558ccdu;
    return (uint32_t)(h >> 32);
}

static bool same(const Inst *x, const Inst *y)
{
    if (x->op != y->op || !ir_type_eq(x->type, y->type) || x->nargs != y->nargs ||
        x->in_bounds != y->in_bounds || x->natural != y->natural || payload(x) != payload(y))
        return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (x->args[i] != y->args[i])
            return false;
    return true;
}

static void merge_inst(Merge *m, Inst *inst)
{
    uint32_t at = hash(inst) & m->mask;
    for (Entry *e = m->buckets[at]; e; e = e->next)
        if (same(e->inst, inst)) {
            forward_set(&m->forward, inst, e->inst);
            ir_remove(inst);
            return;
        }
    Entry *e = ARENA_NEW(m->ir->arena, Entry);
    *e = (Entry){inst, m->buckets[at]};
    m->buckets[at] = e;
    VEC_PUSH(m->ir->arena, &m->log, at);
}

static void forget(Merge *m, uint32_t mark)
{
    while (m->log.len > mark) {
        uint32_t at = m->log.data[--m->log.len];
        m->buckets[at] = m->buckets[at]->next;
    }
}

static void walk(Merge *m, Region *region)
{
    uint32_t mark = m->log.len;
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        forward_args(&m->forward, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(m, inst->flow.regions[i]);
        else if (may_merge(inst))
            merge_inst(m, inst);
    }
    forget(m, mark);
}

static uint32_t table_size(const Ir *ir)
{
    uint32_t n = 64;
    while (n < ir->next_id && n < 1u << 20)
        n *= 2;
    return n;
}

void opt_merge(Ir *ir)
{
    Merge m = {.ir = ir, .mask = table_size(ir) - 1};
    m.buckets = ARENA_ARRAY(ir->arena, Entry *, m.mask + 1u);
    forward_init(&m.forward, ir);
    walk(&m, ir->body);
    forward_region(&m.forward, ir->body);
}
