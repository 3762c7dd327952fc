// SPDX-License-Identifier: Apache-2.0
/*
 * step.c - how a value changes from one invocation to its neighbour.
 *
 * in     a value, an axis
 * out    nothing changes; it changes by one amount, a count with names; or anyhow
 * knows  the IR; quotients and remainders by blocks, from analysis
 *
 * Neighbours are invocations of one row of a workgroup along the axis, or of neighbouring
 * workgroups where workgroups have one invocation along it.
 */
#include "inspect/inspect_priv.h"

static const Step none = {.kind = STEP_NONE}, varying = {.kind = STEP_VARYING};

static Step affine(const Symbol *by)
{
    return by->nterms ? (Step){STEP_AFFINE, *by} : none;
}

static Step sum(const Step *a, const Step *b, double sign)
{
    if (a->kind == STEP_VARYING || b->kind == STEP_VARYING)
        return varying;
    Symbol x = a->kind == STEP_AFFINE ? a->by : symbol_number(0);
    Symbol y = b->kind == STEP_AFFINE ? symbol_scale(&b->by, sign) : symbol_number(0);
    Symbol both = symbol_add(&x, &y);
    return affine(&both);
}

/* ---- inputs ---- */

static Step input_step(const Inspect *n, const Inst *v, uint32_t axis)
{
    const uint32_t *size = n->ir->workgroup_size;
    Symbol one = symbol_number(1);
    bool rows = size[axis] > 1;
    if (v->input == (IrInput)(INPUT_LOCAL_ID_X + axis))
        return rows ? affine(&one) : none;
    if (v->input == (IrInput)(INPUT_WORKGROUP_ID_X + axis))
        return rows ? none : affine(&one);
    if (v->input == INPUT_LOCAL_INDEX) {
        Symbol by = symbol_number(axis == 0 ? 1 : axis == 1 ? size[0] : size[0] * size[1]);
        return rows ? affine(&by) : none;
    }
    return v->input == INPUT_SUBGROUP_LANE ? (axis ? varying : affine(&one)) : none;
}

/* ---- operations ---- */

/* What analysis knows of rows along x: quotients by blocks are uniform, remainders affine. */
static Step from_facts(const Inspect *n, const Inst *v, uint32_t axis)
{
    const Fact *fact = &n->facts->of[v->id];
    if (axis != 0 || n->facts->lanes == 1 || fact->shape == SHAPE_VARYING)
        return varying;
    if (fact->shape != SHAPE_AFFINE)
        return none;
    Symbol by = symbol_number(fact->stride);
    return affine(&by);
}

static Step product(Inspect *n, const Inst *v, const Step *a, const Step *b)
{
    if (a->kind == STEP_AFFINE && b->kind == STEP_NONE) {
        Symbol by = expr_of(n, v->args[1], true);
        by = symbol_multiply(&n->symbols, &a->by, &by);
        return affine(&by);
    }
    if (a->kind == STEP_NONE && b->kind == STEP_AFFINE) {
        Symbol by = expr_of(n, v->args[0], true);
        by = symbol_multiply(&n->symbols, &b->by, &by);
        return affine(&by);
    }
    return varying;
}

/* Of a clamp: away from its bounds the value goes through. */
static Step choice(const Step *a, const Step *b)
{
    return a->kind == STEP_NONE ? *b : b->kind == STEP_NONE ? *a : varying;
}

static Step operation(Inspect *n, const Inst *v, uint32_t axis)
{
    Step a = v->nargs > 0 ? step_of(n, v->args[0], axis) : none;
    Step b = v->nargs > 1 ? step_of(n, v->args[1], axis) : none;
    switch (v->op) {
    case IR_IADD: return sum(&a, &b, 1);
    case IR_ISUB: return sum(&a, &b, -1);
    case IR_IMUL: return product(n, v, &a, &b);
    case IR_SHL:
        if (v->args[1]->op == IR_CONST && a.kind == STEP_AFFINE) {
            Symbol by = symbol_scale(&a.by, (double)(1u << (v->args[1]->constant.bits[0] & 31)));
            return affine(&by);
        }
        return varying;
    case IR_UDIV: case IR_UREM: case IR_SHR: case IR_AND: return from_facts(n, v, axis);
    case IR_UMIN: case IR_UMAX: case IR_SMIN: case IR_SMAX: return choice(&a, &b);
    case IR_UNIFORM: case IR_FIRST: case IR_BITCAST: return a;
    default: return varying;
    }
}

/* ---- memory and flow ---- */

