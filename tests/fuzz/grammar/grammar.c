// SPDX-License-Identifier: Apache-2.0
/*
 * grammar.c - sentences of the grammar in rules.def.
 */
#include "grammar.h"

#include <string.h>

#include "base/text.h"

#define MAX_DEPTH 14u               /* of kinds within kinds                      */
#define MAX_TEXT  60000u            /* bytes, after which all comes to its end    */

typedef enum Kind {
#define KIND(kind) KIND_##kind,
#include "rules.def"
    KIND_COUNT
} Kind;

static const char *const kind_names[] = {
#define KIND(kind) #kind,
#include "rules.def"
};

static const struct Rule { Kind kind; const char *text; } rules[] = {
#define RULE(kind, text) {KIND_##kind, text},
#include "rules.def"
};

typedef struct Grammar {
    const uint8_t *bytes;
    size_t         nbytes, at;
    uint32_t       names;           /* given so far                               */
    uint32_t       first[KIND_COUNT], count[KIND_COUNT];      /* rows of a kind   */
    Text           text;
} Grammar;

static void find_rows(Grammar *g)
{
    for (uint32_t i = 0; i < COUNTOF(rules); i++) {
        Kind k = rules[i].kind;
        if (g->count[k]++ == 0)
            g->first[k] = i;
        BUG_IF(g->first[k] + g->count[k] != i + 1, "rows of %s apart", kind_names[k]);
    }
}

static Kind kind_of(Str name)
{
    for (uint32_t k = 0; k < KIND_COUNT; k++)
        if (str_eq(name, str_of(kind_names[k])))
            return (Kind)k;
    BUG("rules.def has no kind %.*s", STR_ARG(name));
}

static uint32_t choose(Grammar *g, Kind k, uint32_t depth)
{
    if (depth > MAX_DEPTH || g->text.len > MAX_TEXT || g->at >= g->nbytes)
        return g->first[k];
    return g->count[k] > 1 ? g->first[k] + g->bytes[g->at++] % g->count[k] : g->first[k];
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Deep as the rules are within each other, which MAX_DEPTH ends. */
static void expand(Grammar *g, Kind k, uint32_t depth)
{
    const char *at = rules[choose(g, k, depth)].text;
    while (*at) {
        size_t plain = strcspn(at, "$");
        text_add(&g->text, (Str){at, (uint32_t)plain});
        at += plain;
        if (*at == '\0')
            break;
        const char *end = ++at;
        while (is_name_char(*end))
            end++;
        Str name = {at, (uint32_t)(end - at)};
        if (str_eq(name, STR("Name")))
            text_printf(&g->text, "n_%u", g->names++);
        else
            expand(g, kind_of(name), depth + 1);
        at = end;
    }
}

Str grammar_module(Arena *a, const uint8_t *bytes, size_t size)
{
    Grammar g = {.bytes = bytes, .nbytes = size, .text = {.arena = a}};
    find_rows(&g);
    expand(&g, KIND_MODULE, 0);
    return (Str){g.text.data, (uint32_t)g.text.len};
}

/* ---- mistakes ---- */

static uint32_t random_below(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * n >> 24);
}

/* Some token of the text: a name or a number whole, anything else byte by byte. */
static Str some_token(Str text, uint32_t *state)
{
    uint32_t at = random_below(state, text.len);
    uint32_t end = at + 1;
    while (at > 0 && is_name_char(text.data[at]) && is_name_char(text.data[at - 1]))
        at--;
    while (end < text.len && is_name_char(text.data[at]) && is_name_char(text.data[end]))
        end++;
    return (Str){text.data + at, end - at};
}

/* The text with `token`, a part of it, replaced. */
static Str replaced(Arena *a, Str text, Str token, Str with, Str more)
{
    Text out = {.arena = a};
    const char *end = token.data + token.len;
    text_add(&out, (Str){text.data, (uint32_t)(token.data - text.data)});
    text_add(&out, with);
    text_add(&out, more);
    text_add(&out, (Str){end, (uint32_t)(text.data + text.len - end)});
    return (Str){out.data, (uint32_t)out.len};
}

static Str mutate_once(Arena *a, Str text, uint32_t *state)
{
    static const char *const words[] = {
        "0", "1u", "-1", "1e38", "0x", "4294967296", "f16", "vec3", "array", "array<f32>",
        "atomic<u32>", "ptr<function, f32>", "&", "*", "return", "break;", "discard;",
        "workgroupBarrier();", "@id(1)", "@location(0)", "@must_use", "override", "{", "}",
        "(", ")", "<", ">", ",", ";", "1h", "true", "/*", "//", "\xc3\xa9", "\n",
    };
    Str token = some_token(text, state), other = some_token(text, state);
    switch (random_below(state, 5)) {
    case 0:  return replaced(a, text, token, (Str){0}, (Str){0});
    case 1:  return replaced(a, text, token, token, token);
    case 2:  return replaced(a, text, token, other, (Str){0});
    case 3:  return replaced(a, text, token, STR(" "),
                             str_of(words[random_below(state, COUNTOF(words))]));
    default: return replaced(a, text, token, token, other);
    }
}

Str grammar_mutate(Arena *a, Str text, uint32_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count && text.len > 0; i++)
        text = mutate_once(a, text, &seed);
    return text;
}
