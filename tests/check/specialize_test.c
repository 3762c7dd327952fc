// SPDX-License-Identifier: Apache-2.0
/*
 * specialize_test.c - pipeline creation: values for overrides, and what is wrong
 * with them.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/wgsl.h>

#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

static weft_wgsl *make(const char *source)
{
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = source});
    assert_non_null(m);
    if (!weft_wgsl_ok(m))
        print_error("%s\n%s\n", source, weft_wgsl_diagnostic_get(m, 0)->message);
    assert_true(weft_wgsl_ok(m));
    return m;
}

typedef struct Case {
    const char *source;
    weft_override_value values[2];      /* those with a key                      */
    const char *why;                    /* part of the reason; NULL: it succeeds */
    uint32_t    x;                      /* the workgroup size then               */
} Case;

static void run(const Case *c)
{
    char message[256] = "?";
    uint32_t count = 0;
    weft_specialized out = {0};
    while (count < 2 && c->values[count].key)
        count++;
    weft_wgsl *m = make(c->source);
    bool ok = weft_wgsl_specialize(m, NULL, c->values, count, &out, message, sizeof message);
    if (ok != !c->why || (c->why && !strstr(message, c->why)))
        print_error("%s\n  -> %s\n", c->source, ok ? "success" : message);
    assert_int_equal(ok, !c->why);
    if (c->why)
        assert_non_null(strstr(message, c->why));
    else
        assert_int_equal(out.workgroup_size[0], c->x);
    weft_wgsl_release(m);
}

#define MAIN "@compute @workgroup_size(n) fn main() {}"
#define RUN(body) "@compute @workgroup_size(1) fn main() { " body " }"

static void test_values_come_from_defaults_and_settings(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"override n = 7;" MAIN, {{0}}, NULL, 7},
        {"override n = 7;" MAIN, {{"n", 9}}, NULL, 9},
        {"override n : u32;" MAIN, {{"n", 9}}, NULL, 9},
        {"@id(12) override n : u32;" MAIN, {{"12", 3}}, NULL, 3},
        {"override n = m * 2; override m = 4;" MAIN, {{0}}, NULL, 8},
        {"override n = m * 2; override m = 4;" MAIN, {{"m", 5}}, NULL, 10},
        {"override n = m / z; override m = 4; override z = 0;" MAIN, {{"n", 6}}, NULL, 6},
        {"override n = 1; override other : f32;" MAIN, {{0}}, NULL, 1},
        {"override n = select(3, 4, b); override b = false;" MAIN, {{"b", 1}}, NULL, 4},
        {"override n = vec2(x, 5).y; override x = 1;" MAIN, {{0}}, NULL, 5},
        {"override n = array(x, 6)[i]; override x = 1; override i = 1;" MAIN, {{0}}, NULL, 6},
        {"struct S { a : i32 } override n = S(x).a; override x = 4;" MAIN, {{0}}, NULL, 4},
        {"override n = -x; override x = -4;" MAIN, {{0}}, NULL, 4},
        {"override n = min(x, 3); override x = 4;" MAIN, {{0}}, NULL, 3},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        run(&cases[i]);
}

static void test_keys_must_name_overrides(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"override n = 1;" MAIN, {{"m", 1}}, "there is no override with the name or id 'm'", 0},
        {"@id(1) override n = 1;" MAIN, {{"n", 1}},
         "1:17: the override 'n' has an id, so it is set as '1'", 0},
        {"override n = 1;" MAIN, {{"", 1}}, "there is no override", 0},
        {"override n = 1;" MAIN, {{"n", 1}, {"n", 1}}, "'n' is given a value twice", 0},
        {"override n : u32;" MAIN, {{0}}, "1:10: the override 'n' has no default", 0},
        {"override n = m; override m : i32;" MAIN, {{0}}, "the override 'm' has no default", 0},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        run(&cases[i]);
}

