// SPDX-License-Identifier: Apache-2.0
/*
 * guard.h - memory with nothing readable before and after it.
 */
#ifndef WEFT_FUZZ_DIFFER_GUARD_H
#define WEFT_FUZZ_DIFFER_GUARD_H

#include <stddef.h>
#include <stdint.h>

typedef struct Guarded {
    uint8_t *data;                  /* its end is the end of a page                */
    size_t   size;
    void    *pages;
    size_t   all;
} Guarded;

Guarded guarded_new(size_t size);
/* What was written between the first page and the data? 0: nothing. */
size_t  guarded_damage(const Guarded *g);
void    guarded_free(Guarded *g);

#endif
