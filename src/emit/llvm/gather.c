// SPDX-License-Identifier: Apache-2.0
/*
 * gather.c - loads and stores of lanes each at its own place.
 *
 * in     one address a lane
 * out    an instruction a lane; in kernels with many such accesses, in a function that
 *        all of them call
 * knows  that machines without fast gathers do no better, and that indices of 32 bits are
 *        cheaper to take out of a vector than pointers
 * not    masks: all lanes are on
 */
#include "emit/llvm/outline_priv.h"

#include <stdio.h>

#define MANY 48u                    /* accesses from which on a function is called */

typedef struct Lanewise {
    const LaneAddress *at;
    LlvmType           type;        /* of one lane                                */
    uint32_t           align;
} Lanewise;

static bool is_called(Emit *e)
{
    return e->lanes > 1 && e->lanewise_accesses++ >= MANY;
}

/* "weft_gather_32_4_4": bits of a lane, bytes of a unit and of the alignment. */
static bool open(Emit *e, Outline *o, const Lanewise *l, bool loads)
{
    char     name[64];
    LlvmType vector = lane_type(e, l->type);
    LlvmType params[3] = {e->ptr, lane_type(e, e->i32), vector};
    LlvmType type = LLVMFunctionType(loads ? vector : e->void_, params, loads ? 2 : 3, false);
    LLVMTypeKind kind = LLVMGetTypeKind(l->type);
    snprintf(name, sizeof name, "weft_%s_%d_%u_%u_%u", loads ? "gather" : "scatter", (int)kind,
             kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(l->type) : 0, l->at->unit,
             l->align);
    return outline_open(e, o, name, type, loads ? OUTLINE_READS : OUTLINE_WRITES);
}

static LaneAddress params_of(const Outline *o, const LaneAddress *at)
{
    return (LaneAddress){LLVMGetParam(o->fn, 0), LLVMGetParam(o->fn, 1), at->unit};
}

LlvmValue gather(Emit *e, const Address *a, LlvmType type, const LaneAddress *at)
{
    Lanewise  l = {at, type, a->align};
    LlvmValue v = LLVMGetPoison(lane_type(e, type));
    if (table_suits(e, a, type))
        return table_load(e, a, type, at);
    if (!is_called(e)) {
        for (uint32_t i = 0; i < e->lanes; i++)
            v = lane_set(e, v, memory_load_at(e, a, type, address_in_lane(e, at, i)), i);
        return v;
    }
    Outline o;
    if (open(e, &o, &l, true)) {
        LaneAddress inner = params_of(&o, at);
        for (uint32_t i = 0; i < e->lanes; i++) {
            LlvmValue one = LLVMBuildLoad2(e->builder, type, address_in_lane(e, &inner, i), "");
            LLVMSetAlignment(one, a->align);
            v = lane_set(e, v, one, i);
        }
        outline_close(e, &o, v);
    }
    LlvmValue call = outline_call(e, &o, (LlvmValue[]){at->base, at->units}, 2);
    memory_tag_at(e, call, a);
    return call;
}

void scatter_all(Emit *e, const Address *a, LlvmValue v, const LaneAddress *at)
{
    if (!is_vector(v) || !is_called(e)) {
        for (uint32_t i = 0; i < e->lanes; i++)
            memory_store_at(e, a, lane_get(e, v, i), address_in_lane(e, at, i));
        return;
    }
    Outline  o;
    Lanewise l = {at, LLVMGetElementType(LLVMTypeOf(v)), a->align};
    if (open(e, &o, &l, false)) {
        LaneAddress inner = params_of(&o, at);
        LlvmValue   from = LLVMGetParam(o.fn, 2);
        for (uint32_t i = 0; i < e->lanes; i++) {
            LlvmValue to = address_in_lane(e, &inner, i);
            LLVMSetAlignment(LLVMBuildStore(e->builder, lane_get(e, from, i), to), a->align);
        }
        outline_close(e, &o, NULL);
    }
    memory_tag_at(e, outline_call(e, &o, (LlvmValue[]){at->base, at->units, v}, 3), a);
}

/* ---- at even distances ---- */

static LlvmValue even_place(Emit *e, LlvmValue first, LlvmValue stride, uint32_t lane)
{
    LlvmValue by = LLVMBuildMul(e->builder, stride, const_i64(e, lane), "");
    return LLVMBuildGEP2(e->builder, e->i8, first, &by, 1, "");
}

static bool open_even(Emit *e, Outline *o, const Address *a, LlvmType type, bool loads)
{
    char     name[64];
    LlvmType vector = lane_type(e, type), params[3] = {e->ptr, e->i64, vector};
    LlvmType fn = LLVMFunctionType(loads ? vector : e->void_, params, loads ? 2 : 3, false);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    snprintf(name, sizeof name, "weft_%s_even_%d_%u_%u", loads ? "gather" : "scatter", (int)kind,
             kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0, a->align);
    return outline_open(e, o, name, fn, loads ? OUTLINE_READS : OUTLINE_WRITES);
}

bool gather_is_called(const Emit *e)
{
    return e->lanes > 1 && e->lanewise_accesses >= MANY;
}

void gather_note(Emit *e)
{
    e->lanewise_accesses++;
}

LlvmValue gather_even(Emit *e, const Address *a, LlvmType type, LlvmValue first)
{
    Outline o;
    if (open_even(e, &o, a, type, true)) {
        LlvmValue v = LLVMGetPoison(lane_type(e, type));
        for (uint32_t i = 0; i < e->lanes; i++) {
            LlvmValue at = even_place(e, LLVMGetParam(o.fn, 0), LLVMGetParam(o.fn, 1), i);
            LlvmValue one = LLVMBuildLoad2(e->builder, type, at, "");
            LLVMSetAlignment(one, a->align);
            v = lane_set(e, v, one, i);
        }
        outline_close(e, &o, v);
    }
    LlvmValue stride = const_i64(e, (uint64_t)a->lane_stride);
    LlvmValue call = outline_call(e, &o, (LlvmValue[]){first, stride}, 2);
    memory_tag_at(e, call, a);
    return call;
}

void scatter_even(Emit *e, const Address *a, LlvmValue v, LlvmValue first)
{
    Outline o;
    if (open_even(e, &o, a, LLVMGetElementType(LLVMTypeOf(v)), false)) {
        LlvmValue from = LLVMGetParam(o.fn, 2);
        for (uint32_t i = 0; i < e->lanes; i++) {
            LlvmValue at = even_place(e, LLVMGetParam(o.fn, 0), LLVMGetParam(o.fn, 1), i);
            LLVMSetAlignment(LLVMBuildStore(e->builder, lane_get(e, from, i), at), a->align);
        }
        outline_close(e, &o, NULL);
    }
    LlvmValue stride = const_i64(e, (uint64_t)a->lane_stride);
    memory_tag_at(e, outline_call(e, &o, (LlvmValue[]){first, stride, v}, 3), a);
}
