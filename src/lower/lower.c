// SPDX-License-Identifier: Apache-2.0
/*
 * lower.c - from a typed module to the IR of one kernel.
 *
 * in     a checked Module, one compute entry point, its Specialization
 * out    an Ir; or a diagnostic, where the kernel exceeds a limit
 * knows  the variables of the module, the limits
 * not    statements and expressions
 */
#include "lower/lower_priv.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- limits ---- */

NORETURN void lower_fail(Lower *l, DiagId id, Span span, const char *fmt, ...)
{
    char message[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    diag_add(l->diag, id, span, "%s", message);
    longjmp(l->escape, 1);
}

Span lower_enter(Lower *l, Span span)
{
    Span outer = l->c.span;
    l->c.span = span;
    if (++l->depth > LOWER_MAX_DEPTH)
        lower_fail(l, DIAG_kernel_too_large, span,
                   "calls, statements and expressions nest more than %u deep",
                   LOWER_MAX_DEPTH);
    if (l->ir->next_id + l->calls > LOWER_MAX_WORK)
        lower_fail(l, DIAG_kernel_too_large, span,
                   "the kernel has more than %u instructions once calls are inlined: "
                   "split it, or call large functions from fewer places",
                   LOWER_MAX_WORK);
    return outer;
}

void lower_leave(Lower *l, Span outer)
{
    l->c.span = outer;
    l->depth--;
}

Saved lower_region_enter(Lower *l, Region *region)
{
    Saved saved = {l->c.region, l->ended};
    if (++l->regions > LOWER_MAX_REGIONS)
        lower_fail(l, DIAG_kernel_too_large, l->c.span,
                   "branches and loops nest more than %u deep once calls are inlined",
                   LOWER_MAX_REGIONS);
    l->c.region = region;
    l->ended = false;
    return saved;
}

void lower_region_leave(Lower *l, Saved saved)
{
    l->c.region = saved.region;
    l->ended = saved.ended;
    l->regions--;
}

/* ---- variables of the module ---- */

static IrSpace space_of(Lower *l, const Decl *d)
{
    switch (d->var.space) {
    case SPACE_PRIVATE:   return IRSPACE_PRIVATE;
    case SPACE_WORKGROUP: return IRSPACE_WORKGROUP;
    case SPACE_UNIFORM:   return IRSPACE_UNIFORM;
    case SPACE_STORAGE:   return IRSPACE_STORAGE;
    case SPACE_IMMEDIATE: return IRSPACE_IMMEDIATE;
    case SPACE_HANDLE:
        lower_fail(l, DIAG_not_compiled, d->span,
                   "'%.*s' is a texture or a sampler; kernels work on buffers",
                   STR_ARG(d->ident.name->text));
    default:
        BUG("a variable of the module in no space");
    }
}

static void declare_global(Lower *l, const Decl *d)
{
    l->c.span = d->span;
    IrSpace space = space_of(l, d);
    const MemType *type = lower_mem(l, d->type);
    if (space == IRSPACE_PRIVATE)
        type = lower_slots(l, type);
    Inst *place = lower_var_new(l, space, d->ident.name->text, type);
    place->var->group = d->var.group;
    place->var->binding = d->var.binding;
    place->var->read_only = d->var.access == ACCESS_READ;
    l->globals[d->index] = place;
}

/* After all are declared: PRIVATE memory starts as zero. */
static void initialize_global(Lower *l, const Decl *d)
{
    const Expr *init = d->var.init;
    if (!init)
        return;
    const Value *v = lower_constant(l, init);
    if (!v || !value_is_zero(v))
        lower_into(l, l->globals[d->index], init);
}

static void lower_globals(Lower *l, const FnInfo *info)
{
    for (uint32_t i = 0; i < info->globals.len; i++)
        if (info->globals.data[i]->kind == DECL_VAR)
            declare_global(l, info->globals.data[i]);
    for (uint32_t i = 0; i < info->globals.len; i++)
        if (info->globals.data[i]->kind == DECL_VAR)
            initialize_global(l, info->globals.data[i]);
}

/* ---- the kernel ---- */

static Lower *lower_new(Arena *arena, const Module *m, const Specialization *s,
                        Diag *diag, Str name)
{
    Lower *l = ARENA_NEW(arena, Lower);
    l->ir = ir_new(arena, name);
    l->arena = arena;
    l->module = m;
    l->spec = s;
    l->diag = diag;
    memcpy(l->ir->workgroup_size, s->workgroup_size, sizeof s->workgroup_size);
    l->ir->subgroup_size = s->subgroup_size;
    l->c = (IrCursor){.ir = l->ir, .region = l->ir->body};
    l->globals = ARENA_ARRAY(arena, Inst *, m->info->ordered.len);
    l->forms = ARENA_ARRAY(arena, uint8_t, m->info->ordered.len);
    return l;
}

Ir *lower_entry_point(Arena *arena, const Module *m, const Decl *entry,
                      const Specialization *s, Diag *diag)
{
    Lower *const l = lower_new(arena, m, s, diag, entry->ident.name->text);
    if (setjmp(l->escape))
        return NULL;
    lower_globals(l, entry->fn.info);
    lower_entry(l, entry);
    lower_promises(l);
    return l->ir;
}
