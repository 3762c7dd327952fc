/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense_test.c - convolution, attention, softmax and norms in every form of their kernels, beside
 * plain loops.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "context/fixture.h"
#include "tensors.h"

static double *numbers(uint64_t count, uint64_t seed)
{
    double *v = calloc(count + 1, sizeof *v);
    assert_non_null(v);
    for (uint64_t i = 0; i < count; i++)
        v[i] = (double)(float)(2 * random_next(&seed) - 1);
    return v;
}

/* Drivers that compile slowly get every n-th case of a table. */
static size_t every(void)
{
    const char *word = getenv("WEFT_TEST_EVERY");
    return word && atoi(word) > 0 ? (size_t)atoi(word) : 1;
}

/* ---- convolution ---- */

typedef struct ConvCase {
    uint32_t n, c, h, w, o, kh, kw;
    uint32_t sh, sw, dh, dw, top, left, bottom, right, groups;
} ConvCase;

static const ConvCase conv_cases[] = {
    {1, 3, 9, 11, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},         /* lanes along outputs      */
    {1, 4, 8, 8, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},          /* no idle lanes            */
    {2, 5, 8, 7, 40, 3, 2, 2, 1, 1, 2, 0, 1, 1, 0, 1},
    {2, 8, 6, 6, 32, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1},          /* a product                */
    {1, 8, 7, 6, 24, 1, 1, 2, 3, 1, 1, 0, 0, 0, 0, 1},
    {1, 6, 5, 5, 36, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2},
    {1, 32, 3, 4, 64, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0, 1},         /* few pixels               */
    {1, 20, 12, 33, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 20},      /* depthwise                */
    {2, 6, 9, 5, 12, 5, 3, 2, 2, 1, 1, 2, 1, 2, 1, 6},
    {1, 4, 20, 20, 4, 3, 3, 1, 1, 3, 2, 3, 2, 3, 2, 1},         /* few outputs              */
    {2, 6, 7, 9, 48, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 3},          /* groups with many outputs */
    {1, 2, 1, 40, 20, 1, 5, 1, 1, 1, 1, 0, 2, 0, 2, 1},
    {1, 1, 4, 4, 13, 4, 4, 1, 1, 1, 1, 3, 3, 3, 3, 1},
};

static double conv_at(const ConvCase *c, const double *x, const double *w, uint32_t n, uint32_t o,
                      uint32_t oy, uint32_t ox)
{
    uint32_t inside = c->c / c->groups, group = o / (c->o / c->groups);
    double   sum = 0;
    for (uint32_t i = 0; i < inside; i++)
        for (uint32_t ky = 0; ky < c->kh; ky++)
            for (uint32_t kx = 0; kx < c->kw; kx++) {
                int64_t y = (int64_t)(oy * c->sh + ky * c->dh) - c->top;
                int64_t z = (int64_t)(ox * c->sw + kx * c->dw) - c->left;
                if (y < 0 || y >= c->h || z < 0 || z >= c->w)
                    continue;
                sum += x[((n * c->c + group * inside + i) * c->h + (uint64_t)y) * c->w
                         + (uint64_t)z]
                       * w[((o * inside + i) * c->kh + ky) * c->kw + kx];
            }
    return sum;
}

