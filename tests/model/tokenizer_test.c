// SPDX-License-Identifier: Apache-2.0
/*
 * tokenizer_test.c - texts to tokens and back, with small vocabularies (vocab.c).
 */
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "model/tokenizer_priv.h"
#include "model/vocab.h"

typedef struct Fixture {
    weft_context *ctx;
    Arena         arena;
} Fixture;

static int setup(void **state)
{
    static Fixture f;
    f.ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    arena_init(&f.arena, 0);
    *state = &f;
    return f.ctx ? 0 : -1;
}

static int teardown(void **state)
{
    Fixture *f = *state;
    weft_context_release(f->ctx);
    arena_fini(&f->arena);
    return 0;
}

static weft_model_tokenizer *spm(Fixture *f)
{
    Build b = {.arena = &f->arena};
    vocab_spm(&b);
    weft_model_tokenizer *t = vocab_tokenizer(f->ctx, &b);
    assert_non_null(t);
    return t;
}

static weft_model_tokenizer *bpe(Fixture *f, const char *pre)
{
    Build b = {.arena = &f->arena};
    vocab_bpe(&b, pre);
    weft_model_tokenizer *t = vocab_tokenizer(f->ctx, &b);
    assert_non_null(t);
    return t;
}

static weft_model_tokenizer *wpm(Fixture *f)
{
    Build b = {.arena = &f->arena};
    vocab_wpm(&b);
    weft_model_tokenizer *t = vocab_tokenizer(f->ctx, &b);
    assert_non_null(t);
    return t;
}

/* The pieces of the tokens of a text, joined by '|'. Special tokens have their names. */
static const char *pieces(Fixture *f, const weft_model_tokenizer *t, const char *text,
                          uint32_t flags)
{
    size_t      count = weft_model_tokenize_bound(t, strlen(text));
    weft_token *tokens = arena_alloc(&f->arena, count * sizeof *tokens);
    assert_true(weft_model_tokenize(tokens, &count, t, text, WEFT_MODEL_TEXT, flags));
    const char *all = "";
    for (size_t i = 0; i < count; i++) {
        weft_model_token_info info;
        assert_true(weft_model_token_info_get(&info, t, tokens[i]));
        all = arena_printf(&f->arena, "%s%s%.*s", all, i ? "|" : "", (int)info.size, info.text);
    }
    return all;
}

static void expect_error(Fixture *f, weft_error_kind kind, const char *part)
{
    assert_int_equal(weft_context_error(f->ctx)->kind, kind);
    assert_non_null(strstr(weft_context_error(f->ctx)->message, part));
    weft_context_error_clear(f->ctx);
}

/* ---- SPM ---- */

static void test_spm_merges_by_score(void **state)
{
    Fixture *f = *state;
    static const struct { const char *text, *want; } cases[] = {
        {"", "<s>"},
        {"ab", "<s>|▁ab"},
        {"abc", "<s>|▁ab|c"},               /* "ab" before "bc", then "▁ab" */
        {"bcd", "<s>|▁|bc|d"},              /* "bc" has a better score than "cd" */
        {" ab", "<s>|▁|▁ab"},               /* "▁ab" has a better score than "▁▁" */
        {"é", "<s>|▁|é"},
        {"x", "<s>|▁|<0x78>"},
        {"ü", "<s>|▁|<0xC3>|<0xBC>"},
        {"abab", "<s>|▁ab|ab"},
    };
    weft_model_tokenizer *t = spm(f);
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_string_equal(pieces(f, t, cases[i].text, 0), cases[i].want);
    weft_model_tokenizer_release(t);
}

