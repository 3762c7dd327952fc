// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_priv.h - changes of a kernel's text, collected by rewrite.c and quads.c.
 */
#ifndef WEFT_INSPECT_REWRITE_PRIV_H
#define WEFT_INSPECT_REWRITE_PRIV_H

#include "inspect/inspect_priv.h"

typedef struct Edit {
    uint32_t    start, end;             /* of the source                           */
    const char *text;
} Edit;

typedef struct Rewrite {
    Inspect *n;
    VEC(Edit)         edits;
    VEC(const char *) changes;
    uint32_t size[3];
    bool     swapped;
} Rewrite;

/* Edits must not overlap; those at one place stay in their order. */
void rewrite_edit(Rewrite *r, uint32_t start, uint32_t end, const char *text);
/* `name` with a suffix, and with a number if `from` is not 0 or the text has it already. */
const char *rewrite_name(Inspect *n, Str name, const char *suffix, uint32_t from);
/* Loads vectors where four words are loaded. False: nowhere. */
bool quads_run(Rewrite *r);

#endif
