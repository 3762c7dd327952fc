// SPDX-License-Identifier: Apache-2.0
/*
 * unsupported_test.c - what Weft does not have says so, and breaks nothing.
 */
#include "fixture.h"

#include "gpu/gpu_priv.h"

#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

static void test_textures(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUTextureBindingViewDimension view = WGPU_TEXTURE_BINDING_VIEW_DIMENSION_INIT;
    view.textureBindingViewDimension = WGPUTextureViewDimension_Cube;
    WGPUTextureDescriptor d = WGPU_TEXTURE_DESCRIPTOR_INIT;
    d.nextInChain = &view.chain;
    d.label = sv("t");
    d.usage = WGPUTextureUsage_CopyDst;
    d.size = (WGPUExtent3D){3, 4, 5};
    d.format = WGPUTextureFormat_RGBA8Unorm;
    d.mipLevelCount = 2;
    d.sampleCount = 4;
    WGPUTexture t = wgpuDeviceCreateTexture(fx->device, &d);
    expect_fault(fx, "texture 't': Weft has no textures");
    assert_int_equal(wgpuTextureGetWidth(t), 3);
    assert_int_equal(wgpuTextureGetHeight(t), 4);
    assert_int_equal(wgpuTextureGetDepthOrArrayLayers(t), 5);
    assert_int_equal(wgpuTextureGetMipLevelCount(t), 2);
    assert_int_equal(wgpuTextureGetSampleCount(t), 4);
    assert_int_equal(wgpuTextureGetDimension(t), WGPUTextureDimension_2D);
    assert_int_equal(wgpuTextureGetFormat(t), WGPUTextureFormat_RGBA8Unorm);
    assert_int_equal(wgpuTextureGetUsage(t), WGPUTextureUsage_CopyDst);
    assert_int_equal(wgpuTextureGetTextureBindingViewDimension(t),
                     WGPUTextureViewDimension_Cube);
    WGPUTextureView v = wgpuTextureCreateView(t, NULL);
    expect_fault(fx, "texture view: Weft has no textures");
    WGPUTextureViewDescriptor vd = WGPU_TEXTURE_VIEW_DESCRIPTOR_INIT;
    vd.label = sv("v");
    WGPUTextureView w = wgpuTextureCreateView(t, &vd);
    expect_fault(fx, "texture view 'v': Weft has no textures");
    wgpuTextureDestroy(t);
    wgpuTextureSetLabel(t, sv("u"));
    wgpuTextureViewSetLabel(v, sv("u"));
    wgpuTextureAddRef(t);
    wgpuTextureRelease(t);
    wgpuTextureRelease(t);
    wgpuTextureViewAddRef(v);
    wgpuTextureViewRelease(v);
    wgpuTextureViewRelease(v);
    wgpuTextureViewRelease(w);
    wgpuTextureRelease(wgpuDeviceCreateTexture(fx->device, NULL));
    expect_fault(fx, "texture: Weft has no textures");
    WGPUSampler s = wgpuDeviceCreateSampler(fx->device, NULL);
    expect_fault(fx, "sampler: Weft has no samplers");
    wgpuSamplerSetLabel(s, sv("s"));
    wgpuSamplerAddRef(s);
    wgpuSamplerRelease(s);
    wgpuSamplerRelease(s);
    wgpuExternalTextureAddRef(NULL);
    wgpuExternalTextureRelease(NULL);
    wgpuExternalTextureSetLabel(NULL, sv("x"));
    wgpuQueueWriteTexture(fx->queue, NULL, NULL, 0, NULL, NULL);
    expect_fault(fx, "queue: WriteTexture: Weft has no textures");
    assert_int_equal(wgpuTextureGetWidth(NULL), 0);
    fixture_close(fx);
}

static void test_copies_of_textures(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    for (int i = 0; i < 3; i++) {
        static const char *const faults[] = {
            "command encoder: CopyBufferToTexture: Weft has no textures",
            "command encoder: CopyTextureToBuffer: Weft has no textures",
            "command encoder: CopyTextureToTexture: Weft has no textures",
        };
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
        if (i == 0)
            wgpuCommandEncoderCopyBufferToTexture(e, NULL, NULL, NULL);
        if (i == 1)
            wgpuCommandEncoderCopyTextureToBuffer(e, NULL, NULL, NULL);
        if (i == 2)
            wgpuCommandEncoderCopyTextureToTexture(e, NULL, NULL, NULL);
        expect_none(fx);
        finish(e);
        expect_fault(fx, faults[i]);
    }
    fixture_close(fx);
}

