// SPDX-License-Identifier: Apache-2.0
/*
 * assume.c - takes for granted what a dispatch will prove.
 *
 * in     an Ir
 * out    the same with in_bounds on indices, and guards decided, that hold if the
 *        Proof does
 * knows  which numbers a dispatch fixes (proof.h); what conditions hold where
 * not    how the proof is checked (proof.c)
 *
 * Guards are the conditions at the start of a kernel that compare a global id with
 * the size of the data. They are assumed to let everybody through: where the size
 * divides evenly they do, and without them all lanes go the same way.
 */
#include "opt/opt_priv.h"

#define NONE       UINT32_MAX
#define MAX_DEPTH  16u
#define MAX_GUARDS 32u

typedef struct Guard {
    const Inst *condition;
    bool        truth;
} Guard;

typedef struct Assume {
    Ir      *ir;
    VEC(ProofNode)  nodes;
    VEC(ProofCheck) checks;
    VEC(Guard)      guards;
    uint32_t *buffer;               /* [vars] index among the buffers              */
} Assume;

static uint32_t node(Assume *s, ProofOp op, uint32_t a, uint32_t b, uint32_t c)
{
    ProofNode n = {(uint32_t)op, a, b, c};
    if (s->nodes.len >= PROOF_MAX_NODES)
        return NONE;
    VEC_PUSH(s->ir->arena, &s->nodes, n);
    return s->nodes.len - 1;
}

static uint32_t number(Assume *s, uint32_t n)
{
    return node(s, PROOF_RANGE, n, n, 0);
}

/* ---- memory that a dispatch fixes ---- */

/* The bytes before a place whose every step is constant. False: some is not. */
static bool constant_offset(const Inst *place, const IrVar **var, uint64_t *offset)
{
    *offset = 0;
    for (; place->op != IR_VAR; place = place->args[0]) {
        const MemType *of = place->args[0]->mem;
        if (place->op == IR_FIELD) {
            *offset += of->structure.fields[place->index].offset;
        } else if (place->op == IR_ELEM && place->args[1]->op == IR_CONST) {
            bool array = of->kind == MEM_ARRAY;
            uint64_t i = place->args[1]->constant.bits[0];
            if (i >= (array ? of->array.count : of->value.type.width))
                return false;
            *offset += i * (array ? of->array.stride : of->value.stride);
        } else {
            return false;
        }
    }
    *var = place->var;
    return *offset <= UINT32_MAX;
}

static bool is_fixed_buffer(const IrVar *var)
{
    return var->space == IRSPACE_UNIFORM ||
           (var->space == IRSPACE_STORAGE && var->read_only);
}

static uint32_t word_node(Assume *s, const Inst *load)
{
    const IrVar *var;
    uint64_t offset;
    if (!constant_offset(load->args[0], &var, &offset) || !is_fixed_buffer(var))
        return NONE;
    return node(s, PROOF_WORD, s->buffer[var->id], (uint32_t)offset, 0);
}

static uint32_t length_node(Assume *s, const Inst *place)
{
    const IrVar *var;
    uint64_t offset;
    if (place->mem->kind != MEM_ARRAY || !constant_offset(place, &var, &offset) ||
        (var->space != IRSPACE_STORAGE && var->space != IRSPACE_UNIFORM))
        return NONE;
    return node(s, PROOF_LENGTH, s->buffer[var->id], (uint32_t)offset,
                place->mem->array.stride);
}

/* ---- values ---- */

static uint32_t value_node(Assume *s, const Inst *v, uint32_t depth);
static bool never_negative(Assume *s, uint32_t x);

static uint32_t input_node(Assume *s, const Inst *v)
{
    const uint32_t *size = s->ir->workgroup_size;
    IrInput in = v->input;
    if (in <= INPUT_LOCAL_ID_Z)
        return node(s, PROOF_RANGE, 0, size[in - INPUT_LOCAL_ID_X] - 1, 0);
    if (in == INPUT_LOCAL_INDEX)
        return node(s, PROOF_RANGE, 0, size[0] * size[1] * size[2] - 1, 0);
    if (in >= INPUT_WORKGROUP_ID_X && in <= INPUT_WORKGROUP_ID_Z)
        return node(s, PROOF_GROUP_ID, in - INPUT_WORKGROUP_ID_X, 0, 0);
    if (in >= INPUT_NUM_WORKGROUPS_X && in <= INPUT_NUM_WORKGROUPS_Z)
        return node(s, PROOF_NUM_GROUPS, in - INPUT_NUM_WORKGROUPS_X, 0, 0);
    return NONE;
}

