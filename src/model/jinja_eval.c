// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_eval.c - values of expressions.
 *
 * in     expression nodes
 * out    values
 * knows  Python's operators, indices and slices
 * not    statements (jinja_run.c), filters and methods (jinja_filter.c, jinja_method.c)
 */
#include <math.h>

#include "base/utf8.h"
#include "model/jinja_priv.h"

/* ---- truth, order, membership ---- */

bool jinja_equal(Interp *in, Value a, Value b)
{
    uint64_t left = in->how->max_steps > in->steps ? in->how->max_steps - in->steps : 0;
    uint64_t budget = left;
    bool     equal = value_same(a, b, &budget);
    if (left - budget > 1)
        jinja_spend(in, left - budget + (budget == 0));
    return equal;
}

bool jinja_truth(Value v)
{
    switch (v.kind) {
    case VALUE_BOOL:     return v.b;
    case VALUE_INT:      return v.i != 0;
    case VALUE_FLOAT:    return v.f != 0;
    case VALUE_STRING:   return v.s.len > 0;
    case VALUE_LIST:     return v.list->len > 0;
    case VALUE_DICT:     return v.dict->is_namespace || v.dict->len > 0;
    case VALUE_CALLABLE: return true;
    default:             return false;
    }
}

bool jinja_hashable(Value v)
{
    return v.kind != VALUE_DICT && (v.kind != VALUE_LIST || v.list->tuple);
}

static bool is_number(Value v)
{
    return v.kind == VALUE_INT || v.kind == VALUE_FLOAT || v.kind == VALUE_BOOL;
}

static double as_double(Value v)
{
    return v.kind == VALUE_FLOAT ? v.f : v.kind == VALUE_INT ? (double)v.i : v.b;
}

static int64_t as_int(Value v)
{
    return v.kind == VALUE_INT ? v.i : v.b;
}

static int order_lists(Interp *in, const List *a, const List *b)
{
    for (uint32_t i = 0; i < a->len && i < b->len && jinja_spend(in, 1); i++)
        if (!jinja_equal(in, a->data[i], b->data[i]))
            return jinja_order(in, a->data[i], b->data[i]);
    return (a->len > b->len) - (a->len < b->len);
}

int jinja_order(Interp *in, Value a, Value b)
{
    if (is_number(a) && is_number(b)) {
        if (a.kind != VALUE_FLOAT && b.kind != VALUE_FLOAT)
            return (as_int(a) > as_int(b)) - (as_int(a) < as_int(b));
        return (as_double(a) > as_double(b)) - (as_double(a) < as_double(b));
    }
    if (a.kind == VALUE_STRING && b.kind == VALUE_STRING) {
        uint32_t len = MIN_OF(a.s.len, b.s.len);
        int      order = len ? memcmp(a.s.data, b.s.data, len) : 0;
        return order ? order : (a.s.len > b.s.len) - (a.s.len < b.s.len);
    }
    if (a.kind == VALUE_LIST && b.kind == VALUE_LIST) {
        if (in->depth >= JINJA_MAX_CALLS)
            return 0;
        in->depth++;
        int order = order_lists(in, a.list, b.list);
        in->depth--;
        return order;
    }
    jinja_fault(in, "%s and %s have no order", value_kind_name(a), value_kind_name(b));
    return 0;
}

static bool str_contains(Str s, Str part)
{
    for (uint32_t i = 0; part.len <= s.len && i <= s.len - part.len; i++)
        if (part.len == 0 || memcmp(s.data + i, part.data, part.len) == 0)
            return true;
    return false;
}

bool jinja_contains(Interp *in, Value in_what, Value what)
{
    switch (in_what.kind) {
    case VALUE_STRING:
        if (what.kind == VALUE_UNDEFINED || what.kind == VALUE_NONE)
            return false;
        if (what.kind != VALUE_STRING) {
            jinja_fault(in, "'in' needs a string before a string, not %s", value_kind_name(what));
            return false;
        }
        jinja_spend(in, in_what.s.len / 64);
        return str_contains(in_what.s, what.s);
    case VALUE_DICT:
        return dict_find(in_what.dict, what) != NULL;
    case VALUE_LIST:
        for (uint32_t i = 0; i < in_what.list->len && jinja_spend(in, 1); i++)
            if (jinja_equal(in, in_what.list->data[i], what))
                return true;
        return false;
    case VALUE_UNDEFINED:
        return false;
    default:
        jinja_fault(in, "'in' needs a string, list or dictionary, not %s",
                    value_kind_name(in_what));
        return false;
    }
}

