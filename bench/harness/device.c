/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - the WGSL side of a benchmark, through webgpu.h.
 *
 * in     WGSL, the work it does
 * out    launches, from submit to completion; the result
 * knows  webgpu.h, and of Weft its options: threads, the cache of kernels
 * not    kernels, C
 */
#include "harness/bench.h"

#include <stdlib.h>
#include <string.h>
#include <webgpu/weft.h>

struct Device {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
};

struct Runner {
    Device             *device;
    const Work         *work;
    WGPUBuffer          buffer[MAX_BUFFERS];
    WGPUBuffer          back;                   /* the result, for the host; or NULL */
    WGPUComputePipeline pipeline[MAX_STEPS];    /* of the step                     */
    WGPUBindGroup       group[MAX_STEPS];
};

static WGPUStringView text(const char *s)
{
    return (WGPUStringView){s, WGPU_STRLEN};
}

/* ---- callbacks ---- */

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *out, void *unused)
{
    (void)unused;
    if (status != WGPURequestAdapterStatus_Success)
        stop("no adapter: %.*s", (int)message.length, message.data);
    *(WGPUAdapter *)out = adapter;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device,
                      WGPUStringView message, void *out, void *unused)
{
    (void)unused;
    if (status != WGPURequestDeviceStatus_Success)
        stop("no device: %.*s", (int)message.length, message.data);
    *(WGPUDevice *)out = device;
}

static void on_error(WGPUDevice const *device, WGPUErrorType type, WGPUStringView message,
                     void *unused1, void *unused2)
{
    (void)device;
    (void)type;
    (void)unused1;
    (void)unused2;
    stop("%.*s", (int)message.length, message.data);
}

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *unused1,
                    void *unused2)
{
    (void)unused1;
    (void)unused2;
    if (status != WGPUQueueWorkDoneStatus_Success)
        stop("work was not done: %.*s", (int)message.length, message.data);
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *unused1,
                   void *unused2)
{
    (void)unused1;
    (void)unused2;
    if (status != WGPUMapAsyncStatus_Success)
        stop("a buffer was not mapped: %.*s", (int)message.length, message.data);
}

static void wait_for(const Device *d, WGPUFuture future)
{
    WGPUFutureWaitInfo info = {.future = future};
    if (wgpuInstanceWaitAny(d->instance, 1, &info, UINT64_MAX) != WGPUWaitStatus_Success)
        stop("waiting failed");
}

/* ---- the device ---- */

static WGPUInstance open_instance(const char *cache)
{
    const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    options.cacheMode = cache ? WGPUWeftCacheMode_Default : WGPUWeftCacheMode_Off;
    if (cache)
        options.cacheDirectory = text(cache);
    WGPUInstanceDescriptor desc = WGPU_INSTANCE_DESCRIPTOR_INIT;
    desc.nextInChain = &options.chain;
    desc.requiredFeatureCount = 1;
    desc.requiredFeatures = &timed;
    return wgpuCreateInstance(&desc);
}

static void open_adapter(Device *d, bool vulkan)
{
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.backendType = vulkan ? WGPUBackendType_Vulkan : WGPUBackendType_WeftCPU;
    wait_for(d, wgpuInstanceRequestAdapter(d->instance, &options,
        (WGPURequestAdapterCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                         .callback = on_adapter, .userdata1 = &d->adapter}));
}

static void open_device(Device *d, const DeviceDesc *wish)
{
    WGPUWeftDeviceOptions options = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    options.threadCount = wish->threads;
    if (wish->cpu)
        options.cpuName = text(wish->cpu);
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.nextInChain = &options.chain;
    desc.uncapturedErrorCallbackInfo.callback = on_error;
    const WGPUFeatureName wanted[] = {WGPUFeatureName_WeftShaderF64, WGPUFeatureName_ShaderF16};
    WGPUFeatureName features[2];
    for (size_t i = 0; i < 2; i++)
        if (wgpuAdapterHasFeature(d->adapter, wanted[i]))
            features[desc.requiredFeatureCount++] = wanted[i];
    desc.requiredFeatures = features;
    wait_for(d, wgpuAdapterRequestDevice(d->adapter, &desc,
        (WGPURequestDeviceCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                        .callback = on_device, .userdata1 = &d->device}));
}

