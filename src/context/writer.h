// SPDX-License-Identifier: Apache-2.0
/*
 * writer.h - writes WGSL text. Every generator of kernels uses it: fused tensor operations,
 * gradients, and whatever comes later, so that all of them read as if a person had written
 * them.
 *
 * in     declarations and statements, one call each
 * out    one WGSL module as text, indented, with comments
 * knows  the surface of WGSL: enables, bindings, overrides, functions, blocks, names
 * not    tensors, graphs, devices
 *
 *     Writer w;
 *     writer_init(&w, arena);
 *     writer_comment(&w, "y = relu(x) over %u elements", n);
 *     writer_binding(&w, 0, 0, WRITER_READ, "x", "array<f32>");
 *     writer_binding(&w, 0, 1, WRITER_READ_WRITE, "y", "array<f32>");
 *     writer_begin_main(&w, 64, 1, 1, WRITER_ID);
 *     writer_open(&w, "if id.x < %uu", n);
 *     writer_line(&w, "y[id.x] = max(x[id.x], 0.0);");
 *     writer_close(&w);
 *     writer_end_main(&w);
 *     const char *text = writer_text(&w);
 */
#ifndef WEFT_CONTEXT_WRITER_H
#define WEFT_CONTEXT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

typedef enum WriterAccess { WRITER_READ, WRITER_READ_WRITE, WRITER_UNIFORM } WriterAccess;

typedef struct Writer {
    Text     text;
    uint32_t depth;                 /* of open blocks                                       */
} Writer;

void writer_init(Writer *w, Arena *arena);

/* `// ...`, one line for each line of the message. */
void writer_comment(Writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* `enable f16;` Call before everything but comments. */
void writer_enable(Writer *w, const char *name);
/* `@group(g) @binding(b) var<storage, read> name : type;` */
void writer_binding(Writer *w, uint32_t group, uint32_t binding, WriterAccess access,
                    const char *name, const char *type);
/* A line at the current depth: a statement or a declaration, as given. */
void writer_line(Writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void writer_blank(Writer *w);
/* `head {` and one level deeper; `}` closes it; `} else {`. */
void writer_open(Writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void writer_else(Writer *w);
void writer_close(Writer *w);
/* The entry point `main` with the builtins `id` (global_invocation_id), `local`
 * (local_invocation_id), `group` (workgroup_id), `index` (local_invocation_index) that
 * `builtins` names, by default `id` alone. */
typedef enum WriterBuiltin {
    WRITER_ID = 1, WRITER_LOCAL = 2, WRITER_GROUP = 4, WRITER_INDEX = 8,
} WriterBuiltin;
void writer_begin_main(Writer *w, uint32_t x, uint32_t y, uint32_t z, uint32_t builtins);
void writer_end_main(Writer *w);

/* Literals that read back to the same value: "1.5", "0x1p-126", "1.5h", "0.1lf", "3u".
 * WGSL has no literal for infinities and NaN: these become bitcasts of a private variable,
 * which writer_specials() declares; call it once before the functions if `value` may be one. */
typedef enum WriterType { WRITER_F32, WRITER_F16, WRITER_F64, WRITER_I32, WRITER_U32 } WriterType;
const char *writer_literal(Arena *arena, WriterType type, double value);
void        writer_specials(Writer *w);

/* A legal WGSL identifier made from any UTF-8 text: letters, digits and _ stay, keywords and
 * reserved words get a trailing _. Never empty. */
const char *writer_name(Arena *arena, const char *wish);

/* The module. Every block must be closed. */
const char *writer_text(Writer *w);

#endif
