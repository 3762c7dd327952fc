// SPDX-License-Identifier: Apache-2.0
/*
 * parse_stmt.c - statements and blocks.
 *
 * in     tokens inside a function
 * out    Block, Stmt; STMT_ERROR for what could not be understood
 * knows  WGSL "Statements": their grammar, and where 'continuing' and 'break if'
 *        may stand
 * not    whether 'break' and 'continue' have something to leave (check/)
 */
#include "syntax/parse_priv.h"

/* What a block is the body of, for what may stand in it. */
typedef enum Within {
    WITHIN_BLOCK,
    WITHIN_LOOP,                    /* 'continuing' may end it                     */
    WITHIN_CONTINUING,              /* 'break if' may end it                       */
} Within;

static Block *block(Parser *p, const char *what, Within within, Block **continuing);
static Stmt *statement(Parser *p, Within within);

Stmt *parse_stmt_new(Parser *p, StmtKind kind)
{
    Stmt *s = ARENA_NEW(p->arena, Stmt);
    s->kind = kind;
    s->span = p->token.span;
    return s;
}

Stmt *parse_stmt_finish(Parser *p, Stmt *s)
{
    s->span.end = MAX_OF(p->last_end, s->span.end);
    return s;
}

/* Takes the ';' that ends a statement. */
static Stmt *finish_semicolon(Parser *p, Stmt *s, const char *what)
{
    parse_stmt_finish(p, s);
    parse_expect(p, TOKEN_SEMICOLON, what);
    return parse_stmt_finish(p, s);
}

/* ---- headers and bodies ---- */

/* Enters the statements of a block; false if that is too deep, or in a panic. */
static bool enter_statements(Parser *p)
{
    if (p->panic)
        return false;
    if (p->blocks < SYNTAX_MAX_BLOCK_DEPTH && parse_enter(p)) {
        p->blocks++;
        return true;
    }
    parse_too_deep(p, "statements are", SYNTAX_MAX_BLOCK_DEPTH);
    return false;
}

/* The same at '{'. A block that is too deep is skipped. */
static bool enter_braces(Parser *p)
{
    bool was = p->panic;
    if (enter_statements(p))
        return true;
    if (!was)
        parse_skip_block(p);
    return false;
}

static void leave_braces(Parser *p)
{
    p->blocks--;
    parse_leave(p);
}

static bool at_block(const Parser *p)
{
    return parse_at(p, TOKEN_BRACE_LEFT) || parse_at(p, TOKEN_AT);
}

/* A statement where a block must be: "if (a) return;". */
static bool at_bare_statement(const Parser *p)
{
    TokenKind kind = p->token.kind;
    return parse_starts_statement(kind) || kind == TOKEN_NAME || kind == TOKEN_STAR
           || kind == TOKEN_UNDERSCORE;
}

static void report_bare_statement(Parser *p, const char *where)
{
    Diagnostic *d = parse_expected(p, "expected '{' %s", where);
    parse_hint(p, d, "in WGSL every body stands in braces");
    p->panic = false;
}

/* After a broken header: a block all the same, of unknown content. */
static Block *unknown_block(Parser *p)
{
    Block *b = ARENA_NEW(p->arena, Block);
    b->span = (Span){p->last_end, p->last_end};
    b->stmts = ARENA_ARRAY(p->arena, Stmt *, 1);
    b->stmts[0] = parse_stmt_new(p, STMT_ERROR);
    b->len = 1;
    return b;
}

/* A statement without braces, which were reported to be missing. */
static Block *bare_block(Parser *p, Within within)
{
    Block *b = unknown_block(p);
    uint32_t start = p->token.span.start;
    if (!enter_statements(p))
        return b;
    b->stmts[0] = statement(p, within);
    b->span = parse_span_from(p, start);
    leave_braces(p);
    return b;
}

/* The condition of if, while, switch. After a mistake goes on at the block. */
static Expr *header_expression(Parser *p)
{
    Expr *e = parse_expression(p);
    if (p->panic)
        parse_skip_to_block(p);
    return e;
}

/* The body after a header. Where its '{' is missing, `where` says so: "after the
 * condition"; unless the header was broken: then enough was said (`reports` were
 * before it). */
