// SPDX-License-Identifier: Apache-2.0
/*
 * zeros.c - which workgroup variables must start with zeros for anybody to notice.
 *
 * in     an Ir
 * out    for each variable whether its first contents may be read
 *
 * They are not read where every way to a read leads through stores to all elements, by
 * the invocations of the workgroup together, and then through a workgroup barrier: all
 * invocations go through that, as WGSL 15.2 (uniformity) asks. "Leads through" is simple
 * in a tree of regions: what stands before in the region, or in one around it.
 *
 * Which elements a store reaches is found by trying: its indices are computed for each
 * invocation. They may be made of local ids and constants alone, so that they are the
 * same each time.
 */
#include "analysis/analysis_priv.h"

#define MOST_INVOCATIONS 4096u
#define MOST_ELEMENTS    65536u
#define MOST_DEPTH       12u            /* of an index                             */
#define MOST_STEPS       (1u << 18)     /* of all indices, so that odd kernels do not
                                           take long                               */

typedef struct Cover {
    const Region *region;               /* of the stores that are counted          */
    bool    *is_stored;                 /* an element                              */
    uint32_t missing;
    uint32_t since;                     /* time when nothing was missing; 0: never */
} Cover;

typedef struct Zeros {
    Arena    *arena;
    const Ir *ir;
    uint32_t  invocations, steps;
    uint32_t  time;                     /* of instructions, from 1 on              */
    uint32_t  barrier;                  /* time of the last that all came through  */
    Cover    *covers;                   /* [ir->vars]                              */
    bool     *needed;                   /* [ir->vars]                              */
    VEC(uint32_t) covered;              /* variables, in the order of time         */
} Zeros;

/* ---- indices ---- */

typedef struct Invocation {
    uint32_t id[3], index;
} Invocation;

static bool input_of(const Invocation *who, IrInput input, uint32_t *out)
{
    if (input > INPUT_LOCAL_INDEX)
        return false;
    *out = input == INPUT_LOCAL_INDEX ? who->index : who->id[input - INPUT_LOCAL_ID_X];
    return true;
}

static bool compute(IrOp op, uint32_t x, uint32_t y, uint32_t *out)
{
    switch (op) {
    case IR_IADD: *out = x + y;              return true;
    case IR_ISUB: *out = x - y;              return true;
    case IR_IMUL: *out = x * y;              return true;
    case IR_UDIV: *out = y ? x / y : x;      return true;
    case IR_UREM: *out = y ? x % y : 0;      return true;
    case IR_SHL:  *out = x << (y & 31);      return true;
    case IR_SHR:  *out = x >> (y & 31);      return true;
    case IR_AND:  *out = x & y;              return true;
    case IR_OR:   *out = x | y;              return true;
    case IR_XOR:  *out = x ^ y;              return true;
    default:                                 return false;
    }
}

/* False: it depends on more than who computes it, or is too long. */
static bool value_of(Zeros *z, const Inst *inst, const Invocation *who, uint32_t depth,
                     uint32_t *out)
{
    uint32_t x, y;
    if (depth == 0 || z->steps == 0 || !ir_type_eq(inst->type, IR_I32))
        return false;
    z->steps--;
    if (inst->op == IR_CONST) {
        *out = inst->constant.bits[0];
        return true;
    }
    if (inst->op == IR_INPUT)
        return input_of(who, inst->input, out);
    if (inst->op == IR_EXTRACT && inst->args[0]->op == IR_VEC)
        return value_of(z, inst->args[0]->args[inst->index], who, depth - 1, out);
    return inst->nargs == 2 && value_of(z, inst->args[0], who, depth - 1, &x)
           && value_of(z, inst->args[1], who, depth - 1, &y)
           && compute((IrOp)inst->op, x, y, out);
}

/* ---- stores ---- */

/* How many elements the variable of a place has, if the place is one of them; 0: it is
 * something else. */
