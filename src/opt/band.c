// SPDX-License-Identifier: Apache-2.0
/*
 * band.c - workgroups along y that run as if they were one.
 *
 * in     an Ir without barriers whose loops sum up products; lanes load what those of the
 *        next workgroup along y load, too
 * out    Ir.band: so many workgroups are one, and their lane groups fill the registers
 *        evenly
 * why    sixteen rows are 6 + 5 + 5 of those that fit the registers, three times sixteen
 *        are eight times 6; and what each lane loads comes from afar a third as often
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

/* Does nothing in it name the workgroup or wait for others? */
static bool is_apart(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_BARRIER || inst->op == IR_ATOMIC || inst->op == IR_SUBGROUP)
            return false;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!is_apart(inst->flow.regions[i]))
                    return false;
    }
    return true;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* Lane groups below each other that loops of sums take side by side if workgroups are a
 * band; 0: they do not go the same way, or share nothing. */
static uint32_t side_by_side(Ir *ir, uint32_t lanes, uint32_t native)
{
    ir->band = MOST_BAND;
    const Facts *f = analysis_run(ir->arena, ir, lanes, native);
    ir->band = 0;
    return !f->returns_apart && analysis_is_together(f, ir->body->first, NULL)
               ? analysis_jam_products(ir->arena, f, ir->body->first, NULL)
               : 0;
}

void opt_band(Ir *ir, uint32_t lanes, uint32_t native)
{
    const uint32_t *size = ir->workgroup_size;
    uint32_t invocations = size[0] * size[1] * size[2];
    if (ir->team || invocations % lanes || ir_has_own_memory(ir) || !is_apart(ir->body))
        return;
    uint32_t most = side_by_side(ir, lanes, native);
    uint32_t rows = invocations / lanes / analysis_columns(ir, lanes);
    uint32_t band = most ? most / common_divisor(most, rows) : 0;
    ir->band = band > 1 && band <= MOST_BAND ? band : 0;
}
