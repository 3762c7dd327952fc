// SPDX-License-Identifier: Apache-2.0
/*
 * fold.c - what an instruction gives when its operands are known, and values that
 * are equal to it but cheaper.
 *
 * knows  the operations' meaning as ops.def states it
 * not    control flow
 *
 * Floating-point arithmetic is folded only where the machine's result is the one
 * correctly rounded value; functions with tolerance are left to run.
 */
#include "opt/opt_priv.h"

#include <string.h>

static float real_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool is_const(const Inst *inst)
{
    return inst->op == IR_CONST;
}

/* ---- integers ---- */

static uint32_t divide(uint32_t x, uint32_t y, bool is_signed, bool rest)
{
    bool overflow = is_signed && x == 0x80000000u && y == UINT32_MAX;
    if (y == 0 || overflow)
        return rest ? 0 : x;
    if (!is_signed)
        return rest ? x % y : x / y;
    int32_t a = (int32_t)x, b = (int32_t)y;
    return (uint32_t)(rest ? a % b : a / b);
}

static uint32_t shift_arithmetic(uint32_t x, uint32_t by)
{
    uint32_t fill = x >> 31 ? ~(UINT32_MAX >> by) : 0;
    return x >> by | fill;
}

static uint32_t signed_pick(uint32_t x, uint32_t y, bool least)
{
    return ((int32_t)x < (int32_t)y) == least ? x : y;
}

static bool fold_int(IrOp op, uint32_t x, uint32_t y, uint32_t *out)
{
    switch (op) {
    case IR_IADD: *out = x + y; return true;
    case IR_ISUB: *out = x - y; return true;
    case IR_IMUL: *out = x * y; return true;
    case IR_SDIV: *out = divide(x, y, true, false); return true;
    case IR_UDIV: *out = divide(x, y, false, false); return true;
    case IR_SREM: *out = divide(x, y, true, true); return true;
    case IR_UREM: *out = divide(x, y, false, true); return true;
    case IR_SMIN: *out = signed_pick(x, y, true); return true;
    case IR_SMAX: *out = signed_pick(x, y, false); return true;
    case IR_UMIN: *out = MIN_OF(x, y); return true;
    case IR_UMAX: *out = MAX_OF(x, y); return true;
    case IR_SHL: *out = x << (y & 31); return true;
    case IR_SHR: *out = x >> (y & 31); return true;
    case IR_SAR: *out = shift_arithmetic(x, y & 31); return true;
    case IR_AND: *out = x & y; return true;
    case IR_OR: *out = x | y; return true;
    case IR_XOR: *out = x ^ y; return true;
    case IR_IEQ: *out = x == y; return true;
    case IR_INE: *out = x != y; return true;
    case IR_SLT: *out = (int32_t)x < (int32_t)y; return true;
    case IR_SLE: *out = (int32_t)x <= (int32_t)y; return true;
    case IR_ULT: *out = x < y; return true;
    case IR_ULE: *out = x <= y; return true;
    default: return false;
    }
}

/* ---- floating point: f32 only ---- */

