// SPDX-License-Identifier: Apache-2.0
/*
 * sync.c - atomics and barriers.
 *
 * in     ATOMIC, BARRIER
 * out    relaxed atomics, of the workgroup for its memory and of the device for
 *        buffers; barriers that make the named memory visible in the workgroup
 * knows  WGSL 15.5 (memory model), SPIR-V's scopes and semantics
 */
#include "emit/spirv/spirv_priv.h"

static const SpvOp atomics[ATOMIC_COUNT] = {
    [ATOMIC_LOAD] = SpvOpAtomicLoad,
    [ATOMIC_STORE] = SpvOpAtomicStore,
    [ATOMIC_ADD] = SpvOpAtomicIAdd,
    [ATOMIC_SUB] = SpvOpAtomicISub,
    [ATOMIC_SMIN] = SpvOpAtomicSMin,
    [ATOMIC_SMAX] = SpvOpAtomicSMax,
    [ATOMIC_UMIN] = SpvOpAtomicUMin,
    [ATOMIC_UMAX] = SpvOpAtomicUMax,
    [ATOMIC_AND] = SpvOpAtomicAnd,
    [ATOMIC_OR] = SpvOpAtomicOr,
    [ATOMIC_XOR] = SpvOpAtomicXor,
    [ATOMIC_EXCHANGE] = SpvOpAtomicExchange,
    [ATOMIC_COMPARE_EXCHANGE] = SpvOpAtomicCompareExchange,
};

void spv_atomic_inst(Spirv *s, const Inst *inst)
{
    const Where *p = s->places[inst->args[0]->id];
    bool local = p->var->space == IRSPACE_WORKGROUP;
    SpvId scope = spv_const_u32(s, local ? SpvScopeWorkgroup : SpvScopeDevice);
    SpvId relaxed = spv_const_u32(s, SpvMemorySemanticsMaskNone), u32 = spv_type_u32(s);
    SpvOp op = atomics[inst->atomic];
    switch (inst->atomic) {
    case ATOMIC_LOAD:
        s->values[inst->id] = spv_op3(s, op, u32, p->pointer, scope, relaxed);
        break;
    case ATOMIC_STORE:
        spv_put(s, SECTION_CODE, op,
                OPERANDS(p->pointer, scope, relaxed, spv_value(s, inst->args[1])));
        break;
    case ATOMIC_COMPARE_EXCHANGE:
        s->values[inst->id] = spv_op_new(s, op, u32,
                                         OPERANDS(p->pointer, scope, relaxed, relaxed,
                                                  spv_value(s, inst->args[2]),
                                                  spv_value(s, inst->args[1])));
        break;
    default:
        s->values[inst->id] =
            spv_op_new(s, op, u32,
                       OPERANDS(p->pointer, scope, relaxed, spv_value(s, inst->args[1])));
        break;
    }
}

void spv_barrier(Spirv *s, uint32_t kinds)
{
    uint32_t semantics = SpvMemorySemanticsAcquireReleaseMask;
    if (kinds & BARRIER_WORKGROUP)
        semantics |= SpvMemorySemanticsWorkgroupMemoryMask;
    if (kinds & BARRIER_STORAGE)
        semantics |= SpvMemorySemanticsUniformMemoryMask;
    if (kinds & BARRIER_TEXTURE)
        semantics |= SpvMemorySemanticsImageMemoryMask;
    SpvId group = spv_const_u32(s, SpvScopeWorkgroup);
    spv_put(s, SECTION_CODE, SpvOpControlBarrier,
            OPERANDS(group, group, spv_const_u32(s, semantics)));
}
