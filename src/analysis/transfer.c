// SPDX-License-Identifier: Apache-2.0
/*
 * transfer.c - how one instruction's value looks across lanes.
 *
 * in     an instruction, the facts of its operands
 * out    its shape; stride and alignment for integers
 * not    control flow (shape.c)
 */
#include "analysis/analysis_priv.h"

static Fact uniform_fact(Shape shape, uint32_t align)
{
    return (Fact){.shape = (uint8_t)shape, .align = align};
}

static Fact affine_fact(int64_t stride, uint32_t align)
{
    if (stride == 0)
        return uniform_fact(SHAPE_GROUP, align);
    if (stride < INT32_MIN || stride > INT32_MAX)
        return uniform_fact(SHAPE_VARYING, 1);
    return (Fact){.shape = SHAPE_AFFINE, .stride = (int32_t)stride, .align = align};
}

static uint32_t lowest_bit(uint32_t n)
{
    return n ? n & (0u - n) : 0x80000000u;
}

static uint32_t power_above(uint32_t n)
{
    uint32_t p = 1;
    while (p < n && p < 0x80000000u)
        p *= 2;
    return p;
}

/* ---- inputs ---- */

/* x = local index modulo the row: affine if rows are whole lane groups. */
static Fact local_id_fact(const Facts *f, uint32_t axis)
{
    const uint32_t *size = f->ir->workgroup_size;
    uint32_t lanes = f->lanes, row = size[0];
    if (size[axis] == 1)
        return uniform_fact(SHAPE_WORKGROUP, 0x80000000u);
    if (lanes == 1)
        return uniform_fact(SHAPE_GROUP, 1);
    if (axis == 0 && (row % lanes == 0 || row >= (uint64_t)row * size[1] * size[2]))
        return affine_fact(1, lowest_bit(lanes));
    uint32_t plane = axis == 2 ? row * size[1] : row;
    if (axis != 0 && plane % lanes == 0)
        return uniform_fact(SHAPE_GROUP, 1);
    /* A column of the workgroup: rows of one, so the axis counts invocations. */
    if (axis == 1 && row == 1 && (size[1] % lanes == 0 || size[2] == 1))
        return affine_fact(1, lowest_bit(lanes));
    if (axis == 2 && plane == 1)
        return affine_fact(1, lowest_bit(lanes));
    return uniform_fact(SHAPE_VARYING, 1);
}

static Fact input_fact(const Facts *f, const Inst *inst)
{
    switch (inst->input) {
    case INPUT_LOCAL_ID_X: case INPUT_LOCAL_ID_Y: case INPUT_LOCAL_ID_Z:
        return local_id_fact(f, inst->input - INPUT_LOCAL_ID_X);
    case INPUT_LOCAL_INDEX:
        return f->lanes == 1 ? uniform_fact(SHAPE_GROUP, 1)
                             : affine_fact(1, lowest_bit(f->lanes));
    case INPUT_SUBGROUP_LANE:
        return f->lanes == 1 ? uniform_fact(SHAPE_WORKGROUP, 0x80000000u)
                             : affine_fact(1, 0x80000000u);
    case INPUT_SUBGROUP_ID:
        return uniform_fact(SHAPE_GROUP, 1);
    case INPUT_WORKGROUP_ID_X:
        return uniform_fact(f->ir->team ? SHAPE_GROUP : SHAPE_WORKGROUP, 1);
    case INPUT_WORKGROUP_ID_Y:
        return uniform_fact(f->ir->band ? SHAPE_GROUP : SHAPE_WORKGROUP, 1);
    default:
        return uniform_fact(SHAPE_WORKGROUP, 1);
    }
}

/* ---- arithmetic ---- */

static Shape worst_operand(const Facts *f, const Inst *inst)
{
    Shape worst = SHAPE_WORKGROUP;
    for (uint32_t i = 0; i < inst->nargs; i++) {
        Shape s = (Shape)fact_of(f, inst->args[i])->shape;
        if (s == SHAPE_UNKNOWN)
            return SHAPE_UNKNOWN;
        worst = MAX_OF(worst, s);
    }
    return worst;
}

static uint32_t times_align(uint32_t x, uint32_t y)
{
    uint64_t product = (uint64_t)x * y;
    return product > 0x80000000u ? 0x80000000u : (uint32_t)product;
}

