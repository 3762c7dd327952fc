// SPDX-License-Identifier: Apache-2.0
/*
 * tok_load.c - a vocabulary out of the metadata of a GGUF file.
 *
 * in     the keys tokenizer.ggml.*
 * out    a tokenizer that is ready
 * knows  the defaults of each kind of vocabulary
 * not    tokenizing
 */
#include "base/utf8.h"
#include "context/context.h"
#include "model/tokenizer_priv.h"

/* ---- metadata ---- */

static const weft_gguf_value *array_of(weft_model_tokenizer *t, const weft_gguf *file,
                                       const char *key, uint64_t count)
{
    const weft_gguf_value *v = weft_gguf_value_find(file, key);
    if (v && v->kind == WEFT_GGUF_ARRAY && v->count >= count)
        return v;
    if (v)
        context_fail(t->ctx, WEFT_ERROR_FORMAT, "%s: %s", key, v->kind == WEFT_GGUF_ARRAY
                     ? "has fewer elements than there are tokens" : "is not an array");
    return NULL;
}

static void read_flag(bool *out, const weft_gguf *file, const char *key)
{
    const weft_gguf_value *v = weft_gguf_value_find(file, key);
    if (v && v->kind == WEFT_GGUF_BOOL)
        *out = v->u != 0;
}

static const char *read_text(const weft_gguf *file, const char *key)
{
    const weft_gguf_value *v = weft_gguf_value_find(file, key);
    return v && v->kind == WEFT_GGUF_STRING ? v->text : "";
}

/* ---- tokens ---- */

static uint16_t flags_of_kind(int64_t kind)
{
    switch (kind) {
    case WEFT_MODEL_TOKEN_NORMAL:       return TOK_NORMAL;
    case WEFT_MODEL_TOKEN_UNKNOWN:      return TOK_UNKNOWN;
    case WEFT_MODEL_TOKEN_CONTROL:      return TOK_CONTROL;
    case WEFT_MODEL_TOKEN_USER_DEFINED: return TOK_USER_DEFINED;
    case WEFT_MODEL_TOKEN_UNUSED:       return TOK_UNUSED;
    case WEFT_MODEL_TOKEN_BYTE:         return TOK_BYTE;
    default:                            return 0;
    }
}

static bool load_texts(weft_model_tokenizer *t, const weft_gguf *file)
{
    const weft_gguf_value *tokens = weft_gguf_value_find(file, "tokenizer.ggml.tokens");
    if (!tokens || tokens->kind != WEFT_GGUF_ARRAY || tokens->element != WEFT_GGUF_STRING)
        return context_fail(t->ctx, WEFT_ERROR_FORMAT, "tokenizer.ggml.tokens: %s",
                            tokens ? "is not an array of strings" : "is missing");
    if (tokens->count == 0 || tokens->count > INT32_MAX / 4)
        return context_fail(t->ctx, WEFT_ERROR_FORMAT,
                            "tokenizer.ggml.tokens: %llu tokens are not a vocabulary",
                            (unsigned long long)tokens->count);
    uint32_t count = t->info.count = (uint32_t)tokens->count;
    t->texts = ARENA_ARRAY(&t->arena, Str, count);
    tok_table_init(&t->by_text, &t->arena, count);
    for (uint32_t i = 0; i < count; i++) {
        weft_gguf_value v;
        weft_gguf_element(&v, file, tokens, i);
        if (v.size > INT32_MAX)
            return context_fail(t->ctx, WEFT_ERROR_FORMAT,
                                "tokenizer.ggml.tokens: token %u is too long", i);
        if (v.size == 0) {
            v.text = arena_printf(&t->arena, "[EMPTY_%u]", i);
            v.size = strlen(v.text);
        }
        t->texts[i] = (Str){arena_copy(&t->arena, v.text, v.size), (uint32_t)v.size};
        t->longest = MAX_OF(t->longest, t->texts[i].len);
        tok_table_set(&t->by_text, t->texts[i], i);
    }
    return true;
}

