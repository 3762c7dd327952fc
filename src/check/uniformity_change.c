// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_change.c - which variables a loop changes, before it is walked.
 *
 * in     the body of a function, with its behaviours
 * out    Uniform.loops and .changes
 * knows  what writes to a variable: assignments, and calls that get a pointer
 * not    graphs, values
 *
 * Statements that cannot be reached are left out, as the walk leaves them out.
 */
#include "check/behavior.h"
#include "check/uniformity_priv.h"

static uint32_t block(Uniform *u, const Block *b);

static void written(Uniform *u, const Expr *view)
{
    const Decl *root = expr_root(view);
    BUG_IF(!root, "a pointer without a root");
    if (u->loop_depth > 0 && value_is_tracked(root))
        VEC_PUSH(u->arena, &u->changes, root->index);
}

static void expr(Uniform *u, const Expr *e);

static void call(Uniform *u, const Expr *e)
{
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        const Expr *arg = e->call.args[i];
        expr(u, arg);
        if (e->call.kind == CALL_FUNCTION && value_is_function_pointer(arg->type))
            written(u, arg);
    }
}

static void expr(Uniform *u, const Expr *e)
{
    while (e && u->loop_depth > 0 && !uniform_is_early(e)) {
        switch (e->kind) {
        case EXPR_CALL:
            call(u, e);
            return;
        case EXPR_MEMBER:
            e = e->member.of;
            break;
        case EXPR_INDEX:
            expr(u, e->index.at);
            e = e->index.of;
            break;
        case EXPR_UNARY:
            e = e->unary.of;
            break;
        case EXPR_BINARY:
            expr(u, e->binary.rhs);
            e = e->binary.lhs;
            break;
        case EXPR_LOAD:
            e = e->load.of;
            break;
        default:
            return;
        }
    }
}

static void statement(Uniform *u, const Stmt *s);

static void loop(Uniform *u, const Stmt *s, const Expr *condition, const Block *body,
                 const Block *continuing, const Stmt *update)
{
    uint32_t at = u->loops.len;
    LoopChanges changes = {.loop = s, .first = u->changes.len};
    VEC_PUSH(u->arena, &u->loops, changes);
    u->loop_depth++;
    expr(u, condition);
    if (block(u, body) & (BEHAVIOR_NEXT | BEHAVIOR_CONTINUE)) {
        if (continuing)
            block(u, continuing);
        if (update)
            statement(u, update);
    }
    u->loop_depth--;
    u->loops.data[at].end = u->changes.len;
}

static void if_(Uniform *u, const Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++) {
        expr(u, s->if_.clauses[i].condition);
        block(u, s->if_.clauses[i].block);
    }
    if (s->if_.otherwise)
        block(u, s->if_.otherwise);
}

static void switch_(Uniform *u, const Stmt *s)
{
    expr(u, s->switch_.selector);
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        block(u, s->switch_.clauses[i].block);
}

static void assign(Uniform *u, const Expr *lhs, const Expr *rhs)
{
    expr(u, lhs);
    expr(u, rhs);
    written(u, lhs);
}

static void statement(Uniform *u, const Stmt *s)
{
    switch (s->kind) {
    case STMT_BLOCK:
        block(u, s->block);
        break;
    case STMT_DECL:
        if (s->decl->kind == DECL_VAR || s->decl->kind == DECL_LET)
            expr(u, s->decl->var.init);
        break;
    case STMT_ASSIGN:
        assign(u, s->assign.lhs, s->assign.rhs);
        break;
    case STMT_COMPOUND:
        assign(u, s->compound.lhs, s->compound.rhs);
        break;
    case STMT_INCREMENT:
        assign(u, s->increment.lhs, NULL);
        break;
    case STMT_PHONY:
        expr(u, s->phony.rhs);
        break;
    case STMT_CALL:
        expr(u, s->call.call);
        break;
    case STMT_IF:
        if_(u, s);
        break;
    case STMT_SWITCH:
        switch_(u, s);
        break;
    case STMT_LOOP:
        loop(u, s, NULL, s->loop.body, s->loop.continuing, NULL);
        break;
    case STMT_FOR:
        if (s->for_.init)
            statement(u, s->for_.init);
        loop(u, s, s->for_.condition, s->for_.body, NULL, s->for_.update);
        break;
    case STMT_WHILE:
        loop(u, s, s->while_.condition, s->while_.body, NULL, NULL);
        break;
    case STMT_BREAK_IF:
        expr(u, s->break_if.condition);
        break;
    case STMT_RETURN:
        expr(u, s->return_.value);
        break;
    default:                            /* jumps and const_assert */
        break;
    }
}

/* The ways in which it may end. */
static uint32_t block(Uniform *u, const Block *b)
{
    uint32_t ends = BEHAVIOR_NEXT;
    for (uint32_t i = 0; i < b->len && (ends & BEHAVIOR_NEXT); i++) {
        statement(u, b->stmts[i]);
        ends = (ends & ~(uint32_t)BEHAVIOR_NEXT) | b->stmts[i]->behavior;
    }
    return ends;
}

void changes_find(Uniform *u, const Block *body)
{
    u->loop_depth = 0;
    block(u, body);
}