static const struct { IrOp op; ProofOp proof; } arithmetic[] = {
    {IR_IADD, PROOF_ADD}, {IR_ISUB, PROOF_SUB}, {IR_IMUL, PROOF_MUL},
    {IR_UDIV, PROOF_DIV}, {IR_UREM, PROOF_REM}, {IR_SHL, PROOF_SHL},
    {IR_SHR, PROOF_SHR}, {IR_AND, PROOF_AND}, {IR_UMIN, PROOF_MIN},
    {IR_UMAX, PROOF_MAX},
};

/* The result is bounded by the second operand alone. */
static bool second_bounds(IrOp op)
{
    return op == IR_UREM || op == IR_AND || op == IR_UMIN;
}

static uint32_t arithmetic_node(Assume *s, const Inst *v, uint32_t depth)
{
    for (size_t i = 0; i < COUNTOF(arithmetic); i++) {
        if (arithmetic[i].op != (IrOp)v->op)
            continue;
        uint32_t y = value_node(s, v->args[1], depth - 1);
        uint32_t x = y == NONE && !second_bounds((IrOp)v->op)
                         ? NONE : value_node(s, v->args[0], depth - 1);
        if (x == NONE && y != NONE && second_bounds((IrOp)v->op))
            x = node(s, PROOF_RANGE, 0, UINT32_MAX, 0);
        return x == NONE || y == NONE ? NONE : node(s, arithmetic[i].proof, x, y, 0);
    }
    return NONE;
}

static uint32_t join_node(Assume *s, const Inst *x, const Inst *y, uint32_t depth)
{
    uint32_t a = value_node(s, x, depth - 1);
    uint32_t b = a == NONE ? NONE : value_node(s, y, depth - 1);
    return b == NONE ? NONE : node(s, PROOF_JOIN, a, b, 0);
}

/* The test at the top of a loop's body that keeps parameter p below a limit. */
static const Inst *loop_test(const Inst *loop, const Inst *p)
{
    for (const Inst *inst = loop->flow.regions[0]->first; inst; inst = inst->next) {
        if (inst->op != IR_IF)
            continue;
        const Inst *c = inst->args[0];
        bool leaves = inst->flow.regions[1]->last->op != IR_YIELD;
        bool test = c->op == IR_ULT || c->op == IR_SLT;
        return leaves && test && c->args[0] == p ? c : NULL;
    }
    return NULL;
}

static const Inst *next_value(const Inst *loop, uint32_t i)
{
    const Inst *end = loop->flow.regions[1]->last;
    uint32_t at = leaver_param(end, loop, i);
    return at == UINT32_MAX ? NULL : end->args[at];
}

/* Is the loop's own test known to have passed here? */
static bool is_inside(const Assume *s, const Inst *test)
{
    for (uint32_t i = s->guards.len; i-- > 0;)
        if (s->guards.data[i].condition == test)
            return s->guards.data[i].truth;
    return false;
}

/* A parameter that counts up to a limit, or only shrinks. */
static uint32_t param_node(Assume *s, const Inst *p, uint32_t depth)
{
    const Inst *loop = p->region->owner;
    if (!loop || p->region != loop->flow.regions[0])
        return NONE;
    const Inst *next = next_value(loop, p->index);
    uint32_t first = value_node(s, loop->args[p->index], depth - 1);
    if (first == NONE || !next)
        return first;
    if ((next->op == IR_SHR || next->op == IR_UDIV) && next->args[0] == p)
        return node(s, PROOF_JOIN, number(s, 0), first, 0);
    const Inst *test = loop_test(loop, p);
    bool adds = next->op == IR_IADD && next->args[0] == p && next->args[1]->op == IR_CONST;
    if (!adds || !test || next->args[1]->constant.bits[0] - 1u >= INT32_MAX)
        return NONE;
    uint32_t limit = value_node(s, test->args[1], depth - 1);
    uint32_t step = next->args[1]->constant.bits[0];
    if (limit == NONE)
        return NONE;
    uint32_t up = node(s, PROOF_COUNT_UP, first, limit, step);
    if (test->op == IR_SLT && !never_negative(s, up))
        return NONE;
    return is_inside(s, test) ? node(s, PROOF_COUNT_IN, first, limit, step) : up;
}

