// SPDX-License-Identifier: Apache-2.0
/*
 * node.c - makes pending tensors, and checks the arguments that every operator has in common.
 *
 * in     an operator, its inputs and parameters
 * out    a pending tensor; early evaluation when the graph becomes deep or its results large
 * not    what operators compute
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor_priv.h"

/* Deeper graphs are evaluated on the way: planning and release walk them recursively. */
#define DEPTH_LIMIT 400
#define COUNT_LIMIT 4096            /* pending tensors of one context                       */

weft_context *tensor_args(const char *what, weft_tensor *const *args, uint32_t count)
{
    weft_context *ctx = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!args[i])
            return NULL;            /* its maker has set the error */
        if (args[i]->alive != TENSOR_ALIVE) {
            /* Its slot lives as long as its context. */
            context_fail(ctx ? ctx : args[i]->ctx, WEFT_ERROR_INVALID,
                         "%s: argument %u was released", what, i + 1);
            return NULL;
        }
        if (ctx && args[i]->ctx != ctx) {
            context_fail(ctx, WEFT_ERROR_INVALID,
                         "%s: argument %u belongs to another context; copy it with "
                         "weft_tensor_read() and weft_tensor_create()", what, i + 1);
            return NULL;
        }
        ctx = args[i]->ctx;
    }
    return context_ok(ctx) ? ctx : NULL;
}

static bool node_inputs(weft_tensor *t, const NodeDesc *d)
{
    if (d->input_count > INLINE_INPUTS) {
        t->inputs = calloc(d->input_count, sizeof *t->inputs);
        if (!t->inputs) {
            t->inputs = t->inline_inputs;
            return context_fail(t->ctx, WEFT_ERROR_MEMORY, "no memory for %s", d->op->name);
        }
    }
    for (uint32_t i = 0; i < d->input_count; i++) {
        t->inputs[i] = tensor_use(d->inputs[i]);
        t->depth = MAX_OF(t->depth, tensor_root(d->inputs[i])->depth);
        t->input_count++;
    }
    t->depth++;
    return true;
}

static bool node_fill(weft_tensor *t, const NodeDesc *d)
{
    t->op = d->op;
    t->dtype = (uint8_t)d->dtype;
    t->arg_dtype = (uint8_t)(d->arg_dtype ? d->arg_dtype : d->dtype);
    t->rank = (uint8_t)d->rank;
    if (d->rank)
        memcpy(t->shape, d->shape, d->rank * sizeof *d->shape);
    shape_contiguous(t->strides, t->rank, t->shape);
    t->attr = d->attr;
    if (d->extra_size) {
        t->extra = malloc(d->extra_size);
        if (!t->extra)
            return context_fail(t->ctx, WEFT_ERROR_MEMORY, "no memory for %s", d->op->name);
        memcpy(t->extra, d->extra, d->extra_size);
        t->extra_size = d->extra_size;
    }
    return node_inputs(t, d);
}

/* Evaluates t now if the graph behind it must not grow further. */
static bool node_bound(weft_tensor *t)
{
    TensorState *s = t->state;
    uint64_t     most = context_desc(t->ctx)->eval_threshold;
    if (context_desc(t->ctx)->memory_mode == WEFT_MEMORY_LOW && most != WEFT_OFF)
        most /= 8;
    bool full = t->depth >= DEPTH_LIMIT || s->pending_count > COUNT_LIMIT
                || (most != WEFT_OFF && s->pending_bytes > most);
    if (!full || s->evaluating || !weft_context_device(t->ctx))
        return true;
    context_count(t->ctx, "tensor.early_evaluations", "count", 1);
    return tensor_evaluate(s, &t, 1);
}

/* 64-bit floats need the device's support, 64-bit integers must fit into 32 bits. */
static bool node_types(TensorState *s, const NodeDesc *d)
{
    bool wide = d->dtype == WEFT_F64 || d->arg_dtype == WEFT_F64;
    for (uint32_t i = 0; i < d->input_count; i++) {
        wide |= d->inputs[i]->dtype == WEFT_F64;
        if (d->inputs[i]->dtype == WEFT_I64 && !tensor_check_i64(d->inputs[i], d->op->name))
            return false;
    }
    if (wide && !s->f64)
        return context_fail(s->ctx, WEFT_ERROR_UNSUPPORTED, "%s: this device does not compute "
                            "with f64", d->op->name);
    return true;
}

weft_tensor *tensor_node(weft_context *ctx, const NodeDesc *d)
{
    TensorState *s = tensor_state(ctx);
    uint64_t     count = 0;
    if (!s)
        return NULL;
    if (!shape_count(&count, d->rank, d->shape)) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "%s: the result %s has too many elements",
                     d->op->name, shape_text(d->rank, d->shape));
        return NULL;
    }
    if (!node_types(s, d))
        return NULL;
    weft_tensor *t = tensor_alloc(s);
    if (!t)
        return NULL;
    t->count = count;
    bool ok = node_fill(t, d);
    if (ok) {
        tensor_pending_add(t);
        ok = node_bound(t);
    }
    if (!ok) {
        weft_tensor_release(t);
        return NULL;
    }
    return t;
}
