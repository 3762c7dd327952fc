// SPDX-License-Identifier: Apache-2.0
/*
 * random_graph.h - random graphs of every operator, with values and derivatives of moderate
 * size, so that results can be compared.
 */
#ifndef WEFT_TESTS_GRAD_RANDOM_GRAPH_H
#define WEFT_TESTS_GRAD_RANDOM_GRAPH_H

#include <weft/grad.h>

typedef struct Random { uint64_t state; } Random;

uint32_t random_below(Random *r, uint32_t n);
double   random_between(Random *r, double low, double high);

typedef struct RandomGraphDesc {
    uint32_t blocks, data, operators, outputs;
} RandomGraphDesc;

/* NULL on errors of the context. */
weft_grad_graph *random_graph(weft_context *ctx, Random *r, const RandomGraphDesc *desc);

/* An argument of `op` inside its domain, made from any nodes. */
weft_grad_node random_apply(weft_grad_graph *g, weft_grad_op op, const weft_grad_node *args,
                            uint32_t count);

#endif
