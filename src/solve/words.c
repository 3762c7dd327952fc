// SPDX-License-Identifier: Apache-2.0
/*
 * words.c - words and numbers of a text, with the line they are on.
 *
 * in     bytes
 * out    words, numbers; errors that name the line
 * not    formats
 */
#include "solve/file_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_LONGEST 100

bool words_fail(Words *s, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!s->failed)
        context_fail(s->ctx, WEFT_ERROR_FORMAT, "%s:%u: %s", s->name, s->line, text);
    s->failed = true;
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

Word words_next(Words *s, bool same_line)
{
    while (s->at < s->end && (is_space(*s->at) || (*s->at == '\n' && !same_line)))
        s->line += *s->at++ == '\n';
    Word w = {s->at, 0};
    while (s->at < s->end && !is_space(*s->at) && *s->at != '\n')
        s->at++;
    w.size = (size_t)(s->at - w.data);
    return w;
}

bool word_is(Word w, const char *text)
{
    return strlen(text) == w.size && memcmp(w.data, text, w.size) == 0;
}

void words_skip_line(Words *s)
{
    while (s->at < s->end && *s->at != '\n')
        s->at++;
}

bool words_line_ends(Words *s)
{
    while (s->at < s->end && is_space(*s->at))
        s->at++;
    return s->at == s->end || *s->at == '\n';
}

/* A word as a number of C: text that ends, within a limit. */
static bool number_text(Words *s, char *text, bool same_line, const char *what)
{
    Word w = words_next(s, same_line);
    if (w.size == 0)
        return words_fail(s, "the %s ends where %s is expected", s->at == s->end ? "file" : "line",
                         what);
    int shown = w.size < 40 ? (int)w.size : 40;
    if (w.size >= NUMBER_LONGEST)
        return words_fail(s, "expected %s, not '%.*s...'", what, shown, w.data);
    memcpy(text, w.data, w.size);
    text[w.size] = 0;
    return true;
}

bool words_real(Words *s, double *out, bool same_line, const char *what)
{
    char text[NUMBER_LONGEST], *end;
    if (!number_text(s, text, same_line, what))
        return false;
    *out = strtod(text, &end);
    for (const char *c = text; *c; c++)
        if (!isdigit((unsigned char)*c) && !strchr(".eE+-", *c))
            return words_fail(s, "expected %s, not '%.40s'", what, text);
    if (*end || end == text || !isfinite(*out))
        return words_fail(s, "expected %s, not '%.40s'", what, text);
    return true;
}

bool words_uint(Words *s, uint32_t *out, bool same_line, const char *what)
{
    char text[NUMBER_LONGEST];
    uint64_t value = 0;
    if (!number_text(s, text, same_line, what))
        return false;
    for (const char *c = text; *c; c++) {
        if (!isdigit((unsigned char)*c))
            return words_fail(s, "expected %s, not '%.40s'", what, text);
        if (value <= UINT32_MAX)
            value = value * 10 + (uint64_t)(*c - '0');
    }
    if (value > UINT32_MAX)
        return words_fail(s, "%s is too large: '%.40s'", what, text);
    *out = (uint32_t)value;
    return true;
}
