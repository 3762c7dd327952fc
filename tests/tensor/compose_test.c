/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compose_test.c - softmax, norms, linear, attention, convolution, pooling and indexing beside
 * plain loops, and with wrong arguments.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <weft/tensor.h>

#include "tensors.h"

static weft_tensor *random_tensor(weft_context *ctx, uint32_t rank, const uint64_t *shape,
                                  uint64_t seed)
{
    double   values[4096];
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    assert_true(count <= 4096);
    for (uint64_t i = 0; i < count; i++)
        values[i] = 2 * random_next(&seed) - 1;
    return tensor_of(ctx, WEFT_F32, rank, shape, values);
}

/* ---- softmax and norms ---- */

static void test_softmax(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(2, 2), VALUES(0, log(3), 1000, 1000));
    EXPECT(weft_tensor_softmax(x, -1), 0.25, 0.75, 0.5, 0.5);
    EXPECT(weft_tensor_log_softmax(x, 1), log(0.25), log(0.75), log(0.5), log(0.5));
    EXPECT(weft_tensor_sum(weft_tensor_softmax(x, 0), WEFT_AXIS(0)), 1, 1);
}

static void test_norms(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(2, 2), VALUES(1, 3, -2, 2));
    weft_tensor  *gain = tensor_of(ctx, WEFT_F32, SHAPE(2), VALUES(2, 4));
    weft_tensor  *bias = tensor_of(ctx, WEFT_F32, SHAPE(2), VALUES(10, 20));
    EXPECT(weft_tensor_layer_norm(x, gain, bias, 1e-12), 8, 24, 8, 24);
    EXPECT(weft_tensor_layer_norm(x, NULL, NULL, 1e-12), -1, 1, -1, 1);
    EXPECT(weft_tensor_rms_norm(x, gain, 1e-12), 2 / sqrt(5), 12 / sqrt(5), -2, 4);
    EXPECT(weft_tensor_batch_norm(x, bias, gain, bias, gain, 1e-12),
           2 + 10 * -9 / sqrt(2), 4 + 20 * -17 / 2.0, 2 + 10 * -12 / sqrt(2), 4 + 20 * -18 / 2.0);
}

static void test_group_norm(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(1, 4, 2), VALUES(1, 1, 3, 3, 5, 5, 9, 9));
    EXPECT(weft_tensor_group_norm(x, 2, NULL, NULL, 1e-12), -1, -1, 1, 1, -1, -1, 1, 1);
    weft_tensor *y = tensor_of(ctx, WEFT_F32, SHAPE(1, 2, 2), VALUES(1, 3, 10, 20));
    EXPECT(weft_tensor_instance_norm(y, NULL, NULL, 1e-12), -1, 1, -1, 1);
}

/* ---- products ---- */

static void test_linear_and_outer(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_of(ctx, WEFT_F32, SHAPE(2, 2), VALUES(1, 2, 3, 4));
    weft_tensor  *w = tensor_of(ctx, WEFT_F32, SHAPE(3, 2), VALUES(1, 0, 0, 1, -1, -1));
    weft_tensor  *b = tensor_of(ctx, WEFT_F32, SHAPE(3), VALUES(10, 20, 1));
    EXPECT(weft_tensor_linear(x, w, b, WEFT_ACTIVATION_RELU), 11, 22, 0, 13, 24, 0);
    weft_tensor *v = tensor_of(ctx, WEFT_F32, SHAPE(2), VALUES(2, 3));
    EXPECT(weft_tensor_outer(v, b), 20, 40, 2, 30, 60, 3);
    weft_tensor *mask = weft_tensor_greater(x, weft_tensor_scalar(ctx, 2));
    EXPECT(weft_tensor_masked_fill(x, mask, -5), 1, 2, -5, -5);
}

/* One head of one query in plain C. */
static void attend(double *out, const double *q, const double *k, const double *v, uint32_t s,
                   uint32_t d, const bool *seen, double cap)
{
    double scores[16], most = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < s; i++) {
        scores[i] = 0;
        for (uint32_t j = 0; j < d; j++)
            scores[i] += q[j] * k[i * d + j] / sqrt(d);
        if (cap)
            scores[i] = cap * tanh(scores[i] / cap);
        if (!seen[i])
            scores[i] = -INFINITY;
        most = fmax(most, scores[i]);
    }
    for (uint32_t i = 0; i < s; i++)
        sum += scores[i] = exp(scores[i] - most);
    for (uint32_t j = 0; j < d; j++) {
        out[j] = 0;
        for (uint32_t i = 0; i < s; i++)
            out[j] += scores[i] / sum * v[i * d + j];
    }
}

