// SPDX-License-Identifier: Apache-2.0
/*
 * instance.c - instances, adapters, devices, error scopes.
 *
 * in     calls of lib/gpu.js and lib/device.js
 * out    calls of sections 3 to 5 of webgpu.h
 * knows  Weft's options
 * not    names of features and limits: lib/ has them by number and by order
 */
#include <stdio.h>

#include "addon.h"

/* All limits in one place, chained. */
typedef struct Limits {
    WGPULimits                  limits;
    WGPUCompatibilityModeLimits compat;
} Limits;

static void limits_init(Limits *l)
{
    l->limits = WGPU_LIMITS_INIT;
    l->compat = WGPU_COMPATIBILITY_MODE_LIMITS_INIT;
    l->limits.nextInChain = &l->compat.chain;
}

/* Names of all limits, in the order of the arrays that carry their values. */
static napi_value limit_names(Call *c)
{
    static const char *const names[] = {
#define LIMIT(in, name, bits) #name,
#include "limits.def"
#undef LIMIT
    };
    napi_value list = js_array(c->napi, COUNTOF(names));
    for (uint32_t i = 0; i < COUNTOF(names); i++)
        js_push(c->napi, list, i,
                js_string(c->napi, (WGPUStringView){ names[i], WGPU_STRLEN }));
    return list;
}

static napi_value limits_value(Call *c, const Limits *l)
{
    napi_value list = js_array(c->napi, 0);
    uint32_t at = 0;
#define LIMIT(in, name, bits) \
    js_push(c->napi, list, at++, js_number(c->napi, (double)l->in.name));
#include "limits.def"
#undef LIMIT
    return list;
}

static uint32_t wish_u32(Call *c, napi_value v)
{
    const uint64_t n = value_u64_or(c, v, WGPU_LIMIT_U32_UNDEFINED);
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static uint64_t wish_u64(Call *c, napi_value v)
{
    return value_u64_or(c, v, WGPU_LIMIT_U64_UNDEFINED);
}

static void limits_read(Call *c, size_t i, Limits *l)
{
    uint32_t at = 0;
    limits_init(l);
#define LIMIT(in, name, bits) l->in.name = wish_##bits(c, arg_element(c, i, at++));
#include "limits.def"
#undef LIMIT
}

/* ---- the instance ---- */

typedef struct Complaint {
    char   text[256];
    size_t length;
} Complaint;

/* Where the instance that this thread is making may complain. The callback stays with
 * the instance for good, and has nothing to say to anybody later. */
static _Thread_local Complaint *complaint;

static void complain(WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata1, (void)userdata2;
    Complaint *why = complaint;
    if (why && !why->length && message.data)
        why->length = (size_t)snprintf(why->text, sizeof why->text, "%.*s",
                                       (int)message.length, message.data);
}

/* instanceCreate(cacheMode, cacheDirectory) */
static napi_value instance_create(Call *c)
{
    Complaint why = {0};
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    options.cacheMode = (WGPUWeftCacheMode)arg_u32(c, 0);
    options.cacheDirectory = arg_string(c, 1);
    options.logCallback = complain;
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUInstanceDescriptor desc = WGPU_INSTANCE_DESCRIPTOR_INIT;
    desc.nextInChain = &options.chain;
    desc.requiredFeatureCount = 1;
    desc.requiredFeatures = &timed;
    if (!call_ok(c))
        return NULL;
    complaint = &why;
    WGPUInstance instance = wgpuCreateInstance(&desc);
    complaint = NULL;
    if (!instance) {
        napi_throw_error(c->napi, NULL, why.length ? why.text : "there is no instance to be had");
        return NULL;
    }
    return handle_new(c->napi, KIND_INSTANCE, instance, 0);
}

static napi_value instance_features(Call *c)
{
    WGPUInstance instance = arg_object(c, 0, KIND_INSTANCE);
    if (!call_ok(c))
        return NULL;
    WGPUSupportedWGSLLanguageFeatures f = WGPU_SUPPORTED_WGSL_LANGUAGE_FEATURES_INIT;
    wgpuInstanceGetWGSLLanguageFeatures(instance, &f);
    napi_value list = js_array(c->napi, f.featureCount);
    for (uint32_t i = 0; i < f.featureCount; i++)
        js_push(c->napi, list, i, js_number(c->napi, f.features[i]));
    wgpuSupportedWGSLLanguageFeaturesFreeMembers(f);
    return list;
}

/* processEvents(instance, future, time): what comes, also in the nanoseconds that it waits
 * for the future, is delivered before it returns */
static napi_value process_events(Call *c)
{
    WGPUInstance instance = arg_object(c, 0, KIND_INSTANCE);
    WGPUFutureWaitInfo wait = { .future.id = arg_u64(c, 1) };
    const uint64_t time = arg_u64(c, 2);
    if (!call_ok(c))
        return NULL;
    if (wait.future.id)
        wgpuInstanceWaitAny(instance, 1, &wait, time);
    wgpuInstanceProcessEvents(instance);
    env_deliver(c->env);
    return NULL;
}

/* ---- adapters ---- */

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_object(userdata1, KIND_ADAPTER, adapter);
    event_post(userdata1, status, 0);
}

