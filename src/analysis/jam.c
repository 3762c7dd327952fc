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
#define SUMS      24u               /* the same for sums, of machines with 32 of them */
#define ALL_WIDE  16u               /* lanes of a register of which there are 32  */
#define MOST      8u
#define STREAM    16u               /* lane groups that read memory in order       */
#define LIGHT     12u               /* instructions of a loop that waits for memory */
#define EARLY     4u                /* rounds that memory is not waited for in     */
#define ROWS      2u                /* the same whose lanes go along rows          */
#define FUNCTION  4u                /* registers that a function like exp needs    */
#define PAGE      4096              /* bytes: places so far apart are in one set of a cache */

typedef struct Jam {
    const Facts *f;
    uint32_t *loop;                 /* [next_id] loop that an instruction is in    */
    uint32_t *counted;              /* [next_id] last loop it was counted for      */
    uint32_t  current;
    uint32_t  most;                 /* values alive in the worst innermost loop    */
    uint32_t  width;                /* of the widest load that waits for memory    */
    bool      has_loop;
    bool      streams;              /* every loop so far waits for memory          */
    bool      rows;                 /* some loop has rows in lanes (rows.c)        */
    bool      products;             /* every loop so far sums up products          */
    bool      pages;                /* lanes of some loop read whole pages apart   */
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
    *n += inst->type.width * (inst->type.kind == SCALAR_F64 ? 2u : 1u);
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

/* Is something computed that takes many instructions? */
static bool has_function(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op >= IR_EXP && inst->op <= IR_FREXP_EXP)
            return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (has_function(inst->flow.regions[i]))
                    return true;
    }
    return false;
}

uint32_t analysis_columns(const Ir *ir, uint32_t lanes)
{
    return ir->workgroup_size[0] % lanes ? 1 : ir->workgroup_size[0] / lanes;
}

static bool is_along_x(const Ir *ir, IrInput input)
{
    const uint32_t *size = ir->workgroup_size;
    return input == INPUT_LOCAL_ID_X ||
           (input == INPUT_LOCAL_INDEX && size[1] == 1 && size[2] == 1);
}

/* Is a number the same in each lane group, or in each of those that are below each other,
 * whatever it is from lane to lane? */
static bool same_in_groups(const Facts *f, const Inst *inst, bool below, uint32_t depth)
{
    if (fact_of(f, inst)->shape == SHAPE_WORKGROUP)
        return true;
    if (inst->op == IR_INPUT)
        return is_along_x(f->ir, inst->input) && f->ir->workgroup_size[0] % f->lanes == 0 &&
               (below || analysis_columns(f->ir, f->lanes) == 1);
    if (ir_op_effect((IrOp)inst->op) != EFFECT_PURE || inst->op == IR_PARAM ||
        inst->op == IR_RESULT || depth == 0)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!same_in_groups(f, inst->args[i], below, depth - 1))
            return false;
    return true;
}

/* Does each lane group load storage of its own here, lane beside lane? */
static bool is_stream(const Facts *f, const Inst *inst)
{
    if (inst->op != IR_LOAD || fact_of(f, inst)->shape != SHAPE_VARYING)
        return false;
    const Inst *place = inst->args[0], *index = NULL;
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op == IR_ELEM && fact_of(f, place->args[1])->shape == SHAPE_AFFINE)
            index = place->args[1];
    return place->var->space == IRSPACE_STORAGE && index && !same_in_groups(f, index, false, 8);
}

/* A few instructions around loads: with all lane groups side by side memory is read in
 * order, and much of it is on its way at a time. What does not fit the registers is
 * the smaller trouble; but not for loops of a few rounds, which are unrolled. */
static bool waits_for_memory(const Facts *f, const Region *region)
{
    uint32_t n = 0;
    bool any = false;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        any |= is_stream(f, inst);
        n += is_wide_value(f, inst);
        if (ir_op_is_construct((IrOp)inst->op) && inst->op != IR_IF)
            return false;
    }
    for (const Inst *inst = region->first; inst; inst = inst->next)
        for (uint32_t i = 0; inst->op == IR_IF && i < inst->flow.nregions; i++)
            any |= waits_for_memory(f, inst->flow.regions[i]);
    return any && n <= LIGHT;
}

