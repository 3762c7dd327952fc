// SPDX-License-Identifier: Apache-2.0
/*
 * override.c - pipeline creation: overrides get their values, and everything that
 * depends on them is evaluated.
 *
 * in     a checked module, an entry point, settings from outside
 * out    a Specialization; pipeline-creation errors
 * knows  WGSL 7.2.2 (overrides), 8.1.2 (override-expressions); WebGPU's
 *        GPUProgrammableStage and its conversions to WGSL types
 * not    limits of devices
 *
 * The module does not change: several threads may specialize it at once. Types
 * that evaluation makes go to a table of the specialization's own.
 */
#include <math.h>
#include <stdlib.h>

#include "check/call_priv.h"
#include "check/fold_priv.h"

typedef struct Special {
    Specialization *out;
    FoldContext     fold;
    Diag           *diag;
    bool           *given;              /* [overrides] a setting gives its value */
} Special;

/* ---- evaluation ---- */

static const Value *eval(Special *s, const Expr *e);

/* The values of `args`; false if one has none. */
static bool eval_all(Special *s, Expr *const *args, uint32_t count, const Value **values)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = eval(s, args[i]);
        if (!values[i])
            return false;
    }
    return true;
}

static const Value *eval_call(Special *s, const Expr *e)
{
    uint32_t      n = e->call.nargs;
    const Value **values = ARENA_ARRAY(s->fold.arena, const Value *, n);
    if (!eval_all(s, e->call.args, n, values))
        return NULL;
    if (e->call.kind == CALL_CONSTRUCT)
        return fold_construct(&s->fold, e->span, e->type, values, n);
    BUG_IF(e->call.kind != CALL_BUILTIN, "a call that is not an override-expression");
    return fold_builtin(&s->fold, e->span, (BuiltinId)e->call.builtin, e->type, values, n);
}

static const Value *eval_member(Special *s, const Expr *e)
{
    const Value *of = eval(s, e->member.of);
    if (!of)
        return NULL;
    if (e->member.width == 0)
        return value_part(s->fold.arena, s->fold.types, of, e->member.member);
    return fold_swizzle(&s->fold, e->type, of, e->member.swizzle, e->member.width);
}

static const Value *eval_index(Special *s, const Expr *e)
{
    const Value *of = eval(s, e->index.of), *at = eval(s, e->index.at);
    return of && at ? fold_index(&s->fold, e->span, of, at) : NULL;
}

/* `e` with the value `x` of its left operand. */
static const Value *eval_operation(Special *s, const Expr *e, const Value *x)
{
    BinOp op = e->binary.op;
    if (op == BINOP_LOGICAL_AND || op == BINOP_LOGICAL_OR)
        return x->boolean == (op == BINOP_LOGICAL_OR) ? x : eval(s, e->binary.rhs);
    const Value *y = eval(s, e->binary.rhs);
    return y ? fold_binary(&s->fold, e->span, op, e->type, x, y) : NULL;
}

/* Chains of operators are as long as the text: down the left operands and up
 * again in loops. */
static const Value *eval_binary(Special *s, const Expr *e)
{
    VEC(const Expr *) chain = {0};
    for (; e->kind == EXPR_BINARY && !e->value; e = e->binary.lhs)
        VEC_PUSH(s->fold.arena, &chain, e);
    const Value *x = eval(s, e);
    while (x && chain.len > 0)
        x = eval_operation(s, chain.data[--chain.len], x);
    return x;
}

/* The value of an override-expression, NULL after a diagnostic. */
static const Value *eval(Special *s, const Expr *e)
{
    if (e->value)
        return e->value;
    switch (e->kind) {
    case EXPR_NAME:
        BUG_IF(!e->name.decl || e->name.decl->kind != DECL_OVERRIDE,
               "a name that is not an override");
        return s->out->values[e->name.decl->var.override_index];
    case EXPR_CALL:   return eval_call(s, e);
    case EXPR_MEMBER: return eval_member(s, e);
    case EXPR_INDEX:  return eval_index(s, e);
    case EXPR_BINARY: return eval_binary(s, e);
    case EXPR_UNARY: {
        const Value *x = eval(s, e->unary.of);
        return x ? fold_unary(&s->fold, e->span, e->unary.op, e->type, x) : NULL;
    }
    default:
        BUG("no override-expression: %s", expr_kind_name(e->kind));
    }
}

/* The value if it is known by now, otherwise NULL. */
static const Value *eval_early(Special *s, const Expr *e)
{
    return e->stage == EVAL_RUNTIME ? NULL : eval(s, e);
}

/* ---- settings ---- */

