// SPDX-License-Identifier: Apache-2.0
/*
 * dispatch.c - checks a dispatch and records it.
 *
 * in     a pipeline, its bindings, workgroup counts
 * out    commands in the context's encoder; errors that name the binding
 * knows  WebGPU's rules for bindings, checked here so that no device error follows
 * not    when the commands run (recorder.c)
 */
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

/* ---- checks ---- */

static bool fail_binding(weft_context *ctx, const weft_pipeline *p, uint32_t i, const char *why,
                         uint64_t is, uint64_t want)
{
    const char *names[] = {p->bindings[i].name, NULL};
    return context_fail_names(ctx, WEFT_ERROR_INVALID, names,
                              "%s: binding '%s' (@group(%u) @binding(%u)): %s (%llu, %llu)",
                              p->label, p->bindings[i].name, p->bindings[i].group,
                              p->bindings[i].binding, why, (unsigned long long)is,
                              (unsigned long long)want);
}

static bool fail_binding_plain(weft_context *ctx, const weft_pipeline *p, uint32_t i,
                               const char *why)
{
    const char *names[] = {p->bindings[i].name, NULL};
    return context_fail_names(ctx, WEFT_ERROR_INVALID, names,
                              "%s: binding '%s' (@group(%u) @binding(%u)): %s", p->label,
                              p->bindings[i].name, p->bindings[i].group, p->bindings[i].binding,
                              why);
}

static bool check_data(weft_context *ctx, const weft_pipeline *p, uint32_t i,
                       const weft_binding *b)
{
    const weft_pipeline_binding *is = &p->bindings[i];
    if (!is->uniform)
        return fail_binding_plain(ctx, p, i, "the buffer is NULL");
    if (!b->data || b->data_size == 0)
        return fail_binding_plain(ctx, p, i, "there is neither a buffer nor data");
    if (b->data_size > UNIFORM_MAX)
        return fail_binding(ctx, p, i, "data_size is above the most that is copied",
                            b->data_size, UNIFORM_MAX);
    if (b->data_size < is->min_size)
        return fail_binding(ctx, p, i, "data_size is below the size of the variable",
                            b->data_size, is->min_size);
    return true;
}

/* The size that is bound; 0 if the offset is beyond the buffer. */
static uint64_t bound_size(const weft_binding *b)
{
    if (b->size)
        return b->size;
    return b->offset < b->buffer->size ? b->buffer->size - b->offset : 0;
}

/* A size of 0 means up to the end as the user sees it; an explicit one may reach into the
 * padding of the buffer's last word. */
static bool check_buffer(weft_context *ctx, const weft_pipeline *p, uint32_t i,
                         const weft_binding *b)
{
    const weft_pipeline_binding *is = &p->bindings[i];
    const WGPULimits *l = &ctx->device->info.limits;
    uint64_t size = bound_size(b), capacity = b->buffer->capacity;
    uint32_t align = is->uniform ? l->minUniformBufferOffsetAlignment
                                 : l->minStorageBufferOffsetAlignment;
    uint64_t most = is->uniform ? l->maxUniformBufferBindingSize
                                : l->maxStorageBufferBindingSize;
    if (b->buffer->ctx != ctx && !context_shares_device(ctx, b->buffer->ctx))
        return fail_binding_plain(ctx, p, i, "the buffer belongs to another device");
    if (!(b->buffer->usage & (is->uniform ? WGPUBufferUsage_Uniform : WGPUBufferUsage_Storage)))
        return fail_binding_plain(ctx, p, i, is->uniform ? "the buffer lacks the usage Uniform"
                                                         : "the buffer lacks the usage Storage");
    if (b->offset % align)
        return fail_binding(ctx, p, i, "the offset is not a multiple of the device's alignment",
                            b->offset, align);
    if (b->offset > capacity || size > capacity - b->offset)
        return fail_binding(ctx, p, i, "offset and size are beyond the buffer",
                            b->offset + size, b->buffer->size);
    if (size == 0 || size < is->min_size)
        return fail_binding(ctx, p, i, "the bound size is below the size of the variable", size,
                            is->min_size);
    if (size % 4)
        return fail_binding(ctx, p, i, "the bound size is not a multiple of 4", size, 4);
    if (size > most)
        return fail_binding(ctx, p, i, "the bound size is above the device's limit", size, most);
    return true;
}

