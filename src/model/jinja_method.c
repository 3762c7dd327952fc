// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_method.c - Python's methods of strings, lists and dictionaries; global functions.
 *
 * in     a call with its object
 * out    a value; lists and dictionaries change in place
 * knows  str, list, dict; range, namespace, dict, raise_exception, strftime_now
 * not    filters and tests (jinja_filter.c)
 */
#include <stdio.h>
#include <time.h>

#include "base/utf8.h"
#include "model/jinja_priv.h"

/* ---- strings ---- */

static Value str_upper(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, c->self.s, 'u'));
}

static Value str_lower(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, c->self.s, 'l'));
}

static Value str_title(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, c->self.s, 't'));
}

static Value str_capitalize(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, c->self.s, 'c'));
}

static Value strip(Interp *in, const Call *c, bool left, bool right)
{
    Str chars = jinja_arg_str(in, c, 0, "chars", (Str){0});
    jinja_spend(in, c->self.s.len / 64 + chars.len);
    return value_str(jinja_strip(c->self.s, chars, left, right));
}

static Value str_strip(Interp *in, const Call *c)  { return strip(in, c, true, true); }
static Value str_lstrip(Interp *in, const Call *c) { return strip(in, c, true, false); }
static Value str_rstrip(Interp *in, const Call *c) { return strip(in, c, false, true); }

static bool starts(Str s, Str with)
{
    return s.len >= with.len && (with.len == 0 || memcmp(s.data, with.data, with.len) == 0);
}

static bool ends(Str s, Str with)
{
    return s.len >= with.len &&
           (with.len == 0 || memcmp(s.data + s.len - with.len, with.data, with.len) == 0);
}

/* The argument may be a tuple of which one has to fit. */
static Value affix(Interp *in, const Call *c, bool (*fits)(Str, Str))
{
    Value v = jinja_arg(c, 0, NULL, value_none());
    if (v.kind == VALUE_STRING)
        return value_bool(fits(c->self.s, v.s));
    if (v.kind != VALUE_LIST)
        return jinja_fault(in, "%s() needs a string, not %s", c->what, value_kind_name(v));
    for (uint32_t i = 0; i < v.list->len; i++)
        if (v.list->data[i].kind == VALUE_STRING && fits(c->self.s, v.list->data[i].s))
            return value_bool(true);
    return value_bool(false);
}

static Value str_startswith(Interp *in, const Call *c) { return affix(in, c, starts); }
static Value str_endswith(Interp *in, const Call *c)   { return affix(in, c, ends); }

static Value str_removeprefix(Interp *in, const Call *c)
{
    Str s = c->self.s, p = jinja_arg_str(in, c, 0, NULL, STR(""));
    return value_str(starts(s, p) ? (Str){s.data + p.len, s.len - p.len} : s);
}

static Value str_removesuffix(Interp *in, const Call *c)
{
    Str s = c->self.s, p = jinja_arg_str(in, c, 0, NULL, STR(""));
    return value_str(ends(s, p) ? (Str){s.data, s.len - p.len} : s);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void split_blanks(Interp *in, List *out, Str s, int64_t most)
{
    for (uint32_t i = 0; i < s.len && jinja_spend(in, 1);) {
        while (i < s.len && is_blank(s.data[i]))
            i++;
        uint32_t start = i;
        while (i < s.len && !is_blank(s.data[i]))
            i++;
        if (start == i)
            break;
        if (most >= 0 && out->len >= most)
            i = start
                + jinja_strip((Str){s.data + start, s.len - start}, (Str){0}, false, true)
                      .len;
        list_push(in->arena, out, value_str((Str){s.data + start, i - start}));
        if (most >= 0 && out->len > most)
            break;
    }
}

static void split_at(Interp *in, List *out, Str s, Str separator, int64_t most)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i + separator.len <= s.len && (most < 0 || out->len < most);) {
        if (memcmp(s.data + i, separator.data, separator.len) != 0) {
            i++;
            continue;
        }
        if (!jinja_spend(in, 1))
            return;
        list_push(in->arena, out, value_str((Str){s.data + start, i - start}));
        i += separator.len;
        start = i;
    }
    list_push(in->arena, out, value_str((Str){s.data + start, s.len - start}));
}

