// SPDX-License-Identifier: Apache-2.0
/*
 * convert.c - folders of safetensors, as they are published, as GGUF files.
 *
 * in     a folder with config.json, a vocabulary and *.safetensors
 * out    a GGUF file with the names and keys that other programs use, too
 * knows  the names of BERT's tensors and settings
 * not    vocabularies (convert_vocabulary.c), the format (gguf_write.c)
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/store.h>

#include "context/context.h"
#include "model/convert_priv.h"

/* ---- files of the folder ---- */

bool convert_read(Str *out, Convert *c, const char *name, bool needed)
{
    char  *path = arena_printf(c->arena, "%s/%s", c->dir, name);
    FILE  *f = fopen(path, "rb");
    Text   text = {.arena = c->arena};
    char   some[4096];
    size_t n;
    if (!f)
        return needed && context_fail(c->ctx, WEFT_ERROR_NOT_FOUND, "%s: cannot be read", path);
    while ((n = fread(some, 1, sizeof some, f)) > 0 && text.len < VALUE_MAX_JSON)
        text_add(&text, (Str){some, (uint32_t)n});
    bool ok = !ferror(f) && text.len < VALUE_MAX_JSON;
    fclose(f);
    if (!ok)
        return context_fail(c->ctx, WEFT_ERROR_IO, "%s: cannot be read", path);
    *out = (Str){text.data ? text.data : "", (uint32_t)text.len};
    return true;
}

bool convert_read_json(Value *out, Convert *c, const char *name, bool needed)
{
    Str   text;
    Fault fault = {0};
    *out = value_none();
    if (!convert_read(&text, c, name, needed))
        return !needed && weft_context_error(c->ctx)->kind == WEFT_ERROR_NONE;
    if (value_read_json(out, c->arena, text, &fault))
        return true;
    return context_fail(c->ctx, WEFT_ERROR_FORMAT, "%s/%s: %s", c->dir, name, fault.text);
}

const Value *convert_member(Value dict, const char *name)
{
    return dict.kind == VALUE_DICT ? dict_find_text(dict.dict, name) : NULL;
}

/* ---- config.json ---- */

static bool read_size(uint32_t *out, Convert *c, const char *name)
{
    const Value *v = convert_member(c->config, name);
    if (!v || v->kind != VALUE_INT || v->i <= 0 || v->i > 1 << 24)
        return context_fail(c->ctx, WEFT_ERROR_FORMAT,
                            "%s/config.json: '%s' is missing, or no size", c->dir, name);
    *out = (uint32_t)v->i;
    return true;
}

static float real_of(const Value *v, float other)
{
    return v && v->kind == VALUE_FLOAT ? (float)v->f : v && v->kind == VALUE_INT ? (float)v->i
                                                                               : other;
}

static bool is_true(Value dict, const char *name)
{
    const Value *v = convert_member(dict, name);
    return v && v->kind == VALUE_BOOL && v->b;
}

/* What sentence-transformers keeps beside a model: 1 mean, 2 cls, 3 last. */
static bool put_pooling(Convert *c)
{
    Value    v;
    uint32_t how = 1;
    if (!convert_read_json(&v, c, "1_Pooling/config.json", false))
        return false;
    if (is_true(v, "pooling_mode_cls_token"))
        how = 2;
    else if (is_true(v, "pooling_mode_lasttoken"))
        how = 3;
    gguf_put_u32(&c->writer, "bert.pooling_type", how);
    return true;
}

static bool put_config(Convert *c)
{
    static const struct { const char *from, *to; } sizes[] = {
        {"max_position_embeddings", "bert.context_length"},
        {"hidden_size", "bert.embedding_length"},
        {"intermediate_size", "bert.feed_forward_length"},
        {"num_hidden_layers", "bert.block_count"},
        {"num_attention_heads", "bert.attention.head_count"},
    };
    const Value *type = convert_member(c->config, "model_type");
    if (!type || !value_is(*type, "bert"))
        return context_fail(c->ctx, WEFT_ERROR_UNSUPPORTED,
                            "%s/config.json: models of the type '%.*s' cannot be converted; only "
                            "bert can", c->dir, type && type->kind == VALUE_STRING
                            ? (int)type->s.len : 0, type ? type->s.data : "");
    const Value *positions = convert_member(c->config, "position_embedding_type");
    if (positions && !value_is(*positions, "absolute"))
        return context_fail(c->ctx, WEFT_ERROR_UNSUPPORTED,
                            "%s/config.json: positions are not 'absolute'", c->dir);
    gguf_put_text(&c->writer, "general.architecture", "bert");
    gguf_put_text(&c->writer, "general.name", c->name);
    for (size_t i = 0; i < COUNTOF(sizes); i++) {
        uint32_t value = 0;
        if (!read_size(&value, c, sizes[i].from))
            return false;
        gguf_put_u32(&c->writer, sizes[i].to, value);
        if (i == 3)
            c->layers = value;
    }
    gguf_put_f32(&c->writer, "bert.attention.layer_norm_epsilon",
                 real_of(convert_member(c->config, "layer_norm_eps"), 1e-12f));
    gguf_put_bool(&c->writer, "bert.attention.causal", false);
    return put_pooling(c);
}

