// SPDX-License-Identifier: Apache-2.0
/*
 * step.c - how a value changes from one invocation to its neighbour.
 *
 * in     a value, an axis
 * out    nothing changes; it changes by one amount, a count with names; or anyhow
 * knows  the IR; quotients and remainders by blocks, from analysis
 *
 * Neighbours are invocations of one row of a workgroup along the axis, or of neighbouring
 * workgroups where workgroups have one invocation along it. Rules that hold for long stretches
 * of a row are given with their period: `id / w` is the same for w neighbours, `id % w` rises
 * by one w times, a clamped index rises away from its bounds.
 */
#include "inspect/inspect_priv.h"

#define LEAST_PERIOD 16u                /* of a constant divisor: a row of good workgroups */

static const Step none = {.kind = STEP_NONE}, varying = {.kind = STEP_VARYING};

static Step affine(const Symbol *by)
{
    return by->nterms ? (Step){.kind = STEP_AFFINE, .by = *by} : none;
}

/* The shorter period; 0 if neither value has one. */
static uint32_t joined_period(uint32_t a, uint32_t b)
{
    return a && b ? MIN_OF(a, b) : a | b;
}

static Step with_period(Step s, uint32_t period)
{
    s.period = s.kind == STEP_VARYING ? 0 : joined_period(s.period, period);
    return s;
}

static Step sum(const Step *a, const Step *b, double sign)
{
    if (a->kind == STEP_VARYING || b->kind == STEP_VARYING)
        return varying;
    Symbol x = a->kind == STEP_AFFINE ? a->by : symbol_number(0);
    Symbol y = b->kind == STEP_AFFINE ? symbol_scale(&b->by, sign) : symbol_number(0);
    Symbol both = symbol_add(&x, &y);
    return with_period(affine(&both), joined_period(a->period, b->period));
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
    bool first = a->kind == STEP_AFFINE;
    if ((first ? b : a)->kind != STEP_NONE || (first ? a : b)->kind != STEP_AFFINE)
        return varying;
    Symbol by = expr_of(n, v->args[first ? 1 : 0], false);
    by = symbol_multiply(&n->symbols, &(first ? a : b)->by, &by);
    return with_period(affine(&by), joined_period(a->period, b->period));
}

/* Of a clamp: away from its bounds the value goes through. */
static Step choice(const Step *a, const Step *b)
{
    if (a->kind != STEP_NONE && b->kind != STEP_NONE)
        return varying;
    return with_period(a->kind == STEP_NONE ? *b : *a, STEP_LONG);
}

/* Neighbours after which v / args[1] changes; 0: too few to call it regular. */
static uint32_t divisor(const Inst *v)
{
    const Inst *by = v->args[1];
    bool        shifts = v->op == IR_SHR || v->op == IR_SAR, masks = v->op == IR_AND;
    if (by->op != IR_CONST)
        return shifts || masks ? 0 : STEP_LONG;
    uint32_t d = by->constant.bits[0];
    if (shifts)
        d = 1u << (d & 31);
    if (masks)
        d = (d & (d + 1)) == 0 ? d + 1 : 0;
    return (int32_t)d >= (int32_t)LEAST_PERIOD ? d : 0;
}

/* Quotients and remainders of a value that rises by a known amount. */
static Step block(Inspect *n, const Inst *v, const Step *a, const Step *b, uint32_t axis)
{
    Step exact = from_facts(n, v, axis);
    if (exact.kind != STEP_VARYING || a->kind != STEP_AFFINE || b->kind != STEP_NONE ||
        !symbol_is_number(&a->by))
        return exact;
    double   by = symbol_value(&a->by, NULL, 0, 1);
    uint32_t d = divisor(v), period = d;
    if (d && d != STEP_LONG)
        period = (uint32_t)(d / (by < 0 ? -by : by));
    if (period < LEAST_PERIOD)
        return varying;
    bool rests = v->op == IR_UREM || v->op == IR_SREM || v->op == IR_AND;
    return with_period(rests ? *a : none, joined_period(period, joined_period(a->period,
                                                                             b->period)));
}

