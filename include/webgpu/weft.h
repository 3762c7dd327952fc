/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webgpu/weft.h - what Weft adds to webgpu.h.
 *
 * Extensions follow the standard's rules for implementations: the names carry
 * the prefix Weft, and new values of standard enumerations come from a block
 * that is Weft's own, 0x5745???? (the letters WE). The standard keeps 0x0000 and
 * 0x0001 for itself; 0x0003 is wgpu-native's, 0x0004 Emscripten's, 0x0005
 * Dawn's, 0x0006 Wagyu's; blocks are given out in order from below, so none of
 * them will come here.
 *
 * Every struct below goes into a chain of webgpu.h and may be left out. All its
 * members may be left zero; the comment says what zero means. A string may also
 * be { NULL, WGPU_STRLEN }, which is the same as empty here. A value that is not
 * allowed makes the call that it was given to fail: no instance, or the status
 * Error with a message that names the member. Other libraries take these structs
 * for a wrong chain and refuse them, so a program that runs on several asks
 * first: wgpuHasInstanceFeature(WGPUInstanceFeatureName_WeftOptions).
 *
 *     WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
 *     weft.threadCount = 2;
 *     WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
 *     desc.nextInChain = &weft.chain;
 */
#ifndef WEBGPU_WEFT_H_
#define WEBGPU_WEFT_H_

#include "webgpu.h"     /* this one, or that of any other implementation */

/* Macros and not constants, so that C may use them in a `case` and in statics. */
#define WGPUSType_WeftInstanceOptions       ((WGPUSType)0x57450001)
#define WGPUSType_WeftRequestAdapterOptions ((WGPUSType)0x57450002)
#define WGPUSType_WeftDeviceOptions         ((WGPUSType)0x57450003)
#define WGPUSType_WeftAdapterInfo           ((WGPUSType)0x57450004)
#define WGPUSType_WeftHostMemory            ((WGPUSType)0x57450005)

/* Supported: the library knows the structs of this header. There is no need to
 * require it. */
#define WGPUInstanceFeatureName_WeftOptions ((WGPUInstanceFeatureName)0x57450001)

/* Extensions of WGSL that webgpu.h has no number for yet: `fragment_depth` and
 * `buffer_view` after `requires`. */
#define WGPUWGSLLanguageFeatureName_WeftFragmentDepth ((WGPUWGSLLanguageFeatureName)0x57450001)
#define WGPUWGSLLanguageFeatureName_WeftBufferView    ((WGPUWGSLLanguageFeatureName)0x57450002)

/* `enable weft_f64;` in WGSL: 64-bit floats. The CPU device has it, and GPUs whose driver
 * computes with them (shaderFloat64 of Vulkan). */
#define WGPUFeatureName_WeftShaderF64       ((WGPUFeatureName)0x57450001)

/* The CPU device, in WGPUAdapterInfo and in WGPURequestAdapterOptions: what asks
 * for this gets the CPU, what asks for WGPUBackendType_Vulkan gets no CPU. */
#define WGPUBackendType_WeftCPU             ((WGPUBackendType)0x57450001)

/* Where compiled kernels are kept. */
typedef enum WGPUWeftCacheMode {
    WGPUWeftCacheMode_Default = 0, /* in memory and on disk */
    WGPUWeftCacheMode_Memory  = 1, /* in memory; the disk is neither read nor written */
    WGPUWeftCacheMode_Off     = 2, /* nowhere: every pipeline is compiled anew */
    WGPUWeftCacheMode_Force32 = 0x7FFFFFFF
} WGPUWeftCacheMode WGPU_ENUM_ATTRIBUTE;

/* One sentence about a call that failed and could only answer NULL, an error status or
 * no future; or about an error, or the loss of a device, for which the device was given no
 * callback. It may come on any thread; this API must not be called from it. */
