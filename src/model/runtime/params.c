// SPDX-License-Identifier: Apache-2.0
/*
 * params.c - the numbers of a model from the metadata of its file.
 *
 * in     a GGUF file
 * out    Params, or an error that names the key
 * knows  the keys of GGUF, architectures
 * not    tensors
 */
#include "model/runtime/runtime_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST 1048576u                   /* of any size: more is a damaged file     */

static const Arch archs[] = {
#define ARCH(name, rope, norm, act, window, traits) \
    {name, ROPE_##rope, NORM_##norm, ACT_##act, WINDOW_##window, traits},
#include "model/runtime/arch.def"
#undef ARCH
};

const Arch *arch_find(const char *name)
{
    for (size_t i = 0; i < COUNTOF(archs); i++)
        if (strcmp(archs[i].name, name) == 0)
            return &archs[i];
    return NULL;
}

const char *weft_model_architecture(uint32_t index)
{
    return index < COUNTOF(archs) ? archs[index].name : NULL;
}

bool params_is_local(const Params *p, uint32_t layer)
{
    if (p->window == 0 || p->arch->window == WINDOW_NO)
        return false;
    return p->window_period == 0 || layer % p->window_period + 1 < p->window_period;
}

/* ---- keys ---- */

typedef struct Reader {
    weft_context    *ctx;
    const weft_gguf *file;
    const char      *arch;
    bool             ok;
} Reader;

static const weft_gguf_value *find(const Reader *r, const char *key)
{
    char name[256];
    snprintf(name, sizeof name, "%s.%s", r->arch, key);
    return weft_gguf_value_find(r->file, name);
}

static bool is_number(const weft_gguf_value *v)
{
    return v && v->kind != WEFT_GGUF_STRING && v->kind != WEFT_GGUF_ARRAY;
}

static double real(const Reader *r, const char *key, double other)
{
    const weft_gguf_value *v = find(r, key);
    return is_number(v) ? v->f : other;
}

/* The same with limits; what is outside them is a damaged file. */
static float limited(Reader *r, const char *key, double other, double least, double most)
{
    double v = real(r, key, other);
    if (r->ok && !(v >= least && v <= most))
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT, "'%s.%s' must be from %g to %g, not %g",
                             r->arch, key, least, most, v);
    return (float)v;
}

/* The first element of an array, if it is one whose elements are all equal. */
static bool common_element(const Reader *r, const weft_gguf_value *v, double *out)
{
    weft_gguf_value e;
    for (uint64_t i = 0; i < v->count; i++) {
        if (!weft_gguf_element(&e, r->file, v, i) || (i && e.f != *out))
            return false;
        *out = e.f;
    }
    return v->count > 0;
}

/* A size; `other` is the default, UINT32_MAX for none. */
static uint32_t size(Reader *r, const char *key, uint32_t other)
{
    const weft_gguf_value *v = find(r, key);
    double n = v && is_number(v) ? v->f : -1;
    if (!v && other != UINT32_MAX)
        return other;
    if (v && v->kind == WEFT_GGUF_ARRAY && !common_element(r, v, &n))
        n = -1;
    if (!v)
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT, "the file has no key '%s.%s'", r->arch,
                             key);
    else if (!(n >= 0 && n <= MOST))
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT,
                             "'%s.%s' must be one number from 0 to %u for all layers", r->arch,
                             key, MOST);
    return r->ok ? (uint32_t)n : 0;
}

/* ---- rope ---- */

static void read_scaling(Params *p, Reader *r)
{
    const weft_gguf_value *v = find(r, "rope.scaling.type");
    const char *type = v && v->kind == WEFT_GGUF_STRING ? v->text : "";
    p->rope_factor = limited(r, "rope.scaling.factor", real(r, "rope.scale_linear", 1), 0, 1e9);
    p->scaling = strcmp(type, "yarn") == 0 ? WEFT_MODEL_SCALING_YARN
                 : strcmp(type, "longrope") == 0 ? WEFT_MODEL_SCALING_LONGROPE
                 : p->rope_factor != 1 && strcmp(type, "none") != 0 ? WEFT_MODEL_SCALING_LINEAR
                                                                   : WEFT_MODEL_SCALING_NONE;
    p->yarn_attention = limited(r, "rope.scaling.attn_factor", 0, -1e9, 1e9);
    if (p->rope_factor == 0)
        p->rope_factor = 1;
}

