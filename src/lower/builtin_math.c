// SPDX-License-Identifier: Apache-2.0
/*
 * builtin_math.c - builtin functions of numbers, vectors and matrices.
 *
 * in     a call; arguments are evaluated here, left to right
 * out    operations of the IR
 * knows  the formulas of WGSL 17.5
 */
#include "lower/lower_priv.h"

static Inst *op1(Lower *l, IrOp op, Inst *x)            { return ir_op1(&l->c, op, x); }
static Inst *op2(Lower *l, IrOp op, Inst *x, Inst *y)   { return ir_op2(&l->c, op, x, y); }
static Inst *mul(Lower *l, Inst *x, Inst *y)            { return op2(l, IR_FMUL, x, y); }
static Inst *add(Lower *l, Inst *x, Inst *y)            { return op2(l, IR_FADD, x, y); }
static Inst *sub(Lower *l, Inst *x, Inst *y)            { return op2(l, IR_FSUB, x, y); }

static Inst *choose(Lower *l, Inst *condition, Inst *yes, Inst *no)
{
    Inst *wide = condition->type.width < yes->type.width
                     ? ir_splat(&l->c, condition, yes->type.width) : condition;
    return ir_op3(&l->c, IR_SELECT, wide, yes, no);
}

/* ---- component by component ---- */

Val lower_abs(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    switch (lower_num_kind(b->type)) {
    case NUM_FLOAT:
        return val_one(op1(l, IR_FABS, x));
    case NUM_SIGNED:
        return val_one(op2(l, IR_SMAX, x,
                           op2(l, IR_ISUB, lower_int(l, x->type, 0), x)));
    default:
        return val_one(x);
    }
}

Val lower_sign(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    if (lower_num_kind(b->type) == NUM_SIGNED) {
        Inst *most = op2(l, IR_SMIN, x, lower_int(l, x->type, 1));
        return val_one(op2(l, IR_SMAX, most, lower_int(l, x->type, UINT32_MAX)));
    }
    Inst *zero = lower_float(l, x->type, 0);
    Inst *negative = choose(l, op2(l, IR_FLT, x, zero), lower_float(l, x->type, -1), zero);
    return val_one(choose(l, op2(l, IR_FLT, zero, x), lower_float(l, x->type, 1),
                          negative));
}

Val lower_clamp(Lower *l, const BuiltinCall *b)
{
    static const uint16_t most[] = {
        [NUM_FLOAT] = IR_FMIN, [NUM_SIGNED] = IR_SMIN, [NUM_UNSIGNED] = IR_UMIN,
    };
    static const uint16_t least[] = {
        [NUM_FLOAT] = IR_FMAX, [NUM_SIGNED] = IR_SMAX, [NUM_UNSIGNED] = IR_UMAX,
    };
    NumKind kind = lower_num_kind(b->type);
    Inst *x = lower_arg(l, b, 0), *low = lower_arg(l, b, 1), *high = lower_arg(l, b, 2);
    return val_one(op2(l, (IrOp)most[kind], op2(l, (IrOp)least[kind], x, low), high));
}

static Inst *saturate(Lower *l, Inst *x)
{
    Inst *least = op2(l, IR_FMAX, x, lower_float(l, x->type, 0));
    return op2(l, IR_FMIN, least, lower_float(l, x->type, 1));
}

Val lower_saturate(Lower *l, const BuiltinCall *b)
{
    return val_one(saturate(l, lower_arg(l, b, 0)));
}

Val lower_mix(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0), *y = lower_arg(l, b, 1);
    Inst *a = lower_arg_wide(l, b, 2, x->type.width);
    Inst *rest = sub(l, lower_float(l, x->type, 1), a);
    return val_one(add(l, mul(l, x, rest), mul(l, y, a)));
}

Val lower_step(Lower *l, const BuiltinCall *b)
{
    Inst *edge = lower_arg(l, b, 0), *x = lower_arg(l, b, 1);
    return val_one(choose(l, op2(l, IR_FLE, edge, x), lower_float(l, x->type, 1),
                          lower_float(l, x->type, 0)));
}

Val lower_smoothstep(Lower *l, const BuiltinCall *b)
{
    Inst *low = lower_arg(l, b, 0), *high = lower_arg(l, b, 1), *x = lower_arg(l, b, 2);
    Inst *t = saturate(l, op2(l, IR_FDIV, sub(l, x, low), sub(l, high, low)));
    Inst *twice = mul(l, lower_float(l, x->type, 2), t);
    Inst *rest = sub(l, lower_float(l, x->type, 3), twice);
    return val_one(mul(l, mul(l, t, t), rest));
}

Val lower_fract(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    return val_one(sub(l, x, op1(l, IR_FLOOR, x)));
}

Val lower_modf(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    Inst *whole = op1(l, IR_TRUNC, x);
    return val_many(l->arena, (Inst *[]){sub(l, x, whole), whole}, 2);
}

Val lower_frexp(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    Inst *fract = op1(l, IR_FREXP_FRACT, x);
    IrType type = {SCALAR_I32, x->type.width};
    Inst *exp = ir_op_as(&l->c, IR_FREXP_EXP, type, 1, &x);
    return val_many(l->arena, (Inst *[]){fract, exp}, 2);
}

Val lower_degrees(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    return val_one(mul(l, x, lower_float(l, x->type, 57.295779513082320877)));
}

Val lower_radians(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    return val_one(mul(l, x, lower_float(l, x->type, 0.017453292519943295769)));
}

Val lower_quantize(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    IrType half = {SCALAR_F16, x->type.width};
    Inst *rounded = ir_op_as(&l->c, IR_F2F, half, 1, &x);
    return val_one(ir_op_as(&l->c, IR_F2F, x->type, 1, &rounded));
}

