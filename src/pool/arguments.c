// SPDX-License-Identifier: Apache-2.0
/*
 * arguments.c - named inputs and outputs become the bindings of a program.
 *
 * in     a weft_execute_desc
 * out    weft_execution.args with sizes, or an error that names the input or output
 * knows  the declarations of the kernel: types, layouts, access
 * not    devices; how many workgroups run (groups.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

/* ---- sizes ---- */

/* Type, shape, size of one array as the caller describes it. */
typedef struct Described {
    const char     *name;
    weft_scalar     type;
    uint32_t        rank;
    const uint64_t *shape;
    uint64_t        size;
    bool            resident;
} Described;

static uint32_t rank_of(const Described *d)
{
    return d->rank ? d->rank : d->shape[0] ? 1 : 0;
}

/* Bytes, or 0 if neither size nor shape say; false if they make no sense. */
static bool described_bytes(weft_execution *e, const Described *d, uint64_t *out)
{
    uint32_t rank = rank_of(d);
    uint64_t bytes;
    *out = d->size;
    if (d->rank > 8)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': rank %u, at most 8 is possible",
                         d->name, d->rank);
    if ((uint32_t)d->type > WEFT_SCALAR_F64)
        return exe_fail(e, WEFT_ERROR_TYPE, d->name, "'%s': unknown type %u", d->name,
                         (unsigned)d->type);
    if (!layout_shape_bytes(&bytes, d->type, d->shape, rank))
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': the shape is too large", d->name);
    if (rank && d->size && d->size != bytes)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': the shape has %llu bytes, `size` "
                         "says %llu", d->name, (unsigned long long)bytes,
                         (unsigned long long)d->size);
    if (rank && bytes == 0)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': the shape has no elements",
                         d->name);
    if (rank)
        *out = bytes;
    if (*out > LAYOUT_MOST_BYTES)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': %llu bytes are too many", d->name,
                         (unsigned long long)*out);
    return true;
}

/* f64 of the caller for a variable of f32 is converted. */
static bool converts(const Described *d, const weft_type *t)
{
    return d->type == WEFT_SCALAR_F64 && layout_common_scalar(t) == WEFT_SCALAR_F32;
}

static bool check_type(weft_execution *e, const Described *d, const weft_type *t)
{
    weft_scalar is = layout_common_scalar(t);
    if (!d->type || d->type == is || (converts(d, t) && !d->resident))
        return true;
    if (converts(d, t))
        return exe_fail(e, WEFT_ERROR_TYPE, d->name, "'%s' is '%s' in the kernel, but f64 is "
                         "given: data on devices is not converted", d->name, t->name);
    if (!is)
        return exe_fail(e, WEFT_ERROR_TYPE, d->name, "'%s' is a '%s' of several types: give "
                         "its members by name, or bytes (type 0)", d->name, t->name);
    return exe_fail(e, WEFT_ERROR_TYPE, d->name, "'%s' is '%s' in the kernel, but %s is given",
                     d->name, t->name, layout_scalar_name(d->type));
}

/* Bytes of a value of type t in the kernel, of which `given` are described by the caller;
 * 0 given: as the type says. */
static bool fit_size(weft_execution *e, const Described *d, const weft_type *t, uint64_t given,
                     uint64_t *out)
{
    uint64_t         offset;
    const weft_type *tail = layout_tail(t, &offset);
    if (converts(d, t) && given % 8)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': %llu bytes are not a whole number of "
                         "f64", d->name, (unsigned long long)given);
    given = converts(d, t) ? given / 2 : given;
    *out = given ? given : t->size;
    if (!tail && t->kind == WEFT_TYPE_BYTES)
        tail = t;
    if (!tail && *out != t->size)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s' is '%s' of %llu bytes in the "
                         "kernel, %llu are given", d->name, t->name,
                         (unsigned long long)t->size, (unsigned long long)given);
    if (tail && !given)
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': give a shape or a size: '%s' has "
                         "none of its own", d->name, t->name);
    if (tail && tail->stride && (given < offset + tail->stride
                                 || (given - offset) % tail->stride))
        return exe_fail(e, WEFT_ERROR_SHAPE, d->name, "'%s': %llu bytes are not a whole number of "
                         "elements: each '%s' takes %llu bytes", d->name,
                         (unsigned long long)given, tail->element->name,
                         (unsigned long long)tail->stride);
    return true;
}

