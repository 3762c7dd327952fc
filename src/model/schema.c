// SPDX-License-Identifier: Apache-2.0
/*
 * schema.c - a JSON schema becomes GBNF.
 *
 * in     a schema as JSON text
 * out    rules, named after their place in the schema
 * knows  JSON Schema's keywords, see schema.h
 * not    numbers (schema_number.c), regular expressions (schema_pattern.c), matching
 */
#include "model/schema.h"

#include <math.h>
#include <stdlib.h>

#include "model/schema_priv.h"

/* ---- rules that schemas share ---- */

/*      name                needs                    text                                  */
#define PRIMITIVES(X)                                                                      \
    X("boolean",            "",                      "(\"true\" | \"false\")")             \
    X("decimal-part",       "",                      "[0-9]{1,16}")                        \
    X("integral-part",      "",                      "[0] | [1-9] [0-9]{0,15}")            \
    X("number",             "integral-part decimal-part",                                  \
      "(\"-\"? integral-part) (\".\" decimal-part)? ([eE] [-+]? integral-part)?")          \
    X("integer",            "integral-part",         "(\"-\"? integral-part)")             \
    X("value",              "object array string number boolean null",                     \
      "object | array | string | number | boolean | null")                                 \
    X("object",             "string value",                                                \
      "\"{\" space ( string \":\" space value (\",\" space string \":\" space value)* )? " \
      "space \"}\"")                                                                       \
    X("array",              "value",                                                       \
      "\"[\" space ( value (\",\" space value)* )? space \"]\"")                           \
    X("uuid",               "",                                                            \
      "\"\\\"\" [0-9a-fA-F]{8} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{4} \"-\" "           \
      "[0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{12} \"\\\"\"")                                     \
    X("char",               "",                                                            \
      "[^\"\\\\\\x7F\\x00-\\x1F] | [\\\\] ([\"\\\\bfnrt] | \"u\" [0-9a-fA-F]{4})")         \
    X("string",             "char",                  "\"\\\"\" char* \"\\\"\"")            \
    X("null",               "",                      "\"null\"")                           \
    X("date",               "",                                                            \
      "[0-9]{4} \"-\" ( \"0\" [1-9] | \"1\" [0-2] ) \"-\" "                                \
      "( \"0\" [1-9] | [1-2] [0-9] | \"3\" [0-1] )")                                       \
    X("time",               "",                                                            \
      "([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9] \":\" [0-5] [0-9] ( \".\" [0-9]{3} )? "\
      "( \"Z\" | ( \"+\" | \"-\" ) ( [01] [0-9] | \"2\" [0-3] ) \":\" [0-5] [0-9] )")      \
    X("date-time",          "date time",             "date \"T\" time")                    \
    X("date-string",        "date",                  "\"\\\"\" date \"\\\"\"")             \
    X("time-string",        "time",                  "\"\\\"\" time \"\\\"\"")             \
    X("date-time-string",   "date-time",             "\"\\\"\" date-time \"\\\"\"")

static const struct Primitive {
    const char *name, *needs, *text;
} primitives[] = {
#define X(name, needs, text) {name, needs, text},
    PRIMITIVES(X)
#undef X
};

#define SPACE "| \" \" | \"\\n\"{1,2} [ \\t]{0,20}"

static const struct Primitive *primitive_find(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNTOF(primitives); i++)
        if (strlen(primitives[i].name) == len && memcmp(primitives[i].name, name, len) == 0)
            return &primitives[i];
    return NULL;
}

/* Values of "type" that are a primitive of their own. */
static bool is_type(const char *name)
{
    static const char *const types[] = {"boolean", "number", "integer", "value", "object",
                                        "array",   "string", "null",    "uuid",  "char",
                                        "decimal-part", "integral-part"};
    for (size_t i = 0; i < COUNTOF(types); i++)
        if (strcmp(types[i], name) == 0)
            return true;
    return false;
}

