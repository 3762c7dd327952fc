// SPDX-License-Identifier: Apache-2.0
/*
 * iobuiltin.c - the builtin values of entry points, asked about.
 *
 * in     a row of iobuiltin.def
 * out    its type, the stages and directions it belongs to, what it needs
 * knows  WGSL 13.3.1.1 (builtin inputs and outputs)
 */
#include "base/near.h"
#include "check/check_priv.h"

enum { ENABLE_NONE = -1, LANGUAGE_NONE = -1 };

typedef enum IoType {
    IO_TYPE_BOOL,
    IO_TYPE_U32,
    IO_TYPE_F32,
    IO_TYPE_VEC3U,
    IO_TYPE_VEC4F,
    IO_TYPE_DISTANCES,                  /* array<f32, N>, N at most 8            */
} IoType;

#define MAX_DISTANCES 8

typedef struct Row {
    const char *name, *where;
    IoType      type;
    int         enable, language;
} Row;

static const Row rows[] = {
    [IO_NO_BUILTIN] = {"", "", IO_TYPE_BOOL, ENABLE_NONE, LANGUAGE_NONE},
#define IOBUILTIN(name, where, type, enable, language) \
    [IO_##name] = {#name, where, IO_TYPE_##type, ENABLE_##enable, LANGUAGE_##language},
#include "check/iobuiltin.def"
#undef IOBUILTIN
};
_Static_assert(COUNTOF(rows) == IO_BUILTIN_COUNT, "a builtin value has no row");

IoBuiltin io_builtin_find(Str name)
{
    for (int i = IO_NO_BUILTIN + 1; i < IO_BUILTIN_COUNT; i++)
        if (str_eq(name, str_of(rows[i].name)))
            return (IoBuiltin)i;
    return IO_NO_BUILTIN;
}

Str io_builtin_nearest(Str name)
{
    Near near = near_begin(name);
    for (int i = IO_NO_BUILTIN + 1; i < IO_BUILTIN_COUNT; i++)
        near_consider(&near, str_of(rows[i].name));
    return near.found;
}

const char *io_builtin_name(IoBuiltin builtin)
{
    return rows[builtin].name;
}

bool io_builtin_available(Checker *c, IoBuiltin builtin, Span span)
{
    const Row *row = &rows[builtin];
    if (row->enable != ENABLE_NONE && !feature_enabled(c, row->enable)) {
        diag_add(c->diag, DIAG_extension_not_enabled, span,
                 "the builtin value '%s' needs 'enable %s;' at the start of the module",
                 row->name, feature_enable_name(row->enable));
        return false;
    }
    if (row->language != LANGUAGE_NONE && !feature_language(c, row->language)) {
        diag_add(c->diag, DIAG_feature_unavailable, span,
                 "the builtin value '%s' needs the language feature '%s', which is not "
                 "available here", row->name, feature_language_name(row->language));
        return false;
    }
    return true;
}

bool io_builtin_in(IoBuiltin builtin, Stage stage, bool input)
{
    static const char letters[] = {[STAGE_VERTEX] = 'V', [STAGE_FRAGMENT] = 'F',
                                   [STAGE_COMPUTE] = 'C'};
    for (const char *at = rows[builtin].where; *at; at += 2)
        if (at[0] == letters[stage] && at[1] == (input ? 'i' : 'o'))
            return true;
    return false;
}

const char *io_builtin_places(Arena *a, IoBuiltin builtin)
{
    Text text = {.arena = a};
    for (const char *at = rows[builtin].where; *at; at += 2) {
        const char *stage = at[0] == 'V' ? "vertex" : at[0] == 'F' ? "fragment" : "compute";
        text_printf(&text, "%s%s %s", text.len ? " or " : "", stage,
                    at[1] == 'i' ? "input" : "output");
    }
    return text.data;
}

/* NULL for the one that has several types. */
static const Type *type_of(TypeTable *t, IoType type)
{
    switch (type) {
    case IO_TYPE_BOOL:      return t->boolean;
    case IO_TYPE_U32:       return t->u32;
    case IO_TYPE_F32:       return t->f32;
    case IO_TYPE_VEC3U:     return type_vector(t, t->u32, 3);
    case IO_TYPE_VEC4F:     return type_vector(t, t->f32, 4);
    case IO_TYPE_DISTANCES: break;
    }
    return NULL;
}

bool io_builtin_fits(TypeTable *t, IoBuiltin builtin, const Type *type)
{
    const Type *wanted = type_of(t, rows[builtin].type);
    if (wanted)
        return type == wanted;
    return type->kind == TYPE_ARRAY && type->array.count_kind == COUNT_FIXED
        && type->array.of == t->f32 && type->array.count <= MAX_DISTANCES;
}

const char *io_builtin_type(Arena *a, TypeTable *t, IoBuiltin builtin)
{
    const Type *wanted = type_of(t, rows[builtin].type);
    return wanted ? type_string(a, wanted) : "array<f32, N> with N up to 8";
}
