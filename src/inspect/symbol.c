// SPDX-License-Identifier: Apache-2.0
/*
 * symbol.c - sums of products of named values.
 *
 * in     numbers and names
 * out    see symbol.h
 */
#include "inspect/symbol.h"

#include <math.h>
#include <string.h>

Symbol symbol_number(double n)
{
    Symbol s = {0};
    if (n != 0) {
        s.nterms = 1;
        s.terms[0].coefficient = n;
    }
    return s;
}

Symbol symbol_name(SymbolTable *t, const char *name)
{
    Symbol   s = symbol_number(1);
    uint32_t i = 0;
    while (i < t->names.len && strcmp(t->names.data[i], name) != 0)
        i++;
    if (i == UINT16_MAX)
        return s;                       /* more names than anybody reads */
    if (i == t->names.len) {
        const char *copy = arena_printf(t->arena, "%s", name);
        VEC_PUSH(t->arena, &t->names, copy);
    }
    s.terms[0].factors[0].name = (uint16_t)i;
    s.terms[0].factors[0].power = 1;
    s.terms[0].nfactors = 1;
    return s;
}

/* ---- terms ---- */

static bool same_factors(const SymbolTerm *a, const SymbolTerm *b)
{
    return a->nfactors == b->nfactors &&
           memcmp(a->factors, b->factors, a->nfactors * sizeof *a->factors) == 0;
}

static void add_term(Symbol *s, const SymbolTerm *t)
{
    for (uint32_t i = 0; i < s->nterms; i++)
        if (same_factors(&s->terms[i], t)) {
            s->terms[i].coefficient += t->coefficient;
            return;
        }
    if (s->nterms < SYMBOL_TERMS)
        s->terms[s->nterms++] = *t;
    else
        s->terms[SYMBOL_TERMS - 1].coefficient += t->coefficient;
}

/* Factors are kept in the order of their names. False: there are too many. */
static bool multiply_factor(SymbolTerm *t, uint16_t name, int16_t power)
{
    uint32_t at = 0;
    while (at < t->nfactors && t->factors[at].name < name)
        at++;
    if (at < t->nfactors && t->factors[at].name == name) {
        t->factors[at].power = (int16_t)(t->factors[at].power + power);
        if (t->factors[at].power == 0) {
            memmove(&t->factors[at], &t->factors[at + 1],
                    (t->nfactors - at - 1) * sizeof *t->factors);
            t->nfactors--;
        }
        return true;
    }
    if (t->nfactors == SYMBOL_FACTORS)
        return false;
    memmove(&t->factors[at + 1], &t->factors[at], (t->nfactors - at) * sizeof *t->factors);
    t->factors[at].name = name;
    t->factors[at].power = power;
    t->nfactors++;
    return true;
}

static bool multiply_terms(SymbolTerm *out, const SymbolTerm *a, const SymbolTerm *b, int sign)
{
    *out = *a;
    out->coefficient = sign > 0 ? a->coefficient * b->coefficient
                                : a->coefficient / b->coefficient;
    for (uint32_t i = 0; i < b->nfactors; i++)
        if (!multiply_factor(out, b->factors[i].name,
                             (int16_t)(sign * b->factors[i].power)))
            return false;
    return true;
}

/* ---- sums ---- */

Symbol symbol_add(const Symbol *a, const Symbol *b)
{
    Symbol s = *a;
    for (uint32_t i = 0; i < b->nterms; i++)
        add_term(&s, &b->terms[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s.nterms; i++)
        if (s.terms[i].coefficient != 0)
            s.terms[kept++] = s.terms[i];
    s.nterms = kept;
    return s;
}

Symbol symbol_scale(const Symbol *a, double by)
{
    Symbol s = by != 0 ? *a : (Symbol){0};
    for (uint32_t i = 0; i < s.nterms; i++)
        s.terms[i].coefficient *= by;
    return s;
}

static Symbol opaque(SymbolTable *t, const Symbol *a, const char *between, const Symbol *b)
{
    return symbol_name(t, arena_printf(t->arena, "(%s) %s (%s)", symbol_text(t, a), between,
                                       symbol_text(t, b)));
}

Symbol symbol_multiply(SymbolTable *t, const Symbol *a, const Symbol *b)
{
    Symbol s = {0};
    for (uint32_t i = 0; i < a->nterms; i++)
        for (uint32_t k = 0; k < b->nterms; k++) {
            SymbolTerm term;
            if (!multiply_terms(&term, &a->terms[i], &b->terms[k], 1))
                return opaque(t, a, "*", b);
            add_term(&s, &term);
        }
    return s;
}

Symbol symbol_divide(SymbolTable *t, const Symbol *a, const Symbol *b)
{
    Symbol s = {0};
    if (b->nterms == 0)
        return *a;                      /* WGSL: x / 0 is x */
    if (b->nterms > 1)
        return opaque(t, a, "/", b);
    for (uint32_t i = 0; i < a->nterms; i++) {
        SymbolTerm term;
        if (!multiply_terms(&term, &a->terms[i], &b->terms[0], -1))
            return opaque(t, a, "/", b);
        add_term(&s, &term);
    }
    return s;
}

/* ---- values and text ---- */

bool symbol_is_number(const Symbol *a)
{
    for (uint32_t i = 0; i < a->nterms; i++)
        if (a->terms[i].nfactors)
            return false;
    return true;
}

double symbol_value(const Symbol *a, const double *values, uint32_t count, double other)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->nterms; i++) {
        double product = a->terms[i].coefficient;
        for (uint32_t k = 0; k < a->terms[i].nfactors; k++) {
            uint16_t name = a->terms[i].factors[k].name;
            product *= pow(name < count ? values[name] : other, a->terms[i].factors[k].power);
        }
        sum += product;
    }
    return sum;
}

static void print_factor(Text *out, const char *name, int power)
{
    bool simple = strpbrk(name, "+-*/ ") == NULL;
    text_printf(out, simple ? "%s" : "(%s)", name);
    if (power != 1)
        text_printf(out, "^%d", power);
}

static void print_term(Text *out, const SymbolTable *t, const SymbolTerm *term)
{
    bool   any = false;
    double c = fabs(term->coefficient);
    if (c != 1 || term->nfactors == 0) {
        text_printf(out, "%.10g", c);
        any = true;
    }
    for (uint32_t i = 0; i < term->nfactors; i++) {
        int power = term->factors[i].power;
        if (power < 0)
            continue;
        text_printf(out, "%s", any ? " * " : "");
        print_factor(out, t->names.data[term->factors[i].name], power);
        any = true;
    }
    text_printf(out, "%s", any ? "" : "1");
    for (uint32_t i = 0; i < term->nfactors; i++)
        if (term->factors[i].power < 0) {
            text_printf(out, " / ");
            print_factor(out, t->names.data[term->factors[i].name], -term->factors[i].power);
        }
}

const char *symbol_text(SymbolTable *t, const Symbol *a)
{
    Text out = {.arena = t->arena};
    if (a->nterms == 0)
        return "0";
    for (uint32_t i = 0; i < a->nterms; i++) {
        bool minus = a->terms[i].coefficient < 0;
        text_printf(&out, "%s", i ? (minus ? " - " : " + ") : minus ? "-" : "");
        print_term(&out, t, &a->terms[i]);
    }
    return out.data;
}
