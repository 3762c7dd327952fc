// SPDX-License-Identifier: Apache-2.0
/*
 * tokenize_fuzz.c - any bytes as a text, with a small vocabulary of each kind: valid UTF-8
 * comes back as it was, and what arrives token by token is the same text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_valid(const uint8_t *data, size_t size)
{
    Str      s = {(const char *)data, (uint32_t)size};
    uint32_t at = 0, c, n;
    while (at < size && (n = utf8_decode(s, at, &c)) != 0)
        at += n;
    return at == size;
}

/* U+2581 is how SPM writes a space, and comes back as one. */
static bool has_space_mark(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++)
        if (memcmp(data + i, "\xe2\x96\x81", 3) == 0)
            return true;
    return false;
}

static void check_stream(weft_context *ctx, weft_model_tokenizer *t, const weft_token *tokens,
                         size_t count, const uint8_t *data, size_t size)
{
    weft_model_decoder *d = weft_model_decoder_create(ctx, t, 0);
    const char *text;
    size_t      at = 0, n, skip = 0;
    weft_model_tokenizer_info info;
    weft_model_tokenizer_info_get(&info, t);
    skip = info.add_space_prefix && size;
    for (size_t i = 0; i < count; i++) {
        BUG_IF(!weft_model_decoder_push(&text, &n, d, tokens[i]), "a token is refused");
        size_t lead = MIN_OF(skip, n);
        BUG_IF(n - lead > size - at || memcmp(text + lead, data + at, n - lead) != 0,
               "the stream is another text");
        at += n - lead;
        skip -= lead;
    }
    BUG_IF(at != size, "the stream is shorter");
    weft_model_decoder_release(d);
}

static void check(weft_context *ctx, weft_model_tokenizer *t, const uint8_t *data, size_t size)
{
    size_t      bound = weft_model_tokenize_bound(t, size), count = bound, room = 4 * size + 64;
    weft_token *tokens = malloc(bound * sizeof *tokens);
    char       *back = malloc(room);
    BUG_IF(!weft_model_tokenize(tokens, &count, t, (const char *)data, size, 0), "bound too small");
    BUG_IF(!weft_model_detokenize(back, &room, t, tokens, count, WEFT_MODEL_DETOKENIZE_STRIP),
           "cannot be turned back");
    weft_model_tokenizer_info info;
    weft_model_tokenizer_info_get(&info, t);
    bool changes = info.vocabulary == WEFT_MODEL_VOCABULARY_SPM && has_space_mark(data, size);
    if (is_valid(data, size) && !changes) {
        BUG_IF(room != size || memcmp(back, data, size) != 0, "another text comes back");
        check_stream(ctx, t, tokens, count, data, size);
    }
    count = bound;
    BUG_IF(!weft_model_tokenize(tokens, &count, t, (const char *)data, size,
                                WEFT_MODEL_TOKENIZE_SPECIAL), "bound too small");
    free(back);
    free(tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const pres[] = {"gpt-2", "llama-bpe", "deepseek-llm", "falcon"};
    static weft_context         *ctx;
    static weft_model_tokenizer *tokenizers[COUNTOF(pres) + 2];
    if (!ctx) {
        Arena arena;
        arena_init(&arena, 0);
        ctx = weft_context_create(&(weft_context_desc){.no_device = true});
        for (size_t i = 0; i < COUNTOF(tokenizers); i++) {
            Build b = {.arena = &arena};
            if (i < COUNTOF(pres))
                vocab_bpe(&b, pres[i]);
            else if (i == COUNTOF(pres))
                vocab_spm(&b);
            else
                vocab_wpm(&b);
            tokenizers[i] = vocab_tokenizer(ctx, &b);
        }
        arena_fini(&arena);
    }
    if (size > 4096)
        return 0;
    for (size_t i = 0; i + 1 < COUNTOF(tokenizers); i++)
        check(ctx, tokenizers[i], data, size);
    weft_token tokens[64];
    size_t     count = COUNTOF(tokens);
    if (!weft_model_tokenize(tokens, &count, tokenizers[COUNTOF(pres) + 1], (const char *)data,
                             size, 0))
        weft_context_error_clear(ctx);
    return 0;
}