Device *device_open(const DeviceDesc *desc)
{
    Device *d = calloc(1, sizeof *d);
    if (!d)
        stop("no memory");
    d->instance = open_instance(desc->cache);
    if (!d->instance)
        stop("no instance");
    open_adapter(d, desc->vulkan);
    open_device(d, desc);
    d->queue = wgpuDeviceGetQueue(d->device);
    return d;
}

void device_close(Device *d)
{
    if (!d)
        return;
    wgpuQueueRelease(d->queue);
    wgpuDeviceRelease(d->device);
    wgpuAdapterRelease(d->adapter);
    wgpuInstanceRelease(d->instance);
    free(d);
}

/* ---- pipelines ---- */

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *to, void *unused)
{
    (void)unused;
    if (status != WGPUCreatePipelineAsyncStatus_Success)
        stop("%.*s", (int)message.length, message.data);
    *(WGPUComputePipeline *)to = pipeline;
}

/* Returns when the kernel is made, which a pipeline of its own accord would not wait for. */
static WGPUComputePipeline compile(const Device *d, const char *wgsl, const char *entry)
{
    WGPUComputePipeline p = NULL;
    WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
    source.code = text(wgsl);
    WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    module.nextInChain = &source.chain;
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.compute.module = wgpuDeviceCreateShaderModule(d->device, &module);
    desc.compute.entryPoint = text(entry);
    wait_for(d, wgpuDeviceCreateComputePipelineAsync(d->device, &desc,
        (WGPUCreateComputePipelineAsyncCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                                     .callback = on_pipeline,
                                                     .userdata1 = &p}));
    wgpuShaderModuleRelease(desc.compute.module);
    return p;
}

void device_compile(Device *d, const char *wgsl, const char *entry)
{
    wgpuComputePipelineRelease(compile(d, wgsl, entry));
}

static const char *entry_of(const Step *s)
{
    return s->entry ? s->entry : "main";
}

/* That of an earlier step, if it has the same entry point. */
static WGPUComputePipeline pipeline_of(const Runner *r, uint32_t i, const char *wgsl)
{
    const Step *s = r->work->step;
    for (uint32_t k = 0; k < i; k++)
        if (r->pipeline[k] && strcmp(entry_of(&s[k]), entry_of(&s[i])) == 0) {
            wgpuComputePipelineAddRef(r->pipeline[k]);
            return r->pipeline[k];
        }
    return compile(r->device, wgsl, entry_of(&s[i]));
}

/* ---- buffers ---- */

static WGPUBuffer buffer_with(const Device *d, const Array *a)
{
    WGPUBufferDescriptor desc = WGPU_BUFFER_DESCRIPTOR_INIT;
    desc.usage = WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst |
                 (a->is_uniform ? WGPUBufferUsage_Uniform : WGPUBufferUsage_Storage);
    desc.size = a->size;
    WGPUBuffer b = wgpuDeviceCreateBuffer(d->device, &desc);
    if (!b)
        stop("no memory");
    wgpuQueueWriteBuffer(d->queue, b, 0, a->data, a->size);
    return b;
}

static WGPUBindGroup group_of(const Runner *r, uint32_t i)
{
    const Step *s = &r->work->step[i];
    WGPUBindGroupEntry entries[MAX_BUFFERS];
    WGPUBindGroupDescriptor desc = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    desc.entries = entries;
    for (uint32_t k = 0; k < r->work->narrays; k++) {
        if (s->bound && !(s->bound >> k & 1))
            continue;
        WGPUBindGroupEntry *e = &entries[desc.entryCount++];
        *e = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
        e->binding = k;
        e->buffer = r->buffer[k];
        if (r->work->array[k].is_uniform) {
            e->offset = s->offset;
            e->size = s->size;
        }
    }
    desc.layout = wgpuComputePipelineGetBindGroupLayout(r->pipeline[i], 0);
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(r->device->device, &desc);
    wgpuBindGroupLayoutRelease(desc.layout);
    return group;
}

/* ---- launches ---- */

