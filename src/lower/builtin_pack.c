// SPDX-License-Identifier: Apache-2.0
/*
 * builtin_pack.c - builtin functions that pack vectors into words and back.
 *
 * in     a call; for the row's u, the bits a component has: 8 or 16
 * out    operations of the IR
 * knows  WGSL 17.9, 17.10
 */
#include "lower/lower_priv.h"

static Inst *op2(Lower *l, IrOp op, Inst *x, Inst *y)   { return ir_op2(&l->c, op, x, y); }

static IrType packed_type(uint32_t bits)
{
    return (IrType){SCALAR_I32, (uint8_t)(32u / bits)};
}

/* (0, bits, 2 * bits, ...), or that from the other end. */
static Inst *positions(Lower *l, uint32_t bits, bool from_top)
{
    IrConstant k = {{0}};
    uint32_t n = 32u / bits;
    for (uint32_t i = 0; i < n; i++)
        k.bits[i] = bits * (from_top ? n - 1 - i : i);
    return ir_const(&l->c, packed_type(bits), k);
}

/* Components that have no more bits, side by side. */
static Inst *join(Lower *l, Inst *x, uint32_t bits)
{
    Inst *placed = op2(l, IR_SHL, x, positions(l, bits, false));
    Inst *word = ir_extract(&l->c, placed, 0);
    for (uint32_t i = 1; i < x->type.width; i++)
        word = op2(l, IR_OR, word, ir_extract(&l->c, placed, i));
    return word;
}

/* The low bits of each component, side by side. */
static Inst *pack(Lower *l, Inst *x, uint32_t bits)
{
    return join(l, op2(l, IR_AND, x, lower_int(l, x->type, (1u << bits) - 1u)), bits);
}

/* `shift` is SAR to keep the sign of each component, SHR for none. */
static Inst *unpack(Lower *l, Inst *word, uint32_t bits, IrOp shift)
{
    IrType type = packed_type(bits);
    Inst *words = ir_splat(&l->c, word, type.width);
    Inst *high = op2(l, IR_SHL, words, positions(l, bits, true));
    return op2(l, shift, high, lower_int(l, type, 32u - bits));
}

Val lower_pack_norm(Lower *l, const BuiltinCall *b)
{
    bool is_signed = b->f == IR_F2S;
    Inst *x = lower_arg(l, b, 0);
    double most = (double)((1u << (is_signed ? b->u - 1 : b->u)) - 1);
    Inst *low = op2(l, IR_FMAX, x, lower_float(l, x->type, is_signed ? -1 : 0));
    Inst *clamped = op2(l, IR_FMIN, low, lower_float(l, x->type, 1));
    Inst *scaled = op2(l, IR_FMUL, clamped, lower_float(l, x->type, most));
    Inst *rounded = op2(l, IR_FADD, scaled, lower_float(l, x->type, 0.5));
    if (is_signed)                      /* what is positive is cut off anyway */
        rounded = ir_op1(&l->c, IR_FLOOR, rounded);
    Inst *n = ir_op_as(&l->c, (IrOp)b->f, packed_type(b->u), 1, &rounded);
    return val_one(is_signed ? pack(l, n, b->u) : join(l, n, b->u));
}

/* n / most, as exact as a division for every n that fits in 16 bits: the reciprocal has
 * two parts. */
static Inst *quotient(Lower *l, Inst *n, double most)
{
    float high = (float)(1 / most), low = (float)(1 / most - (double)high);
    Inst *rest = op2(l, IR_FMUL, n, lower_float(l, n->type, low));
    return ir_op3(&l->c, IR_FMA, n, lower_float(l, n->type, high), rest);
}

Val lower_unpack_norm(Lower *l, const BuiltinCall *b)
{
    bool is_signed = b->f == IR_S2F;
    Inst *n = unpack(l, lower_arg(l, b, 0), b->u, (IrOp)b->s);
    IrType type = {SCALAR_F32, n->type.width};
    double most = (double)((1u << (is_signed ? b->u - 1 : b->u)) - 1);
    Inst *x = ir_op_as(&l->c, (IrOp)b->f, type, 1, &n);
    Inst *unit = quotient(l, x, most);
    return val_one(is_signed ? op2(l, IR_FMAX, unit, lower_float(l, type, -1)) : unit);
}

Val lower_pack_half(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    Inst *halves = ir_op_as(&l->c, IR_F2F, (IrType){SCALAR_F16, 2}, 1, &x);
    return val_one(ir_op_as(&l->c, IR_PACK_HALF, IR_I32, 1, &halves));
}

Val lower_unpack_half(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    Inst *halves = ir_op_as(&l->c, IR_UNPACK_HALF, (IrType){SCALAR_F16, 2}, 1, &x);
    return val_one(ir_op_as(&l->c, IR_F2F, (IrType){SCALAR_F32, 2}, 1, &halves));
}

/* The row's s is SMIN or UMIN to clamp first, 0 to cut off. */
Val lower_pack_bytes(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    if (b->s == IR_SMIN) {
        x = op2(l, IR_SMAX, x, lower_int(l, x->type, (uint32_t)-128));
        x = op2(l, IR_SMIN, x, lower_int(l, x->type, 127));
    } else if (b->s == IR_UMIN) {
        x = op2(l, IR_UMIN, x, lower_int(l, x->type, 255));
    }
    return val_one(pack(l, x, b->u));
}

Val lower_unpack_bytes(Lower *l, const BuiltinCall *b)
{
    return val_one(unpack(l, lower_arg(l, b, 0), b->u, (IrOp)b->s));
}