static Block *body(Parser *p, uint32_t reports, const char *where, const char *what)
{
    if (p->panic || (!at_block(p) && p->reports > reports))
        return unknown_block(p);
    if (at_block(p))
        return block(p, what, WITHIN_BLOCK, NULL);
    if (at_bare_statement(p)) {
        report_bare_statement(p, where);
        return bare_block(p, WITHIN_BLOCK);
    }
    bool assigns = parse_at(p, TOKEN_EQUAL);
    Diagnostic *d = parse_expected(p, "expected '{' %s", where);
    if (assigns)
        parse_hint(p, d, "'=' assigns and is not an expression; '==' compares");
    parse_skip_to_block(p);
    return at_block(p) ? block(p, what, WITHIN_BLOCK, NULL) : unknown_block(p);
}

/* ---- simple statements ---- */

static Stmt *simple_statement(Parser *p)
{
    const char *what;
    uint32_t start = p->token.span.start;
    if (slip_statement(p)) {
        Stmt *skipped = parse_stmt_new(p, STMT_ERROR);
        skipped->span = parse_span_from(p, start);
        return skipped;
    }
    Stmt *s = parse_simple(p, &what);
    return p->panic ? s : finish_semicolon(p, s, what);
}

static Stmt *decl_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_DECL);
    s->decl = parse_local_decl(p);
    return parse_stmt_finish(p, s);
}

/* ---- branches ---- */

static Stmt *if_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_IF);
    VEC(IfClause) clauses = {0};
    bool more = true;
    while (more) {
        uint32_t reports = p->reports;
        parse_advance(p);               /* 'if' */
        IfClause clause = {0};
        clause.condition = header_expression(p);
        clause.block = body(p, reports, "after the condition", "the body of 'if'");
        VEC_PUSH(p->arena, &clauses, clause);
        more = parse_at(p, TOKEN_ELSE) && parse_peek(p).kind == TOKEN_IF
               && parse_accept(p, TOKEN_ELSE);
    }
    s->if_.clauses = clauses.data;
    s->if_.nclauses = clauses.len;
    if (parse_accept(p, TOKEN_ELSE))
        s->if_.otherwise = body(p, p->reports, "after 'else'", "the body of 'else'");
    return parse_stmt_finish(p, s);
}

static void selectors(Parser *p, SwitchClause *clause)
{
    ExprVec list = {0};
    do {
        if (list.len > 0 && (parse_at(p, TOKEN_COLON) || parse_at(p, TOKEN_BRACE_LEFT)
                             || parse_at(p, TOKEN_AT)))
            break;
        Expr *e = parse_accept(p, TOKEN_DEFAULT) ? NULL : parse_expression(p);
        VEC_PUSH(p->arena, &list, e);
    } while (parse_accept(p, TOKEN_COMMA));
    clause->selectors = list.data;
    clause->nselectors = list.len;
}

/* case 1: a = 1; break; */
static Block *bare_clause(Parser *p)
{
    Diagnostic *d = parse_expected(p, "expected '{' after the selectors");
    parse_hint(p, d, "the body of a case stands in braces and never falls through");
    p->panic = false;
    Block *b = unknown_block(p);
    while (!p->panic && !parse_at(p, TOKEN_CASE) && !parse_at(p, TOKEN_DEFAULT)
           && !parse_at(p, TOKEN_BRACE_RIGHT) && !parse_past_function(p)) {
        uint32_t start = p->token.span.start;
        if (parse_accept(p, TOKEN_SEMICOLON))
            continue;
        bare_block(p, WITHIN_BLOCK);
        if (p->panic && p->token.span.start > start)
            parse_skip_statement(p);
    }
    return b;
}

static SwitchClause switch_clause(Parser *p)
{
    SwitchClause clause = {.span = p->token.span};
    uint32_t reports = p->reports;
    if (parse_accept(p, TOKEN_CASE)) {
        selectors(p, &clause);
    } else if (parse_accept(p, TOKEN_DEFAULT)) {
        clause.selectors = ARENA_ARRAY(p->arena, Expr *, 1);
        clause.nselectors = 1;
    }
    parse_accept(p, TOKEN_COLON);
    if (p->panic)
        parse_skip_to_block(p);
    if (at_bare_statement(p) && p->reports == reports)
        clause.block = bare_clause(p);
    else
        clause.block = body(p, reports, "after the selectors", "the body of the case");
    clause.span.end = MAX_OF(p->last_end, clause.span.end);
    return clause;
}

