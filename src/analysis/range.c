// SPDX-License-Identifier: Apache-2.0
/*
 * range.c - which numbers an integer may be, and which indices are in bounds.
 *
 * in     an Ir
 * out    Fact.low, high; Fact.in_bounds of every ELEM
 * knows  what conditions hold where: inside the ways of an IF, and after an IF
 *        of which one way leaves
 * not    lanes: a range holds for all of them
 *
 * One walk in the order of the text. A loop's parameter is anything, unless it
 * counts up to a limit that the loop tests, or only shrinks.
 */
#include "analysis/analysis_priv.h"

#define MAX_GUARDS 64u              /* conditions looked at for one question      */
#define MOST_SUBGROUP 128u          /* invocations, on any device                 */
#define MAX_DEPTH  8u               /* operations looked through for one question */

typedef struct Range {
    uint32_t low, high;
} Range;

static const Range anything = {0, UINT32_MAX};

/* A condition that is known to be true or false here. */
typedef struct Guard {
    const Inst *condition;
    bool        truth;
} Guard;

typedef struct Walk {
    Facts *f;
    Arena *arena;
    VEC(Guard) guards;
} Walk;

static bool is_int(const Inst *inst)
{
    return inst->type.kind == SCALAR_I32 && inst->type.width == 1;
}

static Range meet(Range x, Range y)
{
    Range z = {MAX_OF(x.low, y.low), MIN_OF(x.high, y.high)};
    return z.low <= z.high ? z : x;         /* contradiction: dead code */
}

static Range join(Range x, Range y)
{
    return (Range){MIN_OF(x.low, y.low), MAX_OF(x.high, y.high)};
}

/* ---- arithmetic on ranges: 64 bits, then anything if it does not fit ---- */

static Range fit(uint64_t low, uint64_t high)
{
    return high > UINT32_MAX ? anything : (Range){(uint32_t)low, (uint32_t)high};
}

static Range shifted_right(Range x, Range by)
{
    if (by.low != by.high)
        return (Range){0, x.high};
    return (Range){x.low >> (by.low & 31), x.high >> (by.low & 31)};
}

/* All ones up to the highest bit of n. */
static uint32_t bits_below(uint32_t n)
{
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        n |= n >> shift;
    return n;
}

static Range divided(Range x, Range y)
{
    if (y.low == 0)
        return (Range){0, x.high};          /* x / 0 is x */
    return (Range){x.low / y.high, x.high / y.low};
}

/* A mask of upper bits cuts a number down to the multiple below it. */
static Range masked(Range x, Range y)
{
    uint32_t n = y.low;
    if (y.low != y.high || (~n & (~n + 1)) != 0)
        return (Range){0, MIN_OF(x.high, y.high)};
    return (Range){x.low & n, x.high & n};
}

static Range arithmetic(IrOp op, Range x, Range y);

/* A signed operation: as the unsigned one, if no operand is negative. */
static Range never_negative(IrOp op, Range x, Range y)
{
    if (x.high > INT32_MAX || (op != IR_SAR && y.high > INT32_MAX))
        return anything;
    return arithmetic(op == IR_SDIV ? IR_UDIV : op == IR_SREM ? IR_UREM : IR_SHR, x, y);
}

static Range arithmetic(IrOp op, Range x, Range y)
{
    switch (op) {
    case IR_IADD: return fit((uint64_t)x.low + y.low, (uint64_t)x.high + y.high);
    case IR_ISUB:
        return x.low >= y.high ? (Range){x.low - y.high, x.high - y.low} : anything;
    case IR_IMUL: return fit((uint64_t)x.low * y.low, (uint64_t)x.high * y.high);
    case IR_SDIV: case IR_SREM: case IR_SAR: return never_negative(op, x, y);
    case IR_UDIV: return divided(x, y);
    case IR_UREM:
        return y.low == 0 ? (Range){0, x.high} : (Range){0, MIN_OF(x.high, y.high - 1)};
    case IR_UMIN: return (Range){MIN_OF(x.low, y.low), MIN_OF(x.high, y.high)};
    case IR_UMAX: return (Range){MAX_OF(x.low, y.low), MAX_OF(x.high, y.high)};
    case IR_AND: return masked(x, y);
    case IR_OR: case IR_XOR: return (Range){0, bits_below(x.high | y.high)};
    case IR_SHR: return shifted_right(x, y);
    case IR_SHL:
        return y.low == y.high && y.low < 32
                   ? fit((uint64_t)x.low << y.low, (uint64_t)x.high << y.low)
                   : anything;
    default: return anything;
    }
}

