// SPDX-License-Identifier: Apache-2.0
/*
 * view.c - views: other shapes, strides and offsets over the elements of a tensor.
 *
 * in     tensors, pending or not
 * out    tensors with a base; nothing is computed or copied, except where weft_tensor_reshape()
 *        cannot do without
 * not    kernels
 */
#include <string.h>

#include "tensor/tensor_priv.h"

weft_tensor *tensor_view(weft_tensor *x, weft_dtype dtype, uint32_t rank, const uint64_t *shape,
                         const int64_t *strides, int64_t offset)
{
    uint64_t count = 0;
    if (!shape_count(&count, rank, shape)) {
        context_fail(x->ctx, WEFT_ERROR_SHAPE, "a view %s of %s has too many elements",
                     shape_text(rank, shape), tensor_text(x));
        return NULL;
    }
    weft_tensor *t = tensor_alloc(x->state);
    if (!t)
        return NULL;
    t->dtype = t->arg_dtype = (uint8_t)dtype;
    t->rank = (uint8_t)rank;
    t->count = count;
    t->offset = offset;
    memcpy(t->shape, shape, rank * sizeof *shape);
    memcpy(t->strides, strides, rank * sizeof *strides);
    t->base = tensor_use(tensor_root(x));
    return t;
}

/* Sub-byte and block types have no strides below a block: only views that keep the last axis
 * whole can be made of them. */
static bool viewable(const weft_tensor *t, const char *what)
{
    if (!dtype_is_block((weft_dtype)t->dtype))
        return true;
    return context_fail(t->ctx, WEFT_ERROR_TYPE, "%s: %s has no views; dequantize it first",
                        what, tensor_text(t));
}

static weft_tensor *same_view(weft_tensor *x, uint32_t rank, const uint64_t *shape,
                              const int64_t *strides, int64_t offset)
{
    return tensor_view(x, (weft_dtype)x->dtype, rank, shape, strides, offset);
}

/* ---- shape ---- */

static bool infer_size(uint64_t *shape, uint32_t rank, const weft_tensor *t)
{
    uint64_t known = 1;
    int      open = -1;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] == WEFT_INFER && open >= 0)
            return context_fail(t->ctx, WEFT_ERROR_SHAPE,
                                "reshape: only one size may be WEFT_INFER");
        if (shape[i] == WEFT_INFER)
            open = (int)i;
        else if (shape[i] && known > UINT64_MAX / shape[i])
            return context_fail(t->ctx, WEFT_ERROR_SHAPE, "reshape: the shape is too large");
        else
            known *= shape[i];
    }
    if (open >= 0 && known && t->count % known == 0)
        shape[open] = t->count / known;
    uint64_t count = 0;
    if ((open >= 0 && shape[open] == WEFT_INFER) || !shape_count(&count, rank, shape)
        || count != t->count)
        return context_fail(t->ctx, WEFT_ERROR_SHAPE, "reshape: %s does not fit the %llu elements "
                            "of %s", shape_text(rank, shape), (unsigned long long)t->count,
                            tensor_text(t));
    return true;
}

weft_tensor *weft_tensor_reshape(weft_tensor *t, uint32_t rank, const uint64_t *shape)
{
    uint64_t sizes[MAX_RANK] = {0};
    int64_t  strides[MAX_RANK];
    if (!TENSOR_ARGS("reshape", t))
        return NULL;
    if (rank > MAX_RANK || (rank && !shape)) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "reshape: rank %u is above %d", rank, MAX_RANK);
        return NULL;
    }
    if (rank)
        memcpy(sizes, shape, rank * sizeof *shape);
    if (!infer_size(sizes, rank, t))
        return NULL;
    shape_contiguous(strides, rank, sizes);
    if (t->count == 0 || tensor_is_contiguous(t)
        || shape_restride(strides, rank, sizes, t->rank, t->shape, t->strides))
        return viewable(t, "reshape") ? same_view(t, rank, sizes, strides, t->offset) : NULL;
    weft_tensor *copy = weft_tensor_copy(t);
    shape_contiguous(strides, rank, sizes);
    weft_tensor *view = copy ? same_view(copy, rank, sizes, strides, 0) : NULL;
    weft_tensor_release(copy);
    return view;
}

