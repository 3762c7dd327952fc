// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - the device that contexts share: opened once, its loss and errors remembered.
 *
 * in     a context's descriptor
 * out    a counted device with words about it, and why it was chosen
 * knows  the order of preference: hardware GPU, CPU device, software Vulkan driver
 * not    memory budgets, errors of contexts
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

/* ---- loss and errors, on any thread ---- */

static void state_unref(DeviceState *s)
{
    if (atomic_fetch_sub(&s->refs, 1) != 1)
        return;
    lock_fini(&s->lock);
    free(s);
}

static void copy_view(char *out, size_t size, WGPUStringView s, const char *fallback)
{
    size_t length = !s.data ? 0 : s.length == WGPU_STRLEN ? strlen(s.data) : s.length;
    if (length)
        snprintf(out, size, "%.*s", (int)MIN_OF(length, size - 1), s.data);
    else
        snprintf(out, size, "%s", fallback);
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *user1, void *user2)
{
    DeviceState *s = user1;
    (void)device;
    (void)user2;
    if (reason != WGPUDeviceLostReason_CallbackCancelled) {
        lock_take(&s->lock);
        copy_view(s->lost_why, sizeof s->lost_why, message, "no reason was given");
        lock_give(&s->lock);
        atomic_store_explicit(&s->lost, true, memory_order_release);
    }
    state_unref(s);
}

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *user1, void *user2)
{
    DeviceState *s = user1;
    (void)device;
    (void)type;
    (void)user2;
    lock_take(&s->lock);
    copy_view(s->error, sizeof s->error, message, "an error without a message");
    lock_give(&s->lock);
    atomic_fetch_add_explicit(&s->error_count, 1, memory_order_release);
}

/* ---- errors of single calls ---- */

typedef struct ScopeAnswer {
    char  *why;
    size_t size;
    bool   failed, done;
} ScopeAnswer;

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message,
                     void *user1, void *user2)
{
    ScopeAnswer *a = user1;
    (void)user2;
    a->failed = status == WGPUPopErrorScopeStatus_Success && type != WGPUErrorType_NoError;
    if (a->failed)
        copy_view(a->why, a->size, message, "no reason was given");
    a->done = true;
}

static const WGPUErrorFilter filters[] = {
    WGPUErrorFilter_Validation, WGPUErrorFilter_OutOfMemory,
};

void device_scope_begin(Device *d)
{
    for (size_t i = 0; i < COUNTOF(filters); i++)
        d->lib.procs.DevicePushErrorScope(d->device, filters[i]);
}

bool device_scope_end(Device *d, char *why, size_t why_size)
{
    bool failed = false;
    why[0] = '\0';
    for (size_t i = 0; i < COUNTOF(filters); i++) {
        ScopeAnswer a = {.why = why, .size = why_size};
        WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        info.mode = library_callback_mode(&d->lib);
        info.callback = on_scope;
        info.userdata1 = &a;
        library_wait(&d->lib, d->lib.procs.DevicePopErrorScope(d->device, info), &a.done);
        failed = failed || a.failed;
    }
    return !failed;
}

/* ---- opening ---- */

/* The word that chooses the adapter; NULL: nothing does. */
static const char *adapter_word(const weft_context_desc *desc)
{
    const char *word = desc->adapter ? desc->adapter : platform_env("WEFT_ADAPTER");
    return word && *word ? word : NULL;
}

static const char *reason_for(Device *d, const weft_context_desc *desc, const AdapterInfo *info)
{
    const char *word = adapter_word(desc), *why;
    if (word && desc->adapter)
        why = arena_printf(&d->arena, "the program asks for '%s'", word);
    else if (word)
        why = arena_printf(&d->arena, "the environment has WEFT_ADAPTER=%s", word);
    else if (!d->lib.has_options)
        why = "the library prefers it";
    else if (info->hardware_gpu)
        why = "a hardware GPU is preferred";
    else if (strcmp(info->backend, "cpu") == 0)
        why = "there is no hardware GPU, and the CPU device is preferred to software drivers";
    else
        why = "there is no other device";
    return arena_printf(&d->arena, "%s (%s, %s): %s", info->device, info->type, info->backend,
                        why);
}

static bool has_feature(const Device *d, const WGPUSupportedFeatures *all, uint32_t feature)
{
    (void)d;
    for (size_t i = 0; i < all->featureCount; i++)
        if ((uint32_t)all->features[i] == feature)
            return true;
    return false;
}

