// SPDX-License-Identifier: Apache-2.0
/*
 * regular.c - what would be regular if.
 *
 * in     facts, and wishes that come true
 * out    the facts of the instructions after them; the accesses that become regular
 * knows  how facts follow from operands (analysis.h)
 * not    how it is made sure that a wish comes true
 *
 * A factor is wished to be 1 where it is one of several in a sum: strides of a tensor, of
 * which the last is 1. A factor alone is the length of a row that each lane has.
 */
#include "opt/regular_priv.h"

#define LEAST_ROWS 2u               /* lane groups in a row, for a constant divisor */
#define MAX_STRIDE 0x10000
#define MAX_LEAVES 8u               /* of a sum                                   */

/* A copy of `f` that knows nothing of the instructions from `count` on. */
static Facts *extended(Ir *ir, const Facts *f, uint32_t count)
{
    static const Fact unknown = {.shape = SHAPE_VARYING, .align = 1, .high = UINT32_MAX};
    Facts *to = ARENA_NEW(ir->arena, Facts);
    *to = *f;
    to->of = ARENA_ARRAY(ir->arena, Fact, ir->next_id);
    for (uint32_t i = 0; i < ir->next_id; i++)
        to->of[i] = i < count ? f->of[i] : unknown;
    return to;
}

/* ---- products in sums ---- */

typedef struct Leaves {
    const Inst *of[MAX_LEAVES];
    uint32_t    count;
} Leaves;

static void find_leaves(const Inst *v, Leaves *out, uint32_t depth)
{
    if (v->op == IR_IADD && depth) {
        find_leaves(v->args[0], out, depth - 1);
        find_leaves(v->args[1], out, depth - 1);
    } else if (out->count < MAX_LEAVES) {
        out->of[out->count++] = v;
    }
}

static bool is_one(const Facts *f, const Inst *v)
{
    return f->of[v->id].shape <= SHAPE_GROUP;
}

/* Something of lanes times something that they share? */
static bool is_strided(const Facts *f, const Inst *v)
{
    return v->op == IR_IMUL && v->type.width == 1 && is_one(f, v->args[0]) != is_one(f, v->args[1]);
}

static void mark_sum(const Facts *f, const Inst *sum, bool *among_others)
{
    Leaves leaves = {{0}, 0};
    uint32_t products = 0;
    find_leaves(sum, &leaves, MAX_LEAVES);
    for (uint32_t i = 0; i < leaves.count; i++)
        products += is_strided(f, leaves.of[i]);
    for (uint32_t i = 0; products > 1 && i < leaves.count; i++)
        among_others[leaves.of[i]->id] |= is_strided(f, leaves.of[i]);
}

static void mark_products(const Facts *f, const Region *region, bool *among_others)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_IADD)
            mark_sum(f, inst, among_others);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                mark_products(f, inst->flow.regions[i], among_others);
    }
}

void what_if_init(WhatIf *w, Ir *ir, const Facts *before, uint32_t count)
{
    *w = (WhatIf){.ir = ir, .count = count};
    w->before = extended(ir, before, count);
    w->now = extended(ir, before, count);
    w->among_others = ARENA_ARRAY(ir->arena, bool, ir->next_id);
    mark_products(w->before, ir->body, w->among_others);
}

static const Fact *now(const WhatIf *w, const Inst *inst)
{
    return &w->now->of[inst->id];
}

/* ---- wishes ---- */

static bool divides(const Inst *inst)
{
    return inst->op == IR_UDIV || inst->op == IR_UREM || inst->op == IR_SDIV || inst->op == IR_SREM;
}

static bool counts_up(const WhatIf *w, const Inst *v)
{
    const Fact *x = now(w, v);
    return x->shape == SHAPE_AFFINE && x->stride > 0 && x->stride < MAX_STRIDE;
}

static bool is_shared(const WhatIf *w, const Inst *v)
{
    return now(w, v)->shape <= SHAPE_GROUP && now(w, v)->shape != SHAPE_UNKNOWN;
}

Inst *wish_counter(const WhatIf *w, const Inst *product)
{
    return counts_up(w, product->args[0]) ? product->args[0] : product->args[1];
}

Inst *wish_factor(const WhatIf *w, const Inst *product)
{
    return counts_up(w, product->args[0]) ? product->args[1] : product->args[0];
}

static bool wish_quotient(const WhatIf *w, Inst *inst, Wish *out)
{
    const Inst *x = inst->args[0], *y = inst->args[1];
    if (!counts_up(w, x) || !is_shared(w, y))
        return false;
    uint32_t stride = (uint32_t)now(w, x)->stride, lanes = w->now->lanes;
    if (y->op == IR_CONST && y->constant.bits[0] < LEAST_ROWS * stride * lanes)
        return false;
    *out = (Wish){inst, WISH_QUOTIENT, stride * (lanes - 1), 0};
    return true;
}

