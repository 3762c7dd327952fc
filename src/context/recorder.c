// SPDX-License-Identifier: Apache-2.0
/*
 * recorder.c - dispatches into one command encoder, submitted together.
 *
 * in     dispatches with their buffers and small uniform values
 * out    submits to the queue
 * knows  that a pass keeps the order of its dispatches, so that hazards need no care
 * not    what kernels compute; where buffers come from
 */
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

/* ---- start and end ---- */

bool recorder_init(weft_context *ctx)
{
    Recorder *r = &ctx->recorder;
    uint32_t  align = ctx->device->info.limits.minUniformBufferOffsetAlignment;
    r->serial = 1;
    r->uniforms.align = align && align <= 4096 ? align : 256;
    r->uniforms.data = malloc(UNIFORM_BLOCK);
    r->bind_groups = calloc((size_t)BIND_SETS * 2, sizeof *r->bind_groups);
    return r->uniforms.data && r->bind_groups;
}

static void drop_bind_group(const Procs *p, BindGroup *g)
{
    if (g->gpu)
        p->BindGroupRelease(g->gpu);
    free(g->entries);
    *g = (BindGroup){0};
}

static void end_pass(weft_context *ctx);

/* Commands that a lost device cannot take are thrown away. */
void recorder_fini(weft_context *ctx)
{
    Recorder    *r = &ctx->recorder;
    const Procs *p = &ctx->device->lib.procs;
    if (!weft_context_submit(ctx) && r->encoder) {
        end_pass(ctx);
        p->CommandEncoderRelease(r->encoder);
    }
    for (uint32_t i = 0; r->bind_groups && i < BIND_SETS * 2; i++)
        drop_bind_group(p, &r->bind_groups[i]);
    free(r->bind_groups);
    free(r->uniforms.data);
    weft_buffer_release(r->uniforms.buffer);
    *r = (Recorder){.serial = r->serial + 1};
}

void recorder_forget(weft_context *ctx, const weft_buffer *b)
{
    Recorder *r = &ctx->recorder;
    for (uint32_t i = 0; r->bind_groups && i < BIND_SETS * 2; i++) {
        BindGroup *g = &r->bind_groups[i];
        for (uint32_t k = 0; k < g->count; k++) {
            if (g->entries[k].buffer == b->id) {
                drop_bind_group(&ctx->device->lib.procs, g);
                break;
            }
        }
    }
}

bool recorder_uses(const weft_context *ctx, const weft_buffer *b)
{
    return ctx->recorder.encoder && b->recorded == ctx->recorder.serial;
}

/* A buffer of another context has that one's serials: commands that use it are submitted
 * at once (dispatch.c, transfer.c). */
void recorder_mark(weft_context *ctx, weft_buffer *b)
{
    if (b->ctx == ctx)
        b->recorded = ctx->recorder.serial;
}

/* ---- the encoder ---- */

static void end_pass(weft_context *ctx)
{
    Recorder    *r = &ctx->recorder;
    const Procs *p = &ctx->device->lib.procs;
    if (!r->pass)
        return;
    p->ComputePassEncoderEnd(r->pass);
    p->ComputePassEncoderRelease(r->pass);
    r->pass = NULL;
    r->pipeline = 0;
    memset(r->groups, 0, sizeof r->groups);
}

WGPUCommandEncoder recorder_encoder(weft_context *ctx)
{
    Recorder *r = &ctx->recorder;
    Device   *d = ctx->device;
    end_pass(ctx);
    if (!r->encoder)
        r->encoder = d->lib.procs.DeviceCreateCommandEncoder(d->device, NULL);
    if (!r->encoder)
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for commands");
    return r->encoder;
}

WGPUComputePassEncoder recorder_pass(weft_context *ctx)
{
    Recorder *r = &ctx->recorder;
    if (!r->pass && recorder_encoder(ctx))
        r->pass = ctx->device->lib.procs.CommandEncoderBeginComputePass(r->encoder, NULL);
    if (r->encoder && !r->pass)
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for commands");
    return r->pass;
}

bool weft_context_submit(weft_context *ctx)
{
    if (!ctx || !context_need_device(ctx))
        return false;
    Recorder *r = &ctx->recorder;
    Device   *d = ctx->device;
    if (!r->encoder)
        return true;
    end_pass(ctx);
    uniforms_send(ctx);
    WGPUCommandBuffer commands = d->lib.procs.CommandEncoderFinish(r->encoder, NULL);
    d->lib.procs.QueueSubmit(d->queue, 1, &commands);
    if (commands)
        d->lib.procs.CommandBufferRelease(commands);
    d->lib.procs.CommandEncoderRelease(r->encoder);
    r->encoder = NULL;
    r->dispatches = 0;
    r->serial++;
    context_bump(ctx, COUNTER_SUBMITS, 1);
    return context_check_device(ctx);
}

/* ---- uniform values: equal ones are stored once ---- */

static uint32_t hash_bytes(const void *data, uint32_t size)
{
    const uint8_t *bytes = data;
    uint64_t       h = size * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, MIN_OF(size - i, 8));
        h = (h ^ word) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

bool uniforms_put(Uniforms *u, const void *data, uint32_t size, uint32_t *offset)
{
    uint32_t     hash = hash_bytes(data, size);
    UniformSlot *slot = &u->slots[hash % UNIFORM_SLOTS];
    if (slot->size == size && slot->hash == hash
        && memcmp(u->data + slot->offset, data, size) == 0) {
        *offset = slot->offset;
        return true;
    }
    uint32_t at = (u->used + u->align - 1) / u->align * u->align;
    /* A binding is UNIFORM_MAX bytes wide at most, wherever it starts. */
    if (at + UNIFORM_MAX > UNIFORM_BLOCK)
        return false;
    memcpy(u->data + at, data, size);
    *slot = (UniformSlot){.hash = hash, .offset = at, .size = size};
    u->used = (at + size + 3) & ~3u;
    *offset = at;
    return true;
}

void uniforms_send(weft_context *ctx)
{
    Uniforms *u = &ctx->recorder.uniforms;
    Device   *d = ctx->device;
    if (u->used > u->sent)
        d->lib.procs.QueueWriteBuffer(d->queue, u->buffer->gpu, u->sent, u->data + u->sent,
                                      u->used - u->sent);
    u->sent = u->used;
}

void uniforms_restart(Uniforms *u)
{
    memset(u->slots, 0, sizeof u->slots);
    u->used = u->sent = 0;
}
