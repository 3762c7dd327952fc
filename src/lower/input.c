// SPDX-License-Identifier: Apache-2.0
/*
 * input.c - the builtin inputs of a compute entry point.
 *
 * in     a parameter of the entry point: a builtin value, or a structure of them
 * out    INPUT instructions, and what is computed from them
 * knows  WGSL 13.3.1.1 (builtin inputs)
 * not    anything after the start of the kernel
 */
#include "lower/lower_priv.h"

/* One component; where the workgroup is 1 wide, the id is known. */
static Inst *local_id(Lower *l, uint32_t axis)
{
    if (l->ir->workgroup_size[axis] == 1)
        return ir_i32(&l->c, 0);
    return ir_input(&l->c, (IrInput)(INPUT_LOCAL_ID_X + axis));
}

static Inst *workgroup_id(Lower *l, uint32_t axis)
{
    return ir_input(&l->c, (IrInput)(INPUT_WORKGROUP_ID_X + axis));
}

static Inst *num_workgroups(Lower *l, uint32_t axis)
{
    return ir_input(&l->c, (IrInput)(INPUT_NUM_WORKGROUPS_X + axis));
}

static Inst *global_id(Lower *l, uint32_t axis)
{
    uint32_t size = l->ir->workgroup_size[axis];
    if (size == 1)
        return workgroup_id(l, axis);
    Inst *group = workgroup_id(l, axis);
    Inst *start = ir_op2(&l->c, IR_IMUL, group, ir_i32(&l->c, size));
    return ir_op2(&l->c, IR_IADD, start, local_id(l, axis));
}

/* Invocations along an axis of the whole dispatch. */
static Inst *global_size(Lower *l, uint32_t axis)
{
    Inst *size = ir_i32(&l->c, l->ir->workgroup_size[axis]);
    return ir_op2(&l->c, IR_IMUL, num_workgroups(l, axis), size);
}

typedef Inst *Component(Lower *l, uint32_t axis);

static Inst *vec3(Lower *l, Component *component)
{
    Inst *parts[3];
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = component(l, i);
    return ir_op_as(&l->c, IR_VEC, (IrType){SCALAR_I32, 3}, 3, parts);
}

/* id.x + size.x * (id.y + size.y * id.z) */
static Inst *linear(Lower *l, Component *id, Component *size)
{
    Inst *index = id(l, 2);
    for (uint32_t axis = 2; axis-- > 0;) {
        index = ir_op2(&l->c, IR_IMUL, size(l, axis), index);
        index = ir_op2(&l->c, IR_IADD, id(l, axis), index);
    }
    return index;
}

static Inst *builtin_input(Lower *l, IoBuiltin builtin, Span span)
{
    switch (builtin) {
    case IO_local_invocation_id:     return vec3(l, local_id);
    case IO_local_invocation_index:  return ir_input(&l->c, INPUT_LOCAL_INDEX);
    case IO_global_invocation_id:    return vec3(l, global_id);
    case IO_global_invocation_index: return linear(l, global_id, global_size);
    case IO_workgroup_id:            return vec3(l, workgroup_id);
    case IO_workgroup_index:         return linear(l, workgroup_id, num_workgroups);
    case IO_num_workgroups:          return vec3(l, num_workgroups);
    case IO_subgroup_invocation_id:  return ir_input(&l->c, INPUT_SUBGROUP_LANE);
    case IO_subgroup_size:           return ir_input(&l->c, INPUT_SUBGROUP_SIZE);
    case IO_subgroup_id:             return ir_input(&l->c, INPUT_SUBGROUP_ID);
    case IO_num_subgroups:           return ir_input(&l->c, INPUT_NUM_SUBGROUPS);
    default:
        lower_fail(l, DIAG_not_compiled, span, "this input does not exist in a kernel");
    }
}

Val lower_input(Lower *l, const Decl *param)
{
    l->c.span = param->span;
    if (param->type->kind != TYPE_STRUCT)
        return val_one(builtin_input(l, param->var.io->builtin, param->span));
    const Decl *d = param->type->structure.decl;
    Inst *leaves[IO_BUILTIN_COUNT];
    uint32_t n = d->structure.nmembers;
    BUG_IF(n > COUNTOF(leaves), "more inputs than there are");
    for (uint32_t i = 0; i < n; i++) {
        const Member *m = &d->structure.members[i];
        leaves[i] = builtin_input(l, m->io->builtin, m->ident.span);
    }
    return val_many(l->arena, leaves, n);
}
