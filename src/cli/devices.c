// SPDX-License-Identifier: Apache-2.0
/*
 * devices.c - `weft devices`: what there is to run on.
 *
 * in     nothing
 * out    each adapter with its features and limits; the first one is the default
 * knows  that webgpu.h has no list of adapters: they are asked for by their kinds
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/device.h"

static const Option options[] = {
    {"json", 0, NULL, "print JSON, for programs"},
    {0},
};

typedef struct Found {
    DeviceInfo info;
    WGPULimits limits;
    VEC(const char *) features;
} Found;

typedef VEC(Found) Adapters;

/* ---- names ---- */

static const char *feature_name(WGPUFeatureName feature)
{
    static const struct { WGPUFeatureName feature; const char *name; } names[] = {
        {WGPUFeatureName_CoreFeaturesAndLimits, "core-features-and-limits"},
        {WGPUFeatureName_DepthClipControl, "depth-clip-control"},
        {WGPUFeatureName_Depth32FloatStencil8, "depth32float-stencil8"},
        {WGPUFeatureName_TextureCompressionBC, "texture-compression-bc"},
        {WGPUFeatureName_TextureCompressionBCSliced3D, "texture-compression-bc-sliced-3d"},
        {WGPUFeatureName_TextureCompressionETC2, "texture-compression-etc2"},
        {WGPUFeatureName_TextureCompressionASTC, "texture-compression-astc"},
        {WGPUFeatureName_TextureCompressionASTCSliced3D, "texture-compression-astc-sliced-3d"},
        {WGPUFeatureName_TimestampQuery, "timestamp-query"},
        {WGPUFeatureName_IndirectFirstInstance, "indirect-first-instance"},
        {WGPUFeatureName_ShaderF16, "shader-f16"},
        {WGPUFeatureName_RG11B10UfloatRenderable, "rg11b10ufloat-renderable"},
        {WGPUFeatureName_BGRA8UnormStorage, "bgra8unorm-storage"},
        {WGPUFeatureName_Float32Filterable, "float32-filterable"},
        {WGPUFeatureName_Float32Blendable, "float32-blendable"},
        {WGPUFeatureName_ClipDistances, "clip-distances"},
        {WGPUFeatureName_DualSourceBlending, "dual-source-blending"},
        {WGPUFeatureName_Subgroups, "subgroups"},
        {WGPUFeatureName_TextureFormatsTier1, "texture-formats-tier1"},
        {WGPUFeatureName_TextureFormatsTier2, "texture-formats-tier2"},
        {WGPUFeatureName_PrimitiveIndex, "primitive-index"},
        {WGPUFeatureName_TextureComponentSwizzle, "texture-component-swizzle"},
        {WGPUFeatureName_SubgroupSizeControl, "subgroup-size-control"},
    };
    for (size_t i = 0; i < COUNTOF(names); i++)
        if (names[i].feature == feature)
            return names[i].name;
    return NULL;
}

/* The limits that compute kernels meet. */
#define LIMITS(X)                                                                 \
    X(maxBufferSize) X(maxStorageBufferBindingSize) X(maxUniformBufferBindingSize) \
    X(maxStorageBuffersPerShaderStage) X(maxUniformBuffersPerShaderStage)         \
    X(maxBindGroups) X(maxBindingsPerBindGroup)                                   \
    X(maxDynamicUniformBuffersPerPipelineLayout)                                  \
    X(maxDynamicStorageBuffersPerPipelineLayout)                                  \
    X(minUniformBufferOffsetAlignment) X(minStorageBufferOffsetAlignment)         \
    X(maxComputeWorkgroupStorageSize) X(maxComputeInvocationsPerWorkgroup)        \
    X(maxComputeWorkgroupSizeX) X(maxComputeWorkgroupSizeY)                       \
    X(maxComputeWorkgroupSizeZ) X(maxComputeWorkgroupsPerDimension)               \
    X(maxImmediateSize)

/* ---- looking ---- */

static bool same(const DeviceInfo *x, const DeviceInfo *y)
{
    return strcmp(x->backend, y->backend) == 0 && strcmp(x->type, y->type) == 0
        && strcmp(x->device, y->device) == 0 && strcmp(x->description, y->description) == 0;
}

static void add(Device *d, Adapters *all, WGPUAdapter adapter)
{
    Found f = {0};
    WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
    device_describe(d, adapter, &f.info, &f.limits);
    for (uint32_t i = 0; i < all->len; i++)
        if (same(&all->data[i].info, &f.info))
            return;
    d->procs.AdapterGetFeatures(adapter, &features);
    for (size_t i = 0; i < features.featureCount; i++)
        if (feature_name(features.features[i]))
            VEC_PUSH(d->arena, &f.features, feature_name(features.features[i]));
    d->procs.SupportedFeaturesFreeMembers(features);
    VEC_PUSH(d->arena, all, f);
}