typedef void (*WGPUWeftLogCallback)(WGPUStringView message,
    WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

/* In WGPUInstanceDescriptor. */
typedef struct WGPUWeftInstanceOptions {
    WGPUChainedStruct chain;
    WGPUWeftCacheMode cacheMode;
    /* Made if it is not there. Empty: weft/ in $XDG_CACHE_HOME, or in $HOME/.cache. A
     * directory that cannot be used is no error, kernels are then kept in memory alone. */
    WGPUStringView    cacheDirectory;
    /* NULL: such failures are silent, unless the environment has WEFT_LOG=1; then they are
     * told on standard error. */
    WGPU_NULLABLE WGPUWeftLogCallback logCallback;
    WGPU_NULLABLE void *logUserdata1;
    WGPU_NULLABLE void *logUserdata2;
} WGPUWeftInstanceOptions WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_WEFT_INSTANCE_OPTIONS_INIT _wgpu_MAKE_INIT_STRUCT(WGPUWeftInstanceOptions, { \
    _wgpu_MAKE_INIT_STRUCT(WGPUChainedStruct, { \
        NULL _wgpu_COMMA WGPUSType_WeftInstanceOptions }) _wgpu_COMMA \
    WGPUWeftCacheMode_Default _wgpu_COMMA WGPU_STRING_VIEW_INIT _wgpu_COMMA \
    NULL _wgpu_COMMA NULL _wgpu_COMMA NULL })

/* In WGPURequestAdapterOptions. Which of several adapters; whether CPU or GPU is
 * said by the backendType there. */
typedef struct WGPUWeftRequestAdapterOptions {
    WGPUChainedStruct chain;
    /* A part of WGPUAdapterInfo::device or ::description, upper and lower case being the
     * same; or "cpu", "gpu", "vulkan"; or a number, counted from 0 in the order of
     * preference ("#2" is the number alone, where "2" may be a part of a name as well). The
     * first adapter that it means is taken. Empty: any. */
    WGPUStringView    name;
} WGPUWeftRequestAdapterOptions WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT \
    _wgpu_MAKE_INIT_STRUCT(WGPUWeftRequestAdapterOptions, { \
        _wgpu_MAKE_INIT_STRUCT(WGPUChainedStruct, { \
            NULL _wgpu_COMMA WGPUSType_WeftRequestAdapterOptions }) _wgpu_COMMA \
        WGPU_STRING_VIEW_INIT })

/* In WGPUAdapterInfo, before it is asked for. */
typedef struct WGPUWeftAdapterInfo {
    WGPUChainedStruct chain;
    WGPUStringView    driver;   /* with its version; lives as long as the process; empty:
                                 * there is none */
    uint64_t          memory;   /* bytes that the device has, or shares with the host */
} WGPUWeftAdapterInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_WEFT_ADAPTER_INFO_INIT _wgpu_MAKE_INIT_STRUCT(WGPUWeftAdapterInfo, { \
    _wgpu_MAKE_INIT_STRUCT(WGPUChainedStruct, { \
        NULL _wgpu_COMMA WGPUSType_WeftAdapterInfo }) _wgpu_COMMA \
    WGPU_STRING_VIEW_INIT _wgpu_COMMA 0 })

/* In WGPUDeviceDescriptor. Threads, lanes and processor are for the CPU device; a
 * GPU ignores them. */
typedef struct WGPUWeftDeviceOptions {
    WGPUChainedStruct chain;
    uint32_t          threadCount; /* 0: one for each core the process may use */
    uint32_t          laneWidth;   /* invocations at a time: 1, 4, 8, 16; 0: the CPU's best */
    /* Nanoseconds from the start of a dispatch to its end. One that takes longer is stopped
     * and the device is lost, with a message that names the pipeline. 0: none. */
    uint64_t          dispatchDeadlineNS;
    /* The processor that kernels are compiled for, by LLVM's name: "x86-64-v3", "haswell".
     * Device creation fails if this machine cannot run its code. Empty: this machine. */
    WGPUStringView    cpuName;
    /* Waits with a timeout carry out work on their own thread that, by the time it took before,
     * fits into the timeout: it is done sooner than another thread wakes up. Work that takes
     * longer this time makes the wait longer. False: only waits without a timeout do so. */
    WGPUBool          timedWaitsHelp;
} WGPUWeftDeviceOptions WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_WEFT_DEVICE_OPTIONS_INIT _wgpu_MAKE_INIT_STRUCT(WGPUWeftDeviceOptions, { \
    _wgpu_MAKE_INIT_STRUCT(WGPUChainedStruct, { \
        NULL _wgpu_COMMA WGPUSType_WeftDeviceOptions }) _wgpu_COMMA \
    0 _wgpu_COMMA 0 _wgpu_COMMA 0 _wgpu_COMMA WGPU_STRING_VIEW_INIT _wgpu_COMMA \
    WGPU_FALSE })

/* Nothing uses the memory of a WGPUWeftHostMemory any more. On any thread; this API must not be
 * called from it. */
typedef void (*WGPUWeftHostMemoryCallback)(WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

/* In WGPUBufferDescriptor: the bytes of the buffer are these of the program, with the contents
 * that they have, instead of zeroed memory of its own. For the CPU device; others have no such
 * buffers, and making one is a validation error. */
typedef struct WGPUWeftHostMemory {
    WGPUChainedStruct chain;
    /* Its address is a multiple of 16; it has as many bytes as the descriptor's `size`, which is
     * a multiple of 4 and not 0. They stay valid until the callback, and must not change while
     * submitted work uses the buffer, but by that work. Buffers over the same bytes are separate
     * buffers: no dispatch may write to one of them and use another. */
    WGPU_NULLABLE void *data;
    /* Called once: when the buffer is destroyed or released and all work that uses it has
     * ended; for a buffer that cannot be made, before the call that makes it returns. */
    WGPU_NULLABLE WGPUWeftHostMemoryCallback callback;
    WGPU_NULLABLE void *userdata1;
    WGPU_NULLABLE void *userdata2;
} WGPUWeftHostMemory WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_WEFT_HOST_MEMORY_INIT _wgpu_MAKE_INIT_STRUCT(WGPUWeftHostMemory, { \
    _wgpu_MAKE_INIT_STRUCT(WGPUChainedStruct, { \
        NULL _wgpu_COMMA WGPUSType_WeftHostMemory }) _wgpu_COMMA \
    NULL _wgpu_COMMA NULL _wgpu_COMMA NULL _wgpu_COMMA NULL })

/* Copies bytes of a buffer to host memory, without a buffer to map in between. The buffer needs
 * the usage CopySrc, and no work that is submitted may use it any more: wait for that first
 * (wgpuQueueOnSubmittedWorkDone). Any offset and size inside the buffer are allowed. Error, with
 * nothing copied: the arguments are wrong; the buffer is mapped, destroyed or in use; its device
 * is lost, or has memory out of the host's reach, as GPUs do. Copy to a buffer with the usage
 * MapRead then, as webgpu.h has it. */
#if !defined(WGPU_SKIP_PROCS)
typedef WGPUStatus (*WGPUProcWeftBufferRead)(WGPUBuffer buffer, uint64_t offset, void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
#endif
#if !defined(WGPU_SKIP_DECLARATIONS)
#ifdef __cplusplus
extern "C" {
#endif
WGPU_EXPORT WGPUStatus wgpuWeftBufferRead(WGPUBuffer buffer, uint64_t offset, void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
#ifdef __cplusplus
}
#endif
#endif

#endif
