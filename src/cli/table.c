// SPDX-License-Identifier: Apache-2.0
/*
 * table.c - rows of cells, each column as wide as its widest cell.
 *
 * in     texts, from outside too
 * out    lines for a terminal
 */
#include "cli/cli.h"

void table_row(Table *t, const char *const *cells)
{
    for (uint32_t i = 0; i < t->columns; i++)
        VEC_PUSH(t->arena, &t->cells, cells[i]);
}

void table_print(Text *out, const Table *t)
{
    uint32_t widths[TABLE_MAX_COLUMNS] = {0};
    for (uint32_t i = 0; i < t->cells.len; i++) {
        uint32_t *width = &widths[i % t->columns];
        *width = MAX_OF(*width, show_width(str_of(t->cells.data[i])));
    }
    for (uint32_t i = 0; i < t->cells.len; i++) {
        uint32_t    column = i % t->columns;
        const char *cell = t->cells.data[i];
        text_printf(out, "%s", column == 0 ? t->indent : "  ");
        show_text(out, str_of(cell));
        if (column + 1 == t->columns)
            text_char(out, '\n');
        else
            text_printf(out, "%*s", (int)(widths[column] - show_width(str_of(cell))), "");
    }
}
