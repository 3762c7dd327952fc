// SPDX-License-Identifier: Apache-2.0
/*
 * show.c - a diagnostic for people: where, what, the line, the span underlined.
 *
 * in     a diagnostic of a module
 * out    text for a terminal, with or without colours
 * knows  how wide characters are on a terminal; that a text from outside may hold
 *        anything, escape sequences too
 * not    WGSL
 */
#define _XOPEN_SOURCE 700               /* wcwidth() */
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"
#include "cli/cli.h"

#define MAX_COLUMNS 100u                /* of a line that is shown                   */
#define BEFORE      40u                 /* columns before the span in a line cut off */
#define TAB         4u

/* ---- characters on a terminal ---- */

/* One character as it is shown. */
typedef struct Cell {
    Str      text;
    uint32_t bytes;                     /* it takes in the source                    */
    uint32_t width;                     /* columns                                   */
} Cell;

/* Direction marks could make a line look like another one. */
static bool is_direction_mark(uint32_t c)
{
    return (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
}

/* The character at `at`, which stands in column `column`. */
static Cell cell_at(Str s, uint32_t at, uint32_t column)
{
    static const char blanks[TAB + 1] = "    ";
    const Cell unknown = {STR("\xef\xbf\xbd"), 1, 1};
    uint32_t   c;
    uint32_t   n = utf8_decode(s, at, &c);
    if (n == 0)
        return unknown;
    if (c == '\t') {
        uint32_t width = TAB - column % TAB;
        return (Cell){{blanks, width}, 1, width};
    }
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || is_direction_mark(c))
        return (Cell){unknown.text, n, 1};
    int width = wcwidth((wchar_t)c);
    return (Cell){{s.data + at, n}, n, width < 0 ? 1 : (uint32_t)width};
}

void show_text(Text *out, Str text)
{
    for (uint32_t at = 0; at < text.len;) {
        Cell cell = cell_at(text, at, 0);
        text_add(out, text.data[at] == '\t' ? STR(" ") : cell.text);
        at += cell.bytes;
    }
}

uint32_t show_width(Str text)
{
    uint32_t columns = 0;
    for (uint32_t at = 0; at < text.len;) {
        Cell cell = cell_at(text, at, columns);
        columns += cell.width;
        at += cell.bytes;
    }
    return columns;
}

/* ---- colours ---- */

typedef enum Paint {
    PAINT_NONE, PAINT_BOLD, PAINT_ERROR, PAINT_WARNING, PAINT_INFO, PAINT_NOTE,
    PAINT_MARK, PAINT_GUTTER, PAINT_COUNT
} Paint;

static const char *const paints[] = {
    [PAINT_NONE] = "0", [PAINT_BOLD] = "1", [PAINT_ERROR] = "1;31",
    [PAINT_WARNING] = "1;35", [PAINT_INFO] = "1;36", [PAINT_NOTE] = "1;36",
    [PAINT_MARK] = "1;32", [PAINT_GUTTER] = "2",
};
_Static_assert(COUNTOF(paints) == PAINT_COUNT, "a colour has no code");

static void paint(Cli *cli, Paint p)
{
    if (cli->color)
        text_printf(&cli->out, "\x1b[%sm", paints[p]);
}

/* ---- a line of the source ---- */

/* The part of a line that is shown. */
typedef struct Window {
    Str      line;
    uint32_t from, to;                  /* bytes of the line                         */
} Window;

/* The byte where the character ends that `at` is in the middle of, going back. */
static uint32_t character_start(Str s, uint32_t at)
{
    uint32_t back = 0;
    while (at > 0 && back < 3 && ((uint8_t)s.data[at] & 0xc0) == 0x80) {
        at--;
        back++;
    }
    return at;
}

/* A window of at most MAX_COLUMNS that shows the start of the span at `start`. */
static Window window_around(Str line, uint32_t start)
{
    Window   w = {.line = line};
    uint32_t columns = 0;
    if (start > BEFORE && line.len > MAX_COLUMNS)
        w.from = character_start(line, start - BEFORE);
    w.to = w.from;
    while (w.to < line.len) {
        Cell cell = cell_at(line, w.to, columns);
        if (columns + cell.width > MAX_COLUMNS)
            break;
        columns += cell.width;
        w.to += cell.bytes;
    }
    return w;
}

static void gutter(Cli *cli, uint32_t digits, uint32_t line)
{
    paint(cli, PAINT_GUTTER);
    if (line)
        text_printf(&cli->out, " %*u | ", (int)digits, line);
    else
        text_printf(&cli->out, " %*s | ", (int)digits, "");
    paint(cli, PAINT_NONE);
}

static void show_window(Cli *cli, const Window *w)
{
    uint32_t columns = 0;
    if (w->from)
        text_add(&cli->out, STR("..."));
    for (uint32_t at = w->from; at < w->to;) {
        Cell cell = cell_at(w->line, at, columns);
        text_add(&cli->out, cell.text);
        columns += cell.width;
        at += cell.bytes;
    }
    if (w->to < w->line.len)
        text_add(&cli->out, STR("..."));
    text_char(&cli->out, '\n');
}

