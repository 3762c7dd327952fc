// SPDX-License-Identifier: Apache-2.0
/*
 * alias.c - no function is given two ways to the same memory and writes through
 * one of them.
 *
 * in     typed functions, callees first, with their calls
 * out    diagnostics aliased_pointer
 * knows  WGSL 11.4.1 (alias analysis)
 * not    what happens at run time; the rule is about names
 */
#include <stdlib.h>

#include "check/useset_priv.h"
#include "check/walk_priv.h"

enum { ACCESS_IS_READ = 1, ACCESS_IS_WRITTEN = 2 };

/* What a function does to the memory it is given. */
struct AliasInfo {
    uint8_t *params;                    /* [nparams] ACCESS_IS_* bits            */
    UseSet  *read, *written;            /* module-scope variables, callees' too  */
};

struct AliasState {
    UseSets *sets;
    bool     globals_matter;            /* AliasInfo.read and written are needed */
};

/* The function being looked at. */
typedef struct Alias {
    Checker   *c;
    Decl      *fn;
    AliasInfo *info;
    VEC(Decl *) read, written;
} Alias;

static void note_access(Alias *a, Decl *root, uint32_t bits)
{
    if (!root || !bits)
        return;
    if (root->kind == DECL_PARAM) {
        a->info->params[root->var.param_index] |= (uint8_t)bits;
        return;
    }
    if (root->kind != DECL_VAR || !root->is_global)
        return;
    if (bits & ACCESS_IS_READ)
        VEC_PUSH(a->c->arena, &a->read, root);
    if (bits & ACCESS_IS_WRITTEN)
        VEC_PUSH(a->c->arena, &a->written, root);
}

/* ---- what a body does ---- */

static uint32_t builtin_access(BuiltinId id)
{
    switch (id) {
    case BUILTIN_atomicLoad:
    case BUILTIN_workgroupUniformLoad:
        return ACCESS_IS_READ;
    case BUILTIN_atomicStore:
        return ACCESS_IS_WRITTEN;
    default:
        return builtin_flags(id) & BUILTIN_ATOMIC ? ACCESS_IS_READ | ACCESS_IS_WRITTEN : 0;
    }
}

static bool enter_expr(void *context, Expr *e)
{
    Alias *a = context;
    if (e->type->kind == TYPE_ERROR || e->value)
        return false;
    if (e->kind == EXPR_LOAD)
        note_access(a, expr_root(e), ACCESS_IS_READ);
    else if (e->kind == EXPR_CALL && e->call.kind == CALL_BUILTIN && e->call.nargs)
        note_access(a, expr_root(e->call.args[0]),
                    builtin_access((BuiltinId)e->call.builtin));
    return true;
}

static void visit_expr(void *context, Expr *e)
{
    walk_expr(e, enter_expr, context);
}

static void visit_stmt(void *context, Stmt *s)
{
    Alias *a = context;
    if (s->kind == STMT_ASSIGN)
        note_access(a, expr_root(s->assign.lhs), ACCESS_IS_WRITTEN);
    else if (s->kind == STMT_COMPOUND)
        note_access(a, expr_root(s->compound.lhs), ACCESS_IS_READ | ACCESS_IS_WRITTEN);
    else if (s->kind == STMT_INCREMENT)
        note_access(a, expr_root(s->increment.lhs), ACCESS_IS_READ | ACCESS_IS_WRITTEN);
    walk_stmt_exprs(s, visit_expr, context);
}

/* ---- calls ---- */

typedef struct PointerArg {
    Decl    *root;
    uint32_t arg;
    uint32_t bits;                      /* what the callee does through it       */
} PointerArg;

static int by_root(const void *x, const void *y)
{
    const PointerArg *a = x, *b = y;
    uintptr_t p = (uintptr_t)a->root, q = (uintptr_t)b->root;
    if (p != q)
        return p < q ? -1 : 1;
    return a->arg < b->arg ? -1 : a->arg > b->arg;
}

static void report_pair(Checker *c, const Expr *call, const PointerArg *first,
                        const PointerArg *second)
{
    Diagnostic *d = diag_add(c->diag, DIAG_aliased_pointer,
                             call->call.args[second->arg]->span,
                             "this argument and another one point into '%.*s', and the "
                             "function '%.*s' writes through one of them",
                             STR_ARG(first->root->ident.name->text),
                             STR_ARG(call->call.function->ident.name->text));
    diag_note(c->diag, d, call->call.args[first->arg]->span, "the other argument is here");
}

/* Arguments with one root that are both used, one of them to write: `list` is
 * sorted and holds those that are used. */
