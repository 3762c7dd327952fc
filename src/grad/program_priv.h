// SPDX-License-Identifier: Apache-2.0
/*
 * program_priv.h - a graph with the derivatives that are wanted of it, ready to be emitted.
 *
 * made by   program.c (what is computed, in which mode), fuse.c (fused multiply-add)
 * read by   emit.c, batches
 */
#ifndef WEFT_GRAD_PROGRAM_PRIV_H
#define WEFT_GRAD_PROGRAM_PRIV_H

#include "grad/derive_priv.h"
#include "grad/graph_priv.h"

/* In addition to weft_grad_product: the contribution of an instance to the cost. */
#define PRODUCT_COST 32u

/* The entries of a program in this order: those before PART_SUMS belong to an instance, the
 * others are summed over instances. */
typedef enum ProgramPart {
    PART_VALUES, PART_JACOBIAN, PART_TANGENT, PART_GRADIENT, PART_NORMAL, PART_COST, PART_END,
    PART_SUMS = PART_GRADIENT
} ProgramPart;

#define UNIFORM_ALL (NODE_NONE - 1)

typedef struct ProgramSpec {
    uint32_t          products;
    weft_grad_weights weights;
    uint32_t          uniform;      /* block whose members are equal for neighbouring
                                       instances; NODE_NONE: none, UNIFORM_ALL: all blocks  */
    bool              fuse;         /* use fused multiply-add                               */
} ProgramSpec;

typedef struct NormalPair { uint32_t row, column; } NormalPair;     /* row <= column         */

typedef struct Program {
    Arena                  arena;
    const weft_grad_graph *graph;   /* canonical; borrowed                                  */
    ProgramSpec            spec;
    Nodes                  nodes;
    uint8_t               *input_flags;
    uint32_t               columns; /* differentiated inputs                                */
    uint32_t              *column_slot;     /* [columns] INPUT slot                         */
    VEC(uint32_t)          entries; /* nodes that each instance stores                      */
    VEC(const char *)      comments;/* what each entry is                                   */
    uint32_t               first[PART_END + 1];     /* entry where each part begins         */
    weft_grad_entry       *pattern; /* [outputs][columns], counted from its part            */
    int32_t               *gradient;/* [columns] entry counted from its part, or -1         */
    VEC(NormalPair)        normal;  /* one for each entry of its part                       */
    bool                  *live;    /* [nodes] statement needed, or leaf used               */
    uint32_t               statements;
    uint64_t               cost;
    EliminationOrder       order;
} Program;

/* `graph` must be canonical and outlive the program. */
void grad_program_make(Program *p, const weft_grad_graph *graph, const ProgramSpec *spec);
void grad_program_fini(Program *p);
/* Replaces products followed by sums where nothing else uses the product. */
void grad_program_fuse(Program *p);
/* Marks what the entries need. */
void grad_program_mark(Program *p);
/* The node whose value `id` has: GIVEN nodes have that of their first argument. */
uint32_t grad_program_value(const Nodes *n, uint32_t id);

#endif
