// SPDX-License-Identifier: Apache-2.0
/*
 * print.c - a module as WGSL again, and its tokens.
 *
 * in     a Module, before or after check/; a source
 * out    text that parses to the same tree: one declaration or statement a line,
 *        every operation in parentheses
 * knows  the whole of ast.h; the nodes check/ inserts are written as comments
 * not    comments, blank lines and spellings of the source: they are gone
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "syntax/lex_priv.h"
#include "syntax/syntax.h"

typedef struct Printer {
    Text    *out;
    uint32_t indent;
} Printer;

/* ---- names of kinds ---- */

const char *expr_kind_name(ExprKind kind)
{
    static const char *const names[] = {
#define EXPR(kind, what) what,
#include "syntax/expr.def"
#undef EXPR
    };
    _Static_assert(COUNTOF(names) == EXPR_KIND_COUNT, "a kind has no name");
    return names[kind];
}

const char *stmt_kind_name(StmtKind kind)
{
    static const char *const names[] = {
#define STMT(kind, what) what,
#include "syntax/stmt.def"
#undef STMT
    };
    _Static_assert(COUNTOF(names) == STMT_KIND_COUNT, "a kind has no name");
    return names[kind];
}

const char *un_op_text(UnOp op)
{
    static const char *const texts[] = {
#define UNOP(kind, text) text,
#include "syntax/ops.def"
#undef UNOP
    };
    _Static_assert(COUNTOF(texts) == UNOP_COUNT, "an operator has no text");
    return texts[op];
}

const char *bin_op_text(BinOp op)
{
    static const char *const texts[] = {
#define BINOP(kind, text) text,
#include "syntax/ops.def"
#undef BINOP
    };
    _Static_assert(COUNTOF(texts) == BINOP_COUNT, "an operator has no text");
    return texts[op];
}

/* ---- expressions ---- */

static void print_expr(Printer *p, const Expr *e);

static void put(Printer *p, const char *text)
{
    text_add(p->out, str_of(text));
}

static void print_ident(Printer *p, Ident ident)
{
    if (ident.name)
        text_add(p->out, ident.name->text);
    else
        put(p, "/* no name */");
}

static void print_list(Printer *p, Expr *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            put(p, ", ");
        print_expr(p, list[i]);
    }
}

/* With as few digits as give the same value back. The C library may write another
 * sign than '.' for the point. */
static void print_real(Printer *p, double value, bool single)
{
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        bool same = single ? strtof(text, NULL) == (float)value
                           : strtod(text, NULL) == value;
        if (same)
            break;
    }
    bool point = false;
    for (const char *c = text; *c; c++) {
        bool part = (*c >= '0' && *c <= '9') || *c == 'e' || *c == '-' || *c == '+';
        if (part)
            text_char(p->out, *c);
        else if (!point)
            text_char(p->out, '.');
        point = point || !part;
    }
}

static void print_literal(Printer *p, const Expr *e)
{
    unsigned long long integer = e->literal.integer;
    switch (e->literal.kind) {
    case LITERAL_BOOL:
        put(p, e->literal.boolean ? "true" : "false");
        break;
    case LITERAL_ABSTRACT_INT:
        text_printf(p->out, "%llu", integer);
        break;
    case LITERAL_I32:
        text_printf(p->out, "%llui", integer);
        break;
    case LITERAL_U32:
        text_printf(p->out, "%lluu", integer);
        break;
    case LITERAL_ABSTRACT_FLOAT:
        print_real(p, e->literal.real, false);
        break;
    case LITERAL_F32:
        print_real(p, e->literal.real, true);
        text_char(p->out, 'f');
        break;
    case LITERAL_F16:
        print_real(p, e->literal.real, true);
        text_char(p->out, 'h');
        break;
    case LITERAL_F64:
        print_real(p, e->literal.real, true);
        text_add(p->out, STR("lf"));
        break;
    }
}

static void print_name(Printer *p, const Expr *e)
{
    print_ident(p, e->name.ident);
    if (!e->name.has_template)
        return;
    put(p, "<");
    print_list(p, e->name.args, e->name.nargs);
    put(p, ">");
}