List *jinja_items(Interp *in, Value v)
{
    List *items = value_list(in->arena).list;
    switch (v.kind) {
    case VALUE_LIST:
        return v.list;
    case VALUE_DICT:
        list_reserve(in->arena, items, v.dict->len);
        for (uint32_t i = 0; i < v.dict->len; i++)
            list_push(in->arena, items, v.dict->data[i].key);
        return items;
    case VALUE_STRING:
        list_reserve(in->arena, items, jinja_length(v.s));
        for (uint32_t i = 0, c, n; i < v.s.len; i += n) {
            n = utf8_decode(v.s, i, &c);
            n += n == 0;
            list_push(in->arena, items, value_str((Str){v.s.data + i, n}));
        }
        jinja_spend(in, v.s.len / 8);
        return items;
    case VALUE_UNDEFINED:
        return items;
    default:
        jinja_fault(in, "a value that is %s cannot be iterated", value_kind_name(v));
        return NULL;
    }
}

/* ---- arithmetic ---- */

static Value repeat(Interp *in, Value v, int64_t times)
{
    Value list = value_list(in->arena);
    Text  t = {.arena = in->arena};
    for (int64_t i = 0; i < times && jinja_spend(in, 1); i++) {
        if (v.kind == VALUE_STRING) {
            if (!jinja_spend(in, v.s.len / 64))
                break;
            text_add(&t, v.s);
        }
        for (uint32_t k = 0; v.kind == VALUE_LIST && k < v.list->len && jinja_spend(in, 1); k++)
            list_push(in->arena, list.list, v.list->data[k]);
    }
    return v.kind == VALUE_LIST ? list : value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
}

/* Unlike in Python, anything can be added to a string. */
static Value add(Interp *in, Value a, Value b)
{
    if (a.kind == VALUE_STRING && b.kind != VALUE_STRING)
        b = value_str(jinja_string(in, b));
    else if (b.kind == VALUE_STRING && a.kind != VALUE_STRING)
        a = value_str(jinja_string(in, a));
    if (a.kind == VALUE_STRING && b.kind == VALUE_STRING) {
        if ((uint64_t)a.s.len + b.s.len > INT32_MAX)
            return jinja_fault(in, "the string is too long");
        char *s = arena_alloc(in->arena, (size_t)a.s.len + b.s.len + 1);
        memcpy(s, a.s.data, a.s.len);
        memcpy(s + a.s.len, b.s.data, b.s.len);
        jinja_spend(in, (a.s.len + (uint64_t)b.s.len) / 64);
        return value_str((Str){s, a.s.len + b.s.len});
    }
    if (a.kind == VALUE_LIST && b.kind == VALUE_LIST) {
        Value v = value_list(in->arena);
        if (!jinja_spend(in, a.list->len + (uint64_t)b.list->len))
            return v;
        list_reserve(in->arena, v.list, a.list->len + b.list->len);
        for (uint32_t i = 0; i < a.list->len; i++)
            list_push(in->arena, v.list, a.list->data[i]);
        for (uint32_t i = 0; i < b.list->len; i++)
            list_push(in->arena, v.list, b.list->data[i]);
        v.list->tuple = a.list->tuple;
        return v;
    }
    return jinja_fault(in, "cannot add %s and %s", value_kind_name(a), value_kind_name(b));
}

/* Integers wrap around at 64 bits, unlike Python's. */
static Value int_arithmetic(Interp *in, char op, bool twice, int64_t x, int64_t y)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (op) {
    case '+': return value_int((int64_t)(a + b));
    case '-': return value_int((int64_t)(a - b));
    case '*':
        if (!twice)
            return value_int((int64_t)(a * b));
        return y < 0 ? value_float(pow((double)x, (double)y))
                     : fabs(pow((double)x, (double)y)) < 9e18
                           ? value_int(llround(pow((double)x, (double)y)))
                           : jinja_fault(in, "the power is above 2^63");
    default:
        break;
    }
    if (y == 0)
        return jinja_fault(in, "division by zero");
    if (op == '/' && !twice)
        return value_float((double)x / (double)y);
    if (y == -1)
        return op == '/' ? value_int((int64_t)(0 - a)) : value_int(0);
    int64_t quotient = x / y - (x % y != 0 && (x < 0) != (y < 0));
    return op == '/' ? value_int(quotient) : value_int((int64_t)(a - (uint64_t)quotient * b));
}

