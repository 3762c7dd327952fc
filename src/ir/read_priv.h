// SPDX-License-Identifier: Apache-2.0
/*
 * read_priv.h - reading an Ir from text: who does what.
 *
 *   scan.c        the words of a text: names, numbers, strings
 *   read.c        the kernel, types of memory, variables
 *   read_body.c   regions and instructions
 *
 * Functions that return bool return false after a diagnostic; the first one ends
 * the reading.
 */
#ifndef WEFT_IR_READ_PRIV_H
#define WEFT_IR_READ_PRIV_H

#include "ir/ir.h"

#define READ_MAX_ID    (1u << 24)       /* of an instruction; tables are that long */
#define READ_MAX_TYPES 10000u           /* each is compared with all others        */
#define READ_MAX_DEPTH 600u             /* regions in regions: everybody recurses  */

typedef struct Reader {
    Arena   *arena;
    Diag    *diag;
    Str      text;
    uint32_t at;                        /* start of the next word                  */
    Str      word;                      /* the next word; empty at the end         */
    Ir      *ir;
    VEC(Inst *) by_id;                  /* NULL: not read yet                      */
    uint32_t depth;
} Reader;

/* ---- scan.c ---- */

void scan_start(Reader *r);
void scan_next(Reader *r);
Span scan_span(const Reader *r);        /* of the next word                        */
/* "'x' stands where WHAT is needed", at the next word; always false. */
bool scan_wrong(Reader *r, const char *what);
bool scan_fail(Reader *r, Span span, const char *fmt, ...) PRINTF_LIKE(3, 4);

bool scan_is(const Reader *r, const char *word);
bool scan_accept(Reader *r, const char *word);
bool scan_expect(Reader *r, const char *word);
bool scan_number(Reader *r, uint64_t most, uint64_t *out);
bool scan_number32(Reader *r, uint32_t *out);
/* A prefix with a number: t4, v0, %17, #3. */
bool scan_starts(const Reader *r, char prefix);
bool scan_ref(Reader *r, char prefix, uint32_t most, const char *what, uint32_t *out);
bool scan_string(Reader *r, Str *out);
bool scan_line_end(Reader *r);
bool scan_is_type(const Reader *r);
bool scan_type(Reader *r, IrType *out);

/* ---- read_body.c ---- */

/* From after "{" to after "}". */
bool read_region(Reader *r, Region *region);

#endif
