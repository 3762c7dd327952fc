// SPDX-License-Identifier: Apache-2.0
/*
 * instance_test.c - instances, what they can do, and the adapters they find.
 */
#include "fixture.h"

#include <weft/wgsl.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/gpu_priv.h"

/* ---- instances ---- */

static void test_an_instance_needs_no_descriptor(void **state)
{
    (void)state;
    WGPUInstance instance = wgpuCreateInstance(NULL);
    assert_non_null(instance);
    wgpuInstanceAddRef(instance);
    wgpuInstanceRelease(instance);
    wgpuInstanceRelease(instance);
    wgpuInstanceAddRef(NULL);
    wgpuInstanceRelease(NULL);
}

static void test_features_are_listed_and_granted(void **state)
{
    (void)state;
    WGPUSupportedInstanceFeatures list = WGPU_SUPPORTED_INSTANCE_FEATURES_INIT;
    wgpuGetInstanceFeatures(&list);
    assert_true(list.featureCount > 0);
    for (size_t i = 0; i < list.featureCount; i++)
        assert_true(wgpuHasInstanceFeature(list.features[i]));
    WGPUInstanceDescriptor d = WGPU_INSTANCE_DESCRIPTOR_INIT;
    d.requiredFeatureCount = list.featureCount;
    d.requiredFeatures = list.features;
    WGPUInstance instance = wgpuCreateInstance(&d);
    assert_non_null(instance);
    wgpuInstanceRelease(instance);
    wgpuSupportedInstanceFeaturesFreeMembers(list);
    assert_true(wgpuHasInstanceFeature(WGPUInstanceFeatureName_TimedWaitAny));
    assert_true(wgpuHasInstanceFeature(WGPUInstanceFeatureName_MultipleDevicesPerAdapter));
    assert_true(wgpuHasInstanceFeature(WGPUInstanceFeatureName_WeftOptions));
    assert_false(wgpuHasInstanceFeature(WGPUInstanceFeatureName_ShaderSourceSPIRV));
    assert_false(wgpuHasInstanceFeature((WGPUInstanceFeatureName)0));
    assert_false(wgpuHasInstanceFeature(WGPUInstanceFeatureName_Force32));
}

static void test_limits_are_told(void **state)
{
    (void)state;
    WGPUInstanceLimits limits = WGPU_INSTANCE_LIMITS_INIT;
    assert_int_equal(wgpuGetInstanceLimits(&limits), WGPUStatus_Success);
    assert_int_equal(limits.timedWaitAnyMaxCount, 64);
    WGPUChainedStruct stray = {NULL, WGPUSType_ShaderSourceWGSL};
    limits = (WGPUInstanceLimits){&stray, 3};
    assert_int_equal(wgpuGetInstanceLimits(&limits), WGPUStatus_Error);
    assert_int_equal(limits.timedWaitAnyMaxCount, 3);
    assert_int_equal(wgpuGetInstanceLimits(NULL), WGPUStatus_Error);
}

typedef struct Log {
    char text[512];
} Log;

static void on_log(WGPUStringView message, void *userdata1, void *userdata2)
{
    Log *log = userdata1;
    (void)userdata2;
    snprintf(log->text, sizeof log->text, "%.*s", (int)message.length, message.data);
}

static void expect_no_instance(WGPUInstanceDescriptor d, WGPUWeftInstanceOptions weft,
                               const char *why)
{
    Log log = {""};
    weft.logCallback = on_log;
    weft.logUserdata1 = &log;
    weft.chain.next = d.nextInChain;
    d.nextInChain = &weft.chain;
    assert_null(wgpuCreateInstance(&d));
    assert_string_equal(log.text, why);
}

