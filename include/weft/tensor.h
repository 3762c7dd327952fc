// SPDX-License-Identifier: Apache-2.0
/*
 * weft/tensor.h - tensors: views, lazy fused operations, own kernels, sharing by owner and name.
 *
 *     weft_tensor *x = weft_tensor_create(ctx, &(weft_tensor_desc){
 *         .dtype = WEFT_F32, .rank = 2, .shape = {2, 3}, .data = numbers });
 *     weft_tensor *y = weft_tensor_relu(weft_tensor_matmul(x, w));
 *     float out[6];
 *     if (!weft_tensor_read(out, sizeof out, y))
 *         puts(weft_context_error(ctx)->message);
 *
 * Operations build a graph and return at once; shapes and types are checked in the call.
 * Evaluation happens when data is asked for, by weft_tensor_eval(), or when the pending
 * results exceed the context's threshold. It fuses elementwise chains, broadcasts, reductions
 * and the epilogues of products into few kernels and reuses dead buffers; results do not
 * depend on what was fused. weft_tensor_explain() shows the kernels.
 *
 * Rules      NumPy broadcasting. Promotion: bool < i32, u32 < f16, bf16 < f32 < f64; i32 with
 *            u32 gives i32; f16 with bf16 gives f32; scalars (weft_tensor_scalar) are weak and
 *            take the other operand's type. Negative axes count from the end. NaN propagates
 *            through maxima, minima, sorts (last). Empty tensors and rank 0 are legal.
 * Ownership  every function that returns a tensor gives the caller one reference, also when it
 *            returns a view; release with weft_tensor_release() or in scopes
 *            (weft_tensor_scope_begin()). Arguments are not consumed. Views keep their parent's
 *            memory alive; writes through a view are visible in its parent and in other views.
 * Threads    as the context.
 * Errors     NULL or false, and weft_context_error(); messages name both shapes. NULL arguments
 *            give NULL results and set no error, so a chain is checked once and the error of the
 *            call that failed is kept. A released argument is reported to its context if that
 *            still exists and the tensor's slot was not reused; else its use is undefined.
 * Not here   files (weft/store.h), language models (weft/model.h).
 */
#ifndef WEFT_TENSOR_H
#define WEFT_TENSOR_H

#include <weft/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_tensor weft_tensor;

#define WEFT_MAX_RANK 8

/*    name    bytes  bits  computes in   what                                              */
#define WEFT_DTYPES(X)                                                                       \
    X(F32,    "f32",   32, F32,  "32-bit float")                                             \
    X(F16,    "f16",   16, F16,  "16-bit float; f32 arithmetic without the device feature")  \
    X(BF16,   "bf16",  16, F32,  "bfloat16, stored; computed in f32")                        \
    X(F64,    "f64",   64, F64,  "64-bit float, where the device has it")                    \
    X(I32,    "i32",   32, I32,  "32-bit integer")                                           \
    X(U32,    "u32",   32, U32,  "32-bit unsigned integer")                                  \
    X(I8,     "i8",     8, I32,  "8-bit integer, stored")                                    \
    X(U8,     "u8",     8, U32,  "8-bit unsigned integer, stored")                           \
    X(I64,    "i64",   64, I32,  "64-bit integer, stored; range-checked when used")          \
    X(BOOL,   "bool",   8, U32,  "0 or 1, one byte each")                                    \
    X(Q4_0,   "q4_0",   0, F32,  "blocks of 32 4-bit values with an f16 scale (18 bytes)")   \
    X(Q8_0,   "q8_0",   0, F32,  "blocks of 32 8-bit values with an f16 scale (34 bytes)")   \
    X(I4,     "i4",     4, F32,  "4-bit integers, two a byte, scales apart")                 \
    X(U4,     "u4",     4, F32,  "4-bit unsigned integers, two a byte, scales apart")

typedef enum weft_dtype {
    WEFT_DTYPE_NONE = 0,
#define X(name, text, bits, compute, what) WEFT_##name,
    WEFT_DTYPES(X)
#undef X
    WEFT_DTYPE_COUNT
} weft_dtype;

WEFT_API const char *weft_dtype_name(weft_dtype dtype);           /* NULL: no such type      */
WEFT_API weft_dtype  weft_dtype_find(const char *name);           /* WEFT_DTYPE_NONE: unknown*/
/* Bytes of `count` elements; 0 if the count does not fill the blocks of the type. */
WEFT_API uint64_t    weft_dtype_bytes(weft_dtype dtype, uint64_t count);

/* ---- creation ---- */

