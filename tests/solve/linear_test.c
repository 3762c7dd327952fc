// SPDX-License-Identifier: Apache-2.0
/*
 * linear_test.c - factorisations against each other and against multiplication: dense, sparse
 * column by column, sparse in fronts, CHOLMOD where it is installed; random block matrices.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "solve/dense_priv.h"
#include "solve/sparse_priv.h"

static uint64_t seed;

static double random_unit(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)((random_unit() + 1) / 2 * n) % n;
}

/* ---- dense ---- */

static void test_dense_cholesky(void **state)
{
    static const uint32_t sizes[] = {1, 2, 7, 8, 9, 47, 48, 49, 97, 200, 331};
    Team *team = team_create(2);
    (void)state;
    for (size_t k = 0; k < COUNTOF(sizes); k++) {
        uint32_t n = sizes[k];
        size_t row = dense_row(n);
        double *a = calloc(n * row, sizeof *a), *full = calloc((size_t)n * n, sizeof *full);
        double *g = malloc((size_t)n * n * sizeof *g), *x = malloc(n * sizeof *x);
        double *scratch = malloc(dense_scratch(n) * sizeof *scratch), *b = malloc(n * sizeof *b);
        for (uint32_t i = 0; i < n * n; i++)
            g[i] = random_unit();
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                for (uint32_t l = 0; l < n; l++)
                    full[i * n + j] += g[l * n + i] * g[l * n + j];
                full[i * n + j] += i == j ? 1 : 0;
                a[i * row + j] = full[i * n + j];
            }
        for (uint32_t i = 0; i < n; i++)
            b[i] = x[i] = random_unit();
        assert_true(dense_cholesky(a, n, n, row, scratch, k % 2 ? team : NULL));
        dense_forward(a, n, row, x);
        dense_backward(a, n, row, x);
        for (uint32_t i = 0; i < n; i++) {
            double sum = -b[i];
            for (uint32_t j = 0; j < n; j++)
                sum += full[i * n + j] * x[j];
            assert_true(fabs(sum) < 1e-9);
        }
        free(a);
        free(full);
        free(g);
        free(x);
        free(b);
        free(scratch);
    }
    team_release(team);
}

static void test_dense_cholesky_in_f32(void **state)
{
    uint32_t n = 131;
    size_t row = dense_row(n);
    float *a = calloc(n * row, sizeof *a), *x = malloc(n * sizeof *x);
    float *scratch = malloc(dense_scratch(n) * sizeof *scratch);
    (void)state;
    /* 2 on the diagonal, -1 beside it: x_i = (i + 1) (n - i) / 2 solves for ones */
    for (uint32_t i = 0; i < n; i++) {
        a[i * row + i] = 2;
        if (i > 0)
            a[i * row + i - 1] = -1;
        x[i] = 1;
    }
    assert_true(dense_cholesky_f32(a, n, n, row, scratch, NULL));
    dense_forward_f32(a, n, row, x);
    dense_backward_f32(a, n, row, x);
    for (uint32_t i = 0; i < n; i++)
        assert_true(fabs((double)x[i] / ((i + 1) * (double)(n - i) / 2) - 1) < 1e-3);
    free(a);
    free(x);
    free(scratch);
}

static void test_a_matrix_that_is_not_positive_has_no_factor(void **state)
{
    double a[3 * 32] = {0}, scratch[19 * 48];
    (void)state;
    size_t row = dense_row(3);
    a[0] = 1, a[row] = 2, a[row + 1] = 4, a[2 * row + 2] = 1;
    assert_false(dense_cholesky(a, 3, 3, row, scratch, NULL));
    a[0] = NAN;
    assert_false(dense_cholesky(a, 3, 3, row, scratch, NULL));
}

static void test_outer_products(void **state)
{
    uint32_t m = 23, k = 37;
    size_t row = dense_row(m), a_row = dense_row(k);
    double *a = calloc(m * a_row, sizeof *a), *c = calloc(m * row, sizeof *c);
    (void)state;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < k; j++)
            a[i * a_row + j] = random_unit();
    dense_outer(c, a, m, k, row, a_row, NULL);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t l = 0; l < k; l++)
                sum += a[i * a_row + l] * a[j * a_row + l];
            assert_true(fabs(sum - c[i * row + j]) < 1e-12);
        }
    free(a);
    free(c);
}