/* After a mistake between clauses: to the next clause or the end. */
static void skip_to_clause(Parser *p)
{
    while (!parse_at(p, TOKEN_CASE) && !parse_at(p, TOKEN_DEFAULT)
           && !parse_at(p, TOKEN_BRACE_RIGHT) && !parse_past_function(p)) {
        if (parse_at(p, TOKEN_BRACE_LEFT))
            parse_skip_block(p);
        else
            parse_advance(p);
    }
    p->panic = parse_past_function(p);
}

static void switch_body(Parser *p, Stmt *s)
{
    VEC(SwitchClause) clauses = {0};
    while (!parse_at(p, TOKEN_BRACE_RIGHT) && !parse_past_function(p)) {
        if (parse_at(p, TOKEN_CASE) || parse_at(p, TOKEN_DEFAULT)) {
            SwitchClause clause = switch_clause(p);
            VEC_PUSH(p->arena, &clauses, clause);
        } else {
            parse_expected(p, "expected 'case', 'default' or '}' in the switch");
        }
        if (p->panic)
            skip_to_clause(p);
    }
    s->switch_.clauses = clauses.data;
    s->switch_.nclauses = clauses.len;
}

static Stmt *switch_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_SWITCH);
    parse_advance(p);
    s->switch_.selector = header_expression(p);
    s->switch_.body_attrs = parse_attributes(p);
    if (!p->panic && !parse_at(p, TOKEN_BRACE_LEFT))
        parse_expected(p, "expected '{' after the selector");
    if (!enter_braces(p)) {
        s->kind = STMT_ERROR;
        return parse_stmt_finish(p, s);
    }
    parse_advance(p);
    switch_body(p, s);
    parse_expect(p, TOKEN_BRACE_RIGHT, "the last clause of the switch");
    leave_braces(p);
    return parse_stmt_finish(p, s);
}

/* ---- loops ---- */

static Stmt *loop_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_LOOP);
    parse_advance(p);
    if (!at_block(p))
        s->loop.body = body(p, p->reports, "after 'loop'", "the body of 'loop'");
    else
        s->loop.body = block(p, "the body of 'loop'", WITHIN_LOOP, &s->loop.continuing);
    return parse_stmt_finish(p, s);
}

static Stmt *while_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_WHILE);
    uint32_t reports = p->reports;
    parse_advance(p);
    s->while_.condition = header_expression(p);
    s->while_.body = body(p, reports, "after the condition", "the body of 'while'");
    return parse_stmt_finish(p, s);
}

static bool at_local_decl(const Parser *p)
{
    return parse_at(p, TOKEN_VAR) || parse_at(p, TOKEN_LET) || parse_at(p, TOKEN_CONST);
}

/* init; condition; update, up to but without ')'. */
static void for_header(Parser *p, Stmt *s)
{
    const char *what;
    if (at_local_decl(p))
        s->for_.init = decl_statement(p);
    else if (!parse_at(p, TOKEN_SEMICOLON))
        s->for_.init = parse_simple(p, &what);
    if (!parse_accept(p, TOKEN_SEMICOLON))
        parse_expected(p, "expected ';' after the first part of the 'for' header");
    if (!p->panic && !parse_at(p, TOKEN_SEMICOLON))
        s->for_.condition = parse_expression(p);
    if (!p->panic && !parse_accept(p, TOKEN_SEMICOLON))
        parse_expected(p, "expected ';' after the condition of the 'for' header");
    if (!p->panic && !parse_at(p, TOKEN_PAREN_RIGHT))
        s->for_.update = parse_simple(p, &what);
    if (!p->panic && !parse_at(p, TOKEN_PAREN_RIGHT))
        parse_expected(p, "expected ')' after the 'for' header");
}

static Stmt *for_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_FOR);
    uint32_t reports = p->reports;
    parse_advance(p);
    if (parse_expect(p, TOKEN_PAREN_LEFT, "'for'"))
        for_header(p, s);
    if (p->panic)
        parse_skip_group(p);
    else
        parse_advance(p);
    s->for_.body = body(p, reports, "after the 'for' header", "the body of 'for'");
    return parse_stmt_finish(p, s);
}

/* ---- jumps and the rest ---- */

