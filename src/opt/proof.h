// SPDX-License-Identifier: Apache-2.0
/*
 * proof.h - what must hold of workgroups for a kernel that assumes it.
 *
 * A kernel's indices and guards mostly depend on a few numbers that are known when
 * it is dispatched: how many workgroups, how long the buffers are, what a uniform
 * says. opt_assume() takes for granted what can be proved from them, and writes down
 * the proof. proof_holds() goes through it for a box of workgroups, in about a
 * microsecond; those outside run a kernel that assumes less.
 *
 * A proof is plain numbers, so that it can be kept in a file with the code.
 */
#ifndef WEFT_OPT_PROOF_H
#define WEFT_OPT_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* What a kernel may take for granted of the workgroups it runs, each more than the one
 * before. */
typedef enum Assumptions {
    ASSUME_NOTHING,
    ASSUME_BOUNDS,                  /* indices stay inside                        */
    ASSUME_INNER,                   /* and borders are elsewhere                  */
    ASSUME_USUAL,                   /* and what is divided is not negative        */
    ASSUME_COUNT
} Assumptions;

typedef enum ProofOp {
    PROOF_RANGE,                    /* a to b, as signed numbers                  */
    PROOF_GROUP_ID,                 /* of the workgroups in the box; a: axis      */
    PROOF_NUM_GROUPS,               /* a: axis                                    */
    PROOF_LENGTH,                   /* elements; a: buffer, b: offset, c: stride  */
    PROOF_WORD,                     /* what is there; a: buffer, b: offset        */
    PROOF_ADD, PROOF_SUB, PROOF_MUL, PROOF_SHL,
    PROOF_DIV, PROOF_REM, PROOF_SHR, PROOF_AND, PROOF_OR, PROOF_MIN, PROOF_MAX,
    PROOF_SDIV, PROOF_SREM, PROOF_SAR, PROOF_SMIN, PROOF_SMAX,
    PROOF_JOIN,                     /* one of both                                */
    PROOF_WHERE,                    /* a, where PROOF_... (c) holds of a and b    */
    PROOF_COUNT_UP,                 /* from a in steps of c while below b; and the
                                       first that is not                          */
    PROOF_COUNT_IN,                 /* the same without that one                  */
    PROOF_SCOUNT_UP, PROOF_SCOUNT_IN,   /* below b as signed numbers; all four: with
                                       PROOF_LOOSE in c also while equal to b     */
    PROOF_OP_COUNT
} ProofOp;

/* Relations: x below y; with these, the other way round, also if equal, signed. */
enum { PROOF_EQUAL = 1, PROOF_ABOVE = 2, PROOF_SIGNED = 4 };
#define PROOF_LOOSE 0x80000000u

typedef struct ProofNode {
    uint32_t op, a, b, c;           /* a and b: earlier nodes, unless said        */
} ProofNode;

/* Every value of `low` is below every value of `high`: PROOF_EQUAL, PROOF_SIGNED. */
typedef struct ProofCheck {
    uint32_t low, high, relation;
} ProofCheck;

typedef struct Proof {
    ProofNode  *nodes;
    uint32_t    nnodes;
    ProofCheck *checks;
    uint32_t    nchecks;            /* 0: nothing is assumed                      */
    bool        inner;              /* also what borders of a grid, or many workgroups,
                                       do not fulfil                              */
    bool        usual;              /* also what is only usual                    */
} Proof;

#define PROOF_MAX_NODES 512u

typedef struct ProofBuffer {
    const void *data;               /* NULL: out of reach                         */
    uint64_t    size;
} ProofBuffer;

/* Workgroups [first, last) in each dimension. */
typedef struct ProofBox {
    uint32_t first[3], last[3];
} ProofBox;

typedef struct ProofGiven {
    const ProofBuffer *buffers;     /* in the order of the kernel's bindings      */
    uint32_t           num_workgroups[3];
} ProofGiven;

bool proof_holds(const Proof *p, const ProofGiven *given, const ProofBox *box);
/*
 * The largest box found, around the middle of the dispatch, for which it holds. False:
 * none, or none that is worth it.
 */
bool proof_find_box(const Proof *p, const ProofGiven *given, ProofBox *out);
/* Whether a proof from a file only speaks of what is there. */
bool proof_is_sound(const Proof *p, uint32_t nbuffers);

/* Whether a check holds, with the largest buffers, of the first workgroup or of one far
 * from all borders. If of neither, there is no use in it. */
bool proof_may_hold(const ProofNode *nodes, uint32_t nnodes, const ProofCheck *check);
/* What node i of a proof is at a workgroup well inside a large dispatch, if that
 * depends on numbers alone that are known by now. */
bool proof_probe(const ProofNode *nodes, uint32_t i, uint64_t *low, uint64_t *high);

#endif
