// SPDX-License-Identifier: Apache-2.0
/*
 * encoder.c - taking commands down: command encoders and command buffers.
 *
 * in     calls, one after the other
 * out    a batch with all of them, or the first fault
 * knows  WebGPU chapter 13 (encoders, copies, queries), 15 (debug groups)
 * not    what happens in compute passes (pass.c)
 *
 * An encoder that has gone wrong keeps the first sentence and takes down nothing
 * more; wgpuCommandEncoderFinish() reports it.
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

/* ---- what encoders and passes have in common ---- */

void recorder_fail(Recorder *r, const char *command, const char *sentence)
{
    Fault f;
    if (!r->error)
        r->error = strdup(fault(&f, "%s: %s", command, sentence));
}

bool recorder_refuse(Recorder *r, const Object *object, const char *command)
{
    Fault f;
    if (r->state == ENCODER_ENDED)
        object_report(object, WGPUErrorType_Validation,
                      fault(&f, "%s: it has ended already", command));
    else if (r->state == ENCODER_LOCKED)
        recorder_fail(r, command, "a pass is open, so the encoder is locked");
    return false;
}

void recorder_push_group(Recorder *r, const Object *object, WGPUStringView label)
{
    Fault f;
    if (!recorder_begin(r, object, "PushDebugGroup"))
        return;
    if (view_fault(&f, "the label", label))
        recorder_fail(r, "PushDebugGroup", f.text);
    r->debug_depth++;
}

void recorder_pop_group(Recorder *r, const Object *object)
{
    if (!recorder_begin(r, object, "PopDebugGroup"))
        return;
    if (r->debug_depth == 0)
        recorder_fail(r, "PopDebugGroup", "no debug group is open");
    else
        r->debug_depth--;
}

void recorder_marker(Recorder *r, const Object *object, WGPUStringView label)
{
    Fault f;
    if (recorder_begin(r, object, "InsertDebugMarker") && view_fault(&f, "the label", label))
        recorder_fail(r, "InsertDebugMarker", f.text);
}

/* ---- encoders ---- */

static void encoder_free(Object *o)
{
    WGPUCommandEncoder encoder = (WGPUCommandEncoder)o;
    free(encoder->recorder.error);
    batch_free(encoder->batch);
}

static const ObjectClass command_encoder_class = {"command encoder", encoder_free};

WGPUCommandEncoder wgpuDeviceCreateCommandEncoder(
    WGPUDevice device, const WGPUCommandEncoderDescriptor *descriptor)
{
    static const WGPUCommandEncoderDescriptor defaults = {0};
    if (!device)
        return NULL;
    Fault f;
    const WGPUCommandEncoderDescriptor *d = descriptor ? descriptor : &defaults;
    const char *why = chain_none_fault(&f, "WGPUCommandEncoderDescriptor", d->nextInChain);
    if (!why)
        why = view_fault(&f, "the label", d->label);
    WGPUCommandEncoder encoder = object_new(&command_encoder_class, sizeof *encoder, device,
                                            d->label);
    if (!encoder)
        return NULL;
    encoder->base.valid = !why && !device_is_lost(device);
    if (why) {
        object_report(&encoder->base, WGPUErrorType_Validation, why);
        recorder_fail(&encoder->recorder, "CreateCommandEncoder", why);
    } else if (!(encoder->batch = batch_new(device))) {
        recorder_fail(&encoder->recorder, "CreateCommandEncoder", "out of memory");
    }
    return encoder;
}

OBJECT_FUNCTIONS(CommandEncoder, commandEncoder)

uint32_t encoder_lock(WGPUCommandEncoder encoder, const char *command, Recorder *pass)
{
    bool open = encoder->recorder.state == ENCODER_OPEN;
    recorder_begin(&encoder->recorder, &encoder->base, command);
    if (!open) {
        recorder_fail(pass, command, "its encoder was not open");
        return 0;
    }
    encoder->recorder.state = ENCODER_LOCKED;
    encoder->open_pass = ++encoder->passes;
    return encoder->open_pass;
}

bool encoder_unlock(WGPUCommandEncoder encoder, uint32_t number, const Object *pass,
                    Recorder *recorder)
{
    char  name[192];
    Fault f;
    if (recorder->state == ENCODER_ENDED || number == 0
        || encoder->recorder.state != ENCODER_LOCKED || encoder->open_pass != number) {
        object_report(pass, WGPUErrorType_Validation,
                      recorder->state == ENCODER_ENDED ? "End: it has ended already"
                          : "End: it is not the open pass of its encoder");
        return false;
    }
    recorder->state = ENCODER_ENDED;
    encoder->recorder.state = ENCODER_OPEN;
    if (!recorder->error && recorder->debug_depth)
        recorder_fail(recorder, "End", fault(&f, "%u debug groups are still open",
                                             recorder->debug_depth));
    if (recorder->error) {
        object_name(pass, name, sizeof name);
        recorder_fail(&encoder->recorder, name, recorder->error);
    }
    return true;
}

