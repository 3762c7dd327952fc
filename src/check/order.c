// SPDX-License-Identifier: Apache-2.0
/*
 * order.c - module-scope declarations in an order in which each comes after
 * what it mentions.
 *
 * in     Module.decls in the order of the text
 * out    module-scope names bound; Checker.mentions; ModuleInfo.ordered,
 *        functions, globals, overrides, structs; redeclarations and cycles
 *        reported
 * knows  WGSL 5 (declaration and scope)
 * not    types
 *
 * A name inside a function means a module-scope declaration only if no local
 * hides it, so the walk keeps scopes as stmt.c does. The sort is Tarjan's, with
 * a stack of its own: a chain of a million declarations is as deep as it is long.
 */
#include "check/check_priv.h"

typedef struct Order {
    Checker  *c;
    uint32_t  count;                    /* declarations                          */
    uint32_t  current;                  /* the one being walked                  */
    uint32_t *mentioned_by;             /* [count] 1 + the last that mentioned it */
    MentionRange *ranges;               /* [count] in Checker.mentions           */
    /* Tarjan */
    uint32_t *number, *low;             /* [count] 0: not visited                */
    uint32_t *component;                /* [count] 0: not in one yet             */
    uint32_t  visited, components;
    VEC(uint32_t) open;                 /* visited, component not complete       */
    struct Visit *visits;
    uint32_t  nvisits, visit_cap;
    uint32_t *from;                     /* [count] search for a cycle's path     */
} Order;

typedef struct Visit {
    uint32_t node, next;                /* next mention to follow                */
} Visit;

/* ---- names that are missing ---- */

/* A declaration whose name could not be parsed gets one that no expression can
 * refer to, so that the rest of the checker need not test for it. */
static void complete(Checker *c, Ident *ident)
{
    if (ident->name)
        return;
    if (!c->nameless) {
        c->nameless = ARENA_NEW(c->arena, Name);
        c->nameless->text = STR("?");
    }
    ident->name = c->nameless;
}

/* ---- who mentions whom ---- */

static void walk_expr(Order *o, const Expr *e);
static void walk_block(Order *o, const Block *b);

static void mention(Order *o, Ident ident)
{
    if (!ident.name || !ident.name->bound || !ident.name->bound->is_global)
        return;
    Decl *d = ident.name->bound;
    if (o->mentioned_by[d->index] == o->current + 1)
        return;
    o->mentioned_by[d->index] = o->current + 1;
    Mention m = {.decl = d, .span = ident.span};
    VEC_PUSH(o->c->arena, &o->c->mentions, m);
}

static void walk_exprs(Order *o, Expr *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i])
            walk_expr(o, list[i]);
}

/* Right operands on the way down, so that a long chain needs no stack. */
static const Expr *walk_spine(Order *o, const Expr *e)
{
    for (; e->kind == EXPR_BINARY; e = e->binary.lhs)
        walk_expr(o, e->binary.rhs);
    return e;
}

static void walk_expr(Order *o, const Expr *e)
{
    if (!e)
        return;
    e = walk_spine(o, e);
    switch (e->kind) {
    case EXPR_NAME:
        mention(o, e->name.ident);
        walk_exprs(o, e->name.args, e->name.nargs);
        break;
    case EXPR_CALL:
        walk_expr(o, e->call.callee);
        walk_exprs(o, e->call.args, e->call.nargs);
        break;
    case EXPR_MEMBER:
        walk_expr(o, e->member.of);
        break;
    case EXPR_INDEX:
        walk_expr(o, e->index.of);
        walk_expr(o, e->index.at);
        break;
    case EXPR_UNARY:
        walk_expr(o, e->unary.of);
        break;
    default:
        break;
    }
}

static void walk_attrs(Order *o, Attrs attrs)
{
    for (uint32_t i = 0; i < attrs.len; i++)
        for (uint32_t k = 0; k < COUNTOF(attrs.data[i].args); k++)
            walk_expr(o, attrs.data[i].args[k]);
}

/* A value, variable or alias without binding its name. */
static void walk_value(Order *o, Decl *d)
{
    complete(o->c, &d->ident);
    walk_attrs(o, d->attrs);
    walk_exprs(o, d->var.space_args, d->var.nspace_args);
    walk_expr(o, d->var.type_expr);
    walk_expr(o, d->var.init);
}

