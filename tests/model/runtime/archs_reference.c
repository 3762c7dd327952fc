/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archs_reference.c - what models compute, in f64, one token after the other.
 *
 * Written from the descriptions of the architectures, for reading, not for speed. Of the library
 * it uses only the reader of files.
 */
#include "archs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

typedef struct Ref {
    const weft_gguf *file;
    const char      *arch;
    Arena            arena;
    uint32_t layers, embedding, heads, kv_heads, size, ff, experts, used, rotated;
    double   epsilon, base;
    bool     layer_norm;
    uint32_t count;
    double  *h;                         /* [count][embedding]                      */
    double **keys, **values;            /* [layers]: [count][kv_heads * size]      */
} Ref;

static bool is(const Ref *r, const char *arch)
{
    return strcmp(r->arch, arch) == 0;
}

static bool is_gemma(const Ref *r)
{
    return strncmp(r->arch, "gemma", 5) == 0;
}

static double key(const Ref *r, const char *name, double other)
{
    char full[128];
    snprintf(full, sizeof full, "%s.%s", r->arch, name);
    const weft_gguf_value *v = weft_gguf_value_find(r->file, full);
    return v ? v->f : other;
}

static double *room(Ref *r, uint32_t n)
{
    return ARENA_ARRAY(&r->arena, double, n);
}

/* NULL if there is none. `layer` UINT32_MAX: of no layer. */
static double *weights(Ref *r, uint32_t layer, const char *name)
{
    char full[128];
    if (layer == UINT32_MAX)
        snprintf(full, sizeof full, "%s", name);
    else
        snprintf(full, sizeof full, "blk.%u.%s", layer, name);
    const weft_gguf_tensor *t = weft_gguf_tensor_find(r->file, full);
    if (!t)
        return NULL;
    float  *values = ARENA_ARRAY(&r->arena, float, t->elements);
    double *out = room(r, (uint32_t)t->elements);
    assert_true(weft_gguf_read(values, r->file, t, 0, t->elements));
    for (uint64_t i = 0; i < t->elements; i++)
        out[i] = values[i];
    return out;
}

/* ---- arithmetic ---- */

/* y = w x + b */
static void multiply(double *y, const double *w, const double *b, const double *x, uint32_t k,
                     uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++) {
        y[r] = b ? b[r] : 0;
        for (uint32_t i = 0; i < k; i++)
            y[r] += w[(size_t)r * k + i] * x[i];
    }
}

static void linear(Ref *r, double *y, uint32_t layer, const char *name, const double *x,
                   uint32_t k, uint32_t rows)
{
    char w[64], b[64];
    snprintf(w, sizeof w, "%s.weight", name);
    snprintf(b, sizeof b, "%s.bias", name);
    const double *matrix = weights(r, layer, w);
    if (!matrix)
        fail_msg("no tensor %s", w);
    multiply(y, matrix, weights(r, layer, b), x, k, rows);
}