/* ---- names ---- */

/* Runs of characters that names cannot have become one dash. */
static const char *clean_name(Schema *s, const char *name)
{
    char  *out = arena_copy(s->arena, name, strlen(name) + 1);
    size_t n = 0;
    bool   bad = false;
    for (; *name; name++) {
        char c = *name;
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-';
        if (good || !bad)
            out[n++] = good ? c : '-';
        bad = !good;
    }
    out[n] = '\0';
    return out;
}

const char *schema_add_rule(Schema *s, const char *name, const char *text)
{
    const char *base = clean_name(s, name), *key = base;
    for (uint32_t i = 0;; i++) {
        const Value *old = dict_find_text(s->rules, key);
        if (!old || value_is(*old, text))
            break;
        key = arena_printf(s->arena, "%s%u", base, i);
    }
    dict_set(s->arena, s->rules, value_text(key), value_text(text));
    return key;
}

const char *schema_add_primitive(Schema *s, const char *name, const char *primitive)
{
    const struct Primitive *p = primitive_find(primitive, strlen(primitive));
    BUG_IF(!p, "no primitive '%s'", primitive);
    const char *added = schema_add_rule(s, name, p->text);
    for (const char *need = p->needs; *need;) {
        size_t      len = strcspn(need, " ");
        const char *dep = primitive_find(need, len)->name;
        if (!dict_find_text(s->rules, dep))
            schema_add_primitive(s, dep, dep);
        need += len + (need[len] == ' ');
    }
    return added;
}

/* The path of a part: "", then "items", then "items-name". */
static const char *join(Schema *s, const char *path, const char *part)
{
    return path[0] ? arena_printf(s->arena, "%s-%s", path, part) : part;
}

/* ---- texts ---- */

const char *schema_quote(Schema *s, const char *text)
{
    Text t = {.arena = s->arena};
    text_char(&t, '"');
    for (; *text; text++) {
        if (*text == '\r' || *text == '\n')
            text_add(&t, *text == '\r' ? STR("\\r") : STR("\\n"));
        else if (*text == '"' || *text == '\\')
            text_printf(&t, "\\%c", *text);
        else
            text_char(&t, *text);
    }
    text_char(&t, '"');
    return t.data;
}

const char *schema_literal(Schema *s, Value v)
{
    Text t = {.arena = s->arena};
    if (!value_write_json(&t, v, JSON_STYLE_COMPACT))
        fault_set(s->fault, FAULT_LIMIT, "schema: a constant is nested too deeply");
    return schema_quote(s, t.data);
}

const char *schema_repeat(Schema *s, const char *item, int64_t min, int64_t max,
                          const char *separator)
{
    if (max == 0)
        return "";
    if (min == 0 && max == 1)
        return arena_printf(s->arena, "%s?", item);
    if (separator) {
        const char *more = arena_printf(s->arena, "(%s %s)", separator, item);
        more = schema_repeat(s, more, min == 0 ? 0 : min - 1,
                             max == SCHEMA_NO_MAX ? max : max - 1, NULL);
        return arena_printf(s->arena, min == 0 ? "(%s %s)?" : "%s %s", item, more);
    }
    if (max == SCHEMA_NO_MAX && min <= 1)
        return arena_printf(s->arena, "%s%c", item, min == 0 ? '*' : '+');
    if (max == SCHEMA_NO_MAX)
        return arena_printf(s->arena, "%s{%lld,}", item, (long long)min);
    return arena_printf(s->arena, "%s{%lld,%lld}", item, (long long)min, (long long)max);
}

/* ---- keywords ---- */

static Value member(Value schema, const char *key)
{
    const Value *v = schema.kind == VALUE_DICT ? dict_find_text(schema.dict, key) : NULL;
    return v ? *v : value_undefined(STR(""));
}

static bool has(Value schema, const char *key)
{
    return schema.kind == VALUE_DICT && dict_find_text(schema.dict, key) != NULL;
}