static bool fold_float(IrOp op, uint32_t a, uint32_t b, uint32_t *out)
{
    float x = real_of(a), y = real_of(b);
    switch (op) {
    case IR_FADD: *out = bits_of(x + y); return true;
    case IR_FSUB: *out = bits_of(x - y); return true;
    case IR_FMUL: *out = bits_of(x * y); return true;
    case IR_FNEG: *out = a ^ 0x80000000u; return true;
    case IR_FABS: *out = a & 0x7fffffffu; return true;
    case IR_FEQ: *out = x == y; return true;
    case IR_FNE: *out = x != y; return true;
    case IR_FLT: *out = x < y; return true;
    case IR_FLE: *out = x <= y; return true;
    default: return false;
    }
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void set_double(IrConstant *out, uint32_t c, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    out->bits[c] = (uint32_t)bits;
    out->bits[4 + c] = (uint32_t)(bits >> 32);
}

/* Component c of an operation on f64. */
static bool fold_double(const Inst *inst, uint32_t c, IrConstant *out)
{
    const IrConstant *a = &inst->args[0]->constant;
    const IrConstant *b = &inst->args[inst->nargs > 1 ? 1 : 0]->constant;
    double x = double_of(ir_constant_bits64(a, c)), y = double_of(ir_constant_bits64(b, c));
    switch (inst->op) {
    case IR_FADD: set_double(out, c, x + y); return true;
    case IR_FSUB: set_double(out, c, x - y); return true;
    case IR_FMUL: set_double(out, c, x * y); return true;
    case IR_FDIV: set_double(out, c, x / y); return true;
    case IR_FNEG: set_double(out, c, -x); return true;
    case IR_FEQ: out->bits[c] = x == y; return true;
    case IR_FNE: out->bits[c] = x != y; return true;
    case IR_FLT: out->bits[c] = x < y; return true;
    case IR_FLE: out->bits[c] = x <= y; return true;
    default: return false;
    }
}

static bool fold_one(const Inst *inst, uint32_t x, uint32_t y, uint32_t *out)
{
    IrOp op = (IrOp)inst->op;
    ScalarKind kind = (ScalarKind)inst->args[0]->type.kind;
    if (op == IR_NOT) {
        *out = kind == SCALAR_BOOL ? !x : ~x;
        return true;
    }
    if (op == IR_BITCAST) {
        *out = x;
        return true;
    }
    if ((op == IR_S2F || op == IR_U2F) && inst->type.kind == SCALAR_F32) {
        *out = bits_of(op == IR_S2F ? (float)(int32_t)x : (float)x);
        return true;
    }
    if (kind == SCALAR_F32)
        return fold_float(op, x, y, out);
    return kind != SCALAR_F16 && kind != SCALAR_F64 && fold_int(op, x, y, out);
}

static bool fold_reduce(const Inst *inst, IrConstant *out)
{
    bool all = inst->op == IR_ALL, v = all;
    for (uint32_t c = 0; c < inst->args[0]->type.width; c++) {
        bool b = inst->args[0]->constant.bits[c] != 0;
        v = all ? v && b : v || b;
    }
    out->bits[0] = v;
    return true;
}

static bool fold_parts(const Inst *inst, IrConstant *out)
{
    for (uint32_t c = 0; c < inst->type.width; c++) {
        const Inst *from = inst->args[0];
        uint32_t at = c;
        switch (inst->op) {
        case IR_VEC: from = inst->args[c], at = 0; break;
        case IR_EXTRACT: at = inst->index; break;
        case IR_SWIZZLE: at = inst->swizzle[c]; break;
        default: from = inst->args[from->constant.bits[c] ? 1 : 2]; break;
        }
        out->bits[c] = from->constant.bits[at];
        out->bits[4 + c] = from->constant.bits[4 + at];
    }
    return true;
}

bool fold_constant(const Inst *inst, IrConstant *out)
{
    *out = (IrConstant){{0}};
    if (ir_op_effect((IrOp)inst->op) != EFFECT_PURE || inst->nargs == 0)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!is_const(inst->args[i]))
            return false;
    switch (inst->op) {
    case IR_ALL: case IR_ANY: return fold_reduce(inst, out);
    case IR_VEC: case IR_EXTRACT: case IR_SWIZZLE: case IR_SELECT:
        return fold_parts(inst, out);
    default: break;
    }
    if (inst->nargs > 2)
        return false;
    bool twice = inst->args[0]->type.kind == SCALAR_F64;
    for (uint32_t c = 0; c < inst->type.width; c++) {
        if (twice && !fold_double(inst, c, out))
            return false;
        if (twice)
            continue;
        uint32_t y = inst->nargs > 1 ? inst->args[1]->constant.bits[c] : 0;
        if (!fold_one(inst, inst->args[0]->constant.bits[c], y, &out->bits[c]))
            return false;
    }
    return true;
}

/* ---- identities ---- */

/* Are all components of a constant these bits? */
static bool is_all(const Inst *inst, uint32_t bits)
{
    if (!is_const(inst))
        return false;
    for (uint32_t c = 0; c < inst->type.width; c++)
        if (inst->constant.bits[c] != bits || inst->constant.bits[4 + c])
            return false;
    return true;
}

static uint32_t true_bits(const Inst *inst)
{
    return inst->type.kind == SCALAR_BOOL ? 1 : UINT32_MAX;
}

/* All or any of a vector's components. */
static Inst *reduce_identity(Components *k, IrCursor *c, const Inst *inst)
{
    Inst *v = inst->args[0], *all = component_get(k, c, v, 0);
    for (uint32_t i = 1; i < v->type.width; i++)
        all = ir_op2(c, inst->op == IR_ALL ? IR_AND : IR_OR, all,
                     component_get(k, c, v, i));
    return all;
}

static Inst *extract_identity(Components *k, IrCursor *c, const Inst *inst)
{
    Inst *v = inst->args[0];
    bool at = inst->op == IR_EXTRACT_AT;
    if (v->type.width == 1)
        return v;
    if (at && is_const(inst->args[1])) {
        uint32_t i = MIN_OF(inst->args[1]->constant.bits[0], v->type.width - 1u);
        return component_get(k, c, v, i);
    }
    if (!at && (v->op == IR_VEC || v->op == IR_SWIZZLE || component_is_apart(v)))
        return component_get(k, c, v, inst->index);
    return NULL;
}

