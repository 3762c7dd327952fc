// SPDX-License-Identifier: Apache-2.0
/*
 * assume_regular.c - takes for granted that index arithmetic with numbers from buffers is
 * regular.
 *
 * in     divisions x / y and products x * y of what lanes count up in by what a dispatch
 *        fixes, such as the shape of a tensor in a uniform
 * out    the same with y known to be a multiple of what a lane group spans, or 1; a claim
 *        that it is so
 * why    then rows begin with lane groups, and neighbours in a row are neighbours in memory
 * not    what does not make a load or store regular
 */
#include "opt/assume_priv.h"
#include "opt/regular_priv.h"

#define MAX_SPAN   (1u << 16)

static uint32_t power_above(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* ---- wishes ---- */

/* Can a dispatch tell, and may it be so? */
static bool is_likely(const WhatIf *w, Wish *wish)
{
    const Inst *inst = wish->inst;
    if (wish->kind == WISH_UNIT)
        return assume_is_fixed(wish_factor(w, inst));
    wish->align = power_above(wish->span + 1);
    return wish->span < MAX_SPAN && inst->args[1]->op != IR_CONST &&
           assume_is_fixed(inst->args[1]) && w->now->of[inst->args[0]->id].align >= wish->align;
}

static void wish_in(WhatIf *w, const Region *region)
{
    Wish wish;
    for (Inst *inst = region->first; inst; inst = inst->next) {
        what_if_update(w, inst);
        if (what_if_wish(w, inst, &wish) && is_likely(w, &wish))
            what_if_grant(w, &wish);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                wish_in(w, inst->flow.regions[i]);
    }
}

void regular_survey(Assume *s, const Facts *facts)
{
    WhatIf w;
    Gain gain;
    uint32_t n = s->ir->next_id;
    what_if_init(&w, s->ir, facts, n);
    wish_in(&w, s->ir->body);
    what_if_gain(&w, s->ir->body->first, NULL, &gain);
    what_if_keep_needed(&w, s->ir->body->first, NULL);
    s->wished = ARENA_ARRAY(s->ir->arena, const Wish *, n);
    s->nwished = n;
    for (uint32_t i = 0; i < w.wishes.len && gain.gained; i++)
        s->wished[w.wishes.data[i].inst->id] = &w.wishes.data[i];
}

/* ---- claims ---- */

/* y is a multiple of n, and not 0. */
static bool claim_multiple(Assume *s, const Inst *y, uint32_t n)
{
    uint32_t of = claim_value(s, y, CLAIM_DEPTH), by = claim_number(s, n);
    uint32_t rest = of == CLAIM_NONE || by == CLAIM_NONE ? CLAIM_NONE
                                                         : claim_node(s, PROOF_REM, of, by, 0);
    return claim_check(s, rest, claim_number(s, 0), PROOF_EQUAL) &&
           claim_check(s, by, of, PROOF_EQUAL);
}

static bool claim_one(Assume *s, const Inst *y)
{
    uint32_t of = claim_value(s, y, CLAIM_DEPTH), one = claim_number(s, 1);
    return claim_check(s, of, one, PROOF_EQUAL) && claim_check(s, one, of, PROOF_EQUAL);
}

static void replace_uses(Region *region, const Inst *of, Inst *by)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (inst->args[i] == of)
                inst->args[i] = by;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                replace_uses(inst->flow.regions[i], of, by);
    }
}

/* What claim_multiple() says of the divisor, wherever it is used: it is one number for all. */
static void make_multiple(Assume *s, Inst *inst, uint32_t n)
{
    Inst *y = inst->args[1];
    IrCursor c = {s->ir, y->region, y->next, inst->span};
    Inst *lower = ir_op2(&c, IR_AND, y, ir_i32(&c, ~(n - 1)));
    Inst *multiple = ir_op2(&c, IR_UMAX, lower, ir_i32(&c, n));
    replace_uses(s->ir->body, y, multiple);
    lower->args[0] = y;
}

static void make_counter(Assume *s, Inst *inst)
{
    IrCursor c = {s->ir, inst->region, inst, inst->span};
    Inst *x = inst->args[assume_is_fixed(inst->args[0]) ? 1 : 0];
    inst->op = IR_ISUB;
    inst->args[0] = x;
    inst->args[1] = ir_i32(&c, 0);
}

void regular_assume(Assume *s, Inst *inst)
{
    const Wish *wish = s->wished && inst->id < s->nwished ? s->wished[inst->id] : NULL;
    ClaimMark before = claim_mark(s);
    if (!wish || inst->op == IR_SDIV || inst->op == IR_SREM)
        return;
    bool unit = wish->kind == WISH_UNIT;
    Inst *y = inst->args[unit && assume_is_fixed(inst->args[0]) ? 0 : 1];
    if (unit ? !claim_one(s, y) : !claim_multiple(s, y, wish->align)) {
        claim_undo(s, before);
        return;
    }
    if (unit)
        make_counter(s, inst);
    else
        make_multiple(s, inst, wish->align);
    s->usual = true;
}
