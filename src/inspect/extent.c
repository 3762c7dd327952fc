// SPDX-License-Identifier: Apache-2.0
/*
 * extent.c - how many invocations along an axis store anything.
 *
 * in     the guards of each store (walk.c)
 * out    Inspect.info.extent: the limit that the global id is compared with before each of
 *        them; Inspect.info.uses_axis; whether a guard is a limit along an axis at all
 * knows  comparisons, `&&`, `||` and early returns
 */
#include "inspect/inspect_priv.h"

#define MOST_STEP 64                    /* of a value that no dispatch makes wrap  */

typedef struct Limit {
    bool   loose;                       /* of any value that rises with the id: 4 * id + 3 */
    Symbol at;                          /* not loose                               */
} Limit;

/* What a value that changes along one axis alone gains at each step of it; 0 if it does not. */
static double rise(Inspect *n, const Inst *v, uint32_t axis)
{
    double by = 0;
    for (uint32_t other = 0; other < 3; other++) {
        Step step = step_of(n, v, other);
        if (step.period || (step.kind == STEP_NONE) != (other != axis))
            return 0;
        if (other == axis && (step.kind != STEP_AFFINE || !symbol_is_number(&step.by)))
            return 0;
        by = other == axis ? symbol_value(&step.by, NULL, 0, 1) : by;
    }
    return by;
}

/* The global id along the axis, nothing else. */
static bool is_id(Inspect *n, const Inst *v, uint32_t axis)
{
    Symbol first = expr_of(n, v, true);
    return symbol_is_number(&first) && symbol_value(&first, NULL, 0, 1) == 0 &&
           rise(n, v, axis) == 1;
}

/* Sums and multiples of ids and values that all invocations share: no parameter of a loop, that
 * is the id in the first round alone. */
static bool is_straight(Inspect *n, const Inst *v, uint32_t depth)
{
    bool shared = true;
    for (uint32_t axis = 0; axis < 3; axis++)
        shared &= step_of(n, v, axis).kind == STEP_NONE;
    if (shared || v->op == IR_INPUT)
        return true;
    if (depth == 0 || (v->op != IR_IADD && v->op != IR_ISUB && v->op != IR_IMUL &&
                       v->op != IR_SHL && v->op != IR_BITCAST && v->op != IR_UNIFORM))
        return false;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (!is_straight(n, v->args[i], depth - 1))
            return false;
    return true;
}

static bool is_rising(Inspect *n, const Inst *v, uint32_t axis)
{
    double by = rise(n, v, axis);
    return by > 0 && by <= MOST_STEP && is_straight(n, v, 12);
}

static bool is_same_for_all(Inspect *n, const Inst *v)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        Step step = step_of(n, v, axis);
        if (step.kind != STEP_NONE || step.period)
            return false;
    }
    return true;
}

/* `id < limit` and its relatives, or their opposite. */
static bool compared(Inspect *n, const Inst *c, bool holds, uint32_t axis, Limit *limit)
{
    const Inst *id = c->args[holds ? 0 : 1], *bound = c->args[holds ? 1 : 0];
    bool or_equal = c->op == IR_SLE || c->op == IR_ULE;
    bool fits = limit->loose ? is_rising(n, id, axis) : is_id(n, id, axis);
    if (!fits || !is_same_for_all(n, bound))
        return false;
    if (limit->loose)
        return true;
    limit->at = expr_of(n, bound, false);
    if (or_equal == holds) {
        Symbol one = symbol_number(1);
        limit->at = symbol_add(&limit->at, &one);
    }
    return true;
}

static bool is_const(const Inst *v, bool value)
{
    return v->op == IR_CONST && (v->constant.bits[0] != 0) == value;
}

static bool limit_of(Inspect *n, const Inst *c, bool holds, uint32_t axis, Limit *limit);

/* `a && b` that holds, `a || b` that does not: an IF that gives b in one of its ways. */
static bool both(Inspect *n, const Inst *c, bool holds, uint32_t axis, Limit *limit)
{
    const Inst *owner = n->owners[c->id];
    if (owner->op != IR_IF)
        return false;
    const Inst *then = owner->flow.regions[0]->last, *other = owner->flow.regions[1]->last;
    if (then->op != IR_YIELD || other->op != IR_YIELD)
        return false;
    const Inst *fixed = (holds ? other : then)->args[c->index];
    const Inst *second = (holds ? then : other)->args[c->index];
    return is_const(fixed, !holds) && (limit_of(n, owner->args[0], holds, axis, limit) ||
                                       limit_of(n, second, holds, axis, limit));
}

static bool limit_of(Inspect *n, const Inst *c, bool holds, uint32_t axis, Limit *limit)
{
    for (; c->op == IR_UNIFORM || c->op == IR_NOT; c = c->args[0])
        holds = c->op == IR_NOT ? !holds : holds;
    if (c->op == (holds ? IR_AND : IR_OR))
        return limit_of(n, c->args[0], holds, axis, limit) ||
               limit_of(n, c->args[1], holds, axis, limit);
    if (c->op == IR_RESULT)
        return both(n, c, holds, axis, limit);
    return c->op >= IR_SLT && c->op <= IR_ULE && compared(n, c, holds, axis, limit);
}

static bool is_equal(const Symbol *a, const Symbol *b)
{
    Symbol minus = symbol_scale(b, -1), rest = symbol_add(a, &minus);
    return rest.nterms == 0 ||
           (symbol_is_number(&rest) && symbol_value(&rest, NULL, 0, 1) == 0);
}

bool extent_is_limit(Inspect *n, const Guard *guard, uint32_t axis)
{
    Limit any = {.loose = true};
    return limit_of(n, guard->condition, guard->holds, axis, &any);
}

void extent_note_store(Inspect *n)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        Extent *e = &n->extents[axis];
        Limit   limit = {0};
        bool    found = false;
        for (uint32_t i = 0; i < n->guards.len && !found; i++)
            found = limit_of(n, n->guards.data[i].condition, n->guards.data[i].holds, axis,
                             &limit);
        if (!found || (e->state == EXTENT_KNOWN && !is_equal(&e->limit, &limit.at)))
            e->state = EXTENT_UNKNOWN;
        if (e->state == EXTENT_NONE) {
            e->state = EXTENT_KNOWN;
            e->limit = limit.at;
        }
    }
}

/* Whether any address, condition or stored value depends on the id along the axis. */
static bool uses_axis(Inspect *n, const Region *region, uint32_t axis)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs; i++)
            if (inst->args[i]->op == IR_INPUT &&
                (inst->args[i]->input == (IrInput)(INPUT_WORKGROUP_ID_X + axis) ||
                 inst->args[i]->input == (IrInput)(INPUT_LOCAL_ID_X + axis)))
                return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (uses_axis(n, inst->flow.regions[i], axis))
                    return true;
    }
    return false;
}

void extent_run(Inspect *n)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        Extent *e = &n->extents[axis];
        n->info.extent[axis].text = "";
        if (e->state == EXTENT_KNOWN)
            n->info.extent[axis] = inspect_count(n, &e->limit);
        n->info.uses_axis[axis] = uses_axis(n, n->ir->body, axis);
    }
}
