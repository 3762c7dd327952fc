// SPDX-License-Identifier: Apache-2.0
/*
 * limits.c - how much there is of everything: offered, wished for, granted.
 *
 * in     what a backend offers, what a program asks for
 * out    the limits of an adapter, of a device
 * knows  limits.def; WebGPU 3.6.2 (limits) and 4.2.1 (what adapters guarantee)
 * not    where the limits are enforced
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

typedef enum LimitClass { MAXIMUM, ALIGNMENT } LimitClass;

typedef struct LimitRow {
    const char *name;
    size_t      at;                     /* in WGPULimits                          */
    uint32_t    bits;
    LimitClass  class;
    uint64_t    standard;
    bool        fixed;
    size_t      from;                   /* in GpuLimits, of the same width        */
    uint64_t    cap;
} LimitRow;

static const LimitRow rows[] = {
#define LIMIT(name, bits, class, standard, member, cap) \
    {#name, offsetof(WGPULimits, name), bits, class, standard, false, \
     offsetof(GpuLimits, member), cap},
#define LIMIT_FIXED(name, bits, class, standard) \
    {#name, offsetof(WGPULimits, name), bits, class, standard, true, 0, 0},
#include "gpu/limits.def"
#undef LIMIT_FIXED
#undef LIMIT
};


static uint64_t get(const void *from, size_t at, uint32_t bits)
{
    const char *p = (const char *)from + at;
    return bits == 64 ? *(const uint64_t *)(const void *)p
                      : *(const uint32_t *)(const void *)p;
}

static void set(WGPULimits *limits, const LimitRow *row, uint64_t value)
{
    char *p = (char *)limits + row->at;
    if (row->bits == 64)
        *(uint64_t *)(void *)p = value;
    else
        *(uint32_t *)(void *)p = (uint32_t)value;
}

static bool better(const LimitRow *row, uint64_t a, uint64_t b)
{
    return row->class == MAXIMUM ? a > b : a < b;
}

static bool is_power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* ---- adapters ---- */

/* Rules between limits that WebGPU guarantees of adapters. */
static void reconcile(WGPULimits *l)
{
    const uint32_t align = 32;          /* the least there may be */
    l->minUniformBufferOffsetAlignment = MAX_OF(l->minUniformBufferOffsetAlignment, align);
    l->minStorageBufferOffsetAlignment = MAX_OF(l->minStorageBufferOffsetAlignment, align);
    l->maxUniformBufferBindingSize = MIN_OF(l->maxUniformBufferBindingSize, l->maxBufferSize);
    l->maxStorageBufferBindingSize = MIN_OF(l->maxStorageBufferBindingSize, l->maxBufferSize)
                                     & ~UINT64_C(3);
    l->maxImmediateSize &= ~3u;
    uint32_t per_stage = l->maxSampledTexturesPerShaderStage + l->maxSamplersPerShaderStage
                         + l->maxStorageBuffersPerShaderStage
                         + l->maxStorageTexturesPerShaderStage
                         + l->maxUniformBuffersPerShaderStage;
    l->maxBindingsPerBindGroup = MAX_OF(l->maxBindingsPerBindGroup, 2 * per_stage);
    uint32_t *sizes[] = {&l->maxComputeWorkgroupSizeX, &l->maxComputeWorkgroupSizeY,
                         &l->maxComputeWorkgroupSizeZ};
    for (size_t i = 0; i < COUNTOF(sizes); i++)
        *sizes[i] = MIN_OF(*sizes[i], l->maxComputeInvocationsPerWorkgroup);
}

/* Offers one less than the widest number: that means "no wish". */
static uint64_t offered(const LimitRow *row, const GpuLimits *from)
{
    uint64_t value = get(from, row->from, row->bits);
    uint64_t widest = row->bits == 64 ? WGPU_LIMIT_U64_UNDEFINED : WGPU_LIMIT_U32_UNDEFINED;
    if (row->cap)
        value = MIN_OF(value, row->cap);
    return value == widest ? widest - 1 : value;
}

static void normalise_stages(Limits *l)
{
    l->vertex_buffers = l->fragment_buffers = l->limits.maxStorageBuffersPerShaderStage;
    l->vertex_textures = l->fragment_textures = l->limits.maxStorageTexturesPerShaderStage;
}

const char *limits_of_adapter(Fault *f, Limits *out, const GpuLimits *from)
{
    *out = (Limits){0};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        const LimitRow *row = &rows[i];
        uint64_t value = row->fixed ? row->standard : offered(row, from);
        if (better(row, row->standard, value))
            return fault(f, "%s is %llu, where WebGPU promises %llu", row->name,
                         (unsigned long long)value, (unsigned long long)row->standard);
        if (row->class == ALIGNMENT && !is_power_of_two(value))
            return fault(f, "%s is %llu, not a power of two", row->name,
                         (unsigned long long)value);
        set(&out->limits, row, value);
    }
    reconcile(&out->limits);
    normalise_stages(out);
    return NULL;
}

