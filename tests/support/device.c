/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - kernels run on a device of webgpu.h.
 */
#include "support/test.h"

#include "support/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webgpu/weft.h>

#define MAX_BUFFERS 24u
#define MAX_GROUPS  4u

static size_t whole_words(size_t size)
{
    return size ? (size + 3) / 4 * 4 : 4;
}

static WGPUStringView view_of(Str s)
{
    return (WGPUStringView){s.data, s.len};
}

/* ---- opening ---- */

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *device, void *unused)
{
    (void)unused;
    if (status != WGPURequestAdapterStatus_Success)
        fail_msg("%.*s", (int)message.length, message.data);
    ((TestDevice *)device)->adapter = adapter;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device,
                      WGPUStringView message, void *context, void *unused)
{
    (void)unused;
    if (status != WGPURequestDeviceStatus_Success)
        fail_msg("%.*s", (int)message.length, message.data);
    ((TestDevice *)context)->device = device;
}

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *context, void *unused)
{
    TestDevice *d = context;
    (void)device, (void)type, (void)unused;
    if (!d->error[0])
        snprintf(d->error, sizeof d->error, "%.*s", (int)message.length, message.data);
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *context, void *unused)
{
    if (reason != WGPUDeviceLostReason_Destroyed)
        on_error(device, WGPUErrorType_Internal, message, context, unused);
}

bool test_device_is_vulkan(void)
{
    const char *backend = getenv("WEFT_TEST_BACKEND");
    return backend && strcmp(backend, "vulkan") == 0;
}

static void open_adapter(TestDevice *d)
{
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.backendType = d->is_vulkan ? WGPUBackendType_Vulkan : WGPUBackendType_WeftCPU;
    wgpuInstanceRequestAdapter(d->instance, &o, (WGPURequestAdapterCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_adapter, d, NULL});
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    wgpuAdapterGetInfo(d->adapter, &info);
    d->subgroup_min = info.subgroupMinSize;
    d->subgroup_max = info.subgroupMaxSize;
    wgpuAdapterInfoFreeMembers(info);
    d->has_f16 = wgpuAdapterHasFeature(d->adapter, WGPUFeatureName_ShaderF16);
    d->has_f64 = wgpuAdapterHasFeature(d->adapter, WGPUFeatureName_WeftShaderF64);
    d->has_subgroups = wgpuAdapterHasFeature(d->adapter, WGPUFeatureName_Subgroups);
}

/* With all that the adapter has. */
static void open_device(TestDevice *d, const char *cpu)
{
    WGPUWeftDeviceOptions options = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    options.cpuName = (WGPUStringView){cpu, cpu ? WGPU_STRLEN : 0};
    WGPUFeatureName features[3];
    size_t count = 0;
    if (d->has_f16)
        features[count++] = WGPUFeatureName_ShaderF16;
    if (d->has_f64)
        features[count++] = WGPUFeatureName_WeftShaderF64;
    if (d->has_subgroups)
        features[count++] = WGPUFeatureName_Subgroups;
    WGPULimits limits = WGPU_LIMITS_INIT;
    wgpuAdapterGetLimits(d->adapter, &limits);
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.nextInChain = cpu ? &options.chain : NULL;
    desc.requiredLimits = &limits;
    desc.requiredFeatureCount = count;
    desc.requiredFeatures = features;
    desc.uncapturedErrorCallbackInfo.callback = on_error;
    desc.uncapturedErrorCallbackInfo.userdata1 = d;
    desc.deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_lost, d, NULL};
    wgpuAdapterRequestDevice(d->adapter, &desc, (WGPURequestDeviceCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_device, d, NULL});
    d->queue = wgpuDeviceGetQueue(d->device);
}

void test_device_open_for(TestDevice *d, const char *cpu)
{
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    *d = (TestDevice){.is_vulkan = test_device_is_vulkan()};
    options.cacheMode = WGPUWeftCacheMode_Memory;
    d->instance = wgpuCreateInstance(&(WGPUInstanceDescriptor){&options.chain, 1, &timed,
                                                               NULL});
    open_adapter(d);
    open_device(d, cpu);
}

void test_device_open(TestDevice *d)
{
    test_device_open_for(d, NULL);
}

void test_device_close(TestDevice *d)
{
    wgpuQueueRelease(d->queue);
    wgpuDeviceRelease(d->device);
    wgpuAdapterRelease(d->adapter);
    wgpuInstanceRelease(d->instance);
}

/* ---- running ---- */

typedef struct Work {
    WGPUComputePipeline pipeline;
    WGPUBindGroup       groups[MAX_GROUPS];
    WGPUBuffer          buffers[MAX_BUFFERS];
    WGPUBuffer          back[MAX_BUFFERS];      /* for reading                    */
} Work;

static WGPUComputePipeline pipeline_new(TestDevice *d, const TestRun *run)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    WGPUConstantEntry constants[16];
    assert_true(run->nsettings <= COUNTOF(constants));
    for (uint32_t i = 0; i < run->nsettings; i++)
        constants[i] = (WGPUConstantEntry){NULL, view_of(run->settings[i].key),
                                           run->settings[i].value};
    wgsl.code = view_of(run->wgsl);
    WGPUShaderModule m = wgpuDeviceCreateShaderModule(
        d->device, &(WGPUShaderModuleDescriptor){&wgsl.chain, {NULL, 0}});
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.compute.module = m;
    if (run->entry.len)
        desc.compute.entryPoint = view_of(run->entry);
    desc.compute.constantCount = run->nsettings;
    desc.compute.constants = constants;
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(d->device, &desc);
    wgpuShaderModuleRelease(m);
    return p;
}

