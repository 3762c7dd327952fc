// SPDX-License-Identifier: Apache-2.0
/*
 * place.c - the variable that a place is in.
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
