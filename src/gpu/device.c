// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - opening a device, losing it, asking what it was opened with.
 *
 * in     wgpuAdapterRequestDevice()
 * out    a device with its queue
 * knows  features and limits that may be asked for; the ways a device ends
 * not    what devices make: each kind of object has a file
 *
 * A device is lost once and for good: by wgpuDeviceDestroy(), with its last
 * reference of the API, or by its backend. Losing marks it, destroys its buffers,
 * and then lets the lost callback run, which must come after the last callback
 * for an uncaptured error.
 */
#include <stdlib.h>

#include "base/exit.h"
#include "gpu/gpu_priv.h"

#define MAX_LANES 16u

/* ---- references ---- */

void device_ref(WGPUDevice device)
{
    object_ref(&device->base);
}

/* In a child of fork(), where other threads are gone with the locks they had. */
static void reset_locks(ForkReset *self)
{
    WGPUDevice device = (WGPUDevice)(void *)((char *)self -
                                             offsetof(struct WGPUDeviceImpl, fork_reset));
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->label_lock, NULL);
    pthread_mutex_init(&device->memory_lock, NULL);
    pthread_mutex_init(&device->queue.submit_lock, NULL);
    pthread_mutex_init(&device->queue.lock, NULL);
    pthread_cond_init(&device->queue.written, NULL);
}

static void device_free(WGPUDevice device)
{
    fork_forget(&device->fork_reset);
    WGPUAdapter adapter = device->adapter;
    if (device->gpu)
        device->backend->device_destroy(device->gpu);
    queue_fini(&device->queue);
    Batch *handy = atomic_load(&device->handy);
    if (handy)
        batch_destroy(handy);
    while (device->spare) {
        Batch *b = device->spare;
        device->spare = b->next;
        batch_destroy(b);
    }
    error_scopes_free(device);
    future_unref(device->lost_future);
    free(device->lost_message);
    free(device->base.label);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->memory_lock);
    pthread_mutex_destroy(&device->label_lock);
    free(device);
    object_unref(&adapter->base);
}

bool device_drop_ref(WGPUDevice device)
{
    return atomic_fetch_sub_explicit(&device->base.refs, 1, memory_order_acq_rel) == 1;
}

void device_unref(WGPUDevice device)
{
    if (device_drop_ref(device))
        device_free(device);
}

bool device_try_ref(WGPUDevice device)
{
    unsigned refs = atomic_load(&device->base.refs);
    while (refs && !atomic_compare_exchange_weak(&device->base.refs, &refs, refs + 1))
        continue;
    return refs > 0;
}

static void reap(Task *task)
{
    device_free((WGPUDevice)(void *)((char *)task
                                     - offsetof(struct WGPUDeviceImpl, reap)));
}

void device_reap(WGPUDevice device)
{
    device->reap.run = reap;
    /* The event thread was started when the device was opened. */
    bool ok = tasks_add(&device->instance->events, &device->reap);
    BUG_IF(!ok, "no event thread");
}

/* ---- losing ---- */

static void fire_lost(Future *f, bool cancelled)
{
    WGPUDevice device = f->device;
    if (!f->callback.lost)
        return;
    f->callback.lost(&device,
                     cancelled ? WGPUDeviceLostReason_CallbackCancelled
                               : (WGPUDeviceLostReason)f->status,
                     cancelled ? string_view("the instance was released first")
                               : future_message(f),
                     f->userdata1, f->userdata2);
}

void device_tell_lost(WGPUDevice device, bool user_thread)
{
    Future *f = device->lost_future;
    future_ready(f, (int)device->lost_reason, device->lost_message);
    future_tell(f, user_thread);
}

void device_lose(WGPUDevice device, WGPUDeviceLostReason reason, const char *message,
                 bool user_thread)
{
    pthread_mutex_lock(&device->lock);
    bool first = !device_is_lost(device);
    if (first) {
        device->lost_reason = reason;
        device->lost_message = strdup(message);
        atomic_store_explicit(&device->lost, true, memory_order_release);
    }
    pthread_mutex_unlock(&device->lock);
    if (!first)
        return;
    if (reason != WGPUDeviceLostReason_Destroyed && !device->lost_future->callback.lost)
        instance_log(device->instance, "the device is lost: %s", message);
    queue_lose(&device->queue, user_thread);
    pthread_mutex_lock(&device->lock);
    bool now = device->reporting == 0;
    device->lost_waits = !now;
    pthread_mutex_unlock(&device->lock);
    if (now)
        device_tell_lost(device, user_thread);
}

