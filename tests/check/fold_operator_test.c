/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_operator_test.c - operators, conversions, constructors, indexing.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static Bench bench;
static const Span span = {10, 20};

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

static const Type *ty(const char *text)
{
    return bench_type(&bench, text);
}

/* ---- binary ---- */

static BinOp op_of(const char *text)
{
    static const char *const texts[] = {
#define BINOP(kind, text) text,
#include "syntax/ops.def"
#undef BINOP
    };
    for (size_t i = 0; i < COUNTOF(texts); i++)
        if (strcmp(texts[i], text) == 0)
            return (BinOp)i;
    fail_msg("'%s' is no operator", text);
    return BINOP_ADD;
}

static bool is_product(BinOp op, const Type *x, const Type *y)
{
    return op == BINOP_MUL && !type_is_scalar(x) && !type_is_scalar(y)
        && (x->kind == TYPE_MATRIX || y->kind == TYPE_MATRIX);
}

static const Type *product_type(const Type *x, const Type *y)
{
    TypeTable *t = &bench.types;
    const Type *of = type_scalar_of(x);
    if (x->kind == TYPE_VECTOR)
        return type_vector(t, of, y->matrix.columns);
    if (y->kind == TYPE_VECTOR)
        return type_vector(t, of, x->matrix.rows);
    return type_matrix(t, of, y->matrix.columns, x->matrix.rows);
}

static const Type *result_type(BinOp op, const Type *x, const Type *y)
{
    TypeTable *t = &bench.types;
    if (is_product(op, x, y))
        return product_type(x, y);
    const Type *shape = type_is_scalar(x) ? y : x;
    if (op == BINOP_SHL || op == BINOP_SHR)
        return x;
    if (op < BINOP_EQ)
        return shape;
    return shape->kind == TYPE_VECTOR ? type_vector(t, t->boolean, shape->vector.width)
                                      : t->boolean;
}

typedef struct BinaryCase {
    const char *x, *op, *y, *want;
} BinaryCase;

static void run_binary(const BinaryCase *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const BinaryCase *c = &cases[i];
        char what[256];
        snprintf(what, sizeof what, "%s %s %s", c->x, c->op, c->y);
        const Value *x = val(c->x), *y = val(c->y);
        BinOp op = op_of(c->op);
        const Type *result = result_type(op, x->type, y->type);
        const Value *got = fold_binary(&bench.fold, span, op, result, x, y);
        if (got)
            assert_ptr_equal(got->type, result);
        bench_expect(&bench, what, got, c->want);
    }
}

#define RUN(run, cases) run(cases, COUNTOF(cases))

static void test_concrete_integers_wrap(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "1i", "+", "2i", "3i" }, { "2147483647i", "+", "1i", "i32(-2147483648)" },
        { "i32(-2147483648)", "-", "1i", "2147483647i" },
        { "-1i", "*", "i32(-2147483648)", "i32(-2147483648)" },
        { "65536i", "*", "65536i", "0i" }, { "46341i", "*", "46341i", "-2147479015i" },
        { "4294967295u", "+", "1u", "0u" }, { "0u", "-", "1u", "4294967295u" },
        { "4294967295u", "*", "4294967295u", "1u" }, { "5u", "-", "7u", "4294967294u" },
        { "vec2<i32>(2147483647, 1)", "+", "vec2<i32>(1, 1)", "vec2<i32>(-2147483648, 2)" },
        { "vec3<u32>(1, 2, 3)", "*", "2u", "vec3<u32>(2, 4, 6)" },
        { "2u", "-", "vec2<u32>(1, 3)", "vec2<u32>(1, 4294967295)" },
    };
    RUN(run_binary, cases);
}

