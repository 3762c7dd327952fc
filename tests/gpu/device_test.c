// SPDX-License-Identifier: Apache-2.0
/*
 * device_test.c - opening devices, losing them, errors and their scopes.
 */
#include "fixture.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "gpu/gpu_priv.h"

#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

static WGPUAdapter find_adapter(WGPUInstance instance)
{
    Told t = TOLD_INIT;
    wgpuInstanceRequestAdapter(instance, NULL, adapter_callback(&t, SPONTANEOUS));
    assert_non_null(t.object);
    return t.object;
}

/* Asks for a device and expects to be refused. */
static void expect_refused(WGPUAdapter adapter, WGPUDeviceDescriptor *d, const char *message)
{
    Told t = TOLD_INIT, lost = TOLD_INIT;
    if (!d->deviceLostCallbackInfo.callback)
        d->deviceLostCallbackInfo = lost_info(&lost, SPONTANEOUS);
    wgpuAdapterRequestDevice(adapter, d, device_callback(&t, SPONTANEOUS));
    assert_int_equal(t.count, 1);
    assert_string_equal(t.message, message);
    assert_int_equal(t.status, WGPURequestDeviceStatus_Error);
    assert_null(t.object);
    if (d->deviceLostCallbackInfo.userdata1 == &lost) {
        assert_int_equal(lost.count, 1);
        assert_int_equal(lost.status, WGPUDeviceLostReason_FailedCreation);
        assert_string_equal(lost.message, message);
        assert_null(lost.object);
        assert_true(lost.order < t.order);
        d->deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){0};
    }
}

static WGPUDevice open_device(WGPUAdapter adapter, const WGPUDeviceDescriptor *d)
{
    Told t = TOLD_INIT;
    wgpuAdapterRequestDevice(adapter, d, device_callback(&t, SPONTANEOUS));
    assert_string_equal(t.message, "");
    assert_int_equal(t.status, WGPURequestDeviceStatus_Success);
    return t.object;
}

/* ---- opening ---- */

static void test_a_device_opens_with_the_defaults(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    WGPUDevice   device = open_device(adapter, NULL);
    WGPULimits   l = WGPU_LIMITS_INIT;
    assert_int_equal(wgpuDeviceGetLimits(device, &l), WGPUStatus_Success);
    assert_int_equal(l.maxBindGroups, 4);
    assert_int_equal(l.maxStorageBufferBindingSize, 134217728);
    assert_int_equal(l.minStorageBufferOffsetAlignment, 256);
    assert_int_equal(l.maxComputeInvocationsPerWorkgroup, 256);
    assert_int_equal(l.maxImmediateSize, 64);
    l.nextInChain = &(WGPUChainedStruct){NULL, 1};
    assert_int_equal(wgpuDeviceGetLimits(device, &l), WGPUStatus_Error);
    WGPUSupportedFeatures features;
    wgpuDeviceGetFeatures(device, &features);
    assert_int_equal(features.featureCount, 1);
    assert_int_equal(features.features[0], WGPUFeatureName_CoreFeaturesAndLimits);
    wgpuSupportedFeaturesFreeMembers(features);
    assert_false(wgpuDeviceHasFeature(device, WGPUFeatureName_ShaderF16));
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    assert_int_equal(wgpuDeviceGetAdapterInfo(device, &info), WGPUStatus_Success);
    assert_memory_equal(info.device.data, "null-large", 10);
    wgpuAdapterInfoFreeMembers(info);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
    assert_int_equal(null_counts.devices, 0);
}

static void test_features_that_are_asked_for(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    WGPUFeatureName features[] = {WGPUFeatureName_ShaderF16, WGPUFeatureName_ShaderF16,
                                  WGPUFeatureName_TimestampQuery};
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.requiredFeatureCount = 1;
    expect_refused(adapter, &d, "requiredFeatures is NULL with a count of 1");
    d.requiredFeatures = features;
    d.requiredFeatureCount = 3;
    features[1] = WGPUFeatureName_TextureCompressionBC;
    expect_refused(adapter, &d, "the required feature 0x4 is not offered by any adapter");
    features[1] = (WGPUFeatureName)0;
    expect_refused(adapter, &d, "the required feature 0x0 is not offered by any adapter");
    features[1] = WGPUFeatureName_ShaderF16;
    WGPUDevice device = open_device(adapter, &d);
    assert_true(wgpuDeviceHasFeature(device, WGPUFeatureName_ShaderF16));
    assert_true(wgpuDeviceHasFeature(device, WGPUFeatureName_TimestampQuery));
    assert_true(wgpuDeviceHasFeature(device, WGPUFeatureName_CoreFeaturesAndLimits));
    assert_false(wgpuDeviceHasFeature(device, WGPUFeatureName_Subgroups));
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    Told t = TOLD_INIT;
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.forceFallbackAdapter = WGPU_TRUE;
    wgpuInstanceRequestAdapter(instance, &o, adapter_callback(&t, SPONTANEOUS));
    expect_refused(t.object, &d,
                   "the required feature TimestampQuery is not offered by the adapter");
    wgpuAdapterRelease(t.object);
    wgpuInstanceRelease(instance);
}

