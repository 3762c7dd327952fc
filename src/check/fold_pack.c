// SPDX-License-Identifier: Apache-2.0
/*
 * fold_pack.c - values as bits: bitcast, packing, unpacking, dot products of
 * packed bytes.
 *
 * in     values in e->args, accepted by type checking
 * out    the value, or NULL after a diagnostic: bits that are no finite float
 * knows  WGSL 14.4.4 (values are little-endian), 17.2 (bitcast), 17.9, 17.10
 */
#include <math.h>

#include "check/fold_priv.h"

/* Lane `i` of a word of lanes that are `width` bits wide. */
static uint32_t lane(uint32_t word, uint32_t width, uint32_t i)
{
    return word >> (width * i) & (uint32_t)(((uint64_t)1 << width) - 1);
}

static int64_t sign_extend(uint32_t bits, uint32_t width)
{
    int64_t half = (int64_t)1 << (width - 1);
    return ((int64_t)bits ^ half) - half;
}

static const Value *word_value(Eval *e, const Type *type, uint32_t word)
{
    Value out = {.type = type};
    fold_wrap(word, &out);
    return fold_keep(e, out);
}

/* ---- packing ---- */

typedef enum LaneKind {
    LANE_NORM,                      /* a float of `low` to 1, times `scale`      */
    LANE_INT,                       /* an integer: its low bits                  */
    LANE_CLAMP,                     /* an integer brought between low and high   */
    LANE_HALF,                      /* the bits of an f16                        */
} LaneKind;

typedef struct PackRow {
    uint8_t  lanes;                 /* 0: no packing function                    */
    LaneKind kind;
    bool     is_signed;
    int32_t  low, high;             /* NORM: high is the scale                   */
} PackRow;

static const PackRow pack_rows[BUILTIN_ID_COUNT] = {
    [BUILTIN_pack4x8snorm]    = { 4, LANE_NORM,  true,  -1,   127 },
    [BUILTIN_pack4x8unorm]    = { 4, LANE_NORM,  false, 0,    255 },
    [BUILTIN_pack2x16snorm]   = { 2, LANE_NORM,  true,  -1,   32767 },
    [BUILTIN_pack2x16unorm]   = { 2, LANE_NORM,  false, 0,    65535 },
    [BUILTIN_pack4xI8]        = { 4, LANE_INT,   true,  0,    0 },
    [BUILTIN_pack4xU8]        = { 4, LANE_INT,   false, 0,    0 },
    [BUILTIN_pack4xI8Clamp]   = { 4, LANE_CLAMP, true,  -128, 127 },
    [BUILTIN_pack4xU8Clamp]   = { 4, LANE_CLAMP, false, 0,    255 },
    [BUILTIN_pack2x16float]   = { 2, LANE_HALF,  true,  0,    0 },
    [BUILTIN_unpack4x8snorm]  = { 4, LANE_NORM,  true,  -1,   127 },
    [BUILTIN_unpack4x8unorm]  = { 4, LANE_NORM,  false, 0,    255 },
    [BUILTIN_unpack2x16snorm] = { 2, LANE_NORM,  true,  -1,   32767 },
    [BUILTIN_unpack2x16unorm] = { 2, LANE_NORM,  false, 0,    65535 },
    [BUILTIN_unpack4xI8]      = { 4, LANE_INT,   true,  0,    0 },
    [BUILTIN_unpack4xU8]      = { 4, LANE_INT,   false, 0,    0 },
    [BUILTIN_unpack2x16float] = { 2, LANE_HALF,  true,  0,    0 },
    [BUILTIN_dot4U8Packed]    = { 4, LANE_INT,   false, 0,    0 },
    [BUILTIN_dot4I8Packed]    = { 4, LANE_INT,   true,  0,    0 },
};

static const PackRow *pack_row(const Eval *e)
{
    const PackRow *row = &pack_rows[e->builtin];
    BUG_IF(row->lanes == 0, "'%s' does not pack", e->name);
    return row;
}

/* floor(0.5 + scale * x), of x brought into the range: exact in double. */
static int64_t to_norm(const PackRow *row, double x)
{
    x = x < row->low ? row->low : x > 1 ? 1 : x;
    return (int64_t)floor(0.5 + row->high * x);
}

static bool pack_lane(Eval *e, const PackRow *row, const Value *x, uint64_t *bits)
{
    switch (row->kind) {
    case LANE_NORM:
        *bits = (uint64_t)to_norm(row, x->real);
        return true;
    case LANE_INT:
        *bits = (uint64_t)x->integer;
        return true;
    case LANE_CLAMP:
        *bits = (uint64_t)(x->integer < row->low    ? row->low
                           : x->integer > row->high ? row->high : x->integer);
        return true;
    case LANE_HALF:
        if (fabs(x->real) > 65504.0)
            return fold_fail(e, DIAG_conversion_range, "%s does not fit in 'f16'",
                             fold_text(e, x));
        *bits = fold_f16_bits(fold_round_f16(x->real));
        return true;
    }
    BUG("no such lane");
}

