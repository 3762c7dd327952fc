// SPDX-License-Identifier: Apache-2.0
/*
 * query.c - what a tensor is: type, shape, memory, label. Never evaluates.
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor_priv.h"

static bool alive(const weft_tensor *t)
{
    return t && t->alive == TENSOR_ALIVE;
}

weft_context *weft_tensor_context(const weft_tensor *t)
{
    return alive(t) ? t->ctx : NULL;
}

weft_dtype weft_tensor_dtype(const weft_tensor *t)
{
    return alive(t) ? (weft_dtype)t->dtype : WEFT_DTYPE_NONE;
}

uint32_t weft_tensor_rank(const weft_tensor *t)
{
    return alive(t) ? t->rank : 0;
}

const uint64_t *weft_tensor_shape(const weft_tensor *t)
{
    static const uint64_t none[MAX_RANK];
    return alive(t) ? t->shape : none;
}

uint64_t weft_tensor_size(const weft_tensor *t, int axis)
{
    if (!alive(t) || axis < -(int)t->rank || axis >= (int)t->rank)
        return 0;
    return t->shape[axis < 0 ? axis + t->rank : axis];
}

uint64_t weft_tensor_count(const weft_tensor *t)
{
    return alive(t) ? t->count : 0;
}

uint64_t weft_tensor_bytes(const weft_tensor *t)
{
    return alive(t) ? weft_dtype_bytes((weft_dtype)t->dtype, t->count) : 0;
}

uint32_t weft_tensor_references(const weft_tensor *t)
{
    return alive(t) ? t->refs + t->uses : 0;
}

bool weft_tensor_is_view(const weft_tensor *t)
{
    return alive(t) && t->base != NULL;
}

const char *weft_tensor_label(const weft_tensor *t)
{
    return alive(t) && t->label ? t->label : "tensor";
}

void weft_tensor_set_label(weft_tensor *t, const char *label)
{
    if (!alive(t))
        return;
    char *copy = label ? strdup(label) : NULL;
    if (label && !copy) {
        context_fail(t->ctx, WEFT_ERROR_MEMORY, "no memory for a label");
        return;
    }
    free(t->label);
    t->label = copy;
}

weft_location weft_tensor_location(const weft_tensor *t)
{
    if (!alive(t))
        return WEFT_LOCATION_NONE;
    const Storage *st = tensor_root(t)->storage;
    return st ? storage_location(st) : WEFT_LOCATION_LAZY;
}
