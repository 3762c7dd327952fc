// SPDX-License-Identifier: Apache-2.0
/*
 * tensor.h - how an operator plugs into the graph of tensors.
 *
 * An operator is a public function that checks its arguments and calls tensor_node(), and a
 * const TensorOp that says how its elements are computed. The kind decides what has to be
 * given, and what the evaluator can fuse:
 *
 *   OP_ELEMENTWISE  a WGSL expression of the operands at the same position (elementwise.c).
 *                   Fused with everything around it.
 *   OP_INDEXED      write() emits WGSL for one element from the coordinates of the result; it
 *                   loads inputs at any coordinates (copy.c: pad, concat). Its inputs are in
 *                   memory, its consumers are fused.
 *   OP_REDUCE       accumulates over axes (reduce.c). Elementwise producers are fused as a
 *                   prologue, consumers of the same size as an epilogue.
 *   OP_LIBRARY      plan() adds kernels from kernels/<name>.wgsl (dense.c: matmul). Inputs are in
 *                   memory, any strides; if hook() gives an iteration space, elementwise
 *                   consumers are fused into the `finish` function of the last kernel.
 *
 * Results are contiguous. Packed types (bool, i8, u8, bf16; f16 without device support) are read
 * by generated accessors; library operators produce f32, i32, u32 (or f16 where the device has
 * it) and cast: tensor_stores_direct() tells. Several results: one u32 tensor holding all of
 * them, and views (weft_tensor_narrow, _reshape, _bitcast) of its parts.
 */
#ifndef WEFT_TENSOR_TENSOR_H
#define WEFT_TENSOR_TENSOR_H

#include <weft/tensor.h>

#include "base/arena.h"
#include "context/context.h"
#include "context/writer.h"

#define MAX_RANK WEFT_MAX_RANK

typedef struct TensorOp TensorOp;
typedef struct IndexedWrite IndexedWrite;
typedef struct LibraryPlan LibraryPlan;

typedef enum OpKind { OP_ELEMENTWISE, OP_INDEXED, OP_REDUCE, OP_LIBRARY } OpKind;

/* Parameters of an operator. They are part of the kernel's identity: values that change from
 * call to call belong into scalar tensors, which kernels read from a uniform buffer. */
typedef struct OpAttr {
    double  f[4];
    int64_t i[8];
} OpAttr;

struct TensorOp {
    const char *name;
    OpKind      kind;
    uint8_t     cost;               /* 1: an addition, 8: exp; decides whether to compute again */

    /* OP_ELEMENTWISE: $a $b $c operands, $p $q $r $s attributes, $T the type, for each type of
     * the operands; NULL: no such type. Functions of elementwise_helpers.c may be called. */
    const char *f, *i, *u, *b;

    void      (*write)(IndexedWrite *w);            /* OP_INDEXED */

    bool      (*plan)(LibraryPlan *p);              /* OP_LIBRARY */
    /* The iteration space of finish(): up to 3 sizes whose product, last fastest, is the
     * result. NULL: no epilogue. Returns the rank. */
    uint32_t  (*hook)(const weft_tensor *node, uint64_t size[3]);
};

/* ---- making nodes ---- */

typedef struct NodeDesc {
    const TensorOp     *op;
    weft_dtype          dtype;      /* of the result                                        */
    weft_dtype          arg_dtype;  /* OP_ELEMENTWISE: operands are converted   0: dtype    */
    uint32_t            rank;
    const uint64_t     *shape;
    weft_tensor *const *inputs;
    uint32_t            input_count;
    OpAttr              attr;
    const void         *extra;      /* more parameters, copied                              */
    uint32_t            extra_size;
} NodeDesc;

/* A pending tensor, or NULL with the error set. Inputs must have passed tensor_args(). */
weft_tensor *tensor_node(weft_context *ctx, const NodeDesc *desc);

/* The context of the arguments of operator `what`: NULL with the error set if one of them is
 * NULL, released, or of another context. Operands that are optional are left out. */
weft_context *tensor_args(const char *what, weft_tensor *const *args, uint32_t count);
#define TENSOR_ARGS(what, ...)                                                               \
    tensor_args(what, (weft_tensor *const[]){__VA_ARGS__},                                   \
                (uint32_t)(sizeof((weft_tensor *const[]){__VA_ARGS__}) / sizeof(weft_tensor *)))

/* Resolves a negative axis. False with WEFT_ERROR_SHAPE if it is outside -rank..rank-1. */
bool tensor_axis(uint32_t *out, const weft_tensor *t, int axis, const char *what);
/* "[2, 3] f32" for messages; in a ring of buffers, valid for a few calls. */
const char *tensor_text(const weft_tensor *t);
const char *shape_text(uint32_t rank, const uint64_t *shape);
/* Product of the sizes; false if it or its bytes are above 2^62. */
bool shape_count(uint64_t *out, uint32_t rank, const uint64_t *shape);
/* NumPy broadcasting of two shapes. False if they do not fit. */
bool shape_broadcast(uint32_t *rank, uint64_t *shape, uint32_t a_rank, const uint64_t *a,
                     uint32_t b_rank, const uint64_t *b);
