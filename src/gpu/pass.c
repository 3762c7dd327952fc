// SPDX-License-Identifier: Apache-2.0
/*
 * pass.c - compute passes: kernels, what is bound to them, dispatches.
 *
 * in     calls, one after the other, while the pass locks its encoder
 * out    dispatches in the encoder's batch, their bindings resolved to pieces of
 *        buffers of the backend
 * knows  WebGPU chapter 14 (bind groups, immediate data), 16 (compute passes),
 *        3.4.4 (usages that may be combined in one dispatch)
 * not    copies and queries (encoder.c)
 *
 * What is bound is checked and resolved when a dispatch finds it changed. As long
 * as it is not, dispatches share one launch, and those of the same counts one command.
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define INDIRECT_SIZE 12u                   /* three uint32_t */

static void pass_free(Object *o)
{
    WGPUComputePassEncoder pass = (WGPUComputePassEncoder)o;
    free(pass->recorder.error);
    object_unref(&pass->encoder->base);
}

static const ObjectClass compute_pass_class = {"compute pass", pass_free};

OBJECT_FUNCTIONS(ComputePassEncoder, computePassEncoder)

/* ---- beginning and ending ---- */

static const char *descriptor_fault(Fault *f, const WGPUComputePassDescriptor *d,
                                    WGPUDevice device)
{
    if (chain_none_fault(f, "WGPUComputePassDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label))
        return f->text;
    return d->timestampWrites ? timestamp_writes_fault(f, d->timestampWrites, device) : NULL;
}

static void begin_timestamps(WGPUComputePassEncoder pass, const WGPUPassTimestampWrites *w)
{
    if (w->beginningOfPassWriteIndex != WGPU_QUERY_SET_INDEX_UNDEFINED)
        encoder_timestamp(pass->encoder, w->querySet, w->beginningOfPassWriteIndex);
    if (w->endOfPassWriteIndex == WGPU_QUERY_SET_INDEX_UNDEFINED)
        return;
    if (!batch_use(pass->encoder->batch, &w->querySet->base)) {
        recorder_fail(&pass->recorder, "BeginComputePass", "out of memory");
        return;
    }
    pass->end_queries = w->querySet;
    pass->end_index = w->endOfPassWriteIndex;
}

WGPUComputePassEncoder wgpuCommandEncoderBeginComputePass(
    WGPUCommandEncoder commandEncoder, const WGPUComputePassDescriptor *descriptor)
{
    static const WGPUComputePassDescriptor defaults = {0};
    static const char command[] = "BeginComputePass";
    if (!commandEncoder)
        return NULL;
    WGPUDevice device = commandEncoder->base.device;
    const WGPUComputePassDescriptor *d = descriptor ? descriptor : &defaults;
    WGPUComputePassEncoder pass = object_new(&compute_pass_class, sizeof *pass, device,
                                             d->label);
    if (!pass) {
        recorder_fail(&commandEncoder->recorder, command, "out of memory");
        return NULL;
    }
    Fault f;
    pass->encoder = commandEncoder;
    object_ref(&commandEncoder->base);
    pass->number = encoder_lock(commandEncoder, command, &pass->recorder);
    const char *why = descriptor_fault(&f, d, device);
    if (why)
        recorder_fail(&pass->recorder, command, why);
    else if (d->timestampWrites && pass->number && !pass->recorder.error
             && commandEncoder->batch && !commandEncoder->recorder.error)
        begin_timestamps(pass, d->timestampWrites);
    return pass;
}

void wgpuComputePassEncoderEnd(WGPUComputePassEncoder computePassEncoder)
{
    if (!computePassEncoder)
        return;
    WGPUComputePassEncoder pass = computePassEncoder;
    WGPUCommandEncoder     encoder = pass->encoder;
    if (!encoder_unlock(encoder, pass->number, &pass->base, &pass->recorder))
        return;
    if (pass->end_queries && !encoder->recorder.error)
        encoder_timestamp(encoder, pass->end_queries, pass->end_index);
}

/* True if the command may be recorded, into the encoder's batch. */
static bool begin(WGPUComputePassEncoder pass, const char *command)
{
    if (!pass || !recorder_begin(&pass->recorder, &pass->base, command))
        return false;
    /* The encoder was finished under the pass, which is its fault alone; or it is
     * wrong already. */
    return pass->encoder->recorder.state == ENCODER_LOCKED && pass->encoder->batch
           && !pass->encoder->recorder.error;
}

static void fail(WGPUComputePassEncoder pass, const char *command, const char *sentence)
{
    recorder_fail(&pass->recorder, command, sentence);
}

/* ---- setting ---- */

static void forget_bindings(WGPUComputePassEncoder pass)
{
    pass->bindings = NULL;
    pass->launch = NULL;
}

static void forget_immediates(WGPUComputePassEncoder pass)
{
    pass->immediates_good = false;
    pass->launch = NULL;
}

void wgpuComputePassEncoderSetPipeline(WGPUComputePassEncoder computePassEncoder,
                                       WGPUComputePipeline pipeline)
{
    static const char command[] = "SetPipeline";
    WGPUComputePassEncoder pass = computePassEncoder;
    Fault f;
    if (!begin(pass, command) || (pipeline && pipeline == pass->pipeline))
        return;
    if (pipeline_fault(&f, pipeline, pass->base.device)) {
        fail(pass, command, f.text);
        return;
    }
    if (!batch_use(pass->encoder->batch, &pipeline->base)) {
        fail(pass, command, "out of memory");
        return;
    }
    pipeline_want(pipeline);
    pass->pipeline = pipeline;
    forget_bindings(pass);
    forget_immediates(pass);
}

static const char *dynamic_fault(Fault *f, const LayoutEntry *e, const BoundBuffer *b,
                                 uint32_t offset, const WGPULimits *l)
{
    bool     uniform = e->type == WGPUBufferBindingType_Uniform;
    uint32_t align = uniform ? l->minUniformBufferOffsetAlignment
                             : l->minStorageBufferOffsetAlignment;
    if (offset % align)
        return fault(f, "binding %u: the dynamic offset %u must be a multiple of %s, %u",
                     e->binding, offset,
                     uniform ? "minUniformBufferOffsetAlignment"
                             : "minStorageBufferOffsetAlignment", align);
    uint64_t need = b->whole ? e->min_size : b->size;
    char     role[ROLE_SIZE];
    if (beyond(b->offset + offset, need, b->buffer->size))
        return fault(f, "binding %u: the dynamic offset %u moves %llu bytes at %llu beyond the "
                        "end of %s, %llu", e->binding, offset, (unsigned long long)need,
                     (unsigned long long)b->offset,
                     object_role(&b->buffer->base, "the buffer", role),
                     (unsigned long long)b->buffer->size);
    return NULL;
}

static const char *bind_group_fault(Fault *f, WGPUDevice device, uint32_t index,
                                    WGPUBindGroup group, size_t count, const uint32_t *offsets)
{
    const WGPULimits *l = &device->limits.limits;
    if (index >= l->maxBindGroups)
        return fault(f, "the group index %u must be below maxBindGroups, %u", index,
                     l->maxBindGroups);
    if (group && object_fault(f, &group->base, "the bind group", device))
        return f->text;
    uint32_t want = group ? group->layout->dynamic_count : 0;
    char     role[ROLE_SIZE];
    if (count && !group)
        return fault(f, "%zu dynamic offsets are given, and no bind group", count);
    if (count != want)
        return fault(f, "%zu dynamic offsets are given, and %s has %u", count,
                     object_role(&group->base, "the bind group", role), want);
    if (count && !offsets)
        return fault(f, "dynamicOffsets is NULL with a count of %zu", count);
    for (uint32_t i = 0; want && i < group->nentries; i++) {
        const LayoutEntry *e = &group->layout->entries[i];
        if (e->dynamic
            && dynamic_fault(f, e, &group->entries[i], offsets[e->dynamic_index], l))
            return f->text;
    }
    return NULL;
}

void wgpuComputePassEncoderSetBindGroup(WGPUComputePassEncoder computePassEncoder,
                                        uint32_t groupIndex, WGPUBindGroup group,
                                        size_t dynamicOffsetCount,
                                        const uint32_t *dynamicOffsets)
{
    static const char command[] = "SetBindGroup";
    WGPUComputePassEncoder pass = computePassEncoder;
    Fault f;
    if (!begin(pass, command))
        return;
    const char *why = bind_group_fault(&f, pass->base.device, groupIndex, group,
                                       dynamicOffsetCount, dynamicOffsets);
    if (why) {
        fail(pass, command, why);
        return;
    }
    if (group == pass->groups[groupIndex] && !dynamicOffsetCount)
        return;
    Batch    *batch = pass->encoder->batch;
    uint32_t *offsets = NULL;
    if (dynamicOffsetCount) {
        offsets = batch_alloc(batch, dynamicOffsetCount * sizeof *offsets);
        if (offsets)
            memcpy(offsets, dynamicOffsets, dynamicOffsetCount * sizeof *offsets);
    }
    if ((dynamicOffsetCount && !offsets) || (group && !batch_use(batch, &group->base))) {
        fail(pass, command, "out of memory");
        return;
    }
    pass->groups[groupIndex] = group;
    pass->offsets[groupIndex] = offsets;
    forget_bindings(pass);
}

void wgpuComputePassEncoderSetImmediates(WGPUComputePassEncoder computePassEncoder,
                                         uint32_t offset, const void *data, size_t size)
{
    static const char command[] = "SetImmediates";
    WGPUComputePassEncoder pass = computePassEncoder;
    Fault f;
    if (!begin(pass, command))
        return;
    uint32_t    most = pass->base.device->limits.limits.maxImmediateSize;
    const char *why = NULL;
    if (size && !data)
        why = fault(&f, "the data is NULL with a size of %zu", size);
    else if (offset % 4)
        why = fault(&f, "the offset %u must be a multiple of 4", offset);
    else if (size % 4)
        why = fault(&f, "the size %zu must be a multiple of 4", size);
    else if (beyond(offset, size, most))
        why = fault(&f, "the offset %u and the size %zu go beyond maxImmediateSize, %u", offset,
                    size, most);
    if (why) {
        fail(pass, command, why);
        return;
    }
    if (size)
        memcpy(pass->immediates + offset, data, size);
    for (uint32_t slot = offset / 4; slot < (offset + size) / 4; slot++)
        pass->immediates_set |= UINT64_C(1) << slot;
    forget_immediates(pass);
}

/* ---- what may be used together in one dispatch ---- */

/* One buffer of a bind group. */
typedef struct Use {
    WGPUBuffer buffer;
    uint64_t   start, end;
    bool       writes, visible;
} Use;

static uint64_t bound_offset(WGPUComputePassEncoder pass, uint32_t group, uint32_t slot)
{
    WGPUBindGroup      g = pass->groups[group];
    const LayoutEntry *e = &g->layout->entries[slot];
    return g->entries[slot].offset + (e->dynamic ? pass->offsets[group][e->dynamic_index] : 0);
}

static uint64_t bound_size(const BoundBuffer *b, uint64_t offset)
{
    return b->whole ? b->buffer->size - offset : b->size;
}

static int compare_uses(const void *left, const void *right)
{
    const Use *x = left, *y = right;
    if (x->buffer != y->buffer)
        return (uintptr_t)x->buffer < (uintptr_t)y->buffer ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Those of one buffer, sorted by where they start. */
static const char *buffer_uses_fault(Fault *f, const Use *uses, uint32_t count)
{
    char     name[192];
    uint32_t writes = 0;
    for (uint32_t i = 0; i < count; i++)
        writes += uses[i].writes;
    if (writes == 0 || count == 1)
        return NULL;
    if (writes < count) {
        object_name(&uses[0].buffer->base, name, sizeof name);
        return fault(f, "%s is bound as writable storage and in another way, too", name);
    }
    uint64_t end = 0;
    bool     any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!uses[i].visible)
            continue;
        if (any && uses[i].start < end) {
            object_name(&uses[0].buffer->base, name, sizeof name);
            return fault(f, "%s is bound as writable storage twice, and the bindings overlap",
                         name);
        }
        end = MAX_OF(end, uses[i].end);
        any = true;
    }
    return NULL;
}

static uint32_t count_uses(WGPUComputePassEncoder pass)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < pass->pipeline->ngroups; g++)
        if (pass->pipeline->layout->groups[g])
            count += pass->groups[g]->nentries;
    return count;
}

