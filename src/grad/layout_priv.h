// SPDX-License-Identifier: Apache-2.0
/*
 * layout_priv.h - where the instances of a batch and the parameters they use are placed.
 *
 * made by   layout.c
 * read by   batches
 */
#ifndef WEFT_GRAD_LAYOUT_PRIV_H
#define WEFT_GRAD_LAYOUT_PRIV_H

#include "grad/emit_priv.h"

/* A block at one place of the parameter vector: rows of four, padded with zeros. */
typedef struct LayoutBlock {
    uint32_t offset;                /* in the parameter vector                              */
    uint32_t size;
    uint32_t row;                   /* first row                                            */
} LayoutBlock;

typedef struct Layout {
    KernelMode   mode;
    uint32_t     shared;            /* block that a workgroup has in common; NODE_NONE      */
    uint32_t     run;               /* most instances of a run                              */
    bool         uneven;
    uint32_t     slots;             /* positions of instances, padding included             */
    uint32_t     owners;            /* of sums: runs or slots, padding included             */
    uint32_t    *position;          /* [count] slot of an instance; NULL: its number        */
    uint32_t    *owner_instance;    /* [owners] an instance, or NODE_NONE for padding       */
    uint32_t    *lengths;           /* [owners] of runs                                     */
    uint32_t    *index;             /* blocked [owners][blocks]: rows                       */
    uint32_t    *shared_rows;       /* [slots / EMIT_GROUP]                                 */
    LayoutBlock *blocks;            /* distinct ones, by size and offset                    */
    uint32_t     block_count;
    uint32_t     rows;              /* at least 1                                           */
    uint32_t     groups;            /* different combinations of blocks                     */
} Layout;

typedef struct LayoutInput {
    const weft_grad_graph *graph;   /* canonical                                            */
    const uint32_t        *index;   /* [count][blocks of the canonical graph]               */
    uint32_t               count;
    bool                   plain;   /* no sorting: for SOA and AOS                          */
} LayoutInput;

/* False without memory, or if there are more slots than 2^31. */
bool grad_layout_make(Layout *l, const LayoutInput *in);
void grad_layout_fini(Layout *l);

/* Blocked element of an owner's entry. */
static inline uint64_t layout_element(uint32_t owner, uint32_t entries, uint32_t entry)
{
    return ((uint64_t)(owner / EMIT_LANES) * entries + entry) * EMIT_LANES + owner % EMIT_LANES;
}

static inline uint32_t layout_position(const Layout *l, uint32_t instance)
{
    return l->position ? l->position[instance] : instance;
}

#endif
