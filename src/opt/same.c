// SPDX-License-Identifier: Apache-2.0
/*
 * same.c - values that are made the same way, in different places; and those that are one
 * number for a whole dispatch.
 */
#include "opt/opt_priv.h"

#include <string.h>

#define DEPTH 8u                    /* of what is looked at                       */

static bool same_payload(const Inst *x, const Inst *y)
{
    switch (x->op) {
    case IR_CONST: return memcmp(&x->constant, &y->constant, sizeof x->constant) == 0;
    case IR_INPUT: return x->input == y->input;
    case IR_EXTRACT: case IR_FIELD: return x->index == y->index;
    case IR_VAR: return x->var == y->var;
    case IR_SWIZZLE: return memcmp(x->swizzle, y->swizzle, sizeof x->swizzle) == 0;
    default: return x->op != IR_VIEW;
    }
}

static bool same(const Inst *x, const Inst *y, uint32_t depth)
{
    if (x == y)
        return true;
    if (depth == 0 || x->op != y->op || !ir_type_eq(x->type, y->type) ||
        x->nargs != y->nargs || ir_op_effect((IrOp)x->op) != EFFECT_PURE ||
        x->op == IR_PARAM || x->op == IR_RESULT || !same_payload(x, y))
        return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!same(x->args[i], y->args[i], depth - 1))
            return false;
    return true;
}

bool same_value(const Inst *x, const Inst *y)
{
    return same(x, y, DEPTH);
}

bool value_is_fixed(const Inst *v)
{
    if (v->op == IR_CONST)
        return true;
    const Inst *place = v->op == IR_LOAD ? v->args[0] : NULL;
    for (; place && place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD && place->args[1]->op != IR_CONST)
            return false;
    return place && ir_var_is_read_only(place->var);
}