/* ---- tensors ---- */

static const struct { const char *from, *to; } layer_names[] = {
    {"attention.self.query", "attn_q"},           {"attention.self.key", "attn_k"},
    {"attention.self.value", "attn_v"},           {"attention.output.dense", "attn_output"},
    {"attention.output.LayerNorm", "attn_output_norm"},
    {"intermediate.dense", "ffn_up"},             {"output.dense", "ffn_down"},
    {"output.LayerNorm", "layer_output_norm"},
};

static const struct { const char *from, *to; } other_names[] = {
    {"embeddings.word_embeddings.weight", "token_embd.weight"},
    {"embeddings.position_embeddings.weight", "position_embd.weight"},
    {"embeddings.token_type_embeddings.weight", "token_types.weight"},
    {"embeddings.LayerNorm.weight", "token_embd_norm.weight"},
    {"embeddings.LayerNorm.bias", "token_embd_norm.bias"},
};

typedef struct Pair {
    const char *from, *to;
    weft_store_entry entry;
    weft_gguf_type   type;
} Pair;

typedef VEC(Pair) Pairs;

static bool add_pair(Convert *c, Pairs *pairs, weft_store *store, const char *from, const char *to)
{
    Pair p = {.from = from, .to = to};
    if (!weft_store_find(&p.entry, store, p.from)) {
        p.from = arena_printf(c->arena, "bert.%s", from);
        if (!weft_store_find(&p.entry, store, p.from))
            return context_fail(c->ctx, WEFT_ERROR_NOT_FOUND, "the tensor '%s' is missing", from);
    }
    if (p.entry.rank == 0 || p.entry.rank > 2 ||
        (p.entry.dtype != WEFT_F32 && p.entry.dtype != WEFT_F16 && p.entry.dtype != WEFT_BF16))
        return context_fail(c->ctx, WEFT_ERROR_TYPE, "the tensor '%s' is not a matrix of floats",
                            from);
    bool added = strcmp(to, "position_embd.weight") == 0 || strcmp(to, "token_types.weight") == 0;
    bool wide = p.entry.rank == 1 || p.entry.dtype == WEFT_F32 || c->f32 || added;
    p.type = wide ? WEFT_GGUF_TYPE_F32
             : p.entry.dtype == WEFT_F16 ? WEFT_GGUF_TYPE_F16 : WEFT_GGUF_TYPE_BF16;
    VEC_PUSH(c->arena, pairs, p);
    return true;
}

static bool find_tensors(Convert *c, Pairs *pairs, weft_store *store)
{
    static const char *const ends[] = {"weight", "bias"};
    for (size_t i = 0; i < COUNTOF(other_names); i++)
        if (!add_pair(c, pairs, store, other_names[i].from, other_names[i].to))
            return false;
    for (uint32_t l = 0; l < c->layers; l++)
        for (size_t i = 0; i < COUNTOF(layer_names); i++)
            for (size_t e = 0; e < COUNTOF(ends); e++)
                if (!add_pair(c, pairs, store,
                              arena_printf(c->arena, "encoder.layer.%u.%s.%s", l,
                                           layer_names[i].from, ends[e]),
                              arena_printf(c->arena, "blk.%u.%s.%s", l, layer_names[i].to,
                                           ends[e])))
                    return false;
    return true;
}

/* Elements in the type of the file; `out` has room for f32. */
static bool read_tensor(void *out, Convert *c, weft_store *store, const Pair *p, uint64_t count)
{
    weft_gguf_type from = p->entry.dtype == WEFT_F32   ? WEFT_GGUF_TYPE_F32
                          : p->entry.dtype == WEFT_F16 ? WEFT_GGUF_TYPE_F16 : WEFT_GGUF_TYPE_BF16;
    uint64_t bytes = weft_dtype_bytes(p->entry.dtype, count);
    if (from == p->type)
        return weft_store_read(out, bytes, store, p->from);
    void *narrow = malloc(bytes);
    bool  ok = narrow && weft_store_read(narrow, bytes, store, p->from) &&
               weft_gguf_dequantize(out, narrow, from, count);
    if (!narrow)
        context_fail(c->ctx, WEFT_ERROR_MEMORY, "no memory for '%s'", p->from);
    free(narrow);
    return ok;
}

