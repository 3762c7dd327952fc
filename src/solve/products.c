// SPDX-License-Identifier: Apache-2.0
/*
 * products.c - sums of products of small matrices, for normal equations and their elimination.
 *
 * in     lists of products transpose(a) b
 * out    their sums, added to blocks of a matrix or subtracted from them
 * knows  base/wide.h
 * not    where the blocks are
 *
 * The sizes of cameras, poses and points have code in which a block's sums stay in registers
 * for the whole list. Vectors have eight elements: rows that are shorter are read beyond their
 * end, and the surplus elements are dropped.
 */
#include "base/wide.h"
#include "solve/matrix_priv.h"

/* Sums of R rows of at most V vectors. */
#define BLOCK(R, V)                                                                          \
    WIDE_INLINE void block_##R##_##V(double *h, const Product *list, uint32_t count,         \
                                     uint32_t first, uint32_t columns, double sign)          \
    {                                                                                        \
        Wide8 sum[R][V] = {0};                                                               \
        for (uint32_t i = 0; i < count; i++) {                                               \
            const double *a = list[i].a + first, *b = list[i].b;                             \
            for (uint32_t d = list[i].depth; d-- > 0; a += list[i].a_row, b += list[i].b_row) \
                for (uint32_t r = 0; r < R; r++)                                             \
                    for (uint32_t v = 0; v < V; v++)                                         \
                        sum[r][v] += a[r] * *(const Wide8 *)(b + 8 * v);                     \
        }                                                                                    \
        for (uint32_t r = 0; r < R; r++)                                                     \
            for (uint32_t k = 0; k < columns; k++)                                           \
                h[(size_t)(first + r) * columns + k] += sign * sum[r][k / 8][k % 8];         \
    }
BLOCK(1, 1)
BLOCK(3, 1)
BLOCK(6, 1)
BLOCK(1, 2)
BLOCK(3, 2)

/* 9 x 9: eight columns as vectors along rows, the last one as a vector along its column. */
WIDE_INLINE void block_9_9(double *h, const Product *list, uint32_t count, double sign)
{
    Wide8 sum[9] = {0}, last = {0};
    double corner = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = list[i].a, *b = list[i].b;
        for (uint32_t d = list[i].depth; d-- > 0; a += list[i].a_row, b += list[i].b_row) {
            for (uint32_t r = 0; r < 9; r++)
                sum[r] += a[r] * *(const Wide8 *)b;
            last += b[8] * *(const Wide8 *)a;
            corner += a[8] * b[8];
        }
    }
    for (uint32_t r = 0; r < 9; r++)
        *(Wide8 *)(h + 9 * (size_t)r) += sign * sum[r];
    for (uint32_t r = 0; r < 8; r++)
        h[9 * (size_t)r + 8] += sign * last[r];
    h[80] += sign * corner;
}

/* 9 x 3, such as a camera and a point: three vectors along columns. */
WIDE_INLINE void block_9_3(double *h, const Product *list, uint32_t count, double sign)
{
    Wide8 sum[3] = {0};
    double last[3] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const double *a = list[i].a, *b = list[i].b;
        for (uint32_t d = list[i].depth; d-- > 0; a += list[i].a_row, b += list[i].b_row)
            for (uint32_t k = 0; k < 3; k++) {
                sum[k] += b[k] * *(const Wide8 *)a;
                last[k] += b[k] * a[8];
            }
    }
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t r = 0; r < 8; r++)
            h[3 * (size_t)r + k] += sign * sum[k][r];
        h[24 + k] += sign * last[k];
    }
}

WIDE_INLINE void block_any(double *h, const Product *list, uint32_t count, uint32_t rows,
                           uint32_t columns, double sign)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *a = list[i].a, *b = list[i].b;
        for (uint32_t d = list[i].depth; d-- > 0; a += list[i].a_row, b += list[i].b_row)
            for (uint32_t r = 0; r < rows; r++)
                for (uint32_t k = 0; k < columns; k++)
                    h[(size_t)r * columns + k] += sign * a[r] * b[k];
    }
}

WIDE_CODE static void sum_products(double *h, const Product *list, uint32_t count, uint32_t rows,
                                   uint32_t columns, double sign)
{
    uint32_t row = 0;
    if (rows == 9 && columns == 9)
        block_9_9(h, list, count, sign);
    else if (rows == 9 && columns == 3)
        block_9_3(h, list, count, sign);
    else if (columns > 16)
        block_any(h, list, count, rows, columns, sign);
    else if (columns > 8) {
        for (; row + 3 <= rows; row += 3)
            block_3_2(h, list, count, row, columns, sign);
        for (; row < rows; row++)
            block_1_2(h, list, count, row, columns, sign);
    } else {
        for (; row + 6 <= rows; row += 6)
            block_6_1(h, list, count, row, columns, sign);
        for (; row + 3 <= rows; row += 3)
            block_3_1(h, list, count, row, columns, sign);
        for (; row < rows; row++)
            block_1_1(h, list, count, row, columns, sign);
    }
}

/* Eight rows or fewer from `first` on; their sums stay in a register for the whole list. */
WIDE_INLINE void vector_8(double *g, const Product *list, uint32_t count, uint32_t first,
                          uint32_t rows)
{
    Wide8 sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        const double *a = list[i].a + first, *b = list[i].b;
        for (uint32_t d = list[i].depth; d-- > 0; a += list[i].a_row, b += list[i].b_row)
            sum += *b * *(const Wide8 *)a;
    }
    for (uint32_t r = 0; r < rows; r++)
        g[first + r] += sum[r];
}

WIDE_INLINE void vector_1(double *g, const Product *list, uint32_t count, uint32_t row)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = list[i].a + row, *b = list[i].b;
        for (uint32_t d = list[i].depth; d-- > 0; a += list[i].a_row, b += list[i].b_row)
            sum += *b * *a;
    }
    g[row] += sum;
}

WIDE_CODE static void sum_vectors(double *g, const Product *list, uint32_t count, uint32_t rows)
{
    uint32_t row = 0;
    for (; row + 8 <= rows; row += 8)
        vector_8(g, list, count, row, 8);
    if (row + 1 == rows)
        vector_1(g, list, count, row);
    else if (row < rows)
        vector_8(g, list, count, row, rows - row);
}

void products_sum(double *h, const Product *list, uint32_t count, uint32_t rows,
                  uint32_t columns, double sign)
{
    if (count > 0)
        sum_products(h, list, count, rows, columns, sign);
}

void products_vectors(double *g, const Product *list, uint32_t count, uint32_t rows)
{
    if (count > 0)
        sum_vectors(g, list, count, rows);
}