static void test_what_is_wrong_with_a_descriptor_is_logged(void **state)
{
    (void)state;
    const WGPUInstanceDescriptor plain = WGPU_INSTANCE_DESCRIPTOR_INIT;
    const WGPUWeftInstanceOptions weft = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    static const WGPUInstanceFeatureName spirv = WGPUInstanceFeatureName_ShaderSourceSPIRV;
    static const WGPUInstanceFeatureName other = (WGPUInstanceFeatureName)0x51;
    WGPUInstanceDescriptor d = plain;
    d.requiredFeatureCount = 1;
    expect_no_instance(d, weft, "requiredFeatures is NULL with a count of 1");
    d.requiredFeatures = &spirv;
    expect_no_instance(d, weft, "the instance feature ShaderSourceSPIRV is not there: shader "
                                "modules are WGSL");
    d.requiredFeatures = &other;
    expect_no_instance(d, weft, "the instance feature 0x51 is not there");
    d = plain;
    WGPUInstanceLimits limits = {NULL, 65};
    d.requiredLimits = &limits;
    expect_no_instance(d, weft, "timedWaitAnyMaxCount 65 is above the most there is, 64");
    limits = (WGPUInstanceLimits){&(WGPUChainedStruct){NULL, 1}, 1};
    expect_no_instance(d, weft, "WGPUInstanceLimits has a struct in its chain that does not "
                                "belong there: sType 0x00000001");
    d = plain;
    WGPUChainedStruct stray = {NULL, (WGPUSType)0x1234};
    d.nextInChain = &stray;
    expect_no_instance(d, weft, "WGPUInstanceDescriptor has a struct in its chain that does not "
                                "belong there: sType 0x00001234");
    WGPUWeftInstanceOptions wrong = weft;
    wrong.cacheMode = (WGPUWeftCacheMode)3;
    expect_no_instance(plain, wrong, "cacheMode 3 is not one there is");
    wrong = weft;
    wrong.cacheDirectory = (WGPUStringView){NULL, 5};
    expect_no_instance(plain, wrong, "cacheDirectory is NULL with a length of 5");
}

/* What standard error gets while an instance is asked for that cannot be, and one that can
 * be is used wrongly. */
static void complain_aloud(char *text, size_t size, WGPUWeftInstanceOptions *weft)
{
    FILE *file = tmpfile();
    int   kept = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    WGPUInstanceDescriptor d = WGPU_INSTANCE_DESCRIPTOR_INIT;
    d.nextInChain = weft ? &weft->chain : NULL;
    d.requiredFeatureCount = 1;
    WGPUInstance none = wgpuCreateInstance(&d);
    d.requiredFeatureCount = 0;
    WGPUInstance instance = wgpuCreateInstance(&d);
    WGPUFuture   future = wgpuInstanceRequestAdapter(instance, NULL,
                                                     (WGPURequestAdapterCallbackInfo){0});
    wgpuInstanceRelease(instance);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    assert_null(none);
    assert_non_null(instance);
    assert_int_equal(future.id, 0);
}

static void test_complaints_go_where_the_user_says(void **state)
{
    (void)state;
    char text[512];
    Log  log = {""};
    complain_aloud(text, sizeof text, NULL);
    assert_string_equal(text, "");
    assert_int_equal(setenv("WEFT_LOG", "1", 1), 0);
    complain_aloud(text, sizeof text, NULL);
    assert_string_equal(text, "weft: requiredFeatures is NULL with a count of 1\n"
                              "weft: RequestAdapter: the callback is NULL\n");
    WGPUWeftInstanceOptions weft = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    complain_aloud(text, sizeof text, &weft);
    assert_string_equal(text, "weft: requiredFeatures is NULL with a count of 1\n"
                              "weft: RequestAdapter: the callback is NULL\n");
    weft.logCallback = on_log;                  /* the program listens */
    weft.logUserdata1 = &log;
    complain_aloud(text, sizeof text, &weft);
    assert_string_equal(text, "");
    assert_string_equal(log.text, "RequestAdapter: the callback is NULL");
    assert_int_equal(unsetenv("WEFT_LOG"), 0);
}