static void test_abstract_integers_do_not_overflow(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "9223372036854775806", "+", "1", "9223372036854775807" },
        { "9223372036854775807", "+", "1", "!overflow" },
        { "int(-9223372036854775808)", "+", "-1", "!overflow" },
        { "int(-9223372036854775808)", "-", "1", "!overflow" },
        { "0", "-", "int(-9223372036854775808)", "!overflow" },
        { "-1", "-", "int(-9223372036854775808)", "9223372036854775807" },
        { "int(-9223372036854775808)", "-", "int(-9223372036854775808)", "0" },
        { "3037000500", "*", "3037000500", "!overflow" },
        { "3037000499", "*", "3037000499", "9223372030926249001" },
        { "-3037000500", "*", "3037000500", "!overflow" },
        { "-3037000500", "*", "-3037000500", "!overflow" },
        { "int(-9223372036854775808)", "*", "1", "int(-9223372036854775808)" },
        { "int(-9223372036854775808)", "*", "-1", "!overflow" },
        { "-1", "*", "int(-9223372036854775808)", "!overflow" },
        { "4611686018427387904", "*", "-2", "int(-9223372036854775808)" },
        { "4611686018427387904", "*", "2", "!overflow" },
        { "0", "*", "int(-9223372036854775808)", "0" },
        { "vec2<int>(1, 9223372036854775807)", "+", "vec2<int>(1, 1)", "!overflow" },
        { "8589934591", "/", "8", "1073741823" },
    };
    RUN(run_binary, cases);
}

static void test_integer_division(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "7i", "/", "2i", "3i" }, { "-7i", "/", "2i", "-3i" }, { "7i", "/", "-2i", "-3i" },
        { "7i", "%", "-2i", "1i" }, { "-7i", "%", "2i", "-1i" }, { "7u", "%", "4u", "3u" },
        { "4294967295u", "/", "2u", "2147483647u" },
        { "1i", "/", "0i", "!division_by_zero" }, { "1i", "%", "0i", "!division_by_zero" },
        { "1u", "/", "0u", "!division_by_zero" }, { "1u", "%", "0u", "!division_by_zero" },
        { "1", "/", "0", "!division_by_zero" }, { "1", "%", "0", "!division_by_zero" },
        { "i32(-2147483648)", "/", "-1i", "!overflow" },
        { "i32(-2147483648)", "%", "-1i", "!overflow" },
        { "-2147483647i", "/", "-1i", "2147483647i" },
        { "int(-9223372036854775808)", "/", "-1", "!overflow" },
        { "int(-9223372036854775808)", "%", "-1", "!overflow" },
        { "int(-2147483648)", "/", "-1", "2147483648" },
        { "vec2<i32>(1, 2)", "/", "vec2<i32>(1, 0)", "!division_by_zero" },
        { "vec2<i32>(6, 9)", "/", "3i", "vec2<i32>(2, 3)" },
    };
    RUN(run_binary, cases);
}

static void test_float_arithmetic(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "1.5f", "+", "2.5f", "4f" }, { "16777216f", "+", "1f", "16777216f" },
        { "16777216.0", "+", "1.0", "16777217.0" }, { "2048h", "+", "1h", "2048h" },
        { "2048h", "+", "3h", "2052h" }, { "1f", "/", "3f", "0.333333343f" },
        { "0x1p-149f", "/", "2f", "0f" }, { "0x1.8p-148f", "/", "2f", "0x1p-148f" },
        { "0x1p-24h", "*", "0.5h", "0h" }, { "0x1.8p-23h", "*", "0.25h", "0x1p-24h" },
        { "3.4028234663852886e38f", "+", "1e30f", "3.4028234663852886e38f" },
        { "3.4028234663852886e38f", "+", "3.4028234663852886e38f", "!overflow" },
        { "3.4028234663852886e38f", "+", "2e31f", "!overflow" },
        { "1e30f", "*", "1e30f", "!overflow" }, { "-1e30f", "*", "1e30f", "!overflow" },
        { "65504h", "+", "8h", "65504h" }, { "65504h", "+", "16h", "!overflow" },
        { "1e200", "*", "1e200", "!overflow" }, { "1e30", "*", "1e30", "1.0000000000000001e60" },
        { "1f", "/", "0f", "!division_by_zero" }, { "0f", "/", "0f", "!division_by_zero" },
        { "1.0", "/", "-0.0", "!division_by_zero" }, { "1h", "%", "0h", "!division_by_zero" },
        { "1e30f", "/", "1e-30f", "!overflow" }, { "-1.0", "/", "2.0", "-0.5" },
        { "5.5f", "%", "2f", "1.5f" }, { "-5.5f", "%", "2f", "-1.5f" },
        { "5.5f", "%", "-2f", "1.5f" }, { "1e38f", "%", "1e-38f", "0x1.a3d838p-127f" },
        { "0f", "-", "0f", "0f" }, { "0f", "*", "-1f", "-0.0f" },
        { "vec2<f32>(1e30, 1)", "*", "vec2<f32>(1, 2)", "vec2<f32>(1e30, 2)" },
        { "vec2<f32>(1, 1e30)", "*", "vec2<f32>(1, 1e30)", "!overflow" },
        { "2f", "/", "vec2<f32>(1, 4)", "vec2<f32>(2, 0.5)" },
        { "2f", "/", "vec2<f32>(1, 0)", "!division_by_zero" },
    };
    RUN(run_binary, cases);
}

