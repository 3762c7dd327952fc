/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_test.c - products of matrices in every form that the planner chooses, beside plain loops.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context/fixture.h"
#include "tensors.h"

typedef struct Case {
    const char *kernel;             /* on the CPU device   NULL: any                        */
    uint64_t    batch, m, n, k;
    bool        a_turned, b_turned; /* stored transposed                                    */
    bool        one_b;              /* one matrix b for all batches                         */
} Case;

static const Case cases[] = {
    {"matmul_flat", 40, 3, 4, 5, false, true, false},
    {"matmul_flat", 9, 1, 1, 70, false, false, false},
    {"matmul_flat", 1, 5, 3, 7, true, true, false},
    {"matmul_dot", 1, 1, 300, 700, false, true, false},
    {"matmul_dot", 2, 7, 300, 301, false, true, false},
    {"matmul_dot", 1, 1000, 3, 130, false, false, false},
    {"matmul_dot", 3, 600, 1, 257, false, false, true},
    {"matmul_stream", 1, 1, 700, 300, false, false, false},
    {"matmul_stream", 2, 3, 1500, 90, false, false, false},
    {"matmul_stream", 1, 900, 2, 150, true, false, false},
    {"matmul:", 1, 33, 65, 17, false, false, false},
    {"matmul:", 3, 20, 16, 50, false, false, false},
    {"matmul:", 3, 20, 16, 50, false, false, true},
    {"matmul:", 2, 5, 100, 3, true, false, false},
    {"matmul:", 1, 37, 20, 169, false, false, false},       /* the last block begins earlier */
    {"matmul:", 2, 33, 24, 40, false, false, false},
    {"matmul:", 1, 32, 24, 80, false, false, false},
    {"matmul:", 1, 19, 24, 33, false, false, false},
    {"matmul_pack", 1, 262, 40, 75, false, false, false},   /* rows inside lines of a cache  */
    {"matmul_pack", 2, 301, 33, 66, false, false, false},
    {"matmul_pack", 1, 150, 70, 60, false, true, false},
    {"matmul_pack", 2, 96, 33, 47, true, true, false},
    {"matmul_pack", 2, 96, 33, 47, true, true, true},
    {"matmul_pack", 1, 64, 1024, 128, false, false, false},
    {NULL, 1, 64, 64, 64, false, false, false},
    {NULL, 2, 65, 130, 33, true, true, false},
};

static double *numbers(uint64_t count, uint64_t seed)
{
    double *v = calloc(count + 1, sizeof *v);
    assert_non_null(v);
    for (uint64_t i = 0; i < count; i++)
        v[i] = (double)(int)(random_next(&seed) * 17) - 8;
    return v;
}

/* [batch, rows, columns] from v; stored with the last two axes exchanged if `turned`. */
static weft_tensor *matrix(weft_context *ctx, weft_dtype dtype, const double *v, uint64_t batch,
                           uint64_t rows, uint64_t columns, bool turned)
{
    if (!turned)
        return tensor_of(ctx, dtype, SHAPE(batch, rows, columns), v);
    double *t = calloc(batch * rows * columns + 1, sizeof *t);
    assert_non_null(t);
    for (uint64_t b = 0; b < batch; b++)
        for (uint64_t i = 0; i < rows; i++)
            for (uint64_t j = 0; j < columns; j++)
                t[(b * columns + j) * rows + i] = v[(b * rows + i) * columns + j];
    weft_tensor *x = tensor_of(ctx, dtype, SHAPE(batch, columns, rows), t);
    free(t);
    return weft_tensor_transpose(x, 1, 2);
}

static double *reference(const double *a, const double *b, const Case *c)
{
    double *y = calloc(c->batch * c->m * c->n + 1, sizeof *y);
    assert_non_null(y);
    for (uint64_t z = 0; z < c->batch; z++)
        for (uint64_t i = 0; i < c->m; i++)
            for (uint64_t k = 0; k < c->k; k++)
                for (uint64_t j = 0; j < c->n; j++)
                    y[(z * c->m + i) * c->n + j] += a[(z * c->m + i) * c->k + k]
                                                    * b[((c->one_b ? 0 : z) * c->k + k) * c->n + j];
    return y;
}

