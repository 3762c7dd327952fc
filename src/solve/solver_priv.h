// SPDX-License-Identifier: Apache-2.0
/*
 * solver_priv.h - one solve under way, common to all methods.
 *
 * made by   solver.c
 * read by   trust.c, lbfgs.c, descent.c, summary.c
 */
#ifndef WEFT_SOLVE_SOLVER_PRIV_H
#define WEFT_SOLVE_SOLVER_PRIV_H

#include "solve/linear_priv.h"

typedef struct Solver {
    weft_solve_problem *p;
    weft_solve_options  o;          /* resolved; tolerances that are off are negative       */
    weft_solve_result   result;
    Space     space;
    double   *x, *next;             /* [parameters]                                         */
    double   *step;                 /* [dims]                                               */
    double   *gradient;             /* [dims] at x                                          */
    double    cost;                 /* at x                                                 */
    uint64_t  begin;                /* clock                                                */
} Solver;

/* Ends the solve: always gives false, so that a loop reads `return solver_end(...)`. */
bool solver_end(Solver *s, weft_solve_termination reason);
/* Reports an iteration; false if the solve must end: callback, time, iterations, cost limit. */
bool solver_report(Solver *s, const weft_solve_iteration *iteration);
double solver_seconds(const Solver *s);
/* Adds the time since `begin` to a field of the result. */
void solver_time(double *field, uint64_t begin);
/* Whether the gradient is below its tolerance; also notes it in the result. */
bool solver_flat(Solver *s);
/* Whether a step of this norm is below its tolerance. */
bool solver_short(const Solver *s, double norm);

/* Each returns true unless an error of the context ended it; the reason is in the result. */
bool trust_solve(Solver *s);
bool lbfgs_solve(Solver *s);
bool descent_solve(Solver *s);

/* ---- objective.c: cost and gradient without rows ---- */

typedef struct Objective {
    Solver *s;
    double *raw, *sum;              /* [parameters] gradient of a term, of all              */
    double *values, *weights;       /* of the largest term with a loss, or function         */
    double *jacobian;               /* of the largest function                              */
    double *own;                    /* parameters of the largest function                   */
} Objective;

bool objective_make(Objective *f, Solver *s);
void objective_fini(Objective *f);
/* At x; gradient[dims] may be NULL. *cost is NaN where a function is not defined. */
bool objective_evaluate(Objective *f, double *cost, double *gradient, const double *x);

/* ---- summary.c ---- */

void summary_write(Solver *s);

#endif
