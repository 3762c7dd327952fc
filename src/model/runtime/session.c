// SPDX-License-Identifier: Apache-2.0
/*
 * session.c - a KV cache and the buffers of a batch, on each device of a model.
 *
 * in     a model, sizes
 * out    weft_model_session; all memory is taken here
 * not    computing batches (decode.c), what is in the cache (sequence.c)
 */
#include "model/runtime/runtime_priv.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_CONTEXT 4096u
#define DEFAULT_BATCH   128u
#define MOST_SEQUENCES  1024u

/* ---- resolve, validate ---- */

static weft_model_session_desc resolved(const weft_model *m, const weft_model_session_desc *desc)
{
    weft_model_session_desc d = desc ? *desc : (weft_model_session_desc){0};
    const Params *p = &m->params;
    uint32_t positions = m->weights.positions.rows;
    if (d.context == 0)
        d.context = p->context < DEFAULT_CONTEXT ? p->context : DEFAULT_CONTEXT;
    if (!(desc && desc->context) && positions && d.context > positions)
        d.context = positions;
    if (d.sequences == 0)
        d.sequences = 1;
    if (d.batch == 0)
        d.batch = DEFAULT_BATCH;
    if (p->arch->traits & TRAIT_BIDIRECTIONAL)
        d.batch = d.context;            /* all positions see each other */
    uint64_t all = (uint64_t)d.context * d.sequences;
    if (d.batch > all)
        d.batch = (uint32_t)all;
    if (d.batch > MOST_BATCH)           /* is_valid() refuses it */
        return d;
    d.batch = (d.batch + MOST_TILE - 1) / MOST_TILE * MOST_TILE;
    if (d.cache == WEFT_MODEL_CACHE_AUTO)
        d.cache = WEFT_MODEL_CACHE_F16;
    if (d.activations == WEFT_MODEL_PRECISION_AUTO)
        d.activations = m->activations;
    if (d.rope_base == 0)
        d.rope_base = p->rope_base;
    if (d.rope_factor == 0)
        d.rope_factor = p->rope_factor;
    if (d.rope_scaling == WEFT_MODEL_SCALING_AUTO)
        d.rope_scaling = p->scaling;
    return d;
}

static bool is_valid(const weft_model *m, const weft_model_session_desc *d)
{
    weft_context *ctx = m->ctx;
    if (d->sequences > MOST_SEQUENCES)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%u sequences are more than %u",
                            d->sequences, MOST_SEQUENCES);
    if (d->batch > MOST_BATCH)
        return context_fail(ctx, WEFT_ERROR_INVALID, "a batch of %u tokens is more than %u",
                            d->batch, MOST_BATCH);
    if (d->cache > WEFT_MODEL_CACHE_Q8_0 || d->activations > WEFT_MODEL_PRECISION_INT8 ||
        !(d->rope_base > 0) || !(d->rope_factor > 0))
        return context_fail(ctx, WEFT_ERROR_INVALID, "the description of the session is not valid");
    if (d->cache == WEFT_MODEL_CACHE_Q8_0 &&
        (m->params.key_size % 4 || m->params.value_size % 4))
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                            "heads of %u and %u do not fit a cache of the type q8_0",
                            m->params.key_size, m->params.value_size);
    uint32_t positions = m->weights.positions.rows;
    if (positions && d->context > positions)
        return context_fail(ctx, WEFT_ERROR_INVALID,
                            "the model has %u positions, fewer than the context of %u", positions,
                            d->context);
    return true;
}

/* ---- buffers ---- */

typedef struct Maker {
    weft_model_session *s;
    weft_context       *ctx;
    bool                ok;
} Maker;

