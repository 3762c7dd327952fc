/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiny.c - a small model of random weights as a GGUF file in memory.
 */
#include "tiny.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static float unit(uint32_t *seed)
{
    return (float)(next_random(seed) >> 8) / (1 << 23) - 1;
}

typedef struct Tensor {
    const char *name;
    uint64_t    k, rows;                /* rows 0: a vector                        */
} Tensor;

/* ---- blocks of any bytes whose scales are small numbers ---- */

/* 2^exponent to 2^(exponent + 2), a normal number of f16. */
static void put_half(uint8_t *at, int exponent, float more)
{
    uint16_t biased = (uint16_t)(15 + exponent + (more > 0.5f));
    uint16_t half = (uint16_t)(biased << 10 | ((uint16_t)(more * 1000) & 0x3ff));
    memcpy(at, &half, sizeof half);
}

/* Offsets of the f16 numbers in a block, -1: none; and a size of them that makes weights
 * small. */
static const struct { weft_gguf_type type; int halves[2], exponent; } scales[] = {
    {WEFT_GGUF_TYPE_Q4_0, {0, -1}, -7},    {WEFT_GGUF_TYPE_Q4_1, {0, 2}, -7},
    {WEFT_GGUF_TYPE_Q5_0, {0, -1}, -8},    {WEFT_GGUF_TYPE_Q5_1, {0, 2}, -8},
    {WEFT_GGUF_TYPE_Q8_0, {0, -1}, -11},   {WEFT_GGUF_TYPE_IQ4_NL, {0, -1}, -11},
    {WEFT_GGUF_TYPE_Q2_K, {80, 82}, -9},   {WEFT_GGUF_TYPE_Q3_K, {108, -1}, -11},
    {WEFT_GGUF_TYPE_Q4_K, {0, 2}, -12},    {WEFT_GGUF_TYPE_Q5_K, {0, 2}, -12},
    {WEFT_GGUF_TYPE_Q6_K, {208, -1}, -13}, {WEFT_GGUF_TYPE_IQ4_XS, {0, -1}, -13},
    {WEFT_GGUF_TYPE_IQ2_XXS, {0, -1}, -10},
};

static void random_block(uint8_t *at, weft_gguf_type type, uint32_t *seed)
{
    for (uint32_t i = 0; i < weft_gguf_type_bytes(type); i++)
        at[i] = (uint8_t)(next_random(seed) >> 9);
    for (size_t i = 0; i < COUNTOF(scales); i++)
        for (int k = 0; scales[i].type == type && k < 2; k++)
            if (scales[i].halves[k] >= 0)
                put_half(at + scales[i].halves[k], scales[i].exponent, fabsf(unit(seed)));
    if (type == WEFT_GGUF_TYPE_MXFP4)
        at[0] = (uint8_t)(118 + at[0] % 8);
}

static void random_plain(uint8_t *at, weft_gguf_type type, uint64_t n, float size, uint32_t *seed)
{
    for (uint64_t i = 0; i < n; i++) {
        float v = unit(seed) * size;
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        uint16_t high = (uint16_t)(bits >> 16);
        uint16_t half = (uint16_t)((bits >> 16 & 0x8000) |
                                   (((bits & 0x7fffffff) - (112u << 23)) >> 13 & 0x7fff));
        if ((bits & 0x7fffffff) < 0x38800000)
            half = 0;
        if (type == WEFT_GGUF_TYPE_F32)
            memcpy(at + 4 * i, &v, 4);
        else
            memcpy(at + 2 * i, type == WEFT_GGUF_TYPE_F16 ? &half : &high, 2);
    }
}

/* The bytes of a tensor, in the arena. */
static uint8_t *random_data(Arena *a, weft_gguf_type type, uint64_t k, uint64_t rows,
                            uint64_t *size, uint32_t *seed)
{
    uint64_t n = k * (rows ? rows : 1), blocks = n / weft_gguf_type_elements(type);
    *size = blocks * weft_gguf_type_bytes(type);
    uint8_t *data = arena_alloc(a, *size);
    if (weft_gguf_type_elements(type) == 1)
        random_plain(data, type, n, rows ? 1.5f / sqrtf((float)k) : 1, seed);
    for (uint64_t i = 0; weft_gguf_type_elements(type) > 1 && i < blocks; i++)
        random_block(data + i * weft_gguf_type_bytes(type), type, seed);
    return data;
}

/* ---- the file ---- */

static void add_tensor_entry(Build *b, const char *name, const Tensor *t, weft_gguf_type type,
                             uint64_t offset)
{
    build_string(b, name);
    build_u32(b, t->rows ? 2 : 1);
    build_u64(b, t->k);
    if (t->rows)
        build_u64(b, t->rows);
    build_u32(b, type);
    build_u64(b, offset);
}

