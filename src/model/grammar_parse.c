// SPDX-License-Identifier: Apache-2.0
/*
 * grammar_parse.c - GBNF text becomes rules of elements.
 *
 * in     GBNF: name ::= alternatives; "literal", [class], [^class], ., name, ( ), * + ? {m,n},
 *        <[id]> and <text> for one token, ! before these for every other token, # comments
 * out    Grammar, in its own arena; repetitions are expanded into generated rules
 * knows  UTF-8
 * not    how elements are matched (grammar_match.c)
 */
#include "model/grammar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

#define NO_LIMIT UINT64_MAX

typedef VEC(GrammarElement) ElementVec;

typedef struct Parser {
    Grammar         *g;
    Arena           *arena;         /* of g                                                */
    Str              text;
    uint32_t         at;
    uint32_t         depth;         /* open parentheses                                    */
    uint32_t         total;         /* elements of all rules                               */
    VEC(ElementVec)  rules;         /* len 0: used, but not defined yet                    */
    VEC(Str)         names;
    uint32_t        *index;         /* open-addressed: position + 1 in names               */
    uint32_t         index_size;    /* a power of two                                      */
    GrammarFindToken find;
    void            *user;
    Fault           *fault;
} Parser;

/* The item that a following * + ? or {} repeats. */
typedef struct Last {
    uint32_t start;                 /* in the rule                                         */
    uint64_t rules;                 /* rules that one copy uses                            */
} Last;

/* ---- messages ---- */

static PRINTF_LIKE(2, 3) bool fail(Parser *p, const char *fmt, ...)
{
    uint32_t line = 1, column = 1;
    for (uint32_t i = 0; i < p->at && i < p->text.len; i++) {
        column = p->text.data[i] == '\n' ? 1 : column + 1;
        line += p->text.data[i] == '\n';
    }
    char    what[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fault_set(p->fault, FAULT_FORMAT, "grammar, line %u, column %u: %s", line, column, what);
}

static bool failed(const Parser *p)
{
    return p->fault->kind != FAULT_NONE;
}

/* ---- characters ---- */

/* The byte `ahead` of the current one; 0 at the end. */
static char peek(const Parser *p, uint32_t ahead)
{
    return p->text.len - p->at > ahead ? p->text.data[p->at + ahead] : '\0';
}

static bool at_end(const Parser *p)
{
    return p->at >= p->text.len;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || is_digit(c);
}

/* Skips blanks and comments; line ends only where the rule may go on. */
static void skip_space(Parser *p, bool lines)
{
    while (!at_end(p)) {
        char c = peek(p, 0);
        if (c == '#') {
            while (!at_end(p) && peek(p, 0) != '\n' && peek(p, 0) != '\r')
                p->at++;
        } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
            p->at++;
        } else {
            return;
        }
    }
}

static bool read_hex(Parser *p, uint32_t digits, uint32_t *out)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < digits; i++, p->at++) {
        char c = peek(p, 0);
        if (is_digit(c))
            value = value << 4 | (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return fail(p, "expected %u hexadecimal digits", digits);
    }
    *out = value;
    return true;
}

static bool read_escape(Parser *p, uint32_t *out)
{
    char c = peek(p, 1);
    p->at += 2;
    switch (c) {
    case 'x': return read_hex(p, 2, out);
    case 'u': return read_hex(p, 4, out);
    case 'U': return read_hex(p, 8, out);
    case 't': *out = '\t'; return true;
    case 'r': *out = '\r'; return true;
    case 'n': *out = '\n'; return true;
    case '\\': case '"': case '[': case ']':
        *out = (uint8_t)c;
        return true;
    default:
        p->at -= 2;
        return fail(p, "unknown escape; known are \\x \\u \\U \\t \\r \\n \\\\ \\\" \\[ \\]");
    }
}

/* One code point of a literal or a class. */
static bool read_char(Parser *p, uint32_t *out)
{
    if (at_end(p))
        return fail(p, "unexpected end of the grammar");
    if (peek(p, 0) == '\\')
        return read_escape(p, out);
    uint32_t len = utf8_decode(p->text, p->at, out);
    if (len == 0)
        return fail(p, "not valid UTF-8");
    p->at += len;
    return true;
}

