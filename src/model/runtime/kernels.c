// SPDX-License-Identifier: Apache-2.0
/*
 * kernels.c - pipelines from the .wgsl files of model/kernels.
 *
 * in     a KernelKey
 * out    its pipeline, made once
 * knows  the parameters of each file: overrides and texts
 * not    what is bound to them (ops.c)
 *
 * A line with #t or #d stands for one line for each token of the tile, or for each word of
 * the result that a lane has.
 */
#include "model/runtime/runtime_priv.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 1024u                     /* cells that attention looks at at a time */
#define SCORES 2048u                    /* scores of all heads of a workgroup      */

uint32_t cache_words(CacheFormat format, uint32_t size)
{
    return format == CACHE_F32 ? size : format == CACHE_F16 ? size / 2 : size / 4;
}

uint32_t cache_scales(CacheFormat format, uint32_t size)
{
    return format == CACHE_Q8 ? (size + 31) / 32 : 0;
}

extern const EmbeddedKernel model_runtime_kernels[];

typedef struct Made {
    KernelKey      key;
    weft_pipeline *pipeline;
} Made;

typedef struct Tuned {
    KernelKey key;
    uint32_t  runs, groups;
} Tuned;

struct Pipelines {
    weft_context *ctx;
    Arena         arena;                /* of the lists                            */
    VEC(Made)     list;
    VEC(Tuned)    tuned;
};

Pipelines *pipelines_create(weft_context *ctx)
{
    Pipelines *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->ctx = ctx;
    arena_init(&p->arena, 0);
    return p;
}

void pipelines_release(Pipelines *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->list.len; i++)
        weft_pipeline_release(p->list.data[i].pipeline);
    arena_fini(&p->arena);
    free(p);
}

/* ---- products ---- */

static const char *plain_load(WeightFormat format)
{
    switch (format) {
    case FORMAT_F32:
        return "let base = (g * quads + k) * 64u + lane;\n"
               "    let v = vec4f(w[base], w[base + 16u], w[base + 32u], w[base + 48u]);";
    case FORMAT_F16:
        return "let base = (g * quads + k) * 32u + lane;\n"
               "    let v = vec4f(unpack2x16float(w[base]), unpack2x16float(w[base + 16u]));";
    default:
        return "let base = (g * quads + k) * 32u + lane;\n"
               "    let pair = vec2u(w[base], w[base + 16u]);\n"
               "    let v = bitcast<vec4f>(vec4u(pair.x << 16u, pair.x & 0xffff0000u,\n"
               "                                 pair.y << 16u, pair.y & 0xffff0000u));";
    }
}

/* Many sums can wait for four additions in a row; few are faster with these side by side. */
static const char *plain_sum(uint32_t tile)
{
    return tile < 8 ? "sum#t + dot(v, x#t)"
                    : "fma(v.w, x#t.w, fma(v.z, x#t.z, fma(v.y, x#t.y, fma(v.x, x#t.x, sum#t))))";
}

/* Where a workgroup finds its rows and tokens: in order, or in an item of grouped choices. The
 * rows of experts lie one behind the other, perhaps in several parts. */
static const char *start_text(const KernelKey *key)
{
    if (!(key->flags & MUL_ROUTED))
        return key->groups > 1 ? "let lane = local % 16u;\n"
                                 "  let g = group.y * ${GROUPS}u + local / 16u;\n"
                                 "  let t0 = ${FIRST};"
                               : "let lane = local;\n"
                                 "  let g = group.y;\n"
                                 "  let t0 = ${FIRST};";
    return "let lane = local;\n"
           "  let item = items[group.x];\n"
           "  let g = item.x * p.expert_groups + group.y - p.first_group;\n"
           "  if (item.z == 0u || g >= p.groups) { return; }\n"
           "  let t0 = 0u;\n"
           "  let c#t = order[item.y + min(#tu, item.z - 1u)];\n"
           "  let column#t = ${SOURCE};";
}

/* A tile of one is a batch of one token. */
static bool is_single(const KernelKey *key)
{
    return key->tile == 1 && !(key->flags & MUL_ROUTED);
}

