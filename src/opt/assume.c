// SPDX-License-Identifier: Apache-2.0
/*
 * assume.c - takes for granted what workgroups will be shown to fulfil.
 *
 * in     an Ir
 * out    the same with in_bounds on indices, and with `inner` without what only
 *        matters at the borders of a grid; it holds where the Proof does
 * knows  what conditions hold where
 * not    how values become ranges (claim.c), how the proof is checked (proof.c)
 *
 * What matters at borders alone compares a place in the grid, the global id and a few
 * steps around it, with the size of the data:
 *
 *   guards      one way does all there is to do, the other leaves or does nothing;
 *               also those that ask whether the place is the first or the last
 *   clamps      min, max: the place itself
 *   wrapping    remainders: the place, less a multiple that is known
 *
 * What is usual: index arithmetic in i32 does not divide negative numbers, and is regular
 * (assume_regular.c).
 *
 * Well inside the grid, all lanes go the same way and neighbours stay neighbours.
 */
#include "opt/assume_priv.h"

#define MAX_DEPTH 8u                /* of conditions and places                   */

#define MAX_UNGUARDED 4u

/* How many of the IFs around may be forgotten without a change of v's node? */
static uint8_t unguarded(Assume *s, const Inst *v, uint32_t claimed)
{
    ClaimMark before = claim_mark(s);
    uint32_t guards = s->guards.len;
    uint8_t n = 0;
    for (const Around *a = s->around; a && n < MAX_UNGUARDED; a = a->outer, n++) {
        s->guards.len = a->guards;
        if (claim_value(s, v, CLAIM_DEPTH) != claimed)
            break;
    }
    s->guards.len = guards;
    claim_undo(s, before);
    return n;
}

static void assume_index(Assume *s, Inst *elem)
{
    ClaimMark before = claim_mark(s);
    const MemType *mem = elem->args[0]->mem;
    uint64_t count = mem->kind == MEM_ARRAY ? mem->array.count : mem->value.type.width;
    if (elem->in_bounds || count > UINT32_MAX || elem->args[1]->op == IR_CONST)
        return;
    ClaimIndex index = claim_split(s, elem->args[1]);
    uint32_t base = claim_value(s, index.value, CLAIM_DEPTH);
    uint32_t limit = base == CLAIM_NONE ? CLAIM_NONE
                     : count ? claim_number(s, (uint32_t)count)
                             : claim_length(s, elem->args[0]);
    if (!claim_below(s, base, index.constant, limit)) {
        claim_undo(s, before);
        return;
    }
    elem->in_bounds = true;
    elem->unguarded = unguarded(s, index.value, base);
}

/* ---- places in the grid ---- */

static bool has_input(const Inst *v, IrInput first, IrInput last, uint32_t depth)
{
    if (v->op == IR_INPUT)
        return v->input >= first && v->input <= last;
    for (uint32_t i = 0; i < v->nargs && depth; i++)
        if (has_input(v->args[i], first, last, depth - 1))
            return true;
    return false;
}

/* Does this come from the id of a workgroup, by steps? */
static bool is_place(const Inst *v, uint32_t depth)
{
    if (v->op == IR_INPUT)
        return v->input >= INPUT_WORKGROUP_ID_X && v->input <= INPUT_WORKGROUP_ID_Z;
    bool steps = v->op == IR_IADD || v->op == IR_ISUB || v->op == IR_IMUL || v->op == IR_SHL;
    return steps && depth &&
           (is_place(v->args[0], depth - 1) || is_place(v->args[1], depth - 1));
}

/* Is this one number for all that a dispatch does? */
static bool is_fixed(const Inst *v, uint32_t depth)
{
    if (v->op == IR_CONST)
        return true;
    if (v->op == IR_INPUT)
        return v->input >= INPUT_NUM_WORKGROUPS_X && v->input <= INPUT_NUM_WORKGROUPS_Z;
    if (v->op == IR_LOAD || v->op == IR_LENGTH)
        return true;                /* what is not has no node */
    if (v->op == IR_PARAM || v->op == IR_RESULT || depth == 0 || v->nargs == 0)
        return false;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (!is_fixed(v->args[i], depth - 1))
            return false;
    return true;
}

