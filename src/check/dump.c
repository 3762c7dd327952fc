// SPDX-License-Identifier: Apache-2.0
/*
 * dump.c - the typed module as text, for people and for tests.
 *
 * in     a checked module, with or without errors
 * out    WGSL with the type of each expression behind it, and in place of a
 *        constant its value; declarations in the order in which they are checked
 * not    text that can be parsed again (syntax_dump_module)
 */
#include "check/check.h"

typedef struct Dump {
    Text    *out;
    uint32_t depth;                     /* of statements                         */
} Dump;

static void dump_expr(Dump *d, const Expr *e);
static void dump_block(Dump *d, const Block *b);

static void line(Dump *d)
{
    text_char(d->out, '\n');
    for (uint32_t i = 0; i < d->depth; i++)
        text_add(d->out, STR("  "));
}

static void dump_name(Dump *d, Ident ident)
{
    text_add(d->out, ident.name ? ident.name->text : STR("?"));
}

static void dump_type(Dump *d, const Type *t)
{
    text_add(d->out, STR(": "));
    if (t)
        type_print(d->out, t);
    else
        text_char(d->out, '?');
}

/* ---- expressions ---- */

static void dump_args(Dump *d, Expr *const *args, uint32_t n)
{
    text_char(d->out, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_add(d->out, STR(", "));
        dump_expr(d, args[i]);
    }
    text_char(d->out, ')');
}

static void dump_call(Dump *d, const Expr *e)
{
    if (e->call.kind == CALL_CONSTRUCT && e->type)
        type_print(d->out, e->type);
    else
        dump_name(d, e->call.callee->name.ident);
    dump_args(d, e->call.args, e->call.nargs);
}

static void dump_node(Dump *d, const Expr *e)
{
    switch (e->kind) {
    case EXPR_NAME:   dump_name(d, e->name.ident); break;
    case EXPR_CALL:   dump_call(d, e); break;
    case EXPR_MEMBER:
        dump_expr(d, e->member.of);
        text_char(d->out, '.');
        dump_name(d, e->member.field);
        break;
    case EXPR_INDEX:
        dump_expr(d, e->index.of);
        text_char(d->out, '[');
        dump_expr(d, e->index.at);
        text_char(d->out, ']');
        break;
    case EXPR_UNARY:
        text_add(d->out, str_of(un_op_text(e->unary.op)));
        dump_expr(d, e->unary.of);
        break;
    case EXPR_LOAD:
        text_add(d->out, STR("load "));
        dump_expr(d, e->load.of);
        break;
    default:
        text_add(d->out, str_of(expr_kind_name(e->kind)));
    }
}

/* Behind each expression: its type, and when it is known. */
static void dump_end(Dump *d, const Expr *e)
{
    dump_type(d, e->type);
    if (e->stage == EVAL_OVERRIDE)
        text_add(d->out, STR(" override"));
    text_char(d->out, ')');
}

static bool is_inner(const Expr *e)
{
    return e->kind == EXPR_BINARY && !e->value;
}

/* A chain of operators may be a million long: its left sides need no stack. */
static void dump_chain(Dump *d, const Expr *e)
{
    VEC(const Expr *) spine = {0};
    for (; is_inner(e); e = e->binary.lhs) {
        VEC_PUSH(d->out->arena, &spine, e);
        text_char(d->out, '(');
    }
    dump_expr(d, e);
    for (uint32_t i = spine.len; i-- > 0;) {
        e = spine.data[i];
        text_printf(d->out, " %s ", bin_op_text(e->binary.op));
        dump_expr(d, e->binary.rhs);
        dump_end(d, e);
    }
}

static void dump_expr(Dump *d, const Expr *e)
{
    if (is_inner(e)) {
        dump_chain(d, e);
        return;
    }
    text_char(d->out, '(');
    if (e->value)
        value_print(d->out, e->value);
    else
        dump_node(d, e);
    dump_end(d, e);
}

