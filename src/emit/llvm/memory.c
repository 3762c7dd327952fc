// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - loads and stores of lanes.
 *
 * in     LOAD, STORE, LENGTH; the address (place.c) and the active lanes
 * out    the fewest memory instructions that its shape allows
 * knows  that a load of a lane that is off does no harm once its index is in
 *        bounds, which what is proved of lanes that are on does not say; and that a
 *        store of a lane that is off must not happen
 * not    where a place is
 *
 *   UNIFORM     one scalar access
 *   STRIDED     one vector access if the lanes' bytes follow each other, or lie
 *               so close that a wider access covers them; else one a lane, at even
 *               distances. Behind a check that no lane is out of bounds, with lanes
 *               in turn (rows.c) as the other way
 *   SCATTERED   gather, scatter; whole vectors where there are some
 */
#include "emit/llvm/place_priv.h"

/* Lanes of elements further apart than this are gathered. */
#define MAX_SPREAD 4

/* ---- what is in memory ---- */

/* One scalar, whatever its kind, takes four bytes. */
static bool in_slots(const Address *a)
{
    return address_is_private(a) || a->var->space == IRSPACE_CONSTANT;
}

static LlvmType stored_type(Emit *e, const Address *a)
{
    ScalarKind kind = (ScalarKind)a->mem->value.type.kind;
    if (kind == SCALAR_BOOL || (kind == SCALAR_F16 && in_slots(a)))
        return e->i32;
    return scalar_type(e, kind);
}

static LlvmType shaped(Emit *e, LlvmValue like, LlvmType element)
{
    return is_vector(like) ? lane_type(e, element) : element;
}

static LlvmValue from_memory(Emit *e, const Address *a, LlvmValue v)
{
    ScalarKind kind = (ScalarKind)a->mem->value.type.kind;
    if (kind == SCALAR_BOOL)
        return LLVMBuildICmp(e->builder, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    if (kind == SCALAR_F16 && in_slots(a)) {
        LlvmValue low = LLVMBuildTrunc(e->builder, v, shaped(e, v, e->i16), "");
        return LLVMBuildBitCast(e->builder, low, shaped(e, v, e->f16), "");
    }
    return v;
}

static LlvmValue to_memory(Emit *e, const Address *a, LlvmValue v)
{
    ScalarKind kind = (ScalarKind)a->mem->value.type.kind;
    if (kind == SCALAR_F16 && in_slots(a))
        v = LLVMBuildBitCast(e->builder, v, shaped(e, v, e->i16), "");
    else if (kind != SCALAR_BOOL)
        return v;
    return LLVMBuildZExt(e->builder, v, shaped(e, v, e->i32), "");
}

static uint32_t element_size(const Address *a)
{
    return a->mem->value.stride;
}

/* The address of component c of a vector. */
static Address component_of(const Address *a, uint32_t c)
{
    Address at = *a;
    at.offset += (uint64_t)c * element_size(a);
    return at;
}

/* ---- single accesses ---- */

static void tag(Emit *e, LlvmValue access, const Address *a)
{
    const VarState *v = &e->vars[a->var->id];
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(e->context, "alias.scope", 11),
                    v->scope);
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(e->context, "noalias", 7),
                    v->noalias);
}

LlvmValue memory_load_at(Emit *e, const Address *a, LlvmType type, LlvmValue pointer)
{
    LlvmValue v = LLVMBuildLoad2(e->builder, type, pointer, "");
    LLVMSetAlignment(v, a->align);
    tag(e, v, a);
    if (ir_var_is_read_only(a->var))
        LLVMSetMetadata(v, LLVMGetMDKindIDInContext(e->context, "invariant.load", 14),
                        LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, NULL, 0)));
    return v;
}

LlvmValue memory_store_at(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer)
{
    LlvmValue store = LLVMBuildStore(e->builder, v, pointer);
    LLVMSetAlignment(store, a->align);
    tag(e, store, a);
    return store;
}

/* One load a lane: machines without fast gathers do no better, and indices of 32
 * bits are cheaper to take out of a vector than pointers. */
