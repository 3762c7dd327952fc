// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_run.c - renders a template: statements, scopes, calls.
 *
 * in     a Jinja, variables
 * out    text
 * knows  Jinja's scopes: loops and macros have their own, conditions have not
 * not    expressions (jinja_eval.c), filters, methods
 */
#include <stdio.h>

#include "model/jinja_priv.h"

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE } Flow;

static Flow run(Interp *in, const JinjaNode *node);

/* ---- faults and bounds ---- */

bool jinja_failed(const Interp *in)
{
    return in->fault->kind != FAULT_NONE;
}

Value jinja_fault(Interp *in, const char *fmt, ...)
{
    char    what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    jinja_fail_at(in->fault, FAULT_FORMAT, in->jinja->source, in->at, "%s", what);
    return value_undefined(STR(""));
}

bool jinja_spend(Interp *in, uint64_t amount)
{
    in->steps += amount;
    if (in->steps > in->how->max_steps)
        jinja_fail_at(in->fault, FAULT_LIMIT, in->jinja->source, in->at,
                      "more than %llu steps: does a loop never end?",
                      (unsigned long long)in->how->max_steps);
    return !jinja_failed(in);
}

static bool enter(Interp *in)
{
    if (in->depth >= JINJA_MAX_CALLS)
        return jinja_fail_at(in->fault, FAULT_LIMIT, in->jinja->source, in->at,
                             "more than %u nested calls", JINJA_MAX_CALLS);
    in->depth++;
    return true;
}

static void emit(Interp *in, Str s)
{
    in->written += s.len;
    if (in->written > in->how->max_output)
        jinja_fail_at(in->fault, FAULT_LIMIT, in->jinja->source, in->at,
                      "more than %zu bytes of output", in->how->max_output);
    else
        text_add(in->out, s);
}

/* ---- scopes ---- */

static Scope *scope_new(Interp *in, Scope *outer)
{
    Scope *s = ARENA_NEW(in->arena, Scope);
    s->variables = value_dict(in->arena).dict;
    s->outer = outer;
    return s;
}

static void assign_item(Interp *in, const JinjaNode *target, Value v)
{
    Value of = jinja_eval(in, target->a);
    Value key = target->kind == NODE_MEMBER ? value_str(target->name) : jinja_eval(in, target->b);
    if (jinja_failed(in))
        return;
    if (!jinja_hashable(key))
        jinja_fault(in, "a value that is %s cannot be a key", value_kind_name(key));
    else if (of.kind != VALUE_DICT)
        jinja_fault(in, "cannot assign a member of a value that is %s", value_kind_name(of));
    else
        dict_set(in->arena, of.dict, key, v);
}

static void assign(Interp *in, const JinjaNode *target, Value v)
{
    in->at = target->at;
    if (target->kind == NODE_NAME) {
        dict_set(in->arena, in->scope->variables, value_str(target->name), v);
    } else if (target->kind == NODE_TUPLE) {
        const List *items = jinja_items(in, v);
        if (!items)
            return;
        if (items->len != target->items.len) {
            jinja_fault(in, "%u values for %u names", items->len, target->items.len);
            return;
        }
        for (uint32_t i = 0; i < items->len; i++)
            assign(in, target->items.data[i], items->data[i]);
    } else {
        assign_item(in, target, v);
    }
}

/* ---- text made by statements ---- */

static Value capture(Interp *in, const JinjaNode *body)
{
    Text  t = {.arena = in->arena};
    Text *outer = in->out;
    in->out = &t;
    run(in, body);
    in->out = outer;
    return value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
}

static Value filtered(Interp *in, const JinjaNode *filters, const JinjaNode *body)
{
    Value outer = in->input, text = capture(in, body);
    in->input = text;
    Value v = filters ? jinja_eval(in, filters) : text;
    in->input = outer;
    return v;
}

/* ---- loops ---- */

static Value loop_cycle(Interp *in, const Call *c)
{
    const Value *index = dict_find_text(c->self.dict, "index0");
    if (c->count == 0)
        return jinja_fault(in, "cycle() needs an argument");
    return c->args[(uint64_t)index->i % c->count];
}

static void loop_update(Interp *in, Dict *loop, const List *items, uint32_t i)
{
    Arena  *a = in->arena;
    int64_t n = items->len;
    dict_set(a, loop, value_text("index0"), value_int(i));
    dict_set(a, loop, value_text("index"), value_int(i + (int64_t)1));
    dict_set(a, loop, value_text("revindex0"), value_int(n - i - 1));
    dict_set(a, loop, value_text("revindex"), value_int(n - i));
    dict_set(a, loop, value_text("first"), value_bool(i == 0));
    dict_set(a, loop, value_text("last"), value_bool(i + (int64_t)1 == n));
    dict_set(a, loop, value_text("previtem"),
             i > 0 ? items->data[i - 1] : value_undefined(STR("previtem")));
    dict_set(a, loop, value_text("nextitem"),
             i + 1 < items->len ? items->data[i + 1] : value_undefined(STR("nextitem")));
}

