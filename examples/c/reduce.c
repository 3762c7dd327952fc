// SPDX-License-Identifier: Apache-2.0
/*
 * reduce.c - the sum of a million numbers, in two steps.
 *
 * in     ../reduce.wgsl: each workgroup adds up its share
 * out    the sum, and how far it is from the sum in double precision
 *
 * The first dispatch leaves one partial sum for each workgroup, the second, with
 * one workgroup, the sum of those. Both are in one pass: what a dispatch writes,
 * the next one sees.
 */
#include <math.h>

#include "common.h"

enum { LENGTH = 1 << 20, GROUPS = 64 };

static WGPUBindGroup bind(const Gpu *gpu, WGPUComputePipeline reduce, WGPUBuffer from,
                          WGPUBuffer to)
{
    const WGPUBuffer buffers[] = {from, to};
    return bind_group_create(gpu, reduce, 2, buffers);
}

int main(void)
{
    float *values = (float *)malloc(LENGTH * sizeof *values);
    double exact = 0;
    for (int i = 0; values && i < LENGTH; i++) {
        values[i] = 1.0f / (float)(1 + i % 1000);
        exact += values[i];
    }

    Gpu gpu = gpu_open();
    char *wgsl = kernel_read("reduce.wgsl");
    WGPUComputePipeline reduce = pipeline_create(&gpu, wgsl, "reduce");
    const WGPUBufferUsage storage = WGPUBufferUsage_Storage;
    WGPUBuffer all = buffer_create(&gpu, storage, LENGTH * sizeof *values, values);
    WGPUBuffer partial = buffer_create(&gpu, storage, GROUPS * sizeof(float), NULL);
    WGPUBuffer total = buffer_create(&gpu, storage | WGPUBufferUsage_CopySrc, 4, NULL);
    WGPUBindGroup first = bind(&gpu, reduce, all, partial);
    WGPUBindGroup second = bind(&gpu, reduce, partial, total);

    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, reduce);
    wgpuComputePassEncoderSetBindGroup(pass, 0, first, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, GROUPS, 1, 1);
    wgpuComputePassEncoderSetBindGroup(pass, 0, second, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(&gpu, encoder);

    float sum = 0;
    buffer_read(&gpu, total, &sum, sizeof sum);
    double error = fabs(sum - exact) / exact;
    printf("%d numbers add up to %.3f; in double precision to %.3f\n", LENGTH, sum, exact);
    printf("relative error %.1e: adding in a tree is kinder than one after the other\n",
           error);

    wgpuBindGroupRelease(second);
    wgpuBindGroupRelease(first);
    wgpuBufferRelease(total);
    wgpuBufferRelease(partial);
    wgpuBufferRelease(all);
    wgpuComputePipelineRelease(reduce);
    gpu_close(&gpu);
    free(wgsl);
    free(values);
    return verdict(error < 1e-5);
}