typedef struct weft_tensor_desc {
    weft_dtype  dtype;              /* 0: WEFT_F32                                          */
    uint32_t    rank;               /* 0 to 8                                               */
    uint64_t    shape[WEFT_MAX_RANK];
    const void *data;               /* contiguous, last axis fastest; copied   NULL: zeros  */
    uint64_t    data_size;          /* bytes at `data`      0: as many as the shape needs   */
    bool        borrow;             /* `data` stays valid and unchanged as long as the tensor:
                                       it is read on first use instead of copied            */
    void      (*borrow_end)(void *user);    /* called once, when borrowed data is not needed any
                                               more; not if this call fails    NULL: nothing */
    void       *borrow_user;
    weft_buffer *buffer;            /* existing device memory instead of `data`             */
    uint64_t    buffer_offset;      /* bytes, multiple of 4                                 */
    const char *label;              /* for messages         NULL: "tensor"                  */
} weft_tensor_desc;

WEFT_API weft_tensor *weft_tensor_create(weft_context *ctx, const weft_tensor_desc *desc);
WEFT_API weft_tensor *weft_tensor_retain(weft_tensor *t);
WEFT_API void         weft_tensor_release(weft_tensor *t);

/* A weak scalar of rank 0: takes the type of what it is combined with. */
WEFT_API weft_tensor *weft_tensor_scalar(weft_context *ctx, double value);
WEFT_API weft_tensor *weft_tensor_full(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                                       const uint64_t *shape, double value);
WEFT_API weft_tensor *weft_tensor_zeros(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                                        const uint64_t *shape);
WEFT_API weft_tensor *weft_tensor_ones(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                                       const uint64_t *shape);
/* start, start + step, ... below (step < 0: above) stop */
WEFT_API weft_tensor *weft_tensor_arange(weft_context *ctx, weft_dtype dtype, double start,
                                         double stop, double step);
WEFT_API weft_tensor *weft_tensor_linspace(weft_context *ctx, weft_dtype dtype, double start,
                                           double stop, uint64_t count);
WEFT_API weft_tensor *weft_tensor_eye(weft_context *ctx, weft_dtype dtype, uint64_t rows,
                                      uint64_t columns, int64_t diagonal);
/* Lower (upper false) or upper triangle of the last two axes; the rest is 0. */
WEFT_API weft_tensor *weft_tensor_tri(weft_tensor *t, bool upper, int64_t diagonal);
/* indices[...] -> [..., depth]: 1 where the index is, else 0 */
WEFT_API weft_tensor *weft_tensor_one_hot(weft_tensor *indices, uint64_t depth,
                                          weft_dtype dtype);

/* ---- queries: never evaluate ---- */

WEFT_API weft_context *weft_tensor_context(const weft_tensor *t);
WEFT_API weft_dtype    weft_tensor_dtype(const weft_tensor *t);
WEFT_API uint32_t      weft_tensor_rank(const weft_tensor *t);
WEFT_API const uint64_t *weft_tensor_shape(const weft_tensor *t);  /* rank values            */
WEFT_API uint64_t      weft_tensor_size(const weft_tensor *t, int axis);  /* 0 if no such axis */
WEFT_API uint64_t      weft_tensor_count(const weft_tensor *t);    /* elements               */
WEFT_API uint64_t      weft_tensor_bytes(const weft_tensor *t);    /* of its elements        */
WEFT_API uint32_t      weft_tensor_references(const weft_tensor *t);
WEFT_API bool          weft_tensor_is_view(const weft_tensor *t);
WEFT_API const char   *weft_tensor_label(const weft_tensor *t);
WEFT_API void          weft_tensor_set_label(weft_tensor *t, const char *label);

/* ---- data ---- */

/* Submits the pending work of all of them together. */
WEFT_API bool weft_tensor_eval(weft_tensor *const *tensors, uint32_t count);
/* Evaluates, waits, copies the elements out, last axis fastest. `bytes` must be
 * weft_tensor_bytes(). */
WEFT_API bool weft_tensor_read(void *out, uint64_t bytes, weft_tensor *t);
/* As weft_buffer_read_async(): t may be released, and a read under way keeps no context alive; it
 * ends with ok false when the context does. */
WEFT_API WGPUFuture weft_tensor_read_async(weft_tensor *t, weft_read_callback callback,
                                           void *user);
/* The only element as a number. */
WEFT_API bool weft_tensor_item(double *out, weft_tensor *t);
/* Replaces the elements; visible through views and to all that share the tensor. */
WEFT_API bool weft_tensor_write(weft_tensor *t, const void *data, uint64_t bytes);
/* Copies the elements of `from` (broadcast and cast) into `t`, on the device. */
WEFT_API bool weft_tensor_assign(weft_tensor *t, weft_tensor *from);

/* The device memory behind an evaluated tensor: borrowed, and pinned until it is released
 * with weft_tensor_unpin(). Strides and offset are in elements. */
typedef struct weft_tensor_memory {
    weft_buffer *buffer;
    uint64_t     offset;            /* elements from the start of the buffer                */
    int64_t      strides[WEFT_MAX_RANK];
} weft_tensor_memory;
WEFT_API bool weft_tensor_memory_get(weft_tensor_memory *out, weft_tensor *t);

/* ---- where the elements are ---- */

