// SPDX-License-Identifier: Apache-2.0
/*
 * arith.c - operations on numbers: a table, and the few that need more than a row.
 *
 * in     a PURE instruction
 * out    an instruction of SPIR-V or GLSL.std.450, or a few
 * knows  WGSL's rules for integer division, shifts, bits and vectors
 * not    memory; functions of floats with rules of their own are in math.c
 *
 * How a row is applied:
 *   CORE   an instruction of SPIR-V; of bools `for_bool`
 *   GLSL   an extended instruction
 *   WIDE   the same, of f16 computed in f32: so their accuracy does not depend on
 *          what a driver makes of f16
 *   FN     a function below or in math.c
 */
#include "emit/spirv/spirv_priv.h"

#define INT_MIN_BITS 0x80000000u

/* ---- integers ---- */

/* The operand is a constant, and none of its components is `n`. */
static bool is_never(const Inst *x, uint32_t n)
{
    for (uint32_t i = 0; x->op == IR_CONST && i < x->type.width; i++)
        if (x->constant.bits[i] == n)
            return false;
    return x->op == IR_CONST;
}

static SpvId is_equal(Spirv *s, const Inst *x, uint32_t n)
{
    return spv_op2(s, SpvOpIEqual, spv_type_value(s, as_kind(x->type, SCALAR_BOOL)),
                   spv_value(s, x), spv_const_splat(s, x->type, n));
}

/* The divisor; where the quotient would not be defined, one. */
static SpvId divisor(Spirv *s, const Inst *x, const Inst *y, bool is_signed)
{
    SpvId bools = spv_type_value(s, as_kind(x->type, SCALAR_BOOL)), bad = 0;
    if (!is_never(y, 0))
        bad = is_equal(s, y, 0);
    if (is_signed && !is_never(y, UINT32_MAX) && !is_never(x, INT_MIN_BITS)) {
        SpvId overflow = spv_op2(s, SpvOpLogicalAnd, bools, is_equal(s, x, INT_MIN_BITS),
                                 is_equal(s, y, UINT32_MAX));
        bad = bad ? spv_op2(s, SpvOpLogicalOr, bools, bad, overflow) : overflow;
    }
    if (!bad)
        return spv_value(s, y);
    return spv_op3(s, SpvOpSelect, spv_type_value(s, y->type), bad,
                   spv_const_splat(s, y->type, 1), spv_value(s, y));
}

/* Remainders of negative numbers are not what WGSL wants, so they are computed. */
static SpvId divide(Spirv *s, const Inst *inst)
{
    bool is_signed = inst->op == IR_SDIV || inst->op == IR_SREM;
    SpvId type = spv_type_value(s, inst->type), x = spv_value(s, inst->args[0]);
    SpvId by = divisor(s, inst->args[0], inst->args[1], is_signed);
    if (inst->op == IR_UREM)
        return spv_op2(s, SpvOpUMod, type, x, by);
    SpvId q = spv_op2(s, is_signed ? SpvOpSDiv : SpvOpUDiv, type, x, by);
    if (inst->op != IR_SREM)
        return q;
    return spv_op2(s, SpvOpISub, type, x, spv_op2(s, SpvOpIMul, type, q, by));
}

static bool is_below_32(const Inst *x)
{
    for (uint32_t i = 0; x->op == IR_CONST && i < x->type.width; i++)
        if (x->constant.bits[i] > 31)
            return false;
    return x->op == IR_CONST;
}

static SpvId shift(Spirv *s, const Inst *inst)
{
    static const SpvOp ops[] = {SpvOpShiftLeftLogical, SpvOpShiftRightLogical,
                                SpvOpShiftRightArithmetic};
    SpvId type = spv_type_value(s, inst->type), by = spv_value(s, inst->args[1]);
    if (!is_below_32(inst->args[1]))
        by = spv_op2(s, SpvOpBitwiseAnd, type, by, spv_const_splat(s, inst->type, 31));
    return spv_op2(s, ops[inst->op - IR_SHL], type, spv_value(s, inst->args[0]), by);
}

static SpvId signed_value(Spirv *s, const Inst *x)
{
    return spv_op1(s, SpvOpBitcast, spv_type_signed(s, x->type.width), spv_value(s, x));
}

