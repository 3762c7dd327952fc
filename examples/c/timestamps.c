// SPDX-License-Identifier: Apache-2.0
/*
 * timestamps.c - how long the passes took, by the device's own clock.
 *
 * in     nothing
 * out    the time of three passes of growing size, and of the way there and back
 *
 * A pass can write the time into a query set when it begins and when it ends; a
 * command brings the numbers, nanoseconds, into a buffer. The feature has to be
 * asked for.
 */
#include "common.h"

enum { PASSES = 3, GROUP = 64 };

static const char wgsl[] =
    "@group(0) @binding(0) var<storage, read_write> x : array<f32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn work(@builtin(global_invocation_id) id : vec3u) {\n"
    "  var y = f32(id.x);\n"
    "  for (var i = 0; i < 200; i++) {\n"
    "    y = fract(sin(y) * 43758.5);\n"
    "  }\n"
    "  x[id.x] = y;\n"
    "}\n";

static WGPUQuerySet queries_create(const Gpu *gpu)
{
    WGPUQuerySetDescriptor desc = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    desc.type = WGPUQueryType_Timestamp;
    desc.count = 2 * PASSES;
    return wgpuDeviceCreateQuerySet(gpu->device, &desc);
}

static WGPUComputePassEncoder begin_timed_pass(WGPUCommandEncoder encoder,
                                               WGPUQuerySet queries, uint32_t number)
{
    WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
    writes.querySet = queries;
    writes.beginningOfPassWriteIndex = 2 * number;
    writes.endOfPassWriteIndex = 2 * number + 1;
    WGPUComputePassDescriptor desc = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    desc.timestampWrites = &writes;
    return wgpuCommandEncoderBeginComputePass(encoder, &desc);
}

int main(void)
{
    static const uint32_t groups[PASSES] = {50, 500, 5000};
    const WGPUFeatureName timestamps = WGPUFeatureName_TimestampQuery;
    Gpu gpu = gpu_find();
    if (!wgpuAdapterHasFeature(gpu.adapter, timestamps)) {
        puts("this adapter takes no time");
        gpu_close(&gpu);
        return EXIT_SUCCESS;
    }
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.requiredFeatureCount = 1;
    desc.requiredFeatures = &timestamps;
    gpu_open_device(&gpu, &desc);

    WGPUComputePipeline work = pipeline_create(&gpu, wgsl, NULL);
    WGPUBuffer x = buffer_create(&gpu, WGPUBufferUsage_Storage, 5000 * GROUP * 4, NULL);
    WGPUBindGroup group = bind_group_create(&gpu, work, 1, &x);
    WGPUQuerySet queries = queries_create(&gpu);
    uint64_t times[2 * PASSES];
    WGPUBuffer results = buffer_create(
        &gpu, WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc, sizeof times, NULL);

    double start = seconds();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, NULL);
    for (uint32_t i = 0; i < PASSES; i++) {
        WGPUComputePassEncoder pass = begin_timed_pass(encoder, queries, i);
        wgpuComputePassEncoderSetPipeline(pass, work);
        wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, groups[i], 1, 1);
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderRelease(pass);
    }
    wgpuCommandEncoderResolveQuerySet(encoder, queries, 0, 2 * PASSES, results, 0);
    submit(&gpu, encoder);
    buffer_read(&gpu, results, times, sizeof times);
    double all = (seconds() - start) * 1e9;

    bool right = true;
    for (uint32_t i = 0; i < PASSES; i++) {
        printf("%7u invocations: %9.1f us\n", groups[i] * GROUP,
               (double)(times[2 * i + 1] - times[2 * i]) * 1e-3);
        right = right && times[2 * i] <= times[2 * i + 1]
                && (i == 0 || times[2 * i - 1] <= times[2 * i]);
    }
    printf("from encoding to the result: %.1f us\n", all * 1e-3);
    right = right && (double)(times[2 * PASSES - 1] - times[0]) <= all;

    wgpuBufferRelease(results);
    wgpuQuerySetRelease(queries);
    wgpuBindGroupRelease(group);
    wgpuBufferRelease(x);
    wgpuComputePipelineRelease(work);
    gpu_close(&gpu);
    return verdict(right);
}
