/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_ops_test.c - products, convolutions, indexing, order, linear algebra, random numbers and
 * quantization with arguments that they must refuse.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "context/fixture.h"
#include "tensors.h"

/* ---- every operator with tensors that are none ---- */

/* x is [4, 4] f32, i is [4, 4] i32 */
typedef weft_tensor *(*Call)(weft_tensor *x, weft_tensor *i);

static weft_tensor *first(bool ok, weft_tensor *a, weft_tensor *b)
{
    weft_tensor_release(b);
    return ok ? a : NULL;
}

static weft_tensor *call_matmul(weft_tensor *x, weft_tensor *i) { return weft_tensor_matmul(x, i); }
static weft_tensor *call_linear(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_linear(x, i, NULL, WEFT_ACTIVATION_NONE);
}
static weft_tensor *call_outer(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_outer(weft_tensor_select(x, 0, 0), weft_tensor_select(i, 0, 0));
}
static weft_tensor *call_einsum(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_einsum("ab,bc->ac", (weft_tensor *const[]){x, i}, 2);
}
static weft_tensor *call_attention(weft_tensor *x, weft_tensor *i)
{
    weft_tensor *q = weft_tensor_unsqueeze(x, 0), *k = weft_tensor_unsqueeze(i, 0);
    return weft_tensor_attention(q, k, k, NULL);
}
static weft_tensor *call_conv(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_conv1d(weft_tensor_unsqueeze(x, 0), weft_tensor_unsqueeze(i, 0), NULL, NULL);
}
static weft_tensor *call_conv_transpose(weft_tensor *x, weft_tensor *i)
{
    weft_tensor *w = weft_tensor_unsqueeze(i, 1);
    return weft_tensor_conv_transpose(weft_tensor_unsqueeze(x, 0), w, NULL, NULL);
}
static weft_tensor *call_layer_norm(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_layer_norm(x, i, NULL, 0);
}
static weft_tensor *call_take(weft_tensor *x, weft_tensor *i) { return weft_tensor_take(x, i, 0); }
static weft_tensor *call_gather(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_gather(x, i, 0);
}
static weft_tensor *call_gather_nd(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_gather_nd(x, weft_tensor_narrow(i, 1, 0, 2), 0);
}
static weft_tensor *call_scatter(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_scatter(x, i, x, 0, WEFT_SCATTER_ADD);
}
static weft_tensor *call_scatter_nd(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_scatter_nd(x, weft_tensor_narrow(i, 1, 0, 1), x, WEFT_SCATTER_SET);
}
static weft_tensor *call_slice_update(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_slice_update(x, i, 0, NULL);
}
static weft_tensor *call_masked_fill(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_masked_fill(x, i, 1);
}
static weft_tensor *call_searchsorted(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_searchsorted(x, i, false);
}
static weft_tensor *call_solve(weft_tensor *x, weft_tensor *i) { return weft_tensor_solve(x, i); }
static weft_tensor *call_triangular(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_triangular_solve(x, i, NULL);
}
static weft_tensor *call_rope(weft_tensor *x, weft_tensor *i)
{
    return weft_tensor_rope(x, &(weft_rope){.positions = weft_tensor_select(i, 0, 0)});
}
static weft_tensor *call_quantized(weft_tensor *x, weft_tensor *i)
{
    weft_tensor *w = weft_tensor_cast(i, WEFT_I8);
    return weft_tensor_matmul_quantized(x, w, &(weft_scales){
        .scale = weft_tensor_ones(weft_tensor_context(i), WEFT_F32, 0, NULL)});
}

static const struct { const char *name; Call call; } pairs[] = {
    {"matmul", call_matmul}, {"linear", call_linear}, {"outer", call_outer},
    {"einsum", call_einsum}, {"attention", call_attention}, {"conv1d", call_conv},
    {"conv_transpose", call_conv_transpose}, {"layer_norm", call_layer_norm},
    {"take", call_take}, {"gather", call_gather}, {"gather_nd", call_gather_nd},
    {"scatter", call_scatter}, {"scatter_nd", call_scatter_nd},
    {"slice_update", call_slice_update}, {"masked_fill", call_masked_fill},
    {"searchsorted", call_searchsorted}, {"solve", call_solve},
    {"triangular_solve", call_triangular}, {"rope", call_rope},
    {"matmul_quantized", call_quantized},
};