static void reverse(List *l)
{
    for (uint32_t i = 0; i < l->len / 2; i++) {
        Value t = l->data[i];
        l->data[i] = l->data[l->len - 1 - i];
        l->data[l->len - 1 - i] = t;
    }
}

/* From the right, the last part first. */
static void split_back(Interp *in, List *out, Str s, Str separator, int64_t most)
{
    uint32_t end = s.len;
    for (uint32_t i = s.len; i >= separator.len && (most < 0 || out->len < most);) {
        if (memcmp(s.data + i - separator.len, separator.data, separator.len) != 0) {
            i--;
            continue;
        }
        if (!jinja_spend(in, 1))
            return;
        list_push(in->arena, out, value_str((Str){s.data + i, end - i}));
        i -= separator.len;
        end = i;
    }
    list_push(in->arena, out, value_str((Str){s.data, end}));
    reverse(out);
}

static Value split(Interp *in, const Call *c, bool back)
{
    Value   v = value_list(in->arena);
    Str     separator = jinja_arg_str(in, c, 0, "sep", (Str){0});
    int64_t most = jinja_arg_int(in, c, 1, "maxsplit", -1);
    jinja_spend(in, c->self.s.len / 64);
    if (separator.data && separator.len == 0)
        return jinja_fault(in, "split() needs a separator that is not empty");
    if (!separator.data)
        split_blanks(in, v.list, c->self.s, most);
    else if (back)
        split_back(in, v.list, c->self.s, separator, most);
    else
        split_at(in, v.list, c->self.s, separator, most);
    return v;
}

static Value str_split(Interp *in, const Call *c)  { return split(in, c, false); }
static Value str_rsplit(Interp *in, const Call *c) { return split(in, c, true); }

static Value str_splitlines(Interp *in, const Call *c)
{
    Value v = value_list(in->arena);
    Str   s = c->self.s;
    bool  keep = jinja_truth(jinja_arg(c, 0, "keepends", value_bool(false)));
    for (uint32_t i = 0, start = 0; i < s.len && jinja_spend(in, 1); start = i) {
        while (i < s.len && s.data[i] != '\n')
            i++;
        uint32_t end = i;
        i += i < s.len;
        list_push(in->arena, v.list, value_str((Str){s.data + start, (keep ? i : end) - start}));
    }
    return v;
}

static Value str_replace(Interp *in, const Call *c)
{
    Str from = jinja_arg_str(in, c, 0, "old", STR("")),
        to = jinja_arg_str(in, c, 1, "new", STR(""));
    int64_t count = jinja_arg_int(in, c, 2, "count", -1);
    return jinja_failed(in) ? value_none()
                            : value_str(jinja_replace(in, c->self.s, from, to, count));
}

static Value str_join(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, jinja_arg(c, 0, NULL, value_none()));
    Text        t = {.arena = in->arena};
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        if (items->data[i].kind != VALUE_STRING)
            return jinja_fault(in, "join() needs strings, not %s", value_kind_name(items->data[i]));
        if (i > 0)
            text_add(&t, c->self.s);
        text_add(&t, items->data[i].s);
    }
    return value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
}

/* The code point at which `part` starts; -1 if it does not occur. */
static int64_t find(Interp *in, Str s, Str part)
{
    for (uint32_t i = 0; i + part.len <= s.len; i++)
        if (part.len == 0 || memcmp(s.data + i, part.data, part.len) == 0)
            return jinja_length((Str){s.data, i});
    jinja_spend(in, s.len / 64);
    return -1;
}