/* Carets below the bytes [start, end) of the line; at least one. */
static void show_carets(Cli *cli, const Window *w, uint32_t start, uint32_t end)
{
    uint32_t at = w->from, columns = 0, marked = 0;
    text_add(&cli->out, w->from ? STR("   ") : STR(""));
    while (at < w->to && at < start) {
        Cell cell = cell_at(w->line, at, columns);
        text_printf(&cli->out, "%*s", (int)cell.width, "");
        columns += cell.width;
        at += cell.bytes;
    }
    paint(cli, PAINT_MARK);
    while (at < w->to && at < end) {
        Cell cell = cell_at(w->line, at, columns);
        for (uint32_t i = 0; i < cell.width; i++)
            text_char(&cli->out, '^');
        marked += cell.width;
        columns += cell.width;
        at += cell.bytes;
    }
    if (marked == 0)
        text_char(&cli->out, '^');
    if (end > w->to)
        text_add(&cli->out, STR("..."));
    paint(cli, PAINT_NONE);
    text_char(&cli->out, '\n');
}

static uint32_t digits_of(uint32_t n)
{
    uint32_t digits = 1;
    while (n >= 10) {
        n /= 10;
        digits++;
    }
    return digits;
}

static void show_line(Cli *cli, Str text, uint32_t number, uint32_t digits,
                      uint32_t start, uint32_t end)
{
    start = MIN_OF(start, text.len);
    end = MAX_OF(start, MIN_OF(end, text.len));
    Window w = window_around(text, start);
    gutter(cli, digits, number);
    show_window(cli, &w);
    gutter(cli, digits, 0);
    show_carets(cli, &w, start, end);
}

static Str line_of(const weft_wgsl *m, uint32_t line)
{
    size_t      size = 0;
    const char *text = weft_wgsl_line(m, line, &size);
    return (Str){text, (uint32_t)size};
}

static uint32_t first_visible(Str line)
{
    uint32_t at = 0;
    while (at < line.len && (line.data[at] == ' ' || line.data[at] == '\t'))
        at++;
    return at;
}

/* The first line of the span and, if that is another one, the last. */
static void show_place(Cli *cli, const weft_wgsl *m, const weft_place *p)
{
    Str first = line_of(m, p->line), last = line_of(m, p->end_line);
    if (!first.data || !last.data)
        return;
    /* All lines are parts of one text, which the first of them begins. */
    const char *text = line_of(m, 1).data;
    uint32_t    start = p->byte_offset - (uint32_t)(first.data - text);
    uint32_t    digits = MAX_OF(digits_of(p->end_line), 3);
    if (p->line == p->end_line) {
        show_line(cli, first, p->line, digits, start, start + p->byte_length);
        return;
    }
    uint32_t end = p->byte_offset + p->byte_length - (uint32_t)(last.data - text);
    show_line(cli, first, p->line, digits, start, first.len);
    uint32_t from = first_visible(last);
    if (end <= from)
        return;
    if (p->end_line > p->line + 1)
        text_printf(&cli->out, " %*s\n", (int)digits, "...");
    show_line(cli, last, p->end_line, digits, from, end);
}

/* ---- diagnostics ---- */

static void show_head(Cli *cli, const char *file, const weft_place *p)
{
    paint(cli, PAINT_BOLD);
    show_text(&cli->out, str_of(file));
    if (p->line)
        text_printf(&cli->out, ":%u:%u", p->line, p->column);
    text_add(&cli->out, STR(": "));
    paint(cli, PAINT_NONE);
}

static void show_word(Cli *cli, Paint p, const char *word)
{
    paint(cli, p);
    text_printf(&cli->out, "%s: ", word);
    paint(cli, PAINT_NONE);
}

static bool same_place(const weft_place *x, const weft_place *y)
{
    return x->byte_offset == y->byte_offset && x->byte_length == y->byte_length;
}

void show_diagnostic(Cli *cli, const char *file, const weft_wgsl *m,
                     const weft_diagnostic *d, bool brief)
{
    static const struct { const char *word; Paint paint; } severities[] = {
        [WEFT_SEVERITY_INFO] = {"info", PAINT_INFO},
        [WEFT_SEVERITY_WARNING] = {"warning", PAINT_WARNING},
        [WEFT_SEVERITY_ERROR] = {"error", PAINT_ERROR},
    };
    show_head(cli, file, &d->place);
    show_word(cli, severities[d->severity].paint, severities[d->severity].word);
    paint(cli, PAINT_BOLD);
    show_text(&cli->out, str_of(d->message));
    paint(cli, PAINT_NONE);
    text_printf(&cli->out, " [%s]\n", d->id);
    if (brief)
        return;
    const weft_place *shown = &d->place;
    if (shown->line)
        show_place(cli, m, shown);
    for (uint32_t i = 0; i < d->note_count; i++) {
        const weft_place *place = &d->notes[i].place;
        show_head(cli, file, place);
        show_word(cli, PAINT_NOTE, "note");
        show_text(&cli->out, str_of(d->notes[i].message));
        text_char(&cli->out, '\n');
        if (place->line && !same_place(place, shown))
            show_place(cli, m, place);
        shown = place;
    }
}
