// SPDX-License-Identifier: Apache-2.0
/*
 * upper.c - the single entries of a matrix in blocks, by columns.
 *
 * in     a BlockMatrix, an order of its rows
 * out    the structure of its upper triangle
 * knows  matrix_priv.h
 * not    factorisations
 */
#include "solve/sparse_priv.h"

#include <stdlib.h>

#include "base/macro.h"

static uint64_t count_upper(const BlockMatrix *m)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < m->pair_count; p++) {
        uint64_t rows = block_size(m, m->row[p]);
        count += m->row[p] == m->column[p] ? rows * (rows + 1) / 2
                                           : rows * block_size(m, m->column[p]);
    }
    return count;
}

/* Counts the entries of each column, or places them. */
static void visit(Upper *u, const BlockMatrix *m, const uint32_t *new_row, bool place)
{
    for (uint32_t p = 0; p < m->pair_count; p++) {
        uint32_t a = m->first[m->row[p]], b = m->first[m->column[p]];
        uint32_t rows = block_size(m, m->row[p]), columns = block_size(m, m->column[p]);
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t k = a == b ? i : 0; k < columns; k++) {
                uint32_t x = new_row ? new_row[a + i] : a + i, y = new_row ? new_row[b + k] : b + k;
                uint32_t high = MAX_OF(x, y);
                if (!place) {
                    u->start[high + 2]++;
                    continue;
                }
                uint64_t at = u->start[high + 1]++;
                u->row[at] = MIN_OF(x, y);
                u->from[at] = m->at[p] + (uint64_t)i * columns + k;
            }
    }
}

bool upper_make(Upper *u, const BlockMatrix *m, const uint32_t *new_row)
{
    uint64_t entries = count_upper(m);
    *u = (Upper){.n = m->dims};
    u->start = calloc(m->dims + 3ull, sizeof *u->start);
    u->row = malloc((entries + 1) * sizeof *u->row);
    u->from = malloc((entries + 1) * sizeof *u->from);
    if (!u->start || !u->row || !u->from) {
        upper_fini(u);
        return false;
    }
    visit(u, m, new_row, false);
    for (uint32_t k = 0; k < u->n; k++)
        u->start[k + 2] += u->start[k + 1];
    visit(u, m, new_row, true);
    return true;
}

void upper_fini(Upper *u)
{
    free(u->start);
    free(u->row);
    free(u->from);
    *u = (Upper){0};
}