/* For the backend, on a thread of its own. */
static void lost_by_itself(void *user, const void *tag, const char *why)
{
    WGPUDevice device = user;
    const struct WGPUComputePipelineImpl *pipeline = tag;
    Fault f;
    char  name[192];
    if (!device_try_ref(device))
        return;
    if (pipeline) {
        object_name(&pipeline->base, name, sizeof name);
        why = fault(&f, "%s: %s", name, why);
    }
    device_lose(device, WGPUDeviceLostReason_Unknown, why, false);
    if (device_drop_ref(device))
        device_reap(device);
}

void device_notice_fork(WGPUDevice device)
{
    if (fork_is_stale(device->instance->events.generation) && !device_is_lost(device))
        device_lose(device, WGPUDeviceLostReason_Unknown, FORK_MESSAGE, true);
}

void wgpuDeviceDestroy(WGPUDevice device)
{
    if (!device)
        return;
    device_ref(device);                 /* a callback may release it */
    device_lose(device, WGPUDeviceLostReason_Destroyed, "the device was destroyed", true);
    device_unref(device);
}

void wgpuDeviceAddRef(WGPUDevice device)
{
    if (device)
        atomic_fetch_add_explicit(&device->external, 1, memory_order_relaxed);
}

/* Which device the lost callback is given. */
static void set_lost_device(Future *lost, WGPUDevice device)
{
    Futures *fs = &lost->instance->futures;
    pthread_mutex_lock(&fs->lock);
    if (lost->state != FUTURE_FIRING)
        lost->device = device;
    pthread_mutex_unlock(&fs->lock);
}

void wgpuDeviceRelease(WGPUDevice device)
{
    if (!device
        || atomic_fetch_sub_explicit(&device->external, 1, memory_order_acq_rel) != 1)
        return;
    set_lost_device(device->lost_future, NULL);
    device_lose(device, WGPUDeviceLostReason_Destroyed, "the device was released", true);
    device_unref(device);
}

void wgpuDeviceSetLabel(WGPUDevice device, WGPUStringView label)
{
    Fault f;
    if (!device)
        return;
    const char *why = view_fault(&f, "the new label", label);
    if (why) {
        device_error(device, WGPUErrorType_Validation, "device: %s", why);
        return;
    }
    char *copy = label_copy(label);
    pthread_mutex_lock(&device->label_lock);
    char *old = device->base.label;
    device->base.label = copy;
    pthread_mutex_unlock(&device->label_lock);
    free(old);
}

WGPUFuture wgpuDeviceGetLostFuture(WGPUDevice device)
{
    return (WGPUFuture){device ? device->lost_future->id : 0};
}

/* ---- opening ---- */

static const ObjectClass device_class = {"device", NULL};

static const char *weft_fault(Fault *f, const WGPUWeftDeviceOptions *weft)
{
    if (!weft)
        return NULL;
    uint32_t w = weft->laneWidth;
    if (w != 0 && w != 1 && w != 4 && w != 8 && w != MAX_LANES)
        return fault(f, "laneWidth %u must be 1, 4, 8, 16, or 0 for the best", w);
    return view_fault(f, "cpuName in WGPUWeftDeviceOptions", weft->cpuName);
}

static const char *required_features_fault(Fault *f, const WGPUDeviceDescriptor *d,
                                           WGPUAdapter adapter, uint32_t *features)
{
    if (d->requiredFeatureCount && !d->requiredFeatures)
        return fault(f, "requiredFeatures is NULL with a count of %zu",
                     d->requiredFeatureCount);
    *features = feature_bits(WGPUFeatureName_CoreFeaturesAndLimits);
    for (size_t i = 0; i < d->requiredFeatureCount; i++) {
        WGPUFeatureName name = d->requiredFeatures[i];
        uint32_t        bits = feature_bits(name);
        if (bits == 0)
            return fault(f, "the required feature 0x%x is not offered by any adapter",
                         (unsigned)name);
        if (bits & ~adapter->features)
            return fault(f, "the required feature %s is not offered by the adapter",
                         feature_name(name));
        *features |= bits;
    }
    return NULL;
}

