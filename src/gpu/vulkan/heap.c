// SPDX-License-Identifier: Apache-2.0
/*
 * heap.c - which ranges of a block of memory are free: a sorted list, best fit.
 *
 * Giving back never needs memory: taking has made room for the worst case, in which
 * every other range is free.
 */
#include "gpu/vulkan/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

static bool reserve(Heap *h, uint32_t room)
{
    if (room <= h->room)
        return true;
    uint32_t   grown = MAX_OF(room, h->room * 2);
    HeapRange *list = realloc(h->free, grown * sizeof *list);
    if (!list)
        return false;
    h->free = list;
    h->room = grown;
    return true;
}

bool heap_init(Heap *h, uint64_t size)
{
    *h = (Heap){.size = size};
    if (!reserve(h, 16))
        return false;
    h->free[h->nfree++] = (HeapRange){0, size};
    return true;
}

void heap_fini(Heap *h)
{
    free(h->free);
    *h = (Heap){0};
}

static void insert_at(Heap *h, uint32_t i, HeapRange range)
{
    memmove(h->free + i + 1, h->free + i, (h->nfree - i) * sizeof *h->free);
    h->free[i] = range;
    h->nfree++;
}

static void remove_at(Heap *h, uint32_t i)
{
    h->nfree--;
    memmove(h->free + i, h->free + i + 1, (h->nfree - i) * sizeof *h->free);
}

/* Bytes to leave out at the start of a range. */
static uint64_t pad_of(const HeapRange *r, uint64_t align)
{
    return (align - (r->offset & (align - 1))) & (align - 1);
}

bool heap_take(Heap *h, uint64_t size, uint64_t align, uint64_t *offset)
{
    uint32_t best = UINT32_MAX;
    if (!reserve(h, h->live + 3))
        return false;
    for (uint32_t i = 0; i < h->nfree; i++) {
        uint64_t pad = pad_of(&h->free[i], align);
        if (h->free[i].size >= pad && h->free[i].size - pad >= size
            && (best == UINT32_MAX || h->free[i].size < h->free[best].size))
            best = i;
    }
    if (best == UINT32_MAX)
        return false;
    HeapRange whole = h->free[best];
    uint64_t  pad = pad_of(&whole, align);
    *offset = whole.offset + pad;
    remove_at(h, best);
    if (whole.size > pad + size)
        insert_at(h, best, (HeapRange){*offset + size, whole.size - pad - size});
    if (pad)
        insert_at(h, best, (HeapRange){whole.offset, pad});
    h->live++;
    return true;
}

/* The first free range behind `offset`. */
static uint32_t after(const Heap *h, uint64_t offset)
{
    uint32_t low = 0, high = h->nfree;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->free[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void heap_give(Heap *h, uint64_t offset, uint64_t size)
{
    uint32_t i = after(h, offset);
    bool joins_next = i < h->nfree && h->free[i].offset == offset + size;
    bool joins_last = i > 0 && h->free[i - 1].offset + h->free[i - 1].size == offset;
    BUG_IF(h->live == 0, "memory is given back twice");
    h->live--;
    if (joins_last && joins_next) {
        h->free[i - 1].size += size + h->free[i].size;
        remove_at(h, i);
    } else if (joins_last) {
        h->free[i - 1].size += size;
    } else if (joins_next) {
        h->free[i] = (HeapRange){offset, size + h->free[i].size};
    } else {
        insert_at(h, i, (HeapRange){offset, size});
    }
}
