// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_test.c - templates: what they render to, what is wrong with them, their bounds.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <weft/model.h>

#include "model/jinja.h"

static const char variables[] = "{\"s\": \"h\xc3\xa9llo\", \"n\": 7, \"f\": 1.5, \"no\": "
                                "null, \"yes\": true, \"l\": [3, 1, 2], \"e\": [],"
                                " \"d\": {\"b\": 2, \"a\": 1}, \"users\": [{\"name\": "
                                "\"Bo\", \"age\": 5}, {\"name\": \"al\", \"age\": 9}],"
                                " \"nested\": {\"x\": [1, {\"y\": \"z\"}]}}";

typedef struct Case {
    const char *source, *want;
} Case;

static const Case cases[] = {
    /* white space */
    {"a\n{% if yes %}\nb\n{% endif %}\nc\n", "a\nb\nc"},
    {"a\n   {% if yes %}\n  b\n   {% endif %}\nc", "a\n  b\nc"},
    {"a   {%- if yes -%}   b   {%- endif -%}   c", "abc"},
    {"  {%+ if yes %}x{% endif +%}\ny", "  x\ny"},
    {"a {{- 'b' -}} c", "abc"},
    {"  {# note #}\nx{# more\n#}", "x"},
    {"{% raw %}{{ x }}{% endraw %}!", "{{ x }}!"},
    {"x\r\ny\r", "x\ny"},
    /* literals and printing */
    {"{{ 1 }} {{ 1.0 }} {{ 1e20 }} {{ 'a' 'b' }} {{ true }} {{ none }}|{{ [1, 'a', none] "
     "}}",
     "1 1.0 1e+20 ab True |[1, 'a', None]"},
    {"{{ (1,) }} {{ (1, 2) }} {{ {'k': [true]} }} {{ \"it's\" }} {{ [\"it's\", 'q\"'] }}",
     "(1,) (1, 2) {'k': [True]} it's [\"it's\", 'q\"']"},
    {"{{ 'a\\n\\t\\x41\\u00e9\\'' }}", "a\n\tA\xc3\xa9'"},
    {"{{ 0.1 }} {{ 1e-7 }} {{ 123456789.125 }} {{ 1e15 }} {{ 1e16 }} {{ -0.5 }}",
     "0.1 1e-07 123456789.125 1000000000000000.0 1e+16 -0.5"},
    /* operators */
    {"{{ 7 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 2 + 3 * 4 }}",
     "3.5 3 -4 2 1024 14"},
    {"{{ 'a' ~ 1 ~ none ~ 2.5 }} {{ 'ab' * 2 }} {{ [1] + [2] }} {{ 'x' + 5 }}",
     "a12.5 abab [1, 2] x5"},
    {"{{ 1 < 2 < 3 }} {{ 1 == 1.0 }} {{ 'a' in 'cat' }} {{ 9 not in l }} {{ 'a' in d }}",
     "True True True True True"},
    {"{{ not no }} {{ yes and 'x' }} {{ '' or 'y' }} {{ 1 if no else 2 }}|{{ 1 if no }}",
     "True x y 2|"},
    {"{{ -n | abs }} {{ (2 - 5) | abs }} {{ 3 - -2 }}", "7 3 5"},
    {"{{ '%s has %d, %.2f, %03d%%' % ('x', 3, 1.239, 7) }}", "x has 3, 1.24, 007%"},
    /* access */
    {"{{ d.a }} {{ d['b'] }} {{ nested.x[1].y }} {{ l[-1] }} {{ s[1] }} {{ missing }}|{{ "
     "d.zz.y }}|",
     "1 2 z 2 \xc3\xa9 ||"},
    {"{{ l[1:] }} {{ l[::-1] }} {{ s[1:3] }} {{ s[::-1] }} {{ l[-2:] }} {{ l[5:] }}",
     "[1, 2] [2, 1, 3] \xc3\xa9l oll\xc3\xa9h [1, 2] []"},
    /* statements */
    {"{% if n > 9 %}a{% elif n == 7 %}b{% else %}c{% endif %}", "b"},
    {"{% for x in l %}{{ loop.index }}{{ loop.first }}{{ loop.last }}{{ x }} {% endfor "
     "%}",
     "1TrueFalse3 2FalseFalse1 3FalseTrue2 "},
    {"{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for x in e %}{% else "
     "%}none{% endfor %}",
     "b=2;a=1;none"},
    {"{% for x in l if x > 1 %}{{ x }}{{ loop.length }} {% endfor %}", "32 22 "},
    {"{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}"
     "{% for x in l %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}",
     "323"},
    {"{% set x = 1 %}{% for i in l %}{% set x = i %}{% endfor %}{{ x }}", "1"},
    {"{% set ns = namespace(c=0) %}{% for i in l %}{% set ns.c = ns.c + i %}{% endfor "
     "%}{{ ns.c }}",
     "6"},
    {"{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set t %}in{{ n }}{% endset %}{{ t }}",
     "12in7"},
    {"{% macro m(a, b='z') %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(b=2, a=3) }}",
     "[1z][32]"},
    {"{% macro m() %}<{{ caller(5) }}>{% endmacro %}{% call(x) m() %}{{ x }}!{% endcall "
     "%}",
     "<5!>"},
    {"{% filter upper %}a{{ n }}b{% endfilter %}{% generation %}g{% endgeneration %}",
     "A7Bg"},
    {"{% set d2 = {} %}{% do d2.update({'k': 1}) %}{{ d2 }}", "{'k': 1}"},
    /* filters */
    {"{{ s | upper }} {{ 'aB c' | title }} {{ 'aB' | capitalize }} {{ ' x ' | trim }}| "
     "{{ s | length }}",
     "H\xc3\xa9LLO Ab C Ab x| 5"},
    {"{{ l | sort }} {{ l | sort(reverse=true) }} {{ l | max }} {{ l | min }} {{ l | sum "
     "}} {{ l | join('-') }}",
     "[1, 2, 3] [3, 2, 1] 3 1 6 3-1-2"},
    {"{{ users | map(attribute='name') | list }} {{ users | selectattr('age', 'gt', 6) | "
     "map(attribute='name') | first }}",
     "['Bo', 'al'] al"},
    {"{{ users | sort(attribute='name') | map(attribute='name') | join(',') }} {{ users "
     "| rejectattr('age') | list }}",
     "al,Bo []"},
    {"{{ [1, 2, 3, 4] | select('even') | list }} {{ [1, 1, 2] | unique | list }} {{ l | "
     "last }} {{ l | reverse | list }}",
     "[2, 4] [1, 2] 2 [2, 1, 3]"},
    {"{{ d | dictsort }} {{ d | items | list }} {{ d | length }}",
     "[('a', 1), ('b', 2)] [('b', 2), ('a', 1)] 2"},
    {"{{ d | tojson }} {{ [1.0, none, 'a\"\xc3\xa9'] | tojson }} {{ s | "
     "tojson(ensure_ascii=true) }}",
     "{\"b\": 2, \"a\": 1} [1.0, null, \"a\\\"\xc3\xa9\"] \"h\\u00e9llo\""},
    {"{{ {'a': [1, 2], 'b': {}} | tojson(indent=2) }}",
     "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}"},
    {"{{ d | tojson(separators=(',', ':'), sort_keys=true) }} {{ '{\"q\": [1]}' | "
     "from_json }}",
     "{\"a\":1,\"b\":2} {'q': [1]}"},
    {"{{ missing | default('x') }} {{ '' | default('y', true) }} {{ no | default('z') "
     "}}|",
     "x y |"},
    {"{{ '12' | int + 1 }} {{ 'q' | int(5) }} {{ 'ff' | int(base=16) }} {{ '1.5' | float "
     "}} {{ 2.7 | int }}",
     "13 5 255 1.5 2"},
    {"{{ 'a\nb\n' | indent(2) }}|{{ 'abcabc' | replace('b', 'X', 1) }} {{ 3.456 | "
     "round(1) }} {{ '<&>' | e }}",
     "a\n  b\n|aXcabc 3.5 &lt;&amp;&gt;"},
    {"{{ 'one two three four' | truncate(11, leeway=0) }} {{ 'a b  c' | wordcount }} {{ "
     "[1, 2, 3] | batch(2) | list }}",
     "one two... 3 [[1, 2], [3]]"},
    /* tests */
    {"{{ s is string }} {{ n is number }} {{ d is mapping }} {{ l is iterable }} {{ no "
     "is none }} {{ x is defined }}",
     "True True True True True False"},
    {"{{ 3 is odd }} {{ 4 is divisibleby 2 }} {{ yes is true }} {{ 'a' is in 'abc' }} {{ "
     "2 is not eq 3 }} {{ 'A' is upper }}",
     "True True True True True True"},
    /* methods */
    {"{{ 'a,b,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ "
     "'a,b,c'.rsplit(',', 1) }}",
     "['a', 'b', 'c'] ['a', 'b'] ['a', 'b,c'] ['a,b', 'c']"},
    {"{{ 'xxaxx'.strip('x') }} {{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', "
     "'c')) }} {{ 'a'.upper() }}",
     "a True True A"},
    {"{{ '-'.join(['a', 'b']) }} {{ 'abc'.find('c') }} {{ 'aXbX'.replace('X', '') }} {{ "
     "'{} {0} {k} {{}}'.format(1, k=2) }}",
     "a-b 2 ab 1 1 2 {}"},
    {"{% set q = [1] %}{% set _ = q.append(2) %}{% set _ = q.insert(0, 9) %}{{ q }}{{ "
     "q.pop() }}{{ q }}",
     "[9, 1, 2]2[9, 1]"},
    {"{{ d.get('a') }} {{ d.get('q') }}|{{ d.get('q', 5) }} {{ d.keys() | list }} {{ "
     "d.values() | list }}",
     "1 |5 ['b', 'a'] [2, 1]"},
    {"{{ range(3) | list }} {{ range(5, 0, -2) | list }} {{ dict(a=1) }} {{ "
     "'5'.isdigit() }} {{ '7'.zfill(3) }}",
     "[0, 1, 2] [5, 3, 1] {'a': 1} True 007"},
    {"{{ strftime_now('%Y-%m-%d') | length }} {{ no | trim }}|", "10 |"},
};

