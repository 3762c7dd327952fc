// SPDX-License-Identifier: Apache-2.0
/*
 * minilm.c - the text encoder: all-MiniLM-L6-v2, a BERT of six layers.
 *
 * in     its weights (safetensors) and tokenizer, texts
 * out    a vector of 384 numbers and length 1 for each text
 * knows  the encoder: attention, two linear layers, normalization; mean over tokens
 * not    what the vectors are used for
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "wordpiece.h"

enum { HEADS = 12, LONGEST_TEXT = 128 };
static const double EPSILON = 1e-12;

typedef struct Pair {
    weft_tensor *weight, *bias;
} Pair;

typedef struct Layer {
    Pair qkv;                           /* [3 * 384, 384], [3 * 384] */
    Pair attended, attended_norm;       /* [384, 384]                */
    Pair up, down, norm;                /* [1536, 384], [384, 1536]  */
} Layer;

struct MiniLM {
    weft_context *ctx;
    WordPiece    *tokenizer;
    weft_tensor  *words;                /* [30522, 384], f16: few rows of it are used */
    weft_tensor  *positions;            /* [512, 384], with the vector of the first segment */
    Pair          norm;
    Layer         layers[TEXT_LAYERS];
};

/* ---- weights ---- */

/* As f32: they are used many times. */
static weft_tensor *load(weft_store *store, const char *prefix, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return weft_tensor_cast(weft_store_get(store, full), WEFT_F32);
}

static Pair load_pair(weft_store *store, const char *prefix, const char *name)
{
    char weight[96], bias[96];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    return (Pair){ load(store, prefix, weight), load(store, prefix, bias) };
}

static Layer load_layer(weft_store *store, int index)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "encoder.layer.%d.", index);
    const Pair q = load_pair(store, prefix, "attention.self.query"),
               k = load_pair(store, prefix, "attention.self.key"),
               v = load_pair(store, prefix, "attention.self.value");
    return (Layer){
        .qkv = { weft_tensor_concat((weft_tensor *[]){ q.weight, k.weight, v.weight }, 3, 0),
                 weft_tensor_concat((weft_tensor *[]){ q.bias, k.bias, v.bias }, 3, 0) },
        .attended = load_pair(store, prefix, "attention.output.dense"),
        .attended_norm = load_pair(store, prefix, "attention.output.LayerNorm"),
        .up = load_pair(store, prefix, "intermediate.dense"),
        .down = load_pair(store, prefix, "output.dense"),
        .norm = load_pair(store, prefix, "output.LayerNorm"),
    };
}

/* Everything that the model keeps, in one list; how many. */
enum { WEIGHTS = 4 + 12 * TEXT_LAYERS };

static void list_weights(weft_tensor **out, const MiniLM *m)
{
    weft_tensor *head[] = { m->words, m->positions, m->norm.weight, m->norm.bias };
    memcpy(out, head, sizeof head);
    memcpy(out + 4, m->layers, sizeof m->layers);
}
_Static_assert(sizeof(Layer) == 12 * sizeof(weft_tensor *), "a layer is twelve tensors");

MiniLM *minilm_create(weft_context *ctx, const char *folder)
{
    char         path[1024];
    weft_tensor *kept[WEIGHTS];
    MiniLM      *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->ctx = ctx;
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    m->tokenizer = wordpiece_open(path);
    snprintf(path, sizeof path, "%s/model.fp16.safetensors", folder);
    weft_store *store = weft_store_open(ctx, &(weft_store_desc){ .path = path });
    weft_tensor_scope_begin(ctx);
    m->words = weft_store_get(store, "embeddings.word_embeddings.weight");
    m->positions = weft_tensor_add(
        load(store, "embeddings.", "position_embeddings.weight"),
        weft_tensor_select(load(store, "embeddings.", "token_type_embeddings.weight"), 0, 0));
    m->norm = load_pair(store, "embeddings.", "LayerNorm");
    for (int i = 0; i < TEXT_LAYERS; i++)
        m->layers[i] = load_layer(store, i);
    list_weights(kept, m);
    weft_tensor_scope_end(ctx, kept, WEIGHTS);
    weft_store_release(store);
    if (m->tokenizer && !weft_context_error(ctx)->kind)
        return m;
    minilm_release(m);
    return NULL;
}

void minilm_release(MiniLM *m)
{
    weft_tensor *kept[WEIGHTS];
    if (!m)
        return;
    list_weights(kept, m);
    for (int i = 0; i < WEIGHTS; i++)
        weft_tensor_release(kept[i]);
    wordpiece_close(m->tokenizer);
    free(m);
}

/* ---- the network ---- */

static weft_tensor *linear(weft_tensor *x, const Pair *p, weft_activation activation)
{
    return weft_tensor_linear(x, p->weight, p->bias, activation);
}

static weft_tensor *normalize(weft_tensor *x, const Pair *p)
{
    return weft_tensor_layer_norm(x, p->weight, p->bias, EPSILON);
}

