// SPDX-License-Identifier: Apache-2.0
/*
 * proof.h - what must hold of a dispatch for a kernel that assumes it.
 *
 * A kernel's indices and guards mostly depend on a few numbers that are known when
 * it is dispatched: how many workgroups, how long the buffers are, what a uniform
 * says. opt_assume() takes for granted what can be proved from them, and writes down
 * the proof. proof_holds() goes through it for one dispatch, in about a microsecond;
 * if it fails, the kernel that assumes nothing is run.
 *
 * A proof is plain numbers, so that it can be kept in a file with the code.
 */
#ifndef WEFT_OPT_PROOF_H
#define WEFT_OPT_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum ProofOp {
    PROOF_RANGE,                    /* a to b, numbers                            */
    PROOF_GROUP_ID,                 /* 0 to the number of workgroups less 1; a: axis */
    PROOF_NUM_GROUPS,               /* a: axis                                    */
    PROOF_LENGTH,                   /* elements; a: buffer, b: offset, c: stride  */
    PROOF_WORD,                     /* what is there; a: buffer, b: offset        */
    PROOF_ADD, PROOF_SUB, PROOF_MUL, PROOF_DIV, PROOF_REM, PROOF_SHL, PROOF_SHR,
    PROOF_AND, PROOF_MIN, PROOF_MAX,
    PROOF_JOIN,                     /* one of both                                */
    PROOF_BELOW,                    /* a, where a < b                             */
    PROOF_AT_MOST,                  /* a, where a <= b                            */
    PROOF_COUNT_UP,                 /* from a in steps of c while below b; and the
                                       first that is not                          */
    PROOF_COUNT_IN,                 /* the same without that one                  */
    PROOF_OP_COUNT
} ProofOp;

typedef struct ProofNode {
    uint32_t op, a, b, c;           /* a and b: earlier nodes, unless said        */
} ProofNode;

/* Every value of `low` is below every value of `high`; or at most, if `equal`. */
typedef struct ProofCheck {
    uint32_t low, high, equal;
} ProofCheck;

typedef struct Proof {
    ProofNode  *nodes;
    uint32_t    nnodes;
    ProofCheck *checks;
    uint32_t    nchecks;            /* 0: nothing is assumed                      */
} Proof;

#define PROOF_MAX_NODES 512u

typedef struct ProofBuffer {
    const void *data;
    uint64_t    size;
} ProofBuffer;

/* `buffers`: in the order of the kernel's bindings. */
bool proof_holds(const Proof *p, const ProofBuffer *buffers, uint32_t nbuffers,
                 const uint32_t num_workgroups[3]);
/* Whether a proof from a file only speaks of what is there. */
bool proof_is_sound(const Proof *p, uint32_t nbuffers);

#endif