static LlvmValue gather(Emit *e, const Address *a, const LaneAddress *at)
{
    LlvmType type = stored_type(e, a);
    LlvmValue v = LLVMGetPoison(lane_type(e, type));
    for (uint32_t i = 0; i < e->lanes; i++)
        v = lane_set(e, v, memory_load_at(e, a, type, address_in_lane(e, at, i)), i);
    return v;
}

static void scatter_all(Emit *e, const Address *a, LlvmValue v, const LaneAddress *at)
{
    for (uint32_t i = 0; i < e->lanes; i++)
        memory_store_at(e, a, lane_get(e, v, i), address_in_lane(e, at, i));
}

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

/* ---- lanes that are known to be on ---- */

/* Is it known which lanes are on, and are they far from each other and in bounds? Then only
 * these access memory, one by one: the last steps of sums in workgroup memory. */
static bool are_some_known(const Emit *e, const Address *a)
{
    bool dense = a->shape == ADDRESS_STRIDED && a->lane_stride == (int64_t)element_size(a);
    return e->mask && e->lanes > 1 && LLVMIsConstant(e->mask) && !dense &&
           a->shape != ADDRESS_UNIFORM && !address_is_private(a) && address_is_proved(a);
}

static bool is_on(const Emit *e, uint32_t lane)
{
    LlvmValue bit = LLVMGetAggregateElement(e->mask, lane);
    return !LLVMIsAConstantInt(bit) || LLVMConstIntGetZExtValue(bit);
}

static LlvmValue gather_some(Emit *e, const Address *a, const LaneAddress *at)
{
    LlvmType type = stored_type(e, a);
    LlvmValue v = LLVMConstNull(lane_type(e, type));
    for (uint32_t i = 0; i < e->lanes; i++)
        if (is_on(e, i))
            v = lane_set(e, v, memory_load_at(e, a, type, address_in_lane(e, at, i)), i);
    return v;
}

static void scatter_some(Emit *e, const Address *a, LlvmValue v, const LaneAddress *at)
{
    for (uint32_t i = 0; i < e->lanes; i++)
        if (is_on(e, i))
            memory_store_at(e, a, lane_get(e, v, i), address_in_lane(e, at, i));
}

static void store_masked(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer,
                         LlvmValue mask)
{
    LlvmType types[2] = {LLVMTypeOf(v), e->ptr};
    LlvmValue s = intrinsic(e, "llvm.masked.store", types, 2, 4,
                            (LlvmValue[]){v, pointer, const_i32(e, a->align), mask});
    tag(e, s, a);
}

/* ---- loads ---- */

typedef struct Loaded {
    LlvmValue c[4];
} Loaded;

static Loaded load_uniform(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    LlvmType type = stored_type(e, a);
    if (address_is_private(a))
        type = lane_type(e, type);
    for (uint32_t c = 0; c < width; c++) {
        Address at = component_of(a, c);
        v.c[c] = memory_load_at(e, &at, type, address_scalar(e, &at, true));
    }
    return v;
}

/* Rows can be loaded and stored whole. */
static bool has_rows(const Emit *e, const Address *a, uint32_t width)
{
    return e->lanes % WHOLE == 0 && width > 1 && element_size(a) == 4 && !address_is_private(a);
}

static LlvmValue *lane_pointers(Emit *e, const LaneAddress *at)
{
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        pointers[i] = address_in_lane(e, at, i);
    return pointers;
}

/* STRIDED: the same from the first lane's. */
static LlvmValue *even_pointers(Emit *e, const Address *a, LlvmValue first)
{
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++) {
        LlvmValue by = const_i64(e, (uint64_t)(a->lane_stride * (int64_t)i));
        pointers[i] = LLVMBuildGEP2(e->builder, e->i8, first, &by, 1, "");
    }
    return pointers;
}

LlvmValue *memory_lane_pointers(Emit *e, const Address *a)
{
    if (a->shape == ADDRESS_STRIDED)
        return even_pointers(e, a, address_scalar(e, a, true));
    LaneAddress lanes = address_lanes(e, a, true);
    return lane_pointers(e, &lanes);
}

/* Lanes that follow each other, one by one. */
static Loaded load_lanewise(Emit *e, const Address *a)
{
    LlvmType type = stored_type(e, a);
    LlvmValue pointer = address_scalar(e, a, true), v = LLVMGetPoison(lane_type(e, type));
    LlvmValue *pointers = even_pointers(e, a, pointer);
    prefetch_next(e, a, pointer);
    for (uint32_t i = 0; i < e->lanes; i++)
        v = lane_set(e, v, memory_load_at(e, a, type, pointers[i]), i);
    return (Loaded){{v}};
}

