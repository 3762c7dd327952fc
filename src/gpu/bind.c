// SPDX-License-Identifier: Apache-2.0
/*
 * bind.c - bind groups: which piece of which buffer each binding is.
 *
 * in     a layout and one entry for each of its bindings
 * out    a group with its buffers in the order of the layout
 * knows  WebGPU 8.2 (bind groups)
 * not    shaders, dispatches
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

static void bind_group_free(Object *o)
{
    WGPUBindGroup group = (WGPUBindGroup)o;
    for (uint32_t i = 0; i < group->nentries; i++)
        if (group->entries[i].buffer)
            object_unref(&group->entries[i].buffer->base);
    if (group->layout)
        object_unref(&group->layout->base);
}

const ObjectClass bind_group_class = {"bind group", bind_group_free};

/* ---- one entry ---- */

static const char *entry_kind_fault(Fault *f, const WGPUBindGroupEntry *e)
{
    static const WGPUSType allowed[] = {WGPUSType_ExternalTextureBindingEntry};
    const WGPUChainedStruct *found[1];
    if (chain_fault(f, "WGPUBindGroupEntry", e->nextInChain, allowed, 1, found))
        return f->text;
    if (e->sampler || e->textureView || found[0])
        return fault(f, "binding %u is given a %s, and the layout asks for a buffer", e->binding,
                     e->sampler ? "sampler" : "texture");
    return NULL;
}

static const char *range_fault(Fault *f, const WGPUBindGroupEntry *e, uint64_t size)
{
    uint64_t whole = e->buffer->size;
    if (e->offset > whole || size > whole - e->offset)
        return fault(f, "the offset %llu and the size %llu go beyond the end of the buffer, %llu",
                     (unsigned long long)e->offset, (unsigned long long)size,
                     (unsigned long long)whole);
    return size ? NULL : "nothing is bound, the size is 0";
}

/* What the limits say of a uniform or storage buffer. */
static const char *type_fault(Fault *f, const WGPUBindGroupEntry *e, const LayoutEntry *entry,
                              uint64_t size, const WGPULimits *l)
{
    bool     uniform = entry->type == WGPUBufferBindingType_Uniform;
    uint64_t most = uniform ? l->maxUniformBufferBindingSize : l->maxStorageBufferBindingSize;
    uint32_t align = uniform ? l->minUniformBufferOffsetAlignment
                             : l->minStorageBufferOffsetAlignment;
    if (size > most)
        return fault(f, "the size %llu is above %s, %llu", (unsigned long long)size,
                     uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize",
                     (unsigned long long)most);
    if (!uniform && size % 4)
        return fault(f, "the size %llu of a storage buffer must be a multiple of 4",
                     (unsigned long long)size);
    if (e->offset % align)
        return fault(f, "the offset %llu must be a multiple of %s, %u",
                     (unsigned long long)e->offset,
                     uniform ? "minUniformBufferOffsetAlignment"
                             : "minStorageBufferOffsetAlignment", align);
    return NULL;
}

static uint64_t resolve_size(const WGPUBindGroupEntry *e)
{
    if (e->size != WGPU_WHOLE_SIZE)
        return e->size;
    return e->offset < e->buffer->size ? e->buffer->size - e->offset : 0;
}

/* What is wrong with the piece of a buffer that is right. */
static const char *piece_fault(Fault *f, const WGPUBindGroupEntry *e, const LayoutEntry *entry,
                               const WGPULimits *l)
{
    uint64_t    size = resolve_size(e);
    const char *why = range_fault(f, e, size);
    if (why)
        return why;
    if (size < entry->min_size)
        return fault(f, "the size %llu is below the layout's minBindingSize, %llu",
                     (unsigned long long)size, (unsigned long long)entry->min_size);
    return type_fault(f, e, entry, size, l);
}