static void test_special_tokens_are_parsed_only_on_request(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *t = spm(f), *u = bpe(f, "gpt-2");
    assert_string_equal(pieces(f, t, "a</s>b", WEFT_MODEL_TOKENIZE_SPECIAL), "<s>|▁a|</s>|▁|b");
    assert_string_equal(pieces(f, t, "</s>", 0), "<s>|▁|<0x3C>|<0x2F>|<0x73>|<0x3E>");
    assert_string_equal(pieces(f, t, "ab", WEFT_MODEL_TOKENIZE_NO_AFFIXES), "▁ab");
    assert_string_equal(pieces(f, t, "ab", WEFT_MODEL_TOKENIZE_NO_AFFIXES
                                               | WEFT_MODEL_TOKENIZE_CONTINUES), "ab");
    /* User-defined tokens are always found. */
    assert_string_equal(pieces(f, u, "he<user>he<|end|>", 0), "he|<user>|he|<|||e|n|d|||>");
    assert_string_equal(pieces(f, u, "he<user>he<|end|>", WEFT_MODEL_TOKENIZE_SPECIAL),
                        "he|<user>|he|<|end|>");
    weft_model_tokenizer_release(t);
    weft_model_tokenizer_release(u);
}

/* ---- BPE ---- */

static void test_bpe_merges_in_the_order_of_the_list(void **state)
{
    Fixture *f = *state;
    static const struct { const char *text, *want; } cases[] = {
        {"", ""},
        {"hello", "hello"},
        {"helllo", "hell|l|o"},
        {" world", "Ġwor|l|d"},             /* "ld" merges, but is not a token */
        {"hello world", "hello|Ġwor|l|d"},
        {"é", "Ã©"},
        {"1234", "123|4"},
    };
    weft_model_tokenizer *t = bpe(f, "gpt-2");
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_string_equal(pieces(f, t, cases[i].text, 0), cases[i].want);
    weft_model_tokenizer_release(t);
}

