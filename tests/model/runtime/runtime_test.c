/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_test.c - sessions: batches, sequences, trimming, copies, files, errors.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tiny.h"

typedef struct Fixture {
    Arena               arena;
    Build               file;
    weft_context       *ctx;
    weft_model         *model;
    weft_model_session *s;
} Fixture;

static void begin_with(Fixture *f, const weft_model_session_desc *d, uint32_t threads)
{
    *f = (Fixture){0};
    arena_init(&f->arena, 0);
    tiny_build(&f->file, &f->arena, WEFT_GGUF_TYPE_Q8_0, false, 5);
    f->ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu", .threads = threads});
    f->model = weft_model_create(f->ctx, &(weft_model_desc){
        .data = f->file.bytes.data, .size = f->file.bytes.len, .name = "tiny"});
    f->s = weft_model_session_create(f->model, d);
    if (!f->s)
        fail_msg("%s", weft_context_error(f->ctx)->message);
}

static void begin(Fixture *f)
{
    begin_with(f, &(weft_model_session_desc){.sequences = 3, .context = 32, .batch = 8}, 0);
}

static void end(Fixture *f)
{
    weft_model_session_release(f->s);
    weft_model_release(f->model);
    weft_context_release(f->ctx);
    arena_fini(&f->arena);
}

/* The logits after the last of these tokens. */
static void decode(float *out, Fixture *f, uint32_t sequence, const weft_token *tokens, size_t n)
{
    uint32_t sequences[64];
    size_t   rows = 1;
    for (size_t i = 0; i < n; i++)
        sequences[i] = sequence;
    if (!weft_model_session_decode(out, &rows, f->s, &(weft_model_batch){
            .tokens = tokens, .count = n, .sequences = sequences}))
        fail_msg("%s", weft_context_error(f->ctx)->message);
    assert_int_equal(rows, 1);
}

static void assert_same(const float *x, const float *y)
{
    double e = tiny_nmse(x, y, TINY_VOCABULARY);
    if (!(e < 1e-6))
        fail_msg("logits differ by %g", e);
}

static const weft_token text[] = {1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45};

static void test_sequences_do_not_see_each_other(void **state)
{
    Fixture f;
    float   alone[TINY_VOCABULARY], together[3 * TINY_VOCABULARY];
    (void)state;
    begin(&f);
    decode(alone, &f, 0, text, 6);
    weft_model_session_clear(f.s);
    const weft_token mixed[] = {1, 7, 5, 11, 9, 3, 13, 2, 17, 4, 21, 6};
    uint32_t sequences[12];
    for (int i = 0; i < 12; i++)
        sequences[i] = i % 2;
    size_t rows = 3;
    assert_true(weft_model_session_decode(together, &rows, f.s, &(weft_model_batch){
        .tokens = mixed, .count = 12, .sequences = sequences}));
    assert_int_equal(rows, 2);
    assert_int_equal(weft_model_session_length(f.s, 0), 6);
    bool first = tiny_nmse(together, alone, TINY_VOCABULARY) < 1e-6;
    bool second = tiny_nmse(together + TINY_VOCABULARY, alone, TINY_VOCABULARY) < 1e-6;
    assert_true(first != second);
    end(&f);
}

static void test_trim_and_continue(void **state)
{
    Fixture f;
    float   x[TINY_VOCABULARY], y[TINY_VOCABULARY];
    (void)state;
    begin(&f);
    decode(x, &f, 0, text, 8);
    decode(y, &f, 0, text + 8, 3);
    assert_true(weft_model_session_trim(f.s, 0, 7, UINT32_MAX));
    assert_int_equal(weft_model_session_length(f.s, 0), 7);
    decode(y, &f, 0, text + 7, 1);
    assert_same(y, x);
    end(&f);
}

static void test_holes_are_not_seen(void **state)
{
    Fixture f;
    float   x[TINY_VOCABULARY], y[TINY_VOCABULARY];
    const weft_token without[] = {1, 5, 9, 25, 29};
    const uint32_t   positions[] = {0, 1, 2, 6, 7};
    size_t           rows = 1;
    (void)state;
    begin(&f);
    assert_true(weft_model_session_decode(x, &rows, f.s, &(weft_model_batch){
        .tokens = without, .count = 5, .positions = positions}));
    weft_model_session_clear(f.s);
    decode(y, &f, 0, text, 6);
    assert_true(weft_model_session_trim(f.s, 0, 3, 6));
    rows = 1;
    assert_true(weft_model_session_decode(y, &rows, f.s, &(weft_model_batch){
        .tokens = without + 3, .count = 2, .positions = positions + 3}));
    assert_same(y, x);
    end(&f);
}