static void check(weft_context *ctx, const Case *c, weft_dtype da, weft_dtype db)
{
    double *a = numbers(c->batch * c->m * c->k, c->m), *b = numbers(c->batch * c->k * c->n, 7);
    double *y = reference(a, b, c);
    weft_tensor *ta = matrix(ctx, da, a, c->batch, c->m, c->k, c->a_turned);
    weft_tensor *tb = matrix(ctx, db, b, c->one_b ? 1 : c->batch, c->k, c->n, c->b_turned);
    weft_tensor *t = weft_tensor_matmul(ta, tb);
    char        *text = weft_tensor_explain(t);
    bool cpu = strcmp(weft_context_device(ctx)->backend, "cpu") == 0;
    if (c->kernel && cpu && da == WEFT_F32 && db == WEFT_F32 && !strstr(text, c->kernel))
        fail_msg("%llu x %llu x %llu is not computed by %s but by\n%s",
                 (unsigned long long)c->m, (unsigned long long)c->n, (unsigned long long)c->k,
                 c->kernel, text);
    weft_string_release(text);
    expect_near(t, y, c->batch * c->m * c->n, 1e-5);
    if (da != WEFT_F32 || db != WEFT_F32)
        goto done;
    weft_tensor *bias = tensor_count(ctx, SHAPE(c->n), 0);      /* an epilogue */
    for (uint64_t i = 0; i < c->batch * c->m * c->n; i++) {
        double v = y[i] + (double)(i % c->n);
        y[i] = v > 0 ? v : 0;
    }
    expect_near(weft_tensor_relu(weft_tensor_add(weft_tensor_matmul(ta, tb), bias)), y,
                c->batch * c->m * c->n, 1e-5);
done:
    free(a);
    free(b);
    free(y);
}

static void test_forms(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(*state, &cases[i], WEFT_F32, WEFT_F32);
}

static void test_types(void **state)
{
    weft_context *ctx = *state;
    static const weft_dtype pairs[][2] = {
        {WEFT_I32, WEFT_I32}, {WEFT_I32, WEFT_I8}, {WEFT_F32, WEFT_I32}, {WEFT_F32, WEFT_BF16},
        {WEFT_F32, WEFT_F16}, {WEFT_F64, WEFT_F32}, {WEFT_I8, WEFT_F32}, {WEFT_I64, WEFT_I8},
    };
    static const Case small[] = {{NULL, 2, 5, 6, 7, false, true, false},
                                 {NULL, 1, 66, 40, 35, true, true, false}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
            if (pairs[p][0] == WEFT_F64 && !weft_context_device(ctx)->f64)
                continue;
            check(ctx, &small[i], pairs[p][0], pairs[p][1]);
        }
}

/* Rows of [batch, M, K] continue in one matrix; views that do not are batches. */
static void test_batches_that_are_rows(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(4, 6, 8), -90);
    weft_tensor  *w = tensor_count(ctx, SHAPE(8, 5), -20);
    weft_tensor  *every = weft_tensor_slice(x, 1, (weft_range[]){{.step = 2}});
    weft_tensor  *part = weft_tensor_narrow(x, 1, 1, 3), *turned = weft_tensor_transpose(x, 0, 1);
    /* an axis of one element between batches and rows, whose stride means nothing */
    weft_tensor  *one = weft_tensor_transpose(weft_tensor_unsqueeze(
        tensor_count(ctx, SHAPE(4, 8, 6), -90), 1), 2, 3);
    weft_tensor  *list[] = {x, every, part, turned, one};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        weft_tensor *y = weft_tensor_matmul(list[i], w);
        weft_tensor *flat = weft_tensor_matmul(
            weft_tensor_reshape(weft_tensor_copy(list[i]), 2, (uint64_t[]){WEFT_INFER, 8}), w);
        expect_same(y, weft_tensor_reshape(flat, weft_tensor_rank(y), weft_tensor_shape(y)), 1e-6);
    }
}

static void test_vectors_and_nothing(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *v = tensor_count(ctx, SHAPE(3), 1), *m = tensor_count(ctx, SHAPE(3, 2), 0);
    EXPECT(weft_tensor_matmul(v, v), 14);
    EXPECT(weft_tensor_matmul(v, m), 16, 22);
    EXPECT(weft_tensor_matmul(weft_tensor_transpose(m, 0, 1), v), 16, 22);
    weft_tensor *none = weft_tensor_narrow(m, 0, 0, 0);         /* K = 0 */
    EXPECT(weft_tensor_matmul(weft_tensor_transpose(none, 0, 1), none), 0, 0, 0, 0);
    assert_int_equal(weft_tensor_count(weft_tensor_matmul(none, weft_tensor_transpose(m, 0, 1))),
                     0);
}

/* Infinities and NaN reach the result only where they are multiplied. */
static void test_special_values(void **state)
{
    weft_context *ctx = *state;
    double a[70 * 64], b[64 * 40];
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = 1;
    for (size_t i = 0; i < sizeof b / sizeof *b; i++)
        b[i] = i % 40 == 3 ? (double)INFINITY : i % 40 == 5 ? (double)NAN : 1;
    weft_tensor *y = weft_tensor_matmul(tensor_of(ctx, WEFT_F32, SHAPE(70, 64), a),
                                        tensor_of(ctx, WEFT_F32, SHAPE(64, 40), b));
    double want[70 * 40];
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        want[i] = i % 40 == 3 ? (double)INFINITY : i % 40 == 5 ? (double)NAN : 64;
    expect_near(y, want, sizeof want / sizeof *want, 1e-6);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, tensors_setup, tensors_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_forms), TEST(test_types), TEST(test_batches_that_are_rows),
        TEST(test_vectors_and_nothing), TEST(test_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
