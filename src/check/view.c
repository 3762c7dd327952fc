// SPDX-License-Identifier: Apache-2.0
/*
 * view.c - views of buffers through parameters that do not say a size.
 *
 * in     typed functions, callees before callers; what is known of values now
 * out    a diagnostic where a buffer is passed that is too small for a view that
 *        is made of it further down
 * knows  WGSL 17.14 (buffer views): the size of a view's buffer is that of the
 *        variable it comes from
 * not    views of buffers whose own type has a size (builtin_rule.c)
 *
 * A parameter keeps only the view that needs most, so a call costs no more than
 * its arguments.
 */
#include "check/call_priv.h"

typedef struct Views {
    const ViewPass *pass;
    ViewEnd       **needs;              /* [ordered][parameter]; NULL: no function yet */
} Views;

/* Does the pointer lead to a buffer whose type does not say its size? */
static bool is_unsized(const Type *t)
{
    return t->kind == TYPE_POINTER && t->pointer.of->kind == TYPE_BUFFER
        && t->pointer.of->array.count_kind == COUNT_RUNTIME;
}

/* The view ends that a pointer's parameter collects; NULL: it is no parameter of
 * unknown size. */
static ViewEnd *collector(ViewEnd *needs, const Expr *pointer)
{
    const Decl *root = is_unsized(pointer->type) ? expr_root(pointer) : NULL;
    return root && root->kind == DECL_PARAM ? &needs[root->var.param_index] : NULL;
}

static void collect(ViewEnd *into, ViewEnd end)
{
    if (into && end.bytes > into->bytes)
        *into = end;
}

static void collect_view(Views *v, ViewEnd *needs, const Expr *view)
{
    const Value *values[3] = {0};
    for (uint32_t i = 1; i < view->call.nargs; i++)
        values[i] = v->pass->value(v->pass->context, view->call.args[i]);
    collect(collector(needs, view->call.args[0]),
            (ViewEnd){builtin_view_end(view, values), view});
}

/* An argument whose parameter is viewed: it must be large enough, or the caller's
 * own parameter must be. */
static void check_argument(Views *v, ViewEnd *needs, const Expr *arg, ViewEnd end)
{
    if (end.bytes == 0 || arg->type->kind != TYPE_POINTER)
        return;
    uint64_t bytes = v->pass->bytes(v->pass->context, arg->type->pointer.of);
    collect(collector(needs, arg), end);
    if (bytes == 0 || end.bytes <= bytes)
        return;
    Diagnostic *d = diag_add(v->pass->diag, DIAG_buffer_view, arg->span,
                             "the buffer has %llu bytes, but is viewed up to byte %llu",
                             (unsigned long long)bytes, (unsigned long long)end.bytes);
    diag_note(v->pass->diag, d, end.view->span, "this is the view");
}

static void view_function(Views *v, const Decl *fn)
{
    const FnInfo *info = fn->fn.info;
    ViewEnd *needs = ARENA_ARRAY(v->pass->arena, ViewEnd, fn->fn.nparams);
    v->needs[fn->index] = needs;
    for (uint32_t i = 0; i < info->views.len; i++)
        collect_view(v, needs, info->views.data[i]);
    for (uint32_t i = 0; i < info->calls.len; i++) {
        const Expr *call = info->calls.data[i].call;
        const ViewEnd *callee = v->needs[info->calls.data[i].callee->index];
        for (uint32_t k = 0; callee && k < call->call.nargs; k++)
            check_argument(v, needs, call->call.args[k], callee[k]);
    }
}

void view_functions(const ViewPass *pass, Decl *const *functions, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= functions[i]->fn.info->views.len > 0;
    if (!any)
        return;
    Views v = {pass, ARENA_ARRAY(pass->arena, ViewEnd *, pass->info->ordered.len)};
    for (uint32_t i = 0; i < count; i++)
        view_function(&v, functions[i]);
}

/* ---- when the module is made ---- */

static const Value *const_value(void *context, const Expr *e)
{
    (void)context;
    return e->value;
}

static uint64_t const_bytes(void *context, const Type *buffer)
{
    (void)context;
    return buffer->kind == TYPE_BUFFER && buffer->array.count_kind == COUNT_FIXED
        ? buffer->array.count : 0;
}

void view_module(Checker *c)
{
    ViewPass pass = {
        .arena = c->arena, .info = c->info, .diag = c->diag,
        .value = const_value, .bytes = const_bytes,
    };
    view_functions(&pass, c->info->functions.data, c->info->functions.len);
}
