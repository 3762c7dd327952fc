// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_gpu.c - tensors and objects of WebGPU in one JavaScript program.
 *
 * in     contexts and tensors; buffers of WebGPU
 * out    the device of a context as a GPUDevice has it, the buffer behind a tensor, tensors
 *        in buffers
 * knows  that handles of webgpu.h here belong to the library that is linked
 * not    GPUDevice and GPUBuffer: lib/ makes them
 */
#include <string.h>

#include "layer.h"

/* Contexts of another library have objects that are not ours. */
static bool is_own_library(Call *c, weft_context *ctx)
{
    const weft_device_info *info = weft_context_device(ctx);
    if (info && strcmp(info->library, "weft") == 0)
        return true;
    call_fail(c, WEFT_ERROR_UNSUPPORTED, "the context has no device of this library: %s",
              info ? info->library : "it was made without one");
    return false;
}

/* contextGpu(context): [instance, device] */
static napi_value context_gpu(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    if (!call_enter(c) || !is_own_library(c, ctx))
        return NULL;
    WGPUInstance instance = weft_context_wgpu_instance(ctx);
    WGPUDevice   device = weft_context_wgpu_device(ctx);
    wgpuInstanceAddRef(instance);
    wgpuDeviceAddRef(device);
    napi_value pair = js_array(c->napi, 2);
    js_push(c->napi, pair, 0, handle_new(c->napi, KIND_INSTANCE, instance, 0));
    js_push(c->napi, pair, 1, handle_new(c->napi, KIND_DEVICE, device, 0));
    return pair;
}

/* tensorGpu(tensor): [buffer, bytes of it, usage, offset, ...strides] in elements. The tensor
 * is computed, and stays in this buffer until it is unpinned. */
static napi_value tensor_gpu(Call *c)
{
    weft_tensor       *t = arg_owned(c, 0, KIND_TENSOR);
    weft_tensor_memory m;
    if (!call_enter(c) || !is_own_library(c, home_context(c->home)))
        return NULL;
    if (!weft_tensor_memory_get(&m, t))
        return call_throw(c);
    if (!weft_context_submit(home_context(c->home))) {
        weft_tensor_unpin(t);
        return call_throw(c);
    }
    WGPUBuffer buffer = weft_buffer_wgpu(m.buffer);
    napi_env   n = c->napi;
    napi_value list = js_array(n, 0);
    wgpuBufferAddRef(buffer);
    js_push(n, list, 0, handle_new(n, KIND_BUFFER, buffer, 0));
    js_push(n, list, 1, js_number(n, (double)wgpuBufferGetSize(buffer)));
    js_push(n, list, 2, js_number(n, (double)wgpuBufferGetUsage(buffer)));
    js_push(n, list, 3, js_number(n, (double)m.offset));
    for (uint32_t i = 0; i < weft_tensor_rank(t); i++)
        js_push(n, list, 4 + i, js_number(n, (double)m.strides[i]));
    return list;
}

/* tensorFromBuffer(context, device, buffer, dtype, shape, offset) */
static napi_value tensor_from_buffer(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    WGPUDevice       device = arg_object(c, 1, KIND_DEVICE);
    WGPUBuffer       gpu = arg_object(c, 2, KIND_BUFFER);
    weft_tensor_desc d = { .dtype = arg_dtype(c, 3) };
    d.rank = arg_shape(c, 4, d.shape);
    d.buffer_offset = arg_u64(c, 5);
    if (!call_enter(c) || !is_own_library(c, ctx))
        return NULL;
    if (device != weft_context_wgpu_device(ctx)) {
        call_fail(c, WEFT_ERROR_INVALID, "the buffer belongs to another device than the context");
        return NULL;
    }
    d.buffer = weft_buffer_create(ctx, &(weft_buffer_desc){ .borrow = gpu });
    weft_tensor *t = d.buffer ? weft_tensor_create(ctx, &d) : NULL;
    weft_buffer_release(d.buffer);
    return call_give(c, KIND_TENSOR, t);
}

const Function tensor_gpu_functions[] = {
    { "contextGpu",       context_gpu },
    { "tensorGpu",        tensor_gpu },
    { "tensorFromBuffer", tensor_from_buffer },
    { 0 },
};
