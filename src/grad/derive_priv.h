// SPDX-License-Identifier: Apache-2.0
/*
 * derive_priv.h - derivatives as nodes: local partials (derive.c) and their accumulation by
 * elimination (eliminate.c).
 */
#ifndef WEFT_GRAD_DERIVE_PRIV_H
#define WEFT_GRAD_DERIVE_PRIV_H

#include "grad/nodes.h"

/* The derivative of one value by another: a factor, or a choice of 1 or 0. */
typedef struct Weight {
    uint32_t    node;               /* the factor, or the condition of the choice           */
    PartialKind kind;
    bool        masked;             /* contains a choice: a zero may mean "not taken"       */
} Weight;

/* The partial of node `id` by its argument `arg`. False: it is 0. */
bool derive_partial(Weight *out, Nodes *n, uint32_t id, uint32_t arg);

Weight   weight_factor(uint32_t node);
Weight   weight_mul(Nodes *n, Weight outer, Weight inner);
Weight   weight_add(Nodes *n, Weight a, Weight b);
/* The weight as a node. */
uint32_t weight_node(Nodes *n, Weight w);

/* In which order intermediate values are eliminated from the linearised graph. */
typedef enum EliminationOrder {
    ELIMINATE_REVERSE,              /* reverse mode: from the outputs                       */
    ELIMINATE_FORWARD,              /* forward mode: from the inputs                        */
    ELIMINATE_MIXED,                /* the vertex that needs fewest products first          */
    ELIMINATE_ORDER_COUNT
} EliminationOrder;

/* One derivative that is wanted: the sum over seeds and sources, see grad_eliminate(). */
typedef struct Seed {
    uint32_t node;                  /* of the graph                                         */
    uint32_t weight;                /* node of its factor                                   */
} Seed;

typedef struct Elimination {
    /* Sinks: each is a weighted sum of nodes, seeds[sink_first[s]] to [sink_first[s+1]-1]. */
    const Seed     *sink_seeds;
    const uint32_t *sink_first;     /* [sinks + 1]                                          */
    uint32_t        sinks;
    /* Sources likewise: values by which the sinks are derived. An INPUT node with weight 1 is
     * the derivative by that input; several with weights are a directional derivative. */
    const Seed     *source_seeds;
    const uint32_t *source_first;   /* [sources + 1]                                        */
    uint32_t        sources;
} Elimination;

/* result[sinks][sources]: nodes of the derivatives, NODE_NONE for structural zeros. */
void grad_eliminate(uint32_t *result, Nodes *n, const Elimination *what, EliminationOrder order);

#endif