static Loaded load_scattered(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    if (a->whole) {
        LaneAddress lanes = address_lanes(e, a, true);
        rows_load_whole(e, a, stored_type(e, a), lane_pointers(e, &lanes), v.c);
        return v;
    }
    if (has_rows(e, a, width)) {
        LaneAddress lanes = address_lanes(e, a, true);
        rows_load(e, a, stored_type(e, a), width, lane_pointers(e, &lanes), v.c);
        return v;
    }
    for (uint32_t c = 0; c < width; c++) {
        Address at = component_of(a, c);
        LaneAddress lanes = address_lanes(e, &at, true);
        v.c[c] = gather(e, &at, &lanes);
    }
    return v;
}

/* Elements from lane to lane, if one wide access can cover all lanes; else 0. */
static uint32_t spread_of(const Address *a)
{
    int64_t size = element_size(a);
    if (a->lane_stride <= 0 || a->lane_stride % size || a->lane_stride / size > MAX_SPREAD)
        return 0;
    return (uint32_t)(a->lane_stride / size);
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
    return element_size(a) == 2 && spread % 2 == 0 &&
           (width % 2 == 0 || (width == 3 && rows_have_room(a)));
}

/* A half out of each word: the lower one, the upper one. */
static LlvmValue half_of(Emit *e, const Address *a, LlvmValue words, uint32_t which)
{
    if (which)
        words = LLVMBuildLShr(e->builder, words, splat(e, const_i32(e, 16)), "");
    LlvmValue bits = LLVMBuildTrunc(e->builder, words, lane_type(e, e->i16), "");
    return LLVMBuildBitCast(e->builder, bits, lane_type(e, stored_type(e, a)), "");
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
    LlvmType type = stored_type(e, a);
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
    LlvmType type = LLVMVectorType(stored_type(e, a), covered);
    LlvmValue pointer = address_scalar(e, a, true);
    prefetch_next(e, a, pointer);
    bool ragged = covered % e->facts->native && covered > e->facts->native &&
                  element_size(a) == 4;
    uint32_t *where = ragged ? ARENA_ARRAY(e->arena, uint32_t, covered) : NULL;
    LlvmValue wide = ragged ? load_whole(e, a, covered, pointer, where)
                            : memory_load_at(e, a, type, pointer);
    for (uint32_t c = 0; c < width; c++)
        v.c[c] = spread == 1 && width == 1 ? wide : pick_lanes(e, wide, c, spread, where);
    return v;
}

