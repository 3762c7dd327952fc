// SPDX-License-Identifier: Apache-2.0
/*
 * arena.h - memory that is given back all at once.
 *
 * An arena never returns NULL. When memory runs out, or the arena's limit is
 * reached, it leaves through arena_try(): so everything that lives while code
 * runs under arena_try() must itself be in an arena (files, locks and malloc'ed
 * blocks would be lost). Outside arena_try() running out is a BUG.
 *
 * Ownership  arena_init / arena_fini, by the owner of the struct.
 * Threads    an arena belongs to one thread at a time.
 */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *blocks;             /* newest first                              */
    char       *at, *end;           /* free part of the newest block             */
    size_t      used;               /* bytes in all blocks                       */
    size_t      limit;              /* most bytes in all blocks      0: no limit */
    void       *escape;             /* innermost arena_try(), or NULL            */
} Arena;

void arena_init(Arena *a, size_t limit);
void arena_fini(Arena *a);

/* Zeroed memory, aligned for any type. */
void *arena_alloc(Arena *a, size_t size);

/* Zeroed memory for count items; a product that overflows counts as running
 * out of memory. */
void *arena_alloc_array(Arena *a, size_t count, size_t size);

/* A copy of `size` bytes. */
void *arena_copy(Arena *a, const void *data, size_t size);

/* A formatted, NUL-terminated string. */
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Runs work(context). False if the arena ran out of memory on the way; what
 * was allocated stays until arena_fini(). Calls nest.
 */
bool arena_try(Arena *a, void (*work)(void *context), void *context) MUST_CHECK;

/* Whether the next allocations of `size` bytes together cannot run out of memory, for instance
 * what is to say that something else did. */
bool arena_reserve(Arena *a, size_t size) MUST_CHECK;

/* Leaves the innermost arena_try(), as if there were no more memory. */
NORETURN void arena_give_up(Arena *a);

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) \
    ((type *)arena_alloc_array((a), (count), sizeof(type)))

/*
 * Growable arrays in an arena:  VEC(Expr *) args = {0};  VEC_PUSH(a, &args, e);
 * then args.data[0 .. args.len). Old storage is left to the arena.
 */
#define VEC(type)            \
    struct {                 \
        type    *data;       \
        uint32_t len, cap;   \
    }

#define VEC_PUSH(a, v, item)                                                     \
    do {                                                                         \
        if ((v)->len == (v)->cap)                                                \
            (v)->data = vec_grow((a), (v)->data, &(v)->cap, sizeof *(v)->data);  \
        (v)->data[(v)->len++] = (item);                                          \
    } while (0)

/* Doubles *cap (at least 4; in hostile builds it grows by one, so that the
 * array moves at every push) and returns the moved array. */
void *vec_grow(Arena *a, const void *data, uint32_t *cap, size_t item_size);

#endif
