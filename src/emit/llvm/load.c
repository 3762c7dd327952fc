// SPDX-License-Identifier: Apache-2.0
/*
 * load.c - loads of lanes.
 *
 * in     LOAD; the address (place.c) and the active lanes
 * out    the fewest memory instructions that its shape allows
 * knows  that a load of a lane that is off does no harm once its index is in
 *        bounds, which what is proved of lanes that are on does not say
 * not    where a place is
 *
 *   UNIFORM     one scalar access
 *   STRIDED     one vector access if the lanes' bytes follow each other, or lie
 *               so close that a wider access covers them; else one a lane, at even
 *               distances. Behind a check that no lane is out of bounds, with lanes
 *               in turn (rows.c) as the other way
 *   SCATTERED   one a lane; whole vectors where there are some
 */
#include "emit/llvm/place_priv.h"

typedef struct Loaded {
    LlvmValue c[4];
} Loaded;

/* ---- one place for all lanes, or one a lane ---- */

static Loaded load_uniform(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    LlvmType type = memory_type(e, a);
    if (address_is_private(a))
        type = lane_type(e, type);
    for (uint32_t c = 0; c < width; c++) {
        Address at = memory_component(a, c);
        v.c[c] = memory_load_at(e, &at, type, address_scalar(e, &at, true));
    }
    return v;
}

/* Vectors of two or four halves are one word each. */
static bool are_words(const Address *a, uint32_t width)
{
    return memory_element_size(a) == 2 && width % 2 == 0 && !address_is_private(a);
}

static LlvmType word_type(Emit *e, uint32_t width)
{
    return width == 4 ? e->i64 : e->i32;
}

static Loaded halves_of(Emit *e, const Address *a, LlvmValue words, uint32_t width)
{
    Loaded v = {{0}};
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue by = splat(e, LLVMConstInt(word_type(e, width), 16 * c, false));
        LlvmValue bits = c ? LLVMBuildLShr(e->builder, words, by, "") : words;
        bits = LLVMBuildTrunc(e->builder, bits, lane_type(e, e->i16), "");
        v.c[c] = LLVMBuildBitCast(e->builder, bits, lane_type(e, memory_type(e, a)), "");
    }
    return v;
}

static Loaded load_scattered(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    if (a->whole) {
        LaneAddress lanes = address_lanes(e, a, true);
        rows_load_whole(e, a, memory_type(e, a), address_lane_pointers(e, &lanes), v.c);
        return v;
    }
    if (memory_has_rows(e, a, width)) {
        LaneAddress lanes = address_lanes(e, a, true);
        rows_load(e, a, memory_type(e, a), width, address_lane_pointers(e, &lanes), v.c);
        return v;
    }
    if (e->lanes > 1 && are_words(a, width)) {
        LaneAddress lanes = address_lanes(e, a, true);
        return halves_of(e, a, gather(e, a, word_type(e, width), &lanes), width);
    }
    for (uint32_t c = 0; c < width; c++) {
        Address at = memory_component(a, c);
        LaneAddress lanes = address_lanes(e, &at, true);
        v.c[c] = gather(e, &at, memory_type(e, a), &lanes);
    }
    return v;
}

/* ---- lanes at even distances ---- */

/* Lanes that follow each other, one by one. */
static Loaded load_lanewise(Emit *e, const Address *a)
{
    LlvmType type = memory_type(e, a);
    LlvmValue pointer = address_scalar(e, a, true), v = LLVMGetPoison(lane_type(e, type));
    LlvmValue *pointers = address_even_pointers(e, a, pointer);
    prefetch_next(e, a, pointer);
    for (uint32_t i = 0; i < e->lanes; i++)
        v = lane_set(e, v, memory_load_at(e, a, type, pointers[i]), i);
    return (Loaded){{v}};
}

/* Every `spread`-th element of `wide`, from element `first` on; where[i]: element i of the
 * memory, NULL: i. */
static LlvmValue pick_lanes(Emit *e, LlvmValue wide, uint32_t first, uint32_t spread,
                            const uint32_t *where)
{
    LlvmValue *at = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++) {
        uint32_t k = first + i * spread;
        at[i] = const_i32(e, where ? where[k] : k);
    }
    return LLVMBuildShuffleVector(e->builder, wide, LLVMGetPoison(LLVMTypeOf(wide)),
                                  LLVMConstVector(at, e->lanes), "");
}

/* Pairs of halves are words, which machines move about more easily. What comes after one
 * half alone may be the end of the buffer. */
static bool has_pairs(const Address *a, uint32_t width, uint32_t spread)
{
    return memory_element_size(a) == 2 && spread % 2 == 0 &&
           (width % 2 == 0 || (width == 3 && rows_have_room(a)));
}

