// SPDX-License-Identifier: Apache-2.0
/*
 * sparse_priv.h - factorisations of sparse symmetric matrices.
 *
 * made by   order.c (AMD, elimination tree), ldl.c (column by column), frontal.c (dense fronts)
 * read by   linear.c, schur.c, covariance.c
 */
#ifndef WEFT_SOLVE_SPARSE_PRIV_H
#define WEFT_SOLVE_SPARSE_PRIV_H

#include "solve/matrix_priv.h"
#include "solve/platform_priv.h"

/* ---- order.c: of the blocks of a matrix ---- */

#define NO_PARENT UINT32_MAX

typedef struct Order {
    uint32_t  count;                /* blocks                                               */
    uint32_t *old_of, *new_of;      /* [count] numbers before and after                     */
    uint32_t *parent;               /* [count] elimination tree, new numbers; NO_PARENT     */
} Order;

/* Blocks in an order that keeps the factor sparse, children before parents. False without
 * memory. */
bool order_make(Order *o, const BlockMatrix *m);
void order_fini(Order *o);

/* ---- upper.c: single entries ---- */

/* The upper triangle by columns, and where values come from. */
typedef struct Upper {
    uint32_t  n;
    uint64_t *start;                /* [n + 1]                                              */
    uint32_t *row;                  /* in no order                                          */
    uint64_t *from;                 /* in BlockMatrix.values                                */
} Upper;

/* new_row[dims]: rows in another order; NULL: as they are. False without memory. */
bool upper_make(Upper *u, const BlockMatrix *m, const uint32_t *new_row);
void upper_fini(Upper *u);

/* ---- ldl.c ---- */

/* L D transpose(L), column by column: for factors with little fill. */
typedef struct Ldl {
    uint32_t  n;
    uint32_t *old_of;               /* [n] rows                                             */
    Upper     a;                    /* of the ordered matrix                                */
    uint32_t *parent;
    uint64_t *l_start;              /* [n + 1]                                              */
    uint32_t *l_row;
    double   *l, *d;
    uint64_t *filled;               /* [n] scratch                                          */
    uint32_t *mark, *path;          /* [n]                                                  */
    double   *y;                    /* [n]                                                  */
    double    work;                 /* multiplications of a factorisation                   */
} Ldl;

bool ldl_make(Ldl *f, const BlockMatrix *m, const Order *order);
void ldl_fini(Ldl *f);
/* Of m + diag(damping). False if a pivot is not above `least` times its column's diagonal. */
bool ldl_factor(Ldl *f, const BlockMatrix *m, const double *damping, double least);
void ldl_solve(const Ldl *f, double *x, double *scratch);

/* ---- frontal.c ---- */

/* Columns with equal structure, eliminated together in a dense matrix. */
typedef struct Front {
    uint32_t  first, blocks;        /* own blocks, new numbers                              */
    uint32_t  columns, size;        /* own columns; all rows                                */
    uint32_t *below;                /* blocks of the rows that are not its own, ascending   */
    uint32_t  below_count;
    uint32_t  parent;               /* NO_PARENT                                            */
    uint64_t  at;                   /* in Frontal.factor, [size][columns]                   */
    uint64_t  pairs;                /* first in Frontal.pair                                */
    double   *update;               /* what is left for the parent; while factorising       */
    uint32_t  child, sibling;
} Front;

typedef struct Frontal {
    Order     order;
    Front    *fronts;               /* children before parents                              */
    uint32_t  count;
    uint32_t *pair;                 /* pairs of the matrix by the front that takes them     */
    uint32_t *columns;              /* [blocks + 1] first column by new number              */
    uint32_t  dims, largest;        /* rows of the largest front                            */
    double   *factor;
    uint64_t  factor_size;
    double    work;
    double   *front, *scratch;      /* of the largest front                                 */
    uint32_t *where;                /* [blocks] row in the current front                    */
    uint32_t *rows;                 /* [largest]                                            */
} Frontal;

bool frontal_make(Frontal *f, const BlockMatrix *m);
void frontal_fini(Frontal *f);
/* False if a pivot is not above 0, or without memory. */
bool frontal_factor(Frontal *f, const BlockMatrix *m, const double *damping, Team *team);
void frontal_solve(const Frontal *f, const BlockMatrix *m, double *x, double *scratch);

/* ---- suite.c: CHOLMOD of SuiteSparse, if it is installed ---- */

typedef struct Suite Suite;

/* "3.0.14"; NULL: not found, or of another version than its header at build time. */
const char *suite_version(void);
/* NULL without memory or library. */
Suite      *suite_make(const BlockMatrix *m);
void        suite_release(Suite *s);
bool        suite_factor(Suite *s, const BlockMatrix *m, const double *damping);
bool        suite_solve(Suite *s, double *x);
uint64_t    suite_entries(const Suite *s);

#endif