/* Digits; values above 2^32 stay above it. */
static bool read_count(Parser *p, uint64_t *out)
{
    if (!is_digit(peek(p, 0)))
        return fail(p, "expected a number");
    uint64_t value = 0;
    for (; is_digit(peek(p, 0)); p->at++)
        value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(peek(p, 0) - '0');
    *out = value;
    return true;
}

/* ---- rules by name ---- */

static uint32_t hash_of(Str s)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < s.len; i++)
        h = (h ^ (uint8_t)s.data[i]) * 16777619u;
    return h;
}

static void index_put(Parser *p, uint32_t rule)
{
    uint32_t mask = p->index_size - 1;
    uint32_t slot = hash_of(p->names.data[rule]) & mask;
    while (p->index[slot])
        slot = (slot + 1) & mask;
    p->index[slot] = rule + 1;
}

static uint32_t rule_add(Parser *p, Str name)
{
    uint32_t id = p->names.len;
    VEC_PUSH(p->arena, &p->names, name);
    VEC_PUSH(p->arena, &p->rules, ((ElementVec){0}));
    if (p->names.len * 2 > p->index_size) {
        p->index_size = p->index_size ? p->index_size * 2 : 64;
        p->index = ARENA_ARRAY(p->arena, uint32_t, p->index_size);
        for (uint32_t i = 0; i < id; i++)
            index_put(p, i);
    }
    index_put(p, id);
    return id;
}

static uint32_t rule_named(Parser *p, Str name)
{
    for (uint32_t slot = hash_of(name); p->index_size; slot++) {
        uint32_t found = p->index[slot & (p->index_size - 1)];
        if (found == 0)
            break;
        if (str_eq(p->names.data[found - 1], name))
            return found - 1;
    }
    return rule_add(p, name);
}

/* A rule that a group or a repetition needs. The underscore keeps it apart from names in
 * the text. */
static uint32_t rule_generate(Parser *p, Str base)
{
    const char *name = arena_printf(p->arena, "%.*s_%u", STR_ARG(base), p->names.len);
    return rule_add(p, str_of(name));
}

static void add(Parser *p, ElementVec *rule, GrammarKind kind, uint32_t value)
{
    if (p->total >= GRAMMAR_MAX_ELEMENTS) {
        fault_set(p->fault, FAULT_LIMIT, "grammar: more than %u elements", GRAMMAR_MAX_ELEMENTS);
        return;
    }
    p->total++;
    VEC_PUSH(p->arena, rule, ((GrammarElement){kind, value}));
}

/* ---- repetition ---- */

/* S{m,n} becomes m copies of S and a chain of n - m rules  Si ::= S Si-1 | ;
 * S{m,} becomes m copies and one rule  S' ::= S S' | . */
static bool repeat(Parser *p, ElementVec *rule, Str name, Last *last, uint64_t min, uint64_t max)
{
    if (last->start == rule->len)
        return fail(p, "nothing to repeat before * + ? or {");
    if (max < min)
        return fail(p, "repetition from %" PRIu64 " to %" PRIu64 ": the end is below the start",
                    min, max);
    uint64_t copies = max != NO_LIMIT && max > 0 ? max : min > 0 ? min : 1;
    if (last->rules * copies >= GRAMMAR_MAX_REPEAT)
        return fail(p, "%u repetitions or more; nested repetitions multiply", GRAMMAR_MAX_REPEAT);

    ElementVec item = {0};
    for (uint32_t i = last->start; i < rule->len; i++)
        VEC_PUSH(p->arena, &item, rule->data[i]);
    if (min == 0)
        rule->len = last->start;
    for (uint64_t k = 1; k < min && !failed(p); k++)
        for (uint32_t i = 0; i < item.len; i++)
            add(p, rule, item.data[i].kind, item.data[i].value);

    uint64_t optional = max == NO_LIMIT ? 1 : max - min;
    uint32_t previous = 0;
    for (uint64_t k = 0; k < optional && !failed(p); k++) {
        uint32_t   id = rule_generate(p, name);
        ElementVec rec = {0};
        for (uint32_t i = 0; i < item.len; i++)
            add(p, &rec, item.data[i].kind, item.data[i].value);
        if (k > 0 || max == NO_LIMIT)
            add(p, &rec, GRAMMAR_RULE, max == NO_LIMIT ? id : previous);
        add(p, &rec, GRAMMAR_ALT, 0);
        add(p, &rec, GRAMMAR_END, 0);
        p->rules.data[id] = rec;
        previous = id;
    }
    if (optional > 0)
        add(p, rule, GRAMMAR_RULE, previous);
    last->rules *= copies;
    return !failed(p);
}

