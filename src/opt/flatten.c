// SPDX-License-Identifier: Apache-2.0
/*
 * flatten.c - short ways of an IF are both taken, and the results selected.
 *
 * in     an Ir
 * out    the same without IFs whose regions hold a few cheap operations, as && and
 *        || and small conditional expressions do; loads are among them if they are
 *        known to be in bounds either way
 * why    a jump costs more than such a region, and lanes that part cost twice
 */
#include "opt/opt_priv.h"

#define MAX_COST  12u
#define LOAD_COST 3u

static bool is_constant_element(const Inst *elem)
{
    const MemType *of = elem->args[0]->mem;
    uint64_t count = of->kind == MEM_ARRAY ? of->array.count : of->value.type.width;
    return elem->args[1]->op == IR_CONST && elem->args[1]->constant.bits[0] < count;
}

static bool is_free_load(const Inst *inst)
{
    if (inst->op != IR_LOAD)
        return false;
    for (const Inst *place = inst->args[0]; place->op != IR_VAR; place = place->args[0])
        if (place->op == IR_VIEW ||
            (place->op == IR_ELEM && !place->unguarded && !is_constant_element(place)))
            return false;
    return true;
}

bool flatten_is_cheap(const Inst *inst)
{
    if (is_free_load(inst))
        return true;
    if (ir_op_effect((IrOp)inst->op) != EFFECT_PURE)
        return false;
    bool slow_float = inst->op >= IR_FDIV && inst->op <= IR_FREM;
    bool function = inst->op >= IR_SQRT && inst->op <= IR_FREXP_EXP;
    bool division = inst->op >= IR_SDIV && inst->op <= IR_UREM;
    return !slow_float && !function && !division;
}

/* The cost of doing all of a region always; more than MAX_COST: not to be done. */
static uint32_t region_cost(const Region *region)
{
    uint32_t cost = 0;
    if (region->last->op != IR_YIELD)
        return MAX_COST + 1;
    for (const Inst *inst = region->first; inst != region->last; inst = inst->next) {
        if (!flatten_is_cheap(inst))
            return MAX_COST + 1;
        bool nothing = inst->op == IR_CONST || inst->type.kind == SCALAR_PLACE;
        cost += nothing ? 0 : inst->type.width * (inst->op == IR_LOAD ? LOAD_COST : 1);
    }
    return cost;
}

static Inst *select_result(IrCursor *c, const Inst *inst, uint32_t i)
{
    Inst *yes = inst->flow.regions[0]->last->args[i];
    Inst *no = inst->flow.regions[1]->last->args[i];
    Inst *condition = ir_splat(c, inst->args[0], yes->type.width);
    return ir_op3(c, IR_SELECT, condition, yes, no);
}

static void flatten_if(Ir *ir, Forward *f, Inst *inst)
{
    IrCursor c = {ir, inst->region, inst, inst->span};
    for (uint32_t k = 0; k < 2; k++) {
        Region *way = inst->flow.regions[k];
        while (way->first != way->last) {
            if (way->first->unguarded)
                way->first->unguarded--;    /* one IF less is around it */
            ir_move_before(way->first, inst);
        }
    }
    for (uint32_t i = 0; i < inst->flow.nresults; i++)
        forward_set(f, inst->flow.results[i], select_result(&c, inst, i));
    ir_remove(inst);
}

static void walk(Ir *ir, Forward *f, Region *region)
{
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        forward_args(f, inst);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            walk(ir, f, inst->flow.regions[i]);
        if (inst->op == IR_IF && region_cost(inst->flow.regions[0]) +
                                 region_cost(inst->flow.regions[1]) <= MAX_COST)
            flatten_if(ir, f, inst);
    }
}

void opt_flatten(Ir *ir)
{
    Forward f;
    forward_init(&f, ir);
    walk(ir, &f, ir->body);
    forward_region(&f, ir->body);
}
