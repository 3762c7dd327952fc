// SPDX-License-Identifier: Apache-2.0
/*
 * construct.c - value constructors: T(...), vec3(...), array(...), S(...).
 *
 * in     a call whose callee is a type, or a type generator without template list
 * out    the type of the value, its stage and, if it is constant, its value;
 *        arguments converted
 * knows  WGSL 17.1 (constructor builtin functions)
 * not    which names are types (typexpr.c), how values are made (fold.c)
 */
#include "check/call_priv.h"

/* ---- messages ---- */

/* What is being made, for messages. The first that is set: */
typedef struct Whole {
    const Member *member;
    const Type   *type;
    const char   *text;
    uint32_t      columns, rows;        /* a generator; columns 0: a vector       */
} Whole;

static const char *whole_text(Checker *c, Whole w)
{
    if (w.member)
        return arena_printf(c->arena, "the member '%.*s'", STR_ARG(ident_text(w.member->ident)));
    if (w.type)
        return arena_printf(c->arena, "'%s'", type_string(c->arena, w.type));
    if (w.text)
        return w.text;
    return w.columns ? arena_printf(c->arena, "'mat%ux%u'", w.columns, w.rows)
                     : arena_printf(c->arena, "'vec%u'", w.rows);
}

static void report_count(Checker *c, const Expr *e, const Type *type, uint64_t wanted)
{
    diag_add(c->diag, DIAG_constructor_arguments, e->span,
             "'%s' is made of %llu value%s or none, but %u %s given",
             type_string(c->arena, type), (unsigned long long)wanted, wanted == 1 ? "" : "s",
             e->call.nargs, e->call.nargs == 1 ? "is" : "are");
}

static void report_part(Checker *c, const Expr *arg, const Type *wanted, Whole whole)
{
    diag_add(c->diag, DIAG_constructor_arguments, arg->span,
             "'%s' is needed here to make %s, but this is '%s'",
             type_string(c->arena, wanted), whole_text(c, whole),
             type_string(c->arena, arg->type));
}

/* The types of the arguments, as "f32, i32". */
static const char *types_text(Checker *c, const Expr *e)
{
    Text text = {.arena = c->arena};
    text_printf(&text, "%s", "");
    for (uint32_t i = 0; i < MIN_OF(e->call.nargs, 16); i++) {
        text_printf(&text, "%s", i ? ", " : "");
        type_print(&text, e->call.args[i]->type);
    }
    if (e->call.nargs > 16)
        text_printf(&text, ", ...");
    return text.data;
}

static void report_mix(Checker *c, const Expr *e, Whole whole)
{
    diag_add(c->diag, DIAG_constructor_arguments, e->span, "%s cannot be made from (%s)",
             whole_text(c, whole), types_text(c, e));
}

/* ---- the common scalar of a generator's arguments ---- */

/* The scalar of `within` that the scalars of all arguments convert to; NULL:
 * there is none. Arguments are scalars, vectors and matrices. */
static const Type *common_scalar(Checker *c, const Expr *e, uint32_t within)
{
    if (call_stage(e) != EVAL_CONST)
        within &= ~(uint32_t)SCALAR_ABSTRACT;
    for (uint32_t i = 0; i < e->call.nargs; i++)
        within &= scalar_conversions(type_scalar_of(e->call.args[i]->type));
    return scalar_preferred(c->types, within);
}

/* ---- parts ---- */

/* Converts one argument to the type of a part. */
static bool convert_part(Checker *c, Expr **slot, const Type *to, Whole whole)
{
    if (type_conversion_rank((*slot)->type, to) == RANK_INFINITE) {
        report_part(c, *slot, to, whole);
        return false;
    }
    return call_convert(c, slot, to);
}

static bool convert_all(Checker *c, Expr *e, const Type *to, const Type *whole)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->call.nargs; i++)
        ok &= convert_part(c, &e->call.args[i], to, (Whole){.type = whole});
    return ok;
}

/* ---- scalars ---- */

static bool construct_scalar(Checker *c, Expr *e, const Type *type)
{
    if (e->call.nargs != 1) {
        report_count(c, e, type, 1);
        return false;
    }
    const Expr *arg = e->call.args[0];
    if (!type_is_scalar(arg->type)) {
        diag_add(c->diag, DIAG_constructor_arguments, arg->span,
                 "'%s' is made from a scalar, but this is '%s'", type_string(c->arena, type),
                 type_string(c->arena, arg->type));
        return false;
    }
    return true;
}

/* ---- vectors ---- */

static bool is_scalar_or_vector(const Type *t)
{
    return type_is_scalar(t) || t->kind == TYPE_VECTOR;
}

static uint32_t width_of(const Type *t)
{
    return t->kind == TYPE_VECTOR ? t->vector.width : 1;
}

/* Components of all arguments together; 0: one is neither scalar nor vector. */
static uint32_t component_count(const Expr *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        if (!is_scalar_or_vector(e->call.args[i]->type))
            return 0;
        n += width_of(e->call.args[i]->type);
    }
    return n;
}

