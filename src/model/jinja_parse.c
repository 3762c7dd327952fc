// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_parse.c - statements of templates.
 *
 * in     the text of a template
 * out    Jinja: its syntax tree, in its own arena
 * knows  the statements listed in jinja.h
 * not    expressions (jinja_expr.c), rendering (jinja_run.c)
 */
#include <stdio.h>

#include "model/jinja_priv.h"

/* ---- tokens ---- */

JinjaNode *jinja_node(JinjaParser *p, NodeKind kind)
{
    JinjaNode *n = ARENA_NEW(p->arena, JinjaNode);
    n->kind = kind;
    n->at = p->token->at;
    return n;
}

bool jinja_error(JinjaParser *p, const char *fmt, ...)
{
    char    what[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return jinja_fail_at(p->fault, FAULT_FORMAT, p->source, p->token->at, "%s", what);
}

bool jinja_is(const JinjaParser *p, TokenKind kind, const char *text)
{
    return p->token->kind == kind && (!text || str_eq(p->token->text, str_of(text)));
}

bool jinja_take(JinjaParser *p, TokenKind kind, const char *text)
{
    if (!jinja_is(p, kind, text))
        return false;
    if (kind != TOKEN_END)
        p->token++;
    return true;
}

bool jinja_expect(JinjaParser *p, TokenKind kind, const char *text)
{
    static const char *const names[] = {
        [TOKEN_END] = "the end", [TOKEN_TEXT] = "text", [TOKEN_OUTPUT] = "{{",
        [TOKEN_OUTPUT_END] = "}}", [TOKEN_BLOCK] = "{%", [TOKEN_BLOCK_END] = "%}",
        [TOKEN_NAME] = "a name", [TOKEN_STRING] = "a string", [TOKEN_INT] = "an integer",
        [TOKEN_FLOAT] = "a number", [TOKEN_OPERATOR] = "an operator",
    };
    if (jinja_take(p, kind, text))
        return true;
    return jinja_error(p, "expected %s%s%s, not '%.*s'", text ? "'" : "", text ? text : names[kind],
                       text ? "'" : "", STR_ARG(p->token->text));
}

static bool stop(const JinjaParser *p)
{
    return p->fault->kind != FAULT_NONE;
}

/* ---- bodies ---- */

static JinjaNode *statement(JinjaParser *p);

/* Whether {% and one of the words, separated by spaces, come next. */
static bool at_block(const JinjaParser *p, const char *words)
{
    if (p->token->kind != TOKEN_BLOCK || p->token[1].kind != TOKEN_NAME)
        return false;
    for (Str name = p->token[1].text; *words;) {
        size_t len = strcspn(words, " ");
        if (name.len == len && memcmp(name.data, words, len) == 0)
            return true;
        words += len + (words[len] == ' ');
    }
    return false;
}

/* Up to one of the words that end it, which is not taken. */
static JinjaNode *body(JinjaParser *p, const char *ends)
{
    JinjaNode *n = jinja_node(p, NODE_BODY);
    if (p->depth++ >= JINJA_MAX_DEPTH)
        jinja_error(p, "more than %u nested expressions or blocks", JINJA_MAX_DEPTH);
    while (!stop(p) && !at_block(p, ends)) {
        if (p->token->kind == TOKEN_END) {
            if (ends[0])
                jinja_fail_at(p->fault, FAULT_FORMAT, p->source, n->at,
                              "a block that starts before this is not closed (%s)", ends);
            break;
        }
        JinjaNode *s = statement(p);
        if (s)
            VEC_PUSH(p->arena, &n->items, s);
    }
    p->depth--;
    return n;
}

/* {% word %} */
static void end_block(JinjaParser *p, const char *word)
{
    jinja_expect(p, TOKEN_BLOCK, NULL);
    jinja_expect(p, TOKEN_NAME, word);
    if (strcmp(word, "endmacro") == 0 || strcmp(word, "endcall") == 0)
        jinja_take(p, TOKEN_NAME, NULL);
    jinja_expect(p, TOKEN_BLOCK_END, NULL);
}

static JinjaNode *body_until(JinjaParser *p, const char *word)
{
    jinja_expect(p, TOKEN_BLOCK_END, NULL);
    JinjaNode *n = body(p, word);
    end_block(p, word);
    return n;
}

/* ---- statements ---- */

/* A chain of elif is a loop here and nests in the tree. */
static JinjaNode *parse_if(JinjaParser *p)
{
    JinjaNode *first = jinja_node(p, NODE_IF), *n = first;
    for (;;) {
        n->a = jinja_expression_list(p);
        jinja_expect(p, TOKEN_BLOCK_END, NULL);
        n->b = body(p, "elif else endif");
        if (stop(p) || !at_block(p, "elif"))
            break;
        p->token += 2;
        n->c = jinja_node(p, NODE_IF);
        n = n->c;
    }
    if (!stop(p) && at_block(p, "else")) {
        p->token += 2;
        jinja_expect(p, TOKEN_BLOCK_END, NULL);
        n->c = body(p, "endif");
    }
    end_block(p, "endif");
    return first;
}

static JinjaNode *parse_for(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_FOR);
    n->a = jinja_target(p);
    jinja_expect(p, TOKEN_NAME, "in");
    n->b = jinja_or(p);
    if (jinja_is(p, TOKEN_OPERATOR, ",")) {
        JinjaNode *tuple = jinja_node(p, NODE_TUPLE);
        VEC_PUSH(p->arena, &tuple->items, n->b);
        while (jinja_take(p, TOKEN_OPERATOR, ",") && !stop(p))
            VEC_PUSH(p->arena, &tuple->items, jinja_or(p));
        n->b = tuple;
    }
    if (jinja_take(p, TOKEN_NAME, "if"))
        n->filter = jinja_expression(p);
    if (jinja_is(p, TOKEN_NAME, "recursive"))
        jinja_error(p, "recursive loops are not supported");
    jinja_expect(p, TOKEN_BLOCK_END, NULL);
    n->c = body(p, "else endfor");
    if (!stop(p) && at_block(p, "else")) {
        p->token += 2;
        jinja_expect(p, TOKEN_BLOCK_END, NULL);
        n->d = body(p, "endfor");
    }
    end_block(p, "endfor");
    return n;
}

