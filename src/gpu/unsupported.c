// SPDX-License-Identifier: Apache-2.0
/*
 * unsupported.c - textures, samplers, rendering, surfaces: what Weft does not have.
 *
 * in     the calls of programs that were written for a GPU with a screen
 * out    error objects and validation errors that say so, as WebGPU's error model
 *        has them; nothing crashes, and what asks is answered
 * not    anything that works
 */
#include "gpu/gpu_priv.h"

#define NO_TEXTURES  "Weft has no textures"
#define NO_RENDERING "Weft has no rendering"

/* An error object of a plain kind, after the report. */
static void *make_error(const ObjectClass *class, size_t size, WGPUDevice device,
                        WGPUStringView label, const char *why)
{
    Object *o = object_new(class, size, device, label);
    if (!o)
        return NULL;
    o->valid = false;
    object_report(o, WGPUErrorType_Validation, why);
    return o;
}

/* ---- textures ---- */

struct WGPUTextureImpl {
    Object                   base;
    WGPUTextureUsage         usage;         /* as the descriptor said */
    WGPUTextureDimension     dimension;
    WGPUExtent3D             size;
    WGPUTextureFormat        format;
    uint32_t                 mip_levels, samples;
    WGPUTextureViewDimension binding_view;
};

struct WGPUTextureViewImpl {
    Object base;
};

struct WGPUSamplerImpl {
    Object base;
};

struct WGPUExternalTextureImpl {
    Object base;
};

static const ObjectClass texture_class = {"texture", NULL};
static const ObjectClass texture_view_class = {"texture view", NULL};
static const ObjectClass sampler_class = {"sampler", NULL};

OBJECT_FUNCTIONS(Texture, texture)
OBJECT_FUNCTIONS(TextureView, textureView)
OBJECT_FUNCTIONS(Sampler, sampler)
OBJECT_FUNCTIONS(ExternalTexture, externalTexture)

static WGPUTextureViewDimension binding_view_of(const WGPUTextureDescriptor *d)
{
    static const WGPUSType allowed[] = {WGPUSType_TextureBindingViewDimension};
    const WGPUChainedStruct *found[1];
    Fault f;
    if (chain_fault(&f, "WGPUTextureDescriptor", d->nextInChain, allowed, 1, found) || !found[0])
        return WGPUTextureViewDimension_Undefined;
    return ((const WGPUTextureBindingViewDimension *)found[0])->textureBindingViewDimension;
}

WGPUTexture wgpuDeviceCreateTexture(WGPUDevice device, const WGPUTextureDescriptor *descriptor)
{
    static const WGPUTextureDescriptor nothing = {0};
    if (!device)
        return NULL;
    const WGPUTextureDescriptor *d = descriptor ? descriptor : &nothing;
    WGPUTexture t = make_error(&texture_class, sizeof *t, device, d->label, NO_TEXTURES);
    if (!t)
        return NULL;
    t->usage = d->usage;
    t->dimension = d->dimension == WGPUTextureDimension_Undefined ? WGPUTextureDimension_2D
                                                                  : d->dimension;
    t->size = d->size;
    t->format = d->format;
    t->mip_levels = d->mipLevelCount;
    t->samples = d->sampleCount;
    t->binding_view = binding_view_of(d);
    return t;
}

WGPUTextureView wgpuTextureCreateView(WGPUTexture texture,
                                      const WGPUTextureViewDescriptor *descriptor)
{
    if (!texture)
        return NULL;
    return make_error(&texture_view_class, sizeof(struct WGPUTextureViewImpl),
                      texture->base.device, descriptor ? descriptor->label : (WGPUStringView){0},
                      NO_TEXTURES);
}

void wgpuTextureDestroy(WGPUTexture texture)
{
    (void)texture;
}

uint32_t wgpuTextureGetWidth(WGPUTexture texture)
{
    return texture ? texture->size.width : 0;
}

uint32_t wgpuTextureGetHeight(WGPUTexture texture)
{
    return texture ? texture->size.height : 0;
}

uint32_t wgpuTextureGetDepthOrArrayLayers(WGPUTexture texture)
{
    return texture ? texture->size.depthOrArrayLayers : 0;
}

