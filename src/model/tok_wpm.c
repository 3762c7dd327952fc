// SPDX-License-Identifier: Apache-2.0
/*
 * tok_wpm.c - WordPiece: words in lower case without accents, the longest token first.
 *
 * in     a fragment of text
 * out    tokens; a word that tokens do not cover is unknown as a whole
 * knows  BERT's idea of a word; that U+2581 marks the start of a word in a vocabulary
 * not    special tokens, files
 */
#include "base/utf8.h"
#include "model/tokenizer_priv.h"
#include "model/unicode_priv.h"

static const char word_mark[] = "\xe2\x96\x81";

static bool is_ideograph(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},   {0x20000, 0x2a6df},
        {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0x2f800, 0x2fa1f},
    };
    for (size_t i = 0; i < COUNTOF(ranges); i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

enum { LONGEST = 512 };             /* bytes of a token that is looked for */

/* The longest tokens of a word, from left to right. */
static void emit_word(TokRun *r, const char *text, uint32_t size)
{
    size_t start = r->count;
    for (uint32_t at = 0; at < size;) {
        uint32_t token = TOK_NONE, n = MIN_OF(size - at, MIN_OF(r->t->longest, (uint32_t)LONGEST));
        for (; n > 0; n--) {
            token = tok_table_find(&r->t->by_text, text + at, n);
            if (token != TOK_NONE)
                break;
        }
        if (token == TOK_NONE) {
            r->count = start;
            break;
        }
        tok_emit(r, token);
        at += n;
    }
    if (r->count == start && r->t->info.unk != WEFT_TOKEN_NONE)
        tok_emit(r, (uint32_t)r->t->info.unk);
}

/* Ends the word that r->text holds, behind its mark. */
static void word_end(TokRun *r)
{
    if (r->text.len > 3)
        emit_word(r, r->text.data, r->text.len);
    r->text.len = 3;
}

static void word_char(TokRun *r, uint32_t c)
{
    char     bytes[4];
    uint32_t n = unicode_write(bytes, r->t->lowercase ? unicode_lower(c) : c);
    for (uint32_t i = 0; i < n; i++)
        TOK_PUSH(r->arena, &r->text, bytes[i]);
}

void tok_wpm(TokRun *r, const char *text, uint32_t size)
{
    r->text.len = 0;
    for (int i = 0; i < 3; i++)
        TOK_PUSH(r->arena, &r->text, word_mark[i]);
    for (uint32_t at = 0, n, c; at < size; at += n ? n : 1) {
        n = utf8_decode((Str){text, size}, at, &c);
        if (n == 0)
            continue;
        if (r->t->strip_accents)
            c = unicode_base(c);
        uint8_t class = unicode_class(c);
        if (class & UNICODE_SPACE) {
            word_end(r);
            continue;
        }
        if (c == 0 || c == 0xfffd || class & UNICODE_CONTROL
            || (r->t->strip_accents && class & UNICODE_MARK))
            continue;
        bool alone = class & UNICODE_PUNCTUATION || (c < 0x7f && class & UNICODE_SYMBOL)
                  || is_ideograph(c);
        if (alone)
            word_end(r);
        word_char(r, c);
        if (alone)
            word_end(r);
    }
    word_end(r);
}
