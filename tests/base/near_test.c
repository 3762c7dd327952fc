// SPDX-License-Identifier: Apache-2.0
/*
 * near_test.c - which words are near to each other.
 */
#include "support/test.h"

#include "base/macro.h"
#include "base/near.h"

static const char *nearest(const char *word, const char *const *candidates, size_t count)
{
    Near near = near_begin(str_of(word));
    for (size_t i = 0; i < count; i++)
        near_consider(&near, str_of(candidates[i]));
    return near.found.data;
}

static void test_near_words_are_found(void **state)
{
    (void)state;
    static const char *const names[] = {"check", "reflect", "explain", "f16", "in"};
    static const struct { const char *word, *meant; } rows[] = {
        {"chek", "check"},   {"chekc", "check"},    {"ccheck", "check"}, {"chick", "check"},
        {"reflct", "reflect"}, {"refelctt", "reflect"}, {"f61", "f16"},  {"if", "in"},
        {"ni", "in"},        {"x", NULL},           {"", NULL},          {"explode", NULL},
        {"check", NULL},     {"CHECK", NULL},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        const char *found = nearest(rows[i].word, names, COUNTOF(names));
        if (rows[i].meant)
            assert_string_equal(found, rows[i].meant);
        else
            assert_null(found);
    }
}

static void test_the_nearest_and_first_wins(void **state)
{
    (void)state;
    static const char *const names[] = {"abcdexy", "abcdefx", "abcdefy"};
    assert_string_equal(nearest("abcdef", names, COUNTOF(names)), "abcdefx");
}

static void test_long_words_are_near_to_nothing(void **state)
{
    (void)state;
    char word[100], other[100];
    memset(word, 'a', sizeof word);
    memcpy(other, word, sizeof other);
    other[3] = 'b';
    for (uint32_t len = 60; len <= 100; len++) {
        Near near = near_begin((Str){word, len});
        assert_int_equal(near_consider(&near, (Str){other, len}), len <= 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_words_are_found),
        cmocka_unit_test(test_the_nearest_and_first_wins),
        cmocka_unit_test(test_long_words_are_near_to_nothing),
    };
    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