static void check_pairs(Checker *c, const Expr *call, const PointerArg *list, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + 1, bits = list[i].bits;
        for (; end < n && list[end].root == list[i].root; end++)
            bits |= list[end].bits;
        if (end - i > 1 && bits & ACCESS_IS_WRITTEN)
            report_pair(c, call, &list[i], &list[i + 1]);
        i = end;
    }
}

static void check_global_arg(Checker *c, const Expr *call, const PointerArg *arg,
                             const AliasInfo *callee)
{
    const char *how = NULL;
    if (!arg->root->is_global)
        return;
    if (arg->bits & ACCESS_IS_WRITTEN && useset_has(callee->read, arg->root))
        how = "writes through this pointer and also reads";
    else if (arg->bits & ACCESS_IS_WRITTEN && useset_has(callee->written, arg->root))
        how = "writes through this pointer and also writes";
    else if (arg->bits & ACCESS_IS_READ && useset_has(callee->written, arg->root))
        how = "reads through this pointer and also writes";
    if (!how)
        return;
    Diagnostic *d = diag_add(c->diag, DIAG_aliased_pointer,
                             call->call.args[arg->arg]->span,
                             "the function '%.*s' %s the variable '%.*s' it points into",
                             STR_ARG(call->call.function->ident.name->text), how,
                             STR_ARG(arg->root->ident.name->text));
    diag_note(c->diag, d, arg->root->ident.span, "the variable is declared here");
}

static void check_call_site(Alias *a, const Expr *call)
{
    Checker *c = a->c;
    const AliasInfo *callee = call->call.function->fn.info->alias;
    uint32_t n = 0;
    if (!callee)
        return;                         /* recursive: reported */
    uint32_t nargs = MIN_OF(call->call.nargs, call->call.function->fn.nparams);
    PointerArg list[256];
    for (uint32_t i = 0; i < nargs && n < COUNTOF(list); i++) {
        const Expr *arg = call->call.args[i];
        Decl *root = arg->type->kind == TYPE_POINTER ? expr_root(arg) : NULL;
        if (!root || !callee->params[i])
            continue;
        list[n++] = (PointerArg){root, i, callee->params[i]};
        note_access(a, root, callee->params[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        check_global_arg(c, call, &list[i], callee);
    if (n > 1) {
        qsort(list, n, sizeof *list, by_root);
        check_pairs(c, call, list, n);
    }
}

/* ---- a function ---- */

static UseSet *unite(Alias *a, bool written)
{
    UseSets *u = a->c->alias->sets;
    const FnInfo *info = a->fn->fn.info;
    Decl **own = written ? a->written.data : a->read.data;
    uint32_t n = written ? a->written.len : a->read.len;
    useset_begin(u);
    for (uint32_t i = 0; i < n; i++)
        useset_add(u, own[i]);
    for (uint32_t i = 0; i < info->calls.len; i++) {
        const AliasInfo *callee = info->calls.data[i].callee->fn.info->alias;
        if (callee)
            useset_add_all(u, written ? callee->written : callee->read);
    }
    return useset_end(u);
}

/* Does a call of `fn` pass a pointer into a module-scope variable?  Only then
 * does it matter who reads and writes those. */
static bool passes_global(const Decl *fn)
{
    const FnInfo *info = fn->fn.info;
    for (uint32_t i = 0; i < info->calls.len; i++) {
        const Expr *call = info->calls.data[i].call;
        for (uint32_t k = 0; k < call->call.nargs; k++) {
            const Expr *arg = call->call.args[k];
            const Decl *root = arg->type->kind == TYPE_POINTER ? expr_root(arg) : NULL;
            if (root && root->is_global)
                return true;
        }
    }
    return false;
}

static void alias_begin(Checker *c)
{
    c->alias = ARENA_NEW(c->arena, AliasState);
    c->alias->sets = ARENA_NEW(c->arena, UseSets);
    useset_init(c->alias->sets, c);
    for (uint32_t i = 0; i < c->info->functions.len && !c->alias->globals_matter; i++)
        c->alias->globals_matter = passes_global(c->info->functions.data[i]);
}

void alias_function(Checker *c, Decl *fn)
{
    Alias a = {.c = c, .fn = fn, .info = ARENA_NEW(c->arena, AliasInfo)};
    if (!c->alias)
        alias_begin(c);
    a.info->params = ARENA_ARRAY(c->arena, uint8_t, fn->fn.nparams);
    walk_stmts(fn->fn.body, visit_stmt, &a);
    for (uint32_t i = 0; i < fn->fn.info->calls.len; i++)
        check_call_site(&a, fn->fn.info->calls.data[i].call);
    if (c->alias->globals_matter) {
        a.info->read = unite(&a, false);
        a.info->written = unite(&a, true);
    }
    fn->fn.info->alias = a.info;
}
