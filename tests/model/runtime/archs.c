/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archs.c - small models of every architecture as GGUF files in memory.
 */
#include "archs.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

const ArchCase arch_cases[] = {
    {"llama", "llama", 3, 0, 0},
    {"llama with factors", "llama", 2, 0, ARCHS_FREQS},
    {"llama, linear", "llama", 2, 0, ARCHS_LINEAR},
    {"mixtral", "llama", 2, 4, 0},
    {"qwen2", "qwen2", 3, 0, ARCHS_BIAS},
    {"qwen3", "qwen3", 3, 0, 0},
    {"qwen3, yarn", "qwen3", 2, 0, ARCHS_YARN},
    {"qwen3moe", "qwen3moe", 3, 6, 0},
    {"gpt-oss", "gpt-oss", 4, 5, ARCHS_BIAS | ARCHS_YARN},
    {"gemma", "gemma", 3, 0, 0},
    {"gemma2", "gemma2", 4, 0, 0},
    {"gemma3", "gemma3", 7, 0, ARCHS_LINEAR},
    {"phi3", "phi3", 3, 0, 0},
    {"gpt2", "gpt2", 3, 0, ARCHS_BIAS},
    {"bert", "bert", 3, 0, ARCHS_BIAS},
    {"falcon", "falcon", 3, 0, 0},
    {"falcon, two norms", "falcon", 3, 0, ARCHS_TWO_NORMS},
    {"gptneox", "gptneox", 3, 0, ARCHS_BIAS},
    {"gptneox, serial", "gptneox", 3, 0, ARCHS_BIAS | ARCHS_SERIAL},
    {"starcoder2", "starcoder2", 3, 0, ARCHS_BIAS},
};
const size_t arch_case_count = COUNTOF(arch_cases);

enum { E = ARCHS_EMBEDDING, HEADS = 4, KV_HEADS = 2, SIZE = 24, FF = 88, EXPERT_FF = 56, USED = 2 };

typedef struct Files {
    const ArchCase *c;
    Build    *list, data;
    Arena    *arena;
    uint32_t  seed, tensors, keys;
    bool      counting;
} Files;

static float next(Files *f)
{
    f->seed = f->seed * 1664525u + 1013904223u;
    return (float)(f->seed >> 8) / (1 << 23) - 1;
}

static bool is(const Files *f, const char *arch)
{
    return strcmp(f->c->arch, arch) == 0;
}

/* ---- tensors ---- */

/* Random numbers around `middle`; a matrix if rows is not 0, one for each of `more` then. */
static void tensor(Files *f, const char *name, uint64_t k, uint64_t rows, uint64_t more,
                   float middle, float size)
{
    uint64_t n = k * (rows ? rows : 1) * (more ? more : 1);
    f->tensors++;
    if (f->counting)
        return;
    build_pad(&f->data, 32);
    build_string(f->list, name);
    build_u32(f->list, more ? 3 : rows ? 2 : 1);
    build_u64(f->list, k);
    if (rows)
        build_u64(f->list, rows);
    if (more)
        build_u64(f->list, more);
    build_u32(f->list, WEFT_GGUF_TYPE_F32);
    build_u64(f->list, f->data.bytes.len);
    for (uint64_t i = 0; i < n; i++) {
        float v = middle + size * next(f);
        build_bytes(&f->data, &v, sizeof v);
    }
}

static const char *name_of(Files *f, uint32_t layer, const char *name)
{
    return arena_printf(f->arena, "blk.%u.%s", layer, name);
}

static void matrix(Files *f, uint32_t layer, const char *name, uint64_t k, uint64_t rows)
{
    tensor(f, name_of(f, layer, name), k, rows, 0, 0, 2.5f / sqrtf((float)k));
}

static void vector(Files *f, uint32_t layer, const char *name, uint64_t n)
{
    bool norm = strstr(name, "norm") && strstr(name, "weight");
    tensor(f, name_of(f, layer, name), n, 0, 0, norm ? 1 : 0, 0.4f);
}

