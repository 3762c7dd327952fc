// SPDX-License-Identifier: Apache-2.0
/*
 * read.c - a kernel from the text that print.c writes.
 *
 * in     any bytes
 * out    an Ir that ir_verify() finds nothing wrong with, or a diagnostic; the
 *        spans of its instructions are places in the text
 * knows  the form of print.c: a line for the kernel, for each type and for each
 *        variable, then the body
 * not    instructions (read_body.c)
 */
#include "ir/read_priv.h"

#include "ir/verify_priv.h"

/* ---- types of memory ---- */

static bool read_type_ref(Reader *r, const MemType **out)
{
    uint32_t id, count = r->ir->mem_types.len;
    Span span = scan_span(r);
    if (!scan_ref(r, 't', UINT32_MAX, "a type of memory", &id))
        return false;
    if (id >= count)
        return scan_fail(r, span, "there is no type t%u before this", id);
    *out = r->ir->mem_types.data[id];
    return true;
}

static const MemType *read_value_type(Reader *r)
{
    IrType type;
    uint32_t stride;
    if (!scan_type(r, &type) || !scan_expect(r, "stride") || !scan_number32(r, &stride))
        return NULL;
    return ir_mem_value(r->ir, type, scan_accept(r, "atomic"), stride);
}

static const MemType *read_array_type(Reader *r)
{
    const MemType *of;
    uint64_t count;
    uint32_t stride;
    if (!read_type_ref(r, &of) || !scan_expect(r, "count") ||
        !scan_number(r, UINT64_MAX, &count) || !scan_expect(r, "stride") ||
        !scan_number32(r, &stride))
        return NULL;
    if (stride == 0 || count > UINT64_MAX / stride) {
        scan_fail(r, scan_span(r), "an array of so many elements has no size");
        return NULL;
    }
    return ir_mem_array(r->ir, of, count, stride, scan_accept(r, "matrix"));
}

static const MemType *read_struct_type(Reader *r)
{
    Str name;
    uint32_t align;
    uint64_t size;
    VEC(MemField) fields = {0};
    if (!scan_string(r, &name) || !scan_expect(r, "align") || !scan_number32(r, &align) ||
        !scan_expect(r, "size") || !scan_number(r, UINT64_MAX, &size))
        return NULL;
    while (scan_starts(r, '"')) {
        MemField f = {0};
        if (!scan_string(r, &f.name) || !read_type_ref(r, &f.type) ||
            !scan_expect(r, "at") || !scan_number32(r, &f.offset))
            return NULL;
        VEC_PUSH(r->arena, &fields, f);
    }
    return ir_mem_struct(r->ir, name, fields.data, fields.len, align, size);
}

static const MemType *read_mem_type(Reader *r)
{
    uint64_t size;
    if (scan_accept(r, "value"))
        return read_value_type(r);
    if (scan_accept(r, "array"))
        return read_array_type(r);
    if (scan_accept(r, "struct"))
        return read_struct_type(r);
    if (!scan_accept(r, "bytes")) {
        scan_wrong(r, "value, array, struct or bytes");
        return NULL;
    }
    return scan_number(r, UINT64_MAX, &size) ? ir_mem_bytes(r->ir, size) : NULL;
}

static bool read_type_line(Reader *r)
{
    uint32_t id, count = r->ir->mem_types.len;
    Span span = scan_span(r);
    if (!scan_ref(r, 't', UINT32_MAX, "the name of a type", &id) || !scan_expect(r, "="))
        return false;
    if (id != count || count >= READ_MAX_TYPES)
        return scan_fail(r, span, "the next type is t%u, and there are at most %u", count,
                         READ_MAX_TYPES);
    const MemType *type = read_mem_type(r);
    if (!type)
        return false;
    if (type->id != id)
        return scan_fail(r, span, "this type is the same as t%u", type->id);
    return scan_line_end(r);
}

/* ---- variables ---- */

