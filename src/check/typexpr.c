// SPDX-License-Identifier: Apache-2.0
/*
 * typexpr.c - type expressions, and enumerants as template arguments.
 *
 * in     an expression that stands where a type or an enumerant must
 * out    the type it denotes, in Expr.type too; diagnostics
 * knows  WGSL 6 (types), 8.18 (type expressions)
 * not    which types a declaration accepts (decl.c), layout attributes
 */
#include "check/predeclared_priv.h"

#define MAX_DEPTH 255               /* nesting depth of a composite type         */
#define MAX_BYTES UINT32_MAX        /* of an array                               */

/* ---- what a name denotes ---- */

static const char *decl_what(const Decl *d)
{
    switch (d->kind) {
    case DECL_CONST:    return "a constant";
    case DECL_OVERRIDE: return "an override";
    case DECL_LET:      return "a value";
    case DECL_VAR:      return "a variable";
    case DECL_PARAM:    return "a parameter";
    case DECL_ALIAS:    return "a type";
    case DECL_STRUCT:   return "a structure";
    case DECL_FN:       return "a function";
    default:            return "something else";
    }
}

void check_not(Checker *c, DiagId id, const Expr *name, const char *wanted)
{
    Ident ident = name->name.ident;
    Predeclared p;
    if (ident.name->bound) {
        Decl *d = ident.name->bound;
        Diagnostic *x = diag_add(c->diag, id, ident.span, "'%.*s' is %s, not %s",
                                 STR_ARG(ident.name->text), decl_what(d), wanted);
        diag_note(c->diag, x, d->ident.span, "'%.*s' is declared here",
                  STR_ARG(ident.name->text));
    } else if (predeclared_find(c, ident.name, &p)) {
        diag_add(c->diag, id, ident.span, "'%.*s' is %s, not %s",
                 STR_ARG(ident.name->text), predeclared_what(&p), wanted);
    } else {
        /* "a type" -> "type" */
        const char *space = strchr(wanted, ' ');
        scope_unknown(c, ident, space ? space + 1 : wanted);
    }
}

/* ---- template lists ---- */

/* Does `e` have `min` to `max` template arguments? Reports if not. */
static bool check_count(Checker *c, const Expr *e, uint32_t min, uint32_t max)
{
    uint32_t n = e->name.nargs;
    Str name = e->name.ident.name->text;
    if (n >= min && n <= max && (max > 0 || !e->name.has_template))
        return true;
    if (max == 0)
        diag_add(c->diag, DIAG_template_arguments, e->span,
                 "'%.*s' takes no template list", STR_ARG(name));
    else if (n == 0)
        diag_add(c->diag, DIAG_template_arguments, e->span,
                 "'%.*s' needs a template list with %u argument%s", STR_ARG(name), min,
                 min == 1 ? "" : "s");
    else
        diag_add(c->diag, DIAG_template_arguments, e->span,
                 n < min ? "'%.*s' needs at least %u template argument%s, found %u"
                         : "'%.*s' takes at most %u template argument%s, found %u",
                 STR_ARG(name), n < min ? min : max, (n < min ? min : max) == 1 ? "" : "s",
                 n);
    return false;
}

static const Type *bad_argument(Checker *c, const Expr *generator, const Expr *arg,
                                const Type *found, const char *wanted)
{
    if (found->kind != TYPE_ERROR)
        diag_add(c->diag, DIAG_template_arguments, arg->span,
                 "'%.*s' needs %s here, found '%s'",
                 STR_ARG(generator->name.ident.name->text), wanted,
                 type_string(c->arena, found));
    return c->types->error;
}

/* A name that resolves to an enumerant of this kind. `wanted`: "an access mode" */
static bool enumerant(Checker *c, Expr *e, PredeclaredKind kind, const char *wanted,
                      uint32_t *out)
{
    Predeclared p;
    if (e->kind == EXPR_ERROR)
        return false;
    if (e->kind != EXPR_NAME) {
        diag_add(c->diag, DIAG_template_arguments, e->span, "expected %s", wanted);
        return false;
    }
    if (!e->name.ident.name)
        return false;
    if (scope_find(c, e->name.ident.name) ||
        !predeclared_find(c, e->name.ident.name, &p) || p.kind != kind) {
        check_not(c, DIAG_template_arguments, e, wanted);
        return false;
    }
    if (!check_count(c, e, 0, 0))
        return false;
    e->type = c->types->void_;
    *out = p.a;
    return true;
}