/* After the brace: m} m,} or m,n} */
static bool read_braces(Parser *p, bool nested, uint64_t *min, uint64_t *max)
{
    skip_space(p, nested);
    if (!read_count(p, min))
        return false;
    skip_space(p, nested);
    *max = *min;
    if (peek(p, 0) == ',') {
        p->at++;
        skip_space(p, nested);
        *max = NO_LIMIT;
        if (is_digit(peek(p, 0)) && !read_count(p, max))
            return false;
        skip_space(p, nested);
    }
    if (peek(p, 0) != '}')
        return fail(p, "expected '}' after the number of repetitions");
    p->at++;
    if (*min > GRAMMAR_MAX_REPEAT)
        return fail(p, "more than %u repetitions", GRAMMAR_MAX_REPEAT);
    if (*max > GRAMMAR_MAX_REPEAT)
        *max = NO_LIMIT;
    return true;
}

static bool parse_repeat(Parser *p, ElementVec *rule, Str name, bool nested, Last *last)
{
    uint64_t min = 0, max = NO_LIMIT;
    char     c = peek(p, 0);
    p->at++;
    if (c == '+')
        min = 1;
    if (c == '?')
        max = 1;
    if (c == '{' && !read_braces(p, nested, &min, &max))
        return false;
    skip_space(p, nested);
    return repeat(p, rule, name, last, min, max);
}

/* ---- items ---- */

static bool parse_literal(Parser *p, ElementVec *rule)
{
    for (p->at++; peek(p, 0) != '"' || at_end(p);) {
        uint32_t c = 0;
        if (!read_char(p, &c))
            return false;
        add(p, rule, GRAMMAR_CHAR, c);
    }
    p->at++;
    return !failed(p);
}

static bool parse_class(Parser *p, ElementVec *rule)
{
    GrammarKind kind = GRAMMAR_CHAR;
    p->at++;
    if (peek(p, 0) == '^') {
        kind = GRAMMAR_CHAR_NOT;
        p->at++;
    }
    while (peek(p, 0) != ']' || at_end(p)) {
        uint32_t c = 0;
        if (!read_char(p, &c))
            return false;
        add(p, rule, kind, c);
        kind = GRAMMAR_CHAR_OR;
        if (peek(p, 0) == '-' && peek(p, 1) != ']') {
            p->at++;
            if (!read_char(p, &c))
                return false;
            add(p, rule, GRAMMAR_CHAR_UPPER, c);
        }
    }
    p->at++;
    return !failed(p);
}

/* <[123]> or <text>, where the text with its brackets must be one token. */
static bool parse_token(Parser *p, ElementVec *rule)
{
    GrammarKind kind = GRAMMAR_TOKEN;
    if (peek(p, 0) == '!') {
        kind = GRAMMAR_TOKEN_NOT;
        p->at++;
    }
    uint32_t start = p->at, token = 0;
    if (peek(p, 0) != '<')
        return fail(p, "expected '<' and a token after '!'");
    if (peek(p, 1) == '[') {
        uint64_t id = 0;
        p->at += 2;
        if (!read_count(p, &id))
            return false;
        if (peek(p, 0) != ']' || peek(p, 1) != '>')
            return fail(p, "expected ']>' after the token's number");
        if (id > INT32_MAX)
            return fail(p, "token numbers are below 2^31");
        p->at += 2;
        token = (uint32_t)id;
    } else {
        while (!at_end(p) && peek(p, 0) != '>')
            p->at++;
        if (at_end(p))
            return fail(p, "expected '>' after a token");
        p->at++;
        Str text = {p->text.data + start, p->at - start};
        if (!p->find)
            return fail(p, "tokens by name need a vocabulary: write <[number]>");
        if (!p->find(p->user, text, &token))
            return fail(p, "'%.*s' is not one token", STR_ARG(text));
    }
    add(p, rule, kind, token);
    return !failed(p);
}

static bool parse_alternatives(Parser *p, Str name, uint32_t id, bool nested);

