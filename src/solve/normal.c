// SPDX-License-Identifier: Apache-2.0
/*
 * normal.c - finds the block structure of transpose(J) J, and assembles it.
 *
 * in     rows
 * out    blocks of columns that always occur together; the matrix in dense blocks; the gradient
 * knows  rows_priv.h
 * not    factorisations
 *
 * Each block of the matrix gathers what instances contribute to it, in the order of the
 * instances: no two threads write to one place, and sums do not depend on their number.
 */
#include "solve/normal_priv.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 4096u                 /* contributors that one thread sums at a time           */

/* ---- blocks of columns ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Columns are of one block if they are neighbours and the same instances use both: `used` is a
 * sum of hashes of the instances. */
static bool find_blocks(Normal *n)
{
    const Rows *r = n->rows;
    uint64_t *used = calloc((size_t)n->m.dims + 1, sizeof *used);
    n->m.first = malloc(((size_t)n->m.dims + 1) * sizeof *n->m.first);
    n->m.block_of = malloc(((size_t)n->m.dims + 1) * sizeof *n->m.block_of);
    if (!used || !n->m.first || !n->m.block_of) {
        free(used);
        return false;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t hash = mix(i + 1ull);
        for (uint32_t c = 0; c < r->instances[i].width; c++)
            used[r->columns[r->instances[i].column + c]] += hash;
    }
    for (uint32_t c = 0; c < n->m.dims; c++) {
        if (c == 0 || used[c] != used[c - 1] || used[c] == 0)
            n->m.first[n->m.block_count++] = c;
        n->m.block_of[c] = n->m.block_count - 1;
    }
    n->m.first[n->m.block_count] = n->m.dims;
    free(used);
    return true;
}

/* ---- blocks of the matrix ---- */

/* The blocks of an instance, and where among its columns they begin. */
static uint32_t instance_blocks(const Normal *n, const Instance *in, uint32_t *blocks,
                                uint32_t *places)
{
    const uint32_t *columns = n->rows->columns + in->column;
    uint32_t count = 0;
    for (uint32_t c = 0; c < in->width; c += block_size(&n->m, n->m.block_of[columns[c]])) {
        blocks[count] = n->m.block_of[columns[c]];
        places[count++] = c;
    }
    return count;
}

static uint64_t count_links(const Normal *n, uint32_t *blocks, uint32_t *places)
{
    uint64_t links = 0;
    for (uint32_t i = 0; i < n->rows->count; i++) {
        uint64_t count = instance_blocks(n, &n->rows->instances[i], blocks, places);
        links += count * (count + 1) / 2;
    }
    return links + n->m.block_count;
}

static void fill_links(const Normal *n, Link *links, uint32_t *blocks, uint32_t *places)
{
    uint64_t at = 0;
    for (uint32_t b = 0; b < n->m.block_count; b++)
        links[at++] = (Link){b, b, NO_LINK, 0, 0};
    for (uint32_t i = 0; i < n->rows->count; i++) {
        uint32_t count = instance_blocks(n, &n->rows->instances[i], blocks, places);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = a; b < count; b++)
                links[at++] = (Link){blocks[a], blocks[b], i, places[a], places[b]};
    }
}

/* Long lists are cut, so that threads share them. */
static bool make_pieces(Normal *n)
{
    uint64_t pieces = 0, partial = 0;
    for (uint32_t p = 0; p < n->m.pair_count; p++)
        pieces += (n->start[p + 1] - n->start[p]) / PIECE + 1;
    if (pieces >= UINT32_MAX)
        return false;
    n->piece_pair = malloc((pieces + 1) * sizeof *n->piece_pair);
    n->piece_start = malloc((pieces + 1) * sizeof *n->piece_start);
    n->partial_at = malloc((pieces + 1) * sizeof *n->partial_at);
    if (!n->piece_pair || !n->piece_start || !n->partial_at)
        return false;
    for (uint32_t p = 0; p < n->m.pair_count; p++) {
        uint64_t begin = n->start[p], end = n->start[p + 1];
        uint64_t size = n->m.at[p + 1] - n->m.at[p] +
                        (n->m.row[p] == n->m.column[p] ? block_size(&n->m, n->m.row[p]) : 0);
        bool alone = end - begin <= PIECE;
        do {
            n->piece_pair[n->pieces] = p;
            n->piece_start[n->pieces] = begin;
            n->partial_at[n->pieces++] = alone ? UINT64_MAX : partial;
            partial += alone ? 0 : size;
            begin += PIECE;
        } while (begin < end);
    }
    n->piece_start[n->pieces] = n->start[n->m.pair_count];
    n->partial = malloc((partial + 1) * sizeof *n->partial);
    return n->partial != NULL;
}

