// SPDX-License-Identifier: Apache-2.0
/*
 * ops.c - one function for each kernel: what is bound, how many workgroups.
 *
 * in     a batch, buffers, sizes
 * out    a recorded dispatch; Batch.failed after an error
 * knows  the bindings and parameters of the .wgsl files
 * not    the order of operations (forward.c)
 */
#include <string.h>

#include "model/runtime/runtime_priv.h"

void call_bind(Call *c, weft_buffer *buffer)
{
    c->bindings[c->count++] = (weft_binding){.buffer = buffer};
}

void call_bind_maybe(Call *c, weft_buffer *buffer)
{
    call_bind(c, buffer ? buffer : c->b->stage->nothing);
}

/* Runs what is recorded, and adds its time to the part it belongs to. */
static bool timed(Batch *b, const weft_dispatch *d)
{
    double start = seconds_now();
    bool   ok = weft_context_dispatch(b->stage->ctx, d) && weft_context_wait(b->stage->ctx);
    b->s->op_seconds[b->op] += seconds_now() - start;
    return ok;
}

void call_run(Call *c, const KernelKey *key, const void *params, uint32_t size, uint32_t x,
              uint32_t y)
{
    Batch *b = c->b;
    if (b->failed || x == 0 || y == 0)
        return;
    c->bindings[c->count++] = (weft_binding){.data = params, .data_size = size};
    weft_pipeline *pipeline = pipelines_get(b->stage->pipelines, key);
    weft_dispatch  d = {.pipeline = pipeline, .bindings = c->bindings,
                        .binding_count = c->count, .groups = {x, y, 1}};
    b->s->timings.dispatches++;
    b->failed = !pipeline || !(b->s->profile ? timed(b, &d)
                                             : weft_context_dispatch(b->stage->ctx, &d));
}

/* ---- products ---- */

/* All parts of a matrix read the same activations. */
bool ops_is_i8(const Batch *b, const Matrix *m)
{
    for (uint32_t i = 0; i < m->nparts; i++)
        if (m->parts[i].format < FORMAT_QUANTISED)
            return false;
    return b->i8;
}

uint32_t ops_tile(uint32_t rows, bool i8)
{
    return rows == 1 ? 1 : rows <= 4 ? 4 : rows <= 8 || i8 ? 8 : MOST_TILE;
}

/* How many tiles. */
static uint32_t tiles_of(const Batch *b, uint32_t tile)
{
    return (b->rows + tile - 1) / tile;
}

void ops_prepare(Batch *b, const Matrix *m, weft_buffer *x, uint32_t stride, uint32_t first)
{
    bool     i8 = ops_is_i8(b, m);
    /* Products of experts choose single tokens. */
    uint32_t tile = m->experts ? 1 : ops_tile(b->rows, i8);
    struct { uint32_t tile, used, stride, first, count, pad[3]; } p = {
        tile, b->rows, stride, first, m->k, {0}};
    Call c = {.b = b};
    uint32_t k = i8 ? m->padded_k : (m->k + 3) / 4 * 4;
    call_bind(&c, x);
    call_bind(&c, b->t->prepared);
    if (i8)
        call_bind(&c, b->t->scales);
    KernelKey key = {.kind = KERNEL_PREPARE, .i8 = i8, .k = k};
    call_run(&c, &key, &p, i8 ? 16 : 32, RUNS_OF_64(i8 ? k / 32 : k / 4),
             tiles_of(b, tile) * tile);
}

void ops_multiply(Batch *b, weft_buffer *y, const Matrix *m)
{
    bool     i8 = ops_is_i8(b, m);
    uint32_t tile = ops_tile(b->rows, i8);
    for (uint32_t i = 0; i < m->nparts; i++) {
        const MatrixPart *part = &m->parts[i];
        struct { uint32_t stride, first; float unit; uint32_t pad; } p = {
            m->stride, part->first, part->unit, 0};
        Call c = {.b = b};
        call_bind(&c, part->weights);
        if (part->scales)
            call_bind(&c, part->scales);
        if (part->least)
            call_bind(&c, part->least);
        call_bind(&c, b->t->prepared);
        if (i8)
            call_bind(&c, b->t->scales);
        call_bind(&c, y);
        KernelKey key = {
            .kind = KERNEL_MUL, .format = part->format, .tile = tile, .i8 = i8,
            .k = repack_pad(part->format, m->k)};
        uint32_t runs = part->rows / 16;
        key.groups = tune_groups(&c, &key, &p, sizeof p, runs);
        call_run(&c, &key, &p, sizeof p, tiles_of(b, tile), runs / key.groups);
    }
}

/* ---- norms ---- */

