// SPDX-License-Identifier: Apache-2.0
/*
 * call.c - calls: of functions, of builtin functions, of types.
 *
 * in     a call; what its name means is not known yet
 * out    Expr.call.kind, its type, stage and, if it is constant, its value;
 *        arguments checked and converted
 * knows  WGSL 11.3 (function calls), 17 (builtin functions)
 * not    which overload fits (overload.c), the rules of single builtins
 *        (builtin_rule.c), how values are made (construct.c, fold.c)
 */
#include "check/call_priv.h"

#define MAX_CANDIDATES 3            /* signatures shown with one message */

/* ---- arguments ---- */

bool call_check_args(Checker *c, Expr *e)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->call.nargs; i++)
        ok &= check_value(c, &e->call.args[i])->kind != TYPE_ERROR;
    return ok;
}

EvalStage call_stage(const Expr *e)
{
    EvalStage stage = EVAL_CONST;
    for (uint32_t i = 0; i < e->call.nargs; i++)
        stage = MAX_OF(stage, e->call.args[i]->stage);
    return stage;
}

const Value *const *call_values(Checker *c, const Expr *e, const Value **few, bool *all)
{
    const Value **values = few;
    if (e->call.nargs > CALL_FEW)
        values = ARENA_ARRAY(c->arena, const Value *, e->call.nargs);
    *all = true;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        values[i] = e->call.args[i]->value;
        *all &= values[i] != NULL;
    }
    return values;
}

bool call_convert(Checker *c, Expr **slot, const Type *to)
{
    if ((*slot)->type == to)
        return true;
    return check_convert(c, slot, to) && (*slot)->type->kind != TYPE_ERROR;
}

void call_set_value(Checker *c, Expr *e, const Value *value)
{
    e->value = value;
    if (!value && c->fold.diag)
        expr_fail(e, c);
}

/* A call for its effects of what has none. */
static void report_dropped(Checker *c, const Expr *e, const char *what)
{
    Diagnostic *d = diag_add(c->diag, DIAG_result_not_used, e->span,
                             "the result of %s must be used", what);
    diag_note(c->diag, d, e->span, "write '_ = ...' to drop it on purpose");
}

/* "1st", "2nd", ... */
static const char *ordinal(Checker *c, uint32_t i)
{
    static const char *const first[] = {"1st", "2nd", "3rd"};
    return i < COUNTOF(first) ? first[i] : arena_printf(c->arena, "%uth", i + 1);
}

/* ---- functions of the module ---- */

/* "f(a: f32, b: i32)". */
static const char *function_text(Checker *c, const Decl *fn)
{
    Text text = {.arena = c->arena};
    text_printf(&text, "%.*s(", STR_ARG(ident_text(fn->ident)));
    for (uint32_t i = 0; i < fn->fn.nparams; i++) {
        const Decl *p = fn->fn.params[i];
        text_printf(&text, "%s%.*s: ", i ? ", " : "", STR_ARG(ident_text(p->ident)));
        if (p->type)
            type_print(&text, p->type);
    }
    text_char(&text, ')');
    return text.data;
}

static void report_function_count(Checker *c, const Expr *e, const Decl *fn)
{
    uint32_t n = fn->fn.nparams;
    Diagnostic *d = diag_add(c->diag, DIAG_argument_count, e->span,
                             "'%.*s' takes %u argument%s, but %u %s given",
                             STR_ARG(ident_text(fn->ident)), n, n == 1 ? "" : "s",
                             e->call.nargs, e->call.nargs == 1 ? "is" : "are");
    diag_note(c->diag, d, fn->ident.span, "'%s' is declared here", function_text(c, fn));
}

/* Is the pointer one to the whole of a variable, or a pointer parameter as it
 * came?  (WGSL 4.1.2: what unrestricted_pointer_parameters lifts.) */
static bool is_whole_view(const Expr *e)
{
    for (;;) {
        if (e->kind == EXPR_UNARY
            && (e->unary.op == UNOP_ADDRESS || e->unary.op == UNOP_DEREF)) {
            e = e->unary.of;
            continue;
        }
        if (e->kind != EXPR_NAME || !e->name.decl)
            return false;
        const Decl *d = e->name.decl;
        if (d->kind != DECL_LET || !d->var.init)
            return d->kind == DECL_VAR || d->kind == DECL_PARAM;
        e = d->var.init;
    }
}

