// SPDX-License-Identifier: Apache-2.0
/*
 * builtin_rule.c - what builtin functions ask of their arguments besides types:
 * constants, ranges, what a buffer may be viewed as.
 *
 * in     a call whose overload is resolved; the values that are known
 * out    diagnostics
 * knows  WGSL 17.7 (textures), 17.12 (subgroups), 17.14 (buffer views)
 */
#include "check/call_priv.h"

/* ---- ranges of the table ---- */

/* Is every component in the range?  *outside is the first that is not. */
static bool in_range(FoldContext *f, const Value *v, const Param *p, int64_t *outside)
{
    if (v->type->kind != TYPE_VECTOR) {
        *outside = v->integer;
        return v->integer >= p->low && v->integer <= p->high;
    }
    for (uint32_t i = 0; i < v->type->vector.width; i++)
        if (!in_range(f, value_part(f->arena, f->types, v, i), p, outside))
            return false;
    return true;
}

static bool check_range(FoldContext *f, const Expr *e, const Expr *arg, const Param *p,
                        const Value *v)
{
    int64_t outside;
    if (in_range(f, v, p, &outside))
        return true;
    if (f->diag)
        diag_add(f->diag, DIAG_argument_range, arg->span,
                 "the argument '%.*s' of '%s' is %lld, but must be from %lld to %lld",
                 STR_ARG(p->name), builtin_name((BuiltinId)e->call.builtin), (long long)outside,
                 (long long)p->low, (long long)p->high);
    return false;
}

/* Arguments that must be const-expressions, and their ranges: even where nothing
 * is evaluated. */
static bool check_const_args(Checker *c, const Expr *e, const Overload *row)
{
    FoldContext loud = c->fold;
    bool ok = true;
    loud.diag = c->diag;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        const Expr *arg = e->call.args[i];
        Param p = overload_param(row, i);
        if (!p.must_be_const)
            continue;
        if (arg->stage != EVAL_CONST) {
            diag_add(c->diag, DIAG_not_const, arg->span,
                     "the argument '%.*s' of '%s' must be a const-expression", STR_ARG(p.name),
                     builtin_name((BuiltinId)e->call.builtin));
            ok = false;
        } else if (arg->value) {
            ok &= check_range(&loud, e, arg, &p, arg->value);
        } else {
            diag_add(c->diag, DIAG_not_const, arg->span,
                     "the argument '%.*s' of '%s' has no value", STR_ARG(p.name),
                     builtin_name((BuiltinId)e->call.builtin));
            ok = false;
        }
    }
    return ok;
}

/* ---- views of buffers ---- */

/* Where the runtime-sized array of a type begins, and the bytes between its
 * elements; 0 and 0 for types without one. */
static uint64_t array_offset(const Type *t, uint64_t *stride)
{
    uint64_t offset = 0;
    *stride = 0;
    if (t->kind == TYPE_STRUCT) {
        const Decl *d = t->structure.decl;
        const Member *last = &d->structure.members[d->structure.nmembers - 1];
        if (last->type->kind != TYPE_ARRAY || last->type->array.count_kind != COUNT_RUNTIME)
            return 0;
        offset = last->offset;
        t = last->type;
    }
    if (t->kind == TYPE_ARRAY && t->array.count_kind == COUNT_RUNTIME)
        *stride = t->array.stride;
    return offset;
}

