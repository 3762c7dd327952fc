// SPDX-License-Identifier: Apache-2.0
/*
 * fill.c - numbers become the bytes of a binding, by its reflected layout.
 *
 * in     numbers in the order of the scalars, or those of one member
 * out    bytes, with the padding that WGSL's layout asks for
 * knows  weft_type
 * not    devices, JSON
 */
#include <math.h>
#include <string.h>

#include "server/worker/executor_priv.h"

typedef struct Fill {
    uint8_t      *bytes;
    uint64_t      size;
    const double *numbers;
    uint64_t      count, at;
    const char   *name;
    ExecError    *e;
} Fill;

static uint32_t scalar_size(weft_scalar s)
{
    return s == WEFT_SCALAR_F16 ? 2 : 4;
}

static uint16_t half_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (rest >= 0x47800000)
        return (uint16_t)(sign | 0x7c00);
    if (rest < 0x38800000) {            /* subnormal: scale, round to even */
        float scaled = fabsf(f) * 16777216.0f;
        return (uint16_t)(sign | (uint32_t)nearbyintf(scaled));
    }
    uint32_t round = rest + 0x0fff + (rest >> 13 & 1);
    return (uint16_t)(sign | ((round - 0x38000000) >> 13));
}

static bool put_scalar(Fill *f, uint64_t offset, weft_scalar s)
{
    double v = f->numbers[f->at];
    if (offset + scalar_size(s) > f->size)
        return exec_fail(f->e, WEFT_ERROR_SHAPE, "input '%s' does not fit its binding", f->name);
    bool whole = v == floor(v);
    if (s == WEFT_SCALAR_U32 && (!whole || v < 0 || v > 4294967295.0))
        return exec_fail(f->e, WEFT_ERROR_TYPE, "input '%s': %g is not a u32", f->name, v);
    if (s == WEFT_SCALAR_I32 && (!whole || v < -2147483648.0 || v > 2147483647.0))
        return exec_fail(f->e, WEFT_ERROR_TYPE, "input '%s': %g is not an i32", f->name, v);
    float    f32 = (float)v;
    uint32_t u32 = s == WEFT_SCALAR_U32 ? (uint32_t)v : 0;
    int32_t  i32 = s == WEFT_SCALAR_I32 ? (int32_t)v : 0;
    uint16_t f16 = half_of(f32);
    const void *from = s == WEFT_SCALAR_F32 ? (void *)&f32 : s == WEFT_SCALAR_U32 ? (void *)&u32
                     : s == WEFT_SCALAR_I32 ? (void *)&i32 : (void *)&f16;
    memcpy(f->bytes + offset, from, scalar_size(s));
    f->at++;
    return true;
}

static bool put(Fill *f, uint64_t offset, const weft_type *t);

static bool put_elements(Fill *f, uint64_t offset, const weft_type *t)
{
    uint64_t count = t->count;
    if (count == 0)
        count = t->stride && f->size > offset ? (f->size - offset) / t->stride : 0;
    /* Long arrays of scalars are common: no recursion for them. */
    for (uint64_t i = 0; i < count && f->at < f->count; i++) {
        uint64_t at = offset + i * t->stride;
        if (!(t->element->kind == WEFT_TYPE_SCALAR ? put_scalar(f, at, t->element->scalar)
                                                   : put(f, at, t->element)))
            return false;
    }
    return true;
}

static bool put(Fill *f, uint64_t offset, const weft_type *t)
{
    switch (t->kind) {
    case WEFT_TYPE_SCALAR:
        return f->at == f->count || put_scalar(f, offset, t->scalar);
    case WEFT_TYPE_VECTOR:
        for (uint64_t i = 0; i < t->count && f->at < f->count; i++)
            if (!put_scalar(f, offset + i * scalar_size(t->scalar), t->scalar))
                return false;
        return true;
    case WEFT_TYPE_MATRIX:
    case WEFT_TYPE_ARRAY:
        return put_elements(f, offset, t);
    case WEFT_TYPE_STRUCT:
        for (uint32_t i = 0; i < t->structure->member_count && f->at < f->count; i++) {
            const weft_member *m = &t->structure->members[i];
            if (m->layout && !put(f, offset + m->offset, m->layout))
                return false;
        }
        return true;
    case WEFT_TYPE_BYTES:
        break;
    }
    return exec_fail(f->e, WEFT_ERROR_TYPE, "input '%s' has no type: send bytes", f->name);
}

