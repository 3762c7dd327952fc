// SPDX-License-Identifier: Apache-2.0
/*
 * buffer.c - weft_buffer: creating, borrowing, counting references.
 *
 * in     sizes, usages, first contents
 * out    buffers inside the budget
 * knows  error scopes: a library may have no memory for a buffer
 * not    pools and budget (memory.c), reading and writing (transfer.c)
 */
#include <stdlib.h>
#include <string.h>

#include "context/buffer_priv.h"

#define POOLED_USAGE (WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst)

/* ---- descriptors ---- */

static weft_buffer_desc resolve(const weft_buffer_desc *desc)
{
    weft_buffer_desc d = desc ? *desc : (weft_buffer_desc){0};
    if (d.size == 0)
        d.size = d.data_size;
    if (d.size <= UINT64_MAX - 3)
        d.size = (d.size + 3) & ~(uint64_t)3;
    if (d.usage == 0)
        d.usage = POOLED_USAGE;
    if (!d.label)
        d.label = "buffer";
    return d;
}

static bool check_desc(weft_context *ctx, const weft_buffer_desc *d)
{
    uint64_t most = ctx->device->info.limits.maxBufferSize;
    if (d->borrow)
        return true;
    if (d->size == 0)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: the size is zero", d->label);
    if (d->size % 4 || d->size > most)
        return context_fail(ctx, WEFT_ERROR_MEMORY,
                            "%s: %llu bytes are above the largest buffer of the device, %llu bytes",
                            d->label, (unsigned long long)d->size, (unsigned long long)most);
    if (d->data_size > d->size)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: data_size %llu is above the size %llu",
                            d->label, (unsigned long long)d->data_size,
                            (unsigned long long)d->size);
    if (d->data_size && !d->data)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: data_size without data", d->label);
    if (d->data && !(d->usage & WGPUBufferUsage_CopyDst))
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: data needs the usage CopyDst",
                            d->label);
    return true;
}

/* ---- the device's buffer ---- */

static WGPUBuffer create_checked(weft_context *ctx, const WGPUBufferDescriptor *wish)
{
    Device *d = ctx->device;
    char    why[256];
    device_scope_begin(d);
    WGPUBuffer gpu = d->lib.procs.DeviceCreateBuffer(d->device, wish);
    if (device_scope_end(d, why, sizeof why) && gpu)
        return gpu;
    if (gpu)
        d->lib.procs.BufferRelease(gpu);
    context_fail(ctx, WEFT_ERROR_MEMORY, "the device cannot make a buffer of %llu bytes: %s",
                 (unsigned long long)wish->size, why);
    return NULL;
}

static weft_buffer *buffer_new(weft_context *ctx, WGPUBuffer gpu, WGPUBufferUsage usage,
                               uint64_t capacity)
{
    weft_buffer *b = calloc(1, sizeof *b);
    if (!b) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a buffer");
        return NULL;
    }
    b->ctx = ctx;
    b->gpu = gpu;
    b->usage = usage;
    b->size = b->capacity = capacity;
    b->id = atomic_fetch_add_explicit(&ctx->device->next_id, 1, memory_order_relaxed);
    return b;
}

weft_buffer *buffer_allocate(weft_context *ctx, WGPUBufferUsage usage, uint64_t capacity,
                             bool mapped)
{
    WGPUBufferDescriptor wish = WGPU_BUFFER_DESCRIPTOR_INIT;
    wish.size = capacity;
    wish.usage = usage;
    wish.mappedAtCreation = mapped;
    WGPUBuffer   gpu = create_checked(ctx, &wish);
    weft_buffer *b = gpu ? buffer_new(ctx, gpu, usage, capacity) : NULL;
    if (gpu && !b)
        ctx->device->lib.procs.BufferRelease(gpu);
    if (b && context_logs(ctx))
        context_log(ctx, WEFT_LOG_MEMORY, "%llu bytes allocated",
                    (unsigned long long)capacity);
    return b;
}

void buffer_begin(weft_buffer *b, uint64_t size)
{
    b->refs = 1;
    b->size = size;
    b->owned = false;
    context_ref(b->ctx);
}

/* ---- the API ---- */

static weft_buffer *borrow(weft_context *ctx, const weft_buffer_desc *d)
{
    const Procs *p = &ctx->device->lib.procs;
    uint64_t     size = p->BufferGetSize(d->borrow);
    if (d->size > size) {
        context_fail(ctx, WEFT_ERROR_INVALID, "%s: the borrowed buffer has %llu bytes, not %llu",
                     d->label, (unsigned long long)size, (unsigned long long)d->size);
        return NULL;
    }
    weft_buffer *b = buffer_new(ctx, d->borrow, p->BufferGetUsage(d->borrow), size);
    if (!b)
        return NULL;
    b->kind = BUFFER_BORROWED;
    p->BufferAddRef(b->gpu);
    buffer_begin(b, d->size ? d->size : size);
    return b;
}

/* Whole words; what is behind the data in its last word becomes zero. */
static bool fill_data(weft_buffer *b, const void *data, uint64_t size)
{
    uint8_t  last[4] = {0};
    uint64_t tail = size % 4, whole = size - tail;
    if (tail)
        memcpy(last, (const uint8_t *)data + whole, (size_t)tail);
    return weft_buffer_write(b, 0, data, whole)
        && (!tail || weft_buffer_write(b, whole, last, sizeof last));
}