static uint32_t plain_node(Assume *s, const Inst *v, uint32_t depth)
{
    switch (v->op) {
    case IR_CONST: return number(s, v->constant.bits[0]);
    case IR_INPUT: return input_node(s, v);
    case IR_LOAD: return word_node(s, v);
    case IR_LENGTH: return length_node(s, v->args[0]);
    case IR_SELECT: return join_node(s, v->args[1], v->args[2], depth);
    case IR_PARAM: return param_node(s, v, depth);
    default: return arithmetic_node(s, v, depth);
    }
}

static bool add_check(Assume *s, uint32_t low, uint32_t high, bool equal)
{
    ProofCheck c = {low, high, equal};
    if (low == NONE || high == NONE)
        return false;
    VEC_PUSH(s->ir->arena, &s->checks, c);
    return true;
}

/* Numbers that never look negative compare the same, signed or not. */
static bool never_negative(Assume *s, uint32_t x)
{
    return add_check(s, x, number(s, INT32_MAX), true);
}

/* Narrows v by one condition that holds here. */
static uint32_t narrowed(Assume *s, uint32_t at, const Inst *v, const Guard *g, uint32_t depth)
{
    const Inst *c = g->condition;
    bool is_signed = c->op == IR_SLT || c->op == IR_SLE;
    bool strict = c->op == IR_ULT || c->op == IR_SLT, loose = c->op == IR_ULE || c->op == IR_SLE;
    if ((!strict && !loose) || (is_signed && at == NONE))
        return at;
    /* v < y, v <= y; or not (y <= v), not (y < v) */
    const Inst *below = g->truth ? c->args[0] : c->args[1];
    const Inst *limit = g->truth ? c->args[1] : c->args[0];
    if (below != v || limit == v)
        return at;
    uint32_t y = value_node(s, limit, depth - 1);
    if (y == NONE || (is_signed && (!never_negative(s, at) || !never_negative(s, y))))
        return at;
    if (at == NONE)
        at = node(s, PROOF_RANGE, 0, UINT32_MAX, 0);
    bool less = g->truth ? strict : loose;
    return at == NONE ? NONE : node(s, less ? PROOF_BELOW : PROOF_AT_MOST, at, y, 0);
}

static uint32_t value_node(Assume *s, const Inst *v, uint32_t depth)
{
    if (depth == 0 || v->type.kind != SCALAR_I32 || v->type.width != 1)
        return NONE;
    uint32_t at = plain_node(s, v, depth);
    uint32_t n = s->guards.len, least = n > MAX_GUARDS ? n - MAX_GUARDS : 0;
    for (uint32_t i = n; i-- > least && v->op != IR_CONST;)
        at = narrowed(s, at, v, &s->guards.data[i], depth);
    return at;
}

/* ---- what is assumed ---- */

/* Undoes what a proof that came to nothing has added. */
typedef struct Mark {
    uint32_t nodes, checks;
} Mark;

static Mark mark(const Assume *s)
{
    return (Mark){s->nodes.len, s->checks.len};
}

static bool undo(Assume *s, Mark m)
{
    s->nodes.len = m.nodes;
    s->checks.len = m.checks;
    return false;
}

static void assume_index(Assume *s, Inst *elem)
{
    Mark before = mark(s);
    const MemType *mem = elem->args[0]->mem;
    uint64_t count = mem->kind == MEM_ARRAY ? mem->array.count : mem->value.type.width;
    if (elem->in_bounds || count > UINT32_MAX || elem->args[1]->op == IR_CONST)
        return;
    uint32_t index = value_node(s, elem->args[1], MAX_DEPTH);
    uint32_t limit = index == NONE ? NONE
                     : count ? number(s, (uint32_t)count) : length_node(s, elem->args[0]);
    if (add_check(s, index, limit, false))
        elem->in_bounds = true;
    else
        undo(s, before);
}

/* Does this come from the id of a workgroup? */
static bool is_global(const Inst *v, uint32_t depth)
{
    if (v->op == IR_INPUT)
        return v->input >= INPUT_WORKGROUP_ID_X && v->input <= INPUT_WORKGROUP_ID_Z;
    if (depth == 0 || !(v->op == IR_IADD || v->op == IR_IMUL || v->op == IR_SHL))
        return false;
    return is_global(v->args[0], depth - 1) || is_global(v->args[1], depth - 1);
}

