// SPDX-License-Identifier: Apache-2.0
/*
 * atomic.c - atomic operations, one lane after the other.
 *
 * in     ATOMIC
 * out    for workgroup memory plain reads and writes, since a workgroup runs on
 *        one thread; for storage memory the machine's atomics, or the same if no
 *        other thread runs workgroups
 * knows  that lanes of one group may go in any order
 *
 * When all lanes add to (or combine with) one place, they are combined first, as if
 * they were performed one after the other without interruption. accumulate.c has what each
 * thread adds up for itself.
 */
#include "emit/llvm/emit_priv.h"

static bool is_shared(const Inst *place)
{
    return ir_place_root(place)->space == IRSPACE_STORAGE;
}

LLVMAtomicRMWBinOp atomic_machine_op(IrAtomic op)
{
    switch (op) {
    case ATOMIC_ADD: return LLVMAtomicRMWBinOpAdd;
    case ATOMIC_SUB: return LLVMAtomicRMWBinOpSub;
    case ATOMIC_SMIN: return LLVMAtomicRMWBinOpMin;
    case ATOMIC_SMAX: return LLVMAtomicRMWBinOpMax;
    case ATOMIC_UMIN: return LLVMAtomicRMWBinOpUMin;
    case ATOMIC_UMAX: return LLVMAtomicRMWBinOpUMax;
    case ATOMIC_AND: return LLVMAtomicRMWBinOpAnd;
    case ATOMIC_OR: return LLVMAtomicRMWBinOpOr;
    case ATOMIC_XOR: return LLVMAtomicRMWBinOpXor;
    default: return LLVMAtomicRMWBinOpXchg;
    }
}

LlvmValue atomic_combine(Emit *e, IrAtomic op, LlvmValue old, LlvmValue v)
{
    LLVMBuilderRef b = e->builder;
    switch (op) {
    case ATOMIC_ADD: return LLVMBuildAdd(b, old, v, "");
    case ATOMIC_SUB: return LLVMBuildSub(b, old, v, "");
    case ATOMIC_SMIN: return intrinsic2(e, "llvm.smin", old, v);
    case ATOMIC_SMAX: return intrinsic2(e, "llvm.smax", old, v);
    case ATOMIC_UMIN: return intrinsic2(e, "llvm.umin", old, v);
    case ATOMIC_UMAX: return intrinsic2(e, "llvm.umax", old, v);
    case ATOMIC_AND: return LLVMBuildAnd(b, old, v, "");
    case ATOMIC_OR: return LLVMBuildOr(b, old, v, "");
    case ATOMIC_XOR: return LLVMBuildXor(b, old, v, "");
    default: return v;
    }
}

/* ---- one lane ---- */

typedef struct Lane {
    LlvmValue pointer, comparand, value;
    LlvmType  type;                 /* of all lanes, beside each other; NULL: of one */
} Lane;

static LlvmValue plain_load(Emit *e, const Inst *inst, const Lane *l, bool shared)
{
    LlvmValue v = LLVMBuildLoad2(e->builder, l->type ? l->type : e->i32, l->pointer, "");
    LLVMSetAlignment(v, 4);
    if (shared)
        LLVMSetOrdering(v, LLVMAtomicOrderingMonotonic);
    memory_tag(e, v, inst->args[0]);
    return v;
}

static void plain_store(Emit *e, const Inst *inst, LlvmValue v, LlvmValue pointer, bool shared)
{
    LlvmValue s = LLVMBuildStore(e->builder, v, pointer);
    LLVMSetAlignment(s, 4);
    if (shared)
        LLVMSetOrdering(s, LLVMAtomicOrderingMonotonic);
    memory_tag(e, s, inst->args[0]);
}

static LlvmValue machine_exchange(Emit *e, const Lane *l)
{
    LlvmValue pair = LLVMBuildAtomicCmpXchg(
        e->builder, l->pointer, l->comparand, l->value, LLVMAtomicOrderingMonotonic,
        LLVMAtomicOrderingMonotonic, false);
    return LLVMBuildExtractValue(e->builder, pair, 0, "");
}

static LlvmValue one_shared(Emit *e, const Inst *inst, const Lane *l)
{
    if (inst->atomic == ATOMIC_COMPARE_EXCHANGE)
        return machine_exchange(e, l);
    return LLVMBuildAtomicRMW(e->builder, atomic_machine_op(inst->atomic), l->pointer, l->value,
                              LLVMAtomicOrderingMonotonic, false);
}

static LlvmValue one_local(Emit *e, const Inst *inst, const Lane *l)
{
    LlvmValue old = plain_load(e, inst, l, false), now;
    if (inst->atomic == ATOMIC_COMPARE_EXCHANGE) {
        LlvmValue same = LLVMBuildICmp(e->builder, LLVMIntEQ, old, l->comparand, "");
        now = LLVMBuildSelect(e->builder, same, l->value, old, "");
    } else {
        now = atomic_combine(e, inst->atomic, old, l->value);
    }
    plain_store(e, inst, now, l->pointer, false);
    return old;
}