static void set_rows(Arg *a, const Described *d)
{
    uint64_t rows = rank_of(d) ? d->shape[0] : 0;
    if (rows && a->size % rows == 0) {
        a->rows = rows;
        a->row_bytes = a->size / rows;
    }
}

/* ---- finding ---- */

static uint32_t find_binding(const Program *p, const char *name, size_t length)
{
    for (uint32_t i = 0; i < p->point->binding_count; i++) {
        const char *is = p->point->bindings[i].name;
        if (strncmp(is, name, length) == 0 && is[length] == '\0')
            return i;
    }
    return UINT32_MAX;
}

static bool fail_unknown(weft_execution *e, const char *what, const char *name)
{
    char     known[256] = "";
    size_t   used = 0;
    const weft_entry_point *p = e->program->point;
    for (uint32_t i = 0; i < p->binding_count && used + 40 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s'%.30s'",
                                 i ? ", " : "", p->bindings[i].name);
    return exe_fail(e, WEFT_ERROR_NOT_FOUND, name, "%s '%s': the kernel uses no such variable; "
                     "it has %s", what, name, used ? known : "none");
}

/* ---- inputs ---- */

/* Room for all of the variable, zeroed; members are copied into it. */
static uint8_t *need_block(weft_execution *e, Arg *a, uint64_t size)
{
    if (a->own_in && a->in_size >= size)
        return a->own_in;
    uint8_t *block = calloc(1, (size_t)size);
    if (!block) {
        exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for inputs");
        return NULL;
    }
    if (a->own_in)
        memcpy(block, a->own_in, (size_t)a->in_size);
    free(a->own_in);
    a->own_in = block;
    a->in = block;
    a->in_size = size;
    return block;
}

static bool set_member(weft_execution *e, const weft_execute_input *in, uint32_t at,
                       const char *path)
{
    const weft_wgsl_binding *b = &e->program->point->bindings[at];
    Described d = {in->name, in->type, in->rank, in->shape, in->size, false};
    uint64_t  offset, given, bytes;
    Arg      *a = &e->args[at];
    const weft_type *t = layout_member(b->layout, path, &offset);
    if (!t)
        return exe_fail(e, WEFT_ERROR_NOT_FOUND, in->name, "input '%s': '%s' is '%s', which "
                         "has no such member", in->name, b->name, b->type);
    if (a->input && !a->members)
        return exe_fail(e, WEFT_ERROR_EXISTS, in->name, "input '%s': all of '%s' is given, too",
                         in->name, b->name);
    if (in->resident || in->split || !in->data)
        return exe_fail(e, WEFT_ERROR_INVALID, in->name, "input '%s': a member is given as "
                         "data", in->name);
    if (!described_bytes(e, &d, &given) || !check_type(e, &d, t)
        || !fit_size(e, &d, t, given, &bytes))
        return false;
    uint8_t *block = need_block(e, a, offset + bytes > b->layout->size ? offset + bytes
                                                                        : b->layout->size);
    if (!block)
        return false;
    if (converts(&d, t))
        layout_narrow(block + offset, in->data, bytes / 4);
    else
        memcpy(block + offset, in->data, (size_t)bytes);
    a->input = a->members = true;
    a->size = a->in_size;
    return true;
}

static bool set_resident(weft_execution *e, Arg *a, weft_pool_data *data, const char *name)
{
    if (data->ctx != e->ctx)
        return exe_fail(e, WEFT_ERROR_DENIED, name, "'%s': the data belongs to another context",
                         name);
    if (a->data && a->data != data)
        return exe_fail(e, WEFT_ERROR_INVALID, name, "'%s': input and output are different "
                         "data; a variable is bound once", name);
    if (!a->data) {
        atomic_fetch_add_explicit(&data->refs, 1, memory_order_relaxed);
        a->data = data;
    }
    return true;
}

static Described describe_data(const weft_pool_data *data, const char *name, weft_scalar type)
{
    return (Described){name, type ? type : data->type, data->rank, data->shape, data->size, true};
}

