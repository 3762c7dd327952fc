// SPDX-License-Identifier: Apache-2.0
/*
 * access.c - names, members and indices: the way to memory and into values.
 *
 * in     expressions of reference or pointer type; member and index expressions
 *        of values
 * out    places; parts of values
 * knows  which values are indexed at run time, and so need a home in memory
 * not    arithmetic
 */
#include "lower/lower_priv.h"

/* An array or matrix of this many leaves is indexed by choosing among them. */
#define FEW 4u

/* ---- locals ---- */

static Local *local_of(const Frame *f, const Decl *d)
{
    BUG_IF(d->index >= f->fn->fn.info->locals.len, "a local without a number");
    return &f->locals[d->index];
}

void lower_bind(Lower *l, Frame *f, const Decl *d, Val v)
{
    Region *region = l->c.region;
    *local_of(f, d) = (Local){.val = v, .region = region, .after = region->last};
}

Val lower_local(Lower *l, const Decl *d)
{
    Val v = local_of(l->frame, d)->val;
    if (v.count)
        v.count = lower_visible(l, v.count);
    if (v.n <= 1) {
        v.inst = lower_visible(l, v.inst);
        return v;
    }
    Inst *leaves[LOWER_MAX_LEAVES];
    for (uint32_t i = 0; i < v.n; i++)
        leaves[i] = lower_visible(l, v.many[i]);
    return val_many(l->arena, leaves, v.n);
}

/* A place with the value of a LET or PARAM, filled where that got its value: so
 * once, even if the index is in a loop. */
static Inst *local_home(Lower *l, const Decl *d)
{
    Local *x = local_of(l->frame, d);
    if (x->val.n == 0)
        return lower_visible(l, x->val.inst);
    if (!x->home) {
        IrCursor here = l->c;
        l->c.region = x->region;
        l->c.before = x->after ? x->after->next : x->region->first;
        x->home = lower_spill(l, x->val, lower_type_slots(l, d->type));
        l->c = here;
    }
    return lower_visible(l, x->home);
}

/* ---- places ---- */

static bool constant_index(Lower *l, const Expr *at, uint64_t *out)
{
    const Value *v = lower_constant(l, at);
    if (v)
        *out = (uint64_t)v->integer;
    return v != NULL;
}

static Inst *place_index(Lower *l, Inst *place, const Expr *at)
{
    uint64_t i = 0;
    bool known = constant_index(l, at, &i);
    Inst *part = ir_place_elem(&l->c, place, lower_scalar(l, at));
    const MemType *mem = place->mem;
    uint64_t count = mem->kind == MEM_ARRAY ? mem->array.count : mem->value.type.width;
    part->in_bounds = known && i < count;
    return part;
}

/* An element of what a view shows: the view knows how many there are. */
static Inst *view_index(Lower *l, Val of, const Expr *at)
{
    Inst *one = ir_i32(&l->c, 1);
    Inst *index = lower_scalar(l, at);
    Inst *last = ir_op2(&l->c, IR_ISUB, ir_op2(&l->c, IR_UMAX, of.count, one), one);
    Inst *part = ir_place_elem(&l->c, of.inst, ir_op2(&l->c, IR_UMIN, index, last));
    part->in_bounds = true;
    return part;
}

static bool is_runtime_array(const MemType *mem)
{
    return mem->kind == MEM_ARRAY && mem->array.count == 0;
}

static Val place_of_index(Lower *l, const Expr *e)
{
    Val of = lower_place(l, e->index.of);
    if (of.count && is_runtime_array(of.inst->mem))
        return val_place(view_index(l, of, e->index.at));
    return val_place(place_index(l, of.inst, e->index.at));
}

static Val place_of_name(Lower *l, const Expr *e)
{
    const Decl *d = e->name.decl;
    if (!d->is_global)
        return lower_local(l, d);
    Inst *place = l->globals[d->index];
    BUG_IF(!place, "'%.*s' is used but not listed", STR_ARG(d->ident.name->text));
    return val_place(place);
}

static Val place_of_member(Lower *l, const Expr *e)
{
    Val of = lower_place(l, e->member.of);
    if (e->member.width)
        return val_place(lower_place_part(l, of.inst, e->member.swizzle[0]));
    Val v = val_place(ir_place_field(&l->c, of.inst, e->member.member));
    v.count = of.count;                 /* only the last member can make use of it */
    return v;
}

static Val place_of(Lower *l, const Expr *e)
{
    switch (e->kind) {
    case EXPR_NAME:   return place_of_name(l, e);
    case EXPR_MEMBER: return place_of_member(l, e);
    case EXPR_INDEX:  return place_of_index(l, e);
    case EXPR_UNARY:  return lower_place(l, e->unary.of);   /* *p and &r */
    default:          return lower_value(l, e);
    }
}

Val lower_place(Lower *l, const Expr *e)
{
    Span outer = lower_enter(l, e->span);
    Val v = place_of(l, e);
    lower_leave(l, outer);
    return v;
}

/* ---- components of vectors ---- */

static bool is_own_memory(const Type *reference)
{
    AddressSpace space = reference->pointer.space;
    return space == SPACE_FUNCTION || space == SPACE_PRIVATE;
}

Slot lower_slot(Lower *l, const Expr *e)
{
    uint64_t i;
    const Expr *of = e->kind == EXPR_INDEX ? e->index.of : NULL;
    if (of && of->type->kind == TYPE_REFERENCE && is_own_memory(of->type)
            && of->type->pointer.of->kind == TYPE_VECTOR
            && !constant_index(l, e->index.at, &i)) {
        Inst *vector = lower_place(l, of).inst;
        return (Slot){vector, lower_scalar(l, e->index.at)};
    }
    return (Slot){lower_place(l, e).inst, NULL};
}