static void test_a_chain_in_a_circle_ends(void **state)
{
    (void)state;
    WGPUWeftInstanceOptions weft = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    Log log = {""};
    weft.logCallback = on_log;
    weft.logUserdata1 = &log;
    weft.chain.next = &weft.chain;
    WGPUInstanceDescriptor d = WGPU_INSTANCE_DESCRIPTOR_INIT;
    d.nextInChain = &weft.chain;
    assert_null(wgpuCreateInstance(&d));
    assert_string_equal(log.text, "WGPUInstanceDescriptor has a struct twice in its chain: "
                                  "sType 0x57450001");
}

static void test_options_of_weft_are_taken(void **state)
{
    (void)state;
    WGPUWeftInstanceOptions weft = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    weft.cacheMode = WGPUWeftCacheMode_Memory;
    weft.cacheDirectory = (WGPUStringView){"/nowhere/at/all...", 8};
    WGPUInstanceDescriptor d = WGPU_INSTANCE_DESCRIPTOR_INIT;
    d.nextInChain = &weft.chain;
    WGPUInstance instance = wgpuCreateInstance(&d);
    assert_non_null(instance);
    assert_string_equal(instance->cache_folder, "/nowhere");
    assert_int_equal(instance->cache_mode, WGPUWeftCacheMode_Memory);
    wgpuInstanceRelease(instance);
}

/* ---- functions by name ---- */

static void test_every_function_is_found_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {
#define PROC(name) "wgpu" #name,
#include "gpu/procs.def"
#undef PROC
    };
    for (size_t i = 0; i < COUNTOF(names); i++) {
        assert_non_null(wgpuGetProcAddress(sv(names[i])));
        if (i > 0)
            assert_true(strcmp(names[i - 1], names[i]) < 0);
    }
    assert_ptr_equal(wgpuGetProcAddress(sv("wgpuCreateInstance")), (WGPUProc)wgpuCreateInstance);
    assert_ptr_equal(wgpuGetProcAddress((WGPUStringView){"wgpuBufferUnmapXYZ", 15}),
                     (WGPUProc)wgpuBufferUnmap);
}

static void test_other_names_are_not_found(void **state)
{
    (void)state;
    static const char *const names[] = {"", "wgpu", "wgp", "wgpuX", "wgpuCreateInstanc",
                                        "wgpuCreateInstanceX", "CreateInstance",
                                        "wgpuTextureViewSetLabels", "WgpuCreateInstance"};
    for (size_t i = 0; i < COUNTOF(names); i++)
        assert_null(wgpuGetProcAddress(sv(names[i])));
    assert_null(wgpuGetProcAddress(sv(NULL)));
    assert_null(wgpuGetProcAddress((WGPUStringView){NULL, 10}));
    assert_null(wgpuGetProcAddress((WGPUStringView){"wgpuCreateInstance\0more", 23}));
}

/* ---- extensions of WGSL ---- */

static void test_language_features_are_those_of_the_checker(void **state)
{
    (void)state;
    WGPUInstance instance = wgpuCreateInstance(NULL);
    WGPUSupportedWGSLLanguageFeatures list = WGPU_SUPPORTED_WGSL_LANGUAGE_FEATURES_INIT;
    wgpuInstanceGetWGSLLanguageFeatures(instance, &list);
    uint32_t all = 0;
    while (weft_wgsl_language_name(all))
        all++;
    assert_int_equal(list.featureCount, all);
    for (size_t i = 0; i < list.featureCount; i++)
        assert_true(wgpuInstanceHasWGSLLanguageFeature(instance, list.features[i]));
    wgpuSupportedWGSLLanguageFeaturesFreeMembers(list);
    assert_false(wgpuInstanceHasWGSLLanguageFeature(instance,
                                                    (WGPUWGSLLanguageFeatureName)0));
    assert_false(wgpuInstanceHasWGSLLanguageFeature(instance,
                                                    (WGPUWGSLLanguageFeatureName)99));
    wgpuInstanceRelease(instance);
}

