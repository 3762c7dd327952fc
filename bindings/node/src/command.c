// SPDX-License-Identifier: Apache-2.0
/*
 * command.c - encoders, compute passes, the queue.
 *
 * in     calls of lib/command.js and lib/queue.js
 * out    calls of sections 11 and 12 of webgpu.h
 * knows  bytes of ArrayBuffers, which are copied by the library at once
 * not    which ranges of them are meant: lib/ gives a view of just these
 */
#include "addon.h"

/* ---- encoders ---- */

/* createCommandEncoder(device, label) */
static napi_value create_command_encoder(Call *c)
{
    WGPUDevice device = arg_object(c, 0, KIND_DEVICE);
    WGPUCommandEncoderDescriptor desc = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_COMMAND_ENCODER,
                      wgpuDeviceCreateCommandEncoder(device, &desc), 0);
}

/* beginComputePass(encoder, label, querySet or null, begin, end) */
static napi_value begin_compute_pass(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    WGPUPassTimestampWrites times = WGPU_PASS_TIMESTAMP_WRITES_INIT;
    WGPUComputePassDescriptor desc = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    times.querySet = arg_object_or_null(c, 2, KIND_QUERY_SET);
    times.beginningOfPassWriteIndex = arg_u32_or(c, 3, WGPU_QUERY_SET_INDEX_UNDEFINED);
    times.endOfPassWriteIndex = arg_u32_or(c, 4, WGPU_QUERY_SET_INDEX_UNDEFINED);
    desc.timestampWrites = times.querySet ? &times : NULL;
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_COMPUTE_PASS,
                      wgpuCommandEncoderBeginComputePass(encoder, &desc), 0);
}

/* copyBuffer(encoder, source, sourceOffset, destination, destinationOffset, size) */
static napi_value copy_buffer(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    WGPUBuffer source = arg_object(c, 1, KIND_BUFFER);
    const uint64_t from = arg_u64(c, 2);
    WGPUBuffer destination = arg_object(c, 3, KIND_BUFFER);
    const uint64_t to = arg_u64(c, 4), size = arg_u64_or(c, 5, WGPU_WHOLE_SIZE);
    if (call_ok(c))
        wgpuCommandEncoderCopyBufferToBuffer(encoder, source, from, destination, to, size);
    return NULL;
}

/* clearBuffer(encoder, buffer, offset, size) */
static napi_value clear_buffer(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    WGPUBuffer buffer = arg_object(c, 1, KIND_BUFFER);
    const uint64_t offset = arg_u64(c, 2), size = arg_u64_or(c, 3, WGPU_WHOLE_SIZE);
    if (call_ok(c))
        wgpuCommandEncoderClearBuffer(encoder, buffer, offset, size);
    return NULL;
}

/* resolveQuerySet(encoder, querySet, first, count, destination, offset) */
static napi_value resolve_query_set(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    WGPUQuerySet set = arg_object(c, 1, KIND_QUERY_SET);
    const uint32_t first = arg_u32(c, 2), count = arg_u32(c, 3);
    WGPUBuffer destination = arg_object(c, 4, KIND_BUFFER);
    const uint64_t offset = arg_u64(c, 5);
    if (call_ok(c))
        wgpuCommandEncoderResolveQuerySet(encoder, set, first, count, destination, offset);
    return NULL;
}

/* finish(encoder, label) */
static napi_value finish(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    WGPUCommandBufferDescriptor desc = WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT;
    desc.label = arg_string(c, 1);
    if (!call_ok(c))
        return NULL;
    return handle_new(c->napi, KIND_COMMAND_BUFFER, wgpuCommandEncoderFinish(encoder, &desc), 0);
}

static napi_value encoder_push_group(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    const WGPUStringView label = arg_string(c, 1);
    if (call_ok(c))
        wgpuCommandEncoderPushDebugGroup(encoder, label);
    return NULL;
}

static napi_value encoder_pop_group(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    if (call_ok(c))
        wgpuCommandEncoderPopDebugGroup(encoder);
    return NULL;
}

static napi_value encoder_marker(Call *c)
{
    WGPUCommandEncoder encoder = arg_object(c, 0, KIND_COMMAND_ENCODER);
    const WGPUStringView label = arg_string(c, 1);
    if (call_ok(c))
        wgpuCommandEncoderInsertDebugMarker(encoder, label);
    return NULL;
}

/* ---- compute passes ---- */

/* setPipeline(pass, pipeline) */
static napi_value set_pipeline(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    WGPUComputePipeline pipeline = arg_object(c, 1, KIND_COMPUTE_PIPELINE);
    if (call_ok(c))
        wgpuComputePassEncoderSetPipeline(pass, pipeline);
    return NULL;
}

/* setBindGroup(pass, index, group or null, offsets or undefined) */
static napi_value set_bind_group(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    const uint32_t index = arg_u32(c, 1);
    WGPUBindGroup group = arg_object_or_null(c, 2, KIND_BIND_GROUP);
    const uint32_t n = c->argc > 3 && !value_is_undefined(c, c->argv[3]) ? arg_length(c, 3) : 0;
    uint32_t *offsets = n ? call_alloc(c, n, sizeof *offsets) : NULL;
    for (uint32_t i = 0; offsets && i < n; i++)
        offsets[i] = value_u32(c, arg_element(c, 3, i));
    if (call_ok(c))
        wgpuComputePassEncoderSetBindGroup(pass, index, group, n, offsets);
    return NULL;
}