static void test_limits_that_are_asked_for(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    WGPULimits   wish = WGPU_LIMITS_INIT;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.requiredLimits = &wish;
    wish.maxBindGroups = 9;
    expect_refused(adapter, &d, "the required limit maxBindGroups, 9, is better than the "
                                "adapter's, 8");
    wish = (WGPULimits)WGPU_LIMITS_INIT;
    wish.minStorageBufferOffsetAlignment = 48;
    expect_refused(adapter, &d, "the required limit minStorageBufferOffsetAlignment, 48, must be "
                                "a power of two");
    wish.minStorageBufferOffsetAlignment = 0;
    expect_refused(adapter, &d, "the required limit minStorageBufferOffsetAlignment, 0, must be "
                                "a power of two");
    wish.minStorageBufferOffsetAlignment = 32;
    expect_refused(adapter, &d, "the required limit minStorageBufferOffsetAlignment, 32, is "
                                "better than the adapter's, 64");
    wish = (WGPULimits)WGPU_LIMITS_INIT;
    wish.maxTextureDimension2D = 8193;
    expect_refused(adapter, &d, "the required limit maxTextureDimension2D, 8193, is better than "
                                "the adapter's, 8192");
    wish = (WGPULimits)WGPU_LIMITS_INIT;
    WGPUCompatibilityModeLimits stages = WGPU_COMPATIBILITY_MODE_LIMITS_INIT;
    stages.maxStorageBuffersInFragmentStage = 17;
    wish.nextInChain = &stages.chain;
    expect_refused(adapter, &d, "the required limit maxStorageBuffersInFragmentStage, 17, is "
                                "better than the adapter's, 16");
    wish.nextInChain = &(WGPUChainedStruct){NULL, 4};
    expect_refused(adapter, &d, "requiredLimits has a struct in its chain that does not belong "
                                "there: sType 0x00000004");
    wish.nextInChain = &stages.chain;
    stages.maxStorageBuffersInFragmentStage = 11;
    wish.maxBufferSize = UINT64_C(1) << 40;
    wish.maxBindGroups = 2;                         /* worse than the default: no harm */
    wish.minUniformBufferOffsetAlignment = 64;
    wish.minStorageBufferOffsetAlignment = 512;
    WGPUDevice device = open_device(adapter, &d);
    WGPULimits have = WGPU_LIMITS_INIT;
    have.nextInChain = &stages.chain;
    wgpuDeviceGetLimits(device, &have);
    assert_int_equal(have.maxBindGroups, 4);
    assert_true(have.maxBufferSize == UINT64_C(1) << 40);
    assert_int_equal(have.minUniformBufferOffsetAlignment, 64);
    assert_int_equal(have.minStorageBufferOffsetAlignment, 256);
    assert_int_equal(have.maxStorageBuffersPerShaderStage, 11);
    assert_int_equal(stages.maxStorageBuffersInVertexStage, 11);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
}

static void test_what_is_wrong_with_a_descriptor(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    const WGPUDeviceDescriptor plain = WGPU_DEVICE_DESCRIPTOR_INIT;
    WGPUDeviceDescriptor d = plain;
    WGPUChainedStruct stray = {NULL, WGPUSType_WeftInstanceOptions};
    d.nextInChain = &stray;
    expect_refused(adapter, &d, "WGPUDeviceDescriptor has a struct in its chain that does not "
                                "belong there: sType 0x57450001");
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.laneWidth = 5;
    d.nextInChain = &weft.chain;
    expect_refused(adapter, &d, "laneWidth 5 must be 1, 4, 8, 16, or 0 for the best");
    d = plain;
    d.label = (WGPUStringView){NULL, 2};
    expect_refused(adapter, &d, "the label is NULL with a length of 2");
    d = plain;
    d.defaultQueue.nextInChain = &stray;
    expect_refused(adapter, &d, "defaultQueue has a struct in its chain that does not belong "
                                "there: sType 0x57450001");
    d = plain;
    d.uncapturedErrorCallbackInfo.nextInChain = &stray;
    expect_refused(adapter, &d, "uncapturedErrorCallbackInfo has a struct in its chain that does "
                                "not belong there: sType 0x57450001");
    d = plain;
    Told lost = TOLD_INIT;
    d.deviceLostCallbackInfo = lost_info(&lost, (WGPUCallbackMode)8);
    expect_refused(adapter, &d, "deviceLostCallbackInfo: the callback mode 8 is not one there is");
    d = plain;
    null_knobs.no_device = true;
    expect_refused(adapter, &d, "the null device does not want to");
    null_knobs.no_device = false;
    wgpuDeviceRelease(open_device(adapter, &plain));    /* the failures used nothing up */
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
}

