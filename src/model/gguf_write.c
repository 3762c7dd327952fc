// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_write.c - GGUF files, version 3, written from the front to the back.
 *
 * in     metadata, tensors
 * out    a file
 * knows  the format, little-endian as the machines that Weft runs on
 * not    what the tensors are
 */
#include "model/gguf_write.h"

#include <errno.h>
#include <string.h>

#include "context/context.h"

enum { ALIGNMENT = 32 };

void gguf_writer_init(GgufWriter *w, weft_context *ctx, Arena *arena)
{
    *w = (GgufWriter){.ctx = ctx, .arena = arena, .values = {.arena = arena},
                      .tensors = {.arena = arena}};
}

/* ---- encoding ---- */

static void add_bytes(Text *to, const void *data, uint64_t size)
{
    text_add(to, (Str){data, (uint32_t)size});
}

static void add_u32(GgufWriter *w, uint32_t v)
{
    add_bytes(&w->values, &v, sizeof v);
}

static void add_u64(GgufWriter *w, uint64_t v)
{
    add_bytes(&w->values, &v, sizeof v);
}

static void add_str(GgufWriter *w, Str s)
{
    add_u64(w, s.len);
    add_bytes(&w->values, s.data, s.len);
}

static void add_key(GgufWriter *w, const char *key, weft_gguf_kind kind)
{
    w->value_count++;
    add_str(w, str_of(key));
    add_u32(w, kind);
}

void gguf_put_text(GgufWriter *w, const char *key, const char *text)
{
    add_key(w, key, WEFT_GGUF_STRING);
    add_str(w, str_of(text));
}

void gguf_put_u32(GgufWriter *w, const char *key, uint32_t value)
{
    add_key(w, key, WEFT_GGUF_U32);
    add_u32(w, value);
}

void gguf_put_f32(GgufWriter *w, const char *key, float value)
{
    add_key(w, key, WEFT_GGUF_F32);
    add_bytes(&w->values, &value, sizeof value);
}

void gguf_put_bool(GgufWriter *w, const char *key, bool value)
{
    uint8_t byte = value;
    add_key(w, key, WEFT_GGUF_BOOL);
    add_bytes(&w->values, &byte, sizeof byte);
}

void gguf_put_texts(GgufWriter *w, const char *key, const Str *texts, uint64_t count)
{
    add_key(w, key, WEFT_GGUF_ARRAY);
    add_u32(w, WEFT_GGUF_STRING);
    add_u64(w, count);
    for (uint64_t i = 0; i < count; i++)
        add_str(w, texts[i]);
}

void gguf_put_ints(GgufWriter *w, const char *key, const int32_t *values, uint64_t count)
{
    add_key(w, key, WEFT_GGUF_ARRAY);
    add_u32(w, WEFT_GGUF_I32);
    add_u64(w, count);
    add_bytes(&w->values, values, count * sizeof *values);
}

void gguf_put_tensor(GgufWriter *w, const char *name, weft_gguf_type type, uint32_t rank,
                     const uint64_t *shape)
{
    uint64_t len = strlen(name), elements = 1;
    uint32_t kind = type;
    w->tensor_count++;
    add_bytes(&w->tensors, &len, sizeof len);
    add_bytes(&w->tensors, name, len);
    add_bytes(&w->tensors, &rank, sizeof rank);
    for (uint32_t i = 0; i < rank; i++) {
        add_bytes(&w->tensors, &shape[i], sizeof shape[i]);
        elements *= shape[i];
    }
    add_bytes(&w->tensors, &kind, sizeof kind);
    add_bytes(&w->tensors, &w->offset, sizeof w->offset);
    uint64_t size = elements / weft_gguf_type_elements(type) * weft_gguf_type_bytes(type);
    w->offset += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- the file ---- */

static bool fail_write(GgufWriter *w)
{
    int why = errno;
    context_fail(w->ctx, WEFT_ERROR_IO, "%s: cannot be written: %s", w->path, strerror(why));
    gguf_writer_abandon(w);
    return false;
}

static bool write_all(GgufWriter *w, const void *data, size_t size)
{
    return size == 0 || fwrite(data, 1, size, w->file) == size;
}

static bool pad(GgufWriter *w, uint64_t at)
{
    static const uint8_t zeros[ALIGNMENT];
    return write_all(w, zeros, (size_t)((ALIGNMENT - at % ALIGNMENT) % ALIGNMENT));
}

bool gguf_writer_begin(GgufWriter *w, const char *path)
{
    uint32_t head[] = {0x46554747, 3};          /* "GGUF", version */
    uint64_t counts[] = {w->tensor_count, w->value_count};
    w->path = arena_printf(w->arena, "%s", path);
    w->part = arena_printf(w->arena, "%s.part", path);
    w->file = fopen(w->part, "wb");
    uint64_t size = sizeof head + sizeof counts + w->values.len + w->tensors.len;
    return (w->file && write_all(w, head, sizeof head) && write_all(w, counts, sizeof counts) &&
            write_all(w, w->values.data, w->values.len) &&
            write_all(w, w->tensors.data, w->tensors.len) && pad(w, size)) || fail_write(w);
}

bool gguf_writer_data(GgufWriter *w, const void *data, uint64_t size)
{
    w->written += size;
    return (write_all(w, data, size) && pad(w, size)) || fail_write(w);
}

bool gguf_writer_end(GgufWriter *w)
{
    FILE *file = w->file;
    w->file = NULL;
    if (fclose(file) != 0 || rename(w->part, w->path) != 0)
        return fail_write(w);
    return true;
}

void gguf_writer_abandon(GgufWriter *w)
{
    if (w->file)
        fclose(w->file);
    w->file = NULL;
    if (w->part)
        remove(w->part);
}
