// SPDX-License-Identifier: Apache-2.0
/*
 * constant.c - values that are known now.
 *
 * in     Values of the checker or of the specialization
 * out    CONST instructions; for what is large, or indexed at run time, variables
 *        of CONSTANT memory, one for each content
 * knows  how a value lies in slots
 * not    expressions beyond their value
 */
#include "lower/lower_priv.h"

#include <math.h>

const Value *lower_constant(const Lower *l, const Expr *e)
{
    if (e->value)
        return e->value;
    return e->stage == EVAL_OVERRIDE ? specialize_value(l->spec, e) : NULL;
}

/* ---- scalars ---- */

/* The bits of a number that f16 has exactly, or of an infinity or NaN. */
static uint32_t half_bits(double x)
{
    uint32_t sign = signbit(x) ? 0x8000u : 0;
    double m = fabs(x);
    if (isnan(x))
        return sign | 0x7e00u;
    if (m > 65504.0)
        return sign | 0x7c00u;
    if (m < 0x1p-14)                    /* zero and subnormal */
        return sign | (uint32_t)nearbyint(m * 0x1p24);
    int exponent;
    double fraction = frexp(m, &exponent);      /* [0.5, 1) */
    uint32_t mantissa = (uint32_t)nearbyint(fraction * 2048.0);     /* [1024, 2048] */
    return sign | (((uint32_t)(exponent + 14) << 10) + (mantissa - 1024));
}

