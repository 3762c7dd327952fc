// SPDX-License-Identifier: Apache-2.0
/*
 * module.c - a SPIR-V module as sections of words.
 *
 * in     instructions, in the order of their section
 * out    ids; types and constants that exist once; the module in one piece
 * knows  how instructions are encoded
 * not    what they mean
 */
#include "emit/spirv/spirv_priv.h"

#include <string.h>

#define MAX_WORDS 0xffffu           /* of one instruction                          */
#define MAX_ID    0x3fffffu         /* SPIR-V 2.17, universal limits               */

/* ---- instructions ---- */

SpvId spv_new_id(Spirv *s)
{
    if (s->next_id > MAX_ID)
        s->too_large = true;
    return s->next_id++;
}

static void put_words(Spirv *s, Words *w, uint32_t n, const uint32_t *words)
{
    for (uint32_t i = 0; i < n; i++)
        VEC_PUSH(s->arena, w, words[i]);
}

static void put_head(Spirv *s, Words *w, SpvOp op, size_t words)
{
    if (words > MAX_WORDS)
        s->too_large = true;
    VEC_PUSH(s->arena, w, (uint32_t)words << SpvWordCountShift | (uint32_t)op);
}

void spv_put(Spirv *s, Section section, SpvOp op, uint32_t n, const uint32_t *operands)
{
    put_head(s, &s->sections[section], op, (size_t)n + 1);
    put_words(s, &s->sections[section], n, operands);
}

SpvId spv_op_new(Spirv *s, SpvOp op, SpvId type, uint32_t n, const uint32_t *operands)
{
    Words *w = &s->sections[SECTION_CODE];
    SpvId id = spv_new_id(s);
    put_head(s, w, op, (size_t)n + 3);
    VEC_PUSH(s->arena, w, type);
    VEC_PUSH(s->arena, w, id);
    put_words(s, w, n, operands);
    return id;
}

SpvId spv_op1(Spirv *s, SpvOp op, SpvId type, SpvId x)
{
    return spv_op_new(s, op, type, OPERANDS(x));
}

SpvId spv_op2(Spirv *s, SpvOp op, SpvId type, SpvId x, SpvId y)
{
    return spv_op_new(s, op, type, OPERANDS(x, y));
}

SpvId spv_op3(Spirv *s, SpvOp op, SpvId type, SpvId x, SpvId y, SpvId z)
{
    return spv_op_new(s, op, type, OPERANDS(x, y, z));
}

SpvId spv_glsl1(Spirv *s, enum GLSLstd450 fn, SpvId type, SpvId x)
{
    return spv_op_new(s, SpvOpExtInst, type, OPERANDS(s->glsl, fn, x));
}

SpvId spv_glsl2(Spirv *s, enum GLSLstd450 fn, SpvId type, SpvId x, SpvId y)
{
    return spv_op_new(s, SpvOpExtInst, type, OPERANDS(s->glsl, fn, x, y));
}

SpvId spv_glsl3(Spirv *s, enum GLSLstd450 fn, SpvId type, SpvId x, SpvId y, SpvId z)
{
    return spv_op_new(s, SpvOpExtInst, type, OPERANDS(s->glsl, fn, x, y, z));
}

/* ---- what goes before the kernel ---- */

void spv_need(Spirv *s, SpvCapability capability)
{
    for (uint32_t i = 0; i < s->capabilities.len; i++)
        if (s->capabilities.data[i] == (uint32_t)capability)
            return;
    VEC_PUSH(s->arena, &s->capabilities, (uint32_t)capability);
    spv_put(s, SECTION_CAPABILITIES, SpvOpCapability, OPERANDS(capability));
}

/* NUL-terminated, four bytes a word, the first in the lowest bits. */
void spv_put_string(Words *w, Arena *a, const char *text)
{
    size_t len = strlen(text) + 1;
    for (size_t i = 0; i < len; i += 4) {
        uint32_t word = 0;
        for (size_t k = i; k < len && k < i + 4; k++)
            word |= (uint32_t)(unsigned char)text[k] << 8 * (k - i);
        VEC_PUSH(a, w, word);
    }
}

void spv_need_extension(Spirv *s, const char *name)
{
    Words w = {0};
    spv_put_string(&w, s->arena, name);
    const Words *have = &s->sections[SECTION_EXTENSIONS];
    for (uint32_t at = 0; at < have->len; at += have->data[at] >> SpvWordCountShift)
        if ((have->data[at] >> SpvWordCountShift) == w.len + 1
            && memcmp(have->data + at + 1, w.data, w.len * sizeof *w.data) == 0)
            return;
    spv_put(s, SECTION_EXTENSIONS, SpvOpExtension, w.len, w.data);
}

