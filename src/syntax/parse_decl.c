// SPDX-License-Identifier: Apache-2.0
/*
 * parse_decl.c - directives and declarations.
 *
 * in     tokens at module scope; const, let and var in functions
 * out    Directive, Decl
 * knows  WGSL "Directives", "Variable and Value Declarations", "Functions"
 * not    what is declared twice, types
 */
#include "syntax/parse_priv.h"

static Decl *decl_new(Parser *p, DeclKind kind, uint32_t start)
{
    Decl *d = ARENA_NEW(p->arena, Decl);
    d->kind = kind;
    d->span = (Span){start, p->token.span.end};
    return d;
}

static Decl *finish(Parser *p, Decl *d)
{
    d->span = parse_span_from(p, d->span.start);
    return d;
}

/* ---- directives ---- */

static void name_list(Parser *p, Directive *d, const char *what)
{
    IdentVec list = {0};
    do {
        if (list.len > 0 && parse_at(p, TOKEN_SEMICOLON))
            break;
        Ident ident = parse_ident(p, what);
        if (ident.name)
            VEC_PUSH(p->arena, &list, ident);
    } while (parse_accept(p, TOKEN_COMMA));
    d->names = list.data;
    d->nnames = list.len;
}

void parse_directive(Parser *p)
{
    Directive d = {.span = p->token.span};
    TokenKind kind = p->token.kind;
    parse_advance(p);
    if (kind == TOKEN_ENABLE) {
        d.kind = DIRECTIVE_ENABLE;
        name_list(p, &d, "an extension");
    } else if (kind == TOKEN_REQUIRES) {
        d.kind = DIRECTIVE_REQUIRES;
        name_list(p, &d, "a language feature");
    } else {
        d.kind = DIRECTIVE_DIAGNOSTIC;
        d.filter.kind = ATTR_DIAGNOSTIC;
        parse_diagnostic_control(p, &d.filter);
        d.filter.span = parse_span_from(p, d.span.start);
    }
    parse_expect(p, TOKEN_SEMICOLON, "the directive");
    d.span = parse_span_from(p, d.span.start);
    if (!p->panic)
        VEC_PUSH(p->arena, &p->module->directives, d);
}

/* ---- variables and values ---- */

/* var<storage, read_write> */
static void space_list(Parser *p, Decl *d)
{
    if (p->panic || !parse_at(p, TOKEN_TEMPLATE_START))
        return;
    Span open = p->token.span;
    ExprVec args = {0};
    parse_advance(p);
    parse_arguments(p, &args, TOKEN_TEMPLATE_END);
    if (args.len == 0) {
        parse_error(p, DIAG_unexpected_token, open,
                    "a template list needs at least one argument");
        p->panic = false;
        VEC_PUSH(p->arena, &args, parse_error_expr(p, open));
    }
    d->var.has_template = true;
    d->var.space_args = args.data;
    d->var.nspace_args = args.len;
}

static const char *what_of(DeclKind kind)
{
    switch (kind) {
    case DECL_CONST:    return "the constant";
    case DECL_OVERRIDE: return "the override";
    case DECL_LET:      return "the value";
    case DECL_VAR:      return "the variable";
    case DECL_PARAM:    return "the parameter";
    case DECL_ALIAS:    return "the alias";
    case DECL_STRUCT:   return "the structure";
    case DECL_FN:       return "the function";
    default:            return "the declaration";
    }
}

/* No ':' after a name. Two names in a row, "const int x": the type came first. */
static void name_first(Parser *p, Str name, const char *what)
{
    Diagnostic *d = parse_expected(p, "expected ':' after the name of %s", what);
    if (parse_at(p, TOKEN_NAME) && slip_is_type(name))
        parse_hint(p, d, "the name comes before the type: name : type");
    slip_found(p, d);
}

static void initializer(Parser *p, Decl *d)
{
    if (parse_accept(p, TOKEN_EQUAL)) {
        d->var.init = parse_expression(p);
        slip_braced_value(p);
        return;
    }
    if (p->panic || (d->kind != DECL_CONST && d->kind != DECL_LET))
        return;
    Span span = d->ident.name ? d->ident.span : d->span;
    if (!parse_at(p, TOKEN_SEMICOLON)) {
        parse_expected(p, "expected '=' and a value in the declaration of '%s'",
                       parse_quote(p, span));
        return;
    }
    parse_error(p, DIAG_missing_initializer, span,
                "'%s' is declared with '%s' and needs a value", parse_quote(p, span),
                d->kind == DECL_LET ? "let" : "const");
    p->panic = false;
    d->var.init = parse_error_expr(p, span);
}