static Value loop_new(Interp *in, const List *items)
{
    Value     loop = value_dict(in->arena);
    Callable *cycle = ARENA_NEW(in->arena, Callable);
    loop.dict->is_namespace = true;
    *cycle = (Callable){.name = "cycle", .native = loop_cycle, .self = loop};
    dict_set(in->arena, loop.dict, value_text("length"), value_int(items->len));
    dict_set(in->arena, loop.dict, value_text("cycle"),
             (Value){.kind = VALUE_CALLABLE, .callable = cycle});
    return loop;
}

/* The items for which the loop's condition holds. */
static List *loop_items(Interp *in, const JinjaNode *node, Scope *outer)
{
    List *all = jinja_items(in, jinja_eval(in, node->b)), *some;
    if (!all || !node->filter)
        return all;
    some = value_list(in->arena).list;
    for (uint32_t i = 0; i < all->len && !jinja_failed(in); i++) {
        in->scope = scope_new(in, outer);
        assign(in, node->a, all->data[i]);
        if (jinja_truth(jinja_eval(in, node->filter)))
            list_push(in->arena, some, all->data[i]);
    }
    in->scope = outer;
    return some;
}

static Flow run_for(Interp *in, const JinjaNode *node)
{
    Scope *outer = in->scope;
    List  *items = loop_items(in, node, outer);
    if (jinja_failed(in))
        return FLOW_ON;
    if (items->len == 0)
        return node->d ? run(in, node->d) : FLOW_ON;

    /* A loop that appends to its own list sees what it had. */
    List  fixed = {arena_copy(in->arena, items->data, items->len * sizeof *items->data), items->len,
                   items->len, false};
    Value loop = loop_new(in, &fixed);
    for (uint32_t i = 0; i < fixed.len && jinja_spend(in, 1); i++) {
        in->scope = scope_new(in, outer);
        loop_update(in, loop.dict, &fixed, i);
        dict_set(in->arena, in->scope->variables, value_text("loop"), loop);
        assign(in, node->a, fixed.data[i]);
        if (run(in, node->c) == FLOW_BREAK)
            break;
    }
    in->scope = outer;
    return FLOW_ON;
}

/* ---- macros ---- */

static Value callable(Interp *in, const JinjaNode *macro)
{
    Callable *c = ARENA_NEW(in->arena, Callable);
    *c = (Callable){.name = arena_printf(in->arena, "%.*s", STR_ARG(macro->name)), .macro = macro,
                    .scope = in->scope};
    return (Value){.kind = VALUE_CALLABLE, .callable = c};
}

static const Value *named(const Call *call, Str name)
{
    for (uint32_t i = 0; i < call->named_count; i++)
        if (str_eq(call->named[i].name, name))
            return &call->named[i].value;
    return NULL;
}

static void bind(Interp *in, const JinjaNode *macro, const Call *call)
{
    Dict *variables = in->scope->variables;
    Value rest = value_list(in->arena), more = value_dict(in->arena);
    for (uint32_t i = 0; i < macro->args.len && !jinja_failed(in); i++) {
        JinjaArg     p = macro->args.data[i];
        const Value *given = i < call->count ? &call->args[i] : named(call, p.name);
        Value v = given     ? *given
                  : p.value ? jinja_eval(in, p.value)
                            : value_undefined(p.name);
        dict_set(in->arena, variables, value_str(p.name), v);
    }
    rest.list->tuple = true;
    for (uint32_t i = macro->args.len; i < call->count; i++)
        list_push(in->arena, rest.list, call->args[i]);
    for (uint32_t i = 0; i < call->named_count; i++) {
        Value name = value_str(call->named[i].name);
        if (value_is(name, "caller"))
            dict_set(in->arena, variables, name, call->named[i].value);
        else if (!dict_find(variables, name))
            dict_set(in->arena, more.dict, name, call->named[i].value);
    }
    if (!dict_find_text(variables, "varargs"))
        dict_set(in->arena, variables, value_text("varargs"), rest);
    if (!dict_find_text(variables, "kwargs"))
        dict_set(in->arena, variables, value_text("kwargs"), more);
}

static Value call_macro(Interp *in, const Callable *c, const Call *call)
{
    Scope *outer = in->scope;
    if (call->count > c->macro->args.len + 64)
        return jinja_fault(in, "too many arguments for %s()", c->name);
    in->scope = scope_new(in, c->scope);
    bind(in, c->macro, call);
    Value v = jinja_failed(in) ? value_none() : capture(in, c->macro->a);
    in->scope = outer;
    return v;
}

