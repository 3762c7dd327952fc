// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_expr.c - expressions of templates.
 *
 * in     tokens
 * out    expression nodes
 * knows  Jinja's precedences: if, or, and, not, comparisons, + -, ~, * / // %, unary, **,
 *        then filters and tests, which bind closest
 * not    statements (jinja_parse.c), what operators do (jinja_eval.c)
 */
#include <errno.h>
#include <stdlib.h>

#include "model/jinja_priv.h"

static JinjaNode *unary(JinjaParser *p, bool filters);

/* ---- recursion ---- */

static bool enter(JinjaParser *p)
{
    if (p->depth >= JINJA_MAX_DEPTH)
        return jinja_error(p, "more than %u nested expressions or blocks", JINJA_MAX_DEPTH);
    p->depth++;
    return true;
}

static JinjaNode *binary(JinjaParser *p, NodeKind kind, JinjaNode *a, JinjaNode *b)
{
    JinjaNode *n = jinja_node(p, kind);
    n->a = a;
    n->b = b;
    n->at = a->at;
    return n;
}

static bool stop(const JinjaParser *p)
{
    return p->fault->kind != FAULT_NONE || p->token->kind == TOKEN_END;
}

/* ---- literals ---- */

static JinjaNode *literal(JinjaParser *p, Value v)
{
    JinjaNode *n = jinja_node(p, NODE_LITERAL);
    n->value = v;
    p->token++;
    return n;
}

static JinjaNode *number(JinjaParser *p)
{
    const char *text = arena_printf(p->arena, "%.*s", STR_ARG(p->token->text));
    if (p->token->kind == TOKEN_FLOAT)
        return literal(p, value_float(strtod(text, NULL)));
    errno = 0;
    long long i = strtoll(text, NULL, 10);
    if (errno)
        jinja_error(p, "the number is above 2^63");
    return literal(p, value_int(i));
}

/* Strings side by side are one. */
static JinjaNode *string(JinjaParser *p)
{
    Text       t = {.arena = p->arena};
    JinjaNode *n = jinja_node(p, NODE_LITERAL);
    for (; p->token->kind == TOKEN_STRING; p->token++)
        text_add(&t, p->token->text);
    n->value = value_str((Str){t.data ? t.data : "", (uint32_t)t.len});
    return n;
}

static JinjaNode *name(JinjaParser *p)
{
    Str s = p->token->text;
    if (str_eq(s, STR("true")) || str_eq(s, STR("True")))
        return literal(p, value_bool(true));
    if (str_eq(s, STR("false")) || str_eq(s, STR("False")))
        return literal(p, value_bool(false));
    if (str_eq(s, STR("none")) || str_eq(s, STR("None")))
        return literal(p, value_none());
    JinjaNode *n = jinja_node(p, NODE_NAME);
    n->name = s;
    p->token++;
    return n;
}

static JinjaNode *list(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_LIST);
    p->token++;
    while (!jinja_is(p, TOKEN_OPERATOR, "]") && !stop(p)) {
        VEC_PUSH(p->arena, &n->items, jinja_expression(p));
        if (!jinja_take(p, TOKEN_OPERATOR, ","))
            break;
    }
    jinja_expect(p, TOKEN_OPERATOR, "]");
    return n;
}

static JinjaNode *dict(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_DICT);
    p->token++;
    while (!jinja_is(p, TOKEN_OPERATOR, "}") && !stop(p)) {
        VEC_PUSH(p->arena, &n->items, jinja_expression(p));
        jinja_expect(p, TOKEN_OPERATOR, ":");
        VEC_PUSH(p->arena, &n->items, jinja_expression(p));
        if (!jinja_take(p, TOKEN_OPERATOR, ","))
            break;
    }
    jinja_expect(p, TOKEN_OPERATOR, "}");
    return n;
}

static JinjaNode *parenthesis(JinjaParser *p)
{
    p->token++;
    if (jinja_is(p, TOKEN_OPERATOR, ")")) {
        JinjaNode *n = jinja_node(p, NODE_TUPLE);
        p->token++;
        return n;
    }
    JinjaNode *n = jinja_expression_list(p);
    jinja_expect(p, TOKEN_OPERATOR, ")");
    return n;
}

