// SPDX-License-Identifier: Apache-2.0
/*
 * parse.c - the parser's tokens, messages and recovery, and the module.
 *
 * in     any bytes
 * out    a Module; diagnostics
 * knows  the token stream and where it is safe to go on after a mistake
 * not    the grammar below the module (parse_*.c)
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "syntax/parse_priv.h"

#define MAX_QUOTE 40u                   /* bytes of the source in a message */
#define MAX_REPORTS 1000u

/* ---- tokens ---- */

void parse_advance(Parser *p)
{
    p->last_end = p->token.span.end;
    p->token = p->has_ahead ? p->ahead : lex_next(&p->lexer);
    p->has_ahead = false;
}

Token parse_peek(Parser *p)
{
    if (!p->has_ahead)
        p->ahead = lex_next(&p->lexer);
    p->has_ahead = true;
    return p->ahead;
}

bool parse_accept(Parser *p, TokenKind kind)
{
    if (p->panic || p->token.kind != kind)
        return false;
    parse_advance(p);
    return true;
}

void parse_split(Parser *p, TokenKind second)
{
    parse_peek(p);                      /* what comes after both halves */
    p->last_end = ++p->token.span.start;
    p->token.kind = second;
}

bool parse_on_new_line(const Parser *p)
{
    Str s = p->module->source;
    for (uint32_t at = p->last_end; at < p->token.span.start; at++)
        if (lex_line_break(s, at))
            return true;
    return p->token.kind == TOKEN_END;
}

/* ---- messages ---- */

const char *parse_quote(Parser *p, Span span)
{
    const char *text = p->module->source.data + span.start;
    uint32_t len = span.end - span.start;
    if (len <= MAX_QUOTE)
        return arena_printf(p->arena, "%.*s", (int)len, text);
    len = MAX_QUOTE;
    while (len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80)
        len--;
    return arena_printf(p->arena, "%.*s...", (int)len, text);
}

static const char *found_text(Parser *p)
{
    if (parse_at(p, TOKEN_END))
        return token_kind_text(TOKEN_END);
    return arena_printf(p->arena, "'%s'", parse_quote(p, p->token.span));
}

static PRINTF_LIKE(4, 0) Diagnostic *report(Parser *p, DiagId id, Span span,
                                            const char *fmt, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, fmt, args);
    p->panic = true;
    if (++p->reports == MAX_REPORTS) {
        /* Nobody reads that many: let the text end here. */
        p->lexer.at = p->module->source.len;
        p->has_ahead = false;
    }
    return diag_add(p->diag, id, span, "%s", text);
}

Diagnostic *parse_error(Parser *p, DiagId id, Span span, const char *fmt, ...)
{
    if (p->panic)
        return NULL;
    va_list args;
    va_start(args, fmt);
    Diagnostic *added = report(p, id, span, fmt, args);
    va_end(args);
    return added;
}

void parse_hint(Parser *p, Diagnostic *on, const char *fmt, ...)
{
    if (!on)
        return;
    va_list args;
    va_start(args, fmt);
    char text[512];
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    diag_note(p->diag, on, (Span){0, 0}, "%s", text);
}

/* The token is none: says why. */
static Diagnostic *report_invalid(Parser *p)
{
    Span span = p->token.span;
    Str s = p->module->source;
    Diagnostic *d;
    uint32_t c = 0;
    switch (s.data[span.start]) {
    case '/':
        return parse_error(p, DIAG_unterminated_comment,
                           (Span){span.start, span.start + 2},
                           "this comment has no '*/' that ends it");
    case '"':
    case '\'':
        return parse_error(p, DIAG_unknown_character, span,
                           "WGSL has no strings and no characters");
    case '#':
        d = parse_error(p, DIAG_unknown_character, span,
                        "WGSL has no preprocessor, and '#' starts nothing");
        parse_hint(p, d, "constants are declared with 'const' and 'override'");
        return d;
    case '?':
        d = parse_error(p, DIAG_unknown_character, span,
                        "WGSL has no conditional operator '?'");
        parse_hint(p, d, "write select(if_false, if_true, condition), or an 'if'");
        return d;
    default:
        break;
    }
    utf8_decode(s, span.start, &c);
    if (c == 0xfeff)
        return parse_error(p, DIAG_unknown_character, span,
                           "WGSL text must not contain a byte order mark");
    if (c < 0x20 || c == 0x7f)
        return parse_error(p, DIAG_unknown_character, span,
                           "the control character U+%04X has no place in WGSL", c);
    if (c > 0x7f)
        return parse_error(p, DIAG_unknown_character, span,
                           "'%s' (U+%04X) has no place in WGSL",
                           parse_quote(p, span), c);
    return parse_error(p, DIAG_unknown_character, span, "'%s' has no place in WGSL",
                       parse_quote(p, span));
}

