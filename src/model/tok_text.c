// SPDX-License-Identifier: Apache-2.0
/*
 * tok_text.c - tokens to text: all at once, or as they arrive.
 *
 * in     tokens
 * out    bytes; from a decoder only whole characters
 * knows  pieces of tokens, what of a text is an affix
 * not    how texts become tokens
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "context/context.h"
#include "model/tokenizer_priv.h"

/* ---- all at once ---- */

static Str printed(const weft_model_tokenizer *t, weft_token token, uint32_t flags)
{
    if (!(flags & WEFT_MODEL_DETOKENIZE_SPECIAL)
        && t->flags[token] & (TOK_CONTROL | TOK_UNKNOWN))
        return (Str){"", 0};
    return t->pieces[token];
}

/* Narrows tokens to those without affixes. True if a leading space is one, too. */
static bool strip_affixes(const weft_model_tokenizer *t, const weft_token **tokens, size_t *count)
{
    const weft_model_tokenizer_info *i = &t->info;
    bool       bert = i->vocabulary == WEFT_MODEL_VOCABULARY_WPM;
    weft_token last = bert ? i->sep : i->eos;
    if (*count && (i->add_bos || bert) && (*tokens)[0] == i->bos) {
        ++*tokens;
        --*count;
    }
    if (*count && (i->add_eos || bert) && (*tokens)[*count - 1] == last)
        --*count;
    return i->add_space_prefix || bert;
}

typedef struct Sink {
    char  *out;
    size_t room, size;
} Sink;

static void sink_add(Sink *s, const char *data, size_t size)
{
    if (s->size < s->room)
        memcpy(s->out + s->size, data, MIN_OF(size, s->room - s->size));
    s->size += size;
}

/* Is a space at `at` of `text` one that WEFT_MODEL_DETOKENIZE_CLEAN removes? */
static bool is_spare_space(const char *text, size_t at, size_t size)
{
    char a = at + 1 < size ? text[at + 1] : 0, b = at + 2 < size ? text[at + 2] : 0;
    char c = at + 3 < size ? text[at + 3] : 0;
    if (a == '?' || a == '!' || a == '.' || a == ',')
        return true;
    if (a != '\'')
        return false;
    return b == ' ' || b == 's' || b == 'm' || (b == 'r' && c == 'e') || (b == 'v' && c == 'e');
}

static size_t clean(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t at = 0; at < size; at++) {
        bool spare = text[at] == ' ' && is_spare_space(text, at, size);
        if (!spare)
            text[kept++] = text[at];
        else if (at + 2 < size && text[at + 1] == '\'' && text[at + 2] == ' ') {
            text[kept++] = '\'';
            at += 2;
        }
    }
    return kept;
}

static bool check_tokens(const weft_model_tokenizer *t, const weft_token *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tokens[i] < 0 || (uint32_t)tokens[i] >= t->info.count)
            return context_fail(t->ctx, WEFT_ERROR_INVALID,
                                "token %d: the vocabulary has tokens 0 to %u", (int)tokens[i],
                                t->info.count - 1);
    return true;
}

static void print_all(Sink *s, const weft_model_tokenizer *t, const weft_token *tokens,
                      size_t count, uint32_t flags)
{
    bool strip = flags & WEFT_MODEL_DETOKENIZE_STRIP && strip_affixes(t, &tokens, &count);
    for (size_t i = 0; i < count; i++) {
        Str piece = printed(t, tokens[i], flags);
        if (strip && i == 0 && piece.len && piece.data[0] == ' ')
            piece = (Str){piece.data + 1, piece.len - 1};
        sink_add(s, piece.data, piece.len);
    }
}

bool weft_model_detokenize(char *out, size_t *size, const weft_model_tokenizer *tokenizer,
                           const weft_token *tokens, size_t count, uint32_t flags)
{
    if (!tokenizer)
        return false;
    if (!size || (!tokens && count))
        return context_fail(tokenizer->ctx, WEFT_ERROR_INVALID,
                            "weft_model_detokenize: no tokens, or nowhere to put the size");
    if (!check_tokens(tokenizer, tokens, count))
        return false;
    size_t room = *size;
    Sink   sink = {.out = out, .room = out ? room : 0};
    print_all(&sink, tokenizer, tokens, count, flags);
    *size = sink.size;
    if (out && sink.size > room)
        return context_fail(tokenizer->ctx, WEFT_ERROR_INVALID, "%zu bytes; there is room for %zu",
                            sink.size, room);
    if (out && flags & WEFT_MODEL_DETOKENIZE_CLEAN)
        *size = clean(out, sink.size);
    return true;
}

