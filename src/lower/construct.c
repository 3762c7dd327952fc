// SPDX-License-Identifier: Apache-2.0
/*
 * construct.c - value constructors and conversions.
 *
 * in     calls of kind CALL_CONSTRUCT
 * out    values; large ones straight into memory
 * knows  WGSL 17.1 (constructors), 15.7.6 (conversion)
 * not    builtin functions
 */
#include "lower/lower_priv.h"

/* ---- conversion of scalars and vectors ---- */

static Inst *to_bool(Lower *l, Inst *x, NumKind from)
{
    if (from == NUM_FLOAT)
        return ir_op2(&l->c, IR_FNE, x, lower_float(l, x->type, 0));
    return ir_op2(&l->c, IR_INE, x, lower_int(l, x->type, 0));
}

static Inst *from_bool(Lower *l, Inst *x, IrType to)
{
    bool is_float = to.kind != SCALAR_I32;
    Inst *one = is_float ? lower_float(l, to, 1) : lower_int(l, to, 1);
    Inst *zero = is_float ? lower_float(l, to, 0) : lower_int(l, to, 0);
    return ir_op3(&l->c, IR_SELECT, x, one, zero);
}

Inst *lower_convert(Lower *l, Inst *x, const Type *from, const Type *to)
{
    NumKind f = lower_num_kind(from), t = lower_num_kind(to);
    IrType type = {lower_ir_type(type_scalar_of(to)).kind, x->type.width};
    bool same = ir_type_eq(x->type, type);      /* i32 and u32 are the same here */
    if (same)
        return x;
    if (t == NUM_BOOL)
        return to_bool(l, x, f);
    if (f == NUM_BOOL)
        return from_bool(l, x, type);
    if (f == NUM_FLOAT && t == NUM_FLOAT)
        return ir_op_as(&l->c, IR_F2F, type, 1, &x);
    if (f == NUM_FLOAT)
        return ir_op_as(&l->c, t == NUM_SIGNED ? IR_F2S : IR_F2U, type, 1, &x);
    return ir_op_as(&l->c, f == NUM_SIGNED ? IR_S2F : IR_U2F, type, 1, &x);
}

/* ---- vectors and matrices ---- */

static Val construct_vector(Lower *l, const Expr *e)
{
    const Type *type = e->type;
    uint32_t width = type->vector.width, n = 0;
    Inst *components[4] = {0};
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        const Expr *arg = e->call.args[i];
        Inst *x = lower_convert(l, lower_scalar(l, arg), arg->type, type);
        if (x->type.width == width)
            return val_one(x);
        if (e->call.nargs == 1)
            return val_one(ir_splat(&l->c, x, width));
        for (uint32_t k = 0; k < x->type.width && n < width; k++)
            components[n++] = ir_extract(&l->c, x, k);
    }
    BUG_IF(n != width, "a vector with %u of %u components", n, width);
    return val_one(ir_op_as(&l->c, IR_VEC, lower_ir_type(type), width, components));
}

static Val convert_matrix(Lower *l, const Expr *e)
{
    const Expr *arg = e->call.args[0];
    Val m = lower_value(l, arg);
    Inst *columns[4] = {0};
    for (uint32_t i = 0; i < m.n; i++)
        columns[i] = lower_convert(l, val_leaf(&m, i), arg->type, e->type);
    return val_many(l->arena, columns, m.n);
}

/* From columns, or from all components, column by column. */
static Val construct_matrix(Lower *l, const Expr *e)
{
    const Type *type = e->type;
    uint32_t rows = type->matrix.rows, n = 0;
    Inst *parts[16] = {0}, *columns[4] = {0};
    if (e->call.nargs == 1)
        return convert_matrix(l, e);
    for (; n < e->call.nargs && n < COUNTOF(parts); n++) {
        const Expr *arg = e->call.args[n];
        parts[n] = lower_convert(l, lower_scalar(l, arg), arg->type, type);
    }
    bool by_column = n == type->matrix.columns;
    for (uint32_t i = 0; i < type->matrix.columns; i++)
        columns[i] = by_column ? parts[i]
                               : ir_op_as(&l->c, IR_VEC, lower_ir_type(type), rows,
                                          parts + (size_t)i * rows);
    return val_many(l->arena, columns, type->matrix.columns);
}

/* ---- arrays and structures ---- */

bool lower_is_aggregate_construct(const Expr *e)
{
    return e->kind == EXPR_CALL && e->call.kind == CALL_CONSTRUCT
        && (e->type->kind == TYPE_ARRAY || e->type->kind == TYPE_STRUCT)
        && e->call.nargs > 0;
}

void lower_construct_into(Lower *l, Inst *place, const Expr *e)
{
    for (uint32_t i = 0; i < e->call.nargs; i++)
        lower_into(l, lower_place_part(l, place, i), e->call.args[i]);
}

static Val construct_aggregate(Lower *l, const Expr *e)
{
    if (lower_is_large(l, e->type)) {
        Inst *place = lower_var_new(l, IRSPACE_FUNCTION, STR("value"),
                                    lower_type_slots(l, e->type));
        lower_construct_into(l, place, e);
        return val_place(place);
    }
    uint32_t total = lower_leaves(lower_mem(l, e->type)), n = 0;
    Inst **leaves = ARENA_ARRAY(l->arena, Inst *, total);
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        Val v = lower_value(l, e->call.args[i]);
        for (uint32_t k = 0; k < v.n; k++)
            leaves[n++] = val_leaf(&v, k);
    }
    BUG_IF(n != total, "%u of %u parts", n, total);
    return total == 1 ? val_one(leaves[0]) : (Val){.n = total, .many = leaves};
}

Val lower_construct(Lower *l, const Expr *e)
{
    BUG_IF(e->call.nargs == 0, "a zero value that is not constant");
    switch (e->type->kind) {
    case TYPE_VECTOR: return construct_vector(l, e);
    case TYPE_MATRIX: return construct_matrix(l, e);
    case TYPE_ARRAY:
    case TYPE_STRUCT: return construct_aggregate(l, e);
    default:          break;
    }
    const Expr *arg = e->call.args[0];
    return val_one(lower_convert(l, lower_scalar(l, arg), arg->type, e->type));
}
