// SPDX-License-Identifier: Apache-2.0
/*
 * usage.c - what functions use, and from which stages they are called.
 *
 * in     typed functions with their calls; who mentions whom (order.c)
 * out    ModuleInfo.entry_points; FnInfo.globals, override_exprs, override_uses,
 *        stages_called_from; uses in the wrong stage reported
 * knows  WGSL 8.1.2 (override-expressions), 13.2 (functions in a shader stage)
 * not    inputs, outputs and bindings of entry points (interface.c)
 */
#include "check/useset_priv.h"
#include "check/walk_priv.h"

#define MAX_PRIVATE_BYTES (1u << 20)    /* private variables of one entry point  */

static const char *const stage_names[] = {
    [STAGE_NONE] = "no",
    [STAGE_VERTEX] = "vertex",
    [STAGE_FRAGMENT] = "fragment",
    [STAGE_COMPUTE] = "compute",
};

/* ---- module-scope variables and overrides ---- */

/* The variables and overrides that a declaration uses, it among them. */
static UseSet *used_by(UseSets *u, UseSet *const *sets, Decl *d)
{
    Checker *c = u->c;
    MentionRange r = c->mentioned[d->index];
    useset_begin(u);
    if (d->kind == DECL_VAR || d->kind == DECL_OVERRIDE)
        useset_add(u, d);
    for (uint32_t i = r.start; i < r.end; i++)
        useset_add_all(u, sets[c->mentions.data[i].decl->index]);
    return useset_end(u);
}

static void close_globals(Checker *c)
{
    UseSets u;
    uint32_t n = c->info->ordered.len;
    UseSet **sets = ARENA_ARRAY(c->arena, UseSet *, n);
    useset_init(&u, c);
    for (uint32_t i = 0; i < n; i++) {
        Decl *d = c->info->ordered.data[i];
        sets[i] = used_by(&u, sets, d);
        if (d->kind == DECL_FN && sets[i]) {
            d->fn.info->globals.data = sets[i]->data;
            d->fn.info->globals.len = d->fn.info->globals.cap = sets[i]->len;
        }
    }
}

static void check_private_bytes(Checker *c, const Decl *entry)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < entry->fn.info->globals.len; i++) {
        const Decl *d = entry->fn.info->globals.data[i];
        if (d->kind == DECL_VAR && d->var.space == SPACE_PRIVATE)
            bytes += MIN_OF(d->type->size, (uint64_t)MAX_PRIVATE_BYTES + 1);
    }
    if (bytes > MAX_PRIVATE_BYTES)
        diag_add(c->diag, DIAG_limit_exceeded, entry->ident.span,
                 "the private variables used by '%.*s' are larger than the limit of %u bytes",
                 STR_ARG(entry->ident.name->text), MAX_PRIVATE_BYTES);
}

/* ---- stages ---- */

void usage_stages(Checker *c, Span span, uint32_t stages, const char *what)
{
    if (!c->fn)
        return;
    StageUse use = {.span = span, .what = what, .stages = stages};
    VEC_PUSH(c->arena, &c->fn->stage_uses, use);
}

/* Who calls a function for each stage; an entry point calls itself. */
typedef struct Callers {
    Decl *by[STAGE_COMPUTE + 1];
} Callers;

static void note_callers(const Callers *callers, Checker *c, Diagnostic *on,
                         const Decl *fn, Stage stage)
{
    for (int i = 0; i < 8; i++) {
        const Decl *caller = callers[fn->index].by[stage];
        if (caller == fn) {
            diag_note(c->diag, on, fn->ident.span, "'%.*s' is a %s entry point",
                      STR_ARG(fn->ident.name->text), stage_names[stage]);
            return;
        }
        diag_note(c->diag, on, caller->ident.span, "'%.*s' is called from '%.*s'",
                  STR_ARG(fn->ident.name->text), STR_ARG(caller->ident.name->text));
        fn = caller;
    }
}

static void report_stages(Checker *c, const Callers *callers, const Decl *fn)
{
    const FnInfo *info = fn->fn.info;
    for (uint32_t i = 0; i < info->stage_uses.len; i++) {
        const StageUse *use = &info->stage_uses.data[i];
        for (int stage = STAGE_VERTEX; stage <= STAGE_COMPUTE; stage++) {
            if (!(info->stages_called_from >> stage & 1) || use->stages >> stage & 1)
                continue;
            Diagnostic *d = diag_add(c->diag, DIAG_wrong_stage, use->span,
                                     "%s cannot be used in a %s shader", use->what,
                                     stage_names[stage]);
            note_callers(callers, c, d, fn, (Stage)stage);
            break;
        }
    }
}