uint32_t wgpuTextureGetMipLevelCount(WGPUTexture texture)
{
    return texture ? texture->mip_levels : 0;
}

uint32_t wgpuTextureGetSampleCount(WGPUTexture texture)
{
    return texture ? texture->samples : 0;
}

WGPUTextureDimension wgpuTextureGetDimension(WGPUTexture texture)
{
    return texture ? texture->dimension : WGPUTextureDimension_Undefined;
}

WGPUTextureFormat wgpuTextureGetFormat(WGPUTexture texture)
{
    return texture ? texture->format : WGPUTextureFormat_Undefined;
}

WGPUTextureUsage wgpuTextureGetUsage(WGPUTexture texture)
{
    return texture ? texture->usage : WGPUTextureUsage_None;
}

WGPUTextureViewDimension wgpuTextureGetTextureBindingViewDimension(WGPUTexture texture)
{
    return texture ? texture->binding_view : WGPUTextureViewDimension_Undefined;
}

WGPUSampler wgpuDeviceCreateSampler(WGPUDevice device, const WGPUSamplerDescriptor *descriptor)
{
    if (!device)
        return NULL;
    return make_error(&sampler_class, sizeof(struct WGPUSamplerImpl), device,
                      descriptor ? descriptor->label : (WGPUStringView){0},
                      "Weft has no samplers");
}

void wgpuQueueWriteTexture(WGPUQueue queue, const WGPUTexelCopyTextureInfo *destination,
                           const void *data, size_t dataSize,
                           const WGPUTexelCopyBufferLayout *dataLayout,
                           const WGPUExtent3D *writeSize)
{
    (void)destination, (void)data, (void)dataSize, (void)dataLayout, (void)writeSize;
    if (queue)
        device_error(queue->device, WGPUErrorType_Validation,
                     "queue: WriteTexture: " NO_TEXTURES);
}

/* ---- render pipelines ---- */

struct WGPURenderPipelineImpl {
    Object base;
};

static const ObjectClass render_pipeline_class = {"render pipeline", NULL};

OBJECT_FUNCTIONS(RenderPipeline, renderPipeline)

WGPURenderPipeline wgpuDeviceCreateRenderPipeline(WGPUDevice device,
                                                  const WGPURenderPipelineDescriptor *descriptor)
{
    if (!device)
        return NULL;
    return make_error(&render_pipeline_class, sizeof(struct WGPURenderPipelineImpl), device,
                      descriptor ? descriptor->label : (WGPUStringView){0}, NO_RENDERING);
}

static void fire_render_pipeline(Future *f, bool cancelled)
{
    WGPURenderPipeline p = NULL;
    if (!cancelled) {
        p = (WGPURenderPipeline)f->object;
        f->object = NULL;                   /* the callback's now */
    }
    f->callback.render(cancelled ? WGPUCreatePipelineAsyncStatus_CallbackCancelled
                                 : (WGPUCreatePipelineAsyncStatus)f->status,
                       p, cancelled ? string_view("the instance was released first")
                                    : future_message(f),
                       f->userdata1, f->userdata2);
}