static bool parse_group(Parser *p, ElementVec *rule, Str name, Last *last)
{
    if (++p->depth > GRAMMAR_MAX_DEPTH)
        return fail(p, "more than %u nested parentheses", GRAMMAR_MAX_DEPTH);
    p->at++;
    skip_space(p, true);
    uint32_t before = p->names.len;
    uint32_t id = rule_generate(p, name);
    if (!parse_alternatives(p, name, id, true))
        return false;
    if (peek(p, 0) != ')')
        return fail(p, "expected ')'");
    p->at++;
    p->depth--;
    *last = (Last){rule->len, p->names.len - before};
    add(p, rule, GRAMMAR_RULE, id);
    return !failed(p);
}

static bool parse_reference(Parser *p, ElementVec *rule)
{
    uint32_t start = p->at;
    while (is_name(peek(p, 0)))
        p->at++;
    add(p, rule, GRAMMAR_RULE, rule_named(p, (Str){p->text.data + start, p->at - start}));
    return !failed(p);
}

/* One item; *more false where the sequence ends. */
static bool parse_item(Parser *p, ElementVec *rule, Str name, bool nested, Last *last, bool *more)
{
    char c = peek(p, 0);
    Last here = {rule->len, 1};
    bool ok = true;

    *more = true;
    if (c == '*' || c == '+' || c == '?' || c == '{')
        return parse_repeat(p, rule, name, nested, last);
    if (c == '"')
        ok = parse_literal(p, rule);
    else if (c == '[')
        ok = parse_class(p, rule);
    else if (c == '<' || c == '!')
        ok = parse_token(p, rule);
    else if (c == '(')
        ok = parse_group(p, rule, name, &here);
    else if (c == '.') {
        p->at++;
        add(p, rule, GRAMMAR_CHAR_ANY, 0);
    } else if (is_name(c))
        ok = parse_reference(p, rule);
    else
        *more = false;
    if (*more) {
        *last = here;
        skip_space(p, nested);
    }
    return ok && !failed(p);
}

static bool parse_alternatives(Parser *p, Str name, uint32_t id, bool nested)
{
    ElementVec rule = {0};
    for (;;) {
        Last last = {rule.len, 1};
        for (bool more = true; more && !at_end(p);)
            if (!parse_item(p, &rule, name, nested, &last, &more))
                return false;
        if (peek(p, 0) != '|')
            break;
        p->at++;
        add(p, &rule, GRAMMAR_ALT, 0);
        skip_space(p, true);
    }
    add(p, &rule, GRAMMAR_END, 0);
    p->rules.data[id] = rule;
    return !failed(p);
}

static bool parse_rule(Parser *p)
{
    uint32_t start = p->at;
    while (is_name(peek(p, 0)))
        p->at++;
    if (p->at == start)
        return fail(p, "expected the name of a rule (letters, digits and -)");
    Str      name = {p->text.data + start, p->at - start};
    uint32_t id = rule_named(p, name);

    skip_space(p, false);
    if (peek(p, 0) != ':' || peek(p, 1) != ':' || peek(p, 2) != '=')
        return fail(p, "expected '::=' after the name of a rule");
    p->at += 3;
    skip_space(p, true);
    if (!parse_alternatives(p, name, id, false))
        return false;
    if (!at_end(p) && peek(p, 0) != '\n' && peek(p, 0) != '\r')
        return fail(p, "unexpected '%c'; a rule ends at the end of its line", peek(p, 0));
    skip_space(p, true);
    return true;
}

/* ---- the whole ---- */

/* All rules into one array. */
static bool join(Parser *p)
{
    Grammar *g = p->g;
    uint32_t total = 0;
    for (uint32_t i = 0; i < p->rules.len; i++) {
        if (p->rules.data[i].len == 0)
            return fault_set(p->fault, FAULT_FORMAT,
                             "grammar: the rule '%.*s' is used, but not defined",
                             STR_ARG(p->names.data[i]));
        total += p->rules.data[i].len;
    }
    g->elements = ARENA_ARRAY(p->arena, GrammarElement, total);
    g->rules = ARENA_ARRAY(p->arena, GrammarRule, p->rules.len);
    g->rule_count = p->rules.len;
    for (uint32_t i = 0; i < p->rules.len; i++) {
        const ElementVec *rule = &p->rules.data[i];
        g->rules[i] = (GrammarRule){.name = p->names.data[i], .first = g->element_count,
                                    .count = rule->len};
        memcpy(g->elements + g->element_count, rule->data, rule->len * sizeof *rule->data);
        g->element_count += rule->len;
    }
    return true;
}

