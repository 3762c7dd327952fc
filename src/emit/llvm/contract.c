// SPDX-License-Identifier: Apache-2.0
/*
 * contract.c - fuses products with the sums that use them.
 *
 * in     FADD or FSUB of f32, with its operands' values
 * out    a fused multiply-add, if an operand is a product that nothing else uses
 * why    WGSL allows it. LLVM would do it by itself, but which sums it finds depends on how
 *        much it optimises: decided here, all versions of a kernel round alike
 * not    f64, whose operations are exact; f16, whose products are rounded on most machines
 *
 * Uses are counted for each component, through instructions that only move components, and
 * together for equal products of a region: LLVM computes those once, and fusing one of them
 * would compute it again, later.
 */
#include "emit/llvm/math_priv.h"

/* A component of a value. */
typedef struct Part {
    const Inst *inst;
    uint32_t    c;
} Part;

typedef struct Product {
    const Region *region;               /* NULL: the row is free                   */
    Part          x, y;
    uint32_t      uses;
} Product;

struct Products {
    uint32_t mask;
    Product *rows;                      /* [mask + 1], open addressing             */
};

/* The component that component `c` of `inst` is moved from. */
static Part part_of(const Inst *inst, uint32_t c)
{
    for (;;) {
        if (inst->op == IR_VEC) {
            inst = inst->args[c];
            c = 0;
        } else if (inst->op == IR_EXTRACT) {
            c = inst->index;
            inst = inst->args[0];
        } else if (inst->op == IR_SWIZZLE) {
            c = inst->swizzle[c];
            inst = inst->args[0];
        } else {
            return (Part){inst, c};
        }
    }
}

static bool only_moves(const Inst *inst)
{
    return inst->op == IR_VEC || inst->op == IR_EXTRACT || inst->op == IR_SWIZZLE;
}

static bool is_candidate(const Inst *inst)
{
    return inst->op == IR_FMUL && inst->type.kind == SCALAR_F32;
}

static uint32_t number_of(Part p)
{
    return p.inst->id * 4 + p.c;
}

/* The row of a product, or a free one. */
static Product *row_of(const struct Products *t, Part product)
{
    const Inst *inst = product.inst;
    Part x = part_of(inst->args[0], product.c), y = part_of(inst->args[1], product.c);
    if (number_of(x) > number_of(y)) {
        Part swap = x;
        x = y;
        y = swap;
    }
    uint32_t at = (number_of(x) * 31 + number_of(y)) * 2654435769u >> 7;
    for (;; at++) {
        Product *p = &t->rows[at & t->mask];
        if (!p->region)
            *p = (Product){inst->region, x, y, 0};
        if (p->region == inst->region && number_of(p->x) == number_of(x) &&
            number_of(p->y) == number_of(y))
            return p;
    }
}

static uint32_t count_products(const Region *region)
{
    uint32_t n = 0;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (is_candidate(inst))
            n += inst->type.width;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                n += count_products(inst->flow.regions[i]);
    }
    return n;
}

static void count_uses(const struct Products *t, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->nargs && !only_moves(inst); i++)
            for (uint32_t c = 0; c < inst->args[i]->type.width; c++) {
                Part p = part_of(inst->args[i], c);
                if (is_candidate(p.inst))
                    row_of(t, p)->uses++;
            }
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                count_uses(t, inst->flow.regions[i]);
    }
}

void contract_survey(Emit *e)
{
    uint32_t n = count_products(e->ir->body), size = 16;
    while (size < n * 2)
        size *= 2;
    e->products = ARENA_NEW(e->arena, struct Products);
    e->products->mask = size - 1;
    e->products->rows = ARENA_ARRAY(e->arena, Product, size);
    count_uses(e->products, e->ir->body);
}

static bool is_used_once(const Emit *e, const Inst *sum, Part p)
{
    return is_candidate(p.inst) && p.inst->region == sum->region &&
           row_of(e->products, p)->uses == 1;
}

/* `v`: the value of component `c` of `arg`, an operand of `sum`; if `c` is COMPONENTS, a
 * vector of several of them. */
static bool may_fuse(const Emit *e, const Inst *sum, const Inst *arg, uint32_t c, LlvmValue v)
{
    if (!e->has_fma || !LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMFMul)
        return false;
    if (c != COMPONENTS)
        return is_used_once(e, sum, part_of(arg, c));
    bool once = is_candidate(arg);
    for (uint32_t i = 0; i < arg->type.width && once; i++)
        once = is_used_once(e, sum, (Part){arg, i});
    return once;
}

/* product + z, or z - product. */
static LlvmValue fused(Emit *e, LlvmValue product, LlvmValue z, bool minus)
{
    LlvmValue x = LLVMGetOperand(product, 0), y = LLVMGetOperand(product, 1);
    return math_fma(e, minus ? LLVMBuildFNeg(e->builder, x, "") : x, y, z);
}

LlvmValue contract_sum(Emit *e, const Inst *sum, const Inst *arg, LlvmValue v, LlvmValue z)
{
    return may_fuse(e, sum, arg, 0, v) ? fused(e, v, z, false)
                                       : LLVMBuildFAdd(e->builder, v, z, "");
}

LlvmValue contract_inst(Emit *e, const Inst *inst, uint32_t c, LlvmValue x, LlvmValue y)
{
    bool minus = inst->op == IR_FSUB;
    if (may_fuse(e, inst, inst->args[0], c, x))
        return fused(e, x, minus ? LLVMBuildFNeg(e->builder, y, "") : y, false);
    if (may_fuse(e, inst, inst->args[1], c, y))
        return fused(e, y, x, minus);
    return minus ? LLVMBuildFSub(e->builder, x, y, "") : LLVMBuildFAdd(e->builder, x, y, "");
}