static void test_matrix_arithmetic(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "mat2x2<f32>(1, 2, 3, 4)", "+", "mat2x2<f32>(1, 1, 1, 1)", "mat2x2<f32>(2, 3, 4, 5)" },
        { "mat2x2<f32>(1, 2, 3, 4)", "-", "mat2x2<f32>(1, 1, 1, 1)", "mat2x2<f32>(0, 1, 2, 3)" },
        { "mat2x3<f16>(1, 2, 3, 4, 5, 6)", "*", "2h", "mat2x3<f16>(2, 4, 6, 8, 10, 12)" },
        { "2.0", "*", "mat2x2<float>(1, 2, 3, 4)", "mat2x2<float>(2, 4, 6, 8)" },
        { "mat2x3<f32>(1, 2, 3, 4, 5, 6)", "*", "vec2<f32>(1, 10)", "vec3<f32>(41, 52, 63)" },
        { "vec3<f32>(1, 10, 100)", "*", "mat2x3<f32>(1, 2, 3, 4, 5, 6)", "vec2<f32>(321, 654)" },
        { "mat2x2<f32>(1, 2, 3, 4)", "*", "mat2x2<f32>(5, 6, 7, 8)",
          "mat2x2<f32>(23, 34, 31, 46)" },
        { "mat3x2<f32>(1, 2, 3, 4, 5, 6)", "*", "mat2x3<f32>(1, 0, 0, 0, 1, 1)",
          "mat2x2<f32>(1, 2, 8, 10)" },
        { "mat2x3<float>(1, 2, 3, 4, 5, 6)", "*", "mat4x2<float>(1, 0, 0, 1, 1, 1, 2, 2)",
          "mat4x3<float>(1, 2, 3, 4, 5, 6, 5, 7, 9, 10, 14, 18)" },
        { "mat2x2<f32>(1e30, 0, 0, 1)", "*", "mat2x2<f32>(1e30, 0, 0, 1)", "!overflow" },
        { "mat2x2<f32>(3e38, 0, 3e38, 0)", "*", "vec2<f32>(1, 1)", "!overflow" },
        { "mat2x2<f16>(300, 0, 0, 1)", "*", "300h", "!overflow" },
    };
    RUN(run_binary, cases);
}

static void test_comparisons(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "1i", "<", "2i", "true" }, { "-1i", "<", "1i", "true" },
        { "4294967295u", ">", "1u", "true" }, { "2i", "<=", "2i", "true" },
        { "2i", "<", "2i", "false" }, { "2.5f", ">=", "2.5f", "true" },
        { "0.0f", "==", "-0.0f", "true" }, { "0.0f", "<", "-0.0f", "false" },
        { "0.1", "==", "0.1", "true" }, { "1h", "!=", "2h", "true" },
        { "true", "==", "true", "true" }, { "true", "!=", "true", "false" },
        { "int(-9223372036854775808)", "<", "9223372036854775807", "true" },
        { "vec3<i32>(1, 2, 3)", "<", "vec3<i32>(3, 2, 1)", "vec3<bool>(true, false, false)" },
        { "vec2<bool>(true, false)", "==", "vec2<bool>(true, true)", "vec2<bool>(true, false)" },
        { "vec2<float>(1, 2)", ">", "vec2<float>(1, 1)", "vec2<bool>(false, true)" },
    };
    RUN(run_binary, cases);
}

