// SPDX-License-Identifier: Apache-2.0
/*
 * memtype.c - types of memory, each made once.
 *
 * A kernel has few of them (tens, not thousands), so a list is searched.
 */
#include "ir/ir.h"

static bool fields_equal(const MemType *x, const MemType *y)
{
    if (x->structure.count != y->structure.count)
        return false;
    for (uint32_t i = 0; i < x->structure.count; i++) {
        const MemField *f = &x->structure.fields[i], *g = &y->structure.fields[i];
        if (f->type != g->type || f->offset != g->offset || !str_eq(f->name, g->name))
            return false;
    }
    return str_eq(x->structure.name, y->structure.name);
}

static bool same(const MemType *x, const MemType *y)
{
    if (x->kind != y->kind || x->align != y->align || x->size != y->size)
        return false;
    switch (x->kind) {
    case MEM_VALUE:
        return ir_type_eq(x->value.type, y->value.type) &&
               x->value.atomic == y->value.atomic && x->value.stride == y->value.stride;
    case MEM_ARRAY:
        return x->array.of == y->array.of && x->array.count == y->array.count &&
               x->array.stride == y->array.stride && x->array.matrix == y->array.matrix;
    case MEM_STRUCT:
        return fields_equal(x, y);
    case MEM_BYTES:
        return true;
    }
    return false;
}

static const MemType *intern(Ir *ir, MemType type)
{
    for (uint32_t i = 0; i < ir->mem_types.len; i++)
        if (same(ir->mem_types.data[i], &type))
            return ir->mem_types.data[i];
    type.id = ir->mem_types.len;
    MemType *made = arena_copy(ir->arena, &type, sizeof type);
    VEC_PUSH(ir->arena, &ir->mem_types, made);
    return made;
}

const MemType *ir_mem_value(Ir *ir, IrType type, bool atomic, uint32_t stride)
{
    return intern(ir, (MemType){
        .kind = MEM_VALUE, .align = MIN_OF(stride, 4u), .size = (uint64_t)stride * type.width,
        .value = {.type = type, .atomic = atomic, .stride = stride},
    });
}

const MemType *ir_mem_array(Ir *ir, const MemType *of, uint64_t count, uint32_t stride,
                            bool matrix)
{
    return intern(ir, (MemType){
        .kind = MEM_ARRAY, .align = of->align, .size = count * stride,
        .array = {.of = of, .count = count, .stride = stride, .matrix = matrix},
    });
}

const MemType *ir_mem_struct(Ir *ir, Str name, const MemField *fields, uint32_t count,
                             uint32_t align, uint64_t size)
{
    return intern(ir, (MemType){
        .kind = MEM_STRUCT, .align = align, .size = size,
        .structure = {
            .fields = arena_copy(ir->arena, fields, count * sizeof *fields),
            .count = count, .name = name,
        },
    });
}

const MemType *ir_mem_bytes(Ir *ir, uint64_t count)
{
    return intern(ir, (MemType){.kind = MEM_BYTES, .align = 4, .size = count});
}
