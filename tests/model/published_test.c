// SPDX-License-Identifier: Apache-2.0
/*
 * published_test.c - the vocabularies of published models give the published tokens, and
 * texts come back from them.
 *
 * Each file NAME.gguf has texts in NAME.gguf.inp and their tokens in NAME.gguf.out. The
 * folder is ../shared/data/llm/vocab beside the source tree, or $WEFT_VOCAB_DIR; without it
 * the test is skipped.
 */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/tokenizer_priv.h"
#include "model/unicode_priv.h"

static const char separator[] = "\n__ggml_vocab_test__\n";

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    char  *text = malloc(1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, in);
    text[size] = 0;
    fclose(in);
    return text;
}

/* Compares the tokens of one text with a line of numbers; returns the next line. */
static char *check_text(const weft_model_tokenizer *t, const char *text, size_t size, char *line)
{
    static weft_token tokens[1 << 16];
    size_t            count = 1 << 16;
    char             *end = strchr(line, '\n');
    assert_non_null(end);
    *end = 0;
    assert_true(weft_model_tokenize(tokens, &count, t, text, size, WEFT_MODEL_TOKENIZE_NO_AFFIXES));
    for (size_t i = 0; i < count; i++) {
        char *next;
        long  want = strtol(line, &next, 10);
        assert_ptr_not_equal(next, line);
        assert_int_equal(tokens[i], want);
        line = next;
    }
    assert_int_equal(strspn(line, " "), strlen(line));
    return end + 1;
}

/* Does a text come back as it was? It may not if the vocabulary lacks one of its bytes. */
static bool comes_back(const weft_model_tokenizer *t, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (t->bytes[(uint8_t)text[i]] >= t->info.count)
            return true;
    static weft_token tokens[1 << 16];
    static char       back[1 << 16];
    size_t            count = 1 << 16, room = sizeof back;
    assert_true(weft_model_tokenize(tokens, &count, t, text, size, 0));
    assert_true(weft_model_detokenize(back, &room, t, tokens, count,
                                      WEFT_MODEL_DETOKENIZE_STRIP
                                          | WEFT_MODEL_DETOKENIZE_SPECIAL));
    return room == size && memcmp(back, text, size) == 0;
}

/* Each character, and what each token prints, if that is text. WordPiece loses some. */
static void check_round_trips(const weft_model_tokenizer *t)
{
    weft_model_tokenizer_info info;
    assert_true(weft_model_tokenizer_info_get(&info, t));
    if (info.vocabulary == WEFT_MODEL_VOCABULARY_WPM)
        return;
    for (uint32_t c = 1; c < 0x110000; c += c < 0x3000 ? 1 : 37) {
        char     text[4];
        uint32_t size = unicode_write(text, c);
        bool mark = c == 0x2581 && info.vocabulary == WEFT_MODEL_VOCABULARY_SPM;    /* a space */
        if ((c < 0xd800 || c > 0xdfff) && !mark)
            assert_true(comes_back(t, text, size));
    }
    for (weft_token i = 0; i < (weft_token)info.count; i++) {
        Str      piece = tokenizer_piece(t, i);
        uint32_t at = 0, c, n;
        while (at < piece.len && (n = utf8_decode(piece, at, &c)) != 0)
            at += n;
        if (at == piece.len && !(t->flags[i] & (TOK_CONTROL | TOK_USER_DEFINED)))
            assert_true(comes_back(t, piece.data, piece.len));
    }
}

/* The number of texts that were compared. */
static int check_file(weft_context *ctx, const char *path)
{
    char name[1040];
    int  texts = 0;
    snprintf(name, sizeof name, "%s.inp", path);
    char *in = read_all(name);
    snprintf(name, sizeof name, "%s.out", path);
    char *out = read_all(name), *line = out, *at = in;
    if (in && out) {
        weft_gguf            *file = weft_gguf_create(ctx, &(weft_gguf_desc){.path = path});
        weft_model_tokenizer *t = weft_model_tokenizer_create(ctx, file);
        weft_gguf_release(file);
        assert_non_null(t);
        while (*line) {
            char  *end = strstr(at, separator);
            size_t size = end ? (size_t)(end - at) : strlen(at);
            line = check_text(t, at, size, line);
            at = end ? end + strlen(separator) : at + size;
            texts++;
        }
        check_round_trips(t);
        weft_model_tokenizer_release(t);
    }
    free(in);
    free(out);
    return texts;
}

static void test_published_vocabularies(void **state)
{
    (void)state;
    const char *folder = getenv("WEFT_VOCAB_DIR");
    if (!folder)
        folder = WEFT_TEST_DIR "/../../../shared/data/llm/vocab";
    DIR *dir = opendir(folder);
    if (!dir) {
        print_message("left out: no folder %s\n", folder);
        skip();
    }
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    int           texts = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char   path[1024];
        size_t size = strlen(entry->d_name);
        if (size < 5 || strcmp(entry->d_name + size - 5, ".gguf") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        texts += check_file(ctx, path);
    }
    closedir(dir);
    weft_context_release(ctx);
    print_message("%d texts\n", texts);
    assert_true(texts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vocabularies),
    };
    return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