/* From const, let, var or override up to but without ';'. */
static Decl *variable(Parser *p, DeclKind kind, uint32_t start)
{
    Decl *d = decl_new(p, kind, start);
    parse_advance(p);
    if (kind == DECL_VAR)
        space_list(p, d);
    d->ident = parse_ident(p, what_of(kind));
    if (parse_accept(p, TOKEN_COLON))
        d->var.type_expr = parse_type(p, what_of(kind));
    else if (!p->panic && parse_at(p, TOKEN_NAME) && !parse_on_new_line(p))
        name_first(p, ident_text(d->ident), what_of(kind));
    initializer(p, d);
    /* What is missing after a mistake must not be missed again. */
    if (p->panic && !d->var.init && !d->var.type_expr)
        d->var.init = parse_error_expr(p, d->span);
    return finish(p, d);
}

Decl *parse_local_decl(Parser *p)
{
    DeclKind kind = parse_at(p, TOKEN_VAR) ? DECL_VAR
                  : parse_at(p, TOKEN_LET) ? DECL_LET : DECL_CONST;
    return variable(p, kind, p->token.span.start);
}

static Decl *global_variable(Parser *p, DeclKind kind, uint32_t start)
{
    Decl *d = variable(p, kind, start);
    parse_expect(p, TOKEN_SEMICOLON, "the declaration");
    return finish(p, d);
}

/* ---- types ---- */

static Decl *alias(Parser *p, uint32_t start)
{
    Decl *d = decl_new(p, DECL_ALIAS, start);
    parse_advance(p);
    d->ident = parse_ident(p, "the alias");
    parse_expect(p, TOKEN_EQUAL, "the name of the alias");
    d->var.type_expr = parse_type(p, "the alias");
    parse_expect(p, TOKEN_SEMICOLON, "the alias");
    return finish(p, d);
}

/* name : type. "name type" and "type name" are reported and understood. */
static Expr *name_and_type(Parser *p, Ident *ident, const char *what)
{
    *ident = parse_ident(p, what);
    if (p->panic || parse_accept(p, TOKEN_COLON))
        return parse_type(p, what);
    name_first(p, ident_text(*ident), what);
    if (!parse_at(p, TOKEN_NAME))
        return parse_error_expr(p, ident->span);
    p->panic = false;
    if (!slip_is_type(ident_text(*ident)))
        return parse_type(p, what);
    Expr *unknown = parse_error_expr(p, ident->span);
    *ident = parse_ident(p, what);
    return unknown;
}

static Member member(Parser *p)
{
    Member m = {.attrs = parse_attributes(p)};
    m.type_expr = name_and_type(p, &m.ident, "the member");
    return m;
}

/* After a mistake in a member: to the next one, or the end of the structure. */
static void skip_member(Parser *p)
{
    while (!parse_at(p, TOKEN_BRACE_RIGHT) && !parse_past_function(p)) {
        bool ends = parse_at(p, TOKEN_COMMA) || parse_at(p, TOKEN_SEMICOLON);
        parse_advance(p);
        if (ends)
            break;
    }
    p->panic = parse_past_function(p);
}

/* ',' between members. ';' is a habit, reported once a structure, unless the member
 * before it was wrong already (`reports` were before it); and so is nothing. */
static bool member_separator(Parser *p, uint32_t reports, bool *semicolons)
{
    if (parse_accept(p, TOKEN_COMMA))
        return true;
    if (p->panic || parse_at(p, TOKEN_BRACE_RIGHT))
        return false;
    if (parse_at(p, TOKEN_SEMICOLON)) {
        if (!*semicolons && p->reports == reports)
            parse_error(p, DIAG_unexpected_token, p->token.span,
                        "the members of a structure are separated by ',', not ';'");
        *semicolons = true;
        p->panic = false;
        parse_advance(p);
        return true;
    }
    bool next = parse_at(p, TOKEN_AT) || (parse_at(p, TOKEN_NAME) && parse_on_new_line(p));
    if (next) {
        Span gap = {p->last_end, p->last_end};
        parse_error(p, DIAG_unexpected_token, gap, "expected ',' after the member");
        p->panic = false;
        return true;
    }
    parse_expected(p, "expected ',' or '}' after the member");
    return false;
}