/* The `bytes` of the variable: the caller's own, a copy, or f32 made from the caller's f64. */
static bool take_bytes(weft_execution *e, Arg *a, const weft_execute_input *in, uint64_t bytes,
                       bool copy, bool convert)
{
    if (!in->data)
        return exe_fail(e, WEFT_ERROR_INVALID, in->name, "input '%s' has neither data nor "
                         "resident data", in->name);
    a->in = in->data;
    a->in_size = bytes;
    if (!copy && !convert)
        return true;
    a->own_in = malloc((size_t)bytes);
    if (!a->own_in)
        return exe_fail(e, WEFT_ERROR_MEMORY, in->name, "input '%s': no memory for a copy",
                         in->name);
    if (convert)
        layout_narrow(a->own_in, in->data, bytes / 4);
    else
        memcpy(a->own_in, in->data, (size_t)bytes);
    a->in = a->own_in;
    return true;
}

static bool set_input(weft_execution *e, const weft_execute_input *in, bool copy)
{
    if (!in->name)
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "an input has no name");
    size_t   length = strcspn(in->name, ".[");
    uint32_t at = find_binding(e->program, in->name, length);
    if (at == UINT32_MAX)
        return fail_unknown(e, "input", in->name);
    if (in->name[length])
        return set_member(e, in, at, in->name + length);
    Arg *a = &e->args[at];
    if (a->input)
        return exe_fail(e, WEFT_ERROR_EXISTS, in->name, "input '%s' is given twice", in->name);
    const weft_type *t = e->program->point->bindings[at].layout;
    Described d = {in->name, in->type, in->rank, in->shape, in->size, false};
    if (in->resident)
        d = describe_data(in->resident, in->name, in->type);
    uint64_t given;
    if (!described_bytes(e, &d, &given) || !check_type(e, &d, t)
        || !fit_size(e, &d, t, given, &a->size))
        return false;
    a->input = true;
    a->split = in->split;
    set_rows(a, &d);
    return in->resident ? set_resident(e, a, in->resident, in->name)
                        : take_bytes(e, a, in, a->size, copy, converts(&d, t));
}

/* ---- outputs ---- */

static bool check_output(weft_execution *e, const weft_execute_output *out, uint32_t at)
{
    if (at == UINT32_MAX)
        return fail_unknown(e, "output", out->name);
    if (e->program->point->bindings[at].kind != WEFT_BINDING_STORAGE)
        return exe_fail(e, WEFT_ERROR_INVALID, out->name, "output '%s': the kernel only reads "
                         "it; declare it as var<storage, read_write>", out->name);
    if (e->args[at].output)
        return exe_fail(e, WEFT_ERROR_EXISTS, out->name, "output '%s' is given twice",
                         out->name);
    return true;
}

static bool set_output(weft_execution *e, const weft_execute_output *out)
{
    if (!out->name)
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "an output has no name");
    uint32_t at = find_binding(e->program, out->name, strlen(out->name));
    if (!check_output(e, out, at))
        return false;
    Arg             *a = &e->args[at];
    const weft_type *t = e->program->point->bindings[at].layout;
    Described d = {out->name, out->type, out->rank, out->shape, out->size, false};
    if (out->resident)
        d = describe_data(out->resident, out->name, out->type);
    uint64_t given, size;
    if (!described_bytes(e, &d, &given) || !check_type(e, &d, t))
        return false;
    if (!given && a->input)
        given = converts(&d, t) ? a->size * 2 : a->size;
    if (!fit_size(e, &d, t, given, &size))
        return false;
    if (a->input && a->size != size)
        return exe_fail(e, WEFT_ERROR_SHAPE, out->name, "'%s' has %llu bytes as an input and "
                         "%llu as an output", out->name, (unsigned long long)a->size,
                         (unsigned long long)size);
    if (a->input && (a->data != NULL) != (out->resident != NULL))
        return exe_fail(e, WEFT_ERROR_INVALID, out->name, "'%s' is resident data either as "
                         "input and output, or as neither", out->name);
    a->size = size;
    a->output = true;
    a->split = a->split || out->split;
    a->out = out->data;
    a->out_size = size;
    a->widen = converts(&d, t);
    set_rows(a, &d);
    return !out->resident || set_resident(e, a, out->resident, out->name);
}

