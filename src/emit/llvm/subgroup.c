// SPDX-License-Identifier: Apache-2.0
/*
 * subgroup.c - what the lanes of a lane group tell each other: a lane group is a
 * subgroup.
 *
 * in     SUBGROUP
 * out    reductions, scans, shuffles among the active lanes
 * knows  masks; WGSL's rule that a lane that is off gives nothing
 */
#include "emit/llvm/emit_priv.h"

static LlvmType element_type(LlvmValue v)
{
    return is_vector(v) ? LLVMGetElementType(LLVMTypeOf(v)) : LLVMTypeOf(v);
}

static bool is_float(const Inst *inst)
{
    return inst->type.kind >= SCALAR_F32 && inst->type.kind <= SCALAR_F64;
}

/* ---- combining two lanes ---- */

static LlvmValue pick(Emit *e, LLVMRealPredicate p, LlvmValue x, LlvmValue y)
{
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, p, x, y, ""), x, y, "");
}

static LlvmValue combine(Emit *e, const Inst *inst, LlvmValue x, LlvmValue y)
{
    LLVMBuilderRef b = e->builder;
    switch (inst->subgroup) {
    case SUBGROUP_ADD: case SUBGROUP_EXCLUSIVE_ADD: case SUBGROUP_INCLUSIVE_ADD:
        return is_float(inst) ? LLVMBuildFAdd(b, x, y, "") : LLVMBuildAdd(b, x, y, "");
    case SUBGROUP_MUL: case SUBGROUP_EXCLUSIVE_MUL: case SUBGROUP_INCLUSIVE_MUL:
        return is_float(inst) ? LLVMBuildFMul(b, x, y, "") : LLVMBuildMul(b, x, y, "");
    case SUBGROUP_MIN: return pick(e, LLVMRealOLT, x, y);
    case SUBGROUP_MAX: return pick(e, LLVMRealOGT, x, y);
    case SUBGROUP_SMIN: return intrinsic2(e, "llvm.smin", x, y);
    case SUBGROUP_SMAX: return intrinsic2(e, "llvm.smax", x, y);
    case SUBGROUP_UMIN: return intrinsic2(e, "llvm.umin", x, y);
    case SUBGROUP_UMAX: return intrinsic2(e, "llvm.umax", x, y);
    case SUBGROUP_AND: case SUBGROUP_ALL: return LLVMBuildAnd(b, x, y, "");
    case SUBGROUP_OR: case SUBGROUP_ANY: return LLVMBuildOr(b, x, y, "");
    default: return LLVMBuildXor(b, x, y, "");
    }
}

/* What changes nothing; for lanes that are off. */
static LlvmValue neutral(Emit *e, const Inst *inst, LlvmType type)
{
    switch (inst->subgroup) {
    case SUBGROUP_MUL: case SUBGROUP_EXCLUSIVE_MUL: case SUBGROUP_INCLUSIVE_MUL:
        return is_float(inst) ? LLVMConstReal(type, 1) : LLVMConstInt(type, 1, false);
    case SUBGROUP_MIN: return LLVMConstRealOfString(type, "inf");
    case SUBGROUP_MAX: return LLVMConstRealOfString(type, "-inf");
    case SUBGROUP_SMIN: return const_i32(e, INT32_MAX);
    case SUBGROUP_SMAX: return const_i32(e, 0x80000000u);
    case SUBGROUP_UMIN: case SUBGROUP_AND: case SUBGROUP_ALL: return LLVMConstAllOnes(type);
    default: return LLVMConstNull(type);
    }
}

static LlvmValue active_or_neutral(Emit *e, const Inst *inst, LlvmValue v)
{
    if (!e->mask)
        return v;
    return blend(e, e->mask, v, splat(e, neutral(e, inst, element_type(v))));
}

/* ---- moving lanes: lane i gets lane from[i]; -1: the second operand's lane i ---- */

