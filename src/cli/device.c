// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - opens a device, collects its errors, waits for it.
 *
 * in     what to ask for
 * out    an open device, or a sentence that says why there is none
 * knows  webgpu.h
 * not    where its functions come from (device_load.c); kernels (job.c)
 */
#include "cli/device.h"

#include <string.h>
#include <time.h>

static const char *text_of(Arena *arena, WGPUStringView s)
{
    size_t length = !s.data ? 0 : s.length == WGPU_STRLEN ? strlen(s.data) : s.length;
    return arena_printf(arena, "%.*s", (int)MIN_OF(length, 4000), length ? s.data : "");
}

/* ---- waiting ---- */

WGPUCallbackMode device_callback_mode(const Device *d)
{
    return d->can_wait ? WGPUCallbackMode_WaitAnyOnly : WGPUCallbackMode_AllowProcessEvents;
}

/* Libraries that cannot wait are asked again and again, less often with time. */
static void poll_until(Device *d, const bool *done)
{
    long pause = 1000;                  /* nanoseconds */
    for (;;) {
        d->procs.InstanceProcessEvents(d->instance);
        if (*done)
            return;
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = MIN_OF(pause * 5 / 4, 1000000);
    }
}

void device_wait(Device *d, WGPUFuture future, const bool *done)
{
    WGPUFutureWaitInfo wait = {.future = future};
    while (d->can_wait && !*done)
        if (d->procs.InstanceWaitAny(d->instance, 1, &wait, UINT64_MAX)
            == WGPUWaitStatus_Error)
            return;
    if (!*done)
        poll_until(d, done);
}

/* ---- adapters ---- */

typedef struct AdapterAnswer {
    Arena      *arena;
    WGPUAdapter adapter;
    const char *why;
    bool        done;
} AdapterAnswer;

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *user1, void *user2)
{
    AdapterAnswer *a = user1;
    (void)user2;
    a->adapter = status == WGPURequestAdapterStatus_Success ? adapter : NULL;
    if (!a->adapter)
        a->why = text_of(a->arena, message);
    a->done = true;
}

const char *device_find_adapter(Device *d, const WGPURequestAdapterOptions *options,
                                WGPUAdapter *out)
{
    AdapterAnswer answer = {.arena = d->arena, .why = "the adapter was not found"};
    WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    info.mode = device_callback_mode(d);
    info.callback = on_adapter;
    info.userdata1 = &answer;
    WGPUFuture future = d->procs.InstanceRequestAdapter(d->instance, options, info);
    device_wait(d, future, &answer.done);
    *out = answer.adapter;
    return answer.adapter ? NULL : answer.why;
}

static const char *backend_name(WGPUBackendType type)
{
    switch ((uint32_t)type) {
    case WGPUBackendType_Null:     return "null";
    case WGPUBackendType_WebGPU:   return "webgpu";
    case WGPUBackendType_D3D11:    return "d3d11";
    case WGPUBackendType_D3D12:    return "d3d12";
    case WGPUBackendType_Metal:    return "metal";
    case WGPUBackendType_Vulkan:   return "vulkan";
    case WGPUBackendType_OpenGL:   return "opengl";
    case WGPUBackendType_OpenGLES: return "opengles";
    case 0x57450001:               return "cpu";
    default:                       return "unknown";
    }
}
_Static_assert((uint32_t)WGPUBackendType_WeftCPU == 0x57450001, "a case above is stale");

static const char *type_name(WGPUAdapterType type)
{
    switch (type) {
    case WGPUAdapterType_DiscreteGPU:   return "discrete GPU";
    case WGPUAdapterType_IntegratedGPU: return "integrated GPU";
    case WGPUAdapterType_CPU:           return "CPU";
    default:                            return "unknown";
    }
}

void device_describe(Device *d, WGPUAdapter adapter, DeviceInfo *info, WGPULimits *limits)
{
    WGPUAdapterInfo     is = WGPU_ADAPTER_INFO_INIT;
    WGPUWeftAdapterInfo more = WGPU_WEFT_ADAPTER_INFO_INIT;
    *limits = WGPU_LIMITS_INIT;
    d->procs.AdapterGetLimits(adapter, limits);
    is.nextInChain = d->has_options ? &more.chain : NULL;
    if (d->procs.AdapterGetInfo(adapter, &is) != WGPUStatus_Success)
        is = WGPU_ADAPTER_INFO_INIT;
    *info = (DeviceInfo){
        .vendor = text_of(d->arena, is.vendor),
        .architecture = text_of(d->arena, is.architecture),
        .device = text_of(d->arena, is.device),
        .description = text_of(d->arena, is.description),
        .backend = backend_name(is.backendType), .type = type_name(is.adapterType),
        .driver = text_of(d->arena, more.driver), .memory = more.memory,
        .subgroup_min = is.subgroupMinSize, .subgroup_max = is.subgroupMaxSize,
    };
    d->procs.AdapterInfoFreeMembers(is);
}