typedef enum weft_location {
    WEFT_LOCATION_NONE = 0,         /* NULL tensor                                          */
    WEFT_LOCATION_LAZY,             /* not computed yet                                     */
    WEFT_LOCATION_DEVICE,
    WEFT_LOCATION_HOST,
    WEFT_LOCATION_DISK,
    WEFT_LOCATION_BOTH,             /* host and device hold the same                        */
} weft_location;

WEFT_API weft_location weft_tensor_location(const weft_tensor *t);
/* Moves explicitly; use moves a tensor back by itself. A view moves with its parent. */
WEFT_API bool weft_tensor_move(weft_tensor *t, weft_location to);
/* Pinned tensors never move. Counted: each pin needs its unpin. */
WEFT_API bool weft_tensor_pin(weft_tensor *t);
WEFT_API void weft_tensor_unpin(weft_tensor *t);

/* ---- scopes ---- */

/* Tensors made on ctx since the matching begin are released at the end, except `keep`. */
WEFT_API void weft_tensor_scope_begin(weft_context *ctx);
WEFT_API void weft_tensor_scope_end(weft_context *ctx, weft_tensor *const *keep,
                                    uint32_t keep_count);

/* ---- views: share their parent's memory ---- */

/* One size may be WEFT_INFER. A non-contiguous tensor whose elements cannot be addressed with
 * the new shape is copied. */
#define WEFT_INFER UINT64_MAX
WEFT_API weft_tensor *weft_tensor_reshape(weft_tensor *t, uint32_t rank, const uint64_t *shape);
/* axes: rank of them, NULL reverses */
WEFT_API weft_tensor *weft_tensor_permute(weft_tensor *t, const int *axes);
WEFT_API weft_tensor *weft_tensor_transpose(weft_tensor *t, int axis_a, int axis_b);

/* Elements start, start + step, ... before stop, as in Python: negative positions count from
 * the end, out-of-range ones are clamped. All zero takes the whole axis. */
typedef struct weft_range {
    int64_t start, stop, step;      /* step 0: 1                                            */
    bool    has_start, has_stop;    /* false: from the first, to the last                   */
} weft_range;
WEFT_API weft_tensor *weft_tensor_slice(weft_tensor *t, uint32_t count,
                                        const weft_range *ranges);  /* of the first axes     */
/* Elements start to start + length of one axis; out of range is an error. */
WEFT_API weft_tensor *weft_tensor_narrow(weft_tensor *t, int axis, uint64_t start,
                                         uint64_t length);
WEFT_API weft_tensor *weft_tensor_select(weft_tensor *t, int axis, int64_t index);  /* drops it */
WEFT_API weft_tensor *weft_tensor_squeeze(weft_tensor *t, int axis);
WEFT_API weft_tensor *weft_tensor_unsqueeze(weft_tensor *t, int axis);
WEFT_API weft_tensor *weft_tensor_expand(weft_tensor *t, uint32_t rank, const uint64_t *shape);
WEFT_API weft_tensor *weft_tensor_flip(weft_tensor *t, int axis);
WEFT_API weft_tensor *weft_tensor_diagonal(weft_tensor *t, int axis_a, int axis_b,
                                           int64_t offset);
/* Sliding windows: axis n -> [(n - size) / step + 1] and a new last axis of `size`. */
WEFT_API weft_tensor *weft_tensor_windows(weft_tensor *t, int axis, uint64_t size,
                                          uint64_t step);
WEFT_API weft_tensor *weft_tensor_as_strided(weft_tensor *t, uint32_t rank,
                                             const uint64_t *shape, const int64_t *strides,
                                             uint64_t offset);
WEFT_API weft_tensor *weft_tensor_bitcast(weft_tensor *t, weft_dtype dtype);  /* same size   */

/* ---- elementwise ---- */

#define UNARY(name, types, meaning) WEFT_API weft_tensor *weft_tensor_##name(weft_tensor *x);
#define BINARY(name, types, meaning) \
    WEFT_API weft_tensor *weft_tensor_##name(weft_tensor *a, weft_tensor *b);
#include <weft/tensor_ops.def>

typedef enum weft_gelu { WEFT_GELU_ERF = 0, WEFT_GELU_TANH } weft_gelu;
WEFT_API weft_tensor *weft_tensor_gelu(weft_tensor *x, weft_gelu form);
WEFT_API weft_tensor *weft_tensor_leaky_relu(weft_tensor *x, double slope);
WEFT_API weft_tensor *weft_tensor_elu(weft_tensor *x, double alpha);
WEFT_API weft_tensor *weft_tensor_clip(weft_tensor *x, double low, double high);
WEFT_API weft_tensor *weft_tensor_where(weft_tensor *condition, weft_tensor *a, weft_tensor *b);
/* Floats to integers truncate and clamp to the range; NaN gives 0. Any number to bool tests
 * against zero. */
