// SPDX-License-Identifier: Apache-2.0
/*
 * names_test.c - one Name for each spelling.
 */
#include "support/test.h"

#include <stdio.h>

#include "syntax/lex_priv.h"
#include "syntax/syntax.h"

#define MANY 20000u

static Name *numbered(Module *m, uint32_t i)
{
    char text[32];
    snprintf(text, sizeof text, "name%u", i);
    return syntax_name(m, str_of(text));
}

static void test_equal_spellings_are_one_name(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    Module m = {.arena = &a};
    Name **names = ARENA_ARRAY(&a, Name *, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        names[i] = numbered(&m, i);
    assert_int_equal(m.names.count, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_ptr_equal(numbered(&m, i), names[i]);
    assert_int_equal(m.names.count, MANY);
    for (uint32_t i = 1; i < MANY; i++)
        assert_ptr_not_equal(names[i], names[i - 1]);
    arena_fini(&a);
}

static void test_spellings_of_any_length(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    Module m = {.arena = &a};
    char text[100];
    memset(text, 'x', sizeof text);
    for (uint32_t len = 0; len < sizeof text; len++)
        assert_int_equal(syntax_name(&m, (Str){text, len})->text.len, len);
    assert_int_equal(m.names.count, sizeof text);
    assert_ptr_equal(syntax_name(&m, STR("xxx")), syntax_name(&m, (Str){text, 3}));
    arena_fini(&a);
}

static void test_a_name_outlives_the_text_it_was_made_from(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    Module m = {.arena = &a, .source = STR("f32 x")};
    char text[] = "foo";
    Name *name = syntax_name(&m, (Str){text, 3});
    text[0] = 'g';
    assert_true(str_eq(name->text, STR("foo")));
    /* What is in the source is not copied. */
    Str in_source = {m.source.data, 3};
    assert_ptr_equal(syntax_name(&m, in_source)->text.data, m.source.data);
    arena_fini(&a);
}

static void test_words_are_known(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    Module m = {.arena = &a};
    assert_int_equal(syntax_name(&m, STR("while"))->word, TOKEN_WHILE);
    assert_int_equal(syntax_name(&m, STR("yield"))->word, TOKEN_RESERVED);
    assert_int_equal(syntax_name(&m, STR("f32"))->word, 0);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_spellings_are_one_name),
        cmocka_unit_test(test_spellings_of_any_length),
        cmocka_unit_test(test_a_name_outlives_the_text_it_was_made_from),
        cmocka_unit_test(test_words_are_known),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
