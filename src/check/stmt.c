// SPDX-License-Identifier: Apache-2.0
/*
 * stmt.c - statements: scopes, the types they need, where they may stand.
 *
 * in     a function whose header is checked
 * out    the typed body; FnInfo.locals; diagnostics
 * knows  WGSL 9 (statements) but for behaviours
 * not    behaviours (behavior.c), uniformity
 */
#include <stdlib.h>

#include "check/check_priv.h"

#define MAX_SELECTORS 16384

/*
 * What `break` and `continue` would leave: a loop or a switch. While the body of
 * a loop is checked, `level` is the number of bindings before the statement of
 * the body that is being checked, so a `continue` knows which declarations of
 * the body it skips: those that are bound at `level` or above.
 */
struct LoopScope {
    LoopScope *outer;
    bool       is_switch;
    bool       in_continuing;
    uint32_t   level;
    uint32_t   body_end;                /* bindings before the continuing block  */
    bool       continued;               /* there is a `continue` for this loop:  */
    uint32_t   skipped_from;            /* level of the first one                */
    Span       continue_span;
};

static void check_block(Checker *c, Block *b);
static void check_stmt(Checker *c, uint32_t scope, Stmt *s);

/* ---- conditions ---- */

static void check_condition(Checker *c, Expr **slot, const char *what)
{
    check_value_as(c, slot, c->types->boolean, what);
}

/* ---- assignments ---- */

/* The place that is written: its store type, or NULL after a diagnostic. */
static const Type *check_target(Checker *c, Expr **slot, Access need)
{
    const Type *t = check_expr(c, slot);
    const char *why = NULL;
    const Expr *e = *slot;
    if (t->kind == TYPE_ERROR)
        return NULL;
    if (t->kind == TYPE_POINTER)
        why = "it is a pointer: write '*' before it to store where it points";
    else if (t->kind != TYPE_REFERENCE && e->kind == EXPR_MEMBER && e->member.width > 1)
        why = "several components of a vector cannot be written at once";
    else if (t->kind != TYPE_REFERENCE)
        why = "it is a value, not a place in memory";
    else if (t->pointer.access == ACCESS_READ)
        why = "it can only be read";
    else if (t->pointer.access != need && t->pointer.access != ACCESS_READ_WRITE)
        why = "it cannot be read";
    else if (t->pointer.of->kind == TYPE_ATOMIC)
        why = "an atomic is written with atomicStore";
    else if (!type_is_constructible(t->pointer.of))
        why = "its type is not constructible";
    if (!why)
        return t->pointer.of;
    Diagnostic *d = diag_add(c->diag, DIAG_not_assignable, e->span,
                             "this cannot be written to: %s", why);
    Decl *root = e->kind == EXPR_NAME ? e->name.decl : expr_root(e);
    if (root && root->kind == DECL_VAR && root->var.space == SPACE_STORAGE)
        diag_note(c->diag, d, root->ident.span,
                  "declare it with 'var<storage, read_write>' to write to it");
    else if (root)
        diag_note(c->diag, d, root->ident.span, "'%.*s' is declared here",
                  STR_ARG(root->ident.name->text));
    return NULL;
}

static void check_assign(Checker *c, Stmt *s)
{
    const Type *to = check_target(c, &s->assign.lhs, ACCESS_WRITE);
    if (to)
        check_value_as(c, &s->assign.rhs, to, "the assigned value");
    else
        check_value(c, &s->assign.rhs);
}

static void check_compound_assign(Checker *c, Stmt *s)
{
    const Type *to = check_target(c, &s->compound.lhs, ACCESS_READ_WRITE);
    const Type *from = check_value(c, &s->compound.rhs);
    if (!to || from->kind == TYPE_ERROR)
        return;
    const Type *result = check_compound(c, s->span, s->compound.op, to, &s->compound.rhs);
    if (result->kind != TYPE_ERROR && result != to)
        diag_add(c->diag, DIAG_type_mismatch, s->span,
                 "the result of '%s' has the type '%s' and cannot be stored as '%s'",
                 bin_op_text(s->compound.op), type_string(c->arena, result),
                 type_string(c->arena, to));
}

static void check_increment(Checker *c, Stmt *s)
{
    const Type *t = check_target(c, &s->increment.lhs, ACCESS_READ_WRITE);
    if (t && !type_is_integer_scalar(t))
        diag_add(c->diag, DIAG_invalid_increment, s->increment.lhs->span,
                 "'%s' needs an i32 or u32 variable, found '%s'",
                 s->increment.decrement ? "--" : "++", type_string(c->arena, t));
}

