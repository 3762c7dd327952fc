// SPDX-License-Identifier: Apache-2.0
/*
 * place.c - where a place is: a base, a constant and one term for each index.
 *
 * in     the chain VAR, FIELD, ELEM, VIEW of a place
 * out    an Address; its bytes for one or for all lanes, kept in bounds
 * knows  layouts, shapes and ranges of indices
 * not    loads and stores
 *
 * An address is UNIFORM (one for all lanes), STRIDED (from lane to lane a
 * constant number of bytes further) or SCATTERED.
 */
#include "emit/llvm/place_priv.h"

/* ---- from the chain ---- */

static const Inst *root_of(const Inst *place, uint32_t *depth)
{
    *depth = 1;
    while (place->op != IR_VAR) {
        place = place->args[0];
        ++*depth;
    }
    return place;
}

/* Elements that an index may reach: known, or computed from the binding. */
static LlvmValue runtime_count(Emit *e, const Address *a, uint64_t before, uint64_t stride)
{
    LlvmValue size = e->vars[a->var->id].size;
    LLVMBuilderRef b = e->entry;
    LlvmValue bytes = LLVMBuildSub(b, size, const_i64(e, before), "");
    LlvmValue count = LLVMBuildUDiv(b, bytes, const_i64(e, stride), "");
    return LLVMBuildTrunc(b, count, e->i32, "");
}

static void add_term(Emit *e, Address *a, const Inst *elem, uint64_t stride, uint64_t count)
{
    Term *t = &a->terms[a->nterms++];
    const Fact *f = &e->facts->of[elem->args[1]->id];
    *t = (Term){.index = elem->args[1], .stride = stride, .fixed = count};
    bool proved = e->facts->of[elem->id].in_bounds || (count && f->high < count);
    if (proved && (!a->for_all || a->viewed))
        return;
    t->count = count ? const_i32(e, (uint32_t)MIN_OF(count, (uint64_t)UINT32_MAX))
                     : runtime_count(e, a, a->offset, stride);
}

/* A view of the bytes from an offset on: it lies in the place. */
static void add_view(Address *a, const Inst *view)
{
    a->terms[a->nterms++] = (Term){.index = view->args[1], .stride = 1};
    a->align = 1;
    a->viewed = true;
}

static void add_step(Emit *e, Address *a, const Inst *step)
{
    const Inst *of = step->args[0];
    if (step->op == IR_FIELD) {
        a->offset += of->mem->structure.fields[step->index].offset;
    } else if (step->op == IR_VIEW) {
        add_view(a, step);
    } else if (step->args[1]->op == IR_CONST && of->mem->kind == MEM_ARRAY &&
               step->args[1]->constant.bits[0] < of->mem->array.count) {
        a->offset += (uint64_t)step->args[1]->constant.bits[0] * of->mem->array.stride;
    } else if (of->mem->kind == MEM_ARRAY) {
        add_term(e, a, step, of->mem->array.stride, of->mem->array.count);
    } else {
        add_term(e, a, step, of->mem->value.stride, of->mem->value.type.width);
    }
}

/* The shape of the whole: what the terms have in common. */
static void classify(const Emit *e, Address *a)
{
    a->shape = ADDRESS_UNIFORM;
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Fact *f = &e->facts->of[a->terms[i].index->id];
        if (f->shape == SHAPE_VARYING) {
            a->shape = ADDRESS_SCATTERED;
            return;
        }
        if (f->shape == SHAPE_AFFINE) {
            a->shape = ADDRESS_STRIDED;
            a->lane_stride += (int64_t)f->stride * (int64_t)a->terms[i].stride;
        }
    }
}

Address address_of(Emit *e, const Inst *place, bool for_all)
{
    uint32_t depth;
    const Inst *root = root_of(place, &depth);
    Address a = {.var = root->var, .mem = place->mem, .align = 4, .for_all = for_all};
    a.terms = ARENA_ARRAY(e->arena, Term, depth);
    const Inst **chain = ARENA_ARRAY(e->arena, const Inst *, depth);
    uint32_t n = 0;
    for (const Inst *p = place; p->op != IR_VAR; p = p->args[0])
        chain[n++] = p;
    while (n-- > 0)
        add_step(e, &a, chain[n]);
    if (place->mem->kind == MEM_VALUE)
        a.align = MIN_OF(a.align, place->mem->value.stride);
    classify(e, &a);
    return a;
}

bool address_is_private(const Address *a)
{
    return a->var->space == IRSPACE_FUNCTION || a->var->space == IRSPACE_PRIVATE;
}

/* ---- bounds ---- */

static LlvmValue first_of(Emit *e, const Term *t)
{
    LlvmValue i = as_scalar(e, t->index, 0);
    return t->plus ? LLVMBuildAdd(e->builder, i, const_i32(e, t->plus), "") : i;
}

static LlvmValue all_of(Emit *e, const Term *t)
{
    LlvmValue i = as_lanes(e, t->index, 0);
    return t->plus ? LLVMBuildAdd(e->builder, i, splat(e, const_i32(e, t->plus)), "") : i;
}