static void collect_uses(WGPUComputePassEncoder pass, Use *uses)
{
    for (uint32_t g = 0; g < pass->pipeline->ngroups; g++) {
        WGPUBindGroup group = pass->groups[g];
        if (!pass->pipeline->layout->groups[g])
            continue;
        for (uint32_t i = 0; i < group->nentries; i++) {
            const LayoutEntry *e = &group->layout->entries[i];
            uint64_t start = bound_offset(pass, g, i);
            *uses++ = (Use){
                .buffer = group->entries[i].buffer,
                .start = start,
                .end = start + bound_size(&group->entries[i], start),
                .writes = e->type == WGPUBufferBindingType_Storage,
                .visible = e->visibility & WGPUShaderStage_Compute,
            };
        }
    }
}

/* The groups that the pipeline uses are there and fit. */
static const char *uses_fault(Fault *f, WGPUComputePassEncoder pass)
{
    Use         room[32], *uses = room;
    uint32_t    count = count_uses(pass);
    const char *why = NULL;
    if (count > COUNTOF(room) && !(uses = calloc(count, sizeof *uses)))
        return "out of memory";
    collect_uses(pass, uses);
    if (count > 1)
        qsort(uses, count, sizeof *uses, compare_uses);
    for (uint32_t i = 0, n; i < count && !why; i += n) {
        for (n = 1; i + n < count && uses[i + n].buffer == uses[i].buffer;)
            n++;
        why = buffer_uses_fault(f, uses + i, n);
    }
    if (uses != room)
        free(uses);
    return why;
}