static bool has_atomic(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next)
        if (inst->op == IR_ATOMIC)
            return true;
    return false;
}

bool jam_is_atomic_stream(const Facts *f, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    return analysis_is_together(f, loop, loop->next) && has_atomic(body) &&
           waits_for_memory(f, body);
}

/* Is a loop from an id on in large steps, to a limit that is near? */
static bool ends_early(const Inst *loop)
{
    const Inst *first = loop->flow.regions[0]->first, *end = loop->flow.regions[1]->last;
    while (first && first->op != IR_IF)
        first = first->next;
    if (!first || end->op != IR_NEXT)
        return false;
    const Inst *c = first->args[0];
    while (c->op == IR_UNIFORM)
        c = c->args[0];
    if ((c->op != IR_ULT && c->op != IR_SLT) || c->args[1]->op != IR_CONST ||
        c->args[0]->op != IR_PARAM || c->args[0]->region != loop->flow.regions[0])
        return false;
    const Inst *next = end->args[c->args[0]->index];
    if (next->op != IR_IADD || next->args[0] != c->args[0] || next->args[1]->op != IR_CONST)
        return false;
    uint32_t step = next->args[1]->constant.bits[0];
    return step && c->args[1]->constant.bits[0] / step <= EARLY;
}

/* A load that all lane groups of a column share, one number of each, or one that the whole
 * workgroup shares, such as the length of a row? */
static bool is_factor(const Facts *f, const Inst *load)
{
    if (fact_of(f, load)->shape == SHAPE_WORKGROUP)
        return true;
    const Inst *place = load->args[0];
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op == IR_VIEW || (place->op == IR_ELEM &&
            fact_of(f, load)->shape == SHAPE_VARYING &&
            !same_in_groups(f, place->args[1], true, 8)))
            return false;
    return (load->type.kind == SCALAR_F32 || load->type.kind == SCALAR_F64) &&
           load->type.width == 1;
}

/* sum += x * y and nothing else, where lane groups of a column have x in common and y is a
 * number of each: it needs few registers but for the sums. */
static bool sums_products(const Facts *f, const Region *region)
{
    uint32_t shared = 0;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        bool wide = is_wide_value(f, inst);
        shared += wide && inst->op == IR_LOAD;
        if ((inst->op == IR_LOAD && !is_factor(f, inst)) || inst->op == IR_STORE ||
            inst->op == IR_ATOMIC || inst->op == IR_SUBGROUP || inst->op == IR_SWITCH ||
            inst->op == IR_BLOCK ||
            (wide && inst->op != IR_LOAD && inst->op != IR_FMUL && inst->op != IR_FADD &&
             inst->op != IR_FMA))
            return false;
        if (inst->op == IR_IF && (inst->flow.regions[0]->first != inst->flow.regions[0]->last ||
                                  inst->flow.regions[1]->first != inst->flow.regions[1]->last))
            return false;
    }
    return shared == 1;
}

static uint32_t load_width(const Facts *f, const Region *region)
{
    uint32_t width = 1;
    for (const Inst *inst = region->first; inst; inst = inst->next)
        if (inst->op == IR_LOAD && is_wide_value(f, inst))
            width = MAX_OF(width, (uint32_t)inst->type.width);
    return width;
}

/* Does each lane read on at a place of its own, all in one set of a cache? With more lane
 * groups side by side none would find there what it left. */
