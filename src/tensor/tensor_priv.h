// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_priv.h - tensors, their memory, and what the layer keeps on a context.
 *
 * A tensor is one of three things: a root with storage, a root that is pending (op and inputs),
 * or a view (base, strides, offset) of a root. Views of views are flattened, so a base is never
 * a view. A pending root becomes one with storage by evaluation.
 *
 * made by   the public functions, in slabs of the state
 * not here  fusion and kernels (plan_priv.h)
 */
#ifndef WEFT_TENSOR_TENSOR_PRIV_H
#define WEFT_TENSOR_TENSOR_PRIV_H

#include "tensor/tensor.h"

typedef struct Storage Storage;
typedef struct TensorState TensorState;
typedef struct TensorScope TensorScope;
typedef struct Plan Plan;
typedef struct PlanCache PlanCache;
typedef struct ShareTable ShareTable;

#define TENSOR_ALIVE 0x74656e73u
#define TENSOR_DEAD  0x64656164u
#define INLINE_INPUTS 3

struct weft_tensor {
    uint32_t        alive;          /* TENSOR_ALIVE                                         */
    uint32_t        refs;           /* references of the user and of scopes                 */
    uint32_t        uses;           /* references of nodes, views and shares                */
    weft_context   *ctx;
    TensorState    *state;

    uint8_t         dtype, arg_dtype, rank;
    bool            weak;           /* a scalar that takes the type of the other operand    */
    bool            counted;        /* pending bytes include it                             */
    bool            seen;           /* was computed inside another kernel before            */
    uint64_t        shape[MAX_RANK];
    int64_t         strides[MAX_RANK];  /* elements                                         */
    int64_t         offset;         /* elements                                             */
    uint64_t        count;

    weft_tensor    *base;           /* view: of this root; NULL: a root                     */
    Storage        *storage;        /* root: elements; NULL: pending                        */

    const TensorOp *op;             /* pending                                              */
    OpAttr          attr;
    void           *extra;
    uint32_t        extra_size, input_count, depth;
    weft_tensor   **inputs;         /* inline_inputs or allocated                           */
    weft_tensor    *inline_inputs[INLINE_INPUTS];

    uint64_t        mark;           /* number of the evaluation that visited it last ...    */
    uint32_t        mark_index;     /* ... and its place there                              */
    Plan           *plan;           /* that computed it, for explain(); may be NULL         */
    weft_tensor    *pending_next, *pending_prev;   /* all pending roots of the state        */
    weft_tensor    *scope_next, *scope_prev;
    TensorScope    *scope;
    char           *label;
};

/* The memory of one root. Exactly one of device, host, borrowed or disk is there, or device
 * and one of the others with the same contents. Nothing at all means zeros. */
struct Storage {
    TensorState *state;
    uint64_t     bytes;             /* of the elements                                      */
    weft_buffer *buffer;
    void        *host;              /* owned                                                */
    const void  *borrowed;          /* the user's                                           */
    void       (*borrow_end)(void *user);
    void        *borrow_user;
    char        *path;              /* spill file                                           */
    bool         external;          /* the buffer is the user's: it never moves             */
    bool         busy;              /* part of the evaluation that is being recorded        */
    bool         is_i64, i64_known; /* elements are i64; their range was checked ...        */
    bool         i64_bad;           /* ... and some do not fit i32                          */
    uint32_t     pins;
    Storage     *newer, *older;     /* by last use, those with a device buffer              */
};

struct TensorScope {
    TensorScope *outer;
    weft_tensor *first;
};

typedef struct Slab {
    struct Slab *next;
    weft_tensor  tensors[64];
} Slab;

struct TensorState {
    weft_context *ctx;
    Slab         *slabs;
    weft_tensor  *free_first, *free_last;   /* first in, first out: stale handles are seen  */
    weft_tensor   pending;          /* list head                                            */
    uint64_t      pending_bytes, pending_count;
    Storage       lru;              /* list head: newer = oldest, older = newest            */
    TensorScope  *scope;
    uint64_t      mark;
    bool          evaluating;
    bool          no_fusion;        /* tests: every node a kernel of its own                */
    uint64_t      binding_limit;    /* bytes of one binding                                 */
    uint32_t      storage_limit;    /* storage bindings of a kernel                         */
    uint32_t      offset_align;     /* bytes                                                */
    bool          f16, f64;
    PlanCache    *plans;
    struct Graph *graph;            /* arrays of the evaluator, kept between evaluations    */
    ShareTable   *shares;
};

