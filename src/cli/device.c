// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - opens a device, collects its errors, waits for it.
 *
 * in     what to ask for
 * out    an open device, or a sentence that says why there is none
 * knows  webgpu.h
 * not    where its functions come from (context/library.h); kernels (job.c)
 */
#include "cli/device.h"

#include <time.h>

/* ---- devices ---- */

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *user1, void *user2)
{
    Device *d = user1;
    (void)device;
    (void)user2;
    if (reason == WGPUDeviceLostReason_Destroyed
        || reason == WGPUDeviceLostReason_CallbackCancelled)
        return;
    d->lost_why = library_text(d->arena, message);
    if (!*d->lost_why)
        d->lost_why = "the device is lost";
}

const char *device_lost(Device *d)
{
    d->lib.procs.InstanceProcessEvents(d->lib.instance);
    return d->lost_why;
}

const char *device_lost_soon(Device *d)
{
    for (int ms = 0; !device_lost(d) && ms < 1000; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return d->lost_why;
}

static const char *request_device(Device *d, const DeviceDesc *desc)
{
    LibraryDeviceDesc wish = {.limits = &d->limits, .threads = desc->threads,
                              .lanes = desc->lanes, .cpu = desc->cpu,
                              .deadline = desc->deadline,
                              .lost = WGPU_DEVICE_LOST_CALLBACK_INFO_INIT,
                              .uncaptured = WGPU_UNCAPTURED_ERROR_CALLBACK_INFO_INIT};
    wish.lost.mode = WGPUCallbackMode_AllowProcessEvents;
    wish.lost.callback = on_lost;
    wish.lost.userdata1 = d;
    return library_request_device(&d->lib, d->arena, d->adapter, &wish, &d->device);
}

const char *device_load(Device *d, Arena *arena, const DeviceDesc *desc)
{
    *d = (Device){.arena = arena};
    return library_open(&d->lib, arena, &(LibraryDesc){.no_cache = desc->no_cache});
}

const char *device_open(Device *d, Arena *arena, const DeviceDesc *desc)
{
    const char *why = device_load(d, arena, desc);
    if (!why && !d->lib.has_options
        && (desc->threads || desc->lanes || desc->cpu || desc->deadline || desc->no_cache))
        why = "--threads, --lanes, --cpu, --deadline and --no-cache are for Weft's own library";
    if (!why)
        why = library_choose_adapter(&d->lib, arena, desc->adapter, &d->adapter);
    if (!why) {
        library_describe(&d->lib, arena, d->adapter, &d->info, &d->limits);
        why = request_device(d, desc);
    }
    if (!why)
        d->queue = d->lib.procs.DeviceGetQueue(d->device);
    return why;
}

void device_close(Device *d)
{
    if (d->queue)
        d->lib.procs.QueueRelease(d->queue);
    if (d->device)
        d->lib.procs.DeviceRelease(d->device);
    if (d->adapter)
        d->lib.procs.AdapterRelease(d->adapter);
    library_close(&d->lib);
    *d = (Device){0};
}

/* ---- errors ---- */

static const WGPUErrorFilter filters[] = {
    WGPUErrorFilter_Validation, WGPUErrorFilter_OutOfMemory, WGPUErrorFilter_Internal,
};

void device_watch(Device *d)
{
    for (size_t i = 0; i < COUNTOF(filters); i++)
        d->lib.procs.DevicePushErrorScope(d->device, filters[i]);
}

typedef struct ErrorAnswer {
    Arena      *arena;
    const char *message;                /* NULL: no error                            */
    bool        done;
} ErrorAnswer;

static void on_error(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                     WGPUStringView message, void *user1, void *user2)
{
    ErrorAnswer *a = user1;
    (void)user2;
    if (status == WGPUPopErrorScopeStatus_Success && type != WGPUErrorType_NoError)
        a->message = library_text(a->arena, message);
    a->done = true;
}

const char *device_caught(Device *d)
{
    const char *first = NULL;
    for (size_t i = 0; i < COUNTOF(filters); i++) {
        ErrorAnswer answer = {.arena = d->arena};
        WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        info.mode = library_callback_mode(&d->lib);
        info.callback = on_error;
        info.userdata1 = &answer;
        library_wait(&d->lib, d->lib.procs.DevicePopErrorScope(d->device, info), &answer.done);
        if (answer.message)
            first = answer.message;
    }
    return first ? first : device_lost(d);
}
