// SPDX-License-Identifier: Apache-2.0
/*
 * type_query.c - questions about types, and which convert to which.
 *
 * in     types of the table
 * out    answers; nothing is changed
 * knows  WGSL 6.2 (plain types), 6.4.1 (storable), 6.4.2 (host-shareable), 6.1.2
 *        (conversion rank)
 */
#include "check/type_priv.h"

/* What holds of a type that could not be understood: nothing more is said. */
#define FACTS_ERROR                                                         \
    (FACT_PLAIN | FACT_CONSTRUCTIBLE | FACT_STORABLE | FACT_HOST_SHAREABLE | \
     FACT_FIXED | FACT_CREATION_FIXED)
#define FACTS_CONCRETE_NUMBER FACTS_ERROR
/* What a composite has only if all its parts have it. */
#define FACTS_OF_ALL_PARTS                                                  \
    (FACT_PLAIN | FACT_CONSTRUCTIBLE | FACT_STORABLE | FACT_HOST_SHAREABLE | \
     FACT_FIXED | FACT_CREATION_FIXED)
/* What a composite has if any part has it. */
#define FACTS_OF_ANY_PART                                                   \
    (FACT_HAS_ABSTRACT | FACT_HAS_ATOMIC | FACT_HAS_RUNTIME_ARRAY | FACT_HAS_F16 | \
     FACT_HAS_F64)

static uint32_t array_facts(const Type *t)
{
    uint32_t facts = t->array.of->facts;
    switch (t->array.count_kind) {
    case COUNT_FIXED:
        break;
    case COUNT_OVERRIDE:
        facts &= ~(uint32_t)(FACT_CONSTRUCTIBLE | FACT_HOST_SHAREABLE
                             | FACT_CREATION_FIXED);
        break;
    case COUNT_RUNTIME:
        facts &= ~(uint32_t)(FACT_CONSTRUCTIBLE | FACT_FIXED | FACT_CREATION_FIXED);
        facts |= FACT_HAS_RUNTIME_ARRAY;
        break;
    }
    return facts;
}

static uint32_t buffer_facts(const Type *t)
{
    uint32_t facts = FACT_STORABLE | FACT_HOST_SHAREABLE;
    if (t->array.count_kind != COUNT_RUNTIME)
        facts |= FACT_FIXED;
    if (t->array.count_kind == COUNT_FIXED)
        facts |= FACT_CREATION_FIXED;
    return facts;
}

uint32_t type_struct_facts(const Type *t)
{
    const Decl *d = t->structure.decl;
    uint32_t all = FACTS_OF_ALL_PARTS, any = 0;
    for (uint32_t i = 0; i < d->structure.nmembers; i++) {
        const Type *member = d->structure.members[i].type;
        uint32_t facts = member ? member->facts : FACTS_ERROR;
        all &= facts;
        any |= facts & FACTS_OF_ANY_PART;
    }
    return all | any;
}

uint32_t type_facts(const Type *t)
{
    switch (t->kind) {
    case TYPE_ERROR:
    case TYPE_STRUCT:                   /* until it is complete */
        return FACTS_ERROR;
    case TYPE_BOOL:
        return FACTS_CONCRETE_NUMBER & ~(uint32_t)FACT_HOST_SHAREABLE;
    case TYPE_ABSTRACT_INT:
    case TYPE_ABSTRACT_FLOAT:
        return FACT_PLAIN | FACT_CONSTRUCTIBLE | FACT_FIXED | FACT_CREATION_FIXED
             | FACT_HAS_ABSTRACT;
    case TYPE_I32:
    case TYPE_U32:
    case TYPE_F32:
        return FACTS_CONCRETE_NUMBER;
    case TYPE_F16:
        return FACTS_CONCRETE_NUMBER | FACT_HAS_F16;
    case TYPE_F64:
        return FACTS_CONCRETE_NUMBER | FACT_HAS_F64;
    case TYPE_VECTOR:
        return t->vector.of->facts;
    case TYPE_MATRIX:
        return t->matrix.of->facts;
    case TYPE_ARRAY:
        return array_facts(t);
    case TYPE_ATOMIC:
        return (t->atomic.of->facts & ~(uint32_t)FACT_CONSTRUCTIBLE) | FACT_HAS_ATOMIC;
    case TYPE_BUFFER:
        return buffer_facts(t);
    case TYPE_SAMPLER:
    case TYPE_TEXTURE:
        return FACT_STORABLE;
    case TYPE_POINTER:
    case TYPE_REFERENCE:
        return t->pointer.of->facts & FACTS_OF_ANY_PART;
    case TYPE_VOID:
    case TYPE_KIND_COUNT:
        break;
    }
    return 0;
}

