// SPDX-License-Identifier: Apache-2.0
/*
 * store.c - stores of lanes.
 *
 * in     STORE; the address (place.c) and the active lanes
 * out    the fewest memory instructions that its shape allows, as for loads (load.c)
 * knows  that a store of a lane that is off, or out of bounds, must not happen
 * not    where a place is
 */
#include "emit/llvm/place_priv.h"

/* ---- one place for all lanes ---- */

/* All lanes write to one place: one of the active ones wins. */
static LlvmValue one_of(Emit *e, LlvmValue v)
{
    if (!is_vector(v))
        return v;
    if (!e->mask)
        return lane_get(e, v, e->lanes - 1);
    LlvmValue bits = mask_bits(e, e->mask);
    LlvmType type = LLVMTypeOf(bits);
    LlvmValue lane = intrinsic(e, "llvm.cttz", &type, 1, 2,
                               (LlvmValue[]){bits, LLVMConstInt(e->i1, 0, false)});
    lane = LLVMBuildZExtOrBitCast(e->builder, lane, e->i64, "");
    lane = intrinsic2(e, "llvm.umin", lane, const_i64(e, e->lanes - 1));
    return LLVMBuildExtractElement(e->builder, v, lane, "");
}

static void store_uniform(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    LlvmValue fits = address_fits(e, a, true);
    if (e->mask && e->lanes > 1) {
        LlvmValue any = mask_any(e, e->mask);
        fits = fits ? LLVMBuildAnd(e->builder, fits, any, "") : any;
    } else if (e->mask) {
        fits = mask_and(e, fits, e->mask);
    }
    LlvmBlock after = NULL;
    if (fits) {
        LlvmBlock inside = block_new(e, "inside");
        after = block_new(e, "stored");
        jump_if(e, fits, inside, after);
        block_start(e, inside);
    }
    for (uint32_t c = 0; c < width; c++) {
        Address at = memory_component(a, c);
        memory_store_at(e, &at, one_of(e, v[c]), address_scalar(e, &at, false));
    }
    if (after) {
        jump(e, after);
        block_start(e, after);
    }
}

/* ---- one a lane ---- */

static void scatter_one(Emit *e, const Address *a, LlvmValue v, const LaneAddress *at,
                        LlvmValue mask)
{
    LlvmBlock on = block_new(e, "lane"), after = block_new(e, "lane.end");
    jump_if(e, mask, on, after);
    block_start(e, on);
    scatter_all(e, a, v, at);
    jump(e, after);
    block_start(e, after);
}

/* One store a lane that is in the mask (NULL: all lanes). Mostly all are. */
static void scatter(Emit *e, const Address *a, LlvmValue v, const LaneAddress *at,
                    LlvmValue mask)
{
    if (!mask) {
        scatter_all(e, a, v, at);
        return;
    }
    if (e->lanes == 1) {
        scatter_one(e, a, v, at, mask);
        return;
    }
    LlvmBlock all = block_new(e, "all"), some = block_new(e, "some");
    LlvmBlock done = block_new(e, "scattered");
    jump_if(e, mask_all(e, mask), all, some);
    block_start(e, all);
    scatter_all(e, a, v, at);
    jump(e, done);
    block_start(e, some);
    lanes_store_in_turn(e, a, at, &v, 1, mask);
    jump(e, done);
    block_start(e, done);
}

/* Private memory: lanes that are off keep what they have. */
static void store_private_one(Emit *e, const Address *a, LlvmValue v)
{
    if (a->shape != ADDRESS_UNIFORM) {
        LaneAddress lanes = address_lanes(e, a, false);
        scatter(e, a, v, &lanes, mask_and(e, e->mask, address_fits_lanes(e, a)));
        return;
    }
    LlvmValue pointer = address_scalar(e, a, true);
    if (e->mask)
        v = blend(e, e->mask, v, memory_load_at(e, a, LLVMTypeOf(v), pointer));
    memory_store_at(e, a, v, pointer);
}

static void store_private(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    for (uint32_t c = 0; c < width; c++) {
        Address at = memory_component(a, c);
        store_private_one(e, &at, v[c]);
    }
}