static void check_phony(Checker *c, Stmt *s)
{
    const Type *t = check_value(c, &s->phony.rhs);
    if (t->kind == TYPE_ERROR || t->kind == TYPE_POINTER || t->kind == TYPE_TEXTURE ||
        t->kind == TYPE_SAMPLER)
        return;
    if (!type_is_constructible(t))
        diag_add(c->diag, DIAG_invalid_declared_type, s->phony.rhs->span,
                 "a value of type '%s' cannot be assigned to '_'",
                 type_string(c->arena, t));
    else if (!s->phony.rhs->value)
        check_concretize(c, &s->phony.rhs);     /* a constant may stay as large as it is */
}

/* ---- switch ---- */

typedef struct Selector {
    int64_t  value;
    uint32_t order;
    Span     span;
} Selector;

static int compare_selectors(const void *x, const void *y)
{
    const Selector *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void report_duplicates(Checker *c, Selector *list, uint32_t count)
{
    if (count)
        qsort(list, count, sizeof *list, compare_selectors);
    for (uint32_t i = 1; i < count; i++) {
        if (list[i].value != list[i - 1].value)
            continue;
        Diagnostic *d = diag_add(c->diag, DIAG_duplicate_case, list[i].span,
                                 "the value %lld is already selected by another case",
                                 (long long)list[i].value);
        diag_note(c->diag, d, list[i - 1].span, "it is here");
    }
}

/* The one type of all selectors: that of the switch, or of the first case that
 * has a concrete one. */
static const Type *selector_type(Checker *c, Stmt *s)
{
    const Type *t = check_value(c, &s->switch_.selector);
    if (t->kind != TYPE_ERROR && !type_is_integer_scalar(t)) {
        diag_add(c->diag, DIAG_invalid_selector, s->switch_.selector->span,
                 "the selector of a switch must be an i32 or u32 value, found '%s'",
                 type_string(c->arena, t));
        t = c->types->error;
    }
    bool open = t->kind == TYPE_ABSTRACT_INT;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++) {
        SwitchClause *clause = &s->switch_.clauses[i];
        for (uint32_t k = 0; k < clause->nselectors; k++) {
            if (!clause->selectors[k])
                continue;
            const Type *u = check_value(c, &clause->selectors[k]);
            if (open && (u->kind == TYPE_I32 || u->kind == TYPE_U32)) {
                t = u;
                open = false;
            }
        }
    }
    if (open)
        t = c->types->i32;
    check_convert(c, &s->switch_.selector, t);
    return t;
}

static void check_selector(Checker *c, Expr **slot, const Type *type, Selector *list,
                           uint32_t *count)
{
    const char *what = "a case selector";
    const Type *from = (*slot)->type;
    if (from->kind == TYPE_ERROR || type->kind == TYPE_ERROR)
        return;
    if (!check_convert(c, slot, type)) {
        diag_add(c->diag, DIAG_type_mismatch, (*slot)->span,
                 "%s must have the type '%s' here, found '%s'", what,
                 type_string(c->arena, type), type_string(c->arena, from));
        return;
    }
    if (!check_is_const(c, *slot, what) || !(*slot)->value)
        return;
    list[*count] = (Selector){(*slot)->value->integer, *count, (*slot)->span};
    ++*count;
}

static void check_default(Checker *c, const SwitchClause *clause, Span *first, bool *seen)
{
    if (*seen) {
        Diagnostic *d = diag_add(c->diag, DIAG_duplicate_default, clause->span,
                                 "the switch already has a default");
        diag_note(c->diag, d, *first, "it is here");
    }
    *seen = true;
    *first = clause->span;
}

/* Selectors and defaults of all clauses; the blocks are not looked at. */
static void check_cases(Checker *c, Stmt *s)
{
    const Type *type = selector_type(c, s);
    uint64_t total = 0;
    uint32_t count = 0;
    bool has_default = false;
    Span first = {0};
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        total += s->switch_.clauses[i].nselectors;
    if (total > MAX_SELECTORS)
        diag_add(c->diag, DIAG_limit_exceeded, s->switch_.selector->span,
                 "the switch has %llu case selectors, the limit is %d",
                 (unsigned long long)total, MAX_SELECTORS);
    Selector *list = ARENA_ARRAY(c->arena, Selector, total);
    for (uint32_t i = 0; i < s->switch_.nclauses; i++) {
        SwitchClause *clause = &s->switch_.clauses[i];
        for (uint32_t k = 0; k < clause->nselectors; k++) {
            if (clause->selectors[k])
                check_selector(c, &clause->selectors[k], type, list, &count);
            else
                check_default(c, clause, &first, &has_default);
        }
    }
    report_duplicates(c, list, count);
    if (!has_default)
        diag_add(c->diag, DIAG_missing_default, s->span, "the switch has no default clause");
}