/* ---- statements ---- */

static void dump_decl(Dump *d, const Decl *decl);

static void dump_clause(Dump *d, const char *word, const Expr *condition, const Block *b)
{
    text_add(d->out, str_of(word));
    if (condition)
        dump_expr(d, condition);
    text_char(d->out, ' ');
    dump_block(d, b);
}

static void dump_stmt(Dump *d, const Stmt *s);

static void dump_switch(Dump *d, const Stmt *s)
{
    text_add(d->out, STR("switch "));
    dump_expr(d, s->switch_.selector);
    text_add(d->out, STR(" {"));
    d->depth++;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++) {
        const SwitchClause *clause = &s->switch_.clauses[i];
        line(d);
        text_add(d->out, STR("case "));
        for (uint32_t k = 0; k < clause->nselectors; k++) {
            if (k)
                text_add(d->out, STR(", "));
            if (clause->selectors[k])
                dump_expr(d, clause->selectors[k]);
            else
                text_add(d->out, STR("default"));
        }
        text_char(d->out, ' ');
        dump_block(d, clause->block);
    }
    d->depth--;
    line(d);
    text_char(d->out, '}');
}

static void dump_loop(Dump *d, const Stmt *s)
{
    text_add(d->out, STR("loop "));
    dump_block(d, s->loop.body);
    if (s->loop.continuing)
        dump_clause(d, " continuing", NULL, s->loop.continuing);
}

static void dump_for(Dump *d, const Stmt *s)
{
    text_add(d->out, STR("for ("));
    if (s->for_.init)
        dump_stmt(d, s->for_.init);
    else
        text_char(d->out, ';');
    text_char(d->out, ' ');
    if (s->for_.condition)
        dump_expr(d, s->for_.condition);
    text_add(d->out, STR("; "));
    if (s->for_.update)
        dump_stmt(d, s->for_.update);
    text_add(d->out, STR(") "));
    dump_block(d, s->for_.body);
}

static void dump_if(Dump *d, const Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++)
        dump_clause(d, i ? " else if " : "if ", s->if_.clauses[i].condition,
                    s->if_.clauses[i].block);
    if (s->if_.otherwise)
        dump_clause(d, " else", NULL, s->if_.otherwise);
}

static void dump_pair(Dump *d, const Expr *lhs, const char *between, const Expr *rhs)
{
    dump_expr(d, lhs);
    text_printf(d->out, " %s= ", between);
    dump_expr(d, rhs);
}

static void dump_word(Dump *d, const char *word, const Expr *e)
{
    text_add(d->out, str_of(word));
    if (!e)
        return;
    text_char(d->out, ' ');
    dump_expr(d, e);
}

/* True if it ends in a block, not in a semicolon. */
static bool dump_compound_stmt(Dump *d, const Stmt *s)
{
    switch (s->kind) {
    case STMT_BLOCK:  dump_block(d, s->block); break;
    case STMT_IF:     dump_if(d, s); break;
    case STMT_SWITCH: dump_switch(d, s); break;
    case STMT_LOOP:   dump_loop(d, s); break;
    case STMT_FOR:    dump_for(d, s); break;
    case STMT_WHILE:
        dump_clause(d, "while ", s->while_.condition, s->while_.body);
        break;
    case STMT_DECL:   dump_decl(d, s->decl); break;
    default:          return false;
    }
    return true;
}

