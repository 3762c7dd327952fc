// SPDX-License-Identifier: Apache-2.0
/*
 * jinja.h - chat templates: the part of Jinja that published templates use.
 *
 * Statements: if, for (with else, filter and unpacking), set (also as a block), macro, call,
 * filter, break, continue, generation, raw. Expressions, filters and tests as in Jinja 2, with
 * Python's methods of strings, lists and dictionaries. Blocks are trimmed as transformers
 * does it (trim_blocks, lstrip_blocks). A member of an undefined value is undefined instead
 * of an error.
 *
 * Not        include, import, extends, recursive loops, autoescaping.
 * Bounds     steps, output and memory of a rendering; nesting of expressions and calls.
 * Threads    a parsed template may be rendered by several threads at once.
 */
#ifndef WEFT_MODEL_JINJA_H
#define WEFT_MODEL_JINJA_H

#include "base/arena.h"
#include "base/str.h"
#include "model/fault.h"
#include "model/value.h"

#define JINJA_MAX_SOURCE (4u << 20)
#define JINJA_MAX_DEPTH  200u       /* nested expressions and blocks of a source           */
#define JINJA_MAX_CALLS  1500u      /* nested evaluations while rendering                  */

typedef struct JinjaNode JinjaNode;

typedef struct Jinja {
    Arena            arena;
    Str              source;        /* copied, line ends as \n                             */
    const JinjaNode *body;
} Jinja;

/* On failure *j is empty and needs no jinja_fini(). */
bool jinja_parse(Jinja *j, Str source, Fault *fault);
void jinja_fini(Jinja *j);

typedef struct JinjaRender {
    Value    variables;             /* a dictionary                                        */
    int64_t  now;                   /* seconds since 1970, for strftime_now()              */
    uint64_t max_steps;             /* evaluated nodes                                     */
    size_t   max_output;            /* bytes                                               */
} JinjaRender;

/* Renders into `arena`, whose limit bounds the memory of all values. */
bool jinja_render(Str *out, Arena *arena, const Jinja *j, const JinjaRender *how, Fault *fault);

#endif
