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

static Inst *view(Lower *l, const BuiltinCall *b)
{
    Inst *buffer = pointer_arg(l, b);
    const Type *type = b->e->type->pointer.of;
    Inst *mask = ir_i32(&l->c, ~(type->align - 1u));
    Inst *offset = ir_op2(&l->c, IR_AND, lower_arg(l, b, 1), mask);
    return ir_place_view(&l->c, buffer, offset, lower_mem(l, type));
}

Val lower_buffer_view(Lower *l, const BuiltinCall *b)
{
    return val_place(view(l, b));
}

/* The runtime-sized array at the end of what a place shows. */
static Inst *trailing_array(Lower *l, Inst *place)
{
    while (place->mem->kind == MEM_STRUCT)
        place = ir_place_field(&l->c, place, place->mem->structure.count - 1);
    return place;
}

/* The array ends after `size` bytes, and before the memory does. */
Val lower_buffer_array_view(Lower *l, const BuiltinCall *b)
{
    Val shown = val_place(view(l, b));
    Inst *size = lower_arg(l, b, 2);
    Inst *array = trailing_array(l, shown.inst);
    uint64_t before = shown.inst->mem->kind == MEM_STRUCT ? shown.inst->mem->size : 0;
    Inst *start = ir_i32(&l->c, (uint32_t)before);
    Inst *bytes = ir_op2(&l->c, IR_ISUB, ir_op2(&l->c, IR_UMAX, size, start), start);
    Inst *stride = ir_i32(&l->c, array->mem->array.stride);
    Inst *asked = ir_op2(&l->c, IR_UDIV, bytes, stride);
    Inst *there = ir_op_as(&l->c, IR_LENGTH, IR_I32, 1, &array);
    shown.count = ir_op2(&l->c, IR_UMIN, asked, there);
    return shown;
}