static SpvId signed_min_max(Spirv *s, const Inst *inst)
{
    SpvId r = spv_glsl2(s, inst->op == IR_SMIN ? GLSLstd450SMin : GLSLstd450SMax,
                        spv_type_signed(s, inst->type.width), signed_value(s, inst->args[0]),
                        signed_value(s, inst->args[1]));
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, inst->type), r);
}

static SpvId signed_to_float(Spirv *s, const Inst *inst)
{
    return spv_op1(s, SpvOpConvertSToF, spv_type_value(s, inst->type),
                   signed_value(s, inst->args[0]));
}

/* 31 less the highest bit, which is -1 for zero. */
static SpvId leading_zeros(Spirv *s, const Inst *inst)
{
    SpvId type = spv_type_value(s, inst->type);
    SpvId top = spv_glsl1(s, GLSLstd450FindUMsb, type, spv_value(s, inst->args[0]));
    return spv_op2(s, SpvOpISub, type, spv_const_splat(s, inst->type, 31), top);
}

/* The lowest bit is -1 for zero, the largest number. */
static SpvId trailing_zeros(Spirv *s, const Inst *inst)
{
    SpvId type = spv_type_value(s, inst->type);
    SpvId low = spv_glsl1(s, GLSLstd450FindILsb, type, spv_value(s, inst->args[0]));
    return spv_glsl2(s, GLSLstd450UMin, type, low, spv_const_splat(s, inst->type, 32));
}

static SpvId native_dot(Spirv *s, const Inst *inst)
{
    spv_need_extension(s, "SPV_KHR_integer_dot_product");
    spv_need(s, SpvCapabilityDotProduct);
    spv_need(s, SpvCapabilityDotProductInput4x8BitPacked);
    return spv_op3(s, inst->op == IR_DOT4I8 ? SpvOpSDot : SpvOpUDot, spv_type_u32(s),
                   spv_value(s, inst->args[0]), spv_value(s, inst->args[1]),
                   SpvPackedVectorFormatPackedVectorFormat4x8Bit);
}

static SpvId byte_of(Spirv *s, const Inst *inst, uint32_t arg, uint32_t i)
{
    return spv_op3(s,
                   inst->op == IR_DOT4I8 ? SpvOpBitFieldSExtract : SpvOpBitFieldUExtract,
                   spv_type_u32(s), spv_value(s, inst->args[arg]),
                   spv_const_u32(s, 8 * i), spv_const_u32(s, 8));
}

static SpvId dot_scalar(Spirv *s, const Inst *inst)
{
    SpvId sum = 0, u32 = spv_type_u32(s);
    for (uint32_t i = 0; i < 4; i++) {
        SpvId x = byte_of(s, inst, 0, i), y = byte_of(s, inst, 1, i);
        SpvId p = spv_op2(s, SpvOpIMul, u32, x, y);
        sum = sum ? spv_op2(s, SpvOpIAdd, u32, sum, p) : p;
    }
    return sum;
}

static SpvId dot4(Spirv *s, const Inst *inst)
{
    BUG_IF(inst->type.width != 1, "a packed dot product of vectors");
    return s->target->has_int_dot ? native_dot(s, inst) : dot_scalar(s, inst);
}

/* ---- vectors and truth ---- */

static SpvId construct(Spirv *s, const Inst *inst)
{
    SpvId parts[4];
    IrConstant k = {{0}};
    bool constant = true;
    for (uint32_t i = 0; i < inst->nargs; i++) {
        const Inst *x = inst->args[i];
        constant = constant && x->op == IR_CONST;
        k.bits[i] = constant ? x->constant.bits[0] : 0;
        k.bits[4 + i] = constant ? x->constant.bits[4] : 0;
        parts[i] = spv_value(s, x);
    }
    if (inst->type.width == 1)
        return parts[0];
    if (constant)
        return spv_const_value(s, inst->type, &k);
    return spv_op_new(s, SpvOpCompositeConstruct, spv_type_value(s, inst->type),
                      inst->nargs, parts);
}

static SpvId component(Spirv *s, const Inst *inst, const Inst *vector, uint32_t i)
{
    if (vector->type.width == 1)
        return spv_value(s, vector);
    return spv_op_new(s, SpvOpCompositeExtract, spv_type_value(s, inst->type),
                      OPERANDS(spv_value(s, vector), i));
}

