// SPDX-License-Identifier: Apache-2.0
/*
 * arena.c - blocks from malloc, handed out from front to back.
 *
 * in     sizes
 * out    zeroed memory, or the way back to arena_try()
 * not    what is stored
 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT   16u
#ifdef WEFT_STRESS
#define FIRST_BLOCK 64u                 /* hostile mode: nearly every call a block */
#define MAX_BLOCK   256u
#else
#define FIRST_BLOCK 4096u
#define MAX_BLOCK   (1u << 20)
#endif

struct ArenaBlock {
    ArenaBlock *next;
    size_t      size;                   /* bytes after this head                   */
};

static const size_t head_size =
    (sizeof(ArenaBlock) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

/* One arena_try() on the stack. */
typedef struct Escape {
    jmp_buf back;
    void   *outer;
} Escape;

void arena_init(Arena *a, size_t limit)
{
    *a = (Arena){.limit = limit};
}

void arena_fini(Arena *a)
{
    while (a->blocks) {
        ArenaBlock *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
    *a = (Arena){0};
}

NORETURN void arena_give_up(Arena *a)
{
    BUG_IF(!a->escape, "out of memory outside arena_try()");
    longjmp(((Escape *)a->escape)->back, 1);
}

static size_t next_block_size(const Arena *a, size_t wanted)
{
    size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
    size = MIN_OF(size, MAX_BLOCK);
    return MAX_OF(size, wanted);
}

static void add_block(Arena *a, size_t wanted)
{
    size_t size = next_block_size(a, wanted);
    if (a->limit && (a->used > a->limit || size > a->limit - a->used))
        arena_give_up(a);
    ArenaBlock *block = calloc(1, head_size + size);
    if (!block)
        arena_give_up(a);
    *block = (ArenaBlock){.next = a->blocks, .size = size};
    a->blocks = block;
    a->at = (char *)block + head_size;
    a->end = a->at + size;
    a->used += size;
}

void *arena_alloc(Arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        arena_give_up(a);
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!a->blocks || (size_t)(a->end - a->at) < size)
        add_block(a, size);
    void *p = a->at;
    a->at += size;
    return p;
}

void *arena_alloc_array(Arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        arena_give_up(a);
    return arena_alloc(a, count * size);
}

void *arena_copy(Arena *a, const void *data, size_t size)
{
    void *p = arena_alloc(a, size);
    if (size)
        memcpy(p, data, size);
    return p;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    BUG_IF(len < 0, "bad format '%s'", fmt);
    char *text = arena_alloc(a, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

bool arena_try(Arena *a, void (*work)(void *), void *context)
{
    Escape escape;
    escape.outer = a->escape;
    if (setjmp(escape.back)) {
        a->escape = escape.outer;
        return false;
    }
    a->escape = &escape;
    work(context);
    a->escape = escape.outer;
    return true;
}

typedef struct Reserve {
    Arena *arena;
    size_t size;
} Reserve;

static void reserve(void *context)
{
    const Reserve *r = context;
    if ((size_t)(r->arena->end - r->arena->at) < r->size || !r->arena->blocks)
        add_block(r->arena, r->size);
}

bool arena_reserve(Arena *a, size_t size)
{
    Reserve r = {a, size};
    return arena_try(a, reserve, &r);
}

void *vec_grow(Arena *a, const void *data, uint32_t *cap, size_t item_size)
{
    if (*cap > UINT32_MAX / 2)
        arena_give_up(a);
#ifdef WEFT_STRESS
    uint32_t grown = *cap + 1;
#else
    uint32_t grown = MAX_OF(4u, *cap * 2);
#endif
    void *moved = arena_alloc_array(a, grown, item_size);
    if (*cap)
        memcpy(moved, data, *cap * item_size);
    *cap = grown;
    return moved;
}
