// SPDX-License-Identifier: Apache-2.0
/*
 * convert_vocabulary.c - the WordPiece vocabulary of a folder as GGUF metadata.
 *
 * in     tokenizer.json, or vocab.txt with tokenizer_config.json
 * out    tokens, their kinds, the special ones, how texts are normalised
 * knows  those files; that GGUF writes the start of a word as U+2581 and no "##"
 */
#include <string.h>

#include "context/context.h"
#include "model/convert_priv.h"

typedef struct Vocabulary {
    Str      *tokens;
    int32_t  *kinds;
    uint32_t  count;
    bool      lowercase, strip_accents;
} Vocabulary;

enum { MOST_TOKENS = 1 << 24 };

static void make_room(Vocabulary *v, Arena *a, uint32_t count)
{
    v->tokens = ARENA_ARRAY(a, Str, count);
    v->kinds = ARENA_ARRAY(a, int32_t, count);
    v->count = count;
}

static bool fail(Convert *c, const char *file, const char *what)
{
    return context_fail(c->ctx, WEFT_ERROR_FORMAT, "%s/%s: %s", c->dir, file, what);
}

/* ---- tokenizer.json ---- */

static bool read_added(Vocabulary *v, Convert *c, const Value *added)
{
    for (uint32_t i = 0; added && added->kind == VALUE_LIST && i < added->list->len; i++) {
        const Value *id = convert_member(added->list->data[i], "id");
        const Value *special = convert_member(added->list->data[i], "special");
        const Value *text = convert_member(added->list->data[i], "content");
        if (!id || id->kind != VALUE_INT || id->i < 0 || id->i >= v->count || !text ||
            text->kind != VALUE_STRING)
            return fail(c, "tokenizer.json", "an added token has no id or no content");
        v->tokens[id->i] = text->s;
        v->kinds[id->i] = special && special->kind == VALUE_BOOL && special->b
                              ? WEFT_MODEL_TOKEN_CONTROL : WEFT_MODEL_TOKEN_USER_DEFINED;
    }
    return true;
}

static uint32_t highest_id(const Value *vocab, const Value *added)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < vocab->dict->len; i++) {
        Value id = vocab->dict->data[i].value;
        most = id.kind == VALUE_INT && id.i > most ? id.i : most;
    }
    for (uint32_t i = 0; added && added->kind == VALUE_LIST && i < added->list->len; i++) {
        const Value *id = convert_member(added->list->data[i], "id");
        most = id && id->kind == VALUE_INT && id->i > most ? id->i : most;
    }
    return most < 0 || most >= MOST_TOKENS ? 0 : (uint32_t)most + 1;
}

static void read_normalizer(Vocabulary *v, const Value *n)
{
    const Value *lower = n ? convert_member(*n, "lowercase") : NULL;
    const Value *strip = n ? convert_member(*n, "strip_accents") : NULL;
    v->lowercase = !lower || lower->kind != VALUE_BOOL || lower->b;
    v->strip_accents = strip && strip->kind == VALUE_BOOL ? strip->b : v->lowercase;
}

static bool read_json(Vocabulary *v, Convert *c, Value root)
{
    const Value *model = convert_member(root, "model"), *added = convert_member(root,
                                                                                "added_tokens");
    const Value *type = model ? convert_member(*model, "type") : NULL;
    const Value *vocab = model ? convert_member(*model, "vocab") : NULL;
    if (type && !value_is(*type, "WordPiece"))
        return fail(c, "tokenizer.json", "the vocabulary is not of the type WordPiece");
    if (!vocab || vocab->kind != VALUE_DICT || highest_id(vocab, added) == 0)
        return fail(c, "tokenizer.json", "there is no vocabulary");
    make_room(v, c->arena, highest_id(vocab, added));
    for (uint32_t i = 0; i < vocab->dict->len; i++) {
        DictEntry e = vocab->dict->data[i];
        if (e.key.kind != VALUE_STRING || e.value.kind != VALUE_INT || e.value.i < 0)
            return fail(c, "tokenizer.json", "a token of the vocabulary has no id");
        v->tokens[e.value.i] = e.key.s;
        v->kinds[e.value.i] = WEFT_MODEL_TOKEN_NORMAL;
    }
    read_normalizer(v, convert_member(root, "normalizer"));
    return read_added(v, c, added);
}

/* ---- vocab.txt ---- */

