// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - values to memory and back.
 *
 * in     places and values
 * out    LOAD and STORE of each leaf; loops where there are many
 * knows  types of memory
 * not    types of WGSL, expressions
 */
#include "lower/lower_priv.h"

Inst *lower_var_new(Lower *l, IrSpace space, Str name, const MemType *type)
{
    if (space == IRSPACE_FUNCTION || space == IRSPACE_PRIVATE) {
        l->private_bytes += type->size;
        if (l->private_bytes > LOWER_MAX_PRIVATE)
            lower_fail(l, DIAG_kernel_too_large, l->c.span,
                       "the variables of one invocation take more than %u bytes "
                       "once calls are inlined", LOWER_MAX_PRIVATE);
    }
    return ir_place_var(&l->c, ir_var_new(l->ir, space, name, type));
}

Inst *lower_place_part(Lower *l, Inst *place, uint64_t i)
{
    if (place->mem->kind == MEM_STRUCT)
        return ir_place_field(&l->c, place, (uint32_t)i);
    Inst *part = ir_place_elem(&l->c, place, ir_i32(&l->c, (uint32_t)i));
    part->in_bounds = place->mem->kind == MEM_VALUE || i < place->mem->array.count;
    return part;
}

/* ---- loops over the elements of an array ---- */

/* What the loop does with one element. */
typedef void EachElement(Lower *l, Inst *to, Inst *from);

static Inst *element_at(Lower *l, Inst *array, Inst *index)
{
    if (!array)
        return NULL;
    Inst *element = ir_place_elem(&l->c, array, index);
    element->in_bounds = true;
    return element;
}

/* each(to[i], from[i]) for every i; `from` may be NULL. */
static void loop_elements(Lower *l, Inst *to, Inst *from, EachElement *each)
{
    Inst *first = ir_i32(&l->c, 0);
    Inst *loop = ir_loop(&l->c, 1, &first);
    Region *body = loop->flow.regions[0], *continuing = loop->flow.regions[1];

    Saved saved = lower_region_enter(l, body);
    Inst *i = body->params[0];
    Inst *source = element_at(l, from, i);
    each(l, element_at(l, to, i), source);
    ir_leave(&l->c, IR_CONTINUE, loop, 1, &i);
    lower_region_leave(l, saved);

    saved = lower_region_enter(l, continuing);
    Inst *done_with = ir_param(l->ir, continuing, IR_I32);
    Inst *next = ir_op2(&l->c, IR_IADD, done_with, ir_i32(&l->c, 1));
    Inst *end = ir_i32(&l->c, (uint32_t)to->mem->array.count);
    Inst *done = ir_op2(&l->c, IR_ULE, end, next);
    ir_leave(&l->c, IR_BREAK_IF, NULL, 2, (Inst *[]){done, next});
    lower_region_leave(l, saved);
}

/* Small composites part by part, large arrays by a loop. */
static void each_part(Lower *l, Inst *to, Inst *from, EachElement *each)
{
    const MemType *mem = to->mem;
    if (mem->kind == MEM_ARRAY && lower_leaves(mem) > LOWER_MAX_LEAVES
            && mem->array.count > 1) {
        loop_elements(l, to, from, each);
        return;
    }
    for (uint64_t i = 0; i < lower_part_count(mem); i++) {
        Inst *source = from ? lower_place_part(l, from, i) : NULL;
        each(l, lower_place_part(l, to, i), source);
    }
}

void lower_copy(Lower *l, Inst *to, Inst *from)
{
    if (to->mem->kind == MEM_VALUE)
        ir_store(&l->c, to, ir_load(&l->c, from));
    else
        each_part(l, to, from, lower_copy);
}

static void clear_part(Lower *l, Inst *place, Inst *none)
{
    if (place->mem->kind == MEM_VALUE)
        ir_store(&l->c, place, ir_const(&l->c, place->mem->value.type, (IrConstant){{0}}));
    else
        each_part(l, place, none, clear_part);
}

void lower_clear(Lower *l, Inst *place)
{
    clear_part(l, place, NULL);
}

/* ---- leaves ---- */

static uint32_t load_leaves(Lower *l, Inst *place, Inst **out)
{
    if (place->mem->kind == MEM_VALUE) {
        *out = ir_load(&l->c, place);
        return 1;
    }
    uint32_t n = 0;
    for (uint64_t i = 0; i < lower_part_count(place->mem); i++)
        n += load_leaves(l, lower_place_part(l, place, i), out + n);
    return n;
}

Val lower_load(Lower *l, Inst *place)
{
    if (place->mem->kind == MEM_VALUE)
        return val_one(ir_load(&l->c, place));
    if (lower_leaves(place->mem) <= LOWER_MAX_LEAVES) {
        Inst *leaves[LOWER_MAX_LEAVES];
        return val_many(l->arena, leaves, load_leaves(l, place, leaves));
    }
    if (ir_var_is_read_only(ir_place_root(place)))
        return val_place(place);
    Inst *copy = lower_var_new(l, IRSPACE_FUNCTION, STR("copy"),
                               lower_slots(l, place->mem));
    lower_copy(l, copy, place);
    return val_place(copy);
}

static uint32_t store_leaves(Lower *l, Inst *place, const Val *v, uint32_t at)
{
    if (place->mem->kind == MEM_VALUE) {
        ir_store(&l->c, place, val_leaf(v, at));
        return at + 1;
    }
    for (uint64_t i = 0; i < lower_part_count(place->mem); i++)
        at = store_leaves(l, lower_place_part(l, place, i), v, at);
    return at;
}

void lower_store(Lower *l, Inst *place, Val v)
{
    if (v.n == 0)
        lower_copy(l, place, v.inst);
    else
        store_leaves(l, place, &v, 0);
}

Inst *lower_spill(Lower *l, Val v, const MemType *slots)
{
    Inst *place = lower_var_new(l, IRSPACE_FUNCTION, STR("value"), slots);
    lower_store(l, place, v);
    return place;
}