static LlvmValue one(Emit *e, const Inst *inst, const Lane *l)
{
    bool shared = is_shared(inst->args[0]) && !e->alone;
    if (inst->atomic == ATOMIC_LOAD)
        return plain_load(e, inst, l, shared);
    if (inst->atomic == ATOMIC_STORE) {
        plain_store(e, inst, l->value, l->pointer, shared);
        return NULL;
    }
    return shared ? one_shared(e, inst, l) : one_local(e, inst, l);
}

/* ---- all lanes ---- */

static LlvmValue in_lane(Emit *e, LlvmValue v, uint32_t lane)
{
    return v && is_vector(v) ? lane_get(e, v, lane) : v;
}

static Lane operands(Emit *e, const Inst *inst)
{
    bool exchange = inst->atomic == ATOMIC_COMPARE_EXCHANGE;
    Lane l = {0};
    if (exchange)
        l.comparand = as_lanes(e, inst->args[1], 0);
    if (inst->atomic != ATOMIC_LOAD)
        l.value = as_lanes(e, inst->args[exchange ? 2 : 1], 0);
    return l;
}

/* Where two ways meet; each ended with a jump to here. */
static LlvmValue joined(Emit *e, LlvmValue x, LlvmBlock x_from, LlvmValue y, LlvmBlock y_from)
{
    LlvmValue v = LLVMBuildPhi(e->builder, LLVMTypeOf(x), "");
    LLVMAddIncoming(v, (LlvmValue[]){x, y}, (LlvmBlock[]){x_from, y_from}, 2);
    return v;
}

static LlvmBlock here(const Emit *e)
{
    return LLVMGetInsertBlock(e->builder);
}

/* Lane `i` does its part. Returns the old values of the lanes up to it. */
static LlvmValue active_lane(Emit *e, const Inst *inst, const Lane *all, LlvmValue pointer,
                             uint32_t i, LlvmValue olds)
{
    Lane l = {pointer, in_lane(e, all->comparand, i), in_lane(e, all->value, i), NULL};
    LlvmValue old = one(e, inst, &l);
    return old ? lane_set(e, olds, old, i) : olds;
}

/* The same, if it is active. */
static LlvmValue maybe_lane(Emit *e, const Inst *inst, const Lane *all, LlvmValue pointer,
                            uint32_t i, LlvmValue olds)
{
    LlvmBlock on = block_new(e, "lane"), after = block_new(e, "lane.end");
    LlvmValue active = mask_has(e, e->mask, i);
    LlvmBlock before = here(e);
    jump_if(e, active, on, after);
    block_start(e, on);
    LlvmValue now = active_lane(e, inst, all, pointer, i, olds);
    LlvmBlock end = here(e);
    jump(e, after);
    block_start(e, after);
    return joined(e, olds, before, now, end);
}

/* All lanes are active, and no other thread sees the memory: lanes whose places are beside
 * each other take one step in any order. NULL: the places are not beside each other. */
static LlvmValue all_beside(Emit *e, const Inst *inst, const Lane *all, const LlvmValue *pointers)
{
    if (e->mask || e->lanes == 1 || (is_shared(inst->args[0]) && !e->alone) ||
        !memory_is_beside(e, inst->args[0]))
        return NULL;
    Lane l = {pointers[0], all->comparand, all->value, lane_type(e, e->i32)};
    return inst->atomic == ATOMIC_STORE ? (one(e, inst, &l), l.value) : one(e, inst, &l);
}

/* Returns the old values. */
static LlvmValue lanes_in_turn(Emit *e, const Inst *inst, const Lane *all,
                               const LlvmValue *pointers)
{
    LlvmValue olds = all_beside(e, inst, all, pointers);
    if (olds)
        return olds;
    olds = LLVMConstNull(lane_type(e, e->i32));
    for (uint32_t i = 0; i < e->lanes; i++)
        olds = (e->mask ? maybe_lane : active_lane)(e, inst, all, pointers[i], i, olds);
    return olds;
}

/* Mostly all lanes are active, even where they need not be: that way is without
 * tests. */
static LlvmValue some_in_turn(Emit *e, const Inst *inst, const Lane *all,
                              const LlvmValue *pointers)
{
    LlvmValue mask = e->mask;
    if (!mask || e->lanes == 1)
        return lanes_in_turn(e, inst, all, pointers);
    LlvmBlock every = block_new(e, "every"), some = block_new(e, "some");
    LlvmBlock after = block_new(e, "done");
    jump_if(e, mask_all(e, mask), every, some);
    block_start(e, every);
    e->mask = NULL;
    LlvmValue x = lanes_in_turn(e, inst, all, pointers);
    e->mask = mask;
    LlvmBlock x_end = here(e);
    jump(e, after);
    block_start(e, some);
    LlvmValue y = lanes_in_turn(e, inst, all, pointers);
    LlvmBlock y_end = here(e);
    jump(e, after);
    block_start(e, after);
    return joined(e, x, x_end, y, y_end);
}

