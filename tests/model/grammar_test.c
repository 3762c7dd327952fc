// SPDX-License-Identifier: Apache-2.0
/*
 * grammar_test.c - GBNF: what parses, what matches, which tokens may follow, the bounds.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/grammar.h"

#ifdef WEFT_STRESS
enum { DEEP = 1500 };               /* arrays that move at every push take quadratic room  */
#else
enum { DEEP = 60000 };
#endif

/* ---- matching ---- */

typedef struct Match {
    const char *gbnf;
    const char *yes[8], *no[8];
} Match;

static const Match matches[] = {
    {"root ::= \"yes\" | \"no\"", {"yes", "no"}, {"", "ye", "yesno", "maybe"}},
    {"root ::= [a-c]+ [^a-c]", {"abc!", "ad"}, {"!", "abc", "abca"}},
    {"root ::= \"a\"? \"b\"* \"c\"", {"c", "ac", "abbbc", "bc"}, {"", "aac", "ab"}},
    {"root ::= \"a\"{2} \"b\"{1,2} \"c\"{2,}",
     {"aabcc", "aabbcccc"},
     {"abcc", "aabbbcc", "aabc"}},
    {"root ::= \"x\"{0,2}", {"", "x", "xx"}, {"xxx"}},
    {"root ::= (\"a\" (\"b\" | \"c\"))* \"d\"", {"d", "abacd"}, {"ad", "abd d"}},
    {"root ::= ([x]*)*", {"", "x", "xxxx"}, {"y"}},
    {"root ::= . \"!\"", {"a!", "\xc3\xa9!", "\xf0\x9f\x98\x80!"}, {"!", "ab!"}},
    {"root ::= \"\\x41\\u00e9\\U0001F600\\t\\n\\\"\\\\\"",
     {"A\xc3\xa9\xf0\x9f\x98\x80\t\n\"\\"},
     {"A"}},
    {"root ::= [\\]\\[a-] \"-\"", {"]-", "[-", "--", "a-"}, {"b-"}},
    {"root ::= [^\xc3\xa9]+", {"e\xc3\xa8", "\xc3\xaa"}, {"\xc3\xa9", "a\xc3\xa9"}},
    {"# rules\nroot ::= item | # here\n\n  \"z\"\nitem ::= \"i\"\n", {"i", "z"}, {"iz"}},
    {"root ::= \"(\" root? \")\"", {"()", "(((())))"}, {"(", "(()", "())"}},
    {"root ::= expr\nexpr ::= term (\"+\" term)*\nterm ::= [0-9]+ | \"(\" expr \")\"",
     {"1", "1+22", "(1+2)+3", "((4))"},
     {"+", "1+", "(1", "1)"}},
    {"root ::= a b\na ::= \"x\"* \nb ::= \"x\" \"y\"", {"xy", "xxxy"}, {"y", "xx"}},
};

static bool match(const Grammar *g, const char *text)
{
    Matcher m;
    Fault   f = {0};
    assert_true(matcher_init(&m, g, grammar_find_rule(g, STR("root")), 0, &f));
    bool ok = true;
    for (; *text && ok; text++)             /* one byte a token: cut in all places         */
        ok = matcher_accept(&m, 0, (Str){text, 1}, &f);
    ok = ok && matcher_complete(&m);
    assert_int_equal(f.kind, FAULT_NONE);
    matcher_fini(&m);
    return ok;
}

static void test_texts_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(matches); i++) {
        Grammar g;
        Fault   f = {0};
        if (!grammar_parse(&g, str_of(matches[i].gbnf), NULL, NULL, &f))
            fail_msg("%s: %s", matches[i].gbnf, f.text);
        for (size_t k = 0; k < 8 && matches[i].yes[k]; k++)
            if (!match(&g, matches[i].yes[k]))
                fail_msg("%s does not match '%s'", matches[i].gbnf, matches[i].yes[k]);
        for (size_t k = 0; k < 8 && matches[i].no[k]; k++)
            if (match(&g, matches[i].no[k]))
                fail_msg("%s matches '%s'", matches[i].gbnf, matches[i].no[k]);
        grammar_fini(&g);
    }
}

static void test_invalid_utf8_never_matches(void **state)
{
    (void)state;
    static const char *const bad[] = {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xe0\x80\x80",
                                      "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3(", "\xff"};
    Grammar g;
    Fault   f = {0};
    assert_true(grammar_parse(&g, STR("root ::= .*"), NULL, NULL, &f));
    for (size_t i = 0; i < COUNTOF(bad); i++)
        if (match(&g, bad[i]))
            fail_msg("case %zu matches", i);
    assert_true(match(&g, "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"));
    grammar_fini(&g);
}

/* ---- faults ---- */

