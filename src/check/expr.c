// SPDX-License-Identifier: Apache-2.0
/*
 * expr.c - expressions: names, parts of composites, memory views, the load rule,
 * conversions.
 *
 * in     an expression of the syntax tree, in the scope where it stands
 * out    its type, stage and value; EXPR_LOAD and UNOP_DEREF made explicit
 * knows  WGSL 6.1 (type checking), 6.4 (memory views), 8 (expressions)
 * not    operators (operator.c), calls (call.c), arithmetic (fold.c)
 *
 * An expression that failed has the error type, which fits everywhere, so that
 * one mistake is one message.
 */
#include "check/check_priv.h"

void expr_fail(Expr *e, Checker *c)
{
    e->type = c->types->error;
    e->value = NULL;
}

static bool failed(const Expr *e)
{
    return e->type->kind == TYPE_ERROR;
}

/* ---- literals ---- */

static void check_literal(Checker *c, Expr *e)
{
    TypeTable *t = c->types;
    e->stage = EVAL_CONST;
    switch (e->literal.kind) {
    case LITERAL_BOOL:
        e->type = t->boolean;
        e->value = value_bool(c->arena, t, e->literal.boolean);
        return;
    case LITERAL_ABSTRACT_INT: e->type = t->abstract_int; break;
    case LITERAL_I32:          e->type = t->i32; break;
    case LITERAL_U32:          e->type = t->u32; break;
    case LITERAL_ABSTRACT_FLOAT: e->type = t->abstract_float; break;
    case LITERAL_F32:          e->type = t->f32; break;
    case LITERAL_F16:
        e->type = check_needs(c, e->span, ENABLE_f16, "f16") ? t->f16 : t->error;
        break;
    case LITERAL_F64:
        e->type = check_needs(c, e->span, ENABLE_weft_f64, "lf") ? t->f64 : t->error;
        break;
    }
    if (type_is_integer_scalar(e->type))
        e->value = value_int(c->arena, e->type, (int64_t)e->literal.integer);
    else if (!failed(e))
        e->value = value_real(c->arena, e->type, e->literal.real);
}

/* ---- names ---- */

static void name_value(Checker *c, Expr *e, Decl *d)
{
    switch (d->kind) {
    case DECL_CONST:
        e->stage = EVAL_CONST;
        e->type = d->type;
        e->value = d->var.value;
        if (!e->value && c->fold.diag)
            expr_fail(e, c);            /* its declaration has been reported */
        break;
    case DECL_OVERRIDE:
        e->stage = EVAL_OVERRIDE;
        e->type = d->type;
        break;
    case DECL_LET:
    case DECL_PARAM:
        e->stage = EVAL_RUNTIME;
        e->type = d->type;
        break;
    case DECL_VAR:
        e->stage = EVAL_RUNTIME;
        e->type = type_reference(c->types, d->type, d->var.space, d->var.access);
        break;
    default:
        BUG("not a value");
    }
}

static void check_name(Checker *c, Expr *e)
{
    expr_fail(e, c);
    if (!e->name.ident.name)
        return;
    Decl *d = scope_find(c, e->name.ident.name);
    e->name.decl = d;
    bool value = d && (d->kind == DECL_CONST || d->kind == DECL_OVERRIDE ||
                       d->kind == DECL_LET || d->kind == DECL_PARAM ||
                       d->kind == DECL_VAR);
    if (!value) {
        check_not(c, DIAG_not_a_value, e, "a value");
        return;
    }
    if (e->name.has_template) {
        diag_add(c->diag, DIAG_template_arguments, e->span,
                 "'%.*s' is a value and takes no template list",
                 STR_ARG(e->name.ident.name->text));
        return;
    }
    if (!d->type || d->type->kind == TYPE_ERROR)
        return;
    name_value(c, e, d);
    if (!d->is_global)
        check_continue_past(c, e->name.ident, d);
}

/* ---- memory views ---- */

/* Puts a new expression at *slot; the caller keeps what was there. */
static Expr *wrap(Checker *c, Expr **slot, ExprKind kind, Span span)
{
    Expr *e = ARENA_NEW(c->arena, Expr);
    e->kind = kind;
    e->span = span;
    e->stage = EVAL_RUNTIME;
    *slot = e;
    return e;
}