static Decl *structure(Parser *p, uint32_t start)
{
    Decl *d = decl_new(p, DECL_STRUCT, start);
    VEC(Member) members = {0};
    uint32_t before = p->reports;
    parse_advance(p);
    d->ident = parse_ident(p, "the structure");
    parse_expect(p, TOKEN_BRACE_LEFT, "the name of the structure");
    bool more = !p->panic, semicolons = false;
    while (more && !parse_at(p, TOKEN_BRACE_RIGHT) && !parse_past_function(p)) {
        uint32_t reports = p->reports;
        Member m = member(p);
        if (m.ident.name)
            VEC_PUSH(p->arena, &members, m);
        more = member_separator(p, reports, &semicolons);
        if (p->panic) {
            skip_member(p);
            more = true;
        }
    }
    parse_expect(p, TOKEN_BRACE_RIGHT, "the last member");
    /* It may have members that were not understood: none must not be a fault. */
    if (members.len == 0 && p->reports > before) {
        Member unknown = {.ident = {syntax_name(p->module, STR("?")), d->span},
                          .type_expr = parse_error_expr(p, d->span)};
        VEC_PUSH(p->arena, &members, unknown);
    }
    d->structure.members = members.data;
    d->structure.nmembers = members.len;
    return finish(p, d);
}

/* ---- functions ---- */

static Decl *parameter(Parser *p, uint32_t index)
{
    uint32_t start = p->token.span.start;
    Attrs attrs = parse_attributes(p);
    Decl *d = decl_new(p, DECL_PARAM, start);
    d->attrs = attrs;
    d->var.param_index = index;
    d->var.type_expr = name_and_type(p, &d->ident, "the parameter");
    return finish(p, d);
}

static void parameters(Parser *p, Decl *fn)
{
    VEC(Decl *) params = {0};
    parse_expect(p, TOKEN_PAREN_LEFT, "the name of the function");
    while (!p->panic && !parse_at(p, TOKEN_PAREN_RIGHT)) {
        Decl *param = parameter(p, params.len);
        VEC_PUSH(p->arena, &params, param);
        if (!parse_accept(p, TOKEN_COMMA))
            break;
    }
    if (!p->panic && !parse_accept(p, TOKEN_PAREN_RIGHT))
        parse_expected(p, "expected ',' or ')' after the parameter");
    fn->fn.params = params.data;
    fn->fn.nparams = params.len;
}

static void result(Parser *p, Decl *fn)
{
    bool colon = parse_at(p, TOKEN_COLON);
    if (!p->panic && (colon || parse_at(p, TOKEN_NAME))) {
        Diagnostic *d = parse_expected(p, "expected '->' or '{' after the parameters");
        parse_hint(p, d, "the type of the result is written '-> type'");
        p->panic = false;
        if (colon)
            parse_advance(p);
        fn->fn.result_expr = parse_type(p, "the result");
    }
    if (parse_accept(p, TOKEN_ARROW)) {
        fn->fn.result_attrs = parse_attributes(p);
        fn->fn.result_expr = parse_type(p, "the result");
    }
    /* After a mistake before it, who knows whether there is one. */
    if (p->panic && !fn->fn.result_expr)
        fn->fn.result_expr = parse_error_expr(p, fn->span);
}

/* After a mistake in the header: to the body, if there is one. True if only its
 * '{' is missing. */
static bool skip_to_body(Parser *p)
{
    while (!parse_at(p, TOKEN_BRACE_LEFT) && !parse_at(p, TOKEN_SEMICOLON)
           && !parse_at(p, TOKEN_BRACE_RIGHT) && !parse_starts_statement(p->token.kind)
           && !parse_past_function(p))
        parse_advance(p);
    bool forgotten = parse_starts_statement(p->token.kind);
    p->panic = !parse_at(p, TOKEN_BRACE_LEFT) && !forgotten;
    return forgotten;
}

static Decl *function(Parser *p, uint32_t start)
{
    Decl *d = decl_new(p, DECL_FN, start);
    parse_advance(p);
    d->ident = parse_ident(p, "the function");
    parameters(p, d);
    result(p, d);
    if (!p->panic && !parse_at(p, TOKEN_BRACE_LEFT) && !parse_at(p, TOKEN_AT)) {
        bool prototype = parse_at(p, TOKEN_SEMICOLON);
        Diagnostic *e = parse_expected(p, "expected '{' to start the function's body");
        if (prototype)
            parse_hint(p, e, "functions may be used before they are declared; there "
                             "are no prototypes");
    }
    bool forgotten = p->panic && skip_to_body(p);
    d->fn.body = forgotten ? parse_open_block(p, "the function")
                           : parse_block(p, "the function");
    return finish(p, d);
}

