// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_lex.c - the text of a template becomes tokens.
 *
 * in     a template, line ends as \n
 * out    texts between tags, trimmed, and the tokens inside tags
 * knows  Jinja's whitespace control with trim_blocks and lstrip_blocks; comments, raw
 * not    grammar (jinja_parse.c)
 */
#include <stdio.h>

#include "base/utf8.h"
#include "model/jinja_priv.h"

typedef struct Lexer {
    JinjaTokens *out;
    Arena       *arena;
    Str          source;
    uint32_t     at;
    bool         line_start;        /* the text starts a line                              */
    Fault       *fault;
} Lexer;

bool jinja_fail_at(Fault *fault, FaultKind kind, Str source, uint32_t at, const char *fmt, ...)
{
    uint32_t line = 1, column = 1;
    for (uint32_t i = 0; i < at && i < source.len; i++) {
        column = source.data[i] == '\n' ? 1 : column + 1;
        line += source.data[i] == '\n';
    }
    char    what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fault_set(fault, kind, "template, line %u, column %u: %s", line, column, what);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static char peek(const Lexer *x, uint32_t ahead)
{
    return x->source.len - x->at > ahead ? x->source.data[x->at + ahead] : '\0';
}

static void push(Lexer *x, TokenKind kind, uint32_t at, Str text)
{
    VEC_PUSH(x->arena, x->out, ((JinjaToken){kind, at, text}));
}

/* ---- text between tags ---- */

/* Blanks before a block that starts its line go, if nothing else is on the line. */
static uint32_t strip_line(const Lexer *x, uint32_t start, uint32_t end)
{
    uint32_t at = end;
    while (at > start && is_space(x->source.data[at - 1]) && x->source.data[at - 1] != '\n')
        at--;
    if (at > start ? x->source.data[at - 1] == '\n' : x->line_start)
        return at;
    return end;
}

/* The text from `start` up to the tag at x->at, trimmed as the tag asks for. */
static void push_text(Lexer *x, uint32_t start)
{
    uint32_t end = x->at;
    char     kind = peek(x, 1), sign = peek(x, 2);
    if (end < x->source.len && sign == '-') {
        while (end > start && is_space(x->source.data[end - 1]))
            end--;
    } else if (end < x->source.len && kind != '{' && sign != '+') {
        end = strip_line(x, start, end);
    }
    if (end > start)
        push(x, TOKEN_TEXT, start, (Str){x->source.data + start, end - start});
}

/* After a tag: the sign before its end decides what of the following text goes. */
static void after_tag(Lexer *x, char sign, bool block)
{
    x->line_start = false;
    if (sign == '-') {
        while (x->at < x->source.len && is_space(peek(x, 0)))
            x->at++;
    } else if (block && sign != '+' && peek(x, 0) == '\n') {
        x->at++;
        x->line_start = true;
    }
}

static bool find_end(Lexer *x, const char *end, uint32_t *at)
{
    for (uint32_t i = x->at; i + 1 < x->source.len; i++) {
        if (x->source.data[i] == end[0] && x->source.data[i + 1] == end[1]) {
            *at = i;
            return true;
        }
    }
    return false;
}

static bool skip_comment(Lexer *x)
{
    uint32_t end;
    x->at += 2;
    if (!find_end(x, "#}", &end))
        return jinja_fail_at(x->fault, FAULT_FORMAT, x->source, x->at - 2,
                             "the comment is not closed");
    char sign = end > x->at ? x->source.data[end - 1] : '\0';
    x->at = end + 2;
    after_tag(x, sign, true);
    return true;
}

/* ---- inside tags ---- */

static const char *const operators[] = {"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%",
                                        "~",  "<",  ">",  "=",  "(",  ")",  "[", "]", "{", "}", ",",
                                        ":",  ".",  "|"};

static void lex_number(Lexer *x)
{
    uint32_t  start = x->at;
    TokenKind kind = TOKEN_INT;
    while (peek(x, 0) >= '0' && peek(x, 0) <= '9')
        x->at++;
    if (peek(x, 0) == '.' && peek(x, 1) >= '0' && peek(x, 1) <= '9') {
        kind = TOKEN_FLOAT;
        for (x->at++; peek(x, 0) >= '0' && peek(x, 0) <= '9';)
            x->at++;
    }
    bool sign = peek(x, 1) == '-' || peek(x, 1) == '+';
    if ((peek(x, 0) | 0x20) == 'e' && peek(x, 1 + sign) >= '0' && peek(x, 1 + sign) <= '9') {
        kind = TOKEN_FLOAT;
        for (x->at += 1 + sign; peek(x, 0) >= '0' && peek(x, 0) <= '9';)
            x->at++;
    }
    push(x, kind, start, (Str){x->source.data + start, x->at - start});
}

static void put_utf8(Text *t, uint32_t c)
{
    if (c < 0x80) {
        text_char(t, (char)c);
    } else if (c < 0x800) {
        text_char(t, (char)(0xc0 | c >> 6));
        text_char(t, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        text_char(t, (char)(0xe0 | c >> 12));
        text_char(t, (char)(0x80 | (c >> 6 & 0x3f)));
        text_char(t, (char)(0x80 | (c & 0x3f)));
    } else {
        text_char(t, (char)(0xf0 | c >> 18));
        text_char(t, (char)(0x80 | (c >> 12 & 0x3f)));
        text_char(t, (char)(0x80 | (c >> 6 & 0x3f)));
        text_char(t, (char)(0x80 | (c & 0x3f)));
    }
}

/* \xHH, \uHHHH, \UHHHHHHHH; false if the digits are missing or no character. */
static bool lex_hex(Lexer *x, Text *t, uint32_t digits)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < digits; i++) {
        char c = peek(x, i);
        bool hex = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
        if (!hex)
            return false;
        value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return false;
    x->at += digits;
    put_utf8(t, value);
    return true;
}

static bool lex_escape(Lexer *x, Text *t)
{
    static const char from[] = "ntrbfv0a\\'\"\n", to[] = "\n\t\r\b\f\v\0\a\\'\"";
    char        c = peek(x, 1);
    const char *known = c ? strchr(from, c) : NULL;
    uint32_t    digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    x->at += 2;
    if (digits)
        return lex_hex(x, t, digits) ||
               jinja_fail_at(x->fault, FAULT_FORMAT, x->source, x->at - 2,
                             "\\%c needs %u hexadecimal digits of a character", c, digits);
    if (known && *known == '\n')
        return true;                /* a line that goes on                                 */
    if (!known)
        text_char(t, '\\');
    text_char(t, known ? to[known - from] : c);
    return true;
}

static bool lex_string(Lexer *x)
{
    uint32_t start = x->at;
    char     quote = peek(x, 0);
    Text     t = {.arena = x->arena};
    for (x->at++; peek(x, 0) != quote;) {
        if (x->at + 1 >= x->source.len)
            return jinja_fail_at(x->fault, FAULT_FORMAT, x->source, start,
                                 "the string is not closed");
        if (peek(x, 0) == '\\') {
            if (!lex_escape(x, &t))
                return false;
        } else {
            text_char(&t, peek(x, 0));
            x->at++;
        }
    }
    x->at++;
    push(x, TOKEN_STRING, start, (Str){t.data ? t.data : "", (uint32_t)t.len});
    return true;
}

static bool lex_operator(Lexer *x)
{
    for (size_t i = 0; i < COUNTOF(operators); i++) {
        uint32_t len = (uint32_t)strlen(operators[i]);
        if (x->source.len - x->at >= len
            && memcmp(x->source.data + x->at, operators[i], len) == 0) {
            push(x, TOKEN_OPERATOR, x->at, (Str){x->source.data + x->at, len});
            x->at += len;
            return true;
        }
    }
    return jinja_fail_at(x->fault, FAULT_FORMAT, x->source, x->at, "unexpected character '%c'",
                         peek(x, 0));
}

/* One token inside a tag. Braces that are open belong to the expression: *braces counts. */
static bool lex_inside(Lexer *x, uint32_t *braces)
{
    char     c = peek(x, 0);
    uint32_t start = x->at;
    if (is_space(c)) {
        x->at++;
    } else if (c >= '0' && c <= '9') {
        lex_number(x);
    } else if (is_name(c)) {
        while (is_name(peek(x, 0)))
            x->at++;
        push(x, TOKEN_NAME, start, (Str){x->source.data + start, x->at - start});
    } else if (c == '"' || c == '\'') {
        return lex_string(x);
    } else {
        *braces += c == '{';
        *braces -= c == '}' && *braces > 0;
        return lex_operator(x);
    }
    return true;
}

static bool lex_tag(Lexer *x, bool block)
{
    uint32_t start = x->at, braces = 0;
    char     first = block ? '%' : '}';
    push(x, block ? TOKEN_BLOCK : TOKEN_OUTPUT, x->at, (Str){x->source.data + x->at, 2});
    x->at += 2;
    if (peek(x, 0) == '-' || peek(x, 0) == '+')
        x->at++;
    while (x->at < x->source.len) {
        char sign = peek(x, 0) == '-' || peek(x, 0) == '+' ? peek(x, 0) : '\0';
        if (braces == 0 && peek(x, sign != 0) == first && peek(x, 1 + (sign != 0)) == '}') {
            push(x, block ? TOKEN_BLOCK_END : TOKEN_OUTPUT_END, x->at,
                 (Str){x->source.data + x->at, 2});
            x->at += 2 + (sign != 0);
            after_tag(x, sign, block);
            return true;
        }
        if (!lex_inside(x, &braces))
            return false;
    }
    return jinja_fail_at(x->fault, FAULT_FORMAT, x->source, start, "the tag is not closed");
}

/* ---- raw ---- */

/* The length of {% NAME %} at `at`, 0 if it is something else; its signs. */
static uint32_t simple_tag(const Lexer *x, uint32_t at, const char *name, char *left, char *right)
{
    const char *s = x->source.data;
    uint32_t    end = x->source.len, i = at + 2, len = (uint32_t)strlen(name);
    if (end - at < 2 || s[at] != '{' || s[at + 1] != '%')
        return 0;
    *left = i < end && (s[i] == '-' || s[i] == '+') ? s[i++] : '\0';
    while (i < end && is_space(s[i]))
        i++;
    if (end - i < len || memcmp(s + i, name, len) != 0)
        return 0;
    for (i += len; i < end && is_space(s[i]);)
        i++;
    *right = i < end && (s[i] == '-' || s[i] == '+') ? s[i++] : '\0';
    if (end - i < 2 || s[i] != '%' || s[i + 1] != '}')
        return 0;
    return i + 2 - at;
}

/* {% raw %} ... {% endraw %}: all of it is text. *found false if there is none here. */
static bool lex_raw(Lexer *x, bool *found)
{
    char     left, right, end_left, end_right;
    uint32_t open = simple_tag(x, x->at, "raw", &left, &right), at = x->at;
    *found = open > 0;
    if (!open)
        return true;
    x->at += open;
    after_tag(x, right, true);
    uint32_t start = x->at;
    for (; x->at < x->source.len; x->at++) {
        uint32_t close = simple_tag(x, x->at, "endraw", &end_left, &end_right);
        if (close) {
            push_text(x, start);
            x->at += close;
            after_tag(x, end_right, true);
            return true;
        }
    }
    return jinja_fail_at(x->fault, FAULT_FORMAT, x->source, at, "raw without endraw");
}

/* ---- the whole ---- */

bool jinja_lex(JinjaTokens *out, Arena *a, Str source, Fault *fault)
{
    Lexer x = {.out = out, .arena = a, .source = source, .line_start = true, .fault = fault};
    while (x.at < source.len) {
        uint32_t start = x.at;
        while (x.at < source.len
               && !(peek(&x, 0) == '{'
                    && (peek(&x, 1) == '{' || peek(&x, 1) == '%' || peek(&x, 1) == '#')))
            x.at++;
        push_text(&x, start);
        if (x.at >= source.len)
            break;
        bool raw = false, ok = true;
        if (peek(&x, 1) == '#')
            ok = skip_comment(&x);
        else if (peek(&x, 1) == '{')
            ok = lex_tag(&x, false);
        else if (!(ok = lex_raw(&x, &raw)) || raw)
            ;
        else
            ok = lex_tag(&x, true);
        if (!ok)
            return false;
    }
    push(&x, TOKEN_END, source.len, (Str){"", 0});
    return true;
}
