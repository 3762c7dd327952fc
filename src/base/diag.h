// SPDX-License-Identifier: Apache-2.0
/*
 * diag.h - what is wrong with the user's input, collected with its place.
 *
 * in     an id from the catalogue diag.def, a span of the source, a sentence
 * out    a list of diagnostics, in the order they were found
 * knows  source text, lines and columns
 * not    WGSL's meaning; terminals (cli/ prints)
 *
 * A sentence starts in lower case, has no full stop, names things in single
 * quotes as the user wrote them, and says what is wrong; a note says where the
 * other half of the story is, or what to do.
 */
#ifndef WEFT_BASE_DIAG_H
#define WEFT_BASE_DIAG_H

#include "base/arena.h"
#include "base/str.h"

/* Half-open range of bytes of the source. {0,0} is "no place". */
typedef struct Span {
    uint32_t start, end;
} Span;

static inline Span span_join(Span a, Span b)
{
    return (Span){MIN_OF(a.start, b.start), MAX_OF(a.end, b.end)};
}

typedef enum Severity {
    SEVERITY_OFF,
    SEVERITY_INFO,
    SEVERITY_WARNING,
    SEVERITY_ERROR,
} Severity;

typedef enum DiagId {
#define DIAG(id, severity, sentence) DIAG_##id,
#include "base/diag.def"
#undef DIAG
    DIAG_ID_COUNT
} DiagId;

typedef struct DiagNote {
    Span        span;
    const char *message;
} DiagNote;

typedef struct Diagnostic {
    DiagId      id;
    Severity    severity;
    Span        span;
    const char *message;
    VEC(DiagNote) notes;
} Diagnostic;

/* Bytes that a few diagnostics take at most. */
#define DIAG_ROOM ((size_t)16 << 10)

typedef struct Diag {
    Arena   *arena;                 /* owns all texts                              */
    uint32_t errors;                /* of severity error, also those past the limit */
    uint32_t limit;                 /* most diagnostics kept      0: 100           */
    VEC(Diagnostic) list;
    /* A pointer from diag_add() is good until the next diag_add(). */
} Diag;

/*
 * Adds a diagnostic with the catalogue's severity. Returns it for diag_note();
 * never NULL. A second diagnostic with the same id and span is dropped.
 */
Diagnostic *diag_add(Diag *d, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* The same with a severity of the caller's choice (diagnostic filters);
 * SEVERITY_OFF adds nothing to the list. */
Diagnostic *diag_add_as(Diag *d, Severity severity, DiagId id, Span span,
                        const char *fmt, ...) PRINTF_LIKE(5, 6);

/* A second place that explains `on`. */
void diag_note(Diag *d, Diagnostic *on, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* "redeclared"; the sentence that explains the id in general. */
const char *diag_id_name(DiagId id);
const char *diag_id_sentence(DiagId id);
const char *severity_name(Severity severity);

/*
 * Places. Lines and columns count from 1. `column` counts UTF-16 code units,
 * as the WebGPU API and editors want; `offset16` and `length16` are the UTF-16
 * offset from the start of the source and the span's length.
 */
typedef struct Place {
    uint32_t line, column;
    uint32_t end_line, end_column;
    uint32_t offset16, length16;
} Place;

/* Line starts of a source; made once, then each place costs O(log lines), however
 * long the lines. All WGSL line breaks count, CRLF as one. */
typedef struct LineTable {
    Str       source;
    uint32_t *starts;               /* [count] byte offset of each line            */
    uint32_t *starts16;             /* [count] the same in UTF-16 units            */
    uint32_t  count;
    uint32_t *marks;                /* [nmarks] first character at or after each
                                       4096th byte                                 */
    uint32_t *marks16;              /* [nmarks] the same in UTF-16 units           */
    uint32_t  nmarks;
} LineTable;

void  line_table_init(LineTable *t, Arena *a, Str source);
Place line_table_place(const LineTable *t, Span span);
/* The text of line `line` without its line break. */
Str   line_table_text(const LineTable *t, uint32_t line);

#endif