static bool read_space(Reader *r, IrSpace *out)
{
    static const char *const names[IRSPACE_COUNT] = {
        "function", "private", "workgroup", "uniform", "storage", "immediate", "constant",
    };
    for (uint32_t i = 0; i < IRSPACE_COUNT; i++)
        if (scan_accept(r, names[i])) {
            *out = (IrSpace)i;
            return true;
        }
    return scan_wrong(r, "an address space");
}

static bool read_data(Reader *r, IrVar *var)
{
    VEC(uint32_t) data = {0};
    while (!scan_is(r, "\n")) {
        uint32_t slot;
        if (!scan_number32(r, &slot))
            return false;
        VEC_PUSH(r->arena, &data, slot);
    }
    if (data.len != var->type->size / 4)
        return scan_fail(r, scan_span(r), "%u slots of data for a variable of %llu", data.len,
                         (unsigned long long)(var->type->size / 4));
    var->data = data.data;
    return true;
}

static bool read_binding(Reader *r, IrVar *var)
{
    if (!scan_expect(r, "group") || !scan_number32(r, &var->group) ||
        !scan_expect(r, "binding") || !scan_number32(r, &var->binding))
        return false;
    var->read_only = scan_accept(r, "read");
    return true;
}

static bool read_var_line(Reader *r)
{
    uint32_t id = 0, count = r->ir->vars.len;
    IrSpace space = IRSPACE_FUNCTION;
    Str name = {0};
    const MemType *type = NULL;
    Span span = scan_span(r);
    if (!scan_ref(r, 'v', UINT32_MAX, "the name of a variable", &id) || !read_space(r, &space) ||
        !scan_string(r, &name) || !read_type_ref(r, &type))
        return false;
    if (id != count)
        return scan_fail(r, span, "the next variable is v%u", count);
    IrVar *var = ir_var_new(r->ir, space, name, type);
    bool bound = space == IRSPACE_UNIFORM || space == IRSPACE_STORAGE;
    if (bound && !read_binding(r, var))
        return false;
    if (space == IRSPACE_CONSTANT && scan_accept(r, "data") && !read_data(r, var))
        return false;
    return scan_line_end(r);
}

/* ---- the kernel ---- */

static bool read_head(Reader *r)
{
    if (!scan_expect(r, "kernel") || !scan_string(r, &r->ir->name) || !scan_expect(r, "size"))
        return false;
    for (int i = 0; i < 3; i++)
        if (!scan_number32(r, &r->ir->workgroup_size[i]))
            return false;
    if (scan_accept(r, "subgroup") && !scan_number32(r, &r->ir->subgroup_size))
        return false;
    if (scan_accept(r, "team") && !scan_number32(r, &r->ir->team))
        return false;
    if (scan_accept(r, "band") && !scan_number32(r, &r->ir->band))
        return false;
    r->ir->turned = scan_accept(r, "turned");
    return scan_line_end(r);
}

static bool read_kernel(Reader *r)
{
    if (!read_head(r))
        return false;
    while (scan_is(r, "type") || scan_is(r, "var")) {
        bool is_type = scan_is(r, "type");
        scan_next(r);
        if (!(is_type ? read_type_line(r) : read_var_line(r)))
            return false;
    }
    if (!scan_expect(r, "{") || !scan_line_end(r) || !read_region(r, r->ir->body) ||
        !scan_line_end(r))
        return false;
    r->ir->next_id = r->by_id.len;
    return r->word.len == 0 ? true : scan_wrong(r, "the end of the text");
}

static bool verified(Reader *r)
{
    const Inst *where;
    const char *fault = verify_ir(r->ir, &where);
    Span span = where ? where->span : (Span){0, 0};
    return fault ? scan_fail(r, span, "this is not a kernel: %s", fault) : true;
}

Ir *ir_read(Arena *a, Str text, Diag *diag)
{
    Reader r = {.arena = a, .diag = diag, .text = text, .ir = ir_new(a, STR(""))};
    scan_start(&r);
    return read_kernel(&r) && verified(&r) ? r.ir : NULL;
}