static void attention(Files *f, uint32_t i)
{
    uint64_t q = HEADS * SIZE, kv = KV_HEADS * SIZE;
    bool fused = is(f, "phi3") || is(f, "gpt2") || is(f, "falcon") || is(f, "gptneox");
    bool bias = f->c->flags & ARCHS_BIAS;
    if (fused) {
        matrix(f, i, "attn_qkv.weight", E, q + 2 * kv);
        if (bias)
            vector(f, i, "attn_qkv.bias", q + 2 * kv);
    } else {
        static const char *const parts[] = {"attn_q", "attn_k", "attn_v"};
        for (int k = 0; k < 3; k++) {
            matrix(f, i, arena_printf(f->arena, "%s.weight", parts[k]), E, k ? kv : q);
            if (bias)
                vector(f, i, arena_printf(f->arena, "%s.bias", parts[k]), k ? kv : q);
        }
    }
    matrix(f, i, "attn_output.weight", q, E);
    if (bias && !is(f, "qwen2"))
        vector(f, i, "attn_output.bias", E);
    if (is(f, "qwen3") || is(f, "qwen3moe") || is(f, "gemma3")) {
        vector(f, i, "attn_q_norm.weight", SIZE);
        vector(f, i, "attn_k_norm.weight", SIZE);
    }
    if (is(f, "gpt-oss"))
        vector(f, i, "attn_sinks.weight", HEADS);
}

