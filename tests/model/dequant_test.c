// SPDX-License-Identifier: Apache-2.0
/*
 * dequant_test.c - blocks as f32.
 *
 * The sums are of what ggml's own readers give for the same random blocks, bit by bit; a
 * few values are worked out by hand.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/model.h>

#include "base/macro.h"

enum { BLOCKS = 64 };

static uint32_t add_to_sum(uint32_t sum, float value)
{
    uint32_t bits = 0x7fc00000;                 /* any NaN is this one */
    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++)
        sum = (sum ^ (bits >> (8 * i) & 255)) * 16777619u;
    return sum;
}

static void test_random_blocks_are_read_as_ggml_reads_them(void **state)
{
    (void)state;
    static const struct { weft_gguf_type type; uint32_t sum; } cases[] = {
        {WEFT_GGUF_TYPE_F16, 0x333cbeb7},
        {WEFT_GGUF_TYPE_Q4_0, 0xfbd4578e},
        {WEFT_GGUF_TYPE_Q4_1, 0x4fede8b8},
        {WEFT_GGUF_TYPE_Q5_0, 0x3e2beb5a},
        {WEFT_GGUF_TYPE_Q5_1, 0x773b2b52},
        {WEFT_GGUF_TYPE_Q8_0, 0x2b0d8a9e},
        {WEFT_GGUF_TYPE_Q2_K, 0x3400c5c2},
        {WEFT_GGUF_TYPE_Q3_K, 0x745983a0},
        {WEFT_GGUF_TYPE_Q4_K, 0x7a81a58e},
        {WEFT_GGUF_TYPE_Q5_K, 0x9a439318},
        {WEFT_GGUF_TYPE_Q6_K, 0x57d691ef},
        {WEFT_GGUF_TYPE_IQ2_XXS, 0x2f96584f},
        {WEFT_GGUF_TYPE_IQ4_NL, 0xa0b6dc6d},
        {WEFT_GGUF_TYPE_IQ4_XS, 0x7e322aac},
        {WEFT_GGUF_TYPE_BF16, 0xdf849883},
        {WEFT_GGUF_TYPE_MXFP4, 0xa1cbda9c},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        uint32_t elements = weft_gguf_type_elements(cases[i].type), sum = 2166136261u, x = 1;
        size_t   size = (size_t)BLOCKS * weft_gguf_type_bytes(cases[i].type);
        uint8_t *blocks = malloc(size);
        float   *out = malloc((size_t)BLOCKS * elements * sizeof *out);
        for (size_t k = 0; k < size; k++) {
            x = x * 1664525 + 1013904223;
            blocks[k] = (uint8_t)(x >> 24);
        }
        assert_true(weft_gguf_dequantize(out, blocks, cases[i].type, BLOCKS * elements));
        for (uint32_t k = 0; k < BLOCKS * elements; k++)
            sum = add_to_sum(sum, out[k]);
        assert_int_equal(sum, cases[i].sum);
        free(blocks);
        free(out);
    }
}

static void test_plain_numbers(void **state)
{
    (void)state;
    float out[2];
    assert_true(weft_gguf_dequantize(out, (const uint16_t[]){0x3c00, 0xc000},
                                     WEFT_GGUF_TYPE_F16, 2));
    assert_true(out[0] == 1.0f && out[1] == -2.0f);
    assert_true(weft_gguf_dequantize(out, (const uint16_t[]){0x0001, 0x8001},
                                     WEFT_GGUF_TYPE_F16, 2));
    assert_true(out[0] == 0x1p-24f && out[1] == -0x1p-24f);
    assert_true(weft_gguf_dequantize(out, (const uint16_t[]){0x7c00, 0x7bff},
                                     WEFT_GGUF_TYPE_F16, 2));
    assert_true(isinf(out[0]) && out[1] == 65504.0f);
    assert_true(weft_gguf_dequantize(out, (const uint16_t[]){0x3f80, 0xc0a0},
                                     WEFT_GGUF_TYPE_BF16, 2));
    assert_true(out[0] == 1.0f && out[1] == -5.0f);
    assert_true(weft_gguf_dequantize(out, (const float[]){0.25f, -3}, WEFT_GGUF_TYPE_F32, 2));
    assert_true(out[0] == 0.25f && out[1] == -3.0f);
    assert_true(weft_gguf_dequantize(out, (const double[]){0.5, -7}, WEFT_GGUF_TYPE_F64, 2));
    assert_true(out[0] == 0.5f && out[1] == -7.0f);
    assert_true(weft_gguf_dequantize(out, (const int8_t[]){-128, 127}, WEFT_GGUF_TYPE_I8, 2));
    assert_true(out[0] == -128.0f && out[1] == 127.0f);
    assert_true(weft_gguf_dequantize(out, (const int16_t[]){-2, 300}, WEFT_GGUF_TYPE_I16, 2));
    assert_true(out[0] == -2.0f && out[1] == 300.0f);
    assert_true(weft_gguf_dequantize(out, (const int32_t[]){-2, 70000}, WEFT_GGUF_TYPE_I32, 2));
    assert_true(out[0] == -2.0f && out[1] == 70000.0f);
    assert_true(weft_gguf_dequantize(out, (const int64_t[]){-2, 1 << 24}, WEFT_GGUF_TYPE_I64, 2));
    assert_true(out[0] == -2.0f && out[1] == 16777216.0f);
}

static void test_types_have_names_and_sizes(void **state)
{
    (void)state;
    assert_string_equal(weft_gguf_type_name(WEFT_GGUF_TYPE_Q4_K), "Q4_K");
    assert_int_equal(weft_gguf_type_elements(WEFT_GGUF_TYPE_Q4_K), 256);
    assert_int_equal(weft_gguf_type_bytes(WEFT_GGUF_TYPE_Q4_K), 144);
    assert_null(weft_gguf_type_name((weft_gguf_type)4));
    assert_int_equal(weft_gguf_type_elements((weft_gguf_type)31), 0);
    assert_null(weft_gguf_type_name((weft_gguf_type)-1));
    assert_false(weft_gguf_type_readable(WEFT_GGUF_TYPE_IQ1_S));
    float out[256];
    static const uint8_t zeros[256];
    assert_false(weft_gguf_dequantize(out, zeros, WEFT_GGUF_TYPE_IQ1_S, 256));
    assert_false(weft_gguf_dequantize(out, zeros, WEFT_GGUF_TYPE_Q4_K, 128));
    assert_true(weft_gguf_dequantize(out, zeros, WEFT_GGUF_TYPE_Q4_K, 256));
    assert_true(out[255] == 0.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks_are_read_as_ggml_reads_them),
        cmocka_unit_test(test_plain_numbers),
        cmocka_unit_test(test_types_have_names_and_sizes),
    };
    return cmocka_run_group_tests_name("dequant", tests, NULL, NULL);
}