/* A count such as minItems; `none` without it. */
static int64_t count_of(Schema *s, Value schema, const char *key, int64_t none)
{
    Value v = member(schema, key);
    if (v.kind == VALUE_FLOAT && v.f == floor(v.f) && fabs(v.f) < 1e9)
        v = value_int((int64_t)v.f);
    if (v.kind == VALUE_UNDEFINED || v.kind == VALUE_NONE)
        return none;
    if (v.kind != VALUE_INT || v.i < 0) {
        fault_set(s->fault, FAULT_FORMAT, "schema: \"%s\" must be an integer from 0 on", key);
        return none;
    }
    return v.i;
}

static const char *visit(Schema *s, Value schema, const char *path);

static const char *join_rules(Schema *s, const List *parts, const char *path, bool numbered)
{
    Text t = {.arena = s->arena};
    if (parts->len == 0)
        fault_set(s->fault, FAULT_FORMAT, "schema: an empty list of alternatives at \"%.200s\": "
                  "anyOf, oneOf, enum and type need at least one", path[0] ? path : "root");
    for (uint32_t i = 0; i < parts->len; i++) {
        const char *name = arena_printf(s->arena, "%s%u", path[0] ? "" : "alternative-", i);
        text_printf(&t, "%s%s", i ? " | " : "",
                    numbered ? visit(s, parts->data[i], join(s, path, name))
                             : schema_literal(s, parts->data[i]));
    }
    return t.data ? t.data : "";
}

/* {"type": ["string", "null"]}: one alternative for each type. */
static const char *visit_types(Schema *s, Value schema, const List *types, const char *path)
{
    Value copies = value_list(s->arena);
    for (uint32_t i = 0; i < types->len; i++) {
        Value copy = value_dict(s->arena);
        for (uint32_t k = 0; k < schema.dict->len; k++)
            dict_set(s->arena, copy.dict, schema.dict->data[k].key, schema.dict->data[k].value);
        dict_set(s->arena, copy.dict, value_text("type"), types->data[i]);
        list_push(s->arena, copies.list, copy);
    }
    return join_rules(s, copies.list, path, true);
}

/* ---- objects ---- */

typedef struct Property {
    const char *name;               /* "*": all others                                     */
    const char *rule;               /* of key and value                                    */
} Property;

typedef struct Properties {
    VEC(Property) required, optional;
} Properties;

/* Rules  k1-rest ::= ("," k2)? k2-rest  for what may follow each optional property. */
static void add_rests(Schema *s, const Properties *p, const char *path, const char **rests)
{
    for (uint32_t i = p->optional.len; i-- > 1;) {
        const Property *k = &p->optional.data[i];
        bool            any = strcmp(k->name, "*") == 0;
        const char *text =
            arena_printf(s->arena, "( \",\" space %s )%c", k->rule, any ? '*' : '?');
        if (i + 1 < p->optional.len)
            text = arena_printf(s->arena, "%s %s", text, rests[i]);
        const char *name = arena_printf(s->arena, "%s-rest", p->optional.data[i - 1].name);
        rests[i - 1] = schema_add_rule(s, join(s, path, name), text);
    }
}

static void write_optional(Schema *s, Text *t, const Properties *p, const char *path)
{
    const char **rests = ARENA_ARRAY(s->arena, const char *, p->optional.len);
    add_rests(s, p, path, rests);
    text_add(t, STR(" ("));
    if (p->required.len > 0)
        text_add(t, STR(" \",\" space ( "));
    for (uint32_t i = 0; i < p->optional.len; i++) {
        const Property *k = &p->optional.data[i];
        text_printf(t, "%s%s", i ? " | " : "", k->rule);
        if (strcmp(k->name, "*") == 0)
            text_printf(t, " ( \",\" space %s )*", k->rule);
        if (rests[i])
            text_printf(t, " %s", rests[i]);
    }
    text_add(t, p->required.len > 0 ? STR(" ) )?") : STR(" )?"));
}

