// SPDX-License-Identifier: Apache-2.0
/*
 * tensors.c - weights and results of a model as tensors under its name, without copies.
 *
 * in     buffers of weights, of logits, of hidden states
 * out    shared tensors (weft/tensor.h) of each device's context
 * knows  the names of tensors in files
 * not    how they are computed
 */
#include "model/runtime/runtime_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/tensor.h>

/* ---- one tensor ---- */

typedef struct Sharer {
    const weft_model *m;
    weft_context     *ctx;              /* of the device that has the buffers      */
    bool              ok;
} Sharer;

static void put(Sharer *s, const char *name, const weft_tensor_desc *d)
{
    weft_tensor *t = s->ok ? weft_tensor_create(s->ctx, d) : NULL;
    s->ok = t && weft_share_put(s->ctx, s->m->name, name, t);
    weft_tensor_release(t);
}

static void put_vector(Sharer *s, const char *name, weft_buffer *b)
{
    if (b)
        put(s, name, &(weft_tensor_desc){.rank = 1, .shape = {weft_buffer_size(b) / 4},
                                         .buffer = b, .label = name});
}

/* 16 rows interleaved: [groups of rows][words of a row][16]. */
static void put_words(Sharer *s, const char *name, const char *more, weft_buffer *b,
                      uint64_t groups, uint64_t words, weft_dtype dtype)
{
    char full[160];
    snprintf(full, sizeof full, "%s%s", name, more);
    if (b && words)
        put(s, full, &(weft_tensor_desc){.dtype = dtype, .rank = 3, .shape = {groups, words, 16},
                                         .buffer = b, .label = full});
}

/* Parts of a matrix that is larger than a binding have their first row in their names. */
static void put_matrix(Sharer *s, const Matrix *m)
{
    for (uint32_t i = 0; i < m->nparts; i++) {
        const MatrixPart *p = &m->parts[i];
        RowWords n = repack_words(p->format, m->k);
        uint64_t groups = weft_buffer_size(p->weights) / 64 / n.weights;
        char     name[140];
        if (p->begin)
            snprintf(name, sizeof name, "%s@%llu", p->name, (unsigned long long)p->begin);
        else
            snprintf(name, sizeof name, "%s", p->name);
        put_words(s, name, "", p->weights, groups, n.weights,
                  p->format == FORMAT_F32 ? WEFT_F32 : WEFT_U32);
        put_words(s, name, ".scales", p->scales, groups, n.scales, WEFT_U32);
        put_words(s, name, ".minima", p->least, groups, n.least, WEFT_U32);
    }
}

/* ---- all weights ---- */

#define VECTOR(field, name) {offsetof(Layer, field), name}
static const struct { size_t at; const char *name; } layer_vectors[] = {
    VECTOR(attn_norm, "attn_norm.weight"), VECTOR(attn_norm_bias, "attn_norm.bias"),
    VECTOR(ffn_norm, "ffn_norm.weight"), VECTOR(ffn_norm_bias, "ffn_norm.bias"),
    VECTOR(attn_post, "post_attention_norm.weight"), VECTOR(ffn_post, "post_ffw_norm.weight"),
    VECTOR(attn_out_norm, "attn_output_norm.weight"),
    VECTOR(attn_out_norm_bias, "attn_output_norm.bias"),
    VECTOR(layer_out_norm, "layer_output_norm.weight"),
    VECTOR(layer_out_norm_bias, "layer_output_norm.bias"),
    VECTOR(q_norm, "attn_q_norm.weight"), VECTOR(k_norm, "attn_k_norm.weight"),
    VECTOR(sinks, "attn_sinks.weight"), VECTOR(qkv_bias, "attn_qkv.bias"),
    VECTOR(output_bias, "attn_output.bias"), VECTOR(up_bias, "ffn_up.bias"),
    VECTOR(down_bias, "ffn_down.bias"), VECTOR(router_bias, "ffn_gate_inp.bias"),
};

