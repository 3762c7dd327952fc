// SPDX-License-Identifier: Apache-2.0
/*
 * create.c - tensors from data, numbers and patterns.
 *
 * in     descriptors
 * out    tensors with storage (data), or pending ones that fusion turns into expressions
 * not    random numbers
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/elementwise_priv.h"

bool tensor_shape_ok(uint64_t *count, weft_context *ctx, const char *what, weft_dtype dtype,
                     uint32_t rank, const uint64_t *shape)
{
    if (!weft_dtype_name(dtype))
        return context_fail(ctx, WEFT_ERROR_TYPE, "%s: %d is not an element type", what,
                            (int)dtype);
    if (rank > MAX_RANK || (rank && !shape))
        return context_fail(ctx, WEFT_ERROR_SHAPE, "%s: rank %u is above %d", what, rank,
                            MAX_RANK);
    for (uint32_t d = 0; d < rank; d++)
        if (shape[d] == WEFT_INFER)
            return context_fail(ctx, WEFT_ERROR_SHAPE, "%s: the size of axis %u is open (-1): only "
                                "reshape finds a size by itself", what, d);
    if (!shape_count(count, rank, shape))
        return context_fail(ctx, WEFT_ERROR_SHAPE, "%s: the shape %s has too many elements", what,
                            shape_text(rank, shape));
    if (*count && weft_dtype_bytes(dtype, rank ? shape[rank - 1] : 1) == 0)
        return context_fail(ctx, WEFT_ERROR_SHAPE, "%s: the last axis of %s does not fill the "
                            "blocks of %s", what, shape_text(rank, shape),
                            weft_dtype_name(dtype));
    return true;
}

/* ---- from data ---- */

static bool desc_fault(weft_context *ctx, const weft_tensor_desc *d, uint64_t bytes)
{
    if (d->data && d->buffer)
        return context_fail(ctx, WEFT_ERROR_INVALID, "a tensor has data or a buffer, not both");
    if (d->borrow && !d->data)
        return context_fail(ctx, WEFT_ERROR_INVALID, "borrow without data");
    if (d->data_size && !d->data)
        return context_fail(ctx, WEFT_ERROR_INVALID, "data_size without data");
    if (d->data && d->data_size && d->data_size != bytes)
        return context_fail(ctx, WEFT_ERROR_SHAPE, "the shape %s needs %llu bytes, data has %llu",
                            shape_text(d->rank, d->shape), (unsigned long long)bytes,
                            (unsigned long long)d->data_size);
    if (d->buffer && (d->buffer_offset % 4 || d->buffer_offset > weft_buffer_size(d->buffer)
                      || bytes > weft_buffer_size(d->buffer) - d->buffer_offset))
        return context_fail(ctx, WEFT_ERROR_SHAPE, "the shape %s needs %llu bytes from offset "
                            "%llu, the buffer has %llu", shape_text(d->rank, d->shape),
                            (unsigned long long)bytes, (unsigned long long)d->buffer_offset,
                            (unsigned long long)weft_buffer_size(d->buffer));
    uint64_t unit = weft_dtype_bytes(d->dtype, 1);
    if (d->buffer && unit && d->buffer_offset % unit)
        return context_fail(ctx, WEFT_ERROR_INVALID, "the offset %llu is not a multiple of the "
                            "element's %llu bytes", (unsigned long long)d->buffer_offset,
                            (unsigned long long)unit);
    return true;
}

/* Contents of a new storage: the user's buffer, the user's memory, or a copy. Data that is
 * copied goes to the device at once; zeros are made there on first use. */