static JinjaNode *primary(JinjaParser *p)
{
    switch (p->token->kind) {
    case TOKEN_NAME:   return name(p);
    case TOKEN_STRING: return string(p);
    case TOKEN_INT:
    case TOKEN_FLOAT:  return number(p);
    default:           break;
    }
    if (jinja_is(p, TOKEN_OPERATOR, "("))
        return parenthesis(p);
    if (jinja_is(p, TOKEN_OPERATOR, "["))
        return list(p);
    if (jinja_is(p, TOKEN_OPERATOR, "{"))
        return dict(p);
    if (p->token->kind == TOKEN_END)
        jinja_error(p, "expected an expression, the template ends here");
    else
        jinja_error(p, "expected an expression, not '%.*s'", STR_ARG(p->token->text));
    return jinja_node(p, NODE_LITERAL);
}

/* ---- what follows an expression ---- */

void jinja_args(JinjaParser *p, JinjaNode *call)
{
    while (!jinja_is(p, TOKEN_OPERATOR, ")") && !stop(p)) {
        JinjaArg arg = {0};
        if (p->token->kind == TOKEN_NAME && p->token[1].kind == TOKEN_OPERATOR &&
            str_eq(p->token[1].text, STR("="))) {
            arg.name = p->token->text;
            p->token += 2;
        } else if (jinja_is(p, TOKEN_OPERATOR, "*") || jinja_is(p, TOKEN_OPERATOR, "**")) {
            jinja_error(p, "arguments with * and ** are not supported");
        }
        arg.value = jinja_expression(p);
        VEC_PUSH(p->arena, &call->args, arg);
        if (!jinja_take(p, TOKEN_OPERATOR, ","))
            break;
    }
    jinja_expect(p, TOKEN_OPERATOR, ")");
}

/* [i], [a:b:c] */
static JinjaNode *subscript(JinjaParser *p, JinjaNode *of)
{
    JinjaNode *n = jinja_node(p, NODE_INDEX), *parts[3] = {0};
    uint32_t   colons = 0;
    n->a = of;
    for (p->token++; !jinja_is(p, TOKEN_OPERATOR, "]") && !stop(p);) {
        if (jinja_take(p, TOKEN_OPERATOR, ":")) {
            if (++colons > 2)
                jinja_error(p, "a slice has at most three parts");
        } else if (!parts[colons]) {
            parts[colons] = colons ? jinja_expression(p) : jinja_expression_list(p);
        } else {
            break;
        }
    }
    jinja_expect(p, TOKEN_OPERATOR, "]");
    n->kind = colons ? NODE_SLICE : NODE_INDEX;
    n->b = parts[0];
    n->c = parts[1];
    n->d = parts[2];
    if (!colons && !n->b) {         /* a[] is undefined                                    */
        n->b = jinja_node(p, NODE_LITERAL);
        n->b->value = value_undefined(STR(""));
    }
    return n;
}

static JinjaNode *member(JinjaParser *p, JinjaNode *of)
{
    JinjaNode *n = jinja_node(p, NODE_MEMBER);
    p->token++;
    n->a = of;
    if (p->token->kind == TOKEN_INT) {
        n->kind = NODE_INDEX;
        n->b = number(p);
        return n;
    }
    n->name = p->token->text;
    jinja_expect(p, TOKEN_NAME, NULL);
    return n;
}

static JinjaNode *filter(JinjaParser *p, JinjaNode *of)
{
    JinjaNode *n = jinja_node(p, NODE_FILTER);
    p->token++;
    n->a = of;
    n->at = p->token->at;
    n->name = p->token->text;
    if (jinja_expect(p, TOKEN_NAME, NULL) && !jinja_has_filter(n->name))
        jinja_fail_at(p->fault, FAULT_UNSUPPORTED, p->source, n->at, "unknown filter '%.*s'",
                      STR_ARG(n->name));
    if (jinja_take(p, TOKEN_OPERATOR, "("))
        jinja_args(p, n);
    return n;
}

/* Whether the current token starts the argument of a test, as in `is divisibleby 3`. */
static bool starts_argument(const JinjaParser *p)
{
    static const char *const not[] = {"else", "or", "and", "is", "if", "not", "in"};
    TokenKind kind = p->token->kind;
    if (kind == TOKEN_NAME) {
        for (size_t i = 0; i < COUNTOF(not); i++)
            if (str_eq(p->token->text, str_of(not[i])))
                return false;
        return true;
    }
    return kind == TOKEN_STRING || kind == TOKEN_INT || kind == TOKEN_FLOAT ||
           jinja_is(p, TOKEN_OPERATOR, "[") || jinja_is(p, TOKEN_OPERATOR, "{");
}

