// SPDX-License-Identifier: Apache-2.0
/*
 * front_check.c - a text through the parser and the checker.
 */
#include "front.h"

#include <stdlib.h>

#include "../check/verify.h"
#include "check/check.h"
#include "syntax/syntax.h"

typedef struct Input {
    Arena *arena;
    Str    source;
    bool   ok;
    char **why;
} Input;

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void check(void *context)
{
    Input *in = context;
    Diag diag = {.arena = in->arena};
    Module *m = syntax_parse(in->arena, in->source, &diag);
    bool ok = check_module(m, NULL, &diag);
    Text dump = {.arena = in->arena};
    check_dump_module(&dump, m);
    BUG_IF(ok != (diag.errors == 0), "the answer and the diagnostics differ");
    const char *fault = ok ? verify_module(m) : NULL;
    BUG_IF(fault, "%s", fault);
    if (!ok && in->why)
        *in->why = copy_of(diag.list.data[0].message);
    in->ok = ok;
}

bool front_check(Str text, char **why)
{
    Arena arena;
    Input in = {.arena = &arena, .source = text, .why = why};
    arena_init(&arena, 256u << 20);
    if (!arena_try(&arena, check, &in))
        in.ok = false;                  /* out of memory is an answer, too */
    arena_fini(&arena);
    return in.ok;
}
