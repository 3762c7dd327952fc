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
#define MANY_DOUBLES 200u           /* the same of f64, which has two at least    */
#define MANY_SUMS    10u            /* of f64 that a loop carries: two registers each spill */

#define LEAST_SUBGROUP 4u           /* as WGSL has it                             */
#define PAGE           4096u        /* bytes: places so far apart are in one set of a cache */
#define WAYS           8u           /* lines that a set holds                     */
#define FUNCTION       16u          /* instructions of one like exp               */
#define INDEX_DEPTH    6u           /* of an index that is looked into            */

typedef struct Survey {
    uint32_t most;                  /* values in the largest region, or between two
                                       barriers in one                            */
    bool     lane_by_lane;          /* subgroups, atomics: wider does not pay     */
    bool     subgroups;             /* lanes can be counted                       */
    bool     coordinates;           /* x or y of an invocation in the workgroup is used */
    bool     loops, memory_in_loop; /* buffers or workgroup memory                */
    uint32_t values, doubles;       /* in all; of f64                             */
    uint64_t work;                  /* instructions that compute, roughly         */
    uint32_t sums;                  /* of f64 that a loop carries, at most        */
    uint32_t native;                /* lanes of 32 bits of a vector register      */
    bool     short_rows;            /* a kernel cuts rows that these fill, and twice
                                       as many do not                             */
    bool     half_rows;             /* the same of half as many                   */
    bool     pages;                 /* lanes read in a loop at places a multiple of a
                                       page apart                                 */
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

/* Is an index in steps of whole pages from lane to lane, for elements of so many bytes? */
static bool steps_pages(const Inst *index, uint64_t bytes, uint32_t depth)
{
    if (index->op == IR_IADD && depth)
        return steps_pages(index->args[0], bytes, depth - 1) ||
               steps_pages(index->args[1], bytes, depth - 1);
    if ((index->op != IR_IMUL && index->op != IR_SHL) || index->args[1]->op != IR_CONST ||
        !counts_lanes(index->args[0]))
        return false;
    uint32_t by = index->args[1]->constant.bits[0];
    return (index->op == IR_SHL ? bytes << (by & 31) : bytes * by) % PAGE == 0;
}

static bool reads_pages(const Inst *inst)
{
    const Inst *elem = inst->op == IR_LOAD ? inst->args[0] : NULL;
    return elem && elem->op == IR_ELEM && elem->args[0]->mem->kind == MEM_ARRAY &&
           ir_place_root(elem)->space == IRSPACE_STORAGE &&
           steps_pages(elem->args[1], elem->args[0]->mem->array.stride, INDEX_DEPTH);
}

static bool is_shared_access(const Inst *inst)
{
    if (inst->op != IR_LOAD && inst->op != IR_STORE)
        return false;
    IrSpace space = ir_place_root(inst->args[0])->space;
    return space == IRSPACE_STORAGE || space == IRSPACE_WORKGROUP;
}

/* Values of f64 that an iteration of a loop hands to the next. */
static uint32_t carried_doubles(const Inst *loop)
{
    uint32_t count = 0;
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++)
        count += body->params[i]->type.kind == SCALAR_F64 ? body->params[i]->type.width : 0;
    return count;
}

static bool is_function(const Inst *inst)
{
    return inst->op >= IR_EXP && inst->op <= IR_FREXP_EXP;
}