Value jinja_call(Interp *in, Value callee, const Call *call)
{
    if (callee.kind == VALUE_UNDEFINED)
        return jinja_fault(in, "'%.*s' is undefined and cannot be called", STR_ARG(callee.missing));
    if (callee.kind != VALUE_CALLABLE)
        return jinja_fault(in, "a value that is %s cannot be called", value_kind_name(callee));
    const Callable *c = callee.callable;
    if (c->macro) {
        if (!enter(in))
            return value_none();
        Value v = call_macro(in, c, call);
        in->depth--;
        return v;
    }
    Call bound = *call;
    bound.self = c->self;
    bound.what = c->name;
    return c->native(in, &bound);
}

/* {% call(x) macro(a) %}: the macro gets the body as caller(). */
static void run_call_block(Interp *in, const JinjaNode *node)
{
    const JinjaNode *call = node->b;
    JinjaArg         caller = {.name = STR("caller")};
    JinjaNode        with = *call, value = {.kind = NODE_LITERAL, .at = node->at};
    value.value = callable(in, node);
    caller.value = &value;
    with.args.data = NULL;
    with.args.len = with.args.cap = 0;
    for (uint32_t i = 0; i < call->args.len; i++)
        VEC_PUSH(in->arena, &with.args, call->args.data[i]);
    VEC_PUSH(in->arena, &with.args, caller);
    emit(in, jinja_string(in, jinja_eval(in, &with)));
}

/* ---- statements ---- */

static Flow run_if(Interp *in, const JinjaNode *node)
{
    for (; node && node->kind == NODE_IF; node = node->c) {
        bool yes = jinja_truth(jinja_eval(in, node->a));
        if (jinja_failed(in))
            return FLOW_ON;
        if (yes)
            return run(in, node->b);
    }
    return node ? run(in, node) : FLOW_ON;
}

static Flow run_body(Interp *in, const JinjaNode *node)
{
    for (uint32_t i = 0; i < node->items.len && !jinja_failed(in); i++) {
        Flow flow = run(in, node->items.data[i]);
        if (flow != FLOW_ON)
            return flow;
    }
    return FLOW_ON;
}

static Flow run_one(Interp *in, const JinjaNode *node)
{
    switch (node->kind) {
    case NODE_BODY:         return run_body(in, node);
    case NODE_IF:           return run_if(in, node);
    case NODE_FOR:          return run_for(in, node);
    case NODE_BREAK:        return FLOW_BREAK;
    case NODE_CONTINUE:     return FLOW_CONTINUE;
    case NODE_TEXT:         emit(in, node->name); break;
    case NODE_OUTPUT:       emit(in, jinja_string(in, jinja_eval(in, node->a))); break;
    case NODE_SET:          assign(in, node->a, jinja_eval(in, node->b)); break;
    case NODE_SET_BLOCK:    assign(in, node->a, filtered(in, node->b, node->c)); break;
    case NODE_FILTER_BLOCK: emit(in, jinja_string(in, filtered(in, node->a, node->b))); break;
    case NODE_MACRO:
        dict_set(in->arena, in->scope->variables, value_str(node->name), callable(in, node));
        break;
    case NODE_CALL_BLOCK:   run_call_block(in, node); break;
    case NODE_DO:           jinja_eval(in, node->a); break;
    default:                BUG("statement of kind %d", node->kind);
    }
    return FLOW_ON;
}

static Flow run(Interp *in, const JinjaNode *node)
{
    in->at = node->at;
    if (jinja_failed(in) || !jinja_spend(in, 1) || !enter(in))
        return FLOW_ON;
    Flow flow = run_one(in, node);
    in->depth--;
    return flow;
}

/* ---- the whole ---- */

typedef struct Rendering {
    Interp in;
    Str   *out;
} Rendering;

static void render(void *context)
{
    Rendering *r = context;
    Interp    *in = &r->in;
    Text       t = {.arena = in->arena};
    Scope      variables = {.variables = in->how->variables.dict};
    in->out = &t;
    in->top = in->scope = scope_new(in, &variables);
    run(in, in->jinja->body);
    *r->out = (Str){t.data ? t.data : "", (uint32_t)t.len};
}

bool jinja_render(Str *out, Arena *arena, const Jinja *j, const JinjaRender *how, Fault *fault)
{
    Rendering r = {.in = {.arena = arena, .jinja = j, .how = how, .fault = fault}, .out = out};
    BUG_IF(how->variables.kind != VALUE_DICT, "variables are no dictionary");
    if (!arena_try(arena, render, &r))
        fault_set(fault, FAULT_LIMIT, "template: rendering needs too much memory");
    return fault->kind == FAULT_NONE;
}