static const char *callbacks_fault(Fault *f, const WGPUDeviceDescriptor *d)
{
    const WGPUDeviceLostCallbackInfo *lost = &d->deviceLostCallbackInfo;
    if (chain_none_fault(f, "defaultQueue", d->defaultQueue.nextInChain)
        || chain_none_fault(f, "deviceLostCallbackInfo", lost->nextInChain)
        || chain_none_fault(f, "uncapturedErrorCallbackInfo",
                            d->uncapturedErrorCallbackInfo.nextInChain))
        return f->text;
    if (lost->callback && !mode_is_valid(lost->mode))
        return fault(f, "deviceLostCallbackInfo: the callback mode %u is not one there is",
                     (unsigned)lost->mode);
    if (view_fault(f, "the label", d->label)
        || view_fault(f, "the label of defaultQueue", d->defaultQueue.label))
        return f->text;
    return NULL;
}

/* One request on its way. */
typedef struct Request {
    WGPUAdapter                  adapter;
    const WGPUDeviceDescriptor  *d;
    const WGPUWeftDeviceOptions *weft;
    Limits                       limits;
    uint32_t                     features;
    Fault                        fault;
} Request;

static const char *request_fault(Request *r)
{
    static const WGPUSType allowed[] = {WGPUSType_WeftDeviceOptions, STYPE_DAWN_TOGGLES};
    const WGPUChainedStruct *found[COUNTOF(allowed)];
    if (chain_fault(&r->fault, "WGPUDeviceDescriptor", r->d->nextInChain, allowed,
                    COUNTOF(allowed), found))
        return r->fault.text;
    r->weft = (const WGPUWeftDeviceOptions *)found[0];
    if (weft_fault(&r->fault, r->weft) || callbacks_fault(&r->fault, r->d)
        || required_features_fault(&r->fault, r->d, r->adapter, &r->features)
        || limits_of_device(&r->fault, &r->limits, &r->adapter->limits,
                            r->d->requiredLimits))
        return r->fault.text;
    return NULL;
}

/* The device without its hardware, of which the lost future is already known. */
static WGPUDevice device_new(Request *r, Future *lost)
{
    WGPUDevice device = object_new(&device_class, sizeof *device, NULL, r->d->label);
    if (!device)
        return NULL;
    atomic_init(&device->external, 1);
    device->adapter = r->adapter;
    object_ref(&r->adapter->base);
    device->instance = r->adapter->instance;
    device->backend = r->adapter->backend;
    device->limits = r->limits;
    device->features = r->features;
    device->uncaptured = r->d->uncapturedErrorCallbackInfo;
    device->lost_future = lost;
    future_ref(lost);
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->label_lock, NULL);
    pthread_mutex_init(&device->memory_lock, NULL);
    atomic_init(&device->next_exclusive, 0);
    queue_init(&device->queue, device, label_copy(r->d->defaultQueue.label));
    fork_remember(&device->fork_reset, reset_locks);
    return device;
}

static void log_for_device(void *instance, const char *text)
{
    instance_log(instance, "%s", text);
}

/* Starts the hardware; false with a sentence in r->fault. */
static bool device_start(WGPUDevice device, Request *r)
{
    WGPUInstance  instance = device->instance;
    GpuDeviceDesc desc = {
        .threads = r->weft ? r->weft->threadCount : 0,
        .lanes = r->weft ? r->weft->laneWidth : 0,
        .deadline = r->weft ? r->weft->dispatchDeadlineNS : 0,
        .timed_help = r->weft && r->weft->timedWaitsHelp,
        .cache_folder = instance->cache_folder,
        .no_disk_cache = instance->cache_mode != WGPUWeftCacheMode_Default,
        .no_cache = instance->cache_mode == WGPUWeftCacheMode_Off,
        .lost = lost_by_itself,
        .lost_user = device,
        .log = log_for_device,
        .log_user = instance,
    };
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    View cpu = {0};
    if (r->weft && view_of(r->weft->cpuName, &cpu) && cpu.len)
        desc.cpu = arena_printf(&arena, "%.*s", VIEW_ARG(cpu));
    device->has_deadline = desc.deadline != 0;
    exit_prepare();                     /* kernels are made on other threads */
    if (!tasks_start(&instance->events))
        fault(&r->fault, "the system refuses to start a thread");
    else if (!(device->gpu = device->backend->device_create(r->adapter->gpu, &desc, &diag)))
        fault(&r->fault, "%s", diag.list.len ? diag.list.data[0].message
                                             : "the device cannot be opened");
    arena_fini(&arena);
    return device->gpu != NULL;
}

