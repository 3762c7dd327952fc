// SPDX-License-Identifier: Apache-2.0
/*
 * space_priv.h - the coordinates of steps: free parameters, and tangents of manifolds.
 *
 * made by   space.c
 * read by   terms.c, the solvers
 */
#ifndef WEFT_SOLVE_SPACE_PRIV_H
#define WEFT_SOLVE_SPACE_PRIV_H

#include "solve/problem_priv.h"

#define COLUMN_FIXED (-1)
/* A parameter of manifold number v. */
#define COLUMN_CURVE(v)    (-2 - (int32_t)(v))
#define COLUMN_IS_CURVE(c) ((c) <= -2)
#define COLUMN_CURVE_OF(c) ((uint32_t)(-2 - (c)))

typedef struct Curve {
    Curved   c;
    uint32_t at;                    /* first column of its step                             */
    size_t   jacobian;              /* place in Space.jacobians                             */
} Curve;

typedef struct Space {
    uint32_t  parameters;
    uint32_t  dims;                 /* columns of a step                                    */
    int32_t  *column;               /* [parameters] a column, COLUMN_FIXED, COLUMN_CURVE    */
    uint32_t *parameter;            /* [dims] of plain columns; of a manifold its first     */
    Curve    *curves;
    uint32_t  curve_count;
    double   *jacobians;            /* of plus at 0, by space_linearise()                   */
    const double *lower, *upper;    /* [parameters] NULL: no bounds; borrowed               */
    bool      bounded;              /* a free parameter has a bound                         */
} Space;

/* False, with an error, without memory or if a manifold is fixed in part. */
bool space_make(Space *s, weft_solve_problem *p);
void space_fini(Space *s);

/* Moves x to its manifolds and into its bounds. False if a point of a manifold is none. */
bool space_start(const Space *s, double *x);
/* out = x plus step; bounded parameters stay within their bounds. */
void space_plus(const Space *s, double *out, const double *x, const double *step);
/* Derivatives of plus at x, for space_tangent() and the Jacobians of terms. */
void space_linearise(Space *s, const double *x);
/* A gradient by parameters as one by columns. */
void space_tangent(const Space *s, double *out, const double *gradient);
/* The largest component of x - P(x - gradient), P the projection into the bounds. */
double space_gradient_norm(const Space *s, const double *x, const double *gradient);
/* Whether column c cannot move: a bound is reached and the gradient pushes beyond it. */
bool space_held(const Space *s, const double *x, const double *gradient, uint32_t c);
double vector_norm(const double *v, uint32_t n);
double vector_dot(const double *a, const double *b, uint32_t n);
bool   vector_finite(const double *v, size_t n);

#endif