static uint32_t shift_left(uint32_t align, uint32_t by)
{
    return times_align(align, by > 31 ? 0x80000000u : 1u << by);
}

static bool is_const(const Inst *inst)
{
    return inst->op == IR_CONST;
}

static uint32_t const_of(const Inst *inst)
{
    return inst->constant.bits[0];
}

/* A power of two that divides the result of an integer operation. */
static uint32_t align_of(const Facts *f, const Inst *inst)
{
    if (inst->type.kind != SCALAR_I32 || inst->type.width != 1)
        return 1;
    uint32_t x = inst->nargs > 0 ? fact_of(f, inst->args[0])->align : 1;
    uint32_t y = inst->nargs > 1 ? fact_of(f, inst->args[1])->align : 1;
    switch (inst->op) {
    case IR_CONST: return lowest_bit(const_of(inst));
    case IR_IADD: case IR_ISUB: case IR_OR: case IR_XOR: case IR_UMIN: case IR_UMAX:
    case IR_SMIN: case IR_SMAX: return MIN_OF(x, y);
    case IR_AND: return MAX_OF(x, y);
    case IR_IMUL: return times_align(x, y);
    case IR_SHL: return is_const(inst->args[1]) ? shift_left(x, const_of(inst->args[1]) & 31) : x;
    case IR_SELECT: return MIN_OF(y, fact_of(f, inst->args[2])->align);
    case IR_UREM:
        return is_const(inst->args[1]) ? MIN_OF(x, lowest_bit(const_of(inst->args[1]))) : 1;
    default: return 1;
    }
}

static int64_t stride_of(const Facts *f, const Inst *inst)
{
    const Fact *x = fact_of(f, inst);
    return x->shape == SHAPE_AFFINE ? x->stride : 0;
}

/* Do all lanes lie in one block of `size` numbers that starts at a multiple of
 * it? Then dividing by it gives one number, and the rest stays affine. */
static bool lanes_in_block(const Facts *f, const Inst *x, uint32_t size)
{
    const Fact *fact = fact_of(f, x);
    if (fact->shape != SHAPE_AFFINE || fact->stride <= 0 || size == 0)
        return false;
    uint64_t span = (uint64_t)(uint32_t)fact->stride * (f->lanes - 1);
    uint32_t step = MIN_OF(fact->align, lowest_bit(size));
    return span < step;
}

static Fact affine_by_block(const Facts *f, const Inst *inst, uint32_t size, bool rest)
{
    if (!lanes_in_block(f, inst->args[0], size))
        return uniform_fact(SHAPE_VARYING, 1);
    if (!rest)
        return uniform_fact(SHAPE_GROUP, 1);
    return affine_fact(stride_of(f, inst->args[0]), align_of(f, inst));
}

/* Do lanes that are on stay clear of the end of all numbers, so that those that are off, a
 * few steps away, can be told to be below zero? Of natural dividends they do. */
static bool never_wraps(const Facts *f, const Inst *inst)
{
    const Fact *x = fact_of(f, inst->args[0]);
    uint64_t span = (uint64_t)(x->stride < 0 ? -(int64_t)x->stride : x->stride) * f->lanes;
    return span < 0x40000000u && (inst->natural || x->high <= INT32_MAX);
}

/* (b + i k c) / c is b / c + i k, and (b + i k c) % c is b % c. */
static bool divides_stride(const Facts *f, const Inst *x, uint32_t by)
{
    return by && by <= INT32_MAX && stride_of(f, x) % (int32_t)by == 0;
}

static Fact affine_quotient(const Facts *f, const Inst *inst, uint32_t by)
{
    const Inst *x = inst->args[0];
    if (!divides_stride(f, x, by) || !never_wraps(f, inst))
        return affine_by_block(f, inst, by, false);
    uint32_t align = fact_of(f, x)->align, power = lowest_bit(by);
    return affine_fact(stride_of(f, x) / (int32_t)by, by == power && align > by ? align / by : 1);
}

static Fact affine_rest(const Facts *f, const Inst *inst, uint32_t by)
{
    bool power = (by & (by - 1)) == 0;
    if (divides_stride(f, inst->args[0], by) && (power || never_wraps(f, inst)))
        return uniform_fact(SHAPE_GROUP, align_of(f, inst));
    return affine_by_block(f, inst, by, true);
}

