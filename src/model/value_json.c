// SPDX-License-Identifier: Apache-2.0
/*
 * value_json.c - values from JSON texts and back.
 *
 * in     JSON, read by Jansson
 * out    values in an arena; JSON in the styles of templates and schemas
 * knows  Jansson
 * not    schemas, templates
 */
#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "model/value.h"

/* ---- reading ---- */

typedef struct Reading {
    Value   *out;
    Arena   *arena;
    json_t  *json;
    Fault   *fault;
} Reading;

static Value convert(Reading *r, json_t *j, uint32_t depth);

static Str copy(Arena *a, const char *data, size_t size)
{
    return (Str){arena_copy(a, data, size), (uint32_t)size};
}

static Value convert_object(Reading *r, json_t *j, uint32_t depth)
{
    Value       v = value_dict(r->arena);
    const char *key;
    json_t     *member;
    json_object_foreach (j, key, member)
        dict_set(r->arena, v.dict, value_str(copy(r->arena, key, strlen(key))),
                 convert(r, member, depth + 1));
    return v;
}

static Value convert(Reading *r, json_t *j, uint32_t depth)
{
    if (depth > VALUE_MAX_DEPTH) {
        fault_set(r->fault, FAULT_LIMIT, "JSON: more than %u nested levels", VALUE_MAX_DEPTH);
        return value_none();
    }
    switch (json_typeof(j)) {
    case JSON_OBJECT:  return convert_object(r, j, depth);
    case JSON_STRING:
        return value_str(copy(r->arena, json_string_value(j), json_string_length(j)));
    case JSON_INTEGER: return value_int(json_integer_value(j));
    case JSON_REAL:    return value_float(json_real_value(j));
    case JSON_TRUE:    return value_bool(true);
    case JSON_FALSE:   return value_bool(false);
    case JSON_ARRAY: {
        Value v = value_list(r->arena);
        for (size_t i = 0; i < json_array_size(j); i++)
            list_push(r->arena, v.list, convert(r, json_array_get(j, i), depth + 1));
        return v;
    }
    default:           return value_none();
    }
}

static void convert_all(void *context)
{
    Reading *r = context;
    *r->out = convert(r, r->json, 0);
}

bool value_read_json(Value *out, Arena *a, Str json, Fault *fault)
{
    json_error_t error;
    bool         ok = true;
    if (json.len > VALUE_MAX_JSON)
        return fault_set(fault, FAULT_LIMIT, "JSON: %u bytes, at most %u are read", json.len,
                         VALUE_MAX_JSON);
    Reading r = {.out = out, .arena = a, .fault = fault};
    r.json = json_loadb(json.data, json.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!r.json)
        return fault_set(fault, FAULT_FORMAT, "JSON, line %d, column %d: %s", error.line,
                         error.column, error.text);
    if (!arena_try(a, convert_all, &r))
        ok = fault_set(fault, FAULT_LIMIT, "JSON: too large for the memory that it gets");
    json_decref(r.json);
    return ok && fault->kind == FAULT_NONE;
}

/* ---- writing ---- */

