// SPDX-License-Identifier: Apache-2.0
/*
 * schema_test.c - JSON schemas as grammars: which texts they allow.
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "model/grammar.h"
#include "model/schema.h"

typedef struct Case {
    const char *schema;
    const char *yes[8], *no[10];
} Case;

static const Case cases[] = {
    {"{\"type\": \"integer\"}", {"0", "-7", "123"}, {"", "01", "1.5", "--1"}},
    {"{\"type\": \"integer\", \"minimum\": 3}",
     {"3", "9", "10", "444"},
     {"2", "0", "-5", "03"}},
    {"{\"type\": \"integer\", \"minimum\": 456}",
     {"456", "460", "1000", "999"},
     {"455", "50", "0456"}},
    {"{\"type\": \"integer\", \"maximum\": 23}",
     {"23", "0", "-1000", "9"},
     {"24", "100", "-0"}},
    {"{\"type\": \"integer\", \"minimum\": -12, \"maximum\": 207}",
     {"-12", "-9", "0", "207", "99"},
     {"-13", "208", "300", "-20"}},
    {"{\"type\": \"integer\", \"exclusiveMinimum\": 3, \"exclusiveMaximum\": 6}",
     {"4", "5"},
     {"3", "6"}},
    {"{\"type\": \"integer\", \"maximum\": -10}",
     {"-10", "-11", "-100"},
     {"-9", "0", "10"}},
    {"{\"type\": \"integer\", \"minimum\": 0.5, \"maximum\": 2.5}",
     {"1", "2"},
     {"0", "3"}},
    {"{\"type\": \"number\"}", {"0", "-1.5", "2e10", "3.25E-2"}, {".5", "1.", "+1"}},
    {"{\"type\": [\"boolean\", \"null\"]}", {"true", "false", "null"}, {"0", "True"}},
    {"{\"const\": {\"a\": [1, \"x\"]}}", {"{\"a\":[1,\"x\"]}"}, {"{\"a\":[1]}"}},
    {"{\"enum\": [\"red\", 3, null]}", {"\"red\"", "3", "null"}, {"red", "4"}},
    {"{\"type\": \"string\", \"minLength\": 2, \"maxLength\": 3}",
     {"\"ab\"", "\"\xc3\xa9\xc3\xa9\xc3\xa9\""},
     {"\"a\"", "\"abcd\"", "ab"}},
    {"{\"type\": \"string\", \"pattern\": \"^a(b|[0-9]{2})+$\"}",
     {"\"ab\"", "\"a12b\""},
     {"\"a\"", "\"a1\""}},
    {"{\"type\": \"string\", \"pattern\": \"^a\\\\.+b\xc3\xa9{2}c\xc3\xa9?$\"}",
     {"\"a..b\xc3\xa9\xc3\xa9""c\"", "\"a.b\xc3\xa9\xc3\xa9""c\xc3\xa9\""},
     {"\"a.a.b\xc3\xa9\xc3\xa9""c\"", "\"a.b\xc3\xa9""b\xc3\xa9""c\"", "\"a.b\xc3\xa9""c\""}},
    {"{\"type\": \"string\", \"pattern\": \"^\\\\(\\\\d\"}", {"\"anything\""}, {"1"}},
    {"{\"format\": \"date\"}", {"\"2024-02-29\""}, {"\"2024-13-01\"", "\"24-01-01\""}},
    {"{\"type\": \"string\", \"format\": \"uuid\"}",
     {"\"01234567-89ab-cdef-0123-456789abcdef\""},
     {"\"0\""}},
    {"{\"items\": {\"type\": \"integer\"}, \"minItems\": 1, \"maxItems\": 3}",
     {"[1]", "[1, 2,3]"},
     {"[]", "[1,2,3,4]", "[\"a\"]"}},
    {"{\"prefixItems\": [{\"type\": \"string\"}, {\"type\": \"number\"}]}",
     {"[\"a\", 1]"},
     {"[\"a\"]", "[1, \"a\"]"}},
    {"{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": "
     "{\"type\": \"string\"}}, "
     "\"required\": [\"a\"], \"additionalProperties\": false}",
     {"{\"a\": 1}", "{\"a\":1,\"b\":\"x\"}", "{ \"a\": 1 }"},
     {"{}", "{\"b\":\"x\"}", "{\"a\":1,\"c\":2}"}},
    {"{\"properties\": {\"a\": {\"type\": \"integer\"}, \"ab\": {\"type\": \"null\"}}, "
     "\"additionalProperties\": {\"type\": \"boolean\"}}",
     {"{\"a\": 1, \"ab\": null, \"abc\": true}", "{\"b\": true}", "{\"\": false}",
      "{\"aa\":true}", "{\"\\\\\": true}", "{\"\\u0061\": true}"},
     {"{\"a\": true}", "{\"ab\": true}", "{\"\\\": true}", "{\"b\": 1}",
      "{\"\n\":true}"}},
    {"{\"properties\": {\"k]\\\"^-\": {\"type\": \"null\"}, \"\xc3\xa9\": {\"type\": "
     "\"null\"}}, "
     "\"additionalProperties\": {\"type\": \"integer\"}}",
     {"{\"\xc3\xa9\": null, \"\xc3\xa8\": 2}", "{\"k]\\\"^-\": null}"},
     {"{\"\xc3\xa9\": 1}"}},
    {"{\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"null\"}]}",
     {"1", "null"},
     {"true"}},
    {"{\"allOf\": [{\"enum\": [\"a\", \"b\"]}, {\"enum\": [\"b\", \"c\"]}]}",
     {"\"b\""},
     {"\"a\"", "\"c\""}},
    {"{\"allOf\": [{\"properties\": {\"a\": {\"type\": \"integer\"}}}, {\"$ref\": "
     "\"#/$defs/x\"}], "
     "\"$defs\": {\"x\": {\"properties\": {\"b\": {\"type\": \"null\"}}}}}",
     {"{\"a\": 1, \"b\": null}"},
     {"{\"a\": 1}"}},
    {"{\"$ref\": \"#/definitions/tree\", \"definitions\": {\"tree\": {\"type\": "
     "\"object\", \"properties\": "
     "{\"kids\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/tree\"}}}, "
     "\"additionalProperties\": false}}}",
     {"{}", "{\"kids\": []}", "{\"kids\": [{\"kids\": [{}, {}]}]}"},
     {"{\"kids\": 1}", "{\"kids\": [1]}"}},
    {"{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}",
     {"[]", "[[], [[]]]"},
     {"[1]"}},
    {"{}", {"{}", "{\"a\": [1, true, null]}"}, {"1"}},
    {"{\"description\": \"anything\"}", {"1", "\"a\"", "[{}]"}, {"x"}},
    {"{\"type\": \"object\", \"properties\": {\"any\": true}}",
     {"{\"any\": {}}"},
     {"{\"any\": 1"}},
};

static bool match(const Grammar *g, const char *text)
{
    Matcher m;
    Fault   f = {0};
    assert_true(matcher_init(&m, g, grammar_find_rule(g, STR("root")), 0, &f));
    bool ok = matcher_accept(&m, 0, str_of(text), &f) && matcher_complete(&m);
    matcher_fini(&m);
    return ok;
}

static void check(const Case *c)
{
    Arena   a;
    Str     gbnf;
    Grammar g;
    Fault   f = {0};
    arena_init(&a, 64u << 20);
    if (!schema_to_grammar(&gbnf, &a, str_of(c->schema), &f)
        || !grammar_parse(&g, gbnf, NULL, NULL, &f))
        fail_msg("%s: %s", c->schema, f.text);
    for (size_t i = 0; i < COUNTOF(c->yes) && c->yes[i]; i++)
        if (!match(&g, c->yes[i]))
            fail_msg("%s does not allow %s\n%.*s", c->schema, c->yes[i], STR_ARG(gbnf));
    for (size_t i = 0; i < COUNTOF(c->no) && c->no[i]; i++)
        if (match(&g, c->no[i]))
            fail_msg("%s allows %s\n%.*s", c->schema, c->no[i], STR_ARG(gbnf));
    grammar_fini(&g);
    arena_fini(&a);
}

static void test_schemas_allow_their_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        check(&cases[i]);
}

static void test_faults_say_what_is_wrong(void **state)
{
    (void)state;
    static const struct { const char *schema, *want; } bad[] = {
        {"{", "JSON, line 1"},
        {"[]", "must be an object"},
        {"{\"type\": \"strin\"}", "unknown type \"strin\""},
        {"{\"$ref\": \"#/a/b\"}", "there is no \"a\""},
        {"{\"$ref\": \"https://example.org/x\"}", "only references within the schema"},
        {"{\"type\": \"integer\", \"minimum\": 5, \"maximum\": 4}", "no integer is from 5 to 4"},
        {"{\"type\": \"string\", \"minLength\": -1}", "\"minLength\" must be an integer"},
        {"{\"type\": \"string\", \"pattern\": \"^(a$\"}", "invalid pattern"},
        {"{\"type\": \"string\", \"pattern\": \"^*$\"}", "nothing to repeat"},
        {"{\"anyOf\": []}", "an empty list of alternatives at \"root\""},
        {"{\"anyOf\": [{\"oneOf\": []}]}", "an empty list of alternatives at \"alternative-0\""},
        {"{\"enum\": []}", "an empty list of alternatives"},
        {"{\"type\": []}", "an empty list of alternatives"},
        {"{\"items\": 5}", "must be an object, it is a integer"},
        {"{\"allOf\": [{\"$ref\": \"#/allOf/0\"}]}", "go round in a circle"},
    };
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        Arena a;
        Str   gbnf;
        Fault f = {0};
        arena_init(&a, 64u << 20);
        assert_false(schema_to_grammar(&gbnf, &a, str_of(bad[i].schema), &f));
        if (!strstr(f.text, bad[i].want))
            fail_msg("%s: '%s' instead of '%s'", bad[i].schema, f.text, bad[i].want);
        arena_fini(&a);
    }
}

static void test_integer_ranges(void **state)
{
    (void)state;
    static const int64_t bounds[][2] = {{0, 0},    {0, 9},      {7, 13},   {-5, 5},
                                        {98, 102}, {-120, -97}, {115, 250}};
    for (size_t i = 0; i < COUNTOF(bounds); i++) {
        Arena   a;
        Str     gbnf;
        Grammar g;
        Fault   f = {0};
        char    text[120];
        arena_init(&a, 64u << 20);
        snprintf(text, sizeof text, "{\"type\": \"integer\", \"minimum\": %lld, \"maximum\": %lld}",
                 (long long)bounds[i][0], (long long)bounds[i][1]);
        assert_true(schema_to_grammar(&gbnf, &a, str_of(text), &f));
        assert_true(grammar_parse(&g, gbnf, NULL, NULL, &f));
        for (int64_t n = -300; n <= 300; n++) {
            snprintf(text, sizeof text, "%lld", (long long)n);
            if (match(&g, text) != (n >= bounds[i][0] && n <= bounds[i][1]))
                fail_msg("%s of %lld to %lld: %.*s", text, (long long)bounds[i][0],
                         (long long)bounds[i][1], STR_ARG(gbnf));
        }
        grammar_fini(&g);
        arena_fini(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schemas_allow_their_texts),
        cmocka_unit_test(test_faults_say_what_is_wrong),
        cmocka_unit_test(test_integer_ranges),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
