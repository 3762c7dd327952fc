/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_test.c - every operator with arguments it must refuse: an error of the right kind that
 * names what is wrong, and nothing else changes.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "context/fixture.h"
#include "tensors.h"

typedef weft_tensor *(*Unary)(weft_tensor *);
typedef weft_tensor *(*Binary)(weft_tensor *, weft_tensor *);
typedef weft_tensor *(*Reduction)(weft_tensor *, const weft_axes *);

static const struct { const char *name; Unary op; } unary[] = {
#define UNARY(name, types, meaning) {#name, weft_tensor_##name},
#include <weft/tensor_ops.def>
};
static const struct { const char *name; Binary op; } binary[] = {
#define BINARY(name, types, meaning) {#name, weft_tensor_##name},
#include <weft/tensor_ops.def>
};
static const struct { const char *name; Reduction op; } reductions[] = {
#define REDUCTION(name, types, meaning) {#name, weft_tensor_##name},
#include <weft/tensor_ops.def>
};

#define EACH(i, table) for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)

static weft_tensor *quantised(weft_context *ctx)
{
    return weft_tensor_create(ctx, &(weft_tensor_desc){
        .dtype = WEFT_Q8_0, .rank = 2, .shape = {2, 32} });
}

static void expect_null(weft_context *ctx, const char *what, weft_tensor *t,
                        weft_error_kind kind)
{
    const weft_error *e = weft_context_error(ctx);
    if (t || e->kind != kind)
        fail_msg("%s: %s, error %s: %s", what, t ? "a tensor" : "NULL",
                 e->kind ? weft_error_kind_name(e->kind) : "none", e->message);
    assert_true(strlen(e->message) > 0);
    weft_context_error_clear(ctx);
}

static void test_null_gives_null(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3), 0);
    EACH(i, unary)
        assert_null(unary[i].op(NULL));
    EACH(i, binary) {
        assert_null(binary[i].op(NULL, x));
        assert_null(binary[i].op(x, NULL));
    }
    EACH(i, reductions)
        assert_null(reductions[i].op(NULL, NULL));
    assert_null(weft_tensor_reshape(NULL, 0, NULL));
    assert_null(weft_tensor_cast(NULL, WEFT_F32));
    assert_null(weft_tensor_matmul(x, NULL));
    assert_null(weft_tensor_concat(NULL, 2, 0));
    assert_null(weft_tensor_where(NULL, x, x));
    assert_null(weft_tensor_scalar(NULL, 1));
    assert_null(weft_tensor_create(NULL, NULL));
    assert_false(weft_tensor_read(NULL, 0, NULL));
    assert_null(weft_tensor_explain(NULL));
    weft_tensor_release(NULL);
    weft_tensor_unpin(NULL);
    fixture_no_error(ctx);
}

static void test_released_tensors_are_recognised(void **state)
{
    weft_context *ctx = *state;
    weft_tensor_scope_begin(ctx);
    weft_tensor *x = tensor_count(ctx, SHAPE(3), 0), *gone = tensor_count(ctx, SHAPE(3), 0);
    weft_tensor_release(gone);
    EACH(i, binary)
        expect_null(ctx, binary[i].name, binary[i].op(x, gone), WEFT_ERROR_INVALID);
    assert_int_equal(weft_tensor_count(gone), 0);
    assert_null(weft_tensor_retain(gone));
    weft_tensor_release(gone);
    weft_tensor_scope_end(ctx, NULL, 0);
}

static void test_tensors_of_other_contexts(void **state)
{
    weft_context *ctx = *state, *other = fixture_context(NULL);
    weft_tensor  *x = tensor_count(ctx, SHAPE(3), 0), *y = tensor_count(other, SHAPE(3), 0);
    EACH(i, binary)
        expect_null(ctx, binary[i].name, binary[i].op(x, y), WEFT_ERROR_INVALID);
    expect_null(ctx, "matmul", weft_tensor_matmul(x, y), WEFT_ERROR_INVALID);
    expect_null(ctx, "concat", weft_tensor_concat((weft_tensor *const[]){x, y}, 2, 0),
                WEFT_ERROR_INVALID);
    assert_false(weft_tensor_assign(x, y));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "another context");
    weft_tensor_release(y);
    fixture_release(other);
}

static void test_quantised_operands_are_refused(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *q = quantised(ctx), *x = tensor_count(ctx, SHAPE(2, 32), 0);
    EACH(i, unary)
        expect_null(ctx, unary[i].name, unary[i].op(q), WEFT_ERROR_TYPE);
    EACH(i, reductions)
        expect_null(ctx, reductions[i].name, reductions[i].op(q, NULL), WEFT_ERROR_TYPE);
    expect_null(ctx, "cast", weft_tensor_cast(q, WEFT_F32), WEFT_ERROR_TYPE);
    expect_null(ctx, "cast", weft_tensor_cast(x, WEFT_Q4_0), WEFT_ERROR_TYPE);
    expect_null(ctx, "cast", weft_tensor_cast(x, (weft_dtype)99), WEFT_ERROR_TYPE);
    expect_null(ctx, "flip", weft_tensor_flip(q, 0), WEFT_ERROR_TYPE);
    expect_null(ctx, "cumsum", weft_tensor_cumsum(q, 0, NULL), WEFT_ERROR_TYPE);
    expect_null(ctx, "concat", weft_tensor_concat((weft_tensor *const[]){q, q}, 2, 0),
                WEFT_ERROR_TYPE);
}

