/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gguf_write.h - GGUF files, version 3, written from the front to the back.
 *
 *     gguf_writer_init(&w, ctx, arena);
 *     gguf_put_text(&w, "general.architecture", "bert");         metadata, in any order
 *     gguf_put_tensor(&w, "token_embd.weight", F16, 2, shape);   then all tensors
 *     gguf_writer_begin(&w, path);
 *     gguf_writer_data(&w, bytes, size);                         one call for each tensor
 *     gguf_writer_end(&w);
 */
#ifndef WEFT_MODEL_GGUF_WRITE_H
#define WEFT_MODEL_GGUF_WRITE_H

#include <stdio.h>
#include <weft/model.h>

#include "base/arena.h"
#include "base/text.h"

typedef struct GgufWriter {
    weft_context *ctx;
    Arena        *arena;
    Text          values, tensors;      /* encoded                                 */
    uint64_t      value_count, tensor_count;
    uint64_t      offset;               /* of the next tensor's data               */
    FILE         *file;
    char         *path, *part;          /* part: while it is written               */
    uint64_t      written;              /* bytes of data                           */
} GgufWriter;

void gguf_writer_init(GgufWriter *w, weft_context *ctx, Arena *arena);
void gguf_put_text(GgufWriter *w, const char *key, const char *text);
void gguf_put_u32(GgufWriter *w, const char *key, uint32_t value);
void gguf_put_f32(GgufWriter *w, const char *key, float value);
void gguf_put_bool(GgufWriter *w, const char *key, bool value);
void gguf_put_texts(GgufWriter *w, const char *key, const Str *texts, uint64_t count);
void gguf_put_ints(GgufWriter *w, const char *key, const int32_t *values, uint64_t count);
/* Fastest dimension first, as in files. */
void gguf_put_tensor(GgufWriter *w, const char *name, weft_gguf_type type, uint32_t rank,
                     const uint64_t *shape);
/* A file of another name, until gguf_writer_end() gives it its own. */
bool gguf_writer_begin(GgufWriter *w, const char *path);
bool gguf_writer_data(GgufWriter *w, const void *data, uint64_t size);
bool gguf_writer_end(GgufWriter *w);
/* Removes what was written; after gguf_writer_end() it does nothing. */
void gguf_writer_abandon(GgufWriter *w);

#endif