static void insert_deref(Checker *c, Expr **slot)
{
    Expr *of = *slot;
    const Type *p = of->type;
    Expr *e = wrap(c, slot, EXPR_UNARY, of->span);
    e->unary.op = UNOP_DEREF;
    e->unary.implied = true;
    e->unary.of = of;
    e->type = type_reference(c->types, p->pointer.of, p->pointer.space, p->pointer.access);
}

static const char *load_fault(const Type *t)
{
    if (t->kind == TYPE_ATOMIC)
        return "use atomicLoad to read an atomic";
    if (t->kind == TYPE_BUFFER)
        return "use bufferView to look into a buffer";
    if (t->kind == TYPE_TEXTURE || t->kind == TYPE_SAMPLER || type_is_constructible(t))
        return NULL;
    if (type_contains_atomic(t))
        return "it contains an atomic";
    if (type_contains_runtime_array(t))
        return "it contains a runtime-sized array";
    return "its size is not fixed when the module is made";
}

/* The load rule. */
static void load(Checker *c, Expr **slot)
{
    Expr *of = *slot;
    const Type *t = of->type->pointer.of;
    const char *why = load_fault(t);
    if (of->type->pointer.access == ACCESS_WRITE)
        why = "it can only be written";
    Expr *e = wrap(c, slot, EXPR_LOAD, of->span);
    e->load.of = of;
    e->type = t;
    if (why) {
        diag_add(c->diag, DIAG_not_loadable, of->span,
                 "memory of type '%s' cannot be read as a value: %s",
                 type_string(c->arena, t), why);
        expr_fail(e, c);
    }
}

const Type *check_value(Checker *c, Expr **slot)
{
    check_expr(c, slot);
    if ((*slot)->type->kind == TYPE_REFERENCE)
        load(c, slot);
    return (*slot)->type;
}

/* The base of an access to a part: a pointer is followed. Returns the type of
 * the composite; (*slot)->type tells whether it is in memory. */
static const Type *check_base(Checker *c, Expr **slot)
{
    const Type *t = check_expr(c, slot);
    if (t->kind == TYPE_POINTER) {
        if (!feature_language(c, LANGUAGE_pointer_composite_access)) {
            diag_add(c->diag, DIAG_feature_unavailable, (*slot)->span,
                     "a pointer must be followed with '*' first: the language feature "
                     "'pointer_composite_access' is not available");
            expr_fail(*slot, c);
            return c->types->error;
        }
        insert_deref(c, slot);
        t = (*slot)->type;
    }
    return t->kind == TYPE_REFERENCE ? t->pointer.of : t;
}

/* The type of a part of `base`: in memory if the base is. */
static const Type *part_type(Checker *c, const Expr *base, const Type *part)
{
    const Type *t = base->type;
    if (t->kind != TYPE_REFERENCE)
        return part;
    return type_reference(c->types, part, t->pointer.space, t->pointer.access);
}

/* ---- members and swizzles ---- */

/* Component number of a swizzle letter, and its set (0: rgba, 1: xyzw). -1: none. */
static int swizzle_letter(char letter, int *set)
{
    static const char letters[] = "rgbaxyzw";
    const char *at = letter ? strchr(letters, letter) : NULL;
    if (!at)
        return -1;
    *set = (int)(at - letters) / 4;
    return (int)(at - letters) % 4;
}

/* Reads the letters into e->member.swizzle and width; says what is wrong. */
static const char *read_swizzle(Expr *e, uint32_t vector_width)
{
    Str letters = e->member.field.name->text;
    int first_set = 0;
    if (letters.len > 4)
        return "has more than 4 letters";
    for (uint32_t i = 0; i < letters.len; i++) {
        int set = 0, component = swizzle_letter(letters.data[i], &set);
        if (component < 0)
            return "has letters other than xyzw and rgba";
        if (i == 0)
            first_set = set;
        if (set != first_set)
            return "mixes xyzw with rgba";
        if ((uint32_t)component >= vector_width)
            return "names a component past the end of the vector";
        e->member.swizzle[i] = (uint8_t)component;
    }
    e->member.width = (uint8_t)letters.len;
    return NULL;
}

