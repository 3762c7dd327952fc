// SPDX-License-Identifier: Apache-2.0
/*
 * hostile_test.c - texts made to break a parser: too deep, too long, no text.
 *
 * Each must come to an end soon, within its memory, and with one message a
 * mistake.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "parsed.h"

/* In hostile builds arrays move at every push: a million would take days. With
 * sanitizers as many as are much deeper than the stack tell as much. */
#if defined(WEFT_STRESS)
#define MANY 3000u
#elif defined(__SANITIZE_ADDRESS__)
#define MANY 100000u
#else
#define MANY 1000000u
#endif

/* head, then `count` times `open`, middle, `count` times `close`, tail. */
typedef struct Nest {
    const char *head, *open, *middle, *close, *tail;
} Nest;

static char *repeat(char *at, const char *text, uint32_t count)
{
    size_t len = strlen(text);
    for (uint32_t i = 0; i < count; i++, at += len)
        memcpy(at, text, len);
    return at;
}

static Str build(Nest n, uint32_t count)
{
    size_t size = strlen(n.head) + strlen(n.middle) + strlen(n.tail)
                  + count * (strlen(n.open) + strlen(n.close));
    char *text = malloc(size + 1);
    assert_non_null(text);
    char *at = repeat(text, n.head, 1);
    at = repeat(at, n.open, count);
    at = repeat(at, n.middle, 1);
    at = repeat(at, n.close, count);
    at = repeat(at, n.tail, 1);
    return (Str){text, (uint32_t)(at - text)};
}

static void release(Str text)
{
    free((void *)(uintptr_t)text.data);
}

static uint32_t count_of(const Parsed *p, DiagId id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->diag.list.len; i++)
        count += p->diag.list.data[i].id == id;
    return count;
}

static void test_too_deep_is_one_message(void **state)
{
    (void)state;
    static const Nest nests[] = {
        {"const x = ", "(", "1", ")", ";"},
        {"const x = ", "a[", "1", "]", ";"},
        {"const x = ", "f(", "1", ")", ";"},
        {"const x = ", "f(1,", "1", ")", ";"},
        {"const x = ", "-", "1", "", ";"},
        {"const x = ", "!~*&", "1", "", ";"},
        {"const x = ", "&&", "a", "", ";"},
        {"const x = a", "[1]", "", "", ";"},
        {"const x = a", ".b", "", "", ";"},
        {"const x = ", "(a+", "1", ")", ";"},
        {"const x = ", "1+(1*-", "1", ")", ";"},
        {"alias T = ", "a<", "b", ">", ";"},
        {"alias T = ", "a<b,", "b", ">", ";"},
        {"alias T = a<", "(", "b", ")", ">;"},
        {"var<", "a<", "b", ">", "> x : i32;"},
        {"fn f() { ", "(", "a", ")", " = 1; }"},
        {"fn f() { ", "*", "a", "", " = 1; }"},
        {"fn f() { ", "{", "", "}", " }"},
        {"fn f() { ", "if a {", "", "}", " }"},
        {"fn f() { ", "if a {} else {", "", "}", " }"},
        {"fn f() { ", "while a {", "", "}", " }"},
        {"fn f() { ", "for (;;) {", "", "}", " }"},
        {"fn f() { ", "loop {", "", "}", " }"},
        {"fn f() { ", "loop { continuing {", "", "}}", " }"},
        {"fn f() { ", "switch a { default {", "", "}}", " }"},
        {"fn f() { ", "@diagnostic(off, a) {", "", "}", " }"},
        {"@size", "(", "1", ")", " fn f() { }"},
        {"@unknown", "(", "1", ")", " fn f() { }"},
    };
    for (size_t i = 0; i < COUNTOF(nests); i++) {
        Parsed p;
        Str text = build(nests[i], MANY);
        parsed_init(&p, text);
        if (p.out_of_memory || count_of(&p, DIAG_nesting_limit) != 1
            || p.diag.errors - count_of(&p, DIAG_unknown_attribute) != 1)
            fail_msg("%s%s...\n%s", nests[i].head, nests[i].open, parsed_report(&p));
        parsed_fini(&p);
        release(text);
    }
}