/* Converts scalars to `scalar` and vectors to vectors of it. */
static bool convert_components(Checker *c, Expr *e, const Type *type, const Type *scalar)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        uint32_t width = width_of(e->call.args[i]->type);
        const Type *to = width == 1 ? scalar : type_vector(c->types, scalar, width);
        ok &= convert_part(c, &e->call.args[i], to, (Whole){.type = type});
    }
    return ok;
}

static bool vector_shape(Checker *c, const Expr *e, Whole whole, uint32_t width)
{
    uint32_t n = component_count(e);
    if (n == width || (e->call.nargs == 1 && n == 1))
        return true;
    if (n == 0) {
        report_mix(c, e, whole);
        return false;
    }
    diag_add(c->diag, DIAG_constructor_arguments, e->span,
             "%s needs 1 or %u components, but %u %s given", whole_text(c, whole), width, n,
             n == 1 ? "is" : "are");
    return false;
}

static bool construct_vector(Checker *c, Expr *e, const Type *type)
{
    if (!vector_shape(c, e, (Whole){.type = type}, type->vector.width))
        return false;
    if (e->call.nargs == 1 && e->call.args[0]->type->kind == TYPE_VECTOR)
        return true;                    /* converts each component */
    return convert_components(c, e, type, type->vector.of);
}

static const Type *generic_vector(Checker *c, Expr *e, uint32_t width)
{
    const Whole whole = {.rows = width};
    if (e->call.nargs == 0)
        return type_vector(c->types, c->types->abstract_int, width);
    if (!vector_shape(c, e, whole, width))
        return NULL;
    const Type *scalar = common_scalar(c, e, SCALAR_ALL);
    if (!scalar) {
        report_mix(c, e, whole);
        return NULL;
    }
    const Type *type = type_vector(c->types, scalar, width);
    return convert_components(c, e, type, scalar) ? type : NULL;
}

/* ---- matrices ---- */

/* One matrix of the same shape, columns, or elements. */
static bool matrix_shape(const Expr *e, uint32_t columns, uint32_t rows)
{
    uint32_t n = e->call.nargs, vectors = 0, scalars = 0;
    if (n == 1 && e->call.args[0]->type->kind == TYPE_MATRIX)
        return e->call.args[0]->type->matrix.columns == columns
            && e->call.args[0]->type->matrix.rows == rows;
    for (uint32_t i = 0; i < n; i++) {
        const Type *t = e->call.args[i]->type;
        scalars += type_is_numeric_scalar(t);
        vectors += t->kind == TYPE_VECTOR && t->vector.width == rows;
    }
    return (vectors == n && n == columns) || (scalars == n && n == columns * rows);
}

static void report_matrix(Checker *c, const Expr *e, Whole whole, uint32_t columns,
                          uint32_t rows)
{
    diag_add(c->diag, DIAG_constructor_arguments, e->span,
             "%s is made from one mat%ux%u, %u columns of vec%u, or %u elements; it cannot be "
             "made from (%s)", whole_text(c, whole), columns, rows, columns, rows,
             columns * rows, types_text(c, e));
}

static bool construct_matrix(Checker *c, Expr *e, const Type *type)
{
    uint32_t columns = type->matrix.columns, rows = type->matrix.rows;
    if (!matrix_shape(e, columns, rows)) {
        report_matrix(c, e, (Whole){.type = type}, columns, rows);
        return false;
    }
    if (e->call.args[0]->type->kind == TYPE_MATRIX)
        return true;                    /* converts each element */
    return convert_components(c, e, type, type->matrix.of);
}

static const Type *generic_matrix(Checker *c, Expr *e, uint32_t columns, uint32_t rows)
{
    const Type *scalar = NULL;
    if (e->call.nargs && matrix_shape(e, columns, rows))
        scalar = common_scalar(c, e, WHERE_FLOAT);
    if (!scalar) {
        report_matrix(c, e, (Whole){.columns = columns, .rows = rows}, columns, rows);
        return NULL;
    }
    const Type *type = type_matrix(c->types, scalar, columns, rows);
    if (e->call.args[0]->type->kind == TYPE_MATRIX)
        return type;
    return convert_components(c, e, type, scalar) ? type : NULL;
}

/* ---- arrays ---- */

static bool construct_array(Checker *c, Expr *e, const Type *type)
{
    if (e->call.nargs != type->array.count) {
        report_count(c, e, type, type->array.count);
        return false;
    }
    return convert_all(c, e, type->array.of, type);
}

/* The type that all arguments convert to; NULL after a diagnostic. Each step
 * takes one of two types, so the result is one of the arguments'. */