/* Follows "a.b" through structures; adds the offset. */
static const weft_type *follow(const weft_type *t, const char *path, uint64_t *offset)
{
    while (*path) {
        size_t length = strcspn(path, ".");
        const weft_type *next = NULL;
        if (t->kind != WEFT_TYPE_STRUCT)
            return NULL;
        for (uint32_t i = 0; i < t->structure->member_count && !next; i++) {
            const weft_member *m = &t->structure->members[i];
            if (strlen(m->name) == length && memcmp(m->name, path, length) == 0) {
                *offset += m->offset;
                next = m->layout;
            }
        }
        if (!next)
            return NULL;
        t = next;
        path += length + (path[length] == '.');
    }
    return t;
}

bool fill_numbers(uint8_t *bytes, uint64_t size, const weft_type *type, const char *path,
                  const double *numbers, uint64_t count, const char *name, ExecError *e)
{
    uint64_t offset = 0;
    const weft_type *at = follow(type, path, &offset);
    if (!at)
        return exec_fail(e, WEFT_ERROR_NOT_FOUND, "input '%s' names no member of '%s'", name,
                         type->name);
    Fill f = {bytes, size, numbers, count, 0, name, e};
    if (!put(&f, offset, at))
        return false;
    if (f.at < count)
        return exec_fail(e, WEFT_ERROR_SHAPE, "input '%s' has %llu numbers; its binding holds "
                         "%llu", name, (unsigned long long)count, (unsigned long long)f.at);
    return true;
}

static uint64_t scalar_count(const weft_type *t)
{
    switch (t->kind) {
    case WEFT_TYPE_SCALAR: return 1;
    case WEFT_TYPE_VECTOR: return t->count;
    case WEFT_TYPE_MATRIX:
    case WEFT_TYPE_ARRAY:  return t->count * scalar_count(t->element);
    case WEFT_TYPE_STRUCT: {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < t->structure->member_count; i++)
            if (t->structure->members[i].layout)
                sum += scalar_count(t->structure->members[i].layout);
        return sum;
    }
    case WEFT_TYPE_BYTES: break;
    }
    return 0;
}

uint64_t fill_size(const weft_type *t, uint64_t numbers, uint64_t min_size)
{
    if (t->size)
        return t->size;
    const weft_type *tail = t;
    uint64_t         head = 0, before = 0;
    if (t->kind == WEFT_TYPE_STRUCT) {
        const weft_member *last = &t->structure->members[t->structure->member_count - 1];
        tail = last->layout;
        head = last->offset;
        before = scalar_count(t);       /* a runtime-sized array counts as nothing */
    }
    if (!tail || tail->kind != WEFT_TYPE_ARRAY || !tail->element)
        return 0;
    uint64_t each = scalar_count(tail->element), rest = numbers > before ? numbers - before : 0;
    uint64_t count = each ? (rest + each - 1) / each : 0;
    if (tail->stride && count > (UINT64_MAX / 4 - head) / tail->stride)
        return 0;
    uint64_t size = head + count * tail->stride;
    size = MAX_OF(size, min_size);
    return (size + 3) / 4 * 4;
}

WireScalar fill_scalar(const weft_type *t)
{
    while (t && (t->kind == WEFT_TYPE_ARRAY || t->kind == WEFT_TYPE_MATRIX))
        t = t->element;
    if (!t || (t->kind != WEFT_TYPE_SCALAR && t->kind != WEFT_TYPE_VECTOR))
        return WIRE_ANY;
    switch (t->scalar) {
    case WEFT_SCALAR_F32: return WIRE_F32;
    case WEFT_SCALAR_I32: return WIRE_I32;
    case WEFT_SCALAR_U32: return WIRE_U32;
    case WEFT_SCALAR_F16: return WIRE_F16;
    default:              return WIRE_ANY;
    }
}
