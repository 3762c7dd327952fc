/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elementwise_test.c - types of results, conversions, NaNs and the edges of single operators;
 * the breadth is in numpy_test.py.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "context/fixture.h"
#include "tensor/elementwise_priv.h"
#include "tensors.h"

#define F_NAN ((double)NAN)
#define F_INF ((double)INFINITY)

static void test_every_operator_has_an_expression(void **state)
{
    (void)state;
    for (uint32_t i = 0; elementwise_unary_op(i); i++) {
        const TensorOp *op = elementwise_unary_op(i);
        assert_non_null(op->name);
        assert_true(op->f || op->i || op->b);
        assert_true(op->cost > 0);
    }
    for (uint32_t i = 0; elementwise_binary_op(i); i++) {
        const TensorOp *op = elementwise_binary_op(i);
        assert_non_null(op->name);
        assert_true(op->f || op->i || op->b);
    }
}

static void test_promotion(void **state)
{
    (void)state;
    static const struct { weft_dtype a, b, want; } cases[] = {
        {WEFT_BOOL, WEFT_I32, WEFT_I32}, {WEFT_I32, WEFT_U32, WEFT_I32},
        {WEFT_I32, WEFT_F16, WEFT_F16},  {WEFT_F16, WEFT_BF16, WEFT_F32},
        {WEFT_F16, WEFT_F32, WEFT_F32},  {WEFT_F32, WEFT_F64, WEFT_F64},
        {WEFT_U8, WEFT_I8, WEFT_I32},    {WEFT_U8, WEFT_I64, WEFT_I64},
        {WEFT_I64, WEFT_BF16, WEFT_BF16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(dtype_promote(cases[i].a, cases[i].b), cases[i].want);
        assert_int_equal(dtype_promote(cases[i].b, cases[i].a), cases[i].want);
    }
}

static void test_types_of_results(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *i = tensor_of(ctx, WEFT_I32, SHAPE(2), VALUES(7, -7));
    weft_tensor  *two = weft_tensor_scalar(ctx, 2);
    assert_int_equal(weft_tensor_dtype(weft_tensor_div(i, two)), WEFT_F32);
    EXPECT(weft_tensor_div(i, two), 3.5, -3.5);
    EXPECT(weft_tensor_floor_div(i, two), 3, -4);
    EXPECT(weft_tensor_remainder(i, two), 1, 1);
    EXPECT(weft_tensor_fmod(i, two), 1, -1);
    assert_int_equal(weft_tensor_dtype(weft_tensor_less(i, two)), WEFT_BOOL);
    assert_int_equal(weft_tensor_dtype(weft_tensor_sqrt(i)), WEFT_F32);
    weft_tensor *b = tensor_of(ctx, WEFT_BOOL, SHAPE(2), VALUES(1, 0));
    EXPECT(weft_tensor_add(b, b), 2, 0);
    assert_int_equal(weft_tensor_dtype(weft_tensor_sum(b, NULL)), WEFT_I32);
    assert_null(weft_tensor_bit_and(tensor_count(ctx, SHAPE(2), 0), i));
    fixture_expect_error(ctx, WEFT_ERROR_TYPE, "bit_and takes integers");
}

/* What would be an error of the kernel's text, were it evaluated there. */
static void test_constants_alone(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *one = weft_tensor_full(ctx, WEFT_F32, SHAPE(2), 1);
    weft_tensor  *zero = weft_tensor_full(ctx, WEFT_F32, SHAPE(2), 0);
    weft_tensor  *large = weft_tensor_full(ctx, WEFT_F32, SHAPE(2), 3e38);
    EXPECT(weft_tensor_div(one, zero), F_INF, F_INF);
    EXPECT(weft_tensor_div(zero, zero), F_NAN, F_NAN);
    EXPECT(weft_tensor_mul(large, large), F_INF, F_INF);
    EXPECT(weft_tensor_sqrt(weft_tensor_neg(one)), F_NAN, F_NAN);
    weft_tensor *most = weft_tensor_full(ctx, WEFT_I32, SHAPE(2), INT32_MAX);
    EXPECT(weft_tensor_add(most, weft_tensor_full(ctx, WEFT_I32, SHAPE(2), 1)), INT32_MIN,
           INT32_MIN);
    EXPECT(weft_tensor_mul(most, most), 1, 1);
}

static void test_nan_propagates(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(4), VALUES(1, F_NAN, -F_INF, 3));
    weft_tensor  *y = tensor_of(ctx, WEFT_F32, SHAPE(4), VALUES(F_NAN, 2, 5, 1));
    EXPECT(weft_tensor_maximum(x, y), F_NAN, F_NAN, 5, 3);
    EXPECT(weft_tensor_minimum(x, y), F_NAN, F_NAN, -F_INF, 1);
    EXPECT(weft_tensor_relu(x), 1, F_NAN, 0, 3);
    EXPECT(weft_tensor_clip(x, 0, 2), 1, F_NAN, 0, 2);
    EXPECT(weft_tensor_max(x, NULL), F_NAN);
    EXPECT(weft_tensor_min(x, NULL), F_NAN);
    EXPECT(weft_tensor_argmax(x, 0, false), 1);
    EXPECT(weft_tensor_sign(x), 1, F_NAN, -1, 1);
    EXPECT(weft_tensor_is_finite(x), 1, 0, 0, 1);
}

