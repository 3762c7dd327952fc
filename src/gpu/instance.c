// SPDX-License-Identifier: Apache-2.0
/*
 * instance.c - the root of everything: what the library can do, and its threads.
 *
 * in     wgpuCreateInstance() and the questions about instances
 * out    an instance; the address of any function
 * knows  the instance features, the extensions of WGSL
 * not    adapters (adapter.c), futures (future.c)
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/core.h"
#include "gpu/gpu_priv.h"

#define MAX_JOBS 8u

/* ---- what an instance can do ---- */

static const WGPUInstanceFeatureName instance_features[] = {
    WGPUInstanceFeatureName_TimedWaitAny,
    WGPUInstanceFeatureName_MultipleDevicesPerAdapter,
    WGPUInstanceFeatureName_WeftOptions,
};

WGPUBool wgpuHasInstanceFeature(WGPUInstanceFeatureName feature)
{
    for (size_t i = 0; i < COUNTOF(instance_features); i++)
        if (instance_features[i] == feature)
            return WGPU_TRUE;
    return WGPU_FALSE;
}

void wgpuGetInstanceFeatures(WGPUSupportedInstanceFeatures *features)
{
    if (!features)
        return;
    *features = (WGPUSupportedInstanceFeatures){0};
    WGPUInstanceFeatureName *list = malloc(sizeof instance_features);
    if (!list)
        return;
    memcpy(list, instance_features, sizeof instance_features);
    features->features = list;
    features->featureCount = COUNTOF(instance_features);
}

void wgpuSupportedInstanceFeaturesFreeMembers(
    WGPUSupportedInstanceFeatures supportedInstanceFeatures)
{
    free_const(supportedInstanceFeatures.features);
}

WGPUStatus wgpuGetInstanceLimits(WGPUInstanceLimits *limits)
{
    if (!limits || limits->nextInChain)
        return WGPUStatus_Error;
    limits->timedWaitAnyMaxCount = MAX_TIMED_WAIT;
    return WGPUStatus_Success;
}

/* ---- extensions of WGSL ---- */

static const struct {
    WGPUWGSLLanguageFeatureName feature;
    const char                 *name;
} language_features[] = {
#define FEATURE(api, wgsl) {WGPUWGSLLanguageFeatureName_##api, #wgsl}
    FEATURE(ReadonlyAndReadwriteStorageTextures, readonly_and_readwrite_storage_textures),
    FEATURE(Packed4x8IntegerDotProduct, packed_4x8_integer_dot_product),
    FEATURE(UnrestrictedPointerParameters, unrestricted_pointer_parameters),
    FEATURE(PointerCompositeAccess, pointer_composite_access),
    FEATURE(UniformBufferStandardLayout, uniform_buffer_standard_layout),
    FEATURE(SubgroupId, subgroup_id),
    FEATURE(TextureAndSamplerLet, texture_and_sampler_let),
    FEATURE(SubgroupUniformity, subgroup_uniformity),
    FEATURE(TextureFormatsTier1, texture_formats_tier1),
    FEATURE(LinearIndexing, linear_indexing),
    FEATURE(ImmediateAddressSpace, immediate_address_space),
    FEATURE(WeftFragmentDepth, fragment_depth),
    FEATURE(WeftBufferView, buffer_view),
#undef FEATURE
};

/* The checker decides what there is. */
static bool language_has(const char *name)
{
    const char *there;
    for (uint32_t i = 0; (there = weft_wgsl_language_name(i)); i++)
        if (strcmp(there, name) == 0)
            return true;
    return false;
}

WGPUBool wgpuInstanceHasWGSLLanguageFeature(WGPUInstance instance,
                                            WGPUWGSLLanguageFeatureName feature)
{
    (void)instance;
    for (size_t i = 0; i < COUNTOF(language_features); i++)
        if (language_features[i].feature == feature)
            return language_has(language_features[i].name);
    return WGPU_FALSE;
}

