// SPDX-License-Identifier: Apache-2.0
/*
 * access.c - what it costs lanes to get at memory.
 *
 * in     facts of a kernel in lanes
 * out    a number, to compare ways of laying out lanes
 *
 * Lanes that all want the same need one load, lanes that want neighbours one a register.
 * Vectors lie in memory component by component, and in registers lane by lane: they are
 * put in order afterwards. Scattered lanes are loaded one by one.
 */
#include "analysis/analysis_priv.h"

#define MANY_ROUNDS 16u
#define MAX_DEPTH   6u
#define SORTED      3u              /* instructions: a register of a vector's lanes  */
#define ONE_LANE    1u              /* the same: a lane that is loaded alone         */
#define ANY_LANE    2u              /* and whose place must be taken out of a vector */

static bool is_shared(const Facts *f, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD && fact_of(f, place->args[1])->shape > SHAPE_GROUP)
            return false;
    return true;
}

static bool is_even(const Facts *f, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD && fact_of(f, place->args[1])->shape > SHAPE_AFFINE)
            return false;
    return true;
}

static uint64_t cost_of(const Facts *f, const Inst *inst, bool *scattered)
{
    const Inst *value = inst->op == IR_STORE ? inst->args[1] : inst;
    uint32_t width = MAX_OF(value->type.width, 1u);
    uint32_t registers = MAX_OF(f->lanes / f->native, 1u) * width;
    if (is_shared(f, inst->args[0]))
        return width;
    uint64_t sorted = width > 1 ? SORTED * registers : registers;
    if (!scalar_is_scattered(f, inst->args[0]))
        return sorted;
    *scattered = true;
    return sorted + (is_even(f, inst->args[0]) ? ONE_LANE : ANY_LANE) * f->lanes;
}

static uint64_t cost_in(const Facts *f, const Region *region, uint32_t depth, bool *scattered)
{
    uint64_t cost = 0;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_LOAD || inst->op == IR_STORE || inst->op == IR_ATOMIC)
            cost += cost_of(f, inst, scattered);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        bool loop = inst->op == IR_LOOP && depth < MAX_DEPTH;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            cost += (loop ? MANY_ROUNDS : 1u) * cost_in(f, inst->flow.regions[i], depth + loop,
                                                        scattered);
    }
    return cost;
}

uint64_t analysis_memory_cost(const Facts *f, bool *scattered)
{
    *scattered = false;
    return cost_in(f, f->ir->body, 0, scattered) * 1000 / f->lanes;
}