/* ---- devices ---- */

static const WGPUSType limits_chain[] = {WGPUSType_CompatibilityModeLimits};

static const char *one_wish(Fault *f, const LimitRow *row, uint64_t wish, uint64_t most)
{
    if (row->class == ALIGNMENT && !is_power_of_two(wish))
        return fault(f, "the required limit %s, %llu, must be a power of two", row->name,
                     (unsigned long long)wish);
    if (better(row, wish, most))
        return fault(f, "the required limit %s, %llu, is better than the adapter's, %llu",
                     row->name, (unsigned long long)wish, (unsigned long long)most);
    return NULL;
}

static bool is_undefined(const LimitRow *row, uint64_t wish)
{
    return wish == (row->bits == 64 ? WGPU_LIMIT_U64_UNDEFINED : WGPU_LIMIT_U32_UNDEFINED);
}

/* The four limits of single stages: asked for, they raise the limit of all stages. */
static const char *stage_wishes(Fault *f, Limits *out, const Limits *adapter,
                                const WGPUCompatibilityModeLimits *wish)
{
    const struct {
        const char *name;
        uint32_t    wish, most, *raises;
    } stages[] = {
#define STAGE(member, mine, limit) \
    {#member, wish->member, adapter->mine, &out->limits.limit}
        STAGE(maxStorageBuffersInVertexStage, vertex_buffers, maxStorageBuffersPerShaderStage),
        STAGE(maxStorageTexturesInVertexStage, vertex_textures,
              maxStorageTexturesPerShaderStage),
        STAGE(maxStorageBuffersInFragmentStage, fragment_buffers,
              maxStorageBuffersPerShaderStage),
        STAGE(maxStorageTexturesInFragmentStage, fragment_textures,
              maxStorageTexturesPerShaderStage),
#undef STAGE
    };
    for (size_t i = 0; i < COUNTOF(stages); i++) {
        if (stages[i].wish == WGPU_LIMIT_U32_UNDEFINED)
            continue;
        if (stages[i].wish > stages[i].most)
            return fault(f, "the required limit %s, %u, is better than the adapter's, %u",
                         stages[i].name, stages[i].wish, stages[i].most);
        *stages[i].raises = MAX_OF(*stages[i].raises, stages[i].wish);
    }
    return NULL;
}

const char *limits_of_device(Fault *f, Limits *out, const Limits *adapter,
                             const WGPULimits *wish)
{
    const WGPUChainedStruct *found[1] = {NULL};
    *out = (Limits){0};
    if (wish && chain_fault(f, "requiredLimits", wish->nextInChain, limits_chain, 1, found))
        return f->text;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        const LimitRow *row = &rows[i];
        uint64_t value = row->standard;
        uint64_t asked = wish ? get(wish, row->at, row->bits) : 0;
        if (wish && !is_undefined(row, asked)) {
            if (one_wish(f, row, asked, get(&adapter->limits, row->at, row->bits)))
                return f->text;
            if (better(row, asked, value))
                value = asked;
        }
        set(&out->limits, row, value);
    }
    if (found[0]
        && stage_wishes(f, out, adapter, (const WGPUCompatibilityModeLimits *)found[0]))
        return f->text;
    normalise_stages(out);
    return NULL;
}

/* ---- reading ---- */

const char *limits_write(Fault *f, const Limits *from, WGPULimits *out)
{
    const WGPUChainedStruct *found[1];
    if (!out)
        return "limits is NULL";
    if (chain_fault(f, "WGPULimits", out->nextInChain, limits_chain, 1, found))
        return f->text;
    WGPUChainedStruct *chain = out->nextInChain;
    *out = from->limits;
    out->nextInChain = chain;
    if (chain) {                        /* the only one there may be */
        WGPUCompatibilityModeLimits *stages = (WGPUCompatibilityModeLimits *)chain;
        stages->maxStorageBuffersInVertexStage = from->vertex_buffers;
        stages->maxStorageTexturesInVertexStage = from->vertex_textures;
        stages->maxStorageBuffersInFragmentStage = from->fragment_buffers;
        stages->maxStorageTexturesInFragmentStage = from->fragment_textures;
    }
    return NULL;
}