static void test_an_adapter_opens_one_device(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    WGPUDevice   device = open_device(adapter, NULL);
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    expect_refused(adapter, &d, "the adapter has opened a device already; without the instance "
                                "feature MultipleDevicesPerAdapter it opens one");
    wgpuDeviceRelease(device);
    expect_refused(adapter, &d, "the adapter has opened a device already; without the instance "
                                "feature MultipleDevicesPerAdapter it opens one");
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);

    static const WGPUInstanceFeatureName many =
        WGPUInstanceFeatureName_MultipleDevicesPerAdapter;
    WGPUInstanceDescriptor id = {.requiredFeatureCount = 1, .requiredFeatures = &many};
    instance = instance_create(&id, null_backends);
    adapter = find_adapter(instance);
    device = open_device(adapter, NULL);
    WGPUDevice second = open_device(adapter, NULL);
    assert_ptr_not_equal(device, second);
    wgpuDeviceRelease(device);
    wgpuDeviceRelease(second);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
}

static void test_options_of_weft_reach_the_backend(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.laneWidth = 8;
    weft.threadCount = 3;
    weft.dispatchDeadlineNS = 1000;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.nextInChain = &weft.chain;
    WGPUDevice device = open_device(adapter, &d);
    const GpuDeviceDesc *desc = (const GpuDeviceDesc *)(const void *)device->gpu;
    assert_int_equal(desc->lanes, 8);
    assert_int_equal(desc->threads, 3);
    assert_int_equal(desc->deadline, 1000);
    assert_false(desc->no_cache);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
}

/* What programs made for Dawn ask for on their way to a device. */
static void test_programs_made_for_dawn_get_a_device(void **state)
{
    (void)state;
    struct { WGPUChainedStruct chain; size_t n; const char *const *on; } toggles = {
        {NULL, (WGPUSType)0x0005000A}, 1, (const char *const[]){"allow_unsafe_apis"}};
    const WGPUFeatureName threads = (WGPUFeatureName)0x00050004;
    WGPUInstanceDescriptor desc = WGPU_INSTANCE_DESCRIPTOR_INIT;
    desc.nextInChain = &toggles.chain;
    WGPUInstance instance = instance_create(&desc, null_backends);
    assert_non_null(instance);
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.nextInChain = &toggles.chain;
    Told t = TOLD_INIT;
    wgpuInstanceRequestAdapter(instance, &o, adapter_callback(&t, SPONTANEOUS));
    WGPUAdapter adapter = t.object;
    assert_non_null(adapter);
    assert_true(wgpuAdapterHasFeature(adapter, threads));
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.nextInChain = &toggles.chain;
    d.requiredFeatures = &threads;
    d.requiredFeatureCount = 1;
    WGPUDevice device = open_device(adapter, &d);
    assert_true(wgpuDeviceHasFeature(device, threads));
    WGPUSupportedFeatures list = WGPU_SUPPORTED_FEATURES_INIT;
    wgpuDeviceGetFeatures(device, &list);
    assert_int_equal(list.featureCount, 1);         /* the standard's */
    assert_int_equal(list.features[0], WGPUFeatureName_CoreFeaturesAndLimits);
    wgpuSupportedFeaturesFreeMembers(list);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
}

