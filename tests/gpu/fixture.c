// SPDX-License-Identifier: Apache-2.0
/*
 * fixture.c - see the header.
 */
#include "fixture.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpu/gpu_priv.h"

WGPUStringView sv(const char *text)
{
    return (WGPUStringView){text, WGPU_STRLEN};
}

static void copy_text(char *out, size_t size, WGPUStringView text)
{
    snprintf(out, size, "%.*s", (int)text.length, text.data ? text.data : "");
}

/* ---- errors ---- */

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *userdata1, void *userdata2)
{
    Fixture *fx = userdata1;
    (void)device, (void)userdata2;
    pthread_mutex_lock(&fx->lock);
    if (fx->nerrors < MAX_ERRORS) {
        fx->errors[fx->nerrors].type = type;
        copy_text(fx->errors[fx->nerrors].message, sizeof fx->errors[0].message, message);
    }
    fx->nerrors++;
    pthread_mutex_unlock(&fx->lock);
}

static void on_log(WGPUStringView message, void *userdata1, void *userdata2)
{
    Fixture *fx = userdata1;
    (void)userdata2;
    pthread_mutex_lock(&fx->lock);
    copy_text(fx->log, sizeof fx->log, message);
    fx->nlogs++;
    pthread_mutex_unlock(&fx->lock);
}

void fixture_expect(Fixture *fx, WGPUErrorType type, const char *message, const char *file,
                    int line)
{
    if (fx->nerrors != 1) {
        print_error("%u errors; want: %s\n", fx->nerrors, message);
        for (uint32_t i = 0; i < MIN_OF(fx->nerrors, MAX_ERRORS); i++)
            print_error("  have: %s\n", fx->errors[i].message);
    }
    _assert_int_equal(fx->nerrors, 1, file, line);
    _assert_string_equal(fx->errors[0].message, message, file, line);
    _assert_int_equal(fx->errors[0].type, type, file, line);
    fx->nerrors = 0;
}

void fixture_expect_none(Fixture *fx, const char *file, int line)
{
    if (fx->nerrors)
        print_error("unexpected: %s\n", fx->errors[0].message);
    _assert_int_equal(fx->nerrors, 0, file, line);
}

void fixture_expect_log(Fixture *fx, const char *message, const char *file, int line)
{
    _assert_string_equal(fx->log, message, file, line);
    fx->log[0] = '\0';
}

/* ---- opening and closing ---- */

WGPUInstance fixture_instance(Fixture *fx)
{
    static const WGPUInstanceFeatureName features[] = {WGPUInstanceFeatureName_TimedWaitAny};
    WGPUWeftInstanceOptions weft = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    weft.logCallback = on_log;
    weft.logUserdata1 = fx;
    WGPUInstanceDescriptor desc = WGPU_INSTANCE_DESCRIPTOR_INIT;
    desc.nextInChain = &weft.chain;
    desc.requiredFeatureCount = COUNTOF(features);
    desc.requiredFeatures = features;
    WGPUInstance instance = instance_create(&desc, null_backends);
    assert_non_null(instance);
    return instance;
}

WGPUUncapturedErrorCallbackInfo fixture_errors(Fixture *fx)
{
    return (WGPUUncapturedErrorCallbackInfo){NULL, on_error, fx, NULL};
}

Fixture *fixture_open(const FixtureDesc *desc)
{
    static const FixtureDesc defaults = {0};
    if (!desc)
        desc = &defaults;
    Fixture *fx = calloc(1, sizeof *fx);
    assert_non_null(fx);
    pthread_mutex_init(&fx->lock, NULL);
    fx->instance = fixture_instance(fx);
    Told t = TOLD_INIT;
    wgpuInstanceRequestAdapter(fx->instance, NULL,
                               adapter_callback(&t, WGPUCallbackMode_AllowSpontaneous));
    assert_int_equal(t.status, WGPURequestAdapterStatus_Success);
    fx->adapter = t.object;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.requiredFeatures = desc->features;
    d.requiredFeatureCount = desc->nfeatures;
    d.requiredLimits = desc->limits;
    d.uncapturedErrorCallbackInfo = fixture_errors(fx);
    wgpuAdapterRequestDevice(fx->adapter, &d,
                             device_callback(&t, WGPUCallbackMode_AllowSpontaneous));
    assert_int_equal(t.status, WGPURequestDeviceStatus_Success);
    fx->device = t.object;
    fx->queue = wgpuDeviceGetQueue(fx->device);
    return fx;
}