Runner *runner_new(Device *d, const char *wgsl, const Work *w)
{
    Runner *r = calloc(1, sizeof *r);
    if (!r)
        stop("no memory");
    r->device = d;
    r->work = w;
    for (uint32_t i = 0; i < w->narrays; i++)
        r->buffer[i] = buffer_with(d, &w->array[i]);
    for (uint32_t i = 0; i < w->nsteps; i++)
        if (w->step[i].kind == STEP_RUN) {
            r->pipeline[i] = pipeline_of(r, i, wgsl);
            r->group[i] = w->narrays ? group_of(r, i) : NULL;
        }
    return r;
}

void runner_free(Runner *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->work->nsteps; i++) {
        if (r->group[i])
            wgpuBindGroupRelease(r->group[i]);
        if (r->pipeline[i])
            wgpuComputePipelineRelease(r->pipeline[i]);
    }
    for (uint32_t i = 0; i < r->work->narrays; i++)
        wgpuBufferRelease(r->buffer[i]);
    if (r->back)
        wgpuBufferRelease(r->back);
    free(r);
}

/* The runs from step `i` on, in one pass; the step after them. */
static uint32_t encode_runs(const Runner *r, WGPUCommandEncoder e, uint32_t i)
{
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    for (; i < r->work->nsteps && r->work->step[i].kind == STEP_RUN; i++) {
        const Step *s = &r->work->step[i];
        wgpuComputePassEncoderSetPipeline(pass, r->pipeline[i]);
        if (r->group[i])
            wgpuComputePassEncoderSetBindGroup(pass, 0, r->group[i], 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, s->groups[0], s->groups[1], 1);
    }
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    return i;
}

static void submit(const Device *d, WGPUCommandEncoder e)
{
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(d->queue, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(e);
}

static void wait_for_work(const Device *d)
{
    wait_for(d, wgpuQueueOnSubmittedWorkDone(d->queue,
        (WGPUQueueWorkDoneCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                        .callback = on_done}));
}

void runner_launch(Runner *r)
{
    const Device *d = r->device;
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(d->device, NULL);
    for (uint32_t i = 0; i < r->work->nsteps;) {
        const Step *s = &r->work->step[i];
        uint64_t size = r->work->array[s->to].size;
        if (s->kind == STEP_RUN) {
            i = encode_runs(r, e, i);
            continue;
        }
        if (s->kind == STEP_COPY)
            wgpuCommandEncoderCopyBufferToBuffer(e, r->buffer[s->from], 0, r->buffer[s->to], 0,
                                                 size);
        else
            wgpuCommandEncoderClearBuffer(e, r->buffer[s->to], 0, size);
        i++;
    }
    submit(d, e);
    wait_for_work(d);
}

/* ---- data ---- */

void runner_write(Runner *r, uint32_t i)
{
    const Array *a = &r->work->array[i];
    wgpuQueueWriteBuffer(r->device->queue, r->buffer[i], 0, a->data, a->size);
    wait_for_work(r->device);
}

static WGPUBuffer buffer_back(const Device *d, size_t size)
{
    WGPUBufferDescriptor desc = WGPU_BUFFER_DESCRIPTOR_INIT;
    desc.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
    desc.size = size;
    WGPUBuffer back = wgpuDeviceCreateBuffer(d->device, &desc);
    if (!back)
        stop("no memory");
    return back;
}

void runner_read(Runner *r, void *to)
{
    const Device *d = r->device;
    const Array *a = &r->work->array[r->work->out];
    if (!r->back)
        r->back = buffer_back(d, a->size);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(d->device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(e, r->buffer[r->work->out], 0, r->back, 0, a->size);
    submit(d, e);
    wait_for(d, wgpuBufferMapAsync(r->back, WGPUMapMode_Read, 0, a->size,
        (WGPUBufferMapCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                    .callback = on_map}));
    memcpy(to, wgpuBufferGetConstMappedRange(r->back, 0, a->size), a->size);
    wgpuBufferUnmap(r->back);
}

void *runner_result(Runner *r)
{
    void *copy = memory_new(r->work->array[r->work->out].size);
    runner_read(r, copy);
    return copy;
}