/* A device to which its program does not listen. */
static void test_what_nobody_listens_to_is_logged(void **state)
{
    (void)state;
    Fixture fx = {.lock = PTHREAD_MUTEX_INITIALIZER};
    fx.instance = fixture_instance(&fx);
    WGPUAdapter adapter = find_adapter(fx.instance);
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    WGPUDevice device = open_device(adapter, &d);
    WGPUBufferDescriptor b = WGPU_BUFFER_DESCRIPTOR_INIT;
    wgpuBufferRelease(wgpuDeviceCreateBuffer(device, &b));
    expect_log(&fx, "buffer: the usage is empty");
    wgpuDevicePushErrorScope(device, WGPUErrorFilter_Validation);
    wgpuBufferRelease(wgpuDeviceCreateBuffer(device, &b));
    expect_log(&fx, "");                            /* the scope has it */
    null_lose("the null device fell over", false);
    for (time_t start = time(NULL); time(NULL) - start < 10;) {
        pthread_mutex_lock(&fx.lock);
        bool told = fx.nlogs == 2;
        pthread_mutex_unlock(&fx.lock);
        if (told)
            break;
        sched_yield();
    }
    expect_log(&fx, "the device is lost: the null device fell over");
    wgpuBufferRelease(wgpuDeviceCreateBuffer(device, &b));
    expect_log(&fx, "");                            /* it has no errors any more */
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(fx.instance);
}

/* ---- losing ---- */

static void test_destroying_tells_the_lost_callback_once(void **state)
{
    (void)state;
    static const WGPUCallbackMode modes[] = {WGPUCallbackMode_WaitAnyOnly,
                                             WGPUCallbackMode_AllowProcessEvents, SPONTANEOUS};
    for (size_t i = 0; i < COUNTOF(modes); i++) {
        Fixture fx = {.lock = PTHREAD_MUTEX_INITIALIZER};
        fx.instance = fixture_instance(&fx);
        WGPUAdapter adapter = find_adapter(fx.instance);
        Told lost = TOLD_INIT;
        WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
        d.deviceLostCallbackInfo = lost_info(&lost, modes[i]);
        WGPUDevice device = open_device(adapter, &d);
        WGPUFuture future = wgpuDeviceGetLostFuture(device);
        WGPUFutureWaitInfo info = {.future = future};
        assert_int_equal(wgpuInstanceWaitAny(fx.instance, 1, &info, 0), WGPUWaitStatus_TimedOut);
        assert_false(info.completed);
        wgpuDeviceDestroy(device);
        wgpuDeviceDestroy(device);
        assert_int_equal(lost.count, modes[i] == SPONTANEOUS);
        wgpuInstanceProcessEvents(fx.instance);
        assert_int_equal(lost.count, modes[i] != WGPUCallbackMode_WaitAnyOnly);
        wait_for(&fx, future);
        assert_int_equal(lost.count, 1);
        assert_int_equal(lost.status, WGPUDeviceLostReason_Destroyed);
        assert_string_equal(lost.message, "the device was destroyed");
        assert_ptr_equal(lost.object, device);
        wait_for(&fx, future);                      /* it stays complete */
        assert_int_equal(lost.count, 1);
        wgpuDeviceRelease(device);
        wgpuAdapterRelease(adapter);
        wgpuInstanceRelease(fx.instance);
    }
}

static void test_the_last_release_destroys(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    Told lost = TOLD_INIT;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.deviceLostCallbackInfo = lost_info(&lost, WGPUCallbackMode_AllowProcessEvents);
    WGPUDevice device = open_device(adapter, &d);
    WGPUQueue  queue = wgpuDeviceGetQueue(device);
    wgpuDeviceAddRef(device);
    wgpuDeviceRelease(device);
    wgpuInstanceProcessEvents(instance);
    assert_int_equal(lost.count, 0);
    wgpuDeviceRelease(device);                      /* the queue keeps its memory */
    wgpuInstanceProcessEvents(instance);
    assert_int_equal(lost.count, 1);
    assert_int_equal(lost.status, WGPUDeviceLostReason_Destroyed);
    assert_null(lost.object);
    wgpuQueueSubmit(queue, 0, NULL);
    wgpuQueueRelease(queue);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
    assert_int_equal(null_counts.devices, 0);
}