static void test_copies_go_on_alone(void **state)
{
    Fixture f;
    float   x[TINY_VOCABULARY], y[TINY_VOCABULARY];
    (void)state;
    for (int i = WEFT_MODEL_CACHE_F32; i <= WEFT_MODEL_CACHE_Q8_0; i++) {
        begin_with(&f, &(weft_model_session_desc){
            .sequences = 3, .context = 32, .batch = 8, .cache = (weft_model_cache)i}, 0);
        decode(x, &f, 0, text, 5);
        assert_true(weft_model_session_copy(f.s, 2, 0));
        decode(x, &f, 0, text + 5, 1);
        decode(y, &f, 2, text + 5, 1);
        assert_same(y, x);
        end(&f);
    }
}

static void check_files(weft_model_cache cache)
{
    Fixture f;
    float   x[TINY_VOCABULARY], y[TINY_VOCABULARY];
    char    path[] = "/tmp/weft-session-XXXXXX";
    int     fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    begin_with(&f, &(weft_model_session_desc){
        .sequences = 3, .context = 32, .batch = 8, .cache = cache}, 0);
    decode(x, &f, 0, text, 6);
    decode(x, &f, 1, text + 3, 4);
    assert_true(weft_model_session_save(f.s, path));
    decode(x, &f, 0, text + 6, 1);
    weft_model_session_clear(f.s);
    assert_true(weft_model_session_load(f.s, path));
    assert_int_equal(weft_model_session_length(f.s, 1), 4);
    decode(y, &f, 0, text + 6, 1);
    assert_same(y, x);

    assert_int_equal(truncate(path, 100), 0);
    assert_false(weft_model_session_load(f.s, path));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_FORMAT);
    weft_context_error_clear(f.ctx);
    assert_int_equal(weft_model_session_length(f.s, 0), 7);

    weft_model_session *other = weft_model_session_create(f.model, &(weft_model_session_desc){
        .sequences = 3, .context = 32,
        .cache = cache == WEFT_MODEL_CACHE_F32 ? WEFT_MODEL_CACHE_F16 : WEFT_MODEL_CACHE_F32});
    assert_true(weft_model_session_save(f.s, path));
    assert_false(weft_model_session_load(other, path));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f.ctx);
    weft_model_session_release(other);
    remove(path);
    end(&f);
}

static void test_files(void **state)
{
    (void)state;
    for (int i = WEFT_MODEL_CACHE_F32; i <= WEFT_MODEL_CACHE_Q8_0; i++)
        check_files((weft_model_cache)i);
}

static void expect_error(Fixture *f, weft_error_kind kind, const weft_model_batch *b)
{
    uint32_t before = weft_model_session_length(f->s, 0);
    assert_false(weft_model_session_decode(NULL, NULL, f->s, b));
    assert_int_equal(weft_context_error(f->ctx)->kind, kind);
    weft_context_error_clear(f->ctx);
    assert_int_equal(weft_model_session_length(f->s, 0), before);
}

static void test_wrong_batches(void **state)
{
    Fixture f;
    float   x[TINY_VOCABULARY], y[TINY_VOCABULARY];
    const weft_token bad[] = {1, TINY_VOCABULARY}, negative[] = {-1};
    const uint32_t   sequence[] = {3}, back[] = {1};
    weft_token       many[40] = {0};
    (void)state;
    begin(&f);
    decode(x, &f, 0, text, 4);
    expect_error(&f, WEFT_ERROR_INVALID, &(weft_model_batch){.tokens = bad, .count = 2});
    expect_error(&f, WEFT_ERROR_INVALID, &(weft_model_batch){.tokens = negative, .count = 1});
    expect_error(&f, WEFT_ERROR_INVALID, &(weft_model_batch){
        .tokens = text, .count = 1, .sequences = sequence});
    expect_error(&f, WEFT_ERROR_INVALID, &(weft_model_batch){
        .tokens = text, .count = 1, .positions = back});
    expect_error(&f, WEFT_ERROR_MEMORY, &(weft_model_batch){.tokens = many, .count = 40});
    expect_error(&f, WEFT_ERROR_INVALID, NULL);
    decode(x, &f, 0, text + 4, 1);
    weft_model_session_clear(f.s);
    decode(y, &f, 0, text, 5);
    assert_same(y, x);
    end(&f);
}

static void test_threads_do_not_change_results(void **state)
{
    Fixture f;
    float   x[TINY_VOCABULARY], y[TINY_VOCABULARY];
    (void)state;
    begin_with(&f, NULL, 1);
    decode(x, &f, 0, text, 12);
    end(&f);
    begin_with(&f, NULL, 4);
    decode(y, &f, 0, text, 12);
    end(&f);
    assert_memory_equal(x, y, sizeof x);
}