static SpvId extract(Spirv *s, const Inst *inst)
{
    return component(s, inst, inst->args[0], inst->index);
}

static SpvId swizzle(Spirv *s, const Inst *inst)
{
    uint32_t operands[6];
    const Inst *of = inst->args[0];
    if (inst->type.width == 1)
        return component(s, inst, of, inst->swizzle[0]);
    SpvId type = spv_type_value(s, inst->type);
    if (of->type.width == 1) {
        for (uint32_t i = 0; i < inst->type.width; i++)
            operands[i] = spv_value(s, of);
        return spv_op_new(s, SpvOpCompositeConstruct, type, inst->type.width, operands);
    }
    operands[0] = operands[1] = spv_value(s, of);
    for (uint32_t i = 0; i < inst->type.width; i++)
        operands[2 + i] = inst->swizzle[i];
    return spv_op_new(s, SpvOpVectorShuffle, type, 2 + inst->type.width, operands);
}

static SpvId clamped_index(Spirv *s, const Inst *index, uint32_t width)
{
    const Fact *f = &s->facts->of[index->id];
    if (index->op == IR_CONST)
        return spv_const_u32(s, MIN_OF(index->constant.bits[0], width - 1));
    if (f->high < width)
        return spv_value(s, index);
    return spv_glsl2(s, GLSLstd450UMin, spv_type_u32(s), spv_value(s, index),
                     spv_const_u32(s, width - 1));
}

static SpvId extract_at(Spirv *s, const Inst *inst)
{
    const Inst *of = inst->args[0];
    if (of->type.width == 1)
        return spv_value(s, of);
    return spv_op2(s, SpvOpVectorExtractDynamic, spv_type_value(s, inst->type),
                   spv_value(s, of), clamped_index(s, inst->args[1], of->type.width));
}

static SpvId insert_at(Spirv *s, const Inst *inst)
{
    if (inst->type.width == 1)
        return spv_value(s, inst->args[1]);
    return spv_op3(s, SpvOpVectorInsertDynamic, spv_type_value(s, inst->type),
                   spv_value(s, inst->args[0]), spv_value(s, inst->args[1]),
                   clamped_index(s, inst->args[2], inst->type.width));
}

static SpvId reduce_bool(Spirv *s, const Inst *inst)
{
    const Inst *x = inst->args[0];
    if (x->type.width == 1)
        return spv_value(s, x);
    return spv_op1(s, inst->op == IR_ALL ? SpvOpAll : SpvOpAny,
                   spv_type_value(s, IR_BOOL), spv_value(s, x));
}

static SpvId same(Spirv *s, const Inst *inst)
{
    return spv_value(s, inst->args[0]);
}

static SpvId bitcast(Spirv *s, const Inst *inst)
{
    if (ir_type_eq(inst->type, inst->args[0]->type))
        return same(s, inst);
    return spv_op1(s, SpvOpBitcast, spv_type_value(s, inst->type),
                   spv_value(s, inst->args[0]));
}

static SpvId input(Spirv *s, const Inst *inst)
{
    return spv_input_value(s, inst->input);
}

/* ---- the table ---- */

typedef enum How {
    HOW_NONE,
    HOW_CORE,
    HOW_GLSL,
    HOW_WIDE,
    HOW_FN
} How;

typedef struct Row {
    uint8_t how;
    uint16_t code, for_bool;
    ArithFn *fn;
} Row;

#define CORE(op)                                                                         \
    {                                                                                    \
        .how = HOW_CORE, .code = SpvOp##op                                               \
    }
#define CORE_OR(op, bool_op)                                                             \
    {                                                                                    \
        .how = HOW_CORE, .code = SpvOp##op, .for_bool = SpvOp##bool_op                   \
    }
#define GLSL(op)                                                                         \
    {                                                                                    \
        .how = HOW_GLSL, .code = GLSLstd450##op                                          \
    }
#define WIDE(op)                                                                         \
    {                                                                                    \
        .how = HOW_WIDE, .code = GLSLstd450##op                                          \
    }
#define FN(f)                                                                            \
    {                                                                                    \
        .how = HOW_FN, .fn = f                                                           \
    }

