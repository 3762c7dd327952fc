// SPDX-License-Identifier: Apache-2.0
/*
 * template_test.c - which '<' and '>' delimit template lists.
 */
#include "support/test.h"

#include "base/text.h"
#include "syntax/lex_priv.h"

/* The source, with the delimiters of template lists as '{' and '}'. */
static const char *mark(Arena *a, Str source)
{
    Module *m = ARENA_NEW(a, Module);
    *m = (Module){.arena = a, .source = source};
    char *marked = arena_alloc(a, source.len + 1);
    memcpy(marked, source.data, source.len);
    Lexer x;
    lex_init(&x, m);
    for (Token t = lex_next(&x); t.kind != TOKEN_END; t = lex_next(&x)) {
        if (t.kind == TOKEN_TEMPLATE_START)
            marked[t.span.start] = '{';
        if (t.kind == TOKEN_TEMPLATE_END)
            marked[t.span.start] = '}';
    }
    return marked;
}

static void assert_marked(const char *want)
{
    Arena a;
    arena_init(&a, 0);
    char *source = arena_printf(&a, "%s", want);
    for (char *c = source; *c; c++)
        *c = *c == '{' ? '<' : *c == '}' ? '>' : *c;
    assert_string_equal(mark(&a, str_of(source)), want);
    arena_fini(&a);
}

static void test_lists(void **state)
{
    (void)state;
    assert_marked("vec3{f32}");
    assert_marked("var{storage,read_write} x");
    assert_marked("array{vec4{f32}}");
    assert_marked("array{vec4{f32},4}");
    assert_marked("a {b} c");
    assert_marked("a /* */ {/**/b/**/} c");
    assert_marked("a\n{\nb\n}");
    assert_marked("A ( B { C, D } ( E ) )");
    assert_marked("array{i32,select(2,3,a>b)}");
    assert_marked("array{i32,x[a>b]}");
    assert_marked("a{b{c{d}}}");
    assert_marked("a{b{c{d}},e{f}}");
    assert_marked("a{1f}");
    assert_marked("a{true}");
    assert_marked("if{b}");             /* keywords are names to the algorithm */
    assert_marked("a{b}=c");
    assert_marked("a{b}==c");
    assert_marked("a{b{c}}=d");
    assert_marked("a{b}>=d");
    assert_marked("a{b}>d");
    assert_marked("a{-b}");
    assert_marked("a{ <b}");            /* not "<<", so far as it knows */
    assert_marked("é{b}");
}

static void test_operators(void **state)
{
    (void)state;
    assert_marked("a<b");
    assert_marked("a<b;c>d");
    assert_marked("a<b || c>d");
    assert_marked("a<b && c>d");
    assert_marked("a<b = c>d");
    assert_marked("a<b : c>d");
    assert_marked("1<b>c");
    assert_marked("true<b>c");
    assert_marked("false<b>c");
    assert_marked("_<b>c");
    assert_marked("(a)<b>c");
    assert_marked("a[1]<b>c");
    assert_marked("1f<b>c");
    assert_marked("a[b<d]>()");
    assert_marked("(a<b)>c");
    assert_marked("a<<b>c");
    assert_marked("a<=b>c");
    assert_marked("a>b");
    assert_marked("a>>b");
    assert_marked("a>>=b");
    assert_marked("a<(b>c");
}

static void test_both(void **state)
{
    (void)state;
    assert_marked("A{B<<C}");
    assert_marked("A{B<=C}");
    assert_marked("A{(B>=C)}");
    assert_marked("A{(B!=C)}");
    assert_marked("A{(B==C)}");
    assert_marked("A{(B<C)}");
    assert_marked("A{(B>>C)}");
    assert_marked("a{b,c{d}}e");
    assert_marked("a{(b || c)}");
    assert_marked("a{b[c && d]}");
    assert_marked("a<b || c{d}");
    assert_marked("f(a<b, c{d}(e))");
    assert_marked("f(a{b, c}d)");
    assert_marked("a<b; c{d}");
    /* After something that is no name, '<' and '=' are looked at one by one, and
     * '=' then counts as an assignment. */
    assert_marked("A<((b)<=c)>");
    assert_marked("A{(b<=c)}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_both),
    };
    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