static void check_swizzle(Checker *c, Expr *e, const Type *vector)
{
    const char *why = read_swizzle(e, vector->vector.width);
    if (why) {
        diag_add(c->diag, DIAG_invalid_swizzle, e->member.field.span,
                 "'.%.*s' %s ('%s')", STR_ARG(e->member.field.name->text), why,
                 type_string(c->arena, vector));
        expr_fail(e, c);
        return;
    }
    const Type *of = vector->vector.of;
    if (e->member.width == 1) {
        e->type = part_type(c, e->member.of, of);
    } else {
        if (e->member.of->type->kind == TYPE_REFERENCE)
            load(c, &e->member.of);
        e->type = type_vector(c->types, of, e->member.width);
    }
    e->stage = e->member.of->stage;
    if (e->member.of->value)
        e->value = fold_swizzle(&c->fold, e->type, e->member.of->value, e->member.swizzle,
                                e->member.width);
}

static void check_struct_member(Checker *c, Expr *e, const Type *structure)
{
    uint32_t i = struct_find(c, structure, e->member.field.name);
    if (i == UINT32_MAX) {
        Str name = e->member.field.name->text;
        Str near = scope_nearest_member(c, structure->structure.decl, name);
        Diagnostic *d = diag_add(c->diag, DIAG_unknown_member, e->member.field.span,
                                 "'%s' has no member named '%.*s'%s%.*s%s",
                                 type_string(c->arena, structure), STR_ARG(name),
                                 near.data ? "; is '" : "", STR_ARG(near),
                                 near.data ? "' meant?" : "");
        if (structure->structure.result == RESULT_NONE)
            diag_note(c->diag, d, structure->structure.decl->ident.span,
                      "the structure is declared here");
        expr_fail(e, c);
        return;
    }
    e->member.member = i;
    e->stage = e->member.of->stage;
    e->type = part_type(c, e->member.of, structure->structure.decl->structure.members[i].type);
    if (e->member.of->value)
        e->value = value_part(c->arena, c->types, e->member.of->value, i);
}

static void check_member_access(Checker *c, Expr *e)
{
    const Type *base = check_base(c, &e->member.of);
    expr_fail(e, c);
    if (base->kind == TYPE_ERROR || !e->member.field.name)
        return;
    if (base->kind == TYPE_STRUCT)
        check_struct_member(c, e, base);
    else if (base->kind == TYPE_VECTOR)
        check_swizzle(c, e, base);
    else
        diag_add(c->diag, DIAG_not_composite, e->member.field.span,
                 "'%s' has no members", type_string(c->arena, base));
}

/* ---- indices ---- */

/* Makes a checked index concrete. False after a diagnostic. */
static bool check_index_value(Checker *c, Expr **slot)
{
    Expr *at = *slot;
    if (failed(at))
        return false;
    if (!type_is_integer_scalar(at->type)) {
        diag_add(c->diag, DIAG_invalid_index, at->span,
                 "an index must be an i32 or u32 value, found '%s'",
                 type_string(c->arena, at->type));
        return false;
    }
    if (at->type->kind != TYPE_ABSTRACT_INT)
        return true;
    bool large = at->value && at->value->integer > INT32_MAX;
    check_convert(c, slot, large ? c->types->u32 : c->types->i32);
    return !failed(*slot);
}

/* Is a constant index inside?  Reports if not; nothing is said in expressions
 * that are not evaluated. */
static bool index_inside(Checker *c, const Expr *e, const Type *base)
{
    const Value *at = e->index.at->value;
    bool bounded = base->kind != TYPE_ARRAY || base->array.count_kind == COUNT_FIXED;
    if (!at)
        return true;
    if (at->integer >= 0 &&
        (!bounded || (uint64_t)at->integer < value_part_count(base)))
        return true;
    if (!c->fold.diag)
        return true;
    if (bounded)
        diag_add(c->diag, DIAG_index_out_of_bounds, e->index.at->span,
                 "the index %lld is out of bounds: '%s' has the indices 0 to %llu",
                 (long long)at->integer, type_string(c->arena, base),
                 (unsigned long long)value_part_count(base) - 1);
    else
        diag_add(c->diag, DIAG_index_out_of_bounds, e->index.at->span,
                 "the index %lld is negative", (long long)at->integer);
    return false;
}