WEFT_API weft_tensor *weft_tensor_cast(weft_tensor *x, weft_dtype dtype);
/* x with a number, weak as weft_tensor_scalar() */
WEFT_API weft_tensor *weft_tensor_add_scalar(weft_tensor *x, double value);
WEFT_API weft_tensor *weft_tensor_mul_scalar(weft_tensor *x, double value);

/* ---- copies ---- */

WEFT_API weft_tensor *weft_tensor_contiguous(weft_tensor *t);      /* itself if it is already */
WEFT_API weft_tensor *weft_tensor_copy(weft_tensor *t);
WEFT_API weft_tensor *weft_tensor_concat(weft_tensor *const *tensors, uint32_t count, int axis);
WEFT_API weft_tensor *weft_tensor_stack(weft_tensor *const *tensors, uint32_t count, int axis);
/* Views; sizes must add up to the axis. NULL sizes: equal parts. */
WEFT_API bool weft_tensor_split(weft_tensor **out, weft_tensor *t, int axis, uint32_t count,
                                const uint64_t *sizes);
WEFT_API weft_tensor *weft_tensor_tile(weft_tensor *t, const uint64_t *repeats);  /* per axis */
WEFT_API weft_tensor *weft_tensor_repeat(weft_tensor *t, int axis, uint64_t repeats);
typedef enum weft_pad_mode { WEFT_PAD_CONSTANT = 0, WEFT_PAD_EDGE, WEFT_PAD_REFLECT,
                             WEFT_PAD_WRAP } weft_pad_mode;
/* before and after: rank values, negative ones cut */
WEFT_API weft_tensor *weft_tensor_pad(weft_tensor *t, const int64_t *before,
                                      const int64_t *after, weft_pad_mode mode, double value);
WEFT_API weft_tensor *weft_tensor_roll(weft_tensor *t, int axis, int64_t shift);

/* ---- reductions ---- */

/* Which axes; zero: all, dropped. */
typedef struct weft_axes {
    uint32_t count;
    int      axes[WEFT_MAX_RANK];
    bool     keep;                  /* reduced axes stay with size 1                        */
    bool     none;                  /* count 0 means no axis instead of all                 */
} weft_axes;
#define WEFT_AXIS(axis)      (&(weft_axes){.count = 1, .axes = {axis}})
#define WEFT_AXIS_KEEP(axis) (&(weft_axes){.count = 1, .axes = {axis}, .keep = true})

#define REDUCTION(name, types, meaning) \
    WEFT_API weft_tensor *weft_tensor_##name(weft_tensor *x, const weft_axes *axes);
#include <weft/tensor_ops.def>
/* sum((x - mean)^2) / (n - correction) */
WEFT_API weft_tensor *weft_tensor_var(weft_tensor *x, const weft_axes *axes, double correction);
/* (sum |x|^order)^(1/order); order 1, 2 or INFINITY */
WEFT_API weft_tensor *weft_tensor_norm(weft_tensor *x, const weft_axes *axes, double order);
/* Index of the first largest or smallest, as i32; over one axis. */
WEFT_API weft_tensor *weft_tensor_argmax(weft_tensor *x, int axis, bool keep);
WEFT_API weft_tensor *weft_tensor_argmin(weft_tensor *x, int axis, bool keep);
typedef struct weft_scan { bool exclusive, reverse; } weft_scan;
WEFT_API weft_tensor *weft_tensor_cumsum(weft_tensor *x, int axis, const weft_scan *scan);
WEFT_API weft_tensor *weft_tensor_cumprod(weft_tensor *x, int axis, const weft_scan *scan);

/* ---- products ---- */

/* a[..., M, K] x b[..., K, N] -> [..., M, N]; batches broadcast; rank 1 is promoted as in
 * NumPy. Transposed views of either operand cost nothing. */
WEFT_API weft_tensor *weft_tensor_matmul(weft_tensor *a, weft_tensor *b);
typedef enum weft_activation {
    WEFT_ACTIVATION_NONE = 0, WEFT_ACTIVATION_RELU, WEFT_ACTIVATION_GELU,
    WEFT_ACTIVATION_GELU_TANH, WEFT_ACTIVATION_SILU, WEFT_ACTIVATION_SIGMOID,
    WEFT_ACTIVATION_TANH,
} weft_activation;
/* activation(x[..., K] x transpose(weight[N, K]) + bias[N]); bias may be NULL */
WEFT_API weft_tensor *weft_tensor_linear(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                         weft_activation activation);
WEFT_API weft_tensor *weft_tensor_outer(weft_tensor *a, weft_tensor *b);
/* Sums of products over named axes, of 1 to 4 tensors: "bij,bjk->bik". Letters that occur twice in
 * one operand take its diagonal; "..." stands for any axes, which broadcast; without "->" the
 * result has the letters that occur once, in alphabetical order. */
WEFT_API weft_tensor *weft_tensor_einsum(const char *equation, weft_tensor *const *tensors,
                                         uint32_t count);

