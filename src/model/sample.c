// SPDX-License-Identifier: Apache-2.0
/*
 * sample.c - steps that need the logits alone.
 *
 * in     candidates
 * out    fewer of them, or other logits; one drawn
 * knows  top-k, nucleus (top-p), min-p, top-n-sigma, locally typical, XTC, temperature
 * not    tokens so far (sample_history.c), defaults (sampler.c)
 */
#include "model/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/macro.h"

/* ---- order ---- */

static bool before(const Candidate *a, const Candidate *b)
{
    return a->logit > b->logit || (a->logit == b->logit && a->token < b->token);
}

static int compare(const void *a, const void *b)
{
    return before(a, b) ? -1 : before(b, a);
}

static void swap(Candidate *a, Candidate *b)
{
    Candidate t = *a;
    *a = *b;
    *b = t;
}

/* Moves the k first to the front, in any order. The pivot is the middle of three; intervals
 * that do not shrink well only cost time. */
static void select_first(Candidate *data, size_t count, size_t k)
{
    size_t low = 0, high = count;           /* data[low .. high) holds the k-th            */
    while (high - low > 16) {
        Candidate *a = &data[low], *b = &data[low + (high - low) / 2], *c = &data[high - 1];
        Candidate  pivot = before(a, b) ? (before(b, c) ? *b : before(a, c) ? *c : *a)
                                        : (before(a, c) ? *a : before(b, c) ? *c : *b);
        size_t     i = low, j = high - 1;
        for (;;) {
            while (before(&data[i], &pivot))
                i++;
            while (before(&pivot, &data[j]))
                j--;
            if (i >= j)
                break;
            swap(&data[i++], &data[j--]);
        }
        size_t split = j + 1;               /* all before are not after all from here on   */
        if (split == low || split == high)
            return qsort(data + low, high - low, sizeof *data, compare);
        if (k <= split)
            high = split;
        else
            low = split;
    }
    qsort(data + low, high - low, sizeof *data, compare);
}

void sample_sort(Candidates *c, size_t k)
{
    if (c->sorted)
        return;
    if (k < c->count)
        select_first(c->data, c->count, k);
    qsort(c->data, k, sizeof *c->data, compare);
    c->sorted = k == c->count;
}

static float highest(const Candidates *c)
{
    float max = c->data[0].logit;
    for (size_t i = 1; i < c->count && !c->sorted; i++)
        max = fmaxf(max, c->data[i].logit);
    return max;
}

void sample_softmax(Candidates *c)
{
    float  max = highest(c);
    double sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->data[i].p = expf(c->data[i].logit - max);
        sum += c->data[i].p;
    }
    for (size_t i = 0; i < c->count; i++)
        c->data[i].p = (float)(c->data[i].p / sum);
}

/* ---- steps ---- */

void sample_temperature(Candidates *c, float t)
{
    if (t > 0) {
        for (size_t i = 0; i < c->count; i++)
            c->data[i].logit /= t;
        return;
    }
    size_t best = 0;
    for (size_t i = 1; i < c->count; i++)
        if (before(&c->data[i], &c->data[best]))
            best = i;
    for (size_t i = 0; i < c->count; i++)
        if (i != best)
            c->data[i].logit = -INFINITY;
}

void sample_top_k(Candidates *c, int32_t k)
{
    if (k <= 0)
        return;
    size_t keep = MIN_OF((size_t)k, c->count);
    sample_sort(c, keep);
    c->count = keep;
    c->sorted = true;
}

void sample_top_p(Candidates *c, float p, size_t keep)
{
    if (p >= 1)
        return;
    sample_softmax(c);

    /* Mostly a few tokens are enough: sort some, and more if they are not. */
    size_t sorted = MIN_OF((size_t)256, c->count), last = c->count;
    float  sum = 0;
    sample_sort(c, sorted);
    for (size_t i = 0; i < c->count; i++) {
        if (i == sorted) {
            sorted = MIN_OF(sorted * 8, c->count);
            sample_sort(c, sorted);
        }
        sum += c->data[i].p;
        if (sum >= p && i + 1 >= keep) {
            last = i + 1;
            break;
        }
    }
    c->count = last;
    c->sorted = true;
}