static void test_a_device_that_fails_is_lost(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, 16);
    Told map = TOLD_INIT, lost = TOLD_INIT;
    null_hold();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(encoder, b, 0, 16);
    submit(fx, encoder);
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&map, SPONTANEOUS));
    assert_int_equal(told_count(&map), 0);
    null_lose("the null device fell over", false);
    told_wait(&map);
    assert_int_equal(map.status, WGPUMapAsyncStatus_Aborted);
    assert_string_equal(map.message, "the device was lost");
    wait_for(fx, wgpuDeviceGetLostFuture(fx->device));
    /* From here on all is quiet. */
    WGPUBuffer wrong = make_buffer(fx, "wrong", 0, 3);
    assert_non_null(wrong);
    wgpuBufferRelease(wrong);
    wgpuQueueWriteBuffer(fx->queue, b, 1, NULL, 3);
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
    wgpuBufferRelease(make_buffer(fx, "wrong", 0, 3));
    wgpuDevicePopErrorScope(fx->device, scope_info(&lost, SPONTANEOUS));
    assert_int_equal(lost.status, WGPUPopErrorScopeStatus_Success);
    assert_int_equal(lost.error, WGPUErrorType_NoError);
    Told again = TOLD_INIT, work = TOLD_INIT;
    wgpuBufferUnmap(b);
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&again, SPONTANEOUS));
    assert_int_equal(again.status, WGPUMapAsyncStatus_Aborted);
    wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(&work, SPONTANEOUS));
    assert_int_equal(work.status, WGPUQueueWorkDoneStatus_Success);
    WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
    d.usage = WGPUBufferUsage_CopySrc;
    d.size = 16;
    d.mappedAtCreation = WGPU_TRUE;
    WGPUBuffer mapped = wgpuDeviceCreateBuffer(fx->device, &d);
    assert_non_null(wgpuBufferGetMappedRange(mapped, 0, 16));
    wgpuBufferRelease(mapped);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_a_loss_names_the_pipeline(void **state)
{
    (void)state;
    Fixture fx = {.lock = PTHREAD_MUTEX_INITIALIZER};
    fx.instance = fixture_instance(&fx);
    fx.adapter = find_adapter(fx.instance);
    Told lost = TOLD_INIT;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.deviceLostCallbackInfo = lost_info(&lost, SPONTANEOUS);
    d.uncapturedErrorCallbackInfo = fixture_errors(&fx);
    fx.device = open_device(fx.adapter, &d);
    fx.queue = wgpuDeviceGetQueue(fx.device);
    WGPUShaderModule    m = make_module(&fx, "@compute @workgroup_size(1) fn slow() {}");
    WGPUComputePipeline p = make_pipeline(&fx, m, NULL);
    wgpuComputePipelineSetLabel(p, sv("the slow one"));
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx.device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, p);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(&fx, encoder);
    wait_idle(&fx);
    expect_none(&fx);
    null_lose("it took too long", true);
    told_wait(&lost);
    assert_int_equal(lost.status, WGPUDeviceLostReason_Unknown);
    assert_string_equal(lost.message, "compute pipeline 'the slow one': it took too long");
    assert_ptr_equal(lost.object, fx.device);
    assert_false(pthread_equal(lost.thread, pthread_self()));   /* not within our call */
    wgpuComputePipelineRelease(p);
    wgpuShaderModuleRelease(m);
    wgpuQueueRelease(fx.queue);
    wgpuDeviceRelease(fx.device);
    wgpuAdapterRelease(fx.adapter);
    wgpuInstanceRelease(fx.instance);
    /* The thread that reported the loss may be the last to let go of the device. */
    for (uint32_t i = 0; i < 120000 && null_counts.kernels; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_int_equal(null_counts.kernels, 0);
}

