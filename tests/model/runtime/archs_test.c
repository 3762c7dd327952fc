/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archs_test.c - models of every architecture against a plain implementation in f64.
 *
 * Each is computed in one batch, in batches that cut the text, and token by token, in f32; with
 * a layer left out the reference must differ by much, so that a skipped layer cannot pass.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "archs.h"
#include "tiny.h"

enum { TOKENS = 13 };

static const weft_token text[TOKENS] = {3, 10, 17, 24, 31, 38, 5, 12, 19, 26, 33, 0, 7};

static weft_context *open_context(void)
{
    const char *backend = getenv("WEFT_TEST_BACKEND");
    return weft_context_create(&(weft_context_desc){.adapter = backend ? backend : "cpu"});
}

static void decode(float *out, weft_context *ctx, weft_model_session *s, uint32_t at_once)
{
    bool outputs[TOKENS];
    memset(outputs, 1, sizeof outputs);
    weft_model_session_clear(s);
    for (uint32_t i = 0; i < TOKENS; i += at_once) {
        size_t rows = at_once < TOKENS - i ? at_once : TOKENS - i;
        if (!weft_model_session_decode(out + i * ARCHS_VOCABULARY, &rows, s, &(weft_model_batch){
                .tokens = text + i, .count = rows, .outputs = outputs}))
            fail_msg("%s", weft_context_error(ctx)->message);
    }
}

static weft_model_session *session(weft_model *m, weft_model_cache cache)
{
    weft_model_session *s = weft_model_session_create(m, &(weft_model_session_desc){
        .cache = cache, .batch = 16});
    if (!s)
        fail_msg("no session");
    return s;
}

static void expect(const ArchCase *c, const char *what, const float *found, const float *want,
                   size_t n, double most)
{
    double e = tiny_nmse(found, want, n);
    if (!(e <= most))
        fail_msg("%s, %s: %g", c->label, what, e);
}

static void check_generating(const ArchCase *c, weft_context *ctx, weft_model *m, const float *want)
{
    enum { N = TOKENS * ARCHS_VOCABULARY };
    float found[N];
    weft_model_session *s = session(m, WEFT_MODEL_CACHE_F32);
    decode(found, ctx, s, TOKENS);
    expect(c, "one batch", found, want, N, 1e-9);
    decode(found, ctx, s, 5);
    expect(c, "batches of 5", found, want, N, 1e-9);
    decode(found, ctx, s, 1);
    expect(c, "one by one", found, want, N, 1e-9);
    weft_model_session_release(s);
    s = session(m, WEFT_MODEL_CACHE_F16);
    decode(found, ctx, s, 4);
    expect(c, "f16 cache", found, want, N, 1e-5);
    weft_model_session_release(s);
    s = session(m, WEFT_MODEL_CACHE_Q8_0);
    decode(found, ctx, s, 4);
    expect(c, "q8_0 cache", found, want, N, 2e-3);
    weft_model_session_release(s);
}

/* bert has no vocabulary here: embedding by text is tested elsewhere. */
static void check_embedding(const ArchCase *c, weft_model *m, const float *want)
{
    weft_model_session *s = session(m, WEFT_MODEL_CACHE_F32);
    float found[TOKENS * ARCHS_EMBEDDING];
    assert_true(weft_model_session_encode(found, s, text, TOKENS));
    expect(c, "hidden states", found, want, TOKENS * ARCHS_EMBEDDING, 1e-9);
    weft_model_session_release(s);
}

static void check_case(weft_context *ctx, const ArchCase *c)
{
    static float want[TOKENS * ARCHS_EMBEDDING], skipped[TOKENS * ARCHS_EMBEDDING];
    Arena arena;
    Build file;
    arena_init(&arena, 0);
    archs_build(&file, &arena, c, 11);
    weft_model *m = weft_model_create(ctx, &(weft_model_desc){
        .data = file.bytes.data, .size = file.bytes.len,
        .activations = WEFT_MODEL_PRECISION_F32});
    if (!m)
        fail_msg("%s: %s", c->label, weft_context_error(ctx)->message);
    bool bert = strcmp(c->arch, "bert") == 0;
    archs_reference(want, weft_model_file(m), text, TOKENS, UINT32_MAX);
    archs_reference(skipped, weft_model_file(m), text, TOKENS, c->layers - 1);
    double e = tiny_nmse(skipped, want, TOKENS * (bert ? ARCHS_EMBEDDING : ARCHS_VOCABULARY));
    if (!(e > 1e-3))
        fail_msg("%s: without the last layer only %g", c->label, e);
    if (bert)
        check_embedding(c, m, want);
    else
        check_generating(c, ctx, m, want);
    weft_model_release(m);
    arena_fini(&arena);
}

static void test_architectures(void **state)
{
    weft_context *ctx = open_context();
    (void)state;
    for (size_t i = 0; i < arch_case_count; i++)
        check_case(ctx, &arch_cases[i]);
    weft_context_release(ctx);
}

/* The logits after the last of `count` tokens that end at position LONG - 1. */
static void decode_end(float *out, weft_model *m, uint32_t count)
{
    enum { LONG = 2200 };
    weft_token tokens[LONG];
    uint32_t   positions[LONG];
    size_t     rows = 1;
    for (uint32_t i = 0; i < count; i++) {
        positions[i] = LONG - count + i;
        tokens[i] = (weft_token)(positions[i] * 7 % ARCHS_VOCABULARY);
    }
    weft_model_session *s = weft_model_session_create(m, &(weft_model_session_desc){
        .cache = WEFT_MODEL_CACHE_F32, .context = count == LONG ? LONG : 64});
    assert_true(weft_model_session_decode(out, &rows, s, &(weft_model_batch){
        .tokens = tokens, .count = count, .positions = positions}));
    weft_model_session_release(s);
}

/* With windows in all layers the last token depends on few others, however long the text is. */
static void test_windows_of_long_texts(void **state)
{
    static const ArchCase c = {"phi3", "phi3", 3, 0, 0};
    float  whole[ARCHS_VOCABULARY], end[ARCHS_VOCABULARY], less[ARCHS_VOCABULARY];
    Arena  arena;
    Build  file;
    weft_context *ctx = open_context();
    (void)state;
    arena_init(&arena, 0);
    archs_build(&file, &arena, &c, 11);
    weft_model *m = weft_model_create(ctx, &(weft_model_desc){
        .data = file.bytes.data, .size = file.bytes.len,
        .activations = WEFT_MODEL_PRECISION_F32});
    decode_end(whole, m, 2200);
    decode_end(end, m, 40);
    decode_end(less, m, 3);
    expect(&c, "the end of a long text", end, whole, ARCHS_VOCABULARY, 1e-9);
    assert_true(tiny_nmse(less, whole, ARCHS_VOCABULARY) > 1e-6);
    weft_model_release(m);
    weft_context_release(ctx);
    arena_fini(&arena);
}

static void test_every_architecture_has_a_case(void **state)
{
    (void)state;
    for (uint32_t i = 0; weft_model_architecture(i); i++) {
        const char *name = weft_model_architecture(i);
        bool found = strcmp(name, "mistral") == 0;     /* llama by another name */
        for (size_t k = 0; k < arch_case_count; k++)
            found = found || strcmp(arch_cases[k].arch, name) == 0;
        if (!found)
            fail_msg("%s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_windows_of_long_texts),
        cmocka_unit_test(test_every_architecture_has_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
