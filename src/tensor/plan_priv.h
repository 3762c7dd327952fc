// SPDX-License-Identifier: Apache-2.0
/*
 * plan_priv.h - from a pending graph to kernels.
 *
 *   graph.c    pending tensors -> Graph: nodes in order, leaves, a key that identifies it
 *   plan.c     Graph -> groups: which nodes become one kernel, and why fusion stopped
 *   group.c    a group -> values: loads, operations, each with its access over one domain
 *   fuse.c     values -> WGSL of an elementwise kernel;  fuse_reduce.c: of reductions
 *   split.c    elementwise kernels over parts of tensors above the limit of a binding
 *   parts.c    other kernels: large tensors in several bindings
 *   library.c  library operators -> kernels, with their epilogue
 *   eval.c     runs plans;  plan_cache.c keeps them by key
 *
 * A plan holds nothing of the tensors it was made from: it runs for every graph with its key.
 */
#ifndef WEFT_TENSOR_PLAN_PRIV_H
#define WEFT_TENSOR_PLAN_PRIV_H

#include "tensor/elementwise_priv.h"

/* ---- graph ---- */

typedef struct Graph Graph;
struct Graph {
    TensorState  *s;
    weft_tensor **nodes;            /* pending roots, inputs first                          */
    weft_tensor **leaves;           /* other tensors that nodes read                        */
    uint32_t      node_count, leaf_count;
    uint32_t      node_cap, leaf_cap;
    uint64_t     *key;
    uint32_t      key_len, key_cap;
    uint64_t      hash;
    weft_tensor *const *roots;      /* the caller's                                         */
    uint32_t      root_count;
    uint32_t     *group_of;         /* by node: the group it is computed in, as plan.c chose;
                                       UINT32_MAX: it is the root of a group, in memory     */
};

/* Collects what the roots need. False: out of memory, error set. */
bool graph_collect(Graph *g, TensorState *s, weft_tensor *const *roots, uint32_t count);
void graph_fini(Graph *g);

/* Bytes of a leaf's binding: from `start`, a multiple of the device's alignment, to `end`. */
void leaf_range(uint64_t *start, uint64_t *end, const weft_tensor *t);
/* Scalars whose value is part of the kernel's text; others are read from a uniform. */
bool scalar_is_literal(const weft_tensor *t);

/* ---- plan ---- */

typedef enum SlotKind { SLOT_LEAF, SLOT_NODE, SLOT_TEMP, SLOT_SCALARS } SlotKind;

typedef struct Slot {
    SlotKind kind;
    uint32_t index;
    uint64_t start, size;           /* bytes of a part            size 0: all of it         */
    bool     last;                  /* a temporary that no later step has                   */
} Slot;

typedef struct Step {
    weft_pipeline *pipeline;        /* compiled on the first run                            */
    const char    *label, *text;
    Slot          *slots;
    uint32_t       slot_count;
    uint32_t       groups[3];
    uint32_t      *scalars;         /* nodes whose values the uniform holds                 */
    uint32_t       scalar_count;
    uint32_t      *frees;           /* nodes that no later step reads and no root is        */
    uint32_t       free_count;
} Step;

typedef struct PlanOutput {
    uint32_t node;
    bool     zeroed;                /* packed elements are added by atomics                 */
    uint32_t step;                  /* the first that writes it                             */
} PlanOutput;

struct Plan {
    Arena       arena;
    uint32_t    refs;
    uint64_t   *key;
    uint32_t    key_len;
    uint64_t    hash;
    Step       *steps;
    uint32_t    step_count;
    PlanOutput *outputs;
    uint32_t    output_count;
    uint64_t   *temps;              /* bytes                                                */
    uint32_t    temp_count;
    const char *notes;              /* why fusion stopped                                   */
    Plan       *next;               /* in the cache's bucket                                */
    Plan       *newer, *older;
};

/* The plan for a graph, from the cache or made. NULL with the error set. Borrowed. */
Plan *plan_for(Graph *g);
bool  plan_fill(Plan *plan, Graph *g);

/* ---- groups ---- */

#define MAX_VALUES  96
#define MAX_BINDS   16
#define MAX_SCALARS 16

/* An affine function of the coordinates of a domain. */
typedef struct Access {
    int64_t stride[MAX_RANK];
    int64_t offset;
} Access;

typedef enum ValueKind { VALUE_LOAD, VALUE_OP, VALUE_SCALAR, VALUE_INDEXED, VALUE_CORE } ValueKind;

typedef struct Value {
    ValueKind          kind;
    const weft_tensor *of;          /* LOAD: the tensor read; else the node                 */
    weft_dtype         dtype;
    Access             access;
    uint32_t           bind;        /* LOAD                                                 */
    uint32_t           args[3];     /* OP: values; SCALAR: number in the uniform            */
    Access            *coord;       /* INDEXED: one for each axis                           */
    uint32_t          *binds;       /* INDEXED: bindings of its inputs                      */
    bool               pre;         /* belongs to the prologue of a reduction               */
    const char        *name;        /* of its variable in the text                          */
} Value;

