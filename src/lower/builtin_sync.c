// SPDX-License-Identifier: Apache-2.0
/*
 * builtin_sync.c - builtin functions of memory and of invocations together.
 *
 * in     a call; arguments are evaluated here, left to right
 * out    ATOMIC, BARRIER, SUBGROUP, LENGTH, VIEW
 * knows  WGSL 17.4, 17.8, 17.11 to 17.14
 */
#include "lower/lower_priv.h"

static Inst *pointer_arg(Lower *l, const BuiltinCall *b)
{
    return lower_value(l, b->e->call.args[0]).inst;
}

/* ---- atomics ---- */

Val lower_atomic(Lower *l, const BuiltinCall *b)
{
    Inst *place = pointer_arg(l, b);
    Inst *value = b->e->call.nargs > 1 ? lower_arg(l, b, 1) : NULL;
    IrAtomic op = (IrAtomic)lower_by_kind(b);
    Inst *old = ir_atomic(&l->c, op, place, NULL, value);
    return op == ATOMIC_STORE ? (Val){0} : val_one(old);
}

Val lower_atomic_exchange(Lower *l, const BuiltinCall *b)
{
    Inst *place = pointer_arg(l, b);
    Inst *comparand = lower_arg(l, b, 1), *value = lower_arg(l, b, 2);
    Inst *old = ir_atomic(&l->c, ATOMIC_COMPARE_EXCHANGE, place, comparand, value);
    Inst *exchanged = ir_op2(&l->c, IR_IEQ, old, comparand);
    return val_many(l->arena, (Inst *[]){old, exchanged}, 2);
}

/* ---- synchronisation ---- */

Val lower_barrier(Lower *l, const BuiltinCall *b)
{
    ir_barrier(&l->c, b->u);
    return (Val){0};
}

static Val uniform_leaves(Lower *l, Val v)
{
    if (v.n == 0)                       /* in memory: nothing is promised of it */
        return v;
    Inst **leaves = ARENA_ARRAY(l->arena, Inst *, v.n);
    for (uint32_t i = 0; i < v.n; i++)
        leaves[i] = ir_op1(&l->c, IR_UNIFORM, val_leaf(&v, i));
    return val_many(l->arena, leaves, v.n);
}

Val lower_uniform_load(Lower *l, const BuiltinCall *b)
{
    Inst *place = pointer_arg(l, b);
    bool atomic = place->mem->kind == MEM_VALUE && place->mem->value.atomic;
    ir_barrier(&l->c, BARRIER_WORKGROUP);
    Val v = atomic ? val_one(ir_atomic(&l->c, ATOMIC_LOAD, place, NULL, NULL))
                   : lower_load(l, place);
    v = uniform_leaves(l, v);
    ir_barrier(&l->c, BARRIER_WORKGROUP);
    return v;
}

Val lower_subgroup(Lower *l, const BuiltinCall *b)
{
    Inst *args[2] = {0};
    uint32_t n = b->e->call.nargs;
    for (uint32_t i = 0; i < n; i++)
        args[i] = lower_arg(l, b, i);
    return val_one(ir_subgroup(&l->c, (IrSubgroup)lower_by_kind(b),
                               lower_ir_type(b->e->type), n, args));
}

/* ---- lengths ---- */

/* What a view shows knows its length; other memory is asked. */
Val lower_array_length(Lower *l, const BuiltinCall *b)
{
    Val array = lower_value(l, b->e->call.args[0]);
    if (array.count)
        return val_one(array.count);
    return val_one(ir_op_as(&l->c, IR_LENGTH, IR_I32, 1, &array.inst));
}

static Inst *buffer_length(Lower *l, Inst *buffer)
{
    uint64_t size = buffer->mem->size;
    if (size)
        return ir_i32(&l->c, (uint32_t)MIN_OF(size, UINT32_MAX));
    return ir_op_as(&l->c, IR_LENGTH, IR_I32, 1, &buffer);
}

Val lower_buffer_length(Lower *l, const BuiltinCall *b)
{
    return val_one(buffer_length(l, pointer_arg(l, b)));
}

/* ---- views ---- */

/* x - y, or zero. */
static Inst *rest(Lower *l, Inst *x, Inst *y)
{
    return ir_op2(&l->c, IR_ISUB, ir_op2(&l->c, IR_UMAX, x, y), y);
}

/* The runtime-sized array that a type is, or ends with, and the bytes before it;
 * NULL: none. */
static const MemType *trailing_array(const MemType *mem, uint32_t *before)
{
    *before = 0;
    if (mem->kind == MEM_STRUCT) {
        const MemField *last = &mem->structure.fields[mem->structure.count - 1];
        *before = last->offset;
        mem = last->type;
    }
    return mem->kind == MEM_ARRAY && mem->array.count == 0 ? mem : NULL;
}

/* The view, moved so that it and one element of its array lie in the buffer: then
 * only the array's index is left to be checked, against `count`. */
static Val view(Lower *l, const BuiltinCall *b)
{
    Inst *buffer = pointer_arg(l, b);
    const Type *type = b->e->type->pointer.of;
    const MemType *mem = lower_mem(l, type);
    uint32_t before;
    const MemType *array = trailing_array(mem, &before);
    uint64_t need = array ? (uint64_t)before + array->array.stride : mem->size;

    Inst *mask = ir_i32(&l->c, ~(type->align - 1u));
    Inst *asked = ir_op2(&l->c, IR_AND, lower_arg(l, b, 1), mask);
    Inst *length = buffer_length(l, buffer);
    Inst *room = rest(l, length, ir_i32(&l->c, (uint32_t)MIN_OF(need, UINT32_MAX)));
    Inst *offset = ir_op2(&l->c, IR_UMIN, asked, ir_op2(&l->c, IR_AND, room, mask));
    Val v = val_place(ir_place_view(&l->c, buffer, offset, mem));
    if (array) {
        Inst *bytes = rest(l, rest(l, length, offset), ir_i32(&l->c, before));
        v.count = ir_op2(&l->c, IR_UDIV, bytes, ir_i32(&l->c, array->array.stride));
    }
    return v;
}

Val lower_buffer_view(Lower *l, const BuiltinCall *b)
{
    return view(l, b);
}

/* The array ends after `size` bytes, or before. */
Val lower_buffer_array_view(Lower *l, const BuiltinCall *b)
{
    Val v = view(l, b);
    Inst *size = lower_arg(l, b, 2);
    uint32_t before;
    const MemType *array = trailing_array(v.inst->mem, &before);
    Inst *bytes = rest(l, size, ir_i32(&l->c, before));
    Inst *asked = ir_op2(&l->c, IR_UDIV, bytes, ir_i32(&l->c, array->array.stride));
    v.count = ir_op2(&l->c, IR_UMIN, asked, v.count);
    return v;
}