static void test_faults_have_a_place(void **state)
{
    (void)state;
    static const struct { const char *gbnf, *want; } cases[] = {
        {"", "line 1, column 1: expected a rule"},
        {"root", "line 1, column 5: expected '::='"},
        {"root ::= \"a", "line 1, column 12: unexpected end"},
        {"root ::= [a", "unexpected end"},
        {"root ::= \"\\q\"", "column 11: unknown escape"},
        {"root ::= \"\\u12\"", "expected 4 hexadecimal digits"},
        {"root ::= * \"a\"", "nothing to repeat"},
        {"root ::= \"a\"{,3}", "expected a number"},
        {"root ::= \"a\"{3,2}", "the end is below the start"},
        {"root ::= \"a\"{3", "expected '}'"},
        {"root ::= \"a\"{5000}", "more than 2000 repetitions"},
        {"root ::= (((\"a\"{0,99}){0,99}){0,99}){0,99}", "nested repetitions multiply"},
        {"root ::= (\"a\"", "expected ')'"},
        {"root ::= \"a\"\nroot2 ::= )", "line 2, column 11: unexpected ')'"},
        {"root ::= missing", "'missing' is used, but not defined"},
        {"root ::= <think>", "tokens by name need a vocabulary"},
        {"root ::= !\"a\"", "expected '<'"},
        {"root ::= <[99999999999]>", "below 2^31"},
        {"root ::= \"\xff\"", "not valid UTF-8"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Grammar g;
        Fault   f = {0};
        assert_false(grammar_parse(&g, str_of(cases[i].gbnf), NULL, NULL, &f));
        if (!strstr(f.text, cases[i].want))
            fail_msg("%s: '%s' instead of '%s'", cases[i].gbnf, f.text, cases[i].want);
    }
}

static void test_left_recursion_is_found(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "root ::= \"a\" | root \"b\"",
        "root ::= a\na ::= \"x\" | b \"y\"\nb ::= a \"z\" | \"w\"",
        "root ::= e root \"x\" | \"y\"\ne ::= \"\" | \"q\"",
        "root ::= e e root \"x\" | \"y\"\ne ::= f\nf ::= \"z\"*",
        "root ::= root root | \"a\"",
    };
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        Grammar g;
        Matcher m;
        Fault   f = {0};
        assert_true(grammar_parse(&g, str_of(bad[i]), NULL, NULL, &f));
        if (matcher_init(&m, &g, 0, 0, &f) || !strstr(f.text, "left recursion"))
            fail_msg("%s: %s", bad[i], f.text);
        grammar_fini(&g);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    Grammar g;
    Matcher m;
    Fault   f = {0};
    char    deep[3000] = "root ::= ";
    memset(deep + 9, '(', 2000);
    assert_false(grammar_parse(&g, str_of(deep), NULL, NULL, &f));
    assert_non_null(strstr(f.text, "nested parentheses"));

    /* More open continuations than are allowed. */
    f = (Fault){0};
    assert_true(grammar_parse(&g, STR("root ::= \"a\"{0,40} \"a\"{0,40} \"b\""), NULL, NULL, &f));
    assert_true(matcher_init(&m, &g, 0, 10, &f) || f.kind == FAULT_LIMIT);
    for (int i = 0; i < 30 && f.kind == FAULT_NONE; i++)
        matcher_accept(&m, 0, STR("a"), &f);
    assert_int_equal(f.kind, FAULT_LIMIT);
    matcher_fini(&m);
    grammar_fini(&g);

    /* A stack that grows with the text; the cache is renewed on the way. */
    f = (Fault){0};
    assert_true(grammar_parse(&g, STR("root ::= \"(\" root \")\" | \"x\""), NULL, NULL, &f));
    assert_true(matcher_init(&m, &g, 0, 0, &f));
    for (int i = 0; i < DEEP; i++)
        assert_true(matcher_accept(&m, 0, STR("("), &f));
    assert_true(matcher_accept(&m, 0, STR("x"), &f));
    for (int i = 0; i < DEEP; i++)
        assert_true(matcher_accept(&m, 0, STR(")"), &f));
    assert_true(matcher_complete(&m));
    matcher_fini(&m);
    grammar_fini(&g);
}

/* ---- masks ---- */

#define VOCAB 1500u

typedef struct Words {
    char     text[VOCAB][12];
    uint32_t len[VOCAB];
} Words;

static Str word_bytes(void *user, uint32_t token)
{
    const Words *w = user;
    return (Str){w->text[token], w->len[token]};
}

static bool word_ends(void *user, uint32_t token)
{
    (void)user;
    return token == 3 || token == 77;
}

/* Tokens of bytes that JSON has, some of UTF-8 cut in the middle. */
static void make_words(Words *w)
{
    static const char *const parts[] = {
        "{", "}",    "[",    "]",    "\"",       ":",    ",",  "a", "b", "1", "0",
        " ", "true", "\xc3", "\xa9", "\xe2\x82", "\xac", "\\", "u", "-", "\n"};
    uint32_t seed = 7;
    for (uint32_t i = 0; i < VOCAB; i++) {
        w->len[i] = 0;
        for (uint32_t n = 1 + i % 3; n > 0; n--) {
            seed = seed * 1664525u + 1013904223u;
            const char *part = parts[(seed >> 16) % COUNTOF(parts)];
            memcpy(w->text[i] + w->len[i], part, strlen(part));
            w->len[i] += (uint32_t)strlen(part);
        }
    }
    w->len[5] = 0;                          /* a token without a text                      */
}

