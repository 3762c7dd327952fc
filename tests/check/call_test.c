// SPDX-License-Identifier: Apache-2.0
/*
 * call_test.c - calls that need a language feature, on devices without it.
 */
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

#include <weft/wgsl.h>

#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct Case {
    const char *source;
    const char *needs;                  /* the language feature */
    const char *id;                     /* what is reported without it */
} Case;

static const Case cases[] = {
    {"const a = dot4U8Packed(1, 2);", "packed_4x8_integer_dot_product", NULL},
    {"const a = dot4I8Packed(1, 2);", "packed_4x8_integer_dot_product", NULL},
    {"const a = pack4xI8(vec4(1));", "packed_4x8_integer_dot_product", NULL},
    {"const a = pack4xU8(vec4(1));", "packed_4x8_integer_dot_product", NULL},
    {"const a = pack4xI8Clamp(vec4(1));", "packed_4x8_integer_dot_product", NULL},
    {"const a = pack4xU8Clamp(vec4(1));", "packed_4x8_integer_dot_product", NULL},
    {"const a = unpack4xI8(1);", "packed_4x8_integer_dot_product", NULL},
    {"const a = unpack4xU8(1);", "packed_4x8_integer_dot_product", NULL},
    {"fn f() { textureBarrier(); }", "readonly_and_readwrite_storage_textures", NULL},
    {"fn f(p : ptr<function, i32>) {} fn g() { var a = vec2(1); var b = array(1); f(&b[0]); }",
     "unrestricted_pointer_parameters", "pointer_argument"},
    {"struct S { a : i32 } fn f(p : ptr<private, i32>) {} var<private> s : S;"
     "fn g() { let p = &s.a; f(p); }", "unrestricted_pointer_parameters", "pointer_argument"},
};

/* Pointers to whole variables need nothing. */
static const char *const plain[] = {
    "fn f(p : ptr<function, i32>) {} fn g() { var a = 1; f(&a); let p = &a; let q = p; f(q);"
    " f(&*p); }",
    "fn f(p : ptr<function, i32>) {} fn g(p : ptr<function, i32>) { f(p); f(&*p); }",
};

static weft_wgsl *make(const char *source, const char *const *language)
{
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = source, .language = language});
    assert_non_null(m);
    return m;
}

static void test_features_are_needed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const char *const with[] = {cases[i].needs, NULL}, *const without[] = {NULL};
        weft_wgsl *m = make(cases[i].source, with);
        assert_true(weft_wgsl_ok(m));
        weft_wgsl_release(m);

        m = make(cases[i].source, without);
        assert_false(weft_wgsl_ok(m));
        assert_int_equal(weft_wgsl_diagnostic_count(m), 1);
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(m, 0);
        assert_string_equal(d->id, cases[i].id ? cases[i].id : "feature_unavailable");
        assert_non_null(strstr(d->message, cases[i].needs));
        weft_wgsl_release(m);
    }
}

static void test_whole_variables_are_passed_without_features(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(plain); i++) {
        weft_wgsl *m = make(plain[i], (const char *const[]){NULL});
        assert_true(weft_wgsl_ok(m));
        weft_wgsl_release(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_are_needed),
        cmocka_unit_test(test_whole_variables_are_passed_without_features),
    };
    return cmocka_run_group_tests_name("call", tests, NULL, NULL);
}