/* ---- mixtures and windows ---- */

#define MOST_EXPERTS 1024u              /* room in the kernels                     */

static void read_experts(Params *p, Reader *r)
{
    p->experts = size(r, "expert_count", 0);
    p->experts_used = size(r, "expert_used_count", 0);
    if (!r->ok || (p->experts == 0 && !(p->arch->traits & TRAIT_EXPERTS)))
        return;
    uint32_t each = p->feed_forward;    /* mixtral */
    if (p->arch->traits & TRAIT_EXPERTS)
        each = p->experts_used ? p->feed_forward / p->experts_used : 0;
    p->expert_feed_forward = size(r, "expert_feed_forward_length", 0);
    if (p->expert_feed_forward == 0)
        p->expert_feed_forward = each;
    p->expert_scale = limited(r, "expert_weights_scale", 1, -1e30, 1e30);
    if (p->expert_scale == 0)
        p->expert_scale = 1;
    if (r->ok && (p->experts > MOST_EXPERTS || p->experts_used == 0 ||
                  p->experts_used > p->experts || p->experts_used > 64 ||
                  p->expert_feed_forward == 0))
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT,
                             "%u experts, %u of them used, of length %u cannot be run", p->experts,
                             p->experts_used, p->expert_feed_forward);
}

static void read_window(Params *p, Reader *r)
{
    static const uint32_t periods[] = {
        [WINDOW_NO] = 0, [WINDOW_EVEN] = 2, [WINDOW_ALL_BUT_6TH] = 6, [WINDOW_ALL] = 0};
    p->window = size(r, "attention.sliding_window", 0);
    p->window_period = periods[p->arch->window];
    const weft_gguf_value *v = find(r, "attention.sliding_window_pattern");
    if (is_number(v) && p->window_period && v->f >= 0 && v->f < MOST)
        p->window_period = (uint32_t)v->f;
}

/* ---- all of them ---- */

/* A damaged number must not become a list of a million layers. */
static void check_layers(const Params *p, Reader *r)
{
    uint64_t tensors = weft_gguf_tensor_count(r->file);
    if (r->ok && p->layers > tensors)
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT,
                             "'%s.block_count' is %u; the file has %llu tensors", r->arch,
                             p->layers, (unsigned long long)tensors);
}

static void read_sizes(Params *p, Reader *r)
{
    p->embedding = size(r, "embedding_length", UINT32_MAX);
    p->layers = size(r, "block_count", UINT32_MAX);
    p->heads = size(r, "attention.head_count", UINT32_MAX);
    p->kv_heads = size(r, "attention.head_count_kv", p->heads);
    p->feed_forward = size(r, "feed_forward_length",
                           p->arch->traits & TRAIT_EXPERTS ? p->embedding : UINT32_MAX);
    p->context = size(r, "context_length", 2048);
    check_layers(p, r);
    if (!r->ok)
        return;
    if (p->embedding == 0 || p->layers == 0 || p->heads == 0 || p->kv_heads == 0 ||
        p->heads % p->kv_heads || p->feed_forward == 0 || p->context == 0) {
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT,
                             "the sizes in '%s.*' do not make a model: %u layers of length %u "
                             "with %u heads and %u of keys", r->arch, p->layers, p->embedding,
                             p->heads, p->kv_heads);
        return;
    }
    p->key_size = size(r, "attention.key_length", p->embedding / p->heads);
    p->value_size = size(r, "attention.value_length", p->key_size);
    p->rotated = p->arch->rope ? size(r, "rope.dimension_count", p->key_size) : 0;
    read_window(p, r);
    read_experts(p, r);
    p->original_context = size(r, "rope.scaling.original_context_length", p->context);
    if (r->ok && (p->key_size == 0 || p->key_size > 512 || p->key_size % 2 || p->value_size == 0 ||
                  p->value_size > 512 || p->value_size % 2 || p->rotated > p->key_size ||
                  p->rotated % 2))
        r->ok = context_fail(r->ctx, WEFT_ERROR_FORMAT,
                             "heads of %u and %u, %u of them rotated, cannot be run", p->key_size,
                             p->value_size, p->rotated);
}