bool assume_is_fixed(const Inst *v)
{
    return is_fixed(v, MAX_DEPTH);
}

static bool compares_place(const Inst *x, const Inst *y)
{
    return (is_place(x, MAX_DEPTH) && is_fixed(y, MAX_DEPTH)) ||
           (is_place(y, MAX_DEPTH) && is_fixed(x, MAX_DEPTH));
}

/* ---- guards ---- */

#define BORDER 2u                   /* constants up to it are the lower border    */

/* Adds checks that a place is not at a border: above the lower one, below another. */
static bool prove_apart(Assume *s, const Inst *x, const Inst *y)
{
    const Inst *place = is_place(x, MAX_DEPTH) ? x : y, *border = place == x ? y : x;
    bool above = border->op == IR_CONST && border->constant.bits[0] <= BORDER;
    uint32_t low = claim_value(s, above ? border : place, CLAIM_DEPTH);
    uint32_t high = low == CLAIM_NONE ? CLAIM_NONE
                                      : claim_value(s, above ? place : border, CLAIM_DEPTH);
    return claim_check(s, low, high, 0);
}

/* x <= y, or several such: what opt/keep.c asks of a dispatch. */
static bool prove_asked(Assume *s, const Inst *c, uint32_t depth)
{
    if (depth == 0)
        return false;
    if (c->op == IR_AND)
        return prove_asked(s, c->args[0], depth - 1) && prove_asked(s, c->args[1], depth - 1);
    if (c->op != IR_ULE || !is_fixed(c->args[0], MAX_DEPTH) || !is_fixed(c->args[1], MAX_DEPTH))
        return false;
    uint32_t x = claim_value(s, c->args[0], CLAIM_DEPTH);
    uint32_t y = x == CLAIM_NONE ? CLAIM_NONE : claim_value(s, c->args[1], CLAIM_DEPTH);
    return claim_check(s, x, y, PROOF_EQUAL);
}

/* Adds checks that make the condition always `truth`. */
static bool prove(Assume *s, const Inst *c, bool truth, uint32_t depth)
{
    if (depth == 0)
        return false;
    if (c->op == IR_NOT)
        return prove(s, c->args[0], !truth, depth - 1);
    if (c->op == IR_UNIFORM)
        return prove(s, c->args[0], truth, depth - 1);
    if (c->op == IR_OR && truth)
        return c->args[0]->op == IR_UNIFORM && prove_asked(s, c->args[0]->args[0], depth - 1);
    if ((c->op == IR_AND && truth) || (c->op == IR_OR && !truth))
        return prove(s, c->args[0], truth, depth - 1) && prove(s, c->args[1], truth, depth - 1);
    if (c->op < IR_IEQ || c->op > IR_ULE || c->args[0]->type.width != 1 ||
        !compares_place(c->args[0], c->args[1]))
        return false;
    if (c->op == IR_IEQ || c->op == IR_INE)
        return truth == (c->op == IR_INE) && prove_apart(s, c->args[0], c->args[1]);
    bool loose = c->op == IR_SLE || c->op == IR_ULE;
    uint32_t relation = c->op == IR_SLT || c->op == IR_SLE ? PROOF_SIGNED : 0;
    if (loose == truth)
        relation |= PROOF_EQUAL;
    uint32_t x = claim_value(s, c->args[truth ? 0 : 1], CLAIM_DEPTH);
    uint32_t y = x == CLAIM_NONE ? CLAIM_NONE
                                 : claim_value(s, c->args[truth ? 1 : 0], CLAIM_DEPTH);
    return claim_check(s, x, y, relation);
}