/* x[B, T, 384], mask[B, 1, 1, T] or NULL -> [B, T, 384] */
static weft_tensor *layer(const Layer *l, weft_tensor *x, weft_tensor *mask)
{
    const uint64_t batch = weft_tensor_size(x, 0), length = weft_tensor_size(x, 1);
    const uint64_t split[] = { batch, length, 3, HEADS, TEXT_SIZE / HEADS };
    weft_tensor   *heads = weft_tensor_permute(
        weft_tensor_reshape(linear(x, &l->qkv, WEFT_ACTIVATION_NONE), 5, split),
        (int[]){ 2, 0, 3, 1, 4 });              /* [3, B, H, T, 32] */
    weft_tensor   *seen = weft_tensor_attention(
        weft_tensor_select(heads, 0, 0), weft_tensor_select(heads, 0, 1),
        weft_tensor_select(heads, 0, 2), &(weft_attention){ .mask = mask });
    weft_tensor   *joined = weft_tensor_reshape(
        weft_tensor_permute(seen, (int[]){ 0, 2, 1, 3 }), 3,
        (uint64_t[]){ batch, length, TEXT_SIZE });
    weft_tensor   *y = normalize(
        weft_tensor_add(linear(joined, &l->attended, WEFT_ACTIVATION_NONE), x),
        &l->attended_norm);
    weft_tensor   *wide = linear(y, &l->up, WEFT_ACTIVATION_GELU);
    return normalize(weft_tensor_add(linear(wide, &l->down, WEFT_ACTIVATION_NONE), y), &l->norm);
}

/* ids[B, T], mask[B, T] or NULL; all states, [B, T, 384] each */
static void run(weft_tensor *out[TEXT_LAYERS + 1], const MiniLM *m, weft_tensor *ids,
                weft_tensor *mask)
{
    weft_tensor *seen = mask ? weft_tensor_unsqueeze(weft_tensor_unsqueeze(mask, 1), 1) : NULL;
    weft_tensor *words = weft_tensor_cast(weft_tensor_take(m->words, ids, 0), WEFT_F32);
    weft_tensor *at = weft_tensor_narrow(m->positions, 0, 0, weft_tensor_size(ids, 1));
    out[0] = normalize(weft_tensor_add(words, at), &m->norm);
    for (int i = 0; i < TEXT_LAYERS; i++)
        out[i + 1] = layer(&m->layers[i], out[i], seen);
}

bool minilm_states(weft_tensor *out[TEXT_LAYERS + 1], const MiniLM *m, const int32_t *tokens,
                   uint32_t count)
{
    weft_tensor_scope_begin(m->ctx);
    run(out, m, weft_tensor_create(m->ctx, &(weft_tensor_desc){
                    .dtype = WEFT_I32, .rank = 2, .shape = { 1, count }, .data = tokens }), NULL);
    weft_tensor_scope_end(m->ctx, out, TEXT_LAYERS + 1);
    return out[TEXT_LAYERS] != NULL;
}

uint32_t minilm_tokens(int32_t *out, uint32_t limit, const MiniLM *m, const char *text)
{
    return wordpiece_encode(out, limit, m->tokenizer, text);
}

/* ---- texts ---- */

/* Tokens of all texts in rows of the longest; its length. */
static uint32_t fill(int32_t *ids, uint8_t *mask, const MiniLM *m, const char *const *texts,
                     uint32_t count)
{
    int32_t  row[LONGEST_TEXT];
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = minilm_tokens(row, LONGEST_TEXT, m, texts[i]);
        longest = n > longest ? n : longest;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = minilm_tokens(row, LONGEST_TEXT, m, texts[i]);
        for (uint32_t t = 0; t < longest; t++) {
            ids[i * longest + t] = t < n ? row[t] : 0;
            mask[i * longest + t] = t < n;
        }
    }
    return longest;
}

weft_tensor *minilm_encode(const MiniLM *m, const char *const *texts, uint32_t count)
{
    int32_t     *ids = calloc((size_t)count * LONGEST_TEXT, sizeof *ids);
    uint8_t     *mask = calloc((size_t)count * LONGEST_TEXT, sizeof *mask);
    weft_tensor *states[TEXT_LAYERS + 1], *unit = NULL;
    if (ids && mask) {
        const uint32_t length = fill(ids, mask, m, texts, count);
        weft_tensor_scope_begin(m->ctx);
        weft_tensor *seen = weft_tensor_create(m->ctx, &(weft_tensor_desc){
            .dtype = WEFT_BOOL, .rank = 2, .shape = { count, length }, .data = mask });
        run(states, m, weft_tensor_create(m->ctx, &(weft_tensor_desc){
            .dtype = WEFT_I32, .rank = 2, .shape = { count, length }, .data = ids }), seen);
        weft_tensor *sum = weft_tensor_sum(
            weft_tensor_where(weft_tensor_unsqueeze(seen, 2), states[TEXT_LAYERS],
                              weft_tensor_scalar(m->ctx, 0)), WEFT_AXIS(1));
        /* The mean has the same direction. */
        unit = weft_tensor_div(sum, weft_tensor_norm(sum, WEFT_AXIS_KEEP(1), 2));
        weft_tensor_scope_end(m->ctx, &unit, 1);
    }
    free(ids);
    free(mask);
    return unit;
}
