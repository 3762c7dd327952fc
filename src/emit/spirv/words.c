// SPDX-License-Identifier: Apache-2.0
/*
 * words.c - memory that is addressed as 32-bit words.
 *
 * in     a place as an offset in bytes; what is there
 * out    loads and stores of words, and values made from them
 * knows  that components are aligned to their size
 *
 * An f16 is half of a word. Another invocation may write the other half at the same
 * time, so a store clears and sets its own half with atomics.
 */
#include "emit/spirv/spirv_priv.h"

/* An index: a known part and one that is not. */
typedef struct Sum {
    uint32_t known;
    SpvId    dynamic;               /* 0: none                                    */
} Sum;

static SpvId sum_id(Spirv *s, Sum x)
{
    if (!x.dynamic)
        return spv_const_u32(s, x.known);
    if (!x.known)
        return x.dynamic;
    return spv_op2(s, SpvOpIAdd, spv_type_u32(s), x.dynamic, spv_const_u32(s, x.known));
}

/* In units of 2^shift bytes, to which both parts are aligned: in words, or halves. */
static Sum sum_of(Spirv *s, const Where *p, uint32_t shift)
{
    Sum x = {.known = (uint32_t)(p->offset >> shift)};
    if (p->dynamic)
        x.dynamic = spv_op2(s, SpvOpShiftRightLogical, spv_type_u32(s), p->dynamic,
                            spv_const_u32(s, shift));
    return x;
}

static Sum sum_plus(Sum x, uint32_t n)
{
    x.known += n;
    return x;
}

/* x >> n and x & mask, of a sum that may be known. */
static SpvId shifted(Spirv *s, Sum x, uint32_t n)
{
    if (!x.dynamic)
        return spv_const_u32(s, x.known >> n);
    return spv_op2(s, SpvOpShiftRightLogical, spv_type_u32(s), sum_id(s, x),
                   spv_const_u32(s, n));
}

static SpvId masked(Spirv *s, Sum x, uint32_t mask)
{
    if (!x.dynamic)
        return spv_const_u32(s, x.known & mask);
    return spv_op2(s, SpvOpBitwiseAnd, spv_type_u32(s), sum_id(s, x),
                   spv_const_u32(s, mask));
}

/* ---- words ---- */

static SpvId word_pointer(Spirv *s, const IrVar *var, Sum at)
{
    const VarState *v = spv_var_state(s, var);
    SpvId type = spv_type_pointer(s, v->storage, spv_type_u32(s));
    if (v->form == VAR_QUADS)
        return spv_op_new(
            s, SpvOpAccessChain, type,
            OPERANDS(v->id, spv_const_u32(s, 0), shifted(s, at, 2), masked(s, at, 3)));
    if (var->space == IRSPACE_WORKGROUP)
        return spv_op2(s, SpvOpAccessChain, type, v->id, sum_id(s, at));
    return spv_op3(s, SpvOpAccessChain, type, v->id, spv_const_u32(s, 0), sum_id(s, at));
}

static SpvId word_load(Spirv *s, const IrVar *var, Sum at)
{
    return spv_op1(s, SpvOpLoad, spv_type_u32(s), word_pointer(s, var, at));
}

static SpvId from_word(Spirv *s, ScalarKind kind, SpvId word)
{
    return kind == SCALAR_F32 ? spv_op1(s, SpvOpBitcast, spv_type_value(s, IR_F32), word)
                              : word;
}

static SpvId to_word(Spirv *s, ScalarKind kind, SpvId v)
{
    return kind == SCALAR_F32 ? spv_op1(s, SpvOpBitcast, spv_type_u32(s), v) : v;
}

static SpvId double_load(Spirv *s, const IrVar *var, Sum at)
{
    SpvId low = word_load(s, var, at);
    return spv_double_of_words(s, low, word_load(s, var, sum_plus(at, 1)));
}

static void double_store(Spirv *s, const IrVar *var, Sum at, SpvId v)
{
    SpvId words = spv_double_words(s, v);
    for (uint32_t i = 0; i < 2; i++)
        spv_put(s, SECTION_CODE, SpvOpStore,
                OPERANDS(word_pointer(s, var, sum_plus(at, i)),
                         spv_op_new(s, SpvOpCompositeExtract, spv_type_u32(s),
                                    OPERANDS(words, i))));
}

