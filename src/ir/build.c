// SPDX-License-Identifier: Apache-2.0
/*
 * build.c - making instructions, regions and constructs.
 *
 * in     a cursor: where the next instruction goes
 * out    instructions linked into their region
 * knows  the table ops.def
 * not    what is worth making: no folding here (opt/)
 */
#include "ir/ir.h"

#include <string.h>

Ir *ir_new(Arena *a, Str name)
{
    Ir *ir = ARENA_NEW(a, Ir);
    ir->arena = a;
    ir->name = name;
    for (int i = 0; i < 3; i++)
        ir->workgroup_size[i] = 1;
    ir->body = ir_region_new(ir, NULL);
    return ir;
}

IrVar *ir_var_new(Ir *ir, IrSpace space, Str name, const MemType *type)
{
    IrVar *var = ARENA_NEW(ir->arena, IrVar);
    *var = (IrVar){.id = ir->vars.len, .space = space, .name = name, .type = type};
    VEC_PUSH(ir->arena, &ir->vars, var);
    return var;
}

Region *ir_region_new(Ir *ir, Inst *owner)
{
    Region *region = ARENA_NEW(ir->arena, Region);
    region->owner = owner;
    return region;
}

/* ---- one instruction ---- */

static void link_before(Inst *inst, Region *region, Inst *before)
{
    inst->region = region;
    inst->next = before;
    inst->prev = before ? before->prev : region->last;
    if (inst->prev)
        inst->prev->next = inst;
    else
        region->first = inst;
    if (before)
        before->prev = inst;
    else
        region->last = inst;
}

static Inst *inst_new(Ir *ir, IrOp op, IrType type, uint32_t nargs, Inst *const *args)
{
    Inst *inst = ARENA_NEW(ir->arena, Inst);
    inst->op = (uint8_t)op;
    inst->type = type;
    inst->id = ir->next_id++;
    inst->nargs = nargs;
    inst->args = arena_copy(ir->arena, args, nargs * sizeof *args);
    return inst;
}

Inst *ir_op_as(IrCursor *c, IrOp op, IrType type, uint32_t nargs, Inst *const *args)
{
    Inst *inst = inst_new(c->ir, op, type, nargs, args);
    inst->span = c->span;
    link_before(inst, c->region, c->before);
    return inst;
}

/* The operand whose type is the result's, by the row: the first T after the
 * result; 0 if the caller must say. */
static uint32_t operand_like_result(IrOp op)
{
    const char *t = strchr(ir_op_shape(op) + 1, 'T');
    return t ? (uint32_t)(t - ir_op_shape(op)) : 0;
}

static IrType type_from_row(IrOp op, Inst *const *args)
{
    const char *shape = ir_op_shape(op);
    if (shape[0] == '-')
        return IR_VOID;
    if (shape[0] == 'p')
        return IR_PLACE;
    uint32_t like = operand_like_result(op);
    if (like)
        return args[like - 1]->type;
    BUG_IF(strcmp(ir_op_kinds(op), "b") != 0, "%s needs ir_op_as()", ir_op_name(op));
    bool reduces = op == IR_ALL || op == IR_ANY;
    return (IrType){SCALAR_BOOL, reduces ? 1 : args[0]->type.width};
}

Inst *ir_op(IrCursor *c, IrOp op, uint32_t nargs, Inst *const *args)
{
    return ir_op_as(c, op, type_from_row(op, args), nargs, args);
}

Inst *ir_op1(IrCursor *c, IrOp op, Inst *x)
{
    return ir_op(c, op, 1, &x);
}

Inst *ir_op2(IrCursor *c, IrOp op, Inst *x, Inst *y)
{
    return ir_op(c, op, 2, (Inst *[]){x, y});
}

Inst *ir_op3(IrCursor *c, IrOp op, Inst *x, Inst *y, Inst *z)
{
    return ir_op(c, op, 3, (Inst *[]){x, y, z});
}

/* ---- values ---- */

Inst *ir_const(IrCursor *c, IrType type, IrConstant k)
{
    Inst *inst = ir_op_as(c, IR_CONST, type, 0, NULL);
    inst->constant = k;
    return inst;
}

Inst *ir_i32(IrCursor *c, uint32_t n)
{
    return ir_const(c, IR_I32, (IrConstant){{n}});
}

