// SPDX-License-Identifier: Apache-2.0
/*
 * indirect.c - a dispatch whose size the device itself decides.
 *
 * in     a list of numbers
 * out    the longest flight of those that survive a first, cheap test
 *
 * The first kernel keeps one number in six or so, and counts what it keeps.
 * The second turns the count into a number of workgroups. The third, dispatched
 * with that number, does the expensive work for the survivors alone. The program
 * never waits in between: all three are in one command buffer.
 */
#include "common.h"

enum { LENGTH = 100000, GROUP = 64 };

static const char wgsl[] =
    "@group(0) @binding(0) var<storage, read_write> kept : array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> count : atomic<u32>;\n"
    "@group(0) @binding(2) var<storage, read_write> groups : vec3u;\n"
    "@group(0) @binding(3) var<storage, read_write> longest : atomic<u32>;\n"
    "const length = 100000u;\n"
    "@compute @workgroup_size(64)\n"
    "fn keep(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < length && countOneBits(id.x) == 7u {\n"
    "    kept[atomicAdd(&count, 1u)] = id.x;\n"
    "  }\n"
    "}\n"
    "@compute @workgroup_size(1)\n"
    "fn plan() {\n"
    "  groups = vec3u((atomicLoad(&count) + 63u) / 64u, 1u, 1u);\n"
    "}\n"
    "// Steps until n becomes 1: halve it if it is even, else 3 n + 1.\n"
    "@compute @workgroup_size(64)\n"
    "fn fly(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x >= atomicLoad(&count) {\n"
    "    return;\n"
    "  }\n"
    "  var steps = 0u;\n"
    "  for (var n = kept[id.x]; n > 1u; steps++) {\n"
    "    n = select(3u * n + 1u, n / 2u, n % 2u == 0u);\n"
    "  }\n"
    "  atomicMax(&longest, steps);\n"
    "}\n";

static void encode(WGPUComputePassEncoder pass, WGPUComputePipeline pipeline,
                   WGPUBindGroup group)
{
    wgpuComputePassEncoderSetPipeline(pass, pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
}

/* The same on the host. */
static void expect(uint32_t *count, uint32_t *longest)
{
    for (uint32_t i = 0; i < LENGTH; i++) {
        uint32_t bits = 0, steps = 0;
        for (uint32_t n = i; n; n &= n - 1)
            bits++;
        for (uint32_t n = i; bits == 7 && n > 1; steps++)
            n = n % 2 ? 3 * n + 1 : n / 2;
        *count += bits == 7;
        *longest = steps > *longest ? steps : *longest;
    }
}

int main(void)
{
    Gpu gpu = gpu_open();
    const WGPUBufferUsage storage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc;
    WGPUBuffer kept = buffer_create(&gpu, storage, LENGTH * sizeof(uint32_t), NULL);
    WGPUBuffer count = buffer_create(&gpu, storage, 4, NULL);
    WGPUBuffer groups = buffer_create(&gpu, storage | WGPUBufferUsage_Indirect, 12, NULL);
    WGPUBuffer longest = buffer_create(&gpu, storage, 4, NULL);
    /* What is read as workgroup counts must not be writable in the same dispatch:
     * so the third kernel does not bind `groups`. */
    const WGPUBuffer bound[3][4] = {
        {kept, count, NULL, NULL}, {NULL, count, groups, NULL}, {kept, count, NULL, longest}};
    static const char *const names[3] = {"keep", "plan", "fly"};
    WGPUComputePipeline kernels[3];
    WGPUBindGroup       binds[3];
    for (int i = 0; i < 3; i++) {
        kernels[i] = pipeline_create(&gpu, wgsl, names[i]);
        binds[i] = bind_group_create(&gpu, kernels[i], 4, bound[i]);
    }

    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    encode(pass, kernels[0], binds[0]);
    wgpuComputePassEncoderDispatchWorkgroups(pass, (LENGTH + GROUP - 1) / GROUP, 1, 1);
    encode(pass, kernels[1], binds[1]);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    encode(pass, kernels[2], binds[2]);
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, groups, 0);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(&gpu, encoder);

    uint32_t got[2], plan[3], want[2] = {0, 0};
    buffer_read(&gpu, count, &got[0], 4);
    buffer_read(&gpu, longest, &got[1], 4);
    buffer_read(&gpu, groups, plan, sizeof plan);
    expect(&want[0], &want[1]);
    printf("%u of %d numbers have seven bits set: %u workgroups instead of %d\n", got[0],
           LENGTH, plan[0], (LENGTH + GROUP - 1) / GROUP);
    printf("the longest flight of one of them has %u steps\n", got[1]);

    for (int i = 0; i < 3; i++) {
        wgpuBindGroupRelease(binds[i]);
        wgpuComputePipelineRelease(kernels[i]);
    }
    wgpuBufferRelease(longest);
    wgpuBufferRelease(groups);
    wgpuBufferRelease(count);
    wgpuBufferRelease(kept);
    gpu_close(&gpu);
    return verdict(memcmp(got, want, sizeof got) == 0);
}
