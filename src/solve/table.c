// SPDX-License-Identifier: Apache-2.0
/*
 * table.c - columns of numbers from text.
 *
 * in     lines of cells: commas, semicolons, tabs or spaces between them
 * out    names of columns, numbers
 * not    what the columns mean
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/file_priv.h"

#define COLUMNS_MOST 4096u
#define CELL_LONGEST 100u

struct weft_solve_table {
    Arena        arena;             /* of the names                                         */
    const char **names;
    uint32_t     columns, rows;
    double      *data;              /* [rows][columns]                                      */
    uint64_t     room;              /* of data                                              */
};

typedef struct Reading {
    weft_solve_table *t;
    Words             w;
    char              separator;    /* ' ': any space                                       */
} Reading;

/* ---- cells ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The separator of a line: one of these that occurs, else spaces. */
static char separator_of(const char *at, const char *end)
{
    static const char order[] = {';', ',', '\t'};
    for (size_t i = 0; i < sizeof order; i++)
        if (memchr(at, order[i], (size_t)(end - at)))
            return order[i];
    return ' ';
}

/* The next cell of a line, without quotes and blanks around it. False at the end of the line;
 * *at is then NULL. A separator at the end of a line is not followed by another cell. */
static bool next_cell(const Reading *r, const char **at, const char *end, Word *cell)
{
    const char *c = *at;
    if (!c)
        return false;
    while (c < end && (is_blank(*c) && *c != r->separator))
        c++;
    if (r->separator == ' ')
        while (c < end && is_blank(*c))
            c++;
    if (c == end && (r->separator == ' ' || *at == end)) {
        *at = NULL;
        return false;
    }
    const char *begin = c;
    if (c < end && *c == '"') {
        begin = ++c;
        while (c < end && *c != '"')
            c++;
        *cell = (Word){begin, (size_t)(c - begin)};
        c += c < end;
        while (c < end && *c != r->separator && !(r->separator == ' ' && is_blank(*c)))
            c++;
    } else {
        while (c < end && *c != r->separator && !(r->separator == ' ' && is_blank(*c)))
            c++;
        *cell = (Word){begin, (size_t)(c - begin)};
    }
    while (cell->size > 0 && is_blank(cell->data[cell->size - 1]))
        cell->size--;
    *at = c < end ? c + 1 : NULL;
    return true;
}

static bool cell_number(Word cell, double *out)
{
    char text[CELL_LONGEST + 1], *end;
    if (cell.size == 0 || cell.size > CELL_LONGEST)
        return false;
    memcpy(text, cell.data, cell.size);
    text[cell.size] = 0;
    for (const char *c = text; *c; c++)
        if (!isdigit((unsigned char)*c) && !strchr(".eE+-", *c))
            return false;
    *out = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*out);
}

/* ---- lines ---- */

/* The next line that is neither empty nor a comment. */
static bool next_line(Words *w, const char **begin, const char **end)
{
    while (w->at < w->end) {
        const char *newline = memchr(w->at, '\n', (size_t)(w->end - w->at));
        *begin = w->at;
        *end = newline ? newline : w->end;
        w->at = newline ? newline + 1 : w->end;
        w->line++;
        const char *first = *begin;
        while (first < *end && is_blank(*first))
            first++;
        if (first < *end && *first != '#')
            return true;
    }
    return false;
}

/* Names that formulas can use: letters, digits and _. */
static const char *column_name(Arena *arena, Word cell, uint32_t number)
{
    char *name = arena_printf(arena, "%.*s", (int)(cell.size < 63 ? cell.size : 63), cell.data);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '_';
    if (*name == 0)
        return arena_printf(arena, "column%u", number + 1);
    return isdigit((unsigned char)*name) ? arena_printf(arena, "_%s", name) : name;
}

