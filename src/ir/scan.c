// SPDX-License-Identifier: Apache-2.0
/*
 * scan.c - the words of an IR text.
 *
 * in     any bytes
 * out    one word after the other: a line break, one of { } :, a string in
 *        quotes, or what stands between blanks; numbers and names in them
 * not    what a kernel is (read.c)
 */
#include "ir/read_priv.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_alone(char c)
{
    return c == '\n' || c == '{' || c == '}' || c == ':';
}

/* Where the string that starts at `at` ends: after its quote, or where it breaks off. */
static uint32_t string_end(Str s, uint32_t at)
{
    for (at++; at < s.len && s.data[at] != '"' && s.data[at] != '\n'; at++)
        if (s.data[at] == '\\' && at + 1 < s.len)
            at++;
    return at < s.len && s.data[at] == '"' ? at + 1 : at;
}

static uint32_t word_end(Str s, uint32_t at)
{
    if (at == s.len)
        return at;
    if (is_alone(s.data[at]))
        return at + 1;
    if (s.data[at] == '"')
        return string_end(s, at);
    while (at < s.len && !is_blank(s.data[at]) && !is_alone(s.data[at]) && s.data[at] != '"')
        at++;
    return at;
}

static void find_word(Reader *r)
{
    while (r->at < r->text.len && is_blank(r->text.data[r->at]))
        r->at++;
    r->word = (Str){r->text.data + r->at, word_end(r->text, r->at) - r->at};
}

void scan_start(Reader *r)
{
    r->at = 0;
    find_word(r);
}

void scan_next(Reader *r)
{
    r->at += r->word.len;
    find_word(r);
}

Span scan_span(const Reader *r)
{
    return (Span){r->at, r->at + r->word.len};
}

/* ---- what is wrong ---- */

bool scan_fail(Reader *r, Span span, const char *fmt, ...)
{
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    diag_add(r->diag, DIAG_invalid_ir, span, "%s", text);
    return false;
}

bool scan_wrong(Reader *r, const char *what)
{
    if (r->word.len == 0)
        return scan_fail(r, scan_span(r), "the text ends where %s is needed", what);
    if (scan_is(r, "\n"))
        return scan_fail(r, scan_span(r), "the line ends where %s is needed", what);
    Str shown = {r->word.data, MIN_OF(r->word.len, 40u)};
    for (uint32_t i = 0, c; i < shown.len; i += utf8_decode(r->word, i, &c))
        if (utf8_decode(r->word, i, &c) == 0 || c < 0x20)
            return scan_fail(r, scan_span(r), "%s is needed here", what);
    return scan_fail(r, scan_span(r), "'%.*s' stands where %s is needed", STR_ARG(shown), what);
}

/* ---- single words ---- */

bool scan_is(const Reader *r, const char *word)
{
    return str_eq(r->word, str_of(word));
}

bool scan_accept(Reader *r, const char *word)
{
    if (!scan_is(r, word))
        return false;
    scan_next(r);
    return true;
}

bool scan_expect(Reader *r, const char *word)
{
    char what[32];
    if (scan_accept(r, word))
        return true;
    snprintf(what, sizeof what, "'%s'", word);
    return scan_wrong(r, what);
}

bool scan_line_end(Reader *r)
{
    return scan_accept(r, "\n") || scan_wrong(r, "the end of the line");
}

static uint32_t digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/* A whole text as a number, decimal or 0x.... */
static bool number_of(Str s, uint64_t most, uint64_t *out)
{
    uint32_t base = 10, i = 0;
    uint64_t n = 0;
    if (s.len > 2 && s.data[0] == '0' && s.data[1] == 'x') {
        base = 16;
        i = 2;
    }
    if (i == s.len)
        return false;
    for (; i < s.len; i++) {
        uint32_t digit = digit_of(s.data[i]);
        if (digit >= base || n > (most - MIN_OF(most, digit)) / base || digit > most)
            return false;
        n = n * base + digit;
    }
    *out = n;
    return true;
}

bool scan_number(Reader *r, uint64_t most, uint64_t *out)
{
    char what[64];
    if (number_of(r->word, most, out)) {
        scan_next(r);
        return true;
    }
    snprintf(what, sizeof what, "a number up to %llu", (unsigned long long)most);
    return scan_wrong(r, what);
}