static bool fail_alias(weft_context *ctx, const weft_pipeline *p, uint32_t i, uint32_t k,
                       const char *why)
{
    const char *names[] = {p->bindings[i].name, p->bindings[k].name, NULL};
    return context_fail_names(ctx, WEFT_ERROR_INVALID, names,
                              "%s: bindings '%s' and '%s' are the same buffer, and %s", p->label,
                              names[0], names[1], why);
}

/* WebGPU forbids one buffer to be read-only and writable in a dispatch, and writable ranges
 * to overlap. */
static bool check_aliases(weft_context *ctx, const weft_pipeline *p, const weft_binding *b,
                          uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        bool wi = p->bindings[i].writable, wk = p->bindings[k].writable;
        if (!b[k].buffer || b[k].buffer->gpu != b[i].buffer->gpu || (!wi && !wk))
            continue;
        if (wi != wk)
            return fail_alias(ctx, p, i, k, "only one of them is writable");
        if (b[i].offset < b[k].offset + bound_size(&b[k])
            && b[k].offset < b[i].offset + bound_size(&b[i]))
            return fail_alias(ctx, p, i, k, "both are writable and overlap");
    }
    return true;
}

static bool check_bindings(weft_context *ctx, const weft_dispatch *d)
{
    const weft_pipeline *p = d->pipeline;
    if (d->binding_count != p->binding_count || (d->binding_count && !d->bindings))
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: %u bindings are given, the kernel has "
                            "%u", p->label, d->bindings ? d->binding_count : 0, p->binding_count);
    for (uint32_t i = 0; i < d->binding_count; i++) {
        const weft_binding *b = &d->bindings[i];
        if (!b->buffer ? !check_data(ctx, p, i, b)
                       : !check_buffer(ctx, p, i, b) || !check_aliases(ctx, p, d->bindings, i))
            return false;
    }
    return true;
}

static bool check(weft_context *ctx, const weft_dispatch *d)
{
    if (!context_need_device(ctx))
        return false;
    if (!d || !d->pipeline)
        return context_fail(ctx, WEFT_ERROR_INVALID, "dispatch: the pipeline is NULL");
    if (d->pipeline->device != ctx->device)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: the pipeline belongs to another device",
                            d->pipeline->label);
    uint32_t most = ctx->device->info.limits.maxComputeWorkgroupsPerDimension;
    for (int i = 0; i < 3; i++)
        if (d->groups[i] > most)
            return context_fail(ctx, WEFT_ERROR_INVALID, "%s: %u workgroups in %c are above the "
                                "limit of %u", d->pipeline->label, d->groups[i], "xyz"[i], most);
    return check_bindings(ctx, d);
}

/* ---- uniform values ---- */

static bool need_uniform_buffer(weft_context *ctx)
{
    Uniforms *u = &ctx->recorder.uniforms;
    if (u->buffer)
        return true;
    u->buffer = weft_buffer_create(ctx, &(weft_buffer_desc){
        .size = UNIFORM_BLOCK, .uninitialized = true, .label = "uniform values",
        .usage = WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst});
    context_own_buffer(u->buffer);
    return u->buffer != NULL;
}

/* Stores the values of all `data` bindings: bindings become ranges of buffers. */
static bool place_values(weft_context *ctx, const weft_dispatch *d, weft_binding *out)
{
    Uniforms *u = &ctx->recorder.uniforms;
    bool      restarted = false;
    for (uint32_t i = 0; i < d->binding_count; i++) {
        out[i] = d->bindings[i];
        if (out[i].buffer)
            continue;
        uint32_t offset;
        if (!need_uniform_buffer(ctx))
            return false;
        if (!uniforms_put(u, out[i].data, out[i].data_size, &offset)) {
            BUG_IF(restarted, "a dispatch fills the block of uniform values");
            if (!weft_context_submit(ctx))
                return false;
            uniforms_restart(u);
            restarted = true;
            i = UINT32_MAX;             /* all anew: the old places are gone */
            continue;
        }
        out[i].buffer = u->buffer;
        out[i].offset = offset;
        out[i].size = (out[i].data_size + 15) & ~15u;
    }
    return true;
}