static void check_index(Checker *c, Expr *e)
{
    const Type *base = check_base(c, &e->index.of);
    check_value(c, &e->index.at);
    expr_fail(e, c);
    bool ok = check_index_value(c, &e->index.at);
    if (base->kind == TYPE_ERROR)
        return;
    if (e->index.at->stage != EVAL_CONST && type_is_abstract(base))
        base = check_concretize(c, &e->index.of);
    const Type *part = type_element(c->types, base);
    if (!part) {
        diag_add(c->diag, DIAG_not_composite, e->index.of->span,
                 "'%s' has no elements to index", type_string(c->arena, base));
        return;
    }
    if (!ok || !index_inside(c, e, base))
        return;
    e->stage = MAX_OF(e->index.of->stage, e->index.at->stage);
    e->type = part_type(c, e->index.of, part);
    if (e->index.of->value && e->index.at->value)
        e->value = fold_index(&c->fold, e->span, e->index.of->value, e->index.at->value);
}

/* ---- & and * ---- */

static bool is_vector_component(const Expr *e)
{
    if (e->kind == EXPR_MEMBER)
        return e->member.width == 1;
    if (e->kind != EXPR_INDEX)
        return false;
    const Type *of = e->index.of->type;
    return of->kind == TYPE_REFERENCE && of->pointer.of->kind == TYPE_VECTOR;
}

static void check_address_of(Checker *c, Expr *e)
{
    const Type *t = check_expr(c, &e->unary.of);
    const char *why = NULL;
    if (t->kind == TYPE_ERROR)
        return;
    if (t->kind != TYPE_REFERENCE)
        why = "it is a value, not a place in memory";
    else if (t->pointer.space == SPACE_HANDLE)
        why = "textures and samplers have no address";
    else if (is_vector_component(e->unary.of))
        why = "a component of a vector has no address of its own";
    if (why) {
        diag_add(c->diag, DIAG_invalid_address_of, e->span,
                 "the address cannot be taken here: %s", why);
        return;
    }
    e->stage = EVAL_RUNTIME;
    e->type = type_pointer(c->types, t->pointer.of, t->pointer.space, t->pointer.access);
}

static void check_indirection(Checker *c, Expr *e)
{
    const Type *t = check_value(c, &e->unary.of);
    if (t->kind == TYPE_ERROR)
        return;
    if (t->kind != TYPE_POINTER) {
        diag_add(c->diag, DIAG_invalid_indirection, e->span,
                 "'*' needs a pointer, found '%s'", type_string(c->arena, t));
        return;
    }
    e->stage = EVAL_RUNTIME;
    e->type = type_reference(c->types, t->pointer.of, t->pointer.space, t->pointer.access);
}

static void check_unary_expr(Checker *c, Expr *e)
{
    expr_fail(e, c);
    if (e->unary.op == UNOP_ADDRESS)
        check_address_of(c, e);
    else if (e->unary.op == UNOP_DEREF)
        check_indirection(c, e);
    else {
        check_value(c, &e->unary.of);
        check_unary(c, e);
    }
}

/* ---- binary operations ---- */

/* Does the left side of && or || decide, so that the right side is not
 * evaluated? */
static bool decides(const Expr *e)
{
    const Value *lhs = e->binary.lhs->value;
    return lhs && lhs->type->kind == TYPE_BOOL &&
           lhs->boolean == (e->binary.op == BINOP_LOGICAL_OR);
}

/* The right side, when the left one is checked; then the operation. */
static void check_right(Checker *c, Expr *e)
{
    if (e->binary.op != BINOP_LOGICAL_AND && e->binary.op != BINOP_LOGICAL_OR) {
        check_value(c, &e->binary.rhs);
        check_binary(c, e);
        return;
    }
    bool decided = decides(e);
    Diag *outer = c->fold.diag;
    if (decided)
        c->fold.diag = NULL;            /* typed, but not evaluated */
    check_value(c, &e->binary.rhs);
    c->fold.diag = outer;
    check_logical(c, e);
    if (decided && !failed(e))
        e->value = e->binary.lhs->value;
}

