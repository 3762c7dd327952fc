/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fusion_test.c - how many kernels graphs become, and that fusion changes no result: random
 * graphs give what the same operators give one by one.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "context/fixture.h"
#include "tensor/tensor_priv.h"
#include "tensors.h"

static weft_tensor *numbers(weft_context *ctx, uint32_t rank, const uint64_t *shape,
                            uint64_t seed)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    double *v = calloc(count + 1, sizeof *v);
    assert_non_null(v);
    for (uint64_t i = 0; i < count; i++)
        v[i] = random_next(&seed) * 2 - 0.5;
    weft_tensor *t = tensor_of(ctx, WEFT_F32, rank, shape, v);
    free(v);
    return t;
}

/* Kernels that evaluating all of them together runs. */
static uint64_t kernels_of(weft_context *ctx, weft_tensor *const *list, uint32_t count)
{
    uint64_t before = weft_context_counter(ctx, "tensor.kernels");
    if (!weft_tensor_eval(list, count))
        fail_msg("%s", weft_context_error(ctx)->message);
    return weft_context_counter(ctx, "tensor.kernels") - before;
}

static void expect_kernels(weft_context *ctx, weft_tensor *t, uint64_t want)
{
    assert_non_null(t);
    char    *why = weft_tensor_explain(t);
    uint64_t got = kernels_of(ctx, &t, 1);
    if (got != want)
        fail_msg("%llu kernels, expected %llu:\n%s", (unsigned long long)got,
                 (unsigned long long)want, why);
    weft_string_release(why);
}

/* ---- numbers of kernels ---- */

static void test_elementwise_chain_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = numbers(ctx, SHAPE(5, 70), 1), *w = numbers(ctx, SHAPE(5, 70), 2);
    weft_tensor  *b = numbers(ctx, SHAPE(70), 3), *r = numbers(ctx, SHAPE(5, 1), 4);
    weft_tensor  *y = weft_tensor_add(weft_tensor_mul(x, w), b);
    expect_kernels(ctx, weft_tensor_add(weft_tensor_gelu(y, WEFT_GELU_ERF), r), 1);
}

static void test_reduction_with_prologue_and_epilogue_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = numbers(ctx, SHAPE(6, 100), 1), *b = numbers(ctx, SHAPE(6), 2);
    weft_tensor  *s = weft_tensor_sum(weft_tensor_exp(x), WEFT_AXIS(1));
    expect_kernels(ctx, weft_tensor_add(weft_tensor_log(s), b), 1);
}

static void test_norm_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    expect_kernels(ctx, weft_tensor_norm(numbers(ctx, SHAPE(9, 40), 1), NULL, 2), 1);
}

static void test_softmax_by_hand_is_four_kernels(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = numbers(ctx, SHAPE(6, 50), 1);
    weft_tensor  *e = weft_tensor_exp(weft_tensor_sub(x, weft_tensor_max(x, WEFT_AXIS_KEEP(1))));
    weft_tensor  *y = weft_tensor_div(e, weft_tensor_sum(e, WEFT_AXIS_KEEP(1)));
    expect_kernels(ctx, y, 4);      /* max, e (read twice), sum, division */
}

static void test_matmul_epilogue_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *a = numbers(ctx, SHAPE(20, 30), 1), *b = numbers(ctx, SHAPE(30, 40), 2);
    weft_tensor  *y = weft_tensor_add(weft_tensor_matmul(a, b), numbers(ctx, SHAPE(40), 3));
    y = weft_tensor_add(weft_tensor_gelu(y, WEFT_GELU_ERF), numbers(ctx, SHAPE(20, 40), 4));
    expect_kernels(ctx, weft_tensor_mul_scalar(y, 0.3), 1);
}

/* What a channel or a pixel has of its own is part of the kernel: pixels are one axis of it.
 * What differs along rows alone does not, as that axis runs over rows and columns. */
