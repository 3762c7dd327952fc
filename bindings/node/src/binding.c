// SPDX-License-Identifier: Apache-2.0
/*
 * binding.c - layouts, bind groups, shader modules, pipelines, query sets.
 *
 * in     calls of lib/binding.js and lib/pipeline.js
 * out    calls of sections 7 to 10 of webgpu.h
 * knows  how lib/ flattens lists of entries: so many numbers each
 * not    names of enumerations: lib/ has them by number
 */
#include "layer.h"

/* What the numbers of an entry are, in the order lib/binding.js writes them. */
enum { LAYOUT_BINDING, LAYOUT_STAGES, LAYOUT_KINDS, LAYOUT_DETAIL, LAYOUT_COUNT = 13 };
enum { USES_BUFFER = 1, USES_SAMPLER = 2, USES_TEXTURE = 4, USES_STORAGE = 8, USES_EXTERNAL = 16 };

static void layout_entry(Call *c, uint32_t at, WGPUBindGroupLayoutEntry *entry)
{
    uint64_t n[LAYOUT_COUNT];
    for (uint32_t i = 0; i < LAYOUT_COUNT; i++)
        n[i] = value_u64_or(c, arg_element(c, 2, at * LAYOUT_COUNT + i), 0);
    *entry = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    entry->binding = (uint32_t)n[LAYOUT_BINDING];
    entry->visibility = n[LAYOUT_STAGES];
    const uint64_t *d = &n[LAYOUT_DETAIL];
    if (n[LAYOUT_KINDS] & USES_BUFFER) {
        entry->buffer = WGPU_BUFFER_BINDING_LAYOUT_INIT;
        entry->buffer.type = (WGPUBufferBindingType)d[0];
        entry->buffer.hasDynamicOffset = d[1] != 0;
        entry->buffer.minBindingSize = d[2];
    }
    if (n[LAYOUT_KINDS] & USES_SAMPLER)
        entry->sampler.type = (WGPUSamplerBindingType)d[3];
    if (n[LAYOUT_KINDS] & USES_TEXTURE) {
        entry->texture.sampleType = (WGPUTextureSampleType)d[4];
        entry->texture.viewDimension = (WGPUTextureViewDimension)d[5];
        entry->texture.multisampled = d[6] != 0;
    }
    if (n[LAYOUT_KINDS] & USES_STORAGE) {
        entry->storageTexture.access = (WGPUStorageTextureAccess)d[7];
        entry->storageTexture.format = (WGPUTextureFormat)d[8];
        entry->storageTexture.viewDimension = (WGPUTextureViewDimension)d[9];
    }
    if (n[LAYOUT_KINDS] & USES_EXTERNAL) {
        WGPUExternalTextureBindingLayout *more = call_alloc(c, 1, sizeof *more);
        if (!more)
            return;
        *more = WGPU_EXTERNAL_TEXTURE_BINDING_LAYOUT_INIT;
        entry->nextInChain = &more->chain;
    }
}

/* createBindGroupLayout(device, label, numbers) */
static napi_value create_bind_group_layout(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUBindGroupLayoutDescriptor desc = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    const uint32_t n = arg_length(c, 2) / LAYOUT_COUNT;
    WGPUBindGroupLayoutEntry *entries = call_alloc(c, n, sizeof *entries);
    for (uint32_t i = 0; entries && i < n; i++)
        layout_entry(c, i, &entries[i]);
    desc.entries = entries;
    desc.entryCount = n;
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_BIND_GROUP_LAYOUT,
                      wgpuDeviceCreateBindGroupLayout(device, &desc), 0);
}

/* createPipelineLayout(device, label, layouts with nulls, immediateSize) */
static napi_value create_pipeline_layout(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUPipelineLayoutDescriptor desc = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    const uint32_t n = arg_length(c, 2);
    WGPUBindGroupLayout *layouts = call_alloc(c, n, sizeof *layouts);
    for (uint32_t i = 0; layouts && i < n; i++) {
        napi_valuetype type = napi_null;
        napi_value v = arg_element(c, 2, i);
        napi_typeof(c->napi, v, &type);
        layouts[i] = type == napi_null ? NULL : value_object(c, v, KIND_BIND_GROUP_LAYOUT);
    }
    desc.bindGroupLayouts = layouts;
    desc.bindGroupLayoutCount = n;
    desc.immediateSize = arg_u32(c, 3);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_PIPELINE_LAYOUT,
                      wgpuDeviceCreatePipelineLayout(device, &desc), 0);
}

enum { ENTRY_BINDING, ENTRY_OFFSET, ENTRY_SIZE, ENTRY_COUNT };

static void group_entry(Call *c, uint32_t at, const double *numbers, WGPUBindGroupEntry *entry)
{
    *entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry->binding = (uint32_t)numbers[ENTRY_BINDING];
    entry->offset = (uint64_t)numbers[ENTRY_OFFSET];
    entry->size = numbers[ENTRY_SIZE] < 0 ? WGPU_WHOLE_SIZE : (uint64_t)numbers[ENTRY_SIZE];
    napi_value v = arg_element(c, 3, at);
    const Kind kind = v ? handle_kind(c->napi, v) : KIND_NONE;
    if (kind == KIND_SAMPLER)
        entry->sampler = value_object(c, v, kind);
    else if (kind == KIND_TEXTURE_VIEW)
        entry->textureView = value_object(c, v, kind);
    else
        entry->buffer = value_object(c, v, KIND_BUFFER);
}

