// SPDX-License-Identifier: Apache-2.0
/*
 * library.h - a library with webgpu.h: its functions, an instance, adapters in words.
 *
 * in     a path, or nothing for Weft's own library
 * out    a table of functions and an instance; adapters found by a word; a device
 * knows  webgpu.h, webgpu/weft.h, and that other libraries lack some functions
 * not    contexts, kernels, buffers
 *
 * Functions that return text return NULL if all went well, else a sentence in the arena.
 * Several libraries may be open in one process: nothing here is global.
 */
#ifndef WEFT_CONTEXT_LIBRARY_H
#define WEFT_CONTEXT_LIBRARY_H

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#include "base/arena.h"

/* The functions that are called, without their prefix. A library must have the first
 * ones; the others are NULL where it lacks them. */
#define LIBRARY_PROCS(X)                                                            \
    X(AdapterGetFeatures) X(AdapterGetInfo) X(AdapterGetLimits)                     \
    X(AdapterInfoFreeMembers) X(AdapterRelease) X(AdapterRequestDevice)             \
    X(BindGroupLayoutRelease) X(BindGroupRelease) X(BufferAddRef) X(BufferDestroy)  \
    X(BufferGetConstMappedRange) X(BufferGetMappedRange) X(BufferGetSize)           \
    X(BufferGetUsage)                                                               \
    X(BufferMapAsync) X(BufferRelease) X(BufferUnmap) X(CommandBufferRelease)       \
    X(CommandEncoderBeginComputePass) X(CommandEncoderClearBuffer)                  \
    X(CommandEncoderCopyBufferToBuffer) X(CommandEncoderFinish)                     \
    X(CommandEncoderRelease) X(ComputePassEncoderDispatchWorkgroups)                \
    X(ComputePassEncoderEnd) X(ComputePassEncoderRelease)                           \
    X(ComputePassEncoderSetBindGroup) X(ComputePassEncoderSetPipeline)              \
    X(ComputePipelineGetBindGroupLayout) X(ComputePipelineRelease)                  \
    X(CreateInstance) X(DeviceCreateBindGroup) X(DeviceCreateBindGroupLayout)       \
    X(DeviceCreateBuffer) X(DeviceCreateCommandEncoder)                             \
    X(DeviceCreateComputePipeline) X(DeviceCreateComputePipelineAsync)              \
    X(DeviceCreatePipelineLayout) X(DeviceCreateShaderModule) X(DeviceGetQueue)     \
    X(DevicePopErrorScope) X(DevicePushErrorScope) X(DeviceRelease)                 \
    X(HasInstanceFeature) X(InstanceProcessEvents) X(InstanceRelease)               \
    X(InstanceRequestAdapter) X(InstanceWaitAny) X(PipelineLayoutRelease)           \
    X(QueueOnSubmittedWorkDone) X(QueueRelease) X(QueueSubmit) X(QueueWriteBuffer)  \
    X(ShaderModuleRelease) X(SupportedFeaturesFreeMembers)
#define LIBRARY_OPTIONAL_PROCS(X) X(ComputePassEncoderSetImmediates) X(WeftBufferRead)

typedef struct Procs {
#define X(name) WGPUProc##name name;
    LIBRARY_PROCS(X)
    LIBRARY_OPTIONAL_PROCS(X)
#undef X
} Procs;

typedef struct Library {
    Procs        procs;
    void        *handle;            /* NULL: Weft's own                            */
    bool         can_wait;          /* the instance can wait for a future          */
    bool         has_options;       /* it knows webgpu/weft.h                      */
    WGPUInstance instance;
} Library;

typedef struct LibraryDesc {
    const char *path;               /* NULL: $WEFT_WEBGPU, else Weft's own         */
    bool        no_cache;           /* only for libraries with webgpu/weft.h       */
} LibraryDesc;

/* The path that a wish means; NULL: Weft's own library. */
const char *library_path(const char *wish);
const char *library_open(Library *lib, Arena *arena, const LibraryDesc *desc);
/* At any stage; the code stays loaded, its threads may still be on their way out. */
void        library_close(Library *lib);
/* A function by its whole name; NULL if the library has none. */
WGPUProc    library_proc(const Library *lib, const char *name);

/* Waits until *done, which the callback of the future sets. */
void             library_wait(const Library *lib, WGPUFuture future, const bool *done);
WGPUCallbackMode library_callback_mode(const Library *lib);

/* ---- adapters ---- */

/* An adapter in words. */
typedef struct AdapterInfo {
    const char *vendor, *architecture, *device, *description;
    const char *backend, *type;     /* "cpu", "vulkan"; "CPU", "discrete GPU"      */
    const char *driver;             /* "" if there is none or it is unknown        */
    uint64_t    memory;             /* bytes; 0 if unknown                         */
    uint32_t    subgroup_min, subgroup_max;
    bool        hardware_gpu;
} AdapterInfo;

const char *library_find_adapter(const Library *lib, Arena *arena,
                                 const WGPURequestAdapterOptions *options, WGPUAdapter *out);
/* The adapter that a word means: a kind of device, or a part of a name; NULL: the one that
 * the library prefers. */
const char *library_choose_adapter(const Library *lib, Arena *arena, const char *word,
                                   WGPUAdapter *out);
void        library_describe(const Library *lib, Arena *arena, WGPUAdapter adapter,
                             AdapterInfo *info, WGPULimits *limits);

/* ---- devices ---- */

typedef struct LibraryDeviceDesc {
    const WGPULimits *limits;       /* of the adapter                              */
    uint32_t          threads, lanes;
    const char       *cpu;          /* processor to compile for; NULL: this one    */
    uint64_t          deadline;     /* nanoseconds per dispatch                    */
    bool              timed_help;   /* timedWaitsHelp of webgpu/weft.h              */
    WGPUDeviceLostCallbackInfo      lost;
    WGPUUncapturedErrorCallbackInfo uncaptured;
} LibraryDeviceDesc;

/* With all features of use to kernels, and all limits that the adapter has. */
const char *library_request_device(const Library *lib, Arena *arena, WGPUAdapter adapter,
                                   const LibraryDeviceDesc *desc, WGPUDevice *out);

/* A text of webgpu.h, NUL-terminated; long ones are cut. */
const char *library_text(Arena *arena, WGPUStringView s);

#endif