static Range signed_pick(IrOp op, Range x, Range y)
{
    if (x.high > INT32_MAX && y.high > INT32_MAX)
        return anything;
    if (op == IR_SMAX) {
        /* Above a number that is not negative the sign bit is off. */
        Range known = x.high <= INT32_MAX ? x : y, other = x.high <= INT32_MAX ? y : x;
        uint32_t high = MAX_OF(known.high, MIN_OF(other.high, (uint32_t)INT32_MAX));
        return (Range){known.low, high};
    }
    bool both = x.high <= INT32_MAX && y.high <= INT32_MAX;
    return both ? (Range){MIN_OF(x.low, y.low), MIN_OF(x.high, y.high)} : anything;
}

static Range input_range(const Facts *f, const Inst *inst)
{
    const uint32_t *size = f->ir->workgroup_size;
    uint32_t all = size[0] * size[1] * size[2];
    switch (inst->input) {
    case INPUT_LOCAL_ID_X: return (Range){0, size[0] - 1};
    case INPUT_LOCAL_ID_Y: return (Range){0, size[1] - 1};
    case INPUT_LOCAL_ID_Z: return (Range){0, size[2] - 1};
    case INPUT_LOCAL_INDEX: return (Range){0, all - 1};
    case INPUT_SUBGROUP_LANE: return (Range){0, (f->lanes ? f->lanes : MOST_SUBGROUP) - 1};
    case INPUT_SUBGROUP_SIZE:
        return (Range){f->lanes, f->lanes ? f->lanes : MOST_SUBGROUP};
    case INPUT_SUBGROUP_ID: case INPUT_NUM_SUBGROUPS: return (Range){0, all};
    case INPUT_WORKGROUP_ID_X: case INPUT_WORKGROUP_ID_Y: case INPUT_WORKGROUP_ID_Z:
        return (Range){0, 65534};
    default: return (Range){0, 65535};
    }
}

/* ---- what is known here ---- */

static Range known(const Walk *w, const Inst *inst)
{
    const Fact *f = fact_of(w->f, inst);
    return (Range){f->low, f->high};
}

/* What "x < y" (or "x <= y") says about v. */
static Range less(const Walk *w, const Inst *x, const Inst *y, bool or_equal, const Inst *v)
{
    uint32_t by = or_equal ? 0 : 1;
    Range a = known(w, x), b = known(w, y);
    if (v == x && b.high >= by)
        return (Range){0, b.high - by};
    if (v == y && a.low <= UINT32_MAX - by)
        return (Range){a.low + by, UINT32_MAX};
    return anything;
}

static Range guard_says(const Walk *w, const Inst *c, bool truth, const Inst *v,
                        uint32_t depth)
{
    if (depth == 0)
        return anything;
    if ((c->op == IR_AND && truth) || (c->op == IR_OR && !truth))
        return meet(guard_says(w, c->args[0], truth, v, depth - 1),
                    guard_says(w, c->args[1], truth, v, depth - 1));
    if (c->op == IR_NOT)
        return guard_says(w, c->args[0], !truth, v, depth - 1);
    if (c->nargs != 2 || (c->args[0] != v && c->args[1] != v))
        return anything;
    bool is_signed = c->op == IR_SLT || c->op == IR_SLE;
    if (is_signed && (known(w, c->args[0]).high > INT32_MAX ||
                      known(w, c->args[1]).high > INT32_MAX))
        return anything;
    bool strict = c->op == IR_ULT || c->op == IR_SLT;
    if (strict || c->op == IR_ULE || c->op == IR_SLE)
        return truth ? less(w, c->args[0], c->args[1], !strict, v)
                     : less(w, c->args[1], c->args[0], strict, v);
    if ((c->op == IR_IEQ && truth) || (c->op == IR_INE && !truth))
        return known(w, c->args[c->args[0] == v]);
    return anything;
}

