// SPDX-License-Identifier: Apache-2.0
/*
 * sample.h - the steps between logits and a token.
 *
 * A step changes logits or removes candidates. Steps that are off (their parameter says so
 * at each) leave everything as it is. Sorted means by logit, highest first; equal logits by
 * token.
 *
 * knows  candidates, the tokens so far
 * not    contexts, tokenizers, defaults (sampler.c)
 */
#ifndef WEFT_MODEL_SAMPLE_H
#define WEFT_MODEL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/twister.h"

typedef struct Candidate {
    int32_t token;
    float   logit;
    float   p;                      /* set by sample_softmax()                             */
} Candidate;

typedef struct Candidates {
    Candidate *data;
    size_t     count;               /* at least 1                                          */
    bool       sorted;
} Candidates;

/* The first k are the k highest, in order; k is at most the count. */
void sample_sort(Candidates *c, size_t k);
void sample_softmax(Candidates *c);

void sample_temperature(Candidates *c, float t);                /* <= 0: only the highest  */
void sample_top_k(Candidates *c, int32_t k);                            /* off: k <= 0     */
void sample_top_p(Candidates *c, float p, size_t keep);                 /* off: p >= 1     */
void sample_min_p(Candidates *c, float p, size_t keep);                 /* off: p <= 0     */
void sample_top_n_sigma(Candidates *c, float n);                        /* off: n <= 0     */
void sample_xtc(Candidates *c, float probability, float threshold, size_t keep,
                Twister *random);                /* off: probability <= 0, threshold > 0.5  */
/* Needs room for the scores: scratch[count]. */
void sample_typical(Candidates *c, float p, size_t keep, Candidate *scratch);   /* off: p >= 1 */

/* Softmax, then the index of one candidate, drawn. */
size_t sample_draw(Candidates *c, Twister *random);

/* ---- steps that look back ---- */

/* The newest tokens, oldest first. */
typedef struct History {
    const int32_t *tokens;
    size_t         count;
} History;

typedef struct PenaltyParams {
    size_t last_n;
    float  repeat;                  /* 1: off                                              */
    float  frequency, presence;     /* 0: off                                              */
} PenaltyParams;

/* counts[vocabulary], all 0 before and after. */
void sample_penalties(Candidates *c, History h, PenaltyParams p, uint32_t *counts,
                      size_t vocabulary);

/* A sequence of tokens at which a repetition starts anew: its first, and those after it. */
typedef struct Breaker {
    int32_t  head;
    int32_t *tail;
    uint32_t tail_count;
} Breaker;

typedef struct DryParams {
    float          multiplier;      /* 0: off                                              */
    float          base;            /* below 1: off                                        */
    int32_t        allowed;         /* length that is not penalised                        */
    size_t         last_n;          /* 0: off                                              */
    const Breaker *breakers;        /* sorted by head                                      */
    size_t         breaker_count;
} DryParams;

/* counts[vocabulary], all 0 before and after; scratch[last_n]. */
void sample_dry(Candidates *c, History h, const DryParams *p, uint32_t *counts,
                size_t vocabulary, int32_t *scratch);

#endif
