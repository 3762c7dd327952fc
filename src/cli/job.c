// SPDX-License-Identifier: Apache-2.0
/*
 * job.c - one kernel with its buffers, on a device.
 *
 * in     an open device, WGSL, bytes for each binding
 * out    the bytes after a dispatch; how long things took
 * knows  webgpu.h
 * not    where the bytes come from and where they go
 */
#include "cli/job.h"

#include <string.h>

#include "cli/cli.h"

#define WRITE_PART ((size_t)256 << 20)  /* bytes: what is written is copied by the queue */

static WGPUStringView view(const char *text)
{
    return (WGPUStringView){text, WGPU_STRLEN};
}

/* ---- compiling ---- */

static WGPUShaderModule make_module(Device *d, const JobDesc *desc)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = (WGPUStringView){desc->source, desc->source_size};
    WGPUShaderModuleDescriptor wish = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    wish.nextInChain = &wgsl.chain;
    return d->lib.procs.DeviceCreateShaderModule(d->device, &wish);
}

static WGPUComputePipeline make_pipeline(Device *d, const JobDesc *desc,
                                         WGPUShaderModule module)
{
    WGPUConstantEntry *constants = ARENA_ARRAY(d->arena, WGPUConstantEntry,
                                               desc->constant_count);
    for (uint32_t i = 0; i < desc->constant_count; i++)
        constants[i] = (WGPUConstantEntry){.key = view(desc->constants[i].key),
                                           .value = desc->constants[i].value};
    WGPUComputePipelineDescriptor wish = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    wish.label = view(desc->entry);
    wish.compute.module = module;
    wish.compute.entryPoint = view(desc->entry);
    wish.compute.constantCount = desc->constant_count;
    wish.compute.constants = constants;
    return d->lib.procs.DeviceCreateComputePipeline(d->device, &wish);
}

const char *job_compile(Job *job, Device *device, const JobDesc *desc)
{
    *job = (Job){.device = device, .desc = *desc};
    if (desc->immediate_size && !device->lib.procs.ComputePassEncoderSetImmediates)
        return "this library has no var<immediate>";
    device_watch(device);
    double start = cli_now_ms();
    job->module = make_module(device, desc);
    job->pipeline = make_pipeline(device, desc, job->module);
    const char *why = device_caught(device);        /* waits for the compiler */
    job->compile_ms = cli_now_ms() - start;
    return why;
}

const char *job_compile_again(Job *job, double *ms)
{
    Device *d = job->device;
    device_watch(d);
    double start = cli_now_ms();
    WGPUShaderModule    module = make_module(d, &job->desc);
    WGPUComputePipeline pipeline = make_pipeline(d, &job->desc, module);
    const char *why = device_caught(d);
    *ms = cli_now_ms() - start;
    d->lib.procs.ComputePipelineRelease(pipeline);
    d->lib.procs.ShaderModuleRelease(module);
    return why;
}

/* ---- buffers ---- */

static WGPUBuffer make_buffer(Device *d, uint64_t size, WGPUBufferUsage usage)
{
    WGPUBufferDescriptor wish = WGPU_BUFFER_DESCRIPTOR_INIT;
    wish.size = size;
    wish.usage = usage;
    return d->lib.procs.DeviceCreateBuffer(d->device, &wish);
}

static void make_buffers(Job *job)
{
    for (uint32_t i = 0; i < job->desc.binding_count; i++) {
        JobBinding *b = &job->desc.bindings[i];
        b->buffer = make_buffer(job->device, b->size, WGPUBufferUsage_CopyDst
                                | (b->uniform ? WGPUBufferUsage_Uniform
                                   : WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc));
    }
}

/* The bind group of bindings [first, last), which have the same group number. */
static void bind_group(Job *job, uint32_t first, uint32_t last)
{
    Device             *d = job->device;
    uint32_t            number = job->desc.bindings[first].group;
    WGPUBindGroupEntry *entries = ARENA_ARRAY(d->arena, WGPUBindGroupEntry, last - first);
    for (uint32_t i = first; i < last; i++) {
        entries[i - first] = WGPU_BIND_GROUP_ENTRY_INIT;
        entries[i - first].binding = job->desc.bindings[i].binding;
        entries[i - first].buffer = job->desc.bindings[i].buffer;
    }
    WGPUBindGroupDescriptor wish = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    wish.layout = d->lib.procs.ComputePipelineGetBindGroupLayout(job->pipeline, number);
    wish.entryCount = last - first;
    wish.entries = entries;
    job->bind_groups[number] = d->lib.procs.DeviceCreateBindGroup(d->device, &wish);
    d->lib.procs.BindGroupLayoutRelease(wish.layout);
}

const char *job_bind(Job *job)
{
    const JobDesc *desc = &job->desc;
    device_watch(job->device);
    make_buffers(job);
    for (uint32_t first = 0, last; first < desc->binding_count; first = last) {
        last = first + 1;
        while (last < desc->binding_count
               && desc->bindings[last].group == desc->bindings[first].group)
            last++;
        bind_group(job, first, last);
    }
    return device_caught(job->device);
}