/* x[N, C, H, W], weight[O, C / groups, KH, KW], bias[O] or NULL. For conv1d the last axis
 * alone: x[N, C, L], weight[O, C / groups, K]. Zeros mean stride 1, dilation 1, one group. */
typedef struct weft_conv {
    uint32_t stride[2], dilation[2], groups;
    uint32_t pad_before[2], pad_after[2];   /* H, W (conv1d: the first)                     */
    weft_activation activation;
    uint32_t output_pad[2];                 /* conv_transpose alone: more rows at the end   */
} weft_conv;
WEFT_API weft_tensor *weft_tensor_conv1d(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                         const weft_conv *conv);
WEFT_API weft_tensor *weft_tensor_conv2d(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                         const weft_conv *conv);

/* The reverse: x[N, C, ...], weight[C, O / groups, ...] of rank 3 or 4; each size is (n - 1) stride
 * + (k - 1) dilation + 1 + output_pad - pad_before - pad_after. */
WEFT_API weft_tensor *weft_tensor_conv_transpose(weft_tensor *x, weft_tensor *weight,
                                                 weft_tensor *bias, const weft_conv *conv);

/* x[N, C, H, W] (or [N, C, L]) */
typedef struct weft_pool2d {
    uint32_t size[2], stride[2], dilation[2];  /* stride 0: size                            */
    uint32_t pad_before[2], pad_after[2];
    bool     ceil;                             /* partial windows at the end count          */
    bool     include_padding;                  /* in averages                               */
} weft_pool2d;
WEFT_API weft_tensor *weft_tensor_max_pool(weft_tensor *x, const weft_pool2d *pool);
WEFT_API weft_tensor *weft_tensor_avg_pool(weft_tensor *x, const weft_pool2d *pool);
/* The windows as columns: [N, C * window, places] */
WEFT_API weft_tensor *weft_tensor_unfold(weft_tensor *x, const weft_pool2d *window);

/* x[N, C, H, W] (or [N, C, L]) in another size. */
typedef enum weft_resize_mode { WEFT_RESIZE_NEAREST = 0, WEFT_RESIZE_LINEAR, WEFT_RESIZE_CUBIC }
    weft_resize_mode;
/* Where element o of the result is in x. */
typedef enum weft_resize_grid {
    WEFT_RESIZE_HALF_PIXEL = 0,     /* (o + 1/2) / scale - 1/2                              */
    WEFT_RESIZE_ALIGN_CORNERS,      /* o (n - 1) / (n scale - 1)                            */
    WEFT_RESIZE_ASYMMETRIC,         /* o / scale                                            */
    WEFT_RESIZE_PYTORCH,            /* as HALF_PIXEL, but 0 if the result has one element   */
} weft_resize_grid;
typedef enum weft_resize_rounding {
    WEFT_RESIZE_ROUND_FLOOR = 0,    /* nearest: halves down                                 */
    WEFT_RESIZE_ROUND_CEIL, WEFT_RESIZE_FLOOR, WEFT_RESIZE_CEIL,
} weft_resize_rounding;
typedef struct weft_resize {
    uint64_t size[2];               /* of the result            0: x times scale, down      */
    double   scale[2];              /* 0: size of the result / that of x                    */
    weft_resize_mode     mode;
    weft_resize_grid     grid;
    weft_resize_rounding rounding;  /* WEFT_RESIZE_NEAREST                                  */
    double   cubic;                 /* coefficient              0: -0.75                    */
    bool     exclude_outside;       /* elements beyond the border do not count              */
    bool     antialias;             /* wider windows where the picture shrinks              */
} weft_resize;
WEFT_API weft_tensor *weft_tensor_resize(weft_tensor *x, const weft_resize *resize);

/* softmax(q k^T scale + mask) v for q[B, H, T, D], k[B, G, S, D], v[B, G, S, E], H a multiple
 * of G (grouped heads). Without B (rank 3) one batch. */
typedef struct weft_attention {
    weft_tensor *mask;              /* bool (true: seen) or float (added), broadcast to
                                       [B, H, T, S]                        NULL: none       */
    bool         causal;            /* position t sees s <= t + S - T                       */
    uint32_t     window;            /* sees at most this many positions    0: all           */
    double       scale;             /* 0: 1 / sqrt(D)                                       */
    double       soft_cap;          /* cap * tanh(score / cap)             0: none          */
} weft_attention;
WEFT_API weft_tensor *weft_tensor_attention(weft_tensor *q, weft_tensor *k, weft_tensor *v,
                                            const weft_attention *options);

/* Rotary position embedding of x[..., T, D]: each pair of elements is turned by its frequency times
 * the position. */