static bool reads_pages(const Facts *f, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op != IR_LOAD)
            continue;
        for (const Inst *at = inst->args[0]; at->op != IR_VAR; at = at->args[0]) {
            if (at->op != IR_ELEM || at->args[0]->mem->kind != MEM_ARRAY)
                continue;
            const Fact *x = fact_of(f, at->args[1]);
            int64_t apart = (int64_t)x->stride * at->args[0]->mem->array.stride;
            if (x->shape == SHAPE_AFFINE && apart && apart % PAGE == 0)
                return true;
        }
    }
    return false;
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
    if (has_function(loop->flow.regions[0]))
        n += FUNCTION;
    j->rows |= analysis_has_rows(j->f, loop);
    j->streams &= n <= 2 && !fact_of(j->f, loop)->ends_soon && (n == 1 || !ends_early(loop)) &&
                  !has_atomic(loop->flow.regions[0]) &&
                  waits_for_memory(j->f, loop->flow.regions[0]);
    j->pages |= reads_pages(j->f, loop->flow.regions[0]);
    j->products &= sums_products(j->f, loop->flow.regions[0]);
    j->most = MAX_OF(j->most, n);
    j->width = MAX_OF(j->width, load_width(j->f, loop->flow.regions[0]));
    j->has_loop = true;
}

static void measure(Jam *j, const Inst *first, const Inst *end)
{
    for (const Inst *inst = first; inst != end; inst = inst->next) {
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
                measure(j, inst->flow.regions[i]->first, NULL);
    }
}

/* Half a register a value is worth it, less is not. */
static bool is_narrow(const Facts *f)
{
    return f->lanes * 2 < f->native;
}

/* Instructions of a segment above which lane groups take turns: code that large waits for
 * nothing that other lane groups could fill, and would only become larger. */
#define LARGE 500u

/* Counts at most to LARGE + 1. */
static uint32_t size_of(const Inst *first, const Inst *end)
{
    uint32_t n = 0;
    for (const Inst *inst = first; inst != end && n <= LARGE; inst = inst->next) {
        n++;
        for (uint32_t i = 0; ir_op_is_construct((IrOp)inst->op) && i < inst->flow.nregions; i++)
            n += size_of(inst->flow.regions[i]->first, NULL);
    }
    return n;
}

static Jam measured(Arena *a, const Facts *f, const Inst *first, const Inst *end)
{
    Jam j = {.f = f, .streams = true, .products = true};
    j.loop = ARENA_ARRAY(a, uint32_t, f->ir->next_id);
    j.counted = ARENA_ARRAY(a, uint32_t, f->ir->next_id);
    measure(&j, first, end);
    return j;
}

/* Vector registers for values that stay. Sums of products need few others, and many sums at a
 * time hide the latency of additions; loops of another kind are no faster with more. */
static uint32_t room(const Jam *j)
{
    return j->products && j->f->native >= ALL_WIDE ? SUMS : REGISTERS;
}

static uint32_t registers(const Jam *j)
{
    return j->most * MAX_OF(j->f->lanes / j->f->native, 1u);
}

static uint32_t jam_of(const Jam *j)
{
    uint32_t jam = 1;
    if (!j->has_loop)
        return j->f->jam;
    if (j->pages)
        return 1;
    /* Vectors bring much of memory at a time, and fill registers as they come. */
    if (j->streams && !j->rows)
        return j->width > 1 ? STREAM / (2 * j->width) : STREAM;
    while (j->most && jam < (j->rows ? ROWS : MOST) && registers(j) * jam * 2 <= room(j))
        jam *= 2;
    return jam;
}

uint32_t analysis_jam(Arena *a, const Facts *f, const Inst *first, const Inst *end)
{
    if (is_narrow(f) || size_of(first, end) > LARGE)
        return 1;
    Jam j = measured(a, f, first, end);
    return jam_of(&j);
}

uint32_t analysis_registers(Arena *a, const Facts *f, const Inst *first, const Inst *end)
{
    Jam j = measured(a, f, first, end);
    return registers(&j);
}

uint32_t analysis_jam_products(Arena *a, const Facts *f, const Inst *first, const Inst *end)
{
    if (is_narrow(f) || size_of(first, end) > LARGE)
        return 0;
    Jam j = measured(a, f, first, end);
    bool fills = j.has_loop && j.products && !j.streams && !j.rows && !j.pages && j.most;
    return fills ? room(&j) / registers(&j) : 0;
}