static void normalize(Ref *r, double *y, const double *x, const double *gain, const double *bias,
                      uint32_t n)
{
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < n && r->layer_norm; i++)
        mean += x[i] / n;
    for (uint32_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / n;
    for (uint32_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(square + r->epsilon) * gain[i] + (bias ? bias[i] : 0);
}

static void norm(Ref *r, double *y, uint32_t layer, const char *name, const double *x)
{
    char w[64], b[64];
    snprintf(w, sizeof w, "%s.weight", name);
    snprintf(b, sizeof b, "%s.bias", name);
    normalize(r, y, x, weights(r, layer, w), weights(r, layer, b), r->embedding);
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static double activated(const Ref *r, double x)
{
    if (is(r, "bert"))
        return 0.5 * x * (1 + erf(x / sqrt(2)));
    return is_gemma(r) || r->layer_norm ? gelu(x) : silu(x);
}

/* ---- rotations ---- */

static bool is_local(const Ref *r, uint32_t layer)
{
    if (is(r, "gemma2") || is(r, "gpt-oss"))
        return layer % 2 == 0;
    return is(r, "phi3") || (is(r, "gemma3") && layer % 6 != 5);
}

/* The angle by which pair i turns at a position, and the factor of both results. */
static double angle(Ref *r, uint32_t layer, uint32_t i, uint32_t position, double *magnitude)
{
    bool   plain = is(r, "gemma3") && is_local(r, layer);
    double base = plain ? 10000 : r->base, n = r->rotated;
    double turn = position * pow(base, -2.0 * i / n);
    double factor = plain ? 1 : key(r, "rope.scaling.factor", 1);
    const double *freqs = weights(r, UINT32_MAX, "rope_freqs.weight");
    const double *longer = weights(r, UINT32_MAX, "rope_factors_long.weight");
    const weft_gguf_value *type = NULL;
    char name[64];
    snprintf(name, sizeof name, "%s.rope.scaling.type", r->arch);
    type = weft_gguf_value_find(r->file, name);
    *magnitude = 1;
    if (freqs)
        turn /= freqs[i];
    if (longer) {                       /* the context is longer than the original */
        double was = key(r, "rope.scaling.original_context_length", 0);
        *magnitude = sqrt(1 + log(ARCHS_CONTEXT / was) / log(was));
        return turn / longer[i];
    }
    if (!type || strcmp(type->text, "yarn") != 0)
        return turn / factor;
    double was = key(r, "rope.scaling.original_context_length", 0);
    double low = floor(n * log(was / (32 * 2 * acos(-1))) / (2 * log(base)));
    double high = ceil(n * log(was / (1 * 2 * acos(-1))) / (2 * log(base)));
    low = low < 0 ? 0 : low;
    high = high > n - 1 ? n - 1 : high;
    double ramp = (i - low) / fmax(0.001, high - low);
    ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
    *magnitude = 1 + 0.1 * log(factor);
    return turn * (1 - ramp) + turn / factor * ramp;
}

static void rotate(Ref *r, double *x, uint32_t layer, uint32_t position)
{
    bool neighbours = is(r, "llama");
    if (is(r, "gpt2") || is(r, "bert"))
        return;
    for (uint32_t i = 0; i < r->rotated / 2; i++) {
        double magnitude, a = angle(r, layer, i, position, &magnitude);
        double *p = neighbours ? &x[2 * i] : &x[i];
        double *q = neighbours ? &x[2 * i + 1] : &x[i + r->rotated / 2];
        double u = *p, v = *q;
        *p = (u * cos(a) - v * sin(a)) * magnitude;
        *q = (u * sin(a) + v * cos(a)) * magnitude;
    }
}

/* ---- attention ---- */

static void project(Ref *r, uint32_t layer, const double *x, double *q, double *k, double *v)
{
    uint32_t n = r->heads * r->size, m = r->kv_heads * r->size;
    if (weights(r, layer, "attn_qkv.weight")) {
        double *all = room(r, n + 2 * m);
        linear(r, all, layer, "attn_qkv", x, r->embedding, n + 2 * m);
        memcpy(q, all, n * sizeof *q);
        memcpy(k, all + n, m * sizeof *k);
        memcpy(v, all + n + m, m * sizeof *v);
        return;
    }
    linear(r, q, layer, "attn_q", x, r->embedding, n);
    linear(r, k, layer, "attn_k", x, r->embedding, m);
    linear(r, v, layer, "attn_v", x, r->embedding, m);
}

static void prepare_heads(Ref *r, double *x, uint32_t heads, uint32_t layer, const char *gain_name,
                          uint32_t position)
{
    const double *gain = weights(r, layer, gain_name);
    for (uint32_t h = 0; h < heads; h++) {
        double *head = x + h * r->size;
        if (gain)
            normalize(r, head, head, gain, NULL, r->size);
        rotate(r, head, layer, position);
    }
}

static bool sees(const Ref *r, uint32_t layer, uint32_t from, uint32_t to)
{
    if (is(r, "bert"))
        return true;
    uint32_t window = (uint32_t)key(r, "attention.sliding_window", 0);
    return to <= from && (!is_local(r, layer) || from - to < window);
}

static void one_head(Ref *r, double *y, uint32_t layer, uint32_t t, uint32_t h, const double *q)
{
    double  *scores = room(r, r->count), most = -INFINITY, sum = 0;
    double   cap = is(r, "gemma2") ? key(r, "attn_logit_softcapping", 0) : 0;
    uint32_t at = h / (r->heads / r->kv_heads) * r->size, stride = r->kv_heads * r->size;
    const double *sinks = weights(r, layer, "attn_sinks.weight");
    for (uint32_t c = 0; c < r->count; c++) {
        scores[c] = 0;
        for (uint32_t i = 0; i < r->size; i++)
            scores[c] += q[i] * r->keys[layer][c * stride + at + i] / sqrt(r->size);
        if (cap > 0)
            scores[c] = cap * tanh(scores[c] / cap);
        if (sees(r, layer, t, c))
            most = fmax(most, scores[c]);
    }
    if (sinks)
        sum = exp(sinks[h] - most);
    for (uint32_t c = 0; c < r->count; c++)
        sum += sees(r, layer, t, c) ? exp(scores[c] - most) : 0;
    memset(y, 0, r->size * sizeof *y);
    for (uint32_t c = 0; c < r->count; c++)
        for (uint32_t i = 0; i < r->size && sees(r, layer, t, c); i++)
            y[i] += exp(scores[c] - most) / sum * r->values[layer][c * stride + at + i];
}

/* x and y are [count][embedding]. */
static void attend(Ref *r, double *y, uint32_t layer, const double *x)
{
    uint32_t n = r->heads * r->size, m = r->kv_heads * r->size, e = r->embedding;
    double  *q = room(r, r->count * n), *heads = room(r, n);
    r->keys[layer] = room(r, r->count * m);
    r->values[layer] = room(r, r->count * m);
    for (uint32_t t = 0; t < r->count; t++) {
        double *k = r->keys[layer] + t * m;
        project(r, layer, x + t * e, q + t * n, k, r->values[layer] + t * m);
        prepare_heads(r, q + t * n, r->heads, layer, "attn_q_norm.weight", t);
        prepare_heads(r, k, r->kv_heads, layer, "attn_k_norm.weight", t);
    }
    for (uint32_t t = 0; t < r->count; t++) {
        for (uint32_t h = 0; h < r->heads; h++)
            one_head(r, heads + h * r->size, layer, t, h, q + t * n + h * r->size);
        linear(r, y + t * e, layer, "attn_output", heads, n, e);
    }
}

/* ---- the feed-forward part ---- */

static void expert(Ref *r, double *y, uint32_t layer, uint32_t index, const double *x)
{
    uint32_t ff = (uint32_t)key(r, "expert_feed_forward_length", 0), e = r->embedding;
    double  *gate = room(r, ff), *up = room(r, ff);
    const char *names[] = {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"};
    const double *w[3], *b[3];
    for (int i = 0; i < 3; i++) {
        char name[64];
        uint32_t rows = i < 2 ? ff : e;
        snprintf(name, sizeof name, "%s.weight", names[i]);
        w[i] = weights(r, layer, name) + (size_t)index * ff * e;
        snprintf(name, sizeof name, "%s.bias", names[i]);
        b[i] = weights(r, layer, name);
        b[i] = b[i] ? b[i] + index * rows : NULL;
    }
    multiply(gate, w[0], b[0], x, e, ff);
    multiply(up, w[1], b[1], x, e, ff);
    for (uint32_t i = 0; i < ff; i++) {
        if (is(r, "gpt-oss")) {
            double g = fmin(gate[i], 7), u = fmax(-7, fmin(up[i], 7));
            gate[i] = g / (1 + exp(-1.702 * g)) * (u + 1);
        } else {
            gate[i] = silu(gate[i]) * up[i];
        }
    }
    multiply(y, w[2], b[2], gate, ff, e);
}

static void mixture(Ref *r, double *y, uint32_t layer, const double *x)
{
    double *scores = room(r, r->experts), *one = room(r, r->embedding), all = 0;
    bool   *taken = ARENA_ARRAY(&r->arena, bool, r->experts);
    uint32_t chosen[8];
    linear(r, scores, layer, "ffn_gate_inp", x, r->embedding, r->experts);
    for (uint32_t k = 0; k < r->used; k++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < r->experts; i++)
            if (!taken[i] && (best == UINT32_MAX || scores[i] > scores[best]))
                best = i;
        taken[best] = true;
        chosen[k] = best;
        all += exp(scores[best]);
    }
    memset(y, 0, r->embedding * sizeof *y);
    for (uint32_t k = 0; k < r->used; k++) {
        expert(r, one, layer, chosen[k], x);
        for (uint32_t i = 0; i < r->embedding; i++)
            y[i] += exp(scores[chosen[k]]) / all * one[i];
    }
}

static void feed_forward(Ref *r, double *y, uint32_t layer, const double *x)
{
    double *up = room(r, 2 * r->ff), *gate = room(r, r->ff);
    if (r->experts) {
        mixture(r, y, layer, x);
        return;
    }
    linear(r, up, layer, "ffn_up", x, r->embedding, is(r, "phi3") ? 2 * r->ff : r->ff);
    if (is(r, "phi3")) {                /* gate first */
        memcpy(gate, up, r->ff * sizeof *gate);
        memmove(up, up + r->ff, r->ff * sizeof *up);
    } else if (!r->layer_norm) {
        linear(r, gate, layer, "ffn_gate", x, r->embedding, r->ff);
    }
    for (uint32_t i = 0; i < r->ff; i++)
        up[i] = r->layer_norm ? activated(r, up[i]) : activated(r, gate[i]) * up[i];
    linear(r, y, layer, "ffn_down", up, r->ff, r->embedding);
}

/* ---- layers ---- */

static void add(double *h, const double *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        h[i] += x[i];
}

static void bert_layer(Ref *r, uint32_t layer)
{
    uint32_t e = r->embedding;
    double *x = room(r, r->count * e);
    attend(r, x, layer, r->h);
    for (uint32_t t = 0; t < r->count; t++) {
        double *h = r->h + t * e, *y = room(r, e);
        add(h, x + t * e, e);
        norm(r, h, layer, "attn_output_norm", h);
        feed_forward(r, y, layer, h);
        add(h, y, e);
        norm(r, h, layer, "layer_output_norm", h);
    }
}

static void layer_run(Ref *r, uint32_t layer)
{
    uint32_t e = r->embedding;
    double *x = room(r, r->count * e), *y = room(r, r->count * e);
    double *f = room(r, e), *g = room(r, e);
    bool two = weights(r, layer, "attn_norm_2.weight");
    bool parallel = is(r, "falcon") ||
                    (is(r, "gptneox") && key(r, "use_parallel_residual", 1) != 0);
    const char *second = is(r, "gpt-oss") ? "post_attention_norm" : "ffn_norm";
    bool after = is(r, "gemma2") || is(r, "gemma3");
    for (uint32_t t = 0; t < r->count; t++)
        norm(r, x + t * e, layer, two ? "attn_norm_2" : "attn_norm", r->h + t * e);
    attend(r, y, layer, x);
    for (uint32_t t = 0; t < r->count; t++) {
        double *h = r->h + t * e, *before = room(r, e);
        memcpy(before, h, e * sizeof *h);
        if (after)
            norm(r, y + t * e, layer, "post_attention_norm", y + t * e);
        add(h, y + t * e, e);
        norm(r, g, layer, is(r, "falcon") ? "attn_norm" : second, parallel ? before : h);
        feed_forward(r, f, layer, g);
        if (after)
            norm(r, f, layer, "post_ffw_norm", f);
        add(h, f, e);
    }
}

/* ---- the whole ---- */

static void open_reference(Ref *r, const weft_gguf *file, uint32_t count)
{
    weft_gguf_info info;
    assert_true(weft_gguf_info_get(&info, file));
    *r = (Ref){.file = file, .arch = info.architecture, .count = count};
    arena_init(&r->arena, 0);
    r->layer_norm = is(r, "gpt2") || is(r, "bert") || is(r, "falcon") || is(r, "gptneox") ||
                    is(r, "starcoder2");
    r->layers = (uint32_t)key(r, "block_count", 0);
    r->embedding = (uint32_t)key(r, "embedding_length", 0);
    r->heads = (uint32_t)key(r, "attention.head_count", 0);
    r->kv_heads = (uint32_t)key(r, "attention.head_count_kv", 0);
    r->size = (uint32_t)key(r, "attention.key_length", 0);
    r->rotated = (uint32_t)key(r, "rope.dimension_count", r->size);
    r->ff = (uint32_t)key(r, "feed_forward_length", 0);
    r->experts = (uint32_t)key(r, "expert_count", 0);
    r->used = (uint32_t)key(r, "expert_used_count", 0);
    r->epsilon = key(r, r->layer_norm ? "attention.layer_norm_epsilon"
                                      : "attention.layer_norm_rms_epsilon", 0);
    r->base = key(r, "rope.freq_base", 10000);
    r->h = room(r, count * r->embedding);
    r->keys = ARENA_ARRAY(&r->arena, double *, r->layers);
    r->values = ARENA_ARRAY(&r->arena, double *, r->layers);
}

static void embed(Ref *r, const weft_token *tokens)
{
    uint32_t e = r->embedding;
    const double *table = weights(r, UINT32_MAX, "token_embd.weight");
    const double *positions = weights(r, UINT32_MAX, "position_embd.weight");
    const double *types = weights(r, UINT32_MAX, "token_types.weight");
    for (uint32_t t = 0; t < r->count; t++) {
        double *h = r->h + t * e;
        for (uint32_t i = 0; i < e; i++)
            h[i] = table[(uint32_t)tokens[t] * e + i] * (is_gemma(r) ? sqrt(e) : 1) +
                   (positions ? positions[t * e + i] : 0) + (types ? types[i] : 0);
        if (is(r, "bert"))
            norm(r, h, UINT32_MAX, "token_embd_norm", h);
    }
}

static void head(Ref *r, float *out)
{
    uint32_t e = r->embedding, n = ARCHS_VOCABULARY;
    const double *w = weights(r, UINT32_MAX, "output.weight");
    double *x = room(r, e), *y = room(r, n), cap = key(r, "final_logit_softcapping", 0);
    if (!w)
        w = weights(r, UINT32_MAX, "token_embd.weight");
    for (uint32_t t = 0; t < r->count; t++) {
        norm(r, x, UINT32_MAX, "output_norm", r->h + t * e);
        multiply(y, w, NULL, x, e, n);
        for (uint32_t i = 0; i < n; i++)
            out[t * n + i] = (float)(cap > 0 ? cap * tanh(y[i] / cap) : y[i]);
    }
}

void archs_reference(float *out, const weft_gguf *file, const weft_token *tokens, uint32_t count,
                     uint32_t layers)
{
    Ref r;
    open_reference(&r, file, count);
    embed(&r, tokens);
    for (uint32_t i = 0; i < r.layers && i < layers; i++) {
        if (is(&r, "bert"))
            bert_layer(&r, i);
        else
            layer_run(&r, i);
    }
    if (is(&r, "bert"))
        for (uint32_t i = 0; i < count * r.embedding; i++)
            out[i] = (float)r.h[i];
    else
        head(&r, out);
    arena_fini(&r.arena);
}