static bool write_tensor(Convert *c, weft_store *store, const Pair *p)
{
    uint64_t count = p->entry.shape[0] * (p->entry.rank > 1 ? p->entry.shape[1] : 1);
    uint64_t size = p->type == WEFT_GGUF_TYPE_F32 ? count * 4 : count * 2;
    void    *data = malloc(count * 4 + 1);
    bool ok = data || context_fail(c->ctx, WEFT_ERROR_MEMORY, "no memory for '%s'", p->from);
    ok = ok && read_tensor(data, c, store, p, count) && gguf_writer_data(&c->writer, data, size);
    free(data);
    return ok;
}

static bool write_tensors(Convert *c, const Pairs *pairs, weft_store *store)
{
    for (uint32_t i = 0; i < pairs->len; i++) {
        const Pair *p = &pairs->data[i];
        uint64_t shape[] = {p->entry.shape[p->entry.rank - 1], p->entry.shape[0]};
        gguf_put_tensor(&c->writer, p->to, p->type, p->entry.rank, shape);
    }
    if (!gguf_writer_begin(&c->writer, c->path))
        return false;
    for (uint32_t i = 0; i < pairs->len; i++) {
        if (!write_tensor(c, store, &pairs->data[i]))
            return false;
        if (c->progress && !c->progress(c->user, i + 1, pairs->len))
            return context_fail(c->ctx, WEFT_ERROR_CANCELLED, "converting was cancelled");
    }
    return gguf_writer_end(&c->writer);
}

/* ---- the whole ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

/* The index of several files, or the only file of tensors. */
static const char *find_store(Convert *c)
{
    char *found = NULL;
    DIR  *dir = opendir(c->dir);
    if (!dir) {
        context_fail(c->ctx, WEFT_ERROR_NOT_FOUND, "%s: cannot be read", c->dir);
        return NULL;
    }
    for (struct dirent *e; (e = readdir(dir));)
        if (ends_with(e->d_name, ".safetensors.index.json") ||
            (ends_with(e->d_name, ".safetensors") && (!found || !ends_with(found, ".json"))))
            found = arena_printf(c->arena, "%s/%s", c->dir, e->d_name);
    closedir(dir);
    if (!found)
        context_fail(c->ctx, WEFT_ERROR_NOT_FOUND, "%s: has no .safetensors file", c->dir);
    return found;
}

static void convert(void *context)
{
    Convert *c = context;
    Pairs    pairs = {0};
    gguf_writer_init(&c->writer, c->ctx, c->arena);
    const char *path = find_store(c);
    if (!path || !convert_read_json(&c->config, c, "config.json", true) || !put_config(c) ||
        !convert_vocabulary(c))
        return;
    weft_store *store = weft_store_open(c->ctx, &(weft_store_desc){.path = path});
    c->ok = store && find_tensors(c, &pairs, store) && write_tensors(c, &pairs, store);
    weft_store_release(store);
}

static const char *name_of(Arena *a, const char *dir)
{
    size_t end = strlen(dir);
    while (end > 1 && dir[end - 1] == '/')
        end--;
    size_t start = end;
    while (start && dir[start - 1] != '/')
        start--;
    return arena_printf(a, "%.*s", (int)(end - start), dir + start);
}

bool weft_model_convert(weft_context *ctx, const weft_model_convert_desc *desc)
{
    if (!ctx || weft_context_error(ctx)->kind)
        return false;
    if (!desc || !desc->dir || !desc->path)
        return context_fail(ctx, WEFT_ERROR_INVALID, "converting needs a folder and a file");
    Arena   arena;
    arena_init(&arena, 0);
    Convert c = {.ctx = ctx, .arena = &arena, .dir = desc->dir, .path = desc->path,
                 .f32 = desc->f32, .progress = desc->progress, .user = desc->user};
    c.name = desc->name ? desc->name : name_of(&arena, desc->dir);
    if (!arena_try(&arena, convert, &c))
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory to convert '%s'", desc->dir);
    if (!c.ok)
        gguf_writer_abandon(&c.writer);
    arena_fini(&arena);
    return c.ok;
}
