// SPDX-License-Identifier: Apache-2.0
/*
 * builtin.c - which handler lowers which builtin function.
 *
 * in     calls of kind CALL_BUILTIN
 * out    what the handler makes
 * knows  the table below: a row for each function that a kernel can call. The
 *        operations of a row are those on floats, signed and unsigned integers,
 *        or whatever its handler makes of them.
 * not    textures and derivatives, which have no row
 */
#include "lower/lower_priv.h"

typedef struct Row {
    BuiltinHandler *handler;
    uint16_t f, s, u;
} Row;

static const Row rows[BUILTIN_ID_COUNT] = {
#define FLOAT(op) {lower_componentwise, IR_##op, 0, 0}
#define BITS(op)  {lower_componentwise, 0, IR_##op, IR_##op}
    /* ---- one operation on each component ---- */
    [BUILTIN_acos] = FLOAT(ACOS),
    [BUILTIN_acosh] = FLOAT(ACOSH),
    [BUILTIN_asin] = FLOAT(ASIN),
    [BUILTIN_asinh] = FLOAT(ASINH),
    [BUILTIN_atan] = FLOAT(ATAN),
    [BUILTIN_atan2] = FLOAT(ATAN2),
    [BUILTIN_atanh] = FLOAT(ATANH),
    [BUILTIN_ceil] = FLOAT(CEIL),
    [BUILTIN_cos] = FLOAT(COS),
    [BUILTIN_cosh] = FLOAT(COSH),
    [BUILTIN_countLeadingZeros] = BITS(CLZ),
    [BUILTIN_countOneBits] = BITS(POPCOUNT),
    [BUILTIN_countTrailingZeros] = BITS(CTZ),
    [BUILTIN_exp] = FLOAT(EXP),
    [BUILTIN_exp2] = FLOAT(EXP2),
    [BUILTIN_floor] = FLOAT(FLOOR),
    [BUILTIN_fma] = FLOAT(FMA),
    [BUILTIN_inverseSqrt] = FLOAT(RSQRT),
    [BUILTIN_ldexp] = FLOAT(LDEXP),
    [BUILTIN_log] = FLOAT(LOG),
    [BUILTIN_log2] = FLOAT(LOG2),
    [BUILTIN_max] = {lower_componentwise, IR_FMAX, IR_SMAX, IR_UMAX},
    [BUILTIN_min] = {lower_componentwise, IR_FMIN, IR_SMIN, IR_UMIN},
    [BUILTIN_pow] = FLOAT(POW),
    [BUILTIN_reverseBits] = BITS(BITREV),
    [BUILTIN_round] = FLOAT(ROUND),
    [BUILTIN_sin] = FLOAT(SIN),
    [BUILTIN_sinh] = FLOAT(SINH),
    [BUILTIN_sqrt] = FLOAT(SQRT),
    [BUILTIN_tan] = FLOAT(TAN),
    [BUILTIN_tanh] = FLOAT(TANH),
    [BUILTIN_trunc] = FLOAT(TRUNC),
#undef FLOAT
#undef BITS

    /* ---- numbers ---- */
    [BUILTIN_abs] = {lower_abs, IR_FABS, IR_SMAX, 0},
    [BUILTIN_clamp] = {lower_clamp, 0, 0, 0},
    [BUILTIN_cross] = {lower_cross, 0, 0, 0},
    [BUILTIN_degrees] = {lower_degrees, 0, 0, 0},
    [BUILTIN_determinant] = {lower_determinant, 0, 0, 0},
    [BUILTIN_distance] = {lower_distance, 0, 0, 0},
    [BUILTIN_dot] = {lower_dot_product, 0, 0, 0},
    [BUILTIN_faceForward] = {lower_face_forward, 0, 0, 0},
    [BUILTIN_fract] = {lower_fract, 0, 0, 0},
    [BUILTIN_frexp] = {lower_frexp, 0, 0, 0},
    [BUILTIN_length] = {lower_length, 0, 0, 0},
    [BUILTIN_mix] = {lower_mix, 0, 0, 0},
    [BUILTIN_modf] = {lower_modf, 0, 0, 0},
    [BUILTIN_normalize] = {lower_normalize, 0, 0, 0},
    [BUILTIN_quantizeToF16] = {lower_quantize, 0, 0, 0},
    [BUILTIN_radians] = {lower_radians, 0, 0, 0},
    [BUILTIN_reflect] = {lower_reflect, 0, 0, 0},
    [BUILTIN_refract] = {lower_refract, 0, 0, 0},
    [BUILTIN_saturate] = {lower_saturate, 0, 0, 0},
    [BUILTIN_sign] = {lower_sign, 0, 0, 0},
    [BUILTIN_smoothstep] = {lower_smoothstep, 0, 0, 0},
    [BUILTIN_step] = {lower_step, 0, 0, 0},
    [BUILTIN_transpose] = {lower_transpose, 0, 0, 0},

    /* ---- bits and truth ---- */
    [BUILTIN_all] = {lower_all_any, IR_ALL, 0, 0},
    [BUILTIN_any] = {lower_all_any, IR_ANY, 0, 0},
    [BUILTIN_bitcast] = {lower_bitcast, 0, 0, 0},
    [BUILTIN_dot4I8Packed] = {lower_componentwise, 0, 0, IR_DOT4I8},
    [BUILTIN_dot4U8Packed] = {lower_componentwise, 0, 0, IR_DOT4U8},
    [BUILTIN_extractBits] = {lower_extract_bits, 0, IR_SAR, IR_SHR},
    [BUILTIN_firstLeadingBit] = {lower_first_leading, 0, 0, 0},
    [BUILTIN_firstTrailingBit] = {lower_first_trailing, 0, 0, 0},
    [BUILTIN_insertBits] = {lower_insert_bits, 0, 0, 0},
    [BUILTIN_select] = {lower_select, 0, 0, 0},

    /* ---- packing: u is the bits a component has ---- */
    [BUILTIN_pack2x16float] = {lower_pack_half, 0, 0, 0},
    [BUILTIN_pack2x16snorm] = {lower_pack_norm, IR_F2S, 0, 16},
    [BUILTIN_pack2x16unorm] = {lower_pack_norm, IR_F2U, 0, 16},
    [BUILTIN_pack4x8snorm] = {lower_pack_norm, IR_F2S, 0, 8},
    [BUILTIN_pack4x8unorm] = {lower_pack_norm, IR_F2U, 0, 8},
    [BUILTIN_pack4xI8] = {lower_pack_bytes, 0, 0, 8},
    [BUILTIN_pack4xI8Clamp] = {lower_pack_bytes, 0, IR_SMIN, 8},
    [BUILTIN_pack4xU8] = {lower_pack_bytes, 0, 0, 8},
    [BUILTIN_pack4xU8Clamp] = {lower_pack_bytes, 0, IR_UMIN, 8},
    [BUILTIN_unpack2x16float] = {lower_unpack_half, 0, 0, 0},
    [BUILTIN_unpack2x16snorm] = {lower_unpack_norm, IR_S2F, IR_SAR, 16},
    [BUILTIN_unpack2x16unorm] = {lower_unpack_norm, IR_U2F, IR_SHR, 16},
    [BUILTIN_unpack4x8snorm] = {lower_unpack_norm, IR_S2F, IR_SAR, 8},
    [BUILTIN_unpack4x8unorm] = {lower_unpack_norm, IR_U2F, IR_SHR, 8},
    [BUILTIN_unpack4xI8] = {lower_unpack_bytes, 0, IR_SAR, 8},
    [BUILTIN_unpack4xU8] = {lower_unpack_bytes, 0, IR_SHR, 8},

    /* ---- memory ---- */
    [BUILTIN_arrayLength] = {lower_array_length, 0, 0, 0},
    [BUILTIN_bufferArrayView] = {lower_buffer_array_view, 0, 0, 0},
    [BUILTIN_bufferLength] = {lower_buffer_length, 0, 0, 0},
    [BUILTIN_bufferView] = {lower_buffer_view, 0, 0, 0},
    [BUILTIN_workgroupUniformLoad] = {lower_uniform_load, 0, 0, 0},

    /* ---- atomics: s and u are IrAtomic ---- */
    [BUILTIN_atomicAdd] = {lower_atomic, 0, ATOMIC_ADD, ATOMIC_ADD},
    [BUILTIN_atomicAnd] = {lower_atomic, 0, ATOMIC_AND, ATOMIC_AND},
    [BUILTIN_atomicCompareExchangeWeak] = {lower_atomic_exchange, 0, 0, 0},
    [BUILTIN_atomicExchange] = {lower_atomic, 0, ATOMIC_EXCHANGE, ATOMIC_EXCHANGE},
    [BUILTIN_atomicLoad] = {lower_atomic, 0, ATOMIC_LOAD, ATOMIC_LOAD},
    [BUILTIN_atomicMax] = {lower_atomic, 0, ATOMIC_SMAX, ATOMIC_UMAX},
    [BUILTIN_atomicMin] = {lower_atomic, 0, ATOMIC_SMIN, ATOMIC_UMIN},
    [BUILTIN_atomicOr] = {lower_atomic, 0, ATOMIC_OR, ATOMIC_OR},
    [BUILTIN_atomicStore] = {lower_atomic, 0, ATOMIC_STORE, ATOMIC_STORE},
    [BUILTIN_atomicSub] = {lower_atomic, 0, ATOMIC_SUB, ATOMIC_SUB},
    [BUILTIN_atomicXor] = {lower_atomic, 0, ATOMIC_XOR, ATOMIC_XOR},

    /* ---- barriers: u is BARRIER_* ---- */
    [BUILTIN_storageBarrier] = {lower_barrier, 0, 0, BARRIER_STORAGE},
    [BUILTIN_textureBarrier] = {lower_barrier, 0, 0, BARRIER_TEXTURE},
    [BUILTIN_workgroupBarrier] = {lower_barrier, 0, 0, BARRIER_WORKGROUP},

    /* ---- subgroups and quads: IrSubgroup ---- */
#define SUBGROUP3(f, s, u) {lower_subgroup, SUBGROUP_##f, SUBGROUP_##s, SUBGROUP_##u}
#define SUBGROUP(op) SUBGROUP3(op, op, op)
#define QUAD(op)     {lower_subgroup, QUAD_##op, QUAD_##op, QUAD_##op}
    [BUILTIN_quadBroadcast] = QUAD(BROADCAST),
    [BUILTIN_quadSwapDiagonal] = QUAD(SWAP_DIAGONAL),
    [BUILTIN_quadSwapX] = QUAD(SWAP_X),
    [BUILTIN_quadSwapY] = QUAD(SWAP_Y),
    [BUILTIN_subgroupAdd] = SUBGROUP(ADD),
    [BUILTIN_subgroupAll] = SUBGROUP(ALL),
    [BUILTIN_subgroupAnd] = SUBGROUP(AND),
    [BUILTIN_subgroupAny] = SUBGROUP(ANY),
    [BUILTIN_subgroupBallot] = SUBGROUP(BALLOT),
    [BUILTIN_subgroupBroadcast] = SUBGROUP(BROADCAST),
    [BUILTIN_subgroupBroadcastFirst] = SUBGROUP(BROADCAST_FIRST),
    [BUILTIN_subgroupElect] = SUBGROUP(ELECT),
    [BUILTIN_subgroupExclusiveAdd] = SUBGROUP(EXCLUSIVE_ADD),
    [BUILTIN_subgroupExclusiveMul] = SUBGROUP(EXCLUSIVE_MUL),
    [BUILTIN_subgroupInclusiveAdd] = SUBGROUP(INCLUSIVE_ADD),
    [BUILTIN_subgroupInclusiveMul] = SUBGROUP(INCLUSIVE_MUL),
    [BUILTIN_subgroupMax] = SUBGROUP3(MAX, SMAX, UMAX),
    [BUILTIN_subgroupMin] = SUBGROUP3(MIN, SMIN, UMIN),
    [BUILTIN_subgroupMul] = SUBGROUP(MUL),
    [BUILTIN_subgroupOr] = SUBGROUP(OR),
    [BUILTIN_subgroupShuffle] = SUBGROUP(SHUFFLE),
    [BUILTIN_subgroupShuffleDown] = SUBGROUP(SHUFFLE_DOWN),
    [BUILTIN_subgroupShuffleUp] = SUBGROUP(SHUFFLE_UP),
    [BUILTIN_subgroupShuffleXor] = SUBGROUP(SHUFFLE_XOR),
    [BUILTIN_subgroupXor] = SUBGROUP(XOR),
#undef QUAD
#undef SUBGROUP
#undef SUBGROUP3
};

