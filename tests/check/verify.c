// SPDX-License-Identifier: Apache-2.0
/*
 * verify.c - is a checked module what module.h and ast.h say it is?
 *
 * in     a module that check_module() accepted
 * out    the first promise of the headers that it breaks
 */
#include "verify.h"

#include "check/walk_priv.h"

typedef struct Verify {
    const char *fault;
    const Decl *fn;
} Verify;

static void fail(Verify *v, const char *fault)
{
    if (!v->fault)
        v->fault = fault;
}

static bool is_reference(const Expr *e)
{
    return e->type && e->type->kind == TYPE_REFERENCE;
}

static void verify_operands(Verify *v, const Expr *e)
{
    switch (e->kind) {
    case EXPR_BINARY:
        if (is_reference(e->binary.lhs) || is_reference(e->binary.rhs))
            fail(v, "an operand was not loaded");
        break;
    case EXPR_CALL:
        if (e->call.kind == CALL_UNRESOLVED)
            fail(v, "a call is not resolved");
        if ((e->call.kind == CALL_FUNCTION) != (e->call.function != NULL))
            fail(v, "a call has the wrong function");
        for (uint32_t i = 0; i < e->call.nargs; i++)
            if (is_reference(e->call.args[i]))
                fail(v, "an argument was not loaded");
        break;
    case EXPR_INDEX:
        if (is_reference(e->index.at))
            fail(v, "an index was not loaded");
        break;
    case EXPR_LOAD:
        if (!is_reference(e->load.of) || e->load.of->type->pointer.of != e->type)
            fail(v, "a load of something that is no memory");
        break;
    case EXPR_NAME:
        if (!e->name.decl)
            fail(v, "a name is not resolved");
        break;
    case EXPR_UNARY:
        if (e->unary.op != UNOP_ADDRESS && is_reference(e->unary.of))
            fail(v, "an operand was not loaded");
        break;
    default:
        break;
    }
}

static bool verify_expr(void *context, Expr *e)
{
    Verify *v = context;
    if (v->fault)
        return false;
    if (!e->type) {
        fail(v, "an expression has no type");
        return false;
    }
    if (e->type->kind == TYPE_ERROR)
        fail(v, "an expression has the error type");
    if (e->stage == EVAL_CONST && !e->value)
        fail(v, "a constant has no value");
    if (e->value && e->value->type != e->type)
        fail(v, "a value has another type than its expression");
    if (e->stage != EVAL_CONST && type_is_abstract(e->type))
        fail(v, "an expression that is not constant has an abstract type");
    if (e->value)
        return false;
    verify_operands(v, e);
    return true;
}

static void verify_top(void *context, Expr *e)
{
    Verify *v = context;
    walk_expr(e, verify_expr, context);
    if (!v->fault && e->stage == EVAL_CONST && type_is_abstract(e->type))
        fail(v, "a whole expression is abstract");
}

static void verify_stmt(void *context, Stmt *s)
{
    Verify *v = context;
    if (s->behavior == 0)
        fail(v, "a statement has no behaviour");
    if (s->kind == STMT_DECL) {
        const Decl *d = s->decl;
        if (!d->type || d->type->kind == TYPE_ERROR)
            fail(v, "a declaration has no type");
        else if (d->kind != DECL_CONST &&
                 (d->index >= v->fn->fn.info->locals.len ||
                  v->fn->fn.info->locals.data[d->index] != d))
            fail(v, "a local has the wrong number");
        if (d->kind == DECL_CONST)
            return;                     /* may be abstract */
    }
    if (s->kind == STMT_PHONY && s->phony.rhs->value)
        return;                         /* may be abstract */
    walk_stmt_exprs(s, verify_top, context);
}

static void verify_function(Verify *v, const Decl *fn)
{
    const FnInfo *info = fn->fn.info;
    v->fn = fn;
    if (!info || !info->result_io) {
        fail(v, "a function has no info");
        return;
    }
    for (uint32_t i = 0; i < fn->fn.nparams; i++)
        if (!fn->fn.params[i]->type || !fn->fn.params[i]->var.io)
            fail(v, "a parameter is not complete");
    for (uint32_t i = 0; i < info->calls.len; i++)
        if (info->calls.data[i].callee->index >= fn->index)
            fail(v, "a caller comes before its callee");
    walk_stmts(fn->fn.body, verify_stmt, v);
}

static void verify_decl(Verify *v, const Decl *d, uint32_t place)
{
    if (d->index != place)
        fail(v, "a declaration has the wrong place");
    if (d->kind == DECL_CONST_ASSERT)
        return;
    if (!d->type || d->type->kind == TYPE_ERROR)
        fail(v, "a declaration has no type");
    else if (d->kind == DECL_FN)
        verify_function(v, d);
    else if (d->kind == DECL_CONST && !d->var.value)
        fail(v, "a constant has no value");
    else if ((d->kind == DECL_VAR || d->kind == DECL_OVERRIDE) && d->var.init)
        verify_top(v, d->var.init);
}

const char *verify_module(const Module *m)
{
    Verify v = {0};
    if (m->info->ordered.len != m->decls.len)
        return "not every declaration is in the list";
    for (uint32_t i = 0; i < m->info->ordered.len; i++)
        verify_decl(&v, m->info->ordered.data[i], i);
    return v.fault;
}
