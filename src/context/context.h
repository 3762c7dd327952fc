// SPDX-License-Identifier: Apache-2.0
/*
 * context.h - what the layers of libweft use of a context beyond weft/context.h: setting
 * errors, counting, memory pressure, the function table of the context's library.
 *
 * knows  weft/context.h, webgpu.h
 * not    tensors, graphs, models
 */
#ifndef WEFT_CONTEXT_CONTEXT_H
#define WEFT_CONTEXT_CONTEXT_H

#include <webgpu/webgpu.h>
#include <weft/context.h>

#include "base/arena.h"

/* ---- errors ---- */

/* Records an error unless there is one already; always returns false, so that a failing
 * call reads `return context_fail(ctx, WEFT_ERROR_SHAPE, "...", ...)`. A NULL ctx is
 * allowed. */
bool context_fail(weft_context *ctx, weft_error_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same with names; the list ends with NULL. */
bool context_fail_names(weft_context *ctx, weft_error_kind kind, const char *const *names,
                        const char *fmt, ...) PRINTF_LIKE(4, 5);
/* True while no error is recorded, the device is open (or not needed) and not lost. */
bool context_ok(const weft_context *ctx);
/* True if the context has a device; else fails with WEFT_ERROR_UNSUPPORTED. */
bool context_need_device(weft_context *ctx);

/* ---- log, counters ---- */

bool context_logs(const weft_context *ctx);     /* whether a message would be seen          */
void context_log(weft_context *ctx, weft_log_topic topic, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* `name` and `unit` must be string literals. */
void context_count(weft_context *ctx, const char *name, const char *unit, uint64_t add);
void context_gauge(weft_context *ctx, const char *name, const char *unit, uint64_t value);

/* ---- memory pressure ---- */

/* A layer that can free device memory (by moving idle tensors to the host, say) registers
 * this: frees at least `bytes` if it can, returns what it freed. Called when an allocation
 * would exceed the budget, never from inside itself. */
typedef uint64_t (*ContextEvict)(void *user, uint64_t bytes);
void context_add_evictor(weft_context *ctx, ContextEvict evict, void *user);
void context_remove_evictor(weft_context *ctx, ContextEvict evict, void *user);
/* The bytes that an evictor may read at once: so much of the budget is kept free for it. */
uint64_t context_evict_chunk(uint64_t budget);
/* Accounts for tensors that moved to the host or to disk (may be negative). */
void context_account_moved(weft_context *ctx, int64_t host, int64_t disk, uint64_t evicted);

/* An account outside of the context that its device memory is charged to as well. `take` may
 * refuse, with one sentence why; `end` is called with the context's end. Set at most once,
 * before the context allocates. */
typedef struct ContextAccount {
    bool (*take)(void *user, uint64_t bytes, char *why, size_t why_size);
    void (*give)(void *user, uint64_t bytes);
    void (*end)(void *user);
    void  *user;
} ContextAccount;
void context_set_account(weft_context *ctx, const ContextAccount *account);

/* A buffer that a slot's state owns must not keep its context alive: after this call it does
 * not, and the slot's `fini` releases it. */
void context_own_buffer(weft_buffer *buffer);

/* A new buffer of the usual usage whose zeros are at *memory, for several threads to fill, until
 * context_unmap(): on the CPU device without a copy, elsewhere with one on the host. */
weft_buffer *context_mapped_buffer(weft_context *ctx, uint64_t size, void **memory);
void         context_unmap(weft_buffer *buffer);

/* Whether the device computes in the memory of the host. */
bool context_lends(const weft_context *ctx);
/* A buffer over `size` bytes of the host, a multiple of 4, at an address that is a multiple of
 * 16; its contents are what is there. Not counted. `gone(user)` is called once, on any thread,
 * when nothing uses the memory any more; it may not call this API. NULL with the error set: it
 * has been called. */
weft_buffer *context_lent_buffer(weft_context *ctx, void *memory, uint64_t size,
                                 void (*gone)(void *user, void *unused), void *user);
/* Records zeros for all of a buffer. */
bool context_clear(weft_buffer *buffer);

/* ---- kernels ---- */

/* weft_pipeline_create() may return while the device still compiles. Waits for it: false with
 * WEFT_ERROR_COMPILE and the reason if the kernel could not be made. */
bool context_pipeline_wait(weft_context *ctx, const weft_pipeline *pipeline);

/* ---- options a layer needs ---- */

const weft_context_desc *context_desc(const weft_context *ctx);     /* resolved              */
/* True if both use the same device, so that one may use buffers of the other. */
bool context_shares_device(const weft_context *a, const weft_context *b);
weft_context *buffer_context(const weft_buffer *buffer);       /* NULL for NULL         */

/* State that a layer keeps on a context (the tensor layer's graph, the names of models): one
 * slot a layer, released with the context by `fini`. */
typedef enum ContextSlot { CONTEXT_TENSOR, CONTEXT_GRAD, CONTEXT_MODEL, CONTEXT_VECTORS,
                           CONTEXT_SLOT_COUNT } ContextSlot;
void *context_slot(const weft_context *ctx, ContextSlot slot);
void  context_set_slot(weft_context *ctx, ContextSlot slot, void *state, void (*fini)(void *));

/* ---- kernels embedded by the build ---- */

/* One .wgsl file of a layer's kernels/ folder; cmake's weft_embed_kernels() makes the table
 * `const EmbeddedKernel NAME_kernels[]`, ended by a NULL name. */
typedef struct EmbeddedKernel {
    const char *name;               /* file name without .wgsl                              */
    const char *text;
} EmbeddedKernel;

const char *context_kernel_find(const EmbeddedKernel *table, const char *name);
/* The text with each `${NAME}` replaced; parameters are name, value, ..., NULL. Fails on an
 * unknown ${NAME}. */
const char *context_kernel_text(Arena *arena, const char *text, ...);
/* The same with the parameters in an array: name, value, ..., NULL. */
const char *context_kernel_fill(Arena *arena, const char *text, const char *const *params);
/* The text with each line that contains #MARK repeated `count` times, #MARK replaced by 0, 1,
 * ...: one line for each accumulator of a register tile, say. */
const char *context_kernel_repeat(Arena *arena, const char *text, char mark, uint32_t count);

#endif