/* Left operands may be very many: they are walked in a loop. */
static void print_binary(Printer *p, const Expr *e)
{
    VEC(const Expr *) chain = {0};
    for (; e->kind == EXPR_BINARY; e = e->binary.lhs) {
        VEC_PUSH(p->out->arena, &chain, e);
        put(p, "(");
    }
    print_expr(p, e);
    while (chain.len > 0) {
        e = chain.data[--chain.len];
        text_printf(p->out, " %s ", bin_op_text(e->binary.op));
        print_expr(p, e->binary.rhs);
        put(p, ")");
    }
}

static void print_expr(Printer *p, const Expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        print_literal(p, e);
        break;
    case EXPR_NAME:
        print_name(p, e);
        break;
    case EXPR_CALL:
        print_expr(p, e->call.callee);
        put(p, "(");
        print_list(p, e->call.args, e->call.nargs);
        put(p, ")");
        break;
    case EXPR_MEMBER:
        print_expr(p, e->member.of);
        put(p, e->member.of->kind == EXPR_LITERAL ? " ." : ".");   /* 2.x is two tokens: 2. x */
        print_ident(p, e->member.field);
        break;
    case EXPR_INDEX:
        print_expr(p, e->index.of);
        put(p, "[");
        print_expr(p, e->index.at);
        put(p, "]");
        break;
    case EXPR_UNARY:
        text_printf(p->out, "(%s%s", e->unary.implied ? "/* implied */ " : "",
                    un_op_text(e->unary.op));
        print_expr(p, e->unary.of);
        put(p, ")");
        break;
    case EXPR_BINARY:
        print_binary(p, e);
        break;
    case EXPR_LOAD:
        put(p, "/* load */ ");
        print_expr(p, e->load.of);
        break;
    case EXPR_ERROR:
    case EXPR_KIND_COUNT:
        put(p, "/* error */");
        break;
    }
}

/* ---- attributes ---- */

static void print_attr_args(Printer *p, const Attr *a)
{
    if (a->nargs == 0)
        return;
    put(p, "(");
    for (uint32_t i = 0; i < a->nargs; i++) {
        if (i > 0)
            put(p, ", ");
        if (a->args[i])
            print_expr(p, a->args[i]);
        else
            print_ident(p, a->names[i]);
    }
    if (a->kind == ATTR_DIAGNOSTIC && a->names[2].name) {
        put(p, ".");
        print_ident(p, a->names[2]);
    }
    put(p, ")");
}

static void print_attrs(Printer *p, Attrs attrs)
{
    for (uint32_t i = 0; i < attrs.len; i++) {
        text_printf(p->out, "@%s", attr_kind_name(attrs.data[i].kind));
        print_attr_args(p, &attrs.data[i]);
        put(p, " ");
    }
}

/* ---- statements ---- */

static void print_block(Printer *p, const Block *b, const Block *continuing);
static void print_decl(Printer *p, const Decl *d);

static void new_line(Printer *p)
{
    put(p, "\n");
    for (uint32_t i = 0; i < p->indent; i++)
        put(p, "    ");
}

static void print_if(Printer *p, const Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++) {
        put(p, i > 0 ? " else if " : "if ");
        print_expr(p, s->if_.clauses[i].condition);
        put(p, " ");
        print_block(p, s->if_.clauses[i].block, NULL);
    }
    if (!s->if_.otherwise)
        return;
    put(p, " else ");
    print_block(p, s->if_.otherwise, NULL);
}

static void print_clause(Printer *p, const SwitchClause *c)
{
    new_line(p);
    bool alone = c->nselectors == 1 && !c->selectors[0];
    if (!alone)
        put(p, "case ");
    for (uint32_t i = 0; i < c->nselectors; i++) {
        if (i > 0)
            put(p, ", ");
        if (c->selectors[i])
            print_expr(p, c->selectors[i]);
        else
            put(p, "default");
    }
    put(p, " ");
    print_block(p, c->block, NULL);
}

static void print_switch(Printer *p, const Stmt *s)
{
    put(p, "switch ");
    print_expr(p, s->switch_.selector);
    put(p, " ");
    print_attrs(p, s->switch_.body_attrs);
    put(p, "{");
    p->indent++;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        print_clause(p, &s->switch_.clauses[i]);
    p->indent--;
    new_line(p);
    put(p, "}");
}

