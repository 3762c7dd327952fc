// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_value.c - what the variables of a function hold, as nodes of the
 * uniformity graph, through branches, jumps and loops.
 *
 * in     declarations, assignments, jumps and joins, in the order of the walk
 * out    the node of each variable's value at any point
 * knows  WGSL 15.2.5 (function-scope variable value analysis)
 * not    expressions, control flow uniformity, diagnostics
 *
 * No construct copies all variables. A branch is taken back through an undo log.
 * Where ways join, nothing is recorded at the jump but its time: when a variable
 * gets another value, the one it leaves is noted for each open target that was
 * jumped to since it was set. So all joins of a function together cost as much as
 * its assignments, times the nesting.
 */
#include "check/uniformity_priv.h"

/* ---- what is followed ---- */

bool value_is_function_pointer(const Type *type)
{
    return type->kind == TYPE_POINTER && type->pointer.space == SPACE_FUNCTION;
}

bool value_is_tracked(const Decl *root)
{
    if (root->kind == DECL_PARAM)
        return value_is_function_pointer(root->type);
    return root->kind == DECL_VAR && !root->is_global;
}

bool value_is_shared(const Decl *root)
{
    AddressSpace space = root->var.space;
    Access access = root->var.access;
    if (root->kind == DECL_PARAM) {
        space = root->type->pointer.space;
        access = root->type->pointer.access;
    }
    switch (space) {
    case SPACE_PRIVATE:
    case SPACE_WORKGROUP:
        return true;
    case SPACE_STORAGE:
        return access != ACCESS_READ;
    default:
        return false;
    }
}

/* ---- variables ---- */

void values_begin(Uniform *u)
{
    uint32_t nlocals = u->fn->fn.info->locals.len;
    u->locals.len = 0;
    for (uint32_t i = 0; i < nlocals; i++)
        VEC_PUSH(u->arena, &u->locals, (Local){0});
    u->clock = 0;
    u->targets.len = 0;
    u->arrivals.len = 0;
    VEC_PUSH(u->arena, &u->arrivals, (Arrival){0});
    u->free_arrivals = 0;
    u->undo.len = 0;
    u->changes.len = 0;
    u->loops.len = 0;
    u->loop = 0;
    u->heads.len = 0;
}

Local *value_local(Uniform *u, const Decl *decl)
{
    BUG_IF(decl->index >= u->locals.len, "'%.*s' is not a local of this function",
           STR_ARG(decl->ident.name->text));
    return &u->locals.data[decl->index];
}

NodeId value_get(Uniform *u, const Decl *decl)
{
    NodeId value = value_local(u, decl)->value;
    BUG_IF(value == NODE_NONE, "'%.*s' is used before it is declared",
           STR_ARG(decl->ident.name->text));
    return value;
}

void value_declare(Uniform *u, const Decl *decl, NodeId value)
{
    Local *local = value_local(u, decl);
    uint32_t open = u->targets.len;
    local->value = value;
    local->since = u->clock;
    local->floor = open && u->targets.data[open - 1].continues ? open - 1 : open;
}

/* ---- arrivals at targets ---- */

static uint32_t arrival_new(Uniform *u, uint32_t target, uint32_t local)
{
    uint32_t at = u->free_arrivals;
    if (at)
        u->free_arrivals = u->arrivals.data[at].next_of_local;
    else {
        at = u->arrivals.len;
        VEC_PUSH(u->arena, &u->arrivals, (Arrival){0});
    }
    u->arrivals.data[at] = (Arrival){
        .target = target,
        .local = local,
        .next_of_target = u->targets.data[target].arrivals,
    };
    u->targets.data[target].arrivals = at;
    return at;
}

static void arrival_add(Uniform *u, uint32_t at, NodeId value)
{
    Graph *g = &u->graph;
    Arrival *a = &u->arrivals.data[at];
    if (!a->value)
        a->value = value;
    else if (a->joined && value != a->latest)
        graph_edge(g, a->value, value);
    else if (!a->joined && value != a->value) {
        if (graph_has_edge(g, a->value, value))
            return;
        NodeId first = a->value;
        a->value = value;
        if (!graph_has_edge(g, value, first)) {
            a->value = graph_node(g, STORY_NONE, NULL);
            a->joined = true;
            graph_edge(g, a->value, first);
            graph_edge(g, a->value, value);
        }
    }
    a->latest = value;
}

/* The arrival of a local at a target, made if needed. *after is where to look
 * for it and 0 at first; targets are asked for from inside to outside. */
