// SPDX-License-Identifier: Apache-2.0
/*
 * value.c - values as scalars and as vectors of lanes; slots; small helpers.
 *
 * knows  how each shape is kept (emit_priv.h)
 * not    masks, memory
 */
#include "emit/llvm/emit_priv.h"

#include <string.h>

/* ---- types ---- */

LlvmType scalar_type(Emit *e, ScalarKind kind)
{
    switch (kind) {
    case SCALAR_BOOL: return e->i1;
    case SCALAR_I32: return e->i32;
    case SCALAR_F32: return e->f32;
    case SCALAR_F16: return e->f16;
    case SCALAR_F64: return e->f64;
    default: BUG("kind %d is not a value", (int)kind);
    }
}

LlvmType lane_type(Emit *e, LlvmType scalar)
{
    return e->lanes == 1 ? scalar : LLVMVectorType(scalar, e->lanes);
}

const Fact *fact_of(const Emit *e, const Inst *inst)
{
    return &e->facts->of[inst->id];
}

Shape shape_of(const Emit *e, const Inst *inst)
{
    return (Shape)e->facts->of[inst->id].shape;
}

LlvmType value_type(Emit *e, const Inst *inst)
{
    LlvmType scalar = scalar_type(e, (ScalarKind)inst->type.kind);
    return shape_of(e, inst) == SHAPE_VARYING ? lane_type(e, scalar) : scalar;
}

bool is_vector(LlvmValue v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* ---- constants and lanes ---- */

LlvmValue const_i32(Emit *e, uint32_t n)
{
    return LLVMConstInt(e->i32, n, false);
}

LlvmValue const_i64(Emit *e, uint64_t n)
{
    return LLVMConstInt(e->i64, n, false);
}

LlvmValue const_lanes(Emit *e, int32_t first, int32_t step)
{
    LlvmValue *lanes = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        lanes[i] = const_i32(e, (uint32_t)first + i * (uint32_t)step);
    return e->lanes == 1 ? lanes[0] : LLVMConstVector(lanes, e->lanes);
}

LlvmValue splat(Emit *e, LlvmValue scalar)
{
    if (e->lanes == 1)
        return scalar;
    if (LLVMIsConstant(scalar)) {
        LlvmValue *lanes = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
        for (uint32_t i = 0; i < e->lanes; i++)
            lanes[i] = scalar;
        return LLVMConstVector(lanes, e->lanes);
    }
    LlvmType type = lane_type(e, LLVMTypeOf(scalar));
    LlvmValue first = LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), scalar,
                                             const_i32(e, 0), "");
    LlvmValue zeros = LLVMConstNull(LLVMVectorType(e->i32, e->lanes));
    return LLVMBuildShuffleVector(e->builder, first, LLVMGetPoison(type), zeros, "");
}

LlvmValue int_like(Emit *e, LlvmValue like, uint32_t n)
{
    LlvmValue k = const_i32(e, n);
    return is_vector(like) ? splat(e, k) : k;
}

LlvmValue long_like(Emit *e, LlvmValue like, uint64_t n)
{
    LlvmValue k = const_i64(e, n);
    return is_vector(like) ? splat(e, k) : k;
}

LlvmType with_element(Emit *e, LlvmValue like, LlvmType element)
{
    return is_vector(like) ? lane_type(e, element) : element;
}

LlvmValue lane_get(Emit *e, LlvmValue vector, uint32_t lane)
{
    return e->lanes == 1
               ? vector
               : LLVMBuildExtractElement(e->builder, vector, const_i32(e, lane), "");
}

LlvmValue lane_set(Emit *e, LlvmValue vector, LlvmValue x, uint32_t lane)
{
    return e->lanes == 1
               ? x
               : LLVMBuildInsertElement(e->builder, vector, x, const_i32(e, lane), "");
}

/* ---- the values of instructions ---- */

void side_set(Emit *e, uint32_t i)
{
    e->side = i;
    e->group = e->sides[i];
}

uint32_t side_count(const Emit *e, const Inst *inst)
{
    return shape_of(e, inst) == SHAPE_WORKGROUP ? 1 : e->jam;
}

static uint32_t side_of(const Emit *e, const Inst *inst)
{
    return shape_of(e, inst) == SHAPE_WORKGROUP ? 0 : e->side;
}

static Val *value_of(Emit *e, const Inst *inst)
{
    Val *v = &e->values[inst->id];
    if (v->segment != e->segment)
        *v = context_fetch(e, inst);
    return v;
}

LlvmValue as_scalar(Emit *e, const Inst *inst, uint32_t c)
{
    BUG_IF(shape_of(e, inst) == SHAPE_VARYING && e->lanes > 1,
           "%%%u (%s) differs between lanes", inst->id, ir_op_name((IrOp)inst->op));
    return value_of(e, inst)->c[c][side_of(e, inst)];
}

