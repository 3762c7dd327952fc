// SPDX-License-Identifier: Apache-2.0
/*
 * matrix.c - symmetric matrices in dense blocks: entries, products, dense copies.
 *
 * in     a BlockMatrix
 * out    what solvers ask of it
 * knows  matrix_priv.h
 * not    where the matrix comes from
 */
#include "solve/matrix_priv.h"

#include <stdlib.h>
#include <string.h>

/* Stable, by rows or columns. */
static bool counting_sort(Link *to, const Link *from, uint64_t count, uint32_t keys, bool row)
{
    uint64_t *start = calloc(keys + 1ull, sizeof *start);
    if (!start)
        return false;
    for (uint64_t i = 0; i < count; i++)
        start[(row ? from[i].row : from[i].column) + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        start[k + 1] += start[k];
    for (uint64_t i = 0; i < count; i++)
        to[start[row ? from[i].row : from[i].column]++] = from[i];
    free(start);
    return true;
}

static bool sort_links(Link *links, uint64_t count, uint32_t blocks)
{
    Link *sorted = malloc((count + 1) * sizeof *sorted);
    bool ok = sorted && counting_sort(sorted, links, count, blocks, false) &&
              counting_sort(links, sorted, count, blocks, true);
    free(sorted);
    return ok;
}

static bool starts_pair(const Link *links, uint64_t i)
{
    return i == 0 || links[i].row != links[i - 1].row || links[i].column != links[i - 1].column;
}

bool matrix_link(BlockMatrix *m, uint64_t **start, Link *links, uint64_t count)
{
    uint64_t pairs = 0;
    if (!sort_links(links, count, m->block_count))
        return false;
    for (uint64_t i = 0; i < count; i++)
        pairs += starts_pair(links, i);
    m->row = malloc((pairs + 1) * sizeof *m->row);
    m->column = malloc((pairs + 1) * sizeof *m->column);
    m->row_start = calloc(m->block_count + 2ull, sizeof *m->row_start);
    m->at = calloc(pairs + 2, sizeof *m->at);
    *start = malloc((pairs + 1) * sizeof **start);
    if (pairs >= UINT32_MAX || !m->row || !m->column || !m->row_start || !m->at || !*start)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = links[i].row, column = links[i].column, p = m->pair_count;
        if (!starts_pair(links, i))
            continue;
        m->row[p] = row;
        m->column[p] = column;
        (*start)[p] = i;
        m->at[p + 1] = m->at[p] + (uint64_t)block_size(m, row) * block_size(m, column);
        m->row_start[row + 1] = ++m->pair_count;
    }
    (*start)[m->pair_count] = count;
    m->values = malloc((m->at[m->pair_count] + 1) * sizeof *m->values);
    return m->values != NULL;
}

void matrix_fini(BlockMatrix *m)
{
    free(m->first);
    free(m->block_of);
    free(m->row);
    free(m->column);
    free(m->row_start);
    free(m->at);
    free(m->values);
    *m = (BlockMatrix){0};
}

uint32_t matrix_pair(const BlockMatrix *m, uint32_t a, uint32_t b)
{
    uint64_t low = m->row_start[a], high = m->row_start[a + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (m->column[middle] == b)
            return (uint32_t)middle;
        if (m->column[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

void matrix_diagonal(const BlockMatrix *m, double *out)
{
    for (uint32_t b = 0; b < m->block_count; b++) {
        uint32_t size = block_size(m, b);
        const double *h = m->values + m->at[m->row_start[b]];
        for (uint32_t i = 0; i < size; i++)
            out[m->first[b] + i] = h[(size_t)i * size + i];
    }
}

void matrix_multiply(const BlockMatrix *m, double *out, const double *v)
{
    memset(out, 0, m->dims * sizeof *out);
    for (uint32_t p = 0; p < m->pair_count; p++) {
        uint32_t a = m->first[m->row[p]], b = m->first[m->column[p]];
        uint32_t rows = block_size(m, m->row[p]), columns = block_size(m, m->column[p]);
        const double *h = m->values + m->at[p];
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t k = 0; k < columns; k++) {
                out[a + i] += h[(size_t)i * columns + k] * v[b + k];
                if (a != b)
                    out[b + k] += h[(size_t)i * columns + k] * v[a + i];
            }
    }
}

void matrix_dense(const BlockMatrix *m, double *to, size_t row_length, const double *damping)
{
    for (uint32_t i = 0; i < m->dims; i++)
        memset(to + i * row_length, 0, (i + 1) * sizeof *to);
    for (uint32_t p = 0; p < m->pair_count; p++) {
        uint32_t a = m->first[m->row[p]], b = m->first[m->column[p]];
        uint32_t rows = block_size(m, m->row[p]), columns = block_size(m, m->column[p]);
        const double *h = m->values + m->at[p];
        for (uint32_t k = 0; k < columns; k++)
            for (uint32_t i = 0; i < rows && a + i <= b + k; i++)
                to[(b + k) * row_length + a + i] = h[(size_t)i * columns + k];
    }
    for (uint32_t i = 0; damping && i < m->dims; i++)
        to[i * row_length + i] += damping[i];
}
