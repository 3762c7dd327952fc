// SPDX-License-Identifier: Apache-2.0
/*
 * diag.c - the list of diagnostics, and places in the source.
 *
 * in     ids, spans, sentences
 * out    Diag.list
 * not    terminals, WGSL's meaning
 */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

#define DEFAULT_LIMIT 100u
#define MAX_MESSAGE   2000              /* bytes; names may be megabytes long */

static const struct {
    const char *name;
    Severity    severity;
    const char *sentence;
} catalogue[] = {
#define DIAG(id, severity, sentence) {#id, SEVERITY_##severity, sentence},
#include "base/diag.def"
#undef DIAG
};
_Static_assert(COUNTOF(catalogue) == DIAG_ID_COUNT, "a diagnostic has no row");

const char *diag_id_name(DiagId id)
{
    return catalogue[id].name;
}

const char *diag_id_sentence(DiagId id)
{
    return catalogue[id].sentence;
}

const char *severity_name(Severity severity)
{
    static const char *const names[] = {"off", "info", "warning", "error"};
    return names[severity];
}

/* Cuts a text that was cut by vsnprintf at a character, and says so. */
static void mark_cut(char *text, size_t size)
{
    size_t at = size - 4;
    while (at > 0 && ((uint8_t)text[at] & 0xc0) == 0x80)
        at--;
    memcpy(text + at, "...", 4);
}

static PRINTF_LIKE(2, 0) const char *format(Arena *a, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    BUG_IF(len < 0, "bad format '%s'", fmt);
    size_t size = MIN_OF((size_t)len + 1, (size_t)MAX_MESSAGE);
    char *text = arena_alloc(a, size);
    vsnprintf(text, size, fmt, again);
    if (size < (size_t)len + 1)
        mark_cut(text, size);
    va_end(again);
    return text;
}

static bool already_said(const Diag *d, DiagId id, Span span)
{
    for (uint32_t i = d->list.len; i-- > 0;) {
        const Diagnostic *x = &d->list.data[i];
        if (x->id == id && x->span.start == span.start && x->span.end == span.end)
            return true;
    }
    return false;
}

static void add(Diag *d, Diagnostic diagnostic)
{
    uint32_t limit = d->limit ? d->limit : DEFAULT_LIMIT;
    if (d->list.len < limit)
        VEC_PUSH(d->arena, &d->list, diagnostic);
    else if (d->list.len == limit) {
        Diagnostic last = {.id = DIAG_too_many_diagnostics,
                           .severity = SEVERITY_ERROR,
                           .span = diagnostic.span,
                           .message = "there are more problems than are shown"};
        VEC_PUSH(d->arena, &d->list, last);
    }
}

static PRINTF_LIKE(5, 0) Diagnostic *vadd(Diag *d, Severity severity, DiagId id,
                                          Span span, const char *fmt, va_list args)
{
    /* Where a dropped diagnostic's notes go: nowhere. */
    Diagnostic *dropped = ARENA_NEW(d->arena, Diagnostic);
    if (severity == SEVERITY_OFF || already_said(d, id, span))
        return dropped;
    if (severity == SEVERITY_ERROR)
        d->errors++;
    uint32_t before = d->list.len;
    add(d, (Diagnostic){.id = id, .severity = severity, .span = span,
                        .message = format(d->arena, fmt, args)});
    return d->list.len > before ? &d->list.data[before] : dropped;
}

Diagnostic *diag_add(Diag *d, DiagId id, Span span, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    Diagnostic *added = vadd(d, catalogue[id].severity, id, span, fmt, args);
    va_end(args);
    return added;
}

Diagnostic *diag_add_as(Diag *d, Severity severity, DiagId id, Span span,
                        const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    Diagnostic *added = vadd(d, severity, id, span, fmt, args);
    va_end(args);
    return added;
}