static void add_property(Schema *s, Properties *p, Value key, Value schema, bool required,
                         const char *path)
{
    const char *name = arena_printf(s->arena, "%.*s", STR_ARG(key.s));
    const char *value = visit(s, schema, join(s, path, name));
    const char *kv =
        arena_printf(s->arena, "%s space \":\" space %s", schema_literal(s, key), value);
    Property prop = {
        name,
        schema_add_rule(s, join(s, path, arena_printf(s->arena, "%s-kv", name)), kv)};
    if (required)
        VEC_PUSH(s->arena, &p->required, prop);
    else
        VEC_PUSH(s->arena, &p->optional, prop);
}

static void add_others(Schema *s, Properties *p, const Dict *properties, Value others,
                       const char *path)
{
    const char *name = join(s, path, "additional");
    const char *value = others.kind == VALUE_DICT
                            ? visit(s, others, arena_printf(s->arena, "%s-value", name))
                            : schema_add_primitive(s, "value", "value");
    const char *key;
    if (properties->len == 0) {
        key = schema_add_primitive(s, "string", "string");
    } else {
        Value *names = ARENA_ARRAY(s->arena, Value, properties->len);
        for (uint32_t i = 0; i < properties->len; i++)
            names[i] = properties->data[i].key;
        key = schema_add_rule(s, arena_printf(s->arena, "%s-k", name),
                              schema_other_keys(s, names, properties->len));
    }
    const char *kv = arena_printf(s->arena, "%s \":\" space %s", key, value);
    Property    prop = {"*", schema_add_rule(s, arena_printf(s->arena, "%s-kv", name), kv)};
    VEC_PUSH(s->arena, &p->optional, prop);
}

/* `required` holds the names of required properties as keys. */
static const char *build_object(Schema *s, const Dict *properties, const Dict *required,
                                Value others, const char *path)
{
    Properties p = {0};
    Text       t = {.arena = s->arena};
    for (uint32_t i = 0; i < properties->len && s->fault->kind == FAULT_NONE; i++) {
        Value key = properties->data[i].key;
        add_property(s, &p, key, properties->data[i].value, dict_find(required, key) != NULL, path);
    }
    if (others.kind == VALUE_DICT || (others.kind == VALUE_BOOL && others.b))
        add_others(s, &p, properties, others, path);
    text_add(&t, STR("\"{\" space "));
    for (uint32_t i = 0; i < p.required.len; i++)
        text_printf(&t, "%s%s", i ? " \",\" space " : "", p.required.data[i].rule);
    if (p.optional.len > 0)
        write_optional(s, &t, &p, path);
    text_add(&t, STR(" space \"}\""));
    return t.data;
}

static const char *visit_object(Schema *s, Value schema, const char *path)
{
    Value properties = member(schema, "properties"), list = member(schema, "required");
    Dict *required = value_dict(s->arena).dict;
    if (list.kind == VALUE_LIST)
        for (uint32_t i = 0; i < list.list->len; i++)
            dict_set(s->arena, required, list.list->data[i], value_bool(true));
    if (properties.kind != VALUE_DICT)
        properties = value_dict(s->arena);
    return build_object(s, properties.dict, required, member(schema, "additionalProperties"), path);
}

/* ---- references ---- */

/* The part of a pointer up to the next slash, with ~1 and ~0 decoded; *at moves behind it. */
static Value pointer_part(Schema *s, const char **at)
{
    size_t len = strcspn(*at, "/"), n = 0;
    char  *part = arena_alloc(s->arena, len + 1);
    for (size_t i = 0; i < len; i++) {
        bool escaped = (*at)[i] == '~' && i + 1 < len
                       && ((*at)[i + 1] == '0' || (*at)[i + 1] == '1');
        part[n++] = escaped ? ((*at)[i + 1] == '0' ? '~' : '/') : (*at)[i];
        i += escaped;
    }
    *at += len + ((*at)[len] == '/');
    return value_str((Str){part, (uint32_t)n});
}