/* requestAdapter(instance, featureLevel, powerPreference, fallback, xr, backend, name, token) */
static napi_value request_adapter(Call *c)
{
    WGPUInstance instance = arg_object(c, 0, KIND_INSTANCE);
    WGPUWeftRequestAdapterOptions weft = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPURequestAdapterWebXROptions xr = WGPU_REQUEST_ADAPTER_WEBXR_OPTIONS_INIT;
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.nextInChain = &weft.chain;
    options.featureLevel = (WGPUFeatureLevel)arg_u32(c, 1);
    options.powerPreference = (WGPUPowerPreference)arg_u32(c, 2);
    options.forceFallbackAdapter = arg_bool(c, 3);
    xr.xrCompatible = arg_bool(c, 4);
    options.backendType = (WGPUBackendType)arg_u32(c, 5);
    weft.name = arg_string(c, 6);
    weft.chain.next = &xr.chain;
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 7), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPURequestAdapterCallbackInfo info = { NULL, WGPUCallbackMode_AllowSpontaneous,
                                            on_adapter, e, NULL };
    event_refuse(e, wgpuInstanceRequestAdapter(instance, &options, info));
    return NULL;
}

static napi_value info_value(Call *c, const WGPUAdapterInfo *info)
{
    napi_value list = js_array(c->napi, 8);
    js_push(c->napi, list, 0, js_string(c->napi, info->vendor));
    js_push(c->napi, list, 1, js_string(c->napi, info->architecture));
    js_push(c->napi, list, 2, js_string(c->napi, info->device));
    js_push(c->napi, list, 3, js_string(c->napi, info->description));
    js_push(c->napi, list, 4, js_number(c->napi, info->subgroupMinSize));
    js_push(c->napi, list, 5, js_number(c->napi, info->subgroupMaxSize));
    js_push(c->napi, list, 6, js_number(c->napi, info->adapterType));
    js_push(c->napi, list, 7, js_number(c->napi, info->backendType));
    return list;
}

static napi_value features_value(Call *c, WGPUSupportedFeatures f)
{
    napi_value list = js_array(c->napi, f.featureCount);
    for (uint32_t i = 0; i < f.featureCount; i++)
        js_push(c->napi, list, i, js_number(c->napi, f.features[i]));
    wgpuSupportedFeaturesFreeMembers(f);
    return list;
}

static napi_value adapter_info(Call *c)
{
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    WGPUAdapter adapter = arg_object(c, 0, KIND_ADAPTER);
    if (!call_ok(c))
        return NULL;
    wgpuAdapterGetInfo(adapter, &info);
    napi_value list = info_value(c, &info);
    wgpuAdapterInfoFreeMembers(info);
    return list;
}

