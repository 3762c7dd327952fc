// SPDX-License-Identifier: Apache-2.0
/*
 * check_fuzz.c - the checker on any bytes.
 *
 * in     a text, WGSL or not
 * out    aborts if an accepted module does not keep what the headers promise
 */
#include <stddef.h>
#include <stdint.h>

#include "check/check.h"
#include "syntax/syntax.h"
#include "verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
    Arena *arena;
    Str    source;
} Input;

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
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    Input in = {.arena = &arena, .source = {(const char *)data, (uint32_t)size}};
    arena_init(&arena, 256u << 20);
    if (!arena_try(&arena, check, &in))
        in.source.len = 0;              /* out of memory is an answer, too */
    arena_fini(&arena);
    return 0;
}
