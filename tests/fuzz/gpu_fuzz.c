// SPDX-License-Identifier: Apache-2.0
/*
 * gpu_fuzz.c - any sequence of calls of webgpu.h, on the null device.
 *
 * in     bytes: each call takes the next ones for its arguments
 * out    nothing is read or written where it must not be, nothing hangs, and when all
 *        handles are released nothing is left
 * knows  the rules a C program cannot break: a handle is used until it is released,
 *        arrays are as long as their counts say
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webgpu/webgpu.h>

#include "gpu/gpu_priv.h"
#include "../gpu/null_backend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 6, MAX_CALLS = 400, MAX_SIZE = 4096 };

typedef struct Program {
    const uint8_t *at, *end;
    WGPUInstance   instance;
    WGPUAdapter    adapter;
    WGPUDevice     device;
    WGPUQueue      queue;
    WGPUBuffer             buffers[SLOTS];
    WGPUBindGroupLayout    layouts[SLOTS];
    WGPUBindGroup          groups[SLOTS];
    WGPUPipelineLayout     pipeline_layouts[SLOTS];
    WGPUShaderModule       modules[SLOTS];
    WGPUComputePipeline    pipelines[SLOTS];
    WGPUQuerySet           queries[SLOTS];
    WGPUCommandEncoder     encoders[SLOTS];
    WGPUComputePassEncoder passes[SLOTS];
    WGPUCommandBuffer      commands[SLOTS];
    WGPUFuture             futures[SLOTS];
} Program;

static const char *const shaders[] = {
    "@group(0) @binding(0) var<storage, read> a: array<u32>;"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;"
    "@compute @workgroup_size(1) fn copy() { b[0] = a[0]; }",
    "override n: u32 = 2; @group(1) @binding(2) var<uniform> u: vec4<u32>;"
    "@group(0) @binding(1) var<storage, read_write> b: array<vec4<u32>>;"
    "@compute @workgroup_size(n) fn place() { b[0] = u; }",
    "struct S { a: u32, b: vec3<f32> } var<immediate> i: S;"
    "@group(0) @binding(0) var<storage, read_write> b: array<u32>;"
    "@compute @workgroup_size(1) fn notes(@builtin(workgroup_index) w: u32) { b[w] = i.a; }",
    "@compute @workgroup_size(1) fn count() {}  fn wrong( {",
};

/* ---- arguments ---- */

static uint32_t byte(Program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static uint64_t number(Program *p)
{
    static const uint64_t table[] = {
        0, 1, 2, 4, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 65536,
        UINT32_MAX - 3, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX - 7,
        UINT64_MAX - 3, UINT64_MAX,
    };
    uint32_t b = byte(p);
    return b < 3 * COUNTOF(table) ? table[b % COUNTOF(table)] : b;
}

/* A size that a buffer may have, or one that none may. */
static uint64_t buffer_size(Program *p)
{
    uint64_t n = number(p);
    return n <= MAX_SIZE || n > UINT64_C(1) << 40 ? n : 64;
}

static WGPUStringView label(Program *p)
{
    static const char text[] = "label \xff with \xc3 bytes";
    uint32_t b = byte(p);
    if (b < 100)
        return (WGPUStringView){NULL, b < 90 ? WGPU_STRLEN : b};
    return (WGPUStringView){text, b % sizeof text};
}

static WGPUChainedStruct stray = {NULL, WGPUSType_SurfaceColorManagement};

static WGPUChainedStruct *chain(Program *p)
{
    return byte(p) == 200 ? &stray : NULL;
}

#define SLOT(p, kind) (p)->kind[byte(p) % SLOTS]

static uint8_t  some_bytes[MAX_SIZE + 64];
static uint32_t some_offsets[256];

/* ---- callbacks ---- */

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *unused1, void *unused2)
{
    (void)device, (void)type, (void)unused1, (void)unused2;
    if (message.length == 0)
        abort();                                /* an error always has words */
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *u1, void *u2)
{
    (void)u1, (void)u2;
    if ((status == WGPUMapAsyncStatus_Success) != (message.length == 0))
        abort();
}

static void on_work(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *u1, void *u2)
{
    (void)status, (void)message, (void)u1, (void)u2;
}

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                     WGPUStringView message, void *u1, void *u2)
{
    (void)status, (void)type, (void)message, (void)u1, (void)u2;
}

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *u1, void *u2)
{
    (void)status, (void)message, (void)u1, (void)u2;
    wgpuComputePipelineRelease(pipeline);
}

