// SPDX-License-Identifier: Apache-2.0
/*
 * proof.c - goes through a proof with the numbers of one dispatch.
 *
 * in     nodes, each a range of numbers made from earlier ones
 * out    whether all checks hold; the box of workgroups for which they do
 *
 * A range is of whole numbers that equal the 32-bit ones modulo 2^32, so that sums,
 * differences and products need not care about signs. Where an operation does care,
 * the range is moved to where it reads its operands; a range that lies across the end
 * of that is any number at all, and what is proved from it fails.
 */
#include "opt/proof.h"

#include <string.h>

#define MODULUS ((int64_t)1 << 32)
#define LONGEST (UINT32_MAX - 4096u)    /* elements: code counts back from the last lane */

typedef struct Range {
    int64_t low, high;
} Range;

static const Range anything = {0, UINT32_MAX};

static Range fit(int64_t low, int64_t high)
{
    return low <= -MODULUS || high >= MODULUS || low > high ? anything : (Range){low, high};
}

/* Moved by whole moduli to [base, base + 2^32). */
static Range moved(Range x, int64_t base)
{
    while (x.low < base && x.high < base)
        x = (Range){x.low + MODULUS, x.high + MODULUS};
    while (x.low >= base + MODULUS)
        x = (Range){x.low - MODULUS, x.high - MODULUS};
    return x.low < base || x.high >= base + MODULUS ? (Range){base, base + MODULUS - 1} : x;
}

static Range natural(Range x)
{
    return moved(x, 0);
}

static Range with_sign(Range x)
{
    return moved(x, INT32_MIN);
}

/* ---- from the dispatch ---- */

typedef struct Given {
    const ProofGiven *dispatch;
    const ProofBox   *box;
} Given;

static Range word_at(const ProofBuffer *b, uint32_t offset)
{
    uint32_t word;
    if (!b->data || b->size < sizeof word || offset > b->size - sizeof word)
        return anything;
    memcpy(&word, (const uint8_t *)b->data + offset, sizeof word);
    return (Range){word, word};
}

static Range length_of(const ProofBuffer *b, uint32_t offset, uint32_t stride)
{
    uint64_t n = b->size > offset ? (b->size - offset) / stride : 0;
    return n > LONGEST ? anything : (Range){(int64_t)n, (int64_t)n};
}

static Range from_dispatch(const Given *g, const ProofNode *n)
{
    const ProofGiven *d = g->dispatch;
    switch (n->op) {
    case PROOF_GROUP_ID: return (Range){g->box->first[n->a], (int64_t)g->box->last[n->a] - 1};
    case PROOF_NUM_GROUPS: return (Range){d->num_workgroups[n->a], d->num_workgroups[n->a]};
    case PROOF_LENGTH: return length_of(&d->buffers[n->a], n->b, n->c);
    case PROOF_WORD: return word_at(&d->buffers[n->a], n->b);
    default: return (Range){(int32_t)n->a, (int32_t)n->b};
    }
}

/* ---- arithmetic ---- */

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static Range multiplied(Range x, Range y)
{
    uint64_t wide_x = (uint64_t)most(-x.low, x.high), wide_y = (uint64_t)most(-y.low, y.high);
    if (wide_x * wide_y >= (uint64_t)MODULUS)   /* both are below 2^32 */
        return anything;
    int64_t a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;
    return fit(least(least(a, b), least(c, d)), most(most(a, b), most(c, d)));
}

static Range shifted_left(Range x, Range y)
{
    y = natural(y);
    if (y.low != y.high || y.low > 31)
        return anything;
    int64_t by = (int64_t)1 << y.low;
    return multiplied(x, (Range){by, by});
}

/* x is where the operation reads it; its sign comes in. */
static Range shifted_right(Range x, Range y)
{
    y = natural(y);
    bool known = y.low == y.high && y.low <= 31;
    int64_t by = (int64_t)1 << (known ? y.low : 0);
    if (!known)
        return (Range){least(x.low, 0), most(x.high, 0)};
    return (Range){(x.low - (x.low < 0 ? by - 1 : 0)) / by,
                   (x.high - (x.high < 0 ? by - 1 : 0)) / by};
}

/* Of numbers that are not negative. */
static Range masked(Range x, Range y)
{
    bool known = x.low == x.high && y.low == y.high;
    return known ? (Range){x.low & y.low, x.low & y.low} : (Range){0, least(x.high, y.high)};
}

static Range divided(Range x, Range y)
{
    return y.low == 0 ? (Range){0, x.high} : (Range){x.low / y.high, x.high / y.low};
}

static Range remainder_of(Range x, Range y)
{
    if (y.low == 0)
        return (Range){0, x.high};
    if (x.low == x.high && y.low == y.high)
        return (Range){x.low % y.low, x.low % y.low};
    return x.high < y.low ? x : (Range){0, least(x.high, y.high - 1)};
}