static bool pass_argument(Checker *c, Expr **slot, const Decl *fn, const Decl *param)
{
    const Type *to = param->type;
    if (!to || to->kind == TYPE_ERROR)
        return true;
    if (type_argument_rank((*slot)->type, to) == RANK_INFINITE) {
        Diagnostic *d = diag_add(c->diag, DIAG_argument_type, (*slot)->span,
                                 "the argument '%.*s' of '%.*s' must be '%s', but this is '%s'",
                                 STR_ARG(ident_text(param->ident)), STR_ARG(ident_text(fn->ident)),
                                 type_string(c->arena, to),
                                 type_string(c->arena, (*slot)->type));
        diag_note(c->diag, d, param->ident.span, "the parameter is declared here");
        return false;
    }
    if (to->kind != TYPE_POINTER)
        return call_convert(c, slot, to);
    if (feature_language(c, LANGUAGE_unrestricted_pointer_parameters) || is_whole_view(*slot))
        return true;
    diag_add(c->diag, DIAG_pointer_argument, (*slot)->span,
             "a pointer to a part of a variable can be passed only with the language feature "
             "'unrestricted_pointer_parameters'");
    return false;
}

/* A function that has no value to give, or whose value must not be dropped. */
static void check_function_use(Checker *c, Expr *e, const Decl *fn, bool statement)
{
    Str name = ident_text(fn->ident);
    if (statement && attr_find(fn->attrs, ATTR_MUST_USE)) {
        report_dropped(c, e, arena_printf(c->arena, "'%.*s'", STR_ARG(name)));
    } else if (!statement && e->type->kind == TYPE_VOID) {
        Diagnostic *d = diag_add(c->diag, DIAG_no_result, e->span,
                                 "'%.*s' returns nothing, so it has no value", STR_ARG(name));
        diag_note(c->diag, d, fn->ident.span, "'%.*s' is declared here", STR_ARG(name));
        expr_fail(e, c);
    }
}

static bool is_entry_point(const Decl *fn)
{
    return attr_find(fn->attrs, ATTR_COMPUTE) || attr_find(fn->attrs, ATTR_VERTEX)
        || attr_find(fn->attrs, ATTR_FRAGMENT);
}

static void call_function(Checker *c, Expr *e, Decl *fn, bool statement)
{
    Ident ident = e->call.callee->name.ident;
    bool ok = call_check_args(c, e);
    e->call.kind = CALL_FUNCTION;
    e->call.function = fn;
    if (e->call.callee->name.has_template) {
        diag_add(c->diag, DIAG_template_arguments, e->call.callee->span,
                 "'%.*s' is a function and takes no template list", STR_ARG(ident_text(ident)));
        ok = false;
    } else if (is_entry_point(fn)) {
        Diagnostic *d = diag_add(c->diag, DIAG_entry_point_called, ident.span,
                                 "'%.*s' is an entry point and cannot be called",
                                 STR_ARG(ident_text(ident)));
        diag_note(c->diag, d, fn->ident.span, "'%.*s' is declared here",
                  STR_ARG(ident_text(ident)));
        ok = false;
    } else if (e->call.nargs != fn->fn.nparams) {
        report_function_count(c, e, fn);
        ok = false;
    }
    for (uint32_t i = 0; ok && i < e->call.nargs; i++)
        ok = pass_argument(c, &e->call.args[i], fn, fn->fn.params[i]);
    /* After a mistake in the arguments the result is still what is declared. */
    e->type = fn->type ? fn->type : c->types->error;
    e->stage = EVAL_RUNTIME;
    if (e->type->kind != TYPE_ERROR)
        check_function_use(c, e, fn, statement);
    if (c->fn && ok)
        VEC_PUSH(c->arena, &c->fn->calls, ((CallSite){e, fn}));
}

/* ---- builtin functions: what does not fit ---- */

/* How near a row is: the more arguments fit, the nearer; of those alike, one that
 * takes as many as are given. */
