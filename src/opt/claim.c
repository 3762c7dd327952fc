// SPDX-License-Identifier: Apache-2.0
/*
 * claim.c - values as ranges that a dispatch can compute.
 *
 * in     a value of the IR, and the conditions that hold where it is used
 * out    nodes of a proof
 * knows  which numbers a dispatch fixes: workgroups, lengths, words of uniforms
 * not    what is assumed of them (assume.c), how ranges are computed (proof.c)
 */
#include "analysis/analysis.h"
#include "opt/assume_priv.h"

#define MAX_GUARDS    32u
#define MAX_NARROWING 2u            /* conditions upon conditions                 */

static bool same_node(const ProofNode *x, const ProofNode *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c;
}

uint32_t claim_node(Assume *s, ProofOp op, uint32_t a, uint32_t b, uint32_t c)
{
    ProofNode n = {(uint32_t)op, a, b, c};
    for (uint32_t i = s->nodes.len; i-- > 0;)
        if (same_node(&s->nodes.data[i], &n))
            return i;
    if (s->nodes.len >= PROOF_MAX_NODES)
        return CLAIM_NONE;
    VEC_PUSH(s->ir->arena, &s->nodes, n);
    return s->nodes.len - 1;
}

uint32_t claim_number(Assume *s, uint32_t n)
{
    return claim_node(s, PROOF_RANGE, n, n, 0);
}

static uint32_t any_number(Assume *s)
{
    return claim_node(s, PROOF_RANGE, (uint32_t)INT32_MIN, INT32_MAX, 0);
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

/* A word, or component `at` of a vector. */
static uint32_t word_node(Assume *s, const Inst *load, uint32_t at)
{
    const IrVar *var;
    uint64_t offset;
    if (!constant_offset(load->args[0], &var, &offset) || !is_fixed_buffer(var))
        return CLAIM_NONE;
    offset += (uint64_t)at * load->args[0]->mem->value.stride;
    return claim_node(s, PROOF_WORD, s->buffer[var->id], (uint32_t)offset, 0);
}

uint32_t claim_length(Assume *s, const Inst *place)
{
    const IrVar *var;
    uint64_t offset;
    if (place->mem->kind != MEM_ARRAY || !constant_offset(place, &var, &offset) ||
        (var->space != IRSPACE_STORAGE && var->space != IRSPACE_UNIFORM))
        return CLAIM_NONE;
    return claim_node(s, PROOF_LENGTH, s->buffer[var->id], (uint32_t)offset,
                place->mem->array.stride);
}

/* ---- values ---- */

static uint32_t input_node(Assume *s, const Inst *v)
{
    const uint32_t *size = s->ir->workgroup_size;
    IrInput in = v->input;
    if (in <= INPUT_LOCAL_ID_Z)
        return claim_node(s, PROOF_RANGE, 0, size[in - INPUT_LOCAL_ID_X] - 1, 0);
    if (in == INPUT_LOCAL_INDEX)
        return claim_node(s, PROOF_RANGE, 0, size[0] * size[1] * size[2] - 1, 0);
    if (in >= INPUT_WORKGROUP_ID_X && in <= INPUT_WORKGROUP_ID_Z)
        return claim_node(s, PROOF_GROUP_ID, in - INPUT_WORKGROUP_ID_X, 0, 0);
    if (in >= INPUT_NUM_WORKGROUPS_X && in <= INPUT_NUM_WORKGROUPS_Z)
        return claim_node(s, PROOF_NUM_GROUPS, in - INPUT_NUM_WORKGROUPS_X, 0, 0);
    return CLAIM_NONE;
}

/* `bounded`: the result is, whatever one of the operands is. */
static const struct { IrOp op; ProofOp proof; bool bounded; } arithmetic[] = {
    {IR_IADD, PROOF_ADD,  false}, {IR_ISUB, PROOF_SUB,  false}, {IR_IMUL, PROOF_MUL, false},
    {IR_SHL,  PROOF_SHL,  false}, {IR_UDIV, PROOF_DIV,  true},  {IR_UREM, PROOF_REM, true},
    {IR_SDIV, PROOF_SDIV, false}, {IR_SREM, PROOF_SREM, false}, {IR_SHR,  PROOF_SHR, true},
    {IR_SAR,  PROOF_SAR,  true},  {IR_AND,  PROOF_AND,  true},  {IR_OR,   PROOF_OR,  false},
    {IR_XOR,  PROOF_OR,   false}, {IR_UMIN, PROOF_MIN,  true},  {IR_UMAX, PROOF_MAX, false},
    {IR_SMIN, PROOF_SMIN, true},  {IR_SMAX, PROOF_SMAX, true},
};

/* x - x / y * y: also if y is 0 no more than the range of x % y says. */
static bool is_remainder(const Inst *v, ProofOp *op)
{
    if (v->op != IR_ISUB || v->args[1]->op != IR_IMUL)
        return false;
    const Inst *x = v->args[0], *p = v->args[1];
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *q = p->args[i];
        if ((q->op == IR_UDIV || q->op == IR_SDIV) && q->args[0] == x &&
            q->args[1] == p->args[1 - i]) {
            *op = q->op == IR_UDIV ? PROOF_REM : PROOF_SREM;
            return true;
        }
    }
    return false;
}