static void check_attention(weft_context *ctx, const weft_attention *o)
{
    enum { B = 2, H = 4, G = 2, T = 3, S = 5, D = 4 };
    weft_tensor *q = random_tensor(ctx, SHAPE(B, H, T, D), 1);
    weft_tensor *k = random_tensor(ctx, SHAPE(B, G, S, D), 2);
    weft_tensor *v = random_tensor(ctx, SHAPE(B, G, S, D), 3);
    double *dq = tensor_doubles(q), *dk = tensor_doubles(k), *dv = tensor_doubles(v);
    double  want[B * H * T * D];
    for (uint32_t b = 0; b < B; b++)
        for (uint32_t h = 0; h < H; h++)
            for (uint32_t t = 0; t < T; t++) {
                bool     seen[S];
                uint32_t g = (b * G + h / (H / G)) * S * D, at = ((b * H + h) * T + t) * D;
                for (uint32_t s = 0; s < S; s++)
                    seen[s] = (!o->causal || s <= t + S - T) &&
                              (!o->window || s + o->window > t + S - T);
                attend(want + at, dq + at, dk + g, dv + g, S, D, seen, o->soft_cap);
            }
    expect_near(weft_tensor_attention(q, k, v, o), want, B * H * T * D, 1e-5);
    free(dq);
    free(dk);
    free(dv);
}

static void test_attention(void **state)
{
    check_attention(*state, &(weft_attention){0});
    check_attention(*state, &(weft_attention){.causal = true});
    check_attention(*state, &(weft_attention){.causal = true, .window = 2});
    check_attention(*state, &(weft_attention){.soft_cap = 0.5});
}

static void test_attention_with_masks(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *q = random_tensor(ctx, SHAPE(1, 2, 3), 4);
    weft_tensor  *k = random_tensor(ctx, SHAPE(1, 3, 3), 5);
    weft_tensor  *v = tensor_of(ctx, WEFT_F32, SHAPE(1, 3, 1), VALUES(1, 2, 3));
    weft_tensor  *one = tensor_of(ctx, WEFT_BOOL, SHAPE(2, 3), VALUES(0, 1, 0, 0, 0, 1));
    EXPECT(weft_tensor_attention(q, k, v, &(weft_attention){.mask = one}), 2, 3);
    weft_tensor *added = tensor_of(ctx, WEFT_F32, SHAPE(2, 3), VALUES(0, 99, 0, 99, 0, 0));
    EXPECT(weft_tensor_attention(q, k, v, &(weft_attention){.mask = added}), 2, 1);
}

/* ---- pictures ---- */

static void test_convolution(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(1, 1, 3, 3), 1);
    weft_tensor  *w = tensor_of(ctx, WEFT_F32, SHAPE(1, 1, 2, 2), VALUES(1, 0, 0, 1));
    EXPECT(weft_tensor_conv2d(x, w, NULL, NULL), 6, 8, 12, 14);
    weft_tensor *b = tensor_of(ctx, WEFT_F32, SHAPE(1), VALUES(-10));
    EXPECT(weft_tensor_conv2d(x, w, b, &(weft_conv){.activation = WEFT_ACTIVATION_RELU}),
           0, 0, 2, 4);
    EXPECT(weft_tensor_conv2d(x, w, NULL, &(weft_conv){.dilation = {2, 2}}), 10);
    EXPECT(weft_tensor_conv2d(x, w, NULL, &(weft_conv){
        .stride = {2, 2}, .pad_before = {1, 1}}), 1, 3, 7, 14);
    weft_tensor *l = tensor_count(ctx, SHAPE(1, 2, 4), 1);
    weft_tensor *d = tensor_of(ctx, WEFT_F32, SHAPE(2, 1, 2), VALUES(1, 1, 1, -1));
    EXPECT(weft_tensor_conv1d(l, d, NULL, &(weft_conv){.groups = 2}), 3, 5, 7, -1, -1, -1);
}

static void test_pooling(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(1, 1, 3, 3), 1);
    weft_pool2d   two = {.size = {2, 2}, .stride = {1, 1}};
    EXPECT(weft_tensor_max_pool(x, &two), 5, 6, 8, 9);
    EXPECT(weft_tensor_avg_pool(x, &two), 3, 4, 6, 7);
    weft_pool2d padded = {.size = {2, 2}, .pad_before = {1, 1}};
    EXPECT(weft_tensor_max_pool(x, &padded), 1, 3, 7, 9);
    EXPECT(weft_tensor_avg_pool(x, &padded), 1, 2.5, 5.5, 7);
    padded.include_padding = true;
    EXPECT(weft_tensor_avg_pool(x, &padded), 0.25, 1.25, 2.75, 7);
    EXPECT(weft_tensor_max_pool(x, &(weft_pool2d){.size = {2, 2}, .ceil = true}), 5, 6, 8, 9);
}