static void test_convolution_epilogue_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = numbers(ctx, SHAPE(2, 6, 9, 7), 1), *bias = numbers(ctx, SHAPE(20), 2);
    weft_tensor  *one = numbers(ctx, SHAPE(20, 6, 1, 1), 3);
    weft_tensor  *nine = numbers(ctx, SHAPE(20, 6, 3, 3), 4);
    weft_tensor  *more = numbers(ctx, SHAPE(2, 20, 9, 7), 5), *row = numbers(ctx, SHAPE(7), 6);
    weft_conv     how = {.activation = WEFT_ACTIVATION_RELU}, border = how;
    border.pad_before[0] = border.pad_before[1] = border.pad_after[0] = border.pad_after[1] = 1;
    expect_kernels(ctx, weft_tensor_conv2d(x, one, bias, &how), 1);
    expect_kernels(ctx, weft_tensor_conv2d(x, nine, bias, &border), 3);     /* weights, border */
    expect_kernels(ctx, weft_tensor_relu(weft_tensor_add(
        weft_tensor_conv2d(x, one, bias, NULL), more)), 1);
    expect_kernels(ctx, weft_tensor_add(weft_tensor_conv2d(x, one, bias, &how), row), 2);
}

static void test_two_products_are_two_kernels(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *a = numbers(ctx, SHAPE(8, 8), 1), *b = numbers(ctx, SHAPE(8, 8), 2);
    weft_tensor  *y = weft_tensor_add(weft_tensor_matmul(a, b), weft_tensor_matmul(b, a));
    expect_kernels(ctx, weft_tensor_relu(y), 2);
}

static void test_diamond_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *e = weft_tensor_exp(numbers(ctx, SHAPE(100), 1));
    weft_tensor  *y = weft_tensor_add(weft_tensor_sin(e), weft_tensor_cos(e));
    expect_kernels(ctx, y, 1);
}

static void test_results_of_one_shape_share_a_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *a = weft_tensor_exp(numbers(ctx, SHAPE(100), 1));
    weft_tensor  *both[] = {a, weft_tensor_mul_scalar(a, 3)};
    assert_int_equal(kernels_of(ctx, both, 2), 1);
    weft_tensor *want = weft_tensor_mul_scalar(a, 3);
    expect_same(both[1], want, 1e-6);
}

static void test_views_between_operators_cost_nothing(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = weft_tensor_exp(numbers(ctx, SHAPE(12, 20), 1));
    weft_tensor  *t = weft_tensor_flip(weft_tensor_transpose(x, 0, 1), 1);
    weft_tensor  *part = weft_tensor_narrow(t, 0, 3, 10);
    expect_kernels(ctx, weft_tensor_sqrt(part), 1);
    weft_tensor *y = weft_tensor_exp(numbers(ctx, SHAPE(12, 20), 2));
    expect_kernels(ctx, weft_tensor_sqrt(weft_tensor_reshape(y, SHAPE(4, 60))), 1);
}

static void test_differences_of_a_computed_sequence(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = weft_tensor_square(numbers(ctx, SHAPE(50), 1));
    weft_tensor  *d = weft_tensor_sub(weft_tensor_narrow(x, 0, 1, 49),
                                      weft_tensor_narrow(x, 0, 0, 49));
    expect_kernels(ctx, d, 1);
}

static void test_patterns_need_no_memory(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = numbers(ctx, SHAPE(30, 30), 1);
    weft_tensor  *y = weft_tensor_add(weft_tensor_tri(x, false, 0),
                                      weft_tensor_eye(ctx, WEFT_F32, 30, 30, 0));
    expect_kernels(ctx, weft_tensor_sum(y, NULL), 1);
}

static void test_concat_with_epilogue_is_one_kernel(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *list[] = {numbers(ctx, SHAPE(3, 20), 1), numbers(ctx, SHAPE(5, 20), 2)};
    expect_kernels(ctx, weft_tensor_relu(weft_tensor_concat(list, 2, 0)), 1);
}