static int compare_str(Str x, Str y)
{
    int order = memcmp(x.data, y.data, MIN_OF(x.len, y.len));
    if (order)
        return order;
    return x.len < y.len ? -1 : x.len > y.len;
}

static int compare_settings(const void *left, const void *right)
{
    const OverrideSetting *x = left, *y = right;
    return compare_str(x->key, y->key);
}

/* What the API calls an override: its id if it has one, otherwise its name. */
static Str key_of(Arena *a, const Decl *d)
{
    return d->var.has_id ? str_of(arena_printf(a, "%u", d->var.id)) : ident_text(d->ident);
}

/* The value of a setting as one of the override's type; NULL: it does not fit. */
static const Value *convert(Special *s, const Type *type, double x)
{
    Arena *a = s->fold.arena;
    if (type->kind == TYPE_BOOL)
        return value_bool(a, s->fold.types, x != 0 && !isnan(x));
    if (!isfinite(x))
        return NULL;
    double whole = trunc(x);
    switch (type->kind) {
    case TYPE_I32:
        return whole >= INT32_MIN && whole <= INT32_MAX ? value_int(a, type, (int64_t)whole)
                                                        : NULL;
    case TYPE_U32:
        return whole >= 0 && whole <= UINT32_MAX ? value_int(a, type, (int64_t)whole) : NULL;
    default:
        x = fold_round(type, x);
        return isfinite(x) ? value_real(a, type, x) : NULL;
    }
}

static void apply(Special *s, const Decl *d, double x)
{
    const Value *value = convert(s, d->type, x);
    if (!value)
        diag_add(s->diag, DIAG_override_range, d->ident.span,
                 "the value %.17g does not fit the override '%.*s' of the type '%s'", x,
                 STR_ARG(ident_text(d->ident)), type_string(s->fold.arena, d->type));
    s->out->values[d->var.override_index] = value;
}

static void report_unknown(Special *s, Str key)
{
    const ModuleInfo *info = s->out->module->info;
    for (uint32_t i = 0; i < info->overrides.len; i++) {
        const Decl *d = info->overrides.data[i];
        if (!str_eq(ident_text(d->ident), key))
            continue;
        diag_add(s->diag, DIAG_unknown_override, d->ident.span,
                 "the override '%.*s' has an id, so it is set as '%u'", STR_ARG(key),
                 d->var.id);
        return;
    }
    diag_add(s->diag, DIAG_unknown_override, (Span){0},
             "there is no override with the name or id '%.*s'", STR_ARG(key));
}

static void check_keys(Special *s, const OverrideSetting *sorted, const bool *used,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        Str key = sorted[i].key;
        if (i > 0 && str_eq(key, sorted[i - 1].key))
            diag_add(s->diag, DIAG_duplicate_override, (Span){0},
                     "the override '%.*s' is given a value twice", STR_ARG(key));
        else if (!used[i])
            report_unknown(s, key);
    }
}

