/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parsed.h - a text and what the parser makes of it, for tests.
 *
 *     Parsed p;
 *     parsed_init(&p, str_of("const x = 1;"));
 *     assert_string_equal(parsed_print(&p), "const x = 1;\n");
 *     parsed_fini(&p);
 */
#ifndef WEFT_TESTS_PARSED_H
#define WEFT_TESTS_PARSED_H

#include "syntax/syntax.h"

typedef struct Parsed {
    Arena   arena;
    Diag    diag;
    Module *module;
    bool    out_of_memory;
} Parsed;

/* With at most 1 GiB of memory. */
void parsed_init(Parsed *p, Str source);
void parsed_fini(Parsed *p);
/* The same in an arena that the caller has made. */
void parsed_run(Parsed *p, Str source);

/* The module as WGSL. */
const char *parsed_print(Parsed *p);
/* All diagnostics, a line each: "id@start..end: message". */
const char *parsed_report(Parsed *p);

/* A whole file; the arena owns it. Aborts if it cannot be read. */
Str file_read(Arena *a, const char *path);

#endif
