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

/* ---- what there is ---- */

typedef struct Candidate {
    const GpuBackend *backend;
    GpuAdapter       *gpu;
    GpuAdapterInfo    info;
    Limits            limits;
} Candidate;

#define MAX_CANDIDATES 64u

typedef struct Candidates {
    Candidate *list;                    /* malloc'ed; best first                  */
    uint32_t   count;
    Fault      left_out;                /* which WebGPU cannot use, and why       */
} Candidates;

/* A GPU comes first, then the CPU device, then other software: ours is faster. Less is
 * better. */
static int rank_of(WGPUPowerPreference power, GpuAdapterKind kind)
{
    bool frugal = power == WGPUPowerPreference_LowPower;
    switch (kind) {
    case GPU_DISCRETE:   return frugal ? 1 : 0;
    case GPU_INTEGRATED: return frugal ? 0 : 1;
    case GPU_CPU:        return 2;
    case GPU_SOFTWARE:   return 3;
    }
    return 4;
}

/* What is equal stays in the order of the backends. */
static void add_candidate(Candidates *all, const Candidate *c, WGPUPowerPreference power)
{
    uint32_t at = all->count++;
    while (at > 0 && rank_of(power, all->list[at - 1].info.kind) > rank_of(power, c->info.kind)) {
        all->list[at] = all->list[at - 1];
        at--;
    }
    all->list[at] = *c;
}

static void leave_out(Candidates *all, const Candidate *c, const char *why)
{
    Fault before = all->left_out;
    fault(&all->left_out, "%s%s'%s' (%s)", before.text, before.text[0] ? ", " : "",
          c->info.device, why);
}

/* All adapters that WebGPU can use. `quick`: without backends that have nothing better
 * than the CPU. */
static void find_candidates(Candidates *all, WGPUInstance instance, WGPUPowerPreference power,
                            bool quick)
{
    *all = (Candidates){.list = calloc(MAX_CANDIDATES, sizeof *all->list)};
    for (const GpuBackend *const *b = instance->backends; all->list && *b; b++) {
        if (quick && (*b)->has_hardware && !(*b)->has_hardware())
            continue;
        Candidate c = {.backend = *b};
        for (uint32_t i = 0; all->count < MAX_CANDIDATES && (c.gpu = (*b)->adapter(i)); i++) {
            c.info = (GpuAdapterInfo){0};
            (*b)->adapter_info(c.gpu, &c.info);
            Fault       f;
            const char *why = c.info.unfit;
            if (!why)
                why = limits_of_adapter(&f, &c.limits, &c.info.limits);
            if (why)
                leave_out(all, &c, why);
            else
                add_candidate(all, &c, power);
        }
    }
}

/* ---- choosing ---- */

typedef struct Wishes {
    const WGPURequestAdapterOptions *options;
    WGPUBackendType backend;            /* Undefined: any                         */
    View name;                          /* of the program; empty: any             */
    View word;                          /* WEFT_ADAPTER; empty: any               */
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

/* Is the word this one? */
static bool is_word(View word, const char *text)
{
    return word.len == strlen(text) && contains(text, word);
}

/* The place in the list that a number means, if it is one there is. */
static bool is_index(View word, uint32_t count, uint32_t *index)
{
    uint32_t n = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9' || n >= count)
            return false;
        n = n * 10 + (uint32_t)(word.data[i] - '0');
    }
    *index = n;
    return word.len > 0 && n < count;
}

/* Does a word mean this candidate? A kind of device, a place in the list, or a part of a
 * name; with # before it, a place alone. */
static bool means(View word, const Candidates *all, const Candidate *c)
{
    uint32_t index;
    if (word.len == 0)
        return true;
    if (word.data[0] == '#')
        return is_index((View){word.data + 1, word.len - 1}, all->count, &index)
               && c == &all->list[index];
    if (is_word(word, "cpu"))
        return c->info.kind == GPU_CPU;
    if (is_word(word, "gpu"))
        return c->info.kind == GPU_DISCRETE || c->info.kind == GPU_INTEGRATED;
    if (is_word(word, c->backend->name))
        return true;
    if (is_index(word, all->count, &index))
        return c == &all->list[index];
    return contains(c->info.device, word) || contains(c->info.description, word);
}

static bool fits(const Wishes *w, const Candidates *all, const Candidate *c)
{
    bool fallback = c->info.kind == GPU_CPU || c->info.kind == GPU_SOFTWARE;
    return (w->backend == WGPUBackendType_Undefined || w->backend == backend_type(c->backend))
           && (!w->options->forceFallbackAdapter || fallback)
           && means(w->name, all, c) && means(w->word, all, c);
}

static void adapter_free(Object *o)
{
    object_unref(&((WGPUAdapter)o)->instance->base);
}

static const ObjectClass adapter_class = {"adapter", adapter_free};

static WGPUAdapter adapter_new(WGPUInstance instance, const Candidate *c)
{
    WGPUAdapter a = object_new(&adapter_class, sizeof *a, NULL, (WGPUStringView){0});
    if (!a)
        return NULL;
    a->instance = instance;
    a->backend = c->backend;
    a->gpu = c->gpu;
    a->info = c->info;
    a->limits = c->limits;
    a->features = features_of_adapter(&c->info);
    object_ref(&instance->base);
    return a;
}

