/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_test.c - views: geometry, of pending and of evaluated tensors, and writes through them.
 */
#include "support/test.h"

#include "context/fixture.h"
#include "tensors.h"

static void test_reshape_and_infer(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(2, 6), 0);
    expect_shape(weft_tensor_reshape(x, SHAPE(3, WEFT_INFER)), SHAPE(3, 4));
    EXPECT(weft_tensor_reshape(x, SHAPE(12)), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    assert_true(weft_tensor_is_view(weft_tensor_reshape(x, SHAPE(12))));
    /* a transposed tensor cannot be flattened in place */
    weft_tensor *flat = weft_tensor_reshape(weft_tensor_transpose(x, 0, 1), SHAPE(12));
    EXPECT(flat, 0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11);
    assert_null(weft_tensor_reshape(x, SHAPE(5, WEFT_INFER)));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "12 elements");
}

static void test_permute_and_transpose(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(2, 3, 2), 0);
    weft_tensor  *p = weft_tensor_permute(x, (const int[]){2, 0, -2});
    expect_shape(p, SHAPE(2, 2, 3));
    EXPECT(p, 0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11);
    EXPECT(weft_tensor_permute(x, NULL), 0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11);
    assert_null(weft_tensor_permute(x, (const int[]){0, 0, 1}));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "twice");
}

static void test_slices_follow_python(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(10), 0);
    static const struct { weft_range r; double want[10]; uint64_t n; } cases[] = {
        {{0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10},
        {{.start = 2, .stop = 5, .has_start = true, .has_stop = true}, {2, 3, 4}, 3},
        {{.step = -3}, {9, 6, 3, 0}, 4},
        {{.start = -2, .has_start = true}, {8, 9}, 2},
        {{.stop = -7, .has_stop = true}, {0, 1, 2}, 3},
        {{.start = 8, .stop = 2, .step = -2, .has_start = true, .has_stop = true}, {8, 6, 4}, 3},
        {{.start = -100, .stop = 100, .step = 4, .has_start = true, .has_stop = true},
         {0, 4, 8}, 3},
        {{.start = 5, .stop = 5, .has_start = true, .has_stop = true}, {0}, 0},
        {{.start = 3, .step = INT64_MAX, .has_start = true}, {3}, 1},
        {{.start = 3, .step = INT64_MIN, .has_start = true}, {3}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near(weft_tensor_slice(x, 1, &cases[i].r), cases[i].want, cases[i].n, 0);
}

static void test_parts(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3, 4), 0);
    EXPECT(weft_tensor_narrow(x, 1, 1, 2), 1, 2, 5, 6, 9, 10);
    EXPECT(weft_tensor_select(x, 0, -1), 8, 9, 10, 11);
    EXPECT(weft_tensor_flip(x, 0), 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    EXPECT(weft_tensor_diagonal(x, 0, 1, 0), 0, 5, 10);
    EXPECT(weft_tensor_diagonal(x, 0, 1, 2), 2, 7);
    EXPECT(weft_tensor_diagonal(x, 0, 1, -1), 4, 9);
    expect_shape(weft_tensor_diagonal(x, 0, 1, -9), SHAPE(0));
    weft_tensor *w = weft_tensor_windows(tensor_count(ctx, SHAPE(7), 0), 0, 3, 2);
    expect_shape(w, SHAPE(3, 3));
    EXPECT(w, 0, 1, 2, 2, 3, 4, 4, 5, 6);
    weft_tensor *parts[2];
    assert_true(weft_tensor_split(parts, x, 1, 2, (const uint64_t[]){1, 3}));
    EXPECT(parts[0], 0, 4, 8);
    EXPECT(parts[1], 1, 2, 3, 5, 6, 7, 9, 10, 11);
    assert_false(weft_tensor_split(parts, x, 1, 2, (const uint64_t[]){1, 2}));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "add up");
}

static void test_expand_and_squeeze(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3, 1), 0);
    weft_tensor  *e = weft_tensor_expand(x, SHAPE(2, 3, 2));
    EXPECT(e, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2);
    expect_shape(weft_tensor_squeeze(x, 1), SHAPE(3));
    expect_shape(weft_tensor_unsqueeze(x, -1), SHAPE(3, 1, 1));
    assert_null(weft_tensor_expand(x, SHAPE(2)));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "does not broadcast");
    assert_null(weft_tensor_squeeze(x, 0));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "is not 1");
}