static WGPUDevice open_device(Request *r, Future *lost)
{
    bool used = false;
    if (request_fault(r))
        return NULL;
    if (!r->adapter->instance->many_devices
        && !atomic_compare_exchange_strong(&r->adapter->consumed, &used, true)) {
        fault(&r->fault, "the adapter has opened a device already; without the instance "
                         "feature MultipleDevicesPerAdapter it opens one");
        return NULL;
    }
    WGPUDevice device = device_new(r, lost);
    if (!device)
        fault(&r->fault, "out of memory");
    else if (!device_start(device, r)) {
        device_free(device);
        device = NULL;
    }
    if (!device)
        atomic_store(&r->adapter->consumed, false);
    return device;
}

static void fire_device(Future *f, bool cancelled)
{
    WGPUDevice device = f->device;
    f->device = NULL;
    if (cancelled) {
        wgpuDeviceRelease(device);
        device = NULL;
    }
    f->callback.device(cancelled ? WGPURequestDeviceStatus_CallbackCancelled
                                 : (WGPURequestDeviceStatus)f->status,
                       device, cancelled ? string_view("the instance was released first")
                                         : future_message(f),
                       f->userdata1, f->userdata2);
}

static Future *lost_future_new(WGPUInstance instance, const WGPUDeviceDescriptor *d)
{
    const WGPUDeviceLostCallbackInfo *info = &d->deviceLostCallbackInfo;
    WGPUCallbackMode mode = info->callback && mode_is_valid(info->mode)
                                ? info->mode : WGPUCallbackMode_WaitAnyOnly;
    Future *f = future_new(instance, mode, fire_lost);
    if (!f)
        return NULL;
    f->callback.lost = info->callback;
    f->userdata1 = info->userdata1;
    f->userdata2 = info->userdata2;
    future_track(f);
    return f;
}

WGPUFuture wgpuAdapterRequestDevice(WGPUAdapter adapter,
                                    const WGPUDeviceDescriptor *descriptor,
                                    WGPURequestDeviceCallbackInfo callbackInfo)
{
    static const WGPUDeviceDescriptor defaults = {0};
    if (!adapter
        || !callback_is_usable(adapter->instance, "RequestDevice", callbackInfo.mode,
                               callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Request r = {.adapter = adapter, .d = descriptor ? descriptor : &defaults};
    Future *f = future_new(adapter->instance, callbackInfo.mode, fire_device);
    Future *lost = f ? lost_future_new(adapter->instance, r.d) : NULL;
    if (!lost) {
        future_unref(f);
        return (WGPUFuture){0};
    }
    f->callback.device = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    WGPUDevice device = NULL;
    if (!chain_none_fault(&r.fault, "WGPURequestDeviceCallbackInfo",
                          callbackInfo.nextInChain))
        device = open_device(&r, lost);
    f->device = device;
    set_lost_device(lost, device);
    if (!device) {
        future_ready(lost, WGPUDeviceLostReason_FailedCreation, r.fault.text);
        future_settle(lost);
    }
    WGPUFuture id = future_track(f);
    future_ready(f, device ? WGPURequestDeviceStatus_Success : WGPURequestDeviceStatus_Error,
                 device ? NULL : r.fault.text);
    future_settle(f);
    future_unref(f);
    future_unref(lost);
    return id;
}

/* ---- asking ---- */

WGPUStatus wgpuDeviceGetAdapterInfo(WGPUDevice device, WGPUAdapterInfo *adapterInfo)
{
    return device ? adapter_info_get(device->adapter, "GetAdapterInfo", adapterInfo)
                  : WGPUStatus_Error;
}

void wgpuDeviceGetFeatures(WGPUDevice device, WGPUSupportedFeatures *features)
{
    if (device && features)
        features_write(device->features, features);
}

WGPUBool wgpuDeviceHasFeature(WGPUDevice device, WGPUFeatureName feature)
{
    uint32_t bits = feature_bits(feature);
    return device && bits && (device->features & bits) == bits;
}

WGPUStatus wgpuDeviceGetLimits(WGPUDevice device, WGPULimits *limits)
{
    return device ? limits_get(device->instance, "GetLimits", &device->limits, limits)
                  : WGPUStatus_Error;
}

WGPUQueue wgpuDeviceGetQueue(WGPUDevice device)
{
    if (!device)
        return NULL;
    device_ref(device);
    return &device->queue;
}