static uint32_t remainder_node(Assume *s, const Inst *v, ProofOp op, uint32_t depth)
{
    const Inst *p = v->args[1];
    const Inst *y = p->args[p->args[0]->nargs && p->args[0]->args[0] == v->args[0] ? 1 : 0];
    uint32_t a = claim_value(s, v->args[0], depth - 1);
    uint32_t b = a == CLAIM_NONE ? CLAIM_NONE : claim_value(s, y, depth - 1);
    return b == CLAIM_NONE ? CLAIM_NONE : claim_node(s, op, a, b, 0);
}

static uint32_t arithmetic_node(Assume *s, const Inst *v, uint32_t depth)
{
    ProofOp op;
    if (is_remainder(v, &op))
        return remainder_node(s, v, op, depth);
    for (size_t i = 0; i < COUNTOF(arithmetic); i++) {
        if (arithmetic[i].op != (IrOp)v->op)
            continue;
        bool bounded = arithmetic[i].bounded;
        uint32_t x = claim_value(s, v->args[0], depth - 1);
        uint32_t y = x == CLAIM_NONE && !bounded ? CLAIM_NONE
                                                 : claim_value(s, v->args[1], depth - 1);
        if (bounded && x == CLAIM_NONE && y != CLAIM_NONE)
            x = any_number(s);
        else if (bounded && y == CLAIM_NONE && x != CLAIM_NONE)
            y = any_number(s);
        return x == CLAIM_NONE || y == CLAIM_NONE ? CLAIM_NONE
                                                  : claim_node(s, arithmetic[i].proof, x, y, 0);
    }
    return CLAIM_NONE;
}

static uint32_t join_node(Assume *s, const Inst *x, const Inst *y, uint32_t depth)
{
    uint32_t a = claim_value(s, x, depth - 1);
    uint32_t b = a == CLAIM_NONE ? CLAIM_NONE : claim_value(s, y, depth - 1);
    return b == CLAIM_NONE ? CLAIM_NONE : claim_node(s, PROOF_JOIN, a, b, 0);
}

/* ---- counts ---- */

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

static uint32_t count_node(Assume *s, const Inst *test, uint32_t first, uint32_t step,
                           uint32_t depth)
{
    bool with_sign = test->op == IR_SLT || test->op == IR_SLE, inside = is_inside(s, test);
    uint32_t limit = claim_value(s, test->args[1], depth - 1);
    if (test->op == IR_SLE || test->op == IR_ULE)
        step |= PROOF_LOOSE;
    if (limit == CLAIM_NONE)
        return CLAIM_NONE;
    ProofOp op = with_sign ? (inside ? PROOF_SCOUNT_IN : PROOF_SCOUNT_UP)
                           : (inside ? PROOF_COUNT_IN : PROOF_COUNT_UP);
    return claim_node(s, op, first, limit, step);
}

/* A parameter that counts up to a limit, or only shrinks. */
static uint32_t param_node(Assume *s, const Inst *p, uint32_t depth)
{
    const Inst *loop = p->region->owner;
    if (!loop || p->region != loop->flow.regions[0])
        return CLAIM_NONE;
    const Inst *next = next_value(loop, p->index);
    uint32_t first = claim_value(s, loop->args[p->index], depth - 1);
    if (first == CLAIM_NONE || !next)
        return first;
    if ((next->op == IR_SHR || next->op == IR_UDIV) && next->args[0] == p)
        return claim_node(s, PROOF_MIN, any_number(s), first, 0);
    const Inst *test = analysis_loop_test(loop, p);
    bool adds = next->op == IR_IADD && next->args[0] == p && next->args[1]->op == IR_CONST;
    if (!adds || !test || next->args[1]->constant.bits[0] - 1u >= INT32_MAX)
        return CLAIM_NONE;
    return count_node(s, test, first, next->args[1]->constant.bits[0], depth);
}

