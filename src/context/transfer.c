// SPDX-License-Identifier: Apache-2.0
/*
 * transfer.c - bytes into buffers, between them, and out of them.
 *
 * in     offsets and sizes in bytes, of any alignment
 * out    queue writes and recorded copies; bytes on the host
 * knows  that the queue copies multiples of four bytes alone, and that a write overtakes
 *        commands that are recorded and not submitted
 * not    where buffers come from
 */
#include <string.h>

#include "context/context_priv.h"

extern const EmbeddedKernel context_kernels[];

#define WRITE_PART ((uint64_t)256 << 20)    /* bytes of one write: the queue copies them */
#define COPY_PART  ((uint64_t)64 << 20)     /* bytes of one copy by a kernel             */

/* ---- checks ---- */

static bool check_range(weft_buffer *b, const char *what, uint64_t offset, uint64_t size)
{
    if (offset > b->size || size > b->size - offset)
        return context_fail(b->ctx, WEFT_ERROR_INVALID,
                            "%s: offset %llu and size %llu are beyond the buffer's %llu bytes",
                            what, (unsigned long long)offset, (unsigned long long)size,
                            (unsigned long long)b->size);
    return true;
}

static bool check_usage(weft_buffer *b, const char *what, WGPUBufferUsage usage,
                        const char *name)
{
    if (b->usage & usage)
        return true;
    return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: the buffer lacks the usage %s", what,
                        name);
}

static bool run_kernel(weft_context *ctx, const char *name, const weft_binding *bindings,
                       uint32_t count, uint32_t groups)
{
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = context_kernel_find(context_kernels, name), .label = name});
    bool ok = p && weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = p, .bindings = bindings, .binding_count = count, .groups = {groups}});
    weft_pipeline_release(p);
    return ok;
}

/* ---- writing ---- */

/* `size` bytes inside the word at `offset`, by a kernel. */
static bool write_part_of_word(weft_buffer *b, uint64_t offset, const uint8_t *data,
                               uint64_t size)
{
    uint64_t align = b->ctx->device->info.limits.minStorageBufferOffsetAlignment;
    uint64_t base = offset / align * align;
    uint8_t  value[4] = {0}, mask[4] = {0};
    memcpy(value + offset % 4, data, size);
    memset(mask + offset % 4, 0xff, size);
    uint32_t patch[3] = {(uint32_t)((offset - base) / 4)};
    memcpy(&patch[1], mask, 4);
    memcpy(&patch[2], value, 4);
    if (!check_usage(b, "write of bytes", WGPUBufferUsage_Storage, "Storage"))
        return false;
    uint64_t end = MIN_OF(base + align, b->capacity & ~(uint64_t)3);
    return run_kernel(b->ctx, "patch", (weft_binding[]){
        {.buffer = b, .offset = base, .size = end - base},
        {.data = patch, .data_size = sizeof patch}}, 2, 1);
}

/* Whole words. */
static bool write_words(weft_buffer *b, uint64_t offset, const uint8_t *data, uint64_t size)
{
    Device *d = b->ctx->device;
    if (recorder_uses(b->ctx, b) && !weft_context_submit(b->ctx))
        return false;
    for (uint64_t at = 0; at < size; at += WRITE_PART)
        d->lib.procs.QueueWriteBuffer(d->queue, b->gpu, offset + at, data + at,
                                      (size_t)MIN_OF(WRITE_PART, size - at));
    return true;
}

/* The last bytes where they end the buffer: what is behind them in their word is free. */
static bool write_tail(weft_buffer *b, uint64_t offset, const uint8_t *data, uint64_t size)
{
    uint8_t word[4] = {0};
    memcpy(word, data, size);
    return write_words(b, offset, word, 4);
}

bool weft_buffer_write(weft_buffer *buffer, uint64_t offset, const void *data, uint64_t size)
{
    weft_buffer   *b = buffer;
    const uint8_t *bytes = data;
    if (!b || !context_need_device(b->ctx) || !check_range(b, "write", offset, size))
        return false;
    if (size == 0)
        return true;
    if (!data)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "write: the data is NULL");
    if (!check_usage(b, "write", WGPUBufferUsage_CopyDst, "CopyDst"))
        return false;
    context_bump(b->ctx, COUNTER_WRITTEN, size);
    uint64_t head = MIN_OF((4 - offset % 4) % 4, size);
    if (head && !write_part_of_word(b, offset, bytes, head))
        return false;
    uint64_t whole = (size - head) & ~(uint64_t)3, tail = size - head - whole;
    if (whole && !write_words(b, offset + head, bytes + head, whole))
        return false;
    uint64_t at = head + whole;
    bool     at_end = offset == 0 && b->size - size < 4 && b->kind != BUFFER_BORROWED;
    return !tail || (at_end ? write_tail(b, offset + at, bytes + at, tail)
                            : write_part_of_word(b, offset + at, bytes + at, tail));
}

