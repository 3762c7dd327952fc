// SPDX-License-Identifier: Apache-2.0
/*
 * behavior.c - the ways in which each statement may end.
 *
 * in     a typed function
 * out    Stmt.behavior, FnInfo.behavior; diagnostics missing_return, endless_loop
 * knows  WGSL 9.7 (statements behaviour analysis)
 * not    where break, continue and return may stand: stmt.c has reported those,
 *        and what is left of them is dropped here
 */
#include "check/behavior.h"
#include "check/check_priv.h"

typedef struct Analysis {
    Checker *c;
    bool     broken;                    /* there was a syntax error inside       */
} Analysis;

static uint32_t block(Analysis *a, const Block *b);
static uint32_t statement(Analysis *a, Stmt *s);

/* A sequence: what follows a statement that does not go on is never reached. */
static uint32_t sequence(uint32_t before, uint32_t after)
{
    return before & BEHAVIOR_NEXT ? (before & ~(uint32_t)BEHAVIOR_NEXT) | after : before;
}

static uint32_t block(Analysis *a, const Block *b)
{
    uint32_t all = BEHAVIOR_NEXT;
    for (uint32_t i = 0; b && i < b->len; i++)
        all = sequence(all, statement(a, b->stmts[i]));
    return all;
}

static uint32_t if_(Analysis *a, const Stmt *s)
{
    uint32_t all = s->if_.otherwise ? block(a, s->if_.otherwise) : BEHAVIOR_NEXT;
    for (uint32_t i = 0; i < s->if_.nclauses; i++)
        all |= block(a, s->if_.clauses[i].block);
    return all;
}

static uint32_t switch_(Analysis *a, const Stmt *s)
{
    uint32_t all = s->switch_.nclauses ? 0 : BEHAVIOR_NEXT;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        all |= block(a, s->switch_.clauses[i].block);
    if (all & BEHAVIOR_BREAK)
        all = (all | BEHAVIOR_NEXT) & ~(uint32_t)BEHAVIOR_BREAK;
    return all;
}

static uint32_t loop(Analysis *a, const Stmt *s, uint32_t body, uint32_t continuing)
{
    continuing &= BEHAVIOR_NEXT | BEHAVIOR_BREAK;
    if (body == BEHAVIOR_RETURN)
        return body;
    uint32_t all = body | continuing;
    if (all & BEHAVIOR_BREAK)
        return (all | BEHAVIOR_NEXT) & ~(uint32_t)(BEHAVIOR_BREAK | BEHAVIOR_CONTINUE);
    all &= ~(uint32_t)(BEHAVIOR_CONTINUE | BEHAVIOR_NEXT);
    if (all)
        return all;
    if (!a->broken)
        diag_add(a->c->diag, DIAG_endless_loop, (Span){s->span.start, s->span.start + 4},
                 "the loop never ends: nothing in it breaks or returns");
    return BEHAVIOR_NEXT;
}

static uint32_t analyse(Analysis *a, Stmt *s)
{
    uint32_t condition = BEHAVIOR_BREAK | BEHAVIOR_NEXT;    /* if !c { break; } */
    switch (s->kind) {
    case STMT_BLOCK:    return block(a, s->block);
    case STMT_IF:       return if_(a, s);
    case STMT_SWITCH:   return switch_(a, s);
    case STMT_LOOP:
        return loop(a, s, block(a, s->loop.body), block(a, s->loop.continuing));
    case STMT_WHILE:
        return loop(a, s, sequence(condition, block(a, s->while_.body)), BEHAVIOR_NEXT);
    case STMT_FOR:
        if (s->for_.init)
            statement(a, s->for_.init);
        if (s->for_.update)
            statement(a, s->for_.update);
        return loop(a, s, sequence(s->for_.condition ? condition : BEHAVIOR_NEXT,
                                   block(a, s->for_.body)), BEHAVIOR_NEXT);
    case STMT_BREAK:    return BEHAVIOR_BREAK;
    case STMT_BREAK_IF: return BEHAVIOR_BREAK | BEHAVIOR_NEXT;
    case STMT_CONTINUE: return BEHAVIOR_CONTINUE;
    case STMT_RETURN:   return BEHAVIOR_RETURN;
    case STMT_ERROR:
        a->broken = true;
        return BEHAVIOR_NEXT;
    default:            return BEHAVIOR_NEXT;
    }
}

static uint32_t statement(Analysis *a, Stmt *s)
{
    s->behavior = (uint8_t)analyse(a, s);
    return s->behavior;
}

void behavior_function(Checker *c, Decl *fn)
{
    Analysis a = {.c = c};
    FnInfo *info = fn->fn.info;
    info->behavior = block(&a, fn->fn.body) & (BEHAVIOR_NEXT | BEHAVIOR_RETURN);
    if (a.broken || fn->type->kind == TYPE_VOID || fn->type->kind == TYPE_ERROR ||
        !(info->behavior & BEHAVIOR_NEXT))
        return;
    Diagnostic *d = diag_add(c->diag, DIAG_missing_return, fn->ident.span,
                             "the function '%.*s' can end without returning a value",
                             STR_ARG(fn->ident.name->text));
    Span end = fn->fn.body->span;
    if (end.end > end.start)
        diag_note(c->diag, d, (Span){end.end - 1, end.end}, "this end can be reached");
}
