// SPDX-License-Identifier: Apache-2.0
/*
 * common.h - what every example needs and none is about.
 *
 * in     kernels in WGSL, memory of the program
 * out    an open device; buffers, pipelines, bind groups; what a buffer holds
 * knows  webgpu.h alone: the examples run on every library that has it
 * not    error handling worth copying. Whatever goes wrong ends the program,
 *        with the library's own message. errors.c shows what else can be done;
 *        docs/webgpu.md has a whole program that uses nothing of this file.
 *
 * C11, and C++17 too: so there are no compound literals here.
 */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <webgpu/webgpu.h>

#ifndef KERNELS
#define KERNELS ".."                    /* the folder of the .wgsl files */
#endif

typedef struct Gpu {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    bool         can_sleep;             /* the instance has TimedWaitAny */
} Gpu;

/* ---- words ---- */

static inline WGPUStringView text(const char *s)
{
    WGPUStringView view = WGPU_STRING_VIEW_INIT;
    view.data = s;
    return view;
}

/* Text from the library: it has a length and need not end with NUL. */
static inline void print_text(FILE *to, const char *before, WGPUStringView s)
{
    fprintf(to, "%s%.*s", before, (int)s.length, s.data ? s.data : "");
}

/* Good on any thread, also inside a callback. */
static inline void fatal(const char *what, WGPUStringView why)
{
    print_text(stderr, what, why);
    fputs("\n", stderr);
    fflush(NULL);
    _Exit(EXIT_FAILURE);
}

/* The exit status of an example. */
static inline int verdict(bool right)
{
    puts(right ? "right" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- waiting ---- */

/* Returns when the callback of `future` has set *done. Its mode must not be
 * WaitAnyOnly: a library that cannot sleep is asked again and again. */
static inline void gpu_wait(const Gpu *gpu, WGPUFuture future, const bool *done)
{
    WGPUFutureWaitInfo wait = WGPU_FUTURE_WAIT_INFO_INIT;
    wait.future = future;
    if (gpu->can_sleep)
        wgpuInstanceWaitAny(gpu->instance, 1, &wait, UINT64_MAX);
    while (!*done)
        wgpuInstanceProcessEvents(gpu->instance);
}

/* ---- opening ---- */

static inline void got_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                               WGPUStringView message, void *to, void *done)
{
    if (status != WGPURequestAdapterStatus_Success)
        fatal("no adapter: ", message);
    *(WGPUAdapter *)to = adapter;
    *(bool *)done = true;
}

static inline void got_device(WGPURequestDeviceStatus status, WGPUDevice device,
                              WGPUStringView message, void *to, void *done)
{
    if (status != WGPURequestDeviceStatus_Success)
        fatal("no device: ", message);
    *(WGPUDevice *)to = device;
    *(bool *)done = true;
}

static inline void got_error(const WGPUDevice *device, WGPUErrorType type,
                             WGPUStringView message, void *user1, void *user2)
{
    (void)device, (void)type, (void)user1, (void)user2;
    fatal("error: ", message);
}

/* The instance and its first adapter; there is no device yet. */
static inline Gpu gpu_find(void)
{
    Gpu gpu;
    memset(&gpu, 0, sizeof gpu);
    const WGPUInstanceFeatureName sleep = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUInstanceDescriptor desc = WGPU_INSTANCE_DESCRIPTOR_INIT;
    gpu.can_sleep = wgpuHasInstanceFeature(sleep);
    desc.requiredFeatureCount = gpu.can_sleep ? 1 : 0;
    desc.requiredFeatures = gpu.can_sleep ? &sleep : NULL;
    gpu.instance = wgpuCreateInstance(&desc);
    if (!gpu.instance)
        fatal("no instance", text(""));

    bool done = false;
    WGPURequestAdapterCallbackInfo then = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = got_adapter;
    then.userdata1 = &gpu.adapter;
    then.userdata2 = &done;
    gpu_wait(&gpu, wgpuInstanceRequestAdapter(gpu.instance, NULL, then), &done);
    return gpu;
}

/* Opens the device of `gpu`. `wish` NULL: all defaults. Without a callback of
 * the caller's, an error that no scope takes ends the program. */
static inline void gpu_open_device(Gpu *gpu, const WGPUDeviceDescriptor *wish)
{
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    if (wish)
        desc = *wish;
    if (!desc.uncapturedErrorCallbackInfo.callback)
        desc.uncapturedErrorCallbackInfo.callback = got_error;

    bool done = false;
    WGPURequestDeviceCallbackInfo then = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = got_device;
    then.userdata1 = &gpu->device;
    then.userdata2 = &done;
    gpu_wait(gpu, wgpuAdapterRequestDevice(gpu->adapter, &desc, then), &done);
    gpu->queue = wgpuDeviceGetQueue(gpu->device);
}

static inline Gpu gpu_open(void)
{
    Gpu gpu = gpu_find();
    gpu_open_device(&gpu, NULL);
    return gpu;
}

static inline void gpu_close(Gpu *gpu)
{
    if (gpu->queue)
        wgpuQueueRelease(gpu->queue);
    if (gpu->device)
        wgpuDeviceRelease(gpu->device);
    wgpuAdapterRelease(gpu->adapter);
    wgpuInstanceRelease(gpu->instance);
}

/* ---- buffers ---- */

/* A buffer of `size` bytes that starts as a copy of `data`; NULL: as zeros. */
static inline WGPUBuffer buffer_create(const Gpu *gpu, WGPUBufferUsage usage, size_t size,
                                       const void *data)
{
    WGPUBufferDescriptor desc = WGPU_BUFFER_DESCRIPTOR_INIT;
    desc.usage = usage;
    desc.size = size;
    desc.mappedAtCreation = data != NULL;
    WGPUBuffer buffer = wgpuDeviceCreateBuffer(gpu->device, &desc);
    if (data) {
        memcpy(wgpuBufferGetMappedRange(buffer, 0, size), data, size);
        wgpuBufferUnmap(buffer);
    }
    return buffer;
}

static inline void submit(const Gpu *gpu, WGPUCommandEncoder encoder)
{
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
    wgpuQueueSubmit(gpu->queue, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
}

static inline void got_map(WGPUMapAsyncStatus status, WGPUStringView message, void *done,
                           void *unused)
{
    (void)unused;
    if (status != WGPUMapAsyncStatus_Success)
        fatal("cannot map: ", message);
    *(bool *)done = true;
}

/* Copies the first `size` bytes of `buffer`, whose usage has CopySrc, to `to`,
 * when everything that was submitted is done. */
static inline void buffer_read(const Gpu *gpu, WGPUBuffer buffer, void *to, size_t size)
{
    WGPUBuffer staging = buffer_create(
        gpu, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, size, NULL);
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, buffer, 0, staging, 0, size);
    submit(gpu, encoder);

    bool done = false;
    WGPUBufferMapCallbackInfo then = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = got_map;
    then.userdata1 = &done;
    gpu_wait(gpu, wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, size, then), &done);
    memcpy(to, wgpuBufferGetConstMappedRange(staging, 0, size), size);
    wgpuBufferUnmap(staging);
    wgpuBufferRelease(staging);
}