static void check_switch(Checker *c, Stmt *s)
{
    attr_check_place(c, s->switch_.body_attrs, PLACE_BLOCK);
    feature_filters(c, c->module_filters, s->switch_.body_attrs);
    check_cases(c, s);
    LoopScope scope = {.outer = c->loop, .is_switch = true};
    c->loop = &scope;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        check_block(c, s->switch_.clauses[i].block);
    c->loop = scope.outer;
}

/* ---- loops ---- */

static void check_block_attrs(Checker *c, const Block *b)
{
    attr_check_place(c, b->attrs, PLACE_BLOCK);
    feature_filters(c, c->module_filters, b->attrs);
}

/* The statements of a loop's body, in the scope that began at `scope`. */
static void check_loop_body(Checker *c, uint32_t scope, Block *body)
{
    LoopScope *loop = c->loop;
    if (!body)
        return;
    check_block_attrs(c, body);
    for (uint32_t i = 0; i < body->len; i++) {
        loop->level = c->bindings.len;
        check_stmt(c, scope, body->stmts[i]);
    }
    loop->body_end = c->bindings.len;
}

static void check_loop(Checker *c, Stmt *s)
{
    LoopScope loop = {.outer = c->loop};
    uint32_t scope = scope_enter(c);
    c->loop = &loop;
    check_loop_body(c, scope, s->loop.body);
    loop.in_continuing = true;
    if (s->loop.continuing)
        check_block(c, s->loop.continuing);
    c->loop = loop.outer;
    scope_leave(c, scope);
}

static void check_for(Checker *c, Stmt *s)
{
    LoopScope loop = {.outer = c->loop};
    uint32_t scope = scope_enter(c);
    if (s->for_.init)
        check_stmt(c, scope, s->for_.init);
    if (s->for_.condition)
        check_condition(c, &s->for_.condition, "the condition of a for loop");
    if (s->for_.update)
        check_stmt(c, scope, s->for_.update);
    c->loop = &loop;
    /* The initializer has a scope of its own around the body, which may declare its
     * name again. */
    uint32_t body = scope_enter(c);
    check_loop_body(c, body, s->for_.body);
    scope_leave(c, body);
    c->loop = loop.outer;
    scope_leave(c, scope);
}

static void check_while(Checker *c, Stmt *s)
{
    LoopScope loop = {.outer = c->loop};
    uint32_t scope = scope_enter(c);
    check_condition(c, &s->while_.condition, "the condition of a while loop");
    c->loop = &loop;
    check_loop_body(c, scope, s->while_.body);
    c->loop = loop.outer;
    scope_leave(c, scope);
}

static void check_break(Checker *c, const Stmt *s)
{
    if (!c->loop)
        diag_add(c->diag, DIAG_misplaced_break, s->span,
                 "'break' must be inside a loop or a switch");
    else if (c->loop->in_continuing)
        diag_add(c->diag, DIAG_misplaced_break, s->span,
                 "'break' cannot leave a continuing block; end it with 'break if'");
}

static void check_continue(Checker *c, const Stmt *s)
{
    LoopScope *loop = c->loop;
    while (loop && loop->is_switch)
        loop = loop->outer;
    if (!loop) {
        diag_add(c->diag, DIAG_misplaced_continue, s->span, "'continue' must be inside a loop");
    } else if (loop->in_continuing) {
        diag_add(c->diag, DIAG_misplaced_continue, s->span,
                 "'continue' cannot be used in the continuing block of its own loop");
    } else if (!loop->continued) {
        loop->continued = true;
        loop->skipped_from = loop->level;
        loop->continue_span = s->span;
    }
}

void check_continue_past(Checker *c, Ident use, const Decl *decl)
{
    for (const LoopScope *loop = c->loop; loop; loop = loop->outer) {
        if (!loop->in_continuing || !loop->continued ||
            decl->bound_at < loop->skipped_from || decl->bound_at >= loop->body_end)
            continue;
        Diagnostic *d = diag_add(c->diag, DIAG_continue_past_declaration,
                                 loop->continue_span,
                                 "this 'continue' skips the declaration of '%.*s', which the "
                                 "continuing block uses", STR_ARG(use.name->text));
        diag_note(c->diag, d, decl->ident.span, "it is declared here");
        diag_note(c->diag, d, use.span, "it is used here");
    }
}

