/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webgpu/webgpu.h - the standard C API of WebGPU.
 *
 * Every name, value and layout here is the standard's, so a program written
 * against any current webgpu.h compiles and links with Weft unchanged. Weft
 * carries out the compute part. What belongs to textures, samplers, rendering
 * and surfaces exists and links; using it is a validation error, and the
 * sections say how that error arrives. Weft's own options: webgpu/weft.h.
 *
 * The sections, in the order a program needs them:
 *
 *    1  Compiling        macros that a program may set before the #include
 *    2  Ground           scalars, sentinels, strings, handles, chains, futures
 *    3  Instance         the library itself; waiting; WGSL language features
 *    4  Adapter          what the machine offers: identity, features, limits
 *    5  Device           opening one, losing it, errors
 *    6  Buffer           memory, mapping
 *    7  Binding          bind group layouts, bind groups, pipeline layouts
 *    8  Shader module    WGSL in, messages out
 *    9  Compute pipeline
 *   10  Query            timestamps
 *   11  Commands         encoders, compute passes, command buffers
 *   12  Queue            submitting, writing, knowing when it is done
 *   13  Textures         and samplers: exist and link
 *   14  Rendering        exists and links
 *   15  Surfaces         exist and link
 *   16  Proc types       one function pointer type for each function
 *
 * Ownership  A function that returns an object gives the caller one reference;
 *            ...Release gives it back, ...AddRef adds one. Objects keep alive
 *            what they use, so releasing early is safe; a handle must not be
 *            used after the caller's last reference is gone. Arrays and strings
 *            that a Get... function writes into a struct belong to the caller
 *            until the matching ...FreeMembers. What a callback is given, apart
 *            from objects it is told it owns, lives until the callback returns.
 *            Descriptors and all they point to are read before the call returns.
 * Errors     A device that is asked for something wrong returns an error object,
 *            not NULL, and reports a validation error to the innermost error
 *            scope of the calling thread that takes it, or else to its
 *            uncaptured-error callback. Using an error object is again an
 *            error, so checking once at the end of a chain is enough. Functions
 *            that return WGPUStatus or a pointer to memory fail at once.
 * Threads    Any function may be called from any thread. Encoders and passes
 *            may be used by one thread at a time. Error scopes are per thread.
 * Defaults   Zero is not always the default: start from the WGPU_..._INIT macro
 *            of the struct. The values it sets that are not zero or NULL are
 *            named beside the members.
 */
#ifndef WEBGPU_H_
#define WEBGPU_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* ========================================================== 1  Compiling ====
 *
 * WGPU_SHARED_LIBRARY      set: functions come from a shared library
 * WGPU_IMPLEMENTATION      set while building that library, not while using it
 * WGPU_SKIP_DECLARATIONS   set: no functions, for programs that load them all
 * WGPU_SKIP_PROCS          set: no WGPUProc... types
 *
 * The attribute macros and WGPU_NULLABLE may be defined to annotate every
 * declaration, for a code generator or a static checker.
 */
#if !defined(WGPU_SHARED_LIBRARY)
#  define WGPU_EXPORT
#elif defined(_WIN32)
#  if defined(WGPU_IMPLEMENTATION)
#    define WGPU_EXPORT __declspec(dllexport)
#  else
#    define WGPU_EXPORT __declspec(dllimport)
#  endif
#elif defined(WGPU_IMPLEMENTATION)
#  define WGPU_EXPORT __attribute__((visibility("default")))
#else
#  define WGPU_EXPORT
#endif

#ifndef WGPU_OBJECT_ATTRIBUTE
#  define WGPU_OBJECT_ATTRIBUTE
#endif
#ifndef WGPU_ENUM_ATTRIBUTE
#  define WGPU_ENUM_ATTRIBUTE
#endif
#ifndef WGPU_STRUCTURE_ATTRIBUTE
#  define WGPU_STRUCTURE_ATTRIBUTE
#endif
#ifndef WGPU_FUNCTION_ATTRIBUTE
#  define WGPU_FUNCTION_ATTRIBUTE
#endif
/* Marks a pointer or handle that may be NULL. */
#ifndef WGPU_NULLABLE
#  define WGPU_NULLABLE
#endif

/*
 * What the WGPU_..._INIT macros are made of. From C99 and C++11 on they are
 * values with a type, good in an assignment as well as in a definition; in
 * older dialects they are bare braces, good in a definition only.
 */
#if defined(__cplusplus)
#  define _wgpu_ENUM_ZERO_INIT(type) type(0)
#  define _wgpu_STRUCT_ZERO_INIT {}
#else
#  define _wgpu_ENUM_ZERO_INIT(type) (type)0
#  define _wgpu_STRUCT_ZERO_INIT {0}
#endif
#if defined(__cplusplus) && (__cplusplus >= 201103L || defined(_MSC_VER))
#  define _wgpu_INIT(type) (type
#  define _wgpu_END )
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#  define _wgpu_INIT(type) ((type)
#  define _wgpu_END )
#else
#  define _wgpu_INIT(type)
#  define _wgpu_END
#endif
#define _wgpu_CHAIN_INIT(sType) _wgpu_INIT(WGPUChainedStruct) { NULL, sType } _wgpu_END

/* The same for headers with extensions, of Weft and of others: the braces are
 * one argument, with _wgpu_COMMA between the values. */
#define _wgpu_MAKE_INIT_STRUCT(type, value) _wgpu_INIT(type) value _wgpu_END
#define _wgpu_COMMA ,

