// SPDX-License-Identifier: Apache-2.0
/*
 * value.c - lists, dictionaries, equality.
 *
 * in     values
 * out    values in an arena
 * not    texts of them (value_json.c), what templates do with them
 */
#include "model/value.h"

#include <math.h>

#define INDEX_FROM 12u              /* entries from which a dictionary has an index        */

Value value_list(Arena *a)
{
    return (Value){.kind = VALUE_LIST, .list = ARENA_NEW(a, List)};
}

Value value_dict(Arena *a)
{
    return (Value){.kind = VALUE_DICT, .dict = ARENA_NEW(a, Dict)};
}

const char *value_kind_name(Value v)
{
    static const char *const names[] = {
        [VALUE_UNDEFINED] = "undefined", [VALUE_NONE] = "none",  [VALUE_BOOL] = "boolean",
        [VALUE_INT] = "integer",         [VALUE_FLOAT] = "float", [VALUE_STRING] = "string",
        [VALUE_LIST] = "list",           [VALUE_DICT] = "dictionary",
        [VALUE_CALLABLE] = "function",
    };
    return names[v.kind];
}

/* ---- equality and hashes ---- */

static bool is_number(Value v)
{
    return v.kind == VALUE_BOOL || v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}

static double as_double(Value v)
{
    return v.kind == VALUE_FLOAT ? v.f : v.kind == VALUE_INT ? (double)v.i : v.b;
}

static bool numbers_equal(Value a, Value b)
{
    if (a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT)
        return as_double(a) == as_double(b);
    int64_t x = a.kind == VALUE_INT ? a.i : a.b, y = b.kind == VALUE_INT ? b.i : b.b;
    return x == y;
}

/* How far a comparison may go. */
typedef struct Reach {
    uint32_t  depth;
    uint64_t *budget;               /* comparisons left                                    */
} Reach;

static bool equal_at(Value a, Value b, Reach r);

static bool dicts_equal(const Dict *a, const Dict *b, Reach r)
{
    if (a == b)
        return true;
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++) {
        const Value *other = dict_find(b, a->data[i].key);
        if (!other || !equal_at(a->data[i].value, *other, r))
            return false;
    }
    return true;
}

static bool lists_equal(const List *a, const List *b, Reach r)
{
    if (a == b)
        return true;
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (!equal_at(a->data[i], b->data[i], r))
            return false;
    return true;
}

static bool equal_at(Value a, Value b, Reach r)
{
    if (r.depth++ > VALUE_MAX_DEPTH || *r.budget == 0)
        return false;
    --*r.budget;
    if (is_number(a) && is_number(b))
        return numbers_equal(a, b);
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case VALUE_STRING:   return str_eq(a.s, b.s);
    case VALUE_LIST:     return lists_equal(a.list, b.list, r);
    case VALUE_DICT:     return dicts_equal(a.dict, b.dict, r);
    case VALUE_CALLABLE: return a.callable == b.callable;
    default:             return true;           /* undefined, none                         */
    }
}

bool value_same(Value a, Value b, uint64_t *budget)
{
    return equal_at(a, b, (Reach){0, budget});
}

/* Keys are scalars and short tuples: others are never found. */
static bool keys_equal(Value a, Value b)
{
    return equal_at(a, b, (Reach){0, &(uint64_t){16}});
}

/* Equal keys have equal hashes. */
static uint32_t hash_of(Value v)
{
    uint32_t h = 2166136261u;
    if (v.kind == VALUE_STRING) {
        for (uint32_t i = 0; i < v.s.len; i++)
            h = (h ^ (uint8_t)v.s.data[i]) * 16777619u;
    } else if (v.kind == VALUE_LIST) {
        for (uint32_t i = 0; i < v.list->len && i < 16; i++)
            h = h * 31 + (v.list->data[i].kind == VALUE_LIST ? 1 : hash_of(v.list->data[i]));
    } else if (is_number(v)) {
        double f = as_double(v);
        h ^= isfinite(f) ? (uint32_t)(int64_t)fmod(f, 2147483647.0) * 0x9e3779b1u : 7;
    }
    return h;
}

/* ---- lists and dictionaries ---- */

void list_push(Arena *a, List *l, Value v)
{
    VEC_PUSH(a, l, v);
}

void list_reserve(Arena *a, List *l, uint32_t count)
{
    BUG_IF(l->len > 0, "a list of %u items", l->len);
    l->data = ARENA_ARRAY(a, Value, count);
    l->cap = count;
}

static void index_put(Dict *d, uint32_t at)
{
    uint32_t slot = hash_of(d->data[at].key) & (d->index_size - 1);
    while (d->index[slot])
        slot = (slot + 1) & (d->index_size - 1);
    d->index[slot] = at + 1;
}

static void index_make(Arena *a, Dict *d)
{
    uint32_t size = 32;
    while (size < d->len * 4)
        size *= 2;
    d->index = ARENA_ARRAY(a, uint32_t, size);
    d->index_size = size;
    for (uint32_t i = 0; i < d->len; i++)
        index_put(d, i);
}

Value *dict_find(const Dict *d, Value key)
{
    if (d->index_size == 0) {
        for (uint32_t i = 0; i < d->len; i++)
            if (keys_equal(d->data[i].key, key))
                return &d->data[i].value;
        return NULL;
    }
    for (uint32_t slot = hash_of(key);; slot++) {
        uint32_t at = d->index[slot & (d->index_size - 1)];
        if (at == 0)
            return NULL;
        if (keys_equal(d->data[at - 1].key, key))
            return &d->data[at - 1].value;
    }
}

Value *dict_find_text(const Dict *d, const char *key)
{
    return dict_find(d, value_text(key));
}

void dict_set(Arena *a, Dict *d, Value key, Value v)
{
    Value *old = dict_find(d, key);
    if (old) {
        *old = v;
        return;
    }
    VEC_PUSH(a, d, ((DictEntry){key, v}));
    if (d->len >= INDEX_FROM && d->len * 2 > d->index_size)
        index_make(a, d);
    else if (d->index_size)
        index_put(d, d->len - 1);
}

bool dict_remove(Arena *a, Dict *d, Value key)
{
    const Value *found = dict_find(d, key);
    if (!found)
        return false;
    uint32_t at = 0;
    while (&d->data[at].value != found)
        at++;
    memmove(d->data + at, d->data + at + 1, (d->len - at - 1) * sizeof *d->data);
    d->len--;
    if (d->index_size)
        index_make(a, d);
    return true;
}