/* An alternative is empty if all its elements are nullable rules. */
static bool rule_is_nullable(const Grammar *g, const GrammarRule *rule)
{
    bool empty = true;
    for (uint32_t i = rule->first; i < rule->first + rule->count; i++) {
        GrammarElement e = g->elements[i];
        if (e.kind == GRAMMAR_ALT || e.kind == GRAMMAR_END) {
            if (empty)
                return true;
            empty = true;
        } else if (e.kind != GRAMMAR_RULE || !g->rules[e.value].nullable) {
            empty = false;
        }
    }
    return false;
}

/* A fixed point. Generated rules refer to earlier generated rules or to themselves, so a
 * few passes are enough for usual grammars; each pass adds a rule or is the last. */
static bool find_nullable(Grammar *g, Fault *fault)
{
    uint64_t work = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->rule_count; i++)
            if (!g->rules[i].nullable && rule_is_nullable(g, &g->rules[i]))
                g->rules[i].nullable = changed = true;
        work += g->element_count;
        if (work > 64ull * GRAMMAR_MAX_ELEMENTS)
            return fault_set(fault, FAULT_LIMIT,
                             "grammar: its rules depend on each other too deeply");
    }
    return true;
}

static int compare_bounds(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Where classes start and end: the first code point of each range, and the first after it. */
static void find_bounds(Grammar *g)
{
    uint32_t count = 1;
    g->bounds = ARENA_ARRAY(&g->arena, uint32_t, 2 * (size_t)g->element_count + 1);
    for (uint32_t i = 0; i < g->element_count; i++) {
        const GrammarElement *e = &g->elements[i];      /* the last one is GRAMMAR_END     */
        if (e->kind != GRAMMAR_CHAR && e->kind != GRAMMAR_CHAR_NOT && e->kind != GRAMMAR_CHAR_OR)
            continue;
        uint32_t upper = e[1].kind == GRAMMAR_CHAR_UPPER ? e[1].value : e->value;
        g->bounds[count++] = e->value;
        if (upper < UINT32_MAX)
            g->bounds[count++] = upper + 1;
    }
    qsort(g->bounds, count, sizeof *g->bounds, compare_bounds);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || g->bounds[i] != g->bounds[g->bound_count - 1])
            g->bounds[g->bound_count++] = g->bounds[i];
}

static void parse_all(void *context)
{
    Parser *p = context;
    p->text.data = arena_copy(p->arena, p->text.data, p->text.len);
    skip_space(p, true);
    while (!at_end(p))
        if (!parse_rule(p))
            return;
    if (p->rules.len == 0)
        fail(p, "expected a rule such as root ::= \"yes\" | \"no\"");
    else if (join(p) && find_nullable(p->g, p->fault))
        find_bounds(p->g);
}

bool grammar_parse(Grammar *g, Str text, GrammarFindToken find, void *user, Fault *fault)
{
    *g = (Grammar){0};
    if (text.len > GRAMMAR_MAX_TEXT)
        return fault_set(fault, FAULT_LIMIT, "grammar: %u bytes, at most %u are read", text.len,
                         GRAMMAR_MAX_TEXT);
    arena_init(&g->arena, 256u << 20);
    Parser p = {.g = g, .arena = &g->arena, .text = text, .find = find, .user = user,
                .fault = fault};
    if (!arena_try(&g->arena, parse_all, &p))
        fault_set(fault, FAULT_LIMIT, "grammar: too large for the memory that grammars get");
    if (fault->kind != FAULT_NONE)
        grammar_fini(g);
    return fault->kind == FAULT_NONE;
}

void grammar_fini(Grammar *g)
{
    arena_fini(&g->arena);
    *g = (Grammar){0};
}

uint32_t grammar_find_rule(const Grammar *g, Str name)
{
    for (uint32_t i = 0; i < g->rule_count; i++)
        if (str_eq(g->rules[i].name, name))
            return i;
    return UINT32_MAX;
}
