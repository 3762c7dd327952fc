// SPDX-License-Identifier: Apache-2.0
/*
 * layout.c - bind group layouts and pipeline layouts: what kind of thing each
 * binding is.
 *
 * in     descriptors
 * out    layouts with their entries sorted by binding
 * knows  WebGPU 8.1 (bind group layouts), 8.3 (pipeline layouts), the limits on
 *        what layouts may hold
 * not    buffers that are bound, shaders
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define ALL_STAGES UINT64_C(7)

static const char *const binding_types[] = {
    [WGPUBufferBindingType_Uniform] = "uniform",
    [WGPUBufferBindingType_Storage] = "storage",
    [WGPUBufferBindingType_ReadOnlyStorage] = "read-only storage",
};

const char *binding_type_name(WGPUBufferBindingType type)
{
    return (size_t)type < COUNTOF(binding_types) && binding_types[type] ? binding_types[type]
                                                                        : "?";
}

/* ---- limits ---- */

void slots_add(SlotCount *slots, const LayoutEntry *e)
{
    bool uniform = e->type == WGPUBufferBindingType_Uniform;
    if (e->dynamic)
        (uniform ? slots->dynamic_uniform++ : slots->dynamic_storage++);
    for (int stage = 0; stage < 3; stage++)
        if (e->visibility & UINT64_C(1) << stage)
            (uniform ? slots->uniform[stage]++ : slots->storage[stage]++);
}

const char *slots_fault(Fault *f, const SlotCount *slots, const Limits *limits)
{
    const WGPULimits *l = &limits->limits;
    const struct { const char *what, *limit; uint32_t count, most; } rows[] = {
        {"uniform buffers with dynamic offsets", "maxDynamicUniformBuffersPerPipelineLayout",
         slots->dynamic_uniform, l->maxDynamicUniformBuffersPerPipelineLayout},
        {"storage buffers with dynamic offsets", "maxDynamicStorageBuffersPerPipelineLayout",
         slots->dynamic_storage, l->maxDynamicStorageBuffersPerPipelineLayout},
        {"uniform buffers for vertex shaders", "maxUniformBuffersPerShaderStage",
         slots->uniform[0], l->maxUniformBuffersPerShaderStage},
        {"uniform buffers for fragment shaders", "maxUniformBuffersPerShaderStage",
         slots->uniform[1], l->maxUniformBuffersPerShaderStage},
        {"uniform buffers for compute shaders", "maxUniformBuffersPerShaderStage",
         slots->uniform[2], l->maxUniformBuffersPerShaderStage},
        {"storage buffers for vertex shaders", "maxStorageBuffersInVertexStage",
         slots->storage[0], limits->vertex_buffers},
        {"storage buffers for fragment shaders", "maxStorageBuffersInFragmentStage",
         slots->storage[1], limits->fragment_buffers},
        {"storage buffers for compute shaders", "maxStorageBuffersPerShaderStage",
         slots->storage[2], l->maxStorageBuffersPerShaderStage},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (rows[i].count > rows[i].most)
            return fault(f, "%u %s are more than %s, %u", rows[i].count, rows[i].what,
                         rows[i].limit, rows[i].most);
    return NULL;
}

/* ---- bind group layouts ---- */

static const ObjectClass bind_group_layout_class = {"bind group layout", NULL};

static size_t layout_size(size_t nentries)
{
    return sizeof(struct WGPUBindGroupLayoutImpl) + nentries * sizeof(LayoutEntry);
}

/* Numbers the dynamic bindings. */
static void count_dynamic(WGPUBindGroupLayout layout)
{
    for (uint32_t i = 0; i < layout->nentries; i++)
        if (layout->entries[i].dynamic)
            layout->entries[i].dynamic_index = layout->dynamic_count++;
}

WGPUBindGroupLayout layout_new(WGPUDevice device, const LayoutEntry *entries,
                               uint32_t nentries, uint64_t exclusive)
{
    WGPUBindGroupLayout layout = object_new(&bind_group_layout_class, layout_size(nentries),
                                            device, (WGPUStringView){0});
    if (!layout)
        return NULL;
    layout->exclusive = exclusive;
    layout->nentries = nentries;
    if (nentries)
        memcpy(layout->entries, entries, nentries * sizeof *entries);
    count_dynamic(layout);
    return layout;
}

WGPUBindGroupLayout layout_error(WGPUDevice device)
{
    WGPUBindGroupLayout layout = layout_new(device, NULL, 0, 0);
    if (layout)
        layout->base.valid = false;
    return layout;
}

bool layout_equal(WGPUBindGroupLayout a, WGPUBindGroupLayout b)
{
    if (a == b)
        return true;
    if (a->exclusive != b->exclusive || a->nentries != b->nentries)
        return false;
    for (uint32_t i = 0; i < a->nentries; i++) {
        const LayoutEntry *x = &a->entries[i], *y = &b->entries[i];
        if (x->binding != y->binding || x->visibility != y->visibility || x->type != y->type
            || x->dynamic != y->dynamic || x->min_size != y->min_size)
            return false;
    }
    return true;
}

const LayoutEntry *layout_find(WGPUBindGroupLayout layout, uint32_t binding)
{
    uint32_t low = 0, high = layout->nentries;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (layout->entries[middle].binding < binding)
            low = middle + 1;
        else
            high = middle;
    }
    return low < layout->nentries && layout->entries[low].binding == binding
               ? &layout->entries[low] : NULL;
}

