// SPDX-License-Identifier: Apache-2.0
/*
 * space.c - address spaces: their access modes, and what can be stored in them.
 *
 * in     an address space as written in a variable or a pointer type
 * out    its access mode; diagnostics
 * knows  WGSL 7 (the table of declarations), 14.3 (address spaces)
 * not    layout constraints (layout.c)
 */
#include "check/check_priv.h"

bool check_space_access(Checker *c, AddressSpace space, Access *access,
                        const Expr *written)
{
    if (written && space != SPACE_STORAGE) {
        diag_add(c->diag, DIAG_invalid_access_mode, written->span,
                 "an access mode can be given for the address space 'storage' only, "
                 "not for '%s'", address_space_name(space));
        return false;
    }
    if (written && *access == ACCESS_WRITE) {
        diag_add(c->diag, DIAG_invalid_access_mode, written->span,
                 "memory in the address space 'storage' is 'read' or 'read_write', "
                 "not 'write'");
        return false;
    }
    if (!written)
        *access = space == SPACE_FUNCTION || space == SPACE_PRIVATE ||
                          space == SPACE_WORKGROUP
                      ? ACCESS_READ_WRITE
                      : ACCESS_READ;
    return true;
}

/* Is there an array anywhere in `type`?  Each structure is looked at once. */
static bool contains_array(Checker *c, const Type *type)
{
    VEC(const Type *) todo = {0};
    bool *seen = ARENA_ARRAY(c->arena, bool, c->types->all.len);
    VEC_PUSH(c->arena, &todo, type);
    for (uint32_t i = 0; i < todo.len; i++) {
        const Type *t = todo.data[i];
        if (t->kind == TYPE_ARRAY)
            return true;
        if (t->kind != TYPE_STRUCT)
            continue;
        const Decl *d = t->structure.decl;
        for (uint32_t k = 0; k < d->structure.nmembers; k++) {
            const Type *m = d->structure.members[k].type;
            if (seen[m->id])
                continue;
            seen[m->id] = true;
            VEC_PUSH(c->arena, &todo, m);
        }
    }
    return false;
}

static const char *plain_fault(const Type *t)
{
    if (!type_is_plain(t))
        return "it is not made of plain values";
    if (type_contains_atomic(t))
        return "it contains an atomic";
    if (type_contains_runtime_array(t))
        return "it contains a runtime-sized array";
    if (!type_is_constructible(t))
        return "its size is not fixed when the module is made";
    return NULL;
}

static bool is_fixed_buffer(const Type *t)
{
    return t->kind == TYPE_BUFFER && t->array.count_kind == COUNT_FIXED;
}

static const char *workgroup_fault(const Type *t)
{
    if (t->kind == TYPE_BUFFER)
        return t->array.count_kind == COUNT_RUNTIME ? "its size is not fixed" : NULL;
    if (!type_is_plain(t))
        return "it is not made of plain values";
    if (!type_has_fixed_footprint(t))
        return "it contains a runtime-sized array";
    return NULL;
}

/* Drivers and other dialects of WGSL keep f64 out of these, too. */
static const char *uniform_fault(const Type *t)
{
    return type_contains_f64(t) ? "it contains an f64" : NULL;
}

static const char *shareable_fault(const Type *t)
{
    if (t->kind == TYPE_BUFFER && t->array.count_kind == COUNT_OVERRIDE)
        return "its size is not fixed when the module is made";
    if (!type_is_host_shareable(t))
        return "it cannot be shared with the host";
    return NULL;
}

/* Why a type cannot be stored, or NULL. */
static const char *store_fault(Checker *c, const Type *t, AddressSpace space, Access access)
{
    switch (space) {
    case SPACE_FUNCTION:
    case SPACE_PRIVATE:
        return plain_fault(t);
    case SPACE_WORKGROUP:
        return workgroup_fault(t);
    case SPACE_UNIFORM:
        if (is_fixed_buffer(t))
            return NULL;
        return plain_fault(t)     ? plain_fault(t)
               : uniform_fault(t) ? uniform_fault(t)
                                  : shareable_fault(t);
    case SPACE_STORAGE:
        if (type_contains_atomic(t) && access != ACCESS_READ_WRITE)
            return "it contains an atomic, which needs the access mode 'read_write'";
        return shareable_fault(t);
    case SPACE_IMMEDIATE:
        if (plain_fault(t) || uniform_fault(t))
            return plain_fault(t) ? plain_fault(t) : uniform_fault(t);
        return contains_array(c, t) ? "it contains an array" : shareable_fault(t);
    case SPACE_HANDLE:
        return t->kind == TYPE_TEXTURE || t->kind == TYPE_SAMPLER
                   ? NULL : "it is neither a texture nor a sampler";
    case SPACE_NONE:
        break;
    }
    BUG("a variable in no address space");
}

static bool report_store(Checker *c, Span span, const Type *type, AddressSpace space,
                         const char *why)
{
    if (!why)
        return true;
    diag_add(c->diag, DIAG_invalid_store_type, span,
             "'%s' cannot be stored in the address space '%s': %s",
             type_string(c->arena, type), address_space_name(space), why);
    return false;
}

bool check_store_type(Checker *c, Span span, const Type *type, AddressSpace space,
                      Access access)
{
    return type->kind != TYPE_ERROR &&
           report_store(c, span, type, space, store_fault(c, type, space, access));
}

/* Can a view into a buffer of this space have this type? */
static bool is_viewed(const Checker *c, const Type *t, AddressSpace space)
{
    if (!feature_language(c, LANGUAGE_buffer_view) ||
        (space != SPACE_STORAGE && space != SPACE_UNIFORM && space != SPACE_WORKGROUP))
        return false;
    if (t->kind == TYPE_BUFFER)
        return t->array.count_kind == COUNT_RUNTIME;
    return type_is_host_shareable(t) && !type_contains_atomic(t) &&
           (space != SPACE_UNIFORM || !type_contains_f64(t));
}

bool check_pointee(Checker *c, Span span, const Type *type, AddressSpace space,
                   Access access)
{
    if (type->kind == TYPE_ERROR)
        return false;
    return is_viewed(c, type, space) ||
           report_store(c, span, type, space, store_fault(c, type, space, access));
}