Diagnostic *parse_expected(Parser *p, const char *fmt, ...)
{
    if (p->panic)
        return NULL;
    if (parse_at(p, TOKEN_INVALID))
        return report_invalid(p);
    va_list args;
    va_start(args, fmt);
    char text[400];
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return parse_error(p, DIAG_unexpected_token, p->token.span, "%s, found %s", text,
                       found_text(p));
}

/* A ';' that is missing at the end of a line belongs there, not to the line that
 * follows; and nothing of that line need be skipped. */
static bool forgotten_semicolon(Parser *p, TokenKind kind, const char *where)
{
    bool ends = parse_at(p, TOKEN_BRACE_RIGHT) || parse_on_new_line(p)
                || token_is_keyword(p->token.kind);
    if (kind != TOKEN_SEMICOLON || parse_at(p, TOKEN_INVALID) || !ends)
        return false;
    Span gap = {p->last_end, p->last_end};
    parse_error(p, DIAG_unexpected_token, gap, "expected ';' after %s, found %s",
                where, found_text(p));
    p->panic = false;
    return true;
}

bool parse_expect(Parser *p, TokenKind kind, const char *where)
{
    if (p->panic)
        return false;
    if (parse_accept(p, kind))
        return true;
    if (where && forgotten_semicolon(p, kind, where))
        return true;
    Diagnostic *d =
        where ? parse_expected(p, "expected %s after %s", token_kind_text(kind), where)
              : parse_expected(p, "expected %s", token_kind_text(kind));
    slip_found(p, d);
    return false;
}

/* A word that is no name stands where a name must. Is it meant as one? */
static bool keyword_as_name(Parser *p)
{
    if (!token_is_keyword(p->token.kind))
        return false;
    TokenKind next = parse_peek(p).kind;
    return next == TOKEN_COLON || next == TOKEN_EQUAL || next == TOKEN_SEMICOLON
           || next == TOKEN_COMMA || next == TOKEN_PAREN_LEFT
           || next == TOKEN_PAREN_RIGHT || next == TOKEN_BRACE_LEFT;
}

void parse_reserved(Parser *p)
{
    Name *name = p->token.name;
    /* Once is enough for a name that is used all over. */
    if (name->word) {
        Diagnostic *d = parse_error(p, DIAG_reserved_word, p->token.span,
                                    "'%s' is a reserved word and cannot be a name",
                                    parse_quote(p, p->token.span));
        slip_reserved(p, d);
    }
    name->word = 0;
    p->panic = false;
}

/* A name that is one, or a word that is meant as one; reported if it is none. */
static bool usable_name(Parser *p, const char *what)
{
    Span span = p->token.span;
    const char *text = p->token.name ? p->token.name->text.data : "";
    if (parse_at(p, TOKEN_NAME)) {
        bool bad = p->token.name->text.len >= 2 && memcmp(text, "__", 2) == 0;
        if (!bad)
            return true;
        parse_error(p, DIAG_invalid_name, span,
                    "'%s' starts with two underscores, which no name may",
                    parse_quote(p, span));
    } else if (parse_at(p, TOKEN_RESERVED)) {
        parse_reserved(p);
        /* "let mut x", "pub x : f32": the name is the next. */
        if (parse_peek(p).kind == TOKEN_NAME)
            parse_advance(p);
        return true;
    } else if (keyword_as_name(p)) {
        parse_error(p, DIAG_keyword_as_name, span,
                    "'%s' is a keyword and cannot be the name of %s",
                    parse_quote(p, span), what);
    } else if (parse_at(p, TOKEN_UNDERSCORE)) {
        parse_error(p, DIAG_invalid_name, span, "'_' alone cannot be the name of %s",
                    what);
    } else {
        parse_expected(p, "expected the name of %s", what);
        return false;
    }
    p->panic = false;
    return true;
}