void spv_decorate(Spirv *s, SpvId id, SpvDecoration what, uint32_t n, const uint32_t *operands)
{
    Words *w = &s->sections[SECTION_DECORATIONS];
    put_head(s, w, SpvOpDecorate, (size_t)n + 3);
    VEC_PUSH(s->arena, w, id);
    VEC_PUSH(s->arena, w, (uint32_t)what);
    put_words(s, w, n, operands);
}

/* ---- types and constants, each once ---- */

static uint32_t hash_of(SpvOp op, SpvId type, uint32_t n, const uint32_t *operands)
{
    uint32_t h = ((uint32_t)op * 0x9e3779b1u) ^ (type * 0x85ebca6bu);
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ operands[i]) * 0x01000193u;
    return h ^ h >> 15;
}

static bool is_at(const Spirv *s, uint32_t at, SpvOp op, SpvId type, uint32_t n,
                  const uint32_t *operands)
{
    const uint32_t *w = s->sections[SECTION_GLOBALS].data + at;
    uint32_t before = type ? 3 : 2;
    return w[0] == ((n + before) << SpvWordCountShift | (uint32_t)op)
        && (!type || w[1] == type)
        && (n == 0 || memcmp(w + before, operands, n * sizeof *operands) == 0);
}

static uint32_t *slot_of(Spirv *s, SpvOp op, SpvId type, uint32_t n, const uint32_t *operands)
{
    uint32_t mask = s->interned_room - 1;
    for (uint32_t i = hash_of(op, type, n, operands) & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &s->interned[i];
        if (!*slot || is_at(s, *slot - 1, op, type, n, operands))
            return slot;
    }
}

static bool has_type(SpvOp op)
{
    return op < SpvOpTypeVoid || op > SpvOpTypeForwardPointer;
}

static void grow_interned(Spirv *s)
{
    const uint32_t *old = s->interned;
    uint32_t room = s->interned_room;
    s->interned_room = room ? room * 2 : 256;
    s->interned = ARENA_ARRAY(s->arena, uint32_t, s->interned_room);
    for (uint32_t i = 0; i < room; i++) {
        if (!old[i])
            continue;
        const uint32_t *w = s->sections[SECTION_GLOBALS].data + old[i] - 1;
        SpvOp op = (SpvOp)(w[0] & SpvOpCodeMask);
        uint32_t before = has_type(op) ? 3 : 2;
        *slot_of(s, op, has_type(op) ? w[1] : 0, (w[0] >> SpvWordCountShift) - before,
                 w + before) = old[i];
    }
}

SpvId spv_global(Spirv *s, SpvOp op, SpvId type, uint32_t n, const uint32_t *operands)
{
    Words *w = &s->sections[SECTION_GLOBALS];
    if (s->ninterned * 2 >= s->interned_room)
        grow_interned(s);
    uint32_t *slot = slot_of(s, op, type, n, operands);
    if (*slot)
        return w->data[*slot - 1 + (type ? 2 : 1)];
    *slot = w->len + 1;
    s->ninterned++;
    SpvId id = spv_new_id(s);
    put_head(s, w, op, (size_t)n + (type ? 3 : 2));
    if (type)
        VEC_PUSH(s->arena, w, type);
    VEC_PUSH(s->arena, w, id);
    put_words(s, w, n, operands);
    return id;
}

SpvId spv_type_void(Spirv *s)
{
    return spv_global(s, SpvOpTypeVoid, 0, 0, NULL);
}

static SpvId type_scalar(Spirv *s, ScalarKind kind)
{
    switch (kind) {
    case SCALAR_BOOL: return spv_global(s, SpvOpTypeBool, 0, 0, NULL);
    case SCALAR_I32:  return spv_global(s, SpvOpTypeInt, 0, OPERANDS(32, 0));
    case SCALAR_F32:  return spv_global(s, SpvOpTypeFloat, 0, OPERANDS(32));
    case SCALAR_F16:
        if (!s->target->has_f16)
            return type_scalar(s, SCALAR_F32);
        spv_need(s, SpvCapabilityFloat16);
        return spv_global(s, SpvOpTypeFloat, 0, OPERANDS(16));
    case SCALAR_F64:
        s->lacks_f64 |= !s->target->has_f64;
        spv_need(s, SpvCapabilityFloat64);
        return spv_global(s, SpvOpTypeFloat, 0, OPERANDS(64));
    default: BUG("no type for kind %d", (int)kind);
    }
}

