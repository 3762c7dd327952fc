// SPDX-License-Identifier: Apache-2.0
/*
 * state.c - what the tensor layer keeps on a context: tensors and their references, scopes,
 * the list of pending tensors.
 *
 * in     contexts
 * out    tensors with counted references; stale handles are recognised while their slot is
 *        not in use again
 * not    memory on the device (storage.c), evaluation (eval.c)
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor_priv.h"

static void state_free(void *user)
{
    TensorState *s = user;
    share_free(s->shares);
    while (s->scope) {
        TensorScope *outer = s->scope->outer;
        free(s->scope);
        s->scope = outer;
    }
    plan_cache_free(s->plans);
    graph_free(s->graph);
    context_remove_evictor(s->ctx, storage_evict, s);
    while (s->slabs) {
        Slab *next = s->slabs->next;
        free(s->slabs);
        s->slabs = next;
    }
    free(s);
}

static void state_limits(TensorState *s)
{
    const weft_device_info *info = weft_context_device(s->ctx);
    s->binding_limit = UINT32_MAX;
    s->storage_limit = 8;
    s->offset_align = 256;
    if (!info)
        return;
    s->binding_limit = info->limits.maxStorageBufferBindingSize & ~UINT64_C(3);
    s->storage_limit = info->limits.maxStorageBuffersPerShaderStage;
    s->offset_align = info->limits.minStorageBufferOffsetAlignment;
    s->f16 = info->f16;
    s->f64 = info->f64;
}

TensorState *tensor_state(weft_context *ctx)
{
    TensorState *s = ctx ? context_slot(ctx, CONTEXT_TENSOR) : NULL;
    if (s || !ctx)
        return s;
    s = calloc(1, sizeof *s);
    if (!s) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the tensors of a context");
        return NULL;
    }
    s->ctx = ctx;
    s->pending.pending_next = s->pending.pending_prev = &s->pending;
    s->lru.newer = s->lru.older = &s->lru;
    state_limits(s);
    context_set_slot(ctx, CONTEXT_TENSOR, s, state_free);
    context_add_evictor(ctx, storage_evict, s);
    return s;
}

/* ---- tensors ---- */

static bool slab_add(TensorState *s)
{
    Slab *slab = calloc(1, sizeof *slab);
    if (!slab)
        return context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory for more tensors");
    slab->next = s->slabs;
    s->slabs = slab;
    for (size_t i = 0; i < COUNTOF(slab->tensors); i++) {
        weft_tensor *t = &slab->tensors[i];
        if (s->free_last)
            s->free_last->scope_next = t;
        else
            s->free_first = t;
        s->free_last = t;
    }
    return true;
}

static void scope_add(TensorScope *scope, weft_tensor *t)
{
    t->scope = scope;
    t->scope_prev = NULL;
    t->scope_next = scope->first;
    if (scope->first)
        scope->first->scope_prev = t;
    scope->first = t;
}

static void scope_remove(weft_tensor *t)
{
    if (!t->scope)
        return;
    if (t->scope_prev)
        t->scope_prev->scope_next = t->scope_next;
    else
        t->scope->first = t->scope_next;
    if (t->scope_next)
        t->scope_next->scope_prev = t->scope_prev;
    t->scope = NULL;
    t->scope_next = t->scope_prev = NULL;
}

weft_tensor *tensor_alloc(TensorState *s)
{
    if (!s->free_first && !slab_add(s))
        return NULL;
    weft_tensor *t = s->free_first;
    s->free_first = t->scope_next;
    if (!s->free_first)
        s->free_last = NULL;
    memset(t, 0, sizeof *t);
    t->alive = TENSOR_ALIVE;
    t->refs = 1;
    t->ctx = weft_context_retain(s->ctx);   /* while the user holds it: shares must not */
    t->state = s;
    t->inputs = t->inline_inputs;
    if (s->scope)
        scope_add(s->scope, t);
    return t;
}