/* The maximum of a window at (row, column) of one plane, from its elements. */
static double window_max(const double *plane, uint64_t width, uint64_t row, uint64_t column)
{
    double most = -INFINITY;
    for (uint64_t k = 0; k < 9; k++)
        most = fmax(most, plane[(row + k / 3) * width + column + k % 3]);
    return most;
}

/* Rows of results as long as there are lanes, a little shorter and longer, or of several groups. */
static void test_pooling_of_rows_of_every_length(void **state)
{
    weft_context *ctx = *state;
    static const uint64_t widths[] = {13, 14, 15, 18, 35, 70, 300};
    weft_pool2d three = {.size = {3, 3}, .stride = {2, 2}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint64_t w = widths[i], planes = 6, rows = 9, count = planes * rows * w, seed = 7 + i;
        double  *v = calloc(count, sizeof *v);
        assert_non_null(v);
        for (uint64_t k = 0; k < count; k++)
            v[k] = (double)(float)random_next(&seed);
        weft_tensor *x = tensor_of(ctx, WEFT_F32, SHAPE(2, 3, rows, w), v);
        weft_tensor *y = weft_tensor_max_pool(x, &three);
        uint64_t oh = (rows - 3) / 2 + 1, ow = (w - 3) / 2 + 1;
        double  *got = tensor_doubles(y);
        for (uint64_t k = 0; k < planes * oh * ow; k++)
            assert_true(got[k] == window_max(v + k / (oh * ow) * rows * w, w,
                                             k / ow % oh * 2, k % ow * 2));
        free(got);
        free(v);
    }
}

/* ---- indices ---- */

static void test_take_and_gather(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3, 2), 0);
    weft_tensor  *i = tensor_of(ctx, WEFT_I32, SHAPE(2, 2), VALUES(2, 0, -1, 7));
    EXPECT(weft_tensor_take(x, i, 0), 4, 5, 0, 1, 4, 5, 0, 0);
    weft_tensor *j = tensor_of(ctx, WEFT_I64, SHAPE(1), VALUES(1));
    EXPECT(weft_tensor_take(x, j, 1), 1, 3, 5);
    EXPECT(weft_tensor_gather(x, i, 0), 4, 1, 4, 0);
    expect_shape(weft_tensor_take(x, i, 1), SHAPE(3, 2, 2));
}

/* ---- wrong arguments ---- */

static void expect_error(weft_context *ctx, weft_tensor *t, weft_error_kind kind)
{
    assert_null(t);
    assert_int_equal(weft_context_error(ctx)->kind, kind);
    weft_context_error_clear(ctx);
}

static void test_wrong_arguments(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(2, 3), 0), *v = tensor_count(ctx, SHAPE(3), 0);
    weft_tensor  *p = tensor_count(ctx, SHAPE(1, 4, 5, 5), 0);
    expect_error(ctx, weft_tensor_softmax(x, 2), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_linear(x, v, NULL, 0), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_outer(x, v), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_batch_norm(v, v, v, NULL, NULL, 0), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_group_norm(x, 2, NULL, NULL, 0), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_instance_norm(x, NULL, NULL, 0), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_attention(x, x, x, NULL), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_conv2d(p, x, NULL, NULL), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_conv2d(p, p, NULL, &(weft_conv){.groups = 3}), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_max_pool(x, &(weft_pool2d){.size = {2, 2}}), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_max_pool(p, NULL), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_avg_pool(p, &(weft_pool2d){.size = {0, 2}}), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_max_pool(p, &(weft_pool2d){.size = {9, 9}}), WEFT_ERROR_SHAPE);
    expect_error(ctx, weft_tensor_take(x, x, 0), WEFT_ERROR_TYPE);
    expect_error(ctx, weft_tensor_gather(x, weft_tensor_cast(v, WEFT_I32), 0), WEFT_ERROR_SHAPE);
    assert_null(weft_tensor_softmax(NULL, 0));
    assert_null(weft_tensor_attention(NULL, NULL, NULL, NULL));
    assert_null(weft_tensor_conv2d(NULL, NULL, NULL, NULL));
    assert_null(weft_tensor_max_pool(NULL, NULL));
    assert_null(weft_tensor_layer_norm(NULL, NULL, NULL, 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_softmax), TEST(test_norms), TEST(test_group_norm), TEST(test_linear_and_outer),
        TEST(test_attention), TEST(test_attention_with_masks), TEST(test_convolution),
        TEST(test_pooling), TEST(test_pooling_of_rows_of_every_length),
        TEST(test_take_and_gather), TEST(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