static Value resolve(Schema *s, const char *ref)
{
    Value       v = s->root;
    const char *at = ref + 1;
    if (ref[0] != '#' || (ref[1] != '\0' && ref[1] != '/')) {
        fault_set(s->fault, FAULT_UNSUPPORTED,
                  "schema: $ref \"%.200s\": only references within the schema (\"#/...\")", ref);
        return v;
    }
    for (at += *at == '/'; *at;) {
        Value        part = pointer_part(s, &at);
        const Value *next = NULL;
        if (v.kind == VALUE_DICT)
            next = dict_find(v.dict, part);
        else if (v.kind == VALUE_LIST && part.s.len > 0 && part.s.len < 9 &&
                 strspn(part.s.data, "0123456789") == part.s.len) {
            uint32_t index = (uint32_t)strtoul(part.s.data, NULL, 10);
            next = index < v.list->len ? &v.list->data[index] : NULL;
        }
        if (!next) {
            fault_set(s->fault, FAULT_FORMAT, "schema: $ref \"%.200s\": there is no \"%.*s\"", ref,
                      (int)MIN_OF(part.s.len, 100u), part.s.data);
            return s->root;
        }
        v = *next;
    }
    return v;
}

static const char *reference_text(Schema *s, Value ref)
{
    if (ref.kind != VALUE_STRING) {
        fault_set(s->fault, FAULT_FORMAT, "schema: $ref must be a string");
        return "#";
    }
    return arena_printf(s->arena, "%.*s", STR_ARG(ref.s));
}

/* A reference that is being converted already is its name: schemas may be recursive. */
static const char *visit_reference(Schema *s, Value value)
{
    const char *ref = reference_text(s, value);
    Value       target = resolve(s, ref);
    const char *fragment = strchr(ref, '#');
    const char *name =
        clean_name(s, arena_printf(s->arena, "ref%s", fragment ? fragment + 1 : ref));
    if (s->fault->kind != FAULT_NONE || dict_find_text(s->rules, name) ||
        dict_find_text(s->open_refs, ref))
        return name;
    dict_set(s->arena, s->open_refs, value_text(ref), value_bool(true));
    const char *rule = visit(s, target, name);
    dict_remove(s->arena, s->open_refs, value_text(ref));
    return rule;
}

/* ---- allOf ---- */

typedef struct AllOf {
    Dict *properties, *required;
    Dict *constants;                /* literal -> in how many parts                        */
} AllOf;

static void add_part(Schema *s, AllOf *all, Value part, bool required, uint32_t depth)
{
    if (depth > SCHEMA_MAX_DEPTH) {
        fault_set(s->fault, FAULT_LIMIT, "schema: references in allOf go round in a circle");
        return;
    }
    if (has(part, "$ref") && s->fault->kind == FAULT_NONE) {
        add_part(s, all, resolve(s, reference_text(s, member(part, "$ref"))), required, depth + 1);
        return;
    }
    Value properties = member(part, "properties"), list = member(part, "enum");
    if (properties.kind == VALUE_DICT) {
        for (uint32_t i = 0; i < properties.dict->len; i++) {
            DictEntry e = properties.dict->data[i];
            dict_set(s->arena, all->properties, e.key, e.value);
            if (required)
                dict_set(s->arena, all->required, e.key, value_bool(true));
        }
    } else if (list.kind == VALUE_LIST) {
        for (uint32_t i = 0; i < list.list->len; i++) {
            Value  literal = value_text(schema_literal(s, list.list->data[i]));
            Value *count = dict_find(all->constants, literal);
            dict_set(s->arena, all->constants, literal, value_int(count ? count->i + 1 : 1));
        }
    }
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const DictEntry *)a)->key.s.data, ((const DictEntry *)b)->key.s.data);
}

