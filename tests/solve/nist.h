// SPDX-License-Identifier: Apache-2.0
/*
 * nist.h - the nonlinear regression problems of NIST's StRD, read from their files.
 */
#ifndef WEFT_TESTS_SOLVE_NIST_H
#define WEFT_TESTS_SOLVE_NIST_H

#include <stdbool.h>
#include <stdint.h>

#define NIST_PARAMETERS 9
#define NIST_ROWS       300

typedef struct Nist {
    char        formula[512];       /* "y = b1*(1-exp(-b2*x))"                              */
    const char *columns[3];
    uint32_t    column_count, rows, parameters;
    double      data[NIST_ROWS * 3];
    char        names[NIST_PARAMETERS][4];
    double      start[2][NIST_PARAMETERS], certified[NIST_PARAMETERS];
    double      deviation[NIST_PARAMETERS], residual_sum;
} Nist;

#define NIST_COUNT 27
extern const char *const nist_names[NIST_COUNT];

/* False if there is no such file, or it is not one. */
bool nist_read(Nist *out, const char *folder, const char *name);
/* Digits that two numbers have in common. */
double nist_digits(double have, double want);

#endif