static void store_maybe_following(Emit *e, const Address *a, LlvmValue v, LlvmValue mask)
{
    LaneAddress lanes = address_lanes(e, a, false);
    LlvmBlock beside = block_new(e, "beside"), apart = block_new(e, "apart");
    LlvmBlock after = block_new(e, "stored");
    jump_if(e, memory_follows(e, &lanes), beside, apart);
    block_start(e, beside);
    if (mask)
        memory_store_masked(e, a, v, address_in_lane(e, &lanes, 0), mask);
    else
        memory_store_at(e, a, v, address_in_lane(e, &lanes, 0));
    jump(e, after);
    block_start(e, apart);
    scatter(e, a, v, &lanes, mask);
    jump(e, after);
    block_start(e, after);
}

static void scatter_rows(Emit *e, const Address *a, const LlvmValue *v, uint32_t width,
                         LlvmValue mask)
{
    LaneAddress lanes = address_lanes(e, a, false);
    if (!mask) {
        rows_store(e, a, v, width, address_lane_pointers(e, &lanes));
        return;
    }
    LlvmBlock all = block_new(e, "all"), some = block_new(e, "some");
    LlvmBlock done = block_new(e, "scattered");
    jump_if(e, mask_all(e, mask), all, some);
    block_start(e, all);
    rows_store(e, a, v, width, address_lane_pointers(e, &lanes));
    jump(e, done);
    block_start(e, some);
    lanes_store_in_turn(e, a, &lanes, v, width, mask);
    jump(e, done);
    block_start(e, done);
}

static void store_scattered(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    if (a->whole) {
        Address plain = *a;
        LlvmValue apart[WHOLE];
        plain.whole = false;
        rows_apart(e, v, apart);
        store_scattered(e, &plain, apart, width);
        return;
    }
    LlvmValue mask = mask_and(e, e->mask, address_fits_lanes(e, a));
    if (memory_may_follow(e, a, width)) {
        store_maybe_following(e, a, v[0], mask);
        return;
    }
    if (memory_has_rows(e, a, width)) {
        scatter_rows(e, a, v, width, mask);
        return;
    }
    for (uint32_t c = 0; c < width; c++) {
        Address at = memory_component(a, c);
        LaneAddress lanes = address_lanes(e, &at, false);
        scatter(e, &at, v[c], &lanes, mask);
    }
}

/* ---- lanes at even distances ---- */

/* v[0] v[1] ... of lane 0, then of lane 1, ... in one vector. */
static LlvmValue interleave(Emit *e, const LlvmValue *v, uint32_t width)
{
    if (width == 1)
        return v[0];
    uint32_t n = e->lanes;
    LlvmValue *at = ARENA_ARRAY(e->arena, LlvmValue, (size_t)n * 4);
    for (uint32_t i = 0; i < 2 * n; i++)
        at[i] = const_i32(e, i);
    LlvmValue twice = LLVMConstVector(at, 2 * n);
    LlvmValue low = LLVMBuildShuffleVector(e->builder, v[0], v[1], twice, "");
    LlvmValue other = width > 2 ? v[2] : v[0];
    LlvmValue high = LLVMBuildShuffleVector(e->builder, other, width > 3 ? v[3] : other,
                                            twice, "");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < width; c++)
            at[i * width + c] = const_i32(e, c * n + i);
    return LLVMBuildShuffleVector(e->builder, low, high, LLVMConstVector(at, n * width), "");
}

/* Two halves a word. */
static LlvmValue words_of(Emit *e, LlvmValue low, LlvmValue high)
{
    LlvmType words = lane_type(e, e->i32), halves = lane_type(e, e->i16);
    low = LLVMBuildZExt(e->builder, LLVMBuildBitCast(e->builder, low, halves, ""), words, "");
    high = LLVMBuildZExt(e->builder, LLVMBuildBitCast(e->builder, high, halves, ""), words, "");
    high = LLVMBuildShl(e->builder, high, splat(e, const_i32(e, 16)), "");
    return LLVMBuildOr(e->builder, low, high, "");
}

