// SPDX-License-Identifier: Apache-2.0
/*
 * nodes.h - scalar expressions as an array of nodes, arguments before their users.
 *
 * in     operators and arguments
 * out    nodes; pools made with `rules` fold constants, apply exact algebraic identities and
 *        find common subexpressions
 * knows  ops.def
 * not    derivatives, WGSL, batches
 */
#ifndef WEFT_GRAD_NODES_H
#define WEFT_GRAD_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define ANY 255
typedef enum Op {
#define GRAD_OP(name, args, cost, risky, wgsl) OP_##name,
#include "grad/ops.def"
#undef GRAD_OP
    OP_COUNT
} Op;

typedef struct OpInfo {
    const char *name;
    uint8_t     args;               /* ANY: as many as the node has                         */
    uint8_t     cost;
    bool        risky;
    const char *wgsl;
} OpInfo;
extern const OpInfo grad_op_info[OP_COUNT];

#define NODE_NONE    UINT32_MAX
#define SUM_TERMS    16             /* most terms of one SUM                                */
#define CUSTOM_ARITY 8
/* The slot of PARTIAL: derivative of custom operator `op` by argument `arg`. */
#define PARTIAL_SLOT(op, arg) ((op) * CUSTOM_ARITY + (arg))

/* The squared length below which a vector counts as zero: its third power of the inverse
 * length must be finite. */
#define TINY_F64 1e-200
#define TINY_F32 1e-24

typedef enum NodeFlag {
    NODE_RISKY   = 1,               /* may be infinite or NaN for finite leaves             */
    NODE_UNIFORM = 2,               /* depends on uniform leaves alone                      */
    NODE_ACTIVE  = 4,               /* depends on a differentiated input                    */
} NodeFlag;

typedef struct Node {
    uint8_t  op;
    uint8_t  flags;
    uint16_t count;                 /* of arguments                                         */
    uint32_t first;                 /* argument list, in Nodes.args                         */
    uint32_t name;                  /* in the names of the graph; 0: none                   */
    union {
        double   value;             /* CONST                                                */
        uint64_t slot;              /* leaves, CUSTOM, PARTIAL                              */
    };
} Node;

typedef struct Nodes {
    Arena    *arena;
    VEC(Node) nodes;
    VEC(uint32_t) args;
    uint32_t *table;                /* hash table of node ids + 1                           */
    uint32_t  table_cap;            /* a power of two; 0: none yet                          */
    bool      rules;                /* simplify                                             */
    const uint8_t *input_flags;     /* [inputs] NodeFlag of INPUT leaves; NULL: 0           */
    uint8_t   data_flags;           /* of DATA, WEIGHT leaves                               */
} Nodes;

void nodes_init(Nodes *n, Arena *arena, bool rules);
/* A copy that grows independently, in `arena`. */
void nodes_copy(Nodes *to, const Nodes *from, Arena *arena);

uint32_t nodes_const(Nodes *n, double value);
uint32_t nodes_leaf(Nodes *n, Op op, uint64_t slot);
uint32_t nodes_make(Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot);
/* One node for equal ones, without rules. */
uint32_t nodes_share(Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot);
uint32_t nodes_1(Nodes *n, Op op, uint32_t a);
uint32_t nodes_2(Nodes *n, Op op, uint32_t a, uint32_t b);
uint32_t nodes_3(Nodes *n, Op op, uint32_t a, uint32_t b, uint32_t c);
/* The sum of any number of terms; 0 for none. */
uint32_t nodes_sum(Nodes *n, const uint32_t *terms, uint32_t count);

static inline const Node *nodes_get(const Nodes *n, uint32_t id)
{
    return &n->nodes.data[id];
}

static inline const uint32_t *nodes_args(const Nodes *n, uint32_t id)
{
    return n->args.data ? n->args.data + n->nodes.data[id].first : NULL;
}

static inline bool nodes_is(const Nodes *n, uint32_t id, double value)
{
    const Node *node = &n->nodes.data[id];
    return node->op == OP_CONST && node->value == value;
}

static inline bool op_is_comparison(Op op)
{
    return op >= OP_EQ && op <= OP_GE;
}

/* ---- simplification (simplify.c) ---- */

/* A node that equals op(args), or NODE_NONE if a new one is needed. */
uint32_t grad_simplify(Nodes *n, Op op, const uint32_t *args, uint32_t count);

/* ---- evaluation in f64 (value.c) ---- */

/* The value of a primitive; not of leaves, GIVEN, CUSTOM and PARTIAL. */
double grad_value_of(Op op, const double *args, uint32_t count);
/* Its partial derivatives. partials[i] is 0 where the operator has none. `mask[i]` is set where
 * the partial is a choice: a false one contributes 0 whatever the adjoint is. */
typedef enum PartialKind { PARTIAL_FACTOR, PARTIAL_TAKEN, PARTIAL_NOT_TAKEN } PartialKind;
void grad_value_partials(double *partials, PartialKind *kinds, Op op, double value,
                    const double *args, uint32_t count);

#endif