/* ---- kinds of scalar ---- */

bool type_is_integer_scalar(const Type *t)
{
    return t->kind == TYPE_ABSTRACT_INT || t->kind == TYPE_I32 || t->kind == TYPE_U32;
}

bool type_is_float_scalar(const Type *t)
{
    return t->kind == TYPE_ABSTRACT_FLOAT || t->kind == TYPE_F32 || t->kind == TYPE_F16 ||
           t->kind == TYPE_F64;
}

bool type_is_numeric_scalar(const Type *t)
{
    return type_is_integer_scalar(t) || type_is_float_scalar(t);
}

bool type_is_scalar(const Type *t)
{
    return t->kind == TYPE_BOOL || type_is_numeric_scalar(t);
}

/* ---- what is allowed, what is inside ---- */

bool type_is_abstract(const Type *t)            { return t->facts & FACT_HAS_ABSTRACT; }
bool type_is_constructible(const Type *t)       { return t->facts & FACT_CONSTRUCTIBLE; }
bool type_is_storable(const Type *t)            { return t->facts & FACT_STORABLE; }
bool type_is_host_shareable(const Type *t)      { return t->facts & FACT_HOST_SHAREABLE; }
bool type_is_plain(const Type *t)               { return t->facts & FACT_PLAIN; }
bool type_has_fixed_footprint(const Type *t)    { return t->facts & FACT_FIXED; }
bool type_contains_atomic(const Type *t)        { return t->facts & FACT_HAS_ATOMIC; }
bool type_contains_f16(const Type *t)           { return t->facts & FACT_HAS_F16; }
bool type_contains_f64(const Type *t)           { return t->facts & FACT_HAS_F64; }

bool type_has_creation_fixed_footprint(const Type *t)
{
    return t->facts & FACT_CREATION_FIXED;
}

bool type_contains_runtime_array(const Type *t)
{
    return t->facts & FACT_HAS_RUNTIME_ARRAY;
}

/* ---- parts ---- */

const Type *type_scalar_of(const Type *t)
{
    if (t->kind == TYPE_VECTOR)
        return t->vector.of;
    if (t->kind == TYPE_MATRIX)
        return t->matrix.of;
    return t;
}

const Type *type_element(TypeTable *table, const Type *t)
{
    switch (t->kind) {
    case TYPE_VECTOR: return t->vector.of;
    case TYPE_MATRIX: return type_vector(table, t->matrix.of, t->matrix.rows);
    case TYPE_ARRAY:  return t->array.of;
    default:          return NULL;
    }
}

/* ---- conversions ---- */

static const struct { uint8_t from, to, rank; } scalar_ranks[] = {
    { TYPE_ABSTRACT_FLOAT, TYPE_F32,            1 },
    { TYPE_ABSTRACT_FLOAT, TYPE_F16,            2 },
    { TYPE_ABSTRACT_FLOAT, TYPE_F64,            3 },
    { TYPE_ABSTRACT_INT,   TYPE_I32,            3 },
    { TYPE_ABSTRACT_INT,   TYPE_U32,            4 },
    { TYPE_ABSTRACT_INT,   TYPE_ABSTRACT_FLOAT, 5 },
    { TYPE_ABSTRACT_INT,   TYPE_F32,            6 },
    { TYPE_ABSTRACT_INT,   TYPE_F16,            7 },
    { TYPE_ABSTRACT_INT,   TYPE_F64,            8 },
};

