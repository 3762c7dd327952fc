// SPDX-License-Identifier: Apache-2.0
/*
 * lanes.c - how many lanes suit a kernel.
 *
 * More lanes than one vector register holds hide the latency of long chains of
 * arithmetic and share what is uniform, as long as the values in flight still
 * fit in the registers and rows of the workgroup are long enough for lanes to
 * stay regular: rows of its own size, or those a kernel cuts it into by dividing
 * the number of an invocation.
 */
#include "analysis/analysis.h"

#define MANY_VALUES 40u             /* in one region: two registers each spill    */

#define LEAST_SUBGROUP 4u           /* as WGSL has it                             */

typedef struct Survey {
    uint32_t most;                  /* values in the largest region, or between two
                                       barriers in one                            */
    bool     lane_by_lane;          /* subgroups, atomics: wider does not pay     */
    bool     subgroups;             /* lanes can be counted                       */
    uint32_t native;                /* lanes of a vector register                 */
    bool     short_rows;            /* a kernel cuts rows that these fill, and twice
                                       as many do not                             */
} Survey;

static bool is_subgroup_input(const Inst *inst)
{
    return inst->op == IR_INPUT && inst->input >= INPUT_SUBGROUP_LANE &&
           inst->input <= INPUT_NUM_SUBGROUPS;
}

static bool is_row_input(const Inst *inst)
{
    return inst->op == IR_INPUT &&
           (inst->input == INPUT_LOCAL_ID_X || inst->input == INPUT_LOCAL_INDEX);
}

/* The number of an invocation along x, in the workgroup or in all. */
static bool counts_lanes(const Inst *inst)
{
    return is_row_input(inst) ||
           (inst->op == IR_IADD && (is_row_input(inst->args[0]) || is_row_input(inst->args[1])));
}

/* The length of the rows that an instruction cuts invocations into; 0: it does not. */
static uint32_t row_length(const Inst *inst)
{
    bool divides = inst->op == IR_UDIV || inst->op == IR_UREM || inst->op == IR_SHR ||
                   inst->op == IR_AND;
    if (!divides || inst->type.kind != SCALAR_I32 || inst->type.width != 1 ||
        inst->args[1]->op != IR_CONST || !counts_lanes(inst->args[0]))
        return 0;
    uint32_t by = inst->args[1]->constant.bits[0];
    switch (inst->op) {
    case IR_SHR: return 1u << (by & 31);
    case IR_AND: return by & (by + 1) ? 0 : by + 1;
    default:     return by;
    }
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
        s->short_rows |= row_length(inst) % (2 * s->native) == s->native;
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
    Survey s = {.native = native};
    survey_region(&s, ir->body);
    if (all < native)
        return MAX_OF(round_up_power(all), s.subgroups ? LEAST_SUBGROUP : 1u);
    bool rows = size[0] % (2 * native) == 0 && !s.short_rows;
    bool light = s.most <= MANY_VALUES;
    return rows && light && !s.lane_by_lane ? 2 * native : native;
}
