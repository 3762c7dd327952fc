// SPDX-License-Identifier: Apache-2.0
/*
 * model_tokens.c - `weft model tokenize` and `weft model detokenize`.
 *
 * in     a GGUF file; a text, or tokens
 * out    tokens, or a text
 * knows  weft/model.h
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/model.h"

enum { MAX_TEXT = 512 << 20 };

static bool given(const Cli *cli, const char *name)
{
    return options_find(cli, name, &(const char *){NULL});
}

/* The operands behind the file, with spaces between them; without any, or with "-",
 * standard input. False after a message. The caller releases `source`. */
static bool text_of_operands(Cli *cli, Str *text, Source *source)
{
    const char *only = cli->operands.len == 2 ? cli->operands.data[1] : NULL;
    if (cli->operands.len > 1 && !(only && strcmp(only, "-") == 0)) {
        Text joined = {.arena = &cli->arena};
        text_add(&joined, STR(""));
        for (uint32_t i = 1; i < cli->operands.len; i++) {
            if (i > 1)
                text_char(&joined, ' ');
            text_add(&joined, str_of(cli->operands.data[i]));
        }
        *text = (Str){joined.data ? joined.data : "", (uint32_t)joined.len};
        return true;
    }
    *source = input_read_limited(&cli->arena, "-", MAX_TEXT);
    if (source->why)
        cli_complain(cli, "%s: %s", source->name, source->why);
    *text = (Str){source->text, (uint32_t)source->size};
    return !source->why;
}

/* ---- tokenize ---- */

static const Option tokenize_options[] = {
    {"ids", 'i', NULL, "print the numbers alone, [1, 2, 3]"},
    {"count", 'c', NULL, "print how many there are, alone"},
    {"special", 's', NULL, "find special tokens such as </s> in the text"},
    {"no-bos", 0, NULL, "no tokens before and after the text"},
    {"continues", 0, NULL, "the text continues another: no space is put before it"},
    {"json", 0, NULL, "print JSON, for programs"},
    {0},
};

/* What a token prints, with line ends and tabs as escapes. */
static void print_piece(Cli *cli, const weft_model_tokenizer *t, weft_token token)
{
    size_t size = 0;
    weft_model_detokenize(NULL, &size, t, &token, 1, WEFT_MODEL_DETOKENIZE_SPECIAL);
    char *piece = arena_alloc(&cli->arena, size + 1);
    weft_model_detokenize(piece, &size, t, &token, 1, WEFT_MODEL_DETOKENIZE_SPECIAL);
    for (size_t at = 0, n; at < size; at += n) {
        n = strcspn(piece + at, "\n\t");
        n = MIN_OF(n ? n : 1, size - at);
        if (piece[at] == '\n' || piece[at] == '\t')
            text_printf(&cli->out, piece[at] == '\n' ? "\\n" : "\\t");
        else
            show_text(&cli->out, (Str){piece + at, (uint32_t)n});
    }
}

static void print_tokens(Cli *cli, const weft_model_tokenizer *t, const weft_token *tokens,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_printf(&cli->out, "%6d -> '", (int)tokens[i]);
        print_piece(cli, t, tokens[i]);
        text_printf(&cli->out, "'\n");
    }
}

static void print_numbers(Cli *cli, const weft_token *tokens, size_t count, bool json)
{
    text_printf(&cli->out, json ? "{\"count\":%zu,\"tokens\":[" : "[", count);
    for (size_t i = 0; i < count; i++)
        text_printf(&cli->out, i ? (json ? ",%d" : ", %d") : "%d", (int)tokens[i]);
    text_printf(&cli->out, json ? "]}\n" : "]\n");
}

static bool tokenize(Cli *cli, const weft_model_tokenizer *t, Str text)
{
    uint32_t flags = (given(cli, "special") ? WEFT_MODEL_TOKENIZE_SPECIAL : 0)
                   | (given(cli, "no-bos") ? WEFT_MODEL_TOKENIZE_NO_AFFIXES : 0)
                   | (given(cli, "continues") ? WEFT_MODEL_TOKENIZE_CONTINUES : 0);
    size_t      count = weft_model_tokenize_bound(t, text.len);
    weft_token *tokens = malloc(count * sizeof *tokens);
    if (!tokens) {
        cli_complain(cli, "out of memory");
        return false;
    }
    bool ok = weft_model_tokenize(tokens, &count, t, text.data, text.len, flags);
    if (ok && given(cli, "count"))
        text_printf(&cli->out, "%zu\n", count);
    else if (ok && (given(cli, "ids") || given(cli, "json")))
        print_numbers(cli, tokens, count, given(cli, "json"));
    else if (ok)
        print_tokens(cli, t, tokens, count);
    free(tokens);
    return ok;
}

