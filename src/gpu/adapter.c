// SPDX-License-Identifier: Apache-2.0
/*
 * adapter.c - what the machine offers: finding an adapter, describing it.
 *
 * in     wgpuInstanceRequestAdapter() with its wishes
 * out    an adapter; its info, limits and features
 * knows  how kinds of devices are preferred
 * not    devices (device.c)
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

/* ---- kinds ---- */

static const struct {
    const char     *backend;
    WGPUBackendType type;
} backend_types[] = {
    {"cpu", WGPUBackendType_WeftCPU},
    {"vulkan", WGPUBackendType_Vulkan},
    {"null", WGPUBackendType_Null},
};

static WGPUBackendType backend_type(const GpuBackend *backend)
{
    for (size_t i = 0; i < COUNTOF(backend_types); i++)
        if (strcmp(backend->name, backend_types[i].backend) == 0)
            return backend_types[i].type;
    return WGPUBackendType_Undefined;
}

static const WGPUAdapterType adapter_types[] = {
    [GPU_CPU] = WGPUAdapterType_CPU,
    [GPU_DISCRETE] = WGPUAdapterType_DiscreteGPU,
    [GPU_INTEGRATED] = WGPUAdapterType_IntegratedGPU,
    [GPU_SOFTWARE] = WGPUAdapterType_CPU,
};

/* ---- choosing ---- */

typedef struct Wishes {
    const WGPURequestAdapterOptions *options;
    View name;                          /* empty: any */
} Wishes;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, View part)
{
    for (; text; text++) {
        size_t i = 0;
        while (i < part.len && text[i] && lower(text[i]) == lower(part.data[i]))
            i++;
        if (i == part.len)
            return true;
        if (!*text)
            return false;
    }
    return part.len == 0;
}

static bool fits(const Wishes *w, const GpuBackend *backend, const GpuAdapterInfo *info)
{
    WGPUBackendType type = w->options->backendType;
    bool fallback = info->kind == GPU_CPU || info->kind == GPU_SOFTWARE;
    return (type == WGPUBackendType_Undefined || type == backend_type(backend))
           && (!w->options->forceFallbackAdapter || fallback)
           && (contains(info->device, w->name) || contains(info->description, w->name));
}

/* Higher is better; what is equal stays in the order of the backends. */
static int preference(WGPUPowerPreference power, GpuAdapterKind kind)
{
    if (power == WGPUPowerPreference_HighPerformance)
        return kind == GPU_DISCRETE ? 2 : kind == GPU_INTEGRATED ? 1 : 0;
    if (power == WGPUPowerPreference_LowPower)
        return kind == GPU_INTEGRATED ? 1 : kind == GPU_DISCRETE ? -1 : 0;
    return 0;
}

static void adapter_free(Object *o)
{
    object_unref(&((WGPUAdapter)o)->instance->base);
}

static const ObjectClass adapter_class = {"adapter", adapter_free};

static WGPUAdapter adapter_new(WGPUInstance instance, const GpuBackend *backend,
                               GpuAdapter *gpu, const GpuAdapterInfo *info,
                               const Limits *limits)
{
    WGPUAdapter a = object_new(&adapter_class, sizeof *a, NULL, (WGPUStringView){0});
    if (!a)
        return NULL;
    a->instance = instance;
    a->backend = backend;
    a->gpu = gpu;
    a->info = *info;
    a->limits = *limits;
    a->features = features_of_adapter(info);
    object_ref(&instance->base);
    return a;
}

static WGPUAdapter choose(WGPUInstance instance, const Wishes *wishes)
{
    const GpuBackend *best = NULL;
    GpuAdapter       *best_gpu = NULL;
    GpuAdapterInfo    best_info = {0};
    Limits            best_limits = {0};
    int               best_score = 0;
    for (const GpuBackend *const *b = instance->backends; *b; b++) {
        GpuAdapter *gpu;
        for (uint32_t i = 0; (gpu = (*b)->adapter(i)); i++) {
            GpuAdapterInfo info = {0};
            Limits         limits;
            (*b)->adapter_info(gpu, &info);
            int score = preference(wishes->options->powerPreference, info.kind);
            if (!fits(wishes, *b, &info) || !limits_of_adapter(&limits, &info.limits)
                || (best && score <= best_score))
                continue;
            best = *b;
            best_gpu = gpu;
            best_info = info;
            best_limits = limits;
            best_score = score;
        }
    }
    return best ? adapter_new(instance, best, best_gpu, &best_info, &best_limits) : NULL;
}