static Range signed_division(const ProofNode *n, Range x, Range y)
{
    x = with_sign(x);
    y = with_sign(y);
    if (x.low < 0 || y.low <= 0)
        return anything;
    return n->op == PROOF_SDIV ? divided(x, y) : remainder_of(x, y);
}

/* All bits up to the highest that either has. */
static Range joined_bits(Range x, Range y)
{
    uint64_t bits = (uint64_t)most(x.high, y.high);
    for (uint32_t by = 1; by <= 16; by *= 2)
        bits |= bits >> by;
    return (Range){0, (int64_t)bits};
}

/* x where it is related to y; x as it was where that leaves nothing, because this
 * place is then unreachable. */
static Range where(Range x, Range y, uint32_t relation)
{
    bool     with = relation & PROOF_SIGNED;
    Range    a = with ? with_sign(x) : natural(x), b = with ? with_sign(y) : natural(y);
    int64_t  apart = relation & PROOF_EQUAL ? 0 : 1;
    if (relation & PROOF_ABOVE)
        a.low = most(a.low, b.low + apart);
    else
        a.high = least(a.high, b.high - apart);
    return a.low <= a.high ? a : x;
}

/* The last number of a count is below the limit. From a known start it is also whole
 * steps away. */
static Range counted(const ProofNode *n, Range from, Range limit)
{
    bool    with = n->op == PROOF_SCOUNT_UP || n->op == PROOF_SCOUNT_IN;
    bool    inside = n->op == PROOF_COUNT_IN || n->op == PROOF_SCOUNT_IN;
    int64_t step = n->c & ~PROOF_LOOSE, end = with ? INT32_MAX : UINT32_MAX;
    from = with ? with_sign(from) : natural(from);
    limit = with ? with_sign(limit) : natural(limit);
    int64_t last = limit.high - (n->c & PROOF_LOOSE ? 0 : 1);
    if (step == 0 || last < from.low)
        return from;
    if (last > end - step)
        return anything;
    if (from.low == from.high)
        last = from.low + (last - from.low) / step * step;
    if (!inside)
        last += step;
    return (Range){from.low, most(last, from.high)};
}

static Range combine_natural(const ProofNode *n, Range x, Range y)
{
    switch (n->op) {
    case PROOF_DIV: return divided(x, y);
    case PROOF_REM: return remainder_of(x, y);
    case PROOF_AND: return masked(x, y);
    case PROOF_OR: return joined_bits(x, y);
    case PROOF_MIN: return (Range){least(x.low, y.low), least(x.high, y.high)};
    default: return (Range){most(x.low, y.low), most(x.high, y.high)};     /* MAX */
    }
}

static Range combine_signed(const ProofNode *n, Range x, Range y)
{
    if (n->op == PROOF_SMIN)
        return (Range){least(x.low, y.low), least(x.high, y.high)};
    return (Range){most(x.low, y.low), most(x.high, y.high)};
}

static Range combine(const ProofNode *n, Range x, Range y)
{
    switch (n->op) {
    case PROOF_ADD: return fit(x.low + y.low, x.high + y.high);
    case PROOF_SUB: return fit(x.low - y.high, x.high - y.low);
    case PROOF_MUL: return multiplied(x, y);
    case PROOF_SHL: return shifted_left(x, y);
    case PROOF_SHR: return shifted_right(natural(x), y);
    case PROOF_SAR: return shifted_right(with_sign(x), y);
    case PROOF_SDIV: case PROOF_SREM: return signed_division(n, x, y);
    case PROOF_SMIN: case PROOF_SMAX: return combine_signed(n, with_sign(x), with_sign(y));
    case PROOF_JOIN: return (Range){least(x.low, y.low), most(x.high, y.high)};
    case PROOF_WHERE: return where(x, y, n->c);
    case PROOF_COUNT_UP: case PROOF_COUNT_IN: case PROOF_SCOUNT_UP: case PROOF_SCOUNT_IN:
        return counted(n, x, y);
    default: return combine_natural(n, natural(x), natural(y));
    }
}

/* ---- holding ---- */

static bool check_holds(const ProofCheck *c, const Range *ranges)
{
    bool    with = c->relation & PROOF_SIGNED;
    Range   x = ranges[c->low], y = ranges[c->high];
    int64_t low = (with ? with_sign(x) : natural(x)).high;
    int64_t high = (with ? with_sign(y) : natural(y)).low;
    return c->relation & PROOF_EQUAL ? low <= high : low < high;
}

bool proof_holds(const Proof *p, const ProofGiven *given, const ProofBox *box)
{
    Range ranges[PROOF_MAX_NODES];
    Given g = {given, box};
    for (uint32_t i = 0; i < p->nnodes; i++) {
        const ProofNode *n = &p->nodes[i];
        ranges[i] = n->op < PROOF_ADD ? from_dispatch(&g, n)
                                      : combine(n, ranges[n->a], ranges[n->b]);
    }
    for (uint32_t i = 0; i < p->nchecks; i++)
        if (!check_holds(&p->checks[i], ranges))
            return false;
    return true;
}