/* A half out of each word: the lower one, the upper one. */
static LlvmValue half_of(Emit *e, const Address *a, LlvmValue words, uint32_t which)
{
    if (which)
        words = LLVMBuildLShr(e->builder, words, splat(e, const_i32(e, 16)), "");
    LlvmValue bits = LLVMBuildTrunc(e->builder, words, lane_type(e, e->i16), "");
    return LLVMBuildBitCast(e->builder, bits, lane_type(e, memory_type(e, a)), "");
}

static Loaded load_pairs(Emit *e, const Address *a, uint32_t width, uint32_t spread)
{
    Loaded v = {{0}};
    uint32_t covered = (e->lanes - 1) * spread / 2 + (width + 1) / 2;
    LlvmValue wide = memory_load_at(e, a, LLVMVectorType(e->i32, covered),
                                    address_scalar(e, a, true));
    for (uint32_t c = 0; c < width; c++)
        v.c[c] = half_of(e, a, pick_lanes(e, wide, c / 2, spread / 2, NULL), c % 2);
    return v;
}

/* `count` elements from `pointer` on, in whole vector registers: the last of them ends where
 * the elements do, and shares some with the one before. out[i]: where element i is. */
static LlvmValue load_whole(Emit *e, const Address *a, uint32_t count, LlvmValue pointer,
                            uint32_t *out)
{
    LlvmType type = memory_type(e, a);
    uint32_t n = e->facts->native, pieces = (count + n - 1) / n;
    LlvmType types[2] = {LLVMVectorType(type, pieces * n), LLVMVectorType(type, n)};
    LlvmValue all = LLVMGetPoison(types[0]);
    for (uint32_t k = 0; k < pieces; k++) {
        uint32_t first = k + 1 < pieces ? k * n : count - n;
        LlvmValue by = const_i64(e, first);
        LlvmValue at = LLVMBuildGEP2(e->builder, type, pointer, &by, 1, "");
        LlvmValue piece = memory_load_at(e, a, types[1], at);
        all = intrinsic(e, "llvm.vector.insert", types, 2, 3,
                        (LlvmValue[]){all, piece, const_i64(e, (uint64_t)k * n)});
        for (uint32_t i = 0; i < n; i++)
            out[first + i] = k * n + i;
    }
    return all;
}

static Loaded load_strided(Emit *e, const Address *a, uint32_t width, uint32_t spread)
{
    Loaded v = {{0}};
    if (e->lanes > 1 && has_pairs(a, width, spread))
        return load_pairs(e, a, width, spread);
    uint32_t covered = (e->lanes - 1) * spread + width;
    LlvmType type = LLVMVectorType(memory_type(e, a), covered);
    LlvmValue pointer = address_scalar(e, a, true);
    prefetch_next(e, a, pointer);
    bool ragged = covered % e->facts->native && covered > e->facts->native &&
                  memory_element_size(a) == 4;
    uint32_t *where = ragged ? ARENA_ARRAY(e->arena, uint32_t, covered) : NULL;
    LlvmValue wide = ragged ? load_whole(e, a, covered, pointer, where)
                            : memory_load_at(e, a, type, pointer);
    for (uint32_t c = 0; c < width; c++)
        v.c[c] = spread == 1 && width == 1 ? wide : pick_lanes(e, wide, c, spread, where);
    return v;
}

/* As load_even(), in kernels with many such loads. */
static Loaded load_even_called(Emit *e, const Address *a, LlvmValue first, uint32_t width)
{
    Loaded v = {{0}};
    if (are_words(a, width))
        return halves_of(e, a, gather_even(e, a, word_type(e, width), first), width);
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue by = const_i64(e, c);
        LlvmValue at = LLVMBuildGEP2(e->builder, memory_type(e, a), first, &by, 1, "");
        v.c[c] = gather_even(e, a, memory_type(e, a), at);
    }
    return v;
}

/* Lanes so far from each other that each loads its own, at even distances. */
static Loaded load_even(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    LlvmType type = memory_type(e, a);
    LlvmValue first = address_scalar(e, a, true);
    prefetch_next(e, a, first);
    bool rows = memory_has_rows(e, a, width);
    if (!rows && gather_is_called(e))
        return load_even_called(e, a, first, width);
    LlvmValue *pointers = address_even_pointers(e, a, first);
    if (rows) {
        rows_load(e, a, type, width, pointers, v.c);
        return v;
    }
    gather_note(e);
    if (e->lanes > 1 && are_words(a, width)) {
        LlvmType  word = word_type(e, width);
        LlvmValue words = LLVMGetPoison(lane_type(e, word));
        for (uint32_t i = 0; i < e->lanes; i++)
            words = lane_set(e, words, memory_load_at(e, a, word, pointers[i]), i);
        return halves_of(e, a, words, width);
    }
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue by = const_i64(e, c);
        v.c[c] = LLVMGetPoison(lane_type(e, type));
        for (uint32_t i = 0; i < e->lanes; i++) {
            LlvmValue at = LLVMBuildGEP2(e->builder, type, pointers[i], &by, 1, "");
            v.c[c] = lane_set(e, v.c[c], memory_load_at(e, a, type, at), i);
        }
    }
    return v;
}

