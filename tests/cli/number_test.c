// SPDX-License-Identifier: Apache-2.0
/*
 * number_test.c - scalars as text and as bytes.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/number.h"

static void test_texts_are_numbers_or_say_why_not(void **state)
{
    (void)state;
    static const struct { const char *text; weft_scalar scalar; NumberFault fault; double want; }
    rows[] = {
        {"0", WEFT_SCALAR_U32, NUMBER_OK, 0},
        {"4294967295", WEFT_SCALAR_U32, NUMBER_OK, 4294967295.0},
        {"4294967296", WEFT_SCALAR_U32, NUMBER_OUT_OF_RANGE, 0},
        {"-1", WEFT_SCALAR_U32, NUMBER_OUT_OF_RANGE, 0},
        {"0xff", WEFT_SCALAR_U32, NUMBER_OK, 255},
        {"1e3", WEFT_SCALAR_U32, NUMBER_OK, 1000},
        {"1.5", WEFT_SCALAR_U32, NUMBER_NOT_WHOLE, 0},
        {"nan", WEFT_SCALAR_U32, NUMBER_NOT_WHOLE, 0},
        {"inf", WEFT_SCALAR_U32, NUMBER_OUT_OF_RANGE, 0},
        {"-2147483648", WEFT_SCALAR_I32, NUMBER_OK, -2147483648.0},
        {"-2147483649", WEFT_SCALAR_I32, NUMBER_OUT_OF_RANGE, 0},
        {"2147483648", WEFT_SCALAR_I32, NUMBER_OUT_OF_RANGE, 0},
        {"0.1", WEFT_SCALAR_F32, NUMBER_OK, (double)0.1f},
        {"-.5", WEFT_SCALAR_F32, NUMBER_OK, -0.5},
        {"+1", WEFT_SCALAR_F32, NUMBER_OK, 1},
        {"1e39", WEFT_SCALAR_F32, NUMBER_OUT_OF_RANGE, 0},
        {"1e999", WEFT_SCALAR_F32, NUMBER_OUT_OF_RANGE, 0},
        {"340282346638528859811704183484516925440", WEFT_SCALAR_F32, NUMBER_OK, 0x1.fffffep127},
        {"340282356779733661637539395458142568448", WEFT_SCALAR_F32, NUMBER_OUT_OF_RANGE, 0},
        {"1e-60", WEFT_SCALAR_F32, NUMBER_OK, 0},
        {"inf", WEFT_SCALAR_F32, NUMBER_OK, (double)INFINITY},
        {"-inf", WEFT_SCALAR_F32, NUMBER_OK, -(double)INFINITY},
        /* Half way between two floats but for a digit far behind: reading it as a
         * double first would lose that digit. */
        {"1.00000005960464477539062500000001", WEFT_SCALAR_F32, NUMBER_OK, 0x1.000002p0},
        {"65504", WEFT_SCALAR_F16, NUMBER_OK, 65504},
        {"65519", WEFT_SCALAR_F16, NUMBER_OK, 65504},
        {"65520", WEFT_SCALAR_F16, NUMBER_OUT_OF_RANGE, 0},
        {"0.1", WEFT_SCALAR_F16, NUMBER_OK, 0x1.998p-4},
        {"", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {"x", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {"1x", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {" 1", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {"1 ", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {"--1", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {"in", WEFT_SCALAR_F32, NUMBER_NOT_ONE, 0},
        {"1111111111111111111111111111111111111111111111111111111111111111", WEFT_SCALAR_F32,
         NUMBER_NOT_ONE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double      got = 0;
        NumberFault fault = number_parse(str_of(rows[i].text), rows[i].scalar, &got);
        if (fault != rows[i].fault || (fault == NUMBER_OK && got != rows[i].want))
            fail_msg("%s: fault %d, %.17g", rows[i].text, fault, got);
    }
    double got = 0;
    assert_int_equal(number_parse(STR("nan"), WEFT_SCALAR_F32, &got), NUMBER_OK);
    assert_true(isnan(got));
    assert_int_equal(number_parse((Str){"1\0", 2}, WEFT_SCALAR_F32, &got), NUMBER_NOT_ONE);
}

static void test_every_half_reads_back(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        double value = half_to_double((uint16_t)h);
        if (isnan(value))
            assert_true(isnan(half_to_double(half_from_double(value))));
        else
            assert_int_equal(half_from_double(value), h);
    }
}

static void test_halves_round_to_nearest_even(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x7bff; h++) {
        double low = half_to_double((uint16_t)h), high = half_to_double((uint16_t)(h + 1));
        double middle = (low + high) / 2;
        assert_int_equal(half_from_double(middle), h + (h & 1));
        assert_int_equal(half_from_double(nextafter(middle, 0)), h);
        assert_int_equal(half_from_double(nextafter(middle, high)), h + 1);
        assert_int_equal(half_from_double(-middle), 0x8000 | (h + (h & 1)));
    }
    assert_int_equal(half_from_double(1e300), 0x7c00);
    assert_int_equal(half_from_double(1e-300), 0);
}

static uint32_t scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static void test_what_is_printed_reads_back(void **state)
{
    (void)state;
    static const weft_scalar scalars[] = {WEFT_SCALAR_I32, WEFT_SCALAR_U32, WEFT_SCALAR_F32,
                                          WEFT_SCALAR_F16};
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    for (uint32_t i = 0; i < 20000; i++) {
        weft_scalar scalar = scalars[i % 4];
        uint32_t    bits = i < 100 ? i : scramble(i), again = 0;
        double      value = scalar_load((const uint8_t *)&bits, scalar), read;
        text.len = 0;
        number_print(&text, scalar, value);
        assert_int_equal(number_parse((Str){text.data, (uint32_t)text.len}, scalar, &read),
                         NUMBER_OK);
        if (isnan(value)) {
            assert_true(isnan(read));
            continue;
        }
        scalar_store((uint8_t *)&again, scalar, read);
        assert_memory_equal(&again, &bits, scalar_size(scalar));
    }
    arena_fini(&arena);
}

static void test_short_numbers_are_printed_short(void **state)
{
    (void)state;
    static const struct { double value; weft_scalar scalar; const char *want; } rows[] = {
        {(double)0.1f, WEFT_SCALAR_F32, "0.1"},
        {1, WEFT_SCALAR_F32, "1"},
        {16777216, WEFT_SCALAR_F32, "16777216"},
        {(double)1e20f, WEFT_SCALAR_F32, "1e+20"},
        {(double)(1.0f / 3), WEFT_SCALAR_F32, "0.33333334"},
        {-0.0, WEFT_SCALAR_F32, "-0"},
        {0x1.998p-4, WEFT_SCALAR_F16, "0.1"},
        {4294967295.0, WEFT_SCALAR_U32, "4294967295"},
        {-2147483648.0, WEFT_SCALAR_I32, "-2147483648"},
    };
    Arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text text = {.arena = &arena};
        number_print(&text, rows[i].scalar, rows[i].value);
        assert_string_equal(text.data, rows[i].want);
    }
    Text json = {.arena = &arena};
    number_json(&json, WEFT_SCALAR_F32, -(double)INFINITY);
    number_json(&json, WEFT_SCALAR_F32, 2.5);
    assert_string_equal(json.data, "\"-inf\"2.5");
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_are_numbers_or_say_why_not),
        cmocka_unit_test(test_every_half_reads_back),
        cmocka_unit_test(test_halves_round_to_nearest_even),
        cmocka_unit_test(test_what_is_printed_reads_back),
        cmocka_unit_test(test_short_numbers_are_printed_short),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
