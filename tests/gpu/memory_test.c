// SPDX-License-Identifier: Apache-2.0
/*
 * memory_test.c - the n-th allocation fails, for every n of a whole program.
 *
 * The linker puts the functions below in the place of malloc() and its like. What
 * comes out of the program is not looked at: it must not crash, hang or leak.
 */
#include "fixture.h"

#include <sched.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

static atomic_int  left;                        /* allocations until one fails */
static atomic_bool armed, struck;

static bool fails(void)
{
    if (!armed || null_allocating || atomic_fetch_sub(&left, 1) != 0)
        return false;
    struck = true;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

/* ---- the program ---- */

static void on_release(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                       WGPUStringView message, void *unused1, void *unused2)
{
    (void)status, (void)message, (void)unused1, (void)unused2;
    wgpuComputePipelineRelease(pipeline);
}

static void dispatch(Fixture *fx, WGPUComputePipeline p, WGPUBindGroup g, WGPUBuffer b,
                     bool wrong)
{
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetPipeline(pass, p);
    for (uint32_t i = 0; i < 3; i++) {
        wgpuComputePassEncoderSetBindGroup(pass, 0, g, 1, (uint32_t[]){256 * i});
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    }
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    wgpuCommandEncoderClearBuffer(e, b, wrong, 4);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(fx->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
}

static void run_kernels(Fixture *fx)
{
    WGPUShaderModule m = make_module(
        fx, "override n: u32 = 1;"
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;"
            "@compute @workgroup_size(n) fn count() { a[0] = 1; }");
    WGPUConstantEntry c = {NULL, sv("n"), 2};
    WGPUBindGroupLayoutEntry le = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    le.visibility = WGPUShaderStage_Compute;
    le.buffer.type = WGPUBufferBindingType_Storage;
    le.buffer.hasDynamicOffset = WGPU_TRUE;
    WGPUBindGroupLayoutDescriptor ld = {.label = sv("l"), .entryCount = 1, .entries = &le};
    WGPUBindGroupLayout l = wgpuDeviceCreateBindGroupLayout(fx->device, &ld);
    WGPUPipelineLayoutDescriptor pd = {.bindGroupLayoutCount = 1, .bindGroupLayouts = &l};
    WGPUPipelineLayout pl = wgpuDeviceCreatePipelineLayout(fx->device, &pd);
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.layout = pl;
    d.compute.module = m;
    d.compute.constants = &c;
    d.compute.constantCount = 1;
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(fx->device, &d);
    c.value = 3;
    d.layout = NULL;
    wgpuDeviceCreateComputePipelineAsync(
        fx->device, &d, (WGPUCreateComputePipelineAsyncCallbackInfo){
        NULL, SPONTANEOUS, on_release, NULL, NULL});
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst, 1024);
    WGPUBindGroupEntry e = WGPU_BIND_GROUP_ENTRY_INIT;
    e.buffer = b;
    e.size = 256;
    WGPUBindGroupDescriptor gd = {.label = sv("g"), .layout = l, .entryCount = 1, .entries = &e};
    WGPUBindGroup g = wgpuDeviceCreateBindGroup(fx->device, &gd);
    dispatch(fx, p, g, b, false);
    dispatch(fx, p, g, b, true);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(b);
    wgpuComputePipelineRelease(p);
    wgpuPipelineLayoutRelease(pl);
    wgpuBindGroupLayoutRelease(l);
    wgpuShaderModuleRelease(m);
}

static void move_data(Fixture *fx)
{
    static char data[70000];
    WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
    d.usage = WGPUBufferUsage_CopyDst;
    d.size = sizeof data;
    d.mappedAtCreation = WGPU_TRUE;
    WGPUBuffer far = wgpuDeviceCreateBuffer(fx->device, &d);
    wgpuBufferGetMappedRange(far, 0, 16);
    wgpuBufferUnmap(far);
    wgpuQueueWriteBuffer(fx->queue, far, 0, data, sizeof data);
    wgpuQueueWriteBuffer(fx->queue, far, 0, data, 64);
    WGPUBuffer near = make_buffer(fx, "n", WGPUBufferUsage_CopyDst | WGPUBufferUsage_MapRead, 64);
    wgpuQueueWriteBuffer(fx->queue, near, 0, data, 64);
    static Told t = TOLD_INIT;                  /* it may be told after we are gone */
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
    wgpuBufferMapAsync(near, WGPUMapMode_Read, 0, 64,
                       map_info(&t, WGPUCallbackMode_AllowProcessEvents));
    wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(&t, SPONTANEOUS));
    wgpuDevicePopErrorScope(fx->device, scope_info(&t, SPONTANEOUS));
    wgpuInstanceProcessEvents(fx->instance);
    wgpuBufferGetConstMappedRange(near, 0, 64);
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    if (wgpuDeviceGetAdapterInfo(fx->device, &info) == WGPUStatus_Success)
        wgpuAdapterInfoFreeMembers(info);
    WGPUSupportedFeatures features;
    wgpuDeviceGetFeatures(fx->device, &features);
    wgpuSupportedFeaturesFreeMembers(features);
    wgpuBufferRelease(near);
    wgpuBufferRelease(far);
}

static void run_program(void)
{
    Fixture fx = {.lock = PTHREAD_MUTEX_INITIALIZER};
    Told    t = TOLD_INIT;
    fx.instance = instance_create(NULL, null_backends);
    wgpuInstanceRequestAdapter(fx.instance, NULL, adapter_callback(&t, SPONTANEOUS));
    fx.adapter = t.object;
    t.object = NULL;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.label = sv("device");
    wgpuAdapterRequestDevice(fx.adapter, &d, device_callback(&t, SPONTANEOUS));
    fx.device = t.object;
    fx.queue = wgpuDeviceGetQueue(fx.device);
    if (fx.device) {
        run_kernels(&fx);
        move_data(&fx);
    }
    wgpuQueueRelease(fx.queue);
    wgpuDeviceRelease(fx.device);
    wgpuAdapterRelease(fx.adapter);
    wgpuInstanceRelease(fx.instance);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        int n = 0;
        do {
            null_knobs.far_memory = far;
            struck = false;
            left = n++;
            armed = true;
            run_program();
            while (null_counts.devices)
                sched_yield();
            armed = false;
            assert_int_equal(null_counts.buffers, 0);
            assert_int_equal(null_counts.kernels, 0);
            null_reset();
        } while (struck);
        assert_true(n > 60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