/* ---- requesting ---- */

enum { CHAIN_WEFT, CHAIN_XR };

static const WGPUSType options_chain[] = {
    [CHAIN_WEFT] = WGPUSType_WeftRequestAdapterOptions,
    [CHAIN_XR] = WGPUSType_RequestAdapterWebXROptions,
};

/* What is wrong with the options, whatever the machine has. */
static const char *options_fault(Fault *f, const WGPURequestAdapterOptions *o,
                                 const WGPUChainedStruct **found)
{
    if (chain_fault(f, "WGPURequestAdapterOptions", o->nextInChain, options_chain,
                    COUNTOF(options_chain), found))
        return f->text;
    if (o->featureLevel != WGPUFeatureLevel_Undefined
        && o->featureLevel != WGPUFeatureLevel_Compatibility
        && o->featureLevel != WGPUFeatureLevel_Core)
        return fault(f, "featureLevel %u is not one there is", (unsigned)o->featureLevel);
    if (o->powerPreference != WGPUPowerPreference_Undefined
        && o->powerPreference != WGPUPowerPreference_LowPower
        && o->powerPreference != WGPUPowerPreference_HighPerformance)
        return fault(f, "powerPreference %u is not one there is",
                     (unsigned)o->powerPreference);
    if (o->backendType != WGPUBackendType_WeftCPU
        && (unsigned)o->backendType > WGPUBackendType_OpenGLES)
        return fault(f, "backendType 0x%x is not one there is", (unsigned)o->backendType);
    if (found[CHAIN_WEFT])
        return view_fault(f, "the name in WGPUWeftRequestAdapterOptions",
                          ((const WGPUWeftRequestAdapterOptions *)found[CHAIN_WEFT])->name);
    return NULL;
}

/* What no machine has, or NULL. */
static const char *never(const WGPURequestAdapterOptions *o,
                         const WGPUChainedStruct **found)
{
    const WGPURequestAdapterWebXROptions *xr =
        (const WGPURequestAdapterWebXROptions *)found[CHAIN_XR];
    if (o->compatibleSurface)
        return "Weft has no surfaces, so no adapter is compatible with one";
    if (xr && xr->xrCompatible)
        return "Weft has no adapter for XR";
    return NULL;
}

static void fire_adapter(Future *f, bool cancelled)
{
    WGPUAdapter adapter = cancelled ? NULL : (WGPUAdapter)f->object;
    if (!cancelled)
        f->object = NULL;               /* the callback owns it now */
    f->callback.adapter(cancelled ? WGPURequestAdapterStatus_CallbackCancelled
                                  : (WGPURequestAdapterStatus)f->status,
                        adapter, cancelled ? string_view("the instance was released first")
                                           : future_message(f),
                        f->userdata1, f->userdata2);
}

/* Sets the outcome: status, and a message unless it is Success. */
static WGPURequestAdapterStatus find_adapter(WGPUInstance instance,
                                             const WGPURequestAdapterOptions *options,
                                             const WGPUChainedStruct *info_chain,
                                             WGPUAdapter *adapter, Fault *f)
{
    const WGPUChainedStruct *found[COUNTOF(options_chain)];
    const char *why;
    if (options_fault(f, options, found)
        || chain_none_fault(f, "WGPURequestAdapterCallbackInfo", info_chain))
        return WGPURequestAdapterStatus_Error;
    if ((why = never(options, found))) {
        fault(f, "%s", why);
        return WGPURequestAdapterStatus_Unavailable;
    }
    Wishes wishes = {.options = options};
    if (found[CHAIN_WEFT])
        view_of(((const WGPUWeftRequestAdapterOptions *)found[CHAIN_WEFT])->name,
                &wishes.name);
    *adapter = choose(instance, &wishes);
    if (*adapter)
        return WGPURequestAdapterStatus_Success;
    fault(f, "no adapter of this machine meets the options");
    return WGPURequestAdapterStatus_Unavailable;
}