/* The adapter that a word means: a kind of device, or a part of a name. */
static const char *choose_adapter(Device *d, const DeviceDesc *desc)
{
    WGPURequestAdapterOptions     options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPUWeftRequestAdapterOptions by_name = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
    const char *name = desc->adapter;
    if (name && strcmp(name, "cpu") == 0 && d->has_options)
        options.backendType = WGPUBackendType_WeftCPU;
    else if (name && strcmp(name, "cpu") == 0)
        options.forceFallbackAdapter = WGPU_TRUE;
    else if (name && (strcmp(name, "vulkan") == 0
                      || (strcmp(name, "gpu") == 0 && !d->has_options)))
        options.backendType = WGPUBackendType_Vulkan;
    else if (name && d->has_options) {
        by_name.name = (WGPUStringView){name, WGPU_STRLEN};
        options.nextInChain = &by_name.chain;
    } else if (name)
        return arena_printf(d->arena, "this library finds adapters by 'cpu' and 'vulkan', "
                            "not by '%s'", name);
    const char *why = device_find_adapter(d, &options, &d->adapter);
    if (why && name)
        return arena_printf(d->arena, "no adapter '%s': %s; 'weft devices' lists what there "
                            "is", name, why);
    return why;
}

/* ---- devices ---- */

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *user1, void *user2)
{
    Device *d = user1;
    (void)device;
    (void)user2;
    if (reason == WGPUDeviceLostReason_Destroyed
        || reason == WGPUDeviceLostReason_CallbackCancelled)
        return;
    d->lost_why = text_of(d->arena, message);
    if (!*d->lost_why)
        d->lost_why = "the device is lost";
}

const char *device_lost(Device *d)
{
    d->procs.InstanceProcessEvents(d->instance);
    return d->lost_why;
}

const char *device_lost_soon(Device *d)
{
    for (int ms = 0; !device_lost(d) && ms < 1000; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return d->lost_why;
}

typedef struct DeviceAnswer {
    Arena      *arena;
    WGPUDevice  device;
    const char *why;
    bool        done;
} DeviceAnswer;

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device,
                      WGPUStringView message, void *user1, void *user2)
{
    DeviceAnswer *a = user1;
    (void)user2;
    a->device = status == WGPURequestDeviceStatus_Success ? device : NULL;
    if (!a->device)
        a->why = text_of(a->arena, message);
    a->done = true;
}

/* With all features and limits that the adapter has: the kernel may use them. */
static const char *request_device(Device *d, const DeviceDesc *desc)
{
    WGPUWeftDeviceOptions options = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    options.threadCount = desc->threads;
    options.laneWidth = desc->lanes;
    options.dispatchDeadlineNS = desc->deadline;
    WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
    d->procs.AdapterGetFeatures(d->adapter, &features);
    WGPUDeviceDescriptor wish = WGPU_DEVICE_DESCRIPTOR_INIT;
    wish.nextInChain = d->has_options ? &options.chain : NULL;
    wish.requiredFeatureCount = features.featureCount;
    wish.requiredFeatures = features.features;
    wish.requiredLimits = &d->limits;
    wish.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowProcessEvents;
    wish.deviceLostCallbackInfo.callback = on_lost;
    wish.deviceLostCallbackInfo.userdata1 = d;
    DeviceAnswer answer = {.arena = d->arena, .why = "the device was not opened"};
    WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    info.mode = device_callback_mode(d);
    info.callback = on_device;
    info.userdata1 = &answer;
    WGPUFuture future = d->procs.AdapterRequestDevice(d->adapter, &wish, info);
    device_wait(d, future, &answer.done);
    d->procs.SupportedFeaturesFreeMembers(features);
    d->device = answer.device;
    return answer.device ? NULL : answer.why;
}

const char *device_open(Device *d, Arena *arena, const DeviceDesc *desc)
{
    const char *why = device_load(d, arena, desc);
    if (!why && !d->has_options
        && (desc->threads || desc->lanes || desc->deadline || desc->no_cache))
        why = "--threads, --lanes, --deadline and --no-cache are for Weft's own library";
    if (!why)
        why = choose_adapter(d, desc);
    if (!why) {
        device_describe(d, d->adapter, &d->info, &d->limits);
        why = request_device(d, desc);
    }
    if (!why)
        d->queue = d->procs.DeviceGetQueue(d->device);
    return why;
}

/* ---- errors ---- */

static const WGPUErrorFilter filters[] = {
    WGPUErrorFilter_Validation, WGPUErrorFilter_OutOfMemory, WGPUErrorFilter_Internal,
};

void device_watch(Device *d)
{
    for (size_t i = 0; i < COUNTOF(filters); i++)
        d->procs.DevicePushErrorScope(d->device, filters[i]);
}

typedef struct ErrorAnswer {
    Arena      *arena;
    const char *message;                /* NULL: no error                            */
    bool        done;
} ErrorAnswer;

static void on_error(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                     WGPUStringView message, void *user1, void *user2)
{
    ErrorAnswer *a = user1;
    (void)user2;
    if (status == WGPUPopErrorScopeStatus_Success && type != WGPUErrorType_NoError)
        a->message = text_of(a->arena, message);
    a->done = true;
}

const char *device_caught(Device *d)
{
    const char *first = NULL;
    for (size_t i = 0; i < COUNTOF(filters); i++) {
        ErrorAnswer answer = {.arena = d->arena};
        WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        info.mode = device_callback_mode(d);
        info.callback = on_error;
        info.userdata1 = &answer;
        device_wait(d, d->procs.DevicePopErrorScope(d->device, info), &answer.done);
        if (answer.message)
            first = answer.message;
    }
    return first ? first : device_lost(d);
}
