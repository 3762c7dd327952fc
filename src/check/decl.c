// SPDX-License-Identifier: Apache-2.0
/*
 * decl.c - declarations of values, variables, aliases, and function headers.
 *
 * in     a declaration; everything it mentions at module scope is checked
 * out    Decl.type and the fields of its kind; diagnostics
 * knows  WGSL 7 (variable and value declarations), 11.1, 11.4 (functions)
 * not    structures (struct.c), attributes (attr.c), function bodies (stmt.c)
 */
#include "check/check_priv.h"

#define MAX_PARAMS      255
#define MAX_LOCAL_BYTES (1u << 20)      /* variables of one function             */

static const char *init_what(Checker *c, const Decl *d)
{
    return arena_printf(c->arena, "the initializer of '%.*s'",
                        (int)MIN_OF(d->ident.name->text.len, 200u),
                        d->ident.name->text.data);
}

static bool need_init(Checker *c, const Decl *d, const char *kind)
{
    if (d->var.init)
        return true;
    diag_add(c->diag, DIAG_missing_initializer, d->ident.span,
             "a '%s' declaration needs an initializer", kind);
    return false;
}

static bool need_type_or_init(Checker *c, const Decl *d)
{
    if (d->var.init || d->var.type_expr)
        return true;
    diag_add(c->diag, DIAG_missing_initializer, d->ident.span,
             "'%.*s' needs a type or an initializer", STR_ARG(d->ident.name->text));
    return false;
}

/* Where the type of a declaration is written, or comes from. */
static Span type_span(const Decl *d)
{
    if (d->var.type_expr)
        return d->var.type_expr->span;
    return d->var.init ? d->var.init->span : d->ident.span;
}

static const Type *bad_type(Checker *c, const Decl *d, const Type *t, const char *why)
{
    diag_add(c->diag, DIAG_invalid_declared_type, type_span(d),
             "'%.*s' cannot have the type '%s': %s", STR_ARG(d->ident.name->text),
             type_string(c->arena, t), why);
    return c->types->error;
}

/*
 * Checks the written type, and the initializer against it. Returns the declared
 * type, or that of the initializer, which may be abstract; the error type after a
 * diagnostic. `fault` says what is wrong with a type, or NULL.
 */
static const Type *check_type_and_init(Checker *c, Decl *d,
                                       const char *(*fault)(const Checker *, const Type *))
{
    const Type *t = d->var.type_expr ? check_type(c, d->var.type_expr) : NULL;
    const char *why = t && t->kind != TYPE_ERROR ? fault(c, t) : NULL;
    if (why)
        t = bad_type(c, d, t, why);
    if (!d->var.init)
        return t ? t : c->types->error;
    if (!t) {
        t = check_value(c, &d->var.init);
        why = t->kind != TYPE_ERROR ? fault(c, t) : NULL;
        return why ? bad_type(c, d, t, why) : t;
    }
    if (!check_value_as(c, &d->var.init, t, init_what(c, d)))
        expr_fail(d->var.init, c);
    return t;
}

/* ---- const, override, let ---- */

static const char *const_fault(const Checker *c, const Type *t)
{
    (void)c;
    return type_is_constructible(t) ? NULL : "a constant must be constructible";
}

static void check_const_decl(Checker *c, Decl *d)
{
    d->type = c->types->error;
    if (!need_init(c, d, "const"))
        return;
    const Type *t = check_type_and_init(c, d, const_fault);
    const Expr *init = d->var.init;
    if (t->kind == TYPE_ERROR || init->type->kind == TYPE_ERROR)
        return;
    if (!check_is_const(c, init, init_what(c, d)))
        return;
    d->var.value = init->value;
    if (init->value)
        d->type = t;
}

static const char *override_fault(const Checker *c, const Type *t)
{
    (void)c;
    return type_is_scalar(t) ? NULL : "an override is a bool, i32, u32, f32 or f16";
}

