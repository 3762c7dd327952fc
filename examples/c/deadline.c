// SPDX-License-Identifier: Apache-2.0
/*
 * deadline.c - a kernel that never ends, and life after it.
 *
 * in     an endless loop, as anybody may write one
 * out    how long it ran, what was said about it; the result of another device
 *
 * The deadline is an option of Weft's (webgpu/weft.h). A dispatch that runs past
 * it is stopped and the device is lost: calls on it do nothing any more, and the
 * program opens another. Losing a device can happen with any library.
 */
#include "common.h"
#include <webgpu/weft.h>

enum { DEADLINE_MS = 1000 };

static const char endless[] =
    "@group(0) @binding(0) var<storage, read_write> x : atomic<u32>;\n"
    "@compute @workgroup_size(1) fn wait_for_godot() {\n"
    "  while atomicLoad(&x) == 0u {}\n"
    "}\n";

static const char brief[] =
    "@group(0) @binding(0) var<storage, read_write> x : atomic<u32>;\n"
    "@compute @workgroup_size(64) fn count() {\n"
    "  atomicAdd(&x, 1u);\n"
    "}\n";

typedef struct Loss {
    bool                 done;
    WGPUDeviceLostReason reason;
} Loss;

static void lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                 WGPUStringView message, void *user, void *unused)
{
    Loss *loss = (Loss *)user;
    (void)device, (void)unused;
    loss->reason = reason;
    loss->done = true;
    if (reason == WGPUDeviceLostReason_Unknown)
        print_text(stdout, "lost: ", message), putchar('\n');
}

static void open_device(Gpu *gpu, Loss *loss)
{
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.dispatchDeadlineNS = DEADLINE_MS * UINT64_C(1000000);
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.nextInChain = &weft.chain;
    desc.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowProcessEvents;
    desc.deviceLostCallbackInfo.callback = lost;
    desc.deviceLostCallbackInfo.userdata1 = loss;
    gpu_open_device(gpu, &desc);
}

/* One dispatch of the kernel, with a buffer that starts as zero. */
static WGPUBuffer run(const Gpu *gpu, const char *wgsl, const char *entry)
{
    WGPUComputePipeline pipeline = pipeline_create(gpu, wgsl, entry);
    WGPUBuffer x = buffer_create(gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, 4,
                                 NULL);
    WGPUBindGroup group = bind_group_create(gpu, pipeline, 1, &x);
    dispatch(gpu, pipeline, group, 2, 1);
    wgpuBindGroupRelease(group);
    wgpuComputePipelineRelease(pipeline);
    return x;
}

int main(void)
{
    if (!wgpuHasInstanceFeature(WGPUInstanceFeatureName_WeftOptions)) {
        puts("this library has no deadlines");
        return EXIT_SUCCESS;
    }
    Loss first = {false, WGPUDeviceLostReason_Unknown}, second = first;
    Gpu gpu = gpu_find();
    open_device(&gpu, &first);
    double start = seconds();
    wgpuBufferRelease(run(&gpu, endless, "wait_for_godot"));
    gpu_wait(&gpu, wgpuDeviceGetLostFuture(gpu.device), &first.done);
    double time = seconds() - start;
    printf("%.0f ms after it was submitted\n", time * 1e3);
    gpu_close(&gpu);

    uint32_t count = 0;
    gpu = gpu_find();
    open_device(&gpu, &second);
    WGPUBuffer x = run(&gpu, brief, "count");
    buffer_read(&gpu, x, &count, sizeof count);
    printf("another device counts %u invocations\n", count);
    wgpuBufferRelease(x);
    gpu_close(&gpu);
    return verdict(first.reason == WGPUDeviceLostReason_Unknown && count == 128
                   && time * 1e3 >= DEADLINE_MS);
}