/* ---- all of them ---- */

static bool complete(weft_execution *e, uint32_t at)
{
    const weft_wgsl_binding *b = &e->program->point->bindings[at];
    Arg      *a = &e->args[at];
    Described d = {.name = b->name, .shape = (uint64_t[8]){0}};
    if (!a->input && !a->output && b->kind != WEFT_BINDING_STORAGE)
        return exe_fail(e, WEFT_ERROR_NOT_FOUND, b->name, "the input '%s' ('%s') is missing",
                         b->name, b->type);
    if (!a->size && !fit_size(e, &d, b->layout, 0, &a->size))
        return false;
    if (a->size < b->min_size && !(a->own_in && a->in_size >= b->min_size))
        return exe_fail(e, WEFT_ERROR_SHAPE, b->name, "'%s' needs at least %llu bytes, %llu are "
                         "given", b->name, (unsigned long long)b->min_size,
                         (unsigned long long)a->size);
    return true;
}

static bool need_outputs(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        Arg *a = &e->args[i];
        if (!a->output || a->out || a->data)
            continue;
        a->own_out = malloc((size_t)arg_out_bytes(a));
        if (!a->own_out)
            return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for an output of %llu bytes",
                             (unsigned long long)arg_out_bytes(a));
        a->out = a->own_out;
    }
    return true;
}

static void sum_memory(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!e->args[i].data)
            e->memory += (e->args[i].size + 3) & ~(uint64_t)3;
}

bool arguments_set(weft_execution *e, const weft_execute_desc *desc, bool copy)
{
    e->arg_count = e->program->point->binding_count;
    if (e->arg_count > INLINE_ARGS) {
        e->args = calloc(e->arg_count, sizeof *e->args);
        if (!e->args) {
            e->arg_count = 0;
            return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for an execution");
        }
    }
    if ((desc->input_count && !desc->inputs) || (desc->output_count && !desc->outputs))
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "a count of inputs or outputs without "
                         "them");
    for (uint32_t i = 0; i < desc->input_count; i++)
        if (!set_input(e, &desc->inputs[i], copy))
            return false;
    for (uint32_t i = 0; i < desc->output_count; i++)
        if (!set_output(e, &desc->outputs[i]))
            return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!complete(e, i))
            return false;
    sum_memory(e);
    return need_outputs(e);
}

void arguments_fini(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        free(e->args[i].own_in);
        free(e->args[i].own_out);
        data_unref(e->args[i].data);
    }
    if (e->args != e->inline_args)
        free(e->args);
    e->arg_count = 0;
}

bool arguments_own(weft_execution *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        Arg *a = &e->args[i];
        if (!a->in || a->own_in)
            continue;
        a->own_in = malloc((size_t)a->in_size);
        if (!a->own_in)
            return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for a copy of the inputs");
        memcpy(a->own_in, a->in, (size_t)a->in_size);
        a->in = a->own_in;
    }
    return true;
}

/* ---- values that decide costs ---- */

const uint8_t *arguments_member(const weft_execution *e, const char *path, weft_scalar *type,
                                uint64_t *size)
{
    size_t   length = strcspn(path, ".[");
    uint64_t offset;
    uint32_t at = find_binding(e->program, path, length);
    if (at == UINT32_MAX)
        return NULL;
    const Arg       *a = &e->args[at];
    const weft_type *t = layout_member(e->program->point->bindings[at].layout, path + length,
                                       &offset);
    const uint8_t   *bytes = a->data ? (a->data->host_valid ? a->data->host : NULL) : a->in;
    uint64_t         have = a->data ? a->data->size : a->in_size;
    if (!t || t->kind != WEFT_TYPE_SCALAR || !bytes || offset + t->size > have)
        return NULL;
    *type = t->scalar;
    *size = t->size;
    return bytes + offset;
}

uint64_t arguments_array_length(const weft_execution *e, const char *name)
{
    uint64_t offset;
    uint32_t at = find_binding(e->program, name, strcspn(name, "."));
    if (at == UINT32_MAX)
        return 0;
    const weft_type *tail = layout_tail(e->program->point->bindings[at].layout, &offset);
    return tail && e->args[at].size >= offset ? (e->args[at].size - offset) / tail->stride : 0;
}
