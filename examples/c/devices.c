// SPDX-License-Identifier: Apache-2.0
/*
 * devices.c - several devices at work at once.
 *
 * in     an integral over an interval that is cut in pieces
 * out    each device's part, and the sum
 *
 * Each device has its own queue, memory and threads, and its own objects: those
 * of one mean nothing to another. With Weft each gets one thread, so that they
 * share the cores.
 */
#include <math.h>

#include "common.h"
#ifdef __has_include
#if __has_include(<webgpu/weft.h>)
#include <webgpu/weft.h>
#endif
#endif

enum { DEVICES = 3, SLICES = 1 << 16, GROUP = 64 };

static const char wgsl[] =
    "@group(0) @binding(0) var<uniform> part : vec2f;\n"        /* its start and length */
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn area(@builtin(global_invocation_id) id : vec3u) {\n"
    "  let width = part.y / f32(arrayLength(&y));\n"
    "  let x = part.x + (f32(id.x) + 0.5) * width;\n"
    "  y[id.x] = 4.0 / (1.0 + x * x) * width;\n"
    "}\n";

typedef struct Part {
    Gpu                 gpu;
    WGPUComputePipeline area;
    WGPUBuffer          buffers[2];
    WGPUBindGroup       group;
} Part;

static void open_device(Gpu *gpu, char name)
{
    const char label[] = {'d', 'e', 'v', 'i', 'c', 'e', ' ', name, '\0'};
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.label = text(label);
#ifdef WEBGPU_WEFT_H_
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.threadCount = 1;
    if (wgpuHasInstanceFeature(WGPUInstanceFeatureName_WeftOptions))
        desc.nextInChain = &weft.chain;
#endif
    gpu_open_device(gpu, &desc);
}

/* Returns while the device works. */
static void start(Part *part, int index)
{
    const float bounds[2] = {(float)index / DEVICES, 1.0f / DEVICES};
    part->gpu = gpu_find();
    open_device(&part->gpu, (char)('A' + index));
    part->area = pipeline_create(&part->gpu, wgsl, "area");
    part->buffers[0] = buffer_create(&part->gpu, WGPUBufferUsage_Uniform, sizeof bounds,
                                     bounds);
    part->buffers[1] = buffer_create(&part->gpu,
                                     WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc,
                                     SLICES * sizeof(float), NULL);
    part->group = bind_group_create(&part->gpu, part->area, 2, part->buffers);
    dispatch(&part->gpu, part->area, part->group, SLICES / GROUP, 1);
}

static double finish(const Part *part)
{
    static float slices[SLICES];
    double sum = 0;
    buffer_read(&part->gpu, part->buffers[1], slices, sizeof slices);
    for (int i = 0; i < SLICES; i++)
        sum += slices[i];
    return sum;
}

static void end(Part *part)
{
    wgpuBindGroupRelease(part->group);
    wgpuBufferRelease(part->buffers[1]);
    wgpuBufferRelease(part->buffers[0]);
    wgpuComputePipelineRelease(part->area);
    gpu_close(&part->gpu);
}

int main(void)
{
    Part parts[DEVICES];
    double pi = 0;
    for (int i = 0; i < DEVICES; i++)
        start(&parts[i], i);
    for (int i = 0; i < DEVICES; i++) {
        double sum = finish(&parts[i]);
        printf("device %c: %.7f\n", 'A' + i, sum);
        pi += sum;
    }
    printf("together: %.7f\n", pi);
    for (int i = 0; i < DEVICES; i++)
        end(&parts[i]);
    return verdict(fabs(pi - 3.14159265358979) < 1e-5);
}