/* ---- what is bound ---- */

static const char *group_fault(Fault *f, WGPUComputePassEncoder pass, uint32_t index)
{
    WGPUBindGroupLayout want = pass->pipeline->layout->groups[index];
    WGPUBindGroup       group = pass->groups[index];
    char                name[192];
    if (!want)
        return NULL;
    if (!group)
        return fault(f, "%s uses group %u, and no bind group is set there",
                     object_role(&pass->pipeline->base, "the pipeline", name), index);
    if (layout_equal(want, group->layout))
        return NULL;
    object_name(&group->base, name, sizeof name);
    if (want->exclusive != group->layout->exclusive)
        return fault(f, "group %u: %s was not made with the layout of this pipeline, which is "
                        "automatic and its own, or was made for another such pipeline", index,
                     name);
    return fault(f, "group %u: the layout of %s is not that of the pipeline", index, name);
}

static const char *size_fault(Fault *f, const PipelineBinding *b, uint64_t size)
{
    if (size >= b->min_size)
        return NULL;
    return fault(f, "@group(%u) @binding(%u): %llu bytes are bound, and the shader needs %llu",
                 b->group, b->binding, (unsigned long long)size,
                 (unsigned long long)b->min_size);
}

/* Makes the list of bindings for the backend. */
static const char *resolve_bindings(Fault *f, WGPUComputePassEncoder pass)
{
    const struct WGPUComputePipelineImpl *p = pass->pipeline;
    GpuBinding *list = batch_alloc(pass->encoder->batch, p->nbindings * sizeof *list);
    if (!list)
        return "out of memory";
    for (uint32_t i = 0; i < p->nbindings; i++) {
        const PipelineBinding *b = &p->bindings[i];
        const BoundBuffer     *bound = &pass->groups[b->group]->entries[b->slot];
        uint64_t offset = bound_offset(pass, b->group, b->slot);
        uint64_t size = bound_size(bound, offset);
        if (size_fault(f, b, size))
            return f->text;
        list[i] = (GpuBinding){.group = b->group, .binding = b->binding,
                               .buffer = bound->buffer->gpu, .offset = offset, .size = size};
    }
    pass->bindings = list;
    return NULL;
}

