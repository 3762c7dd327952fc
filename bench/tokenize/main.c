// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - how fast vocabularies load and texts become tokens.
 *
 *   tokenize [--small] [--text=FILE] VOCABULARY.gguf...
 *
 * in     GGUF files with vocabularies; a text, by default English
 * out    for each: milliseconds to load, megabytes a second, bytes a token; the text must
 *        come back from its tokens, or the command fails (WordPiece changes texts)
 * knows  weft/model.h
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/model.h>

static const char default_text[] = "/usr/share/common-licenses/GPL-3";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The text of a file, over and over up to `size` bytes. NULL after a message. */
static char *read_text(const char *path, size_t size)
{
    FILE *in = fopen(path, "rb");
    char *text = malloc(size);
    if (!in || !text) {
        fprintf(stderr, "tokenize: %s cannot be read; name a text with --text=FILE\n", path);
        free(text);
        return NULL;
    }
    size_t have = fread(text, 1, size, in);
    fclose(in);
    for (size_t at = have; have && at < size; at++)
        text[at] = text[at - have];
    return text;
}

static bool same_again(const weft_model_tokenizer *t, const weft_token *tokens, size_t count,
                       const char *text, size_t size)
{
    weft_model_tokenizer_info info;
    weft_model_tokenizer_info_get(&info, t);
    size_t room = 2 * size + 16;
    char  *back = malloc(room);
    bool   same = info.vocabulary == WEFT_MODEL_VOCABULARY_WPM
               || (back && weft_model_detokenize(back, &room, t, tokens, count,
                                                 WEFT_MODEL_DETOKENIZE_STRIP)
                   && room == size && memcmp(back, text, size) == 0);
    free(back);
    return same;
}

static bool measure(weft_context *ctx, const char *path, const char *text, size_t size, int rounds)
{
    double      start = now();
    weft_gguf  *file = weft_gguf_create(ctx, &(weft_gguf_desc){.path = path});
    weft_model_tokenizer *t = weft_model_tokenizer_create(ctx, file);
    double      load = now() - start, best = 1e9;
    size_t      bound = weft_model_tokenize_bound(t, size), count = 0;
    weft_token *tokens = malloc(bound * sizeof *tokens);
    bool        ok = t && tokens;
    for (int i = 0; i < rounds && ok; i++) {
        count = bound;
        start = now();
        ok = weft_model_tokenize(tokens, &count, t, text, size, 0);
        double took = now() - start;
        best = took < best ? took : best;
    }
    if (!ok)
        fprintf(stderr, "tokenize: %s\n", weft_context_error(ctx)->message);
    else if (!(ok = same_again(t, tokens, count, text, size)))
        fprintf(stderr, "tokenize: %s: another text comes back\n", path);
    else
        printf("%-40s %8.1f ms load %8.1f MB/s %6.2f bytes a token\n",
               strrchr(path, '/') ? strrchr(path, '/') + 1 : path, load * 1e3,
               (double)size / best * 1e-6, (double)size / (double)count);
    free(tokens);
    weft_model_tokenizer_release(t);
    weft_gguf_release(file);
    return ok;
}

int main(int argc, char **argv)
{
    const char *path = default_text;
    bool        small = false, ok = true;
    int         first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++)
        if (strcmp(argv[first], "--small") == 0)
            small = true;
        else if (strncmp(argv[first], "--text=", 7) == 0)
            path = argv[first] + 7;
        else
            first = argc;
    if (first >= argc) {
        fprintf(stderr, "usage: tokenize [--small] [--text=FILE] VOCABULARY.gguf...\n");
        return 2;
    }
    size_t        size = small ? 2000 : 5000000;
    char         *text = read_text(path, size);
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    ok = text != NULL;
    for (int i = first; i < argc && ok; i++)
        ok = measure(ctx, argv[i], text, size, small ? 1 : 5);
    weft_context_release(ctx);
    free(text);
    return ok ? 0 : 1;
}