static uint32_t arrival_get(Uniform *u, uint32_t target, uint32_t local,
                            uint32_t *after)
{
    Arrival *all = u->arrivals.data;
    uint32_t at = *after ? all[*after].next_of_local : u->locals.data[local].arrivals;
    while (at && all[at].target > target) {
        *after = at;
        at = all[at].next_of_local;
    }
    if (!at || all[at].target != target) {
        uint32_t rest = at;
        at = arrival_new(u, target, local);
        u->arrivals.data[at].next_of_local = rest;
        if (*after)
            u->arrivals.data[*after].next_of_local = at;
        else
            u->locals.data[local].arrivals = at;
    }
    *after = at;
    return at;
}

/* A local is about to lose its value: it is what the local held at every jump
 * since it was set. */
static void value_leave(Uniform *u, uint32_t index)
{
    Local *local = &u->locals.data[index];
    uint32_t after = 0;
    if (local->since == u->clock)
        return;
    for (uint32_t t = u->targets.len; t-- > local->floor;)
        if (u->targets.data[t].last > local->since)
            arrival_add(u, arrival_get(u, t, index, &after), local->value);
}

static void value_replace(Uniform *u, uint32_t index, NodeId value)
{
    value_leave(u, index);
    u->locals.data[index].value = value;
    u->locals.data[index].since = u->clock;
}

static void value_set_index(Uniform *u, uint32_t index, NodeId value)
{
    NodeId before = u->locals.data[index].value;
    if (before == value)
        return;
    value_replace(u, index, value);
    VEC_PUSH(u->arena, &u->undo, ((Undo){.local = index, .value = before}));
}

void value_set(Uniform *u, const Decl *decl, NodeId value)
{
    value_get(u, decl);
    value_set_index(u, decl->index, value);
}

/* ---- branches ---- */

uint32_t values_mark(const Uniform *u)
{
    return u->undo.len;
}

void values_undo(Uniform *u, uint32_t mark)
{
    while (u->undo.len > mark) {
        Undo undo = u->undo.data[--u->undo.len];
        value_replace(u, undo.local, undo.value);
    }
}

/* ---- targets ---- */

uint32_t target_open(Uniform *u, bool continues)
{
    VEC_PUSH(u->arena, &u->targets, (Target){.continues = continues});
    return u->targets.len - 1;
}

void target_jump(Uniform *u, uint32_t target)
{
    u->targets.data[target].last = ++u->clock;
}

void target_close(Uniform *u, uint32_t index)
{
    BUG_IF(index + 1 != u->targets.len, "targets are closed out of order");
    Target target = u->targets.data[index];
    u->targets.len--;
    for (uint32_t at = target.arrivals, next = 0; at; at = next) {
        uint32_t local = u->arrivals.data[at].local;
        next = u->arrivals.data[at].next_of_target;
        if (target.last > u->locals.data[local].since)
            arrival_add(u, at, u->locals.data[local].value);
        NodeId value = u->arrivals.data[at].value;

        BUG_IF(u->locals.data[local].arrivals != at, "arrivals are out of order");
        u->locals.data[local].arrivals = u->arrivals.data[at].next_of_local;
        u->arrivals.data[at].next_of_local = u->free_arrivals;
        u->free_arrivals = at;
        value_set_index(u, local, value);
    }
}

/* ---- loops ---- */

uint32_t loop_head(Uniform *u, const Stmt *loop)
{
    BUG_IF(u->loop >= u->loops.len || u->loops.data[u->loop].loop != loop,
           "loops are met in another order");
    LoopChanges range = u->loops.data[u->loop++];
    uint32_t mark = u->heads.len;
    for (uint32_t i = range.first; i < range.end; i++) {
        Local *local = &u->locals.data[u->changes.data[i]];
        if (!local->value || local->loop == u->loop)
            continue;
        local->loop = u->loop;
        LoopHead head = {.local = u->changes.data[i],
                         .node = graph_node(&u->graph, STORY_NONE, NULL)};
        graph_edge(&u->graph, head.node, local->value);
        VEC_PUSH(u->arena, &u->heads, head);
        value_set_index(u, head.local, head.node);
    }
    return mark;
}

void loop_again(Uniform *u, uint32_t mark)
{
    for (uint32_t i = mark; i < u->heads.len; i++) {
        LoopHead head = u->heads.data[i];
        graph_edge(&u->graph, head.node, u->locals.data[head.local].value);
    }
}

void loop_forget(Uniform *u, uint32_t mark)
{
    u->heads.len = mark;
}
