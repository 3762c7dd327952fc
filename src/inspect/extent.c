// SPDX-License-Identifier: Apache-2.0
/*
 * extent.c - how many invocations along an axis store anything.
 *
 * in     the guards of each store (walk.c)
 * out    Inspect.info.extent: the limit that the global id is compared with before each of
 *        them; Inspect.info.uses_axis
 * knows  comparisons, `&&`, `||` and early returns
 */
#include "inspect/inspect_priv.h"

/* The global id along the axis, nothing else. */
static bool is_id(Inspect *n, const Inst *v, uint32_t axis)
{
    Symbol first = expr_of(n, v, true);
    if (!symbol_is_number(&first) || symbol_value(&first, NULL, 0, 1) != 0)
        return false;
    for (uint32_t other = 0; other < 3; other++) {
        Step step = step_of(n, v, other);
        if (other != axis && step.kind != STEP_NONE)
            return false;
        if (other == axis && (step.kind != STEP_AFFINE || !symbol_is_number(&step.by) ||
                              symbol_value(&step.by, NULL, 0, 1) != 1))
            return false;
    }
    return true;
}

static bool is_same_for_all(Inspect *n, const Inst *v)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        if (step_of(n, v, axis).kind != STEP_NONE)
            return false;
    return true;
}

/* `id < limit` and its relatives, or their opposite. */
static bool compared(Inspect *n, const Inst *c, bool holds, uint32_t axis, Symbol *limit)
{
    const Inst *id = c->args[holds ? 0 : 1], *bound = c->args[holds ? 1 : 0];
    bool or_equal = c->op == IR_SLE || c->op == IR_ULE;
    if (!is_id(n, id, axis) || !is_same_for_all(n, bound))
        return false;
    *limit = expr_of(n, bound, false);
    if (or_equal == holds) {
        Symbol one = symbol_number(1);
        *limit = symbol_add(limit, &one);
    }
    return true;
}

static bool is_const(const Inst *v, bool value)
{
    return v->op == IR_CONST && (v->constant.bits[0] != 0) == value;
}

static bool limit_of(Inspect *n, const Inst *c, bool holds, uint32_t axis, Symbol *limit);

/* `a && b` that holds, `a || b` that does not: an IF that gives b in one of its ways. */
static bool both(Inspect *n, const Inst *c, bool holds, uint32_t axis, Symbol *limit)
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

static bool limit_of(Inspect *n, const Inst *c, bool holds, uint32_t axis, Symbol *limit)
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

void extent_note_store(Inspect *n)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        Extent *e = &n->extents[axis];
        Symbol  limit;
        bool    found = false;
        for (uint32_t i = 0; i < n->guards.len && !found; i++)
            found = limit_of(n, n->guards.data[i].condition, n->guards.data[i].holds, axis,
                             &limit);
        if (!found || (e->state == EXTENT_KNOWN && !is_equal(&e->limit, &limit)))
            e->state = EXTENT_UNKNOWN;
        if (e->state == EXTENT_NONE) {
            e->state = EXTENT_KNOWN;
            e->limit = limit;
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
