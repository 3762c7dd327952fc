// SPDX-License-Identifier: Apache-2.0
/*
 * selftest.c - kernels against plain arithmetic, once a model is loaded.
 *
 * in     a model on its devices
 * out    an error that names the kernel and the device, if a result is wrong
 * knows  what the kernels compute, and the weights in the file
 *
 * Drivers compile kernels wrongly now and then, and a model then writes nonsense. Here the
 * embedding, a norm, one row of 16 of each product of a layer, attention over a single cell and
 * the middle of the feed-forward part are computed on each device and again in f64.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/runtime/stage.h"

enum { ROWS = MOST_TILE, SAMPLE = 16 };

typedef struct Test {
    weft_model         *m;
    weft_model_session *s;
    Batch               b;
    uint32_t            stage;
    float              *x, *y;          /* [ROWS][room]                            */
    size_t              room;
} Test;

/* ---- comparing ---- */

typedef struct Error {
    double difference, all;
} Error;

static void add_error(Error *e, double found, double want)
{
    e->difference += (found - want) * (found - want);
    e->all += want * want;
}

static bool is_right(const Test *t, const Error *e, const char *what, double most)
{
    if (e->difference <= most * e->all + 1e-20)
        return true;
    return context_fail(t->m->ctx, WEFT_ERROR_INTERNAL,
                        "self-test: %s is wrong on %s: an error of %.1e of its squares", what,
                        weft_context_device(t->b.stage->ctx)->name,
                        e->all > 0 ? e->difference / e->all : e->difference);
}

static bool read(Test *t, float *out, weft_buffer *from, uint64_t floats)
{
    return !t->b.failed && floats <= t->room &&
           (weft_buffer_read(out, from, 0, floats * sizeof *out) || model_fail(t->m));
}

/* Numbers of a size that products of a model have. */
static bool write_pattern(Test *t, weft_buffer *to, uint64_t floats)
{
    for (uint64_t i = 0; i < floats; i++)
        t->x[i] = (float)sin(0.37 * (double)i + 0.11 * (double)(i % 7));
    return weft_buffer_write(to, 0, t->x, floats * sizeof *t->x) || model_fail(t->m);
}

/* ---- kernels ---- */

static bool test_embedding(Test *t)
{
    const Params *p = &t->m->params;
    uint32_t ids[ROWS], n = p->embedding;
    const weft_gguf_tensor *table = weft_gguf_tensor_find(t->m->file, "token_embd.weight");
    for (uint32_t i = 0; i < ROWS; i++)
        ids[i] = i * 7919u % p->vocabulary;
    if (!weft_buffer_write(t->b.t->ids, 0, ids, sizeof ids))
        return model_fail(t->m);
    ops_embed(&t->b, t->b.t->hidden, &t->m->weights.embedding, t->b.t->ids, p->embed_factor, false);
    if (!read(t, t->y, t->b.t->hidden, (uint64_t)ROWS * n))
        return model_fail(t->m);
    Error e = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        if (!weft_gguf_read(t->x, t->m->file, table, (uint64_t)ids[i] * n, n))
            return false;
        for (uint32_t k = 0; k < n; k++)
            add_error(&e, t->y[i * n + k], (double)t->x[k] * p->embed_factor);
    }
    return is_right(t, &e, "the embedding", 1e-6);
}

static bool test_norm(Test *t)
{
    const Params *p = &t->m->params;
    uint32_t n = p->embedding;
    bool     layer = p->arch->norm == NORM_LAYER;
    if (!write_pattern(t, t->b.t->hidden, (uint64_t)ROWS * n))
        return false;
    ops_norm(&t->b, &(NormDesc){.y = t->b.t->normed, .x = t->b.t->hidden, .n = n, .x_stride = n,
                                .y_stride = n, .epsilon = p->epsilon, .layer = layer});
    if (!read(t, t->y, t->b.t->normed, (uint64_t)ROWS * n))
        return model_fail(t->m);
    Error e = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        const float *x = t->x + (size_t)i * n;
        double mean = 0, square = 0;
        for (uint32_t k = 0; k < n && layer; k++)
            mean += x[k] / (double)n;
        for (uint32_t k = 0; k < n; k++)
            square += (x[k] - mean) * (x[k] - mean) / n;
        for (uint32_t k = 0; k < n; k++)
            add_error(&e, t->y[(size_t)i * n + k], (x[k] - mean) / sqrt(square + p->epsilon));
    }
    return is_right(t, &e, "a norm", 1e-9);
}