/* ---- vectors ---- */

static Inst *length(Lower *l, Inst *v)
{
    return v->type.width == 1 ? op1(l, IR_FABS, v) : op1(l, IR_SQRT, lower_dot(l, v, v));
}

static Inst *scale(Lower *l, Inst *v, Inst *scalar)
{
    return mul(l, v, ir_splat(&l->c, scalar, v->type.width));
}

Val lower_length(Lower *l, const BuiltinCall *b)
{
    return val_one(length(l, lower_arg(l, b, 0)));
}

Val lower_distance(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0), *y = lower_arg(l, b, 1);
    return val_one(length(l, sub(l, x, y)));
}

Val lower_normalize(Lower *l, const BuiltinCall *b)
{
    Inst *v = lower_arg(l, b, 0);
    return val_one(op2(l, IR_FDIV, v, ir_splat(&l->c, length(l, v), v->type.width)));
}

Val lower_dot_product(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0), *y = lower_arg(l, b, 1);
    return val_one(lower_dot(l, x, y));
}

static Inst *cross(Lower *l, Inst *x, Inst *y)
{
    static const uint8_t yzx[] = {1, 2, 0}, zxy[] = {2, 0, 1};
    Inst *plus = mul(l, ir_swizzle(&l->c, x, yzx, 3), ir_swizzle(&l->c, y, zxy, 3));
    Inst *minus = mul(l, ir_swizzle(&l->c, x, zxy, 3), ir_swizzle(&l->c, y, yzx, 3));
    return sub(l, plus, minus);
}

Val lower_cross(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0), *y = lower_arg(l, b, 1);
    return val_one(cross(l, x, y));
}

Val lower_reflect(Lower *l, const BuiltinCall *b)
{
    Inst *incident = lower_arg(l, b, 0), *normal = lower_arg(l, b, 1);
    Inst *dot = lower_dot(l, normal, incident);
    Inst *twice = mul(l, lower_float(l, dot->type, 2), dot);
    return val_one(sub(l, incident, scale(l, normal, twice)));
}

Val lower_refract(Lower *l, const BuiltinCall *b)
{
    Inst *incident = lower_arg(l, b, 0), *normal = lower_arg(l, b, 1);
    Inst *ratio = lower_arg(l, b, 2);
    Inst *one = lower_float(l, ratio->type, 1);
    Inst *dot = lower_dot(l, normal, incident);
    Inst *sine2 = mul(l, mul(l, ratio, ratio), sub(l, one, mul(l, dot, dot)));
    Inst *k = sub(l, one, sine2);
    Inst *along = add(l, mul(l, ratio, dot), op1(l, IR_SQRT, k));
    Inst *bent = sub(l, scale(l, incident, ratio), scale(l, normal, along));
    Inst *none = op2(l, IR_FLT, k, lower_float(l, k->type, 0));
    return val_one(choose(l, none, lower_float(l, bent->type, 0), bent));
}

Val lower_face_forward(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0), *y = lower_arg(l, b, 1), *z = lower_arg(l, b, 2);
    Inst *dot = lower_dot(l, y, z);
    Inst *behind = op2(l, IR_FLT, dot, lower_float(l, dot->type, 0));
    return val_one(choose(l, behind, x, op1(l, IR_FNEG, x)));
}

/* ---- matrices ---- */

static Inst *at(Lower *l, const Val *m, uint32_t column, uint32_t row)
{
    return ir_extract(&l->c, val_leaf(m, column), row);
}

/* Of the rows r and s of columns c and c + 1. */
static Inst *minor2(Lower *l, const Val *m, uint32_t c, uint32_t r, uint32_t s)
{
    return sub(l, mul(l, at(l, m, c, r), at(l, m, c + 1, s)),
               mul(l, at(l, m, c, s), at(l, m, c + 1, r)));
}

/* By the two-row minors of the first two columns and of the last two. */
static Inst *determinant4(Lower *l, const Val *m)
{
    static const struct { uint8_t r, s, t, u; bool minus; } terms[] = {
        {0, 1, 2, 3, false}, {0, 2, 1, 3, true}, {0, 3, 1, 2, false},
        {1, 2, 0, 3, false}, {1, 3, 0, 2, true}, {2, 3, 0, 1, false},
    };
    Inst *sum = NULL;
    for (size_t i = 0; i < COUNTOF(terms); i++) {
        Inst *left = minor2(l, m, 0, terms[i].r, terms[i].s);
        Inst *term = mul(l, left, minor2(l, m, 2, terms[i].t, terms[i].u));
        if (sum)
            sum = op2(l, terms[i].minus ? IR_FSUB : IR_FADD, sum, term);
        else
            sum = term;
    }
    return sum;
}

Val lower_determinant(Lower *l, const BuiltinCall *b)
{
    Val m = lower_value(l, b->e->call.args[0]);
    if (m.n == 2)
        return val_one(minor2(l, &m, 0, 0, 1));
    if (m.n == 4)
        return val_one(determinant4(l, &m));
    Inst *normal = cross(l, val_leaf(&m, 1), val_leaf(&m, 2));
    return val_one(lower_dot(l, val_leaf(&m, 0), normal));
}

Val lower_transpose(Lower *l, const BuiltinCall *b)
{
    Val m = lower_value(l, b->e->call.args[0]);
    Inst *columns[4] = {0};
    uint32_t rows = val_leaf(&m, 0)->type.width;
    for (uint32_t r = 0; r < rows; r++) {
        Inst *parts[4] = {0};
        for (uint32_t c = 0; c < m.n; c++)
            parts[c] = at(l, &m, c, r);
        columns[r] = ir_op_as(&l->c, IR_VEC, lower_ir_type(b->e->type), m.n, parts);
    }
    return val_many(l->arena, columns, rows);
}