/* x / y or x % y of lanes in one of the rows that a shared y cuts numbers into? x / 0 is x. */
static bool is_row(const Facts *f, const Inst *inst)
{
    const Fact *y = fact_of(f, inst->args[1]);
    return !is_const(inst->args[1]) && y->shape <= SHAPE_GROUP && y->low > 0 &&
           lanes_in_block(f, inst->args[0], y->align);
}

static bool is_mask(uint32_t n)
{
    return n != 0 && (n & (n + 1)) == 0;
}

static Fact affine_transfer(const Facts *f, const Inst *inst)
{
    const Inst *x = inst->args[0], *y = inst->nargs > 1 ? inst->args[1] : NULL;
    uint32_t align = align_of(f, inst);
    switch (inst->op) {
    case IR_IADD:
        return affine_fact(stride_of(f, x) + stride_of(f, y), align);
    case IR_ISUB:
        return affine_fact(stride_of(f, x) - stride_of(f, y), align);
    case IR_IMUL:
        if (is_const(y))
            return affine_fact(stride_of(f, x) * (int32_t)const_of(y), align);
        if (is_const(x))
            return affine_fact(stride_of(f, y) * (int32_t)const_of(x), align);
        break;
    case IR_SHL:
        if (is_const(y))
            return affine_fact(stride_of(f, x) * ((int64_t)1 << (const_of(y) & 31)), align);
        break;
    case IR_UDIV: case IR_SHR:
        if (inst->op == IR_UDIV && is_row(f, inst))
            return uniform_fact(SHAPE_GROUP, 1);
        if (is_const(y))
            return affine_quotient(f, inst, inst->op == IR_SHR ? 1u << (const_of(y) & 31)
                                                               : const_of(y));
        break;
    case IR_UREM:
        if (is_row(f, inst))
            return affine_fact(stride_of(f, x), MIN_OF(fact_of(f, x)->align, fact_of(f, y)->align));
        if (is_const(y))
            return affine_rest(f, inst, const_of(y));
        break;
    case IR_AND:
        if (is_const(y) && is_mask(const_of(y)) && const_of(y) != UINT32_MAX)
            return affine_rest(f, inst, const_of(y) + 1);
        if (is_const(y) && is_mask(~const_of(y)) && lanes_in_block(f, x, ~const_of(y) + 1))
            return uniform_fact(SHAPE_GROUP, align);
        break;
    case IR_SELECT:
        if (fact_of(f, x)->shape <= SHAPE_GROUP &&
            stride_of(f, y) == stride_of(f, inst->args[2]))
            return affine_fact(stride_of(f, y), align);
        break;
    case IR_BITCAST:
        break;
    default:
        break;
    }
    return uniform_fact(SHAPE_VARYING, 1);
}

/* The block of a sum: what all invocations share must not move it off its grid. */
static uint32_t block_of(const Facts *f, const Inst *inst)
{
    if (inst->op == IR_INPUT) {
        const uint32_t *size = f->ir->workgroup_size;
        if (inst->input <= INPUT_LOCAL_ID_Z)
            return power_above(size[inst->input - INPUT_LOCAL_ID_X]);
        return inst->input == INPUT_LOCAL_INDEX ? power_above(size[0] * size[1] * size[2]) : 0;
    }
    if (inst->op != IR_IADD)
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        const Fact *x = fact_of(f, inst->args[i]), *u = fact_of(f, inst->args[1 - i]);
        if (u->shape == SHAPE_WORKGROUP && x->block && u->align >= x->block)
            return x->block;
    }
    return 0;
}

/*
 * x < y, or y <= x, for a y on the grid of the blocks that the x of all lie in: the
 * same answer for all. Looked at first for the workgroup, then for the lanes of a
 * group, which lie in one block if they start at a multiple of it.
 */
static Shape compare_shape(const Facts *f, const Inst *inst)
{
    if (inst->op != IR_ULT && inst->op != IR_ULE)
        return SHAPE_VARYING;
    const Inst *x = inst->args[inst->op == IR_ULT ? 0 : 1];
    const Inst *y = inst->args[inst->op == IR_ULT ? 1 : 0];
    const Fact *fx = fact_of(f, x), *fy = fact_of(f, y);
    if (fy->shape > SHAPE_GROUP)
        return SHAPE_VARYING;
    if (fx->block && fy->shape == SHAPE_WORKGROUP && fy->align >= fx->block)
        return SHAPE_WORKGROUP;
    return lanes_in_block(f, x, fy->align) ? SHAPE_GROUP : SHAPE_VARYING;
}