/* The largest gemma models divide scores by another root than that of a head's size; their
 * files do not tell. */
static uint32_t scaled_by(const Params *p)
{
    bool largest = (strcmp(p->arch->name, "gemma2") == 0 && p->layers == 46) ||
                   (strcmp(p->arch->name, "gemma3") == 0 && p->layers == 62);
    return largest ? p->embedding / p->heads : p->key_size;
}

static void read_reals(Params *p, Reader *r)
{
    const char *epsilon = p->arch->norm == NORM_RMS ? "attention.layer_norm_rms_epsilon"
                                                    : "attention.layer_norm_epsilon";
    p->epsilon = limited(r, epsilon, 1e-5, 0, 1);
    p->rope_base = limited(r, "rope.freq_base", 10000, 1e-9, 1e30);
    p->local_unscaled = p->arch->window == WINDOW_ALL_BUT_6TH;
    p->rope_base_local = limited(r, "rope.freq_base_swa",
                                 p->local_unscaled ? 10000 : p->rope_base, 1e-9, 1e30);
    p->local_rope = p->window && (p->local_unscaled || p->rope_base_local != p->rope_base);
    if (p->arch->traits & TRAIT_CAPS)
        p->attention_cap = limited(r, "attn_logit_softcapping", 0, 0, 1e30);
    if (p->arch->traits & TRAIT_LOGIT_CAP)
        p->logit_cap = limited(r, "final_logit_softcapping", 0, 0, 1e30);
    p->attention_scale = (float)(1 / sqrt(scaled_by(p)));
    p->embed_factor = p->arch->traits & TRAIT_EMBED_SCALE ? sqrtf((float)p->embedding) : 1;
    p->parallel = p->arch->traits & TRAIT_PARALLEL ||
                  (p->arch->traits & TRAIT_MAYBE_PARALLEL &&
                   real(r, "use_parallel_residual", 1) != 0);
    static const weft_model_pooling poolings[] = {
        0, WEFT_MODEL_POOLING_MEAN, WEFT_MODEL_POOLING_CLS, WEFT_MODEL_POOLING_LAST};
    double pooling = real(r, "pooling_type", 1);
    p->pooling = pooling >= 1 && pooling <= 3 ? poolings[(int)pooling] : WEFT_MODEL_POOLING_MEAN;
    read_scaling(p, r);
}

bool params_read(Params *out, weft_context *ctx, const weft_gguf *file, const char *arch)
{
    Params p = {0};
    Reader r = {ctx, file, arch, true};
    weft_gguf_info info;
    if (!weft_gguf_info_get(&info, file))
        return false;
    if (!r.arch)
        r.arch = info.architecture;
    p.arch = arch_find(r.arch);
    if (!p.arch)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                            "models of the architecture '%s' cannot be run", r.arch);
    read_sizes(&p, &r);
    if (!r.ok)
        return false;
    read_reals(&p, &r);
    if (!r.ok)
        return false;
    const weft_gguf_tensor *e = weft_gguf_tensor_find(file, "token_embd.weight");
    if (!e || e->shape[0] != p.embedding || e->shape[1] == 0 || e->shape[1] > MOST)
        return context_fail(ctx, WEFT_ERROR_FORMAT,
                            "the tensor 'token_embd.weight' is missing, or not %u long",
                            p.embedding);
    p.vocabulary = (uint32_t)e->shape[1];
    *out = p;
    return true;
}