static void test_bitwise(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "12i", "&", "10i", "8i" }, { "12u", "|", "10u", "14u" }, { "12", "^", "10", "6" },
        { "-1i", "&", "255i", "255i" }, { "-1i", "^", "0i", "-1i" },
        { "2147483648u", "|", "1u", "2147483649u" },
        { "-1i", "&", "i32(-2147483648)", "i32(-2147483648)" },
        { "true", "&", "false", "false" }, { "true", "|", "false", "true" },
        { "vec2<bool>(true, false)", "|", "vec2<bool>(false, false)", "vec2<bool>(true, false)" },
        { "vec2<u32>(6, 5)", "&", "vec2<u32>(3, 4)", "vec2<u32>(2, 4)" },
        { "-1", "&", "1099511627775", "1099511627775" },
    };
    RUN(run_binary, cases);
}

static void test_shifts(void **state)
{
    (void)state;
    static const BinaryCase cases[] = {
        { "1i", "<<", "30u", "1073741824i" }, { "1i", "<<", "31u", "!overflow" },
        { "0i", "<<", "31u", "0i" }, { "0i", "<<", "32u", "!shift_amount" },
        { "0u", "<<", "4294967295u", "!shift_amount" }, { "1u", "<<", "31u", "2147483648u" },
        { "3u", "<<", "31u", "!overflow" }, { "2147483648u", "<<", "1u", "!overflow" },
        { "1073741824i", "<<", "1u", "!overflow" }, { "1073741824u", "<<", "1u", "2147483648u" },
        { "-1i", "<<", "31u", "i32(-2147483648)" },
        { "-1073741824i", "<<", "1u", "i32(-2147483648)" },
        { "-1073741825i", "<<", "1u", "!overflow" }, { "5i", "<<", "0u", "5i" },
        { "1", "<<", "62u", "4611686018427387904" }, { "1", "<<", "63u", "!overflow" },
        { "-1", "<<", "63u", "int(-9223372036854775808)" }, { "-1", "<<", "64u", "!overflow" },
        { "0", "<<", "4294967295u", "0" }, { "68719411200", "<<", "4u", "1099510579200" },
        { "-8i", ">>", "1u", "-4i" }, { "-1i", ">>", "31u", "-1i" },
        { "4294967295u", ">>", "31u", "1u" }, { "5u", ">>", "0u", "5u" },
        { "1i", ">>", "32u", "!shift_amount" }, { "1u", ">>", "33u", "!shift_amount" },
        { "1", ">>", "64u", "0" }, { "-1", ">>", "64u", "-1" },
        { "int(-9223372036854775808)", ">>", "63u", "-1" },
        { "int(-9223372036854775808)", ">>", "4294967295u", "-1" },
        { "vec2<i32>(1, 2)", "<<", "vec2<u32>(1, 2)", "vec2<i32>(2, 8)" },
        { "vec2<i32>(1, 2)", "<<", "vec2<u32>(1, 32)", "!shift_amount" },
    };
    RUN(run_binary, cases);
}

static void test_messages_name_the_numbers(void **state)
{
    (void)state;
    const Value *x = val("9223372036854775807"), *y = val("1");
    assert_null(fold_binary(&bench.fold, span, BINOP_ADD, x->type, x, y));
    assert_int_equal(bench.diag.errors, 1);
    assert_string_equal(bench.diag.list.data[0].message,
                        "9223372036854775807 + 1 does not fit in 'abstract-int'");
    assert_int_equal(bench.diag.list.data[0].span.start, span.start);
    assert_int_equal(bench.diag.list.data[0].span.end, span.end);
    /* Without a Diag there is just no result. */
    bench.fold.diag = NULL;
    assert_null(fold_binary(&bench.fold, span, BINOP_ADD, x->type, x, y));
    assert_int_equal(bench.diag.errors, 1);
}

/* ---- unary ---- */