static Fact pure_fact(const Facts *f, const Inst *inst)
{
    Shape worst = worst_operand(f, inst);
    bool scalar_int = inst->type.kind == SCALAR_I32 && inst->type.width == 1;
    if (worst <= SHAPE_GROUP)
        return uniform_fact(worst, worst ? align_of(f, inst) : 1);
    if (worst == SHAPE_AFFINE && scalar_int)
        return affine_transfer(f, inst);
    if (worst == SHAPE_AFFINE)
        return uniform_fact(compare_shape(f, inst), 1);
    return uniform_fact(SHAPE_VARYING, 1);
}

/* ---- memory and lanes ---- */

/* The worst index of a place. */
static Shape place_shape(const Facts *f, const Inst *place)
{
    Shape worst = SHAPE_WORKGROUP;
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD) {
            Shape s = (Shape)fact_of(f, place->args[1])->shape;
            if (s == SHAPE_UNKNOWN)
                return SHAPE_UNKNOWN;
            worst = MAX_OF(worst, s);
        }
    return worst;
}

static Fact load_fact(const Facts *f, const Inst *inst)
{
    const IrVar *var = ir_place_root(inst->args[0]);
    Shape shape = place_shape(f, inst->args[0]);
    if (shape == SHAPE_UNKNOWN)
        return uniform_fact(SHAPE_UNKNOWN, 1);
    bool one_a_lane = var->space == IRSPACE_FUNCTION || var->space == IRSPACE_PRIVATE;
    if (shape > SHAPE_GROUP || one_a_lane)
        return uniform_fact(f->lanes == 1 ? SHAPE_GROUP : SHAPE_VARYING, 1);
    return uniform_fact(ir_var_is_read_only(var) ? shape : SHAPE_GROUP, 1);
}

static Fact length_fact(const Facts *f, const Inst *inst)
{
    Shape shape = place_shape(f, inst->args[0]);
    return uniform_fact(shape > SHAPE_GROUP ? SHAPE_VARYING : shape, 1);
}

static Fact atomic_fact(const Facts *f, const Inst *inst)
{
    bool one = inst->atomic == ATOMIC_LOAD && place_shape(f, inst->args[0]) <= SHAPE_GROUP;
    return uniform_fact(f->lanes == 1 || one ? SHAPE_GROUP : SHAPE_VARYING, 1);
}

static Fact subgroup_fact(const Facts *f, const Inst *inst)
{
    IrSubgroup op = inst->subgroup;
    if (f->lanes == 1)
        return uniform_fact(SHAPE_GROUP, 1);
    bool reduces = op <= SUBGROUP_XOR || (op >= SUBGROUP_ALL && op <= SUBGROUP_BALLOT) ||
                   op == SUBGROUP_BROADCAST_FIRST;
    if (op == SUBGROUP_BROADCAST)
        reduces = fact_of(f, inst->args[1])->shape <= SHAPE_GROUP;
    return uniform_fact(reduces ? SHAPE_GROUP : SHAPE_VARYING, 1);
}

static Fact first_fact(const Facts *f, const Inst *inst)
{
    const Fact *x = fact_of(f, inst->args[0]);
    return uniform_fact(MIN_OF((Shape)x->shape, SHAPE_GROUP), x->align);
}

static Fact plain_transfer(const Facts *f, const Inst *inst)
{
    switch (inst->op) {
    case IR_INPUT: return input_fact(f, inst);
    case IR_LOAD: return load_fact(f, inst);
    case IR_LENGTH: return length_fact(f, inst);
    case IR_ATOMIC: return atomic_fact(f, inst);
    case IR_SUBGROUP: return subgroup_fact(f, inst);
    case IR_UNIFORM: return uniform_fact(SHAPE_WORKGROUP, 1);
    case IR_FIRST: return first_fact(f, inst);
    default: return pure_fact(f, inst);
    }
}

Fact analysis_transfer(const Facts *f, const Inst *inst)
{
    Fact fact = plain_transfer(f, inst);
    bool scalar_int = inst->type.kind == SCALAR_I32 && inst->type.width == 1;
    if (scalar_int && fact.shape != SHAPE_UNKNOWN)
        fact.block = fact.shape == SHAPE_WORKGROUP ? 1 : block_of(f, inst);
    return fact;
}