static void put_layer(Sharer *s, const Layer *layer, uint32_t index)
{
    char name[64];
    for (size_t i = 0; i < COUNTOF(layer_vectors); i++) {
        snprintf(name, sizeof name, "blk.%u.%s", index, layer_vectors[i].name);
        put_vector(s, name, *(weft_buffer *const *)((const char *)layer + layer_vectors[i].at));
    }
    put_matrix(s, &layer->qkv);
    put_matrix(s, &layer->output);
    put_matrix(s, &layer->up);
    put_matrix(s, &layer->down);
    put_matrix(s, &layer->router);
}

static void put_others(Sharer *s)
{
    const Weights *w = &s->m->weights;
    put_matrix(s, &w->embedding);
    put_matrix(s, &w->positions);
    put_matrix(s, &w->types);
    put_matrix(s, &w->head);
    put_vector(s, "token_embd_norm.weight", w->embed_norm);
    put_vector(s, "token_embd_norm.bias", w->embed_norm_bias);
    put_vector(s, "output_norm.weight", w->out_norm);
    put_vector(s, "output_norm.bias", w->out_norm_bias);
    put_vector(s, "output.bias", w->head_bias);
}

static bool is_taken(const weft_model *m, const char *name)
{
    weft_share_info info;
    for (uint32_t i = 0; i < m->nstages; i++)
        for (uint32_t k = 0; weft_share_get_info(&info, m->stages[i].ctx, k); k++)
            if (strcmp(info.owner, name) == 0)
                return true;
    return false;
}

/* Another model of the same name keeps it: this one gets a number. */
static bool find_name(weft_model *m)
{
    size_t room = strlen(m->name) + 16;
    char  *name = malloc(room);
    if (!name)
        return context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory for a name");
    snprintf(name, room, "%s", m->name);
    for (uint32_t n = 2; is_taken(m, name); n++)
        snprintf(name, room, "%s %u", m->name, n);
    free(m->name);
    m->name = name;
    return true;
}

bool tensors_share(weft_model *m)
{
    if (!find_name(m))
        return false;
    m->shared = true;
    m->info.name = m->name;
    Sharer s = {.m = m, .ctx = m->stages[0].ctx, .ok = true};
    put_others(&s);
    for (uint32_t i = 0; i < m->nstages; i++) {
        s.ctx = m->stages[i].ctx;
        for (uint32_t l = m->stages[i].first; l < m->stages[i].end; l++)
            put_layer(&s, &m->weights.layers[l], l);
    }
    return s.ok || model_fail(m);
}

void tensors_unshare(weft_model *m)
{
    for (uint32_t i = 0; m->shared && i < m->nstages; i++)
        weft_share_release(m->stages[i].ctx, m->name);
    m->shared = false;
}

/* ---- results ---- */

bool tensors_share_rows(SharedRows *last, weft_model *m, const char *name, weft_buffer *b,
                        uint32_t rows, uint32_t stride, uint32_t n)
{
    weft_context *ctx = m->stages[0].ctx;
    if (!m->shared || rows == 0 || (last->buffer == b && last->rows == rows))
        return true;
    weft_tensor *all = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 2, .shape = {rows, stride}, .buffer = b, .label = name});
    weft_tensor *t = stride == n ? weft_tensor_retain(all) : weft_tensor_narrow(all, 1, 0, n);
    bool ok = t && weft_share_put(ctx, m->name, name, t);
    weft_tensor_release(t);
    weft_tensor_release(all);
    *last = (SharedRows){ok ? b : NULL, rows};
    return ok || model_fail(m);
}

bool tensors_share_copy(weft_model *m, const char *name, const float *data, uint64_t rows,
                        uint32_t n)
{
    Sharer s = {.m = m, .ctx = m->stages[0].ctx, .ok = true};
    if (m->shared && rows)
        put(&s, name, &(weft_tensor_desc){.rank = 2, .shape = {rows, n}, .data = data,
                                          .label = name});
    return s.ok || model_fail(m);
}
