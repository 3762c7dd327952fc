// SPDX-License-Identifier: Apache-2.0
/*
 * buffer_priv.h - between memory.c, which decides where a buffer comes from, and buffer.c,
 * which makes and fills it.
 */
#ifndef WEFT_CONTEXT_BUFFER_PRIV_H
#define WEFT_CONTEXT_BUFFER_PRIV_H

#include "context/context_priv.h"

/* The class of a size, and the size of its buffers. */
uint32_t pool_class(uint64_t size, uint64_t *capacity);

/* A new buffer of the device, not counted; NULL with the error set. */
weft_buffer *buffer_allocate(weft_context *ctx, WGPUBufferUsage usage, uint64_t capacity,
                             bool mapped);
/* Gives a buffer its first reference and its size. */
void         buffer_begin(weft_buffer *b, uint64_t size);
void         buffer_destroy(weft_buffer *b);

/* A free buffer or a new one; `idle`: no recorded command uses it, so that it can be
 * written at once. NULL with the error set. */
weft_buffer *memory_take(weft_context *ctx, BufferKind kind, WGPUBufferUsage usage,
                         uint64_t size, bool idle);
/* Without references: into the pool, or destroyed. */
void         memory_give(weft_buffer *b);

#endif