/* ---- adapters ---- */

static WGPUAdapter request(WGPUInstance instance, const WGPURequestAdapterOptions *options,
                           int status, const char *message)
{
    Told t = TOLD_INIT;
    WGPUFuture f = wgpuInstanceRequestAdapter(
        instance, options, adapter_callback(&t, WGPUCallbackMode_AllowSpontaneous));
    assert_true(f.id != 0);
    assert_int_equal(t.count, 1);
    assert_string_equal(t.message, message);
    assert_int_equal(t.status, status);
    assert_true((t.object != NULL) == (status == WGPURequestAdapterStatus_Success));
    return t.object;
}

static void expect_device(WGPUInstance instance, const WGPURequestAdapterOptions *options,
                          const char *device)
{
    WGPUAdapter a = request(instance, options, WGPURequestAdapterStatus_Success, "");
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    assert_int_equal(wgpuAdapterGetInfo(a, &info), WGPUStatus_Success);
    assert_int_equal(info.device.length, strlen(device));
    assert_memory_equal(info.device.data, device, strlen(device));
    wgpuAdapterInfoFreeMembers(info);
    wgpuAdapterRelease(a);
}

static void test_adapters_are_chosen_by_wishes(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    const WGPURequestAdapterOptions plain = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPURequestAdapterOptions o = plain;
    expect_device(instance, NULL, "null-large");
    expect_device(instance, &o, "null-large");
    o.powerPreference = WGPUPowerPreference_LowPower;
    expect_device(instance, &o, "null-small");
    o.powerPreference = WGPUPowerPreference_HighPerformance;
    expect_device(instance, &o, "null-large");
    o.forceFallbackAdapter = 7;                 /* anything but zero is true */
    expect_device(instance, &o, "null-cpu");
    o = plain;
    o.backendType = WGPUBackendType_Null;
    o.featureLevel = WGPUFeatureLevel_Compatibility;
    expect_device(instance, &o, "null-large");
    WGPUWeftRequestAdapterOptions weft = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
    weft.name = sv("DEVICE, s");
    o.nextInChain = &weft.chain;
    expect_device(instance, &o, "null-small");
    weft.name = sv("-Cpu");
    expect_device(instance, &o, "null-cpu");
    weft.name = sv("null-cpux");
    request(instance, &o, WGPURequestAdapterStatus_Unavailable,
            "no adapter of this machine meets the options");
    weft.name = (WGPUStringView){NULL, 3};
    request(instance, &o, WGPURequestAdapterStatus_Error,
            "the name in WGPUWeftRequestAdapterOptions is NULL with a length of 3");
    wgpuInstanceRelease(instance);
}

static void test_the_users_word_wins_over_a_backend(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    const WGPURequestAdapterOptions plain = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPURequestAdapterOptions o = plain;
    assert_int_equal(setenv("WEFT_ADAPTER", "cpu", 1), 0);
    expect_device(instance, &o, "null-cpu");
    o.backendType = WGPUBackendType_Vulkan;
    expect_device(instance, &o, "null-cpu");
    o.backendType = WGPUBackendType_WeftCPU;    /* asked of Weft: that it is not */
    request(instance, &o, WGPURequestAdapterStatus_Unavailable,
            "no adapter of this machine meets the options");
    o = plain;
    WGPUWeftRequestAdapterOptions weft = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
    weft.name = sv("null-small");
    o.nextInChain = &weft.chain;
    expect_device(instance, &o, "null-small");
    assert_int_equal(setenv("WEFT_ADAPTER", "none such", 1), 0);
    o = plain;
    o.backendType = WGPUBackendType_Null;
    request(instance, &o, WGPURequestAdapterStatus_Unavailable,
            "no adapter of this machine meets the options and WEFT_ADAPTER=none such");
    assert_int_equal(setenv("WEFT_ADAPTER", "", 1), 0);
    expect_device(instance, &o, "null-large");
    assert_int_equal(unsetenv("WEFT_ADAPTER"), 0);
    wgpuInstanceRelease(instance);
}

