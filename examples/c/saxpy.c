// SPDX-License-Identifier: Apache-2.0
/*
 * saxpy.c - y = a x + y: data in, one kernel, data out.
 *
 * in     ../saxpy.wgsl
 * out    the first elements; whether all of them are what they must be
 */
#include "common.h"

enum { LENGTH = 100000, GROUP = 64 };

int main(void)
{
    static float x[LENGTH], y[LENGTH], result[LENGTH];
    const float a = 2.5f;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (float)(i % 1000);
        y[i] = (float)(i % 7);
    }

    Gpu gpu = gpu_open();
    char *wgsl = kernel_read("saxpy.wgsl");
    WGPUComputePipeline saxpy = pipeline_create(&gpu, wgsl, "saxpy");
    WGPUBuffer buffers[] = {
        buffer_create(&gpu, WGPUBufferUsage_Uniform, sizeof a, &a),
        buffer_create(&gpu, WGPUBufferUsage_Storage, sizeof x, x),
        buffer_create(&gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, sizeof y, y),
    };
    WGPUBindGroup group = bind_group_create(&gpu, saxpy, 3, buffers);

    dispatch(&gpu, saxpy, group, (LENGTH + GROUP - 1) / GROUP, 1);
    buffer_read(&gpu, buffers[2], result, sizeof result);

    /* The products and sums are small multiples of a half: exact, however they
     * are rounded. */
    int wrong = 0;
    for (int i = 0; i < LENGTH; i++)
        wrong += result[i] != a * x[i] + y[i];
    for (int i = 0; i < 5; i++)
        printf("%g * %g + %g = %g\n", a, x[i], y[i], result[i]);
    printf("%d elements, %d of them wrong\n", LENGTH, wrong);

    wgpuBindGroupRelease(group);
    for (int i = 0; i < 3; i++)
        wgpuBufferRelease(buffers[i]);
    wgpuComputePipelineRelease(saxpy);
    gpu_close(&gpu);
    free(wgsl);
    return verdict(wrong == 0);
}
