/* SPDX-License-Identifier: Apache-2.0 */
/*
 * published_test.c - models give the logits and texts that other programs give.
 *
 * The folder is ../shared/data/llm beside the source tree; without it the test is skipped. On a
 * Vulkan driver with WEFT_TEST_BACKEND=vulkan.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/model.h>

#include "base/macro.h"

#define DATA WEFT_TEST_DIR "/../../../../shared/data/llm/"

static weft_context *open_context(void)
{
    const char *backend = getenv("WEFT_TEST_BACKEND");
    if (access(DATA "archs", R_OK) != 0)
        skip();
    return weft_context_create(&(weft_context_desc){.adapter = backend ? backend : "cpu"});
}

static weft_model_session *open_session(weft_context *ctx, const char *file, uint32_t context)
{
    char path[512];
    snprintf(path, sizeof path, DATA "%s", file);
    weft_model *m = weft_model_create(ctx, &(weft_model_desc){
        .path = path, .activations = WEFT_MODEL_PRECISION_F32});
    weft_model_session *s = weft_model_session_create(m, &(weft_model_session_desc){
        .cache = WEFT_MODEL_CACHE_F32, .context = context});
    if (!s)
        fail_msg("%s: %s", file, weft_context_error(ctx)->message);
    weft_model_release(m);
    return s;
}

static float *read_floats(const char *file, size_t count)
{
    char path[512];
    snprintf(path, sizeof path, DATA "%s", file);
    FILE  *f = fopen(path, "rb");
    float *x = malloc(count * sizeof *x);
    assert_non_null(f);
    assert_non_null(x);
    assert_int_equal(fread(x, sizeof *x, count, f), count);
    fclose(f);
    return x;
}

static void check_logits(weft_model_session *s, const char *file, const weft_token *tokens,
                         size_t vocabulary)
{
    enum { ROWS = 16 };
    bool   outputs[ROWS];
    size_t rows = ROWS;
    float *want = read_floats(file, ROWS * vocabulary);
    float *found = malloc(ROWS * vocabulary * sizeof *found);
    memset(outputs, 1, sizeof outputs);
    assert_true(weft_model_session_decode(found, &rows, s, &(weft_model_batch){
        .tokens = tokens, .count = ROWS, .outputs = outputs}));
    double difference = 0, all = 0;
    for (size_t i = 0; i < ROWS * vocabulary; i++) {
        difference += ((double)found[i] - want[i]) * ((double)found[i] - want[i]);
        all += (double)want[i] * want[i];
    }
    if (!(difference / all <= 1e-6))
        fail_msg("%s: %g", file, difference / all);
    free(want);
    free(found);
}

static void test_architectures(void **state)
{
    static const char *const names[] = {"qwen2", "qwen3", "gemma2", "phi3", "gpt2"};
    weft_context *ctx = open_context();
    weft_token tokens[16];
    (void)state;
    for (int i = 0; i < 16; i++)
        tokens[i] = (7 * i + 3) % 128;
    for (size_t i = 0; i < COUNTOF(names); i++) {
        char file[64], logits[64];
        snprintf(file, sizeof file, "archs/%s-f16.gguf", names[i]);
        snprintf(logits, sizeof logits, "archs/%s-f16.logits.f32", names[i]);
        /* phi3 has other rotations beyond the context it was first trained for */
        weft_model_session *s = open_session(ctx, file, strcmp(names[i], "phi3") ? 128 : 256);
        check_logits(s, logits, tokens, 128);
        weft_model_session_release(s);
    }
    weft_context_release(ctx);
}

static void test_stories_logits(void **state)
{
    weft_context *ctx = open_context();
    weft_token    tokens[16];
    FILE *f = fopen(DATA "expected/stories260K.greedy.tokens.txt", "r");
    (void)state;
    assert_non_null(f);
    for (int i = 0; i < 16; i++)
        assert_int_equal(fscanf(f, "%d", &tokens[i]), 1);
    fclose(f);
    weft_model_session *s = open_session(ctx, "stories260K-f32.gguf", 256);
    check_logits(s, "expected/stories260K.greedy.logits_pos0-15.f32", tokens, 512);
    weft_model_session_release(s);
    weft_context_release(ctx);
}

/* Greedy text, as another program wrote it. */
static void test_stories_text(void **state)
{
    weft_context *ctx = open_context();
    char          want[4096] = "";
    FILE *f = fopen(DATA "expected/llama.cpp.stories260K-f32.greedy.n120.txt", "r");
    (void)state;
    assert_non_null(f);
    want[fread(want, 1, sizeof want - 1, f)] = '\0';
    fclose(f);
    char *begins = strstr(want, "Once upon a time");
    assert_non_null(begins);
    weft_model_session *s = open_session(ctx, "stories260K-f32.gguf", 256);
    weft_model_answer   a = {0};
    assert_true(weft_model_session_generate(&a, s, "Once upon a time", &(weft_model_generate_desc){
        .max_tokens = 100, .sampling = {.temperature = WEFT_MODEL_OFF}}));
    assert_int_equal(a.stop, WEFT_MODEL_STOP_LENGTH);
    assert_int_equal(a.tokens, 100);
    assert_memory_equal(a.text, begins + strlen("Once upon a time"), a.size);
    uint32_t prompt = a.prompt_tokens;
    weft_model_answer_fini(&a);

    /* The same again: the prompt is in the cache. */
    assert_true(weft_model_session_generate(&a, s, "Once upon a time", &(weft_model_generate_desc){
        .max_tokens = 5, .sampling = {.temperature = WEFT_MODEL_OFF}}));
    assert_int_equal(a.reused_tokens, prompt - 1);
    weft_model_answer_fini(&a);

    const char *stop[] = {"girl"};
    assert_true(weft_model_session_generate(&a, s, "Once upon a time", &(weft_model_generate_desc){
        .stop = stop, .stop_count = 1, .sampling = {.temperature = WEFT_MODEL_OFF}}));
    assert_int_equal(a.stop, WEFT_MODEL_STOP_TEXT);
    assert_string_equal(a.text, ", there was a little ");
    weft_model_answer_fini(&a);
    weft_model_session_release(s);
    weft_context_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_stories_logits),
        cmocka_unit_test(test_stories_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