static bool only_yields(const Region *r)
{
    return r->first == r->last && r->last->op == IR_YIELD;
}

/* Which way is taken well inside? False: neither is the one with the work. */
static bool busy_way(const Inst *inst, bool *way)
{
    const Region *yes = inst->flow.regions[0], *no = inst->flow.regions[1];
    if (only_yields(no))
        *way = yes->last->op == IR_YIELD;
    else if (only_yields(yes))
        *way = no->last->op != IR_YIELD;
    else
        return false;
    return !only_yields(yes) || !only_yields(no);
}

static void assume_guard(Assume *s, Inst *inst)
{
    ClaimMark before = claim_mark(s);
    bool way;
    if (inst->args[0]->op == IR_CONST || !busy_way(inst, &way))
        return;
    if (!prove(s, inst->args[0], way, MAX_DEPTH)) {
        claim_undo(s, before);
        return;
    }
    IrCursor c = {s->ir, inst->region, inst, inst->span};
    inst->args[0] = ir_bool(&c, way);
    s->left_out = true;
}

/* ---- clamps and wrapping ---- */

/* Makes `inst` x - n. */
static void become_less(Assume *s, Inst *inst, Inst *x, uint32_t n)
{
    IrCursor c = {s->ir, inst->region, inst, inst->span};
    inst->op = IR_ISUB;
    inst->args[0] = x;
    inst->args[1] = ir_i32(&c, n);
    s->left_out = true;
}

static void assume_clamp(Assume *s, Inst *inst)
{
    ClaimMark before = claim_mark(s);
    bool least = inst->op == IR_SMIN || inst->op == IR_UMIN;
    uint32_t relation = PROOF_EQUAL;
    if (inst->op == IR_SMIN || inst->op == IR_SMAX)
        relation |= PROOF_SIGNED;
    if (inst->type.width != 1 || !compares_place(inst->args[0], inst->args[1]))
        return;
    bool first = is_place(inst->args[0], MAX_DEPTH);
    Inst *x = inst->args[first ? 0 : 1], *limit = inst->args[first ? 1 : 0];
    uint32_t low = claim_value(s, least ? x : limit, CLAIM_DEPTH);
    uint32_t high = low == CLAIM_NONE ? CLAIM_NONE
                                      : claim_value(s, least ? limit : x, CLAIM_DEPTH);
    if (claim_check(s, low, high, relation))
        become_less(s, inst, x, 0);
    else
        claim_undo(s, before);
}

/* The size of the ring: x % size, x & (size - 1). 0: it is none. */
static uint32_t ring_size(const Inst *inst)
{
    if (inst->type.kind != SCALAR_I32 || inst->type.width != 1 ||
        inst->args[1]->op != IR_CONST)
        return 0;
    uint32_t n = inst->args[1]->constant.bits[0];
    if (inst->op != IR_AND)
        return n;
    return n & (n + 1) ? 0 : n + 1;
}

/* A bare id that is wrapped becomes rows and columns: it goes round many times. A
 * neighbour of it goes round at borders alone. */
static bool is_neighbour(const Inst *v)
{
    return (v->op == IR_IADD || v->op == IR_ISUB) && is_place(v, MAX_DEPTH) &&
           !has_input(v->args[1], INPUT_LOCAL_ID_X, INPUT_LOCAL_INDEX, 0) &&
           !has_input(v->args[0], INPUT_LOCAL_ID_X, INPUT_LOCAL_INDEX, 0);
}

static void assume_wrapping(Assume *s, Inst *inst)
{
    ClaimMark before = claim_mark(s);
    uint32_t size = ring_size(inst);
    uint64_t low, high;
    if (size < 2 || !is_neighbour(inst->args[0]))
        return;
    uint32_t x = claim_value(s, inst->args[0], CLAIM_DEPTH);
    bool known = x != CLAIM_NONE && proof_probe(s->nodes.data, x, &low, &high);
    uint32_t times = known ? (uint32_t)(low / size) : 0;
    if (!known || (uint64_t)(times + 1) * size > INT32_MAX || high / size != times) {
        claim_undo(s, before);
        return;
    }
    bool from = claim_check(s, claim_number(s, times * size), x, PROOF_EQUAL);
    if (from && claim_check(s, x, claim_number(s, (times + 1) * size), 0))
        become_less(s, inst, inst->args[0], times * size);
    else
        claim_undo(s, before);
}

