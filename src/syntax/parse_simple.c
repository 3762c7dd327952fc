// SPDX-License-Identifier: Apache-2.0
/*
 * parse_simple.c - assignments, increments and calls.
 *
 * in     tokens at the start of such a statement, in a block or a 'for' header
 * out    Stmt, without its ';'
 * knows  WGSL "Assignment Statement", "Function Call Statement"
 * not    whether something can be written to (check/)
 */
#include "syntax/parse_priv.h"

/* WGSL "lhs_expression": names, calls, accesses, '*' and '&'. */
static bool is_lhs(const Expr *e)
{
    for (;;) {
        switch (e->kind) {
        case EXPR_NAME:
            return !e->name.has_template;
        case EXPR_CALL:
        case EXPR_ERROR:
            return true;
        case EXPR_MEMBER:
            e = e->member.of;
            break;
        case EXPR_INDEX:
            e = e->index.of;
            break;
        case EXPR_UNARY:
            if (e->unary.op != UNOP_DEREF && e->unary.op != UNOP_ADDRESS)
                return false;
            e = e->unary.of;
            break;
        default:
            return false;
        }
    }
}

static const struct {
    TokenKind token;
    BinOp     op;
} compounds[] = {
    {TOKEN_PLUS_ASSIGN, BINOP_ADD},         {TOKEN_MINUS_ASSIGN, BINOP_SUB},
    {TOKEN_STAR_ASSIGN, BINOP_MUL},         {TOKEN_SLASH_ASSIGN, BINOP_DIV},
    {TOKEN_PERCENT_ASSIGN, BINOP_REM},      {TOKEN_AND_ASSIGN, BINOP_AND},
    {TOKEN_OR_ASSIGN, BINOP_OR},            {TOKEN_XOR_ASSIGN, BINOP_XOR},
    {TOKEN_SHIFT_LEFT_ASSIGN, BINOP_SHL},   {TOKEN_SHIFT_RIGHT_ASSIGN, BINOP_SHR},
};

static bool compound_op(TokenKind token, BinOp *op)
{
    for (uint32_t i = 0; i < COUNTOF(compounds); i++) {
        if (compounds[i].token == token) {
            *op = compounds[i].op;
            return true;
        }
    }
    return false;
}

static void assigned_value(Parser *p, Expr **value)
{
    parse_advance(p);
    *value = parse_expression(p);
    slip_braced_value(p);
    if (!p->panic && parse_at(p, TOKEN_EQUAL)) {
        Diagnostic *d = parse_expected(p, "expected ';' after the assignment");
        parse_hint(p, d, "an assignment has no value; write one statement for each");
    }
}

/* An expression that nothing is done with. */
static void not_a_statement(Parser *p, const Expr *e)
{
    Diagnostic *d;
    bool call = e->kind == EXPR_CALL && !e->parenthesized;
    if (parse_at(p, TOKEN_SEMICOLON)) {
        d = parse_error(p, DIAG_unexpected_token, e->span,
                        "an expression alone is not a statement");
        parse_hint(p, d, "a value that is not needed is written _ = value;");
        return;
    }
    bool compares = parse_at(p, TOKEN_EQUAL_EQUAL);
    d = call ? parse_expected(p, "expected ';' after the call")
             : parse_expected(p, "expected an assignment after '%s'",
                              parse_quote(p, e->span));
    if (compares)
        parse_hint(p, d, "'==' compares; '=' assigns");
    slip_found(p, d);
}

/* What follows a left side. */
static void update(Parser *p, Stmt *s, Expr *lhs)
{
    BinOp op;
    if (parse_at(p, TOKEN_EQUAL)) {
        s->kind = STMT_ASSIGN;
        s->assign.lhs = lhs;
        assigned_value(p, &s->assign.rhs);
    } else if (compound_op(p->token.kind, &op)) {
        s->kind = STMT_COMPOUND;
        s->compound.lhs = lhs;
        s->compound.op = op;
        s->compound.op_span = p->token.span;
        assigned_value(p, &s->compound.rhs);
    } else if (parse_at(p, TOKEN_PLUS_PLUS) || parse_at(p, TOKEN_MINUS_MINUS)) {
        s->kind = STMT_INCREMENT;
        s->increment.lhs = lhs;
        s->increment.decrement = parse_at(p, TOKEN_MINUS_MINUS);
        parse_advance(p);
    } else {
        not_a_statement(p, lhs);
    }
}

static void phony(Parser *p, Stmt *s)
{
    parse_advance(p);
    if (!parse_at(p, TOKEN_EQUAL)) {
        parse_expected(p, "expected '=' after '_'");
        return;
    }
    s->kind = STMT_PHONY;
    assigned_value(p, &s->phony.rhs);
}

Stmt *parse_simple(Parser *p, const char **what)
{
    Stmt *s = parse_stmt_new(p, STMT_ERROR);
    *what = "the assignment";
    if (parse_at(p, TOKEN_UNDERSCORE)) {
        phony(p, s);
        return parse_stmt_finish(p, s);
    }
    Decl *c_style = slip_c_declaration(p);
    if (c_style) {
        s->kind = STMT_DECL;
        s->decl = c_style;
        *what = "the declaration";
        return parse_stmt_finish(p, s);
    }
    Expr *lhs = parse_unary(p);
    if (p->panic)
        return parse_stmt_finish(p, s);
    bool call = lhs->kind == EXPR_CALL && !lhs->parenthesized;
    bool ends = parse_at(p, TOKEN_SEMICOLON) || parse_at(p, TOKEN_PAREN_RIGHT)
                || parse_at(p, TOKEN_BRACE_RIGHT) || parse_on_new_line(p);
    if (call && (ends || parse_at(p, TOKEN_BRACE_LEFT))) {
        s->kind = STMT_CALL;
        s->call.call = lhs;
        *what = "the call";
        return parse_stmt_finish(p, s);
    }
    update(p, s, lhs);
    *what = s->kind == STMT_INCREMENT ? "the increment" : "the assignment";
    if (!p->panic && !is_lhs(lhs)) {
        parse_error(p, DIAG_unexpected_token, lhs->span,
                    "this cannot be used on the left side of an assignment");
        p->panic = false;
        s->kind = STMT_ERROR;
    }
    return parse_stmt_finish(p, s);
}