static void test_destroying_takes_the_buffers(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer a = make_buffer(fx, "a", WGPUBufferUsage_MapWrite, 16);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    Told map = TOLD_INIT;
    wait_for(fx, wgpuBufferMapAsync(a, WGPUMapMode_Write, 0, 16,
                                    map_info(&map, WGPUCallbackMode_WaitAnyOnly)));
    assert_int_equal(wgpuBufferGetMapState(a), WGPUBufferMapState_Mapped);
    assert_int_equal(null_counts.buffers, 2);
    wgpuDeviceDestroy(fx->device);
    assert_int_equal(null_counts.buffers, 0);
    assert_int_equal(wgpuBufferGetMapState(a), WGPUBufferMapState_Unmapped);
    assert_null(wgpuBufferGetMappedRange(a, 0, 16));
    wgpuBufferDestroy(a);
    wgpuBufferRelease(a);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* ---- errors ---- */

static void pop_scope(Fixture *fx, Told *t)
{
    *t = (Told)TOLD_INIT;
    wait_for(fx, wgpuDevicePopErrorScope(fx->device,
                                         scope_info(t, WGPUCallbackMode_WaitAnyOnly)));
}

static void provoke(Fixture *fx, const char *label)
{
    wgpuBufferRelease(make_buffer(fx, label, 0, 4));
}

static void test_scopes_take_the_first_error_of_their_kind(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Told t;
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_OutOfMemory);
    provoke(fx, "one");
    provoke(fx, "two");
    null_knobs.no_memory = true;
    wgpuBufferRelease(make_buffer(fx, "big", WGPUBufferUsage_CopyDst, 64));
    null_knobs.no_memory = false;
    pop_scope(fx, &t);
    assert_int_equal(t.status, WGPUPopErrorScopeStatus_Success);
    assert_int_equal(t.error, WGPUErrorType_OutOfMemory);
    assert_string_equal(t.message, "buffer 'big': there is no memory for 64 bytes");
    pop_scope(fx, &t);
    assert_int_equal(t.error, WGPUErrorType_Validation);
    assert_string_equal(t.message, "buffer 'one': the usage is empty");
    pop_scope(fx, &t);
    assert_int_equal(t.status, WGPUPopErrorScopeStatus_Error);
    assert_int_equal(t.error, WGPUErrorType_NoError);
    assert_string_equal(t.message, "PopErrorScope: this thread has no error scope open");
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
    provoke(fx, "three");
    expect_fault(fx, "buffer 'three': the usage is empty");
    pop_scope(fx, &t);
    assert_int_equal(t.error, WGPUErrorType_NoError);
    assert_string_equal(t.message, "");
    wgpuDevicePushErrorScope(fx->device, (WGPUErrorFilter)0);
    expect_fault(fx, "PushErrorScope: the filter 0 is not one there is");
    pop_scope(fx, &t);
    assert_int_equal(t.status, WGPUPopErrorScopeStatus_Error);
    for (int i = 0; i < 40; i++)                    /* left open: goes with the device */
        wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
    provoke(fx, "four");
    fixture_close(fx);
}

static void *other_thread(void *context)
{
    Fixture *fx = context;
    Told     t;
    provoke(fx, "elsewhere");                       /* the other thread's scope is not ours */
    pop_scope(fx, &t);
    assert_int_equal(t.status, WGPUPopErrorScopeStatus_Error);
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
    provoke(fx, "mine");
    pop_scope(fx, &t);
    assert_string_equal(t.message, "buffer 'mine': the usage is empty");
    return NULL;
}

static void test_scopes_belong_to_threads(void **state)
{
    (void)state;
    Fixture  *fx = fixture_open(NULL);
    pthread_t thread;
    Told      t;
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
    pthread_create(&thread, NULL, other_thread, fx);
    pthread_join(thread, NULL);
    expect_fault(fx, "buffer 'elsewhere': the usage is empty");
    pop_scope(fx, &t);
    assert_int_equal(t.error, WGPUErrorType_NoError);
    fixture_close(fx);
}

static WGPUDevice meddled;

static void on_error_destroy(const WGPUDevice *device, WGPUErrorType type,
                             WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)type, (void)message, (void)userdata2;
    Told *lost = userdata1;
    meddled = *device;
    wgpuDeviceDestroy(*device);
    assert_int_equal(lost->count, 0);               /* only once we have returned */
}

static void test_the_lost_callback_is_the_last(void **state)
{
    (void)state;
    WGPUInstance instance = instance_create(NULL, null_backends);
    WGPUAdapter  adapter = find_adapter(instance);
    Told lost = TOLD_INIT;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.deviceLostCallbackInfo = lost_info(&lost, SPONTANEOUS);
    d.uncapturedErrorCallbackInfo.callback = on_error_destroy;
    d.uncapturedErrorCallbackInfo.userdata1 = &lost;
    WGPUDevice device = open_device(adapter, &d);
    wgpuDevicePushErrorScope(device, (WGPUErrorFilter)9);
    assert_ptr_equal(meddled, device);
    assert_int_equal(lost.count, 1);
    wgpuDevicePushErrorScope(device, (WGPUErrorFilter)9);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
}

static void on_error_release(const WGPUDevice *device, WGPUErrorType type,
                             WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)type, (void)message, (void)userdata2;
    ++*(int *)userdata1;
    wgpuDeviceRelease(*device);
}