static Value str_find(Interp *in, const Call *c)
{
    return value_int(find(in, c->self.s, jinja_arg_str(in, c, 0, NULL, STR(""))));
}

static Value str_count(Interp *in, const Call *c)
{
    Str     s = c->self.s, part = jinja_arg_str(in, c, 0, NULL, STR(""));
    int64_t count = 0;
    if (part.len == 0)
        return value_int(jinja_length(s) + (int64_t)1);
    for (uint32_t i = 0; i + part.len <= s.len;) {
        bool here = memcmp(s.data + i, part.data, part.len) == 0;
        count += here;
        i += here ? part.len : 1;
    }
    jinja_spend(in, s.len / 64);
    return value_int(count);
}

/* Whether all characters, one at least, are in the range; bit 1: letters may be mixed in. */
static Value all_chars(const Call *c, const char *ranges)
{
    Str s = c->self.s;
    for (uint32_t i = 0; i < s.len; i++) {
        bool in_range = false;
        for (const char *r = ranges; *r; r += 2)
            in_range = in_range || (s.data[i] >= r[0] && s.data[i] <= r[1]);
        if (!in_range)
            return value_bool(false);
    }
    return value_bool(s.len > 0);
}

static Value str_isdigit(Interp *in, const Call *c) { (void)in; return all_chars(c, "09"); }
static Value str_isalpha(Interp *in, const Call *c) { (void)in; return all_chars(c, "azAZ"); }
static Value str_isalnum(Interp *in, const Call *c) { (void)in; return all_chars(c, "azAZ09"); }
static Value str_isspace(Interp *in, const Call *c) { (void)in; return all_chars(c, "  \t\r"); }

static Value str_zfill(Interp *in, const Call *c)
{
    int64_t width = jinja_arg_int(in, c, 0, NULL, 0), len = jinja_length(c->self.s);
    Text    t = {.arena = in->arena};
    Str     s = c->self.s;
    if (s.len > 0 && (s.data[0] == '-' || s.data[0] == '+')) {
        text_char(&t, s.data[0]);
        s = (Str){s.data + 1, s.len - 1};
    }
    for (int64_t i = len; i < width && jinja_spend(in, 1); i++)
        text_char(&t, '0');
    text_add(&t, s);
    return value_str((Str){t.data, (uint32_t)t.len});
}

/* The value of a field {}, {0} or {name}; conversions and formats are not known. */
static Value field(Interp *in, const Call *c, Str name, uint32_t *next)
{
    if (name.len == 0)
        return jinja_arg(c, (*next)++, NULL, value_undefined(name));
    if (name.data[0] >= '0' && name.data[0] <= '9') {
        uint32_t index = 0;
        for (uint32_t i = 0; i < name.len && i < 6; i++)
            index = index * 10 + (uint32_t)(name.data[i] - '0');
        return jinja_arg(c, index, NULL, value_undefined(name));
    }
    Value v = jinja_arg(c, UINT32_MAX, arena_printf(in->arena, "%.*s", STR_ARG(name)),
                        value_undefined(name));
    if (v.kind == VALUE_UNDEFINED)
        jinja_fault(in, "format(): there is no argument '%.*s'", STR_ARG(name));
    return v;
}

static Value str_format(Interp *in, const Call *c)
{
    Text     t = {.arena = in->arena};
    Str      s = c->self.s;
    uint32_t next = 0;
    for (uint32_t i = 0; i < s.len && !jinja_failed(in); i++) {
        char ch = s.data[i];
        if ((ch == '{' || ch == '}') && i + 1 < s.len && s.data[i + 1] == ch) {
            text_char(&t, ch);
            i++;
        } else if (ch == '{') {
            const char *end = memchr(s.data + i, '}', s.len - i);
            if (!end)
                return jinja_fault(in, "format(): a { is not closed");
            Str name = {s.data + i + 1, (uint32_t)(end - s.data) - i - 1};
            if (memchr(name.data, ':', name.len) || memchr(name.data, '!', name.len))
                return jinja_fault(in, "format(): formats after : or ! are not supported");
            Value v = field(in, c, name, &next);
            jinja_write(in, &t, v, false);
            i = (uint32_t)(end - s.data);
        } else {
            text_char(&t, ch);
        }
    }
    return value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
}