static const char *bindings_fault(Fault *f, WGPUComputePassEncoder pass)
{
    if (pass->bindings)
        return NULL;
    for (uint32_t g = 0; g < pass->pipeline->ngroups; g++)
        if (group_fault(f, pass, g))
            return f->text;
    const char *why = uses_fault(f, pass);
    return why ? why : resolve_bindings(f, pass);
}

static const char *immediates_fault(Fault *f, WGPUComputePassEncoder pass)
{
    const KernelSlot *kernel = pass->pipeline->kernel;
    uint32_t          size = pass->pipeline->layout->immediate_size;
    uint64_t          missing = kernel->immediate_slots & ~pass->immediates_set;
    if (pass->immediates_good)
        return NULL;
    if (missing) {
        uint32_t slot = 0;
        while (!(missing >> slot & 1))
            slot++;
        return fault(f, "the shader reads immediate data at byte %u, which is not set",
                     slot * 4);
    }
    pass->immediates_copy = NULL;
    if (size) {
        void *copy = batch_alloc(pass->encoder->batch, size);
        if (!copy)
            return "out of memory";
        pass->immediates_copy = memcpy(copy, pass->immediates, size);
    }
    pass->immediates_good = true;
    return NULL;
}

static const char *make_launch(WGPUComputePassEncoder pass)
{
    const struct WGPUComputePipelineImpl *p = pass->pipeline;
    Batch     *batch = pass->encoder->batch;
    GpuLaunch *launch = batch_alloc(batch, sizeof *launch);
    if (!launch)
        return "out of memory";
    *launch = (GpuLaunch){.bindings = pass->bindings, .nbindings = p->nbindings,
                          .immediates = pass->immediates_copy,
                          .most_groups = p->kernel->max_total, .tag = p};
    /* What is not compiled yet is filled in when the queue comes to it. */
    if (kernel_state(p->kernel) == KERNEL_READY)
        launch->kernel = p->kernel->gpu;
    else
        batch->unready++;
    pass->launch = launch;
    return NULL;
}