static uint32_t nearness(const OverloadMiss *m)
{
    return m->kind == MISS_TEMPLATE ? 0 : 1 + 2 * m->argument + (m->kind == MISS_ARGUMENT);
}

static const OverloadMiss *nearest(const OverloadMiss *misses, uint32_t count)
{
    const OverloadMiss *best = &misses[0];
    for (uint32_t i = 1; i < count; i++)
        if (nearness(&misses[i]) > nearness(best))
            best = &misses[i];
    return best;
}

/* Shows the nearest rows, in the order of the table. */
static void note_candidates(Checker *c, Diagnostic *d, const char *name,
                            const OverloadMiss *misses, uint32_t count)
{
    uint32_t near = nearness(nearest(misses, count)), shown = 0;
    for (uint32_t i = 0; i < count && shown < MAX_CANDIDATES; i++) {
        if (nearness(&misses[i]) < near)
            continue;
        Text text = {.arena = c->arena};
        overload_print(&text, name, misses[i].row, feature_enabled(c, ENABLE_weft_f64));
        diag_note(c->diag, d, (Span){0}, "candidate: %s", text.data);
        shown++;
    }
    if (shown < count)
        diag_note(c->diag, d, (Span){0}, "and %u other overload%s", count - shown,
                  count - shown == 1 ? "" : "s");
}

/* Of the rows that are as near as `least`, how many arguments they take. */
static void report_builtin_count(Checker *c, const Expr *e, BuiltinId id,
                                 const OverloadMiss *misses, uint32_t count, uint32_t least)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = overload_param_count(misses[i].row);
        if (nearness(&misses[i]) < least)
            continue;
        low = MIN_OF(low, n);
        high = MAX_OF(high, n);
    }
    const char *range = low == high ? arena_printf(c->arena, "%u argument%s", low,
                                                   low == 1 ? "" : "s")
                                    : arena_printf(c->arena, "%u to %u arguments", low, high);
    Diagnostic *d = diag_add(c->diag, DIAG_argument_count, e->span,
                             "%s'%s' takes %s, but %u %s given",
                             least ? "with these arguments " : "", builtin_name(id), range,
                             e->call.nargs, e->call.nargs == 1 ? "is" : "are");
    note_candidates(c, d, builtin_name(id), misses, count);
}

/* The argument that stops the nearest rows, and what they all expect of it. */
static void report_builtin_argument(Checker *c, const Expr *e, BuiltinId id,
                                    const OverloadMiss *misses, uint32_t count)
{
    const OverloadMiss *best = nearest(misses, count);
    bool agree = true;
    for (uint32_t i = 0; i < count; i++)
        if (nearness(&misses[i]) == nearness(best))
            agree &= strcmp(misses[i].expected, best->expected) == 0;

    const Expr *arg = e->call.args[best->argument];
    const char *found = type_string(c->arena, arg->type);
    const char *number = ordinal(c, best->argument);
    Str name = overload_param(best->row, best->argument).name;
    Diagnostic *d;
    if (agree)
        d = diag_add(c->diag, DIAG_argument_type, arg->span,
                     "the %s argument of '%s', '%.*s', is '%s', but must be %s", number,
                     builtin_name(id), STR_ARG(name), found, best->expected);
    else
        d = diag_add(c->diag, DIAG_argument_type, arg->span,
                     "no overload of '%s' takes '%s' as its %s argument", builtin_name(id),
                     found, number);
    if (arg->type->kind == TYPE_POINTER && strstr(best->expected, "pointer") == NULL)
        diag_note(c->diag, d, arg->span, "this is a pointer; '*' reads what it points to");
    note_candidates(c, d, builtin_name(id), misses, count);
}

static void report_builtin_template(Checker *c, const Expr *e, BuiltinId id, const Type *target)
{
    if (id == BUILTIN_bitcast && e->call.nargs == 1)
        diag_add(c->diag, DIAG_argument_type, e->span,
                 "the bits of '%s' cannot be read as '%s'",
                 type_string(c->arena, e->call.args[0]->type), type_string(c->arena, target));
    else
        diag_add(c->diag, DIAG_template_arguments, e->call.callee->span,
                 "'%s' has no form for '%s'", builtin_name(id), type_string(c->arena, target));
}