/* ---- lists ---- */

static Value list_append(Interp *in, const Call *c)
{
    list_push(in->arena, c->self.list, jinja_arg(c, 0, NULL, value_none()));
    return value_none();
}

static Value list_extend(Interp *in, const Call *c)
{
    const List *more = jinja_items(in, jinja_arg(c, 0, NULL, value_none()));
    uint32_t    count = more ? more->len : 0;
    for (uint32_t i = 0; i < count && jinja_spend(in, 1); i++)
        list_push(in->arena, c->self.list, more->data[i]);
    return value_none();
}

static Value list_insert(Interp *in, const Call *c)
{
    List   *l = c->self.list;
    int64_t at = jinja_arg_int(in, c, 0, NULL, 0);
    if (at < 0)
        at = at < -(int64_t)l->len ? 0 : at + l->len;
    uint32_t place = (uint32_t)MIN_OF(at, (int64_t)l->len);
    list_push(in->arena, l, value_none());
    memmove(l->data + place + 1, l->data + place, (l->len - 1 - place) * sizeof *l->data);
    l->data[place] = jinja_arg(c, 1, NULL, value_none());
    jinja_spend(in, l->len / 16);
    return value_none();
}

static Value list_pop(Interp *in, const Call *c)
{
    List   *l = c->self.list;
    int64_t at = jinja_arg_int(in, c, 0, NULL, -1);
    if (at < 0)
        at += l->len;
    if (at < 0 || at >= l->len)
        return jinja_fault(in, "pop() from a list of %u items", l->len);
    Value v = l->data[at];
    memmove(l->data + at, l->data + at + 1, (size_t)(l->len - at - 1) * sizeof *l->data);
    l->len--;
    jinja_spend(in, l->len / 16);
    return v;
}

static Value list_reverse(Interp *in, const Call *c)
{
    jinja_spend(in, c->self.list->len / 8);
    reverse(c->self.list);
    return value_none();
}

static Value list_index(Interp *in, const Call *c)
{
    Value what = jinja_arg(c, 0, NULL, value_none());
    for (uint32_t i = 0; i < c->self.list->len && jinja_spend(in, 1); i++)
        if (jinja_equal(in, c->self.list->data[i], what))
            return value_int(i);
    return jinja_fault(in, "index(): the list does not have it");
}

static Value list_count(Interp *in, const Call *c)
{
    Value   what = jinja_arg(c, 0, NULL, value_none());
    int64_t count = 0;
    for (uint32_t i = 0; i < c->self.list->len && jinja_spend(in, 1); i++)
        count += jinja_equal(in, c->self.list->data[i], what);
    return value_int(count);
}

/* ---- dictionaries ---- */

static Value dict_get(Interp *in, const Call *c)
{
    (void)in;
    const Value *v = dict_find(c->self.dict, jinja_arg(c, 0, "key", value_none()));
    return v ? *v : jinja_arg(c, 1, "default", value_none());
}

static Value dict_part(Interp *in, const Call *c, bool keys, bool values)
{
    Value v = value_list(in->arena);
    for (uint32_t i = 0; i < c->self.dict->len && jinja_spend(in, 1); i++) {
        DictEntry e = c->self.dict->data[i];
        Value     item = keys ? e.key : e.value;
        if (keys && values) {
            item = value_list(in->arena);
            item.list->tuple = true;
            list_push(in->arena, item.list, e.key);
            list_push(in->arena, item.list, e.value);
        }
        list_push(in->arena, v.list, item);
    }
    return v;
}