static Range range_here(const Walk *w, const Inst *v, uint32_t depth)
{
    Range r = known(w, v);
    uint32_t n = w->guards.len, least = n > MAX_GUARDS ? n - MAX_GUARDS : 0;
    for (uint32_t i = n; i-- > least;)
        r = meet(r, guard_says(w, w->guards.data[i].condition, w->guards.data[i].truth, v,
                               MAX_DEPTH));
    bool binary = v->op >= IR_IADD && v->op <= IR_XOR && v->nargs == 2;
    if (depth == 0 || !binary || !is_int(v->args[0]) || !is_int(v->args[1]))
        return r;
    Range x = range_here(w, v->args[0], depth - 1), y = range_here(w, v->args[1], depth - 1);
    return meet(r, arithmetic((IrOp)v->op, x, y));
}

/* ---- indices ---- */

static bool same_place(const Inst *x, const Inst *y)
{
    while (x != y) {
        if (x->op != y->op || x->mem != y->mem)
            return false;
        if (x->op == IR_VAR)
            return x->var == y->var;
        if (x->op != IR_FIELD || x->index != y->index)
            return false;
        x = x->args[0];
        y = y->args[0];
    }
    return true;
}

/* Is "index < arrayLength(array)" known? */
static bool below_length(const Inst *c, bool truth, const Inst *index, const Inst *array,
                         uint32_t depth)
{
    if (depth == 0)
        return false;
    if ((c->op == IR_AND && truth) || (c->op == IR_OR && !truth))
        return below_length(c->args[0], truth, index, array, depth - 1) ||
               below_length(c->args[1], truth, index, array, depth - 1);
    if (c->op == IR_NOT)
        return below_length(c->args[0], !truth, index, array, depth - 1);
    const Inst *low = NULL, *high = NULL;
    if (c->op == IR_ULT && truth) {
        low = c->args[0];
        high = c->args[1];
    } else if (c->op == IR_ULE && !truth) {
        low = c->args[1];
        high = c->args[0];
    }
    return low == index && high->op == IR_LENGTH && same_place(high->args[0], array);
}

static bool index_in_bounds(const Walk *w, const Inst *elem)
{
    const MemType *mem = elem->args[0]->mem;
    uint64_t count = mem->kind == MEM_ARRAY ? mem->array.count : mem->value.type.width;
    if (count)
        return range_here(w, elem->args[1], MAX_DEPTH).high < count;
    uint32_t n = w->guards.len, least = n > MAX_GUARDS ? n - MAX_GUARDS : 0;
    for (uint32_t i = n; i-- > least;)
        if (below_length(w->guards.data[i].condition, w->guards.data[i].truth,
                         elem->args[1], elem->args[0], MAX_DEPTH))
            return true;
    return false;
}

/* ---- walking ---- */

static void set(const Walk *w, const Inst *inst, Range r)
{
    fact_of(w->f, inst)->low = r.low;
    fact_of(w->f, inst)->high = r.high;
}

/* x - x / y * y, of which the quotient may be that of the first lane. */
static bool is_remainder(const Inst *inst)
{
    const Inst *p = inst->args[1], *q = p->op == IR_IMUL ? p->args[0] : NULL;
    if (q && q->op == IR_FIRST)
        q = q->args[0];
    return q && q->op == IR_UDIV && q->args[0] == inst->args[0] && q->args[1] == p->args[1];
}

/* If it is 0, the remainder of that form is x. */
static Range divisor_range(const Walk *w, const Inst *inst)
{
    return known(w, inst->args[1]->args[1]);
}

static Range value_range(const Walk *w, const Inst *inst)
{
    switch (inst->op) {
    case IR_CONST: return (Range){inst->constant.bits[0], inst->constant.bits[0]};
    case IR_INPUT: return input_range(w->f, inst);
    case IR_SELECT:
        return join(range_here(w, inst->args[1], 1), range_here(w, inst->args[2], 1));
    case IR_CLZ: case IR_CTZ: case IR_POPCOUNT: return (Range){0, 32};
    case IR_SMIN: case IR_SMAX:
        return signed_pick((IrOp)inst->op, known(w, inst->args[0]), known(w, inst->args[1]));
    default: break;
    }
    if (inst->op == IR_FIRST || inst->op == IR_UNIFORM)
        return known(w, inst->args[0]);
    if (inst->op == IR_ISUB && is_remainder(inst))
        return arithmetic(IR_UREM, known(w, inst->args[0]), divisor_range(w, inst));
    bool binary = inst->op >= IR_IADD && inst->op <= IR_XOR && inst->nargs == 2;
    if (!binary || !is_int(inst->args[0]))
        return anything;
    Range x = range_here(w, inst->args[0], 1);
    if (inst->natural)
        x.high = MIN_OF(x.high, (uint32_t)INT32_MAX);
    return arithmetic((IrOp)inst->op, x, range_here(w, inst->args[1], 1));
}

