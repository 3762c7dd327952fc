// SPDX-License-Identifier: Apache-2.0
/*
 * matrix_priv.h - symmetric matrices in dense blocks.
 *
 * made by   normal.c, schur.c
 * read by   the linear solvers
 */
#ifndef WEFT_SOLVE_MATRIX_PRIV_H
#define WEFT_SOLVE_MATRIX_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BlockMatrix {
    uint32_t  dims;
    uint32_t  block_count;
    uint32_t *first;                /* [block_count + 1] rows and columns of a block        */
    uint32_t *block_of;             /* [dims]                                               */
    /* The upper triangle: pairs of blocks with row <= column, by rows, columns ascending. The
     * diagonal pair of each block exists and is the first of its row. */
    uint32_t  pair_count;
    uint32_t *row, *column;         /* [pair_count] blocks                                  */
    uint64_t *row_start;            /* [block_count + 1] in pairs                           */
    uint64_t *at;                   /* [pair_count + 1] first value, [rows][columns]; diagonal
                                       blocks have both triangles                           */
    double   *values;               /* [at[pair_count]]                                     */
} BlockMatrix;

/* Something that contributes to a pair of blocks; row <= column. */
typedef struct Link {
    uint32_t row, column;
    uint32_t by, a, b;              /* NO_LINK in `by`: nothing, the pair exists all the same */
} Link;

#define NO_LINK UINT32_MAX

/* Makes pairs and values from first, block_of, block_count, dims and links, which become
 * sorted by pairs, else in the given order; *start [pair_count + 1] is where those of a pair
 * begin. Each diagonal pair must have a link. False without memory. */
bool matrix_link(BlockMatrix *m, uint64_t **start, Link *links, uint64_t count);
void matrix_fini(BlockMatrix *m);

static inline uint32_t block_size(const BlockMatrix *m, uint32_t block)
{
    return m->first[block + 1] - m->first[block];
}

/* The pair of two blocks, a <= b; UINT32_MAX: zero. */
uint32_t matrix_pair(const BlockMatrix *m, uint32_t a, uint32_t b);
/* out[dims]: its diagonal. */
void matrix_diagonal(const BlockMatrix *m, double *out);
/* out = m v */
void matrix_multiply(const BlockMatrix *m, double *out, const double *v);
/* The lower triangle of m + diag(damping) as rows of a dense matrix. damping NULL: 0. */
void matrix_dense(const BlockMatrix *m, double *to, size_t row_length, const double *damping);

/* ---- products of small matrices (products.c) ---- */

/* transpose(a) b: a [depth][rows] and b [depth][columns], in rows of a_row and b_row numbers.
 * PRODUCT_SLACK numbers behind the end of either can be read. */
typedef struct Product {
    const double *a, *b;
    uint32_t      depth, a_row, b_row;
} Product;

#define PRODUCT_SLACK 8u
#define PRODUCT_LIST  16u           /* a good length for the lists of products_sum()        */

/* h[rows][columns] += sign times the sum of the products. */
void products_sum(double *h, const Product *list, uint32_t count, uint32_t rows,
                  uint32_t columns, double sign);
/* g[rows] += the sum of the products, whose b are vectors [depth] in steps of b_row. */
void products_vectors(double *g, const Product *list, uint32_t count, uint32_t rows);

#endif
