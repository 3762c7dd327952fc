// SPDX-License-Identifier: Apache-2.0
/*
 * parsed.c - a text and what the parser makes of it, for tests.
 */
#include "parsed.h"

#include <stdio.h>

typedef struct Work {
    Parsed *p;
    Str     source;
} Work;

static void parse(void *context)
{
    Work *w = context;
    w->p->module = syntax_parse(&w->p->arena, w->source, &w->p->diag);
}

void parsed_init(Parsed *p, Str source)
{
    *p = (Parsed){0};
    arena_init(&p->arena, (size_t)1 << 30);
    parsed_run(p, source);
}

void parsed_run(Parsed *p, Str source)
{
    p->diag.arena = &p->arena;
    p->out_of_memory = !arena_try(&p->arena, parse, &(Work){p, source});
}

void parsed_fini(Parsed *p)
{
    arena_fini(&p->arena);
}

const char *parsed_print(Parsed *p)
{
    Text text = {.arena = &p->arena};
    syntax_dump_module(&text, p->module);
    return text.data ? text.data : "";
}

const char *parsed_report(Parsed *p)
{
    Text text = {.arena = &p->arena};
    for (uint32_t i = 0; i < p->diag.list.len; i++) {
        const Diagnostic *d = &p->diag.list.data[i];
        text_printf(&text, "%s@%u..%u: %s\n", diag_id_name(d->id), d->span.start,
                    d->span.end, d->message);
    }
    return text.data ? text.data : "";
}

Str file_read(Arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    BUG_IF(!f, "cannot open %s", path);
    Text text = {.arena = a};
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        text_add(&text, (Str){part, (uint32_t)n});
    fclose(f);
    return (Str){text.data ? text.data : "", (uint32_t)text.len};
}
