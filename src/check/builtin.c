// SPDX-License-Identifier: Apache-2.0
/*
 * builtin.c - the table of builtin functions, and finding one by its name.
 *
 * in     builtins.def
 * out    names, flags, rows of overloads; all of it constant
 * not    what the rows mean (overload.c)
 */
#include <assert.h>

#include "check/check_priv.h"
#include "check/overload_priv.h"

/* The flags as builtins.def writes them. */
enum {
    CONST               = BUILTIN_CONST,
    MUST_USE            = BUILTIN_MUST_USE,
    COMPUTE_ONLY        = BUILTIN_COMPUTE_ONLY,
    FRAGMENT_ONLY       = BUILTIN_FRAGMENT_ONLY,
    NO_VERTEX           = BUILTIN_NO_VERTEX,
    SUBGROUPS           = BUILTIN_SUBGROUPS,
    SYNC                = BUILTIN_SYNC,
    DERIVATIVE          = BUILTIN_DERIVATIVE,
    SUBGROUP_OP         = BUILTIN_SUBGROUP_OP,
    NONUNIFORM          = BUILTIN_NONUNIFORM,
    UNIFORM_RESULT      = BUILTIN_UNIFORM_RESULT,
    ATOMIC              = BUILTIN_ATOMIC,
    TEXTURE             = BUILTIN_TEXTURE,
    UNIFORM_ARG         = BUILTIN_UNIFORM_ARG,
    SUBGROUP_UNIFORM    = BUILTIN_SUBGROUP_UNIFORM,
    PACKED              = BUILTIN_PACKED,
    READ_WRITE_TEXTURES = BUILTIN_READ_WRITE_TEXTURES,
    BUFFER_VIEW         = BUILTIN_BUFFER_VIEW,
};

typedef struct BuiltinRow {
    const char *name;
    uint32_t    flags;
} BuiltinRow;

static const BuiltinRow builtins[] = {
#define BUILTIN(name, flags) { #name, flags },
#define OVERLOAD(template, params, result, where)
#include "check/builtins.def"
#undef OVERLOAD
#undef BUILTIN
};
static_assert(COUNTOF(builtins) == BUILTIN_ID_COUNT, "a builtin has no row");

/* All OVERLOAD rows in the order of the table. */
static const Overload overloads[] = {
#define BUILTIN(name, flags)
#define OVERLOAD(template, params, result, where) \
    { template, params, result, WHERE_##where },
#include "check/builtins.def"
#undef OVERLOAD
#undef BUILTIN
};

/* Numbers for the places of BUILTIN and OVERLOAD rows, counted together: a
 * BUILTIN's place less the BUILTINs before it (its id) is the number of
 * OVERLOADs before it, and so the index of its first one. */
enum {
#define BUILTIN(name, flags) PLACE_##name,
#define OVERLOAD(template, params, result, where) PLACE_OF_ROW(__LINE__),
#define PLACE_OF_ROW(line) PLACE_JOIN(line)
#define PLACE_JOIN(line) PLACE_LINE_##line
#include "check/builtins.def"
#undef PLACE_JOIN
#undef PLACE_OF_ROW
#undef OVERLOAD
#undef BUILTIN
    PLACE_COUNT
};

static const uint16_t places[] = {
#define BUILTIN(name, flags) PLACE_##name,
#define OVERLOAD(template, params, result, where)
#include "check/builtins.def"
#undef OVERLOAD
#undef BUILTIN
    PLACE_COUNT
};

Overloads builtin_overloads(BuiltinId id)
{
    uint32_t first = places[id] - (uint32_t)id;
    uint32_t end = places[id + 1] - ((uint32_t)id + 1);
    return (Overloads){&overloads[first], end - first};
}

const char *builtin_name(BuiltinId id)
{
    return builtins[id].name;
}

uint32_t builtin_flags(BuiltinId id)
{
    return builtins[id].flags;
}

uint32_t builtin_stages(BuiltinId id)
{
    uint32_t flags = builtin_flags(id);
    uint32_t all = 1u << STAGE_VERTEX | 1u << STAGE_FRAGMENT | 1u << STAGE_COMPUTE;
    if (flags & BUILTIN_COMPUTE_ONLY)
        return 1u << STAGE_COMPUTE;
    if (flags & BUILTIN_FRAGMENT_ONLY)
        return 1u << STAGE_FRAGMENT;
    if (flags & BUILTIN_NO_VERTEX)
        return all & ~(1u << STAGE_VERTEX);
    return all;
}

static int compare(Str name, const char *row)
{
    int order = strncmp(name.data, row, name.len);
    return order ? order : row[name.len] == '\0' ? 0 : -1;
}

bool builtin_find(Str name, BuiltinId *out)
{
    uint32_t low = 0, high = BUILTIN_ID_COUNT;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = compare(name, builtins[middle].name);
        if (order == 0) {
            *out = (BuiltinId)middle;
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