WGPUFuture wgpuDeviceCreateRenderPipelineAsync(
    WGPUDevice device, const WGPURenderPipelineDescriptor *descriptor,
    WGPUCreateRenderPipelineAsyncCallbackInfo callbackInfo)
{
    if (!device
        || !callback_is_usable(device->instance, "CreateRenderPipelineAsync", callbackInfo.mode,
                               callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(device->instance, callbackInfo.mode, fire_render_pipeline);
    if (!f)
        return (WGPUFuture){0};
    f->callback.render = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    bool lost = device_is_lost(device);
    /* A lost device has no errors to tell. */
    if (lost)
        f->object = make_error(&render_pipeline_class, sizeof(struct WGPURenderPipelineImpl),
                               device, descriptor ? descriptor->label : (WGPUStringView){0},
                               NO_RENDERING);
    WGPUFuture id = future_track(f);
    future_ready(f, lost ? WGPUCreatePipelineAsyncStatus_Success
                         : WGPUCreatePipelineAsyncStatus_ValidationError,
                 lost ? NULL : "render pipeline: " NO_RENDERING);
    future_settle(f);
    future_unref(f);
    return id;
}

WGPUBindGroupLayout wgpuRenderPipelineGetBindGroupLayout(WGPURenderPipeline renderPipeline,
                                                         uint32_t groupIndex)
{
    (void)groupIndex;
    if (!renderPipeline)
        return NULL;
    object_report(&renderPipeline->base, WGPUErrorType_Validation,
                  "it is an error object and has no bind group layouts");
    return layout_error(renderPipeline->base.device);
}

/* ---- render passes: they take commands, and make their encoder fail ---- */

struct WGPURenderPassEncoderImpl {
    Object             base;
    Recorder           recorder;
    WGPUCommandEncoder encoder;             /* referenced */
    uint32_t           number;
};

static void render_pass_free(Object *o)
{
    WGPURenderPassEncoder pass = (WGPURenderPassEncoder)o;
    free_const(pass->recorder.error);
    object_unref(&pass->encoder->base);
}

static const ObjectClass render_pass_class = {"render pass", render_pass_free};

OBJECT_FUNCTIONS(RenderPassEncoder, renderPassEncoder)

WGPURenderPassEncoder wgpuCommandEncoderBeginRenderPass(
    WGPUCommandEncoder commandEncoder, const WGPURenderPassDescriptor *descriptor)
{
    static const char command[] = "BeginRenderPass";
    if (!commandEncoder)
        return NULL;
    WGPURenderPassEncoder pass =
        object_new(&render_pass_class, sizeof *pass, commandEncoder->base.device,
                   descriptor ? descriptor->label : (WGPUStringView){0});
    if (!pass) {
        recorder_fail(&commandEncoder->recorder, command, "out of memory");
        return NULL;
    }
    pass->encoder = commandEncoder;
    object_ref(&commandEncoder->base);
    pass->number = encoder_lock(commandEncoder, command, &pass->recorder);
    recorder_fail(&pass->recorder, command, NO_RENDERING);
    return pass;
}

void wgpuRenderPassEncoderEnd(WGPURenderPassEncoder renderPassEncoder)
{
    if (renderPassEncoder)
        encoder_unlock(renderPassEncoder->encoder, renderPassEncoder->number,
                       &renderPassEncoder->base, &renderPassEncoder->recorder);
}

/* A command of a pass: reported once the pass has ended, ignored before. */
static void pass_command(WGPURenderPassEncoder pass, const char *command)
{
    if (pass)
        recorder_begin(&pass->recorder, &pass->base, command);
}

void wgpuRenderPassEncoderSetPipeline(WGPURenderPassEncoder renderPassEncoder,
                                      WGPURenderPipeline pipeline)
{
    (void)pipeline;
    pass_command(renderPassEncoder, "SetPipeline");
}

void wgpuRenderPassEncoderSetBindGroup(WGPURenderPassEncoder renderPassEncoder,
                                       uint32_t groupIndex, WGPUBindGroup group,
                                       size_t dynamicOffsetCount, const uint32_t *dynamicOffsets)
{
    (void)groupIndex, (void)group, (void)dynamicOffsetCount, (void)dynamicOffsets;
    pass_command(renderPassEncoder, "SetBindGroup");
}

void wgpuRenderPassEncoderSetImmediates(WGPURenderPassEncoder renderPassEncoder, uint32_t offset,
                                        const void *data, size_t size)
{
    (void)offset, (void)data, (void)size;
    pass_command(renderPassEncoder, "SetImmediates");
}

void wgpuRenderPassEncoderSetVertexBuffer(WGPURenderPassEncoder renderPassEncoder, uint32_t slot,
                                          WGPUBuffer buffer, uint64_t offset, uint64_t size)
{
    (void)slot, (void)buffer, (void)offset, (void)size;
    pass_command(renderPassEncoder, "SetVertexBuffer");
}

void wgpuRenderPassEncoderSetIndexBuffer(WGPURenderPassEncoder renderPassEncoder,
                                         WGPUBuffer buffer, WGPUIndexFormat format,
                                         uint64_t offset, uint64_t size)
{
    (void)buffer, (void)format, (void)offset, (void)size;
    pass_command(renderPassEncoder, "SetIndexBuffer");
}

void wgpuRenderPassEncoderDraw(WGPURenderPassEncoder renderPassEncoder, uint32_t vertexCount,
                               uint32_t instanceCount, uint32_t firstVertex,
                               uint32_t firstInstance)
{
    (void)vertexCount, (void)instanceCount, (void)firstVertex, (void)firstInstance;
    pass_command(renderPassEncoder, "Draw");
}

void wgpuRenderPassEncoderDrawIndexed(WGPURenderPassEncoder renderPassEncoder,
                                      uint32_t indexCount, uint32_t instanceCount,
                                      uint32_t firstIndex, int32_t baseVertex,
                                      uint32_t firstInstance)
{
    (void)indexCount, (void)instanceCount, (void)firstIndex, (void)baseVertex,
        (void)firstInstance;
    pass_command(renderPassEncoder, "DrawIndexed");
}

void wgpuRenderPassEncoderDrawIndirect(WGPURenderPassEncoder renderPassEncoder,
                                       WGPUBuffer indirectBuffer, uint64_t indirectOffset)
{
    (void)indirectBuffer, (void)indirectOffset;
    pass_command(renderPassEncoder, "DrawIndirect");
}

void wgpuRenderPassEncoderDrawIndexedIndirect(WGPURenderPassEncoder renderPassEncoder,
                                              WGPUBuffer indirectBuffer, uint64_t indirectOffset)
{
    (void)indirectBuffer, (void)indirectOffset;
    pass_command(renderPassEncoder, "DrawIndexedIndirect");
}

void wgpuRenderPassEncoderExecuteBundles(WGPURenderPassEncoder renderPassEncoder,
                                         size_t bundleCount, const WGPURenderBundle *bundles)
{
    (void)bundleCount, (void)bundles;
    pass_command(renderPassEncoder, "ExecuteBundles");
}

void wgpuRenderPassEncoderSetViewport(WGPURenderPassEncoder renderPassEncoder, float x, float y,
                                      float width, float height, float minDepth, float maxDepth)
{
    (void)x, (void)y, (void)width, (void)height, (void)minDepth, (void)maxDepth;
    pass_command(renderPassEncoder, "SetViewport");
}

void wgpuRenderPassEncoderSetScissorRect(WGPURenderPassEncoder renderPassEncoder, uint32_t x,
                                         uint32_t y, uint32_t width, uint32_t height)
{
    (void)x, (void)y, (void)width, (void)height;
    pass_command(renderPassEncoder, "SetScissorRect");
}

void wgpuRenderPassEncoderSetBlendConstant(WGPURenderPassEncoder renderPassEncoder,
                                           const WGPUColor *color)
{
    (void)color;
    pass_command(renderPassEncoder, "SetBlendConstant");
}

void wgpuRenderPassEncoderSetStencilReference(WGPURenderPassEncoder renderPassEncoder,
                                              uint32_t reference)
{
    (void)reference;
    pass_command(renderPassEncoder, "SetStencilReference");
}

void wgpuRenderPassEncoderBeginOcclusionQuery(WGPURenderPassEncoder renderPassEncoder,
                                              uint32_t queryIndex)
{
    (void)queryIndex;
    pass_command(renderPassEncoder, "BeginOcclusionQuery");
}

void wgpuRenderPassEncoderEndOcclusionQuery(WGPURenderPassEncoder renderPassEncoder)
{
    pass_command(renderPassEncoder, "EndOcclusionQuery");
}

void wgpuRenderPassEncoderPushDebugGroup(WGPURenderPassEncoder renderPassEncoder,
                                         WGPUStringView groupLabel)
{
    (void)groupLabel;
    pass_command(renderPassEncoder, "PushDebugGroup");
}

void wgpuRenderPassEncoderPopDebugGroup(WGPURenderPassEncoder renderPassEncoder)
{
    pass_command(renderPassEncoder, "PopDebugGroup");
}

void wgpuRenderPassEncoderInsertDebugMarker(WGPURenderPassEncoder renderPassEncoder,
                                            WGPUStringView markerLabel)
{
    (void)markerLabel;
    pass_command(renderPassEncoder, "InsertDebugMarker");
}

/* ---- render bundles ---- */

struct WGPURenderBundleEncoderImpl {
    Object   base;
    Recorder recorder;
};

struct WGPURenderBundleImpl {
    Object base;
};

static void bundle_encoder_free(Object *o)
{
    free_const(((WGPURenderBundleEncoder)o)->recorder.error);
}

static const ObjectClass bundle_encoder_class = {"render bundle encoder", bundle_encoder_free};
static const ObjectClass bundle_class = {"render bundle", NULL};

OBJECT_FUNCTIONS(RenderBundleEncoder, renderBundleEncoder)
OBJECT_FUNCTIONS(RenderBundle, renderBundle)

WGPURenderBundleEncoder wgpuDeviceCreateRenderBundleEncoder(
    WGPUDevice device, const WGPURenderBundleEncoderDescriptor *descriptor)
{
    if (!device)
        return NULL;
    WGPURenderBundleEncoder e =
        make_error(&bundle_encoder_class, sizeof *e, device,
                   descriptor ? descriptor->label : (WGPUStringView){0}, NO_RENDERING);
    if (e)
        recorder_fail(&e->recorder, "CreateRenderBundleEncoder", NO_RENDERING);
    return e;
}

WGPURenderBundle wgpuRenderBundleEncoderFinish(WGPURenderBundleEncoder renderBundleEncoder,
                                               const WGPURenderBundleDescriptor *descriptor)
{
    if (!renderBundleEncoder)
        return NULL;
    renderBundleEncoder->recorder.state = ENCODER_ENDED;
    return make_error(&bundle_class, sizeof(struct WGPURenderBundleImpl),
                      renderBundleEncoder->base.device,
                      descriptor ? descriptor->label : (WGPUStringView){0}, NO_RENDERING);
}

static void bundle_command(WGPURenderBundleEncoder e, const char *command)
{
    if (e)
        recorder_begin(&e->recorder, &e->base, command);
}

void wgpuRenderBundleEncoderSetPipeline(WGPURenderBundleEncoder renderBundleEncoder,
                                        WGPURenderPipeline pipeline)
{
    (void)pipeline;
    bundle_command(renderBundleEncoder, "SetPipeline");
}

void wgpuRenderBundleEncoderSetBindGroup(WGPURenderBundleEncoder renderBundleEncoder,
                                         uint32_t groupIndex, WGPUBindGroup group,
                                         size_t dynamicOffsetCount,
                                         const uint32_t *dynamicOffsets)
{
    (void)groupIndex, (void)group, (void)dynamicOffsetCount, (void)dynamicOffsets;
    bundle_command(renderBundleEncoder, "SetBindGroup");
}

void wgpuRenderBundleEncoderSetImmediates(WGPURenderBundleEncoder renderBundleEncoder,
                                          uint32_t offset, const void *data, size_t size)
{
    (void)offset, (void)data, (void)size;
    bundle_command(renderBundleEncoder, "SetImmediates");
}

void wgpuRenderBundleEncoderSetVertexBuffer(WGPURenderBundleEncoder renderBundleEncoder,
                                            uint32_t slot, WGPUBuffer buffer, uint64_t offset,
                                            uint64_t size)
{
    (void)slot, (void)buffer, (void)offset, (void)size;
    bundle_command(renderBundleEncoder, "SetVertexBuffer");
}

void wgpuRenderBundleEncoderSetIndexBuffer(WGPURenderBundleEncoder renderBundleEncoder,
                                           WGPUBuffer buffer, WGPUIndexFormat format,
                                           uint64_t offset, uint64_t size)
{
    (void)buffer, (void)format, (void)offset, (void)size;
    bundle_command(renderBundleEncoder, "SetIndexBuffer");
}

void wgpuRenderBundleEncoderDraw(WGPURenderBundleEncoder renderBundleEncoder,
                                 uint32_t vertexCount, uint32_t instanceCount,
                                 uint32_t firstVertex, uint32_t firstInstance)
{
    (void)vertexCount, (void)instanceCount, (void)firstVertex, (void)firstInstance;
    bundle_command(renderBundleEncoder, "Draw");
}

void wgpuRenderBundleEncoderDrawIndexed(WGPURenderBundleEncoder renderBundleEncoder,
                                        uint32_t indexCount, uint32_t instanceCount,
                                        uint32_t firstIndex, int32_t baseVertex,
                                        uint32_t firstInstance)
{
    (void)indexCount, (void)instanceCount, (void)firstIndex, (void)baseVertex,
        (void)firstInstance;
    bundle_command(renderBundleEncoder, "DrawIndexed");
}

void wgpuRenderBundleEncoderDrawIndirect(WGPURenderBundleEncoder renderBundleEncoder,
                                         WGPUBuffer indirectBuffer, uint64_t indirectOffset)
{
    (void)indirectBuffer, (void)indirectOffset;
    bundle_command(renderBundleEncoder, "DrawIndirect");
}

void wgpuRenderBundleEncoderDrawIndexedIndirect(WGPURenderBundleEncoder renderBundleEncoder,
                                                WGPUBuffer indirectBuffer,
                                                uint64_t indirectOffset)
{
    (void)indirectBuffer, (void)indirectOffset;
    bundle_command(renderBundleEncoder, "DrawIndexedIndirect");
}

void wgpuRenderBundleEncoderPushDebugGroup(WGPURenderBundleEncoder renderBundleEncoder,
                                           WGPUStringView groupLabel)
{
    (void)groupLabel;
    bundle_command(renderBundleEncoder, "PushDebugGroup");
}

void wgpuRenderBundleEncoderPopDebugGroup(WGPURenderBundleEncoder renderBundleEncoder)
{
    bundle_command(renderBundleEncoder, "PopDebugGroup");
}

void wgpuRenderBundleEncoderInsertDebugMarker(WGPURenderBundleEncoder renderBundleEncoder,
                                              WGPUStringView markerLabel)
{
    (void)markerLabel;
    bundle_command(renderBundleEncoder, "InsertDebugMarker");
}

/* ---- surfaces ---- */

struct WGPUSurfaceImpl {
    Object base;
};

static const ObjectClass surface_class = {"surface", NULL};

OBJECT_FUNCTIONS(Surface, surface)

WGPUSurface wgpuInstanceCreateSurface(WGPUInstance instance,
                                      const WGPUSurfaceDescriptor *descriptor)
{
    (void)descriptor;
    if (!instance)
        return NULL;
    WGPUSurface surface = object_new(&surface_class, sizeof *surface, NULL, (WGPUStringView){0});
    if (surface)
        surface->base.valid = false;
    instance_log(instance, "CreateSurface: Weft has no surfaces");
    return surface;
}

WGPUStatus wgpuSurfaceGetCapabilities(WGPUSurface surface, WGPUAdapter adapter,
                                      WGPUSurfaceCapabilities *capabilities)
{
    (void)surface, (void)adapter, (void)capabilities;
    return WGPUStatus_Error;
}

void wgpuSurfaceCapabilitiesFreeMembers(WGPUSurfaceCapabilities surfaceCapabilities)
{
    (void)surfaceCapabilities;              /* never filled */
}

void wgpuSurfaceConfigure(WGPUSurface surface, const WGPUSurfaceConfiguration *config)
{
    (void)surface;
    if (config && config->device)
        device_error(config->device, WGPUErrorType_Validation,
                     "surface: Configure: Weft has no surfaces");
}

void wgpuSurfaceUnconfigure(WGPUSurface surface)
{
    (void)surface;
}

void wgpuSurfaceGetCurrentTexture(WGPUSurface surface, WGPUSurfaceTexture *surfaceTexture)
{
    (void)surface;
    if (!surfaceTexture)
        return;
    surfaceTexture->texture = NULL;
    surfaceTexture->status = WGPUSurfaceGetCurrentTextureStatus_Error;
}

WGPUStatus wgpuSurfacePresent(WGPUSurface surface)
{
    (void)surface;
    return WGPUStatus_Error;
}