void diag_note(Diag *d, Diagnostic *on, Span span, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    DiagNote note = {.span = span, .message = format(d->arena, fmt, args)};
    VEC_PUSH(d->arena, &on->notes, note);
    va_end(args);
}

/* ---- places ---- */

/* Bytes of the line break at `at`, 0 if there is none (WGSL 3.2). */
static uint32_t line_break(Str s, uint32_t at)
{
    uint8_t byte = (uint8_t)s.data[at];
    if (byte == '\r')
        return at + 1 < s.len && s.data[at + 1] == '\n' ? 2 : 1;
    if (byte >= '\n' && byte <= '\r')
        return 1;
    uint32_t c;
    if (byte < 0xc2 || utf8_decode(s, at, &c) == 0)
        return 0;
    if (c == 0x85)
        return 2;
    return c == 0x2028 || c == 0x2029 ? 3 : 0;
}

/* One step through the text: bytes taken, UTF-16 units they stand for. A byte
 * that is not UTF-8 counts as one unit. */
static uint32_t step(Str s, uint32_t at, uint32_t *units)
{
    uint32_t c;
    uint32_t n = utf8_decode(s, at, &c);
    *units = n == 4 ? 2 : 1;
    return n ? n : 1;
}

#define MARK_BYTES 4096u

void line_table_init(LineTable *t, Arena *a, Str source)
{
    VEC(uint32_t) starts = {0}, starts16 = {0}, marks = {0}, marks16 = {0};
    uint32_t at = 0, at16 = 0;
    VEC_PUSH(a, &starts, 0);
    VEC_PUSH(a, &starts16, 0);
    while (at < source.len) {
        if (at / MARK_BYTES >= marks.len) {
            VEC_PUSH(a, &marks, at);
            VEC_PUSH(a, &marks16, at16);
        }
        uint32_t broken = line_break(source, at);
        if (broken) {
            at += broken;
            at16 += broken == 2 && source.data[at - 2] == '\r' ? 2 : 1;
            VEC_PUSH(a, &starts, at);
            VEC_PUSH(a, &starts16, at16);
            continue;
        }
        uint32_t units;
        at += step(source, at, &units);
        at16 += units;
    }
    *t = (LineTable){source, starts.data, starts16.data, starts.len,
                     marks.data, marks16.data, marks.len};
}

static uint32_t line_of(const LineTable *t, uint32_t offset)
{
    uint32_t low = 0, high = t->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* UTF-16 units from the start of the source to byte `offset`. */
static uint32_t units_before(const LineTable *t, uint32_t offset)
{
    uint32_t at = 0, total = 0, mark = MIN_OF(offset / MARK_BYTES, t->nmarks - 1);
    offset = MIN_OF(offset, t->source.len);
    if (t->nmarks > 0) {
        if (mark > 0 && t->marks[mark] > offset)
            mark--;
        at = t->marks[mark];
        total = t->marks16[mark];
    }
    while (at < offset) {
        uint32_t units;
        at += step(t->source, at, &units);
        total += units;
    }
    return total;
}

Place line_table_place(const LineTable *t, Span span)
{
    uint32_t first = line_of(t, span.start), last = line_of(t, span.end);
    uint32_t from = units_before(t, span.start), to = units_before(t, span.end);
    return (Place){
        .line = first + 1, .column = from - t->starts16[first] + 1,
        .end_line = last + 1, .end_column = to - t->starts16[last] + 1,
        .offset16 = from, .length16 = to - from,
    };
}

Str line_table_text(const LineTable *t, uint32_t line)
{
    uint32_t start = t->starts[line - 1];
    uint32_t end = line < t->count ? t->starts[line] : t->source.len;
    /* The break is what ends right before the next line. */
    for (uint32_t back = 3; line < t->count && back > 0; back--)
        if (end - start >= back && line_break(t->source, end - back) == back)
            return (Str){t->source.data + start, end - back - start};
    return (Str){t->source.data + start, end - start};
}
