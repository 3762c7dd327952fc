/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage_test.c - layers over several devices, the self-test, and the way back to the CPU device.
 *
 * With WEFT_TEST_BACKEND=vulkan one of the devices is a Vulkan driver's.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "model/runtime/stage.h"
#include "tiny.h"

static const weft_token text[] = {1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45};

typedef struct Fixture {
    Arena         arena;
    Build         file;
    weft_context *ctx, *other;
} Fixture;

static void begin(Fixture *f)
{
    const char *backend = getenv("WEFT_TEST_BACKEND");
    arena_init(&f->arena, 0);
    tiny_build(&f->file, &f->arena, WEFT_GGUF_TYPE_Q4_0, false, 5);
    f->ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    f->other = weft_context_create(&(weft_context_desc){.adapter = backend ? backend : "cpu"});
    assert_int_equal(weft_context_error(f->other)->kind, WEFT_ERROR_NONE);
}

static void end(Fixture *f)
{
    weft_context_release(f->other);
    weft_context_release(f->ctx);
    arena_fini(&f->arena);
}

static weft_model *load(Fixture *f, weft_context *ctx, weft_model_desc d)
{
    d.data = f->file.bytes.data;
    d.size = f->file.bytes.len;
    d.name = "tiny";
    return weft_model_create(ctx, &d);
}

static void decode(float *out, weft_context *ctx, weft_model *m)
{
    size_t rows = 1;
    weft_model_session *s = weft_model_session_create(m, &(weft_model_session_desc){
        .context = 32, .batch = 8});
    if (!s || !weft_model_session_decode(out, &rows, s, &(weft_model_batch){
                  .tokens = text, .count = COUNTOF(text)}))
        fail_msg("%s", weft_context_error(ctx)->message);
    weft_model_session_release(s);
}

static void expect_same(Fixture *f, weft_model *m, const float *want)
{
    float x[TINY_VOCABULARY];
    if (!m)
        fail_msg("%s", weft_context_error(f->ctx)->message);
    decode(x, f->ctx, m);
    double e = tiny_nmse(x, want, TINY_VOCABULARY);
    if (!(e < 1e-6))
        fail_msg("%g", e);
}

static void test_layers_over_devices(void **state)
{
    static const float shares[][3] = {{1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {0, 0, 1}};
    Fixture f;
    float   want[TINY_VOCABULARY];
    (void)state;
    begin(&f);
    weft_model *alone = load(&f, f.ctx, (weft_model_desc){0});
    decode(want, f.ctx, alone);
    weft_context *more[] = {f.other, f.ctx};
    for (size_t i = 0; i < COUNTOF(shares); i++) {
        weft_model *m = load(&f, f.ctx, (weft_model_desc){
            .devices = more, .device_count = 2, .shares = shares[i]});
        expect_same(&f, m, want);
        weft_model_info info;
        assert_true(weft_model_info_get(&info, m));
        assert_non_null(strstr(info.device, ", "));
        weft_model_release(m);
    }
    weft_model *measured = load(&f, f.ctx, (weft_model_desc){.devices = more, .device_count = 1});
    expect_same(&f, measured, want);
    assert_int_equal(measured->stages[1].end, TINY_LAYERS);
    weft_model_release(measured);
    weft_model_release(alone);
    end(&f);
}

/* A device with room for one layer gets one, whatever its share is. */
static void test_memory_limits_shares(void **state)
{
    Fixture f;
    Arena   arena;
    Params  p;
    Sizes   sizes;
    const float shares[] = {0, 1};
    (void)state;
    begin(&f);
    arena_init(&arena, 0);
    weft_gguf *file = weft_gguf_create(f.ctx, &(weft_gguf_desc){
        .data = f.file.bytes.data, .size = f.file.bytes.len});
    assert_true(params_read(&p, f.ctx, file, NULL));
    assert_true(stages_measure(&sizes, f.ctx, &arena, file, &p));
    weft_context *small = weft_context_create(&(weft_context_desc){
        .adapter = "cpu", .memory_budget = sizes.layers[0] * 3 / 2});
    weft_model *m = load(&f, f.ctx, (weft_model_desc){
        .devices = &small, .device_count = 1, .shares = shares, .no_self_test = true});
    assert_non_null(m);
    assert_int_equal(m->stages[0].end, TINY_LAYERS - 1);
    weft_model_release(m);
    assert_null(load(&f, small, (weft_model_desc){.devices = &small, .device_count = 1}));
    assert_int_equal(weft_context_error(small)->kind, WEFT_ERROR_MEMORY);
    weft_context_release(small);
    weft_gguf_release(file);
    arena_fini(&arena);
    end(&f);
}

static void test_wrong_shares(void **state)
{
    const float zero[] = {0, 0}, negative[] = {1, -1};
    Fixture f;
    (void)state;
    begin(&f);
    assert_null(load(&f, f.ctx, (weft_model_desc){
        .devices = &f.other, .device_count = 1, .shares = zero}));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f.ctx);
    assert_null(load(&f, f.ctx, (weft_model_desc){
        .devices = &f.other, .device_count = 1, .shares = negative}));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f.ctx);
    end(&f);
}

static void test_self_test_finds_wrong_products(void **state)
{
    Fixture  f;
    uint32_t words[64];
    (void)state;
    begin(&f);
    weft_model *m = load(&f, f.ctx, (weft_model_desc){0});
    assert_non_null(m);
    assert_true(selftest_run(m));
    memset(words, 0x5a, sizeof words);
    assert_true(weft_buffer_write(m->weights.layers[0].down.parts[0].weights, 0, words,
                                  sizeof words));
    assert_false(selftest_run(m));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_INTERNAL);
    assert_non_null(strstr(weft_context_error(f.ctx)->message, "blk.0.ffn_down.weight"));
    weft_context_error_clear(f.ctx);
    weft_model_release(m);
    end(&f);
}

/* A device without room for the model: the CPU device takes it, and says why. */
static void test_fallback(void **state)
{
    Fixture f;
    float   want[TINY_VOCABULARY], found[TINY_VOCABULARY];
    weft_model_info info;
    const char *backend = getenv("WEFT_TEST_BACKEND");
    (void)state;
    if (!backend || strcmp(backend, "cpu") == 0)
        skip();
    begin(&f);
    weft_model *m = load(&f, f.ctx, (weft_model_desc){0});
    decode(want, f.ctx, m);
    weft_model_release(m);
    weft_context *small = weft_context_create(&(weft_context_desc){
        .adapter = backend, .memory_budget = 100000});
    m = load(&f, small, (weft_model_desc){0});
    if (!m)
        fail_msg("%s", weft_context_error(small)->message);
    assert_true(weft_model_info_get(&info, m));
    assert_non_null(strstr(info.fallback, "budget"));
    decode(found, small, m);
    assert_memory_equal(found, want, sizeof want);
    weft_model_release(m);
    assert_null(load(&f, small, (weft_model_desc){.no_fallback = true}));
    assert_int_equal(weft_context_error(small)->kind, WEFT_ERROR_MEMORY);
    weft_context_release(small);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_over_devices),
        cmocka_unit_test(test_memory_limits_shares),
        cmocka_unit_test(test_wrong_shares),
        cmocka_unit_test(test_self_test_finds_wrong_products),
        cmocka_unit_test(test_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