/* ---- module scope ---- */

static Decl *const_assertion(Parser *p, uint32_t start)
{
    Decl *d = decl_new(p, DECL_CONST_ASSERT, start);
    parse_advance(p);
    d->const_assert.condition = parse_expression(p);
    parse_expect(p, TOKEN_SEMICOLON, "the assertion");
    return finish(p, d);
}

bool parse_starts_declaration(TokenKind kind)
{
    switch (kind) {
    case TOKEN_FN: case TOKEN_STRUCT: case TOKEN_VAR: case TOKEN_CONST:
    case TOKEN_OVERRIDE: case TOKEN_ALIAS: case TOKEN_CONST_ASSERT: case TOKEN_AT:
    case TOKEN_ENABLE: case TOKEN_REQUIRES: case TOKEN_DIAGNOSTIC:
        return true;
    default:
        return false;
    }
}

/* A statement outside of all functions: a '}' too many has ended one too early.
 * The rest of that function is skipped too, it would be one message a line. */
static void stray_statement(Parser *p)
{
    Diagnostic *d = parse_expected(p, "expected a declaration");
    parse_hint(p, d, "statements stand in functions; there may be a '}' too many "
                     "before");
    while (!parse_past_function(p) && !parse_at(p, TOKEN_AT)
           && !parse_at(p, TOKEN_ALIAS) && !parse_at(p, TOKEN_OVERRIDE))
        parse_advance(p);
    p->panic = false;
}

/* Nothing that a declaration starts with. */
static void misfit(Parser *p)
{
    Diagnostic *d;
    switch (p->token.kind) {
    case TOKEN_BREAK: case TOKEN_CONTINUE: case TOKEN_CONTINUING: case TOKEN_DISCARD:
    case TOKEN_ELSE: case TOKEN_FOR: case TOKEN_IF: case TOKEN_LOOP:
    case TOKEN_RETURN: case TOKEN_SWITCH: case TOKEN_WHILE: case TOKEN_CASE:
    case TOKEN_DEFAULT:
        stray_statement(p);
        break;
    case TOKEN_LET:
        d = parse_expected(p, "expected a declaration");
        parse_hint(p, d, "'let' stands in functions; at module scope there are 'const', "
                         "'override' and 'var'");
        break;
    case TOKEN_BRACE_RIGHT:
        parse_error(p, DIAG_unexpected_token, p->token.span, "this '}' closes nothing");
        break;
    default:
        d = parse_expected(p, "expected a declaration");
        slip_at_module_scope(p, d);
        break;
    }
}

static Decl *plain_decl(Parser *p, Attrs attrs, uint32_t start)
{
    switch (p->token.kind) {
    case TOKEN_FN:       return function(p, start);
    case TOKEN_VAR:      return global_variable(p, DECL_VAR, start);
    case TOKEN_OVERRIDE: return global_variable(p, DECL_OVERRIDE, start);
    case TOKEN_CONST:
        parse_no_attributes(p, attrs, "'const'");
        return global_variable(p, DECL_CONST, start);
    case TOKEN_STRUCT:
        parse_no_attributes(p, attrs, "'struct'");
        return structure(p, start);
    case TOKEN_ALIAS:
        parse_no_attributes(p, attrs, "'alias'");
        return alias(p, start);
    case TOKEN_CONST_ASSERT:
        parse_no_attributes(p, attrs, "'const_assert'");
        return const_assertion(p, start);
    case TOKEN_SEMICOLON:
        if (attrs.len == 0) {
            parse_advance(p);
            return NULL;
        }
        parse_expected(p, "expected a declaration after the attributes");
        return NULL;
    default:
        misfit(p);
        return NULL;
    }
}

Decl *parse_global_decl(Parser *p)
{
    uint32_t start = p->token.span.start;
    Attrs attrs = parse_attributes(p);
    if (p->panic)
        return NULL;
    Decl *d = plain_decl(p, attrs, start);
    if (!d)
        return NULL;
    d->is_global = true;
    d->span.start = start;
    bool takes = d->kind == DECL_FN || d->kind == DECL_VAR || d->kind == DECL_OVERRIDE;
    d->attrs = takes ? attrs : (Attrs){0};
    return d;
}