static const Row rows[IR_OP_COUNT] = {
    [IR_INPUT] = FN(input),
    [IR_FADD] = CORE(FAdd),
    [IR_FSUB] = CORE(FSub),
    [IR_FMUL] = CORE(FMul),
    [IR_FDIV] = CORE(FDiv),
    [IR_FREM] = FN(spv_math_frem),
    [IR_FNEG] = CORE(FNegate),
    [IR_FABS] = GLSL(FAbs),
    [IR_FMA] = GLSL(Fma),
    [IR_FMIN] = GLSL(NMin),
    [IR_FMAX] = GLSL(NMax),
    [IR_FLOOR] = GLSL(Floor),
    [IR_CEIL] = GLSL(Ceil),
    [IR_TRUNC] = GLSL(Trunc),
    [IR_ROUND] = GLSL(RoundEven),
    [IR_SQRT] = GLSL(Sqrt),
    [IR_RSQRT] = GLSL(InverseSqrt),
    [IR_EXP] = WIDE(Exp),
    [IR_EXP2] = WIDE(Exp2),
    [IR_LOG] = WIDE(Log),
    [IR_LOG2] = WIDE(Log2),
    [IR_POW] = FN(spv_math_pow),
    [IR_SIN] = WIDE(Sin),
    [IR_COS] = WIDE(Cos),
    [IR_TAN] = WIDE(Tan),
    [IR_ASIN] = FN(spv_math_asin),
    [IR_ACOS] = FN(spv_math_acos),
    [IR_ATAN] = WIDE(Atan),
    [IR_ATAN2] = WIDE(Atan2),
    [IR_SINH] = WIDE(Sinh),
    [IR_COSH] = WIDE(Cosh),
    [IR_TANH] = FN(spv_math_tanh),
    [IR_ASINH] = FN(spv_math_asinh),
    [IR_ACOSH] = FN(spv_math_acosh),
    [IR_ATANH] = WIDE(Atanh),
    [IR_LDEXP] = FN(spv_math_ldexp),
    [IR_FREXP_FRACT] = FN(spv_math_frexp_fract),
    [IR_FREXP_EXP] = FN(spv_math_frexp_exp),

    [IR_IADD] = CORE(IAdd),
    [IR_ISUB] = CORE(ISub),
    [IR_IMUL] = CORE(IMul),
    [IR_SDIV] = FN(divide),
    [IR_UDIV] = FN(divide),
    [IR_SREM] = FN(divide),
    [IR_UREM] = FN(divide),
    [IR_SMIN] = FN(signed_min_max),
    [IR_SMAX] = FN(signed_min_max),
    [IR_UMIN] = GLSL(UMin),
    [IR_UMAX] = GLSL(UMax),
    [IR_SHL] = FN(shift),
    [IR_SHR] = FN(shift),
    [IR_SAR] = FN(shift),
    [IR_CLZ] = FN(leading_zeros),
    [IR_CTZ] = FN(trailing_zeros),
    [IR_POPCOUNT] = CORE(BitCount),
    [IR_BITREV] = CORE(BitReverse),
    [IR_DOT4I8] = FN(dot4),
    [IR_DOT4U8] = FN(dot4),

    [IR_AND] = CORE_OR(BitwiseAnd, LogicalAnd),
    [IR_OR] = CORE_OR(BitwiseOr, LogicalOr),
    [IR_XOR] = CORE_OR(BitwiseXor, LogicalNotEqual),
    [IR_NOT] = CORE_OR(Not, LogicalNot),
    [IR_ALL] = FN(reduce_bool),
    [IR_ANY] = FN(reduce_bool),
    [IR_SELECT] = CORE_OR(Select, Select),

    [IR_FEQ] = CORE_OR(FOrdEqual, FOrdEqual),
    [IR_FNE] = CORE_OR(FUnordNotEqual, FUnordNotEqual),
    [IR_FLT] = CORE_OR(FOrdLessThan, FOrdLessThan),
    [IR_FLE] = CORE_OR(FOrdLessThanEqual, FOrdLessThanEqual),
    [IR_IEQ] = CORE_OR(IEqual, IEqual),
    [IR_INE] = CORE_OR(INotEqual, INotEqual),
    [IR_SLT] = CORE_OR(SLessThan, SLessThan),
    [IR_SLE] = CORE_OR(SLessThanEqual, SLessThanEqual),
    [IR_ULT] = CORE_OR(ULessThan, ULessThan),
    [IR_ULE] = CORE_OR(ULessThanEqual, ULessThanEqual),

    [IR_S2F] = FN(signed_to_float),
    [IR_U2F] = CORE(ConvertUToF),
    [IR_F2S] = FN(spv_math_to_signed),
    [IR_F2U] = FN(spv_math_to_unsigned),
    [IR_F2F] = FN(spv_math_float_to_float),
    [IR_BITCAST] = FN(bitcast),
    [IR_PACK_HALF] = FN(spv_math_pack_half),
    [IR_UNPACK_HALF] = FN(spv_math_unpack_half),
    [IR_HIGH_WORD] = FN(spv_math_word),
    [IR_LOW_WORD] = FN(spv_math_word),
    [IR_FROM_WORDS] = FN(spv_math_from_words),
    [IR_COPYSIGN] = FN(spv_math_part),
    [IR_POWER] = FN(spv_math_part),
    [IR_LOGB] = FN(spv_math_part),
    [IR_SIGNIFICAND] = FN(spv_math_part),

    [IR_VEC] = FN(construct),
    [IR_EXTRACT] = FN(extract),
    [IR_EXTRACT_AT] = FN(extract_at),
    [IR_INSERT_AT] = FN(insert_at),
    [IR_SWIZZLE] = FN(swizzle),
    [IR_UNIFORM] = FN(same),
    [IR_FIRST] = FN(same),          /* made for lanes alone */
};

