// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_filter_list.c - filters of lists and dictionaries.
 *
 * in     a call with its input
 * out    a new list, or a value of one
 * knows  select and map with tests, filters and attributes; sorting
 * not    strings and numbers (jinja_filter.c)
 */
#include "model/jinja_filter_priv.h"

/* ---- attributes ---- */

/* item.a.b or item[0] for "a.b" or 0. */
static Value attribute(Interp *in, Value item, Value path)
{
    if (path.kind != VALUE_STRING)
        return jinja_index(in, item, path);
    for (Str rest = path.s; rest.data;) {
        const char *dot = rest.len ? memchr(rest.data, '.', rest.len) : NULL;
        Str         part = {rest.data, dot ? (uint32_t)(dot - rest.data) : rest.len};
        bool        digits = part.len > 0 && part.len < 9;
        int64_t     index = 0;
        for (uint32_t i = 0; i < part.len; i++) {
            digits = digits && part.data[i] >= '0' && part.data[i] <= '9';
            index = index * 10 + (digits ? part.data[i] - '0' : 0);
        }
        item = jinja_index(in, item, digits ? value_int(index) : value_str(part));
        rest = dot ? (Str){dot + 1, rest.len - part.len - 1} : (Str){0};
    }
    return item;
}

/* What is compared: the attribute, if one is given, in lower case unless case counts. */
static Value sort_key(Interp *in, Value item, Value path, bool cased)
{
    Value v = path.kind == VALUE_NONE ? item : attribute(in, item, path);
    return v.kind == VALUE_STRING && !cased ? value_str(jinja_case(in, v.s, 'l')) : v;
}

/* ---- select, map ---- */

/* select, reject: by a test of the item, or, with `attributes`, of one of its attributes. */
static Value pick(Interp *in, const Call *c, bool attributes, bool want)
{
    const List *items =
        jinja_items(in, c->self.kind == VALUE_NONE ? value_undefined(STR("")) : c->self);
    Value       out = value_list(in->arena);
    uint32_t    test = attributes;          /* argument that names the test                */
    if (attributes && c->count == 0)
        return jinja_fault(in, "%s needs the name of an attribute", c->what);
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        Value v = attributes ? attribute(in, items->data[i], c->args[0]) : items->data[i];
        bool  yes = jinja_truth(v);
        if (c->count > test) {
            Call  sub = {.self = v, .args = c->args + test + 1, .count = c->count - test - 1};
            Value name = c->args[test];
            if (name.kind != VALUE_STRING)
                return jinja_fault(in, "%s needs the name of a test", c->what);
            yes = jinja_test(in, name.s, &sub);
        }
        if (yes == want)
            list_push(in->arena, out.list, items->data[i]);
    }
    return out;
}

static Value filter_select(Interp *in, const Call *c)     { return pick(in, c, false, true); }
static Value filter_reject(Interp *in, const Call *c)     { return pick(in, c, false, false); }
static Value filter_selectattr(Interp *in, const Call *c) { return pick(in, c, true, true); }
static Value filter_rejectattr(Interp *in, const Call *c) { return pick(in, c, true, false); }

static Value filter_map(Interp *in, const Call *c)
{
    const List *items =
        jinja_items(in, c->self.kind == VALUE_NONE ? value_undefined(STR("")) : c->self);
    Value       out = value_list(in->arena);
    Value       path = jinja_arg(c, UINT32_MAX, "attribute", value_none());
    Value       none = jinja_arg(c, UINT32_MAX, "default", value_undefined(STR("")));
    if (path.kind == VALUE_NONE && (c->count == 0 || c->args[0].kind != VALUE_STRING))
        return jinja_fault(in, "map needs the name of a filter, or attribute=...");
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        Value v;
        if (path.kind != VALUE_NONE) {
            v = attribute(in, items->data[i], path);
            v = v.kind == VALUE_UNDEFINED ? none : v;
        } else {
            Call sub = {.self = items->data[i], .args = c->args + 1, .named = c->named,
                        .count = c->count - 1, .named_count = c->named_count};
            v = jinja_filter(in, c->args[0].s, &sub);
        }
        list_push(in->arena, out.list, v);
    }
    return out;
}

/* ---- order ---- */

typedef struct Keyed {
    Value key, value;
} Keyed;