WGPUFuture wgpuInstanceRequestAdapter(WGPUInstance instance,
                                      const WGPURequestAdapterOptions *options,
                                      WGPURequestAdapterCallbackInfo callbackInfo)
{
    static const WGPURequestAdapterOptions defaults = {0};
    if (!instance
        || !callback_is_usable(instance, "RequestAdapter", callbackInfo.mode,
                               callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(instance, callbackInfo.mode, fire_adapter);
    if (!f)
        return (WGPUFuture){0};
    f->callback.adapter = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    Fault       why;
    WGPUAdapter adapter = NULL;
    WGPURequestAdapterStatus status =
        find_adapter(instance, options ? options : &defaults, callbackInfo.nextInChain,
                     &adapter, &why);
    f->object = adapter ? &adapter->base : NULL;
    WGPUFuture id = future_track(f);
    future_ready(f, (int)status,
                 status == WGPURequestAdapterStatus_Success ? NULL : why.text);
    future_settle(f);
    future_unref(f);
    return id;
}

/* ---- describing ---- */

/* A copy for the caller; false: no memory. */
static bool copy_string(WGPUStringView *out, const char *text)
{
    char *copy = strdup(text ? text : "");
    *out = string_view(copy);
    return copy != NULL;
}

bool adapter_info_write(const struct WGPUAdapterImpl *a, WGPUAdapterInfo *out)
{
    if (!out || out->nextInChain)
        return false;
    const GpuAdapterInfo *info = &a->info;
    WGPUAdapterInfo result = {
        .backendType = backend_type(a->backend),
        .adapterType = adapter_types[info->kind],
        .vendorID = info->vendor_id,
        .deviceID = info->device_id,
        .subgroupMinSize = info->has_subgroups ? info->subgroup_min : 4,
        .subgroupMaxSize = info->has_subgroups ? info->subgroup_max : 128,
    };
    bool ok = copy_string(&result.vendor, info->vendor);
    ok = copy_string(&result.architecture, info->architecture) && ok;
    ok = copy_string(&result.device, info->device) && ok;
    ok = copy_string(&result.description, info->description) && ok;
    if (!ok) {
        wgpuAdapterInfoFreeMembers(result);
        return false;
    }
    *out = result;
    return true;
}

WGPUStatus wgpuAdapterGetInfo(WGPUAdapter adapter, WGPUAdapterInfo *info)
{
    return adapter && adapter_info_write(adapter, info) ? WGPUStatus_Success
                                                        : WGPUStatus_Error;
}

void wgpuAdapterInfoFreeMembers(WGPUAdapterInfo adapterInfo)
{
    free_const(adapterInfo.vendor.data);
    free_const(adapterInfo.architecture.data);
    free_const(adapterInfo.device.data);
    free_const(adapterInfo.description.data);
}

WGPUStatus wgpuAdapterGetLimits(WGPUAdapter adapter, WGPULimits *limits)
{
    return adapter && limits_write(&adapter->limits, limits) ? WGPUStatus_Success
                                                             : WGPUStatus_Error;
}

void wgpuAdapterGetFeatures(WGPUAdapter adapter, WGPUSupportedFeatures *features)
{
    if (adapter && features)
        features_write(adapter->features, features);
}

WGPUBool wgpuAdapterHasFeature(WGPUAdapter adapter, WGPUFeatureName feature)
{
    uint32_t bits = feature_bits(feature);
    return adapter && bits && (adapter->features & bits) == bits;
}

void wgpuAdapterAddRef(WGPUAdapter adapter)
{
    if (adapter)
        object_ref(&adapter->base);
}

void wgpuAdapterRelease(WGPUAdapter adapter)
{
    if (adapter)
        object_unref(&adapter->base);
}
