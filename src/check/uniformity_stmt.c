// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_stmt.c - uniformity of control flow, statement by statement.
 *
 * in     the body of a function, with its behaviours
 * out    the node of the control flow at any point, handed to expressions; what
 *        variables hold
 * knows  WGSL 15.2.6 (statements), 9.4 (loops are desugared), 2.3.3 (the ranges of
 *        diagnostic filters)
 * not    expressions, diagnostics
 *
 * A `break` leads what variables hold to the end of its loop only if it is there:
 * the continuing part counts if it has a `break if`.
 */
#include "check/behavior.h"
#include "check/uniformity_priv.h"

static NodeId statement(Uniform *u, NodeId cf, const Stmt *s);

/* Brings the filters of a range of the text into force; gives back those outside. */
static Filters filters_enter(Uniform *u, Attrs attrs)
{
    Filters outer = u->filters;
    if (attrs.len > 0)
        u->filters = feature_filters(u->c, outer, attrs);
    return outer;
}

NodeId uniform_block(Uniform *u, NodeId cf, const Block *block, uint32_t *behavior)
{
    Filters outer = filters_enter(u, block->attrs);
    uint32_t ends = BEHAVIOR_NEXT;
    for (uint32_t i = 0; i < block->len && (ends & BEHAVIOR_NEXT); i++) {
        cf = statement(u, cf, block->stmts[i]);
        ends = (ends & ~(uint32_t)BEHAVIOR_NEXT) | block->stmts[i]->behavior;
    }
    u->filters = outer;
    *behavior = ends;
    return cf;
}

/* A block that other ways join at `join`. Variables are as before it. */
static NodeId branch(Uniform *u, NodeId cf, const Block *block, uint32_t join,
                     uint32_t *behavior)
{
    uint32_t mark = values_mark(u);
    cf = uniform_block(u, cf, block, behavior);
    if (*behavior & BEHAVIOR_NEXT)
        target_jump(u, join);
    values_undo(u, mark);
    return cf;
}

static NodeId condition(Uniform *u, NodeId cf, const Expr *e)
{
    return uniform_decides(u, cf, STORY_CONDITION, e, uniform_expr(u, cf, e));
}

/* ---- if and switch ---- */

static NodeId merge(Uniform *u, const Stmt *s, NodeId a, NodeId b)
{
    NodeId end = graph_node(&u->graph, STORY_MERGE, s);
    graph_edge(&u->graph, end, a);
    if (b != a)
        graph_edge(&u->graph, end, b);
    return end;
}

/* Control flow after the clauses from `base` on: each `else if` is an `if` in an
 * `else`, and where such an `if` always goes on, all come together again. */
static NodeId if_end(Uniform *u, NodeId cf, const Stmt *s, uint32_t base, NodeId end,
                     uint32_t behavior)
{
    while (u->if_ends.len > base) {
        IfEnd clause = u->if_ends.data[--u->if_ends.len];
        behavior |= clause.behavior;
        if (behavior != BEHAVIOR_NEXT)
            end = merge(u, s, clause.end, end);
        else
            end = u->if_ends.len > base ? u->if_ends.data[u->if_ends.len - 1].start : cf;
    }
    return end;
}

static NodeId if_(Uniform *u, NodeId cf, const Stmt *s)
{
    uint32_t join = target_open(u, false), base = u->if_ends.len, mark = 0;
    NodeId inner = cf;
    for (uint32_t i = 0; i < s->if_.nclauses; i++) {
        const IfClause *clause = &s->if_.clauses[i];
        IfEnd end = {0};
        end.start = inner = condition(u, inner, clause->condition);
        if (i == 0)
            mark = values_mark(u);
        end.end = branch(u, inner, clause->block, join, &end.behavior);
        VEC_PUSH(u->arena, &u->if_ends, end);
    }
    uint32_t behavior = BEHAVIOR_NEXT;
    if (s->if_.otherwise)
        inner = branch(u, inner, s->if_.otherwise, join, &behavior);
    else
        target_jump(u, join);
    values_undo(u, mark);
    target_close(u, join);
    return if_end(u, cf, s, base, inner, behavior);
}