/* Lanes so far from each other that each loads its own, at even distances. */
static Loaded load_even(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    LlvmType type = stored_type(e, a);
    LlvmValue first = address_scalar(e, a, true);
    prefetch_next(e, a, first);
    LlvmValue *pointers = even_pointers(e, a, first);
    if (has_rows(e, a, width)) {
        rows_load(e, a, type, width, pointers, v.c);
        return v;
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
    LlvmType type = stored_type(e, a);
    LlvmValue first = address_scalar(e, a, true);
    prefetch_next(e, a, first);
    if (a->lane_stride != (int64_t)WHOLE * element_size(a)) {
        rows_load_whole(e, a, type, even_pointers(e, a, first), v.c);
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
    bool turned = spread == MAX_SPREAD && has_rows(e, a, width);
    return spread && !turned ? load_strided(e, a, width, spread) : load_even(e, a, width);
}

static Loaded load_outside(Emit *e, const Address *a, uint32_t width)
{
    Loaded v = {{0}};
    if (e->lanes == 1)
        return load_scattered(e, a, width);
    LaneAddress lanes = address_lanes(e, a, true);
    lanes_load_in_turn(e, a, &lanes, stored_type(e, a), width, v.c);
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

/* Is a number made from lanes that count up by arithmetic alone? Then it often counts
 * up as well, though that cannot be proved. */
static bool is_regular(const Emit *e, const Inst *inst, uint32_t depth)
{
    if (shape_of(e, inst) <= SHAPE_AFFINE || inst->op == IR_INPUT)
        return true;
    if (depth == 0 || inst->op == IR_PARAM || inst->op == IR_RESULT ||
        ir_op_effect((IrOp)inst->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!is_regular(e, inst->args[i], depth - 1))
            return false;
    return true;
}

bool memory_may_follow(const Emit *e, const Address *a, uint32_t width)
{
    if (a->shape != ADDRESS_SCATTERED || width != 1 || e->lanes < 4 ||
        address_is_private(a) || element_size(a) != 4 || a->align != 4)
        return false;
    for (uint32_t i = 0; i < a->nterms; i++)
        if (!is_regular(e, a->terms[i].index, 8))
            return false;
    return true;
}

/* i1: each lane is beside the one before. Lanes that are masked may be anywhere, also just
 * below zero, far from those that follow. */
static LlvmValue follows(Emit *e, const LaneAddress *l)
{
    LlvmValue first = lane_get(e, l->units, 0);
    LlvmValue want = LLVMBuildAdd(e->builder, splat(e, first), const_lanes(e, 0, 1), "");
    LlvmValue all = mask_all(e, LLVMBuildICmp(e->builder, LLVMIntEQ, l->units, want, ""));
    LlvmValue whole = LLVMBuildICmp(e->builder, LLVMIntULE, first,
                                    const_i32(e, UINT32_MAX - (e->lanes - 1)), "");
    return LLVMBuildAnd(e->builder, all, whole, "");
}

static Loaded load_maybe_following(Emit *e, const Address *a)
{
    LaneAddress lanes = address_lanes(e, a, true);
    LlvmBlock beside = block_new(e, "beside"), apart = block_new(e, "apart");
    LlvmBlock after = block_new(e, "loaded");
    jump_if(e, follows(e, &lanes), beside, apart);
    block_start(e, beside);
    LlvmValue x = memory_load_at(e, a, lane_type(e, stored_type(e, a)),
                                 address_in_lane(e, &lanes, 0));
    jump(e, after);
    block_start(e, apart);
    LlvmValue y = gather(e, a, &lanes);
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
    uint32_t spread = a->shape == ADDRESS_STRIDED ? spread_of(a) : 0;
    bool even = spread || (a->shape == ADDRESS_STRIDED && e->lanes > 1);
    if (!even || address_is_private(a))
        return load_scattered(e, a, width);
    LlvmValue fits = address_fits(e, a, false);
    if (!fits)
        return load_inside(e, a, width, spread);
    return load_checked(e, a, width, spread, fits);
}

static bool load_some(Emit *e, const Inst *inst, Loaded *out)
{
    Address a = address_of(e, inst->args[0], false);
    if (whole_is(e, inst) || !are_some_known(e, &a))
        return false;
    for (uint32_t c = 0; c < inst->type.width; c++) {
        Address at = component_of(&a, c);
        LaneAddress lanes = address_lanes(e, &at, false);
        out->c[c] = gather_some(e, &at, &lanes);
    }
    return true;
}

static bool is_word(const Address *a)
{
    return a->mem->value.type.width == 1 && element_size(a) == 4;
}

static bool load_pattern(Emit *e, const Address *a, Loaded *out)
{
    return a->shape == ADDRESS_SCATTERED && is_word(a) &&
           pattern_load(e, a, stored_type(e, a), out->c);
}

/* x[i ^ d]: one vector of neighbours, whose lanes change places. */
static bool load_partner(Emit *e, const Inst *place, const Address *a, Loaded *out)
{
    Partner p;
    if (!partner_find(e, place, &p))
        return false;
    LlvmType type = lane_type(e, stored_type(e, a));
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
    if (!e->mask || a.shape != ADDRESS_STRIDED || place->mem->value.type.width != 1 ||
        a.lane_stride != 4 || element_size(&a) != 4 || address_is_private(&a) ||
        !address_is_proved(&a) || place_is_always_inside(e, place))
        return false;
    LlvmType types[2] = {lane_type(e, stored_type(e, &a)), e->ptr};
    LlvmValue pointer = address_scalar(e, &a, false);
    out->c[0] = intrinsic(e, "llvm.masked.load", types, 2, 4,
                          (LlvmValue[]){pointer, const_i32(e, a.align), e->mask,
                                        LLVMConstNull(types[0])});
    tag(e, out->c[0], &a);
    return true;
}

/* Is it a vector of words that needs no check? */
static bool is_plain(const Emit *e, const Inst *inst, const Address *a)
{
    return !e->mask && a->shape == ADDRESS_STRIDED && a->lane_stride == 4 &&
           inst->type.width == 1 && element_size(a) == 4 && !address_is_private(a) &&
           address_is_proved(a);
}

void memory_load(Emit *e, const Inst *inst)
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
        LlvmValue x = from_memory(e, &a, v.c[c]);
        if (lanes && !is_vector(x))
            x = splat(e, x);
        set_value(e, inst, c, x);
    }
}

/* ---- stores ---- */

/* Private memory: lanes that are off keep what they have. */
static void store_private(Emit *e, const Address *a, LlvmValue v)
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
        Address at = component_of(a, c);
        memory_store_at(e, &at, one_of(e, v[c]), address_scalar(e, &at, false));
    }
    if (after) {
        jump(e, after);
        block_start(e, after);
    }
}