Ident parse_ident(Parser *p, const char *what)
{
    if (p->panic || !usable_name(p, what))
        return (Ident){NULL, {p->last_end, p->last_end}};
    Ident ident = {p->token.name, p->token.span};
    parse_advance(p);
    return ident;
}

bool parse_enter(Parser *p)
{
    if (p->depth < SYNTAX_MAX_DEPTH) {
        p->depth++;
        return true;
    }
    parse_too_deep(p, "this is", SYNTAX_MAX_DEPTH);
    return false;
}

void parse_too_deep(Parser *p, const char *what, int limit)
{
    /* Once a declaration: what is beside it is as deep. */
    if (!p->too_deep)
        parse_error(p, DIAG_nesting_limit, p->token.span,
                    "%s nested more than %d levels deep", what, limit);
    p->too_deep = true;
    p->panic = true;
}

void parse_leave(Parser *p)
{
    p->depth--;
}

/* ---- recovery ---- */

/* Keywords that only ever start a statement of a function. */
bool parse_starts_statement(TokenKind kind)
{
    switch (kind) {
    case TOKEN_BREAK: case TOKEN_CONST: case TOKEN_CONST_ASSERT: case TOKEN_CONTINUE:
    case TOKEN_CONTINUING: case TOKEN_DISCARD: case TOKEN_FOR: case TOKEN_IF:
    case TOKEN_LET: case TOKEN_LOOP: case TOKEN_RETURN: case TOKEN_SWITCH:
    case TOKEN_VAR: case TOKEN_WHILE: case TOKEN_CASE: case TOKEN_DEFAULT:
        return true;
    default:
        return false;
    }
}

bool parse_past_function(const Parser *p)
{
    return parse_at(p, TOKEN_END) || parse_at(p, TOKEN_FN) || parse_at(p, TOKEN_STRUCT);
}

/* Where skipping ends in any case. */
static bool hard_stop(const Parser *p)
{
    return parse_at(p, TOKEN_BRACE_RIGHT) || parse_past_function(p);
}

/* In the middle of a line a keyword is part of the mistake. */
static bool statement_follows(const Parser *p)
{
    return parse_starts_statement(p->token.kind) && parse_on_new_line(p);
}

void parse_skip_statement(Parser *p)
{
    while (!hard_stop(p) && !statement_follows(p) && !parse_at(p, TOKEN_BRACE_LEFT)) {
        bool ends = parse_at(p, TOKEN_SEMICOLON);
        parse_advance(p);
        if (ends)
            break;
    }
    p->panic = parse_past_function(p);
}

void parse_skip_to_block(Parser *p)
{
    while (!hard_stop(p) && !statement_follows(p) && !parse_at(p, TOKEN_BRACE_LEFT)
           && !parse_at(p, TOKEN_SEMICOLON))
        parse_advance(p);
    p->panic = parse_past_function(p);
}

void parse_skip_group(Parser *p)
{
    uint32_t open = 1;
    while (!hard_stop(p) && !parse_at(p, TOKEN_BRACE_LEFT)) {
        if (parse_at(p, TOKEN_PAREN_LEFT))
            open++;
        bool closes = parse_at(p, TOKEN_PAREN_RIGHT);
        parse_advance(p);
        if (closes && --open == 0)
            break;
    }
    p->panic = parse_past_function(p);
}