bool check_space_arg(Checker *c, Expr *e, AddressSpace *out)
{
    uint32_t space;
    if (!enumerant(c, e, PRE_SPACE, "an address space", &space))
        return false;
    *out = (AddressSpace)space;
    return true;
}

bool check_access_arg(Checker *c, Expr *e, Access *out)
{
    uint32_t access;
    if (!enumerant(c, e, PRE_ACCESS, "an access mode", &access))
        return false;
    *out = (Access)access;
    return true;
}

bool check_texel_arg(Checker *c, Expr *e, TexelFormat *out)
{
    uint32_t format;
    if (!enumerant(c, e, PRE_TEXEL, "a texel format", &format))
        return false;
    *out = (TexelFormat)format;
    return true;
}

/* ---- generators ---- */

static const Type *scalar_type(Checker *c, const Expr *e, PredeclaredScalar of)
{
    switch (of) {
    case PRE_OF_BOOL: return c->types->boolean;
    case PRE_OF_I32:  return c->types->i32;
    case PRE_OF_U32:  return c->types->u32;
    case PRE_OF_F32:  return c->types->f32;
    case PRE_OF_F16:
        if (!check_needs(c, e->span, ENABLE_f16, "f16"))
            return c->types->error;
        return c->types->f16;
    case PRE_OF_F64: return c->types->f64;
    case PRE_OF_NONE: break;
    }
    BUG("a scalar of no type");
}

bool check_needs(Checker *c, Span span, int enable, const char *what)
{
    if (feature_enabled(c, enable))
        return true;
    diag_add(c->diag, DIAG_extension_not_enabled, span,
             "'%s' needs 'enable %s;' at the start of the module", what,
             feature_enable_name(enable));
    return false;
}

/* What a vector or a matrix is made of: named by an alias like vec2f, or its argument. */
static const Type *element_type(Checker *c, Expr *e, const Predeclared *p,
                                bool fits(const Type *), const char *wanted)
{
    bool alias = p->of != PRE_OF_NONE;
    if (!check_count(c, e, !alias, !alias))
        return c->types->error;
    if (alias)
        return scalar_type(c, e, p->of);
    const Type *of = check_type(c, e->name.args[0]);
    return fits(of) ? of : bad_argument(c, e, e->name.args[0], of, wanted);
}

static const Type *make_vector(Checker *c, Expr *e, const Predeclared *p)
{
    const Type *of = element_type(c, e, p, type_is_scalar, "a scalar type");
    return of->kind == TYPE_ERROR ? of : type_vector(c->types, of, p->a);
}

static const Type *make_matrix(Checker *c, Expr *e, const Predeclared *p)
{
    const Type *of = element_type(c, e, p, type_is_float_scalar, "f32 or f16");
    return of->kind == TYPE_ERROR ? of : type_matrix(c->types, of, p->a, p->b);
}

static const Type *make_atomic(Checker *c, Expr *e)
{
    if (!check_count(c, e, 1, 1))
        return c->types->error;
    const Type *of = check_type(c, e->name.args[0]);
    if (!type_is_integer_scalar(of))
        return bad_argument(c, e, e->name.args[0], of, "i32 or u32");
    return type_atomic(c->types, of);
}

/*
 * A count in a type: evaluated even where the expression around the type is
 * not, because the type depends on it. *count is set if it is known now. False
 * after a diagnostic.
 */
static bool count_argument(Checker *c, Expr **slot, const char *what, bool *known,
                           uint64_t *count)
{
    Diag *quiet = c->fold.diag;
    c->fold.diag = c->diag;
    const Type *t = check_value(c, slot);
    if (t->kind != TYPE_ERROR)
        t = check_concretize(c, slot);
    c->fold.diag = quiet;
    const Expr *e = *slot;
    if (t->kind == TYPE_ERROR)
        return false;
    if (!type_is_integer_scalar(t)) {
        diag_add(c->diag, DIAG_invalid_array_size, e->span,
                 "%s must be an i32 or u32 value, found '%s'", what,
                 type_string(c->arena, t));
        return false;
    }
    if (e->stage == EVAL_RUNTIME) {
        diag_add(c->diag, DIAG_invalid_array_size, e->span,
                 "%s must be known before the shader runs", what);
        return false;
    }
    *known = e->stage == EVAL_CONST;
    if (!*known)
        return true;
    if (!e->value)
        return false;
    if (e->value->integer <= 0) {
        diag_add(c->diag, DIAG_invalid_array_size, e->span,
                 "%s must be greater than 0, found %lld", what,
                 (long long)e->value->integer);
        return false;
    }
    *count = (uint64_t)e->value->integer;
    return true;
}