static Value dict_items(Interp *in, const Call *c)  { return dict_part(in, c, true, true); }
static Value dict_keys(Interp *in, const Call *c)   { return dict_part(in, c, true, false); }
static Value dict_values(Interp *in, const Call *c) { return dict_part(in, c, false, true); }

static Value dict_pop(Interp *in, const Call *c)
{
    Value        key = jinja_arg(c, 0, NULL, value_none());
    const Value *found = dict_find(c->self.dict, key);
    if (!found && c->count < 2)
        return jinja_fault(in, "pop(): there is no such key");
    Value v = found ? *found : c->args[1];
    jinja_spend(in, c->self.dict->len / 4);
    dict_remove(in->arena, c->self.dict, key);
    return v;
}

static void put_all(Interp *in, Dict *d, const Call *c)
{
    Value more = jinja_arg(c, 0, NULL, value_none());
    for (uint32_t i = 0; more.kind == VALUE_DICT && i < more.dict->len && jinja_spend(in, 1); i++)
        dict_set(in->arena, d, more.dict->data[i].key, more.dict->data[i].value);
    for (uint32_t i = 0; i < c->named_count; i++)
        dict_set(in->arena, d, value_str(c->named[i].name), c->named[i].value);
}

static Value dict_update(Interp *in, const Call *c)
{
    put_all(in, c->self.dict, c);
    return value_none();
}

static Value dict_copy(Interp *in, const Call *c)
{
    Value v = value_dict(in->arena);
    put_all(in, v.dict, &(Call){.args = (Value[]){c->self}, .count = 1});
    return v;
}

/* ---- global functions ---- */

static Value global_range(Interp *in, const Call *c)
{
    Value   v = value_list(in->arena);
    int64_t from = c->count > 1 ? jinja_arg_int(in, c, 0, NULL, 0) : 0;
    int64_t to = jinja_arg_int(in, c, c->count > 1, NULL, 0),
            step = jinja_arg_int(in, c, 2, NULL, 1);
    if (step == 0)
        return jinja_fault(in, "range() needs a step that is not 0");
    if (step > INT32_MAX || step < INT32_MIN || from > INT32_MAX || from < INT32_MIN)
        return jinja_fault(in, "range(): the numbers are too large");
    if (step > 0 ? from >= to : from <= to)
        return v;
    uint64_t span = step > 0 ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
    uint64_t count = (span - 1) / (uint64_t)(step > 0 ? step : -step) + 1;
    if (!jinja_spend(in, count))
        return v;
    list_reserve(in->arena, v.list, (uint32_t)MIN_OF(count, (uint64_t)UINT32_MAX));
    for (uint64_t i = 0; i < count; i++)
        list_push(in->arena, v.list, value_int(from + (int64_t)i * step));
    return v;
}

static Value global_namespace(Interp *in, const Call *c)
{
    Value v = value_dict(in->arena);
    v.dict->is_namespace = true;
    put_all(in, v.dict, c);
    return v;
}

static Value global_dict(Interp *in, const Call *c)
{
    Value v = value_dict(in->arena);
    put_all(in, v.dict, c);
    return v;
}

static Value global_raise(Interp *in, const Call *c)
{
    Str why = jinja_string(in, jinja_arg(c, 0, NULL, value_text("exception")));
    fault_set(in->fault, FAULT_RAISED, "%.*s", (int)MIN_OF(why.len, 500u), why.data);
    return value_none();
}

/* One field of a date; 0 if the letter is not known. */
static size_t date_field(char *out, size_t size, const struct tm *t, char letter)
{
    switch (letter) {
#define FIELD(c, format) case c: return strftime(out, size, format, t);
    FIELD('a', "%a") FIELD('A', "%A") FIELD('b', "%b") FIELD('B', "%B") FIELD('d', "%d")
    FIELD('e', "%e") FIELD('F', "%F") FIELD('H', "%H") FIELD('I', "%I") FIELD('j', "%j")
    FIELD('m', "%m") FIELD('M', "%M") FIELD('p', "%p") FIELD('S', "%S") FIELD('T', "%T")
    FIELD('u', "%u") FIELD('U', "%U") FIELD('w', "%w") FIELD('X', "%X") FIELD('Y', "%Y")
    FIELD('z', "%z") FIELD('Z', "%Z") FIELD('%', "%%")
#undef FIELD
    case 'y': return (size_t)snprintf(out, size, "%02d", (t->tm_year % 100 + 100) % 100);
    default:  return 0;
    }
}