/* ---- state.c ---- */

/* The layer's state, made on first use. NULL with the error set. */
TensorState *tensor_state(weft_context *ctx);
/* A zeroed tensor with one reference, in the current scope. */
weft_tensor *tensor_alloc(TensorState *s);
/* Internal references. */
weft_tensor *tensor_use(weft_tensor *t);
void         tensor_unuse(weft_tensor *t);
void         tensor_pending_add(weft_tensor *t);
void         tensor_pending_remove(weft_tensor *t);
/* Drops op, inputs and parameters once t has storage. */
void         tensor_settle(weft_tensor *t, Storage *storage);

static inline weft_tensor *tensor_root(const weft_tensor *t)
{
    return t->base ? t->base : (weft_tensor *)(uintptr_t)t;
}

static inline bool tensor_is_pending(const weft_tensor *t)
{
    return tensor_root(t)->storage == NULL;
}

bool tensor_is_contiguous(const weft_tensor *t);

/* ---- view.c ---- */

/* A view of x with the given geometry. Strides and offset count elements of `dtype`. */
weft_tensor *tensor_view(weft_tensor *x, weft_dtype dtype, uint32_t rank, const uint64_t *shape,
                         const int64_t *strides, int64_t offset);
/* Strides of `t` under a new shape without copying; false: impossible. */
bool shape_restride(int64_t *strides, uint32_t rank, const uint64_t *shape, uint32_t old_rank,
                    const uint64_t *old_shape, const int64_t *old_strides);
/* t broadcast to a shape that it fits: strides with 0 for repeated axes. */
void tensor_broadcast_strides(int64_t *strides, const weft_tensor *t, uint32_t rank,
                              const uint64_t *shape);

/* The positions first, first + by, ... that a range takes of an axis; by is 0 for one position. */
void range_resolve(int64_t *first, int64_t *by, uint64_t *count, const weft_range *r,
                   uint64_t size);

/* ---- create.c ---- */

/* Whether a tensor can have this type and shape; its number of elements. False with the error
 * set. */
bool tensor_shape_ok(uint64_t *count, weft_context *ctx, const char *what, weft_dtype dtype,
                     uint32_t rank, const uint64_t *shape);

/* ---- index.c ---- */

/* Whether `indices` have an integer type; in checked contexts also whether all are inside an axis
 * of n elements. False with the error set. */
bool tensor_check_indices(weft_tensor *indices, uint64_t n, const char *what);

/* The same for tuples of indices (the last axis) into the axes of x from `first` on. */
bool tensor_check_tuples(weft_tensor *indices, const weft_tensor *x, uint32_t first,
                         const char *what);

/* ---- storage.c ---- */

Storage *storage_create(TensorState *s, uint64_t bytes);
void     storage_release(Storage *st);
/* The device buffer with the contents, uploaded if they are elsewhere. NULL: error set. */
weft_buffer *storage_device(Storage *st);
/* Size of a buffer for so many bytes; for none that of the largest element, to be bound. */
uint64_t storage_padded(uint64_t bytes);
/* A device buffer whose contents will all be written. */
bool     storage_allocate(Storage *st, bool zeroed);
/* Notes whether all 64-bit integers at `data` fit i32; *at is the first that does not. */
bool     storage_scan_i64(Storage *st, const void *data, uint64_t bytes, uint64_t *at);
/* Contents for reading on the host, without moving anything: only if they are on the host. */
const void *storage_host(const Storage *st);
/* Other copies than that on the device are out of date. */
void     storage_written(Storage *st);
void     storage_touch(Storage *st);
bool     storage_move(Storage *st, weft_location to);
weft_location storage_location(const Storage *st);
uint64_t storage_evict(void *state, uint64_t bytes);

/* ---- eval.c ---- */

bool tensor_evaluate(TensorState *s, weft_tensor *const *roots, uint32_t count);
/* Evaluates all pending tensors that read this root: before it is written. */
bool tensor_evaluate_readers(weft_tensor *root);
/* Copies the elements of x (cast, broadcast) into the evaluated tensor t. */
bool tensor_copy_into(weft_tensor *t, weft_tensor *x);
/* Range check of i64 elements that came from the host, before they are computed with. */
bool tensor_check_i64(weft_tensor *t, const char *what);

/* ---- plan_cache.c, share.c, explain.c ---- */

void plan_release(Plan *plan);
void plan_cache_free(PlanCache *cache);
void graph_free(struct Graph *graph);
void share_free(ShareTable *shares);

#endif