static void test_wishes_that_cannot_be(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    const WGPURequestAdapterOptions plain = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPURequestAdapterOptions o = plain;
    o.backendType = WGPUBackendType_Vulkan;
    request(instance, &o, WGPURequestAdapterStatus_Unavailable,
            "no adapter of this machine meets the options; the environment variable "
            "WEFT_ADAPTER=cpu gives the CPU to programs that ask for another backendType");
    o.backendType = (WGPUBackendType)77;
    request(instance, &o, WGPURequestAdapterStatus_Error, "backendType 0x4d is not one there is");
    o = plain;
    o.featureLevel = (WGPUFeatureLevel)9;
    request(instance, &o, WGPURequestAdapterStatus_Error, "featureLevel 9 is not one there is");
    o = plain;
    o.powerPreference = (WGPUPowerPreference)3;
    request(instance, &o, WGPURequestAdapterStatus_Error,
            "powerPreference 3 is not one there is");
    o = plain;
    o.compatibleSurface = wgpuInstanceCreateSurface(instance, NULL);
    request(instance, &o, WGPURequestAdapterStatus_Unavailable,
            "Weft has no surfaces, so no adapter is compatible with one");
    wgpuSurfaceRelease(o.compatibleSurface);
    o = plain;
    WGPURequestAdapterWebXROptions xr = WGPU_REQUEST_ADAPTER_WEBXR_OPTIONS_INIT;
    o.nextInChain = &xr.chain;
    wgpuAdapterRelease(request(instance, &o, WGPURequestAdapterStatus_Success, ""));
    xr.xrCompatible = WGPU_TRUE;
    request(instance, &o, WGPURequestAdapterStatus_Unavailable, "Weft has no adapter for XR");
    WGPUChainedStruct stray = {NULL, WGPUSType_WeftDeviceOptions};
    o.nextInChain = &stray;
    request(instance, &o, WGPURequestAdapterStatus_Error,
            "WGPURequestAdapterOptions has a struct in its chain that does not belong there: "
            "sType 0x57450003");
    wgpuInstanceRelease(instance);
}

static void test_a_machine_without_adapters(void **state)
{
    (void)state;
    static const GpuBackend *const none[] = {NULL};
    WGPUInstance instance = instance_create(NULL, none);
    request(instance, NULL, WGPURequestAdapterStatus_Unavailable,
            "no adapter of this machine meets the options");
    wgpuInstanceRelease(instance);
}

static void test_an_adapter_describes_itself(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  a = request(instance, NULL, WGPURequestAdapterStatus_Success, "");
    wgpuInstanceRelease(instance);              /* the adapter goes on */
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    assert_int_equal(wgpuAdapterGetInfo(a, &info), WGPUStatus_Success);
    assert_memory_equal(info.vendor.data, "weft", 4);
    assert_memory_equal(info.architecture.data, "null", 4);
    assert_int_equal(info.vendorID, 7);
    assert_int_equal(info.deviceID, 9);
    assert_int_equal(info.backendType, WGPUBackendType_Null);
    assert_int_equal(info.adapterType, WGPUAdapterType_DiscreteGPU);
    assert_int_equal(info.subgroupMinSize, 4);
    assert_int_equal(info.subgroupMaxSize, 32);
    wgpuAdapterInfoFreeMembers(info);
    info.nextInChain = &(WGPUChainedStruct){NULL, 1};
    assert_int_equal(wgpuAdapterGetInfo(a, &info), WGPUStatus_Error);
    assert_int_equal(wgpuAdapterGetInfo(a, NULL), WGPUStatus_Error);
    wgpuAdapterAddRef(a);
    wgpuAdapterRelease(a);
    wgpuAdapterRelease(a);
}