/* operators of one tensor */
static weft_tensor *one_softmax(weft_tensor *x) { return weft_tensor_softmax(x, -1); }
static weft_tensor *one_log_softmax(weft_tensor *x) { return weft_tensor_log_softmax(x, 0); }
static weft_tensor *one_rms_norm(weft_tensor *x) { return weft_tensor_rms_norm(x, NULL, 0); }
static weft_tensor *one_nonzero(weft_tensor *x) { return weft_tensor_nonzero(x); }
static weft_tensor *one_sort(weft_tensor *x) { return weft_tensor_sort(x, 0, false); }
static weft_tensor *one_argsort(weft_tensor *x) { return weft_tensor_argsort(x, 0, true); }
static weft_tensor *one_cholesky(weft_tensor *x) { return weft_tensor_cholesky(x, false); }
static weft_tensor *one_inv(weft_tensor *x) { return weft_tensor_inv(x); }
static weft_tensor *one_det(weft_tensor *x) { return weft_tensor_det(x); }
static weft_tensor *one_dropout(weft_tensor *x) { return weft_tensor_dropout(x, 0.5, 1); }
static weft_tensor *one_bernoulli(weft_tensor *x) { return weft_tensor_bernoulli(x, 1); }
static weft_tensor *one_rope(weft_tensor *x) { return weft_tensor_rope(x, NULL); }
static weft_tensor *one_cumprod(weft_tensor *x) { return weft_tensor_cumprod(x, 0, NULL); }
static weft_tensor *one_topk(weft_tensor *x)
{
    weft_tensor *v = NULL, *i = NULL;
    bool ok = weft_tensor_topk(&v, &i, x, 1, 0, false);
    return first(ok, v, i);
}
static weft_tensor *one_qr(weft_tensor *x)
{
    weft_tensor *q = NULL, *r = NULL;
    bool ok = weft_tensor_qr(&q, &r, x);
    return first(ok, q, r);
}
static weft_tensor *one_quantize_linear(weft_tensor *x)
{
    weft_context *ctx = weft_tensor_context(x);
    weft_scales   s = {.scale = ctx ? weft_tensor_ones(ctx, WEFT_F32, 0, NULL) : NULL};
    return weft_tensor_quantize_linear(x, &s, WEFT_I8);
}

static const struct { const char *name; weft_tensor *(*call)(weft_tensor *); } singles[] = {
    {"softmax", one_softmax}, {"log_softmax", one_log_softmax}, {"rms_norm", one_rms_norm},
    {"nonzero", one_nonzero}, {"sort", one_sort}, {"argsort", one_argsort}, {"topk", one_topk},
    {"cholesky", one_cholesky}, {"inv", one_inv}, {"det", one_det}, {"qr", one_qr},
    {"dropout", one_dropout}, {"bernoulli", one_bernoulli}, {"rope", one_rope},
    {"cumprod", one_cumprod}, {"quantize_linear", one_quantize_linear},
};

#define EACH(i, table) for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)

static void expect_null(weft_context *ctx, const char *what, weft_tensor *t, weft_error_kind kind)
{
    const weft_error *e = weft_context_error(ctx);
    if (t || e->kind != kind)
        fail_msg("%s: %s, error %s: %s", what, t ? "a tensor" : "NULL",
                 e->kind ? weft_error_kind_name(e->kind) : "none", e->message);
    assert_true(strlen(e->message) > 0);
    weft_context_error_clear(ctx);
}

static weft_tensor *floats(weft_context *ctx)
{
    return tensor_count(ctx, SHAPE(4, 4), 1);
}

static weft_tensor *integers(weft_context *ctx)
{
    return weft_tensor_cast(weft_tensor_eye(ctx, WEFT_F32, 4, 4, 0), WEFT_I32);
}

