// SPDX-License-Identifier: Apache-2.0
/*
 * usage.c - what functions use, and from which stages they are called.
 *
 * in     typed functions with their calls; who mentions whom (order.c)
 * out    ModuleInfo.entry_points; FnInfo.globals, reached, override_exprs,
 *        override_uses, stages_called_from; uses in the wrong stage reported
 * knows  WGSL 8.1.2 (override-expressions), 13.2 (functions in a shader stage)
 * not    inputs, outputs and bindings of entry points (interface.c)
 */
#include <stdlib.h>

#include "check/check_priv.h"
#include "check/walk_priv.h"

#define MAX_PRIVATE_BYTES (1u << 20)    /* private variables of one entry point  */

static const char *const stage_names[] = {
    [STAGE_NONE] = "no",
    [STAGE_VERTEX] = "vertex",
    [STAGE_FRAGMENT] = "fragment",
    [STAGE_COMPUTE] = "compute",
};

/* ---- what entry points reach ---- */

/* Steps from mention to mention, over all entry points. Real modules need
 * thousands; the limit keeps a module of half a million entry points over half a
 * million functions from taking minutes. */
#define MAX_STEPS (1u << 24)

typedef struct Reach {
    Checker  *c;
    uint32_t  round;                    /* number of the entry point, from 1     */
    uint32_t *seen;                     /* [ordered] round that last saw it      */
    uint64_t  steps;
    VEC(Decl *) found;
} Reach;

static void see(Reach *r, Decl *d)
{
    if (r->seen[d->index] == r->round)
        return;
    r->seen[d->index] = r->round;
    VEC_PUSH(r->c->arena, &r->found, d);
}

static int by_index(const void *x, const void *y)
{
    const Decl *const *a = x, *const *b = y;
    return (*a)->index < (*b)->index ? -1 : (*a)->index > (*b)->index;
}

/* Finds everything that `entry` mentions, and what that mentions. False if that
 * takes too many steps. */
static bool reach(Reach *r, Decl *entry)
{
    const Checker *c = r->c;
    r->found.len = 0;
    r->round++;
    see(r, entry);
    for (uint32_t i = 0; i < r->found.len; i++) {
        MentionRange range = c->mentioned[r->found.data[i]->index];
        r->steps += range.end - range.start + 1;
        if (r->steps > MAX_STEPS)
            return false;
        for (uint32_t k = range.start; k < range.end; k++)
            see(r, c->mentions.data[k].decl);
    }
    qsort(r->found.data, r->found.len, sizeof *r->found.data, by_index);
    return true;
}

/* Sorts what was found into the entry point's lists. */
static void keep(const Reach *r, FnInfo *info)
{
    Decl **functions = ARENA_ARRAY(r->c->arena, Decl *, r->found.len);
    Decl **others = functions + r->found.len;
    uint32_t nfunctions = 0, nothers = 0;
    for (uint32_t i = r->found.len; i-- > 0;) {
        Decl *d = r->found.data[i];
        if (d->kind == DECL_VAR || d->kind == DECL_OVERRIDE)
            *(others - ++nothers) = d;
    }
    for (uint32_t i = 0; i < r->found.len; i++)
        if (r->found.data[i]->kind == DECL_FN)
            functions[nfunctions++] = r->found.data[i];
    info->reached.data = functions;
    info->reached.len = info->reached.cap = nfunctions;
    info->globals.data = others - nothers;
    info->globals.len = info->globals.cap = nothers;
}

static void reach_all(Checker *c)
{
    Reach r = {.c = c, .seen = ARENA_ARRAY(c->arena, uint32_t, c->info->ordered.len)};
    for (uint32_t i = 0; i < c->info->entry_points.len; i++) {
        Decl *entry = c->info->entry_points.data[i];
        if (!reach(&r, entry)) {
            diag_add(c->diag, DIAG_limit_exceeded, entry->ident.span,
                     "the entry points of the module call too many functions or use too many "
                     "variables");
            return;
        }
        keep(&r, entry->fn.info);
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
    reach_all(c);
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

/* A reference or a pointer to an array whose size an override decides. */
static bool is_override_array(const Type *t)
{
    return (t->kind == TYPE_REFERENCE || t->kind == TYPE_POINTER)
        && t->pointer.of->kind == TYPE_ARRAY
        && t->pointer.of->array.count_kind == COUNT_OVERRIDE;
}

static bool has_override_operand(const Expr *e)
{
    switch (e->kind) {
    case EXPR_BINARY:
        return e->binary.lhs->stage == EVAL_OVERRIDE || e->binary.rhs->stage == EVAL_OVERRIDE;
    case EXPR_INDEX:
        return e->index.at->stage == EVAL_OVERRIDE
            || (e->index.at->value && is_override_array(e->index.of->type));
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

/* && or || whose left side is known and decides: the right side is never
 * evaluated. */
static bool is_decided(const Expr *e)
{
    if (e->kind != EXPR_BINARY || !e->binary.lhs->value)
        return false;
    return (e->binary.op == BINOP_LOGICAL_AND && !e->binary.lhs->value->boolean)
        || (e->binary.op == BINOP_LOGICAL_OR && e->binary.lhs->value->boolean);
}

static bool note_overrides(void *context, Expr *e)
{
    Checker *c = context;
    if (e->type->kind == TYPE_ERROR || e->value || e->stage == EVAL_CONST || is_decided(e))
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
