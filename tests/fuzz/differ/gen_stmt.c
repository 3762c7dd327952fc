// SPDX-License-Identifier: Apache-2.0
/*
 * gen_stmt.c - statements.
 */
#include "gen_priv.h"

bool may_grow(const Gen *g)
{
    return g->statements < MAX_STATEMENTS && g->cost < MAX_COST;
}

void block(Gen *g, uint32_t most)
{
    uint32_t mark = g->vars.len;
    g->ended = false;
    for (uint32_t n = 1 + pick(g, most); n > 0 && !g->ended && may_grow(g); n--)
        statement(g);
    g->vars.len = mark;
}

/* ---- declarations ---- */

static void stmt_var(Gen *g)
{
    const Ty *t = ty_any(g, false, 2);
    const char *value = chance(g, 70) ? expr_text(g, t, DEEP) : NULL;
    const char *name = name_new(g, "v");
    if (value)
        line(g, "var %s : %s = %s;", name, t->name, value);
    else
        line(g, "var %s : %s;", name, t->name);
    var_add(g, (Var){.text = name, .type = t, .write = true,
                     .space = SPACE_FUNCTION});
}

static void stmt_let(Gen *g)
{
    const Ty *t = ty_any(g, false, 1);
    bool together = g->uniform_flow && chance(g, 40), before = g->want_uniform;
    g->want_uniform = together;
    const char *value = expr_text(g, t, DEEP);
    g->want_uniform = before;
    const char *name = name_new(g, "l");
    line(g, "let %s = %s;", name, value);
    var_add(g, (Var){.text = name, .type = t, .uniform = together});
}

static void stmt_pointer(Gen *g)
{
    const Ty *t = NULL;
    const char *path = path_any(g, true, &t);
    if (!path || (t->form == FORM_VECTOR && t->width == 1) || sync_outdates(g, path))
        return;
    const char *name = name_new(g, "p");
    line(g, "let %s = &%s;", name, path);
    var_add(g, (Var){.text = put(g, "(*%s)", name), .type = t, .write = true});
}

/* ---- assignments ---- */

static void stmt_assign(Gen *g)
{
    const Ty *t = NULL;
    const char *path = path_any(g, true, &t);
    if (!path)
        return;
    const char *value = expr_text(g, t, DEEP);
    line(g, "%s = %s;", path, value);
}

static void stmt_compound(Gen *g)
{
    static const char *const ops[] = {"+=", "-=", "*=", "&=", "|=", "^=", "/=", "%=", "<<=",
                                      ">>="};
    const Ty *t = ty_vector(g, chance(g, 50) ? KIND_I32 : KIND_U32,
                            chance(g, 70) ? 1 : 2 + pick(g, 3));
    const char *path = path_to(g, t, true);
    if (!path)
        return;
    if (t->width == 1 && chance(g, 30)) {
        line(g, "%s%s;", path, chance(g, 50) ? "++" : "--");
        return;
    }
    uint32_t op = pick(g, COUNTOF(ops));
    const Ty *right = op < 8 ? t : ty_vector(g, KIND_U32, t->width);
    line(g, "%s %s %s;", path, ops[op], expr_unknown(g, right, DEEP - 1).text);
}

/* Out of bounds, in memory that nobody looks at. */
static void stmt_junk(Gen *g)
{
    const Ty *u = ty_vector(g, KIND_U32, 1), *i = ty_vector(g, KIND_I32, 1);
    bool flow = g->uniform_flow;
    g->uniform_flow = false;                /* some are written twice */
    const char *at = expr_unknown(g, chance(g, 50) ? u : i, 3).text;
    const char *from = expr_unknown(g, u, 3).text;
    g->uniform_flow = flow;
    switch (pick(g, 8)) {
    case 0:  line(g, "junk[%s] = in_u[%s];", at, from);                           return;
    case 1:  line(g, "junk_p[%s] = junk_p[%s] + in_u[me + %s];", at, from, from); return;
    case 2:  line(g, "junk_w[%s] = junk_p[%s];", at, from);                       return;
    case 3:  line(g, "junk[%s] = junk_w[%s] + cfg.f1[%s];", at, from, from);      return;
    case 4:  line(g, "junk_3[%s] = junk_3[%s].zxy;", at, from);                   return;
    case 5:  line(g, "junk_m[%s][%s] = f32(junk[%s] & 7u);", at, from, from);     return;
    case 6:  line(g, "junk[me * %s] = table[%s];", from, at);                     return;
    default: line(g, "if (%s < arrayLength(&junk)) { junk[%s] = u32(junk_m[%s][1]); }",
                  from, from, at);                                                return;
    }
}

static void stmt_call(Gen *g)
{
    if (!g->fns.len)
        return;
    const Fn fn = g->fns.data[pick(g, g->fns.len)];
    bool fits = g->cost + g->repeats * fn.cost < MAX_COST &&
                g->statements + fn.size < MAX_STATEMENTS;
    if (!fits || (fn.syncs && !sync_possible(g)))
        return;
    if (fn.syncs)
        sync_restore(g, (Modes){0});
    const char *text = call_text(g, &fn, 3);
    if (text)
        line(g, "%s%s;", fn.result && chance(g, 50) ? "_ = " : "", text);
    if (fn.parts)
        line(g, "workgroupBarrier();");
}