static Stmt *break_statement(Parser *p, Within within)
{
    Stmt *s = parse_stmt_new(p, STMT_BREAK);
    parse_advance(p);
    if (!parse_at(p, TOKEN_IF))
        return finish_semicolon(p, s, "'break'");
    Span span = {s->span.start, p->token.span.end};
    s->kind = STMT_BREAK_IF;
    parse_advance(p);
    s->break_if.condition = parse_expression(p);
    finish_semicolon(p, s, "the condition of 'break if'");
    if (p->panic)
        return s;
    bool last = parse_at(p, TOKEN_BRACE_RIGHT);
    if (within != WITHIN_CONTINUING || !last) {
        Diagnostic *d = parse_error(
            p, DIAG_unexpected_token, span,
            "'break if' can only be the last statement of a 'continuing' block");
        if (within != WITHIN_CONTINUING)
            parse_hint(p, d, "elsewhere write if condition { break; }");
        s->kind = STMT_ERROR;
        p->panic = false;
    }
    return s;
}

static Stmt *return_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_RETURN);
    parse_advance(p);
    bool bare = parse_at(p, TOKEN_SEMICOLON) || parse_at(p, TOKEN_BRACE_RIGHT)
                || parse_at(p, TOKEN_END);
    if (!bare)
        s->return_.value = parse_expression(p);
    slip_braced_value(p);
    return finish_semicolon(p, s, "the return statement");
}

static Stmt *word_statement(Parser *p, StmtKind kind, const char *what)
{
    Stmt *s = parse_stmt_new(p, kind);
    parse_advance(p);
    return finish_semicolon(p, s, what);
}

static Stmt *const_assert_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_CONST_ASSERT);
    parse_advance(p);
    s->const_assert.condition = parse_expression(p);
    return finish_semicolon(p, s, "the assertion");
}

static Stmt *block_statement(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_BLOCK);
    s->block = block(p, "the block", WITHIN_BLOCK, NULL);
    return parse_stmt_finish(p, s);
}

/* A statement that no statement starts like. */
static Stmt *misfit(Parser *p)
{
    Stmt *s = parse_stmt_new(p, STMT_ERROR);
    Diagnostic *d;
    switch (p->token.kind) {
    case TOKEN_ELSE:
        parse_error(p, DIAG_unexpected_token, p->token.span,
                    "this 'else' has no 'if' before it");
        break;
    case TOKEN_CONTINUING:
        parse_error(p, DIAG_unexpected_token, p->token.span,
                    "'continuing' can only be the last statement of a 'loop' body");
        parse_advance(p);
        p->panic = false;
        if (parse_at(p, TOKEN_BRACE_LEFT) || parse_at(p, TOKEN_AT))
            block(p, "the continuing block", WITHIN_CONTINUING, NULL);
        return parse_stmt_finish(p, s);
    case TOKEN_CASE:
    case TOKEN_DEFAULT:
        parse_error(p, DIAG_unexpected_token, p->token.span,
                    "'%s' can only stand directly in a 'switch'",
                    parse_quote(p, p->token.span));
        break;
    case TOKEN_PLUS_PLUS:
    case TOKEN_MINUS_MINUS:
        d = parse_expected(p, "expected a statement");
        parse_hint(p, d, "write '%s' after the variable",
                   parse_at(p, TOKEN_PLUS_PLUS) ? "++" : "--");
        break;
    default:
        parse_expected(p, "expected a statement");
        break;
    }
    return s;
}

static Stmt *plain_statement(Parser *p, Within within)
{
    switch (p->token.kind) {
    case TOKEN_IF:           return if_statement(p);
    case TOKEN_SWITCH:       return switch_statement(p);
    case TOKEN_LOOP:         return loop_statement(p);
    case TOKEN_FOR:          return for_statement(p);
    case TOKEN_WHILE:        return while_statement(p);
    case TOKEN_BREAK:        return break_statement(p, within);
    case TOKEN_CONTINUE:     return word_statement(p, STMT_CONTINUE, "'continue'");
    case TOKEN_DISCARD:      return word_statement(p, STMT_DISCARD, "'discard'");
    case TOKEN_RETURN:       return return_statement(p);
    case TOKEN_CONST_ASSERT: return const_assert_statement(p);
    case TOKEN_BRACE_LEFT:   return block_statement(p);
    case TOKEN_VAR:
    case TOKEN_LET:
    case TOKEN_CONST: {
        Stmt *s = decl_statement(p);
        return finish_semicolon(p, s, "the declaration");
    }
    case TOKEN_NAME: case TOKEN_RESERVED: case TOKEN_UNDERSCORE:
    case TOKEN_STAR: case TOKEN_AND: case TOKEN_AND_AND: case TOKEN_PAREN_LEFT:
    case TOKEN_NUMBER: case TOKEN_MINUS: case TOKEN_BANG: case TOKEN_TILDE:
    case TOKEN_TRUE: case TOKEN_FALSE:
        return simple_statement(p);
    default:
        return misfit(p);
    }
}