static void test_files_that_are_no_models(void **state)
{
    Fixture f;
    (void)state;
    begin(&f);
    for (size_t cut = 0; cut < f.file.bytes.len; cut += f.file.bytes.len / 37 + 1) {
        assert_null(weft_model_create(f.ctx, &(weft_model_desc){
            .data = f.file.bytes.data, .size = cut}));
        assert_int_not_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_NONE);
        weft_context_error_clear(f.ctx);
    }
    assert_null(weft_model_create(f.ctx, &(weft_model_desc){
        .data = f.file.bytes.data, .size = f.file.bytes.len, .architecture = "nonsense"}));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_UNSUPPORTED);
    weft_context_error_clear(f.ctx);
    assert_null(weft_model_create(f.ctx, &(weft_model_desc){
        .data = f.file.bytes.data, .size = f.file.bytes.len, .memory_limit = 1000}));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_MEMORY);
    weft_context_error_clear(f.ctx);
    end(&f);
}

static bool stop_at_half(void *user, uint64_t done, uint64_t total)
{
    ++*(int *)user;
    return done < total / 2;
}

static void test_loading_can_be_cancelled(void **state)
{
    Fixture f;
    int     calls = 0;
    (void)state;
    begin(&f);
    assert_null(weft_model_create(f.ctx, &(weft_model_desc){
        .data = f.file.bytes.data, .size = f.file.bytes.len, .progress = stop_at_half,
        .user = &calls}));
    assert_true(calls > 1);
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_CANCELLED);
    weft_context_error_clear(f.ctx);
    end(&f);
}

static void test_estimates(void **state)
{
    Fixture f;
    weft_model_memory e;
    weft_model_info   info;
    (void)state;
    begin(&f);
    assert_true(weft_model_estimate(&e, f.ctx, weft_model_file(f.model), NULL, NULL));
    assert_true(weft_model_info_get(&info, f.model));
    assert_int_equal(e.weights, info.weight_bytes);
    assert_int_equal(e.total, e.weights + e.cache + e.scratch);
    assert_true(weft_model_is_available(f.ctx, weft_model_file(f.model)));
    assert_int_equal(info.layers, TINY_LAYERS);
    assert_string_equal(info.name, "tiny");
    end(&f);
}

/* Logits after tokens at every `step`th position. */
static void decode_steps(float *out, const weft_model_session_desc *d, uint32_t step)
{
    Fixture  f;
    uint32_t positions[6];
    size_t   rows = 1;
    for (uint32_t i = 0; i < 6; i++)
        positions[i] = i * step;
    begin_with(&f, d, 0);
    assert_true(weft_model_session_decode(out, &rows, f.s, &(weft_model_batch){
        .tokens = text, .count = 6, .positions = positions}));
    end(&f);
}

static void test_rotations_can_be_scaled(void **state)
{
    float plain[TINY_VOCABULARY], x[TINY_VOCABULARY];
    weft_model_session_desc d = {.context = 32};
    (void)state;
    decode_steps(plain, &d, 1);
    decode_steps(x, &d, 2);
    assert_true(tiny_nmse(x, plain, TINY_VOCABULARY) > 1e-5);
    d.rope_scaling = WEFT_MODEL_SCALING_LINEAR;
    d.rope_factor = 2;
    decode_steps(x, &d, 2);
    assert_same(x, plain);
    d = (weft_model_session_desc){.context = 32, .rope_base = 100};
    decode_steps(x, &d, 1);
    assert_true(tiny_nmse(x, plain, TINY_VOCABULARY) > 1e-5);
}

/* Sizes whose products exceed 32 bits, or any memory. */
static void test_sizes_of_sessions(void **state)
{
    static const struct { weft_model_session_desc d; weft_error_kind kind; } cases[] = {
        {{.batch = UINT32_MAX, .context = UINT32_MAX}, WEFT_ERROR_INVALID},
        {{.batch = 4097, .context = 8192}, WEFT_ERROR_INVALID},
        {{.context = UINT32_MAX}, WEFT_ERROR_MEMORY},
        {{.context = 1u << 31, .sequences = 1024}, WEFT_ERROR_MEMORY},
        {{.sequences = 1025}, WEFT_ERROR_INVALID},
        {{.rope_base = -1}, WEFT_ERROR_INVALID},
    };
    Fixture f;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_null(weft_model_session_create(f.model, &cases[i].d));
        assert_int_equal(weft_context_error(f.ctx)->kind, cases[i].kind);
        weft_context_error_clear(f.ctx);
    }
    weft_model_session *s = weft_model_session_create(f.model, &(weft_model_session_desc){
        .batch = UINT32_MAX, .context = 32});
    weft_model_session_desc d;
    assert_true(weft_model_session_desc_get(&d, s));
    assert_int_equal(d.batch, 32);
    weft_model_session_release(s);
    end(&f);
}