/* Vectors of lanes that follow each other. */
static void store_dense(Emit *e, const Address *a, const LlvmValue *v, uint32_t width,
                        LlvmValue pointer)
{
    if (e->lanes > 1 && memory_element_size(a) == 2 && width % 2 == 0) {
        LlvmValue words[2] = {words_of(e, v[0], v[1]), NULL};
        if (width == 4)
            words[1] = words_of(e, v[2], v[3]);
        memory_store_at(e, a, interleave(e, words, width / 2), pointer);
    } else if (memory_has_rows(e, a, width) && width == 4) {
        rows_store_dense(e, a, v, pointer);
    } else {
        memory_store_at(e, a, interleave(e, v, width), pointer);
    }
}

static void store_pieces(Emit *e, const Address *a, const LlvmValue *pieces, LlvmValue pointer)
{
    for (uint32_t k = 0; k < WHOLE; k++) {
        LlvmValue by = const_i64(e, (uint64_t)k * e->lanes);
        memory_store_at(e, a, pieces[k],
                        LLVMBuildGEP2(e->builder, memory_type(e, a), pointer, &by, 1, ""));
    }
}

static void store_strided(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    LlvmValue pointer = address_scalar(e, a, false);
    if (e->mask && a->alone)
        memory_store_at(e, a, blend(e, e->mask, v[0], memory_load_at(e, a, LLVMTypeOf(v[0]),
                                                                     pointer)), pointer);
    else if (e->mask)
        memory_store_masked(e, a, v[0], pointer, e->mask);
    else if (a->streams)
        stream_store(e, a, a->whole ? rows_joined(e, v) : interleave(e, v, width), pointer);
    else if (a->whole)
        store_pieces(e, a, v, pointer);
    else
        store_dense(e, a, v, width, pointer);
}

/* Each lane stores its own, at even distances. */
static void store_even(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    LlvmValue first = address_scalar(e, a, false);
    LlvmValue *pointers = address_even_pointers(e, a, first);
    if (a->whole) {
        rows_store_whole(e, a, v, pointers);
        return;
    }
    if (memory_has_rows(e, a, width)) {
        rows_store(e, a, v, width, pointers);
        return;
    }
    bool called = gather_is_called(e);
    LlvmType type = memory_type(e, a);
    gather_note(e);
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue by = const_i64(e, c);
        if (called && is_vector(v[c])) {
            scatter_even(e, a, v[c], LLVMBuildGEP2(e->builder, type, first, &by, 1, ""));
            continue;
        }
        for (uint32_t i = 0; i < e->lanes; i++) {
            LlvmValue at = LLVMBuildGEP2(e->builder, type, pointers[i], &by, 1, "");
            memory_store_at(e, a, lane_get(e, v[c], i), at);
        }
    }
}

static void store_outside(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    LlvmValue mask = mask_and(e, e->mask, address_fits_lanes(e, a));
    if (e->lanes == 1 || !mask) {
        store_scattered(e, a, v, width);
        return;
    }
    LlvmValue apart[WHOLE];
    if (a->whole)
        rows_apart(e, v, apart);
    LaneAddress lanes = address_lanes(e, a, false);
    lanes_store_in_turn(e, a, &lanes, a->whole ? apart : v, width, mask);
}

static void store_checked(Emit *e, const Address *a, const LlvmValue *v, uint32_t width,
                          bool dense)
{
    LlvmValue fits = address_fits(e, a, true);
    if (e->mask && !dense)
        fits = mask_and(e, fits, mask_all(e, e->mask));
    LlvmBlock inside = block_new(e, "inside"), outside = NULL, after = NULL;
    if (fits) {
        outside = block_new(e, "outside");
        after = block_new(e, "stored");
        jump_if(e, fits, inside, outside);
    } else {
        jump(e, inside);
    }
    block_start(e, inside);
    if (dense)
        store_strided(e, a, v, width);
    else
        store_even(e, a, v, width);
    if (!fits)
        return;
    jump(e, after);
    block_start(e, outside);
    store_outside(e, a, v, width);
    jump(e, after);
    block_start(e, after);
}

/* One vector access does it: the lanes' bytes follow each other without holes,
 * and under a mask there is one component, so that the mask fits. */
static bool is_dense(const Emit *e, const Address *a, uint32_t width)
{
    return a->shape == ADDRESS_STRIDED &&
           a->lane_stride == (int64_t)memory_element_size(a) * width && (width == 1 || !e->mask);
}