static LlvmValue move_lanes(Emit *e, LlvmValue v, LlvmValue other, const int32_t *from)
{
    LlvmValue *at = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = const_i32(e, from[i] < 0 ? e->lanes + i : (uint32_t)from[i]);
    return LLVMBuildShuffleVector(e->builder, v, other, LLVMConstVector(at, e->lanes), "");
}

static LlvmValue reduce(Emit *e, const Inst *inst, LlvmValue v)
{
    v = active_or_neutral(e, inst, v);
    if (e->lanes == 1)
        return v;
    int32_t *from = ARENA_ARRAY(e->arena, int32_t, e->lanes);
    for (uint32_t half = e->lanes / 2; half; half /= 2) {
        for (uint32_t i = 0; i < e->lanes; i++)
            from[i] = (int32_t)(i ^ half);
        v = combine(e, inst, v, move_lanes(e, v, v, from));
    }
    return lane_get(e, v, 0);
}

static LlvmValue scan(Emit *e, const Inst *inst, LlvmValue v, bool exclusive)
{
    LlvmValue none = splat(e, neutral(e, inst, element_type(v)));
    int32_t *from = ARENA_ARRAY(e->arena, int32_t, e->lanes);
    v = active_or_neutral(e, inst, v);
    if (e->lanes == 1)
        return exclusive ? none : v;
    for (uint32_t by = exclusive ? 0 : 1; by < e->lanes; by = by ? by * 2 : 1) {
        uint32_t step = by ? by : 1;
        for (uint32_t i = 0; i < e->lanes; i++)
            from[i] = i >= step ? (int32_t)(i - step) : -1;
        LlvmValue moved = move_lanes(e, v, none, from);
        v = by ? combine(e, inst, moved, v) : moved;
    }
    return v;
}

/* ---- shuffles with indices known at run time ---- */

static LlvmValue lane_at(Emit *e, LlvmValue v, LlvmValue index)
{
    LlvmValue bounded = LLVMBuildAnd(e->builder, index, const_i32(e, e->lanes - 1), "");
    return LLVMBuildExtractElement(e->builder, v, bounded, "");
}

static LlvmValue shuffle(Emit *e, LlvmValue v, LlvmValue index)
{
    if (e->lanes == 1)
        return v;
    if (!is_vector(index))
        return splat(e, lane_at(e, v, index));
    LlvmValue out = LLVMGetPoison(LLVMTypeOf(v));
    for (uint32_t i = 0; i < e->lanes; i++)
        out = lane_set(e, out, lane_at(e, v, lane_get(e, index, i)), i);
    return out;
}

/* With one mask for all, lanes change places. */
static LlvmValue shuffle_xor(Emit *e, const Inst *inst, LlvmValue v)
{
    LlvmValue by = as_scalar(e, inst->args[1], 0);
    return lanes_exchange(e, v, LLVMBuildAnd(e->builder, by, const_i32(e, e->lanes - 1), ""));
}

/* The lane whose value each lane wants. */
static LlvmValue source_lane(Emit *e, const Inst *inst)
{
    LlvmValue own = const_lanes(e, 0, 1), by = as_lanes(e, inst->args[1], 0);
    switch (inst->subgroup) {
    case SUBGROUP_SHUFFLE_UP: return LLVMBuildSub(e->builder, own, by, "");
    case SUBGROUP_SHUFFLE_DOWN: return LLVMBuildAdd(e->builder, own, by, "");
    case SUBGROUP_SHUFFLE_XOR: return LLVMBuildXor(e->builder, own, by, "");
    case QUAD_BROADCAST: {
        LlvmValue first = LLVMBuildAnd(e->builder, own, splat(e, const_i32(e, ~3u)), "");
        LlvmValue lane = LLVMBuildAnd(e->builder, by, splat(e, const_i32(e, 3)), "");
        return LLVMBuildOr(e->builder, first, lane, "");
    }
    default: return by;
    }
}