static void test_valid_calls_work(void **state)
{
    weft_context *ctx = *state;
    EACH(i, pairs) {
        weft_tensor *t = pairs[i].call(floats(ctx), integers(ctx));
        if (!t || !weft_tensor_eval(&t, 1))
            fail_msg("%s: %s", pairs[i].name, weft_context_error(ctx)->message);
    }
    EACH(i, singles) {
        weft_tensor *t = singles[i].call(weft_tensor_eye(ctx, WEFT_F32, 4, 4, 0));
        if (!t || !weft_tensor_eval(&t, 1))
            fail_msg("%s: %s", singles[i].name, weft_context_error(ctx)->message);
    }
}

static void test_null_gives_null(void **state)
{
    weft_context *ctx = *state;
    EACH(i, pairs) {
        assert_null(pairs[i].call(NULL, integers(ctx)));
        if (strcmp(pairs[i].name, "layer_norm") && strcmp(pairs[i].name, "rope")
            && strcmp(pairs[i].name, "matmul_quantized"))
            assert_null(pairs[i].call(floats(ctx), NULL));
    }
    EACH(i, singles)
        assert_null(singles[i].call(NULL));
    fixture_no_error(ctx);
}

static void test_released_tensors(void **state)
{
    weft_context *ctx = *state;
    EACH(i, singles) {
        weft_tensor_scope_begin(ctx);
        weft_tensor *gone = floats(ctx);
        weft_tensor_release(gone);
        expect_null(ctx, singles[i].name, singles[i].call(gone), WEFT_ERROR_INVALID);
        weft_tensor_scope_end(ctx, NULL, 0);
    }
    weft_tensor *x = floats(ctx), *i = integers(ctx);
    weft_tensor_release(x);
    weft_tensor_release(i);
    EACH(p, pairs)
        expect_null(ctx, pairs[p].name, pairs[p].call(x, i), WEFT_ERROR_INVALID);
}

static void test_other_contexts(void **state)
{
    weft_context *ctx = *state, *other = fixture_context(NULL);
    weft_tensor_scope_begin(other);
    EACH(i, pairs)
        expect_null(ctx, pairs[i].name, pairs[i].call(floats(ctx), integers(other)),
                    WEFT_ERROR_INVALID);
    weft_context_error_clear(other);
    weft_tensor_scope_end(other, NULL, 0);
    fixture_release(other);
}

static void test_quantized_operands(void **state)
{
    weft_context *ctx = *state;
    EACH(i, singles) {
        weft_tensor *q = weft_tensor_create(ctx, &(weft_tensor_desc){
            .dtype = WEFT_Q8_0, .rank = 2, .shape = {32, 32} });
        weft_tensor *t = singles[i].call(q);
        const weft_error *e = weft_context_error(ctx);
        if (t || (e->kind != WEFT_ERROR_TYPE && e->kind != WEFT_ERROR_SHAPE
                  && e->kind != WEFT_ERROR_INVALID))
            fail_msg("%s takes q8_0", singles[i].name);
        weft_context_error_clear(ctx);
    }
}

/* ---- shapes, axes, values ---- */

