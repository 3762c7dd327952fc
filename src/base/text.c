// SPDX-License-Identifier: Apache-2.0
/*
 * text.c - a text that grows, in an arena.
 */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

static void reserve(Text *t, size_t more)
{
    size_t wanted = t->len + more + 1;
    if (wanted <= t->cap)
        return;
    size_t cap = MAX_OF(t->cap * 2, MAX_OF(wanted, (size_t)64));
    char *moved = arena_alloc(t->arena, cap);
    if (t->len)
        memcpy(moved, t->data, t->len);
    t->data = moved;
    t->cap = cap;
}

void text_add(Text *t, Str s)
{
    reserve(t, s.len);
    if (s.len)
        memcpy(t->data + t->len, s.data, s.len);
    t->len += s.len;
    t->data[t->len] = '\0';
}

void text_char(Text *t, char c)
{
    text_add(t, (Str){&c, 1});
}

void text_printf(Text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    BUG_IF(len < 0, "bad format '%s'", fmt);
    reserve(t, (size_t)len);
    vsnprintf(t->data + t->len, (size_t)len + 1, fmt, again);
    t->len += (size_t)len;
    va_end(again);
    va_end(args);
}

static void json_char(Text *t, uint32_t c, Str bytes)
{
    if (c == '"' || c == '\\')
        text_printf(t, "\\%c", (char)c);
    else if (c == '\n')
        text_add(t, STR("\\n"));
    else if (c < 0x20 || c == 0x7f)
        text_printf(t, "\\u%04x", c);
    else
        text_add(t, bytes);
}

void text_json(Text *t, Str s)
{
    text_char(t, '"');
    for (uint32_t i = 0; i < s.len;) {
        uint32_t c;
        uint32_t n = utf8_decode(s, i, &c);
        if (n == 0) {
            text_add(t, STR("\\ufffd"));
            i++;
            continue;
        }
        json_char(t, c, (Str){s.data + i, n});
        i += n;
    }
    text_char(t, '"');
}