LlvmValue as_kept(Emit *e, const Inst *inst, uint32_t c)
{
    return value_of(e, inst)->c[c][side_of(e, inst)];
}

LlvmValue as_lanes(Emit *e, const Inst *inst, uint32_t c)
{
    if (whole_is(e, inst))
        return whole_component(e, inst, c);
    LlvmValue v = value_of(e, inst)->c[c][side_of(e, inst)];
    Shape shape = shape_of(e, inst);
    if (e->lanes == 1 || shape == SHAPE_VARYING)
        return v;
    LlvmValue all = splat(e, v);
    if (shape != SHAPE_AFFINE)
        return all;
    LlvmValue steps = const_lanes(e, 0, e->facts->of[inst->id].stride);
    return LLVMBuildAdd(e->builder, all, steps, "");
}

LlvmValue as_either(Emit *e, const Inst *inst, uint32_t c, bool lanes)
{
    return lanes ? as_lanes(e, inst, c) : as_scalar(e, inst, c);
}

void set_value(Emit *e, const Inst *inst, uint32_t c, LlvmValue v)
{
    e->values[inst->id].c[c][side_of(e, inst)] = v;
    e->values[inst->id].segment = e->segment;
}

/* ---- slots ---- */

LlvmType slot_type(Emit *e, LlvmType type)
{
    if (type == e->i1)
        return e->i32;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetElementType(type) == e->i1)
        return LLVMVectorType(e->i32, LLVMGetVectorSize(type));
    return type;
}

LlvmValue slot_new(Emit *e, LlvmType type, const char *name)
{
    LlvmType kept = slot_type(e, type);
    LlvmValue slot = LLVMBuildAlloca(e->entry, kept, name);
    LLVMBuildStore(e->entry, LLVMConstNull(kept), slot);
    return slot;
}

LlvmValue slot_take(Emit *e, LlvmType type)
{
    LlvmType kept = slot_type(e, type);
    for (uint32_t i = e->free_slots.len; i-- > 0;) {
        LlvmValue slot = e->free_slots.data[i];
        if (LLVMGetAllocatedType(slot) != kept)
            continue;
        e->free_slots.data[i] = e->free_slots.data[--e->free_slots.len];
        return slot;
    }
    return slot_new(e, type, "");
}

void slot_free(Emit *e, LlvmValue slot)
{
    if (slot)
        VEC_PUSH(e->arena, &e->free_slots, slot);
}

LlvmValue slot_load(Emit *e, LlvmType type, LlvmValue slot)
{
    LlvmType kept = slot_type(e, type);
    LlvmValue v = LLVMBuildLoad2(e->builder, kept, slot, "");
    if (kept == type)
        return v;
    return LLVMBuildICmp(e->builder, LLVMIntSLT, v, LLVMConstNull(kept), "");
}

void slot_store(Emit *e, LlvmValue slot, LlvmValue v)
{
    LlvmType type = LLVMTypeOf(v), kept = slot_type(e, type);
    if (kept != type)
        v = LLVMBuildSExt(e->builder, v, kept, "");
    LLVMBuildStore(e->builder, v, slot);
}

/* ---- calls and blocks ---- */

LlvmValue intrinsic(Emit *e, const char *name, LlvmType *overload, uint32_t noverload,
                    uint32_t nargs, LlvmValue *args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    BUG_IF(!id, "LLVM has no %s", name);
    LlvmValue fn = LLVMGetIntrinsicDeclaration(e->module, id, overload, noverload);
    LlvmType type = LLVMIntrinsicGetType(e->context, id, overload, noverload);
    return LLVMBuildCall2(e->builder, type, fn, args, nargs, "");
}

LlvmValue intrinsic1(Emit *e, const char *name, LlvmValue x)
{
    LlvmType type = LLVMTypeOf(x);
    return intrinsic(e, name, &type, 1, 1, &x);
}

LlvmValue intrinsic2(Emit *e, const char *name, LlvmValue x, LlvmValue y)
{
    LlvmType type = LLVMTypeOf(x);
    return intrinsic(e, name, &type, 1, 2, (LlvmValue[]){x, y});
}

LlvmBlock block_new(Emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

void block_start(Emit *e, LlvmBlock block)
{
    /* Keep the text in the order of the flow: a dump is read by people. */
    LlvmBlock now = LLVMGetInsertBlock(e->builder);
    if (now)
        LLVMMoveBasicBlockAfter(block, now);
    LLVMPositionBuilderAtEnd(e->builder, block);
}

void jump(Emit *e, LlvmBlock to)
{
    LlvmBlock now = LLVMGetInsertBlock(e->builder);
    if (!LLVMGetBasicBlockTerminator(now))
        LLVMBuildBr(e->builder, to);
}

void jump_if(Emit *e, LlvmValue condition, LlvmBlock yes, LlvmBlock no)
{
    LLVMBuildCondBr(e->builder, condition, yes, no);
}
