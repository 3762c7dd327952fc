// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - what is in memory, and single accesses to it.
 *
 * in     an address (place.c)
 * out    how its values are kept there, one load or store; what loads and stores want
 *        to know of where the lanes are; LENGTH, and pointers for atomics
 * knows  layouts, which accesses may touch the same
 * not    which accesses a load or a store takes (load.c, store.c)
 */
#include "emit/llvm/place_priv.h"

/* ---- what is in memory ---- */

/* One scalar, whatever its kind, takes four bytes, an f64 eight. */
static bool in_slots(const Address *a)
{
    return address_is_private(a) || a->var->space == IRSPACE_CONSTANT;
}

LlvmType memory_type(Emit *e, const Address *a)
{
    ScalarKind kind = (ScalarKind)a->mem->value.type.kind;
    if (kind == SCALAR_BOOL || (kind == SCALAR_F16 && in_slots(a)))
        return e->i32;
    return scalar_type(e, kind);
}

static LlvmType shaped(Emit *e, LlvmValue like, LlvmType element)
{
    return is_vector(like) ? lane_type(e, element) : element;
}

LlvmValue memory_unpack(Emit *e, const Address *a, LlvmValue v)
{
    ScalarKind kind = (ScalarKind)a->mem->value.type.kind;
    if (kind == SCALAR_BOOL)
        return LLVMBuildICmp(e->builder, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    if (kind == SCALAR_F16 && in_slots(a)) {
        LlvmValue low = LLVMBuildTrunc(e->builder, v, shaped(e, v, e->i16), "");
        return LLVMBuildBitCast(e->builder, low, shaped(e, v, e->f16), "");
    }
    return v;
}

LlvmValue memory_pack(Emit *e, const Address *a, LlvmValue v)
{
    ScalarKind kind = (ScalarKind)a->mem->value.type.kind;
    if (kind == SCALAR_F16 && in_slots(a))
        v = LLVMBuildBitCast(e->builder, v, shaped(e, v, e->i16), "");
    else if (kind != SCALAR_BOOL)
        return v;
    return LLVMBuildZExt(e->builder, v, shaped(e, v, e->i32), "");
}

uint32_t memory_element_size(const Address *a)
{
    return a->mem->value.stride;
}

bool memory_is_word(const Address *a)
{
    return a->mem->value.type.width == 1 && memory_element_size(a) == 4;
}

Address memory_component(const Address *a, uint32_t c)
{
    Address at = *a;
    at.offset += (uint64_t)c * memory_element_size(a);
    return at;
}

/* ---- single accesses ---- */

void memory_tag_at(Emit *e, LlvmValue access, const Address *a)
{
    const VarState *v = &e->vars[a->var->id];
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(e->context, "alias.scope", 11),
                    v->scope);
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(e->context, "noalias", 7),
                    v->noalias);
}

LlvmValue memory_load_at(Emit *e, const Address *a, LlvmType type, LlvmValue pointer)
{
    LlvmValue v = LLVMBuildLoad2(e->builder, type, pointer, "");
    LLVMSetAlignment(v, a->align);
    memory_tag_at(e, v, a);
    if (ir_var_is_read_only(a->var))
        LLVMSetMetadata(v, LLVMGetMDKindIDInContext(e->context, "invariant.load", 14),
                        LLVMMetadataAsValue(e->context,
                                            LLVMMDNodeInContext2(e->context, NULL, 0)));
    return v;
}

LlvmValue memory_store_at(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer)
{
    LlvmValue store = LLVMBuildStore(e->builder, v, pointer);
    LLVMSetAlignment(store, a->align);
    memory_tag_at(e, store, a);
    return store;
}

LlvmValue memory_load_masked(Emit *e, const Address *a, LlvmType type, LlvmValue pointer,
                             LlvmValue mask)
{
    LlvmType types[2] = {type, e->ptr};
    LlvmValue v = intrinsic(e, "llvm.masked.load", types, 2, 4,
                            (LlvmValue[]){pointer, const_i32(e, a->align), mask,
                                          LLVMConstNull(type)});
    memory_tag_at(e, v, a);
    return v;
}

void memory_store_masked(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer,
                         LlvmValue mask)
{
    LlvmType types[2] = {LLVMTypeOf(v), e->ptr};
    LlvmValue s = intrinsic(e, "llvm.masked.store", types, 2, 4,
                            (LlvmValue[]){v, pointer, const_i32(e, a->align), mask});
    memory_tag_at(e, s, a);
}

void memory_tag(Emit *e, LlvmValue access, const Inst *place)
{
    Address a = {.var = ir_place_root(place)};
    memory_tag_at(e, access, &a);
}

/* ---- where the lanes are ---- */

bool memory_some_known(const Emit *e, const Address *a)
{
    bool dense = a->shape == ADDRESS_STRIDED && a->lane_stride == (int64_t)memory_element_size(a);
    return e->mask && e->lanes > 1 && LLVMIsConstant(e->mask) && !dense &&
           a->shape != ADDRESS_UNIFORM && !address_is_private(a) && address_is_proved(a);
}

bool memory_has_rows(const Emit *e, const Address *a, uint32_t width)
{
    return e->lanes % WHOLE == 0 && width > 1 && memory_element_size(a) == 4 &&
           !address_is_private(a);
}