static void test_values_must_fit_their_types(void **state)
{
    (void)state;
    static const struct { const char *type; double value; bool fits; } rows[] = {
        {"i32", 2147483647.0, true}, {"i32", 2147483648.0, false}, {"i32", 2147483647.9, true},
        {"i32", -2147483648.0, true}, {"i32", -2147483649.0, false}, {"i32", NAN, false},
        {"u32", 4294967295.0, true}, {"u32", 4294967296.0, false}, {"u32", -0.9, true},
        {"u32", -1.0, false}, {"u32", INFINITY, false},
        {"f32", 3.4028234663852886e38, true}, {"f32", 3.4028235677973366e38, false},
        {"f32", -INFINITY, false}, {"f32", 1e-300, true},
        {"f16", 65504.0, true}, {"f16", 65519.0, true}, {"f16", 65520.0, false},
        {"f16", 1e30, false}, {"f16", NAN, false},
        {"bool", 0.0, true}, {"bool", 1e300, true}, {"bool", NAN, true},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        char source[160];
        snprintf(source, sizeof source, "enable f16; override o : %s; " RUN("_ = o;"),
                 rows[i].type);
        const Case c = {source, {{"o", rows[i].value}},
                        rows[i].fits ? NULL : "does not fit the override 'o'", 1};
        run(&c);
    }
}

static void test_settings_of_unused_overrides_must_fit_too(void **state)
{
    (void)state;
    const Case wrong = {"override n = 1; override other : u32;" MAIN, {{"other", -1}},
                        "does not fit the override 'other'", 0};
    const Case right = {"override n = 1; override other : u32;" MAIN, {{"other", 1}}, NULL, 1};
    run(&wrong);
    run(&right);
}

static void test_sizes_must_be_positive(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"override n = 1;" MAIN, {{"n", 0}}, "a workgroup size must be at least 1, but is 0", 0},
        {"override n = 1;" MAIN, {{"n", -5}}, "but is -5", 0},
        {"override n = 4u; var<workgroup> w : array<f32, n>;" RUN("w[0] = 1;"), {{"n", 0}},
         "the number of elements of an array must be at least 1, but is 0", 0},
        {"override n = 4; var<workgroup> w : array<f32, n - 8>;" RUN("w[0] = 1;"), {{0}},
         "but is -4", 0},
        {"override n = 4u; var<workgroup> w : array<mat4x4f, n>;" RUN("w[0] = mat4x4f();"),
         {{"n", 4294967295.0}}, "'w' takes more than 4294967295 bytes", 0},
        {"override n = 0u; var<workgroup> unused : array<f32, n>;" RUN(""), {{0}}, NULL, 1},
        {"enable subgroups; enable subgroup_size_control; override n = 8; override s = 8;"
         "@compute @workgroup_size(n) @subgroup_size(s) fn main() {}", {{"s", 4}}, NULL, 8},
        {"enable subgroups; enable subgroup_size_control; override n = 8; override s = 8;"
         "@compute @workgroup_size(n) @subgroup_size(s) fn main() {}", {{"s", 6}},
         "must be a power of two, but is 6", 0},
        {"enable subgroups; enable subgroup_size_control; override n = 8; override s = 8;"
         "@compute @workgroup_size(n) @subgroup_size(s) fn main() {}", {{"n", 12}},
         "the first workgroup size, 12, must be a multiple of the subgroup size, 8", 0},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        run(&cases[i]);
}

