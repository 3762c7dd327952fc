// SPDX-License-Identifier: Apache-2.0
/*
 * pattern.c - lanes whose distances from the first are known now, though they are no
 * multiples of one.
 *
 * in     an address whose indices are made from lanes that count up, with divisions and
 *        masks by powers of two
 * out    two vectors of neighbours that hold all lanes' elements, and what becomes of them
 * why    steps of sorting networks and transforms: (i / 4) * 8 + i % 4 is 0 1 2 3 8 9 10 11
 * knows  that workgroup memory is its thread's alone: what a store does not mean may be
 *        stored as it was
 */
#include "emit/llvm/place_priv.h"

#define DEPTH      8u               /* of an index                                */
#define MOST_LANES 32u
#define FURTHEST   (1 << 20)        /* elements from the first lane               */
#define ZERO       0x80000000u      /* Pattern.align of what is zero              */

/* In lane i: what is in lane 0, and at[i] more. */
typedef struct Pattern {
    int32_t  at[MOST_LANES];
    uint32_t align;                 /* a power of two that divides lane 0's       */
} Pattern;

static uint32_t lowest_bit(uint32_t n)
{
    return n ? n & (0u - n) : ZERO;
}

static bool constant(const Inst *inst, uint32_t *n)
{
    *n = inst->op == IR_CONST ? inst->constant.bits[0] : 0;
    return inst->op == IR_CONST;
}

/* Does lane 0 start a block of c numbers, and do the others come after it? */
static bool starts_block(const Emit *e, const Pattern *x, const Inst *inst, uint32_t c)
{
    if (lowest_bit(c) != c || c == 0 || x->align < c || e->facts->of[inst->id].high > INT32_MAX)
        return false;
    for (uint32_t i = 0; i < e->lanes; i++)
        if (x->at[i] < 0)
            return false;
    return true;
}

static bool pattern_of(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth);

static bool sum(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth)
{
    Pattern y;
    if (!pattern_of(e, inst->args[0], out, depth) || !pattern_of(e, inst->args[1], &y, depth))
        return false;
    int32_t sign = inst->op == IR_ISUB ? -1 : 1;
    for (uint32_t i = 0; i < e->lanes; i++)
        out->at[i] += sign * y.at[i];
    out->align = MIN_OF(out->align, y.align);
    return true;
}

/* Numbers below c beside multiples of it: the same as their sum. */
static bool joined(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth)
{
    for (uint32_t k = 0; k < 2; k++) {
        Pattern x, y;
        if (!pattern_of(e, inst->args[k], &x, depth) ||
            !pattern_of(e, inst->args[1 - k], &y, depth))
            return false;
        uint32_t c = x.align;
        bool apart = y.align == ZERO;
        for (uint32_t i = 0; i < e->lanes; i++)
            c = MIN_OF(c, lowest_bit((uint32_t)x.at[i]));
        for (uint32_t i = 0; i < e->lanes; i++)
            apart = apart && y.at[i] >= 0 && (uint32_t)y.at[i] < c;
        for (uint32_t i = 0; i < e->lanes && apart; i++)
            x.at[i] += y.at[i];
        *out = x;
        out->align = MIN_OF(x.align, y.align);
        if (apart)
            return true;
    }
    return false;
}

static bool scaled(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth)
{
    uint32_t n;
    uint32_t k = inst->op == IR_IMUL && inst->args[0]->op == IR_CONST ? 0 : 1;
    if (!constant(inst->args[k], &n) || !pattern_of(e, inst->args[1 - k], out, depth))
        return false;
    if (inst->op == IR_SHL)
        n = 1u << (n & 31);
    if (n == 0 || n > FURTHEST)
        return false;
    for (uint32_t i = 0; i < e->lanes; i++) {
        if (out->at[i] > FURTHEST / (int32_t)n || out->at[i] < -FURTHEST / (int32_t)n)
            return false;
        out->at[i] *= (int32_t)n;
    }
    uint64_t align = (uint64_t)out->align * lowest_bit(n);
    out->align = align > ZERO ? ZERO : (uint32_t)align;
    return true;
}

static bool divided(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth)
{
    uint32_t c;
    if (!constant(inst->args[1], &c) || !pattern_of(e, inst->args[0], out, depth))
        return false;
    c = inst->op == IR_SHR ? 1u << (c & 31) : c;
    if (!starts_block(e, out, inst->args[0], c))
        return false;
    for (uint32_t i = 0; i < e->lanes; i++)
        out->at[i] /= (int32_t)c;
    out->align = out->align == ZERO ? ZERO : out->align / c;
    return true;
}

/* x % c, x & (c - 1), x & ~(c - 1) */
static bool masked(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth)
{
    uint32_t n;
    if (!constant(inst->args[1], &n) || !pattern_of(e, inst->args[0], out, depth))
        return false;
    bool upper = inst->op == IR_AND && (~n & (~n + 1)) == 0;
    uint32_t c = inst->op == IR_UREM ? n : upper ? ~n + 1 : n + 1;
    if (!starts_block(e, out, inst->args[0], c))
        return false;
    for (uint32_t i = 0; i < e->lanes; i++)
        out->at[i] &= upper ? (int32_t)~(c - 1) : (int32_t)(c - 1);
    if (!upper)
        out->align = ZERO;
    return true;
}

