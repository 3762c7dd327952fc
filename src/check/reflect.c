// SPDX-License-Identifier: Apache-2.0
/*
 * reflect.c - what a module declares, told from outside.
 *
 * in     a module that was checked without an error
 * out    the tables of weft/wgsl.h
 * knows  the typed module, what entry points reach (reach.c)
 * not    devices and their limits
 */
#include <stdlib.h>

#include "check/check.h"
#include "check/wgsl_priv.h"

Decl *module_find_entry_point(const Module *m, Str name)
{
    for (uint32_t i = 0; m->info && i < m->info->entry_points.len; i++) {
        Decl *entry = m->info->entry_points.data[i];
        if (str_eq(ident_text(entry->ident), name))
            return entry;
    }
    return NULL;
}

/* ---- sizes ---- */

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

/* ---- names ---- */

static const char *text_of(Arena *a, Ident ident)
{
    return arena_printf(a, "%.*s", STR_ARG(ident.name->text));
}

/* ---- overrides ---- */

static double number_of(const Value *v)
{
    switch (v->type->kind) {
    case TYPE_BOOL: return v->boolean;
    case TYPE_F32:
    case TYPE_F16:
    case TYPE_F64:
    case TYPE_ABSTRACT_FLOAT: return v->real;
    default: return (double)v->integer;
    }
}

static weft_override override_of(Arena *a, const Decl *decl)
{
    const Expr   *init = decl->var.init;
    weft_override o = {
        .name = text_of(a, decl->ident),
        .type = layout_scalar(decl->type),
        .has_id = decl->var.has_id,
        .id = decl->var.has_id ? decl->var.id : 0,
        .has_default = init != NULL,
        .default_known = init && init->value,
    };
    if (o.default_known)
        o.default_value = number_of(init->value);
    return o;
}

/* ---- structures ---- */

static weft_member member_of(Layouts *l, const Member *m, bool laid_out)
{
    weft_member out = {.name = text_of(l->arena, m->ident),
                       .type = type_string(l->arena, m->type)};
    if (laid_out) {
        out.offset = m->offset;
        out.size = m->size;
        out.align = m->align;
        out.layout = layout_of(l, m->type);
    }
    return out;
}

static weft_struct struct_of(Layouts *l, const Decl *decl)
{
    bool         laid_out = type_is_host_shareable(decl->type);
    uint32_t     count = decl->structure.nmembers;
    weft_member *members = ARENA_ARRAY(l->arena, weft_member, count);
    for (uint32_t i = 0; i < count; i++)
        members[i] = member_of(l, &decl->structure.members[i], laid_out);
    weft_struct out = {.name = text_of(l->arena, decl->ident),
                       .members = members, .member_count = count};
    if (!laid_out)
        return out;
    out.align = decl->type->align;
    out.size = type_contains_runtime_array(decl->type)
                   ? decl->structure.members[count - 1].offset
                   : decl->type->size;
    return out;
}

static uint32_t count_structs(const Module *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->decls.len; i++)
        count += m->decls.data[i]->kind == DECL_STRUCT;
    return count;
}

/* Types point to structures and back, so all structures get their place first. */
static void structs_of(Reflection *out, Layouts *l, const Module *m)
{
    uint32_t      count = count_structs(m);
    weft_struct  *all = ARENA_ARRAY(l->arena, weft_struct, count);
    const Decl  **decls = ARENA_ARRAY(l->arena, const Decl *, count);
    for (uint32_t i = 0, n = 0; i < m->decls.len; i++) {
        if (m->decls.data[i]->kind != DECL_STRUCT)
            continue;
        decls[n] = m->decls.data[i];
        layouts_add_struct(l, decls[n]->type, &all[n]);
        n++;
    }
    for (uint32_t i = 0; i < count; i++)
        all[i] = struct_of(l, decls[i]);
    out->structs = all;
    out->struct_count = count;
}

/* ---- bindings ---- */

static weft_binding_kind handle_kind(const Type *t)
{
    if (t->kind == TYPE_SAMPLER)
        return t->sampler.comparison ? WEFT_BINDING_COMPARISON_SAMPLER
                                     : WEFT_BINDING_SAMPLER;
    if (t->texture.kind == TEXTURE_STORAGE)
        return WEFT_BINDING_STORAGE_TEXTURE;
    if (t->texture.kind == TEXTURE_EXTERNAL)
        return WEFT_BINDING_EXTERNAL_TEXTURE;
    return WEFT_BINDING_TEXTURE;
}