/* What a const-expression would have been rejected for, in functions too. */
static void test_expressions_are_evaluated(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"override o = 1;" RUN("_ = 10 / o;"), {{"o", 0}}, "1:60: 10 / 0 divides by zero", 0},
        {"override o = 1;" RUN("_ = 10 / o;"), {{"o", 5}}, NULL, 1},
        {"override o = 1; fn f() -> i32 { return 1 % o; }" RUN("_ = f();"), {{"o", 0}}, ":", 0},
        {"override o = 1; fn f() -> i32 { return 1 % o; }" RUN(""), {{"o", 0}}, NULL, 1},
        {"override o = 1; fn f() -> i32 { return 1 % o; } fn g() -> i32 { return f(); }"
         RUN("_ = g();"), {{"o", 0}}, ":", 0},
        {"override o = 1; var<private> p = 1 / o;" RUN("_ = p;"), {{"o", 0}}, ":", 0},
        {"override o = 1; var<private> p = 1 / o;" RUN(""), {{"o", 0}}, NULL, 1},
        {"override o = true; override z = 0;" RUN("_ = o && 1 / z == 1;"), {{"o", 0}}, NULL, 1},
        {"override o = true; override z = 0;" RUN("_ = o && 1 / z == 1;"), {{0}}, ":", 0},
        {"override o = true; override z = 0;" RUN("_ = o || 1 / z == 1;"), {{0}}, NULL, 1},
        {"override o = 1u;" RUN("_ = 1u << o;"), {{"o", 32}}, ":", 0},
        {"override o = 0;" RUN("_ = vec3(1, 2, 3)[o];"), {{"o", 3}}, ":", 0},
        {"override o = 1.0;" RUN("_ = o * 3e38;"), {{"o", 10}}, ":", 0},
        {"override o = 1.0;" RUN("_ = sqrt(o);"), {{"o", -1}}, ":", 0},
        /* Only one operand is known: */
        {"override o = 1;" RUN("var x = 8; _ = x / o;"), {{"o", 0}}, ":", 0},
        {"override o = 1;" RUN("var x = 8; x /= o;"), {{"o", 0}}, ":", 0},
        {"override o = 1;" RUN("var x = 8; x /= o;"), {{"o", 2}}, NULL, 1},
        {"override o = 1u;" RUN("var x = 8; x <<= o;"), {{"o", 32}}, ":", 0},
        {"override o = 1;" RUN("var x = array<i32, 4>(); _ = x[o];"), {{"o", 4}}, ":", 0},
        {"override o = 1;" RUN("var x = vec2(0); _ = x[o];"), {{"o", -1}}, ":", 0},
        {"override o = 1.0;" RUN("var x = 8.0; _ = clamp(x, 2.0, o);"), {{0}}, ":", 0},
        {"override o = 1.0;" RUN("var x = 8.0; _ = clamp(x, 2.0, o);"), {{"o", 3}}, NULL, 1},
        {"override n = 4; var<workgroup> w : array<f32, n>; override o = 1;"
         RUN("w[o] = 1;"), {{"o", 4}}, "the index 4 is outside an array of 4 elements", 0},
        /* An index that is known, in an array whose size is not. */
        {"override n = 4u; var<workgroup> w : array<f32, n>;" RUN("w[5] = 1;"), {{0}},
         "1:93: the index 5 is outside an array of 4 elements", 0},
        {"override n = 4u; var<workgroup> w : array<f32, n>;" RUN("w[2 + 3] += 1;"), {{"n", 5}},
         "the index 5 is outside an array of 5 elements", 0},
        {"override n = 4u; var<workgroup> w : array<f32, n>;"
         RUN("let p = &w; _ = (*p)[5]; _ = p[5];"), {{"n", 6}}, NULL, 1},
        {"override n = 4u; var<workgroup> w : array<f32, n>;" RUN("let p = &w; _ = p[6];"),
         {{"n", 6}}, "the index 6 is outside an array of 6 elements", 0},
        {"override n = 4; var<workgroup> w : array<f32, n>; override o = 1;"
         RUN("w[o] = 1;"), {{"n", 5}, {"o", 4}}, NULL, 1},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        run(&cases[i]);
}

