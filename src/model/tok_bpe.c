// SPDX-License-Identifier: Apache-2.0
/*
 * tok_bpe.c - byte-level BPE: the bytes of a word merge by a list of pairs, the first
 * of the list first.
 *
 * in     a fragment of text
 * out    tokens
 * knows  how byte-level vocabularies write bytes as printable characters
 * not    where words end (tok_pre.c), special tokens
 *
 * Symbols are numbered: tokens by their own numbers, other results of merges above.
 */
#include "base/utf8.h"
#include "context/context.h"
#include "model/tokenizer_priv.h"

/* ---- bytes as characters ---- */

/* Printable Latin-1 characters stand for themselves, the other bytes, in order, for the
 * characters from U+0100 on. */
static bool is_itself(uint32_t c)
{
    return (c >= 0x21 && c <= 0x7e) || (c >= 0xa1 && c <= 0xac) || (c >= 0xae && c <= 0xff);
}

int tok_byte_of(uint32_t c)
{
    if (c < 0x100)
        return is_itself(c) ? (int)c : -1;
    if (c <= 0x120)
        return (int)(c - 0x100);                /* 0x00 to 0x20 */
    if (c <= 0x142)
        return (int)(c - 0x121 + 0x7f);         /* 0x7f to 0xa0 */
    return c == 0x143 ? 0xad : -1;
}

int64_t tok_decode_bytes(char *out, Str text)
{
    int64_t  count = 0;
    uint32_t c;
    for (uint32_t at = 0, size; at < text.len; at += size) {
        size = utf8_decode(text, at, &c);
        int byte = size ? tok_byte_of(c) : -1;
        if (byte < 0)
            return -1;
        out[count++] = (char)byte;
    }
    return count;
}

/* ---- words ---- */

static bool join(const TokRun *r, const char *text, const TokSymbol *left,
                 const TokSymbol *right, TokBigram *out)
{
    (void)text;
    const TokPair *pair = tok_pairs_find(&r->t->merges, left->id, right->id);
    if (!pair)
        return false;
    out->merged = pair->merged;
    out->order = pair->rank;
    return true;
}

static void merge_word(TokRun *r, const char *text, uint32_t size)
{
    r->symbols.len = 0;
    for (uint32_t i = 0; i < size; i++) {
        TokSymbol symbol = {.start = i, .size = 1, .id = r->t->bytes[(uint8_t)text[i]],
                            .prev = i ? i - 1 : TOK_NONE,
                            .next = i + 1 < size ? i + 1 : TOK_NONE};
        TOK_PUSH(r->arena, &r->symbols, symbol);
    }
    tok_merge(r, text, join);
    for (uint32_t i = 0; i != TOK_NONE && size; i = r->symbols.data[i].next) {
        const TokSymbol *s = &r->symbols.data[i];
        if (s->id < r->t->info.count) {
            tok_emit(r, s->id);
            continue;
        }
        /* Not a token: byte by byte; bytes without a token cannot be said. */
        for (uint32_t k = 0; k < s->size; k++)
            if (r->t->bytes[(uint8_t)text[s->start + k]] < r->t->info.count)
                tok_emit(r, r->t->bytes[(uint8_t)text[s->start + k]]);
    }
}

static void word(void *user, const char *text, uint32_t size)
{
    TokRun  *r = user;
    uint32_t token = tok_table_find(&r->t->by_bytes, text, size);
    tok_emit_word(r, text, size, token < r->t->info.count ? token : TOK_NONE, merge_word);
}

/* The text with U+FFFD for each byte that is not part of valid UTF-8. */
static Str valid_text(TokRun *r, const char *text, uint32_t size)
{
    Str      s = {text, size};
    uint32_t at = 0, c, n;
    while ((at = utf8_find_invalid(s, at)) < size && text[at] == 0)
        at++;                       /* NUL is a character like others */
    if (at == size)
        return s;
    r->text.len = 0;
    for (at = 0; at < size; at += n) {
        n = utf8_decode(s, at, &c);
        const char *from = n ? text + at : "\xef\xbf\xbd";
        for (uint32_t i = 0; i < (n ? n : 3); i++)
            TOK_PUSH(r->arena, &r->text, from[i]);
        n = n ? n : 1;
    }
    return (Str){r->text.data, r->text.len};
}

