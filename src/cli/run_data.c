// SPDX-License-Identifier: Apache-2.0
/*
 * run_data.c - the bytes of every binding before the run.
 *
 * in     what was given for each binding, the limits of the device
 * out    bytes; sizes of arrays that were not given; what is missing, with examples
 * not    how a value becomes bytes (data.c)
 */
#include "cli/run_priv.h"

#include <stdlib.h>

static uint64_t round_up(uint64_t size, uint64_t to)
{
    return (size + to - 1) / to * to;
}

static uint64_t limit_of(const Run *r, const Bound *b)
{
    const WGPULimits *l = &r->device.limits;
    if (!b->is_buffer)
        return l->maxImmediateSize;
    return MIN_OF(l->maxBufferSize, b->uniform ? l->maxUniformBufferBindingSize
                                               : l->maxStorageBufferBindingSize);
}

/* ---- sizes ---- */

static bool check_size(Run *r, const Bound *b, const char *name, uint64_t size)
{
    uint64_t limit = limit_of(r, b);
    if (size <= limit)
        return true;
    if (size == UINT64_MAX)
        return run_fail(r, "%s: so large an array cannot be counted in bytes", name);
    return run_fail(r, "%s would take %llu bytes; the device allows a binding of this kind "
                    "%llu", name, (unsigned long long)size, (unsigned long long)limit);
}

/* Text and wider numbers take more bytes in a file than in a buffer. */
static uint64_t file_limit(const Run *r, const Bound *b, const Value *v)
{
    uint64_t limit = limit_of(r, b);
    return v->kind == VALUE_RAW ? limit : 16 * MIN_OF(limit, (uint64_t)1 << 34) + 65536;
}

static bool measure_piece(Run *r, Bound *b, Piece *p)
{
    const char *why = NULL;
    /* A fixed part that is too large must not be counted, scalar by scalar. */
    if (!check_size(r, b, p->name, p->offset + shape_size(&p->shape, 0)))
        return false;
    if (!value_open(&p->value, file_limit(r, b, &p->value)))
        return run_fail(r, "%s: %s", p->name, p->value.why);
    if (!data_measure(&p->shape, &p->value, &r->cli->arena, &p->count, &why))
        return run_fail(r, "%s: %s", p->name, why);
    uint64_t size = shape_size(&p->shape, p->count);
    if (p->shape.tail)
        b->count = p->count;
    return check_size(r, b, p->name, size > UINT64_MAX - p->offset ? UINT64_MAX
                                                                   : p->offset + size);
}

/* Is it an array, or a structure that ends in one? */
static bool is_array(const Bound *b)
{
    return b->shape.tail || b->type->kind == WEFT_TYPE_ARRAY;
}

static void note_longest(Run *r, const Bound *b)
{
    uint64_t count = b->shape.tail ? b->count : data_shape_count(&b->shape, b->type->size);
    if (!b->is_buffer || b->uniform || !is_array(b) || count <= r->longest)
        return;
    r->longest = count;
    r->longest_of = b;
}

static bool measure_bound(Run *r, Bound *b)
{
    if (!check_size(r, b, b->name, shape_size(&b->shape, 0)))
        return false;
    for (uint32_t i = 0; i < b->pieces.len; i++)
        if (!measure_piece(r, b, &b->pieces.data[i]))
            return false;
    const Output *picture = run_picture_of(r, b);
    if (b->shape.tail && b->count == 0 && picture)
        b->count = (uint64_t)picture->width * picture->height;
    note_longest(r, b);
    return true;
}

/* ---- what is missing ---- */

static void example_numbers(Text *out, const char *name, const char *member,
                            const weft_type *type, bool writable)
{
    uint64_t n = type->size ? type_scalars(type) : 0;
    text_printf(out, "%s%s%s=", name, member ? "." : "", member ? member : "");
    if (n == 0)
        text_printf(out, "%s:1024", writable ? "size" : "random");
    else if (n > 8)
        text_printf(out, "random");
    for (uint64_t i = 0; n <= 8 && i < n; i++)
        text_printf(out, "%s%llu", i ? "," : "", (unsigned long long)i + 1);
}

