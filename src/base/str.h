// SPDX-License-Identifier: Apache-2.0
/*
 * str.h - text with a length, not owned.
 */
#ifndef WEFT_BASE_STR_H
#define WEFT_BASE_STR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct Str {
    const char *data;
    uint32_t    len;
} Str;

#define STR(literal) ((Str){(literal), (uint32_t)(sizeof(literal) - 1)})

/* For "%.*s": printf("%.*s", STR_ARG(s)). */
#define STR_ARG(s) (int)(s).len, (s).data

static inline Str str_of(const char *text)
{
    return (Str){text, (uint32_t)strlen(text)};
}

static inline bool str_eq(Str a, Str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

#endif