void tok_bpe(TokRun *r, const char *text, uint32_t size)
{
    Str s = valid_text(r, text, size);
    TokCut c = {.pre = r->t->pre, .members = r->t->pre_members, .text = s.data, .word = word,
                .user = r};
    tok_pre_cut(&c, s.len);
}

/* ---- loading ---- */

/* The number of a symbol; a new one above the tokens if it has none. */
static uint32_t intern(weft_model_tokenizer *t, uint32_t *next, Str bytes)
{
    uint32_t number = tok_table_find(&t->by_bytes, bytes.data, bytes.len);
    if (number != TOK_NONE)
        return number;
    Str copy = {arena_copy(&t->arena, bytes.data, bytes.len), bytes.len};
    tok_table_set(&t->by_bytes, copy, *next);
    return (*next)++;
}

static void load_bytes(weft_model_tokenizer *t, uint32_t *next)
{
    for (uint32_t i = 0; i < t->info.count; i++) {
        char   *bytes = arena_alloc(&t->arena, t->texts[i].len);
        int64_t size = tok_decode_bytes(bytes, t->texts[i]);
        if (size > 0)
            tok_table_set(&t->by_bytes, (Str){bytes, (uint32_t)size}, i);
    }
    for (int b = 0; b < 256; b++) {
        char byte = (char)b;
        t->bytes[b] = intern(t, next, (Str){&byte, 1});
    }
}

enum { MAX_MERGE = 4096 };          /* bytes of a line of the list */

/* One merge, "left right". A pair with characters that stand for no byte never occurs. */
static void load_merge(weft_model_tokenizer *t, uint32_t *next, Str line, uint32_t rank)
{
    char        both[MAX_MERGE];
    const char *space = line.len > 1 ? memchr(line.data + 1, ' ', line.len - 1) : NULL;
    if (!space)
        return;
    uint32_t cut = (uint32_t)(space - line.data);
    int64_t  left = tok_decode_bytes(both, (Str){line.data, cut});
    if (left <= 0)
        return;
    int64_t right = tok_decode_bytes(both + left, (Str){space + 1, line.len - cut - 1});
    if (right <= 0)
        return;
    TokPair pair = {.left = intern(t, next, (Str){both, (uint32_t)left}),
                    .right = intern(t, next, (Str){both + left, (uint32_t)right}),
                    .merged = intern(t, next, (Str){both, (uint32_t)(left + right)}),
                    .rank = rank};
    tok_pairs_add(&t->merges, pair);
}

bool tok_bpe_load(weft_model_tokenizer *t, const weft_gguf *file)
{
    const weft_gguf_value *merges = weft_gguf_value_find(file, "tokenizer.ggml.merges");
    if (!merges || merges->kind != WEFT_GGUF_ARRAY || merges->element != WEFT_GGUF_STRING)
        return context_fail(t->ctx, WEFT_ERROR_FORMAT,
                            "tokenizer.ggml.merges: %s", merges ? "is not an array of strings"
                                                                : "is missing");
    if (merges->count > UINT32_MAX / 8)
        return context_fail(t->ctx, WEFT_ERROR_FORMAT, "tokenizer.ggml.merges: is too long");
    uint32_t next = t->info.count, count = (uint32_t)merges->count;
    tok_table_init(&t->by_bytes, &t->arena, t->info.count + 256);
    tok_pairs_init(&t->merges, &t->arena, count);
    load_bytes(t, &next);
    for (uint32_t i = 0; i < count; i++) {
        weft_gguf_value line;
        if (weft_gguf_element(&line, file, merges, i) && line.size <= MAX_MERGE)
            load_merge(t, &next, (Str){line.text, (uint32_t)line.size}, i);
    }
    for (uint32_t i = 0; t->ignore_merges && i < t->info.count; i++)
        t->whole[i] = WHOLE_YES;
    return true;
}
