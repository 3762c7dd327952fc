// SPDX-License-Identifier: Apache-2.0
/*
 * schema_number.c - integers of a range, digit by digit.
 *
 * in     the least and the greatest integer, one of which may be missing
 * out    GBNF alternatives; without a bound, numbers have at most 16 digits
 * not    JSON, rules
 */
#include <stdio.h>

#include "model/schema_priv.h"

#define MAX_DIGITS 16

static void digit(Text *t, char from, char to)
{
    if (from == to)
        text_printf(t, "[%c]", from);
    else
        text_printf(t, "[%c-%c]", from, to);
}

static void digits(Text *t, int min, int max)
{
    text_add(t, STR("[0-9]"));
    if (min == 1 && max == 1)
        return;
    if (min == max)
        text_printf(t, "{%d}", min);
    else
        text_printf(t, "{%d,%d}", min, max);
}

static bool all(const char *text, char c)
{
    for (; *text; text++)
        if (*text != c)
            return false;
    return true;
}

static void fill(char *out, char c, size_t len)
{
    memset(out, c, len);
    out[len] = '\0';
}

static void same_length(Text *t, const char *from, const char *to);

/* Numbers that start with digits from `from[0]` to `to[0]`, which differ. */
static void split_first(Text *t, const char *from, const char *to)
{
    size_t rest = strlen(from) - 1;
    char   nines[24], zeros[24];
    bool   reached = false;
    fill(nines, '9', rest);
    fill(zeros, '0', rest);

    text_char(t, '(');
    if (all(from + 1, '0')) {
        digit(t, from[0], (char)(to[0] - 1));
        text_char(t, ' ');
        digits(t, (int)rest, (int)rest);
    } else {
        text_printf(t, "[%c] (", from[0]);
        same_length(t, from + 1, nines);
        text_char(t, ')');
        if (from[0] < to[0] - 1) {
            reached = all(to + 1, '9');
            text_add(t, STR(" | "));
            digit(t, (char)(from[0] + 1), (char)(to[0] - !reached));
            text_char(t, ' ');
            digits(t, (int)rest, (int)rest);
        }
    }
    if (!reached) {
        text_printf(t, " | [%c] ", to[0]);
        same_length(t, zeros, to + 1);
    }
    text_char(t, ')');
}

/* Numbers of the same count of digits, leading zeros included. */
static void same_length(Text *t, const char *from, const char *to)
{
    size_t same = 0;
    while (from[same] && from[same] == to[same])
        same++;
    if (same > 0)
        text_printf(t, "\"%.*s\"", (int)same, from);
    if (!from[same])
        return;
    if (same > 0)
        text_char(t, ' ');
    if (from[same + 1])
        split_first(t, from + same, to + same);
    else
        text_printf(t, "[%c-%c]", from[same], to[same]);
}

/* From `min` to `max`, both at least 0: one alternative for each count of digits. */
static void both(Text *t, int64_t min, int64_t max)
{
    char   from[24], to[24], nines[24];
    size_t last = (size_t)snprintf(to, sizeof to, "%lld", (long long)max);
    for (size_t n = (size_t)snprintf(from, sizeof from, "%lld", (long long)min); n < last; n++) {
        fill(nines, '9', n);
        same_length(t, from, nines);
        text_add(t, STR(" | "));
        from[0] = '1';
        fill(from + 1, '0', n);
    }
    same_length(t, from, to);
}

static int fewer(int left)
{
    return MAX_OF(left - 1, 1);
}

static void from_min(Text *t, int64_t min, int left, bool top);

/* At least `min`, which has several digits: `top` if no digit precedes it. */
static void from_long_min(Text *t, int64_t min, int left, bool top)
{
    char text[24];
    int  len = snprintf(text, sizeof text, "%lld", (long long)min);
    if (text[0] > '1') {
        digit(t, top ? '1' : '0', (char)(text[0] - 1));
        text_char(t, ' ');
        digits(t, len, fewer(left));
        text_add(t, STR(" | "));
    }
    long long rest = 0;
    sscanf(text + 1, "%lld", &rest);
    digit(t, text[0], text[0]);
    text_add(t, STR(" ("));
    from_min(t, rest, fewer(left), false);
    text_char(t, ')');
    if (text[0] < '9') {
        text_add(t, STR(" | "));
        digit(t, (char)(text[0] + 1), '9');
        text_char(t, ' ');
        digits(t, len - 1, fewer(left));
    }
}

static void from_min(Text *t, int64_t min, int left, bool top)
{
    if (min > 9) {
        from_long_min(t, min, left, top);
    } else if (min == 0) {
        if (top)
            text_add(t, STR("[0] | [1-9] "));
        digits(t, top ? 0 : 1, top ? fewer(left) : left);
    } else {
        char first = (char)('0' + min), start = top ? '1' : '0';
        if (first > start) {
            digit(t, start, (char)(first - 1));
            text_char(t, ' ');
            digits(t, 1, fewer(left));
            text_add(t, STR(" | "));
        }
        digit(t, first, '9');
        text_char(t, ' ');
        digits(t, 0, fewer(left));
    }
}

/* Without a least one: negative numbers first. */
static void up_to(Text *t, int64_t max)
{
    if (max >= 0) {
        text_add(t, STR("\"-\" [1-9] "));
        digits(t, 0, fewer(MAX_DIGITS));
        text_add(t, STR(" | "));
        both(t, 0, max);
    } else {
        text_add(t, STR("\"-\" ("));
        from_min(t, -max, MAX_DIGITS, false);
        text_char(t, ')');
    }
}

void schema_integer_range(Text *t, int64_t min, int64_t max)
{
    if (min == INT64_MIN) {
        up_to(t, max);
    } else if (max == INT64_MAX && min >= 0) {
        from_min(t, min, MAX_DIGITS, true);
    } else if (max == INT64_MAX) {
        text_add(t, STR("\"-\" ("));
        both(t, 0, -min);
        text_add(t, STR(") | [0] | [1-9] "));
        digits(t, 0, MAX_DIGITS - 1);
    } else if (max < 0) {
        text_add(t, STR("\"-\" ("));
        both(t, -max, -min);
        text_char(t, ')');
    } else {
        if (min < 0) {
            text_add(t, STR("\"-\" ("));
            both(t, 0, -min);
            text_add(t, STR(") | "));
        }
        both(t, MAX_OF(min, 0), max);
    }
}