Inst *ir_f32(IrCursor *c, float x)
{
    IrConstant k = {{0}};
    memcpy(&k.bits[0], &x, sizeof x);
    return ir_const(c, IR_F32, k);
}

Inst *ir_f64(IrCursor *c, double x, uint32_t width)
{
    IrConstant k = {{0}};
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (uint32_t i = 0; i < width; i++) {
        k.bits[i] = (uint32_t)bits;
        k.bits[4 + i] = (uint32_t)(bits >> 32);
    }
    return ir_const(c, (IrType){SCALAR_F64, (uint8_t)width}, k);
}

Inst *ir_bool(IrCursor *c, bool b)
{
    return ir_const(c, IR_BOOL, (IrConstant){{b}});
}

Inst *ir_splat(IrCursor *c, Inst *scalar, uint32_t width)
{
    if (width == 1)
        return scalar;
    IrType type = {scalar->type.kind, (uint8_t)width};
    return ir_op_as(c, IR_VEC, type, width, (Inst *[]){scalar, scalar, scalar, scalar});
}

Inst *ir_input(IrCursor *c, IrInput input)
{
    Inst *inst = ir_op_as(c, IR_INPUT, IR_I32, 0, NULL);
    inst->input = input;
    return inst;
}

Inst *ir_extract(IrCursor *c, Inst *vector, uint32_t component)
{
    if (vector->type.width == 1)
        return vector;
    IrType type = {vector->type.kind, 1};
    Inst *inst = ir_op_as(c, IR_EXTRACT, type, 1, &vector);
    inst->index = component;
    return inst;
}

Inst *ir_swizzle(IrCursor *c, Inst *vector, const uint8_t *components, uint32_t width)
{
    if (width == 1)
        return ir_extract(c, vector, components[0]);
    IrType type = {vector->type.kind, (uint8_t)width};
    Inst *inst = ir_op_as(c, IR_SWIZZLE, type, 1, &vector);
    memcpy(inst->swizzle, components, width);
    return inst;
}

/* ---- places and memory ---- */

static Inst *place_new(IrCursor *c, IrOp op, const MemType *mem, uint32_t nargs,
                       Inst *const *args)
{
    Inst *inst = ir_op_as(c, op, IR_PLACE, nargs, args);
    inst->mem = mem;
    return inst;
}

Inst *ir_place_var(IrCursor *c, IrVar *var)
{
    Inst *inst = place_new(c, IR_VAR, var->type, 0, NULL);
    inst->var = var;
    return inst;
}

Inst *ir_place_field(IrCursor *c, Inst *place, uint32_t member)
{
    BUG_IF(place->mem->kind != MEM_STRUCT || member >= place->mem->structure.count,
           "no member %u", member);
    Inst *inst = place_new(c, IR_FIELD, place->mem->structure.fields[member].type, 1,
                           &place);
    inst->index = member;
    return inst;
}

/* What an index into `mem` reaches: an array's element, a vector's component. */
static const MemType *element_of(Ir *ir, const MemType *mem)
{
    if (mem->kind == MEM_ARRAY)
        return mem->array.of;
    BUG_IF(mem->kind != MEM_VALUE || mem->value.type.width == 1, "not indexable");
    IrType scalar = {mem->value.type.kind, 1};
    return ir_mem_value(ir, scalar, false, mem->value.stride);
}

Inst *ir_place_elem(IrCursor *c, Inst *place, Inst *index)
{
    const MemType *element = element_of(c->ir, place->mem);
    return place_new(c, IR_ELEM, element, 2, (Inst *[]){place, index});
}

Inst *ir_place_view(IrCursor *c, Inst *place, Inst *offset, const MemType *as)
{
    Inst *inst = place_new(c, IR_VIEW, as, 2, (Inst *[]){place, offset});
    inst->mem_view = as;
    return inst;
}

Inst *ir_load(IrCursor *c, Inst *place)
{
    BUG_IF(place->mem->kind != MEM_VALUE, "only scalars and vectors are loaded");
    return ir_op_as(c, IR_LOAD, place->mem->value.type, 1, &place);
}

Inst *ir_store(IrCursor *c, Inst *place, Inst *value)
{
    BUG_IF(place->mem->kind != MEM_VALUE, "only scalars and vectors are stored");
    return ir_op_as(c, IR_STORE, IR_VOID, 2, (Inst *[]){place, value});
}