/* Assignments, increments, calls and declarations, without ';': also in headers. */
static void print_simple(Printer *p, const Stmt *s)
{
    switch (s->kind) {
    case STMT_DECL:
        print_decl(p, s->decl);
        break;
    case STMT_ASSIGN:
        print_expr(p, s->assign.lhs);
        put(p, " = ");
        print_expr(p, s->assign.rhs);
        break;
    case STMT_COMPOUND:
        print_expr(p, s->compound.lhs);
        text_printf(p->out, " %s= ", bin_op_text(s->compound.op));
        print_expr(p, s->compound.rhs);
        break;
    case STMT_INCREMENT:
        print_expr(p, s->increment.lhs);
        put(p, s->increment.decrement ? "--" : "++");
        break;
    case STMT_PHONY:
        put(p, "_ = ");
        print_expr(p, s->phony.rhs);
        break;
    case STMT_CALL:
        print_expr(p, s->call.call);
        break;
    default:
        put(p, "/* error */");
        break;
    }
}

static void print_for(Printer *p, const Stmt *s)
{
    put(p, "for (");
    if (s->for_.init)
        print_simple(p, s->for_.init);
    put(p, "; ");
    if (s->for_.condition)
        print_expr(p, s->for_.condition);
    put(p, "; ");
    if (s->for_.update)
        print_simple(p, s->for_.update);
    put(p, ") ");
    print_block(p, s->for_.body, NULL);
}

static void print_word(Printer *p, const char *word, const Expr *e)
{
    put(p, word);
    if (e) {
        put(p, " ");
        print_expr(p, e);
    }
    put(p, ";");
}

static void print_stmt(Printer *p, const Stmt *s)
{
    new_line(p);
    print_attrs(p, s->attrs);
    switch (s->kind) {
    case STMT_BLOCK:    print_block(p, s->block, NULL); break;
    case STMT_IF:       print_if(p, s);                 break;
    case STMT_SWITCH:   print_switch(p, s);             break;
    case STMT_FOR:      print_for(p, s);                break;
    case STMT_BREAK:    put(p, "break;");               break;
    case STMT_CONTINUE: put(p, "continue;");            break;
    case STMT_DISCARD:  put(p, "discard;");             break;
    case STMT_BREAK_IF: print_word(p, "break if", s->break_if.condition); break;
    case STMT_RETURN:   print_word(p, "return", s->return_.value);        break;
    case STMT_CONST_ASSERT:
        print_word(p, "const_assert", s->const_assert.condition);
        break;
    case STMT_LOOP:
        put(p, "loop ");
        print_block(p, s->loop.body, s->loop.continuing);
        break;
    case STMT_WHILE:
        put(p, "while ");
        print_expr(p, s->while_.condition);
        put(p, " ");
        print_block(p, s->while_.body, NULL);
        break;
    default:
        print_simple(p, s);
        put(p, ";");
        break;
    }
}

static void print_block(Printer *p, const Block *b, const Block *continuing)
{
    print_attrs(p, b->attrs);
    put(p, "{");
    p->indent++;
    for (uint32_t i = 0; i < b->len; i++)
        print_stmt(p, b->stmts[i]);
    if (continuing) {
        new_line(p);
        put(p, "continuing ");
        print_block(p, continuing, NULL);
    }
    p->indent--;
    if (b->len > 0 || continuing)
        new_line(p);
    put(p, "}");
}

/* ---- declarations ---- */

static void print_typed(Printer *p, const Decl *d)
{
    print_ident(p, d->ident);
    if (d->var.type_expr) {
        put(p, " : ");
        print_expr(p, d->var.type_expr);
    }
    if (d->var.init) {
        put(p, " = ");
        print_expr(p, d->var.init);
    }
}

static void print_struct(Printer *p, const Decl *d)
{
    put(p, "struct ");
    print_ident(p, d->ident);
    put(p, " {");
    p->indent++;
    for (uint32_t i = 0; i < d->structure.nmembers; i++) {
        const Member *m = &d->structure.members[i];
        new_line(p);
        print_attrs(p, m->attrs);
        print_ident(p, m->ident);
        put(p, " : ");
        print_expr(p, m->type_expr);
        put(p, ",");
    }
    p->indent--;
    new_line(p);
    put(p, "}");
}