/* From an offset to the end. */
static bool clear_from(weft_buffer *b, uint64_t offset)
{
    WGPUCommandEncoder encoder = recorder_encoder(b->ctx);
    if (!encoder)
        return false;
    b->ctx->device->lib.procs.CommandEncoderClearBuffer(encoder, b->gpu, offset,
                                                        b->size - offset);
    recorder_mark(b->ctx, b);
    return true;
}

bool context_clear(weft_buffer *buffer)
{
    return clear_from(buffer, 0);
}

/* The first contents of a new or reused buffer. */
static bool fill(weft_buffer *b, const weft_buffer_desc *d)
{
    uint64_t written = d->data ? (d->data_size + 3) & ~(uint64_t)3 : 0;
    if (d->data && !fill_data(b, d->data, d->data_size))
        return false;
    if (d->uninitialized || written >= b->size || !(b->usage & WGPUBufferUsage_CopyDst))
        return true;
    return clear_from(b, written);
}

weft_buffer *weft_buffer_create(weft_context *ctx, const weft_buffer_desc *desc)
{
    weft_buffer_desc d = resolve(desc);
    if (!context_need_device(ctx) || !check_desc(ctx, &d))
        return NULL;
    if (d.borrow)
        return borrow(ctx, &d);
    BufferKind   kind = d.usage == POOLED_USAGE ? BUFFER_POOLED : BUFFER_OTHER;
    weft_buffer *b = memory_take(ctx, kind, d.usage, d.size, d.data != NULL);
    if (!b)
        return NULL;
    buffer_begin(b, d.size);
    if (fill(b, &d))
        return b;
    weft_buffer_release(b);
    return NULL;
}

bool context_lends(const weft_context *ctx)
{
    const Device *d = ctx->device;
    return d && d->lib.has_options && strcmp(d->info.backend, "cpu") == 0;
}

weft_buffer *context_lent_buffer(weft_context *ctx, void *memory, uint64_t size,
                                 void (*gone)(void *user, void *unused), void *user)
{
    WGPUWeftHostMemory   host = WGPU_WEFT_HOST_MEMORY_INIT;
    WGPUBufferDescriptor wish = WGPU_BUFFER_DESCRIPTOR_INIT;
    if (!context_need_device(ctx) || !context_lends(ctx)) {
        gone(user, NULL);
        context_fail(ctx, WEFT_ERROR_INVALID, "the device has memory of its own");
        return NULL;
    }
    host.data = memory;
    host.callback = gone;
    host.userdata1 = user;
    wish.nextInChain = &host.chain;
    wish.size = size;
    wish.usage = POOLED_USAGE;
    WGPUBuffer   gpu = create_checked(ctx, &wish);
    weft_buffer *b = gpu ? buffer_new(ctx, gpu, POOLED_USAGE, size) : NULL;
    if (gpu && !b)
        ctx->device->lib.procs.BufferRelease(gpu);
    if (!b)
        return NULL;
    b->kind = BUFFER_LENT;
    buffer_begin(b, size);
    return b;
}

weft_buffer *context_mapped_buffer(weft_context *ctx, uint64_t size, void **memory)
{
    weft_buffer_desc d = resolve(&(weft_buffer_desc){.size = size});
    if (!context_need_device(ctx) || !check_desc(ctx, &d))
        return NULL;
    weft_buffer *b = memory_take(ctx, BUFFER_MAPPED, d.usage, d.size, true);
    if (!b)
        return NULL;
    buffer_begin(b, d.size);
    *memory = ctx->device->lib.procs.BufferGetMappedRange(b->gpu, 0, (size_t)d.size);
    if (*memory)
        return b;
    weft_buffer_release(b);
    context_fail(ctx, WEFT_ERROR_MEMORY, "a buffer of %llu bytes cannot be mapped",
                 (unsigned long long)d.size);
    return NULL;
}

void context_unmap(weft_buffer *b)
{
    b->ctx->device->lib.procs.BufferUnmap(b->gpu);
}

weft_buffer *weft_buffer_retain(weft_buffer *buffer)
{
    if (buffer)
        buffer->refs++;
    return buffer;
}

void weft_buffer_release(weft_buffer *buffer)
{
    if (!buffer)
        return;
    BUG_IF(buffer->refs == 0, "a buffer is released too often");
    if (--buffer->refs)
        return;
    weft_context *ctx = buffer->owned ? NULL : buffer->ctx;
    memory_give(buffer);
    if (ctx)
        context_unref(ctx);
}

void context_own_buffer(weft_buffer *buffer)
{
    if (!buffer || buffer->owned)
        return;
    buffer->owned = true;
    context_unref(buffer->ctx);
}

uint64_t weft_buffer_size(const weft_buffer *buffer)
{
    return buffer ? buffer->size : 0;
}

WGPUBuffer weft_buffer_wgpu(const weft_buffer *buffer)
{
    return buffer ? buffer->gpu : NULL;
}

weft_context *buffer_context(const weft_buffer *buffer)
{
    return buffer ? buffer->ctx : NULL;
}