/* ---- better ways, where they suit ---- */

static void store_some(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    for (uint32_t c = 0; c < width; c++) {
        Address at = memory_component(a, c);
        LaneAddress lanes = address_lanes(e, &at, false);
        for (uint32_t i = 0; i < e->lanes; i++)
            if (mask_may_have(e->mask, i))
                memory_store_at(e, &at, lane_get(e, v[c], i), address_in_lane(e, &lanes, i));
    }
}

static bool store_partner(Emit *e, const Inst *place, const Address *a, const LlvmValue *v)
{
    Partner p;
    if (!partner_find(e, place, &p))
        return false;
    LlvmBlock outside = p.fits ? block_new(e, "outside") : NULL;
    LlvmBlock after = p.fits ? block_new(e, "stored") : NULL;
    if (p.fits) {
        LlvmBlock inside = block_new(e, "inside");
        jump_if(e, p.fits, inside, outside);
        block_start(e, inside);
    }
    LlvmValue moved = lanes_exchange(e, v[0], p.by);
    if (e->mask)
        memory_store_masked(e, a, moved, p.pointer, partner_mask(e, e->mask, p.by));
    else
        memory_store_at(e, a, moved, p.pointer);
    if (p.fits) {
        jump(e, after);
        block_start(e, outside);
        store_outside(e, a, v, 1);
        jump(e, after);
        block_start(e, after);
    }
    return true;
}

/* Words that follow each other: all go with the last. */
static bool store_beside(Emit *e, const Inst *inst)
{
    Address a;
    const Beside *b = beside_find(e, inst, &a);
    if (!b)
        return false;
    if (b->store[b->count - 1] != inst)
        return true;
    LlvmValue v[WHOLE];
    for (uint32_t i = 0; i < b->count; i++) {   /* fields may be of different types */
        v[i] = as_lanes(e, b->store[i]->args[1], 0);
        v[i] = LLVMBuildBitCast(e->builder, v[i], LLVMTypeOf(v[0]), "");
    }
    bool dense = is_dense(e, &a, b->count);
    if (a.shape == ADDRESS_SCATTERED) {
        store_scattered(e, &a, v, b->count);
    } else {
        a.streams = dense && stream_may(e, inst, &a);
        store_checked(e, &a, v, b->count, dense);
    }
    return true;
}

void store_inst(Emit *e, const Inst *inst)
{
    if (strip_access(e, inst) || store_beside(e, inst))
        return;
    Address a = address_of(e, inst->args[0], false);
    const Inst *value = inst->args[1];
    uint32_t width = value->type.width;
    bool private = address_is_private(&a);
    if (private && e->mask)                 /* all lanes write what they have */
        a = address_of(e, inst->args[0], true);
    bool lanes = private || a.shape != ADDRESS_UNIFORM ||
                 shape_of(e, value) > SHAPE_GROUP;
    a.whole = whole_is(e, value) && !e->mask && !private && a.shape != ADDRESS_UNIFORM &&
              value->type.kind != SCALAR_BOOL;
    LlvmValue v[4];
    for (uint32_t c = 0; c < width; c++)
        v[c] = a.whole ? as_kept(e, value, c) : memory_pack(e, &a, as_either(e, value, c, lanes));
    if (private) {
        store_private(e, &a, v, width);
    } else if (a.shape == ADDRESS_UNIFORM) {
        store_uniform(e, &a, v, width);
    } else if (is_dense(e, &a, width)) {
        a.streams = !e->mask && stream_may(e, inst, &a);
        a.alone = e->mask && a.var->space == IRSPACE_WORKGROUP &&
                  place_is_always_inside(e, inst->args[0]);
        store_checked(e, &a, v, width, true);
    } else if (memory_some_known(e, &a)) {
        store_some(e, &a, v, width);
    } else if (memory_is_word(&a) &&
               pattern_store(e, &a, v[0], place_is_always_inside(e, inst->args[0]))) {
        return;
    } else if (a.shape == ADDRESS_STRIDED && e->lanes > 1) {
        store_checked(e, &a, v, width, false);
    } else if (!store_partner(e, inst->args[0], &a, v)) {
        store_scattered(e, &a, v, width);
    }
}