/* Vectors that are kept whole. */
static Loaded load_pieces(Emit *e, const Address *a)
{
    Loaded v = {{0}};
    LlvmType type = memory_type(e, a);
    LlvmValue first = address_scalar(e, a, true);
    prefetch_next(e, a, first);
    if (a->lane_stride != (int64_t)WHOLE * memory_element_size(a)) {
        rows_load_whole(e, a, type, address_even_pointers(e, a, first), v.c);
        return v;
    }
    for (uint32_t k = 0; k < WHOLE; k++) {
        LlvmValue by = const_i64(e, (uint64_t)k * e->lanes);
        LlvmValue at = LLVMBuildGEP2(e->builder, type, first, &by, 1, "");
        v.c[k] = memory_load_at(e, a, lane_type(e, type), at);
    }
    return v;
}

static Loaded load_inside(Emit *e, const Address *a, uint32_t width, uint32_t spread)
{
    if (a->whole)
        return load_pieces(e, a);
    bool turned = spread == MEMORY_SPREAD && memory_has_rows(e, a, width);
    return spread && !turned ? load_strided(e, a, width, spread) : load_even(e, a, width);
}

static Loaded load_outside(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    if (e->lanes == 1)
        return load_scattered(e, a, width);
    LaneAddress lanes = address_lanes(e, a, true);
    lanes_load_in_turn(e, a, &lanes, memory_type(e, a), width, v.c);
    if (a->whole)
        rows_together(e, v.c, v.c);
    return v;
}

/* Two ways to the same values; the second where some lane is out of bounds, which is
 * at the border of the data. */
static Loaded load_checked(Emit *e, const Address *a, uint32_t width, uint32_t spread,
                           LlvmValue fits)
{
    LlvmBlock inside = block_new(e, "inside"), outside = block_new(e, "outside");
    LlvmBlock after = block_new(e, "loaded");
    jump_if(e, fits, inside, outside);
    block_start(e, inside);
    Loaded x = load_inside(e, a, width, spread);
    inside = LLVMGetInsertBlock(e->builder);
    jump(e, after);
    block_start(e, outside);
    Loaded y = load_outside(e, a, width);
    outside = LLVMGetInsertBlock(e->builder);
    jump(e, after);
    block_start(e, after);
    Loaded v = {{0}};
    for (uint32_t c = 0; c < width; c++) {
        v.c[c] = LLVMBuildPhi(e->builder, LLVMTypeOf(x.c[c]), "");
        LLVMAddIncoming(v.c[c], (LlvmValue[]){x.c[c], y.c[c]},
                        (LlvmBlock[]){inside, outside}, 2);
    }
    return v;
}

/* ---- lanes that turn out to follow each other ---- */

static Loaded load_maybe_following(Emit *e, const Address *a)
{
    LaneAddress lanes = address_lanes(e, a, true);
    LlvmBlock beside = block_new(e, "beside"), apart = block_new(e, "apart");
    LlvmBlock after = block_new(e, "loaded");
    jump_if(e, memory_follows(e, &lanes), beside, apart);
    block_start(e, beside);
    LlvmValue x = memory_load_at(e, a, lane_type(e, memory_type(e, a)),
                                 address_in_lane(e, &lanes, 0));
    jump(e, after);
    block_start(e, apart);
    LlvmValue y = gather(e, a, memory_type(e, a), &lanes);
    jump(e, after);
    block_start(e, after);
    LlvmValue v = LLVMBuildPhi(e->builder, LLVMTypeOf(x), "");
    LLVMAddIncoming(v, (LlvmValue[]){x, y}, (LlvmBlock[]){beside, apart}, 2);
    return (Loaded){{v}};
}

static Loaded load(Emit *e, const Address *a, uint32_t width)
{
    if (a->shape == ADDRESS_UNIFORM)
        return load_uniform(e, a, width);
    if (memory_may_follow(e, a, width))
        return load_maybe_following(e, a);
    uint32_t spread = a->shape == ADDRESS_STRIDED ? memory_spread(a) : 0;
    bool even = spread || (a->shape == ADDRESS_STRIDED && e->lanes > 1);
    if (!even || address_is_private(a))
        return load_scattered(e, a, width);
    LlvmValue fits = address_fits(e, a, false);
    if (!fits)
        return load_inside(e, a, width, spread);
    return load_checked(e, a, width, spread, fits);
}

