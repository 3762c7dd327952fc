// SPDX-License-Identifier: Apache-2.0
/*
 * value.h - the values of JSON and of templates, in an arena.
 *
 * Lists and dictionaries are references: two values may share one. Dictionaries keep the
 * order in which their keys were added.
 *
 * knows  JSON
 * not    what templates do with values (jinja*.c), schemas
 */
#ifndef WEFT_MODEL_VALUE_H
#define WEFT_MODEL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"
#include "model/fault.h"

#define VALUE_MAX_JSON  (64u << 20) /* bytes of one JSON text                              */
#define VALUE_MAX_DEPTH 200u        /* nested lists and objects                            */

typedef enum ValueKind {
    VALUE_UNDEFINED,
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STRING,
    VALUE_LIST,
    VALUE_DICT,
    VALUE_CALLABLE,
} ValueKind;

typedef struct List     List;
typedef struct Dict     Dict;
typedef struct Callable Callable;   /* of templates                                        */

typedef struct Value {
    ValueKind kind;
    union {
        bool      b;
        int64_t   i;
        double    f;
        Str       s;
        List     *list;
        Dict     *dict;
        Callable *callable;
        Str       missing;          /* VALUE_UNDEFINED: the name, for messages             */
    };
} Value;

struct List {
    Value   *data;
    uint32_t len, cap;
    bool     tuple;                 /* prints with parentheses                             */
};

typedef struct DictEntry {
    Value key, value;
} DictEntry;

struct Dict {
    DictEntry *data;
    uint32_t   len, cap;
    uint32_t  *index;               /* positions + 1 by hash, once there are many          */
    uint32_t   index_size;          /* a power of two, or 0                                */
    bool       is_namespace;        /* its members may be assigned by templates            */
};

static inline Value value_none(void)            { return (Value){.kind = VALUE_NONE}; }
static inline Value value_bool(bool b)          { return (Value){.kind = VALUE_BOOL, .b = b}; }
static inline Value value_int(int64_t i)        { return (Value){.kind = VALUE_INT, .i = i}; }
static inline Value value_float(double f)       { return (Value){.kind = VALUE_FLOAT, .f = f}; }
static inline Value value_str(Str s)            { return (Value){.kind = VALUE_STRING, .s = s}; }
static inline Value value_text(const char *s)   { return value_str(str_of(s)); }
static inline Value value_undefined(Str name)
{
    return (Value){.kind = VALUE_UNDEFINED, .missing = name};
}
Value value_list(Arena *a);
Value value_dict(Arena *a);

static inline bool value_is(Value v, const char *text)
{
    return v.kind == VALUE_STRING && str_eq(v.s, str_of(text));
}

/* "string", "list", ...: for messages. */
const char *value_kind_name(Value v);

/* Equal as in Python: 1 == 1.0 == True; lists and dictionaries by their contents. Takes the
 * comparisons that it makes from *budget; what exceeds it, or the nesting, is not equal. */
bool value_same(Value a, Value b, uint64_t *budget);

void  list_push(Arena *a, List *l, Value v);
/* Room for `count` items, so that pushing them moves nothing. Only for an empty list. */
void  list_reserve(Arena *a, List *l, uint32_t count);

/* Adds or replaces. Keys are scalars or tuples of a few: others are never found again. */
void  dict_set(Arena *a, Dict *d, Value key, Value v);
/* NULL if there is none. */
Value *dict_find(const Dict *d, Value key);
Value *dict_find_text(const Dict *d, const char *key);
/* For the order of insertion; the others close up. */
bool  dict_remove(Arena *a, Dict *d, Value key);

/* ---- JSON ---- */

/* Reads one JSON text of any kind into the arena. The fault has line and column. Must not
 * run under an arena_try() that leaves through here: it has its own. */
bool value_read_json(Value *out, Arena *a, Str json, Fault *fault);

typedef struct JsonStyle {
    int32_t indent;                 /* spaces a level; -1: one line                        */
    Str     item, key;              /* separators: ", " and ": ", or "," and ":"           */
    bool    sort_keys;
    bool    ascii;                  /* other characters as \uXXXX                          */
} JsonStyle;

#define JSON_STYLE_COMPACT (JsonStyle){.indent = -1, .item = STR(","), .key = STR(":")}
#define JSON_STYLE_PYTHON  (JsonStyle){.indent = -1, .item = STR(", "), .key = STR(": ")}

/* Undefined values and callables are written as null. False if the nesting is deeper than
 * VALUE_MAX_DEPTH (a list that contains itself). */
bool value_write_json(Text *t, Value v, JsonStyle style);

/* As Python prints a float: the shortest digits that read back to it. */
void value_write_float(Text *t, double f);

#endif