weft_tensor *weft_tensor_permute(weft_tensor *t, const int *axes)
{
    uint64_t shape[MAX_RANK];
    int64_t  strides[MAX_RANK];
    uint32_t taken = 0;
    if (!TENSOR_ARGS("permute", t) || !viewable(t, "permute"))
        return NULL;
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t k = t->rank - 1 - i;
        if (axes && !tensor_axis(&k, t, axes[i], "permute"))
            return NULL;
        if (taken >> k & 1) {
            context_fail(t->ctx, WEFT_ERROR_SHAPE, "permute: axis %u appears twice", k);
            return NULL;
        }
        taken |= 1u << k;
        shape[i] = t->shape[k];
        strides[i] = t->strides[k];
    }
    return same_view(t, t->rank, shape, strides, t->offset);
}

weft_tensor *weft_tensor_transpose(weft_tensor *t, int axis_a, int axis_b)
{
    uint32_t a, b;
    int      axes[MAX_RANK];
    if (!TENSOR_ARGS("transpose", t) || !tensor_axis(&a, t, axis_a, "transpose")
        || !tensor_axis(&b, t, axis_b, "transpose"))
        return NULL;
    for (int i = 0; i < t->rank; i++)
        axes[i] = i;
    axes[a] = (int)b;
    axes[b] = (int)a;
    return weft_tensor_permute(t, axes);
}

weft_tensor *weft_tensor_squeeze(weft_tensor *t, int axis)
{
    uint32_t k, n = 0;
    uint64_t shape[MAX_RANK];
    int64_t  strides[MAX_RANK];
    if (!TENSOR_ARGS("squeeze", t) || !tensor_axis(&k, t, axis, "squeeze")
        || !viewable(t, "squeeze"))
        return NULL;
    if (t->shape[k] != 1) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "squeeze: axis %u of %s is not 1", k,
                     tensor_text(t));
        return NULL;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != k) {
            shape[n] = t->shape[i];
            strides[n++] = t->strides[i];
        }
    return same_view(t, n, shape, strides, t->offset);
}

weft_tensor *weft_tensor_unsqueeze(weft_tensor *t, int axis)
{
    uint64_t shape[MAX_RANK];
    int64_t  strides[MAX_RANK];
    if (!TENSOR_ARGS("unsqueeze", t) || !viewable(t, "unsqueeze"))
        return NULL;
    int rank = t->rank + 1, at = axis < 0 ? axis + rank : axis;
    if (rank > MAX_RANK || at < 0 || at >= rank) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "unsqueeze: axis %d does not fit %s", axis,
                     tensor_text(t));
        return NULL;
    }
    for (int i = 0, k = 0; i < rank; i++) {
        shape[i] = i == at ? 1 : t->shape[k];
        strides[i] = i == at ? 0 : t->strides[k++];
    }
    return same_view(t, (uint32_t)rank, shape, strides, t->offset);
}

weft_tensor *weft_tensor_expand(weft_tensor *t, uint32_t rank, const uint64_t *shape)
{
    uint64_t both[MAX_RANK], count;
    uint32_t n;
    int64_t  strides[MAX_RANK];
    if (!TENSOR_ARGS("expand", t) || !viewable(t, "expand"))
        return NULL;
    bool fits = rank <= MAX_RANK && rank >= t->rank && (rank == 0 || shape)
                && shape_count(&count, rank, shape)
                && shape_broadcast(&n, both, t->rank, t->shape, rank, shape);
    if (!fits || (rank && memcmp(both, shape, rank * sizeof *shape) != 0)) {
        context_fail(t->ctx, WEFT_ERROR_SHAPE, "expand: %s does not broadcast to %s",
                     tensor_text(t), rank <= MAX_RANK && shape ? shape_text(rank, shape) : "[?]");
        return NULL;
    }
    tensor_broadcast_strides(strides, t, rank, both);
    return same_view(t, rank, both, strides, t->offset);
}

weft_tensor *weft_tensor_bitcast(weft_tensor *t, weft_dtype dtype)
{
    if (!TENSOR_ARGS("bitcast", t))
        return NULL;
    if (!weft_dtype_name(dtype) || dtype_is_block(dtype) || dtype_is_block((weft_dtype)t->dtype)
        || weft_dtype_bytes(dtype, 1) != weft_dtype_bytes((weft_dtype)t->dtype, 1)) {
        context_fail(t->ctx, WEFT_ERROR_TYPE, "bitcast: %s and %s differ in size",
                     weft_dtype_name((weft_dtype)t->dtype),
                     weft_dtype_name(dtype) ? weft_dtype_name(dtype) : "an unknown type");
        return NULL;
    }
    return tensor_view(t, dtype, t->rank, t->shape, t->strides, t->offset);
}