static LlvmValue last_index(Emit *e, const Term *t)
{
    return LLVMBuildSub(e->builder, t->count, const_i32(e, 1), "");
}

static LlvmValue scalar_index(Emit *e, const Term *t, bool clamped)
{
    LlvmValue i = first_of(e, t);
    return clamped && t->count ? intrinsic2(e, "llvm.umin", i, last_index(e, t)) : i;
}

static LlvmValue lanes_index(Emit *e, const Term *t, bool clamped)
{
    LlvmValue i = all_of(e, t);
    return clamped && t->count ? intrinsic2(e, "llvm.umin", i, splat(e, last_index(e, t)))
                               : i;
}

/* Do all lanes of an affine index stay below the count? */
static LlvmValue affine_fits(Emit *e, const Term *t, int32_t stride)
{
    uint32_t span = (uint32_t)(stride < 0 ? -(int64_t)stride : stride) * (e->lanes - 1);
    LlvmValue lowest = first_of(e, t);
    if (stride < 0)
        lowest = LLVMBuildSub(e->builder, lowest, const_i32(e, span), "");
    LlvmValue room = intrinsic2(e, "llvm.usub.sat", t->count, const_i32(e, span));
    return LLVMBuildICmp(e->builder, LLVMIntULT, lowest, room, "");
}

static LlvmValue both(Emit *e, LlvmValue x, LlvmValue y)
{
    return x ? LLVMBuildAnd(e->builder, x, y, "") : y;
}

LlvmValue address_fits(Emit *e, const Address *a, bool uniform_too)
{
    LlvmValue fits = NULL;
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        const Fact *f = &e->facts->of[t->index->id];
        if (!t->count)
            continue;
        if (f->shape == SHAPE_AFFINE) {
            fits = both(e, fits, affine_fits(e, t, f->stride));
        } else if (uniform_too) {
            LlvmValue index = first_of(e, t);
            fits = both(e, fits, LLVMBuildICmp(e->builder, LLVMIntULT, index, t->count, ""));
        }
    }
    return fits;
}

bool address_is_proved(const Address *a)
{
    for (uint32_t i = 0; i < a->nterms; i++)
        if (a->terms[i].count)
            return false;
    return true;
}

#define INDEX_DEPTH 8u
#define MOST_INDEX  (1u << 24)          /* that is looked at                      */

/* The largest number that lanes have, on or off; UINT64_MAX: any. */
static uint64_t most_of(const Emit *e, const Inst *inst, uint32_t depth)
{
    const uint32_t *size = e->ir->workgroup_size;
    if (inst->op == IR_CONST)
        return inst->constant.bits[0];
    if (inst->op == IR_INPUT && inst->input <= INPUT_LOCAL_ID_Z)
        return size[inst->input - INPUT_LOCAL_ID_X] - 1;
    if (inst->op == IR_INPUT && inst->input == INPUT_LOCAL_INDEX)
        return e->invocations - 1;
    bool known = inst->op == IR_IADD || inst->op == IR_IMUL || inst->op == IR_AND;
    if (!known || depth == 0)
        return UINT64_MAX;
    uint64_t x = most_of(e, inst->args[0], depth - 1), y = most_of(e, inst->args[1], depth - 1);
    if (inst->op == IR_AND) {           /* upper bits cut down to the multiple below */
        uint32_t rest = inst->args[1]->op == IR_CONST ? ~(uint32_t)y : 1;
        return (rest & (rest + 1)) == 0 ? x & y : MIN_OF(x, y);
    }
    if (x > MOST_INDEX || y > MOST_INDEX)
        return UINT64_MAX;
    return inst->op == IR_IADD ? x + y : x * y;
}

bool place_is_always_inside(const Emit *e, const Inst *place)
{
    if (e->invocations % e->lanes)
        return false;
    for (; place->op != IR_VAR; place = place->args[0]) {
        if (place->op == IR_FIELD)
            continue;
        const MemType *of = place->args[0]->mem;
        uint64_t count = place->op != IR_ELEM ? 0
                         : of->kind == MEM_ARRAY ? of->array.count : of->value.type.width;
        if (most_of(e, place->args[1], INDEX_DEPTH) >= count)
            return false;
    }
    return true;
}

LlvmValue address_fits_lanes(Emit *e, const Address *a)
{
    LlvmValue fits = NULL;
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        if (!t->count)
            continue;
        LlvmValue ok = LLVMBuildICmp(e->builder, LLVMIntULT, all_of(e, t),
                                     splat(e, t->count), "");
        fits = both(e, fits, ok);
    }
    return fits;
}

/* ---- pointers ---- */

/* Private memory is there once for each lane group if groups take turns. */
static LlvmValue base_of(Emit *e, const Address *a)
{
    LlvmValue base = e->vars[a->var->id].base;
    if (!address_is_private(a) || (!e->facts->has_barrier && e->side == 0))
        return base;
    LlvmValue each = const_i64(e, a->var->type->size * e->lanes);
    LlvmValue group = e->facts->has_barrier ? LLVMBuildZExt(e->builder, e->group, e->i64, "")
                                            : const_i64(e, e->side);
    LlvmValue offset = LLVMBuildMul(e->builder, group, each, "");
    return LLVMBuildGEP2(e->builder, e->i8, base, &offset, 1, "");
}