typedef struct weft_rope {
    weft_tensor *positions;         /* [T], or [B, T] for x[B, ...]        NULL: 0, 1, ...  */
    weft_tensor *frequencies;       /* f32 [dims / 2]     NULL: base^(-2 i / dims)          */
    double       base;              /* 0: 10,000                                            */
    uint32_t     dims;              /* elements that are turned, even      0: D             */
    bool         interleaved;       /* pairs are (2 i, 2 i + 1), not (i, i + dims / 2)      */
} weft_rope;
WEFT_API weft_tensor *weft_tensor_rope(weft_tensor *x, const weft_rope *options);

/* ---- normalisation ---- */

WEFT_API weft_tensor *weft_tensor_softmax(weft_tensor *x, int axis);
WEFT_API weft_tensor *weft_tensor_log_softmax(weft_tensor *x, int axis);
/* over the last axis; gain and bias of its size, or NULL; epsilon 0: 1e-5 */
WEFT_API weft_tensor *weft_tensor_layer_norm(weft_tensor *x, weft_tensor *gain,
                                             weft_tensor *bias, double epsilon);
WEFT_API weft_tensor *weft_tensor_rms_norm(weft_tensor *x, weft_tensor *gain, double epsilon);
/* x[N, C, ...]; all four of size C */
WEFT_API weft_tensor *weft_tensor_batch_norm(weft_tensor *x, weft_tensor *mean,
                                             weft_tensor *variance, weft_tensor *gain,
                                             weft_tensor *bias, double epsilon);
WEFT_API weft_tensor *weft_tensor_group_norm(weft_tensor *x, uint32_t groups,
                                             weft_tensor *gain, weft_tensor *bias,
                                             double epsilon);
WEFT_API weft_tensor *weft_tensor_instance_norm(weft_tensor *x, weft_tensor *gain,
                                                weft_tensor *bias, double epsilon);

/* ---- indexing. Indices have an integer type; negative ones count from the end. An index
 * beyond the axis reads 0 and writes nothing; in checked contexts it is an error. ---- */

/* Slices of an axis: [.., n, ..] by indices[I...] -> [.., I..., ..] */
WEFT_API weft_tensor *weft_tensor_take(weft_tensor *x, weft_tensor *indices, int axis);
/* Elements: out[i][j] = x[indices[i][j]][j] for axis 0; index shape = out shape */
WEFT_API weft_tensor *weft_tensor_gather(weft_tensor *x, weft_tensor *indices, int axis);
/* By tuples: indices[I..., n] -> [I..., the axes of x after the first batch + n]. The first
 * `batch` axes of both are the same. */
WEFT_API weft_tensor *weft_tensor_gather_nd(weft_tensor *x, weft_tensor *indices, uint32_t batch);
WEFT_API weft_tensor *weft_tensor_masked_fill(weft_tensor *x, weft_tensor *mask, double value);

/* x with some elements replaced by updates, or combined with them. Of several updates of one
 * element the last replaces it; sums and products are made in any order. */
typedef enum weft_scatter {
    WEFT_SCATTER_SET = 0, WEFT_SCATTER_ADD, WEFT_SCATTER_MUL, WEFT_SCATTER_MAX, WEFT_SCATTER_MIN,
} weft_scatter;
/* out[indices[i][j]][j] for axis 0, from updates[i][j] */
WEFT_API weft_tensor *weft_tensor_scatter(weft_tensor *x, weft_tensor *indices,
                                          weft_tensor *updates, int axis, weft_scatter how);
/* By tuples: indices[I..., n], updates[I..., the axes of x after the first n] */
WEFT_API weft_tensor *weft_tensor_scatter_nd(weft_tensor *x, weft_tensor *indices,
                                             weft_tensor *updates, weft_scatter how);
/* x with the elements of weft_tensor_slice() replaced by updates, which broadcast. */
WEFT_API weft_tensor *weft_tensor_slice_update(weft_tensor *x, weft_tensor *updates,
                                               uint32_t count, const weft_range *ranges);
/* Coordinates of the elements that are not zero, in order: i32 [rank of x, how many]. Evaluates
 * x, since the shape depends on it. */
WEFT_API weft_tensor *weft_tensor_nonzero(weft_tensor *x);

/* ---- order. Equal elements keep their order; NaN is last, also in descending order ---- */

WEFT_API weft_tensor *weft_tensor_sort(weft_tensor *x, int axis, bool descending);
WEFT_API weft_tensor *weft_tensor_argsort(weft_tensor *x, int axis, bool descending);  /* i32 */
/* The k largest (smallest) elements of an axis in descending (ascending) order, and where they
 * are (i32). Either result may be NULL. */
WEFT_API bool weft_tensor_topk(weft_tensor **values, weft_tensor **indices, weft_tensor *x,
                               uint64_t k, int axis, bool smallest);
/* How many elements of a sorted line are before each value (right: or equal to it), as i32.
 * sorted[N] for all values, or a line for each: sorted[..., N], values[..., M]. */
WEFT_API weft_tensor *weft_tensor_searchsorted(weft_tensor *sorted, weft_tensor *values,
                                               bool right);
