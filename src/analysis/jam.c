// SPDX-License-Identifier: Apache-2.0
/*
 * jam.c - how many lane groups should go through the code side by side.
 *
 * in     facts
 * out    1, or more if the values that innermost loops keep alive, times that many,
 *        fit the registers; loops through which all go together count
 * why    one lane group's chain of dependent operations leaves most of the machine
 *        idle, and what groups load in common is loaded once
 */
#include "analysis/analysis_priv.h"

#define REGISTERS 12u               /* vector registers for values that stay      */
#define MOST      8u

typedef struct Jam {
    const Facts *f;
    uint32_t *loop;                 /* [next_id] loop that an instruction is in    */
    uint32_t *counted;              /* [next_id] last loop it was counted for      */
    uint32_t  current;
    uint32_t  most;                 /* values alive in the worst innermost loop    */
    bool      has_loop;
} Jam;

static bool is_wide_value(const Facts *f, const Inst *inst)
{
    return inst->type.width && inst->type.kind != SCALAR_PLACE && inst->op != IR_CONST &&
           fact_of(f, inst)->shape == SHAPE_VARYING;
}

/* ---- is it possible? ---- */

static bool steers_together(const Facts *f, const Inst *inst)
{
    const Fact *x = fact_of(f, inst);
    if (x->divergent || x->apart || x->continues_apart)
        return false;
    bool decides = inst->op == IR_IF || inst->op == IR_SWITCH;
    return !decides || fact_of(f, inst->args[0])->shape == SHAPE_WORKGROUP;
}

bool analysis_is_together(const Facts *f, const Inst *first, const Inst *end)
{
    for (const Inst *inst = first; inst != end; inst = inst->next) {
        if (inst->op == IR_BREAK_IF && fact_of(f, inst->args[0])->shape != SHAPE_WORKGROUP)
            return false;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        if (!steers_together(f, inst))
            return false;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            if (!analysis_is_together(f, inst->flow.regions[i]->first, NULL))
                return false;
    }
    return true;
}

/* ---- is it good? ---- */

static bool has_inner_loop(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_LOOP)
            return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (has_inner_loop(inst->flow.regions[i]))
                    return true;
    }
    return false;
}

static void count_once(Jam *j, const Inst *inst, uint32_t *n)
{
    if (!is_wide_value(j->f, inst) || j->counted[inst->id] == j->current)
        return;
    j->counted[inst->id] = j->current;
    *n += inst->type.width;
}

/* Numbers everything inside a loop, so that what comes from outside shows. */
static void mark_inside(Jam *j, const Region *region)
{
    for (uint32_t i = 0; i < region->nparams; i++)
        j->loop[region->params[i]->id] = j->current;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        j->loop[inst->id] = j->current;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            j->loop[inst->flow.results[i]->id] = j->current;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            mark_inside(j, inst->flow.regions[i]);
    }
}

static void count_from_outside(Jam *j, const Region *region, uint32_t *n)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (j->loop[inst->args[i]->id] != j->current)
                count_once(j, inst->args[i], n);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                count_from_outside(j, inst->flow.regions[i], n);
    }
}

static void measure_loop(Jam *j, const Inst *loop)
{
    uint32_t n = 0;
    j->current++;
    for (uint32_t i = 0; i < 2; i++)
        mark_inside(j, loop->flow.regions[i]);
    for (uint32_t i = 0; i < loop->flow.regions[0]->nparams; i++)
        count_once(j, loop->flow.regions[0]->params[i], &n);
    for (uint32_t i = 0; i < 2; i++)
        count_from_outside(j, loop->flow.regions[i], &n);
    j->most = MAX_OF(j->most, n);
    j->has_loop = true;
}

static void measure(Jam *j, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        bool innermost = inst->op == IR_LOOP && !has_inner_loop(inst->flow.regions[0]) &&
                         !has_inner_loop(inst->flow.regions[1]);
        if (innermost && analysis_is_together(j->f, inst, inst->next))
            measure_loop(j, inst);
        else if (innermost)
            continue;
        else
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                measure(j, inst->flow.regions[i]);
    }
}

uint32_t jam_choose(Arena *a, const Facts *f, uint32_t native)
{
    if (f->lanes < native)
        return 1;
    Jam j = {.f = f};
    j.loop = ARENA_ARRAY(a, uint32_t, f->ir->next_id);
    j.counted = ARENA_ARRAY(a, uint32_t, f->ir->next_id);
    measure(&j, f->ir->body);
    if (!j.has_loop || !j.most)
        return 1;
    uint32_t registers = j.most * (f->lanes / native), jam = 1;
    while (jam < MOST && registers * jam * 2 <= REGISTERS)
        jam *= 2;
    return jam;
}
