// SPDX-License-Identifier: Apache-2.0
/*
 * fit_priv.h - a curve fit while it is made, and afterwards.
 *
 * made by   fit.c, fit_start.c
 */
#ifndef WEFT_SOLVE_FIT_PRIV_H
#define WEFT_SOLVE_FIT_PRIV_H

#include "context/context.h"
#include "solve/formula_priv.h"

#define NO_COLUMN UINT32_MAX

typedef struct FitParameter {
    const char *name;
    double      start, lower, upper;
    bool        fixed;
} FitParameter;

struct weft_solve_fit {
    weft_context       *ctx;
    Arena               arena;
    weft_solve_formula *model, *observed;
    const char         *observed_text;
    const char        **columns;
    uint32_t            column_count, count, sigma;
    double             *data;       /* [count][column_count]                                */
    VEC(FitParameter)   parameters;
    uint32_t            free_count;
    uint32_t            trials;
    weft_solve_problem *problem;
    double             *x;          /* [parameters]                                         */
    double             *covariance; /* [parameters][parameters]                             */
    double              chi2, rms, r2;
    weft_solve_result   result;
};

/* A formula as a graph: one input for each parameter, one number for each column; or the residual
 * of the fit with that formula as its model. */
weft_grad_graph *fit_graph(const weft_solve_fit *fit, const weft_solve_formula *formula,
                           bool residual);
/* out[count]: a formula at the fit's parameters, for rows of data. */
bool fit_values(weft_solve_fit *fit, double *out, const weft_solve_formula *f, const double *data,
                uint32_t count);
/* Starts of the parameters that have none (fit_start.c). */
bool fit_choose_start(weft_solve_fit *fit, const weft_solve_fit_desc *d);

#endif
