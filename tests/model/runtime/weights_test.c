/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights_test.c - weights of every type, also mixed, give the logits of the same weights in F32.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "tiny.h"

enum { TOKENS = 19 };                   /* whole tiles of each size, and a part  */

static const weft_gguf_type types[] = {
    WEFT_GGUF_TYPE_F32, WEFT_GGUF_TYPE_F16, WEFT_GGUF_TYPE_BF16, WEFT_GGUF_TYPE_Q4_0,
    WEFT_GGUF_TYPE_Q4_1, WEFT_GGUF_TYPE_Q5_0, WEFT_GGUF_TYPE_Q5_1, WEFT_GGUF_TYPE_Q8_0,
    WEFT_GGUF_TYPE_Q2_K, WEFT_GGUF_TYPE_Q3_K, WEFT_GGUF_TYPE_Q4_K, WEFT_GGUF_TYPE_Q5_K,
    WEFT_GGUF_TYPE_Q6_K, WEFT_GGUF_TYPE_IQ4_NL, WEFT_GGUF_TYPE_IQ4_XS, WEFT_GGUF_TYPE_IQ2_XXS,
    WEFT_GGUF_TYPE_MXFP4,
};

/* Logits of TOKENS tokens, all at once, then one by one, which may differ by `alone`. */
static void run(float *out, weft_context *ctx, const Build *file, weft_model_precision precision,
                double alone)
{
    weft_token tokens[TOKENS];
    bool       outputs[TOKENS];
    size_t     rows = TOKENS;
    for (int i = 0; i < TOKENS; i++) {
        tokens[i] = (i * 7 + 3) % TINY_VOCABULARY;
        outputs[i] = true;
    }
    weft_model *m = weft_model_create(ctx, &(weft_model_desc){
        .data = file->bytes.data, .size = file->bytes.len, .activations = precision});
    weft_model_session *s = weft_model_session_create(m, &(weft_model_session_desc){
        .cache = WEFT_MODEL_CACHE_F32});
    if (!s)
        fail_msg("%s", weft_context_error(ctx)->message);
    assert_true(weft_model_session_decode(out, &rows, s, &(weft_model_batch){
        .tokens = tokens, .count = TOKENS, .outputs = outputs}));
    assert_int_equal(rows, TOKENS);
    weft_model_session_clear(s);
    for (int i = 0; i < TOKENS; i++) {
        float one[TINY_VOCABULARY];
        rows = 1;
        assert_true(weft_model_session_decode(one, &rows, s, &(weft_model_batch){
            .tokens = &tokens[i], .count = 1}));
        double e = tiny_nmse(one, out + i * TINY_VOCABULARY, TINY_VOCABULARY);
        if (!(e < alone))
            fail_msg("token %d alone differs by %g", i, e);
    }
    weft_model_session_release(s);
    weft_model_release(m);
}

static void check_types(weft_gguf_type type, weft_gguf_type other, weft_model_precision precision,
                        double most)
{
    static float x[TOKENS * TINY_VOCABULARY], y[TOKENS * TINY_VOCABULARY];
    Arena arena;
    Build packed, plain;
    arena_init(&arena, 0);
    tiny_build_mixed(&packed, &arena, type, other, false, (uint32_t)type + 1);
    tiny_build_mixed(&plain, &arena, type, other, true, (uint32_t)type + 1);
    weft_context *ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    /* Sums of floats have another order; a last bit more or less can round to another byte. */
    bool rounds = precision == WEFT_MODEL_PRECISION_INT8 && type != other;
    run(x, ctx, &packed, precision, rounds ? 1e-3 : 1e-9);
    run(y, ctx, &plain, WEFT_MODEL_PRECISION_F32, 1e-9);
    double e = tiny_nmse(x, y, TOKENS * TINY_VOCABULARY);
    if (!(e <= most))
        fail_msg("%s, %s: %g", weft_gguf_type_name(type), weft_gguf_type_name(other), e);
    weft_context_release(ctx);
    arena_fini(&arena);
}

static void test_f32_activations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(types); i++)
        check_types(types[i], types[i], WEFT_MODEL_PRECISION_F32, 1e-4);
}

static void test_int8_activations(void **state)
{
    (void)state;
    for (size_t i = 3; i < COUNTOF(types); i++)
        check_types(types[i], types[i], WEFT_MODEL_PRECISION_INT8, 2e-2);
}

/* Queries and values, or gate and up, of different types are one product. */
static void test_mixed_types(void **state)
{
    static const weft_gguf_type pairs[][2] = {
        {WEFT_GGUF_TYPE_Q4_K, WEFT_GGUF_TYPE_Q6_K}, {WEFT_GGUF_TYPE_Q4_0, WEFT_GGUF_TYPE_F16},
        {WEFT_GGUF_TYPE_F16, WEFT_GGUF_TYPE_Q8_0}, {WEFT_GGUF_TYPE_Q5_1, WEFT_GGUF_TYPE_F32},
        {WEFT_GGUF_TYPE_BF16, WEFT_GGUF_TYPE_F32},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        check_types(pairs[i][0], pairs[i][1], WEFT_MODEL_PRECISION_F32, 1e-4);
        check_types(pairs[i][0], pairs[i][1], WEFT_MODEL_PRECISION_INT8, 2e-2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32_activations),
        cmocka_unit_test(test_int8_activations),
        cmocka_unit_test(test_mixed_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