static void buffers_new(TestDevice *d, const TestRun *run, Work *w)
{
    for (uint32_t i = 0; i < run->nbuffers; i++) {
        const TestBuffer *b = &run->buffers[i];
        size_t size = whole_words(b->size);
        w->buffers[i] = wgpuDeviceCreateBuffer(d->device, &(WGPUBufferDescriptor){
            .usage = (b->is_uniform ? WGPUBufferUsage_Uniform : WGPUBufferUsage_Storage)
                   | WGPUBufferUsage_CopySrc,
            .size = size, .mappedAtCreation = true});
        memcpy(wgpuBufferGetMappedRange(w->buffers[i], 0, size), b->data, b->size);
        wgpuBufferUnmap(w->buffers[i]);
        w->back[i] = wgpuDeviceCreateBuffer(d->device, &(WGPUBufferDescriptor){
            .usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, .size = size});
    }
}

static void groups_new(TestDevice *d, const TestRun *run, Work *w)
{
    for (uint32_t g = 0; g < MAX_GROUPS; g++) {
        WGPUBindGroupEntry entries[MAX_BUFFERS];
        size_t n = 0;
        for (uint32_t i = 0; i < run->nbuffers; i++)
            if (run->buffers[i].group == g)
                entries[n++] = (WGPUBindGroupEntry){
                    .binding = run->buffers[i].binding, .buffer = w->buffers[i],
                    .size = whole_words(run->buffers[i].size)};
        if (n == 0)
            continue;
        WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(w->pipeline, g);
        w->groups[g] = wgpuDeviceCreateBindGroup(d->device, &(WGPUBindGroupDescriptor){
            .layout = l, .entryCount = n, .entries = entries});
        wgpuBindGroupLayoutRelease(l);
    }
}

static void submit(TestDevice *d, const TestRun *run, const Work *w)
{
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(d->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetPipeline(pass, w->pipeline);
    for (uint32_t g = 0; g < MAX_GROUPS; g++)
        if (w->groups[g])
            wgpuComputePassEncoderSetBindGroup(pass, g, w->groups[g], 0, NULL);
    if (run->immediates)
        wgpuComputePassEncoderSetImmediates(pass, 0, run->immediates, run->immediate_bytes);
    wgpuComputePassEncoderDispatchWorkgroups(pass, run->groups[0], run->groups[1],
                                             run->groups[2]);
    wgpuComputePassEncoderEnd(pass);
    for (uint32_t i = 0; i < run->nbuffers; i++)
        wgpuCommandEncoderCopyBufferToBuffer(e, w->buffers[i], 0, w->back[i], 0,
                                             whole_words(run->buffers[i].size));
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(d->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuComputePassEncoderRelease(pass);
    wgpuCommandEncoderRelease(e);
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *got, void *unused)
{
    (void)message, (void)unused;
    *(WGPUMapAsyncStatus *)got = status;
}

static void read_back(TestDevice *d, const TestBuffer *b, WGPUBuffer from)
{
    WGPUMapAsyncStatus status = 0;
    size_t size = whole_words(b->size);
    WGPUFutureWaitInfo wait = {
        wgpuBufferMapAsync(from, WGPUMapMode_Read, 0, size, (WGPUBufferMapCallbackInfo){
            NULL, WGPUCallbackMode_WaitAnyOnly, on_map, &status, NULL}), 0};
    wgpuInstanceWaitAny(d->instance, 1, &wait, UINT64_MAX);
    if (status == WGPUMapAsyncStatus_Success)
        memcpy(b->data, wgpuBufferGetConstMappedRange(from, 0, size), b->size);
    else if (!d->error[0])
        snprintf(d->error, sizeof d->error, "a buffer cannot be read");
}

static void work_fini(Work *w)
{
    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        if (w->buffers[i])
            wgpuBufferRelease(w->buffers[i]);
        if (w->back[i])
            wgpuBufferRelease(w->back[i]);
    }
    for (uint32_t g = 0; g < MAX_GROUPS; g++)
        if (w->groups[g])
            wgpuBindGroupRelease(w->groups[g]);
    wgpuComputePipelineRelease(w->pipeline);
}

const char *test_device_run(TestDevice *d, const TestRun *run)
{
    Work w = {0};
    assert_true(run->nbuffers <= MAX_BUFFERS);
    d->error[0] = '\0';
    w.pipeline = pipeline_new(d, run);
    buffers_new(d, run, &w);
    groups_new(d, run, &w);
    submit(d, run, &w);
    for (uint32_t i = 0; i < run->nbuffers && !d->error[0]; i++)
        read_back(d, &run->buffers[i], w.back[i]);
    work_fini(&w);
    wgpuInstanceProcessEvents(d->instance);
    return d->error[0] ? d->error : NULL;
}