static napi_value adapter_limits(Call *c)
{
    Limits l;
    WGPUAdapter adapter = arg_object(c, 0, KIND_ADAPTER);
    limits_init(&l);
    if (!call_ok(c))
        return NULL;
    wgpuAdapterGetLimits(adapter, &l.limits);
    return limits_value(c, &l);
}

static napi_value adapter_features(Call *c)
{
    WGPUSupportedFeatures f = WGPU_SUPPORTED_FEATURES_INIT;
    WGPUAdapter adapter = arg_object(c, 0, KIND_ADAPTER);
    if (!call_ok(c))
        return NULL;
    wgpuAdapterGetFeatures(adapter, &f);
    return features_value(c, f);
}

/* ---- devices ---- */

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device,
                      WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_object(userdata1, KIND_DEVICE, device);
    event_post(userdata1, status, 0);
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)device, (void)userdata2;
    event_text(userdata1, message);
    event_post(userdata1, reason, 0);
}

/* Comes only while the device is not lost, and so before its event is gone. */
static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *userdata1, void *userdata2)
{
    (void)device, (void)userdata2;
    event_repeat(userdata1, type, message);
}

/* requestDevice(adapter, label, queueLabel, features, limits, threads, lanes, deadlineNS,
 *               token, deviceToken) */
static napi_value request_device(Call *c)
{
    Limits limits;
    WGPUAdapter adapter = arg_object(c, 0, KIND_ADAPTER);
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    desc.defaultQueue.label = arg_string(c, 2);
    const uint32_t n = arg_length(c, 3);
    WGPUFeatureName *features = call_alloc(c, n, sizeof *features);
    for (uint32_t i = 0; features && i < n; i++)
        features[i] = (WGPUFeatureName)value_u32(c, arg_element(c, 3, i));
    desc.requiredFeatures = features;
    desc.requiredFeatureCount = n;
    limits_read(c, 4, &limits);
    desc.requiredLimits = &limits.limits;
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.threadCount = arg_u32(c, 5);
    weft.laneWidth = arg_u32(c, 6);
    weft.dispatchDeadlineNS = arg_u64(c, 7);
    weft.timedWaitsHelp = true;                 /* lib/work.js waits for what was quick before */
    desc.nextInChain = &weft.chain;
    const uint32_t token = arg_u32(c, 8), device_token = arg_u32(c, 9);
    Event *lost = call_ok(c) ? event_new(c, device_token, EVENT_WATCHES) : NULL;
    if (!lost)
        return NULL;
    Event *e = event_new(c, token, EVENT_HOLDS);
    if (!e) {
        event_post(lost, WGPUDeviceLostReason_FailedCreation, 0);
        return NULL;
    }
    desc.deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_lost, lost, NULL };
    desc.uncapturedErrorCallbackInfo = (WGPUUncapturedErrorCallbackInfo){
        NULL, on_error, lost, NULL };
    WGPURequestDeviceCallbackInfo info = { NULL, WGPUCallbackMode_AllowSpontaneous,
                                           on_device, e, NULL };
    event_refuse(e, wgpuAdapterRequestDevice(adapter, &desc, info));
    return NULL;
}

static napi_value device_queue(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_QUEUE, wgpuDeviceGetQueue(device), 0);
}

static napi_value device_info(Call *c)
{
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    if (!call_ok(c))
        return NULL;
    wgpuDeviceGetAdapterInfo(device, &info);
    napi_value list = info_value(c, &info);
    wgpuAdapterInfoFreeMembers(info);
    return list;
}

static napi_value device_limits(Call *c)
{
    Limits l;
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    limits_init(&l);
    if (!call_ok(c))
        return NULL;
    wgpuDeviceGetLimits(device, &l.limits);
    return limits_value(c, &l);
}

static napi_value device_features(Call *c)
{
    WGPUSupportedFeatures f = WGPU_SUPPORTED_FEATURES_INIT;
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    if (!call_ok(c))
        return NULL;
    wgpuDeviceGetFeatures(device, &f);
    return features_value(c, f);
}

static napi_value device_destroy(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    if (call_ok(c))
        wgpuDeviceDestroy(device);
    return NULL;
}

