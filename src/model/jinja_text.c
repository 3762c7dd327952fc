// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_text.c - values as text, and operations on strings.
 *
 * in     values
 * out    what Python's str() and repr() write; strings
 * knows  UTF-8; letters of ASCII have a case, others keep theirs
 * not    which filter or method asks for it
 */
#include "base/utf8.h"
#include "model/jinja_priv.h"

/* ---- str() and repr() ---- */

/* 'text', or "it's" where that needs no escape. */
static void write_quoted(Text *t, Str s)
{
    bool single = s.len && memchr(s.data, '\'', s.len), both = s.len && memchr(s.data, '"', s.len);
    char quote = single && !both ? '"' : '\'';
    text_char(t, quote);
    for (uint32_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        if (c == quote || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c == '\n' || c == '\r' || c == '\t')
            text_printf(t, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if ((unsigned char)c < 0x20 || c == 0x7f)
            text_printf(t, "\\x%02x", (unsigned)(unsigned char)c);
        else
            text_char(t, c);
    }
    text_char(t, quote);
}

static void write_list(Interp *in, Text *t, const List *l)
{
    text_char(t, l->tuple ? '(' : '[');
    for (uint32_t i = 0; i < l->len && jinja_spend(in, 1); i++) {
        if (i > 0)
            text_add(t, STR(", "));
        jinja_write(in, t, l->data[i], true);
    }
    if (l->tuple && l->len == 1)
        text_char(t, ',');
    text_char(t, l->tuple ? ')' : ']');
}

static void write_dict(Interp *in, Text *t, const Dict *d)
{
    text_char(t, '{');
    for (uint32_t i = 0; i < d->len && jinja_spend(in, 1); i++) {
        if (i > 0)
            text_add(t, STR(", "));
        jinja_write(in, t, d->data[i].key, true);
        text_add(t, STR(": "));
        jinja_write(in, t, d->data[i].value, true);
    }
    text_char(t, '}');
}

void jinja_write(Interp *in, Text *t, Value v, bool repr)
{
    if (in->depth >= JINJA_MAX_CALLS) {
        jinja_fault(in, "a value is nested too deeply to be printed");
        return;
    }
    in->depth++;
    switch (v.kind) {
    case VALUE_UNDEFINED: if (repr) text_add(t, STR("Undefined")); break;
    case VALUE_NONE:      text_add(t, STR("None")); break;
    case VALUE_BOOL:      text_add(t, v.b ? STR("True") : STR("False")); break;
    case VALUE_INT:       text_printf(t, "%lld", (long long)v.i); break;
    case VALUE_FLOAT:     value_write_float(t, v.f); break;
    case VALUE_STRING:    if (repr) write_quoted(t, v.s); else text_add(t, v.s); break;
    case VALUE_LIST:      write_list(in, t, v.list); break;
    case VALUE_DICT:      write_dict(in, t, v.dict); break;
    case VALUE_CALLABLE:  text_printf(t, "<function %s>", v.callable->name); break;
    }
    in->depth--;
}

/* None is nothing here: messages without a content have None. */
Str jinja_string(Interp *in, Value v)
{
    if (v.kind == VALUE_STRING)
        return v.s;
    if (v.kind == VALUE_NONE)
        return STR("");
    Text t = {.arena = in->arena};
    jinja_write(in, &t, v, false);
    return (Str){t.data ? t.data : "", (uint32_t)t.len};
}

/* ---- arguments ---- */

Value jinja_arg(const Call *c, uint32_t index, const char *name, Value none)
{
    if (index < c->count)
        return c->args[index];
    for (uint32_t i = 0; name && i < c->named_count; i++)
        if (str_eq(c->named[i].name, str_of(name)))
            return c->named[i].value;
    return none;
}

int64_t jinja_arg_int(Interp *in, const Call *c, uint32_t index, const char *name, int64_t none)
{
    Value v = jinja_arg(c, index, name, value_none());
    if (v.kind == VALUE_INT)
        return v.i;
    if (v.kind == VALUE_BOOL)
        return v.b;
    if (v.kind != VALUE_NONE && v.kind != VALUE_UNDEFINED)
        jinja_fault(in, "%s() needs an integer, not %s", c->what, value_kind_name(v));
    return none;
}

Str jinja_arg_str(Interp *in, const Call *c, uint32_t index, const char *name, Str none)
{
    Value v = jinja_arg(c, index, name, value_none());
    if (v.kind == VALUE_STRING)
        return v.s;
    if (v.kind != VALUE_NONE && v.kind != VALUE_UNDEFINED)
        jinja_fault(in, "%s() needs a string, not %s", c->what, value_kind_name(v));
    return none;
}

/* ---- strings ---- */

uint32_t jinja_length(Str s)
{
    uint32_t count = 0;
    for (uint32_t i = 0, c, n; i < s.len; i += n + (n == 0), count++)
        n = utf8_decode(s, i, &c);
    return count;
}

/* Whether the character of `len` bytes is one of `chars`; blanks if that has no data. */
static bool is_one_of(const char *at, uint32_t len, Str chars)
{
    if (!chars.data)
        return len == 1 && (*at == ' ' || (*at >= '\t' && *at <= '\r'));
    for (uint32_t i = 0, c, n; i < chars.len; i += n) {
        n = utf8_decode(chars, i, &c);
        n += n == 0;
        if (n == len && memcmp(chars.data + i, at, n) == 0)
            return true;
    }
    return false;
}

Str jinja_strip(Str s, Str chars, bool left, bool right)
{
    while (left && s.len > 0) {
        uint32_t c, n = utf8_decode(s, 0, &c);
        n += n == 0;
        if (!is_one_of(s.data, n, chars))
            break;
        s = (Str){s.data + n, s.len - n};
    }
    while (right && s.len > 0) {
        uint32_t n = 1;
        while (n < 4 && n < s.len && (s.data[s.len - n] & 0xc0) == 0x80)
            n++;
        if (!is_one_of(s.data + s.len - n, n, chars))
            break;
        s.len -= n;
    }
    return s;
}

Str jinja_replace(Interp *in, Str s, Str from, Str to, int64_t count)
{
    Text     t = {.arena = in->arena};
    uint32_t i = 0;
    while (i < s.len || (from.len == 0 && i == s.len)) {
        bool here = count != 0 && s.len - i >= from.len &&
                    (from.len == 0 || memcmp(s.data + i, from.data, from.len) == 0);
        if (here) {
            if (!jinja_spend(in, 1 + to.len / 64))
                break;
            text_add(&t, to);
            i += from.len;
            count -= count > 0;
        }
        if (from.len == 0 || !here) {
            if (i >= s.len)
                break;
            uint32_t c, n = from.len == 0 ? utf8_decode(s, i, &c) : 1;
            n += n == 0;
            text_add(&t, (Str){s.data + i, n});
            i += n;
        }
    }
    jinja_spend(in, s.len / 64);
    return (Str){t.data ? t.data : "", (uint32_t)t.len};
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

Str jinja_case(Interp *in, Str s, char how)
{
    char *out = arena_alloc(in->arena, (size_t)s.len + 1);
    bool  start = true;             /* of a word, or of the text                           */
    for (uint32_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        bool letter = upper(c) != lower(c) || (unsigned char)c >= 0x80;
        out[i] = how == 'u' || (how != 'l' && start) ? upper(c) : lower(c);
        start = how == 't' && !letter && c != '\'';
    }
    jinja_spend(in, s.len / 64);
    return (Str){out, s.len};
}
