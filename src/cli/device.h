// SPDX-License-Identifier: Apache-2.0
/*
 * device.h - a WebGPU device as a command needs it: opened, waited for, its errors
 * collected.
 *
 * in     what to ask for
 * out    an open device of this library or, with the environment variable
 *        WEFT_WEBGPU=/path/to/library.so, of any other that has webgpu.h
 * knows  webgpu.h, and that other libraries have less than ours
 * not    kernels and buffers (job.h)
 */
#ifndef WEFT_CLI_DEVICE_H
#define WEFT_CLI_DEVICE_H

#include "base/text.h"
#include "context/library.h"

/* What to ask for; zero is the default everywhere. */
typedef struct DeviceDesc {
    const char *adapter;            /* "cpu", "vulkan", "gpu", a number, part of a name;
                                       NULL: what the library prefers              */
    uint32_t    threads, lanes;
    const char *cpu;                /* the name of a processor; NULL: this one     */
    uint64_t    deadline;           /* nanoseconds a dispatch                      */
    bool        no_cache;
} DeviceDesc;

typedef struct Device {
    Arena       *arena;             /* of texts                                    */
    Library      lib;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    WGPULimits   limits;
    AdapterInfo  info;
    const char  *lost_why;          /* NULL: it is not lost, as far as is known    */
} Device;

/* The library and its instance alone; then an adapter; then a device. Each returns
 * NULL, or what is wrong, in the arena. device_close() ends all of it, at any stage. */
const char *device_load(Device *d, Arena *arena, const DeviceDesc *desc);
const char *device_open(Device *d, Arena *arena, const DeviceDesc *desc);
void        device_close(Device *d);

/* Errors between the two are caught: NULL if there was none. */
void        device_watch(Device *d);
const char *device_caught(Device *d);
/* NULL, or why the device is lost. That may be told a little later than that the work
 * is done which it was lost with: the second one waits for it, up to a second. */
const char *device_lost(Device *d);
const char *device_lost_soon(Device *d);

#endif
