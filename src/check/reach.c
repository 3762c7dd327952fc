// SPDX-License-Identifier: Apache-2.0
/*
 * reach.c - the resources that an entry point reaches.
 *
 * in     FnInfo.globals and reached of entry points (usage.c)
 * out    FnInfo.min_sizes; diagnostics: bindings used twice, variables that the stage
 *        does not have
 * knows  WGSL 13.3.2 (resource interface), 14.3 (address spaces)
 * not    inputs and outputs (interface.c)
 */
#include <stdlib.h>

#include "check/check_priv.h"

typedef struct Reach {
    Checker  *c;
    VEC(Decl *) bound;                  /* with a binding, of one entry point    */
    uint32_t  lookups;                  /* uses looked up so far                 */
} Reach;

#define MAX_LOOKUPS 100                 /* later messages point to declarations  */

static int compare_index(const void *left, const void *right)
{
    const Decl *const *x = left, *const *y = right;
    return (*x)->index < (*y)->index ? -1 : (*x)->index > (*y)->index;
}

/* Where a function that `entry` reaches names `var`. */
static Span use_of(Reach *r, const Decl *entry, const Decl *var)
{
    const Checker *c = r->c;
    const FnInfo  *info = entry->fn.info;
    if (++r->lookups > MAX_LOOKUPS)
        return var->ident.span;
    for (uint32_t i = info->reached.len; i-- > 0;) {
        MentionRange range = c->mentioned[info->reached.data[i]->index];
        for (uint32_t k = range.start; k < range.end; k++)
            if (c->mentions.data[k].decl == var)
                return c->mentions.data[k].span;
    }
    return var->ident.span;
}

/* ---- variables ---- */

/* Why the stage does not have the variable, or NULL. */
static const char *stage_fault(const Decl *var, Stage stage)
{
    const Type *t = var->type;
    if (var->var.space == SPACE_WORKGROUP && stage != STAGE_COMPUTE)
        return "workgroup memory belongs to compute shaders";
    if (stage != STAGE_VERTEX)
        return NULL;
    if (var->var.space == SPACE_STORAGE && var->var.access != ACCESS_READ)
        return "a vertex shader can only read storage buffers";
    if (t->kind == TYPE_TEXTURE && t->texture.kind == TEXTURE_STORAGE
        && t->texture.access != ACCESS_READ)
        return "a vertex shader can only read storage textures";
    return NULL;
}

static void check_stage(Reach *r, const Decl *entry, const Decl *var)
{
    Checker    *c = r->c;
    const char *why = stage_fault(var, entry->fn.info->stage);
    if (!why)
        return;
    Diagnostic *d = diag_add(c->diag, DIAG_wrong_stage, use_of(r, entry, var),
                             "'%.*s' cannot be used here: %s", STR_ARG(ident_text(var->ident)),
                             why);
    diag_note(c->diag, d, entry->ident.span, "'%.*s' reaches this",
              STR_ARG(ident_text(entry->ident)));
}

static int compare_bindings(const void *left, const void *right)
{
    const Decl *const *x = left, *const *y = right;
    if ((*x)->var.group != (*y)->var.group)
        return (*x)->var.group < (*y)->var.group ? -1 : 1;
    if ((*x)->var.binding != (*y)->var.binding)
        return (*x)->var.binding < (*y)->var.binding ? -1 : 1;
    return compare_index(left, right);
}

static void check_bindings(Checker *c, const Decl *entry, Decl **bound, uint32_t count)
{
    if (count)
        qsort(bound, count, sizeof *bound, compare_bindings);
    for (uint32_t i = 1; i < count; i++) {
        const Decl *first = bound[i - 1], *again = bound[i];
        if (first->var.group != again->var.group || first->var.binding != again->var.binding)
            continue;
        Diagnostic *d = diag_add(c->diag, DIAG_duplicate_binding, again->ident.span,
                                 "'%.*s' uses both '%.*s' and '%.*s', which have the same group "
                                 "%u and binding %u", STR_ARG(ident_text(entry->ident)),
                                 STR_ARG(ident_text(first->ident)),
                                 STR_ARG(ident_text(again->ident)), first->var.group,
                                 first->var.binding);
        diag_note(c->diag, d, first->ident.span, "'%.*s' is declared here",
                  STR_ARG(ident_text(first->ident)));
    }
}

static void check_immediate(Reach *r, const Decl *entry, const Decl **first, const Decl *var)
{
    Checker *c = r->c;
    if (!*first) {
        *first = var;
        return;
    }
    Diagnostic *d = diag_add(c->diag, DIAG_several_immediates, use_of(r, entry, var),
                             "'%.*s' uses '%.*s' already, and can use only one variable of the "
                             "address space 'immediate'", STR_ARG(ident_text(entry->ident)),
                             STR_ARG(ident_text((*first)->ident)));
    diag_note(c->diag, d, use_of(r, entry, *first), "the other one is used here");
}

static void check_resources(Reach *r, const Decl *entry)
{
    Checker      *c = r->c;
    const FnInfo *info = entry->fn.info;
    const Decl   *immediate = NULL;
    r->bound.len = 0;
    for (uint32_t i = 0; i < info->globals.len; i++) {
        Decl *d = info->globals.data[i];
        if (d->kind != DECL_VAR || !d->type || d->type->kind == TYPE_ERROR)
            continue;
        check_stage(r, entry, d);
        if (d->var.has_binding)
            VEC_PUSH(c->arena, &r->bound, d);
        if (d->var.space == SPACE_IMMEDIATE)
            check_immediate(r, entry, &immediate, d);
    }
    check_bindings(c, entry, r->bound.data, r->bound.len);
}

void reach_module(Checker *c)
{
    Reach r = {.c = c};
    for (uint32_t i = 0; i < c->info->entry_points.len; i++)
        check_resources(&r, c->info->entry_points.data[i]);
    for (uint32_t i = 0; c->diag->errors == 0 && i < c->info->entry_points.len; i++)
        binding_sizes(c, c->info->entry_points.data[i]);
}
