// SPDX-License-Identifier: Apache-2.0
/*
 * build.c - GGUF files made byte by byte.
 *
 * in     calls, one for each part of a file
 * out    bytes; whether they are a valid file is up to the caller
 */
#include "model/build.h"

#include <string.h>

void build_bytes(Build *b, const void *data, size_t size)
{
    if (size > b->bytes.cap - b->bytes.len) {
        uint32_t cap = 2 * (b->bytes.len + (uint32_t)size) + 256;
        uint8_t *moved = arena_alloc(b->arena, cap);
        if (b->bytes.len)
            memcpy(moved, b->bytes.data, b->bytes.len);
        b->bytes.data = moved;
        b->bytes.cap = cap;
    }
    if (size)
        memcpy(b->bytes.data + b->bytes.len, data, size);
    b->bytes.len += (uint32_t)size;
}

void build_u32(Build *b, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        build_bytes(b, &(uint8_t){(uint8_t)(value >> (8 * i))}, 1);
}

void build_u64(Build *b, uint64_t value)
{
    build_u32(b, (uint32_t)value);
    build_u32(b, (uint32_t)(value >> 32));
}

void build_string(Build *b, const char *text)
{
    build_u64(b, strlen(text));
    build_bytes(b, text, strlen(text));
}

void build_pad(Build *b, uint32_t alignment)
{
    while (b->bytes.len % alignment)
        build_bytes(b, "", 1);
}

void build_header(Build *b, uint32_t version, uint64_t tensors, uint64_t values)
{
    build_bytes(b, "GGUF", 4);
    build_u32(b, version);
    build_u64(b, tensors);
    build_u64(b, values);
}

static void key_and_kind(Build *b, const char *key, weft_gguf_kind kind)
{
    build_string(b, key);
    build_u32(b, kind);
}

void build_text(Build *b, const char *key, const char *text)
{
    key_and_kind(b, key, WEFT_GGUF_STRING);
    build_string(b, text);
}

void build_number(Build *b, const char *key, uint32_t value)
{
    key_and_kind(b, key, WEFT_GGUF_U32);
    build_u32(b, value);
}

void build_flag(Build *b, const char *key, bool value)
{
    uint8_t byte = value;
    key_and_kind(b, key, WEFT_GGUF_BOOL);
    build_bytes(b, &byte, 1);
}

static void array(Build *b, const char *key, weft_gguf_kind element, size_t count)
{
    key_and_kind(b, key, WEFT_GGUF_ARRAY);
    build_u32(b, element);
    build_u64(b, count);
}

void build_texts(Build *b, const char *key, const char *const *texts, size_t count)
{
    array(b, key, WEFT_GGUF_STRING, count);
    for (size_t i = 0; i < count; i++)
        build_string(b, texts[i]);
}

void build_floats(Build *b, const char *key, const float *values, size_t count)
{
    array(b, key, WEFT_GGUF_F32, count);
    build_bytes(b, values, count * sizeof *values);
}

void build_ints(Build *b, const char *key, const int32_t *values, size_t count)
{
    array(b, key, WEFT_GGUF_I32, count);
    build_bytes(b, values, count * sizeof *values);
}

void build_tensor(Build *b, const char *name, uint64_t elements, uint32_t type, uint64_t offset)
{
    build_string(b, name);
    build_u32(b, 1);
    build_u64(b, elements);
    build_u32(b, type);
    build_u64(b, offset);
}
