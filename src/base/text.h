// SPDX-License-Identifier: Apache-2.0
/*
 * text.h - a text that grows, in an arena. For dumps, JSON and long messages.
 */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

typedef struct Text {
    Arena *arena;
    char  *data;                    /* always NUL-terminated once written to */
    size_t len, cap;
} Text;

void text_printf(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_add(Text *t, Str s);
void text_char(Text *t, char c);

/* `s` as a JSON string, with its quotes; bytes that are not UTF-8 become U+FFFD. */
void text_json(Text *t, Str s);

#endif
