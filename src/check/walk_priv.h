// SPDX-License-Identifier: Apache-2.0
/*
 * walk_priv.h - going through a typed function.
 */
#ifndef WEFT_CHECK_WALK_PRIV_H
#define WEFT_CHECK_WALK_PRIV_H

#include "syntax/ast.h"

/* Every statement in a block, outer ones before inner ones, in text order. */
void walk_stmts(const Block *b, void (*visit)(void *context, Stmt *s), void *context);
/* The expressions that stand in a statement itself, not in statements inside. */
void walk_stmt_exprs(const Stmt *s, void (*visit)(void *context, Expr *e), void *context);
/* An expression and what it is made of, outer ones first; `enter` says whether
 * to go inside. Needs no stack for long chains of operators. */
void walk_expr(Expr *e, bool (*enter)(void *context, Expr *e), void *context);

#endif
