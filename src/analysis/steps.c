// SPDX-License-Identifier: Apache-2.0
/*
 * steps.c - how many instructions an invocation executes at most.
 *
 * in     an Ir
 * out    a number, if every loop counts from one constant to another
 * knows  the form that `for (var i = a; i < b; i += c)` has in the IR
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

/* The IF that every round of a loop starts with, if it leaves the loop where its
 * condition is false. */
static const Inst *test_of(const Inst *loop)
{
    const Inst *inst = loop->flow.regions[0]->first;
    while (inst && !ir_op_is_construct((IrOp)inst->op))
        inst = inst->next;
    if (!inst || inst->op != IR_IF)
        return NULL;
    const Inst *otherwise = inst->flow.regions[1]->first;
    bool leaves = otherwise->op == IR_BREAK && otherwise->target == loop;
    return leaves && inst->flow.regions[0]->first->op == IR_YIELD ? inst : NULL;
}

static bool is_const(const Inst *inst)
{
    return inst->op == IR_CONST;
}

/* Rounds of a loop whose parameter `p` is compared with a constant. */
static uint64_t rounds_of(const Inst *loop, const Inst *p, const Inst *test)
{
    const Inst *end = loop->flow.regions[1]->last, *first = loop->args[p->index];
    if (end->op != IR_NEXT || !is_const(first) || !is_const(test->args[1]))
        return UNKNOWN;
    const Inst *next = end->args[p->index];
    if (next->op != IR_IADD || next->args[0] != p || !is_const(next->args[1]))
        return UNKNOWN;
    int64_t from = (int32_t)first->constant.bits[0], to = (int32_t)test->args[1]->constant.bits[0];
    int64_t step = (int32_t)next->args[1]->constant.bits[0];
    /* What is compared must not wrap around, signed or not. */
    if (from < 0 || to < 0 || step <= 0 || to > INT32_MAX - step)
        return UNKNOWN;
    return to > from ? (uint64_t)((to - from + step - 1) / step) + 1 : 1;
}

static uint64_t steps_of_loop(const Inst *loop)
{
    const Inst *test = test_of(loop);
    const Inst *condition = test ? test->args[0] : NULL;
    if (!condition || (condition->op != IR_SLT && condition->op != IR_ULT))
        return UNKNOWN;
    const Inst *p = condition->args[0];
    if (p->op != IR_PARAM || p->region != loop->flow.regions[0])
        return UNKNOWN;
    uint64_t round = sum(steps_of(loop->flow.regions[0]), steps_of(loop->flow.regions[1]));
    return product(round, rounds_of(loop, p, condition));
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
