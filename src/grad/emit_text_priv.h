// SPDX-License-Identifier: Apache-2.0
/*
 * emit_text_priv.h - statements of a program as WGSL, whatever kernel they become part of.
 *
 * made by   emit_text.c
 * read by   emit.c (kernels of batches), loop.c (kernels that iterate)
 */
#ifndef WEFT_GRAD_EMIT_TEXT_PRIV_H
#define WEFT_GRAD_EMIT_TEXT_PRIV_H

#include "context/writer.h"
#include "grad/emit_priv.h"

typedef struct Emit {
    Writer            w;
    Arena            *arena;
    const Program    *p;
    const KernelSpec *spec;
    Kernel           *out;
    const char       *real;         /* "f64" or "f32"                                       */
    WriterType        type;
    const char      **names;        /* [nodes] NULL: not named yet                          */
    bool             *value_used;   /* [nodes] of comparisons: needed as a number           */
    uint32_t          numbered;     /* v0, v1, ...                                          */
    const char      **taken;        /* names in use, a hash table                           */
    uint32_t          taken_cap;
    const char       *prefix;       /* of names that belong to the kernel's writer; or NULL */
} Emit;

/* Names of the graph, and of everything the kernels themselves declare. */
void        emit_init_names(Emit *e);
const char *emit_unique(Emit *e, const char *wish);
/* Which comparisons are needed as numbers. Call before emit_statements(). */
void        emit_find_uses(Emit *e);
const char *emit_literal(Emit *e, double value);
/* A node as an operand. */
const char *emit_operand(Emit *e, uint32_t id);
/* Those that depend on uniform leaves alone, or the others. */
void        emit_statements(Emit *e, bool uniform);
bool        emit_uses_leaf(const Emit *e, Op op);
/* Functions of custom operators. */
void        emit_customs(Emit *e);
bool        emit_uses_specials(const Emit *e);

#endif
