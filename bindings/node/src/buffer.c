// SPDX-License-Identifier: Apache-2.0
/*
 * buffer.c - buffers, and ArrayBuffers over their mapped memory.
 *
 * in     calls of lib/buffer.js
 * out    calls of section 6 of webgpu.h; ArrayBuffers without a copy
 * knows  who keeps mapped memory alive
 * not    which ranges may be mapped: lib/ has checked them
 *
 * An ArrayBuffer holds a reference to its buffer, so that the memory outlives the
 * GPUBuffer. lib/ detaches it before it unmaps or destroys.
 */
#include "addon.h"

/* createBuffer(device, label, size, usage, mapped): null, if it should be mapped and
 * there is no memory */
static napi_value create_buffer(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUBufferDescriptor desc = WGPU_BUFFER_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    desc.size = arg_u64(c, 2);
    desc.usage = arg_u32(c, 3);
    desc.mappedAtCreation = arg_bool(c, 4);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_BUFFER, wgpuDeviceCreateBuffer(device, &desc), desc.size);
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *userdata1,
                   void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_post(userdata1, status, 0);
}

/* A size that this machine has no address for is still a size, and too large. */
static size_t to_size(uint64_t n)
{
    return n > SIZE_MAX - 8 ? SIZE_MAX - 8 : (size_t)n;
}

/* mapAsync(buffer, mode, offset, size, token): comes when events are processed;
 * the future */
static napi_value map_async(Call *c)
{
    WGPUBuffer buffer = arg_object(c, 0, KIND_BUFFER);
    const uint32_t mode = arg_u32(c, 1);
    const size_t offset = to_size(arg_u64(c, 2));
    const uint64_t size = arg_u64_or(c, 3, UINT64_MAX);
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 4), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPUBufferMapCallbackInfo info = { NULL, WGPUCallbackMode_AllowProcessEvents, on_map, e,
                                       NULL };
    const WGPUFuture future = wgpuBufferMapAsync(
        buffer, mode, offset, size == UINT64_MAX ? WGPU_WHOLE_MAP_SIZE : to_size(size), info);
    event_refuse(e, future);
    return js_number(c->napi, (double)future.id);
}

static void range_finalize(napi_env napi, void *data, void *hint)
{
    (void)napi, (void)data;
    wgpuBufferRelease(hint);
}

/* mappedRange(buffer, offset, size, toWrite): an ArrayBuffer, or null. The memory of a
 * map that is only read is lent all the same: what JavaScript writes there is its loss. */
static napi_value mapped_range(Call *c)
{
    WGPUBuffer buffer = arg_object(c, 0, KIND_BUFFER);
    const size_t offset = to_size(arg_u64(c, 1)), size = to_size(arg_u64(c, 2));
    const bool to_write = arg_bool(c, 3);
    if (!call_ok(c))
        return NULL;
    union { const void *read; void *write; } at;
    if (to_write)
        at.write = wgpuBufferGetMappedRange(buffer, offset, size);
    else
        at.read = wgpuBufferGetConstMappedRange(buffer, offset, size);
    if (!at.read)
        return js_null(c->napi);
    napi_value range = NULL;
    wgpuBufferAddRef(buffer);
    if (napi_create_external_arraybuffer(c->napi, at.write, size, range_finalize, buffer,
                                         &range) != napi_ok) {
        wgpuBufferRelease(buffer);
        return js_null(c->napi);
    }
    return range;
}

/* detach(arrayBuffer) */
static napi_value detach(Call *c)
{
    bool gone = true;
    if (c->argc && napi_is_detached_arraybuffer(c->napi, c->argv[0], &gone) == napi_ok && !gone)
        napi_detach_arraybuffer(c->napi, c->argv[0]);
    return NULL;
}

static napi_value unmap(Call *c)
{
    WGPUBuffer buffer = arg_object(c, 0, KIND_BUFFER);
    if (call_ok(c))
        wgpuBufferUnmap(buffer);
    return NULL;
}

static napi_value destroy(Call *c)
{
    WGPUBuffer buffer = arg_object(c, 0, KIND_BUFFER);
    if (!call_ok(c))
        return NULL;
    wgpuBufferDestroy(buffer);
    handle_bytes_drop(c->napi, c->argv[0]);
    return NULL;
}

/* externalMemory(): what V8 thinks is held outside of its heap */
static napi_value external_memory(Call *c)
{
    int64_t total = 0;
    napi_adjust_external_memory(c->napi, 0, &total);
    return js_number(c->napi, (double)total);
}

const Function buffer_functions[] = {
    { "externalMemory", external_memory },
    { "createBuffer",  create_buffer },
    { "mapAsync",      map_async },
    { "mappedRange",   mapped_range },
    { "detach",        detach },
    { "unmap",         unmap },
    { "bufferDestroy", destroy },
    { 0 },
};