/* Stable, so that equal keys keep their order; `from` is overwritten. */
static void merge_sort(Interp *in, Keyed *to, Keyed *from, uint32_t count, int sign)
{
    if (count < 2) {
        if (count == 1)
            to[0] = from[0];
        return;
    }
    uint32_t half = count / 2;
    merge_sort(in, to, from, half, sign);
    memcpy(from, to, half * sizeof *from);
    merge_sort(in, to, from + half, count - half, sign);
    memcpy(from + half, to, (count - half) * sizeof *from);
    for (uint32_t i = 0, a = 0, b = half; i < count; i++) {
        bool first = b >= count ||
                     (a < half && jinja_order(in, from[a].key, from[b].key) * sign <= 0);
        to[i] = first ? from[a++] : from[b++];
    }
    jinja_spend(in, count);
}

static Value sorted(Interp *in, Keyed *items, uint32_t count, bool down)
{
    Value  out = value_list(in->arena);
    Keyed *room = ARENA_ARRAY(in->arena, Keyed, count);
    merge_sort(in, room, items, count, down ? -1 : 1);
    for (uint32_t i = 0; i < count; i++)
        list_push(in->arena, out.list, room[i].value);
    return out;
}

static Value filter_sort(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    bool        down = jinja_truth(jinja_arg(c, 0, "reverse", value_bool(false)));
    bool        cased = jinja_truth(jinja_arg(c, 1, "case_sensitive", value_bool(false)));
    Value       path = jinja_arg(c, 2, "attribute", value_none());
    if (!items)
        return value_none();
    Keyed *keyed = ARENA_ARRAY(in->arena, Keyed, items->len);
    for (uint32_t i = 0; i < items->len; i++)
        keyed[i] = (Keyed){sort_key(in, items->data[i], path, cased), items->data[i]};
    return sorted(in, keyed, items->len, down);
}

static Value filter_dictsort(Interp *in, const Call *c)
{
    bool  cased = jinja_truth(jinja_arg(c, 0, "case_sensitive", value_bool(false)));
    bool  by_value = value_is(jinja_arg(c, 1, "by", value_text("key")), "value");
    bool  down = jinja_truth(jinja_arg(c, 2, "reverse", value_bool(false)));
    if (c->self.kind == VALUE_UNDEFINED)
        return value_list(in->arena);
    if (c->self.kind != VALUE_DICT)
        return jinja_fault(in, "dictsort needs a dictionary, not %s", value_kind_name(c->self));
    const Dict *d = c->self.dict;
    Keyed      *keyed = ARENA_ARRAY(in->arena, Keyed, d->len);
    for (uint32_t i = 0; i < d->len; i++) {
        Value pair = value_list(in->arena);
        pair.list->tuple = true;
        list_push(in->arena, pair.list, d->data[i].key);
        list_push(in->arena, pair.list, d->data[i].value);
        Value key = by_value ? d->data[i].value : d->data[i].key;
        keyed[i] = (Keyed){sort_key(in, key, value_none(), cased), pair};
    }
    return sorted(in, keyed, d->len, down);
}

/* The first of those that are least or greatest. */
static Value extreme(Interp *in, const Call *c, int sign)
{
    const List *items = jinja_items(in, c->self);
    bool        cased = jinja_truth(jinja_arg(c, 0, "case_sensitive", value_bool(false)));
    Value       path = jinja_arg(c, 1, "attribute", value_none());
    Value       best = value_undefined(STR("")), best_key = best;
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        Value key = sort_key(in, items->data[i], path, cased);
        if (i == 0 || jinja_order(in, key, best_key) * sign > 0) {
            best = items->data[i];
            best_key = key;
        }
    }
    return best;
}

static Value filter_min(Interp *in, const Call *c) { return extreme(in, c, -1); }
static Value filter_max(Interp *in, const Call *c) { return extreme(in, c, 1); }

static Value filter_unique(Interp *in, const Call *c)
{
    const List *items =
        jinja_items(in, c->self.kind == VALUE_NONE ? value_undefined(STR("")) : c->self);
    bool        cased = jinja_truth(jinja_arg(c, 0, "case_sensitive", value_bool(false)));
    Value       path = jinja_arg(c, 1, "attribute", value_none());
    Value       out = value_list(in->arena), keys = value_list(in->arena);
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        Value key = sort_key(in, items->data[i], path, cased);
        if (jinja_contains(in, keys, key))
            continue;
        list_push(in->arena, keys.list, key);
        list_push(in->arena, out.list, items->data[i]);
    }
    return out;
}