/* NULL after an error of the kind "format". */
static weft_model *model_of(weft_context *ctx, const Build *file)
{
    weft_model *m = weft_model_create(ctx, &(weft_model_desc){
        .data = file->bytes.data, .size = file->bytes.len});
    if (!m) {
        assert_int_equal(weft_context_error(ctx)->kind, WEFT_ERROR_FORMAT);
        weft_context_error_clear(ctx);
    }
    return m;
}

static void scaled_logits(float *out, weft_context *ctx, float scale)
{
    Arena  arena;
    Build  file;
    size_t rows = 1;
    arena_init(&arena, 0);
    tiny_build_scaled(&file, &arena, scale);
    weft_model         *m = model_of(ctx, &file);
    weft_model_session *s = weft_model_session_create(m, NULL);
    assert_true(weft_model_session_decode(out, &rows, s, &(weft_model_batch){
        .tokens = text, .count = 4}));
    weft_model_session_release(s);
    weft_model_release(m);
    arena_fini(&arena);
}

static void test_scales_of_matrices(void **state)
{
    static const float damaged[] = {NAN, INFINITY, -INFINITY};
    float once[TINY_VOCABULARY], twice[TINY_VOCABULARY];
    weft_context *ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    (void)state;
    scaled_logits(once, ctx, 1);
    scaled_logits(twice, ctx, 2);
    for (int i = 0; i < TINY_VOCABULARY; i++)
        once[i] *= 2;
    assert_same(twice, once);
    for (size_t i = 0; i < COUNTOF(damaged); i++) {
        Arena arena;
        Build file;
        arena_init(&arena, 0);
        tiny_build_scaled(&file, &arena, damaged[i]);
        assert_null(model_of(ctx, &file));
        arena_fini(&arena);
    }
    weft_context_release(ctx);
}

/* A file without tensors is refused for its numbers, or for what is missing. */
static void test_numbers_that_make_no_model(void **state)
{
    static const struct { const char *key; float value; } damaged[] = {
        {"llama.attention.layer_norm_rms_epsilon", -1},
        {"llama.attention.layer_norm_rms_epsilon", NAN},
        {"llama.rope.freq_base", 0}, {"llama.rope.freq_base", INFINITY},
        {"llama.rope.scaling.factor", NAN}, {"llama.rope.scaling.factor", -2},
        {"llama.context_length", NAN},
    };
    weft_context *ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    (void)state;
    for (size_t i = 0; i < COUNTOF(damaged); i++) {
        Arena arena;
        Build b = {.arena = &arena};
        arena_init(&arena, 0);
        build_header(&b, 3, 1, 6);
        build_text(&b, "general.architecture", "llama");
        build_number(&b, "llama.embedding_length", 32);
        build_number(&b, "llama.block_count", 1);
        build_number(&b, "llama.attention.head_count", 2);
        build_number(&b, "llama.feed_forward_length", 32);
        build_string(&b, damaged[i].key);
        build_u32(&b, 6);               /* an f32 */
        build_bytes(&b, &damaged[i].value, sizeof damaged[i].value);
        build_tensor(&b, "token_embd.weight", 32, WEFT_GGUF_TYPE_F32, 0);
        build_pad(&b, 32);
        build_bytes(&b, (float[32]){0}, sizeof(float[32]));
        assert_null(weft_model_create(ctx, &(weft_model_desc){
            .data = b.bytes.data, .size = b.bytes.len}));
        assert_int_equal(weft_context_error(ctx)->kind, WEFT_ERROR_FORMAT);
        if (!strstr(weft_context_error(ctx)->message, damaged[i].key))
            fail_msg("%s: %s", damaged[i].key, weft_context_error(ctx)->message);
        weft_context_error_clear(ctx);
        arena_fini(&arena);
    }
    weft_context_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences_do_not_see_each_other),
        cmocka_unit_test(test_trim_and_continue),
        cmocka_unit_test(test_holes_are_not_seen),
        cmocka_unit_test(test_copies_go_on_alone),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_wrong_batches),
        cmocka_unit_test(test_threads_do_not_change_results),
        cmocka_unit_test(test_files_that_are_no_models),
        cmocka_unit_test(test_loading_can_be_cancelled),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_rotations_can_be_scaled),
        cmocka_unit_test(test_sizes_of_sessions),
        cmocka_unit_test(test_scales_of_matrices),
        cmocka_unit_test(test_numbers_that_make_no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