static void test_expensive_broadcast_is_computed_once(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *e = weft_tensor_exp(numbers(ctx, SHAPE(40), 1));
    expect_kernels(ctx, weft_tensor_add(numbers(ctx, SHAPE(50, 40), 2), e), 2);
    weft_tensor *cheap = weft_tensor_add_scalar(numbers(ctx, SHAPE(40), 3), 1);
    expect_kernels(ctx, weft_tensor_add(numbers(ctx, SHAPE(50, 40), 2), cheap), 1);
}

static void test_variance_is_two_kernels(void **state)
{
    weft_context *ctx = *state;
    expect_kernels(ctx, weft_tensor_var(numbers(ctx, SHAPE(7, 33), 1), WEFT_AXIS(1), 0), 2);
}

static void test_more_inputs_than_bindings_still_run(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *sum = numbers(ctx, SHAPE(33), 1);
    double        want[33];
    double       *first = tensor_doubles(sum);
    memcpy(want, first, sizeof want);
    free(first);
    for (uint64_t i = 0; i < 40; i++) {
        weft_tensor *x = numbers(ctx, SHAPE(33), 100 + i);
        double      *v = tensor_doubles(x);
        for (int k = 0; k < 33; k++)
            want[k] += v[k];
        free(v);
        sum = weft_tensor_add(sum, x);
    }
    expect_near(sum, want, 33, 1e-5);
}

static void test_evaluated_twice_is_computed_once(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *e = weft_tensor_exp(numbers(ctx, SHAPE(64), 1));
    expect_kernels(ctx, weft_tensor_add_scalar(e, 1), 1);
    expect_kernels(ctx, weft_tensor_add_scalar(e, 2), 2);    /* now e goes to memory ... */
    expect_kernels(ctx, weft_tensor_add_scalar(e, 3), 2);    /* ... of its own scope's time */
}

static void test_plans_serve_equal_graphs(void **state)
{
    weft_context *ctx = *state;
    for (uint64_t i = 0; i < 20; i++) {
        weft_tensor *x = numbers(ctx, SHAPE(64), i);
        expect_kernels(ctx, weft_tensor_mul_scalar(x, 0.1 + (double)i), 1);
    }
    assert_int_equal(weft_context_counter(ctx, "tensor.plans"), 1);
    assert_int_equal(weft_context_counter(ctx, "context.compiles"), 1);
}

static void test_explain_says_why(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *a = numbers(ctx, SHAPE(8, 8), 1);
    weft_tensor  *y = weft_tensor_relu(weft_tensor_add(weft_tensor_matmul(a, a),
                                                       weft_tensor_matmul(a, a)));
    char *text = weft_tensor_explain(y);
    assert_non_null(strstr(text, "2 kernels"));
    assert_non_null(strstr(text, "one product or reduction"));
    assert_non_null(strstr(text, "@compute"));
    assert_int_equal(weft_tensor_location(y), WEFT_LOCATION_LAZY);
    weft_string_release(text);
    assert_true(weft_tensor_eval(&y, 1));
    text = weft_tensor_explain(y);  /* afterwards it tells what ran */
    assert_non_null(strstr(text, "2 kernels"));
    weft_string_release(text);
    text = weft_tensor_explain(a);
    assert_non_null(strstr(text, "no kernels"));
    weft_string_release(text);
}

static void test_early_evaluation(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(&(weft_context_desc){.eval_threshold = 1 << 20});
    weft_tensor_scope_begin(ctx);
    weft_tensor *x = numbers(ctx, SHAPE(256, 256), 1);
    for (int i = 0; i < 20; i++)
        x = weft_tensor_add_scalar(x, 1);       /* 256 KiB pending each */
    assert_true(weft_context_counter(ctx, "tensor.early_evaluations") >= 3);
    weft_tensor_scope_end(ctx, NULL, 0);
    fixture_release(ctx);
}

