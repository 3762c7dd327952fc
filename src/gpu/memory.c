// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - lists of commands with all they point to and all they use.
 *
 * in     what encoders and the queue record
 * out    batches for a backend; when they are done, everything is given back
 * not    what the commands mean
 *
 * A batch has an array of commands, blocks of memory for what they point to, and
 * the objects they use, each once (`index` is a hash table into `refs`). A device
 * keeps a few batches that are done, with their first block, for later ones.
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#ifdef WEFT_STRESS
#define BLOCK_SIZE    256u              /* hostile mode: blocks and arrays grow often */
#define FIRST_CAP     2u
#define MAX_SPARE     1u
#else
#define BLOCK_SIZE    32768u
#define FIRST_CAP     64u
#define MAX_SPARE     16u
#endif
#define KEEP_COMMANDS 4096u             /* capacity that a spare batch may hold on to */
#define ALIGNMENT     16u
#define MAX_STAGING   (SIZE_MAX >> 25)  /* half a TiB, which no host has to spare */

struct MemoryBlock {
    MemoryBlock *next;
    size_t size;                        /* bytes after this head */
};

#define HEAD_SIZE ((sizeof(MemoryBlock) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1))

/* ---- blocks ---- */

static bool add_block(Batch *b, size_t least)
{
    size_t size = MAX_OF(least, BLOCK_SIZE);
    if (size > SIZE_MAX - HEAD_SIZE)
        return false;
    MemoryBlock *block = malloc(HEAD_SIZE + size);
    if (!block)
        return false;
    block->size = size;
    block->next = b->blocks;
    b->blocks = block;
    b->at = (char *)block + HEAD_SIZE;
    b->end = b->at + size;
    return true;
}

void *batch_alloc(Batch *b, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size = (MAX_OF(size, 1) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > (size_t)(b->end - b->at) && !add_block(b, size))
        return NULL;
    void *p = b->at;
    b->at += size;
    return p;
}

/* Staging memory: the link comes before what the caller sees. */
void *staging_new(size_t size)
{
    if (size > MAX_STAGING)
        return NULL;
    char *p = calloc(1, ALIGNMENT + size);
    return p ? p + ALIGNMENT : NULL;
}

void staging_free(void *staging)
{
    if (staging)
        free((char *)staging - ALIGNMENT);
}

void batch_own(Batch *b, void *staging)
{
    void **link = (void **)(void *)((char *)staging - ALIGNMENT);
    *link = b->owned;
    b->owned = staging;
}

static void free_owned(Batch *b)
{
    while (b->owned) {
        void *staging = b->owned;
        b->owned = *(void **)(void *)((char *)staging - ALIGNMENT);
        staging_free(staging);
    }
}

/* ---- making and ending ---- */

static Batch *take_spare(WGPUDevice device)
{
    pthread_mutex_lock(&device->memory_lock);
    Batch *b = device->spare;
    if (b) {
        device->spare = b->next;
        device->nspare--;
    }
    pthread_mutex_unlock(&device->memory_lock);
    return b;
}

/* Who submits one batch after the other gets the same each time, without a lock. */
Batch *batch_new(WGPUDevice device)
{
    Batch *b = atomic_exchange_explicit(&device->handy, NULL, memory_order_acquire);
    if (!b)
        b = take_spare(device);
    if (!b)
        b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->next = NULL;
    b->device = device;
    device_ref(device);
    return b;
}

void batch_destroy(Batch *b)
{
    while (b->blocks) {
        MemoryBlock *next = b->blocks->next;
        free(b->blocks);
        b->blocks = next;
    }
    free(b->commands);
    free(b->refs);
    free(b->index);
    free(b);
}

/* Keeps the oldest block, which is of the usual size. */
static void reset_blocks(Batch *b)
{
    while (b->blocks && b->blocks->next) {
        MemoryBlock *next = b->blocks->next;
        free(b->blocks);
        b->blocks = next;
    }
    if (b->blocks && b->blocks->size > BLOCK_SIZE) {
        free(b->blocks);
        b->blocks = NULL;
    }
    b->at = b->blocks ? (char *)b->blocks + HEAD_SIZE : NULL;
    b->end = b->blocks ? b->at + b->blocks->size : NULL;
}

