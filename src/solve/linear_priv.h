// SPDX-License-Identifier: Apache-2.0
/*
 * linear_priv.h - the linear system of a step: (transpose(J) J + diag(damping)) step = right.
 *
 * made by   linear.c, which chooses one of the solvers below
 * read by   the solvers of nonlinear problems, covariance.c
 */
#ifndef WEFT_SOLVE_LINEAR_PRIV_H
#define WEFT_SOLVE_LINEAR_PRIV_H

#include "solve/dense_priv.h"
#include "solve/normal_priv.h"
#include "solve/sparse_priv.h"

typedef struct Schur Schur;
typedef struct Gradients Gradients;

typedef struct Linear {
    weft_solve_linear kind;
    bool      dual;                 /* DENSE_CHOLESKY of J inverse(damping) transpose(J) + I */
    bool      mixed;
    bool      exact;                /* steps solve the system directly: products with the
                                       matrix are never needed                              */
    Normal   *normal;
    const Rows *rows;
    Team     *team;
    uint64_t  factor_entries;
    uint32_t  eliminated;
    uint32_t  iterations;           /* of the last solution                                 */
    double    tolerance;            /* of conjugate gradients                               */
    uint32_t  most_iterations;
    const double *damping;          /* [dims] of the last factorisation                     */
    double   *scratch;              /* [dims], and more where a solver needs it             */
    /* dense */
    double   *a;                    /* [n][row]                                             */
    float    *a32;
    double   *pack;
    size_t    row;
    double   *wide;                 /* dual: J as a dense matrix, [residuals][wide_row]     */
    size_t    wide_row;
    Qr        qr;
    /* sparse */
    bool      frontal;              /* else ldl                                             */
    Ldl       ldl;
    Frontal   fronts;
    Suite    *suite;
    Schur    *schur;
    Gradients *gradients;
} Linear;

/* Chooses and prepares a solver. False, with an error. */
bool linear_make(Linear *l, Normal *normal, const weft_solve_options *o, Team *team);
void linear_fini(Linear *l);
/* False if the matrix is not positive definite. `damping` must stay until the solutions. */
bool linear_factor(Linear *l, const double *damping);
/* False if there is no finite solution. */
bool linear_solve(Linear *l, double *step, const double *right);

/* ---- schur.c ---- */

/* The blocks that can be eliminated: chosen, or all whose parameters are listed. NULL, with an
 * error unless they were to be chosen, if there are none or two of them are connected. */
bool  *schur_choose(const Normal *n, const weft_solve_options *o, uint32_t *dims);
Schur *schur_make(const Normal *n, const bool *eliminated, bool mixed);
void   schur_release(Schur *s);
/* Sets pairs[pairs of the normal equations] where factor and solution do not read the values. */
void   schur_leave_out(const Schur *s, bool *pairs);
bool   schur_factor(Schur *s, const double *damping, Team *team);
bool   schur_solve(Schur *s, double *x, Team *team);
uint64_t schur_entries(const Schur *s);

/* ---- gradients.c: conjugate gradients on the device ---- */

Gradients *gradients_make(const Normal *n);
void       gradients_release(Gradients *g);
/* Copies the Jacobian of the accepted point and a preconditioner to the device. */
bool       gradients_factor(Gradients *g, const double *damping);
bool       gradients_solve(Gradients *g, double *x, double tolerance, uint32_t *iterations,
                           uint32_t most);

#endif
