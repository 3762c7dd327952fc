// SPDX-License-Identifier: Apache-2.0
/*
 * text_test.c - UTF-8, and texts that grow.
 */
#include "support/test.h"

#include "base/text.h"
#include "base/utf8.h"

static void test_utf8_decodes_every_code_point(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char bytes[4];
        uint32_t n, got = 0;
        if (c < 0x80) {
            n = 1;
            bytes[0] = (char)c;
        } else if (c < 0x800) {
            n = 2;
            bytes[0] = (char)(0xc0 | c >> 6);
        } else if (c < 0x10000) {
            n = 3;
            bytes[0] = (char)(0xe0 | c >> 12);
        } else {
            n = 4;
            bytes[0] = (char)(0xf0 | c >> 18);
        }
        for (uint32_t i = 1; i < n; i++)
            bytes[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
        bool surrogate = c >= 0xd800 && c < 0xe000;
        assert_int_equal(utf8_decode((Str){bytes, n}, 0, &got), surrogate ? 0 : n);
        if (!surrogate)
            assert_int_equal(got, c);
        if (n > 1)
            assert_int_equal(utf8_decode((Str){bytes, n - 1}, 0, &got), 0);
    }
}

static void test_utf8_rejects(void **state)
{
    (void)state;
    static const struct { const char *bytes, *why; } cases[] = {
        {"\x80",             "a continuation alone"},
        {"\xc0\x80",         "overlong NUL"},
        {"\xc1\xbf",         "overlong, two bytes"},
        {"\xe0\x9f\xbf",     "overlong, three bytes"},
        {"\xf0\x8f\xbf\xbf", "overlong, four bytes"},
        {"\xf4\x90\x80\x80", "above U+10FFFF"},
        {"\xf5\x80\x80\x80", "no such lead byte"},
        {"\xff",             "no such byte"},
        {"\xe2\x28\xa1",     "a continuation that is none"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        uint32_t c;
        if (utf8_decode(str_of(cases[i].bytes), 0, &c) != 0)
            fail_msg("accepted: %s", cases[i].why);
    }
}

static void test_a_text_grows(void **state)
{
    (void)state;
    Arena a;
    Text t = {.arena = &a};
    arena_init(&a, 0);
    for (int i = 0; i < 1000; i++)
        text_printf(&t, "%03d,", i);
    text_char(&t, '!');
    text_add(&t, STR(""));
    assert_int_equal(t.len, 4001);
    assert_int_equal(t.data[4001], '\0');
    assert_memory_equal(t.data, "000,001,", 8);
    assert_memory_equal(t.data + 3992, "998,999,!", 9);
    arena_fini(&a);
}

static void test_json(void **state)
{
    (void)state;
    static const struct { Str in; const char *out; } cases[] = {
        {STR(""),                     "\"\""},
        {STR("plain"),                "\"plain\""},
        {STR("\"\\/"),                "\"\\\"\\\\/\""},
        {STR("a\nb\tc\rd"),           "\"a\\nb\\u0009c\\u000dd\""},
        {STR("\0\x1f\x7f"),           "\"\\u0000\\u001f\\u007f\""},
        {STR("\xc3\xa4\xf0\x9f\x99\x82"), "\"\xc3\xa4\xf0\x9f\x99\x82\""},
        {STR("a\xff" "b\xc3"),        "\"a\\ufffdb\\ufffd\""},
    };
    Arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Text t = {.arena = &a};
        text_json(&t, cases[i].in);
        assert_string_equal(t.data, cases[i].out);
    }
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8_decodes_every_code_point),
        cmocka_unit_test(test_utf8_rejects),
        cmocka_unit_test(test_a_text_grows),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