static bool load_properties(weft_model_tokenizer *t, const weft_gguf *file)
{
    static const char scores_key[] = "tokenizer.ggml.scores",
                      kinds_key[] = "tokenizer.ggml.token_type";
    const weft_gguf_value *scores = array_of(t, file, scores_key, t->info.count);
    const weft_gguf_value *kinds = array_of(t, file, kinds_key, t->info.count);
    if ((!scores && weft_gguf_value_find(file, scores_key))
        || (!kinds && weft_gguf_value_find(file, kinds_key)))
        return false;
    t->scores = ARENA_ARRAY(&t->arena, float, t->info.count);
    t->flags = ARENA_ARRAY(&t->arena, uint16_t, t->info.count);
    t->whole = ARENA_ARRAY(&t->arena, _Atomic(uint8_t), t->info.count);
    for (uint32_t i = 0; i < t->info.count; i++) {
        weft_gguf_value v;
        if (scores && weft_gguf_element(&v, file, scores, i))
            t->scores[i] = (float)v.f;
        t->flags[i] = TOK_NORMAL;
        if (kinds && weft_gguf_element(&v, file, kinds, i))
            t->flags[i] = flags_of_kind(v.i);
    }
    return true;
}

/* ---- kinds of vocabulary ---- */

/* The numbers that tokens have where a file does not say. */
static void load_defaults(weft_model_tokenizer *t)
{
    weft_model_tokenizer_info *i = &t->info;
    i->bos = i->eos = i->eot = i->eom = i->unk = i->sep = i->pad = i->mask = WEFT_TOKEN_NONE;
    switch (i->vocabulary) {
    case WEFT_MODEL_VOCABULARY_SPM:
        i->unk = 0;
        i->bos = 1;
        i->eos = 2;
        i->add_bos = i->add_space_prefix = true;
        break;
    case WEFT_MODEL_VOCABULARY_BPE:
        i->bos = i->eos = 11;
        break;
    case WEFT_MODEL_VOCABULARY_WPM:
        i->pad = 0;
        i->unk = 100;
        i->bos = 101;
        i->sep = 102;
        i->mask = 103;
        i->add_bos = i->add_sep = true;
        break;
    }
}