static void test_shapes_that_do_not_broadcast(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *a = tensor_of(ctx, WEFT_I32, SHAPE(2, 3), VALUES(1, 2, 3, 4, 5, 6));
    weft_tensor  *b = tensor_of(ctx, WEFT_I32, SHAPE(4), VALUES(1, 2, 3, 4));
    EACH(i, binary) {
        assert_null(binary[i].op(a, b));
        fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "[2, 3] and [4]");
    }
    assert_null(weft_tensor_where(b, a, a));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "broadcast");
    assert_false(weft_tensor_assign(b, a));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "broadcast");
    expect_null(ctx, "matmul", weft_tensor_matmul(a, b), WEFT_ERROR_SHAPE);
}

static void test_axes_out_of_range(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(2, 3), 0);
    static const int bad[] = {2, -3, 100, INT32_MIN, INT32_MAX};
    EACH(i, bad) {
        int a = bad[i];
        EACH(k, reductions)
            expect_null(ctx, reductions[k].name, reductions[k].op(x, WEFT_AXIS(a)),
                        WEFT_ERROR_SHAPE);
        expect_null(ctx, "argmax", weft_tensor_argmax(x, a, false), WEFT_ERROR_SHAPE);
        expect_null(ctx, "cumsum", weft_tensor_cumsum(x, a, NULL), WEFT_ERROR_SHAPE);
        expect_null(ctx, "transpose", weft_tensor_transpose(x, 0, a), WEFT_ERROR_SHAPE);
        expect_null(ctx, "flip", weft_tensor_flip(x, a), WEFT_ERROR_SHAPE);
        expect_null(ctx, "select", weft_tensor_select(x, a, 0), WEFT_ERROR_SHAPE);
        expect_null(ctx, "narrow", weft_tensor_narrow(x, a, 0, 1), WEFT_ERROR_SHAPE);
        expect_null(ctx, "roll", weft_tensor_roll(x, a, 1), WEFT_ERROR_SHAPE);
        expect_null(ctx, "repeat", weft_tensor_repeat(x, a, 2), WEFT_ERROR_SHAPE);
        expect_null(ctx, "windows", weft_tensor_windows(x, a, 1, 1), WEFT_ERROR_SHAPE);
        expect_null(ctx, "concat", weft_tensor_concat(&x, 1, a), WEFT_ERROR_SHAPE);
        expect_null(ctx, "diagonal", weft_tensor_diagonal(x, 0, a, 0), WEFT_ERROR_SHAPE);
    }
    expect_null(ctx, "sum", weft_tensor_sum(x, &(weft_axes){.count = 2, .axes = {0, -2}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "sum", weft_tensor_sum(x, &(weft_axes){.count = 9}), WEFT_ERROR_SHAPE);
    expect_null(ctx, "max", weft_tensor_max(weft_tensor_narrow(x, 0, 0, 0), NULL),
                WEFT_ERROR_SHAPE);
}

static void test_huge_sizes(void **state)
{
    weft_context  *ctx = *state;
    const uint64_t huge = UINT64_C(1) << 40, max = UINT64_MAX;
    weft_tensor   *x = tensor_count(ctx, SHAPE(2, 3), 0);
    expect_null(ctx, "full", weft_tensor_full(ctx, WEFT_F32, SHAPE(huge, huge), 0),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "zeros", weft_tensor_zeros(ctx, WEFT_F32, SHAPE(max)), WEFT_ERROR_SHAPE);
    expect_null(ctx, "create", weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 2, .shape = {max, 2} }), WEFT_ERROR_SHAPE);
    expect_null(ctx, "create", weft_tensor_create(ctx, &(weft_tensor_desc){.rank = 9}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "tile", weft_tensor_tile(x, (const uint64_t[]){max, max}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "repeat", weft_tensor_repeat(x, 0, max), WEFT_ERROR_SHAPE);
    expect_null(ctx, "arange", weft_tensor_arange(ctx, WEFT_F32, 0, 1e30, 1),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "arange", weft_tensor_arange(ctx, WEFT_F32, 0, 1, (double)NAN),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "eye", weft_tensor_eye(ctx, WEFT_F32, max, 2, 0), WEFT_ERROR_SHAPE);
    expect_null(ctx, "pad", weft_tensor_pad(x, (const int64_t[]){INT64_MAX, 0},
                                            (const int64_t[]){INT64_MAX, 0}, WEFT_PAD_EDGE, 0),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "pad", weft_tensor_pad(x, (const int64_t[]){-3, 0}, (const int64_t[]){0, 0},
                                            WEFT_PAD_CONSTANT, 0), WEFT_ERROR_SHAPE);
    expect_null(ctx, "narrow", weft_tensor_narrow(x, 0, max, max), WEFT_ERROR_SHAPE);
    expect_null(ctx, "reshape", weft_tensor_reshape(x, SHAPE(max - 1, 6)), WEFT_ERROR_SHAPE);
    expect_null(ctx, "reshape", weft_tensor_reshape(x, SHAPE(max, max)), WEFT_ERROR_SHAPE);
    expect_null(ctx, "expand", weft_tensor_expand(x, SHAPE(huge, huge, 2, 3)), WEFT_ERROR_SHAPE);
    expect_null(ctx, "windows", weft_tensor_windows(x, 0, max, 1), WEFT_ERROR_SHAPE);
    expect_null(ctx, "windows", weft_tensor_windows(x, 0, 1, 0), WEFT_ERROR_SHAPE);
}

/* A tensor that no device has memory for fails when it is evaluated, and leaves the graph. */
static void test_too_large_to_evaluate(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3, 1), 0);
    weft_tensor  *big = weft_tensor_add_scalar(
        weft_tensor_expand(x, SHAPE(3, UINT64_C(1) << 40)), 1);
    if (big) {
        assert_false(weft_tensor_eval(&big, 1));
        assert_int_equal(weft_tensor_location(big), WEFT_LOCATION_LAZY);
    }
    weft_context_error_clear(ctx);
    EXPECT(x, 0, 1, 2);
}