typedef struct Bind {
    Slot       slot;
    weft_dtype dtype;
    int64_t    offset;              /* elements from the binding's start, already in accesses */
    const char *name;
} Bind;

typedef struct Group {
    Graph    *graph;
    Arena    *arena;
    uint32_t  id;
    uint32_t  root;                 /* node                                                 */
    int64_t   core;                 /* node of a reduction or library operator, or -1       */
    uint32_t  node_count;           /* inlined ones, for the limit                          */
    uint32_t *outputs;              /* nodes, root first                                    */
    uint32_t  output_count;

    uint32_t  rank;                 /* the domain                                           */
    uint64_t  size[MAX_RANK];
    uint32_t  reduced;              /* mask of axes; pre-values run over all axes           */

    Value     values[MAX_VALUES];
    uint32_t  value_count;
    uint32_t  out_value[8];         /* by output                                            */
    uint32_t  core_arg;             /* pre-value that the reduction accumulates             */
    Bind      binds[MAX_BINDS];
    uint32_t  bind_count;
    int64_t   out_shift[8];         /* elements: where an output's first one is bound       */
    uint32_t  scalars[MAX_SCALARS]; /* nodes                                                */
    uint32_t  scalar_count;
    bool      uses_f16, uses_f64, specials;

    uint32_t  blame;                /* after a failure: the node to put into memory         */
    const char *why;
} Group;

/* Fills domain, values and bindings. False: g->blame cannot be part of the group. */
bool group_build(Group *g);
/* Merges adjacent axes of the domain that every access walks as one. */
void group_collapse(Group *g);
void     access_add(Access *a, const Access *b, int64_t times);

/* ---- making steps (plan.c) ---- */

typedef struct Planner {
    Graph    *graph;
    Plan     *plan;
    Arena    *arena;                /* of the plan                                          */
    VEC(Step) steps;
    VEC(PlanOutput) outputs;
    VEC(uint64_t) temps;
    Text      notes;
} Planner;

/* Adds a kernel; where a binding would be above the device's limit, in parts (parts.c). False with
 * the error set: the kernel cannot be divided. */
bool planner_step(Planner *p, const Group *g, const char *label, const char *text,
                  const Slot *slots, uint32_t slot_count, const uint32_t groups[3]);
bool parts_step(Planner *p, Step *step);
bool fuse_elementwise(Planner *p, Group *g);
/* fuse.c: one dispatch; split.c: several, where bindings would be above the device's limit and
 * rows of the result need less. `outs`, `whole`: the memory of all results. */
bool fuse_domain(Planner *p, Group *g, const Slot *outs);
bool fuse_split_domain(Planner *p, Group *g, const Slot *whole);
bool group_fits_bindings(const Group *g);
/* The width of a workgroup that wastes fewest lanes of a row. */
uint32_t fuse_row_width(uint64_t last);
bool fuse_reduce(Planner *p, Group *g);
bool fuse_library(Planner *p, Group *g);

/* ---- text shared by the emitters (fuse_text.c) ---- */

typedef struct Fuse {
    Planner    *p;
    Group      *g;
    Arena      *arena;
    Writer     *w;                  /* the body                                             */
    const char *axis[MAX_RANK];     /* u32 expressions of the domain's coordinates          */
    const char *flat;               /* the position in the contiguous domain, or NULL       */
    uint32_t    next;               /* number of the next variable                          */
} Fuse;

const char *fuse_index(Fuse *e, const Access *a);
/* The statements that compute all values with this `pre`; sets their names. */
void        fuse_values(Fuse *e, bool pre);
const char *fuse_load(Fuse *e, weft_dtype dtype, const char *bind, const char *index);
/* Conversion between compute types, and rounding to a type narrower than its compute type. */
const char *fuse_convert(Fuse *e, const char *text, weft_dtype from, weft_dtype to);
/* The WGSL element type of a stored type: "f32"; "u32" if packed. */
const char *store_type(const TensorState *s, weft_dtype dtype);
uint32_t    store_pack(const TensorState *s, weft_dtype dtype);     /* elements of a word, or 1 */
/* A value as it is stored: of store_type(), or the low bits of a u32 if packed. */
const char *fuse_stored(Fuse *e, const char *text, weft_dtype dtype);
const char *fuse_literal(Fuse *e, weft_dtype dtype, double value);
/* The whole module: comment, enables, bindings (inputs, then outputs, then scalars), helpers,
 * then `body`. Sets *slots. */
const char *fuse_module(Fuse *e, const char *title, const char *declarations, const char *body,
                        const Slot *outs, const char *const *out_types, uint32_t out_count,
                        Slot **slots, uint32_t *slot_count);
const char *group_title(const Group *g);
const char *fuse_scalar_type(const Group *g, uint32_t i);        /* of field i of the uniform    */

#endif
