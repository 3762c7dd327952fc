// SPDX-License-Identifier: Apache-2.0
/*
 * formula_priv.h - a parsed formula: steps of a stack machine.
 *
 * made by   formula.c
 * read by   fit.c
 */
#ifndef WEFT_SOLVE_FORMULA_PRIV_H
#define WEFT_SOLVE_FORMULA_PRIV_H

#include <weft/solve.h>

#include "base/arena.h"

typedef enum FormulaKind { FORMULA_NUMBER, FORMULA_NAME, FORMULA_APPLY, FORMULA_SCALE } FormulaKind;

/* Pushes a number or variable; applies an operator to the topmost `count`; multiplies by a
 * number. */
typedef struct FormulaStep {
    FormulaKind  kind;
    double       number;
    uint32_t     name;
    weft_grad_op op;
    uint32_t     count;
} FormulaStep;

struct weft_solve_formula {
    weft_context      *ctx;
    Arena              arena;
    const char        *text;
    VEC(FormulaStep)   steps;
    VEC(const char *)  names;
    uint32_t           depth;       /* of the stack                                         */
};

/* The text before and after a "=" that is no comparison; *left is NULL without one. */
void formula_split(Arena *arena, const char *text, const char **left, const char **right);

#endif