static void print_fn(Printer *p, const Decl *d)
{
    put(p, "fn ");
    print_ident(p, d->ident);
    put(p, "(");
    for (uint32_t i = 0; i < d->fn.nparams; i++) {
        if (i > 0)
            put(p, ", ");
        print_attrs(p, d->fn.params[i]->attrs);
        print_typed(p, d->fn.params[i]);
    }
    put(p, ") ");
    if (d->fn.result_expr) {
        put(p, "-> ");
        print_attrs(p, d->fn.result_attrs);
        print_expr(p, d->fn.result_expr);
        put(p, " ");
    }
    print_block(p, d->fn.body, NULL);
}

/* Without attributes and without ';'. */
static void print_decl(Printer *p, const Decl *d)
{
    switch (d->kind) {
    case DECL_CONST:    put(p, "const ");    print_typed(p, d); break;
    case DECL_OVERRIDE: put(p, "override "); print_typed(p, d); break;
    case DECL_LET:      put(p, "let ");      print_typed(p, d); break;
    case DECL_PARAM:    print_typed(p, d);                      break;
    case DECL_STRUCT:   print_struct(p, d);                     break;
    case DECL_FN:       print_fn(p, d);                         break;
    case DECL_VAR:
        put(p, "var");
        if (d->var.has_template) {
            put(p, "<");
            print_list(p, d->var.space_args, d->var.nspace_args);
            put(p, ">");
        }
        put(p, " ");
        print_typed(p, d);
        break;
    case DECL_ALIAS:
        put(p, "alias ");
        print_ident(p, d->ident);
        put(p, " = ");
        print_expr(p, d->var.type_expr);
        break;
    case DECL_CONST_ASSERT:
        put(p, "const_assert ");
        print_expr(p, d->const_assert.condition);
        break;
    }
}

static void print_directive(Printer *p, const Directive *d)
{
    if (d->kind == DIRECTIVE_DIAGNOSTIC) {
        put(p, "diagnostic");
        print_attr_args(p, &d->filter);
    } else {
        put(p, d->kind == DIRECTIVE_ENABLE ? "enable " : "requires ");
        for (uint32_t i = 0; i < d->nnames; i++) {
            if (i > 0)
                put(p, ", ");
            print_ident(p, d->names[i]);
        }
    }
    put(p, ";\n");
}

void syntax_dump_module(Text *out, const Module *m)
{
    Printer p = {.out = out};
    for (uint32_t i = 0; i < m->directives.len; i++)
        print_directive(&p, &m->directives.data[i]);
    for (uint32_t i = 0; i < m->decls.len; i++) {
        const Decl *d = m->decls.data[i];
        print_attrs(&p, d->attrs);
        print_decl(&p, d);
        put(&p, d->kind == DECL_FN || d->kind == DECL_STRUCT ? "\n" : ";\n");
    }
}

/* ---- tokens ---- */

static const char *const kind_names[] = {
#define TOKEN(kind, text)       #kind,
#define PUNCTUATION(kind, text) #kind,
#define KEYWORD(kind, text)     #kind,
#include "syntax/token.def"
#undef TOKEN
#undef PUNCTUATION
#undef KEYWORD
};

/* "START..END KIND TEXT", a line each; texts in JSON quotes. */
void syntax_dump_tokens(Text *out, Str source)
{
    if (source.len > SYNTAX_MAX_SOURCE)
        return;
    Module *m = ARENA_NEW(out->arena, Module);
    m->arena = out->arena;
    m->source = source;
    Lexer lexer;
    lex_init(&lexer, m);
    Token t;
    do {
        t = lex_next(&lexer);
        Str text = {source.data + t.span.start, t.span.end - t.span.start};
        text_printf(out, "%u..%u %s ", t.span.start, t.span.end, kind_names[t.kind]);
        text_json(out, text);
        text_char(out, '\n');
    } while (t.kind != TOKEN_END);
}
