// SPDX-License-Identifier: Apache-2.0
/*
 * place.c - variables: the one that a place is in, and what kinds of them there are.
 */
#include "ir/ir.h"

IrVar *ir_place_root(const Inst *place)
{
    while (place->op != IR_VAR)
        place = place->args[0];
    return place->var;
}

bool ir_var_is_read_only(const IrVar *var)
{
    return var->space == IRSPACE_UNIFORM || var->space == IRSPACE_IMMEDIATE ||
           var->space == IRSPACE_CONSTANT ||
           (var->space == IRSPACE_STORAGE && var->read_only);
}

bool ir_has_own_memory(const Ir *ir)
{
    for (uint32_t i = 0; i < ir->vars.len; i++)
        if (ir->vars.data[i]->space <= IRSPACE_PRIVATE ||
            ir->vars.data[i]->space == IRSPACE_WORKGROUP)
            return true;
    return false;
}
