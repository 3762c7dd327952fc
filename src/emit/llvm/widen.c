// SPDX-License-Identifier: Apache-2.0
/*
 * widen.c - masks are kept as wide as the values they mask.
 *
 * in     a function after LLVM's passes
 * out    the same in which vectors of i1 are computed, joined and passed on as
 *        vectors of i32, all ones or zero, and are i1 only where an instruction
 *        takes nothing else
 * why    machines without mask registers would pack such vectors into narrow
 *        elements and unpack them again, in the middle of the hottest loops;
 *        LLVM's passes undo anything earlier
 */
#include "emit/llvm/target_priv.h"

typedef struct Pair {
    LlvmValue narrow, wide;
} Pair;

typedef struct Widen {
    Emit *e;
    VEC(Pair) pairs;
    Pair    *table;                 /* open hash by narrow                        */
    uint32_t mask;
} Widen;

static bool is_mask(LlvmValue v)
{
    LlvmType t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) == 1;
}

static LlvmType wide_type(const Widen *w, LlvmValue mask)
{
    return LLVMVectorType(w->e->i32, LLVMGetVectorSize(LLVMTypeOf(mask)));
}

/* ---- the table ---- */

static Pair *slot_of(const Widen *w, LlvmValue narrow)
{
    uint32_t at = (uint32_t)((uintptr_t)narrow >> 4) * 0x9e3779b1u & w->mask;
    while (w->table[at].narrow && w->table[at].narrow != narrow)
        at = (at + 1) & w->mask;
    return &w->table[at];
}

static void find_masks(Widen *w)
{
    LlvmValue f = w->e->function;
    for (LlvmBlock b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LlvmValue i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_mask(i)) {
                Pair pair = {.narrow = i};
                VEC_PUSH(w->e->arena, &w->pairs, pair);
            }
    uint32_t size = 64;
    while (size < w->pairs.len * 2)
        size *= 2;
    w->mask = size - 1;
    w->table = ARENA_ARRAY(w->e->arena, Pair, size);
}

/* ---- one instruction ---- */

static LlvmValue widen_constant(const Widen *w, LlvmValue v)
{
    LlvmType type = wide_type(w, v);
    if (LLVMIsNull(v))
        return LLVMConstNull(type);
    return LLVMBuildSExt(w->e->builder, v, type, "");
}

/* The wide form of an operand; the builder stands where it may be made. */
static LlvmValue wide_of(const Widen *w, LlvmValue v)
{
    LlvmValue wide = LLVMIsAInstruction(v) ? slot_of(w, v)->wide : NULL;
    return wide ? wide : widen_constant(w, v);
}

static LlvmValue widen_select(const Widen *w, LlvmValue i)
{
    LlvmValue c = LLVMGetOperand(i, 0);
    LlvmValue yes = wide_of(w, LLVMGetOperand(i, 1)), no = wide_of(w, LLVMGetOperand(i, 2));
    return LLVMBuildSelect(w->e->builder, c, yes, no, "");
}

/* A scalar truth in all lanes. */
static LlvmValue widen_splat(const Widen *w, LlvmValue i)
{
    LlvmValue from = LLVMGetOperand(i, 0);
    if (LLVMGetInstructionOpcode(i) != LLVMShuffleVector || !LLVMIsAInstruction(from) ||
        LLVMGetInstructionOpcode(from) != LLVMInsertElement)
        return NULL;
    for (unsigned k = 0; k < LLVMGetNumMaskElements(i); k++)
        if (LLVMGetMaskValue(i, k) > 0)
            return NULL;
    LlvmValue scalar = LLVMBuildSExt(w->e->builder, LLVMGetOperand(from, 1), w->e->i32, "");
    return splat(w->e, scalar);
}

static LlvmValue widen_inst(const Widen *w, LlvmValue i)
{
    LLVMBuilderRef b = w->e->builder;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMAnd || op == LLVMOr || op == LLVMXor) {
        LlvmValue x = wide_of(w, LLVMGetOperand(i, 0)), y = wide_of(w, LLVMGetOperand(i, 1));
        return LLVMBuildBinOp(b, op, x, y, "");
    }
    if (op == LLVMSelect)
        return widen_select(w, i);
    if (op == LLVMFreeze)
        return LLVMBuildFreeze(b, wide_of(w, LLVMGetOperand(i, 0)), "");
    LlvmValue same = op == LLVMShuffleVector ? widen_splat(w, i) : NULL;
    return same ? same : LLVMBuildSExt(b, i, wide_type(w, i), "");
}

/* ---- all of them ---- */

static void remember(Widen *w, Pair *pair, LlvmValue wide)
{
    pair->wide = wide;
    *slot_of(w, pair->narrow) = *pair;
}