static void test_wrong_shapes_of_indices(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = floats(ctx), *i = integers(ctx), *v = tensor_count(ctx, SHAPE(3), 0);
    weft_tensor  *j = weft_tensor_cast(v, WEFT_I32);
    expect_null(ctx, "take", weft_tensor_take(x, i, 2), WEFT_ERROR_SHAPE);
    expect_null(ctx, "take", weft_tensor_take(x, x, 0), WEFT_ERROR_TYPE);
    expect_null(ctx, "gather", weft_tensor_gather(x, j, 0), WEFT_ERROR_SHAPE);
    expect_null(ctx, "gather_nd", weft_tensor_gather_nd(x, j, 0), WEFT_ERROR_SHAPE);
    expect_null(ctx, "gather_nd", weft_tensor_gather_nd(x, i, 9), WEFT_ERROR_SHAPE);
    expect_null(ctx, "gather_nd", weft_tensor_gather_nd(x, weft_tensor_narrow(x, 1, 0, 1), 0),
                WEFT_ERROR_TYPE);
    expect_null(ctx, "scatter", weft_tensor_scatter(x, i, v, 0, WEFT_SCATTER_SET),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "scatter", weft_tensor_scatter(x, i, x, 5, WEFT_SCATTER_SET),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "scatter", weft_tensor_scatter(x, x, x, 0, WEFT_SCATTER_SET),
                WEFT_ERROR_TYPE);
    expect_null(ctx, "scatter", weft_tensor_scatter(x, i, x, 0, (weft_scatter)9),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "scatter_nd", weft_tensor_scatter_nd(x, j, v, WEFT_SCATTER_SET),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "slice_update", weft_tensor_slice_update(x, v, 0, NULL), WEFT_ERROR_SHAPE);
    expect_null(ctx, "slice_update", weft_tensor_slice_update(x, x, 3, (weft_range[3]){{0}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "searchsorted", weft_tensor_searchsorted(x, v, false), WEFT_ERROR_SHAPE);
    expect_null(ctx, "nonzero", weft_tensor_nonzero(weft_tensor_scalar(ctx, 1)),
                WEFT_ERROR_SHAPE);
}

/* Indices beyond an axis have no effect, and are errors in contexts that check. */
static void test_indices_beyond(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(3), 1);
    weft_tensor  *i = tensor_of(ctx, WEFT_I32, SHAPE(3), VALUES(1, 7, -9));
    EXPECT(weft_tensor_take(x, i, 0), 2, 0, 0);
    EXPECT(weft_tensor_scatter(x, i, x, 0, WEFT_SCATTER_ADD), 1, 3, 3);
    EXPECT(weft_tensor_scatter(x, i, x, 0, WEFT_SCATTER_SET), 1, 1, 3);
    weft_context *checked = fixture_context(&(weft_context_desc){.checked = true});
    weft_tensor_scope_begin(checked);
    x = tensor_count(checked, SHAPE(3), 1);
    i = tensor_of(checked, WEFT_I32, SHAPE(3), VALUES(1, 7, -1));
    expect_null(checked, "take", weft_tensor_take(x, i, 0), WEFT_ERROR_INVALID);
    expect_null(checked, "scatter", weft_tensor_scatter(x, i, x, 0, WEFT_SCATTER_ADD),
                WEFT_ERROR_INVALID);
    expect_null(checked, "gather_nd",
                weft_tensor_gather_nd(x, weft_tensor_unsqueeze(i, 1), 0), WEFT_ERROR_INVALID);
    EXPECT(weft_tensor_take(x, weft_tensor_narrow(i, 0, 2, 1), 0), 3);
    weft_tensor_scope_end(checked, NULL, 0);
    fixture_release(checked);
}

static void test_wrong_order_and_algebra(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = floats(ctx), *v = tensor_count(ctx, SHAPE(3), 0), *out = NULL;
    weft_tensor  *wide = tensor_count(ctx, SHAPE(2, 3), 0);
    expect_null(ctx, "sort", weft_tensor_sort(x, 2, false), WEFT_ERROR_SHAPE);
    assert_false(weft_tensor_topk(&out, NULL, x, 5, 0, false));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "5 elements");
    assert_false(weft_tensor_unique(NULL, x));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no place");
    expect_null(ctx, "cholesky", weft_tensor_cholesky(wide, false), WEFT_ERROR_SHAPE);
    expect_null(ctx, "inv", weft_tensor_inv(v), WEFT_ERROR_SHAPE);
    expect_null(ctx, "det", weft_tensor_det(wide), WEFT_ERROR_SHAPE);
    expect_null(ctx, "solve", weft_tensor_solve(x, v), WEFT_ERROR_SHAPE);
    expect_null(ctx, "solve", weft_tensor_solve(x, wide), WEFT_ERROR_SHAPE);
    assert_false(weft_tensor_qr(&out, NULL, v));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "matrix");
    expect_null(ctx, "einsum", weft_tensor_einsum("ab,cd", &x, 1), WEFT_ERROR_SHAPE);
    expect_null(ctx, "einsum", weft_tensor_einsum(NULL, &x, 1), WEFT_ERROR_INVALID);
    expect_null(ctx, "einsum", weft_tensor_einsum("ab,bc->ac", (weft_tensor *const[]){x, wide}, 2),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "einsum", weft_tensor_einsum("a......b->ab", &x, 1), WEFT_ERROR_SHAPE);
    expect_null(ctx, "rope", weft_tensor_rope(v, NULL), WEFT_ERROR_SHAPE);
    expect_null(ctx, "rope", weft_tensor_rope(x, &(weft_rope){.dims = 3}), WEFT_ERROR_SHAPE);
    expect_null(ctx, "rope", weft_tensor_rope(x, &(weft_rope){.dims = 40}), WEFT_ERROR_SHAPE);
    expect_null(ctx, "rope", weft_tensor_rope(x, &(weft_rope){.positions = v}), WEFT_ERROR_SHAPE);
}

