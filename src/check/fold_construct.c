// SPDX-License-Identifier: Apache-2.0
/*
 * fold_construct.c - value constructors: T(), conversions, splats, and composites
 * from their parts.
 *
 * in     a type and arguments that type checking has accepted for it
 * out    the value, or NULL after a diagnostic
 * knows  WGSL 17.1
 */
#include "check/fold_priv.h"

static const Value *convert_to(Eval *e, const Type *scalar, const Value *x)
{
    if (x->type == scalar)
        return x;
    Value out = {.type = scalar};
    return fold_convert_scalar(e, x, &out) ? fold_keep(e, out) : NULL;
}

/* Appends the scalars of `v`, converted; false after a failure. */
static bool flatten(Eval *e, const Type *scalar, const Value *v, const Value **list,
                    uint32_t *len, uint32_t limit)
{
    if (type_is_scalar(v->type)) {
        BUG_IF(*len >= limit, "a constructor with too many arguments");
        list[*len] = convert_to(e, scalar, v);
        return list[(*len)++] != NULL;
    }
    uint64_t count = value_part_count(v->type);
    for (uint64_t i = 0; i < count; i++)
        if (!flatten(e, scalar, fold_part(e, v, i), list, len, limit))
            return false;
    return true;
}

static bool flatten_args(Eval *e, const Type *scalar, const Value **list, uint32_t limit)
{
    uint32_t len = 0;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!flatten(e, scalar, e->args[i], list, &len, limit))
            return false;
    if (len == 1)                       /* a splat */
        for (; len < limit; len++)
            list[len] = list[0];
    BUG_IF(len != limit, "a constructor with too few arguments");
    return true;
}

static const Value *construct_vector(Eval *e, const Type *result)
{
    const Value *list[4] = {0};
    if (!flatten_args(e, result->vector.of, list, result->vector.width))
        return NULL;
    return value_composite(e->f->arena, result, list);
}

static const Value *construct_matrix(Eval *e, const Type *result)
{
    const Value *list[16] = {0}, *columns[4] = {0};
    uint32_t rows = result->matrix.rows;
    if (!flatten_args(e, result->matrix.of, list, rows * result->matrix.columns))
        return NULL;
    const Type *column = type_element(e->f->types, result);
    for (uint32_t i = 0; i < result->matrix.columns; i++)
        columns[i] = value_composite(e->f->arena, column, list + i * rows);
    return value_composite(e->f->arena, result, columns);
}

/* Arrays and structures: an argument for each part. */
static const Value *construct_parts(Eval *e, const Type *result)
{
    if (e->nargs == 1 && e->args[0]->type == result)
        return e->args[0];
    BUG_IF(e->nargs != value_part_count(result), "a constructor with %u arguments", e->nargs);
    const Value **parts = ARENA_ARRAY(e->f->arena, const Value *, e->nargs);
    for (uint32_t i = 0; i < e->nargs; i++) {
        const Type *type = result->kind == TYPE_STRUCT
                               ? result->structure.decl->structure.members[i].type
                               : result->array.of;
        parts[i] = fold_convert(e->f, e->span, type, e->args[i]);
        if (!parts[i])
            return NULL;
    }
    return value_composite(e->f->arena, result, parts);
}

const Value *fold_construct(FoldContext *f, Span span, const Type *result,
                            const Value *const *args, uint32_t nargs)
{
    Eval e = {.f = f, .span = span, .form = FORM_CALL, .args = args, .nargs = nargs};
    if (nargs == 0)
        return value_zero(f->arena, result);
    switch (result->kind) {
    case TYPE_VECTOR: return construct_vector(&e, result);
    case TYPE_MATRIX: return construct_matrix(&e, result);
    case TYPE_ARRAY:
    case TYPE_STRUCT: return construct_parts(&e, result);
    default:          return convert_to(&e, result, args[0]);
    }
}