static void report_builtin(Checker *c, const Expr *e, BuiltinId id, const OverloadQuery *q)
{
    Overloads set = builtin_overloads(id);
    OverloadMiss *misses = ARENA_ARRAY(c->arena, OverloadMiss, set.count);
    bool any_count = false, any_argument = false;
    for (uint32_t i = 0; i < set.count; i++) {
        misses[i] = overload_miss(q, &set.rows[i], c->arena);
        any_count |= overload_param_count(set.rows + i) == e->call.nargs;
        any_argument |= misses[i].kind == MISS_ARGUMENT;
    }
    const OverloadMiss *best = nearest(misses, set.count);
    if (!any_count)
        report_builtin_count(c, e, id, misses, set.count, 0);
    else if (q->explicit_ && (id == BUILTIN_bitcast || !any_argument))
        report_builtin_template(c, e, id, q->explicit_);
    else if (best->kind == MISS_COUNT)
        report_builtin_count(c, e, id, misses, set.count, nearness(best));
    else if (any_argument)
        report_builtin_argument(c, e, id, misses, set.count);
    else
        BUG("'%s' is ambiguous", builtin_name(id));
}

/* ---- builtin functions ---- */

/* Is what the function needs switched on?  Reports if not. */
static bool check_available(Checker *c, const Expr *e, BuiltinId id)
{
    static const struct { uint32_t flag; int language; } needs[] = {
        {BUILTIN_PACKED, LANGUAGE_packed_4x8_integer_dot_product},
        {BUILTIN_READ_WRITE_TEXTURES, LANGUAGE_readonly_and_readwrite_storage_textures},
        {BUILTIN_BUFFER_VIEW, LANGUAGE_buffer_view},
    };
    Span span = e->call.callee->name.ident.span;
    uint32_t flags = builtin_flags(id);
    if (flags & BUILTIN_SUBGROUPS
        && !check_needs(c, span, ENABLE_subgroups, builtin_name(id)))
        return false;
    for (uint32_t i = 0; i < COUNTOF(needs); i++) {
        if (flags & needs[i].flag && !feature_language(c, needs[i].language)) {
            diag_add(c->diag, DIAG_feature_unavailable, span,
                     "'%s' needs the language feature '%s'", builtin_name(id),
                     feature_language_name(needs[i].language));
            return false;
        }
    }
    return true;
}

/* The template argument of a builtin; *type is NULL if it takes none. False
 * after a diagnostic. */
static bool check_template(Checker *c, Expr *callee, BuiltinId id, const Type **type)
{
    bool wanted = builtin_overloads(id).rows[0].template_[0] != '\0';
    *type = NULL;
    if (!wanted && callee->name.has_template) {
        diag_add(c->diag, DIAG_template_arguments, callee->span,
                 "'%s' takes no template list", builtin_name(id));
        return false;
    }
    if (!wanted)
        return true;
    if (callee->name.nargs != 1) {
        diag_add(c->diag, DIAG_template_arguments, callee->span,
                 "'%s' needs one template argument, the type of the result: '%s<T>(...)'",
                 builtin_name(id), builtin_name(id));
        return false;
    }
    *type = check_type(c, callee->name.args[0]);
    return (*type)->kind != TYPE_ERROR;
}

/* Finds the overload and converts the arguments. */
static bool resolve_builtin(Checker *c, Expr *e, BuiltinId id, const Type *target,
                            OverloadMatch *match)
{
    const Type *few[CALL_FEW], **types = few;
    if (e->call.nargs > CALL_FEW)
        types = ARENA_ARRAY(c->arena, const Type *, e->call.nargs);
    for (uint32_t i = 0; i < e->call.nargs; i++)
        types[i] = e->call.args[i]->type;
    OverloadQuery q = {
        .types = c->types,
        .f16 = feature_enabled(c, ENABLE_f16),
        .f64 = feature_enabled(c, ENABLE_weft_f64),
        .all_const = call_stage(e) == EVAL_CONST,
        .explicit_ = target,
        .args = types,
        .nargs = e->call.nargs,
    };
    if (!overload_resolve(&q, builtin_overloads(id), match)) {
        report_builtin(c, e, id, &q);
        return false;
    }
    for (uint32_t i = 0; i < e->call.nargs; i++)
        if (!call_convert(c, &e->call.args[i], match->params[i]))
            return false;
    return true;
}