bool scan_number32(Reader *r, uint32_t *out)
{
    uint64_t n = 0;
    bool ok = scan_number(r, UINT32_MAX, &n);
    *out = (uint32_t)n;
    return ok;
}

bool scan_starts(const Reader *r, char prefix)
{
    return r->word.len > 0 && r->word.data[0] == prefix;
}

bool scan_ref(Reader *r, char prefix, uint32_t most, const char *what, uint32_t *out)
{
    uint64_t n = 0;
    Str digits = {r->word.data + 1, r->word.len - 1};
    if (!scan_starts(r, prefix) || !number_of(digits, most, &n))
        return scan_wrong(r, what);
    *out = (uint32_t)n;
    scan_next(r);
    return true;
}

/* ---- strings ---- */

static void add_utf8(Text *out, uint32_t c)
{
    if (c < 0x80) {
        text_char(out, (char)c);
    } else if (c < 0x800) {
        text_char(out, (char)(0xc0 | c >> 6));
        text_char(out, (char)(0x80 | (c & 63)));
    } else {
        text_char(out, (char)(0xe0 | c >> 12));
        text_char(out, (char)(0x80 | (c >> 6 & 63)));
        text_char(out, (char)(0x80 | (c & 63)));
    }
}

/* The four digits of \uXXXX; false: not four, or half of a pair. */
static bool read_code(Str s, uint32_t at, uint32_t *c)
{
    *c = 0;
    if (s.len - at < 4)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        if (digit_of(s.data[at + i]) > 15)
            return false;
        *c = *c << 4 | digit_of(s.data[at + i]);
    }
    return *c < 0xd800 || *c > 0xdfff;
}

/* The character at `at`; how many bytes it takes, 0: it is wrong. */
static uint32_t read_char(Text *out, Str s, uint32_t at)
{
    uint32_t c;
    if (s.data[at] != '\\') {
        uint32_t n = utf8_decode(s, at, &c);
        text_add(out, (Str){s.data + at, n});
        return c < 0x20 ? 0 : n;
    }
    char escaped = at + 1 < s.len ? s.data[at + 1] : '\0';
    switch (escaped) {
    case '"': case '\\': text_char(out, escaped); return 2;
    case 'n': text_char(out, '\n'); return 2;
    case 'u':
        if (!read_code(s, at + 2, &c))
            return 0;
        add_utf8(out, c);
        return 6;
    default: return 0;
    }
}

bool scan_string(Reader *r, Str *out)
{
    Str s = r->word;
    Text text = {.arena = r->arena};
    if (s.len < 2 || s.data[0] != '"' || s.data[s.len - 1] != '"')
        return scan_wrong(r, "a string");
    s = (Str){s.data + 1, s.len - 2};
    for (uint32_t i = 0, n; i < s.len; i += n) {
        n = read_char(&text, s, i);
        if (n == 0)
            return scan_fail(r, scan_span(r), "this string is not one that is written so");
    }
    *out = (Str){text.data, (uint32_t)text.len};
    scan_next(r);
    return true;
}

/* ---- types of values ---- */

static bool type_of(Str s, IrType *out)
{
    static const struct { Str name; uint8_t kind; } kinds[] = {
        {STR("bool"), SCALAR_BOOL}, {STR("i32"), SCALAR_I32},
        {STR("f32"), SCALAR_F32}, {STR("f16"), SCALAR_F16},
        {STR("f64"), SCALAR_F64},
    };
    *out = (IrType){SCALAR_NONE, 1};
    if (s.len > 2 && s.data[s.len - 2] == 'x' && s.data[s.len - 1] >= '2' &&
        s.data[s.len - 1] <= '4') {
        out->width = (uint8_t)(s.data[s.len - 1] - '0');
        s.len -= 2;
    }
    for (size_t i = 0; i < COUNTOF(kinds); i++)
        if (str_eq(s, kinds[i].name))
            out->kind = kinds[i].kind;
    return out->kind != SCALAR_NONE;
}

bool scan_is_type(const Reader *r)
{
    IrType ignored;
    return type_of(r->word, &ignored);
}

bool scan_type(Reader *r, IrType *out)
{
    if (!type_of(r->word, out))
        return scan_wrong(r, "a type");
    scan_next(r);
    return true;
}
