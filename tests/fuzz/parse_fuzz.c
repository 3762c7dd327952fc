// SPDX-License-Identifier: Apache-2.0
/*
 * parse_fuzz.c - the tree of any bytes.
 *
 * in     a text, UTF-8 or not
 * out    aborts if a diagnostic lies outside the text, or if what was accepted
 *        prints as something else than it was
 */
#include <stddef.h>
#include <stdint.h>

#include "syntax/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Parse {
    Arena   arena;
    Diag    diag;
    Module *module;
} Parse;

static void parse(Parse *p, Str source)
{
    *p = (Parse){0};
    arena_init(&p->arena, 0);
    p->diag.arena = &p->arena;
    p->module = syntax_parse(&p->arena, source, &p->diag);
}

static void check_diagnostics(const Diag *d, Str source)
{
    for (uint32_t i = 0; i < d->list.len; i++) {
        const Diagnostic *x = &d->list.data[i];
        BUG_IF(x->span.start > x->span.end || x->span.end > source.len,
               "a diagnostic outside the text");
        BUG_IF(x->message[0] == '\0', "a diagnostic without a word");
    }
    BUG_IF((d->errors > 0) != (d->list.len > 0), "errors that are not told");
}

static bool has(const Diag *d, DiagId id)
{
    for (uint32_t i = 0; i < d->list.len; i++)
        if (d->list.data[i].id == id)
            return true;
    return false;
}

/* Also broken trees must be printable; whole ones must come back. */
static void check_print(Parse *first)
{
    Parse again;
    Text once = {.arena = &first->arena}, twice = {.arena = &first->arena};
    syntax_dump_module(&once, first->module);
    if (first->diag.errors > 0)
        return;
    parse(&again, (Str){once.data ? once.data : "", (uint32_t)once.len});
    if (!has(&again.diag, DIAG_nesting_limit)) {
        BUG_IF(again.diag.errors > 0, "what is printed does not parse");
        syntax_dump_module(&twice, again.module);
        BUG_IF(once.len != twice.len
                   || (once.len > 0 && memcmp(once.data, twice.data, once.len) != 0),
               "what is printed parses to another tree");
    }
    arena_fini(&again.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Parse first;
    Str source = {(const char *)data, (uint32_t)size};
    parse(&first, source);
    check_diagnostics(&first.diag, source);
    check_print(&first);
    arena_fini(&first.arena);
    return 0;
}