/* ---- signs ---- */

/* Demands that a number is not negative. */
static bool prove_natural(Assume *s, const Inst *v)
{
    if (v->op == IR_CONST)
        return v->constant.bits[0] <= INT32_MAX;
    uint32_t zero = claim_number(s, 0), x = claim_value(s, v, CLAIM_DEPTH);
    return claim_check(s, zero, x, PROOF_EQUAL | PROOF_SIGNED);
}

/* A signed division of numbers that are not negative is the unsigned one. */
static void assume_signs(Assume *s, Inst *inst)
{
    ClaimMark before = claim_mark(s);
    if (inst->type.width != 1)
        return;
    if (!prove_natural(s, inst->args[0]) || !prove_natural(s, inst->args[1])) {
        claim_undo(s, before);
        return;
    }
    inst->op = inst->op == IR_SDIV ? IR_UDIV : IR_UREM;
    inst->natural = true;
    s->usual = true;
}

/* ---- walking ---- */

static void walk(Assume *s, Region *region);

static void push(Assume *s, const Inst *condition, bool truth)
{
    while (condition->op == IR_UNIFORM)
        condition = condition->args[0];
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

static void walk_if(Assume *s, Inst *inst)
{
    const Inst *condition = inst->args[0];
    uint32_t before = s->guards.len;
    Around   around = {s->around, before};
    if (s->what >= ASSUME_INNER)
        assume_guard(s, inst);
    s->around = &around;
    for (uint32_t i = 0; i < 2; i++) {
        push(s, condition, i == 0);
        walk(s, inst->flow.regions[i]);
        s->guards.len = before;
    }
    s->around = around.outer;
    bool yes = inst->flow.regions[0]->last->op == IR_YIELD;
    bool no = inst->flow.regions[1]->last->op == IR_YIELD;
    if (yes != no)
        push(s, condition, yes);
}

static void walk_one(Assume *s, Inst *inst)
{
    switch (inst->op) {
    case IR_ELEM:
        assume_index(s, inst);
        break;
    case IR_IF:
        walk_if(s, inst);
        break;
    case IR_SMIN: case IR_SMAX: case IR_UMIN: case IR_UMAX:
        if (s->what >= ASSUME_INNER)
            assume_clamp(s, inst);
        break;
    case IR_UREM: case IR_SREM: case IR_SDIV: case IR_AND:
        if (s->what >= ASSUME_INNER && inst->op != IR_SDIV)
            assume_wrapping(s, inst);
        if (s->what >= ASSUME_USUAL && (inst->op == IR_SREM || inst->op == IR_SDIV))
            assume_signs(s, inst);
        regular_assume(s, inst);
        break;
    case IR_UDIV: case IR_IMUL:
        regular_assume(s, inst);
        break;
    default:
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(s, inst->flow.regions[i]);
    }
}

static void walk(Assume *s, Region *region)
{
    uint32_t before = s->guards.len;
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        walk_one(s, inst);
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

void opt_assume(Ir *ir, Assumptions what, uint32_t most_groups, const Facts *facts, Proof *out)
{
    Assume s = {.ir = ir, .what = what};
    number_buffers(&s);
    if (most_groups) {
        claim_few_groups(&s, most_groups);
        s.left_out = true;
    }
    if (facts && what >= ASSUME_USUAL)
        regular_survey(&s, facts);
    walk(&s, ir->body);
    *out = (Proof){s.nodes.data, s.nodes.len, s.checks.data, s.checks.len, s.left_out, s.usual};
}