uint32_t memory_spread(const Address *a)
{
    int64_t size = memory_element_size(a);
    if (a->lane_stride <= 0 || a->lane_stride % size || a->lane_stride / size > MEMORY_SPREAD)
        return 0;
    return (uint32_t)(a->lane_stride / size);
}

/* Is a number made from lanes that count up by arithmetic alone? Then it often counts
 * up as well, though that cannot be proved. */
static bool is_regular(const Emit *e, const Inst *inst, uint32_t depth)
{
    if (shape_of(e, inst) <= SHAPE_AFFINE || inst->op == IR_INPUT)
        return true;
    if (depth == 0 || inst->op == IR_PARAM || inst->op == IR_RESULT ||
        ir_op_effect((IrOp)inst->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!is_regular(e, inst->args[i], depth - 1))
            return false;
    return true;
}

bool memory_may_follow(const Emit *e, const Address *a, uint32_t width)
{
    if (a->shape != ADDRESS_SCATTERED || width != 1 || e->lanes < 4 ||
        address_is_private(a) || memory_element_size(a) != 4 || a->align != 4)
        return false;
    for (uint32_t i = 0; i < a->nterms; i++)
        if (!is_regular(e, a->terms[i].index, 8))
            return false;
    return true;
}

/* Each lane is beside the one before. Lanes that are masked may be anywhere, also just
 * below zero, far from those that follow. */
LlvmValue memory_follows(Emit *e, const LaneAddress *l)
{
    LlvmValue first = lane_get(e, l->units, 0);
    LlvmValue want = LLVMBuildAdd(e->builder, splat(e, first), const_lanes(e, 0, 1), "");
    LlvmValue all = mask_all(e, LLVMBuildICmp(e->builder, LLVMIntEQ, l->units, want, ""));
    LlvmValue whole = LLVMBuildICmp(e->builder, LLVMIntULE, first,
                                    const_i32(e, UINT32_MAX - (e->lanes - 1)), "");
    return LLVMBuildAnd(e->builder, all, whole, "");
}

bool memory_place_is_uniform(const Emit *e, const Inst *place)
{
    for (const Inst *p = place; p->op != IR_VAR; p = p->args[0])
        if (p->op != IR_FIELD && shape_of(e, p->args[1]) > SHAPE_GROUP)
            return false;
    return true;
}

bool memory_is_beside(Emit *e, const Inst *place)
{
    Address a = address_of(e, place, false);
    return a.shape == ADDRESS_STRIDED && a.lane_stride == 4 && address_is_proved(&a) &&
           !address_is_private(&a);
}

bool memory_is_in_order(Emit *e, const Inst *place)
{
    Address a = address_of(e, place, false);
    return a.shape == ADDRESS_UNIFORM || (a.shape == ADDRESS_STRIDED && memory_spread(&a));
}

void memory_addresses(Emit *e, const Inst *place, LlvmValue *out)
{
    Address a = address_of(e, place, e->mask != NULL);
    bool strided = a.shape == ADDRESS_STRIDED && address_is_proved(&a) && !address_is_private(&a);
    if (a.shape == ADDRESS_UNIFORM || strided) {
        LlvmValue *pointers = address_even_pointers(e, &a, address_scalar(e, &a, true));
        for (uint32_t i = 0; i < e->lanes; i++)
            out[i] = pointers[i];
        return;
    }
    LaneAddress lanes = address_lanes(e, &a, true);
    for (uint32_t i = 0; i < e->lanes; i++)
        out[i] = address_in_lane(e, &lanes, i);
}

/* ---- lengths ---- */

/* Bytes from the start of a place to the end of its variable. */
static LlvmValue bytes_left(Emit *e, const Address *a, bool lanes)
{
    LlvmValue size = e->vars[a->var->id].size;
    if (!size)
        size = const_i64(e, a->var->type->size);
    LlvmValue bytes = LLVMBuildSub(e->builder, size, const_i64(e, a->offset), "");
    LlvmType type = lanes ? lane_type(e, e->i64) : e->i64;
    if (lanes)
        bytes = splat(e, bytes);
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        LlvmValue by = const_i64(e, t->stride);
        LlvmValue index = LLVMBuildZExt(e->builder, as_either(e, t->index, 0, lanes), type, "");
        LlvmValue step = LLVMBuildMul(e->builder, index, lanes ? splat(e, by) : by, "");
        bytes = intrinsic2(e, "llvm.usub.sat", bytes, step);
    }
    return bytes;
}

#define MOST_BYTES (UINT32_MAX - 3)     /* that a length of bytes can tell        */

void memory_length(Emit *e, const Inst *inst)
{
    Address a = address_of(e, inst->args[0], false);
    bool lanes = shape_of(e, inst) == SHAPE_VARYING;
    uint64_t stride = a.mem->kind == MEM_ARRAY ? a.mem->array.stride : 1;
    LlvmValue by = const_i64(e, stride);
    LlvmValue count = LLVMBuildUDiv(e->builder, bytes_left(e, &a, lanes),
                                    lanes ? splat(e, by) : by, "");
    LlvmValue most = const_i64(e, MOST_BYTES);
    if (stride == 1)
        count = intrinsic2(e, "llvm.umin", count, lanes ? splat(e, most) : most);
    LlvmType type = lanes ? lane_type(e, e->i32) : e->i32;
    set_value(e, inst, 0, LLVMBuildTrunc(e->builder, count, type, ""));
}