static void on_info(WGPUCompilationInfoRequestStatus status, const WGPUCompilationInfo *info,
                    void *u1, void *u2)
{
    (void)status, (void)u1, (void)u2;
    for (size_t i = 0; i < info->messageCount; i++)
        if (info->messages[i].message.length == 0)
            abort();
}

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *program, void *unused)
{
    (void)status, (void)message, (void)unused;
    ((Program *)program)->adapter = adapter;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                      void *program, void *unused)
{
    (void)status, (void)message, (void)unused;
    ((Program *)program)->device = device;
}

static WGPUCallbackMode mode(Program *p)
{
    return (WGPUCallbackMode)(byte(p) % 16 == 9 ? 0 : 1 + byte(p) % 3);
}

/* ---- calls ---- */

static void replace_buffer(Program *p)
{
    WGPUBufferDescriptor d = {
        .nextInChain = chain(p), .label = label(p), .usage = byte(p) << (byte(p) % 4),
        .size = buffer_size(p), .mappedAtCreation = byte(p) % 4 == 0,
    };
    if (byte(p) % 3 == 0)
        d.usage = byte(p) % 2 ? 0x9 : 0x6;      /* mappable: else it is rarely right */
    WGPUBuffer *slot = &SLOT(p, buffers);
    wgpuBufferRelease(*slot);
    *slot = wgpuDeviceCreateBuffer(p->device, &d);
}

static void replace_layout(Program *p)
{
    WGPUBindGroupLayoutEntry e[4];
    size_t n = byte(p) % 5;
    for (size_t i = 0; i < COUNTOF(e); i++) {
        e[i] = (WGPUBindGroupLayoutEntry)WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
        e[i].nextInChain = chain(p);
        e[i].binding = byte(p) % 4 ? (uint32_t)i : (uint32_t)number(p);
        e[i].visibility = byte(p) % 8 ? 4 : number(p);
        e[i].buffer.type = (WGPUBufferBindingType)(byte(p) % 6);
        e[i].buffer.hasDynamicOffset = byte(p) % 3 == 0;
        e[i].buffer.minBindingSize = byte(p) % 2 ? 0 : number(p);
        if (byte(p) == 7)
            e[i].sampler.type = WGPUSamplerBindingType_Filtering;
    }
    WGPUBindGroupLayoutDescriptor d = {.label = label(p), .entryCount = n, .entries = e};
    WGPUBindGroupLayout *slot = &SLOT(p, layouts);
    wgpuBindGroupLayoutRelease(*slot);
    *slot = wgpuDeviceCreateBindGroupLayout(p->device, &d);
}

static void replace_group(Program *p)
{
    WGPUBindGroupEntry e[4];
    size_t n = byte(p) % 5;
    for (size_t i = 0; i < COUNTOF(e); i++)
        e[i] = (WGPUBindGroupEntry){
            .nextInChain = chain(p), .binding = byte(p) % 4 ? (uint32_t)i : byte(p) % 5,
            .buffer = SLOT(p, buffers), .offset = byte(p) % 2 ? 0 : number(p),
            .size = byte(p) % 2 ? WGPU_WHOLE_SIZE : number(p),
        };
    WGPUBindGroupDescriptor d = {.label = label(p), .layout = SLOT(p, layouts), .entryCount = n,
                                 .entries = e};
    WGPUBindGroup *slot = &SLOT(p, groups);
    wgpuBindGroupRelease(*slot);
    *slot = wgpuDeviceCreateBindGroup(p->device, &d);
}

static void replace_pipeline_layout(Program *p)
{
    WGPUBindGroupLayout l[5];
    for (size_t i = 0; i < COUNTOF(l); i++)
        l[i] = SLOT(p, layouts);
    WGPUPipelineLayoutDescriptor d = {.bindGroupLayoutCount = byte(p) % 6,
                                      .bindGroupLayouts = l,
                                      .immediateSize = (uint32_t)number(p)};
    WGPUPipelineLayout *slot = &SLOT(p, pipeline_layouts);
    wgpuPipelineLayoutRelease(*slot);
    *slot = wgpuDeviceCreatePipelineLayout(p->device, &d);
}

