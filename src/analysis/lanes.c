// SPDX-License-Identifier: Apache-2.0
/*
 * lanes.c - how many lanes suit a kernel.
 *
 * More lanes than one vector register holds hide the latency of long chains of
 * arithmetic and share what is uniform, as long as the values in flight still
 * fit in the registers and rows of the workgroup are long enough for lanes to
 * stay regular.
 */
#include "analysis/analysis.h"

#define MANY_VALUES 40u             /* in one region: two registers each spill    */

#define LEAST_SUBGROUP 4u           /* as WGSL has it                             */

typedef struct Survey {
    uint32_t most;                  /* values in the largest region, or between two
                                       barriers in one                            */
    bool     lane_by_lane;          /* subgroups, atomics: wider does not pay     */
    bool     subgroups;             /* lanes can be counted                       */
} Survey;

static bool is_subgroup_input(const Inst *inst)
{
    return inst->op == IR_INPUT && inst->input >= INPUT_SUBGROUP_LANE &&
           inst->input <= INPUT_NUM_SUBGROUPS;
}

static void survey_region(Survey *s, const Region *region)
{
    uint32_t n = region->nparams;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_BARRIER) {       /* what comes then has registers of its own */
            s->most = MAX_OF(s->most, n);
            n = region->nparams;
        }
        if (inst->type.width && inst->type.kind != SCALAR_PLACE && inst->op != IR_CONST)
            n += inst->type.width;
        s->lane_by_lane |= inst->op == IR_SUBGROUP || inst->op == IR_ATOMIC;
        s->subgroups |= inst->op == IR_SUBGROUP || is_subgroup_input(inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey_region(s, inst->flow.regions[i]);
    }
    s->most = MAX_OF(s->most, n);
}

static uint32_t round_up_power(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

uint32_t analysis_choose_lanes(const Ir *ir, uint32_t native)
{
    const uint32_t *size = ir->workgroup_size;
    uint32_t all = size[0] * size[1] * size[2];
    Survey s = {0};
    survey_region(&s, ir->body);
    if (all < native)
        return MAX_OF(round_up_power(all), s.subgroups ? LEAST_SUBGROUP : 1u);
    bool rows = size[0] % (2 * native) == 0;
    bool light = s.most <= MANY_VALUES;
    return rows && light && !s.lane_by_lane ? 2 * native : native;
}