static const OverrideSetting *find_setting(const OverrideSetting *sorted, uint32_t count,
                                           Str key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_str(sorted[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && str_eq(sorted[low].key, key) ? &sorted[low] : NULL;
}

/* Settings of overrides that the entry point does not use must fit them, too. */
static void apply_settings(Special *s, const OverrideSetting *settings, uint32_t count)
{
    const ModuleInfo *info = s->out->module->info;
    if (count == 0)
        return;
    OverrideSetting *sorted = arena_copy(s->fold.arena, settings, count * sizeof *settings);
    bool *used = ARENA_ARRAY(s->fold.arena, bool, count);
    qsort(sorted, count, sizeof *sorted, compare_settings);
    for (uint32_t i = 0; i < info->overrides.len; i++) {
        const Decl *d = info->overrides.data[i];
        const OverrideSetting *found = find_setting(sorted, count, key_of(s->fold.arena, d));
        if (!found)
            continue;
        used[found - sorted] = true;
        s->given[i] = true;
        apply(s, d, found->value);
    }
    check_keys(s, sorted, used, count);
}

/* ---- what depends on overrides ---- */

static void use_default(Special *s, const Decl *d)
{
    uint32_t i = d->var.override_index;
    if (s->given[i])
        return;
    if (d->var.init)
        s->out->values[i] = eval(s, d->var.init);
    else
        diag_add(s->diag, DIAG_missing_override, d->ident.span,
                 "the override '%.*s' has no default, so the pipeline must give it a value",
                 STR_ARG(ident_text(d->ident)));
}

/* Elements of an override-sized array, bytes of a buffer; 0 after a diagnostic. */
static uint64_t eval_count(Special *s, const Type *type)
{
    const Expr  *e = type->array.count_expr;
    const Value *n = eval(s, e);
    if (!n)
        return 0;
    if (n->integer < 1) {
        diag_add(s->diag, DIAG_pipeline_size, e->span, "%s must be at least 1, but is %lld",
                 type->kind == TYPE_ARRAY ? "the number of elements of an array"
                                          : "the size of a buffer", (long long)n->integer);
        return 0;
    }
    return (uint64_t)n->integer;
}

static uint64_t bytes_of(Special *s, const Decl *var)
{
    const Type *t = var->type;
    bool sized = t->kind == TYPE_ARRAY || t->kind == TYPE_BUFFER;
    if (!sized || t->array.count_kind != COUNT_OVERRIDE)
        return t->size;
    uint64_t count = eval_count(s, t);
    uint64_t stride = t->kind == TYPE_ARRAY ? t->array.stride : 1;
    if (count <= UINT32_MAX / MAX_OF(stride, 1u))
        return count * stride;
    diag_add(s->diag, DIAG_pipeline_size, t->array.count_expr->span,
             "'%.*s' takes more than %u bytes", STR_ARG(ident_text(var->ident)), UINT32_MAX);
    return 0;
}

static void eval_variable(Special *s, const Decl *var)
{
    if (var->var.space == SPACE_WORKGROUP)
        s->out->workgroup_bytes += (bytes_of(s, var) + 15) / 16 * 16;
    if (var->var.init)
        eval_early(s, var->var.init);
}

static void check_index(Special *s, const Expr *e, const Type *of, const Value *at)
{
    if (of->kind != TYPE_ARRAY || of->array.count_kind != COUNT_OVERRIDE) {
        fold_check_index(&s->fold, e->index.at->span, of, at);
        return;
    }
    const Value *n = eval(s, of->array.count_expr);
    if (n && (at->integer < 0 || at->integer >= n->integer))
        diag_add(s->diag, DIAG_index_out_of_bounds, e->index.at->span,
                 "the index %lld is outside an array of %lld elements",
                 (long long)at->integer, (long long)n->integer);
}

/* The size of an override-sized buffer that a builtin is given; 0: none. */
static uint64_t viewed_bytes(Special *s, const Expr *e)
{
    const Type *t = e->call.nargs ? e->call.args[0]->type : NULL;
    if (!t || t->kind != TYPE_POINTER || t->pointer.of->kind != TYPE_BUFFER
        || t->pointer.of->array.count_kind != COUNT_OVERRIDE)
        return 0;
    return eval_count(s, t->pointer.of);
}

/* A run-time operation whose early operands alone can make it wrong. */
static void check_use(Special *s, const Expr *e)
{
    switch (e->kind) {
    case EXPR_BINARY: {
        const Value *x = eval_early(s, e->binary.lhs), *y = eval_early(s, e->binary.rhs);
        const Type *lhs = e->binary.lhs->type;
        fold_check_binary(&s->fold, e->span, e->binary.op,
                          lhs->kind == TYPE_REFERENCE ? lhs->pointer.of : lhs, x, y);
        break;
    }
    case EXPR_CALL: {
        if (e->call.kind != CALL_BUILTIN)
            break;
        uint32_t n = e->call.nargs;
        const Value **values = ARENA_ARRAY(s->fold.arena, const Value *, n);
        for (uint32_t i = 0; i < n; i++)
            values[i] = eval_early(s, e->call.args[i]);
        builtin_check_early(&s->fold, s->out->module->info, e, values, viewed_bytes(s, e));
        break;
    }
    case EXPR_INDEX: {
        const Value *at = eval_early(s, e->index.at);
        const Type  *of = e->index.of->type;
        if (of->kind == TYPE_REFERENCE || of->kind == TYPE_POINTER)
            of = of->pointer.of;
        if (at)
            check_index(s, e, of, at);
        break;
    }
    default:
        break;
    }
}

static void eval_function(Special *s, const FnInfo *fn)
{
    for (uint32_t i = 0; i < fn->override_exprs.len; i++)
        eval(s, fn->override_exprs.data[i]);
    for (uint32_t i = 0; i < fn->override_uses.len; i++)
        check_use(s, fn->override_uses.data[i]);
}

/* Views of buffers, as view.c asks for what they depend on. */

static const Value *view_value(void *context, const Expr *e)
{
    return eval_early(context, e);
}

static uint64_t view_bytes(void *context, const Type *buffer)
{
    if (buffer->kind != TYPE_BUFFER || buffer->array.count_kind == COUNT_RUNTIME)
        return 0;
    return buffer->array.count_kind == COUNT_FIXED ? buffer->array.count
                                                   : eval_count(context, buffer);
}

static void eval_views(Special *s, const FnInfo *entry)
{
    ViewPass pass = {
        .arena = s->fold.arena, .info = s->out->module->info, .diag = s->diag, .context = s,
        .value = view_value, .bytes = view_bytes,
    };
    view_functions(&pass, entry->reached.data, entry->reached.len);
}

/* ---- sizes ---- */

/* A size of the entry point, at least 1; `fallback` if it is not written, 0 after a
 * diagnostic. */
static uint32_t eval_size(Special *s, const Expr *e, uint32_t fallback, const char *what)
{
    if (!e)
        return fallback;
    const Value *n = eval(s, e);
    if (!n)
        return 0;
    if (n->integer < 1) {
        diag_add(s->diag, DIAG_pipeline_size, e->span, "%s must be at least 1, but is %lld",
                 what, (long long)n->integer);
        return 0;
    }
    return (uint32_t)n->integer;
}

static void eval_sizes(Special *s, const FnInfo *fn)
{
    Specialization *out = s->out;
    if (fn->stage != STAGE_COMPUTE)
        return;
    for (int i = 0; i < 3; i++)
        out->workgroup_size[i] = eval_size(s, fn->workgroup_size[i], 1, "a workgroup size");
    out->subgroup_size = eval_size(s, fn->subgroup_size, 0, "a subgroup size");
    uint32_t size = out->subgroup_size;
    if (size == 0)
        return;
    if ((size & (size - 1)) != 0)
        diag_add(s->diag, DIAG_pipeline_size, fn->subgroup_size->span,
                 "a subgroup size must be a power of two, but is %u", size);
    else if (out->workgroup_size[0] % size != 0)
        diag_add(s->diag, DIAG_pipeline_size, fn->subgroup_size->span,
                 "the first workgroup size, %u, must be a multiple of the subgroup size, %u",
                 out->workgroup_size[0], size);
}

/* ---- the whole ---- */

/* A table that may grow without changing the module's. */
static TypeTable *copy_types(Arena *a, const TypeTable *types)
{
    TypeTable *copy = ARENA_NEW(a, TypeTable);
    *copy = *types;
    copy->arena = a;
    copy->all.data = arena_copy(a, types->all.data, types->all.len * sizeof *types->all.data);
    copy->all.cap = types->all.len;
    copy->buckets = arena_copy(a, types->buckets,
                               ((size_t)types->mask + 1) * sizeof *types->buckets);
    return copy;
}

bool check_specialize(Specialization *out, Arena *arena, const Module *m, const Decl *entry,
                      const OverrideSetting *settings, uint32_t nsettings, Diag *diag)
{
    const FnInfo *fn = entry->fn.info;
    uint32_t      before = diag->errors;
    *out = (Specialization){
        .arena = arena, .module = m,
        .values = ARENA_ARRAY(arena, const Value *, m->info->overrides.len),
        .types = copy_types(arena, &m->info->types),
    };
    Special s = {
        .out = out, .diag = diag,
        .given = ARENA_ARRAY(arena, bool, m->info->overrides.len),
        .fold = {.arena = arena, .types = out->types, .diag = diag},
    };
    apply_settings(&s, settings, nsettings);
    for (uint32_t i = 0; i < fn->globals.len; i++)
        if (fn->globals.data[i]->kind == DECL_OVERRIDE)
            use_default(&s, fn->globals.data[i]);
    for (uint32_t i = 0; i < fn->globals.len; i++)
        if (fn->globals.data[i]->kind == DECL_VAR)
            eval_variable(&s, fn->globals.data[i]);
    for (uint32_t i = 0; i < fn->reached.len; i++)
        eval_function(&s, fn->reached.data[i]->fn.info);
    eval_sizes(&s, fn);
    if (diag->errors == before)
        eval_views(&s, fn);
    return diag->errors == before;
}

/* ---- after it ---- */

const Value *specialize_value(const Specialization *spec, const Expr *e)
{
    Specialization out = *spec;
    Special s = {.out = &out, .fold = {.arena = spec->arena, .types = spec->types}};
    const Value *v = eval(&s, e);
    BUG_IF(!v, "an override-expression that was not checked");
    return v;
}

uint64_t specialize_count(const Specialization *spec, const Type *array)
{
    if (array->array.count_kind == COUNT_FIXED)
        return array->array.count;
    BUG_IF(array->array.count_kind == COUNT_RUNTIME, "a size that only the binding knows");
    return (uint64_t)specialize_value(spec, array->array.count_expr)->integer;
}