/* ---- finishing ---- */

static void command_buffer_free(Object *o)
{
    batch_free(((WGPUCommandBuffer)o)->batch);
}

static const ObjectClass command_buffer_class = {"command buffer", command_buffer_free};

OBJECT_FUNCTIONS(CommandBuffer, commandBuffer)

static const char *finish_fault(Fault *f, WGPUCommandEncoder encoder,
                                const WGPUCommandBufferDescriptor *d)
{
    const Recorder *r = &encoder->recorder;
    if (r->state == ENCODER_ENDED)
        return "Finish: it has ended already";
    if (r->error)
        return r->error;
    if (r->state == ENCODER_LOCKED)
        return "Finish: a pass is still open";
    if (r->debug_depth)
        return fault(f, "Finish: %u debug groups are still open", r->debug_depth);
    if (chain_none_fault(f, "WGPUCommandBufferDescriptor", d->nextInChain)
        || view_fault(f, "the label of the command buffer", d->label))
        return f->text;
    return NULL;
}

WGPUCommandBuffer wgpuCommandEncoderFinish(WGPUCommandEncoder commandEncoder,
                                           const WGPUCommandBufferDescriptor *descriptor)
{
    static const WGPUCommandBufferDescriptor defaults = {0};
    if (!commandEncoder)
        return NULL;
    Fault      f;
    WGPUDevice device = commandEncoder->base.device;
    const WGPUCommandBufferDescriptor *d = descriptor ? descriptor : &defaults;
    const char *why = finish_fault(&f, commandEncoder, d);
    commandEncoder->recorder.state = ENCODER_ENDED;
    Batch *batch = commandEncoder->batch;
    commandEncoder->batch = NULL;
    WGPUCommandBuffer commands = object_new(&command_buffer_class, sizeof *commands, device,
                                            d->label);
    if (why)
        object_report(&commandEncoder->base, WGPUErrorType_Validation, why);
    if (!commands || why || !commandEncoder->base.valid) {
        batch_free(batch);
        batch = NULL;
    }
    if (commands) {
        commands->base.valid = batch != NULL && !device_is_lost(device);
        commands->batch = batch;
    }
    return commands;
}

/* ---- commands ---- */

static bool begin(WGPUCommandEncoder encoder, const char *command)
{
    return encoder && recorder_begin(&encoder->recorder, &encoder->base, command)
           && encoder->batch;
}

static void fail(WGPUCommandEncoder encoder, const char *command, const char *sentence)
{
    recorder_fail(&encoder->recorder, command, sentence);
}

/* A command that uses up to two objects; NULL: there is no memory, which is kept. */
static GpuCommand *add(WGPUCommandEncoder encoder, const char *command, GpuCommandKind kind,
                       Object *one, Object *two)
{
    Batch *b = encoder->batch;
    GpuCommand *c = NULL;
    if (batch_use(b, one) && (!two || batch_use(b, two)))
        c = batch_command(b, kind);
    if (!c)
        fail(encoder, command, "out of memory");
    return c;
}

static const char *multiple_of_4(Fault *f, const char *what, uint64_t value)
{
    return value % 4 ? fault(f, "the %s %llu must be a multiple of 4", what,
                             (unsigned long long)value) : NULL;
}

static const char *range_fault(Fault *f, const char *what, WGPUBuffer buffer, uint64_t offset,
                               uint64_t size)
{
    char role[ROLE_SIZE];
    if (!beyond(offset, size, buffer->size))
        return NULL;
    return fault(f, "the offset %llu and the size %llu go beyond the end of %s, %llu",
                 (unsigned long long)offset, (unsigned long long)size,
                 object_role(&buffer->base, what, role), (unsigned long long)buffer->size);
}

static uint64_t to_end(WGPUBuffer buffer, uint64_t offset, uint64_t size)
{
    if (size != WGPU_WHOLE_SIZE)
        return size;
    return offset < buffer->size ? buffer->size - offset : 0;
}

static const char *copy_fault(Fault *f, WGPUDevice device, WGPUBuffer from, uint64_t from_at,
                              WGPUBuffer to, uint64_t to_at, uint64_t *size)
{
    char role[ROLE_SIZE];
    if (buffer_use_fault(f, from, "the source", device, WGPUBufferUsage_CopySrc)
        || buffer_use_fault(f, to, "the destination", device, WGPUBufferUsage_CopyDst))
        return f->text;
    if (from == to)
        return fault(f, "%s and the destination are the same buffer",
                     object_role(&from->base, "the source", role));
    *size = to_end(from, from_at, *size);
    if (multiple_of_4(f, "size", *size) || multiple_of_4(f, "source offset", from_at)
        || multiple_of_4(f, "destination offset", to_at)
        || range_fault(f, "the source", from, from_at, *size)
        || range_fault(f, "the destination", to, to_at, *size))
        return f->text;
    return NULL;
}