/* ---- choices ---- */

/* One way of an if; what it does to workgroup memory is undone at its end. */
static void way(Gen *g, uint32_t most)
{
    Modes before = sync_modes(g);
    block(g, most);
    sync_end(g, before);
}

static const char *condition(Gen *g, bool together)
{
    const Ty *b = ty_vector(g, KIND_BOOL, 1);
    bool before = g->want_uniform;
    const char *early = g->early;
    if (early && !together) {
        g->early = NULL;
        return early;
    }
    g->want_uniform |= together;
    const char *text = expr_unknown(g, b, DEEP - 1).text;
    g->want_uniform = before;
    return text;
}

void stmt_if(Gen *g)
{
    bool flow = g->uniform_flow, together = flow && !g->early && chance(g, 50);
    bool prelude = g->no_prelude;
    const char *c = condition(g, together);
    uint32_t clauses = chance(g, 20) ? 1 + pick(g, 3) : 0;
    bool ends = true;
    g->uniform_flow = together;
    open_block(g, "if (%s) {", c);
    way(g, 4);
    ends &= g->ended;
    for (uint32_t i = 0; i < clauses; i++) {
        g->no_prelude = true;
        c = condition(g, together);
        g->no_prelude = prelude;
        g->indent--;
        open_block(g, "} else if (%s) {", c);
        way(g, 3);
        ends &= g->ended;
    }
    bool otherwise = chance(g, 50);
    if (otherwise) {
        g->indent--;
        open_block(g, "} else {");
        way(g, 4);
        ends &= g->ended;
    }
    close_block(g);
    g->uniform_flow = flow_after(g, flow);
    g->ended = ends && otherwise;
}

/* ---- leaving ---- */

static bool in_syncing_loop(const Gen *g)
{
    for (uint32_t i = 0; i < g->nloops; i++)
        if (g->loops[i].syncs && !g->loops[i].is_switch)
            return true;
    return false;
}

static bool stmt_return(Gen *g)
{
    if (in_syncing_loop(g))
        return false;
    if (sync_possible(g) && g->fn)
        sync_restore(g, (Modes){0});
    if (g->fn && g->fn->result)
        line(g, "return %s;", expr_text(g, g->fn->result, 3));
    else
        line(g, "return;");
    g->returned |= !g->uniform_flow;
    for (uint32_t i = 0; i < g->nloops; i++)
        g->loops[i].returns = true;
    return true;
}

/* The loop that `continue` means, or `break`; NULL: none. */
static Loop *loop_around(Gen *g, bool for_break)
{
    for (uint32_t i = g->nloops; i-- > 0;)
        if (for_break || !g->loops[i].is_switch)
            return &g->loops[i];
    return NULL;
}

bool stmt_leave(Gen *g)
{
    bool breaks = chance(g, 50);
    Loop *loop = loop_around(g, breaks);
    if (g->in_continuing || g->depth == 0)
        return false;
    if (!loop || chance(g, 25)) {
        g->ended = stmt_return(g);
        return g->ended;
    }
    /* Whoever leaves a loop of the whole workgroup leaves with all others, and leaves
     * its memory as it was found. A switch may be left alone: it ends for all. */
    bool wide = false;
    for (const Loop *l = loop; l < g->loops + g->nloops; l++)
        wide |= l->syncs && !l->is_switch;
    if (wide && (!g->uniform_flow || !breaks))
        return false;
    if (loop->syncs && sync_possible(g))
        sync_restore(g, (Modes){0});
    loop->parted |= !g->uniform_flow;
    line(g, breaks ? "break;" : "continue;");
    g->ended = true;
    return true;
}

/* ---- any ---- */

static void stmt_block(Gen *g)
{
    open_block(g, "{");
    block(g, 3);
    close_block(g);
}

static void simple(Gen *g)
{
    switch (pick(g, 12)) {
    case 0: case 1:          stmt_var(g);       break;
    case 2:                  stmt_let(g);       break;
    case 3:                  stmt_pointer(g);   break;
    case 4: case 5: case 6:  stmt_assign(g);    break;
    case 7:                  stmt_compound(g);  break;
    case 8:                  stmt_junk(g);      break;
    case 9:                  stmt_call(g);      break;
    case 10:                 stmt_atomic(g);    break;
    default:                 stmt_call(g);      break;
    }
}

static void nested(Gen *g)
{
    g->depth++;
    switch (pick(g, 8)) {
    case 0: case 1: case 2:  stmt_if(g);        break;
    case 3: case 4: case 5:  stmt_loop(g);      break;
    case 6:                  stmt_switch(g);    break;
    default:                 stmt_block(g);     break;
    }
    g->depth--;
}

void statement(Gen *g)
{
    g->fuel = 8 + (int)pick(g, 24);
    g->statements++;
    g->cost += 4 * g->repeats;
    g->ended = false;
    if (g->depth < 5 && !g->in_continuing && chance(g, 35))
        nested(g);
    else if (sync_possible(g) && chance(g, 25))
        stmt_sync(g);
    else if (!chance(g, 12) || !stmt_leave(g))
        simple(g);
}
