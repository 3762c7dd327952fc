// SPDX-License-Identifier: Apache-2.0
/*
 * binding_size.c - the least bytes that a buffer binding must have.
 *
 * in     store types; the views of buffers without a size that functions make
 * out    FnInfo.min_sizes of entry points
 * knows  WebGPU's "minimum buffer binding size", WGSL 17.14 (buffer views)
 * not    whether views fit (builtin_rule.c, view.c)
 */
#include "check/call_priv.h"

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

uint64_t type_min_binding_size(const Type *t)
{
    if (t->kind == TYPE_ARRAY && t->array.count_kind == COUNT_RUNTIME)
        return t->array.stride;
    if (t->kind == TYPE_BUFFER)
        return t->array.count_kind == COUNT_FIXED ? t->array.count : 0;
    if (t->kind == TYPE_STRUCT && type_contains_runtime_array(t)) {
        const Decl   *decl = t->structure.decl;
        const Member *last = &decl->structure.members[decl->structure.nmembers - 1];
        return round_up(last->offset + type_min_binding_size(last->type), t->align);
    }
    return t->size;
}

/* ---- buffers without a size: the largest type they are viewed as ---- */

/* What is viewed, at offset 0, of the buffers of one entry point. */
typedef struct Views {
    Checker   *c;
    uint64_t **params;                  /* [ordered][parameter]                  */
    uint64_t  *vars;                    /* [ordered]                             */
} Views;

static bool is_unsized(const Type *t)
{
    return t->kind == TYPE_BUFFER && t->array.count_kind == COUNT_RUNTIME;
}

static bool has_unsized(const FnInfo *entry)
{
    for (uint32_t i = 0; i < entry->globals.len; i++)
        if (entry->globals.data[i]->kind == DECL_VAR && is_unsized(entry->globals.data[i]->type))
            return true;
    return false;
}

/* The variable or parameter of `fn` that the pointer comes from needs `bytes`. */
static void need(Views *v, const Decl *fn, const Expr *pointer, uint64_t bytes)
{
    const Decl *root = pointer->type->kind == TYPE_POINTER ? expr_root(pointer) : NULL;
    if (!root)
        return;
    uint64_t *at = root->kind == DECL_PARAM
        ? &v->params[fn->index][root->var.param_index] : &v->vars[root->index];
    *at = MAX_OF(*at, bytes);
}

static void view_function(Views *v, const Decl *fn)
{
    const FnInfo *info = fn->fn.info;
    v->params[fn->index] = ARENA_ARRAY(v->c->arena, uint64_t, fn->fn.nparams);
    for (uint32_t i = 0; i < info->views.len; i++) {
        const Value *const unknown[3] = {0};
        const Expr *view = info->views.data[i];
        need(v, fn, view->call.args[0], builtin_view_end(view, unknown));
    }
    for (uint32_t i = 0; i < info->calls.len; i++) {
        const Expr *call = info->calls.data[i].call;
        const uint64_t *callee = v->params[info->calls.data[i].callee->index];
        for (uint32_t k = 0; k < call->call.nargs; k++)
            need(v, fn, call->call.args[k], callee[k]);
    }
}

static const uint64_t *find_views(Checker *c, const FnInfo *entry)
{
    Views v = {
        .c = c,
        .params = ARENA_ARRAY(c->arena, uint64_t *, c->info->ordered.len),
        .vars = ARENA_ARRAY(c->arena, uint64_t, c->info->ordered.len),
    };
    for (uint32_t i = 0; i < entry->reached.len; i++)
        view_function(&v, entry->reached.data[i]);
    return v.vars;
}

void binding_sizes(Checker *c, Decl *entry)
{
    FnInfo         *info = entry->fn.info;
    const uint64_t *viewed = has_unsized(info) ? find_views(c, info) : NULL;
    info->min_sizes = ARENA_ARRAY(c->arena, uint64_t, info->globals.len);
    for (uint32_t i = 0; i < info->globals.len; i++) {
        const Decl *d = info->globals.data[i];
        if (d->kind != DECL_VAR || !d->var.has_binding || d->var.space == SPACE_HANDLE)
            continue;
        info->min_sizes[i] = is_unsized(d->type) ? viewed[d->index]
                                                 : type_min_binding_size(d->type);
    }
}
