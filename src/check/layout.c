// SPDX-License-Identifier: Apache-2.0
/*
 * layout.c - where the members of a structure stand, and what uniform buffers
 * allow.
 *
 * in     a structure whose members have types; a variable
 * out    offset, align and size of each member, the structure's own; diagnostics
 * knows  WGSL 14.4 (memory layout), 12.1 (@align), 12.14 (@size)
 * not    alignment and size of the other types (type.c)
 */
#include "check/check_priv.h"

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

/* ---- structures ---- */

/* @align on a member; its type's own alignment otherwise, or after an error. */
static uint32_t member_align(Checker *c, const Member *m)
{
    const Attr *attr = attr_find(m->attrs, ATTR_ALIGN);
    uint32_t own = MAX_OF(m->type->align, 1u), n;
    if (!attr || !attr_const_u32(c, attr, 0, &n))
        return own;
    if (n == 0 || (n & (n - 1)) != 0) {
        diag_add(c->diag, DIAG_attribute_value, attr->span,
                 "an alignment must be a power of two, but this is %u", n);
        return own;
    }
    if (n % own != 0) {
        diag_add(c->diag, DIAG_member_layout, attr->span,
                 "'%s' needs an alignment that is a multiple of %u, but this is %u",
                 type_string(c->arena, m->type), own, n);
        return own;
    }
    return n;
}

/* @size on a member; its type's own size otherwise, or after an error. */
static uint64_t member_size(Checker *c, const Member *m)
{
    const Attr *attr = attr_find(m->attrs, ATTR_SIZE);
    uint32_t n;
    if (!attr || !attr_const_u32(c, attr, 0, &n))
        return m->type->size;
    if (!type_has_creation_fixed_footprint(m->type))
        diag_add(c->diag, DIAG_member_layout, attr->span,
                 "'@size' needs a type whose size is fixed when the module is made, and "
                 "'%s' is not one", type_string(c->arena, m->type));
    else if (n == 0)
        diag_add(c->diag, DIAG_attribute_value, attr->span, "a size must be at least 1");
    else if (n < m->type->size)
        diag_add(c->diag, DIAG_member_layout, attr->span,
                 "'%s' takes %llu bytes, more than the %u of '@size'",
                 type_string(c->arena, m->type), (unsigned long long)m->type->size, n);
    else
        return n;
    return m->type->size;
}

static void report_too_large(Checker *c, const Decl *s, const Member *m)
{
    diag_add(c->diag, DIAG_type_too_large, m->ident.span,
             "with this member the structure '%.*s' takes more than %u bytes",
             STR_ARG(ident_text(s->ident)), UINT32_MAX);
}

void layout_struct(Checker *c, Decl *s)
{
    uint64_t end = 0;
    uint32_t align = 1;
    bool     fits = true;
    for (uint32_t i = 0; i < s->structure.nmembers; i++) {
        Member *m = &s->structure.members[i];
        uint64_t size = member_size(c, m);
        m->align = member_align(c, m);
        uint64_t offset = round_up(end, m->align);
        if (size > UINT32_MAX || round_up(offset + size, m->align) > UINT32_MAX) {
            if (fits)
                report_too_large(c, s, m);
            fits = false;
            offset = size = 0;
        }
        m->offset = (uint32_t)offset;
        m->size = (uint32_t)size;
        end = offset + size;
        align = MAX_OF(align, m->align);
    }
    uint64_t size = round_up(end, align);
    const Member *last = &s->structure.members[s->structure.nmembers - 1];
    if (size > UINT32_MAX && fits)
        report_too_large(c, s, last);
    if (type_contains_runtime_array(last->type))
        size = 0;
    type_struct_set_layout(c->types, s->type, align, MIN_OF(size, UINT32_MAX));
}

/* ---- uniform buffers, without the feature uniform_buffer_standard_layout ---- */

/* A type that a uniform variable refers to, and where that is written. */
typedef struct Use {
    const Decl *var;                    /* NULL: a view of a buffer */
    Span        span;
} Use;

static uint64_t required_align(const Type *t)
{
    bool wide = t->kind == TYPE_ARRAY || t->kind == TYPE_STRUCT;
    return wide ? round_up(t->align, 16) : t->align;
}

