// SPDX-License-Identifier: Apache-2.0
/*
 * grammar_check.c - finds left recursion.
 *
 * in     a parsed Grammar, with its nullable rules
 * out    a fault that names a rule which can start with itself
 * knows  Tarjan's strongly connected components
 * not    stacks, texts
 *
 * A rule leads to those that may start one of its alternatives. If elements follow such a
 * reference, expanding it grows the stack; a cycle with such a reference never ends. Cycles
 * without one, as in ("a"*)*, come back to the same stack and are harmless.
 */
#include "model/grammar_priv.h"

typedef struct Component {
    uint32_t index;                 /* order of discovery, from 1; 0: not visited          */
    uint32_t low;                   /* smallest index that it reaches                      */
    uint32_t number;                /* of its component, from 1; 0: still open             */
    uint32_t at;                    /* element to look at next                             */
} Component;

typedef struct Search {
    const Grammar *g;
    Component     *rules;
    uint32_t      *path;            /* rules being visited                                 */
    uint32_t      *open;            /* rules without a component                           */
    uint32_t       depth, open_count, visited, components;
} Search;

typedef struct Edge {
    uint32_t rule;                  /* UINT32_MAX: no more                                 */
    bool     grows;                 /* elements follow the reference                       */
} Edge;

static bool ends(const Grammar *g, uint32_t at)
{
    return g->elements[at].kind == GRAMMAR_END || g->elements[at].kind == GRAMMAR_ALT;
}

/* The next reference, from *at on, that may be the first of an alternative. */
static Edge next_edge(const Grammar *g, uint32_t *at)
{
    while (g->elements[*at].kind != GRAMMAR_END) {
        GrammarElement e = g->elements[(*at)++];
        if (e.kind == GRAMMAR_ALT)
            continue;
        Edge edge = {e.value, !ends(g, *at)};
        if (e.kind != GRAMMAR_RULE || !g->rules[e.value].nullable)
            while (!ends(g, *at))
                (*at)++;
        if (e.kind == GRAMMAR_RULE)
            return edge;
    }
    return (Edge){UINT32_MAX, false};
}

static void enter(Search *s, uint32_t rule)
{
    uint32_t index = ++s->visited;
    s->rules[rule] = (Component){.index = index, .low = index, .at = s->g->rules[rule].first};
    s->path[s->depth++] = rule;
    s->open[s->open_count++] = rule;
}

/* The rule on top of the path is done: a component ends with it if it reaches none before. */
static void leave(Search *s)
{
    uint32_t rule = s->path[--s->depth];
    if (s->depth > 0) {
        Component *above = &s->rules[s->path[s->depth - 1]];
        above->low = MIN_OF(above->low, s->rules[rule].low);
    }
    if (s->rules[rule].low != s->rules[rule].index)
        return;
    s->components++;
    uint32_t member;
    do {
        member = s->open[--s->open_count];
        s->rules[member].number = s->components;
    } while (member != rule);
}

static void visit(Search *s, uint32_t start)
{
    enter(s, start);
    while (s->depth > 0) {
        Component *c = &s->rules[s->path[s->depth - 1]];
        Edge       e = next_edge(s->g, &c->at);
        if (e.rule == UINT32_MAX)
            leave(s);
        else if (s->rules[e.rule].index == 0)
            enter(s, e.rule);
        else if (s->rules[e.rule].number == 0)
            c->low = MIN_OF(c->low, s->rules[e.rule].index);
    }
}

bool grammar_check_recursion(const Grammar *g, Arena *scratch, Fault *fault)
{
    Search s = {.g = g, .rules = ARENA_ARRAY(scratch, Component, g->rule_count),
                .path = ARENA_ARRAY(scratch, uint32_t, g->rule_count),
                .open = ARENA_ARRAY(scratch, uint32_t, g->rule_count)};
    for (uint32_t i = 0; i < g->rule_count; i++)
        if (s.rules[i].index == 0)
            visit(&s, i);
    for (uint32_t i = 0; i < g->rule_count; i++) {
        uint32_t at = g->rules[i].first;
        for (Edge e; (e = next_edge(g, &at)).rule != UINT32_MAX;)
            if (e.grows && s.rules[e.rule].number == s.rules[i].number)
                return fault_set(fault, FAULT_UNSUPPORTED,
                                 "grammar: the rule '%.*s' can start with itself (left "
                                 "recursion); write a ::= b (\"+\" b)* instead of a ::= a \"+\" b",
                                 STR_ARG(g->rules[i].name));
    }
    return true;
}