static bool storage_fill(Storage *st, const weft_tensor_desc *d, uint64_t bytes)
{
    if (d->buffer) {
        st->buffer = weft_buffer_retain(d->buffer);
        st->external = true;
        storage_touch(st);
        return st->buffer != NULL;
    }
    if (d->borrow)
        st->borrowed = d->data;
    if (d->borrow || !d->data || bytes == 0)
        return true;
    if (d->dtype != WEFT_I64) {
        if (!storage_allocate(st, false))
            return false;
        return weft_buffer_write(st->buffer, 0, d->data, bytes);
    }
    st->host = malloc(bytes);       /* stays on the host until its range was checked */
    if (!st->host)
        return context_fail(st->state->ctx, WEFT_ERROR_MEMORY, "no memory for a tensor");
    memcpy(st->host, d->data, bytes);
    context_account_moved(st->state->ctx, (int64_t)bytes, 0, 0);
    return true;
}

weft_tensor *weft_tensor_create(weft_context *ctx, const weft_tensor_desc *desc)
{
    uint64_t         count = 0;
    weft_tensor_desc d = desc ? *desc : (weft_tensor_desc){.rank = 0};
    if (!ctx || !context_ok(ctx) || !context_need_device(ctx))
        return NULL;
    if (!d.dtype)
        d.dtype = WEFT_F32;
    if (!tensor_shape_ok(&count, ctx, "create", d.dtype, d.rank, d.shape))
        return NULL;
    uint64_t     bytes = weft_dtype_bytes(d.dtype, count);
    TensorState *s = tensor_state(ctx);
    if (!s || !desc_fault(ctx, &d, bytes))
        return NULL;
    weft_tensor *t = tensor_alloc(s);
    Storage     *st = t ? storage_create(s, bytes) : NULL;
    if (!st) {
        weft_tensor_release(t);
        return NULL;
    }
    t->dtype = t->arg_dtype = (uint8_t)d.dtype;
    t->rank = (uint8_t)d.rank;
    memcpy(t->shape, d.shape, d.rank * sizeof *d.shape);
    shape_contiguous(t->strides, t->rank, t->shape);
    t->count = count;
    t->storage = st;
    st->is_i64 = d.dtype == WEFT_I64;
    if (d.buffer) {
        uint64_t unit = weft_dtype_bytes(d.dtype, 1);
        t->offset = (int64_t)(unit ? d.buffer_offset / unit : 0);
        st->bytes = bytes + d.buffer_offset;
    }
    if (!storage_fill(st, &d, bytes)) {
        weft_tensor_release(t);
        return NULL;
    }
    if (d.borrow) {
        st->borrow_end = d.borrow_end;
        st->borrow_user = d.borrow_user;
    }
    if (d.label)
        weft_tensor_set_label(t, d.label);
    return t;
}

/* ---- numbers ---- */

static weft_tensor *scalar_node(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                                const uint64_t *shape, double value)
{
    return tensor_node(ctx, &(NodeDesc){
        .op = &op_scalar, .dtype = dtype, .rank = rank, .shape = shape,
        .attr.f = {value} });
}

weft_tensor *weft_tensor_scalar(weft_context *ctx, double value)
{
    if (!ctx || !context_ok(ctx))
        return NULL;
    weft_tensor *t = scalar_node(ctx, WEFT_F32, 0, NULL, value);
    if (t)
        t->weak = true;
    return t;
}

weft_tensor *weft_tensor_full(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                              const uint64_t *shape, double value)
{
    uint64_t count;
    if (!ctx || !context_ok(ctx) || !tensor_shape_ok(&count, ctx, "full", dtype, rank, shape))
        return NULL;
    if (dtype_is_block(dtype)) {
        context_fail(ctx, WEFT_ERROR_TYPE, "full: %s is made by weft_tensor_quantize",
                     weft_dtype_name(dtype));
        return NULL;
    }
    return scalar_node(ctx, dtype, rank, shape, value);
}

weft_tensor *weft_tensor_zeros(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                               const uint64_t *shape)
{
    return weft_tensor_full(ctx, dtype, rank, shape, 0);
}

weft_tensor *weft_tensor_ones(weft_context *ctx, weft_dtype dtype, uint32_t rank,
                              const uint64_t *shape)
{
    return weft_tensor_full(ctx, dtype, rank, shape, 1);
}

