/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.h - the problems of bench/grad: bundle adjustment, as-rigid-as-possible deformation,
 * Gaussian fits; as graphs for Weft, and as plain arrays for the others.
 *
 * Ownership  a Problem owns its arrays; problem_fini() frees them.
 */
#ifndef WEFT_BENCH_GRAD_PROBLEMS_H
#define WEFT_BENCH_GRAD_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ProblemKind { PROBLEM_BUNDLE, PROBLEM_ARAP, PROBLEM_GAUSS } ProblemKind;

typedef struct Problem {
    ProblemKind kind;
    const char *name;
    uint32_t    count;              /* instances                                     */
    uint32_t    blocks, outputs, inputs, data_count;
    uint32_t    parameter_count;
    uint32_t   *index;              /* [count][blocks]                               */
    double     *data;               /* [count][data_count]                           */
    double     *x;                  /* [parameter_count]                             */
} Problem;

/* False, with a message on stderr, if the file cannot be read. */
bool problem_bundle(Problem *p, const char *path);
bool problem_arap(Problem *p, const char *path);
bool problem_gauss(Problem *p, uint32_t fits, uint32_t points);
void problem_fini(Problem *p);

/* ---- Ceres: ceres.cc; without Ceres ceres_run() is never called ---- */

typedef struct CeresProblem CeresProblem;

bool          ceres_available(void);
CeresProblem *ceres_make(const Problem *p);
void          ceres_free(CeresProblem *c);
/* Residuals and Jacobians of all instances by a loop over the cost functions; for Gaussian fits
 * transpose(J) J and transpose(J) r of each fit instead. */
void          ceres_run(CeresProblem *c, const double *x, uint32_t threads);
/* Of the last run: sum of squared residuals over two. */
double        ceres_cost(const CeresProblem *c);
/* [count][outputs][inputs] of the last run; NULL for Gaussian fits. */
const double *ceres_jacobian(const CeresProblem *c);
/* [fits][10 + 4] of the last run: upper triangle by rows, then the gradient. */
const double *ceres_normal(const CeresProblem *c);

#ifdef __cplusplus
}
#endif

#endif