/* What an entry is that is not a buffer, or NULL. */
static const char *other_kind(const WGPUBindGroupLayoutEntry *e, bool external)
{
    if (e->sampler.type != WGPUSamplerBindingType_BindingNotUsed)
        return "a sampler";
    if (e->texture.sampleType != WGPUTextureSampleType_BindingNotUsed)
        return "a texture";
    if (e->storageTexture.access != WGPUStorageTextureAccess_BindingNotUsed)
        return "a storage texture";
    return external ? "an external texture" : NULL;
}

static const char *entry_chains_fault(Fault *f, const WGPUBindGroupLayoutEntry *e,
                                      bool *external)
{
    static const WGPUSType allowed[] = {WGPUSType_ExternalTextureBindingLayout};
    const WGPUChainedStruct *found[1];
    if (chain_fault(f, "WGPUBindGroupLayoutEntry", e->nextInChain, allowed, 1, found)
        || chain_none_fault(f, "WGPUBufferBindingLayout", e->buffer.nextInChain)
        || chain_none_fault(f, "WGPUSamplerBindingLayout", e->sampler.nextInChain)
        || chain_none_fault(f, "WGPUTextureBindingLayout", e->texture.nextInChain)
        || chain_none_fault(f, "WGPUStorageTextureBindingLayout",
                            e->storageTexture.nextInChain))
        return f->text;
    *external = found[0] != NULL;
    return NULL;
}

static int kinds_used(const WGPUBindGroupLayoutEntry *e, bool external)
{
    return (e->buffer.type != WGPUBufferBindingType_BindingNotUsed)
           + (e->sampler.type != WGPUSamplerBindingType_BindingNotUsed)
           + (e->texture.sampleType != WGPUTextureSampleType_BindingNotUsed)
           + (e->storageTexture.access != WGPUStorageTextureAccess_BindingNotUsed)
           + external;
}

static const char *entry_kind_fault(Fault *f, const WGPUBindGroupLayoutEntry *e)
{
    bool external = false;
    if (entry_chains_fault(f, e, &external))
        return f->text;
    int kinds = kinds_used(e, external);
    if (kinds != 1)
        return fault(f, "binding %u must be one of buffer, sampler, texture, storageTexture and "
                        "an external texture, and is %d of them", e->binding, kinds);
    const char *other = other_kind(e, external);
    if (other)
        return fault(f, "binding %u is %s; Weft has no textures and samplers", e->binding,
                     other);
    return NULL;
}