bool lower_has_builtin(BuiltinId id)
{
    return rows[id].handler != NULL;
}

Inst *lower_arg(Lower *l, const BuiltinCall *b, uint32_t i)
{
    return lower_scalar(l, b->e->call.args[i]);
}

Inst *lower_arg_wide(Lower *l, const BuiltinCall *b, uint32_t i, uint32_t width)
{
    Inst *x = lower_arg(l, b, i);
    return x->type.width < width ? ir_splat(&l->c, x, width) : x;
}

uint16_t lower_by_kind(const BuiltinCall *b)
{
    if (!b->type)
        return b->u;
    switch (lower_num_kind(b->type)) {
    case NUM_FLOAT:  return b->f;
    case NUM_SIGNED: return b->s;
    default:         return b->u;
    }
}

Val lower_componentwise(Lower *l, const BuiltinCall *b)
{
    Inst *args[3];
    uint32_t n = b->e->call.nargs;
    for (uint32_t i = 0; i < n; i++)
        args[i] = lower_arg(l, b, i);
    return val_one(ir_op(&l->c, (IrOp)lower_by_kind(b), n, args));
}

/* The type that decides about signedness: of the first argument, or of the atomic
 * it points to. */
static const Type *deciding_type(const Expr *e)
{
    if (e->call.nargs == 0)
        return NULL;
    const Type *t = e->call.args[0]->type;
    if (t->kind == TYPE_POINTER && t->pointer.of->kind == TYPE_ATOMIC)
        return t->pointer.of->atomic.of;
    return t->kind == TYPE_POINTER ? NULL : t;
}

Val lower_builtin(Lower *l, const Expr *e)
{
    BuiltinId id = (BuiltinId)e->call.builtin;
    const Row *row = &rows[id];
    if (!row->handler)
        lower_fail(l, DIAG_not_compiled, e->span, "'%s' cannot be called in a kernel",
                   builtin_name(id));
    BuiltinCall b = {.e = e, .type = deciding_type(e),
                     .f = row->f, .s = row->s, .u = row->u};
    return row->handler(l, &b);
}
