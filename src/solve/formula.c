// SPDX-License-Identifier: Apache-2.0
/*
 * formula.c - formulas as text.
 *
 * in     "a*exp(-b*x) + c"
 * out    its variables, and nodes of a graph; errors with their place
 * knows  the operators of weft/grad.h by name
 * not    what variables mean
 */
#include "solve/formula_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"

#define DEPTH_MOST  200u            /* of parentheses and operators that wait               */
#define LENGTH_MOST 100000u
#define NAME_MOST   63u

typedef struct Parser {
    weft_solve_formula *f;
    const char *text, *at;
    uint32_t    depth;              /* of calls of the parser                               */
    uint32_t    stack;              /* values on the machine's stack                        */
    bool        failed;
} Parser;

/* ---- errors ---- */

static bool fail(Parser *p, const char *at, const char *what)
{
    int column = (int)(at - p->text) + 1;
    if (!p->failed)
        context_fail(p->f->ctx, WEFT_ERROR_FORMAT, "formula, column %d: %s\n  %s\n  %*s^", column,
                     what, p->text, column - 1, "");
    p->failed = true;
    return false;
}

/* ---- tokens ---- */

static void skip(Parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

static bool accept(Parser *p, const char *token)
{
    size_t length = strlen(token);
    skip(p);
    if (strncmp(p->at, token, length) != 0)
        return false;
    p->at += length;
    return true;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

/* ---- steps ---- */

static void push(Parser *p, FormulaStep step)
{
    weft_solve_formula *f = p->f;
    VEC_PUSH(&f->arena, &f->steps, step);
    if (step.kind == FORMULA_APPLY)
        p->stack -= step.count - 1;
    else if (step.kind != FORMULA_SCALE)
        p->stack++;
    f->depth = p->stack > f->depth ? p->stack : f->depth;
}

static void apply(Parser *p, weft_grad_op op, uint32_t count)
{
    push(p, (FormulaStep){.kind = FORMULA_APPLY, .op = op, .count = count});
}

static uint32_t name_number(weft_solve_formula *f, const char *name, size_t length)
{
    for (uint32_t i = 0; i < f->names.len; i++)
        if (strlen(f->names.data[i]) == length && memcmp(f->names.data[i], name, length) == 0)
            return i;
    const char *copy = arena_printf(&f->arena, "%.*s", (int)length, name);
    VEC_PUSH(&f->arena, &f->names, copy);
    return f->names.len - 1;
}

/* ---- the grammar ---- */

static bool choice(Parser *p);

static bool number(Parser *p)
{
    const char *begin = p->at;
    char *end;
    double value = strtod(begin, &end);
    /* strtod() also reads hexadecimal numbers, infinities and NaN */
    for (const char *c = begin; c < end; c++)
        if (!isdigit((unsigned char)*c) && !strchr(".eE+-", *c))
            return fail(p, begin, "expected a decimal number");
    if (end == begin)
        return fail(p, begin, "expected a number, a name or a parenthesis");
    if (is_letter(*end))
        return fail(p, end, "expected an operator after the number");
    p->at = end;
    push(p, (FormulaStep){.kind = FORMULA_NUMBER, .number = value});
    return true;
}

typedef struct Alias {
    const char  *name;
    weft_grad_op op;
    double       scale;             /* of the result; 0: none                               */
} Alias;

/* Names that people use, beside those of weft/grad.h. */
static const Alias aliases[] = {
    {"ln", WEFT_GRAD_LOG, 0},     {"log10", WEFT_GRAD_LOG, 0.43429448190325182},
    {"log2", WEFT_GRAD_LOG, 1.4426950408889634}, {"if", WEFT_GRAD_SELECT, 0},
    {"arcsin", WEFT_GRAD_ASIN, 0}, {"arccos", WEFT_GRAD_ACOS, 0}, {"arctan", WEFT_GRAD_ATAN, 0},
    {"sqr", WEFT_GRAD_SQUARE, 0}, {"min", WEFT_GRAD_MIN_OF, 0}, {"max", WEFT_GRAD_MAX_OF, 0},
};

static bool find_function(Alias *out, const char *name, size_t length)
{
    char word[NAME_MOST + 1];
    if (length > NAME_MOST)
        return false;
    memcpy(word, name, length);
    word[length] = 0;
    for (size_t i = 0; i < COUNTOF(aliases); i++)
        if (strcmp(aliases[i].name, word) == 0) {
            *out = aliases[i];
            return true;
        }
    *out = (Alias){NULL, weft_grad_op_find(word), 0};
    return out->op != WEFT_GRAD_NONE;
}

static bool call(Parser *p, const char *name, size_t length)
{
    Alias function;
    uint32_t count = 0, arity = 0;
    bool closed = accept(p, ")");
    if (!find_function(&function, name, length))
        return fail(p, name, arena_printf(&p->f->arena, "unknown function '%.*s'", (int)length,
                                          name));
    if (!closed)
        do {
            if (!choice(p))
                return false;
            count++;
        } while (accept(p, ","));
    if (!closed && !accept(p, ")"))
        return fail(p, p->at, "expected ',' or ')'");
    weft_grad_op_name(function.op, &arity);
    if (count == 0 || (arity != 0 && count != arity))
        return fail(p, name, arena_printf(&p->f->arena, "'%.*s' takes %u argument%s, not %u",
                                          (int)length, name, arity ? arity : 1,
                                          arity > 1 ? "s" : arity ? "" : " or more", count));
    apply(p, function.op, count);
    if (function.scale != 0)
        push(p, (FormulaStep){.kind = FORMULA_SCALE, .number = function.scale});
    return true;
}

static bool name(Parser *p)
{
    const char *begin = p->at;
    while (is_letter(*p->at) || isdigit((unsigned char)*p->at))
        p->at++;
    size_t length = (size_t)(p->at - begin);
    if (length > NAME_MOST)
        return fail(p, begin, "a name of more than 63 characters");
    if (accept(p, "("))
        return call(p, begin, length);
    if (length == 2 && memcmp(begin, "pi", 2) == 0)
        push(p, (FormulaStep){.kind = FORMULA_NUMBER, .number = 3.14159265358979323846});
    else
        push(p, (FormulaStep){.kind = FORMULA_NAME, .name = name_number(p->f, begin, length)});
    return true;
}

static bool operand(Parser *p)
{
    skip(p);
    if (accept(p, "("))
        return choice(p) && (accept(p, ")") || fail(p, p->at, "expected ')'"));
    if (is_letter(*p->at))
        return name(p);
    if (*p->at == 0)
        return fail(p, p->at, "the formula ends where a number or name is expected");
    return number(p);
}

static bool deeper(Parser *p)
{
    return p->depth++ < DEPTH_MOST || fail(p, p->at, "nested too deeply");
}

static bool sign(Parser *p);

/* 2^-x^3 is 2^(-(x^3)). */
static bool power(Parser *p)
{
    if (!deeper(p) || !operand(p))
        return false;
    if (accept(p, "**") || accept(p, "^")) {
        if (!sign(p))
            return false;
        apply(p, WEFT_GRAD_POW, 2);
    }
    p->depth--;
    return true;
}

static bool sign(Parser *p)
{
    bool minus = false;
    for (;;) {
        skip(p);
        if (*p->at != '-' && *p->at != '+')
            break;
        minus ^= *p->at++ == '-';
    }
    if (!power(p))
        return false;
    if (minus)
        apply(p, WEFT_GRAD_NEG, 1);
    return true;
}

static bool product(Parser *p)
{
    if (!sign(p))
        return false;
    for (;;) {
        weft_grad_op op;
        skip(p);
        if (*p->at == '*' && p->at[1] != '*')
            op = WEFT_GRAD_MUL;
        else if (*p->at == '/')
            op = WEFT_GRAD_DIV;
        else if (*p->at == '%')
            op = WEFT_GRAD_MOD;
        else
            return true;
        p->at++;
        if (!sign(p))
            return false;
        apply(p, op, 2);
    }
}

static bool sum(Parser *p)
{
    if (!product(p))
        return false;
    for (;;) {
        skip(p);
        if (*p->at != '+' && *p->at != '-')
            return true;
        weft_grad_op op = *p->at++ == '+' ? WEFT_GRAD_ADD : WEFT_GRAD_SUB;
        if (!product(p))
            return false;
        apply(p, op, 2);
    }
}

static bool comparison(Parser *p)
{
    static const struct { const char *token; weft_grad_op op; } signs[] = {
        {"<=", WEFT_GRAD_LE}, {">=", WEFT_GRAD_GE}, {"==", WEFT_GRAD_EQ}, {"!=", WEFT_GRAD_NE},
        {"<", WEFT_GRAD_LT},  {">", WEFT_GRAD_GT},
    };
    if (!sum(p))
        return false;
    for (size_t i = 0; i < COUNTOF(signs); i++)
        if (accept(p, signs[i].token)) {
            if (!sum(p))
                return false;
            apply(p, signs[i].op, 2);
            break;
        }
    return true;
}

static bool choice(Parser *p)
{
    if (!deeper(p) || !comparison(p))
        return false;
    if (accept(p, "?")) {
        if (!choice(p))
            return false;
        if (!accept(p, ":"))
            return fail(p, p->at, "expected ':' of the choice");
        if (!choice(p))
            return false;
        apply(p, WEFT_GRAD_SELECT, 3);
    }
    p->depth--;
    return true;
}

/* ---- the object ---- */

weft_solve_formula *weft_solve_formula_create(weft_context *ctx, const char *text)
{
    if (!ctx || !text || strlen(text) > LENGTH_MOST) {
        context_fail(ctx, WEFT_ERROR_INVALID, text ? "a formula of more than 100,000 characters"
                                                   : "the formula is NULL");
        return NULL;
    }
    weft_solve_formula *f = calloc(1, sizeof *f);
    if (!f) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a formula");
        return NULL;
    }
    f->ctx = weft_context_retain(ctx);
    arena_init(&f->arena, 0);
    f->text = arena_printf(&f->arena, "%s", text);
    Parser p = {.f = f, .text = f->text, .at = f->text};
    bool ok = choice(&p);
    skip(&p);
    if (ok && *p.at)
        ok = fail(&p, p.at, *p.at == ')' ? "a ')' without its '('" : "expected an operator");
    if (ok)
        return f;
    weft_solve_formula_release(f);
    return NULL;
}

void weft_solve_formula_release(weft_solve_formula *f)
{
    if (!f)
        return;
    arena_fini(&f->arena);
    weft_context_release(f->ctx);
    free(f);
}

uint32_t weft_solve_formula_name_count(const weft_solve_formula *f)
{
    return f ? f->names.len : 0;
}

const char *weft_solve_formula_name(const weft_solve_formula *f, uint32_t index)
{
    return f && index < f->names.len ? f->names.data[index] : NULL;
}

weft_grad_node weft_solve_formula_node(weft_grad_graph *graph, const weft_solve_formula *f,
                                       const weft_grad_node *nodes)
{
    if (!graph || !f)
        return 0;
    weft_grad_node *stack = malloc((f->depth + 1ull) * sizeof *stack);
    uint32_t top = 0;
    if (!stack) {
        context_fail(f->ctx, WEFT_ERROR_MEMORY, "no memory for a formula");
        return 0;
    }
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const FormulaStep *s = &f->steps.data[i];
        switch (s->kind) {
        case FORMULA_NUMBER: stack[top++] = weft_grad_constant(graph, s->number); break;
        case FORMULA_NAME:   stack[top++] = nodes[s->name]; break;
        case FORMULA_SCALE:
            stack[top - 1] = weft_grad_mul(graph, stack[top - 1],
                                           weft_grad_constant(graph, s->number));
            break;
        case FORMULA_APPLY:
            top -= s->count;
            stack[top] = weft_grad_apply(graph, s->op, stack + top, s->count);
            top++;
            break;
        }
    }
    weft_grad_node result = stack[0];
    free(stack);
    return result;
}

void formula_split(Arena *arena, const char *text, const char **left, const char **right)
{
    *left = NULL;
    *right = text;
    for (const char *c = text; *c; c++) {
        bool compares = c[1] == '=' || (c > text && strchr("<>=!", c[-1]));
        if (*c != '=' || compares)
            continue;
        const char *end = c;
        while (text < end && isspace((unsigned char)*text))
            text++;
        while (end > text && isspace((unsigned char)end[-1]))
            end--;
        *left = arena_printf(arena, "%.*s", (int)(end - text), text);
        for (c++; isspace((unsigned char)*c); c++) {
        }
        *right = c;
        return;
    }
}