/* An insertion at a known place is a vector of the others and the new one. */
static Inst *insert_identity(Components *k, IrCursor *c, const Inst *inst)
{
    if (!is_const(inst->args[2]))
        return NULL;
    uint32_t width = inst->type.width;
    uint32_t at = MIN_OF(inst->args[2]->constant.bits[0], width - 1);
    Inst *parts[4];
    for (uint32_t i = 0; i < width; i++)
        parts[i] = i == at ? inst->args[1] : component_get(k, c, inst->args[0], i);
    return ir_op_as(c, IR_VEC, inst->type, width, parts);
}

static Inst *swizzle_identity(IrCursor *c, const Inst *inst)
{
    Inst *v = inst->args[0], *parts[4];
    if (v->op != IR_VEC)
        return NULL;
    for (uint32_t i = 0; i < inst->type.width; i++)
        parts[i] = v->args[inst->swizzle[i]];
    return ir_op_as(c, IR_VEC, inst->type, inst->type.width, parts);
}

/* Between truths a selection is && or ||. */
static Inst *select_truth(IrCursor *c, const Inst *inst)
{
    Inst *b = inst->args[0], *yes = inst->args[1], *no = inst->args[2];
    if (is_all(yes, 1))
        return ir_op2(c, IR_OR, b, no);
    if (is_all(no, 0))
        return ir_op2(c, IR_AND, b, yes);
    if (is_all(yes, 0))
        return ir_op2(c, IR_AND, ir_op1(c, IR_NOT, b), no);
    return is_all(no, 1) ? ir_op2(c, IR_OR, ir_op1(c, IR_NOT, b), yes) : NULL;
}

static Inst *select_identity(IrCursor *c, const Inst *inst)
{
    if (inst->args[1] == inst->args[2] || is_all(inst->args[0], 1))
        return inst->args[1];
    if (is_all(inst->args[0], 0))
        return inst->args[2];
    return inst->type.kind == SCALAR_BOOL ? select_truth(c, inst) : NULL;
}

/* Every component of a vector, one by one, is that vector. */
static Inst *vec_identity(const Inst *inst)
{
    const Inst *first = inst->args[0];
    if (first->op != IR_EXTRACT || first->args[0]->type.width != inst->type.width)
        return NULL;
    for (uint32_t i = 0; i < inst->nargs; i++) {
        const Inst *part = inst->args[i];
        if (part->op != IR_EXTRACT || part->args[0] != first->args[0] || part->index != i)
            return NULL;
    }
    return first->args[0];
}

/* The bits of z that `inst` is: z & m, or z % 2^n. */
static bool is_lower_part(const Inst *inst, Inst **z, uint32_t *m)
{
    if ((inst->op != IR_AND && inst->op != IR_UREM) || !is_const(inst->args[1]))
        return false;
    uint32_t n = inst->args[1]->constant.bits[0];
    *z = inst->args[0];
    *m = inst->op == IR_AND ? n : n - 1;
    return inst->op == IR_AND || (n && (n & (n - 1)) == 0);
}

/* How often x has z in it; 0: not as a factor. */
static uint32_t times(const Inst *x, const Inst *z)
{
    if (x == z)
        return 1;
    for (uint32_t i = 0; i < 2 && x->op == IR_IMUL; i++)
        if (x->args[i] == z && is_const(x->args[1 - i]))
            return x->args[1 - i]->constant.bits[0];
    if (x->op == IR_SHL && x->args[0] == z && is_const(x->args[1]))
        return 1u << (x->args[1]->constant.bits[0] & 31);
    return 0;
}

/* k z - (z & m) is (k - 1) z + (z & ~m), which does not pass zero on its way: the index of
 * pairs in sorting networks and transforms. */
static Inst *without_lower_part(IrCursor *c, const Inst *inst)
{
    Inst *z;
    uint32_t m, k;
    if (inst->type.kind != SCALAR_I32 || inst->type.width != 1 ||
        !is_lower_part(inst->args[1], &z, &m) || (k = times(inst->args[0], z)) == 0)
        return NULL;
    Inst *upper = ir_op2(c, IR_AND, z, ir_i32(c, ~m));
    if (k == 1)
        return upper;
    Inst *others = k == 2 ? z : ir_op2(c, IR_IMUL, z, ir_i32(c, k - 1));
    return ir_op2(c, IR_IADD, others, upper);
}