static void check_return(Checker *c, Stmt *s)
{
    for (const LoopScope *loop = c->loop; loop; loop = loop->outer) {
        if (!loop->in_continuing)
            continue;
        diag_add(c->diag, DIAG_return_in_continuing, s->span,
                 "'return' cannot be used in a continuing block");
        break;
    }
    const Type *result = c->function->type;
    if (s->return_.value && result->kind == TYPE_VOID) {
        check_value(c, &s->return_.value);
        diag_add(c->diag, DIAG_type_mismatch, s->return_.value->span,
                 "the function '%.*s' returns nothing",
                 STR_ARG(c->function->ident.name->text));
    } else if (s->return_.value) {
        check_value_as(c, &s->return_.value, result, "the returned value");
    } else if (result->kind != TYPE_VOID && result->kind != TYPE_ERROR) {
        diag_add(c->diag, DIAG_type_mismatch, s->span,
                 "the function '%.*s' must return a value of type '%s'",
                 STR_ARG(c->function->ident.name->text), type_string(c->arena, result));
    }
}

/* ---- statements ---- */

static void check_if(Checker *c, Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++) {
        check_condition(c, &s->if_.clauses[i].condition, "the condition of an if");
        check_block(c, s->if_.clauses[i].block);
    }
    if (s->if_.otherwise)
        check_block(c, s->if_.otherwise);
}

static void check_stmt(Checker *c, uint32_t scope, Stmt *s)
{
    attr_check_place(c, s->attrs, PLACE_STATEMENT);
    feature_filters(c, c->module_filters, s->attrs);
    switch (s->kind) {
    case STMT_BLOCK:        check_block(c, s->block); break;
    case STMT_DECL:         check_local(c, scope, s->decl); break;
    case STMT_ASSIGN:       check_assign(c, s); break;
    case STMT_COMPOUND:     check_compound_assign(c, s); break;
    case STMT_INCREMENT:    check_increment(c, s); break;
    case STMT_PHONY:        check_phony(c, s); break;
    case STMT_CALL:         check_call(c, &s->call.call, true); break;
    case STMT_IF:           check_if(c, s); break;
    case STMT_SWITCH:       check_switch(c, s); break;
    case STMT_LOOP:         check_loop(c, s); break;
    case STMT_FOR:          check_for(c, s); break;
    case STMT_WHILE:        check_while(c, s); break;
    case STMT_BREAK:        check_break(c, s); break;
    case STMT_BREAK_IF:
        check_condition(c, &s->break_if.condition, "the condition of 'break if'");
        break;
    case STMT_CONTINUE:     check_continue(c, s); break;
    case STMT_RETURN:       check_return(c, s); break;
    case STMT_DISCARD:
        usage_stages(c, s->span, 1u << STAGE_FRAGMENT, "'discard'");
        break;
    case STMT_CONST_ASSERT: check_assertion(c, &s->const_assert.condition); break;
    case STMT_ERROR:
    case STMT_KIND_COUNT:
        break;
    }
}

static void check_block(Checker *c, Block *b)
{
    if (!b)
        return;                         /* none, or a syntax error */
    uint32_t scope = scope_enter(c);
    check_block_attrs(c, b);
    for (uint32_t i = 0; i < b->len; i++)
        check_stmt(c, scope, b->stmts[i]);
    scope_leave(c, scope);
}

void check_function(Checker *c, Decl *fn)
{
    uint32_t scope = scope_enter(c);
    c->function = fn;
    c->fn = fn->fn.info;
    c->local_bytes = 0;
    for (uint32_t i = 0; i < fn->fn.nparams; i++) {
        Decl *d = fn->fn.params[i];
        d->index = c->fn->locals.len;
        VEC_PUSH(c->arena, &c->fn->locals, d);
        scope_declare(c, scope, d);
    }
    if (fn->fn.body) {
        check_block_attrs(c, fn->fn.body);
        for (uint32_t i = 0; i < fn->fn.body->len; i++)
            check_stmt(c, scope, fn->fn.body->stmts[i]);
    }
    scope_leave(c, scope);
    usage_overrides(c, fn);
    c->function = NULL;
    c->fn = NULL;
}