/* The value of a builtin that is constant; the rules about single arguments of
 * one that is not. */
static void evaluate_builtin(Checker *c, Expr *e, BuiltinId id)
{
    const Value *few[CALL_FEW];
    bool all;
    e->stage = builtin_flags(id) & BUILTIN_CONST ? call_stage(e) : EVAL_RUNTIME;
    const Value *const *values = call_values(c, e, few, &all);
    if (e->stage != EVAL_CONST)
        builtin_check_early(&c->fold, c->info, e, values, 0);
    else if (all)
        call_set_value(c, e, fold_builtin(&c->fold, e->span, id, e->type, values,
                                          e->call.nargs));
}

/* How the call of a builtin is used, and from where it may be. */
static void check_builtin_use(Checker *c, Expr *e, BuiltinId id, bool statement)
{
    uint32_t stages = builtin_stages(id);
    const char *name = builtin_name(id);
    if (c->fn && e->type->kind == TYPE_POINTER)
        VEC_PUSH(c->arena, &c->fn->views, e);
    if (c->fn && stages != builtin_stages(BUILTIN_abs))
        usage_stages(c, e->span, stages,
                     arena_printf(c->arena, "the builtin function '%s'", name));
    if (statement && builtin_flags(id) & BUILTIN_MUST_USE)
        report_dropped(c, e, arena_printf(c->arena, "'%s'", name));
    if (!statement && e->type->kind == TYPE_VOID) {
        diag_add(c->diag, DIAG_no_result, e->span,
                 "'%s' returns nothing, so it has no value", name);
        expr_fail(e, c);
    }
}

void check_builtin_call(Checker *c, Expr *e, BuiltinId id, bool statement)
{
    const Type *target;
    OverloadMatch match;
    e->call.kind = CALL_BUILTIN;
    e->call.builtin = (uint16_t)id;
    bool ok = check_template(c, e->call.callee, id, &target);
    ok &= call_check_args(c, e);
    ok = ok && check_available(c, e, id) && resolve_builtin(c, e, id, target, &match);
    if (ok) {
        e->type = match.result;
        ok = builtin_check_row(c, e, match.row);
    }
    if (!ok) {
        expr_fail(e, c);
        return;
    }
    evaluate_builtin(c, e, id);
    check_builtin_use(c, e, id, statement);
}

/* ---- all of them ---- */

static void fail_call(Checker *c, Expr *e)
{
    call_check_args(c, e);
    expr_fail(e, c);
}

static void call_type(Checker *c, Expr *e, const Type *type, Generic generic, bool statement)
{
    if (type && type->kind == TYPE_ERROR) {
        fail_call(c, e);
        return;
    }
    check_construct(c, e, type, generic);
    if (statement && e->type->kind != TYPE_ERROR)
        report_dropped(c, e, arena_printf(c->arena, "the constructor of '%s'",
                                          type_string(c->arena, e->type)));
}

const Type *check_call(Checker *c, Expr **slot, bool statement)
{
    Expr *e = *slot;
    Expr *callee = e->call.callee;
    Name *name = callee->kind == EXPR_NAME ? callee->name.ident.name : NULL;
    if (!name) {
        fail_call(c, e);                /* a parse error */
        return e->type;
    }
    Decl *decl = scope_find(c, name);
    callee->name.decl = decl;
    if (decl && decl->kind == DECL_FN) {
        call_function(c, e, decl, statement);
        return e->type;
    }
    if (decl && decl->kind != DECL_STRUCT && decl->kind != DECL_ALIAS) {
        check_not(c, DIAG_not_callable, callee, "a function");
        fail_call(c, e);
        return e->type;
    }
    Generic generic = GENERIC_NONE;
    const Type *type = check_type_callee(c, callee, &generic);
    BuiltinId id;
    if (type || generic != GENERIC_NONE) {
        call_type(c, e, type, generic, statement);
    } else if (!decl && builtin_find(name->text, &id)) {
        check_builtin_call(c, e, id, statement);
    } else {
        check_not(c, DIAG_not_callable, callee, "a function");
        fail_call(c, e);
    }
    return e->type;
}