static LlvmValue quad_swap(Emit *e, LlvmValue v, uint32_t with)
{
    int32_t *from = ARENA_ARRAY(e->arena, int32_t, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        from[i] = (int32_t)((i ^ with) < e->lanes ? i ^ with : i);
    return e->lanes == 1 ? v : move_lanes(e, v, v, from);
}

/* ---- the first active lane ---- */

static LlvmValue first_active(Emit *e)
{
    LlvmValue bits = mask_bits(e, mask_vector(e));
    LlvmType type = LLVMTypeOf(bits);
    LlvmValue lane = intrinsic(e, "llvm.cttz", &type, 1, 2,
                               (LlvmValue[]){bits, LLVMConstInt(e->i1, 0, false)});
    if (LLVMGetIntTypeWidth(type) < 32)
        return LLVMBuildZExt(e->builder, lane, e->i32, "");
    return LLVMBuildTruncOrBitCast(e->builder, lane, e->i32, "");
}

static LlvmValue elect(Emit *e)
{
    LlvmValue first = splat(e, first_active(e));
    return LLVMBuildICmp(e->builder, LLVMIntEQ, const_lanes(e, 0, 1), first, "");
}

static LlvmValue broadcast_first(Emit *e, LlvmValue v)
{
    return e->lanes == 1 ? v : lane_at(e, v, e->mask ? first_active(e) : const_i32(e, 0));
}

static void ballot(Emit *e, const Inst *inst)
{
    LlvmValue yes = mask_and(e, as_lanes(e, inst->args[0], 0), e->mask);
    LlvmValue bits = mask_bits(e, yes);
    if (e->lanes < 32)
        bits = LLVMBuildZExt(e->builder, bits, e->i32, "");
    set_value(e, inst, 0, bits);
    for (uint32_t c = 1; c < 4; c++)
        set_value(e, inst, c, const_i32(e, 0));
}

/* ---- dispatch ---- */

static LlvmValue component(Emit *e, const Inst *inst, LlvmValue v)
{
    if (inst->subgroup == SUBGROUP_SHUFFLE_XOR && e->lanes > 1 &&
        shape_of(e, inst->args[1]) <= SHAPE_GROUP)
        return shuffle_xor(e, inst, v);
    switch (inst->subgroup) {
    case SUBGROUP_EXCLUSIVE_ADD: case SUBGROUP_EXCLUSIVE_MUL: return scan(e, inst, v, true);
    case SUBGROUP_INCLUSIVE_ADD: case SUBGROUP_INCLUSIVE_MUL: return scan(e, inst, v, false);
    case SUBGROUP_BROADCAST_FIRST: return broadcast_first(e, v);
    case SUBGROUP_BROADCAST: case SUBGROUP_SHUFFLE: case SUBGROUP_SHUFFLE_UP:
    case SUBGROUP_SHUFFLE_DOWN: case SUBGROUP_SHUFFLE_XOR: case QUAD_BROADCAST:
        return shuffle(e, v, source_lane(e, inst));
    case QUAD_SWAP_X: return quad_swap(e, v, 1);
    case QUAD_SWAP_Y: return quad_swap(e, v, 2);
    case QUAD_SWAP_DIAGONAL: return quad_swap(e, v, 3);
    default: return reduce(e, inst, v);
    }
}

/* In the form the shape asks for: scalar results of reductions are spread if the
 * analysis did not know, vectors that are all the same are narrowed if it did. */
static LlvmValue in_shape(Emit *e, const Inst *inst, LlvmValue v)
{
    bool lanes = shape_of(e, inst) == SHAPE_VARYING;
    if (lanes && !is_vector(v))
        return splat(e, v);
    return !lanes && is_vector(v) ? broadcast_first(e, v) : v;
}

void subgroup_inst(Emit *e, const Inst *inst)
{
    if (inst->subgroup == SUBGROUP_BALLOT) {
        ballot(e, inst);
        return;
    }
    if (inst->subgroup == SUBGROUP_ELECT) {
        set_value(e, inst, 0, in_shape(e, inst, elect(e)));
        return;
    }
    for (uint32_t c = 0; c < inst->type.width; c++) {
        LlvmValue v = component(e, inst, as_lanes(e, inst->args[0], c));
        set_value(e, inst, c, in_shape(e, inst, v));
    }
}
