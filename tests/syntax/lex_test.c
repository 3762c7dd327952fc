// SPDX-License-Identifier: Apache-2.0
/*
 * lex_test.c - tokens: their kinds, their extents, what separates them.
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "parsed.h"
#include "syntax/lex_priv.h"

/* The texts of all tokens, each in brackets; invalid ones in braces. */
static const char *split(Arena *a, Str source)
{
    Module *m = ARENA_NEW(a, Module);
    *m = (Module){.arena = a, .source = source};
    Lexer x;
    Text out = {.arena = a};
    lex_init(&x, m);
    text_add(&out, STR(""));
    for (;;) {
        Token t = lex_next(&x);
        if (t.kind == TOKEN_END)
            return out.data;
        text_char(&out, t.kind == TOKEN_INVALID ? '{' : '[');
        text_add(&out, (Str){source.data + t.span.start, t.span.end - t.span.start});
        text_char(&out, t.kind == TOKEN_INVALID ? '}' : ']');
    }
}

static void assert_split(const char *source, const char *want)
{
    Arena a;
    arena_init(&a, 0);
    assert_string_equal(split(&a, str_of(source)), want);
    arena_fini(&a);
}

static Token first_token(Arena *a, const char *source)
{
    Module *m = ARENA_NEW(a, Module);
    *m = (Module){.arena = a, .source = str_of(source)};
    Lexer x;
    lex_init(&x, m);
    return lex_next(&x);
}

static void assert_first(const char *source, TokenKind kind, uint32_t len)
{
    Arena a;
    arena_init(&a, 0);
    Token t = first_token(&a, source);
    if (t.kind != kind || t.span.end - t.span.start != len)
        fail_msg("'%s': kind %d, %u bytes", source, (int)t.kind,
                 t.span.end - t.span.start);
    arena_fini(&a);
}

static const struct {
    const char *text;
    TokenKind   kind;
} fixed[] = {
#define PUNCTUATION(kind, text) {text, TOKEN_##kind},
#define KEYWORD(kind, text)     {text, TOKEN_##kind},
#include "syntax/token.def"
#undef PUNCTUATION
#undef KEYWORD
};

static const char *const reserved[] = {
#define RESERVED(text) text,
#include "syntax/reserved.def"
#undef RESERVED
};

static void test_every_operator_and_keyword_is_its_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(fixed); i++) {
        char text[64];
        uint32_t len = (uint32_t)strlen(fixed[i].text);
        assert_first(fixed[i].text, fixed[i].kind, len);
        snprintf(text, sizeof text, "%s 1", fixed[i].text);
        assert_first(text, fixed[i].kind, len);
    }
}

static void test_words_are_found_and_only_they(void **state)
{
    (void)state;
    assert_int_equal(COUNTOF(reserved), 146);
    for (size_t i = 0; i < COUNTOF(reserved); i++) {
        char longer[64];
        assert_int_equal(token_find_word(str_of(reserved[i])), TOKEN_RESERVED);
        snprintf(longer, sizeof longer, "%s_", reserved[i]);
        assert_int_equal(token_find_word(str_of(longer)), 0);
    }
    for (size_t i = 0; i < COUNTOF(fixed); i++)
        if (token_is_keyword(fixed[i].kind))
            assert_int_equal(token_find_word(str_of(fixed[i].text)), fixed[i].kind);
    assert_int_equal(token_find_word(str_of("")), 0);
    assert_int_equal(token_find_word(str_of("alia")), 0);
    assert_int_equal(token_find_word(str_of("While")), 0);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a", "Z", "_a", "a_", "__", "_1", "x1y2", "true_", "iff", "fn1",
        "Δέλτα", "réflexion", "Кызыл", "𐰓𐰏𐰇", "朝焼け", "سلام", "검정", "שָׁלוֹם",
        "गुलाबी", "փիրուզ", "a·b",
    };
    for (size_t i = 0; i < COUNTOF(names); i++)
        assert_first(names[i], TOKEN_NAME, (uint32_t)strlen(names[i]));
    assert_first("_", TOKEN_UNDERSCORE, 1);
    assert_first("_ a", TOKEN_UNDERSCORE, 1);
    assert_first("·a", TOKEN_INVALID, 2);       /* may continue, not start */
    assert_split("a😀b", "[a]{😀}[b]");
    assert_split("a-b", "[a][-][b]");
}