static const Tensor layer_tensors[] = {
    {"attn_norm.weight", TINY_EMBEDDING, 0},
    {"attn_q.weight", TINY_EMBEDDING, TINY_EMBEDDING},
    {"attn_k.weight", TINY_EMBEDDING, TINY_EMBEDDING / TINY_HEADS * TINY_KV_HEADS},
    {"attn_v.weight", TINY_EMBEDDING, TINY_EMBEDDING / TINY_HEADS * TINY_KV_HEADS},
    {"attn_output.weight", TINY_EMBEDDING, TINY_EMBEDDING},
    {"ffn_norm.weight", TINY_EMBEDDING, 0},
    {"ffn_gate.weight", TINY_EMBEDDING, TINY_FEED_FORWARD},
    {"ffn_up.weight", TINY_EMBEDDING, TINY_FEED_FORWARD},
    {"ffn_down.weight", TINY_FEED_FORWARD, TINY_EMBEDDING},
};

static const Tensor other_tensors[] = {
    {"token_embd.weight", TINY_EMBEDDING, TINY_VOCABULARY},
    {"output_norm.weight", TINY_EMBEDDING, 0},
    {"output.weight", TINY_EMBEDDING, TINY_VOCABULARY},
};

typedef struct Files {
    Build          *list, data;         /* the tensor list; what comes after it    */
    weft_gguf_type  type, other;        /* other: of attn_v and ffn_up             */
    bool            plain;
    uint32_t        seed;
} Files;

static void add_tensor(Files *f, const char *name, const Tensor *t)
{
    Arena   *a = f->list->arena;
    uint64_t size = 0, n = t->k * (t->rows ? t->rows : 1);
    bool odd = strstr(name, "attn_v") || strstr(name, "ffn_up");
    weft_gguf_type type = !t->rows ? WEFT_GGUF_TYPE_F32 : odd ? f->other : f->type;
    uint8_t *data = random_data(a, type, t->k, t->rows, &size, &f->seed);
    build_pad(&f->data, 32);
    add_tensor_entry(f->list, name, t, f->plain ? WEFT_GGUF_TYPE_F32 : type, f->data.bytes.len);
    if (f->plain) {
        float *values = ARENA_ARRAY(a, float, n);
        assert_true(weft_gguf_dequantize(values, data, type, n));
        build_bytes(&f->data, values, n * sizeof *values);
    } else {
        build_bytes(&f->data, data, size);
    }
}

static void build_all(Files *f, const float *scale)
{
    Build *out = f->list;
    build_header(out, 3, COUNTOF(other_tensors) + TINY_LAYERS * COUNTOF(layer_tensors) +
                         (scale != NULL), 7);
    build_text(out, "general.architecture", "llama");
    build_number(out, "llama.embedding_length", TINY_EMBEDDING);
    build_number(out, "llama.block_count", TINY_LAYERS);
    build_number(out, "llama.attention.head_count", TINY_HEADS);
    build_number(out, "llama.attention.head_count_kv", TINY_KV_HEADS);
    build_number(out, "llama.feed_forward_length", TINY_FEED_FORWARD);
    build_number(out, "llama.context_length", TINY_CONTEXT);
    for (size_t i = 0; i < COUNTOF(other_tensors); i++)
        add_tensor(f, other_tensors[i].name, &other_tensors[i]);
    for (uint32_t l = 0; l < TINY_LAYERS; l++)
        for (size_t i = 0; i < COUNTOF(layer_tensors); i++)
            add_tensor(f, arena_printf(out->arena, "blk.%u.%s", l, layer_tensors[i].name),
                       &layer_tensors[i]);
    build_pad(&f->data, 32);
    if (scale) {
        build_tensor(out, "output.scale", 1, WEFT_GGUF_TYPE_F32, f->data.bytes.len);
        build_bytes(&f->data, scale, sizeof *scale);
        build_pad(&f->data, 32);
    }
    build_pad(out, 32);
    build_bytes(out, f->data.bytes.data, f->data.bytes.len);
}

void tiny_build(Build *out, Arena *arena, weft_gguf_type type, bool plain, uint32_t seed)
{
    tiny_build_mixed(out, arena, type, type, plain, seed);
}

void tiny_build_mixed(Build *out, Arena *arena, weft_gguf_type type, weft_gguf_type other,
                      bool plain, uint32_t seed)
{
    *out = (Build){.arena = arena};
    Files f = {out, {.arena = arena}, type, other, plain, seed * 2654435761u + 1};
    build_all(&f, NULL);
}

void tiny_build_scaled(Build *out, Arena *arena, float scale)
{
    *out = (Build){.arena = arena};
    Files f = {out, {.arena = arena}, WEFT_GGUF_TYPE_Q8_0, WEFT_GGUF_TYPE_Q8_0, false, 7};
    build_all(&f, &scale);
}

double tiny_nmse(const float *x, const float *y, size_t n)
{
    double difference = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        difference += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        all += (double)y[i] * y[i];
    }
    return all > 0 ? difference / all : difference;
}