static JinjaNode *parse_set(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_SET);
    n->a = jinja_target(p);
    if (jinja_take(p, TOKEN_OPERATOR, "=")) {
        n->b = jinja_expression_list(p);
        jinja_expect(p, TOKEN_BLOCK_END, NULL);
        return n;
    }
    n->kind = NODE_SET_BLOCK;
    n->b = jinja_postfix(p, jinja_node(p, NODE_INPUT));
    n->c = body_until(p, "endset");
    return n;
}

/* After the parenthesis: names with defaults. */
static void parse_parameters(JinjaParser *p, JinjaNode *n)
{
    while (!jinja_is(p, TOKEN_OPERATOR, ")") && !stop(p)) {
        JinjaArg arg = {.name = p->token->text};
        jinja_expect(p, TOKEN_NAME, NULL);
        if (jinja_take(p, TOKEN_OPERATOR, "="))
            arg.value = jinja_expression(p);
        VEC_PUSH(p->arena, &n->args, arg);
        if (!jinja_take(p, TOKEN_OPERATOR, ","))
            break;
    }
    jinja_expect(p, TOKEN_OPERATOR, ")");
}

static JinjaNode *parse_macro(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_MACRO);
    n->name = p->token->text;
    jinja_expect(p, TOKEN_NAME, NULL);
    jinja_expect(p, TOKEN_OPERATOR, "(");
    parse_parameters(p, n);
    n->a = body_until(p, "endmacro");
    return n;
}

static JinjaNode *parse_call(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_CALL_BLOCK);
    n->name = STR("caller");
    if (jinja_take(p, TOKEN_OPERATOR, "("))
        parse_parameters(p, n);
    n->b = jinja_expression(p);
    if (!stop(p) && n->b->kind != NODE_CALL)
        jinja_error(p, "expected a call of a macro");
    n->a = body_until(p, "endcall");
    return n;
}

/* {% filter upper | trim %}: as if each followed a |. */
static JinjaNode *parse_filter(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_FILTER_BLOCK);
    JinjaNode *filter = jinja_node(p, NODE_FILTER);
    filter->a = jinja_node(p, NODE_INPUT);
    filter->name = p->token->text;
    if (jinja_expect(p, TOKEN_NAME, NULL) && !jinja_has_filter(filter->name))
        jinja_fail_at(p->fault, FAULT_UNSUPPORTED, p->source, filter->at, "unknown filter '%.*s'",
                      STR_ARG(filter->name));
    if (jinja_take(p, TOKEN_OPERATOR, "("))
        jinja_args(p, filter);
    n->a = jinja_postfix(p, filter);
    n->b = body_until(p, "endfilter");
    return n;
}