static NodeId switch_(Uniform *u, NodeId cf, const Stmt *s)
{
    uint32_t outer_break = u->break_to;
    NodeId inner = condition(u, cf, s->switch_.selector);
    NodeId end = graph_node(&u->graph, STORY_MERGE, s);
    Filters outer = filters_enter(u, s->switch_.body_attrs);
    u->break_to = target_open(u, false);
    for (uint32_t i = 0; i < s->switch_.nclauses; i++) {
        uint32_t behavior = 0;
        NodeId clause = branch(u, inner, s->switch_.clauses[i].block, u->break_to,
                               &behavior);
        if (clause != inner || i == 0)
            graph_edge(&u->graph, end, clause);
    }
    target_close(u, u->break_to);
    u->break_to = outer_break;
    u->filters = outer;
    return s->behavior == BEHAVIOR_NEXT ? cf : end;
}

/* ---- loops ---- */

/* `loop`, and what `for` and `while` stand for. */
typedef struct Loop {
    const Stmt  *at;
    const Expr  *condition;         /* NULL: none                                 */
    const Block *body;
    const Block *continuing;        /* NULL: none                                 */
    const Stmt  *update;            /* NULL: none                                 */
} Loop;

/* The body, up to the start of the continuing part. */
static NodeId loop_body(Uniform *u, NodeId cf, const Loop *loop, uint32_t *behavior)
{
    uint32_t mark = values_mark(u), ends = 0;
    if (loop->condition) {
        cf = condition(u, cf, loop->condition);
        target_jump(u, u->break_to);
        ends = BEHAVIOR_BREAK;
    }
    cf = uniform_block(u, cf, loop->body, behavior);
    if (*behavior & BEHAVIOR_NEXT)
        target_jump(u, u->continue_to);
    *behavior |= ends;
    values_undo(u, mark);
    return cf;
}

static NodeId loop_continuing(Uniform *u, NodeId cf, const Loop *loop)
{
    uint32_t behavior = 0;
    if (loop->continuing) {             /* a part of the body, and its filters */
        Filters outer = filters_enter(u, loop->body->attrs);
        cf = uniform_block(u, cf, loop->continuing, &behavior);
        u->filters = outer;
    }
    if (loop->update)
        cf = statement(u, cf, loop->update);
    return cf;
}

static NodeId loop_(Uniform *u, NodeId cf, const Loop *loop)
{
    uint32_t outer_break = u->break_to, outer_continue = u->continue_to;
    uint32_t mark = values_mark(u), behavior = 0;
    NodeId start = graph_node(&u->graph, STORY_LOOP, loop->at), after = cf;
    graph_edge(&u->graph, start, cf);
    uint32_t head = loop_head(u, loop->at);

    u->break_to = target_open(u, false);
    u->continue_to = target_open(u, true);
    NodeId end = loop_body(u, start, loop, &behavior);
    bool again = behavior & (BEHAVIOR_NEXT | BEHAVIOR_CONTINUE);
    target_close(u, u->continue_to);
    if (again) {
        graph_edge(&u->graph, start, loop_continuing(u, end, loop));
        loop_again(u, head);
    }
    if (behavior & BEHAVIOR_RETURN)
        after = again ? start : end;
    loop_forget(u, head);
    values_undo(u, mark);
    target_close(u, u->break_to);
    u->break_to = outer_break;
    u->continue_to = outer_continue;
    return after;
}

static NodeId for_(Uniform *u, NodeId cf, const Stmt *s)
{
    if (s->for_.init)
        cf = statement(u, cf, s->for_.init);
    return loop_(u, cf, &(Loop){.at = s, .condition = s->for_.condition,
                                .body = s->for_.body, .update = s->for_.update});
}

static NodeId break_if(Uniform *u, NodeId cf, const Stmt *s)
{
    cf = condition(u, cf, s->break_if.condition);
    target_jump(u, u->break_to);
    return cf;
}

static NodeId jump(Uniform *u, NodeId cf, uint32_t target)
{
    target_jump(u, target);
    return cf;
}

/* ---- simple statements ---- */

