// SPDX-License-Identifier: Apache-2.0
/*
 * bindgroup.c - bind groups, kept for dispatches that bind the same ranges again.
 *
 * in     a pipeline's group and the ranges of its bindings
 * out    a bind group of the device
 * knows  that buffers have ids which are never used twice
 * not    uniform values: their offsets are dynamic, so that one group serves all of them
 */
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

/* ---- keys ---- */

static void make_entries(BindEntry *out, const weft_pipeline *p, const PipelineGroup *group,
                         const weft_binding *bindings)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const weft_binding *b = &bindings[group->first + i];
        bool dynamic = group->dynamic_count && p->bindings[group->first + i].uniform;
        out[i] = (BindEntry){
            .buffer = b->buffer->id,
            .offset = dynamic ? 0 : b->offset,
            .size = b->size ? b->size : b->buffer->size - b->offset,
        };
    }
}

static uint64_t hash_entries(uint64_t seed, const BindEntry *entries, uint32_t count)
{
    uint64_t h = seed * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < count; i++) {
        h = (h ^ entries[i].buffer) * 0xFF51AFD7ED558CCDu;
        h = (h ^ (h >> 29) ^ entries[i].offset) * 0xC4CEB9FE1A85EC53u;
        h = (h ^ (h >> 31) ^ entries[i].size) * 0x9E3779B97F4A7C15u;
    }
    return h ^ (h >> 32);
}

static bool matches(const BindGroup *g, uint64_t hash, uint64_t pipeline, uint32_t group,
                    const BindEntry *entries, uint32_t count)
{
    return g->gpu && g->hash == hash && g->pipeline == pipeline && g->group == group
        && g->count == count && memcmp(g->entries, entries, count * sizeof *entries) == 0;
}

/* ---- making ---- */

static WGPUBindGroup make_group(weft_context *ctx, const weft_pipeline *p,
                                const PipelineGroup *group, const weft_binding *bindings,
                                const BindEntry *keys)
{
    WGPUBindGroupEntry entries[PIPELINE_MAX_BINDINGS];
    for (uint32_t i = 0; i < group->count; i++) {
        entries[i] = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
        entries[i].binding = p->bindings[group->first + i].binding;
        entries[i].buffer = bindings[group->first + i].buffer->gpu;
        entries[i].offset = keys[i].offset;
        entries[i].size = keys[i].size;
    }
    WGPUBindGroupDescriptor wish = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    wish.layout = group->layout;
    wish.entryCount = group->count;
    wish.entries = entries;
    context_bump(ctx, COUNTER_BIND_GROUPS, 1);
    return ctx->device->lib.procs.DeviceCreateBindGroup(ctx->device->device, &wish);
}

/* Puts it in the first place of its set; the older one of the two leaves. */
static void keep(weft_context *ctx, BindGroup *set, const BindGroup *g)
{
    if (set[1].gpu)
        ctx->device->lib.procs.BindGroupRelease(set[1].gpu);
    free(set[1].entries);
    set[1] = set[0];
    set[0] = *g;
}

WGPUBindGroup bind_group_get(weft_context *ctx, const weft_pipeline *p, uint32_t group,
                             const weft_binding *bindings)
{
    const PipelineGroup *g = &p->groups[group];
    BindEntry keys[PIPELINE_MAX_BINDINGS];
    make_entries(keys, p, g, bindings);
    uint64_t   hash = hash_entries(p->id * PIPELINE_MAX_GROUPS + group, keys, g->count);
    BindGroup *set = &ctx->recorder.bind_groups[hash % BIND_SETS * 2];
    if (matches(&set[0], hash, p->id, group, keys, g->count))
        return set[0].gpu;
    if (matches(&set[1], hash, p->id, group, keys, g->count)) {
        BindGroup newer = set[1];
        set[1] = set[0];
        set[0] = newer;
        return newer.gpu;
    }
    BindGroup made = {.hash = hash, .pipeline = p->id, .group = group, .count = g->count,
                      .entries = malloc(g->count * sizeof *keys)};
    if (made.entries)
        made.gpu = make_group(ctx, p, g, bindings, keys);
    if (!made.gpu) {
        free(made.entries);
        context_fail(ctx, WEFT_ERROR_MEMORY, "%s: no memory for a bind group", p->label);
        return NULL;
    }
    memcpy(made.entries, keys, g->count * sizeof *keys);
    keep(ctx, set, &made);
    return made.gpu;
}