static Value global_strftime(Interp *in, const Call *c)
{
    Str       format = jinja_arg_str(in, c, 0, NULL, STR(""));
    time_t    now = (time_t)in->how->now;
    Text      t = {.arena = in->arena};
    struct tm local;
    char      field[128];
    if (!localtime_r(&now, &local))
        return jinja_fault(in, "strftime_now(): the time is out of range");
    for (uint32_t i = 0; i < format.len && jinja_spend(in, 1); i++) {
        if (format.data[i] != '%' || i + 1 == format.len) {
            text_char(&t, format.data[i]);
            continue;
        }
        bool   plain = format.data[i + 1] == '-' && i + 2 < format.len;      /* %-d: no zero */
        size_t len = date_field(field, sizeof field, &local, format.data[i += 1 + plain]);
        if (len == 0)
            return jinja_fault(in, "strftime_now(): unknown field %%%c", format.data[i]);
        Str text = {field, (uint32_t)len};
        while (plain && text.len > 1 && (text.data[0] == '0' || text.data[0] == ' '))
            text = (Str){text.data + 1, text.len - 1};
        text_add(&t, text);
    }
    return value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
}

/* ---- tables ---- */

static const NativeRow str_methods[] = {
    {"upper", str_upper}, {"lower", str_lower}, {"title", str_title},
    {"capitalize", str_capitalize}, {"strip", str_strip}, {"lstrip", str_lstrip},
    {"rstrip", str_rstrip}, {"startswith", str_startswith}, {"endswith", str_endswith},
    {"removeprefix", str_removeprefix}, {"removesuffix", str_removesuffix},
    {"split", str_split}, {"rsplit", str_rsplit}, {"splitlines", str_splitlines},
    {"replace", str_replace}, {"join", str_join}, {"format", str_format}, {"find", str_find},
    {"count", str_count}, {"isdigit", str_isdigit}, {"isnumeric", str_isdigit},
    {"isalpha", str_isalpha}, {"isalnum", str_isalnum}, {"isspace", str_isspace},
    {"zfill", str_zfill}, {NULL, NULL},
};

static const NativeRow list_methods[] = {
    {"append", list_append}, {"extend", list_extend}, {"insert", list_insert}, {"pop", list_pop},
    {"reverse", list_reverse}, {"index", list_index}, {"count", list_count}, {NULL, NULL},
};

static const NativeRow dict_methods[] = {
    {"get", dict_get}, {"items", dict_items}, {"keys", dict_keys}, {"values", dict_values},
    {"pop", dict_pop}, {"update", dict_update}, {"copy", dict_copy}, {NULL, NULL},
};

static const NativeRow globals[] = {
    {"range", global_range}, {"namespace", global_namespace}, {"dict", global_dict},
    {"raise_exception", global_raise}, {"strftime_now", global_strftime}, {NULL, NULL},
};

static Native row_find(const NativeRow *rows, Str name)
{
    for (; rows->name; rows++)
        if (str_eq(str_of(rows->name), name))
            return rows->function;
    return NULL;
}

Native jinja_method_find(Value of, Str name)
{
    if (of.kind == VALUE_STRING)
        return row_find(str_methods, name);
    if (of.kind == VALUE_LIST)
        return row_find(list_methods, name);
    if (of.kind == VALUE_DICT && !of.dict->is_namespace)
        return row_find(dict_methods, name);
    return NULL;
}

Native jinja_global_find(Str name)
{
    return row_find(globals, name);
}