/* ---- copying ---- */

static bool copy_words(weft_buffer *to, uint64_t to_offset, weft_buffer *from,
                       uint64_t from_offset, uint64_t size)
{
    WGPUCommandEncoder encoder = recorder_encoder(to->ctx);
    if (!encoder)
        return false;
    to->ctx->device->lib.procs.CommandEncoderCopyBufferToBuffer(
        encoder, from->gpu, from_offset, to->gpu, to_offset, size);
    recorder_mark(to->ctx, to);
    recorder_mark(to->ctx, from);
    return true;
}

/* A binding around [offset, offset + size) whose ends are aligned; *inner: of the range. */
static weft_binding around(weft_buffer *b, uint64_t offset, uint64_t size, uint32_t *inner)
{
    uint64_t align = b->ctx->device->info.limits.minStorageBufferOffsetAlignment;
    uint64_t base = offset / align * align;
    uint64_t end = (offset + size + 3) & ~(uint64_t)3;
    *inner = (uint32_t)(offset - base);
    return (weft_binding){.buffer = b, .offset = base, .size = end - base};
}

static bool copy_bytes(weft_buffer *to, uint64_t to_offset, weft_buffer *from,
                       uint64_t from_offset, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += COPY_PART) {
        uint32_t part = (uint32_t)MIN_OF(COPY_PART, size - at);
        uint32_t groups = MIN_OF(part / 4 / 64 + 1, 1024);
        struct { uint32_t to, from, size, stride; } span = {.size = part, .stride = groups * 64};
        weft_binding bindings[3] = {
            around(from, from_offset + at, part, &span.from),
            around(to, to_offset + at, part, &span.to),
            {.data = &span, .data_size = sizeof span},
        };
        if (!run_kernel(to->ctx, "copy_bytes", bindings, 3, groups))
            return false;
    }
    return true;
}

/* Inside one buffer, where WebGPU has no copy: by way of a second one. */
static bool copy_inside(weft_buffer *b, uint64_t to_offset, uint64_t from_offset, uint64_t size)
{
    weft_buffer *middle = weft_buffer_create(b->ctx, &(weft_buffer_desc){
        .size = size, .uninitialized = true, .label = "copy"});
    bool ok = middle && weft_buffer_copy(middle, 0, b, from_offset, size)
           && weft_buffer_copy(b, to_offset, middle, 0, size);
    weft_buffer_release(middle);
    return ok;
}

/* Commands of another context on the same device come first. */
static bool order_after(weft_context *ctx, weft_buffer *b)
{
    return b->ctx == ctx || !recorder_uses(b->ctx, b) || weft_context_submit(b->ctx);
}

bool weft_buffer_copy(weft_buffer *to, uint64_t to_offset, weft_buffer *from,
                      uint64_t from_offset, uint64_t size)
{
    weft_context *ctx = to ? to->ctx : from ? from->ctx : NULL;
    if (!to || !from)
        return context_fail(ctx, WEFT_ERROR_INVALID, "copy: a buffer is NULL");
    if (!context_need_device(ctx) || !check_range(to, "copy to", to_offset, size))
        return false;
    if (!context_shares_device(ctx, from->ctx))
        return context_fail(ctx, WEFT_ERROR_INVALID,
                            "copy: the buffers belong to different devices");
    if (from_offset > from->size || size > from->size - from_offset)
        return context_fail(ctx, WEFT_ERROR_INVALID,
                            "copy from: offset %llu and size %llu are beyond the buffer's %llu "
                            "bytes", (unsigned long long)from_offset, (unsigned long long)size,
                            (unsigned long long)from->size);
    if (size == 0 || (to == from && to_offset == from_offset))
        return true;
    if (to->gpu == from->gpu)
        return copy_inside(to, to_offset, from_offset, size);
    if (!order_after(ctx, from))
        return false;
    bool words = to_offset % 4 == 0 && from_offset % 4 == 0 && size % 4 == 0
              && (from->usage & WGPUBufferUsage_CopySrc) && (to->usage & WGPUBufferUsage_CopyDst);
    bool ok = words ? copy_words(to, to_offset, from, from_offset, size)
                    : copy_bytes(to, to_offset, from, from_offset, size);
    return ok && (from->ctx == ctx || weft_context_submit(ctx));
}