bool check_depth(Checker *c, Span span, uint32_t depth)
{
    if (depth <= MAX_DEPTH)
        return true;
    diag_add(c->diag, DIAG_limit_exceeded, span,
             "the type nests deeper than the limit of %d levels", MAX_DEPTH);
    return false;
}

static bool check_element(Checker *c, const Expr *at, const Type *of)
{
    const char *why = NULL;
    if (!type_is_plain(of))
        why = "is not made of plain values";
    else if (type_contains_runtime_array(of))
        why = "contains a runtime-sized array";
    else if (!type_has_creation_fixed_footprint(of))
        why = "has a size that is not fixed when the module is made";
    if (why)
        diag_add(c->diag, DIAG_invalid_element_type, at->span,
                 "'%s' cannot be the element type of an array: it %s",
                 type_string(c->arena, of), why);
    return !why && check_depth(c, at->span, of->depth + 1);
}

static const Type *make_array(Checker *c, Expr *e)
{
    bool known = false;
    uint64_t count = 0;
    if (!check_count(c, e, 1, 2))
        return c->types->error;
    const Type *of = check_type(c, e->name.args[0]);
    bool ok = of->kind != TYPE_ERROR && check_element(c, e->name.args[0], of);
    if (e->name.nargs == 1)
        return ok ? type_array_runtime(c->types, of) : c->types->error;
    if (!count_argument(c, &e->name.args[1], "the element count of an array", &known,
                        &count) || !ok)
        return c->types->error;
    if (!known)
        return type_array_override(c->types, of, e->name.args[1]);
    const Type *t = type_array_size_ok(of, count) ? type_array_fixed(c->types, of, count) : NULL;
    if (!t || t->size > MAX_BYTES) {
        diag_add(c->diag, DIAG_limit_exceeded, e->span,
                 "an array of %llu elements of '%s' takes more than the limit of %u bytes",
                 (unsigned long long)count, type_string(c->arena, of), MAX_BYTES);
        return c->types->error;
    }
    return t;
}

static const Type *make_buffer(Checker *c, Expr *e)
{
    bool known = false;
    uint64_t bytes = 0;
    if (!e->name.has_template)
        return type_buffer_runtime(c->types);
    if (!check_count(c, e, 1, 1) ||
        !count_argument(c, &e->name.args[0], "the size of a buffer", &known, &bytes))
        return c->types->error;
    if (!known)
        return type_buffer_override(c->types, e->name.args[0]);
    uint32_t unit = feature_enabled(c, ENABLE_f16) ? 2 : 4;
    if (bytes % unit) {
        diag_add(c->diag, DIAG_invalid_array_size, e->name.args[0]->span,
                 "the size of a buffer must be a multiple of %u bytes, found %llu", unit,
                 (unsigned long long)bytes);
        return c->types->error;
    }
    return type_buffer_fixed(c->types, bytes);
}

static const Type *make_texture(Checker *c, Expr *e, const Predeclared *p)
{
    TextureKind kind = (TextureKind)p->a;
    TextureDim dim = (TextureDim)p->b;
    if (kind == TEXTURE_SAMPLED || kind == TEXTURE_MULTISAMPLED) {
        if (!check_count(c, e, 1, 1))
            return c->types->error;
        const Type *of = check_type(c, e->name.args[0]);
        if (of->kind != TYPE_F32 && of->kind != TYPE_I32 && of->kind != TYPE_U32)
            return bad_argument(c, e, e->name.args[0], of, "f32, i32 or u32");
        return type_texture(c->types, kind, dim, of, 0, ACCESS_NONE);
    }
    if (kind != TEXTURE_STORAGE)
        return check_count(c, e, 0, 0)
                   ? type_texture(c->types, kind, dim, NULL, 0, ACCESS_NONE)
                   : c->types->error;

    TexelFormat format;
    Access access;
    if (!check_count(c, e, 2, 2))
        return c->types->error;
    bool ok = check_texel_arg(c, e->name.args[0], &format);
    ok &= check_access_arg(c, e->name.args[1], &access);
    if (!ok)
        return c->types->error;
    if (access != ACCESS_WRITE &&
        !feature_language(c, LANGUAGE_readonly_and_readwrite_storage_textures)) {
        diag_add(c->diag, DIAG_feature_unavailable, e->name.args[1]->span,
                 "the access mode '%s' of a storage texture needs the language feature "
                 "'readonly_and_readwrite_storage_textures'", access_name(access));
        return c->types->error;
    }
    return type_texture(c->types, kind, dim, NULL, format, access);
}