static void store_maybe_following(Emit *e, const Address *a, LlvmValue v, LlvmValue mask)
{
    LaneAddress lanes = address_lanes(e, a, false);
    LlvmBlock beside = block_new(e, "beside"), apart = block_new(e, "apart");
    LlvmBlock after = block_new(e, "stored");
    jump_if(e, follows(e, &lanes), beside, apart);
    block_start(e, beside);
    if (mask)
        store_masked(e, a, v, address_in_lane(e, &lanes, 0), mask);
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
        rows_store(e, a, v, width, lane_pointers(e, &lanes));
        return;
    }
    LlvmBlock all = block_new(e, "all"), some = block_new(e, "some");
    LlvmBlock done = block_new(e, "scattered");
    jump_if(e, mask_all(e, mask), all, some);
    block_start(e, all);
    rows_store(e, a, v, width, lane_pointers(e, &lanes));
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
    if (has_rows(e, a, width)) {
        scatter_rows(e, a, v, width, mask);
        return;
    }
    for (uint32_t c = 0; c < width; c++) {
        Address at = component_of(a, c);
        LaneAddress lanes = address_lanes(e, &at, false);
        scatter(e, &at, v[c], &lanes, mask);
    }
}

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
    if (e->lanes > 1 && element_size(a) == 2 && width % 2 == 0) {
        LlvmValue words[2] = {words_of(e, v[0], v[1]), NULL};
        if (width == 4)
            words[1] = words_of(e, v[2], v[3]);
        memory_store_at(e, a, interleave(e, words, width / 2), pointer);
    } else if (has_rows(e, a, width) && width == 4) {
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
                        LLVMBuildGEP2(e->builder, stored_type(e, a), pointer, &by, 1, ""));
    }
}

static void store_strided(Emit *e, const Address *a, const LlvmValue *v, uint32_t width)
{
    LlvmValue pointer = address_scalar(e, a, false);
    if (e->mask && a->alone)
        memory_store_at(e, a, blend(e, e->mask, v[0], memory_load_at(e, a, LLVMTypeOf(v[0]),
                                                                     pointer)), pointer);
    else if (e->mask)
        store_masked(e, a, v[0], pointer, e->mask);
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
    LlvmValue *pointers = even_pointers(e, a, address_scalar(e, a, false));
    if (a->whole) {
        rows_store_whole(e, a, v, pointers);
        return;
    }
    if (has_rows(e, a, width)) {
        rows_store(e, a, v, width, pointers);
        return;
    }
    LlvmType type = stored_type(e, a);
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue by = const_i64(e, c);
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
        store_masked(e, a, moved, p.pointer, partner_mask(e, e->mask, p.by));
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
           a->lane_stride == (int64_t)element_size(a) * width && (width == 1 || !e->mask);
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

void memory_store(Emit *e, const Inst *inst)
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
        v[c] = a.whole ? as_kept(e, value, c) : to_memory(e, &a, as_either(e, value, c, lanes));
    if (private) {
        for (uint32_t c = 0; c < width; c++) {
            Address at = component_of(&a, c);
            store_private(e, &at, v[c]);
        }
    } else if (a.shape == ADDRESS_UNIFORM) {
        store_uniform(e, &a, v, width);
    } else if (is_dense(e, &a, width)) {
        a.streams = !e->mask && stream_may(e, inst, &a);
        a.alone = e->mask && a.var->space == IRSPACE_WORKGROUP &&
                  place_is_always_inside(e, inst->args[0]);
        store_checked(e, &a, v, width, true);
    } else if (are_some_known(e, &a)) {
        for (uint32_t c = 0; c < width; c++) {
            Address at = component_of(&a, c);
            LaneAddress some = address_lanes(e, &at, false);
            scatter_some(e, &at, v[c], &some);
        }
    } else if (is_word(&a) &&
               pattern_store(e, &a, v[0], place_is_always_inside(e, inst->args[0]))) {
        return;
    } else if (a.shape == ADDRESS_STRIDED && e->lanes > 1) {
        store_checked(e, &a, v, width, false);
    } else if (!store_partner(e, inst->args[0], &a, v)) {
        store_scattered(e, &a, v, width);
    }
}

