// SPDX-License-Identifier: Apache-2.0
/*
 * gen_choice.c - choices, names and lines of text.
 */
#include "gen_priv.h"

#include <stdarg.h>
#include <stdio.h>

/* Random, or the fuzzer's next byte. */
static uint32_t next_choice(Gen *g)
{
    if (g->bytes)
        return g->at < g->nbytes ? g->bytes[g->at++] : 0;
    g->state += 0x9e3779b97f4a7c15u;            /* splitmix64 */
    uint64_t z = g->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(z ^ z >> 31);
}

uint32_t pick(Gen *g, uint32_t n)
{
    return n > 1 ? next_choice(g) % n : 0;
}

bool chance(Gen *g, uint32_t percent)
{
    return pick(g, 100) >= 100 - percent;       /* the first choice: no */
}

uint32_t number(Gen *g)
{
    static const uint32_t odd[] = {
        0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 65535, 65536,
        0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555, 0xff00ff00,
    };
    uint32_t any = 0;
    if (chance(g, 70))
        return odd[pick(g, COUNTOF(odd))];
    for (int i = 0; i < 4; i++)
        any = any << 8 | pick(g, 256);
    return any >> pick(g, 31);
}

char *put(Gen *g, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *text = arena_alloc(g->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

const char *name_new(Gen *g, const char *prefix)
{
    return put(g, "%s_%u", prefix, g->names++);   /* f16 is a type */
}

static void start_line(Gen *g)
{
    for (uint32_t i = 0; i < g->indent; i++)
        text_add(&g->text, STR("  "));
}

static PRINTF_LIKE(2, 0) void add_line(Gen *g, const char *fmt, va_list args)
{
    char few[512];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(few, sizeof few, fmt, args);
    start_line(g);
    if (n >= (int)sizeof few) {
        char *many = arena_alloc(g->arena, (size_t)n + 1);
        vsnprintf(many, (size_t)n + 1, fmt, again);
        text_add(&g->text, str_of(many));
    } else {
        text_add(&g->text, str_of(few));
    }
    va_end(again);
    text_char(&g->text, '\n');
}

void line(Gen *g, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_line(g, fmt, args);
    va_end(args);
}

void open_block(Gen *g, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_line(g, fmt, args);
    va_end(args);
    g->indent++;
}

void close_block(Gen *g)
{
    g->indent--;
    line(g, "}");
}
