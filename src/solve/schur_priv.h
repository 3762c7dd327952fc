// SPDX-License-Identifier: Apache-2.0
/*
 * schur_priv.h - the Schur complement of blocks that no instance connects with each other.
 *
 * made by   schur.c
 * read by   eliminate.c
 */
#ifndef WEFT_SOLVE_SCHUR_PRIV_H
#define WEFT_SOLVE_SCHUR_PRIV_H

#include <stdatomic.h>

#include "solve/linear_priv.h"

typedef struct Eliminated {
    uint32_t block, first, size;
    uint64_t links;                 /* first in Schur.links                                 */
    uint64_t l;                     /* in Schur.l: the factor of its diagonal, [size][size]  */
} Eliminated;

typedef struct Connection {
    uint32_t pair;                  /* of the normal equations                              */
    uint32_t other;                 /* block of the complement                              */
    bool     turned;                /* the pair is [other][eliminated]                      */
    uint64_t at;                    /* in Schur.f: [size of eliminated][row of other]       */
} Connection;

struct Schur {
    const Normal *n;
    Eliminated   *eliminated;
    uint32_t      count;
    Connection   *links;
    uint32_t     *kept;             /* [blocks of the complement] block                     */
    BlockMatrix   s;                /* the complement                                       */
    uint64_t     *start;            /* [pairs + 1] in products                              */
    Link         *products;         /* by: eliminated; a, b: connections                    */
    double       *l, *f;
    double       *y;                /* [eliminated columns] of a solution                   */
    double       *x;                /* [columns of the complement], twice                   */
    double       *a, *pack;         /* dense                                                */
    float        *a32;
    size_t        row;
    bool          dense, mixed;
    atomic_bool   ok;               /* all diagonal blocks have a factor                    */
    Frontal       fronts;
    const double *damping, *right;  /* of the factor, of the solution under way             */
};

/* The length of a row of F: whole vectors, or one number more. */
static inline uint32_t padded(uint32_t size)
{
    return size % 8 == 1 ? size : (size + 7) / 8 * 8;
}

#endif
