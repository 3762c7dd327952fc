// SPDX-License-Identifier: Apache-2.0
/*
 * sample_history.c - steps that look at the tokens so far: penalties and DRY.
 *
 * in     candidates, the newest tokens
 * out    lower logits of what would repeat
 * knows  repetition, frequency and presence penalties; DRY ("don't repeat yourself"), which
 *        penalises a token by the length of the repetition that it would continue
 * not    texts, defaults (sampler.c)
 */
#include "model/sample.h"

#include <math.h>
#include <string.h>

#include "base/macro.h"

static History newest(History h, size_t count)
{
    size_t n = MIN_OF(h.count, count);
    return (History){h.tokens + (h.count - n), n};
}

void sample_penalties(Candidates *c, History h, PenaltyParams p, uint32_t *counts,
                      size_t vocabulary)
{
    if (p.last_n == 0 || (p.repeat == 1 && p.frequency == 0 && p.presence == 0))
        return;
    h = newest(h, p.last_n);
    for (size_t i = 0; i < h.count; i++)
        if ((size_t)h.tokens[i] < vocabulary)
            counts[h.tokens[i]]++;
    for (size_t i = 0; i < c->count; i++) {
        Candidate *x = &c->data[i];
        uint32_t   count = counts[x->token];
        if (count == 0)
            continue;
        /* Dividing a negative logit would make the token likelier. */
        x->logit = x->logit <= 0 ? x->logit * p.repeat : x->logit / p.repeat;
        x->logit -= (float)count * p.frequency + p.presence;
    }
    for (size_t i = 0; i < h.count; i++)
        if ((size_t)h.tokens[i] < vocabulary)
            counts[h.tokens[i]] = 0;
    c->sorted = false;
}

/* ---- DRY ---- */

/* The token `back` before the newest. */
static int32_t back_at(History h, size_t back)
{
    return h.tokens[h.count - 1 - back];
}

/* The breakers that start with `head`. */
static const Breaker *breakers_of(const DryParams *p, int32_t head, size_t *count)
{
    size_t low = 0, high = p->breaker_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->breakers[middle].head < head)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < p->breaker_count && p->breakers[high].head == head;)
        high++;
    *count = high - low;
    return p->breakers + low;
}

static bool tail_matches(const Breaker *b, History h, size_t back)
{
    for (uint32_t i = 0; i < b->tail_count; i++)
        if (b->tail[i] != back_at(h, back - i - 1))
            return false;
    return true;
}

/* How many of the newest tokens come after the last breaker: no repetition is longer. */
static size_t unbroken(History h, const DryParams *p)
{
    for (size_t back = 0; back < h.count && p->breaker_count > 0; back++) {
        size_t         count, longest = 0;
        bool           found = false;
        const Breaker *b = breakers_of(p, back_at(h, back), &count);
        for (size_t i = 0; i < count; i++) {
            if (b[i].tail_count <= back && (!found || b[i].tail_count > longest) &&
                tail_matches(&b[i], h, back)) {
                found = true;
                longest = b[i].tail_count;
            }
        }
        if (found)
            return back - longest;
    }
    return h.count;
}

/* z[k]: how many of the newest tokens also stand before the token `k` back from the newest,
 * itself included; the Z-algorithm on the reversed history, in linear time. */
static void repeats(int32_t *z, History h)
{
    size_t left = 0, right = 0;             /* the match that reaches furthest, [left, right) */
    z[0] = 0;
    for (size_t k = 1; k < h.count; k++) {
        size_t n = 0;
        if (k < right)
            n = MIN_OF((size_t)z[k - left], right - k);
        while (k + n < h.count && back_at(h, n) == back_at(h, k + n))
            n++;
        z[k] = (int32_t)n;
        if (k + n > right) {
            left = k;
            right = k + n;
        }
    }
}

static bool breaks_alone(const DryParams *p, int32_t token)
{
    size_t         count;
    const Breaker *b = breakers_of(p, token, &count);
    for (size_t i = 0; i < count; i++)
        if (b[i].tail_count == 0)
            return true;
    return false;
}

/* Lowers the logits of tokens that continue a repetition; counts[token] is its length. */
static void lower(Candidates *c, const DryParams *p, const uint32_t *counts)
{
    /* The power stays below the largest float. */
    int32_t most = p->base > 1.000001f ? (int32_t)(88.7228391f / logf(p->base)) : INT32_MAX;
    for (size_t i = 0; i < c->count; i++) {
        Candidate *x = &c->data[i];
        if (counts[x->token] == 0 || breaks_alone(p, x->token))
            continue;
        int32_t exponent = MIN_OF((int32_t)counts[x->token] - p->allowed, most);
        x->logit -= p->multiplier * powf(p->base, (float)exponent);
    }
    c->sorted = false;
}

void sample_dry(Candidates *c, History h, const DryParams *p, uint32_t *counts,
                size_t vocabulary, int32_t *scratch)
{
    if (p->multiplier == 0 || p->base < 1 || p->last_n == 0)
        return;
    h = newest(h, p->last_n);
    size_t allowed = (size_t)MAX_OF(p->allowed, 0);
    if (h.count <= allowed)
        return;
    size_t limit = unbroken(h, p);
    if (limit < allowed)
        return;
    repeats(scratch, h);
    for (size_t k = 1; k < h.count; k++) {
        size_t  n = MIN_OF((size_t)scratch[k], limit);
        int32_t next = back_at(h, k - 1);   /* what came after the repetition              */
        if (n >= MAX_OF(allowed, (size_t)1) && (size_t)next < vocabulary && n > counts[next])
            counts[next] = (uint32_t)n;
    }
    lower(c, p, counts);
    for (size_t k = 1; k < h.count; k++)
        if ((size_t)back_at(h, k - 1) < vocabulary)
            counts[back_at(h, k - 1)] = 0;
}
