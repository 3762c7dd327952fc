// SPDX-License-Identifier: Apache-2.0
/*
 * library.c - where the functions of webgpu.h come from, and how to wait for a future.
 *
 * in     a path, the environment variable WEFT_WEBGPU
 * out    functions and an instance: of Weft's own library, or of the one that is named
 * knows  that libraries may lack functions and timed waits
 * not    dynamic linking (platform.c), adapters (adapter.c)
 */
#include "context/library.h"

#include <string.h>

#include "context/platform_priv.h"

/* ---- functions ---- */

static const Procs own = {
#define X(name) .name = wgpu##name,
    LIBRARY_PROCS(X)
    LIBRARY_OPTIONAL_PROCS(X)
#undef X
};

/* By the linker, so that a library may stand before another one and replace some of its
 * functions; else by wgpuGetProcAddress(). NULL if neither has it. */
static WGPUProc find_proc(void *handle, WGPUProcGetProcAddress get, const char *name)
{
    WGPUProc proc = platform_library_symbol(handle, name);
    return proc || !get ? proc : get((WGPUStringView){name, strlen(name)});
}

static WGPUProcGetProcAddress find_getter(void *handle)
{
    return (WGPUProcGetProcAddress)find_proc(handle, NULL, "wgpuGetProcAddress");
}

static const char *load_procs(Library *lib, Arena *arena, const char *path)
{
    WGPUProc found = NULL;
    const char *why = NULL;
    lib->handle = platform_library_open(path, &why);
    if (!lib->handle)
        return arena_printf(arena, "WEFT_WEBGPU: %s", why);
    WGPUProcGetProcAddress get = find_getter(lib->handle);
#define X(name)                                                                     \
    found = find_proc(lib->handle, get, "wgpu" #name);                              \
    if (!found)                                                                     \
        return arena_printf(arena, "WEFT_WEBGPU: %s has no wgpu" #name, path);      \
    lib->procs.name = (WGPUProc##name)found;
    LIBRARY_PROCS(X)
#undef X
#define X(name)                                                                     \
    found = find_proc(lib->handle, get, "wgpu" #name);                              \
    lib->procs.name = (WGPUProc##name)found;
    LIBRARY_OPTIONAL_PROCS(X)
#undef X
    return NULL;
}

WGPUProc library_proc(const Library *lib, const char *name)
{
    WGPUProcGetProcAddress get = lib->handle ? find_getter(lib->handle) : wgpuGetProcAddress;
    if (strncmp(name, "wgpu", 4) != 0)
        return NULL;
    if (!lib->handle)
        return get((WGPUStringView){name, strlen(name)});
    return find_proc(lib->handle, get, name);
}

/* ---- the instance ---- */

static const char *make_instance(Library *lib, const LibraryDesc *desc)
{
    static const WGPUInstanceFeatureName wait = WGPUInstanceFeatureName_TimedWaitAny;
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    WGPUInstanceLimits      limits = WGPU_INSTANCE_LIMITS_INIT;
    WGPUInstanceDescriptor  wish = WGPU_INSTANCE_DESCRIPTOR_INIT;
    lib->can_wait = lib->procs.HasInstanceFeature(wait);
    lib->has_options = lib->procs.HasInstanceFeature(WGPUInstanceFeatureName_WeftOptions);
    options.cacheMode = desc->no_cache ? WGPUWeftCacheMode_Off : WGPUWeftCacheMode_Default;
    limits.timedWaitAnyMaxCount = 1;
    if (lib->has_options)
        wish.nextInChain = &options.chain;
    if (lib->can_wait) {
        wish.requiredFeatureCount = 1;
        wish.requiredFeatures = &wait;
        wish.requiredLimits = &limits;
    }
    lib->instance = lib->procs.CreateInstance(&wish);
    return lib->instance ? NULL : "the library gives no instance";
}

const char *library_path(const char *wish)
{
    const char *path = wish ? wish : platform_env("WEFT_WEBGPU");
    return path && *path && strcmp(path, "weft") != 0 ? path : NULL;
}

const char *library_open(Library *lib, Arena *arena, const LibraryDesc *desc)
{
    const char *path = library_path(desc->path), *why = NULL;
    *lib = (Library){.procs = own};
    if (path)
        why = load_procs(lib, arena, path);
    return why ? why : make_instance(lib, desc);
}

void library_close(Library *lib)
{
    if (lib->instance)
        lib->procs.InstanceRelease(lib->instance);
    *lib = (Library){0};
}

/* ---- waiting ---- */

WGPUCallbackMode library_callback_mode(const Library *lib)
{
    return lib->can_wait ? WGPUCallbackMode_WaitAnyOnly : WGPUCallbackMode_AllowProcessEvents;
}

/* Libraries that cannot wait are asked again and again, less often with time. */
static void poll_until(const Library *lib, const bool *done)
{
    uint64_t pause = 1000;              /* nanoseconds */
    for (;;) {
        lib->procs.InstanceProcessEvents(lib->instance);
        if (*done)
            return;
        platform_sleep(pause);
        pause = MIN_OF(pause * 5 / 4, 1000000);
    }
}

void library_wait(const Library *lib, WGPUFuture future, const bool *done)
{
    WGPUFutureWaitInfo wait = {.future = future};
    while (lib->can_wait && !*done)
        if (lib->procs.InstanceWaitAny(lib->instance, 1, &wait, UINT64_MAX)
            == WGPUWaitStatus_Error)
            return;
    if (!*done)
        poll_until(lib, done);
}
