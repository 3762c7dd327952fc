// SPDX-License-Identifier: Apache-2.0
/*
 * vocab.c - small vocabularies of each kind.
 */
#include "model/vocab.h"

#include <stdio.h>

enum { MOST = 320 };

typedef struct Lists {
    const char *tokens[MOST];
    float       scores[MOST];
    int32_t     kinds[MOST];
    size_t      count;
} Lists;

static void add(Lists *l, const char *token, float score, weft_model_token_kind kind)
{
    l->tokens[l->count] = token;
    l->scores[l->count] = score;
    l->kinds[l->count++] = (int32_t)kind;
}

static void write_lists(Build *b, const Lists *l)
{
    build_texts(b, "tokenizer.ggml.tokens", l->tokens, l->count);
    build_floats(b, "tokenizer.ggml.scores", l->scores, l->count);
    build_ints(b, "tokenizer.ggml.token_type", l->kinds, l->count);
}

void vocab_spm(Build *b)
{
    /* Pieces from 259 on; the score is minus the place in this list. */
    static const char *const pieces[] = {
        "▁", "a", "b", "c", "d", "ab", "bc", "▁a", "cd", "▁ab", "abc", "▁▁", "é",
    };
    Lists l = {0};
    add(&l, "<unk>", 0, WEFT_MODEL_TOKEN_UNKNOWN);
    add(&l, "<s>", 0, WEFT_MODEL_TOKEN_CONTROL);
    add(&l, "</s>", 0, WEFT_MODEL_TOKEN_CONTROL);
    for (int i = 0; i < 256; i++)
        add(&l, arena_printf(b->arena, "<0x%02X>", i), 0, WEFT_MODEL_TOKEN_BYTE);
    for (size_t i = 0; i < COUNTOF(pieces); i++)
        add(&l, pieces[i], -(float)i, WEFT_MODEL_TOKEN_NORMAL);
    build_header(b, 3, 0, 4);
    build_text(b, "tokenizer.ggml.model", "llama");
    write_lists(b, &l);
}

/* The character that stands for a byte. */
static const char *byte_name(Build *b, int byte)
{
    static const int ranges[][2] = {{0x21, 0x7e}, {0xa1, 0xac}, {0xae, 0xff}};
    int others = 0;
    for (int i = 0; i <= byte; i++) {
        bool itself = false;
        for (size_t k = 0; k < COUNTOF(ranges); k++)
            itself = itself || (i >= ranges[k][0] && i <= ranges[k][1]);
        if (i == byte && itself)
            return byte < 0x80 ? arena_printf(b->arena, "%c", byte)
                               : arena_printf(b->arena, "%c%c", 0xc0 | byte >> 6,
                                              0x80 | (byte & 63));
        if (!itself)
            others++;
    }
    int c = 0x100 + others - 1;
    return arena_printf(b->arena, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 63));
}

void vocab_bpe(Build *b, const char *pre)
{
    static const char *const merges[] = {
        "h e", "l l", "he ll", "Ġ w", "o r", "Ġw or", "hell o", "1 2", "12 3", "Ġ Ġ", "Ã ©", "l d",
    };
    static const char *const merged[] = {
        "he", "ll", "hell", "Ġw", "or", "Ġwor", "hello", "12", "123", "ĠĠ", "Ã©",
    };
    Lists l = {0};
    for (int i = 0; i < 256; i++)
        add(&l, byte_name(b, i), 0, WEFT_MODEL_TOKEN_NORMAL);
    for (size_t i = 0; i < COUNTOF(merged); i++)        /* "ld" is a merge, but no token */
        add(&l, merged[i], 0, WEFT_MODEL_TOKEN_NORMAL);
    add(&l, "<|end|>", 0, WEFT_MODEL_TOKEN_CONTROL);
    add(&l, "<user>", 0, WEFT_MODEL_TOKEN_USER_DEFINED);
    build_header(b, 3, 0, pre ? 8 : 7);
    build_text(b, "tokenizer.ggml.model", "gpt2");
    build_number(b, "tokenizer.ggml.bos_token_id", (uint32_t)l.count - 2);
    build_number(b, "tokenizer.ggml.eos_token_id", (uint32_t)l.count - 2);
    if (pre)
        build_text(b, "tokenizer.ggml.pre", pre);
    write_lists(b, &l);
    build_texts(b, "tokenizer.ggml.merges", merges, COUNTOF(merges));
}

void vocab_wpm(Build *b)
{
    static const char *const words[] = {
        "▁hello", "▁wor", "ld", "▁!", "▁,", "▁a", "b", "▁中", "▁cafe", "s",
    };
    Lists l = {0};
    add(&l, "[PAD]", 0, WEFT_MODEL_TOKEN_CONTROL);
    add(&l, "[UNK]", 0, WEFT_MODEL_TOKEN_UNKNOWN);
    add(&l, "[CLS]", 0, WEFT_MODEL_TOKEN_CONTROL);
    add(&l, "[SEP]", 0, WEFT_MODEL_TOKEN_CONTROL);
    for (size_t i = 0; i < COUNTOF(words); i++)
        add(&l, words[i], 0, WEFT_MODEL_TOKEN_NORMAL);
    build_header(b, 3, 0, 8);
    build_text(b, "tokenizer.ggml.model", "bert");
    build_number(b, "tokenizer.ggml.padding_token_id", 0);
    build_number(b, "tokenizer.ggml.unknown_token_id", 1);
    build_number(b, "tokenizer.ggml.bos_token_id", 2);
    build_number(b, "tokenizer.ggml.seperator_token_id", 3);
    write_lists(b, &l);
}

weft_model_tokenizer *vocab_tokenizer(weft_context *ctx, const Build *b)
{
    weft_gguf *file = weft_gguf_create(ctx, &(weft_gguf_desc){.data = b->bytes.data,
                                                              .size = b->bytes.len});
    weft_model_tokenizer *t = weft_model_tokenizer_create(ctx, file);
    weft_gguf_release(file);
    return t;
}