static void walk_switch(Order *o, const Stmt *s)
{
    walk_expr(o, s->switch_.selector);
    for (uint32_t i = 0; i < s->switch_.nclauses; i++) {
        const SwitchClause *clause = &s->switch_.clauses[i];
        walk_exprs(o, clause->selectors, clause->nselectors);
        walk_block(o, clause->block);
    }
}

static void walk_if(Order *o, const Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++) {
        walk_expr(o, s->if_.clauses[i].condition);
        walk_block(o, s->if_.clauses[i].block);
    }
    walk_block(o, s->if_.otherwise);
}

static void walk_stmt(Order *o, const Stmt *s);

static void walk_stmts(Order *o, const Block *b)
{
    for (uint32_t i = 0; b && i < b->len; i++)
        walk_stmt(o, b->stmts[i]);
}

static void walk_block(Order *o, const Block *b)
{
    uint32_t scope = scope_enter(o->c);
    walk_stmts(o, b);
    scope_leave(o->c, scope);
}

static void walk_loop(Order *o, const Stmt *s)
{
    uint32_t scope = scope_enter(o->c);
    walk_stmts(o, s->loop.body);
    walk_block(o, s->loop.continuing);
    scope_leave(o->c, scope);
}

static void walk_for(Order *o, const Stmt *s)
{
    uint32_t scope = scope_enter(o->c);
    if (s->for_.init)
        walk_stmt(o, s->for_.init);
    walk_expr(o, s->for_.condition);
    if (s->for_.update)
        walk_stmt(o, s->for_.update);
    walk_block(o, s->for_.body);
    scope_leave(o->c, scope);
}

static void walk_stmt(Order *o, const Stmt *s)
{
    switch (s->kind) {
    case STMT_BLOCK:        walk_block(o, s->block); break;
    case STMT_DECL:
        walk_value(o, s->decl);
        scope_bind(o->c, s->decl);
        break;
    case STMT_ASSIGN:
        walk_expr(o, s->assign.lhs);
        walk_expr(o, s->assign.rhs);
        break;
    case STMT_COMPOUND:
        walk_expr(o, s->compound.lhs);
        walk_expr(o, s->compound.rhs);
        break;
    case STMT_INCREMENT:    walk_expr(o, s->increment.lhs); break;
    case STMT_PHONY:        walk_expr(o, s->phony.rhs); break;
    case STMT_CALL:         walk_expr(o, s->call.call); break;
    case STMT_IF:           walk_if(o, s); break;
    case STMT_SWITCH:       walk_switch(o, s); break;
    case STMT_LOOP:         walk_loop(o, s); break;
    case STMT_FOR:          walk_for(o, s); break;
    case STMT_WHILE:
        walk_expr(o, s->while_.condition);
        walk_block(o, s->while_.body);
        break;
    case STMT_BREAK_IF:     walk_expr(o, s->break_if.condition); break;
    case STMT_RETURN:       walk_expr(o, s->return_.value); break;
    case STMT_CONST_ASSERT: walk_expr(o, s->const_assert.condition); break;
    default:                break;
    }
}

static void walk_function(Order *o, Decl *d)
{
    uint32_t scope = scope_enter(o->c);
    walk_attrs(o, d->attrs);
    walk_attrs(o, d->fn.result_attrs);
    walk_expr(o, d->fn.result_expr);
    for (uint32_t i = 0; i < d->fn.nparams; i++)
        walk_value(o, d->fn.params[i]);
    for (uint32_t i = 0; i < d->fn.nparams; i++)
        scope_bind(o->c, d->fn.params[i]);
    walk_stmts(o, d->fn.body);
    scope_leave(o->c, scope);
}

static void walk_decl(Order *o, Decl *d)
{
    switch (d->kind) {
    case DECL_FN:
        walk_function(o, d);
        break;
    case DECL_STRUCT:
        walk_attrs(o, d->attrs);
        for (uint32_t i = 0; i < d->structure.nmembers; i++) {
            complete(o->c, &d->structure.members[i].ident);
            walk_attrs(o, d->structure.members[i].attrs);
            walk_expr(o, d->structure.members[i].type_expr);
        }
        break;
    case DECL_CONST_ASSERT:
        walk_expr(o, d->const_assert.condition);
        break;
    default:
        walk_value(o, d);
    }
}