static void test_unary(void **state)
{
    (void)state;
    static const struct { UnOp op; const char *x, *want; } cases[] = {
        { UNOP_NEGATE, "5i", "-5i" }, { UNOP_NEGATE, "i32(-2147483648)", "i32(-2147483648)" },
        { UNOP_NEGATE, "int(-9223372036854775808)", "int(-9223372036854775808)" },
        { UNOP_NEGATE, "2147483648", "-2147483648" }, { UNOP_NEGATE, "0.0f", "-0.0f" },
        { UNOP_NEGATE, "vec2<f16>(1, -2)", "vec2<f16>(-1, 2)" },
        { UNOP_COMPLEMENT, "0u", "4294967295u" }, { UNOP_COMPLEMENT, "0i", "-1i" },
        { UNOP_COMPLEMENT, "0", "-1" }, { UNOP_COMPLEMENT, "vec2<i32>(-1, 1)", "vec2<i32>(0, -2)" },
        { UNOP_NOT, "true", "false" },
        { UNOP_NOT, "vec2<bool>(true, false)", "vec2<bool>(false, true)" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const Value *x = val(cases[i].x);
        bench_expect(&bench, cases[i].x,
                     fold_unary(&bench.fold, span, cases[i].op, x->type, x), cases[i].want);
    }
}

/* ---- partial checks ---- */

static void test_the_right_operand_alone_can_be_wrong(void **state)
{
    (void)state;
    static const struct { const char *op, *lhs, *y, *want; } cases[] = {
        { "/", "i32", "0i", "division_by_zero" }, { "%", "u32", "0u", "division_by_zero" },
        { "/", "i32", "-1i", NULL }, { "/", "f32", "0f", NULL }, { "%", "f16", "0h", NULL },
        { "/", "vec2<i32>", "vec2<i32>(1, 0)", "division_by_zero" },
        { "/", "vec2<i32>", "0i", "division_by_zero" },
        { "%", "i32", "vec2<i32>(0, 1)", "division_by_zero" }, { "+", "i32", "0i", NULL },
        { "<<", "i32", "31u", NULL }, { "<<", "i32", "32u", "shift_amount" },
        { ">>", "u32", "32u", "shift_amount" }, { "<<", "int", "64u", NULL },
        { ">>", "vec2<u32>", "vec2<u32>(1, 32)", "shift_amount" },
        { "*", "mat2x2<f32>", "vec2<f32>(0, 0)", NULL },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        bool ok = fold_check_binary(&bench.fold, span, op_of(cases[i].op), ty(cases[i].lhs), NULL,
                                    val(cases[i].y));
        assert_int_equal(ok, cases[i].want == NULL);
        assert_int_equal(bench.diag.list.len, cases[i].want ? 1 : 0);
        if (cases[i].want)
            assert_string_equal(diag_id_name(bench.diag.list.data[0].id), cases[i].want);
        bench.diag.list.len = 0;
        assert_true(fold_check_binary(&bench.fold, span, op_of(cases[i].op), ty(cases[i].lhs),
                                      val("1i"), NULL));
    }
}

/* ---- conversions ---- */

static void test_automatic_conversions(void **state)
{
    (void)state;
    static const struct { const char *x, *to, *want; } cases[] = {
        { "5", "i32", "5i" }, { "2147483647", "i32", "2147483647i" },
        { "2147483648", "i32", "!conversion_range" }, { "-2147483648", "i32", "i32(-2147483648)" },
        { "-2147483649", "i32", "!conversion_range" }, { "4294967295", "u32", "4294967295u" },
        { "4294967296", "u32", "!conversion_range" }, { "-1", "u32", "!conversion_range" },
        { "5", "float", "5.0" }, { "9007199254740993", "float", "9007199254740992.0" },
        { "16777217", "f32", "16777216f" }, { "65504", "f16", "65504h" },
        { "65505", "f16", "!conversion_range" }, { "-65505", "f16", "!conversion_range" },
        { "0.1", "f32", "0.1f" }, { "0.1", "f16", "0.1h" },
        { "3.4028234663852886e38", "f32", "3.4028234663852886e38f" },
        { "3.4028235e38", "f32", "!conversion_range" }, { "1e39", "f32", "!conversion_range" },
        { "-1e39", "f32", "!conversion_range" }, { "65504.5", "f16", "!conversion_range" },
        { "1e-50", "f32", "0f" }, { "-1e-50", "f32", "-0.0f" }, { "0x1p-149", "f32", "0x1p-149f" },
        { "9223372036854775807", "f32", "9223372036854775807f" },
        { "vec2<int>(1, 2)", "vec2<f32>", "vec2<f32>(1, 2)" },
        { "vec2<int>(1, 4294967296)", "vec2<u32>", "!conversion_range" },
        { "mat2x2<float>(1, 2, 3, 4)", "mat2x2<f16>", "mat2x2<f16>(1, 2, 3, 4)" },
        { "mat2x2<float>(1, 2, 3, 65505)", "mat2x2<f16>", "!conversion_range" },
        { "array<vec2<int>, 2>(vec2<int>(1, 2), vec2<int>(3, 4))", "array<vec2<i32>, 2>",
          "array<vec2<i32>, 2>(vec2<i32>(1, 2), vec2<i32>(3, 4))" },
        { "array<int, 4294967295>()", "array<f32, 4294967295>", "array<f32, 4294967295>()" },
        { "frexp<float>(0.5, 3)", "frexp<f32>", "frexp<f32>(0.5, 3)" },
        { "modf<vec2<float>>(vec2<float>(0.5, 0.25), vec2<float>(1, 2))", "modf<vec2<f16>>",
          "modf<vec2<f16>>(vec2<f16>(0.5, 0.25), vec2<f16>(1, 2))" },
        { "modf<float>(0.5, 1e9)", "modf<f16>", "!conversion_range" },
        { "1.5f", "f32", "1.5f" },
        { "array<i32, 2>(1, 2)", "array<i32, 2>", "array<i32, 2>(1, 2)" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char what[256];
        snprintf(what, sizeof what, "%s to %s", cases[i].x, cases[i].to);
        bench_expect(&bench, what,
                     fold_convert(&bench.fold, span, ty(cases[i].to), val(cases[i].x)),
                     cases[i].want);
    }
}

/* 32^8 elements that share their parts, two kinds of them at each level. */
static void test_shared_parts_are_converted_once(void **state)
{
    (void)state;
    TypeTable *t = &bench.types;
    const Value *odd = val("vec2<int>(1, 2)"), *even = val("vec2<int>(3, 4)");
    for (int level = 0; level < 8; level++) {
        const Type *type = type_array_fixed(t, odd->type, 32);
        const Value *parts[2][32];
        for (int i = 0; i < 32; i++) {
            parts[0][i] = i % 2 ? odd : even;
            parts[1][i] = i % 2 ? even : odd;
        }
        odd = value_composite(&bench.arena, type, parts[0]);
        even = value_composite(&bench.arena, type, parts[1]);
    }
    const Type *to = type_concretize(t, odd->type);
    size_t before = bench.arena.used;
    const Value *got = fold_convert(&bench.fold, span, to, odd);
    assert_non_null(got);
    assert_true(bench.arena.used - before < 1000000);
    assert_ptr_equal(got->type, to);
    assert_ptr_equal(got->parts[0], got->parts[2]);
    for (int level = 0; level < 8; level++)
        got = got->parts[0];
    bench_expect(&bench, "the first element", got, "vec2<i32>(1, 2)");
}

/* ---- constructors ---- */

static void test_constructors(void **state)
{
    (void)state;
    static const struct { const char *type, *args[6], *want; } cases[] = {
        { "i32", { "true" }, "1i" }, { "i32", { "4294967295u" }, "-1i" },
        { "i32", { "2147483648u" }, "i32(-2147483648)" }, { "i32", { "3.9f" }, "3i" },
        { "i32", { "-3.9f" }, "-3i" }, { "i32", { "1e20f" }, "2147483520i" },
        { "i32", { "-1e20f" }, "i32(-2147483648)" }, { "i32", { "1e20" }, "2147483647i" },
        { "i32", { "65504h" }, "65504i" }, { "i32", { "5000000000" }, "!conversion_range" },
        { "i32", { "2147483647.9" }, "2147483647i" }, { "i32", { "1e300" }, "2147483647i" },
        { "u32", { "-1i" }, "4294967295u" },
        { "u32", { "-1f" }, "0u" },
        { "u32", { "3.9f" }, "3u" },
        { "u32", { "1e20f" }, "4294967040u" }, { "u32", { "1e20" }, "4294967295u" },
        { "u32", { "-0.5" }, "0u" }, { "u32", { "-5h" }, "0u" }, { "u32", { "false" }, "0u" },
        { "u32", { "4000000000" }, "4000000000u" }, { "u32", { "-1" }, "!conversion_range" },
        { "f32", { "true" }, "1f" }, { "f32", { "16777217i" }, "16777216f" },
        { "f32", { "4294967295u" }, "4294967296f" }, { "f32", { "0.1h" }, "0.0999755859f" },
        { "f32", { "1e39" }, "!conversion_range" }, { "f16", { "65504u" }, "65504h" },
        { "f16", { "65505i" }, "!conversion_range" }, { "f16", { "65519f" }, "!conversion_range" },
        { "f16", { "0.1f" }, "0.1h" }, { "f16", { "true" }, "1h" },
        { "bool", { "0.0f" }, "false" },
        { "bool", { "-0.0f" }, "false" },
        { "bool", { "2i" }, "true" },
        { "bool", { "0u" }, "false" },
        { "bool", { "0x1p-149f" }, "true" },
        { "bool", { "true" }, "true" },
        { "vec3<f32>", { 0 }, "vec3<f32>()" }, { "vec3<f32>", { "2f" }, "vec3<f32>(2, 2, 2)" },
        { "vec3<f32>", { "1i" }, "vec3<f32>(1, 1, 1)" },
        { "vec2<i32>", { "vec2<f32>(1.9, -1.9)" }, "vec2<i32>(1, -1)" },
        { "vec2<u32>", { "vec2<i32>(-1, 1)" }, "vec2<u32>(4294967295, 1)" },
        { "vec2<bool>", { "vec2<i32>(0, 5)" }, "vec2<bool>(false, true)" },
        { "vec4<f32>", { "1f", "vec2<f32>(2, 3)", "4f" }, "vec4<f32>(1, 2, 3, 4)" },
        { "vec4<f32>", { "vec2<f32>(1, 2)", "vec2<f32>(3, 4)" }, "vec4<f32>(1, 2, 3, 4)" },
        { "vec4<int>", { "vec3<int>(1, 2, 3)", "4" }, "vec4<int>(1, 2, 3, 4)" },
        { "vec3<f16>", { "1", "2.5", "3" }, "vec3<f16>(1, 2.5, 3)" },
        { "mat2x2<f32>", { "1f", "2f", "3f", "4f" }, "mat2x2<f32>(1, 2, 3, 4)" },
        { "mat2x2<f32>", { "vec2<f32>(1, 2)", "vec2<f32>(3, 4)" }, "mat2x2<f32>(1, 2, 3, 4)" },
        { "mat2x2<f16>", { "mat2x2<f32>(1, 2, 3, 4)" }, "mat2x2<f16>(1, 2, 3, 4)" },
        { "mat2x2<f16>", { "mat2x2<f32>(1, 2, 3, 1e9)" }, "!conversion_range" },
        { "mat3x2<float>", { "1.0", "2.0", "3.0", "4.0", "5.0", "6.0" },
          "mat3x2<float>(1, 2, 3, 4, 5, 6)" },
        { "array<i32, 3>", { "1i", "2i", "3i" }, "array<i32, 3>(1, 2, 3)" },
        { "array<f32, 2>", { "1", "2.5" }, "array<f32, 2>(1, 2.5)" },
        { "array<u32, 2>", { "1", "-2" }, "!conversion_range" },
        { "array<i32, 4294967295>", { 0 }, "array<i32, 4294967295>()" },
        { "modf<f32>", { "0.5f", "1f" }, "modf<f32>(0.5, 1)" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const Value *args[6];
        uint32_t nargs = 0;
        for (; nargs < 6 && cases[i].args[nargs]; nargs++)
            args[nargs] = val(cases[i].args[nargs]);
        char what[256];
        snprintf(what, sizeof what, "%s(%s, ...)", cases[i].type,
                 cases[i].args[0] ? cases[i].args[0] : "");
        bench_expect(&bench, what,
                     fold_construct(&bench.fold, span, ty(cases[i].type), args, nargs),
                     cases[i].want);
    }
}

/* ---- parts ---- */

static void test_indexing(void **state)
{
    (void)state;
    static const struct { const char *of, *at, *want; } cases[] = {
        { "vec3<f32>(1, 2, 3)", "0i", "1f" }, { "vec3<f32>(1, 2, 3)", "2u", "3f" },
        { "vec3<f32>(1, 2, 3)", "3", "!index_out_of_bounds" },
        { "vec3<f32>(1, 2, 3)", "-1i", "!index_out_of_bounds" },
        { "mat2x3<f32>(1, 2, 3, 4, 5, 6)", "1", "vec3<f32>(4, 5, 6)" },
        { "mat2x3<f32>(1, 2, 3, 4, 5, 6)", "2", "!index_out_of_bounds" },
        { "array<i32, 2>(7, 8)", "1u", "8i" },
        { "array<i32, 2>(7, 8)", "2u", "!index_out_of_bounds" },
        { "array<i32, 4294967295>()", "4294967294u", "0i" },
        { "array<i32, 4294967295>()", "4294967295u", "!index_out_of_bounds" },
        { "vec2<f32>()", "9223372036854775807", "!index_out_of_bounds" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char what[256];
        snprintf(what, sizeof what, "%s[%s]", cases[i].of, cases[i].at);
        bench_expect(&bench, what,
                     fold_index(&bench.fold, span, val(cases[i].of), val(cases[i].at)),
                     cases[i].want);
    }
}

static void test_indices_alone(void **state)
{
    (void)state;
    Expr size = {.kind = EXPR_BINARY};
    const Type *runtime = type_array_runtime(&bench.types, bench.types.f32);
    const Type *sized = type_array_override(&bench.types, bench.types.f32, &size);
    FoldContext *f = &bench.fold;
    assert_true(fold_check_index(f, span, runtime, val("4294967295u")));
    assert_false(fold_check_index(f, span, runtime, val("-1i")));
    assert_true(fold_check_index(f, span, sized, val("5i")));
    bench.diag.list.len = 0;
    assert_false(fold_check_index(f, span, sized, val("-1")));
    bench.diag.list.len = 0;
    assert_false(fold_check_index(f, span, ty("vec2<f32>"), val("2i")));
    assert_string_equal(bench.diag.list.data[0].message,
                        "the index 2 is out of bounds: 'vec2<f32>' has 2 components");
    assert_true(fold_check_index(f, span, ty("array<f32, 3>"), val("2i")));
}

static void test_swizzles(void **state)
{
    (void)state;
    static const uint8_t wzyx[] = {3, 2, 1, 0}, y[] = {1}, xx[] = {0, 0};
    const Value *v = val("vec4<i32>(1, 2, 3, 4)");
    bench_expect(&bench, "wzyx", fold_swizzle(&bench.fold, ty("vec4<i32>"), v, wzyx, 4),
                 "vec4<i32>(4, 3, 2, 1)");
    bench_expect(&bench, "y", fold_swizzle(&bench.fold, ty("i32"), v, y, 1), "2i");
    bench_expect(&bench, "xx", fold_swizzle(&bench.fold, ty("vec2<i32>"), v, xx, 2),
                 "vec2<i32>(1, 1)");
    bench_expect(&bench, "zero", fold_swizzle(&bench.fold, ty("vec2<i32>"), val("vec4<i32>()"),
                                              xx, 2), "vec2<i32>()");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_concrete_integers_wrap),
        TEST(test_abstract_integers_do_not_overflow),
        TEST(test_integer_division),
        TEST(test_float_arithmetic),
        TEST(test_matrix_arithmetic),
        TEST(test_comparisons),
        TEST(test_bitwise),
        TEST(test_shifts),
        TEST(test_messages_name_the_numbers),
        TEST(test_unary),
        TEST(test_the_right_operand_alone_can_be_wrong),
        TEST(test_automatic_conversions),
        TEST(test_shared_parts_are_converted_once),
        TEST(test_constructors),
        TEST(test_indexing),
        TEST(test_indices_alone),
        TEST(test_swizzles),
    };
    return cmocka_run_group_tests_name("fold_operator", tests, NULL, NULL);
}
