// SPDX-License-Identifier: Apache-2.0
/*
 * useset_priv.h - sets of module-scope declarations, shared between the functions
 * that use the same.
 */
#ifndef WEFT_CHECK_USESET_PRIV_H
#define WEFT_CHECK_USESET_PRIV_H

#include "check/check_priv.h"

typedef struct UseSet {
    Decl   **data;                      /* by Decl.index                         */
    uint32_t len;
    uint32_t round;                     /* UseSets.round that last saw it        */
} UseSet;

/* Makes sets. One union at a time: begin, any number of adds, end. */
typedef struct UseSets {
    Checker  *c;
    uint32_t  round;
    uint32_t *seen;                     /* [ordered] round that last saw it      */
    VEC(Decl *) found;
    UseSet   *first, *largest;          /* of the sets added                     */
    bool      several;                  /* more than one different set, or single
                                           declarations                          */
    uint64_t  work;
    bool      exhausted;
} UseSets;

void    useset_init(UseSets *u, Checker *c);
void    useset_begin(UseSets *u);
void    useset_add(UseSets *u, Decl *decl);
void    useset_add_all(UseSets *u, UseSet *set);    /* NULL: the empty set         */
UseSet *useset_end(UseSets *u);                     /* NULL: the empty set         */
bool    useset_has(const UseSet *set, const Decl *decl);

#endif