/* hold(on) */
static napi_value hold(Call *c)
{
    const bool on = arg_bool(c, 0);
    if (call_ok(c))
        env_hold(c->env, on);
    return NULL;
}

static napi_value push_error_scope(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    const uint32_t filter = arg_u32(c, 1);
    if (call_ok(c))
        wgpuDevicePushErrorScope(device, (WGPUErrorFilter)filter);
    return NULL;
}

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                     WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_post(userdata1, status, type);
}

/* popErrorScope(device, token) */
static napi_value pop_error_scope(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 1), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPUPopErrorScopeCallbackInfo info = { NULL, WGPUCallbackMode_AllowSpontaneous,
                                           on_scope, e, NULL };
    event_refuse(e, wgpuDevicePopErrorScope(device, info));
    return NULL;
}

/* ---- labels, for all kinds ---- */

/* setLabel(object, label) */
static napi_value set_label(Call *c)
{
    const WGPUStringView label = arg_string(c, 1);
    const Kind kind = c->argc ? handle_kind(c->napi, c->argv[0]) : KIND_NONE;
    void *object = arg_object(c, 0, kind);
    if (!call_ok(c))
        return NULL;
    switch (kind) {
    case KIND_DEVICE:         wgpuDeviceSetLabel(object, label); break;
    case KIND_QUEUE:          wgpuQueueSetLabel(object, label); break;
    case KIND_BUFFER:         wgpuBufferSetLabel(object, label); break;
    case KIND_BIND_GROUP_LAYOUT: wgpuBindGroupLayoutSetLabel(object, label); break;
    case KIND_BIND_GROUP:     wgpuBindGroupSetLabel(object, label); break;
    case KIND_PIPELINE_LAYOUT: wgpuPipelineLayoutSetLabel(object, label); break;
    case KIND_SHADER_MODULE:  wgpuShaderModuleSetLabel(object, label); break;
    case KIND_COMPUTE_PIPELINE: wgpuComputePipelineSetLabel(object, label); break;
    case KIND_QUERY_SET:      wgpuQuerySetSetLabel(object, label); break;
    case KIND_COMMAND_ENCODER: wgpuCommandEncoderSetLabel(object, label); break;
    case KIND_COMPUTE_PASS:   wgpuComputePassEncoderSetLabel(object, label); break;
    case KIND_COMMAND_BUFFER: wgpuCommandBufferSetLabel(object, label); break;
    case KIND_TEXTURE:        wgpuTextureSetLabel(object, label); break;
    case KIND_TEXTURE_VIEW:   wgpuTextureViewSetLabel(object, label); break;
    case KIND_SAMPLER:        wgpuSamplerSetLabel(object, label); break;
    case KIND_RENDER_PIPELINE: wgpuRenderPipelineSetLabel(object, label); break;
    case KIND_RENDER_PASS:    wgpuRenderPassEncoderSetLabel(object, label); break;
    case KIND_RENDER_BUNDLE_ENCODER: wgpuRenderBundleEncoderSetLabel(object, label); break;
    case KIND_RENDER_BUNDLE:  wgpuRenderBundleSetLabel(object, label); break;
    default: break;                     /* kinds without a label */
    }
    return NULL;
}

const Function instance_functions[] = {
    { "limitNames",       limit_names },
    { "instanceCreate",   instance_create },
    { "instanceFeatures", instance_features },
    { "processEvents",    process_events },
    { "requestAdapter",   request_adapter },
    { "adapterInfo",      adapter_info },
    { "adapterLimits",    adapter_limits },
    { "adapterFeatures",  adapter_features },
    { "requestDevice",    request_device },
    { "deviceQueue",      device_queue },
    { "deviceInfo",       device_info },
    { "deviceLimits",     device_limits },
    { "deviceFeatures",   device_features },
    { "deviceDestroy",    device_destroy },
    { "hold",             hold },
    { "pushErrorScope",   push_error_scope },
    { "popErrorScope",    pop_error_scope },
    { "setLabel",         set_label },
    { 0 },
};
