// SPDX-License-Identifier: Apache-2.0
/*
 * layout.c - places instances and parameters so that kernels read rows, share blocks and sum
 * in registers.
 *
 * in     the blocks of each instance
 * out    a mode: runs of instances with equal blocks, where these are long; else workgroups that
 *        have the most shared block in common, where it is shared enough; else the given order.
 *        The same input gives the same layout
 * knows  emit_priv.h
 * not    devices, numbers
 */
#include "grad/layout_priv.h"

#include <stdlib.h>
#include <string.h>

#define RUN_LEAST     4u            /* average length of runs that are worth a loop          */
#define RUNS_WANTED   4096u         /* longer runs are cut until there are so many           */
#define SHARED_LEAST  24u           /* average sharing that is worth sorting                 */
#define SLOT_LIMIT    0x7fffffffu

static uint32_t round_up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

/* ---- distinct blocks ---- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorted without repetitions; returns how many are left. */
static size_t distinct(uint64_t *keys, size_t count)
{
    size_t kept = 0;
    bool sorted = true;
    for (size_t i = 1; sorted && i < count; i++)
        sorted = keys[i - 1] <= keys[i];
    if (!sorted)
        qsort(keys, count, sizeof *keys, compare_u64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[kept++] = keys[i];
    return kept;
}

static uint64_t block_key(const LayoutInput *in, uint32_t instance, uint32_t block)
{
    return (uint64_t)in->graph->blocks.data[block].size << 32 |
           in->index[(size_t)instance * in->graph->blocks.len + block];
}

static bool find_blocks(Layout *l, const LayoutInput *in, uint32_t *used)
{
    uint32_t blocks = in->graph->blocks.len;
    uint64_t *all = NULL, *one = malloc(((size_t)in->count + 1) * sizeof *one);
    size_t total = 0;
    for (uint32_t b = 0; one && b < blocks; b++) {
        for (uint32_t i = 0; i < in->count; i++)
            one[i] = block_key(in, i, b);
        size_t kept = distinct(one, in->count);
        used[b] = (uint32_t)kept;
        uint64_t *more = realloc(all, (total + kept + 1) * sizeof *all);
        if (!more)
            break;
        all = more;
        memcpy(all + total, one, kept * sizeof *all);
        total += kept;
    }
    free(one);
    total = all ? distinct(all, total) : 0;
    l->blocks = calloc(total + 1, sizeof *l->blocks);
    for (size_t i = 0; l->blocks && i < total; i++) {
        l->blocks[i] = (LayoutBlock){(uint32_t)all[i], (uint32_t)(all[i] >> 32), l->rows};
        l->rows += (l->blocks[i].size + 3) / 4;
    }
    l->block_count = (uint32_t)total;
    l->rows = l->rows == 0 ? 1 : l->rows;
    free(all);
    return l->blocks && (blocks == 0 || in->count == 0 || total > 0);
}

static uint32_t row_of(const Layout *l, uint64_t key)
{
    uint32_t low = 0, high = l->block_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t at = (uint64_t)l->blocks[middle].size << 32 | l->blocks[middle].offset;
        if (at <= key)
            low = middle;
        else
            high = middle;
    }
    return l->blocks[low].row;
}

/* ---- order of the instances ---- */

typedef struct Order {
    const LayoutInput *in;
    uint32_t          *by;          /* instances                                            */
    uint32_t           first;       /* block to compare first                               */
} Order;

static int compare_blocks(const LayoutInput *in, uint32_t a, uint32_t b, uint32_t block)
{
    uint32_t blocks = in->graph->blocks.len;
    uint32_t x = in->index[(size_t)a * blocks + block], y = in->index[(size_t)b * blocks + block];
    return x < y ? -1 : x > y;
}

static int compare_instances(const Order *o, uint32_t a, uint32_t b)
{
    int c = o->first == NODE_NONE ? 0 : compare_blocks(o->in, a, b, o->first);
    for (uint32_t i = 0; c == 0 && o->first == NODE_NONE && i < o->in->graph->blocks.len; i++)
        c = compare_blocks(o->in, a, b, i);
    return c;
}

/* A stable merge sort from the bottom. */
static bool sort_instances(const Order *o)
{
    uint32_t n = o->in->count, *from = o->by, *to;
    uint32_t *other = to = malloc(((size_t)n + 1) * sizeof *other);
    if (!other)
        return false;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t at = 0; at < n; at += 2 * width) {
            uint64_t a = at, ae = MIN_OF(at + width, n), b = ae, be = MIN_OF(at + 2 * width, n);
            for (uint64_t k = at; k < be; k++)
                to[k] = b >= be || (a < ae && compare_instances(o, from[a], from[b]) <= 0)
                            ? from[a++] : from[b++];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != o->by)
        memcpy(o->by, from, n * sizeof *from);
    free(other);
    return true;
}

