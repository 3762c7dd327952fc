// SPDX-License-Identifier: Apache-2.0
/*
 * claim_index.c - one check for all indices that differ by a constant.
 *
 * in     indices a[v + 1], a[v + 7], a[v - 2], and the nodes of v and of the limit
 * out    one check that v plus the range of the constants is below the limit
 * why    long kernels have thousands of such indices, and a proof has few nodes
 * not    how values become nodes (claim.c)
 */
#include "opt/assume_priv.h"

#define MAX_SUMS   8u
#define FAR_OFFSET (1 << 24)        /* constants beyond wrap around: not merged   */

static bool is_guarded(const Assume *s, const Inst *v)
{
    for (uint32_t i = s->guards.len; i-- > 0;) {
        const Inst *c = s->guards.data[i].condition;
        if (c->nargs == 2 && (c->args[0] == v || c->args[1] == v))
            return true;
    }
    return false;
}

ClaimIndex claim_split(const Assume *s, const Inst *index)
{
    ClaimIndex r = {index, 0};
    for (uint32_t i = 0; i < MAX_SUMS; i++) {
        const Inst *v = r.value;
        bool sum = v->op == IR_IADD || v->op == IR_ISUB;
        if (!sum || v->type.width != 1 || v->args[1]->op != IR_CONST || is_guarded(s, v))
            break;
        uint32_t c = v->args[1]->constant.bits[0];
        r.constant += v->op == IR_IADD ? c : 0u - c;
        r.value = v->args[0];
    }
    return r;
}

static Spread *find(Assume *s, uint32_t base, uint32_t limit)
{
    for (uint32_t i = s->spreads.len; i-- > 0;) {
        Spread *p = &s->spreads.data[i];
        if (p->base == base && p->limit == limit)
            return p;
    }
    return NULL;
}

static uint32_t find_check(const Assume *s, uint32_t low, uint32_t high)
{
    uint32_t i = 0;
    while (s->checks.data[i].low != low || s->checks.data[i].high != high ||
           s->checks.data[i].relation)
        i++;
    return i;
}

/* The first of its kind. */
static bool begin(Assume *s, uint32_t base, uint32_t constant, uint32_t limit)
{
    uint32_t sum = base;
    if (constant) {
        uint32_t c = claim_number(s, constant);
        sum = c == CLAIM_NONE ? CLAIM_NONE : claim_node(s, PROOF_ADD, base, c, 0);
    }
    if (!claim_check(s, sum, limit, 0))
        return false;
    Spread p = {base, limit, find_check(s, sum, limit), CLAIM_NONE, (int32_t)constant,
                (int32_t)constant};
    if ((int32_t)constant > -FAR_OFFSET && (int32_t)constant < FAR_OFFSET)
        VEC_PUSH(s->ir->arena, &s->spreads, p);
    return true;
}

/* Gives the check a range of its own, which can grow: other claims do not share it. */
static bool detach(Assume *s, Spread *p)
{
    if (s->nodes.len + 2 > PROOF_MAX_NODES)
        return false;
    p->offset = s->nodes.len;
    ProofNode range = {PROOF_RANGE, (uint32_t)p->low, (uint32_t)p->high, 0};
    VEC_PUSH(s->ir->arena, &s->nodes, range);
    VEC_PUSH(s->ir->arena, &s->nodes, ((ProofNode){PROOF_ADD, p->base, p->offset, 0}));
    s->checks.data[p->check].low = p->offset + 1;
    return true;
}

/* Takes c into the range of a check. False, and nothing is changed: it can never hold. */
static bool extend(Assume *s, Spread *p, int32_t c)
{
    ClaimMark before = claim_mark(s);
    Spread    old = *p;
    uint32_t  old_low = s->checks.data[p->check].low;
    if (p->offset == CLAIM_NONE && !detach(s, p))
        return false;
    p->low = MIN_OF(p->low, c);
    p->high = MAX_OF(p->high, c);
    ProofNode *range = &s->nodes.data[p->offset];
    range->a = (uint32_t)p->low;
    range->b = (uint32_t)p->high;
    if (proof_may_hold(s->nodes.data, s->nodes.len, &s->checks.data[p->check]))
        return true;
    range->a = (uint32_t)old.low;
    range->b = (uint32_t)old.high;
    s->checks.data[p->check].low = old_low;
    *p = old;
    claim_undo(s, before);
    return false;
}

bool claim_below(Assume *s, uint32_t base, uint32_t constant, uint32_t limit)
{
    int32_t c = (int32_t)constant;
    bool    near = c > -FAR_OFFSET && c < FAR_OFFSET;
    if (base == CLAIM_NONE || limit == CLAIM_NONE)
        return false;
    Spread *p = near ? find(s, base, limit) : NULL;
    if (p && ((c >= p->low && c <= p->high) || extend(s, p, c)))
        return true;
    return begin(s, base, constant, limit);
}
