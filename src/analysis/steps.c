// SPDX-License-Identifier: Apache-2.0
/*
 * steps.c - how many instructions an invocation executes at most.
 *
 * in     an Ir
 * out    a number, if it is known how often every loop goes round (count.c)
 */
#include "analysis/analysis_priv.h"

#define UNKNOWN UINT64_MAX

static uint64_t steps_of(const Region *region);

/* Without overflow; UNKNOWN stays so. */
static uint64_t sum(uint64_t x, uint64_t y)
{
    return x > UNKNOWN - y ? UNKNOWN : x + y;
}

static uint64_t product(uint64_t x, uint64_t y)
{
    return y && x > UNKNOWN / y ? UNKNOWN : x * y;
}

static uint64_t steps_of_loop(const Inst *loop)
{
    uint64_t round = sum(steps_of(loop->flow.regions[0]), steps_of(loop->flow.regions[1]));
    uint32_t rounds = count_rounds(loop);
    return rounds == COUNT_MANY ? UNKNOWN : product(round, rounds + 1);
}

static uint64_t steps_of_construct(const Inst *inst)
{
    uint64_t all = 0;
    if (inst->op == IR_LOOP)
        return steps_of_loop(inst);
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        all = sum(all, steps_of(inst->flow.regions[i]));
    return all;
}

static uint64_t steps_of(const Region *region)
{
    uint64_t all = 0;
    for (const Inst *inst = region->first; inst; inst = inst->next)
        all = sum(all, ir_op_is_construct((IrOp)inst->op) ? steps_of_construct(inst)
                                                          : 1u + inst->type.width);
    return all;
}

uint64_t analysis_steps(const Ir *ir)
{
    return steps_of(ir->body);
}