/* The different elements of x in ascending order. Evaluates x. */
typedef struct weft_unique {
    weft_tensor *values;
    weft_tensor *indices;           /* i32: the first of each, in x as one line              */
    weft_tensor *inverse;           /* i32: values[inverse[i]] is element i of x              */
    weft_tensor *counts;            /* i32                                                    */
} weft_unique;
WEFT_API bool weft_tensor_unique(weft_unique *out, weft_tensor *x);
WEFT_API void weft_unique_release(weft_unique *u);

/* ---- quantization ---- */

/* Floats as blocks of 32 along the last axis, q4_0 or q8_0, and back as f32. */
WEFT_API weft_tensor *weft_tensor_quantize(weft_tensor *x, weft_dtype dtype);
WEFT_API weft_tensor *weft_tensor_dequantize(weft_tensor *q);

/* Integers (i8, u8, i4, u4) that stand for (q - zero) scale. */
typedef struct weft_scales {
    weft_tensor *scale;             /* floats: one number; [n] for positions of `axis`; or the
                                       shape of q with `axis` divided into equal blocks     */
    weft_tensor *zero;              /* the same shape, integers or floats  NULL: 0          */
    int          axis;
} weft_scales;
/* clip(round(x / scale) + zero), halves to even */
WEFT_API weft_tensor *weft_tensor_quantize_linear(weft_tensor *x, const weft_scales *scales,
                                                  weft_dtype dtype);
WEFT_API weft_tensor *weft_tensor_dequantize_linear(weft_tensor *q, const weft_scales *scales);

typedef enum weft_quantize_per { WEFT_PER_TENSOR = 0, WEFT_PER_AXIS, WEFT_PER_BLOCK }
    weft_quantize_per;
typedef struct weft_quantize {
    weft_dtype        dtype;        /* i8, i4: symmetric about 0; u8, u4: with zeros        */
    weft_quantize_per per;          /* one scale for all, for each position of `axis`, or for
                                       each `block` elements along it                       */
    int               axis;
    uint64_t          block;
} weft_quantize;
/* Chooses scales (f32) and zeros (u8; NULL for symmetric types) from the elements. zero may be
 * NULL. */
WEFT_API bool weft_tensor_quantize_dynamic(weft_tensor **values, weft_tensor **scale,
                                           weft_tensor **zero, weft_tensor *x,
                                           const weft_quantize *q);
/* x[..., K] times the transpose of w[N, K]: q4_0, q8_0 (scales NULL), i8, u8, i4, u4 -> [..., N] */
WEFT_API weft_tensor *weft_tensor_matmul_quantized(weft_tensor *x, weft_tensor *w,
                                                   const weft_scales *scales);

/* ---- linear algebra of matrices [..., N, N], in f32 or f64. Singular matrices give infinities
 * or NaN, not an error. ---- */

/* a = l transpose(l), or transpose(u) u; only that triangle of a is read. */
WEFT_API weft_tensor *weft_tensor_cholesky(weft_tensor *a, bool upper);
typedef struct weft_triangular {
    bool upper;
    bool unit;                      /* the diagonal counts as ones                          */
} weft_triangular;
/* y with a y = b for a triangular matrix a; b[..., N, M] or [N]. Transposed views cost nothing. */
WEFT_API weft_tensor *weft_tensor_triangular_solve(weft_tensor *a, weft_tensor *b,
                                                   const weft_triangular *options);
/* y with a y = b, by LU factors with row exchanges; b[..., N, M] or [N] */
WEFT_API weft_tensor *weft_tensor_solve(weft_tensor *a, weft_tensor *b);
WEFT_API weft_tensor *weft_tensor_inv(weft_tensor *a);
WEFT_API weft_tensor *weft_tensor_det(weft_tensor *a);
/* a[..., M, N] = q r: q[..., M, K] has orthogonal columns, r[..., K, N] is upper triangular,
 * K = min(M, N). Either may be NULL. */
WEFT_API bool weft_tensor_qr(weft_tensor **q, weft_tensor **r, weft_tensor *a);

/* ---- random numbers: each is a function of the key and of its position (Philox 4x32-10), the
 * same on every device ---- */

typedef struct weft_random {
    uint64_t   key;
    uint64_t   first;               /* position of the first element in the key's stream    */
    weft_dtype dtype;               /* 0: WEFT_F32; of integers WEFT_I32                    */
    uint32_t   rank;
    uint64_t   shape[WEFT_MAX_RANK];
} weft_random;
WEFT_API weft_tensor *weft_tensor_random_bits(weft_context *ctx, const weft_random *r);  /* u32 */
/* in [low, high) */
WEFT_API weft_tensor *weft_tensor_uniform(weft_context *ctx, const weft_random *r, double low,
                                          double high);
WEFT_API weft_tensor *weft_tensor_normal(weft_context *ctx, const weft_random *r, double mean,
                                         double deviation);
