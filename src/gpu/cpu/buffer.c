// SPDX-License-Identifier: Apache-2.0
/*
 * buffer.c - memory of buffers: zeroed, aligned, reused.
 *
 * Small buffers come from free lists by size; large ones straight from the system,
 * which gives zeroed pages, huge ones where it can. Some are memory of the program.
 */
#define _DEFAULT_SOURCE
#include <sys/mman.h>

#include "gpu/cpu/cpu_priv.h"

#include <stdlib.h>
#include <string.h>

#define LARGE      (256u << 10)     /* bytes from which pages are asked for       */
#define HUGE       (2u << 20)
#define NCLASSES   13u              /* 64 bytes ... 256 KiB                       */
#define KEEP_BYTES (16u << 20)      /* in all free lists                          */

struct BufferPool {
    pthread_mutex_t lock;
    uint64_t   limit, taken;        /* bytes of live buffers                      */
    uint64_t   kept;                /* bytes in free lists                        */
    GpuBuffer *free[NCLASSES];
};

BufferPool *buffer_pool_new(uint64_t limit)
{
    BufferPool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->limit = limit;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void buffer_pool_free(BufferPool *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < NCLASSES; i++)
        while (p->free[i]) {
            GpuBuffer *b = p->free[i];
            p->free[i] = b->next;
            free(b->data);
            free(b);
        }
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* The class whose buffers have room for `size` bytes. */
static uint32_t class_of(uint64_t size)
{
    uint32_t c = 0;
    while ((64ull << c) < size)
        c++;
    return c;
}

static uint64_t room_for(uint64_t size)
{
    return size < LARGE ? 64ull << class_of(size) : (size + 4095) / 4096 * 4096;
}

static GpuBuffer *take(BufferPool *p, uint64_t room, bool *refused)
{
    GpuBuffer *b = NULL;
    pthread_mutex_lock(&p->lock);
    *refused = room > p->limit || p->taken > p->limit - room;
    if (!*refused) {
        p->taken += room;
        GpuBuffer **list = room <= LARGE ? &p->free[class_of(room)] : NULL;
        if (list && *list) {
            b = *list;
            *list = b->next;
            p->kept -= room;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return b;
}

static void *map_pages(uint64_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* A huge page begins at a multiple of its size: what is before and after is given back. */
static void *map_huge_pages(uint64_t size)
{
    char *pages = map_pages(size + HUGE);
    if (!pages)
        return NULL;
    uint64_t before = -(uintptr_t)pages % HUGE;
    if (before)
        munmap(pages, before);
    munmap(pages + before + size, HUGE - before);
    madvise(pages + before, size, MADV_HUGEPAGE);
    return pages + before;
}

static void *fresh_memory(uint64_t room)
{
    if (room <= LARGE)
        return aligned_alloc(KERNEL_ALIGN, room);
    return room < HUGE ? map_pages(room) : map_huge_pages(room);
}

static void give_up(BufferPool *p, uint64_t room)
{
    pthread_mutex_lock(&p->lock);
    p->taken -= room;
    pthread_mutex_unlock(&p->lock);
}

GpuBuffer *buffer_new(BufferPool *p, uint64_t size)
{
    bool refused = false;
    if (size > UINT64_MAX / 2)
        return NULL;
    uint64_t room = room_for(size ? size : 4);
    GpuBuffer *b = take(p, room, &refused);
    if (refused)
        return NULL;
    if (!b) {
        b = calloc(1, sizeof *b);
        void *data = b ? fresh_memory(room) : NULL;
        if (!data) {
            free(b);
            give_up(p, room);
            return NULL;
        }
        *b = (GpuBuffer){.data = data, .room = room};
    }
    b->size = size;
    if (room <= LARGE)
        memset(b->data, 0, room);
    return b;
}

GpuBuffer *buffer_wrap(void *data, uint64_t size)
{
    GpuBuffer *b = calloc(1, sizeof *b);
    if (b)
        *b = (GpuBuffer){.data = data, .size = size};
    return b;
}

void buffer_free(BufferPool *p, GpuBuffer *b)
{
    bool keep = false;
    if (!b || !b->room) {
        free(b);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->taken -= b->room;
    if (b->room <= LARGE && p->kept + b->room <= KEEP_BYTES) {
        GpuBuffer **list = &p->free[class_of(b->room)];
        b->next = *list;
        *list = b;
        p->kept += b->room;
        keep = true;
    }
    pthread_mutex_unlock(&p->lock);
    if (keep)
        return;
    if (b->room <= LARGE)
        free(b->data);
    else
        munmap(b->data, b->room);
    free(b);
}