void value_write_float(Text *t, double f)
{
    char digits[40];
    if (isnan(f) || isinf(f)) {
        text_add(t, isnan(f) ? STR("nan") : f > 0 ? STR("inf") : STR("-inf"));
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*e", precision - 1, f);
        if (strtod(digits, NULL) == f)
            break;
    }
    int exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent < -4 || exponent >= 16) {
        char *e = strchr(digits, 'e');
        *e = '\0';
        text_printf(t, "%se%c%02d", digits, exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    int written = (int)(strchr(digits, 'e') - digits);          /* of the mantissa         */
    int after = written - (digits[0] == '-') - 1;               /* digits and the point    */
    int decimals = (after > 0 ? after - 1 : 0) - exponent;
    text_printf(t, "%.*f", decimals > 1 ? decimals : 1, f);
}

static void write_char(Text *t, uint32_t c, Str bytes, bool ascii)
{
    if (c == '"' || c == '\\')
        text_printf(t, "\\%c", (char)c);
    else if (c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f')
        text_printf(t, "\\%c", "btn?fr"[c - 8]);
    else if (c < 0x20 || (ascii && c >= 0x7f && c < 0x10000))
        text_printf(t, "\\u%04x", c);
    else if (ascii && c >= 0x10000)
        text_printf(t, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    else
        text_add(t, bytes);
}

static void write_string(Text *t, Str s, const JsonStyle *style)
{
    text_char(t, '"');
    for (uint32_t i = 0, n; i < s.len; i += n) {
        uint32_t c = 0;
        n = utf8_decode(s, i, &c);
        if (n > 0)
            write_char(t, c, (Str){s.data + i, n}, style->ascii);
        else
            write_char(t, 0xfffd, STR("\xef\xbf\xbd"), style->ascii);
        n += n == 0;
    }
    text_char(t, '"');
}

static void line(Text *t, const JsonStyle *style, uint32_t depth)
{
    if (style->indent < 0)
        return;
    text_char(t, '\n');
    for (uint64_t i = 0; i < (uint64_t)style->indent * depth; i++)
        text_char(t, ' ');
}

static bool write_at(Text *t, Value v, const JsonStyle *style, uint32_t depth);

static void write_key(Text *t, Value key, const JsonStyle *style)
{
    Text text = {.arena = t->arena};
    if (key.kind == VALUE_STRING) {
        write_string(t, key.s, style);
        return;
    }
    write_at(&text, key, style, VALUE_MAX_DEPTH);
    write_string(t, (Str){text.data, (uint32_t)text.len}, style);
}

static int compare_entries(const void *a, const void *b)
{
    const DictEntry *x = a, *y = b;
    if (x->key.kind != VALUE_STRING || y->key.kind != VALUE_STRING)
        return (int)x->key.kind - (int)y->key.kind;
    uint32_t len = MIN_OF(x->key.s.len, y->key.s.len);
    int      order = len ? memcmp(x->key.s.data, y->key.s.data, len) : 0;
    return order ? order : (x->key.s.len > y->key.s.len) - (x->key.s.len < y->key.s.len);
}

static bool write_dict(Text *t, const Dict *d, const JsonStyle *style, uint32_t depth)
{
    DictEntry *entries = d->data;
    if (style->sort_keys && d->len > 0) {
        entries = arena_copy(t->arena, d->data, d->len * sizeof *entries);
        qsort(entries, d->len, sizeof *entries, compare_entries);
    }
    text_char(t, '{');
    for (uint32_t i = 0; i < d->len; i++) {
        if (i > 0)
            text_add(t, style->item);
        line(t, style, depth + 1);
        write_key(t, entries[i].key, style);
        text_add(t, style->key);
        if (!write_at(t, entries[i].value, style, depth + 1))
            return false;
    }
    if (d->len > 0)
        line(t, style, depth);
    text_char(t, '}');
    return true;
}

static bool write_list(Text *t, const List *l, const JsonStyle *style, uint32_t depth)
{
    text_char(t, '[');
    for (uint32_t i = 0; i < l->len; i++) {
        if (i > 0)
            text_add(t, style->item);
        line(t, style, depth + 1);
        if (!write_at(t, l->data[i], style, depth + 1))
            return false;
    }
    if (l->len > 0)
        line(t, style, depth);
    text_char(t, ']');
    return true;
}

static bool write_at(Text *t, Value v, const JsonStyle *style, uint32_t depth)
{
    if (depth > VALUE_MAX_DEPTH)
        return false;
    switch (v.kind) {
    case VALUE_BOOL:   text_add(t, v.b ? STR("true") : STR("false")); return true;
    case VALUE_INT:    text_printf(t, "%lld", (long long)v.i); return true;
    case VALUE_FLOAT:  value_write_float(t, v.f); return true;
    case VALUE_STRING: write_string(t, v.s, style); return true;
    case VALUE_LIST:   return write_list(t, v.list, style, depth);
    case VALUE_DICT:   return write_dict(t, v.dict, style, depth);
    default:           text_add(t, STR("null")); return true;
    }
}

bool value_write_json(Text *t, Value v, JsonStyle style)
{
    return write_at(t, v, &style, 0);
}
