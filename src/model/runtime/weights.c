// SPDX-License-Identifier: Apache-2.0
/*
 * weights.c - which tensors a model consists of.
 *
 * in     a file, its Params
 * out    Weights, or an error that names the tensor
 * knows  the names of tensors in GGUF files
 * not    how they lie in memory (matrix.c)
 */
#include "model/runtime/runtime_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Finder {
    Loader       *l;
    const Params *p;
    uint32_t      layer;                /* UINT32_MAX: none                        */
    bool          ok;
} Finder;

static const weft_gguf_tensor *find(const Finder *f, const char *name)
{
    char full[128];
    if (f->layer == UINT32_MAX)
        snprintf(full, sizeof full, "%s", name);
    else
        snprintf(full, sizeof full, "blk.%u.%s", f->layer, name);
    return weft_gguf_tensor_find(f->l->file, full);
}

static void missing(Finder *f, const char *name)
{
    if (f->layer == UINT32_MAX)
        f->ok = context_fail(f->l->ctx, WEFT_ERROR_FORMAT, "the tensor '%s' is missing", name);
    else
        f->ok = context_fail(f->l->ctx, WEFT_ERROR_FORMAT, "the tensor 'blk.%u.%s' is missing",
                             f->layer, name);
}

static const weft_gguf_tensor *get(Finder *f, const char *name)
{
    const weft_gguf_tensor *t = f->ok ? find(f, name) : NULL;
    if (f->ok && !t)
        missing(f, name);
    return t;
}

static bool has_shape(Finder *f, const weft_gguf_tensor *t, uint64_t k, uint64_t rows)
{
    if (t && f->ok && (t->shape[0] != k || t->shape[1] * t->shape[2] * t->shape[3] != rows))
        f->ok = context_fail(f->l->ctx, WEFT_ERROR_FORMAT,
                             "'%s' is %llu x %llu; the model needs %llu x %llu", t->name,
                             (unsigned long long)t->shape[0], (unsigned long long)t->shape[1],
                             (unsigned long long)k, (unsigned long long)rows);
    return f->ok;
}

/* ---- vectors ---- */

/* May be missing: then *out stays NULL. */
static void vector(weft_buffer **out, Finder *f, const char *name, uint64_t n)
{
    const weft_gguf_tensor *t = f->ok ? find(f, name) : NULL;
    if (t && has_shape(f, t, n, 1))
        f->ok = vector_load(out, f->l, t);
}

static void needed_vector(weft_buffer **out, Finder *f, const char *name, uint64_t n)
{
    if (get(f, name))
        vector(out, f, name, n);
}

/* Several one behind the other, in the padded rows of a matrix; all or none. */
static void joined_bias(weft_buffer **out, Finder *f, const Matrix *m, const char *const *names,
                        const uint32_t *sizes, uint32_t count)
{
    const weft_gguf_tensor *first = f->ok ? find(f, names[0]) : NULL;
    if (!first)
        return;
    f->l->device_bytes += (uint64_t)m->stride * 4;
    if (f->l->measure)
        return;
    float *all = ARENA_ARRAY(f->l->arena, float, m->stride);
    for (uint32_t i = 0; i < count && f->ok; i++) {
        const weft_gguf_tensor *t = get(f, names[i]);
        if (t && has_shape(f, t, sizes[i], 1))
            f->ok = weft_gguf_read(all + m->starts[i], f->l->file, t, 0, sizes[i]);
    }
    if (f->ok)
        *out = weft_buffer_create(f->l->ctx, &(weft_buffer_desc){
            .data = all, .data_size = (uint64_t)m->stride * 4, .label = names[0]});
    f->ok = f->ok && *out;
}

/* Numbers for the host. */
static float *host_vector(Finder *f, const char *name, uint64_t n)
{
    const weft_gguf_tensor *t = f->ok ? find(f, name) : NULL;
    if (!t || !has_shape(f, t, n, 1) || f->l->measure)
        return NULL;
    float *values = ARENA_ARRAY(f->l->arena, float, n);
    f->ok = weft_gguf_read(values, f->l->file, t, 0, n);
    return f->ok ? values : NULL;
}

/* ---- matrices ---- */