void ops_norm(Batch *b, const NormDesc *d)
{
    struct { uint32_t n, x_stride, add_stride, y_stride; float epsilon; uint32_t pad[3]; } p = {
        d->n, d->x_stride, d->add_stride, d->y_stride, d->epsilon, {0}};
    Call c = {.b = b};
    call_bind(&c, d->x);
    call_bind_maybe(&c, d->add);
    call_bind_maybe(&c, d->gain);
    call_bind_maybe(&c, d->bias);
    call_bind(&c, d->y);
    KernelKey key = {.kind = KERNEL_NORM,
                     .flags = (d->add ? 1u : 0) | (d->layer ? 2u : 0) | (d->gain ? 4u : 0) |
                              (d->bias ? 8u : 0)};
    call_run(&c, &key, &p, sizeof p, b->rows, 1);
}

void ops_head_norm(Batch *b, const Layer *layer, weft_buffer *gain, uint32_t first,
                   uint32_t heads)
{
    const Params *m = &b->s->model->params;
    struct { uint32_t stride, first, heads; float epsilon; } p = {
        layer->qkv.stride, first, heads, m->epsilon};
    Call c = {.b = b};
    call_bind(&c, b->t->qkv);
    call_bind(&c, gain);
    KernelKey key = {.kind = KERNEL_HEAD_NORM, .d = m->key_size};
    call_run(&c, &key, &p, sizeof p, heads, b->rows);
}

/* ---- attention ---- */

void ops_rope_store(Batch *b, const Layer *layer, uint32_t index)
{
    weft_model_session *s = b->s;
    const Params *m = &s->model->params;
    bool local = layer->local && b->t->table_local;
    struct {
        uint32_t tokens, stride, k_first, v_first, heads, kv_heads, rotated, cells, value_scales;
        uint32_t pad[3];
    } p = {b->rows, layer->qkv.stride, layer->qkv.starts[1], layer->qkv.starts[2], m->heads,
           m->kv_heads, m->rotated, s->cells, s->value_scales, {0}};
    Call c = {.b = b};
    call_bind(&c, b->t->qkv);
    call_bind_maybe(&c, local ? b->t->table_local : b->t->table);
    call_bind(&c, b->t->cells);
    call_bind(&c, s->keys[index]);
    call_bind(&c, s->values[index]);
    if (s->cache == CACHE_Q8)
        call_bind(&c, s->scales[index]);
    KernelKey key = {.kind = KERNEL_ROPE, .format = s->cache, .d = m->key_size,
                     .dv = m->value_size, .flags = m->arch->rope == ROPE_NORM};
    call_run(&c, &key, &p, sizeof p, m->heads + m->kv_heads, b->rows);
}

/* Heads with the same keys that a workgroup computes together: a divisor of their number. On the
 * CPU device reading and unpacking the keys takes most of the time; GPUs want many workgroups, and
 * with a single token so do many threads. */
static uint32_t heads_together(const Batch *b, const Params *m)
{
    uint32_t shared = m->heads / m->kv_heads, n = b->rows > 1 ? 8 : 4;
    if (strcmp(weft_context_device(b->stage->ctx)->backend, "cpu") != 0)
        return 1;
    while (shared % n)
        n--;
    return n;
}

/* `parts`: ATTENTION_ALL, or less of it, for profiles. */
enum { ATTENTION_ALL, ATTENTION_SCORES, ATTENTION_SOFTMAX };

static void attention(Batch *b, const Layer *layer, uint32_t index, uint32_t parts)
{
    weft_model_session *s = b->s;
    const Params *m = &s->model->params;
    struct {
        uint32_t stride, heads, kv_heads, cells, window, y_stride;
        float    scale, soft_cap;
        uint32_t value_scales, pad[3];
    } p = {layer->qkv.stride, m->heads, m->kv_heads, s->cells,
           layer->local ? m->window : 0, m->heads * m->value_size, m->attention_scale,
           m->attention_cap, s->value_scales, {0}};
    Call c = {.b = b};
    call_bind(&c, b->t->qkv);
    call_bind(&c, b->t->spots);
    call_bind(&c, b->t->places);
    call_bind(&c, s->keys[index]);
    call_bind(&c, s->values[index]);
    if (s->cache == CACHE_Q8)
        call_bind(&c, s->scales[index]);
    if (layer->sinks)
        call_bind(&c, layer->sinks);
    call_bind(&c, b->t->heads);
    KernelKey key = {.kind = KERNEL_ATTENTION, .format = s->cache, .d = m->key_size,
                     .dv = m->value_size, .groups = heads_together(b, m),
                     .flags = (m->arch->traits & TRAIT_BIDIRECTIONAL ? 0 : 1u) |
                              (layer->sinks ? 2u : 0) | parts << 2};
    call_run(&c, &key, &p, sizeof p, m->heads / key.groups, b->rows);
}

