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

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#include "base/text.h"

/* The functions that are called, without their prefix. */
#define DEVICE_PROCS(X)                                                             \
    X(AdapterGetFeatures) X(AdapterGetInfo) X(AdapterGetLimits)                     \
    X(AdapterInfoFreeMembers) X(AdapterRelease) X(AdapterRequestDevice)             \
    X(BindGroupLayoutRelease) X(BindGroupRelease) X(BufferGetConstMappedRange)      \
    X(BufferMapAsync) X(BufferRelease) X(BufferUnmap) X(CommandBufferRelease)       \
    X(CommandEncoderBeginComputePass) X(CommandEncoderCopyBufferToBuffer)           \
    X(CommandEncoderFinish) X(CommandEncoderRelease)                                \
    X(ComputePassEncoderDispatchWorkgroups) X(ComputePassEncoderEnd)                \
    X(ComputePassEncoderRelease) X(ComputePassEncoderSetBindGroup)                  \
    X(ComputePassEncoderSetImmediates) X(ComputePassEncoderSetPipeline)             \
    X(ComputePipelineGetBindGroupLayout) X(ComputePipelineRelease)                  \
    X(CreateInstance) X(DeviceCreateBindGroup) X(DeviceCreateBuffer)                \
    X(DeviceCreateCommandEncoder) X(DeviceCreateComputePipeline)                    \
    X(DeviceCreateShaderModule) X(DeviceGetQueue) X(DevicePopErrorScope)            \
    X(DevicePushErrorScope) X(DeviceRelease) X(HasInstanceFeature)                  \
    X(InstanceProcessEvents) X(InstanceRelease) X(InstanceRequestAdapter)           \
    X(InstanceWaitAny) X(QueueOnSubmittedWorkDone) X(QueueRelease) X(QueueSubmit)   \
    X(QueueWriteBuffer) X(ShaderModuleRelease) X(SupportedFeaturesFreeMembers)

typedef struct Procs {
#define X(name) WGPUProc##name name;
    DEVICE_PROCS(X)
#undef X
} Procs;

/* What to ask for; zero is the default everywhere. */
typedef struct DeviceDesc {
    const char *adapter;            /* "cpu", "vulkan", "gpu", a number, part of a name;
                                       NULL: what the library prefers              */
    uint32_t    threads, lanes;
    uint64_t    deadline;           /* nanoseconds a dispatch                      */
    bool        no_cache;
} DeviceDesc;

/* An adapter in words. */
typedef struct DeviceInfo {
    const char *vendor, *architecture, *device, *description;
    const char *backend, *type;     /* "cpu", "vulkan"; "CPU", "discrete GPU"      */
    const char *driver;             /* "": none, or it does not say                */
    uint64_t    memory;             /* bytes; 0: it does not say                   */
    uint32_t    subgroup_min, subgroup_max;
} DeviceInfo;

typedef struct Device {
    Arena       *arena;             /* of texts                                    */
    Procs        procs;
    void        *library;           /* NULL: this one                              */
    bool         can_wait;          /* the instance can wait for a future          */
    bool         has_options;       /* it knows webgpu/weft.h                      */
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    WGPULimits   limits;
    DeviceInfo   info;
    const char  *lost_why;          /* NULL: it is not lost, as far as is known    */
} Device;

/* The library and its instance alone; then an adapter; then a device. Each returns
 * NULL, or what is wrong, in the arena. device_close() ends all of it, at any stage. */
const char *device_load(Device *d, Arena *arena, const DeviceDesc *desc);
const char *device_find_adapter(Device *d, const WGPURequestAdapterOptions *options,
                                WGPUAdapter *out);
void        device_describe(Device *d, WGPUAdapter adapter, DeviceInfo *info,
                            WGPULimits *limits);
const char *device_open(Device *d, Arena *arena, const DeviceDesc *desc);
void        device_close(Device *d);

/* Errors between the two are caught: NULL if there was none. */
void        device_watch(Device *d);
const char *device_caught(Device *d);
/* NULL, or why the device is lost. That may be told a little later than that the work
 * is done which it was lost with: the second one waits for it, up to a second. */
const char *device_lost(Device *d);
const char *device_lost_soon(Device *d);

/* Waits until *done, which the callback of the future sets. */
void             device_wait(Device *d, WGPUFuture future, const bool *done);
WGPUCallbackMode device_callback_mode(const Device *d);

#endif