static void replace_module(Program *p)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code.data = shaders[byte(p) % COUNTOF(shaders)];
    if (byte(p) == 3)
        wgsl.code.length = byte(p) % 40;
    WGPUShaderModuleDescriptor d = {.nextInChain = byte(p) == 200 ? &stray : &wgsl.chain,
                                    .label = label(p)};
    WGPUShaderModule *slot = &SLOT(p, modules);
    wgpuShaderModuleRelease(*slot);
    *slot = wgpuDeviceCreateShaderModule(p->device, &d);
}

static void replace_pipeline(Program *p)
{
    WGPUConstantEntry c = {NULL, {byte(p) % 4 ? "n" : "m", 1}, (double)number(p)};
    WGPUComputePipelineDescriptor d = {
        .nextInChain = chain(p), .label = label(p),
        .layout = byte(p) % 2 ? NULL : SLOT(p, pipeline_layouts),
        .compute = {.module = SLOT(p, modules), .entryPoint = {NULL, WGPU_STRLEN},
                    .constantCount = byte(p) % 4 == 0, .constants = &c},
    };
    if (byte(p) % 4 == 0) {
        p->futures[0] = wgpuDeviceCreateComputePipelineAsync(
            p->device, &d, (WGPUCreateComputePipelineAsyncCallbackInfo){NULL, mode(p),
                                                                       on_pipeline, NULL, NULL});
        return;
    }
    WGPUComputePipeline *slot = &SLOT(p, pipelines);
    wgpuComputePipelineRelease(*slot);
    *slot = wgpuDeviceCreateComputePipeline(p->device, &d);
}

static void replace_layout_by_pipeline(Program *p)
{
    WGPUComputePipeline pipeline = SLOT(p, pipelines);
    WGPUBindGroupLayout *slot = &SLOT(p, layouts);
    if (!pipeline)
        return;
    wgpuBindGroupLayoutRelease(*slot);
    *slot = wgpuComputePipelineGetBindGroupLayout(pipeline, byte(p) % 5);
}

static void replace_queries(Program *p)
{
    WGPUQuerySetDescriptor d = {.type = (WGPUQueryType)(byte(p) % 4),
                                .count = (uint32_t)number(p)};
    WGPUQuerySet *slot = &SLOT(p, queries);
    if (byte(p) == 0)
        wgpuQuerySetDestroy(*slot);
    wgpuQuerySetRelease(*slot);
    *slot = wgpuDeviceCreateQuerySet(p->device, &d);
}

static void replace_encoder(Program *p)
{
    WGPUCommandEncoderDescriptor d = {.nextInChain = chain(p), .label = label(p)};
    WGPUCommandEncoder *slot = &SLOT(p, encoders);
    wgpuCommandEncoderRelease(*slot);
    *slot = wgpuDeviceCreateCommandEncoder(p->device, byte(p) % 2 ? &d : NULL);
}

static void encode(Program *p)
{
    WGPUCommandEncoder e = SLOT(p, encoders);
    switch (byte(p) % 6) {
    case 0:
        wgpuCommandEncoderCopyBufferToBuffer(e, SLOT(p, buffers), number(p), SLOT(p, buffers),
                                             number(p), number(p));
        break;
    case 1: wgpuCommandEncoderClearBuffer(e, SLOT(p, buffers), number(p), number(p)); break;
    case 2:
        wgpuCommandEncoderResolveQuerySet(e, SLOT(p, queries), (uint32_t)number(p),
                                          (uint32_t)number(p), SLOT(p, buffers), number(p));
        break;
    case 3: wgpuCommandEncoderWriteTimestamp(e, SLOT(p, queries), (uint32_t)number(p)); break;
    case 4: wgpuCommandEncoderPushDebugGroup(e, label(p)); break;
    case 5: wgpuCommandEncoderPopDebugGroup(e); break;
    }
}

static void begin_pass(Program *p)
{
    WGPUPassTimestampWrites w = {chain(p), SLOT(p, queries), (uint32_t)number(p),
                                 (uint32_t)number(p)};
    WGPUComputePassDescriptor d = {.label = label(p),
                                   .timestampWrites = byte(p) % 2 ? NULL : &w};
    WGPUComputePassEncoder *slot = &SLOT(p, passes);
    wgpuComputePassEncoderRelease(*slot);
    *slot = wgpuCommandEncoderBeginComputePass(SLOT(p, encoders), byte(p) % 2 ? NULL : &d);
}