static bool make_structure(Normal *n)
{
    uint32_t widest = 0;
    if (!find_blocks(n))
        return false;
    for (uint32_t i = 0; i < n->rows->count; i++)
        widest = n->rows->instances[i].width > widest ? n->rows->instances[i].width : widest;
    uint32_t *blocks = malloc((widest + 1ull) * sizeof *blocks);
    uint32_t *places = malloc((widest + 1ull) * sizeof *places);
    uint64_t count = 0;
    bool ok = blocks && places;
    if (ok) {
        count = count_links(n, blocks, places);
        n->contributors = malloc((count + 1) * sizeof *n->contributors);
        ok = n->contributors != NULL;
    }
    if (ok)
        fill_links(n, n->contributors, blocks, places);
    n->gradient = calloc(n->m.dims + 1ull, sizeof *n->gradient);
    ok = ok && n->gradient && matrix_link(&n->m, &n->start, n->contributors, count) &&
         make_pieces(n);
    free(blocks);
    free(places);
    return ok;
}

bool normal_make(Normal *n, const Rows *rows)
{
    *n = (Normal){.rows = rows, .m.dims = rows->space->dims};
    if (make_structure(n))
        return true;
    normal_fini(n);
    return context_fail(rows->p->ctx, WEFT_ERROR_MEMORY,
                        "%s: no memory for the normal equations of %u columns", rows->p->label,
                        rows->space->dims);
}

void normal_fini(Normal *n)
{
    void *all[] = {n->start, n->contributors, n->piece_pair, n->piece_start, n->partial,
                   n->partial_at, n->left_out, n->gradient};
    matrix_fini(&n->m);
    for (size_t i = 0; i < COUNTOF(all); i++)
        free(all[i]);
    *n = (Normal){0};
}

/* ---- assembly ---- */

static void add_lists(double *h, double *g, const Product *list, const Product *vectors,
                      uint32_t count, uint32_t rows, uint32_t columns)
{
    products_sum(h, list, count, rows, columns, 1);
    if (g)
        products_vectors(g, vectors, count, rows);
}

/* What instances contribute to a block and, if it is on the diagonal, to its gradient. */
static void sum_contributors(const Normal *n, double *h, double *g, uint64_t begin, uint64_t end,
                             uint32_t rows, uint32_t columns)
{
    const Rows *r = n->rows;
    Product list[PRODUCT_LIST], vectors[PRODUCT_LIST];
    uint32_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        Link by = n->contributors[i];
        if (by.by == NO_LINK)
            continue;
        const Instance *in = &r->instances[by.by];
        const double *j = r->values + in->value;
        list[count] = (Product){j + by.a, j + by.b, in->outputs, in->width, in->width};
        vectors[count++] = (Product){j + by.a, r->residuals + in->residual, in->outputs,
                                     in->width, 1};
        if (count == PRODUCT_LIST) {
            add_lists(h, g, list, vectors, count, rows, columns);
            count = 0;
        }
    }
    add_lists(h, g, list, vectors, count, rows, columns);
}

static void assemble_piece(void *context, uint32_t piece, uint32_t member)
{
    const Normal *n = context;
    uint32_t p = n->piece_pair[piece], rows = block_size(&n->m, n->m.row[p]);
    uint32_t columns = block_size(&n->m, n->m.column[p]);
    bool alone = n->partial_at[piece] == UINT64_MAX, diagonal = n->m.row[p] == n->m.column[p];
    double *h = alone ? n->m.values + n->m.at[p] : n->partial + n->partial_at[piece];
    double *g = !diagonal ? NULL
                : alone   ? n->gradient + n->m.first[n->m.row[p]] : h + (size_t)rows * columns;
    uint64_t end = alone ? n->start[p + 1] : n->piece_start[piece + 1];
    (void)member;
    if (n->left_out && n->left_out[p])
        return;
    memset(h, 0, (size_t)rows * columns * sizeof *h);
    if (g)
        memset(g, 0, rows * sizeof *g);
    sum_contributors(n, h, g, n->piece_start[piece], end, rows, columns);
}

static void join_pieces(Normal *n)
{
    for (uint32_t i = 0; i < n->pieces; i++) {
        uint32_t p = n->piece_pair[i];
        if (n->partial_at[i] == UINT64_MAX)
            continue;
        bool first = i == 0 || n->piece_pair[i - 1] != p, diagonal = n->m.row[p] == n->m.column[p];
        const double *from = n->partial + n->partial_at[i];
        uint64_t size = n->m.at[p + 1] - n->m.at[p];
        double *h = n->m.values + n->m.at[p], *g = n->gradient + n->m.first[n->m.row[p]];
        for (uint64_t k = 0; k < size; k++)
            h[k] = (first ? 0 : h[k]) + from[k];
        for (uint32_t k = 0; diagonal && k < block_size(&n->m, n->m.row[p]); k++)
            g[k] = (first ? 0 : g[k]) + from[size + k];
    }
}

#define TASK 64u                    /* pieces that a thread takes at a time                 */

static void assemble_task(void *context, uint32_t task, uint32_t member)
{
    const Normal *n = context;
    uint32_t end = MIN_OF((task + 1) * TASK, n->pieces);
    for (uint32_t i = task * TASK; i < end; i++)
        assemble_piece(context, i, member);
}

void normal_assemble(Normal *n, Team *team)
{
    bool large = n->rows->value_count > 20000;
    /* few pieces are long ones */
    if (n->pieces < 16 * TASK)
        team_run(large ? team : NULL, assemble_piece, n, n->pieces);
    else
        team_run(team, assemble_task, n, (n->pieces + TASK - 1) / TASK);
    join_pieces(n);
}