static int run_tokenize(Cli *cli)
{
    ModelFile m = {0};
    Source    source = {0};
    Str       text;
    int       status = CLI_TROUBLE;
    weft_model_tokenizer *t = NULL;
    if (model_open(cli, &m, NULL) && text_of_operands(cli, &text, &source)) {
        t = weft_model_tokenizer_create(m.ctx, m.file);
        status = t && tokenize(cli, t, text) ? CLI_OK : model_complain(cli, &m);
    }
    weft_model_tokenizer_release(t);
    input_release(&source);
    model_close(&m);
    return status;
}

const Command cli_model_tokenize = {
    .name = "model tokenize", .operands = "FILE [TEXT...]",
    .purpose = "Turn a text into tokens.",
    .more = "The text is standard input without TEXT, or with -.\n",
    .options = tokenize_options, .run = run_tokenize,
};

/* ---- detokenize ---- */

static const Option detokenize_options[] = {
    {"special", 's', NULL, "print control tokens by their names"},
    {"raw", 'r', NULL, "keep what tokenizing adds before and after a text"},
    {"clean", 0, NULL, "no spaces before punctuation, as after BERT"},
    {0},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Numbers between anything that is none: "[1, 2]", "1 2". NULL after a message. */
static weft_token *read_numbers(Cli *cli, Str text, size_t *count)
{
    weft_token *tokens = malloc((text.len / 2 + 1) * sizeof *tokens);
    if (!tokens) {
        cli_complain(cli, "out of memory");
        return NULL;
    }
    *count = 0;
    for (uint32_t at = 0; at < text.len;) {
        char c = text.data[at];
        if (strchr(" \t\r\n,[]", c) && c) {
            at++;
            continue;
        }
        long value = 0;
        for (; at < text.len && is_digit(text.data[at]) && value <= INT32_MAX; at++)
            value = value * 10 + (text.data[at] - '0');
        if (!is_digit(c) || value > INT32_MAX) {
            cli_complain(cli, "not a token: '%.*s'; tokens are numbers", 12, text.data + at);
            free(tokens);
            return NULL;
        }
        tokens[(*count)++] = (weft_token)value;
    }
    return tokens;
}

static bool detokenize(Cli *cli, const weft_model_tokenizer *t, const weft_token *tokens,
                       size_t count)
{
    uint32_t flags = (given(cli, "special") ? WEFT_MODEL_DETOKENIZE_SPECIAL : 0)
                   | (given(cli, "raw") ? 0 : WEFT_MODEL_DETOKENIZE_STRIP)
                   | (given(cli, "clean") ? WEFT_MODEL_DETOKENIZE_CLEAN : 0);
    size_t size = 0;
    if (!weft_model_detokenize(NULL, &size, t, tokens, count, flags))
        return false;
    char *text = arena_alloc(&cli->arena, size + 1);
    if (!weft_model_detokenize(text, &size, t, tokens, count, flags))
        return false;
    for (size_t i = 0; i < size; i++)
        text_char(&cli->out, text[i]);
    return true;
}

static int run_detokenize(Cli *cli)
{
    ModelFile   m = {0};
    Source      source = {0};
    Str         text;
    size_t      count;
    int         status = CLI_TROUBLE;
    weft_token *tokens = NULL;
    weft_model_tokenizer *t = NULL;
    if (model_open(cli, &m, NULL) && text_of_operands(cli, &text, &source)
        && (tokens = read_numbers(cli, text, &count)) != NULL) {
        t = weft_model_tokenizer_create(m.ctx, m.file);
        status = t && detokenize(cli, t, tokens, count) ? CLI_OK : model_complain(cli, &m);
    }
    weft_model_tokenizer_release(t);
    free(tokens);
    input_release(&source);
    model_close(&m);
    return status;
}

const Command cli_model_detokenize = {
    .name = "model detokenize", .operands = "FILE [TOKEN...]",
    .purpose = "Turn tokens into a text.",
    .more = "The tokens are standard input without TOKEN, or with -.\n",
    .options = detokenize_options, .run = run_detokenize,
};
