// SPDX-License-Identifier: Apache-2.0
/*
 * heap.h - which ranges of a block of memory are free.
 *
 * in     sizes and alignments
 * out    offsets
 * knows  numbers alone
 * not    what the block is, locks
 */
#ifndef WEFT_GPU_VULKAN_HEAP_H
#define WEFT_GPU_VULKAN_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct HeapRange {
    uint64_t offset, size;
} HeapRange;

typedef struct Heap {
    HeapRange *free;                /* [nfree] by offset; no two touch            */
    uint32_t   nfree, room;
    uint32_t   live;                /* ranges that are taken                      */
    uint64_t   size;
} Heap;

bool heap_init(Heap *h, uint64_t size);             /* false: no memory           */
void heap_fini(Heap *h);
/* The tightest place there is; `align` is a power of two. False: there is none. */
bool heap_take(Heap *h, uint64_t size, uint64_t align, uint64_t *offset);
/* Exactly what was taken. */
void heap_give(Heap *h, uint64_t offset, uint64_t size);

#endif