/* Sizes with code of their own, and others. */
static void test_sums_of_small_products(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 7, 8, 9, 10, 16, 17};
    enum { LIST = 5, MOST = 17, ROW = 20, DEPTH = 3 };
    double a[LIST * DEPTH * ROW + PRODUCT_SLACK], b[LIST * DEPTH * ROW + PRODUCT_SLACK];
    Product list[LIST];
    (void)state;
    for (size_t i = 0; i < COUNTOF(a); i++) {
        a[i] = random_unit();
        b[i] = random_unit();
    }
    for (uint32_t i = 0; i < LIST; i++)
        list[i] = (Product){a + i * DEPTH * ROW, b + i * DEPTH * ROW, 1 + i % DEPTH, ROW, ROW - 1};
    for (size_t s = 0; s < COUNTOF(sizes) * COUNTOF(sizes); s++) {
        uint32_t rows = sizes[s / COUNTOF(sizes)], columns = sizes[s % COUNTOF(sizes)];
        double h[MOST * MOST + 1], sign = s % 2 ? 1 : -1;
        for (uint32_t i = 0; i <= rows * columns; i++)
            h[i] = i;
        products_sum(h, list, LIST, rows, columns, sign);
        assert_true(h[rows * columns] == rows * columns);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++) {
                double want = r * columns + c;
                for (uint32_t i = 0; i < LIST; i++)
                    for (uint32_t d = 0; d < list[i].depth; d++)
                        want += sign * list[i].a[d * ROW + r] * list[i].b[d * (ROW - 1) + c];
                assert_true(fabs(h[r * columns + c] - want) < 1e-12);
            }
    }
}

static void test_qr(void **state)
{
    uint32_t n = 13, m = 300;
    double want[13], x[13];
    Qr q;
    (void)state;
    assert_true(qr_init(&q, n));
    for (uint32_t i = 0; i < n; i++)
        want[i] = random_unit();
    for (int twice = 0; twice < 2; twice++) {
        qr_clear(&q);
        for (uint32_t i = 0; i < m; i++) {
            double *row = qr_row(&q);
            for (uint32_t j = 0; j < n; j++) {
                row[j] = random_unit() * pow(10, (double)j - 6);
                row[n] += row[j] * want[j];
            }
        }
        qr_finish(&q);
        assert_true(qr_solve(&q, x));
        for (uint32_t j = 0; j < n; j++)
            assert_true(fabs(x[j] - want[j]) * pow(10, (double)j - 6) < 1e-9);
        assert_true(q.rest < 1e-15);
    }
    qr_clear(&q);
    qr_row(&q)[0] = 1;
    qr_finish(&q);
    assert_false(qr_solve(&q, x));
    qr_fini(&q);
}

/* ---- sparse ---- */

/* Blocks of 1 to 6 columns; pairs by chance, by a band or as a star; positive definite. */
static BlockMatrix random_matrix(uint32_t blocks, int shape)
{
    BlockMatrix m = {.block_count = blocks};
    uint64_t count = 0, *start = NULL;
    Link *links = malloc(((uint64_t)blocks * blocks + 1) * sizeof *links);
    m.first = malloc((blocks + 1) * sizeof *m.first);
    for (uint32_t b = 0; b < blocks; b++) {
        m.first[b] = m.dims;
        m.dims += shape == 3 ? 1 : 1 + random_below(6);
    }
    m.first[blocks] = m.dims;
    m.block_of = malloc((m.dims + 1) * sizeof *m.block_of);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t i = m.first[b]; i < m.first[b + 1]; i++)
            m.block_of[i] = b;
    for (uint32_t a = 0; a < blocks; a++)
        for (uint32_t b = a; b < blocks; b++)
            if (a == b || (shape == 0 && random_below(blocks) < 3) || (shape == 1 && b - a < 3) ||
                (shape == 2 && a == 0) || (shape == 3 && b == a + 1))
                links[count++] = (Link){a, b, NO_LINK, 0, 0};
    assert_true(matrix_link(&m, &start, links, count));
    for (uint64_t i = 0; i < m.at[m.pair_count]; i++)
        m.values[i] = random_unit();
    for (uint32_t b = 0; b < blocks; b++) {
        double *h = m.values + m.at[m.row_start[b]];
        uint32_t size = block_size(&m, b);
        for (uint32_t i = 0; i < size; i++)
            for (uint32_t j = 0; j <= i; j++)
                h[i * size + j] = h[j * size + i] = i == j ? 6.0 * blocks : random_unit();
    }
    free(start);
    free(links);
    return m;
}