static const char *entry_fault(Fault *f, const WGPUBindGroupLayoutEntry *e,
                               const Limits *limits)
{
    uint32_t most = limits->limits.maxBindingsPerBindGroup;
    if (entry_kind_fault(f, e))
        return f->text;
    if (e->binding >= most)
        return fault(f, "binding %u must be below maxBindingsPerBindGroup, %u", e->binding,
                     most);
    if (e->visibility & ~ALL_STAGES)
        return fault(f, "binding %u: the visibility 0x%llx has bits that mean nothing",
                     e->binding, (unsigned long long)e->visibility);
    if (e->bindingArraySize != 0)
        return fault(f, "binding %u: bindingArraySize %u must be 0", e->binding,
                     e->bindingArraySize);
    if ((unsigned)e->buffer.type > WGPUBufferBindingType_ReadOnlyStorage)
        return fault(f, "binding %u: the buffer type %u is not one there is", e->binding,
                     (unsigned)e->buffer.type);
    if (e->visibility & WGPUShaderStage_Vertex
        && e->buffer.type == WGPUBufferBindingType_Storage)
        return fault(f, "binding %u: a storage buffer that is not read-only cannot be visible "
                        "to vertex shaders", e->binding);
    return NULL;
}

static LayoutEntry entry_of(const WGPUBindGroupLayoutEntry *e)
{
    WGPUBufferBindingType type = e->buffer.type;
    return (LayoutEntry){
        .binding = e->binding,
        .visibility = e->visibility,
        .type = type == WGPUBufferBindingType_Undefined ? WGPUBufferBindingType_Uniform : type,
        .dynamic = e->buffer.hasDynamicOffset != WGPU_FALSE,
        .min_size = e->buffer.minBindingSize,
    };
}

static int compare_entries(const void *left, const void *right)
{
    const LayoutEntry *x = left, *y = right;
    return x->binding < y->binding ? -1 : x->binding > y->binding;
}

/* Fills the entries of `layout`, sorted, and says what is wrong with them. */
static const char *fill_entries(Fault *f, WGPUBindGroupLayout layout,
                                const WGPUBindGroupLayoutDescriptor *d, const Limits *limits)
{
    SlotCount slots = {0};
    for (uint32_t i = 0; i < layout->nentries; i++) {
        if (entry_fault(f, &d->entries[i], limits))
            return f->text;
        layout->entries[i] = entry_of(&d->entries[i]);
        slots_add(&slots, &layout->entries[i]);
    }
    if (layout->nentries)
        qsort(layout->entries, layout->nentries, sizeof *layout->entries, compare_entries);
    for (uint32_t i = 1; i < layout->nentries; i++)
        if (layout->entries[i].binding == layout->entries[i - 1].binding)
            return fault(f, "binding %u is there twice", layout->entries[i].binding);
    return slots_fault(f, &slots, limits);
}