static void test_deep_graphs(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = weft_tensor_full(ctx, WEFT_I32, SHAPE(3), 0);
    for (int i = 0; i < 3000; i++)
        x = weft_tensor_add_scalar(x, 1);
    EXPECT(x, 3000, 3000, 3000);
}

/* ---- random graphs ---- */

typedef struct Random {
    weft_context *ctx;
    uint64_t      seed;
    weft_tensor  *list[64];
    uint32_t      count;
} Random;

static uint32_t pick(Random *r, uint32_t n)
{
    return (uint32_t)(random_next(&r->seed) * n);
}

static weft_tensor *random_unary(Random *r, weft_tensor *x)
{
    static weft_tensor *(*const ops[])(weft_tensor *) = {
        weft_tensor_sin, weft_tensor_cos, weft_tensor_tanh, weft_tensor_abs, weft_tensor_relu,
        weft_tensor_sigmoid, weft_tensor_neg, weft_tensor_floor, weft_tensor_erf,
        weft_tensor_square, weft_tensor_softplus,
    };
    return ops[pick(r, sizeof ops / sizeof *ops)](x);
}

static weft_tensor *random_binary(Random *r, weft_tensor *a, weft_tensor *b)
{
    static weft_tensor *(*const ops[])(weft_tensor *, weft_tensor *) = {
        weft_tensor_add, weft_tensor_sub, weft_tensor_mul, weft_tensor_maximum,
        weft_tensor_minimum, weft_tensor_less,
    };
    return ops[pick(r, sizeof ops / sizeof *ops)](a, b);
}

static weft_tensor *random_view(Random *r, weft_tensor *x)
{
    uint32_t rank = weft_tensor_rank(x);
    int      axis = rank ? (int)pick(r, rank) : 0;
    switch (rank ? pick(r, 6) : 5) {
    case 0:  return weft_tensor_permute(x, NULL);
    case 1:  return weft_tensor_flip(x, axis);
    case 2:  return weft_tensor_reshape(x, 1, (const uint64_t[]){WEFT_INFER});
    case 3:  return weft_tensor_slice(x, 1, &(weft_range){.step = pick(r, 2) ? 2 : -2});
    case 4:  return weft_tensor_narrow(x, axis, 0, (weft_tensor_size(x, axis) + 1) / 2);
    default: return weft_tensor_unsqueeze(x, 0);
    }
}

static weft_tensor *random_reduction(Random *r, weft_tensor *x)
{
    uint32_t rank = weft_tensor_rank(x);
    int      axis = rank ? (int)pick(r, rank) : 0;
    const weft_axes *axes = rank ? WEFT_AXIS_KEEP(axis) : NULL;
    switch (pick(r, 4)) {
    case 0:  return weft_tensor_mean(x, axes);
    case 1:  return weft_tensor_max(x, axes);
    case 2:  return weft_tensor_min(x, axes);
    default: return weft_tensor_mul_scalar(weft_tensor_sum(x, axes), 0.1);
    }
}