typedef struct Rendered {
    char  text[2048];
    Fault fault;
} Rendered;

static Rendered render(const char *source, uint64_t steps, size_t output)
{
    Rendered r = {0};
    Jinja    j;
    Arena    a;
    Str      out = {0};
    if (!jinja_parse(&j, str_of(source), &r.fault))
        return r;
    arena_init(&a, 256u << 20);
    JinjaRender how = {.max_steps = steps, .max_output = output, .now = 1700000000};
    assert_true(value_read_json(&how.variables, &a, STR(variables), &r.fault));
    if (jinja_render(&out, &a, &j, &how, &r.fault)) {
        assert_true(out.len < sizeof r.text);
        memcpy(r.text, out.data, out.len);
    }
    arena_fini(&a);
    jinja_fini(&j);
    return r;
}

static void test_templates_render(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Rendered r = render(cases[i].source, 100000, 10000);
        if (r.fault.kind != FAULT_NONE || strcmp(r.text, cases[i].want) != 0)
            fail_msg("%s\n  want: %s\n  got:  %s%s", cases[i].source, cases[i].want,
                     r.text, r.fault.text);
    }
}

static void test_faults_have_a_place(void **state)
{
    (void)state;
    static const Case bad[] = {
        {"a\n  {{ x", "line 2, column 3: the tag is not closed"},
        {"{% if x %}a", "not closed (elif else endif)"},
        {"{% endif %}", "line 1, column 4: unknown statement 'endif'"},
        {"{% include 'x' %}", "unknown statement 'include'"},
        {"{{ x | nofilter }}", "column 8: unknown filter 'nofilter'"},
        {"{{ x is notest }}", "unknown test 'notest'"},
        {"{{ 1 + }}", "expected an expression, not '}}'"},
        {"{{ (1 }}", "expected ')'"},
        {"{{ 'abc }}", "the string is not closed"},
        {"{# never", "the comment is not closed"},
        {"{{ 99999999999999999999 }}", "above 2^63"},
        {"{{ f(*l) }}", "* and ** are not supported"},
        {"\n{{ nothing() }}", "line 2, column 4: 'nothing' is undefined and cannot be called"},
        {"{{ n.upper() }}", "'upper' is undefined"},
        {"{{ 1 / 0 }}", "division by zero"},
        {"{{ n < s }}", "integer and string have no order"},
        {"{% for x in n %}{% endfor %}", "integer cannot be iterated"},
        {"{% set a, b = l %}", "3 values for 2 names"},
        {"{{ raise_exception('bad ' ~ n) }}", "bad 7"},
        {"{{ {[1]: 2} }}", "cannot be a key"},
        {"{{ 'x' | from_json }}", "from_json: JSON, line 1"},
        {"{{ s.split('') }}", "separator that is not empty"},
        {"{{ no.strip() }}", "'strip' is undefined"},
        {"{{ 'a' in no }}", "'in' needs a string, list or dictionary, not none"},
    };
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        Rendered r = render(bad[i].source, 100000, 10000);
        if (!strstr(r.fault.text, bad[i].want))
            fail_msg("%s: '%s' instead of '%s'", bad[i].source, r.fault.text, bad[i].want);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    static const Case bad[] = {
        {"{% for i in range(999999) %}{% endfor %}", "steps"},
        {"{% for i in range(9999) %}{{ 'long text' }}{% endfor %}", "bytes of output"},
        {"{{ 'x' * 99999999 }}", "steps"},
        {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "nested calls"},
        {"{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + "
         "ns.l %}{% endfor %}",
         "steps"},
        {"{% set ns = namespace(l=1, k=1) %}{% for i in range(60) %}{% set ns.l = [ns.l, "
         "ns.l] %}"
         "{% set ns.k = [ns.k, ns.k] %}{% endfor %}{{ ns.l == ns.k }}",
         "steps"},
        {"{% set l = [] %}{% set _ = l.append(l) %}{{ l }}", "nested too deeply"},
        {"{% set l = [] %}{% set _ = l.append(l) %}{{ l | tojson }}",
         "nested too deeply"},
    };
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        Rendered r = render(bad[i].source, 50000, 2000);
        if (!strstr(r.fault.text, bad[i].want))
            fail_msg("%s: '%s' instead of '%s'", bad[i].source, r.fault.text, bad[i].want);
    }
}