static void expect_solution(const BlockMatrix *m, const double *damping, const double *x,
                            const double *b, const char *by)
{
    double *product = malloc(m->dims * sizeof *product);
    matrix_multiply(m, product, x);
    for (uint32_t i = 0; i < m->dims; i++)
        if (fabs(product[i] + damping[i] * x[i] - b[i]) > 1e-9)
            fail_msg("%s: row %u of %u is off by %g", by, i, m->dims,
                     product[i] + damping[i] * x[i] - b[i]);
    free(product);
}

static void solve_every_way(const BlockMatrix *m)
{
    double *x = malloc(m->dims * sizeof *x), *b = malloc(m->dims * sizeof *b);
    double *damping = malloc(m->dims * sizeof *damping);
    double *scratch = malloc(m->dims * sizeof *scratch);
    Order order;
    Ldl ldl;
    Frontal fronts;
    for (uint32_t i = 0; i < m->dims; i++) {
        b[i] = random_unit();
        damping[i] = random_unit() + 1;
    }
    assert_true(order_make(&order, m));
    assert_true(ldl_make(&ldl, m, &order));
    assert_true(frontal_make(&fronts, m));
    for (int twice = 0; twice < 2; twice++) {
        memcpy(x, b, m->dims * sizeof *x);
        assert_true(ldl_factor(&ldl, m, damping, 0));
        ldl_solve(&ldl, x, scratch);
        expect_solution(m, damping, x, b, "ldl");
        memcpy(x, b, m->dims * sizeof *x);
        assert_true(frontal_factor(&fronts, m, damping, NULL));
        frontal_solve(&fronts, m, x, scratch);
        expect_solution(m, damping, x, b, "fronts");
        damping[0] += 1;
    }
    Suite *suite = suite_make(m);
    if (suite) {
        memcpy(x, b, m->dims * sizeof *x);
        assert_true(suite_factor(suite, m, damping));
        assert_true(suite_solve(suite, x));
        expect_solution(m, damping, x, b, "CHOLMOD");
    }
    for (uint32_t i = 0; i < m->dims; i++)
        damping[i] = -1e6;
    assert_false(ldl_factor(&ldl, m, damping, 0));
    assert_false(frontal_factor(&fronts, m, damping, NULL));
    suite_release(suite);
    ldl_fini(&ldl);
    frontal_fini(&fronts);
    order_fini(&order);
    free(x);
    free(b);
    free(damping);
    free(scratch);
}

static void test_sparse_solvers_agree(void **state)
{
    static const uint32_t sizes[] = {1, 2, 5, 20, 60, 150};
    (void)state;
    for (size_t i = 0; i < COUNTOF(sizes); i++)
        for (int shape = 0; shape < 4; shape++) {
            BlockMatrix m = random_matrix(sizes[i], shape);
            solve_every_way(&m);
            matrix_fini(&m);
        }
}

/* ---- threads ---- */

static void count_up(void *context, uint32_t i, uint32_t member)
{
    uint32_t *counts = context;
    assert_true(member < 3);
    counts[i]++;
}

static void test_teams_do_everything_once(void **state)
{
    uint32_t counts[1000] = {0};
    Team *team = team_create(3);
    (void)state;
    for (int round = 0; round < 50; round++)
        team_run(team, count_up, counts, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(counts[i], 50);
    team_release(team);
    team_run(NULL, count_up, counts, 5);
    assert_int_equal(counts[4], 51);
    assert_int_equal(team_size(NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_cholesky),
        cmocka_unit_test(test_dense_cholesky_in_f32),
        cmocka_unit_test(test_a_matrix_that_is_not_positive_has_no_factor),
        cmocka_unit_test(test_outer_products),
        cmocka_unit_test(test_sums_of_small_products),
        cmocka_unit_test(test_qr),
        cmocka_unit_test(test_sparse_solvers_agree),
        cmocka_unit_test(test_teams_do_everything_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