void shape_contiguous(int64_t *strides, uint32_t rank, const uint64_t *shape);

/* ---- types ---- */

typedef enum Compute { COMPUTE_F32, COMPUTE_F64, COMPUTE_I32, COMPUTE_U32, COMPUTE_BOOL } Compute;

Compute     dtype_compute(weft_dtype dtype);
const char *compute_text(Compute c);                /* "f32"; "bool"                        */
bool        dtype_is_float(weft_dtype dtype);
bool        dtype_is_integer(weft_dtype dtype);     /* bool is not                          */
bool        dtype_is_block(weft_dtype dtype);       /* q4_0, q8_0, i4, u4                   */
/* The type that two operands are converted to; weak ones yield. */
weft_dtype  tensor_promote(const weft_tensor *a, const weft_tensor *b);
weft_dtype  dtype_promote(weft_dtype a, weft_dtype b);
/* Whether kernels may store single elements: 32 and 64 bits, f16 with device support. */
bool        tensor_stores_direct(weft_context *ctx, weft_dtype dtype);
/* x as this type: itself with one more reference if it has it already. */
weft_tensor *tensor_as(weft_tensor *x, weft_dtype dtype);

/* ---- what an indexed operator writes ---- */

struct IndexedWrite {
    Writer            *w;
    Arena             *arena;
    const weft_tensor *node;
    const char       **coord;       /* u32 expressions, one for each axis of the result     */
    const char        *out;         /* a declared `var` of the result's compute type: assign */
    void              *group;
};

/* The expression of input `k` at the coordinates `at`, in the input's compute type. */
const char *indexed_load(IndexedWrite *x, uint32_t k, const char *const *at);
/* A literal of the result's compute type. */
const char *indexed_literal(IndexedWrite *x, double value);
/* The linear position in the result, a u32 expression. */
const char *indexed_linear(IndexedWrite *x);

/* ---- what a library operator plans ---- */

typedef struct LibraryInput {
    weft_dtype dtype;
    uint32_t   rank;
    uint64_t   shape[MAX_RANK];
    int64_t    strides[MAX_RANK];   /* elements                                             */
    int64_t    offset;              /* of the first element from the start of the binding   */
} LibraryInput;

struct LibraryPlan {
    Arena              *arena;
    weft_context       *ctx;
    const weft_tensor  *node;       /* attr, shape and dtype of the result                  */
    const LibraryInput *in;         /* node's inputs                                        */
    void               *group;      /* of the evaluator                                     */
};

typedef enum LibraryUse { USE_INPUT, USE_OUTPUT, USE_TEMP_READ, USE_TEMP_WRITE } LibraryUse;

typedef struct LibraryBinding {
    const char *name;               /* variable; those that are read also get an accessor
                                       `fn NAME_at(i : u32) -> T`                           */
    LibraryUse  use;
    uint32_t    index;              /* of the input or the temporary                        */
    const char *type;               /* element type of a temporary          NULL: "f32"     */
} LibraryBinding;

#define LIBRARY_MAX_PARAMS   32     /* names and values                                     */
#define LIBRARY_MAX_NUMBERS  40
#define LIBRARY_MAX_BINDINGS 8

/* A u32 of a kernel; strides and offsets may be negative: sums of them wrap. */
typedef struct LibraryNumber {
    const char *name;
    uint64_t    value;
} LibraryNumber;

typedef struct LibraryKernel {
    const char    *name;            /* kernels/NAME.wgsl. `${DECLARE}` becomes enables,
                                       bindings, accessors and finish()                     */
    LibraryNumber  numbers[LIBRARY_MAX_NUMBERS];
    const char    *params[LIBRARY_MAX_PARAMS];      /* name, text, ...; T is there          */
    LibraryBinding bindings[LIBRARY_MAX_BINDINGS];  /* up to the first without a name       */
    uint32_t       repeat;          /* lines with #r are repeated, with 0, 1, ...   0: none  */
    uint32_t       groups[3];
    bool           finish;          /* declares `fn finish(c0, c1, c2 : u32, v : T) -> OUT` with
                                       as many coordinates as hook() gives, to be called for
                                       each element of the result that is stored            */
} LibraryKernel;

/* A temporary of `count` 32-bit words; its index for bindings. */
uint32_t library_temp(LibraryPlan *p, uint64_t words);
/* A u32 literal; strides and offsets wrap, as the sums that they are part of do. */
const char *library_u32(LibraryPlan *p, uint64_t value);
const char *library_type(LibraryPlan *p);       /* T: what the node is computed in          */
/* The offset of axes [from, to) of an input, from their linear position (last fastest), which is
 * the u32 variable `position`. */
const char *library_axes_start(LibraryPlan *p, const LibraryInput *in, uint32_t from, uint32_t to,
                               const char *position);
/* Workgroups of 256 invocations, one an element: number id.y * 16776960u + id.x. */
void library_flat(uint32_t groups[3], uint64_t count);
/* Appends a kernel. False with the error set. */
bool     library_kernel(LibraryPlan *p, const LibraryKernel *kernel);

#endif