void wgpuCommandEncoderCopyBufferToBuffer(WGPUCommandEncoder commandEncoder, WGPUBuffer source,
                                          uint64_t sourceOffset, WGPUBuffer destination,
                                          uint64_t destinationOffset, uint64_t size)
{
    static const char command[] = "CopyBufferToBuffer";
    Fault f;
    if (!begin(commandEncoder, command))
        return;
    const char *why = copy_fault(&f, commandEncoder->base.device, source, sourceOffset,
                                 destination, destinationOffset, &size);
    if (why) {
        fail(commandEncoder, command, why);
        return;
    }
    GpuCommand *c = add(commandEncoder, command, GPU_COPY, &source->base, &destination->base);
    if (!c)
        return;
    c->copy.from = source->gpu;
    c->copy.to = destination->gpu;
    c->copy.from_offset = sourceOffset;
    c->copy.to_offset = destinationOffset;
    c->copy.size = size;
}

static const char *clear_fault(Fault *f, WGPUDevice device, WGPUBuffer buffer, uint64_t offset,
                               uint64_t *size)
{
    if (buffer_use_fault(f, buffer, "the buffer", device, WGPUBufferUsage_CopyDst))
        return f->text;
    *size = to_end(buffer, offset, *size);
    if (multiple_of_4(f, "size", *size) || multiple_of_4(f, "offset", offset)
        || range_fault(f, "the buffer", buffer, offset, *size))
        return f->text;
    return NULL;
}

void wgpuCommandEncoderClearBuffer(WGPUCommandEncoder commandEncoder, WGPUBuffer buffer,
                                   uint64_t offset, uint64_t size)
{
    static const char command[] = "ClearBuffer";
    Fault f;
    if (!begin(commandEncoder, command))
        return;
    const char *why = clear_fault(&f, commandEncoder->base.device, buffer, offset, &size);
    if (why) {
        fail(commandEncoder, command, why);
        return;
    }
    GpuCommand *c = add(commandEncoder, command, GPU_CLEAR, &buffer->base, NULL);
    if (!c)
        return;
    c->clear.to = buffer->gpu;
    c->clear.offset = offset;
    c->clear.size = size;
}

/* ---- queries ---- */

static const char *resolve_fault(Fault *f, WGPUDevice device, WGPUQuerySet set, uint32_t first,
                                 uint32_t count, WGPUBuffer to, uint64_t offset)
{
    char role[ROLE_SIZE];
    if (object_fault(f, set ? &set->base : NULL, "the query set", device)
        || buffer_use_fault(f, to, "the destination", device, WGPUBufferUsage_QueryResolve))
        return f->text;
    if (first >= set->count || count > set->count - first)
        return fault(f, "%u queries from %u on are not in %s, which has %u", count, first,
                     object_role(&set->base, "the query set", role), set->count);
    if (offset % 256)
        return fault(f, "the destination offset %llu must be a multiple of 256",
                     (unsigned long long)offset);
    return range_fault(f, "the destination", to, offset, UINT64_C(8) * count);
}

void wgpuCommandEncoderResolveQuerySet(WGPUCommandEncoder commandEncoder, WGPUQuerySet querySet,
                                       uint32_t firstQuery, uint32_t queryCount,
                                       WGPUBuffer destination, uint64_t destinationOffset)
{
    static const char command[] = "ResolveQuerySet";
    Fault f;
    if (!begin(commandEncoder, command))
        return;
    const char *why = resolve_fault(&f, commandEncoder->base.device, querySet, firstQuery,
                                    queryCount, destination, destinationOffset);
    if (why) {
        fail(commandEncoder, command, why);
        return;
    }
    GpuCommand *c = add(commandEncoder, command, querySet->gpu ? GPU_RESOLVE : GPU_CLEAR,
                        &querySet->base, &destination->base);
    if (!c)
        return;
    if (!querySet->gpu) {                   /* occlusion: nothing is ever drawn */
        c->clear.to = destination->gpu;
        c->clear.offset = destinationOffset;
        c->clear.size = UINT64_C(8) * queryCount;
        return;
    }
    c->resolve.queries = querySet->gpu;
    c->resolve.first = firstQuery;
    c->resolve.count = queryCount;
    c->resolve.to = destination->gpu;
    c->resolve.offset = destinationOffset;
}

static const char *timestamps_fault(Fault *f, WGPUQuerySet set, WGPUDevice device)
{
    if (!wgpuDeviceHasFeature(device, WGPUFeatureName_TimestampQuery))
        return "timestamps need the device feature TimestampQuery";
    if (object_fault(f, set ? &set->base : NULL, "the query set", device))
        return f->text;
    char role[ROLE_SIZE];
    return set->type == WGPUQueryType_Timestamp
               ? NULL : fault(f, "%s is not one of timestamps",
                              object_role(&set->base, "the query set", role));
}

