// SPDX-License-Identifier: Apache-2.0
/*
 * value.c - values known before the program runs.
 *
 * in     numbers and parts that fit their types
 * out    values in an arena; a composite of zeros takes no memory for its parts
 * knows  how WGSL writes values
 * not    operations on them (fold.c)
 */
#include "check/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/fold.h"

#define PRINT_MOST_PARTS 64u

const Value *value_bool(Arena *a, TypeTable *t, bool b)
{
    Value *v = ARENA_NEW(a, Value);
    v->type = t->boolean;
    v->boolean = b;
    return v;
}

const Value *value_int(Arena *a, const Type *type, int64_t n)
{
    BUG_IF(!type_is_integer_scalar(type), "an integer of another type");
    BUG_IF(type->kind == TYPE_I32 && (n < INT32_MIN || n > INT32_MAX), "not an i32");
    BUG_IF(type->kind == TYPE_U32 && (n < 0 || n > UINT32_MAX), "not a u32");
    Value *v = ARENA_NEW(a, Value);
    v->type = type;
    v->integer = n;
    return v;
}

const Value *value_real(Arena *a, const Type *type, double x)
{
    BUG_IF(!type_is_float_scalar(type), "a float of another type");
    BUG_IF(!isfinite(x), "a constant that is not finite");
    BUG_IF(type->kind == TYPE_F32 && (double)(float)x != x, "not an f32");
    BUG_IF(type->kind == TYPE_F16 && fold_round_f16(x) != x, "not an f16");
    Value *v = ARENA_NEW(a, Value);
    v->type = type;
    v->real = x;
    return v;
}

const Value *value_zero(Arena *a, const Type *type)
{
    BUG_IF(!type_is_constructible(type), "no value has this type");
    Value *v = ARENA_NEW(a, Value);     /* false, 0, +0.0 and parts NULL */
    v->type = type;
    return v;
}

/* ---- composites ---- */

uint64_t value_part_count(const Type *type)
{
    switch (type->kind) {
    case TYPE_VECTOR: return type->vector.width;
    case TYPE_MATRIX: return type->matrix.columns;
    case TYPE_ARRAY:  return type->array.count;
    case TYPE_STRUCT: return type->structure.decl->structure.nmembers;
    default:          return 0;
    }
}

static bool all_zero(const Value *const *parts, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!value_is_zero(parts[i]))
            return false;
    return true;
}

const Value *value_composite(Arena *a, const Type *type, const Value *const *parts)
{
    uint64_t count = value_part_count(type);
    BUG_IF(count == 0, "a composite without parts");
    Value *v = ARENA_NEW(a, Value);
    v->type = type;
    v->parts = NULL;
    if (!all_zero(parts, count))
        v->parts = arena_copy(a, parts, (size_t)count * sizeof(Value *));
    return v;
}

static const Type *part_type(TypeTable *t, const Type *type, uint64_t i)
{
    if (type->kind == TYPE_STRUCT)
        return type->structure.decl->structure.members[i].type;
    return type_element(t, type);
}

const Value *value_part(Arena *a, TypeTable *t, const Value *v, uint64_t i)
{
    BUG_IF(i >= value_part_count(v->type), "part %llu of a value without it",
           (unsigned long long)i);
    return v->parts ? v->parts[i] : value_zero(a, part_type(t, v->type, i));
}

bool value_is_zero(const Value *v)
{
    switch (v->type->kind) {
    case TYPE_BOOL:
        return !v->boolean;
    case TYPE_ABSTRACT_INT:
    case TYPE_I32:
    case TYPE_U32:
        return v->integer == 0;
    case TYPE_ABSTRACT_FLOAT:
    case TYPE_F32:
    case TYPE_F16:
    case TYPE_F64:
        return v->real == 0 && !signbit(v->real);
    default:
        return v->parts == NULL;        /* value_composite() sees to it */
    }
}

