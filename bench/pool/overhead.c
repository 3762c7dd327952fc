/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overhead.c - weft_execute() of a small known kernel beside the same calls of webgpu.h,
 * with everything made beforehand.
 */
#include <stdio.h>
#include <string.h>

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#include "pool/pool_bench.h"

#define N 64u

static const char text[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }\n"
    "}\n";

/* ---- by webgpu.h ---- */

typedef struct Raw {
    WGPUInstance        instance;
    WGPUAdapter         adapter;
    WGPUDevice          device;
    WGPUQueue           queue;
    WGPUComputePipeline pipeline;
    WGPUBuffer          x, y, back;
    WGPUBindGroup       group;
    float               in[N], out[N];
} Raw;

static void on_adapter(WGPURequestAdapterStatus s, WGPUAdapter a, WGPUStringView m, void *u,
                       void *v)
{
    (void)s, (void)m, (void)v;
    *(WGPUAdapter *)u = a;
}

static void on_device(WGPURequestDeviceStatus s, WGPUDevice d, WGPUStringView m, void *u, void *v)
{
    (void)s, (void)m, (void)v;
    *(WGPUDevice *)u = d;
}

static void on_map(WGPUMapAsyncStatus s, WGPUStringView m, void *u, void *v)
{
    (void)s, (void)m, (void)u, (void)v;
}

static void wait_for(Raw *r, WGPUFuture f)
{
    WGPUFutureWaitInfo wait = {.future = f};
    wgpuInstanceWaitAny(r->instance, 1, &wait, UINT64_MAX);
}

static void raw_open(Raw *r)
{
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUInstanceLimits     limits = WGPU_INSTANCE_LIMITS_INIT;
    WGPUInstanceDescriptor wish = WGPU_INSTANCE_DESCRIPTOR_INIT;
    limits.timedWaitAnyMaxCount = 1;
    wish.requiredFeatureCount = 1;
    wish.requiredFeatures = &timed;
    wish.requiredLimits = &limits;
    r->instance = wgpuCreateInstance(&wish);
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.backendType = WGPUBackendType_WeftCPU;
    wait_for(r, wgpuInstanceRequestAdapter(r->instance, &options,
        (WGPURequestAdapterCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                         .callback = on_adapter, .userdata1 = &r->adapter}));
    wait_for(r, wgpuAdapterRequestDevice(r->adapter, NULL,
        (WGPURequestDeviceCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly,
                                        .callback = on_device, .userdata1 = &r->device}));
    r->queue = wgpuDeviceGetQueue(r->device);
}

static WGPUBuffer raw_buffer(Raw *r, WGPUBufferUsage usage)
{
    WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
    d.size = sizeof r->in;
    d.usage = usage;
    return wgpuDeviceCreateBuffer(r->device, &d);
}

static void raw_make(Raw *r)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    WGPUComputePipelineDescriptor pipeline = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    WGPUBindGroupDescriptor group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    raw_open(r);
    wgsl.code = (WGPUStringView){text, WGPU_STRLEN};
    module.nextInChain = &wgsl.chain;
    pipeline.compute.module = wgpuDeviceCreateShaderModule(r->device, &module);
    r->pipeline = wgpuDeviceCreateComputePipeline(r->device, &pipeline);
    wgpuShaderModuleRelease(pipeline.compute.module);
    r->x = raw_buffer(r, WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst);
    r->y = raw_buffer(r, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc);
    r->back = raw_buffer(r, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    WGPUBindGroupEntry entries[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
    for (uint32_t i = 0; i < 2; i++) {
        entries[i].binding = i;
        entries[i].buffer = i ? r->y : r->x;
        entries[i].size = sizeof r->in;
    }
    group.layout = wgpuComputePipelineGetBindGroupLayout(r->pipeline, 0);
    group.entryCount = 2;
    group.entries = entries;
    r->group = wgpuDeviceCreateBindGroup(r->device, &group);
    wgpuBindGroupLayoutRelease(group.layout);
}

static void raw_run(void *user)
{
    Raw *r = user;
    wgpuQueueWriteBuffer(r->queue, r->x, 0, r->in, sizeof r->in);
    WGPUCommandEncoder     encoder = wgpuDeviceCreateCommandEncoder(r->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, r->pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, r->group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, r->y, 0, r->back, 0, sizeof r->out);
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
    wgpuCommandEncoderRelease(encoder);
    wgpuQueueSubmit(r->queue, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wait_for(r, wgpuBufferMapAsync(r->back, WGPUMapMode_Read, 0, sizeof r->out,
        (WGPUBufferMapCallbackInfo){.mode = WGPUCallbackMode_WaitAnyOnly, .callback = on_map}));
    memcpy(r->out, wgpuBufferGetConstMappedRange(r->back, 0, sizeof r->out), sizeof r->out);
    wgpuBufferUnmap(r->back);
}

static void raw_close(Raw *r)
{
    wgpuBindGroupRelease(r->group);
    wgpuBufferRelease(r->x);
    wgpuBufferRelease(r->y);
    wgpuBufferRelease(r->back);
    wgpuComputePipelineRelease(r->pipeline);
    wgpuQueueRelease(r->queue);
    wgpuDeviceRelease(r->device);
    wgpuAdapterRelease(r->adapter);
    wgpuInstanceRelease(r->instance);
}

/* ---- by the pool ---- */

typedef struct Pooled {
    weft_pool_context  *ctx;
    weft_execute_input  in;
    weft_execute_output out;
    weft_execute_desc   desc;
    float               x[N], y[N];
} Pooled;

static void pooled_run(void *user)
{
    Pooled             *p = user;
    weft_execute_report r;
    need(weft_execute(p->ctx, &p->desc, &r), &r);
}

static void repeat(void *user, void (*run)(void *))
{
    for (int i = 0; i < 200; i++)
        run(user);
}

static void raw_many(void *user)
{
    repeat(user, raw_run);
}

static void pooled_many(void *user)
{
    repeat(user, pooled_run);
}

void bench_overhead(const Options *o)
{
    static Match m;
    weft_pool *pool = cpu_pool();
    Raw        raw = {0};
    Pooled     p = {.ctx = weft_pool_context_create(pool, NULL)};
    raw_make(&raw);
    p.in = (weft_execute_input){.name = "x", .type = WEFT_SCALAR_F32, .shape = {N}, .data = p.x};
    p.out = (weft_execute_output){.name = "y", .type = WEFT_SCALAR_F32, .shape = {N},
                                  .data = p.y};
    p.desc = (weft_execute_desc){.wgsl = text, .inputs = &p.in, .input_count = 1,
                                 .outputs = &p.out, .output_count = 1};
    for (uint32_t i = 0; i < N; i++)
        raw.in[i] = p.x[i] = (float)i;
    const Player players[] = {{raw_many, &raw}, {pooled_many, &p}};
    repeat(&raw, raw_run);
    repeat(&p, pooled_run);
    match_play(&m, &(MatchDesc){.seconds = o->seconds, .turns = o->small ? 2 : 20}, players, 2);
    if (memcmp(raw.out, p.y, sizeof p.y) != 0 || p.y[N - 1] != 2 * (N - 1))
        stop("execute and webgpu.h disagree");
    double by_hand = match_median(&m, 0) / 200 * 1e6, pooled = match_median(&m, 1) / 200 * 1e6;
    printf("  webgpu.h by hand %.3f us, weft_execute() %.3f us\n", by_hand, pooled);
    row("execute beyond webgpu.h", pooled - by_hand, "us", 10, 3, true);
    raw_close(&raw);
    weft_pool_context_release(p.ctx);
    weft_pool_release(pool);
}