/* ---- the box ---- */

#define LEAST_GROUPS 8u             /* fewer are not worth looking at parts of    */

/* Moves one end of the box as far out as the proof allows: all the way, all but one
 * workgroup or two, or what halving finds. What holds for a box holds for every part
 * of it. */
static void stretch(const Proof *p, const ProofGiven *given, ProofBox *box, uint32_t *end,
                    uint32_t outermost)
{
    uint32_t good = *end;
    bool     up = outermost > good;
    uint32_t width = up ? outermost - good : good - outermost;
    for (uint32_t left = 0; left < 3 && left < width; left++) {
        *end = up ? outermost - left : outermost + left;
        if (proof_holds(p, given, box))
            return;
    }
    uint32_t holds = 0, fails = width > 2 ? width - 2 : width;
    while (holds + 1 < fails) {
        uint32_t middle = holds + (fails - holds) / 2;
        *end = up ? good + middle : good - middle;
        if (proof_holds(p, given, box))
            holds = middle;
        else
            fails = middle;
    }
    *end = up ? good + holds : good - holds;
}

bool proof_find_box(const Proof *p, const ProofGiven *given, ProofBox *out)
{
    const uint32_t *n = given->num_workgroups;
    *out = (ProofBox){.last = {n[0], n[1], n[2]}};
    if (proof_holds(p, given, out))
        return true;
    if (!p->inner || (uint64_t)n[0] * n[1] * n[2] < LEAST_GROUPS)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        out->first[i] = n[i] / 2;
        out->last[i] = n[i] / 2 + 1;
    }
    if (!proof_holds(p, given, out))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        stretch(p, given, out, &out->first[i], 0);
        stretch(p, given, out, &out->last[i], n[i]);
    }
    return true;
}

/* ---- others ---- */

static bool node_is_sound(const ProofNode *n, uint32_t i, uint32_t nbuffers)
{
    switch (n->op) {
    case PROOF_RANGE: return (int32_t)n->a <= (int32_t)n->b;
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

static bool is_word(const ProofNode *n)
{
    return n->op == PROOF_WORD;
}

static bool holds_at(const ProofNode *nodes, uint32_t nnodes, const ProofCheck *check,
                     uint32_t group)
{
    const uint32_t   groups = 2 * group + 1;
    const ProofGiven given = {.num_workgroups = {groups, groups, groups}};
    const ProofBox   box = {{group, group, group}, {group + 1, group + 1, group + 1}};
    Range ranges[PROOF_MAX_NODES];
    bool  open[PROOF_MAX_NODES];    /* depends on what a buffer holds */
    Given g = {&given, &box};
    for (uint32_t i = 0; i < nnodes; i++) {
        const ProofNode *n = &nodes[i];
        bool leaf = n->op < PROOF_ADD;
        open[i] = leaf ? is_word(n) : open[n->a] || open[n->b];
        ranges[i] = is_word(n)                ? anything
                    : n->op == PROOF_LENGTH   ? (Range){LONGEST, LONGEST}
                    : leaf                    ? from_dispatch(&g, n)
                                              : combine(n, ranges[n->a], ranges[n->b]);
    }
    return open[check->low] || open[check->high] || check_holds(check, ranges);
}

#define FAR_GROUP 64u

bool proof_may_hold(const ProofNode *nodes, uint32_t nnodes, const ProofCheck *check)
{
    return holds_at(nodes, nnodes, check, 0) || holds_at(nodes, nnodes, check, FAR_GROUP);
}

#define PROBE_GROUP 1u              /* the second of three in each dimension      */

bool proof_probe(const ProofNode *nodes, uint32_t i, uint64_t *low, uint64_t *high)
{
    static const ProofGiven given = {.num_workgroups = {3, 3, 3}};
    static const ProofBox   box = {{PROBE_GROUP, PROBE_GROUP, PROBE_GROUP},
                                   {PROBE_GROUP + 1, PROBE_GROUP + 1, PROBE_GROUP + 1}};
    Range ranges[PROOF_MAX_NODES];
    Given g = {&given, &box};
    for (uint32_t k = 0; k <= i; k++) {
        const ProofNode *n = &nodes[k];
        bool of_buffer = n->op == PROOF_LENGTH || n->op == PROOF_WORD;
        ranges[k] = of_buffer ? anything
                    : n->op < PROOF_ADD ? from_dispatch(&g, n)
                                        : combine(n, ranges[n->a], ranges[n->b]);
    }
    Range x = natural(ranges[i]);
    *low = (uint64_t)x.low;
    *high = (uint64_t)x.high;
    return x.high < UINT32_MAX;
}
