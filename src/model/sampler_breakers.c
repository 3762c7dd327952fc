// SPDX-License-Identifier: Apache-2.0
/*
 * sampler_breakers.c - texts at which DRY starts anew, as sequences of tokens.
 *
 * in     texts such as "\n" and ":", a tokenizer
 * out    for each token that contains the text, or ends with its start: that token, and the
 *        tokens of the rest of the text
 * not    how DRY uses them (sample_history.c)
 */
#include <stdlib.h>
#include <string.h>

#include "model/sampler_priv.h"
#include "model/tokenizer_priv.h"

#define MAX_TEXT 40u                /* bytes of a text that count                          */
#define MAX_TAIL 20u                /* tokens after the first                              */

static bool add(Breakers *b, int32_t head, const weft_token *tail, size_t count)
{
    if (b->count == b->cap) {
        size_t   cap = b->cap ? b->cap * 2 : 64;
        Breaker *more = realloc(b->data, cap * sizeof *more);
        if (!more)
            return false;
        b->data = more;
        b->cap = cap;
    }
    Breaker *x = &b->data[b->count];
    *x = (Breaker){.head = head, .tail_count = (uint32_t)count};
    if (count > 0) {
        x->tail = malloc(count * sizeof *x->tail);
        if (!x->tail)
            return false;
        memcpy(x->tail, tail, count * sizeof *x->tail);
    }
    b->count++;
    return true;
}

static bool contains(Str s, Str part)
{
    for (uint32_t i = 0; i + part.len <= s.len; i++)
        if (memcmp(s.data + i, part.data, part.len) == 0)
            return true;
    return false;
}

/* The ends of a token that are a start of the text: each with the tokens of the rest. */
static bool add_starts(Breakers *b, weft_model_tokenizer *t, uint32_t token, Str text)
{
    Str        piece = t->pieces[token];
    weft_token tail[MAX_TEXT + 2];
    for (uint32_t len = 1; len < text.len && len <= piece.len; len++) {
        if (memcmp(piece.data + piece.len - len, text.data, len) != 0)
            continue;
        size_t count = COUNTOF(tail);
        if (!weft_model_tokenize(tail, &count, t, text.data + len, text.len - len,
                                 WEFT_MODEL_TOKENIZE_NO_AFFIXES | WEFT_MODEL_TOKENIZE_CONTINUES))
            continue;
        if (!add(b, (int32_t)token, tail, MIN_OF(count, (size_t)MAX_TAIL)))
            return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const Breaker *x = a, *y = b;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return (x->tail_count > y->tail_count) - (x->tail_count < y->tail_count);
}

bool breakers_init(Breakers *b, weft_model_tokenizer *t, const char *const *texts, size_t count)
{
    *b = (Breakers){0};
    for (size_t i = 0; i < count; i++) {
        Str text = {texts[i], texts[i] ? (uint32_t)strnlen(texts[i], MAX_TEXT) : 0};
        for (uint32_t token = 0; token < t->info.count && text.len > 0; token++) {
            bool ok = contains(t->pieces[token], text) ? add(b, (int32_t)token, NULL, 0)
                                                       : add_starts(b, t, token, text);
            if (!ok) {
                breakers_fini(b);
                return false;
            }
        }
    }
    if (b->count > 0)
        qsort(b->data, b->count, sizeof *b->data, compare);
    return true;
}

bool breakers_copy(Breakers *to, const Breakers *from)
{
    *to = (Breakers){0};
    for (size_t i = 0; i < from->count; i++) {
        if (!add(to, from->data[i].head, from->data[i].tail, from->data[i].tail_count)) {
            breakers_fini(to);
            return false;
        }
    }
    return true;
}

void breakers_fini(Breakers *b)
{
    for (size_t i = 0; i < b->count; i++)
        free(b->data[i].tail);
    free(b->data);
    *b = (Breakers){0};
}