void parse_skip_block(Parser *p)
{
    uint32_t open = 0;
    while (!parse_at(p, TOKEN_END)) {
        if (parse_at(p, TOKEN_BRACE_LEFT))
            open++;
        bool closes = parse_at(p, TOKEN_BRACE_RIGHT);
        parse_advance(p);
        if (closes && (open == 0 || --open == 0))
            break;
    }
    p->panic = parse_at(p, TOKEN_END);
}

/* To where a declaration may start: past ';' or a block, or at a keyword. */
static void skip_declaration(Parser *p)
{
    while (!parse_at(p, TOKEN_END) && !parse_starts_declaration(p->token.kind)) {
        bool ends = parse_at(p, TOKEN_SEMICOLON) || parse_at(p, TOKEN_BRACE_RIGHT);
        if (parse_at(p, TOKEN_BRACE_LEFT)) {
            parse_skip_block(p);
            ends = true;
        } else {
            parse_advance(p);
        }
        if (ends)
            break;
    }
    p->panic = false;
}

/* ---- the module ---- */

static bool at_directive(const Parser *p)
{
    return parse_at(p, TOKEN_ENABLE) || parse_at(p, TOKEN_REQUIRES)
           || parse_at(p, TOKEN_DIAGNOSTIC);
}

/* A directive after the first declaration: parsed, reported, kept out. */
static void late_directive(Parser *p)
{
    Span span = p->token.span;
    uint32_t before = p->module->directives.len;
    parse_directive(p);
    if (!p->panic) {
        parse_error(p, DIAG_misplaced_directive, span,
                    "'%s' must come before all declarations", parse_quote(p, span));
        p->panic = false;
    }
    p->module->directives.len = before;
}

static void parse_module(Parser *p)
{
    bool declared = false;
    while (!parse_at(p, TOKEN_END)) {
        uint32_t start = p->token.span.start;
        p->depth = p->blocks = 0;
        p->too_deep = false;
        if (at_directive(p) && declared) {
            late_directive(p);
        } else if (at_directive(p)) {
            parse_directive(p);
        } else {
            /* A lone ';' ends the directives too, as the grammar has it. */
            declared = true;
            Decl *decl = parse_global_decl(p);
            if (decl)
                VEC_PUSH(p->arena, &p->module->decls, decl);
        }
        /* Past what was stumbled over, unless that ends something itself. */
        if (p->panic && p->token.span.start == start
            && !parse_at(p, TOKEN_BRACE_RIGHT))
            parse_advance(p);
        if (p->panic)
            skip_declaration(p);
    }
}

/* Reports what makes the text no text. */
static bool readable(Str source, Diag *diag)
{
    if (source.len > SYNTAX_MAX_SOURCE) {
        diag_add(diag, DIAG_source_too_long, (Span){0, 0},
                 "the source text has %u bytes; at most %u are accepted", source.len,
                 SYNTAX_MAX_SOURCE);
        return false;
    }
    uint32_t at = utf8_find_invalid(source, 0);
    if (at == source.len)
        return true;
    Span span = {at, at + 1};
    if (source.data[at] == '\0')
        diag_add(diag, DIAG_nul_in_source, span,
                 "the source text contains a NUL character");
    else
        diag_add(diag, DIAG_invalid_utf8, span,
                 "the source text is not valid UTF-8: byte 0x%02X is wrong here",
                 (uint8_t)source.data[at]);
    return false;
}

static Module *module_new(Arena *arena, Str source)
{
    Module *m = ARENA_NEW(arena, Module);
    m->arena = arena;
    m->source = (Str){arena_copy(arena, source.data, source.len), source.len};
    return m;
}

Module *syntax_parse(Arena *arena, Str source, Diag *diag)
{
    bool fine = readable(source, diag);
    if (!fine && source.len > SYNTAX_MAX_SOURCE)
        source.len = 0;
    Module *m = module_new(arena, source);
    if (!fine)
        return m;
    Parser *p = ARENA_NEW(arena, Parser);
    *p = (Parser){.arena = arena, .diag = diag, .module = m};
    lex_init(&p->lexer, m);
    parse_advance(p);
    parse_module(p);
    return m;
}