Inst *ir_atomic(IrCursor *c, IrAtomic op, Inst *place, Inst *comparand, Inst *value)
{
    Inst *args[3] = {place};
    uint32_t n = 1;
    if (comparand)
        args[n++] = comparand;
    if (value)
        args[n++] = value;
    IrType type = op == ATOMIC_STORE ? IR_VOID : IR_I32;
    Inst *inst = ir_op_as(c, IR_ATOMIC, type, n, args);
    inst->atomic = op;
    return inst;
}

Inst *ir_barrier(IrCursor *c, uint32_t kinds)
{
    Inst *inst = ir_op_as(c, IR_BARRIER, IR_VOID, 0, NULL);
    inst->barrier = kinds;
    return inst;
}

Inst *ir_subgroup(IrCursor *c, IrSubgroup op, IrType type, uint32_t nargs,
                  Inst *const *args)
{
    Inst *inst = ir_op_as(c, IR_SUBGROUP, type, nargs, args);
    inst->subgroup = op;
    return inst;
}

/* ---- control flow ---- */

static Inst *construct_new(IrCursor *c, IrOp op, uint32_t nargs, Inst *const *args,
                           uint32_t nregions)
{
    Inst *inst = ir_op_as(c, op, IR_VOID, nargs, args);
    inst->flow.regions = ARENA_ARRAY(c->ir->arena, Region *, nregions);
    inst->flow.nregions = nregions;
    for (uint32_t i = 0; i < nregions; i++)
        inst->flow.regions[i] = ir_region_new(c->ir, inst);
    return inst;
}

Inst *ir_if(IrCursor *c, Inst *condition)
{
    return construct_new(c, IR_IF, 1, &condition, 2);
}

Inst *ir_switch(IrCursor *c, Inst *selector, uint32_t nregions)
{
    return construct_new(c, IR_SWITCH, 1, &selector, nregions);
}

Inst *ir_loop(IrCursor *c, uint32_t ninits, Inst *const *inits)
{
    Inst *loop = construct_new(c, IR_LOOP, ninits, inits, 2);
    for (uint32_t i = 0; i < ninits; i++)
        ir_param(c->ir, loop->flow.regions[0], inits[i]->type);
    return loop;
}

Inst *ir_block(IrCursor *c)
{
    return construct_new(c, IR_BLOCK, 0, NULL, 1);
}

Inst *ir_leave(IrCursor *c, IrOp op, Inst *target, uint32_t nargs, Inst *const *args)
{
    Inst *inst = ir_op_as(c, op, IR_VOID, nargs, args);
    inst->target = target;
    return inst;
}

static Inst *attach(Ir *ir, IrOp op, IrType type, Region *region, Inst ***list,
                    uint32_t *count)
{
    Inst *inst = inst_new(ir, op, type, 0, NULL);
    inst->region = region;
    inst->index = *count;
    Inst **grown = ARENA_ARRAY(ir->arena, Inst *, *count + 1);
    if (*count)
        memcpy(grown, *list, *count * sizeof *grown);
    grown[(*count)++] = inst;
    *list = grown;
    return inst;
}

Inst *ir_param(Ir *ir, Region *region, IrType type)
{
    return attach(ir, IR_PARAM, type, region, &region->params, &region->nparams);
}

Inst *ir_result(Ir *ir, Inst *construct, IrType type)
{
    return attach(ir, IR_RESULT, type, construct->region, &construct->flow.results,
                  &construct->flow.nresults);
}

/* ---- changes ---- */

void ir_remove(Inst *inst)
{
    Region *region = inst->region;
    if (inst->prev)
        inst->prev->next = inst->next;
    else
        region->first = inst->next;
    if (inst->next)
        inst->next->prev = inst->prev;
    else
        region->last = inst->prev;
    inst->prev = inst->next = NULL;
    inst->region = NULL;
}

void ir_move_before(Inst *inst, Inst *before)
{
    ir_remove(inst);
    link_before(inst, before->region, before);
    if (ir_op_is_construct((IrOp)inst->op))
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            inst->flow.results[i]->region = before->region;
}

void ir_add_arg(Ir *ir, Inst *inst, Inst *arg)
{
    Inst **grown = ARENA_ARRAY(ir->arena, Inst *, inst->nargs + 1);
    if (inst->nargs)
        memcpy(grown, inst->args, inst->nargs * sizeof *grown);
    grown[inst->nargs++] = arg;
    inst->args = grown;
}