/* The first rows of a part of a matrix. */
static bool compare_rows(Test *t, const Matrix *m, const MatrixPart *part, uint32_t rows)
{
    const weft_gguf_tensor *tensor = weft_gguf_tensor_find(t->m->file, part->name);
    uint64_t most = part->expert_rows ? tensor->shape[1] : tensor->elements / m->k;
    float   *w = malloc(m->k * sizeof *w), scale = 1;
    Error    e = {0};
    bool     ok = w != NULL || context_fail(t->m->ctx, WEFT_ERROR_MEMORY, "no memory for a test");
    if (ok && !matrix_scale(&scale, t->m->ctx, t->m->file, tensor))
        ok = false;
    for (uint32_t r = 0; r < SAMPLE && r < most && ok; r++) {
        ok = weft_gguf_read(w, t->m->file, tensor, (uint64_t)r * m->k, m->k);
        for (uint32_t i = 0; i < rows && ok; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < m->k; k++)
                sum += (double)w[k] * t->x[(size_t)i * m->k + k];
            add_error(&e, t->y[(size_t)i * m->stride + part->first + r], sum * scale);
        }
    }
    free(w);
    return ok && is_right(t, &e, part->name, ops_is_i8(&t->b, m) ? 1e-2 : 1e-4);
}

static bool test_product(Test *t, const Matrix *m, weft_buffer *x, weft_buffer *y)
{
    static const uint32_t rows[] = {1, ROWS};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        t->b.rows = rows[i];
        if (!write_pattern(t, x, (uint64_t)rows[i] * m->k))
            return false;
        ops_prepare(&t->b, m, x, m->k, 0);
        ops_multiply(&t->b, y, m);
        if (!read(t, t->y, y, (uint64_t)rows[i] * m->stride))
            return model_fail(t->m);
        for (uint32_t k = 0; k < m->nparts; k++)
            if (m->parts[k].begin == 0 && !compare_rows(t, m, &m->parts[k], rows[i]))
                return false;
    }
    return true;
}

/* A token that sees itself alone gets its own value: the softmax of one score is 1. */
static bool test_attention(Test *t, const Layer *w, uint32_t layer)
{
    const Params *p = &t->m->params;
    uint32_t zero[4] = {0}, spot[4] = {0, 0, 1, 0}, shared = p->heads / p->kv_heads;
    Scratch *s = t->b.t;
    t->b.rows = 1;
    if (!write_pattern(t, s->qkv, w->qkv.stride) || !weft_buffer_write(s->cells, 0, zero, 8) ||
        !weft_buffer_write(s->spots, 0, spot, 16) || !weft_buffer_write(s->places, 0, zero, 4) ||
        !rope_tables(t->s, zero, 1))
        return model_fail(t->m);
    ops_rope_store(&t->b, w, layer);
    ops_attention(&t->b, w, layer);
    if (!read(t, t->y, s->heads, (uint64_t)p->heads * p->value_size))
        return model_fail(t->m);
    Error e = {0};
    for (uint32_t h = 0; h < p->heads && !w->sinks; h++)
        for (uint32_t k = 0; k < p->value_size; k++)
            add_error(&e, t->y[h * p->value_size + k],
                      t->x[w->qkv.starts[2] + h / shared * p->value_size + k]);
    return is_right(t, &e, "attention", 1e-4);
}

/* ---- all of them ---- */

static bool test_layer(Test *t, uint32_t index)
{
    const Layer *w = &t->m->weights.layers[index];
    Scratch     *s = t->b.t;
    bool ok = test_product(t, &w->qkv, s->hidden, s->qkv) &&
              test_product(t, &w->output, s->heads, s->output) && test_attention(t, w, index);
    if (!ok || w->up.experts)
        return ok && test_product(t, &w->router, s->hidden, s->router);
    return test_product(t, &w->up, s->hidden, s->up) &&
           test_product(t, &w->down, s->middle, s->down);
}

static bool test_stage(Test *t)
{
    const Stage *stage = &t->m->stages[t->stage];
    t->b = (Batch){.s = t->s, .stage = stage, .t = &t->s->scratch[t->stage], .rows = ROWS,
                   .i8 = t->s->desc.activations == WEFT_MODEL_PRECISION_INT8};
    if ((t->stage == 0 && !test_embedding(t)) || !test_norm(t))
        return false;
    return stage->first == stage->end || test_layer(t, stage->first);
}

static size_t longest_row(const weft_model *m)
{
    const Params *p = &m->params;
    size_t n = p->embedding;
    for (uint32_t i = 0; i < p->layers; i++) {
        const Layer *w = &m->weights.layers[i];
        const Matrix *all[] = {&w->qkv, &w->output, &w->up, &w->down, &w->router};
        for (size_t k = 0; k < COUNTOF(all); k++) {
            n = all[k]->stride > n ? all[k]->stride : n;
            n = all[k]->k > n ? all[k]->k : n;
        }
    }
    return n;
}

bool selftest_run(weft_model *m)
{
    Test t = {.m = m, .room = ROWS * longest_row(m)};
    t.s = weft_model_session_create(m, &(weft_model_session_desc){.context = ROWS, .batch = ROWS});
    t.x = malloc(t.room * sizeof *t.x);
    t.y = malloc(t.room * sizeof *t.y);
    bool ok = t.s && t.x && t.y;
    if (t.s && !ok)
        context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory for the self-test");
    for (; t.stage < m->nstages && ok; t.stage++)
        ok = test_stage(&t);
    free(t.x);
    free(t.y);
    weft_model_session_release(t.s);
    return ok;
}