static bool wish_unit(const WhatIf *w, Inst *inst, Wish *out)
{
    const Inst *x = wish_counter(w, inst), *y = wish_factor(w, inst);
    if (!counts_up(w, x) || !is_shared(w, y) || y->op == IR_CONST || !w->among_others[inst->id])
        return false;
    *out = (Wish){inst, WISH_UNIT, 0, 0};
    return true;
}

bool what_if_wish(const WhatIf *w, Inst *inst, Wish *out)
{
    if (inst->id >= w->count || inst->type.kind != SCALAR_I32 || inst->type.width != 1 ||
        now(w, inst)->shape != SHAPE_VARYING)
        return false;
    if (divides(inst))
        return wish_quotient(w, inst, out);
    return inst->op == IR_IMUL && wish_unit(w, inst, out);
}

/* ---- facts ---- */

void what_if_update(WhatIf *w, const Inst *inst)
{
    if (inst->type.kind == SCALAR_NONE || inst->type.kind == SCALAR_PLACE ||
        ir_op_is_construct((IrOp)inst->op))
        return;
    Fact fact = analysis_transfer(w->now, inst), *to = &w->now->of[inst->id];
    to->shape = fact.shape;
    to->stride = fact.stride;
    to->align = fact.align;
}

void what_if_update_region(WhatIf *w, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        what_if_update(w, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                what_if_update_region(w, inst->flow.regions[i]);
    }
}

void what_if_grant(WhatIf *w, const Wish *wish)
{
    const Inst *inst = wish->inst;
    Fact *to = &w->now->of[inst->id];
    bool rest = inst->op == IR_UREM || inst->op == IR_SREM;
    const Inst *like = wish->kind == WISH_UNIT ? wish_counter(w, inst)
                       : rest                  ? inst->args[0]
                                               : NULL;
    to->shape = like ? SHAPE_AFFINE : SHAPE_GROUP;
    to->stride = like ? now(w, like)->stride : 0;
    to->align = like ? MIN_OF(now(w, like)->align, wish->align) : 1;
    if (wish->kind == WISH_UNIT)
        to->align = now(w, like)->align;
    to->align = MAX_OF(to->align, 1u);
    if (wish->align) {
        Fact *y = &w->now->of[inst->args[1]->id];
        y->align = MAX_OF(y->align, wish->align);
    }
    VEC_PUSH(w->ir->arena, &w->wishes, *wish);
}

/* ---- gains ---- */

#define MAX_DEPTH 64u

/* Marks what an index is made from. */
static void mark(bool *needed, const Inst *v, uint32_t depth)
{
    if (needed[v->id] || depth == 0)
        return;
    needed[v->id] = true;
    for (uint32_t i = 0; i < v->nargs; i++)
        mark(needed, v->args[i], depth - 1);
}

static bool is_regular(const Facts *f, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD && f->of[place->args[1]->id].shape > SHAPE_AFFINE)
            return false;
    return true;
}

static void add_access(const WhatIf *w, const Inst *access, uint32_t depth, Gain *g)
{
    if (depth > g->depth) {
        g->depth = depth;
        g->gained = 0;
    }
    g->gained += depth == g->depth && is_regular(w->now, access->args[0]) &&
                 !is_regular(w->before, access->args[0]);
}

static void measure(const WhatIf *w, const Inst *first, const Inst *end, uint32_t depth, Gain *g)
{
    for (const Inst *inst = first; inst != end; inst = inst->next) {
        g->insts++;
        g->barrier |= inst->op == IR_BARRIER;
        if (inst->op == IR_LOAD || inst->op == IR_STORE)
            add_access(w, inst, depth, g);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                measure(w, inst->flow.regions[i]->first, NULL, depth + (inst->op == IR_LOOP), g);
    }
}

static void mark_gains(const WhatIf *w, bool *needed, const Inst *first, const Inst *end)
{
    for (const Inst *inst = first; inst != end; inst = inst->next) {
        bool access = inst->op == IR_LOAD || inst->op == IR_STORE;
        if (access && is_regular(w->now, inst->args[0]) && !is_regular(w->before, inst->args[0]))
            mark(needed, inst->args[0], MAX_DEPTH);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                mark_gains(w, needed, inst->flow.regions[i]->first, NULL);
    }
}

void what_if_keep_needed(WhatIf *w, const Inst *first, const Inst *end)
{
    uint32_t n = 0;
    bool *needed = ARENA_ARRAY(w->ir->arena, bool, w->ir->next_id);
    mark_gains(w, needed, first, end);
    for (uint32_t i = 0; i < w->wishes.len; i++)
        if (needed[w->wishes.data[i].inst->id])
            w->wishes.data[n++] = w->wishes.data[i];
    w->wishes.len = n;
}

void what_if_gain(const WhatIf *w, const Inst *first, const Inst *end, Gain *out)
{
    *out = (Gain){0};
    measure(w, first, end, 0, out);
}