/* How to satisfy a rule about the offset of a member. */
static void note_align(Checker *c, Diagnostic *d, const Member *m, uint64_t align)
{
    diag_note(c->diag, d, m->ident.span, "'@align(%llu)' before it gives it such an offset",
              (unsigned long long)align);
}

static void note_variable(Checker *c, Diagnostic *d, const Decl *var)
{
    if (var)
        diag_note(c->diag, d, var->ident.span, "'%.*s' is in the address space 'uniform'",
              STR_ARG(ident_text(var->ident)));
}

static void check_array(Checker *c, Use use, const Type *t)
{
    if (t->array.stride % 16 == 0)
        return;
    Diagnostic *d = diag_add(c->diag, DIAG_uniform_layout, use.span,
                             "the elements of '%s' are %llu bytes apart; in a uniform buffer "
                             "that must be a multiple of 16", type_string(c->arena, t),
                             (unsigned long long)t->array.stride);
    diag_note(c->diag, d, use.span, "use elements of 16 bytes: vec4, or a structure whose "
                                    "member has '@size(16)'");
    note_variable(c, d, use.var);
}

static void check_member(Checker *c, Use use, const Decl *s, uint32_t i)
{
    const Member *m = &s->structure.members[i];
    uint64_t needed = required_align(m->type);
    if (m->offset % needed != 0) {
        Diagnostic *d = diag_add(c->diag, DIAG_uniform_layout, m->ident.span,
                                 "the offset of '%.*s' is %u; in a uniform buffer that must be "
                                 "a multiple of %llu for '%s'", STR_ARG(ident_text(m->ident)),
                                 m->offset, (unsigned long long)needed,
                                 type_string(c->arena, m->type));
        note_align(c, d, m, needed);
        note_variable(c, d, use.var);
    }
    if (i == 0 || m[-1].type->kind != TYPE_STRUCT)
        return;
    uint64_t least = round_up(m[-1].type->size, 16);
    if (m->offset - m[-1].offset < least) {
        Diagnostic *d = diag_add(c->diag, DIAG_uniform_layout, m->ident.span,
                                 "'%.*s' begins %u bytes after the structure '%.*s'; in a "
                                 "uniform buffer that must be at least %llu",
                                 STR_ARG(ident_text(m->ident)), m->offset - m[-1].offset,
                                 STR_ARG(ident_text(m[-1].ident)), (unsigned long long)least);
        note_align(c, d, m, 16);
        note_variable(c, d, use.var);
    }
}

/* Each type is looked at once, however many variables and members use it: false
 * if it was. */
static bool first_time(Checker *c, const Type *t)
{
    while (c->uniform_seen.len <= t->id)
        VEC_PUSH(c->arena, &c->uniform_seen, false);
    if (c->uniform_seen.data[t->id])
        return false;
    c->uniform_seen.data[t->id] = true;
    return true;
}

static void check_type_in_uniform(Checker *c, Use use, const Type *t)
{
    if (t->kind != TYPE_ARRAY && t->kind != TYPE_STRUCT)
        return;
    if (!first_time(c, t))
        return;
    if (t->kind == TYPE_ARRAY) {
        check_array(c, use, t);
        check_type_in_uniform(c, use, t->array.of);
        return;
    }
    const Decl *s = t->structure.decl;
    for (uint32_t i = 0; i < s->structure.nmembers; i++) {
        const Member *m = &s->structure.members[i];
        check_member(c, use, s, i);
        check_type_in_uniform(c, (Use){use.var, m->type_expr->span}, m->type);
    }
}

void layout_check_space(Checker *c, const Decl *var)
{
    if (var->var.space != SPACE_UNIFORM || !type_is_host_shareable(var->type)
        || feature_language(c, LANGUAGE_uniform_buffer_standard_layout))
        return;
    Span span = var->var.type_expr ? var->var.type_expr->span : var->ident.span;
    check_type_in_uniform(c, (Use){var, span}, var->type);
}

void layout_check_view(Checker *c, Span span, const Type *type, AddressSpace space)
{
    if (space == SPACE_UNIFORM && !feature_language(c, LANGUAGE_uniform_buffer_standard_layout))
        check_type_in_uniform(c, (Use){NULL, span}, type);
}
