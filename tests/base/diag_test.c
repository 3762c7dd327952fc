// SPDX-License-Identifier: Apache-2.0
/*
 * diag_test.c - diagnostics, and places in the source.
 */
#include "support/test.h"

#include <ctype.h>

#include "base/diag.h"

static int setup(void **state)
{
    static Arena arena;
    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int teardown(void **state)
{
    arena_fini(*state);
    return 0;
}

/* ---- the list ---- */

static void test_a_diagnostic_is_kept_with_its_notes(void **state)
{
    Diag d = {.arena = *state};
    Diagnostic *x = diag_add(&d, DIAG_unexpected_token, (Span){3, 5}, "no '%s'", "fn");
    for (uint32_t i = 0; i < 20; i++)
        diag_note(&d, x, (Span){i, i + 1}, "note %u", i);
    assert_int_equal(d.list.len, 1);
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.list.data[0].severity, SEVERITY_ERROR);
    assert_string_equal(d.list.data[0].message, "no 'fn'");
    assert_int_equal(d.list.data[0].notes.len, 20);
    assert_string_equal(d.list.data[0].notes.data[19].message, "note 19");
}

static void test_the_same_trouble_is_said_once(void **state)
{
    Diag d = {.arena = *state};
    diag_add(&d, DIAG_unexpected_token, (Span){3, 5}, "first");
    Diagnostic *again = diag_add(&d, DIAG_unexpected_token, (Span){3, 5}, "again");
    diag_note(&d, again, (Span){0, 1}, "goes nowhere");
    diag_add(&d, DIAG_unexpected_token, (Span){3, 6}, "elsewhere");
    assert_int_equal(d.list.len, 2);
    assert_int_equal(d.errors, 2);
    assert_int_equal(d.list.data[0].notes.len, 0);
}

static void test_severities(void **state)
{
    Diag d = {.arena = *state};
    diag_add_as(&d, SEVERITY_OFF, DIAG_unexpected_token, (Span){0, 1}, "off");
    diag_add_as(&d, SEVERITY_WARNING, DIAG_unexpected_token, (Span){1, 2}, "warning");
    assert_int_equal(d.list.len, 1);
    assert_int_equal(d.errors, 0);
    assert_string_equal(severity_name(d.list.data[0].severity), "warning");
}

static void test_past_the_limit_only_the_count_goes_on(void **state)
{
    Diag d = {.arena = *state, .limit = 3};
    for (uint32_t i = 0; i < 10; i++)
        diag_note(&d, diag_add(&d, DIAG_unexpected_token, (Span){i, i + 1}, "%u", i),
                  (Span){0, 1}, "note");
    assert_int_equal(d.list.len, 4);
    assert_int_equal(d.list.data[3].id, DIAG_too_many_diagnostics);
    assert_true(d.errors >= 10);
}

static void test_a_long_message_is_cut_between_characters(void **state)
{
    for (size_t shift = 0; shift < 4; shift++) {
        Diag d = {.arena = *state};
        char name[8002];
        memset(name, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\xe2\x82\xac", 4);        /* the euro sign */
        diag_add(&d, DIAG_unexpected_token, (Span){0, 1}, "%s", name);
        const char *message = d.list.data[0].message;
        size_t len = strlen(message);
        assert_in_range(len, 1000, 2000);
        assert_string_equal(message + len - 3, "...");
        assert_int_equal((len - 3 - shift) % 3, 0);
    }
}

static void test_every_id_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    for (int id = 0; id < DIAG_ID_COUNT; id++) {
        const char *name = diag_id_name((DiagId)id);
        const char *sentence = diag_id_sentence((DiagId)id);
        assert_non_null(name);
        for (const char *p = name; *p; p++)
            assert_true(islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_');
        assert_true(isupper((unsigned char)sentence[0]) || sentence[0] == '\'');
        assert_int_equal(sentence[strlen(sentence) - 1], '.');
        for (int other = 0; other < id; other++)
            assert_string_not_equal(name, diag_id_name((DiagId)other));
    }
}

/* ---- places ---- */

static void test_places(void **state)
{
    /* a, e-acute, a smiling face (two UTF-16 units), then every line break */
    static const char text[] = "a\xc3\xa9\xf0\x9f\x99\x82z\nb\r\nc\rd\ve\ff\xc2\x85"
                               "g\xe2\x80\xa8h\xe2\x80\xa9i";
    static const struct { char at; uint32_t line, column, offset16; } cases[] = {
        {'a', 1, 1, 0},  {'z', 1, 5, 4},  {'b', 2, 1, 6},  {'c', 3, 1, 9},
        {'d', 4, 1, 11}, {'e', 5, 1, 13}, {'f', 6, 1, 15}, {'g', 7, 1, 17},
        {'h', 8, 1, 19}, {'i', 9, 1, 21},
    };
    LineTable t;
    line_table_init(&t, *state, STR(text));
    assert_int_equal(t.count, 9);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        uint32_t at = (uint32_t)(strchr(text, cases[i].at) - text);
        Place p = line_table_place(&t, (Span){at, at + 1});
        assert_int_equal(p.line, cases[i].line);
        assert_int_equal(p.column, cases[i].column);
        assert_int_equal(p.end_line, cases[i].line);
        assert_int_equal(p.end_column, cases[i].column + 1);
        assert_int_equal(p.offset16, cases[i].offset16);
        assert_int_equal(p.length16, 1);
    }
}

