// SPDX-License-Identifier: Apache-2.0
/*
 * calls.c - what programs on strange drivers have in common.
 */
#include "calls.h"

#include <string.h>

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *got, void *unused)
{
    (void)message, (void)unused;
    *(WGPUMapAsyncStatus *)got = status;
}

void submit_commands(WGPUQueue queue, WGPUCommandEncoder encoder)
{
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(encoder, NULL);
    wgpuQueueSubmit(queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(encoder);
}

bool copy_out(WGPUInstance instance, WGPUDevice device, WGPUBuffer from, void *out,
              uint64_t size)
{
    WGPUQueue  queue = wgpuDeviceGetQueue(device);
    WGPUBuffer to = wgpuDeviceCreateBuffer(device, &(WGPUBufferDescriptor){
        .usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, .size = size});
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(e, from, 0, to, 0, size);
    submit_commands(queue, e);
    WGPUMapAsyncStatus status = 0;
    WGPUFutureWaitInfo wait = {wgpuBufferMapAsync(to, WGPUMapMode_Read, 0, size,
        (WGPUBufferMapCallbackInfo){NULL, WGPUCallbackMode_WaitAnyOnly, on_map, &status, NULL}), 0};
    wgpuInstanceWaitAny(instance, 1, &wait, UINT64_MAX);
    const void *data = status == WGPUMapAsyncStatus_Success
                           ? wgpuBufferGetConstMappedRange(to, 0, size) : NULL;
    if (data)
        memcpy(out, data, size);
    wgpuBufferRelease(to);
    wgpuQueueRelease(queue);
    return data != NULL;
}