static uint32_t scalar_rank(const Type *from, const Type *to)
{
    for (size_t i = 0; i < COUNTOF(scalar_ranks); i++)
        if (scalar_ranks[i].from == from->kind && scalar_ranks[i].to == to->kind)
            return scalar_ranks[i].rank;
    return RANK_INFINITE;
}

/* The part of `from` and `to` that decides, if both have the same shape. */
static bool same_shape(const Type **from, const Type **to)
{
    const Type *f = *from, *t = *to;
    bool same = false;
    if (f->kind != t->kind)
        return false;
    switch (f->kind) {
    case TYPE_VECTOR:
        same = f->vector.width == t->vector.width;
        *from = f->vector.of;
        *to = t->vector.of;
        break;
    case TYPE_MATRIX:
        same = f->matrix.columns == t->matrix.columns && f->matrix.rows == t->matrix.rows;
        *from = f->matrix.of;
        *to = t->matrix.of;
        break;
    case TYPE_ARRAY:
        same = f->array.count_kind == COUNT_FIXED && t->array.count_kind == COUNT_FIXED
            && f->array.count == t->array.count;
        *from = f->array.of;
        *to = t->array.of;
        break;
    case TYPE_STRUCT:                   /* frexp and modf of abstract floats */
        same = f->structure.result != RESULT_NONE
            && f->structure.result == t->structure.result;
        *from = f->structure.of;
        *to = t->structure.of;
        break;
    default:
        break;
    }
    return same;
}

uint32_t type_conversion_rank(const Type *from, const Type *to)
{
    if (from->kind == TYPE_REFERENCE && to->kind != TYPE_REFERENCE) {
        bool readable = from->pointer.access == ACCESS_READ
                     || from->pointer.access == ACCESS_READ_WRITE;
        /* What is stored is concrete: after the load nothing else converts. */
        bool same = from->pointer.of == to || from->pointer.of->kind == TYPE_ERROR
                 || to->kind == TYPE_ERROR;
        return readable && same ? 0 : RANK_INFINITE;
    }
    for (;;) {
        if (from == to || from->kind == TYPE_ERROR || to->kind == TYPE_ERROR)
            return 0;
        if (type_is_scalar(from))
            return scalar_rank(from, to);
        if (!type_is_abstract(from) || !same_shape(&from, &to))
            return RANK_INFINITE;
    }
}

/* Pointer to a buffer, to pointer to a smaller or runtime-sized one. */
static bool is_narrower_buffer(const Type *from, const Type *to)
{
    if (from->kind != TYPE_POINTER || to->kind != TYPE_POINTER
            || from->pointer.space != to->pointer.space
            || from->pointer.access != to->pointer.access)
        return false;
    const Type *f = from->pointer.of, *t = to->pointer.of;
    if (f->kind != TYPE_BUFFER || t->kind != TYPE_BUFFER
            || f->array.count_kind == COUNT_RUNTIME)
        return false;
    if (t->array.count_kind == COUNT_RUNTIME)
        return true;
    return f->array.count_kind == COUNT_FIXED && t->array.count_kind == COUNT_FIXED
        && t->array.count < f->array.count;
}

uint32_t type_argument_rank(const Type *from, const Type *to)
{
    return is_narrower_buffer(from, to) ? 1 : type_conversion_rank(from, to);
}

const Type *type_concretize(TypeTable *t, const Type *type)
{
    if (!type_is_abstract(type))
        return type;
    switch (type->kind) {
    case TYPE_ABSTRACT_INT:   return t->i32;
    case TYPE_ABSTRACT_FLOAT: return t->f32;
    case TYPE_VECTOR:
        return type_vector(t, type_concretize(t, type->vector.of), type->vector.width);
    case TYPE_MATRIX:
        return type_matrix(t, type_concretize(t, type->matrix.of),
                           type->matrix.columns, type->matrix.rows);
    case TYPE_ARRAY:
        return type_array_fixed(t, type_concretize(t, type->array.of),
                                type->array.count);
    case TYPE_STRUCT:
        return type_result_struct(t, type->structure.result,
                                  type_concretize(t, type->structure.of));
    default:
        return type;
    }
}