/* createBindGroup(device, label, layout, resources, [binding, offset, size or -1, ...]) */
static napi_value create_bind_group(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUBindGroupDescriptor desc = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    desc.layout = arg_object(c, 2, KIND_BIND_GROUP_LAYOUT);
    const uint32_t n = arg_length(c, 3);
    size_t         count = 0;
    const double *numbers = arg_array(c, 4, napi_float64_array, &count);
    WGPUBindGroupEntry *entries = call_alloc(c, n, sizeof *entries);
    if (count / ENTRY_COUNT < n)
        c->bad = true;
    for (uint32_t i = 0; entries && !c->bad && i < n; i++)
        group_entry(c, i, numbers + (size_t)i * ENTRY_COUNT, &entries[i]);
    desc.entries = entries;
    desc.entryCount = n;
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_BIND_GROUP, wgpuDeviceCreateBindGroup(device, &desc), 0);
}

/* ---- shader modules ---- */

/* createShaderModule(device, label, code) */
static napi_value create_shader_module(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
    WGPUShaderModuleDescriptor desc = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    source.code = arg_string(c, 2);
    desc.nextInChain = &source.chain;
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_SHADER_MODULE,
                      wgpuDeviceCreateShaderModule(device, &desc), 0);
}

static void on_info(WGPUCompilationInfoRequestStatus status, const WGPUCompilationInfo *info,
                    void *userdata1, void *userdata2)
{
    (void)userdata2;
    event_messages(userdata1, info);
    event_post(userdata1, status, 0);
}

/* compilationInfo(module, token) */
static napi_value compilation_info(Call *c)
{
    WGPUShaderModule module = arg_object(c, 0, KIND_SHADER_MODULE);
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 1), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPUCompilationInfoCallbackInfo info = { NULL, WGPUCallbackMode_AllowSpontaneous,
                                             on_info, e, NULL };
    event_refuse(e, wgpuShaderModuleGetCompilationInfo(module, info));
    return NULL;
}

/* ---- pipelines ---- */

/* (device, label, layout or null, module, entryPoint, [key, value, ...]) */
static WGPUComputePipelineDescriptor pipeline_desc(Call *c)
{
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    desc.layout = arg_object_or_null(c, 2, KIND_PIPELINE_LAYOUT);
    desc.compute.module = arg_object(c, 3, KIND_SHADER_MODULE);
    desc.compute.entryPoint = arg_string(c, 4);
    const uint32_t n = arg_length(c, 5) / 2;
    WGPUConstantEntry *constants = call_alloc(c, n, sizeof *constants);
    for (uint32_t i = 0; constants && i < n; i++) {
        constants[i] = WGPU_CONSTANT_ENTRY_INIT;
        constants[i].key = value_string(c, arg_element(c, 5, i * 2));
        constants[i].value = value_double(c, arg_element(c, 5, i * 2 + 1));
    }
    desc.compute.constants = constants;
    desc.compute.constantCount = n;
    return desc;
}

static napi_value create_compute_pipeline(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    const WGPUComputePipelineDescriptor desc = pipeline_desc(c);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_COMPUTE_PIPELINE,
                      wgpuDeviceCreateComputePipeline(device, &desc), 0);
}

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *userdata1, void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_object(userdata1, KIND_COMPUTE_PIPELINE, pipeline);
    event_post(userdata1, status, 0);
}

static napi_value create_compute_pipeline_async(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    const WGPUComputePipelineDescriptor desc = pipeline_desc(c);
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 6), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPUCreateComputePipelineAsyncCallbackInfo info = {
        NULL, WGPUCallbackMode_AllowSpontaneous, on_pipeline, e, NULL };
    event_refuse(e, wgpuDeviceCreateComputePipelineAsync(device, &desc, info));
    return NULL;
}

/* computePipelineLayout(pipeline, index) */
static napi_value pipeline_layout(Call *c)
{
    WGPUComputePipeline pipeline = arg_object(c, 0, KIND_COMPUTE_PIPELINE);
    const uint32_t index = arg_u32(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_BIND_GROUP_LAYOUT,
                      wgpuComputePipelineGetBindGroupLayout(pipeline, index), 0);
}

/* ---- queries ---- */

/* createQuerySet(device, label, type, count) */
static napi_value create_query_set(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUQuerySetDescriptor desc = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    desc.type = (WGPUQueryType)arg_u32(c, 2);
    desc.count = arg_u32(c, 3);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_QUERY_SET, wgpuDeviceCreateQuerySet(device, &desc), 0);
}

static napi_value query_set_destroy(Call *c)
{
    WGPUQuerySet set = arg_object(c, 0, KIND_QUERY_SET);
    if (call_ok(c))
        wgpuQuerySetDestroy(set);
    return NULL;
}

const Function binding_functions[] = {
    { "createBindGroupLayout",      create_bind_group_layout },
    { "createPipelineLayout",       create_pipeline_layout },
    { "createBindGroup",            create_bind_group },
    { "createShaderModule",         create_shader_module },
    { "compilationInfo",            compilation_info },
    { "createComputePipeline",      create_compute_pipeline },
    { "createComputePipelineAsync", create_compute_pipeline_async },
    { "computePipelineLayout",      pipeline_layout },
    { "createQuerySet",             create_query_set },
    { "querySetDestroy",            query_set_destroy },
    { 0 },
};