static void reset(Batch *b)
{
    reset_blocks(b);
    free_owned(b);
    if (b->command_cap > KEEP_COMMANDS) {
        free(b->commands);
        b->commands = NULL;
        b->command_cap = 0;
    }
    if (b->index_cap > KEEP_COMMANDS) {
        free(b->index);
        b->index = NULL;
        b->index_cap = 0;
    }
    if (b->ref_cap > KEEP_COMMANDS) {
        free(b->refs);
        b->refs = NULL;
        b->ref_cap = 0;
    }
    b->ncommands = 0;
    b->unready = 0;
    b->bytes = 0;
    b->serial = 0;
    b->device = NULL;
}

void batch_drop_refs(Batch *b)
{
    for (uint32_t i = 0; i < b->nrefs; i++)
        object_unref(b->refs[i]);
    if (b->nrefs)
        memset(b->index, 0, b->index_cap * sizeof *b->index);
    b->nrefs = 0;
}

void batch_recycle(Batch *b, WGPUDevice device)
{
    reset(b);
    b = atomic_exchange_explicit(&device->handy, b, memory_order_acq_rel);
    if (!b)
        return;
    pthread_mutex_lock(&device->memory_lock);
    bool keep = device->nspare < MAX_SPARE;
    if (keep) {
        b->next = device->spare;
        device->spare = b;
        device->nspare++;
    }
    pthread_mutex_unlock(&device->memory_lock);
    if (!keep)
        batch_destroy(b);
}

void batch_free(Batch *b)
{
    if (!b)
        return;
    WGPUDevice device = b->device;
    batch_drop_refs(b);
    batch_recycle(b, device);
    device_unref(device);
}

/* ---- recording ---- */

/* A larger array; false: no memory. */
static bool grow(void **data, uint32_t *cap, size_t item)
{
    if (*cap > UINT32_MAX / 2)
        return false;
    uint32_t more = *cap ? *cap * 2 : FIRST_CAP;
    void    *moved = realloc(*data, more * item);
    if (!moved)
        return false;
    *data = moved;
    *cap = more;
    return true;
}

GpuCommand *batch_command(Batch *b, GpuCommandKind kind)
{
    if (b->ncommands == b->command_cap) {
        void *data = b->commands;
        if (!grow(&data, &b->command_cap, sizeof *b->commands))
            return NULL;
        b->commands = data;
    }
    GpuCommand *c = &b->commands[b->ncommands++];
    memset(c, 0, sizeof *c);
    c->kind = kind;
    return c;
}

static uint32_t hash_of(const Object *o)
{
    uint64_t h = (uint64_t)(uintptr_t)o * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(h >> 32);
}

/* Where `o` is, or where it would be. The table is never full. */
static uint32_t *index_slot(Batch *b, const Object *o)
{
    uint32_t mask = b->index_cap - 1, at = hash_of(o) & mask;
    while (b->index[at] && b->refs[b->index[at] - 1] != o)
        at = (at + 1) & mask;
    return &b->index[at];
}

static bool index_grow(Batch *b)
{
    if (b->index_cap > UINT32_MAX / 2)
        return false;
    uint32_t  cap = b->index_cap ? b->index_cap * 2 : FIRST_CAP;
    uint32_t *index = calloc(cap, sizeof *index);
    if (!index)
        return false;
    free(b->index);
    b->index = index;
    b->index_cap = cap;
    for (uint32_t i = 0; i < b->nrefs; i++)
        *index_slot(b, b->refs[i]) = i + 1;
    return true;
}

bool batch_use(Batch *b, Object *o)
{
    if ((b->nrefs + 1) * 2 > b->index_cap && !index_grow(b))
        return false;
    uint32_t *slot = index_slot(b, o);
    if (*slot)
        return true;
    if (b->nrefs == b->ref_cap) {
        void *data = b->refs;
        if (!grow(&data, &b->ref_cap, sizeof *b->refs))
            return false;
        b->refs = data;
    }
    object_ref(o);
    b->refs[b->nrefs++] = o;
    *slot = b->nrefs;
    return true;
}