/* ---- kernels ---- */

/* The text of KERNELS/name, to be freed. */
static inline char *kernel_read(const char *name)
{
    enum { MOST = 1 << 16 };
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KERNELS, name);
    FILE *file = fopen(path, "rb");
    char *wgsl = (char *)calloc(1, MOST);
    if (!file || !wgsl || fread(wgsl, 1, MOST - 1, file) == 0)
        fatal("cannot read ", text(path));
    fclose(file);
    return wgsl;
}

static inline WGPUShaderModule module_create(const Gpu *gpu, const char *wgsl)
{
    WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
    source.code = text(wgsl);
    WGPUShaderModuleDescriptor desc = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    desc.nextInChain = &source.chain;
    return wgpuDeviceCreateShaderModule(gpu->device, &desc);
}

/* The kernel `entry` of `wgsl`, with bindings as the text declares them; NULL:
 * the only kernel there. */
static inline WGPUComputePipeline pipeline_create(const Gpu *gpu, const char *wgsl,
                                                  const char *entry)
{
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.compute.module = module_create(gpu, wgsl);
    if (entry) {
        desc.compute.entryPoint = text(entry);
        desc.label = text(entry);       /* messages name it */
    }
    WGPUComputePipeline pipeline = wgpuDeviceCreateComputePipeline(gpu->device, &desc);
    wgpuShaderModuleRelease(desc.compute.module);
    return pipeline;
}

/* Group 0 of `pipeline`: buffers[i] whole, at binding i; NULL: the kernel has no
 * use for binding i. */
static inline WGPUBindGroup bind_group_create(const Gpu *gpu, WGPUComputePipeline pipeline,
                                              uint32_t count, const WGPUBuffer *buffers)
{
    enum { MOST = 8 };
    WGPUBindGroupEntry entries[MOST];
    WGPUBindGroupDescriptor desc = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    desc.layout = wgpuComputePipelineGetBindGroupLayout(pipeline, 0);
    desc.entries = entries;
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
        entry.binding = i;
        entry.buffer = buffers[i];
        if (buffers[i])
            entries[desc.entryCount++] = entry;
    }
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(gpu->device, &desc);
    wgpuBindGroupLayoutRelease(desc.layout);
    return group;
}

/* Submits one dispatch of x * y workgroups, alone in its pass. */
static inline void dispatch(const Gpu *gpu, WGPUComputePipeline pipeline,
                            WGPUBindGroup group, uint32_t x, uint32_t y)
{
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, x, y, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(gpu, encoder);
}

#endif
