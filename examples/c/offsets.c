// SPDX-License-Identifier: Apache-2.0
/*
 * offsets.c - one bind group, many sets of parameters: dynamic offsets.
 *
 * in     the harmonics of a square wave
 * out    the wave that they add up to, drawn in characters
 *
 * The parameters of all dispatches lie in one uniform buffer. The bind group
 * names the buffer once; each dispatch says where in it its own parameters are.
 * Offsets are multiples of minUniformBufferOffsetAlignment.
 */
#include <math.h>

#include "common.h"

enum { SAMPLES = 64, HARMONICS = 5, ROWS = 21 };

typedef struct Wave {                   /* as in the kernel */
    float frequency, amplitude;
} Wave;

static const char wgsl[] =
    "struct Wave { frequency : f32, amplitude : f32 }\n"
    "@group(0) @binding(0) var<uniform> wave : Wave;\n"
    "@group(0) @binding(1) var<storage, read_write> sum : array<f32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn add(@builtin(global_invocation_id) id : vec3u) {\n"
    "  let t = (f32(id.x) + 0.5) / f32(arrayLength(&sum));\n"
    "  sum[id.x] += wave.amplitude * sin(6.2831853 * wave.frequency * t);\n"
    "}\n";

/* A layout made from the shader has no dynamic offsets: the program makes it. */
static WGPUBindGroupLayout layout_create(const Gpu *gpu)
{
    WGPUBindGroupLayoutEntry entries[2] = {WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT,
                                           WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT};
    entries[0].binding = 0;
    entries[0].visibility = WGPUShaderStage_Compute;
    entries[0].buffer.type = WGPUBufferBindingType_Uniform;
    entries[0].buffer.hasDynamicOffset = WGPU_TRUE;
    entries[0].buffer.minBindingSize = sizeof(Wave);
    entries[1].binding = 1;
    entries[1].visibility = WGPUShaderStage_Compute;
    entries[1].buffer.type = WGPUBufferBindingType_Storage;
    WGPUBindGroupLayoutDescriptor desc = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    desc.entryCount = 2;
    desc.entries = entries;
    return wgpuDeviceCreateBindGroupLayout(gpu->device, &desc);
}

static WGPUComputePipeline adder_create(const Gpu *gpu, WGPUBindGroupLayout layout)
{
    WGPUPipelineLayoutDescriptor layouts = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    layouts.bindGroupLayoutCount = 1;
    layouts.bindGroupLayouts = &layout;
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.layout = wgpuDeviceCreatePipelineLayout(gpu->device, &layouts);
    desc.compute.module = module_create(gpu, wgsl);
    WGPUComputePipeline pipeline = wgpuDeviceCreateComputePipeline(gpu->device, &desc);
    wgpuShaderModuleRelease(desc.compute.module);
    wgpuPipelineLayoutRelease(desc.layout);
    return pipeline;
}

/* The size of the binding is that of one Wave: where it lies, a dispatch says. */
static WGPUBindGroup bind(const Gpu *gpu, WGPUBindGroupLayout layout, WGPUBuffer waves,
                          WGPUBuffer sum)
{
    WGPUBindGroupEntry entries[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
    entries[0].binding = 0;
    entries[0].buffer = waves;
    entries[0].size = sizeof(Wave);
    entries[1].binding = 1;
    entries[1].buffer = sum;
    WGPUBindGroupDescriptor desc = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    desc.layout = layout;
    desc.entryCount = 2;
    desc.entries = entries;
    return wgpuDeviceCreateBindGroup(gpu->device, &desc);
}

static void draw(const float *sum)
{
    for (int row = ROWS - 1; row >= 0; row--) {
        for (int i = 0; i < SAMPLES; i++)
            putchar((int)lroundf((sum[i] + 1.0f) / 2.0f * (ROWS - 1)) == row ? '*' : ' ');
        putchar('\n');
    }
}

int main(void)
{
    Gpu gpu = gpu_open();
    WGPULimits limits = WGPU_LIMITS_INIT;
    wgpuDeviceGetLimits(gpu.device, &limits);
    const uint32_t step = limits.minUniformBufferOffsetAlignment;
    WGPUBuffer waves = buffer_create(
        &gpu, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst, HARMONICS * step, NULL);
    WGPUBuffer sum = buffer_create(&gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc,
                                   SAMPLES * sizeof(float), NULL);
    WGPUBindGroupLayout layout = layout_create(&gpu);
    WGPUComputePipeline add = adder_create(&gpu, layout);
    WGPUBindGroup group = bind(&gpu, layout, waves, sum);

    float wanted[SAMPLES] = {0}, result[SAMPLES], off = 0;
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, add);
    for (uint32_t i = 0; i < HARMONICS; i++) {
        const Wave wave = {(float)(2 * i + 1), 1.0f / (float)(2 * i + 1)};
        const uint32_t offset = i * step;
        wgpuQueueWriteBuffer(gpu.queue, waves, offset, &wave, sizeof wave);
        wgpuComputePassEncoderSetBindGroup(pass, 0, group, 1, &offset);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        for (int t = 0; t < SAMPLES; t++)
            wanted[t] += wave.amplitude
                         * sinf(6.2831853f * wave.frequency * ((float)t + 0.5f) / SAMPLES);
    }
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(&gpu, encoder);

    buffer_read(&gpu, sum, result, sizeof result);
    draw(result);
    for (int t = 0; t < SAMPLES; t++)
        off = fmaxf(off, fabsf(result[t] - wanted[t]));
    printf("%d harmonics, their parameters %u bytes apart; largest error %.1e\n", HARMONICS,
           step, off);

    wgpuBindGroupRelease(group);
    wgpuComputePipelineRelease(add);
    wgpuBindGroupLayoutRelease(layout);
    wgpuBufferRelease(sum);
    wgpuBufferRelease(waves);
    gpu_close(&gpu);
    return verdict(off < 1e-3f);
}
