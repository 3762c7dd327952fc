// SPDX-License-Identifier: Apache-2.0
/*
 * types.c - types of WGSL to types of values and of memory.
 *
 * in     types of the checked module; array sizes from the specialization
 * out    IrType for scalars and vectors, MemType for everything in memory
 * knows  WGSL 14.4 (memory layout), the slots of the invocation's own memory
 * not    expressions. The module's type table is shared between threads, so no
 *        type is made there.
 */
#include "lower/lower_priv.h"

NumKind lower_num_kind(const Type *t)
{
    switch (type_scalar_of(t)->kind) {
    case TYPE_BOOL:           return NUM_BOOL;
    case TYPE_U32:            return NUM_UNSIGNED;
    case TYPE_F32:
    case TYPE_F16:
    case TYPE_F64:
    case TYPE_ABSTRACT_FLOAT: return NUM_FLOAT;
    default:                  return NUM_SIGNED;
    }
}

static uint8_t scalar_kind(const Type *t)
{
    switch (t->kind) {
    case TYPE_BOOL:           return SCALAR_BOOL;
    case TYPE_I32:
    case TYPE_U32:
    case TYPE_ABSTRACT_INT:   return SCALAR_I32;
    case TYPE_F32:
    case TYPE_ABSTRACT_FLOAT: return SCALAR_F32;
    case TYPE_F16:            return SCALAR_F16;
    case TYPE_F64:            return SCALAR_F64;
    default:                  BUG("not a scalar type");
    }
}

IrType lower_ir_type(const Type *t)
{
    switch (t->kind) {
    case TYPE_VECTOR:
        return (IrType){scalar_kind(t->vector.of), (uint8_t)t->vector.width};
    case TYPE_MATRIX:
        return (IrType){scalar_kind(t->matrix.of), (uint8_t)t->matrix.rows};
    case TYPE_ATOMIC:
        return lower_ir_type(t->atomic.of);
    default:
        return (IrType){scalar_kind(t), 1};
    }
}

/* ---- layout of WGSL ---- */

static uint32_t component_size(IrType type)
{
    return type.kind == SCALAR_F16 ? 2 : type.kind == SCALAR_F64 ? 8 : 4;
}

static const MemType *value_mem(Lower *l, const Type *t, bool atomic)
{
    IrType type = lower_ir_type(t);
    return ir_mem_value(l->ir, type, atomic, component_size(type));
}

static const MemType *matrix_mem(Lower *l, const Type *t)
{
    const MemType *column = value_mem(l, t, false);
    uint32_t rows = t->matrix.rows;
    uint32_t stride = column->value.stride * (rows == 3 ? 4 : rows);
    return ir_mem_array(l->ir, column, t->matrix.columns, stride, true);
}

/* Sizes that the IR has 32 bits for. A buffer that large cannot be bound. */
static uint32_t size32(Lower *l, uint64_t bytes)
{
    if (bytes > INT32_MAX)
        lower_fail(l, DIAG_kernel_too_large, l->c.span,
                   "a type has parts of %llu bytes; the most that is compiled is %d",
                   (unsigned long long)bytes, INT32_MAX);
    return (uint32_t)bytes;
}

static const MemType *array_mem(Lower *l, const Type *t)
{
    const MemType *of = lower_mem(l, t->array.of);
    uint64_t count = 0;
    if (t->array.count_kind != COUNT_RUNTIME)
        count = specialize_count(l->spec, t);
    return ir_mem_array(l->ir, of, count, size32(l, t->array.stride), false);
}

static const MemType *struct_mem(Lower *l, const Type *t)
{
    const Decl *d = t->structure.decl;
    uint32_t n = d->structure.nmembers;
    MemField *fields = ARENA_ARRAY(l->arena, MemField, n);
    for (uint32_t i = 0; i < n; i++) {
        const Member *m = &d->structure.members[i];
        fields[i] = (MemField){.type = lower_mem(l, m->type), .offset = m->offset,
                               .name = m->ident.name->text};
        size32(l, m->offset);
    }
    uint64_t size = t->size ? t->size : fields[n - 1].offset;
    return ir_mem_struct(l->ir, d->ident.name->text, fields, n, t->align, size);
}