static const Type *make_pointer(Checker *c, Expr *e)
{
    AddressSpace space = SPACE_NONE;
    Access access = ACCESS_NONE;
    if (!check_count(c, e, 2, 3))
        return c->types->error;
    bool ok = check_space_arg(c, e->name.args[0], &space);
    const Type *of = check_type(c, e->name.args[1]);
    if (e->name.nargs == 3)
        ok &= check_access_arg(c, e->name.args[2], &access);
    if (!ok || of->kind == TYPE_ERROR)
        return c->types->error;
    if (!check_space_access(c, space, &access, e->name.nargs == 3 ? e->name.args[2] : NULL))
        return c->types->error;
    if (!check_pointee(c, e->name.args[1]->span, of, space, access))
        return c->types->error;
    return type_pointer(c->types, of, space, access);
}

/* ---- type expressions ---- */

static const Type *predeclared_type(Checker *c, Expr *e, const Predeclared *p)
{
    switch (p->kind) {
    case PRE_SCALAR:
        return check_count(c, e, 0, 0) ? scalar_type(c, e, p->of) : c->types->error;
    case PRE_SAMPLER:
        return check_count(c, e, 0, 0) ? type_sampler(c->types, p->a) : c->types->error;
    case PRE_VECTOR:  return make_vector(c, e, p);
    case PRE_MATRIX:  return make_matrix(c, e, p);
    case PRE_TEXTURE: return make_texture(c, e, p);
    case PRE_ARRAY:   return make_array(c, e);
    case PRE_ATOMIC:  return make_atomic(c, e);
    case PRE_PTR:     return make_pointer(c, e);
    case PRE_BUFFER:  return make_buffer(c, e);
    default:
        check_not(c, DIAG_not_a_type, e, "a type");
        return c->types->error;
    }
}

static const Type *declared_type(Checker *c, Expr *e, Decl *d)
{
    if (d->kind != DECL_ALIAS && d->kind != DECL_STRUCT) {
        check_not(c, DIAG_not_a_type, e, "a type");
        return c->types->error;
    }
    if (!check_count(c, e, 0, 0) || !d->type)
        return c->types->error;
    return d->type;
}

const Type *check_type(Checker *c, Expr *e)
{
    Predeclared p;
    const Type *t = c->types->error;
    if (!e)
        return t;                       /* a syntax error */
    if (e->kind == EXPR_NAME && e->name.ident.name) {
        Decl *d = scope_find(c, e->name.ident.name);
        e->name.decl = d;
        if (d)
            t = declared_type(c, e, d);
        else if (predeclared_find(c, e->name.ident.name, &p))
            t = predeclared_type(c, e, &p);
        else
            check_not(c, DIAG_not_a_type, e, "a type");
    } else if (e->kind != EXPR_ERROR && e->kind != EXPR_NAME) {
        diag_add(c->diag, DIAG_not_a_type, e->span, "expected a type");
    }
    e->type = t;
    return t;
}

static Generic generic_of(const Predeclared *p)
{
    if (p->kind == PRE_ARRAY)
        return GENERIC_ARRAY;
    if (p->of != PRE_OF_NONE)
        return GENERIC_NONE;
    if (p->kind == PRE_VECTOR)
        return (Generic)(GENERIC_VEC2 + (p->a - 2));
    if (p->kind == PRE_MATRIX)
        return (Generic)(GENERIC_MAT2X2 + (p->a - 2) * 3 + (p->b - 2));
    return GENERIC_NONE;
}

const Type *check_type_callee(Checker *c, Expr *callee, Generic *generic)
{
    Predeclared p;
    *generic = GENERIC_NONE;
    if (callee->kind != EXPR_NAME || !callee->name.ident.name)
        return NULL;
    Decl *d = scope_find(c, callee->name.ident.name);
    if (d)
        return d->kind == DECL_ALIAS || d->kind == DECL_STRUCT ? check_type(c, callee)
                                                               : NULL;
    if (!predeclared_find(c, callee->name.ident.name, &p))
        return NULL;
    switch (p.kind) {
    case PRE_SPACE:
    case PRE_ACCESS:
    case PRE_TEXEL:
    case PRE_BUILTIN:
        return NULL;
    default:
        break;
    }
    if (!callee->name.has_template)
        *generic = generic_of(&p);
    return *generic == GENERIC_NONE ? check_type(c, callee) : NULL;
}
