// SPDX-License-Identifier: Apache-2.0
/*
 * shape.c - arithmetic on shapes and strides, with every size checked.
 *
 * in     ranks, sizes, strides
 * out    counts, broadcast shapes, strides of reshaped tensors, texts for messages
 * not    tensors' memory, the graph
 */
#include <stdio.h>

#include "tensor/tensor_priv.h"

#define COUNT_LIMIT (UINT64_C(1) << 58)     /* elements; bytes and strides then fit int64_t */

bool shape_count(uint64_t *out, uint32_t rank, const uint64_t *shape)
{
    uint64_t count = 1;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] > COUNT_LIMIT)
            return false;
        if (shape[i] == 0)
            empty = true;
        else if (count > COUNT_LIMIT / shape[i])
            return false;
        else
            count *= shape[i];
    }
    *out = empty ? 0 : count;
    return true;
}

bool shape_broadcast(uint32_t *rank, uint64_t *shape, uint32_t a_rank, const uint64_t *a,
                     uint32_t b_rank, const uint64_t *b)
{
    uint32_t n = MAX_OF(a_rank, b_rank);
    uint64_t out[MAX_RANK];
    for (uint32_t i = 0; i < n; i++) {      /* from the last axis */
        uint64_t x = i < a_rank ? a[a_rank - 1 - i] : 1;
        uint64_t y = i < b_rank ? b[b_rank - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        out[n - 1 - i] = x == 1 ? y : x;
    }
    for (uint32_t i = 0; i < n; i++)
        shape[i] = out[i];
    *rank = n;
    return true;
}

void shape_contiguous(int64_t *strides, uint32_t rank, const uint64_t *shape)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = step;
        if (shape[i] > 1)
            step *= (int64_t)shape[i];
    }
}

bool tensor_is_contiguous(const weft_tensor *t)
{
    int64_t step = 1;
    if (t->count == 0)
        return true;
    for (uint32_t i = t->rank; i-- > 0;) {
        if (t->shape[i] != 1 && t->strides[i] != step)
            return false;
        step *= (int64_t)t->shape[i];
    }
    return true;
}

void tensor_broadcast_strides(int64_t *strides, const weft_tensor *t, uint32_t rank,
                              const uint64_t *shape)
{
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t back = rank - i;           /* axes count from the last */
        bool     there = back <= t->rank;
        uint32_t k = there ? t->rank - back : 0;
        strides[i] = there && t->shape[k] == shape[i] && shape[i] != 1 ? t->strides[k] : 0;
    }
}

/* One run of axes with the same product of sizes: strides of old[o0, o1) become those of
 * new[n0, n1). The old axes must lie in memory as one. */
static bool restride_run(int64_t *strides, const uint64_t *shape, uint32_t n0, uint32_t n1,
                         const uint64_t *old_shape, const int64_t *old_strides, uint32_t o0,
                         uint32_t o1)
{
    int64_t step = 0;
    bool    first = true;
    for (uint32_t i = o1; i-- > o0;) {
        if (old_shape[i] == 1)
            continue;
        if (!first && old_strides[i] != step)
            return false;
        if (first)
            strides[n1 - 1] = old_strides[i];
        step = old_strides[i] * (int64_t)old_shape[i];
        first = false;
    }
    if (first)
        strides[n1 - 1] = 1;
    for (uint32_t i = n1 - 1; i-- > n0;)
        strides[i] = strides[i + 1] * (int64_t)shape[i + 1];
    return true;
}

bool shape_restride(int64_t *strides, uint32_t rank, const uint64_t *shape, uint32_t old_rank,
                    const uint64_t *old_shape, const int64_t *old_strides)
{
    uint32_t o = 0, n = 0;
    while (n < rank) {
        uint32_t o0 = o, n0 = n;
        uint64_t have = o < old_rank ? old_shape[o++] : 1;
        uint64_t want = shape[n++];
        while (have != want) {
            if (have < want && o < old_rank)
                have *= old_shape[o++];
            else if (want < have && n < rank)
                want *= shape[n++];
            else
                return false;
        }
        if (!restride_run(strides, shape, n0, n, old_shape, old_strides, o0, o))
            return false;
    }
    return true;                            /* old axes that are left have size 1 */
}

const char *shape_text(uint32_t rank, const uint64_t *shape)
{
    static _Thread_local char ring[4][MAX_RANK * 22 + 4];
    static _Thread_local unsigned turn;
    char  *out = ring[turn++ % 4];
    size_t n = 0, size = sizeof ring[0];
    n += (size_t)snprintf(out + n, size - n, "[");
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%llu", i ? ", " : "",
                              (unsigned long long)shape[i]);
    snprintf(out + n, size - n, "]");
    return out;
}

const char *tensor_text(const weft_tensor *t)
{
    static _Thread_local char ring[4][MAX_RANK * 22 + 16];
    static _Thread_local unsigned turn;
    char *out = ring[turn++ % 4];
    snprintf(out, sizeof ring[0], "%s %s", shape_text(t->rank, t->shape),
             weft_dtype_name((weft_dtype)t->dtype));
    return out;
}

bool tensor_axis(uint32_t *out, const weft_tensor *t, int axis, const char *what)
{
    int rank = t->rank;
    if (axis < -rank || axis >= rank)
        return context_fail(t->ctx, WEFT_ERROR_SHAPE,
                            "%s: axis %d is out of range for a tensor of %s; legal are %d to %d",
                            what, axis, tensor_text(t), -rank, rank - 1);
    *out = (uint32_t)(axis < 0 ? axis + rank : axis);
    return true;
}
