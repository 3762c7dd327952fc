// SPDX-License-Identifier: Apache-2.0
/*
 * assume_priv.h - what assume.c and claim.c share.
 */
#ifndef WEFT_OPT_ASSUME_PRIV_H
#define WEFT_OPT_ASSUME_PRIV_H

#include "opt/opt_priv.h"
#include "opt/regular_priv.h"

#define CLAIM_NONE  UINT32_MAX      /* no node                                    */
#define CLAIM_DEPTH 16u             /* of a value whose node is asked for         */

/* A condition that is known to be true, or false, where the walk is. */
typedef struct Guard {
    const Inst *condition;
    bool        truth;
} Guard;

/* An IF, and how many guards hold outside of it. */
typedef struct Around {
    const struct Around *outer;
    uint32_t             guards;
} Around;

/*
 * One check for all indices base + c below one limit: `low` and `high` are the smallest
 * and the largest c so far.
 */
typedef struct Spread {
    uint32_t base, limit;           /* nodes                                      */
    uint32_t check;                 /* index of the check                         */
    uint32_t offset;                /* node: the range of c; CLAIM_NONE: one c    */
    int32_t  low, high;
} Spread;

typedef struct Assume {
    Ir       *ir;
    VEC(ProofNode)  nodes;
    VEC(ProofCheck) checks;
    VEC(Guard)      guards;
    VEC(Spread)     spreads;
    const struct Around *around;    /* the IF that is walked                       */
    uint32_t  narrowing;            /* conditions that are being followed          */
    uint32_t *buffer;               /* [vars] index among the buffers              */
    Assumptions what;
    const Wish **wished;            /* [nwished] regular_survey(); or NULL         */
    uint32_t  nwished;
    bool      left_out;             /* what happens at borders                     */
    bool      usual;                /* signs were assumed                          */
} Assume;

/* assume.c: is this one number for all that a dispatch does? What is not has no node. */
bool     assume_is_fixed(const Inst *v);

/* assume_regular.c: before the walk, and for each instruction. */
void     regular_survey(Assume *s, const Facts *facts);
void     regular_assume(Assume *s, Inst *inst);

/* claim.c: the node of a value, of a number, of how many elements an array in a buffer
 * has; CLAIM_NONE: nothing is known of it. */
uint32_t claim_value(Assume *s, const Inst *v, uint32_t depth);
uint32_t claim_number(Assume *s, uint32_t n);
uint32_t claim_length(Assume *s, const Inst *place);
/* Demands low < high, or as `relation` says. False: one of them is not known, or it
 * can never be. */
bool     claim_check(Assume *s, uint32_t low, uint32_t high, uint32_t relation);
/* A new node, or an equal one that exists; CLAIM_NONE: the proof is full. */
uint32_t claim_node(Assume *s, ProofOp op, uint32_t a, uint32_t b, uint32_t c);
/* Demands at most so many workgroups, in all. The first claim: there is room for it. */
void     claim_few_groups(Assume *s, uint32_t most);

/*
 * claim_index.c: an index as a value plus a constant, so that all indices around one
 * value share a check. The sum of both; the part of it that guards do not mention is in
 * the constant.
 */
typedef struct ClaimIndex {
    const Inst *value;
    uint32_t    constant;
} ClaimIndex;

ClaimIndex claim_split(const Assume *s, const Inst *index);
/* Demands base + constant < limit, both nodes. False as claim_check(). */
bool       claim_below(Assume *s, uint32_t base, uint32_t constant, uint32_t limit);

/* To undo claims that came to nothing. */
typedef struct ClaimMark {
    uint32_t nodes, checks;
} ClaimMark;

ClaimMark claim_mark(const Assume *s);
void      claim_undo(Assume *s, ClaimMark m);

#endif