static weft_tensor *random_copy(Random *r, weft_tensor *x)
{
    static const weft_dtype types[] = {WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_I32};
    int64_t ones[WEFT_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    switch (pick(r, 5)) {
    case 0:  return weft_tensor_cast(weft_tensor_cast(x, types[pick(r, 4)]), WEFT_F32);
    case 1:  return weft_tensor_pad(x, ones, ones, WEFT_PAD_CONSTANT, 0.5);
    case 2:  return weft_tensor_rank(x) ? weft_tensor_roll(x, -1, 3) : weft_tensor_copy(x);
    case 3:  return weft_tensor_where(weft_tensor_less(x, weft_tensor_scalar(r->ctx, 0.2)), x,
                                      weft_tensor_scalar(r->ctx, 0.7));
    default: return weft_tensor_rank(x)
                        ? weft_tensor_concat((weft_tensor *const[]){x, x}, 2, 0)
                        : weft_tensor_copy(x);
    }
}

static weft_tensor *random_step(Random *r)
{
    weft_tensor *x = r->list[pick(r, r->count)], *y = r->list[pick(r, r->count)], *t = NULL;
    switch (pick(r, 8)) {
    case 0: case 1: t = random_unary(r, x); break;
    case 2: case 3: t = random_binary(r, x, y); break;
    case 4:  t = random_view(r, x); break;
    case 5:  t = random_reduction(r, x); break;
    case 6:  t = random_copy(r, x); break;
    default: t = weft_tensor_add_scalar(x, random_next(&r->seed)); break;
    }
    weft_context_error_clear(r->ctx);           /* shapes that do not broadcast */
    if (t && (weft_tensor_count(t) > 4000 || weft_tensor_rank(t) > 4))
        return NULL;
    return t;
}

/* The same graph with and without fusion. */
static weft_tensor *random_graph(weft_context *ctx, uint64_t seed, bool fused)
{
    Random r = {.ctx = ctx, .seed = seed};
    tensor_state(ctx)->no_fusion = !fused;
    r.list[r.count++] = numbers(ctx, SHAPE(6, 17), seed + 1);
    r.list[r.count++] = numbers(ctx, SHAPE(17), seed + 2);
    r.list[r.count++] = numbers(ctx, SHAPE(6, 1), seed + 3);
    r.list[r.count++] = numbers(ctx, SHAPE(3, 6, 17), seed + 4);
    for (int i = 0; i < 14; i++) {
        weft_tensor *t = random_step(&r);
        if (t)
            r.list[r.count++] = t;
    }
    return r.list[r.count - 1];
}

static void test_random_graphs_do_not_depend_on_fusion(void **state)
{
    weft_context *ctx = *state;
    const char   *many = getenv("WEFT_TEST_GRAPHS");
    int           graphs = many ? atoi(many) : 60;
    for (int i = 0; i < graphs; i++) {
        weft_tensor_scope_begin(ctx);
        weft_tensor *fused = random_graph(ctx, 1000 + (uint64_t)i * 17, true);
        double      *got = tensor_doubles(fused);
        weft_tensor *plain = random_graph(ctx, 1000 + (uint64_t)i * 17, false);
        expect_near(plain, got, weft_tensor_count(fused), 2e-3);
        free(got);
        weft_tensor_scope_end(ctx, NULL, 0);
    }
    tensor_state(ctx)->no_fusion = false;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_elementwise_chain_is_one_kernel),
        TEST(test_reduction_with_prologue_and_epilogue_is_one_kernel),
        TEST(test_norm_is_one_kernel),
        TEST(test_softmax_by_hand_is_four_kernels),
        TEST(test_matmul_epilogue_is_one_kernel),
        TEST(test_convolution_epilogue_is_one_kernel),
        TEST(test_two_products_are_two_kernels),
        TEST(test_diamond_is_one_kernel),
        TEST(test_results_of_one_shape_share_a_kernel),
        TEST(test_views_between_operators_cost_nothing),
        TEST(test_differences_of_a_computed_sequence),
        TEST(test_patterns_need_no_memory),
        TEST(test_concat_with_epilogue_is_one_kernel),
        TEST(test_expensive_broadcast_is_computed_once),
        TEST(test_variance_is_two_kernels),
        TEST(test_more_inputs_than_bindings_still_run),
        TEST(test_evaluated_twice_is_computed_once),
        TEST(test_plans_serve_equal_graphs),
        TEST(test_explain_says_why),
        cmocka_unit_test(test_early_evaluation),
        TEST(test_deep_graphs),
        TEST(test_random_graphs_do_not_depend_on_fusion),
    };
    return cmocka_run_group_tests_name("tensor_fusion", tests, NULL, NULL);
}
