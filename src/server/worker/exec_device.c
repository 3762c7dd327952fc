// SPDX-License-Identifier: Apache-2.0
/*
 * exec_device.c - opens the worker's device, waits for it, collects its errors.
 *
 * in     a number of threads
 * out    an open CPU device with a memory cache and no files
 * knows  webgpu.h
 * not    jobs
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/worker/executor_priv.h"

bool exec_fail(ExecError *e, weft_error_kind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    e->kind = kind;
    vsnprintf(e->message, sizeof e->message, fmt, args);
    va_end(args);
    return false;
}

void exec_wait(Executor *x, WGPUFuture future, const bool *done)
{
    WGPUFutureWaitInfo wait = {.future = future};
    while (!*done)
        if (wgpuInstanceWaitAny(x->instance, 1, &wait, UINT64_MAX) == WGPUWaitStatus_Error)
            return;
}

static void copy_text(char *out, size_t size, WGPUStringView s)
{
    size_t length = !s.data ? 0 : s.length == WGPU_STRLEN ? strlen(s.data) : s.length;
    snprintf(out, size, "%.*s", (int)MIN_OF(length, size), length ? s.data : "");
}

/* ---- opening ---- */

typedef struct Answer {
    void *object;
    bool  done;
    char  why[512];
} Answer;

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *user1, void *user2)
{
    Answer *a = user1;
    (void)user2;
    a->object = status == WGPURequestAdapterStatus_Success ? adapter : NULL;
    copy_text(a->why, sizeof a->why, message);
    a->done = true;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device,
                      WGPUStringView message, void *user1, void *user2)
{
    Answer *a = user1;
    (void)user2;
    a->object = status == WGPURequestDeviceStatus_Success ? device : NULL;
    copy_text(a->why, sizeof a->why, message);
    a->done = true;
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *user1, void *user2)
{
    Executor *x = user1;
    (void)device;
    (void)message;
    (void)user2;
    x->lost = x->lost || reason != WGPUDeviceLostReason_Destroyed;
}

static bool open_instance(Executor *x)
{
    static const WGPUInstanceFeatureName wait = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUInstanceDescriptor  wish = WGPU_INSTANCE_DESCRIPTOR_INIT;
    WGPUInstanceLimits      limits = WGPU_INSTANCE_LIMITS_INIT;
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    options.cacheMode = WGPUWeftCacheMode_Memory;   /* there are no files in a sandbox */
    limits.timedWaitAnyMaxCount = 1;
    wish.nextInChain = &options.chain;
    wish.requiredFeatureCount = 1;
    wish.requiredFeatures = &wait;
    wish.requiredLimits = &limits;
    x->instance = wgpuCreateInstance(&wish);
    return x->instance != NULL;
}

static bool open_adapter(Executor *x, WGPUBackendType backend, ExecError *e)
{
    Answer answer = {0};
    WGPURequestAdapterOptions wish = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    wish.backendType = backend;
    wish.powerPreference = WGPUPowerPreference_HighPerformance;
    WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.callback = on_adapter;
    info.userdata1 = &answer;
    exec_wait(x, wgpuInstanceRequestAdapter(x->instance, &wish, info), &answer.done);
    x->adapter = answer.object;
    if (!x->adapter)
        return exec_fail(e, WEFT_ERROR_DEVICE_LOST, "no %s device: %s",
                         backend == WGPUBackendType_Vulkan ? "Vulkan" : "CPU", answer.why);
    x->limits = (WGPULimits)WGPU_LIMITS_INIT;
    wgpuAdapterGetLimits(x->adapter, &x->limits);
    WGPUAdapterInfo about = WGPU_ADAPTER_INFO_INIT;
    if (wgpuAdapterGetInfo(x->adapter, &about) == WGPUStatus_Success) {
        copy_text(x->name, sizeof x->name, about.description);
        wgpuAdapterInfoFreeMembers(about);
    }
    return true;
}