static const char *query_index_fault(Fault *f, const char *what, uint32_t index,
                                     WGPUQuerySet set)
{
    char role[ROLE_SIZE];
    return index < set->count
               ? NULL : fault(f, "%s %u is not in %s, which has %u", what, index,
                              object_role(&set->base, "the query set", role), set->count);
}

const char *timestamp_writes_fault(Fault *f, const WGPUPassTimestampWrites *writes,
                                   WGPUDevice device)
{
    const char *why = chain_none_fault(f, "WGPUPassTimestampWrites", writes->nextInChain);
    if (why || (why = timestamps_fault(f, writes->querySet, device)))
        return why;
    uint32_t first = writes->beginningOfPassWriteIndex, last = writes->endOfPassWriteIndex;
    bool     has_first = first != WGPU_QUERY_SET_INDEX_UNDEFINED;
    bool     has_last = last != WGPU_QUERY_SET_INDEX_UNDEFINED;
    if (!has_first && !has_last)
        return "timestampWrites sets neither index";
    if (has_first && query_index_fault(f, "beginningOfPassWriteIndex", first, writes->querySet))
        return f->text;
    if (has_last && query_index_fault(f, "endOfPassWriteIndex", last, writes->querySet))
        return f->text;
    if (has_first && first == last)
        return fault(f, "both indices of timestampWrites are %u", first);
    return NULL;
}

bool encoder_timestamp(WGPUCommandEncoder encoder, WGPUQuerySet set, uint32_t index)
{
    GpuCommand *c = add(encoder, "timestamp", GPU_TIMESTAMP, &set->base, NULL);
    if (!c)
        return false;
    c->timestamp.queries = set->gpu;
    c->timestamp.index = index;
    return true;
}

void wgpuCommandEncoderWriteTimestamp(WGPUCommandEncoder commandEncoder, WGPUQuerySet querySet,
                                      uint32_t queryIndex)
{
    static const char command[] = "WriteTimestamp";
    Fault f;
    if (!begin(commandEncoder, command))
        return;
    const char *why = timestamps_fault(&f, querySet, commandEncoder->base.device);
    if (!why)
        why = query_index_fault(&f, "the index", queryIndex, querySet);
    if (why)
        fail(commandEncoder, command, why);
    else
        encoder_timestamp(commandEncoder, querySet, queryIndex);
}

/* ---- debug groups ---- */

void wgpuCommandEncoderPushDebugGroup(WGPUCommandEncoder commandEncoder,
                                      WGPUStringView groupLabel)
{
    if (commandEncoder)
        recorder_push_group(&commandEncoder->recorder, &commandEncoder->base, groupLabel);
}

void wgpuCommandEncoderPopDebugGroup(WGPUCommandEncoder commandEncoder)
{
    if (commandEncoder)
        recorder_pop_group(&commandEncoder->recorder, &commandEncoder->base);
}

void wgpuCommandEncoderInsertDebugMarker(WGPUCommandEncoder commandEncoder,
                                         WGPUStringView markerLabel)
{
    if (commandEncoder)
        recorder_marker(&commandEncoder->recorder, &commandEncoder->base, markerLabel);
}

/* ---- copies of textures ---- */

static void no_textures(WGPUCommandEncoder encoder, const char *command)
{
    if (begin(encoder, command))
        fail(encoder, command, "Weft has no textures");
}

void wgpuCommandEncoderCopyBufferToTexture(WGPUCommandEncoder commandEncoder,
                                           const WGPUTexelCopyBufferInfo *source,
                                           const WGPUTexelCopyTextureInfo *destination,
                                           const WGPUExtent3D *copySize)
{
    (void)source, (void)destination, (void)copySize;
    no_textures(commandEncoder, "CopyBufferToTexture");
}

void wgpuCommandEncoderCopyTextureToBuffer(WGPUCommandEncoder commandEncoder,
                                           const WGPUTexelCopyTextureInfo *source,
                                           const WGPUTexelCopyBufferInfo *destination,
                                           const WGPUExtent3D *copySize)
{
    (void)source, (void)destination, (void)copySize;
    no_textures(commandEncoder, "CopyTextureToBuffer");
}

void wgpuCommandEncoderCopyTextureToTexture(WGPUCommandEncoder commandEncoder,
                                            const WGPUTexelCopyTextureInfo *source,
                                            const WGPUTexelCopyTextureInfo *destination,
                                            const WGPUExtent3D *copySize)
{
    (void)source, (void)destination, (void)copySize;
    no_textures(commandEncoder, "CopyTextureToTexture");
}