bool value_equal(const Value *x, const Value *y)
{
    if (x == y)
        return true;
    if (x->type != y->type)
        return false;
    if (x->type->kind == TYPE_BOOL)
        return x->boolean == y->boolean;
    if (type_is_integer_scalar(x->type))
        return x->integer == y->integer;
    if (type_is_float_scalar(x->type))
        return x->real == y->real && !signbit(x->real) == !signbit(y->real);
    if (!x->parts || !y->parts)
        return x->parts == y->parts;
    uint64_t count = value_part_count(x->type);
    for (uint64_t i = 0; i < count; i++)
        if (!value_equal(x->parts[i], y->parts[i]))
            return false;
    return true;
}

/* ---- printing ---- */

static bool reads_back(const char *text, const Type *type, double x)
{
    double back = strtod(text, NULL);
    if (type->kind == TYPE_F32)
        back = (double)(float)back;
    else if (type->kind == TYPE_F16)
        back = fold_round_f16(back);
    return back == x;
}

/* The program may have set a locale with another decimal point, which may be
 * more than one byte. */
static void add_number(Text *out, const char *text)
{
    bool point = false;
    for (; *text; text++) {
        bool plain = (*text >= '0' && *text <= '9') || strchr("+-e", *text);
        if (plain || !point)
            text_char(out, plain ? *text : '.');
        point = point || !plain;
    }
}

/* Whole numbers in full, others with the fewest digits that read back as the same
 * value of the type. */
static void print_real(Text *out, const Type *type, double x)
{
    static const double longest_whole = 1e15;
    char text[64];
    if (fabs(x) < longest_whole && x == trunc(x)) {
        text_printf(out, "%s%lld.0", signbit(x) ? "-" : "", (long long)fabs(x));
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (reads_back(text, type, x))
            break;
    }
    add_number(out, text);
}

static void print_scalar(Text *out, const Value *v, bool typed)
{
    switch (v->type->kind) {
    case TYPE_BOOL:
        text_printf(out, "%s", v->boolean ? "true" : "false");
        break;
    case TYPE_I32:
        /* -2147483648i would negate a literal that is out of range. */
        if (typed && v->integer == INT32_MIN)
            text_add(out, STR("i32(-2147483648)"));
        else
            text_printf(out, "%lld%s", (long long)v->integer, typed ? "i" : "");
        break;
    case TYPE_ABSTRACT_INT:
        text_printf(out, "%lld", (long long)v->integer);
        break;
    case TYPE_U32:
        text_printf(out, "%lld%s", (long long)v->integer, typed ? "u" : "");
        break;
    case TYPE_F32:
    case TYPE_F16:
    case TYPE_F64:
    case TYPE_ABSTRACT_FLOAT:
        print_real(out, v->type, v->real);
        if (typed && v->type->kind == TYPE_F64)
            text_add(out, STR("lf"));
        else if (typed && v->type->kind != TYPE_ABSTRACT_FLOAT)
            text_char(out, v->type->kind == TYPE_F32 ? 'f' : 'h');
        break;
    default:
        BUG("not a scalar");
    }
}

/* `left` counts down the parts that may still be written. */
static void print_value(Text *out, const Value *v, bool typed, uint32_t *left)
{
    if (type_is_scalar(v->type)) {
        print_scalar(out, v, typed);
        return;
    }
    type_print(out, v->type);
    text_char(out, '(');
    uint64_t count = v->parts ? value_part_count(v->type) : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            text_add(out, STR(", "));
        if (*left == 0) {
            text_add(out, STR("..."));
            break;
        }
        --*left;
        print_value(out, v->parts[i], v->type->kind == TYPE_STRUCT, left);
    }
    text_char(out, ')');
}

void value_print(Text *out, const Value *v)
{
    uint32_t left = PRINT_MOST_PARTS;
    print_value(out, v, true, &left);
}

void value_print_plain(Text *out, const Value *v)
{
    uint32_t left = PRINT_MOST_PARTS;
    print_value(out, v, false, &left);
}