/* A request without a backend, or for the CPU, does not load other drivers. */
static bool is_quick(const Wishes *w)
{
    return (w->backend == WGPUBackendType_Undefined || w->backend == WGPUBackendType_WeftCPU)
           && w->name.len == 0 && (w->word.len == 0 || is_word(w->word, "cpu"));
}

static WGPUAdapter choose(WGPUInstance instance, const Wishes *w, Fault *left_out)
{
    Candidates  all;
    WGPUAdapter adapter = NULL;
    find_candidates(&all, instance, w->options->powerPreference, is_quick(w));
    for (uint32_t i = 0; i < all.count && !adapter; i++)
        if (fits(w, &all, &all.list[i]))
            adapter = adapter_new(instance, &all.list[i]);
    free(all.list);
    *left_out = all.left_out;
    return adapter;
}

/* ---- requesting ---- */

enum { CHAIN_WEFT, CHAIN_XR, CHAIN_TOGGLES };

static const WGPUSType options_chain[] = {
    [CHAIN_WEFT] = WGPUSType_WeftRequestAdapterOptions,
    [CHAIN_XR] = WGPUSType_RequestAdapterWebXROptions,
    [CHAIN_TOGGLES] = STYPE_DAWN_TOGGLES,
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

/* What the program asks for, and the user. Programs ask for the API of a GPU from habit,
 * whatever machine they come to, so the user's word wins over that; it does not win over
 * what is asked of Weft itself. */
static Wishes wishes_of(const WGPURequestAdapterOptions *o, const WGPUChainedStruct **found)
{
    Wishes      w = {.options = o, .backend = o->backendType};
    const char *word = getenv("WEFT_ADAPTER");
    if (found[CHAIN_WEFT])
        view_of(((const WGPUWeftRequestAdapterOptions *)found[CHAIN_WEFT])->name, &w.name);
    if (word && *word && w.name.len == 0 && !o->forceFallbackAdapter
        && o->backendType != WGPUBackendType_WeftCPU) {
        w.word = (View){word, strlen(word)};
        w.backend = WGPUBackendType_Undefined;
    }
    return w;
}

static void unavailable(Fault *f, const Wishes *w, const Fault *left_out)
{
    const char *also = left_out->text[0] ? "; left out: " : "";
    if (w->word.len)
        fault(f, "no adapter of this machine meets the options and WEFT_ADAPTER=%.*s%s%s",
              VIEW_ARG(w->word), also, left_out->text);
    else if (w->backend != WGPUBackendType_Undefined && w->backend != WGPUBackendType_WeftCPU
             && w->name.len == 0 && !w->options->forceFallbackAdapter)
        fault(f, "no adapter of this machine meets the options; the environment variable "
                 "WEFT_ADAPTER=cpu gives the CPU to programs that ask for another backendType"
                 "%s%s", also, left_out->text);
    else
        fault(f, "no adapter of this machine meets the options%s%s", also, left_out->text);
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
    Fault  left_out;
    Wishes wishes = wishes_of(options, found);
    *adapter = choose(instance, &wishes, &left_out);
    if (*adapter)
        return WGPURequestAdapterStatus_Success;
    unavailable(f, &wishes, &left_out);
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

/* Returns what is wrong; then nothing is written. */
static const char *info_write(Fault *f, const struct WGPUAdapterImpl *a, WGPUAdapterInfo *out)
{
    static const WGPUSType more[] = {WGPUSType_WeftAdapterInfo};
    const WGPUChainedStruct *found[1];
    if (!out)
        return "the info is NULL";
    if (chain_fault(f, "WGPUAdapterInfo", out->nextInChain, more, 1, found))
        return f->text;
    const GpuAdapterInfo *info = &a->info;
    WGPUAdapterInfo result = {
        .nextInChain = out->nextInChain,
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
        return "out of memory";
    }
    *out = result;
    if (out->nextInChain) {             /* the only one there may be */
        WGPUWeftAdapterInfo *weft = (WGPUWeftAdapterInfo *)out->nextInChain;
        weft->driver = string_view(info->driver);
        weft->memory = info->memory;
    }
    return NULL;
}

static WGPUStatus status_of(WGPUInstance instance, const char *function, const char *why)
{
    if (why)
        instance_log(instance, "%s: %s", function, why);
    return why ? WGPUStatus_Error : WGPUStatus_Success;
}

WGPUStatus adapter_info_get(const struct WGPUAdapterImpl *a, const char *function,
                            WGPUAdapterInfo *out)
{
    Fault f;
    return status_of(a->instance, function, info_write(&f, a, out));
}

WGPUStatus limits_get(WGPUInstance instance, const char *function, const Limits *limits,
                      WGPULimits *out)
{
    Fault f;
    return status_of(instance, function, limits_write(&f, limits, out));
}

WGPUStatus wgpuAdapterGetInfo(WGPUAdapter adapter, WGPUAdapterInfo *info)
{
    return adapter ? adapter_info_get(adapter, "GetInfo", info) : WGPUStatus_Error;
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
    return adapter ? limits_get(adapter->instance, "GetLimits", &adapter->limits, limits)
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