void wgpuInstanceGetWGSLLanguageFeatures(WGPUInstance instance,
                                         WGPUSupportedWGSLLanguageFeatures *features)
{
    (void)instance;
    if (!features)
        return;
    *features = (WGPUSupportedWGSLLanguageFeatures){0};
    WGPUWGSLLanguageFeatureName *list =
        calloc(COUNTOF(language_features), sizeof *list);
    if (!list)
        return;
    for (size_t i = 0; i < COUNTOF(language_features); i++)
        if (language_has(language_features[i].name))
            list[features->featureCount++] = language_features[i].feature;
    features->features = list;
}

void wgpuSupportedWGSLLanguageFeaturesFreeMembers(
    WGPUSupportedWGSLLanguageFeatures supportedWGSLLanguageFeatures)
{
    free_const(supportedWGSLLanguageFeatures.features);
}

/* ---- making one ---- */

static const char *features_fault(Fault *f, const WGPUInstanceDescriptor *d)
{
    if (d->requiredFeatureCount && !d->requiredFeatures)
        return fault(f, "requiredFeatures is NULL with a count of %zu",
                     d->requiredFeatureCount);
    for (size_t i = 0; i < d->requiredFeatureCount; i++) {
        if (d->requiredFeatures[i] == WGPUInstanceFeatureName_ShaderSourceSPIRV)
            return fault(f, "the instance feature ShaderSourceSPIRV is not there: shader "
                            "modules are WGSL");
        if (!wgpuHasInstanceFeature(d->requiredFeatures[i]))
            return fault(f, "the instance feature 0x%x is not there",
                         (unsigned)d->requiredFeatures[i]);
    }
    return NULL;
}

static const char *instance_limits_fault(Fault *f, const WGPUInstanceLimits *wish)
{
    if (!wish)
        return NULL;
    if (chain_none_fault(f, "WGPUInstanceLimits", wish->nextInChain))
        return f->text;
    if (wish->timedWaitAnyMaxCount > MAX_TIMED_WAIT)
        return fault(f, "timedWaitAnyMaxCount %zu is above the most there is, %u",
                     wish->timedWaitAnyMaxCount, MAX_TIMED_WAIT);
    return NULL;
}

static const char *weft_options_fault(Fault *f, const WGPUWeftInstanceOptions *weft)
{
    if (!weft)
        return NULL;
    if (weft->cacheMode != WGPUWeftCacheMode_Default
        && weft->cacheMode != WGPUWeftCacheMode_Memory
        && weft->cacheMode != WGPUWeftCacheMode_Off)
        return fault(f, "cacheMode %u is not one there is", (unsigned)weft->cacheMode);
    return view_fault(f, "cacheDirectory", weft->cacheDirectory);
}

static const char *descriptor_fault(Fault *f, const WGPUInstanceDescriptor *d,
                                    const WGPUWeftInstanceOptions *weft)
{
    if (features_fault(f, d) || instance_limits_fault(f, d->requiredLimits)
        || weft_options_fault(f, weft))
        return f->text;
    return NULL;
}

static bool asks_for(const WGPUInstanceDescriptor *d, WGPUInstanceFeatureName feature)
{
    for (size_t i = 0; i < d->requiredFeatureCount; i++)
        if (d->requiredFeatures[i] == feature)
            return true;
    return false;
}

static char *text_of(WGPUStringView s)
{
    View v;
    if (!view_of(s, &v) || v.len == 0)
        return NULL;
    char *text = malloc(v.len + 1);
    if (text) {
        memcpy(text, v.data, v.len);
        text[v.len] = '\0';
    }
    return text;
}

static void instance_free(Object *o)
{
    WGPUInstance instance = (WGPUInstance)o;
    tasks_fini(&instance->events);
    tasks_fini(&instance->jobs);
    futures_fini(&instance->futures);
    free(instance->cache_folder);
}

static const ObjectClass instance_class = {"instance", instance_free};

static void log_to_stderr(WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata1, (void)userdata2;
    fprintf(stderr, "weft: %.*s\n", (int)message.length, message.data);
}

