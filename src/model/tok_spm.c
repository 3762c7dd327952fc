// SPDX-License-Identifier: Apache-2.0
/*
 * tok_spm.c - SentencePiece vocabularies with scores: characters merge into tokens, the
 * highest score first; what is not a token becomes bytes.
 *
 * in     a fragment of text, any bytes
 * out    tokens
 * knows  that a space is written as U+2581, and byte tokens "<0x0A>"
 * not    special tokens, files
 *
 * Merging a long text at once would be slow. Two neighbouring characters that are
 * neighbours in no token never merge, so that a text may be cut between them.
 */
#include <math.h>

#include "context/context.h"
#include "model/tokenizer_priv.h"

static const char space_mark[] = "\xe2\x96\x81";

/* Bytes of a character by its first byte; a stray byte is a character. */
static uint32_t char_size(uint8_t lead)
{
    static const uint8_t sizes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
    return sizes[lead >> 4];
}

/* Bytes of a character in one number. */
static uint32_t char_code(const char *at, uint32_t size)
{
    uint32_t code = 0;
    for (uint32_t i = 0; i < size; i++)
        code = code << 8 | (uint8_t)at[i];
    return code;
}

/* ---- characters that are neighbours in some token ---- */

static uint32_t adjacent_bit(const weft_model_tokenizer *t, uint32_t left, uint32_t right)
{
    uint64_t h = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & t->adjacent_mask;
}

static bool adjacent(const weft_model_tokenizer *t, uint32_t left, uint32_t right)
{
    uint32_t bit = adjacent_bit(t, left, right);
    return t->adjacent[bit / 64] >> (bit % 64) & 1;
}

static void adjacent_fill(weft_model_tokenizer *t)
{
    uint32_t mask = 0xffff;
    while (mask < 0x3fffff && mask / 64 < t->info.count)
        mask = mask * 2 + 1;
    t->adjacent_mask = mask;
    t->adjacent = ARENA_ARRAY(&t->arena, uint64_t, mask / 64 + 1);
    for (uint32_t i = 0; i < t->info.count; i++) {
        uint32_t before = 0;
        for (uint32_t at = 0, size; at < t->texts[i].len; at += size) {
            size = char_size((uint8_t)t->texts[i].data[at]);
            size = MIN_OF(size, t->texts[i].len - at);
            uint32_t code = char_code(t->texts[i].data + at, size);
            uint32_t bit = adjacent_bit(t, before, code);
            if (at > 0)
                t->adjacent[bit / 64] |= (uint64_t)1 << (bit % 64);
            before = code;
        }
    }
}

/* ---- one chunk ---- */

/* The bits of a float in the order of its values, best (highest) first. */
static uint32_t score_order(float score)
{
    uint32_t bits;
    score += 0.0f;                  /* -0 is 0 */
    memcpy(&bits, &score, sizeof bits);
    return ~(bits & 0x80000000u ? ~bits : bits | 0x80000000u);
}

static bool join(const TokRun *r, const char *text, const TokSymbol *left,
                 const TokSymbol *right, TokBigram *out)
{
    uint32_t size = left->size + right->size;
    uint32_t token = size > r->t->longest ? TOK_NONE
                   : tok_table_find(&r->t->by_text, text + left->start, size);
    if (token == TOK_NONE)
        return false;
    out->merged = token;
    out->order = score_order(r->t->scores[token]);
    return true;
}

static void emit_bytes(TokRun *r, const char *text, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        uint32_t token = r->t->bytes[(uint8_t)text[i]];
        if (token == TOK_NONE && r->t->info.unk != WEFT_TOKEN_NONE)
            token = (uint32_t)r->t->info.unk;
        if (token != TOK_NONE)
            tok_emit(r, token);
    }
}

static void merge_chunk(TokRun *r, const char *text, uint32_t size)
{
    r->symbols.len = 0;
    for (uint32_t at = 0, n; at < size; at += n) {
        n = char_size((uint8_t)text[at]);
        n = MIN_OF(n, size - at);
        uint32_t  i = r->symbols.len;
        TokSymbol symbol = {.start = at, .size = n, .id = TOK_NONE, .prev = i ? i - 1 : TOK_NONE,
                            .next = at + n < size ? i + 1 : TOK_NONE};
        TOK_PUSH(r->arena, &r->symbols, symbol);
    }
    tok_merge(r, text, join);
    for (uint32_t i = 0; i != TOK_NONE && r->symbols.len; i = r->symbols.data[i].next) {
        const TokSymbol *s = &r->symbols.data[i];
        uint32_t token = s->id != TOK_NONE ? s->id
                       : tok_table_find(&r->t->by_text, text + s->start, s->size);
        if (token != TOK_NONE)
            tok_emit(r, token);
        else
            emit_bytes(r, text + s->start, s->size);
    }
}

static void flush(TokRun *r)
{
    if (r->text.len == 0)
        return;
    uint32_t token = tok_table_find(&r->t->by_text, r->text.data, r->text.len);
    tok_emit_word(r, r->text.data, r->text.len, token, merge_chunk);
    r->text.len = 0;
}

/* ---- a fragment ---- */

/* Characters as they come; `missing` bytes of the last are still to come. */
typedef struct Feed {
    uint32_t before, code, missing;
    uint32_t size;                  /* bytes of the character so far               */
} Feed;

static void feed_end(TokRun *r, Feed *f)
{
    /* The bytes of the character are already at the end of the chunk. */
    if (r->text.len > f->size && !adjacent(r->t, f->before, f->code)) {
        char     last[4];
        uint32_t size = f->size;
        memcpy(last, r->text.data + r->text.len - size, size);
        r->text.len -= size;
        flush(r);
        for (uint32_t i = 0; i < size; i++)
            TOK_PUSH(r->arena, &r->text, last[i]);
    }
    f->before = f->code;
    f->code = f->size = f->missing = 0;
}

static void feed(TokRun *r, Feed *f, char byte)
{
    if (f->size == 0)
        f->missing = char_size((uint8_t)byte);
    f->code = f->code << 8 | (uint8_t)byte;
    f->size++;
    TOK_PUSH(r->arena, &r->text, byte);
    if (--f->missing == 0)
        feed_end(r, f);
}

void tok_spm(TokRun *r, const char *text, uint32_t size, bool space_before)
{
    Feed f = {0};
    r->text.len = 0;
    for (int i = 0; space_before && i < 3; i++)
        feed(r, &f, space_mark[i]);
    for (uint32_t at = 0; at < size; at++) {
        if (text[at] != ' ') {
            feed(r, &f, text[at]);
            continue;
        }
        for (int i = 0; i < 3; i++)
            feed(r, &f, space_mark[i]);
    }
    if (f.size)
        feed_end(r, &f);
    flush(r);
}

/* ---- loading ---- */

bool tok_spm_load(weft_model_tokenizer *t)
{
    static const char hex[] = "0123456789ABCDEF";
    for (int b = 0; b < 256; b++) {
        char name[6] = {'<', '0', 'x', hex[b >> 4], hex[b & 15], '>'}, byte = (char)b;
        t->bytes[b] = tok_table_find(&t->by_text, name, 6);
        if (t->bytes[b] == TOK_NONE)
            t->bytes[b] = tok_table_find(&t->by_text, &byte, 1);
    }
    for (uint32_t i = 0; i < t->info.count; i++)
        if (isnan(t->scores[i]))
            return context_fail(t->ctx, WEFT_ERROR_FORMAT,
                                "tokenizer.ggml.scores: element %u is not a number", i);
    adjacent_fill(t);
    return true;
}