static bool leaves(const Region *region)
{
    return region->last && region->last->op != IR_YIELD;
}

static void push(Walk *w, const Inst *condition, bool truth)
{
    while (condition->op == IR_UNIFORM)
        condition = condition->args[0];
    Guard guard = {condition, truth};
    VEC_PUSH(w->arena, &w->guards, guard);
}

/* What comes back to parameter i of a loop. */
static const Inst *next_value(const Inst *loop, uint32_t i)
{
    const Inst *end = loop->flow.regions[1]->last;
    if (end->op == IR_NEXT)
        return end->args[i];
    if (end->op == IR_BREAK_IF)
        return end->args[1 + loop->flow.nresults + i];
    return NULL;
}

static Range counting_range(const Walk *w, const Inst *loop, const Inst *p, Range first,
                            const Inst *next)
{
    const Inst *test = analysis_loop_test(loop, p);
    bool adds = next->op == IR_IADD && next->args[0] == p && next->args[1]->op == IR_CONST;
    if (!adds || !test || (test->op != IR_ULT && test->op != IR_SLT))
        return anything;
    uint32_t step = next->args[1]->constant.bits[0];
    Range limit = known(w, test->args[1]);
    bool is_signed = test->op == IR_SLT;
    if (step == 0 || step > INT32_MAX || limit.high == 0 ||
        (is_signed && (limit.high > INT32_MAX || first.high > INT32_MAX)))
        return anything;
    uint64_t last = (uint64_t)limit.high - 1 + step;
    if (last > (is_signed ? (uint64_t)INT32_MAX : UINT32_MAX))
        return anything;
    return (Range){first.low, MAX_OF(first.high, (uint32_t)last)};
}

static Range param_range(const Walk *w, const Inst *loop, uint32_t i)
{
    const Inst *p = loop->flow.regions[0]->params[i];
    const Inst *next = next_value(loop, i);
    Range first = range_here(w, loop->args[i], 1);
    if (!next)
        return first;
    bool shrinks = (next->op == IR_SHR || next->op == IR_UDIV || next->op == IR_AND ||
                    next->op == IR_UMIN || next->op == IR_UREM) && next->args[0] == p;
    if (next == p)
        return first;
    return shrinks ? (Range){0, first.high} : counting_range(w, loop, p, first, next);
}

static void walk_region(Walk *w, const Region *region);

static void walk_loop(Walk *w, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++)
        if (is_int(body->params[i]))
            set(w, body->params[i], param_range(w, loop, i));
    walk_region(w, body);
    walk_region(w, loop->flow.regions[1]);
}

static void walk_if(Walk *w, const Inst *inst)
{
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    uint32_t mark = w->guards.len;
    push(w, inst->args[0], true);
    walk_region(w, yes);
    w->guards.len = mark;
    push(w, inst->args[0], false);
    walk_region(w, no);
    w->guards.len = mark;
    for (uint32_t i = 0; i < inst->flow.nresults; i++)
        if (is_int(inst->flow.results[i]) && !leaves(yes) && !leaves(no))
            set(w, inst->flow.results[i],
                join(known(w, yes->last->args[i]), known(w, no->last->args[i])));
    if (leaves(no) && !leaves(yes))
        push(w, inst->args[0], true);
    else if (leaves(yes) && !leaves(no))
        push(w, inst->args[0], false);
}

static void walk_inst(Walk *w, const Inst *inst)
{
    if (inst->op == IR_LOOP) {
        walk_loop(w, inst);
    } else if (inst->op == IR_IF) {
        walk_if(w, inst);
    } else if (ir_op_is_construct((IrOp)inst->op)) {
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            walk_region(w, inst->flow.regions[i]);
    } else if (inst->op == IR_ELEM) {
        fact_of(w->f, inst)->in_bounds = inst->in_bounds || index_in_bounds(w, inst);
    } else if (is_int(inst)) {
        set(w, inst, value_range(w, inst));
    }
}

static void walk_region(Walk *w, const Region *region)
{
    uint32_t mark = w->guards.len;
    for (const Inst *inst = region->first; inst; inst = inst->next)
        walk_inst(w, inst);
    w->guards.len = mark;
}

void range_run(Arena *a, Facts *f)
{
    Walk w = {.f = f, .arena = a};
    walk_region(&w, f->ir->body);
}
