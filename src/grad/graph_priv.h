// SPDX-License-Identifier: Apache-2.0
/*
 * graph_priv.h - a recorded graph, and the state that this layer keeps on a context.
 *
 * made by   graph.c, operators.c, vector.c
 * read by   immediate.c, program.c, signature.c, batches
 */
#ifndef WEFT_GRAD_GRAPH_PRIV_H
#define WEFT_GRAD_GRAPH_PRIV_H

#include <weft/grad.h>

#include "context/context.h"
#include "grad/nodes.h"

typedef struct GradBlock {
    const char *name;               /* a WGSL identifier                                    */
    uint32_t    first;              /* INPUT slot of its first member                       */
    uint32_t    size;
    bool        fixed;
} GradBlock;

typedef struct GradLeaf {           /* a number of an instance's data                       */
    const char *name;
    uint32_t    set, member;        /* which call of weft_grad_data(), and which of its numbers */
} GradLeaf;

typedef struct GradOutput {
    uint32_t    node;
    const char *name;
} GradOutput;

typedef struct GradCustom {
    const char *name;
    uint32_t    arity;
    const char *value;
    const char *partials[CUSTOM_ARITY];
    double    (*evaluate)(void *user, const double *args);
    void      (*differentiate)(void *user, double *partials, const double *args);
    void       *user;
} GradCustom;

struct weft_grad_graph {
    uint32_t      references;
    weft_context *ctx;              /* NULL: a part of a program, without errors            */
    uint32_t      tag;              /* upper bits of its nodes' handles                     */
    uint32_t      node_limit;
    bool          failed;
    const char   *label;
    Arena         arena;
    Nodes         nodes;
    VEC(const char *) names;        /* [0] is NULL                                          */
    VEC(GradBlock)  blocks;
    VEC(GradLeaf)   data;
    VEC(GradOutput) outputs;
    VEC(GradCustom) customs;
    uint32_t      inputs;           /* INPUT slots, fixed ones included                     */
    uint32_t      active;           /* differentiated ones                                  */
    uint32_t      data_sets;
    Arena         text;             /* of weft_grad_graph_wgsl()                            */
};

/* The graph's node of a handle; NODE_NONE (and a failed graph) if it is not one. */
uint32_t grad_node(weft_grad_graph *graph, weft_grad_node handle);
weft_grad_node grad_handle(const weft_grad_graph *graph, uint32_t id);
/* A primitive operator on handles; 0 if an argument is 0. */
weft_grad_node grad_make(weft_grad_graph *graph, Op op, const weft_grad_node *args,
                          uint32_t count, uint64_t slot);
/* A value that depends on the precision of the kernel: TINY_F64 or TINY_F32. */
weft_grad_node grad_tiny(weft_grad_graph *graph);
/* Records an error; always returns 0. */
weft_grad_node grad_fail(weft_grad_graph *graph, weft_error_kind kind, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* False, with an error, if the graph is NULL, failed, or has no outputs. */
bool grad_complete(weft_grad_graph *graph);
/* The column of an INPUT slot in Jacobians; NODE_NONE if it is fixed. columns[inputs]. */
void grad_columns(uint32_t *columns, const weft_grad_graph *graph);

/* Whether two custom operators are the same apart from their names; a copy in `arena`. */
bool       custom_equal(const GradCustom *a, const GradCustom *b);
GradCustom custom_copy(const GradCustom *from, Arena *arena);

/* A graph, empty; with `rules` it simplifies. NULL, with an error, without memory. */
weft_grad_graph *grad_new(weft_context *ctx, const char *label, uint32_t node_limit, bool rules);

/* False if a custom operator, whose name is then in *custom, has no WGSL. */
bool grad_kernels_possible(const weft_grad_graph *graph, const char **custom);

/* The canonical form of a graph (signature.c): nodes in the order of a depth-first visit from
 * the outputs, leaves numbered by first visit. Graphs with equal canonical forms have one
 * kernel. */
typedef struct Canon {
    weft_grad_graph *graph;         /* to be released; its blocks and data are those that are
                                       used, in canonical order                             */
    uint32_t *block;                /* [blocks of the original] canonical number, or NODE_NONE
                                       if the block is unused; lives in `graph`             */
    uint32_t *data;                 /* [data of the original] likewise                      */
    uint8_t   hash[32];
} Canon;

bool canon_make(Canon *canon, const weft_grad_graph *graph);
/* Whether two canonical graphs have one kernel. */
bool canon_equal(const weft_grad_graph *a, const weft_grad_graph *b);

#endif