static Step load_step(Inspect *n, const Inst *v, uint32_t axis)
{
    IrSpace space = ir_place_root(v->args[0])->space;
    bool    own = space == IRSPACE_FUNCTION || space == IRSPACE_PRIVATE;
    Step    place = step_of_place(n, v->args[0], axis);
    return own || place.kind != STEP_NONE ? varying : none;
}

/* A parameter of a loop that all neighbours step alike. */
static Step param_step(Inspect *n, const Inst *p, uint32_t axis)
{
    const Inst *loop = p->region->owner;
    if (!loop || loop->op != IR_LOOP || p->region != loop->flow.regions[0])
        return varying;
    const Inst *end = loop->flow.regions[1]->last;
    const Inst *next = end->op == IR_NEXT ? end->args[p->index]
                       : end->op == IR_BREAK_IF ? end->args[1 + loop->flow.nresults + p->index]
                                                : NULL;
    Step first = step_of(n, loop->args[p->index], axis);
    n->steps[axis][p->id] = first;      /* while the next value is looked at */
    if (!next || next == p)
        return first;
    Step then = step_of(n, next, axis);
    bool same = then.kind == first.kind &&
                (then.kind != STEP_AFFINE || sum(&then, &first, -1).kind == STEP_NONE);
    return same ? first : varying;
}

/* Of an IF that neighbours agree on, if what either way gives is the same for them. */
static Step result_step(Inspect *n, const Inst *v, uint32_t axis)
{
    const Inst *owner = n->owners[v->id];
    if (owner->op != IR_IF || step_of(n, owner->args[0], axis).kind != STEP_NONE)
        return varying;
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *end = owner->flow.regions[i]->last;
        if (end->op == IR_YIELD && step_of(n, end->args[v->index], axis).kind != STEP_NONE)
            return varying;
    }
    return none;
}

static Step compute(Inspect *n, const Inst *v, uint32_t axis)
{
    switch (v->op) {
    case IR_CONST: return none;
    case IR_INPUT: return input_step(n, v, axis);
    case IR_LOAD: return load_step(n, v, axis);
    case IR_LENGTH: return none;
    case IR_PARAM: return param_step(n, v, axis);
    case IR_RESULT: return result_step(n, v, axis);
    case IR_ATOMIC: case IR_SUBGROUP: return varying;
    default: break;
    }
    bool same = true;
    for (uint32_t i = 0; i < v->nargs; i++)
        same &= step_of(n, v->args[i], axis).kind == STEP_NONE;
    return same ? none : v->type.width == 1 ? operation(n, v, axis) : varying;
}

Step step_of(Inspect *n, const Inst *v, uint32_t axis)
{
    Step *known = &n->steps[axis][v->id];
    if (known->kind == STEP_UNKNOWN)
        *known = compute(n, v, axis);
    return *known;
}

Step step_of_place(Inspect *n, const Inst *place, uint32_t axis)
{
    Step all = none;
    for (; place->op != IR_VAR; place = place->args[0]) {
        if (place->op == IR_FIELD)
            continue;
        const MemType *of = place->args[0]->mem;
        double bytes = place->op == IR_VIEW ? 1
                       : of->kind == MEM_ARRAY ? of->array.stride : of->value.stride;
        Step index = step_of(n, place->args[1], axis);
        if (index.kind == STEP_AFFINE)
            index.by = symbol_scale(&index.by, bytes);
        all = sum(&all, &index, 1);
        if (all.kind == STEP_VARYING)
            return all;
    }
    return all;
}

/* `a && b` and `a || b`: an IF with conditions in it. */
static bool result_is_border(Inspect *n, const Inst *owner, uint32_t index, uint32_t axis)
{
    bool border = step_is_border(n, owner->args[0], axis);
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *end = owner->flow.regions[i]->last;
        border |= end->op == IR_YIELD && step_is_border(n, end->args[index], axis);
    }
    return border;
}

bool step_is_border(Inspect *n, const Inst *c, uint32_t axis)
{
    while (c->op == IR_UNIFORM || c->op == IR_NOT)
        c = c->args[0];
    if (c->op == IR_AND || c->op == IR_OR)
        return step_is_border(n, c->args[0], axis) || step_is_border(n, c->args[1], axis);
    if (c->op == IR_RESULT && n->owners[c->id]->op == IR_IF)
        return result_is_border(n, n->owners[c->id], c->index, axis);
    if (c->op < IR_SLT || c->op > IR_ULE)
        return false;
    Step a = step_of(n, c->args[0], axis), b = step_of(n, c->args[1], axis);
    return (a.kind == STEP_AFFINE && b.kind == STEP_NONE) ||
           (a.kind == STEP_NONE && b.kind == STEP_AFFINE);
}
