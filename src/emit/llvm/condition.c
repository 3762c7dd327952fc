// SPDX-License-Identifier: Apache-2.0
/*
 * condition.c - what lanes say to a condition, without asking each of them.
 *
 * in     comparisons, of which one side counts up from lane to lane
 * out    whether any and whether all lanes fulfil it, as a scalar; what is known
 *        of it before
 * knows  that of lanes in order the first and the last speak for all
 * not    what depends on it
 */
#include "emit/llvm/emit_priv.h"

/* Of conditions that are made from others by `and`. */
#define BORDER_DEPTH 8u
#define BELOW_DEPTH  4u

/* ---- what is known before ---- */

bool condition_is_order(const Inst *c)
{
    return c->op == IR_ULT || c->op == IR_ULE || c->op == IR_SLT || c->op == IR_SLE;
}

static bool is_border(const Emit *e, const Inst *c, uint32_t depth)
{
    if (shape_of(e, c) <= SHAPE_GROUP)
        return true;
    if (depth && c->op == IR_AND)
        return is_border(e, c->args[0], depth - 1) && is_border(e, c->args[1], depth - 1);
    bool compares = condition_is_order(c) || c->op == IR_INE;
    return compares && shape_of(e, c->args[0]) <= SHAPE_AFFINE &&
           shape_of(e, c->args[1]) <= SHAPE_AFFINE;
}

bool condition_is_border(const Emit *e, const Inst *c)
{
    return is_border(e, c, BORDER_DEPTH);
}

static bool is_local_index(const Emit *e, const Inst *inst)
{
    return inst->op == IR_INPUT &&
           (inst->input == INPUT_LOCAL_INDEX ||
            (inst->input == INPUT_LOCAL_ID_X && e->ir->workgroup_size[0] == e->invocations));
}

static uint32_t fulfilled_below(const Emit *e, const Inst *c, uint32_t depth)
{
    if (c->op == IR_AND && depth) {
        uint32_t x = fulfilled_below(e, c->args[0], depth - 1);
        uint32_t y = fulfilled_below(e, c->args[1], depth - 1);
        return MIN_OF(x, y);
    }
    bool bounds = c->op == IR_ULT || c->op == IR_ULE || c->op == IR_IEQ;
    if (!bounds || !is_local_index(e, c->args[0]) || c->args[1]->op != IR_CONST)
        return UINT32_MAX;
    uint32_t n = c->args[1]->constant.bits[0];
    return c->op == IR_ULT || n == UINT32_MAX ? n : n + 1;
}

uint32_t condition_below(const Emit *e, const Inst *c)
{
    return fulfilled_below(e, c, BELOW_DEPTH);
}

/* ---- what it comes to ---- */

/* The operand of a comparison that goes up or down from lane to lane without passing
 * zero, while the other is the same for all lanes; -1: none. With all lanes active,
 * ranges hold for each of them. */
static int monotonic_operand(const Emit *e, const Inst *c)
{
    for (int i = 0; i < 2; i++) {
        const Fact *x = fact_of(e, c->args[i]), *y = fact_of(e, c->args[1 - i]);
        if (x->shape == SHAPE_AFFINE && y->shape <= SHAPE_GROUP && x->high < 0x80000000u &&
            x->stride > -0x10000 && x->stride < 0x10000)
            return i;
    }
    return -1;
}

static LlvmValue ordered(Emit *e, const Inst *c, LlvmValue x, LlvmValue y)
{
    LLVMIntPredicate p = c->op == IR_ULT   ? LLVMIntULT
                         : c->op == IR_ULE ? LLVMIntULE
                         : c->op == IR_SLT ? LLVMIntSLT
                                           : LLVMIntSLE;
    return LLVMBuildICmp(e->builder, p, x, y, "");
}

/* "l < n": what the first and the last lane say goes for all, and no mask is needed to
 * find out. */
bool condition_test_order(Emit *e, const Inst *c, ConditionTest *out)
{
    int moving = condition_is_order(c) ? monotonic_operand(e, c) : -1;
    if (e->mask || e->lanes == 1 || moving < 0)
        return false;
    int32_t stride = fact_of(e, c->args[moving])->stride;
    LlvmValue first = as_scalar(e, c->args[moving], 0);
    LlvmValue other = as_scalar(e, c->args[1 - moving], 0);
    LlvmValue span = const_i32(e, (uint32_t)(stride * (int32_t)(e->lanes - 1)));
    LlvmValue last = LLVMBuildAdd(e->builder, first, span, "");
    bool low_wins = moving == 0;
    bool first_is_low = stride >= 0;
    LlvmValue easy = low_wins == first_is_low ? first : last;
    LlvmValue hard = easy == first ? last : first;
    out->any = moving == 0 ? ordered(e, c, easy, other) : ordered(e, c, other, easy);
    out->all = moving == 0 ? ordered(e, c, hard, other) : ordered(e, c, other, hard);
    return true;
}

ConditionTest condition_test(Emit *e, const Inst *c)
{
    ConditionTest t;
    if (condition_test_order(e, c, &t))
        return t;
    LlvmValue lanes = as_lanes(e, c, 0);
    return (ConditionTest){mask_any(e, mask_and(e, e->mask, lanes)), mask_all(e, lanes)};
}