/* Each call that makes something, with a descriptor that is wrong. */
static void make_wrongly(WGPUDevice device, int what)
{
    WGPUChainedStruct stray = {NULL, (WGPUSType)0x7777};
    WGPUBindGroupLayoutDescriptor layout = {.nextInChain = &stray};
    WGPUPipelineLayoutDescriptor pipeline_layout = {.nextInChain = &stray};
    WGPUBindGroupDescriptor group = {.nextInChain = &stray};
    WGPUShaderModuleDescriptor module = {.nextInChain = &stray};
    WGPUComputePipelineDescriptor pipeline = {.nextInChain = &stray};
    WGPUQuerySetDescriptor queries = {.nextInChain = &stray};
    WGPUCommandEncoderDescriptor encoder = {.nextInChain = &stray};
    WGPUBufferDescriptor buffer = {.nextInChain = &stray, .mappedAtCreation = WGPU_TRUE};
    switch (what) {
    case 0: wgpuBufferRelease(wgpuDeviceCreateBuffer(device, &buffer)); break;
    case 1: wgpuBufferRelease(wgpuDeviceCreateBuffer(device, NULL)); break;
    case 2: wgpuBindGroupLayoutRelease(wgpuDeviceCreateBindGroupLayout(device, &layout)); break;
    case 3:
        wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(device, &pipeline_layout));
        break;
    case 4: wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(device, &group)); break;
    case 5: wgpuShaderModuleRelease(wgpuDeviceCreateShaderModule(device, &module)); break;
    case 6: wgpuComputePipelineRelease(wgpuDeviceCreateComputePipeline(device, &pipeline)); break;
    case 7: wgpuQuerySetRelease(wgpuDeviceCreateQuerySet(device, &queries)); break;
    case 8: wgpuCommandEncoderRelease(wgpuDeviceCreateCommandEncoder(device, &encoder)); break;
    case 9: wgpuDevicePushErrorScope(device, (WGPUErrorFilter)9); break;
    case 10: wgpuDeviceSetLabel(device, (WGPUStringView){NULL, 3}); break;
    case 11: wgpuTextureRelease(wgpuDeviceCreateTexture(device, NULL)); break;
    case 12: wgpuSamplerRelease(wgpuDeviceCreateSampler(device, NULL)); break;
    case 13: wgpuRenderPipelineRelease(wgpuDeviceCreateRenderPipeline(device, NULL)); break;
    case 14:
        wgpuRenderBundleEncoderRelease(wgpuDeviceCreateRenderBundleEncoder(device, NULL));
        break;
    }
}

static void test_the_error_callback_may_release_the_device(void **state)
{
    (void)state;
    for (int what = 0; what < 15; what++) {
        WGPUInstance instance = instance_create(NULL, null_backends);
        WGPUAdapter  adapter = find_adapter(instance);
        Told lost = TOLD_INIT;
        int  errors = 0;
        WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
        d.deviceLostCallbackInfo = lost_info(&lost, SPONTANEOUS);
        d.uncapturedErrorCallbackInfo.callback = on_error_release;
        d.uncapturedErrorCallbackInfo.userdata1 = &errors;
        make_wrongly(open_device(adapter, &d), what);
        assert_int_equal(errors, 1);
        assert_int_equal(lost.count, 1);
        assert_null(lost.object);
        assert_int_equal(null_counts.devices, 0);
        wgpuAdapterRelease(adapter);
        wgpuInstanceRelease(instance);
    }
}

/* ---- labels ---- */

static void test_labels_name_things_in_messages(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "before", WGPUBufferUsage_CopyDst, 16);
    Told t = TOLD_INIT;
    wgpuBufferSetLabel(b, sv("after"));
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&t, SPONTANEOUS));
    expect_fault(fx, "buffer 'after': to be mapped for reading it needs the usage MapRead");
    wgpuBufferSetLabel(b, (WGPUStringView){"cut short", 3});
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&t, SPONTANEOUS));
    expect_fault(fx, "buffer 'cut': to be mapped for reading it needs the usage MapRead");
    wgpuBufferSetLabel(b, (WGPUStringView){"bad \xff\xc3(\0z", 9});
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&t, SPONTANEOUS));
    expect_fault(fx, "buffer 'bad ?\?(?z': to be mapped for reading it needs the usage MapRead");
    wgpuBufferSetLabel(b, (WGPUStringView){NULL, 4});
    expect_fault(fx, "buffer 'bad ?\?(?z': the new label is NULL with a length of 4");
    wgpuBufferSetLabel(b, sv(NULL));
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&t, SPONTANEOUS));
    expect_fault(fx, "buffer: to be mapped for reading it needs the usage MapRead");
    char long_label[500];
    memset(long_label, 'x', sizeof long_label);
    memcpy(long_label + 119, "\xc3\xa4", 2);        /* the cut would go through it */
    wgpuBufferSetLabel(b, (WGPUStringView){long_label, sizeof long_label});
    assert_int_equal(strlen(b->base.label), 119);
    wgpuBufferRelease(b);
    wgpuDeviceSetLabel(fx->device, sv("device"));
    wgpuDeviceSetLabel(fx->device, (WGPUStringView){NULL, 4});
    expect_fault(fx, "device: the new label is NULL with a length of 4");
    wgpuQueueSetLabel(fx->queue, sv("q"));
    wgpuQueueSubmit(fx->queue, 1, NULL);
    expect_fault(fx, "queue 'q': commands is NULL with a count of 1");
    wgpuQueueSetLabel(fx->queue, (WGPUStringView){NULL, 4});
    expect_fault(fx, "queue 'q': the new label is NULL with a length of 4");
    fixture_close(fx);
}