static uint64_t float_bits(uint8_t kind, double x)
{
    if (kind == SCALAR_F16)
        return half_bits(x);
    if (kind == SCALAR_F64) {
        uint64_t twice;
        memcpy(&twice, &x, sizeof twice);
        return twice;
    }
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t scalar_bits(const Value *v)
{
    switch (v->type->kind) {
    case TYPE_BOOL:           return v->boolean;
    case TYPE_F16:            return float_bits(SCALAR_F16, v->real);
    case TYPE_F64:            return float_bits(SCALAR_F64, v->real);
    case TYPE_F32:
    case TYPE_ABSTRACT_FLOAT: return float_bits(SCALAR_F32, v->real);
    default:                  return (uint32_t)v->integer;
    }
}

static void set_component(IrConstant *k, uint32_t i, uint64_t bits)
{
    k->bits[i] = (uint32_t)bits;
    k->bits[4 + i] = (uint32_t)(bits >> 32);
}

Inst *lower_float(Lower *l, IrType type, double x)
{
    IrConstant k = {{0}};
    for (uint32_t i = 0; i < type.width; i++)
        set_component(&k, i, float_bits(type.kind, x));
    return ir_const(&l->c, type, k);
}

Inst *lower_int(Lower *l, IrType type, uint32_t n)
{
    return ir_const(&l->c, type, (IrConstant){{n, n, n, n}});
}

/* ---- values as leaves ---- */

static uint32_t zero_leaves(Lower *l, const MemType *mem, Inst **out)
{
    if (mem->kind == MEM_VALUE) {
        *out = ir_const(&l->c, mem->value.type, (IrConstant){{0}});
        return 1;
    }
    uint32_t n = 0;
    for (uint64_t i = 0; i < lower_part_count(mem); i++)
        n += zero_leaves(l, lower_part(mem, i), out + n);
    return n;
}

Val lower_zero(Lower *l, const MemType *mem)
{
    Inst *leaves[LOWER_MAX_LEAVES];
    return val_many(l->arena, leaves, zero_leaves(l, mem, leaves));
}

static bool is_leaf(const Type *t)
{
    return t->kind == TYPE_VECTOR || type_is_scalar(t);
}

static Inst *leaf_constant(Lower *l, const Value *v)
{
    IrConstant k = {{0}};
    if (v->type->kind != TYPE_VECTOR)
        set_component(&k, 0, scalar_bits(v));
    else if (v->parts)
        for (uint32_t i = 0; i < v->type->vector.width; i++)
            set_component(&k, i, scalar_bits(v->parts[i]));
    return ir_const(&l->c, lower_ir_type(v->type), k);
}

static uint32_t value_leaves(Lower *l, const Value *v, Inst **out)
{
    if (is_leaf(v->type)) {
        *out = leaf_constant(l, v);
        return 1;
    }
    if (!v->parts)
        return zero_leaves(l, lower_mem(l, v->type), out);
    uint32_t n = 0;
    uint64_t count = value_part_count(v->type);
    for (uint64_t i = 0; i < count; i++)
        n += value_leaves(l, v->parts[i], out + n);
    return n;
}

Val lower_value_val(Lower *l, const Value *v)
{
    if (is_leaf(v->type))
        return val_one(leaf_constant(l, v));
    if (lower_is_large(l, v->type))
        return val_place(lower_value_place(l, v));
    Inst *leaves[LOWER_MAX_LEAVES];
    return val_many(l->arena, leaves, value_leaves(l, v, leaves));
}

/* ---- tables ---- */

/* Found by the address of a Value, or by content: the checker makes a new Value
 * for each use of an abstract constant. */
typedef struct ConstantEntry {
    struct ConstantEntry *next;
    uint64_t     hash;
    const Value *value;             /* NULL: found by content                     */
    IrVar       *var;
} ConstantEntry;

static uint64_t hash_bytes(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash ^ (hash >> 29);
}

static void table_grow(Lower *l)
{
    ConstantTable *t = &l->constants;
    uint32_t buckets = t->mask ? (t->mask + 1) * 2 : 16;
    ConstantEntry **grown = ARENA_ARRAY(l->arena, ConstantEntry *, buckets);
    for (uint32_t i = 0; t->buckets && i <= t->mask; i++) {
        for (ConstantEntry *e = t->buckets[i], *next; e; e = next) {
            next = e->next;
            e->next = grown[e->hash & (buckets - 1)];
            grown[e->hash & (buckets - 1)] = e;
        }
    }
    t->buckets = grown;
    t->mask = buckets - 1;
}

static void table_add(Lower *l, uint64_t hash, const Value *value, IrVar *var)
{
    ConstantTable *t = &l->constants;
    if (!t->buckets || t->count > t->mask)
        table_grow(l);
    ConstantEntry *e = ARENA_NEW(l->arena, ConstantEntry);
    *e = (ConstantEntry){t->buckets[hash & t->mask], hash, value, var};
    t->buckets[hash & t->mask] = e;
    t->count++;
}

static bool same_content(const IrVar *var, const MemType *type, const uint32_t *data)
{
    if (var->type != type)
        return false;
    if (!data || !var->data)
        return data == var->data;
    return memcmp(data, var->data, (size_t)type->size) == 0;
}

static IrVar *table_find(const Lower *l, uint64_t hash, const Value *value,
                         const MemType *type, const uint32_t *data)
{
    const ConstantTable *t = &l->constants;
    ConstantEntry *e = t->buckets ? t->buckets[hash & t->mask] : NULL;
    for (; e; e = e->next) {
        if (e->hash != hash || e->value != value)
            continue;
        if (value || same_content(e->var, type, data))
            return e->var;
    }
    return NULL;
}

static uint32_t *write_scalar(const Value *v, uint32_t *out)
{
    uint64_t bits = scalar_bits(v);
    *out++ = (uint32_t)bits;
    if (v->type->kind == TYPE_F64)
        *out++ = (uint32_t)(bits >> 32);
    return out;
}

/* Writes a value as slots; `out` is zero before. */
static uint32_t *write_slots(const Value *v, const MemType *type, uint32_t *out)
{
    uint32_t words = (uint32_t)(type->size / 4);
    if (type_is_scalar(v->type)) {
        write_scalar(v, out);
    } else if (v->type->kind == TYPE_VECTOR) {
        uint32_t *at = out;
        for (uint32_t i = 0; v->parts && i < v->type->vector.width; i++)
            at = write_scalar(v->parts[i], at);
    } else if (v->parts) {
        uint64_t count = lower_part_count(type);
        uint32_t *at = out;
        for (uint64_t i = 0; i < count; i++)
            at = write_slots(v->parts[i], lower_part(type, i), at);
    }
    return out + words;
}

static IrVar *table_var(Lower *l, const Value *v)
{
    const MemType *type = lower_type_slots(l, v->type);
    uint32_t *data = NULL;
    uint64_t hash = type->id;
    if (v->parts) {
        data = ARENA_ARRAY(l->arena, uint32_t, type->size / 4);
        write_slots(v, type, data);
        hash ^= hash_bytes(data, (size_t)type->size);
    }
    IrVar *var = table_find(l, hash, NULL, type, data);
    if (var)
        return var;
    l->constants.bytes += type->size;
    if (l->constants.bytes > LOWER_MAX_CONSTANT)
        lower_fail(l, DIAG_kernel_too_large, l->c.span,
                   "the kernel has more than %u bytes of constants", LOWER_MAX_CONSTANT);
    var = ir_var_new(l->ir, IRSPACE_CONSTANT, STR("constant"), type);
    var->data = data;
    table_add(l, hash, NULL, var);
    return var;
}

Inst *lower_value_place(Lower *l, const Value *v)
{
    uint64_t hash = hash_bytes(&v, sizeof v);
    IrVar *var = table_find(l, hash, v, NULL, NULL);
    if (!var) {
        var = table_var(l, v);
        table_add(l, hash, v, var);
    }
    return ir_place_var(&l->c, var);
}