/* setImmediates(pass, offset, bytes) */
static napi_value set_immediates(Call *c)
{
    size_t size;
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    const uint32_t offset = arg_u32(c, 1);
    const void *data = arg_bytes(c, 2, &size);
    if (call_ok(c))
        wgpuComputePassEncoderSetImmediates(pass, offset, size ? data : "", size);
    return NULL;
}

/* dispatch(pass, x, y, z) */
static napi_value dispatch(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    const uint32_t x = arg_u32(c, 1), y = arg_u32(c, 2), z = arg_u32(c, 3);
    if (call_ok(c))
        wgpuComputePassEncoderDispatchWorkgroups(pass, x, y, z);
    return NULL;
}

/* dispatchIndirect(pass, buffer, offset) */
static napi_value dispatch_indirect(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    WGPUBuffer buffer = arg_object(c, 1, KIND_BUFFER);
    const uint64_t offset = arg_u64(c, 2);
    if (call_ok(c))
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, buffer, offset);
    return NULL;
}

static napi_value end_pass(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    if (call_ok(c))
        wgpuComputePassEncoderEnd(pass);
    return NULL;
}

static napi_value pass_push_group(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    const WGPUStringView label = arg_string(c, 1);
    if (call_ok(c))
        wgpuComputePassEncoderPushDebugGroup(pass, label);
    return NULL;
}

static napi_value pass_pop_group(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    if (call_ok(c))
        wgpuComputePassEncoderPopDebugGroup(pass);
    return NULL;
}

static napi_value pass_marker(Call *c)
{
    WGPUComputePassEncoder pass = arg_object(c, 0, KIND_COMPUTE_PASS);
    const WGPUStringView label = arg_string(c, 1);
    if (call_ok(c))
        wgpuComputePassEncoderInsertDebugMarker(pass, label);
    return NULL;
}

/* ---- the queue ---- */

/* submit(queue, commandBuffers) */
static napi_value submit(Call *c)
{
    WGPUQueue queue = arg_object(c, 0, KIND_QUEUE);
    const uint32_t n = arg_length(c, 1);
    WGPUCommandBuffer *commands = call_alloc(c, n, sizeof *commands);
    for (uint32_t i = 0; commands && i < n; i++)
        commands[i] = value_object(c, arg_element(c, 1, i), KIND_COMMAND_BUFFER);
    if (call_ok(c))
        wgpuQueueSubmit(queue, n, commands);
    return NULL;
}

/* writeBuffer(queue, buffer, offset, bytes) */
static napi_value write_buffer(Call *c)
{
    size_t size;
    WGPUQueue queue = arg_object(c, 0, KIND_QUEUE);
    WGPUBuffer buffer = arg_object(c, 1, KIND_BUFFER);
    const uint64_t offset = arg_u64(c, 2);
    const void *data = arg_bytes(c, 3, &size);
    if (call_ok(c))
        wgpuQueueWriteBuffer(queue, buffer, offset, size ? data : "", size);
    return NULL;
}

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *userdata1,
                    void *userdata2)
{
    (void)userdata2;
    event_text(userdata1, message);
    event_post(userdata1, status, 0);
}

/* workDone(queue, calls, token): with `calls` by a thread of the library, else when events
 * are processed; the future */
static napi_value work_done(Call *c)
{
    WGPUQueue queue = arg_object(c, 0, KIND_QUEUE);
    const bool calls = arg_bool(c, 1);
    Event *e = call_ok(c) ? event_new(c, arg_u32(c, 2), EVENT_HOLDS) : NULL;
    if (!e)
        return NULL;
    WGPUQueueWorkDoneCallbackInfo info = {
        NULL, calls ? WGPUCallbackMode_AllowSpontaneous : WGPUCallbackMode_AllowProcessEvents,
        on_done, e, NULL };
    const WGPUFuture future = wgpuQueueOnSubmittedWorkDone(queue, info);
    event_refuse(e, future);
    return js_number(c->napi, (double)future.id);
}

const Function command_functions[] = {
    { "createCommandEncoder", create_command_encoder },
    { "beginComputePass",     begin_compute_pass },
    { "copyBuffer",           copy_buffer },
    { "clearBuffer",          clear_buffer },
    { "resolveQuerySet",      resolve_query_set },
    { "finish",               finish },
    { "encoderPushGroup",     encoder_push_group },
    { "encoderPopGroup",      encoder_pop_group },
    { "encoderMarker",        encoder_marker },
    { "setPipeline",          set_pipeline },
    { "setBindGroup",         set_bind_group },
    { "setImmediates",        set_immediates },
    { "dispatch",             dispatch },
    { "dispatchIndirect",     dispatch_indirect },
    { "endPass",              end_pass },
    { "passPushGroup",        pass_push_group },
    { "passPopGroup",         pass_pop_group },
    { "passMarker",           pass_marker },
    { "submit",               submit },
    { "writeBuffer",          write_buffer },
    { "workDone",             work_done },
    { 0 },
};
