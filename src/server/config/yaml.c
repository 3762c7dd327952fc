// SPDX-License-Identifier: Apache-2.0
/*
 * yaml.c - a YAML file becomes settings of keys.
 *
 * in     YAML: nested mappings, scalars, lists of scalars
 * out    config_set() for each leaf; or the line and what is wrong there
 * knows  libyaml
 * not    which keys there are (config.c)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "server/config/config.h"

#define MAX_DEPTH 8
#define MAX_FILE  (1u << 20)

typedef struct Reader {
    Config          *config;
    yaml_document_t *document;
    char            *why;
    size_t           size;
    VEC(const char *) seen;         /* keys that were set                          */
} Reader;

static bool fail(Reader *r, const yaml_node_t *node, const char *what)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", what);
    snprintf(r->why, r->size, "line %zu: %s", (size_t)node->start_mark.line + 1, copy);
    return false;
}

static bool once(Reader *r, const yaml_node_t *node, const char *path)
{
    for (uint32_t i = 0; i < r->seen.len; i++)
        if (strcmp(r->seen.data[i], path) == 0)
            return fail(r, node, arena_printf(&r->config->arena, "'%.200s' is set twice", path));
    VEC_PUSH(&r->config->arena, &r->seen, path);
    return true;
}

/* A list of scalars as one text with commas. */
static bool join_list(Reader *r, const yaml_node_t *list, const char *path, Text *out)
{
    for (yaml_node_item_t *at = list->data.sequence.items.start;
         at < list->data.sequence.items.top; at++) {
        const yaml_node_t *item = yaml_document_get_node(r->document, *at);
        if (!item || item->type != YAML_SCALAR_NODE
            || strchr((const char *)item->data.scalar.value, ','))
            return fail(r, list, arena_printf(&r->config->arena,
                        "%.200s: the items of a list are plain texts", path));
        text_printf(out, "%s%s", out->len ? "," : "", (const char *)item->data.scalar.value);
    }
    return true;
}

static bool set_leaf(Reader *r, const yaml_node_t *node, const char *path)
{
    Text        joined = {.arena = &r->config->arena};
    const char *text = "";
    char        why[400];
    if (node->type == YAML_SCALAR_NODE) {
        text = (const char *)node->data.scalar.value;
        if (strlen(text) != node->data.scalar.length)
            return fail(r, node, "a text contains a NUL character");
    } else {
        if (!join_list(r, node, path, &joined))
            return false;
        text = joined.len ? joined.data : "";
    }
    if (!once(r, node, path))
        return false;
    return config_set(r->config, path, text, why, sizeof why) || fail(r, node, why);
}

static bool is_group(const char *path)
{
    size_t length = strlen(path);
    for (uint32_t i = 0; config_row(i); i++)
        if (strncmp(config_row(i)->path, path, length) == 0
            && config_row(i)->path[length] == '.')
            return true;
    return false;
}

static bool read_mapping(Reader *r, const yaml_node_t *map, const char *prefix, int depth);

static bool read_value(Reader *r, const yaml_node_t *value, const char *path, int depth)
{
    if (!is_group(path) && value->type != YAML_MAPPING_NODE)
        return set_leaf(r, value, path);
    if (!is_group(path)) {
        char why[400];
        if (config_set(r->config, path, "", why, sizeof why) || strstr(why, "is not"))
            snprintf(why, sizeof why, "'%.200s' has no keys below it", path);
        return fail(r, value, why);
    }
    if (value->type == YAML_MAPPING_NODE)
        return read_mapping(r, value, path, depth + 1);
    if (value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0)
        return true;                    /* "server:" with nothing below it */
    return fail(r, value, arena_printf(&r->config->arena,
                "'%.200s' is a group of keys, not a value", path));
}

static bool read_mapping(Reader *r, const yaml_node_t *map, const char *prefix, int depth)
{
    if (depth > MAX_DEPTH)
        return fail(r, map, "nested too deeply");
    for (yaml_node_pair_t *at = map->data.mapping.pairs.start;
         at < map->data.mapping.pairs.top; at++) {
        const yaml_node_t *key = yaml_document_get_node(r->document, at->key);
        const yaml_node_t *value = yaml_document_get_node(r->document, at->value);
        if (!key || !value || key->type != YAML_SCALAR_NODE)
            return fail(r, map, "a key is not a plain text");
        const char *path = arena_printf(&r->config->arena, "%s%s%.200s", prefix,
                                        *prefix ? "." : "",
                                        (const char *)key->data.scalar.value);
        if (!read_value(r, value, path, depth))
            return false;
    }
    return true;
}

static bool read_document(Reader *r)
{
    yaml_node_t *root = yaml_document_get_root_node(r->document);
    if (!root)
        return true;                    /* an empty file */
    if (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0)
        return true;
    if (root->type != YAML_MAPPING_NODE)
        return fail(r, root, "the file is not a mapping of keys");
    return read_mapping(r, root, "", 0);
}

bool config_read(Config *c, const char *yaml, size_t length, char *why, size_t size)
{
    config_init(c);
    yaml_parser_t   parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser)) {
        snprintf(why, size, "out of memory");
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)yaml, length);
    bool ok = yaml_parser_load(&parser, &document);
    if (!ok) {
        snprintf(why, size, "line %zu: %s", parser.problem_mark.line + 1,
                 parser.problem ? parser.problem : "not YAML");
    } else {
        Reader r = {.config = c, .document = &document, .why = why, .size = size};
        ok = read_document(&r);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return ok;
}

bool config_load(Config *c, const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        config_init(c);
        snprintf(why, size, "%.200s: %s", path, strerror(errno));
        return false;
    }
    char  *text = malloc(MAX_FILE);
    size_t length = text ? fread(text, 1, MAX_FILE, file) : 0;
    bool   ok = text && !ferror(file) && length < MAX_FILE;
    fclose(file);
    if (!ok) {
        config_init(c);
        snprintf(why, size, "%.200s: cannot be read, or larger than 1 MiB", path);
    } else {
        char inner[600];
        ok = config_read(c, text, length, inner, sizeof inner);
        if (!ok)
            snprintf(why, size, "%.200s: %s", path, inner);
    }
    free(text);
    return ok;
}