static const char *multiply_text(Arena *a, const KernelKey *key)
{
    WeightFormat format = (WeightFormat)key->format;
    bool routed = key->flags & MUL_ROUTED;
    const char *name = format < FORMAT_QUANTISED ? "mul_plain" : key->i8 ? "mul_i8" : "mul_f32";
    const char *source = key->flags & MUL_EACH_CHOICE
                             ? "c#t" : arena_printf(a, "c#t / %uu", key->flags >> 2);
    const char *column = routed ? "column#t * (K / 4u)" : "#tu";
    const char *own[] = {
        "WORD", format == FORMAT_F32 ? "f32" : "u32", "LOAD", plain_load(format),
        "PLAIN_SUM", plain_sum(key->tile),
        "MORE_PARAMS", routed ? ", expert_groups : u32, first_group : u32, groups : u32" : "",
        "MORE_BINDINGS",
        routed ? "@group(0) @binding(6) var<storage, read> order : array<u32>;\n"
                 "@group(0) @binding(7) var<storage, read> items : array<vec4u>;" : "",
        "TILE", routed ? "1u" : arena_printf(a, "%uu", key->tile),
        "START", context_kernel_text(a, start_text(key),
                                     "FIRST", is_single(key)
                                         ? "0u" : arena_printf(a, "group.x * %uu", key->tile),
                                     "GROUPS", arena_printf(a, "%u", key->groups),
                                     "SOURCE", source, NULL),
        "SIZE", arena_printf(a, "%u", 16 * key->groups),
        "COLUMN", column, "SCALE_COLUMN", routed ? "column#t * blocks" : column,
        "ROW_GROUP", routed ? "group.y" : "g",
        "TO", routed ? "c#t" : "(t0 + #tu)",
    };
    const char *params[COUNTOF(own) + FORMAT_PARAMS + 1] = {NULL};
    uint32_t n = format < FORMAT_QUANTISED ? 0 : format_params(params, a, format, column);
    memcpy(params + n, own, sizeof own);
    const char *text = context_kernel_fill(a, context_kernel_find(model_runtime_kernels, name),
                                           params);
    return context_kernel_repeat(a, text, 't', key->tile);
}

/* ---- embeddings ---- */

static const char *plain_weight(WeightFormat format)
{
    switch (format) {
    case FORMAT_F32: return "return bitcast<f32>(w[(g * K + k) * 16u + lane]);";
    case FORMAT_F16:
        return "return unpack2x16float(w[(g * (K / 2u) + k / 2u) * 16u + lane])[k & 1u];";
    default:
        return "let pair = w[(g * (K / 2u) + k / 2u) * 16u + lane];\n"
               "  return bitcast<f32>(select(pair << 16u, pair & 0xffff0000u, (k & 1u) == 1u));";
    }
}

static const char *embed_text(Arena *a, const KernelKey *key)
{
    static const char quantised[] =
        "let blocks = K / 32u;\n"
        "  let b = k / 32u;\n"
        "  let i = (k % 16u) / 4u;\n"
        "  ${SCALES}\n  ${PLANES}\n  ${WORDS}\n"
        "  let v_low = ${LOW};\n  let v_high = ${HIGH};\n"
        "  return select(v_low, v_high, (k & 16u) != 0u)[k & 3u];";
    WeightFormat format = (WeightFormat)key->format;
    const char *bindings = "", *weight = plain_weight(format);
    if (format >= FORMAT_QUANTISED) {
        const char *params[FORMAT_PARAMS + 1] = {NULL};
        format_params(params, a, format, "");
        weight = context_kernel_fill(a, quantised, params);
        bindings = context_kernel_fill(
            a, "@group(0) @binding(1) var<storage, read> scale : array<u32>;\n${LEAST_BINDING}",
            params);
    }
    return context_kernel_text(a, context_kernel_find(model_runtime_kernels, "embed"),
                               "SCALE_BINDINGS", bindings, "WEIGHT", weight, NULL);
}

/* ---- the cache ---- */

