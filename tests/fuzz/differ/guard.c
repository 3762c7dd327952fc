// SPDX-License-Identifier: Apache-2.0
/*
 * guard.c - memory with nothing readable before and after it.
 */
#define _DEFAULT_SOURCE

#include "guard.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"

#define MARK 0xa5

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

Guarded guarded_new(size_t size)
{
    size_t page = page_size(), inner = (size + page - 1) / page * page;
    Guarded g = {.size = size, .all = inner + 2 * page};
    g.pages = mmap(NULL, g.all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    BUG_IF(g.pages == MAP_FAILED, "no memory");
    char *first = g.pages;
    BUG_IF(mprotect(first, page, PROT_NONE) || mprotect(first + page + inner, page, PROT_NONE),
           "no guards");
    g.data = (uint8_t *)first + page + inner - size;
    memset(first + page, MARK, inner - size);
    return g;
}

size_t guarded_damage(const Guarded *g)
{
    size_t n = 0;
    for (const uint8_t *at = (const uint8_t *)g->pages + page_size(); at < g->data; at++)
        n += *at != MARK;
    return n;
}

void guarded_free(Guarded *g)
{
    if (g->pages)
        munmap(g->pages, g->all);
    *g = (Guarded){0};
}