/* The machine's atomics take ten times as long as those that no other thread can see. */
static LlvmValue plain_or_among(Emit *e, const Inst *inst, const Lane *all,
                                const LlvmValue *pointers)
{
    if (!is_shared(inst->args[0]) || inst->atomic == ATOMIC_LOAD ||
        inst->atomic == ATOMIC_STORE)
        return some_in_turn(e, inst, all, pointers);
    LlvmBlock plain = block_new(e, "plain"), among = block_new(e, "among");
    LlvmBlock after = block_new(e, "done");
    jump_if(e, accumulate_is_plain(e, inst->args[0]), plain, among);
    block_start(e, plain);
    e->alone = true;
    LlvmValue x = some_in_turn(e, inst, all, pointers);
    e->alone = false;
    LlvmBlock x_end = here(e);
    jump(e, after);
    block_start(e, among);
    LlvmValue y = lanes_in_turn(e, inst, all, pointers);
    LlvmBlock y_end = here(e);
    jump(e, after);
    block_start(e, after);
    return joined(e, x, x_end, y, y_end);
}

static void each_lane(Emit *e, const Inst *inst)
{
    Lane all = operands(e, inst);
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    memory_addresses(e, inst->args[0], pointers);
    LlvmValue olds = plain_or_among(e, inst, &all, pointers);
    if (inst->type.width)
        set_value(e, inst, 0, olds);
}

/* ---- all lanes at one place ---- */

LlvmValue atomic_neutral(Emit *e, IrAtomic op)
{
    switch (op) {
    case ATOMIC_AND: case ATOMIC_UMIN: return const_i32(e, UINT32_MAX);
    case ATOMIC_SMIN: return const_i32(e, INT32_MAX);
    case ATOMIC_SMAX: return const_i32(e, 0x80000000u);
    default: return const_i32(e, 0);
    }
}

const char *atomic_reduction(IrAtomic op)
{
    switch (op) {
    case ATOMIC_SMIN: return "llvm.vector.reduce.smin";
    case ATOMIC_SMAX: return "llvm.vector.reduce.smax";
    case ATOMIC_UMIN: return "llvm.vector.reduce.umin";
    case ATOMIC_UMAX: return "llvm.vector.reduce.umax";
    case ATOMIC_AND: return "llvm.vector.reduce.and";
    case ATOMIC_OR: return "llvm.vector.reduce.or";
    case ATOMIC_XOR: return "llvm.vector.reduce.xor";
    case ATOMIC_ADD: case ATOMIC_SUB: return "llvm.vector.reduce.add";
    default: return NULL;
    }
}

/* The place is the same for all lanes. */
static LlvmValue one_address(Emit *e, const Inst *inst)
{
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    memory_addresses(e, inst->args[0], pointers);
    return pointers[0];
}

static LlvmValue moved_up(Emit *e, LlvmValue v, LlvmValue none, uint32_t by)
{
    LlvmValue *from = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        from[i] = const_i32(e, i < by ? e->lanes + i : i - by);
    return LLVMBuildShuffleVector(e->builder, v, none, LLVMConstVector(from, e->lanes), "");
}

/* Each lane's value with those of all lanes before it. */
static LlvmValue sums(Emit *e, IrAtomic op, LlvmValue v, LlvmValue none)
{
    for (uint32_t by = 1; by < e->lanes; by *= 2)
        v = atomic_combine(e, op == ATOMIC_SUB ? ATOMIC_ADD : op, moved_up(e, v, none, by), v);
    return v;
}

static bool is_used(const Emit *e, const Inst *inst)
{
    return e->uses[inst->id] > 0;
}

static void combined(Emit *e, const Inst *inst)
{
    Lane all = operands(e, inst);
    LlvmValue v = all.value, none = splat(e, atomic_neutral(e, (IrAtomic)inst->atomic));
    if (e->mask)
        v = blend(e, e->mask, v, none);
    Lane l = {.pointer = one_address(e, inst)};
    if (!is_used(e, inst) && accumulate_lanes(e, inst, l.pointer, v))
        return;
    if (!is_used(e, inst)) {
        l.value = intrinsic1(e, atomic_reduction((IrAtomic)inst->atomic), v);
        one(e, inst, &l);
        return;
    }
    v = sums(e, inst->atomic, v, none);
    l.value = lane_get(e, v, e->lanes - 1);
    LlvmValue old = splat(e, one(e, inst, &l));
    set_value(e, inst, 0, atomic_combine(e, inst->atomic, old, moved_up(e, v, none, 1)));
}

void atomic_inst(Emit *e, const Inst *inst)
{
    bool one_place = memory_place_is_uniform(e, inst->args[0]);
    if (one_place && inst->atomic == ATOMIC_LOAD) {
        Lane l = {.pointer = one_address(e, inst)};
        LlvmValue v = one(e, inst, &l);
        set_value(e, inst, 0, shape_of(e, inst) == SHAPE_VARYING ? splat(e, v) : v);
    } else if (one_place && e->lanes > 1 && atomic_reduction((IrAtomic)inst->atomic)) {
        combined(e, inst);
    } else {
        each_lane(e, inst);
    }
}