static const char json[] =
    "root ::= value\n"
    "value ::= \"{\" ws (string \":\" ws value (\",\" ws string \":\" ws value)*)? \"}\" ws"
    " | \"[\" ws (value (\",\" ws value)*)? \"]\" ws | string | number | \"true\" ws\n"
    "string ::= \"\\\"\" ([^\"\\\\\\x00-\\x1f] | \"\\\\\" [\"\\\\bfnrt])* \"\\\"\" ws\n"
    "number ::= \"-\"? [0-9]+ ws\nws ::= [ \\n]*\n";

/* The mask says of each token what accepting it says. */
static void check_mask(Matcher *m, const TokenTrie *t, Words *w)
{
    uint32_t bits[(VOCAB + 31) / 32];
    Fault    f = {0};
    assert_true(matcher_mask(m, bits, t, &f));
    for (uint32_t i = 0; i < VOCAB; i++) {
        bool want = matcher_complete(m);
        if (!word_ends(w, i)) {
            Matcher copy;
            assert_true(matcher_copy(&copy, m, &f));
            want = matcher_accept(&copy, i, word_bytes(w, i), &f);
            matcher_fini(&copy);
        }
        assert_int_equal(f.kind, FAULT_NONE);
        if (want != (bits[i / 32] >> i % 32 & 1))
            fail_msg("token %u '%.*s'", i, (int)w->len[i], w->text[i]);
    }
}

static void test_masks_agree_with_acceptance(void **state)
{
    (void)state;
    Words       *w = malloc(sizeof *w);
    Grammar      g;
    Matcher      m;
    TokenTrie    t;
    Fault        f = {0};
    uint32_t     bits[(VOCAB + 31) / 32], seed = 99;
    make_words(w);
    assert_true(trie_init(&t, &(GrammarVocab){VOCAB, word_bytes, word_ends, w}));
    assert_true(grammar_parse(&g, STR(json), NULL, NULL, &f));
    assert_true(matcher_init(&m, &g, 0, 0, &f));
    for (int step = 0; step < 60; step++) {
        if (step % 6 == 0)
            check_mask(&m, &t, w);
        assert_true(matcher_mask(&m, bits, &t, &f));
        uint32_t start = (seed = seed * 1664525u + 1013904223u) % VOCAB, i = 0;
        while (i < VOCAB && (!(bits[(start + i) % VOCAB / 32] >> (start + i) % VOCAB % 32 & 1) ||
                             word_ends(w, (start + i) % VOCAB)))
            i++;
        uint32_t token = (start + i) % VOCAB;
        if (i == VOCAB || !matcher_accept(&m, token, word_bytes(w, token), &f))
            assert_true(matcher_reset(&m, &f));
    }
    matcher_fini(&m);
    grammar_fini(&g);
    trie_fini(&t);
    free(w);
}

static void test_tokens_by_number(void **state)
{
    (void)state;
    Words    *w = malloc(sizeof *w);
    Grammar   g;
    Matcher   m;
    TokenTrie t;
    Fault     f = {0};
    uint32_t  bits[(VOCAB + 31) / 32];
    make_words(w);
    assert_true(trie_init(&t, &(GrammarVocab){VOCAB, word_bytes, word_ends, w}));
    assert_true(grammar_parse(&g, STR("root ::= <[5]> !<[6]> <[3]>"), NULL, NULL, &f));
    assert_true(matcher_init(&m, &g, 0, 0, &f));
    assert_true(matcher_mask(&m, bits, &t, &f));
    assert_int_equal(bits[0], 1u << 5);
    assert_false(matcher_accept(&m, 6, STR("x"), &f));
    assert_true(matcher_accept(&m, 5, STR(""), &f));
    assert_true(matcher_mask(&m, bits, &t, &f));
    assert_false(bits[0] >> 6 & 1);
    assert_true(bits[0] >> 7 & 1);
    assert_true(matcher_accept(&m, 900, word_bytes(w, 900), &f));
    assert_true(matcher_mask(&m, bits, &t, &f));
    assert_int_equal(bits[0], 1u << 3);
    assert_true(matcher_accept(&m, 3, STR(""), &f));
    assert_true(matcher_complete(&m));
    matcher_fini(&m);
    grammar_fini(&g);
    trie_fini(&t);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_match),
        cmocka_unit_test(test_invalid_utf8_never_matches),
        cmocka_unit_test(test_faults_have_a_place),
        cmocka_unit_test(test_left_recursion_is_found),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_masks_agree_with_acceptance),
        cmocka_unit_test(test_tokens_by_number),
    };
    return cmocka_run_group_tests_name("grammar", tests, NULL, NULL);
}