typedef struct Answer {
    int                           calls;
    WGPUCreatePipelineAsyncStatus status;
    WGPURenderPipeline            pipeline;
} Answer;

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPURenderPipeline pipeline,
                        WGPUStringView message, void *userdata1, void *userdata2)
{
    Answer *a = userdata1;
    (void)userdata2;
    *a = (Answer){a->calls + 1, status, pipeline};
    if (status == WGPUCreatePipelineAsyncStatus_ValidationError)
        assert_memory_equal(message.data, "render pipeline: Weft has no rendering", 38);
}

static void test_render_pipelines(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPURenderPipelineDescriptor d = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
    WGPURenderPipeline p = wgpuDeviceCreateRenderPipeline(fx->device, &d);
    expect_fault(fx, "render pipeline: Weft has no rendering");
    WGPUBindGroupLayout l = wgpuRenderPipelineGetBindGroupLayout(p, 0);
    expect_fault(fx, "render pipeline: it is an error object and has no bind group layouts");
    assert_false(l->base.valid);
    wgpuBindGroupLayoutRelease(l);
    wgpuRenderPipelineSetLabel(p, sv("p"));
    wgpuRenderPipelineAddRef(p);
    wgpuRenderPipelineRelease(p);
    wgpuRenderPipelineRelease(p);
    Answer a = {0};
    WGPUCreateRenderPipelineAsyncCallbackInfo info = {NULL, SPONTANEOUS, on_pipeline, &a, NULL};
    wgpuDeviceCreateRenderPipelineAsync(fx->device, &d, info);
    assert_int_equal(a.calls, 1);
    assert_int_equal(a.status, WGPUCreatePipelineAsyncStatus_ValidationError);
    assert_null(a.pipeline);
    wgpuDeviceDestroy(fx->device);
    wgpuDeviceCreateRenderPipelineAsync(fx->device, &d, info);
    assert_int_equal(a.status, WGPUCreatePipelineAsyncStatus_Success);
    wgpuRenderPipelineRelease(a.pipeline);
    info.callback = NULL;
    assert_int_equal(wgpuDeviceCreateRenderPipelineAsync(fx->device, &d, info).id, 0);
    fixture_close(fx);
}

static void all_commands(WGPURenderPassEncoder p)
{
    wgpuRenderPassEncoderSetPipeline(p, NULL);
    wgpuRenderPassEncoderSetBindGroup(p, 9, NULL, 5, NULL);
    wgpuRenderPassEncoderSetImmediates(p, 1, NULL, 7);
    wgpuRenderPassEncoderSetVertexBuffer(p, 0, NULL, 0, 0);
    wgpuRenderPassEncoderSetIndexBuffer(p, NULL, WGPUIndexFormat_Uint16, 0, 0);
    wgpuRenderPassEncoderDraw(p, 1, 1, 0, 0);
    wgpuRenderPassEncoderDrawIndexed(p, 1, 1, 0, -1, 0);
    wgpuRenderPassEncoderDrawIndirect(p, NULL, 1);
    wgpuRenderPassEncoderDrawIndexedIndirect(p, NULL, 1);
    wgpuRenderPassEncoderExecuteBundles(p, 3, NULL);
    wgpuRenderPassEncoderSetViewport(p, 0, 0, 1, 1, 0, 1);
    wgpuRenderPassEncoderSetScissorRect(p, 0, 0, 1, 1);
    wgpuRenderPassEncoderSetBlendConstant(p, NULL);
    wgpuRenderPassEncoderSetStencilReference(p, 1);
    wgpuRenderPassEncoderBeginOcclusionQuery(p, 0);
    wgpuRenderPassEncoderEndOcclusionQuery(p);
    wgpuRenderPassEncoderPushDebugGroup(p, sv("x"));
    wgpuRenderPassEncoderPopDebugGroup(p);
    wgpuRenderPassEncoderInsertDebugMarker(p, sv("x"));
}

static void test_render_passes(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPURenderPassDescriptor d = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
    d.label = sv("r");
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPURenderPassEncoder p = wgpuCommandEncoderBeginRenderPass(e, &d);
    all_commands(p);
    wgpuCommandEncoderPushDebugGroup(e, sv("locked"));
    wgpuRenderPassEncoderEnd(p);
    expect_none(fx);
    wgpuRenderPassEncoderEnd(p);
    expect_fault(fx, "render pass 'r': End: it has ended already");
    wgpuRenderPassEncoderDraw(p, 1, 1, 0, 0);
    expect_fault(fx, "render pass 'r': Draw: it has ended already");
    finish(e);
    expect_fault(fx, "command encoder: PushDebugGroup: a pass is open, so the encoder is locked");
    wgpuRenderPassEncoderSetLabel(p, sv("s"));
    wgpuRenderPassEncoderAddRef(p);
    wgpuRenderPassEncoderRelease(p);
    wgpuRenderPassEncoderRelease(p);
    e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    p = wgpuCommandEncoderBeginRenderPass(e, NULL);
    wgpuRenderPassEncoderEnd(p);
    wgpuRenderPassEncoderRelease(p);
    finish(e);
    expect_fault(fx, "command encoder: render pass: BeginRenderPass: Weft has no rendering");
    all_commands(NULL);
    wgpuRenderPassEncoderEnd(NULL);
    fixture_close(fx);
}

