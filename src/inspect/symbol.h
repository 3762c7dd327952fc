// SPDX-License-Identifier: Apache-2.0
/*
 * symbol.h - sums of products of named values: how often something happens.
 *
 * in     numbers and names
 * out    sums and products of them, as text, with values for the names
 * knows  arithmetic
 * not    kernels
 */
#ifndef WEFT_INSPECT_SYMBOL_H
#define WEFT_INSPECT_SYMBOL_H

#include "base/arena.h"
#include "base/text.h"

#define SYMBOL_FACTORS 4u               /* different names in one product          */
#define SYMBOL_TERMS   8u               /* products in one sum                     */

typedef struct SymbolTable {
    Arena *arena;
    VEC(const char *) names;
} SymbolTable;

/* coefficient * name^power * ... */
typedef struct SymbolTerm {
    double  coefficient;
    struct { uint16_t name; int16_t power; } factors[SYMBOL_FACTORS];
    uint32_t nfactors;
} SymbolTerm;

/* A sum of terms. What does not fit is rounded up: terms are merged into the largest. */
typedef struct Symbol {
    SymbolTerm terms[SYMBOL_TERMS];
    uint32_t   nterms;
} Symbol;

Symbol symbol_number(double n);
Symbol symbol_name(SymbolTable *t, const char *name);
Symbol symbol_add(const Symbol *a, const Symbol *b);
Symbol symbol_scale(const Symbol *a, double by);
Symbol symbol_multiply(SymbolTable *t, const Symbol *a, const Symbol *b);
/* a / b for a b of one term. Others make a name of their text. */
Symbol symbol_divide(SymbolTable *t, const Symbol *a, const Symbol *b);
/* No name in it. */
bool   symbol_is_number(const Symbol *a);
/* Name i is values[i], or `other` past the last. */
double symbol_value(const Symbol *a, const double *values, uint32_t count, double other);
const char *symbol_text(SymbolTable *t, const Symbol *a);

#endif