/* ---- sequences ---- */

/* start + step * position; integers are exact. */
static void write_arange(IndexedWrite *x)
{
    Compute c = dtype_compute((weft_dtype)x->node->dtype);
    if (c == COMPUTE_F32 || c == COMPUTE_F64)
        writer_line(x->w, "%s = fma(%s, %s(%s), %s);", x->out,
                    indexed_literal(x, x->node->attr.f[1]), compute_text(c), indexed_linear(x),
                    indexed_literal(x, x->node->attr.f[0]));
    else
        writer_line(x->w, "%s = %s + %s * %s(%s);", x->out,
                    indexed_literal(x, x->node->attr.f[0]),
                    indexed_literal(x, x->node->attr.f[1]), compute_text(c), indexed_linear(x));
}

static const TensorOp op_arange = {.name = "arange", .kind = OP_INDEXED, .cost = 1,
                                   .write = write_arange};

static bool sequence_type(weft_context *ctx, const char *what, weft_dtype dtype)
{
    if (dtype_is_float(dtype) || dtype_is_integer(dtype))
        return true;
    return context_fail(ctx, WEFT_ERROR_TYPE, "%s makes numbers, not %s", what,
                        weft_dtype_name(dtype) ? weft_dtype_name(dtype) : "an unknown type");
}

static weft_tensor *sequence(weft_context *ctx, weft_dtype dtype, double start, double step,
                             uint64_t count)
{
    return tensor_node(ctx, &(NodeDesc){
        .op = &op_arange, .dtype = dtype, .rank = 1, .shape = &count,
        .attr.f = {start, step} });
}

weft_tensor *weft_tensor_arange(weft_context *ctx, weft_dtype dtype, double start, double stop,
                                double step)
{
    if (!ctx || !context_ok(ctx) || !sequence_type(ctx, "arange", dtype))
        return NULL;
    double count = ceil((stop - start) / step);
    if (step == 0 || !isfinite(start) || !isfinite(step) || !(count < 4294967296.0)) {
        context_fail(ctx, WEFT_ERROR_INVALID, "arange: from %g to %g in steps of %g is not a "
                     "finite sequence of at most 2^32 numbers", start, stop, step);
        return NULL;
    }
    return sequence(ctx, dtype, start, step, count > 0 ? (uint64_t)count : 0);
}

weft_tensor *weft_tensor_linspace(weft_context *ctx, weft_dtype dtype, double start,
                                  double stop, uint64_t count)
{
    if (!ctx || !context_ok(ctx) || !sequence_type(ctx, "linspace", dtype))
        return NULL;
    if (!isfinite(start) || !isfinite(stop) || count > UINT32_MAX) {
        context_fail(ctx, WEFT_ERROR_INVALID, "linspace: %llu numbers from %g to %g",
                     (unsigned long long)count, start, stop);
        return NULL;
    }
    double step = count > 1 ? (stop - start) / (double)(count - 1) : 0;
    if (!dtype_is_integer(dtype))
        return sequence(ctx, dtype, start, step, count);
    weft_tensor *f = sequence(ctx, WEFT_F32, start, step, count);
    weft_tensor *t = weft_tensor_cast(f, dtype);
    weft_tensor_release(f);
    return t;
}

/* ---- patterns, composed from sequences ---- */

/* position on axis a + diagonal compared with position on axis b, for the last two axes */
static weft_tensor *diagonal_test(weft_context *ctx, uint64_t rows, uint64_t columns,
                                  int64_t diagonal,
                                  weft_tensor *(*test)(weft_tensor *, weft_tensor *))
{
    weft_tensor *r = weft_tensor_arange(ctx, WEFT_I32, (double)diagonal,
                                        (double)diagonal + (double)rows, 1);
    weft_tensor *c = weft_tensor_arange(ctx, WEFT_I32, 0, (double)columns, 1);
    weft_tensor *down = weft_tensor_unsqueeze(r, 1);
    weft_tensor *t = down && c ? test(down, c) : NULL;
    weft_tensor_release(down);
    weft_tensor_release(c);
    weft_tensor_release(r);
    return t;
}