/* ---- better ways, where they suit ---- */

static LlvmValue gather_some(Emit *e, const Address *a, const LaneAddress *at)
{
    LlvmType type = memory_type(e, a);
    LlvmValue v = LLVMConstNull(lane_type(e, type));
    for (uint32_t i = 0; i < e->lanes; i++)
        if (mask_may_have(e->mask, i))
            v = lane_set(e, v, memory_load_at(e, a, type, address_in_lane(e, at, i)), i);
    return v;
}

static bool load_some(Emit *e, const Inst *inst, Loaded *out)
{
    Address a = address_of(e, inst->args[0], false);
    if (whole_is(e, inst) || !memory_some_known(e, &a))
        return false;
    for (uint32_t c = 0; c < inst->type.width; c++) {
        Address at = memory_component(&a, c);
        LaneAddress lanes = address_lanes(e, &at, false);
        out->c[c] = gather_some(e, &at, &lanes);
    }
    return true;
}

static bool load_pattern(Emit *e, const Address *a, Loaded *out)
{
    return a->shape == ADDRESS_SCATTERED && memory_is_word(a) &&
           pattern_load(e, a, memory_type(e, a), out->c);
}

/* x[i ^ d]: one vector of neighbours, whose lanes change places. */
static bool load_partner(Emit *e, const Inst *place, const Address *a, Loaded *out)
{
    Partner p;
    if (!partner_find(e, place, &p))
        return false;
    LlvmType type = lane_type(e, memory_type(e, a));
    LlvmBlock outside = NULL, after = NULL;
    if (p.fits) {
        LlvmBlock inside = block_new(e, "inside");
        outside = block_new(e, "outside");
        after = block_new(e, "loaded");
        jump_if(e, p.fits, inside, outside);
        block_start(e, inside);
    }
    LlvmValue x = lanes_exchange(e, memory_load_at(e, a, type, p.pointer), p.by);
    out->c[0] = x;
    if (!p.fits)
        return true;
    LlvmBlock from[2] = {LLVMGetInsertBlock(e->builder), NULL};
    jump(e, after);
    block_start(e, outside);
    LlvmValue y = load_outside(e, a, 1).c[0];
    from[1] = LLVMGetInsertBlock(e->builder);
    jump(e, after);
    block_start(e, after);
    out->c[0] = LLVMBuildPhi(e->builder, type, "");
    LLVMAddIncoming(out->c[0], (LlvmValue[]){x, y}, from, 2);
    return true;
}

/* Lanes that are off read nothing: one vector of words, for which machines have an
 * instruction. */
static bool load_masked(Emit *e, const Inst *place, Loaded *out)
{
    Address a = address_of(e, place, false);
    if (!e->mask || a.shape != ADDRESS_STRIDED || !memory_is_word(&a) ||
        a.lane_stride != 4 || address_is_private(&a) || !address_is_proved(&a) ||
        place_is_always_inside(e, place))
        return false;
    out->c[0] = memory_load_masked(e, &a, lane_type(e, memory_type(e, &a)),
                                   address_scalar(e, &a, false), e->mask);
    return true;
}

/* Is it a vector of words that needs no check? */
static bool is_plain(const Emit *e, const Inst *inst, const Address *a)
{
    return !e->mask && a->shape == ADDRESS_STRIDED && a->lane_stride == 4 &&
           inst->type.width == 1 && memory_element_size(a) == 4 && !address_is_private(a) &&
           address_is_proved(a);
}

void load_inst(Emit *e, const Inst *inst)
{
    Loaded v;
    if (strip_access(e, inst) || runs_have(e, inst))
        return;
    bool any_lane = e->mask && !place_is_always_inside(e, inst->args[0]);
    Address a = address_of(e, inst->args[0], any_lane);
    a.whole = whole_is(e, inst);
    if (lanewise_is(e, inst) && is_plain(e, inst, &a)) {
        v = load_lanewise(e, &a);
    } else if (!load_some(e, inst, &v) && !load_masked(e, inst->args[0], &v) &&
               !load_pattern(e, &a, &v) && !load_partner(e, inst->args[0], &a, &v)) {
        if (runs_load(e, inst, &a))
            return;
        v = load(e, &a, inst->type.width);
    }
    bool lanes = shape_of(e, inst) == SHAPE_VARYING;
    for (uint32_t c = 0; c < inst->type.width; c++) {
        LlvmValue x = memory_unpack(e, &a, v.c[c]);
        if (lanes && !is_vector(x))
            x = splat(e, x);
        set_value(e, inst, c, x);
    }
}
