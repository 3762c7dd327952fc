// SPDX-License-Identifier: Apache-2.0
/*
 * count.c - loops that end soon, whatever the data.
 *
 * in     an Ir
 * out    Fact.ends_soon of loops that, with all loops inside, go round a known and
 *        small number of times
 * why    such a loop need not look whether it shall stop, and can be unrolled
 *
 * A counter starts at a constant, steps by a constant and is compared with one, so
 * going through the steps says how many there are.
 */
#include "analysis/analysis_priv.h"

/* A value of the counter after one step. False: not a step that is understood. */
static bool step(const Inst *next, uint32_t *at)
{
    uint32_t by = next->args[1]->constant.bits[0];
    switch (next->op) {
    case IR_IADD: *at += by; return true;
    case IR_ISUB: *at -= by; return true;
    case IR_IMUL: *at *= by; return true;
    case IR_SHL: *at <<= by & 31; return true;
    case IR_SHR: *at >>= by & 31; return true;
    case IR_UDIV: *at = by ? *at / by : *at; return true;
    default: return false;
    }
}

static bool compare(IrOp op, uint32_t x, uint32_t y)
{
    switch (op) {
    case IR_IEQ: return x == y;
    case IR_INE: return x != y;
    case IR_SLT: return (int32_t)x < (int32_t)y;
    case IR_SLE: return (int32_t)x <= (int32_t)y;
    case IR_ULT: return x < y;
    default: return x <= y;         /* ULE */
    }
}

/* What parameter i of the body is in the next round; NULL: what comes back is not
 * known. */
static const Inst *next_of(const Inst *loop, uint32_t i)
{
    const Inst *end = loop->flow.regions[1]->last;
    if (end->op == IR_NEXT)
        return end->args[i];
    return end->op == IR_BREAK_IF ? end->args[1 + loop->flow.nresults + i] : NULL;
}

/* Rounds that a counter takes until the test is no longer `stays`. */
static uint32_t rounds(const Inst *loop, const Inst *test, bool stays)
{
    const uint32_t many = COUNT_MANY;
    while (test->op == IR_UNIFORM)
        test = test->args[0];
    if (test->op < IR_IEQ || test->op > IR_ULE)
        return many;
    bool first = test->args[0]->op == IR_PARAM;
    const Inst *p = test->args[first ? 0 : 1], *limit = test->args[first ? 1 : 0];
    if (p->op != IR_PARAM || p->region != loop->flow.regions[0] || limit->op != IR_CONST ||
        p->type.width != 1 || loop->args[p->index]->op != IR_CONST)
        return many;
    const Inst *next = next_of(loop, p->index);
    if (!next || next->nargs != 2 || next->args[0] != p || next->args[1]->op != IR_CONST)
        return many;
    uint32_t at = loop->args[p->index]->constant.bits[0], to = limit->constant.bits[0];
    for (uint32_t n = 0; n < COUNT_MANY; n++) {
        if (compare((IrOp)test->op, first ? at : to, first ? to : at) != stays)
            return n;
        if (!step(next, &at))
            return many;
    }
    return many;
}

/* Does a region leave the loop, whatever happens? What is inside a construct in it
 * might go on with the loop. */
static bool leaves(const Region *r, const Inst *loop)
{
    for (const Inst *inst = r->first; inst; inst = inst->next)
        if (ir_op_is_construct((IrOp)inst->op))
            return false;
    return r->last->op == IR_RETURN || (r->last->op == IR_BREAK && r->last->target == loop);
}

const Inst *analysis_loop_test(const Inst *loop, const Inst *p)
{
    const Inst *inst = loop->flow.regions[0]->first;
    while (inst && !ir_op_is_construct((IrOp)inst->op))
        inst = inst->next;
    if (!inst || inst->op != IR_IF)
        return NULL;
    const Inst *c = inst->args[0];
    uint32_t way = 1;               /* that is taken where the test fails */
    for (; c->op == IR_UNIFORM || c->op == IR_NOT; c = c->args[0])
        way ^= c->op == IR_NOT;
    bool test = c->op >= IR_SLT && c->op <= IR_ULE && c->args[0] == p;
    return test && leaves(inst->flow.regions[way], loop) ? c : NULL;
}

/* The fewest that a test in the body, which every round comes to, allows. */
uint32_t count_rounds(const Inst *loop)
{
    uint32_t least = COUNT_MANY;
    for (const Inst *inst = loop->flow.regions[0]->first; inst; inst = inst->next) {
        if (inst->op != IR_IF) {
            if (ir_op_is_construct((IrOp)inst->op))
                break;              /* it may lead past what follows */
            continue;
        }
        bool yes = leaves(inst->flow.regions[0], loop), no = leaves(inst->flow.regions[1], loop);
        if (yes == no)
            break;
        least = MIN_OF(least, rounds(loop, inst->args[0], no));
        const Region *stays = inst->flow.regions[yes ? 1 : 0];
        if (stays->first != stays->last)
            break;
    }
    return least;
}

uint32_t analysis_rounds(const Inst *loop)
{
    uint32_t n = count_rounds(loop);
    return n < COUNT_MANY ? n : 0;
}

static uint32_t region_rounds(Facts *f, const Region *region);

/* Rounds that are gone through without a look outside. */
static uint32_t construct_rounds(Facts *f, const Inst *inst)
{
    uint32_t inside = 1;
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        inside = MAX_OF(inside, region_rounds(f, inst->flow.regions[i]));
    if (inst->op != IR_LOOP)
        return inside;
    uint64_t all = (uint64_t)inside * count_rounds(inst);
    fact_of(f, inst)->ends_soon = all < COUNT_MANY;
    return all < COUNT_MANY ? MAX_OF((uint32_t)all, 1u) : 1;
}

static uint32_t region_rounds(Facts *f, const Region *region)
{
    uint64_t sum = 0;
    for (const Inst *inst = region->first; inst; inst = inst->next)
        if (ir_op_is_construct((IrOp)inst->op))
            sum += construct_rounds(f, inst);
    return (uint32_t)MIN_OF(MAX_OF(sum, (uint64_t)1), (uint64_t)COUNT_MANY);
}

void count_run(Facts *f)
{
    region_rounds(f, f->ir->body);
}