/* low, low + 1, ... below high; 32 bits */
WEFT_API weft_tensor *weft_tensor_randint(weft_context *ctx, const weft_random *r, int64_t low,
                                          int64_t high);
/* bool: true with the probability p, element by element */
WEFT_API weft_tensor *weft_tensor_bernoulli(weft_tensor *p, uint64_t key);
/* 0 to n - 1 in random order, i32 */
WEFT_API weft_tensor *weft_tensor_permutation(weft_context *ctx, uint64_t n, uint64_t key);
/* 0 with the probability `rate`, else x / (1 - rate) */
WEFT_API weft_tensor *weft_tensor_dropout(weft_tensor *x, double rate, uint64_t key);

/* ---- own kernels ---- */

typedef struct weft_tensor_kernel weft_tensor_kernel;

/* An input or output of a kernel, matched with a variable of that name, else by order (inputs,
 * then outputs, in the order of group and binding). */
typedef struct weft_tensor_slot {
    const char *name;
    weft_dtype  dtype;              /* 0: whatever the kernel declares                      */
    uint32_t    rank;               /* with `shape`: checked; of outputs: their shape       */
    uint64_t    shape[WEFT_MAX_RANK];  /* WEFT_INFER: any size; for outputs all 0: as the
                                          first input                                       */
} weft_tensor_slot;

typedef struct weft_tensor_kernel_desc {
    const char *name;               /* for messages and explain()                           */
    const char *wgsl;
    const char *entry;              /* NULL: the only entry point                           */
    const weft_tensor_slot *inputs, *outputs;
    uint32_t    input_count, output_count;
    const weft_constant *constants;
    uint32_t    constant_count;
} weft_tensor_kernel_desc;

WEFT_API weft_tensor_kernel *weft_tensor_kernel_create(weft_context *ctx,
                                                       const weft_tensor_kernel_desc *desc);
WEFT_API void weft_tensor_kernel_release(weft_tensor_kernel *kernel);

typedef struct weft_tensor_run {
    uint32_t    groups[3];          /* all 0: one invocation an element of the first output */
    const void *params;             /* bytes of the kernel's uniform variable, if any       */
    uint32_t    params_size;
    const weft_tensor_slot *outputs; /* shapes of this run    NULL: those of the kernel      */
} weft_tensor_run;
/* Runs the kernel: outputs are new tensors. Inputs that are views bind exact ranges, or are
 * copied if their offset does not suit the device. Writable inputs are changed in place. */
WEFT_API bool weft_tensor_kernel_run(weft_tensor **outputs, weft_tensor_kernel *kernel,
                                     weft_tensor *const *inputs, const weft_tensor_run *run);

/* ---- sharing between owners (models) ---- */

/* Puts a tensor under owner and name: the owner holds one reference. Replaces an earlier one
 * of that name; views of it keep the old memory. */
WEFT_API bool weft_share_put(weft_context *ctx, const char *owner, const char *name,
                             weft_tensor *t);
/* The tensor that `owner` put, as seen by `reader`: one reference per reader and name, however
 * often it is asked for, besides the one returned. WEFT_ERROR_DENIED without a grant. reader
 * NULL: the owner itself. */
WEFT_API weft_tensor *weft_share_get(weft_context *ctx, const char *owner, const char *name,
                                     const char *reader);
WEFT_API bool weft_share_grant(weft_context *ctx, const char *owner, const char *name,
                               const char *reader);
WEFT_API bool weft_share_revoke(weft_context *ctx, const char *owner, const char *name,
                                const char *reader);
/* Gives up one reader's reference, or the owner's with everything under the name. */
WEFT_API bool weft_share_drop(weft_context *ctx, const char *owner, const char *name,
                              const char *reader);
/* Everything that an owner put and holds; returns how many. */
WEFT_API uint32_t weft_share_release(weft_context *ctx, const char *owner);

typedef struct weft_share_info {
    const char   *owner, *name;
    weft_tensor  *tensor;           /* borrowed                                             */
    uint64_t      bytes;
    weft_location location;
    uint32_t      references;       /* owner and readers                                    */
    uint32_t      reader_count;     /* grants                                               */
} weft_share_info;
WEFT_API uint32_t weft_share_count(const weft_context *ctx);
WEFT_API bool     weft_share_get_info(weft_share_info *out, const weft_context *ctx,
                                      uint32_t index);
/* Bytes of memory that an owner keeps alive; storage shared by views counts once. */
WEFT_API uint64_t weft_share_bytes(const weft_context *ctx, const char *owner);

/* ---- explanation ---- */

/* What evaluating t would run (or ran, if it is done): the kernels with their WGSL, what each
 * fuses, and why fusion stopped where it did. Release with weft_string_release(). */
WEFT_API char *weft_tensor_explain(weft_tensor *t);
WEFT_API void  weft_string_release(char *text);

#ifdef __cplusplus
}
#endif

#endif