const Value *fold_pack(Eval *e, const Type *result)
{
    const PackRow *row = pack_row(e);
    uint32_t width = 32u / row->lanes, word = 0;
    for (uint32_t i = 0; i < row->lanes; i++) {
        uint64_t bits = 0;
        if (!pack_lane(e, row, fold_part(e, e->args[0], i), &bits))
            return NULL;
        word |= lane((uint32_t)bits, width, 0) << (width * i);
    }
    return word_value(e, result, word);
}

/* ---- unpacking ---- */

static bool not_finite(Eval *e)
{
    return fold_fail(e, DIAG_not_finite, "%s is not finite", fold_what(e));
}

static const Value *unpack_lane(Eval *e, const PackRow *row, const Type *type,
                                uint32_t bits)
{
    Value out = {.type = type};
    int64_t n = row->is_signed ? sign_extend(bits, 32u / row->lanes) : bits;
    switch (row->kind) {
    case LANE_HALF:
        out.real = fold_f16_from_bits((uint16_t)bits);
        if (!isfinite(out.real))
            return not_finite(e), NULL;
        break;
    case LANE_NORM:
        out.real = fold_round(type, MAX_OF((double)n / row->high, row->low));
        break;
    default:
        out.integer = n;
        break;
    }
    return fold_keep(e, out);
}

const Value *fold_unpack(Eval *e, const Type *result)
{
    const PackRow *row = pack_row(e);
    uint32_t word = (uint32_t)e->args[0]->integer;
    const Value *parts[4] = {0};
    for (uint32_t i = 0; i < row->lanes; i++) {
        parts[i] = unpack_lane(e, row, result->vector.of,
                               lane(word, 32u / row->lanes, i));
        if (!parts[i])
            return NULL;
    }
    return value_composite(e->f->arena, result, parts);
}

/* The sum is far from the ends of i32 and u32. */
const Value *fold_dot4_packed(Eval *e, const Type *result)
{
    const PackRow *row = pack_row(e);
    int64_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t x = lane((uint32_t)e->args[0]->integer, 8, i);
        uint32_t y = lane((uint32_t)e->args[1]->integer, 8, i);
        sum += row->is_signed ? sign_extend(x, 8) * sign_extend(y, 8) : (int64_t)x * y;
    }
    return value_int(e->f->arena, result, sum);
}

/* ---- bitcast ---- */

/* The memory of a value of up to four words, as halves: the first is the lowest. */
typedef struct Halves {
    uint32_t len;
    uint16_t at[8];
} Halves;

static void put_scalar(Halves *h, const Value *v)
{
    if (v->type->kind == TYPE_F16) {
        h->at[h->len++] = fold_f16_bits(v->real);
        return;
    }
    uint32_t word = v->type->kind == TYPE_F32 ? fold_f32_bits(v->real)
                                              : (uint32_t)(uint64_t)v->integer;
    h->at[h->len++] = (uint16_t)lane(word, 16, 0);
    h->at[h->len++] = (uint16_t)lane(word, 16, 1);
}

static const Value *take_scalar(Eval *e, Halves *h, const Type *type)
{
    Value out = {.type = type};
    if (type->kind == TYPE_F16) {
        out.real = fold_f16_from_bits(h->at[h->len++]);
    } else {
        uint32_t word = h->at[h->len++];
        word |= (uint32_t)h->at[h->len++] << 16;
        if (type->kind == TYPE_F32)
            out.real = fold_f32_from_bits(word);
        else
            fold_wrap(word, &out);
    }
    if (type_is_float_scalar(type) && !isfinite(out.real))
        return not_finite(e), NULL;
    return fold_keep(e, out);
}

/* Abstract arguments take the type that has the bits the result is made of. */
static const Value *make_concrete(Eval *e, const Type *result, const Value *x)
{
    TypeTable *t = e->f->types;
    const Type *from = type_scalar_of(x->type);
    if (!type_is_abstract(from))
        return x;
    const Type *to = from->kind == TYPE_ABSTRACT_FLOAT              ? t->f32
                   : type_scalar_of(result)->kind == TYPE_U32       ? t->u32 : t->i32;
    if (x->type->kind == TYPE_VECTOR)
        to = type_vector(t, to, x->type->vector.width);
    return fold_convert(e->f, e->span, to, x);
}

const Value *fold_bitcast(Eval *e, const Type *result)
{
    const Value *x = make_concrete(e, result, e->args[0]);
    if (!x)
        return NULL;
    Halves h = {0};
    if (type_is_scalar(x->type))
        put_scalar(&h, x);
    else
        for (uint32_t i = 0; i < x->type->vector.width; i++)
            put_scalar(&h, fold_part(e, x, i));

    h.len = 0;
    if (type_is_scalar(result))
        return take_scalar(e, &h, result);
    const Value *parts[4] = {0};
    for (uint32_t i = 0; i < result->vector.width; i++) {
        parts[i] = take_scalar(e, &h, result->vector.of);
        if (!parts[i])
            return NULL;
    }
    return value_composite(e->f->arena, result, parts);
}
