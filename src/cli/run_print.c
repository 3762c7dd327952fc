// SPDX-License-Identifier: Apache-2.0
/*
 * run_print.c - the values of a buffer for people.
 *
 * in     bytes and the type that they have
 * out    y : array<f32>, 10 elements
 *          [0]   1   3   5   7   9  11  13  15
 *          [8]  17  19
 * not    where the bytes are from
 */
#include "cli/run_priv.h"

#define LINE       80u                  /* columns                                   */
#define MAX_INSIDE 16u                  /* elements of an array inside another       */

/* ---- one value in a line ---- */

static void inline_value(Run *r, Text *out, const weft_type *t, const uint8_t *bytes);

static void inline_elements(Run *r, Text *out, const weft_type *t, const uint8_t *bytes,
                            const char *brackets)
{
    uint64_t shown = t->kind == WEFT_TYPE_ARRAY && !r->all ? MIN_OF(t->count, MAX_INSIDE)
                                                           : t->count;
    text_char(out, brackets[0]);
    for (uint64_t i = 0; i < shown; i++) {
        text_add(out, i ? STR(", ") : STR(""));
        inline_value(r, out, t->element, bytes + i * t->stride);
    }
    if (shown < t->count)
        text_printf(out, ", ... %llu more", (unsigned long long)(t->count - shown));
    text_char(out, brackets[1]);
}

static void inline_members(Run *r, Text *out, const weft_struct *s, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < s->member_count; i++) {
        const weft_member *m = &s->members[i];
        text_printf(out, "%s%s ", i ? ", " : "", m->name);
        inline_value(r, out, m->layout, bytes + m->offset);
    }
}

static void inline_value(Run *r, Text *out, const weft_type *t, const uint8_t *bytes)
{
    switch (t->kind) {
    case WEFT_TYPE_SCALAR:
        number_print(out, t->scalar, scalar_load(bytes, t->scalar));
        break;
    case WEFT_TYPE_VECTOR:
    case WEFT_TYPE_MATRIX:
        inline_elements(r, out, t, bytes, "()");
        break;
    case WEFT_TYPE_ARRAY:
        inline_elements(r, out, t, bytes, "[]");
        break;
    case WEFT_TYPE_STRUCT:
        text_char(out, '{');
        inline_members(r, out, t->structure, bytes);
        text_char(out, '}');
        break;
    case WEFT_TYPE_BYTES:
        BUG("bytes are shown as words");
    }
}

/* ---- rows of an array ---- */

static uint32_t digits_of(uint64_t n)
{
    uint32_t digits = 1;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

/* As many in a row as fit, and a power of two of them. */
static uint32_t cells_in_row(const weft_type *element, uint32_t gutter, uint32_t width)
{
    uint32_t cells = 1;
    if (element->kind == WEFT_TYPE_STRUCT)
        return 1;
    while (cells < 16 && gutter + cells * 2 * (width + 2) <= LINE)
        cells *= 2;
    return cells;
}

static uint32_t widest(Run *r, const weft_type *array, const uint8_t *bytes, uint64_t from,
                       uint64_t to)
{
    Text     cell = {.arena = &r->cli->arena};
    uint32_t width = 0;
    for (uint64_t i = from; i < to; i++) {
        cell.len = 0;
        inline_value(r, &cell, array->element, bytes + i * array->stride);
        width = MAX_OF(width, (uint32_t)cell.len);
    }
    return width;
}

/* Rows of elements [from, to) of the `all` that are shown, in columns of their own
 * width. */
static void print_rows(Run *r, const weft_type *array, const uint8_t *bytes, uint64_t from,
                       uint64_t to, uint64_t all, uint32_t indent)
{
    Text    *out = &r->cli->out;
    Text     cell = {.arena = &r->cli->arena};
    uint32_t width = widest(r, array, bytes, from, to);
    uint32_t cells = cells_in_row(array->element, indent + digits_of(all) + 2, width);
    uint32_t digits = digits_of((all - 1) / cells * cells);
    for (uint64_t i = from; i < to; i++) {
        uint64_t column = (i - from) % cells;
        cell.len = 0;
        inline_value(r, &cell, array->element, bytes + i * array->stride);
        if (column == 0)
            text_printf(out, "%s%*s[%llu]%*s", i > from ? "\n" : "", (int)indent, "",
                        (unsigned long long)i, (int)(digits - digits_of(i)), "");
        if (cells == 1)
            text_printf(out, "  %s", cell.data);
        else
            text_printf(out, "  %*s", (int)width, cell.data);
    }
    if (from < to)
        text_char(out, '\n');
}

/* At most this many rows are aligned with each other, so that --all of a large array
 * needs little memory. */
#define PART 4096u

static void print_array(Run *r, const weft_type *array, const uint8_t *bytes, uint64_t count,
                        uint32_t indent)
{
    Text    *out = &r->cli->out;
    uint64_t shown = r->all ? count : MIN_OF(count, r->first);
    for (uint64_t from = 0; from < shown; from += PART) {
        print_rows(r, array, bytes, from, MIN_OF(shown, from + PART), shown, indent);
        cli_flush(r->cli);
    }
    if (shown < count)
        text_printf(out, "%*s... %llu more; --all shows them\n", (int)indent, "",
                    (unsigned long long)(count - shown));
}

/* ---- a binding ---- */

static void print_block(Run *r, const char *name, const weft_type *t, const uint8_t *bytes,
                        uint64_t tail_count, uint32_t indent)
{
    Text *out = &r->cli->out;
    text_printf(out, "%*s%s : %s", (int)indent, "", name, t->name);
    if (t->kind == WEFT_TYPE_ARRAY) {
        uint64_t count = t->count ? t->count : tail_count;
        text_printf(out, ", %llu element%s\n", (unsigned long long)count,
                    count == 1 ? "" : "s");
        print_array(r, t, bytes, count, indent + 2);
    } else if (t->kind == WEFT_TYPE_STRUCT) {
        text_char(out, '\n');
        for (uint32_t i = 0; i < t->structure->member_count; i++) {
            const weft_member *m = &t->structure->members[i];
            print_block(r, m->name, m->layout, bytes + m->offset, tail_count, indent + 2);
        }
    } else {
        text_add(out, STR(" = "));
        inline_value(r, out, t, bytes);
        text_char(out, '\n');
    }
}

void print_bound(Run *r, const Bound *b)
{
    print_block(r, b->name, b->shape.type, b->result, b->count, 0);
}
