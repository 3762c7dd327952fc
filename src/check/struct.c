// SPDX-License-Identifier: Apache-2.0
/*
 * struct.c - structures, and their members by name.
 *
 * in     a structure declaration; the types its members name are known
 * out    its type; Member.type and io; diagnostics
 * knows  WGSL 6.2.10 (structure types)
 * not    offsets and layout attributes (layout.c)
 */
#include <stdlib.h>

#include "check/check_priv.h"

#define MAX_MEMBERS 16383

/* Members sorted by the address of their name. */
typedef struct MemberTable {
    uint32_t *sorted;                   /* [nmembers] indices                    */
} MemberTable;

typedef struct Key {
    const Name *name;
    uint32_t    index;
} Key;

static int compare_keys(const void *x, const void *y)
{
    const Key *a = x, *b = y;
    uintptr_t p = (uintptr_t)a->name, q = (uintptr_t)b->name;
    if (p != q)
        return p < q ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Sorts the members by name; members of one name are reported. */
static void index_members(Checker *c, const Decl *d)
{
    uint32_t n = d->structure.nmembers;
    Key *keys = ARENA_ARRAY(c->arena, Key, n);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = (Key){d->structure.members[i].ident.name, i};
    if (n)
        qsort(keys, n, sizeof *keys, compare_keys);

    uint32_t *sorted = ARENA_ARRAY(c->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = keys[i].index;
        if (i == 0 || keys[i].name != keys[i - 1].name ||
            keys[i].name == c->nameless)
            continue;
        Ident again = d->structure.members[keys[i].index].ident;
        Ident first = d->structure.members[keys[i - 1].index].ident;
        Diagnostic *x = diag_add(c->diag, DIAG_redeclared, again.span,
                                 "the structure already has a member named '%.*s'",
                                 STR_ARG(again.name->text));
        diag_note(c->diag, x, first.span, "it is first declared here");
    }
    if (!c->members)
        c->members = ARENA_ARRAY(c->arena, MemberTable, c->info->ordered.len);
    c->members[d->index].sorted = sorted;
}

/* The structures that builtin functions return have names of their own. */
static uint32_t find_by_text(const Decl *d, Str text)
{
    for (uint32_t i = 0; i < d->structure.nmembers; i++)
        if (str_eq(d->structure.members[i].ident.name->text, text))
            return i;
    return UINT32_MAX;
}

uint32_t struct_find(const Checker *c, const Type *structure, const Name *name)
{
    const Decl *d = structure->structure.decl;
    if (structure->structure.result != RESULT_NONE)
        return find_by_text(d, name->text);
    const uint32_t *sorted = c->members[d->index].sorted;
    uint32_t low = 0, high = d->structure.nmembers;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const Name *here = d->structure.members[sorted[middle]].ident.name;
        if ((uintptr_t)here < (uintptr_t)name)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < d->structure.nmembers &&
        d->structure.members[sorted[low]].ident.name == name)
        return sorted[low];
    return UINT32_MAX;
}

static const char *member_fault(const Type *t, bool last)
{
    if (!type_is_plain(t))
        return "it is not made of plain values";
    if (t->kind == TYPE_ARRAY && t->array.count_kind == COUNT_RUNTIME)
        return last ? NULL : "a runtime-sized array must be the last member";
    if (type_contains_runtime_array(t))
        return "it contains a runtime-sized array";
    if (!type_has_creation_fixed_footprint(t))
        return "its size is not fixed when the module is made";
    return NULL;
}

/* False if the structure cannot be used because of it. */
static bool check_member(Checker *c, Member *m, bool last)
{
    attr_check_place(c, m->attrs, PLACE_MEMBER);
    m->type = m->type_expr ? check_type(c, m->type_expr) : c->types->error;
    m->io = attr_io(c, m->attrs);
    if (m->type->kind == TYPE_ERROR)
        return false;
    const char *why = member_fault(m->type, last);
    if (why) {
        diag_add(c->diag, DIAG_invalid_member_type, m->type_expr->span,
                 "'%s' cannot be the type of a member here: %s",
                 type_string(c->arena, m->type), why);
        m->type = c->types->error;
        return false;
    }
    return check_depth(c, m->type_expr->span, m->type->depth + 1);
}

void check_struct(Checker *c, Decl *d)
{
    uint32_t n = d->structure.nmembers;
    bool ok = d->type == NULL;              /* not in a cycle */
    attr_check_place(c, d->attrs, PLACE_OTHER_DECL);
    if (n == 0) {
        diag_add(c->diag, DIAG_empty_structure, d->ident.span,
                 "the structure '%.*s' must have at least one member",
                 STR_ARG(d->ident.name->text));
        ok = false;
    }
    if (n > MAX_MEMBERS) {
        diag_add(c->diag, DIAG_limit_exceeded, d->ident.span,
                 "the structure has %u members, the limit is %d", n, MAX_MEMBERS);
        ok = false;
    }
    index_members(c, d);
    for (uint32_t i = 0; i < n; i++)
        ok &= check_member(c, &d->structure.members[i], i == n - 1);
    if (!ok) {
        d->type = c->types->error;
        return;
    }
    d->type = type_struct(c->types, d);
    layout_struct(c, d);
}
