// SPDX-License-Identifier: Apache-2.0
/*
 * batch_priv.h - the instances of a graph, and the parts of them that contexts evaluate.
 *
 * made by   batch.c
 * read by   evaluate.c (dispatches), fallback.c (immediate evaluation), structure.c (queries)
 */
#ifndef WEFT_GRAD_BATCH_PRIV_H
#define WEFT_GRAD_BATCH_PRIV_H

#include "grad/immediate_priv.h"
#include "grad/kernel_priv.h"
#include "grad/layout_priv.h"
#include "grad/sums_priv.h"

/* A kernel of a part, with the sums that its results need. */
typedef struct PartKernel {
    uint32_t    products;
    weft_grad_weights weights;
    GradKernel *kernel;
    weft_buffer *results, *sums;
    bool        gradient_ready, normal_ready, cost_ready;
    Sums        gradient, normal, cost;
} PartKernel;

#define PART_KERNELS 16

/* Consecutive instances on one context. */
typedef struct Part {
    weft_context *ctx;
    uint32_t      begin, count;
    Layout        layout;
    uint32_t     *placed;           /* [layout.slots] the instance of a position, or NODE_NONE;
                                       NULL: not made yet                                   */
    bool          f64;              /* kernels compute in f64                               */
    bool          sums_f64;         /* contributions are f64                                */
    weft_buffer  *parameters, *index, *shared, *lengths, *data, *weights, *tangent;
    bool          data_current;
    PartKernel    kernels[PART_KERNELS];
    uint32_t      kernel_count;
    PartKernel   *last;             /* of the last evaluation                               */
    void         *staging;          /* host memory for uploads                              */
    size_t        staging_size;
} Part;

typedef enum BatchPath { BATCH_UNDECIDED, BATCH_DISPATCH, BATCH_IMMEDIATE } BatchPath;

struct weft_grad_batch {
    uint32_t      references;
    weft_context *ctx;
    const char   *label;
    Arena         arena;
    Canon         canon;
    /* the graph as its user declared it */
    uint32_t      block_count, input_count, data_count, outputs;
    GradBlock    *blocks;           /* [block_count] first: of the differentiated inputs    */
    uint32_t     *column;           /* [columns of the canonical graph] input of the user   */
    uint32_t     *data_from;        /* [data of the canonical graph] data of the user       */
    uint32_t      count, parameter_count;
    uint32_t     *index;            /* [count][block_count] as given                        */
    uint32_t     *canon_index;      /* [count][blocks of the canonical graph]               */
    double       *data;             /* [count][data of the canonical graph]                 */
    weft_grad_precision precision;
    weft_grad_layout    layout;
    uint64_t      threshold;
    weft_context **contexts;        /* [context_count], the first is ctx                    */
    uint32_t      context_count;
    BatchPath     path;
    const char   *reason;
    Part         *parts;
    uint32_t      part_count;
    Immediate     immediate;        /* graph NULL: not made yet                             */
    double       *scratch;          /* inputs of one instance                               */
    weft_grad_entry *pattern;       /* [outputs][input_count]                               */
    weft_grad_normal normal;        /* entries UINT64_MAX: not computed yet                 */
    bool          normal_ready;
    bool          busy;             /* an asynchronous evaluation is under way              */
};

/* ---- batch.c ---- */

bool batch_make_parts(weft_grad_batch *b);
/* The products of an evaluation, PRODUCT_COST included. */
uint32_t batch_products(const weft_grad_evaluation *e);
/* Parameter of column `column` (of the canonical graph) of an instance. */
uint32_t batch_parameter(const weft_grad_batch *b, uint32_t instance, uint32_t column);

/* ---- fallback.c ---- */

bool batch_immediate(weft_grad_batch *b, const weft_grad_evaluation *e);
/* Chooses immediate evaluation where nothing need be measured for that; else leaves the choice
 * open, with all parts made. */
bool batch_settle(weft_grad_batch *b, uint32_t products, weft_grad_weights weights);
/* Decides once between immediate evaluation and dispatches, whose kernels are compiled then. A
 * kernel that cannot be compiled ends dispatches. */
bool batch_decide(weft_grad_batch *b, const weft_grad_evaluation *e);

/* ---- evaluate.c ---- */

bool batch_dispatch(weft_grad_batch *b, const weft_grad_evaluation *e);
PartKernel *part_kernel(weft_grad_batch *b, Part *part, uint32_t products,
                        weft_grad_weights weights);
/* Whether the context has the kernel, so that it need not be compiled. */
bool part_kernel_known(const weft_grad_batch *b, const Part *part, uint32_t products,
                       weft_grad_weights weights);
bool part_data_upload(weft_grad_batch *b, Part *part);

/* ---- unpack.c ---- */

/* Sums that a result needs, planned at first use. */
bool part_plan_gradient(weft_grad_batch *b, Part *part, PartKernel *k);
bool part_plan_normal(weft_grad_batch *b, Part *part, PartKernel *k);
bool part_plan_cost(weft_grad_batch *b, Part *part, PartKernel *k);
/* Results of a part, as read from its buffer, into the arrays of an evaluation. */
void part_unpack(const weft_grad_batch *b, Part *part, const PartKernel *k,
                 const weft_grad_evaluation *e, const void *results);
void part_add_gradient(const weft_grad_batch *b, const PartKernel *k, double *gradient,
                       const double *sums);
void part_add_normal(const weft_grad_batch *b, const PartKernel *k, double *normal,
                     const double *sums);

/* ---- structure.c ---- */

/* Place of (row, column) in the normal matrix, row <= column. */
uint64_t batch_normal_entry(const weft_grad_batch *b, uint32_t row, uint32_t column);

#endif
