// SPDX-License-Identifier: Apache-2.0
/*
 * turn.c - x and y change places.
 *
 * in     an Ir
 * out    the same kernel with its rows as columns, and Ir.turned, where lanes along y
 *        find side by side in memory what lanes along x find scattered
 * why    many kernels take x for the row of a matrix and y for the column; lanes lie
 *        along x, and would each read a row of their own
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

#define WORTH 2u                    /* times the instructions                     */

/* Is x like y to all that a kernel can ask? */
static bool can_turn(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_SUBGROUP ||
            (inst->op == IR_INPUT && (inst->input == INPUT_LOCAL_INDEX ||
                                      inst->input >= INPUT_SUBGROUP_LANE)))
            return false;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!can_turn(inst->flow.regions[i]))
                    return false;
    }
    return true;
}

static void turn_inputs(Region *region)
{
    static const IrInput other[INPUT_COUNT] = {
        [INPUT_LOCAL_ID_X] = INPUT_LOCAL_ID_Y, [INPUT_LOCAL_ID_Y] = INPUT_LOCAL_ID_X,
        [INPUT_LOCAL_ID_Z] = INPUT_LOCAL_ID_Z,
        [INPUT_WORKGROUP_ID_X] = INPUT_WORKGROUP_ID_Y,
        [INPUT_WORKGROUP_ID_Y] = INPUT_WORKGROUP_ID_X,
        [INPUT_WORKGROUP_ID_Z] = INPUT_WORKGROUP_ID_Z,
        [INPUT_NUM_WORKGROUPS_X] = INPUT_NUM_WORKGROUPS_Y,
        [INPUT_NUM_WORKGROUPS_Y] = INPUT_NUM_WORKGROUPS_X,
        [INPUT_NUM_WORKGROUPS_Z] = INPUT_NUM_WORKGROUPS_Z,
    };
    for (Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_INPUT)
            inst->input = other[inst->input];
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                turn_inputs(inst->flow.regions[i]);
    }
}

static void turn(Ir *ir)
{
    uint32_t wide = ir->workgroup_size[0];
    ir->workgroup_size[0] = ir->workgroup_size[1];
    ir->workgroup_size[1] = wide;
    ir->turned = !ir->turned;
    turn_inputs(ir->body);
}

static uint64_t cost(const Ir *ir, uint32_t lanes, uint32_t native, bool *scattered)
{
    uint32_t chosen = lanes ? lanes : analysis_choose_lanes(ir, native);
    return analysis_memory_cost(analysis_run(ir->arena, ir, chosen, native), scattered);
}

void opt_turn(Ir *ir, uint32_t lanes, uint32_t native)
{
    bool scattered;
    if (ir->workgroup_size[1] == 1 || lanes == 1 || !can_turn(ir->body))
        return;
    uint64_t before = cost(ir, lanes, native, &scattered);
    if (!scattered)
        return;
    turn(ir);
    if (cost(ir, lanes, native, &scattered) > before / WORTH)
        turn(ir);
}
