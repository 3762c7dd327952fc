/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - reads the table of cases that all bindings run: bindings/cases/README.md.
 */
#ifndef WEFT_TESTS_BINDINGS_CASES_H
#define WEFT_TESTS_BINDINGS_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <weft/pool.h>

#define CASE_ARRAYS 8

typedef struct CaseArray {
    char        name[40];
    weft_scalar type;
    uint32_t    rank;
    uint64_t    shape[8];
    uint8_t    *data;                   /* input; NULL: none                          */
    uint64_t    size;
    uint8_t    *expected;               /* output; NULL: none                         */
    uint64_t    expected_size;
    bool        foreign;
} CaseArray;

typedef struct Case {
    char          name[40], entry[40];
    char         *wgsl;
    CaseArray     inputs[CASE_ARRAYS], outputs[CASE_ARRAYS];
    uint32_t      input_count, output_count;
    char          constant_names[4][40];
    weft_constant constants[4];
    uint32_t      constant_count;
    uint32_t      groups[3], invocations[3];
    bool          f16, f64, cancel, no_retry;
    uint64_t      memory_limit, deadline, memory_quota, dispatch_deadline;
    double        tolerance;
    char          error[20], error_name[40];    /* kind; "": it must run              */
} Case;

/* The next case of `file` (cases.txt in `folder`); false at the end. A malformed file fails the
 * test. Release with case_fini(). */
bool case_read(Case *out, FILE *file, const char *folder);
void case_fini(Case *c);

#endif