/* Adds checks that make the condition always `truth`. */
static bool prove(Assume *s, const Inst *c, bool truth, uint32_t depth)
{
    if (depth == 0)
        return false;
    if (c->op == IR_NOT)
        return prove(s, c->args[0], !truth, depth - 1);
    if ((c->op == IR_AND && truth) || (c->op == IR_OR && !truth))
        return prove(s, c->args[0], truth, depth - 1) && prove(s, c->args[1], truth, depth - 1);
    bool strict = c->op == IR_ULT, loose = c->op == IR_ULE;
    if (!strict && !loose)
        return false;
    const Inst *low = c->args[truth ? 0 : 1], *high = c->args[truth ? 1 : 0];
    if (!is_global(low, 4))
        return false;
    uint32_t x = value_node(s, low, MAX_DEPTH);
    uint32_t y = x == NONE ? NONE : value_node(s, high, MAX_DEPTH);
    return add_check(s, x, y, truth ? loose : strict);
}

static bool only_yields(const Region *r)
{
    return r->first == r->last && r->last->op == IR_YIELD;
}

/* A guard: one way does nothing but go on (or all there is), the other leaves (or
 * does nothing). */
static void assume_guard(Assume *s, Inst *inst)
{
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    bool wanted;
    if (yes->last->op != IR_YIELD && only_yields(no))
        wanted = false;
    else if (only_yields(no) && !only_yields(yes))
        wanted = true;
    else if (no->last->op != IR_YIELD && only_yields(yes))
        wanted = true;
    else
        return;
    Mark before = mark(s);
    if (inst->flow.nresults || !prove(s, inst->args[0], wanted, 6)) {
        undo(s, before);
        return;
    }
    IrCursor c = {s->ir, inst->region, inst, inst->span};
    inst->args[0] = ir_bool(&c, wanted);
}

/* ---- walking ---- */

static void walk(Assume *s, Region *region, bool at_start);

static void push(Assume *s, const Inst *condition, bool truth)
{
    Guard g = {condition, truth};
    if ((condition->op == IR_AND && truth) || (condition->op == IR_OR && !truth)) {
        push(s, condition->args[0], truth);
        push(s, condition->args[1], truth);
        return;
    }
    if (condition->op == IR_NOT)
        g = (Guard){condition->args[0], !truth};
    VEC_PUSH(s->ir->arena, &s->guards, g);
}

static void walk_if(Assume *s, Inst *inst, bool at_start)
{
    const Inst *condition = inst->args[0];
    uint32_t before = s->guards.len;
    if (at_start)
        assume_guard(s, inst);
    for (uint32_t i = 0; i < 2; i++) {
        push(s, condition, i == 0);
        walk(s, inst->flow.regions[i], at_start);
        s->guards.len = before;
    }
    bool yes = inst->flow.regions[0]->last->op == IR_YIELD;
    bool no = inst->flow.regions[1]->last->op == IR_YIELD;
    if (yes != no)
        push(s, condition, yes);
}

static void walk(Assume *s, Region *region, bool at_start)
{
    uint32_t before = s->guards.len;
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        if (inst->op == IR_ELEM)
            assume_index(s, inst);
        else if (inst->op == IR_IF)
            walk_if(s, inst, at_start);
        else if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(s, inst->flow.regions[i], at_start && inst->op == IR_BLOCK);
    }
    s->guards.len = before;
}

static void number_buffers(Assume *s)
{
    uint32_t n = 0;
    s->buffer = ARENA_ARRAY(s->ir->arena, uint32_t, s->ir->vars.len + 1);
    for (uint32_t i = 0; i < s->ir->vars.len; i++) {
        IrSpace space = s->ir->vars.data[i]->space;
        if (space == IRSPACE_UNIFORM || space == IRSPACE_STORAGE)
            s->buffer[i] = n++;
    }
}

void opt_assume(Ir *ir, Proof *out)
{
    Assume s = {.ir = ir};
    number_buffers(&s);
    walk(&s, ir->body, true);
    *out = (Proof){s.nodes.data, s.nodes.len, s.checks.data, s.checks.len};
}
