// SPDX-License-Identifier: Apache-2.0
/*
 * schur.c - which blocks to eliminate first, such as the points of bundle adjustment, and the
 * structure of the complement that is left.
 *
 * in     normal equations, the blocks that the caller lists
 * out    a Schur, without numbers
 * knows  normal_priv.h, schur_priv.h, sparse_priv.h
 * not    values (eliminate.c)
 */
#include "solve/schur_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

/* Above this many columns a sparse factor of the complement is tried. */
#define DENSE_MOST 3000u

/* ---- which blocks ---- */

static bool listed_blocks(const Normal *n, const weft_solve_options *o, bool *out)
{
    const Space *s = n->rows->space;
    bool *listed = calloc(s->parameters + 1ull, sizeof *listed);
    for (uint32_t i = 0; listed && i < o->eliminate_count; i++)
        if (o->eliminate[i] < s->parameters)
            listed[o->eliminate[i]] = true;
    for (uint32_t b = 0; listed && b < n->m.block_count; b++) {
        out[b] = true;
        for (uint32_t c = n->m.first[b]; c < n->m.first[b + 1]; c++)
            out[b] = out[b] && listed[s->parameter[c]];
    }
    free(listed);
    return listed != NULL;
}

/* Blocks with few neighbours first, each unless a neighbour was taken. */
static bool independent_blocks(const BlockMatrix *m, bool *out)
{
    uint32_t n = m->block_count, *degree = calloc(n + 1ull, sizeof *degree);
    uint32_t *by = malloc((n + 1ull) * sizeof *by);
    uint64_t *start = calloc(n + 2ull, sizeof *start);
    bool *near = calloc(n + 1ull, sizeof *near), ok = degree && by && start && near;
    for (uint32_t p = 0; ok && p < m->pair_count; p++)
        if (m->row[p] != m->column[p]) {
            degree[m->row[p]]++;
            degree[m->column[p]]++;
        }
    for (uint32_t b = 0; ok && b < n; b++)
        start[degree[b] + 1]++;
    for (uint32_t d = 0; ok && d < n; d++)
        start[d + 1] += start[d];
    for (uint32_t b = 0; ok && b < n; b++)
        by[start[degree[b]]++] = b;
    /* neighbours with smaller numbers are found through the pairs of their rows: mark both ways */
    uint64_t *first = ok ? calloc(n + 2ull, sizeof *first) : NULL;
    uint32_t *other = ok ? malloc((2ull * m->pair_count + 1) * sizeof *other) : NULL;
    ok = ok && first && other;
    for (uint32_t b = 0; ok && b < n; b++)
        first[b + 1] = first[b] + degree[b];
    for (uint32_t p = 0; ok && p < m->pair_count; p++)
        if (m->row[p] != m->column[p]) {
            other[first[m->row[p]] + --degree[m->row[p]]] = m->column[p];
            other[first[m->column[p]] + --degree[m->column[p]]] = m->row[p];
        }
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t b = by[i];
        out[b] = !near[b];
        for (uint64_t k = first[b]; out[b] && k < first[b + 1]; k++)
            near[other[k]] = true;
    }
    free(degree);
    free(by);
    free(start);
    free(near);
    free(first);
    free(other);
    return ok;
}

bool *schur_choose(const Normal *n, const weft_solve_options *o, uint32_t *dims)
{
    const BlockMatrix *m = &n->m;
    weft_context *ctx = n->rows->p->ctx;
    bool *out = calloc(m->block_count + 1ull, sizeof *out);
    bool ok = out && (o->eliminate ? listed_blocks(n, o, out) : independent_blocks(m, out));
    if (!ok) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "%s: no memory", n->rows->p->label);
        free(out);
        return NULL;
    }
    for (uint32_t p = 0; o->eliminate && p < m->pair_count; p++)
        if (m->row[p] != m->column[p] && out[m->row[p]] && out[m->column[p]]) {
            const Space *s = n->rows->space;
            context_fail(ctx, WEFT_ERROR_INVALID,
                         "%s: parameters %u and %u cannot both be eliminated first: an instance "
                         "uses both", n->rows->p->label, s->parameter[m->first[m->row[p]]],
                         s->parameter[m->first[m->column[p]]]);
            free(out);
            return NULL;
        }
    *dims = 0;
    for (uint32_t b = 0; b < m->block_count; b++)
        *dims += out[b] ? block_size(m, b) : 0;
    return out;
}

/* ---- structure ---- */

static bool number_blocks(Schur *s, const bool *eliminated, uint32_t *number)
{
    const BlockMatrix *m = &s->n->m;
    uint64_t l = 0;
    s->s.first = malloc((m->block_count + 1ull) * sizeof *s->s.first);
    s->s.block_of = malloc((m->dims + 1ull) * sizeof *s->s.block_of);
    s->kept = malloc((m->block_count + 1ull) * sizeof *s->kept);
    s->eliminated = malloc((m->block_count + 1ull) * sizeof *s->eliminated);
    if (!s->s.first || !s->s.block_of || !s->kept || !s->eliminated)
        return false;
    for (uint32_t b = 0; b < m->block_count; b++) {
        uint32_t size = block_size(m, b);
        if (eliminated[b]) {
            number[b] = s->count;
            s->eliminated[s->count++] = (Eliminated){b, m->first[b], size, 0, l};
            l += (uint64_t)size * size;
            continue;
        }
        number[b] = s->s.block_count;
        s->kept[s->s.block_count] = b;
        s->s.first[s->s.block_count] = s->s.dims;
        for (uint32_t i = 0; i < size; i++)
            s->s.block_of[s->s.dims++] = s->s.block_count;
        s->s.block_count++;
    }
    s->s.first[s->s.block_count] = s->s.dims;
    s->eliminated[s->count] = (Eliminated){.l = l};
    s->l = malloc((l + 1) * sizeof *s->l);
    s->y = malloc((m->dims + 1ull) * sizeof *s->y);
    s->x = malloc((2ull * s->s.dims + 1) * sizeof *s->x);
    return s->l && s->y && s->x;
}