/* Everything that does not depend on the counts. */
static const char *state_fault(Fault *f, WGPUComputePassEncoder pass)
{
    const char *why;
    if (pass->launch)
        return NULL;
    if (!pass->pipeline)
        return "no pipeline is set";
    if ((why = bindings_fault(f, pass)) || (why = immediates_fault(f, pass)))
        return why;
    return make_launch(pass);
}

/* ---- dispatching ---- */

static GpuCommand *add_dispatch(WGPUComputePassEncoder pass, const char *command,
                                GpuCommandKind kind)
{
    GpuCommand *c = batch_command(pass->encoder->batch, kind);
    if (c)
        c->dispatch.launch = pass->launch;
    else
        fail(pass, command, "out of memory");
    return c;
}

static const char *counts_fault(Fault *f, WGPUComputePassEncoder pass, const uint32_t n[3])
{
    uint32_t most = pass->base.device->limits.limits.maxComputeWorkgroupsPerDimension;
    uint64_t total = pass->pipeline->kernel->max_total;
    for (int i = 0; i < 3; i++)
        if (n[i] > most)
            return fault(f, "the workgroup counts %u, %u, %u must each be at most "
                            "maxComputeWorkgroupsPerDimension, %u", n[0], n[1], n[2], most);
    bool none = !n[0] || !n[1] || !n[2];
    if (total && !none && n[2] > total / n[0] / n[1])
        return fault(f, "%u * %u * %u workgroups are more than can be numbered in 32 bits, and "
                        "the shader uses workgroup_index or global_invocation_index", n[0],
                     n[1], n[2]);
    return NULL;
}