static bool pattern_of(const Emit *e, const Inst *inst, Pattern *out, uint32_t depth)
{
    const Fact *f = &e->facts->of[inst->id];
    if (f->shape <= SHAPE_AFFINE) {
        int32_t stride = f->shape == SHAPE_AFFINE ? f->stride : 0;
        for (uint32_t i = 0; i < e->lanes; i++)
            out->at[i] = stride * (int32_t)i;
        out->align = f->align;
        return stride < FURTHEST / 64 && stride > -FURTHEST / 64;
    }
    if (depth == 0)
        return false;
    switch (inst->op) {
    case IR_IADD: case IR_ISUB: return sum(e, inst, out, depth - 1);
    case IR_OR: return joined(e, inst, out, depth - 1);
    case IR_IMUL: case IR_SHL: return scaled(e, inst, out, depth - 1);
    case IR_UDIV: case IR_SHR: return divided(e, inst, out, depth - 1);
    case IR_UREM: case IR_AND: return masked(e, inst, out, depth - 1);
    default: return false;
    }
}

/* ---- addresses ---- */

/* All lanes' elements, in two vectors that may overlap. */
typedef struct Window {
    LlvmValue pointer[2];
    uint32_t  at[MOST_LANES];       /* elements from the first of all             */
    uint32_t  second;               /* where the second vector starts             */
} Window;

/* Elements of lanes from that of lane 0. */
static bool distances(const Emit *e, const Address *a, int64_t *at)
{
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = 0;
    for (uint32_t t = 0; t < a->nterms; t++) {
        Pattern p;
        if (a->terms[t].stride % 4 || a->terms[t].stride > FURTHEST ||
            !pattern_of(e, a->terms[t].index, &p, DEPTH))
            return false;
        for (uint32_t i = 0; i < e->lanes; i++)
            at[i] += p.at[i] * (int64_t)(a->terms[t].stride / 4);
    }
    return true;
}

static bool window_find(Emit *e, const Address *a, Window *out)
{
    int64_t at[MOST_LANES], low = 0, high = 0;
    if (e->lanes < 4 || e->lanes > MOST_LANES || a->align != 4 || a->viewed ||
        a->shape == ADDRESS_UNIFORM || address_is_private(a) || !address_is_proved(a) ||
        !distances(e, a, at))
        return false;
    for (uint32_t i = 0; i < e->lanes; i++) {
        low = MIN_OF(low, at[i]);
        high = MAX_OF(high, at[i]);
    }
    int64_t span = high - low + 1;
    if (span < e->lanes || span > 2 * (int64_t)e->lanes)
        return false;
    out->second = (uint32_t)span - e->lanes;
    for (uint32_t i = 0; i < e->lanes; i++)
        out->at[i] = (uint32_t)(at[i] - low);
    LaneAddress lanes = address_lanes(e, a, false);
    LlvmValue first = address_in_lane(e, &lanes, 0);
    LlvmValue by[2] = {const_i64(e, (uint64_t)(low * 4)),
                       const_i64(e, (uint64_t)((low + out->second) * 4))};
    for (uint32_t i = 0; i < 2; i++)
        out->pointer[i] = LLVMBuildGEP2(e->builder, e->i8, first, &by[i], 1, "");
    return true;
}

static LlvmValue shuffled(Emit *e, LlvmValue x, LlvmValue y, const uint32_t *from)
{
    LlvmValue at[MOST_LANES];
    for (uint32_t i = 0; i < e->lanes; i++)
        at[i] = const_i32(e, from[i]);
    return LLVMBuildShuffleVector(e->builder, x, y, LLVMConstVector(at, e->lanes), "");
}

static LlvmValue window_load(Emit *e, const Address *a, LlvmType type, const Window *w)
{
    uint32_t from[MOST_LANES];
    LlvmValue x = memory_load_at(e, a, lane_type(e, type), w->pointer[0]);
    LlvmValue y = memory_load_at(e, a, lane_type(e, type), w->pointer[1]);
    for (uint32_t i = 0; i < e->lanes; i++)
        from[i] = w->at[i] < e->lanes ? w->at[i] : e->lanes + w->at[i] - w->second;
    return shuffled(e, x, y, from);
}

bool pattern_load(Emit *e, const Address *a, LlvmType type, LlvmValue *out)
{
    Window w;
    if (e->mask || !window_find(e, a, &w))
        return false;
    *out = window_load(e, a, type, &w);
    return true;
}

static bool are_different(const Emit *e, const Window *w)
{
    for (uint32_t i = 0; i < e->lanes; i++)
        for (uint32_t k = 0; k < i; k++)
            if (w->at[i] == w->at[k])
                return false;
    return true;
}

bool pattern_store(Emit *e, const Address *a, LlvmValue v, bool always_inside)
{
    Window w;
    LlvmValue parts[2];
    if (a->var->space != IRSPACE_WORKGROUP || (e->mask && !always_inside) ||
        !window_find(e, a, &w) || (e->mask && !are_different(e, &w)))
        return false;
    if (e->mask)                        /* lanes that are off store what is there */
        v = blend(e, e->mask, v, window_load(e, a, LLVMGetElementType(LLVMTypeOf(v)), &w));
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t from[MOST_LANES], first = k ? w.second : 0;
        for (uint32_t i = 0; i < e->lanes; i++)
            from[i] = i;
        for (uint32_t i = 0; i < e->lanes; i++)
            if (w.at[i] - first < e->lanes)
                from[w.at[i] - first] = e->lanes + i;
        LlvmValue old = memory_load_at(e, a, LLVMTypeOf(v), w.pointer[k]);
        parts[k] = shuffled(e, old, v, from);
    }
    for (uint32_t k = 0; k < 2; k++)
        memory_store_at(e, a, parts[k], w.pointer[k]);
    return true;
}