static void check_conv(weft_context *ctx, const ConvCase *c)
{
    uint64_t wide = (c->w + c->left + c->right - (c->kw - 1) * c->dw - 1) / c->sw + 1;
    uint64_t high = (c->h + c->top + c->bottom - (c->kh - 1) * c->dh - 1) / c->sh + 1;
    uint64_t inside = c->c / c->groups, count = c->n * c->o * high * wide;
    double  *x = numbers((uint64_t)c->n * c->c * c->h * c->w, c->h);
    double  *w = numbers(c->o * inside * c->kh * c->kw, c->o), *b = numbers(c->o, 5);
    double  *y = calloc(count + 1, sizeof *y);
    assert_non_null(y);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t o = (uint32_t)(i / (high * wide) % c->o);
        double v = conv_at(c, x, w, (uint32_t)(i / (high * wide * c->o)), o,
                           (uint32_t)(i / wide % high), (uint32_t)(i % wide)) + b[o];
        y[i] = v > 0 ? v : 0;
    }
    weft_tensor *tx = tensor_of(ctx, WEFT_F32, SHAPE(c->n, c->c, c->h, c->w), x);
    weft_tensor *tw = tensor_of(ctx, WEFT_F32, SHAPE(c->o, inside, c->kh, c->kw), w);
    weft_tensor *tb = tensor_of(ctx, WEFT_F32, SHAPE(c->o), b);
    weft_conv    how = {.stride = {c->sh, c->sw}, .dilation = {c->dh, c->dw}, .groups = c->groups,
                        .pad_before = {c->top, c->left}, .pad_after = {c->bottom, c->right},
                        .activation = WEFT_ACTIVATION_RELU};
    weft_tensor *t = weft_tensor_conv2d(tx, tw, tb, &how);
    fixture_no_error(ctx);
    expect_shape(t, SHAPE(c->n, c->o, high, wide));
    expect_near(t, y, count, 2e-5);
    /* channels last in memory */
    weft_tensor *last = weft_tensor_copy(weft_tensor_permute(tx, (int[]){0, 2, 3, 1}));
    weft_tensor *view = weft_tensor_permute(last, (int[]){0, 3, 1, 2});
    expect_near(weft_tensor_conv2d(view, weft_tensor_cast(tw, WEFT_F32), tb, &how), y, count, 2e-5);
    free(x);
    free(w);
    free(b);
    free(y);
}

static void test_convolution(void **state)
{
    for (size_t i = 0; i < sizeof conv_cases / sizeof *conv_cases; i += every())
        check_conv(*state, &conv_cases[i]);
}

static void test_convolution_of_other_types(void **state)
{
    weft_context *ctx = *state;
    double x[2 * 36], w[16 * 2 * 9];
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (double)(i % 7) - 3;
    for (size_t i = 0; i < sizeof w / sizeof *w; i++)
        w[i] = (double)(i % 5) - 2;
    weft_tensor *f =
        weft_tensor_conv2d(tensor_of(ctx, WEFT_F32, SHAPE(1, 2, 6, 6), x),
                           tensor_of(ctx, WEFT_F32, SHAPE(16, 2, 3, 3), w), NULL, NULL);
    static const weft_dtype types[] = {WEFT_I32, WEFT_F16, WEFT_BF16, WEFT_F64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i] == WEFT_F64 && !weft_context_device(ctx)->f64)
            continue;
        weft_tensor *y = weft_tensor_conv2d(tensor_of(ctx, types[i], SHAPE(1, 2, 6, 6), x),
                                            tensor_of(ctx, types[i], SHAPE(16, 2, 3, 3), w), NULL,
                                            NULL);
        assert_int_equal(weft_tensor_dtype(y), types[i]);
        expect_same(weft_tensor_cast(y, WEFT_F32), f, 1e-2);
    }
}

/* ---- attention ---- */

typedef struct AttentionCase {
    uint32_t b, h, g, t, s, d, e;
    bool     causal;
    uint32_t window;
    double   cap;
    char     mask;                  /* 'b': bool, 'f': added, 0: none                       */
} AttentionCase;

static const AttentionCase attention_cases[] = {
    {2, 3, 3, 5, 7, 4, 4, false, 0, 0, 0},
    {1, 2, 2, 20, 20, 8, 8, true, 0, 0, 0},
    {1, 1, 1, 40, 300, 16, 16, false, 0, 0, 0},         /* several blocks of keys           */
    {1, 2, 2, 30, 270, 5, 70, true, 0, 0, 'b'},         /* several chunks of a value        */
    {2, 4, 2, 9, 33, 8, 8, false, 0, 0, 'f'},           /* grouped heads, packed keys       */
    {1, 8, 1, 1, 530, 16, 16, true, 0, 0, 0},           /* one query, many heads            */
    {1, 2, 1, 3, 70, 8, 6, true, 20, 3, 'f'},
    {1, 1, 1, 6, 3, 4, 4, true, 0, 0, 0},               /* queries that see nothing         */
    {1, 2, 2, 64, 64, 32, 32, false, 5, 0, 'b'},
};