static bool open_device(Executor *x, uint32_t threads, ExecError *e)
{
    Answer answer = {0};
    WGPUWeftDeviceOptions options = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    options.threadCount = threads;
    WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
    wgpuAdapterGetFeatures(x->adapter, &features);
    WGPUDeviceDescriptor wish = WGPU_DEVICE_DESCRIPTOR_INIT;
    wish.nextInChain = &options.chain;
    wish.requiredFeatureCount = features.featureCount;
    wish.requiredFeatures = features.features;
    wish.requiredLimits = &x->limits;
    wish.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowProcessEvents;
    wish.deviceLostCallbackInfo.callback = on_lost;
    wish.deviceLostCallbackInfo.userdata1 = x;
    WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.callback = on_device;
    info.userdata1 = &answer;
    exec_wait(x, wgpuAdapterRequestDevice(x->adapter, &wish, info), &answer.done);
    wgpuSupportedFeaturesFreeMembers(features);
    x->device = answer.object;
    if (!x->device)
        return exec_fail(e, WEFT_ERROR_DEVICE_LOST, "the device was not opened: %s", answer.why);
    x->queue = wgpuDeviceGetQueue(x->device);
    return true;
}

static Executor *open_backend(WGPUBackendType backend, uint32_t threads, ExecError *e)
{
    Executor *x = calloc(1, sizeof *x);
    bool      ok = false;
    if (!x || !open_instance(x))
        exec_fail(e, WEFT_ERROR_MEMORY, "out of memory");
    else
        ok = open_adapter(x, backend, e) && open_device(x, threads, e);
    if (!ok) {
        executor_close(x);
        x = NULL;
    }
    return x;
}

Executor *executor_open(uint32_t threads, ExecError *e)
{
    return open_backend(WGPUBackendType_WeftCPU, threads, e);
}

Executor *executor_open_gpu(ExecError *e)
{
    return open_backend(WGPUBackendType_Vulkan, 0, e);
}

void exec_kernel_fini(ExecKernel *k)
{
    if (k->pipeline)
        wgpuComputePipelineRelease(k->pipeline);
    weft_kernel_release(k->analysis);
    weft_wgsl_release(k->module);
    free(k->key);
    *k = (ExecKernel){0};
}

void executor_close(Executor *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < EXEC_KERNELS; i++)
        exec_kernel_fini(&x->kernels[i]);
    if (x->queue)
        wgpuQueueRelease(x->queue);
    if (x->device)
        wgpuDeviceRelease(x->device);
    if (x->adapter)
        wgpuAdapterRelease(x->adapter);
    if (x->instance)
        wgpuInstanceRelease(x->instance);
    free(x);
}

const char *executor_device(const Executor *x)
{
    return x->name;
}

/* ---- errors ---- */

void exec_watch(Executor *x)
{
    wgpuDevicePushErrorScope(x->device, WGPUErrorFilter_Validation);
    wgpuDevicePushErrorScope(x->device, WGPUErrorFilter_OutOfMemory);
    wgpuDevicePushErrorScope(x->device, WGPUErrorFilter_Internal);
}

typedef struct Caught {
    bool          done;
    WGPUErrorType type;
    char          message[sizeof((ExecError){0}.message) - 64];
} Caught;

static void on_error(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                     WGPUStringView message, void *user1, void *user2)
{
    Caught *c = user1;
    (void)user2;
    if (status == WGPUPopErrorScopeStatus_Success && type != WGPUErrorType_NoError) {
        c->type = type;
        copy_text(c->message, sizeof c->message, message);
    }
    c->done = true;
}

bool exec_caught(Executor *x, weft_error_kind kind, ExecError *e)
{
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        Caught caught = {.type = WGPUErrorType_NoError};
        WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        info.mode = WGPUCallbackMode_WaitAnyOnly;
        info.callback = on_error;
        info.userdata1 = &caught;
        exec_wait(x, wgpuDevicePopErrorScope(x->device, info), &caught.done);
        if (caught.type == WGPUErrorType_NoError || !ok)
            continue;
        ok = exec_fail(e, caught.type == WGPUErrorType_OutOfMemory ? WEFT_ERROR_MEMORY : kind,
                       "%s", caught.message);
    }
    wgpuInstanceProcessEvents(x->instance);
    if (ok && x->lost)
        ok = exec_fail(e, WEFT_ERROR_DEVICE_LOST, "the device was lost");
    return ok;
}
