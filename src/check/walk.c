// SPDX-License-Identifier: Apache-2.0
/*
 * walk.c - going through a typed function.
 *
 * in     a block, statement or expression
 * out    calls of the visitor
 * not    scopes: order.c, which needs them, walks by itself
 */
#include "check/walk_priv.h"

static void walk_stmt(Stmt *s, void (*visit)(void *, Stmt *), void *context)
{
    visit(context, s);
    switch (s->kind) {
    case STMT_BLOCK:
        walk_stmts(s->block, visit, context);
        break;
    case STMT_IF:
        for (uint32_t i = 0; i < s->if_.nclauses; i++)
            walk_stmts(s->if_.clauses[i].block, visit, context);
        walk_stmts(s->if_.otherwise, visit, context);
        break;
    case STMT_SWITCH:
        for (uint32_t i = 0; i < s->switch_.nclauses; i++)
            walk_stmts(s->switch_.clauses[i].block, visit, context);
        break;
    case STMT_LOOP:
        walk_stmts(s->loop.body, visit, context);
        walk_stmts(s->loop.continuing, visit, context);
        break;
    case STMT_FOR:
        if (s->for_.init)
            walk_stmt(s->for_.init, visit, context);
        if (s->for_.update)
            walk_stmt(s->for_.update, visit, context);
        walk_stmts(s->for_.body, visit, context);
        break;
    case STMT_WHILE:
        walk_stmts(s->while_.body, visit, context);
        break;
    default:
        break;
    }
}

void walk_stmts(const Block *b, void (*visit)(void *, Stmt *), void *context)
{
    for (uint32_t i = 0; b && i < b->len; i++)
        walk_stmt(b->stmts[i], visit, context);
}

static void visit_any(Expr *e, void (*visit)(void *, Expr *), void *context)
{
    if (e)
        visit(context, e);
}

void walk_stmt_exprs(const Stmt *s, void (*visit)(void *, Expr *), void *context)
{
    switch (s->kind) {
    case STMT_DECL:         visit_any(s->decl->var.init, visit, context); break;
    case STMT_ASSIGN:
        visit_any(s->assign.lhs, visit, context);
        visit_any(s->assign.rhs, visit, context);
        break;
    case STMT_COMPOUND:
        visit_any(s->compound.lhs, visit, context);
        visit_any(s->compound.rhs, visit, context);
        break;
    case STMT_INCREMENT:    visit_any(s->increment.lhs, visit, context); break;
    case STMT_PHONY:        visit_any(s->phony.rhs, visit, context); break;
    case STMT_CALL:         visit_any(s->call.call, visit, context); break;
    case STMT_IF:
        for (uint32_t i = 0; i < s->if_.nclauses; i++)
            visit_any(s->if_.clauses[i].condition, visit, context);
        break;
    case STMT_SWITCH:       visit_any(s->switch_.selector, visit, context); break;
    case STMT_FOR:          visit_any(s->for_.condition, visit, context); break;
    case STMT_WHILE:        visit_any(s->while_.condition, visit, context); break;
    case STMT_BREAK_IF:     visit_any(s->break_if.condition, visit, context); break;
    case STMT_RETURN:       visit_any(s->return_.value, visit, context); break;
    default:                break;
    }
}

void walk_expr(Expr *e, bool (*enter)(void *, Expr *), void *context)
{
    while (enter(context, e)) {
        switch (e->kind) {
        case EXPR_CALL:
            for (uint32_t i = 0; i < e->call.nargs; i++)
                walk_expr(e->call.args[i], enter, context);
            return;
        case EXPR_BINARY:
            walk_expr(e->binary.rhs, enter, context);
            e = e->binary.lhs;
            break;
        case EXPR_INDEX:
            walk_expr(e->index.at, enter, context);
            e = e->index.of;
            break;
        case EXPR_MEMBER: e = e->member.of; break;
        case EXPR_UNARY:  e = e->unary.of; break;
        case EXPR_LOAD:   e = e->load.of; break;
        default:          return;
        }
    }
}