static uint32_t elements_around(const Inst *place)
{
    uint64_t total = 1;
    if (place->mem->kind != MEM_VALUE)
        return 0;
    for (; place->op == IR_ELEM; place = place->args[0]) {
        const MemType *array = place->args[0]->mem;
        if (array->kind != MEM_ARRAY || array->array.count == 0
            || array->array.count > MOST_ELEMENTS)
            return 0;
        total *= array->array.count;
        if (total > MOST_ELEMENTS)
            return 0;
    }
    return place->op == IR_VAR ? (uint32_t)total : 0;
}

/* The number of the element that the place is. */
static bool element_of(Zeros *z, const Inst *place, const Invocation *who, uint32_t *out)
{
    uint32_t at = 0, step = 1;
    for (; place->op == IR_ELEM; place = place->args[0]) {
        uint32_t count = (uint32_t)place->args[0]->mem->array.count, index;
        if (!value_of(z, place->args[1], who, MOST_DEPTH, &index) || index >= count)
            return false;
        at += index * step;
        step *= count;
    }
    *out = at;
    return true;
}

static Invocation invocation(const Zeros *z, uint32_t index)
{
    const uint32_t *n = z->ir->workgroup_size;
    return (Invocation){{index % n[0], index / n[0] % n[1], index / n[0] / n[1]}, index};
}

/* Stores of another region may not have been come through. False: it took too long. */
static bool start_over(Zeros *z, Cover *c, const Region *region, uint32_t total)
{
    if (z->steps < total / 16)
        return false;
    z->steps -= total / 16;
    if (!c->is_stored)
        c->is_stored = ARENA_ARRAY(z->arena, bool, total);
    for (uint32_t i = 0; i < total; i++)
        c->is_stored[i] = false;
    c->region = region;
    c->missing = total;
    return true;
}

static void see_store(Zeros *z, const Inst *store)
{
    const Inst *place = store->args[0];
    const IrVar *var = ir_place_root(place);
    Cover *c = &z->covers[var->id];
    uint32_t total, at;
    if (var->space != IRSPACE_WORKGROUP || c->since || z->needed[var->id]
        || !(total = elements_around(place)))
        return;
    if (c->region != store->region && !start_over(z, c, store->region, total))
        return;
    for (uint32_t i = 0; i < z->invocations && c->missing; i++) {
        Invocation who = invocation(z, i);
        if (!element_of(z, place, &who, &at))
            break;
        c->missing -= !c->is_stored[at];
        c->is_stored[at] = true;
    }
    if (c->missing == 0) {
        c->since = z->time;
        VEC_PUSH(z->arena, &z->covered, var->id);
    }
}

/* ---- the walk ---- */

static void see_read(Zeros *z, const Inst *read)
{
    const IrVar *var = ir_place_root(read->args[0]);
    const Cover *c = &z->covers[var->id];
    if (var->space == IRSPACE_WORKGROUP && (!c->since || c->since > z->barrier))
        z->needed[var->id] = true;
}

static void walk(Zeros *z, const Region *region)
{
    uint32_t barrier = z->barrier, ncovered = z->covered.len;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        z->time++;
        if (inst->op == IR_STORE || (inst->op == IR_ATOMIC && inst->atomic == ATOMIC_STORE))
            see_store(z, inst);
        else if (inst->op == IR_LOAD || inst->op == IR_ATOMIC)
            see_read(z, inst);
        else if (inst->op == IR_BARRIER && inst->barrier & BARRIER_WORKGROUP)
            z->barrier = z->time;
        else if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(z, inst->flow.regions[i]);
    }
    /* What comes after the region need not have come through it. */
    z->barrier = barrier;
    while (z->covered.len > ncovered)
        z->covers[z->covered.data[--z->covered.len]].since = 0;
}

const bool *analysis_zeros(Arena *a, const Ir *ir)
{
    const uint32_t *n = ir->workgroup_size;
    uint64_t all = (uint64_t)n[0] * n[1];
    Zeros z = {.arena = a, .ir = ir, .steps = MOST_STEPS};
    z.invocations = all > MOST_INVOCATIONS || all * n[2] > MOST_INVOCATIONS
                        ? 0 : (uint32_t)(all * n[2]);
    z.covers = ARENA_ARRAY(a, Cover, ir->vars.len + 1);
    z.needed = ARENA_ARRAY(a, bool, ir->vars.len + 1);
    walk(&z, ir->body);
    return z.needed;
}
