// SPDX-License-Identifier: Apache-2.0
/*
 * subgroup.c - what the invocations of a subgroup tell each other.
 *
 * in     SUBGROUP
 * out    one instruction of SPIR-V's non-uniform group operations
 * knows  which capability each needs
 */
#include "emit/spirv/spirv_priv.h"

/* Operands after the scope: FOLD a kind of operation and the value; LANE the value
 * and a number; VALUE the value alone; NOTHING none; SWAP the value and a constant. */
typedef enum Form { FORM_FOLD, FORM_LANE, FORM_VALUE, FORM_NOTHING, FORM_SWAP } Form;

typedef struct Row {
    uint8_t  form, detail;          /* FOLD: SpvGroupOperation; SWAP: direction   */
    uint16_t op, for_float;         /* for_float 0: the same                      */
    uint16_t capability;
} Row;

#define FOLD(op, float_op, kind)                                              \
    {FORM_FOLD, SpvGroupOperation##kind, SpvOpGroupNonUniform##op,            \
     SpvOpGroupNonUniform##float_op, SpvCapabilityGroupNonUniformArithmetic}
#define PLAIN(form, op, capability)                                           \
    {form, 0, SpvOpGroupNonUniform##op, 0, SpvCapabilityGroupNonUniform##capability}
#define SWAP(direction)                                                       \
    {FORM_SWAP, direction, SpvOpGroupNonUniformQuadSwap, 0,                   \
     SpvCapabilityGroupNonUniformQuad}

static const Row rows[SUBGROUP_COUNT] = {
    [SUBGROUP_ADD] = FOLD(IAdd, FAdd, Reduce),
    [SUBGROUP_MUL] = FOLD(IMul, FMul, Reduce),
    [SUBGROUP_MIN] = FOLD(FMin, FMin, Reduce),
    [SUBGROUP_MAX] = FOLD(FMax, FMax, Reduce),
    [SUBGROUP_SMIN] = FOLD(SMin, SMin, Reduce),
    [SUBGROUP_SMAX] = FOLD(SMax, SMax, Reduce),
    [SUBGROUP_UMIN] = FOLD(UMin, UMin, Reduce),
    [SUBGROUP_UMAX] = FOLD(UMax, UMax, Reduce),
    [SUBGROUP_AND] = FOLD(BitwiseAnd, BitwiseAnd, Reduce),
    [SUBGROUP_OR] = FOLD(BitwiseOr, BitwiseOr, Reduce),
    [SUBGROUP_XOR] = FOLD(BitwiseXor, BitwiseXor, Reduce),
    [SUBGROUP_EXCLUSIVE_ADD] = FOLD(IAdd, FAdd, ExclusiveScan),
    [SUBGROUP_EXCLUSIVE_MUL] = FOLD(IMul, FMul, ExclusiveScan),
    [SUBGROUP_INCLUSIVE_ADD] = FOLD(IAdd, FAdd, InclusiveScan),
    [SUBGROUP_INCLUSIVE_MUL] = FOLD(IMul, FMul, InclusiveScan),
    [SUBGROUP_ALL] = PLAIN(FORM_VALUE, All, Vote),
    [SUBGROUP_ANY] = PLAIN(FORM_VALUE, Any, Vote),
    [SUBGROUP_BALLOT] = PLAIN(FORM_VALUE, Ballot, Ballot),
    [SUBGROUP_BROADCAST] = PLAIN(FORM_LANE, Broadcast, Ballot),
    [SUBGROUP_BROADCAST_FIRST] = PLAIN(FORM_VALUE, BroadcastFirst, Ballot),
    [SUBGROUP_ELECT] = {FORM_NOTHING, 0, SpvOpGroupNonUniformElect, 0,
                        SpvCapabilityGroupNonUniform},
    [SUBGROUP_SHUFFLE] = PLAIN(FORM_LANE, Shuffle, Shuffle),
    [SUBGROUP_SHUFFLE_UP] = PLAIN(FORM_LANE, ShuffleUp, ShuffleRelative),
    [SUBGROUP_SHUFFLE_DOWN] = PLAIN(FORM_LANE, ShuffleDown, ShuffleRelative),
    [SUBGROUP_SHUFFLE_XOR] = PLAIN(FORM_LANE, ShuffleXor, Shuffle),
    [QUAD_BROADCAST] = PLAIN(FORM_LANE, QuadBroadcast, Quad),
    [QUAD_SWAP_X] = SWAP(0),
    [QUAD_SWAP_Y] = SWAP(1),
    [QUAD_SWAP_DIAGONAL] = SWAP(2),
};

static bool is_float(IrType t)
{
    return t.kind >= SCALAR_F32 && t.kind <= SCALAR_F64;
}

/* A lane to broadcast from that is not a constant needs a shuffle. */
static const Row *row_of(const Inst *inst)
{
    if (inst->subgroup == SUBGROUP_BROADCAST && inst->args[1]->op != IR_CONST)
        return &rows[SUBGROUP_SHUFFLE];
    return &rows[inst->subgroup];
}

/* The first invocation's number is told, and then what it has taken from there. Whether
 * it was a float before cannot be seen from the type. */
static SpvId first_by_number(Spirv *s, const Inst *inst)
{
    SpvId scope = spv_const_u32(s, SpvScopeSubgroup);
    spv_need(s, SpvCapabilityGroupNonUniform);
    spv_need(s, SpvCapabilityGroupNonUniformBallot);
    spv_need(s, SpvCapabilityGroupNonUniformShuffle);
    SpvId lane = spv_op2(s, SpvOpGroupNonUniformBroadcastFirst, spv_type_u32(s), scope,
                         spv_input_value(s, INPUT_SUBGROUP_LANE));
    return spv_op3(s, SpvOpGroupNonUniformShuffle, spv_type_value(s, inst->type), scope,
                   spv_value(s, inst->args[0]), lane);
}

void spv_subgroup_inst(Spirv *s, const Inst *inst)
{
    if (inst->subgroup == SUBGROUP_BROADCAST_FIRST && s->target->breaks_first) {
        s->values[inst->id] = first_by_number(s, inst);
        return;
    }
    const Row *row = row_of(inst);
    SpvId scope = spv_const_u32(s, SpvScopeSubgroup), type = spv_type_value(s, inst->type);
    SpvId x = inst->nargs ? spv_value(s, inst->args[0]) : 0;
    SpvOp op = (SpvOp)(row->for_float && is_float(inst->type) ? row->for_float : row->op);
    SpvId r = 0;
    spv_need(s, SpvCapabilityGroupNonUniform);
    spv_need(s, (SpvCapability)row->capability);
    switch ((Form)row->form) {
    case FORM_FOLD:    r = spv_op3(s, op, type, scope, row->detail, x); break;
    case FORM_LANE:    r = spv_op3(s, op, type, scope, x, spv_value(s, inst->args[1])); break;
    case FORM_VALUE:   r = spv_op2(s, op, type, scope, x); break;
    case FORM_NOTHING: r = spv_op1(s, op, type, scope); break;
    case FORM_SWAP:    r = spv_op3(s, op, type, scope, x, spv_const_u32(s, row->detail)); break;
    }
    if (inst->type.kind == SCALAR_F16 && !s->target->has_f16 && row->form == FORM_FOLD)
        r = spv_math_round16(s, inst->type, r);
    s->values[inst->id] = r;
}