static Value float_arithmetic(Interp *in, char op, bool twice, double x, double y)
{
    switch (op) {
    case '+': return value_float(x + y);
    case '-': return value_float(x - y);
    case '*': return value_float(twice ? pow(x, y) : x * y);
    default:  break;
    }
    if (y == 0)
        return jinja_fault(in, "division by zero");
    if (op == '/')
        return value_float(twice ? floor(x / y) : x / y);
    return value_float(x - y * floor(x / y));
}

Value jinja_binary(Interp *in, Str op, Value a, Value b)
{
    bool twice = op.len == 2;
    if (op.data[0] == '~')
        return add(in, value_str(jinja_string(in, a)), b);
    if (is_number(a) && is_number(b)) {
        if (a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT)
            return float_arithmetic(in, op.data[0], twice, as_double(a), as_double(b));
        return int_arithmetic(in, op.data[0], twice, as_int(a), as_int(b));
    }
    if (op.data[0] == '+')
        return add(in, a, b);
    if (op.data[0] == '*' && !twice && a.kind == VALUE_INT)
        return jinja_binary(in, op, b, a);
    if (op.data[0] == '*' && !twice && b.kind == VALUE_INT &&
        (a.kind == VALUE_STRING || a.kind == VALUE_LIST))
        return repeat(in, a, b.i);
    if (op.data[0] == '%' && a.kind == VALUE_STRING) {
        Call c = {.self = a, .args = &b, .count = 1, .what = "format"};
        if (b.kind == VALUE_LIST && b.list->tuple) {
            c.args = b.list->data;
            c.count = b.list->len;
        }
        return jinja_filter(in, STR("format"), &c);
    }
    return jinja_fault(in, "cannot use %.*s between %s and %s", STR_ARG(op), value_kind_name(a),
                       value_kind_name(b));
}

/* ---- members, indices, slices ---- */

static Value bound(Interp *in, Value of, Str name, Native native)
{
    Callable *c = ARENA_NEW(in->arena, Callable);
    *c = (Callable){.name = arena_printf(in->arena, "%.*s", STR_ARG(name)), .native = native,
                    .self = of};
    return (Value){.kind = VALUE_CALLABLE, .callable = c};
}

Value jinja_member(Interp *in, Value of, Str name)
{
    const Value *v = of.kind == VALUE_DICT ? dict_find(of.dict, value_str(name)) : NULL;
    Native       method = jinja_method_find(of, name);
    /* As in Jinja, a method comes before a key of the same name. */
    if (method && !(v && v->kind == VALUE_CALLABLE))
        return bound(in, of, name, method);
    return v ? *v : value_undefined(name);
}

/* The byte at which code point `index` starts. */
static uint32_t byte_at(Str s, int64_t index)
{
    uint32_t at = 0;
    for (uint32_t c, n; index > 0 && at < s.len; index--, at += n) {
        n = utf8_decode(s, at, &c);
        n += n == 0;
    }
    return at;
}

Value jinja_index(Interp *in, Value of, Value key)
{
    if (of.kind == VALUE_DICT) {
        const Value *v = dict_find(of.dict, key);
        if (v)
            return *v;
        return key.kind == VALUE_STRING ? jinja_member(in, of, key.s) : value_undefined(STR(""));
    }
    if (key.kind == VALUE_STRING)
        return jinja_member(in, of, key.s);
    if (key.kind != VALUE_INT)
        return value_undefined(STR(""));
    if (of.kind == VALUE_LIST) {
        int64_t i = key.i < 0 ? key.i + of.list->len : key.i;
        return i >= 0 && i < of.list->len ? of.list->data[i] : value_undefined(STR(""));
    }
    if (of.kind == VALUE_STRING) {
        int64_t len = jinja_length(of.s), i = key.i < 0 ? key.i + len : key.i;
        jinja_spend(in, of.s.len / 64);
        if (i < 0 || i >= len)
            return value_undefined(STR(""));
        uint32_t at = byte_at(of.s, i);
        Str      rest = {of.s.data + at, of.s.len - at};
        return value_str((Str){rest.data, byte_at(rest, 1)});
    }
    return value_undefined(STR(""));
}

