// SPDX-License-Identifier: Apache-2.0
/*
 * value_list.c - numbers as text: on the command line, in a file.
 *
 * in     "1, 2.5 0..7 0*64": items with commas or blanks between them; brackets
 *        are blanks, and in files so is what follows a #
 * out    the numbers, one after another
 * not    how many are needed
 */
#include "cli/value_priv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COUNT ((uint64_t)1 << 40)   /* numbers; no buffer holds as many          */

bool value_fail(Value *v, const char *fmt, ...)
{
    char    text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    v->why = arena_printf(v->arena, "%s", text);
    return false;
}

bool double_parse(Str text, double *out)
{
    char  copy[64], *end;
    if (text.len == 0 || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (strlen(copy) != text.len || strchr(" \t\n\v\f\r", copy[0]))
        return false;
    *out = strtod(copy, &end);
    return end != copy && !*end;
}

/* ---- items ---- */

static bool is_blank(char c)
{
    return c != '\0' && strchr(" \t\r\n[]()", c);
}

/* " in line 3" for what is wrong at this place of a file; "" elsewhere. */
static const char *where(const Value *v, const char *at)
{
    uint32_t line = 1;
    if (v->kind != VALUE_TEXT)
        return "";
    for (const char *c = v->list.data; c < at; c++)
        line += *c == '\n';
    return arena_printf(v->arena, " (line %u of %s)", line, v->file.name);
}

/* Skips what is between items; false after two commas. */
static bool skip_between(Value *v)
{
    uint32_t commas = 0;
    for (; v->at < v->list.len; v->at++) {
        char c = v->list.data[v->at];
        if (c == '#' && v->kind == VALUE_TEXT) {
            while (v->at + 1 < v->list.len && v->list.data[v->at + 1] != '\n')
                v->at++;
        } else if (c == ',') {
            if (++commas > 1)
                return value_fail(v, "there is no number between two commas%s",
                                  where(v, v->list.data + v->at));
        } else if (!is_blank(c))
            break;
    }
    return true;
}

static Str next_word(Value *v)
{
    uint32_t start = v->at;
    while (v->at < v->list.len) {
        char c = v->list.data[v->at];
        if (c == ',' || is_blank(c) || (c == '#' && v->kind == VALUE_TEXT))
            break;
        v->at++;
    }
    return (Str){v->list.data + start, v->at - start};
}

/* "A..B": from A in steps of one to B, which may be below it. */
static bool read_range(Value *v, Str word, uint32_t dots)
{
    double last;
    Str    left = {word.data, dots}, right = {word.data + dots + 2, word.len - dots - 2};
    if (!double_parse(left, &v->item.first) || !double_parse(right, &last)
        || !isfinite(v->item.first) || !isfinite(last))
        return value_fail(v, "'%.*s' is not a range: both ends must be numbers%s",
                          (int)MIN_OF(word.len, 60), word.data, where(v, word.data));
    double length = floor(fabs(last - v->item.first));
    if (length >= (double)MAX_COUNT)
        return value_fail(v, "the range '%.*s' is too long", STR_ARG(word));
    v->item.word = word;
    v->item.is_range = true;
    v->item.step = last < v->item.first ? -1 : 1;
    v->item.count = (uint64_t)length + 1;
    return true;
}

/* "A*N": A, N times. */
static bool read_repeat(Value *v, Str word, uint32_t star)
{
    Str times = {word.data + star + 1, word.len - star - 1};
    v->item.word = (Str){word.data, star};
    if (!count_parse(times, &v->item.count) || v->item.count > MAX_COUNT)
        return value_fail(v, "'%.*s': what follows the * is not a number of times%s",
                          (int)MIN_OF(word.len, 60), word.data, where(v, word.data));
    return true;
}

/* The item after this one. False at the end, without v->why, and after a fault. */
static bool next_item(Value *v)
{
    v->item = (ValueItem){0};
    if (!skip_between(v))
        return false;
    Str word = next_word(v);
    if (word.len == 0)
        return false;
    for (uint32_t i = 0; i < word.len; i++) {
        if (word.data[i] == '*')
            return read_repeat(v, word, i);
        if (word.data[i] == '.' && i + 1 < word.len && word.data[i + 1] == '.')
            return read_range(v, word, i);
    }
    v->item.word = word;
    v->item.count = 1;
    return true;
}

/* ---- numbers ---- */

bool list_count(Value *v, uint64_t *count)
{
    *count = 0;
    v->at = 0;
    while (next_item(v)) {
        *count += v->item.count;
        if (*count > MAX_COUNT)
            return value_fail(v, "these are too many numbers");
    }
    v->at = 0;
    v->item = (ValueItem){0};
    return !v->why;
}

bool list_next(Value *v, weft_scalar scalar, double *out)
{
    while (v->item.taken == v->item.count)
        if (!next_item(v))
            return false;
    ValueItem  *item = &v->item;
    NumberFault fault;
    if (item->is_range) {
        *out = item->first + item->step * (double)item->taken;
        fault = scalar_fit(scalar, out);
    } else
        fault = number_parse(item->word, scalar, out);
    item->taken++;
    return fault == NUMBER_OK
        || value_fail(v, "%s%s", number_fault_text(v->arena, fault, item->word, scalar),
                      where(v, item->word.data));
}
