// SPDX-License-Identifier: Apache-2.0
/*
 * problem_priv.h - a problem as its user describes it: terms, and what is known of parameters.
 *
 * made by   problem.c
 * read by   space.c (free dimensions), terms.c (evaluation), the solvers
 */
#ifndef WEFT_SOLVE_PROBLEM_PRIV_H
#define WEFT_SOLVE_PROBLEM_PRIV_H

#include <weft/solve.h>

#include "base/arena.h"
#include "context/context.h"

typedef enum TermKind { TERM_RESIDUALS, TERM_OBJECTIVE, TERM_FUNCTION } TermKind;

typedef struct Term {
    TermKind         kind;
    weft_grad_batch *batch;         /* of residuals and objectives; a reference             */
    const weft_solve_loss *loss;    /* in the problem's arena; NULL: least squares          */
    double           weight;        /* of an objective                                      */
    weft_solve_function function;   /* index and label in the problem's arena               */
    uint32_t         count, outputs, inputs, blocks;
} Term;

/* Parameters on a manifold. Products are cut into parts; plain and constant numbers are not
 * recorded here but in `fixed`. */
typedef struct Curved {
    weft_solve_manifold_kind kind;  /* SO3, QUATERNION, SE3, SPHERE                         */
    uint32_t first, size, tangent;
} Curved;

struct weft_solve_problem {
    uint32_t      references;
    weft_context *ctx;
    const char   *label;
    Arena         arena;
    uint32_t      parameter_count;
    bool         *fixed;            /* [parameter_count]                                    */
    double       *lower, *upper;    /* [parameter_count]; NULL: no bounds                   */
    VEC(Term)     terms;
    Curved       *curved;           /* ascending, disjoint                                  */
    uint32_t      curved_count;
    size_t        curved_room;
    bool          solving;          /* inside weft_solve()                                  */
    char         *summary;
};

/* False, with an error, for NULL, a problem that is being solved, or a range outside. */
bool problem_usable(weft_solve_problem *p);
bool problem_range(weft_solve_problem *p, uint32_t first, uint32_t count);

/* ---- loss.c ---- */

/* What is wrong with a loss, or NULL. */
const char            *loss_fault(const weft_solve_loss *loss);
const weft_solve_loss *loss_copy(Arena *arena, const weft_solve_loss *loss);
void                   loss_at(double out[3], const weft_solve_loss *loss, double s);

/* ---- manifold.c: one part ---- */

#define SPHERE_LARGEST 1024u

void curved_plus(double *out, weft_solve_manifold_kind kind, uint32_t size, const double *x,
                 const double *step);
void curved_minus(double *step, weft_solve_manifold_kind kind, uint32_t size, const double *y,
                  const double *x);
/* [size][tangent] */
void curved_jacobian(double *jacobian, weft_solve_manifold_kind kind, uint32_t size,
                     const double *x);
/* Makes x a point of the manifold. False if no point is near: a zero quaternion. */
bool curved_normalise(double *x, weft_solve_manifold_kind kind, uint32_t size);

/* A part of a manifold with where it begins. */
typedef struct ManifoldPart {
    const weft_solve_manifold *part;
    uint32_t first, size;           /* numbers                                              */
    uint32_t at, tangent;           /* of the step                                          */
} ManifoldPart;

/* Calls `visit` for each part that is not a product; false if the manifold is malformed, has
 * more than UINT32_MAX numbers, or `visit` gives false. */
bool manifold_walk(const weft_solve_manifold *m, bool (*visit)(void *user, const ManifoldPart *),
                   void *user);

#endif