static const char *scale_bindings(CacheFormat format, const char *access)
{
    if (format != CACHE_Q8)
        return "";
    return strcmp(access, "read") == 0
               ? "@group(0) @binding(5) var<storage, read> scales : array<f32>;"
               : "@group(0) @binding(5) var<storage, read_write> scales : array<f32>;";
}

/* The cache's formats as rope_store.wgsl writes them. */
static const char *rope_text(Arena *a, const KernelKey *key)
{
    static const struct { const char *word, *pack, *key, *value; } rows[] = {
        [CACHE_F32] = {"f32", "1", "head_key[i]", "qkv[v_from + i]"},
        [CACHE_F16] = {"u32", "2",
                       "pack2x16float(vec2f(head_key[2u * i], head_key[2u * i + 1u]))",
                       "pack2x16float(vec2f(qkv[v_from + 2u * i], qkv[v_from + 2u * i + 1u]))"},
        [CACHE_Q8] = {"u32", "4", "bytes(key_four(4u * i), key_scale[i / 8u])",
                      "bytes(value_four(v_from + 4u * i), value_scale[i / 8u])"},
    };
    bool q8 = key->format == CACHE_Q8;
    return context_kernel_text(a, context_kernel_find(model_runtime_kernels, "rope_store"),
        "WORD", rows[key->format].word, "PACK", rows[key->format].pack,
        "PACK_KEY", rows[key->format].key, "PACK_VALUE", rows[key->format].value,
        "SCALE_BINDINGS", scale_bindings((CacheFormat)key->format, "read_write"),
        "SCALE_FUNCTIONS",
        q8 ? context_kernel_find(model_runtime_kernels, "rope_store_q8") : "",
        "STORE_SCALES",
        q8 ? "for (var b = l; b < (D + 31u) / 32u; b += 64u) {\n"
             "      key_scale[b] = key_block(b);\n"
             "      scales[block * ((D + 31u) / 32u) + b * 64u + place] = key_scale[b];\n"
             "    }\n"
             "    for (var b = l; b < (DV + 31u) / 32u; b += 64u) {\n"
             "      value_scale[b] = value_block(v_from, b);\n"
             "      let to = (head * p.cells + cell.y) * ((DV + 31u) / 32u) + b;\n"
             "      scales[p.value_scales + to] = value_scale[b];\n"
             "    }\n"
             "    workgroupBarrier();" : "", NULL);
}

/* Scores and values as attention.wgsl reads them from each format. */
static const struct { const char *word, *pack, *zero, *scores, *values, *store; } cache_rows[] = {
    [CACHE_F32] = {
        "f32", "1", "0.0",
        "for (var d = 0u; d < D; d++) {\n"
        "        let k = keys[block * D + d * 64u + l];\n"
        "        s#h += qkv[q#h + d] * k;\n      }",
        "if (l + #du * 64u < DV) { out#d_#h += e#h * values[at + l + #du * 64u]; }",
        "if (l + #du * 64u < DV) { y[to#h + l + #du * 64u] = out#d_#h * r#h; }"},
    [CACHE_F16] = {
        "u32", "2", "vec2f(0.0)",
        "for (var d = 0u; d < D / 2u; d++) {\n"
        "        let k = unpack2x16float(keys[block * (D / 2u) + d * 64u + l]);\n"
        "        s#h += qkv[q#h + 2u * d] * k.x + qkv[q#h + 2u * d + 1u] * k.y;\n      }",
        "if (l + #du * 64u < DV / 2u) { "
        "out#d_#h += e#h * unpack2x16float(values[at + l + #du * 64u]); }",
        "if (l + #du * 64u < DV / 2u) { let i = to#h + 2u * (l + #du * 64u); "
        "y[i] = out#d_#h.x * r#h; y[i + 1u] = out#d_#h.y * r#h; }"},
    [CACHE_Q8] = {
        "u32", "4", "vec4f(0.0)",
        "for (var b = 0u; b < (D + 31u) / 32u; b++) {\n"
        "        var some#h = 0.0;\n"
        "        for (var d = b * 8u; d < min(b * 8u + 8u, D / 4u); d++) {\n"
        "          let k = vec4f(unpack4xI8(keys[block * (D / 4u) + d * 64u + l]));\n"
        "          let x#h = q#h + 4u * d;\n"
        "          some#h += dot(k, vec4f(qkv[x#h], qkv[x#h + 1u], qkv[x#h + 2u], "
        "qkv[x#h + 3u]));\n"
        "        }\n"
        "        let scale = scales[block * ((D + 31u) / 32u) + b * 64u + l];\n"
        "        s#h += some#h * scale;\n"
        "      }",
        "if (l + #du * 64u < DV / 4u) { let w = l + #du * 64u; out#d_#h += "
        "e#h * scales[scale_at + w / 8u] * vec4f(unpack4xI8(values[at + w])); }",
        "if (l + #du * 64u < DV / 4u) { let i = to#h + 4u * (l + #du * 64u); "
        "y[i] = out#d_#h.x * r#h; y[i + 1u] = out#d_#h.y * r#h; "
        "y[i + 2u] = out#d_#h.z * r#h; y[i + 3u] = out#d_#h.w * r#h; }"},
};