static JinjaNode *parse_simple(JinjaParser *p, NodeKind kind)
{
    JinjaNode *n = jinja_node(p, kind);
    if (kind == NODE_DO)
        n->a = jinja_expression_list(p);
    jinja_expect(p, TOKEN_BLOCK_END, NULL);
    return n;
}

static JinjaNode *block(JinjaParser *p)
{
    p->token++;
    Str name = p->token->text;
    if (p->token->kind != TOKEN_NAME) {
        jinja_error(p, "expected a statement such as if, for or set");
        return NULL;
    }
    p->token++;
    if (str_eq(name, STR("if")))
        return parse_if(p);
    if (str_eq(name, STR("for")))
        return parse_for(p);
    if (str_eq(name, STR("set")))
        return parse_set(p);
    if (str_eq(name, STR("macro")))
        return parse_macro(p);
    if (str_eq(name, STR("call")))
        return parse_call(p);
    if (str_eq(name, STR("filter")))
        return parse_filter(p);
    if (str_eq(name, STR("generation")))
        return body_until(p, "endgeneration");
    if (str_eq(name, STR("break")))
        return parse_simple(p, NODE_BREAK);
    if (str_eq(name, STR("continue")))
        return parse_simple(p, NODE_CONTINUE);
    if (str_eq(name, STR("do")))
        return parse_simple(p, NODE_DO);
    p->token--;
    jinja_error(p, "unknown statement '%.*s'", STR_ARG(name));
    return NULL;
}

static JinjaNode *statement(JinjaParser *p)
{
    JinjaNode *n = jinja_node(p, NODE_TEXT);
    switch (p->token->kind) {
    case TOKEN_TEXT:
        n->name = p->token->text;
        p->token++;
        return n;
    case TOKEN_OUTPUT:
        n->kind = NODE_OUTPUT;
        p->token++;
        n->a = jinja_expression_list(p);
        jinja_expect(p, TOKEN_OUTPUT_END, NULL);
        return n;
    default:
        return block(p);
    }
}

/* ---- the whole ---- */

typedef struct Parse {
    Jinja *jinja;
    Str    source;
    Fault *fault;
} Parse;

/* Line ends become \n; one at the end of the template goes. */
static Str normalize(Arena *a, Str source)
{
    char    *out = arena_alloc(a, (size_t)source.len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < source.len; i++) {
        if (source.data[i] != '\r')
            out[n++] = source.data[i];
        else if (i + 1 == source.len || source.data[i + 1] != '\n')
            out[n++] = '\n';
    }
    if (n > 0 && out[n - 1] == '\n')
        n--;
    return (Str){out, n};
}

static void parse(void *context)
{
    Parse      *run = context;
    Jinja      *j = run->jinja;
    JinjaTokens tokens = {0};
    j->source = normalize(&j->arena, run->source);
    if (!jinja_lex(&tokens, &j->arena, j->source, run->fault))
        return;
    /* Looking ahead never leaves the array. */
    JinjaToken last = tokens.data[tokens.len - 1];
    VEC_PUSH(&j->arena, &tokens, last);
    JinjaParser p = {.arena = &j->arena, .source = j->source, .token = tokens.data,
                     .fault = run->fault};
    j->body = body(&p, "");
}

bool jinja_parse(Jinja *j, Str source, Fault *fault)
{
    *j = (Jinja){0};
    if (source.len > JINJA_MAX_SOURCE)
        return fault_set(fault, FAULT_LIMIT, "template: %u bytes, at most %u are read", source.len,
                         JINJA_MAX_SOURCE);
    arena_init(&j->arena, 512u << 20);
    if (!arena_try(&j->arena, parse, &(Parse){j, source, fault}))
        fault_set(fault, FAULT_LIMIT, "template: too large for the memory that it gets");
    if (fault->kind != FAULT_NONE)
        jinja_fini(j);
    return fault->kind == FAULT_NONE;
}

void jinja_fini(Jinja *j)
{
    arena_fini(&j->arena);
    *j = (Jinja){0};
}