/* One query in plain C; nothing seen gives 0. */
static void attend(double *out, const double *q, const double *k, const double *v,
                   const AttentionCase *c, const double *mask, uint32_t t)
{
    double *score = calloc(c->s, sizeof *score), most = -INFINITY, sum = 0;
    assert_non_null(score);
    int64_t last = (int64_t)t + c->s - c->t;
    for (uint32_t i = 0; i < c->s; i++) {
        for (uint32_t j = 0; j < c->d; j++)
            score[i] += q[j] * k[i * c->d + j] / sqrt(c->d);
        if (c->cap != 0)
            score[i] = c->cap * tanh(score[i] / c->cap);
        if (c->mask == 'f')
            score[i] += mask[i];
        bool seen = (c->mask != 'b' || mask[i] != 0) && (!c->causal || i <= last)
                    && (!c->window || i > last - (int64_t)c->window);
        score[i] = seen ? score[i] : -INFINITY;
        most = fmax(most, score[i]);
    }
    for (uint32_t i = 0; i < c->s; i++)
        sum += score[i] = isinf(score[i]) ? 0 : exp(score[i] - most);
    for (uint32_t j = 0; j < c->e; j++) {
        out[j] = 0;
        for (uint32_t i = 0; i < c->s && sum > 0; i++)
            out[j] += score[i] / sum * v[i * c->e + j];
    }
    free(score);
}

static void check_attention(weft_context *ctx, const AttentionCase *c)
{
    double *q = numbers((uint64_t)c->b * c->h * c->t * c->d, 1);
    double *k = numbers((uint64_t)c->b * c->g * c->s * c->d, 2);
    double *v = numbers((uint64_t)c->b * c->g * c->s * c->e, 3), *mask = numbers(c->t * c->s, 4);
    uint64_t count = (uint64_t)c->b * c->h * c->t * c->e;
    double  *y = calloc(count + 1, sizeof *y);
    assert_non_null(y);
    for (uint32_t i = 0; i < c->t * c->s && c->mask == 'b'; i++)
        mask[i] = mask[i] > -0.5;
    for (uint32_t i = 0; i < c->b * c->h * c->t; i++) {
        uint32_t t = i % c->t, h = i / c->t % c->h, b = i / c->t / c->h;
        uint32_t group = b * c->g + h / (c->h / c->g);
        attend(y + i * c->e, q + i * c->d, k + group * c->s * c->d, v + group * c->s * c->e, c,
               mask + t * c->s, t);
    }
    weft_attention o = {.causal = c->causal, .window = c->window, .soft_cap = c->cap};
    if (c->mask)
        o.mask = tensor_of(ctx, c->mask == 'b' ? WEFT_BOOL : WEFT_F32, SHAPE(c->t, c->s), mask);
    weft_tensor *tq = tensor_of(ctx, WEFT_F32, SHAPE(c->b, c->h, c->t, c->d), q);
    weft_tensor *tk = tensor_of(ctx, WEFT_F32, SHAPE(c->b, c->g, c->s, c->d), k);
    weft_tensor *tv = tensor_of(ctx, WEFT_F32, SHAPE(c->b, c->g, c->s, c->e), v);
    expect_near(weft_tensor_attention(tq, tk, tv, &o), y, count, 2e-5);
    if (c->g == 1)
        goto done;
    /* heads inside positions in memory, as a projection gives them */
    int swap[] = {0, 2, 1, 3};
    weft_tensor *pq = weft_tensor_permute(weft_tensor_copy(weft_tensor_permute(tq, swap)), swap);
    weft_tensor *pk = weft_tensor_permute(weft_tensor_copy(weft_tensor_permute(tk, swap)), swap);
    weft_tensor *pv = weft_tensor_permute(weft_tensor_copy(weft_tensor_permute(tv, swap)), swap);
    expect_near(weft_tensor_attention(pq, pk, pv, &o), y, count, 2e-5);
done:
    free(q);
    free(k);
    free(v);
    free(mask);
    free(y);
}

static void test_attention(void **state)
{
    for (size_t i = 0; i < sizeof attention_cases / sizeof *attention_cases;
         i += every())
        check_attention(*state, &attention_cases[i]);
}

