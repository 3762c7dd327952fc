// SPDX-License-Identifier: Apache-2.0
/*
 * text_fuzz.c - lines, places and JSON of any bytes.
 *
 * in     a text, UTF-8 or not
 * out    aborts if lines and places do not fit together
 */
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every line lies inside the source, and its start is where its place says. */
static void check_lines(const LineTable *t)
{
    uint32_t last = 0;
    for (uint32_t line = 1; line <= t->count; line++) {
        uint32_t start = t->starts[line - 1];
        Str text = line_table_text(t, line);
        Place p = line_table_place(t, (Span){start, start + text.len});
        BUG_IF(start < last || start > t->source.len, "line %u starts at %u", line, start);
        BUG_IF(text.len > t->source.len - start, "line %u is too long", line);
        BUG_IF(p.line != line || p.column != 1, "line %u has the wrong place", line);
        BUG_IF(p.end_line != line, "line %u ends elsewhere", line);
        BUG_IF(p.end_column != p.length16 + 1, "line %u has the wrong length", line);
        last = start;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena a;
    LineTable lines;
    Text json = {.arena = &a};
    arena_init(&a, 0);
    Str source = {(const char *)data, (uint32_t)size};
    line_table_init(&lines, &a, source);
    check_lines(&lines);
    text_json(&json, source);
    for (size_t i = 0; i < json.len; i++)
        BUG_IF((unsigned char)json.data[i] < 0x20, "a control character in JSON");
    arena_fini(&a);
    return 0;
}