static void test_invalid_utf8_becomes_replacement_characters(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *t = bpe(f, "gpt-2");
    weft_token            tokens[16], want[16];
    size_t                count = 16, wanted = 16;
    assert_true(weft_model_tokenize(tokens, &count, t, "a\xff\xe2\x82", 4, 0));
    assert_true(weft_model_tokenize(want, &wanted, t,
                                    "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 10, 0));
    assert_int_equal(count, wanted);
    assert_memory_equal(tokens, want, count * sizeof *tokens);
    /* NUL is a byte like others. */
    count = 16;
    assert_true(weft_model_tokenize(tokens, &count, t, "a\0b", 3, 0));
    assert_int_equal(count, 3);
    assert_int_equal(tokens[1], 0);
    weft_model_tokenizer_release(t);
}

static void add_word(void *user, const char *text, uint32_t size)
{
    Fixture    *f = ((void **)user)[0];
    const char *all = ((void **)user)[1];
    ((void **)user)[1] = arena_printf(&f->arena, "%s%s%.*s", all, *all ? "|" : "", (int)size, text);
}

static const char *words(Fixture *f, const char *pre, const char *text)
{
    uint8_t members[128];
    void   *user[2] = {f, arena_printf(&f->arena, "%s", "")};
    TokCut  c = {.pre = tok_pre_find(pre), .members = members, .text = text, .word = add_word,
                 .user = user};
    assert_non_null(c.pre);
    tok_pre_members(c.pre, members);
    tok_pre_cut(&c, (uint32_t)strlen(text));
    return user[1];
}

static void test_texts_are_cut_into_words(void **state)
{
    Fixture *f = *state;
    static const struct { const char *pre, *text, *want;
    } cases[] = {
        {"gpt-2", "Hello world, it's 123.", "Hello| world|,| it|'s| 123|."},
        {"gpt-2", "a  b\n\nc   ", "a| | b|\n|\n|c|   "},
        {"gpt-2", "WE'LL we'll", "WE|'|LL| we|'ll"},
        {"phi-2", "x=1;", "x|=|1|;"},
        {"mpt", "naïve 中文 ½", "naïve| 中文| ½"},
        {"llama-bpe", "WE'LL (go) 12345!\n\n x", "WE|'LL| (|go|)| |123|45|!\n\n| x"},
        {"llama-bpe", "a\n \n b  c", "a|\n \n| b| | c"},
        {"qwen2", "in 2024, ok", "in| |2|0|2|4|,| ok"},
        {"gpt-4o", "HelloWorld it's ÀBc DON'T 1234 a/b //\n",
         "Hello|World| it's| ÀBc| DON'T| |123|4| a|/b| //\n"},
        {"tekken", "camelCase IT'S 12", "camel|Case| IT|'S| |1|2"},
        {"smollm", "in 2024, ok", "in| |2|0|2|4|,| ok"},
        {"starcoder", "x12 = 'd", "x|1|2| =| '|d"},
        {"refact", "v1.0", "v|1|.|0"},
        {"falcon", "a==b 12345 `x`", "a|==|b| |123|45| |`|x|`"},
        {"falcon", " 12345", " |123|45"},
        {"default", "a==b 12345 `x`", "a|==|b| |123|45| `|x|`"},
        {"deepseek-llm", "Hi there\n  x 123 中文", "Hi| there|\n| | x| |123| |中文"},
        {"deepseek-coder", "Hi (x1) 中文\n", "Hi| (|x|1|)| |中文|\n"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_string_equal(words(f, cases[i].pre, cases[i].text), cases[i].want);
}

static void test_every_listed_pre_tokenizer_is_known(void **state)
{
    (void)state;
    static const char *const names[] = {
        "default", "gpt-2", "llama-bpe", "qwen2", "smollm", "deepseek-llm", "deepseek-coder",
        "falcon", "starcoder", "refact", "mpt", "phi-2",
    };
    for (size_t i = 0; i < COUNTOF(names); i++)
        assert_non_null(tok_pre_find(names[i]));
}

/* ---- WPM ---- */

static void test_wordpiece_takes_the_longest(void **state)
{
    Fixture *f = *state;
    static const struct { const char *text, *want; } cases[] = {
        {"Hello world!", "[CLS]|▁hello|▁wor|ld|▁!|[SEP]"},
        {"", "[CLS]|[SEP]"},
        {"cafés, CAFÉ", "[CLS]|▁cafe|s|▁,|▁cafe|[SEP]"},
        {"中中", "[CLS]|▁中|▁中|[SEP]"},
        {"ab abx a", "[CLS]|▁a|b|[UNK]|▁a|[SEP]"},
        {"a\x01" "b", "[CLS]|▁a|b|[SEP]"},
    };
    weft_model_tokenizer *t = wpm(f);
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_string_equal(pieces(f, t, cases[i].text, 0), cases[i].want);
    weft_model_tokenizer_release(t);
}

/* ---- and back ---- */

static const char *there_and_back(Fixture *f, const weft_model_tokenizer *t, const char *text,
                                  uint32_t flags)
{
    size_t      count = weft_model_tokenize_bound(t, strlen(text)), size = 0;
    weft_token *tokens = arena_alloc(&f->arena, count * sizeof *tokens);
    assert_true(weft_model_tokenize(tokens, &count, t, text, WEFT_MODEL_TEXT, 0));
    assert_true(weft_model_detokenize(NULL, &size, t, tokens, count, flags));
    char *out = arena_alloc(&f->arena, size + 1);
    assert_true(weft_model_detokenize(out, &size, t, tokens, count, flags));
    out[size] = 0;
    return out;
}

static void test_texts_come_back(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *s = spm(f), *b = bpe(f, "llama-bpe"), *w = wpm(f);
    static const char *const texts[] = {"", "ab c", " ab", "  x\n", "日本 🚀", "a</s>b", "'s , !"};
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        assert_string_equal(there_and_back(f, s, texts[i], WEFT_MODEL_DETOKENIZE_STRIP), texts[i]);
        assert_string_equal(there_and_back(f, b, texts[i], WEFT_MODEL_DETOKENIZE_STRIP), texts[i]);
    }
    assert_string_equal(there_and_back(f, s, "ab", 0), " ab");
    assert_string_equal(there_and_back(f, s, "ab", WEFT_MODEL_DETOKENIZE_SPECIAL), "<s> ab");
    assert_string_equal(there_and_back(f, w, "Hello, world!", WEFT_MODEL_DETOKENIZE_STRIP
                                                                  | WEFT_MODEL_DETOKENIZE_CLEAN),
                        "hello, world!");
    weft_model_tokenizer_release(s);
    weft_model_tokenizer_release(b);
    weft_model_tokenizer_release(w);
}

static void test_a_decoder_gives_whole_characters(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *t = spm(f);
    weft_model_decoder   *d = weft_model_decoder_create(f->ctx, t, 0);
    /* The bytes of a rocket, U+1F680; a stray byte; the start of a character. */
    static const struct { uint8_t byte; const char *want; } cases[] = {
        {0xf0, ""}, {0x9f, ""}, {0x9a, ""}, {0x80, "🚀"}, {'a', "a"}, {0x80, "\xef\xbf\xbd"},
        {0xe0, ""}, {0x80, "\xef\xbf\xbd\xef\xbf\xbd"}, {0xc3, ""}, {'b', "\xef\xbf\xbd" "b"},
        {0xf5, "\xef\xbf\xbd"}, {0xed, ""}, {0xa0, "\xef\xbf\xbd\xef\xbf\xbd"}, {0xe2, ""},
    };
    const char *text;
    size_t      size;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_true(weft_model_decoder_push(&text, &size, d, 3 + cases[i].byte));
        assert_int_equal(size, strlen(cases[i].want));
        assert_memory_equal(text, cases[i].want, size);
    }
    assert_true(weft_model_decoder_finish(&text, &size, d));
    assert_string_equal(text, "\xef\xbf\xbd");
    assert_true(weft_model_decoder_finish(&text, &size, d));
    assert_int_equal(size, 0);
    assert_true(weft_model_decoder_push(&text, &size, d, 2));       /* </s> prints nothing */
    assert_int_equal(size, 0);
    assert_false(weft_model_decoder_push(&text, &size, d, 100000));
    expect_error(f, WEFT_ERROR_INVALID, "100000");
    weft_model_decoder_release(d);
    weft_model_tokenizer_release(t);
}

/* ---- wrong vocabularies, wrong arguments ---- */

static void expect_refused(Fixture *f, const Build *b, weft_error_kind kind, const char *part)
{
    assert_null(vocab_tokenizer(f->ctx, b));
    expect_error(f, kind, part);
}

static void test_wrong_vocabularies_are_refused(void **state)
{
    Fixture *f = *state;
    Build    b = {.arena = &f->arena};
    vocab_bpe(&b, "no-such-thing");
    expect_refused(f, &b, WEFT_ERROR_UNSUPPORTED, "'no-such-thing'");
    b = (Build){.arena = &f->arena};
    build_header(&b, 3, 0, 0);
    expect_refused(f, &b, WEFT_ERROR_FORMAT, "tokenizer.ggml.model");
    b = (Build){.arena = &f->arena};
    build_header(&b, 3, 0, 1);
    build_text(&b, "tokenizer.ggml.model", "t5");
    expect_refused(f, &b, WEFT_ERROR_UNSUPPORTED, "'t5'");
    b = (Build){.arena = &f->arena};
    build_header(&b, 3, 0, 1);
    build_text(&b, "tokenizer.ggml.model", "llama");
    expect_refused(f, &b, WEFT_ERROR_FORMAT, "tokenizer.ggml.tokens");
    b = (Build){.arena = &f->arena};
    build_header(&b, 3, 0, 3);
    build_text(&b, "tokenizer.ggml.model", "llama");
    build_texts(&b, "tokenizer.ggml.tokens", (const char *const[]){"a", "b"}, 2);
    build_floats(&b, "tokenizer.ggml.scores", (const float[]){1}, 1);
    expect_refused(f, &b, WEFT_ERROR_FORMAT, "tokenizer.ggml.scores");
    b = (Build){.arena = &f->arena};
    build_header(&b, 3, 0, 2);
    build_text(&b, "tokenizer.ggml.model", "gpt2");
    build_texts(&b, "tokenizer.ggml.tokens", (const char *const[]){"a", "b"}, 2);
    expect_refused(f, &b, WEFT_ERROR_FORMAT, "tokenizer.ggml.merges");
}

static void test_too_little_room_is_told(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *t = spm(f);
    weft_token            tokens[2];
    size_t                count = 2;
    assert_false(weft_model_tokenize(tokens, &count, t, "abcx", 4, 0));
    assert_int_equal(count, 4);
    expect_error(f, WEFT_ERROR_INVALID, "room for 2");
    char   text[2];
    size_t size = 2;
    assert_false(weft_model_detokenize(text, &size, t, (const weft_token[]){268, 261}, 2, 0));
    assert_int_equal(size, 4);
    expect_error(f, WEFT_ERROR_INVALID, "room for 2");
    assert_false(weft_model_detokenize(text, &size, t, (const weft_token[]){-1}, 1, 0));
    expect_error(f, WEFT_ERROR_INVALID, "token -1");
    assert_false(weft_model_tokenize(tokens, &count, NULL, "a", 1, 0));
    assert_int_equal(weft_model_token_find(t, "ab", WEFT_MODEL_TEXT), 264);
    assert_int_equal(weft_model_token_find(t, "zz", 2), WEFT_TOKEN_NONE);
    weft_model_tokenizer_release(t);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 50 };

typedef struct Worker {
    const weft_model_tokenizer *t;
    weft_token tokens[64];
    size_t     count;
} Worker;

static void *work(void *context)
{
    Worker *w = context;
    for (int i = 0; i < ROUNDS; i++) {
        w->count = COUNTOF(w->tokens);
        if (!weft_model_tokenize(w->tokens, &w->count, w->t, "hello world hell 123 héllo", 27, 0))
            w->count = 0;
    }
    return NULL;
}

static void test_threads_share_a_tokenizer(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *t = bpe(f, "gpt-2");
    pthread_t             threads[THREADS];
    Worker                workers[THREADS] = {{0}};
    for (int i = 0; i < THREADS; i++) {
        workers[i].t = t;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_true(workers[i].count > 0);
        assert_int_equal(workers[i].count, workers[0].count);
        assert_memory_equal(workers[i].tokens, workers[0].tokens,
                            workers[0].count * sizeof(weft_token));
    }
    weft_model_tokenizer_release(t);
}

static void test_ends_of_generation_are_known(void **state)
{
    Fixture              *f = *state;
    weft_model_tokenizer *t = bpe(f, NULL), *s = spm(f);
    weft_model_token_info info;
    assert_true(weft_model_token_info_get(&info, t, weft_model_token_find(t, "<|end|>", 7)));
    assert_true(info.ends && info.kind == WEFT_MODEL_TOKEN_CONTROL);
    assert_true(weft_model_token_info_get(&info, s, 2));
    assert_true(info.ends);
    assert_true(weft_model_token_info_get(&info, s, 1));
    assert_false(info.ends);
    weft_model_tokenizer_info about;
    assert_true(weft_model_tokenizer_info_get(&about, t));
    assert_string_equal(about.pre, "default");
    assert_int_equal(about.eot, weft_model_token_find(t, "<|end|>", 7));
    weft_model_tokenizer_release(t);
    weft_model_tokenizer_release(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spm_merges_by_score),
        cmocka_unit_test(test_special_tokens_are_parsed_only_on_request),
        cmocka_unit_test(test_bpe_merges_in_the_order_of_the_list),
        cmocka_unit_test(test_invalid_utf8_becomes_replacement_characters),
        cmocka_unit_test(test_texts_are_cut_into_words),
        cmocka_unit_test(test_every_listed_pre_tokenizer_is_known),
        cmocka_unit_test(test_wordpiece_takes_the_longest),
        cmocka_unit_test(test_texts_come_back),
        cmocka_unit_test(test_a_decoder_gives_whole_characters),
        cmocka_unit_test(test_wrong_vocabularies_are_refused),
        cmocka_unit_test(test_too_little_room_is_told),
        cmocka_unit_test(test_ends_of_generation_are_known),
        cmocka_unit_test(test_threads_share_a_tokenizer),
    };
    return cmocka_run_group_tests_name("tokenizer", tests, setup, teardown);
}