static void test_conversions_clamp(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(6),
                                VALUES(-1.9, 1.9, 300, -300, F_NAN, 1e20));
    EXPECT(weft_tensor_cast(x, WEFT_I8), -1, 1, 127, -128, 0, 127);
    EXPECT(weft_tensor_cast(x, WEFT_U8), 0, 1, 255, 0, 0, 255);
    expect_near(weft_tensor_cast(x, WEFT_I32),
                VALUES(-1, 1, 300, -300, 0, 2147483647), 6, 1e-6);
    EXPECT(weft_tensor_cast(x, WEFT_BOOL), 1, 1, 1, 1, 1, 1);
    EXPECT(weft_tensor_round(tensor_of(ctx, WEFT_F32, SHAPE(4), VALUES(0.5, 1.5, 2.5, -0.5))),
           0, 2, 2, 0);
}

static void test_powers_of_negative_numbers(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(5), VALUES(-2, -2, -2, 0, 2));
    weft_tensor  *y = tensor_of(ctx, WEFT_F32, SHAPE(5), VALUES(3, 2, 0.5, 0, -1));
    EXPECT(weft_tensor_pow(x, y), -8, 4, F_NAN, 1, 0.5);
    weft_tensor *i = tensor_of(ctx, WEFT_I32, SHAPE(3), VALUES(-3, 2, -1));
    weft_tensor *n = tensor_of(ctx, WEFT_I32, SHAPE(3), VALUES(3, 10, -3));
    EXPECT(weft_tensor_pow(i, n), -27, 1024, -1);
}

/* Many values from -7 to 7 and the edges, beside C's erf(). */
enum { ERF_COUNT = 20011 };

static void erf_arguments(double *x)
{
    static const double edges[] = {0, -0.0, 1e-300, -1e-20, 2, -2, 1.9999999999999998, 30,
                                   (double)INFINITY, -(double)INFINITY};
    const int count = (int)(sizeof edges / sizeof *edges);
    for (int i = 0; i < count; i++)
        x[i] = edges[i];
    x[count] = F_NAN;
    for (int i = count + 1; i < ERF_COUNT; i++)
        x[i] = 14.0 * (i - count) / (ERF_COUNT - count) - 7.0;
}