static SpvId extended(Spirv *s, const Inst *inst, uint32_t code, bool wide)
{
    uint32_t operands[5] = {s->glsl, code};
    for (uint32_t i = 0; i < inst->nargs; i++) {
        SpvId x = spv_value(s, inst->args[i]);
        operands[2 + i] = wide ? spv_math_widen(s, inst->args[i]->type, x) : x;
    }
    IrType type = wide ? as_kind(inst->type, SCALAR_F32) : inst->type;
    SpvId r =
        spv_op_new(s, SpvOpExtInst, spv_type_value(s, type), 2 + inst->nargs, operands);
    return wide ? spv_math_narrow(s, inst->type, r) : r;
}

static SpvId core(Spirv *s, const Inst *inst, const Row *row)
{
    uint32_t operands[3];
    for (uint32_t i = 0; i < inst->nargs; i++)
        operands[i] = spv_value(s, inst->args[i]);
    bool truth = inst->type.kind == SCALAR_BOOL;
    SpvId v = spv_op_new(s, (SpvOp)(truth ? row->for_bool : row->code),
                         spv_type_value(s, inst->type), inst->nargs, operands);
    if (inst->type.kind == SCALAR_F64 && inst->op >= IR_FADD && inst->op <= IR_FDIV)
        spv_decorate(s, v, SpvDecorationNoContraction, 0, NULL);
    return v;
}

static SpvId apply(Spirv *s, const Inst *inst)
{
    const Row *row = &rows[inst->op];
    switch ((How)row->how) {
    case HOW_CORE: return core(s, inst, row);
    case HOW_GLSL: return extended(s, inst, row->code, false);
    case HOW_WIDE: return extended(s, inst, row->code, inst->type.kind == SCALAR_F16);
    case HOW_FN: return row->fn(s, inst);
    case HOW_NONE: break;
    }
    BUG("no code for %s", ir_op_name((IrOp)inst->op));
}

/* An f16 that is kept as an f32 is rounded after what may make it longer. */
static bool is_rounded(const Spirv *s, const Inst *inst)
{
    if (s->target->has_f16 || inst->type.kind != SCALAR_F16)
        return false;
    const Row *row = &rows[inst->op];
    return row->how == HOW_CORE ? inst->op != IR_SELECT : row->how == HOW_GLSL;
}

void spv_arith_inst(Spirv *s, const Inst *inst)
{
    if (inst->op == IR_CONST)
        return;
    SpvId v = apply(s, inst);
    if (is_rounded(s, inst))
        v = spv_math_round16(s, inst->type, v);
    s->values[inst->id] = v;
}