/* Work that is still under way keeps its device; what leaks keeps it for ever. */
static void wait_for_devices(void)
{
    time_t start = time(NULL);
    while (null_counts.devices && time(NULL) - start < 10)
        sched_yield();
}

void fixture_close(Fixture *fx)
{
    null_let_go();
    null_let_kernels_go();
    wgpuQueueRelease(fx->queue);
    wgpuDeviceRelease(fx->device);
    wgpuAdapterRelease(fx->adapter);
    wgpuInstanceRelease(fx->instance);
    expect_none(fx);
    wait_for_devices();
    assert_int_equal(null_counts.devices, 0);
    assert_int_equal(null_counts.buffers, 0);
    assert_int_equal(null_counts.kernels, 0);
    assert_int_equal(null_counts.queries, 0);
    pthread_mutex_destroy(&fx->lock);
    free(fx);
    null_reset();
}

/* ---- objects ---- */

WGPUBuffer make_buffer(Fixture *fx, const char *label, WGPUBufferUsage usage, uint64_t size)
{
    WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
    d.label = sv(label);
    d.usage = usage;
    d.size = size;
    return wgpuDeviceCreateBuffer(fx->device, &d);
}

WGPUShaderModule make_module(Fixture *fx, const char *code)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = sv(code);
    WGPUShaderModuleDescriptor d = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    d.nextInChain = &wgsl.chain;
    return wgpuDeviceCreateShaderModule(fx->device, &d);
}

WGPUComputePipeline make_pipeline(Fixture *fx, WGPUShaderModule module, const char *entry)
{
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.compute.module = module;
    d.compute.entryPoint = sv(entry);
    return wgpuDeviceCreateComputePipeline(fx->device, &d);
}

WGPUBindGroup make_group(Fixture *fx, WGPUBindGroupLayout layout, uint32_t count,
                         const WGPUBuffer *buffers)
{
    WGPUBindGroupEntry entries[8];
    assert_true(count <= COUNTOF(entries));
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
        entries[i].binding = i;
        entries[i].buffer = buffers[i];
    }
    WGPUBindGroupDescriptor d = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    d.layout = layout;
    d.entryCount = count;
    d.entries = entries;
    return wgpuDeviceCreateBindGroup(fx->device, &d);
}

void submit(Fixture *fx, WGPUCommandEncoder encoder)
{
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
    wgpuQueueSubmit(fx->queue, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
}

void finish(WGPUCommandEncoder encoder)
{
    wgpuCommandBufferRelease(wgpuCommandEncoderFinish(encoder, NULL));
    wgpuCommandEncoderRelease(encoder);
}

/* ---- waiting ---- */

void wait_for(Fixture *fx, WGPUFuture future)
{
    WGPUFutureWaitInfo info = {.future = future};
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, &info, UINT64_MAX),
                     WGPUWaitStatus_Success);
    assert_true(info.completed);
}

void wait_idle(Fixture *fx)
{
    Told t = TOLD_INIT;
    wait_for(fx, wgpuQueueOnSubmittedWorkDone(fx->queue,
                                              work_info(&t, WGPUCallbackMode_WaitAnyOnly)));
    assert_int_equal(t.status, WGPUQueueWorkDoneStatus_Success);
}

