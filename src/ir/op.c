// SPDX-License-Identifier: Apache-2.0
/*
 * op.c - the facts of ops.def.
 */
#include "ir/ir.h"

static const struct {
    const char *text, *shape, *kinds;
    IrEffect    effect;
} rows[] = {
#define IROP(op, text, shape, kinds, effect) {text, shape, kinds, EFFECT_##effect},
#include "ir/ops.def"
#undef IROP
};
_Static_assert(COUNTOF(rows) == IR_OP_COUNT, "an operation has no row");

const char *ir_op_name(IrOp op)
{
    return rows[op].text;
}

const char *ir_op_shape(IrOp op)
{
    return rows[op].shape;
}

const char *ir_op_kinds(IrOp op)
{
    return rows[op].kinds;
}

IrEffect ir_op_effect(IrOp op)
{
    return rows[op].effect;
}

bool ir_op_is_construct(IrOp op)
{
    return op >= IR_IF && op <= IR_BLOCK;
}

bool ir_op_ends_region(IrOp op)
{
    return op >= IR_YIELD && op <= IR_UNREACHABLE;
}