static void test_deep_sources(void **state)
{
    (void)state;
    static const char *const parts[] = {"(", "[", "{% if x %}", "-", "not ", "{{ {1:"};
    for (size_t i = 0; i < COUNTOF(parts); i++) {
        size_t len = strlen(parts[i]), count = 1500;
        char  *source = malloc(len * count + 8);
        strcpy(source, parts[i][0] == '{' ? "" : "{{ ");
        for (size_t k = 0; k < count; k++)
            strcat(source + (k ? strlen(source) : 0), parts[i]);
        Jinja j;
        Fault f = {0};
        assert_false(jinja_parse(&j, str_of(source), &f));
        assert_true(f.text[0]);
        free(source);
    }
}

/* A call of a tool has no content: templates that take it for a string get "". */
static void test_messages_without_a_content(void **state)
{
    static const weft_model_message messages[] = {
        {.role = "user", .content = "x"}, {.role = "assistant", .content = NULL}};
    static const Case texts[] = {
        {"{% for m in messages %}{{ m.content.strip() }};{% endfor %}", "x;;"},
        {"{% for m in messages %}{{ m.content is none }};{% endfor %}", "False;True;"},
    };
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    (void)state;
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        char   out[64] = "";
        size_t size = sizeof out - 1;
        weft_model_template *t = weft_model_template_create(ctx, &(weft_model_template_desc){
            .source = texts[i].source});
        assert_true(weft_model_template_render(out, &size, t, messages, 2, NULL));
        assert_string_equal(out, texts[i].want);
        weft_model_template_release(t);
    }
    weft_model_template *t = weft_model_template_create(ctx, &(weft_model_template_desc){
        .source = "{{ messages[1].content.nothing() }}"});
    assert_false(weft_model_template_render(NULL, &(size_t){0}, t, messages, 2, NULL));
    assert_non_null(strstr(weft_context_error(ctx)->message, "nothing"));
    weft_model_template_release(t);
    weft_context_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_templates_render),
        cmocka_unit_test(test_faults_have_a_place),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_deep_sources),
        cmocka_unit_test(test_messages_without_a_content),
    };
    return cmocka_run_group_tests_name("jinja", tests, NULL, NULL);
}