static weft_buffer *floats(Maker *k, uint64_t n, const char *label)
{
    if (!k->ok || n == 0)
        return NULL;
    k->s->timings.scratch_bytes += n * 4;
    weft_buffer *b = weft_buffer_create(k->ctx, &(weft_buffer_desc){.size = n * 4,
                                                                    .label = label});
    k->ok = b != NULL;
    return b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Strides of results, the longest of any layer. */
typedef struct Widths {
    uint64_t qkv, up, output, down, router, input;      /* input: of any product   */
} Widths;

static Widths widths_of(const weft_model *m)
{
    const Params *p = &m->params;
    const Layer  *w = m->weights.layers;
    Widths n = {0};
    for (uint32_t i = 0; i < p->layers; i++) {
        n.qkv = most(n.qkv, w[i].qkv.stride);
        n.up = most(n.up, w[i].up.stride);
        n.output = most(n.output, w[i].output.stride);
        n.down = most(n.down, w[i].down.stride);
        n.router = most(n.router, w[i].router.stride);
    }
    n.input = most(p->embedding, (uint64_t)p->heads * p->value_size) + 32;
    return n;
}

/* What each choice of an expert needs is there as many times as a token has choices. */
static void make_feed_forward(Maker *k, Scratch *t, const Widths *n)
{
    const Params *p = &k->s->model->params;
    uint64_t rows = k->s->desc.batch, choices = rows * (p->experts ? p->experts_used : 1);
    uint64_t middle = p->experts ? p->expert_feed_forward : p->feed_forward;
    uint64_t inputs = most(rows * n->input, choices * (middle + 32));
    t->up = floats(k, choices * n->up, "feed-forward");
    t->middle = floats(k, choices * middle, "feed-forward middle");
    t->down = floats(k, choices * n->down, "feed-forward output");
    t->prepared = floats(k, inputs, "prepared");
    t->scales = floats(k, (inputs / 32 + choices) * 4, "scales");
    if (!p->experts)
        return;
    t->router = floats(k, rows * n->router, "scores of experts");
    t->chosen = floats(k, choices, "experts");
    t->shares = floats(k, choices, "shares of experts");
    t->order = floats(k, choices, "order of choices");
    t->items = floats(k, choices * 4, "items");
}

static bool make_scratch(weft_model_session *s, uint32_t stage)
{
    const Params *p = &s->model->params;
    Scratch *t = &s->scratch[stage];
    Maker    k = {s, s->model->stages[stage].ctx, true};
    Widths   n = widths_of(s->model);
    uint64_t rows = s->desc.batch;
    t->hidden = floats(&k, rows * p->embedding, "hidden");
    t->normed = floats(&k, rows * p->embedding, "normed");
    t->qkv = floats(&k, rows * n.qkv, "queries, keys, values");
    t->heads = floats(&k, rows * p->heads * most(p->value_size, p->key_size), "heads");
    t->output = floats(&k, rows * n.output, "attention output");
    make_feed_forward(&k, t, &n);
    t->picked = floats(&k, rows * p->embedding, "picked");
    t->ids = floats(&k, rows, "ids");
    t->types = floats(&k, rows, "types");
    t->positions = floats(&k, rows, "positions");
    t->rows = floats(&k, rows, "rows");
    t->cells = floats(&k, rows * 2, "cells");
    t->spots = floats(&k, rows * 4, "spots");
    t->places = floats(&k, (uint64_t)s->desc.sequences * s->cells, "places");
    t->table = floats(&k, rows * p->rotated, "rotations");
    if (p->local_rope)
        t->table_local = floats(&k, rows * p->rotated, "local rotations");
    return k.ok;
}

/* ---- the cache ---- */

static bool fits_binding(const weft_model_session *s, weft_context *ctx, uint64_t bytes)
{
    uint64_t limit = weft_context_device(ctx)->limits.maxStorageBufferBindingSize;
    return bytes <= limit ||
           context_fail(s->model->ctx, WEFT_ERROR_MEMORY,
                        "a cache of %u positions needs %llu bytes a layer; the device binds %llu: "
                        "ask for a smaller context", s->desc.context, (unsigned long long)bytes,
                        (unsigned long long)limit);
}

static weft_buffer *cache_buffer(weft_model_session *s, weft_context *ctx, uint64_t n,
                                 const char *label)
{
    if (n == 0 || !fits_binding(s, ctx, n * 4))
        return NULL;
    s->timings.cache_bytes += n * 4;
    return weft_buffer_create(ctx, &(weft_buffer_desc){.size = n * 4, .label = label});
}

/* What a sequence's context takes: the keys of CELL_RUN cells lie together. */
static uint64_t padded_cells(uint64_t context)
{
    return (context + CELL_RUN - 1) / CELL_RUN * CELL_RUN;
}

static uint64_t cells_of(const weft_model_session *s)
{
    return s->desc.sequences * s->model->params.kv_heads * padded_cells(s->desc.context);
}

/* Asked before anything of the context's length is allocated. */
static bool cache_fits(const weft_model_session *s)
{
    const weft_model *m = s->model;
    uint32_t size = m->params.key_size > m->params.value_size ? m->params.key_size
                                                              : m->params.value_size;
    uint64_t bytes = cells_of(s) * cache_words(s->cache, size) * 4;
    for (uint32_t i = 0; i < m->nstages; i++)
        if (!fits_binding(s, m->stages[i].ctx, bytes))
            return false;
    return true;
}

static bool make_cache(weft_model_session *s)
{
    const weft_model *m = s->model;
    const Params     *p = &m->params;
    uint64_t cells = cells_of(s);
    uint64_t scales = cells * cache_scales(s->cache, p->key_size);
    uint64_t all = scales + cells * cache_scales(s->cache, p->value_size);
    s->value_scales = (uint32_t)scales;
    for (uint32_t i = 0, stage = 0; i < p->layers; i++) {
        while (i >= m->stages[stage].end)
            stage++;
        weft_context *ctx = m->stages[stage].ctx;
        s->keys[i] = cache_buffer(s, ctx, cells * cache_words(s->cache, p->key_size), "keys");
        s->values[i] = cache_buffer(s, ctx, cells * cache_words(s->cache, p->value_size),
                                    "values");
        s->scales[i] = cache_buffer(s, ctx, all, "scales of keys and values");
        if (!s->keys[i] || !s->values[i] || (all && !s->scales[i]))
            return false;
    }
    return true;
}

void session_estimate(weft_model_memory *out, const Params *p, const weft_model_session_desc *d)
{
    static const CacheFormat formats[] = {CACHE_F16, CACHE_F32, CACHE_F16, CACHE_Q8};
    CacheFormat format = formats[d->cache <= WEFT_MODEL_CACHE_Q8_0 ? d->cache : 0];
    uint64_t context = d->context ? d->context
                       : p->context < DEFAULT_CONTEXT ? p->context : DEFAULT_CONTEXT;
    context = padded_cells(context);
    uint64_t sequences = d->sequences ? d->sequences : 1;
    uint64_t rows = d->batch ? d->batch : DEFAULT_BATCH;
    uint64_t words = cache_words(format, p->key_size) + cache_words(format, p->value_size) +
                     cache_scales(format, p->key_size) + cache_scales(format, p->value_size);
    uint64_t heads = p->heads + p->kv_heads, choices = p->experts ? p->experts_used : 1;
    uint64_t middle = p->experts ? p->expert_feed_forward : p->feed_forward;
    uint64_t row = 7ull * p->embedding + 2 * heads * p->key_size +
                   choices * (p->embedding + 5 * middle);
    out->cache = sequences * context * p->layers * p->kv_heads * words * 4;
    out->scratch = rows * row * 4 + sequences * context * 4 + (uint64_t)p->vocabulary * 8 * 4;
}

static void make_lists(void *context)
{
    weft_model_session *s = context;
    uint32_t layers = s->model->params.layers;
    s->keys = ARENA_ARRAY(&s->arena, weft_buffer *, layers);
    s->values = ARENA_ARRAY(&s->arena, weft_buffer *, layers);
    s->scales = ARENA_ARRAY(&s->arena, weft_buffer *, layers);
    s->scratch = ARENA_ARRAY(&s->arena, Scratch, s->model->nstages);
    s->sequences = ARENA_ARRAY(&s->arena, Sequence, s->desc.sequences);
    for (uint32_t i = 0; i < s->desc.sequences; i++) {
        s->sequences[i].tokens = ARENA_ARRAY(&s->arena, weft_token, s->desc.context);
        s->sequences[i].places = ARENA_ARRAY(&s->arena, uint32_t, s->desc.context);
    }
}

weft_model_session *weft_model_session_create(weft_model *m, const weft_model_session_desc *desc)
{
    if (!m || weft_context_error(m->ctx)->kind)
        return NULL;
    weft_model_session_desc d = resolved(m, desc);
    if (!is_valid(m, &d))
        return NULL;
    weft_model_session *s = calloc(1, sizeof *s);
    if (!s) {
        context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory for a session");
        return NULL;
    }
    arena_init(&s->arena, 0);
    s->references = 1;
    s->model = weft_model_retain(m);
    s->desc = d;
    s->cache = d.cache == WEFT_MODEL_CACHE_F16 ? CACHE_F16
               : d.cache == WEFT_MODEL_CACHE_F32 ? CACHE_F32 : CACHE_Q8;
    s->timings.load_seconds = m->load_seconds;
    bool ok = cache_fits(s);
    s->cells = (uint32_t)padded_cells(d.context);
    if (ok && !(ok = arena_try(&s->arena, make_lists, s)))
        context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory for the sequences of a session");
    for (uint32_t i = 0; i < m->nstages && ok; i++)
        ok = make_scratch(s, i);
    if (ok && make_cache(s))
        return s;
    weft_model_session_release(s);
    model_fail(m);
    return NULL;
}

weft_model_session *weft_model_session_retain(weft_model_session *s)
{
    if (s)
        s->references++;
    return s;
}

static void release_scratch(Scratch *t)
{
    weft_buffer *all[] = {
        t->hidden, t->normed, t->qkv, t->heads, t->output, t->up, t->middle, t->down, t->picked,
        t->logits, t->prepared, t->scales, t->ids, t->types, t->positions, t->cells, t->spots,
        t->rows, t->table, t->table_local, t->router, t->chosen, t->shares, t->order, t->items,
        t->places,
    };
    for (size_t i = 0; i < COUNTOF(all); i++)
        weft_buffer_release(all[i]);
}

void weft_model_session_release(weft_model_session *s)
{
    if (!s || --s->references)
        return;
    for (uint32_t i = 0; s->scales && i < s->model->params.layers; i++) {
        weft_buffer_release(s->keys[i]);
        weft_buffer_release(s->values[i]);
        weft_buffer_release(s->scales[i]);
    }
    for (uint32_t i = 0; s->scratch && i < s->model->nstages; i++)
        release_scratch(&s->scratch[i]);
    free(s->logits);
    free(s->hidden);
    arena_fini(&s->arena);
    weft_model_release(s->model);
    free(s);
}

weft_model *weft_model_session_model(const weft_model_session *s)
{
    return s ? s->model : NULL;
}

bool weft_model_session_desc_get(weft_model_session_desc *out, const weft_model_session *s)
{
    if (s)
        *out = s->desc;
    return s != NULL;
}

bool weft_model_session_timings(weft_model_timings *out, const weft_model_session *s)
{
    if (s)
        *out = s->timings;
    return s != NULL;
}

bool weft_model_session_profile(weft_model_session *s, bool on)
{
    if (!s)
        return false;
    if (on)
        memset(s->op_seconds, 0, sizeof s->op_seconds);
    s->profile = on;
    return true;
}

bool weft_model_session_part(weft_model_part *out, const weft_model_session *s, uint32_t index)
{
    static const char *const names[] = {
#define OP(name, text) text,
#include "model/runtime/op.def"
#undef OP
    };
    if (!s || index >= OP_COUNT)
        return false;
    *out = (weft_model_part){names[index], s->op_seconds[index]};
    return true;
}

void weft_model_session_cancel(weft_model_session *s)
{
    if (s)
        __atomic_store_n(&s->cancelled, 1, __ATOMIC_RELEASE);
}