/* ---- halves of words ---- */

static SpvId half_shift(Spirv *s, Sum at)
{
    if (!at.dynamic)
        return spv_const_u32(s, (at.known & 1) * 16);
    return spv_op2(s, SpvOpShiftLeftLogical, spv_type_u32(s), masked(s, at, 1),
                   spv_const_u32(s, 4));
}

static SpvId half_load(Spirv *s, const IrVar *var, Sum at)
{
    Sum word = {.known = at.known >> 1};
    if (at.dynamic)
        word = (Sum){.dynamic = shifted(s, at, 1)};
    SpvId bits = spv_op2(s, SpvOpShiftRightLogical, spv_type_u32(s),
                         word_load(s, var, word), half_shift(s, at));
    SpvId both = spv_half_unpack(s, bits);
    return spv_op_new(s, SpvOpCompositeExtract, spv_type_value(s, IR_F16),
                      OPERANDS(both, 0));
}

static SpvId half_bits(Spirv *s, SpvId v)
{
    IrType pair = {SCALAR_F16, 2};
    SpvId zero = spv_const_splat(s, IR_F16, 0);
    return spv_half_pack(s, spv_op2(s, SpvOpCompositeConstruct, spv_type_value(s, pair), v,
                                    zero));
}

static void half_store(Spirv *s, const IrVar *var, Sum at, SpvId v)
{
    Sum word = {.known = at.known >> 1};
    if (at.dynamic)
        word = (Sum){.dynamic = shifted(s, at, 1)};
    SpvId u32 = spv_type_u32(s), shift = half_shift(s, at),
          pointer = word_pointer(s, var, word);
    SpvId mine = spv_op2(s, SpvOpShiftLeftLogical, u32, spv_const_u32(s, 0xffff), shift);
    SpvId bits = spv_op2(s, SpvOpShiftLeftLogical, u32, half_bits(s, v), shift);
    SpvId scope = spv_const_u32(s, var->space == IRSPACE_WORKGROUP ? SpvScopeWorkgroup
                                                                   : SpvScopeDevice);
    SpvId relaxed = spv_const_u32(s, SpvMemorySemanticsMaskNone);
    spv_op_new(s, SpvOpAtomicAnd, u32,
               OPERANDS(pointer, scope, relaxed, spv_op1(s, SpvOpNot, u32, mine)));
    spv_op_new(s, SpvOpAtomicOr, u32, OPERANDS(pointer, scope, relaxed, bits));
}

/* ---- values ---- */

SpvId spv_words_load(Spirv *s, const Where *p, const MemType *mem)
{
    IrType type = mem->value.type;
    bool half = mem->value.stride == 2, twice = mem->value.stride == 8;
    Sum at = sum_of(s, p, half ? 1 : 2);
    SpvId parts[4];
    for (uint32_t i = 0; i < type.width; i++)
        parts[i] = half    ? half_load(s, p->var, sum_plus(at, i))
                   : twice ? double_load(s, p->var, sum_plus(at, 2 * i))
                           : from_word(s, (ScalarKind)type.kind,
                                       word_load(s, p->var, sum_plus(at, i)));
    if (type.width == 1)
        return parts[0];
    return spv_op_new(s, SpvOpCompositeConstruct, spv_type_value(s, type), type.width,
                      parts);
}

void spv_words_store(Spirv *s, const Where *p, const MemType *mem, SpvId v)
{
    IrType type = mem->value.type;
    SpvId scalar = spv_type_value(s, (IrType){type.kind, 1});
    bool half = mem->value.stride == 2, twice = mem->value.stride == 8;
    Sum at = sum_of(s, p, half ? 1 : 2);
    for (uint32_t i = 0; i < type.width; i++) {
        SpvId part = type.width == 1
                         ? v
                         : spv_op_new(s, SpvOpCompositeExtract, scalar, OPERANDS(v, i));
        if (half)
            half_store(s, p->var, sum_plus(at, i), part);
        else if (twice)
            double_store(s, p->var, sum_plus(at, 2 * i), part);
        else
            spv_put(s, SECTION_CODE, SpvOpStore,
                    OPERANDS(word_pointer(s, p->var, sum_plus(at, i)),
                             to_word(s, (ScalarKind)type.kind, part)));
    }
}