static bool takes_attributes(TokenKind kind)
{
    return kind == TOKEN_IF || kind == TOKEN_SWITCH || kind == TOKEN_LOOP
           || kind == TOKEN_FOR || kind == TOKEN_WHILE || kind == TOKEN_BRACE_LEFT;
}

static Stmt *statement(Parser *p, Within within)
{
    if (!parse_at(p, TOKEN_AT))
        return plain_statement(p, within);
    uint32_t start = p->token.span.start;
    Attrs attrs = parse_attributes(p);
    if (p->panic)
        return parse_stmt_new(p, STMT_ERROR);
    if (!takes_attributes(p->token.kind)) {
        parse_no_attributes(p, attrs, "this statement");
        attrs.len = 0;
    }
    Stmt *s = plain_statement(p, within);
    s->span.start = start;
    /* Those of a block are the block's own. */
    if (s->kind == STMT_BLOCK)
        s->block->attrs = attrs;
    else
        s->attrs = attrs;
    return s;
}

/* ---- blocks ---- */

/* continuing { } as the last of a loop's body. */
static void continuing_block(Parser *p, Block **continuing)
{
    Span span = p->token.span;
    parse_advance(p);
    *continuing = block(p, "the continuing block", WITHIN_CONTINUING, NULL);
    if (p->panic || parse_at(p, TOKEN_BRACE_RIGHT) || parse_at(p, TOKEN_END))
        return;
    parse_error(p, DIAG_unexpected_token, span,
                "'continuing' must be the last statement of the loop's body");
    p->panic = false;
}

/* Statements up to '}', which stays. */
static void statements(Parser *p, Block *b, Within within, Block **continuing)
{
    StmtVec list = {0};
    while (!parse_at(p, TOKEN_BRACE_RIGHT) && !parse_past_function(p)) {
        uint32_t start = p->token.span.start;
        if (parse_accept(p, TOKEN_SEMICOLON))
            continue;
        if (parse_at(p, TOKEN_CONTINUING) && within == WITHIN_LOOP && !*continuing) {
            continuing_block(p, continuing);
        } else {
            Stmt *s = statement(p, within);
            VEC_PUSH(p->arena, &list, s);
        }
        if (!p->panic)
            continue;
        if (p->token.span.start == start && !parse_at(p, TOKEN_BRACE_RIGHT))
            parse_advance(p);
        parse_skip_statement(p);
    }
    b->stmts = list.data;
    b->len = list.len;
}

static Block *block(Parser *p, const char *what, Within within, Block **continuing)
{
    Block *b = ARENA_NEW(p->arena, Block);
    b->attrs = parse_attributes(p);
    b->span = p->token.span;
    if (!p->panic && !parse_at(p, TOKEN_BRACE_LEFT)) {
        parse_expected(p, "expected '{' to start %s", what);
        p->panic = false;
        return b;
    }
    uint32_t start = p->token.span.start;
    if (enter_braces(p)) {
        Span open = p->token.span;
        parse_advance(p);
        statements(p, b, within, continuing);
        if (!p->panic && !parse_accept(p, TOKEN_BRACE_RIGHT)) {
            Diagnostic *d = parse_expected(p, "expected '}' to end %s", what);
            if (d)
                diag_note(p->diag, d, open, "the '{' is here");
        }
        leave_braces(p);
    }
    b->span = parse_span_from(p, start);
    return b;
}

Block *parse_block(Parser *p, const char *what)
{
    return block(p, what, WITHIN_BLOCK, NULL);
}

Block *parse_open_block(Parser *p, const char *what)
{
    Block *b = ARENA_NEW(p->arena, Block);
    uint32_t start = p->token.span.start;
    statements(p, b, WITHIN_BLOCK, NULL);
    parse_expect(p, TOKEN_BRACE_RIGHT, what);
    b->span = parse_span_from(p, start);
    return b;
}