static bool matrix_fits(weft_context *ctx, const char *what, uint64_t rows, uint64_t columns,
                        int64_t diagonal)
{
    if (rows < UINT32_MAX / 4 && columns < UINT32_MAX / 4 && diagonal > -(INT64_C(1) << 30)
        && diagonal < (INT64_C(1) << 30))
        return true;
    return context_fail(ctx, WEFT_ERROR_SHAPE, "%s: %llu x %llu with diagonal %lld is too large",
                        what, (unsigned long long)rows, (unsigned long long)columns,
                        (long long)diagonal);
}

weft_tensor *weft_tensor_eye(weft_context *ctx, weft_dtype dtype, uint64_t rows,
                             uint64_t columns, int64_t diagonal)
{
    if (!ctx || !context_ok(ctx) || !matrix_fits(ctx, "eye", rows, columns, diagonal))
        return NULL;
    weft_tensor *test = diagonal_test(ctx, rows, columns, diagonal, weft_tensor_equal);
    weft_tensor *t = weft_tensor_cast(test, dtype);
    weft_tensor_release(test);
    return t;
}

weft_tensor *weft_tensor_tri(weft_tensor *t, bool upper, int64_t diagonal)
{
    weft_context *ctx = TENSOR_ARGS("tri", t);
    if (!ctx)
        return NULL;
    if (t->rank < 2) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "tri: %s has fewer than 2 axes", tensor_text(t));
        return NULL;
    }
    uint64_t rows = t->shape[t->rank - 2], columns = t->shape[t->rank - 1];
    if (!matrix_fits(ctx, "tri", rows, columns, diagonal))
        return NULL;
    weft_tensor *test = diagonal_test(ctx, rows, columns, diagonal,
                                      upper ? weft_tensor_less_equal : weft_tensor_greater_equal);
    weft_tensor *zero = weft_tensor_full(ctx, (weft_dtype)t->dtype, 0, NULL, 0);
    weft_tensor *out = weft_tensor_where(test, t, zero);
    weft_tensor_release(zero);
    weft_tensor_release(test);
    return out;
}

weft_tensor *weft_tensor_one_hot(weft_tensor *indices, uint64_t depth, weft_dtype dtype)
{
    weft_context *ctx = TENSOR_ARGS("one_hot", indices);
    if (!ctx)
        return NULL;
    if (!dtype_is_integer((weft_dtype)indices->dtype) || depth > INT32_MAX) {
        context_fail(ctx, WEFT_ERROR_TYPE, "one_hot: indices are integers below a depth of at "
                     "most 2^31; got %s and %llu", tensor_text(indices),
                     (unsigned long long)depth);
        return NULL;
    }
    /* Negative indices count from the end. */
    weft_tensor *zero = weft_tensor_scalar(ctx, 0), *n = weft_tensor_scalar(ctx, (double)depth);
    weft_tensor *i = weft_tensor_cast(indices, WEFT_I32), *low = weft_tensor_less(i, zero);
    weft_tensor *moved = weft_tensor_add(i, n), *at = weft_tensor_where(low, moved, i);
    weft_tensor *column = weft_tensor_unsqueeze(at, -1);
    weft_tensor *row = weft_tensor_arange(ctx, WEFT_I32, 0, (double)depth, 1);
    weft_tensor *hit = weft_tensor_equal(column, row), *out = weft_tensor_cast(hit, dtype);
    weft_tensor *const done[] = {zero, n, i, low, moved, at, column, row, hit};
    for (size_t k = 0; k < COUNTOF(done); k++)
        weft_tensor_release(done[k]);
    return out;
}