/* ---- as they arrive ---- */

struct weft_model_decoder {
    weft_model_tokenizer *t;
    weft_context         *ctx;
    uint32_t              flags;
    char                  held[4];  /* the start of a character                    */
    uint32_t              nheld;
    char                 *text;     /* of the last call                            */
    size_t                cap;
};

weft_model_decoder *weft_model_decoder_create(weft_context *ctx, weft_model_tokenizer *tokenizer,
                                              uint32_t flags)
{
    weft_model_decoder *d = ctx && tokenizer ? calloc(1, sizeof *d) : NULL;
    if (!d) {
        context_fail(ctx, ctx && tokenizer ? WEFT_ERROR_MEMORY : WEFT_ERROR_INVALID,
                     "weft_model_decoder_create: %s", ctx && tokenizer ? "no memory"
                                                                       : "no tokenizer");
        return NULL;
    }
    d->t = weft_model_tokenizer_retain(tokenizer);
    d->ctx = weft_context_retain(ctx);
    d->flags = flags;
    return d;
}

void weft_model_decoder_release(weft_model_decoder *decoder)
{
    if (!decoder)
        return;
    weft_model_tokenizer_release(decoder->t);
    weft_context_release(decoder->ctx);
    free(decoder->text);
    free(decoder);
}

/* Could bytes that are no character yet become one? */
static bool may_continue(const char *bytes, uint32_t size)
{
    static const char after[] = "\x80\x80\x80";
    uint8_t  lead = (uint8_t)bytes[0];
    uint32_t whole = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size >= whole)
        return false;
    char     full[4];
    uint32_t c;
    memcpy(full, bytes, size);
    memcpy(full + size, after, whole - size);
    if (size == 1 && (lead == 0xe0 || lead == 0xf0))
        full[1] = lead == 0xe0 ? '\xa0' : '\x90';       /* the least that is not overlong */
    return utf8_decode((Str){full, whole}, 0, &c) == whole;
}

/* Room for `size` more bytes than the text takes at most. */
static bool decoder_reserve(weft_model_decoder *d, size_t size)
{
    if (size <= d->cap)
        return true;
    char *text = realloc(d->text, size);
    if (!text)
        return context_fail(d->ctx, WEFT_ERROR_MEMORY, "no memory for the text of a token");
    d->text = text;
    d->cap = size;
    return true;
}

bool weft_model_decoder_push(const char **text, size_t *size, weft_model_decoder *decoder,
                             weft_token token)
{
    weft_model_decoder *d = decoder;
    if (!d || !check_tokens(d->t, &token, 1))
        return false;
    Str    piece = printed(d->t, token, d->flags);
    size_t all = d->nheld + (size_t)piece.len, kept = 0;
    /* The bytes in the upper part of the buffer, the text in the lower: an invalid byte
     * becomes three. */
    if (!decoder_reserve(d, 4 * all + 1))
        return false;
    char *bytes = d->text + 3 * all;
    memcpy(bytes, d->held, d->nheld);
    memcpy(bytes + d->nheld, piece.data, piece.len);
    d->nheld = 0;
    for (uint32_t at = 0, n, c; at < all; at += n ? n : 1) {
        n = utf8_decode((Str){bytes, (uint32_t)all}, at, &c);
        if (n == 0 && may_continue(bytes + at, (uint32_t)all - at)) {
            d->nheld = (uint32_t)all - at;
            memcpy(d->held, bytes + at, d->nheld);
            break;
        }
        memmove(d->text + kept, n ? bytes + at : "\xef\xbf\xbd", n ? n : 3);
        kept += n ? n : 3;
    }
    d->text[kept] = 0;
    *text = d->text;
    *size = kept;
    return true;
}

bool weft_model_decoder_finish(const char **text, size_t *size, weft_model_decoder *decoder)
{
    if (!decoder)
        return false;
    *text = decoder->nheld ? "\xef\xbf\xbd" : "";
    *size = decoder->nheld ? 3 : 0;
    decoder->nheld = 0;
    return true;
}