/* Bits below which a value has none. */
static uint32_t low_zeros(const Inst *v, uint32_t depth)
{
    uint32_t a, b;
    switch (depth ? (IrOp)v->op : IR_VAR) {
    case IR_CONST:
        for (a = 0; a < 31 && !(v->constant.bits[0] >> a & 1); a++)
            ;
        return a;
    case IR_SHL: return v->args[1]->op == IR_CONST ? v->args[1]->constant.bits[0] & 31 : 0;
    case IR_IMUL:
        a = low_zeros(v->args[0], depth - 1) + low_zeros(v->args[1], depth - 1);
        return MIN_OF(a, 31);
    case IR_IADD: case IR_OR:
        a = low_zeros(v->args[0], depth - 1);
        b = low_zeros(v->args[1], depth - 1);
        return MIN_OF(a, b);
    case IR_UNIFORM: case IR_BITCAST: return low_zeros(v->args[0], depth - 1);
    default: return 0;
    }
}

/* `4 * i | 1`: a sum, where the bits of a constant are below or above all others. */
static Step disjoint(Inspect *n, const Inst *v, const Step *a, const Step *b, uint32_t axis)
{
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *bits = v->args[i];
        const Inst *other = v->args[1 - i];
        if (bits->op == IR_CONST &&
            (bits->constant.bits[0] >> low_zeros(other, 12) == 0 ||
             n->facts->of[other->id].high < 1u << low_zeros(bits, 1)))
            return sum(a, b, 1);
    }
    return from_facts(n, v, axis);
}

/* A choice by a condition that neighbours agree on but for a border. */
static Step selected(Inspect *n, const Inst *v, const Step *a, const Step *b, uint32_t axis)
{
    Step condition = step_of(n, v->args[0], axis);
    if (condition.kind == STEP_NONE)
        return a->kind == STEP_NONE && b->kind == STEP_NONE ? none : varying;
    return step_is_border(n, v->args[0], axis) ? choice(a, b) : varying;
}

static Step operation(Inspect *n, const Inst *v, uint32_t axis)
{
    Step a = v->nargs > 0 ? step_of(n, v->args[0], axis) : none;
    Step b = v->nargs > 1 ? step_of(n, v->args[1], axis) : none, c;
    switch (v->op) {
    case IR_IADD: return sum(&a, &b, 1);
    case IR_ISUB: return sum(&a, &b, -1);
    case IR_IMUL: return product(n, v, &a, &b);
    case IR_SHL:
        if (v->args[1]->op == IR_CONST && a.kind == STEP_AFFINE) {
            Symbol by = symbol_scale(&a.by, (double)(1u << (v->args[1]->constant.bits[0] & 31)));
            return with_period(affine(&by), a.period);
        }
        return varying;
    case IR_UDIV: case IR_UREM: case IR_SDIV: case IR_SREM: case IR_SHR: case IR_SAR:
    case IR_AND:
        return block(n, v, &a, &b, axis);
    case IR_OR: return disjoint(n, v, &a, &b, axis);
    case IR_NOT: return v->type.kind == SCALAR_I32 ? sum(&none, &a, -1) : varying;
    case IR_SELECT: c = step_of(n, v->args[2], axis); return selected(n, v, &b, &c, axis);
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
    return own || place.kind != STEP_NONE ? varying : with_period(none, place.period);
}

/* What was found since then, with an assumption that turned out to be wrong. */
static void forget(Inspect *n, uint32_t axis, uint32_t mark)
{
    for (uint32_t i = mark; i < n->stepped[axis].len; i++) {
        Step *s = &n->steps[axis][n->stepped[axis].data[i]];
        if (s->kind != STEP_VARYING)
            s->kind = STEP_UNKNOWN;
    }
    n->stepped[axis].len = mark;
}

/* A parameter of a loop that all neighbours step alike. */
static Step param_step(Inspect *n, const Inst *p, uint32_t axis)
{
    const Inst *loop = p->region->owner;
    if (!loop || loop->op != IR_LOOP || p->region != loop->flow.regions[0])
        return varying;
    const Inst *next = expr_next(n, loop, p->index);
    Step first = step_of(n, loop->args[p->index], axis);
    uint32_t mark = n->stepped[axis].len;
    if (next == p || !next)
        return next ? first : varying;
    n->steps[axis][p->id] = first;      /* while the next value is looked at */
    Step then = step_of(n, next, axis);
    first = with_period(first, then.period);
    bool same = then.kind == first.kind &&
                (then.kind != STEP_AFFINE || sum(&then, &first, -1).kind == STEP_NONE);
    if (!same)
        forget(n, axis, mark);
    return same ? first : varying;
}

/* Of an IF that neighbours agree on, perhaps but for a border. */
static Step result_step(Inspect *n, const Inst *v, uint32_t axis)
{
    const Inst *owner = n->owners[v->id];
    if (owner->op != IR_IF)
        return varying;
    Step condition = step_of(n, owner->args[0], axis), ways[2] = {none, none};
    bool border = step_is_border(n, owner->args[0], axis);
    if (condition.kind != STEP_NONE && !border)
        return varying;
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *end = owner->flow.regions[i]->last;
        if (end->op == IR_YIELD)
            ways[i] = step_of(n, end->args[v->index], axis);
    }
    if (border)
        return choice(&ways[0], &ways[1]);
    bool same = ways[0].kind == STEP_NONE && ways[1].kind == STEP_NONE;
    return same ? with_period(none, joined_period(condition.period, joined_period(
                      ways[0].period, ways[1].period))) : varying;
}

