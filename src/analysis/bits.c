// SPDX-License-Identifier: Apache-2.0
/*
 * bits.c - which bits of an integer are known to be zero.
 *
 * in     a value of the IR and the ranges of range.c
 * out    a mask: these bits of one component are zero in every invocation
 * knows  masks, shifts, selections, ranges
 * not    conditions around the value beyond its range
 */
#include "analysis/analysis_priv.h"

#define MAX_DEPTH 8u

static uint32_t zero_bits(const Facts *f, const Inst *v, uint32_t c, uint32_t depth);

/* The bits above the highest one that a number up to `high` has. */
static uint32_t above(uint32_t high)
{
    uint32_t below = high;
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        below |= below >> shift;
    return ~below;
}

static uint32_t shifted(const Facts *f, const Inst *v, uint32_t c, uint32_t depth)
{
    const Inst *by = v->args[1];
    if (by->op != IR_CONST)
        return 0;
    uint32_t zero = zero_bits(f, v->args[0], c, depth), n = by->constant.bits[c] & 31;
    if (v->op == IR_SHL)
        return (zero << n) | ~(UINT32_MAX << n);
    bool sign_is_zero = zero >> 31;
    if (v->op == IR_SAR && !sign_is_zero)
        return (uint32_t)((int32_t)zero >> n);
    return (zero >> n) | ~(UINT32_MAX >> n);
}

static uint32_t component_bits(const Facts *f, const Inst *v, uint32_t c, uint32_t depth)
{
    switch (v->op) {
    case IR_CONST: return ~v->constant.bits[c];
    case IR_AND:
        return zero_bits(f, v->args[0], c, depth) | zero_bits(f, v->args[1], c, depth);
    case IR_OR: case IR_XOR:
        return zero_bits(f, v->args[0], c, depth) & zero_bits(f, v->args[1], c, depth);
    case IR_SHL: case IR_SHR: case IR_SAR: return shifted(f, v, c, depth);
    case IR_SELECT:
        return zero_bits(f, v->args[1], c, depth) & zero_bits(f, v->args[2], c, depth);
    case IR_VEC: return zero_bits(f, v->args[c], 0, depth);
    case IR_EXTRACT: return zero_bits(f, v->args[0], v->index, depth);
    case IR_SWIZZLE: return zero_bits(f, v->args[0], v->swizzle[c], depth);
    default: return 0;
    }
}

static uint32_t zero_bits(const Facts *f, const Inst *v, uint32_t c, uint32_t depth)
{
    if (depth == 0 || v->type.kind != SCALAR_I32)
        return 0;
    uint32_t zero = component_bits(f, v, c, depth - 1);
    return v->type.width == 1 ? zero | above(f->of[v->id].high) : zero;
}

uint32_t analysis_zero_bits(const Facts *f, const Inst *v)
{
    return zero_bits(f, v, 0, MAX_DEPTH);
}
