// SPDX-License-Identifier: Apache-2.0
/*
 * forward.c - a batch through all layers of a model.
 *
 * in     token ids, cells and tables of the batch, in scratch buffers
 * out    the buffer with the rows after the last norm
 * knows  the structure of the architectures
 * not    kernels (ops.c), caches (session.c)
 *
 * h is the residual stream, scratch.hidden. What a part adds to it is added by the next
 * norm.
 */
#include "model/runtime/runtime_priv.h"

#include <stdlib.h>

typedef struct Forward {
    Batch        *b;
    const Params *p;
    Scratch      *t;
    weft_buffer  *pending;              /* to be added to h, or NULL               */
    uint32_t      pending_stride;
} Forward;

static bool is_layer_norm(const Forward *f)
{
    return f->p->arch->norm == NORM_LAYER;
}

/* y = norm(h + pending) */
static void norm_hidden(Forward *f, weft_buffer *y, weft_buffer *gain, weft_buffer *bias)
{
    uint32_t n = f->p->embedding;
    f->b->op = OP_NORM;
    ops_norm(f->b, &(NormDesc){
        .y = y, .x = f->t->hidden, .add = f->pending, .gain = gain, .bias = bias, .n = n,
        .x_stride = n, .add_stride = f->pending_stride, .y_stride = n,
        .epsilon = f->p->epsilon, .layer = is_layer_norm(f)});
    f->pending = NULL;
}

/* Adds `x` to h later, after a norm of its own if there is one. */
static void leave_pending(Forward *f, weft_buffer *x, uint32_t stride, weft_buffer *norm,
                          weft_buffer *bias)
{
    uint32_t n = f->p->embedding;
    f->b->op = OP_NORM;
    if (bias)
        ops_add(f->b, x, n, stride, 0, NULL, 0, bias);
    if (norm) {
        ops_norm(f->b, &(NormDesc){
            .y = f->t->normed, .x = x, .gain = norm, .n = n, .x_stride = stride, .y_stride = n,
            .epsilon = f->p->epsilon, .layer = is_layer_norm(f)});
        ops_add(f->b, f->t->hidden, n, n, 0, f->t->normed, n, NULL);
        return;
    }
    f->pending = x;
    f->pending_stride = stride;
}

/* ---- parts of a layer ---- */

static void head_norms(Forward *f, const Layer *w)
{
    if (w->q_norm)
        ops_head_norm(f->b, w, w->q_norm, 0, f->p->heads);
    if (w->k_norm)
        ops_head_norm(f->b, w, w->k_norm, w->qkv.starts[1], f->p->kv_heads);
}

static void attention(Forward *f, const Layer *w, uint32_t index, weft_buffer *x)
{
    const Params *p = f->p;
    f->b->op = OP_QKV;
    ops_prepare(f->b, &w->qkv, x, p->embedding, 0);
    ops_multiply(f->b, f->t->qkv, &w->qkv);
    if (w->qkv_bias)
        ops_add(f->b, f->t->qkv, w->qkv.stride, w->qkv.stride, 0, NULL, 0, w->qkv_bias);
    f->b->op = OP_NORM;
    head_norms(f, w);
    f->b->op = OP_ROPE;
    ops_rope_store(f->b, w, index);
    ops_attention(f->b, w, index);
    f->b->op = OP_OUTPUT;
    ops_prepare(f->b, &w->output, f->t->heads, p->heads * p->value_size, 0);
    ops_multiply(f->b, f->t->output, &w->output);
}

static void dense(Forward *f, const Layer *w, weft_buffer *x)
{
    const Params *p = f->p;
    f->b->op = OP_FEED_FORWARD;
    ops_prepare(f->b, &w->up, x, p->embedding, 0);
    ops_multiply(f->b, f->t->up, &w->up);
    ops_gate(f->b, w);
    ops_prepare(f->b, &w->down, f->t->middle, p->feed_forward, 0);
    ops_multiply(f->b, f->t->down, &w->down);
}

/* The result is in t->picked, whose rows are not padded. */
static void experts(Forward *f, const Layer *w, weft_buffer *x)
{
    const Params *p = f->p;
    f->b->op = OP_ROUTE;
    ops_prepare(f->b, &w->router, x, p->embedding, 0);
    ops_multiply(f->b, f->t->router, &w->router);
    ops_route(f->b, w);
    f->b->op = OP_FEED_FORWARD;
    ops_prepare(f->b, &w->up, x, p->embedding, 0);
    ops_multiply_experts(f->b, f->t->up, &w->up, false);
    ops_gate(f->b, w);
    ops_prepare_choices(f->b, &w->down, f->t->middle, p->expert_feed_forward);
    ops_multiply_experts(f->b, f->t->down, &w->down, true);
    ops_combine(f->b, f->t->picked, w);
}

/* The result, with its stride; a bias of it is left to the caller. */
typedef struct Result {
    weft_buffer *x;
    uint32_t     stride;
    weft_buffer *bias;
} Result;

static Result feed_forward(Forward *f, const Layer *w, weft_buffer *x)
{
    if (w->up.experts) {
        experts(f, w, x);
        return (Result){f->t->picked, f->p->embedding, NULL};
    }
    dense(f, w, x);
    return (Result){f->t->down, w->down.stride, w->down_bias};
}

/* ---- layers ---- */

