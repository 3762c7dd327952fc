// SPDX-License-Identifier: Apache-2.0
/*
 * writer.c - writes WGSL text: lines, blocks, bindings, literals, names.
 *
 * in     declarations and statements, one call each
 * out    one WGSL module as text
 * knows  the surface of WGSL
 * not    tensors, graphs, devices
 */
#include "context/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/wgsl.h>

#define INDENT 4

void writer_init(Writer *w, Arena *arena)
{
    *w = (Writer){.text = {.arena = arena}};
}

/* ---- lines ---- */

static void indent(Writer *w)
{
    for (uint32_t i = 0; i < w->depth * INDENT; i++)
        text_char(&w->text, ' ');
}

PRINTF_LIKE(2, 0)
static const char *format(Writer *w, const char *fmt, va_list args)
{
    char    small[512];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    BUG_IF(n < 0, "a format is wrong: %s", fmt);
    char *text = arena_alloc(w->text.arena, (size_t)n + 1);
    if ((size_t)n < sizeof small)
        memcpy(text, small, (size_t)n + 1);
    else
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

static void add_line(Writer *w, const char *before, const char *text, const char *after)
{
    indent(w);
    text_add(&w->text, str_of(before));
    text_add(&w->text, str_of(text));
    text_add(&w->text, str_of(after));
    text_char(&w->text, '\n');
}

void writer_comment(Writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = format(w, fmt, args);
    va_end(args);
    for (;;) {
        size_t length = strcspn(text, "\n");
        char  *line = arena_copy(w->text.arena, text, length + 1);
        line[length] = '\0';
        add_line(w, length ? "// " : "//", line, "");
        if (!text[length])
            return;
        text += length + 1;
    }
}

void writer_enable(Writer *w, const char *name)
{
    add_line(w, "enable ", name, ";");
}

void writer_binding(Writer *w, uint32_t group, uint32_t binding, WriterAccess access,
                    const char *name, const char *type)
{
    static const char *const spaces[] = {
        [WRITER_READ] = "storage, read",
        [WRITER_READ_WRITE] = "storage, read_write",
        [WRITER_UNIFORM] = "uniform",
    };
    writer_line(w, "@group(%u) @binding(%u) var<%s> %s : %s;", group, binding, spaces[access],
                name, type);
}

void writer_line(Writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_line(w, "", format(w, fmt, args), "");
    va_end(args);
}

void writer_blank(Writer *w)
{
    text_char(&w->text, '\n');
}

/* ---- blocks ---- */

void writer_open(Writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_line(w, "", format(w, fmt, args), " {");
    va_end(args);
    w->depth++;
}

void writer_else(Writer *w)
{
    BUG_IF(w->depth == 0, "else without a block");
    w->depth--;
    add_line(w, "", "} else {", "");
    w->depth++;
}

void writer_close(Writer *w)
{
    BUG_IF(w->depth == 0, "a block is closed too often");
    w->depth--;
    add_line(w, "", "}", "");
}

void writer_begin_main(Writer *w, uint32_t x, uint32_t y, uint32_t z, uint32_t builtins)
{
    static const struct { uint32_t bit; const char *text; } all[] = {
        {WRITER_ID, "@builtin(global_invocation_id) id : vec3u"},
        {WRITER_LOCAL, "@builtin(local_invocation_id) local : vec3u"},
        {WRITER_GROUP, "@builtin(workgroup_id) group : vec3u"},
        {WRITER_INDEX, "@builtin(local_invocation_index) index : u32"},
    };
    const char *list = "";
    for (size_t i = 0; i < COUNTOF(all); i++)
        if ((builtins ? builtins : WRITER_ID) & all[i].bit)
            list = arena_printf(w->text.arena, "%s%s%s", list, *list ? ",\n        " : "",
                                all[i].text);
    if (z > 1)
        writer_line(w, "@compute @workgroup_size(%u, %u, %u)", x, y, z);
    else if (y > 1)
        writer_line(w, "@compute @workgroup_size(%u, %u)", x, y);
    else
        writer_line(w, "@compute @workgroup_size(%u)", x);
    writer_open(w, "fn main(%s)", list);
}

void writer_end_main(Writer *w)
{
    writer_close(w);
}

const char *writer_text(Writer *w)
{
    BUG_IF(w->depth, "%u blocks are still open", w->depth);
    return w->text.data ? w->text.data : "";
}

/* ---- literals ---- */

/* The shortest decimal that reads back to the same value, with a point or an exponent. */
static const char *shortest(Arena *arena, double value, bool as_float)
{
    char text[40] = "";
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (as_float ? (float)back == (float)value : back == value)
            break;
    }
    if (!strpbrk(text, ".e"))
        return arena_printf(arena, "%s.0", text);
    return arena_printf(arena, "%s", text);
}

/* Infinities and NaN are no constant expressions: these read variables, of which a
 * compiler does not know the value (writer_specials()). */
static const char *special(Arena *arena, WriterType type, double value)
{
    static const char *const types[] = {
        [WRITER_F32] = "", [WRITER_F16] = "f16", [WRITER_F64] = "f64",
    };
    const char *name = isnan(value) ? "bitcast<f32>(nan_bits)"
                     : value > 0 ? "bitcast<f32>(infinity_bits)"
                     : "bitcast<f32>(infinity_bits | 0x80000000u)";
    return *types[type] ? arena_printf(arena, "%s(%s)", types[type], name) : name;
}

static const char *integer(Arena *arena, WriterType type, double value)
{
    if (type == WRITER_U32)
        return arena_printf(arena, "%lluu", (unsigned long long)value);
    if (value == -2147483648.0)
        return "i32(-2147483648)";      /* the minus is no part of the literal */
    return arena_printf(arena, "%lldi", (long long)value);
}

const char *writer_literal(Arena *arena, WriterType type, double value)
{
    static const char *const suffixes[] = {
        [WRITER_F32] = "f", [WRITER_F16] = "h", [WRITER_F64] = "lf",
    };
    if (type == WRITER_I32 || type == WRITER_U32)
        return integer(arena, type, value);
    if (isnan(value) || isinf(value))
        return special(arena, type, value);
    bool minus = signbit(value);
    const char *text = shortest(arena, fabs(value), type != WRITER_F64);
    return arena_printf(arena, minus ? "(-%s%s)" : "%s%s", text, suffixes[type]);
}

void writer_specials(Writer *w)
{
    writer_line(w, "var<private> infinity_bits : u32 = 0x7f800000u;");
    writer_line(w, "var<private> nan_bits : u32 = 0x7fc00000u;");
}

/* ---- names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *writer_name(Arena *arena, const char *wish)
{
    Text out = {.arena = arena};
    bool digit = *wish >= '0' && *wish <= '9';
    if (digit || strncmp(wish, "__", 2) == 0 || strcmp(wish, "_") == 0)
        text_char(&out, 'v');
    for (const char *c = wish; *c; c++) {
        bool plain = is_letter(*c) || (*c >= '0' && *c <= '9') || *c == '_';
        if (plain || (signed char)*c >= 0 || (*c & 0xC0) == 0xC0)
            text_char(&out, plain ? *c : '_');
    }
    if (!out.data || strncmp(out.data, "__", 2) == 0 || strcmp(out.data, "_") == 0)
        return arena_printf(arena, "v%s", out.data ? out.data : "");
    return weft_wgsl_is_reserved(out.data) ? arena_printf(arena, "%s_", out.data) : out.data;
}