static void test_wrong_random_numbers(void **state)
{
    weft_context *ctx = *state;
    weft_random   r = {.key = 1, .rank = 1, .shape = {4}}, huge = r, odd = r;
    huge.shape[0] = UINT64_MAX;
    odd.dtype = WEFT_I32;
    expect_null(ctx, "uniform", weft_tensor_uniform(ctx, NULL, 0, 1), WEFT_ERROR_INVALID);
    expect_null(ctx, "uniform", weft_tensor_uniform(ctx, &r, 1, 0), WEFT_ERROR_INVALID);
    expect_null(ctx, "uniform", weft_tensor_uniform(ctx, &r, 0, (double)INFINITY),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "uniform", weft_tensor_uniform(ctx, &huge, 0, 1), WEFT_ERROR_SHAPE);
    expect_null(ctx, "normal", weft_tensor_normal(ctx, &odd, 0, 1), WEFT_ERROR_TYPE);
    expect_null(ctx, "normal", weft_tensor_normal(ctx, &r, 0, -1), WEFT_ERROR_INVALID);
    expect_null(ctx, "randint", weft_tensor_randint(ctx, &odd, 3, 3), WEFT_ERROR_INVALID);
    expect_null(ctx, "randint", weft_tensor_randint(ctx, &odd, 0, INT64_MAX), WEFT_ERROR_INVALID);
    expect_null(ctx, "permutation", weft_tensor_permutation(ctx, UINT64_MAX, 1), WEFT_ERROR_SHAPE);
    expect_null(ctx, "dropout", weft_tensor_dropout(floats(ctx), 1, 1), WEFT_ERROR_INVALID);
    expect_null(ctx, "dropout", weft_tensor_dropout(floats(ctx), (double)NAN, 1),
                WEFT_ERROR_INVALID);
    r.rank = 9;
    expect_null(ctx, "random_bits", weft_tensor_random_bits(ctx, &r), WEFT_ERROR_SHAPE);
}

