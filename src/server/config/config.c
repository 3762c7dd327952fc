// SPDX-License-Identifier: Apache-2.0
/*
 * config.c - the keys of the configuration: their table, their values.
 *
 * in     paths such as "server.listen" and texts
 * out    fields of a Config, or a sentence that says what is wrong
 * knows  config.def, units
 * not    YAML (yaml.c)
 */
#include "server/config/config.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"

static const ConfigRow rows[] = {
#define CONFIG(type, field, path, value, effect) \
    {CONFIG_##type, offsetof(Config, field), path, value, effect},
#include "server/config/config.def"
#undef CONFIG
};

static const char *const kind_names[] = {
    [CONFIG_FLAG] = "true or false",
    [CONFIG_COUNT] = "a whole number, such as 10_000",
    [CONFIG_RATIO] = "a number, such as 0.9",
    [CONFIG_BYTES] = "a size with its unit, such as 512MiB or 1GB",
    [CONFIG_TIME] = "a time with its unit, such as 5ms, 30s or 2h",
    [CONFIG_TEXT] = "a text",
    [CONFIG_LIST] = "a list of texts",
};
static const char *const kind_words[] = {
    [CONFIG_FLAG] = "flag", [CONFIG_COUNT] = "count", [CONFIG_RATIO] = "ratio",
    [CONFIG_BYTES] = "size", [CONFIG_TIME] = "time", [CONFIG_TEXT] = "text",
    [CONFIG_LIST] = "list",
};
_Static_assert(COUNTOF(kind_names) == CONFIG_LIST + 1, "a kind has no name");

const ConfigRow *config_row(uint32_t index)
{
    return index < COUNTOF(rows) ? &rows[index] : NULL;
}

static ConfigList list_read(Arena *arena, const char *text)
{
    ConfigList list = {0};
    char      *copy = arena_copy(arena, text, strlen(text) + 1);
    uint32_t   room = 1;
    for (const char *at = copy; *at; at++)
        room += *at == ',';
    list.items = ARENA_ARRAY(arena, char *, room);
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        at += strspn(at, " \t");
        size_t length = strlen(at);
        while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
            at[--length] = '\0';
        if (*at)
            list.items[list.count++] = at;
    }
    return list;
}

static bool flag_read(const char *text, bool *out)
{
    *out = strcmp(text, "true") == 0;
    return *out || strcmp(text, "false") == 0;
}

static bool row_set(Config *c, const ConfigRow *row, const char *text)
{
    void *field = (char *)c + row->offset;
    switch (row->kind) {
    case CONFIG_FLAG:  return flag_read(text, field);
    case CONFIG_COUNT: return units_count(text, field);
    case CONFIG_RATIO: return units_ratio(text, field);
    case CONFIG_BYTES: return units_bytes(text, field);
    case CONFIG_TIME:  return units_time(text, field);
    case CONFIG_TEXT:
        *(char **)field = arena_copy(&c->arena, text, strlen(text) + 1);
        return true;
    case CONFIG_LIST:
        *(ConfigList *)field = list_read(&c->arena, text);
        return true;
    }
    return false;
}

void config_init(Config *c)
{
    *c = (Config){0};
    arena_init(&c->arena, 0);
    for (size_t i = 0; i < COUNTOF(rows); i++)
        BUG_IF(!row_set(c, &rows[i], rows[i].value), "the default of %s", rows[i].path);
}

void config_fini(Config *c)
{
    arena_fini(&c->arena);
    *c = (Config){0};
}

static void unknown_key(const char *path, char *why, size_t size)
{
    Near near = near_begin(str_of(path));
    for (size_t i = 0; i < COUNTOF(rows); i++)
        near_consider(&near, str_of(rows[i].path));
    if (near.found.data)
        snprintf(why, size, "unknown key '%.200s'; did you mean '%.*s'?", path,
                 STR_ARG(near.found));
    else
        snprintf(why, size, "unknown key '%.200s'; 'weft serve --list-config' lists all keys",
                 path);
}

bool config_set(Config *c, const char *path, const char *text, char *why, size_t size)
{
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        if (strcmp(rows[i].path, path) != 0)
            continue;
        if (row_set(c, &rows[i], text))
            return true;
        snprintf(why, size, "%s: '%.100s' is not %s", path, text, kind_names[rows[i].kind]);
        return false;
    }
    unknown_key(path, why, size);
    return false;
}

void config_document(Text *out)
{
    text_add(out, STR("| key | type | default | effect |\n|---|---|---|---|\n"));
    for (size_t i = 0; i < COUNTOF(rows); i++)
        text_printf(out, "| `%s` | %s | %s%s%s | %s |\n", rows[i].path,
                    kind_words[rows[i].kind], *rows[i].value ? "`" : "", rows[i].value,
                    *rows[i].value ? "`" : "", rows[i].effect);
}
