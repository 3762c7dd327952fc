// SPDX-License-Identifier: Apache-2.0
/*
 * gen_loop.c - loops and switches.
 *
 * Every loop counts a variable that nothing else writes up to a small number; it may
 * end earlier. A loop of the whole workgroup counts to a number that all agree on, and
 * leaves workgroup memory as it was found after each round.
 */
#include "gen_priv.h"

typedef struct Counter {
    const char *name;
    const char *limit;              /* text                                       */
    uint32_t    most;               /* rounds                                     */
    bool        is_signed;
} Counter;

static Counter counter_new(Gen *g, bool together)
{
    Counter c = {.name = name_new(g, "i"), .most = 1 + pick(g, 6), .is_signed = chance(g, 40)};
    const Ty *t = ty_vector(g, c.is_signed ? KIND_I32 : KIND_U32, 1);
    bool before = g->want_uniform;
    g->want_uniform |= together;
    if (chance(g, 50))
        c.limit = put(g, "%u", c.most);
    else if (c.is_signed)
        c.limit = put(g, "(%s & 3)", expr_unknown(g, t, 2).text);
    else
        c.limit = put(g, "(%s %% %uu)", expr_unknown(g, t, 2).text, c.most + 1);
    g->want_uniform = before;
    c.most = MAX_OF(c.most, 3u);
    return c;
}

static const char *counter_type(const Counter *c)
{
    return c->is_signed ? "i32" : "u32";
}

static void show_counter(Gen *g, const Counter *c, bool together, uint32_t below)
{
    var_add(g, (Var){.text = c->name, .uniform = together, .below = below,
                     .type = ty_vector(g, c->is_signed ? KIND_I32 : KIND_U32, 1)});
}

/* Statements of a loop's body, in its own flow. */
static void body(Gen *g, const Counter *c, bool together, uint32_t below)
{
    uint32_t mark = g->vars.len;
    Modes modes = sync_modes(g);
    g->loops[g->nloops++] = (Loop){.syncs = together};
    g->repeats *= c->most;
    show_counter(g, c, together, below);
    block(g, 4);
    sync_end(g, modes);
    g->repeats /= c->most;
    g->nloops--;
    g->vars.len = mark;
}

/* ---- the forms ---- */

static void loop_for(Gen *g, const Counter *c, bool together)
{
    uint32_t step = 1 + pick(g, 2);
    if (chance(g, 25)) {                    /* downwards */
        open_block(g, "for (var %s : %s = %s(%s); %s > 0; %s--) {", c->name, counter_type(c),
                   counter_type(c), c->limit, c->name, c->name);
        body(g, c, together, c->most + 1);
    } else {
        open_block(g, "for (var %s : %s = 0; %s < %s(%s); %s += %u) {", c->name,
                   counter_type(c), c->name, counter_type(c), c->limit, c->name, step);
        body(g, c, together, c->most);
    }
    close_block(g);
}

static void loop_while(Gen *g, const Counter *c, bool together)
{
    line(g, "var %s : %s = 0;", c->name, counter_type(c));
    open_block(g, "while (%s < %s(%s)) {", c->name, counter_type(c), c->limit);
    line(g, "%s++;", c->name);
    body(g, c, together, c->most + 1);
    close_block(g);
}

/* What may stand in continuing: nothing that leaves or synchronises. */
static void continuing(Gen *g, const Counter *c, bool together, bool break_if)
{
    uint32_t mark = g->vars.len;
    const Ty *b = ty_vector(g, KIND_BOOL, 1);
    open_block(g, "continuing {");
    g->in_continuing = true;
    if (chance(g, 40))
        block(g, 2);
    line(g, "%s++;", c->name);
    if (break_if) {
        show_counter(g, c, together, 0);
        bool before = g->want_uniform;
        g->want_uniform |= together;
        g->fuel = 6;
        const char *early = expr_unknown(g, b, 2).text;
        g->want_uniform = before;
        line(g, "break if (%s >= %s(%s)) || %s;", c->name, counter_type(c), c->limit, early);
    }
    g->in_continuing = false;
    g->vars.len = mark;
    close_block(g);
}

static void loop_plain(Gen *g, const Counter *c, bool together)
{
    bool break_if = chance(g, 50);
    line(g, "var %s : %s = 0;", c->name, counter_type(c));
    const char *limit = name_new(g, "l");
    line(g, "let %s = %s(%s);", limit, counter_type(c), c->limit);
    Counter known = *c;
    known.limit = limit;
    open_block(g, "loop {");
    if (!break_if)
        line(g, "if (%s >= %s) { break; }", c->name, limit);
    body(g, &known, together, c->most + 1);
    continuing(g, &known, together, break_if);
    close_block(g);
}

void stmt_loop(Gen *g)
{
    bool flow = g->uniform_flow, syncs = sync_possible(g) && chance(g, 60);
    if (g->nloops >= MAX_LOOPS - 2 || g->repeats > 40)
        return;
    if (syncs)
        sync_restore(g, (Modes){0});
    g->uniform_flow = syncs;                /* also where it is decided to go on */
    Counter c = counter_new(g, syncs);
    bool prelude = g->no_prelude;
    open_block(g, "{");
    switch (pick(g, 3)) {
    case 0:  loop_for(g, &c, syncs);    break;
    case 1:  loop_while(g, &c, syncs);  break;
    default: loop_plain(g, &c, syncs);  break;
    }
    close_block(g);
    g->no_prelude = prelude;
    g->uniform_flow = flow_after(g, flow);
    g->ended = false;
}

/* ---- switch ---- */

static void clause(Gen *g, uint32_t *value, bool is_default)
{
    Modes before = sync_modes(g);
    bool flow = g->uniform_flow;
    if (is_default && chance(g, 60)) {
        open_block(g, "default: {");
    } else {
        char *list = put(g, "case %u", (*value)++);
        while (chance(g, 30))
            list = put(g, "%s, %u", list, (*value)++);
        open_block(g, "%s%s: {", list, is_default ? ", default" : "");
    }
    block(g, 3);
    sync_end(g, before);
    g->uniform_flow = flow;
    close_block(g);
}

void stmt_switch(Gen *g)
{
    bool flow = g->uniform_flow, together = flow && chance(g, 50), before = g->want_uniform;
    bool is_signed = chance(g, 50);
    uint32_t n = 1 + pick(g, 4), value = 0, the_default = pick(g, n);
    const Ty *t = ty_vector(g, is_signed ? KIND_I32 : KIND_U32, 1);
    if (g->nloops >= MAX_LOOPS - 2)
        return;
    if (together && sync_possible(g))
        sync_restore(g, (Modes){0});
    g->want_uniform |= together;
    const char *selector = expr_unknown(g, t, 3).text;
    g->want_uniform = before;
    g->uniform_flow = together;
    g->loops[g->nloops++] = (Loop){.is_switch = true, .syncs = together};
    open_block(g, chance(g, 80) ? "switch (%s & 7) {" : "switch (%s) {", selector);
    for (uint32_t i = 0; i < n; i++)
        clause(g, &value, i == the_default);
    close_block(g);
    const Loop *l = &g->loops[--g->nloops];
    g->returned |= l->parted && l->returns; /* who comes out depends on both */
    g->uniform_flow = flow_after(g, flow);
    g->ended = false;
}