static void dump_stmt(Dump *d, const Stmt *s)
{
    if (dump_compound_stmt(d, s))
        return;
    switch (s->kind) {
    case STMT_ASSIGN:       dump_pair(d, s->assign.lhs, "", s->assign.rhs); break;
    case STMT_COMPOUND:
        dump_pair(d, s->compound.lhs, bin_op_text(s->compound.op), s->compound.rhs);
        break;
    case STMT_INCREMENT:
        dump_expr(d, s->increment.lhs);
        text_add(d->out, s->increment.decrement ? STR("--") : STR("++"));
        break;
    case STMT_PHONY:        dump_word(d, "_ =", s->phony.rhs); break;
    case STMT_CALL:         dump_expr(d, s->call.call); break;
    case STMT_BREAK_IF:     dump_word(d, "break if", s->break_if.condition); break;
    case STMT_RETURN:       dump_word(d, "return", s->return_.value); break;
    case STMT_CONST_ASSERT: dump_word(d, "const_assert", s->const_assert.condition); break;
    default:                text_add(d->out, str_of(stmt_kind_name(s->kind)));
    }
    text_char(d->out, ';');
}

static void dump_block(Dump *d, const Block *b)
{
    text_char(d->out, '{');
    d->depth++;
    for (uint32_t i = 0; b && i < b->len; i++) {
        line(d);
        dump_stmt(d, b->stmts[i]);
    }
    d->depth--;
    line(d);
    text_char(d->out, '}');
}

/* ---- declarations ---- */

static void dump_value_decl(Dump *d, const Decl *decl, const char *word)
{
    text_add(d->out, str_of(word));
    if (decl->kind == DECL_VAR)
        text_printf(d->out, "<%s, %s>", address_space_name(decl->var.space),
                    access_name(decl->var.access));
    text_char(d->out, ' ');
    dump_name(d, decl->ident);
    dump_type(d, decl->type);
    if (decl->var.init) {
        text_add(d->out, STR(" = "));
        dump_expr(d, decl->var.init);
    }
    text_char(d->out, ';');
}

static void dump_struct(Dump *d, const Decl *decl)
{
    text_add(d->out, STR("struct "));
    dump_name(d, decl->ident);
    text_add(d->out, STR(" {"));
    for (uint32_t i = 0; i < decl->structure.nmembers; i++) {
        const Member *m = &decl->structure.members[i];
        text_printf(d->out, "\n  /* %u */ ", m->offset);
        dump_name(d, m->ident);
        dump_type(d, m->type);
        text_char(d->out, ',');
    }
    text_add(d->out, STR("\n}"));
}

static void dump_function(Dump *d, const Decl *fn)
{
    text_add(d->out, STR("fn "));
    dump_name(d, fn->ident);
    text_char(d->out, '(');
    for (uint32_t i = 0; i < fn->fn.nparams; i++) {
        if (i)
            text_add(d->out, STR(", "));
        dump_name(d, fn->fn.params[i]->ident);
        dump_type(d, fn->fn.params[i]->type);
    }
    text_add(d->out, STR(") -> "));
    if (fn->type)
        type_print(d->out, fn->type);
    text_char(d->out, ' ');
    dump_block(d, fn->fn.body);
}

static void dump_decl(Dump *d, const Decl *decl)
{
    switch (decl->kind) {
    case DECL_CONST:    dump_value_decl(d, decl, "const"); break;
    case DECL_OVERRIDE: dump_value_decl(d, decl, "override"); break;
    case DECL_LET:      dump_value_decl(d, decl, "let"); break;
    case DECL_VAR:      dump_value_decl(d, decl, "var"); break;
    case DECL_PARAM:    dump_name(d, decl->ident); break;
    case DECL_ALIAS:
        text_add(d->out, STR("alias "));
        dump_name(d, decl->ident);
        dump_type(d, decl->type);
        text_char(d->out, ';');
        break;
    case DECL_STRUCT:   dump_struct(d, decl); break;
    case DECL_FN:       dump_function(d, decl); break;
    case DECL_CONST_ASSERT:
        dump_word(d, "const_assert", decl->const_assert.condition);
        text_char(d->out, ';');
        break;
    }
}

void check_dump_module(Text *out, const Module *m)
{
    Dump d = {.out = out};
    for (uint32_t i = 0; i < m->info->ordered.len; i++) {
        dump_decl(&d, m->info->ordered.data[i]);
        text_char(out, '\n');
    }
}