static weft_binding_kind binding_kind(const Decl *var)
{
    if (var->var.space == SPACE_UNIFORM)
        return WEFT_BINDING_UNIFORM;
    if (var->var.space == SPACE_STORAGE)
        return var->var.access == ACCESS_READ ? WEFT_BINDING_READ_ONLY_STORAGE
                                              : WEFT_BINDING_STORAGE;
    return handle_kind(var->type);
}

static const char *binding_access(const Decl *var)
{
    const Type *t = var->type;
    if (t->kind == TYPE_TEXTURE && t->texture.kind == TEXTURE_STORAGE)
        return access_name(t->texture.access);
    return var->var.access == ACCESS_NONE ? access_name(ACCESS_READ)
                                          : access_name(var->var.access);
}

static bool is_buffer(const Decl *var)
{
    return var->var.space == SPACE_UNIFORM || var->var.space == SPACE_STORAGE;
}

static weft_wgsl_binding binding_of(Layouts *l, const Decl *var, uint64_t min_size)
{
    return (weft_wgsl_binding){
        .name = text_of(l->arena, var->ident),
        .group = var->var.group,
        .binding = var->var.binding,
        .kind = binding_kind(var),
        .type = type_string(l->arena, var->type),
        .access = binding_access(var),
        .min_size = min_size,
        .layout = is_buffer(var) ? layout_of(l, var->type) : NULL,
    };
}

static int compare_bindings(const void *left, const void *right)
{
    const weft_wgsl_binding *x = left, *y = right;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->binding < y->binding ? -1 : x->binding > y->binding;
}

/* ---- entry points ---- */

static void workgroup_size_of(weft_entry_point *out, const FnInfo *fn)
{
    if (fn->stage != STAGE_COMPUTE)
        return;
    out->size_known = true;
    for (int i = 0; i < 3; i++) {
        const Expr *e = fn->workgroup_size[i];
        if (e && !e->value)
            out->size_known = false;
        out->workgroup_size[i] = e && e->value ? (uint32_t)e->value->integer : 1;
    }
    if (!out->size_known)
        memset(out->workgroup_size, 0, sizeof out->workgroup_size);
}

static void sort_bindings(weft_wgsl_binding *bindings, uint32_t count)
{
    if (count)
        qsort(bindings, count, sizeof *bindings, compare_bindings);
}

/* What the variables and overrides that an entry point uses add to it. */
static void accesses_of(weft_entry_point *out, Layouts *l, const FnInfo *fn)
{
    Arena *a = l->arena;
    VEC(weft_wgsl_binding) bindings = {0};
    VEC(uint32_t)     overrides = {0};
    for (uint32_t i = 0; i < fn->globals.len; i++) {
        const Decl *d = fn->globals.data[i];
        if (d->kind == DECL_OVERRIDE)
            VEC_PUSH(a, &overrides, d->var.override_index);
        else if (d->var.has_binding)
            VEC_PUSH(a, &bindings, binding_of(l, d, fn->min_sizes[i]));
        else if (d->var.space == SPACE_WORKGROUP)
            out->workgroup_memory += round_up(d->type->size, 16);
        else if (d->var.space == SPACE_IMMEDIATE) {
            out->immediate_size = (uint32_t)d->type->size;
            out->immediate_name = text_of(a, d->ident);
            out->immediate_layout = layout_of(l, d->type);
        }
    }
    sort_bindings(bindings.data, bindings.len);
    out->bindings = bindings.data;
    out->binding_count = bindings.len;
    out->overrides = overrides.data;
    out->override_count = overrides.len;
}

static weft_entry_point entry_point_of(Layouts *l, const Decl *fn)
{
    static const weft_stage stages[] = {
        [STAGE_VERTEX] = WEFT_STAGE_VERTEX,
        [STAGE_FRAGMENT] = WEFT_STAGE_FRAGMENT,
        [STAGE_COMPUTE] = WEFT_STAGE_COMPUTE,
    };
    weft_entry_point out = {.name = text_of(l->arena, fn->ident),
                            .stage = stages[fn->fn.info->stage]};
    workgroup_size_of(&out, fn->fn.info);
    accesses_of(&out, l, fn->fn.info);
    return out;
}

void reflect_module(Reflection *out, Arena *a, const Module *m)
{
    const ModuleInfo *info = m->info;
    Layouts layouts;
    *out = (Reflection){0};
    layouts_init(&layouts, a, m);
    structs_of(out, &layouts, m);
    for (uint32_t i = 0; i < info->entry_points.len; i++)
        VEC_PUSH(a, &out->entry_points, entry_point_of(&layouts, info->entry_points.data[i]));
    for (uint32_t i = 0; i < info->overrides.len; i++)
        VEC_PUSH(a, &out->overrides, override_of(a, info->overrides.data[i]));
}