static bool same_counts(const uint32_t x[3], const uint32_t y[3])
{
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

/* A dispatch like the one before it only adds to a number there. */
static bool is_repeated(WGPUComputePassEncoder pass, const uint32_t counts[3])
{
    Batch      *b = pass->encoder->batch;
    GpuCommand *last = b->ncommands ? &b->commands[b->ncommands - 1] : NULL;
    if (!last || last->kind != GPU_DISPATCH || last->dispatch.launch != pass->launch
        || !same_counts(last->dispatch.groups, counts) || last->dispatch.again == UINT32_MAX
        || pass->base.device->has_deadline)
        return false;
    last->dispatch.again++;
    return true;
}

void wgpuComputePassEncoderDispatchWorkgroups(WGPUComputePassEncoder computePassEncoder,
                                              uint32_t workgroupCountX, uint32_t workgroupCountY,
                                              uint32_t workgroupCountZ)
{
    static const char command[] = "DispatchWorkgroups";
    WGPUComputePassEncoder pass = computePassEncoder;
    const uint32_t counts[3] = {workgroupCountX, workgroupCountY, workgroupCountZ};
    Fault f;
    if (!begin(pass, command) || is_repeated(pass, counts))
        return;
    const char *why = state_fault(&f, pass);
    if (!why)
        why = counts_fault(&f, pass, counts);
    if (why) {
        fail(pass, command, why);
        return;
    }
    if (!workgroupCountX || !workgroupCountY || !workgroupCountZ)
        return;
    GpuCommand *c = add_dispatch(pass, command, GPU_DISPATCH);
    if (c)
        memcpy(c->dispatch.groups, counts, sizeof counts);
}

static bool is_written(WGPUComputePassEncoder pass, WGPUBuffer buffer)
{
    for (uint32_t g = 0; g < pass->pipeline->ngroups; g++) {
        WGPUBindGroup group = pass->groups[g];
        if (!pass->pipeline->layout->groups[g])
            continue;
        for (uint32_t i = 0; i < group->nentries; i++)
            if (group->entries[i].buffer == buffer
                && group->layout->entries[i].type == WGPUBufferBindingType_Storage)
                return true;
    }
    return false;
}

static const char *indirect_fault(Fault *f, WGPUComputePassEncoder pass, WGPUBuffer buffer,
                                  uint64_t offset)
{
    char role[ROLE_SIZE];
    if (buffer_use_fault(f, buffer, "the indirect buffer", pass->base.device,
                         WGPUBufferUsage_Indirect))
        return f->text;
    if (offset % 4)
        return fault(f, "the indirect offset %llu must be a multiple of 4",
                     (unsigned long long)offset);
    if (beyond(offset, INDIRECT_SIZE, buffer->size))
        return fault(f, "%u bytes at the indirect offset %llu go beyond the end of %s, %llu",
                     INDIRECT_SIZE, (unsigned long long)offset,
                     object_role(&buffer->base, "the buffer", role),
                     (unsigned long long)buffer->size);
    if (is_written(pass, buffer))
        return fault(f, "%s is bound as writable storage, too",
                     object_role(&buffer->base, "the indirect buffer", role));
    return NULL;
}

void wgpuComputePassEncoderDispatchWorkgroupsIndirect(WGPUComputePassEncoder computePassEncoder,
                                                      WGPUBuffer indirectBuffer,
                                                      uint64_t indirectOffset)
{
    static const char command[] = "DispatchWorkgroupsIndirect";
    WGPUComputePassEncoder pass = computePassEncoder;
    Fault f;
    if (!begin(pass, command))
        return;
    const char *why = state_fault(&f, pass);
    if (!why)
        why = indirect_fault(&f, pass, indirectBuffer, indirectOffset);
    if (!why && !batch_use(pass->encoder->batch, &indirectBuffer->base))
        why = "out of memory";
    if (why) {
        fail(pass, command, why);
        return;
    }
    GpuCommand *c = add_dispatch(pass, command, GPU_DISPATCH_INDIRECT);
    if (!c)
        return;
    uint32_t most = pass->base.device->limits.limits.maxComputeWorkgroupsPerDimension;
    for (int i = 0; i < 3; i++)
        c->dispatch.groups[i] = most;
    c->dispatch.indirect = indirectBuffer->gpu;
    c->dispatch.indirect_offset = indirectOffset;
}

/* ---- debug groups ---- */

void wgpuComputePassEncoderPushDebugGroup(WGPUComputePassEncoder computePassEncoder,
                                          WGPUStringView groupLabel)
{
    if (computePassEncoder)
        recorder_push_group(&computePassEncoder->recorder, &computePassEncoder->base,
                            groupLabel);
}

void wgpuComputePassEncoderPopDebugGroup(WGPUComputePassEncoder computePassEncoder)
{
    if (computePassEncoder)
        recorder_pop_group(&computePassEncoder->recorder, &computePassEncoder->base);
}

void wgpuComputePassEncoderInsertDebugMarker(WGPUComputePassEncoder computePassEncoder,
                                             WGPUStringView markerLabel)
{
    if (computePassEncoder)
        recorder_marker(&computePassEncoder->recorder, &computePassEncoder->base, markerLabel);
}