/* The same without an end. */
static void test_too_deep_and_open(void **state)
{
    (void)state;
    static const Nest nests[] = {
        {"const x = ", "(", "", "", ""},      {"const x = ", "a[", "", "", ""},
        {"const x = ", "f(", "", "", ""},     {"alias T = ", "a<", "b", "", ""},
        {"fn f() { ", "{", "", "", ""},       {"fn f() { ", "if a {", "", "", ""},
        {"fn f() { ", "switch a { default {", "", "", ""},
        {"fn f() { ", "loop { continuing {", "", "", ""},
        {"/*", "/*", "", "", ""},             {"fn f() { ", "for (", "", "", ""},
        {"struct S { ", "a : b<", "", "", ""},
    };
    for (size_t i = 0; i < COUNTOF(nests); i++) {
        Parsed p;
        Str text = build(nests[i], MANY);
        parsed_init(&p, text);
        if (p.out_of_memory || p.diag.errors != 1)
            fail_msg("%s%s...\n%s", nests[i].head, nests[i].open, parsed_report(&p));
        parsed_fini(&p);
        release(text);
    }
}

/* Long is not deep. */
static void test_long_is_accepted(void **state)
{
    (void)state;
    static const Nest nests[] = {
        {"const x = 1", "+1", "", "", ";"},
        {"const x = a", "&&a", "", "", ";"},
        {"const x = a", "|a", "", "", ";"},
        {"const x = a", "*a+a", "", "", ";"},
        {"const x = 1", "--1", "", "", ";"},
        {"const x = f(", "a<b,", "", "", ");"},
        {"const x = f(", "a<b>(c),", "", "", ");"},
        {"fn f() { if a { }", " else if a { }", "", "", " }"},
        {"fn f() {", "a=1;", "", "", "}"},
        {"fn f() {", ";", "", "", "}"},
        {"", ";", "", "", ""},
        {"fn f() {", "{}", "", "", "}"},
        {"fn f() { switch a { case ", "1,", "", "", " { } } }"},
        {"fn f() { switch a {", "case 1 {}", "", "", " } }"},
        {"fn f(", "a:b,", "", "", ") { }"},
        {"struct S {", "a:b,", "", "", "}"},
        {"enable ", "a,", "", "", ";"},
        {"", "@compute ", "", "", "fn f() { }"},
        {"", "/*", "", "*/", ""},
        {"/*", "/**/", "", "", "*/"},
        {"", "//\n", "", "", ""},
        {"", "\xe2\x80\xa8", "", "", ""},
        {"const ", "x", "", "", " = 1;"},
        {"const ", "\xc3\xa9", "", "", " = 1;"},
        {"const x = 0.", "0", "1", "", ";"},
    };
    for (size_t i = 0; i < COUNTOF(nests); i++) {
        Parsed p;
        Str text = build(nests[i], MANY);
        parsed_init(&p, text);
        if (p.out_of_memory || p.diag.errors > 0)
            fail_msg("%s%s...\n%s", nests[i].head, nests[i].open, parsed_report(&p));
        parsed_fini(&p);
        release(text);
    }
}

/* As many mistakes as there is text: the list ends, and so does the parser. */
static void test_nothing_but_mistakes(void **state)
{
    (void)state;
    static const Nest nests[] = {
        {"", "}", "", "", ""},           {"", "#\n;", "", "", ""},
        {"", "@", "", "", ""},           {"", "fn ", "", "", ""},
        {"", "fn f() {", "", "", ""},    {"", "@a(", "", "", ""},
        {"fn f() {", "let ;", "", "", ""},   {"fn f() {", "if ", "", "", ""},
        {"fn f() {", "loop ", "", "", ""},   {"fn f() {", ")", "", "", ""},
        {"fn f() {", "case ", "", "", ""},   {"fn f() {", "else ", "", "", ""},
        {"fn f() {", "a<b>c", "", "", ""},   {"struct S {", "a;", "", "", ""},
        {"fn f() { switch a {", "b ", "", "", ""},
        {"const x = ", "1 2 ", "", "", ""},  {"const x = ", "a ? ", "", "", ""},
        {"", "const x = 1u32;", "", "", ""}, {"", "\"", "", "", ""},
        {"fn f() {", "a b;", "", "", ""},    {"fn f() {", "do {", "", "", ""},
    };
    for (size_t i = 0; i < COUNTOF(nests); i++) {
        Parsed p;
        Str text = build(nests[i], MANY);
        parsed_init(&p, text);
        if (p.out_of_memory || p.diag.errors == 0 || p.diag.list.len > 101)
            fail_msg("%s%s...: %u errors", nests[i].head, nests[i].open, p.diag.errors);
        parsed_fini(&p);
        release(text);
    }
}