static void experts(Files *f, uint32_t i)
{
    static const char *const parts[] = {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"};
    bool bias = is(f, "gpt-oss");
    matrix(f, i, "ffn_gate_inp.weight", E, f->c->experts);
    if (bias)
        vector(f, i, "ffn_gate_inp.bias", f->c->experts);
    for (int k = 0; k < 3; k++) {
        uint64_t from = k < 2 ? E : EXPERT_FF, to = k < 2 ? EXPERT_FF : E;
        tensor(f, name_of(f, i, arena_printf(f->arena, "%s.weight", parts[k])), from, to,
               f->c->experts, 0, 2.5f / sqrtf((float)from));
        if (bias)
            tensor(f, name_of(f, i, arena_printf(f->arena, "%s.bias", parts[k])), to,
                   f->c->experts, 0, 0, 0.4f);
    }
}

static void feed_forward(Files *f, uint32_t i)
{
    bool layer_norm = is(f, "gpt2") || is(f, "bert") || is(f, "falcon") || is(f, "gptneox") ||
                      is(f, "starcoder2");
    bool bias = layer_norm && !is(f, "falcon");
    if (f->c->experts) {
        experts(f, i);
        return;
    }
    if (!layer_norm && !is(f, "phi3"))
        matrix(f, i, "ffn_gate.weight", E, FF);
    matrix(f, i, "ffn_up.weight", E, is(f, "phi3") ? 2 * FF : FF);
    matrix(f, i, "ffn_down.weight", FF, E);
    if (bias) {
        vector(f, i, "ffn_up.bias", FF);
        vector(f, i, "ffn_down.bias", E);
    }
}

static void norm(Files *f, uint32_t i, const char *name, bool bias)
{
    vector(f, i, arena_printf(f->arena, "%s.weight", name), E);
    if (bias)
        vector(f, i, arena_printf(f->arena, "%s.bias", name), E);
}

static void layer(Files *f, uint32_t i)
{
    bool bias = is(f, "gpt2") || is(f, "bert") || is(f, "falcon") || is(f, "gptneox") ||
                is(f, "starcoder2");
    attention(f, i);
    feed_forward(f, i);
    if (is(f, "bert")) {
        norm(f, i, "attn_output_norm", true);
        norm(f, i, "layer_output_norm", true);
        return;
    }
    norm(f, i, "attn_norm", bias);
    if (f->c->flags & ARCHS_TWO_NORMS)
        norm(f, i, "attn_norm_2", bias);
    if (is(f, "gpt-oss"))
        norm(f, i, "post_attention_norm", false);
    else if (!is(f, "falcon"))
        norm(f, i, "ffn_norm", bias);
    if (is(f, "gemma2") || is(f, "gemma3")) {
        norm(f, i, "post_attention_norm", false);
        norm(f, i, "post_ffw_norm", false);
    }
}

static void ends(Files *f)
{
    tensor(f, "token_embd.weight", E, ARCHS_VOCABULARY, 0, 0, 1);
    if (f->c->flags & ARCHS_FREQS)
        tensor(f, "rope_freqs.weight", SIZE / 2, 0, 0, 2, 0.8f);
    if (is(f, "phi3")) {
        tensor(f, "rope_factors_long.weight", SIZE / 2, 0, 0, 3, 1);
        tensor(f, "rope_factors_short.weight", SIZE / 2, 0, 0, 1.5f, 0.4f);
    }
    if (is(f, "gpt2") || is(f, "bert"))
        tensor(f, "position_embd.weight", E, ARCHS_CONTEXT, 0, 0, 1);
    if (is(f, "bert")) {
        tensor(f, "token_types.weight", E, 2, 0, 0, 1);
        tensor(f, "token_embd_norm.weight", E, 0, 0, 1, 0.4f);
        tensor(f, "token_embd_norm.bias", E, 0, 0, 0, 0.4f);
        return;
    }
    tensor(f, "output_norm.weight", E, 0, 0, 1, 0.4f);
    if (is(f, "gpt2") || is(f, "falcon") || is(f, "gptneox") || is(f, "starcoder2"))
        tensor(f, "output_norm.bias", E, 0, 0, 0, 0.4f);
    if (!strstr(f->c->arch, "gemma"))
        tensor(f, "output.weight", E, ARCHS_VOCABULARY, 0, 0, 0.3f);
}

/* ---- metadata ---- */

static void number(Files *f, const char *key, uint32_t value)
{
    f->keys++;
    if (!f->counting)
        build_number(f->list, arena_printf(f->arena, "%s.%s", f->c->arch, key), value);
}

static void real(Files *f, const char *key, float value)
{
    f->keys++;
    if (f->counting)
        return;
    build_string(f->list, arena_printf(f->arena, "%s.%s", f->c->arch, key));
    build_u32(f->list, WEFT_GGUF_F32);
    build_bytes(f->list, &value, sizeof value);
}

static void text(Files *f, const char *key, const char *value)
{
    f->keys++;
    if (!f->counting)
        build_text(f->list, key, value);
}

static void scaling(Files *f)
{
    const char *key = arena_printf(f->arena, "%s.rope.scaling.type", f->c->arch);
    if (f->c->flags & ARCHS_YARN) {
        text(f, key, "yarn");
        real(f, "rope.scaling.factor", 4);
        number(f, "rope.scaling.original_context_length", 16);
    } else if (f->c->flags & ARCHS_LINEAR) {
        text(f, key, "linear");
        real(f, "rope.scaling.factor", 3);
    } else if (is(f, "phi3")) {
        number(f, "rope.scaling.original_context_length", 32);
    }
}

static void metadata(Files *f)
{
    text(f, "general.architecture", f->c->arch);
    number(f, "embedding_length", E);
    number(f, "block_count", f->c->layers);
    number(f, "attention.head_count", HEADS);
    number(f, "attention.head_count_kv", KV_HEADS);
    number(f, "attention.key_length", SIZE);
    number(f, "attention.value_length", SIZE);
    number(f, "feed_forward_length", is(f, "qwen3moe") || is(f, "gpt-oss") ? 100 : FF);
    number(f, "context_length", ARCHS_CONTEXT);
    real(f, is(f, "gpt2") || is(f, "bert") || is(f, "falcon") || is(f, "gptneox") ||
                 is(f, "starcoder2") ? "attention.layer_norm_epsilon"
                                     : "attention.layer_norm_rms_epsilon", 1e-5f);
    if (is(f, "gptneox"))
        number(f, "rope.dimension_count", SIZE / 2);
    if (is(f, "gptneox") && f->c->flags & ARCHS_SERIAL)
        number(f, "use_parallel_residual", 0);
    if (f->c->experts) {
        number(f, "expert_count", f->c->experts);
        number(f, "expert_used_count", USED);
        number(f, "expert_feed_forward_length", EXPERT_FF);
    }
    if (is(f, "gemma2") || is(f, "gemma3") || is(f, "gpt-oss") || is(f, "phi3"))
        number(f, "attention.sliding_window", 5);
    if (is(f, "gemma2")) {
        real(f, "attn_logit_softcapping", 2);
        real(f, "final_logit_softcapping", 3);
    }
    if (is(f, "gemma3"))
        real(f, "rope.freq_base", 1e6f);
    scaling(f);
}

static void parts(Files *f)
{
    ends(f);
    for (uint32_t i = 0; i < f->c->layers; i++)
        layer(f, i);
}

void archs_build(Build *out, Arena *arena, const ArchCase *c, uint32_t seed)
{
    Files count = {.c = c, .arena = arena, .counting = true};
    metadata(&count);
    parts(&count);
    *out = (Build){.arena = arena};
    Files f = {c, out, {.arena = arena}, arena, seed * 2654435761u + 1, 0, 0, false};
    build_header(out, 3, count.tensors, count.keys);
    metadata(&f);
    parts(&f);
    build_pad(out, 32);
    build_pad(&f.data, 32);
    build_bytes(out, f.data.bytes.data, f.data.bytes.len);
}