/* What a struct that is to be filled has in its chain that does not belong there is heard
 * of in the log, and nothing of it is written. */
static void test_wrong_chains_of_answers_are_logged(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUChainedStruct stray = {NULL, (WGPUSType)0x7777};
    WGPUAdapterInfo   info = {.nextInChain = &stray, .vendorID = 42};
    WGPULimits        limits = {.nextInChain = &stray, .maxBindGroups = 42};
    assert_int_equal(wgpuAdapterGetInfo(fx->adapter, &info), WGPUStatus_Error);
    expect_log(fx, "GetInfo: WGPUAdapterInfo has a struct in its chain that does not belong "
                   "there: sType 0x00007777");
    assert_int_equal(wgpuDeviceGetAdapterInfo(fx->device, &info), WGPUStatus_Error);
    expect_log(fx, "GetAdapterInfo: WGPUAdapterInfo has a struct in its chain that does not "
                   "belong there: sType 0x00007777");
    assert_int_equal(wgpuAdapterGetLimits(fx->adapter, &limits), WGPUStatus_Error);
    expect_log(fx, "GetLimits: WGPULimits has a struct in its chain that does not belong "
                   "there: sType 0x00007777");
    assert_int_equal(wgpuDeviceGetLimits(fx->device, &limits), WGPUStatus_Error);
    expect_log(fx, "GetLimits: WGPULimits has a struct in its chain that does not belong "
                   "there: sType 0x00007777");
    assert_int_equal(info.vendorID, 42);
    assert_int_equal(limits.maxBindGroups, 42);
    assert_int_equal(wgpuDeviceGetLimits(fx->device, NULL), WGPUStatus_Error);
    expect_log(fx, "GetLimits: limits is NULL");
    fixture_close(fx);
}

static void test_features_of_an_adapter(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  a = request(instance, NULL, WGPURequestAdapterStatus_Success, "");
    WGPUSupportedFeatures list = WGPU_SUPPORTED_FEATURES_INIT;
    wgpuAdapterGetFeatures(a, &list);
    assert_int_equal(list.featureCount, 6);
    for (size_t i = 0; i < list.featureCount; i++)
        assert_true(wgpuAdapterHasFeature(a, list.features[i]));
    wgpuSupportedFeaturesFreeMembers(list);
    assert_true(wgpuAdapterHasFeature(a, WGPUFeatureName_CoreFeaturesAndLimits));
    assert_false(wgpuAdapterHasFeature(a, WGPUFeatureName_TextureCompressionBC));
    assert_false(wgpuAdapterHasFeature(a, (WGPUFeatureName)0));
    wgpuAdapterRelease(a);
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.forceFallbackAdapter = WGPU_TRUE;
    a = request(instance, &o, WGPURequestAdapterStatus_Success, "");
    assert_false(wgpuAdapterHasFeature(a, WGPUFeatureName_TimestampQuery));
    assert_true(wgpuAdapterHasFeature(a, WGPUFeatureName_ShaderF16));
    wgpuAdapterRelease(a);
    wgpuInstanceRelease(instance);
}