static Inst *extract_at(Lower *l, Inst *vector, Inst *index)
{
    IrType scalar = {vector->type.kind, 1};
    return ir_op_as(&l->c, IR_EXTRACT_AT, scalar, 2, (Inst *[]){vector, index});
}

Val lower_slot_load(Lower *l, Slot s)
{
    if (!s.component)
        return lower_load(l, s.place);
    return val_one(extract_at(l, ir_load(&l->c, s.place), s.component));
}

void lower_slot_store(Lower *l, Slot s, Val v)
{
    if (!s.component) {
        lower_store(l, s.place, v);
        return;
    }
    Inst *old = ir_load(&l->c, s.place);
    ir_store(&l->c, s.place, ir_op3(&l->c, IR_INSERT_AT, old, v.inst, s.component));
}

/* ---- paths into values ---- */

static bool has_few_leaves(Lower *l, const Type *t)
{
    return lower_leaves(lower_mem(l, t)) <= FEW;
}

/* Is the value better reached through a place: is it large, or is it behind an
 * index that is only known at run time? */
static bool is_in_memory(Lower *l, const Expr *e)
{
    if (lower_is_large(l, e->type))
        return true;
    if (lower_constant(l, e))
        return false;
    if (e->kind == EXPR_MEMBER)
        return !e->member.width && is_in_memory(l, e->member.of);
    if (e->kind != EXPR_INDEX || e->index.of->type->kind == TYPE_VECTOR)
        return false;
    uint64_t i;
    return is_in_memory(l, e->index.of)
        || (!constant_index(l, e->index.at, &i) && !has_few_leaves(l, e->index.of->type));
}

/* A place that holds the value of `e` and does not change. */
static Inst *home(Lower *l, const Expr *e)
{
    const Value *known = lower_constant(l, e);
    if (known)
        return lower_value_place(l, known);
    if (e->kind == EXPR_NAME)
        return local_home(l, e->name.decl);
    if (e->kind == EXPR_MEMBER && !e->member.width)
        return ir_place_field(&l->c, home(l, e->member.of), e->member.member);
    if (e->kind == EXPR_INDEX && e->index.of->type->kind != TYPE_VECTOR) {
        Inst *of = home(l, e->index.of);
        return place_index(l, of, e->index.at);
    }
    Val v = lower_value(l, e);
    return v.n ? lower_spill(l, v, lower_type_slots(l, e->type)) : v.inst;
}

static Val load_home(Lower *l, Inst *place)
{
    return lower_leaves(place->mem) > LOWER_MAX_LEAVES ? val_place(place)
                                                       : lower_load(l, place);
}

/* The leaves of part `i` of a value. */
static Val part_of(const Val *v, const MemType *mem, uint64_t i)
{
    uint32_t first = 0;
    if (mem->kind == MEM_ARRAY)
        first = (uint32_t)i * lower_leaves(mem->array.of);
    else
        for (uint64_t k = 0; k < i; k++)
            first += lower_leaves(lower_part(mem, k));
    return val_slice(v, first, lower_leaves(lower_part(mem, i)));
}

Val lower_member(Lower *l, const Expr *e)
{
    const Expr *of = e->member.of;
    if (e->member.width) {
        Inst *vector = lower_scalar(l, of);
        return val_one(ir_swizzle(&l->c, vector, e->member.swizzle, e->member.width));
    }
    if (is_in_memory(l, of))
        return load_home(l, ir_place_field(&l->c, home(l, of), e->member.member));
    Val v = lower_value(l, of);
    return part_of(&v, lower_mem(l, of->type), e->member.member);
}

static Val index_vector(Lower *l, const Expr *e)
{
    Inst *vector = lower_scalar(l, e->index.of);
    uint64_t i;
    if (!constant_index(l, e->index.at, &i))
        return val_one(extract_at(l, vector, lower_scalar(l, e->index.at)));
    uint32_t last = vector->type.width - 1u;
    return val_one(ir_extract(&l->c, vector, (uint32_t)MIN_OF(i, last)));
}

/* Chooses among the parts of `v`; past the end it is the first. */
static Val index_few(Lower *l, Val v, const MemType *mem, Inst *index)
{
    uint32_t leaves = lower_leaves(mem->array.of);
    Inst *chosen[FEW];
    for (uint32_t k = 0; k < leaves; k++)
        chosen[k] = val_leaf(&v, k);
    for (uint32_t i = 1; i < mem->array.count; i++) {
        Inst *here = ir_op2(&l->c, IR_IEQ, index, ir_i32(&l->c, i));
        for (uint32_t k = 0; k < leaves; k++) {
            Inst *wide = ir_splat(&l->c, here, chosen[k]->type.width);
            chosen[k] = ir_op3(&l->c, IR_SELECT, wide, val_leaf(&v, i * leaves + k),
                               chosen[k]);
        }
    }
    return val_many(l->arena, chosen, leaves);
}

Val lower_index(Lower *l, const Expr *e)
{
    const Expr *of = e->index.of;
    if (of->type->kind == TYPE_VECTOR)
        return index_vector(l, e);
    if (is_in_memory(l, e) || is_in_memory(l, of)) {
        Inst *place = home(l, of);
        return load_home(l, place_index(l, place, e->index.at));
    }
    const MemType *mem = lower_mem(l, of->type);
    Val v = lower_value(l, of);
    uint64_t i;
    if (!constant_index(l, e->index.at, &i))
        return index_few(l, v, mem, lower_scalar(l, e->index.at));
    return part_of(&v, mem, MIN_OF(i, mem->array.count - 1));
}
