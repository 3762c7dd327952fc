// SPDX-License-Identifier: Apache-2.0
/*
 * device_load.c - where the functions of webgpu.h come from.
 *
 * in     the environment variable WEFT_WEBGPU
 * out    functions and an instance: of this library, or of the one it names
 * knows  dynamic linking
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cli/device.h"

/* ---- functions ---- */

static const Procs own = {
#define X(name) .name = wgpu##name,
    DEVICE_PROCS(X)
#undef X
};

/* By wgpuGetProcAddress() if it knows the name, by the linker if not: either may lack
 * some. NULL: neither has it. */
static WGPUProc find_proc(void *library, WGPUProcGetProcAddress get, const char *name)
{
    WGPUProc proc = get ? get((WGPUStringView){name, strlen(name)}) : NULL;
    void    *symbol = proc ? NULL : dlsym(library, name);
    if (symbol)
        memcpy(&proc, &symbol, sizeof proc);
    return proc;
}

static const char *load_procs(Device *d, const char *path)
{
    WGPUProc found = NULL;
    d->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!d->library)
        return arena_printf(d->arena, "WEFT_WEBGPU: %s", dlerror());
    found = find_proc(d->library, NULL, "wgpuGetProcAddress");
    WGPUProcGetProcAddress get = (WGPUProcGetProcAddress)found;
#define X(name)                                                                     \
    found = find_proc(d->library, get, "wgpu" #name);                               \
    if (!found)                                                                     \
        return arena_printf(d->arena, "WEFT_WEBGPU: %s has no wgpu" #name, path);   \
    d->procs.name = (WGPUProc##name)found;
    DEVICE_PROCS(X)
#undef X
    return NULL;
}

/* ---- the instance ---- */

static const char *make_instance(Device *d, const DeviceDesc *desc)
{
    static const WGPUInstanceFeatureName wait = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    WGPUInstanceLimits      limits = WGPU_INSTANCE_LIMITS_INIT;
    WGPUInstanceDescriptor  wish = WGPU_INSTANCE_DESCRIPTOR_INIT;
    d->can_wait = d->procs.HasInstanceFeature(wait);
    d->has_options = d->procs.HasInstanceFeature(WGPUInstanceFeatureName_WeftOptions);
    options.cacheMode = desc->no_cache ? WGPUWeftCacheMode_Off : WGPUWeftCacheMode_Default;
    limits.timedWaitAnyMaxCount = 1;
    if (d->has_options)
        wish.nextInChain = &options.chain;
    if (d->can_wait) {
        wish.requiredFeatureCount = 1;
        wish.requiredFeatures = &wait;
        wish.requiredLimits = &limits;
    }
    d->instance = d->procs.CreateInstance(&wish);
    return d->instance ? NULL : "the library gives no instance";
}

const char *device_load(Device *d, Arena *arena, const DeviceDesc *desc)
{
    const char *path = getenv("WEFT_WEBGPU"), *why = NULL;
    *d = (Device){.arena = arena, .procs = own};
    if (path && *path)
        why = load_procs(d, path);
    return why ? why : make_instance(d, desc);
}

void device_close(Device *d)
{
    if (d->queue)
        d->procs.QueueRelease(d->queue);
    if (d->device)
        d->procs.DeviceRelease(d->device);
    if (d->adapter)
        d->procs.AdapterRelease(d->adapter);
    if (d->instance)
        d->procs.InstanceRelease(d->instance);
    /* The library stays: threads of it may still be on their way out. */
    *d = (Device){0};
}