static void survey_region(Survey *s, const Region *region, bool in_loop)
{
    uint32_t n = region->nparams;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_BARRIER) {       /* what comes then has registers of its own */
            s->most = MAX_OF(s->most, n);
            n = region->nparams;
        }
        if (inst->type.width && inst->type.kind != SCALAR_PLACE && inst->op != IR_CONST) {
            n += inst->type.width;
            s->values++;
            s->doubles += inst->type.kind == SCALAR_F64;
            s->work += inst->type.width * (is_function(inst) ? FUNCTION : 1u);
        }
        s->lane_by_lane |= inst->op == IR_SUBGROUP || inst->op == IR_ATOMIC;
        s->subgroups |= inst->op == IR_SUBGROUP || is_subgroup_input(inst);
        s->coordinates |= inst->op == IR_INPUT && inst->input <= INPUT_LOCAL_ID_Y;
        s->short_rows |= row_length(inst) % (2 * s->native) == s->native;
        s->half_rows |= row_length(inst) % s->native * 2 == s->native;
        s->memory_in_loop |= in_loop && is_shared_access(inst);
        s->pages |= in_loop && reads_pages(inst);
        s->loops |= inst->op == IR_LOOP;
        if (inst->op == IR_LOOP)
            s->sums = MAX_OF(s->sums, carried_doubles(inst));
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey_region(s, inst->flow.regions[i], in_loop || inst->op == IR_LOOP);
        if (inst->op == IR_LOOP) {          /* and so has what comes after a loop */
            s->most = MAX_OF(s->most, n);
            n = region->nparams;
        }
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

/* Is memory so much easier to get at for fewer lanes than a register has that it pays to
 * leave the rest of it empty? Where lanes fill rows of the workgroup what is computed from
 * coordinates, conditions above all, becomes simpler as well. `work`: instructions that
 * fewer lanes do more often. */
static bool suits_fewer(const Ir *ir, uint32_t lanes, uint32_t native, uint64_t work)
{
    uint32_t times = ir->workgroup_size[1] > 1 ? 2u : 3u;
    bool scattered;
    uint64_t some = analysis_memory_cost(analysis_run(ir->arena, ir, lanes, native), &scattered);
    uint64_t all = analysis_memory_cost(analysis_run(ir->arena, ir, native, native), &scattered);
    uint64_t more = 1000 * work / lanes - 1000 * work / native;     /* as they cost memory */
    return scattered && some * times + more * 2 <= all * 2;
}

/* Lanes that fill rows of the workgroup of which a register holds more than one, or those
 * that a kernel cuts it into; 0: there are none such. */
static uint32_t lanes_of_rows(const Survey *s, const uint32_t *size)
{
    uint32_t lanes = size[0] & (0u - size[0]);
    if (size[1] > 1 && s->coordinates && lanes >= LEAST_SUBGROUP && lanes < s->native)
        return lanes;
    return s->half_rows && s->native > LEAST_SUBGROUP ? s->native / 2 : 0;
}

uint32_t analysis_choose_lanes(const Ir *ir, uint32_t native)
{
    const uint32_t *size = ir->workgroup_size;
    uint32_t all = size[0] * size[1] * size[2];
    Survey s = {.native = native};
    survey_region(&s, ir->body, false);
    if (all < native)
        return MAX_OF(round_up_power(all), s.subgroups ? LEAST_SUBGROUP : 1u);
    /* With a row of the workgroup in each lane group x is affine and y uniform; with two
     * rows both would be anything. Half a register is a good price for that where loops
     * access memory, but not where they compute. */
    bool counts = s.lane_by_lane || s.subgroups;
    if (size[0] * 2 == native && size[1] > 1 && s.coordinates && s.memory_in_loop && !counts)
        return size[0];
    /* Where loops access memory they wait for it; without loops all that is computed counts. */
    bool memory = s.memory_in_loop || !s.loops;
    uint32_t fewer = memory && !counts ? lanes_of_rows(&s, size) : 0;
    if (fewer && suits_fewer(ir, fewer, native, s.memory_in_loop ? 0 : s.work))
        return fewer;
    /* Each lane has a line of its own in each round, and wants the rest of it in the next. */
    if (s.pages && !counts && native >= WAYS)
        return WAYS;
    bool rows = size[0] % (2 * native) == 0 && !s.short_rows;
    bool light = s.most <= MANY_VALUES;
    /* A register has half as many lanes of f64. */
    bool full = s.most > MANY_DOUBLES || s.sums > MANY_SUMS;
    if (s.doubles * 4 > s.values)
        return full && !s.subgroups && native > LEAST_SUBGROUP ? native / 2 : native;
    return rows && light && !s.lane_by_lane ? 2 * native : native;
}