/* ---- softmax and norms ---- */

static void expect_softmax(weft_context *ctx, uint64_t outer, uint64_t n, uint64_t inner)
{
    uint64_t count = outer * n * inner;
    double  *x = numbers(count, n), *y = calloc(count + 1, sizeof *y);
    assert_non_null(y);
    for (uint64_t i = 0; i < count; i++)
        x[i] *= 8;
    for (uint64_t o = 0; o < outer * inner; o++) {
        double *from = x + o / inner * n * inner + o % inner, sum = 0;
        for (uint64_t i = 0; i < n; i++)
            sum += exp(from[i * inner]);
        for (uint64_t i = 0; i < n; i++)
            y[o / inner * n * inner + o % inner + i * inner] = exp(from[i * inner]) / sum;
    }
    weft_tensor *t = tensor_of(ctx, WEFT_F32, SHAPE(outer, n, inner), x);
    expect_near(weft_tensor_softmax(t, 1), y, count, 2e-6);
    expect_near(weft_tensor_exp(weft_tensor_log_softmax(t, 1)), y, count, 1e-5);
    free(x);
    free(y);
}

static void test_softmax_along_any_axis(void **state)
{
    expect_softmax(*state, 3, 200, 1);
    expect_softmax(*state, 5, 17, 1);
    expect_softmax(*state, 7, 3, 1);
    expect_softmax(*state, 2, 30, 70);
    expect_softmax(*state, 70, 4, 3);
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(4, 6), 0);
    weft_tensor  *turned = weft_tensor_softmax(weft_tensor_transpose(x, 0, 1), 0);
    expect_same(weft_tensor_transpose(turned, 0, 1), weft_tensor_softmax(x, 1), 1e-6);
    EXPECT(weft_tensor_softmax(tensor_of(ctx, WEFT_F32, SHAPE(2), VALUES(1, NAN)), 0), NAN, NAN);
    EXPECT(weft_tensor_softmax(tensor_of(ctx, WEFT_I32, SHAPE(2), VALUES(3, 3)), 0), 0.5, 0.5);
}

static void test_norms_of_lines(void **state)
{
    weft_context *ctx = *state;
    static const uint64_t sizes[] = {1, 5, 16, 63, 64, 300};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint64_t n = sizes[s];
        double *x = numbers(3 * n, n), *y = calloc(3 * n, sizeof *y),
               *z = calloc(3 * n, sizeof *z);
        assert_true(y && z);
        for (uint64_t o = 0; o < 3; o++) {
            double mean = 0, var = 0, square = 0;
            for (uint64_t i = 0; i < n; i++)
                mean += (x[o * n + i] += 10) / (double)n;
            for (uint64_t i = 0; i < n; i++) {
                var += (x[o * n + i] - mean) * (x[o * n + i] - mean) / (double)n;
                square += x[o * n + i] * x[o * n + i] / (double)n;
            }
            for (uint64_t i = 0; i < n; i++) {
                y[o * n + i] = (x[o * n + i] - mean) / sqrt(var + 1e-3) * (double)i / (double)n - 1;
                z[o * n + i] = x[o * n + i] / sqrt(square + 1e-3) * (double)i / (double)n;
            }
        }
        weft_tensor *t = tensor_of(ctx, WEFT_F32, SHAPE(3, n), x);
        weft_tensor *gain = tensor_count(ctx, SHAPE(n), 0);
        gain = weft_tensor_mul_scalar(gain, 1 / (double)n);
        weft_tensor *bias = weft_tensor_full(ctx, WEFT_F32, SHAPE(n), -1);
        expect_near(weft_tensor_layer_norm(t, gain, bias, 1e-3), y, 3 * n, 2e-4);
        expect_near(weft_tensor_rms_norm(t, gain, 1e-3), z, 3 * n, 1e-5);
        free(x);
        free(y);
        free(z);
    }
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, tensors_setup, tensors_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_convolution), TEST(test_convolution_of_other_types), TEST(test_attention),
        TEST(test_softmax_along_any_axis), TEST(test_norms_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