static void in_pass(Program *p)
{
    WGPUComputePassEncoder pass = SLOT(p, passes);
    switch (byte(p) % 8) {
    case 0: wgpuComputePassEncoderSetPipeline(pass, SLOT(p, pipelines)); break;
    case 1: case 2:
        for (size_t i = 0; i < 8; i++)
            some_offsets[i] = byte(p) % 4 ? 256 * (byte(p) % 4) : (uint32_t)number(p);
        wgpuComputePassEncoderSetBindGroup(pass, byte(p) % 4 ? byte(p) % 2 : byte(p),
                                           SLOT(p, groups), byte(p) % 6, some_offsets);
        break;
    case 3:
        wgpuComputePassEncoderSetImmediates(pass, (uint32_t)number(p), some_bytes,
                                            (size_t)number(p));
        break;
    case 4:
        wgpuComputePassEncoderDispatchWorkgroups(pass, byte(p) % 4 ? 1 : (uint32_t)number(p), 1,
                                                 byte(p) % 4 ? 1 : (uint32_t)number(p));
        break;
    case 5:
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, SLOT(p, buffers), number(p));
        break;
    case 6: wgpuComputePassEncoderPushDebugGroup(pass, label(p)); break;
    case 7: wgpuComputePassEncoderPopDebugGroup(pass); break;
    }
}

static void finish(Program *p)
{
    WGPUCommandBuffer *slot = &SLOT(p, commands);
    WGPUCommandEncoder *e = &SLOT(p, encoders);
    wgpuCommandBufferRelease(*slot);
    *slot = wgpuCommandEncoderFinish(*e, NULL);
    if (byte(p) % 2) {
        wgpuCommandEncoderRelease(*e);
        *e = NULL;
    }
}

static void submit(Program *p)
{
    WGPUCommandBuffer some[3];
    for (size_t i = 0; i < COUNTOF(some); i++)
        some[i] = SLOT(p, commands);
    wgpuQueueSubmit(p->queue, byte(p) % 4, some);
}

static void write(Program *p)
{
    wgpuQueueWriteBuffer(p->queue, SLOT(p, buffers), number(p), some_bytes, (size_t)number(p));
}

static void map(Program *p)
{
    p->futures[byte(p) % SLOTS] = wgpuBufferMapAsync(
        SLOT(p, buffers), byte(p) % 4, (size_t)number(p), (size_t)number(p),
        (WGPUBufferMapCallbackInfo){chain(p), mode(p), on_map, NULL, NULL});
}

/* What is mapped may be written from end to end. */
static void use_range(Program *p)
{
    WGPUBuffer b = SLOT(p, buffers);
    size_t offset = (size_t)number(p), size = (size_t)number(p);
    if (byte(p) % 2) {
        char *range = wgpuBufferGetMappedRange(b, offset, size);
        if (range)
            memset(range, 1, size == WGPU_WHOLE_MAP_SIZE ? wgpuBufferGetSize(b) - offset : size);
        return;
    }
    const unsigned char *range = wgpuBufferGetConstMappedRange(b, offset, size);
    size_t n = range ? size == WGPU_WHOLE_MAP_SIZE ? wgpuBufferGetSize(b) - offset : size : 0;
    volatile unsigned char sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = (unsigned char)(sum + range[i]);
    wgpuBufferReadMappedRange(b, offset, some_bytes, MIN_OF(size, MAX_SIZE));
    wgpuBufferWriteMappedRange(b, offset, some_bytes, MIN_OF(size, MAX_SIZE));
}

static void end_buffer(Program *p)
{
    WGPUBuffer *b = &SLOT(p, buffers);
    switch (byte(p) % 4) {
    case 0: wgpuBufferUnmap(*b); break;
    case 1: wgpuBufferDestroy(*b); break;
    case 2: wgpuBufferSetLabel(*b, label(p)); break;
    case 3: wgpuBufferRelease(*b); *b = NULL; break;
    }
}

static void look(Program *p)
{
    WGPUFutureWaitInfo infos[SLOTS];
    for (size_t i = 0; i < SLOTS; i++)
        infos[i] = (WGPUFutureWaitInfo){p->futures[i], 0};
    switch (byte(p) % 4) {
    case 0: wgpuInstanceProcessEvents(p->instance); break;
    case 1: wgpuInstanceWaitAny(p->instance, 1 + byte(p) % SLOTS, infos, 0); break;
    case 2: wgpuInstanceWaitAny(p->instance, 1 + byte(p) % SLOTS, infos, 1000); break;
    case 3:
        p->futures[byte(p) % SLOTS] = wgpuQueueOnSubmittedWorkDone(
            p->queue, (WGPUQueueWorkDoneCallbackInfo){chain(p), mode(p), on_work, NULL, NULL});
        break;
    }
}