static const char *attention_text(Arena *a, const KernelKey *key)
{
    bool     sinks = key->flags & 2, q8 = key->format == CACHE_Q8;
    uint32_t heads = key->groups, chunk = SCORES / heads / 64 * 64;
    chunk = chunk < CHUNK ? chunk : CHUNK;
    const char *text = context_kernel_text(
        a, context_kernel_find(model_runtime_kernels, "attention"),
        "CHUNK", arena_printf(a, "%u", chunk), "HEADS", arena_printf(a, "%u", heads),
        "SCORE_ROOM", arena_printf(a, "%u", chunk * heads),
        "PART_ROOM", arena_printf(a, "%u", 64 * heads), "WORD", cache_rows[key->format].word,
        "PACK", cache_rows[key->format].pack, "ZERO", cache_rows[key->format].zero,
        "SCALE_BINDINGS", scale_bindings((CacheFormat)key->format, "read"),
        "VALUE_SCALE",
        q8 ? "let scale_at = p.value_scales +\n"
             "          (head * p.cells + base + i) * ((DV + 31u) / 32u);" : "",
        "SINK_BINDING",
        sinks ? "@group(0) @binding(7) var<storage, read> sinks : array<f32>;" : "",
        "SINK", sinks ? "let sink#h = sinks[h + #hu];\n"
                        "  let last#h = max(most#h, sink#h);\n"
                        "  sum#h = sum#h * exp(most#h - last#h) + exp(sink#h - last#h);\n"
                        "  out#d_#h *= exp(most#h - last#h);" : "",
        "SCORES", cache_rows[key->format].scores, "VALUES", cache_rows[key->format].values,
        "STORE", cache_rows[key->format].store, NULL);
    uint32_t words = cache_words((CacheFormat)key->format, key->dv);
    text = text ? context_kernel_repeat(a, text, 'h', heads) : NULL;
    return text ? context_kernel_repeat(a, text, 'd', (words + 63) / 64) : NULL;
}

/* ---- all ---- */

static const char *text_of(Arena *a, const KernelKey *key)
{
    static const char *const files[KERNEL_COUNT] = {
        [KERNEL_NORM] = "norm", [KERNEL_HEAD_NORM] = "head_norm",
        [KERNEL_GATE] = "gate", [KERNEL_ADD] = "add",
        [KERNEL_PICK] = "pick_rows", [KERNEL_CAP] = "soft_cap", [KERNEL_ROUTE] = "route",
        [KERNEL_GROUP] = "group_experts", [KERNEL_COMBINE] = "combine",
    };
    switch (key->kind) {
    case KERNEL_MUL: return multiply_text(a, key);
    case KERNEL_EMBED: return embed_text(a, key);
    case KERNEL_ROPE: return rope_text(a, key);
    case KERNEL_ATTENTION: return attention_text(a, key);
    case KERNEL_PREPARE:
        return context_kernel_find(model_runtime_kernels, key->i8 ? "prepare_i8" : "prepare_f32");
    default: return context_kernel_find(model_runtime_kernels, files[key->kind]);
    }
}