static uint32_t count_groups(const Order *o)
{
    uint32_t groups = o->in->count > 0;
    for (uint32_t i = 1; i < o->in->count; i++)
        groups += compare_instances(o, o->by[i - 1], o->by[i]) != 0;
    return groups;
}

/* The order by all blocks, or by `first`; instances that are grouped already stay in place. */
static uint32_t *order_instances(const LayoutInput *in, uint32_t first, uint32_t most,
                                 uint32_t *groups)
{
    Order o = {in, malloc(((size_t)in->count + 1) * sizeof(uint32_t)), first};
    if (!o.by)
        return NULL;
    for (uint32_t i = 0; i < in->count; i++)
        o.by[i] = i;
    *groups = count_groups(&o);
    if (*groups > most) {
        if (!sort_instances(&o)) {
            free(o.by);
            return NULL;
        }
        *groups = count_groups(&o);
    }
    return o.by;
}

/* ---- modes ---- */

static bool alloc_owners(Layout *l, uint32_t count, uint64_t owners, uint64_t slots)
{
    if (slots > SLOT_LIMIT || owners > SLOT_LIMIT)
        return false;
    l->owners = (uint32_t)owners;
    l->slots = (uint32_t)slots;
    l->position = malloc(((size_t)count + 1) * sizeof *l->position);
    l->owner_instance = malloc(((size_t)owners + 1) * sizeof *l->owner_instance);
    if (l->owner_instance)
        memset(l->owner_instance, 0xff, ((size_t)owners + 1) * sizeof *l->owner_instance);
    return l->position && l->owner_instance;
}

static bool place_plain(Layout *l, const LayoutInput *in)
{
    l->mode = KERNEL_PLAIN;
    l->shared = NODE_NONE;
    uint64_t slots = ((uint64_t)in->count + EMIT_GROUP - 1) / EMIT_GROUP * EMIT_GROUP;
    if (!alloc_owners(l, 0, slots, slots))
        return false;
    free(l->position);
    l->position = NULL;
    for (uint32_t i = 0; i < in->count; i++)
        l->owner_instance[i] = i;
    return true;
}

/* Instances by[] in groups that agree in block `shared`, each padded to whole workgroups. */
static bool place_shared(Layout *l, const LayoutInput *in, const uint32_t *by, uint32_t shared,
                         uint64_t slots)
{
    l->mode = KERNEL_SHARED;
    l->shared = shared;
    l->shared_rows = calloc(slots / EMIT_GROUP + 1, sizeof *l->shared_rows);
    if (!l->shared_rows || !alloc_owners(l, in->count, slots, slots))
        return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        if (i > 0 && compare_blocks(in, by[i - 1], by[i], shared) != 0)
            at = round_up(at, EMIT_GROUP);
        if (at % EMIT_GROUP == 0)
            l->shared_rows[at / EMIT_GROUP] = row_of(l, block_key(in, by[i], shared));
        l->position[by[i]] = at;
        l->owner_instance[at++] = by[i];
    }
    return true;
}

static uint64_t shared_slots(const LayoutInput *in, const uint32_t *by, uint32_t shared)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        if (i > 0 && compare_blocks(in, by[i - 1], by[i], shared) != 0)
            slots = (slots + EMIT_GROUP - 1) / EMIT_GROUP * EMIT_GROUP;
        slots++;
    }
    return (slots + EMIT_GROUP - 1) / EMIT_GROUP * EMIT_GROUP;
}

static bool try_shared(Layout *l, const LayoutInput *in, const uint32_t *used, bool *done)
{
    uint32_t best = 0, groups;
    for (uint32_t b = 1; b < in->graph->blocks.len; b++)
        if (used[b] < used[best])
            best = b;
    *done = false;
    if (in->graph->blocks.len == 0 || in->count / MAX_OF(used[best], 1u) < SHARED_LEAST)
        return true;
    uint32_t *by = order_instances(in, best, used[best], &groups);
    if (!by)
        return false;
    uint64_t slots = shared_slots(in, by, best);
    bool ok = true;
    if (slots <= (uint64_t)in->count + in->count / 4 + EMIT_GROUP) {
        *done = true;
        ok = place_shared(l, in, by, best, slots);
    }
    free(by);
    return ok;
}

