/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_solve.h - what the sections of bench/solve share, and the solver they are compared with.
 */
#ifndef WEFT_BENCH_SOLVE_H
#define WEFT_BENCH_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "grad/problems.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Options {
    const char *bundle, *nist;      /* a file, a folder                              */
    uint32_t    threads, turns;
    uint32_t    fits;               /* Gaussian fits                                 */
    uint32_t    iterations;         /* of the bundle adjustment, at most             */
    bool        small;              /* results alone, at small sizes                 */
} Options;

double now(void);                   /* seconds                                       */
double median(double *values, uint32_t count);

void section_nist(const Options *o);
void section_bundle(const Options *o);
void section_many(const Options *o);
void section_sphere(const Options *o);

/* ---- Ceres: ceres.cc; without Ceres only rival_available() is called ---- */

typedef struct RivalResult {
    double   seconds;               /* from arrays to the solution                   */
    double   solve_seconds;         /* of that, in the solver                        */
    double   initial_cost, final_cost;
    uint32_t iterations;
} RivalResult;

bool rival_available(void);
/* A bundle adjustment by Levenberg-Marquardt with Ceres' own tolerances, by the faster of its
 * Schur complements for problems of this size. */
RivalResult rival_bundle(double *x, const Problem *p, const Options *o);
/* Gaussian fits by TinySolver with automatic derivatives: x [fits][4], y [fits][points]. */
RivalResult rival_many(double *x, const double *y, uint32_t fits, uint32_t threads);

enum { MANY_POINTS = 50 };
/* The abscissa of a point of all fits. */
static inline double many_abscissa(uint32_t point)
{
    return -2 + 4.0 * point / (MANY_POINTS - 1);
}

#ifdef __cplusplus
}
#endif

#endif
