// SPDX-License-Identifier: Apache-2.0
/*
 * rows_priv.h - residuals and Jacobian of the least-squares terms of a problem, by columns of
 * steps. One instance of a term is a few rows that share their columns.
 *
 * made by   rows.c
 * read by   normal.c, the linear solvers, covariance.c
 */
#ifndef WEFT_SOLVE_ROWS_PRIV_H
#define WEFT_SOLVE_ROWS_PRIV_H

#include "solve/space_priv.h"

typedef struct Instance {
    uint64_t value;                 /* first entry of its rows, [outputs][width]            */
    uint64_t residual;              /* first                                                */
    uint32_t outputs, width;
    uint64_t column;                /* first of its columns, ascending                      */
} Instance;

typedef struct RowsTerm {
    const Term *term;
    uint32_t    first;              /* instance                                             */
    uint64_t    residual;           /* first                                                */
    uint64_t    value;
    bool        plain;              /* the batch's Jacobian is that of steps                */
    int32_t    *map;                /* [count][inputs] place among the columns of the instance,
                                       of a manifold's first; -1: fixed. NULL if plain      */
    uint32_t   *parameter;          /* [count][inputs] NULL if plain                        */
    double     *raw;                /* [count][outputs][inputs] NULL if plain               */
} RowsTerm;

typedef struct Rows {
    weft_solve_problem *p;
    Space     *space;
    RowsTerm  *terms;
    uint32_t   term_count;
    Instance  *instances;
    uint32_t   count;
    uint32_t  *columns;
    uint64_t   residual_count, value_count, column_count;
    /* of the accepted point, and of the one that is tried */
    double    *values, *residuals;
    double    *next_values, *next_residuals;
    double     cost, next_cost;
    bool       next_jacobian;       /* next_values is filled                                */
} Rows;

/* Structure alone. False, with an error, without memory. */
bool rows_make(Rows *r, weft_solve_problem *p, Space *space);
void rows_fini(Rows *r);

/* Evaluates at x into next_*: residuals and cost, corrected for losses where the Jacobian is
 * computed too. *defined is false where a function is not defined or a result is not finite.
 * False on errors of the device. */
bool rows_evaluate(Rows *r, bool *defined, const double *x, bool jacobian);
/* The Jacobian at the point whose residuals were evaluated last, if it is not there yet. */
bool rows_complete(Rows *r, bool *defined, const double *x);
/* next_* becomes the accepted point. */
void rows_accept(Rows *r);

/* out = J step, of the accepted point. [residual_count] */
void rows_multiply(const Rows *r, double *out, const double *step);

#endif