/* The constants that all parts have; NULL if there are none. */
static const char *common_constants(Schema *s, const AllOf *all, uint32_t parts)
{
    Text t = {.arena = s->arena};
    if (all->constants->len > 0)
        qsort(all->constants->data, all->constants->len, sizeof *all->constants->data,
              compare_keys);
    for (uint32_t i = 0; i < all->constants->len; i++)
        if (all->constants->data[i].value.i == parts)
            text_printf(&t, "%s%.*s", t.len ? " | " : "", STR_ARG(all->constants->data[i].key.s));
    return t.data ? arena_printf(s->arena, "(%s)", t.data) : NULL;
}

static const char *visit_all(Schema *s, const List *parts, const char *path)
{
    AllOf all = {value_dict(s->arena).dict, value_dict(s->arena).dict, value_dict(s->arena).dict};
    for (uint32_t i = 0; i < parts->len; i++) {
        Value any = member(parts->data[i], "anyOf");
        if (any.kind != VALUE_LIST) {
            add_part(s, &all, parts->data[i], true, 0);
            continue;
        }
        for (uint32_t k = 0; k < any.list->len; k++)
            add_part(s, &all, any.list->data[k], false, 0);
    }
    const char *constants = common_constants(s, &all, parts->len);
    return constants ? constants
                     : build_object(s, all.properties, all.required, value_none(), path);
}

/* ---- arrays, strings, integers ---- */

static const char *visit_array(Schema *s, Value schema, const char *path)
{
    Value items = has(schema, "items") ? member(schema, "items") : member(schema, "prefixItems");
    Text  t = {.arena = s->arena};
    if (items.kind == VALUE_LIST) {
        text_add(&t, STR("\"[\" space "));
        for (uint32_t i = 0; i < items.list->len; i++) {
            const char *name = arena_printf(s->arena, "tuple-%u", i);
            text_printf(&t, "%s%s", i ? " \",\" space " : "",
                        visit(s, items.list->data[i], join(s, path, name)));
        }
        text_add(&t, STR(" space \"]\""));
        return t.data;
    }
    const char *item = visit(s, items, join(s, path, "item"));
    int64_t     min = count_of(s, schema, "minItems", 0);
    int64_t     max = count_of(s, schema, "maxItems", SCHEMA_NO_MAX);
    return arena_printf(s->arena, "\"[\" space %s space \"]\"",
                        schema_repeat(s, item, min, max, "\",\" space"));
}

/* A bound of integers: the nearest integer inside it. */
static int64_t bound_of(Schema *s, Value schema, const char *inside, const char *outside, int step,
                        int64_t none)
{
    bool  exclusive = !has(schema, inside);
    Value v = member(schema, exclusive ? outside : inside);
    if (v.kind == VALUE_FLOAT && fabs(v.f) < 1e18) {
        double near = step > 0 ? ceil(v.f) : floor(v.f);
        exclusive = exclusive && near == v.f;
        v = value_int((int64_t)near);
    }
    if (v.kind == VALUE_UNDEFINED)
        return none;
    if (v.kind != VALUE_INT || v.i > INT64_MAX / 2 || v.i < INT64_MIN / 2) {
        fault_set(s->fault, FAULT_FORMAT, "schema: \"%s\" must be a number below 2^62",
                  exclusive ? outside : inside);
        return none;
    }
    return exclusive ? v.i + step : v.i;
}

static const char *visit_integer(Schema *s, Value schema)
{
    Text    t = {.arena = s->arena};
    int64_t min = bound_of(s, schema, "minimum", "exclusiveMinimum", 1, INT64_MIN);
    int64_t max = bound_of(s, schema, "maximum", "exclusiveMaximum", -1, INT64_MAX);
    if (min > max)
        fault_set(s->fault, FAULT_FORMAT, "schema: no integer is from %lld to %lld", (long long)min,
                  (long long)max);
    if (s->fault->kind != FAULT_NONE)
        return "";
    text_char(&t, '(');
    schema_integer_range(&t, min, max);
    text_char(&t, ')');
    return t.data;
}