static uint64_t min_type_size(const Type *t)
{
    uint64_t stride, offset = array_offset(t, &stride);
    return stride ? offset + stride : t->size;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* RequiredAlignOf (WGSL 14.4.5). */
static uint64_t required_align(const ModuleInfo *info, const Type *pointer)
{
    const Type *t = pointer->pointer.of;
    bool standard = info->features.language >> LANGUAGE_uniform_buffer_standard_layout & 1;
    bool wide = t->kind == TYPE_ARRAY || t->kind == TYPE_STRUCT;
    return !standard && wide && pointer->pointer.space == SPACE_UNIFORM
        ? round_up(t->align, 16) : t->align;
}

/* The bytes of a buffer whose size is known; UINT64_MAX for others. */
static uint64_t buffer_bytes(const Type *pointer, uint64_t override_bytes)
{
    const Type *buffer = pointer->pointer.of;
    if (buffer->array.count_kind == COUNT_FIXED)
        return buffer->array.count;
    return override_bytes ? override_bytes : UINT64_MAX;
}

static bool view_fault(FoldContext *f, Span span, const char *message)
{
    if (f->diag)
        diag_add(f->diag, DIAG_buffer_view, span, "%s", message);
    return false;
}

static bool check_offset(FoldContext *f, const ModuleInfo *info, const Expr *e, int64_t offset)
{
    const Type *view = e->type->pointer.of;
    uint64_t align = required_align(info, e->type);
    Span span = e->call.args[1]->span;
    if (offset < 0)
        return view_fault(f, span, "the offset of a view cannot be negative");
    if ((uint64_t)offset % align)
        return view_fault(f, span, arena_printf(f->arena,
            "the offset %lld is not a multiple of %llu, the alignment of '%s'",
            (long long)offset, (unsigned long long)align, type_string(f->arena, view)));
    return true;
}

static bool check_view_size(FoldContext *f, const Expr *e, int64_t size)
{
    const Type *view = e->type->pointer.of;
    uint64_t stride, start = array_offset(view, &stride);
    Span span = e->call.args[2]->span;
    if (size < 0)
        return view_fault(f, span, "the size of a view cannot be negative");
    if ((uint64_t)size < min_type_size(view))
        return view_fault(f, span, arena_printf(f->arena,
            "a view of '%s' needs at least %llu bytes, but its size is %lld",
            type_string(f->arena, view), (unsigned long long)min_type_size(view),
            (long long)size));
    if (((uint64_t)size - start) % stride)
        return view_fault(f, span, arena_printf(f->arena,
            "the size %lld is not a whole number of elements of %llu bytes",
            (long long)size, (unsigned long long)stride));
    return true;
}

uint64_t builtin_view_end(const Expr *e, const Value *const *values)
{
    bool sized = e->call.nargs == 3 && values[2];
    uint64_t need = sized ? (uint64_t)values[2]->integer : min_type_size(e->type->pointer.of);
    return need + (values[1] ? (uint64_t)values[1]->integer : 0);
}

/* Rules about offset and size, and about the end of the buffer. */
static bool check_view(FoldContext *f, const ModuleInfo *info, const Expr *e,
                       const Value *const *values, uint64_t override_bytes)
{
    uint64_t bytes = buffer_bytes(e->call.args[0]->type, override_bytes);
    if (values[1] && !check_offset(f, info, e, values[1]->integer))
        return false;
    if (e->call.nargs == 3 && values[2] && !check_view_size(f, e, values[2]->integer))
        return false;
    uint64_t end = builtin_view_end(e, values);
    if (end <= bytes)
        return true;
    return view_fault(f, e->span, arena_printf(f->arena,
        "the view ends at byte %llu, but the buffer has %llu", (unsigned long long)end,
        (unsigned long long)bytes));
}

/* May a buffer be viewed as this type? */
static bool check_view_type(Checker *c, const Expr *e)
{
    const Type *t = e->type->pointer.of;
    const char *why = NULL;
    if (!type_is_host_shareable(t))
        why = "it is not host-shareable";
    else if (type_contains_atomic(t))
        why = "it contains an atomic";
    else if (t->kind == TYPE_BUFFER)
        why = "it is a buffer";
    else if (e->call.builtin == BUILTIN_bufferArrayView && type_has_fixed_footprint(t))
        why = "it has no runtime-sized array; use 'bufferView'";
    if (!why)
        return true;
    diag_add(c->diag, DIAG_buffer_view, e->call.callee->span,
             "a buffer cannot be viewed as '%s' by '%s': %s", type_string(c->arena, t),
             builtin_name((BuiltinId)e->call.builtin), why);
    return false;
}

/* ---- all of them ---- */

static bool is_view(const Expr *e)
{
    return e->call.builtin == BUILTIN_bufferView || e->call.builtin == BUILTIN_bufferArrayView;
}

bool builtin_check_row(Checker *c, const Expr *e, const Overload *row)
{
    if (is_view(e) && !check_view_type(c, e))
        return false;
    if (is_view(e))
        layout_check_view(c, e->call.callee->span, e->type->pointer.of, e->type->pointer.space);
    return check_const_args(c, e, row);
}

bool builtin_check_early(FoldContext *f, const ModuleInfo *info, const Expr *e,
                         const Value *const *values, uint64_t bytes)
{
    BuiltinId id = (BuiltinId)e->call.builtin;
    Overloads set = builtin_overloads(id);
    if (is_view(e))
        return check_view(f, info, e, values, bytes);
    /* Ranges that do not need a constant are only in functions of one overload. */
    for (uint32_t i = 0; set.count == 1 && i < e->call.nargs; i++) {
        Param p = overload_param(set.rows, i);
        if (p.has_range && !p.must_be_const && values[i]
            && !check_range(f, e, e->call.args[i], &p, values[i]))
            return false;
    }
    if (!(builtin_flags(id) & BUILTIN_CONST))
        return true;
    return fold_check_builtin(f, e->span, id, e->type, values, e->call.nargs);
}