static void check_override_decl(Checker *c, Decl *d)
{
    d->type = c->types->error;
    attr_check_place(c, d->attrs, PLACE_OVERRIDE);
    attr_override(c, d);
    if (!need_type_or_init(c, d))
        return;
    const Type *t = check_type_and_init(c, d, override_fault);
    if (d->var.init && !d->var.type_expr && t->kind != TYPE_ERROR)
        t = check_concretize(c, &d->var.init);
    if (t->kind == TYPE_ERROR)
        return;
    d->type = t;
    if (d->var.init && d->var.init->type->kind != TYPE_ERROR &&
        d->var.init->stage == EVAL_RUNTIME)
        diag_add(c->diag, DIAG_not_override, d->var.init->span,
                 "%s must be an override-expression, which this is not", init_what(c, d));
}

static const char *let_fault(const Checker *c, const Type *t)
{
    if (t->kind == TYPE_TEXTURE || t->kind == TYPE_SAMPLER)
        return feature_language(c, LANGUAGE_texture_and_sampler_let)
                   ? NULL
                   : "the language feature 'texture_and_sampler_let' is not available";
    return t->kind == TYPE_POINTER || type_is_constructible(t)
               ? NULL
               : "a let-declaration needs a constructible type or a pointer";
}

static void check_let_decl(Checker *c, Decl *d)
{
    d->type = c->types->error;
    if (!need_init(c, d, "let"))
        return;
    const Type *t = check_type_and_init(c, d, let_fault);
    if (t->kind == TYPE_ERROR)
        return;
    d->type = d->var.type_expr ? t : check_concretize(c, &d->var.init);
    if (t->kind == TYPE_POINTER && d->var.init->type->kind != TYPE_ERROR)
        d->var.root = expr_root(d->var.init);
}

/* ---- var ---- */

/* What var<...> says. False after a diagnostic. */
static bool check_var_template(Checker *c, Decl *d)
{
    bool ok = true;
    uint32_t n = d->var.nspace_args;
    d->var.space = SPACE_NONE;
    d->var.access = ACCESS_NONE;
    if (d->var.has_template && (n == 0 || n > 2)) {
        diag_add(c->diag, DIAG_template_arguments, d->ident.span,
                 "'var' takes an address space and, for 'storage', an access mode");
        return false;
    }
    if (n > 0)
        ok &= check_space_arg(c, d->var.space_args[0], &d->var.space);
    if (n > 1)
        ok &= check_access_arg(c, d->var.space_args[1], &d->var.access);
    return ok;
}

/* The address space fits where the variable is declared. */
static bool check_var_space(Checker *c, Decl *d, const Type *t)
{
    Span span = d->var.nspace_args ? d->var.space_args[0]->span : d->ident.span;
    bool handle = t->kind == TYPE_TEXTURE || t->kind == TYPE_SAMPLER;
    if (d->var.space == SPACE_NONE && !d->is_global)
        d->var.space = SPACE_FUNCTION;
    else if (d->var.space == SPACE_NONE && handle)
        d->var.space = SPACE_HANDLE;
    if (d->var.space == SPACE_NONE) {
        if (t->kind != TYPE_ERROR)
            diag_add(c->diag, DIAG_invalid_address_space, span,
                     "a module-scope variable of type '%s' needs an address space, as in "
                     "'var<private>'", type_string(c->arena, t));
        return false;
    }
    if (d->is_global == (d->var.space == SPACE_FUNCTION)) {
        diag_add(c->diag, DIAG_invalid_address_space, span,
                 d->is_global
                     ? "a variable in the address space '%s' must be declared in a function"
                     : "a variable in the address space '%s' must be declared at module scope",
                 address_space_name(d->var.space));
        return false;
    }
    return check_space_access(c, d->var.space, &d->var.access,
                              d->var.nspace_args > 1 ? d->var.space_args[1] : NULL);
}

/* The initializer of a variable of type `t`; where the type comes from the
 * initializer, it is checked already. */