void job_write(Job *job, uint32_t index, const uint8_t *bytes)
{
    Device     *d = job->device;
    JobBinding *b = &job->desc.bindings[index];
    for (uint64_t at = 0; at < b->size; at += WRITE_PART)
        d->lib.procs.QueueWriteBuffer(d->queue, b->buffer, at, bytes + at,
                                  MIN_OF(WRITE_PART, b->size - at));
}

/* ---- running ---- */

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *user1,
                    void *user2)
{
    (void)status;
    (void)message;
    (void)user2;
    *(bool *)user1 = true;
}

static void wait_for_queue(Device *d)
{
    bool done = false;
    WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(&d->lib);
    info.callback = on_done;
    info.userdata1 = &done;
    library_wait(&d->lib, d->lib.procs.QueueOnSubmittedWorkDone(d->queue, info), &done);
}

const char *job_settle(Job *job)
{
    wait_for_queue(job->device);
    return device_lost(job->device);
}

static void submit(Device *d, WGPUCommandEncoder encoder)
{
    WGPUCommandBuffer commands = d->lib.procs.CommandEncoderFinish(encoder, NULL);
    d->lib.procs.QueueSubmit(d->queue, 1, &commands);
    d->lib.procs.CommandBufferRelease(commands);
    d->lib.procs.CommandEncoderRelease(encoder);
}

static WGPUCommandEncoder encode_dispatch(Job *job)
{
    const Procs   *p = &job->device->lib.procs;
    const JobDesc *desc = &job->desc;
    WGPUCommandEncoder     encoder = p->DeviceCreateCommandEncoder(job->device->device, NULL);
    WGPUComputePassEncoder pass = p->CommandEncoderBeginComputePass(encoder, NULL);
    p->ComputePassEncoderSetPipeline(pass, job->pipeline);
    for (uint32_t i = 0; i < JOB_MAX_GROUPS; i++)
        if (job->bind_groups[i])
            p->ComputePassEncoderSetBindGroup(pass, i, job->bind_groups[i], 0, NULL);
    if (desc->immediate_size)
        p->ComputePassEncoderSetImmediates(pass, 0, desc->immediates, desc->immediate_size);
    p->ComputePassEncoderDispatchWorkgroups(pass, desc->groups[0], desc->groups[1],
                                            desc->groups[2]);
    p->ComputePassEncoderEnd(pass);
    p->ComputePassEncoderRelease(pass);
    return encoder;
}

const char *job_run(Job *job, double *ms)
{
    device_watch(job->device);
    WGPUCommandEncoder encoder = encode_dispatch(job);
    double start = cli_now_ms();
    submit(job->device, encoder);
    wait_for_queue(job->device);
    *ms = cli_now_ms() - start;
    const char *why = device_caught(job->device);
    if (!why && job->desc.deadline_ms > 0 && *ms >= job->desc.deadline_ms)
        why = device_lost_soon(job->device);
    return why;
}

/* ---- reading ---- */

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *user1, void *user2)
{
    (void)message;
    *(WGPUMapAsyncStatus *)user1 = status;
    *(bool *)user2 = true;
}

/* Copies a mapped buffer out; false: it could not be mapped. */
static bool copy_out(Device *d, WGPUBuffer from, uint8_t *bytes, uint64_t size)
{
    bool               done = false;
    WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Error;
    WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(&d->lib);
    info.callback = on_map;
    info.userdata1 = &status;
    info.userdata2 = &done;
    WGPUFuture future = d->lib.procs.BufferMapAsync(from, WGPUMapMode_Read, 0, size, info);
    library_wait(&d->lib, future, &done);
    const void *mapped = status == WGPUMapAsyncStatus_Success
                       ? d->lib.procs.BufferGetConstMappedRange(from, 0, size) : NULL;
    if (!mapped)
        return false;
    memcpy(bytes, mapped, size);
    d->lib.procs.BufferUnmap(from);
    return true;
}

const char *job_read(Job *job, uint32_t index, uint8_t *bytes)
{
    Device     *d = job->device;
    JobBinding *b = &job->desc.bindings[index];
    device_watch(d);
    WGPUBuffer staging = make_buffer(d, b->size,
                                     WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    WGPUCommandEncoder encoder = d->lib.procs.DeviceCreateCommandEncoder(d->device, NULL);
    d->lib.procs.CommandEncoderCopyBufferToBuffer(encoder, b->buffer, 0, staging, 0, b->size);
    submit(d, encoder);
    bool ok = copy_out(d, staging, bytes, b->size);
    d->lib.procs.BufferRelease(staging);
    const char *why = device_caught(d);
    if (!why && !ok)
        why = device_lost_soon(d);
    return why || ok ? why : "the buffer cannot be read";
}

void job_close(Job *job)
{
    if (!job->device)
        return;
    const Procs *p = &job->device->lib.procs;
    for (uint32_t i = 0; i < JOB_MAX_GROUPS; i++)
        if (job->bind_groups[i])
            p->BindGroupRelease(job->bind_groups[i]);
    for (uint32_t i = 0; i < job->desc.binding_count; i++)
        if (job->desc.bindings[i].buffer)
            p->BufferRelease(job->desc.bindings[i].buffer);
    if (job->pipeline)
        p->ComputePipelineRelease(job->pipeline);
    if (job->module)
        p->ShaderModuleRelease(job->module);
    *job = (Job){0};
}