/* ---- the rest ---- */

/* Bytes from the start of a place to the end of its variable. */
static LlvmValue bytes_left(Emit *e, const Address *a, bool lanes)
{
    LlvmValue size = e->vars[a->var->id].size;
    if (!size)
        size = const_i64(e, a->var->type->size);
    LlvmValue bytes = LLVMBuildSub(e->builder, size, const_i64(e, a->offset), "");
    LlvmType type = lanes ? lane_type(e, e->i64) : e->i64;
    if (lanes)
        bytes = splat(e, bytes);
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        LlvmValue by = const_i64(e, t->stride);
        LlvmValue index = LLVMBuildZExt(e->builder, as_either(e, t->index, 0, lanes), type, "");
        LlvmValue step = LLVMBuildMul(e->builder, index, lanes ? splat(e, by) : by, "");
        bytes = intrinsic2(e, "llvm.usub.sat", bytes, step);
    }
    return bytes;
}

#define MOST_BYTES (UINT32_MAX - 3)     /* that a length of bytes can tell        */

void memory_length(Emit *e, const Inst *inst)
{
    Address a = address_of(e, inst->args[0], false);
    bool lanes = shape_of(e, inst) == SHAPE_VARYING;
    uint64_t stride = a.mem->kind == MEM_ARRAY ? a.mem->array.stride : 1;
    LlvmValue by = const_i64(e, stride);
    LlvmValue count = LLVMBuildUDiv(e->builder, bytes_left(e, &a, lanes),
                                    lanes ? splat(e, by) : by, "");
    LlvmValue most = const_i64(e, MOST_BYTES);
    if (stride == 1)
        count = intrinsic2(e, "llvm.umin", count, lanes ? splat(e, most) : most);
    LlvmType type = lanes ? lane_type(e, e->i32) : e->i32;
    set_value(e, inst, 0, LLVMBuildTrunc(e->builder, count, type, ""));
}

bool memory_place_is_uniform(const Emit *e, const Inst *place)
{
    for (const Inst *p = place; p->op != IR_VAR; p = p->args[0])
        if (p->op != IR_FIELD && shape_of(e, p->args[1]) > SHAPE_GROUP)
            return false;
    return true;
}

bool memory_is_in_order(Emit *e, const Inst *place)
{
    Address a = address_of(e, place, false);
    return a.shape == ADDRESS_UNIFORM || (a.shape == ADDRESS_STRIDED && spread_of(&a));
}

void memory_addresses(Emit *e, const Inst *place, LlvmValue *out)
{
    Address a = address_of(e, place, e->mask != NULL);
    bool strided = a.shape == ADDRESS_STRIDED && address_is_proved(&a) && !address_is_private(&a);
    if (a.shape == ADDRESS_UNIFORM || strided) {
        LlvmValue *pointers = even_pointers(e, &a, address_scalar(e, &a, true));
        for (uint32_t i = 0; i < e->lanes; i++)
            out[i] = pointers[i];
        return;
    }
    LaneAddress lanes = address_lanes(e, &a, true);
    for (uint32_t i = 0; i < e->lanes; i++)
        out[i] = address_in_lane(e, &lanes, i);
}

void memory_tag(Emit *e, LlvmValue access, const Inst *place)
{
    Address a = {.var = ir_place_root(place)};
    tag(e, access, &a);
}