static void matrix(Matrix *out, Finder *f, const char *name, uint64_t k, uint64_t rows)
{
    const weft_gguf_tensor *t = get(f, name);
    if (t && has_shape(f, t, k, rows))
        f->ok = matrix_load(out, f->l, &t, 1, 0);
}

static void joined(Matrix *out, Finder *f, const char *const *names, uint64_t k,
                   const uint32_t *rows, uint32_t count)
{
    const weft_gguf_tensor *t[3] = {0};
    for (uint32_t i = 0; i < count; i++) {
        t[i] = get(f, names[i]);
        has_shape(f, t[i], k, rows[i]);
    }
    if (f->ok)
        f->ok = matrix_load(out, f->l, t, count, 0);
}

/* Matrices of all experts; several are one below the other for each expert. */
static void mixture(Matrix *out, Finder *f, const char *const *names, uint64_t k, uint64_t rows,
                    uint32_t count)
{
    const weft_gguf_tensor *t[2] = {0};
    for (uint32_t i = 0; i < count; i++) {
        t[i] = get(f, names[i]);
        if (t[i] && (t[i]->shape[0] != k || t[i]->shape[1] != rows ||
                     t[i]->shape[2] != f->p->experts || t[i]->shape[3] != 1))
            f->ok = context_fail(f->l->ctx, WEFT_ERROR_FORMAT,
                                 "'%s' is not %llu x %llu for %u experts", t[i]->name,
                                 (unsigned long long)k, (unsigned long long)rows, f->p->experts);
    }
    if (f->ok)
        f->ok = matrix_load(out, f->l, t, count, f->p->experts);
}

/* Biases of experts, in the padded rows of a matrix: [experts][stride]; all or none. */
static void mixture_bias(weft_buffer **out, Finder *f, const Matrix *m, const char *const *names,
                         uint64_t n, uint32_t count)
{
    uint64_t size = (uint64_t)m->stride * f->p->experts;
    if (!f->ok || !find(f, names[0]))
        return;
    f->l->device_bytes += size * 4;
    if (f->l->measure)
        return;
    float *all = ARENA_ARRAY(f->l->arena, float, size);
    for (uint32_t i = 0; i < count && f->ok; i++) {
        const weft_gguf_tensor *t = get(f, names[i]);
        if (!t || !has_shape(f, t, n, f->p->experts))
            return;
        for (uint32_t e = 0; e < f->p->experts && f->ok; e++)
            f->ok = weft_gguf_read(all + (uint64_t)e * m->stride + m->starts[i], f->l->file, t,
                                   e * n, n);
    }
    if (f->ok)
        *out = weft_buffer_create(f->l->ctx, &(weft_buffer_desc){
            .data = all, .data_size = size * 4, .label = names[0]});
    f->ok = f->ok && *out;
}

/* ---- parts of a layer ---- */

static void attention(Layer *w, Finder *f)
{
    static const char *const names[] = {"attn_q.weight", "attn_k.weight", "attn_v.weight"};
    static const char *const biases[] = {"attn_q.bias", "attn_k.bias", "attn_v.bias"};
    static const char *const fused_bias = "attn_qkv.bias";
    const Params *p = f->p;
    uint32_t rows[] = {p->heads * p->key_size, p->kv_heads * p->key_size,
                       p->kv_heads * p->value_size};
    uint32_t all = rows[0] + rows[1] + rows[2];
    if (find(f, "attn_qkv.weight")) {
        matrix(&w->qkv, f, "attn_qkv.weight", p->embedding, all);
        w->qkv.starts[1] = rows[0];
        w->qkv.starts[2] = rows[0] + rows[1];
        uint32_t one = all;
        uint32_t saved = w->qkv.starts[0];
        joined_bias(&w->qkv_bias, f, &w->qkv, &fused_bias, &one, 1);
        w->qkv.starts[0] = saved;
    } else {
        joined(&w->qkv, f, names, p->embedding, rows, 3);
        joined_bias(&w->qkv_bias, f, &w->qkv, biases, rows, 3);
    }
    vector(&w->q_norm, f, "attn_q_norm.weight", p->key_size);
    vector(&w->k_norm, f, "attn_k_norm.weight", p->key_size);
    vector(&w->sinks, f, "attn_sinks.weight", p->heads);
    matrix(&w->output, f, "attn_output.weight", (uint64_t)p->heads * p->value_size, p->embedding);
    vector(&w->output_bias, f, "attn_output.bias", p->embedding);
}

