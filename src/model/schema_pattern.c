// SPDX-License-Identifier: Apache-2.0
/*
 * schema_pattern.c - rules for strings: regular expressions, keys that are not taken.
 *
 * in     a pattern anchored by ^ and $, in ECMAScript's syntax; names of properties
 * out    GBNF
 * knows  groups, classes, repetitions, escapes of characters
 * not    look-around, back references, \w and its like, flags: such patterns accept any string
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "model/schema_priv.h"

/* A part of a sequence: a literal whose escapes are GBNF's, or any other text. */
typedef struct Part {
    const char *text;
    bool        literal;
} Part;

typedef VEC(Part) Parts;

typedef struct Pattern {
    Schema     *s;
    const char *name;
    const char *text;               /* without ^ and $                                     */
    size_t      len, at;
    uint32_t    depth;              /* open groups                                         */
    Dict       *repeated;           /* text of an item -> its rule                         */
    const char *unsupported;        /* why no grammar can say it; NULL if one can          */
} Pattern;

static bool give_up(Pattern *p, const char *why)
{
    if (!p->unsupported)
        p->unsupported = why;
    return false;
}

static bool invalid(Pattern *p, const char *why)
{
    return fault_set(p->s->fault, FAULT_FORMAT, "schema: invalid pattern ^%.200s$: %s",
                     p->text, why);
}

/* Bytes of an escape that GBNF has, too; 0 for others. */
static size_t shared_escape(const Pattern *p, size_t at)
{
    if (at + 1 >= p->len || p->text[at] != '\\')
        return 0;
    char   c = p->text[at + 1];
    size_t hex = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (!hex)
        return strchr("trn\\\"[]", c) ? 2 : 0;
    if (at + 2 + hex > p->len || strspn(p->text + at + 2, "0123456789abcdefABCDEF") < hex)
        return 0;
    return 2 + hex;
}

static bool is_operator(char c)
{
    return strchr("|.()[]{}*+?^$", c) != NULL;
}

static const char *as_rule(Pattern *p, Part part)
{
    return part.literal ? arena_printf(p->s->arena, "\"%s\"", part.text) : part.text;
}

/* ---- items ---- */

static bool read_class(Pattern *p, Parts *parts)
{
    Text t = {.arena = p->s->arena};
    text_char(&t, '[');
    for (p->at++; p->at < p->len && p->text[p->at] != ']';) {
        size_t n = 1;
        if (p->text[p->at] == '\\' && (n = shared_escape(p, p->at)) == 0)
            return give_up(p, "an escape in a character class");
        text_add(&t, (Str){p->text + p->at, (uint32_t)n});
        p->at += n;
    }
    if (p->at >= p->len)
        return invalid(p, "a character class is not closed");
    text_char(&t, ']');
    p->at++;
    VEC_PUSH(p->s->arena, parts, ((Part){t.data, false}));
    return true;
}

/* Adds the character at the current place to a literal; returns its bytes in the pattern, 0 if
 * it is none. */
static size_t literal_char(Pattern *p, Text *t)
{
    const char *at = p->text + p->at;
    uint32_t    code;
    size_t      n;
    if (*at == '"') {
        text_add(t, STR("\\\""));
        return 1;
    }
    if (*at != '\\') {
        n = utf8_decode((Str){p->text, (uint32_t)p->len}, (uint32_t)p->at, &code);
        n = MAX_OF(n, (size_t)1);
        text_add(t, (Str){at, (uint32_t)n});
        return n;
    }
    if (p->at + 1 == p->len) {
        invalid(p, "it ends with a backslash");
        return 0;
    }
    if (is_operator(at[1])) {
        text_char(t, at[1]);
        return 2;
    }
    n = shared_escape(p, p->at);
    if (n == 0)
        give_up(p, "an escape");
    text_add(t, (Str){at, (uint32_t)n});
    return n;
}

/* Characters up to an operator. One that is repeated begins a literal of its own. */
static bool read_literal(Pattern *p, Parts *parts)
{
    Text t = {.arena = p->s->arena};
    while (p->at < p->len && !is_operator(p->text[p->at])) {
        Text   one = {.arena = p->s->arena};
        size_t n = literal_char(p, &one);
        if (n == 0)
            return false;
        bool repeated = p->at + n < p->len && strchr("*+?{", p->text[p->at + n]);
        if (repeated && t.len > 0)
            break;
        text_add(&t, (Str){one.data, (uint32_t)one.len});
        p->at += n;
    }
    if (t.len == 0)
        return give_up(p, "a bracket without its partner");
    VEC_PUSH(p->s->arena, parts, ((Part){t.data, true}));
    return true;
}

