// SPDX-License-Identifier: Apache-2.0
/*
 * reflect_type.c - how the types of buffers lie in memory, told from outside.
 *
 * in     host-shareable types of a checked module
 * out    weft_type trees that share their branches
 * knows  the layouts that type.c and layout.c have found
 * not    how they were found
 */
#include "check/wgsl_priv.h"

void layouts_init(Layouts *l, Arena *arena, const Module *m)
{
    *l = (Layouts){.arena = arena, .count = m->info->types.all.len};
    l->of = ARENA_ARRAY(arena, const weft_type *, l->count);
}

void layouts_add_struct(Layouts *l, const Type *t, const weft_struct *structure)
{
    weft_type *out = ARENA_NEW(l->arena, weft_type);
    *out = (weft_type){
        .kind = WEFT_TYPE_STRUCT, .name = type_string(l->arena, t),
        .align = t->align, .size = t->size, .structure = structure,
    };
    l->of[t->id] = out;
}

weft_scalar layout_scalar(const Type *t)
{
    switch (t->kind) {
    case TYPE_BOOL: return WEFT_SCALAR_BOOL;
    case TYPE_I32:  return WEFT_SCALAR_I32;
    case TYPE_U32:  return WEFT_SCALAR_U32;
    case TYPE_F32:  return WEFT_SCALAR_F32;
    case TYPE_F16:  return WEFT_SCALAR_F16;
    case TYPE_F64:  return WEFT_SCALAR_F64;
    default:        BUG("a type that is not a scalar");
    }
}

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

/* A vector has `stride` equal to the size of its scalar; it fills no gap. */
static void vector_parts(Layouts *l, weft_type *out, const Type *of, uint32_t width)
{
    out->kind = WEFT_TYPE_VECTOR;
    out->scalar = layout_scalar(of);
    out->element = layout_of(l, of);
    out->count = width;
    out->stride = of->size;
}

/* The module need not have the type of a matrix's columns. */
static const weft_type *column_of(Layouts *l, const Type *t)
{
    weft_type *out = ARENA_NEW(l->arena, weft_type);
    const Type *of = t->matrix.of;
    vector_parts(l, out, of, t->matrix.rows);
    out->name = arena_printf(l->arena, "vec%u<%s>", t->matrix.rows, out->element->name);
    out->size = of->size * t->matrix.rows;
    out->align = t->align;
    return out;
}

static void parts_of(Layouts *l, weft_type *out, const Type *t)
{
    switch (t->kind) {
    case TYPE_VECTOR:
        vector_parts(l, out, t->vector.of, t->vector.width);
        break;
    case TYPE_MATRIX:
        out->kind = WEFT_TYPE_MATRIX;
        out->scalar = layout_scalar(t->matrix.of);
        out->element = column_of(l, t);
        out->count = t->matrix.columns;
        out->stride = round_up(out->element->size, t->align);
        break;
    case TYPE_ARRAY:
        out->kind = WEFT_TYPE_ARRAY;
        out->element = layout_of(l, t->array.of);
        out->count = t->array.count_kind == COUNT_FIXED ? t->array.count : 0;
        out->stride = t->array.stride;
        break;
    case TYPE_BUFFER:
        out->kind = WEFT_TYPE_BYTES;
        out->size = t->array.count_kind == COUNT_FIXED ? t->array.count : 0;
        out->align = 0;
        break;
    default:
        out->kind = WEFT_TYPE_SCALAR;
        out->scalar = layout_scalar(t->kind == TYPE_ATOMIC ? t->atomic.of : t);
    }
}

const weft_type *layout_of(Layouts *l, const Type *t)
{
    BUG_IF(t->id >= l->count, "a type that the module did not have");
    if (l->of[t->id])
        return l->of[t->id];
    weft_type *out = ARENA_NEW(l->arena, weft_type);
    out->name = type_string(l->arena, t);
    out->align = t->align;
    out->size = t->size;
    parts_of(l, out, t);
    l->of[t->id] = out;
    return out;
}
