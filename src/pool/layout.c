// SPDX-License-Identifier: Apache-2.0
/*
 * layout.c - types of variables: which scalars they hold, where their members are, how many
 * elements fit.
 *
 * in     reflection of a kernel (weft/wgsl.h)
 * out    offsets, sizes, the scalar that all of a value consists of
 * not    executions
 */
#include "pool/layout_priv.h"

#include <stdlib.h>
#include <string.h>

uint64_t layout_scalar_bytes(weft_scalar type)
{
    switch (type) {
    case WEFT_SCALAR_F16: return 2;
    case WEFT_SCALAR_F64: return 8;
    case WEFT_SCALAR_BOOL: case WEFT_SCALAR_I32: case WEFT_SCALAR_U32: case WEFT_SCALAR_F32:
        return 4;
    default: return 1;
    }
}

bool layout_shape_bytes(uint64_t *out, weft_scalar type, const uint64_t *shape, uint32_t rank)
{
    uint64_t bytes = layout_scalar_bytes(type);
    for (uint32_t i = 0; i < rank; i++) {
        if (bytes && shape[i] > LAYOUT_MOST_BYTES / bytes)
            return false;
        bytes *= shape[i];
    }
    *out = bytes;
    return true;
}

const char *layout_scalar_name(weft_scalar type)
{
    static const char *const names[] = {"bytes", "bool", "i32", "u32", "f32", "f16", "f64"};
    return (uint32_t)type < COUNTOF(names) ? names[type] : "unknown";
}

/* Of a structure: of its members, if they agree. */
static weft_scalar struct_scalar(const weft_struct *s)
{
    weft_scalar all = 0;
    for (uint32_t i = 0; i < s->member_count; i++) {
        weft_scalar one = s->members[i].layout ? layout_common_scalar(s->members[i].layout) : 0;
        if (!one || (all && one != all))
            return 0;
        all = one;
    }
    return all;
}

weft_scalar layout_common_scalar(const weft_type *t)
{
    switch (t->kind) {
    case WEFT_TYPE_SCALAR: case WEFT_TYPE_VECTOR: case WEFT_TYPE_MATRIX: return t->scalar;
    case WEFT_TYPE_ARRAY: return layout_common_scalar(t->element);
    case WEFT_TYPE_STRUCT: return struct_scalar(t->structure);
    default: return 0;
    }
}

const weft_type *layout_tail(const weft_type *t, uint64_t *offset)
{
    *offset = 0;
    while (t && t->kind == WEFT_TYPE_STRUCT && t->structure->member_count) {
        const weft_member *last = &t->structure->members[t->structure->member_count - 1];
        *offset += last->offset;
        t = last->layout;
    }
    return t && t->kind == WEFT_TYPE_ARRAY && t->count == 0 ? t : NULL;
}

static const weft_member *member_find(const weft_struct *s, const char *name, size_t length)
{
    for (uint32_t i = 0; i < s->member_count; i++)
        if (strlen(s->members[i].name) == length && memcmp(s->members[i].name, name, length) == 0)
            return &s->members[i];
    return NULL;
}

/* "[3]" after an array or a vector. */
static const weft_type *element_at(const weft_type *t, const char **path, uint64_t *offset)
{
    char    *end;
    uint64_t index = strtoull(*path + 1, &end, 10);
    bool     indexed = t->kind == WEFT_TYPE_ARRAY || t->kind == WEFT_TYPE_VECTOR
                    || t->kind == WEFT_TYPE_MATRIX;
    if (*end != ']' || end == *path + 1 || !indexed || (t->count && index >= t->count)
        || index > UINT32_MAX)
        return NULL;
    *path = end + 1;
    *offset += index * t->stride;
    return t->element;
}

const weft_type *layout_member(const weft_type *t, const char *path, uint64_t *offset)
{
    *offset = 0;
    while (t && *path) {
        if (*path == '[') {
            t = element_at(t, &path, offset);
            continue;
        }
        if (*path != '.' || t->kind != WEFT_TYPE_STRUCT)
            return NULL;
        size_t length = strcspn(path + 1, ".[");
        const weft_member *m = member_find(t->structure, path + 1, length);
        if (!m)
            return NULL;
        *offset += m->offset;
        t = m->layout;
        path += 1 + length;
    }
    return t;
}

void layout_narrow(void *f32, const void *f64, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double wide;
        memcpy(&wide, (const char *)f64 + i * 8, 8);
        float narrow = (float)wide;
        memcpy((char *)f32 + i * 4, &narrow, 4);
    }
}

void layout_widen(void *f64, const void *f32, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        float narrow;
        memcpy(&narrow, (const char *)f32 + i * 4, 4);
        double wide = (double)narrow;
        memcpy((char *)f64 + i * 8, &wide, 8);
    }
}