static void check_binary_expr(Checker *c, Expr *e)
{
    VEC(Expr *) spine = {0};
    Expr *lowest = e;
    while (lowest->binary.lhs->kind == EXPR_BINARY) {
        VEC_PUSH(c->arena, &spine, lowest);
        lowest = lowest->binary.lhs;
    }
    check_value(c, &lowest->binary.lhs);
    check_right(c, lowest);
    for (uint32_t i = spine.len; i-- > 0;)
        check_right(c, spine.data[i]);
}

/* ---- any expression ---- */

const Type *check_expr(Checker *c, Expr **slot)
{
    if (!*slot)
        wrap(c, slot, EXPR_ERROR, (Span){0});       /* a syntax error */
    Expr *e = *slot;
    switch (e->kind) {
    case EXPR_LITERAL: check_literal(c, e); break;
    case EXPR_NAME:    check_name(c, e); break;
    case EXPR_CALL:    return check_call(c, slot, false);
    case EXPR_MEMBER:  check_member_access(c, e); break;
    case EXPR_INDEX:   check_index(c, e); break;
    case EXPR_UNARY:   check_unary_expr(c, e); break;
    case EXPR_BINARY:  check_binary_expr(c, e); break;
    case EXPR_ERROR:   expr_fail(e, c); break;
    case EXPR_LOAD:
    case EXPR_KIND_COUNT:
        BUG("an expression is checked twice");
    }
    return e->type;
}

/* ---- conversions ---- */

static void convert_in_place(Checker *c, Expr *e, const Type *to)
{
    if (e->value) {
        e->value = fold_convert(&c->fold, e->span, to, e->value);
        if (!e->value && c->fold.diag) {
            expr_fail(e, c);
            return;
        }
    }
    e->type = to;
}

bool check_convert(Checker *c, Expr **slot, const Type *to)
{
    const Type *from = (*slot)->type;
    if (from->kind == TYPE_ERROR || to->kind == TYPE_ERROR || from == to)
        return true;
    if (type_conversion_rank(from, to) == RANK_INFINITE)
        return false;
    if (from->kind == TYPE_REFERENCE) {
        load(c, slot);
        return true;
    }
    convert_in_place(c, *slot, to);
    return true;
}

const Type *check_concretize(Checker *c, Expr **slot)
{
    const Type *to = type_concretize(c->types, (*slot)->type);
    if (to != (*slot)->type)
        convert_in_place(c, *slot, to);
    return (*slot)->type;
}

bool check_value_as(Checker *c, Expr **slot, const Type *to, const char *what)
{
    const Type *from = check_value(c, slot);
    if (from->kind == TYPE_ERROR || to->kind == TYPE_ERROR)
        return false;
    if (!check_convert(c, slot, to)) {
        diag_add(c->diag, DIAG_type_mismatch, (*slot)->span,
                 "%s must have the type '%s', found '%s'", what,
                 type_string(c->arena, to), type_string(c->arena, from));
        return false;
    }
    return !failed(*slot);
}

bool check_is_const(Checker *c, const Expr *e, const char *what)
{
    if (failed(e))
        return false;
    if (e->stage != EVAL_CONST)
        diag_add(c->diag, DIAG_not_const, e->span,
                 "%s must be a const-expression, which this is not", what);
    return e->stage == EVAL_CONST;
}

const Value *check_const(Checker *c, Expr **slot, const char *what)
{
    check_value(c, slot);
    return check_is_const(c, *slot, what) ? (*slot)->value : NULL;
}

/* ---- where memory views come from ---- */

Decl *expr_root(const Expr *e)
{
    for (;;) {
        switch (e->kind) {
        case EXPR_NAME: {
            Decl *d = e->name.decl;
            return d && d->kind == DECL_LET ? d->var.root : d;
        }
        case EXPR_MEMBER: e = e->member.of; break;
        case EXPR_INDEX:  e = e->index.of; break;
        case EXPR_UNARY:  e = e->unary.of; break;
        case EXPR_LOAD:   e = e->load.of; break;
        case EXPR_CALL:
            if (e->call.kind != CALL_BUILTIN || e->call.nargs == 0)
                return NULL;
            e = e->call.args[0];        /* bufferView, bufferArrayView */
            break;
        default:
            return NULL;
        }
    }
}
