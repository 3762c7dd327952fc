// SPDX-License-Identifier: Apache-2.0
/*
 * parse_priv.h - the parser's state and its parts; private to syntax/.
 *
 *   parse.c       tokens, messages, recovery, the module
 *   parse_decl.c  directives and declarations
 *   parse_attr.c  attributes, diagnostic filters
 *   parse_stmt.c  statements and blocks; parse_simple.c the simple ones
 *   parse_expr.c  expressions, types, template lists
 *   slips.c       what people coming from other languages write
 *
 * Errors: the first mistake is reported and starts a panic. While it lasts,
 * nothing is reported and parse_expect() takes nothing; every loop ends. Whoever
 * knows a safe place to go on (a statement list, a header before '{', the module)
 * skips to it and ends the panic. So one mistake is one message.
 */
#ifndef WEFT_SYNTAX_PARSE_PRIV_H
#define WEFT_SYNTAX_PARSE_PRIV_H

#include "syntax/lex_priv.h"
#include "syntax/syntax.h"

typedef VEC(Expr *) ExprVec;
typedef VEC(Stmt *) StmtVec;
typedef VEC(Ident)  IdentVec;

typedef struct Parser {
    Arena   *arena;
    Diag    *diag;
    Module  *module;
    Lexer    lexer;
    Token    token;                 /* to be parsed next                           */
    Token    ahead;                 /* the one after it, if has_ahead              */
    bool     has_ahead;
    bool     panic;
    bool     mixed;                 /* mixed operators were reported in this
                                       expression                                  */
    uint32_t last_end;              /* where the token before `token` ends         */
    uint32_t depth;                 /* of SYNTAX_MAX_DEPTH                         */
    bool     too_deep;              /* was reported in this declaration            */
    uint32_t reports;               /* so far                                      */
    uint32_t blocks;                /* of SYNTAX_MAX_BLOCK_DEPTH                   */
} Parser;

/* ---- tokens: parse.c ---- */

static inline bool parse_at(const Parser *p, TokenKind kind)
{
    return p->token.kind == kind;
}

void  parse_advance(Parser *p);
/* The token after the next, without taking anything. */
Token parse_peek(Parser *p);
/* Takes the token if it is of this kind. */
bool  parse_accept(Parser *p, TokenKind kind);
/* Takes one byte of a token of two and leaves the other: of "&&", "&". */
void  parse_split(Parser *p, TokenKind second);
/* Takes a token of this kind or reports "expected ';' after WHERE, found ...".
 * `where` may be NULL. */
bool  parse_expect(Parser *p, TokenKind kind, const char *where);
/* A name; reports keywords and reserved words. `what` is "the structure". */
Ident parse_ident(Parser *p, const char *what);
/* Reports that the token is a reserved word, the first time it is met. */
void  parse_reserved(Parser *p);
/* Does a line break or a comment with one lie before the token? */
bool  parse_on_new_line(const Parser *p);

static inline Span parse_span_from(const Parser *p, uint32_t start)
{
    return (Span){start, MAX_OF(p->last_end, start)};
}

/* ---- messages: parse.c ---- */

/* Reports and panics, unless there is a panic already. What `format` says is
 * followed by ", found TOKEN". If the token is not a token at all, that is what is
 * reported. Returns NULL if nothing was reported. */
Diagnostic *parse_expected(Parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Reports and panics, unless there is a panic already; NULL: nothing reported. */
Diagnostic *parse_error(Parser *p, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* A note without a place; `on` may be NULL. */
void        parse_hint(Parser *p, Diagnostic *on, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* A piece of the source for a message, shortened. */
const char *parse_quote(Parser *p, Span span);

/* Enters a level of nesting; false, reported, if that is one too many. Every true
 * needs a parse_leave(). */
bool parse_enter(Parser *p);
void parse_leave(Parser *p);
/* "WHAT nested more than LIMIT levels deep", and panics. */
void parse_too_deep(Parser *p, const char *what, int limit);

/* ---- recovery: parse.c ---- */

/* The text ended, or a declaration starts: the '}' of a function is missing. Where
 * skipping ends here the panic goes on: the one message was enough. */
bool parse_past_function(const Parser *p);
/* Keywords that only ever start a statement or clause of a function. */
bool parse_starts_statement(TokenKind kind);

/* Skips to '{' of the block that a broken header announces, or to the end of the
 * statement, and ends the panic. */
void parse_skip_to_block(Parser *p);
/* Skips to where a statement may start or the block ends, ends the panic. */
void parse_skip_statement(Parser *p);
/* Skips past the bracket that closes what `open` opened; at the end of the
 * statement gives up. */
void parse_skip_group(Parser *p);
/* Skips a block from its '{' to its '}'. */
void parse_skip_block(Parser *p);

/* ---- the grammar ---- */

Expr *parse_expression(Parser *p);
/* A name with or without template list: a type. `what` is "the member". */
Expr *parse_type(Parser *p, const char *what);
/* unary_expression: operators, primary, accesses. */
Expr *parse_unary(Parser *p);
/* ( e, e, ), from '(' to ')'. */
void  parse_arguments(Parser *p, ExprVec *args, TokenKind close);
bool  parse_starts_expression(TokenKind kind);
Expr *parse_error_expr(Parser *p, Span span);

Attrs parse_attributes(Parser *p);
void  parse_diagnostic_control(Parser *p, Attr *out);
/* Reports attributes that stand before something that takes none. */
void  parse_no_attributes(Parser *p, Attrs attrs, const char *before);

/* The body of a function and of statements, from its attributes to '}'. */
Block *parse_block(Parser *p, const char *what);
/* The same after a '{' that was forgotten. */
Block *parse_open_block(Parser *p, const char *what);
Stmt  *parse_stmt_new(Parser *p, StmtKind kind);
/* Its text ends here. */
Stmt  *parse_stmt_finish(Parser *p, Stmt *s);
/* Assignment, increment or call, without ';'. *what names it: "the call". */
Stmt  *parse_simple(Parser *p, const char **what);
/* const, let, var in a function, without ';'. */
Decl  *parse_local_decl(Parser *p);

void parse_directive(Parser *p);
/* One declaration with its attributes; NULL for an error or ';'. */
Decl *parse_global_decl(Parser *p);
bool  parse_starts_declaration(TokenKind kind);

/* ---- slips.c ---- */

/* Each adds a note to `on`, which may be NULL, if it knows one: */
/* about the token that was found where something else was expected, */
void slip_found(Parser *p, Diagnostic *on);
/* about a reserved word, */
void slip_reserved(Parser *p, Diagnostic *on);
/* about what no declaration starts with. */
void slip_at_module_scope(Parser *p, Diagnostic *on);
/* Reports "float x = 1", without ';', and understands it; NULL: it is none. */
Decl *slip_c_declaration(Parser *p);
/* Reports and skips "do {...} while (x);" and "elseif x {...}". False: it is
 * neither. */
bool slip_statement(Parser *p);
/* Reports and skips a value in braces, { 1, 2 }, after part of it or none. */
void slip_braced_value(Parser *p);
/* What WGSL calls a type of GLSL, HLSL or C; NULL: nothing known. */
const char *slip_type(Str name);
/* The name of a type, in WGSL or another language? */
bool slip_is_type(Str name);

#endif