static void experts(Layer *w, Finder *f)
{
    static const char *const names[] = {"ffn_gate_exps.weight", "ffn_up_exps.weight"};
    static const char *const biases[] = {"ffn_gate_exps.bias", "ffn_up_exps.bias"};
    static const char *const down[] = {"ffn_down_exps.weight", "ffn_down_exps.bias"};
    const Params *p = f->p;
    uint32_t n = p->expert_feed_forward;
    w->gated = true;
    matrix(&w->router, f, "ffn_gate_inp.weight", p->embedding, p->experts);
    vector(&w->router_bias, f, "ffn_gate_inp.bias", p->experts);
    mixture(&w->up, f, names, p->embedding, n, 2);
    mixture_bias(&w->up_bias, f, &w->up, biases, n, 2);
    mixture(&w->down, f, down, n, p->embedding, 1);
    const weft_gguf_tensor *bias = f->ok ? find(f, down[1]) : NULL;
    if (bias && has_shape(f, bias, p->embedding, p->experts))
        f->ok = vector_load(&w->down_bias, f->l, bias);
}

static void feed_forward(Layer *w, Finder *f)
{
    static const char *const names[] = {"ffn_gate.weight", "ffn_up.weight"};
    static const char *const biases[] = {"ffn_gate.bias", "ffn_up.bias"};
    const Params *p = f->p;
    uint32_t rows[] = {p->feed_forward, p->feed_forward};
    bool     inside = p->arch->traits & TRAIT_GATE_IN_UP;
    w->gated = inside || find(f, names[0]) || p->arch->traits & TRAIT_NEEDS_GATE;
    if (inside) {
        matrix(&w->up, f, names[1], p->embedding, 2 * (uint64_t)p->feed_forward);
        w->up.starts[1] = p->feed_forward;
    } else if (w->gated) {
        joined(&w->up, f, names, p->embedding, rows, 2);
        joined_bias(&w->up_bias, f, &w->up, biases, rows, 2);
    } else {
        matrix(&w->up, f, names[1], p->embedding, p->feed_forward);
        vector(&w->up_bias, f, biases[1], p->feed_forward);
    }
    matrix(&w->down, f, "ffn_down.weight", p->feed_forward, p->embedding);
    vector(&w->down_bias, f, "ffn_down.bias", p->embedding);
}

static void norms(Layer *w, Finder *f)
{
    uint32_t n = f->p->embedding;
    if (f->p->arch->traits & TRAIT_POST_NORM) {
        needed_vector(&w->attn_out_norm, f, "attn_output_norm.weight", n);
        vector(&w->attn_out_norm_bias, f, "attn_output_norm.bias", n);
        needed_vector(&w->layer_out_norm, f, "layer_output_norm.weight", n);
        vector(&w->layer_out_norm_bias, f, "layer_output_norm.bias", n);
        return;
    }
    needed_vector(&w->attn_norm, f, "attn_norm.weight", n);
    vector(&w->attn_norm_bias, f, "attn_norm.bias", n);
    if (find(f, "attn_norm_2.weight")) {        /* falcon 40B: the second is of attention */
        w->ffn_norm = w->attn_norm;
        w->ffn_norm_bias = w->attn_norm_bias;
        w->attn_norm = w->attn_norm_bias = NULL;
        vector(&w->attn_norm, f, "attn_norm_2.weight", n);
        vector(&w->attn_norm_bias, f, "attn_norm_2.bias", n);
        return;
    }
    bool after = !(f->p->arch->traits & TRAIT_POST_IS_FFN_NORM);
    vector(&w->ffn_norm, f, after ? "ffn_norm.weight" : "post_attention_norm.weight", n);
    vector(&w->ffn_norm_bias, f, "ffn_norm.bias", n);
    if (after)
        vector(&w->attn_post, f, "post_attention_norm.weight", n);
    vector(&w->ffn_post, f, "post_ffw_norm.weight", n);
    if (f->ok && !w->ffn_norm && !f->p->parallel && !f->l->measure)
        missing(f, "ffn_norm.weight");
}