static Value filter_reverse(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    Value       out = value_list(in->arena);
    Text        t = {.arena = in->arena};
    for (uint32_t i = items ? items->len : 0; i-- > 0 && jinja_spend(in, 1);) {
        list_push(in->arena, out.list, items->data[i]);
        if (c->self.kind == VALUE_STRING)
            text_add(&t, items->data[i].s);
    }
    return c->self.kind == VALUE_STRING
               ? value_str((Str){t.data ? t.data : "", (uint32_t)t.len})
               : out;
}

/* ---- one value of many ---- */

static Value filter_length(Interp *in, const Call *c)
{
    switch (c->self.kind) {
    case VALUE_STRING:
        jinja_spend(in, c->self.s.len / 64);
        return value_int(jinja_length(c->self.s));
    case VALUE_LIST:      return value_int(c->self.list->len);
    case VALUE_DICT:      return value_int(c->self.dict->len);
    case VALUE_UNDEFINED: return value_int(0);
    default:              return jinja_fault(in, "%s has no length", value_kind_name(c->self));
    }
}

static Value filter_first(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    return items && items->len ? items->data[0] : value_undefined(STR(""));
}

static Value filter_last(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    return items && items->len ? items->data[items->len - 1] : value_undefined(STR(""));
}

static Value filter_list(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    Value       out = value_list(in->arena);
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++)
        list_push(in->arena, out.list, items->data[i]);
    return out;
}

static Value filter_join(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    Str         between = jinja_string(in, jinja_arg(c, 0, "d", value_text("")));
    Value       path = jinja_arg(c, 1, "attribute", value_none());
    Text        t = {.arena = in->arena};
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        if (i > 0)
            text_add(&t, between);
        jinja_write(in, &t,
                    path.kind == VALUE_NONE ? items->data[i]
                                            : attribute(in, items->data[i], path),
                    false);
    }
    return value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
}

static Value filter_sum(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    Value       path = jinja_arg(c, 0, "attribute", value_none());
    Value       sum = jinja_arg(c, 1, "start", value_int(0));
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++)
        sum = jinja_binary(in, STR("+"), sum,
                           path.kind == VALUE_NONE ? items->data[i]
                                                   : attribute(in, items->data[i], path));
    return sum;
}

static Value filter_items(Interp *in, const Call *c)
{
    if (c->self.kind == VALUE_UNDEFINED || c->self.kind == VALUE_NONE)
        return value_list(in->arena);
    if (c->self.kind != VALUE_DICT)
        return jinja_fault(in, "items needs a dictionary, not %s", value_kind_name(c->self));
    return jinja_method_find(value_dict(in->arena), STR("items"))(in, c);
}

/* Lists of `size` items each; the last is filled up if a value for that is given. */
static Value filter_batch(Interp *in, const Call *c)
{
    const List *items = jinja_items(in, c->self);
    int64_t     size = jinja_arg_int(in, c, 0, "linecount", 0);
    Value fill = jinja_arg(c, 1, "fill_with", value_none()), out = value_list(in->arena),
          row = out;
    if (size < 1)
        return jinja_fault(in, "batch needs a size from 1 on");
    for (uint32_t i = 0; items && i < items->len && jinja_spend(in, 1); i++) {
        if (i % (uint64_t)size == 0) {
            row = value_list(in->arena);
            list_push(in->arena, out.list, row);
        }
        list_push(in->arena, row.list, items->data[i]);
    }
    while (out.list->len && fill.kind != VALUE_NONE && row.list->len < size && jinja_spend(in, 1))
        list_push(in->arena, row.list, fill);
    return out;
}

/* ---- table ---- */

static const NativeRow filters[] = {
    {"select", filter_select}, {"reject", filter_reject}, {"selectattr", filter_selectattr},
    {"rejectattr", filter_rejectattr}, {"map", filter_map}, {"sort", filter_sort},
    {"dictsort", filter_dictsort}, {"min", filter_min}, {"max", filter_max},
    {"unique", filter_unique}, {"reverse", filter_reverse}, {"length", filter_length},
    {"count", filter_length}, {"first", filter_first}, {"last", filter_last},
    {"list", filter_list}, {"join", filter_join}, {"sum", filter_sum}, {"items", filter_items},
    {"batch", filter_batch},
};

Native jinja_list_filter_find(Str name)
{
    for (size_t i = 0; i < COUNTOF(filters); i++)
        if (str_eq(str_of(filters[i].name), name))
            return filters[i].function;
    return NULL;
}