/* ---- conditions ---- */

static uint32_t extract_node(Assume *s, const Inst *v)
{
    return v->args[0]->op == IR_LOAD ? word_node(s, v->args[0], v->index) : CLAIM_NONE;
}

static uint32_t plain_node(Assume *s, const Inst *v, uint32_t depth)
{
    switch (v->op) {
    case IR_CONST: return claim_number(s, v->constant.bits[0]);
    case IR_INPUT: return input_node(s, v);
    case IR_LOAD: return word_node(s, v, 0);
    case IR_EXTRACT: return extract_node(s, v);
    case IR_LENGTH: return claim_length(s, v->args[0]);
    case IR_SELECT: return join_node(s, v->args[1], v->args[2], depth);
    case IR_PARAM: return param_node(s, v, depth);
    case IR_UNIFORM: return claim_value(s, v->args[0], depth - 1);
    default: return arithmetic_node(s, v, depth);
    }
}

/* Narrows v by one condition that holds here. */
static uint32_t narrowed(Assume *s, uint32_t at, const Inst *v, const Guard *g, uint32_t depth)
{
    const Inst *c = g->condition;
    if (c->op < IR_SLT || c->op > IR_ULE || c->args[0] == c->args[1])
        return at;
    bool first = c->args[0] == v;
    if (!first && c->args[1] != v)
        return at;
    bool loose = c->op == IR_SLE || c->op == IR_ULE;
    uint32_t relation = c->op == IR_SLT || c->op == IR_SLE ? PROOF_SIGNED : 0;
    if (first != g->truth)          /* y < v; or not v < y */
        relation |= PROOF_ABOVE;
    if (loose == g->truth)          /* v <= y; or not y < v */
        relation |= PROOF_EQUAL;
    s->narrowing++;
    uint32_t y = claim_value(s, c->args[first ? 1 : 0], depth - 1);
    s->narrowing--;
    if (y == CLAIM_NONE)
        return at;
    if (at == CLAIM_NONE)
        at = any_number(s);
    return at == CLAIM_NONE ? CLAIM_NONE : claim_node(s, PROOF_WHERE, at, y, relation);
}

uint32_t claim_value(Assume *s, const Inst *v, uint32_t depth)
{
    if (depth == 0 || v->type.kind != SCALAR_I32 || v->type.width != 1)
        return CLAIM_NONE;
    uint32_t at = plain_node(s, v, depth);
    uint32_t n = s->guards.len, least = n > MAX_GUARDS ? n - MAX_GUARDS : 0;
    if (v->op == IR_CONST || s->narrowing >= MAX_NARROWING)
        return at;
    for (uint32_t i = n; i-- > least;)
        at = narrowed(s, at, v, &s->guards.data[i], depth);
    return at;
}

/* ---- checks ---- */

bool claim_check(Assume *s, uint32_t low, uint32_t high, uint32_t relation)
{
    ProofCheck c = {low, high, relation};
    if (low == CLAIM_NONE || high == CLAIM_NONE)
        return false;
    for (uint32_t i = 0; i < s->checks.len; i++) {
        const ProofCheck *x = &s->checks.data[i];
        if (x->low == low && x->high == high && x->relation == relation)
            return true;
    }
    if (!proof_may_hold(s->nodes.data, s->nodes.len, &c))
        return false;
    VEC_PUSH(s->ir->arena, &s->checks, c);
    return true;
}

void claim_few_groups(Assume *s, uint32_t most)
{
    uint32_t all = claim_node(s, PROOF_NUM_GROUPS, 0, 0, 0);
    for (uint32_t axis = 1; axis < 3; axis++)
        all = claim_node(s, PROOF_MUL, all, claim_node(s, PROOF_NUM_GROUPS, axis, 0, 0), 0);
    VEC_PUSH(s->ir->arena, &s->checks, ((ProofCheck){all, claim_number(s, most), PROOF_EQUAL}));
}

ClaimMark claim_mark(const Assume *s)
{
    return (ClaimMark){s->nodes.len, s->checks.len};
}

void claim_undo(Assume *s, ClaimMark m)
{
    s->nodes.len = m.nodes;
    s->checks.len = m.checks;
}