static bool load_kind(weft_model_tokenizer *t, const weft_gguf *file)
{
    static const struct { const char *name; weft_model_vocabulary kind; } kinds[] = {
        {"llama", WEFT_MODEL_VOCABULARY_SPM}, {"gpt2", WEFT_MODEL_VOCABULARY_BPE},
        {"bert", WEFT_MODEL_VOCABULARY_WPM},
    };
    const char *name = read_text(file, "tokenizer.ggml.model");
    if (!*name)
        return context_fail(t->ctx, WEFT_ERROR_FORMAT,
                            "tokenizer.ggml.model: is missing: the file has no vocabulary");
    for (size_t i = 0; i < COUNTOF(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            t->info.vocabulary = kinds[i].kind;
    if (!t->info.vocabulary)
        return context_fail(t->ctx, WEFT_ERROR_UNSUPPORTED,
                            "tokenizer.ggml.model: '%s' is not supported; it must be 'llama', "
                            "'gpt2' or 'bert'", name);
    load_defaults(t);
    t->info.pre = "";
    return true;
}

static bool load_pre(weft_model_tokenizer *t, const weft_gguf *file)
{
    const char *name = read_text(file, "tokenizer.ggml.pre");
    if (!*name)
        name = "default";
    t->pre = tok_pre_find(name);
    if (!t->pre) {
        const char *names[] = {"tokenizer.ggml.pre", name, NULL};
        return context_fail_names(t->ctx, WEFT_ERROR_UNSUPPORTED, names,
                                  "tokenizer.ggml.pre: unknown pre-tokenizer '%s'", name);
    }
    tok_pre_members(t->pre, t->pre_members);
    t->info.pre = arena_copy(&t->arena, name, strlen(name) + 1);
    t->info.add_bos = tok_pre_adds_bos(t->pre);
    t->ignore_merges = tok_pre_ignores_merges(t->pre);
    return true;
}

static void load_numbers(weft_model_tokenizer *t, const weft_gguf *file)
{
    const struct { const char *key; weft_token *token; } places[] = {
        {"tokenizer.ggml.bos_token_id", &t->info.bos},
        {"tokenizer.ggml.eos_token_id", &t->info.eos},
        {"tokenizer.ggml.unknown_token_id", &t->info.unk},
        {"tokenizer.ggml.seperator_token_id", &t->info.sep},
        {"tokenizer.ggml.padding_token_id", &t->info.pad},
        {"tokenizer.ggml.mask_token_id", &t->info.mask},
    };
    for (size_t i = 0; i < COUNTOF(places); i++) {
        const weft_gguf_value *v = weft_gguf_value_find(file, places[i].key);
        if (*places[i].token >= 0 && (uint32_t)*places[i].token >= t->info.count)
            *places[i].token = WEFT_TOKEN_NONE;
        if (v && v->kind == WEFT_GGUF_U32 && v->u < t->info.count)
            *places[i].token = (weft_token)v->u;
    }
    read_flag(&t->info.add_bos, file, "tokenizer.ggml.add_bos_token");
    read_flag(&t->info.add_eos, file, "tokenizer.ggml.add_eos_token");
    read_flag(&t->info.add_sep, file, "tokenizer.ggml.add_sep_token");
    read_flag(&t->info.add_space_prefix, file, "tokenizer.ggml.add_space_prefix");
    t->lowercase = true;
    read_flag(&t->lowercase, file, "tokenizer.ggml.normalizer.lowercase");
    t->strip_accents = t->lowercase;
    read_flag(&t->strip_accents, file, "tokenizer.ggml.normalizer.strip_accents");
}

/* ---- pieces ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10
         : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

/* The text with U+2581 turned into spaces. */
static Str with_spaces(weft_model_tokenizer *t, Str text)
{
    char    *out = arena_alloc(&t->arena, text.len);
    uint32_t size = 0;
    for (uint32_t at = 0; at < text.len;) {
        bool mark = text.len - at >= 3 && memcmp(text.data + at, "\xe2\x96\x81", 3) == 0;
        out[size++] = mark ? ' ' : text.data[at];
        at += mark ? 3 : 1;
    }
    return (Str){out, size};
}

static Str piece_of(weft_model_tokenizer *t, uint32_t token)
{
    Str text = t->texts[token];
    if (t->flags[token] & (TOK_UNKNOWN | TOK_CONTROL | TOK_USER_DEFINED))
        return text;
    if (t->flags[token] & TOK_BYTE) {
        char byte = text.len < 5
                        ? 0
                        : (char)(hex_digit(text.data[3]) * 16 + hex_digit(text.data[4]));
        return (Str){arena_copy(&t->arena, &byte, 1), 1};
    }
    if (!(t->flags[token] & TOK_NORMAL))
        return (Str){"", 0};
    if (t->info.vocabulary != WEFT_MODEL_VOCABULARY_BPE)
        return with_spaces(t, text);
    char   *bytes = arena_alloc(&t->arena, text.len);
    int64_t size = tok_decode_bytes(bytes, text);
    return size < 0 ? text : (Str){bytes, (uint32_t)size};
}

bool tok_load(weft_model_tokenizer *t, const weft_gguf *file)
{
    if (!load_kind(t, file) || !load_texts(t, file) || !load_properties(t, file))
        return false;
    if (t->info.vocabulary == WEFT_MODEL_VOCABULARY_BPE && !load_pre(t, file))
        return false;
    load_numbers(t, file);
    tok_special_load(t, file);
    t->pieces = ARENA_ARRAY(&t->arena, Str, t->info.count);
    for (uint32_t i = 0; i < t->info.count; i++)
        t->pieces[i] = piece_of(t, i);
    if (t->info.vocabulary == WEFT_MODEL_VOCABULARY_SPM)
        return tok_spm_load(t);
    if (t->info.vocabulary == WEFT_MODEL_VOCABULARY_BPE)
        return tok_bpe_load(t, file);
    return true;
}