/* One bound of a slice as a place from 0 to len (or from -1, going down). */
static int64_t slice_bound(Interp *in, const JinjaNode *node, int64_t none, int64_t len, bool down)
{
    if (!node)
        return none;
    Value v = jinja_eval(in, node);
    if (v.kind == VALUE_NONE)
        return none;
    if (v.kind != VALUE_INT && v.kind != VALUE_BOOL) {
        jinja_fault(in, "a slice needs integers, not %s", value_kind_name(v));
        return none;
    }
    int64_t i = as_int(v);
    if (i < 0)
        i = i < -len ? -1 : i + len;
    if (i < 0)
        return down ? -1 : 0;
    return i > len - down ? len - down : i;
}

static Value slice(Interp *in, const JinjaNode *node)
{
    Value of = jinja_eval(in, node->a);
    Value step = node->d ? jinja_eval(in, node->d) : value_int(1);
    if (of.kind == VALUE_UNDEFINED)
        return of;
    if (step.kind == VALUE_NONE)
        step = value_int(1);
    if (step.kind != VALUE_INT || step.i == 0 || step.i < INT32_MIN || step.i > INT32_MAX)
        return jinja_fault(in, "the step of a slice must be an integer that is not 0");
    if (of.kind != VALUE_STRING && of.kind != VALUE_LIST)
        return jinja_fault(in, "a value that is %s has no slices", value_kind_name(of));
    const List *items = jinja_items(in, of);
    if (!items || jinja_failed(in))
        return value_none();
    int64_t len = items->len;
    bool    down = step.i < 0;
    int64_t from = slice_bound(in, node->b, down ? len - 1 : 0, len, down);
    int64_t to = slice_bound(in, node->c, down ? -1 : len, len, down);
    Value   list = value_list(in->arena);
    Text    t = {.arena = in->arena};
    for (int64_t i = from; (down ? i > to : i < to) && !jinja_failed(in); i += step.i) {
        if (of.kind == VALUE_LIST)
            list_push(in->arena, list.list, items->data[i]);
        else
            text_add(&t, items->data[i].s);
    }
    jinja_spend(in, (uint64_t)len / 8);
    if (of.kind == VALUE_STRING)
        return value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
    list.list->tuple = of.list->tuple;
    return list;
}

/* ---- names, calls ---- */

static Value lookup(Interp *in, Str name)
{
    Value key = value_str(name);
    for (const Scope *s = in->scope; s; s = s->outer) {
        const Value *v = dict_find(s->variables, key);
        if (v)
            return *v;
    }
    Native native = jinja_global_find(name);
    return native ? bound(in, value_none(), name, native) : value_undefined(name);
}

static bool eval_args(Interp *in, Call *call, const JinjaNode *node)
{
    call->args = ARENA_ARRAY(in->arena, Value, node->args.len);
    call->named = ARENA_ARRAY(in->arena, NamedValue, node->args.len);
    for (uint32_t i = 0; i < node->args.len && !jinja_failed(in); i++) {
        JinjaArg arg = node->args.data[i];
        Value    v = jinja_eval(in, arg.value);
        if (arg.name.data)
            call->named[call->named_count++] = (NamedValue){arg.name, v};
        else
            call->args[call->count++] = v;
    }
    in->at = node->at;
    return !jinja_failed(in);
}

static Value eval_call(Interp *in, const JinjaNode *node)
{
    Call  call = {0};
    Value callee = jinja_eval(in, node->a);
    if (jinja_failed(in) || !eval_args(in, &call, node))
        return value_none();
    return jinja_call(in, callee, &call);
}

static Value eval_filter(Interp *in, const JinjaNode *node)
{
    Call call = {.self = jinja_eval(in, node->a)};
    if (jinja_failed(in) || !eval_args(in, &call, node))
        return value_none();
    return node->kind == NODE_FILTER ? jinja_filter(in, node->name, &call)
                                     : value_bool(jinja_test(in, node->name, &call));
}

/* ---- the rest ---- */

static bool compare(Interp *in, Str op, Value a, Value b)
{
    if (str_eq(op, STR("==")))
        return jinja_equal(in, a, b);
    if (str_eq(op, STR("!=")))
        return !jinja_equal(in, a, b);
    if (str_eq(op, STR("in")))
        return jinja_contains(in, b, a);
    if (str_eq(op, STR("not in")))
        return !jinja_contains(in, b, a);
    int order = jinja_order(in, a, b);
    if (op.data[0] == '<')
        return op.len == 2 ? order <= 0 : order < 0;
    return op.len == 2 ? order >= 0 : order > 0;
}