void tensor_pending_add(weft_tensor *t)
{
    TensorState *s = t->state;
    t->pending_next = &s->pending;
    t->pending_prev = s->pending.pending_prev;
    t->pending_prev->pending_next = t;
    s->pending.pending_prev = t;
    t->counted = true;
    s->pending_bytes += weft_tensor_bytes(t);
    s->pending_count++;
}

void tensor_pending_remove(weft_tensor *t)
{
    if (t->pending_next) {
        t->pending_next->pending_prev = t->pending_prev;
        t->pending_prev->pending_next = t->pending_next;
        t->pending_next = t->pending_prev = NULL;
        t->state->pending_count--;
    }
    if (t->counted)
        t->state->pending_bytes -= weft_tensor_bytes(t);
    t->counted = false;
}

static void node_drop(weft_tensor *t)
{
    weft_tensor **inputs = t->inputs;
    uint32_t      n = t->input_count;
    t->input_count = 0;
    for (uint32_t i = 0; i < n; i++)
        tensor_unuse(inputs[i]);
    if (inputs != t->inline_inputs)
        free(inputs);
    t->inputs = t->inline_inputs;
    free(t->extra);
    t->extra = NULL;
    t->op = NULL;
    t->depth = 0;
}

void tensor_settle(weft_tensor *t, Storage *storage)
{
    t->storage = storage;
    tensor_pending_remove(t);
    node_drop(t);
}

static void tensor_free(weft_tensor *t)
{
    TensorState *s = t->state;
    scope_remove(t);
    tensor_pending_remove(t);
    node_drop(t);
    storage_release(t->storage);
    plan_release(t->plan);
    if (t->base)
        tensor_unuse(t->base);
    free(t->label);
    t->label = NULL;
    t->alive = TENSOR_DEAD;
    t->scope_next = NULL;
    if (s->free_last)
        s->free_last->scope_next = t;
    else
        s->free_first = t;
    s->free_last = t;
}

weft_tensor *tensor_use(weft_tensor *t)
{
    t->uses++;
    return t;
}

void tensor_unuse(weft_tensor *t)
{
    if (--t->uses == 0 && t->refs == 0)
        tensor_free(t);
}

weft_tensor *weft_tensor_retain(weft_tensor *t)
{
    if (!t || t->alive != TENSOR_ALIVE)
        return NULL;
    if (t->refs++ == 0)
        weft_context_retain(t->ctx);
    return t;
}

void weft_tensor_release(weft_tensor *t)
{
    if (!t || t->alive != TENSOR_ALIVE || t->refs == 0)
        return;
    if (--t->refs > 0)
        return;
    weft_context *ctx = t->ctx;
    scope_remove(t);
    if (t->uses == 0)
        tensor_free(t);
    weft_context_release(ctx);      /* last: it may free the state */
}

/* ---- scopes ---- */

void weft_tensor_scope_begin(weft_context *ctx)
{
    TensorState *s = tensor_state(ctx);
    TensorScope *scope = s ? calloc(1, sizeof *scope) : NULL;
    if (!scope) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a scope");
        return;
    }
    scope->outer = s->scope;
    s->scope = scope;
}

static bool is_kept(const weft_tensor *t, weft_tensor *const *keep, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (keep[i] == t)
            return true;
    return false;
}

void weft_tensor_scope_end(weft_context *ctx, weft_tensor *const *keep, uint32_t keep_count)
{
    TensorState *s = tensor_state(ctx);
    if (!s || !s->scope) {
        context_fail(ctx, WEFT_ERROR_INVALID, "scope_end without scope_begin");
        return;
    }
    TensorScope *scope = s->scope;
    weft_context_retain(ctx);       /* releasing the last tensor must not free the state */
    s->scope = scope->outer;
    while (scope->first) {
        weft_tensor *t = scope->first;
        scope_remove(t);
        if (!is_kept(t, keep, keep ? keep_count : 0))
            weft_tensor_release(t);
        else if (scope->outer)
            scope_add(scope->outer, t);
    }
    free(scope);
    weft_context_release(ctx);
}
