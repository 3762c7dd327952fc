// SPDX-License-Identifier: Apache-2.0
/*
 * normal_priv.h - the normal equations of the rows: transpose(J) J in dense blocks, and the
 * gradient transpose(J) r.
 *
 * Columns that the same instances use are one block: a camera, a point, a vertex. The matrix has
 * a dense block for each two of them that an instance connects.
 *
 * made by   normal.c
 * read by   the linear solvers
 */
#ifndef WEFT_SOLVE_NORMAL_PRIV_H
#define WEFT_SOLVE_NORMAL_PRIV_H

#include "solve/matrix_priv.h"
#include "solve/platform_priv.h"
#include "solve/rows_priv.h"

typedef struct Normal {
    const Rows *rows;
    BlockMatrix m;                  /* transpose(J) J                                       */
    uint64_t   *start;              /* [pair_count + 1] in contributors                     */
    Link       *contributors;       /* by: an instance; a, b: places among its columns      */
    uint32_t   *piece_pair;         /* [pieces] work for threads: parts of long lists       */
    uint64_t   *piece_start;        /* [pieces + 1]                                         */
    uint32_t    pieces;
    double     *partial;            /* of pieces that are not alone                         */
    uint64_t   *partial_at;         /* [pieces] UINT64_MAX: alone                           */
    bool       *left_out;           /* [pair_count] pairs without values, as the solver takes
                                       them from the rows; NULL: none                       */
    double     *gradient;           /* [dims]                                               */
} Normal;

/* Structure alone. False, with an error, without memory. */
bool normal_make(Normal *n, const Rows *rows);
void normal_fini(Normal *n);
/* Of the accepted point of the rows. */
void normal_assemble(Normal *n, Team *team);

#endif