static void make_wide(Widen *w)
{
    for (uint32_t k = 0; k < w->pairs.len; k++) {
        Pair *p = &w->pairs.data[k];
        if (!LLVMIsAPHINode(p->narrow))
            continue;
        LLVMPositionBuilderBefore(w->e->builder, p->narrow);
        remember(w, p, LLVMBuildPhi(w->e->builder, wide_type(w, p->narrow), ""));
    }
    for (uint32_t k = 0; k < w->pairs.len; k++) {
        Pair *p = &w->pairs.data[k];
        if (LLVMIsAPHINode(p->narrow))
            continue;
        LLVMPositionBuilderBefore(w->e->builder, LLVMGetNextInstruction(p->narrow));
        remember(w, p, widen_inst(w, p->narrow));
    }
}

static void fill_phis(Widen *w)
{
    for (uint32_t k = 0; k < w->pairs.len; k++) {
        const Pair *p = &w->pairs.data[k];
        if (!LLVMIsAPHINode(p->narrow))
            continue;
        for (unsigned i = 0; i < LLVMCountIncoming(p->narrow); i++) {
            LlvmBlock from = LLVMGetIncomingBlock(p->narrow, i);
            LLVMPositionBuilderBefore(w->e->builder, LLVMGetBasicBlockTerminator(from));
            LlvmValue v = wide_of(w, LLVMGetIncomingValue(p->narrow, i));
            LLVMAddIncoming(p->wide, &v, &from, 1);
        }
    }
}

static bool is_compare(LlvmValue v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMICmp || op == LLVMFCmp;
}

/* Is a mask still made as vector of i1, and then widened? */
static bool stays_narrow(const Widen *w, LlvmValue mask)
{
    LlvmValue wide = slot_of(w, mask)->wide;
    return LLVMIsAInstruction(wide) && LLVMGetInstructionOpcode(wide) == LLVMSExt &&
           LLVMGetOperand(wide, 0) == mask;
}

/* Everybody who takes a vector of i1 gets one made from the wide form, in its own
 * block. Comparisons stay as they are for users beside them. */
static void narrow_uses(Widen *w, const Pair *p)
{
    VEC(LlvmValue) users = {0};
    LlvmBlock home = LLVMGetInstructionParent(p->narrow);
    for (LLVMUseRef u = LLVMGetFirstUse(p->narrow); u; u = LLVMGetNextUse(u))
        VEC_PUSH(w->e->arena, &users, LLVMGetUser(u));
    for (uint32_t i = 0; i < users.len; i++) {
        LlvmValue user = users.data[i];
        bool beside = is_compare(p->narrow) && LLVMGetInstructionParent(user) == home;
        bool widened = is_mask(user) && !stays_narrow(w, user);
        if (user == p->wide || widened || beside)
            continue;
        LLVMPositionBuilderBefore(w->e->builder, user);
        LlvmValue v = LLVMBuildICmp(w->e->builder, LLVMIntSLT, p->wide,
                                    LLVMConstNull(LLVMTypeOf(p->wide)), "");
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == p->narrow)
                LLVMSetOperand(user, (unsigned)k, v);
    }
}

/* Conditions of selects between masks: their users were skipped above. */
static void narrow_conditions(Widen *w)
{
    for (uint32_t k = 0; k < w->pairs.len; k++) {
        LlvmValue s = w->pairs.data[k].wide;
        if (!LLVMIsAInstruction(s) || LLVMGetInstructionOpcode(s) != LLVMSelect)
            continue;
        LlvmValue c = LLVMGetOperand(s, 0);
        if (!is_mask(c) || !LLVMIsAInstruction(c) || !slot_of(w, c)->wide)
            continue;
        LLVMPositionBuilderBefore(w->e->builder, s);
        LlvmValue wide = slot_of(w, c)->wide;
        LlvmValue v = LLVMBuildICmp(w->e->builder, LLVMIntSLT, wide,
                                    LLVMConstNull(LLVMTypeOf(wide)), "");
        LLVMSetOperand(s, 0, v);
    }
}

/* What only masks used, and they are wide now. */
static void drop_narrow(Widen *w)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = w->pairs.len; k-- > 0;) {
            LlvmValue v = w->pairs.data[k].narrow;
            if (!v || LLVMGetFirstUse(v))
                continue;
            LLVMInstructionEraseFromParent(v);
            w->pairs.data[k].narrow = NULL;
            changed = true;
        }
    }
}

/* Phis may keep each other alive after their last other use. */
static void unhook_phis(Widen *w)
{
    for (uint32_t k = 0; k < w->pairs.len; k++) {
        LlvmValue v = w->pairs.data[k].narrow;
        if (LLVMIsAPHINode(v))
            LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
    }
}

void widen_masks(Emit *e)
{
    Widen w = {.e = e};
    find_masks(&w);
    make_wide(&w);
    fill_phis(&w);
    for (uint32_t k = 0; k < w.pairs.len; k++)
        narrow_uses(&w, &w.pairs.data[k]);
    narrow_conditions(&w);
    unhook_phis(&w);
    drop_narrow(&w);
}