static const char *head_fault(Fault *f, const WGPUBindGroupLayoutDescriptor *d,
                              const Limits *limits)
{
    if (chain_none_fault(f, "WGPUBindGroupLayoutDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label))
        return f->text;
    if (d->entryCount && !d->entries)
        return fault(f, "entries is NULL with a count of %zu", d->entryCount);
    if (d->entryCount > limits->limits.maxBindingsPerBindGroup)
        return fault(f, "%zu entries are more than maxBindingsPerBindGroup, %u", d->entryCount,
                     limits->limits.maxBindingsPerBindGroup);
    return NULL;
}

WGPUBindGroupLayout wgpuDeviceCreateBindGroupLayout(
    WGPUDevice device, const WGPUBindGroupLayoutDescriptor *descriptor)
{
    static const WGPUBindGroupLayoutDescriptor nothing = {0};
    if (!device)
        return NULL;
    Fault       f;
    const WGPUBindGroupLayoutDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? head_fault(&f, d, &device->limits)
                                 : "the descriptor is NULL";
    size_t      n = why ? 0 : d->entryCount;
    WGPUBindGroupLayout layout = object_new(&bind_group_layout_class, layout_size(n), device,
                                            d->label);
    if (!layout)
        return NULL;
    layout->nentries = (uint32_t)n;
    if (!why)
        why = fill_entries(&f, layout, d, &device->limits);
    layout->base.valid = !why && !device_is_lost(device);
    if (why)
        object_report(&layout->base, WGPUErrorType_Validation, why);
    else
        count_dynamic(layout);
    return layout;
}

OBJECT_FUNCTIONS(BindGroupLayout, bindGroupLayout)

/* ---- pipeline layouts ---- */

static void pipeline_layout_free(Object *o)
{
    WGPUPipelineLayout layout = (WGPUPipelineLayout)o;
    for (uint32_t i = 0; i < MAX_BIND_GROUPS; i++)
        if (layout->groups[i])
            object_unref(&layout->groups[i]->base);
}

const ObjectClass pipeline_layout_class = {"pipeline layout", pipeline_layout_free};

static const char *group_fault(Fault *f, WGPUBindGroupLayout group, size_t index,
                               WGPUDevice device, SlotCount *slots)
{
    Fault inner;
    if (!group)
        return NULL;
    if (object_fault(&inner, &group->base, "the layout", device))
        return fault(f, "group %zu: %s", index, inner.text);
    if (group->exclusive && group->nentries)
        return fault(f, "group %zu: the layout was made by a pipeline with an automatic layout "
                        "and belongs to it", index);
    for (uint32_t i = 0; i < group->nentries; i++)
        slots_add(slots, &group->entries[i]);
    return NULL;
}

static const char *pipeline_layout_fault(Fault *f, const WGPUPipelineLayoutDescriptor *d,
                                         WGPUDevice device)
{
    const WGPULimits *l = &device->limits.limits;
    SlotCount slots = {0};
    if (chain_none_fault(f, "WGPUPipelineLayoutDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label))
        return f->text;
    if (d->bindGroupLayoutCount && !d->bindGroupLayouts)
        return fault(f, "bindGroupLayouts is NULL with a count of %zu", d->bindGroupLayoutCount);
    if (d->bindGroupLayoutCount > l->maxBindGroups)
        return fault(f, "%zu bind group layouts are more than maxBindGroups, %u",
                     d->bindGroupLayoutCount, l->maxBindGroups);
    for (size_t i = 0; i < d->bindGroupLayoutCount; i++)
        if (group_fault(f, d->bindGroupLayouts[i], i, device, &slots))
            return f->text;
    if (d->immediateSize > l->maxImmediateSize)
        return fault(f, "immediateSize %u is above maxImmediateSize, %u", d->immediateSize,
                     l->maxImmediateSize);
    if (d->immediateSize % 4)
        return fault(f, "immediateSize %u must be a multiple of 4", d->immediateSize);
    return slots_fault(f, &slots, &device->limits);
}

WGPUPipelineLayout wgpuDeviceCreatePipelineLayout(
    WGPUDevice device, const WGPUPipelineLayoutDescriptor *descriptor)
{
    static const WGPUPipelineLayoutDescriptor nothing = {0};
    if (!device)
        return NULL;
    Fault       f;
    const WGPUPipelineLayoutDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? pipeline_layout_fault(&f, d, device)
                                 : "the descriptor is NULL";
    WGPUPipelineLayout layout = object_new(&pipeline_layout_class, sizeof *layout, device,
                                           d->label);
    if (!layout)
        return NULL;
    layout->base.valid = !why && !device_is_lost(device);
    if (why) {
        object_report(&layout->base, WGPUErrorType_Validation, why);
        return layout;
    }
    layout->immediate_size = d->immediateSize;
    for (size_t i = 0; i < d->bindGroupLayoutCount; i++) {
        WGPUBindGroupLayout group = d->bindGroupLayouts[i];
        if (group && group->nentries) {     /* an empty one is as none */
            object_ref(&group->base);
            layout->groups[i] = group;
        }
    }
    return layout;
}

OBJECT_FUNCTIONS(PipelineLayout, pipelineLayout)
