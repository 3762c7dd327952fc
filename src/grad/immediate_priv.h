// SPDX-License-Identifier: Apache-2.0
/*
 * immediate_priv.h - the evaluator of one instance, for immediate.c and batches.
 */
#ifndef WEFT_GRAD_IMMEDIATE_PRIV_H
#define WEFT_GRAD_IMMEDIATE_PRIV_H

#include "grad/graph_priv.h"

typedef struct Immediate {
    const weft_grad_graph *graph;   /* borrowed                                             */
    uint32_t *columns;              /* [inputs] NODE_NONE: fixed                            */
    double   *values, *adjoints;    /* [nodes]                                              */
    bool     *masked, *active;      /* [nodes]                                              */
    bool     *reached;              /* [nodes] in the last reverse pass                     */
} Immediate;

/* False without memory. */
bool immediate_init(Immediate *im, const weft_grad_graph *graph);
void immediate_fini(Immediate *im);
/* outputs may be NULL: the values are then in `values`. data NULL: zeros. */
void immediate_forward(Immediate *im, double *outputs, const double *inputs, const double *data);
void immediate_reverse(Immediate *im, double *gradient, uint32_t output, double seed);
/* False if a custom operator, whose name is then in *custom, has no functions. */
bool immediate_possible(const weft_grad_graph *graph, const char **custom);

#endif