static Value eval_compare(Interp *in, const JinjaNode *node)
{
    Value left = jinja_eval(in, node->items.data[0]);
    for (uint32_t i = 0; i < node->args.len && !jinja_failed(in); i++) {
        Value right = jinja_eval(in, node->items.data[i + 1]);
        if (jinja_failed(in) || !compare(in, node->args.data[i].name, left, right))
            return value_bool(false);
        left = right;
    }
    return value_bool(true);
}

static Value eval_items(Interp *in, const JinjaNode *node)
{
    Value v = node->kind == NODE_DICT ? value_dict(in->arena) : value_list(in->arena);
    for (uint32_t i = 0; i < node->items.len && !jinja_failed(in); i++) {
        Value item = jinja_eval(in, node->items.data[i]);
        if (node->kind == NODE_DICT && !jinja_hashable(item))
            return jinja_fault(in, "a value that is %s cannot be a key", value_kind_name(item));
        if (node->kind == NODE_DICT)
            dict_set(in->arena, v.dict, item, jinja_eval(in, node->items.data[++i]));
        else
            list_push(in->arena, v.list, item);
    }
    if (node->kind == NODE_TUPLE)
        v.list->tuple = true;
    return v;
}

static Value eval_sign(Interp *in, const JinjaNode *node)
{
    Value v = jinja_eval(in, node->a);
    if (jinja_failed(in))
        return v;
    if (!is_number(v))
        return jinja_fault(in, "a sign needs a number, not %s", value_kind_name(v));
    if (node->kind == NODE_PLUS)
        return v;
    return v.kind == VALUE_FLOAT ? value_float(-v.f)
                                 : value_int((int64_t)(0 - (uint64_t)as_int(v)));
}

static Value eval_binary(Interp *in, const JinjaNode *node)
{
    Value a = jinja_eval(in, node->a);
    if (jinja_failed(in))
        return a;
    if (node->kind == NODE_AND)
        return jinja_truth(a) ? jinja_eval(in, node->b) : a;
    if (node->kind == NODE_OR)
        return jinja_truth(a) ? a : jinja_eval(in, node->b);
    Value b = jinja_eval(in, node->b);
    in->at = node->at;
    return jinja_failed(in) ? b : jinja_binary(in, node->name, a, b);
}

static Value eval_choice(Interp *in, const JinjaNode *node)
{
    if (jinja_truth(jinja_eval(in, node->b)))
        return jinja_failed(in) ? value_none() : jinja_eval(in, node->a);
    return node->c && !jinja_failed(in) ? jinja_eval(in, node->c) : value_undefined(STR(""));
}

static Value eval_index(Interp *in, const JinjaNode *node)
{
    Value of = jinja_eval(in, node->a);
    if (node->kind == NODE_MEMBER)
        return jinja_member(in, of, node->name);
    return jinja_index(in, of, jinja_eval(in, node->b));
}

static Value eval_one(Interp *in, const JinjaNode *node)
{
    switch (node->kind) {
    case NODE_LITERAL: return node->value;
    case NODE_NAME:    return lookup(in, node->name);
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_DICT:    return eval_items(in, node);
    case NODE_NOT:     return value_bool(!jinja_truth(jinja_eval(in, node->a)));
    case NODE_NEGATE:
    case NODE_PLUS:    return eval_sign(in, node);
    case NODE_AND:
    case NODE_OR:
    case NODE_BINARY:  return eval_binary(in, node);
    case NODE_COMPARE: return eval_compare(in, node);
    case NODE_IF_ELSE: return eval_choice(in, node);
    case NODE_MEMBER:
    case NODE_INDEX:   return eval_index(in, node);
    case NODE_SLICE:   return slice(in, node);
    case NODE_CALL:    return eval_call(in, node);
    case NODE_FILTER:
    case NODE_TEST:    return eval_filter(in, node);
    case NODE_INPUT:   return in->input;
    default:           BUG("expression of kind %d", node->kind);
    }
}

Value jinja_eval(Interp *in, const JinjaNode *node)
{
    in->at = node->at;
    if (jinja_failed(in) || !jinja_spend(in, 1))
        return value_none();
    if (in->depth >= JINJA_MAX_CALLS) {
        jinja_fail_at(in->fault, FAULT_LIMIT, in->jinja->source, node->at,
                      "more than %u nested calls", JINJA_MAX_CALLS);
        return value_none();
    }
    in->depth++;
    Value v = eval_one(in, node);
    in->depth--;
    return v;
}
