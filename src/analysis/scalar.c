// SPDX-License-Identifier: Apache-2.0
/*
 * scalar.c - kernels that do better one invocation at a time.
 *
 * in     facts of a kernel in lanes
 * out    whether loops that lanes leave at different times mostly fetch what is
 *        scattered over memory
 * why    a load of scattered lanes is as many loads as there are lanes, and some
 *        instructions more for each; if lanes also wait for each other, nothing is left
 *        of what lanes gain
 */
#include "analysis/analysis_priv.h"

#define GATHERED  5u                /* halves of an instruction: a lane of a load    */
#define FUNCTION  16u               /* instructions of a function like exp           */
#define NEAR      4                 /* elements from lane to lane in one wide load   */

/* Instructions of one round. */
typedef struct Costs {
    uint64_t lanes, one;            /* all lanes together; one invocation            */
    bool     may;                   /* nothing in it needs lanes                     */
} Costs;

bool scalar_is_scattered(const Facts *f, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0]) {
        if (place->op == IR_FIELD)
            continue;
        const Fact *x = fact_of(f, place->args[1]);
        bool wide = x->shape == SHAPE_AFFINE && (x->stride < 0 || x->stride > NEAR);
        if (x->shape == SHAPE_VARYING || wide)
            return true;
    }
    return false;
}

static void add_inst(Costs *c, const Facts *f, const Inst *inst)
{
    bool memory = inst->op == IR_LOAD || inst->op == IR_STORE || inst->op == IR_ATOMIC;
    uint32_t n = inst->type.width;
    if (memory) {
        n = inst->op == IR_STORE ? inst->args[1]->type.width : MAX_OF(n, 1u);
        c->lanes += scalar_is_scattered(f, inst->args[0]) ? n * f->lanes * GATHERED / 2 : n;
        c->one += n;
        return;
    }
    if (inst->type.kind == SCALAR_PLACE || inst->op == IR_CONST)
        return;
    if (inst->op >= IR_EXP && inst->op <= IR_FREXP_EXP)
        n *= FUNCTION;
    c->lanes += n;
    c->one += n;
}

static void add_region(Costs *c, const Facts *f, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        c->may &= inst->op != IR_SUBGROUP && inst->op != IR_BARRIER;
        add_inst(c, f, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                add_region(c, f, inst->flow.regions[i]);
    }
}

/* Outermost loops: of what is inside each instruction counts as once. False: some loop
 * is better off in lanes. */
static bool loops_suit(const Facts *f, const Region *region, bool *any)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_LOOP) {
            Costs c = {0, 0, true};
            for (uint32_t i = 0; i < 2; i++)
                add_region(&c, f, inst->flow.regions[i]);
            /* Of lanes that wait for each other about half are busy. */
            if (!c.may || !fact_of(f, inst)->apart || c.one * f->lanes / 2 >= c.lanes)
                return false;
            *any = true;
        } else if (ir_op_is_construct((IrOp)inst->op)) {
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!loops_suit(f, inst->flow.regions[i], any))
                    return false;
        }
    }
    return true;
}

static bool counts_lanes(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_SUBGROUP ||
            (inst->op == IR_INPUT && inst->input >= INPUT_SUBGROUP_LANE &&
             inst->input <= INPUT_NUM_SUBGROUPS))
            return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (counts_lanes(inst->flow.regions[i]))
                    return true;
    }
    return false;
}

bool analysis_suits_one_lane(const Facts *f)
{
    bool any = false;
    return f->lanes > 1 && !f->has_barrier && !counts_lanes(f->ir->body) &&
           loops_suit(f, f->ir->body, &any) && any;
}