static void test_code_points_of_names(void **state)
{
    (void)state;
    static const struct {
        uint32_t c;
        bool     start, goes_on;
    } rows[] = {
        {'A', true, true},      {'z', true, true},      {'0', false, true},
        {'_', false, true},     {'-', false, false},    {0x7f, false, false},
        {0xaa, true, true},     {0xb7, false, true},    {0xd7, false, false},
        {0x300, false, true},   {0x37a, false, false},  {0x387, false, true},
        {0x1369, false, true},  {0x1885, true, true},   {0x2118, true, true},
        {0x212e, true, true},   {0x2e2f, false, false}, {0x309b, false, false},
        {0x4e00, true, true},   {0xac00, true, true},   {0xd7a3, true, true},
        {0xd7a4, false, false}, {0xfeff, false, false}, {0x10400, true, true},
        {0x1d7ce, false, true}, {0x1f600, false, false},
        {0x3134a, true, true},  /* the last of Unicode 14 */
        {0x31350, false, false}, /* the first of Unicode 15 */
        {0xe0100, false, true}, {0xe01ef, false, true}, {0xe01f0, false, false},
        {0x10ffff, false, false},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        if (xid_is_start(rows[i].c) != rows[i].start
            || xid_is_continue(rows[i].c) != rows[i].goes_on)
            fail_msg("U+%04X", rows[i].c);
    }
    for (uint32_t c = 0; c <= 0x10ffff; c++)
        if (xid_is_start(c) && !xid_is_continue(c))
            fail_msg("U+%04X starts a name and cannot continue one", c);
}

static void test_every_blank_separates(void **state)
{
    (void)state;
    static const char *const blanks[] = {
        " ", "\t", "\n", "\v", "\f", "\r", "\r\n", "\xc2\x85", "\u200e", "\u200f",
        "\u2028", "\u2029", "/**/", "/* /* */ */", "//\n", " \t\n",
    };
    for (size_t i = 0; i < COUNTOF(blanks); i++) {
        char text[64];
        snprintf(text, sizeof text, "%sa%sb%s", blanks[i], blanks[i], blanks[i]);
        assert_split(text, "[a][b]");
    }
    /* Blank to the eye, not to WGSL. */
    assert_split("a\u00a0b", "[a]{\u00a0}[b]");
    assert_split("a\u3000b", "[a]{\u3000}[b]");
    assert_split("a\ufeffb", "[a]{\ufeff}[b]");
}

static void test_line_comments_end_at_every_line_break(void **state)
{
    (void)state;
    static const char *const breaks[] = {"\n", "\v", "\f", "\r", "\r\n", "\xc2\x85",
                                         "\u2028", "\u2029"};
    for (size_t i = 0; i < COUNTOF(breaks); i++) {
        char text[64];
        snprintf(text, sizeof text, "a // b%sc", breaks[i]);
        assert_split(text, "[a][c]");
    }
    assert_split("a // b\u200ec\td", "[a]");
    assert_split("a // /* b\nc", "[a][c]");
    assert_split("//", "");
}

static void test_block_comments_nest(void **state)
{
    (void)state;
    assert_split("a /* /* */ b */ c", "[a][c]");
    assert_split("a /*/ b */ c", "[a][c]");
    assert_split("a /**/*/ b", "[a][*][/][b]");
    assert_split("a /* // */ b", "[a][b]");
    assert_split("a /* b", "[a]{/* b}");
    assert_split("a /* /* */ b", "[a]{/* /* */ b}");
    assert_split("a /*/", "[a]{/*/}");
    assert_split("a /*", "[a]{/*}");
    assert_split("a /", "[a][/]");
    assert_split("a /* é */ b", "[a][b]");
}

