// SPDX-License-Identifier: Apache-2.0
/*
 * today.c - today's webgpu.h on the Dawn of bun-webgpu-linux-x64, which has an older one.
 *
 * in     calls of today's header, by programs that are linked with another library
 * out    the calls that this Dawn knows
 * knows  what has changed since: features have other numbers, instances another
 *        descriptor, limits more members
 * not    rendering
 *
 * Loaded before Dawn (examples/c/on today.so:dawn.so PROGRAM).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include <webgpu/webgpu.h>

/* The function of that name in the library behind this one. */
#define NEXT(name)                                                  \
    static WGPUProc##name next;                                     \
    do {                                                            \
        void *found = next ? NULL : dlsym(RTLD_NEXT, "wgpu" #name); \
        if (found)                                                  \
            memcpy(&next, &found, sizeof next);                     \
    } while (0)

/* ---- instances ---- */

typedef struct OldInstance {
    void *chain;
    struct {
        void    *chain;
        WGPUBool timed_wait;
        size_t   timed_wait_count;
    } capabilities;
} OldInstance;

WGPUBool wgpuHasInstanceFeature(WGPUInstanceFeatureName feature)
{
    return feature == WGPUInstanceFeatureName_TimedWaitAny;
}

WGPUInstance wgpuCreateInstance(const WGPUInstanceDescriptor *descriptor)
{
    NEXT(CreateInstance);
    OldInstance old = {0};
    for (size_t i = 0; descriptor && i < descriptor->requiredFeatureCount; i++)
        if (descriptor->requiredFeatures[i] == WGPUInstanceFeatureName_TimedWaitAny) {
            old.capabilities.timed_wait = 1;
            old.capabilities.timed_wait_count = 64;
        }
    return next((const WGPUInstanceDescriptor *)(const void *)&old);
}

/* ---- limits ---- */

typedef struct OldLimits {
    WGPULimits limits;
    uint32_t   more[8];
} OldLimits;

WGPUStatus wgpuAdapterGetLimits(WGPUAdapter adapter, WGPULimits *limits)
{
    NEXT(AdapterGetLimits);
    OldLimits old;
    memset(&old, 0xff, sizeof old);
    old.limits.nextInChain = limits->nextInChain;
    WGPUStatus status = next(adapter, &old.limits);
    *limits = old.limits;
    return status;
}

WGPUStatus wgpuDeviceGetLimits(WGPUDevice device, WGPULimits *limits)
{
    NEXT(DeviceGetLimits);
    OldLimits old;
    memset(&old, 0xff, sizeof old);
    old.limits.nextInChain = limits->nextInChain;
    WGPUStatus status = next(device, &old.limits);
    *limits = old.limits;
    return status;
}

/* ---- features ---- */

/* CoreFeaturesAndLimits has moved from the end to the front. */
static WGPUFeatureName old_feature(WGPUFeatureName feature)
{
    static const unsigned char first[] = {0, 18, 1, 2, 4, 5, 6, 7, 8, 3};
    unsigned number = (unsigned)feature;
    if (number < sizeof first)
        return (WGPUFeatureName)first[number];
    if (number >= 0x10000)              /* Dawn's own */
        return feature;
    return (WGPUFeatureName)(number <= 18 ? number - 1 : 0x7fff0000u);
}

static WGPUFeatureName new_feature(WGPUFeatureName feature)
{
    for (unsigned number = 1; number <= 18; number++)
        if (old_feature((WGPUFeatureName)number) == feature)
            return (WGPUFeatureName)number;
    return (unsigned)feature >= 0x10000 ? feature : (WGPUFeatureName)0x7fff0000u;
}

void wgpuAdapterGetFeatures(WGPUAdapter adapter, WGPUSupportedFeatures *features)
{
    NEXT(AdapterGetFeatures);
    next(adapter, features);
    WGPUFeatureName *list;
    memcpy(&list, &features->features, sizeof list);
    for (size_t i = 0; i < features->featureCount; i++)
        list[i] = new_feature(list[i]);
}

WGPUBool wgpuAdapterHasFeature(WGPUAdapter adapter, WGPUFeatureName feature)
{
    NEXT(AdapterHasFeature);
    return next(adapter, old_feature(feature));
}

WGPUBool wgpuDeviceHasFeature(WGPUDevice device, WGPUFeatureName feature)
{
    NEXT(DeviceHasFeature);
    return next(device, old_feature(feature));
}

/* Dawn's own: without it a device belongs to one thread, which the header does not say. */
#define DAWN_IMPLICIT_DEVICE_SYNCHRONIZATION ((WGPUFeatureName)0x00050004)

WGPUFuture wgpuAdapterRequestDevice(WGPUAdapter adapter, const WGPUDeviceDescriptor *descriptor,
                                    WGPURequestDeviceCallbackInfo info)
{
    enum { MOST = 128 };
    NEXT(AdapterRequestDevice);
    OldLimits            old;
    WGPUFeatureName      features[MOST + 1];
    WGPUDeviceDescriptor copy = WGPU_DEVICE_DESCRIPTOR_INIT;
    if (descriptor)
        copy = *descriptor;
    if (copy.requiredFeatureCount > MOST)
        return next(adapter, descriptor, info);
    for (size_t i = 0; i < copy.requiredFeatureCount; i++)
        features[i] = old_feature(copy.requiredFeatures[i]);
    features[copy.requiredFeatureCount++] = DAWN_IMPLICIT_DEVICE_SYNCHRONIZATION;
    copy.requiredFeatures = features;
    if (copy.requiredLimits) {
        memset(&old, 0xff, sizeof old);
        old.limits = *copy.requiredLimits;
        copy.requiredLimits = &old.limits;
    }
    return next(adapter, &copy, info);
}