static void collect_mentions(Order *o)
{
    Checker *c = o->c;
    for (o->current = 0; o->current < o->count; o->current++) {
        MentionRange *r = &o->ranges[o->current];
        r->start = c->mentions.len;
        walk_decl(o, c->module->decls.data[o->current]);
        r->end = c->mentions.len;
    }
}

/* ---- cycles ---- */

#define MAX_PATH_NOTES 8

/* Shortest way from `root` back to it inside its component: o->from of each node
 * found is the node before it. Returns the last node of the way. */
static uint32_t find_cycle(Order *o, uint32_t root, const uint32_t *members, uint32_t count)
{
    Checker *c = o->c;
    VEC(uint32_t) queue = {0};
    for (uint32_t i = 0; i < count; i++)
        o->from[members[i]] = UINT32_MAX;
    VEC_PUSH(c->arena, &queue, root);
    for (uint32_t i = 0; i < queue.len; i++) {
        uint32_t node = queue.data[i];
        for (uint32_t k = o->ranges[node].start; k < o->ranges[node].end; k++) {
            uint32_t to = c->mentions.data[k].decl->index;
            if (to == root)
                return node;
            if (o->component[to] != o->component[root] || o->from[to] != UINT32_MAX)
                continue;
            o->from[to] = node;
            VEC_PUSH(c->arena, &queue, to);
        }
    }
    BUG("a component without a cycle");
}

static Str name_of(const Order *o, uint32_t node)
{
    return o->c->module->decls.data[node]->ident.name->text;
}

/* Where `from` mentions `to`. */
static Span mention_span(const Order *o, uint32_t from, uint32_t to)
{
    for (uint32_t k = o->ranges[from].start; k < o->ranges[from].end; k++)
        if (o->c->mentions.data[k].decl->index == to)
            return o->c->mentions.data[k].span;
    BUG("an edge is missing");
}

static void report_cycle(Order *o, const uint32_t *members, uint32_t count)
{
    Checker *c = o->c;
    bool calls = true;
    uint32_t root = members[0];
    for (uint32_t i = 0; i < count; i++) {
        root = MIN_OF(root, members[i]);
        calls &= c->module->decls.data[members[i]]->kind == DECL_FN;
    }
    uint32_t last = find_cycle(o, root, members, count), length = 1;
    for (uint32_t n = last; n != root; n = o->from[n])
        length++;
    uint32_t *path = ARENA_ARRAY(c->arena, uint32_t, length);
    for (uint32_t n = last, i = length; i-- > 0; n = i ? o->from[n] : n)
        path[i] = n;

    DiagId id = calls ? DIAG_recursion : DIAG_cyclic_declaration;
    Span at = c->module->decls.data[root]->ident.span;
    const char *does = calls ? "calls" : "depends on";
    Diagnostic *d;
    if (length == 1)
        d = diag_add(c->diag, id, at, "'%.*s' %s itself", STR_ARG(name_of(o, root)), does);
    else
        d = diag_add(c->diag, id, at, "'%.*s' %s itself through '%.*s'%s",
                     STR_ARG(name_of(o, root)), does, STR_ARG(name_of(o, path[1])),
                     length > 2 ? " and others" : "");
    for (uint32_t i = 0; i < length && i < MAX_PATH_NOTES; i++) {
        uint32_t to = path[(i + 1) % length];
        diag_note(c->diag, d, mention_span(o, path[i], to), "'%.*s' %s '%.*s'",
                  STR_ARG(name_of(o, path[i])), does, STR_ARG(name_of(o, to)));
    }
}

static bool mentions_itself(const Order *o, uint32_t node)
{
    for (uint32_t k = o->ranges[node].start; k < o->ranges[node].end; k++)
        if (o->c->mentions.data[k].decl->index == node)
            return true;
    return false;
}

/* The nodes of `open` from `first` on are one component: done with. */
static void close_component(Order *o, uint32_t first)
{
    Checker *c = o->c;
    const uint32_t *members = o->open.data + first;
    uint32_t count = o->open.len - first;
    o->components++;
    for (uint32_t i = 0; i < count; i++)
        o->component[members[i]] = o->components;
    bool cyclic = count > 1 || mentions_itself(o, members[0]);
    if (cyclic)
        report_cycle(o, members, count);
    for (uint32_t i = 0; i < count; i++) {
        Decl *d = c->module->decls.data[members[i]];
        if (cyclic)
            d->type = c->types->error;
        VEC_PUSH(c->arena, &c->info->ordered, d);
    }
    o->open.len = first;
}

