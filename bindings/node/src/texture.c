// SPDX-License-Identifier: Apache-2.0
/*
 * texture.c - textures, samplers and rendering, as far as there is something to call.
 *
 * in     calls of lib/texture.js and lib/render.js
 * out    calls of sections 13 and 14 of webgpu.h, which report what is missing
 * knows  that these objects cannot do anything, so that the commands inside render
 *        passes and bundles need not be passed on
 * not    what a device could do with them
 */
#include "addon.h"

/* createTexture(device, label, usage, dimension, w, h, d, format, mips, samples) */
static napi_value create_texture(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUTextureDescriptor desc = WGPU_TEXTURE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    desc.usage = arg_u32(c, 2);
    desc.dimension = (WGPUTextureDimension)arg_u32(c, 3);
    desc.size = (WGPUExtent3D){ arg_u32(c, 4), arg_u32(c, 5), arg_u32(c, 6) };
    desc.format = (WGPUTextureFormat)arg_u32(c, 7);
    desc.mipLevelCount = arg_u32(c, 8);
    desc.sampleCount = arg_u32(c, 9);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_TEXTURE, wgpuDeviceCreateTexture(device, &desc), 0);
}

static napi_value texture_destroy(Call *c)
{
    WGPUTexture texture = arg_object(c, 0, KIND_TEXTURE);
    if (call_ok(c))
        wgpuTextureDestroy(texture);
    return NULL;
}

/* createView(texture, label) */
static napi_value create_view(Call *c)
{
    WGPUTexture texture = arg_object(c, 0, KIND_TEXTURE);
    WGPUTextureViewDescriptor desc = WGPU_TEXTURE_VIEW_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_TEXTURE_VIEW, wgpuTextureCreateView(texture, &desc), 0);
}

/* createSampler(device, label) */
static napi_value create_sampler(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUSamplerDescriptor desc = WGPU_SAMPLER_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_SAMPLER, wgpuDeviceCreateSampler(device, &desc), 0);
}

/* copyTexture(encoder): any copy from or to a texture */
static napi_value copy_texture(Call *c)
{
    static const WGPUTexelCopyTextureInfo info = { .mipLevel = 0 };
    static const WGPUExtent3D size = { 0, 1, 1 };
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    if (call_ok(c))
        wgpuCommandEncoderCopyTextureToTexture(encoder, &info, &info, &size);
    return NULL;
}

/* writeTexture(queue) */
static napi_value write_texture(Call *c)
{
    static const WGPUTexelCopyTextureInfo info = { .mipLevel = 0 };
    static const WGPUTexelCopyBufferLayout layout = { .offset = 0 };
    static const WGPUExtent3D size = { 0, 1, 1 };
    WGPUQueue queue = arg_object(c, 0, KIND_QUEUE);
    if (call_ok(c))
        wgpuQueueWriteTexture(queue, &info, "", 0, &layout, &size);
    return NULL;
}

/* ---- rendering ---- */

/* createRenderPipeline(device, label) */
static napi_value create_render_pipeline(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPURenderPipelineDescriptor desc = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_RENDER_PIPELINE,
                      wgpuDeviceCreateRenderPipeline(device, &desc), 0);
}

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPURenderPipeline pipeline,
                        WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_object(userdata1, KIND_RENDER_PIPELINE, pipeline);
    event_post(userdata1, status, 0);
}

/* createRenderPipelineAsync(device, label, token) */
static napi_value create_render_pipeline_async(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPURenderPipelineDescriptor desc = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 2), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPUCreateRenderPipelineAsyncCallbackInfo info = {
        NULL, WGPUCallbackMode_AllowSpontaneous, on_pipeline, e, NULL };
    event_refuse(e, wgpuDeviceCreateRenderPipelineAsync(device, &desc, info));
    return NULL;
}

/* renderPipelineLayout(pipeline, index) */
static napi_value render_pipeline_layout(Call *c)
{
    WGPURenderPipeline pipeline = arg_object(c, 0, KIND_RENDER_PIPELINE);
    const uint32_t index = arg_u32(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_BIND_GROUP_LAYOUT,
                      wgpuRenderPipelineGetBindGroupLayout(pipeline, index), 0);
}

/* beginRenderPass(encoder, label) */
static napi_value begin_render_pass(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    WGPURenderPassDescriptor desc = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_RENDER_PASS,
                      wgpuCommandEncoderBeginRenderPass(encoder, &desc), 0);
}

static napi_value end_render_pass(Call *c)
{
    WGPURenderPassEncoder pass = arg_object(c, 0, KIND_RENDER_PASS);
    if (call_ok(c))
        wgpuRenderPassEncoderEnd(pass);
    return NULL;
}

/* createRenderBundleEncoder(device, label) */
static napi_value create_bundle_encoder(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPURenderBundleEncoderDescriptor desc = WGPU_RENDER_BUNDLE_ENCODER_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_RENDER_BUNDLE_ENCODER,
                      wgpuDeviceCreateRenderBundleEncoder(device, &desc), 0);
}

/* finishBundle(encoder, label) */
static napi_value finish_bundle(Call *c)
{
    WGPURenderBundleEncoder encoder = arg_object(c, 0, KIND_RENDER_BUNDLE_ENCODER);
    WGPURenderBundleDescriptor desc = WGPU_RENDER_BUNDLE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_RENDER_BUNDLE,
                      wgpuRenderBundleEncoderFinish(encoder, &desc), 0);
}

const Function texture_functions[] = {
    { "createTexture",             create_texture },
    { "textureDestroy",            texture_destroy },
    { "createView",                create_view },
    { "createSampler",             create_sampler },
    { "copyTexture",               copy_texture },
    { "writeTexture",              write_texture },
    { "createRenderPipeline",      create_render_pipeline },
    { "createRenderPipelineAsync", create_render_pipeline_async },
    { "renderPipelineLayout",      render_pipeline_layout },
    { "beginRenderPass",           begin_render_pass },
    { "endRenderPass",             end_render_pass },
    { "createBundleEncoder",       create_bundle_encoder },
    { "finishBundle",              finish_bundle },
    { 0 },
};