static void test_wrong_data(void **state)
{
    weft_context *ctx = *state;
    float         v[4] = {0};
    weft_tensor  *x = tensor_count(ctx, SHAPE(2, 2), 0);
    expect_null(ctx, "create", weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = {5}, .data = v, .data_size = sizeof v }), WEFT_ERROR_SHAPE);
    expect_null(ctx, "create", weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = {4}, .data_size = 16 }), WEFT_ERROR_INVALID);
    expect_null(ctx, "create", weft_tensor_create(ctx, &(weft_tensor_desc){
        .dtype = WEFT_Q4_0, .rank = 1, .shape = {33} }), WEFT_ERROR_SHAPE);
    assert_false(weft_tensor_read(v, 12, x));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "16 bytes, not 12");
    assert_false(weft_tensor_write(x, v, 20));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "not 20");
    double d;
    assert_false(weft_tensor_item(&d, x));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "4 elements, not one");
    EXPECT(x, 0, 1, 2, 3);
}

static void test_integers_beyond_32_bits(void **state)
{
    weft_context *ctx = *state;
    int64_t       v[3] = {1, 3000000000, -1}, back[3];
    weft_tensor  *x = weft_tensor_create(ctx, &(weft_tensor_desc){
        .dtype = WEFT_I64, .rank = 1, .shape = {3}, .data = v });
    assert_true(weft_tensor_read(back, sizeof back, x));        /* storing them is allowed */
    assert_memory_equal(v, back, sizeof v);
    assert_null(weft_tensor_neg(x));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "element 1 of [3] i64 is 3000000000");
    /* also when they went to the device before, or were written there */
    weft_tensor *y = weft_tensor_create(ctx, &(weft_tensor_desc){
        .dtype = WEFT_I64, .rank = 1, .shape = {3}, .data = v });
    assert_true(weft_tensor_move(y, WEFT_LOCATION_DEVICE));
    assert_null(weft_tensor_neg(y));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "outside of i32");
    weft_tensor *z = tensor_of(ctx, WEFT_I64, SHAPE(3), VALUES(1, 2, 3));
    EXPECT(weft_tensor_neg(z), -1, -2, -3);
    assert_true(weft_tensor_write(z, v, sizeof v));
    assert_null(weft_tensor_neg(z));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "outside of i32");
}

static void test_a_context_with_an_error_computes_nothing(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3), 0), *y = weft_tensor_exp(x);
    assert_null(weft_tensor_select(x, 5, 0));
    assert_null(weft_tensor_exp(x));
    assert_false(weft_tensor_eval(&y, 1));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "axis 5");
    assert_true(weft_tensor_eval(&y, 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_null_gives_null),
        TEST(test_released_tensors_are_recognised),
        TEST(test_tensors_of_other_contexts),
        TEST(test_quantised_operands_are_refused),
        TEST(test_shapes_that_do_not_broadcast),
        TEST(test_axes_out_of_range),
        TEST(test_huge_sizes),
        TEST(test_too_large_to_evaluate),
        TEST(test_wrong_data),
        TEST(test_integers_beyond_32_bits),
        TEST(test_a_context_with_an_error_computes_nothing),
    };
    return cmocka_run_group_tests_name("tensor_hostile", tests, NULL, NULL);
}
