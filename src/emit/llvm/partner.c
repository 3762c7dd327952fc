// SPDX-License-Identifier: Apache-2.0
/*
 * partner.c - lanes that access x[i ^ d], with i counting up and one d for all.
 *
 * in     a place; values of lanes
 * out    where the block of neighbours lies that holds all lanes' elements, and how the
 *        lanes change places in it
 * why    sorting networks and butterflies do it, and it is one vector, not a gather
 *
 * With n lanes that start at a multiple of n, i ^ d is (first ^ the upper bits of d), a
 * block of n, and in it (lane ^ the lower bits of d).
 */
#include "emit/llvm/place_priv.h"

/* Numbers that count up from a multiple of the lanes. */
static bool counts_up(const Emit *e, const Inst *inst)
{
    const Fact *f = &e->facts->of[inst->id];
    return f->shape == SHAPE_AFFINE && f->stride == 1 && f->align >= e->lanes;
}

/* Which operand of `inst` counts up, if it is xored with one number; -1: it is not so. */
static int moving_operand(const Emit *e, const Inst *inst)
{
    for (int i = 0; inst->op == IR_XOR && i < 2; i++)
        if (counts_up(e, inst->args[i]) && shape_of(e, inst->args[1 - i]) <= SHAPE_GROUP)
            return i;
    return -1;
}

/* The one term that differs between lanes; NULL: there are others, or it is none such. */
static const Term *xored_term(const Emit *e, const Address *a)
{
    const Term *found = NULL;
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        if (shape_of(e, t->index) <= SHAPE_GROUP) {
            if (t->count)
                return NULL;
        } else if (found || t->stride != 4 || moving_operand(e, t->index) < 0) {
            return NULL;
        } else {
            found = t;
        }
    }
    return found;
}

/* i1: the block from element `first` on is in bounds; NULL: that is known. */
static LlvmValue block_fits(Emit *e, const Inst *place, const Term *t, LlvmValue first)
{
    if (!e->mask && !t->count)
        return NULL;
    Address all = address_of(e, place, true);
    for (uint32_t i = 0; i < all.nterms; i++)
        if (all.terms[i].index == t->index && all.terms[i].count) {
            LlvmValue room = intrinsic2(e, "llvm.usub.sat", all.terms[i].count,
                                        const_i32(e, e->lanes - 1));
            return LLVMBuildICmp(e->builder, LLVMIntULT, first, room, "");
        }
    return NULL;
}

bool partner_find(Emit *e, const Inst *place, Partner *out)
{
    Address a = address_of(e, place, false);
    if (e->lanes < 4 || a.shape != ADDRESS_SCATTERED || a.viewed || address_is_private(&a) ||
        place->mem->value.type.width != 1 || place->mem->value.stride != 4 || a.align != 4)
        return false;
    const Term *t = xored_term(e, &a);
    if (!t)
        return false;
    int moving = moving_operand(e, t->index);
    LlvmValue i = as_scalar(e, t->index->args[moving], 0);
    LlvmValue d = as_scalar(e, t->index->args[1 - moving], 0);
    LlvmValue upper = LLVMBuildAnd(e->builder, d, const_i32(e, ~(e->lanes - 1u)), "");
    LlvmValue first = LLVMBuildXor(e->builder, i, upper, "");
    out->by = LLVMBuildAnd(e->builder, d, const_i32(e, e->lanes - 1), "");
    out->fits = block_fits(e, place, t, first);
    LlvmValue bytes = LLVMBuildZExt(e->builder, first, e->i64, "");
    bytes = LLVMBuildMul(e->builder, bytes, const_i64(e, 4), "");
    Address rest = a;                       /* all but this term */
    rest.terms = ARENA_ARRAY(e->arena, Term, a.nterms);
    rest.nterms = 0;
    for (uint32_t k = 0; k < a.nterms; k++)
        if (&a.terms[k] != t)
            rest.terms[rest.nterms++] = a.terms[k];
    LlvmValue base = address_scalar(e, &rest, false);
    out->pointer = LLVMBuildGEP2(e->builder, e->i8, base, &bytes, 1, "");
    return true;
}

/* Lane i gets lane i ^ bit. */
static LlvmValue exchanged(Emit *e, LlvmValue v, uint32_t bit)
{
    LlvmValue *at = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = const_i32(e, i ^ bit);
    return LLVMBuildShuffleVector(e->builder, v, v, LLVMConstVector(at, e->lanes), "");
}

LlvmValue lanes_exchange(Emit *e, LlvmValue v, LlvmValue by)
{
    for (uint32_t bit = 1; bit < e->lanes; bit *= 2) {
        LlvmValue has = LLVMBuildAnd(e->builder, by, const_i32(e, bit), "");
        has = LLVMBuildICmp(e->builder, LLVMIntNE, has, const_i32(e, 0), "");
        v = LLVMBuildSelect(e->builder, has, exchanged(e, v, bit), v, "");
    }
    return v;
}

LlvmValue partner_mask(Emit *e, LlvmValue mask, LlvmValue by)
{
    LlvmType words = lane_type(e, e->i32);
    LlvmValue v = lanes_exchange(e, LLVMBuildSExt(e->builder, mask, words, ""), by);
    return LLVMBuildICmp(e->builder, LLVMIntSLT, v, LLVMConstNull(words), "");
}
