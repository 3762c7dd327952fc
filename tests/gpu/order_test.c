// SPDX-License-Identifier: Apache-2.0
/*
 * order_test.c - random commands give what they give one after the other.
 *
 * Copies, clears, writes and dispatches on ranges of a few buffers, in several submits;
 * the host does the same. On Vulkan this is about barriers, and the validation layer
 * looks on.
 */
#include "support/test.h"

#include <string.h>

#include <webgpu/webgpu.h>

#include "base/macro.h"
#include "support/device.h"

enum { BUFFERS = 3, WORDS = 192, PART = 64 };   /* parts of 256 bytes can be bound alone */

typedef struct World {
    TestDevice          d;
    WGPUBuffer          buffer[BUFFERS];
    uint32_t            model[BUFFERS][WORDS];
    WGPUComputePipeline mix;
    WGPUBindGroupLayout layout;
    uint32_t            seed;
} World;

static uint32_t pick(World *w, uint32_t n)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) % n;
}

static void world_init(World *w)
{
    *w = (World){.seed = 5};
    test_device_open(&w->d);
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = (WGPUStringView){
        "@group(0) @binding(0) var<storage, read> a: array<u32, 64>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32, 64>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "  b[i] = 3 * b[i] + a[63 - i] + i;\n"
        "}\n", WGPU_STRLEN};
    WGPUShaderModule m = wgpuDeviceCreateShaderModule(
        w->d.device, &(WGPUShaderModuleDescriptor){&wgsl.chain, {NULL, 0}});
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.compute.module = m;
    w->mix = wgpuDeviceCreateComputePipeline(w->d.device, &d);
    w->layout = wgpuComputePipelineGetBindGroupLayout(w->mix, 0);
    wgpuShaderModuleRelease(m);
    for (uint32_t i = 0; i < BUFFERS; i++)
        w->buffer[i] = wgpuDeviceCreateBuffer(w->d.device, &(WGPUBufferDescriptor){
            .usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst,
            .size = sizeof w->model[0]});
}

static void world_fini(World *w)
{
    for (uint32_t i = 0; i < BUFFERS; i++)
        wgpuBufferRelease(w->buffer[i]);
    wgpuBindGroupLayoutRelease(w->layout);
    wgpuComputePipelineRelease(w->mix);
    test_device_close(&w->d);
}

/* ---- commands ---- */

static void do_copy(World *w, WGPUCommandEncoder e)
{
    uint32_t from = pick(w, BUFFERS), to = (from + 1 + pick(w, BUFFERS - 1)) % BUFFERS;
    uint32_t n = 1 + pick(w, PART), x = pick(w, WORDS - n), y = pick(w, WORDS - n);
    wgpuCommandEncoderCopyBufferToBuffer(e, w->buffer[from], 4 * x, w->buffer[to], 4 * y, 4 * n);
    memcpy(w->model[to] + y, w->model[from] + x, 4 * n);
}

static void do_clear(World *w, WGPUCommandEncoder e)
{
    uint32_t to = pick(w, BUFFERS), n = 1 + pick(w, 8), x = pick(w, WORDS - n);
    wgpuCommandEncoderClearBuffer(e, w->buffer[to], 4 * x, 4 * n);
    memset(w->model[to] + x, 0, 4 * n);
}

static void do_dispatch(World *w, WGPUCommandEncoder e)
{
    uint32_t from = pick(w, BUFFERS), to = (from + 1 + pick(w, BUFFERS - 1)) % BUFFERS;
    uint32_t x = PART * pick(w, WORDS / PART), y = PART * pick(w, WORDS / PART);
    WGPUBindGroupEntry entries[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
    entries[0].buffer = w->buffer[from];
    entries[0].offset = 4 * x;
    entries[1].binding = 1;
    entries[1].buffer = w->buffer[to];
    entries[1].offset = 4 * y;
    entries[0].size = entries[1].size = 4 * PART;
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(w->d.device, &(WGPUBindGroupDescriptor){
        .layout = w->layout, .entryCount = 2, .entries = entries});
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetPipeline(pass, w->mix);
    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    wgpuBindGroupRelease(group);
    for (uint32_t i = 0; i < PART; i++)
        w->model[to][y + i] = 3 * w->model[to][y + i] + w->model[from][x + PART - 1 - i] + i;
}

static void do_write(World *w)
{
    uint32_t data[PART], to = pick(w, BUFFERS), n = 1 + pick(w, PART), x = pick(w, WORDS - n);
    for (uint32_t i = 0; i < n; i++)
        data[i] = pick(w, 1000);
    wgpuQueueWriteBuffer(w->d.queue, w->buffer[to], 4 * x, data, 4 * n);
    memcpy(w->model[to] + x, data, 4 * n);
}

static void submit(World *w, WGPUCommandEncoder e)
{
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(w->d.queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *got, void *unused)
{
    (void)message, (void)unused;
    *(WGPUMapAsyncStatus *)got = status;
}

static void expect_model(World *w, uint32_t i)
{
    WGPUBuffer back = wgpuDeviceCreateBuffer(w->d.device, &(WGPUBufferDescriptor){
        .usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, .size = sizeof w->model[0]});
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(w->d.device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(e, w->buffer[i], 0, back, 0, sizeof w->model[0]);
    submit(w, e);
    WGPUMapAsyncStatus status = 0;
    WGPUFutureWaitInfo wait = {wgpuBufferMapAsync(back, WGPUMapMode_Read, 0, sizeof w->model[0],
        (WGPUBufferMapCallbackInfo){NULL, WGPUCallbackMode_WaitAnyOnly, on_map, &status, NULL}), 0};
    wgpuInstanceWaitAny(w->d.instance, 1, &wait, UINT64_MAX);
    assert_int_equal(status, WGPUMapAsyncStatus_Success);
    assert_memory_equal(wgpuBufferGetConstMappedRange(back, 0, sizeof w->model[0]), w->model[i],
                        sizeof w->model[0]);
    wgpuBufferRelease(back);
}

static void test_random_commands(void **state)
{
    (void)state;
    World w;
    world_init(&w);
    for (uint32_t round = 0; round < 60; round++) {
        if (pick(&w, 3) == 0)
            do_write(&w);
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(w.d.device, NULL);
        for (uint32_t n = 1 + pick(&w, 12); n; n--) {
            uint32_t kind = pick(&w, 4);
            (kind == 0 ? do_clear : kind == 1 ? do_copy : do_dispatch)(&w, e);
        }
        submit(&w, e);
        if (pick(&w, 4) == 0)
            expect_model(&w, pick(&w, BUFFERS));
    }
    for (uint32_t i = 0; i < BUFFERS; i++)
        expect_model(&w, i);
    assert_string_equal(w.d.error, "");
    world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_commands)};
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