static void expect_relative(const char *what, weft_tensor *t, const double *x, const double *want,
                            double tolerance)
{
    double *got = tensor_doubles(t);
    for (int i = 0; i < ERF_COUNT; i++) {
        bool same = got[i] == want[i] || (isnan(got[i]) && isnan(want[i]));
        if (!same && !(fabs(got[i] - want[i]) <= tolerance * fabs(want[i])))
            fail_msg("%s(%.17g) is %.17g, not %.17g", what, x[i], got[i], want[i]);
    }
    free(got);
}

static void test_erf_of_f64(void **state)
{
    weft_context *ctx = *state;
    static double x[ERF_COUNT], want[ERF_COUNT];
    if (!weft_context_device(ctx)->f64)
        skip();
    erf_arguments(x);
    weft_tensor *t = tensor_of(ctx, WEFT_F64, SHAPE(ERF_COUNT), x);
    for (int i = 0; i < ERF_COUNT; i++)
        want[i] = erf(x[i]);
    expect_relative("erf", weft_tensor_erf(t), x, want, 1e-15);
}

static void test_gelu_of_f64(void **state)
{
    weft_context *ctx = *state;
    if (!weft_context_device(ctx)->f64)
        skip();
    double       want[3], x[] = {-1.5, 0.25, 3};
    weft_tensor *t = tensor_of(ctx, WEFT_F64, SHAPE(1, 3), x);
    weft_tensor *eye = weft_tensor_eye(ctx, WEFT_F64, 3, 3, 0);
    for (int i = 0; i < 3; i++)
        want[i] = 0.5 * x[i] * (1 + erf(x[i] * sqrt(0.5)));
    expect_near(weft_tensor_gelu(t, WEFT_GELU_ERF), want, 3, 1e-15);
    expect_near(weft_tensor_linear(t, eye, NULL, WEFT_ACTIVATION_GELU), want, 3, 1e-15);
}

static void test_empty_tensors(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *none = weft_tensor_zeros(ctx, WEFT_F32, SHAPE(0, 3));
    expect_shape(weft_tensor_exp(none), SHAPE(0, 3));
    expect_near(weft_tensor_exp(none), NULL, 0, 0);
    EXPECT(weft_tensor_sum(none, WEFT_AXIS(0)), 0, 0, 0);
    EXPECT(weft_tensor_prod(none, NULL), 1);
    EXPECT(weft_tensor_mean(none, NULL), F_NAN);
    EXPECT(weft_tensor_all(none, NULL), 1);
    EXPECT(weft_tensor_det(weft_tensor_zeros(ctx, WEFT_F32, SHAPE(0, 0))), 1);
    EXPECT(weft_tensor_det(weft_tensor_zeros(ctx, WEFT_I32, SHAPE(2, 0, 0))), 1, 1);
    expect_shape(weft_tensor_det(weft_tensor_zeros(ctx, WEFT_F32, SHAPE(0, 3, 3))), SHAPE(0));
    EXPECT(weft_tensor_concat((weft_tensor *const[]){none, tensor_count(ctx, SHAPE(1, 3), 5)}, 2,
                              0), 5, 6, 7);
    if (weft_context_device(ctx)->f64)
        EXPECT(weft_tensor_matmul(weft_tensor_zeros(ctx, WEFT_F64, SHAPE(2, 0)),
                                  weft_tensor_zeros(ctx, WEFT_F64, SHAPE(0, 2))), 0, 0, 0, 0);
    double one = 0;
    assert_true(weft_tensor_item(&one, weft_tensor_add_scalar(weft_tensor_scalar(ctx, 1), 2)));
    assert_true(one == 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator_has_an_expression),
        cmocka_unit_test(test_promotion),
        TEST(test_types_of_results),
        TEST(test_constants_alone),
        TEST(test_nan_propagates),
        TEST(test_conversions_clamp),
        TEST(test_powers_of_negative_numbers),
        TEST(test_erf_of_f64),
        TEST(test_gelu_of_f64),
        TEST(test_empty_tensors),
    };
    return cmocka_run_group_tests_name("tensor_elementwise", tests, NULL, NULL);
}