static bool has_bounds(Value schema)
{
    return has(schema, "minimum") || has(schema, "exclusiveMinimum") || has(schema, "maximum") ||
           has(schema, "exclusiveMaximum");
}

static bool is_uuid(Value format)
{
    return format.kind == VALUE_STRING && format.s.len >= 4 && format.s.len <= 5 &&
           memcmp(format.s.data, "uuid", 4) == 0 &&
           (format.s.len == 4 || (format.s.data[4] >= '1' && format.s.data[4] <= '5'));
}

/* "date-string" and so on for a format that has a primitive; NULL for others. */
static const char *format_rule(Schema *s, Value format)
{
    if (format.kind != VALUE_STRING || format.s.len > 20)
        return NULL;
    const char *name = arena_printf(s->arena, "%.*s-string", STR_ARG(format.s));
    return primitive_find(name, strlen(name)) ? name : NULL;
}

/* A string with keywords: the name of its rule; NULL if no keyword restricts it. */
static const char *visit_string(Schema *s, Value schema, bool typed, const char *rule)
{
    Value       pattern = member(schema, "pattern"), format = member(schema, "format");
    const char *primitive = format_rule(s, format);
    if (pattern.kind == VALUE_STRING)
        return schema_pattern(s, rule, pattern.s);
    if (is_uuid(format)) {
        const char *name = strcmp(rule, "root") == 0
                               ? "root" : arena_printf(s->arena, "%.*s", STR_ARG(format.s));
        return schema_add_primitive(s, name, "uuid");
    }
    if (primitive)
        return schema_add_rule(s, rule, schema_add_primitive(s, primitive, primitive));
    if (!typed || (!has(schema, "minLength") && !has(schema, "maxLength")))
        return NULL;
    const char *chars = schema_add_primitive(s, "char", "char");
    int64_t     min = count_of(s, schema, "minLength", 0);
    int64_t     max = count_of(s, schema, "maxLength", SCHEMA_NO_MAX);
    return schema_add_rule(s, rule, arena_printf(s->arena, "\"\\\"\" %s \"\\\"\"",
                                                 schema_repeat(s, chars, min, max, NULL)));
}

/* ---- one schema ---- */

/* The text of a schema whose keywords decide it; NULL if they leave it to the type. */
static const char *visit_keywords(Schema *s, Value schema, const char *path)
{
    Value type = member(schema, "type"), all = member(schema, "allOf");
    Value any = has(schema, "oneOf") ? member(schema, "oneOf") : member(schema, "anyOf");
    Value others = member(schema, "additionalProperties");
    bool  untyped = type.kind == VALUE_UNDEFINED || type.kind == VALUE_NONE;

    if (has(schema, "$ref"))
        return visit_reference(s, member(schema, "$ref"));
    if (any.kind == VALUE_LIST)
        return join_rules(s, any.list, path, true);
    if (type.kind == VALUE_LIST)
        return visit_types(s, schema, type.list, path);
    if (has(schema, "const"))
        return schema_literal(s, member(schema, "const"));
    if (member(schema, "enum").kind == VALUE_LIST)
        return arena_printf(s->arena, "(%s)",
                            join_rules(s, member(schema, "enum").list, path, false));
    if ((untyped || value_is(type, "object")) &&
        (has(schema, "properties") ||
         (others.kind != VALUE_UNDEFINED && !(others.kind == VALUE_BOOL && others.b))))
        return visit_object(s, schema, path);
    if ((untyped || value_is(type, "object") || value_is(type, "string")) && all.kind == VALUE_LIST)
        return visit_all(s, all.list, path);
    if ((untyped || value_is(type, "array"))
        && (has(schema, "items") || has(schema, "prefixItems")))
        return visit_array(s, schema, path);
    if (value_is(type, "integer") && has_bounds(schema))
        return visit_integer(s, schema);
    return NULL;
}