/* Connections by eliminated block; those of one in the order of pairs. */
static bool connect(Schur *s, const bool *eliminated, const uint32_t *number)
{
    const BlockMatrix *m = &s->n->m;
    uint64_t *start = calloc(s->count + 2ull, sizeof *start), at = 0;
    s->links = malloc((m->pair_count + 1ull) * sizeof *s->links);
    bool ok = start && s->links;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (uint32_t p = 0; p < m->pair_count; p++) {
            bool turned = eliminated[m->column[p]];
            if (eliminated[m->row[p]] == turned)
                continue;
            uint32_t e = number[turned ? m->column[p] : m->row[p]];
            uint32_t other = number[turned ? m->row[p] : m->column[p]];
            if (pass == 0)
                start[e + 2]++;
            else
                s->links[start[e + 1]++] = (Connection){p, other, turned, 0};
        }
        for (uint32_t i = 0; pass == 0 && i < s->count; i++)
            start[i + 2] += start[i + 1];
    }
    for (uint32_t e = 0; ok && e <= s->count; e++)
        s->eliminated[e].links = start[e];
    for (uint32_t e = 0; ok && e < s->count; e++)
        for (uint64_t k = start[e]; k < start[e + 1]; k++) {
            s->links[k].at = at;
            at += (uint64_t)s->eliminated[e].size * padded(block_size(&s->s, s->links[k].other));
        }
    s->f = ok ? calloc(at + PRODUCT_SLACK, sizeof *s->f) : NULL;
    free(start);
    return s->f != NULL;
}

static uint64_t count_products(const Schur *s, const bool *eliminated)
{
    const BlockMatrix *m = &s->n->m;
    uint64_t count = 0;
    for (uint32_t p = 0; p < m->pair_count; p++)
        count += !eliminated[m->row[p]] && !eliminated[m->column[p]];
    for (uint32_t e = 0; e < s->count; e++) {
        uint64_t links = s->eliminated[e + 1].links - s->eliminated[e].links;
        count += links * (links + 1) / 2;
    }
    return count;
}

/* The pairs of the complement: those of the matrix (NO_LINK, a: the pair), and two neighbours of
 * an eliminated block. */
static bool make_products(Schur *s, const bool *eliminated, const uint32_t *number)
{
    const BlockMatrix *m = &s->n->m;
    uint64_t count = count_products(s, eliminated), at = 0;
    s->products = malloc((count + 1) * sizeof *s->products);
    if (!s->products)
        return false;
    for (uint32_t p = 0; p < m->pair_count; p++)
        if (!eliminated[m->row[p]] && !eliminated[m->column[p]])
            s->products[at++] = (Link){number[m->row[p]], number[m->column[p]], NO_LINK, p, 0};
    for (uint32_t e = 0; e < s->count; e++)
        for (uint64_t a = s->eliminated[e].links; a < s->eliminated[e + 1].links; a++)
            for (uint64_t b = a; b < s->eliminated[e + 1].links; b++) {
                bool swap = s->links[a].other > s->links[b].other;
                uint64_t x = swap ? b : a, y = swap ? a : b;
                s->products[at++] = (Link){s->links[x].other, s->links[y].other, e, (uint32_t)x,
                                           (uint32_t)y};
            }
    return matrix_link(&s->s, &s->start, s->products, count);
}

static bool make_solver(Schur *s, bool mixed)
{
    uint64_t all = (uint64_t)s->s.dims * s->s.dims;
    s->dense = s->s.dims <= DENSE_MOST || s->s.at[s->s.pair_count] * 5 > all;
    if (!s->dense)
        return frontal_make(&s->fronts, &s->s);
    s->row = dense_row(s->s.dims);
    s->mixed = mixed;
    s->a = calloc((s->s.dims + 1ull) * s->row, sizeof *s->a);
    s->pack = malloc(dense_scratch(s->s.dims) * sizeof *s->pack);
    if (mixed)
        s->a32 = calloc((s->s.dims + 1ull) * s->row, sizeof *s->a32);
    return s->a && s->pack && (!mixed || s->a32);
}

Schur *schur_make(const Normal *n, const bool *eliminated, bool mixed)
{
    Schur *s = calloc(1, sizeof *s);
    uint32_t *number = malloc((n->m.block_count + 1ull) * sizeof *number);
    if (s)
        s->n = n;
    bool ok = s && number && number_blocks(s, eliminated, number) &&
              connect(s, eliminated, number) && make_products(s, eliminated, number) &&
              make_solver(s, mixed);
    free(number);
    if (ok)
        return s;
    schur_release(s);
    return NULL;
}

void schur_release(Schur *s)
{
    if (!s)
        return;
    void *all[] = {s->eliminated, s->links, s->kept, s->start, s->products, s->l, s->f, s->y,
                   s->x, s->a, s->pack, s->a32};
    for (size_t i = 0; i < COUNTOF(all); i++)
        free(all[i]);
    frontal_fini(&s->fronts);
    matrix_fini(&s->s);
    free(s);
}

uint64_t schur_entries(const Schur *s)
{
    return s->dense ? (uint64_t)s->s.dims * (s->s.dims + 1) / 2 : s->fronts.factor_size;
}