static void describe(Device *d, const weft_context_desc *desc, const AdapterInfo *info,
                     const WGPULimits *limits)
{
    const char *path = library_path(desc->library);
    WGPUSupportedFeatures all = WGPU_SUPPORTED_FEATURES_INIT;
    d->lib.procs.AdapterGetFeatures(d->adapter, &all);
    d->info = (weft_device_info){
        .name = info->device, .vendor = info->vendor, .architecture = info->architecture,
        .driver = info->driver, .backend = info->backend, .type = info->type,
        .library = path ? arena_printf(&d->arena, "%s", path) : "weft",
        .reason = reason_for(d, desc, info), .hardware_gpu = info->hardware_gpu,
        .f16 = has_feature(d, &all, WGPUFeatureName_ShaderF16),
        .subgroups = has_feature(d, &all, WGPUFeatureName_Subgroups),
        .timestamps = has_feature(d, &all, WGPUFeatureName_TimestampQuery),
#ifdef WGPUFeatureName_WeftShaderF64
        .f64 = has_feature(d, &all, (uint32_t)WGPUFeatureName_WeftShaderF64),
#endif
        .memory = info->memory, .limits = *limits,
    };
    d->info.limits.nextInChain = NULL;
    d->lib.procs.SupportedFeaturesFreeMembers(all);
}

static const char *find_adapter(Device *d, const weft_context_desc *desc)
{
    LibraryDesc wish = {.path = desc->library, .no_cache = desc->no_cache};
    const char *why = library_open(&d->lib, &d->arena, &wish);
    return why ? why : library_choose_adapter(&d->lib, &d->arena, adapter_word(desc),
                                              &d->adapter);
}

/* `state` gets a second reference, which the lost callback gives back. */
static const char *request(Device *d, const weft_context_desc *desc, const WGPULimits *limits)
{
    LibraryDeviceDesc wish = {.limits = limits, .threads = desc->threads,
                              .deadline = desc->dispatch_deadline,
                              .timed_help = desc->timed_waits_help,
                              .lost = WGPU_DEVICE_LOST_CALLBACK_INFO_INIT,
                              .uncaptured = WGPU_UNCAPTURED_ERROR_CALLBACK_INFO_INIT};
    wish.lost.mode = WGPUCallbackMode_AllowSpontaneous;
    wish.lost.callback = on_lost;
    wish.lost.userdata1 = d->state;
    wish.uncaptured.callback = on_error;
    wish.uncaptured.userdata1 = d->state;
    atomic_fetch_add(&d->state->refs, 1);
    return library_request_device(&d->lib, &d->arena, d->adapter, &wish, &d->device);
}

static const char *open_device(Device *d, const weft_context_desc *desc, weft_error_kind *kind)
{
    AdapterInfo info;
    WGPULimits  limits;
    const char *why = find_adapter(d, desc);
    *kind = WEFT_ERROR_UNSUPPORTED;
    if (why)
        return why;
    if (!d->lib.has_options && desc->dispatch_deadline)
        return "a deadline of dispatches needs Weft's own library";
    library_describe(&d->lib, &d->arena, d->adapter, &info, &limits);
    if (strcmp(info.backend, "null") == 0)
        return "the library finds no device but its null device, which computes nothing";
    why = request(d, desc, &limits);
    *kind = WEFT_ERROR_INTERNAL;
    if (why)
        return why;
    d->queue = d->lib.procs.DeviceGetQueue(d->device);
    d->deadline = desc->dispatch_deadline != 0;
    describe(d, desc, &info, &limits);
    return NULL;
}

static Device *device_new(const weft_context_desc *desc)
{
    Device      *d = calloc(1, sizeof *d);
    DeviceState *s = calloc(1, sizeof *s);
    if (!d || !s) {
        free(d);
        free(s);
        return NULL;
    }
    atomic_init(&s->refs, 1);
    lock_init(&s->lock);
    d->state = s;
    atomic_init(&d->refs, 1);
    arena_init(&d->arena, 0);
    atomic_init(&d->next_id, 1);
    pipeline_cache_init(&d->cache, desc->pipeline_limit);
    return d;
}

Device *device_create(const weft_context_desc *desc, weft_error_kind *kind, char *why,
                      size_t why_size)
{
    Device *d = device_new(desc);
    *kind = WEFT_ERROR_MEMORY;
    if (!d) {
        snprintf(why, why_size, "no memory for a device");
        return NULL;
    }
    const char *fault = open_device(d, desc, kind);
    if (!fault)
        return d;
    snprintf(why, why_size, "%s", fault);
    device_release(d);
    return NULL;
}

Device *device_retain(Device *d)
{
    atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    return d;
}

void device_release(Device *d)
{
    if (!d || atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) != 1)
        return;
    const Procs *p = &d->lib.procs;
    pipeline_cache_fini(&d->cache, d);
    if (d->queue)
        p->QueueRelease(d->queue);
    if (d->device)
        p->DeviceRelease(d->device);
    if (d->adapter)
        p->AdapterRelease(d->adapter);
    library_close(&d->lib);
    state_unref(d->state);
    arena_fini(&d->arena);
    free(d);
}

bool device_available(const weft_context_desc *desc, char *why, size_t why_size)
{
    Device *d = device_new(desc);
    const char *fault = d ? find_adapter(d, desc) : "no memory";
    if (fault && why && why_size)
        snprintf(why, why_size, "%s", fault);
    device_release(d);
    return !fault;
}