static void usual_layer(Forward *f, const Layer *w, uint32_t index)
{
    norm_hidden(f, f->t->normed, w->attn_norm, w->attn_norm_bias);
    attention(f, w, index, f->t->normed);
    leave_pending(f, f->t->output, w->output.stride, w->attn_post, w->output_bias);
    norm_hidden(f, f->t->normed, w->ffn_norm, w->ffn_norm_bias);
    Result r = feed_forward(f, w, f->t->normed);
    leave_pending(f, r.x, r.stride, w->ffn_post, r.bias);
}

/* Attention and feed-forward part read norms of the same h. */
static void parallel_layer(Forward *f, const Layer *w, uint32_t index)
{
    uint32_t n = f->p->embedding;
    norm_hidden(f, f->t->normed, w->attn_norm, w->attn_norm_bias);
    attention(f, w, index, f->t->normed);
    if (w->ffn_norm)
        norm_hidden(f, f->t->normed, w->ffn_norm, w->ffn_norm_bias);
    Result r = feed_forward(f, w, f->t->normed);
    ops_add(f->b, f->t->hidden, n, n, 0, f->t->output, w->output.stride, w->output_bias);
    leave_pending(f, r.x, r.stride, NULL, r.bias);
}

/* bert: norms after the sums. */
static void post_norm_layer(Forward *f, const Layer *w, uint32_t index)
{
    attention(f, w, index, f->t->hidden);
    leave_pending(f, f->t->output, w->output.stride, NULL, w->output_bias);
    norm_hidden(f, f->t->normed, w->attn_out_norm, w->attn_out_norm_bias);
    Result   r = feed_forward(f, w, f->t->normed);
    uint32_t n = f->p->embedding;
    if (r.bias)
        ops_add(f->b, r.x, n, r.stride, 0, NULL, 0, r.bias);
    ops_norm(f->b, &(NormDesc){
        .y = f->t->hidden, .x = f->t->normed, .add = r.x, .gain = w->layer_out_norm,
        .bias = w->layer_out_norm_bias, .n = n, .x_stride = n, .add_stride = r.stride,
        .y_stride = n, .epsilon = f->p->epsilon, .layer = true});
}

/* ---- the ends ---- */

static void embed(Forward *f)
{
    const Weights *w = &f->b->s->model->weights;
    uint32_t n = f->p->embedding;
    f->b->op = OP_EMBED;
    ops_embed(f->b, f->t->hidden, &w->embedding, f->t->ids, f->p->embed_factor, false);
    if (w->types.nparts)
        ops_embed(f->b, f->t->hidden, &w->types, f->t->types, 1, true);
    if (w->positions.nparts)
        ops_embed(f->b, f->t->hidden, &w->positions, f->t->positions, 1, true);
    if (!w->embed_norm)
        return;
    ops_norm(f->b, &(NormDesc){
        .y = f->t->normed, .x = f->t->hidden, .gain = w->embed_norm, .bias = w->embed_norm_bias,
        .n = n, .x_stride = n, .y_stride = n, .epsilon = f->p->epsilon, .layer = is_layer_norm(f)});
    weft_buffer *swap = f->t->normed;
    f->t->normed = f->t->hidden;
    f->t->hidden = swap;
}

/* ---- stages ---- */

/* Makes h whole on its device. */
static void settle(Forward *f)
{
    uint32_t n = f->p->embedding;
    if (f->pending)
        ops_add(f->b, f->t->hidden, n, n, 0, f->pending, f->pending_stride, NULL);
    f->pending = NULL;
}

/* Moves h to another device, through the host. */
static void enter(Forward *f, uint32_t stage)
{
    Batch *b = f->b;
    weft_model *m = b->s->model;
    uint64_t bytes = (uint64_t)b->rows * f->p->embedding * sizeof(float);
    settle(f);
    float *rows = malloc(bytes);
    if (!rows) {
        context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory to move a batch between devices");
        b->failed = true;
        return;
    }
    b->failed = b->failed || !weft_buffer_read(rows, f->t->hidden, 0, bytes);
    b->stage = &m->stages[stage];
    b->t = f->t = &b->s->scratch[stage];
    b->failed = b->failed || !weft_buffer_write(f->t->hidden, 0, rows, bytes);
    free(rows);
}

weft_buffer *forward_run(Batch *b)
{
    weft_model *m = b->s->model;
    Forward f = {.b = b, .p = &m->params, .t = b->t};
    embed(&f);
    for (uint32_t i = 0, stage = 0; i < m->params.layers && !b->failed; i++) {
        const Layer *w = &m->weights.layers[i];
        while (i >= m->stages[stage].end)
            stage++;
        if (b->stage != &m->stages[stage])
            enter(&f, stage);
        if (m->params.arch->traits & TRAIT_POST_NORM)
            post_norm_layer(&f, w, i);
        else if (m->params.parallel)
            parallel_layer(&f, w, i);
        else
            usual_layer(&f, w, i);
        /* The device computes while the next layers are recorded. */
        b->failed = b->failed || !weft_context_submit(b->stage->ctx);
    }
    if (b->stage != &m->stages[0])
        enter(&f, 0);
    if (!m->weights.out_norm)
        return b->failed ? NULL : f.t->hidden;
    norm_hidden(&f, f.t->normed, m->weights.out_norm, m->weights.out_norm_bias);
    return b->failed ? NULL : f.t->normed;
}