static void test_a_place_over_lines(void **state)
{
    LineTable t;
    line_table_init(&t, *state, STR("ab\ncd\nef"));
    Place p = line_table_place(&t, (Span){1, 7});
    assert_int_equal(p.line, 1);
    assert_int_equal(p.column, 2);
    assert_int_equal(p.end_line, 3);
    assert_int_equal(p.end_column, 2);
    assert_int_equal(p.length16, 6);
}

static void test_the_end_of_the_text_is_a_place(void **state)
{
    static const struct { const char *text; uint32_t line, column; } cases[] = {
        {"", 1, 1}, {"ab", 1, 3}, {"ab\n", 2, 1}, {"\r\n", 2, 1},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        LineTable t;
        Str text = str_of(cases[i].text);
        line_table_init(&t, *state, text);
        Place p = line_table_place(&t, (Span){text.len, text.len});
        assert_int_equal(p.line, cases[i].line);
        assert_int_equal(p.column, cases[i].column);
        assert_int_equal(p.length16, 0);
    }
}

static void test_lines_come_without_their_break(void **state)
{
    LineTable t;
    line_table_init(&t, *state, STR("one\r\ntwo\xe2\x80\xa9\n four"));
    assert_int_equal(t.count, 4);
    assert_true(str_eq(line_table_text(&t, 1), STR("one")));
    assert_true(str_eq(line_table_text(&t, 2), STR("two")));
    assert_true(str_eq(line_table_text(&t, 3), STR("")));
    assert_true(str_eq(line_table_text(&t, 4), STR(" four")));
}

static void test_text_that_is_not_utf8_has_places_too(void **state)
{
    LineTable t;
    line_table_init(&t, *state, STR("\xff\xc3\n\xe2\x80"));
    assert_int_equal(t.count, 2);
    Place p = line_table_place(&t, (Span){3, 5});
    assert_int_equal(p.line, 2);
    assert_int_equal(p.column, 1);
    assert_int_equal(p.length16, 2);
}

/* Seven bytes, four UTF-16 units: a, e acute, U+1F600. Every way of meeting the
 * marks of the table in the middle of a character occurs. */
static void test_places_in_a_line_of_any_length(void **state)
{
    enum { REPEATS = 3000 };
    char *text = arena_alloc(*state, 7 * REPEATS + 3);
    text[0] = '\n';
    for (int i = 0; i < REPEATS; i++)
        memcpy(text + 1 + 7 * i, "a\xc3\xa9\xf0\x9f\x98\x80", 7);
    memcpy(text + 1 + 7 * REPEATS, "\nz", 2);
    LineTable t;
    line_table_init(&t, *state, (Str){text, 7 * REPEATS + 3});
    assert_int_equal(t.count, 3);
    for (uint32_t i = 0; i < REPEATS; i++) {
        Place p = line_table_place(&t, (Span){1 + 7 * i + 1, 1 + 7 * i + 7});
        assert_int_equal(p.line, 2);
        assert_int_equal(p.column, 4 * i + 2);
        assert_int_equal(p.offset16, 4 * i + 2);
        assert_int_equal(p.length16, 3);
    }
    assert_int_equal(line_table_text(&t, 1).len, 0);
    assert_int_equal(line_table_text(&t, 2).len, 7 * REPEATS);
    Place last = line_table_place(&t, (Span){7 * REPEATS + 2, 7 * REPEATS + 3});
    assert_int_equal(last.line, 3);
    assert_int_equal(last.column, 1);
    assert_int_equal(last.offset16, 4 * REPEATS + 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_a_diagnostic_is_kept_with_its_notes),
        TEST(test_the_same_trouble_is_said_once),
        TEST(test_severities),
        TEST(test_past_the_limit_only_the_count_goes_on),
        TEST(test_a_long_message_is_cut_between_characters),
        TEST(test_every_id_has_a_name_and_a_sentence),
        TEST(test_places),
        TEST(test_a_place_over_lines),
        TEST(test_the_end_of_the_text_is_a_place),
        TEST(test_lines_come_without_their_break),
        TEST(test_text_that_is_not_utf8_has_places_too),
        TEST(test_places_in_a_line_of_any_length),
    };
    return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