/* A reference more and one less leave a thing as it was; what others need they keep. */
static void test_every_reference_counts(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_Storage, 16);
    WGPUShaderModule m = make_module(
        fx, "@group(0) @binding(0) var<storage, read_write> a: array<u32>;"
            "@compute @workgroup_size(1) fn count() { a[0] += 1; }");
    WGPUComputePipeline p = make_pipeline(fx, m, NULL);
    wgpuBufferAddRef(b);
    wgpuBufferRelease(b);
    wgpuShaderModuleAddRef(m);
    wgpuShaderModuleRelease(m);
    wgpuShaderModuleRelease(m);
    wgpuComputePipelineAddRef(p);
    wgpuComputePipelineRelease(p);
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(p, 0);
    wgpuBindGroupLayoutAddRef(l);
    wgpuBindGroupLayoutRelease(l);
    WGPUBindGroup g = make_group(fx, l, 1, &b);
    wgpuBindGroupAddRef(g);
    wgpuBindGroupRelease(g);
    assert_int_equal(wgpuBufferGetSize(b), 16);
    wgpuBindGroupLayoutRelease(l);
    wgpuBufferRelease(b);                           /* the group has it */
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetPipeline(pass, p);
    wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
    wgpuBindGroupRelease(g);                        /* the pass has these */
    wgpuComputePipelineRelease(p);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(fx, e);
    wait_idle(fx);
    assert_int_equal(null_counts.dispatches, 1);
    expect_none(fx);
    fixture_close(fx);
}

static void test_objects_of_another_device(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL), *other = fixture_open(NULL);
    WGPUBuffer theirs = make_buffer(other, "theirs", WGPUBufferUsage_CopyDst, 16);
    uint32_t   word = 1;
    wgpuQueueWriteBuffer(fx->queue, theirs, 0, &word, 4);
    expect_fault(fx, "queue: WriteBuffer to buffer 'theirs': the buffer 'theirs' belongs "
                     "to another device");
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(other->device, NULL);
    WGPUCommandBuffer  commands = wgpuCommandEncoderFinish(encoder, NULL);
    wgpuQueueSubmit(fx->queue, 1, &commands);
    expect_fault(fx, "queue: a command buffer belongs to another device");
    wgpuQueueSubmit(other->queue, 1, &commands);    /* it was not used up */
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
    wgpuBufferRelease(theirs);
    wgpuQueueRelease(other->queue);
    wgpuDeviceRelease(other->device);
    wgpuAdapterRelease(other->adapter);
    wgpuInstanceRelease(other->instance);
    expect_none(other);
    free(other);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_device_opens_with_the_defaults),
        cmocka_unit_test(test_features_that_are_asked_for),
        cmocka_unit_test(test_limits_that_are_asked_for),
        cmocka_unit_test(test_what_is_wrong_with_a_descriptor),
        cmocka_unit_test(test_an_adapter_opens_one_device),
        cmocka_unit_test(test_options_of_weft_reach_the_backend),
        cmocka_unit_test(test_programs_made_for_dawn_get_a_device),
        cmocka_unit_test(test_what_nobody_listens_to_is_logged),
        cmocka_unit_test(test_destroying_tells_the_lost_callback_once),
        cmocka_unit_test(test_the_last_release_destroys),
        cmocka_unit_test(test_a_device_that_fails_is_lost),
        cmocka_unit_test(test_a_loss_names_the_pipeline),
        cmocka_unit_test(test_destroying_takes_the_buffers),
        cmocka_unit_test(test_scopes_take_the_first_error_of_their_kind),
        cmocka_unit_test(test_scopes_belong_to_threads),
        cmocka_unit_test(test_the_lost_callback_is_the_last),
        cmocka_unit_test(test_the_error_callback_may_release_the_device),
        cmocka_unit_test(test_labels_name_things_in_messages),
        cmocka_unit_test(test_every_reference_counts),
        cmocka_unit_test(test_objects_of_another_device),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
