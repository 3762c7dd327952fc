// SPDX-License-Identifier: Apache-2.0
/*
 * assume_priv.h - what assume.c and claim.c share.
 */
#ifndef WEFT_OPT_ASSUME_PRIV_H
#define WEFT_OPT_ASSUME_PRIV_H

#include "opt/opt_priv.h"

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

typedef struct Assume {
    Ir       *ir;
    VEC(ProofNode)  nodes;
    VEC(ProofCheck) checks;
    VEC(Guard)      guards;
    const struct Around *around;    /* the IF that is walked                       */
    uint32_t  narrowing;            /* conditions that are being followed          */
    uint32_t *buffer;               /* [vars] index among the buffers              */
    bool      inner;                /* borders may be left out                     */
    bool      left_out;             /* and were                                    */
} Assume;

/* claim.c: the node of a value, of a number, of how many elements an array in a buffer
 * has; CLAIM_NONE: nothing is known of it. */
uint32_t claim_value(Assume *s, const Inst *v, uint32_t depth);
uint32_t claim_number(Assume *s, uint32_t n);
uint32_t claim_length(Assume *s, const Inst *place);
/* Demands low < high, or as `relation` says. False: one of them is not known, or it
 * can never be. */
bool     claim_check(Assume *s, uint32_t low, uint32_t high, uint32_t relation);
/* Demands at most so many workgroups, in all. The first claim: there is room for it. */
void     claim_few_groups(Assume *s, uint32_t most);

/* To undo claims that came to nothing. */
typedef struct ClaimMark {
    uint32_t nodes, checks;
} ClaimMark;

ClaimMark claim_mark(const Assume *s);
void      claim_undo(Assume *s, ClaimMark m);

#endif