SpvId spv_type_value(Spirv *s, IrType t)
{
    SpvId scalar = type_scalar(s, (ScalarKind)t.kind);
    return t.width == 1 ? scalar : spv_global(s, SpvOpTypeVector, 0, OPERANDS(scalar, t.width));
}

SpvId spv_type_u32(Spirv *s)
{
    return spv_type_value(s, IR_I32);
}

SpvId spv_type_signed(Spirv *s, uint32_t width)
{
    SpvId scalar = spv_global(s, SpvOpTypeInt, 0, OPERANDS(32, 1));
    return width == 1 ? scalar : spv_global(s, SpvOpTypeVector, 0, OPERANDS(scalar, width));
}

SpvId spv_type_pointer(Spirv *s, SpvStorageClass storage, SpvId to)
{
    return spv_global(s, SpvOpTypePointer, 0, OPERANDS(storage, to));
}

SpvId spv_const_u32(Spirv *s, uint32_t n)
{
    return spv_global(s, SpvOpConstant, spv_type_u32(s), OPERANDS(n));
}

/* The bits of an f32 with the value of an f16. */
static uint32_t widened(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 31)
        return sign | 0x7f800000u | mantissa << 13;
    if (exponent)
        return sign | (exponent + 112) << 23 | mantissa << 13;
    if (!mantissa)
        return sign;
    for (exponent = 113; !(mantissa & 1024); exponent--)
        mantissa <<= 1;
    return sign | exponent << 23 | (mantissa & 1023) << 13;
}

static SpvId const_scalar(Spirv *s, ScalarKind kind, uint32_t bits, uint32_t high)
{
    SpvId type = type_scalar(s, kind);
    if (kind == SCALAR_F64)
        return spv_global(s, SpvOpConstant, type, OPERANDS(bits, high));
    if (kind == SCALAR_BOOL)
        return spv_global(s, bits ? SpvOpConstantTrue : SpvOpConstantFalse, type, 0, NULL);
    if (kind == SCALAR_F16 && !s->target->has_f16)
        bits = widened(bits);
    return spv_global(s, SpvOpConstant, type, OPERANDS(bits));
}

SpvId spv_const_value(Spirv *s, IrType t, const IrConstant *k)
{
    SpvId parts[4];
    for (uint32_t i = 0; i < t.width; i++)
        parts[i] = const_scalar(s, (ScalarKind)t.kind, k->bits[i], k->bits[4 + i]);
    if (t.width == 1)
        return parts[0];
    return spv_global(s, SpvOpConstantComposite, spv_type_value(s, t), t.width, parts);
}

SpvId spv_const_splat(Spirv *s, IrType t, uint32_t bits)
{
    return spv_const_value(s, t, &(IrConstant){{bits, bits, bits, bits}});
}

SpvId spv_const_slots(Spirv *s, IrType t, const uint32_t *data)
{
    IrConstant k = {{0}};
    for (uint32_t i = 0; i < t.width; i++) {
        k.bits[i] = *data++;
        if (t.kind == SCALAR_F64)
            k.bits[4 + i] = *data++;
    }
    return spv_const_value(s, t, &k);
}

SpvId spv_const_f32(Spirv *s, IrType like, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return spv_const_splat(s, as_kind(like, SCALAR_F32), bits);
}

SpvId spv_const_real(Spirv *s, IrType type, double x)
{
    if (type.kind != SCALAR_F64)
        return spv_const_f32(s, type, (float)x);
    IrConstant k;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (uint32_t i = 0; i < 4; i++) {
        k.bits[i] = (uint32_t)bits;
        k.bits[4 + i] = (uint32_t)(bits >> 32);
    }
    return spv_const_value(s, type, &k);
}

SpvId spv_const_null(Spirv *s, SpvId type)
{
    return spv_global(s, SpvOpConstantNull, type, 0, NULL);
}

SpvId spv_undef(Spirv *s, SpvId type)
{
    return spv_global(s, SpvOpUndef, type, 0, NULL);
}

/* ---- the whole ---- */

SpirvCode spv_module_assemble(Spirv *s)
{
    size_t count = 5;
    for (int i = 0; i < SECTION_COUNT; i++)
        count += s->sections[i].len;
    uint32_t *words = ARENA_ARRAY(s->arena, uint32_t, count);
    words[0] = SpvMagicNumber;
    words[1] = s->target->version ? s->target->version : SPIRV_1_3;
    words[3] = s->next_id;              /* the bound; 2 and 4: generator, schema   */
    size_t at = 5;
    for (int i = 0; i < SECTION_COUNT; i++) {
        const Words *w = &s->sections[i];
        if (w->len)
            memcpy(words + at, w->data, w->len * sizeof *words);
        at += w->len;
    }
    return (SpirvCode){words, count};
}