static const char *visit_type(Schema *s, Value schema, const char *rule)
{
    Value type = member(schema, "type");
    bool  untyped = type.kind == VALUE_UNDEFINED || type.kind == VALUE_NONE;
    if (schema.dict->len == 0 || value_is(type, "object"))
        return schema_add_rule(s, rule, schema_add_primitive(s, "object", "object"));
    if (untyped)
        return schema_add_rule(s, rule, schema_add_primitive(s, "value", "value"));
    const char *name = type.kind == VALUE_STRING
                           ? arena_printf(s->arena, "%.*s", STR_ARG(type.s)) : "";
    if (!is_type(name)) {
        Text t = {.arena = s->arena};
        value_write_json(&t, type, JSON_STYLE_COMPACT);
        fault_set(s->fault, FAULT_FORMAT, "schema: unknown type %.100s", t.data);
        return "";
    }
    return schema_add_primitive(s, strcmp(rule, "root") == 0 ? "root" : name, name);
}

/* Converts a part of the schema and returns the name of its rule. */
static const char *visit(Schema *s, Value schema, const char *path)
{
    const char *rule = path[0] == '\0' ? "root" : path;
    if (primitive_find(path, strlen(path)) || strcmp(path, "root") == 0)
        rule = arena_printf(s->arena, "%s-", path);
    if (s->fault->kind != FAULT_NONE)
        return "";
    if (schema.kind == VALUE_BOOL && schema.b)
        schema = value_dict(s->arena);
    if (schema.kind != VALUE_DICT) {
        fault_set(s->fault, FAULT_FORMAT, "schema: \"%s\" must be an object, it is a %s", rule,
                  value_kind_name(schema));
        return "";
    }
    if (s->depth >= SCHEMA_MAX_DEPTH) {
        fault_set(s->fault, FAULT_LIMIT, "schema: more than %u nested levels", SCHEMA_MAX_DEPTH);
        return "";
    }
    s->depth++;
    Value       type = member(schema, "type");
    bool        untyped = type.kind == VALUE_UNDEFINED || type.kind == VALUE_NONE;
    const char *text = visit_keywords(s, schema, path), *name = NULL;
    if (text)
        name = schema_add_rule(s, rule, text);
    else if (untyped || value_is(type, "string"))
        name = visit_string(s, schema, !untyped, rule);
    if (!name)
        name = visit_type(s, schema, rule);
    s->depth--;
    return name;
}

/* ---- the whole ---- */

typedef struct Convert {
    Schema schema;
    Str   *out;
} Convert;

static void convert(void *context)
{
    Convert *c = context;
    Schema  *s = &c->schema;
    Text     t = {.arena = s->arena};
    s->rules = value_dict(s->arena).dict;
    s->open_refs = value_dict(s->arena).dict;
    schema_add_rule(s, "space", SPACE);
    visit(s, s->root, "");
    if (s->fault->kind != FAULT_NONE)
        return;
    qsort(s->rules->data, s->rules->len, sizeof *s->rules->data, compare_keys);
    for (uint32_t i = 0; i < s->rules->len; i++) {
        DictEntry e = s->rules->data[i];
        text_printf(&t, "%.*s ::= %.*s\n", STR_ARG(e.key.s), STR_ARG(e.value.s));
    }
    *c->out = (Str){t.data, (uint32_t)t.len};
}

bool schema_to_grammar(Str *out, Arena *a, Str json, Fault *fault)
{
    Convert c = {.schema = {.arena = a, .fault = fault}, .out = out};
    if (!value_read_json(&c.schema.root, a, json, fault))
        return false;
    if (!arena_try(a, convert, &c))
        fault_set(fault, FAULT_LIMIT, "schema: its grammar is too large");
    return fault->kind == FAULT_NONE;
}