static void test_views_of_pending_tensors(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3, 4), 0);
    weft_tensor  *y = weft_tensor_mul_scalar(x, 2);
    weft_tensor  *t = weft_tensor_transpose(y, 0, 1);
    assert_int_equal(weft_tensor_location(t), WEFT_LOCATION_LAZY);
    EXPECT(weft_tensor_add_scalar(weft_tensor_flip(t, 0), 1),
           7, 15, 23, 5, 13, 21, 3, 11, 19, 1, 9, 17);
    EXPECT(t, 0, 8, 16, 2, 10, 18, 4, 12, 20, 6, 14, 22);
    /* a view is in memory where its parent is */
    assert_true(weft_tensor_eval(&t, 1));
    assert_int_equal(weft_tensor_location(y), WEFT_LOCATION_DEVICE);
    assert_int_equal(weft_tensor_location(t), WEFT_LOCATION_DEVICE);
}

static void test_as_strided_stays_inside(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(10), 0);
    EXPECT(weft_tensor_as_strided(x, 2, (const uint64_t[]){3, 3}, (const int64_t[]){2, 1}, 1),
           1, 2, 3, 3, 4, 5, 5, 6, 7);
    assert_null(weft_tensor_as_strided(x, 1, (const uint64_t[]){3}, (const int64_t[]){5}, 0));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "as_strided");
    assert_null(weft_tensor_as_strided(x, 1, (const uint64_t[]){3}, (const int64_t[]){INT64_MIN},
                                       0));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "as_strided");
}

static void test_writes_through_views(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(2, 4), 0);
    weft_tensor  *before = weft_tensor_add_scalar(x, 0);    /* pending: sees the old elements */
    weft_tensor  *even = weft_tensor_slice(x, 2, (const weft_range[]){{0}, {.step = 2}});
    float         data[4] = {10, 20, 30, 40};
    assert_true(weft_tensor_write(even, data, sizeof data));
    EXPECT(x, 10, 1, 20, 3, 30, 5, 40, 7);
    EXPECT(before, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_true(weft_tensor_assign(weft_tensor_select(x, 0, 0), weft_tensor_scalar(ctx, -1)));
    EXPECT(x, -1, -1, -1, -1, 30, 5, 40, 7);
    EXPECT(even, -1, -1, 30, 40);
    /* a view of itself */
    assert_true(weft_tensor_assign(x, weft_tensor_flip(x, 1)));
    EXPECT(x, -1, -1, -1, -1, 7, 40, 5, 30);
}

static void test_writes_through_views_of_packed_types(void **state)
{
    weft_context *ctx = *state;
    static const weft_dtype types[] = {WEFT_U8, WEFT_I8, WEFT_BOOL, WEFT_BF16, WEFT_F16,
                                       WEFT_I64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool b = types[i] == WEFT_BOOL;
        weft_tensor *x = tensor_of(ctx, types[i], SHAPE(2, 5),
                                   VALUES(1, 1, 1, 1, 1, 0, 0, 0, 0, 0));
        weft_tensor *v = weft_tensor_transpose(weft_tensor_narrow(x, 1, 1, 3), 0, 1);
        assert_true(weft_tensor_assign(v, tensor_of(ctx, WEFT_I32, SHAPE(3, 2),
                                                    VALUES(0, 1, 2, 3, 4, 5))));
        EXPECT(x, 1, 0, b ? 1 : 2, b ? 1 : 4, 1, 0, 1, b ? 1 : 3, b ? 1 : 5, 0);
    }
}

static void test_bitcast(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(2), VALUES(1, -2));
    EXPECT(weft_tensor_bitcast(x, WEFT_U32), 0x3f800000, 0xc0000000);
    EXPECT(weft_tensor_bitcast(weft_tensor_neg(x), WEFT_U32), 0xbf800000, 0x40000000);
    assert_null(weft_tensor_bitcast(x, WEFT_U8));
    fixture_expect_error(ctx, WEFT_ERROR_TYPE, "differ in size");
}

static void test_offsets_beyond_the_alignment(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(100, 7), 0);
    for (int i = 0; i < 100; i += 9) {
        double want[7];
        for (int k = 0; k < 7; k++)
            want[k] = 1 + 7 * i + k;
        expect_near(weft_tensor_add_scalar(weft_tensor_select(x, 0, i), 1), want, 7, 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reshape_and_infer),
        TEST(test_permute_and_transpose),
        TEST(test_slices_follow_python),
        TEST(test_parts),
        TEST(test_expand_and_squeeze),
        TEST(test_views_of_pending_tensors),
        TEST(test_as_strided_stays_inside),
        TEST(test_writes_through_views),
        TEST(test_writes_through_views_of_packed_types),
        TEST(test_bitcast),
        TEST(test_offsets_beyond_the_alignment),
    };
    return cmocka_run_group_tests_name("tensor_view", tests, NULL, NULL);
}