static void test_wrong_pictures(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *p = tensor_count(ctx, SHAPE(1, 4, 5, 5), 0), *x = floats(ctx);
    weft_tensor  *w = tensor_count(ctx, SHAPE(2, 4, 3, 3), 0);
    expect_null(ctx, "conv2d", weft_tensor_conv2d(p, w, x, NULL), WEFT_ERROR_SHAPE);
    expect_null(ctx, "conv2d", weft_tensor_conv2d(p, w, NULL, &(weft_conv){
        .pad_before = {UINT32_MAX, UINT32_MAX}}), WEFT_ERROR_SHAPE);
    expect_null(ctx, "conv2d", weft_tensor_conv2d(p, w, NULL, &(weft_conv){
        .dilation = {UINT32_MAX, 1}}), WEFT_ERROR_SHAPE);
    expect_null(ctx, "conv2d", weft_tensor_conv2d(p, w, NULL, &(weft_conv){.dilation = {3, 3}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "conv_transpose", weft_tensor_conv_transpose(p, w, NULL, NULL),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "conv_transpose", weft_tensor_conv_transpose(w, weft_tensor_transpose(w, 0, 1),
                NULL, &(weft_conv){.pad_before = {99, 99}}), WEFT_ERROR_SHAPE);
    expect_null(ctx, "resize", weft_tensor_resize(p, NULL), WEFT_ERROR_INVALID);
    expect_null(ctx, "resize", weft_tensor_resize(x, &(weft_resize){.scale = {2, 2}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "resize", weft_tensor_resize(p, &(weft_resize){.scale = {1e30, 1}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "resize", weft_tensor_resize(p, &(weft_resize){.scale = {-1, 1}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "resize", weft_tensor_resize(p, &(weft_resize){.mode = (weft_resize_mode)7}),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "unfold", weft_tensor_unfold(p, NULL), WEFT_ERROR_SHAPE);
    expect_null(ctx, "unfold", weft_tensor_unfold(p, &(weft_pool2d){.size = {9, 9}}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "attention", weft_tensor_attention(p, w, w, NULL), WEFT_ERROR_SHAPE);
    weft_tensor *mask = weft_tensor_ones(ctx, WEFT_BOOL, SHAPE(7, 7));
    expect_null(ctx, "attention", weft_tensor_attention(p, p, p, &(weft_attention){.mask = mask}),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "layer_norm", weft_tensor_layer_norm(x, tensor_count(ctx, SHAPE(3), 0), NULL,
                                                          0), WEFT_ERROR_SHAPE);
}

static void test_wrong_quantization(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = floats(ctx), *w = tensor_count(ctx, SHAPE(3, 32), 0), *out[3];
    weft_tensor  *q = weft_tensor_quantize(w, WEFT_Q8_0), *s = tensor_count(ctx, SHAPE(3), 1);
    weft_tensor  *i = weft_tensor_cast(w, WEFT_I8), *row = tensor_count(ctx, SHAPE(2, 32), 0);
    expect_null(ctx, "quantize", weft_tensor_quantize(x, WEFT_Q4_0), WEFT_ERROR_SHAPE);
    expect_null(ctx, "quantize", weft_tensor_quantize(w, WEFT_I4), WEFT_ERROR_TYPE);
    expect_null(ctx, "quantize", weft_tensor_quantize(i, WEFT_Q8_0), WEFT_ERROR_TYPE);
    expect_null(ctx, "dequantize", weft_tensor_dequantize(w), WEFT_ERROR_TYPE);
    expect_null(ctx, "quantize_linear", weft_tensor_quantize_linear(w, NULL, WEFT_I8),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "quantize_linear",
                weft_tensor_quantize_linear(w, &(weft_scales){.scale = s, .axis = 1}, WEFT_I8),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "quantize_linear",
                weft_tensor_quantize_linear(w, &(weft_scales){.scale = s}, WEFT_F16),
                WEFT_ERROR_TYPE);
    expect_null(ctx, "quantize_linear",
                weft_tensor_quantize_linear(w, &(weft_scales){.scale = i}, WEFT_I8),
                WEFT_ERROR_TYPE);
    expect_null(ctx, "dequantize_linear",
                weft_tensor_dequantize_linear(w, &(weft_scales){.scale = s}), WEFT_ERROR_TYPE);
    assert_false(weft_tensor_quantize_dynamic(&out[0], &out[1], &out[2], w, &(weft_quantize){
        .dtype = WEFT_I8, .per = WEFT_PER_BLOCK, .axis = 1, .block = 5}));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "multiple of 5");
    assert_false(weft_tensor_quantize_dynamic(NULL, NULL, NULL, w, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no place");
    expect_null(ctx, "matmul_quantized", weft_tensor_matmul_quantized(x, q, NULL),
                WEFT_ERROR_SHAPE);
    expect_null(ctx, "matmul_quantized", weft_tensor_matmul_quantized(row, i, NULL),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "matmul_quantized",
                weft_tensor_matmul_quantized(row, q, &(weft_scales){.scale = s}),
                WEFT_ERROR_INVALID);
    expect_null(ctx, "matmul_quantized", weft_tensor_matmul_quantized(row, w, NULL),
                WEFT_ERROR_TYPE);
    expect_null(ctx, "slice of blocks", weft_tensor_narrow(q, 0, 0, 1), WEFT_ERROR_TYPE);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, tensors_setup, tensors_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_valid_calls_work), TEST(test_null_gives_null), TEST(test_released_tensors),
        TEST(test_other_contexts), TEST(test_quantized_operands),
        TEST(test_wrong_shapes_of_indices), TEST(test_indices_beyond),
        TEST(test_wrong_order_and_algebra), TEST(test_wrong_random_numbers),
        TEST(test_wrong_pictures), TEST(test_wrong_quantization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