/* What all invocations of a subgroup get alike. */
static bool is_shared(IrSubgroup op)
{
    return op <= SUBGROUP_XOR || (op >= SUBGROUP_ALL && op <= SUBGROUP_BROADCAST_FIRST);
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
    case IR_ATOMIC: return varying;
    case IR_SUBGROUP: return axis == 0 && is_shared(v->subgroup) ? none : varying;
    default: break;
    }
    bool     same = true;
    uint32_t period = 0;
    for (uint32_t i = 0; i < v->nargs; i++) {
        Step s = step_of(n, v->args[i], axis);
        same &= s.kind == STEP_NONE;
        period = joined_period(period, s.period);
    }
    return same ? with_period(none, period)
                : v->type.width == 1 ? operation(n, v, axis) : varying;
}

Step step_of(Inspect *n, const Inst *v, uint32_t axis)
{
    Step *known = &n->steps[axis][v->id];
    if (known->kind == STEP_UNKNOWN) {
        *known = compute(n, v, axis);
        VEC_PUSH(&n->arena, &n->stepped[axis], v->id);
    }
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

/* ---- conditions ---- */

/* From the most to the least regular. An edge, `id == 0`, is part of a border beside another. */
typedef enum Agreement { AGREE_ALL, AGREE_EDGE, AGREE_BORDER, AGREE_NOT } Agreement;

static Agreement agreement(Inspect *n, const Inst *c, uint32_t axis);

/* `a && b` and `a || b`: an IF with conditions in it. */
static Agreement agreement_of_result(Inspect *n, const Inst *owner, uint32_t index, uint32_t axis)
{
    Agreement worst = agreement(n, owner->args[0], axis);
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *end = owner->flow.regions[i]->last;
        if (end->op == IR_YIELD)
            worst = MAX_OF(worst, agreement(n, end->args[index], axis));
    }
    return worst;
}

/* A limit in the middle of a short period parts the neighbours of each. */
static bool is_long(const Step *s)
{
    return s->period == 0 || s->period == STEP_LONG;
}

static Agreement agreement_of_comparison(Inspect *n, const Inst *c, uint32_t axis)
{
    Step a = step_of(n, c->args[0], axis), b = step_of(n, c->args[1], axis);
    bool rises = (a.kind == STEP_AFFINE && b.kind == STEP_NONE) ||
                 (a.kind == STEP_NONE && b.kind == STEP_AFFINE);
    if (!rises || !is_long(&a) || !is_long(&b))
        return AGREE_NOT;
    return c->op == IR_IEQ || c->op == IR_INE ? AGREE_EDGE : AGREE_BORDER;
}

static Agreement agreement(Inspect *n, const Inst *c, uint32_t axis)
{
    while (c->op == IR_UNIFORM || c->op == IR_NOT)
        c = c->args[0];
    if (c->type.width != 1 || step_of(n, c, axis).kind == STEP_NONE)
        return c->type.width == 1 ? AGREE_ALL : AGREE_NOT;
    if (c->op == IR_AND || c->op == IR_OR) {
        Agreement a = agreement(n, c->args[0], axis), b = agreement(n, c->args[1], axis);
        return MAX_OF(a, b);
    }
    if (c->op == IR_RESULT && n->owners[c->id]->op == IR_IF)
        return agreement_of_result(n, n->owners[c->id], c->index, axis);
    bool compares = (c->op >= IR_SLT && c->op <= IR_ULE) || c->op == IR_IEQ || c->op == IR_INE;
    return compares ? agreement_of_comparison(n, c, axis) : AGREE_NOT;
}

bool step_is_border(Inspect *n, const Inst *condition, uint32_t axis)
{
    return agreement(n, condition, axis) == AGREE_BORDER;
}
