/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_test.c - compile-time values: parts, zeros, equality, text.
 */
#include "bench.h"

#include <float.h>
#include <locale.h>
#include <string.h>

static Bench bench;

static int setup(void **state)
{
    (void)state;
    bench_init(&bench);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bench_fini(&bench);
    return 0;
}

static const Value *val(const char *text)
{
    return bench_value(&bench, text);
}

static const char *printed(const Value *v)
{
    Text out = {.arena = &bench.arena};
    value_print(&out, v);
    return out.data;
}

static void test_scalars_hold_the_ends_of_their_types(void **state)
{
    (void)state;
    Arena *a = &bench.arena;
    TypeTable *t = &bench.types;
    assert_int_equal(value_int(a, t->i32, INT32_MIN)->integer, INT32_MIN);
    assert_int_equal(value_int(a, t->u32, UINT32_MAX)->integer, UINT32_MAX);
    assert_int_equal(value_int(a, t->abstract_int, INT64_MIN)->integer, INT64_MIN);
    assert_true(value_real(a, t->f32, (double)FLT_MAX)->real == (double)FLT_MAX);
    assert_true(value_real(a, t->f16, 0x1p-24)->real == 0x1p-24);
    assert_true(value_real(a, t->abstract_float, DBL_MAX)->real == DBL_MAX);
    assert_true(value_bool(a, t, true)->boolean);
}

static void test_a_zero_array_costs_nothing(void **state)
{
    (void)state;
    const Type *type = bench_type(&bench, "array<array<vec4<f32>, 2147483648>, 134217728>");
    size_t before = bench.arena.used;
    const Value *zero = value_zero(&bench.arena, type);
    assert_null(zero->parts);
    const Value *inner = value_part(&bench.arena, &bench.types, zero, 134217727);
    assert_ptr_equal(inner->type, type->array.of);
    const Value *last = value_part(&bench.arena, &bench.types, inner, 2147483647);
    assert_true(value_equal(last, val("vec4<f32>()")));
    assert_true(value_is_zero(zero));
    assert_true(value_equal(zero, value_zero(&bench.arena, type)));
    assert_string_equal(printed(zero),
                        "array<array<vec4<f32>, 2147483648>, 134217728>()");
    assert_true(bench.arena.used - before < 100000);
}

static void test_composites_of_zeros_have_no_parts(void **state)
{
    (void)state;
    assert_null(val("vec3<f32>(0, 0, 0)")->parts);
    assert_null(val("array<vec2<i32>, 2>(vec2<i32>(0, 0), vec2<i32>())")->parts);
    assert_non_null(val("vec3<f32>(0, -0.0, 0)")->parts);
    assert_true(value_equal(val("mat2x2<f32>(0, 0, 0, 0)"), val("mat2x2<f32>()")));
}

static void test_parts_are_counted_and_shared(void **state)
{
    (void)state;
    const Value *m = val("mat2x3<f32>(1, 2, 3, 4, 5, 6)");
    assert_int_equal(value_part_count(m->type), 2);
    assert_true(value_equal(value_part(&bench.arena, &bench.types, m, 1),
                            val("vec3<f32>(4, 5, 6)")));
    assert_ptr_equal(value_part(&bench.arena, &bench.types, m, 1), m->parts[1]);
    assert_int_equal(value_part_count(bench_type(&bench, "modf<f32>")), 2);
    assert_int_equal(value_part_count(bench.types.f32), 0);
}

static void test_equality_is_of_type_and_value(void **state)
{
    (void)state;
    static const struct { const char *x, *y; bool equal; } cases[] = {
        { "1i", "1i", true }, { "1i", "2i", false }, { "1i", "1u", false }, { "1", "1.0", false },
        { "0.0f", "-0.0f", false }, { "-0.0f", "-0.0f", true }, { "true", "true", true },
        { "true", "false", false }, { "vec2<f32>(1, 2)", "vec2<f32>(1, 2)", true },
        { "vec2<f32>(1, 2)", "vec2<f32>(1, 3)", false },
        { "vec2<f32>(1, 2)", "vec2<f32>()", false }, { "vec2<f32>()", "vec2<f32>()", true },
        { "modf<f32>(0.5, 1)", "modf<f32>(0.5, 1)", true },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        if (value_equal(val(cases[i].x), val(cases[i].y)) != cases[i].equal)
            fail_msg("%s, %s", cases[i].x, cases[i].y);
}

static void test_values_print_as_wgsl_writes_them(void **state)
{
    (void)state;
    static const struct { const char *value, *want; } cases[] = {
        { "1i", "1i" }, { "-1i", "-1i" }, { "i32(-2147483648)", "i32(-2147483648)" },
        { "4294967295u", "4294967295u" }, { "7", "7" },
        { "-9223372036854775807", "-9223372036854775807" },
        { "1.0f", "1.0f" }, { "0.1f", "0.1f" }, { "16777216.0f", "16777216.0f" },
        { "0x1p-149f", "1e-45f" }, { "3.4028234663852886e38f", "3.4028235e+38f" },
        { "0.1h", "0.1h" },
        { "65504.0h", "65504.0h" },
        { "-1e14f", "-100000000376832.0f" },
        { "0x1p-24h", "6e-08h" },
        { "0.1", "0.1" }, { "1e300", "1e+300" }, { "100.0", "100.0" }, { "-0.0", "-0.0" },
        { "true", "true" }, { "false", "false" },
        { "vec3<f32>(1, 2.5, -3)", "vec3<f32>(1.0, 2.5, -3.0)" },
        { "vec2<i32>(-2147483648, 2)", "vec2<i32>(-2147483648, 2)" },
        { "vec2<f32>(0, 0)", "vec2<f32>()" },
        { "mat2x2<f16>(1, 2, 3, 4)", "mat2x2<f16>(vec2<f16>(1.0, 2.0), vec2<f16>(3.0, 4.0))" },
        { "frexp<f32>(0.5, 2)", "__frexp_result_f32(0.5f, 2i)" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_string_equal(printed(val(cases[i].value)), cases[i].want);
    Text out = {.arena = &bench.arena};
    value_print_plain(&out, val("i32(-2147483648)"));
    assert_string_equal(out.data, "-2147483648");
}

static void test_long_values_are_shortened(void **state)
{
    (void)state;
    const Type *type = bench_type(&bench, "array<i32, 1000>");
    const Value *parts[1000];
    for (int i = 0; i < 1000; i++)
        parts[i] = value_int(&bench.arena, bench.types.i32, i + 1);
    const char *text = printed(value_composite(&bench.arena, type, parts));
    assert_non_null(strstr(text, ", 64, ...)"));
    assert_null(strstr(text, "65"));
}

static void test_a_decimal_comma_of_the_locale_does_not_show(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < COUNTOF(locales) && !set; i++)
        set = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!set)
        skip();
    const Value *v = value_real(&bench.arena, bench.types.f32, 2.5);
    const char *text = printed(v);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "2.5f");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_scalars_hold_the_ends_of_their_types),
        TEST(test_a_zero_array_costs_nothing),
        TEST(test_composites_of_zeros_have_no_parts),
        TEST(test_parts_are_counted_and_shared),
        TEST(test_equality_is_of_type_and_value),
        TEST(test_values_print_as_wgsl_writes_them),
        TEST(test_long_values_are_shortened),
        TEST(test_a_decimal_comma_of_the_locale_does_not_show),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
