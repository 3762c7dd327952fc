// SPDX-License-Identifier: Apache-2.0
/*
 * useset.c - sets of module-scope declarations.
 *
 * in     declarations and sets of them
 * out    their union; a set that adds nothing is shared, not copied, so that a
 *        long chain of calls costs no more than its length
 * not    what the sets mean (usage.c, alias.c)
 */
#include <stdlib.h>

#include "check/useset_priv.h"

/* Members looked at and copied, over all unions. Real modules need thousands;
 * hostile ones could ask for the square of their size. */
#define MAX_WORK (1u << 25)

void useset_init(UseSets *u, Checker *c)
{
    *u = (UseSets){.c = c};
    u->seen = ARENA_ARRAY(c->arena, uint32_t, c->info->ordered.len);
}

void useset_begin(UseSets *u)
{
    u->round++;
    u->found.len = 0;
    u->first = u->largest = NULL;
    u->several = false;
}

static void add(UseSets *u, Decl *decl)
{
    if (u->seen[decl->index] == u->round)
        return;
    u->seen[decl->index] = u->round;
    VEC_PUSH(u->c->arena, &u->found, decl);
}

static void work(UseSets *u, uint32_t steps)
{
    u->work += steps;
    if (u->work <= MAX_WORK || u->exhausted)
        return;
    u->exhausted = true;
    diag_add(u->c->diag, DIAG_limit_exceeded, (Span){0},
             "the functions and the module-scope variables they use are too many to follow");
}

static void spread(UseSets *u, const UseSet *set)
{
    work(u, set->len);
    for (uint32_t i = 0; i < set->len && !u->exhausted; i++)
        add(u, set->data[i]);
}

/* A single set is looked into only once something else joins it. */
static void need_members(UseSets *u)
{
    if (u->several)
        return;
    u->several = true;
    if (u->first)
        spread(u, u->first);
}

void useset_add(UseSets *u, Decl *decl)
{
    need_members(u);
    add(u, decl);
}

void useset_add_all(UseSets *u, UseSet *set)
{
    if (!set || set->round == u->round)
        return;
    set->round = u->round;
    if (!u->largest || set->len > u->largest->len)
        u->largest = set;
    if (!u->first && !u->several) {
        u->first = set;
        return;
    }
    need_members(u);
    spread(u, set);
}

static int by_index(const void *x, const void *y)
{
    const Decl *const *a = x, *const *b = y;
    return (*a)->index < (*b)->index ? -1 : (*a)->index > (*b)->index;
}

UseSet *useset_end(UseSets *u)
{
    if (!u->several)
        return u->first;
    if (u->found.len == 0 || (u->largest && u->found.len <= u->largest->len))
        return u->largest;
    work(u, u->found.len);
    if (u->exhausted)
        return u->largest;
    UseSet *set = ARENA_NEW(u->c->arena, UseSet);
    set->len = u->found.len;
    set->data = arena_copy(u->c->arena, u->found.data, set->len * sizeof *set->data);
    qsort(set->data, set->len, sizeof *set->data, by_index);
    return set;
}

bool useset_has(const UseSet *set, const Decl *decl)
{
    if (!set)
        return false;
    uint32_t low = 0, high = set->len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->data[middle]->index < decl->index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->len && set->data[low] == decl;
}