static uint32_t constants_of(weft_constant *c, const KernelKey *key)
{
    uint32_t f = key->flags, n = 0;
    switch (key->kind) {
    case KERNEL_MUL: case KERNEL_PREPARE: c[n++] = (weft_constant){"K", key->k}; break;
    case KERNEL_EMBED:
        c[n++] = (weft_constant){"K", key->k};
        c[n++] = (weft_constant){"ADD", f & 1};
        break;
    case KERNEL_NORM:
        c[n++] = (weft_constant){"RESIDUAL", f & 1};
        c[n++] = (weft_constant){"LAYER", f >> 1 & 1};
        c[n++] = (weft_constant){"GAIN", f >> 2 & 1};
        c[n++] = (weft_constant){"BIAS", f >> 3 & 1};
        break;
    case KERNEL_HEAD_NORM: c[n++] = (weft_constant){"D", key->d}; break;
    case KERNEL_ROPE: case KERNEL_ATTENTION:
        c[n++] = (weft_constant){"D", key->d};
        c[n++] = (weft_constant){"DV", key->dv};
        c[n++] = (weft_constant){key->kind == KERNEL_ROPE ? "PAIRS" : "CAUSAL", f & 1};
        if (key->kind == KERNEL_ATTENTION)
            c[n++] = (weft_constant){"PARTS", f >> 2};
        break;
    case KERNEL_GATE:
        c[n++] = (weft_constant){"GATED", f & 1};
        c[n++] = (weft_constant){"BIAS", f >> 1 & 1};
        c[n++] = (weft_constant){"EXPERTS", f >> 2 & 1};
        c[n++] = (weft_constant){"ACT", f >> 3};
        break;
    case KERNEL_ROUTE: case KERNEL_COMBINE:
        c[n++] = (weft_constant){"BIAS", f & 1};
        c[n++] = (weft_constant){"USED", f >> 1};
        break;
    case KERNEL_GROUP: c[n++] = (weft_constant){"TILE", key->tile}; break;
    case KERNEL_ADD:
        c[n++] = (weft_constant){"ADD", f & 1};
        c[n++] = (weft_constant){"BIAS", f >> 1 & 1};
        break;
    default: break;
    }
    return n;
}

typedef struct Making {
    Pipelines       *p;
    const KernelKey *key;
    Arena            arena;
    weft_pipeline   *made;
} Making;

static void make(void *context)
{
    Making       *m = context;
    weft_constant constants[8];
    const char   *text = text_of(&m->arena, m->key);
    BUG_IF(!text, "a kernel of kind %d has a parameter without a value", (int)m->key->kind);
    m->made = weft_pipeline_create(m->p->ctx, &(weft_pipeline_desc){
        .wgsl = text, .constants = constants, .constant_count = constants_of(constants, m->key)});
}

weft_pipeline *pipelines_get(Pipelines *p, const KernelKey *key)
{
    for (uint32_t i = 0; i < p->list.len; i++)
        if (memcmp(&p->list.data[i].key, key, sizeof *key) == 0)
            return p->list.data[i].pipeline;
    Making m = {.p = p, .key = key};
    arena_init(&m.arena, 0);
    if (!arena_try(&m.arena, make, &m))
        context_fail(p->ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
    arena_fini(&m.arena);
    if (m.made) {
        Made made = {*key, m.made};
        VEC_PUSH(&p->arena, &p->list, made);
    }
    return m.made;
}

uint32_t *pipelines_groups(Pipelines *p, const KernelKey *key, uint32_t runs)
{
    for (uint32_t i = 0; i < p->tuned.len; i++)
        if (memcmp(&p->tuned.data[i].key, key, sizeof *key) == 0 && p->tuned.data[i].runs == runs)
            return &p->tuned.data[i].groups;
    Tuned fresh = {*key, runs, 0};
    VEC_PUSH(&p->arena, &p->tuned, fresh);
    return &p->tuned.data[p->tuned.len - 1].groups;
}