/* ---- recording ---- */

/* Work of other contexts on these buffers comes first. */
static bool order_foreign(weft_context *ctx, const weft_dispatch *d, bool *foreign)
{
    for (uint32_t i = 0; i < d->binding_count; i++) {
        weft_buffer *b = d->bindings[i].buffer;
        if (!b || b->ctx == ctx)
            continue;
        *foreign = true;
        if (recorder_uses(b->ctx, b) && !weft_context_submit(b->ctx))
            return false;
    }
    return true;
}

static bool set_groups(weft_context *ctx, const weft_pipeline *p, const weft_binding *bindings)
{
    Recorder    *r = &ctx->recorder;
    const Procs *procs = &ctx->device->lib.procs;
    for (uint32_t g = 0; g < p->group_count; g++) {
        const PipelineGroup *group = &p->groups[g];
        uint32_t offsets[PIPELINE_MAX_BINDINGS], n = 0;
        if (!group->count)
            continue;
        WGPUBindGroup gpu = bind_group_get(ctx, p, g, bindings);
        if (!gpu)
            return false;
        for (uint32_t i = group->first; n < group->dynamic_count; i++)
            if (p->bindings[i].uniform)
                offsets[n++] = (uint32_t)bindings[i].offset;
        if (n || r->groups[g] != gpu)
            procs->ComputePassEncoderSetBindGroup(r->pass, g, gpu, n, offsets);
        r->groups[g] = gpu;
    }
    return true;
}

static void log_dispatch(weft_context *ctx, const weft_dispatch *d)
{
    context_log(ctx, WEFT_LOG_OPERATION, "%s: %u x %u x %u workgroups of %u x %u x %u",
                d->pipeline->label, MAX_OF(d->groups[0], 1), MAX_OF(d->groups[1], 1),
                MAX_OF(d->groups[2], 1),
                d->pipeline->workgroup[0], d->pipeline->workgroup[1], d->pipeline->workgroup[2]);
}

static bool record(weft_context *ctx, const weft_dispatch *d, const weft_binding *bindings)
{
    Recorder            *r = &ctx->recorder;
    const weft_pipeline *p = d->pipeline;
    const Procs         *procs = &ctx->device->lib.procs;
    if (!r->pass && !recorder_pass(ctx))
        return false;
    if (r->pipeline != p->id) {
        procs->ComputePassEncoderSetPipeline(r->pass, p->gpu);
        r->pipeline = p->id;
    }
    if (!set_groups(ctx, p, bindings))
        return false;
    for (uint32_t i = 0; i < d->binding_count; i++)
        recorder_mark(ctx, bindings[i].buffer);
    procs->ComputePassEncoderDispatchWorkgroups(r->pass, MAX_OF(d->groups[0], 1),
                                                MAX_OF(d->groups[1], 1), MAX_OF(d->groups[2], 1));
    context_bump(ctx, COUNTER_DISPATCHES, 1);
    return true;
}

bool weft_context_dispatch(weft_context *ctx, const weft_dispatch *dispatch)
{
    weft_binding bindings[PIPELINE_MAX_BINDINGS];
    bool         foreign = false;
    if (!ctx || !check(ctx, dispatch) || !verdicts_note(ctx, dispatch->pipeline)
        || !order_foreign(ctx, dispatch, &foreign) || !place_values(ctx, dispatch, bindings))
        return false;
    if (ctx->desc.log)
        log_dispatch(ctx, dispatch);
    if (!record(ctx, dispatch, bindings))
        return false;
    if (++ctx->recorder.dispatches >= SUBMIT_AFTER || foreign)
        return weft_context_submit(ctx);
    return true;
}
