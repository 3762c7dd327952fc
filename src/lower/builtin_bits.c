// SPDX-License-Identifier: Apache-2.0
/*
 * builtin_bits.c - builtin functions of bits and truth.
 *
 * in     a call; arguments are evaluated here, left to right
 * out    operations of the IR, defined for every operand
 * knows  WGSL 17.2, 17.3, and the bit functions of 17.5
 */
#include "lower/lower_priv.h"

static Inst *op2(Lower *l, IrOp op, Inst *x, Inst *y)   { return ir_op2(&l->c, op, x, y); }

/* ---- truth ---- */

Val lower_all_any(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    return val_one(x->type.width == 1 ? x : ir_op1(&l->c, (IrOp)b->f, x));
}

Val lower_select(Lower *l, const BuiltinCall *b)
{
    Inst *no = lower_arg(l, b, 0), *yes = lower_arg(l, b, 1);
    Inst *condition = lower_arg_wide(l, b, 2, yes->type.width);
    return val_one(ir_op3(&l->c, IR_SELECT, condition, yes, no));
}

/* ---- positions of bits ---- */

Val lower_first_leading(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    if (lower_num_kind(b->type) == NUM_SIGNED)     /* the first that differs from the sign */
        x = op2(l, IR_XOR, x, op2(l, IR_SAR, x, lower_int(l, x->type, 31)));
    Inst *zeros = ir_op1(&l->c, IR_CLZ, x);
    return val_one(op2(l, IR_ISUB, lower_int(l, x->type, 31), zeros));
}

Val lower_first_trailing(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    Inst *none = op2(l, IR_IEQ, x, lower_int(l, x->type, 0));
    return val_one(ir_op3(&l->c, IR_SELECT, none, lower_int(l, x->type, UINT32_MAX),
                          ir_op1(&l->c, IR_CTZ, x)));
}

/* ---- fields of bits ---- */

/* offset <= 32 and count <= 32 - offset, in every component; is it empty? */
typedef struct Field {
    Inst *offset, *count, *empty;
} Field;

static Field field(Lower *l, const BuiltinCall *b, uint32_t first, uint32_t width)
{
    Inst *w = ir_i32(&l->c, 32);
    Inst *offset = op2(l, IR_UMIN, lower_arg(l, b, first), w);
    Inst *rest = op2(l, IR_ISUB, w, offset);
    Inst *count = op2(l, IR_UMIN, lower_arg(l, b, first + 1), rest);
    Inst *empty = op2(l, IR_IEQ, count, ir_i32(&l->c, 0));
    return (Field){ir_splat(&l->c, offset, width), ir_splat(&l->c, count, width),
                   ir_splat(&l->c, empty, width)};
}

/* Shifts the field up against the sign, then down: the wrap of shift amounts
 * matters only where the field is empty. */
Val lower_extract_bits(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    Field f = field(l, b, 1, x->type.width);
    Inst *down = op2(l, IR_ISUB, lower_int(l, x->type, 32), f.count);
    Inst *up = op2(l, IR_ISUB, down, f.offset);
    Inst *bits = op2(l, (IrOp)lower_by_kind(b), op2(l, IR_SHL, x, up), down);
    return val_one(ir_op3(&l->c, IR_SELECT, f.empty, lower_int(l, x->type, 0), bits));
}

Val lower_insert_bits(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0), *bits = lower_arg(l, b, 1);
    Field f = field(l, b, 2, x->type.width);
    Inst *down = op2(l, IR_ISUB, lower_int(l, x->type, 32), f.count);
    Inst *ones = op2(l, IR_SHR, lower_int(l, x->type, UINT32_MAX), down);
    Inst *mask = op2(l, IR_SHL, ones, f.offset);
    Inst *kept = op2(l, IR_AND, x, ir_op1(&l->c, IR_NOT, mask));
    Inst *put = op2(l, IR_AND, op2(l, IR_SHL, bits, f.offset), mask);
    return val_one(ir_op3(&l->c, IR_SELECT, f.empty, x, op2(l, IR_OR, kept, put)));
}

/* ---- reinterpretation ---- */

static Inst *as_kind(Lower *l, Inst *x, uint8_t kind)
{
    if (x->type.kind == kind)
        return x;
    return ir_op_as(&l->c, IR_BITCAST, (IrType){kind, x->type.width}, 1, &x);
}

/* Two halves a word: vec2 to one, vec4 to two. */
static Inst *words_of_halves(Lower *l, Inst *x, uint8_t kind)
{
    static const uint8_t pairs[2][2] = {{0, 1}, {2, 3}};
    Inst *words[2] = {0};
    uint32_t n = x->type.width / 2u;
    for (uint32_t i = 0; i < n; i++) {
        Inst *pair = n == 1 ? x : ir_swizzle(&l->c, x, pairs[i], 2);
        words[i] = ir_op_as(&l->c, IR_PACK_HALF, IR_I32, 1, &pair);
    }
    Inst *joined = n == 1 ? words[0]
                          : ir_op_as(&l->c, IR_VEC, (IrType){SCALAR_I32, 2}, 2, words);
    return as_kind(l, joined, kind);
}

static Inst *halves_of_words(Lower *l, Inst *x)
{
    const IrType pair = {SCALAR_F16, 2};
    Inst *parts[4] = {0};
    Inst *words = as_kind(l, x, SCALAR_I32);
    uint32_t n = words->type.width;
    for (uint32_t i = 0; i < n; i++) {
        Inst *word = ir_extract(&l->c, words, i);
        Inst *halves = ir_op_as(&l->c, IR_UNPACK_HALF, pair, 1, &word);
        if (n == 1)
            return halves;
        parts[2 * i] = ir_extract(&l->c, halves, 0);
        parts[2 * i + 1] = ir_extract(&l->c, halves, 1);
    }
    return ir_op_as(&l->c, IR_VEC, (IrType){SCALAR_F16, 4}, 4, parts);
}

Val lower_bitcast(Lower *l, const BuiltinCall *b)
{
    Inst *x = lower_arg(l, b, 0);
    uint8_t from = x->type.kind, to = lower_ir_type(b->e->type).kind;
    if (from == to)
        return val_one(x);
    if (from == SCALAR_F16)
        return val_one(words_of_halves(l, x, to));
    if (to == SCALAR_F16)
        return val_one(halves_of_words(l, x));
    return val_one(as_kind(l, x, to));
}