/* The kernel with parts left out takes as long as the parts that are left. */
static void profiled_attention(Batch *b, const Layer *layer, uint32_t index)
{
    double *seconds = b->s->op_seconds, before[] = {seconds[OP_SCORES], seconds[OP_SOFTMAX]};
    b->op = OP_SCORES;
    attention(b, layer, index, ATTENTION_SCORES);
    b->op = OP_SOFTMAX;
    attention(b, layer, index, ATTENTION_SOFTMAX);
    b->op = OP_VALUES;
    double values = seconds[OP_VALUES];
    attention(b, layer, index, ATTENTION_ALL);
    double scores = seconds[OP_SCORES] - before[0], two = seconds[OP_SOFTMAX] - before[1];
    double all = seconds[OP_VALUES] - values;
    if (two < scores)
        two = scores;                   /* by chance */
    seconds[OP_SOFTMAX] = before[1] + two - scores;
    seconds[OP_VALUES] = values + (all > two ? all - two : 0);
}

void ops_attention(Batch *b, const Layer *layer, uint32_t index)
{
    if (b->s->profile)
        profiled_attention(b, layer, index);
    else
        attention(b, layer, index, ATTENTION_ALL);
}

/* ---- elementwise ---- */

void ops_gate(Batch *b, const Layer *layer)
{
    const Params *m = &b->s->model->params;
    bool experts = layer->up.experts != 0;
    struct { uint32_t n, stride, up_first; float limit; } p = {
        experts ? m->expert_feed_forward : m->feed_forward, layer->up.stride,
        layer->gated ? layer->up.starts[1] : 0, 7};
    Call c = {.b = b};
    call_bind(&c, b->t->up);
    call_bind_maybe(&c, layer->up_bias);
    call_bind_maybe(&c, b->t->chosen);
    call_bind(&c, b->t->middle);
    KernelKey key = {.kind = KERNEL_GATE,
                     .flags = (layer->gated ? 1u : 0) | (layer->up_bias ? 2u : 0) |
                              (experts ? 4u : 0) | (uint32_t)m->arch->act << 3};
    call_run(&c, &key, &p, sizeof p, RUNS_OF_64(p.n),
             experts ? b->rows * m->experts_used : b->rows);
}

void ops_add(Batch *b, weft_buffer *x, uint32_t n, uint32_t x_stride, uint32_t x_first,
             weft_buffer *a, uint32_t a_stride, weft_buffer *bias)
{
    struct { uint32_t n, x_stride, x_first, a_stride; float scale; uint32_t pad[3]; } p = {
        n, x_stride, x_first, a_stride, 1, {0}};
    Call c = {.b = b};
    call_bind(&c, x);
    call_bind_maybe(&c, a);
    call_bind_maybe(&c, bias);
    KernelKey key = {.kind = KERNEL_ADD, .flags = (a ? 1u : 0) | (bias ? 2u : 0)};
    call_run(&c, &key, &p, sizeof p, RUNS_OF_64(n), b->rows);
}

void ops_embed(Batch *b, weft_buffer *y, const Matrix *m, weft_buffer *ids, float factor, bool add)
{
    for (uint32_t i = 0; i < m->nparts; i++) {
        const MatrixPart *part = &m->parts[i];
        struct { uint32_t n, words, first, rows; float factor; uint32_t pad[3]; } p = {
            m->k, 0, part->first, part->rows, factor * part->unit, {0}};
        Call c = {.b = b};
        call_bind(&c, part->weights);
        if (part->scales)
            call_bind(&c, part->scales);
        if (part->least)
            call_bind(&c, part->least);
        call_bind(&c, ids);
        call_bind(&c, y);
        KernelKey key = {.kind = KERNEL_EMBED, .format = part->format, .flags = add,
                         .k = repack_pad(part->format, m->k)};
        call_run(&c, &key, &p, sizeof p, RUNS_OF_64(m->k), b->rows);
    }
}

void ops_pick(Batch *b, weft_buffer *y, weft_buffer *x, weft_buffer *rows, uint32_t n,
              uint32_t count)
{
    struct { uint32_t n, pad[3]; } p = {n, {0}};
    Call c = {.b = b};
    call_bind(&c, x);
    call_bind(&c, rows);
    call_bind(&c, y);
    KernelKey key = {.kind = KERNEL_PICK};
    call_run(&c, &key, &p, sizeof p, RUNS_OF_64(n), count);
}

void ops_cap(Batch *b, weft_buffer *x, uint32_t n, float cap)
{
    struct { uint32_t n; float cap; uint32_t pad[2]; } p = {n, cap, {0}};
    uint32_t groups = RUNS_OF_64(n);
    Call c = {.b = b};
    call_bind(&c, x);
    KernelKey key = {.kind = KERNEL_CAP};
    call_run(&c, &key, &p, sizeof p, groups < 4096 ? groups : 4096, 1);
}