static const char *entry_fault(Fault *f, const WGPUBindGroupEntry *e, const LayoutEntry *entry,
                               WGPUDevice device)
{
    Fault inner;
    char  name[192];
    WGPUBufferUsage usage = entry->type == WGPUBufferBindingType_Uniform
                                ? WGPUBufferUsage_Uniform : WGPUBufferUsage_Storage;
    if (entry_kind_fault(f, e))
        return f->text;
    if (buffer_use_fault(&inner, e->buffer, "the buffer", device, usage))
        return fault(f, "binding %u: %s", e->binding, inner.text);
    const char *why = piece_fault(&inner, e, entry, &device->limits.limits);
    if (!why)
        return NULL;
    object_name(&e->buffer->base, name, sizeof name);
    return fault(f, "binding %u, %s: %s", e->binding, name, why);
}

/* ---- all of them ---- */

static const char *unknown_fault(Fault *f, WGPUBindGroupLayout layout, uint32_t binding)
{
    return fault(f, "binding %u is not in the layout%s", binding,
                 layout->exclusive ? ", which has only those that the pipeline's entry point uses"
                                   : "");
}

/* There are too few or too many: which? */
static const char *count_fault(Fault *f, const WGPUBindGroupDescriptor *d)
{
    WGPUBindGroupLayout layout = d->layout;
    for (size_t i = 0; d->entries && i < d->entryCount; i++)
        if (!layout_find(layout, d->entries[i].binding))
            return unknown_fault(f, layout, d->entries[i].binding);
    for (uint32_t i = 0; i < layout->nentries; i++) {
        size_t k = 0;
        while (d->entries && k < d->entryCount &&
               d->entries[k].binding != layout->entries[i].binding)
            k++;
        if (k == d->entryCount)
            return fault(f, "%zu entries are given, and the layout has %u: binding %u is missing",
                         d->entryCount, layout->nentries, layout->entries[i].binding);
    }
    return fault(f, "%zu entries are given, and the layout has %u", d->entryCount,
                 layout->nentries);
}

static const char *descriptor_fault(Fault *f, const WGPUBindGroupDescriptor *d,
                                    WGPUDevice device)
{
    if (chain_none_fault(f, "WGPUBindGroupDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label)
        || object_fault(f, d->layout ? &d->layout->base : NULL, "the layout", device))
        return f->text;
    if (d->entryCount != d->layout->nentries)
        return count_fault(f, d);
    if (d->entryCount && !d->entries)
        return fault(f, "entries is NULL with a count of %zu", d->entryCount);
    return NULL;
}

/* Fills `group` and says what is wrong. */
static const char *fill_entries(Fault *f, WGPUBindGroup group, const WGPUBindGroupDescriptor *d)
{
    WGPUBindGroupLayout layout = d->layout;
    for (size_t i = 0; i < d->entryCount; i++) {
        const WGPUBindGroupEntry *e = &d->entries[i];
        const LayoutEntry *entry = layout_find(layout, e->binding);
        if (!entry)
            return unknown_fault(f, layout, e->binding);
        BoundBuffer *bound = &group->entries[entry - layout->entries];
        if (bound->buffer)
            return fault(f, "binding %u is there twice", e->binding);
        if (entry_fault(f, e, entry, group->base.device))
            return f->text;
        object_ref(&e->buffer->base);
        *bound = (BoundBuffer){.buffer = e->buffer, .offset = e->offset,
                               .size = resolve_size(e), .whole = e->size == WGPU_WHOLE_SIZE};
    }
    return NULL;
}

WGPUBindGroup wgpuDeviceCreateBindGroup(WGPUDevice device,
                                        const WGPUBindGroupDescriptor *descriptor)
{
    static const WGPUBindGroupDescriptor nothing = {0};
    if (!device)
        return NULL;
    Fault       f;
    const WGPUBindGroupDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? descriptor_fault(&f, d, device) : "the descriptor is NULL";
    uint32_t    n = why ? 0 : d->layout->nentries;
    WGPUBindGroup group = object_new(&bind_group_class,
                                     sizeof *group + n * sizeof *group->entries, device,
                                     d->label);
    if (!group)
        return NULL;
    group->nentries = n;
    if (!why) {
        group->layout = d->layout;
        object_ref(&d->layout->base);
        why = fill_entries(&f, group, d);
    }
    group->base.valid = !why && !device_is_lost(device);
    if (why)
        object_report(&group->base, WGPUErrorType_Validation, why);
    return group;
}

OBJECT_FUNCTIONS(BindGroup, bindGroup)