static void declaration(Uniform *u, NodeId cf, const Decl *decl)
{
    NodeId value = cf;
    if (decl->kind != DECL_VAR && decl->kind != DECL_LET)
        return;
    if (decl->kind == DECL_LET && decl->type->kind == TYPE_POINTER) {
        value_local(u, decl)->view = uniform_view(u, cf, decl->var.init);
        return;
    }
    if (decl->var.init)
        value = uniform_expr(u, cf, decl->var.init);
    if (value != NODE_START) {
        NodeId init = graph_node(
            &u->graph, decl->kind == DECL_VAR ? STORY_INIT : STORY_LET, decl);
        graph_edge(&u->graph, init, value);
        value = init;
    }
    value_declare(u, decl, value);
}

/* `value` is written to a view. */
static void store(Uniform *u, const Stmt *s, View to, NodeId value)
{
    if (!value_is_tracked(to.root))
        return;
    NodeId before = value_get(u, to.root);
    if (to.full && value == NODE_START) {
        value_set(u, to.root, value);
        return;
    }
    NodeId assigned = graph_node(&u->graph, STORY_ASSIGN, s);
    graph_edge(&u->graph, assigned, value);
    if (!to.full) {
        graph_edge(&u->graph, assigned, before);
        if (to.address != value)
            graph_edge(&u->graph, assigned, to.address);
    }
    value_set(u, to.root, assigned);
}

static NodeId assign(Uniform *u, NodeId cf, const Stmt *s)
{
    View to = uniform_view(u, cf, s->assign.lhs);
    store(u, s, to, uniform_expr(u, cf, s->assign.rhs));
    return cf;
}

/* `to op= rhs`, and `to++` without one. */
static NodeId update(Uniform *u, NodeId cf, const Stmt *s, const Expr *lhs,
                     const Expr *rhs)
{
    View to = uniform_view(u, cf, lhs);
    if (value_is_tracked(to.root)) {
        NodeId value = uniform_load(u, cf, lhs, to);
        if (rhs)
            value = uniform_both(u, cf, value, uniform_expr(u, cf, rhs));
        store(u, s, to, value);
    } else if (rhs)
        uniform_expr(u, cf, rhs);
    return cf;
}

static NodeId return_(Uniform *u, NodeId cf, const Stmt *s)
{
    if (s->return_.value)
        graph_edge(&u->graph, u->result, uniform_expr(u, cf, s->return_.value));
    return jump(u, cf, 0);
}

/* ---- all of them ---- */

static NodeId plain(Uniform *u, NodeId cf, const Stmt *s)
{
    uint32_t behavior = 0;
    switch (s->kind) {
    case STMT_BLOCK:
        return uniform_block(u, cf, s->block, &behavior);
    case STMT_DECL:
        declaration(u, cf, s->decl);
        return cf;
    case STMT_ASSIGN:
        return assign(u, cf, s);
    case STMT_COMPOUND:
        return update(u, cf, s, s->compound.lhs, s->compound.rhs);
    case STMT_INCREMENT:
        return update(u, cf, s, s->increment.lhs, NULL);
    case STMT_PHONY:
        uniform_expr(u, cf, s->phony.rhs);
        return cf;
    case STMT_CALL:
        uniform_call(u, cf, s->call.call);
        return cf;
    case STMT_IF:
        return if_(u, cf, s);
    case STMT_SWITCH:
        return switch_(u, cf, s);
    case STMT_LOOP:
        return loop_(u, cf, &(Loop){.at = s, .body = s->loop.body,
                                    .continuing = s->loop.continuing});
    case STMT_FOR:
        return for_(u, cf, s);
    case STMT_WHILE:
        return loop_(u, cf, &(Loop){.at = s, .condition = s->while_.condition,
                                    .body = s->while_.body});
    case STMT_BREAK:
        return jump(u, cf, u->break_to);
    case STMT_BREAK_IF:
        return break_if(u, cf, s);
    case STMT_CONTINUE:
        return jump(u, cf, u->continue_to);
    case STMT_RETURN:
        return return_(u, cf, s);
    default:                            /* discard and const_assert */
        return cf;
    }
}

static NodeId statement(Uniform *u, NodeId cf, const Stmt *s)
{
    Filters outer = filters_enter(u, s->attrs);
    cf = plain(u, cf, s);
    u->filters = outer;
    return cf;
}
