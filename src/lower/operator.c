// SPDX-License-Identifier: Apache-2.0
/*
 * operator.c - unary and binary operators.
 *
 * in     operands as values, with their types
 * out    operations on scalars and vectors; matrices column by column
 * knows  WGSL 8.6 to 8.9
 * not    expressions; && and || (flow.c)
 */
#include "lower/lower_priv.h"

/* ---- which operation ----
 *                  float     signed    unsigned   bool */
static const struct OpRow {
    uint16_t by_kind[4];            /* IrOp by NumKind; IR_OP_COUNT: there is none */
    bool     swapped;               /* y op x                                     */
} op_rows[BINOP_COUNT] = {
#define ROW(f, s, u, b) .by_kind = {[NUM_FLOAT] = IR_##f, [NUM_SIGNED] = IR_##s, \
                                    [NUM_UNSIGNED] = IR_##u, [NUM_BOOL] = IR_##b}
    [BINOP_ADD] = {ROW(FADD,     IADD,     IADD,     OP_COUNT)},
    [BINOP_SUB] = {ROW(FSUB,     ISUB,     ISUB,     OP_COUNT)},
    [BINOP_MUL] = {ROW(FMUL,     IMUL,     IMUL,     OP_COUNT)},
    [BINOP_DIV] = {ROW(FDIV,     SDIV,     UDIV,     OP_COUNT)},
    [BINOP_REM] = {ROW(FREM,     SREM,     UREM,     OP_COUNT)},
    [BINOP_AND] = {ROW(OP_COUNT, AND,      AND,      AND)},
    [BINOP_OR]  = {ROW(OP_COUNT, OR,       OR,       OR)},
    [BINOP_XOR] = {ROW(OP_COUNT, XOR,      XOR,      OP_COUNT)},
    [BINOP_SHL] = {ROW(OP_COUNT, SHL,      SHL,      OP_COUNT)},
    [BINOP_SHR] = {ROW(OP_COUNT, SAR,      SHR,      OP_COUNT)},
    [BINOP_EQ]  = {ROW(FEQ,      IEQ,      IEQ,      OP_COUNT)},
    [BINOP_NE]  = {ROW(FNE,      INE,      INE,      XOR)},
    [BINOP_LT]  = {ROW(FLT,      SLT,      ULT,      OP_COUNT)},
    [BINOP_LE]  = {ROW(FLE,      SLE,      ULE,      OP_COUNT)},
    [BINOP_GT]  = {ROW(FLT,      SLT,      ULT,      OP_COUNT), .swapped = true},
    [BINOP_GE]  = {ROW(FLE,      SLE,      ULE,      OP_COUNT), .swapped = true},
#undef ROW
};

/* ---- scalars and vectors ---- */

static Inst *componentwise(Lower *l, BinOp op, NumKind kind, Inst *x, Inst *y)
{
    uint32_t width = MAX_OF(x->type.width, y->type.width);
    if (x->type.width < width)
        x = ir_splat(&l->c, x, width);
    if (y->type.width < width)
        y = ir_splat(&l->c, y, width);
    if (op == BINOP_EQ && kind == NUM_BOOL)
        return ir_op1(&l->c, IR_NOT, ir_op2(&l->c, IR_XOR, x, y));
    const struct OpRow *row = &op_rows[op];
    IrOp ir_op = row->by_kind[kind];
    BUG_IF(ir_op == IR_OP_COUNT, "%s of these operands", bin_op_text(op));
    return row->swapped ? ir_op2(&l->c, ir_op, y, x) : ir_op2(&l->c, ir_op, x, y);
}

Inst *lower_dot(Lower *l, Inst *x, Inst *y)
{
    bool is_float = x->type.kind != SCALAR_I32;
    Inst *products = ir_op2(&l->c, is_float ? IR_FMUL : IR_IMUL, x, y);
    Inst *sum = ir_extract(&l->c, products, 0);
    for (uint32_t i = 1; i < x->type.width; i++)
        sum = ir_op2(&l->c, is_float ? IR_FADD : IR_IADD, sum,
                     ir_extract(&l->c, products, i));
    return sum;
}

/* ---- matrices ---- */

static Inst *matrix_times_vector(Lower *l, const Val *m, Inst *v)
{
    Inst *sum = NULL;
    for (uint32_t i = 0; i < m->n; i++) {
        Inst *column = val_leaf(m, i);
        Inst *factor = ir_splat(&l->c, ir_extract(&l->c, v, i), column->type.width);
        Inst *term = ir_op2(&l->c, IR_FMUL, column, factor);
        sum = sum ? ir_op2(&l->c, IR_FADD, sum, term) : term;
    }
    return sum;
}

static Inst *vector_times_matrix(Lower *l, Inst *v, const Val *m)
{
    Inst *components[4] = {0};
    for (uint32_t i = 0; i < m->n; i++)
        components[i] = lower_dot(l, v, val_leaf(m, i));
    IrType type = {v->type.kind, (uint8_t)m->n};
    return ir_op_as(&l->c, IR_VEC, type, m->n, components);
}

static Val matrix_times_matrix(Lower *l, const Val *x, const Val *y)
{
    Inst *columns[4] = {0};
    for (uint32_t i = 0; i < y->n; i++)
        columns[i] = matrix_times_vector(l, x, val_leaf(y, i));
    return val_many(l->arena, columns, y->n);
}

/* Both matrices, or one of them and a scalar. */
static Val columnwise(Lower *l, BinOp op, const Val *x, const Val *y)
{
    Inst *columns[4] = {0};
    uint32_t n = MAX_OF(x->n, y->n);
    for (uint32_t i = 0; i < n; i++)
        columns[i] = componentwise(l, op, NUM_FLOAT, x->n > 1 ? val_leaf(x, i) : x->inst,
                                   y->n > 1 ? val_leaf(y, i) : y->inst);
    return val_many(l->arena, columns, n);
}

static Val matrix_product(Lower *l, const Type *tx, const Val *x, const Type *ty,
                          const Val *y)
{
    if (tx->kind == TYPE_MATRIX && ty->kind == TYPE_MATRIX)
        return matrix_times_matrix(l, x, y);
    if (ty->kind == TYPE_VECTOR)
        return val_one(matrix_times_vector(l, x, y->inst));
    if (tx->kind == TYPE_VECTOR)
        return val_one(vector_times_matrix(l, x->inst, y));
    return columnwise(l, BINOP_MUL, x, y);
}

/* ---- the operators ---- */

Val lower_binary(Lower *l, BinOp op, const Type *tx, Val x, const Type *ty, Val y)
{
    bool matrices = tx->kind == TYPE_MATRIX || ty->kind == TYPE_MATRIX;
    if (matrices && op == BINOP_MUL)
        return matrix_product(l, tx, &x, ty, &y);
    if (matrices)
        return columnwise(l, op, &x, &y);
    return val_one(componentwise(l, op, lower_num_kind(tx), x.inst, y.inst));
}

Val lower_unary(Lower *l, UnOp op, Val x)
{
    if (op == UNOP_NOT || op == UNOP_COMPLEMENT)
        return val_one(ir_op1(&l->c, IR_NOT, x.inst));
    BUG_IF(op != UNOP_NEGATE, "%s is not an operation", un_op_text(op));
    if (x.inst->type.kind != SCALAR_I32)
        return val_one(ir_op1(&l->c, IR_FNEG, x.inst));
    return val_one(ir_op2(&l->c, IR_ISUB, lower_int(l, x.inst->type, 0), x.inst));
}