static bool read_head(Reading *r, const char *begin, const char *end, bool *named)
{
    weft_solve_table *t = r->t;
    VEC(const char *) names = {0};
    const char *at = begin;
    Word cell;
    double number;
    *named = false;
    while (next_cell(r, &at, end, &cell)) {
        *named |= !cell_number(cell, &number);
        const char *name = column_name(&t->arena, cell, names.len);
        VEC_PUSH(&t->arena, &names, name);
        if (names.len > COLUMNS_MOST)
            return words_fail(&r->w, "more than %u columns", COLUMNS_MOST);
    }
    t->columns = names.len;
    t->names = names.data;
    for (uint32_t i = 0; !*named && i < t->columns; i++)
        t->names[i] = i + 1 == t->columns && i > 0 ? "y"
                    : t->columns <= 2 ? "x" : arena_printf(&t->arena, "x%u", i + 1);
    return true;
}

static bool read_row(Reading *r, const char *begin, const char *end)
{
    weft_solve_table *t = r->t;
    uint64_t used = (uint64_t)t->rows * t->columns;
    if (t->rows == UINT32_MAX - 1)
        return words_fail(&r->w, "too many rows");
    if (used + t->columns > t->room) {
        uint64_t room = 2 * (used + t->columns) + 256;
        double *more = realloc(t->data, room * sizeof *more);
        if (!more)
            return context_fail(r->w.ctx, WEFT_ERROR_MEMORY, "%s: no memory", r->w.name);
        t->data = more;
        t->room = room;
    }
    const char *at = begin;
    uint32_t column = 0;
    for (Word cell; next_cell(r, &at, end, &cell); column++) {
        if (column == t->columns)
            return words_fail(&r->w, "more cells than the %u columns of the table", t->columns);
        if (!cell_number(cell, &t->data[used + column]))
            return words_fail(&r->w, "column '%s': '%.*s' is not a finite number",
                              t->names[column], (int)(cell.size < 40 ? cell.size : 40), cell.data);
    }
    if (column < t->columns)
        return words_fail(&r->w, "%u cell%s, but the table has %u columns", column,
                          column == 1 ? "" : "s", t->columns);
    t->rows++;
    return true;
}

static bool read_table(Reading *r)
{
    const char *begin, *end;
    bool named;
    if (!next_line(&r->w, &begin, &end))
        return words_fail(&r->w, "the table is empty");
    r->separator = separator_of(begin, end);
    if (!read_head(r, begin, end, &named) || (!named && !read_row(r, begin, end)))
        return false;
    while (next_line(&r->w, &begin, &end))
        if (!read_row(r, begin, end))
            return false;
    return r->t->rows > 0 || words_fail(&r->w, "the table has names, but no numbers");
}

/* ---- the object ---- */

weft_solve_table *weft_solve_table_read(weft_context *ctx, const char *text, size_t size,
                                        const char *name)
{
    if (!ctx || (!text && size > 0)) {
        context_fail(ctx, WEFT_ERROR_INVALID, "no text");
        return NULL;
    }
    weft_solve_table *t = calloc(1, sizeof *t);
    if (!t) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a table");
        return NULL;
    }
    arena_init(&t->arena, 0);
    const char *begin = text ? text : "";
    /* a byte order mark */
    if (size >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0) {
        begin += 3;
        size -= 3;
    }
    Reading r = {.t = t, .w = {.ctx = ctx, .name = name ? name : "table", .at = begin,
                               .end = begin + size}};
    if (read_table(&r))
        return t;
    weft_solve_table_release(t);
    return NULL;
}

weft_solve_table *weft_solve_table_open(weft_context *ctx, const char *path)
{
    size_t size;
    char *text = ctx && path ? file_text(ctx, path, &size) : NULL;
    if (!text) {
        if (ctx && !path)
            context_fail(ctx, WEFT_ERROR_INVALID, "no path");
        return NULL;
    }
    weft_solve_table *t = weft_solve_table_read(ctx, text, size, path);
    free(text);
    return t;
}

void weft_solve_table_release(weft_solve_table *t)
{
    if (!t)
        return;
    arena_fini(&t->arena);
    free(t->data);
    free(t);
}

uint32_t weft_solve_table_rows(const weft_solve_table *t)
{
    return t ? t->rows : 0;
}

uint32_t weft_solve_table_columns(const weft_solve_table *t)
{
    return t ? t->columns : 0;
}

const char *const *weft_solve_table_names(const weft_solve_table *t)
{
    return t ? t->names : NULL;
}

const double *weft_solve_table_data(const weft_solve_table *t)
{
    return t ? t->data : NULL;
}