static const MemType *mem_new(Lower *l, const Type *t)
{
    switch (t->kind) {
    case TYPE_MATRIX: return matrix_mem(l, t);
    case TYPE_ARRAY:  return array_mem(l, t);
    case TYPE_STRUCT: return struct_mem(l, t);
    case TYPE_ATOMIC: return value_mem(l, t, true);
    case TYPE_BUFFER:
        return ir_mem_bytes(l->ir, t->array.count_kind == COUNT_RUNTIME
                                       ? 0 : specialize_count(l->spec, t));
    default:          return value_mem(l, t, false);
    }
}

const MemType *lower_mem(Lower *l, const Type *t)
{
    if (t->id < l->mems.len && l->mems.data[t->id])
        return l->mems.data[t->id];
    const MemType *made = mem_new(l, t);
    while (l->mems.len <= t->id)
        VEC_PUSH(l->arena, &l->mems, NULL);
    l->mems.data[t->id] = made;
    return made;
}

/* ---- slots ---- */

static uint64_t product(uint64_t count, uint64_t size)
{
    return size && count > UINT64_MAX / size ? UINT64_MAX : count * size;
}

static void check_slots(Lower *l, uint64_t bytes)
{
    if (bytes > LOWER_MAX_CONSTANT)
        lower_fail(l, DIAG_kernel_too_large, l->c.span,
                   "a value takes more than the %u bytes that a kernel may keep to itself",
                   LOWER_MAX_CONSTANT);
}

static const MemType *array_slots(Lower *l, const MemType *mem)
{
    const MemType *of = lower_slots(l, mem->array.of);
    check_slots(l, product(mem->array.count, of->size));
    return ir_mem_array(l->ir, of, mem->array.count, (uint32_t)of->size,
                        mem->array.matrix);
}

static const MemType *struct_slots(Lower *l, const MemType *mem)
{
    uint32_t n = mem->structure.count;
    MemField *fields = ARENA_ARRAY(l->arena, MemField, n);
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const MemField *f = &mem->structure.fields[i];
        const MemType *type = lower_slots(l, f->type);
        fields[i] = (MemField){.type = type, .offset = (uint32_t)at, .name = f->name};
        at += type->size;
        check_slots(l, at);
    }
    return ir_mem_struct(l->ir, mem->structure.name, fields, n, 4, at);
}

static const MemType *slots_new(Lower *l, const MemType *mem)
{
    switch (mem->kind) {
    case MEM_VALUE:
        return ir_mem_value(l->ir, mem->value.type, false,
                            mem->value.type.kind == SCALAR_F64 ? 8 : 4);
    case MEM_ARRAY:  return array_slots(l, mem);
    case MEM_STRUCT: return struct_slots(l, mem);
    case MEM_BYTES:  break;
    }
    BUG("opaque bytes have no slots");
}

const MemType *lower_slots(Lower *l, const MemType *mem)
{
    if (mem->id < l->slots.len && l->slots.data[mem->id])
        return l->slots.data[mem->id];
    const MemType *made = slots_new(l, mem);
    while (l->slots.len <= mem->id)
        VEC_PUSH(l->arena, &l->slots, NULL);
    l->slots.data[mem->id] = made;
    return made;
}

const MemType *lower_type_slots(Lower *l, const Type *t)
{
    return lower_slots(l, lower_mem(l, t));
}

/* ---- parts ---- */

static uint32_t array_leaves(const MemType *mem)
{
    uint32_t n = lower_leaves(mem->array.of);
    if (n > LOWER_MAX_LEAVES || mem->array.count > LOWER_MAX_LEAVES / n)
        return LOWER_MAX_LEAVES + 1;
    return n * (uint32_t)mem->array.count;
}

uint32_t lower_leaves(const MemType *mem)
{
    if (mem->kind == MEM_VALUE)
        return 1;
    if (mem->kind == MEM_ARRAY)
        return array_leaves(mem);
    BUG_IF(mem->kind != MEM_STRUCT, "opaque bytes are no value");
    uint32_t n = 0;
    for (uint32_t i = 0; i < mem->structure.count && n <= LOWER_MAX_LEAVES; i++)
        n += lower_leaves(mem->structure.fields[i].type);
    return MIN_OF(n, LOWER_MAX_LEAVES + 1);
}

bool lower_is_large(Lower *l, const Type *t)
{
    return lower_leaves(lower_mem(l, t)) > LOWER_MAX_LEAVES;
}

uint64_t lower_part_count(const MemType *mem)
{
    return mem->kind == MEM_STRUCT ? mem->structure.count : mem->array.count;
}

const MemType *lower_part(const MemType *mem, uint64_t i)
{
    return mem->kind == MEM_STRUCT ? mem->structure.fields[i].type : mem->array.of;
}