static JinjaNode *test(JinjaParser *p, JinjaNode *of)
{
    JinjaNode *n = jinja_node(p, NODE_TEST);
    p->token++;
    bool negated = jinja_take(p, TOKEN_NAME, "not");
    n->a = of;
    n->at = p->token->at;
    n->name = p->token->text;
    if (jinja_expect(p, TOKEN_NAME, NULL) && !jinja_has_test(n->name))
        jinja_fail_at(p->fault, FAULT_UNSUPPORTED, p->source, n->at, "unknown test '%.*s'",
                      STR_ARG(n->name));
    if (jinja_take(p, TOKEN_OPERATOR, "("))
        jinja_args(p, n);
    else if (starts_argument(p)) {
        JinjaArg arg = {.value = primary(p)};
        while (jinja_is(p, TOKEN_OPERATOR, ".") || jinja_is(p, TOKEN_OPERATOR, "["))
            arg.value = jinja_is(p, TOKEN_OPERATOR, ".") ? member(p, arg.value)
                                                         : subscript(p, arg.value);
        VEC_PUSH(p->arena, &n->args, arg);
    }
    if (!negated)
        return n;
    JinjaNode *not = jinja_node(p, NODE_NOT);
    not->a = n;
    return not;
}

static JinjaNode *call(JinjaParser *p, JinjaNode *of)
{
    JinjaNode *n = jinja_node(p, NODE_CALL);
    n->at = of->at;
    n->a = of;
    p->token++;
    jinja_args(p, n);
    return n;
}

static JinjaNode *postfix(JinjaParser *p, JinjaNode *n, bool filters)
{
    while (!stop(p)) {
        if (jinja_is(p, TOKEN_OPERATOR, "."))
            n = member(p, n);
        else if (jinja_is(p, TOKEN_OPERATOR, "["))
            n = subscript(p, n);
        else if (jinja_is(p, TOKEN_OPERATOR, "("))
            n = call(p, n);
        else if (filters && jinja_is(p, TOKEN_OPERATOR, "|"))
            n = filter(p, n);
        else if (filters && jinja_is(p, TOKEN_NAME, "is"))
            n = test(p, n);
        else
            break;
    }
    return n;
}

JinjaNode *jinja_postfix(JinjaParser *p, JinjaNode *node)
{
    return postfix(p, node, true);
}

/* ---- operators ---- */

static JinjaNode *unary(JinjaParser *p, bool filters)
{
    JinjaNode *n;
    if (!enter(p))
        return jinja_node(p, NODE_LITERAL);
    if (jinja_is(p, TOKEN_OPERATOR, "-") || jinja_is(p, TOKEN_OPERATOR, "+")) {
        n = jinja_node(p, p->token->text.data[0] == '-' ? NODE_NEGATE : NODE_PLUS);
        p->token++;
        n->a = unary(p, false);
    } else {
        n = primary(p);
    }
    n = postfix(p, n, filters);
    p->depth--;
    return n;
}

static JinjaNode *power(JinjaParser *p)
{
    JinjaNode *n = unary(p, true);
    while (jinja_is(p, TOKEN_OPERATOR, "**")) {
        Str op = p->token->text;
        p->token++;
        n = binary(p, NODE_BINARY, n, unary(p, true));
        n->name = op;
    }
    return n;
}

/* One level of left-associative operators; the names end with NULL. */
static JinjaNode *level(JinjaParser *p, JinjaNode *(*below)(JinjaParser *), const char *const *ops)
{
    JinjaNode *n = below(p);
    for (size_t i = 0; ops[i] && !stop(p);) {
        if (!jinja_is(p, TOKEN_OPERATOR, ops[i])) {
            i++;
            continue;
        }
        Str op = p->token->text;
        p->token++;
        n = binary(p, NODE_BINARY, n, below(p));
        n->name = op;
        i = 0;
    }
    return n;
}

static JinjaNode *product(JinjaParser *p)
{
    static const char *const ops[] = {"*", "/", "//", "%", NULL};
    return level(p, power, ops);
}

static JinjaNode *concatenation(JinjaParser *p)
{
    static const char *const ops[] = {"~", NULL};
    return level(p, product, ops);
}

static JinjaNode *sum(JinjaParser *p)
{
    static const char *const ops[] = {"+", "-", NULL};
    return level(p, concatenation, ops);
}