/* Every byte that is wrong, at every place of a text. */
static void test_bad_bytes_anywhere(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80", "\xe2\x80",
        "\xed\xa0\x80", "\xef\xbf", "\xf0\x80\x80\x80", "\xf0\x9f\x98",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe",
    };
    static const char text[] = "/* a */ const é = 1.5; // b\nfn f() { \"c\" }";
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        for (size_t at = 0; at < sizeof text; at++) {
            /* Not inside the two bytes of the é: that is wrong by itself. */
            if (((unsigned char)text[at] & 0xc0) == 0x80)
                continue;
            char broken[128];
            size_t n = strlen(bad[i]);
            memcpy(broken, text, at);
            memcpy(broken + at, bad[i], n);
            memcpy(broken + at + n, text + at, sizeof text - at);
            Parsed p;
            parsed_init(&p, str_of(broken));
            assert_int_equal(p.diag.errors, 1);
            assert_int_equal(p.diag.list.data[0].id, DIAG_invalid_utf8);
            assert_int_equal(p.diag.list.data[0].span.start, at);
            assert_int_equal(p.module->decls.len, 0);
            parsed_fini(&p);
        }
    }
}

static void test_nul_anywhere(void **state)
{
    (void)state;
    static const char text[] = "/* a */ const b = 1.5; // c\nfn f() { }";
    for (uint32_t at = 0; at < sizeof text - 1; at++) {
        char broken[sizeof text];
        memcpy(broken, text, sizeof text);
        broken[at] = '\0';
        Parsed p;
        parsed_init(&p, (Str){broken, sizeof text - 1});
        assert_int_equal(p.diag.errors, 1);
        assert_int_equal(p.diag.list.data[0].id, DIAG_nul_in_source);
        assert_int_equal(p.diag.list.data[0].span.start, at);
        parsed_fini(&p);
    }
}

static void test_too_long_is_refused_unread(void **state)
{
    (void)state;
    uint32_t size = SYNTAX_MAX_SOURCE + 1;
    char *text = calloc(size, 1);
    assert_non_null(text);
    Parsed p;
    parsed_init(&p, (Str){text, size});
    assert_int_equal(p.diag.errors, 1);
    assert_int_equal(p.diag.list.data[0].id, DIAG_source_too_long);
    assert_true(p.arena.used < 100000);
    parsed_fini(&p);
    free(text);
}

#ifndef WEFT_STRESS
static void test_thirty_megabytes(void **state)
{
    (void)state;
    static const Nest nests[] = {
        {"", "// a comment as long as this one is long\n", "", "", ""},
        {"", "const some_name = 1;\n           \n", "", "", ""},
    };
    for (size_t i = 0; i < COUNTOF(nests); i++) {
        Parsed p;
        Str text = build(nests[i], (30u << 20) / (uint32_t)strlen(nests[i].open));
        parsed_init(&p, text);
        assert_false(p.out_of_memory);
        assert_int_equal(p.diag.errors, 0);
        parsed_fini(&p);
        release(text);
    }
}

/* A tree of more than the memory it may use: said so by arena_try(), no more. */
static void test_a_tree_that_does_not_fit(void **state)
{
    (void)state;
    Parsed p;
    Str text = build((Nest){"const x = 1", "+1", "", "", ";"}, 15000000);
    parsed_init(&p, text);
    assert_true(p.out_of_memory);
    parsed_fini(&p);
    release(text);
}
#endif

/* True if the memory was enough. */
static bool parse_within(size_t limit, Str source)
{
    Parsed p = {0};
    arena_init(&p.arena, limit);
    parsed_run(&p, source);
    if (!p.out_of_memory)
        assert_int_equal(p.diag.errors, 0);
    parsed_fini(&p);
    return !p.out_of_memory;
}

/* Memory may end at any allocation. */
static void test_any_amount_of_memory(void **state)
{
    (void)state;
    static const char text[] =
        "enable f16; diagnostic(off, a.b); struct S { @size(4) a : vec2<f32>, }\n"
        "@compute @workgroup_size(1) fn f(a : i32) -> @location(0) f32 {\n"
        "  if a < 1 { g(); } else if (b) { } switch a { case 1, 2: { } default { } }\n"
        "  loop { continue; continuing { a[1].b += 2; break if *c; } }\n"
        "}\n";
    for (size_t limit = 1; limit < 40000; limit += 61)
        parse_within(limit, str_of(text));
    assert_false(parse_within(1, str_of(text)));
    assert_true(parse_within(1 << 20, str_of(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_deep_is_one_message),
        cmocka_unit_test(test_too_deep_and_open),
        cmocka_unit_test(test_long_is_accepted),
        cmocka_unit_test(test_nothing_but_mistakes),
        cmocka_unit_test(test_bad_bytes_anywhere),
        cmocka_unit_test(test_nul_anywhere),
        cmocka_unit_test(test_too_long_is_refused_unread),
        cmocka_unit_test(test_any_amount_of_memory),
#ifndef WEFT_STRESS
        cmocka_unit_test(test_thirty_megabytes),
        cmocka_unit_test(test_a_tree_that_does_not_fit),
#endif
    };
    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