static void scopes(Program *p)
{
    if (byte(p) % 2)
        wgpuDevicePushErrorScope(p->device, (WGPUErrorFilter)(byte(p) % 5));
    else
        wgpuDevicePopErrorScope(p->device, (WGPUPopErrorScopeCallbackInfo){
            chain(p), mode(p), on_scope, NULL, NULL});
}

static void rare(Program *p)
{
    WGPUShaderModule m = SLOT(p, modules);
    switch (byte(p) % 32) {
    case 0: wgpuDeviceDestroy(p->device); break;
    case 1: null_lose("the fuzzer says so", false); break;
    case 2: null_knobs.no_memory = byte(p) % 2; break;
    case 3: null_knobs.far_memory = byte(p) % 2; break;
    case 4: null_knobs.no_kernel = byte(p) % 2; break;
    case 5: null_knobs.at_once = byte(p) % 2; break;
    default:
        if (m)
            wgpuShaderModuleGetCompilationInfo(m, (WGPUCompilationInfoCallbackInfo){
                NULL, mode(p), on_info, NULL, NULL});
        break;
    }
}

static void end_pass(Program *p)
{
    wgpuComputePassEncoderEnd(SLOT(p, passes));
}

static void (*const calls[])(Program *p) = {
    replace_buffer, replace_buffer, replace_layout, replace_layout_by_pipeline,
    replace_layout_by_pipeline, replace_group, replace_group, replace_pipeline_layout,
    replace_module, replace_pipeline, replace_pipeline, replace_queries, replace_encoder, encode,
    encode, begin_pass, in_pass, in_pass, in_pass, in_pass, end_pass, finish, submit, submit,
    write, map, use_range, end_buffer, look, scopes, rare,
};

/* ---- a whole program ---- */

static void begin(Program *p)
{
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    static const WGPUFeatureName features[] = {WGPUFeatureName_TimestampQuery};
    p->instance = instance_create(&(WGPUInstanceDescriptor){NULL, 1, &timed, NULL},
                                  null_backends);
    wgpuInstanceRequestAdapter(p->instance, NULL, (WGPURequestAdapterCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_adapter, p, NULL});
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.requiredFeatures = features;
    d.requiredFeatureCount = 1;
    d.uncapturedErrorCallbackInfo.callback = on_error;
    wgpuAdapterRequestDevice(p->adapter, &d, (WGPURequestDeviceCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_device, p, NULL});
    p->queue = wgpuDeviceGetQueue(p->device);
}

static void end(Program *p)
{
    for (int i = 0; i < SLOTS; i++) {
        wgpuCommandBufferRelease(p->commands[i]);
        wgpuComputePassEncoderRelease(p->passes[i]);
        wgpuCommandEncoderRelease(p->encoders[i]);
        wgpuQuerySetRelease(p->queries[i]);
        wgpuComputePipelineRelease(p->pipelines[i]);
        wgpuShaderModuleRelease(p->modules[i]);
        wgpuPipelineLayoutRelease(p->pipeline_layouts[i]);
        wgpuBindGroupRelease(p->groups[i]);
        wgpuBindGroupLayoutRelease(p->layouts[i]);
        wgpuBufferRelease(p->buffers[i]);
    }
    wgpuQueueRelease(p->queue);
    wgpuDeviceRelease(p->device);
    wgpuAdapterRelease(p->adapter);
    /* Threads that end what is left keep the instance. So does a leak: libFuzzer calls
     * that a hang. The last reference is ours, and waits for the threads. */
    object_ref(&p->instance->base);
    wgpuInstanceRelease(p->instance);
    while (atomic_load(&p->instance->base.refs) > 1)
        sched_yield();
    object_unref(&p->instance->base);
    if (null_counts.devices || null_counts.buffers || null_counts.kernels || null_counts.queries)
        abort();
    null_reset();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Program p = {.at = data, .end = data + size};
    begin(&p);
    for (int i = 0; i < MAX_CALLS && p.at < p.end; i++)
        calls[byte(&p) % COUNTOF(calls)](&p);
    end(&p);
    return 0;
}