static void check_var_init(Checker *c, Decl *d, const Type *t)
{
    bool allowed = d->var.space == SPACE_PRIVATE || d->var.space == SPACE_FUNCTION;
    if (!d->var.init)
        return;
    if (!allowed)
        diag_add(c->diag, DIAG_initializer_not_allowed, d->var.init->span,
                 "a variable in the address space '%s' cannot have an initializer",
                 address_space_name(d->var.space));
    if (d->var.type_expr && !allowed)
        check_value(c, &d->var.init);
    else if (d->var.type_expr)
        check_value_as(c, &d->var.init, t, init_what(c, d));
    const Expr *init = d->var.init;
    if (d->is_global && allowed && init->type->kind != TYPE_ERROR &&
        init->stage == EVAL_RUNTIME)
        diag_add(c->diag, DIAG_not_override, init->span,
                 "%s must be a const- or override-expression, which this is not",
                 init_what(c, d));
}

static const Type *check_var_type(Checker *c, Decl *d)
{
    if (d->var.type_expr)
        return check_type(c, d->var.type_expr);
    const Type *t = check_value(c, &d->var.init);
    return t->kind == TYPE_ERROR ? t : check_concretize(c, &d->var.init);
}

static void check_var_decl(Checker *c, Decl *d)
{
    d->type = c->types->error;
    bool ok = check_var_template(c, d);
    if (!need_type_or_init(c, d))
        return;
    const Type *t = check_var_type(c, d);
    if (!ok || !check_var_space(c, d, t)) {
        d->var.space = SPACE_NONE;
        if (d->var.init && d->var.type_expr)
            check_value(c, &d->var.init);
        return;
    }
    check_var_init(c, d, t);
    if (check_store_type(c, type_span(d), t, d->var.space, d->var.access))
        d->type = t;
}

static void check_global_var(Checker *c, Decl *d)
{
    attr_check_place(c, d->attrs, PLACE_GLOBAL_VAR);
    check_var_decl(c, d);
    attr_global_var(c, d);
    if (d->type->kind != TYPE_ERROR)
        layout_check_space(c, d);
}

/* ---- functions ---- */

static const char *param_fault(const Checker *c, const Type *t)
{
    if (t->kind == TYPE_TEXTURE || t->kind == TYPE_SAMPLER || type_is_constructible(t))
        return NULL;
    if (t->kind != TYPE_POINTER)
        return "it is neither constructible nor a pointer, texture or sampler";
    if (t->pointer.space != SPACE_FUNCTION && t->pointer.space != SPACE_PRIVATE &&
        !feature_language(c, LANGUAGE_unrestricted_pointer_parameters))
        return "pointers into other address spaces than 'function' and 'private' need the "
               "language feature 'unrestricted_pointer_parameters'";
    return NULL;
}

static void check_param(Checker *c, Decl *d)
{
    attr_check_place(c, d->attrs, PLACE_PARAM);
    d->var.io = attr_io(c, d->attrs);
    d->type = d->var.type_expr ? check_type(c, d->var.type_expr) : c->types->error;
    const char *why = d->type->kind == TYPE_ERROR ? NULL : param_fault(c, d->type);
    if (why) {
        diag_add(c->diag, DIAG_invalid_parameter_type, d->var.type_expr->span,
                 "a parameter cannot have the type '%s': %s", type_string(c->arena, d->type),
                 why);
        d->type = c->types->error;
    }
}

static const Type *check_result(Checker *c, Decl *fn)
{
    Expr *e = fn->fn.result_expr;
    attr_check_place(c, fn->fn.result_attrs, PLACE_RESULT);
    fn->fn.info->result_io = attr_io(c, fn->fn.result_attrs);
    if (!e)
        return c->types->void_;
    const Type *t = check_type(c, e);
    if (t->kind == TYPE_ERROR || type_is_constructible(t))
        return t;
    diag_add(c->diag, DIAG_invalid_result_type, e->span,
             "a function cannot return '%s': it is not constructible",
             type_string(c->arena, t));
    return c->types->error;
}