static bool is_missing(const Bound *b, const weft_member *member)
{
    for (uint32_t i = 0; i < b->pieces.len; i++)
        if (!b->pieces.data[i].member || b->pieces.data[i].member == member)
            return false;
    return true;
}

/* "view.centre=1,2 view.scale=1": how to give what is missing of a binding. */
static const char *example_of(Run *r, const Bound *b)
{
    Text out = {.arena = &r->cli->arena};
    if (b->type->kind != WEFT_TYPE_STRUCT) {
        example_numbers(&out, b->name, NULL, b->shape.type, b->writable);
        return out.data;
    }
    const weft_struct *s = b->type->structure;
    for (uint32_t i = 0; i < s->member_count; i++) {
        const weft_member *m = &s->members[i];
        if (!is_missing(b, m) || (b->writable && m->layout->size))
            continue;
        text_printf(&out, "%s", out.len ? " " : "");
        example_numbers(&out, b->name, m->name, m->layout, b->writable);
    }
    return out.data;
}

/* Read-only data must be given, all of it; what is written starts as zeros, but an
 * array needs a length. */
static bool lacks(const Run *r, const Bound *b)
{
    if (b->writable)
        return b->shape.tail && b->count == 0 && !r->longest_of;
    if (b->type->kind != WEFT_TYPE_STRUCT)
        return b->pieces.len == 0;
    for (uint32_t i = 0; i < b->type->structure->member_count; i++)
        if (is_missing(b, &b->type->structure->members[i]))
            return true;
    return false;
}

static bool find_missing(Run *r)
{
    Text     all = {.arena = &r->cli->arena};
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->bound_count; i++) {
        const Bound *b = &r->bounds[i];
        if (!lacks(r, b))
            continue;
        count++;
        text_printf(&all, "\n  %s\n      %s", bound_text(r, b), example_of(r, b));
    }
    return count == 0 || run_fail(r, "'%s' needs %s, given for example as below:%s",
                                  r->entry->name, count == 1 ? "a value" : "values", all.data);
}

/* ---- bytes ---- */

static void infer_count(Run *r, Bound *b)
{
    if (!b->shape.tail || b->count)
        return;
    b->count = r->longest;
    run_note(r, "'%s' gets %llu element%s, as many as '%s' has; %s=size:N gives it another "
             "number", b->name, (unsigned long long)b->count, b->count == 1 ? "" : "s",
             r->longest_of->name, b->name);
}

static void settle_size(Run *r, Bound *b)
{
    uint64_t wanted = shape_size(&b->shape, b->count);
    b->size = round_up(MAX_OF(wanted, b->min_size), 4);
    uint64_t count = data_shape_count(&b->shape, b->size);
    if (b->shape.tail && count != b->count) {
        run_note(r, "'%s' gets %llu elements instead of %llu: a buffer of %s takes %llu bytes",
                 b->name, (unsigned long long)count, (unsigned long long)b->count,
                 b->type->name, (unsigned long long)b->size);
        b->count = count;
    }
}

static bool fill_bound(Run *r, Bound *b)
{
    const char *why = NULL;
    b->bytes = calloc(1, b->size);
    if (!b->bytes)
        return run_fail(r, "no memory for the %llu bytes of '%s'", (unsigned long long)b->size,
                        b->name);
    for (uint32_t i = 0; i < b->pieces.len; i++) {
        Piece *p = &b->pieces.data[i];
        if (!data_fill(&p->shape, &p->value, p->count, b->bytes + p->offset, &why))
            return run_fail(r, "%s: %s", p->name, why);
        value_close(&p->value);
    }
    return true;
}

bool run_data(Run *r)
{
    for (uint32_t i = 0; i < r->bound_count; i++)
        if (!measure_bound(r, &r->bounds[i]))
            return false;
    if (!find_missing(r))
        return false;
    for (uint32_t i = 0; i < r->bound_count; i++) {
        Bound *b = &r->bounds[i];
        infer_count(r, b);
        settle_size(r, b);
        if (!check_size(r, b, b->name, b->size) || !fill_bound(r, b))
            return false;
        note_longest(r, b);
    }
    return true;
}