static void test_render_bundles(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPURenderBundleEncoderDescriptor d = WGPU_RENDER_BUNDLE_ENCODER_DESCRIPTOR_INIT;
    WGPURenderBundleEncoder e = wgpuDeviceCreateRenderBundleEncoder(fx->device, &d);
    expect_fault(fx, "render bundle encoder: Weft has no rendering");
    wgpuRenderBundleEncoderSetPipeline(e, NULL);
    wgpuRenderBundleEncoderSetBindGroup(e, 0, NULL, 1, NULL);
    wgpuRenderBundleEncoderSetImmediates(e, 0, NULL, 1);
    wgpuRenderBundleEncoderSetVertexBuffer(e, 0, NULL, 0, 0);
    wgpuRenderBundleEncoderSetIndexBuffer(e, NULL, WGPUIndexFormat_Uint32, 0, 0);
    wgpuRenderBundleEncoderDraw(e, 1, 1, 0, 0);
    wgpuRenderBundleEncoderDrawIndexed(e, 1, 1, 0, 0, 0);
    wgpuRenderBundleEncoderDrawIndirect(e, NULL, 0);
    wgpuRenderBundleEncoderDrawIndexedIndirect(e, NULL, 0);
    wgpuRenderBundleEncoderPushDebugGroup(e, sv("x"));
    wgpuRenderBundleEncoderPopDebugGroup(e);
    wgpuRenderBundleEncoderInsertDebugMarker(e, sv("x"));
    expect_none(fx);
    WGPURenderBundle b = wgpuRenderBundleEncoderFinish(e, NULL);
    expect_fault(fx, "render bundle: Weft has no rendering");
    wgpuRenderBundleEncoderDraw(e, 1, 1, 0, 0);
    expect_fault(fx, "render bundle encoder: Draw: it has ended already");
    wgpuRenderBundleSetLabel(b, sv("b"));
    wgpuRenderBundleAddRef(b);
    wgpuRenderBundleRelease(b);
    wgpuRenderBundleRelease(b);
    wgpuRenderBundleEncoderSetLabel(e, sv("e"));
    wgpuRenderBundleEncoderAddRef(e);
    wgpuRenderBundleEncoderRelease(e);
    wgpuRenderBundleEncoderRelease(e);
    fixture_close(fx);
}

static void test_surfaces(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUSurface s = wgpuInstanceCreateSurface(fx->instance, NULL);
    assert_non_null(s);
    expect_log(fx, "CreateSurface: Weft has no surfaces");
    WGPUSurfaceCapabilities c = WGPU_SURFACE_CAPABILITIES_INIT;
    assert_int_equal(wgpuSurfaceGetCapabilities(s, fx->adapter, &c), WGPUStatus_Error);
    wgpuSurfaceCapabilitiesFreeMembers(c);
    WGPUSurfaceConfiguration config = WGPU_SURFACE_CONFIGURATION_INIT;
    wgpuSurfaceConfigure(s, &config);
    config.device = fx->device;
    wgpuSurfaceConfigure(s, &config);
    expect_fault(fx, "surface: Configure: Weft has no surfaces");
    wgpuSurfaceConfigure(s, NULL);
    wgpuSurfaceUnconfigure(s);
    WGPUSurfaceTexture t = {NULL, (WGPUTexture)(void *)fx, 0};
    wgpuSurfaceGetCurrentTexture(s, &t);
    assert_null(t.texture);
    assert_int_equal(t.status, WGPUSurfaceGetCurrentTextureStatus_Error);
    wgpuSurfaceGetCurrentTexture(s, NULL);
    assert_int_equal(wgpuSurfacePresent(s), WGPUStatus_Error);
    wgpuSurfaceSetLabel(s, sv("s"));
    wgpuSurfaceAddRef(s);
    wgpuSurfaceRelease(s);
    wgpuSurfaceRelease(s);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textures),
        cmocka_unit_test(test_copies_of_textures),
        cmocka_unit_test(test_render_pipelines),
        cmocka_unit_test(test_render_passes),
        cmocka_unit_test(test_render_bundles),
        cmocka_unit_test(test_surfaces),
    };
    return cmocka_run_group_tests_name("unsupported", tests, NULL, NULL);
}
