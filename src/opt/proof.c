// SPDX-License-Identifier: Apache-2.0
/*
 * proof.c - goes through a proof with the numbers of one dispatch.
 *
 * in     nodes, each a range of 32-bit numbers made from earlier ones
 * out    whether all checks hold
 *
 * A range that may wrap around is any number at all: what is proved from it fails.
 */
#include "opt/proof.h"

#include <string.h>

typedef struct Range {
    uint64_t low, high;
} Range;

static const Range anything = {0, UINT32_MAX};

static Range fit(uint64_t low, uint64_t high)
{
    return high > UINT32_MAX || low > high ? anything : (Range){low, high};
}

typedef struct Given {
    const ProofBuffer *buffers;
    const uint32_t    *num_workgroups;
    Range             *ranges;
} Given;

static Range word_at(const ProofBuffer *b, uint32_t offset)
{
    uint32_t word;
    if (b->size < sizeof word || offset > b->size - sizeof word)
        return anything;
    memcpy(&word, (const uint8_t *)b->data + offset, sizeof word);
    return (Range){word, word};
}

static Range length_of(const ProofBuffer *b, uint32_t offset, uint32_t stride)
{
    uint64_t n = b->size > offset ? (b->size - offset) / stride : 0;
    return fit(n, n);
}

static Range from_dispatch(const Given *g, const ProofNode *n)
{
    switch (n->op) {
    case PROOF_GROUP_ID: return (Range){0, (uint64_t)g->num_workgroups[n->a] - 1};
    case PROOF_NUM_GROUPS:
        return (Range){g->num_workgroups[n->a], g->num_workgroups[n->a]};
    case PROOF_LENGTH: return length_of(&g->buffers[n->a], n->b, n->c);
    case PROOF_WORD: return word_at(&g->buffers[n->a], n->b);
    default: return (Range){n->a, n->b};
    }
}

static Range shifted(Range x, Range y, bool left)
{
    if (y.low != y.high || y.low > 31)
        return left ? anything : (Range){0, x.high};
    return left ? fit(x.low << y.low, x.high << y.low)
                : (Range){x.low >> y.low, x.high >> y.low};
}

static Range divided(Range x, Range y)
{
    return y.low == 0 ? (Range){0, x.high} : (Range){x.low / y.high, x.high / y.low};
}

/* x, where it is at most `most`. */
static Range limited(Range x, uint64_t most)
{
    uint64_t high = x.high < most ? x.high : most;
    return (Range){x.low < high ? x.low : high, high};
}

/* The last number of a count is below the limit. From a known start it is also whole
 * steps away. */
static Range counted(Range from, Range limit, uint32_t step, bool inside)
{
    if (limit.high == 0 || step == 0)
        return from;
    uint64_t last = limit.high - 1;
    if (from.low == from.high && last >= from.low)
        last = from.low + (last - from.low) / step * step;
    if (!inside)
        last += step;
    return fit(from.low, last > from.high ? last : from.high);
}

static Range combine(const ProofNode *n, Range x, Range y)
{
    uint64_t least = x.high < y.high ? x.high : y.high;
    switch (n->op) {
    case PROOF_ADD: return fit(x.low + y.low, x.high + y.high);
    case PROOF_SUB: return x.low >= y.high ? (Range){x.low - y.high, x.high - y.low} : anything;
    case PROOF_MUL: return fit(x.low * y.low, x.high * y.high);
    case PROOF_DIV: return divided(x, y);
    case PROOF_REM: return y.low ? limited((Range){0, x.high}, y.high - 1) : (Range){0, x.high};
    case PROOF_SHL: return shifted(x, y, true);
    case PROOF_SHR: return shifted(x, y, false);
    case PROOF_AND: return (Range){0, least};
    case PROOF_MIN: return (Range){x.low < y.low ? x.low : y.low, least};
    case PROOF_MAX:
        return (Range){x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
    case PROOF_BELOW: return y.high ? limited(x, y.high - 1) : x;
    case PROOF_AT_MOST: return limited(x, y.high);
    case PROOF_COUNT_UP: return counted(x, y, n->c, false);
    case PROOF_COUNT_IN: return counted(x, y, n->c, true);
    default:                        /* JOIN */
        return (Range){x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
    }
}

bool proof_holds(const Proof *p, const ProofBuffer *buffers, uint32_t nbuffers,
                 const uint32_t num_workgroups[3])
{
    Range ranges[PROOF_MAX_NODES];
    Given g = {buffers, num_workgroups, ranges};
    (void)nbuffers;
    for (uint32_t i = 0; i < p->nnodes; i++) {
        const ProofNode *n = &p->nodes[i];
        ranges[i] = n->op < PROOF_ADD ? from_dispatch(&g, n)
                                      : combine(n, ranges[n->a], ranges[n->b]);
    }
    for (uint32_t i = 0; i < p->nchecks; i++) {
        const ProofCheck *c = &p->checks[i];
        uint64_t low = ranges[c->low].high, high = ranges[c->high].low;
        if (c->equal ? low > high : low >= high)
            return false;
    }
    return true;
}

static bool node_is_sound(const ProofNode *n, uint32_t i, uint32_t nbuffers)
{
    switch (n->op) {
    case PROOF_RANGE: return n->a <= n->b;
    case PROOF_GROUP_ID: case PROOF_NUM_GROUPS: return n->a < 3;
    case PROOF_LENGTH: return n->a < nbuffers && n->c;
    case PROOF_WORD: return n->a < nbuffers;
    default: return n->op < PROOF_OP_COUNT && n->a < i && n->b < i;
    }
}

bool proof_is_sound(const Proof *p, uint32_t nbuffers)
{
    if (p->nnodes > PROOF_MAX_NODES)
        return false;
    for (uint32_t i = 0; i < p->nnodes; i++)
        if (!node_is_sound(&p->nodes[i], i, nbuffers))
            return false;
    for (uint32_t i = 0; i < p->nchecks; i++)
        if (p->checks[i].low >= p->nnodes || p->checks[i].high >= p->nnodes)
            return false;
    return true;
}