/* ---- the sort ---- */

static void begin_visit(Order *o, uint32_t node)
{
    Checker *c = o->c;
    o->number[node] = o->low[node] = ++o->visited;
    VEC_PUSH(c->arena, &o->open, node);
    if (o->nvisits == o->visit_cap)
        o->visits = vec_grow(c->arena, o->visits, &o->visit_cap, sizeof *o->visits);
    o->visits[o->nvisits++] = (Visit){.node = node, .next = o->ranges[node].start};
}

static void end_visit(Order *o)
{
    uint32_t node = o->visits[--o->nvisits].node;
    if (o->low[node] == o->number[node]) {
        uint32_t first = o->open.len;
        while (o->open.data[--first] != node)
            ;
        close_component(o, first);
    }
    if (o->nvisits) {
        uint32_t above = o->visits[o->nvisits - 1].node;
        o->low[above] = MIN_OF(o->low[above], o->low[node]);
    }
}

static void visit(Order *o, uint32_t root)
{
    begin_visit(o, root);
    while (o->nvisits) {
        Visit *v = &o->visits[o->nvisits - 1];
        if (v->next == o->ranges[v->node].end) {
            end_visit(o);
            continue;
        }
        uint32_t to = o->c->mentions.data[v->next++].decl->index;
        if (!o->number[to])
            begin_visit(o, to);
        else if (!o->component[to])
            o->low[v->node] = MIN_OF(o->low[v->node], o->number[to]);
    }
}

/* ---- the module ---- */

/* Module-scope names, the first of each; Decl.index is the place in the text
 * until the order is known. */
static void bind_names(Checker *c)
{
    for (uint32_t i = 0; i < c->module->decls.len; i++) {
        Decl *d = c->module->decls.data[i];
        d->index = i;
        if (d->kind == DECL_CONST_ASSERT)
            continue;
        complete(c, &d->ident);
        if (d->ident.name == c->nameless)
            continue;
        if (d->ident.name->bound)
            scope_redeclared(c, d->ident, d->ident.name->bound);
        else
            d->ident.name->bound = d;
    }
}

static void list_decl(Checker *c, Decl *d)
{
    ModuleInfo *info = c->info;
    if (d->kind == DECL_OVERRIDE)
        VEC_PUSH(c->arena, &info->overrides, d);
    else if (d->kind == DECL_VAR)
        VEC_PUSH(c->arena, &info->globals, d);
}

/* Decl.index becomes the place in ordered, and Checker.mentioned follows. */
static void renumber(Order *o)
{
    Checker *c = o->c;
    c->mentioned = ARENA_ARRAY(c->arena, MentionRange, o->count);
    for (uint32_t i = 0; i < o->count; i++)
        c->mentioned[i] = o->ranges[c->info->ordered.data[i]->index];
    for (uint32_t i = 0; i < o->count; i++) {
        Decl *d = c->info->ordered.data[i];
        d->index = i;
        if (d->kind == DECL_FN)
            VEC_PUSH(c->arena, &c->info->functions, d);
        else if (d->kind == DECL_STRUCT)
            VEC_PUSH(c->arena, &c->info->structs, d);
    }
}

void order_module(Checker *c)
{
    uint32_t n = c->module->decls.len;
    Order o = {
        .c = c,
        .count = n,
        .mentioned_by = ARENA_ARRAY(c->arena, uint32_t, n),
        .ranges = ARENA_ARRAY(c->arena, MentionRange, n),
        .number = ARENA_ARRAY(c->arena, uint32_t, n),
        .low = ARENA_ARRAY(c->arena, uint32_t, n),
        .component = ARENA_ARRAY(c->arena, uint32_t, n),
        .from = ARENA_ARRAY(c->arena, uint32_t, n),
    };
    bind_names(c);
    collect_mentions(&o);
    for (uint32_t i = 0; i < n; i++)
        if (!o.number[i])
            visit(&o, i);
    for (uint32_t i = 0; i < n; i++)
        list_decl(c, c->module->decls.data[i]);
    renumber(&o);
}
