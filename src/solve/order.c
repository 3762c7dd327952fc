// SPDX-License-Identifier: Apache-2.0
/*
 * order.c - the order in which the blocks of a sparse matrix are eliminated.
 *
 * in     the structure of a BlockMatrix
 * out    an approximate minimum degree ordering (AMD of SuiteSparse), its elimination tree,
 *        children before parents
 * knows  amd.h
 * not    values
 */
#include "solve/sparse_priv.h"

#include <stdlib.h>
#include <string.h>

#include <suitesparse/amd.h>

/* new number of each block by AMD, in o->new_of; old_of is its inverse. */
static bool minimum_degree(Order *o, const BlockMatrix *m)
{
    uint64_t n = o->count, entries = m->pair_count;
    SuiteSparse_long *start = malloc((n + 1) * sizeof *start);
    SuiteSparse_long *index = malloc((entries + 1) * sizeof *index);
    SuiteSparse_long *order = malloc((n + 1) * sizeof *order);
    bool ok = start && index && order;
    for (uint64_t i = 0; ok && i <= n; i++)
        start[i] = (SuiteSparse_long)m->row_start[i];
    for (uint64_t i = 0; ok && i < entries; i++)
        index[i] = m->column[i];
    ok = ok && amd_l_order((SuiteSparse_long)n, start, index, order, NULL, NULL) >= AMD_OK;
    for (uint64_t i = 0; ok && i < n; i++) {
        o->old_of[i] = (uint32_t)order[i];
        o->new_of[order[i]] = (uint32_t)i;
    }
    free(start);
    free(index);
    free(order);
    return ok;
}

/* Pairs by the block with the larger new number: its neighbours before it. */
typedef struct Before {
    uint64_t *start;
    uint32_t *row;
} Before;

static bool before_make(Before *u, const Order *o, const BlockMatrix *m)
{
    u->start = calloc(o->count + 2ull, sizeof *u->start);
    u->row = malloc((m->pair_count + 1ull) * sizeof *u->row);
    if (!u->start || !u->row)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t p = 0; p < m->pair_count; p++) {
            uint32_t a = o->new_of[m->row[p]], b = o->new_of[m->column[p]];
            uint32_t high = a > b ? a : b;
            if (a == b)
                continue;
            if (pass == 0)
                u->start[high + 2]++;
            else
                u->row[u->start[high + 1]++] = a < b ? a : b;
        }
        for (uint32_t i = 0; pass == 0 && i < o->count; i++)
            u->start[i + 2] += u->start[i + 1];
    }
    return true;
}

/* Liu's algorithm with path compression. */
static bool elimination_tree(Order *o, const BlockMatrix *m)
{
    Before u = {0};
    uint32_t *ancestor = malloc((o->count + 1ull) * sizeof *ancestor);
    bool ok = before_make(&u, o, m) && ancestor;
    for (uint32_t k = 0; ok && k < o->count; k++) {
        o->parent[k] = ancestor[k] = NO_PARENT;
        for (uint64_t i = u.start[k]; i < u.start[k + 1]; i++)
            for (uint32_t j = u.row[i], next; j != NO_PARENT && j < k; j = next) {
                next = ancestor[j];
                ancestor[j] = k;
                if (next == NO_PARENT)
                    o->parent[j] = k;
            }
    }
    free(u.start);
    free(u.row);
    free(ancestor);
    return ok;
}

/* post[i] is the node that is visited i-th; iterative, first children first. */
static void postorder(uint32_t *post, const uint32_t *parent, uint32_t *head, uint32_t *next,
                      uint32_t *stack, uint32_t n)
{
    uint32_t depth = 0, at = 0;
    for (uint32_t i = 0; i < n; i++)
        head[i] = NO_PARENT;
    for (uint32_t i = n; i-- > 0;)
        if (parent[i] != NO_PARENT) {
            next[i] = head[parent[i]];
            head[parent[i]] = i;
        }
    for (uint32_t root = 0; root < n; root++) {
        if (parent[root] != NO_PARENT)
            continue;
        stack[depth++] = root;
        while (depth > 0) {
            uint32_t node = stack[depth - 1];
            if (head[node] == NO_PARENT) {
                post[at++] = node;
                depth--;
            } else {
                stack[depth++] = head[node];
                head[node] = next[head[node]];
            }
        }
    }
}

/* Renumbers the blocks by the postorder of their tree: the factor stays as sparse. */
static bool renumber(Order *o)
{
    uint64_t n = o->count;
    uint32_t *work = malloc((6 * n + 1) * sizeof *work);
    if (!work)
        return false;
    uint32_t *post = work, *old = work + 4 * n, *parent = work + 5 * n;
    postorder(post, o->parent, work + n, work + 2 * n, work + 3 * n, o->count);
    memcpy(old, o->old_of, n * sizeof *old);
    memcpy(parent, o->parent, n * sizeof *parent);
    uint32_t *place = work + n;
    for (uint32_t i = 0; i < o->count; i++)
        place[post[i]] = i;
    for (uint32_t i = 0; i < o->count; i++) {
        o->old_of[i] = old[post[i]];
        o->new_of[o->old_of[i]] = i;
        o->parent[i] = parent[post[i]] == NO_PARENT ? NO_PARENT : place[parent[post[i]]];
    }
    free(work);
    return true;
}

bool order_make(Order *o, const BlockMatrix *m)
{
    *o = (Order){.count = m->block_count};
    o->old_of = malloc((o->count + 1ull) * sizeof *o->old_of);
    o->new_of = malloc((o->count + 1ull) * sizeof *o->new_of);
    o->parent = malloc((o->count + 1ull) * sizeof *o->parent);
    if (o->old_of && o->new_of && o->parent && minimum_degree(o, m) && elimination_tree(o, m) &&
        renumber(o))
        return true;
    order_fini(o);
    return false;
}

void order_fini(Order *o)
{
    free(o->old_of);
    free(o->new_of);
    free(o->parent);
    *o = (Order){0};
}