/* For programs that listen to nothing, if their user asks for it. */
static WGPUWeftLogCallback log_of_the_user(void)
{
    const char *word = getenv("WEFT_LOG");
    return word && strcmp(word, "1") == 0 ? log_to_stderr : NULL;
}

static void log_text(const WGPUWeftInstanceOptions *weft, const char *text)
{
    WGPUWeftLogCallback log = log_of_the_user();
    if (weft && weft->logCallback)
        weft->logCallback(string_view(text), weft->logUserdata1, weft->logUserdata2);
    else if (log)
        log(string_view(text), NULL, NULL);
}

static void take_weft_options(WGPUInstance instance, const WGPUWeftInstanceOptions *weft)
{
    if (!weft || !weft->logCallback)
        instance->log = log_of_the_user();
    if (!weft)
        return;
    instance->cache_mode = weft->cacheMode;
    instance->cache_folder = text_of(weft->cacheDirectory);
    if (weft->logCallback)
        instance->log = weft->logCallback;
    instance->log_userdata1 = weft->logUserdata1;
    instance->log_userdata2 = weft->logUserdata2;
}

WGPUInstance instance_create(const WGPUInstanceDescriptor *descriptor,
                             const GpuBackend *const *backends)
{
    static const WGPUSType allowed[] = {WGPUSType_WeftInstanceOptions, STYPE_DAWN_TOGGLES};
    const WGPUInstanceDescriptor d =
        descriptor ? *descriptor : (WGPUInstanceDescriptor)WGPU_INSTANCE_DESCRIPTOR_INIT;
    const WGPUChainedStruct *found[COUNTOF(allowed)];
    Fault       f;
    const char *why = chain_fault(&f, "WGPUInstanceDescriptor", d.nextInChain, allowed,
                                  COUNTOF(allowed), found);
    const WGPUWeftInstanceOptions *weft = (const WGPUWeftInstanceOptions *)found[0];
    if (!why)
        why = descriptor_fault(&f, &d, weft);
    if (why) {
        log_text(weft, why);
        return NULL;
    }
    WGPUInstance instance = object_new(&instance_class, sizeof *instance, NULL,
                                       (WGPUStringView){0});
    if (!instance)
        return NULL;
    atomic_init(&instance->external, 1);
    instance->backends = backends;
    instance->timed_wait = asks_for(&d, WGPUInstanceFeatureName_TimedWaitAny);
    instance->many_devices =
        asks_for(&d, WGPUInstanceFeatureName_MultipleDevicesPerAdapter);
    take_weft_options(instance, weft);
    futures_init(&instance->futures);
    tasks_init(&instance->events, 1);
    tasks_init(&instance->jobs, MIN_OF(core_useful_count(), MAX_JOBS));
    return instance;
}

WGPUInstance wgpuCreateInstance(const WGPUInstanceDescriptor *descriptor)
{
    return instance_create(descriptor, gpu_backends);
}

void wgpuInstanceAddRef(WGPUInstance instance)
{
    if (instance)
        atomic_fetch_add_explicit(&instance->external, 1, memory_order_relaxed);
}

void wgpuInstanceRelease(WGPUInstance instance)
{
    if (!instance
        || atomic_fetch_sub_explicit(&instance->external, 1, memory_order_acq_rel) != 1)
        return;
    futures_close(instance);
    object_unref(&instance->base);
}

/* ---- messages that have nowhere else to go ---- */

void instance_log(WGPUInstance instance, const char *fmt, ...)
{
    if (!instance->log)
        return;
    char    text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    instance->log(string_view(text), instance->log_userdata1, instance->log_userdata2);
}

bool callback_is_usable(WGPUInstance instance, const char *function,
                        WGPUCallbackMode mode, bool has_callback)
{
    if (!has_callback)
        instance_log(instance, "%s: the callback is NULL", function);
    else if (!mode_is_valid(mode))
        instance_log(instance, "%s: the callback mode %u is not one there is", function,
                     (unsigned)mode);
    else
        return true;
    return false;
}