static void layer(Layer *w, Finder *f)
{
    w->local = params_is_local(f->p, f->layer);
    norms(w, f);
    attention(w, f);
    if (f->p->experts)
        experts(w, f);
    else
        feed_forward(w, f);
}

/* ---- the whole ---- */

static void head(Weights *w, Finder *f)
{
    const Params *p = f->p;
    if (p->arch->traits & TRAIT_BIDIRECTIONAL)
        return;                         /* only embeds */
    needed_vector(&w->out_norm, f, "output_norm.weight", p->embedding);
    vector(&w->out_norm_bias, f, "output_norm.bias", p->embedding);
    w->tied = !find(f, "output.weight");
    if (!w->tied)
        matrix(&w->head, f, "output.weight", p->embedding, p->vocabulary);
    vector(&w->head_bias, f, "output.bias", p->vocabulary);
}

static void embeddings(Weights *w, Finder *f)
{
    const Params *p = f->p;
    const weft_gguf_tensor *positions = find(f, "position_embd.weight");
    const weft_gguf_tensor *types = find(f, "token_types.weight");
    matrix(&w->embedding, f, "token_embd.weight", p->embedding, p->vocabulary);
    if (positions)
        matrix(&w->positions, f, "position_embd.weight", p->embedding, positions->shape[1]);
    if (types)
        matrix(&w->types, f, "token_types.weight", p->embedding, types->shape[1]);
    vector(&w->embed_norm, f, "token_embd_norm.weight", p->embedding);
    vector(&w->embed_norm_bias, f, "token_embd_norm.bias", p->embedding);
    w->rope_factors = host_vector(f, "rope_freqs.weight", p->rotated / 2);
    w->rope_long = host_vector(f, "rope_factors_long.weight", p->rotated / 2);
    w->rope_short = host_vector(f, "rope_factors_short.weight", p->rotated / 2);
}

bool weights_load(Weights *w, Loader *l, const Params *p)
{
    Finder f = {l, p, UINT32_MAX, true};
    w->layers = ARENA_ARRAY(l->arena, Layer, p->layers);
    embeddings(w, &f);
    head(w, &f);
    weft_context *ctx = l->ctx;
    const Stage  *stage = l->stages;
    for (f.layer = 0; f.layer < p->layers && f.ok; f.layer++) {
        uint64_t before = l->device_bytes;
        while (stage && f.layer >= stage->end)
            stage++;
        if (stage)
            l->ctx = stage->ctx;
        layer(&w->layers[f.layer], &f);
        if (l->layer_bytes)
            l->layer_bytes[f.layer] = l->device_bytes - before;
    }
    l->ctx = ctx;
    free(l->room);
    l->room = NULL;
    l->room_size = 0;
    w->bytes = l->device_bytes;
    return f.ok;
}

static void layer_release(Layer *w)
{
    weft_buffer *buffers[] = {
        w->attn_norm, w->attn_norm_bias, w->ffn_norm, w->ffn_norm_bias, w->attn_post, w->ffn_post,
        w->attn_out_norm, w->attn_out_norm_bias, w->layer_out_norm, w->layer_out_norm_bias,
        w->q_norm, w->k_norm, w->sinks, w->qkv_bias, w->output_bias, w->up_bias, w->down_bias,
        w->router_bias,
    };
    for (size_t i = 0; i < COUNTOF(buffers); i++)
        weft_buffer_release(buffers[i]);
    matrix_release(&w->qkv);
    matrix_release(&w->output);
    matrix_release(&w->up);
    matrix_release(&w->down);
    matrix_release(&w->router);
}

void weights_release(Weights *w, const Params *p)
{
    weft_buffer *buffers[] = {w->embed_norm, w->embed_norm_bias, w->out_norm, w->out_norm_bias,
                              w->head_bias};
    for (size_t i = 0; i < COUNTOF(buffers); i++)
        weft_buffer_release(buffers[i]);
    for (uint32_t i = 0; w->layers && i < p->layers; i++)
        layer_release(&w->layers[i]);
    matrix_release(&w->embedding);
    matrix_release(&w->positions);
    matrix_release(&w->types);
    matrix_release(&w->head);
}