/* The operator of a comparison here, which is taken; data NULL if there is none. */
static Str comparison_operator(JinjaParser *p)
{
    static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
    for (size_t i = 0; i < COUNTOF(ops); i++)
        if (jinja_take(p, TOKEN_OPERATOR, ops[i]))
            return str_of(ops[i]);
    if (jinja_take(p, TOKEN_NAME, "in"))
        return STR("in");
    if (jinja_is(p, TOKEN_NAME, "not") && p->token[1].kind == TOKEN_NAME &&
        str_eq(p->token[1].text, STR("in"))) {
        p->token += 2;
        return STR("not in");
    }
    return (Str){0};
}

static JinjaNode *comparison(JinjaParser *p)
{
    JinjaNode *first = sum(p), *n = NULL;
    for (Str op; !stop(p) && (op = comparison_operator(p)).data;) {
        if (!n) {
            n = jinja_node(p, NODE_COMPARE);
            n->at = first->at;
            VEC_PUSH(p->arena, &n->items, first);
        }
        VEC_PUSH(p->arena, &n->args, ((JinjaArg){.name = op}));
        VEC_PUSH(p->arena, &n->items, sum(p));
    }
    return n ? n : first;
}

static JinjaNode *negation(JinjaParser *p)
{
    if (!jinja_is(p, TOKEN_NAME, "not"))
        return comparison(p);
    JinjaNode *n = jinja_node(p, NODE_NOT);
    if (!enter(p))
        return n;
    p->token++;
    n->a = negation(p);
    p->depth--;
    return n;
}

static JinjaNode *conjunction(JinjaParser *p)
{
    JinjaNode *n = negation(p);
    while (jinja_take(p, TOKEN_NAME, "and"))
        n = binary(p, NODE_AND, n, negation(p));
    return n;
}

JinjaNode *jinja_or(JinjaParser *p)
{
    JinjaNode *n = conjunction(p);
    while (jinja_take(p, TOKEN_NAME, "or"))
        n = binary(p, NODE_OR, n, conjunction(p));
    return n;
}

JinjaNode *jinja_expression(JinjaParser *p)
{
    if (!enter(p))
        return jinja_node(p, NODE_LITERAL);
    JinjaNode *n = jinja_or(p);
    while (jinja_take(p, TOKEN_NAME, "if")) {
        JinjaNode *choice = jinja_node(p, NODE_IF_ELSE);
        choice->a = n;
        choice->b = jinja_or(p);
        if (jinja_take(p, TOKEN_NAME, "else"))
            choice->c = jinja_expression(p);
        n = choice;
    }
    p->depth--;
    return n;
}

JinjaNode *jinja_expression_list(JinjaParser *p)
{
    JinjaNode *first = jinja_expression(p);
    if (!jinja_is(p, TOKEN_OPERATOR, ","))
        return first;
    JinjaNode *n = jinja_node(p, NODE_TUPLE);
    VEC_PUSH(p->arena, &n->items, first);
    while (jinja_take(p, TOKEN_OPERATOR, ",") && !stop(p)) {
        if (jinja_is(p, TOKEN_OPERATOR, ")") || jinja_is(p, TOKEN_OPERATOR, "]") ||
            p->token->kind == TOKEN_BLOCK_END || p->token->kind == TOKEN_OUTPUT_END)
            break;
        VEC_PUSH(p->arena, &n->items, jinja_expression(p));
    }
    return n;
}

/* A name, ns.name, d[key], or several of these with commas between. */
JinjaNode *jinja_target(JinjaParser *p)
{
    JinjaNode *tuple = NULL, *n = NULL;
    do {
        if (jinja_take(p, TOKEN_OPERATOR, "(")) {
            n = jinja_target(p);
            jinja_expect(p, TOKEN_OPERATOR, ")");
        } else {
            n = jinja_node(p, NODE_NAME);
            n->name = p->token->text;
            jinja_expect(p, TOKEN_NAME, NULL);
            while (jinja_is(p, TOKEN_OPERATOR, ".") || jinja_is(p, TOKEN_OPERATOR, "["))
                n = jinja_is(p, TOKEN_OPERATOR, ".") ? member(p, n) : subscript(p, n);
        }
        if (!tuple && jinja_is(p, TOKEN_OPERATOR, ","))
            tuple = jinja_node(p, NODE_TUPLE);
        if (tuple)
            VEC_PUSH(p->arena, &tuple->items, n);
    } while (jinja_take(p, TOKEN_OPERATOR, ",") && !stop(p));
    return tuple ? tuple : n;
}