void sample_min_p(Candidates *c, float p, size_t keep)
{
    if (p <= 0)
        return;
    float  least = highest(c) + logf(p);
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += c->data[i].logit >= least;
    if (count < MAX_OF(keep, (size_t)1)) {
        count = MIN_OF(MAX_OF(keep, (size_t)1), c->count);
        sample_sort(c, count);
        c->sorted = true;
    } else {
        size_t kept = 0;
        for (size_t i = 0; i < c->count; i++)
            if (c->data[i].logit >= least)
                c->data[kept++] = c->data[i];
    }
    c->count = count;
}

void sample_top_n_sigma(Candidates *c, float n)
{
    if (n <= 0 || c->count <= 1)
        return;
    double sum = 0, squares = 0;
    size_t finite = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->data[i].logit != -INFINITY) {
            sum += c->data[i].logit;
            finite++;
        }
    }
    double mean = finite ? sum / (double)finite : 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->data[i].logit != -INFINITY)
            squares += (c->data[i].logit - mean) * (c->data[i].logit - mean);
    float sigma = finite ? (float)sqrt(squares / (double)finite) : 0;
    float least = highest(c) - n * sigma;
    for (size_t i = 0; i < c->count; i++)
        if (c->data[i].logit < least)
            c->data[i].logit = -INFINITY;
}

void sample_xtc(Candidates *c, float probability, float threshold, size_t keep, Twister *random)
{
    if (probability <= 0 || threshold > 0.5f || c->count < 2)
        return;
    if (twister_float(random) > probability)
        return;
    sample_sort(c, c->count);
    sample_softmax(c);
    size_t last = 0;                        /* of those above the threshold                */
    while (last + 1 < c->count && c->data[last + 1].p >= threshold)
        last++;
    if (last > 0 && c->data[0].p >= threshold && c->count - last >= keep) {
        c->data += last;
        c->count -= last;
    }
}

static int compare_score(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->logit != y->logit)
        return x->logit < y->logit ? -1 : 1;
    return (x->p < y->p) - (x->p > y->p);
}

void sample_typical(Candidates *c, float p, size_t keep, Candidate *scratch)
{
    if (p >= 1)
        return;
    sample_sort(c, c->count);
    sample_softmax(c);
    float entropy = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->data[i].p > 0)
            entropy -= c->data[i].p * logf(c->data[i].p);

    /* Sorted by how far the surprise of a token is from the expected one. */
    for (size_t i = 0; i < c->count; i++)
        scratch[i] = (Candidate){(int32_t)i, fabsf(-logf(c->data[i].p) - entropy), c->data[i].p};
    qsort(scratch, c->count, sizeof *scratch, compare_score);

    float  sum = 0;
    size_t last = c->count;
    for (size_t i = 0; i < c->count; i++) {
        sum += scratch[i].p;
        if (sum > p && i + 1 >= keep) {
            last = i + 1;
            break;
        }
    }
    for (size_t i = 0; i < last; i++)
        scratch[i] = c->data[scratch[i].token];
    for (size_t i = 0; i < last; i++)
        c->data[i] = scratch[i];
    c->count = last;
    c->sorted = false;
}

size_t sample_draw(Candidates *c, Twister *random)
{
    float  max = highest(c);
    double sum = 0, run = 0;
    size_t drawn = c->count;
    for (size_t i = 0; i < c->count; i++) {
        c->data[i].p = expf(c->data[i].logit - max);
        sum += c->data[i].p;
    }
    double target = twister_double(random) * sum;
    for (size_t i = 0; i < c->count; i++) {
        run += c->data[i].p;
        if (drawn == c->count && c->data[i].p > 0 && run >= target)
            drawn = i;
        c->data[i].p = (float)(c->data[i].p / sum);
    }
    return drawn < c->count ? drawn : c->count - 1;
}