static Inst *integer_identity(IrCursor *c, const Inst *inst)
{
    Inst *x = inst->args[0], *y = inst->nargs > 1 ? inst->args[1] : NULL;
    switch (inst->op) {
    case IR_IADD:
        return is_all(y, 0) ? x : is_all(x, 0) ? y : NULL;
    case IR_ISUB:
        return is_all(y, 0) ? x : without_lower_part(c, inst);
    case IR_SHL: case IR_SHR: case IR_SAR:
        return is_all(y, 0) || is_all(x, 0) ? x : NULL;
    case IR_IMUL:
        if (is_all(y, 1) || is_all(x, 0))
            return x;
        return is_all(x, 1) || is_all(y, 0) ? y : NULL;
    case IR_UDIV: case IR_SDIV:
        return is_all(y, 1) ? x : NULL;
    case IR_AND:
        if (x == y || is_all(y, true_bits(y)) || is_all(x, 0))
            return x;
        return is_all(x, true_bits(x)) || is_all(y, 0) ? y : NULL;
    case IR_OR:
        if (x == y || is_all(y, 0) || is_all(x, true_bits(x)))
            return x;
        return is_all(x, 0) || is_all(y, true_bits(y)) ? y : NULL;
    case IR_NOT:
        return x->op == IR_NOT ? x->args[0] : NULL;
    case IR_BITCAST:
        if (ir_type_eq(x->type, inst->type))
            return x;
        return x->op == IR_BITCAST
                   ? ir_op_as(c, IR_BITCAST, inst->type, 1, &x->args[0]) : NULL;
    default:
        return NULL;
    }
}

#define MAX_PRODUCT 4u              /* largest power that is written out          */

/* Are all components of a constant the float `n`? */
static bool is_real(const Inst *inst, double n)
{
    if (inst->type.kind != SCALAR_F64)
        return is_all(inst, bits_of((float)n));
    bool equal = is_const(inst);
    for (uint32_t c = 0; equal && c < inst->type.width; c++)
        equal = double_of(ir_constant_bits64(&inst->constant, c)) == n;
    return equal;
}

/* x^n from x and x^2 */
static Inst *product(IrCursor *c, Inst *x, uint32_t n)
{
    if (n == 1)
        return x;
    Inst *square = ir_op2(c, IR_FMUL, x, x);
    return n == 2 ? square : ir_op2(c, IR_FMUL, square, n == 3 ? x : square);
}

/*
 * Powers of halves are roots, which the machine has, and products of them. The negative ones
 * are less accurate than a power in f64 should be.
 */
static Inst *pow_of_half(IrCursor *c, Inst *x, const Inst *power)
{
    if (is_real(power, 0.5))
        return ir_op1(c, IR_SQRT, x);
    if (is_real(power, 1.5))
        return ir_op2(c, IR_FMUL, x, ir_op1(c, IR_SQRT, x));
    if (power->type.kind != SCALAR_F32)
        return NULL;
    if (is_real(power, -0.5))
        return ir_op1(c, IR_RSQRT, x);
    if (is_real(power, -1.5))
        return ir_op2(c, IR_FDIV, ir_op1(c, IR_RSQRT, x), x);
    return NULL;
}

/*
 * Small whole powers are products: more accurate, and of negative numbers, too, whose
 * powers WGSL leaves open but authors of kernels count on.
 */
static Inst *pow_identity(IrCursor *c, const Inst *inst)
{
    Inst *x = inst->args[0];
    if (inst->type.kind == SCALAR_F16)
        return NULL;
    for (uint32_t n = 1; n <= MAX_PRODUCT; n++)
        if (is_real(inst->args[1], n))
            return product(c, x, n);
    return pow_of_half(c, x, inst->args[1]);
}

Inst *fold_identity(Components *k, IrCursor *c, const Inst *inst)
{
    switch (inst->op) {
    case IR_POW: return pow_identity(c, inst);
    case IR_EXTRACT: case IR_EXTRACT_AT: return extract_identity(k, c, inst);
    case IR_INSERT_AT: return insert_identity(k, c, inst);
    case IR_SWIZZLE: return swizzle_identity(c, inst);
    case IR_SELECT: return select_identity(c, inst);
    case IR_VEC: return vec_identity(inst);
    case IR_ALL: case IR_ANY: return reduce_identity(k, c, inst);
    default: break;
    }
    Inst *equal = inst->nargs ? integer_identity(c, inst) : NULL;
    return equal ? equal : reassociate(c, inst);
}