static void test_limits_of_an_adapter(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  a = request(instance, NULL, WGPURequestAdapterStatus_Success, "");
    WGPUCompatibilityModeLimits stages = WGPU_COMPATIBILITY_MODE_LIMITS_INIT;
    WGPULimits l = WGPU_LIMITS_INIT;
    l.nextInChain = &stages.chain;
    assert_int_equal(wgpuAdapterGetLimits(a, &l), WGPUStatus_Success);
    assert_ptr_equal(l.nextInChain, &stages.chain);
    assert_int_equal(l.maxBindGroups, MAX_BIND_GROUPS);             /* our own bound */
    assert_int_equal(l.maxBindingsPerBindGroup, 2000);
    assert_true(l.maxBufferSize == UINT64_MAX - 1);                 /* all ones: no wish */
    assert_int_equal(l.minUniformBufferOffsetAlignment, 32);        /* the least there is */
    assert_int_equal(l.minStorageBufferOffsetAlignment, 64);
    assert_int_equal(l.maxComputeWorkgroupSizeZ, 128);
    assert_int_equal(l.maxImmediateSize, 128);
    assert_int_equal(l.maxTextureDimension1D, 8192);
    assert_int_equal(stages.maxStorageBuffersInVertexStage, 16);
    assert_int_equal(stages.maxStorageTexturesInFragmentStage, 4);
    WGPUChainedStruct stray = {NULL, WGPUSType_ShaderSourceWGSL};
    WGPULimits wrong = {.nextInChain = &stray, .maxBindGroups = 3};
    assert_int_equal(wgpuAdapterGetLimits(a, &wrong), WGPUStatus_Error);
    assert_int_equal(wrong.maxBindGroups, 3);
    assert_int_equal(wgpuAdapterGetLimits(a, NULL), WGPUStatus_Error);
    wgpuAdapterRelease(a);
    wgpuInstanceRelease(instance);
}

static void test_a_callback_must_be_usable(void **state)
{
    (void)state;
    Fixture fx = {.lock = PTHREAD_MUTEX_INITIALIZER};
    WGPUInstance instance = fixture_instance(&fx);
    Told t = TOLD_INIT;
    WGPURequestAdapterCallbackInfo info = adapter_callback(&t, (WGPUCallbackMode)0);
    assert_int_equal(wgpuInstanceRequestAdapter(instance, NULL, info).id, 0);
    expect_log(&fx, "RequestAdapter: the callback mode 0 is not one there is");
    info = adapter_callback(&t, WGPUCallbackMode_AllowSpontaneous);
    info.callback = NULL;
    assert_int_equal(wgpuInstanceRequestAdapter(instance, NULL, info).id, 0);
    expect_log(&fx, "RequestAdapter: the callback is NULL");
    assert_int_equal(t.count, 0);
    info = adapter_callback(&t, WGPUCallbackMode_AllowSpontaneous);
    info.nextInChain = &(WGPUChainedStruct){NULL, 5};
    assert_true(wgpuInstanceRequestAdapter(instance, NULL, info).id != 0);
    assert_int_equal(t.status, WGPURequestAdapterStatus_Error);
    wgpuInstanceRelease(instance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_instance_needs_no_descriptor),
        cmocka_unit_test(test_features_are_listed_and_granted),
        cmocka_unit_test(test_limits_are_told),
        cmocka_unit_test(test_what_is_wrong_with_a_descriptor_is_logged),
        cmocka_unit_test(test_complaints_go_where_the_user_says),
        cmocka_unit_test(test_a_chain_in_a_circle_ends),
        cmocka_unit_test(test_options_of_weft_are_taken),
        cmocka_unit_test(test_every_function_is_found_by_name),
        cmocka_unit_test(test_other_names_are_not_found),
        cmocka_unit_test(test_language_features_are_those_of_the_checker),
        cmocka_unit_test(test_adapters_are_chosen_by_wishes),
        cmocka_unit_test(test_the_users_word_wins_over_a_backend),
        cmocka_unit_test(test_wishes_that_cannot_be),
        cmocka_unit_test(test_a_machine_without_adapters),
        cmocka_unit_test(test_an_adapter_describes_itself),
        cmocka_unit_test(test_wrong_chains_of_answers_are_logged),
        cmocka_unit_test(test_features_of_an_adapter),
        cmocka_unit_test(test_limits_of_an_adapter),
        cmocka_unit_test(test_a_callback_must_be_usable),
    };
    return cmocka_run_group_tests_name("instance", tests, NULL, NULL);
}
