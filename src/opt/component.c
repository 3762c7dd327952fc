// SPDX-License-Identifier: Apache-2.0
/*
 * component.c - single components of vectors that are computed component by component.
 *
 * in     a vector, which component, a place in a walk through the body
 * out    the component as a value of its own: a part of what the vector is made of, or the
 *        vector's operations on scalars
 * why    integers and truths decide where memory is and which way invocations go; one by
 *        one, more can be seen of them
 * not    floats, which stay vectors
 *
 * Vectors whose operations use others twice are graphs with exponentially many paths, so
 * that each component is made once and found again.
 */
#include "opt/opt_priv.h"

#define MAX_NESTED 4u               /* operations whose components are taken at once */

void components_init(Components *k, Ir *ir)
{
    *k = (Components){.arena = ir->arena, .mask = 15};
    k->slots = ARENA_ARRAY(k->arena, Component, k->mask + 1);
}

static Component *slot_of(const Components *k, uint32_t key)
{
    uint32_t at = (key * 0x9e3779b1u >> 4) & k->mask;
    while (k->slots[at].key && k->slots[at].key != key)
        at = (at + 1) & k->mask;
    return &k->slots[at];
}

static void grow(Components *k)
{
    Component *old = k->slots;
    uint32_t n = k->mask + 1;
    k->mask = n * 2 - 1;
    k->slots = ARENA_ARRAY(k->arena, Component, n * 2u);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].key)
            *slot_of(k, old[i].key) = old[i];
}

static void keep(Components *k, uint32_t key, Inst *made)
{
    Component *slot = slot_of(k, key);
    bool more = !slot->key;
    *slot = (Component){key, made};
    if (more && ++k->count * 2 > k->mask)
        grow(k);
}

bool component_is_apart(const Inst *v)
{
    bool kind = v->type.kind == SCALAR_I32 || v->type.kind == SCALAR_BOOL;
    return kind && ((v->op >= IR_IADD && v->op <= IR_NOT) ||
                    (v->op >= IR_SELECT && v->op <= IR_F2U));
}

static Inst *component_of(Components *k, IrCursor *c, Inst *v, uint32_t i, uint32_t depth);

static Inst *make(Components *k, IrCursor *c, Inst *v, uint32_t i, uint32_t depth)
{
    if (depth == 0 || !component_is_apart(v))
        return ir_extract(c, v, i);
    Inst *args[3];
    for (uint32_t n = 0; n < v->nargs; n++)
        args[n] = component_of(k, c, v->args[n], i, depth - 1);
    return ir_op_as(c, (IrOp)v->op, (IrType){v->type.kind, 1}, v->nargs, args);
}

static Inst *component_of(Components *k, IrCursor *c, Inst *v, uint32_t i, uint32_t depth)
{
    if (v->type.width == 1)
        return v;
    if (v->op == IR_VEC)
        return v->args[i];
    if (v->op == IR_CONST)
        return ir_const(c, (IrType){v->type.kind, 1},
                        (IrConstant){{[0] = v->constant.bits[i], [4] = v->constant.bits[4 + i]}});
    if (v->op == IR_SWIZZLE)
        return component_of(k, c, v->args[0], v->swizzle[i], depth);
    uint32_t key = v->id * 4 + i + 1;
    Inst *made = slot_of(k, key)->made;
    if (!made || !value_is_visible(made, c->region)) {
        made = make(k, c, v, i, depth);
        keep(k, key, made);
    }
    return made;
}

Inst *component_get(Components *k, IrCursor *c, Inst *v, uint32_t i)
{
    return component_of(k, c, v, i, MAX_NESTED);
}