static const Type *common_type(Checker *c, const Expr *e)
{
    const Type *common = e->call.args[0]->type;
    for (uint32_t i = 1; i < e->call.nargs; i++) {
        const Type *t = e->call.args[i]->type;
        if (type_conversion_rank(t, common) != RANK_INFINITE)
            continue;
        if (type_conversion_rank(common, t) == RANK_INFINITE) {
            report_part(c, e->call.args[i], common,
                        (Whole){.text = "an array with the elements before it"});
            return NULL;
        }
        common = t;
    }
    return call_stage(e) == EVAL_CONST ? common : type_concretize(c->types, common);
}

static const Type *generic_array(Checker *c, Expr *e)
{
    if (e->call.nargs == 0) {
        diag_add(c->diag, DIAG_constructor_arguments, e->span,
                 "the element type of 'array()' is not known; write 'array<T, N>()'");
        return NULL;
    }
    const Type *of = common_type(c, e);
    if (!of)
        return NULL;
    if (!type_is_constructible(of) && !type_is_abstract(of)) {
        diag_add(c->diag, DIAG_not_constructible, e->call.args[0]->span,
                 "'%s' cannot be the element type of an array value",
                 type_string(c->arena, of));
        return NULL;
    }
    if (!check_depth(c, e->span, of->depth + 1))
        return NULL;
    if (!type_array_size_ok(of, e->call.nargs)) {
        diag_add(c->diag, DIAG_limit_exceeded, e->span,
                 "an array of %u elements of '%s' is larger than any memory", e->call.nargs,
                 type_string(c->arena, of));
        return NULL;
    }
    const Type *type = type_array_fixed(c->types, of, e->call.nargs);
    return convert_all(c, e, of, type) ? type : NULL;
}

/* ---- structures ---- */

static bool construct_struct(Checker *c, Expr *e, const Type *type)
{
    const Decl *d = type->structure.decl;
    bool ok = true;
    if (e->call.nargs != d->structure.nmembers) {
        Diagnostic *x = diag_add(c->diag, DIAG_constructor_arguments, e->span,
            "'%s' has %u member%s, but %u value%s given", type_string(c->arena, type),
            d->structure.nmembers, d->structure.nmembers == 1 ? "" : "s", e->call.nargs,
            e->call.nargs == 1 ? " is" : "s are");
        diag_note(c->diag, x, d->ident.span, "'%s' is declared here",
                  type_string(c->arena, type));
        return false;
    }
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        const Member *m = &d->structure.members[i];
        if (m->type && m->type->kind != TYPE_ERROR)
            ok &= convert_part(c, &e->call.args[i], m->type, (Whole){.member = m});
    }
    return ok;
}

/* ---- all of them ---- */

/* May a value of the type be written down?  Reports if not. */
static bool check_constructible(Checker *c, const Expr *e, const Type *type)
{
    const char *why = "";
    if (type_is_constructible(type))
        return true;
    if (type_contains_atomic(type))
        why = ": it contains an atomic";
    else if (type_contains_runtime_array(type))
        why = ": it has no fixed size";
    else if (type->kind == TYPE_ARRAY)
        why = ": its size is not fixed when the module is made";
    diag_add(c->diag, DIAG_not_constructible, e->call.callee->span,
             "a value of type '%s' cannot be constructed%s", type_string(c->arena, type), why);
    return false;
}

/* Arguments of a value of known type; false after a diagnostic. */
static bool construct_typed(Checker *c, Expr *e, const Type *type)
{
    if (!check_constructible(c, e, type))
        return false;
    if (e->call.nargs == 0)
        return true;                    /* the zero value */
    switch (type->kind) {
    case TYPE_VECTOR: return construct_vector(c, e, type);
    case TYPE_MATRIX: return construct_matrix(c, e, type);
    case TYPE_ARRAY:  return construct_array(c, e, type);
    case TYPE_STRUCT: return construct_struct(c, e, type);
    default:          return construct_scalar(c, e, type);
    }
}

/* The type of a value made by a generator; NULL after a diagnostic. */
static const Type *construct_generic(Checker *c, Expr *e, Generic generic)
{
    if (generic == GENERIC_ARRAY)
        return generic_array(c, e);
    if (generic <= GENERIC_VEC4)
        return generic_vector(c, e, 2 + (uint32_t)(generic - GENERIC_VEC2));
    uint32_t at = (uint32_t)(generic - GENERIC_MAT2X2);
    return generic_matrix(c, e, 2 + at / 3, 2 + at % 3);
}

void check_construct(Checker *c, Expr *e, const Type *type, Generic generic)
{
    e->call.kind = CALL_CONSTRUCT;
    if (!call_check_args(c, e)) {
        expr_fail(e, c);
        return;
    }
    if (!type)
        type = construct_generic(c, e, generic);
    else if (!construct_typed(c, e, type))
        type = NULL;
    if (!type) {
        expr_fail(e, c);
        return;
    }
    e->type = type;
    e->stage = call_stage(e);
    if (e->stage != EVAL_CONST)
        return;
    const Value *few[CALL_FEW];
    bool all;
    const Value *const *values = call_values(c, e, few, &all);
    if (all)
        call_set_value(c, e, fold_construct(&c->fold, e->span, type, values, e->call.nargs));
}