static void check_header(Checker *c, Decl *fn)
{
    fn->fn.info = ARENA_NEW(c->arena, FnInfo);
    c->function = fn;
    c->fn = fn->fn.info;
    attr_check_place(c, fn->attrs, PLACE_FUNCTION);
    feature_filters(c, c->module_filters, fn->attrs);
    attr_function(c, fn);
    for (uint32_t i = 0; i < fn->fn.nparams; i++)
        check_param(c, fn->fn.params[i]);
    if (fn->fn.nparams > MAX_PARAMS)
        diag_add(c->diag, DIAG_limit_exceeded, fn->fn.params[MAX_PARAMS]->ident.span,
                 "the function has %u parameters, the limit is %d", fn->fn.nparams,
                 MAX_PARAMS);
    const Type *result = check_result(c, fn);
    fn->fn.info->recursive = fn->type != NULL;          /* set by order.c */
    fn->type = fn->type ? fn->type : result;
    c->function = NULL;
    c->fn = NULL;
}

/* ---- the rest ---- */

/* What was compared, if the values say more than the text. */
static void note_sides(Checker *c, Diagnostic *d, const Expr *e)
{
    Text text = {.arena = c->arena};
    if (e->kind != EXPR_BINARY || !e->binary.lhs->value || !e->binary.rhs->value ||
        e->binary.lhs->value->type->kind == TYPE_BOOL)
        return;
    value_print(&text, e->binary.lhs->value);
    text_printf(&text, " %s ", bin_op_text(e->binary.op));
    value_print(&text, e->binary.rhs->value);
    diag_note(c->diag, d, e->span, "that is %s", text.data);
}

void check_assertion(Checker *c, Expr **condition)
{
    const char *what = "the condition of a const_assert";
    const Value *v = NULL;
    if (check_value_as(c, condition, c->types->boolean, what) &&
        check_is_const(c, *condition, what))
        v = (*condition)->value;
    if (v && !v->boolean)
        note_sides(c, diag_add(c->diag, DIAG_const_assert_failed, (*condition)->span,
                               "the assertion is false"), *condition);
}

static void check_alias(Checker *c, Decl *d)
{
    attr_check_place(c, d->attrs, PLACE_OTHER_DECL);
    d->type = check_type(c, d->var.type_expr);
}

void check_global(Checker *c, Decl *d)
{
    bool cyclic = d->type != NULL;          /* reported by order.c */
    switch (d->kind) {
    case DECL_STRUCT:       check_struct(c, d); return;
    case DECL_FN:           check_header(c, d); return;
    case DECL_CONST_ASSERT:
        attr_check_place(c, d->attrs, PLACE_OTHER_DECL);
        check_assertion(c, &d->const_assert.condition);
        return;
    default:
        break;
    }
    if (cyclic)
        return;
    switch (d->kind) {
    case DECL_CONST:
        attr_check_place(c, d->attrs, PLACE_OTHER_DECL);
        check_const_decl(c, d);
        break;
    case DECL_OVERRIDE: check_override_decl(c, d); break;
    case DECL_VAR:      check_global_var(c, d); break;
    case DECL_ALIAS:    check_alias(c, d); break;
    default:            BUG("a declaration that cannot be at module scope");
    }
}

static void count_local(Checker *c, const Decl *d)
{
    bool over = c->local_bytes > MAX_LOCAL_BYTES;
    c->local_bytes += MIN_OF(d->type->size, (uint64_t)MAX_LOCAL_BYTES + 1);
    if (!over && c->local_bytes > MAX_LOCAL_BYTES)
        diag_add(c->diag, DIAG_limit_exceeded, d->ident.span,
                 "the variables of the function are larger than the limit of %u bytes",
                 MAX_LOCAL_BYTES);
}

void check_local(Checker *c, uint32_t scope, Decl *d)
{
    attr_check_place(c, d->attrs, PLACE_OTHER_DECL);
    if (d->kind == DECL_CONST) {
        check_const_decl(c, d);
        scope_declare(c, scope, d);
        return;
    }
    if (d->kind == DECL_LET)
        check_let_decl(c, d);
    else
        check_var_decl(c, d);
    if (d->kind == DECL_VAR)
        count_local(c, d);
    d->index = c->fn->locals.len;
    VEC_PUSH(c->arena, &c->fn->locals, d);
    scope_declare(c, scope, d);
}
