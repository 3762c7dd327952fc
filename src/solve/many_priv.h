// SPDX-License-Identifier: Apache-2.0
/*
 * many_priv.h - the kernel that solves many small problems, one in each invocation.
 *
 * made by   many_emit.c
 * read by   many.c
 */
#ifndef WEFT_SOLVE_MANY_PRIV_H
#define WEFT_SOLVE_MANY_PRIV_H

#include "grad/loop.h"
#include "solve/problem_priv.h"

/* Bindings, in this order; those that are not used are left out. */
typedef enum ManyBinding {
    MANY_SIZES,                     /* u32: problems, most iterations, instances of each    */
    MANY_SETTINGS,                  /* real: MANY_SETTING..., then lower and upper bounds   */
    MANY_STARTS,                    /* [problems + 1] u32: first instance                   */
    MANY_NUMBERS,                   /* [instances][width] real; tiled: [groups of problems]
                                       [instances][width][MANY_GROUP]                       */
    MANY_COMMON,                    /* [instances of a problem][common] real                */
    MANY_PARAMETERS,                /* [problems][inputs] real, read and written            */
    MANY_COSTS,                     /* [problems][2] real, written                          */
    MANY_ENDS,                      /* [problems][2] u32, written: iterations, termination  */
    MANY_BINDING_COUNT
} ManyBinding;

typedef enum ManySetting {
    SETTING_COST, SETTING_GRADIENT, SETTING_PARAMETER, SETTING_RADIUS, SETTING_COUNT
} ManySetting;

typedef struct ManySpec {
    uint32_t inputs;                /* of a problem, fixed ones included                    */
    uint32_t data, common;          /* numbers of an instance; the first are common         */
    bool     uneven;                /* problems have different numbers of instances         */
    bool     tiled;                 /* numbers of MANY_GROUP problems side by side          */
    bool     bounded;
    bool     f64;                   /* arithmetic of instances                              */
    bool     wide;                  /* sums and steps in f64, too                           */
    bool     identity;              /* damping                                              */
    const weft_solve_loss *loss;
} ManySpec;

typedef struct ManyKernel {
    const char *text;
    bool        bound[MANY_BINDING_COUNT];
} ManyKernel;

/* The text lives in `arena`. */
void many_emit(ManyKernel *out, Arena *arena, GradLoop *loop, const ManySpec *spec);

#define MANY_GROUP  64u
#define MANY_STRIDE (32768u * MANY_GROUP)   /* invocations in a line of workgroups          */

#endif
