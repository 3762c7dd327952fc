// SPDX-License-Identifier: Apache-2.0
/*
 * adapter.c - finds an adapter of a library, describes it, requests a device of it.
 *
 * in     a word such as "cpu" or a part of a name; limits, callbacks
 * out    adapters, words about them, devices
 * knows  which options other libraries than Weft's understand
 * not    contexts, kernels, buffers
 */
#include <string.h>

#include "context/library.h"

const char *library_text(Arena *arena, WGPUStringView s)
{
    size_t length = !s.data ? 0 : s.length == WGPU_STRLEN ? strlen(s.data) : s.length;
    return arena_printf(arena, "%.*s", (int)MIN_OF(length, 4000), length ? s.data : "");
}

/* ---- finding ---- */

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
        a->why = library_text(a->arena, message);
    a->done = true;
}

const char *library_find_adapter(const Library *lib, Arena *arena,
                                 const WGPURequestAdapterOptions *options, WGPUAdapter *out)
{
    AdapterAnswer answer = {.arena = arena, .why = "the adapter was not found"};
    WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(lib);
    info.callback = on_adapter;
    info.userdata1 = &answer;
    WGPUFuture future = lib->procs.InstanceRequestAdapter(lib->instance, options, info);
    library_wait(lib, future, &answer.done);
    *out = answer.adapter;
    return answer.adapter ? NULL : answer.why;
}

const char *library_choose_adapter(const Library *lib, Arena *arena, const char *word,
                                   WGPUAdapter *out)
{
    WGPURequestAdapterOptions     options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPUWeftRequestAdapterOptions by_name = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
    if (word && strcmp(word, "cpu") == 0 && lib->has_options)
        options.backendType = WGPUBackendType_WeftCPU;
    else if (word && strcmp(word, "cpu") == 0)
        options.forceFallbackAdapter = WGPU_TRUE;
    else if (word && (strcmp(word, "vulkan") == 0
                      || (strcmp(word, "gpu") == 0 && !lib->has_options)))
        options.backendType = WGPUBackendType_Vulkan;
    else if (word && lib->has_options) {
        by_name.name = (WGPUStringView){word, WGPU_STRLEN};
        options.nextInChain = &by_name.chain;
    } else if (word)
        return arena_printf(arena, "this library finds adapters by 'cpu' and 'vulkan', "
                            "not by '%s'", word);
    const char *why = library_find_adapter(lib, arena, &options, out);
    if (why && word)
        return arena_printf(arena, "no adapter '%s': %s; 'weft devices' lists what there "
                            "is", word, why);
    return why;
}

/* ---- describing ---- */

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

void library_describe(const Library *lib, Arena *arena, WGPUAdapter adapter, AdapterInfo *info,
                      WGPULimits *limits)
{
    WGPUAdapterInfo     is = WGPU_ADAPTER_INFO_INIT;
    WGPUWeftAdapterInfo more = WGPU_WEFT_ADAPTER_INFO_INIT;
    *limits = WGPU_LIMITS_INIT;
    lib->procs.AdapterGetLimits(adapter, limits);
    is.nextInChain = lib->has_options ? &more.chain : NULL;
    if (lib->procs.AdapterGetInfo(adapter, &is) != WGPUStatus_Success)
        is = WGPU_ADAPTER_INFO_INIT;
    *info = (AdapterInfo){
        .vendor = library_text(arena, is.vendor),
        .architecture = library_text(arena, is.architecture),
        .device = library_text(arena, is.device),
        .description = library_text(arena, is.description),
        .backend = backend_name(is.backendType), .type = type_name(is.adapterType),
        .driver = library_text(arena, more.driver), .memory = more.memory,
        .subgroup_min = is.subgroupMinSize, .subgroup_max = is.subgroupMaxSize,
        .hardware_gpu = is.adapterType == WGPUAdapterType_DiscreteGPU
                     || is.adapterType == WGPUAdapterType_IntegratedGPU,
    };
    lib->procs.AdapterInfoFreeMembers(is);
}

/* ---- devices ---- */

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
        a->why = library_text(a->arena, message);
    a->done = true;
}

/* Dawn's own: without it a device belongs to one thread. */
#define DAWN_IMPLICIT_DEVICE_SYNCHRONIZATION ((WGPUFeatureName)0x00050004)

/* Of other libraries only the features that kernels may use: some of the rest are
 * experiments, or change how the device behaves. */
static size_t choose_features(const Library *lib, const WGPUSupportedFeatures *all,
                              WGPUFeatureName *out)
{
    static const WGPUFeatureName wanted[] = {
        WGPUFeatureName_CoreFeaturesAndLimits, WGPUFeatureName_ShaderF16,
        WGPUFeatureName_Subgroups, WGPUFeatureName_TimestampQuery,
        DAWN_IMPLICIT_DEVICE_SYNCHRONIZATION,
    };
    size_t count = 0;
    for (size_t i = 0; i < all->featureCount; i++) {
        bool take = lib->has_options;
        for (size_t k = 0; k < COUNTOF(wanted); k++)
            take = take || all->features[i] == wanted[k];
        if (take)
            out[count++] = all->features[i];
    }
    return count;
}

const char *library_request_device(const Library *lib, Arena *arena, WGPUAdapter adapter,
                                   const LibraryDeviceDesc *desc, WGPUDevice *out)
{
    WGPUWeftDeviceOptions options = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    options.threadCount = desc->threads;
    options.laneWidth = desc->lanes;
    options.dispatchDeadlineNS = desc->deadline;
    options.timedWaitsHelp = desc->timed_help;
    if (desc->cpu)
        options.cpuName = (WGPUStringView){desc->cpu, WGPU_STRLEN};
    WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
    lib->procs.AdapterGetFeatures(adapter, &features);
    WGPUDeviceDescriptor wish = WGPU_DEVICE_DESCRIPTOR_INIT;
    wish.nextInChain = lib->has_options ? &options.chain : NULL;
    WGPUFeatureName *chosen = ARENA_ARRAY(arena, WGPUFeatureName, features.featureCount);
    wish.requiredFeatureCount = choose_features(lib, &features, chosen);
    wish.requiredFeatures = chosen;
    wish.requiredLimits = desc->limits;
    wish.deviceLostCallbackInfo = desc->lost;
    wish.uncapturedErrorCallbackInfo = desc->uncaptured;
    DeviceAnswer answer = {.arena = arena, .why = "the device was not opened"};
    WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(lib);
    info.callback = on_device;
    info.userdata1 = &answer;
    WGPUFuture future = lib->procs.AdapterRequestDevice(adapter, &wish, info);
    library_wait(lib, future, &answer.done);
    lib->procs.SupportedFeaturesFreeMembers(features);
    *out = answer.device;
    return answer.device ? NULL : answer.why;
}