/* The default comes first. */
static void find_all(Device *d, Adapters *all)
{
    const struct { WGPUBackendType backend; WGPUPowerPreference power; bool fallback; } asks[] = {
        {WGPUBackendType_Undefined, WGPUPowerPreference_Undefined, false},
        {WGPUBackendType_Undefined, WGPUPowerPreference_HighPerformance, false},
        {WGPUBackendType_Undefined, WGPUPowerPreference_LowPower, false},
        {WGPUBackendType_Vulkan, WGPUPowerPreference_HighPerformance, false},
        {WGPUBackendType_Vulkan, WGPUPowerPreference_LowPower, false},
        {WGPUBackendType_Undefined, WGPUPowerPreference_Undefined, true},
    };
    for (size_t i = 0; i < COUNTOF(asks); i++) {
        WGPURequestAdapterOptions wish = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
        WGPUAdapter adapter = NULL;
        wish.backendType = asks[i].backend;
        wish.powerPreference = asks[i].power;
        wish.forceFallbackAdapter = asks[i].fallback;
        if (device_find_adapter(d, &wish, &adapter))
            continue;
        add(d, all, adapter);
        d->procs.AdapterRelease(adapter);
    }
}

/* ---- telling ---- */

static const char *size_text(Arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t i = 0;
    while (i + 1 < COUNTOF(units) && value >= 1024) {
        value /= 1024;
        i++;
    }
    return arena_printf(arena, "%.4g %s", value, units[i]);
}

static void show(Cli *cli, const Found *f, bool chosen)
{
    Text             *out = &cli->out;
    const WGPULimits *l = &f->limits;
    show_text(out, str_of(f->info.device));
    text_printf(out, " (%s, %s)%s\n  ", f->info.type, f->info.backend,
                chosen ? ", the default" : "");
    show_text(out, str_of(f->info.description));
    text_printf(out, "\n  features   ");
    for (uint32_t i = 0; i < f->features.len; i++)
        text_printf(out, "%s%s", i ? ", " : "", f->features.data[i]);
    text_printf(out, "\n  buffers    up to %s, bound as storage up to %s, as uniform up to %s\n",
                size_text(&cli->arena, l->maxBufferSize),
                size_text(&cli->arena, l->maxStorageBufferBindingSize),
                size_text(&cli->arena, l->maxUniformBufferBindingSize));
    text_printf(out, "  workgroups up to %u invocations, %u x %u x %u, with %s of their own\n",
                l->maxComputeInvocationsPerWorkgroup, l->maxComputeWorkgroupSizeX,
                l->maxComputeWorkgroupSizeY, l->maxComputeWorkgroupSizeZ,
                size_text(&cli->arena, l->maxComputeWorkgroupStorageSize));
    text_printf(out, "  subgroups  %u to %u invocations\n", f->info.subgroup_min,
                f->info.subgroup_max);
}

static void json_pair(Text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    json_string(out, value);
    text_char(out, ',');
}

static void json_adapter(Text *out, const Found *f, bool chosen)
{
    text_char(out, '{');
    json_pair(out, "name", f->info.device);
    json_pair(out, "description", f->info.description);
    json_pair(out, "vendor", f->info.vendor);
    json_pair(out, "architecture", f->info.architecture);
    json_pair(out, "type", f->info.type);
    json_pair(out, "backend", f->info.backend);
    text_printf(out, "\"default\":%s,\"subgroup_size\":[%u,%u],\"features\":[",
                chosen ? "true" : "false", f->info.subgroup_min, f->info.subgroup_max);
    for (uint32_t i = 0; i < f->features.len; i++) {
        text_add(out, i ? STR(",") : STR(""));
        json_string(out, f->features.data[i]);
    }
    text_add(out, STR("],\"limits\":{"));
    const char *comma = "";
#define X(name)                                                                     \
    text_printf(out, "%s\"%s\":%llu", comma, #name, (unsigned long long)f->limits.name); \
    comma = ",";
    LIMITS(X)
#undef X
    (void)comma;
    text_add(out, STR("}}"));
}

static int run(Cli *cli)
{
    Device   d = {0};
    Adapters all = {0};
    bool     json = options_find(cli, "json", NULL);
    if (cli->operands.len) {
        cli_complain(cli, "takes no operand");
        return CLI_TROUBLE;
    }
    const char *why = device_load(&d, &cli->arena, &(DeviceDesc){0});
    if (!why)
        find_all(&d, &all);
    if (!why && all.len == 0)
        why = "there is no adapter";
    if (why)
        cli_complain(cli, "%s", why);
    text_add(&cli->out, json ? STR("{\"adapters\":[") : STR(""));
    for (uint32_t i = 0; i < all.len; i++) {
        if (json)
            text_add(&cli->out, i ? STR(",") : STR(""));
        else
            text_add(&cli->out, i ? STR("\n") : STR(""));
        if (json)
            json_adapter(&cli->out, &all.data[i], i == 0);
        else
            show(cli, &all.data[i], i == 0);
    }
    text_add(&cli->out, json ? STR("]}\n") : STR(""));
    device_close(&d);
    return why ? CLI_TROUBLE : CLI_OK;
}

const Command cli_devices = {
    .name = "devices", .operands = "",
    .purpose = "Show what there is to run on, with its features and limits.",
    .more = "The first one is the default. The environment variable WEFT_WEBGPU names another\n"
            "library with webgpu.h to ask, for 'weft run' too.\n",
    .options = options, .run = run,
};