static bool read_number(Pattern *p, int64_t *out)
{
    int64_t value = 0;
    size_t  start = p->at;
    for (; p->at < p->len && p->text[p->at] >= '0' && p->text[p->at] <= '9'; p->at++)
        value = MIN_OF(value * 10 + (p->text[p->at] - '0'), (int64_t)1000000);
    if (p->at > start)
        *out = value;
    return p->at > start;
}

/* Whether there is something before a repetition: neither the start nor a bar. */
static bool ends_with_item(const Parts *parts)
{
    if (parts->len == 0)
        return false;
    const Part *last = &parts->data[parts->len - 1];
    return last->literal || strcmp(last->text, "|") != 0;
}

/* {m}, {m,}, {,n} or {m,n} after an item, which becomes a rule of its own. */
static bool read_repeat(Pattern *p, Parts *parts)
{
    int64_t min = 0, max = SCHEMA_NO_MAX;
    p->at++;
    bool    has_min = read_number(p, &min);
    if (p->at < p->len && p->text[p->at] == ',') {
        p->at++;
        read_number(p, &max);
    } else {
        max = min;
        if (!has_min)
            return give_up(p, "curly brackets without a number");
    }
    if (p->at >= p->len || p->text[p->at] != '}')
        return give_up(p, "curly brackets that are not a repetition");
    p->at++;
    if (!ends_with_item(parts))
        return invalid(p, "nothing to repeat");

    Part       *last = &parts->data[parts->len - 1];
    const char *item = as_rule(p, *last);
    if (!last->literal) {
        Value       *known = dict_find_text(p->repeated, item);
        const char  *rule = known ? known->s.data : NULL;
        if (!rule) {
            rule = schema_add_rule(p->s, arena_printf(p->s->arena, "%s-%u", p->name,
                                                      p->repeated->len + 1), item);
            dict_set(p->s->arena, p->repeated, value_text(item), value_text(rule));
        }
        item = rule;
    }
    *last = (Part){schema_repeat(p->s, item, min, max, NULL), false};
    return true;
}

static const char *read_sequence(Pattern *p, bool nested);

static bool read_group(Pattern *p, Parts *parts)
{
    p->at++;
    if (p->at < p->len && p->text[p->at] == '?') {
        if (p->at + 1 >= p->len || p->text[p->at + 1] != ':')
            return give_up(p, "a group with ?");
        p->at += 2;
    }
    if (++p->depth > SCHEMA_MAX_DEPTH)
        return give_up(p, "too many nested groups");
    const char *inside = read_sequence(p, true);
    p->depth--;
    if (!inside)
        return false;
    VEC_PUSH(p->s->arena, parts, ((Part){arena_printf(p->s->arena, "(%s)", inside), false}));
    return true;
}

static bool read_part(Pattern *p, Parts *parts)
{
    char c = p->text[p->at];
    switch (c) {
    case '(': return read_group(p, parts);
    case '[': return read_class(p, parts);
    case '{': return read_repeat(p, parts);
    case '^':
    case '$': return give_up(p, "an anchor inside");
    case '.':
        p->at++;
        VEC_PUSH(p->s->arena, parts,
                 ((Part){schema_add_rule(p->s, "dot", "[^\\x0A\\x0D]"), false}));
        return true;
    case '|':
        p->at++;
        VEC_PUSH(p->s->arena, parts, ((Part){"|", false}));
        return true;
    case '*': case '+': case '?': {
        if (!ends_with_item(parts))
            return invalid(p, "nothing to repeat");
        Part *last = &parts->data[parts->len - 1];
        *last = (Part){arena_printf(p->s->arena, "%s%c", as_rule(p, *last), c), false};
        p->at++;
        return true;
    }
    default:  return read_literal(p, parts);
    }
}

/* Literals side by side become one. */
static const char *join_parts(Pattern *p, const Parts *parts)
{
    Text t = {.arena = p->s->arena};
    for (uint32_t i = 0; i < parts->len; i++) {
        bool joins = i > 0 && parts->data[i].literal && parts->data[i - 1].literal;
        bool goes_on = i + 1 < parts->len && parts->data[i].literal && parts->data[i + 1].literal;
        if (i > 0 && !joins)
            text_char(&t, ' ');
        if (parts->data[i].literal && !joins)
            text_char(&t, '"');
        text_add(&t, str_of(parts->data[i].text));
        if (parts->data[i].literal && !goes_on)
            text_char(&t, '"');
    }
    return t.data ? t.data : "";
}

/* Up to the end, or, nested, to the closing parenthesis. NULL on a fault. */
static const char *read_sequence(Pattern *p, bool nested)
{
    Parts parts = {0};
    while (p->at < p->len) {
        if (p->text[p->at] == ')') {
            if (!nested) {
                invalid(p, "a parenthesis is closed that was not open");
                return NULL;
            }
            p->at++;
            return join_parts(p, &parts);
        }
        if (!read_part(p, &parts))
            return NULL;
    }
    if (nested) {
        invalid(p, "a parenthesis is not closed");
        return NULL;
    }
    return join_parts(p, &parts);
}