/* From callers to callees. */
static void spread_stages(Checker *c, Callers *callers)
{
    for (uint32_t i = c->info->functions.len; i-- > 0;) {
        Decl *fn = c->info->functions.data[i];
        FnInfo *info = fn->fn.info;
        if (info->stage != STAGE_NONE) {
            info->stages_called_from |= 1u << info->stage;
            callers[fn->index].by[info->stage] = fn;
        }
        for (uint32_t k = 0; k < info->calls.len; k++) {
            Decl *callee = info->calls.data[k].callee;
            callee->fn.info->stages_called_from |= info->stages_called_from;
            for (int s = STAGE_VERTEX; s <= STAGE_COMPUTE; s++)
                if (info->stages_called_from >> s & 1 && !callers[callee->index].by[s])
                    callers[callee->index].by[s] = fn;
        }
    }
}

void usage_module(Checker *c)
{
    Callers *callers = ARENA_ARRAY(c->arena, Callers, c->info->ordered.len);
    c->info->entry_points.len = 0;
    for (uint32_t i = 0; i < c->module->decls.len; i++) {
        Decl *d = c->module->decls.data[i];
        if (d->kind == DECL_FN && d->fn.info->stage != STAGE_NONE)
            VEC_PUSH(c->arena, &c->info->entry_points, d);
    }
    close_globals(c);
    spread_stages(c, callers);
    for (uint32_t i = 0; i < c->info->functions.len; i++)
        report_stages(c, callers, c->info->functions.data[i]);
    for (uint32_t i = 0; i < c->info->entry_points.len; i++)
        check_private_bytes(c, c->info->entry_points.data[i]);
}

/* ---- override-expressions ---- */

/* A pointer to a buffer whose size an override decides. */
static bool is_override_buffer(const Type *t)
{
    return t->kind == TYPE_POINTER && t->pointer.of->kind == TYPE_BUFFER
        && t->pointer.of->array.count_kind == COUNT_OVERRIDE;
}

static bool has_override_operand(const Expr *e)
{
    switch (e->kind) {
    case EXPR_BINARY:
        return e->binary.lhs->stage == EVAL_OVERRIDE || e->binary.rhs->stage == EVAL_OVERRIDE;
    case EXPR_INDEX:
        return e->index.at->stage == EVAL_OVERRIDE;
    case EXPR_CALL:
        for (uint32_t i = 0; i < e->call.nargs; i++)
            if (e->call.args[i]->stage == EVAL_OVERRIDE
                || is_override_buffer(e->call.args[i]->type))
                return true;
        return false;
    default:
        return false;
    }
}

static bool note_overrides(void *context, Expr *e)
{
    Checker *c = context;
    if (e->type->kind == TYPE_ERROR || e->value || e->stage == EVAL_CONST)
        return false;
    if (e->stage == EVAL_OVERRIDE) {
        VEC_PUSH(c->arena, &c->fn->override_exprs, e);
        return false;
    }
    if (has_override_operand(e))
        VEC_PUSH(c->arena, &c->fn->override_uses, e);
    return true;
}

static void note_expr(void *context, Expr *e)
{
    walk_expr(e, note_overrides, context);
}

/* `x /= o` has rules about o as `x / o` does. */
static void note_compound(Checker *c, const Stmt *s)
{
    Expr *e = ARENA_NEW(c->arena, Expr);
    e->kind = EXPR_BINARY;
    e->span = s->span;
    e->stage = EVAL_RUNTIME;
    e->type = s->compound.lhs->type->pointer.of;
    e->binary.op = s->compound.op;
    e->binary.op_span = s->compound.op_span;
    e->binary.lhs = s->compound.lhs;
    e->binary.rhs = s->compound.rhs;
    VEC_PUSH(c->arena, &c->fn->override_uses, e);
}

static void note_stmt(void *context, Stmt *s)
{
    walk_stmt_exprs(s, note_expr, context);
    if (s->kind == STMT_COMPOUND && s->compound.rhs->stage == EVAL_OVERRIDE &&
        s->compound.lhs->type->kind == TYPE_REFERENCE)
        note_compound(context, s);
}

void usage_overrides(Checker *c, Decl *fn)
{
    walk_stmts(fn->fn.body, note_stmt, c);
}