/* Rules about arguments of builtins that have no value of their own. */
static void test_arguments_of_builtins_are_held_to_their_rules(void **state)
{
#define SHUFFLE "enable subgroups; override o = 1u;" RUN("_ = subgroupShuffleUp(1, o);")
#define VIEW    "@group(0) @binding(0) var<storage> b : buffer<64>; override o = 0u;"
#define SIZED   "override n = 64u; var<workgroup> b : buffer<n>;"
    (void)state;
    static const Case cases[] = {
        {SHUFFLE, {{"o", 127}}, NULL, 1},
        {SHUFFLE, {{"o", 128}}, "the argument 'delta' of 'subgroupShuffleUp' is 128", 0},
        {VIEW RUN("_ = bufferView<vec4f>(&b, o);"), {{"o", 48}}, NULL, 1},
        {VIEW RUN("_ = bufferView<vec4f>(&b, o);"), {{"o", 40}}, "not a multiple of 16", 0},
        {VIEW RUN("_ = bufferView<vec4f>(&b, o);"), {{"o", 64}}, "ends at byte 80", 0},
        {VIEW RUN("_ = bufferArrayView<array<u32>>(&b, 0, o);"), {{"o", 6}}, "whole number", 0},
        {VIEW "fn f(p : ptr<storage, buffer>) { _ = bufferView<u32>(p, o); }" RUN("f(&b);"),
         {{"o", 60}}, NULL, 1},
        {VIEW "fn f(p : ptr<storage, buffer>) { _ = bufferView<u32>(p, o); }" RUN("f(&b);"),
         {{"o", 64}}, "the buffer has 64 bytes, but is viewed up to byte 68", 0},
        {SIZED RUN("_ = bufferView<vec4f>(&b, 16);"), {{"n", 32}}, NULL, 1},
        {SIZED RUN("_ = bufferView<vec4f>(&b, 16);"), {{"n", 28}}, "the buffer has 28", 0},
        /* What the left side of && or || rules out is not evaluated. */
        {"override o = 0;" RUN("var x = 1; _ = false && x > 1 / o;"), {{0}}, NULL, 1},
        {"override o = 0;" RUN("var x = 1; _ = true || x / o > o + 5000000000;"), {{0}}, NULL, 1},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        run(&cases[i]);
#undef SIZED
#undef VIEW
#undef SHUFFLE
}

static void test_workgroup_memory_follows_the_sizes(void **state)
{
    (void)state;
    weft_specialized out;
    const weft_override_value n = {"n", 10};
    weft_wgsl *m = make("override n = 4; var<workgroup> a : array<f32, n>;"
                        "var<workgroup> b : bool; var<workgroup> c : array<vec3f, n * n>;"
                        RUN("a[0] = 1; b = true; c[0].x = 1;"));
    assert_true(weft_wgsl_specialize(m, "main", NULL, 0, &out, NULL, 0));
    assert_int_equal(out.workgroup_memory, 16 + 16 + 256);
    assert_true(weft_wgsl_specialize(m, "main", &n, 1, &out, NULL, 0));
    assert_int_equal(out.workgroup_memory, 48 + 16 + 1600);
    assert_int_equal(out.subgroup_size, 0);
    weft_wgsl_release(m);
}

static void test_the_entry_point_is_found(void **state)
{
    (void)state;
    char message[40];
    weft_wgsl *m = make("@compute @workgroup_size(1) fn a() {}"
                        "@fragment fn b() {} fn c() {}");
    assert_true(weft_wgsl_specialize(m, "a", NULL, 0, NULL, NULL, 0));
    assert_true(weft_wgsl_specialize(m, "b", NULL, 0, NULL, NULL, 0));
    assert_false(weft_wgsl_specialize(m, "c", NULL, 0, NULL, message, sizeof message));
    assert_string_equal(message, "the module has no entry point of this n");
    assert_false(weft_wgsl_specialize(m, NULL, NULL, 0, NULL, message, 1));
    assert_string_equal(message, "");
    weft_wgsl_release(m);
}

/* Chains as long as the text: no recursion may follow them. */
static void test_long_chains_are_evaluated(void **state)
{
    (void)state;
    enum { LINKS = 3000 };
    char *text = malloc(LINKS * 40 + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "override o0 = 1;\n");
    for (int i = 1; i < LINKS; i++)
        at += sprintf(at, "override o%d = o%d;\n", i, i - 1);
    sprintf(at, "@compute @workgroup_size(o%d) fn main() {}", LINKS - 1);
    const Case overrides = {text, {{"o0", 6}}, NULL, 6};
    run(&overrides);

    at = text + sprintf(text, "override o = 1;\n@compute @workgroup_size(o");
    for (int i = 0; i < LINKS; i++)
        at += sprintf(at, " + o");
    sprintf(at, ") fn main() {}");
    const Case sum = {text, {{0}}, NULL, LINKS + 1};
    run(&sum);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_come_from_defaults_and_settings),
        cmocka_unit_test(test_keys_must_name_overrides),
        cmocka_unit_test(test_values_must_fit_their_types),
        cmocka_unit_test(test_settings_of_unused_overrides_must_fit_too),
        cmocka_unit_test(test_sizes_must_be_positive),
        cmocka_unit_test(test_expressions_are_evaluated),
        cmocka_unit_test(test_arguments_of_builtins_are_held_to_their_rules),
        cmocka_unit_test(test_workgroup_memory_follows_the_sizes),
        cmocka_unit_test(test_the_entry_point_is_found),
        cmocka_unit_test(test_long_chains_are_evaluated),
    };
    return cmocka_run_group_tests_name("specialize", tests, NULL, NULL);
}