const char *schema_pattern(Schema *s, const char *name, Str pattern)
{
    Pattern     p = {.s = s, .name = name, .repeated = value_dict(s->arena).dict};
    const char *text = NULL;
    Dict        before = *s->rules;         /* rules of a pattern that is given up go again */

    /* The copies keep the index and the entries of `before` as they are. */
    before.data = arena_copy(s->arena, before.data, before.cap * sizeof *before.data);
    if (before.index_size)
        before.index = arena_copy(s->arena, before.index, before.index_size * sizeof *before.index);
    if (pattern.len >= 2 && pattern.data[0] == '^' && pattern.data[pattern.len - 1] == '$') {
        p.text = arena_printf(s->arena, "%.*s", (int)pattern.len - 2, pattern.data + 1);
        p.len = strlen(p.text);
        text = read_sequence(&p, false);
    } else {
        give_up(&p, "it is not anchored by ^ and $");
    }
    if (text)
        return schema_add_rule(s, name, arena_printf(s->arena, "\"\\\"\" (%s) \"\\\"\"", text));
    *s->rules = before;
    return schema_add_rule(s, name, schema_add_primitive(s, "string", "string"));
}

/* ---- keys that are not taken ---- */

#define CONTROL "\\\\\\x7F\\x00-\\x1F"      /* what JSON strings write as an escape        */

typedef struct Key {
    const uint32_t *chars;
    uint32_t        len;
} Key;

static int compare_keys(const void *a, const void *b)
{
    const Key *x = a, *y = b;
    for (uint32_t i = 0; i < x->len && i < y->len; i++)
        if (x->chars[i] != y->chars[i])
            return x->chars[i] < y->chars[i] ? -1 : 1;
    return (x->len > y->len) - (x->len < y->len);
}

/* The code points of a name. False if JSON has to escape one of them: such a name may come
 * twice, which is still JSON. */
static bool key_of(Schema *s, Key *out, Str name)
{
    uint32_t *chars = ARENA_ARRAY(s->arena, uint32_t, name.len + (size_t)1);
    uint32_t  count = 0;
    for (uint32_t i = 0, n; i < name.len; i += n) {
        n = utf8_decode(name, i, &chars[count]);
        if (n == 0 || chars[count] < 0x20 || chars[count] == 0x7f || chars[count] == '"' ||
            chars[count] == '\\')
            return false;
        count++;
    }
    *out = (Key){chars, count};
    return true;
}

static void write_class_char(Text *t, uint32_t c)
{
    if (c == ']' || c == '[')
        text_printf(t, "\\%c", (char)c);
    else if (c < 0x80 && c != '-' && c != '^')
        text_char(t, (char)c);
    else
        text_printf(t, "\\U%08X", c);
}

/* What may follow a common prefix of `depth` characters of keys[0 .. count): any character
 * that none of them has next, or one of theirs and what may follow that. */
static void write_follow(Schema *s, Text *t, const Key *keys, uint32_t count, uint32_t depth)
{
    Text     taken = {.arena = s->arena};
    uint32_t i = 0;
    if (depth > SCHEMA_MAX_DEPTH) {
        text_add(t, STR("char*"));          /* long names may come twice, too              */
        return;
    }
    while (i < count && keys[i].len == depth)
        i++;
    for (uint32_t next; i < count; i = next) {
        uint32_t c = keys[i].chars[depth];
        for (next = i; next < count && keys[next].chars[depth] == c;)
            next++;
        write_class_char(&taken, c);
        text_char(t, '[');
        write_class_char(t, c);
        text_char(t, ']');
        bool ends = keys[i].len == depth + 1;
        if (ends && keys[next - 1].len == depth + 1) {
            text_add(t, STR(" char+ | "));
            continue;
        }
        text_add(t, STR(" ("));
        write_follow(s, t, keys + i, next - i, depth + 1);
        text_add(t, ends ? STR(") | ") : STR(")? | "));
    }
    text_printf(t, "[^\"" CONTROL "%s] char* | [\\\\] escape char*", taken.data ? taken.data : "");
}

const char *schema_other_keys(Schema *s, const Value *names, uint32_t count)
{
    Text     t = {.arena = s->arena};
    Key     *keys = ARENA_ARRAY(s->arena, Key, count);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used += key_of(s, &keys[used], names[i].s);
    qsort(keys, used, sizeof *keys, compare_keys);
    schema_add_primitive(s, "char", "char");
    schema_add_rule(s, "escape", "[\"\\\\bfnrt] | \"u\" [0-9a-fA-F]{4}");
    text_add(&t, STR("[\"] ( "));
    write_follow(s, &t, keys, used, 0);
    text_add(&t, used > 0 && keys[0].len == 0 ? STR(" ) [\"]") : STR(" )? [\"]"));
    return t.data;
}