static LlvmValue bytes_at(Emit *e, LlvmValue base, LlvmValue offset)
{
    return LLVMBuildGEP2(e->builder, e->i8, base, &offset, 1, "");
}

/* The first lane's index as a number of 64 bits. If that lane is off, its index may
 * lie just before zero while those of lanes that are on do not. */
static LlvmValue first_index(Emit *e, const Term *t, int32_t stride)
{
    LlvmValue index = first_of(e, t);
    if (!e->mask || t->count || stride <= 0)
        return LLVMBuildZExt(e->builder, index, e->i64, "");
    uint32_t span = (uint32_t)stride * (e->lanes - 1);
    LlvmValue last = LLVMBuildAdd(e->builder, index, const_i32(e, span), "");
    last = LLVMBuildZExt(e->builder, last, e->i64, "");
    return LLVMBuildSub(e->builder, last, const_i64(e, span), "");
}

LlvmValue address_scalar(Emit *e, const Address *a, bool clamped)
{
    bool private = address_is_private(a);
    uint64_t unit = private ? e->lanes : 1;
    LlvmValue offset = const_i64(e, a->offset * unit);
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        const Fact *f = &e->facts->of[t->index->id];
        LlvmValue index = f->shape == SHAPE_AFFINE
                              ? first_index(e, t, f->stride)
                              : LLVMBuildZExt(e->builder, scalar_index(e, t, clamped),
                                              e->i64, "");
        LlvmValue step = LLVMBuildMul(e->builder, index, const_i64(e, t->stride * unit), "");
        offset = LLVMBuildAdd(e->builder, offset, step, "");
    }
    return bytes_at(e, base_of(e, a), offset);
}

/* Units of `unit` bytes from the base, for each lane. Fits in 32 bits, since a
 * binding has at most 2^31 units. */
static LlvmValue lane_units(Emit *e, const Address *a, uint32_t unit, bool clamped)
{
    LlvmValue sum = splat(e, const_i32(e, (uint32_t)(a->offset / unit)));
    for (uint32_t i = 0; i < a->nterms; i++) {
        const Term *t = &a->terms[i];
        LlvmValue by = splat(e, const_i32(e, (uint32_t)(t->stride / unit)));
        LlvmValue step = LLVMBuildMul(e->builder, lanes_index(e, t, clamped), by, "");
        sum = LLVMBuildAdd(e->builder, sum, step, "");
    }
    return sum;
}

LaneAddress address_lanes(Emit *e, const Address *a, bool clamped)
{
    LaneAddress l = {.base = base_of(e, a), .unit = a->align};
    l.units = lane_units(e, a, l.unit, clamped);
    if (address_is_private(a)) {
        LlvmValue wide = LLVMBuildMul(e->builder, l.units, splat(e, const_i32(e, e->lanes)), "");
        int32_t step = a->mem->kind == MEM_VALUE ? (int32_t)(a->mem->value.stride / 4) : 1;
        l.units = LLVMBuildAdd(e->builder, wide, const_lanes(e, 0, step), "");
        l.unit = 4;
    }
    return l;
}

/* Lane `lane` of a vector of i32, as i64. Each alone: of two that are taken out of a
 * register as one number, LLVM 19 for x86 sometimes forgets to clear the upper one. */
static LlvmValue wide_lane(Emit *e, LlvmValue v, uint32_t lane)
{
    return LLVMBuildZExt(e->builder, lanewise_get(e, v, lane), e->i64, "");
}

LlvmValue address_unit(Emit *e, const LaneAddress *l, LlvmValue units)
{
    LlvmType step = l->unit == 4 ? e->i32 : l->unit == 2 ? e->i16 : e->i8;
    return LLVMBuildGEP2(e->builder, step, l->base, &units, 1, "");
}

LlvmValue address_in_lane(Emit *e, const LaneAddress *l, uint32_t lane)
{
    return address_unit(e, l, wide_lane(e, l->units, lane));
}

LlvmValue *address_lane_pointers(Emit *e, const LaneAddress *at)
{
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        pointers[i] = address_in_lane(e, at, i);
    return pointers;
}

LlvmValue *address_even_pointers(Emit *e, const Address *a, LlvmValue first)
{
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++) {
        LlvmValue by = const_i64(e, (uint64_t)(a->lane_stride * (int64_t)i));
        pointers[i] = LLVMBuildGEP2(e->builder, e->i8, first, &by, 1, "");
    }
    return pointers;
}

LlvmValue *address_pointers(Emit *e, const Address *a)
{
    if (a->shape == ADDRESS_STRIDED)
        return address_even_pointers(e, a, address_scalar(e, a, true));
    LaneAddress lanes = address_lanes(e, a, true);
    return address_lane_pointers(e, &lanes);
}