void read_buffer(Fixture *fx, WGPUBuffer buffer, size_t offset, void *out, size_t size)
{
    Told t = TOLD_INIT;
    wait_for(fx, wgpuBufferMapAsync(buffer, WGPUMapMode_Read, offset, size,
                                    map_info(&t, WGPUCallbackMode_WaitAnyOnly)));
    assert_int_equal(t.status, WGPUMapAsyncStatus_Success);
    assert_int_equal(wgpuBufferReadMappedRange(buffer, offset, out, size), WGPUStatus_Success);
    wgpuBufferUnmap(buffer);
}

void read_back(Fixture *fx, WGPUBuffer buffer, void *out, size_t size)
{
    WGPUBuffer to = make_buffer(fx, "read back",
                                WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, size);
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, buffer, 0, to, 0, size);
    submit(fx, encoder);
    read_buffer(fx, to, 0, out, size);
    wgpuBufferRelease(to);
}

/* ---- what callbacks were told ---- */

static atomic_int last_order;

void told(Told *t, int status, WGPUStringView message, void *object)
{
    pthread_mutex_lock(&t->lock);
    t->count++;
    t->order = ++last_order;
    t->status = status;
    copy_text(t->message, sizeof t->message, message);
    t->object = object;
    t->thread = pthread_self();
    pthread_cond_broadcast(&t->came);
    pthread_mutex_unlock(&t->lock);
}

void told_wait(Told *t)
{
    pthread_mutex_lock(&t->lock);
    while (!t->count)
        pthread_cond_wait(&t->came, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

int told_count(Told *t)
{
    pthread_mutex_lock(&t->lock);
    int count = t->count;
    pthread_mutex_unlock(&t->lock);
    return count;
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *t, void *unused)
{
    (void)unused;
    told(t, (int)status, message, NULL);
}

WGPUBufferMapCallbackInfo map_info(Told *t, WGPUCallbackMode mode)
{
    return (WGPUBufferMapCallbackInfo){NULL, mode, on_map, t, NULL};
}

static void on_work(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *t,
                    void *unused)
{
    (void)unused;
    told(t, (int)status, message, NULL);
}

WGPUQueueWorkDoneCallbackInfo work_info(Told *t, WGPUCallbackMode mode)
{
    return (WGPUQueueWorkDoneCallbackInfo){NULL, mode, on_work, t, NULL};
}

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                     WGPUStringView message, void *t, void *unused)
{
    (void)unused;
    ((Told *)t)->error = type;
    told(t, (int)status, message, NULL);
}

WGPUPopErrorScopeCallbackInfo scope_info(Told *t, WGPUCallbackMode mode)
{
    return (WGPUPopErrorScopeCallbackInfo){NULL, mode, on_scope, t, NULL};
}

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *t, void *unused)
{
    (void)unused;
    told(t, (int)status, message, adapter);
}

WGPURequestAdapterCallbackInfo adapter_callback(Told *t, WGPUCallbackMode mode)
{
    return (WGPURequestAdapterCallbackInfo){NULL, mode, on_adapter, t, NULL};
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device,
                      WGPUStringView message, void *t, void *unused)
{
    (void)unused;
    told(t, (int)status, message, device);
}

WGPURequestDeviceCallbackInfo device_callback(Told *t, WGPUCallbackMode mode)
{
    return (WGPURequestDeviceCallbackInfo){NULL, mode, on_device, t, NULL};
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *t, void *unused)
{
    (void)unused;
    told(t, (int)reason, message, *device);
}

WGPUDeviceLostCallbackInfo lost_info(Told *t, WGPUCallbackMode mode)
{
    return (WGPUDeviceLostCallbackInfo){NULL, mode, on_lost, t, NULL};
}

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *t, void *unused)
{
    (void)unused;
    told(t, (int)status, message, pipeline);
}

WGPUCreateComputePipelineAsyncCallbackInfo pipeline_info(Told *t, WGPUCallbackMode mode)
{
    return (WGPUCreateComputePipelineAsyncCallbackInfo){NULL, mode, on_pipeline, t, NULL};
}