static bool is_bracketed(Str s)
{
    static const char *const names[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    for (size_t i = 0; i < COUNTOF(names); i++)
        if (str_eq(s, str_of(names[i])))
            return true;
    return false;
}

static bool read_lines(Vocabulary *v, Convert *c, Str text)
{
    uint32_t lines = 0, at = 0;
    for (uint32_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    make_room(v, c->arena, lines + 1);
    v->count = 0;
    while (at < text.len) {
        uint32_t end = at;
        while (end < text.len && text.data[end] != '\n')
            end++;
        uint32_t len = end - at;
        len -= len && text.data[end - 1] == '\r';
        Str token = {text.data + at, len};
        v->kinds[v->count] = is_bracketed(token) ? WEFT_MODEL_TOKEN_CONTROL
                                                 : WEFT_MODEL_TOKEN_NORMAL;
        v->tokens[v->count++] = token;
        at = end + 1;
    }
    if (v->count == 0)
        return fail(c, "vocab.txt", "there are no tokens");
    Value config;
    if (!convert_read_json(&config, c, "tokenizer_config.json", false))
        return false;
    const Value *lower = convert_member(config, "do_lower_case");
    v->lowercase = v->strip_accents = !lower || lower->kind != VALUE_BOOL || lower->b;
    return true;
}

/* ---- metadata ---- */

/* The start of a word has U+2581 before it, the rest of one nothing. */
static void mark_words(Vocabulary *v, Arena *a)
{
    for (uint32_t i = 0; i < v->count; i++) {
        Str s = v->tokens[i];
        if (v->kinds[i] == 0) {         /* an id that no token has */
            v->kinds[i] = WEFT_MODEL_TOKEN_UNUSED;
            v->tokens[i] = str_of(arena_printf(a, "[unused id %u]", i));
        } else if (v->kinds[i] != WEFT_MODEL_TOKEN_NORMAL) {
            continue;
        } else if (s.len > 2 && memcmp(s.data, "##", 2) == 0) {
            v->tokens[i] = (Str){s.data + 2, s.len - 2};
        } else {
            v->tokens[i] = str_of(arena_printf(a, "\xe2\x96\x81%.*s", STR_ARG(s)));
        }
    }
}

static bool put_special(Convert *c, const Vocabulary *v)
{
    static const struct { const char *token, *key, *other; bool needed; } rows[] = {
        {"[CLS]", "tokenizer.ggml.bos_token_id", "tokenizer.ggml.cls_token_id", true},
        {"[SEP]", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.seperator_token_id", true},
        {"[UNK]", "tokenizer.ggml.unknown_token_id", NULL, true},
        {"[PAD]", "tokenizer.ggml.padding_token_id", NULL, false},
        {"[MASK]", "tokenizer.ggml.mask_token_id", NULL, false},
    };
    for (size_t r = 0; r < COUNTOF(rows); r++) {
        uint32_t i = 0;
        while (i < v->count && !str_eq(v->tokens[i], str_of(rows[r].token)))
            i++;
        if (i == v->count && rows[r].needed)
            return context_fail(c->ctx, WEFT_ERROR_FORMAT, "%s: the vocabulary has no token '%s'",
                                c->dir, rows[r].token);
        if (i == v->count)
            continue;
        gguf_put_u32(&c->writer, rows[r].key, i);
        if (rows[r].other)
            gguf_put_u32(&c->writer, rows[r].other, i);
    }
    return true;
}

bool convert_vocabulary(Convert *c)
{
    Value      root;
    Str        text;
    Vocabulary v = {0};
    if (!convert_read_json(&root, c, "tokenizer.json", false))
        return false;
    bool ok = root.kind != VALUE_NONE ? read_json(&v, c, root)
                                      : convert_read(&text, c, "vocab.txt", true) &&
                                            read_lines(&v, c, text);
    if (!ok)
        return false;
    mark_words(&v, c->arena);
    GgufWriter *w = &c->writer;
    gguf_put_text(w, "tokenizer.ggml.model", "bert");
    gguf_put_text(w, "tokenizer.ggml.pre", "default");
    gguf_put_u32(w, "tokenizer.ggml.token_type_count", 2);
    gguf_put_texts(w, "tokenizer.ggml.tokens", v.tokens, v.count);
    gguf_put_ints(w, "tokenizer.ggml.token_type", v.kinds, v.count);
    gguf_put_bool(w, "tokenizer.ggml.normalizer.lowercase", v.lowercase);
    gguf_put_bool(w, "tokenizer.ggml.normalizer.strip_accents", v.strip_accents);
    return put_special(c, &v);
}