static void test_the_longest_token_wins(void **state)
{
    (void)state;
    assert_split("a+++b", "[a][++][+][b]");
    assert_split("a---b", "[a][--][-][b]");
    assert_split("1>>=2", "[1][>>=][2]");
    assert_split("1<<=2", "[1][<<=][2]");
    assert_split("1<<<2", "[1][<<][<][2]");
    assert_split("1->2", "[1][->][2]");
    assert_split("1--> 2", "[1][--][>][2]");
    assert_split("===!==", "[==][=][!=][=]");
    assert_split("&&&=|||=", "[&&][&=][||][|=]");
    assert_split("@const", "[@][const]");
    assert_split("a.b.c", "[a][.][b][.][c]");
}

static void test_numbers_are_cut_out_whole(void **state)
{
    (void)state;
    assert_split("1+2", "[1][+][2]");
    assert_split("1.5.x", "[1.5][.][x]");
    assert_split("1i.x", "[1i][.][x]");
    assert_split("1..2", "[1.][.2]");
    assert_split(".5", "[.5]");
    assert_split("a.5", "[a][.5]");
    assert_split(". 5", "[.][5]");
    assert_split("0x1e+2", "[0x1e][+][2]");
    assert_split("0x1p+2", "[0x1p+2]");
    assert_split("1e+2", "[1e+2]");
    assert_split("1e-x", "[1e][-][x]");
    assert_split("1e5-2", "[1e5][-][2]");
    assert_split("0x.8p1f", "[0x.8p1f]");
    assert_split("1u32 1foo 0x1g 1é", "[1u32][1foo][0x1g][1é]");
}

static void test_what_is_no_token(void **state)
{
    (void)state;
    assert_split("#define A 1\nb", "{#define A 1}[b]");
    assert_split("\"a b\" c", "{\"a b\"}[c]");
    assert_split("'a' c", "{'a'}[c]");
    assert_split("\"a\nb", "{\"a}[b]");
    assert_split("a ? b : c", "[a]{?}[b][:][c]");
    assert_split("a $ b", "[a]{$}[b]");
    assert_split("\\`", "{\\}{`}");
    assert_split("\x01", "{\x01}");
}

/* Whatever the bytes: each token is further on, and the end comes. */
static void test_any_two_bytes_come_to_an_end(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    for (uint32_t i = 0; i < 0x10000; i++) {
        char text[4] = {'a', (char)(i >> 8), (char)i, 'b'};
        Module m = {.arena = &a, .source = {text, sizeof text}};
        Lexer x;
        lex_init(&x, &m);
        uint32_t last = 0;
        for (Token t = lex_next(&x); t.kind != TOKEN_END; t = lex_next(&x)) {
            assert_true(t.span.start >= last);
            assert_true(t.span.end > t.span.start);
            assert_true(t.span.end <= sizeof text);
            last = t.span.end;
        }
    }
    arena_fini(&a);
}

static void test_token_dump(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a, 0);
    Text out = {.arena = &a};
    syntax_dump_tokens(&out, STR("let a = vec2<f32>(1\n);"));
    assert_string_equal(out.data,
                        "0..3 LET \"let\"\n4..5 NAME \"a\"\n6..7 EQUAL \"=\"\n"
                        "8..12 NAME \"vec2\"\n12..13 TEMPLATE_START \"<\"\n"
                        "13..16 NAME \"f32\"\n16..17 TEMPLATE_END \">\"\n"
                        "17..18 PAREN_LEFT \"(\"\n18..19 NUMBER \"1\"\n"
                        "20..21 PAREN_RIGHT \")\"\n21..22 SEMICOLON \";\"\n"
                        "22..22 END \"\"\n");
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator_and_keyword_is_its_token),
        cmocka_unit_test(test_words_are_found_and_only_they),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_code_points_of_names),
        cmocka_unit_test(test_every_blank_separates),
        cmocka_unit_test(test_line_comments_end_at_every_line_break),
        cmocka_unit_test(test_block_comments_nest),
        cmocka_unit_test(test_the_longest_token_wins),
        cmocka_unit_test(test_numbers_are_cut_out_whole),
        cmocka_unit_test(test_what_is_no_token),
        cmocka_unit_test(test_any_two_bytes_come_to_an_end),
        cmocka_unit_test(test_token_dump),
    };
    return cmocka_run_group_tests_name("lex", tests, NULL, NULL);
}