/* Cuts the group by[first..first+count) into pieces of equal length, at most `run`. */
static void place_run(Layout *l, const uint32_t *by, uint32_t count, uint32_t *owner)
{
    uint32_t pieces = (count + l->run - 1) / l->run, at = 0;
    for (uint32_t p = 0; p < pieces; p++) {
        uint32_t length = count / pieces + (p < count % pieces);
        l->lengths[*owner] = length;
        l->uneven |= length != l->run;
        l->owner_instance[*owner] = by[at];
        for (uint32_t step = 0; step < length; step++)
            l->position[by[at++]] = (*owner / EMIT_LANES * l->run + step) * EMIT_LANES +
                                    *owner % EMIT_LANES;
        (*owner)++;
    }
}

static uint64_t count_runs(const Order *o, uint32_t run)
{
    uint64_t owners = 0;
    uint32_t first = 0;
    for (uint32_t i = 1; i <= o->in->count; i++)
        if (i == o->in->count || compare_instances(o, o->by[i - 1], o->by[i]) != 0) {
            owners += (i - first + run - 1) / run;
            first = i;
        }
    return (owners + EMIT_GROUP - 1) / EMIT_GROUP * EMIT_GROUP;
}

static bool place_runs(Layout *l, const LayoutInput *in, uint32_t *by, uint32_t longest)
{
    Order o = {in, by, NODE_NONE};
    l->mode = KERNEL_RUNS;
    l->shared = UNIFORM_ALL;
    l->run = MIN_OF(longest, MAX_OF(RUN_LEAST, in->count / RUNS_WANTED + 1));
    uint64_t owners = count_runs(&o, l->run);
    l->lengths = calloc(owners + 1, sizeof *l->lengths);
    if (!l->lengths || !alloc_owners(l, in->count, owners, owners * l->run))
        return false;
    uint32_t first = 0, owner = 0;
    for (uint32_t i = 1; i <= in->count; i++)
        if (i == in->count || compare_instances(&o, by[i - 1], by[i]) != 0) {
            place_run(l, by + first, i - first, &owner);
            first = i;
        }
    return true;
}

static bool try_runs(Layout *l, const LayoutInput *in, bool *done)
{
    uint32_t *by = order_instances(in, NODE_NONE, in->count / RUN_LEAST, &l->groups);
    *done = false;
    if (!by)
        return false;
    Order o = {in, by, NODE_NONE};
    uint32_t longest = 0, length = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        length = i > 0 && compare_instances(&o, by[i - 1], by[i]) == 0 ? length + 1 : 1;
        longest = MAX_OF(longest, length);
    }
    bool ok = true;
    /* Padding to the longest run must not waste more than the loop saves. */
    uint32_t run = MIN_OF(longest, MAX_OF(RUN_LEAST, in->count / RUNS_WANTED + 1));
    if (in->count >= EMIT_GROUP && l->groups <= in->count / RUN_LEAST &&
        count_runs(&o, run) * run <= 2 * ((uint64_t)in->count + EMIT_GROUP * run)) {
        *done = true;
        ok = place_runs(l, in, by, longest);
    }
    free(by);
    return ok;
}

/* ---- rows of each owner ---- */

static bool fill_index(Layout *l, const LayoutInput *in)
{
    uint32_t blocks = in->graph->blocks.len;
    l->index = calloc((size_t)l->owners * blocks + 1, sizeof *l->index);
    if (!l->index)
        return false;
    for (uint32_t o = 0; o < l->owners; o++)
        for (uint32_t b = 0; l->owner_instance[o] != NODE_NONE && b < blocks; b++)
            l->index[layout_element(o, blocks, b)] =
                row_of(l, block_key(in, l->owner_instance[o], b));
    return true;
}

bool grad_layout_make(Layout *l, const LayoutInput *in)
{
    *l = (Layout){.shared = NODE_NONE, .groups = in->count};
    uint32_t *used = calloc(in->graph->blocks.len + 1, sizeof *used);
    bool done = false, ok = used && find_blocks(l, in, used);
    if (ok && !in->plain && in->graph->blocks.len > 0)
        ok = try_runs(l, in, &done);
    if (ok && !done && !in->plain)
        ok = try_shared(l, in, used, &done);
    if (ok && !done)
        ok = place_plain(l, in);
    ok = ok && fill_index(l, in);
    free(used);
    if (!ok)
        grad_layout_fini(l);
    return ok;
}

void grad_layout_fini(Layout *l)
{
    free(l->position);
    free(l->owner_instance);
    free(l->lengths);
    free(l->index);
    free(l->shared_rows);
    free(l->blocks);
    *l = (Layout){0};
}