#ifdef __cplusplus
extern "C" {
#endif

/* ============================================================= 2  Ground ==== */

/* A truth value of fixed width. Anything but zero counts as true. */
typedef uint32_t WGPUBool;
#define WGPU_TRUE  (UINT32_C(1))
#define WGPU_FALSE (UINT32_C(0))

/* A set of bits: the type below WGPUBufferUsage and its like. */
typedef uint64_t WGPUFlags;

/*
 * Sentinels: values that stand for "not given". What happens then is said
 * where they are used.
 */
#define WGPU_STRLEN                      (SIZE_MAX)   /* WGPUStringView: ends at the NUL       */
#define WGPU_WHOLE_SIZE                  (UINT64_MAX) /* bindings, clears: to the buffer's end */
#define WGPU_WHOLE_MAP_SIZE              (SIZE_MAX)   /* mapping: to the buffer's end          */
#define WGPU_LIMIT_U32_UNDEFINED         (UINT32_MAX) /* WGPULimits: no wish                   */
#define WGPU_LIMIT_U64_UNDEFINED         (UINT64_MAX) /* WGPULimits: no wish                   */
#define WGPU_QUERY_SET_INDEX_UNDEFINED   (UINT32_MAX) /* timestamps: write none                */
#define WGPU_ARRAY_LAYER_COUNT_UNDEFINED (UINT32_MAX) /* texture views: all that remain        */
#define WGPU_MIP_LEVEL_COUNT_UNDEFINED   (UINT32_MAX) /* texture views: all that remain        */
#define WGPU_COPY_STRIDE_UNDEFINED       (UINT32_MAX) /* texture copies: rows without gaps     */
#define WGPU_DEPTH_CLEAR_VALUE_UNDEFINED (NAN)        /* render passes; test it with isnan()   */
#define WGPU_DEPTH_SLICE_UNDEFINED       (UINT32_MAX) /* render passes                         */

/*
 * UTF-8 text. What goes in may have a length in bytes or, with WGPU_STRLEN, end
 * at its NUL; { NULL, WGPU_STRLEN } is "no string", which is not the same as ""
 * where a member says so, and the same as "" everywhere else. NULL with any
 * other length but 0 is wrong. What comes out always has its length and need
 * not end with NUL: print it with "%.*s".
 */
typedef struct WGPUStringView {
    WGPU_NULLABLE const char *data;   /* NULL only with length 0 or WGPU_STRLEN */
    size_t                    length; /* bytes, default WGPU_STRLEN */
} WGPUStringView WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_STRING_VIEW_INIT _wgpu_INIT(WGPUStringView) { NULL, WGPU_STRLEN } _wgpu_END

/*
 * The objects. All are counted references to something the library keeps; the
 * sections below say what each is.
 */
typedef struct WGPUInstanceImpl *WGPUInstance WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUAdapterImpl *WGPUAdapter WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUDeviceImpl *WGPUDevice WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUQueueImpl *WGPUQueue WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUBufferImpl *WGPUBuffer WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUBindGroupLayoutImpl *WGPUBindGroupLayout WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUBindGroupImpl *WGPUBindGroup WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUPipelineLayoutImpl *WGPUPipelineLayout WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUShaderModuleImpl *WGPUShaderModule WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUComputePipelineImpl *WGPUComputePipeline WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUQuerySetImpl *WGPUQuerySet WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUCommandEncoderImpl *WGPUCommandEncoder WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUComputePassEncoderImpl *WGPUComputePassEncoder WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUCommandBufferImpl *WGPUCommandBuffer WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUTextureImpl *WGPUTexture WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUTextureViewImpl *WGPUTextureView WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUExternalTextureImpl *WGPUExternalTexture WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUSamplerImpl *WGPUSampler WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPURenderPipelineImpl *WGPURenderPipeline WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPURenderPassEncoderImpl *WGPURenderPassEncoder WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPURenderBundleImpl *WGPURenderBundle WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPURenderBundleEncoderImpl *WGPURenderBundleEncoder WGPU_OBJECT_ATTRIBUTE;
typedef struct WGPUSurfaceImpl *WGPUSurface WGPU_OBJECT_ATTRIBUTE;

/*
 * Chains: how a struct gets members it was not born with. An extensible struct
 * starts with `nextInChain`; it points to the `chain` member at the start of an
 * extension struct, whose sType says what it is, and so on to NULL.
 *
 *     WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
 *     wgsl.code.data = text;
 *     WGPUShaderModuleDescriptor desc = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
 *     desc.nextInChain = &wgsl.chain;
 *
 * An sType that has no business in this chain, or one that occurs twice, is an
 * error: of validation where a device is at hand, otherwise WGPUStatus_Error
 * with nothing written. Values outside those listed belong to implementations;
 * a program walking a chain it was given skips what it does not know.
 */
typedef enum WGPUSType {
    WGPUSType_ShaderSourceSPIRV                 = 1,  /* in WGPUShaderModuleDescriptor */
    WGPUSType_ShaderSourceWGSL                  = 2,  /* in WGPUShaderModuleDescriptor */
    WGPUSType_RenderPassMaxDrawCount            = 3,  /* in WGPURenderPassDescriptor */
    /* this and the SurfaceSource... below: in WGPUSurfaceDescriptor */
    WGPUSType_SurfaceSourceMetalLayer           = 4,
    WGPUSType_SurfaceSourceWindowsHWND          = 5,
    WGPUSType_SurfaceSourceXlibWindow           = 6,
    WGPUSType_SurfaceSourceWaylandSurface       = 7,
    WGPUSType_SurfaceSourceAndroidNativeWindow  = 8,
    WGPUSType_SurfaceSourceXCBWindow            = 9,
    WGPUSType_SurfaceColorManagement            = 10, /* in WGPUSurfaceConfiguration */
    WGPUSType_RequestAdapterWebXROptions        = 11, /* in WGPURequestAdapterOptions */
    WGPUSType_TextureComponentSwizzleDescriptor = 12, /* in WGPUTextureViewDescriptor */
    WGPUSType_ExternalTextureBindingLayout      = 13, /* in WGPUBindGroupLayoutEntry */
    WGPUSType_ExternalTextureBindingEntry       = 14, /* in WGPUBindGroupEntry */
    WGPUSType_CompatibilityModeLimits           = 15, /* in WGPULimits */
    WGPUSType_TextureBindingViewDimension       = 16, /* in WGPUTextureDescriptor */
    WGPUSType_Force32                           = 0x7FFFFFFF
} WGPUSType WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUChainedStruct {
    struct WGPUChainedStruct *next; /* NULL: the last one */
    WGPUSType                 sType;
} WGPUChainedStruct WGPU_STRUCTURE_ATTRIBUTE;

/* The answer of a function that does its work at once. */
typedef enum WGPUStatus {
    WGPUStatus_Success = 1,
    WGPUStatus_Error   = 2, /* the arguments were wrong; nothing was written */
    WGPUStatus_Force32 = 0x7FFFFFFF
} WGPUStatus WGPU_ENUM_ATTRIBUTE;

/* Where zero is needed to mean "no" and a third value "not said". */
typedef enum WGPUOptionalBool {
    WGPUOptionalBool_False     = 0,
    WGPUOptionalBool_True      = 1,
    WGPUOptionalBool_Undefined = 2,
    WGPUOptionalBool_Force32   = 0x7FFFFFFF
} WGPUOptionalBool WGPU_ENUM_ATTRIBUTE;

/*
 * Something that will happen: every function that takes a ...CallbackInfo
 * returns one. Its callback runs exactly once, when the program looks: what
 * counts as looking is the callback's mode. There is nothing to release.
 * A spontaneous callback must not call this API, but for the functions that
 * give, read and write mapped ranges.
 */
typedef struct WGPUFuture {
    uint64_t id; /* 0: no future, as when the call was refused */
} WGPUFuture WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_FUTURE_INIT _wgpu_INIT(WGPUFuture) { 0 } _wgpu_END

typedef enum WGPUCallbackMode {
    WGPUCallbackMode_WaitAnyOnly        = 1, /* in wgpuInstanceWaitAny() with its future */
    WGPUCallbackMode_AllowProcessEvents = 2, /* there, and in wgpuInstanceProcessEvents() */
    WGPUCallbackMode_AllowSpontaneous   = 3, /* there, and any time on any thread */
    WGPUCallbackMode_Force32            = 0x7FFFFFFF
} WGPUCallbackMode WGPU_ENUM_ATTRIBUTE;

/* =========================================================== 3  Instance ====
 *
 * The root of everything. Two instances know nothing of each other.
 */

/* What an instance can do beyond the minimum, if it is asked to. */
typedef enum WGPUInstanceFeatureName {
    WGPUInstanceFeatureName_TimedWaitAny              = 1, /* waits with a timeout */
    WGPUInstanceFeatureName_ShaderSourceSPIRV         = 2, /* shader modules made from SPIR-V */
    WGPUInstanceFeatureName_MultipleDevicesPerAdapter = 3, /* otherwise one each */
    WGPUInstanceFeatureName_Force32                   = 0x7FFFFFFF
} WGPUInstanceFeatureName WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUInstanceLimits {
    WGPUChainedStruct *nextInChain;
    size_t             timedWaitAnyMaxCount; /* futures in one wait with a timeout */
} WGPUInstanceLimits WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_INSTANCE_LIMITS_INIT _wgpu_INIT(WGPUInstanceLimits) { NULL, 0 } _wgpu_END

typedef struct WGPUSupportedInstanceFeatures {
    size_t                         featureCount;
    const WGPUInstanceFeatureName *features;
} WGPUSupportedInstanceFeatures WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SUPPORTED_INSTANCE_FEATURES_INIT _wgpu_INIT(WGPUSupportedInstanceFeatures) { \
    0, NULL \
} _wgpu_END

typedef struct WGPUInstanceDescriptor {
    WGPUChainedStruct                      *nextInChain;      /* WGPUWeftInstanceOptions */
    size_t                                  requiredFeatureCount;
    const WGPUInstanceFeatureName          *requiredFeatures; /* all of them, or no instance */
    WGPU_NULLABLE const WGPUInstanceLimits *requiredLimits;   /* NULL: the least there is */
} WGPUInstanceDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_INSTANCE_DESCRIPTOR_INIT _wgpu_INIT(WGPUInstanceDescriptor) { \
    NULL, 0, NULL, NULL \
} _wgpu_END

/* Extensions of WGSL that `requires` may name in a shader, where the same words
 * are written in lower case with underscores: LinearIndexing is linear_indexing. */
typedef enum WGPUWGSLLanguageFeatureName {
    WGPUWGSLLanguageFeatureName_ReadonlyAndReadwriteStorageTextures = 1,
    WGPUWGSLLanguageFeatureName_Packed4x8IntegerDotProduct          = 2,
    WGPUWGSLLanguageFeatureName_UnrestrictedPointerParameters       = 3,
    WGPUWGSLLanguageFeatureName_PointerCompositeAccess              = 4,
    WGPUWGSLLanguageFeatureName_UniformBufferStandardLayout         = 5,
    WGPUWGSLLanguageFeatureName_SubgroupId                          = 6,
    WGPUWGSLLanguageFeatureName_TextureAndSamplerLet                = 7,
    WGPUWGSLLanguageFeatureName_SubgroupUniformity                  = 8,
    WGPUWGSLLanguageFeatureName_TextureFormatsTier1                 = 9,
    WGPUWGSLLanguageFeatureName_LinearIndexing                      = 10,
    WGPUWGSLLanguageFeatureName_ImmediateAddressSpace               = 11,
    WGPUWGSLLanguageFeatureName_Force32                             = 0x7FFFFFFF
} WGPUWGSLLanguageFeatureName WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUSupportedWGSLLanguageFeatures {
    size_t                             featureCount;
    const WGPUWGSLLanguageFeatureName *features;
} WGPUSupportedWGSLLanguageFeatures WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SUPPORTED_WGSL_LANGUAGE_FEATURES_INIT \
    _wgpu_INIT(WGPUSupportedWGSLLanguageFeatures) { 0, NULL } _wgpu_END

/* One future of a wait, and whether it has come to pass. */
typedef struct WGPUFutureWaitInfo {
    WGPUFuture future;
    WGPUBool   completed; /* written by the wait */
} WGPUFutureWaitInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_FUTURE_WAIT_INFO_INIT _wgpu_INIT(WGPUFutureWaitInfo) { \
    WGPU_FUTURE_INIT, WGPU_FALSE \
} _wgpu_END

typedef enum WGPUWaitStatus {
    WGPUWaitStatus_Success  = 1, /* at least one future is complete */
    WGPUWaitStatus_TimedOut = 2, /* none was, in the time given */
    WGPUWaitStatus_Error    = 3, /* the wait itself was wrong, see wgpuInstanceWaitAny() */
    WGPUWaitStatus_Force32  = 0x7FFFFFFF
} WGPUWaitStatus WGPU_ENUM_ATTRIBUTE;

/* Any function, as wgpuGetProcAddress() gives it: cast it to its WGPUProc... type. */
typedef void (*WGPUProc)(void) WGPU_FUNCTION_ATTRIBUTE;

#if !defined(WGPU_SKIP_DECLARATIONS)

/* Makes an instance; `descriptor` NULL: all defaults. NULL if it asks for a
 * feature or a limit that is not to be had, or holds a chain that is wrong. */
WGPU_EXPORT WGPUInstance wgpuCreateInstance(
    WGPU_NULLABLE const WGPUInstanceDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuInstanceAddRef(WGPUInstance instance) WGPU_FUNCTION_ATTRIBUTE;
/* With the last reference, callbacks that still wait run with the status
 * ...CallbackCancelled. */
WGPU_EXPORT void wgpuInstanceRelease(WGPUInstance instance) WGPU_FUNCTION_ATTRIBUTE;

/* What wgpuCreateInstance() would grant. */
WGPU_EXPORT void wgpuGetInstanceFeatures(
    WGPUSupportedInstanceFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSupportedInstanceFeaturesFreeMembers(
    WGPUSupportedInstanceFeatures supportedInstanceFeatures) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBool wgpuHasInstanceFeature(
    WGPUInstanceFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUStatus wgpuGetInstanceLimits(
    WGPUInstanceLimits *limits) WGPU_FUNCTION_ATTRIBUTE;

/* The function of that name, or NULL for a name that is not in this header. */
WGPU_EXPORT WGPUProc wgpuGetProcAddress(WGPUStringView procName) WGPU_FUNCTION_ATTRIBUTE;

/* The WGSL extensions that shader modules of this instance may require. */
WGPU_EXPORT void wgpuInstanceGetWGSLLanguageFeatures(WGPUInstance instance,
    WGPUSupportedWGSLLanguageFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSupportedWGSLLanguageFeaturesFreeMembers(
    WGPUSupportedWGSLLanguageFeatures supportedWGSLLanguageFeatures) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBool wgpuInstanceHasWGSLLanguageFeature(WGPUInstance instance,
    WGPUWGSLLanguageFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;

/* Runs the callbacks of what is complete, in the modes that allow it. Never waits. */
WGPU_EXPORT void wgpuInstanceProcessEvents(WGPUInstance instance) WGPU_FUNCTION_ATTRIBUTE;

/*
 * Waits until one of `futures` is complete or `timeoutNS` nanoseconds are over,
 * runs the callbacks of all that are complete and marks them. Zero: looks once
 * and does not wait. UINT64_MAX: waits without end.
 *
 * Error, and no callback runs, if the timeout is above zero without
 * WGPUInstanceFeatureName_TimedWaitAny, with more futures than the limit
 * timedWaitAnyMaxCount, or with futures of different queues, or of a queue and
 * of something else (wgpuBufferMapAsync() and wgpuQueueOnSubmittedWorkDone()
 * are of a queue).
 */
WGPU_EXPORT WGPUWaitStatus wgpuInstanceWaitAny(WGPUInstance instance, size_t futureCount,
    WGPU_NULLABLE WGPUFutureWaitInfo *futures, uint64_t timeoutNS) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ============================================================ 4  Adapter ====
 *
 * A way to compute that this machine has: Weft's CPU device always, and each
 * Vulkan device that is found. An adapter only describes; a device works.
 */

typedef enum WGPUAdapterType {
    WGPUAdapterType_DiscreteGPU   = 1,
    WGPUAdapterType_IntegratedGPU = 2,
    WGPUAdapterType_CPU           = 3, /* Weft's own device, and Vulkan in software */
    WGPUAdapterType_Unknown       = 4,
    WGPUAdapterType_Force32       = 0x7FFFFFFF
} WGPUAdapterType WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUBackendType {
    WGPUBackendType_Undefined = 0, /* in a request: any. Weft's CPU device: see webgpu/weft.h */
    WGPUBackendType_Null      = 1,
    WGPUBackendType_WebGPU    = 2,
    WGPUBackendType_D3D11     = 3,
    WGPUBackendType_D3D12     = 4,
    WGPUBackendType_Metal     = 5,
    WGPUBackendType_Vulkan    = 6,
    WGPUBackendType_OpenGL    = 7,
    WGPUBackendType_OpenGLES  = 8,
    WGPUBackendType_Force32   = 0x7FFFFFFF
} WGPUBackendType WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUPowerPreference {
    WGPUPowerPreference_Undefined       = 0, /* no preference */
    WGPUPowerPreference_LowPower        = 1, /* favours an integrated GPU over a discrete one */
    WGPUPowerPreference_HighPerformance = 2, /* favours a discrete GPU over an integrated one */
    WGPUPowerPreference_Force32         = 0x7FFFFFFF
} WGPUPowerPreference WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUFeatureLevel {
    WGPUFeatureLevel_Undefined     = 0, /* means Core */
    WGPUFeatureLevel_Compatibility = 1, /* granted as Core: what runs here runs there */
    WGPUFeatureLevel_Core          = 2, /* the defaults of WGPULimits */
    WGPUFeatureLevel_Force32       = 0x7FFFFFFF
} WGPUFeatureLevel WGPU_ENUM_ATTRIBUTE;

/* All members are wishes that must be met, but for powerPreference, a hint. */
typedef struct WGPURequestAdapterOptions {
    WGPUChainedStruct        *nextInChain;          /* WGPUWeftRequestAdapterOptions */
    WGPUFeatureLevel          featureLevel;
    WGPUPowerPreference       powerPreference;
    WGPUBool                  forceFallbackAdapter; /* true: the CPU, no GPU */
    WGPUBackendType           backendType;          /* Undefined: any */
    WGPU_NULLABLE WGPUSurface compatibleSurface;    /* not NULL: no adapter has it */
} WGPURequestAdapterOptions WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_REQUEST_ADAPTER_OPTIONS_INIT _wgpu_INIT(WGPURequestAdapterOptions) { \
    NULL, WGPUFeatureLevel_Undefined, WGPUPowerPreference_Undefined, WGPU_FALSE, \
    WGPUBackendType_Undefined, NULL \
} _wgpu_END

/* In WGPURequestAdapterOptions. */
typedef struct WGPURequestAdapterWebXROptions {
    WGPUChainedStruct chain;
    WGPUBool          xrCompatible; /* true: Weft has no such adapter */
} WGPURequestAdapterWebXROptions WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_REQUEST_ADAPTER_WEBXR_OPTIONS_INIT \
    _wgpu_INIT(WGPURequestAdapterWebXROptions) { \
    _wgpu_CHAIN_INIT(WGPUSType_RequestAdapterWebXROptions), WGPU_FALSE \
} _wgpu_END

/* What an adapter is called. The strings belong to the caller, who gives them
 * back with wgpuAdapterInfoFreeMembers(). */
typedef struct WGPUAdapterInfo {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     vendor;          /* who made it, in lower case */
    WGPUStringView     architecture;    /* its family */
    WGPUStringView     device;          /* which one of them */
    WGPUStringView     description;     /* for people to read */
    WGPUBackendType    backendType;
    WGPUAdapterType    adapterType;
    uint32_t           vendorID;        /* PCI number, 0 if there is none */
    uint32_t           deviceID;        /* PCI number, 0 if there is none */
    uint32_t           subgroupMinSize; /* invocations */
    uint32_t           subgroupMaxSize; /* invocations */
} WGPUAdapterInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_ADAPTER_INFO_INIT _wgpu_INIT(WGPUAdapterInfo) { \
    NULL, WGPU_STRING_VIEW_INIT, WGPU_STRING_VIEW_INIT, WGPU_STRING_VIEW_INIT, \
    WGPU_STRING_VIEW_INIT, WGPUBackendType_Undefined, \
    _wgpu_ENUM_ZERO_INIT(WGPUAdapterType), 0, 0, 0, 0 \
} _wgpu_END

/*
 * What a device can do beyond the minimum, if it is asked to. Those that only
 * concern textures and rendering are never offered by Weft.
 */
typedef enum WGPUFeatureName {
    WGPUFeatureName_CoreFeaturesAndLimits          = 1,  /* always there */
    WGPUFeatureName_DepthClipControl               = 2,  /* rendering */
    WGPUFeatureName_Depth32FloatStencil8           = 3,  /* textures */
    WGPUFeatureName_TextureCompressionBC           = 4,  /* textures */
    WGPUFeatureName_TextureCompressionBCSliced3D   = 5,  /* textures */
    WGPUFeatureName_TextureCompressionETC2         = 6,  /* textures */
    WGPUFeatureName_TextureCompressionASTC         = 7,  /* textures */
    WGPUFeatureName_TextureCompressionASTCSliced3D = 8,  /* textures */
    WGPUFeatureName_TimestampQuery                 = 9,  /* timestamps at the ends of passes */
    WGPUFeatureName_IndirectFirstInstance          = 10, /* rendering */
    WGPUFeatureName_ShaderF16                      = 11, /* `enable f16;` in WGSL */
    WGPUFeatureName_RG11B10UfloatRenderable        = 12, /* rendering */
    WGPUFeatureName_BGRA8UnormStorage              = 13, /* textures */
    WGPUFeatureName_Float32Filterable              = 14, /* textures */
    WGPUFeatureName_Float32Blendable               = 15, /* rendering */
    WGPUFeatureName_ClipDistances                  = 16, /* rendering */
    WGPUFeatureName_DualSourceBlending             = 17, /* rendering */
    WGPUFeatureName_Subgroups                      = 18, /* `enable subgroups;` in WGSL */
    WGPUFeatureName_TextureFormatsTier1            = 19, /* textures */
    WGPUFeatureName_TextureFormatsTier2            = 20, /* textures */
    WGPUFeatureName_PrimitiveIndex                 = 21, /* rendering */
    WGPUFeatureName_TextureComponentSwizzle        = 22, /* textures */
    WGPUFeatureName_SubgroupSizeControl            = 23, /* `@subgroup_size` in WGSL */
    WGPUFeatureName_Force32                        = 0x7FFFFFFF
} WGPUFeatureName WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUSupportedFeatures {
    size_t                 featureCount;
    const WGPUFeatureName *features;
} WGPUSupportedFeatures WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SUPPORTED_FEATURES_INIT _wgpu_INIT(WGPUSupportedFeatures) { 0, NULL } _wgpu_END

/*
 * How much there is of everything; WGPUCompatibilityModeLimits may be chained.
 * Read from an adapter it is the most (for the alignments, the least) a device
 * may be asked for; read from a device it is what that device enforces; given in
 * a WGPUDeviceDescriptor it is a wish, where UNDEFINED, the initial value of all
 * members, asks for the standard's default: the number in the comment.
 */
typedef struct WGPULimits {
    WGPUChainedStruct *nextInChain;
    uint32_t           maxTextureDimension1D;                     /* 8192 texels */
    uint32_t           maxTextureDimension2D;                     /* 8192 texels */
    uint32_t           maxTextureDimension3D;                     /* 2048 texels */
    uint32_t           maxTextureArrayLayers;                     /* 256 */
    uint32_t           maxBindGroups;                             /* 4 */
    uint32_t           maxBindGroupsPlusVertexBuffers;            /* 24 */
    uint32_t           maxBindingsPerBindGroup;                   /* 1000; also ends the numbers */
    uint32_t           maxDynamicUniformBuffersPerPipelineLayout; /* 8 */
    uint32_t           maxDynamicStorageBuffersPerPipelineLayout; /* 4 */
    uint32_t           maxSampledTexturesPerShaderStage;          /* 16 */
    uint32_t           maxSamplersPerShaderStage;                 /* 16 */
    uint32_t           maxStorageBuffersPerShaderStage;           /* 8 */
    uint32_t           maxStorageTexturesPerShaderStage;          /* 4 */
    uint32_t           maxUniformBuffersPerShaderStage;           /* 12 */
    uint64_t           maxUniformBufferBindingSize;               /* 65,536 bytes */
    uint64_t           maxStorageBufferBindingSize;               /* 134,217,728 bytes (128 MiB) */
    uint32_t           minUniformBufferOffsetAlignment;           /* 256 bytes; a power of two */
    uint32_t           minStorageBufferOffsetAlignment;           /* 256 bytes; a power of two */
    uint32_t           maxVertexBuffers;                          /* 8 */
    uint64_t           maxBufferSize;                             /* 268,435,456 bytes (256 MiB) */
    uint32_t           maxVertexAttributes;                       /* 16 */
    uint32_t           maxVertexBufferArrayStride;                /* 2048 bytes */
    uint32_t           maxInterStageShaderVariables;              /* 16 */
    uint32_t           maxColorAttachments;                       /* 8 */
    uint32_t           maxColorAttachmentBytesPerSample;          /* 32 bytes */
    uint32_t           maxComputeWorkgroupStorageSize;            /* 16,384 bytes */
    uint32_t           maxComputeInvocationsPerWorkgroup;         /* 256, the sizes multiplied */
    uint32_t           maxComputeWorkgroupSizeX;                  /* 256 */
    uint32_t           maxComputeWorkgroupSizeY;                  /* 256 */
    uint32_t           maxComputeWorkgroupSizeZ;                  /* 64 */
    uint32_t           maxComputeWorkgroupsPerDimension;          /* 65,535 */
    uint32_t           maxImmediateSize;                          /* 64 bytes of var<immediate> */
} WGPULimits WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_LIMITS_INIT _wgpu_INIT(WGPULimits) { \
    NULL, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U64_UNDEFINED, \
    WGPU_LIMIT_U64_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U64_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED \
} _wgpu_END

/* In WGPULimits. They concern vertex and fragment shaders alone. */
typedef struct WGPUCompatibilityModeLimits {
    WGPUChainedStruct chain;
    uint32_t          maxStorageBuffersInVertexStage;    /* 8 */
    uint32_t          maxStorageTexturesInVertexStage;   /* 4 */
    uint32_t          maxStorageBuffersInFragmentStage;  /* 8 */
    uint32_t          maxStorageTexturesInFragmentStage; /* 4 */
} WGPUCompatibilityModeLimits WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPATIBILITY_MODE_LIMITS_INIT _wgpu_INIT(WGPUCompatibilityModeLimits) { \
    _wgpu_CHAIN_INIT(WGPUSType_CompatibilityModeLimits), WGPU_LIMIT_U32_UNDEFINED, \
    WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED, WGPU_LIMIT_U32_UNDEFINED \
} _wgpu_END

typedef enum WGPURequestAdapterStatus {
    WGPURequestAdapterStatus_Success           = 1,
    WGPURequestAdapterStatus_CallbackCancelled = 2, /* the instance went first */
    WGPURequestAdapterStatus_Unavailable       = 3, /* nothing here meets the options */
    WGPURequestAdapterStatus_Error             = 4, /* the options are wrong */
    WGPURequestAdapterStatus_Force32           = 0x7FFFFFFF
} WGPURequestAdapterStatus WGPU_ENUM_ATTRIBUTE;

/* `adapter`: owned by the callback on Success, otherwise NULL.
 * `message`: empty on Success. */
typedef void (*WGPURequestAdapterCallback)(WGPURequestAdapterStatus status,
    WGPUAdapter adapter, WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPURequestAdapterCallbackInfo {
    WGPUChainedStruct         *nextInChain;
    WGPUCallbackMode           mode;     /* must be set */
    WGPURequestAdapterCallback callback; /* must be set */
    WGPU_NULLABLE void        *userdata1;
    WGPU_NULLABLE void        *userdata2;
} WGPURequestAdapterCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPURequestAdapterCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

/* Looks for an adapter; `options` NULL: all defaults. */
WGPU_EXPORT WGPUFuture wgpuInstanceRequestAdapter(WGPUInstance instance,
    WGPU_NULLABLE const WGPURequestAdapterOptions *options,
    WGPURequestAdapterCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuAdapterAddRef(WGPUAdapter adapter) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuAdapterRelease(WGPUAdapter adapter) WGPU_FUNCTION_ATTRIBUTE;

/* What the adapter offers. wgpuAdapterGetLimits() fails on a chain that is
 * wrong, and so does wgpuAdapterGetInfo(). */
WGPU_EXPORT WGPUStatus wgpuAdapterGetInfo(WGPUAdapter adapter,
    WGPUAdapterInfo *info) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuAdapterInfoFreeMembers(
    WGPUAdapterInfo adapterInfo) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUStatus wgpuAdapterGetLimits(WGPUAdapter adapter,
    WGPULimits *limits) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuAdapterGetFeatures(WGPUAdapter adapter,
    WGPUSupportedFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSupportedFeaturesFreeMembers(
    WGPUSupportedFeatures supportedFeatures) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBool wgpuAdapterHasFeature(WGPUAdapter adapter,
    WGPUFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ============================================================= 5  Device ====
 *
 * An adapter at work, with the features and limits it was opened with, and one
 * queue. All objects below are made by a device and used only with it.
 *
 * A device ends by wgpuDeviceDestroy(), by the release of its last reference or
 * by a failure; then it is lost, for good. Calls on a lost device and on its
 * objects do nothing and report nothing.
 */

typedef struct WGPUQueueDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     label; /* for messages */
} WGPUQueueDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_QUEUE_DESCRIPTOR_INIT _wgpu_INIT(WGPUQueueDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT \
} _wgpu_END

typedef enum WGPUDeviceLostReason {
    WGPUDeviceLostReason_Unknown           = 1, /* it failed; the message says how */
    WGPUDeviceLostReason_Destroyed         = 2, /* the program ended it */
    WGPUDeviceLostReason_CallbackCancelled = 3, /* the instance went first */
    WGPUDeviceLostReason_FailedCreation    = 4, /* it was never opened */
    WGPUDeviceLostReason_Force32           = 0x7FFFFFFF
} WGPUDeviceLostReason WGPU_ENUM_ATTRIBUTE;

/* `device`: points to the device, or to NULL if it was never opened or its last
 * reference is gone. The callback does not own it. */
typedef void (*WGPUDeviceLostCallback)(const WGPUDevice *device,
    WGPUDeviceLostReason reason, WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUDeviceLostCallbackInfo {
    WGPUChainedStruct     *nextInChain;
    WGPUCallbackMode       mode;     /* must be set if there is a callback */
    WGPUDeviceLostCallback callback; /* NULL: the loss goes unheard */
    WGPU_NULLABLE void    *userdata1;
    WGPU_NULLABLE void    *userdata2;
} WGPUDeviceLostCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_DEVICE_LOST_CALLBACK_INFO_INIT _wgpu_INIT(WGPUDeviceLostCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

typedef enum WGPUErrorType {
    WGPUErrorType_NoError     = 1, /* in a popped scope that caught nothing */
    WGPUErrorType_Validation  = 2, /* the program broke a rule */
    WGPUErrorType_OutOfMemory = 3, /* the memory is not to be had */
    WGPUErrorType_Internal    = 4, /* the rules were kept, and it still could not be done */
    WGPUErrorType_Unknown     = 5,
    WGPUErrorType_Force32     = 0x7FFFFFFF
} WGPUErrorType WGPU_ENUM_ATTRIBUTE;

/* Which errors a scope takes. */
typedef enum WGPUErrorFilter {
    WGPUErrorFilter_Validation  = 1,
    WGPUErrorFilter_OutOfMemory = 2,
    WGPUErrorFilter_Internal    = 3,
    WGPUErrorFilter_Force32     = 0x7FFFFFFF
} WGPUErrorFilter WGPU_ENUM_ATTRIBUTE;

/* An error that no scope took. It may come on any thread and in the middle of
 * another call, so this API must not be called from it. The callback does not
 * own the device. None comes after the device is lost. */
typedef void (*WGPUUncapturedErrorCallback)(const WGPUDevice *device, WGPUErrorType type,
    WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUUncapturedErrorCallbackInfo {
    WGPUChainedStruct          *nextInChain;
    WGPUUncapturedErrorCallback callback; /* NULL: such errors go unheard */
    WGPU_NULLABLE void         *userdata1;
    WGPU_NULLABLE void         *userdata2;
} WGPUUncapturedErrorCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_UNCAPTURED_ERROR_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPUUncapturedErrorCallbackInfo) { NULL, NULL, NULL, NULL } _wgpu_END

typedef struct WGPUDeviceDescriptor {
    WGPUChainedStruct              *nextInChain;      /* WGPUWeftDeviceOptions */
    WGPUStringView                  label;            /* for messages */
    size_t                          requiredFeatureCount;
    const WGPUFeatureName          *requiredFeatures; /* all of them, or no device */
    WGPU_NULLABLE const WGPULimits *requiredLimits;   /* NULL: the defaults */
    WGPUQueueDescriptor             defaultQueue;
    WGPUDeviceLostCallbackInfo      deviceLostCallbackInfo;
    WGPUUncapturedErrorCallbackInfo uncapturedErrorCallbackInfo;
} WGPUDeviceDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_DEVICE_DESCRIPTOR_INIT _wgpu_INIT(WGPUDeviceDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, 0, NULL, NULL, WGPU_QUEUE_DESCRIPTOR_INIT, \
    WGPU_DEVICE_LOST_CALLBACK_INFO_INIT, WGPU_UNCAPTURED_ERROR_CALLBACK_INFO_INIT \
} _wgpu_END

typedef enum WGPURequestDeviceStatus {
    WGPURequestDeviceStatus_Success           = 1,
    WGPURequestDeviceStatus_CallbackCancelled = 2, /* the instance went first */
    WGPURequestDeviceStatus_Error             = 3, /* there is no such device to be had */
    WGPURequestDeviceStatus_Force32           = 0x7FFFFFFF
} WGPURequestDeviceStatus WGPU_ENUM_ATTRIBUTE;

/* `device`: owned by the callback on Success, otherwise NULL.
 * `message`: empty on Success. */
typedef void (*WGPURequestDeviceCallback)(WGPURequestDeviceStatus status, WGPUDevice device,
    WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPURequestDeviceCallbackInfo {
    WGPUChainedStruct        *nextInChain;
    WGPUCallbackMode          mode;     /* must be set */
    WGPURequestDeviceCallback callback; /* must be set */
    WGPU_NULLABLE void       *userdata1;
    WGPU_NULLABLE void       *userdata2;
} WGPURequestDeviceCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT _wgpu_INIT(WGPURequestDeviceCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

typedef enum WGPUPopErrorScopeStatus {
    WGPUPopErrorScopeStatus_Success           = 1,
    WGPUPopErrorScopeStatus_CallbackCancelled = 2, /* the instance went first */
    WGPUPopErrorScopeStatus_Error             = 3, /* this thread had no scope open */
    WGPUPopErrorScopeStatus_Force32           = 0x7FFFFFFF
} WGPUPopErrorScopeStatus WGPU_ENUM_ATTRIBUTE;

/* `type`: the first error the scope took, or NoError. `message`: what was wrong,
 * empty if nothing was. */
typedef void (*WGPUPopErrorScopeCallback)(WGPUPopErrorScopeStatus status,
    WGPUErrorType type, WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUPopErrorScopeCallbackInfo {
    WGPUChainedStruct        *nextInChain;
    WGPUCallbackMode          mode;     /* must be set */
    WGPUPopErrorScopeCallback callback; /* must be set */
    WGPU_NULLABLE void       *userdata1;
    WGPU_NULLABLE void       *userdata2;
} WGPUPopErrorScopeCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPUPopErrorScopeCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

/*
 * Opens a device; `descriptor` NULL: all defaults. If that fails, the
 * device-lost callback runs too, with FailedCreation. An adapter opens one
 * device, unless the instance has the feature MultipleDevicesPerAdapter.
 */
WGPU_EXPORT WGPUFuture wgpuAdapterRequestDevice(WGPUAdapter adapter,
    WGPU_NULLABLE const WGPUDeviceDescriptor *descriptor,
    WGPURequestDeviceCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuDeviceAddRef(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
/* The last reference gone, the device is destroyed. */
WGPU_EXPORT void wgpuDeviceRelease(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuDeviceSetLabel(WGPUDevice device,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

/* Ends the device: its buffers are destroyed, maps that wait are aborted, the
 * device-lost callback gets Destroyed. A second call does nothing. */
WGPU_EXPORT void wgpuDeviceDestroy(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
/* Complete when the device is lost. */
WGPU_EXPORT WGPUFuture wgpuDeviceGetLostFuture(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;

/* What the device was opened with. The features are given back with
 * wgpuSupportedFeaturesFreeMembers(), the info with wgpuAdapterInfoFreeMembers(). */
WGPU_EXPORT WGPUStatus wgpuDeviceGetAdapterInfo(WGPUDevice device,
    WGPUAdapterInfo *adapterInfo) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuDeviceGetFeatures(WGPUDevice device,
    WGPUSupportedFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBool wgpuDeviceHasFeature(WGPUDevice device,
    WGPUFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUStatus wgpuDeviceGetLimits(WGPUDevice device,
    WGPULimits *limits) WGPU_FUNCTION_ATTRIBUTE;

/* The device's only queue; each call gives a reference of its own. */
WGPU_EXPORT WGPUQueue wgpuDeviceGetQueue(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;

/* Error scopes nest: an error of a call goes to the innermost scope of the
 * calling thread whose filter takes it, and a scope keeps the first. Popping
 * closes the innermost one and answers what it took. */
WGPU_EXPORT void wgpuDevicePushErrorScope(WGPUDevice device,
    WGPUErrorFilter filter) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUFuture wgpuDevicePopErrorScope(WGPUDevice device,
    WGPUPopErrorScopeCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ============================================================= 6  Buffer ====
 *
 * Memory of the device; it starts as zeros. While a buffer is mapped, or about
 * to be, the program has it and a submit that uses it is an error.
 */

/*
 * What a buffer may be used for:
 *
 *     MapRead         mapped to be read; beside it only CopyDst is allowed
 *     MapWrite        mapped to be written; beside it only CopySrc is allowed
 *     CopySrc         copied from
 *     CopyDst         copied to, cleared, written by the queue
 *     Index, Vertex   rendering
 *     Uniform         bound as var<uniform>
 *     Storage         bound as var<storage>
 *     Indirect        holds the workgroup counts of a dispatch
 *     QueryResolve    takes the results of queries
 */
typedef WGPUFlags WGPUBufferUsage;
static const WGPUBufferUsage WGPUBufferUsage_None         = 0x0;
static const WGPUBufferUsage WGPUBufferUsage_MapRead      = 0x1;
static const WGPUBufferUsage WGPUBufferUsage_MapWrite     = 0x2;
static const WGPUBufferUsage WGPUBufferUsage_CopySrc      = 0x4;
static const WGPUBufferUsage WGPUBufferUsage_CopyDst      = 0x8;
static const WGPUBufferUsage WGPUBufferUsage_Index        = 0x10;
static const WGPUBufferUsage WGPUBufferUsage_Vertex       = 0x20;
static const WGPUBufferUsage WGPUBufferUsage_Uniform      = 0x40;
static const WGPUBufferUsage WGPUBufferUsage_Storage      = 0x80;
static const WGPUBufferUsage WGPUBufferUsage_Indirect     = 0x100;
static const WGPUBufferUsage WGPUBufferUsage_QueryResolve = 0x200;

typedef struct WGPUBufferDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     label;            /* for messages */
    WGPUBufferUsage    usage;            /* at least one bit */
    uint64_t           size;             /* bytes; a multiple of 4 if mappedAtCreation */
    WGPUBool           mappedAtCreation; /* true: to be written, whatever the usage */
} WGPUBufferDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BUFFER_DESCRIPTOR_INIT _wgpu_INIT(WGPUBufferDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, WGPUBufferUsage_None, 0, WGPU_FALSE \
} _wgpu_END

typedef enum WGPUBufferMapState {
    WGPUBufferMapState_Unmapped = 1,
    WGPUBufferMapState_Pending  = 2, /* wgpuBufferMapAsync() was called and is not complete */
    WGPUBufferMapState_Mapped   = 3,
    WGPUBufferMapState_Force32  = 0x7FFFFFFF
} WGPUBufferMapState WGPU_ENUM_ATTRIBUTE;

/* One of the two, and the buffer has the usage of that name. What is mapped for
 * writing shows the old contents. */
typedef WGPUFlags WGPUMapMode;
static const WGPUMapMode WGPUMapMode_None  = 0x0;
static const WGPUMapMode WGPUMapMode_Read  = 0x1;
static const WGPUMapMode WGPUMapMode_Write = 0x2;

typedef enum WGPUMapAsyncStatus {
    WGPUMapAsyncStatus_Success           = 1,
    WGPUMapAsyncStatus_CallbackCancelled = 2, /* the instance went first */
    WGPUMapAsyncStatus_Error             = 3, /* wrong; the device reports it too */
    WGPUMapAsyncStatus_Aborted           = 4, /* unmapped, destroyed or lost first */
    WGPUMapAsyncStatus_Force32           = 0x7FFFFFFF
} WGPUMapAsyncStatus WGPU_ENUM_ATTRIBUTE;

typedef void (*WGPUBufferMapCallback)(WGPUMapAsyncStatus status, WGPUStringView message,
    WGPU_NULLABLE void *userdata1, WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUBufferMapCallbackInfo {
    WGPUChainedStruct    *nextInChain;
    WGPUCallbackMode      mode;     /* must be set */
    WGPUBufferMapCallback callback; /* must be set */
    WGPU_NULLABLE void   *userdata1;
    WGPU_NULLABLE void   *userdata2;
} WGPUBufferMapCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BUFFER_MAP_CALLBACK_INFO_INIT _wgpu_INIT(WGPUBufferMapCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

/* NULL only if mappedAtCreation is set and there is no memory for it. Without
 * mappedAtCreation that is an OutOfMemory error and an error object. */
WGPU_EXPORT WGPU_NULLABLE WGPUBuffer wgpuDeviceCreateBuffer(WGPUDevice device,
    const WGPUBufferDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuBufferAddRef(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBufferRelease(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBufferSetLabel(WGPUBuffer buffer,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint64_t wgpuBufferGetSize(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBufferUsage wgpuBufferGetUsage(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBufferMapState wgpuBufferGetMapState(
    WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;

/*
 * Asks for the range to be mapped once the queue is done with the buffer.
 * `offset` is a multiple of 8, `size` of 4; WGPU_WHOLE_MAP_SIZE: to the end.
 */
WGPU_EXPORT WGPUFuture wgpuBufferMapAsync(WGPUBuffer buffer, WGPUMapMode mode,
    size_t offset, size_t size,
    WGPUBufferMapCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

/*
 * The mapped memory from `offset`, counted from the start of the buffer, a
 * multiple of 8; `size` is a multiple of 4, WGPU_WHOLE_MAP_SIZE: to the end of
 * the buffer. NULL if that is not mapped, or overlaps a range that was given out
 * before, unless both are const; without const the map must be for writing. The
 * pointer is good until the buffer is unmapped or destroyed. An offset that is
 * a multiple of 16, of a map that is too, gives a pointer that is one.
 */
WGPU_EXPORT void *wgpuBufferGetMappedRange(WGPUBuffer buffer, size_t offset,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT const void *wgpuBufferGetConstMappedRange(WGPUBuffer buffer, size_t offset,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;

/* The same rules, with a copy instead of a pointer. `size` is given in full:
 * WGPU_WHOLE_MAP_SIZE is not understood here. */
WGPU_EXPORT WGPUStatus wgpuBufferReadMappedRange(WGPUBuffer buffer, size_t offset,
    void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUStatus wgpuBufferWriteMappedRange(WGPUBuffer buffer, size_t offset,
    const void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;

/* Ends the map; what was written is seen by every later submit. */
WGPU_EXPORT void wgpuBufferUnmap(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;

/* Gives the memory back at once. Using the buffer in a submit is then an error. */
WGPU_EXPORT void wgpuBufferDestroy(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ============================================================ 7  Binding ====
 *
 * How @group(g) @binding(b) of a shader comes to mean a piece of a buffer: a
 * bind group layout says what kind of thing each binding is, a bind group says
 * which thing, a pipeline layout lists the bind group layouts by group number.
 * Textures and samplers in a layout or a group are validation errors.
 */

typedef WGPUFlags WGPUShaderStage;
static const WGPUShaderStage WGPUShaderStage_None     = 0x0;
static const WGPUShaderStage WGPUShaderStage_Vertex   = 0x1;
static const WGPUShaderStage WGPUShaderStage_Fragment = 0x2;
static const WGPUShaderStage WGPUShaderStage_Compute  = 0x4;

typedef enum WGPUBufferBindingType {
    WGPUBufferBindingType_BindingNotUsed  = 0, /* the entry is no buffer */
    WGPUBufferBindingType_Undefined       = 1, /* means Uniform */
    WGPUBufferBindingType_Uniform         = 2,
    WGPUBufferBindingType_Storage         = 3,
    WGPUBufferBindingType_ReadOnlyStorage = 4, /* var<storage, read> */
    WGPUBufferBindingType_Force32         = 0x7FFFFFFF
} WGPUBufferBindingType WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUBufferBindingLayout {
    WGPUChainedStruct    *nextInChain;
    WGPUBufferBindingType type;             /* default Undefined: Uniform */
    WGPUBool              hasDynamicOffset; /* true: an offset is added by each SetBindGroup */
    uint64_t              minBindingSize;   /* bytes; 0: checked at each dispatch instead */
} WGPUBufferBindingLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BUFFER_BINDING_LAYOUT_INIT _wgpu_INIT(WGPUBufferBindingLayout) { \
    NULL, WGPUBufferBindingType_Undefined, WGPU_FALSE, 0 \
} _wgpu_END

typedef enum WGPUSamplerBindingType {
    WGPUSamplerBindingType_BindingNotUsed = 0, /* the entry is no sampler */
    WGPUSamplerBindingType_Undefined      = 1, /* means Filtering */
    WGPUSamplerBindingType_Filtering      = 2,
    WGPUSamplerBindingType_NonFiltering   = 3,
    WGPUSamplerBindingType_Comparison     = 4,
    WGPUSamplerBindingType_Force32        = 0x7FFFFFFF
} WGPUSamplerBindingType WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUSamplerBindingLayout {
    WGPUChainedStruct     *nextInChain;
    WGPUSamplerBindingType type; /* default Undefined: Filtering */
} WGPUSamplerBindingLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SAMPLER_BINDING_LAYOUT_INIT _wgpu_INIT(WGPUSamplerBindingLayout) { \
    NULL, WGPUSamplerBindingType_Undefined \
} _wgpu_END

typedef enum WGPUTextureSampleType {
    WGPUTextureSampleType_BindingNotUsed    = 0, /* the entry is no sampled texture */
    WGPUTextureSampleType_Undefined         = 1, /* means Float */
    WGPUTextureSampleType_Float             = 2,
    WGPUTextureSampleType_UnfilterableFloat = 3,
    WGPUTextureSampleType_Depth             = 4,
    WGPUTextureSampleType_Sint              = 5,
    WGPUTextureSampleType_Uint              = 6,
    WGPUTextureSampleType_Force32           = 0x7FFFFFFF
} WGPUTextureSampleType WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUTextureViewDimension {
    WGPUTextureViewDimension_Undefined = 0, /* means 2D in a layout */
    WGPUTextureViewDimension_1D        = 1,
    WGPUTextureViewDimension_2D        = 2,
    WGPUTextureViewDimension_2DArray   = 3,
    WGPUTextureViewDimension_Cube      = 4,
    WGPUTextureViewDimension_CubeArray = 5,
    WGPUTextureViewDimension_3D        = 6,
    WGPUTextureViewDimension_Force32   = 0x7FFFFFFF
} WGPUTextureViewDimension WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUTextureBindingLayout {
    WGPUChainedStruct       *nextInChain;
    WGPUTextureSampleType    sampleType;    /* default Undefined: Float */
    WGPUTextureViewDimension viewDimension; /* default Undefined: 2D */
    WGPUBool                 multisampled;
} WGPUTextureBindingLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXTURE_BINDING_LAYOUT_INIT _wgpu_INIT(WGPUTextureBindingLayout) { \
    NULL, WGPUTextureSampleType_Undefined, WGPUTextureViewDimension_Undefined, \
    WGPU_FALSE \
} _wgpu_END

typedef enum WGPUStorageTextureAccess {
    WGPUStorageTextureAccess_BindingNotUsed = 0, /* the entry is no storage texture */
    WGPUStorageTextureAccess_Undefined      = 1, /* means WriteOnly */
    WGPUStorageTextureAccess_WriteOnly      = 2,
    WGPUStorageTextureAccess_ReadOnly       = 3,
    WGPUStorageTextureAccess_ReadWrite      = 4,
    WGPUStorageTextureAccess_Force32        = 0x7FFFFFFF
} WGPUStorageTextureAccess WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUTextureFormat {
    WGPUTextureFormat_Undefined            = 0,
    WGPUTextureFormat_R8Unorm              = 1,
    WGPUTextureFormat_R8Snorm              = 2,
    WGPUTextureFormat_R8Uint               = 3,
    WGPUTextureFormat_R8Sint               = 4,
    WGPUTextureFormat_R16Unorm             = 5,
    WGPUTextureFormat_R16Snorm             = 6,
    WGPUTextureFormat_R16Uint              = 7,
    WGPUTextureFormat_R16Sint              = 8,
    WGPUTextureFormat_R16Float             = 9,
    WGPUTextureFormat_RG8Unorm             = 10,
    WGPUTextureFormat_RG8Snorm             = 11,
    WGPUTextureFormat_RG8Uint              = 12,
    WGPUTextureFormat_RG8Sint              = 13,
    WGPUTextureFormat_R32Float             = 14,
    WGPUTextureFormat_R32Uint              = 15,
    WGPUTextureFormat_R32Sint              = 16,
    WGPUTextureFormat_RG16Unorm            = 17,
    WGPUTextureFormat_RG16Snorm            = 18,
    WGPUTextureFormat_RG16Uint             = 19,
    WGPUTextureFormat_RG16Sint             = 20,
    WGPUTextureFormat_RG16Float            = 21,
    WGPUTextureFormat_RGBA8Unorm           = 22,
    WGPUTextureFormat_RGBA8UnormSrgb       = 23,
    WGPUTextureFormat_RGBA8Snorm           = 24,
    WGPUTextureFormat_RGBA8Uint            = 25,
    WGPUTextureFormat_RGBA8Sint            = 26,
    WGPUTextureFormat_BGRA8Unorm           = 27,
    WGPUTextureFormat_BGRA8UnormSrgb       = 28,
    WGPUTextureFormat_RGB10A2Uint          = 29,
    WGPUTextureFormat_RGB10A2Unorm         = 30,
    WGPUTextureFormat_RG11B10Ufloat        = 31,
    WGPUTextureFormat_RGB9E5Ufloat         = 32,
    WGPUTextureFormat_RG32Float            = 33,
    WGPUTextureFormat_RG32Uint             = 34,
    WGPUTextureFormat_RG32Sint             = 35,
    WGPUTextureFormat_RGBA16Unorm          = 36,
    WGPUTextureFormat_RGBA16Snorm          = 37,
    WGPUTextureFormat_RGBA16Uint           = 38,
    WGPUTextureFormat_RGBA16Sint           = 39,
    WGPUTextureFormat_RGBA16Float          = 40,
    WGPUTextureFormat_RGBA32Float          = 41,
    WGPUTextureFormat_RGBA32Uint           = 42,
    WGPUTextureFormat_RGBA32Sint           = 43,
    WGPUTextureFormat_Stencil8             = 44,
    WGPUTextureFormat_Depth16Unorm         = 45,
    WGPUTextureFormat_Depth24Plus          = 46,
    WGPUTextureFormat_Depth24PlusStencil8  = 47,
    WGPUTextureFormat_Depth32Float         = 48,
    WGPUTextureFormat_Depth32FloatStencil8 = 49,
    WGPUTextureFormat_BC1RGBAUnorm         = 50,
    WGPUTextureFormat_BC1RGBAUnormSrgb     = 51,
    WGPUTextureFormat_BC2RGBAUnorm         = 52,
    WGPUTextureFormat_BC2RGBAUnormSrgb     = 53,
    WGPUTextureFormat_BC3RGBAUnorm         = 54,
    WGPUTextureFormat_BC3RGBAUnormSrgb     = 55,
    WGPUTextureFormat_BC4RUnorm            = 56,
    WGPUTextureFormat_BC4RSnorm            = 57,
    WGPUTextureFormat_BC5RGUnorm           = 58,
    WGPUTextureFormat_BC5RGSnorm           = 59,
    WGPUTextureFormat_BC6HRGBUfloat        = 60,
    WGPUTextureFormat_BC6HRGBFloat         = 61,
    WGPUTextureFormat_BC7RGBAUnorm         = 62,
    WGPUTextureFormat_BC7RGBAUnormSrgb     = 63,
    WGPUTextureFormat_ETC2RGB8Unorm        = 64,
    WGPUTextureFormat_ETC2RGB8UnormSrgb    = 65,
    WGPUTextureFormat_ETC2RGB8A1Unorm      = 66,
    WGPUTextureFormat_ETC2RGB8A1UnormSrgb  = 67,
    WGPUTextureFormat_ETC2RGBA8Unorm       = 68,
    WGPUTextureFormat_ETC2RGBA8UnormSrgb   = 69,
    WGPUTextureFormat_EACR11Unorm          = 70,
    WGPUTextureFormat_EACR11Snorm          = 71,
    WGPUTextureFormat_EACRG11Unorm         = 72,
    WGPUTextureFormat_EACRG11Snorm         = 73,
    WGPUTextureFormat_ASTC4x4Unorm         = 74,
    WGPUTextureFormat_ASTC4x4UnormSrgb     = 75,
    WGPUTextureFormat_ASTC5x4Unorm         = 76,
    WGPUTextureFormat_ASTC5x4UnormSrgb     = 77,
    WGPUTextureFormat_ASTC5x5Unorm         = 78,
    WGPUTextureFormat_ASTC5x5UnormSrgb     = 79,
    WGPUTextureFormat_ASTC6x5Unorm         = 80,
    WGPUTextureFormat_ASTC6x5UnormSrgb     = 81,
    WGPUTextureFormat_ASTC6x6Unorm         = 82,
    WGPUTextureFormat_ASTC6x6UnormSrgb     = 83,
    WGPUTextureFormat_ASTC8x5Unorm         = 84,
    WGPUTextureFormat_ASTC8x5UnormSrgb     = 85,
    WGPUTextureFormat_ASTC8x6Unorm         = 86,
    WGPUTextureFormat_ASTC8x6UnormSrgb     = 87,
    WGPUTextureFormat_ASTC8x8Unorm         = 88,
    WGPUTextureFormat_ASTC8x8UnormSrgb     = 89,
    WGPUTextureFormat_ASTC10x5Unorm        = 90,
    WGPUTextureFormat_ASTC10x5UnormSrgb    = 91,
    WGPUTextureFormat_ASTC10x6Unorm        = 92,
    WGPUTextureFormat_ASTC10x6UnormSrgb    = 93,
    WGPUTextureFormat_ASTC10x8Unorm        = 94,
    WGPUTextureFormat_ASTC10x8UnormSrgb    = 95,
    WGPUTextureFormat_ASTC10x10Unorm       = 96,
    WGPUTextureFormat_ASTC10x10UnormSrgb   = 97,
    WGPUTextureFormat_ASTC12x10Unorm       = 98,
    WGPUTextureFormat_ASTC12x10UnormSrgb   = 99,
    WGPUTextureFormat_ASTC12x12Unorm       = 100,
    WGPUTextureFormat_ASTC12x12UnormSrgb   = 101,
    WGPUTextureFormat_Force32              = 0x7FFFFFFF
} WGPUTextureFormat WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUStorageTextureBindingLayout {
    WGPUChainedStruct       *nextInChain;
    WGPUStorageTextureAccess access;        /* default Undefined: WriteOnly */
    WGPUTextureFormat        format;        /* must be set */
    WGPUTextureViewDimension viewDimension; /* default Undefined: 2D */
} WGPUStorageTextureBindingLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_STORAGE_TEXTURE_BINDING_LAYOUT_INIT \
    _wgpu_INIT(WGPUStorageTextureBindingLayout) { \
    NULL, WGPUStorageTextureAccess_Undefined, WGPUTextureFormat_Undefined, \
    WGPUTextureViewDimension_Undefined \
} _wgpu_END

/*
 * One binding of a layout. Of the last four members exactly one is used; the
 * others stay zero, which is BindingNotUsed, and which is what INIT sets.
 */
typedef struct WGPUBindGroupLayoutEntry {
    WGPUChainedStruct              *nextInChain;      /* WGPUExternalTextureBindingLayout */
    uint32_t                        binding;          /* the b of @binding(b) */
    WGPUShaderStage                 visibility;       /* which stages see it */
    uint32_t                        bindingArraySize; /* must be 0: no array */
    WGPUBufferBindingLayout         buffer;
    WGPUSamplerBindingLayout        sampler;
    WGPUTextureBindingLayout        texture;
    WGPUStorageTextureBindingLayout storageTexture;
} WGPUBindGroupLayoutEntry WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT _wgpu_INIT(WGPUBindGroupLayoutEntry) { \
    NULL, 0, WGPUShaderStage_None, 0, _wgpu_STRUCT_ZERO_INIT, _wgpu_STRUCT_ZERO_INIT, \
    _wgpu_STRUCT_ZERO_INIT, _wgpu_STRUCT_ZERO_INIT \
} _wgpu_END

typedef struct WGPUBindGroupLayoutDescriptor {
    WGPUChainedStruct              *nextInChain;
    WGPUStringView                  label; /* for messages */
    size_t                          entryCount;
    const WGPUBindGroupLayoutEntry *entries;
} WGPUBindGroupLayoutDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT _wgpu_INIT(WGPUBindGroupLayoutDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, 0, NULL \
} _wgpu_END

/* What one binding is. Of `buffer`, `sampler` and `textureView` exactly one is
 * set, as the layout says. */
typedef struct WGPUBindGroupEntry {
    WGPUChainedStruct            *nextInChain; /* WGPUExternalTextureBindingEntry */
    uint32_t                      binding;     /* the b of @binding(b) */
    WGPU_NULLABLE WGPUBuffer      buffer;
    uint64_t                      offset;      /* bytes; see min...BufferOffsetAlignment */
    uint64_t                      size;        /* bytes; default WGPU_WHOLE_SIZE */
    WGPU_NULLABLE WGPUSampler     sampler;
    WGPU_NULLABLE WGPUTextureView textureView;
} WGPUBindGroupEntry WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BIND_GROUP_ENTRY_INIT _wgpu_INIT(WGPUBindGroupEntry) { \
    NULL, 0, NULL, 0, WGPU_WHOLE_SIZE, NULL, NULL \
} _wgpu_END

typedef struct WGPUBindGroupDescriptor {
    WGPUChainedStruct        *nextInChain;
    WGPUStringView            label;   /* for messages */
    WGPUBindGroupLayout       layout;
    size_t                    entryCount;
    const WGPUBindGroupEntry *entries; /* one for each binding of the layout, in any order */
} WGPUBindGroupDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BIND_GROUP_DESCRIPTOR_INIT _wgpu_INIT(WGPUBindGroupDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, NULL, 0, NULL \
} _wgpu_END

typedef struct WGPUPipelineLayoutDescriptor {
    WGPUChainedStruct         *nextInChain;
    WGPUStringView             label;            /* for messages */
    size_t                     bindGroupLayoutCount;
    const WGPUBindGroupLayout *bindGroupLayouts; /* by group number; NULL: empty */
    uint32_t                   immediateSize;    /* bytes of var<immediate>; a multiple of 4 */
} WGPUPipelineLayoutDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT _wgpu_INIT(WGPUPipelineLayoutDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, 0, NULL, 0 \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT WGPUBindGroupLayout wgpuDeviceCreateBindGroupLayout(WGPUDevice device,
    const WGPUBindGroupLayoutDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBindGroupLayoutAddRef(
    WGPUBindGroupLayout bindGroupLayout) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBindGroupLayoutRelease(
    WGPUBindGroupLayout bindGroupLayout) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBindGroupLayoutSetLabel(WGPUBindGroupLayout bindGroupLayout,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

/* The group keeps its buffers alive, but cannot keep them from being destroyed. */
WGPU_EXPORT WGPUBindGroup wgpuDeviceCreateBindGroup(WGPUDevice device,
    const WGPUBindGroupDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBindGroupAddRef(WGPUBindGroup bindGroup) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBindGroupRelease(WGPUBindGroup bindGroup) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuBindGroupSetLabel(WGPUBindGroup bindGroup,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT WGPUPipelineLayout wgpuDeviceCreatePipelineLayout(WGPUDevice device,
    const WGPUPipelineLayoutDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuPipelineLayoutAddRef(
    WGPUPipelineLayout pipelineLayout) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuPipelineLayoutRelease(
    WGPUPipelineLayout pipelineLayout) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuPipelineLayoutSetLabel(WGPUPipelineLayout pipelineLayout,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ====================================================== 8  Shader module ====
 *
 * Shader text that was read and checked. It becomes machine code when a
 * pipeline chooses an entry point and the values of its constants.
 */

/* One of the WGPUShaderSource... structs must be in the chain. */
typedef struct WGPUShaderModuleDescriptor {
    WGPUChainedStruct *nextInChain; /* WGPUShaderSourceWGSL */
    WGPUStringView     label;       /* for messages */
} WGPUShaderModuleDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SHADER_MODULE_DESCRIPTOR_INIT _wgpu_INIT(WGPUShaderModuleDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT \
} _wgpu_END

/* In WGPUShaderModuleDescriptor. */
typedef struct WGPUShaderSourceWGSL {
    WGPUChainedStruct chain;
    WGPUStringView    code; /* copied */
} WGPUShaderSourceWGSL WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SHADER_SOURCE_WGSL_INIT _wgpu_INIT(WGPUShaderSourceWGSL) { \
    _wgpu_CHAIN_INIT(WGPUSType_ShaderSourceWGSL), WGPU_STRING_VIEW_INIT \
} _wgpu_END

/* In WGPUShaderModuleDescriptor, if the instance has the feature of that name. */
typedef struct WGPUShaderSourceSPIRV {
    WGPUChainedStruct chain;
    uint32_t          codeSize; /* 32-bit words */
    const uint32_t   *code;     /* copied */
} WGPUShaderSourceSPIRV WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SHADER_SOURCE_SPIRV_INIT _wgpu_INIT(WGPUShaderSourceSPIRV) { \
    _wgpu_CHAIN_INIT(WGPUSType_ShaderSourceSPIRV), 0, NULL \
} _wgpu_END

typedef enum WGPUCompilationMessageType {
    WGPUCompilationMessageType_Error   = 1,
    WGPUCompilationMessageType_Warning = 2,
    WGPUCompilationMessageType_Info    = 3,
    WGPUCompilationMessageType_Force32 = 0x7FFFFFFF
} WGPUCompilationMessageType WGPU_ENUM_ATTRIBUTE;

/* One remark on the shader text. */
typedef struct WGPUCompilationMessage {
    WGPUChainedStruct         *nextInChain;
    WGPUStringView             message;
    WGPUCompilationMessageType type;
    uint64_t                   lineNum; /* from 1; 0: of no line */
    uint64_t                   linePos; /* bytes into the line, from 1; 0: of no place */
    uint64_t                   offset;  /* bytes into the text, from 0 */
    uint64_t                   length;  /* bytes */
} WGPUCompilationMessage WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPILATION_MESSAGE_INIT _wgpu_INIT(WGPUCompilationMessage) { \
    NULL, WGPU_STRING_VIEW_INIT, _wgpu_ENUM_ZERO_INIT(WGPUCompilationMessageType), 0, 0, \
    0, 0 \
} _wgpu_END

typedef struct WGPUCompilationInfo {
    WGPUChainedStruct            *nextInChain;
    size_t                        messageCount;
    const WGPUCompilationMessage *messages;
} WGPUCompilationInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPILATION_INFO_INIT _wgpu_INIT(WGPUCompilationInfo) { \
    NULL, 0, NULL \
} _wgpu_END

typedef enum WGPUCompilationInfoRequestStatus {
    WGPUCompilationInfoRequestStatus_Success           = 1,
    WGPUCompilationInfoRequestStatus_CallbackCancelled = 2, /* the instance went first */
    WGPUCompilationInfoRequestStatus_Force32           = 0x7FFFFFFF
} WGPUCompilationInfoRequestStatus WGPU_ENUM_ATTRIBUTE;

/* `compilationInfo` and its chains end with the callback. */
typedef void (*WGPUCompilationInfoCallback)(WGPUCompilationInfoRequestStatus status,
    const WGPUCompilationInfo *compilationInfo, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUCompilationInfoCallbackInfo {
    WGPUChainedStruct          *nextInChain;
    WGPUCallbackMode            mode;     /* must be set */
    WGPUCompilationInfoCallback callback; /* must be set */
    WGPU_NULLABLE void         *userdata1;
    WGPU_NULLABLE void         *userdata2;
} WGPUCompilationInfoCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPILATION_INFO_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPUCompilationInfoCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

/* Text with an error in it gives an error object and a validation error that
 * quotes the first one; wgpuShaderModuleGetCompilationInfo() has them all. */
WGPU_EXPORT WGPUShaderModule wgpuDeviceCreateShaderModule(WGPUDevice device,
    const WGPUShaderModuleDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuShaderModuleAddRef(
    WGPUShaderModule shaderModule) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuShaderModuleRelease(
    WGPUShaderModule shaderModule) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuShaderModuleSetLabel(WGPUShaderModule shaderModule,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUFuture wgpuShaderModuleGetCompilationInfo(WGPUShaderModule shaderModule,
    WGPUCompilationInfoCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* =================================================== 9  Compute pipeline ====
 *
 * An entry point, ready to run.
 */

/* A value for an `override` of the shader. */
typedef struct WGPUConstantEntry {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     key;   /* its name, or the number of its @id in decimal */
    double             value; /* finite; turned into the type of the override, which must hold it */
} WGPUConstantEntry WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_CONSTANT_ENTRY_INIT _wgpu_INIT(WGPUConstantEntry) { \
    NULL, WGPU_STRING_VIEW_INIT, 0. \
} _wgpu_END

typedef struct WGPUComputeState {
    WGPUChainedStruct       *nextInChain;
    WGPUShaderModule         module;
    WGPUStringView           entryPoint; /* no string: the only @compute function of the module */
    size_t                   constantCount;
    const WGPUConstantEntry *constants;
} WGPUComputeState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPUTE_STATE_INIT _wgpu_INIT(WGPUComputeState) { \
    NULL, NULL, WGPU_STRING_VIEW_INIT, 0, NULL \
} _wgpu_END

typedef struct WGPUComputePipelineDescriptor {
    WGPUChainedStruct               *nextInChain;
    WGPUStringView                   label;  /* for messages */
    WGPU_NULLABLE WGPUPipelineLayout layout; /* NULL: made from the shader */
    WGPUComputeState                 compute;
} WGPUComputePipelineDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT _wgpu_INIT(WGPUComputePipelineDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, NULL, WGPU_COMPUTE_STATE_INIT \
} _wgpu_END

typedef enum WGPUCreatePipelineAsyncStatus {
    WGPUCreatePipelineAsyncStatus_Success           = 1,
    WGPUCreatePipelineAsyncStatus_CallbackCancelled = 2, /* the instance went first */
    WGPUCreatePipelineAsyncStatus_ValidationError   = 3, /* the descriptor is wrong */
    WGPUCreatePipelineAsyncStatus_InternalError     = 4, /* it is right, and failed */
    WGPUCreatePipelineAsyncStatus_Force32           = 0x7FFFFFFF
} WGPUCreatePipelineAsyncStatus WGPU_ENUM_ATTRIBUTE;

/* `pipeline`: owned by the callback on Success, otherwise NULL.
 * `message`: empty on Success. */
typedef void (*WGPUCreateComputePipelineAsyncCallback)(WGPUCreatePipelineAsyncStatus status,
    WGPUComputePipeline pipeline, WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUCreateComputePipelineAsyncCallbackInfo {
    WGPUChainedStruct                     *nextInChain;
    WGPUCallbackMode                       mode;     /* must be set */
    WGPUCreateComputePipelineAsyncCallback callback; /* must be set */
    WGPU_NULLABLE void                    *userdata1;
    WGPU_NULLABLE void                    *userdata2;
} WGPUCreateComputePipelineAsyncCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_CREATE_COMPUTE_PIPELINE_ASYNC_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPUCreateComputePipelineAsyncCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT WGPUComputePipeline wgpuDeviceCreateComputePipeline(WGPUDevice device,
    const WGPUComputePipelineDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
/* The same without waiting for the compiler. What is wrong comes with the
 * callback and not to an error scope. */
WGPU_EXPORT WGPUFuture wgpuDeviceCreateComputePipelineAsync(WGPUDevice device,
    const WGPUComputePipelineDescriptor *descriptor,
    WGPUCreateComputePipelineAsyncCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuComputePipelineAddRef(
    WGPUComputePipeline computePipeline) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePipelineRelease(
    WGPUComputePipeline computePipeline) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePipelineSetLabel(WGPUComputePipeline computePipeline,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

/* The layout for bind groups of that number. The caller gets a reference. */
WGPU_EXPORT WGPUBindGroupLayout wgpuComputePipelineGetBindGroupLayout(
    WGPUComputePipeline computePipeline, uint32_t groupIndex) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ============================================================= 10  Query ====
 *
 * Numbers that the device measures and a command brings into a buffer, 8 bytes
 * each. Timestamps are nanoseconds since some moment of the device's own.
 */

typedef enum WGPUQueryType {
    WGPUQueryType_Occlusion = 1, /* rendering: may be made and resolved, is always zero */
    WGPUQueryType_Timestamp = 2, /* needs WGPUFeatureName_TimestampQuery */
    WGPUQueryType_Force32   = 0x7FFFFFFF
} WGPUQueryType WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUQuerySetDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     label; /* for messages */
    WGPUQueryType      type;
    uint32_t           count; /* at most 4096 */
} WGPUQuerySetDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_QUERY_SET_DESCRIPTOR_INIT _wgpu_INIT(WGPUQuerySetDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, _wgpu_ENUM_ZERO_INIT(WGPUQueryType), 0 \
} _wgpu_END

/* Which timestamps a pass takes. At least one index is set, and if both are they
 * differ. */
typedef struct WGPUPassTimestampWrites {
    WGPUChainedStruct *nextInChain;
    WGPUQuerySet       querySet;
    uint32_t           beginningOfPassWriteIndex; /* default UNDEFINED: none */
    uint32_t           endOfPassWriteIndex;       /* default UNDEFINED: none */
} WGPUPassTimestampWrites WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_PASS_TIMESTAMP_WRITES_INIT _wgpu_INIT(WGPUPassTimestampWrites) { \
    NULL, NULL, WGPU_QUERY_SET_INDEX_UNDEFINED, WGPU_QUERY_SET_INDEX_UNDEFINED \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT WGPUQuerySet wgpuDeviceCreateQuerySet(WGPUDevice device,
    const WGPUQuerySetDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQuerySetAddRef(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQuerySetRelease(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQuerySetSetLabel(WGPUQuerySet querySet,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUQueryType wgpuQuerySetGetType(
    WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint32_t wgpuQuerySetGetCount(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQuerySetDestroy(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ========================================================== 11  Commands ====
 *
 * An encoder takes commands down, wgpuCommandEncoderFinish() makes a command
 * buffer of them, a queue carries it out, once. Commands that are wrong are kept
 * in mind: the first of them becomes a validation error when the encoder is
 * finished. While a pass is open its encoder takes nothing else.
 */

typedef struct WGPUCommandEncoderDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     label; /* for messages */
} WGPUCommandEncoderDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT _wgpu_INIT(WGPUCommandEncoderDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT \
} _wgpu_END

typedef struct WGPUCommandBufferDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     label; /* for messages */
} WGPUCommandBufferDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT _wgpu_INIT(WGPUCommandBufferDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT \
} _wgpu_END

typedef struct WGPUComputePassDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;                                         /* for messages */
    WGPU_NULLABLE const WGPUPassTimestampWrites *timestampWrites; /* NULL: none */
} WGPUComputePassDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COMPUTE_PASS_DESCRIPTOR_INIT _wgpu_INIT(WGPUComputePassDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

/* `descriptor` NULL: all defaults. */
WGPU_EXPORT WGPUCommandEncoder wgpuDeviceCreateCommandEncoder(WGPUDevice device,
    WGPU_NULLABLE const WGPUCommandEncoderDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderAddRef(
    WGPUCommandEncoder commandEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderRelease(
    WGPUCommandEncoder commandEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderSetLabel(WGPUCommandEncoder commandEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

/* Ends the encoder, whatever the outcome. `descriptor` NULL: all defaults. */
WGPU_EXPORT WGPUCommandBuffer wgpuCommandEncoderFinish(WGPUCommandEncoder commandEncoder,
    WGPU_NULLABLE const WGPUCommandBufferDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;

/* Copies between two different buffers. Offsets and size are multiples of 4;
 * size WGPU_WHOLE_SIZE: to the end of the source. */
WGPU_EXPORT void wgpuCommandEncoderCopyBufferToBuffer(WGPUCommandEncoder commandEncoder,
    WGPUBuffer source, uint64_t sourceOffset, WGPUBuffer destination,
    uint64_t destinationOffset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
/* Fills with zeros. Offset and size are multiples of 4; WGPU_WHOLE_SIZE: to the end. */
WGPU_EXPORT void wgpuCommandEncoderClearBuffer(WGPUCommandEncoder commandEncoder,
    WGPUBuffer buffer, uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
/* Writes queryCount results of 8 bytes; destinationOffset is a multiple of 256. */
WGPU_EXPORT void wgpuCommandEncoderResolveQuerySet(WGPUCommandEncoder commandEncoder,
    WGPUQuerySet querySet, uint32_t firstQuery, uint32_t queryCount, WGPUBuffer destination,
    uint64_t destinationOffset) WGPU_FUNCTION_ATTRIBUTE;
/* Takes the time between commands; passes take it by their descriptor. */
WGPU_EXPORT void wgpuCommandEncoderWriteTimestamp(WGPUCommandEncoder commandEncoder,
    WGPUQuerySet querySet, uint32_t queryIndex) WGPU_FUNCTION_ATTRIBUTE;

/* Names for stretches and points of the commands. Groups are closed within the
 * encoder or pass that opened them. */
WGPU_EXPORT void wgpuCommandEncoderPushDebugGroup(WGPUCommandEncoder commandEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderPopDebugGroup(
    WGPUCommandEncoder commandEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderInsertDebugMarker(WGPUCommandEncoder commandEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;

/* Opens a pass, in which kernels run; `descriptor` NULL: all defaults. */
WGPU_EXPORT WGPUComputePassEncoder wgpuCommandEncoderBeginComputePass(
    WGPUCommandEncoder commandEncoder,
    WGPU_NULLABLE const WGPUComputePassDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePassEncoderAddRef(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePassEncoderRelease(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePassEncoderSetLabel(WGPUComputePassEncoder computePassEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

/* Closes the pass; only then does its encoder go on. Releasing is not closing. */
WGPU_EXPORT void wgpuComputePassEncoderEnd(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuComputePassEncoderSetPipeline(
    WGPUComputePassEncoder computePassEncoder,
    WGPUComputePipeline pipeline) WGPU_FUNCTION_ATTRIBUTE;
/* Holds for all dispatches from here on. `group` NULL: takes it away.
 * `dynamicOffsets`: one for each binding with hasDynamicOffset, by binding
 * number; copied. */
WGPU_EXPORT void wgpuComputePassEncoderSetBindGroup(
    WGPUComputePassEncoder computePassEncoder, uint32_t groupIndex,
    WGPU_NULLABLE WGPUBindGroup group, size_t dynamicOffsetCount,
    const uint32_t *dynamicOffsets) WGPU_FUNCTION_ATTRIBUTE;
/* Writes into var<immediate>. Offset and size are multiples of 4; copied. */
WGPU_EXPORT void wgpuComputePassEncoderSetImmediates(
    WGPUComputePassEncoder computePassEncoder, uint32_t offset, const void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;

/* Runs that many workgroups. A zero is allowed and runs none. What one dispatch
 * writes the next one sees. */
WGPU_EXPORT void wgpuComputePassEncoderDispatchWorkgroups(
    WGPUComputePassEncoder computePassEncoder, uint32_t workgroupCountX,
    uint32_t workgroupCountY, uint32_t workgroupCountZ) WGPU_FUNCTION_ATTRIBUTE;
/* The same with counts that are read from the buffer, three uint32_t, when the
 * device gets there. One above maxComputeWorkgroupsPerDimension runs none. */
WGPU_EXPORT void wgpuComputePassEncoderDispatchWorkgroupsIndirect(
    WGPUComputePassEncoder computePassEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuComputePassEncoderPushDebugGroup(
    WGPUComputePassEncoder computePassEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePassEncoderPopDebugGroup(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuComputePassEncoderInsertDebugMarker(
    WGPUComputePassEncoder computePassEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuCommandBufferAddRef(
    WGPUCommandBuffer commandBuffer) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandBufferRelease(
    WGPUCommandBuffer commandBuffer) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandBufferSetLabel(WGPUCommandBuffer commandBuffer,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ============================================================= 12  Queue ====
 *
 * Carries command buffers out, in the order of the calls.
 */

typedef enum WGPUQueueWorkDoneStatus {
    WGPUQueueWorkDoneStatus_Success           = 1, /* also when the device was lost on the way */
    WGPUQueueWorkDoneStatus_CallbackCancelled = 2, /* the instance went first */
    WGPUQueueWorkDoneStatus_Error             = 3,
    WGPUQueueWorkDoneStatus_Force32           = 0x7FFFFFFF
} WGPUQueueWorkDoneStatus WGPU_ENUM_ATTRIBUTE;

typedef void (*WGPUQueueWorkDoneCallback)(WGPUQueueWorkDoneStatus status,
    WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUQueueWorkDoneCallbackInfo {
    WGPUChainedStruct        *nextInChain;
    WGPUCallbackMode          mode;     /* must be set */
    WGPUQueueWorkDoneCallback callback; /* must be set */
    WGPU_NULLABLE void       *userdata1;
    WGPU_NULLABLE void       *userdata2;
} WGPUQueueWorkDoneCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPUQueueWorkDoneCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT void wgpuQueueAddRef(WGPUQueue queue) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQueueRelease(WGPUQueue queue) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQueueSetLabel(WGPUQueue queue,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

/* All or nothing: one that is wrong, and none is carried out. The command
 * buffers are used up either way; the program still releases them. */
WGPU_EXPORT void wgpuQueueSubmit(WGPUQueue queue, size_t commandCount,
    const WGPUCommandBuffer *commands) WGPU_FUNCTION_ATTRIBUTE;

/* Copies `data` at once, into the buffer before the next submit. `bufferOffset`
 * and `size` are multiples of 4. */
WGPU_EXPORT void wgpuQueueWriteBuffer(WGPUQueue queue, WGPUBuffer buffer,
    uint64_t bufferOffset, const void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;

/* Complete when all that was submitted before the call is. */
WGPU_EXPORT WGPUFuture wgpuQueueOnSubmittedWorkDone(WGPUQueue queue,
    WGPUQueueWorkDoneCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ========================================================== 13  Textures ====
 *
 * Textures, views and samplers belong to no compute kernel that Weft runs.
 * wgpuDeviceCreateTexture() and wgpuDeviceCreateSampler() report a validation
 * error and return error objects; the getters answer what the descriptor said;
 * a copy from or to a texture makes its command encoder fail when finished;
 * wgpuQueueWriteTexture() reports at once.
 */

typedef enum WGPUTextureDimension {
    WGPUTextureDimension_Undefined = 0, /* means 2D */
    WGPUTextureDimension_1D        = 1,
    WGPUTextureDimension_2D        = 2,
    WGPUTextureDimension_3D        = 3,
    WGPUTextureDimension_Force32   = 0x7FFFFFFF
} WGPUTextureDimension WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUTextureAspect {
    WGPUTextureAspect_Undefined   = 0, /* means All */
    WGPUTextureAspect_All         = 1,
    WGPUTextureAspect_StencilOnly = 2,
    WGPUTextureAspect_DepthOnly   = 3,
    WGPUTextureAspect_Force32     = 0x7FFFFFFF
} WGPUTextureAspect WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUComponentSwizzle {
    WGPUComponentSwizzle_Undefined = 0, /* the channel itself */
    WGPUComponentSwizzle_Zero      = 1,
    WGPUComponentSwizzle_One       = 2,
    WGPUComponentSwizzle_R         = 3,
    WGPUComponentSwizzle_G         = 4,
    WGPUComponentSwizzle_B         = 5,
    WGPUComponentSwizzle_A         = 6,
    WGPUComponentSwizzle_Force32   = 0x7FFFFFFF
} WGPUComponentSwizzle WGPU_ENUM_ATTRIBUTE;

typedef WGPUFlags WGPUTextureUsage;
static const WGPUTextureUsage WGPUTextureUsage_None                = 0x0;
static const WGPUTextureUsage WGPUTextureUsage_CopySrc             = 0x1;
static const WGPUTextureUsage WGPUTextureUsage_CopyDst             = 0x2;
static const WGPUTextureUsage WGPUTextureUsage_TextureBinding      = 0x4;
static const WGPUTextureUsage WGPUTextureUsage_StorageBinding      = 0x8;
static const WGPUTextureUsage WGPUTextureUsage_RenderAttachment    = 0x10;
static const WGPUTextureUsage WGPUTextureUsage_TransientAttachment = 0x20;

typedef struct WGPUExtent3D {
    uint32_t width;
    uint32_t height;             /* default 1 */
    uint32_t depthOrArrayLayers; /* default 1 */
} WGPUExtent3D WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_EXTENT_3D_INIT _wgpu_INIT(WGPUExtent3D) { 0, 1, 1 } _wgpu_END

typedef struct WGPUOrigin3D {
    uint32_t x;
    uint32_t y;
    uint32_t z;
} WGPUOrigin3D WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_ORIGIN_3D_INIT _wgpu_INIT(WGPUOrigin3D) { 0, 0, 0 } _wgpu_END

typedef struct WGPUTextureDescriptor {
    WGPUChainedStruct       *nextInChain;   /* WGPUTextureBindingViewDimension */
    WGPUStringView           label;
    WGPUTextureUsage         usage;
    WGPUTextureDimension     dimension;     /* default Undefined: 2D */
    WGPUExtent3D             size;
    WGPUTextureFormat        format;
    uint32_t                 mipLevelCount; /* default 1 */
    uint32_t                 sampleCount;   /* default 1 */
    size_t                   viewFormatCount;
    const WGPUTextureFormat *viewFormats;
} WGPUTextureDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXTURE_DESCRIPTOR_INIT _wgpu_INIT(WGPUTextureDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, WGPUTextureUsage_None, WGPUTextureDimension_Undefined, \
    WGPU_EXTENT_3D_INIT, WGPUTextureFormat_Undefined, 1, 1, 0, NULL \
} _wgpu_END

/* In WGPUTextureDescriptor; has no effect on a device with core features. */
typedef struct WGPUTextureBindingViewDimension {
    WGPUChainedStruct        chain;
    WGPUTextureViewDimension textureBindingViewDimension;
} WGPUTextureBindingViewDimension WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXTURE_BINDING_VIEW_DIMENSION_INIT \
    _wgpu_INIT(WGPUTextureBindingViewDimension) { \
    _wgpu_CHAIN_INIT(WGPUSType_TextureBindingViewDimension), \
    WGPUTextureViewDimension_Undefined \
} _wgpu_END

typedef struct WGPUTextureViewDescriptor {
    WGPUChainedStruct       *nextInChain;     /* WGPUTextureComponentSwizzleDescriptor */
    WGPUStringView           label;
    WGPUTextureFormat        format;          /* default Undefined: the texture's */
    WGPUTextureViewDimension dimension;       /* default Undefined: from the texture */
    uint32_t                 baseMipLevel;
    uint32_t                 mipLevelCount;   /* default UNDEFINED: the rest */
    uint32_t                 baseArrayLayer;
    uint32_t                 arrayLayerCount; /* default UNDEFINED: the rest */
    WGPUTextureAspect        aspect;          /* default Undefined: All */
    WGPUTextureUsage         usage;           /* default None: the texture's */
} WGPUTextureViewDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXTURE_VIEW_DESCRIPTOR_INIT _wgpu_INIT(WGPUTextureViewDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, WGPUTextureFormat_Undefined, \
    WGPUTextureViewDimension_Undefined, 0, WGPU_MIP_LEVEL_COUNT_UNDEFINED, 0, \
    WGPU_ARRAY_LAYER_COUNT_UNDEFINED, WGPUTextureAspect_Undefined, WGPUTextureUsage_None \
} _wgpu_END

typedef struct WGPUTextureComponentSwizzle {
    WGPUComponentSwizzle r;
    WGPUComponentSwizzle g;
    WGPUComponentSwizzle b;
    WGPUComponentSwizzle a;
} WGPUTextureComponentSwizzle WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXTURE_COMPONENT_SWIZZLE_INIT _wgpu_INIT(WGPUTextureComponentSwizzle) { \
    WGPUComponentSwizzle_Undefined, WGPUComponentSwizzle_Undefined, \
    WGPUComponentSwizzle_Undefined, WGPUComponentSwizzle_Undefined \
} _wgpu_END

/* In WGPUTextureViewDescriptor. */
typedef struct WGPUTextureComponentSwizzleDescriptor {
    WGPUChainedStruct           chain;
    WGPUTextureComponentSwizzle swizzle;
} WGPUTextureComponentSwizzleDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXTURE_COMPONENT_SWIZZLE_DESCRIPTOR_INIT \
    _wgpu_INIT(WGPUTextureComponentSwizzleDescriptor) { \
    _wgpu_CHAIN_INIT(WGPUSType_TextureComponentSwizzleDescriptor), \
    WGPU_TEXTURE_COMPONENT_SWIZZLE_INIT \
} _wgpu_END

/* Nothing here makes an external texture; these two have a place all the same:
 * in WGPUBindGroupLayoutEntry and in WGPUBindGroupEntry. */
typedef struct WGPUExternalTextureBindingLayout {
    WGPUChainedStruct chain;
} WGPUExternalTextureBindingLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_EXTERNAL_TEXTURE_BINDING_LAYOUT_INIT \
    _wgpu_INIT(WGPUExternalTextureBindingLayout) { \
    _wgpu_CHAIN_INIT(WGPUSType_ExternalTextureBindingLayout) \
} _wgpu_END
typedef struct WGPUExternalTextureBindingEntry {
    WGPUChainedStruct   chain;
    WGPUExternalTexture externalTexture;
} WGPUExternalTextureBindingEntry WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_EXTERNAL_TEXTURE_BINDING_ENTRY_INIT \
    _wgpu_INIT(WGPUExternalTextureBindingEntry) { \
    _wgpu_CHAIN_INIT(WGPUSType_ExternalTextureBindingEntry), NULL \
} _wgpu_END

/* How texels lie in a buffer. */
typedef struct WGPUTexelCopyBufferLayout {
    uint64_t offset;
    uint32_t bytesPerRow;  /* default UNDEFINED */
    uint32_t rowsPerImage; /* default UNDEFINED */
} WGPUTexelCopyBufferLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT _wgpu_INIT(WGPUTexelCopyBufferLayout) { \
    0, WGPU_COPY_STRIDE_UNDEFINED, WGPU_COPY_STRIDE_UNDEFINED \
} _wgpu_END

typedef struct WGPUTexelCopyBufferInfo {
    WGPUTexelCopyBufferLayout layout;
    WGPUBuffer                buffer;
} WGPUTexelCopyBufferInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXEL_COPY_BUFFER_INFO_INIT _wgpu_INIT(WGPUTexelCopyBufferInfo) { \
    WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT, NULL \
} _wgpu_END

typedef struct WGPUTexelCopyTextureInfo {
    WGPUTexture       texture;
    uint32_t          mipLevel;
    WGPUOrigin3D      origin;
    WGPUTextureAspect aspect; /* default Undefined: All */
} WGPUTexelCopyTextureInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_TEXEL_COPY_TEXTURE_INFO_INIT _wgpu_INIT(WGPUTexelCopyTextureInfo) { \
    NULL, 0, WGPU_ORIGIN_3D_INIT, WGPUTextureAspect_Undefined \
} _wgpu_END

typedef enum WGPUAddressMode {
    WGPUAddressMode_Undefined    = 0, /* means ClampToEdge */
    WGPUAddressMode_ClampToEdge  = 1,
    WGPUAddressMode_Repeat       = 2,
    WGPUAddressMode_MirrorRepeat = 3,
    WGPUAddressMode_Force32      = 0x7FFFFFFF
} WGPUAddressMode WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUFilterMode {
    WGPUFilterMode_Undefined = 0, /* means Nearest */
    WGPUFilterMode_Nearest   = 1,
    WGPUFilterMode_Linear    = 2,
    WGPUFilterMode_Force32   = 0x7FFFFFFF
} WGPUFilterMode WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUMipmapFilterMode {
    WGPUMipmapFilterMode_Undefined = 0, /* means Nearest */
    WGPUMipmapFilterMode_Nearest   = 1,
    WGPUMipmapFilterMode_Linear    = 2,
    WGPUMipmapFilterMode_Force32   = 0x7FFFFFFF
} WGPUMipmapFilterMode WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUCompareFunction {
    WGPUCompareFunction_Undefined    = 0, /* means Always in a stencil face, none in a sampler */
    WGPUCompareFunction_Never        = 1,
    WGPUCompareFunction_Less         = 2,
    WGPUCompareFunction_Equal        = 3,
    WGPUCompareFunction_LessEqual    = 4,
    WGPUCompareFunction_Greater      = 5,
    WGPUCompareFunction_NotEqual     = 6,
    WGPUCompareFunction_GreaterEqual = 7,
    WGPUCompareFunction_Always       = 8,
    WGPUCompareFunction_Force32      = 0x7FFFFFFF
} WGPUCompareFunction WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUSamplerDescriptor {
    WGPUChainedStruct   *nextInChain;
    WGPUStringView       label;
    WGPUAddressMode      addressModeU;
    WGPUAddressMode      addressModeV;
    WGPUAddressMode      addressModeW;
    WGPUFilterMode       magFilter;
    WGPUFilterMode       minFilter;
    WGPUMipmapFilterMode mipmapFilter;
    float                lodMinClamp;
    float                lodMaxClamp;   /* default 32 */
    WGPUCompareFunction  compare;
    uint16_t             maxAnisotropy; /* default 1 */
} WGPUSamplerDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SAMPLER_DESCRIPTOR_INIT _wgpu_INIT(WGPUSamplerDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, WGPUAddressMode_Undefined, WGPUAddressMode_Undefined, \
    WGPUAddressMode_Undefined, WGPUFilterMode_Undefined, WGPUFilterMode_Undefined, \
    WGPUMipmapFilterMode_Undefined, 0.f, 32.f, WGPUCompareFunction_Undefined, 1 \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT WGPUTexture wgpuDeviceCreateTexture(WGPUDevice device,
    const WGPUTextureDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuTextureAddRef(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuTextureRelease(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuTextureSetLabel(WGPUTexture texture,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUTextureView wgpuTextureCreateView(WGPUTexture texture,
    WGPU_NULLABLE const WGPUTextureViewDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuTextureDestroy(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint32_t wgpuTextureGetWidth(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint32_t wgpuTextureGetHeight(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint32_t wgpuTextureGetDepthOrArrayLayers(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint32_t wgpuTextureGetMipLevelCount(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT uint32_t wgpuTextureGetSampleCount(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUTextureDimension wgpuTextureGetDimension(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUTextureFormat wgpuTextureGetFormat(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUTextureUsage wgpuTextureGetUsage(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUTextureViewDimension wgpuTextureGetTextureBindingViewDimension(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuTextureViewAddRef(WGPUTextureView textureView) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuTextureViewRelease(
    WGPUTextureView textureView) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuTextureViewSetLabel(WGPUTextureView textureView,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuExternalTextureAddRef(
    WGPUExternalTexture externalTexture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuExternalTextureRelease(
    WGPUExternalTexture externalTexture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuExternalTextureSetLabel(WGPUExternalTexture externalTexture,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT WGPUSampler wgpuDeviceCreateSampler(WGPUDevice device,
    WGPU_NULLABLE const WGPUSamplerDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSamplerAddRef(WGPUSampler sampler) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSamplerRelease(WGPUSampler sampler) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSamplerSetLabel(WGPUSampler sampler,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuCommandEncoderCopyBufferToTexture(WGPUCommandEncoder commandEncoder,
    const WGPUTexelCopyBufferInfo *source, const WGPUTexelCopyTextureInfo *destination,
    const WGPUExtent3D *copySize) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderCopyTextureToBuffer(WGPUCommandEncoder commandEncoder,
    const WGPUTexelCopyTextureInfo *source, const WGPUTexelCopyBufferInfo *destination,
    const WGPUExtent3D *copySize) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuCommandEncoderCopyTextureToTexture(WGPUCommandEncoder commandEncoder,
    const WGPUTexelCopyTextureInfo *source, const WGPUTexelCopyTextureInfo *destination,
    const WGPUExtent3D *copySize) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuQueueWriteTexture(WGPUQueue queue,
    const WGPUTexelCopyTextureInfo *destination, const void *data, size_t dataSize,
    const WGPUTexelCopyBufferLayout *dataLayout,
    const WGPUExtent3D *writeSize) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ========================================================= 14  Rendering ====
 *
 * wgpuDeviceCreateRenderPipeline() and wgpuDeviceCreateRenderBundleEncoder()
 * report a validation error and return error objects; the Async form answers
 * ValidationError; wgpuCommandEncoderBeginRenderPass() returns a pass that takes
 * commands and makes its command encoder fail when finished.
 */

typedef enum WGPUVertexFormat {
    WGPUVertexFormat_Uint8           = 1,
    WGPUVertexFormat_Uint8x2         = 2,
    WGPUVertexFormat_Uint8x4         = 3,
    WGPUVertexFormat_Sint8           = 4,
    WGPUVertexFormat_Sint8x2         = 5,
    WGPUVertexFormat_Sint8x4         = 6,
    WGPUVertexFormat_Unorm8          = 7,
    WGPUVertexFormat_Unorm8x2        = 8,
    WGPUVertexFormat_Unorm8x4        = 9,
    WGPUVertexFormat_Snorm8          = 10,
    WGPUVertexFormat_Snorm8x2        = 11,
    WGPUVertexFormat_Snorm8x4        = 12,
    WGPUVertexFormat_Uint16          = 13,
    WGPUVertexFormat_Uint16x2        = 14,
    WGPUVertexFormat_Uint16x4        = 15,
    WGPUVertexFormat_Sint16          = 16,
    WGPUVertexFormat_Sint16x2        = 17,
    WGPUVertexFormat_Sint16x4        = 18,
    WGPUVertexFormat_Unorm16         = 19,
    WGPUVertexFormat_Unorm16x2       = 20,
    WGPUVertexFormat_Unorm16x4       = 21,
    WGPUVertexFormat_Snorm16         = 22,
    WGPUVertexFormat_Snorm16x2       = 23,
    WGPUVertexFormat_Snorm16x4       = 24,
    WGPUVertexFormat_Float16         = 25,
    WGPUVertexFormat_Float16x2       = 26,
    WGPUVertexFormat_Float16x4       = 27,
    WGPUVertexFormat_Float32         = 28,
    WGPUVertexFormat_Float32x2       = 29,
    WGPUVertexFormat_Float32x3       = 30,
    WGPUVertexFormat_Float32x4       = 31,
    WGPUVertexFormat_Uint32          = 32,
    WGPUVertexFormat_Uint32x2        = 33,
    WGPUVertexFormat_Uint32x3        = 34,
    WGPUVertexFormat_Uint32x4        = 35,
    WGPUVertexFormat_Sint32          = 36,
    WGPUVertexFormat_Sint32x2        = 37,
    WGPUVertexFormat_Sint32x3        = 38,
    WGPUVertexFormat_Sint32x4        = 39,
    WGPUVertexFormat_Unorm10_10_10_2 = 40,
    WGPUVertexFormat_Unorm8x4BGRA    = 41,
    WGPUVertexFormat_Force32         = 0x7FFFFFFF
} WGPUVertexFormat WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUVertexStepMode {
    WGPUVertexStepMode_Undefined = 0, /* means Vertex, or no buffer at all */
    WGPUVertexStepMode_Vertex    = 1,
    WGPUVertexStepMode_Instance  = 2,
    WGPUVertexStepMode_Force32   = 0x7FFFFFFF
} WGPUVertexStepMode WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUVertexAttribute {
    WGPUChainedStruct *nextInChain;
    WGPUVertexFormat   format;
    uint64_t           offset;
    uint32_t           shaderLocation;
} WGPUVertexAttribute WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_VERTEX_ATTRIBUTE_INIT _wgpu_INIT(WGPUVertexAttribute) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUVertexFormat), 0, 0 \
} _wgpu_END

typedef struct WGPUVertexBufferLayout {
    WGPUChainedStruct         *nextInChain;
    WGPUVertexStepMode         stepMode;
    uint64_t                   arrayStride;
    size_t                     attributeCount;
    const WGPUVertexAttribute *attributes;
} WGPUVertexBufferLayout WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_VERTEX_BUFFER_LAYOUT_INIT _wgpu_INIT(WGPUVertexBufferLayout) { \
    NULL, WGPUVertexStepMode_Undefined, 0, 0, NULL \
} _wgpu_END

typedef struct WGPUVertexState {
    WGPUChainedStruct            *nextInChain;
    WGPUShaderModule              module;
    WGPUStringView                entryPoint;
    size_t                        constantCount;
    const WGPUConstantEntry      *constants;
    size_t                        bufferCount;
    const WGPUVertexBufferLayout *buffers;
} WGPUVertexState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_VERTEX_STATE_INIT _wgpu_INIT(WGPUVertexState) { \
    NULL, NULL, WGPU_STRING_VIEW_INIT, 0, NULL, 0, NULL \
} _wgpu_END

typedef enum WGPUPrimitiveTopology {
    WGPUPrimitiveTopology_Undefined     = 0, /* means TriangleList */
    WGPUPrimitiveTopology_PointList     = 1,
    WGPUPrimitiveTopology_LineList      = 2,
    WGPUPrimitiveTopology_LineStrip     = 3,
    WGPUPrimitiveTopology_TriangleList  = 4,
    WGPUPrimitiveTopology_TriangleStrip = 5,
    WGPUPrimitiveTopology_Force32       = 0x7FFFFFFF
} WGPUPrimitiveTopology WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUIndexFormat {
    WGPUIndexFormat_Undefined = 0,
    WGPUIndexFormat_Uint16    = 1,
    WGPUIndexFormat_Uint32    = 2,
    WGPUIndexFormat_Force32   = 0x7FFFFFFF
} WGPUIndexFormat WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUFrontFace {
    WGPUFrontFace_Undefined = 0, /* means CCW */
    WGPUFrontFace_CCW       = 1,
    WGPUFrontFace_CW        = 2,
    WGPUFrontFace_Force32   = 0x7FFFFFFF
} WGPUFrontFace WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUCullMode {
    WGPUCullMode_Undefined = 0, /* means None */
    WGPUCullMode_None      = 1,
    WGPUCullMode_Front     = 2,
    WGPUCullMode_Back      = 3,
    WGPUCullMode_Force32   = 0x7FFFFFFF
} WGPUCullMode WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUPrimitiveState {
    WGPUChainedStruct    *nextInChain;
    WGPUPrimitiveTopology topology;
    WGPUIndexFormat       stripIndexFormat;
    WGPUFrontFace         frontFace;
    WGPUCullMode          cullMode;
    WGPUBool              unclippedDepth;
} WGPUPrimitiveState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_PRIMITIVE_STATE_INIT _wgpu_INIT(WGPUPrimitiveState) { \
    NULL, WGPUPrimitiveTopology_Undefined, WGPUIndexFormat_Undefined, \
    WGPUFrontFace_Undefined, WGPUCullMode_Undefined, WGPU_FALSE \
} _wgpu_END

typedef enum WGPUStencilOperation {
    WGPUStencilOperation_Undefined      = 0, /* means Keep */
    WGPUStencilOperation_Keep           = 1,
    WGPUStencilOperation_Zero           = 2,
    WGPUStencilOperation_Replace        = 3,
    WGPUStencilOperation_Invert         = 4,
    WGPUStencilOperation_IncrementClamp = 5,
    WGPUStencilOperation_DecrementClamp = 6,
    WGPUStencilOperation_IncrementWrap  = 7,
    WGPUStencilOperation_DecrementWrap  = 8,
    WGPUStencilOperation_Force32        = 0x7FFFFFFF
} WGPUStencilOperation WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUStencilFaceState {
    WGPUCompareFunction  compare;
    WGPUStencilOperation failOp;
    WGPUStencilOperation depthFailOp;
    WGPUStencilOperation passOp;
} WGPUStencilFaceState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_STENCIL_FACE_STATE_INIT _wgpu_INIT(WGPUStencilFaceState) { \
    WGPUCompareFunction_Undefined, WGPUStencilOperation_Undefined, \
    WGPUStencilOperation_Undefined, WGPUStencilOperation_Undefined \
} _wgpu_END

typedef struct WGPUDepthStencilState {
    WGPUChainedStruct   *nextInChain;
    WGPUTextureFormat    format;
    WGPUOptionalBool     depthWriteEnabled; /* default Undefined */
    WGPUCompareFunction  depthCompare;
    WGPUStencilFaceState stencilFront;
    WGPUStencilFaceState stencilBack;
    uint32_t             stencilReadMask;   /* default all bits */
    uint32_t             stencilWriteMask;  /* default all bits */
    int32_t              depthBias;
    float                depthBiasSlopeScale;
    float                depthBiasClamp;
} WGPUDepthStencilState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_DEPTH_STENCIL_STATE_INIT _wgpu_INIT(WGPUDepthStencilState) { \
    NULL, WGPUTextureFormat_Undefined, WGPUOptionalBool_Undefined, \
    WGPUCompareFunction_Undefined, WGPU_STENCIL_FACE_STATE_INIT, \
    WGPU_STENCIL_FACE_STATE_INIT, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0.f, 0.f \
} _wgpu_END

typedef struct WGPUMultisampleState {
    WGPUChainedStruct *nextInChain;
    uint32_t           count; /* default 1 */
    uint32_t           mask;  /* default all bits */
    WGPUBool           alphaToCoverageEnabled;
} WGPUMultisampleState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_MULTISAMPLE_STATE_INIT _wgpu_INIT(WGPUMultisampleState) { \
    NULL, 1, 0xFFFFFFFF, WGPU_FALSE \
} _wgpu_END

typedef enum WGPUBlendOperation {
    WGPUBlendOperation_Undefined       = 0, /* means Add */
    WGPUBlendOperation_Add             = 1,
    WGPUBlendOperation_Subtract        = 2,
    WGPUBlendOperation_ReverseSubtract = 3,
    WGPUBlendOperation_Min             = 4,
    WGPUBlendOperation_Max             = 5,
    WGPUBlendOperation_Force32         = 0x7FFFFFFF
} WGPUBlendOperation WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUBlendFactor {
    WGPUBlendFactor_Undefined         = 0, /* means One for the source, Zero for the destination */
    WGPUBlendFactor_Zero              = 1,
    WGPUBlendFactor_One               = 2,
    WGPUBlendFactor_Src               = 3,
    WGPUBlendFactor_OneMinusSrc       = 4,
    WGPUBlendFactor_SrcAlpha          = 5,
    WGPUBlendFactor_OneMinusSrcAlpha  = 6,
    WGPUBlendFactor_Dst               = 7,
    WGPUBlendFactor_OneMinusDst       = 8,
    WGPUBlendFactor_DstAlpha          = 9,
    WGPUBlendFactor_OneMinusDstAlpha  = 10,
    WGPUBlendFactor_SrcAlphaSaturated = 11,
    WGPUBlendFactor_Constant          = 12,
    WGPUBlendFactor_OneMinusConstant  = 13,
    WGPUBlendFactor_Src1              = 14,
    WGPUBlendFactor_OneMinusSrc1      = 15,
    WGPUBlendFactor_Src1Alpha         = 16,
    WGPUBlendFactor_OneMinusSrc1Alpha = 17,
    WGPUBlendFactor_Force32           = 0x7FFFFFFF
} WGPUBlendFactor WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUBlendComponent {
    WGPUBlendOperation operation;
    WGPUBlendFactor    srcFactor;
    WGPUBlendFactor    dstFactor;
} WGPUBlendComponent WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BLEND_COMPONENT_INIT _wgpu_INIT(WGPUBlendComponent) { \
    WGPUBlendOperation_Undefined, WGPUBlendFactor_Undefined, WGPUBlendFactor_Undefined \
} _wgpu_END

typedef struct WGPUBlendState {
    WGPUBlendComponent color;
    WGPUBlendComponent alpha;
} WGPUBlendState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_BLEND_STATE_INIT _wgpu_INIT(WGPUBlendState) { \
    WGPU_BLEND_COMPONENT_INIT, WGPU_BLEND_COMPONENT_INIT \
} _wgpu_END

typedef WGPUFlags WGPUColorWriteMask;
static const WGPUColorWriteMask WGPUColorWriteMask_None  = 0x0;
static const WGPUColorWriteMask WGPUColorWriteMask_Red   = 0x1;
static const WGPUColorWriteMask WGPUColorWriteMask_Green = 0x2;
static const WGPUColorWriteMask WGPUColorWriteMask_Blue  = 0x4;
static const WGPUColorWriteMask WGPUColorWriteMask_Alpha = 0x8;
static const WGPUColorWriteMask WGPUColorWriteMask_All   = 0xF;

typedef struct WGPUColorTargetState {
    WGPUChainedStruct                  *nextInChain;
    WGPUTextureFormat                   format;    /* Undefined: no target at this place */
    WGPU_NULLABLE const WGPUBlendState *blend;
    WGPUColorWriteMask                  writeMask; /* default All */
} WGPUColorTargetState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COLOR_TARGET_STATE_INIT _wgpu_INIT(WGPUColorTargetState) { \
    NULL, WGPUTextureFormat_Undefined, NULL, WGPUColorWriteMask_All \
} _wgpu_END

typedef struct WGPUFragmentState {
    WGPUChainedStruct          *nextInChain;
    WGPUShaderModule            module;
    WGPUStringView              entryPoint;
    size_t                      constantCount;
    const WGPUConstantEntry    *constants;
    size_t                      targetCount;
    const WGPUColorTargetState *targets;
} WGPUFragmentState WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_FRAGMENT_STATE_INIT _wgpu_INIT(WGPUFragmentState) { \
    NULL, NULL, WGPU_STRING_VIEW_INIT, 0, NULL, 0, NULL \
} _wgpu_END

typedef struct WGPURenderPipelineDescriptor {
    WGPUChainedStruct                         *nextInChain;
    WGPUStringView                             label;
    WGPU_NULLABLE WGPUPipelineLayout           layout;
    WGPUVertexState                            vertex;
    WGPUPrimitiveState                         primitive;
    WGPU_NULLABLE const WGPUDepthStencilState *depthStencil;
    WGPUMultisampleState                       multisample;
    WGPU_NULLABLE const WGPUFragmentState     *fragment;
} WGPURenderPipelineDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT _wgpu_INIT(WGPURenderPipelineDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, NULL, WGPU_VERTEX_STATE_INIT, \
    WGPU_PRIMITIVE_STATE_INIT, NULL, WGPU_MULTISAMPLE_STATE_INIT, NULL \
} _wgpu_END

typedef void (*WGPUCreateRenderPipelineAsyncCallback)(WGPUCreatePipelineAsyncStatus status,
    WGPURenderPipeline pipeline, WGPUStringView message, WGPU_NULLABLE void *userdata1,
    WGPU_NULLABLE void *userdata2) WGPU_FUNCTION_ATTRIBUTE;

typedef struct WGPUCreateRenderPipelineAsyncCallbackInfo {
    WGPUChainedStruct                    *nextInChain;
    WGPUCallbackMode                      mode;
    WGPUCreateRenderPipelineAsyncCallback callback;
    WGPU_NULLABLE void                   *userdata1;
    WGPU_NULLABLE void                   *userdata2;
} WGPUCreateRenderPipelineAsyncCallbackInfo WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_CREATE_RENDER_PIPELINE_ASYNC_CALLBACK_INFO_INIT \
    _wgpu_INIT(WGPUCreateRenderPipelineAsyncCallbackInfo) { \
    NULL, _wgpu_ENUM_ZERO_INIT(WGPUCallbackMode), NULL, NULL, NULL \
} _wgpu_END

typedef enum WGPULoadOp {
    WGPULoadOp_Undefined = 0,
    WGPULoadOp_Load      = 1,
    WGPULoadOp_Clear     = 2,
    WGPULoadOp_Force32   = 0x7FFFFFFF
} WGPULoadOp WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUStoreOp {
    WGPUStoreOp_Undefined = 0,
    WGPUStoreOp_Store     = 1,
    WGPUStoreOp_Discard   = 2,
    WGPUStoreOp_Force32   = 0x7FFFFFFF
} WGPUStoreOp WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUColor {
    double r;
    double g;
    double b;
    double a;
} WGPUColor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_COLOR_INIT _wgpu_INIT(WGPUColor) { 0., 0., 0., 0. } _wgpu_END

typedef struct WGPURenderPassColorAttachment {
    WGPUChainedStruct            *nextInChain;
    WGPU_NULLABLE WGPUTextureView view;       /* NULL: nothing at this place */
    uint32_t                      depthSlice; /* default UNDEFINED */
    WGPU_NULLABLE WGPUTextureView resolveTarget;
    WGPULoadOp                    loadOp;
    WGPUStoreOp                   storeOp;
    WGPUColor                     clearValue;
} WGPURenderPassColorAttachment WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT _wgpu_INIT(WGPURenderPassColorAttachment) { \
    NULL, NULL, WGPU_DEPTH_SLICE_UNDEFINED, NULL, WGPULoadOp_Undefined, \
    WGPUStoreOp_Undefined, WGPU_COLOR_INIT \
} _wgpu_END

typedef struct WGPURenderPassDepthStencilAttachment {
    WGPUChainedStruct *nextInChain;
    WGPUTextureView    view;
    WGPULoadOp         depthLoadOp;
    WGPUStoreOp        depthStoreOp;
    float              depthClearValue; /* default UNDEFINED, a NaN */
    WGPUBool           depthReadOnly;
    WGPULoadOp         stencilLoadOp;
    WGPUStoreOp        stencilStoreOp;
    uint32_t           stencilClearValue;
    WGPUBool           stencilReadOnly;
} WGPURenderPassDepthStencilAttachment WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_PASS_DEPTH_STENCIL_ATTACHMENT_INIT \
    _wgpu_INIT(WGPURenderPassDepthStencilAttachment) { \
    NULL, NULL, WGPULoadOp_Undefined, WGPUStoreOp_Undefined, \
    WGPU_DEPTH_CLEAR_VALUE_UNDEFINED, WGPU_FALSE, WGPULoadOp_Undefined, \
    WGPUStoreOp_Undefined, 0, WGPU_FALSE \
} _wgpu_END

typedef struct WGPURenderPassDescriptor {
    WGPUChainedStruct *nextInChain; /* WGPURenderPassMaxDrawCount */
    WGPUStringView label;
    size_t colorAttachmentCount;
    const WGPURenderPassColorAttachment *colorAttachments;
    WGPU_NULLABLE const WGPURenderPassDepthStencilAttachment *depthStencilAttachment;
    WGPU_NULLABLE WGPUQuerySet occlusionQuerySet;
    WGPU_NULLABLE const WGPUPassTimestampWrites *timestampWrites;
} WGPURenderPassDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_PASS_DESCRIPTOR_INIT _wgpu_INIT(WGPURenderPassDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, 0, NULL, NULL, NULL, NULL \
} _wgpu_END

/* In WGPURenderPassDescriptor. */
typedef struct WGPURenderPassMaxDrawCount {
    WGPUChainedStruct chain;
    uint64_t          maxDrawCount; /* default 50,000,000 */
} WGPURenderPassMaxDrawCount WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_PASS_MAX_DRAW_COUNT_INIT _wgpu_INIT(WGPURenderPassMaxDrawCount) { \
    _wgpu_CHAIN_INIT(WGPUSType_RenderPassMaxDrawCount), 50000000 \
} _wgpu_END

typedef struct WGPURenderBundleDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView     label;
} WGPURenderBundleDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_BUNDLE_DESCRIPTOR_INIT _wgpu_INIT(WGPURenderBundleDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT \
} _wgpu_END

typedef struct WGPURenderBundleEncoderDescriptor {
    WGPUChainedStruct       *nextInChain;
    WGPUStringView           label;
    size_t                   colorFormatCount;
    const WGPUTextureFormat *colorFormats;
    WGPUTextureFormat        depthStencilFormat;
    uint32_t                 sampleCount; /* default 1 */
    WGPUBool                 depthReadOnly;
    WGPUBool                 stencilReadOnly;
} WGPURenderBundleEncoderDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_RENDER_BUNDLE_ENCODER_DESCRIPTOR_INIT \
    _wgpu_INIT(WGPURenderBundleEncoderDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT, 0, NULL, WGPUTextureFormat_Undefined, 1, WGPU_FALSE, \
    WGPU_FALSE \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT WGPURenderPipeline wgpuDeviceCreateRenderPipeline(WGPUDevice device,
    const WGPURenderPipelineDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUFuture wgpuDeviceCreateRenderPipelineAsync(WGPUDevice device,
    const WGPURenderPipelineDescriptor *descriptor,
    WGPUCreateRenderPipelineAsyncCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPipelineAddRef(
    WGPURenderPipeline renderPipeline) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPipelineRelease(
    WGPURenderPipeline renderPipeline) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPipelineSetLabel(WGPURenderPipeline renderPipeline,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUBindGroupLayout wgpuRenderPipelineGetBindGroupLayout(
    WGPURenderPipeline renderPipeline, uint32_t groupIndex) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT WGPURenderPassEncoder wgpuCommandEncoderBeginRenderPass(
    WGPUCommandEncoder commandEncoder,
    const WGPURenderPassDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderAddRef(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderRelease(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetLabel(WGPURenderPassEncoder renderPassEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderEnd(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetPipeline(WGPURenderPassEncoder renderPassEncoder,
    WGPURenderPipeline pipeline) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetBindGroup(WGPURenderPassEncoder renderPassEncoder,
    uint32_t groupIndex, WGPU_NULLABLE WGPUBindGroup group, size_t dynamicOffsetCount,
    const uint32_t *dynamicOffsets) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetImmediates(WGPURenderPassEncoder renderPassEncoder,
    uint32_t offset, const void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetVertexBuffer(
    WGPURenderPassEncoder renderPassEncoder, uint32_t slot, WGPU_NULLABLE WGPUBuffer buffer,
    uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetIndexBuffer(
    WGPURenderPassEncoder renderPassEncoder, WGPUBuffer buffer, WGPUIndexFormat format,
    uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderDraw(WGPURenderPassEncoder renderPassEncoder,
    uint32_t vertexCount, uint32_t instanceCount, uint32_t firstVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderDrawIndexed(WGPURenderPassEncoder renderPassEncoder,
    uint32_t indexCount, uint32_t instanceCount, uint32_t firstIndex, int32_t baseVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderDrawIndirect(WGPURenderPassEncoder renderPassEncoder,
    WGPUBuffer indirectBuffer, uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderDrawIndexedIndirect(
    WGPURenderPassEncoder renderPassEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderExecuteBundles(
    WGPURenderPassEncoder renderPassEncoder, size_t bundleCount,
    const WGPURenderBundle *bundles) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetViewport(WGPURenderPassEncoder renderPassEncoder,
    float x, float y, float width, float height, float minDepth,
    float maxDepth) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetScissorRect(
    WGPURenderPassEncoder renderPassEncoder, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetBlendConstant(
    WGPURenderPassEncoder renderPassEncoder,
    const WGPUColor *color) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderSetStencilReference(
    WGPURenderPassEncoder renderPassEncoder, uint32_t reference) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderBeginOcclusionQuery(
    WGPURenderPassEncoder renderPassEncoder, uint32_t queryIndex) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderEndOcclusionQuery(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderPushDebugGroup(
    WGPURenderPassEncoder renderPassEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderPopDebugGroup(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderPassEncoderInsertDebugMarker(
    WGPURenderPassEncoder renderPassEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT WGPURenderBundleEncoder wgpuDeviceCreateRenderBundleEncoder(WGPUDevice device,
    const WGPURenderBundleEncoderDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderAddRef(
    WGPURenderBundleEncoder renderBundleEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderRelease(
    WGPURenderBundleEncoder renderBundleEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderSetLabel(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPURenderBundle wgpuRenderBundleEncoderFinish(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPU_NULLABLE const WGPURenderBundleDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderSetPipeline(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPURenderPipeline pipeline) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderSetBindGroup(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t groupIndex,
    WGPU_NULLABLE WGPUBindGroup group, size_t dynamicOffsetCount,
    const uint32_t *dynamicOffsets) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderSetImmediates(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t offset, const void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderSetVertexBuffer(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t slot,
    WGPU_NULLABLE WGPUBuffer buffer, uint64_t offset,
    uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderSetIndexBuffer(
    WGPURenderBundleEncoder renderBundleEncoder, WGPUBuffer buffer, WGPUIndexFormat format,
    uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderDraw(WGPURenderBundleEncoder renderBundleEncoder,
    uint32_t vertexCount, uint32_t instanceCount, uint32_t firstVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderDrawIndexed(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t indexCount,
    uint32_t instanceCount, uint32_t firstIndex, int32_t baseVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderDrawIndirect(
    WGPURenderBundleEncoder renderBundleEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderDrawIndexedIndirect(
    WGPURenderBundleEncoder renderBundleEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderPushDebugGroup(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderPopDebugGroup(
    WGPURenderBundleEncoder renderBundleEncoder) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleEncoderInsertDebugMarker(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;

WGPU_EXPORT void wgpuRenderBundleAddRef(
    WGPURenderBundle renderBundle) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleRelease(
    WGPURenderBundle renderBundle) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuRenderBundleSetLabel(WGPURenderBundle renderBundle,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ========================================================== 15  Surfaces ====
 *
 * wgpuInstanceCreateSurface() returns an error object, whatever window it is
 * given. Its capabilities and wgpuSurfacePresent() answer WGPUStatus_Error, its
 * texture is NULL with the status Error, and configuring it is a validation
 * error of the device that the configuration names.
 */

typedef struct WGPUSurfaceDescriptor {
    WGPUChainedStruct *nextInChain; /* one of the next six */
    WGPUStringView     label;
} WGPUSurfaceDescriptor WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_DESCRIPTOR_INIT _wgpu_INIT(WGPUSurfaceDescriptor) { \
    NULL, WGPU_STRING_VIEW_INIT \
} _wgpu_END

typedef struct WGPUSurfaceSourceAndroidNativeWindow {
    WGPUChainedStruct chain;
    void             *window; /* ANativeWindow * */
} WGPUSurfaceSourceAndroidNativeWindow WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_SOURCE_ANDROID_NATIVE_WINDOW_INIT \
    _wgpu_INIT(WGPUSurfaceSourceAndroidNativeWindow) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceSourceAndroidNativeWindow), NULL \
} _wgpu_END
typedef struct WGPUSurfaceSourceMetalLayer {
    WGPUChainedStruct chain;
    void             *layer; /* CAMetalLayer * */
} WGPUSurfaceSourceMetalLayer WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_SOURCE_METAL_LAYER_INIT _wgpu_INIT(WGPUSurfaceSourceMetalLayer) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceSourceMetalLayer), NULL \
} _wgpu_END
typedef struct WGPUSurfaceSourceWaylandSurface {
    WGPUChainedStruct chain;
    void             *display; /* struct wl_display * */
    void             *surface; /* struct wl_surface * */
} WGPUSurfaceSourceWaylandSurface WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_SOURCE_WAYLAND_SURFACE_INIT \
    _wgpu_INIT(WGPUSurfaceSourceWaylandSurface) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceSourceWaylandSurface), NULL, NULL \
} _wgpu_END
typedef struct WGPUSurfaceSourceWindowsHWND {
    WGPUChainedStruct chain;
    void             *hinstance; /* HINSTANCE */
    void             *hwnd;      /* HWND */
} WGPUSurfaceSourceWindowsHWND WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_SOURCE_WINDOWS_HWND_INIT _wgpu_INIT(WGPUSurfaceSourceWindowsHWND) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceSourceWindowsHWND), NULL, NULL \
} _wgpu_END
typedef struct WGPUSurfaceSourceXCBWindow {
    WGPUChainedStruct chain;
    void             *connection; /* xcb_connection_t * */
    uint32_t          window;     /* xcb_window_t */
} WGPUSurfaceSourceXCBWindow WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_SOURCE_XCB_WINDOW_INIT _wgpu_INIT(WGPUSurfaceSourceXCBWindow) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceSourceXCBWindow), NULL, 0 \
} _wgpu_END
typedef struct WGPUSurfaceSourceXlibWindow {
    WGPUChainedStruct chain;
    void             *display; /* Display * */
    uint64_t          window;  /* Window */
} WGPUSurfaceSourceXlibWindow WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_SOURCE_XLIB_WINDOW_INIT _wgpu_INIT(WGPUSurfaceSourceXlibWindow) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceSourceXlibWindow), NULL, 0 \
} _wgpu_END

typedef enum WGPUPresentMode {
    WGPUPresentMode_Undefined   = 0, /* means Fifo */
    WGPUPresentMode_Fifo        = 1,
    WGPUPresentMode_FifoRelaxed = 2,
    WGPUPresentMode_Immediate   = 3,
    WGPUPresentMode_Mailbox     = 4,
    WGPUPresentMode_Force32     = 0x7FFFFFFF
} WGPUPresentMode WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUCompositeAlphaMode {
    WGPUCompositeAlphaMode_Auto            = 0,
    WGPUCompositeAlphaMode_Opaque          = 1,
    WGPUCompositeAlphaMode_Premultiplied   = 2,
    WGPUCompositeAlphaMode_Unpremultiplied = 3,
    WGPUCompositeAlphaMode_Inherit         = 4,
    WGPUCompositeAlphaMode_Force32         = 0x7FFFFFFF
} WGPUCompositeAlphaMode WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUSurfaceConfiguration {
    WGPUChainedStruct       *nextInChain; /* WGPUSurfaceColorManagement */
    WGPUDevice               device;
    WGPUTextureFormat        format;
    WGPUTextureUsage         usage;       /* default RenderAttachment */
    uint32_t                 width;
    uint32_t                 height;
    size_t                   viewFormatCount;
    const WGPUTextureFormat *viewFormats;
    WGPUCompositeAlphaMode   alphaMode;
    WGPUPresentMode          presentMode;
} WGPUSurfaceConfiguration WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_CONFIGURATION_INIT _wgpu_INIT(WGPUSurfaceConfiguration) { \
    NULL, NULL, WGPUTextureFormat_Undefined, WGPUTextureUsage_RenderAttachment, 0, 0, 0, \
    NULL, WGPUCompositeAlphaMode_Auto, WGPUPresentMode_Undefined \
} _wgpu_END

typedef enum WGPUPredefinedColorSpace {
    WGPUPredefinedColorSpace_SRGB      = 1,
    WGPUPredefinedColorSpace_DisplayP3 = 2,
    WGPUPredefinedColorSpace_Force32   = 0x7FFFFFFF
} WGPUPredefinedColorSpace WGPU_ENUM_ATTRIBUTE;

typedef enum WGPUToneMappingMode {
    WGPUToneMappingMode_Standard = 1,
    WGPUToneMappingMode_Extended = 2,
    WGPUToneMappingMode_Force32  = 0x7FFFFFFF
} WGPUToneMappingMode WGPU_ENUM_ATTRIBUTE;

/* In WGPUSurfaceConfiguration. */
typedef struct WGPUSurfaceColorManagement {
    WGPUChainedStruct        chain;
    WGPUPredefinedColorSpace colorSpace;
    WGPUToneMappingMode      toneMappingMode;
} WGPUSurfaceColorManagement WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_COLOR_MANAGEMENT_INIT _wgpu_INIT(WGPUSurfaceColorManagement) { \
    _wgpu_CHAIN_INIT(WGPUSType_SurfaceColorManagement), \
    _wgpu_ENUM_ZERO_INIT(WGPUPredefinedColorSpace), \
    _wgpu_ENUM_ZERO_INIT(WGPUToneMappingMode) \
} _wgpu_END

typedef struct WGPUSurfaceCapabilities {
    WGPUChainedStruct            *nextInChain;
    WGPUTextureUsage              usages;
    size_t                        formatCount;
    const WGPUTextureFormat      *formats;
    size_t                        presentModeCount;
    const WGPUPresentMode        *presentModes;
    size_t                        alphaModeCount;
    const WGPUCompositeAlphaMode *alphaModes;
} WGPUSurfaceCapabilities WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_CAPABILITIES_INIT _wgpu_INIT(WGPUSurfaceCapabilities) { \
    NULL, WGPUTextureUsage_None, 0, NULL, 0, NULL, 0, NULL \
} _wgpu_END

typedef enum WGPUSurfaceGetCurrentTextureStatus {
    WGPUSurfaceGetCurrentTextureStatus_SuccessOptimal    = 1,
    WGPUSurfaceGetCurrentTextureStatus_SuccessSuboptimal = 2,
    WGPUSurfaceGetCurrentTextureStatus_Timeout           = 3,
    WGPUSurfaceGetCurrentTextureStatus_Outdated          = 4,
    WGPUSurfaceGetCurrentTextureStatus_Lost              = 5,
    WGPUSurfaceGetCurrentTextureStatus_Error             = 6,
    WGPUSurfaceGetCurrentTextureStatus_Force32           = 0x7FFFFFFF
} WGPUSurfaceGetCurrentTextureStatus WGPU_ENUM_ATTRIBUTE;

typedef struct WGPUSurfaceTexture {
    WGPUChainedStruct                 *nextInChain;
    WGPUTexture                        texture;
    WGPUSurfaceGetCurrentTextureStatus status;
} WGPUSurfaceTexture WGPU_STRUCTURE_ATTRIBUTE;
#define WGPU_SURFACE_TEXTURE_INIT _wgpu_INIT(WGPUSurfaceTexture) { \
    NULL, NULL, _wgpu_ENUM_ZERO_INIT(WGPUSurfaceGetCurrentTextureStatus) \
} _wgpu_END

#if !defined(WGPU_SKIP_DECLARATIONS)

WGPU_EXPORT WGPUSurface wgpuInstanceCreateSurface(WGPUInstance instance,
    const WGPUSurfaceDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceAddRef(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceRelease(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceSetLabel(WGPUSurface surface,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUStatus wgpuSurfaceGetCapabilities(WGPUSurface surface, WGPUAdapter adapter,
    WGPUSurfaceCapabilities *capabilities) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceCapabilitiesFreeMembers(
    WGPUSurfaceCapabilities surfaceCapabilities) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceConfigure(WGPUSurface surface,
    const WGPUSurfaceConfiguration *config) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceUnconfigure(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT void wgpuSurfaceGetCurrentTexture(WGPUSurface surface,
    WGPUSurfaceTexture *surfaceTexture) WGPU_FUNCTION_ATTRIBUTE;
WGPU_EXPORT WGPUStatus wgpuSurfacePresent(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;

#endif

/* ======================================================== 16  Proc types ====
 *
 * The type of a pointer to each function above, for what wgpuGetProcAddress()
 * returns, by name.
 */

#if !defined(WGPU_SKIP_PROCS)

typedef void (*WGPUProcAdapterAddRef)(WGPUAdapter adapter) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcAdapterGetFeatures)(WGPUAdapter adapter,
    WGPUSupportedFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcAdapterGetInfo)(WGPUAdapter adapter,
    WGPUAdapterInfo *info) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcAdapterGetLimits)(WGPUAdapter adapter,
    WGPULimits *limits) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBool (*WGPUProcAdapterHasFeature)(WGPUAdapter adapter,
    WGPUFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcAdapterInfoFreeMembers)(
    WGPUAdapterInfo adapterInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcAdapterRelease)(WGPUAdapter adapter) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcAdapterRequestDevice)(WGPUAdapter adapter,
    WGPU_NULLABLE const WGPUDeviceDescriptor *descriptor,
    WGPURequestDeviceCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBindGroupAddRef)(WGPUBindGroup bindGroup) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBindGroupLayoutAddRef)(
    WGPUBindGroupLayout bindGroupLayout) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBindGroupLayoutRelease)(
    WGPUBindGroupLayout bindGroupLayout) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBindGroupLayoutSetLabel)(WGPUBindGroupLayout bindGroupLayout,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBindGroupRelease)(WGPUBindGroup bindGroup) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBindGroupSetLabel)(WGPUBindGroup bindGroup,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBufferAddRef)(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBufferDestroy)(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef const void *(*WGPUProcBufferGetConstMappedRange)(WGPUBuffer buffer, size_t offset,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBufferMapState (*WGPUProcBufferGetMapState)(
    WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef void *(*WGPUProcBufferGetMappedRange)(WGPUBuffer buffer, size_t offset,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef uint64_t (*WGPUProcBufferGetSize)(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBufferUsage (*WGPUProcBufferGetUsage)(
    WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcBufferMapAsync)(WGPUBuffer buffer, WGPUMapMode mode,
    size_t offset, size_t size,
    WGPUBufferMapCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcBufferReadMappedRange)(WGPUBuffer buffer, size_t offset,
    void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBufferRelease)(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBufferSetLabel)(WGPUBuffer buffer,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcBufferUnmap)(WGPUBuffer buffer) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcBufferWriteMappedRange)(WGPUBuffer buffer, size_t offset,
    const void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandBufferAddRef)(
    WGPUCommandBuffer commandBuffer) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandBufferRelease)(
    WGPUCommandBuffer commandBuffer) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandBufferSetLabel)(WGPUCommandBuffer commandBuffer,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderAddRef)(
    WGPUCommandEncoder commandEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUComputePassEncoder (*WGPUProcCommandEncoderBeginComputePass)(
    WGPUCommandEncoder commandEncoder,
    WGPU_NULLABLE const WGPUComputePassDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPURenderPassEncoder (*WGPUProcCommandEncoderBeginRenderPass)(
    WGPUCommandEncoder commandEncoder,
    const WGPURenderPassDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderClearBuffer)(WGPUCommandEncoder commandEncoder,
    WGPUBuffer buffer, uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderCopyBufferToBuffer)(WGPUCommandEncoder commandEncoder,
    WGPUBuffer source, uint64_t sourceOffset, WGPUBuffer destination,
    uint64_t destinationOffset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderCopyBufferToTexture)(WGPUCommandEncoder commandEncoder,
    const WGPUTexelCopyBufferInfo *source, const WGPUTexelCopyTextureInfo *destination,
    const WGPUExtent3D *copySize) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderCopyTextureToBuffer)(WGPUCommandEncoder commandEncoder,
    const WGPUTexelCopyTextureInfo *source, const WGPUTexelCopyBufferInfo *destination,
    const WGPUExtent3D *copySize) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderCopyTextureToTexture)(
    WGPUCommandEncoder commandEncoder, const WGPUTexelCopyTextureInfo *source,
    const WGPUTexelCopyTextureInfo *destination,
    const WGPUExtent3D *copySize) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUCommandBuffer (*WGPUProcCommandEncoderFinish)(WGPUCommandEncoder commandEncoder,
    WGPU_NULLABLE const WGPUCommandBufferDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderInsertDebugMarker)(WGPUCommandEncoder commandEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderPopDebugGroup)(
    WGPUCommandEncoder commandEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderPushDebugGroup)(WGPUCommandEncoder commandEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderRelease)(
    WGPUCommandEncoder commandEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderResolveQuerySet)(WGPUCommandEncoder commandEncoder,
    WGPUQuerySet querySet, uint32_t firstQuery, uint32_t queryCount, WGPUBuffer destination,
    uint64_t destinationOffset) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderSetLabel)(WGPUCommandEncoder commandEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcCommandEncoderWriteTimestamp)(WGPUCommandEncoder commandEncoder,
    WGPUQuerySet querySet, uint32_t queryIndex) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderAddRef)(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderDispatchWorkgroups)(
    WGPUComputePassEncoder computePassEncoder, uint32_t workgroupCountX,
    uint32_t workgroupCountY, uint32_t workgroupCountZ) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderDispatchWorkgroupsIndirect)(
    WGPUComputePassEncoder computePassEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderEnd)(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderInsertDebugMarker)(
    WGPUComputePassEncoder computePassEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderPopDebugGroup)(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderPushDebugGroup)(
    WGPUComputePassEncoder computePassEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderRelease)(
    WGPUComputePassEncoder computePassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderSetBindGroup)(
    WGPUComputePassEncoder computePassEncoder, uint32_t groupIndex,
    WGPU_NULLABLE WGPUBindGroup group, size_t dynamicOffsetCount,
    const uint32_t *dynamicOffsets) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderSetImmediates)(
    WGPUComputePassEncoder computePassEncoder, uint32_t offset, const void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderSetLabel)(
    WGPUComputePassEncoder computePassEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePassEncoderSetPipeline)(
    WGPUComputePassEncoder computePassEncoder,
    WGPUComputePipeline pipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePipelineAddRef)(
    WGPUComputePipeline computePipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBindGroupLayout (*WGPUProcComputePipelineGetBindGroupLayout)(
    WGPUComputePipeline computePipeline, uint32_t groupIndex) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePipelineRelease)(
    WGPUComputePipeline computePipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcComputePipelineSetLabel)(WGPUComputePipeline computePipeline,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUInstance (*WGPUProcCreateInstance)(
    WGPU_NULLABLE const WGPUInstanceDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcDeviceAddRef)(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBindGroup (*WGPUProcDeviceCreateBindGroup)(WGPUDevice device,
    const WGPUBindGroupDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBindGroupLayout (*WGPUProcDeviceCreateBindGroupLayout)(WGPUDevice device,
    const WGPUBindGroupLayoutDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPU_NULLABLE WGPUBuffer (*WGPUProcDeviceCreateBuffer)(WGPUDevice device,
    const WGPUBufferDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUCommandEncoder (*WGPUProcDeviceCreateCommandEncoder)(WGPUDevice device,
    WGPU_NULLABLE const WGPUCommandEncoderDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUComputePipeline (*WGPUProcDeviceCreateComputePipeline)(WGPUDevice device,
    const WGPUComputePipelineDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcDeviceCreateComputePipelineAsync)(WGPUDevice device,
    const WGPUComputePipelineDescriptor *descriptor,
    WGPUCreateComputePipelineAsyncCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUPipelineLayout (*WGPUProcDeviceCreatePipelineLayout)(WGPUDevice device,
    const WGPUPipelineLayoutDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUQuerySet (*WGPUProcDeviceCreateQuerySet)(WGPUDevice device,
    const WGPUQuerySetDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPURenderBundleEncoder (*WGPUProcDeviceCreateRenderBundleEncoder)(
    WGPUDevice device,
    const WGPURenderBundleEncoderDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPURenderPipeline (*WGPUProcDeviceCreateRenderPipeline)(WGPUDevice device,
    const WGPURenderPipelineDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcDeviceCreateRenderPipelineAsync)(WGPUDevice device,
    const WGPURenderPipelineDescriptor *descriptor,
    WGPUCreateRenderPipelineAsyncCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUSampler (*WGPUProcDeviceCreateSampler)(WGPUDevice device,
    WGPU_NULLABLE const WGPUSamplerDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUShaderModule (*WGPUProcDeviceCreateShaderModule)(WGPUDevice device,
    const WGPUShaderModuleDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUTexture (*WGPUProcDeviceCreateTexture)(WGPUDevice device,
    const WGPUTextureDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcDeviceDestroy)(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcDeviceGetAdapterInfo)(WGPUDevice device,
    WGPUAdapterInfo *adapterInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcDeviceGetFeatures)(WGPUDevice device,
    WGPUSupportedFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcDeviceGetLimits)(WGPUDevice device,
    WGPULimits *limits) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcDeviceGetLostFuture)(
    WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUQueue (*WGPUProcDeviceGetQueue)(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBool (*WGPUProcDeviceHasFeature)(WGPUDevice device,
    WGPUFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcDevicePopErrorScope)(WGPUDevice device,
    WGPUPopErrorScopeCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcDevicePushErrorScope)(WGPUDevice device,
    WGPUErrorFilter filter) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcDeviceRelease)(WGPUDevice device) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcDeviceSetLabel)(WGPUDevice device,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcExternalTextureAddRef)(
    WGPUExternalTexture externalTexture) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcExternalTextureRelease)(
    WGPUExternalTexture externalTexture) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcExternalTextureSetLabel)(WGPUExternalTexture externalTexture,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcGetInstanceFeatures)(
    WGPUSupportedInstanceFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcGetInstanceLimits)(
    WGPUInstanceLimits *limits) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUProc (*WGPUProcGetProcAddress)(WGPUStringView procName) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBool (*WGPUProcHasInstanceFeature)(
    WGPUInstanceFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcInstanceAddRef)(WGPUInstance instance) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUSurface (*WGPUProcInstanceCreateSurface)(WGPUInstance instance,
    const WGPUSurfaceDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcInstanceGetWGSLLanguageFeatures)(WGPUInstance instance,
    WGPUSupportedWGSLLanguageFeatures *features) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBool (*WGPUProcInstanceHasWGSLLanguageFeature)(WGPUInstance instance,
    WGPUWGSLLanguageFeatureName feature) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcInstanceProcessEvents)(
    WGPUInstance instance) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcInstanceRelease)(WGPUInstance instance) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcInstanceRequestAdapter)(WGPUInstance instance,
    WGPU_NULLABLE const WGPURequestAdapterOptions *options,
    WGPURequestAdapterCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUWaitStatus (*WGPUProcInstanceWaitAny)(WGPUInstance instance, size_t futureCount,
    WGPU_NULLABLE WGPUFutureWaitInfo *futures, uint64_t timeoutNS) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcPipelineLayoutAddRef)(
    WGPUPipelineLayout pipelineLayout) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcPipelineLayoutRelease)(
    WGPUPipelineLayout pipelineLayout) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcPipelineLayoutSetLabel)(WGPUPipelineLayout pipelineLayout,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQuerySetAddRef)(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQuerySetDestroy)(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
typedef uint32_t (*WGPUProcQuerySetGetCount)(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUQueryType (*WGPUProcQuerySetGetType)(
    WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQuerySetRelease)(WGPUQuerySet querySet) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQuerySetSetLabel)(WGPUQuerySet querySet,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQueueAddRef)(WGPUQueue queue) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcQueueOnSubmittedWorkDone)(WGPUQueue queue,
    WGPUQueueWorkDoneCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQueueRelease)(WGPUQueue queue) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQueueSetLabel)(WGPUQueue queue,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQueueSubmit)(WGPUQueue queue, size_t commandCount,
    const WGPUCommandBuffer *commands) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQueueWriteBuffer)(WGPUQueue queue, WGPUBuffer buffer,
    uint64_t bufferOffset, const void *data, size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcQueueWriteTexture)(WGPUQueue queue,
    const WGPUTexelCopyTextureInfo *destination, const void *data, size_t dataSize,
    const WGPUTexelCopyBufferLayout *dataLayout,
    const WGPUExtent3D *writeSize) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleAddRef)(
    WGPURenderBundle renderBundle) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderAddRef)(
    WGPURenderBundleEncoder renderBundleEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderDraw)(WGPURenderBundleEncoder renderBundleEncoder,
    uint32_t vertexCount, uint32_t instanceCount, uint32_t firstVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderDrawIndexed)(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t indexCount,
    uint32_t instanceCount, uint32_t firstIndex, int32_t baseVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderDrawIndexedIndirect)(
    WGPURenderBundleEncoder renderBundleEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderDrawIndirect)(
    WGPURenderBundleEncoder renderBundleEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPURenderBundle (*WGPUProcRenderBundleEncoderFinish)(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPU_NULLABLE const WGPURenderBundleDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderInsertDebugMarker)(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderPopDebugGroup)(
    WGPURenderBundleEncoder renderBundleEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderPushDebugGroup)(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderRelease)(
    WGPURenderBundleEncoder renderBundleEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderSetBindGroup)(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t groupIndex,
    WGPU_NULLABLE WGPUBindGroup group, size_t dynamicOffsetCount,
    const uint32_t *dynamicOffsets) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderSetImmediates)(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t offset, const void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderSetIndexBuffer)(
    WGPURenderBundleEncoder renderBundleEncoder, WGPUBuffer buffer, WGPUIndexFormat format,
    uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderSetLabel)(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderSetPipeline)(
    WGPURenderBundleEncoder renderBundleEncoder,
    WGPURenderPipeline pipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleEncoderSetVertexBuffer)(
    WGPURenderBundleEncoder renderBundleEncoder, uint32_t slot,
    WGPU_NULLABLE WGPUBuffer buffer, uint64_t offset,
    uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleRelease)(
    WGPURenderBundle renderBundle) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderBundleSetLabel)(WGPURenderBundle renderBundle,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderAddRef)(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderBeginOcclusionQuery)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t queryIndex) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderDraw)(WGPURenderPassEncoder renderPassEncoder,
    uint32_t vertexCount, uint32_t instanceCount, uint32_t firstVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderDrawIndexed)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t indexCount, uint32_t instanceCount,
    uint32_t firstIndex, int32_t baseVertex,
    uint32_t firstInstance) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderDrawIndexedIndirect)(
    WGPURenderPassEncoder renderPassEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderDrawIndirect)(
    WGPURenderPassEncoder renderPassEncoder, WGPUBuffer indirectBuffer,
    uint64_t indirectOffset) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderEnd)(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderEndOcclusionQuery)(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderExecuteBundles)(
    WGPURenderPassEncoder renderPassEncoder, size_t bundleCount,
    const WGPURenderBundle *bundles) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderInsertDebugMarker)(
    WGPURenderPassEncoder renderPassEncoder,
    WGPUStringView markerLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderPopDebugGroup)(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderPushDebugGroup)(
    WGPURenderPassEncoder renderPassEncoder,
    WGPUStringView groupLabel) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderRelease)(
    WGPURenderPassEncoder renderPassEncoder) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetBindGroup)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t groupIndex,
    WGPU_NULLABLE WGPUBindGroup group, size_t dynamicOffsetCount,
    const uint32_t *dynamicOffsets) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetBlendConstant)(
    WGPURenderPassEncoder renderPassEncoder,
    const WGPUColor *color) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetImmediates)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t offset, const void *data,
    size_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetIndexBuffer)(
    WGPURenderPassEncoder renderPassEncoder, WGPUBuffer buffer, WGPUIndexFormat format,
    uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetLabel)(WGPURenderPassEncoder renderPassEncoder,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetPipeline)(
    WGPURenderPassEncoder renderPassEncoder,
    WGPURenderPipeline pipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetScissorRect)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetStencilReference)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t reference) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetVertexBuffer)(
    WGPURenderPassEncoder renderPassEncoder, uint32_t slot, WGPU_NULLABLE WGPUBuffer buffer,
    uint64_t offset, uint64_t size) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPassEncoderSetViewport)(
    WGPURenderPassEncoder renderPassEncoder, float x, float y, float width, float height,
    float minDepth, float maxDepth) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPipelineAddRef)(
    WGPURenderPipeline renderPipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUBindGroupLayout (*WGPUProcRenderPipelineGetBindGroupLayout)(
    WGPURenderPipeline renderPipeline, uint32_t groupIndex) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPipelineRelease)(
    WGPURenderPipeline renderPipeline) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcRenderPipelineSetLabel)(WGPURenderPipeline renderPipeline,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSamplerAddRef)(WGPUSampler sampler) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSamplerRelease)(WGPUSampler sampler) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSamplerSetLabel)(WGPUSampler sampler,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcShaderModuleAddRef)(
    WGPUShaderModule shaderModule) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUFuture (*WGPUProcShaderModuleGetCompilationInfo)(WGPUShaderModule shaderModule,
    WGPUCompilationInfoCallbackInfo callbackInfo) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcShaderModuleRelease)(
    WGPUShaderModule shaderModule) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcShaderModuleSetLabel)(WGPUShaderModule shaderModule,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSupportedFeaturesFreeMembers)(
    WGPUSupportedFeatures supportedFeatures) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSupportedInstanceFeaturesFreeMembers)(
    WGPUSupportedInstanceFeatures supportedInstanceFeatures) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSupportedWGSLLanguageFeaturesFreeMembers)(
    WGPUSupportedWGSLLanguageFeatures supportedWGSLLanguageFeatures) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceAddRef)(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceCapabilitiesFreeMembers)(
    WGPUSurfaceCapabilities surfaceCapabilities) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceConfigure)(WGPUSurface surface,
    const WGPUSurfaceConfiguration *config) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcSurfaceGetCapabilities)(WGPUSurface surface,
    WGPUAdapter adapter, WGPUSurfaceCapabilities *capabilities) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceGetCurrentTexture)(WGPUSurface surface,
    WGPUSurfaceTexture *surfaceTexture) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUStatus (*WGPUProcSurfacePresent)(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceRelease)(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceSetLabel)(WGPUSurface surface,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcSurfaceUnconfigure)(WGPUSurface surface) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureAddRef)(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUTextureView (*WGPUProcTextureCreateView)(WGPUTexture texture,
    WGPU_NULLABLE const WGPUTextureViewDescriptor *descriptor) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureDestroy)(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef uint32_t (*WGPUProcTextureGetDepthOrArrayLayers)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUTextureDimension (*WGPUProcTextureGetDimension)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUTextureFormat (*WGPUProcTextureGetFormat)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef uint32_t (*WGPUProcTextureGetHeight)(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef uint32_t (*WGPUProcTextureGetMipLevelCount)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef uint32_t (*WGPUProcTextureGetSampleCount)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUTextureViewDimension (*WGPUProcTextureGetTextureBindingViewDimension)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef WGPUTextureUsage (*WGPUProcTextureGetUsage)(
    WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef uint32_t (*WGPUProcTextureGetWidth)(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureRelease)(WGPUTexture texture) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureSetLabel)(WGPUTexture texture,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureViewAddRef)(
    WGPUTextureView textureView) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureViewRelease)(
    WGPUTextureView textureView) WGPU_FUNCTION_ATTRIBUTE;
typedef void (*WGPUProcTextureViewSetLabel)(WGPUTextureView textureView,
    WGPUStringView label) WGPU_FUNCTION_ATTRIBUTE;

#endif

#ifdef __cplusplus
}
#endif

#endif
